//! The choice of a group and of a credential in it, and where sessions of a router are.

use super::Pool;
use super::acquire::Grant;
use crate::error::{Refusal, RouteRefusal};
use crate::provider::{Ask, Choice, Provider, Providers, Request};
use crate::retry::{Place, Plan};
use crate::rng::Rng;
use crate::route::{ANY, Field, Group, RouteConfig, RouteRequest, Routes, Standing};
use crate::select::Draw;
use crate::types::{
    Address, ChoiceReason, CredentialIndex, Inside, Moment, ProviderIndex, Reason, SessionHash,
    Wall, hash_text,
};

/// A credential of a group that was chosen, and the lease on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoutedGrant {
    /// The lease, its credential and why that one.
    pub grant: Grant,
    /// Where the attempt is made, as [`Plan::attempted`] takes it.
    pub place: Place,
    /// Where the session was when the choice was made: what [`Pool::learn`] compares. `None` too when it
    /// stays there whatever comes of this attempt, which is an [overflow](ChoiceReason::Overflow).
    pub seen: Option<Address>,
}

/// Who serves, before there is a lease.
#[derive(Clone, Copy, Debug)]
struct Routed {
    group: u32,
    credential: CredentialIndex,
    reason: ChoiceReason,
    seen: Option<Address>,
    /// Whether nobody else may serve.
    is_bound: bool,
}

impl Pool {
    /// Makes the pool a router with those settings, in place of those that it had. Health, leases and
    /// sessions are kept.
    pub fn route(&mut self, config: RouteConfig) {
        let name = |provider| self.provider_name(provider).unwrap_or_default();
        let hash_of = |provider| hash_text(name(provider).as_bytes());
        let mut routes = Routes::new(config, self.config.responses, hash_of);
        if let Some(before) = self.routes.take() {
            routes.resume(*before);
        }
        for at in 0..routes.groups.len() {
            let provider = routes.groups[at].provider;
            if let Some(known) = self.providers.get_mut(provider.0 as usize) {
                routes.expect_draws(known.config.strategy); // and it is to be looked at
            }
        }
        self.routes = Some(Box::new(routes));
    }

    /// Whether a routed choice draws random numbers and no seed was handed in yet.
    #[must_use]
    pub fn route_needs_seed(&self) -> bool {
        !self.seeded && self.routes.as_ref().is_some_and(|routes| routes.draws())
    }

    /// Chooses a group and a credential in it for the next attempt of a request by its plan, and leases it.
    ///
    /// # Errors
    ///
    /// [`RouteRefusal::Denied`] and [`RouteRefusal::NoGroup`]: no later attempt would fare better, until the
    /// settings change. [`RouteRefusal::NoneAvailable`]: wait for its time, or tell the user.
    pub fn acquire_routed(
        &mut self,
        request: &RouteRequest<'_>,
        plan: &Plan,
        now: Wall,
    ) -> Result<RoutedGrant, RouteRefusal> {
        let now = self.begin(now);
        let Some(mut routes) = self.routes.take() else {
            return Err(RouteRefusal::Denied(Reason::AccessKeyUnknown));
        };
        self.follow(&mut routes, now.inside);
        let routed = self.choose_routed(&mut routes, request, plan, now);
        let granted = routed.map(|routed| self.grant_routed(&routes, routed, request, now));
        self.routes = Some(routes);
        granted
    }

    /// Takes in that a request was served with success: its session is there from now on, unless it is
    /// elsewhere than it was when the choice was made. Of a choice for [`ChoiceReason::Overflow`] do not
    /// tell, for then the session stays where it is.
    pub fn learn(
        &mut self,
        session: SessionHash,
        seen: Option<Address>,
        served: Address,
        now: Wall,
    ) {
        let now = self.begin(now).inside;
        let Some(routes) = &mut self.routes else { return };
        let is_at = routes.sessions.get(ANY, session, now).map(|binding| binding.place());
        if is_at == seen {
            routes.sessions.bind(ANY, session, served, now);
        }
    }

    /// Looks at the groups that may have changed, and brings back everyone whose rest is over.
    fn follow(&mut self, routes: &mut Routes, now: Inside) {
        loop {
            while let Some(provider) = self.providers.take_touched() {
                if let Some(known) = self.providers.get(provider as usize) {
                    routes.observe(ProviderIndex(provider), known, now);
                }
            }
            let Some(provider) = routes.take_due(now) else { return };
            self.wake(provider, now);
        }
    }

