//! Spans with units: Go's `6m0s`, protobuf's `34.07s`, and words: `2 hours 5 minutes`, `30 秒`.

use super::scan::Scan;

/// The units in milliseconds, the longer name before the one that it begins with.
const UNITS: &[(&str, f64)] = &[
    ("milliseconds", 1.0),
    ("millisecond", 1.0),
    ("millis", 1.0),
    ("msec", 1.0),
    ("ms", 1.0),
    ("microseconds", 0.001),
    ("µs", 0.001),
    ("us", 0.001),
    ("nanoseconds", 1e-6),
    ("ns", 1e-6),
    ("seconds", 1e3),
    ("second", 1e3),
    ("secs", 1e3),
    ("sec", 1e3),
    ("s", 1e3),
    ("minutes", 6e4),
    ("minute", 6e4),
    ("mins", 6e4),
    ("min", 6e4),
    ("months", 2.592e9),
    ("month", 2.592e9),
    ("m", 6e4),
    ("hours", 3.6e6),
    ("hour", 3.6e6),
    ("hrs", 3.6e6),
    ("hr", 3.6e6),
    ("h", 3.6e6),
    ("days", 8.64e7),
    ("day", 8.64e7),
    ("d", 8.64e7),
    ("weeks", 6.048e8),
    ("week", 6.048e8),
    ("w", 6.048e8),
    ("毫秒", 1.0),
    ("秒", 1e3),
    ("分钟", 6e4),
    ("分", 6e4),
    ("小时", 3.6e6),
    ("天", 8.64e7),
];

/// A text that is a span and nothing else, in milliseconds; also as ISO 8601 writes it: `P1DT1M30S`.
pub(super) fn whole(text: &str) -> Option<f64> {
    let text = text.trim();
    let Some(span) = text.strip_prefix('P') else { return all_of(text) };
    let (days, clock) = span.split_once('T').unwrap_or((span, ""));
    match (days, clock) {
        // A month has no length.
        (days, _) if days.contains('M') => None,
        (days, "") => all_of(days),
        ("", clock) => all_of(clock),
        (days, clock) => Some(all_of(days)? + all_of(clock)?),
    }
}

fn all_of(text: &str) -> Option<f64> {
    let mut scan = Scan(text);
    take(&mut scan).filter(|_| scan.is_done())
}

/// Takes a span: numbers with units, the greater first, with blanks or `and` between them.
#[inline(never)]
pub(super) fn take(scan: &mut Scan<'_>) -> Option<f64> {
    let mut sum = None;
    loop {
        let mut rest = *scan;
        if sum.is_some() {
            rest.take(|letter| matches!(letter, ' ' | ','));
            let _ = rest.eat("and ");
        }
        let Some(number) = rest.decimal(1.0) else { return sum };
        rest.take(|letter| letter == ' ');
        let Some(unit) = unit(&mut rest) else { return sum };
        sum = Some(sum.unwrap_or(0.0) + number * unit);
        *scan = rest;
    }
}

/// Takes a span as .NET writes it, `d.hh:mm:ss` or `hh:mm:ss`, which Azure's gateway does.
pub(super) fn take_clock(scan: &mut Scan<'_>) -> Option<f64> {
    let mut rest = *scan;
    let first = rest.whole(1, 4)?;
    let (days, hours) = if rest.eat(".") { (first, rest.whole(2, 2)?) } else { (0, first) };
    rest.eat(":").then_some(())?;
    let minutes = rest.whole(2, 2)?;
    rest.eat(":").then_some(())?;
    let seconds = rest.whole(2, 2)?;
    *scan = rest;
    Some((((days * 24 + hours) * 60 + minutes) * 60 + seconds) as f64 * 1e3)
}

fn unit(scan: &mut Scan<'_>) -> Option<f64> {
    for (name, unit) in UNITS {
        let mut rest = *scan;
        // The word must end there: `5 megabytes` are no 5 minutes.
        if rest.eat(name) && !rest.0.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
            *scan = rest;
            return Some(*unit);
        }
    }
    None
}
