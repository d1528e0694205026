//! The settings of a pool, and the two policies, which are nothing but settings.

use crate::cooldown::Ladder;
use crate::select::Strategy;
use crate::types::{Lane, Millis};

pub use crate::affinity::AffinityConfig;
pub use crate::classify::PolicyName;

/// How one provider's credentials are chosen and judged.
#[derive(Clone, Debug, PartialEq)]
pub struct ProviderConfig {
    /// What outcomes mean and what they do.
    pub policy: Policy,
    /// How a credential is chosen.
    pub strategy: Strategy,
}

/// The settings of a pool.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// The settings of every provider that has none of its own.
    pub provider: ProviderConfig,
    /// How sessions stay on their credentials.
    pub affinity: AffinityConfig,
    /// How long a lease that is never reported counts as in flight. Default 10 min.
    pub lease_ttl: Millis,
    /// How often the pool drops what is forgotten and repeats failed writes. Default 30 s.
    pub sweep_every: Millis,
}

impl Config {
    /// The settings of a pool under a policy, everything else by default.
    #[must_use]
    pub fn of(policy: Policy) -> Self {
        Self {
            provider: ProviderConfig { policy, strategy: Strategy::default() },
            affinity: AffinityConfig::default(),
            lease_ttl: Millis::from_secs(600),
            sweep_every: Millis::from_secs(30),
        }
    }
}

/// What outcomes mean and what they do. The two policies differ in this data, never in code paths.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    /// Which table of verdicts reads the outcome.
    pub name: PolicyName,
    /// The ladder of rate limits, quotas and unconfirmed refusals.
    pub limit: Ladder,
    /// The ladder of overload and server errors.
    pub overload: Ladder,
}

impl Policy {
    /// The documented service to the letter: 401 and 403 disable; 429 and 529 cool for 60, 120, 240,
    /// 480, then 900 s; nothing else does anything.
    #[must_use]
    pub fn classic() -> Self {
        Self { name: PolicyName::Classic, limit: Ladder::default(), overload: Ladder::default() }
    }

    /// Stated waits are kept, a busy server costs seconds, and a status alone proves no key dead.
    #[must_use]
    pub fn adaptive() -> Self {
        let overload =
            Ladder { base: Millis::from_secs(2), cap: Millis::from_secs(60), ..Ladder::default() };
        Self { name: PolicyName::Adaptive, limit: Ladder::default(), overload }
    }

    /// The ladder of a lane.
    #[must_use]
    pub const fn ladder(&self, lane: Lane) -> &Ladder {
        match lane {
            Lane::Overload => &self.overload,
            Lane::Limit | Lane::Auth | Lane::Denied => &self.limit,
        }
    }
}
