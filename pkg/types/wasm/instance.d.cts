/**
 * The one WebAssembly instance of the process, made at the first use.
 * @module
 */
/** Bytes to compile, or a module that the platform has compiled. */
export type WasmSource = ArrayBufferView | ArrayBuffer | object;
/** Says where the WebAssembly comes from. Nothing is compiled yet: an import has no cost. */
export declare function provide(from: () => WasmSource): void;
/**
 * Compiles and starts the core, once.
 *
 * @remarks
 * All pools share one instance: with several, every call to one of them would be megamorphic.
 */
export declare function start(from?: (() => WasmSource) | undefined): void;
