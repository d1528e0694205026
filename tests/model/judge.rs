//! What the naive pool does when an attempt ends, and when a person steps in.

use keyrota::{Class, EventKind, Outcome, Wall};

use crate::credential::Judged;
use crate::naive::{Lease, Naive};

impl Naive {
    /// Ends a lease with an outcome; answers the class of the verdict.
    pub fn report(&mut self, number: u64, outcome: &Outcome<'_>, now: i64) -> Option<Class> {
        self.begin(now);
        let Lease { provider, id, epoch, began, .. } = self.end(number)?;
        let judged = Judged::of(self.config.provider.policy.name, outcome);
        if self.credential(provider, &id).epoch == epoch {
            self.apply(provider, &id, began, &judged, now);
        }
        Some(judged.class)
    }

    /// Ends a lease with a success that has nothing to clear; answers whether it could.
    pub fn report_untroubled(&mut self, number: u64) -> bool {
        let Some(lease) = self.leases.iter().find(|lease| lease.number == number).cloned() else {
            return true;
        };
        let credential = self.credential(lease.provider, &lease.id);
        if credential.off.is_some() || credential.lanes.iter().any(Option::is_some) {
            return false;
        }
        credential.successes += u64::from(credential.epoch == lease.epoch);
        self.end(number);
        true
    }

    pub fn report_session(
        &mut self,
        provider: usize,
        session: u64,
        outcome: &Outcome<'_>,
        now: i64,
    ) -> Option<Class> {
        self.begin(now);
        let binding = self.binding(provider, session)?.clone();
        let judged = Judged::of(self.config.provider.policy.name, outcome);
        if judged.lane.is_none() && !judged.disable {
            return None; // it says nothing about a credential
        }
        self.apply(provider, &binding.id, binding.used, &judged, now);
        Some(judged.class)
    }

    pub fn succeed_session(&mut self, session: u64, now: i64) {
        self.begin(now);
        let mut newest_first = self.sessions.iter().rev();
        let binding = newest_first.find(|known| {
            known.session == session && self.binding(known.provider, session).is_some()
        });
        if let Some(binding) = binding.cloned() {
            self.succeed(binding.provider, &binding.id, binding.used);
        }
    }

    pub fn end(&mut self, number: u64) -> Option<Lease> {
        let at = self.leases.iter().position(|lease| lease.number == number)?;
        Some(self.leases.remove(at))
    }

    fn apply(&mut self, provider: usize, id: &str, began: i64, judged: &Judged, now: i64) {
        self.wake(provider);
        let inside = self.inside;
        if judged.is_success() {
            self.succeed(provider, id, began);
        }
        if !judged.is_failure() {
            return;
        }
        let config = self.config.clone();
        let credential = self.credential(provider, id);
        credential.failures += 1;
        if judged.disable {
            if credential.off.replace((judged.class, false)).is_none() {
                let disabled = EventKind::Disabled { class: judged.class };
                self.events.push((provider, id.to_owned(), disabled));
            }
            self.request((provider, id.to_owned(), judged.class));
        } else if credential.fail(judged, &config, began, inside) {
            let lane = judged.lane.expect("it has just failed") as usize;
            let window = credential.lanes[lane].expect("it has just failed");
            let cooldown = EventKind::Cooldown {
                class: judged.class,
                level: window.level,
                until: Wall(now + window.until - inside),
                stated: window.stated,
            };
            self.events.push((provider, id.to_owned(), cooldown));
        }
        self.settle(provider, id);
    }

    fn succeed(&mut self, provider: usize, id: &str, began: i64) {
        let credential = self.credential(provider, id);
        credential.successes += 1;
        if credential.succeed(began) {
            self.settle_and_tell(provider, id);
        }
    }

    pub fn reset(&mut self, provider: usize, id: &str, now: i64) {
        self.begin(now);
        self.credential(provider, id).lanes = [None; 4];
        self.settle_and_tell(provider, id);
    }

    pub fn enable(&mut self, provider: usize, id: &str, now: i64) {
        self.begin(now);
        let credential = self.credential(provider, id);
        let by_hand = credential.row.as_ref().is_some_and(|row| !row.enabled);
        if by_hand || credential.off.is_some() {
            if let Some(row) = &mut credential.row {
                row.enabled = true;
            }
            credential.revive();
            self.settle(provider, id);
            self.events.push((provider, id.to_owned(), EventKind::Enabled));
        } else {
            self.reset(provider, id, now);
        }
    }

    pub fn confirm(&mut self, provider: usize, id: &str) {
        if let Some((_, confirmed)) = &mut self.credential(provider, id).off {
            *confirmed = true;
        }
    }

    fn settle_and_tell(&mut self, provider: usize, id: &str) {
        if self.settle(provider, id) {
            self.events.push((provider, id.to_owned(), EventKind::Recovered));
        }
    }
}
