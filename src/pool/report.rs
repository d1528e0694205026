//! What becomes of a credential when an attempt ends.

use super::Pool;
use super::leases::Lease;
use crate::classify::classify;
use crate::config::Policy;
use crate::cooldown::Failure;
use crate::credential::{Credential, Disabled};
use crate::event::{DisableRequest, EventKind};
use crate::types::{
    Class, CredentialIndex, Inside, Lane, LeaseId, Moment, Outcome, ProviderIndex, Scope,
    SessionHash, Verdict, Wall,
};

impl Pool {
    /// Ends a lease with what came back, and answers what that means.
    ///
    /// A lease counts once: `None`, and nothing happens, when it has ended before or was never there.
    /// When its credential was replaced since, the answer is the same as ever and nothing happens.
    pub fn report(&mut self, lease: LeaseId, outcome: &Outcome<'_>, now: Wall) -> Option<Verdict> {
        let moment = self.begin(now);
        let ended = self.end_lease(lease)?;
        let verdict = self.judge(ended.provider, outcome, now);
        let current = self.credential(ended.provider, ended.credential);
        if current.is_some_and(|current| current.generation == ended.generation) {
            self.apply(ended.provider, ended.credential, ended.began, &verdict, moment);
        }
        Some(verdict)
    }

    /// Ends a lease with a success that changes nothing but the counts, which needs no time; answers
    /// false, and does nothing, when there is something for the success to clear.
    pub fn report_untroubled(&mut self, lease: LeaseId) -> bool {
        let Some(open) = self.leases.get(lease) else {
            return true;
        };
        let Some(current) = self.credential_mut(open.provider, open.credential) else {
            return true;
        };
        if !current.is_clean() {
            return false;
        }
        if current.generation == open.generation {
            current.counters.successes += 1;
        }
        self.end_lease(lease);
        true
    }

    /// Ends a lease without a verdict: nothing is known, and nobody is to blame.
    pub fn release(&mut self, lease: LeaseId) {
        self.end_lease(lease);
    }

    /// What an outcome would mean, without a lease to end.
    #[must_use]
    pub fn judge(&self, provider: ProviderIndex, outcome: &Outcome<'_>, now: Wall) -> Verdict {
        classify(self.policy(provider).name, outcome, now)
    }

    /// Applies a failure to the credential that the session is on; the attempt began when the session
    /// last got it. `None`, and nothing happens: the session is on none, or the outcome says nothing
    /// about a credential.
    ///
    /// For callers without leases: each report is judged anew.
    pub fn report_session(
        &mut self,
        provider: ProviderIndex,
        session: SessionHash,
        outcome: &Outcome<'_>,
        now: Wall,
    ) -> Option<Verdict> {
        let moment = self.begin(now);
        let binding = *self.affinity.get(provider, session, moment.inside)?;
        let verdict = self.judge(provider, outcome, now);
        if verdict.scope != Scope::Credential {
            return None;
        }
        self.apply(provider, binding.credential, binding.used, &verdict, moment);
        Some(verdict)
    }

    /// Applies a success to the credential that the session got last, in whichever provider.
    pub fn succeed_session(&mut self, session: SessionHash, now: Wall) {
        let moment = self.begin(now);
        let providers = self.providers.len() as u32;
        if let Some(&binding) = self.affinity.last_used(session, providers, moment.inside) {
            self.succeed(binding.provider, binding.credential, binding.used, moment.inside);
        }
    }

    /// Ends every cooldown of a credential; answers false when there is no such credential.
    pub fn reset(
        &mut self,
        provider: ProviderIndex,
        credential: CredentialIndex,
        now: Wall,
    ) -> bool {
        let now = self.begin(now);
        let Some(known) = self.credential_mut(provider, credential) else {
            return false;
        };
        if known.clear() {
            self.recover(provider, credential, now.inside);
        }
        true
    }

    /// Brings a disabled credential back with clean health; answers false when there is none of that
    /// number. When its row says `enabled: false`, that holds again from the next load on.
    pub fn enable(
        &mut self,
        provider: ProviderIndex,
        credential: CredentialIndex,
        now: Wall,
    ) -> bool {
        let now = self.begin(now);
        let Some(known) = self.credential_mut(provider, credential) else {
            return false;
        };
        let by_hand =
            known.row.as_mut().is_some_and(|row| !std::mem::replace(&mut row.enabled, true));
        if by_hand || known.disabled != Disabled::No {
            known.revive();
            self.refresh(provider, credential, now.inside);
            self.note(provider, credential, EventKind::Enabled);
        } else {
            self.reset(provider, credential, now.wall);
        }
        true
    }

    /// Takes in that the app's storage keeps the credential disabled, so its loader is believed again.
    pub fn confirm_disabled(&mut self, provider: ProviderIndex, credential: CredentialIndex) {
        if let Some(known) = self.credential_mut(provider, credential)
            && let Disabled::Unconfirmed { why } = known.disabled
        {
            known.disabled = Disabled::Confirmed { why };
        }
    }

