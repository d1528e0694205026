// Installations that are kept between runs.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const MINUTES = 5 // for one installation

/**
 * Installs what a lock file names, unless it is there already; throws when it cannot be had.
 * @param {string} source the folder of the lock file
 * @param {string} home the folder that gets the packages
 */
export function installLocked(source, home) {
  const lock = readFileSync(join(source, 'package-lock.json'), 'utf8')
  const stamp = join(home, 'node_modules', '.installed')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return
  cpSync(source, home, { recursive: true })
  // None of them needs its install script: what is binary comes in packages of its own.
  npm(['ci', '--ignore-scripts'], home)
  writeFileSync(stamp, lock)
}

/** Why an installation failed, in few words. */
export function whyNot(error) {
  return error.code === 'ETIMEDOUT' ? `not in ${MINUTES} minutes` : 'npm failed'
}

export function npm(args, cwd) {
  const options = ['--no-audit', '--no-fund', '--loglevel=error']
  const stdio = ['ignore', 'ignore', 'inherit']
  execFileSync('npm', [...args, ...options], { cwd, stdio, timeout: MINUTES * 60_000 })
}
