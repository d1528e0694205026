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

    /// What is known under that name, which may be new.
    pub(crate) fn entry(&mut self, name: &str, new: impl FnOnce() -> T) -> Option<&mut T> {
        let Self { entries, index } = self;
        let hash = hash_text(name.as_bytes());
        let is_it = |at: u32| entries.get(at as usize).is_some_and(|(known, _)| **known == *name);
        let at = index.find(hash, is_it).unwrap_or_else(|| {
            entries.push((name.into(), new()));
            let at = entries.len() as u32 - 1;
            let hash_of = |at: u32| {
                entries.get(at as usize).map_or(0, |(name, _)| hash_text(name.as_bytes()))
            };
            index.insert(hash, at, hash_of);
            at
        });
        entries.get_mut(at as usize).map(|(_, value)| value)
    }
}
