/**
 * The entry for edge functions, where bytes may not be compiled: the platform compiles the module.
 * @module
 */

import wasm from '../../pkg/keyrota.wasm'
import { provide } from '../wasm/instance.js'

provide(() => wasm as object)

export * from '../index.js'
