//! What the naive pool does when an attempt ends, and when a person steps in.

use keyrota::{Class, EventKind, Lane, Rest, Scope, Verdict, Wall};

use crate::credential::Refresh;
use crate::health::{Subject, is_by_quota};
use crate::naive::{Lease, LeaseKind, Naive};
use crate::window::{Blow, strike};

/// An attempt that is judged.
#[derive(Clone, Debug)]
pub struct Attempt {
    pub provider: usize,
    pub id: String,
    began: i64,
    pub request: String,
    model: Option<&'static str>,
    /// Whether a success proves that nothing holds the credential any more.
    is_proof: bool,
}

impl Naive {
    /// Ends a lease with a verdict; answers whether it had not ended before.
    pub fn conclude(
        &mut self,
        number: u64,
        verdict: &Verdict,
        model: Option<&'static str>,
        now: i64,
    ) -> bool {
        self.begin(now);
        let Some(lease) = self.end(number) else { return false };
        let Lease { provider, id, epoch, began, .. } = lease.clone();
        if self.credential(provider, &id).epoch != epoch {
            return true;
        }
        let is_proof = lease.is_probe || lease.kind != LeaseKind::Ordinary;
        let request = lease.request();
        let attempt = Attempt { provider, id: id.clone(), began, request, model, is_proof };
        self.apply(&attempt, verdict, now);
        let is_off = self.credential(provider, &id).off.is_some();
        if lease.kind == LeaseKind::Probe && verdict.class == Class::Ok && is_off {
            self.enable(provider, &id, now);
        }
        true
    }

    /// Ends a lease with a success that has nothing to clear; answers whether it could.
    pub fn report_untroubled(&mut self, number: u64) -> bool {
        let Some(lease) = self.leases.iter().find(|lease| lease.number == number).cloned() else {
            return true;
        };
        let Lease { provider, id, .. } = &lease;
        let known = &self.providers[*provider];
        let credential = &known.credentials[id];
        let windows = self.subjects(*provider, id, None).into_iter().chain([Subject::Pause]);
        let is_troubled = windows
            .flat_map(|subject| Lane::ALL.iter().map(move |&lane| (subject.clone(), lane)))
            .any(|(subject, lane)| self.window(*provider, &subject, lane).is_some())
            || credential.models.values().flatten().any(Option::is_some)
            || credential.off.is_some()
            || credential.refresh != Refresh::No
            || !known.suspects.is_empty()
            || lease.is_probe
            || lease.kind != LeaseKind::Ordinary;
        if is_troubled {
            return false;
        }
        let credential = self.credential(lease.provider, &lease.id);
        credential.successes += u64::from(credential.epoch == lease.epoch);
        self.end(number);
        true
    }

    /// Applies a verdict to the credential that the session got last; answers whether it did.
    pub fn report_session(
        &mut self,
        provider: usize,
        session: u64,
        verdict: &Verdict,
        now: i64,
    ) -> bool {
        self.begin(now);
        let Some(binding) = self.binding(provider, session).cloned() else { return false };
        if verdict.scope != Scope::Credential {
            return false; // it says nothing about a credential
        }
        self.reports += 1;
        let request = format!("report {}", self.reports);
        let (id, began) = (binding.place().to_owned(), binding.used);
        let attempt = Attempt { provider, id, began, request, model: None, is_proof: false };
        self.apply(&attempt, verdict, now);
        true
    }

    pub fn succeed_session(&mut self, session: u64, now: i64) {
        self.begin(now);
        let mut newest_first = self.sessions.iter().rev();
        let binding = newest_first.find(|known| {
            known.session == session && self.binding(known.provider, session).is_some()
        });
        if let Some(binding) = binding.cloned() {
            let (id, request) = (binding.place().to_owned(), String::new());
            let (provider, began) = (binding.provider, binding.used);
            let attempt = Attempt { provider, id, began, request, model: None, is_proof: false };
            self.succeed(&attempt);
        }
    }

    pub fn end(&mut self, number: u64) -> Option<Lease> {
        let at = self.leases.iter().position(|lease| lease.number == number)?;
        let lease = self.leases.remove(at);
        self.end_probes(&lease);
        Some(lease)
    }

