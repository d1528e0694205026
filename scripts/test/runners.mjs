// The runners of `npm test`, in the order in which they run.
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { answer, SETUP, TARGET, wasmBindgenTool, wasmToolchain } from '../wasm-toolchain.mjs'
import { countCargo, countPlain, countVitest } from './count.mjs'

const VITEST_REPORT = join('target', 'vitest.json')

/**
 * @typedef {object} Runner
 * @property {string} name
 * @property {string[]} command
 * @property {NodeJS.ProcessEnv} [env]
 * @property {number} minutes after which it is ended
 * @property {(output: string) => import('./count.mjs').Count} count
 * @property {string | null} [missing] what this machine lacks, and what is therefore not tested
 */

/** @returns {Runner[]} */
export function runners() {
  return [rust(), ...wasm(), javascript(), ...runtimes(), load()]
}

/** @returns {Runner} */
function rust() {
  return {
    name: 'rust',
    command: ['cargo', 'test', '--no-fail-fast', '--', '--quiet'],
    minutes: 6,
    count: countCargo,
    missing: answer('cargo', ['--version']) ? null : 'the Rust core, for want of cargo',
  }
}

/** One test file, tests/wasm.rs, in two homes: it names none, so the environment decides. */
function wasm() {
  const toolchain = wasmToolchain()
  const tool = toolchain && wasmBindgenTool('wasm-bindgen-test-runner')
  const missing = tool ? null : `the WebAssembly, for want of its tools (${SETUP})`
  const driver = process.env.CHROMEDRIVER ?? answer('which', ['chromedriver'])
  const env = tool && {
    ...toolchain.env,
    // Cargo splits this variable at spaces, so it is a name to be found and not a path.
    CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER: 'wasm-bindgen-test-runner',
    PATH: `${toolchain.env.PATH}:${dirname(tool)}`,
    WASM_BINDGEN_TEST_TIMEOUT: '60',
  }
  const common = {
    command: ['cargo', 'test', '--target', TARGET, '--test', 'wasm'],
    minutes: 4,
    count: countCargo,
  }
  return [
    { ...common, name: 'wasm in Node', env, missing },
    {
      ...common,
      name: 'wasm in Chromium',
      env: { ...env, CHROMEDRIVER: driver, WASM_BINDGEN_USE_BROWSER: '1' },
      missing:
        missing ?? (driver ? null : `the WebAssembly in a browser, for want of one (${SETUP})`),
    },
  ]
}

/** @returns {Runner} */
function javascript() {
  const vitest = join('node_modules', 'vitest', 'vitest.mjs')
  return {
    name: 'js',
    command: [
      ...[process.execPath, vitest, 'run'],
      ...['--reporter=default', '--reporter=json', `--outputFile.json=${VITEST_REPORT}`],
    ],
    minutes: 4,
    count: () => {
      const count = countVitest(VITEST_REPORT)
      rmSync(VITEST_REPORT, { force: true })
      return count
    },
  }
}

/** The packed package as users install it: one script per row of runtimes. */
function runtimes() {
  const folder = join('tests', 'runtimes')
  const scripts = existsSync(folder) ? readdirSync(folder) : []
  return scripts
    .filter((file) => file.endsWith('.test.mjs'))
    .toSorted()
    .map((file) => ({
      name: `runtimes: ${file.replace('.test.mjs', '')}`,
      command: [process.execPath, join(folder, file)],
      minutes: 3,
      count: countPlain,
    }))
}

/** The gateway under load; it takes its minute whatever the machine. @returns {Runner} */
function load() {
  return {
    name: 'load',
    command: [process.execPath, join('scripts', 'load.mjs')],
    minutes: 2,
    count: countPlain,
  }
}
