//! When a credential is taken for dead: failures that say so, one after the other.
//!
//! A cooldown assumes a fault that passes, the blacklist a credential that was revoked or is unpaid. So
//! only what speaks of the credential itself counts: overload, server errors and time-outs never do.

use crate::types::{Class, Inside, Millis, Scope, Verdict};

/// When a credential is taken for dead without a proof, and how it comes back.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Blacklist {
    /// How many failures one after the other it takes, 1 or more. Default 3.
    pub threshold: u32,
    /// How often a blacklisted API key is to be tried. Default 5 min.
    pub validate_every: Millis,
}

impl Default for Blacklist {
    fn default() -> Self {
        Self { threshold: 3, validate_every: Millis::from_secs(300) }
    }
}

/// Whether a failure says that the credential itself is dead: its secret was refused, or its quota is used
/// up and nobody said until when. Whatever is about a model, a server or the way to it does not.
pub(crate) fn is_deadly(verdict: &Verdict) -> bool {
    let is_own = matches!(verdict.scope, Scope::Credential | Scope::Account);
    is_own
        && match verdict.class {
            Class::AuthFailed => true,
            Class::QuotaExhausted => verdict.wait_ms.is_none(),
            _ => false,
        }
}

/// The failures of one credential that say it is dead, since its last success.
///
/// A burst counts once: after a failure only attempts count that began when it was known.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Strikes {
    count: u32,
    /// When the last of them was taken in.
    last: Inside,
    listed: Option<Listed>,
}

/// That a credential is blacklisted.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Listed {
    /// The verdict of the last failure.
    pub(crate) cause: Class,
    /// When it is to be tried next.
    pub(crate) validate_at: Inside,
}

impl Strikes {
    /// What stands against a credential of which nothing is known.
    pub(crate) const NONE: Self = Self { count: 0, last: Inside::MIN, listed: None };

    /// What a snapshot knew.
    pub(crate) const fn restored(count: u32, last: Inside, listed: Option<Listed>) -> Self {
        Self { count, last, listed }
    }

    /// The count and the moment of the last failure, for a snapshot.
    pub(crate) const fn parts(&self) -> (u32, Inside) {
        (self.count, self.last)
    }

    /// Whether nothing stands against the credential.
    #[inline(always)]
    pub(crate) const fn is_none(&self) -> bool {
        self.count == 0 && self.listed.is_none()
    }

    pub(crate) const fn listed(&self) -> Option<Listed> {
        self.listed
    }

    /// Takes in a failure of an attempt that began then; answers whether it counts.
    pub(crate) fn add(&mut self, began: Inside, now: Inside) -> bool {
        let counts = self.listed.is_none() && began >= self.last;
        if counts {
            self.count = self.count.saturating_add(1);
            self.last = now;
        }
        counts
    }

    /// Puts the credential on the blacklist if there are failures enough; answers whether it did.
    pub(crate) fn list(&mut self, terms: &Blacklist, cause: Class, now: Inside) -> bool {
        let is_due = self.listed.is_none() && self.count > 0 && self.count >= terms.threshold;
        if is_due {
            let validate_at = now.after(terms.validate_every);
            self.listed = Some(Listed { cause, validate_at });
        }
        is_due
    }

    /// So many failures were not the credential's after all; answers whether that takes it off the list.
    pub(crate) fn take_back(&mut self, failures: u32) -> bool {
        self.count = self.count.saturating_sub(failures);
        failures > 0 && self.listed.take().is_some()
    }

    /// Nothing stands against the credential any more. What began before still does not count.
    pub(crate) const fn forgive(&mut self) {
        (self.count, self.listed) = (0, None);
    }

    /// Takes in a success. Of one on the blacklist it proves nothing: it began before.
    #[inline(always)]
    pub(crate) fn succeed(&mut self) {
        if self.listed.is_none() {
            self.count = 0;
        }
    }

    /// Whether all that is held against the credential was known when an attempt began.
    pub(crate) fn precede(&self, began: Inside) -> bool {
        self.last <= began
    }

    /// Whether it is due to be tried; the next time is then an interval from now.
    pub(crate) fn validate(&mut self, terms: &Blacklist, now: Inside) -> bool {
        let Some(listed) = &mut self.listed else { return false };
        let is_due = listed.validate_at <= now;
        if is_due {
            listed.validate_at = now.after(terms.validate_every);
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::{Blacklist, Class, Inside, Strikes};

    const TERMS: Blacklist = Blacklist { threshold: 2, validate_every: super::Millis(100) };

    #[test]
    fn what_began_before_the_last_failure_was_known_counts_no_more() {
        let mut strikes = Strikes::NONE;
        assert!(strikes.add(Inside(0), Inside(10)));
        assert!(!strikes.add(Inside(9), Inside(11)));
        assert!(!strikes.list(&TERMS, Class::AuthFailed, Inside(11)));
        assert!(strikes.add(Inside(10), Inside(12)));
        assert!(strikes.list(&TERMS, Class::AuthFailed, Inside(12)));
    }

    #[test]
    fn it_is_tried_at_every_interval_and_only_while_it_is_listed() {
        let mut strikes = Strikes::NONE;
        assert!(!strikes.validate(&TERMS, Inside(1_000)));
        for now in [0, 1] {
            strikes.add(Inside(now), Inside(now));
        }
        assert!(strikes.list(&TERMS, Class::AuthFailed, Inside(1)));
        let due = [100, 101, 102, 200, 201].map(|now| strikes.validate(&TERMS, Inside(now)));
        assert_eq!(due, [false, true, false, false, true]);
    }

    #[test]
    fn a_failure_that_was_not_its_own_takes_it_off_the_list() {
        let mut strikes = Strikes::NONE;
        for now in [0, 1] {
            strikes.add(Inside(now), Inside(now));
        }
        strikes.list(&TERMS, Class::AuthFailed, Inside(1));
        assert!(!strikes.take_back(0));
        assert!(strikes.take_back(1));
        assert!(!strikes.list(&TERMS, Class::AuthFailed, Inside(1)));
        assert!(!strikes.is_none());
    }
}
