//! What JavaScript hands in: the time source and the callbacks.

use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// An object with these methods. None of them may throw: an exception that unwound through Wasm
    /// would leave the pool borrowed.
    pub type Host;

    /// Milliseconds since the epoch; NaN when the time source failed.
    #[wasm_bindgen(method, structural)]
    pub fn now(this: &Host) -> f64;

    /// Something happened that someone listens for.
    #[wasm_bindgen(method, structural)]
    pub fn emit(this: &Host, event: JsValue);

    /// The app's storage should keep this credential disabled.
    #[wasm_bindgen(method, structural)]
    pub fn disable(this: &Host, provider: u32, credential: u32, why: JsValue);

    /// The secret of this credential was refused: is there a new one? `Core::refreshed` takes the answer.
    #[wasm_bindgen(method, structural)]
    pub fn refresh(this: &Host, provider: u32, credential: u32);
}
