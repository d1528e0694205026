//! Sets of groups, which requests intersect.

/// Some of the groups of a router, one bit a group.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct GroupSet {
    words: Vec<u64>,
}

impl GroupSet {
    /// The groups of those numbers, out of `count`.
    pub(crate) fn of(count: usize, members: impl Iterator<Item = usize>) -> Self {
        let mut set = Self { words: vec![0; count.div_ceil(64)] };
        members.for_each(|member| set.set(member, true));
        set
    }

    /// Becomes what all of `sets` have in common.
    pub(crate) fn intersect(&mut self, sets: [&Self; 3]) {
        let [a, b, c] = sets;
        self.words.clear();
        let pairs = a.words.iter().zip(&b.words).zip(&c.words);
        self.words.extend(pairs.map(|((a, b), c)| a & b & c));
    }

    /// Puts a group in or takes it out.
    pub(crate) fn set(&mut self, group: usize, present: bool) {
        if let Some(word) = self.words.get_mut(group / 64) {
            let bit = 1 << (group % 64);
            *word = if present { *word | bit } else { *word & !bit };
        }
    }

    pub(crate) fn contains(&self, group: usize) -> bool {
        self.words.get(group / 64).is_some_and(|word| word >> (group % 64) & 1 == 1)
    }

    /// Whether there is a group in both.
    pub(crate) fn meets(&self, other: &Self) -> bool {
        self.words.iter().zip(&other.words).any(|(a, b)| a & b != 0)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }
}
