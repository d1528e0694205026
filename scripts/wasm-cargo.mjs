// Cargo for the WebAssembly target, with the Rust that has it, as in
// node scripts/wasm-cargo.mjs clippy --lib
import { spawnSync } from 'node:child_process'
import { SETUP, TARGET, wasmToolchain } from './wasm-toolchain.mjs'

const [command, ...args] = process.argv.slice(2)
const toolchain = wasmToolchain()
if (toolchain) {
  const options = { env: toolchain.env, stdio: 'inherit' }
  process.exitCode = spawnSync('cargo', [command, '--target', TARGET, ...args], options).status ?? 1
} else {
  console.error(`No Rust here has the ${TARGET} target: ${SETUP}`)
  process.exitCode = 1
}
