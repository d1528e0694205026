//! Gateways, which answer for providers and for themselves.

use super::*;

pub(super) const DIALECTS: &[Dialect] = &[
    Dialect { names: "openrouter", tables: &[OPENROUTER], hours_east: 0 },
    Dialect { names: "new-api|one-api|newapi|oneapi|one-hub", tables: &[NEW_API], hours_east: 8 },
    Dialect { names: "litellm-proxy|litellm", tables: &[LITELLM], hours_east: 0 },
    Dialect { names: "cliproxyapi|cliproxy", tables: &[CLIPROXY], hours_east: 0 },
    Dialect { names: "bifrost", tables: &[BIFROST], hours_east: 0 },
];

/// openrouter.ai/docs/api-reference/errors and /limits: `metadata.limit_source` says whose limit it is.
const OPENROUTER: &[Row] = &[
    code("weight_exceeds_budget|token_limit_exceeded").is(TOO_BIG),
    says("This request requires more credits|Prompt tokens limit exceeded").is(TOO_BIG),
    code("openrouter_in_flight_budget|in_flight_budget_exhausted").is(RATE_ACCOUNT),
    says("*given your current in-flight requests").is(RATE_ACCOUNT),
    code("openrouter_free_tier_daily").is(QUOTA_ACCOUNT.until(Window::UtcDay)),
    says("*free-models-per-day|*Daily free limit").is(QUOTA_ACCOUNT.until(Window::UtcDay)),
    code("*openrouter_free_tier").is(RATE_ACCOUNT),
    says("*free-models-per-min").is(RATE_ACCOUNT),
    // The caps of a key begin anew with the day, the week (on Monday) or the month, UTC.
    says("Key limit exceeded (daily").is(QUOTA_KEY.until(Window::UtcDay)),
    says("Key limit exceeded (weekly").is(QUOTA_KEY.until(Window::UtcWeek)),
    says("Key limit exceeded (monthly").is(QUOTA_KEY.until(Window::UtcMonth)),
    code("openrouter_key_limit|openrouter_guardrail_budget").is(BILLING_KEY),
    code("openrouter_workspace_budget").is(BILLING),
    says("Key limit exceeded").is(BILLING_KEY),
    says("Budget limit exceeded").is(BILLING),
    code("openrouter_credits|insufficient_credits|payment_required").is(BILLING),
    code("*upstream|provider_overloaded").is(BUSY_MODEL),
    code("provider_unavailable").is(FAILED_MODEL),
    code("timeout").is(UNKNOWN),
    says("*requires moderation|*Your input was flagged|Request blocked").is(CLIENT),
    says("*is not available in your region").is(EGRESS),
    says("No endpoints found that support").is(CLIENT),
    says("*is not a valid model ID").is(DENIED_MODEL),
    says("No endpoints|No allowed providers|All providers have been ignored").is(DENIED_MODEL),
    says("No auth credentials found|No cookie auth").is(AUTH),
    code("permission_denied").is(DENIED_KEY),
    // Requests in flight hold the balance: without a time to come back it is money that is missing.
    header("retry-after=").at(402).is(RATE_ACCOUNT),
    // The chosen model's own provider refused OpenRouter's key, not the caller's.
    says("Provider returned error").at(401).is(FAILED_MODEL),
    says("Provider returned error").at(403).is(FAILED_MODEL),
    says("Provider disconnected").is(FAILED_MODEL),
    says("Provider returned error").at(429).is(BUSY_MODEL),
    says("*is temporarily rate-limited upstream").is(BUSY_MODEL),
    says("*limit_rpm/|*High demand for").at(429).is(RATE_MODEL),
    says("*limit_rpd/").at(429).is(QUOTA_MODEL.until(Window::UtcDay)),
    status(401).is(DEAD),
    status(403).is(CLIENT),
    status(404).is(DENIED_MODEL),
    status(429).is(RATE_ACCOUNT),
    status(502).is(FAILED_MODEL),
    status(503).is(BUSY_MODEL),
    status(529).is(BUSY_MODEL),
];

