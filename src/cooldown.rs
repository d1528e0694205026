//! How long a credential rests after failures: the ladder, the windows, the merge of two records.
//!
//! A **window** is one stretch of rest. Failures of attempts that began before a window ended belong
//! to it, however many there are; only a failure of a later attempt opens the next window, one step
//! up the ladder. Level and deadline are kept apart: the level outlives the deadline until a success
//! of a later attempt, or until a quiet time has passed.
//!
//! A **probe** is the one attempt let through when a window of level 2 or more has ended, and now and
//! then while a long stated wait runs. Until it has ended, the others are held back.
//!
//! The exponential ladder with a cap is the field's common back-off (Brooker: "Exponential backoff
//! and jitter", AWS 2015); its default numbers are those of the service that the classic policy follows.

use crate::types::{Class, Inside, Millis, Moment, Source, Wall};

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
    #[inline(always)]
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

/// When a probe is let through.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Probing {
    /// How long a probe that is not reported holds the others back. Default 60 s.
    pub ttl: Millis,
    /// How often one is let through while a long stated wait runs. Default 15 min.
    pub every: Millis,
    /// A stated wait above this is a long one. Default 1 h.
    pub longer_than: Millis,
}

impl Default for Probing {
    fn default() -> Self {
        Self {
            ttl: Millis::from_secs(60),
            every: Millis::from_secs(900),
            longer_than: Millis::from_secs(3_600),
        }
    }
}

/// The terms on which a lane rests: what the policy says of it, and whom else there is.
#[derive(Clone, Copy, Debug)]
pub struct Terms<'a> {
    /// The waits when none is stated.
    pub ladder: &'a Ladder,
    /// The longest computed wait that counts, while the credential is the only one there is.
    pub shortened: Option<Millis>,
    /// When a probe is let through; `None`: whoever comes after the window may go.
    pub probing: Option<Probing>,
    /// From which level on the end of a window is probed.
    pub probed_from: u32,
}

impl<'a> Terms<'a> {
    /// The ladder alone, as the documented service has it.
    #[must_use]
    pub const fn plain(ladder: &'a Ladder) -> Self {
        Self { ladder, shortened: None, probing: None, probed_from: u32::MAX }
    }
}

/// A failure as the ladder sees it.
#[derive(Clone, Debug)]
pub struct Failure {
    /// What happened.
    pub class: Class,
    /// The wait that the provider stated.
    pub stated: Option<Millis>,
    /// When the attempt began.
    pub began: Inside,
    /// What says so.
    pub source: Source,
    /// By which part of itself a computed wait is lengthened, so that those who share it do not all
    /// come back in the same instant.
    pub jitter: f64,
}

impl Failure {
    /// A failure of an attempt that began then, and nothing else.
    #[must_use]
    pub fn of(class: Class, began: Inside) -> Self {
        Self { class, stated: None, began, source: Source::default(), jitter: 0.0 }
    }
}

/// Why and how long a lane keeps its subject out.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Hold {
    /// When that changes.
    pub(crate) until: Inside,
    /// When the window ends, or when the probe is waited for no more.
    pub(crate) end: Inside,
    /// Whether the window has ended, and only a probe under way is waited for.
    pub(crate) probing: bool,
}

/// One lane of one subject in this process: the record, and its deadline on the pool's clock.
#[derive(Clone, Debug, PartialEq)]
pub struct Cooldown {
    record: Record,
    /// `record.until` turned once into the pool's time, when the record came or changed.
    deadline: Inside,
    /// From when on a probe may go although the window runs.
    probe_at: Inside,
    /// Until when a probe under way holds the others back.
    probe_until: Inside,
    /// Which lease that probe is.
    probe: u32,
    source: Source,
}

impl Default for Cooldown {
    fn default() -> Self {
        Self::restored(Record::default(), Inside::MIN, Inside::MAX, Source::default())
    }
}

impl Cooldown {
    /// The lane as a snapshot wrote it; a probe that was under way is not waited for.
    #[must_use]
    pub(crate) const fn restored(
        record: Record,
        deadline: Inside,
        probe_at: Inside,
        source: Source,
    ) -> Self {
        Self { record, deadline, probe_at, probe_until: Inside::MIN, probe: 0, source }
    }

    /// Takes in a failure; answers whether the deadline moved.
    #[inline(never)]
    pub fn fail(&mut self, failure: Failure, terms: &Terms<'_>, now: Moment) -> bool {
        let level = self.level(terms.ladder, now.inside);
        if level > 0 && failure.began < self.end(terms) {
            return self.fail_again(failure, terms, now);
        }
        let level = level.saturating_add(1);
        let wait =
            failure.stated.unwrap_or_else(|| terms.ladder.wait(level).longer_by(failure.jitter));
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
        self.probe_until = Inside::MIN;
        self.source = failure.source;
        self.plan_probe(terms, now.inside);
        true
    }

