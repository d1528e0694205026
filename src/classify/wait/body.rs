//! Resets in fields of the body.

use super::{Clock, Stated, date, duration, scan, seconds_or_moment, usable};
use crate::classify::said::Said;
use crate::types::Millis;

/// What a field holds.
enum Form {
    /// A moment: seconds or milliseconds of the epoch, or a stamp.
    Moment,
    /// A number of seconds, or a span with units.
    Span,
    /// A number of milliseconds.
    Exact,
    /// Whatever it looks like.
    Any,
}

use Form::{Any, Exact, Moment, Span};

/// The fields that state a reset, the surest first; their paths in lower case, and what they are called.
///
/// Where a moment and a span are both there, the moment is the one that does not age on the way.
const FIELDS: &[(&str, Form, &str)] = &[
    // Google's RetryInfo (google/rpc/error_details.proto) and what Code Assist adds to it.
    ("error.details.retrydelay", Span, "body:error.details[RetryInfo].retryDelay"),
    ("error.details.metadata.quotaresetdelay", Span, "body:error.details.metadata.quotaResetDelay"),
    (
        "error.details.metadata.quotaresettimestamp",
        Moment,
        "body:error.details.metadata.quotaResetTimeStamp",
    ),
    // ChatGPT's plans.
    ("error.resets_at", Moment, "body:error.resets_at"),
    ("error.resets_in_seconds", Span, "body:error.resets_in_seconds"),
    ("resets_at", Moment, "body:resets_at"),
    ("resets_in_seconds", Span, "body:resets_in_seconds"),
    // Gateways.
    ("error.reset_seconds", Span, "body:error.reset_seconds"),
    ("error.reset_time", Any, "body:error.reset_time"),
    ("error.reset_at", Moment, "body:error.reset_at"),
    // OpenRouter hands on headers of its upstream.
    (
        "error.metadata.headers.x-ratelimit-reset",
        Any,
        "body:error.metadata.headers.X-RateLimit-Reset",
    ),
    ("error.metadata.headers.retry-after", Any, "body:error.metadata.headers.Retry-After"),
    ("error.metadata.resets_at", Moment, "body:error.metadata.resets_at"),
    ("error.metadata.retry_after_seconds", Span, "body:error.metadata.retry_after_seconds"),
    ("error.metadata.retry_after", Span, "body:error.metadata.retry_after"),
    ("error.retry_after_ms", Exact, "body:error.retry_after_ms"),
    ("error.retry_after_seconds", Span, "body:error.retry_after_seconds"),
    ("error.retry_after", Any, "body:error.retry_after"),
    ("error.retryafter", Any, "body:error.retryAfter"),
    ("error.details.retry_after", Any, "body:error.details.retry_after"),
    ("retry_after_ms", Exact, "body:retry_after_ms"),
    ("retry_after_seconds", Span, "body:retry_after_seconds"),
    ("retry_after", Any, "body:retry_after"),
    ("retryafter", Any, "body:retryAfter"),
    ("retryafterseconds", Span, "body:retryAfterSeconds"),
    // A WebSocket event of ChatGPT carries its headers.
    ("headers.retry-after", Any, "body:headers.Retry-After"),
];

/// The first field that states a reset.
#[inline(never)]
pub(super) fn reset(said: &Said<'_>, clock: Clock) -> Option<Stated> {
    let has = |path: &str| said.field(path);
    FIELDS.iter().find_map(|(path, form, name)| {
        let text = has(path)?;
        // A bucket that is not empty explains nothing.
        let remaining = has("error.metadata.headers.x-ratelimit-remaining");
        if *path == "error.metadata.headers.x-ratelimit-reset"
            && remaining.is_some_and(|n| n != "0")
        {
            return None;
        }
        Some((read(text, form, clock)?, *name))
    })
}

fn read(text: &str, form: &Form, clock: Clock) -> Option<Millis> {
    let number = scan::number(text);
    match form {
        Exact => usable(number?),
        Span => usable(number.map(|seconds| seconds * 1_000.0).or_else(|| duration::whole(text))?),
        // A small number is no moment of this century.
        Moment => match number {
            Some(number) => seconds_or_moment(number.max(1e9), clock),
            None => moment(text, clock),
        },
        Any => any(text, clock),
    }
}

/// A number by its size, a span with units, or a moment.
#[inline(never)]
pub(super) fn any(text: &str, clock: Clock) -> Option<Millis> {
    match scan::number(text) {
        Some(number) => seconds_or_moment(number, clock),
        None => match duration::whole(text) {
            Some(span) => usable(span),
            None => moment(text, clock),
        },
    }
}

fn moment(text: &str, clock: Clock) -> Option<Millis> {
    let mut scan = scan::Scan(text.trim());
    let moment = date::http(text).or_else(|| date::take_stamp(&mut scan, clock.east))?;
    clock.until(moment)
}
