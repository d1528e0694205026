//! A draw by weight: no order to keep, so processes that share nothing still share the load.

use super::{Draw, Lineup, Select};
use crate::structures::Fenwick;

/// Independent draws.
#[derive(Clone, Debug)]
pub(crate) struct WeightedRandom {
    sums: Fenwick,
}

impl WeightedRandom {
    pub(crate) fn new(lineup: &Lineup) -> Self {
        Self { sums: Fenwick::new(lineup.members().len()) }
    }
}

impl Select for WeightedRandom {
    fn changed(&mut self, place: usize, available: bool, lineup: &Lineup) {
        let weight = lineup.weight(place);
        if available {
            self.sums.add(place, weight);
        } else {
            self.sums.subtract(place, weight);
        }
    }

    fn pick(&mut self, _lineup: &Lineup, draw: Draw<'_>) -> Option<usize> {
        let slot = draw.rng.below(self.sums.total());
        self.sums.find(slot).map(|(place, _)| place)
    }

    fn pick_among(&mut self, lineup: &Lineup, eligible: &[usize], draw: Draw<'_>) -> Option<usize> {
        let total = eligible.iter().map(|&place| lineup.weight(place)).sum();
        let slot = draw.rng.below(total);
        let mut end = 0;
        eligible.iter().copied().find(|&place| {
            end += lineup.weight(place);
            end > slot
        })
    }
}