    fn apply(&mut self, attempt: &Attempt, verdict: &Verdict, now: i64) {
        let (provider, id) = (attempt.provider, &attempt.id);
        self.wake(provider);
        if verdict.class == Class::Ok {
            return self.succeed(attempt);
        }
        let is_everyones = matches!(verdict.scope, Scope::Provider | Scope::Egress);
        if is_everyones && self.is_adaptive() {
            return self.pause(attempt, verdict, now);
        }
        let Some(lane) = verdict.class.lane() else { return };
        let credential = self.credential(provider, id);
        if !matches!(verdict.scope, Scope::None | Scope::Request) {
            credential.failures += 1;
        }
        let is_refreshable = credential.row.as_ref().is_some_and(|row| row.refreshable);
        if verdict.class == Class::AuthFailed && is_refreshable {
            return self.fail_refreshable(attempt, verdict, now);
        }
        if verdict.disable {
            let those = match verdict.scope {
                Scope::Account => self.account(provider, id),
                _ => vec![id.clone()],
            };
            if those.len() > 1 {
                self.meet("a dead account");
            }
            return self.disable(provider, &those, verdict.class);
        }
        self.fail(attempt, verdict, lane, now);
    }

    fn fail_refreshable(&mut self, attempt: &Attempt, verdict: &Verdict, now: i64) {
        let (provider, id) = (attempt.provider, &attempt.id);
        let refresh = self.credential(provider, id).refresh;
        match refresh {
            Refresh::No => {
                self.credential(provider, id).refresh = Refresh::Asked(verdict.disable);
                self.refreshes.push((provider, id.clone()));
                let (disable, scope) = (false, Scope::Credential);
                let verdict = Verdict { disable, scope, ..verdict.clone() };
                self.fail(attempt, &verdict, Lane::Auth, now);
            }
            Refresh::Asked(_) => {
                let (disable, scope) = (false, Scope::Credential);
                let unstated = Verdict { wait_ms: None, wait_from: None, ..verdict.clone() };
                let verdict = Verdict { disable, scope, ..unstated };
                self.fail(attempt, &verdict, Lane::Auth, now);
            }
            Refresh::Done => {
                self.meet("a refused new secret");
                self.disable(provider, std::slice::from_ref(id), verdict.class);
            }
        }
    }

    /// The host has a new secret for the credential, or has none.
    pub fn refreshed(&mut self, provider: usize, id: &str, has_new: bool, now: i64) {
        self.begin(now);
        self.wake(provider);
        let credential = self.credential(provider, id);
        let Refresh::Asked(disable) = credential.refresh else { return };
        if has_new {
            let was_off = credential.off.is_some();
            let is_enabled = credential.row.as_ref().is_some_and(|row| row.enabled);
            credential.renew();
            credential.refresh = Refresh::Done;
            let touched = self.account(provider, id);
            self.settle(provider, &touched, true);
            if was_off && is_enabled {
                self.events.push((provider, id.to_owned(), EventKind::Enabled));
            }
            self.come_or_go(provider, &touched);
        } else {
            credential.refresh = Refresh::No;
            if disable {
                self.disable(provider, &[id.to_owned()], Class::AuthFailed);
            }
        }
    }

    fn disable(&mut self, provider: usize, those: &[String], class: Class) {
        for id in those {
            if self.credential(provider, id).off.replace((class, false)).is_none() {
                self.events.push((provider, id.clone(), EventKind::Disabled { class }));
            }
            self.request((provider, id.clone(), class));
        }
        self.come_or_go(provider, those);
    }

    /// The record that a failure is written to, if to any.
    fn struck(&self, attempt: &Attempt, verdict: &Verdict) -> Option<Subject> {
        let (id, is_denied) = (&attempt.id, verdict.class == Class::ModelDenied);
        let whole = Some(Subject::Whole(id.clone())).filter(|_| !is_denied);
        match (verdict.scope, attempt.model) {
            (Scope::Credential, _) | (Scope::Model, None) => whole,
            (Scope::Model, Some(model)) => Some(Subject::Model(id.clone(), model.to_owned())),
            (Scope::Account, _) => {
                let group = self.providers[attempt.provider].credentials[id].group();
                group.map(|name| Subject::Group(name, id.clone())).or(whole)
            }
            _ => None,
        }
    }

    fn fail(&mut self, attempt: &Attempt, verdict: &Verdict, lane: Lane, now: i64) {
        let (provider, id) = (attempt.provider, &attempt.id);
        let Some(subject) = self.struck(attempt, verdict) else { return };
        if let Some(rest) = self.strike(attempt, verdict, &subject, lane, now) {
            self.events.push((provider, id.clone(), EventKind::Cooldown(rest)));
        }
        let touched = match subject {
            Subject::Group(..) => self.account(provider, id),
            _ => vec![id.clone()],
        };
        self.settle(provider, &touched, false);
        self.suspect(attempt, verdict, &subject, lane, now);
    }

