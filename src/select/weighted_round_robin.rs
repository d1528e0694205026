//! The documented slot walk: `index = (index + 1) mod total`, and the first credential whose
//! cumulated weight exceeds the index. Weights 3, 2, 1 give A A A B B C.

use super::{Draw, Lineup, Progress, Select};
use crate::structures::Fenwick;

/// The slot walk over the available credentials.
///
/// The walk goes on from slot to slot, so the credential of the last slot and the end of its slots
/// are kept: most picks read nothing else. After a change the tree of sums finds the place again.
#[derive(Clone, Debug)]
pub(crate) struct WeightedRoundRobin {
    /// The slot of the last pick; before the first pick the one before slot 0.
    last: u64,
    sums: Fenwick,
    current: Option<Run>,
}

/// The slots of the last pick's credential, as long as nobody comes or goes.
#[derive(Clone, Copy, Debug)]
struct Run {
    place: usize,
    end: u64,
}

const BEFORE_FIRST: u64 = u64::MAX;

impl WeightedRoundRobin {
    pub(crate) fn new(lineup: &Lineup) -> Self {
        Self { last: BEFORE_FIRST, sums: Fenwick::new(lineup.members().len()), current: None }
    }

    fn run_of(&self, slot: u64, lineup: &Lineup) -> Option<Run> {
        match self.current {
            Some(run) if slot != 0 && slot < run.end => Some(run),
            Some(run) if slot != 0 && slot == run.end => {
                let place = lineup.available().next(run.place + 1)?;
                Some(Run { place, end: slot + lineup.weight(place) })
            }
            _ => {
                let (place, before) = self.sums.find(slot)?;
                Some(Run { place, end: before + lineup.weight(place) })
            }
        }
    }

    const fn next_slot(&self, total: u64) -> u64 {
        let next = self.last.wrapping_add(1);
        if next < total { next } else { next % total }
    }
}

impl Select for WeightedRoundRobin {
    fn changed(&mut self, place: usize, available: bool, lineup: &Lineup) {
        let weight = lineup.weight(place);
        if available {
            self.sums.add(place, weight);
        } else {
            self.sums.subtract(place, weight);
        }
        self.current = None;
    }

    fn pick(&mut self, lineup: &Lineup, _draw: Draw<'_>) -> Option<usize> {
        if lineup.available().count() <= 1 {
            return lineup.available().next(0); // the documented service leaves the index alone
        }
        let slot = self.next_slot(self.sums.total());
        let run = self.run_of(slot, lineup)?;
        self.last = slot;
        self.current = Some(run);
        Some(run.place)
    }

    fn pick_among(
        &mut self,
        lineup: &Lineup,
        eligible: &[usize],
        _draw: Draw<'_>,
    ) -> Option<usize> {
        if let [] | [_] = eligible {
            return eligible.first().copied();
        }
        let total: u64 = eligible.iter().map(|&place| lineup.weight(place)).sum();
        self.last = self.next_slot(total);
        self.current = None;
        let mut end = 0;
        eligible.iter().copied().find(|&place| {
            end += lineup.weight(place);
            end > self.last
        })
    }

    fn save(&self) -> Progress {
        Progress { cursor: Some(self.last.cast_signed()), places: Vec::new() }
    }

    fn resume(&mut self, progress: &Progress) {
        self.last = progress.cursor.map_or(BEFORE_FIRST, i64::cast_unsigned);
        self.current = None;
    }
}
