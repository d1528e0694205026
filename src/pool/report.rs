//! What becomes of a credential when an attempt ends.

use super::Pool;
use super::effects::Attempt;
use super::leases::{Lease, LeaseKind};
use crate::affinity::Binding;
use crate::classify::{PolicyName, classic, classify};
use crate::config::Policy;
use crate::credential::Credential;
use crate::event::EventKind;
use crate::types::{
    Class, CredentialIndex, Inside, LeaseId, Millis, Outcome, ProviderIndex, Scope, SessionHash,
    Verdict, Wall,
};

impl Pool {
    /// Ends a lease with what came back, and answers what that means.
    ///
    /// A lease counts once: `None`, and nothing happens, when it has ended before or was never there.
    /// When its credential was replaced since, the answer is the same as ever and nothing happens.
    pub fn report(&mut self, lease: LeaseId, outcome: &Outcome<'_>, now: Wall) -> Option<Verdict> {
        let provider = self.leases.get(lease)?.provider;
        let verdict = self.judge(provider, outcome, now);
        self.conclude(lease, &verdict, outcome.model, now).then_some(verdict)
    }

    /// Ends a lease with a verdict that is known already, on an attempt for that model; answers false,
    /// and nothing happens, when the lease has ended before or was never there.
    pub fn conclude(
        &mut self,
        lease: LeaseId,
        verdict: &Verdict,
        model: Option<&str>,
        now: Wall,
    ) -> bool {
        let moment = self.begin(now);
        let Some(ended) = self.end_lease(lease, moment.inside) else {
            return false;
        };
        let current = self.credential(ended.provider, ended.credential);
        if current.is_some_and(|current| current.generation == ended.generation) {
            let attempt = Attempt {
                provider: ended.provider,
                credential: ended.credential,
                began: ended.began,
                request: ended.request,
                model,
            };
            let is_probe = ended.kind == LeaseKind::Probe;
            self.apply(attempt, ended.is_proof(), verdict, moment);
            if is_probe && verdict.class == Class::Ok {
                self.revive_proven(attempt, moment);
            }
        }
        true
    }

    /// Ends a lease with a success that changes nothing but the counts, which needs no time; answers
    /// false, and does nothing, when there is something for the success to clear.
    pub fn report_untroubled(&mut self, lease: LeaseId) -> bool {
        let Some(open) = self.leases.get(lease) else {
            return true;
        };
        let Some(known) = self.providers.get_mut(open.provider.0 as usize) else {
            return true;
        };
        if !known.is_untroubled(open.credential) || open.is_proof() {
            return false;
        }
        let Some(current) = known.get_mut(open.credential) else {
            return true;
        };
        if current.generation == open.generation {
            current.counters.successes += 1;
        }
        if let Some(ended) = self.leases.end(lease) {
            self.land(ended);
        }
        true
    }

    /// Ends a lease without a verdict: nothing is known, and nobody is to blame.
    pub fn release(&mut self, lease: LeaseId) {
        let now = self.clock.latest();
        self.end_lease(lease, now);
    }

    /// What an outcome would mean, without a lease to end.
    #[must_use]
    pub fn judge(&self, provider: ProviderIndex, outcome: &Outcome<'_>, now: Wall) -> Verdict {
        let known = self.provider_at(provider);
        let config = known.map_or(&self.config.provider, |known| &known.config);
        if config.policy.name == PolicyName::Classic {
            return classic(outcome);
        }
        let named = known.map_or("", |known| &known.name);
        classify(config.dialect.as_deref().unwrap_or(named), &config.rules, outcome, now)
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
        let (credential, began) = (binding.place(), binding.used);
        // Nobody says which reports are of one request.
        self.requests = self.requests.wrapping_add(1);
        let request = u64::from(self.requests) << 32;
        let attempt = Attempt { provider, credential, began, request, model: outcome.model };
        self.apply(attempt, false, &verdict, moment);
        Some(verdict)
    }

    /// Applies a success to the credential that the session got last, in whichever provider.
    pub fn succeed_session(&mut self, session: SessionHash, now: Wall) {
        let moment = self.begin(now);
        let providers = self.providers.len() as u32;
        if let Some(&binding) = self.affinity.last_used(session, providers, moment.inside) {
            let (credential, began) = (binding.place(), binding.used);
            let Binding { provider, .. } = binding;
            let attempt = Attempt { provider, credential, began, request: 0, model: None };
            self.succeed(attempt, false, moment.inside);
        }
    }

    /// How long until the lease that began first ends by itself, if it is not reported before; `None` when
    /// none is in flight. Whoever waits for room need not ask again earlier.
    #[must_use]
    pub fn next_expiry(&self, now: Wall) -> Option<Millis> {
        let expiry = self.leases.next_expiry(self.config.lease_ttl)?;
        Some(expiry.wait_from(self.clock.peek(now).inside))
    }

    pub(super) fn end_overdue_leases(&mut self, now: Inside) {
        while let Some(lease) = self.leases.end_overdue(self.config.lease_ttl, now) {
            self.finish(lease, now);
            self.note(lease.provider, lease.credential, EventKind::LeaseExpired);
        }
    }

    fn end_lease(&mut self, lease: LeaseId, now: Inside) -> Option<Lease> {
        let ended = self.leases.end(lease)?;
        self.finish(ended, now);
        Some(ended)
    }

    fn finish(&mut self, lease: Lease, now: Inside) {
        self.land(lease);
        if lease.probed.any() {
            // Nobody's rest that is over by time goes untold among those who are free again now.
            self.wake(lease.provider, now);
        }
        if let Some(known) = self.providers.get_mut(lease.provider.0 as usize) {
            known.end_probe(lease.credential, lease.model, lease.probed, now);
        }
    }

    #[inline(always)]
    fn land(&mut self, lease: Lease) {
        if let Some(known) = self.providers.get_mut(lease.provider.0 as usize) {
            known.land(lease.credential);
        }
    }

    /// Makes the availability of a credential and of its quota group follow, and says whose rest that
    /// ended: what was cleared may be a level whose rest was over, or one of several rests.
    pub(super) fn refresh(
        &mut self,
        provider: ProviderIndex,
        credential: CredentialIndex,
        now: Inside,
    ) {
        let Some(known) = self.providers.get_mut(provider.0 as usize) else { return };
        let mut back = Vec::new();
        known.refresh_all(credential, now, |credential| back.push(credential));
        for credential in back {
            self.note(provider, credential, EventKind::Recovered);
        }
    }

    pub(super) fn policy(&self, provider: ProviderIndex) -> &Policy {
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

    pub(super) fn credential_mut(
        &mut self,
        provider: ProviderIndex,
        credential: CredentialIndex,
    ) -> Option<&mut Credential> {
        self.providers.get_mut(provider.0 as usize)?.get_mut(credential)
    }
}
