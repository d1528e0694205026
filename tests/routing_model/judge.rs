//! An inspection agrees with what the next request gets, and with the model on why.

use keyrota::{
    Inspection, Plan, PlanTerms, Pool, Reason, RouteRefusal, RouteRequest, RoutedGrant, Wall,
};

use crate::driver::{Driver, name};

impl Driver {
    /// An inspection against what came of the request.
    pub fn compare_with_answer(
        &self,
        told: &Inspection,
        routed: Result<RoutedGrant, RouteRefusal>,
    ) {
        let choice = routed.ok().map(|routed| {
            let id = self.pool.credential_id(routed.place.provider, routed.grant.credential);
            (name(routed.place.provider.0), id.unwrap_or_default().to_owned())
        });
        assert_eq!(told.choice, choice, "the choice: {}", self.context());
        let refusal = match routed {
            Err(RouteRefusal::NoneAvailable { retry_after, at_capacity }) => {
                (retry_after, at_capacity)
            }
            _ => (None, false),
        };
        let told = (told.retry_after_ms, told.at_capacity);
        assert_eq!(told, refusal, "the refusal: {}", self.context());
    }

    /// The reasons of an inspection, which are consistent with its choice.
    pub fn compare_inspection(&self, told: &Inspection, request: &RouteRequest<'_>) {
        let (now, context) = (self.wall(), || self.context());
        let plan = Plan::new(PlanTerms::default());
        let denied = self.naive.denied(request, &plan, now).unwrap_or(Reason::Available);
        assert_eq!(told.access_key, denied, "{}", context());
        self.compare_groups(told, request, now);
        let all = told.groups.iter().flat_map(|group| &group.credentials);
        let chosen: Vec<&str> = all
            .filter(|known| known.reason == Reason::Chosen)
            .map(|known| known.id.as_str())
            .collect();
        let expected: Vec<&str> = told.choice.iter().map(|choice| choice.1.as_str()).collect();
        assert_eq!(chosen, expected, "{}", context());
    }

    fn compare_groups(&self, told: &Inspection, request: &RouteRequest<'_>, now: Wall) {
        let pool = &self.pool;
        let plan = Plan::new(PlanTerms::default());
        let made_by = self.naive.made_by(pool, request, &plan, now);
        let groups = &self.naive.config.groups;
        let serving = told.choice.as_ref().map(|choice| {
            let group = groups.iter().find(|group| name(group.provider.0) == choice.0);
            group.expect("it is a group")
        });
        assert_eq!(told.groups.len(), groups.len(), "{}", self.context());
        for (at, (told, group)) in told.groups.iter().zip(groups).enumerate() {
            let is_elsewhere = made_by.is_some_and(|made_by| made_by.provider != group.provider);
            let only = made_by.filter(|_| !is_elsewhere).map(|made_by| made_by.credential);
            let alone = self.naive.alone(pool, at, (request, &plan), only, now);
            let usable = self.naive.standing(pool, at, (request, &plan), now).usable;
            let is_free = match only {
                Some(only) => {
                    let id = pool.credential_id(group.provider, only).unwrap_or_default();
                    self.is_free(pool, at, id, request)
                }
                None => !usable.is_empty(),
            };
            let reason = if let Some((_, reason)) = self.naive.excluded(group, request) {
                reason
            } else if serving.is_some_and(|serving| serving.provider == group.provider) {
                Reason::Chosen
            } else if is_elsewhere {
                Reason::BoundElsewhere
            } else if self.naive.rows[group.provider.0 as usize].is_empty() {
                Reason::NoCredentials
            } else if !is_free && alone.at_capacity {
                Reason::AtCapacity
            } else if !is_free {
                Reason::NoUsableCredential
            } else if serving.is_some_and(|serving| serving.priority > group.priority) {
                Reason::GroupLowerTier
            } else {
                Reason::Available
            };
            assert_eq!(told.reason, reason, "{}: {told:?} {}", told.id, self.context());
            let until = alone.retry_after_ms.map(|wait| Wall(now.0 + wait.0 as i64));
            assert_eq!(told.until, until.filter(|_| !is_elsewhere), "{}", self.context());
        }
    }

    /// Whether a credential could serve the request if it were the only one.
    fn is_free(&self, pool: &Pool, group: usize, id: &str, request: &RouteRequest<'_>) -> bool {
        let group = &self.naive.config.groups[group];
        let model = request.model.and_then(|model| crate::naive::upstream(group, model));
        let rows = &self.naive.rows[group.provider.0 as usize];
        let lists = rows.iter().find(|row| *row.id == *id).is_some_and(|row| {
            let listed = row.models.as_ref();
            model.zip(listed).is_none_or(|(model, list)| list.iter().any(|one| **one == *model))
        });
        let status = pool.status(group.provider, self.wall());
        let is_free = status.iter().any(|status| {
            status.id == id
                && status.state == Reason::Available
                && !status.models.iter().any(|rest| Some(&*rest.model) == model)
        });
        lists && is_free && pool.is_loaded(group.provider)
    }
}
