//! `cargo +nightly fuzz run classify`: any bytes have a verdict. `tests/classify/fuzz.rs` runs the same checks
//! for a while with every test run.
#![no_main]

#[path = "../../tests/support/anything.rs"]
mod anything;

libfuzzer_sys::fuzz_target!(|data: &[u8]| anything::bytes(data));
