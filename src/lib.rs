//! Chooses API keys for LLM apps: by weight, with sessions that stay on their key, with rest after
//! failures, and with a reason for every choice.
//!
//! **Every change happens in [`Pool`], at a `now` that the caller hands in, and leaves what happened
//! behind as data.** There is no clock, no randomness, no I/O and no secret in this crate, so the same
//! calls give the same answers in every process and runtime.
//!
//! The loop that keeps it:
//!
//! 1. [`Pool::load`] the rows of a provider, without their secrets.
//! 2. [`Pool::acquire`] a credential for one attempt. A [`Refusal`] is an answer too, with a date.
//!    A request that may have several goes by a [`Plan`], with [`Pool::acquire_planned`].
//! 3. Make the attempt, then [`Pool::report`] what came back.
//! 4. Hand [`Pool::take_events`] to whoever listens, and [`Pool::take_disable_requests`] to the app's
//!    storage; then [`Pool::confirm_disabled`] what it kept. Try again what
//!    [`Pool::take_validate_requests`] names.
//!
//! At any time [`Pool::explain`] says why each credential is chosen or passed over, and
//! [`Pool::snapshot`] writes down all that must outlive the process.
#![deny(unsafe_code)]
#![warn(missing_debug_implementations, missing_docs)]

mod affinity;
mod blacklist;
mod classify;
mod config;
mod cooldown;
mod credential;
mod error;
mod event;
mod explain;
mod health;
mod pool;
mod provider;
mod retry;
mod rng;
mod route;
mod select;
mod snapshot;
mod structures;
mod types;
#[cfg(target_arch = "wasm32")]
#[doc(hidden)] // for JavaScript, and for the tests of the boundary
pub mod wasm;

pub use classify::{classic, classify, classify_stream_event, knows_dialect};
pub use config::{AffinityConfig, Blacklist, Config, Policy, PolicyName, ProviderConfig, Rollback};
pub use cooldown::{Cooldown, Failure, Ladder, Probing, Record, Terms};
pub use credential::{Counters, Disabled, Kind, Row};
pub use error::{InvalidRow, NotAvailable, Refusal, RouteRefusal, SnapshotError};
pub use event::{DisableRequest, Event, EventKind, RefreshRequest, Rest, ValidateRequest};
pub use explain::{Candidate, Explanation, GroupInspection, Inspection, ModelRest, StatusRow};
pub use pool::{Grant, Loaded, Pool, Request, RoutedGrant};
pub use retry::{Next, Place, Plan, PlanTerms, Stop};
pub use rng::Rng;
pub use route::{AccessKey, Continuations, Exposed, Group, Protocol, RouteConfig, RouteRequest};
pub use select::Strategy;
pub use snapshot::Snapshot;
pub use types::{
    Address, Broken, ChoiceReason, Class, Clock, CredentialIndex, DisabledBy, Effect, ErrorRule,
    Evidence, Inside, Lane, LeaseId, Millis, Moment, Outcome, Phase, ProviderIndex, Reason, Rule,
    Scope, SessionHash, Source, Value, Verdict, Wall, Weight, WeightError, hash_text,
};
