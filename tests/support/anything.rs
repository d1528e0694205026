//! What must hold of the verdict on any bytes: shared by the fuzzer and the tests.

use keyrota::{ErrorRule, Outcome, Phase, Verdict, Wall, classify, classify_stream_event};

/// The longest wait, in milliseconds.
const LONGEST: u64 = 400 * 86_400_000;

const DIALECTS: [&str; 20] = [
    "openai",
    "azure-openai",
    "openai-codex",
    "anthropic",
    "anthropic-subscription",
    "gemini",
    "vertex",
    "google-codeassist",
    "bedrock",
    "openrouter",
    "zhipu",
    "dashscope",
    "minimax",
    "volcengine-ark",
    "huawei-maas",
    "mistral",
    "cohere",
    "github-models",
    "litellm-proxy",
    "any",
];

const STATUSES: [u16; 16] =
    [0, 200, 204, 302, 400, 401, 402, 403, 404, 408, 413, 429, 499, 500, 503, 529];

/// Makes an outcome of any bytes and checks its verdict: dialect, status, phase and time from the first
/// ones, then lines of headers up to an empty one, then the body.
pub fn bytes(data: &[u8]) {
    let (knobs, rest) = data.split_at(data.len().min(4));
    let knob = |at: usize| usize::from(knobs.get(at).copied().unwrap_or(0));
    let dialect = DIALECTS[knob(0) % DIALECTS.len()];
    let status = STATUSES[knob(1) % STATUSES.len()];
    let phase = Phase::ALL[knob(2) % Phase::ALL.len()];
    let now = [0, 1_792_497_600_000, -1, i64::MAX, i64::MIN][knob(3) % 5];
    let text = String::from_utf8_lossy(rest);
    let (head, body) = text.split_once("\n\n").unwrap_or(("", &text));
    let headers: Vec<(&str, &str)> =
        head.lines().map(|line| line.split_once(": ").unwrap_or((line, ""))).collect();
    outcome(dialect, Some(status).filter(|status| *status > 0), &headers, body, phase, now);
}

/// Checks one outcome, in every order and case of its headers, whole and as an event.
pub fn outcome(
    dialect: &str,
    status: Option<u16>,
    headers: &[(&str, &str)],
    body: &str,
    phase: Phase,
    now: i64,
) {
    // The order of fields of one name means something (RFC 9110 section 5.3), so each has one.
    let mut unique: Vec<(&str, &str)> = Vec::new();
    for header in headers {
        if !unique.iter().any(|known| known.0.eq_ignore_ascii_case(header.0)) {
            unique.push(*header);
        }
    }
    let given = Outcome { status, headers: &unique, body, phase, ..Outcome::default() };
    let verdict = classify(dialect, &[], &given, Wall(now));
    check(&verdict, phase);

    let upper: Vec<String> = unique.iter().map(|header| header.0.to_ascii_uppercase()).collect();
    let mut turned: Vec<(&str, &str)> =
        upper.iter().map(String::as_str).zip(unique.iter().map(|header| header.1)).collect();
    turned.reverse();
    let other = Outcome { headers: &turned, ..given };
    assert_eq!(verdict, classify(dialect, &[], &other, Wall(now)), "{given:?}");

    check(&classify_stream_event(dialect, &[], &given, Wall(now)), phase);
    let code = Outcome { status: None, network_code: Some(body), ..given };
    check(&classify(dialect, &[] as &[ErrorRule], &code, Wall(now)), phase);
}

fn check(verdict: &Verdict, phase: Phase) {
    assert_eq!(verdict.wait_ms.is_some(), verdict.wait_from.is_some(), "{verdict:?}");
    assert!(verdict.wait_ms.is_none_or(|wait| (1..=LONGEST).contains(&wait.0)), "{verdict:?}");
    assert!(!(verdict.retry_other && phase == Phase::AfterContent), "{verdict:?}");
}
