declare const wasm: string | WebAssembly.Module;
export default wasm;
