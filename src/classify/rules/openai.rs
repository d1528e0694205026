//! OpenAI, its service in Azure, and the plans of ChatGPT.
//!
//! platform.openai.com/docs/guides/error-codes; learn.microsoft.com/azure/ai-services/openai/quotas-limits;
//! openai/codex, codex-rs/codex-api.

use super::*;

pub(super) const DIALECTS: &[Dialect] = &[
    Dialect { names: "openai|openai-responses", tables: &[OPENAI], hours_east: 0 },
    Dialect { names: "azure-openai|azure", tables: &[AZURE, OPENAI], hours_east: 0 },
    Dialect { names: "openai-codex|codex|chatgpt", tables: &[CODEX, OPENAI], hours_east: 0 },
];

const OPENAI: &[Row] = &[
    says("Invalid Authentication").at(401).is(DEAD),
    says("The engine is currently overloaded").is(BUSY),
    // `error.type` says `insufficient_quota` for all of these; the reason is in `error.code`.
    code("organization_spend_limit_exceeded|organization_usage_limit_exceeded")
        .is(QUOTA_ACCOUNT.until(Window::UtcMonth)),
    code("project_spend_limit_exceeded").is(QUOTA_KEY.until(Window::UtcMonth)),
    code("insufficient_quota|credit_balance_exhausted|billing_not_active|billing_hard_limit_reached")
        .is(BILLING),
    // One request above the limit of a whole minute.
    says("Request too large for").is(TOO_BIG),
    code("rate_limit_exceeded").saying("*per day (RPD)|*per day (TPD)").is(QUOTA_MODEL),
    code("token_limit_exceeded").at(429).is(RATE_MODEL),
    code("invalid_api_key").is(DEAD),
    code("account_deactivated|access_terminated|deactivated_workspace").is(DEAD_ACCOUNT),
    says("Your access was terminated|*account associated with this API key has been deactivated|\
          Your OpenAI account has been deactivated")
    .is(DEAD_ACCOUNT),
    says("Your authentication token has been invalidated").is(DEAD),
    code("token_invalidated|token_revoked|refresh_token_reused|refresh_token_expired|\
          refresh_token_invalidated|app_session_terminated")
    .is(DEAD),
    // A header lost on the way, or one that names another organization: the key may be good.
    says("You didn't provide an API key").is(AUTH),
    code("invalid_organization|mismatched_organization|mismatched_project|no_such_organization").is(AUTH),
    says("No such organization").is(AUTH),
    says("You must be a member of an organization").at(401).is(DEAD_ACCOUNT),
    code("ip_not_authorized").is(EGRESS_OF_KEY),
    says("*IP allowlist|*IP address is not|Your IP|IP not authorized").at(401).is(EGRESS_OF_KEY),
    says("*IP allowlist|*IP address is not|Your IP|IP not authorized").at(403).is(EGRESS_OF_KEY),
    code("unsupported_country_region_territory|request_forbidden").is(EGRESS),
    code("insufficient_permissions").is(DENIED_KEY),
    says("You have insufficient permissions for this operation").is(DENIED_KEY),
    says("Invalid service_tier argument").is(DENIED_KEY),
    says("Your organization must be verified|You are not allowed to sample|You are not authorized to use|\
          You are not allowed to request|*has been deprecated, learn more")
    .is(DENIED_MODEL),
    status(429).is(RATE_MODEL),
];

const AZURE: &[Row] = &[
    says("Access denied due to invalid subscription key").is(DEAD),
    says("Access denied due to missing subscription key").is(AUTH),
    // Entra's tokens live for an hour.
    says("Unauthorized. Access token is missing, invalid|*token is expired|The access token has expired")
        .is(AUTH),
    says("*Virtual Network/Firewall rules|Public access is disabled|A Virtual Network is configured for this resource|*Traffic is not from an approved private")
        .is(EGRESS_OF_KEY),
    says("*temporarily blocked because").is(BILLING_KEY),
    code("AuthenticationTypeDisabled").is(DEAD),
    code("PermissionDenied").is(DENIED_KEY),
    says("Principal does not have access|*does not have access to API/Operation|*lacks the required data action")
        .is(DENIED_KEY),
    code("DeploymentNotFound|InvalidModel|ModelDeprecated|DeploymentModelDeprecated|DeploymentDisabled").is(DENIED_MODEL),
    code("NoCapacity|InsufficientCapacity|ServiceUnavailable").is(BUSY_MODEL),
    says("*experiencing high demand|The service is temporarily unable to process|\
          The server is currently overloaded|*currently at capacity")
    .is(BUSY_MODEL),
    says("Out of call volume quota|Out of bandwidth quota").is(QUOTA_KEY),
    code("ReadOnlyDisabledSubscription|SubscriptionDisabled|SubscriptionNotActive|AccountIsDisabled")
        .is(BILLING),
    code("content_filter|ResponsibleAIPolicyViolation|OperationNotSupported").is(CLIENT),
    says("Resource not found").is(CLIENT),
];

const CODEX: &[Row] = &[
    code("usage_limit_reached|window:codex").is(PLAN),
    says("You've hit your usage limit|The usage limit has been reached").is(PLAN),
    // The plan has none of it, whatever the time.
    code("usage_not_included").is(DENIED_KEY),
    says("*not supported when using Codex with a ChatGPT account").is(DENIED_MODEL),
    says("Selected model is at capacity").is(BUSY_MODEL),
    code("deactivated_workspace").is(DEAD_ACCOUNT),
    says("Could not parse your authentication token|Provided authentication token is expired|Unauthorized")
        .at(401)
        .is(AUTH),
    // The limits of a plan are on the account's own pace, not on a model.
    code("rate_limit_exceeded|rate_limit_error|too_many_requests").is(RATE_KEY),
    status(429).is(RATE_KEY),
];
