//! What must hold of the verdict on any bytes: shared by the fuzzer and the tests.

use keyrota::{
    Class, Effect, ErrorRule, Millis, Outcome, Phase, Scope, Verdict, Wall, classic, classify,
    classify_stream_event,
};

/// The longest wait, in milliseconds.
const LONGEST: u64 = 400 * 86_400_000;

/// Every dialect, and a name that nobody knows.
pub const DIALECTS: [&str; 35] = [
    "openai",
    "azure-openai",
    "openai-codex",
    "anthropic",
    "anthropic-subscription",
    "gemini",
    "vertex",
    "google-codeassist",
    "bedrock",
    "zhipu",
    "moonshot",
    "kimi-code",
    "dashscope",
    "qwen-oauth",
    "minimax",
    "volcengine-ark",
    "huawei-maas",
    "siliconflow",
    "groq",
    "xai",
    "mistral",
    "cohere",
    "deepseek",
    "together",
    "fireworks",
    "perplexity",
    "cerebras",
    "github-models",
    "openrouter",
    "new-api",
    "litellm-proxy",
    "cliproxyapi",
    "bifrost",
    "openai-compat",
    "any",
];

pub const MODELS: [Option<&str>; 4] = [None, Some("m"), Some(""), Some("models/é:1")];

const STATUSES: [u16; 16] =
    [0, 200, 204, 302, 400, 401, 402, 403, 404, 408, 413, 429, 499, 500, 503, 529];

/// Rules of a user, one for each bit.
pub fn rules(bits: u8) -> Vec<ErrorRule> {
    let effect =
        |class| Effect { class, scope: None, wait_ms: None, disable: None, retry_other: None };
    let rule = |effect| ErrorRule {
        status: None,
        code: None,
        body_includes: None,
        provider: None,
        effect,
    };
    let dead = Effect { disable: Some(true), ..effect(Class::AuthFailed) };
    let long = Effect { wait_ms: Some(Millis(LONGEST)), ..effect(Class::QuotaExhausted) };
    let of_model = Effect { scope: Some(Scope::Model), ..effect(Class::ModelDenied) };
    let elsewhere = |class| Effect { retry_other: Some(true), ..effect(class) };
    let egress = Effect { scope: Some(Scope::Egress), ..elsewhere(Class::ServerError) };
    let all = [
        ErrorRule { status: Some(403), ..rule(dead) },
        ErrorRule { code: Some("rate_limit_exceeded".into()), ..rule(long) },
        ErrorRule { provider: Some("gemini".into()), ..rule(of_model) },
        ErrorRule { status: Some(200), ..rule(elsewhere(Class::Ok)) },
        ErrorRule { status: Some(429), provider: Some("google".into()), ..rule(egress) },
        ErrorRule { body_includes: Some("error".into()), ..rule(elsewhere(Class::ClientAborted)) },
        ErrorRule { status: Some(500), ..rule(Effect { scope: Some(Scope::Provider), ..dead }) },
        ErrorRule { body_includes: Some("a".into()), ..rule(effect(Class::Overloaded)) },
    ];
    all.into_iter()
        .enumerate()
        .filter(|(bit, _)| bits >> bit & 1 == 1)
        .map(|(_, rule)| rule)
        .collect()
}

/// Makes an outcome of any bytes and checks its verdict: dialect, status, phase, time, model and rules from
/// the first ones, then lines of headers up to an empty one, then the body.
pub fn bytes(data: &[u8]) {
    let (knobs, rest) = data.split_at(data.len().min(6));
    let knob = |at: usize| usize::from(knobs.get(at).copied().unwrap_or(0));
    let dialect = DIALECTS[knob(0) % DIALECTS.len()];
    let status = STATUSES[knob(1) % STATUSES.len()];
    let phase = Phase::ALL[knob(2) % Phase::ALL.len()];
    let now = [0, 1_792_497_600_000, -1, i64::MAX, i64::MIN][knob(3) % 5];
    let model = MODELS[knob(4) % MODELS.len()];
    let rules = rules(knob(5) as u8);
    let text = String::from_utf8_lossy(rest);
    let (head, body) = text.split_once("\n\n").unwrap_or(("", &text));
    let headers: Vec<(&str, &str)> =
        head.lines().map(|line| line.split_once(": ").unwrap_or((line, ""))).collect();
    let status = Some(status).filter(|status| *status > 0);
    let given = Outcome { status, headers: &headers, body, phase, model, ..Outcome::default() };
    outcome(dialect, &rules, &given, now);
}

/// Checks one outcome, in every order and case of its headers, whole and as an event.
pub fn outcome(dialect: &str, rules: &[ErrorRule], given: &Outcome<'_>, now: i64) {
    // The order of fields of one name means something (RFC 9110 section 5.3), so each has one.
    let mut unique: Vec<(&str, &str)> = Vec::new();
    for header in given.headers {
        if !unique.iter().any(|known| known.0.eq_ignore_ascii_case(header.0)) {
            unique.push(*header);
        }
    }
    let given = Outcome { headers: &unique, ..*given };
    let verdict = classify(dialect, rules, &given, Wall(now));
    check(&verdict, &given);
    check(&classic(&given), &given);

    let upper: Vec<String> = unique.iter().map(|header| header.0.to_ascii_uppercase()).collect();
    let mut turned: Vec<(&str, &str)> =
        upper.iter().map(String::as_str).zip(unique.iter().map(|header| header.1)).collect();
    turned.reverse();
    let other = Outcome { headers: &turned, ..given };
    assert_eq!(verdict, classify(dialect, rules, &other, Wall(now)), "{given:?}");

    check(&classify_stream_event(dialect, rules, &given, Wall(now)), &given);
    let code = Outcome { status: None, network_code: Some(given.body), ..given };
    check(&classify(dialect, rules, &code, Wall(now)), &code);
    check(&classic(&code), &code);
}

fn check(verdict: &Verdict, outcome: &Outcome<'_>) {
    assert_eq!(verdict.wait_ms.is_some(), verdict.wait_from.is_some(), "{verdict:?}");
    assert!(verdict.wait_ms.is_none_or(|wait| (1..=LONGEST).contains(&wait.0)), "{verdict:?}");
    let is_final = outcome.phase == Phase::AfterContent || verdict.class == Class::Ok;
    assert!(!(verdict.retry_other && is_final), "{verdict:?}");
    // Without a model there is no pair to set apart; dead is a credential, or all of its account.
    assert!(verdict.scope != Scope::Model || outcome.model.is_some(), "{verdict:?}");
    let may_be_dead = matches!(verdict.scope, Scope::Credential | Scope::Account);
    assert!(may_be_dead || !verdict.disable, "{verdict:?}");
}
