//! What a provider counts for among the groups of its tier.

use super::{Ask, Provider};
use crate::types::Inside;

#[cfg(test)]
thread_local! {
    /// How often a provider was asked what it has, for tests of what a choice costs.
    pub(crate) static OFFERS: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
}

/// What a group has for a request.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Offer {
    /// The weights of all who could serve it now; 0 when nobody can.
    pub(crate) weight: u64,
    /// Leases in flight, of all credentials together.
    pub(crate) in_flight: u32,
}

impl Provider {
    /// What the provider has for a request now. It looks at every credential only when the request filters.
    pub(crate) fn offer(&self, ask: &Ask<'_>) -> Offer {
        #[cfg(test)]
        OFFERS.set(OFFERS.get() + 1);
        let in_flight = self.in_flight;
        let tier = self.serving_tier(ask).filter(|_| self.pause_hold(ask.now).is_none());
        let Some((at, tier)) = tier.and_then(|at| Some((at, self.tiers.get(at)?))) else {
            return Offer { weight: 0, in_flight };
        };
        let weight = if ask.filters() {
            self.candidates(at, ask).into_iter().map(|place| tier.lineup.weight(place)).sum()
        } else {
            tier.lineup.available_weight()
        };
        Offer { weight, in_flight }
    }

    /// When time alone next changes who can serve, whatever the model.
    pub(crate) fn changes_at(&self, now: Inside) -> Option<Inside> {
        let pause = self.pause_hold(now).map(|hold| hold.until);
        let rest = self.cooling.first().map(|(until, _)| until);
        pause.into_iter().chain(rest).min()
    }

    /// When time alone next changes who can serve that model.
    pub(crate) fn model_changes_at(&self, ask: &Ask<'_>) -> Option<Inside> {
        let held = |&index| self.model_held(index, ask.model_hash, ask.now);
        self.listed.iter().filter_map(held).map(|held| held.hold.until).min()
    }
}
