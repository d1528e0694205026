//! What the naive pool would say of itself.

use keyrota::{Counters, Reason, StatusRow, Wall};

use crate::credential::Credential;
use crate::naive::{Ask, Naive};

/// One credential in an explanation: its id, why, and until when.
pub type Candidate = (String, Reason, Option<Wall>);

impl Naive {
    /// What is known of each credential when the caller's clock shows `now`.
    pub fn status(&self, provider: usize, now: i64) -> Vec<StatusRow> {
        let inside = self.peek(now);
        let known = &self.providers[provider];
        let seated = known.tiers.values().rev().flat_map(|turns| turns.ids());
        let rows = seated.map(|id| {
            let credential = &known.credentials[id];
            let row = credential.row.as_ref().expect("it is seated");
            let state = standing(credential, inside).unwrap_or(Reason::Available);
            let held = credential.longest().filter(|_| state == Reason::Cooling);
            let leases = self.leases.iter().filter(|lease| {
                (lease.provider, &lease.id) == (provider, id)
                    && lease.began + self.config.lease_ttl.0 as i64 > inside
            });
            StatusRow {
                id: id.clone(),
                label: None,
                weight: row.weight.into(),
                priority: row.priority,
                state,
                until: held.map(|window| Wall(now + window.until - inside)),
                level: credential.level(&self.config, inside),
                cause: match state {
                    Reason::DisabledByVerdict => credential.off.map(|(why, _)| why),
                    _ => held.map(|window| window.cause),
                },
                in_flight: leases.count() as u32,
                counters: Counters {
                    picks: credential.picks,
                    successes: credential.successes,
                    failures: credential.failures,
                    last_used_at: credential.last_used.map(Wall),
                },
            }
        });
        rows.collect()
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
            let credential = &known.credentials[id];
            let standing = standing(credential, inside);
            let reason = standing.filter(|held| *held != Reason::Cooling).unwrap_or_else(|| {
                if ask.tried.contains(id) {
                    Reason::AlreadyTried
                } else if !credential.serves(ask.model) {
                    Reason::ModelNotExposed
                } else if let Some(cooling) = standing {
                    cooling
                } else if chosen == Some(id) {
                    Reason::Chosen
                } else if serving.is_some_and(|serving| priority < serving) {
                    Reason::LowerPriority
                } else {
                    Reason::Available
                }
            });
            let held = credential.longest().filter(|_| reason == Reason::Cooling);
            (id.clone(), reason, held.map(|window| Wall(now + window.until - inside)))
        });
        candidates.collect()
    }
}

/// Why the credential can serve nobody, if so.
fn standing(credential: &Credential, now: i64) -> Option<Reason> {
    let row = credential.row.as_ref().expect("it is seated");
    if credential.off.is_some() {
        Some(Reason::DisabledByVerdict)
    } else if !row.enabled {
        Some(Reason::DisabledByHand)
    } else if row.secret_unresolved {
        Some(Reason::SecretUnresolved)
    } else {
        credential.rests(now).then_some(Reason::Cooling)
    }
}
