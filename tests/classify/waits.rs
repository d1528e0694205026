//! Every form in which a wait is stated.

use keyrota::{Evidence, Outcome, Wall, classify};

use crate::{NOON, judge};

fn wait(headers: &[(&str, &str)]) -> Option<u64> {
    judge("openai-compat", 429, headers, "").wait_ms.map(|wait| wait.0)
}

/// What a sentence in `error.message` states.
fn said(dialect: &str, sentence: &str) -> Option<u64> {
    let body = serde_json::json!({ "error": { "message": sentence } }).to_string();
    judge(dialect, 429, &[], &body).wait_ms.map(|wait| wait.0)
}

#[test]
fn retry_after_is_seconds_or_a_date_or_nothing() {
    for (text, expected) in [
        ("30", Some(30_000)),
        (" 30 ", Some(30_000)),
        ("1.574", Some(1_574)),
        ("0.0201", Some(21)),
        ("7.", Some(7_000)),
        ("30s", Some(30_000)),
        ("6m0s", Some(360_000)),
        ("34560000", Some(34_560_000_000)),
        ("34560001", None),
        ("Tue, 20 Oct 2026 12:01:30 GMT", Some(90_000)),
        ("Tuesday, 20-Oct-26 12:01:30 GMT", Some(90_000)),
        ("Tue Oct 20 12:01:30 2026", Some(90_000)),
        ("2026-10-20T12:01:30Z", Some(90_000)),
        ("2026-10-20T14:01:30+02:00", Some(90_000)),
        ("Tue, 20 Oct 2026 11:59:59 GMT", None),
        ("Tue, 20 Oct 2036 12:00:00 GMT", None),
        ("1792497690", Some(90_000)),
        ("1792497690000", Some(90_000)),
        ("1000000000", None),
        ("0", None),
        ("-5", None),
        ("+5", None),
        ("inf", None),
        ("Infinity", None),
        ("NaN", None),
        ("1e99", None),
        ("1e3", None),
        ("0x10", None),
        ("", None),
        (".", None),
        ("soon", None),
        ("5 requests", None),
        ("5 megabytes", None),
        ("30, 60", Some(60_000)),
        ("60, 30", Some(60_000)),
        ("soon, 30", Some(30_000)),
        (",,", None),
        ("Tue, 20 Oct 2026 12:01:30 GMT, 20", Some(90_000)),
        ("20, Tue, 20 Oct 2026 12:01:30 GMT", Some(90_000)),
        ("99999999999999999999999999", None),
    ] {
        assert_eq!(wait(&[("Retry-After", text)]), expected, "{text:?}");
    }
    let long = "9".repeat(5_000);
    assert_eq!(wait(&[("retry-after", &long)]), None);
}

#[test]
fn of_two_retry_after_headers_the_longer_counts() {
    assert_eq!(wait(&[("retry-after", "30"), ("Retry-After", "60")]), Some(60_000));
    assert_eq!(wait(&[("retry-after", "60"), ("Retry-After", "soon")]), Some(60_000));
}

#[test]
fn a_date_is_measured_against_the_clock_that_wrote_it() {
    let headers = [
        ("Retry-After", "Tue, 20 Oct 2026 12:01:30 GMT"),
        ("Date", "Tue, 20 Oct 2026 12:00:00 GMT"),
    ];
    for skew in [-3_600_000, 0, 600_000, 3_600_000] {
        let outcome = Outcome { headers: &headers, ..Outcome::of_status(429) };
        let verdict = classify("openai", &[], &outcome, Wall(NOON.0 + skew));
        assert_eq!(verdict.wait_ms.map(|wait| wait.0), Some(90_000), "{skew}");
    }
}

#[test]
fn exact_milliseconds_come_first_unless_they_are_garbage() {
    let good = ("retry-after", "30");
    assert_eq!(wait(&[("retry-after-ms", "1250"), good]), Some(1_250));
    assert_eq!(wait(&[("retry-after-ms", "12.5"), good]), Some(13));
    assert_eq!(wait(&[("x-ms-retry-after-ms", "700"), good]), Some(700));
    for garbage in ["", "abc", "-1", "0", "1e9", "NaN", "99999999999999"] {
        assert_eq!(wait(&[("retry-after-ms", garbage), good]), Some(30_000), "{garbage:?}");
    }
}

#[test]
fn reset_headers_come_in_five_forms() {
    for (text, expected) in [
        ("1s", Some(1_000)),
        ("20ms", Some(20)),
        ("6m0s", Some(360_000)),
        ("1h2m3.5s", Some(3_723_500)),
        ("17h30m12.5s", Some(63_012_500)),
        ("1d2h", Some(93_600_000)),
        ("500µs", Some(1)),
        ("33011.382867", Some(33_011_383)),
        ("4", Some(4_000)),
        ("1792497637", Some(37_000)),
        ("1792497637000", Some(37_000)),
        ("2026-10-20T12:00:37Z", Some(37_000)),
        ("2026-10-20T12:00:36.25Z", Some(36_250)),
        ("Tue, 20 Oct 2026 12:00:37 GMT", Some(37_000)),
        ("0", None),
        ("-1", None),
        ("0s", None),
        ("later", None),
        ("6x", None),
        ("1792497599", None),
    ] {
        let headers =
            [("x-ratelimit-remaining-requests", "0"), ("x-ratelimit-reset-requests", text)];
        assert_eq!(wait(&headers), expected, "{text:?}");
    }
}

