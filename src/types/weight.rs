//! How much of the traffic a credential takes, relative to the others.

use std::fmt;

/// A whole number from 1 to 100; 1 when a row names none.
///
/// There is no weight 0: a credential that must not serve is disabled, so that "never chosen" has
/// one cause and one name.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Weight(u8);

impl Weight {
    /// The smallest weight, and the default.
    pub const MIN: Self = Self(1);
    /// The greatest weight.
    pub const MAX: Self = Self(100);

    /// The weight of that many shares.
    ///
    /// # Errors
    ///
    /// [`WeightError`] when `shares` is not a whole number from 1 to 100.
    pub fn new(shares: f64) -> Result<Self, WeightError> {
        let whole = shares as u8; // `as` saturates, and makes NaN 0
        if (1..=100).contains(&whole) && f64::from(whole) == shares {
            Ok(Self(whole))
        } else {
            Err(WeightError)
        }
    }

    /// The number of shares.
    #[must_use]
    pub const fn shares(self) -> u64 {
        self.0 as u64
    }
}

impl Default for Weight {
    fn default() -> Self {
        Self::MIN
    }
}

impl From<Weight> for u8 {
    fn from(weight: Weight) -> Self {
        weight.0
    }
}

/// The number is no weight.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct WeightError;

impl WeightError {
    /// The rule that the number breaks.
    #[must_use]
    pub const fn rule(self) -> &'static str {
        "must be a whole number from 1 to 100"
    }
}

impl fmt::Display for WeightError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.rule())
    }
}

impl std::error::Error for WeightError {}
