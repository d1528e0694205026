//! The fewest leases in flight for its weight.

use std::cmp::Ordering;

use super::{Draw, Lineup, Progress, Select};
use crate::structures::IndexedHeap;

/// Leases in flight divided by weight; among equals, the one that is furthest behind its share.
///
/// The share is counted by stride scheduling (Waldspurger, Weihl 1995): a pick advances its
/// credential by one over its weight. So requests that never overlap still follow the weights.
#[derive(Clone, Debug)]
pub(crate) struct LeastBusy {
    places: Vec<Load>,
    queue: IndexedHeap<Load>,
    /// How far the last pick stood: who comes back starts here, not with a debt to catch up.
    served: u64,
}

#[derive(Clone, Copy, Debug)]
struct Load {
    in_flight: u32,
    weight: u64,
    served: u64,
}

/// One over the weight, in whole numbers.
const STRIDE: u64 = 1 << 20;

impl LeastBusy {
    pub(crate) fn new(lineup: &Lineup) -> Self {
        let places = lineup
            .members()
            .iter()
            .map(|member| Load { in_flight: 0, weight: member.weight, served: 0 })
            .collect();
        Self { places, queue: IndexedHeap::new(), served: 0 }
    }

    fn update(&mut self, place: usize, change: impl FnOnce(&mut Load)) {
        let Some(load) = self.places.get_mut(place) else {
            return;
        };
        change(load);
        if self.queue.key(place).is_some() {
            self.queue.set(place, *load);
        }
    }
}

impl Select for LeastBusy {
    fn changed(&mut self, place: usize, available: bool, _lineup: &Lineup) {
        if !available {
            self.queue.remove(place);
        } else if let Some(load) = self.places.get_mut(place) {
            load.served = load.served.max(self.served);
            self.queue.set(place, *load);
        }
    }

    fn reweighed(&mut self, place: usize, weight: u64) {
        self.update(place, |load| load.weight = weight);
    }

    fn pick(&mut self, lineup: &Lineup, _draw: Draw<'_>) -> Option<usize> {
        let (_, place) = self.queue.first()?;
        self.charge(place, lineup);
        Some(place)
    }

    fn pick_among(
        &mut self,
        lineup: &Lineup,
        eligible: &[usize],
        _draw: Draw<'_>,
    ) -> Option<usize> {
        let place = eligible.iter().copied().min_by_key(|&place| self.queue.key(place))?;
        self.charge(place, lineup);
        Some(place)
    }

    fn charge(&mut self, place: usize, _lineup: &Lineup) {
        if let Some(load) = self.places.get(place) {
            self.served = self.served.max(load.served);
        }
        self.update(place, |load| load.served += STRIDE / load.weight.max(1));
    }

    fn in_flight(&mut self, place: usize, leases: u32) {
        self.update(place, |load| load.in_flight = leases);
    }

    fn save(&self) -> Progress {
        // Only differences count, so the numbers written are small however long the pool has run.
        let least = self.places.iter().map(|load| load.served).min().unwrap_or(0);
        let beyond = |served: u64| served.saturating_sub(least).cast_signed();
        Progress {
            cursor: Some(beyond(self.served)),
            places: self.places.iter().map(|load| beyond(load.served)).collect(),
        }
    }

    fn resume(&mut self, progress: &Progress) {
        // Nobody is further than one pick ahead of the last one, so a damaged number starves nobody.
        self.served = progress.cursor.unwrap_or(0).clamp(0, 1 << 53).cast_unsigned();
        let furthest = (self.served + STRIDE).cast_signed();
        for (place, &served) in progress.places.iter().enumerate() {
            self.update(place, |load| load.served = served.clamp(0, furthest).cast_unsigned());
        }
    }
}

impl Ord for Load {
    fn cmp(&self, other: &Self) -> Ordering {
        let (a, b) = (u64::from(self.in_flight), u64::from(other.in_flight));
        (a.saturating_mul(other.weight))
            .cmp(&b.saturating_mul(self.weight))
            .then(self.served.cmp(&other.served))
    }
}

impl PartialOrd for Load {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Load {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Load {}
