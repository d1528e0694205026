//! Providers of mainland China. Their stamps without a zone are of China.

use super::*;

pub(super) const DIALECTS: &[Dialect] = &[
    Dialect { names: "moonshot|kimi|moonshotai", tables: &[MOONSHOT], hours_east: 8 },
    Dialect { names: "kimi-code|kimi-coding", tables: &[KIMI_CODE, MOONSHOT], hours_east: 8 },
    Dialect { names: "dashscope|qwen|alibaba|bailian|aliyun", tables: &[DASHSCOPE], hours_east: 8 },
    Dialect { names: "qwen-oauth|qwen-code", tables: &[QWEN_OAUTH, DASHSCOPE], hours_east: 8 },
    Dialect { names: "minimax|minimax-anthropic", tables: &[MINIMAX], hours_east: 8 },
    Dialect {
        names: "volcengine-ark|volcengine|ark|doubao|byteplus",
        tables: &[ARK],
        hours_east: 8,
    },
    Dialect { names: "huawei-maas|huawei|modelarts", tables: &[HUAWEI], hours_east: 8 },
    Dialect { names: "siliconflow", tables: &[SILICONFLOW], hours_east: 8 },
];

/// platform.kimi.ai/docs/api/errors: `type` is the code. Limits are on the organization.
const MOONSHOT: &[Row] = &[
    says("The engine is currently overloaded").is(BUSY_MODEL),
    code("engine_overloaded_error").is(BUSY_MODEL),
    code("exceeded_current_quota_error").is(BILLING),
    says("*suspended due to insufficient balance|*please check your account balance").is(BILLING),
    says("*organization TPD rate limit").is(QUOTA_ACCOUNT.until(Window::ShanghaiDay)),
    says("*organization TPM rate limit").is(RATE_ACCOUNT.or(Window::Minute)),
    code("rate_limit_reached_error|rate_limit_error|rate_limit_exceeded").is(RATE_ACCOUNT),
    code("invalid_authentication_error|incorrect_api_key_error").at(401).is(DEAD),
    says("You are not allowed to get other user info").is(CLIENT),
    code("permission_denied_error|resource_not_found_error").is(DENIED_MODEL),
    code("content_filter").is(CLIENT),
    code("client_closed_request").is(ABORTED),
    status(401).is(DEAD),
    status(429).is(RATE_ACCOUNT),
];

/// kimi.com/code/docs: the same type for a used-up plan and a banned account; the sentence tells.
const KIMI_CODE: &[Row] = &[
    says("You've reached your concurrent request limit").is(RATE_KEY),
    says("You've reached your 5-hour").is(BILLING_KEY),
    says("Your current subscription does not have access").is(DENIED_MODEL),
    says(
        "You've reached your usage limit|You've reached your weekly|You've reached your monthly|\
          You've reached kimi monthly",
    )
    .is(BILLING_KEY),
    says("Kimi For Coding is currently only available for Coding Agents").is(DENIED_REQUEST),
    says("Access terminated").is(DEAD_ACCOUNT),
    says("We're unable to verify your membership").is(BILLING_KEY),
    says("unauthenticated: not_found|unauthenticated: failed_precondition").is(DEAD_ACCOUNT),
    says("method not found").is(CLIENT),
    says("We're receiving too many requests").is(RATE_KEY),
    says("context canceled|canceled: context canceled").is(ABORTED),
];

