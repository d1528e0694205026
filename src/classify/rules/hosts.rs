//! Providers with an API like OpenAI's, and some with one of their own.

use super::*;

pub(super) const DIALECTS: &[Dialect] = &[
    Dialect { names: "groq", tables: &[GROQ], hours_east: 0 },
    Dialect { names: "xai|grok|x-ai", tables: &[XAI], hours_east: 0 },
    Dialect { names: "mistral|mistralai", tables: &[MISTRAL], hours_east: 0 },
    Dialect { names: "cohere", tables: &[COHERE], hours_east: 0 },
    Dialect { names: "deepseek", tables: &[DEEPSEEK], hours_east: 8 },
    Dialect { names: "together|togetherai|together-ai", tables: &[TOGETHER], hours_east: 0 },
    Dialect { names: "fireworks|fireworks-ai", tables: &[FIREWORKS], hours_east: 0 },
    Dialect { names: "perplexity", tables: &[PERPLEXITY], hours_east: 0 },
    Dialect { names: "cerebras", tables: &[CEREBRAS], hours_east: 0 },
    Dialect { names: "github-models|github", tables: &[GITHUB], hours_east: 0 },
];

/// console.groq.com/docs/errors and /rate-limits.
const GROQ: &[Row] = &[
    says("Request too large for").is(TOO_BIG),
    code("rate_limit_exceeded")
        .saying("*per day (RPD)|*per day (TPD)|*per day (ASD)")
        .is(QUOTA_MODEL),
    code("rate_limit_exceeded").saying("*per minute|*per hour").is(RATE_MODEL),
    // Groq's header of requests counts a day, that of tokens a minute.
    header("x-ratelimit-remaining-requests=0").at(429).is(QUOTA_MODEL),
    code("capacity_exceeded|over_capacity").is(BUSY_MODEL),
    says("*is currently over capacity|*over capacity").is(BUSY_MODEL),
    code("blocked_api_access|*spend_").is(BILLING),
    code("organization_restricted|account_restricted").is(DEAD_ACCOUNT),
    code("expired_api_key").is(DEAD),
    says("Access denied. Please check your network settings").is(EGRESS),
    code(
        "model_decommissioned|model_permission_blocked_org|model_permission_blocked_project|\
          model_terms_required|permissions_error|model_not_active",
    )
    .is(DENIED_MODEL),
    code("tool_use_failed|json_validate_failed").is(CLIENT),
    status(424).is(CLIENT),
    status(429).is(RATE_MODEL),
    status(498).is(BUSY_MODEL),
    status(503).is(BUSY_MODEL),
];

/// docs.x.ai/docs/key-information/debugging: `code` may be a sentence, `error` is a text.
const XAI: &[Row] = &[
    says(
        "Your team …used all available credits|Your team …reached its monthly spending limit|\
          Your newly created team|You have run out of credits|You ran out of credits",
    )
    .is(BILLING),
    code("*spending-limit").is(BILLING),
    code("subscription:free-usage-exhausted").is(QUOTA_MODEL.until(Window::RollingDay)),
    says("You've used all the included free usage").is(QUOTA_MODEL.until(Window::RollingDay)),
    says("Content violates usage guidelines").is(CLIENT),
    says("Incorrect API key provided").is(DEAD),
    code("*bad-credentials").is(DEAD),
    says("*API key is blocked|*API key is currently blocked|*API key is disabled|*team is blocked")
        .is(DEAD),
    says("*not available in your region").is(EGRESS),
    says("No authorization header|No API key").is(AUTH),
    says("The model is at capacity|*at capacity").is(BUSY_MODEL),
    says("The model …does not exist|model …does not exist|Model not found").is(DENIED_MODEL),
    says("*requests per minute|*tokens per minute").at(429).is(RATE_MODEL.or(Window::Minute)),
    code("Some requested entity was not found").is(DENIED_MODEL),
    code("*unauthenticated|*does not have valid authentication").is(DEAD),
    code("rate_limit|Some resource has been exhausted").is(RATE_MODEL),
    status(401).is(DEAD),
    status(404).is(DENIED_MODEL),
    status(429).is(RATE_MODEL),
];

/// docs.mistral.ai. The numbers are Mistral's own: its 1300 is a rate, Zhipu's is a policy.
const MISTRAL: &[Row] = &[
    // A limit of nothing: the plan has none of this model.
    header("x-ratelimit-limit-req-minute=0").at(429).is(DENIED_MODEL),
    code("3505|service_tier_capacity_exceeded").is(BUSY_MODEL),
    says("Service tier capacity exceeded").is(BUSY_MODEL),
    code("1910|tier_not_allowed|1913|labs_not_enabled|1500|invalid_model|unknown_model")
        .is(DENIED_MODEL),
    says("*monthly limit|*monthly quota|*monthly tokens|*per month|*usage limit")
        .at(429)
        .is(QUOTA_ACCOUNT.until(Window::UtcMonth)),
    code("1300|rate_limited|rate_limit_error").is(RATE_MODEL),
    status(401).is(DEAD),
    status(404).is(DENIED_MODEL),
    status(429).is(RATE_MODEL),
];