/// QuantumNous/new-api, types/error.go and middleware/auth.go.
const NEW_API: &[Row] = &[
    code("model_not_found|no_valid_channel_error").at(503).is(BUSY_MODEL),
    code("get_channel_failed|channel:no_available_key").is(BUSY_MODEL),
    says("*无可用渠道|*上游负载已饱和|*No available channel|*Rate limited by provider|*官方限速").is(BUSY_MODEL),
    says("Incorrect model ID").is(DENIED_MODEL),
    says("system cpu overloaded|system memory overloaded|system disk overloaded").is(BUSY),
    code("insufficient_user_quota|entitlement_required|entitlement_inactive|entitlement_total_limit_exceeded")
        .is(BILLING),
    says("*用户额度不足|user quota is not enough|*预扣费额度失败|User's credit limit is insufficient|*用户余额不足")
        .is(BILLING),
    code("entitlement_daily_limit_exceeded").is(QUOTA_ACCOUNT),
    code("pre_consume_token_quota_failed").is(BILLING_KEY),
    says("*令牌额度已用尽|*令牌额度不足|*token quota is not enough").is(BILLING_KEY),
    says("*令牌已过期|无效的令牌|*令牌状态不可用|Invalid token|*access token is invalid or expired").is(DEAD),
    says("未提供令牌|未提供 Authorization|No token").is(AUTH),
    says("*用户已被封禁|User has been banned|Account suspended").is(DEAD_ACCOUNT),
    says("*IP 不在令牌允许|*IP不在令牌允许|*只能在指定网段|*allowed only from approved IP").is(EGRESS_OF_KEY),
    says("您多次使用无效令牌|You have used invalid tokens").is(EGRESS),
    says("*令牌无权访问模型|*令牌无权使用|*无权访问模型|*has no access to model|\
          *not authorized to access the requested model")
    .is(DENIED_MODEL),
    says("*无权访问|Only Codex clients|*does not allow the current client").at(403).is(DENIED_KEY),
    says("您已达到|*请求数限制").at(429).is(RATE_ACCOUNT),
    code("token_concurrency_limit_reached").is(RATE_KEY),
    code("sensitive_words_detected|prompt_blocked|invalid_request|bad_request_body|convert_request_failed|\
          read_request_body_failed|count_token_failed")
    .is(CLIENT),
    code("model_price_error").is(DENIED_MODEL),
    code("do_request_failed").is(FAILED),
    code("channel:response_time_exceeded|empty_response").is(UNKNOWN),
    code("channel:invalid_key|channel:aws_client_error").is(FAILED_MODEL),
    code("bad_response_status_code|bad_response|bad_response_body|read_response_body_failed")
        .at(500)
        .is(FAILED_MODEL),
    status(429).is(RATE_KEY),
];

/// BerriAI/litellm, proxy/_types.py (ProxyErrorTypes).
const LITELLM: &[Row] = &[
    says("litellm.BadRequestError|litellm.ContextWindowExceeded|litellm.ContentPolicyViolation")
        .is(CLIENT),
    says("*ContextWindowExceededError|*ContentPolicyViolationError").is(CLIENT),
    code("token_not_found_in_db|expired_key").is(DEAD),
    says("*No api key passed in").is(AUTH),
    says("*Malformed API Key|*Invalid proxy server token|*Authentication Error - Expired Key")
        .is(DEAD),
    // The operator's block can be undone.
    says("*Key is blocked").is(AUTH),
    code("budget_exceeded").is(BILLING_KEY),
    says("*Budget has been exceeded|*ExceededBudget|*ExceededTokenBudget|Max budget limit reached")
        .is(BILLING_KEY),
    code("*_model_access_denied").is(DENIED_MODEL),
    code("*_access_denied|permission_denied|team_member_permission_error").is(DENIED_KEY),
    says("*No deployments available|*No healthy deployment").is(BUSY_MODEL),
    // What befell the proxy's own keys is nothing that the caller's key did.
    says("litellm.RateLimitError").is(BUSY_MODEL),
    code("throttling_error|max_parallel_request_limit_error").is(RATE_KEY),
    says(
        "*Max parallel request limit|*Crossed TPM / RPM|LiteLLM Rate Limit Handler|\
          Rate limit exceeded for api_key",
    )
    .is(RATE_KEY),
    code("no_db_connection").is(FAILED),
    says("*Invalid model name passed").is(DENIED_MODEL),
    says("litellm.NotFoundError").is(DENIED_MODEL),
    says("litellm.Timeout").is(UNKNOWN),
    says(
        "litellm.AuthenticationError|litellm.PermissionDeniedError|litellm.APIConnectionError|\
          litellm.InternalServerError|litellm.APIError",
    )
    .is(FAILED_MODEL),
    says("litellm.ServiceUnavailableError").is(BUSY_MODEL),
];

/// router-for-me/CLIProxyAPI.
const CLIPROXY: &[Row] = &[
    code("model_cooldown").is(BUSY_MODEL),
    // Its own credentials are gone; the caller's key is not meant.
    code("auth_unavailable|auth_not_found|no_auth_available").is(FAILED),
    says("no auth available|auth_unavailable|auth_not_found").is(FAILED),
    says("*unknown provider for model").is(DENIED_MODEL),
    code("model_not_allowed").is(DENIED_MODEL),
    code("rpm_rate_limit_exceeded").is(RATE_KEY),
    says("Missing API key").is(AUTH),
    says("Invalid API key").is(DEAD),
];

/// maximhq/bifrost, plugins/governance.
const BIFROST: &[Row] = &[
    code("upstream_credentials_exhausted").is(FAILED),
    says("Virtual key has expired").is(DEAD),
    code("virtual_key_not_found").is(DEAD),
    // Somebody paused it, or no key was sent.
    code("virtual_key_blocked|virtual_key_required").is(AUTH),
    code("budget_exceeded").is(BILLING_KEY),
    code("rate_limited|token_limited|request_limited").is(RATE_KEY),
    code("model_blocked|provider_blocked").is(DENIED_MODEL),
    says("no keys found").is(DENIED_MODEL),
];
