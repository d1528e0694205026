/**
 * The one WebAssembly instance of the process, made at the first use.
 * @module
 */

import * as glue from '../../pkg/core_bg.js'
import { KeyrotaError } from '../errors.js'

/** Bytes to compile, or a module that the platform has compiled. */
export type WasmSource = ArrayBufferView | ArrayBuffer | object

let source: (() => WasmSource) | undefined
let started = false

/** Says where the WebAssembly comes from. Nothing is compiled yet: an import has no cost. */
export function provide(from: () => WasmSource): void {
  source ??= from
}

/**
 * Compiles and starts the core, once.
 *
 * @remarks
 * All pools share one instance: with several, every call to one of them would be megamorphic.
 */
export function start(from: (() => WasmSource) | undefined = source): void {
  if (started) return
  if (from === undefined) {
    throw new KeyrotaError(
      'not_initialized',
      "keyrota/slim brings no WebAssembly: call initSync(module) first, with the compiled 'keyrota/keyrota.wasm' or its bytes.",
    )
  }
  if (typeof WebAssembly !== 'object') {
    throw new KeyrotaError(
      'unsupported_engine',
      'This engine has no WebAssembly. Keyrota needs Node 20, Chromium 115, Firefox 115, Safari 16.4 or newer.',
    )
  }
  const instance = new WebAssembly.Instance(compiled(from()), {
    // The glue is an ES module's namespace, whose type has no index.
    './core_bg.js': glue as unknown as WebAssembly.ModuleImports,
  })
  glue.__wbg_set_wasm(instance.exports)
  const begin = instance.exports['__wbindgen_start']
  if (typeof begin === 'function') begin()
  started = true
}

function compiled(from: WasmSource): WebAssembly.Module {
  // Not `instanceof WebAssembly.Module`, which is false for a module of another realm.
  if (!(from instanceof ArrayBuffer || ArrayBuffer.isView(from))) return from as WebAssembly.Module
  try {
    return new WebAssembly.Module(from as BufferSource)
  } catch (error) {
    if (
      error instanceof WebAssembly.CompileError &&
      !/polic|CSP|unsafe-eval|disallowed/i.test(error.message)
    ) {
      throw new KeyrotaError(
        'unsupported_engine',
        `This engine cannot compile the core: ${error.message}. Keyrota needs Node 20, Chromium 115, Firefox 115, Safari 16.4 or newer.`,
        {},
        error,
      )
    }
    throw new KeyrotaError(
      'wasm_blocked',
      "WebAssembly may not be compiled here. In a page or worker, add 'wasm-unsafe-eval' to script-src of the Content-Security-Policy; where compiling is forbidden altogether, use keyrota/slim with a module that the platform compiled.",
      {},
      error,
    )
  }
}
