//! The pool against a naive model of itself: everything it answers must be the same, over a hundred
//! thousand random operations.
#![cfg(not(target_arch = "wasm32"))]

mod between;
mod credential;
mod driver;
mod judge;
mod look;
mod naive;
mod storage;
#[path = "../support/mod.rs"]
mod support;
mod turns;

use keyrota::{AffinityConfig, Config, Ladder, Millis, Policy, ProviderConfig, Strategy};

use crate::driver::Driver;

const OPERATIONS: usize = 100_000;

#[test]
fn the_pool_agrees_with_a_naive_model_over_a_hundred_thousand_random_operations() {
    let seed = support::seed();
    let configs = configs();
    let each = OPERATIONS.div_ceil(configs.len());
    for (number, config) in configs.into_iter().enumerate() {
        Driver::new(seed, number, config).run(each);
    }
}

/// Every strategy under both policies, with settings that differ in what they stress.
fn configs() -> Vec<Config> {
    let tight = Ladder { base: Millis(1_500), cap: Millis(9_000), ..Ladder::default() };
    let steep = Ladder { multiplier: 3.0, forget_after: Millis(20_000), ..tight };
    let flat = Ladder { multiplier: 1.0, ..Ladder::default() };
    let policies = [
        Policy::classic(),
        Policy::adaptive(),
        Policy { limit: tight, overload: steep, ..Policy::adaptive() },
        Policy { limit: flat, ..Policy::classic() },
    ];
    let mut configs = Vec::new();
    for (number, policy) in policies.into_iter().enumerate() {
        for &strategy in Strategy::ALL {
            let affinity = match number {
                0 => AffinityConfig::default(),
                1 => AffinityConfig { capacity: 5, ttl: None },
                2 => AffinityConfig { capacity: 8, ttl: Some(Millis(40_000)) },
                _ => AffinityConfig { capacity: 0, ttl: None },
            };
            configs.push(Config {
                provider: ProviderConfig { policy: policy.clone(), strategy },
                affinity,
                lease_ttl: Millis([600_000, 60_000][number % 2]),
                ..Config::of(policy.clone())
            });
        }
    }
    configs
}
