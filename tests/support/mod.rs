//! What the tests share.

use keyrota::{Snapshot, Value};

/// A seed from `KEYROTA_TEST_SEED`, or a new one; printed, so that a failure can be run again.
pub fn seed() -> u64 {
    let seed = match std::env::var("KEYROTA_TEST_SEED") {
        Ok(text) => text.parse().expect("KEYROTA_TEST_SEED is a number"),
        Err(_) => new_seed(),
    };
    println!("KEYROTA_TEST_SEED={seed}");
    seed
}

/// The standard library seeds its maps from the system, so even a hash of nothing is random.
fn new_seed() -> u64 {
    use std::hash::{BuildHasher as _, RandomState};
    RandomState::new().hash_one(())
}

/// What a snapshot is when it went through JSON.
#[allow(dead_code, reason = "not every suite has snapshots")]
pub fn through_json(snapshot: &Snapshot) -> Snapshot {
    let text = serde_json::to_string(snapshot).expect("a snapshot can be written");
    let value: Value = serde_json::from_str(&text).expect("it is JSON");
    Snapshot::read(&value).unwrap_or_else(|error| panic!("{error}: {text}"))
}