    fn choose_routed(
        &mut self,
        routes: &mut Routes,
        request: &RouteRequest<'_>,
        plan: &Plan,
        now: Moment,
    ) -> Result<Routed, RouteRefusal> {
        routes.admit(request, plan.bound().is_some(), now).map_err(RouteRefusal::Denied)?;
        let made_by = self.made_by(routes, request, plan, now.inside);
        let seen = request.session.filter(|_| !routes.is_affine());
        let seen = seen.and_then(|session| routes.sessions.get(ANY, session, now.inside));
        let seen = seen.map(|binding| binding.place());
        let Self { providers, rng, .. } = self;
        let asked = Asked { request, plan, now: now.inside };
        let mut scene = Scene { providers, rng, asked, seen };
        let field = routes.field(request, now.inside, |group| scene.standing(group));
        let routed = match field {
            None => Err(RouteRefusal::NoGroup(routes.why_none(request))),
            Some(field) => scene.choose(field, made_by),
        };
        if let Ok(Routed { reason: ChoiceReason::Overflow, .. }) = routed {
            routes.stay(request, now.inside);
        }
        if let Some(((response, made_by), _)) = request.continues.zip(made_by).zip(routed.ok()) {
            // It is in use, and not the one unused for longest.
            routes.remember(response, made_by, now.inside);
        }
        routed
    }

    /// The only credential that can serve the request: the one that made what it continues, if it is known
    /// and still there; or the one that an earlier attempt was bound to.
    pub(super) fn made_by(
        &self,
        routes: &Routes,
        request: &RouteRequest<'_>,
        plan: &Plan,
        now: Inside,
    ) -> Option<Address> {
        if let Some((provider, credential)) = plan.bound() {
            return Some(Address { provider, credential });
        }
        let address = routes.responses.get(ANY, request.continues?, now)?.place();
        let known = self.credential(address.provider, address.credential)?;
        known.row.is_some().then_some(address)
    }

    fn grant_routed(
        &mut self,
        routes: &Routes,
        Routed { group, credential, reason, seen, is_bound }: Routed,
        request: &RouteRequest<'_>,
        now: Moment,
    ) -> RoutedGrant {
        let known = &routes.groups[group as usize];
        let provider = known.provider;
        let model = request.model.and_then(|model| known.upstream(model));
        let asked = Request { model, number: request.number, ..Request::default() };
        let row = self.credential(provider, credential).and_then(|known| known.row.as_ref());
        let priority = row.map_or(0, |row| row.priority);
        let group_priority = known.priority;
        let place = Place { provider, credential, priority, group_priority, is_bound };
        RoutedGrant { grant: self.grant(provider, credential, reason, &asked, now), place, seen }
    }
}

/// A request among the groups.
struct Scene<'a> {
    providers: &'a mut Providers,
    rng: &'a mut Rng,
    asked: Asked<'a>,
    /// Where its session is.
    seen: Option<Address>,
}

/// A request in its plan at its moment.
#[derive(Clone, Copy)]
struct Asked<'a> {
    request: &'a RouteRequest<'a>,
    plan: &'a Plan,
    now: Inside,
}

impl<'a> Asked<'a> {
    /// The request as a group's provider sees it. A model that makes no difference there is left out.
    fn of<'b>(self, group: &'b Group, known: &Provider, only: Option<CredentialIndex>) -> Ask<'b>
    where
        'a: 'b,
    {
        let model = self.request.model.filter(|_| known.minds_models);
        let model = model.and_then(|model| group.upstream(model));
        let session = self.request.session;
        let request = Request { session, ..Request::default() };
        Ask::new(&self.plan.request(group.provider, &request), model, only, self.now)
    }
}

