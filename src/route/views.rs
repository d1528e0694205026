//! The groups of one candidate set in their tiers, each tier with its strategy in progress.
//!
//! A view is brought up to date when it is used: it reads which groups changed since then, so a choice
//! costs what changed and what the strategy needs, however many groups and credentials there are.

use super::{Group, GroupSet};
use crate::select::{Draw, Lineup, Member, Selector, Strategy};
use crate::structures::{Bitset, IndexedHeap, Table};
use crate::types::{Inside, ProviderIndex, mix};

/// How many candidate sets are remembered; the one unused for longest leaves first.
const VIEWS_KEPT: usize = 256;

/// A view that missed more changes than this looks at all of its groups anew.
const CHANGES_KEPT: usize = 1_024;

/// The views of a router, and what changed since each of them was used.
#[derive(Clone, Debug)]
pub(crate) struct Views {
    strategy: Strategy,
    /// The groups in the order of their tiers.
    ranked: Vec<Ranked>,
    list: Vec<View>,
    index: Table,
    uses: u64,
    /// The groups that changed, in order; the first has the number `first`.
    changes: Vec<u32>,
    first: u64,
}

/// A group among all.
#[derive(Clone, Copy, Debug)]
struct Ranked {
    number: usize,
    priority: i32,
    /// The hash of its name.
    hash: u64,
}

/// One candidate set.
#[derive(Clone, Debug)]
pub(crate) struct View {
    members: GroupSet,
    /// The model for which its groups weigh what they weigh; 0 when it makes no difference to any of them.
    model: u64,
    hash: u64,
    used: u64,
    /// Up to which change it is up to date; `None` when it never was.
    seen: Option<u64>,
    tiers: Vec<GroupTier>,
    usable: Bitset,
    /// Tier and place of each group, by its number.
    seats: Vec<Option<(usize, usize)>>,
    /// When time alone changes what a group has.
    waking: IndexedHeap<Inside>,
    /// The groups that weigh what they do for the last request alone.
    adjusted: Vec<u32>,
}

/// The groups of one priority.
#[derive(Clone, Debug)]
struct GroupTier {
    priority: i32,
    groups: Vec<u32>,
    lineup: Lineup,
    selector: Selector,
}

/// What a group has for a request.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Standing {
    /// Its own weight times those of all its credentials that could serve; 0 when nobody could.
    pub(crate) weight: u64,
    /// Leases in flight.
    pub(crate) in_flight: u32,
    /// When time alone changes that, beyond what changes for every model.
    pub(crate) until: Option<Inside>,
}

impl Views {
    /// No views yet; `hash_of` answers the hash of a group's name.
    pub(crate) fn new(
        strategy: Strategy,
        groups: &[Group],
        hash_of: impl Fn(ProviderIndex) -> u64,
    ) -> Self {
        let mut ranked: Vec<Ranked> = Vec::with_capacity(groups.len());
        for (number, group) in groups.iter().enumerate() {
            let (priority, hash) = (group.priority, hash_of(group.provider));
            // Behind its equals.
            let at = ranked.partition_point(|other| other.priority >= priority);
            ranked.insert(at, Ranked { number, priority, hash });
        }
        Self {
            strategy,
            ranked,
            list: Vec::new(),
            index: Table::new(),
            uses: 0,
            changes: Vec::new(),
            first: 0,
        }
    }

    pub(crate) const fn strategy(&self) -> Strategy {
        self.strategy
    }

    /// Takes in that what a group has may have changed.
    pub(crate) fn changed(&mut self, group: u32) {
        if self.changes.len() >= 2 * CHANGES_KEPT {
            self.changes.drain(..CHANGES_KEPT);
            self.first += CHANGES_KEPT as u64;
        }
        self.changes.push(group);
    }

