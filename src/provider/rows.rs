//! Who is in a provider, in which order, under which priority.

use std::cmp::Reverse;

use super::{Group, Provider, Tier};
use crate::credential::{Credential, Row};
use crate::error::InvalidRow;
use crate::health::Health;
use crate::select::{Lineup, Member, Progress, Selector, Strategy};
use crate::structures::{Bitset, Table};
use crate::types::{CredentialIndex, Inside, hash_text};

/// Credentials that the loader no longer names are remembered with their health, at least this many.
const ABSENT_KEPT: usize = 1_000;

/// What a load did: for each row, the number of its credential, or `None` for a row that is passed over.
pub type Loaded = Vec<Option<CredentialIndex>>;

impl Provider {
    /// Gives each row to its credential; answers their numbers, and who was brought back.
    pub(crate) fn adopt(
        &mut self,
        rows: Vec<Result<Row, InvalidRow>>,
    ) -> (Loaded, Vec<CredentialIndex>) {
        for credential in &mut self.credentials {
            credential.row = None;
        }
        self.invalid.clear();
        let (mut loaded, mut revived) = (Loaded::with_capacity(rows.len()), Vec::new());
        for (at, row) in rows.into_iter().enumerate() {
            let adopted = row.and_then(|row| self.adopt_one(at, row));
            loaded.push(match adopted {
                Ok((index, was_revived)) => {
                    revived.extend(was_revived.then_some(index));
                    Some(index)
                }
                Err(invalid) => {
                    self.invalid.push(invalid);
                    None
                }
            });
        }
        self.listed = loaded.iter().flatten().copied().collect();
        (loaded, revived)
    }

    fn adopt_one(&mut self, at: usize, row: Row) -> Result<(CredentialIndex, bool), InvalidRow> {
        let index = self.intern(&row.id);
        match self.get_mut(index) {
            Some(credential) if credential.row.is_none() => Ok((index, credential.adopt(row))),
            _ => Err(twice(at, row)),
        }
    }

    /// The number of the credential with that id, which may be new.
    pub(crate) fn intern(&mut self, id: &str) -> CredentialIndex {
        if let Some(known) = self.find(id) {
            return known;
        }
        let index = self.vacant.pop().unwrap_or(CredentialIndex(self.credentials.len() as u32));
        let fresh = Credential::new(id);
        match self.get_mut(index) {
            Some(before) => {
                let generation = before.generation.wrapping_add(1);
                *before = Credential { generation, ..fresh };
            }
            None => self.credentials.push(fresh),
        }
        let Self { by_id, credentials, .. } = self;
        let hash_of = |place: u32| credentials.get(place as usize).map_or(0, |known| known.hash);
        by_id.insert(hash_of(index.0), index.0, hash_of);
        index
    }

    /// Seats the listed credentials by priority, then `order`, then the order of the rows, and makes
    /// everyone's availability follow. A tier goes on where it was.
    pub(crate) fn arrange(&mut self, now: Inside) {
        let mut seated: Vec<(Reverse<i32>, i32, CredentialIndex)> = Vec::new();
        for &index in &self.listed {
            let Some(row) = self.get(index).and_then(|known| known.row.as_ref()) else { continue };
            let rank = (Reverse(row.priority), row.order);
            // Behind its equals. Rows mostly come in order, and then this is the end.
            let at = seated.partition_point(|&(priority, order, _)| (priority, order) <= rank);
            seated.insert(at, (rank.0, rank.1, index));
        }
        let mut before = std::mem::take(&mut self.tiers);
        for tier in seated.chunk_by(|a, b| a.0 == b.0) {
            let priority = tier.first().map_or(0, |&(Reverse(priority), ..)| priority);
            let members = tier.iter().map(|&(.., index)| index).collect();
            let known = before.iter().position(|tier| tier.priority == priority);
            let known = known.map(|at| before.swap_remove(at));
            self.tiers.push(self.tier(priority, members, known));
        }
        if seated.is_empty() {
            // The walk by slots goes on where it was, even when there was nobody for a while.
            let emptied = before.into_iter();
            self.tiers =
                emptied.map(|tier| self.tier(tier.priority, Vec::new(), Some(tier))).collect();
        }
        self.usable = Bitset::new(self.tiers.len());
        let has_cap =
            |&index: &CredentialIndex| self.get(index).is_some_and(|c| c.capacity < u32::MAX);
        self.caps = self.listed.iter().any(has_cap);
        self.regroup(now);
        self.seat_everyone(now);
    }