#[test]
fn only_an_empty_bucket_explains_a_limit() {
    let of = |remaining| {
        wait(&[("x-ratelimit-remaining-tokens", remaining), ("x-ratelimit-reset-tokens", "9s")])
    };
    assert_eq!(of("0"), Some(9_000));
    assert_eq!(of("0.0"), Some(9_000));
    for remaining in ["1", "-1", "", "none"] {
        assert_eq!(of(remaining), None, "{remaining:?}");
    }
    assert_eq!(wait(&[("x-ratelimit-reset-tokens", "9s")]), None);
    // Of several the one that lasts longest, whatever comes first.
    let mut headers = [
        ("x-ratelimit-remaining-tokens", "0"),
        ("x-ratelimit-reset-tokens", "9s"),
        ("anthropic-ratelimit-requests-remaining", "0"),
        ("anthropic-ratelimit-requests-reset", "2026-10-20T12:00:20Z"),
    ];
    assert_eq!(wait(&headers), Some(20_000));
    headers.reverse();
    assert_eq!(wait(&headers), Some(20_000));
    assert_eq!(wait(&[("ratelimit-remaining", "0"), ("ratelimit-reset", "7")]), Some(7_000));
    assert_eq!(wait(&[("RateLimit", "limit=9, remaining=0, reset=30")]), Some(30_000));
    assert_eq!(wait(&[("RateLimit", "\"day\";r=5;t=90, \"hour\";r=0;t=30")]), Some(30_000));
    assert_eq!(wait(&[("RateLimit", "\"default\";r=5;t=30")]), None);
}

#[test]
fn sentences_state_waits_in_words() {
    for (sentence, expected) in [
        ("Please try again in 1.574s.", Some(1_574)),
        ("Please try again in 6ms. Contact us", Some(6)),
        ("Please try again in 7m12s.", Some(432_000)),
        ("Please try again in 9m38.016s. Need more", Some(578_016)),
        ("try again after 1 seconds", Some(1_000)),
        ("Please retry after 86400 seconds.", Some(86_400_000)),
        ("Try again in 60 seconds. Passed model=m.", Some(60_000)),
        ("Please wait 42 seconds before retrying.", Some(42_000)),
        ("Please wait 0 seconds before retrying.", None),
        ("Resets in 4hr 10min.", Some(15_000_000)),
        ("Resets in 3 days.", Some(259_200_000)),
        ("Your limit will reset in 4 days, 23 hours.", Some(428_400_000)),
        ("retry in 2 hours and 5 minutes", Some(7_500_000)),
        ("Your quota will reset after 119h36m35.41909833s", Some(430_595_420)),
        ("Your limit will reset on Oct 20, 2026 14:05 UTC.", Some(7_500_000)),
        ("resets at 2026-10-20T15:00:00Z (2056)", Some(10_800_000)),
        ("You will regain access on 2026-11-01 at 00:00 UTC.", Some(993_600_000)),
        ("It will reset at 2026-10-20 23:59:59 +0800 CST. We", Some(14_399_000)),
        ("Quota will be replenished in 00:30:02.", Some(1_802_000)),
        ("Quota will be replenished in 2.10:11:12.", Some(209_472_000)),
        ("The quota will reset at 10-21 10:07:00 UTC.", Some(79_620_000)),
        ("retry after 30", Some(30_000)),
        ("retry after 30 requests", None),
        ("Please try again later.", None),
        ("try again in a few minutes", None),
        ("try again in -5s", None),
        ("try again in 9999999999999999s", None),
    ] {
        assert_eq!(said("openai-compat", sentence), expected, "{sentence}");
    }
}

#[test]
fn a_stamp_without_a_zone_is_of_the_provider() {
    let sentence = "Your limit will reset at 2026-10-20 20:16:37";
    assert_eq!(said("zai", sentence), Some(997_000));
    assert_eq!(said("zhipu", "您的限额将在 2026-10-20 20:16:37 重置。"), Some(997_000));
    assert_eq!(said("zhipu", "will reset at 2026-10-20 12:16:37Z"), Some(997_000));
    assert_eq!(said("openai", sentence), Some(29_797_000));
}

