//! Why each credential is chosen or passed over. It looks, and changes nothing.
//!
//! The explanation is not a second opinion: it lets the provider's own choice run on a copy, so it
//! cannot disagree with what [`Pool::acquire`](crate::Pool::acquire) would do at that moment.

use crate::config::Policy;
use crate::credential::{Counters, Credential, Disabled};
use crate::error::{InvalidRow, Refusal};
use crate::provider::{Provider, Request};
use crate::rng::Rng;
use crate::types::{
    Class, CredentialIndex, Millis, Moment, Reason, Value, Wall, written_as_values,
};

/// What a request would get now, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The provider.
    pub provider: String,
    /// Whether its rows are loaded.
    pub loaded: bool,
    /// The credential that would serve.
    pub choice: Option<String>,
    /// How long until one could, in milliseconds, when none can and time is all that is needed.
    pub retry_after_ms: Option<Millis>,
    /// Every row: by priority, then in order; rows that break a rule come last.
    pub candidates: Vec<Candidate>,
}

/// One credential in an explanation.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The credential's id.
    pub id: String,
    /// Why it is chosen or passed over.
    pub reason: Reason,
    /// When it may serve again, on the caller's clock.
    pub until: Option<Wall>,
    /// The verdict that holds it.
    pub cause: Option<Class>,
    /// Whether the provider stated that time.
    pub stated: bool,
    /// The field that breaks a rule.
    pub field: Option<String>,
    /// The rule that it breaks.
    pub rule: Option<String>,
}

/// What is known of one credential.
#[derive(Clone, Debug, PartialEq)]
pub struct StatusRow {
    /// The credential's id.
    pub id: String,
    /// Its label.
    pub label: Option<String>,
    /// Its share of the traffic.
    pub weight: u8,
    /// Its priority.
    pub priority: i32,
    /// `available`, or why it is not.
    pub state: Reason,
    /// When it may serve again, on the caller's clock.
    pub until: Option<Wall>,
    /// The step of the ladder that it stands on.
    pub level: u32,
    /// The verdict that holds it.
    pub cause: Option<Class>,
    /// Leases in flight.
    pub in_flight: u32,
    /// How often it was picked, and how that ended.
    pub counters: Counters,
}

impl Explanation {
    /// What a request would get from a provider: from a copy, on which the choice is tried.
    pub(crate) fn of(
        mut copy: Provider,
        request: &Request<'_>,
        bound: Option<CredentialIndex>,
        mut rng: Rng,
        now: Moment,
    ) -> Self {
        let serving = copy.serving_tier(request);
        let chosen = copy.choose(request, bound, &mut rng, now.inside);
        let members = copy
            .tiers
            .iter()
            .enumerate()
            .flat_map(|(tier, known)| known.members.iter().map(move |&member| (tier, member)));
        let listed = members.filter_map(|(tier, member)| {
            let credential = copy.get(member).filter(|known| known.row.is_some())?;
            let standing = standing(credential, now);
            let reason = standing.filter(|held| *held != Reason::Cooling).unwrap_or_else(|| {
                // What time will not change comes first: its end would be no help to this request.
                if request.tried.contains(&member) {
                    Reason::AlreadyTried
                } else if !credential.serves(request.model) {
                    Reason::ModelNotExposed
                } else if let Some(cooling) = standing {
                    cooling
                } else if chosen == Ok(member) {
                    Reason::Chosen
                } else if serving.is_some_and(|serving| tier > serving) {
                    Reason::LowerPriority
                } else {
                    Reason::Available
                }
            });
            Some(Candidate::of(credential, reason, now))
        });
        Self {
            provider: copy.name.to_string(),
            loaded: copy.loaded,
            choice: chosen.ok().and_then(|index| Some(copy.get(index)?.id.to_string())),
            retry_after_ms: match chosen {
                Err(Refusal::NoneAvailable { retry_after }) => retry_after,
                Ok(_) | Err(Refusal::NotLoaded) => None,
            },
            candidates: listed.chain(copy.invalid.iter().map(Candidate::of_invalid)).collect(),
        }
    }

