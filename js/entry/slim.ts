/**
 * The entry without WebAssembly: for policies and engines that need it handed over.
 * @module
 */

import { start, type WasmSource } from '../wasm/instance.js'

export * from '../index.js'

/**
 * Starts the core from a compiled module or from bytes. Later calls do nothing.
 *
 * @param source - a `WebAssembly.Module` of `keyrota/keyrota.wasm`, or its bytes
 * @throws {@link KeyrotaError} `wasm_blocked` or `unsupported_engine` when it cannot be compiled here
 *
 * @example In a page whose bundler knows `.wasm` files
 * ```ts
 * import { initSync, KeyPool } from 'keyrota/slim'
 *
 * initSync(await WebAssembly.compileStreaming(fetch('/keyrota.wasm')))
 * const pool = new KeyPool({ credentials })
 * ```
 */
export function initSync(source: WasmSource): void {
  start(() => source)
}
