//! Why each credential is chosen or passed over. It looks, and changes nothing.
//!
//! The explanation is not a second opinion: it lets the provider's own choice run on a copy, so it
//! cannot disagree with what [`Pool::acquire`](crate::Pool::acquire) would do at that moment.

mod route;

use crate::credential::{Counters, Credential, Disabled};
use crate::error::{InvalidRow, Refusal};
use crate::health::Held;
use crate::provider::{Ask, Provider, Request};
use crate::rng::Rng;
use crate::types::{
    Class, CredentialIndex, DisabledBy, Millis, Moment, Reason, Scope, Source, Value, Wall,
    written_as_values,
};

pub use route::{GroupInspection, Inspection};

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
    /// Whether somebody could serve now, were it not for a cap on what is in flight.
    pub at_capacity: bool,
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
    /// Who disabled it, of one that is.
    pub by: Option<DisabledBy>,
    /// When it may serve again, on the caller's clock.
    pub until: Option<Wall>,
    /// The verdict that holds it.
    pub cause: Option<Class>,
    /// Whether the provider stated that time.
    pub stated: bool,
    /// What the verdict was about: the credential, its account, one model, or the provider.
    pub scope: Option<Scope>,
    /// The model, when it was about one.
    pub model: Option<String>,
    /// What the verdict rests on, and where the time was read.
    pub source: Source,
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
    /// Who disabled it, of one that is.
    pub by: Option<DisabledBy>,
    /// When it may serve again, on the caller's clock.
    pub until: Option<Wall>,
    /// The step of the ladder that it stands on.
    pub level: u32,
    /// The verdict that holds it.
    pub cause: Option<Class>,
    /// The models that it may not be asked for now.
    pub models: Vec<ModelRest>,
    /// Leases in flight.
    pub in_flight: u32,
    /// How often it was picked, and how that ended.
    pub counters: Counters,
}

/// The rest of one credential for one model.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelRest {
    /// The model.
    pub model: String,
    /// When it may be asked for again, on the caller's clock.
    pub until: Wall,
    /// The step of the ladder that it stands on.
    pub level: u32,
    /// The verdict that holds it.
    pub cause: Option<Class>,
}

impl Explanation {
    /// What a request would get from a provider: from a copy, on which the choice is tried.
    pub(crate) fn of(
        mut copy: Provider,
        ask: &Ask<'_>,
        preferred: [Option<CredentialIndex>; 2],
        mut rng: Rng,
        now: Moment,
    ) -> Self {
        let serving = copy.serving_tier(ask);
        let chosen = copy.choose(ask, preferred, &mut rng);
        let choice = chosen.map(|choice| choice.credential);
        let listed = Candidate::of_all(&copy, ask, choice.ok(), serving, now);
        let (retry_after_ms, at_capacity) = match chosen {
            Err(Refusal::NoneAvailable { retry_after, at_capacity }) => (retry_after, at_capacity),
            Ok(_) | Err(Refusal::NotLoaded) => (None, false),
        };
        Self {
            provider: copy.name.to_string(),
            loaded: copy.loaded,
            choice: choice.ok().and_then(|index| Some(copy.get(index)?.id.to_string())),
            retry_after_ms,
            at_capacity,
            candidates: listed,
        }
    }

    /// What is known of a provider that was never mentioned.
    pub(crate) const fn of_nothing() -> Self {
        Self {
            provider: String::new(),
            loaded: false,
            choice: None,
            retry_after_ms: None,
            at_capacity: false,
            candidates: Vec::new(),
        }
    }
}

impl StatusRow {
    /// What is known of each credential of a provider, by priority, then in order.
    pub(crate) fn of_all(provider: &Provider, now: Moment) -> Vec<Self> {
        let members = provider.tiers.iter().flat_map(|tier| &tier.members);
        members.filter_map(|&member| Self::of(provider, member, now)).collect()
    }

    fn of(provider: &Provider, index: CredentialIndex, now: Moment) -> Option<Self> {
        let credential = provider.get(index)?;
        let row = credential.row.as_ref()?;
        let held = provider.held_for(index, 0, now.inside);
        let ask = Ask::new(&Request::default(), None, None, now.inside);
        let crowded = || provider.is_crowded(index, &ask).then_some(Reason::AtCapacity);
        let state = off(credential).or_else(crowded).or_else(|| held.as_ref().map(why_held));
        let state = state.unwrap_or(Reason::Available);
        let policy = &provider.config.policy;
        let own = credential.subject.whole.level(policy, now.inside);
        let group = provider.health_of(index, Scope::Account, None);
        let models = credential.subject.models.iter().filter_map(|known| {
            let held = provider.model_held(index, known.hash, now.inside)?;
            Some(ModelRest {
                model: known.name.to_string(),
                until: now.wall_of(held.hold.end),
                level: known.health.level(policy, now.inside),
                cause: held.lane.record().cause,
            })
        });
        let Candidate { id, until, cause, by, .. } = Candidate::of(credential, state, held, now);
        Some(Self {
            id,
            label: row.label.as_deref().map(str::to_owned),
            weight: row.weight.into(),
            priority: row.priority,
            state,
            by,
            until,
            level: own.max(group.map_or(0, |health| health.level(policy, now.inside))),
            cause,
            models: models.collect(),
            in_flight: credential.in_flight,
            counters: credential.counters,
        })
    }
}

