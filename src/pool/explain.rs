//! Looking at the pool as it is, without changing it.

use super::Pool;
use super::acquire::preferred;
use crate::explain::{Explanation, StatusRow};
use crate::provider::{Provider, Request};
use crate::types::{Moment, ProviderIndex, Wall};

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

    /// What is known of each credential of a provider, by priority, then in order.
    #[must_use]
    pub fn status(&self, provider: ProviderIndex, now: Wall) -> Vec<StatusRow> {
        let now = self.clock.peek(now);
        self.awake_copy(provider, now).map_or_else(Vec::new, |copy| StatusRow::of_all(&copy, now))
    }

    /// The provider as it would be after what every call begins with.
    fn awake_copy(&self, provider: ProviderIndex, now: Moment) -> Option<Provider> {
        let mut copy = self.provider_at(provider)?.clone();
        while copy.wake_one(now.inside).is_some() {}
        for lease in self.leases.overdue(self.config.lease_ttl, now.inside) {
            if lease.provider == provider {
                copy.land(lease.credential);
                copy.end_probe(lease.credential, lease.model, lease.probed, now.inside);
            }
        }
        Some(copy)
    }
}
