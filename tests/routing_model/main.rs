//! The router against a naive model of itself: whom a request gets, why, and why nobody, over fifty thousand
//! random requests.
//!
//! The model walks over everything at every request. Of who rests until when, and of which credential a
//! provider's own strategy chooses, it asks [`Pool::status`](keyrota::Pool::status) and
//! [`Pool::explain`](keyrota::Pool::explain) of the single provider, which `tests/model` checks against a
//! naive model of their own.
#![cfg(not(target_arch = "wasm32"))]

mod driver;
mod judge;
mod naive;
mod remembered;
mod settings;
mod shares;
#[path = "../support/mod.rs"]
mod support;

use std::collections::BTreeMap;

use keyrota::Strategy;

use crate::driver::Driver;

const REQUESTS: usize = 50_000;

/// What must have been met, so that agreeing on it means something.
const SITUATIONS: [&str; 16] = [
    "a choice by affinity",
    "a choice by continuation",
    "a choice by fail_open",
    "a choice by overflow",
    "a choice by rebound",
    "a choice by strategy",
    "a choice for a model that makes a difference",
    "a choice of a last resort",
    "a choice that was exact",
    "a credential at its cap",
    "a denial",
    "a higher tier that was passed over",
    "a refusal with a time",
    "a refusal without a group",
    "a retry in a lower tier",
    "a retry in the same tier",
];

#[test]
fn the_router_agrees_with_a_naive_model_over_fifty_thousand_random_requests() {
    let seed = support::seed();
    let mut met = BTreeMap::new();
    for (number, &strategy) in Strategy::ALL.iter().enumerate() {
        // Views, sessions and rows of several lives.
        for life in 0..3 {
            let mut driver = Driver::new(seed, number * 3 + life, strategy);
            driver.run(REQUESTS.div_ceil(3 * Strategy::ALL.len()));
            for (situation, times) in driver.met {
                *met.entry(situation).or_insert(0) += times;
            }
        }
    }
    println!("{met:?}");
    for situation in SITUATIONS {
        assert!(met.contains_key(situation), "never {situation}: {met:?}");
    }
}