/// docs.cohere.com/reference/errors and /docs/rate-limits: flat, without codes.
const COHERE: &[Row] = &[
    says("You have reached your maximum billing amount").is(QUOTA_KEY.until(Window::UtcMonth)),
    says("*/ month|*per month").at(429).is(QUOTA_KEY.until(Window::UtcMonth)),
    says("*/ minute|*per minute").at(429).is(RATE_KEY.or(Window::Minute)),
    says("*/ hour|*per hour").at(429).is(RATE_KEY.or(Window::Hour)),
    says("*monthly spend|*spend limit|*maximum billable").is(BILLING),
    says("no api key supplied").is(AUTH),
    says("invalid api token|Your API key has expired").is(DEAD),
    says("model …not found").is(DENIED_MODEL),
    status(401).is(DEAD),
    status(404).is(DENIED_MODEL),
    status(429).is(RATE_KEY),
    // A word of its block list in the request.
    status(498).is(CLIENT),
];

/// api-docs.deepseek.com/quick_start/error_codes: `code` is the same for everything.
const DEEPSEEK: &[Row] = &[
    says("Insufficient Balance").is(BILLING),
    says("Authentication Fails").is(DEAD),
    says("Model Not Exist|The supported API model names are").is(DENIED_MODEL),
    says("Service is too busy|The service is temporarily unavailable").is(BUSY),
    status(401).is(DEAD),
    status(429).is(RATE_ACCOUNT),
];

/// docs.together.ai/docs/error-codes: there a 403 is a request that is too long.
const TOGETHER: &[Row] = &[
    // The type names the credit, the sentence the minute.
    says("You have been rate limited").at(429).is(RATE_ACCOUNT.or(Window::Minute)),
    code("credit_limit").is(BILLING),
    says("Input token count").is(CLIENT),
    code("credit_limit_exceeded|insufficient_credits").is(BILLING),
    says("*credit limit|*monthly maximum allowed spending|*monthly spending limit").is(BILLING),
    code("model_rate_limit|dynamic_request_limited|dynamic_token_limited|request_limited|token_limited")
        .is(RATE_MODEL),
    code("model_not_available|model_gated|dedicated_endpoint_not_running").is(DENIED_MODEL),
    code("service_unavailable|overloaded").at(503).is(BUSY_MODEL),
    status(401).is(DEAD),
    status(403).is(CLIENT),
    status(404).is(DENIED_MODEL),
    status(429).is(RATE_MODEL),
    status(503).is(BUSY_MODEL),
];

/// docs.fireworks.ai/guides/inference-error-codes.
const FIREWORKS: &[Row] = &[
    says("*LoRA|*failed to load").at(412).is(DENIED_MODEL),
    // The limits of a minute are the account's.
    code("RATE_LIMIT_EXCEEDED|rate_limit_exceeded").is(RATE_ACCOUNT),
    code("PRECONDITION_FAILED").is(BILLING),
    says("Account …is suspended").is(BILLING),
    code("NOT_FOUND").is(DENIED_MODEL),
    says("unauthorized|The API key you provided is invalid").is(DEAD),
    code("UNAUTHORIZED|UNAUTHENTICATED").is(DEAD),
    status(401).is(DEAD),
    status(403).is(DEAD),
    status(404).is(DENIED_MODEL),
    status(412).is(BILLING),
    status(429).is(RATE_ACCOUNT),
    status(503).is(BUSY_MODEL),
];

/// docs.perplexity.ai.
const PERPLEXITY: &[Row] = &[
    code("insufficient_quota").is(BILLING),
    code("requests_rate_limit_exceeded|tokens_rate_limit_exceeded|rate_limit_exceeded")
        .is(RATE_KEY),
    code("invalid_model").is(DENIED_MODEL),
    says("Invalid model").is(DENIED_MODEL),
    status(401).is(DEAD),
    status(429).is(RATE_KEY),
];

/// inference-docs.cerebras.ai/support/error and /support/rate-limits.
const CEREBRAS: &[Row] = &[
    code("context_length_exceeded|wrong_api_format").is(CLIENT),
    says("*per day").at(429).is(QUOTA_MODEL),
    says("*per hour").at(429).is(RATE_MODEL.or(Window::Hour)),
    says("*per minute").at(429).is(RATE_MODEL.or(Window::Minute)),
    code("queue_exceeded").is(BUSY_MODEL),
    says("*experiencing high traffic").is(BUSY_MODEL),
    code("wrong_api_key").is(DEAD),
    code(
        "token_quota_exceeded|request_quota_exceeded|too_many_tokens_error|too_many_requests_error",
    )
    .is(RATE_MODEL),
    status(401).is(DEAD),
    status(404).is(DENIED_MODEL),
    status(429).is(RATE_MODEL),
    status(503).is(BUSY_MODEL),
];

/// docs.github.com/github-models: the sentence names the limit that was reached.
const GITHUB: &[Row] = &[
    header("x-ratelimit-type=UserByModelByDay").at(429).is(QUOTA_MODEL.or(Window::UtcDay)),
    header("x-ratelimit-type=UserConcurrentRequests").at(429).is(RATE_KEY),
    header("x-ratelimit-type=UserByMinute").at(429).is(RATE_KEY),
    code("tokens_limit_reached").is(TOO_BIG),
    says("*ByDay").at(429).is(QUOTA_MODEL.or(Window::UtcDay)),
    says("*UserConcurrentRequests|*for UserByMinute").at(429).is(RATE_KEY),
    code("RateLimitReached").is(RATE_MODEL),
    says("*budget limit|*Budget limit reached|*spending limit").is(BILLING),
    code("budget_limit_reached").is(BILLING),
    says("Bad credentials").is(DEAD),
    says("*models` permission is required|Resource not accessible by").is(DENIED_KEY),
    code("no_access|unavailable_model|unknown_model").is(DENIED_MODEL),
    status(429).is(RATE_MODEL),
];
