//! What an outcome means, as a judgement.

use super::code::coded;
use super::time::Millis;
use super::value::{Value, written_as_values};

coded! {
    /// What kind of thing happened.
    pub enum Class {
        /// The attempt succeeded.
        Ok = "ok",
        /// Too many requests for now.
        RateLimited = "rate_limited",
        /// The provider is too busy, whoever asks.
        Overloaded = "overloaded",
        /// The quota or the balance is used up.
        QuotaExhausted = "quota_exhausted",
        /// The secret was refused.
        AuthFailed = "auth_failed",
        /// The credential may not use this model or feature.
        ModelDenied = "model_denied",
        /// The request itself is wrong; another credential would hear the same.
        ClientError = "client_error",
        /// The provider failed.
        ServerError = "server_error",
        /// Something between the app and the provider refused.
        EgressBlocked = "egress_blocked",
        /// The request was sent, and what became of it is unknown.
        UnknownOutcome = "unknown_outcome",
        /// The caller gave up.
        ClientAborted = "client_aborted",
    }
}

coded! {
    /// What the verdict is about.
    pub enum Scope {
        /// Nothing.
        None = "none",
        /// This request alone.
        Request = "request",
        /// The credential that made the attempt.
        Credential = "credential",
        /// The provider as a whole.
        Provider = "provider",
        /// The way to the provider.
        Egress = "egress",
    }
}

coded! {
    /// Which of a credential's records a failure is written to: each has a ladder of its own, so that
    /// a busy server does not lengthen the wait after a rate limit.
    pub enum Lane {
        /// Rate limits and quotas.
        Limit = "limit",
        /// Overload and server errors.
        Overload = "overload",
        /// Refused secrets that are not proven dead.
        Auth = "auth",
        /// Refused models.
        Denied = "denied",
    }
}

impl Lane {
    /// How many lanes there are.
    pub const COUNT: usize = Self::ALL.len();
}

impl Class {
    /// The lane that failures of this class are written to; `None` for what cools nothing.
    #[must_use]
    pub const fn lane(self) -> Option<Lane> {
        match self {
            Self::RateLimited | Self::QuotaExhausted => Some(Lane::Limit),
            Self::Overloaded | Self::ServerError => Some(Lane::Overload),
            Self::AuthFailed => Some(Lane::Auth),
            Self::ModelDenied => Some(Lane::Denied),
            Self::Ok
            | Self::ClientError
            | Self::EgressBlocked
            | Self::UnknownOutcome
            | Self::ClientAborted => None,
        }
    }
}

/// What one outcome means.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Verdict {
    /// What kind of thing happened.
    pub class: Class,
    /// What it is about.
    pub scope: Scope,
    /// How long the provider said to wait, in milliseconds; `None` when it said nothing usable.
    pub wait_ms: Option<Millis>,
    /// Where that was read.
    pub wait_from: Option<&'static str>,
    /// Whether the credential is proven dead.
    pub disable: bool,
    /// Whether another credential may fare better.
    pub retry_other: bool,
}

impl From<&Verdict> for Value {
    fn from(verdict: &Verdict) -> Self {
        Self::object()
            .with("class", verdict.class)
            .with("scope", verdict.scope)
            .with("waitMs", verdict.wait_ms)
            .with("waitFrom", verdict.wait_from)
            .with("disable", verdict.disable)
            .with("retryOther", verdict.retry_other)
    }
}

written_as_values!(Verdict);
