// The SDKs that the tests use: the newest that Node 20 can run, and the newest of all.
import { existsSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { installLocked, whyNot } from '../runtimes/npm.mjs'

const TOOLS = join(import.meta.dirname, 'tools')
const HOMES = resolve(import.meta.dirname, '..', '..', 'target', 'runtimes')
// Imported from where the SDKs are, so that they are found.
const LOADER = 'export const load = (name) => import(name)\n'

/** @param {'node20' | 'newest'} name */
export function loaderOf(name) {
  return join(HOMES, `sdks-${name}`, 'node_modules', 'load-sdk.mjs')
}

/** Installs them; throws when they cannot be had. */
export function installSdks(name) {
  installLocked(join(TOOLS, name), join(HOMES, `sdks-${name}`))
  writeFileSync(loaderOf(name), LOADER)
}

/** Whether they are there. */
export function hasSdks(name) {
  return existsSync(loaderOf(name))
}

/** What vitest calls before the tests. */
export default function setup() {
  try {
    installSdks('node20')
  } catch (error) {
    console.log(`NOT TESTED: the SDKs, which could not be installed: ${whyNot(error)}`)
    // A developer's machine may lack them; the one that decides may not.
    if (process.env.CI) throw error
  }
}
