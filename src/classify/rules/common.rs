//! What all providers have in common: names that everybody took from OpenAI, and what a status means.

use super::*;
use crate::types::Class;

/// Codes and sentences that mean the same wherever they stand.
pub(super) const SAID: &[Row] = &[
    code("too_many_concurrent_requests|concurrency_limit_exceeded|concurrency_limit_reached").is(RATE_KEY),
    code("rate_limit_exceeded|tokens|*too_large").saying("Request too large for").is(TOO_BIG),
    code(
        "insufficient_quota|billing_not_active|billing_hard_limit_reached|credit_balance_exhausted|\
         insufficient_credits|insufficient_balance|InsufficientBalance|insufficient_funds|\
         insufficient_user_quota|payment_required|billing_error|exceeded_current_quota_error|\
         account_overdue|quota_not_enough",
    )
    .is(BILLING),
    code(
        "invalid_api_key|incorrect_api_key|incorrect_api_key_error|wrong_api_key|api_key_invalid|\
         invalid_apikey|expired_api_key|api_key_expired|api_key_revoked|revoked_api_key|\
         api_key_disabled|InvalidApiKey|invalid_grant",
    )
    .is(DEAD),
    code("account_deactivated|deactivated_workspace|access_terminated|account_disabled|\
          organization_restricted|user_deactivated")
    .is(DEAD_ACCOUNT),
    code("token_expired|access_token_expired|expired_token|ExpiredTokenException").is(AUTH),
    code("ip_not_authorized|ip_not_allowed").is(EGRESS_OF_KEY),
    code("unsupported_country_region_territory|region_not_supported").is(EGRESS),
    // A gateway's own "no channel has it" comes with OpenAI's code.
    code("model_not_found").at(503).is(BUSY_MODEL),
    code(
        "model_not_found|model_not_available|model_not_supported|unknown_model|unavailable_model|\
         DeploymentNotFound|model_access_denied|ModelNotFound|invalid_model",
    )
    .is(DENIED_MODEL),
    code(
        "context_length_exceeded|context_window_exceeded|string_above_max_length|content_filter|\
         content_policy_violation|moderation_blocked|invalid_prompt|cyber_policy|bio_policy|\
         image_generation_user_error|request_too_large|invalid_value|unsupported_value|\
         unsupported_parameter|missing_required_parameter|unknown_parameter|invalid_json|\
         invalid_image_url|previous_response_not_found|invalid_encrypted_content|\
         data_inspection_failed|ResponsibleAIPolicyViolation",
    )
    .is(CLIENT),
    says("Our servers are currently overloaded").is(BUSY),
    says("That model is currently overloaded|The engine is currently overloaded|The model is overloaded|\
          This model is currently overloaded|The model is currently overloaded|Model is overloaded|\
          The model …is at capacity|Model …is at capacity|Selected model is at capacity")
    .is(BUSY_MODEL),
    code("server_is_overloaded|overloaded_error|service_overloaded").is(BUSY),
    // Beside a 429 it is the caller's pace, in a stream and beside a 503 the provider's trouble.
    code("slow_down").at(429).is(RATE_MODEL),
    code("slow_down").is(BUSY_MODEL),
    code("engine_overloaded|engine_overloaded_error|overloaded|capacity_exceeded|over_capacity|\
          model_overloaded|resource_unavailable")
    .is(BUSY_MODEL),
    code(
        "rate_limit_exceeded|rate_limit_error|rate_limited|rate_limit_reached|rate_limit_reached_error|\
         too_many_requests|too_many_requests_error|RateLimitReached|TooManyRequests|ThrottlingException|\
         rate_limit_exceeded_error",
    )
    .is(RATE_MODEL),
    code("rate_limit|RESOURCE_EXHAUSTED|Throttling").at(429).is(RATE_MODEL),
    // A gateway writes what befell its own connection into the stream.
    code("ECONNRESET|EPIPE|ETIMEDOUT|UND_ERR_SOCKET").at(200).is(UNKNOWN),
    says("Country, region, or territory not supported|User location is not supported").is(EGRESS),
    says(
        "Incorrect API key provided|API key not valid|Invalid API key|Invalid API-key|\
         The API key you provided is invalid|API key is invalid|Api key is invalid|\
         API key expired|API key has expired|Your API key has been disabled|invalid x-api-key",
    )
    .is(DEAD),
    says("You exceeded your current quota, please check your plan and billing").is(BILLING),
    says("Insufficient Balance|Insufficient credits|Insufficient credit balance|余额不足|\
          Your account balance is insufficient|账户余额不足|Your credit balance is too low")
    .is(BILLING),
    says("This model's maximum context length|prompt is too long").is(CLIENT),
    says("Invalid URL (|no Route matched").is(CLIENT),
    says("*does not exist or you do not have access").at(404).is(DENIED_MODEL),
    says("The model …not found|The model …not exist|Model …not found|Model …not exist|Unknown model").at(404).is(DENIED_MODEL),
];

