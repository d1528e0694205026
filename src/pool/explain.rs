//! Looking at the pool as it is, without changing it.

use super::Pool;
use super::acquire::preferred;
use crate::error::{Refusal, RouteRefusal};
use crate::explain::{Candidate, Explanation, GroupInspection, Inspection, StatusRow};
use crate::provider::{Ask, Provider, Request};
use crate::retry::{Place, Plan, PlanTerms};
use crate::route::{Group, RouteRequest, Routes};
use crate::types::{Address, CredentialIndex, Moment, ProviderIndex, Reason, Wall};

impl Pool {
    /// What [`acquire`](Self::acquire) would do at `now`, and why.
    ///
    /// It agrees with `acquire` on candidates, reasons and refusal always, and on the choice for every
    /// strategy that draws no random numbers.
    #[must_use]
    pub fn explain(
        &self,
        provider: ProviderIndex,
        request: &Request<'_>,
        now: Wall,
    ) -> Explanation {
        let now = self.clock.peek(now);
        let Some(copy) = self.awake_copy(provider, now) else {
            return Explanation::of_nothing();
        };
        let bound = self.bound_to(provider, request, now.inside);
        let ask = self.ask(provider, request, now.inside);
        Explanation::of(copy, &ask, preferred(bound.as_ref()), self.rng, now)
    }

    /// What [`acquire_routed`](Self::acquire_routed) would do at `now` with a new request, and why.
    ///
    /// It lets that choice run on a copy of the pool, so it agrees with it always, and costs what the
    /// copy costs.
    #[must_use]
    pub fn inspect(&self, request: &RouteRequest<'_>, now: Wall) -> Inspection {
        let plan = Plan::new(PlanTerms::default());
        let chosen = self.clone().acquire_routed(request, &plan, now);
        let now = self.clock.peek(now);
        let (retry_after_ms, at_capacity) = match chosen {
            Err(RouteRefusal::NoneAvailable { retry_after, at_capacity }) => {
                (retry_after, at_capacity)
            }
            _ => (None, false),
        };
        let chosen = chosen.ok().map(|routed| routed.place);
        let choice = chosen.and_then(|place| {
            let id = self.credential_id(place.provider, place.credential)?;
            Some((self.provider_name(place.provider)?.to_owned(), id.to_owned()))
        });
        let Some(routes) = &self.routes else {
            return Inspection { choice, retry_after_ms, at_capacity, ..Inspection::of_nothing() };
        };
        let made_by = self.made_by(routes, request, &plan, now.inside);
        let mut groups: Vec<GroupInspection> = Vec::with_capacity(routes.groups.len());
        for group in &routes.groups {
            groups.extend(self.inspect_group(routes, group, request, (chosen, made_by), now));
        }
        let access_key = routes.admit(request, false, now).err().unwrap_or(Reason::Available);
        Inspection { access_key, groups, choice, retry_after_ms, at_capacity }
    }

    fn inspect_group(
        &self,
        routes: &Routes,
        group: &Group,
        request: &RouteRequest<'_>,
        (chosen, made_by): (Option<Place>, Option<Address>),
        now: Moment,
    ) -> Option<GroupInspection> {
        let copy = self.awake_copy(group.provider, now)?;
        let model = request.model.and_then(|model| group.upstream(model));
        let asked = Request { session: request.session, ..Request::default() };
        // Of a group that did not make what the request continues, nobody may serve it.
        let only = made_by.map(|address| match address.provider == group.provider {
            true => address.credential,
            false => CredentialIndex(u32::MAX),
        });
        let ask = Ask::new(&asked, model.filter(|_| copy.minds_models), only, now.inside);
        let own = chosen.filter(|place| place.provider == group.provider);
        let serving = copy.serving_tier(&ask);
        let free = copy.offer(&ask).weight > 0;
        let refused = copy.clone().choose(&ask, [None; 2], &mut self.rng.clone()).err();
        let is_full = matches!(refused, Some(Refusal::NoneAvailable { at_capacity: true, .. }));
        let until = match refused {
            Some(Refusal::NoneAvailable { retry_after: Some(wait), .. }) => {
                Some(now.wall_of(now.inside.after(wait)))
            }
            _ => None,
        };
        let reason = routes.excluded(group, request).unwrap_or_else(|| {
            if own.is_some() {
                Reason::Chosen
            } else if made_by.is_some_and(|address| address.provider != group.provider) {
                Reason::BoundElsewhere
            } else if copy.listed.is_empty() && copy.invalid.is_empty() {
                Reason::NoCredentials
            } else if !free && is_full {
                Reason::AtCapacity
            } else if !free {
                Reason::NoUsableCredential
            } else if chosen.is_some_and(|place| place.group_priority > group.priority) {
                Reason::GroupLowerTier
            } else {
                Reason::Available
            }
        });
        let choice = own.map(|place| place.credential);
        Some(GroupInspection {
            id: copy.name.to_string(),
            reason,
            priority: group.priority,
            weight: group.weight.into(),
            model: model.map(str::to_owned),
            until,
            credentials: Candidate::of_all(&copy, &ask, choice, serving, now),
        })
    }

    /// What is known of each credential of a provider, by priority, then in order.
    #[must_use]
    pub fn status(&self, provider: ProviderIndex, now: Wall) -> Vec<StatusRow> {
        let now = self.clock.peek(now);
        self.awake_copy(provider, now).map_or_else(Vec::new, |copy| StatusRow::of_all(&copy, now))
    }

    /// The provider as it would be after what every call begins with.
    fn awake_copy(&self, provider: ProviderIndex, now: Moment) -> Option<Provider> {
        let mut copy = self.provider_at(provider)?.clone();
        for lease in self.leases.overdue(self.config.lease_ttl, now.inside) {
            if lease.provider == provider {
                copy.land(lease.credential);
                if lease.probed.any() {
                    while copy.wake_one(now.inside).is_some() {}
                }
                copy.end_probe(lease.credential, lease.model, lease.probed, now.inside);
            }
        }
        while copy.wake_one(now.inside).is_some() {}
        Some(copy)
    }
}
