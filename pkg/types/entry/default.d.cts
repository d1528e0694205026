/**
 * The default entry: the WebAssembly stands inline, so that one import works everywhere.
 * @module
 */
export * from '../index.cjs';
