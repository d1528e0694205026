//! The choice of a credential for one attempt.

use super::Pool;
use super::leases::{Lease, LeaseKind};
use crate::affinity::Binding;
use crate::error::{NotAvailable, Refusal};
use crate::event::EventKind;
use crate::provider::{Ask, Choice, Probed, Request};
use crate::retry::{Place, Plan};
use crate::types::{
    Address, ChoiceReason, CredentialIndex, Inside, LeaseId, Moment, ProviderIndex, SessionHash,
    Wall, hash_text,
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

/// Where a session is remembered, and what of it.
type Bound = (u32, Binding);

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
        Ok(self.grant(provider, credential, reason, request, now))
    }

    /// As [`acquire`](Self::acquire), for the next attempt of a request by its plan.
    ///
    /// # Errors
    ///
    /// As [`acquire`](Self::acquire). [`Plan::forgive`] may find someone all the same.
    pub fn acquire_planned(
        &mut self,
        provider: ProviderIndex,
        request: &Request<'_>,
        plan: &Plan,
        now: Wall,
    ) -> Result<Grant, Refusal> {
        self.acquire(provider, &plan.request(provider, request), now)
    }

    /// Where the request is attempted with that credential, which it has just got, as
    /// [`Plan::attempted`] takes it. The priority of the group is that of a provider which is in none: 0.
    #[must_use]
    pub fn place(
        &self,
        provider: ProviderIndex,
        credential: CredentialIndex,
        request: &Request<'_>,
    ) -> Place {
        let row = self.credential(provider, credential).and_then(|known| known.row.as_ref());
        Place {
            provider,
            credential,
            priority: row.map_or(0, |row| row.priority),
            group_priority: 0,
            is_bound: self.ask(provider, request, self.clock.latest()).only.is_some(),
        }
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
        let is_timed = known.is_capped() // a lease may have expired
            || self.config.affinity.ttl.is_some() && request.session.is_some();
        let rests = !known.cooling.is_empty() || known.pause.record().counts();
        if is_timed || rests || known.config.strategy.counts_leases() {
            return None;
        }
        let now = self.clock.latest();
        let ask = self.ask(provider, request, now);
        if request.session.is_none() && !ask.filters() {
            let known = self.providers.get_mut(provider.0 as usize)?;
            let tier = known.serving_tier(&ask)?;
            return known.select(tier, &ask, &mut self.rng);
        }
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
        let ask = self.ask(provider, request, now.inside);
        let index = provider.0 as usize;
        let chosen = self.providers.get_mut(index).filter(|provider| {
            let tier = provider.serving_tier(&ask);
            provider.pause_hold(now.inside).is_none()
                && tier.is_some_and(|tier| provider.can_serve(credential, tier, &ask))
        });
        let Some(chosen) = chosen else {
            return Err(NotAvailable(credential));
        };
        chosen.charge(credential);
        let reason = if ask.only.is_some() {
            self.continue_response(provider, request, credential, now.inside)
        } else {
            let bound = self.bound_to(provider, request, now.inside);
            self.settle_session(provider, request, bound, credential, &ask)
        };
        Ok(self.grant(provider, credential, reason, request, now))
    }

    /// Leases that very credential, whatever is known of it, to find out whether it works. Its success
    /// ends its rests, and brings it back when a verdict had disabled it, or, an API key, when it was
    /// blacklisted. It counts as in flight, and no cap stops it.
    ///
    /// # Errors
    ///
    /// [`NotAvailable`] when it has no row, or no secret.
    pub fn acquire_probe(
        &mut self,
        provider: ProviderIndex,
        credential: CredentialIndex,
        now: Wall,
    ) -> Result<Grant, NotAvailable> {
        let now = self.begin(now);
        self.wake(provider, now.inside);
        let known = self.credential(provider, credential).and_then(|known| known.row.as_ref());
        if known.is_none_or(|row| row.secret_unresolved) {
            return Err(NotAvailable(credential));
        }
        Ok(self.grant(provider, credential, ChoiceReason::Probe, &Request::default(), now))
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
        let ask = self.ask(provider, request, now.inside);
        let known = self.provider_at(provider);
        let Some(known) = known.filter(|known| known.pause_hold(now.inside).is_none()) else {
            return Vec::new();
        };
        let Some(tier) = known.serving_tier(&ask) else {
            return Vec::new();
        };
        let members = known.tiers.get(tier).map_or(&[][..], |tier| &tier.members);
        let places = known.candidates(tier, &ask).into_iter();
        places.filter_map(|place| members.get(place).copied()).collect()
    }

    /// The credential that the request continues a response of, or that its session is on, if it could serve
    /// the request now.
    pub fn home(
        &mut self,
        provider: ProviderIndex,
        request: &Request<'_>,
        now: Wall,
    ) -> Option<CredentialIndex> {
        let now = self.begin(now);
        self.wake(provider, now.inside);
        let ask = self.ask(provider, request, now.inside);
        let bound = self.bound_to(provider, request, now.inside);
        let known = self.provider_at(provider)?;
        let tier = known.serving_tier(&ask).filter(|_| known.pause_hold(now.inside).is_none())?;
        let mut places = [ask.only].into_iter().chain(preferred(bound.as_ref())).flatten();
        places.find(|&credential| known.can_serve(credential, tier, &ask))
    }

    /// Forgets which credentials the session was on; answers whether any was known.
    pub fn release_session(&mut self, session: SessionHash) -> bool {
        (0..self.providers.len() as u32).fold(false, |any, provider| {
            self.affinity.release(ProviderIndex(provider), session) | any
        })
    }

    /// Remembers that the credential made a response, so that requests which
    /// [continue](Request::continues) it go to it and to no other; in a router, wherever they would go.
    pub fn remember(
        &mut self,
        provider: ProviderIndex,
        response: SessionHash,
        credential: CredentialIndex,
        now: Wall,
    ) {
        let now = self.begin(now).inside;
        match &mut self.routes {
            Some(routes) => routes.remember(response, Address { provider, credential }, now),
            None => self.responses.bind(provider, response, credential, now),
        }
    }

    fn choose(
        &mut self,
        provider: ProviderIndex,
        request: &Request<'_>,
        now: Inside,
    ) -> Result<(CredentialIndex, ChoiceReason), Refusal> {
        let ask = self.ask(provider, request, now);
        let bound = self.bound_to(provider, request, now);
        let known = self.providers.get_mut(provider.0 as usize).ok_or(Refusal::NotLoaded)?;
        let Choice { credential, fails_open } =
            known.choose(&ask, preferred(bound.as_ref()), &mut self.rng)?;
        let reason = if fails_open {
            ChoiceReason::FailOpen
        } else if ask.only.is_some() {
            self.continue_response(provider, request, credential, now)
        } else {
            self.settle_session(provider, request, bound, credential, &ask)
        };
        Ok((credential, reason))
    }

    /// The request at its moment. A model that makes no difference is left out, so that the choice need
    /// not look at every candidate.
    pub(super) fn ask<'a>(
        &self,
        provider: ProviderIndex,
        request: &Request<'a>,
        now: Inside,
    ) -> Ask<'a> {
        let minds_models = self.minds_models(provider);
        let maker = || {
            let binding = self.responses.get(provider, request.continues?, now)?;
            // Of a credential that is gone, nobody can continue anything: whoever serves will say so.
            let known = self.credential(provider, binding.credential)?;
            known.row.is_some().then_some(binding.credential)
        };
        let only = request.only.or_else(maker);
        Ask::new(request, request.model.filter(|_| minds_models), only, now)
    }

    /// Whether the model of a request makes a difference for that provider: when it does not, it need
    /// not be told.
    #[must_use]
    #[inline(always)]
    pub fn minds_models(&self, provider: ProviderIndex) -> bool {
        self.provider_at(provider).is_some_and(|known| known.minds_models)
    }

    /// The session to remember, unless the strategy itself leads it to the same credential.
    #[inline(always)]
    fn affine_session(
        &self,
        provider: ProviderIndex,
        request: &Request<'_>,
    ) -> Option<SessionHash> {
        let known = self.provider_at(provider)?;
        request.session.filter(|_| !known.config.strategy.is_affine())
    }

    /// Where the session is remembered, and on which credentials.
    #[inline(always)]
    pub(super) fn bound_to(
        &self,
        provider: ProviderIndex,
        request: &Request<'_>,
        now: Inside,
    ) -> Option<Bound> {
        let session = self.affine_session(provider, request)?;
        let (place, binding) = self.affinity.get_with_place(provider, session, now)?;
        Some((place, *binding))
    }

    /// Remembers the credential for the session, and says how the choice came about.
    fn settle_session(
        &mut self,
        provider: ProviderIndex,
        request: &Request<'_>,
        bound: Option<Bound>,
        credential: CredentialIndex,
        ask: &Ask<'_>,
    ) -> ChoiceReason {
        let Some((place, binding)) = bound else {
            if let Some(session) = self.affine_session(provider, request) {
                self.affinity.bind(provider, session, credential, ask.now);
            }
            return ChoiceReason::Strategy;
        };
        if self.overflows(provider, &binding, credential, ask) {
            self.affinity.touch(place, ask.now);
            return ChoiceReason::Overflow;
        }
        let was_on = binding.place();
        let keeps_home = credential != binding.credential
            && self.provider_at(provider).is_some_and(|known| known.keeps_home(&binding, ask));
        if keeps_home {
            self.affinity.lodge(place, credential, ask.now);
        } else {
            self.affinity.renew(place, credential, ask.now);
        }
        if was_on != credential {
            self.note(provider, credential, EventKind::Rebound { from: was_on });
        }
        match keeps_home {
            true => ChoiceReason::Lodging,
            false if was_on == credential || binding.credential == credential => {
                ChoiceReason::Affinity
            }
            false => ChoiceReason::Rebound,
        }
    }

    /// Whether it is for lack of room alone that a session does not get the place which it would have.
    fn overflows(
        &self,
        provider: ProviderIndex,
        binding: &Binding,
        credential: CredentialIndex,
        ask: &Ask<'_>,
    ) -> bool {
        let known = self.provider_at(provider).filter(|known| known.is_capped());
        let places = [Some(binding.credential), binding.lodging].into_iter().flatten();
        let mut better = places.take_while(|&place| place != credential);
        known.is_some_and(|known| better.any(|place| known.would_serve(place, ask)))
    }

    pub(super) fn grant(
        &mut self,
        provider: ProviderIndex,
        credential: CredentialIndex,
        reason: ChoiceReason,
        request: &Request<'_>,
        now: Moment,
    ) -> Grant {
        self.count_pick(provider, credential, now);
        let began = now.inside;
        let model = match request.model {
            Some(model) if self.minds_models(provider) => hash_text(model.as_bytes()),
            _ => 0,
        };
        self.requests = self.requests.wrapping_add(1);
        let (mut generation, mut probed) = (0, Probed::default());
        if let Some(known) = self.providers.get_mut(provider.0 as usize) {
            generation = known.launch(credential);
            probed = known.begin_probe(credential, model, self.requests, began);
        }
        let kind = match reason {
            ChoiceReason::Probe => LeaseKind::Probe,
            ChoiceReason::FailOpen => LeaseKind::FailOpen,
            _ => LeaseKind::Ordinary,
        };
        let request = match request.number {
            0 => u64::from(self.requests) << 32,
            number => u64::from(number),
        };
        let lease = Lease { provider, credential, generation, began, request, model, probed, kind };
        Grant { lease: self.leases.begin(lease), credential, reason }
    }

    /// A response that is continued is remembered for longer; the session has nothing to do with it.
    fn continue_response(
        &mut self,
        provider: ProviderIndex,
        request: &Request<'_>,
        credential: CredentialIndex,
        now: Inside,
    ) -> ChoiceReason {
        if let Some(response) = request.continues {
            self.responses.bind(provider, response, credential, now);
        }
        ChoiceReason::Continuation
    }

    #[inline(always)]
    fn count_pick(&mut self, provider: ProviderIndex, credential: CredentialIndex, now: Moment) {
        let known = self.providers.get_mut(provider.0 as usize);
        if let Some(chosen) = known.and_then(|known| known.get_mut(credential)) {
            chosen.counters.picks += 1;
            chosen.counters.last_used_at = Some(now.wall);
        }
    }
}

/// Whom a session would have: its home, else where it lodges.
#[inline(always)]
pub(super) fn preferred(bound: Option<&Bound>) -> [Option<CredentialIndex>; 2] {
    bound.map_or([None; 2], |(_, binding)| [Some(binding.credential), binding.lodging])
}
