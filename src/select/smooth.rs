//! The same shares as the slot walk, spread out: weights 3, 2, 1 give A B A C B A.
//!
//! nginx's smooth weighted round robin, counted in shares: at each pick every available credential
//! gains `weight / available total`, the greatest credit is chosen (the first of equals), and the
//! chosen pays 1. On a fixed set this is nginx's order. Credit is kept while a credential is away, and
//! is clamped to -1 and 1 whenever someone comes or goes or a choice was made elsewhere, so no set of
//! comings and goings starves anyone.
//!
//! All credentials of equal weight gain alike. So what they gain is kept once per weight, each weight
//! queues its credentials by what they have paid, and a pick compares the heads of at most a hundred
//! queues however large the pool is. On a fixed set all numbers are whole, so equals are equal.

use std::cmp::Reverse;

use super::{Draw, Lineup, Progress, Select};
use crate::structures::{Bitset, IndexedHeap};

/// A credit of 1. Whole numbers of this size leave room for 2^39 picks of one credential.
const ONE: i64 = 1 << 24;
/// The greatest credit after a clamp: a hair below 1, so that a credential that leads another by all
/// that it can is chosen twice in a row and not thrice.
const MOST: i64 = ONE - 1;

#[derive(Clone, Debug)]
pub(crate) struct Smooth {
    classes: Vec<WeightClass>,
    /// Where a place stands: its class, and its number there.
    seats: Vec<(usize, usize)>,
    /// The credit of those who are away.
    away: Vec<i64>,
    /// The sum of the available weights.
    total: i64,
    /// Picks since the set changed or a cycle of `total` picks ended.
    turn: i64,
}

/// The credentials of one weight. A key is a credit less `gained` and less this cycle's gain.
#[derive(Clone, Debug)]
struct WeightClass {
    weight: i64,
    /// What each member gained before this cycle.
    gained: i64,
    /// The members that are available and were not clamped, the greatest credit first.
    queue: IndexedHeap<Reverse<i64>>,
    /// Those that were clamped from above and have not paid since: all have the key `ceiling`.
    full: Bitset,
    ceiling: i64,
    /// The place of each number.
    members: Vec<usize>,
}

impl Smooth {
    pub(crate) fn new(lineup: &Lineup) -> Self {
        let mut classes: Vec<WeightClass> = Vec::new();
        let mut seats = Vec::with_capacity(lineup.members().len());
        for place in 0..lineup.members().len() {
            let weight = lineup.weight(place).cast_signed();
            let class =
                classes.iter().position(|class| class.weight == weight).unwrap_or_else(|| {
                    classes.push(WeightClass::new(weight));
                    classes.len() - 1
                });
            seats.push((class, classes[class].members.len()));
            classes[class].members.push(place);
        }
        for class in &mut classes {
            class.full = Bitset::new(class.members.len());
        }
        let away = vec![0; seats.len()];
        Self { classes, seats, away, total: 0, turn: 0 }
    }

    /// The available credential of the greatest credit; the first of equals.
    fn richest(&self) -> Option<usize> {
        let scale = self.scale();
        let heads = self.classes.iter().filter_map(|class| {
            let (key, number) = class.head()?;
            Some((class.scaled(key, scale), Reverse(class.members[number])))
        });
        heads.max().map(|(_, Reverse(place))| place)
    }

    /// The credential at `place` pays 1, and a cycle may end.
    fn pay(&mut self, place: usize) {
        let scale = self.scale();
        let (class, number) = self.seats[place];
        let class = &mut self.classes[class];
        let Some(key) = class.key(number) else { return };
        let lowest = -ONE - class.gained - class.share(scale);
        class.full.set(number, false);
        class.queue.set(number, Reverse((key - ONE).max(lowest)));
        if self.turn >= self.total {
            self.end_cycle();
        }
    }

    /// Nobody keeps more credit than 1.
    fn clamp(&mut self) {
        let scale = self.scale();
        for class in &mut self.classes {
            // What was clamped before has gained since, so it is at the ceiling again.
            class.ceiling = MOST - class.gained - class.share(scale);
            while let Some((Reverse(key), number)) = class.queue.first()
                && key >= class.ceiling
            {
                class.queue.remove(number);
                class.full.set(number, true);
            }
        }
    }

    /// Moves this cycle's gains to what was gained before. After `total` picks they are whole.
    fn end_cycle(&mut self) {
        let scale = self.scale();
        for class in &mut self.classes {
            class.gained += class.share(scale);
        }
        self.turn = 0;
    }

