//! The app's storage: the rows that the loader reads, and the edits that people make.

use std::collections::BTreeMap;

use keyrota::{Rng, Row, Weight};

#[derive(Clone, Debug)]
struct Stored {
    row: Row,
    secret: u32,
    versioned: bool,
}

/// The rows of every provider, and the secrets that this process has seen.
#[derive(Debug, Default)]
pub struct Storage {
    rows: Vec<Vec<Stored>>,
    seen: BTreeMap<(usize, String), u32>,
    secrets: u32,
}

impl Storage {
    pub fn new(providers: usize, rng: &mut Rng) -> Self {
        let mut storage = Self::default();
        storage.rows.resize(providers, Vec::new());
        for provider in 0..providers {
            for _ in 0..1 + rng.below(6) {
                storage.add(provider, rng);
            }
        }
        storage
    }

    /// The rows as a loader would answer.
    pub fn rows(&self, provider: usize) -> Vec<Row> {
        let rows = self.rows[provider].iter().map(|stored| {
            let seen = self.seen.get(&(provider, stored.row.id.to_string()));
            Row {
                secret_changed: seen.is_some_and(|&seen| seen != stored.secret),
                secret_version: stored.versioned.then(|| stored.secret.to_string().into()),
                ..stored.row.clone()
            }
        });
        rows.collect()
    }

    /// Remembers the secrets of the rows that were not passed over.
    pub fn saw(&mut self, provider: usize, accepted: &[bool]) {
        for (stored, _) in
            self.rows[provider].iter().zip(accepted).filter(|(_, accepted)| **accepted)
        {
            self.seen.insert((provider, stored.row.id.to_string()), stored.secret);
        }
    }

    /// Another process has seen no secret.
    pub fn forget_secrets(&mut self) {
        self.seen.clear();
    }

    /// Keeps a credential disabled.
    pub fn disable(&mut self, provider: usize, id: &str) {
        for stored in self.rows[provider].iter_mut().filter(|stored| *stored.row.id == *id) {
            stored.row.enabled = false;
        }
    }

    /// One edit by a person.
    pub fn edit(&mut self, provider: usize, rng: &mut Rng) {
        let len = self.rows[provider].len() as u64;
        let kind = rng.below(16);
        if len == 0 || kind == 0 {
            return self.add(provider, rng);
        }
        let at = rng.below(len) as usize;
        let secret = self.secrets;
        let stored = &mut self.rows[provider][at];
        match kind {
            1 => drop(self.rows[provider].remove(at)),
            2 => stored.row.weight = weight(rng),
            3 => stored.row.order = rng.below(3) as i32,
            4 => stored.row.priority = rng.below(3) as i32 - 1,
            5 => stored.row.models = models(rng),
            6 => (stored.secret, self.secrets) = (secret, secret + 1),
            7 => stored.versioned ^= true,
            8 => stored.row.secret_unresolved = rng.below(4) == 0,
            9 => {
                let other = rng.below(len) as usize;
                self.rows[provider].swap(at, other);
            }
            10 => stored.row.quota_group = group(rng),
            11 => stored.row.refreshable ^= true,
            12 => stored.row.max_concurrent = cap(rng),
            _ => stored.row.enabled = rng.below(4) > 0,
        }
    }

    /// Adds a row whose id may be another row's, of this provider or of another.
    fn add(&mut self, provider: usize, rng: &mut Rng) {
        let id = match rng.below(10) {
            0 => format!("shared-{}", rng.below(2)),
            _ => format!("{provider}-{}", rng.below(8)),
        };
        let row = Row { weight: weight(rng), models: models(rng), ..Row::new(&id) };
        let row = Row { priority: (rng.below(6) / 5) as i32, quota_group: group(rng), ..row };
        let row = Row { refreshable: rng.below(4) == 0, max_concurrent: cap(rng), ..row };
        let stored = Stored { row, secret: self.secrets, versioned: rng.below(2) == 0 };
        self.secrets += 1;
        self.rows[provider].push(stored);
    }
}

fn weight(rng: &mut Rng) -> Weight {
    let shares = [1, 1, 1, 2, 3, 5, 10, 100][rng.below(8) as usize];
    Weight::new(f64::from(shares)).expect("between 1 and 100")
}

fn cap(rng: &mut Rng) -> Option<u32> {
    [None, None, None, Some(1), Some(2), Some(4)][rng.below(6) as usize]
}

fn group(rng: &mut Rng) -> Option<Box<str>> {
    [None, Some("one".into()), Some("one".into()), Some("two".into())][rng.below(4) as usize]
        .clone()
}

fn models(rng: &mut Rng) -> Option<Vec<Box<str>>> {
    match rng.below(6) {
        0 => Some(vec!["small".into()]),
        1 => Some(vec!["small".into(), "large".into()]),
        _ => None,
    }
}
