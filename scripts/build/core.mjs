// Rust to WebAssembly: cargo, then wasm-bindgen, then wasm-opt.
import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { cargoHome, SETUP, TARGET, wasmBindgenTool } from '../wasm-toolchain.mjs'

// Speed over size, for the pick is measured in nanoseconds.
// Nothing stands in the first kilobyte of the memory, which is the end of the stack.
const OPTIMISE = ['-O3', '--converge', '--low-memory-unused']

// Most of the core runs now and then, and is compiled once instead of into each of its callers. What
// every attempt goes through is `#[inline(always)]`.
const INLINE_LESS = ['-inline-threshold=50', '-inlinehint-threshold=150']

// What rustc emits for this target by default, which every engine since 2022 has.
const FEATURES = [
  '--enable-bulk-memory',
  '--enable-bulk-memory-opt',
  '--enable-multivalue',
  '--enable-mutable-globals',
  '--enable-nontrapping-float-to-int',
  '--enable-reference-types',
  '--enable-sign-ext',
]

/**
 * Writes `keyrota.wasm`, its glue `core_bg.js` and the glue's types into `out`.
 * @param {import('../wasm-toolchain.mjs').Toolchain} toolchain
 * @param {string} out
 * @param {{ locked: boolean }} options
 */
export function buildCore(toolchain, out, { locked }) {
  const wasmBindgen = wasmBindgenTool('wasm-bindgen')
  if (!wasmBindgen) throw new Error(`wasm-bindgen of the crate's version is missing: ${SETUP}`)

  const compiled = compile(toolchain, locked)
  const glue = join('target', 'glue')
  rmSync(glue, { recursive: true, force: true })
  run(wasmBindgen, [
    ...['--target', 'bundler', '--out-name', 'core', '--out-dir', glue],
    ...['--remove-name-section', '--remove-producers-section', compiled],
  ])
  // A snippet is a JavaScript file of some crate, which the loader under js/wasm does not know.
  if (readdirSync(glue).includes('snippets'))
    throw new Error('A crate brings JavaScript snippets, which are not loaded.')

  mkdirSync(out, { recursive: true })
  copyFileSync(join(glue, 'core_bg.js'), join(out, 'core_bg.js'))
  writeFileSync(join(out, 'core_bg.d.ts'), glueTypes(readFileSync(join(glue, 'core.d.ts'), 'utf8')))
  writeFileSync(join(out, 'keyrota.d.wasm.ts'), WASM_TYPES)
  const wasmOpt = join('node_modules', 'binaryen', 'bin', 'wasm-opt')
  run(process.execPath, [
    wasmOpt,
    ...OPTIMISE,
    ...FEATURES,
    join(glue, 'core_bg.wasm'),
    '-o',
    join(out, 'keyrota.wasm'),
  ])
}

function compile(toolchain, locked) {
  const lock = locked ? ['--locked'] : []
  const inlining = INLINE_LESS.map((option) => `-Cllvm-args=${option}`)
  const flags = [...remaps(toolchain, lock), ...inlining].join('\x1f')
  const env = { ...toolchain.env, CARGO_ENCODED_RUSTFLAGS: flags }
  run('cargo', ['build', '--release', '--lib', '--target', TARGET, ...lock], env)
  return join(process.env.CARGO_TARGET_DIR ?? 'target', TARGET, 'release', 'keyrota.wasm')
}

/** Panic messages hold the path of their source: without this, bytes depend on the folder. */
function remaps({ env, sysroot }, lock) {
  const rustSource = join(sysroot, 'lib', 'rustlib', 'src', 'rust')
  const folders = [
    [cargoHome, '/cargo'],
    [process.cwd(), '/keyrota'],
    [rustSource, '/rustc'],
    [existing(rustSource), '/rustc'],
    ...crateFolders(env, lock).map((folder) => [folder, '/crates']),
  ]
  return folders.map(([from, to]) => `--remap-path-prefix=${from}=${to}`)
}

/** The folders of the unpacked crates, whose names depend on the registry that they came from. */
function crateFolders(env, lock) {
  const args = ['metadata', '--format-version', '1', '--filter-platform', TARGET, ...lock]
  const { packages } = JSON.parse(
    execFileSync('cargo', args, {
      env,
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  )
  const unpacked = packages.filter(({ source }) => source !== null)
  return [...new Set(unpacked.map(({ manifest_path }) => dirname(dirname(manifest_path))))]
}

/** `core.d.ts` describes the module that wasm-bindgen wants imported; the glue is beneath it. */
function glueTypes(types) {
  return `${types}
/** Gives the glue the exports of the instance that it is the glue of. */
export function __wbg_set_wasm(exports: WebAssembly.Exports): void;
`
}

// A text where the build inlines the file, a compiled module where the platform imports it.
const WASM_TYPES = `declare const wasm: string | WebAssembly.Module;
export default wasm;
`

function existing(path) {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

function run(command, args, env = process.env) {
  execFileSync(command, args, { env, stdio: ['ignore', 'inherit', 'inherit'] })
}
