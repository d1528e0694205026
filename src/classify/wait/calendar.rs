//! When the next day or month begins, somewhere.

/// China is ahead of UTC by 8 hours, all year.
pub(super) const SHANGHAI: i64 = 8 * HOUR;

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;

/// The next midnight of a place that is always `east` milliseconds ahead of UTC.
pub(super) const fn next_day(now: i64, east: i64) -> i64 {
    ((now + east).div_euclid(DAY) + 1) * DAY - east
}

/// The next midnight at which a Monday begins, UTC. The day 4 was a Monday.
pub(super) const fn next_week(now: i64) -> i64 {
    ((now.div_euclid(DAY) - 4).div_euclid(7) + 1) * 7 * DAY + 4 * DAY
}

/// The first of the next month, UTC.
pub(super) const fn next_month(now: i64) -> i64 {
    let (year, month) = year_and_month(now.div_euclid(DAY));
    if month == 12 { days(year + 1, 1, 1) * DAY } else { days(year, month + 1, 1) * DAY }
}

/// The next midnight of Los Angeles, whose days have 23 or 25 hours when the clocks change.
pub(super) const fn next_pacific_day(now: i64) -> i64 {
    let local_midnight = ((now + pacific(now)).div_euclid(DAY) + 1) * DAY;
    // Clocks change at two in the morning, so an hour around midnight shares its offset.
    local_midnight - pacific(local_midnight + 8 * HOUR)
}

/// How far Los Angeles is ahead of UTC: 8 hours behind, and 7 from the second Sunday of March to the
/// first of November (15 U.S.C. 260a), changing at two o'clock by the clock that ends.
const fn pacific(now: i64) -> i64 {
    let (year, _) = year_and_month(now.div_euclid(DAY));
    let begins = sunday_from(days(year, 3, 8)) * DAY + 10 * HOUR;
    let ends = sunday_from(days(year, 11, 1)) * DAY + 9 * HOUR;
    if begins <= now && now < ends { -7 * HOUR } else { -8 * HOUR }
}

/// The first Sunday on or after a day. The day 0 was a Thursday.
const fn sunday_from(day: i64) -> i64 {
    day + 6 - (day + 3).rem_euclid(7)
}

/// Days since the epoch of a Gregorian date: years that begin in March have their leap day last.
pub(super) const fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    year * 365 + leap_days + day_of_year - 719_468
}

/// The year and the month of a day since the epoch.
pub(super) const fn year_and_month(day: i64) -> (i64, i64) {
    // 146,097 days are 400 years; the estimate is at most one year early.
    let mut year = 1970 + (day * 400).div_euclid(146_097) - 1;
    while days(year + 1, 1, 1) <= day {
        year += 1;
    }
    let mut month = 12;
    while days(year, month, 1) > day {
        month -= 1;
    }
    (year, month)
}

#[cfg(test)]
mod tests {
    use super::super::date::http;
    use super::{
        SHANGHAI, days, next_day, next_month, next_pacific_day, next_week, year_and_month,
    };

    fn at(text: &str) -> i64 {
        http(text).unwrap_or_default()
    }

    #[test]
    fn months_end_where_they_end() {
        for (now, next) in [
            ("Tue, 20 Oct 2026 12:00:00 GMT", "Sun, 01 Nov 2026 00:00:00 GMT"),
            ("Thu, 31 Dec 2026 23:59:59 GMT", "Fri, 01 Jan 2027 00:00:00 GMT"),
            ("Thu, 29 Feb 2024 00:00:00 GMT", "Fri, 01 Mar 2024 00:00:00 GMT"),
        ] {
            assert_eq!(next_month(at(now)), at(next), "{now}");
        }
        for day in (-1_000_000..4_000_000).step_by(17) {
            let (year, month) = year_and_month(day);
            assert!(days(year, month, 1) <= day && day < days(year, month, 1) + 31, "{day}");
            assert!((1..=12).contains(&month));
        }
    }

    #[test]
    fn midnight_of_the_pacific_follows_its_summer_time() {
        for (now, next) in [
            // Summer: seven hours behind.
            ("Tue, 20 Oct 2026 12:00:00 GMT", "Wed, 21 Oct 2026 07:00:00 GMT"),
            ("Wed, 21 Oct 2026 06:59:59 GMT", "Wed, 21 Oct 2026 07:00:00 GMT"),
            ("Wed, 21 Oct 2026 07:00:00 GMT", "Thu, 22 Oct 2026 07:00:00 GMT"),
            // Winter: eight.
            ("Fri, 15 Jan 2027 12:00:00 GMT", "Sat, 16 Jan 2027 08:00:00 GMT"),
            // 8 March 2026 has 23 hours, 1 November 2026 has 25.
            ("Sun, 08 Mar 2026 08:00:00 GMT", "Mon, 09 Mar 2026 07:00:00 GMT"),
            ("Sun, 08 Mar 2026 07:59:59 GMT", "Sun, 08 Mar 2026 08:00:00 GMT"),
            ("Sun, 08 Mar 2026 10:30:00 GMT", "Mon, 09 Mar 2026 07:00:00 GMT"),
            ("Sun, 01 Nov 2026 07:00:00 GMT", "Mon, 02 Nov 2026 08:00:00 GMT"),
            ("Sun, 01 Nov 2026 06:00:00 GMT", "Sun, 01 Nov 2026 07:00:00 GMT"),
            ("Sun, 01 Nov 2026 09:30:00 GMT", "Mon, 02 Nov 2026 08:00:00 GMT"),
            // Across the year.
            ("Fri, 01 Jan 2027 07:30:00 GMT", "Fri, 01 Jan 2027 08:00:00 GMT"),
        ] {
            assert_eq!(next_pacific_day(at(now)), at(next), "{now}");
        }
    }

    #[test]
    fn midnight_of_china_comes_at_four_in_the_afternoon() {
        let noon = at("Tue, 20 Oct 2026 12:00:00 GMT");
        assert_eq!(next_day(noon, SHANGHAI), noon + 4 * 3_600_000);
        assert_eq!(next_day(noon, 0), noon + 12 * 3_600_000);
    }

    #[test]
    fn weeks_begin_on_mondays() {
        let monday = at("Mon, 26 Oct 2026 00:00:00 GMT");
        assert_eq!(next_week(at("Tue, 20 Oct 2026 12:00:00 GMT")), monday);
        assert_eq!(next_week(monday - 1), monday);
        assert_eq!(next_week(monday), monday + 7 * 86_400_000);
    }
}