    /// Writes a failure to a record; answers the rest that it makes, if that changed.
    pub fn strike(
        &mut self,
        attempt: &Attempt,
        verdict: &Verdict,
        subject: &Subject,
        lane: Lane,
        now: i64,
    ) -> Option<Rest> {
        let (provider, inside) = (attempt.provider, self.inside);
        let rules = self.rules(provider, subject, lane);
        let blow = Blow {
            class: verdict.class,
            wait: verdict.wait_ms.map(|wait| wait.0 as i64).filter(|_| lane != Lane::Denied),
            began: attempt.began,
            source: verdict.source(),
        };
        let mut drawn = std::mem::take(&mut self.drawn);
        let longer = |wait: i64| {
            let longest = wait + (wait as f64 * rules.jitter).ceil() as i64;
            let drawn = if rules.jitter > 0.0 { drawn.pop_front() } else { None };
            let drawn = drawn.unwrap_or(wait);
            assert!((wait..=longest).contains(&drawn), "{drawn} is not in {wait}..={longest}");
            drawn
        };
        let slot = self.slot(provider, subject, lane);
        let changed = strike(slot, &rules, &blow, inside, longer);
        let window = slot.clone().expect("it was struck");
        self.drawn = drawn;
        if window.end(&rules) < window.until {
            self.meet("a shortened rest");
        }
        changed.then(|| Rest {
            class: verdict.class,
            scope: match (subject, verdict.scope) {
                (Subject::Whole(_), Scope::Account) | (Subject::Group(..), _) => Scope::Account,
                (Subject::Whole(_), _) => Scope::Credential,
                (Subject::Model(..), _) => Scope::Model,
                (Subject::Pause, Scope::Egress) => Scope::Egress,
                (Subject::Pause, _) => Scope::Provider,
            },
            model: match subject {
                Subject::Model(_, model) => Some(model.as_str().into()),
                _ => None,
            },
            level: window.level,
            until: Wall(now + window.until - inside),
            stated: window.stated,
            source: verdict.source(),
        })
    }

    fn succeed(&mut self, attempt: &Attempt) {
        let (provider, id) = (attempt.provider, &attempt.id);
        let credential = self.credential(provider, id);
        credential.successes += 1;
        credential.refresh = Refresh::No;
        self.providers[provider].suspects.clear();
        let mut subjects = self.subjects(provider, id, attempt.model);
        subjects.push(Subject::Pause);
        let (is_proof, began) = (attempt.is_proof, attempt.began);
        let mut any = false;
        for subject in subjects {
            any |= self
                .clear(provider, &subject, |window, rules| is_proof || began >= window.end(rules));
        }
        if any {
            let touched = self.account(provider, id);
            self.settle(provider, &touched, true);
        }
    }

    pub fn reset(&mut self, provider: usize, id: &str, now: i64) {
        self.begin(now);
        self.lift(provider, id, false);
    }

    pub fn recover_quota(&mut self, provider: usize, id: &str, now: i64) {
        self.begin(now);
        self.lift(provider, id, true);
    }

    fn lift(&mut self, provider: usize, id: &str, only_quota: bool) {
        let mut subjects = self.subjects(provider, id, None);
        let models = self.credential(provider, id).models.keys();
        subjects.extend(models.map(|model| Subject::Model(id.to_owned(), model.clone())));
        let mut any = false;
        for subject in subjects {
            any |= self.clear(provider, &subject, |window, _| !only_quota || is_by_quota(window));
        }
        if any {
            let touched = self.account(provider, id);
            self.settle(provider, &touched, true);
        }
    }

    pub fn enable(&mut self, provider: usize, id: &str, now: i64) {
        self.begin(now);
        self.wake(provider);
        let credential = self.credential(provider, id);
        let by_hand = credential.row.as_ref().is_some_and(|row| !row.enabled);
        if by_hand || credential.off.is_some() {
            if let Some(row) = &mut credential.row {
                row.enabled = true;
            }
            credential.revive();
            self.come_or_go(provider, &[id.to_owned()]);
            self.events.push((provider, id.to_owned(), EventKind::Enabled));
        } else {
            self.lift(provider, id, false);
        }
    }

    pub fn confirm(&mut self, provider: usize, id: &str) {
        if let Some((_, confirmed)) = &mut self.credential(provider, id).off {
            *confirmed = true;
        }
    }

    /// Those were switched on or off, so that another may be the only one now, or no more.
    fn come_or_go(&mut self, provider: usize, those: &[String]) {
        self.settle(provider, those, false);
        self.recount(provider);
    }
}