/// help.aliyun.com/model-studio/error-code: native names and those of the compatible mode. Limits are on the
/// account and one model, and the windows are of a minute.
const DASHSCOPE: &[Row] = &[
    // The plans' windows, under the same code as the limits of a minute.
    says("hour allocated quota exceeded|week allocated quota exceeded|month allocated quota exceeded|\
          *-week quota has been exhausted|*-hour quota has been exhausted|*monthly quota has been exhausted|\
          *month quota has been exhausted|*套餐额度已用尽")
    .is(QUOTA_KEY),
    says("concurrency allocated quota exceeded|usage allocated quota exceeded").is(RATE_MODEL),
    says("data error, now time is smaller than order time").is(BILLING_KEY),
    says("Free allocated quota exceeded|The free tier of the model has been exhausted").at(400).is(CLIENT),
    says("Free allocated quota exceeded|The free tier of the model has been exhausted").is(BILLING_MODEL),
    code("AllocationQuota.FreeTierOnly|AllocationQuota.FreeExceeded").is(BILLING_MODEL),
    says("*Batch requests are being throttled due to system capacity").is(BUSY_MODEL),
    code("ModelServingError|ModelUnavailable").is(BUSY_MODEL),
    // In spite of its name a limit of tokens per minute, also under OpenAI's name for a bill.
    code("Throttling.AllocationQuota|insufficient_quota").at(400).is(CLIENT),
    code("Throttling.AllocationQuota|insufficient_quota").is(RATE_MODEL.or(Window::Minute)),
    code("Throttling|Throttling.RateQuota|Throttling.BurstRate|LimitRequests|limit_requests|\
          limit_burst_rate|*Throttling.")
    .is(RATE_MODEL),
    code("Arrearage|CommodityNotPurchased|PrepaidBillOverdue|PostpaidBillOverdue").is(BILLING),
    code("InvalidApiKey|invalid_api_key").is(DEAD),
    says("invalid access token or token expired").is(AUTH),
    code("NOT AUTHORIZED").is(AUTH),
    says("Current user api does not support|Invalid according to Policy").is(CLIENT),
    code("Workspace.AccessDenied|App.AccessDenied").is(DENIED_KEY),
    code("Model.AccessDenied|AccessDenied|access_denied|AccessDenied.Unpurchased|ModelNotFound|\
          model_not_found|model_not_supported")
    .is(DENIED_MODEL),
    says("invalid api-key").at(403).is(AUTH),
    code("RequestTimeOut|ResponseTimeout|InternalError.Timeout").is(UNKNOWN),
    code("InternalError|internal_error|*InternalError.|SystemError|ModelServiceFailed|InvokePluginFailed|\
          AppProcessFailed|RewriteFailed|RetrivalFailed")
    .at(500)
    .is(FAILED),
    code("ClientDisconnect").is(ABORTED),
    code("WorkSpaceNotFound|NotFound|DataInspectionFailed|data_inspection_failed|InvalidParameter|\
          invalid_parameter_error|*InvalidParameter.|*BadRequest.|*InvalidFile|*InvalidURL|\
          IPInfringementSuspect|FaqRuleBlocked|CustomRoleBlocked|InvalidSchema|UnsupportedOperation|\
          FlowNotPublished|InvalidInputLength")
    .is(CLIENT),
    status(401).is(DEAD),
    status(429).is(RATE_MODEL),
];

/// The free plan of Qwen Code: a number of requests per day for the account.
const QWEN_OAUTH: &[Row] = &[
    says("Free allocated quota exceeded").is(BILLING_KEY),
    code("insufficient_quota").saying("Free allocated quota exceeded|*daily").is(BILLING_KEY),
    code("invalid_api_key|InvalidApiKey").is(AUTH),
    status(401).is(AUTH),
];

/// platform.minimax.io/docs/api-reference/errorcode: a number in `base_resp` of a 200, or in brackets at
/// the end of a sentence.
const MINIMAX: &[Row] = &[
    code("1008").is(BILLING),
    code("1028|1030").is(QUOTA_KEY),
    code("2056|2067").is(PLAN),
    code("2064").is(BUSY_MODEL),
    code("2013").saying("*unknown model").is(DENIED_MODEL),
    code("1002|1039|1041|2045").is(RATE_MODEL),
    code("1004|2049").is(DEAD),
    // A key of another plan's endpoint; a model that the plan lacks, under a 500.
    code("2057").is(DENIED_KEY),
    code("2061").is(DENIED_MODEL),
    code("1001").is(UNKNOWN),
    code("1000|1024|1033|1013").is(FAILED),
    code("1026|1027|1042|1043|1044|2013|20132|2037|2038|2039|2042|2048").is(CLIENT),
    says("insufficient balance").is(BILLING),
    says("invalid api key|login fail|token is unusable").is(DEAD),
    says("usage limit exceeded|*Token Plan usage limit reached|*已达到 Token Plan").is(QUOTA_KEY),
    says("Number of concurrent requests").is(RATE_KEY),
    says("invalid params").is(CLIENT),
    says("*current token plan not support model").is(DENIED_MODEL),
    code("authorized_error|authentication_error").at(401).is(DEAD),
    status(401).is(DEAD),
    status(429).is(RATE_MODEL),
];

