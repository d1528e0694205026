//! Random settings: access keys, groups, rows, and what comes back from attempts.

use keyrota::{
    AccessKey, AffinityConfig, Blacklist, Class, Continuations, Evidence, Exposed, Group, Kind,
    Ladder, Millis, Policy, Protocol, ProviderConfig, ProviderIndex, Rng, RouteConfig, Row, Scope,
    Strategy, Verdict, Wall, Weight,
};

pub const PROVIDERS: u32 = 6;
pub const KEYS: usize = 4;
/// What clients call models, and what providers do.
pub const MODELS: [&str; 4] = ["m", "n", "alias", "nobody's"];

pub fn one_of<T: Clone>(those: &[T], rng: &mut Rng) -> T {
    those[rng.below(those.len() as u64) as usize].clone()
}

pub fn chance(of: u64, rng: &mut Rng) -> bool {
    rng.below(of) == 0
}

fn some<T: Clone>(those: &[T], rng: &mut Rng) -> Vec<T> {
    those.iter().filter(|_| rng.below(4) > 0).cloned().collect()
}

fn weight(rng: &mut Rng) -> Weight {
    Weight::new(one_of(&[1.0, 1.0, 2.0, 3.0, 50.0], rng)).expect("a weight")
}

pub fn routes(strategy: Strategy, now: i64, rng: &mut Rng) -> RouteConfig {
    let mut groups: Vec<u32> = (0..PROVIDERS).filter(|_| rng.below(8) > 0).collect();
    if chance(3, rng) {
        groups.reverse();
    }
    let capacity = one_of(&[0, 3, 5, 10_000], rng);
    RouteConfig {
        access_keys: (0..KEYS).map(|number| access_key(number, now, rng)).collect(),
        groups: groups.into_iter().map(|at| group(ProviderIndex(at), rng)).collect(),
        strategy,
        affinity: AffinityConfig { capacity, ttl: Some(Millis::from_secs(300)) },
        continuations: one_of(Continuations::ALL, rng),
    }
}

fn access_key(number: usize, now: i64, rng: &mut Rng) -> AccessKey {
    let all: Vec<ProviderIndex> = (0..PROVIDERS).map(ProviderIndex).collect();
    let models: Vec<Box<str>> = MODELS.iter().map(|&model| model.into()).collect();
    AccessKey {
        id: format!("key{number}").into(),
        enabled: rng.below(12) > 0,
        expires_at: chance(6, rng).then(|| Wall(now + rng.below(3_000_000) as i64)),
        protocols: chance(4, rng).then(|| some(Protocol::ALL, rng)),
        groups: chance(3, rng).then(|| some(&all, rng)),
        models: chance(4, rng).then(|| some(&models, rng)),
    }
}

fn group(provider: ProviderIndex, rng: &mut Rng) -> Group {
    let exposed =
        |&(name, upstream): &(&str, &str)| Exposed { name: name.into(), upstream: upstream.into() };
    let names = [("m", "m"), ("n", "real"), ("alias", "m"), ("n", "other")];
    Group {
        provider,
        enabled: rng.below(10) > 0,
        priority: one_of(&[-1, 0, 0, 0, 1], rng),
        weight: weight(rng),
        protocols: if chance(3, rng) { some(Protocol::ALL, rng) } else { Protocol::ALL.to_vec() },
        models: chance(3, rng).then(|| some(&names, rng).iter().map(exposed).collect()),
    }
}

pub fn rows(provider: u32, rng: &mut Rng) -> Vec<Row> {
    let lists = chance(3, rng);
    let ids = (0..4).map(|own| format!("{provider}-{own}"));
    let mut rows = Vec::new();
    for id in ids {
        if chance(4, rng) {
            continue;
        }
        let models = ["m", "real", "n"].map(Box::<str>::from);
        rows.push(Row {
            enabled: rng.below(12) > 0,
            weight: weight(rng),
            priority: one_of(&[0, 0, 0, 1, -1], rng),
            models: (lists && chance(2, rng)).then(|| some(&models, rng)),
            quota_group: chance(4, rng).then(|| "team".into()),
            max_concurrent: chance(5, rng).then(|| 1 + rng.below(2) as u32),
            kind: match rng.below(12) {
                0 => Kind::Subscription { authorized: false },
                1 => Kind::Subscription { authorized: true },
                _ => Kind::ApiKey,
            },
            secret_unresolved: chance(16, rng),
            ..Row::new(&id)
        });
    }
    if chance(8, rng) { Vec::new() } else { rows }
}

pub fn provider(routes: Strategy, rng: &mut Rng) -> ProviderConfig {
    let probing = if chance(2, rng) { Policy::adaptive().probing } else { None };
    let policy = Policy { probing, ..Policy::adaptive() };
    let tight = Ladder { base: Millis(1_500), cap: Millis(20_000), ..Ladder::default() };
    let limit = if chance(2, rng) { tight } else { policy.limit };
    // Random draws of the router would come before those of a group.
    let strategy = if chance(2, rng) { routes } else { one_of(Strategy::ALL, rng) };
    ProviderConfig {
        strategy,
        fail_open: chance(6, rng),
        max_concurrent: chance(6, rng).then(|| 1 + rng.below(3) as u32),
        blacklist: chance(2, rng).then(|| Blacklist { threshold: 2, ..Blacklist::default() }),
        ..ProviderConfig::of(Policy { limit, ..policy })
    }
}

/// What an attempt may end with.
pub fn verdict(rng: &mut Rng) -> Verdict {
    let class = one_of(
        &[
            Class::RateLimited,
            Class::RateLimited,
            Class::QuotaExhausted,
            Class::AuthFailed,
            Class::ServerError,
            Class::Overloaded,
            Class::ModelDenied,
            Class::UnknownOutcome,
        ],
        rng,
    );
    let scope = match class {
        Class::ModelDenied => Scope::Model,
        Class::UnknownOutcome => Scope::Request,
        _ => one_of(
            &[
                Scope::Credential,
                Scope::Credential,
                Scope::Model,
                Scope::Model,
                Scope::Account,
                Scope::Request,
                Scope::Provider,
            ],
            rng,
        ),
    };
    let seconds = one_of(&[1, 5, 30, 60, 300, 7_200], rng);
    let disable = class == Class::AuthFailed && scope == Scope::Credential && chance(8, rng);
    Verdict {
        class,
        scope,
        wait_ms: chance(3, rng).then(|| Millis::from_secs(seconds)),
        wait_from: None,
        evidence: Evidence::Code,
        disable,
        retry_other: rng.below(10) > 0,
    }
}
