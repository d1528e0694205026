//! Weighted rendezvous hashing: every process picks the same credential for a session, with nothing
//! shared, and removing one credential moves only the sessions that were on it.
//!
//! Thaler and Ravishankar: "Using name-based mappings to increase hit rates" (1998); the weights by
//! the exponential race `-ln(u) / weight` (Schindelhauer, Schomaker: "Weighted distributed hash
//! tables", 2005).

use super::{Draw, Lineup, Member, Select};
use crate::types::mix;

/// The choice follows from the session and the ids alone, so there is no state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rendezvous;

impl Select for Rendezvous {
    fn pick(&mut self, lineup: &Lineup, draw: Draw<'_>) -> Option<usize> {
        best(lineup, lineup.available().iter(), draw)
    }

    fn pick_among(&mut self, lineup: &Lineup, eligible: &[usize], draw: Draw<'_>) -> Option<usize> {
        best(lineup, eligible.iter().copied(), draw)
    }
}

fn best(lineup: &Lineup, places: impl Iterator<Item = usize>, draw: Draw<'_>) -> Option<usize> {
    // Without a session there is nothing to agree on: a random one spreads the load by weight.
    let session = draw.session.map_or_else(|| draw.rng.next_u64(), |session| session.0);
    places
        .filter_map(|place| Some((place, arrival(session, lineup.members().get(place)?))))
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(place, _)| place)
}

/// When a member arrives in the session's race; the first one wins.
#[inline(never)]
fn arrival(session: u64, member: &Member) -> f64 {
    // The odd number keeps the value above 0; 2^64 is 1 in units of the draw.
    let draw = mix(mix(session) ^ member.hash) | 1;
    (64.0 - log2(draw)) / member.weight as f64
}

/// The binary logarithm of a whole number above 0, the same to the last bit on every machine.
///
/// The platforms' own logarithms differ in their last bits; here are only the four operations that
/// IEEE 754 fixes: the exponent, and `2 artanh((m - 1) / (m + 1)) / ln 2` of the mantissa as a series.
fn log2(number: u64) -> f64 {
    let exponent = 63 - number.leading_zeros();
    let mantissa = number as f64 / (1_u64 << exponent) as f64;
    let s = (mantissa - 1.0) / (mantissa + 1.0); // at most 1/3, so 12 terms are good to 1e-12
    let square = s * s;
    let mut sum = 0.0;
    for term in (0..12).rev() {
        sum = sum * square + 1.0 / f64::from(2 * term + 1);
    }
    f64::from(exponent) + 2.0 * s * sum / std::f64::consts::LN_2
}

#[cfg(test)]
mod tests {
    use super::log2;

    #[test]
    fn the_logarithm_is_right_to_twelve_digits() {
        for number in [1_u64, 2, 3, 1_000, 1 << 40, (1 << 53) + 1, u64::MAX] {
            let expected = (number as f64).log2();
            assert!((log2(number) - expected).abs() < 1e-11, "{number}: {expected}");
        }
    }
}
