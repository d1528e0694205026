//! The rows of the naive pool, as loaders hand them in, and what outlives a process.

use std::collections::BTreeMap;

use keyrota::{EventKind, Row};

use crate::credential::Refresh;
use crate::health::Subject;
use crate::naive::{Naive, Provider};
use crate::turns::Turns;

impl Naive {
    /// Takes in rows; answers which were passed over, and counts as events who was brought back.
    pub fn load(&mut self, provider: usize, rows: &[Row]) -> Vec<bool> {
        self.wake(provider);
        for credential in self.providers[provider].credentials.values_mut() {
            credential.row = None;
        }
        let mut listed: Vec<String> = Vec::new();
        let accepted = rows.iter().map(|row| {
            let id = row.id.to_string();
            let elsewhere = self.providers.iter().enumerate().any(|(other, known)| {
                other != provider
                    && known.loaded
                    && known.credentials.get(&id).is_some_and(|c| c.row.is_some())
            });
            if elsewhere || listed.contains(&id) {
                return false;
            }
            let credential = self.providers[provider].credentials.entry(id.clone()).or_default();
            if credential.adopt(row) {
                self.events.push((provider, id.clone(), EventKind::Enabled));
            }
            listed.push(id);
            true
        });
        let accepted = accepted.collect();
        self.providers[provider].listed = listed;
        self.providers[provider].loaded = true;
        self.arrange(provider);
        accepted
    }

    /// Seats the rows by priority, then `order`, then as they came.
    fn arrange(&mut self, provider: usize) {
        let strategy = self.config.provider.strategy;
        let Provider { credentials, listed, tiers, .. } = &mut self.providers[provider];
        let mut seated: BTreeMap<i32, Vec<(i32, String, u64)>> = BTreeMap::new();
        for id in listed.iter() {
            let row = credentials[id].row.as_ref().expect("it is listed");
            let seat = (row.order, id.clone(), row.weight.shares());
            seated.entry(row.priority).or_default().push(seat);
        }
        if seated.is_empty() {
            tiers.values_mut().for_each(|turns| turns.rearrange(Vec::new()));
        } else {
            tiers.retain(|priority, _| seated.contains_key(priority));
        }
        for (priority, mut seats) in seated {
            seats.sort_by_key(|seat| seat.0);
            let members = seats.into_iter().map(|(_, id, weight)| (id, weight)).collect();
            tiers.entry(priority).or_insert_with(|| Turns::new(strategy)).rearrange(members);
        }
        let all: Vec<String> = credentials.keys().cloned().collect();
        self.drop_forgotten_groups(provider);
        self.recount(provider);
        self.settle(provider, &all, false);
    }

    /// Groups of which nothing counts any more begin anew.
    fn drop_forgotten_groups(&mut self, provider: usize) {
        let names: Vec<String> = self.providers[provider].groups.keys().cloned().collect();
        for name in names {
            if self.level(provider, &Subject::Group(name.clone(), String::new()), self.inside) == 0
            {
                self.providers[provider].groups.remove(&name);
            }
        }
    }

    /// The pool goes on from a snapshot of itself: leases are gone, and its rows are read again.
    pub fn resume(&mut self, now: i64) {
        self.observe(now);
        self.forget_what_is_under_way();
        self.swept = Some(self.inside);
        for provider in 0..self.providers.len() {
            for credential in self.providers[provider].credentials.values_mut() {
                credential.resting = false;
                if let Some(row) = credential.row.take() {
                    credential.adopt(&row);
                }
            }
            let known = &self.providers[provider];
            if known.loaded || !known.listed.is_empty() {
                self.arrange(provider);
            }
        }
    }

    /// The process ends and another goes on from a snapshot: leases are gone, rows are not loaded.
    pub fn restart(&mut self, now: i64) {
        self.observe(now);
        self.forget_what_is_under_way();
        self.swept = Some(self.inside);
        for provider in &mut self.providers {
            provider.loaded = false;
            provider.listed.clear();
            for credential in provider.credentials.values_mut() {
                (credential.row, credential.resting) = (None, false);
            }
        }
    }

    /// No lease, no question to the host and no suspicion is in a snapshot.
    fn forget_what_is_under_way(&mut self) {
        self.leases.clear();
        for provider in &mut self.providers {
            provider.suspects.clear();
            provider.windows_mut().for_each(|window| window.probe = None);
            for credential in provider.credentials.values_mut() {
                credential.refresh = Refresh::No;
            }
        }
    }
}
