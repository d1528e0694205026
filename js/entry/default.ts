/**
 * The default entry: the WebAssembly stands inline, so that one import works everywhere.
 * @module
 */

import wasm from '../../pkg/keyrota.wasm'
import { provide } from '../wasm/instance.js'
import { fromText } from '../wasm/text.js'

provide(() => fromText(wasm as string))

export * from '../index.js'
