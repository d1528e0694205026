//! Errors inside a stream, and streams that are none.

use keyrota::{Outcome, Phase, Verdict, classify, classify_stream_event};

use crate::{NOON, told};

fn event(dialect: &str, phase: Phase, body: &str) -> Verdict {
    let outcome = Outcome { body, phase, model: Some("m"), ..Outcome::default() };
    classify_stream_event(dialect, &[], &outcome, NOON)
}

#[test]
fn what_is_no_error_is_ok() {
    for body in [
        "",
        "\n\n",
        "[DONE]",
        "data: [DONE]",
        "data: [DONE]\n\n",
        ": OPENROUTER PROCESSING",
        ": keep-alive\n\n",
        "event: ping\ndata: {\"type\": \"ping\"}",
        r#"data: {"id":"x","object":"chat.completion.chunk","choices":[{"delta":{"content":"insufficient_quota"}}]}"#,
        r#"{"choices":[{"delta":{"content":"{\"error\":{\"code\":\"invalid_api_key\"}}"}}],"error":null}"#,
        r#"data: {"type":"message_start","message":{"id":"m","content":[],"type":"message"}}"#,
        r#"data: {"type":"content_block_delta","delta":{"type":"text_delta","text":"overloaded_error"}}"#,
        r#"data: {"type":"response.output_text.delta","delta":"rate_limit_exceeded"}"#,
        r#"data: {"type":"response.incomplete","response":{"status":"incomplete","error":null,"incomplete_details":{"reason":"max_output_tokens"}}}"#,
        r#"data: {"type":"codex.rate_limits","rate_limits":{"primary":{"used_percent":100}}}"#,
        r#"data: {"candidates":[{"content":{"parts":[{"text":"RESOURCE_EXHAUSTED"}]}}]}"#,
        r#"{"output":{"text":"Throttling"},"request_id":"x"}"#,
        r#"{"base_resp":{"status_code":0,"status_msg":"success"}}"#,
    ] {
        let verdict = event("openai", Phase::BeforeContent, body);
        assert_eq!(told(&verdict), "ok none alone", "{body}");
    }
}

