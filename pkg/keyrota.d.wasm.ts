declare const wasm: Uint8Array<ArrayBuffer> | WebAssembly.Module;
export default wasm;
