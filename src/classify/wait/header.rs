//! Waits in headers.

use super::{Clock, Stated, body, date, scan, usable};
use crate::classify::rules::{begins, find};
use crate::classify::said::Said;
use crate::types::{Millis, Scope};

/// Milliseconds: OpenAI's name, then Azure's.
const EXACT: [(&str, &str); 2] = [
    ("retry-after-ms", "header:retry-after-ms"),
    ("x-ms-retry-after-ms", "header:x-ms-retry-after-ms"),
];

/// A readable wait in milliseconds.
pub(super) fn retry_after_ms(said: &Said<'_>, _: Clock) -> Option<Stated> {
    EXACT.into_iter().find_map(|(name, from)| {
        let waits = values(said, name).filter_map(|text| usable(scan::number(text)?));
        Some((waits.max()?, from))
    })
}

/// `Retry-After`: seconds or a date (RFC 9110 section 10.2.3). Each proxy may have added one; the
/// longest is the one that all of them accept.
pub(super) fn retry_after(said: &Said<'_>, clock: Clock) -> Option<Stated> {
    let waits = values(said, "retry-after").filter_map(|text| longest_of_list(text, clock));
    let wait = waits.max();
    // GitHub Models counts down in a header of its own.
    let other = || {
        let text = said.outcome.header("x-ratelimit-timeremaining")?;
        Some((usable(scan::number(text)? * 1_000.0)?, "header:x-ratelimit-timeremaining"))
    };
    wait.map(|wait| (wait, "header:retry-after")).or_else(other)
}

fn longest_of_list(text: &str, clock: Clock) -> Option<Millis> {
    let mut longest = None;
    let mut rest = scan::Scan(text);
    loop {
        rest.take(|letter| matches!(letter, ',' | ' ' | '\t'));
        if rest.is_done() {
            return longest;
        }
        // A date has a comma of its own.
        let mut after = rest;
        let wait = match date::take_http(&mut after) {
            Some(moment) => {
                rest = after;
                clock.until(moment)
            }
            None => body::any(rest.take(|letter| letter != ','), clock),
        };
        longest = longest.max(wait);
    }
}

fn values<'a>(said: &Said<'a>, name: &'static str) -> impl Iterator<Item = &'a str> {
    let headers = said.outcome.headers.iter();
    headers.filter(move |header| header.0.eq_ignore_ascii_case(name)).map(|header| header.1)
}

/// Reset headers whose values are told by name, as verdicts name them.
const RESETS: &[(&str, &str)] = &[
    ("x-ratelimit-reset", "header:x-ratelimit-reset"),
    ("x-ratelimit-reset-requests", "header:x-ratelimit-reset-requests"),
    ("x-ratelimit-reset-tokens", "header:x-ratelimit-reset-tokens"),
    ("x-ratelimit-reset-tokens-day", "header:x-ratelimit-reset-tokens-day"),
    ("x-ratelimit-reset-requests-day", "header:x-ratelimit-reset-requests-day"),
    ("x-ratelimit-reset-requests-minute", "header:x-ratelimit-reset-requests-minute"),
    ("x-ratelimit-reset-tokens-minute", "header:x-ratelimit-reset-tokens-minute"),
    ("x-ratelimit-reset-requests-hour", "header:x-ratelimit-reset-requests-hour"),
    ("x-ratelimit-reset-tokens-hour", "header:x-ratelimit-reset-tokens-hour"),
    ("anthropic-ratelimit-requests-reset", "header:anthropic-ratelimit-requests-reset"),
    ("anthropic-ratelimit-tokens-reset", "header:anthropic-ratelimit-tokens-reset"),
    ("anthropic-ratelimit-input-tokens-reset", "header:anthropic-ratelimit-input-tokens-reset"),
    ("anthropic-ratelimit-output-tokens-reset", "header:anthropic-ratelimit-output-tokens-reset"),
    ("anthropic-ratelimit-unified-5h-reset", "header:anthropic-ratelimit-unified-5h-reset"),
    ("anthropic-ratelimit-unified-7d-reset", "header:anthropic-ratelimit-unified-7d-reset"),
    ("anthropic-ratelimit-unified-7d-oi-reset", "header:anthropic-ratelimit-unified-7d-oi-reset"),
    ("anthropic-ratelimit-unified-7d_oi-reset", "header:anthropic-ratelimit-unified-7d_oi-reset"),
    ("anthropic-ratelimit-unified-reset", "header:anthropic-ratelimit-unified-reset"),
    ("x-codex-primary-reset-at", "header:x-codex-primary-reset-at"),
    ("x-codex-primary-reset-after-seconds", "header:x-codex-primary-reset-after-seconds"),
    ("x-codex-secondary-reset-at", "header:x-codex-secondary-reset-at"),
    ("x-codex-secondary-reset-after-seconds", "header:x-codex-secondary-reset-after-seconds"),
    ("ratelimit-reset", "header:ratelimit-reset"),
    ("ratelimit", "header:ratelimit"),
];

fn named(name: &str) -> &'static str {
    let known = RESETS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
    known.map_or("header:reset", |(_, from)| from)
}

/// The reset of the empty bucket that lasts longest: `x-ratelimit-remaining-tokens: 0` makes
/// `x-ratelimit-reset-tokens` count, and so does every pair of names of that kind.
pub(super) fn empty_bucket(said: &Said<'_>, clock: Clock) -> Option<Stated> {
    let mut longest: Option<Stated> = None;
    for (name, value) in said.outcome.headers {
        let is_empty = || scan::number(value).is_some_and(|remaining| remaining <= 0.0);
        let found = match split_name(name, "remaining") {
            Some((before, after)) if is_empty() => reset_of(said, before, after, clock),
            _ if name.eq_ignore_ascii_case("ratelimit") => {
                structured(value).map(|wait| (wait, named("ratelimit")))
            }
            _ => None,
        };
        longest = longer(longest, found);
    }
    longest
}