#[test]
fn the_turn_of_a_year_is_no_past() {
    let body = r#"{"error": {"message": "The quota will reset at 01-02 00:00:00 UTC."}}"#;
    let outcome = Outcome { body, ..Outcome::of_status(429) };
    let new_years_eve = Wall(1_798_675_200_000); // Thu, 31 Dec 2026 00:00:00 GMT
    let verdict = classify("openai-compat", &[], &outcome, new_years_eve);
    assert_eq!(verdict.wait_ms.map(|wait| wait.0), Some(2 * 86_400_000));
}

#[test]
fn fields_of_the_body_state_resets() {
    for (error, expected) in [
        (r#""resets_at": 1792504800, "resets_in_seconds": 1"#, Some(7_200_000)),
        (r#""resets_at": 1792497540, "resets_in_seconds": 77"#, Some(77_000)),
        (r#""resets_at": "2026-10-20T14:00:00Z""#, Some(7_200_000)),
        (r#""resets_at": 0, "resets_in_seconds": -4"#, None),
        (r#""retry_after": 5"#, Some(5_000)),
        (r#""retry_after": "1m""#, Some(60_000)),
        (r#""details": [{"@type": "x", "retryDelay": "34.074824224s"}]"#, Some(34_075)),
        (r#""metadata": {"headers": {"X-RateLimit-Reset": "1792540800000"}}"#, Some(43_200_000)),
        (
            r#""metadata": {"headers": {"X-RateLimit-Remaining": "3", "X-RateLimit-Reset": "1792540800000"}}"#,
            None,
        ),
        (r#""metadata": {"retry_after_seconds": 28.181}"#, Some(28_181)),
        (r#""reset_time": "156h0m34s""#, Some(561_634_000)),
    ] {
        let body = format!(r#"{{"error": {{"message": "slow", {error}}}}}"#);
        let verdict = judge("openai-compat", 429, &[], &body);
        assert_eq!(verdict.wait_ms.map(|wait| wait.0), expected, "{error}");
    }
}

#[test]
fn places_are_asked_in_their_order() {
    let body = r#"{"error": {"message": "try again in 5s", "retry_after": 4}}"#;
    let all = [
        ("retry-after-ms", "1000"),
        ("retry-after", "2"),
        ("x-ratelimit-remaining", "0"),
        ("x-ratelimit-reset", "3"),
    ];
    let steps = [
        (0, 1_000, "header:retry-after-ms"),
        (1, 2_000, "header:retry-after"),
        (2, 4_000, "body:error.retry_after"),
    ];
    for (skip, wait, from) in steps {
        let verdict = judge("openai-compat", 429, &all[skip..], body);
        let got = (verdict.wait_ms.map(|wait| wait.0), verdict.wait_from.as_deref());
        assert_eq!(got, (Some(wait), Some(from)));
        assert_eq!(verdict.evidence, Evidence::Status);
    }
    let body = body.replace(r#", "retry_after": 4"#, "");
    let of = |headers| judge("openai-compat", 429, headers, &body).wait_ms.map(|wait| wait.0);
    assert_eq!(of(&all[2..]), Some(3_000));
    assert_eq!(of(&[]), Some(5_000));
}

#[test]
fn a_quota_that_is_proven_long_ignores_what_is_short_beside_it() {
    let body = r#"{"error": {"code": "insufficient_quota", "message": "no money"}}"#;
    let of = |text| judge("openai", 429, &[("retry-after", text)], body).wait_ms.map(|wait| wait.0);
    assert_eq!(of("1"), None);
    assert_eq!(of("899"), None);
    assert_eq!(of("86400"), Some(86_400_000));
    let body = r#"{"error": {"code": "project_spend_limit_exceeded"}}"#;
    assert_eq!(
        judge("openai", 429, &[("retry-after", "1")], body).wait_ms.map(|wait| wait.0),
        Some(993_600_000)
    );
}

#[test]
fn a_day_of_the_pacific_has_23_24_or_25_hours() {
    let body = r#"{"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "details":
        [{"violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]}]}}"#;
    let outcome = Outcome { body, ..Outcome::of_status(429) };
    let wait = |now| classify("gemini", &[], &outcome, Wall(now)).wait_ms.map(|wait| wait.0);
    const HOUR: u64 = 3_600_000;
    // Midnight there, of 8 March, 20 October and 1 November 2026.
    assert_eq!(wait(1_772_956_800_000), Some(23 * HOUR));
    assert_eq!(wait(1_792_479_600_000), Some(24 * HOUR));
    assert_eq!(wait(1_793_516_400_000), Some(25 * HOUR));
    assert_eq!(wait(NOON.0), Some(19 * HOUR));
}

#[test]
fn of_headers_the_first_256_are_read() {
    let names: Vec<String> = (0..256).map(|at| format!("x-{at}")).collect();
    let with = |before: usize| {
        let mut headers: Vec<(&str, &str)> =
            names.iter().take(before).map(|name| (name.as_str(), "1")).collect();
        headers.push(("retry-after", "30"));
        wait(&headers)
    };
    assert_eq!(with(255), Some(30_000));
    assert_eq!(with(256), None);
}
