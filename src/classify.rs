//! What an outcome means: the pure function from fact to judgement.
//!
//! It reads the status, the stated wait and the code of the network layer.

mod rules;
mod wait;

use crate::types::{Outcome, Verdict, Wall, coded};

coded! {
    /// Which policy reads the outcomes.
    pub enum PolicyName {
        /// The documented service: the status alone.
        Classic = "classic",
        /// The whole outcome.
        Adaptive = "adaptive",
    }
}

/// Judges what came back from one attempt, at the caller's time `now`.
///
/// Total: any outcome has a verdict.
///
/// ```
/// use keyrota::{Class, Millis, Outcome, PolicyName, Wall, classify};
///
/// let outcome = Outcome { status: Some(429), retry_after: Some("30"), ..Outcome::default() };
/// let verdict = classify(PolicyName::Adaptive, &outcome, Wall(0));
/// assert_eq!(verdict.class, Class::RateLimited);
/// assert_eq!(verdict.wait_ms, Some(Millis(30_000)));
///
/// // The documented service reads the status alone.
/// assert_eq!(classify(PolicyName::Classic, &outcome, Wall(0)).wait_ms, None);
/// ```
#[must_use]
pub fn classify(policy: PolicyName, outcome: &Outcome<'_>, now: Wall) -> Verdict {
    let Some(status) = outcome.status else {
        return outcome
            .network_code
            .map_or(rules::UNKNOWN, |code| rules::network(code, outcome.phase));
    };
    if policy == PolicyName::Classic {
        return rules::classic(status);
    }
    let verdict = rules::adaptive(status);
    match wait::stated(outcome, now) {
        Some((wait, from)) if verdict.class.lane().is_some() => {
            Verdict { wait_ms: Some(wait), wait_from: Some(from), ..verdict }
        }
        _ => verdict,
    }
}
