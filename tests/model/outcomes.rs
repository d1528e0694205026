//! What comes back from attempts: random verdicts, and the documented service's reading of a status.

use keyrota::{Class, Evidence, Millis, PolicyName, Rng, Scope, Verdict};

/// A verdict as the policy may come to it.
pub fn random_verdict(policy: PolicyName, rng: &mut Rng) -> Verdict {
    if policy == PolicyName::Classic {
        return classic(Some(one_of(&[200, 200, 200, 200, 400, 401, 429, 429, 500, 529], rng)));
    }
    let class = random_class(rng);
    let scope = match class {
        Class::Ok => Scope::None,
        Class::ModelDenied => one_of(&[Scope::Model, Scope::Model, Scope::Credential], rng),
        Class::ClientError | Class::OverKeyLimit | Class::UnknownOutcome => Scope::Request,
        _ => random_scope(rng),
    };
    let can_disable = matches!(class, Class::AuthFailed | Class::QuotaExhausted)
        && matches!(scope, Scope::Credential | Scope::Account);
    let disable = can_disable && rng.below(if scope == Scope::Account { 2 } else { 6 }) == 0;
    verdict(class, scope, random_wait(rng), disable)
}

fn random_class(rng: &mut Rng) -> Class {
    match rng.below(24) {
        0..8 => Class::Ok,
        8..11 => Class::RateLimited,
        11..13 => Class::Overloaded,
        13..15 => Class::ServerError,
        15..17 => Class::QuotaExhausted,
        17..19 => Class::AuthFailed,
        19..21 => Class::ModelDenied,
        _ => one_of(
            &[
                Class::ClientError,
                Class::OverKeyLimit,
                Class::EgressBlocked,
                Class::UnknownOutcome,
                Class::ClientAborted,
            ],
            rng,
        ),
    }
}

fn random_scope(rng: &mut Rng) -> Scope {
    match rng.below(24) {
        0..11 => Scope::Credential,
        11..17 => Scope::Model,
        17..20 => Scope::Account,
        20 => Scope::Request,
        _ => one_of(&[Scope::Provider, Scope::Egress], rng),
    }
}

fn one_of<T: Copy>(those: &[T], rng: &mut Rng) -> T {
    those[rng.below(those.len() as u64) as usize]
}

/// The wait that a provider states, if any.
pub fn random_wait(rng: &mut Rng) -> Option<Millis> {
    const SECONDS: [u64; 10] = [1, 30, 60, 300, 300, 3_600, 4_000, 7_200, 7_200, 7_200];
    (rng.below(3) == 0).then(|| Millis::from_secs(SECONDS[rng.below(10) as usize]))
}

pub fn verdict(class: Class, scope: Scope, wait_ms: Option<Millis>, disable: bool) -> Verdict {
    Verdict {
        class,
        scope,
        wait_ms,
        wait_from: wait_ms.map(|_| "header:retry-after".into()),
        evidence: if disable { Evidence::Code } else { Evidence::Status },
        disable,
        retry_other: scope != Scope::Request,
    }
}

/// What the documented service takes a status for; `None`: no response came.
pub fn classic(status: Option<u16>) -> Verdict {
    let (class, scope) = match status {
        None => (Class::UnknownOutcome, Scope::Request),
        Some(401 | 403) => (Class::AuthFailed, Scope::Credential),
        Some(429 | 529) => (Class::RateLimited, Scope::Credential),
        Some(500..) => (Class::ServerError, Scope::None),
        Some(400..) => (Class::ClientError, Scope::Request),
        Some(_) => (Class::Ok, Scope::None),
    };
    Verdict {
        evidence: Evidence::Status,
        ..verdict(class, scope, None, class == Class::AuthFailed)
    }
}