/// The statuses that errors have outside of streams, by the names of their types.
const STATUSES: &[(u16, &str)] = &[
    (400, "invalid_request_error|invalid_request|INVALID_ARGUMENT|FAILED_PRECONDITION|bad_request"),
    (401, "authentication_error|UNAUTHENTICATED"),
    (403, "permission_error|PERMISSION_DENIED"),
    (404, "not_found_error|NOT_FOUND"),
    (
        429,
        "rate_limit_error|rate_limit_exceeded|rate_limited|rate_limit_reached_error|RateLimitReached|\
         too_many_requests|too_many_requests_error|too_many_tokens_error|RESOURCE_EXHAUSTED",
    ),
    (500, "server_error|api_error|internal_error|internal_server_error|INTERNAL"),
    (503, "service_unavailable_error|service_unavailable|UNAVAILABLE"),
    (504, "timeout_error|timeout|DEADLINE_EXCEEDED"),
];

/// The status that an error of a type has where it is not inside a stream.
pub(in crate::classify) fn status_of(name: &str) -> Option<u16> {
    STATUSES.iter().find(|(_, names)| is_code(names, name)).map(|(status, _)| *status)
}

/// What a status says when nothing else was understood: never that a key is dead.
///
/// RFC 9110 section 15 and RFC 6585 for the meaning of the codes; 529 is what busy LLM providers answer, 52x
/// are Cloudflare's.
pub(in crate::classify) const fn of_status(status: u16) -> Meaning {
    match status {
        401 => AUTH,
        402 => QUOTA_ACCOUNT,
        403 => DENIED_MODEL,
        // A proxy that wants to know who asks; the law; a portal that wants a click.
        407 | 451 | 511 => EGRESS,
        408 | 504 | 598 | 599 => UNKNOWN,
        429 => RATE_KEY,
        // nginx's word for a caller that went away.
        499 => ABORTED,
        400..=499 => CLIENT,
        503 | 529 => BUSY,
        // The origin may have worked on it: an unknown answer, or none within 100 s.
        520 | 524 => UNKNOWN_OF_PROVIDER,
        // Also an error inside a 200 that names no status.
        _ => FAILED,
    }
}

/// What a class usually means, for rules that say no more.
pub(in crate::classify) const fn of_class(class: Class) -> Meaning {
    match class {
        Class::Ok => OK,
        Class::RateLimited => RATE_KEY,
        Class::Overloaded => BUSY,
        Class::QuotaExhausted => QUOTA_KEY,
        Class::AuthFailed => AUTH,
        Class::ModelDenied => DENIED_MODEL,
        Class::ClientError => CLIENT,
        Class::OverKeyLimit => TOO_BIG,
        Class::ServerError => FAILED,
        Class::EgressBlocked => EGRESS,
        Class::UnknownOutcome => UNKNOWN,
        Class::ClientAborted => ABORTED,
    }
}