impl Scene<'_> {
    /// Who serves: whoever made what the request continues; else, in the highest tier that is usable and
    /// that it may still go to, its session's credential or the strategy's choice; else a last resort.
    fn choose(
        &mut self,
        mut field: Field<'_>,
        made_by: Option<Address>,
    ) -> Result<Routed, RouteRefusal> {
        // Whom the request has tried weighs nothing in its group, for this choice alone.
        for provider in self.asked.plan.providers() {
            if let Some(group) = field.group_of(provider) {
                let standing = self.standing(&field.groups[group as usize]);
                field.view.adjust(group, standing);
            }
        }
        if let Some(address) = made_by {
            return self.continued(&mut field, address);
        }
        match field.view.serving_tier(self.asked.plan.group_floor()) {
            Some(tier) => {
                let of_session = self.of_session(&mut field, tier);
                let chosen = of_session.or_else(|| self.by_strategy(&mut field, tier));
                chosen.map_or_else(|| self.last_resort(&field), Ok)
            }
            None => self.last_resort(&field),
        }
    }

    fn continued(
        &mut self,
        field: &mut Field<'_>,
        address: Address,
    ) -> Result<Routed, RouteRefusal> {
        let group = field.group_of(address.provider).filter(|&group| field.view.has(group));
        let Some(group) = group else {
            // Its group may not serve this request, and nobody else can.
            return Err(RouteRefusal::NoneAvailable { retry_after: None, at_capacity: false });
        };
        let only = Some(address.credential);
        let chosen = self.within(&field.groups[group as usize], only)?;
        field.view.charge(group);
        let routed = self.routed(group, chosen, ChoiceReason::Continuation);
        Ok(Routed { is_bound: true, ..routed })
    }

    /// The session's credential, if the tier that serves has it.
    fn of_session(&mut self, field: &mut Field<'_>, tier: usize) -> Option<Routed> {
        let Address { provider, credential } = self.seen?;
        let group = field.group_of(provider).filter(|&g| field.view.tier_of(g) == Some(tier))?;
        let known = self.providers.get_mut(provider.0 as usize)?;
        let ask = self.asked.of(&field.groups[group as usize], known, None);
        let its_tier = known.serving_tier(&ask).filter(|_| known.pause_hold(ask.now).is_none())?;
        if !known.can_serve(credential, its_tier, &ask) {
            return None;
        }
        known.charge(credential);
        field.view.charge(group);
        let choice = Choice { credential, fails_open: false };
        Some(self.routed(group, choice, ChoiceReason::Affinity))
    }

    fn by_strategy(&mut self, field: &mut Field<'_>, tier: usize) -> Option<Routed> {
        let draw = Draw { session: self.asked.request.session, rng: self.rng };
        let group = field.view.pick(tier, draw)?;
        let chosen = self.within(&field.groups[group as usize], None).ok()?;
        let reason = match self.seen {
            None => ChoiceReason::Strategy,
            Some(seen) if self.overflows(field, tier, seen) => ChoiceReason::Overflow,
            Some(_) => ChoiceReason::Rebound,
        };
        Some(self.routed(group, chosen, reason))
    }

    /// Whether it is for lack of room alone that the session is not served where it was.
    fn overflows(&self, field: &Field<'_>, tier: usize, seen: Address) -> bool {
        let Address { provider, credential } = seen;
        let group = field
            .group_of(provider)
            .filter(|&g| field.view.tier_of(g).is_some_and(|own| own <= tier));
        let known = self.providers.get(provider.0 as usize);
        group.zip(known).is_some_and(|(group, known)| {
            let ask = self.asked.of(&field.groups[group as usize], known, None);
            known.pause_hold(ask.now).is_none() && known.would_serve(credential, &ask)
        })
    }

    /// When nobody is free: whoever waits only for a probe to end or, where the settings say so, recovers
    /// first, in the order in which the request comes to the groups.
    fn last_resort(&mut self, field: &Field<'_>) -> Result<Routed, RouteRefusal> {
        let (mut first, mut full) = (None, false);
        for tier in field.view.tiers(self.asked.plan.group_floor()) {
            for &group in field.view.groups(tier) {
                match self.within(&field.groups[group as usize], None) {
                    Ok(choice) => return Ok(self.routed(group, choice, ChoiceReason::Strategy)),
                    Err(RouteRefusal::NoneAvailable { retry_after, at_capacity }) => {
                        first = first.into_iter().chain(retry_after).min();
                        full |= at_capacity;
                    }
                    Err(_) => {}
                }
            }
        }
        Err(RouteRefusal::NoneAvailable { retry_after: first, at_capacity: full })
    }

    /// Chooses a credential within a group, and counts the choice.
    fn within(
        &mut self,
        group: &Group,
        only: Option<CredentialIndex>,
    ) -> Result<Choice, RouteRefusal> {
        let none = RouteRefusal::NoneAvailable { retry_after: None, at_capacity: false };
        let known = self.providers.get_mut(group.provider.0 as usize).ok_or(none)?;
        let ask = self.asked.of(group, known, only);
        known.choose(&ask, [None; 2], self.rng).map_err(|refusal| match refusal {
            Refusal::NoneAvailable { retry_after, at_capacity } => {
                RouteRefusal::NoneAvailable { retry_after, at_capacity }
            }
            Refusal::NotLoaded => none,
        })
    }

    fn routed(&self, group: u32, choice: Choice, reason: ChoiceReason) -> Routed {
        let Choice { credential, fails_open } = choice;
        let reason = if fails_open { ChoiceReason::FailOpen } else { reason };
        let seen = self.seen.filter(|_| reason != ChoiceReason::Overflow);
        Routed { group, credential, reason, seen, is_bound: false }
    }

    /// What a group has for the request.
    fn standing(&self, group: &Group) -> Standing {
        let Some(known) = self.providers.get(group.provider.0 as usize) else {
            return Standing::default();
        };
        let ask = self.asked.of(group, known, None);
        let offer = known.offer(&ask);
        Standing {
            weight: offer.weight.saturating_mul(group.weight.shares()),
            in_flight: offer.in_flight,
            until: ask.model.and_then(|_| known.model_changes_at(&ask)),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::provider::OFFERS;
    use crate::{
        AccessKey, Config, Group, Outcome, Plan, PlanTerms, Policy, Pool, Protocol, RouteConfig,
        RouteRequest, Row, SessionHash, Strategy, Wall, Weight,
    };

    /// A router of one tier of so many groups of three credentials each, which may list models.
    fn router(groups: u32, strategy: Strategy, models: Option<Vec<Box<str>>>) -> Pool {
        let mut pool = Pool::new(Config::of(Policy::adaptive()));
        let mut config = RouteConfig { strategy, ..RouteConfig::default() };
        config.access_keys.push(AccessKey {
            id: "app".into(),
            enabled: true,
            expires_at: None,
            protocols: None,
            groups: None,
            models: None,
        });
        for group in 0..groups {
            let provider = pool.provider(&format!("{group}"));
            let row = |own| Row { models: models.clone(), ..Row::new(&format!("{group}-{own}")) };
            pool.load(provider, 0, (0..3).map(row).collect(), Wall(0));
            config.groups.push(Group {
                provider,
                enabled: true,
                priority: 0,
                weight: Weight::default(),
                protocols: vec![Protocol::Gemini],
                models: None,
            });
        }
        pool.route(config);
        pool
    }

    /// How often groups are looked at by a hundred requests, of which every tenth fails.
    fn looks(groups: u32, strategy: Strategy, models: Option<Vec<Box<str>>>) -> u32 {
        let mut pool = router(groups, strategy, models);
        let mut before = 0;
        for number in 0..110 {
            if number == 10 {
                before = OFFERS.get(); // by now each group was looked at once
            }
            let request = RouteRequest {
                access_key: 0,
                protocol: Protocol::Gemini,
                model: Some("m"),
                session: (number % 3 == 0).then_some(SessionHash(number)),
                continues: None,
                number: 0,
            };
            let (now, plan) = (Wall(number as i64 * 100), Plan::new(PlanTerms::default()));
            let routed = pool.acquire_routed(&request, &plan, now).expect("somebody is free");
            let status = if number % 10 == 0 { 429 } else { 200 };
            pool.report(routed.grant.lease, &Outcome::of_status(status), now);
        }
        OFFERS.get() - before
    }

    #[test]
    fn a_choice_looks_at_the_groups_that_changed_however_many_there_are() {
        for &strategy in Strategy::ALL {
            let few = looks(10, strategy, None);
            let many = looks(1_000, strategy, None);
            assert!(many <= few + 20 && many <= 350, "{few} and {many} by {strategy:?}");
            let listing = looks(1_000, strategy, Some(vec!["m".into()]));
            assert!(listing <= 450, "{listing} by {strategy:?}");
        }
    }
}
