//! What the pool promises, one file for each kind of promise.
#![cfg(not(target_arch = "wasm32"))]

mod absurd;
mod affinity;
mod clock;
mod disabling;
mod explain;
mod fencing;
mod ladder;
mod leases;
mod loading;
mod merge;
mod rendezvous;
mod scene;
mod shares;
mod slots;
mod smooth;
mod snapshot;
#[path = "../support/mod.rs"]
mod support;
