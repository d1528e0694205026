//! What the classifier promises, one file for each kind of promise.
#![cfg(not(target_arch = "wasm32"))]

#[path = "../support/anything.rs"]
mod anything;
mod fuzz;
mod providers;
mod rules;
mod streams;
mod waits;

use keyrota::{Millis, Outcome, Verdict, Wall, classify};

/// Tue, 20 Oct 2026 12:00:00 GMT, when all of it happens.
const NOON: Wall = Wall(1_792_497_600_000);

/// What a provider's answer means for a model.
fn judge(dialect: &str, status: u16, headers: &[(&str, &str)], body: &str) -> Verdict {
    let outcome =
        Outcome { status: Some(status), headers, body, model: Some("m"), ..Outcome::default() };
    classify(dialect, &[], &outcome, NOON)
}

/// A verdict in a few words: class, scope, wait, `dead`, `alone`.
fn told(verdict: &Verdict) -> String {
    let mut told = format!("{} {}", verdict.class.code(), verdict.scope.code());
    if let Some(Millis(wait)) = verdict.wait_ms {
        told.push_str(&format!(" {wait}"));
    }
    if verdict.disable {
        told.push_str(" dead");
    }
    if !verdict.retry_other {
        told.push_str(" alone");
    }
    told
}
