//! Any bytes have a verdict. The fuzzer in `fuzz/` runs the same checks without an end.

use keyrota::{Outcome, Phase, Value};
use proptest::prelude::*;
use proptest::sample::select;

use crate::anything;

/// Real bodies and headers, to be damaged.
fn rows() -> Vec<Value> {
    let rows = include_str!("../vectors/outcomes.jsonl").lines();
    rows.map(|row| serde_json::from_str(row).expect("a row of JSON")).collect()
}

fn real_body() -> impl Strategy<Value = String> {
    let bodies = rows().into_iter().map(|row| match row.field("body") {
        Value::Text(text) => text.clone(),
        body => serde_json::to_string(body).expect("a value can be written"),
    });
    select(bodies.collect::<Vec<_>>())
}

fn real_header() -> impl Strategy<Value = (String, String)> {
    let mut headers = Vec::new();
    for row in rows() {
        if let Value::Fields(fields) = row.field("headers") {
            let pairs = fields
                .iter()
                .map(|(name, value)| (name.clone(), value.text().unwrap_or_default().to_owned()));
            headers.extend(pairs);
        }
    }
    select(headers)
}

/// A body with a piece taken out, doubled, or put in from anywhere.
fn damaged() -> impl Strategy<Value = Vec<u8>> {
    let noise = prop::collection::vec(any::<u8>(), 0..12);
    let digits = "[0-9.eE+:TZ -]{0,24}".prop_map(String::into_bytes);
    (real_body(), any::<(u16, u16, u8)>(), prop_oneof![noise, digits]).prop_map(
        |(body, (from, to, how), piece)| {
            let mut bytes = body.into_bytes();
            let at = |place: u16| usize::from(place) * bytes.len() / (usize::from(u16::MAX) + 1);
            let (from, to) = (at(from.min(to)), at(from.max(to)));
            match how % 4 {
                0 => drop(bytes.drain(from..to)),
                1 => bytes.truncate(from),
                2 => {
                    let doubled = bytes[from..to].to_vec();
                    bytes.splice(from..from, doubled);
                }
                _ => drop(bytes.splice(from..to, piece)),
            }
            bytes
        },
    )
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        select(vec![
            "retry-after",
            "retry-after-ms",
            "date",
            "content-type",
            "x-should-retry",
            "ratelimit"
        ])
        .prop_map(str::to_owned),
        "(x-)?ratelimit-(remaining|reset)(-[a-z]{1,6})?",
        "anthropic-ratelimit-unified-(5h|7d|7d_opus|overage)?-?(status|reset)",
        "x-codex-(primary|secondary)-(used-percent|reset-at|reset-after-seconds)",
        ".{0,20}",
    ]
}

fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        "[0-9.,:TZs mhd+-]{0,24}",
        "[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT",
        select(vec!["0", "rejected", "100", "text/html", "cloudflare", "false"])
            .prop_map(str::to_owned),
        ".{0,40}",
    ]
}

fn header() -> impl Strategy<Value = (String, String)> {
    prop_oneof![real_header(), (name(), value())]
}

fn dialect() -> impl Strategy<Value = String> {
    prop_oneof![select(anything::DIALECTS.to_vec()).prop_map(str::to_owned), ".{0,12}"]
}

#[test]
fn every_dialect_of_the_readme_is_tried() {
    let (_, table) = include_str!("../../README.md")
        .split_once("| dialect | other names |\n|---|---|\n")
        .expect("the table of dialects");
    let rows = table.lines().take_while(|line| line.starts_with('|'));
    let named: Vec<&str> = rows.filter_map(|row| row.split('`').nth(1)).collect();
    assert_eq!(named, anything::DIALECTS[..anything::DIALECTS.len() - 1]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_have_a_verdict(data in prop::collection::vec(any::<u8>(), 0..600)) {
        anything::bytes(&data);
    }

    #[test]
    fn damaged_answers_have_a_verdict(
        knobs in any::<[u8; 6]>(),
        headers in prop::collection::vec(header(), 0..8),
        body in damaged(),
    ) {
        let mut data = knobs.to_vec();
        for (name, value) in &headers {
            data.extend_from_slice(format!("{name}: {value}\n").as_bytes());
        }
        data.push(b'\n');
        data.extend_from_slice(&body);
        anything::bytes(&data);
    }

    #[test]
    fn any_status_and_time_have_a_verdict(
        status in prop::option::of(any::<u16>()),
        phase in select(Phase::ALL.to_vec()),
        now in any::<i64>(),
        headers in prop::collection::vec(header(), 0..6),
        body in real_body(),
        dialect in dialect(),
        model in select(anything::MODELS.to_vec()),
        rules in any::<u8>().prop_map(anything::rules),
    ) {
        let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let given = Outcome { status, headers: &headers, body: &body, phase, model, ..Outcome::default() };
        anything::outcome(&dialect, &rules, &given, now);
    }
}

#[test]
fn a_long_body_takes_a_bounded_time() {
    for piece in [
        "[",
        "{\"a\":",
        "{\"error\":\"{",
        "\\u",
        "data: {\"error\":\n\n",
        "try again in ",
        "<",
        "请",
    ] {
        let body = piece.repeat(300_000);
        let rules = anything::rules(u8::MAX);
        let given = Outcome { body: &body, ..Outcome::of_status(429) };
        anything::outcome("zhipu", &rules, &given, 0);
        let quoted = serde_json::json!({ "error": { "message": body } }).to_string();
        let given = Outcome { body: &quoted, ..Outcome::of_status(400) };
        anything::outcome("openai", &rules, &given, 0);
    }
}

#[test]
fn the_case_and_order_of_headers_mean_nothing() {
    let documented = include_str!("../vectors/outcomes-documented.jsonl").lines();
    let documented = documented.map(|row| serde_json::from_str(row).expect("a row of JSON"));
    for row in rows().into_iter().chain(documented) {
        let row: Value = row;
        let Value::Fields(fields) = row.field("headers") else { continue };
        let headers: Vec<(&str, &str)> = fields
            .iter()
            .map(|(name, value)| (name.as_str(), value.text().unwrap_or_default()))
            .collect();
        let body = match row.field("body") {
            Value::Text(text) => text.clone(),
            body => serde_json::to_string(body).expect("a value can be written"),
        };
        let status = row.field("status").whole().map(|status| status as u16);
        let dialect = row.field("provider").text().unwrap_or_default();
        let noon = 1_792_497_600_000;
        let model = row.field("model").text();
        let given = Outcome { status, headers: &headers, body: &body, model, ..Outcome::default() };
        anything::outcome(dialect, &[], &given, noon);
    }
}
