//! What the pool promises, one file for each kind of promise.
#![cfg(not(target_arch = "wasm32"))]

mod absurd;
mod affinity;
mod alone;
mod clock;
mod continuation;
mod disabling;
mod explain;
mod fail_open;
mod fencing;
mod ladder;
mod leases;
mod loading;
mod lodging;
mod merge;
mod pause;
mod probe;
mod refresh;
mod rendezvous;
mod rollback;
mod scene;
mod scopes;
mod shares;
mod slots;
mod smooth;
mod snapshot;
#[path = "../support/mod.rs"]
mod support;
