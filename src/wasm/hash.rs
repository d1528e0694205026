//! The hash of long session ids: 64 bits in two numbers, since none of JavaScript's holds them.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use wasm_bindgen::prelude::wasm_bindgen;

use crate::types::hash_text;

/// The upper half of the last hash, so that the text crosses once for both.
static HIGH: AtomicU32 = AtomicU32::new(0);

/// Hashes a text; answers the lower half.
#[wasm_bindgen(js_name = hashLow)]
pub fn hash_low(text: &str) -> u32 {
    let hash = hash_text(text.as_bytes());
    HIGH.store((hash >> 32) as u32, Relaxed);
    hash as u32
}

/// The upper half of the last [`hash_low`].
#[wasm_bindgen(js_name = hashHigh)]
pub fn hash_high() -> u32 {
    HIGH.load(Relaxed)
}
