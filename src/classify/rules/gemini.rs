//! Google: the Gemini API, Vertex AI, and Code Assist.
//!
//! ai.google.dev/gemini-api/docs/troubleshooting, google/api/error_reason.proto, google/rpc/code.proto, and
//! google-gemini/gemini-cli, googleQuotaErrors.ts.

use super::anthropic::ANTHROPIC;
use super::*;

pub(super) const DIALECTS: &[Dialect] = &[
    Dialect {
        names: "gemini|google|google-gemini|google-ai-studio",
        tables: &[GEMINI],
        hours_east: 0,
    },
    // Partners' models answer in their own shape.
    Dialect {
        names: "vertex|google-vertex|vertex-ai|vertexai",
        tables: &[VERTEX, GEMINI, ANTHROPIC],
        hours_east: 0,
    },
    Dialect {
        names: "google-codeassist|codeassist|gemini-cli|antigravity",
        tables: &[CODE_ASSIST, GEMINI],
        hours_east: 0,
    },
];

const GEMINI: &[Row] = &[
    code("API_KEY_INVALID|API_KEY_SERVICE_BLOCKED|SERVICE_DISABLED|CONSUMER_SUSPENDED|keyInvalid|\
          keyExpired|accessNotConfigured|RESOURCE_PROJECT_INVALID|CONSUMER_INVALID")
    .is(DEAD),
    code("GCP_SUSPENDED|ACCOUNT_STATE_INVALID").is(DEAD_ACCOUNT),
    says("API key not valid|API Key not found|API key expired|Please pass a valid API key|\
          Your API key was reported as leaked|Permission denied: Consumer")
    .is(DEAD),
    code("API_KEY_IP_ADDRESS_BLOCKED|API_KEY_HTTP_REFERRER_BLOCKED|API_KEY_ANDROID_APP_BLOCKED|\
          API_KEY_IOS_APP_BLOCKED|SECURITY_POLICY_VIOLATED|LOCATION_POLICY_VIOLATED|\
          LOCATION_TAX_POLICY_VIOLATED|ORG_RESTRICTION_VIOLATION|ipRefererBlocked")
    .is(EGRESS_OF_KEY),
    says("User location is not supported").is(EGRESS),
    says("Gemini API free tier is not available in your country").is(EGRESS_OF_KEY),
    code("BILLING_DISABLED|billingNotEnabled").is(BILLING),
    says("*prepayment credits are depleted|*method requires billing to be enabled|*Please enable billing")
        .is(BILLING),
    // A project has its keys, a billing account its projects.
    says("Your project has exceeded its monthly").is(QUOTA_KEY.until(Window::UtcMonth)),
    says("*exceeded its monthly spending cap|*monthly spend").at(429).is(QUOTA_ACCOUNT.until(Window::UtcMonth)),
    code("ACCESS_TOKEN_EXPIRED|CREDENTIALS_MISSING|ACCESS_TOKEN_TYPE_UNSUPPORTED|\
          ACCESS_TOKEN_SCOPE_INSUFFICIENT|SESSION_COOKIE_INVALID")
    .is(AUTH),
    says("Method doesn't allow unregistered callers").is(AUTH),
    code("USER_PROJECT_DENIED|USER_BLOCKED_BY_ADMIN").is(AUTH_ACCOUNT),
    says("Your project has been denied access").is(AUTH_ACCOUNT),
    // This plan has none of the model; the delay beside it is of no use.
    says("*limit: 0,|*limit: 0\n").at(429).is(DENIED_MODEL),
    // Of several quotas that are used up the longest decides; the delay beside it is of another.
    code("*PerDay|*per_day|*Daily|dailyLimitExceeded|quota_exceeded").at(429).is(DAY),
    says("*per day per user|*requests per day|*_per_day").at(429).is(DAY),
    code("*PerMonth|*per_month").at(429).is(QUOTA_MODEL.until(Window::UtcMonth)),
    code("*PerMinute|*per_minute").at(429).is(RATE_MODEL.or(Window::Minute)),
    code("RESOURCE_EXHAUSTED").at(429).is(RATE_MODEL),
    code("MODEL_CAPACITY_EXHAUSTED").is(BUSY_MODEL),
    says("Deadline expired before operation could complete").is(UNKNOWN),
    code("DEADLINE_EXCEEDED").is(UNKNOWN),
    code("CANCELLED").is(ABORTED),
    code("UNAVAILABLE").is(BUSY_MODEL),
    says("Requested entity was not found").is(CLIENT),
    code("NOT_FOUND|not_found").at(404).is(DENIED_MODEL),
    code("authentication").at(401).is(DEAD),
    code("UNAUTHENTICATED").is(AUTH),
    code("PERMISSION_DENIED|permission_denied").at(403).is(DENIED_MODEL),
    status(429).is(RATE_MODEL),
    status(404).is(DENIED_MODEL),
    status(503).is(BUSY_MODEL),
];

/// Daily quotas begin anew at midnight of the Pacific (ai.google.dev/gemini-api/docs/rate-limits).
const DAY: Meaning = QUOTA_MODEL.until(Window::PacificDay);

const VERTEX: &[Row] = &[
    says("Organization Policy constraint|*is not allowed to use Publisher Model").is(DENIED_MODEL),
    says("*Exceeded the Provisioned Throughput").is(RATE_MODEL),
    says("Quota exceeded for …per_day|Quota exceeded for …per day").is(DAY),
    says("Quota exceeded for").is(RATE_MODEL.or(Window::Minute)),
    // What everyone pays for as they go is shared: this is no quota of the project.
    code("RESOURCE_EXHAUSTED")
        .saying("Resource exhausted|Resource has been exhausted")
        .at(429)
        .is(BUSY_MODEL),
    code("IAM_PERMISSION_DENIED").is(DENIED_MODEL),
];

const CODE_ASSIST: &[Row] = &[
    code("INSUFFICIENT_G1_CREDITS_BALANCE").is(BILLING),
    says("Individual quota reached").is(BILLING),
    code("QUOTA_EXHAUSTED").is(QUOTA_MODEL),
    code("RATE_LIMIT_EXCEEDED").is(RATE_MODEL),
    code("MODEL_CAPACITY_EXHAUSTED").is(BUSY_MODEL),
    // In spite of its words a throttle of less than a second.
    says("You have exhausted your capacity on this model…reset after 0s").is(RATE_MODEL),
    says("You have exhausted your capacity on this model").is(QUOTA_MODEL),
    code("TOS_VIOLATION").is(DEAD_ACCOUNT),
    says(
        "This service has been disabled in this account for violation|\
         Gemini has been disabled in this account",
    )
    .is(DEAD_ACCOUNT),
    says("You don't have access to this model").is(DENIED_MODEL),
    code("VALIDATION_REQUIRED").is(AUTH_ACCOUNT),
    code("SUBSCRIPTION_REQUIRED").is(DENIED_KEY),
    says(
        "You do not have a valid license|You must be a named user on your organization|\
          Your current account is not eligible|Your account is not eligible|\
          You are currently configured to use a Google Cloud Project but lack",
    )
    .is(DENIED_KEY),
];
