// Which Rust builds WebAssembly on this machine: the one on PATH when it has the target (rustup's),
// else the one in /usr/bin (Debian's), which scripts/setup-wasm.sh completes.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

export const TARGET = 'wasm32-unknown-unknown'
export const SETUP = 'npm run setup'

/** Cargo's own folder, where crates are unpacked and tools are installed. */
export const cargoHome = process.env.CARGO_HOME ?? join(homedir(), '.cargo')

/**
 * @typedef {object} Toolchain
 * @property {NodeJS.ProcessEnv} env what cargo needs in its environment to use this compiler
 * @property {string} sysroot
 * @property {string} rustc the text of `rustc -vV`
 */

/** @returns {Toolchain | null} null when neither Rust can build WebAssembly yet */
export function wasmToolchain() {
  for (const PATH of [process.env.PATH, `/usr/bin:${process.env.PATH}`]) {
    const env = { ...process.env, PATH }
    const sysroot = answer('rustc', ['--print', 'sysroot'], env)
    if (sysroot && hasStandardLibrary(sysroot)) {
      return { env, sysroot, rustc: /** @type {string} */ (answer('rustc', ['-vV'], env)) }
    }
  }
  return null
}

/** The version that Cargo.toml pins, which the command-line tool must match to the digit. */
export function wasmBindgenVersion() {
  const pinned = readFileSync('Cargo.toml', 'utf8').match(/^wasm-bindgen = .*"=([\d.]+)"/m)
  if (!pinned) throw new Error('Cargo.toml does not pin wasm-bindgen to one version ("=x.y.z").')
  return pinned[1]
}

/**
 * The path of one of wasm-bindgen's tools.
 * @param {'wasm-bindgen' | 'wasm-bindgen-test-runner'} tool
 * @returns {string | null} null when it is missing or of another version than the crate
 */
export function wasmBindgenTool(tool) {
  const bin = join(cargoHome, 'bin')
  const installed = answer(join(bin, 'wasm-bindgen'), ['--version'])
  return installed === `wasm-bindgen ${wasmBindgenVersion()}` ? join(bin, tool) : null
}

/** What a command prints, or null when it is missing or fails. */
export function answer(command, args, env = process.env) {
  try {
    return execFileSync(command, args, {
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return null
  }
}

function hasStandardLibrary(sysroot) {
  const lib = join(sysroot, 'lib', 'rustlib', TARGET, 'lib')
  return existsSync(lib) && readdirSync(lib).some((file) => file.startsWith('libstd-'))
}
