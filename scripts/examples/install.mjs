// An example as its user has it: its own packages by its lock file, and the packed one.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { installLocked, npm } from '../../tests/runtimes/npm.mjs'
import { pack } from '../pack.mjs'

const NOT_COPIED = ['package.json', 'package-lock.json', 'node_modules']
let tarball

/**
 * Installs an example and answers its folder; throws when its packages cannot be had.
 * @param {string} name its folder in examples
 * @param {string} [home] the folder that keeps its packages between runs
 */
export function installExample(name, home = resolve('target', 'examples', name)) {
  const source = join('examples', name)
  installLocked(source, home)
  // In a folder of its own, so that its packages are kept and found, and the packed one is new.
  const app = join(home, 'app')
  rmSync(app, { recursive: true, force: true })
  mkdirSync(app, { recursive: true })
  const { type, scripts } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'))
  writeFileSync(join(app, 'package.json'), JSON.stringify({ private: true, type, scripts }))
  tarball ??= pack()
  npm(['install', '--offline', '--no-package-lock', tarball], app)
  for (const file of readdirSync(source).filter((file) => !NOT_COPIED.includes(file))) {
    cpSync(join(source, file), join(app, file), { recursive: true })
  }
  return app
}
