//! What providers document beyond the rows of `outcomes.jsonl`: an answer, and what it means.

use keyrota::{Outcome, Phase, classify};

use crate::{NOON, judge, told};

/// `error.code`, `error.type` and `error.message`, as most write them.
fn error(code: &str, kind: &str, message: &str) -> String {
    serde_json::json!({ "error": { "code": code, "type": kind, "message": message } }).to_string()
}

fn check(dialect: &str, rows: &[(u16, &str, &str, &str)]) {
    let mut wrong = Vec::new();
    for (status, code, message, expected) in rows {
        let body = if code.starts_with(['{', '[', '"', '<']) {
            (*code).to_owned()
        } else {
            error(code, "", message)
        };
        let got = told(&judge(dialect, *status, &[], &body));
        if got != *expected {
            wrong.push(format!("{dialect} {status} {code} {message}: {got}, not {expected}"));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn zhipu_by_number_whatever_the_status() {
    let expected = [
        ("1000", "auth_failed credential dead"),
        ("1001", "auth_failed credential"),
        ("1002", "auth_failed credential dead"),
        ("1003", "auth_failed credential"),
        ("1004", "auth_failed credential dead"),
        ("1110", "auth_failed account dead"),
        ("1111", "auth_failed account dead"),
        ("1112", "auth_failed account dead"),
        ("1113", "quota_exhausted account"),
        ("1120", "server_error provider"),
        ("1121", "auth_failed account dead"),
        ("1200", "client_error request alone"),
        ("1210", "client_error request alone"),
        ("1211", "model_denied model"),
        ("1212", "client_error request alone"),
        ("1213", "client_error request alone"),
        ("1214", "client_error request alone"),
        ("1215", "client_error request alone"),
        ("1220", "model_denied model"),
        ("1221", "model_denied model"),
        ("1222", "model_denied model"),
        ("1230", "server_error provider"),
        ("1231", "client_error request alone"),
        ("1234", "server_error provider"),
        ("1261", "client_error request alone"),
        ("1300", "client_error request alone"),
        ("1301", "client_error request alone"),
        ("1302", "rate_limited model"),
        ("1303", "rate_limited model"),
        ("1304", "quota_exhausted model 14400000"),
        ("1305", "overloaded model"),
        ("1308", "quota_exhausted credential"),
        ("1309", "quota_exhausted credential"),
        ("1310", "quota_exhausted credential"),
        ("1311", "model_denied model"),
        ("1312", "overloaded model"),
        ("1313", "quota_exhausted credential"),
        ("1314", "quota_exhausted credential"),
        ("1315", "model_denied credential"),
        ("1316", "quota_exhausted credential"),
    ];
    for (code, expected) in expected {
        for status in [400, 401, 429, 500] {
            let got = told(&judge("zhipu", status, &[], &error(code, "", "x")));
            assert_eq!(got, expected, "{code} under {status}");
            let text = format!("[{code}][x][20260922232915e8288c66f9ff4aaa]");
            assert_eq!(
                told(&judge("zai", status, &[], &error("", "api_error", &text))),
                expected,
                "{text}"
            );
        }
    }
    check(
        "zai",
        &[(
            429,
            "1316",
            "Usage limit reached for the past 5 hours. Insufficient balance for extra usage. Resets at 2026-10-20 21:17:40.",
            "quota_exhausted credential 4660000",
        )],
    );
    // The same number is something else elsewhere.
    assert_eq!(
        told(&judge("mistral", 429, &[], &error("1300", "rate_limited", "x"))),
        "rate_limited model"
    );
}

#[test]
fn minimax_by_number_under_200_and_in_brackets() {
    for (code, expected) in [
        (1000, "server_error provider"),
        (1001, "unknown_outcome request"),
        (1002, "rate_limited model"),
        (1004, "auth_failed credential dead"),
        (1008, "quota_exhausted account"),
        (1013, "server_error provider"),
        (1024, "server_error provider"),
        (1026, "client_error request alone"),
        (1027, "client_error request alone"),
        (1033, "server_error provider"),
        (1039, "rate_limited model"),
        (1041, "rate_limited model"),
        (1042, "client_error request alone"),
        (2013, "client_error request alone"),
        (2045, "rate_limited model"),
        (2049, "auth_failed credential dead"),
        (2056, "quota_exhausted credential"),
        (2061, "model_denied model"),
    ] {
        let body = format!(r#"{{"base_resp":{{"status_code":{code},"status_msg":"x"}}}}"#);
        assert_eq!(told(&judge("minimax", 200, &[], &body)), expected, "{body}");
        let body = error("", "api_error", &format!("x ({code})"));
        assert_eq!(told(&judge("minimax-anthropic", 500, &[], &body)), expected, "{body}");
    }
    check(
        "minimax",
        &[
            (
                429,
                r#"{"type":"error","error":{"type":"rate_limit_error","message":"usage limit exceeded, 5-hour usage limit reached for Token Plan Starter (0/0 used), resets at 2026-10-20T15:00:00Z (2056)"}}"#,
                "",
                "quota_exhausted credential 10800000",
            ),
            (400, "", "invalid params, unknown model 'x' (2013)", "model_denied model"),
            (401, "", "invalid api key", "auth_failed credential dead"),
        ],
    );
}

#[test]
fn edges_blame_no_key() {
    let cloudflare = [("server", "cloudflare"), ("content-type", "text/plain")];
    for (status, code, expected) in [
        (403, 1005, "egress_blocked egress alone"),
        (403, 1006, "egress_blocked egress alone"),
        (403, 1009, "egress_blocked egress alone"),
        (403, 1010, "egress_blocked egress alone"),
        (403, 1020, "egress_blocked egress alone"),
        (429, 1015, "rate_limited egress alone"),
        (530, 1016, "server_error provider"),
        (530, 1033, "server_error provider"),
        (500, 1101, "server_error provider"),
        (520, 520, "unknown_outcome provider"),
        (521, 521, "server_error provider"),
        (522, 522, "server_error provider"),
        (523, 523, "server_error provider"),
        (524, 524, "unknown_outcome provider"),
        (525, 525, "server_error provider"),
        (526, 526, "server_error provider"),
        (527, 527, "server_error provider"),
        (530, 530, "server_error provider"),
        (504, 504, "unknown_outcome request"),
        (502, 502, "server_error provider"),
    ] {
        let text = format!("error code: {code}");
        assert_eq!(told(&judge("openai", status, &cloudflare, &text)), expected, "{text}");
        let page = format!(
            "<!DOCTYPE html><title>x | Cloudflare</title><span>Error</span> <span>Error code {code}</span>"
        );
        assert_eq!(told(&judge("gemini", status, &cloudflare, &page)), expected, "{page}");
        let problem = format!(
            r#"{{"type":"x","status":{status},"title":"x","error_code":{code},"error_category":"x","cloudflare_error":true}}"#
        );
        assert_eq!(told(&judge("openai", status, &cloudflare, &problem)), expected, "{problem}");
    }
    for (status, headers, body, expected) in [
        (
            403,
            vec![("cf-mitigated", "challenge")],
            "<html><title>Just a moment...</title>",
            "egress_blocked egress alone",
        ),
        (
            503,
            vec![("content-type", "text/html")],
            "<html><title>Just a moment...</title>",
            "egress_blocked egress alone",
        ),
        (
            503,
            vec![],
            "<html><title>503 Service Temporarily Unavailable</title>",
            "overloaded provider",
        ),
        (502, vec![], "<html><title>502 Bad Gateway</title>", "server_error provider"),
        (
            404,
            vec![],
            "<html><title>Error 404 (Not Found)!!1</title>",
            "client_error request alone",
        ),
        (
            413,
            vec![],
            "<html><title>413 Request Entity Too Large</title>",
            "client_error request alone",
        ),
        (407, vec![], "", "egress_blocked egress alone"),
        (511, vec![], "<html>", "egress_blocked egress alone"),
        (405, vec![("x-amzn-waf-action", "captcha")], "", "egress_blocked egress alone"),
        (401, vec![("www-authenticate", "Basic realm=\"x\"")], "", "egress_blocked egress alone"),
        (401, vec![], "", "auth_failed credential"),
        (403, vec![], "", "model_denied model"),
        (302, vec![("location", "https://portal.example")], "", "egress_blocked egress alone"),
        (
            503,
            vec![],
            "upstream connect error or disconnect/reset before headers",
            "overloaded provider",
        ),
    ] {
        for dialect in ["openai", "fireworks", "deepseek", "any"] {
            let verdict = judge(dialect, status, &headers, body);
            if !(dialect == "fireworks" && status == 503 || dialect == "any" && status == 404) {
                assert_eq!(told(&verdict), expected, "{dialect} {status} {body}");
            }
            assert!(!verdict.disable, "{dialect} {status} {body}");
        }
    }
}

#[test]
fn only_known_words_of_a_provider_disable() {
    for dialect in ["openai", "deepseek", "mistral", "xai", "fireworks", "together", "zhipu", "any"]
    {
        for body in ["", "<html></html>", "Forbidden", "not json {\"error\":", "\u{fffd}\u{fffd}"] {
            for status in [401, 403] {
                assert!(!judge(dialect, status, &[], body).disable, "{dialect} {status} {body}");
            }
        }
    }
    assert!(!judge("openai", 401, &[], r#"{"error": {"message": "no"}}"#).disable);
    assert!(!judge("any", 403, &[], r#"{"error": {"message": "no"}}"#).disable);
}

#[test]
fn an_echoed_prompt_is_no_evidence() {
    let words = "invalid_api_key insufficient_quota Incorrect API key provided: x. You exceeded your current quota, please check your plan and billing details. Request too large for x. Rate limit reached";
    let json =
        serde_json::json!({ "error": { "code": "invalid_api_key", "message": words } }).to_string();
    for dialect in ["openai", "anthropic", "gemini", "groq", "xai", "zhipu", "dashscope", "any"] {
        for echo in [words, &json] {
            for body in [
                serde_json::json!({ "error": { "message": format!("Invalid value for 'messages[0].content': '{echo}'"), "code": "bad" } }),
                serde_json::json!({ "error": { "message": format!("Unreadable: {echo}") } }),
                serde_json::json!({ "error": { "message": "bad", "failed_generation": echo } }),
                serde_json::json!({ "error": { "message": "bad", "failed_generation": { "code": "1113" } } }),
                serde_json::json!({ "detail": [{ "loc": ["body"], "msg": "field required", "type": "missing", "input": { "error": { "code": "invalid_api_key" }, "code": "1113" } }] }),
            ] {
                let verdict = judge(dialect, 400, &[], &body.to_string());
                assert_eq!(told(&verdict), "client_error request alone", "{dialect} {body}");
            }
            let answer =
                serde_json::json!({ "choices": [{ "message": { "content": echo } }] }).to_string();
            assert_eq!(told(&judge(dialect, 200, &[], &answer)), "ok none alone");
        }
    }
}

#[test]
fn a_name_leads_to_its_rules() {
    let body = error("1113", "", "x");
    for name in ["zhipu", "ZAI", "z.ai", "zhipu-anthropic", "glm", "any(zhipu)"] {
        assert_eq!(told(&judge(name, 429, &[], &body)), "quota_exhausted account", "{name}");
    }
    for name in ["any", "", "unknown", "openai-compatible", "openai-compat", "(", "any()"] {
        assert_eq!(told(&judge(name, 429, &[], &body)), "rate_limited credential", "{name}");
    }
}

#[test]
fn the_network_says_how_far_a_request_came() {
    for (code, phase, expected) in [
        ("EAI_AGAIN", Phase::BeforeSend, "server_error provider"),
        ("EHOSTUNREACH", Phase::BeforeSend, "server_error provider"),
        ("ConnectionRefused", Phase::SentNoResponse, "server_error provider"),
        ("ECONNRESET", Phase::BeforeSend, "server_error provider"),
        ("ECONNRESET", Phase::SentNoResponse, "unknown_outcome request"),
        ("ECONNRESET", Phase::AfterContent, "unknown_outcome request alone"),
        ("UND_ERR_SOCKET", Phase::SentNoResponse, "unknown_outcome request"),
        ("ETIMEDOUT", Phase::BeforeSend, "server_error provider"),
        ("fetch failed", Phase::SentNoResponse, "unknown_outcome request"),
        ("Failed to fetch", Phase::Response, "unknown_outcome request"),
        ("DEPTH_ZERO_SELF_SIGNED_CERT", Phase::BeforeSend, "egress_blocked egress alone"),
        ("UNABLE_TO_VERIFY_LEAF_SIGNATURE", Phase::BeforeSend, "egress_blocked egress alone"),
        ("ERR_SSL_WRONG_VERSION_NUMBER", Phase::BeforeSend, "egress_blocked egress alone"),
        ("ERR_SSL_SSLV3_ALERT_BAD_RECORD_MAC", Phase::SentNoResponse, "unknown_outcome request"),
        ("net::ERR_CERT_AUTHORITY_INVALID", Phase::BeforeSend, "egress_blocked egress alone"),
        ("net::ERR_PROXY_CONNECTION_FAILED", Phase::BeforeSend, "egress_blocked egress alone"),
        ("ERR_CANCELED", Phase::SentNoResponse, "client_aborted request alone"),
        ("APIUserAbortError", Phase::AfterContent, "client_aborted request alone"),
        ("TimeoutError", Phase::BeforeContent, "unknown_outcome request alone"),
        ("ERR_INVALID_CHAR", Phase::BeforeSend, "auth_failed credential"),
        ("ERR_INVALID_URL", Phase::BeforeSend, "client_error request alone"),
        ("NGHTTP2_REFUSED_STREAM", Phase::SentNoResponse, "server_error provider"),
        ("NGHTTP2_ENHANCE_YOUR_CALM", Phase::SentNoResponse, "overloaded provider"),
        ("", Phase::BeforeSend, "server_error provider"),
        ("", Phase::Response, "unknown_outcome request"),
    ] {
        let outcome = Outcome { network_code: Some(code), phase, ..Outcome::default() };
        assert_eq!(told(&classify("openai", &[], &outcome, NOON)), expected, "{code} {phase:?}");
    }
    // A response that began well and broke.
    let outcome = Outcome {
        network_code: Some("ECONNRESET"),
        phase: Phase::AfterContent,
        ..Outcome::of_status(200)
    };
    assert_eq!(told(&classify("openai", &[], &outcome, NOON)), "unknown_outcome request alone");
}

#[test]
fn a_veto_ends_a_failure_and_no_limit() {
    let veto = [("x-should-retry", "false")];
    assert_eq!(told(&judge("openai", 500, &veto, "{}")), "server_error request alone");
    assert_eq!(told(&judge("openai", 529, &veto, "{}")), "overloaded provider alone");
    assert_eq!(told(&judge("anthropic", 429, &veto, "{}")), "rate_limited model");
}
