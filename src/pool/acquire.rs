//! The choice of a credential for one attempt.

use super::Pool;
use super::leases::Lease;
use crate::error::{NotAvailable, Refusal};
use crate::event::EventKind;
use crate::provider::Request;
use crate::types::{
    ChoiceReason, CredentialIndex, Inside, LeaseId, Moment, ProviderIndex, SessionHash, Wall,
};

/// A credential that was chosen, and the lease on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grant {
    /// To report how the attempt ended.
    pub lease: LeaseId,
    /// Who serves.
    pub credential: CredentialIndex,
    /// Why this one.
    pub reason: ChoiceReason,
}

impl Pool {
    /// Chooses a credential and leases it for one attempt.
    ///
    /// # Errors
    ///
    /// [`Refusal::NotLoaded`]: load the rows, then ask again. [`Refusal::NoneAvailable`]: wait for
    /// its time, or tell the user.
    pub fn acquire(
        &mut self,
        provider: ProviderIndex,
        request: &Request<'_>,
        now: Wall,
    ) -> Result<Grant, Refusal> {
        let now = self.begin(now);
        let (credential, reason) = self.choose(provider, request, now)?;
        Ok(self.grant(provider, credential, reason, now))
    }

    /// Chooses a credential without a lease, for callers who report by session.
    ///
    /// # Errors
    ///
    /// As [`acquire`](Self::acquire).
    pub fn pick(
        &mut self,
        provider: ProviderIndex,
        request: &Request<'_>,
        now: Wall,
    ) -> Result<CredentialIndex, Refusal> {
        let now = self.begin(now);
        let (credential, _) = self.choose(provider, request, now)?;
        self.count_pick(provider, credential, now);
        Ok(credential)
    }

    /// Chooses without a session when nothing rests, so that no time is needed; `None` when it is.
    ///
    /// The bare choice, to be measured: it counts nothing and begins no lease.
    pub fn pick_untimed(&mut self, provider: ProviderIndex) -> Option<CredentialIndex> {
        let provider = self.providers.get_mut(provider.0 as usize)?;
        if !provider.loaded || !provider.cooling.is_empty() {
            return None;
        }
        let tier = provider.usable.next(0)?;
        provider.select(tier, &Request::default(), &mut self.rng)
    }

    /// Leases the credential that the caller's own strategy chose.
    ///
    /// # Errors
    ///
    /// [`NotAvailable`] when it is not among the [candidates](Self::candidates).
    pub fn acquire_chosen(
        &mut self,
        provider: ProviderIndex,
        credential: CredentialIndex,
        request: &Request<'_>,
        now: Wall,
    ) -> Result<Grant, NotAvailable> {
        let now = self.begin(now);
        self.wake(provider, now.inside);
        let index = provider.0 as usize;
        let chosen = self.providers.get_mut(index).filter(|provider| {
            let tier = provider.serving_tier(request);
            tier.is_some_and(|tier| provider.can_serve(credential, tier, request))
        });
        let Some(chosen) = chosen else {
            return Err(NotAvailable(credential));
        };
        chosen.charge(credential);
        let session = self.affine_session(provider, request);
        let bound = session.and_then(|session| self.bound(provider, session, now.inside));
        let reason = self.settle_session(provider, session, bound, credential, now);
        Ok(self.grant(provider, credential, reason, now))
    }

    /// Who could serve the request now: the available ones of the highest usable tier, in order.
    pub fn candidates(
        &mut self,
        provider: ProviderIndex,
        request: &Request<'_>,
        now: Wall,
    ) -> Vec<CredentialIndex> {
        let now = self.begin(now);
        self.wake(provider, now.inside);
        let Some(known) = self.provider_at(provider).filter(|known| known.loaded) else {
            return Vec::new();
        };
        let Some(tier) = known.serving_tier(request) else {
            return Vec::new();
        };
        let members = known.tiers.get(tier).map_or(&[][..], |tier| &tier.members);
        known.candidates(tier, request).filter_map(|place| members.get(place).copied()).collect()
    }

