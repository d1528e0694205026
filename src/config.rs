//! The settings of a pool, and the two policies, which are nothing but settings.

use crate::cooldown::{Ladder, Probing, Terms};
use crate::select::Strategy;
use crate::types::{ErrorRule, Lane, Millis};

pub use crate::affinity::AffinityConfig;
pub use crate::blacklist::Blacklist;
pub use crate::classify::PolicyName;

/// How one provider's credentials are chosen and judged.
#[derive(Clone, Debug, PartialEq)]
pub struct ProviderConfig {
    /// What outcomes mean and what they do.
    pub policy: Policy,
    /// How a credential is chosen.
    pub strategy: Strategy,
    /// Whose rules read its outcomes; `None`: those of the provider's own name.
    pub dialect: Option<Box<str>>,
    /// The user's own rules, which come before those of the dialect.
    pub rules: Vec<ErrorRule>,
    /// Whether the credential that recovers first serves when nobody else can.
    pub fail_open: bool,
    /// How many leases of all its credentials may be in flight at once; `None`, the default: any number.
    pub max_concurrent: Option<u32>,
    /// When a credential is taken for dead without a proof; `None`, the default: never.
    pub blacklist: Option<Blacklist>,
}

impl ProviderConfig {
    /// The settings under a policy, everything else by default.
    #[must_use]
    pub fn of(policy: Policy) -> Self {
        Self {
            policy,
            strategy: Strategy::default(),
            dialect: None,
            rules: Vec::new(),
            fail_open: false,
            max_concurrent: None,
            blacklist: None,
        }
    }
}

/// The settings of a pool.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// The settings of every provider that has none of its own.
    pub provider: ProviderConfig,
    /// How sessions stay on their credentials.
    pub affinity: AffinityConfig,
    /// How many responses are remembered that requests may continue; the one unused for longest leaves
    /// first. Default 10,000, never by time.
    pub responses: AffinityConfig,
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
            provider: ProviderConfig::of(policy),
            affinity: AffinityConfig::default(),
            responses: AffinityConfig::default(),
            lease_ttl: Millis::from_secs(600),
            sweep_every: Millis::from_secs(30),
        }
    }
}

/// What outcomes mean and what they do. The two policies differ in this data, never in code paths.
///
/// | verdict | scope | effect |
/// |---|---|---|
/// | `rate_limited`, `quota_exhausted` | credential, model, account | the stated wait, else [`limit`](Self::limit) |
/// | `auth_failed`, not proven | credential, account | the stated wait, else [`limit`](Self::limit) |
/// | `overloaded`, `server_error` | credential, model | the stated wait, else [`overload`](Self::overload), jittered |
/// | `model_denied` | model | [`denied`](Self::denied) |
/// | any | provider, egress | nobody is blamed; the provider pauses: the stated wait, else [`pause`](Self::pause), jittered |
/// | any that is proven | credential, account | disabled |
/// | all others | | passed over for this request, or nothing |
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    /// Which table of verdicts reads the outcome.
    pub name: PolicyName,
    /// The ladder of rate limits, quotas and unconfirmed refusals.
    pub limit: Ladder,
    /// The ladder of overload and server errors.
    pub overload: Ladder,
    /// The ladder of a model that a credential may not use.
    pub denied: Ladder,
    /// The ladder of a provider that fails for everyone.
    pub pause: Ladder,
    /// By how much of itself a computed wait of a busy server is lengthened at most. Default 0.1.
    pub jitter: f64,
    /// The longest computed wait of overload and server errors while there is but one credential.
    pub alone: Option<Millis>,
    /// When a probe is let through.
    pub probing: Option<Probing>,
    /// When failures of several credentials are the provider's.
    pub rollback: Option<Rollback>,
    /// How long after a session's last use of its home it still waits for it: the life of the
    /// provider's prompt cache. `None`: a session moves for good.
    pub home: Option<Millis>,
}

/// When failures of several credentials are the provider's: as many get the same verdict, without a
/// stated wait, with no success between.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Rollback {
    /// From how many credentials. Default 3.
    pub credentials: u32,
    /// From how many requests: one that fails everywhere may be to blame itself. Default 2.
    pub requests: u32,
    /// Within how long. Default 5 s.
    pub within: Millis,
}

impl Default for Rollback {
    fn default() -> Self {
        Self { credentials: 3, requests: 2, within: Millis::from_secs(5) }
    }
}

impl Policy {
    /// The documented service to the letter: 401 and 403 disable; 429 and 529 cool for 60, 120, 240,
    /// 480, then 900 s; nothing else does anything.
    #[must_use]
    pub fn classic() -> Self {
        let ladder = Ladder::default();
        Self {
            name: PolicyName::Classic,
            limit: ladder,
            overload: ladder,
            denied: ladder,
            pause: ladder,
            jitter: 0.0,
            alone: None,
            probing: None,
            rollback: None,
            home: None,
        }
    }

    /// Stated waits are kept, a busy server costs seconds, and a status alone proves no key dead.
    #[must_use]
    pub fn adaptive() -> Self {
        let steps = |base: u64, cap: u64| Ladder {
            base: Millis(base),
            cap: Millis(cap),
            ..Ladder::default()
        };
        Self {
            name: PolicyName::Adaptive,
            overload: steps(2_000, 60_000),
            denied: steps(900_000, 900_000),
            pause: steps(250, 2_000),
            jitter: 0.1,
            alone: Some(Millis::from_secs(2)),
            probing: Some(Probing::default()),
            rollback: Some(Rollback::default()),
            home: Some(Millis::from_secs(300)),
            ..Self::classic()
        }
    }

    /// The terms on which a lane rests; `alone`: of the only credential there is.
    #[must_use]
    pub const fn terms(&self, lane: Lane, alone: bool) -> Terms<'_> {
        let (ladder, shortened) = match lane {
            Lane::Overload => (&self.overload, if alone { self.alone } else { None }),
            Lane::Limit | Lane::Auth => (&self.limit, None),
            Lane::Denied => (&self.denied, None),
        };
        Terms { ladder, shortened, probing: self.probing, probed_from: 2 }
    }

    /// The terms on which a provider pauses: a short pause ends for everyone at once, a long stated
    /// one is probed.
    #[must_use]
    pub const fn pause_terms(&self) -> Terms<'_> {
        let probed_from = u32::MAX;
        Terms { ladder: &self.pause, shortened: None, probing: self.probing, probed_from }
    }
}
