//! Whose turn it is in one tier, by walking over everyone.

use std::collections::{BTreeMap, BTreeSet};

use keyrota::{Strategy, hash_text};

/// How far two credits may be apart and still be one: the pool counts in whole numbers, and rounds
/// them whenever someone comes or goes.
const SAME_CREDIT: f64 = 2e-4;
const SAME_SERVICE: f64 = 5e-3;

/// The state of every strategy at once, since most of them have next to none.
pub struct Turns {
    strategy: Strategy,
    /// The ids in order, with their weights.
    members: Vec<(String, u64)>,
    present: BTreeSet<String>,
    /// weighted-round-robin: the last slot.
    slot: i64,
    /// smooth: what each member is owed, in picks.
    credit: BTreeMap<String, f64>,
    /// least-busy: the picks that each member had, divided by its weight.
    served: BTreeMap<String, f64>,
    /// least-busy: where a member starts that comes back.
    floor: f64,
}

impl Turns {
    pub fn new(strategy: Strategy) -> Self {
        Self {
            strategy,
            members: Vec::new(),
            present: BTreeSet::new(),
            slot: -1,
            credit: BTreeMap::new(),
            served: BTreeMap::new(),
            floor: 0.0,
        }
    }

    /// The members as the rows now name them. What a member has of its own moves along with it.
    pub fn rearrange(&mut self, members: Vec<(String, u64)>) {
        if members == self.members {
            return;
        }
        let least = self.members.iter().map(|(id, _)| self.served[id]).fold(f64::MAX, f64::min);
        let least = if self.members.is_empty() { 0.0 } else { least };
        self.floor = self.floor.max(least);
        let own = |known: &BTreeMap<String, f64>, otherwise: f64| {
            let values = members.iter().map(|(id, _)| known.get(id).copied().unwrap_or(otherwise));
            members.iter().map(|(id, _)| id.clone()).zip(values).collect()
        };
        self.credit = own(&self.credit, 0.0);
        self.served = own(&self.served, least);
        self.members = members;
        self.present.clear();
    }

    pub fn ids(&self) -> impl Iterator<Item = &String> {
        self.members.iter().map(|(id, _)| id)
    }

    /// Who is available now.
    pub fn attend(&mut self, available: &BTreeSet<String>) {
        if self.present != *available {
            self.clamp();
        }
        for id in available.difference(&self.present) {
            if let Some(served) = self.served.get_mut(id) {
                *served = served.max(self.floor);
            }
        }
        self.present.clone_from(available);
    }

    /// Whom the strategy may choose among `eligible`: one, or several that differ by rounding only.
    pub fn choices(
        &self,
        eligible: &[String],
        in_flight: &BTreeMap<String, u64>,
        session: Option<u64>,
    ) -> Vec<String> {
        match (self.strategy, session) {
            (Strategy::WeightedRoundRobin, _) => vec![self.at_slot(eligible)],
            (Strategy::FillFirst, _) => eligible[..1].to_vec(),
            (Strategy::Smooth, _) => least(eligible, SAME_CREDIT, |id| -self.gained(id)),
            (Strategy::LeastBusy, _) => {
                let busy =
                    |id: &String| in_flight.get(id).map_or(0.0, |&n| n as f64) / self.weight(id);
                let least_busy = least(eligible, 1e-9, busy);
                least(&least_busy, SAME_SERVICE, |id| self.served[id])
            }
            (Strategy::Rendezvous, Some(session)) => {
                least(eligible, 1e-9, |id| arrival(session, id) / self.weight(id))
            }
            (Strategy::Rendezvous | Strategy::WeightedRandom, _) => eligible.to_vec(),
        }
    }

    /// Counts what the strategy chose.
    pub fn count(&mut self, chosen: &str, eligible: &[String]) {
        if eligible.len() > 1 {
            self.slot = self.next_slot(eligible);
        }
        self.pay(chosen);
        if eligible.len() < self.present.len() {
            self.clamp();
        }
    }

    /// Counts a choice that the strategy did not make. One that is away pays no credit.
    pub fn charge(&mut self, chosen: &str) {
        self.pay(chosen);
        self.clamp();
    }

    fn clamp(&mut self) {
        self.credit.values_mut().for_each(|credit| *credit = credit.min(1.0));
    }

    fn pay(&mut self, chosen: &str) {
        if self.present.contains(chosen) {
            for id in self.present.clone() {
                let gained = self.gained(&id);
                self.credit.insert(id, gained);
            }
            if let Some(credit) = self.credit.get_mut(chosen) {
                *credit = (*credit - 1.0).max(-1.0);
            }
        }
        let weight = self.weight(chosen);
        if let Some(served) = self.served.get_mut(chosen) {
            self.floor = self.floor.max(*served);
            *served += 1.0 / weight;
        }
    }

    fn next_slot(&self, eligible: &[String]) -> i64 {
        let total: f64 = eligible.iter().map(|id| self.weight(id)).sum();
        (self.slot + 1) % (total as i64)
    }

    fn at_slot(&self, eligible: &[String]) -> String {
        if let [only] = eligible {
            return only.clone();
        }
        let slots = eligible.iter().flat_map(|id| vec![id; self.weight(id) as usize]);
        slots.collect::<Vec<_>>()[self.next_slot(eligible) as usize].clone()
    }

    /// A member's credit with its share of the next pick.
    fn gained(&self, id: &str) -> f64 {
        let total: f64 = self.present.iter().map(|id| self.weight(id)).sum();
        self.credit[id] + self.weight(id) / total
    }

    fn weight(&self, id: &str) -> f64 {
        self.members.iter().find(|member| member.0 == id).map_or(0.0, |member| member.1 as f64)
    }
}

/// Those whose measure is the least, give or take `slack`.
fn least(ids: &[String], slack: f64, measure: impl Fn(&String) -> f64) -> Vec<String> {
    let least = ids.iter().map(&measure).fold(f64::INFINITY, f64::min);
    ids.iter().filter(|id| measure(id) <= least + slack).cloned().collect()
}

/// When a member of weight 1 arrives in the session's race.
fn arrival(session: u64, id: &str) -> f64 {
    let draw = spread(spread(session) ^ hash_text(id.as_bytes())) | 1;
    -(draw as f64 / 2_f64.powi(64)).ln()
}

/// The last steps of MurmurHash3's 64-bit hash.
fn spread(mut bits: u64) -> u64 {
    for factor in [0xff51_afd7_ed55_8ccd, 0xc4ce_b9fe_1a85_ec53] {
        bits = (bits ^ (bits >> 33)).wrapping_mul(factor);
    }
    bits ^ (bits >> 33)
}
