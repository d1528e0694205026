//! The caller's own rules.

use keyrota::{Class, Effect, ErrorRule, Evidence, Millis, Outcome, Scope, classify};

use crate::{NOON, told};

fn rule(class: Class) -> ErrorRule {
    let effect = Effect { class, scope: None, wait_ms: None, disable: None, retry_other: None };
    ErrorRule { status: None, code: None, body_includes: None, provider: None, effect }
}

fn judge(rules: &[ErrorRule], status: u16, body: &str) -> String {
    let outcome = Outcome {
        headers: &[("retry-after", "7")],
        body,
        model: Some("m"),
        ..Outcome::of_status(status)
    };
    told(&classify("openai", rules, &outcome, NOON))
}

const DEAD_KEY: &str =
    r#"{"error": {"code": "invalid_api_key", "message": "Incorrect API key provided"}}"#;

#[test]
fn the_first_rule_that_fits_comes_before_everything_built_in() {
    let rules = [
        ErrorRule { status: Some(400), ..rule(Class::Overloaded) },
        ErrorRule { code: Some("INVALID_API_KEY".into()), ..rule(Class::RateLimited) },
        ErrorRule { status: Some(401), ..rule(Class::ClientError) },
    ];
    assert_eq!(judge(&rules, 401, DEAD_KEY), "rate_limited credential 7000");
    assert_eq!(judge(&rules, 400, DEAD_KEY), "overloaded provider 7000");
    assert_eq!(judge(&rules, 401, "{}"), "client_error request alone");
    assert_eq!(judge(&rules, 500, "{}"), "server_error provider 7000");
    assert_eq!(judge(&[], 401, DEAD_KEY), "auth_failed credential dead");
}

#[test]
fn every_condition_that_is_given_must_hold() {
    let whole = ErrorRule {
        status: Some(401),
        code: Some("invalid_api_key".into()),
        body_includes: Some("incorrect api KEY".into()),
        provider: Some("OpenAI".into()),
        ..rule(Class::Overloaded)
    };
    assert_eq!(judge(std::slice::from_ref(&whole), 401, DEAD_KEY), "overloaded provider 7000");
    for other in [
        ErrorRule { status: Some(402), ..whole.clone() },
        ErrorRule { code: Some("invalid".into()), ..whole.clone() },
        ErrorRule { body_includes: Some("nothing of it".into()), ..whole.clone() },
        ErrorRule { provider: Some("gemini".into()), ..whole.clone() },
    ] {
        assert_eq!(judge(&[other], 401, DEAD_KEY), "auth_failed credential dead");
    }
}

#[test]
fn an_effect_says_only_what_is_not_usual() {
    let mut own = ErrorRule { status: Some(418), ..rule(Class::QuotaExhausted) };
    assert_eq!(judge(std::slice::from_ref(&own), 418, ""), "quota_exhausted credential 7000");
    own.effect.wait_ms = Some(Millis(5));
    own.effect.scope = Some(Scope::Account);
    own.effect.retry_other = Some(false);
    assert_eq!(judge(std::slice::from_ref(&own), 418, ""), "quota_exhausted account 5 alone");
    own.effect.wait_ms = None;
    own.effect.disable = Some(true);
    assert_eq!(judge(&[own], 418, ""), "quota_exhausted account dead alone");
}

#[test]
fn what_a_model_wrote_is_for_no_rule_without_a_status() {
    let body = r#"{"choices": [{"message": {"content": "out of coffee"}}]}"#;
    let own = ErrorRule { body_includes: Some("out of coffee".into()), ..rule(Class::Overloaded) };
    assert_eq!(judge(std::slice::from_ref(&own), 200, body), "ok none alone");
    assert_eq!(judge(std::slice::from_ref(&own), 500, body), "overloaded provider 7000");
    let own = ErrorRule { status: Some(200), ..own };
    assert_eq!(judge(&[own], 200, body), "overloaded provider 7000");
}

#[test]
fn a_rule_may_name_a_code_of_the_network() {
    let own = ErrorRule { code: Some("ECONNRESET".into()), ..rule(Class::Overloaded) };
    let outcome = Outcome { network_code: Some("ECONNRESET"), ..Outcome::default() };
    let verdict = classify("openai", &[own], &outcome, NOON);
    assert_eq!(
        (told(&verdict), verdict.evidence),
        ("overloaded provider".to_owned(), Evidence::Code)
    );
}
