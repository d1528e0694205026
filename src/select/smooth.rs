//! The same shares as the slot walk, spread out: weights 3, 2, 1 give A B A C B A.
//!
//! nginx's smooth weighted round robin, counted in shares: at each pick every available credential
//! gains `weight / available total`, the greatest credit is chosen (the first of equals), and the
//! chosen pays 1. On a fixed set this is nginx's order. Credit is kept while a credential is away, and
//! is clamped to -1 and 1 whenever someone comes or goes or a choice was made elsewhere, so no set of
//! comings and goings starves anyone.
//!
//! All credentials of equal weight gain alike. So what they gain is kept once per weight, each weight
//! queues its credentials by what they have paid, and a pick compares the heads of the queues: at most
//! a hundred among credentials however many there are, one for each different weight among groups. On
//! a fixed set all numbers are whole, so equals are equal.

use std::cmp::Reverse;

use super::{Draw, Lineup, Progress, Select};
use crate::structures::{Bitset, IndexedHeap};

/// A credit of 1. Whole numbers of this size leave room for 2^39 picks of one credential.
const ONE: i64 = 1 << 24;
/// The greatest credit after a clamp: a hair below 1, so that a credential that leads another by all
/// that it can is chosen twice in a row and not thrice.
const MOST: i64 = ONE - 1;

/// A cycle is whole numbers up to this total times its turns; a longer one ends early, with its gains
/// rounded, so that no product of a credit and a total leaves 63 bits.
const MOST_SCALED: i64 = 1 << 37;

#[derive(Clone, Debug)]
pub(crate) struct Smooth {
    classes: Vec<WeightClass>,
    /// The class of each place.
    class_of: Vec<usize>,
    /// The credit of those who are away.
    away: Vec<i64>,
    /// The sum of the available weights.
    total: i64,
    /// Picks since the set changed or a cycle of `total` picks ended.
    turn: i64,
}

/// The places of one weight. A key is a credit less `gained` and less this cycle's gain.
#[derive(Clone, Debug)]
struct WeightClass {
    weight: i64,
    /// How many places have that weight. Where there are none, another weight may move in.
    members: usize,
    /// What each member gained before this cycle.
    gained: i64,
    /// The places that are available and were not clamped, the greatest credit first.
    queue: IndexedHeap<Reverse<i64>>,
    /// Those that were clamped from above and have not paid since: all have the key `ceiling`.
    full: Bitset,
    ceiling: i64,
}

impl Smooth {
    pub(crate) fn new(lineup: &Lineup) -> Self {
        let places = lineup.members().len();
        let mut smooth = Self {
            classes: Vec::new(),
            class_of: Vec::with_capacity(places),
            away: vec![0; places],
            total: 0,
            turn: 0,
        };
        for place in 0..places {
            let class = smooth.join(lineup.weight(place));
            smooth.class_of.push(class);
        }
        smooth
    }

    /// The class of that weight, with one more member.
    fn join(&mut self, weight: u64) -> usize {
        let weight = weight.cast_signed();
        let known = self.classes.iter().position(|class| class.weight == weight);
        let class = known.or_else(|| self.classes.iter().position(|class| class.members == 0));
        let class = class.unwrap_or_else(|| {
            self.classes.push(WeightClass::new(weight, self.away.len()));
            self.classes.len() - 1
        });
        let joined = &mut self.classes[class];
        if joined.weight != weight {
            *joined = WeightClass::new(weight, self.away.len());
        }
        joined.members += 1;
        class
    }

    /// The available credential of the greatest credit; the first of equals.
    fn richest(&self) -> Option<usize> {
        let scale = self.scale();
        let heads = self.classes.iter().filter_map(|class| {
            let (key, place) = class.head()?;
            Some((class.scaled(key, scale), Reverse(place)))
        });
        heads.max().map(|(_, Reverse(place))| place)
    }

    /// The credential at `place` pays 1, and a cycle may end.
    fn pay(&mut self, place: usize) {
        let scale = self.scale();
        let class = &mut self.classes[self.class_of[place]];
        let Some(key) = class.key(place) else { return };
        let lowest = -ONE - class.gained - class.share(scale);
        class.full.set(place, false);
        class.queue.set(place, Reverse((key - ONE).max(lowest)));
        if self.turn >= self.total.min(MOST_SCALED / self.total.max(1)) {
            self.end_cycle();
        }
    }

    /// Nobody keeps more credit than 1.
    fn clamp(&mut self) {
        let scale = self.scale();
        for class in &mut self.classes {
            // What was clamped before has gained since, so it is at the ceiling again.
            class.ceiling = MOST - class.gained - class.share(scale);
            while let Some((Reverse(key), place)) = class.queue.first()
                && key >= class.ceiling
            {
                class.queue.remove(place);
                class.full.set(place, true);
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
        let class = &self.classes[self.class_of[place]];
        class.key(place).map_or(self.away[place], |key| key + class.gained)
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
    fn new(weight: i64, places: usize) -> Self {
        Self {
            weight,
            members: 0,
            gained: 0,
            queue: IndexedHeap::new(),
            full: Bitset::new(places),
            ceiling: MOST,
        }
    }

    /// The key and the place of the member of the greatest credit; the first of equals.
    fn head(&self) -> Option<(i64, usize)> {
        match self.full.next(0) {
            Some(place) => Some((self.ceiling, place)),
            None => self.queue.first().map(|(Reverse(key), place)| (key, place)),
        }
    }

    /// The key of a member, when it is available.
    fn key(&self, place: usize) -> Option<i64> {
        if self.full.contains(place) {
            return Some(self.ceiling);
        }
        self.queue.key(place).map(|Reverse(key)| key)
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
        let class = &mut self.classes[self.class_of[place]];
        if available {
            self.total += weight;
            class.queue.set(place, Reverse(credit - class.gained));
        } else {
            self.total -= weight;
            class.queue.remove(place);
            class.full.set(place, false);
            self.away[place] = credit;
        }
        self.clamp();
    }

    fn reweighed(&mut self, place: usize, weight: u64) {
        self.classes[self.class_of[place]].members -= 1;
        self.class_of[place] = self.join(weight);
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
            let class = &self.classes[self.class_of[place]];
            // Everyone gains before the choice.
            let scale = Scale { turn: self.turn + 1, total: self.total };
            class.key(place).map(|key| class.scaled(key, scale))
        };
        let place =
            eligible.iter().copied().max_by_key(|&place| (credit(place), Reverse(place)))?;
        self.charge(place, lineup);
        Some(place)
    }

    fn charge(&mut self, place: usize, _lineup: &Lineup) {
        if self.classes[self.class_of[place]].key(place).is_none() {
            return; // away: the charge comes too late to count
        }
        self.turn += 1;
        self.pay(place);
        self.clamp();
    }

    fn save(&self) -> Progress {
        let places = (0..self.away.len()).map(|place| self.credit(place)).collect();
        Progress { cursor: Some(self.turn), places }
    }

    fn resume(&mut self, progress: &Progress) {
        for (place, &credit) in progress.places.iter().enumerate() {
            let Some(&class) = self.class_of.get(place) else { return };
            let class = &mut self.classes[class];
            // What was saved is within these bounds: in one cycle nobody pays much more than its weight.
            // What was damaged must not starve the others.
            let credit = credit.clamp(-(class.weight + 4) * ONE, 4 * ONE);
            if class.key(place).is_some() {
                class.full.set(place, false);
                class.queue.set(place, Reverse(credit - class.gained));
            } else {
                self.away[place] = credit;
            }
        }
        self.turn = progress.cursor.unwrap_or(0).clamp(0, (self.total - 1).max(0));
    }
}