    /// The credit at `place` without this cycle's gain.
    fn credit(&self, place: usize) -> i64 {
        let (class, number) = self.seats[place];
        let class = &self.classes[class];
        class.key(number).map_or(self.away[place], |key| key + class.gained)
    }

    const fn scale(&self) -> Scale {
        Scale { turn: self.turn, total: self.total }
    }
}

/// How far the cycle has come: everyone has gained `weight * turn / total` in it.
#[derive(Clone, Copy)]
struct Scale {
    turn: i64,
    total: i64,
}

impl WeightClass {
    fn new(weight: i64) -> Self {
        Self {
            weight,
            gained: 0,
            queue: IndexedHeap::new(),
            full: Bitset::default(),
            ceiling: MOST,
            members: Vec::new(),
        }
    }

    /// The key and the number of the member of the greatest credit; the first of equals.
    fn head(&self) -> Option<(i64, usize)> {
        match self.full.next(0) {
            Some(number) => Some((self.ceiling, number)),
            None => self.queue.first().map(|(Reverse(key), number)| (key, number)),
        }
    }

    /// The key of a member, when it is available.
    fn key(&self, number: usize) -> Option<i64> {
        if self.full.contains(number) {
            return Some(self.ceiling);
        }
        self.queue.key(number).map(|Reverse(key)| key)
    }

    /// A credit times `total`, exactly.
    const fn scaled(&self, key: i64, scale: Scale) -> i64 {
        (key + self.gained) * scale.total + self.weight * scale.turn * ONE
    }

    /// This cycle's gain, rounded to the nearest.
    const fn share(&self, scale: Scale) -> i64 {
        if scale.total == 0 {
            return 0;
        }
        (self.weight * scale.turn * ONE + scale.total / 2) / scale.total
    }
}

impl Select for Smooth {
    fn changed(&mut self, place: usize, available: bool, lineup: &Lineup) {
        if self.turn > 0 {
            self.end_cycle();
        }
        let credit = self.credit(place).clamp(-ONE, MOST);
        let weight = lineup.weight(place).cast_signed();
        let (class, number) = self.seats[place];
        let class = &mut self.classes[class];
        if available {
            self.total += weight;
            class.queue.set(number, Reverse(credit - class.gained));
        } else {
            self.total -= weight;
            class.queue.remove(number);
            class.full.set(number, false);
            self.away[place] = credit;
        }
        self.clamp();
    }

    fn pick(&mut self, _lineup: &Lineup, _draw: Draw<'_>) -> Option<usize> {
        if self.total == 0 {
            return None;
        }
        self.turn += 1;
        let place = self.richest()?;
        self.pay(place);
        Some(place)
    }

    fn pick_among(&mut self, lineup: &Lineup, eligible: &[usize], draw: Draw<'_>) -> Option<usize> {
        if eligible.len() == lineup.available().count() {
            return self.pick(lineup, draw); // everyone passes the filter
        }
        let credit = |place: usize| {
            let (class, number) = self.seats[place];
            let class = &self.classes[class];
            // Everyone gains before the choice.
            let scale = Scale { turn: self.turn + 1, total: self.total };
            class.key(number).map(|key| class.scaled(key, scale))
        };
        let place =
            eligible.iter().copied().max_by_key(|&place| (credit(place), Reverse(place)))?;
        self.charge(place, lineup);
        Some(place)
    }

    fn charge(&mut self, place: usize, _lineup: &Lineup) {
        let (class, number) = self.seats[place];
        if self.classes[class].key(number).is_none() {
            return; // away: the charge comes too late to count
        }
        self.turn += 1;
        self.pay(place);
        self.clamp();
    }

    fn save(&self) -> Progress {
        let places = (0..self.seats.len()).map(|place| self.credit(place)).collect();
        Progress { cursor: Some(self.turn), places }
    }

    fn resume(&mut self, progress: &Progress) {
        for (place, &credit) in progress.places.iter().enumerate() {
            let Some(&(class, number)) = self.seats.get(place) else { return };
            let class = &mut self.classes[class];
            // What was saved is within these bounds: in one cycle nobody pays much more than its weight.
            // What was damaged must not starve the others.
            let credit = credit.clamp(-(class.weight + 4) * ONE, 4 * ONE);
            if class.key(number).is_some() {
                class.full.set(number, false);
                class.queue.set(number, Reverse(credit - class.gained));
            } else {
                self.away[place] = credit;
            }
        }
        self.turn = progress.cursor.unwrap_or(0).clamp(0, (self.total - 1).max(0));
    }
}