    /// Gives each listed credential its quota group. Groups of which nothing counts any more are dropped.
    fn regroup(&mut self, now: Inside) {
        self.groups.retain(|group| !group.health.is_forgotten(&self.config.policy, now));
        let Self { groups, credentials, listed, .. } = self;
        let mut by_name = Table::new();
        let named = |name: &str| hash_text(name.as_bytes());
        for (at, group) in groups.iter().enumerate() {
            let hash_of = |at: u32| groups.get(at as usize).map_or(0, |known| named(&known.name));
            by_name.insert(named(&group.name), at as u32, hash_of);
        }
        for credential in credentials.iter_mut() {
            credential.group = None;
        }
        for &index in listed.iter() {
            let Some(credential) = credentials.get_mut(index.0 as usize) else { continue };
            let name = credential.row.as_ref().and_then(|row| row.quota_group.as_deref());
            let Some(name) = name else { continue };
            let is_it = |at: u32| groups.get(at as usize).is_some_and(|known| *known.name == *name);
            let at = by_name.find(named(name), is_it).unwrap_or_else(|| {
                groups.push(Group { name: name.into(), health: Health::default() });
                let at = groups.len() as u32 - 1;
                let hash_of =
                    |at: u32| groups.get(at as usize).map_or(0, |known| named(&known.name));
                by_name.insert(named(name), at, hash_of);
                at
            });
            credential.group = Some(at);
        }
        let lists_models = listed.iter().filter_map(|&index| {
            let credential = credentials.get(index.0 as usize)?;
            let lists = credential.row.as_ref().is_some_and(|row| row.models.is_some());
            Some(lists || !credential.subject.models.is_empty())
        });
        self.minds_models = lists_models.fold(false, |any, minds| any | minds);
    }

    /// A tier of those members that goes on where `before` was.
    fn tier(&self, priority: i32, members: Vec<CredentialIndex>, before: Option<Tier>) -> Tier {
        let seats: Vec<Member> = members.iter().map(|&index| self.member(index)).collect();
        match before {
            Some(same) if same.members == members && same.lineup.members() == seats => same,
            before => {
                let mut tier = Tier::new(priority, members, seats, self.config.strategy);
                if let Some(before) = before {
                    tier.resume(before);
                }
                tier
            }
        }
    }

    fn member(&self, index: CredentialIndex) -> Member {
        self.get(index).map_or(Member { weight: 1, hash: 0 }, |credential| Member {
            weight: credential.row.as_ref().map_or(1, |row| row.weight.shares()),
            hash: credential.hash,
        })
    }

    fn seat_everyone(&mut self, now: Inside) {
        for credential in &mut self.credentials {
            credential.seat = None;
        }
        for tier_index in 0..self.tiers.len() {
            let members = self.tiers[tier_index].members.clone();
            for (place, &index) in members.iter().enumerate() {
                let Some(credential) = self.get_mut(index) else {
                    continue;
                };
                credential.seat = Some((tier_index, place));
                self.tell_in_flight(index);
            }
            self.usable.set(tier_index, self.tiers[tier_index].lineup.available().count() > 0);
        }
        self.recount(now);
        for index in 0..self.credentials.len() as u32 {
            self.refresh(CredentialIndex(index), now);
        }
    }

    /// Forgets those that have no row, no lease and nothing to remember, when there are too many.
    pub(crate) fn purge_absent(&mut self, now: Inside) -> Vec<CredentialIndex> {
        let absent = self.by_id.len().saturating_sub(self.listed.len());
        if absent <= ABSENT_KEPT {
            return Vec::new();
        }
        let mut gone = Vec::new();
        for place in 0..self.credentials.len() as u32 {
            let Self { by_id, credentials, .. } = self;
            let known = &credentials[place as usize];
            let in_use = known.id.is_empty() || known.row.is_some() || known.in_flight > 0;
            if in_use || !known.is_forgotten(&self.config.policy, now) {
                continue;
            }
            by_id.remove(
                known.hash,
                |other| other == place,
                |other| credentials[other as usize].hash,
            );
            let generation = known.generation;
            credentials[place as usize] = Credential { generation, ..Credential::new("") };
            gone.push(CredentialIndex(place));
        }
        self.vacant.extend(&gone);
        gone
    }
}

/// A row whose id another row has.
pub(crate) fn twice(at: usize, row: Row) -> InvalidRow {
    InvalidRow {
        row: at,
        id: row.id.into(),
        field: "id".to_owned(),
        rule: "must be unique in the pool".to_owned(),
    }
}

impl Tier {
    pub(crate) fn new(
        priority: i32,
        members: Vec<CredentialIndex>,
        seats: Vec<Member>,
        strategy: Strategy,
    ) -> Self {
        let lineup = Lineup::new(seats);
        let selector = Selector::new(strategy, &lineup);
        Self { priority, members, lineup, selector }
    }

    /// Goes on where another tier was: what a member has of its own moves along with it.
    fn resume(&mut self, mut before: Self) {
        for place in 0..before.members.len() {
            before.selector.set_available(&mut before.lineup, place, false);
        }
        let Progress { cursor, places } = before.selector.strategy().save();
        let greatest = before.members.iter().chain(&self.members).max().map_or(0, |index| index.0);
        let mut own = vec![0; greatest as usize + 1];
        for (member, progress) in before.members.iter().zip(places) {
            own[member.0 as usize] = progress;
        }
        let places = self.members.iter().map(|member| own[member.0 as usize]).collect();
        self.selector.strategy_mut().resume(&Progress { cursor, places });
    }
}
