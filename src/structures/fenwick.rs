//! Sums of weights that can be searched while single weights change.

/// Cumulated weights of a list, in a binary indexed tree (Fenwick, 1994).
#[derive(Clone, Debug, Default)]
pub(crate) struct Fenwick {
    /// `tree[i]` is the sum of the weights of the `i & i.wrapping_neg()` places that end at `i - 1`.
    tree: Vec<u64>,
    total: u64,
}

impl Fenwick {
    pub(crate) fn new(len: usize) -> Self {
        Self { tree: vec![0; len + 1], total: 0 }
    }

    /// Adds `weight` at `place`.
    pub(crate) fn add(&mut self, place: usize, weight: u64) {
        self.total = self.total.wrapping_add(weight);
        let mut at = place + 1;
        while let Some(sum) = self.tree.get_mut(at) {
            *sum = sum.wrapping_add(weight);
            at += at & at.wrapping_neg();
        }
    }

    /// Takes `weight` away at `place`.
    pub(crate) fn subtract(&mut self, place: usize, weight: u64) {
        // In wrapping arithmetic this is addition, and the sums themselves never fall below zero.
        self.add(place, weight.wrapping_neg());
    }

    /// The sum of all weights.
    pub(crate) const fn total(&self) -> u64 {
        self.total
    }

    /// The first place whose cumulated weight exceeds `slot`, and the sum of the weights before it.
    pub(crate) fn find(&self, slot: u64) -> Option<(usize, u64)> {
        if slot >= self.total {
            return None;
        }
        let (mut place, mut before) = (0, 0);
        let mut step = self.tree.len().checked_ilog2().map_or(0, |log| 1 << log);
        while step > 0 {
            if let Some(&sum) = self.tree.get(place + step)
                && before + sum <= slot
            {
                place += step;
                before += sum;
            }
            step >>= 1;
        }
        Some((place, before))
    }
}

#[cfg(test)]
mod tests {
    use super::Fenwick;

    #[test]
    fn finds_the_same_place_as_a_walk_over_the_list() {
        let mut weights = [3_u64, 0, 1, 100, 2, 0, 7];
        let mut sums = Fenwick::new(weights.len());
        for (place, &weight) in weights.iter().enumerate() {
            sums.add(place, weight);
        }
        for change in [None, Some(3), Some(0)] {
            if let Some(place) = change {
                sums.subtract(place, weights[place]);
                weights[place] = 0;
            }
            let mut slot = 0;
            for (place, &weight) in weights.iter().enumerate() {
                let before = slot;
                for _ in 0..weight {
                    assert_eq!(sums.find(slot), Some((place, before)), "slot {slot}");
                    slot += 1;
                }
            }
            assert_eq!(sums.find(slot), None);
            assert_eq!(sums.total(), slot);
        }
    }
}
