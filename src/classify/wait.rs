//! How long the provider said to wait.

use crate::types::{Millis, Outcome, Wall, place_of};

/// A wait above this is no hint but a mistake: 400 days.
const LONGEST_MS: f64 = 400.0 * 86_400_000.0;

/// The stated wait and where it was read: `retry-after-ms` if it is readable, else `retry-after`.
pub(super) fn stated(outcome: &Outcome<'_>, now: Wall) -> Option<(Millis, &'static str)> {
    let exact = outcome.retry_after_ms.and_then(|text| usable(decimal(text.trim_ascii(), 1.0)?));
    if let Some(wait) = exact {
        return Some((wait, "header:retry-after-ms"));
    }
    let text = outcome.retry_after?.trim_ascii();
    // The provider's date means its own clock: measured against ours, a skew would become a wait.
    let clock = outcome.date.and_then(|date| http_date(date.trim_ascii())).unwrap_or(now.0);
    let wait = match decimal(text, 1_000.0) {
        Some(wait) => wait,
        None => http_date(text)?.saturating_sub(clock) as f64,
    };
    Some((usable(wait)?, "header:retry-after"))
}

fn usable(wait: f64) -> Option<Millis> {
    (wait > 0.0 && wait <= LONGEST_MS).then(|| Millis(wait.ceil() as u64))
}

/// A number of digits and at most one point, times `unit`. What `f64` would also read (`inf`, `1e9`,
/// `-5`) is no wait.
fn decimal(text: &str, unit: f64) -> Option<f64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = || whole.bytes().chain(fraction.bytes());
    if digits().next().is_none() || !digits().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number = digits().fold(0.0, |number, digit| number * 10.0 + f64::from(digit - b'0'));
    // Dividing once, at the end, keeps `1.574` seconds at 1,574 ms.
    Some(number * unit / fraction.bytes().fold(1.0, |power, _| power * 10.0))
}

/// The milliseconds since the epoch of `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 section 5.6.7).
fn http_date(text: &str) -> Option<i64> {
    let mut parts = text.split(' ');
    parts.next().filter(|weekday| weekday.ends_with(','))?;
    let (day, month, year) =
        (number(parts.next()?)?, month(parts.next()?)?, number(parts.next()?)?);
    let mut clock = parts.next()?.split(':');
    let (hour, minute) = (number(clock.next()?)?, number(clock.next()?)?);
    let second = number(clock.next()?)?;
    let valid = parts.next() == Some("GMT")
        && (1..=31).contains(&day)
        && year <= 9_999
        && hour <= 23
        && minute <= 59
        && second <= 60;
    valid.then(|| (((days(year, month, day) * 24 + hour) * 60 + minute) * 60 + second) * 1_000)
}

fn number(text: &str) -> Option<i64> {
    let digits = text.len() <= 4 && text.bytes().all(|byte| byte.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}

fn month(name: &str) -> Option<i64> {
    const NAMES: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    place_of(name, &NAMES).map(|at| at as i64 + 1)
}

/// Days since the epoch of a Gregorian date: years that begin in March have their leap day last.
const fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    year * 365 + leap_days + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::{http_date, stated};
    use crate::types::{Outcome, Wall};

    #[test]
    fn reads_dates_across_leap_years() {
        assert_eq!(http_date("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(http_date("Sun, 06 Nov 1994 08:49:37 GMT"), Some(784_111_777_000));
        assert_eq!(http_date("Thu, 29 Feb 2024 12:00:00 GMT"), Some(1_709_208_000_000));
        assert_eq!(http_date("Tue, 20 Oct 2026 12:01:30 GMT"), Some(1_792_497_690_000));
        assert_eq!(http_date("Tue, 20 Oct 2026 12:01:30 UTC"), None);
    }

    #[test]
    fn takes_no_hint_from_what_is_no_wait() {
        for text in ["", "-5", "0", "inf", "NaN", "1e99", "0x10", "soon", ".", "34560001"] {
            let outcome = Outcome { retry_after: Some(text), ..Outcome::default() };
            assert_eq!(stated(&outcome, Wall(0)), None, "{text:?}");
        }
    }

    #[test]
    fn reads_fractions_of_seconds_to_the_millisecond() {
        for (text, expected) in [("1.574", 1_574), ("0.0201", 21), ("30", 30_000), ("7.", 7_000)] {
            let outcome = Outcome { retry_after: Some(text), ..Outcome::default() };
            assert_eq!(stated(&outcome, Wall(0)).map(|(wait, _)| wait.0), Some(expected), "{text}");
        }
    }

    #[test]
    fn an_unreadable_exact_wait_does_not_hide_a_good_one() {
        let outcome =
            Outcome { retry_after_ms: Some("abc"), retry_after: Some("30"), ..Outcome::default() };
        assert_eq!(stated(&outcome, Wall(0)).map(|(wait, _)| wait.0), Some(30_000));
    }

    #[test]
    fn measures_a_date_against_the_clock_that_wrote_it() {
        let outcome = Outcome {
            retry_after: Some("Tue, 20 Oct 2026 12:01:30 GMT"),
            date: Some("Tue, 20 Oct 2026 12:00:00 GMT"),
            ..Outcome::default()
        };
        let ahead = Wall(1_792_497_690_000 + 3_600_000);
        assert_eq!(stated(&outcome, ahead).map(|(wait, _)| wait.0), Some(90_000));
    }
}