    /// The view of those groups for that model, up to date with what `standing` says of each.
    pub(crate) fn of(
        &mut self,
        (members, model): (&GroupSet, u64),
        now: Inside,
        standing: impl Fn(u32) -> Standing,
    ) -> Option<&mut View> {
        let words = members.words().iter();
        let hash = words.fold(mix(model), |hash, &word| mix(hash.rotate_left(1) ^ word));
        let is_it = |at: u32| {
            let known = self.list.get(at as usize);
            known.is_some_and(|view| view.model == model && view.members == *members)
        };
        let at = match self.index.find(hash, is_it) {
            Some(at) => at,
            None => self.add(View::new(members, (model, hash), &self.ranked, self.strategy)),
        };
        self.uses += 1;
        let Self { list, changes, first, uses, .. } = self;
        let view = list.get_mut(at as usize)?;
        view.used = *uses;
        let from = view.seen.and_then(|seen| seen.checked_sub(*first));
        match from.and_then(|from| changes.get(from as usize..)) {
            Some(missed) => view.catch_up(missed, now, standing),
            None => view.look_at_all(standing),
        }
        view.seen = Some(*first + changes.len() as u64);
        Some(view)
    }

    /// Keeps a view, in place of the one unused for longest when there are too many.
    fn add(&mut self, view: View) -> u32 {
        let Self { list, index, .. } = self;
        let hash = view.hash;
        let at = if list.len() < VIEWS_KEPT {
            list.push(view);
            list.len() - 1
        } else {
            let oldest = list.iter().enumerate().min_by_key(|(_, view)| view.used);
            let at = oldest.map_or(0, |(at, _)| at);
            let hash_of = |at: u32| list.get(at as usize).map_or(0, |view| view.hash);
            index.remove(hash_of(at as u32), |other| other as usize == at, hash_of);
            list[at] = view;
            at
        };
        index.insert(hash, at as u32, |at| list.get(at as usize).map_or(0, |view| view.hash));
        at as u32
    }
}

impl View {
    fn new(
        members: &GroupSet,
        (model, hash): (u64, u64),
        all: &[Ranked],
        strategy: Strategy,
    ) -> Self {
        let mut seats = vec![None; all.len()];
        let mut tiers = Vec::new();
        for tier in all.chunk_by(|a, b| a.priority == b.priority) {
            let own = || tier.iter().filter(|ranked| members.contains(ranked.number));
            let Some(&Ranked { priority, .. }) = own().next() else { continue };
            for (place, ranked) in own().enumerate() {
                seats[ranked.number] = Some((tiers.len(), place));
            }
            let weightless = |ranked: &Ranked| Member { weight: 0, hash: ranked.hash };
            let lineup = Lineup::new(own().map(weightless).collect());
            tiers.push(GroupTier {
                priority,
                groups: own().map(|ranked| ranked.number as u32).collect(),
                selector: Selector::new(strategy, &lineup),
                lineup,
            });
        }
        Self {
            members: members.clone(),
            model,
            hash,
            used: 0,
            seen: None,
            usable: Bitset::new(tiers.len()),
            tiers,
            seats,
            waking: IndexedHeap::new(),
            adjusted: Vec::new(),
        }
    }

    fn look_at_all(&mut self, standing: impl Fn(u32) -> Standing) {
        self.adjusted.clear();
        for group in 0..self.seats.len() as u32 {
            if self.has(group) {
                self.seat(group, standing(group));
            }
        }
    }

    /// Looks at the groups that changed, at those whose time has come, and at those that the last request
    /// saw otherwise than others do.
    fn catch_up(&mut self, changed: &[u32], now: Inside, standing: impl Fn(u32) -> Standing) {
        let adjusted = std::mem::take(&mut self.adjusted);
        for &group in changed.iter().chain(&adjusted) {
            if self.has(group) {
                self.seat(group, standing(group));
            }
        }
        while let Some((until, group)) = self.waking.first()
            && until <= now
        {
            self.waking.remove(group);
            self.seat(group as u32, standing(group as u32));
        }
    }

    fn seat(&mut self, group: u32, Standing { weight, in_flight, until }: Standing) {
        let Some((tier_at, place)) = self.seats.get(group as usize).copied().flatten() else {
            return;
        };
        match until {
            Some(until) => self.waking.set(group as usize, until),
            None => self.waking.remove(group as usize),
        }
        let Some(tier) = self.tiers.get_mut(tier_at) else { return };
        tier.selector.reweigh(&mut tier.lineup, place, weight);
        tier.selector.strategy_mut().in_flight(place, in_flight);
        self.usable.set(tier_at, tier.lineup.available().count() > 0);
    }

