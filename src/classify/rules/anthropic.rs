//! Anthropic's API, and the subscriptions of Claude.
//!
//! platform.claude.com/docs/en/api/errors and /rate-limits; the unified headers as Claude Code reads them.

use super::*;

pub(super) const DIALECTS: &[Dialect] = &[
    Dialect {
        names: "anthropic-subscription|claude-code|claude-subscription",
        tables: &[SUBSCRIPTION, ANTHROPIC],
        hours_east: 0,
    },
    Dialect {
        names: "anthropic|anthropic-openai-compat|claude",
        tables: &[ANTHROPIC],
        hours_east: 0,
    },
];

/// The windows of a plan say in headers of their own whether they reject, and until when.
const WINDOW: Meaning = Meaning { wait: Wait::OwnHeaders, ..QUOTA_KEY };
const WINDOW_OF_MODEL: Meaning = Meaning { wait: Wait::OwnHeaders, ..QUOTA_MODEL };

pub(super) const ANTHROPIC: &[Row] = &[
    says("Extra usage is required for long context|The long context beta is not yet available|\
          Usage credits required for 1M context")
        .is(DENIED_REQUEST),
    code("window:5h|window:7d|window:weekly").at(429).is(WINDOW),
    // `7d_opus`, `7d_oi`: the week of one family of models, while the shared windows allow.
    code("*window:7d|*window:5h").at(429).is(WINDOW_OF_MODEL),
    header("anthropic-ratelimit-unified-representative-claim=seven_day_").at(429).is(WINDOW_OF_MODEL),
    code("*window:").at(429).is(WINDOW),
    code("enforced_spend_limit_reached").is(QUOTA_ACCOUNT.until(Window::UtcMonth)),
    says("*exceeded your daily rate limit").at(429).is(QUOTA_MODEL),
    says("Claude AI usage limit reached|5-hour limit reached|You've hit your").is(QUOTA_KEY),
    // The plan allows it: a throttle on the subscription's pace.
    header("anthropic-ratelimit-unified-status=allowed").at(429).is(RATE_KEY),
    says("This request would exceed your account's rate limit").at(429).is(RATE_KEY),
    says("You have reached your specified workspace API usage limits").is(QUOTA_KEY),
    says("You have reached your specified API usage limits").is(QUOTA_ACCOUNT),
    says("Your credit balance is too low").is(BILLING),
    says("Third-party apps now draw from your extra usage|You're out of extra usage").is(BILLING_KEY),
    code("billing_error").is(BILLING),
    says("OAuth token has expired").is(AUTH),
    says("OAuth token has been revoked").is(DEAD),
    says("OAuth authentication is currently not allowed for this organization").is(DEAD),
    says("x-api-key header is required|OAuth authentication is currently not supported|\
          Authentication failed: missing")
    .is(AUTH),
    says("This organization has been disabled|Your organization has been disabled|\
          Your account has been disabled")
    .is(DEAD_ACCOUNT),
    says("Your organization does not have access to Claude|Your account does not have access to Claude Code")
        .is(AUTH_ACCOUNT),
    says("OAuth token does not meet scope requirement").is(DENIED_KEY),
    says("This credential is only authorized for use with Claude Code").is(DENIED_REQUEST),
    // The allowlist is the organization's own.
    says("*your IP address|*organization's allowlist|*current IP").at(403).is(EGRESS_OF_KEY),
    says("CORS requests are not allowed for this Organization").is(EGRESS),
    says("Request not allowed|App unavailable in region").at(403).is(EGRESS),
    code("forbidden").at(403).is(EGRESS),
    code("authentication_error").at(401).is(DEAD),
    code("permission_error").at(403).is(DENIED_MODEL),
    code("not_found_error").saying("model:").is(DENIED_MODEL),
    code("not_found_error").at(404).is(CLIENT),
    code("overloaded_error").is(BUSY),
    says("Overloaded").is(BUSY),
    code("timeout_error").is(UNKNOWN),
    says("Output blocked by content filtering policy").is(CLIENT),
    code("rate_limit_error").is(RATE_MODEL),
    status(429).is(RATE_MODEL),
];

const SUBSCRIPTION: &[Row] = &[code("*window:").at(529).is(BUSY)];