    pub(super) fn request_unconfirmed(&mut self, provider: ProviderIndex) {
        let Some(known) = self.providers.get(provider.0 as usize) else {
            return;
        };
        let unconfirmed = known.credentials.iter().enumerate().filter_map(|(index, credential)| {
            let credential_gone = known.loaded && credential.row.is_none();
            match credential.disabled {
                Disabled::Unconfirmed { why } if !credential_gone => Some(DisableRequest {
                    provider,
                    credential: CredentialIndex(index as u32),
                    why,
                }),
                _ => None,
            }
        });
        for request in unconfirmed.collect::<Vec<_>>() {
            self.request_disable(request);
        }
    }

    pub(super) fn end_overdue_leases(&mut self, now: Inside) {
        while let Some(lease) = self.leases.end_overdue(self.config.lease_ttl, now) {
            self.land(lease);
            self.note(lease.provider, lease.credential, EventKind::LeaseExpired);
        }
    }

    fn end_lease(&mut self, lease: LeaseId) -> Option<Lease> {
        let ended = self.leases.end(lease)?;
        self.land(ended);
        Some(ended)
    }

    fn land(&mut self, lease: Lease) {
        if let Some(known) = self.providers.get_mut(lease.provider.0 as usize) {
            known.land(lease.credential);
        }
    }

    /// Does what a verdict says to the credential that made the attempt.
    fn apply(
        &mut self,
        provider: ProviderIndex,
        credential: CredentialIndex,
        began: Inside,
        verdict: &Verdict,
        now: Moment,
    ) {
        self.wake(provider, now.inside);
        if verdict.class == Class::Ok {
            return self.succeed(provider, credential, began, now.inside);
        }
        // What has no lane is nothing that the credential did.
        let Some(lane) = verdict.class.lane() else { return };
        let Some(known) = self.providers.get_mut(provider.0 as usize) else { return };
        let policy = known.config.policy.clone();
        let Some(failed) = known.get_mut(credential) else { return };
        failed.counters.failures += 1;
        if verdict.disable {
            self.disable(provider, credential, verdict.class, now.inside);
        } else if verdict.scope == Scope::Credential {
            let failure = Failure { class: verdict.class, stated: verdict.wait_ms, began };
            if failed.fail(lane, failure, &policy, now) {
                let cooldown = failed.cooldown_event(lane, verdict.class, &policy, now);
                self.refresh(provider, credential, now.inside);
                self.note(provider, credential, cooldown);
            }
        }
    }

    fn succeed(
        &mut self,
        provider: ProviderIndex,
        credential: CredentialIndex,
        began: Inside,
        now: Inside,
    ) {
        let Some(known) = self.credential_mut(provider, credential) else {
            return;
        };
        known.counters.successes += 1;
        if known.succeed(began) {
            self.recover(provider, credential, now);
        }
    }

    fn disable(
        &mut self,
        provider: ProviderIndex,
        credential: CredentialIndex,
        why: Class,
        now: Inside,
    ) {
        let Some(known) = self.credential_mut(provider, credential) else {
            return;
        };
        // A new verdict asks for a new confirmation, also of what was confirmed before.
        let before = std::mem::replace(&mut known.disabled, Disabled::Unconfirmed { why });
        if before == Disabled::No {
            self.note(provider, credential, EventKind::Disabled { class: why });
            self.refresh(provider, credential, now);
        }
        self.request_disable(DisableRequest { provider, credential, why });
    }

    fn request_disable(&mut self, request: DisableRequest) {
        if !self.disable_requests.contains(&request) {
            self.disable_requests.push(request);
        }
    }

    /// Makes availability follow, and says so when that ended a rest: what was cleared may be a level
    /// whose rest was over, or one of several rests.
    fn recover(&mut self, provider: ProviderIndex, credential: CredentialIndex, now: Inside) {
        let Some(known) = self.providers.get_mut(provider.0 as usize) else { return };
        let was_resting = known.is_resting(credential);
        known.refresh(credential, now);
        if was_resting && !known.is_resting(credential) {
            self.note(provider, credential, EventKind::Recovered);
        }
    }

    fn refresh(&mut self, provider: ProviderIndex, credential: CredentialIndex, now: Inside) {
        if let Some(known) = self.providers.get_mut(provider.0 as usize) {
            known.refresh(credential, now);
        }
    }

    fn policy(&self, provider: ProviderIndex) -> &Policy {
        self.provider_at(provider)
            .map_or(&self.config.provider.policy, |known| &known.config.policy)
    }

    pub(super) fn credential(
        &self,
        provider: ProviderIndex,
        credential: CredentialIndex,
    ) -> Option<&Credential> {
        self.provider_at(provider)?.get(credential)
    }

    fn credential_mut(
        &mut self,
        provider: ProviderIndex,
        credential: CredentialIndex,
    ) -> Option<&mut Credential> {
        self.providers.get_mut(provider.0 as usize)?.get_mut(credential)
    }
}

impl Credential {
    /// What is told of the lane that a failure was written to. Another lane may hold for longer.
    fn cooldown_event(&self, lane: Lane, class: Class, policy: &Policy, now: Moment) -> EventKind {
        let cooldown = &self.lanes[lane as usize];
        EventKind::Cooldown {
            class,
            level: cooldown.level(policy.ladder(lane), now.inside),
            until: now.wall_of(cooldown.deadline()),
            stated: cooldown.record().stated,
        }
    }
}