    /// A failure of the running window says nothing new, unless it states a time: then a stated time
    /// replaces a computed one, longer or shorter, and of stated times the longest wins.
    fn fail_again(&mut self, failure: Failure, terms: &Terms<'_>, now: Moment) -> bool {
        let known = failure.stated.map(|wait| (wait, now.inside.after(wait)));
        let newer = known.filter(|&(_, end)| !self.record.stated || end > self.deadline);
        if let Some((wait, deadline)) = newer {
            let until = now.wall.after(wait);
            // When the caller's clock was set back, a later end may have the smaller wall time; what
            // other processes know of this window may only grow.
            self.record.until =
                if self.record.stated { self.record.until.max(until) } else { until };
            self.record.stated = true;
            self.record.cause = Some(failure.class);
            self.deadline = deadline;
            self.source = failure.source;
        }
        self.plan_probe(terms, now.inside);
        newer.is_some()
    }

    /// A long stated wait is probed every now and then: plans change, and some states are wrong.
    fn plan_probe(&mut self, terms: &Terms<'_>, now: Inside) {
        let planned = terms.probing.filter(|probing| {
            self.record.stated && self.deadline.wait_from(now) > probing.longer_than
        });
        self.probe_at = planned.map_or(Inside::MAX, |probing| now.after(probing.every));
    }

    /// Takes in a success of an attempt that began then; answers whether it cleared anything.
    ///
    /// A success that began before the window ended proves nothing about the time after it.
    pub fn succeed(&mut self, began: Inside, terms: &Terms<'_>) -> bool {
        self.record.counts() && began >= self.end(terms) && self.clear()
    }

    /// Ends the window and the level, by a person's or a proof's word; answers whether there was any.
    pub fn clear(&mut self) -> bool {
        let counted = self.record.counts();
        self.record.cleared = self.record.cleared.max(self.record.window);
        self.deadline = Inside::MIN;
        self.probe_until = Inside::MIN;
        counted
    }

    /// The step of the ladder that the subject stands on; 0 when cleared or forgotten.
    #[must_use]
    pub fn level(&self, ladder: &Ladder, now: Inside) -> u32 {
        if !self.record.counts() || now >= self.forgotten_at(ladder) {
            0
        } else {
            self.record.level
        }
    }

    const fn forgotten_at(&self, ladder: &Ladder) -> Inside {
        self.deadline.after(ladder.forget_after)
    }

    /// When the window ends; `Inside::MIN` when there is none.
    #[must_use]
    pub const fn deadline(&self) -> Inside {
        self.deadline
    }

    /// When the window ends on those terms: a computed wait is shortened, a stated one is not.
    pub(crate) fn end(&self, terms: &Terms<'_>) -> Inside {
        let Some(longest) = terms.shortened.filter(|_| !self.record.stated) else {
            return self.deadline;
        };
        let wait = self.record.until.0.saturating_sub(self.record.opened.0);
        let surplus = wait.saturating_sub(longest.as_difference()).max(0);
        Inside(self.deadline.0.saturating_sub(surplus))
    }

    /// What keeps the subject out now, if anything does.
    #[inline(never)]
    pub(crate) fn hold(&self, terms: &Terms<'_>, now: Inside) -> Option<Hold> {
        if !self.record.counts() {
            return None;
        }
        let end = self.end(terms);
        if self.due(terms, now) {
            // A level that is forgotten is not probed, and then nobody waits.
            let over = if now < end { end } else { self.forgotten_at(terms.ladder) };
            let until = self.probe_until.min(over);
            let hold = Hold { until, end: until.max(end), probing: now >= end };
            (now < until).then_some(hold)
        } else {
            let probed = terms.probing.is_some() && self.probe_at > now;
            let until = if probed { end.min(self.probe_at) } else { end };
            (now < end).then_some(Hold { until, end, probing: false })
        }
    }

    /// Whether whoever goes now goes as a probe.
    pub(crate) fn due(&self, terms: &Terms<'_>, now: Inside) -> bool {
        terms.probing.is_some()
            && self.record.counts()
            && if now < self.end(terms) {
                self.probe_at <= now
            } else {
                self.level(terms.ladder, now) >= terms.probed_from
            }
    }

    /// One attempt goes as a probe, if one is due and none is under way; the others are held back until
    /// it has ended. Answers whether it is one.
    pub(crate) fn begin_probe(&mut self, probe: u32, terms: &Terms<'_>, now: Inside) -> bool {
        let Some(probing) = terms.probing else { return false };
        let begins = self.due(terms, now) && self.probe_until <= now;
        if begins {
            (self.probe, self.probe_until) = (probe, now.after(probing.ttl));
        }
        begins
    }

    /// That attempt ended without saying anything; another that followed it is still waited for.
    pub(crate) fn end_probe(&mut self, probe: u32) {
        if self.probe == probe {
            self.probe_until = Inside::MIN;
        }
    }

    /// What is known, as other processes may read it.
    #[must_use]
    #[inline(always)]
    pub const fn record(&self) -> &Record {
        &self.record
    }

    /// From when on a probe may go although the window runs.
    pub(crate) const fn probe_at(&self) -> Inside {
        self.probe_at
    }

    /// Where its failure was read.
    pub(crate) const fn source(&self) -> &Source {
        &self.source
    }
}
