//! What the naive pool would say of itself.

use keyrota::{Class, Counters, DisabledBy, ModelRest, Reason, Scope, Source, StatusRow, Wall};

use crate::health::{Held, Subject, longest};
use crate::naive::{Ask, Naive};

/// One credential in an explanation.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    pub id: String,
    pub reason: Reason,
    pub by: Option<DisabledBy>,
    pub until: Option<Wall>,
    pub cause: Option<Class>,
    pub stated: bool,
    pub scope: Option<Scope>,
    pub model: Option<String>,
    pub source: Source,
}

impl From<&keyrota::Candidate> for Candidate {
    fn from(told: &keyrota::Candidate) -> Self {
        Self {
            id: told.id.clone(),
            reason: told.reason,
            by: told.by,
            until: told.until,
            cause: told.cause,
            stated: told.stated,
            scope: told.scope,
            model: told.model.clone(),
            source: told.source.clone(),
        }
    }
}

impl Naive {
    /// What is known of each credential when the caller's clock shows `now`.
    pub fn status(&self, provider: usize, now: i64) -> Vec<StatusRow> {
        let known = &self.providers[provider];
        let seated = known.tiers.values().rev().flat_map(|turns| turns.ids());
        seated.map(|id| self.status_of(provider, id, now)).collect()
    }

    fn status_of(&self, provider: usize, id: &str, now: i64) -> StatusRow {
        let inside = self.peek(now);
        let wall = |moment: i64| Wall(now + moment - inside);
        let credential = &self.providers[provider].credentials[id];
        let row = credential.row.as_ref().expect("it is seated");
        let off = self.off(provider, id);
        let crowded = off.is_none() && self.is_crowded(provider, id, None, inside);
        let held = self.held_or_paused(provider, id, None, inside);
        let held = held.filter(|_| off.is_none() && !crowded);
        let leases = self.leases.iter().filter(|lease| {
            (lease.provider, &*lease.id) == (provider, id)
                && lease.began + self.config.lease_ttl.0 as i64 > inside
        });
        let models = credential.models.keys().filter_map(|model| {
            let subject = Subject::Model(id.to_owned(), model.clone());
            let held = longest(self.holds(provider, std::slice::from_ref(&subject), inside))?;
            Some(ModelRest {
                model: model.clone(),
                until: wall(held.hold.end),
                level: self.level(provider, &subject, inside),
                cause: Some(held.window.cause),
            })
        });
        let own = self.subjects(provider, id, None);
        let levels = own.iter().map(|own| self.level(provider, own, inside));
        StatusRow {
            id: id.to_owned(),
            label: None,
            weight: row.weight.into(),
            priority: row.priority,
            state: off
                .map(|(off, _)| off)
                .or(crowded.then_some(Reason::AtCapacity))
                .or(held.as_ref().map(why_held))
                .unwrap_or(Reason::Available),
            by: off.and_then(|(_, by)| by),
            until: held.as_ref().map(|held| wall(held.hold.end)),
            level: levels.max().unwrap_or(0),
            cause: match off {
                Some((Reason::CredentialDisabled, _)) => credential.off.map(|(why, _)| why),
                _ => held.map(|held| held.window.cause),
            },
            models: models.collect(),
            in_flight: leases.count() as u32,
            counters: Counters {
                picks: credential.picks,
                successes: credential.successes,
                failures: credential.failures,
                last_used_at: credential.last_used.map(Wall),
            },
        }
    }

    /// Every credential with the reason why it is chosen or passed over.
    pub fn candidates(
        &self,
        provider: usize,
        ask: &Ask,
        chosen: Option<&str>,
        now: i64,
    ) -> Vec<Candidate> {
        let inside = self.peek(now);
        let known = &self.providers[provider];
        let serving = self.eligible(provider, ask, inside).map(|(priority, _)| priority);
        let seated = known.tiers.iter().rev();
        let seated =
            seated.flat_map(|(&priority, turns)| turns.ids().map(move |id| (priority, id)));
        let candidates = seated.map(|(priority, id)| {
            let held = self.held_or_paused(provider, id, ask.model, inside);
            let credential = &known.credentials[id];
            let only = self.only(provider, ask);
            let off = self.off(provider, id);
            let (reason, held) = if let Some((off, _)) = off {
                (off, None)
            } else if ask.tried.contains(id) {
                (Reason::AlreadyTried, None)
            } else if !credential.serves(ask.model) {
                (Reason::ModelNotExposed, None)
            } else if self.is_above(provider, id, ask) {
                (Reason::HigherPriority, None)
            } else if only.is_some_and(|only| only != *id) {
                (Reason::BoundElsewhere, None)
            } else if chosen == Some(id) {
                (Reason::Chosen, None)
            } else if self.is_crowded(provider, id, ask.model, inside) {
                (Reason::AtCapacity, None)
            } else if let Some(held) = held {
                (why_held(&held), Some(held))
            } else if serving.is_some_and(|serving| priority < serving) {
                (Reason::LowerPriority, None)
            } else if serving.is_some_and(|serving| priority > serving) {
                (Reason::HigherPriority, None)
            } else {
                (Reason::Available, None)
            };
            let by = off.and_then(|(_, by)| by);
            let off = credential.off.filter(|_| by.is_some());
            Candidate {
                id: id.clone(),
                reason,
                by,
                until: held.as_ref().map(|held| Wall(now + held.hold.end - inside)),
                cause: held.as_ref().map(|held| held.window.cause).or(off.map(|(why, _)| why)),
                stated: held.as_ref().is_some_and(|held| held.window.stated),
                scope: held.as_ref().map(Held::scope),
                model: held.as_ref().and_then(Held::model),
                source: held.map_or_else(Source::default, |held| held.window.source),
            }
        });
        candidates.collect()
    }

    /// Why the credential serves nobody, whatever the time is.
    fn off(&self, provider: usize, id: &str) -> Option<(Reason, Option<DisabledBy>)> {
        let credential = &self.providers[provider].credentials[id];
        let row = credential.row.as_ref().expect("it is seated");
        if credential.off.is_some() {
            Some((Reason::CredentialDisabled, Some(DisabledBy::Verdict)))
        } else if !row.enabled {
            Some((Reason::CredentialDisabled, Some(DisabledBy::Hand)))
        } else {
            row.secret_unresolved.then_some((Reason::SecretUnresolved, None))
        }
    }

    /// What keeps it out for longest, the provider's pause among them.
    fn held_or_paused(
        &self,
        provider: usize,
        id: &str,
        model: Option<&str>,
        now: i64,
    ) -> Option<Held> {
        let mut subjects = self.subjects(provider, id, model);
        subjects.push(Subject::Pause);
        longest(self.holds(provider, &subjects, now))
    }
}

/// Why time keeps it from the request.
fn why_held(held: &Held) -> Reason {
    if held.hold.probing {
        Reason::ProbePending
    } else if held.subject == Subject::Pause {
        Reason::ProviderPaused
    } else if held.window.cause == Class::QuotaExhausted {
        Reason::QuotaExhausted
    } else if matches!(held.subject, Subject::Model(..)) {
        Reason::ModelCooling
    } else {
        Reason::Cooling
    }
}