#[test]
fn errors_in_a_stream_are_read_like_others() {
    for (dialect, body, expected) in [
        (
            "anthropic",
            r#"event: error
data: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
            "overloaded provider",
        ),
        (
            "anthropic",
            r#"data: {"type":"error","error":{"type":"api_error","message":"Internal server error"}}"#,
            "server_error provider",
        ),
        (
            "anthropic",
            r#"{"type":"error","error":{"type":"rate_limit_error","message":"slow"}}"#,
            "rate_limited model",
        ),
        (
            "anthropic",
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 > 8"}}"#,
            "client_error request alone",
        ),
        (
            "openai",
            r#"data: {"type":"error","code":"rate_limit_exceeded","message":"Rate limit. Please try again in 2s.","param":null}"#,
            "rate_limited model 2000",
        ),
        (
            "openai",
            r#"data: {"type":"response.failed","response":{"status":"failed","error":{"code":"insufficient_quota","message":"x"}}}"#,
            "quota_exhausted account",
        ),
        (
            "openai",
            r#"data: {"type":"response.failed","response":{"status":"failed","error":{"code":"context_length_exceeded","message":"x"}}}"#,
            "client_error request alone",
        ),
        (
            "openai",
            r#"data: {"error":{"message":"The server had an error","type":"server_error","param":null,"code":null}}"#,
            "server_error provider",
        ),
        (
            "openai-codex",
            r#"{"type":"error","error":{"type":"usage_limit_reached","resets_in_seconds":60},"status_code":429}"#,
            "quota_exhausted credential 60000",
        ),
        (
            "gemini",
            r#"data: {"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}"#,
            "overloaded model",
        ),
        (
            "gemini",
            r#"[{"error":{"code":429,"message":"x","status":"RESOURCE_EXHAUSTED"}}]"#,
            "rate_limited model",
        ),
        (
            "bedrock",
            r#"{"throttlingException":{"message":"Too many tokens"}}"#,
            "rate_limited model",
        ),
        (
            "bedrock",
            r#"{"modelStreamErrorException":{"message":"x","originalStatusCode":500}}"#,
            "server_error model",
        ),
        ("bedrock", r#"{"modelTimeoutException":{"message":"x"}}"#, "unknown_outcome request"),
        ("bedrock", r#"{"serviceUnavailableException":{"message":"x"}}"#, "overloaded provider"),
        ("bedrock", r#"{"internalServerException":{"message":"x"}}"#, "server_error provider"),
        ("bedrock", r#"{"validationException":{"message":"x"}}"#, "client_error request alone"),
        (
            "dashscope",
            "id:1\nevent:error\n:HTTP_STATUS/429\ndata:{\"code\":\"Throttling.RateQuota\",\"message\":\"x\"}",
            "rate_limited model",
        ),
        (
            "dashscope",
            "event:error\n:HTTP_STATUS/400\ndata:{\"code\":\"InvalidParameter\",\"message\":\"x\"}",
            "client_error request alone",
        ),
        (
            "dashscope",
            "event:error\n:HTTP_STATUS/503\ndata:{\"code\":\"New\",\"message\":\"x\"}",
            "overloaded provider",
        ),
        (
            "openrouter",
            r#"data: {"id":"x","error":{"code":502,"message":"Provider disconnected"},"choices":[{"delta":{"content":""},"finish_reason":"error"}]}"#,
            "server_error model",
        ),
        (
            "openrouter",
            r#"{"choices":[{"error":{"code":429,"message":"Provider returned error"},"finish_reason":"error"}]}"#,
            "overloaded model",
        ),
        (
            "minimax",
            r#"data: {"base_resp":{"status_code":1002,"status_msg":"rate limit"}}"#,
            "rate_limited model",
        ),
        ("openai-compat", r#"data: {"error":"something broke"}"#, "server_error provider"),
    ] {
        assert_eq!(told(&event(dialect, Phase::BeforeContent, body)), expected, "{dialect} {body}");
        let after = event(dialect, Phase::AfterContent, body);
        assert!(!after.retry_other, "{body}");
    }
}

#[test]
fn the_header_of_an_event_stream_names_its_exception() {
    let headers = [(":message-type", "exception"), (":exception-type", "throttlingException")];
    let outcome = Outcome {
        headers: &headers,
        body: r#"{"message":"Too many requests"}"#,
        model: Some("m"),
        ..Outcome::of_status(200)
    };
    assert_eq!(told(&classify_stream_event("bedrock", &[], &outcome, NOON)), "rate_limited model");
}

#[test]
fn a_whole_stream_is_what_its_first_error_is() {
    let body = "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\n\n\
                data: {\"error\":{\"code\":\"insufficient_quota\",\"message\":\"x\"}}\n\n\
                data: [DONE]\n\n";
    let outcome = Outcome { body, ..Outcome::of_status(200) };
    assert_eq!(told(&classify("openai", &[], &outcome, NOON)), "quota_exhausted account");
    let outcome =
        Outcome { body: "data: {\"choices\":[]}\n\ndata: [DONE]\n\n", ..Outcome::of_status(200) };
    assert_eq!(told(&classify("openai", &[], &outcome, NOON)), "ok none alone");
}

#[test]
fn a_200_without_an_answer_is_unknown() {
    let of = |headers: &[(&str, &str)], body: &str, phase| {
        let outcome = Outcome { headers, body, phase, ..Outcome::of_status(200) };
        told(&classify("openai", &[], &outcome, NOON))
    };
    assert_eq!(of(&[("content-length", "0")], "", Phase::Response), "unknown_outcome request");
    assert_eq!(of(&[], "\n\n\n", Phase::Response), "unknown_outcome request");
    assert_eq!(of(&[], "null", Phase::Response), "unknown_outcome request");
    assert_eq!(
        of(&[], r#"{"id":"x","choices":[{"mess"#, Phase::Response),
        "unknown_outcome request"
    );
    // A body that nobody read says nothing.
    assert_eq!(of(&[], "", Phase::Response), "ok none alone");
    assert_eq!(of(&[], "plain text of a transcription", Phase::Response), "ok none alone");
    // What was cut at 64 KB was not broken by the provider.
    let long = format!(r#"{{"choices":[{{"message":{{"content":"{}"}}}}]}}"#, "x".repeat(70_000));
    assert_eq!(of(&[], &long, Phase::Response), "ok none alone");
    assert_eq!(
        of(
            &[("content-type", "text/html")],
            "<!doctype html><title>Hotel</title>",
            Phase::Response
        ),
        "egress_blocked egress alone"
    );
}
