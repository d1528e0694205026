//! What the model does not know exactly comes out right in the long run.

use keyrota::{Config, Plan, PlanTerms, Policy, Pool, Rng, RouteRequest, Row, Strategy, Wall};

use crate::settings::{self, PROVIDERS, one_of};

const PICKS: usize = 5_000;

/// How often each credential of a router without failures serves, beside its share; as the parts of the
/// whole that the settings promise.
fn shares(seed: u64, strategy: Strategy) -> Vec<(usize, f64)> {
    let mut rng = Rng::from_seed(seed);
    let mut pool = Pool::new(Config::of(Policy::adaptive()));
    pool.seed(Rng::from_seed(seed));
    let mut config = settings::routes(strategy, 0, &mut rng);
    config.access_keys.truncate(1);
    let key = &mut config.access_keys[0];
    (key.enabled, key.expires_at, key.protocols) = (true, None, None);
    (key.groups, key.models) = (None, None);
    let mut weights = Vec::new();
    for provider in 0..PROVIDERS {
        let own =
            keyrota::ProviderConfig { strategy, ..keyrota::ProviderConfig::of(Policy::adaptive()) };
        let index = pool.provider_with(&crate::driver::name(provider), own);
        let row = |own: u32, rng: &mut Rng| {
            let shares = one_of(&[1.0, 2.0, 3.0], rng);
            let weight = keyrota::Weight::new(shares).expect("a weight");
            Row { weight, ..Row::new(&format!("{provider}-{own}")) }
        };
        let rows: Vec<Row> = (0..3).map(|own| row(own, &mut rng)).collect();
        weights.push(rows.iter().map(|row| row.weight.shares()).collect::<Vec<_>>());
        pool.load(index, 0, rows, Wall(0));
    }
    for group in &mut config.groups {
        (group.enabled, group.priority, group.models) = (true, 0, None);
        group.protocols = keyrota::Protocol::ALL.to_vec();
        group.weight = keyrota::Weight::new(one_of(&[1.0, 2.0, 4.0], &mut rng)).expect("a weight");
    }
    let groups = config.groups.clone();
    pool.route(config);
    let request = RouteRequest {
        access_key: 0,
        protocol: keyrota::Protocol::Gemini,
        model: Some("m"),
        session: None,
        continues: None,
        number: 0,
    };
    let mut counts = vec![[0_usize; 3]; PROVIDERS as usize];
    for _ in 0..PICKS {
        let plan = Plan::new(PlanTerms::default());
        let routed = pool.acquire_routed(&request, &plan, Wall(0)).expect("everyone is free");
        pool.release(routed.grant.lease);
        counts[routed.place.provider.0 as usize][routed.grant.credential.0 as usize] += 1;
    }
    let products = groups.iter().flat_map(|group| {
        let at = group.provider.0 as usize;
        (0..3).map(move |own| (at, own, group.weight.shares()))
    });
    let products: Vec<(usize, f64)> = products
        .map(|(at, own, shares)| (counts[at][own], (shares * weights[at][own]) as f64))
        .collect();
    let total: f64 = products.iter().map(|one| one.1).sum();
    products.into_iter().map(|(count, product)| (count, product / total)).collect()
}

#[test]
fn smooth_serves_everyone_within_a_few_picks_of_its_share() {
    for seed in 0..20 {
        for (count, share) in shares(seed, Strategy::Smooth) {
            let expected = share * PICKS as f64;
            assert!((count as f64 - expected).abs() <= 4.0, "{count} of {expected}, seed {seed}");
        }
    }
}

#[test]
fn random_draws_are_as_the_weights_say() {
    for strategy in [Strategy::WeightedRandom, Strategy::Rendezvous] {
        for seed in 0..10 {
            let all = shares(seed, strategy);
            let parts = all.iter().map(|&(count, share)| {
                let expected = share * PICKS as f64;
                (count as f64 - expected).powi(2) / expected
            });
            // Chi-square with at most 17 degrees of freedom: beyond 48 in one of 10,000.
            let chi: f64 = parts.sum();
            assert!(chi < 48.0, "{chi} by {strategy:?}, seed {seed}: {all:?}");
        }
    }
}
