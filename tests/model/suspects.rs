//! What the naive pool takes for a fault of the provider, and not of its credentials.

use keyrota::{Class, EventKind, Lane, Scope, Verdict};

use crate::health::Subject;
use crate::judge::Attempt;
use crate::naive::Naive;

/// A computed failure that may be the provider's.
#[derive(Clone, Debug)]
pub struct Suspect {
    class: Class,
    id: String,
    subject: Subject,
    request: String,
    pub at: i64,
}

impl Naive {
    pub fn pause(&mut self, attempt: &Attempt, verdict: &Verdict, now: i64) {
        if let Some(rest) = self.strike(attempt, verdict, &Subject::Pause, Lane::Limit, now) {
            let paused = EventKind::Paused(rest);
            self.events.push((attempt.provider, attempt.id.clone(), paused));
            self.meet("a pause");
        }
    }

    /// Failures of several credentials, from several requests, are the provider's.
    pub fn suspect(
        &mut self,
        attempt: &Attempt,
        verdict: &Verdict,
        subject: &Subject,
        lane: Lane,
        now: i64,
    ) {
        let (provider, at, class) = (attempt.provider, self.inside, verdict.class);
        let Some(rollback) = self.config.provider.policy.rollback else { return };
        let is_suspect = matches!(lane, Lane::Overload | Lane::Auth)
            && verdict.wait_ms.is_none()
            && matches!(verdict.scope, Scope::Credential | Scope::Model);
        if !is_suspect {
            return;
        }
        let (id, request) = (attempt.id.clone(), attempt.request.clone());
        let suspects = &mut self.providers[provider].suspects;
        suspects.retain(|known| at - known.at <= rollback.within.0 as i64);
        let same = |known: &Suspect| known.class == class && known.id == attempt.id;
        suspects.retain(|known| !same(known) || known.request != request);
        if suspects.iter().filter(|known| same(known)).count() >= rollback.requests as usize {
            let oldest = suspects.iter().position(same).expect("there are some");
            suspects.remove(oldest);
        }
        suspects.push(Suspect { class, id, subject: subject.clone(), request, at });
        let those: Vec<_> = suspects.iter().filter(|known| known.class == class).cloned().collect();
        let different = |name: fn(&Suspect) -> &String| {
            let mut names: Vec<_> = those.iter().map(name).collect();
            names.sort();
            names.dedup();
            names.len()
        };
        if different(|known| &known.id) < rollback.credentials as usize
            || different(|known| &known.request) < rollback.requests as usize
        {
            return;
        }
        suspects.retain(|known| known.class != class);
        for known in &those {
            let slot = self.slot(provider, &known.subject, lane);
            *slot = slot.take().filter(|window| window.stated);
        }
        let ids: Vec<String> = those.into_iter().map(|known| known.id).collect();
        self.settle(provider, &ids, true);
        self.pause(attempt, verdict, now);
        self.meet("a rollback");
    }
}
