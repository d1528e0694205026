//! Moments: the three forms of HTTP dates, and stamps like `2026-10-20T12:00:37Z`.

use super::calendar::{days, year_and_month};
use super::scan::Scan;
use crate::types::place_of;

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// The milliseconds since the epoch of an HTTP date, in any of the forms of RFC 9110 section 5.6.7.
pub(super) fn http(text: &str) -> Option<i64> {
    let mut scan = Scan(text.trim());
    take_http(&mut scan).filter(|_| scan.is_done())
}

/// Takes an HTTP date: `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT`, or
/// `Sun Nov  6 08:49:37 1994`, which is in GMT too.
pub(super) fn take_http(scan: &mut Scan<'_>) -> Option<i64> {
    let mut rest = *scan;
    let weekday = rest.take(|letter| letter.is_ascii_alphabetic());
    if weekday.len() < 3 {
        return None;
    }
    let moment = if rest.eat(", ") {
        let day = rest.whole(1, 2)?;
        let between = rest.take(|letter| matches!(letter, ' ' | '-'));
        let month = month(&mut rest)?;
        rest.eat(between).then_some(())?;
        let year = match rest.whole(4, 4) {
            Some(year) => year,
            // Two digits: of this century, as far as waits go.
            None => 2_000 + rest.whole(2, 2)?,
        };
        rest.eat(" ").then_some(())?;
        let clock = clock(&mut rest)?;
        (rest.eat(" GMT") || rest.eat(" UTC")).then_some(())?;
        moment(year, month, day, clock)
    } else {
        rest.eat(" ").then_some(())?;
        let month = month(&mut rest)?;
        rest.take(|letter| letter == ' ');
        let day = rest.whole(1, 2)?;
        rest.eat(" ").then_some(())?;
        let clock = clock(&mut rest)?;
        rest.eat(" ").then_some(())?;
        moment(rest.whole(4, 4)?, month, day, clock)
    }?;
    *scan = rest;
    Some(moment)
}

/// Takes a stamp: RFC 3339, or with a blank or `at` for its `T`, without seconds, with ` UTC` or
/// ` +0800` for its zone, or with none: then it is `east` milliseconds ahead of UTC.
pub(super) fn take_stamp(scan: &mut Scan<'_>, east: i64) -> Option<i64> {
    let mut rest = *scan;
    let year = rest.whole(4, 4)?;
    let between = if rest.eat("-") { "-" } else { rest.eat("/").then_some("/")? };
    let month = rest.whole(1, 2)?;
    rest.eat(between).then_some(())?;
    let day = rest.whole(1, 2)?;
    let mut time = rest;
    let has_time = time.eat("T") || time.eat(" at ") || time.eat(" ");
    let clock = has_time.then(|| clock(&mut time)).flatten();
    let offset = if clock.is_some() {
        rest = time;
        zone(&mut rest).unwrap_or(east)
    } else {
        east
    };
    let moment = moment(year, month, day, clock.unwrap_or(0))?;
    *scan = rest;
    Some(moment - offset)
}

/// Takes `Oct 7, 2026 14:05 UTC`.
pub(super) fn take_words(scan: &mut Scan<'_>, east: i64) -> Option<i64> {
    let mut rest = *scan;
    let month = month(&mut rest)?;
    rest.eat(" ").then_some(())?;
    let day = rest.whole(1, 2)?;
    let _ = rest.eat(",");
    rest.eat(" ").then_some(())?;
    let year = rest.whole(4, 4)?;
    let _ = rest.eat(",");
    let _ = rest.eat(" at");
    rest.eat(" ").then_some(())?;
    let clock = clock(&mut rest)?;
    let moment = moment(year, month, day, clock)?;
    let offset = zone(&mut rest).unwrap_or(east);
    *scan = rest;
    Some(moment - offset)
}

/// Takes `08-18 10:07:00 UTC`, in the year in which it is nearest to `now`.
pub(super) fn take_without_year(scan: &mut Scan<'_>, now: i64, east: i64) -> Option<i64> {
    const HALF_A_YEAR: i64 = 182 * 86_400_000;
    let mut rest = *scan;
    let month = rest.whole(2, 2)?;
    rest.eat("-").then_some(())?;
    let day = rest.whole(2, 2)?;
    rest.eat(" ").then_some(())?;
    let clock = clock(&mut rest)?;
    let offset = zone(&mut rest).unwrap_or(east);
    let (year, _) = year_and_month(now.div_euclid(86_400_000));
    let this = moment(year, month, day, clock)? - offset;
    *scan = rest;
    if this < now - HALF_A_YEAR {
        Some(moment(year + 1, month, day, clock)? - offset)
    } else {
        Some(this)
    }
}