/// Why the credential serves nobody, whatever the time is.
fn off(credential: &Credential) -> Option<Reason> {
    let row = credential.row.as_ref()?;
    if credential.disabled != Disabled::No || !row.enabled {
        Some(Reason::CredentialDisabled)
    } else if row.secret_unresolved {
        Some(Reason::SecretUnresolved)
    } else if !row.kind.is_authorized() {
        Some(Reason::AuthUnavailable)
    } else if credential.strikes.listed().is_some() {
        Some(Reason::Blacklisted)
    } else {
        None
    }
}

/// Why time keeps it from the request.
fn why_held(held: &Held<'_>) -> Reason {
    if held.hold.probing {
        Reason::ProbePending
    } else if held.scope == Scope::Provider {
        Reason::ProviderPaused
    } else if held.lane.record().cause == Some(Class::QuotaExhausted) {
        Reason::QuotaExhausted
    } else if held.scope == Scope::Model {
        Reason::ModelCooling
    } else {
        Reason::Cooling
    }
}

impl Candidate {
    /// Why each row of a provider is chosen or passed over, when that tier serves and that is the choice.
    pub(crate) fn of_all(
        provider: &Provider,
        ask: &Ask<'_>,
        choice: Option<CredentialIndex>,
        serving: Option<usize>,
        now: Moment,
    ) -> Vec<Self> {
        let members = provider
            .tiers
            .iter()
            .enumerate()
            .flat_map(|(tier, known)| known.members.iter().map(move |&member| (tier, member)));
        let listed = members.filter_map(|(tier, member)| {
            let credential = provider.get(member).filter(|known| known.row.is_some())?;
            let held = provider.held_for(member, ask.model_hash, now.inside);
            // What time will not change comes first: its end would be no help to this request.
            let reason = off(credential).unwrap_or_else(|| {
                if ask.tried.contains(&member) {
                    Reason::AlreadyTried
                } else if !credential.serves(ask.model) {
                    Reason::ModelNotExposed
                } else if provider.is_above(member, ask) {
                    Reason::HigherPriority
                } else if !provider.fits(member, ask) {
                    Reason::BoundElsewhere
                } else if choice == Some(member) {
                    Reason::Chosen
                } else if provider.is_crowded(member, ask) {
                    Reason::AtCapacity
                } else if let Some(held) = held {
                    why_held(&held)
                } else if serving.is_some_and(|serving| tier > serving) {
                    Reason::LowerPriority
                } else if serving.is_some_and(|serving| tier < serving) {
                    Reason::HigherPriority
                } else {
                    Reason::Available
                }
            });
            Some(Candidate::of(credential, reason, held, now))
        });
        listed.chain(provider.invalid.iter().map(Self::of_invalid)).collect()
    }

    fn of(credential: &Credential, reason: Reason, held: Option<Held<'_>>, now: Moment) -> Self {
        let blank = Self {
            id: credential.id.to_string(),
            reason,
            by: None,
            until: None,
            cause: None,
            stated: false,
            scope: None,
            model: None,
            source: Source::default(),
            field: None,
            rule: None,
        };
        match (reason, credential.disabled, held) {
            (
                Reason::CredentialDisabled,
                Disabled::Unconfirmed { why } | Disabled::Confirmed { why },
                _,
            ) => Self { by: Some(DisabledBy::Verdict), cause: Some(why), ..blank },
            (Reason::CredentialDisabled, Disabled::No, _) => {
                Self { by: Some(DisabledBy::Hand), ..blank }
            }
            (Reason::Blacklisted, ..) => {
                Self { cause: credential.strikes.listed().map(|listed| listed.cause), ..blank }
            }
            (
                Reason::Cooling
                | Reason::ModelCooling
                | Reason::QuotaExhausted
                | Reason::ProbePending
                | Reason::ProviderPaused,
                _,
                Some(held),
            ) => Self {
                until: Some(now.wall_of(held.hold.end)),
                cause: held.lane.record().cause,
                stated: held.lane.record().stated,
                scope: Some(held.scope),
                model: held.model.map(str::to_owned),
                source: held.lane.source().clone(),
                ..blank
            },
            _ => blank,
        }
    }

    fn of_invalid(row: &InvalidRow) -> Self {
        Self {
            id: row.id.clone(),
            reason: Reason::InvalidCredential,
            by: None,
            until: None,
            cause: None,
            stated: false,
            scope: None,
            model: None,
            source: Source::default(),
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
            .with("atCapacity", explanation.at_capacity)
            .with("candidates", Self::list(&explanation.candidates))
    }
}

impl From<&Candidate> for Value {
    fn from(candidate: &Candidate) -> Self {
        Self::object()
            .with("id", candidate.id.as_str())
            .with("reason", candidate.reason)
            .with("by", candidate.by)
            .with("until", candidate.until)
            .with("cause", candidate.cause)
            .with("stated", candidate.stated)
            .with("scope", candidate.scope)
            .with("model", candidate.model.as_deref())
            .with("evidence", candidate.source.evidence)
            .with("waitFrom", candidate.source.wait_from.as_deref())
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
            .with("by", row.by)
            .with("until", row.until)
            .with("level", row.level)
            .with("cause", row.cause)
            .with("models", Self::list(&row.models))
            .with("inFlight", row.in_flight)
            .with("picks", row.counters.picks)
            .with("successes", row.counters.successes)
            .with("failures", row.counters.failures)
            .with("lastUsedAt", row.counters.last_used_at)
    }
}

impl From<&ModelRest> for Value {
    fn from(rest: &ModelRest) -> Self {
        Self::object()
            .with("model", rest.model.as_str())
            .with("until", rest.until)
            .with("level", rest.level)
            .with("cause", rest.cause)
    }
}

written_as_values!(Explanation, Candidate, StatusRow);
