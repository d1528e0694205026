//! Waits in sentences.

use super::scan::Scan;
use super::{Clock, Stated, date, duration, seconds_or_moment, usable};
use crate::classify::rules::find;
use crate::classify::said::Said;
use crate::types::Millis;

/// What stands before a wait, and what that place is called. The longer phrase stands before the one
/// that it contains.
const PHRASES: &[(&str, &str)] = &[
    ("please try again in", "text:Please try again in"),
    ("try again in", "text:Try again in"),
    ("please try again after", "text:please try again after"),
    ("try again after", "text:try again after"),
    ("try again at", "text:try again at"),
    ("please retry after", "text:Please retry after"),
    ("please retry in", "text:Please retry in"),
    ("retry after", "text:retry after"),
    ("retry in", "text:retry in"),
    ("regain access on", "text:You will regain access on"),
    ("regain access at", "text:You will regain access at"),
    ("will reset after", "text:will reset after"),
    ("reset after", "text:reset after"),
    ("will reset at", "text:will reset at"),
    ("will reset on", "text:will reset on"),
    ("will reset in", "text:will reset in"),
    ("resets at", "text:resets at"),
    ("resets on", "text:resets on"),
    ("resets in", "text:resets in"),
    ("reset at", "text:reset at"),
    ("reset in", "text:reset in"),
    ("reset time:", "text:reset time"),
    ("replenished in", "text:replenished in"),
    ("available again in", "text:available again in"),
    ("available in", "text:available in"),
    ("usage limit reached|", "text:usage limit reached|"),
    ("please wait", "text:Please wait"),
    ("wait for", "text:wait for"),
    ("wait", "text:wait"),
    ("cooldown:", "text:cooldown"),
    ("将在", "text:将在 … 重置"),
    ("将于", "text:将于 … 重置"),
    ("请在", "text:请在 … 后"),
    ("请等待", "text:请等待"),
    ("请", "text:请 … 后"),
];

/// The first wait that a sentence states.
pub(super) fn reset(said: &Said<'_>, clock: Clock) -> Option<Stated> {
    said.sentences().find_map(|sentence| {
        PHRASES.iter().find_map(|(phrase, from)| Some((after(sentence, phrase, clock)?, *from)))
    })
}

/// The wait that stands behind a phrase.
fn after(sentence: &str, phrase: &str, clock: Clock) -> Option<Millis> {
    let mut rest = sentence;
    loop {
        let at = find(rest, phrase)?;
        rest = rest.get(at + phrase.len()..)?;
        if let Some(wait) = wait(rest, clock) {
            return Some(wait);
        }
    }
}

fn wait(text: &str, clock: Clock) -> Option<Millis> {
    let mut scan = Scan(text);
    scan.take(|letter| matches!(letter, ' ' | ':' | '~' | '≈' | '\u{a0}'));
    for filler in ["about ", "approximately ", "at least ", "another ", "for "] {
        let _ = scan.eat(filler);
    }
    if let Some(moment) = date::take_stamp(&mut scan, clock.east)
        .or_else(|| date::take_words(&mut scan, clock.east))
        .or_else(|| date::take_without_year(&mut scan, clock.now, clock.east))
    {
        return clock.until(moment);
    }
    if let Some(span) = duration::take_clock(&mut scan) {
        return usable(span);
    }
    if let Some(span) = duration::take(&mut scan) {
        return usable(span);
    }
    // A number alone is in seconds, or a moment, if the sentence or a clause ends behind it.
    let number = scan.decimal(1.0)?;
    let ends = scan.is_done() || scan.0.starts_with(['.', ',', ';', '|', ')', '\n']);
    ends.then(|| seconds_or_moment(number, clock))?
}