/// Takes `08:49:37.5` or `08:49`, as milliseconds.
fn clock(scan: &mut Scan<'_>) -> Option<i64> {
    let mut rest = *scan;
    let hour = rest.whole(1, 2)?;
    rest.eat(":").then_some(())?;
    let minute = rest.whole(2, 2)?;
    let mut millis = 0.0;
    let mut after = rest;
    if after.eat(":") {
        // Of digits alone there may be 60: a leap second.
        millis = after.decimal(1_000.0).filter(|millis| *millis < 61_000.0)?;
        rest = after;
    }
    let valid = hour <= 24 && minute <= 59;
    *scan = rest;
    valid.then(|| (hour * 60 + minute) * 60_000 + millis.ceil() as i64)
}

/// Takes a zone, as milliseconds ahead of UTC.
fn zone(scan: &mut Scan<'_>) -> Option<i64> {
    let mut rest = *scan;
    rest.take(|letter| letter == ' ');
    if rest.eat("UTC") || rest.eat("GMT") || rest.eat("Z") {
        *scan = rest;
        return Some(0);
    }
    let sign = if rest.eat("+") { 1 } else { rest.eat("-").then_some(-1)? };
    let hours = rest.0.get(..2).and_then(|digits| Scan(digits).whole(2, 2))?;
    rest.0 = rest.0.get(2..)?;
    let _ = rest.eat(":");
    let minutes = rest.whole(2, 2).unwrap_or(0);
    *scan = rest;
    (hours <= 14 && minutes <= 59).then(|| sign * (hours * 60 + minutes) * 60_000)
}

fn month(scan: &mut Scan<'_>) -> Option<i64> {
    let name = scan.take(|letter| letter.is_ascii_alphabetic());
    let mut start = [0; 3];
    for (to, from) in start.iter_mut().zip(name.bytes()) {
        *to = from.to_ascii_lowercase();
    }
    place_of(std::str::from_utf8(&start).ok()?, &MONTHS).map(|at| at as i64 + 1)
}

fn moment(year: i64, month: i64, day: i64, clock: i64) -> Option<i64> {
    let valid = (1..=12).contains(&month) && (1..=31).contains(&day);
    valid.then(|| days(year, month, day) * 86_400_000 + clock)
}

#[cfg(test)]
mod tests {
    use super::{Scan, http, take_stamp};

    #[test]
    fn reads_dates_across_leap_years() {
        assert_eq!(http("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(http("Sun, 06 Nov 1994 08:49:37 GMT"), Some(784_111_777_000));
        assert_eq!(http("Thu, 29 Feb 2024 12:00:00 GMT"), Some(1_709_208_000_000));
        assert_eq!(http("Tue, 20 Oct 2026 12:01:30 GMT"), Some(1_792_497_690_000));
        assert_eq!(http("Tuesday, 20-Oct-26 12:01:30 GMT"), Some(1_792_497_690_000));
        assert_eq!(http("Tue Oct 20 12:01:30 2026"), Some(1_792_497_690_000));
        assert_eq!(http("Sun Nov  6 08:49:37 1994"), Some(784_111_777_000));
        assert_eq!(http("Tue, 20 Oct 2026 12:01:30 PST"), None);
        assert_eq!(http("Tue, 20 Foo 2026 12:01:30 GMT"), None);
    }

    #[test]
    fn reads_stamps_with_every_kind_of_zone() {
        let noon = 1_792_497_600_000;
        for text in [
            "2026-10-20T12:00:00Z",
            "2026-10-20T12:00:00.000Z",
            "2026-10-20 12:00:00 UTC",
            "2026-10-20T20:00:00+08:00",
            "2026-10-20 20:00:00 +0800 CST",
            "2026-10-20T05:00:00-07:00",
            "2026-10-20 at 12:00 UTC",
            "2026/10/20 20:00",
            "2026-10-20 20:00:00",
        ] {
            assert_eq!(take_stamp(&mut Scan(text), 8 * 3_600_000), Some(noon), "{text}");
        }
        for text in ["2026-13-20T12:00:00Z", "2026-10-00", "20261020", "2026-", "x"] {
            assert_eq!(take_stamp(&mut Scan(text), 0), None, "{text}");
        }
    }
}