    /// The credential that the session is on, if it could serve the request now.
    pub fn home(
        &mut self,
        provider: ProviderIndex,
        request: &Request<'_>,
        now: Wall,
    ) -> Option<CredentialIndex> {
        let now = self.begin(now);
        self.wake(provider, now.inside);
        let session = self.affine_session(provider, request)?;
        let bound = self.bound(provider, session, now.inside)?;
        let known = self.provider_at(provider)?;
        known.can_serve(bound, known.serving_tier(request)?, request).then_some(bound)
    }

    /// Forgets which credentials the session was on; answers whether any was known.
    pub fn release_session(&mut self, session: SessionHash) -> bool {
        (0..self.providers.len() as u32).fold(false, |any, provider| {
            self.affinity.release(ProviderIndex(provider), session) | any
        })
    }

    fn choose(
        &mut self,
        provider: ProviderIndex,
        request: &Request<'_>,
        now: Moment,
    ) -> Result<(CredentialIndex, ChoiceReason), Refusal> {
        self.wake(provider, now.inside);
        let session = self.affine_session(provider, request);
        let bound = session.and_then(|session| self.bound(provider, session, now.inside));
        let known = self.providers.get_mut(provider.0 as usize).ok_or(Refusal::NotLoaded)?;
        let credential = known.choose(request, bound, &mut self.rng, now.inside)?;
        Ok((credential, self.settle_session(provider, session, bound, credential, now)))
    }

    /// The session to remember, unless the strategy itself leads it to the same credential.
    pub(super) fn affine_session(
        &self,
        provider: ProviderIndex,
        request: &Request<'_>,
    ) -> Option<SessionHash> {
        let known = self.provider_at(provider)?;
        request.session.filter(|_| !known.config.strategy.is_affine())
    }

    pub(super) fn bound(
        &self,
        provider: ProviderIndex,
        session: SessionHash,
        now: Inside,
    ) -> Option<CredentialIndex> {
        self.affinity.get(provider, session, now).map(|binding| binding.credential)
    }

    /// Remembers the credential for the session, and says how the choice came about.
    fn settle_session(
        &mut self,
        provider: ProviderIndex,
        session: Option<SessionHash>,
        bound: Option<CredentialIndex>,
        credential: CredentialIndex,
        now: Moment,
    ) -> ChoiceReason {
        if let Some(session) = session {
            self.affinity.bind(provider, session, credential, now.inside);
        }
        match bound {
            Some(bound) if bound == credential => ChoiceReason::Affinity,
            Some(from) => {
                self.note(provider, credential, EventKind::Rebound { from });
                ChoiceReason::Rebound
            }
            None => ChoiceReason::Strategy,
        }
    }

    fn grant(
        &mut self,
        provider: ProviderIndex,
        credential: CredentialIndex,
        reason: ChoiceReason,
        now: Moment,
    ) -> Grant {
        let (generation, in_flight) = self.count_pick(provider, credential, now);
        if let Some(known) = self.providers.get_mut(provider.0 as usize) {
            known.set_in_flight(credential, in_flight + 1);
        }
        let began = now.inside;
        let lease = self.leases.begin(Lease { provider, credential, generation, began });
        Grant { lease, credential, reason }
    }

    /// Counts a pick; answers the credential's generation and leases in flight.
    fn count_pick(
        &mut self,
        provider: ProviderIndex,
        credential: CredentialIndex,
        now: Moment,
    ) -> (u32, u32) {
        let known = self.providers.get_mut(provider.0 as usize);
        known.and_then(|known| known.get_mut(credential)).map_or((0, 0), |chosen| {
            chosen.counters.picks += 1;
            chosen.counters.last_used_at = Some(now.wall);
            (chosen.generation, chosen.in_flight)
        })
    }
}