    /// What is known of a provider that was never mentioned.
    pub(crate) const fn of_nothing() -> Self {
        Self {
            provider: String::new(),
            loaded: false,
            choice: None,
            retry_after_ms: None,
            candidates: Vec::new(),
        }
    }
}

impl StatusRow {
    /// What is known of each credential of a provider, by priority, then in order.
    pub(crate) fn of_all(provider: &Provider, now: Moment) -> Vec<Self> {
        let members = provider.tiers.iter().flat_map(|tier| &tier.members);
        let known = members.filter_map(|&member| provider.get(member));
        known.filter_map(|credential| Self::of(credential, &provider.config.policy, now)).collect()
    }

    fn of(credential: &Credential, policy: &Policy, now: Moment) -> Option<Self> {
        let row = credential.row.as_ref()?;
        let state = standing(credential, now).unwrap_or(Reason::Available);
        let Candidate { id, until, cause, .. } = Candidate::of(credential, state, now);
        Some(Self {
            id,
            label: row.label.as_deref().map(str::to_owned),
            weight: row.weight.into(),
            priority: row.priority,
            state,
            until,
            level: credential.level(policy, now.inside),
            cause,
            in_flight: credential.in_flight,
            counters: credential.counters,
        })
    }
}

/// Why the credential cannot serve anyone now, if so.
fn standing(credential: &Credential, now: Moment) -> Option<Reason> {
    let row = credential.row.as_ref()?;
    if credential.disabled != Disabled::No {
        Some(Reason::DisabledByVerdict)
    } else if !row.enabled {
        Some(Reason::DisabledByHand)
    } else if row.secret_unresolved {
        Some(Reason::SecretUnresolved)
    } else if credential.deadline() > now.inside {
        Some(Reason::Cooling)
    } else {
        None
    }
}

impl Candidate {
    fn of(credential: &Credential, reason: Reason, now: Moment) -> Self {
        let blank = Self {
            id: credential.id.to_string(),
            reason,
            until: None,
            cause: None,
            stated: false,
            field: None,
            rule: None,
        };
        match (reason, credential.disabled) {
            (
                Reason::DisabledByVerdict,
                Disabled::Unconfirmed { why } | Disabled::Confirmed { why },
            ) => Self { cause: Some(why), ..blank },
            (Reason::Cooling, _) => {
                let lane = credential.longest();
                Self {
                    until: Some(now.wall_of(lane.deadline())),
                    cause: lane.record().cause,
                    stated: lane.record().stated,
                    ..blank
                }
            }
            _ => blank,
        }
    }

    fn of_invalid(row: &InvalidRow) -> Self {
        Self {
            id: row.id.clone(),
            reason: Reason::InvalidCredential,
            until: None,
            cause: None,
            stated: false,
            field: Some(row.field.clone()),
            rule: Some(row.rule.clone()),
        }
    }
}

impl From<&Explanation> for Value {
    fn from(explanation: &Explanation) -> Self {
        Self::object()
            .with("provider", explanation.provider.as_str())
            .with("loaded", explanation.loaded)
            .with("choice", explanation.choice.as_deref())
            .with("retryAfterMs", explanation.retry_after_ms)
            .with("candidates", Self::list(&explanation.candidates))
    }
}

impl From<&Candidate> for Value {
    fn from(candidate: &Candidate) -> Self {
        Self::object()
            .with("id", candidate.id.as_str())
            .with("reason", candidate.reason)
            .with("until", candidate.until)
            .with("cause", candidate.cause)
            .with("stated", candidate.stated)
            .with("field", candidate.field.as_deref())
            .with("rule", candidate.rule.as_deref())
    }
}

impl From<&StatusRow> for Value {
    fn from(row: &StatusRow) -> Self {
        Self::object()
            .with("id", row.id.as_str())
            .with("label", row.label.as_deref())
            .with("weight", u32::from(row.weight))
            .with("priority", row.priority)
            .with("state", row.state)
            .with("until", row.until)
            .with("level", row.level)
            .with("cause", row.cause)
            .with("inFlight", row.in_flight)
            .with("picks", row.counters.picks)
            .with("successes", row.counters.successes)
            .with("failures", row.counters.failures)
            .with("lastUsedAt", row.counters.last_used_at)
    }
}

written_as_values!(Explanation, Candidate, StatusRow);
