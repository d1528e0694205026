//! The pool against a naive model of itself: everything it answers must be the same, over a hundred
//! thousand random operations.
#![cfg(not(target_arch = "wasm32"))]

mod between;
mod capacity;
mod choice;
mod credential;
mod driver;
mod ends;
mod health;
mod judge;
mod look;
mod naive;
mod outcomes;
mod rows;
mod storage;
#[path = "../support/mod.rs"]
mod support;
mod suspects;
mod turns;
mod window;

use std::collections::BTreeMap;

use keyrota::{AffinityConfig, Config, Ladder, Millis, Policy, ProviderConfig, Strategy};

use crate::driver::Driver;

const OPERATIONS: usize = 100_000;

/// What must have been met, so that agreeing on it means something.
const SITUATIONS: [&str; 14] = [
    "a choice among those who wait for a probe",
    "a choice that fails open",
    "a continuation",
    "a dead account",
    "a lodging",
    "a pause",
    "a probe of a long wait",
    "a probe of a pause",
    "a probe of an ended rest",
    "a refused new secret",
    "a return home",
    "a rollback",
    "a shortened rest",
    "an overflow",
];

#[test]
fn the_pool_agrees_with_a_naive_model_over_a_hundred_thousand_random_operations() {
    let seed = support::seed();
    let configs = configs();
    let each = OPERATIONS.div_ceil(configs.len());
    let mut met = BTreeMap::new();
    for (number, config) in configs.into_iter().enumerate() {
        let mut driver = Driver::new(seed, number, config);
        driver.run(each);
        for (situation, times) in driver.naive.met {
            *met.entry(situation).or_insert(0) += times;
        }
    }
    println!("{met:?}");
    for situation in SITUATIONS {
        assert!(met.contains_key(situation), "never {situation}: {met:?}");
    }
}

/// Every strategy under both policies, with settings that differ in what they stress.
fn configs() -> Vec<Config> {
    let tight = Ladder { base: Millis(1_500), cap: Millis(9_000), ..Ladder::default() };
    let steep = Ladder { multiplier: 3.0, forget_after: Millis(20_000), ..tight };
    let flat = Ladder { multiplier: 1.0, ..Ladder::default() };
    let policies = [
        Policy::classic(),
        even(Policy::adaptive()),
        Policy { limit: tight, overload: steep, ..even(Policy::adaptive()) },
        Policy { limit: flat, ..Policy::classic() },
        Policy::adaptive(),
    ];
    let mut configs = Vec::new();
    for (number, policy) in policies.into_iter().enumerate() {
        for &strategy in Strategy::ALL {
            let affinity = match number {
                0 => AffinityConfig { capacity: 5, ttl: None },
                1 => AffinityConfig::default(),
                2 => AffinityConfig { capacity: 8, ttl: Some(Millis(40_000)) },
                3 => AffinityConfig { capacity: 0, ttl: None },
                _ => AffinityConfig { capacity: 9, ttl: Some(Millis(400_000)) },
            };
            configs.push(Config {
                provider: ProviderConfig {
                    strategy,
                    fail_open: number == 2 || number == 4,
                    max_concurrent: [None, None, Some(9), None, Some(5)][number],
                    ..ProviderConfig::of(policy.clone())
                },
                affinity,
                responses: affinity,
                lease_ttl: Millis([600_000, 60_000][number % 2]),
                ..Config::of(policy.clone())
            });
        }
    }
    configs
}

/// No wait is lengthened at random.
fn even(policy: Policy) -> Policy {
    Policy { jitter: 0.0, ..policy }
}
