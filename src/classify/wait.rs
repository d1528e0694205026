//! How long the provider said to wait, and where.
//!
//! The order: `retry-after-ms`, `Retry-After`, a reset in the body, the reset header of a bucket that is
//! empty, a sentence, and last the window that the rule knows. A wait of nothing, of more than 400 days
//! or in no form that is known is no hint, and the next place is asked.

mod body;
mod calendar;
mod date;
mod duration;
pub(super) mod header;
mod scan;
mod text;

use super::rules::{Dialect, Meaning, Wait, Window};
use super::said::Said;
use crate::types::{Class, Millis, Wall};

/// A wait above this is no hint but a mistake: 400 days, in milliseconds.
const LONGEST_MS: f64 = 400.0 * 86_400_000.0;

/// Below this, a wait beside a quota that is proven long is of something else: 15 min, the longest rest
/// that the ladder computes by itself.
const SHORT: Millis = Millis::from_secs(900);

/// JavaScript's clock ends here, 8.64e15 ms from the epoch. No calendar overflows before it.
const LAST_MOMENT: i64 = 8_640_000_000_000_000;

/// A wait, and where it was read.
pub(super) type Stated = (Millis, &'static str);

/// When it is: by the clock of whoever wrote the response, if it says so.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    /// Milliseconds since the epoch.
    pub now: i64,
    /// The offset from UTC of stamps that name none, in milliseconds.
    pub east: i64,
}

impl Clock {
    /// The provider's dates mean its own clock: measured against ours, a skew would become a wait.
    pub fn of(said: &Said<'_>, dialect: &Dialect, now: Wall) -> Self {
        let own = said.outcome.header("date").and_then(date::http);
        let now = own.unwrap_or(now.0).clamp(-LAST_MOMENT, LAST_MOMENT);
        Self { now, east: i64::from(dialect.hours_east) * 3_600_000 }
    }

    /// How long it is until a moment.
    fn until(self, moment: i64) -> Option<Millis> {
        usable(moment.saturating_sub(self.now) as f64)
    }
}

/// The wait of an outcome that means `meaning`.
pub(super) fn find(said: &Said<'_>, meaning: Meaning, clock: Clock) -> Option<Stated> {
    // A request that is wrong stays wrong, and a refused model does not come with time.
    let waits = matches!(
        meaning.class,
        Class::RateLimited
            | Class::QuotaExhausted
            | Class::Overloaded
            | Class::ServerError
            | Class::AuthFailed
            | Class::EgressBlocked
            | Class::UnknownOutcome
    );
    if !waits {
        return None;
    }
    match meaning.wait {
        Wait::Never => None,
        Wait::Stated => stated(said, clock),
        Wait::StatedOr(window) => stated(said, clock).or_else(|| of_window(window, clock)),
        Wait::OwnHeaders => {
            header::own_window(said, clock, meaning.scope).or_else(|| stated(said, clock))
        }
        Wait::Plan => stated_long(said, clock)
            .or_else(|| body::reset(said, clock))
            .or_else(|| header::own_window(said, clock, meaning.scope))
            .or_else(|| text::reset(said, clock))
            .or_else(|| stated(said, clock)),
        Wait::Long(window) => stated_long(said, clock).or_else(|| of_window(window?, clock)),
    }
}

/// The first place that states a wait.
fn stated(said: &Said<'_>, clock: Clock) -> Option<Stated> {
    PLACES.iter().find_map(|place| place(said, clock))
}

/// The first place that states a long one.
fn stated_long(said: &Said<'_>, clock: Clock) -> Option<Stated> {
    let long = |(wait, from): Stated| (wait >= SHORT).then_some((wait, from));
    PLACES.iter().find_map(|place| place(said, clock).and_then(long))
}

/// Where waits stand, in the order that counts.
const PLACES: [fn(&Said<'_>, Clock) -> Option<Stated>; 5] =
    [header::retry_after_ms, header::retry_after, body::reset, header::empty_bucket, text::reset];

fn of_window(window: Window, clock: Clock) -> Option<Stated> {
    match window {
        Window::Minute => Some((Millis::from_secs(60), "derived:per minute")),
        Window::Hour => Some((Millis::from_secs(3_600), "derived:per hour")),
        Window::RollingDay => Some((Millis::from_secs(86_400), "derived:rolling day")),
        Window::UtcDay => {
            Some((clock.until(calendar::next_day(clock.now, 0))?, "calendar:UTC-midnight"))
        }
        Window::UtcWeek => {
            Some((clock.until(calendar::next_week(clock.now))?, "calendar:UTC-week"))
        }
        Window::UtcMonth => {
            Some((clock.until(calendar::next_month(clock.now))?, "calendar:monthly-reset"))
        }
        Window::PacificDay => Some((
            clock.until(calendar::next_pacific_day(clock.now))?,
            "calendar:midnight-America/Los_Angeles",
        )),
        Window::ShanghaiDay => Some((
            clock.until(calendar::next_day(clock.now, calendar::SHANGHAI))?,
            "calendar:midnight-Asia/Shanghai",
        )),
    }
}

/// A number of milliseconds as a wait, rounded up.
fn usable(wait: f64) -> Option<Millis> {
    (wait > 0.0 && wait <= LONGEST_MS).then(|| Millis(wait.ceil() as u64))
}

/// A bare number that is a span in seconds or a moment, told apart by its size: no wait is as long as
/// 1e9 seconds, and the epoch is that old since 2001; from 1e11 on it counts milliseconds, from 1e14 on
/// microseconds, from 1e17 on nanoseconds.
fn seconds_or_moment(number: f64, clock: Clock) -> Option<Millis> {
    if number >= 1e17 {
        usable(number / 1e6 - clock.now as f64)
    } else if number >= 1e14 {
        usable(number / 1e3 - clock.now as f64)
    } else if number >= 1e11 {
        usable(number - clock.now as f64)
    } else if number >= 1e9 {
        usable(number * 1_000.0 - clock.now as f64)
    } else {
        usable(number * 1_000.0)
    }
}
