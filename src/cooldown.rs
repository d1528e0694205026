//! How long a credential rests after failures: the ladder, the windows, the merge of two records.
//!
//! A **window** is one stretch of rest. Failures of attempts that began before a window ended belong
//! to it, however many there are; only a failure of a later attempt opens the next window, one step
//! up the ladder. Level and deadline are kept apart: the level outlives the deadline until a success
//! of a later attempt, or until a quiet time has passed.
//!
//! The exponential ladder with a cap is the field's common back-off (Brooker: "Exponential backoff
//! and jitter", AWS 2015); its default numbers are those of the service that the classic policy follows.

use crate::types::{Class, Inside, Millis, Moment, Wall};

/// The exponential back-off used when the provider states no time: `base * multiplier^(level - 1)`,
/// at most `cap`.
///
/// ```
/// use keyrota::{Ladder, Millis};
///
/// let waits: Vec<u64> = (1..=6).map(|level| Ladder::default().wait(level).0 / 1_000).collect();
/// assert_eq!(waits, [60, 120, 240, 480, 900, 900]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ladder {
    /// The wait at level 1. Default 60 s.
    pub base: Millis,
    /// What each level multiplies it by; 1 or more. Default 2.
    pub multiplier: f64,
    /// The longest computed wait. Default 900 s.
    pub cap: Millis,
    /// How long after its deadline a level is forgotten. Default 15 min.
    pub forget_after: Millis,
}

impl Default for Ladder {
    fn default() -> Self {
        Self {
            base: Millis::from_secs(60),
            multiplier: 2.0,
            cap: Millis::from_secs(900),
            forget_after: Millis::from_secs(900),
        }
    }
}

impl Ladder {
    /// The wait at a level, rounded up to whole milliseconds; level 0 counts as 1.
    #[must_use]
    pub fn wait(&self, level: u32) -> Millis {
        // A plain loop, since `powi` may differ in the last bit between machines. It ends early at
        // the cap, and a multiplier that never reaches the cap stays below it for good.
        let (mut wait, cap) = (self.base.0 as f64, self.cap.0 as f64);
        for _ in 1..level.min(1_024) {
            if wait >= cap || self.multiplier <= 1.0 {
                break;
            }
            wait *= self.multiplier;
        }
        Millis(wait.min(cap).ceil() as u64)
    }
}

/// What is known of one lane of one credential: the form in which processes share it.
///
/// It counts while `window > cleared`. Times are wall times as they were written.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Record {
    /// The number of the newest window; 0 when there was none.
    pub window: u32,
    /// Whether the provider stated `until`.
    pub stated: bool,
    /// When the window ends.
    pub until: Wall,
    /// When it began.
    pub opened: Wall,
    /// The step of the ladder, from 1.
    pub level: u32,
    /// What opened it, or stated its end.
    pub cause: Option<Class>,
    /// The newest window that was cleared.
    pub cleared: u32,
}

impl Record {
    /// Whether the newest window was not cleared.
    #[must_use]
    pub const fn counts(&self) -> bool {
        self.window > self.cleared
    }

    /// What two processes know together.
    ///
    /// The greatest `cleared`, and of the rest the lexicographically greater whole. It is a join:
    /// records merge in any order, any number of times, to one result, so that sharing needs no lock.
    ///
    /// ```
    /// use keyrota::Record;
    ///
    /// let failed_here = Record { window: 2, level: 2, ..Record::default() };
    /// let succeeded_there = Record { window: 1, level: 1, cleared: 1, ..Record::default() };
    /// let both = failed_here.merge(succeeded_there);
    /// assert_eq!(both, succeeded_there.merge(failed_here));
    /// assert!(both.counts(), "the success was of an older window");
    /// ```
    #[must_use]
    pub fn merge(self, other: Self) -> Self {
        let cleared = self.cleared.max(other.cleared);
        let newer = if self.rank() >= other.rank() { self } else { other };
        Self { cleared, ..newer }
    }

    fn rank(&self) -> (u32, bool, Wall, Wall, u32, Option<Class>) {
        (self.window, self.stated, self.until, self.opened, self.level, self.cause)
    }
}

/// A failure as the ladder sees it.
#[derive(Clone, Copy, Debug)]
pub struct Failure {
    /// What happened.
    pub class: Class,
    /// The wait that the provider stated.
    pub stated: Option<Millis>,
    /// When the attempt began.
    pub began: Inside,
}

/// One lane of one credential in this process: the record, and its deadline on the pool's clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cooldown {
    record: Record,
    /// `record.until` turned once into the pool's time, when the record came or changed.
    deadline: Inside,
}

impl Default for Cooldown {
    fn default() -> Self {
        Self { record: Record::default(), deadline: Inside::MIN }
    }
}

impl Cooldown {
    /// The lane as a snapshot wrote it.
    #[must_use]
    pub const fn restored(record: Record, deadline: Inside) -> Self {
        Self { record, deadline }
    }

    /// Takes in a failure; answers whether the deadline moved.
    pub fn fail(&mut self, failure: Failure, ladder: &Ladder, now: Moment) -> bool {
        let level = self.level(ladder, now.inside);
        if level > 0 && failure.began < self.deadline {
            return self.fail_again(failure, now);
        }
        let level = level.saturating_add(1);
        let wait = failure.stated.unwrap_or_else(|| ladder.wait(level));
        self.record = Record {
            window: self.record.window.max(self.record.cleared).saturating_add(1),
            stated: failure.stated.is_some(),
            until: now.wall.after(wait),
            opened: now.wall,
            level,
            cause: Some(failure.class),
            cleared: self.record.cleared,
        };
        self.deadline = now.inside.after(wait);
        true
    }

    /// A failure of the running window says nothing new, unless it states a time: then a stated time
    /// replaces a computed one, longer or shorter, and of stated times the longest wins.
    fn fail_again(&mut self, failure: Failure, now: Moment) -> bool {
        let Some(wait) = failure.stated else {
            return false;
        };
        let deadline = now.inside.after(wait);
        if self.record.stated && deadline <= self.deadline {
            return false;
        }
        let until = now.wall.after(wait);
        // When the caller's clock was set back, a later end may have the smaller wall time; what other
        // processes know of this window may only grow.
        self.record.until = if self.record.stated { self.record.until.max(until) } else { until };
        self.record.stated = true;
        self.record.cause = Some(failure.class);
        self.deadline = deadline;
        true
    }

    /// Takes in a success of an attempt that began then; answers whether it cleared anything.
    ///
    /// A success that began before the window ended proves nothing about the time after it.
    pub fn succeed(&mut self, began: Inside) -> bool {
        self.record.counts() && began >= self.deadline && self.clear()
    }

    /// Ends the window and the level, by a person's or a proof's word; answers whether there was any.
    pub fn clear(&mut self) -> bool {
        let counted = self.record.counts();
        self.record.cleared = self.record.cleared.max(self.record.window);
        self.deadline = Inside::MIN;
        counted
    }

    /// The step of the ladder that the credential stands on; 0 when cleared or forgotten.
    #[must_use]
    pub fn level(&self, ladder: &Ladder, now: Inside) -> u32 {
        if !self.record.counts() || now >= self.deadline.after(ladder.forget_after) {
            0
        } else {
            self.record.level
        }
    }

    /// When the credential may serve again; `Inside::MIN` when nothing holds it.
    #[must_use]
    pub const fn deadline(&self) -> Inside {
        self.deadline
    }

    /// What is known, as other processes may read it.
    #[must_use]
    pub const fn record(&self) -> &Record {
        &self.record
    }
}
