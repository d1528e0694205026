//! What the pool promises, one file for each kind of promise.
#![cfg(not(target_arch = "wasm32"))]

mod absurd;
mod affinity;
mod alone;
mod blacklist;
mod capacity;
mod clock;
mod continuation;
mod descent;
mod disabling;
mod explain;
mod fail_open;
mod fencing;
mod grants;
mod inspection;
mod ladder;
mod leases;
mod loading;
mod lodging;
mod many_groups;
mod merge;
mod pause;
mod probe;
mod refresh;
mod reload;
mod rendezvous;
mod retry;
mod rollback;
mod routed_capacity;
mod routed_health;
mod routed_retry;
mod routed_sessions;
mod router;
mod routing;
mod scene;
mod scopes;
mod shares;
mod slots;
mod smooth;
mod snapshot;
mod subscription;
#[path = "../support/mod.rs"]
mod support;
mod tiers;
mod validation;
