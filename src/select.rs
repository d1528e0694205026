//! Which of the available credentials serves next: the contract, and the strategies that keep it.
//!
//! A strategy sees places in a [`Lineup`], never credentials: no health, no time, no secret. It is
//! told of every coming and going, so that a pick need not look at those who are away.

mod fill_first;
mod least_busy;
mod rendezvous;
mod smooth;
mod weighted_random;
mod weighted_round_robin;

use crate::rng::Rng;
use crate::structures::Bitset;
use crate::types::{SessionHash, coded};

coded! {
    /// How a credential is chosen among the available ones of the highest usable priority.
    ///
    /// Costs are for a pick without a filter, among `n` available credentials.
    #[derive(Default)]
    pub enum Strategy {
        /// Slots in the order of the rows: weights 3, 2, 1 give A A A B B C. `O(1)`.
        #[default]
        WeightedRoundRobin = "weighted-round-robin",
        /// The same shares, spread out: weights 3, 2, 1 give A B A C B A. `O(log n)`.
        Smooth = "smooth",
        /// A draw by weight. `O(log n)`.
        WeightedRandom = "weighted-random",
        /// The fewest leases in flight for its weight; among equals, the one behind its share. `O(log n)`.
        LeastBusy = "least-busy",
        /// The first in the order of the rows. `O(1)`.
        FillFirst = "fill-first",
        /// The same credential for the same session in every process, with nothing shared. `O(n)`.
        Rendezvous = "rendezvous",
    }
}

impl Strategy {
    /// Whether it may draw random numbers.
    #[must_use]
    pub const fn draws(self) -> bool {
        matches!(self, Self::WeightedRandom | Self::Rendezvous)
    }

    /// Whether it looks at the leases in flight.
    #[must_use]
    pub const fn counts_leases(self) -> bool {
        matches!(self, Self::LeastBusy)
    }

    /// Whether the choice follows from the session itself, so that remembering it would only get in
    /// the way of other processes' equal choice.
    #[must_use]
    pub const fn is_affine(self) -> bool {
        matches!(self, Self::Rendezvous)
    }
}

/// One place in a lineup.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Member {
    /// Its share of the traffic. A group that holds many credentials may have a large one.
    pub(crate) weight: u64,
    /// The hash of its id.
    pub(crate) hash: u64,
}

/// The credentials, or the groups, of one priority in their order, and which of them are available.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lineup {
    members: Vec<Member>,
    available: Bitset,
    available_weight: u64,
}

impl Lineup {
    /// A lineup in which nobody is available yet.
    pub(crate) fn new(members: Vec<Member>) -> Self {
        let available = Bitset::new(members.len());
        Self { members, available, available_weight: 0 }
    }

    /// The weights of all that are available, together.
    pub(crate) const fn available_weight(&self) -> u64 {
        self.available_weight
    }

    pub(crate) const fn available(&self) -> &Bitset {
        &self.available
    }

    pub(crate) fn members(&self) -> &[Member] {
        &self.members
    }

    pub(crate) fn weight(&self, place: usize) -> u64 {
        self.members.get(place).map_or(0, |member| member.weight)
    }
}

/// What a strategy may look at besides the lineup.
pub(crate) struct Draw<'a> {
    pub(crate) session: Option<SessionHash>,
    pub(crate) rng: &'a mut Rng,
}

/// The contract of a strategy.
pub(crate) trait Select {
    /// The credential at `place` came or went. `lineup` already says so.
    fn changed(&mut self, _place: usize, _available: bool, _lineup: &Lineup) {}

    /// The one at `place`, which is away, has another weight from now on.
    fn reweighed(&mut self, _place: usize, _weight: u64) {}