fn longer(one: Option<Stated>, other: Option<Stated>) -> Option<Stated> {
    // Of equal ones the name that comes first: the order of headers says nothing.
    [one, other].into_iter().flatten().max_by_key(|(wait, from)| (*wait, std::cmp::Reverse(*from)))
}

fn reset_of(said: &Said<'_>, before: &str, after: &str, clock: Clock) -> Option<Stated> {
    let partner = |(name, _): &&(&str, &str)| {
        split_name(name, "reset").is_some_and(|(its_before, its_after)| {
            its_before.eq_ignore_ascii_case(before) && its_after.eq_ignore_ascii_case(after)
        })
    };
    let resets = said.outcome.headers.iter().filter(partner);
    let waits = resets.filter_map(|(name, text)| Some((body::any(text, clock)?, named(name))));
    waits.fold(None, |longest, found| longer(longest, Some(found)))
}

/// What stands before and after a word in the name of a header of rate limits.
fn split_name<'a>(name: &'a str, word: &str) -> Option<(&'a str, &'a str)> {
    find(name, "ratelimit")?;
    let at = find(name, word)?;
    Some((name.get(..at)?, name.get(at + word.len()..)?))
}

/// The IETF's one header for all: `"default";r=0;t=30`, or the older `limit=9, remaining=0, reset=30`
/// (draft-ietf-httpapi-ratelimit-headers).
fn structured(value: &str) -> Option<Millis> {
    let mut is_empty = false;
    let mut longest = None;
    for part in value.split([';', ',']) {
        let Some((name, value)) = part.trim().split_once('=') else { continue };
        match name {
            "r" | "remaining" => is_empty = scan::number(value).is_some_and(|left| left <= 0.0),
            "t" | "reset" if is_empty => {
                longest = longest.max(scan::number(value).and_then(|secs| usable(secs * 1_000.0)));
            }
            _ => {}
        }
    }
    longest
}

/// The reset of a plan's window that its own headers say is used up: Anthropic's unified windows, and
/// those of ChatGPT's plans at 100 percent.
///
/// Of a verdict about the whole credential only the windows count that all models share.
pub(super) fn own_window(said: &Said<'_>, clock: Clock, scope: Scope) -> Option<Stated> {
    let mut headers = said.outcome.headers.iter();
    let is_one = |(name, value): &(&str, &str)| {
        rejected_window(name, value).is_some_and(|window| !window.is_empty())
    };
    let names_one = headers.any(is_one);
    let is_shared = |window: &str| {
        ["5h", "7d", "weekly"].into_iter().any(|shared| shared.eq_ignore_ascii_case(window))
    };
    // The reset of them all is that of one of them.
    let counts = |window: &str| match window {
        "" => !names_one,
        window => scope == Scope::Model || is_shared(window),
    };
    let mut longest = None;
    for (name, value) in said.outcome.headers {
        if let Some(window) = rejected_window(name, value).filter(|window| counts(window)) {
            // `…-5h-status` and `…-5h-reset`; of `…-status` alone the reset of them all.
            let is_reset = |other: &str| {
                reset_window(other).is_some_and(|its| its.eq_ignore_ascii_case(window))
            };
            longest = longer(longest, best(said, clock, is_reset));
        } else if let Some(window) = codex_window(name).filter(|_| is_full(value)) {
            let is_reset = |other: &str| begins(other, window) && find(other, "reset").is_some();
            longest = longer(longest, best(said, clock, is_reset));
        }
    }
    longest
}

fn best(said: &Said<'_>, clock: Clock, is_reset: impl Fn(&str) -> bool) -> Option<Stated> {
    let resets = said.outcome.headers.iter().filter(|(name, _)| is_reset(name));
    let waits = resets.filter_map(|(name, text)| Some((body::any(text, clock)?, named(name))));
    waits.fold(None, |longest, found| longer(longest, Some(found)))
}

const UNIFIED: &str = "anthropic-ratelimit-unified-";

/// The window whose status header this is, if it rejects: `5h`, `7d`, `7d_opus`; empty for all of them.
///
/// `overage` is no window: it is rejected wherever nobody bought extra usage, also beside a success.
pub(in crate::classify) fn rejected_window<'a>(name: &'a str, value: &str) -> Option<&'a str> {
    let rejected = value.trim().eq_ignore_ascii_case("rejected");
    let window = unified(name, "status").filter(|_| rejected)?;
    (!begins(window, "overage")).then_some(window)
}

fn reset_window(name: &str) -> Option<&str> {
    unified(name, "reset")
}

/// `5h` of `anthropic-ratelimit-unified-5h-status`.
fn unified<'a>(name: &'a str, what: &str) -> Option<&'a str> {
    if !begins(name, UNIFIED) {
        return None;
    }
    let rest = name.get(UNIFIED.len()..)?;
    let end = rest.len().checked_sub(what.len())?;
    let (window, last) = rest.split_at_checked(end)?;
    last.eq_ignore_ascii_case(what).then(|| window.trim_end_matches('-'))
}

/// `x-codex-primary-` of `x-codex-primary-used-percent`; a limit of its own has its name between.
pub(in crate::classify) fn codex_window(name: &str) -> Option<&str> {
    const USED: &str = "used-percent";
    let end = name.len().checked_sub(USED.len())?;
    let (window, used) = name.split_at_checked(end)?;
    (begins(window, "x-codex-") && used.eq_ignore_ascii_case(USED)).then_some(window)
}

/// Whether a percentage is reached.
pub(in crate::classify) fn is_full(value: &str) -> bool {
    scan::number(value).is_some_and(|percent| percent >= 100.0)
}
