//! Time in milliseconds, as three types that cannot be mixed up, and the clock that never runs back.

/// A span of time in milliseconds, never negative.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Millis(pub u64);

impl Millis {
    /// The given number of seconds; saturates.
    #[must_use]
    pub const fn from_secs(secs: u64) -> Self {
        Self(secs.saturating_mul(1_000))
    }

    /// This span and that part of itself more, rounded up.
    #[must_use]
    pub(crate) fn longer_by(self, part: f64) -> Self {
        Self(self.0.saturating_add((self.0 as f64 * part).ceil() as u64))
    }

    /// This span as a difference of timestamps; saturates at `i64::MAX`.
    #[inline(always)]
    pub(crate) const fn as_difference(self) -> i64 {
        if self.0 > i64::MAX as u64 { i64::MAX } else { self.0 as i64 }
    }
}

/// A moment on the caller's clock: milliseconds since the Unix epoch.
///
/// Wall times are what records, snapshots and explanations carry, since they mean the same to every
/// process. The caller's clock may step back, so no wait is ever computed from them: see [`Inside`].
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Wall(pub i64);

impl Wall {
    /// This moment and `wait` more; saturates.
    #[must_use]
    #[inline(always)]
    pub const fn after(self, wait: Millis) -> Self {
        Self(self.0.saturating_add(wait.as_difference()))
    }
}

/// A moment on the pool's own clock, which never runs back. See [`Clock`].
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Inside(pub i64);

impl Inside {
    /// Before every other moment.
    pub const MIN: Self = Self(i64::MIN);
    /// After every other moment.
    pub const MAX: Self = Self(i64::MAX);

    /// This moment and `wait` more; saturates.
    #[must_use]
    #[inline(always)]
    pub const fn after(self, wait: Millis) -> Self {
        Self(self.0.saturating_add(wait.as_difference()))
    }

    /// How long it is from `now` to this moment; zero when it has passed.
    #[must_use]
    pub const fn wait_from(self, now: Self) -> Millis {
        let difference = self.0.saturating_sub(now.0);
        Millis(if difference > 0 { difference as u64 } else { 0 })
    }
}

/// The same moment on both clocks.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Moment {
    /// What the caller's clock showed.
    pub wall: Wall,
    /// What the pool's clock showed.
    pub inside: Inside,
}

impl Moment {
    /// A deadline of the pool's clock as the caller's clock will show it.
    #[must_use]
    pub const fn wall_of(self, deadline: Inside) -> Wall {
        Wall(self.wall.0.saturating_add(deadline.0.saturating_sub(self.inside.0)))
    }
}

/// The pool's clock: the caller's clock, plus one offset that grows by every step back.
///
/// When the caller's clock is set back by an hour, a key that had to rest for one more minute still
/// rests for one minute, not for sixty-one.
///
/// ```
/// use keyrota::{Clock, Millis, Wall};
///
/// let mut clock = Clock::default();
/// let ready = clock.observe(Wall(7_200_000)).inside.after(Millis::from_secs(60));
/// let now = clock.observe(Wall(3_600_000)); // set back by an hour
/// assert_eq!(ready.wait_from(now.inside), Millis::from_secs(60));
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Clock {
    offset: i64,
    greatest: Inside,
}

impl Default for Clock {
    fn default() -> Self {
        Self { offset: 0, greatest: Inside::MIN }
    }
}

impl Clock {
    /// The offset and the greatest moment seen, for a snapshot.
    pub(crate) const fn parts(&self) -> (i64, Inside) {
        (self.offset, self.greatest)
    }

    /// The clock as a snapshot wrote it.
    pub(crate) const fn restored(offset: i64, greatest: Inside) -> Self {
        Self { offset, greatest }
    }

    /// Takes in what the caller's clock shows now.
    #[inline(always)]
    pub fn observe(&mut self, now: Wall) -> Moment {
        let moment = self.peek(now);
        self.offset = moment.inside.0.saturating_sub(now.0);
        self.greatest = moment.inside;
        moment
    }

    /// The last moment that was taken in.
    #[must_use]
    #[inline(always)]
    pub const fn latest(&self) -> Inside {
        self.greatest
    }

    /// What [`observe`](Self::observe) would answer, without taking it in.
    #[must_use]
    #[inline(always)]
    pub fn peek(&self, now: Wall) -> Moment {
        let inside = Inside(now.0.saturating_add(self.offset)).max(self.greatest);
        Moment { wall: now, inside }
    }
}