    /// Chooses among all that are available, and counts the choice.
    fn pick(&mut self, lineup: &Lineup, draw: Draw<'_>) -> Option<usize>;

    /// Chooses among `eligible`, some of the available places in their order, and counts the choice.
    fn pick_among(&mut self, lineup: &Lineup, eligible: &[usize], draw: Draw<'_>) -> Option<usize>;

    /// Counts a choice that was made elsewhere: a session that stayed, a user's own function.
    fn charge(&mut self, _place: usize, _lineup: &Lineup) {}

    /// A lease at `place` began, or ended.
    fn in_flight(&mut self, _place: usize, _leases: u32) {}

    /// What must be kept for the order to go on where it was.
    fn save(&self) -> Progress {
        Progress::default()
    }

    /// Goes on from there, in a lineup of as many members.
    fn resume(&mut self, _progress: &Progress) {}
}

/// How far a strategy has come, as plain data: one meaning per strategy.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Progress {
    /// weighted-round-robin: the last slot. smooth: picks since the set changed. least-busy: the share served.
    pub(crate) cursor: Option<i64>,
    /// smooth: credit. least-busy: share served. One per place.
    pub(crate) places: Vec<i64>,
}

/// The strategy of one lineup, in progress.
#[derive(Clone, Debug)]
pub(crate) enum Selector {
    WeightedRoundRobin(weighted_round_robin::WeightedRoundRobin),
    Smooth(smooth::Smooth),
    WeightedRandom(weighted_random::WeightedRandom),
    LeastBusy(least_busy::LeastBusy),
    FillFirst(fill_first::FillFirst),
    Rendezvous(rendezvous::Rendezvous),
}

impl Selector {
    pub(crate) fn new(strategy: Strategy, lineup: &Lineup) -> Self {
        match strategy {
            Strategy::WeightedRoundRobin => {
                Self::WeightedRoundRobin(weighted_round_robin::WeightedRoundRobin::new(lineup))
            }
            Strategy::Smooth => Self::Smooth(smooth::Smooth::new(lineup)),
            Strategy::WeightedRandom => {
                Self::WeightedRandom(weighted_random::WeightedRandom::new(lineup))
            }
            Strategy::LeastBusy => Self::LeastBusy(least_busy::LeastBusy::new(lineup)),
            Strategy::FillFirst => Self::FillFirst(fill_first::FillFirst),
            Strategy::Rendezvous => Self::Rendezvous(rendezvous::Rendezvous),
        }
    }

    /// Marks `place` in the lineup and tells the strategy; answers whether that changed anything.
    pub(crate) fn set_available(
        &mut self,
        lineup: &mut Lineup,
        place: usize,
        available: bool,
    ) -> bool {
        let changed = lineup.available.set(place, available);
        if changed {
            let weight = lineup.weight(place);
            lineup.available_weight = if available {
                lineup.available_weight.saturating_add(weight)
            } else {
                lineup.available_weight.saturating_sub(weight)
            };
            self.strategy_mut().changed(place, available, lineup);
        }
        changed
    }

    /// Gives the one at `place` another weight; who weighs nothing is away.
    pub(crate) fn reweigh(&mut self, lineup: &mut Lineup, place: usize, weight: u64) {
        if lineup.weight(place) != weight {
            self.set_available(lineup, place, false);
            if let Some(member) = lineup.members.get_mut(place) {
                member.weight = weight;
            }
            self.strategy_mut().reweighed(place, weight);
        }
        self.set_available(lineup, place, weight > 0);
    }

    pub(crate) fn strategy_mut(&mut self) -> &mut dyn Select {
        match self {
            Self::WeightedRoundRobin(strategy) => strategy,
            Self::Smooth(strategy) => strategy,
            Self::WeightedRandom(strategy) => strategy,
            Self::LeastBusy(strategy) => strategy,
            Self::FillFirst(strategy) => strategy,
            Self::Rendezvous(strategy) => strategy,
        }
    }

    pub(crate) fn strategy(&self) -> &dyn Select {
        match self {
            Self::WeightedRoundRobin(strategy) => strategy,
            Self::Smooth(strategy) => strategy,
            Self::WeightedRandom(strategy) => strategy,
            Self::LeastBusy(strategy) => strategy,
            Self::FillFirst(strategy) => strategy,
            Self::Rendezvous(strategy) => strategy,
        }
    }
}
