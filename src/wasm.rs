//! The boundary to JavaScript: the only files that know it.
//!
//! On the hot path only numbers cross. Everything else goes through serde-wasm-bindgen, and every
//! conversion stands in `convert.rs`.

mod classify;
mod convert;
mod error;
mod hash;
mod host;
mod look;
mod pool;
mod retry;
mod route;
mod session;

pub use host::Host;
pub use pool::Core;
pub use retry::Plan;
