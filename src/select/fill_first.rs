//! The first available credential in the order of the rows; the next only when it is away.

use super::{Draw, Lineup, Select};

/// Fail-over order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FillFirst;

impl Select for FillFirst {
    fn pick(&mut self, lineup: &Lineup, _draw: Draw<'_>) -> Option<usize> {
        lineup.available().next(0)
    }

    fn pick_among(&mut self, _: &Lineup, eligible: &[usize], _draw: Draw<'_>) -> Option<usize> {
        eligible.first().copied()
    }
}