/// volcengine.com/docs/82379/1299023: a name with a detail behind its dot.
const ARK: &[Row] = &[
    code("AccountQuotaExceeded").is(PLAN),
    code("QuotaExceeded|SetLimitExceeded").is(BILLING_MODEL),
    code("AccountOverdueError|OperationDenied.ServiceOverdue|InvalidSubscription").is(BILLING),
    code("AuthenticationError").is(DEAD),
    code("InvalidAccountStatus").is(AUTH_ACCOUNT),
    code("ServerOverloaded").is(BUSY_MODEL),
    code("APIAccountRpmRateLimitExceeded|AccountRateLimitExceeded|InflightBatchsizeExceeded|\
          RequestBurstTooFast")
    .is(RATE_ACCOUNT),
    // The names say which window: `ModelAccountTpmRateLimitExceeded`, `….EndpointRPMExceeded`.
    code("*RpmRateLimit|*TpmRateLimit|*IpmRateLimit|*RPMExceeded|*TPMExceeded")
        .is(RATE_MODEL.or(Window::Minute)),
    code("*RateLimitExceeded").is(RATE_MODEL),
    code("ModelNotOpen|UnsupportedModel|AccessDenied|OperationDenied.ServiceNotOpen|\
          OperationDenied.PermissionDenied|*InvalidEndpointOrModel.|*InvalidEndpoint.|InvalidEndpointOrModel")
    .is(DENIED_MODEL),
    code("RequestCanceled").is(ABORTED),
    code("InternalServiceError|InternalError|InternalServerError|ContentSecurityDetectionError").is(FAILED),
    code("*SensitiveContentDetected|*RiskDetection|*MissingParameter|*InvalidParameter|InvalidArgumentError|\
          OutofContextError|*InvalidImageURL|RequestBodyTooLarge|*OperationDenied.|*NotFound.")
    .is(CLIENT),
    status(429).is(RATE_MODEL),
];

/// support.huaweicloud.com, ModelArts MaaS: the codes of the service, then those of its gateway.
const HUAWEI: &[Row] = &[
    code("ModelArts.81005|ModelArts.4207|ModelArts.81014").is(BILLING_MODEL),
    code("ModelArts.81004|ModelArts.81009|ModelArts.4203|NotFoundError").is(DENIED_MODEL),
    code("ModelArts.81006|ModelArts.81019|ModelArts.81021").is(BILLING),
    code("ModelArts.81022").is(BILLING_KEY),
    code("ModelArts.81023").is(DEAD_ACCOUNT),
    code("ModelArts.81002|APIG.0303|APIG.0305").is(AUTH),
    code("ModelArts.81003|ModelArts.4905|APIG.0301").is(DEAD),
    // One code for three allowlists of the key.
    code("ModelArts.81015").saying("Invalid client ip").is(EGRESS_OF_KEY),
    code("ModelArts.81015").is(DENIED_MODEL),
    code("APIG.0302").is(EGRESS_OF_KEY),
    code(
        "ModelArts.81001|ModelArts.81011|ModelArts.81013|ModelArts.81108|ModelArts.81109|\
          ModelArts.81118|APIG.0101",
    )
    .is(CLIENT),
    code("ModelArts.81101|ModelArts.81103").saying("*per minute").is(RATE_MODEL.or(Window::Minute)),
    code("ModelArts.81101|ModelArts.81103").is(RATE_MODEL),
    code("APIG.0308").saying("*policy ip").is(RATE_EGRESS.or(Window::Minute)),
    code("APIG.0308").is(RATE_KEY.or(Window::Minute)),
    code("APIG.0201|APIG.0203").is(UNKNOWN),
    code("ModelArts.4302").is(FAILED),
    says("*server overloaded").is(BUSY_MODEL),
    status(429).is(RATE_MODEL),
];

/// docs.siliconflow.cn: numbers at the root, and plain texts.
const SILICONFLOW: &[Row] = &[
    code("30001").is(BILLING),
    says("*account balance is insufficient|*余额不足|*API Key balance is sufficient|*余额是否充足")
        .is(BILLING),
    says("*RPD limit reached|*TPD limit reached|*IPD limit reached")
        .is(QUOTA_MODEL.or(Window::ShanghaiDay)),
    says("*RPM limit reached|*TPM limit reached|*IPM limit reached")
        .is(RATE_MODEL.or(Window::Minute)),
    says("*RPH limit reached").is(RATE_MODEL.or(Window::Hour)),
    code("20012").saying("Model does not exist").is(DENIED_MODEL),
    code("30003|30011").is(DENIED_MODEL),
    says("Model does not exist|Model disabled|*实名认证|*verify your identity").is(DENIED_MODEL),
    code("50505|50603|50501").is(BUSY_MODEL),
    says("System is too busy|Model service overloaded").is(BUSY_MODEL),
    code("50507|50508|60000").is(FAILED),
    says("Invalid token|Api key is invalid").is(DEAD),
    code("20012|20015").is(CLIENT),
    status(401).is(DEAD),
    status(429).is(RATE_MODEL),
    status(503).is(BUSY_MODEL),
];
