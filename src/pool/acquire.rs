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
        self.wake(provider, now.inside);
        let (credential, reason) = self.choose(provider, request, now.inside)?;
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
        self.wake(provider, now.inside);
        let (credential, _) = self.choose(provider, request, now.inside)?;
        self.count_pick(provider, credential, now);
        Ok(credential)
    }

    /// As [`pick`](Self::pick) when no time is needed for it: when nobody rests, sessions are not
    /// forgotten by time, and leases do not matter. `None`: ask with the time.
    ///
    /// The attempt counts from the last moment that the pool was told. That is as good as now: whoever
    /// is available had rested enough by then, and what begins to rest later is told with its time.
    /// The choice is not counted in [`Counters`](crate::Counters), which tell the time of a pick.
    pub fn pick_untimed(
        &mut self,
        provider: ProviderIndex,
        request: &Request<'_>,
    ) -> Option<CredentialIndex> {
        let known = self.provider_at(provider)?;
        let is_timed = self.config.affinity.ttl.is_some() && request.session.is_some();
        if is_timed || !known.cooling.is_empty() || known.config.strategy.counts_leases() {
            return None;
        }
        if request.session.is_none() && !request.filters() {
            let known = self.providers.get_mut(provider.0 as usize)?;
            let tier = known.serving_tier(request)?;
            return known.select(tier, request, &mut self.rng);
        }
        let now = self.clock.latest();
        self.choose(provider, request, now).ok().map(|(credential, _)| credential)
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
        let home = self.home_of(provider, request, now.inside);
        let reason = self.settle_session(provider, request, home, credential, now.inside);
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
        let places = known.candidates(tier, request).into_iter();
        places.filter_map(|place| members.get(place).copied()).collect()
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
        let (_, bound) = self.home_of(provider, request, now.inside)?;
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
        now: Inside,
    ) -> Result<(CredentialIndex, ChoiceReason), Refusal> {
        let home = self.home_of(provider, request, now);
        let bound = home.map(|(_, credential)| credential);
        let known = self.providers.get_mut(provider.0 as usize).ok_or(Refusal::NotLoaded)?;
        let credential = known.choose(request, bound, &mut self.rng, now)?;
        Ok((credential, self.settle_session(provider, request, home, credential, now)))
    }

    /// The session to remember, unless the strategy itself leads it to the same credential.
    fn affine_session(
        &self,
        provider: ProviderIndex,
        request: &Request<'_>,
    ) -> Option<SessionHash> {
        let known = self.provider_at(provider)?;
        request.session.filter(|_| !known.config.strategy.is_affine())
    }

    /// Where the session is remembered, and on which credential.
    pub(super) fn home_of(
        &self,
        provider: ProviderIndex,
        request: &Request<'_>,
        now: Inside,
    ) -> Option<(u32, CredentialIndex)> {
        let session = self.affine_session(provider, request)?;
        let (place, binding) = self.affinity.get_with_place(provider, session, now)?;
        Some((place, binding.credential))
    }

    /// Remembers the credential for the session, and says how the choice came about.
    fn settle_session(
        &mut self,
        provider: ProviderIndex,
        request: &Request<'_>,
        home: Option<(u32, CredentialIndex)>,
        credential: CredentialIndex,
        now: Inside,
    ) -> ChoiceReason {
        let Some((place, from)) = home else {
            if let Some(session) = self.affine_session(provider, request) {
                self.affinity.bind(provider, session, credential, now);
            }
            return ChoiceReason::Strategy;
        };
        self.affinity.renew(place, credential, now);
        if from == credential {
            return ChoiceReason::Affinity;
        }
        self.note(provider, credential, EventKind::Rebound { from });
        ChoiceReason::Rebound
    }

    fn grant(
        &mut self,
        provider: ProviderIndex,
        credential: CredentialIndex,
        reason: ChoiceReason,
        now: Moment,
    ) -> Grant {
        self.count_pick(provider, credential, now);
        let known = self.providers.get_mut(provider.0 as usize);
        let generation = known.map_or(0, |known| known.launch(credential));
        let began = now.inside;
        let lease = self.leases.begin(Lease { provider, credential, generation, began });
        Grant { lease, credential, reason }
    }

    fn count_pick(&mut self, provider: ProviderIndex, credential: CredentialIndex, now: Moment) {
        let known = self.providers.get_mut(provider.0 as usize);
        if let Some(chosen) = known.and_then(|known| known.get_mut(credential)) {
            chosen.counters.picks += 1;
            chosen.counters.last_used_at = Some(now.wall);
        }
    }
}
