//! Amazon Bedrock: exceptions, named in a header, in `__type`, or as the event of a stream.
//!
//! docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModel.html and CommonErrors.html,
//! bedrock/latest/userguide/troubleshooting-api-error-codes.html.

use super::*;

pub(super) const DIALECTS: &[Dialect] =
    &[Dialect { names: "bedrock|amazon-bedrock|aws-bedrock", tables: &[BEDROCK], hours_east: 0 }];

const BEDROCK: &[Row] = &[
    says("Missing Authentication Token").is(AUTH),
    code("MPAgreementBeingCreated|FTUFormNotFilled|BadCScore").is(DENIED_MODEL),
    // Another account or region may know it.
    says("The provided model identifier is invalid|Could not resolve the foundation model").is(DENIED_MODEL),
    says("Too many tokens per day|*daily token").is(QUOTA_MODEL.until(Window::UtcDay)),
    code(
        "ThrottlingException|TooManyRequestsException|Throttling|RequestLimitExceeded|\
          ProvisionedThroughputExceededException|SlowDown|LimitExceededException",
    )
    .is(RATE_MODEL),
    code("ServiceQuotaExceededException").is(QUOTA_ACCOUNT),
    code("ModelNotReadyException").is(BUSY_MODEL),
    code("ServiceUnavailableException|ServiceUnavailable").is(BUSY),
    code("ModelTimeoutException|RequestTimeoutException|RequestTimeout").is(UNKNOWN),
    code("ModelErrorException|ModelStreamErrorException").is(FAILED_MODEL),
    code("InternalServerException|InternalFailure|InternalServerError").is(FAILED),
    code("UnrecognizedClientException|InvalidClientTokenId").is(DEAD),
    says("Authentication failed: Please make sure your API Key is valid|API Key is not valid|Invalid API Key format")
        .is(DEAD),
    // Credentials that are made for hours; a clock that is wrong; a header that was lost.
    code(
        "ExpiredTokenException|ExpiredToken|InvalidSignatureException|SignatureDoesNotMatch|\
          IncompleteSignature|IncompleteSignatureException|MissingAuthenticationToken|\
          MissingAuthenticationTokenException|RequestExpired|NotAuthorized|InvalidIdentityToken",
    )
    .is(AUTH),
    says("*Bearer Token has expired|*token has expired|*API key has expired").is(AUTH),
    says("*INVALID_PAYMENT_INSTRUMENT|*valid payment instrument").is(BILLING),
    code("OptInRequired|SubscriptionRequiredException|AccountProblem").is(BILLING),
    says("*unsupported countries, regions|*from unsupported countries").is(EGRESS),
    says("Your account is not authorized to invoke this API operation|Operation not allowed")
        .is(AUTH_ACCOUNT),
    says("*is not available for this account|Access to this model is not available")
        .is(DENIED_MODEL),
    code("AccessDeniedException|AccessDenied|UnauthorizedException|ResourceNotFoundException")
        .is(DENIED_MODEL),
    code(
        "ValidationException|ValidationError|ConflictException|SerializationException|\
          UnknownOperationException|MalformedQueryString|InvalidParameterValue|InvalidAction|\
          InvalidParameterCombination|MissingParameter|MissingAction|InvalidQueryParameter",
    )
    .is(CLIENT),
    status(404).is(DENIED_MODEL),
    status(424).is(FAILED_MODEL),
    status(429).is(RATE_MODEL),
];
