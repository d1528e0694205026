import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Packs the package and answers the path of the tarball. */
export function pack() {
  const folder = join('target', 'pack')
  mkdirSync(folder, { recursive: true })
  const args = ['pack', '--json', '--pack-destination', folder]
  const [{ filename }] = JSON.parse(execFileSync('npm', args, { encoding: 'utf8' }))
  return resolve(folder, filename)
}
