//! What is known under names.

use crate::structures::Table;
use crate::types::hash_text;

/// Values under names, each with a number that it keeps.
#[derive(Clone, Debug)]
pub(crate) struct Names<T> {
    entries: Vec<(Box<str>, T)>,
    index: Table,
}

impl<T> Names<T> {
    pub(crate) fn new() -> Self {
        Self { entries: Vec::new(), index: Table::new() }
    }

    /// What is known under that name.
    pub(crate) fn get(&self, name: &str) -> Option<&T> {
        let is_it =
            |at: u32| self.entries.get(at as usize).is_some_and(|(known, _)| **known == *name);
        let at = self.index.find(hash_text(name.as_bytes()), is_it)?;
        self.entries.get(at as usize).map(|(_, value)| value)
    }

    /// Keeps a value under a name, in place of one that stood there.
    pub(crate) fn set(&mut self, name: &str, value: T) {
        let Self { entries, index } = self;
        let hash = hash_text(name.as_bytes());
        let is_it = |at: u32| entries.get(at as usize).is_some_and(|(known, _)| **known == *name);
        match index.find(hash, is_it).and_then(|at| entries.get_mut(at as usize)) {
            Some((_, known)) => *known = value,
            None => {
                entries.push((name.into(), value));
                let hash_of = |at: u32| {
                    entries.get(at as usize).map_or(0, |(name, _)| hash_text(name.as_bytes()))
                };
                index.insert(hash, entries.len() as u32 - 1, hash_of);
            }
        }
    }
}
