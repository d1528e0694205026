//! A set of small numbers that finds its next member quickly.

/// A set of the numbers `0..len`.
///
/// One bit a number, and one summary bit for each 64 of them, so that a search in ten thousand
/// looks at no more than five words.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bitset {
    words: Vec<u64>,
    /// Bit `w` says whether `words[w]` has any member.
    summary: Vec<u64>,
    count: usize,
}

impl Bitset {
    pub(crate) fn new(len: usize) -> Self {
        let words = len.div_ceil(64);
        Self { words: vec![0; words], summary: vec![0; words.div_ceil(64)], count: 0 }
    }

    /// Puts `member` in or takes it out; answers whether that changed anything.
    pub(crate) fn set(&mut self, member: usize, present: bool) -> bool {
        let (word, bit) = (member / 64, 1 << (member % 64));
        let Some(bits) = self.words.get_mut(word) else {
            return false;
        };
        if (*bits & bit != 0) == present {
            return false;
        }
        *bits ^= bit;
        let occupied = *bits != 0;
        if let Some(summary) = self.summary.get_mut(word / 64) {
            let bit = 1 << (word % 64);
            *summary = if occupied { *summary | bit } else { *summary & !bit };
        }
        self.count = if present { self.count + 1 } else { self.count - 1 };
        true
    }

    /// The smallest member that is `from` or greater.
    #[inline(always)]
    pub(crate) fn next(&self, from: usize) -> Option<usize> {
        let word = from / 64;
        let here = self.words.get(word)? & (u64::MAX << (from % 64));
        if here != 0 {
            return Some(word * 64 + here.trailing_zeros() as usize);
        }
        let word = self.next_occupied(word + 1)?;
        Some(word * 64 + self.words.get(word)?.trailing_zeros() as usize)
    }

    #[inline(always)]
    pub(crate) fn contains(&self, member: usize) -> bool {
        self.words.get(member / 64).is_some_and(|word| word & (1 << (member % 64)) != 0)
    }

    /// How many members there are.
    #[inline(always)]
    pub(crate) const fn count(&self) -> usize {
        self.count
    }

    /// The members from the smallest to the greatest.
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.next(0), |&last| self.next(last + 1))
    }

    fn next_occupied(&self, from: usize) -> Option<usize> {
        let mut mask = u64::MAX << (from % 64);
        for (at, bits) in self.summary.iter().enumerate().skip(from / 64) {
            if bits & mask != 0 {
                return Some(at * 64 + (bits & mask).trailing_zeros() as usize);
            }
            mask = u64::MAX;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::Bitset;

    #[test]
    fn finds_the_next_member_across_words_and_summaries() {
        let mut set = Bitset::new(10_000);
        for member in [0, 63, 64, 4_095, 4_096, 9_999] {
            assert!(set.set(member, true));
            assert!(!set.set(member, true), "{member} was there already");
        }
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 63, 64, 4_095, 4_096, 9_999]);
        assert!(set.set(4_096, false));
        assert_eq!(set.next(4_096), Some(9_999));
        assert_eq!(set.next(10_000), None);
        assert_eq!(set.count(), 5);
    }
}
