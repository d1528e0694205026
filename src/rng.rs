//! Random numbers from a seed: the core draws none of its own.

use crate::types::hash_text;

/// A seeded generator: the same seed gives the same numbers on every machine.
///
/// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014). It
/// spreads load; it is no source of secrets.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Rng {
    state: u64,
}

impl Rng {
    /// A generator whose numbers follow from `seed`.
    #[must_use]
    pub const fn from_seed(seed: u64) -> Self {
        Self { state: seed }
    }

    /// A generator whose numbers follow from a text.
    #[must_use]
    pub fn from_text(seed: &str) -> Self {
        Self::from_seed(hash_text(seed.as_bytes()))
    }

    /// The seed of a generator that goes on from here.
    pub(crate) const fn seed(self) -> u64 {
        self.state
    }

    /// The next 64 random bits.
    pub const fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Another generator, whose numbers have nothing to do with those of this one.
    pub(crate) const fn fork(mut self) -> Self {
        Self { state: !self.next_u64() }
    }

    /// A number from 0 up to, and without, 1.
    pub(crate) fn fraction(&mut self) -> f64 {
        // The 53 bits that such a number holds.
        (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A number below `bound`, every one as likely as the others to within `bound / 2^64`; 0 when `bound` is 0.
    ///
    /// The high half of a 128-bit product (Lemire: "Fast random integer generation in an interval",
    /// 2019), which needs no division.
    pub const fn below(&mut self, bound: u64) -> u64 {
        ((self.next_u64() as u128 * bound as u128) >> 64) as u64
    }
}