    /// Whether the group is a member.
    pub(crate) fn has(&self, group: u32) -> bool {
        self.seats.get(group as usize).is_some_and(Option::is_some)
    }

    /// Lets a group weigh otherwise until the view is used again.
    pub(crate) fn adjust(&mut self, group: u32, standing: Standing) {
        if self.has(group) {
            self.seat(group, standing);
            self.adjusted.push(group);
        }
    }

    /// The tier that serves a request that has come down to `floor`: the highest usable one; once there
    /// is a floor, the next usable one below, else the floor itself, and none above it.
    pub(crate) fn serving_tier(&self, floor: Option<i32>) -> Option<usize> {
        let Some(floor) = floor else { return self.usable.next(0) };
        let reached = self.tiers.partition_point(|tier| tier.priority > floor);
        let is_floor = self.tiers.get(reached).is_some_and(|tier| tier.priority == floor);
        let below = self.usable.next(reached + usize::from(is_floor));
        below.or_else(|| Some(reached).filter(|&at| is_floor && self.usable.contains(at)))
    }

    /// The tiers that a request may be served by that has come down to `floor`, in the order in which
    /// they come.
    pub(crate) fn tiers(&self, floor: Option<i32>) -> impl Iterator<Item = usize> + '_ {
        let reached = floor.map_or(0, |floor| self.tiers.partition_point(|t| t.priority > floor));
        let floor_at = self.tiers.get(reached).filter(|tier| Some(tier.priority) == floor);
        let floor_at = floor_at.map(|_| reached);
        (reached..self.tiers.len()).filter(move |&at| Some(at) != floor_at).chain(floor_at)
    }

    /// The groups of a tier, in order.
    pub(crate) fn groups(&self, tier: usize) -> &[u32] {
        self.tiers.get(tier).map_or(&[], |tier| &tier.groups)
    }

    /// The tier of a group.
    pub(crate) fn tier_of(&self, group: u32) -> Option<usize> {
        self.seats.get(group as usize).copied().flatten().map(|(tier, _)| tier)
    }

    /// Lets the strategy choose within a tier, and counts the choice.
    pub(crate) fn pick(&mut self, tier: usize, draw: Draw<'_>) -> Option<u32> {
        let GroupTier { groups, lineup, selector, .. } = self.tiers.get_mut(tier)?;
        let place = selector.strategy_mut().pick(lineup, draw)?;
        groups.get(place).copied()
    }

    /// Counts a choice that the strategy did not make.
    pub(crate) fn charge(&mut self, group: u32) {
        if let Some((tier, place)) = self.seats.get(group as usize).copied().flatten()
            && let Some(GroupTier { lineup, selector, .. }) = self.tiers.get_mut(tier)
        {
            selector.strategy_mut().charge(place, lineup);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{GroupSet, Inside, Standing, Strategy, VIEWS_KEPT, Views};
    use crate::route::Group;
    use crate::types::{ProviderIndex, Weight};

    #[test]
    fn of_more_candidate_sets_than_are_kept_the_one_unused_for_longest_leaves_no_trace() {
        let group = |at| Group {
            provider: ProviderIndex(at),
            enabled: true,
            priority: 0,
            weight: Weight::MIN,
            protocols: Vec::new(),
            models: None,
        };
        let groups: Vec<Group> = (0..9).map(group).collect();
        let mut views = Views::new(Strategy::FillFirst, &groups, |_| 0);
        for set in (0..512_usize).cycle().take(2_000) {
            let members = GroupSet::of(9, (0..9).filter(|at| set >> at & 1 == 1));
            let standing = |_| Standing { weight: 1, ..Standing::default() };
            views.of((&members, 0), Inside(0), standing).expect("a view");
        }
        assert_eq!((views.list.len(), views.index.len()), (VIEWS_KEPT, VIEWS_KEPT));
        let last = GroupSet::of(9, (0..9).filter(|at| (1_999 % 512) >> at & 1 == 1));
        assert!(views.list.iter().any(|view| view.members == last));
    }
}
