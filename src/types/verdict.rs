//! What an outcome means, as a judgement.

use std::borrow::Cow;

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
        /// This one request is greater than what the credential is ever allowed: waiting does not help.
        OverKeyLimit = "over_key_limit",
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
        /// The credential that made the attempt, for the model that was asked for.
        Model = "model",
        /// Every credential of the same quota group.
        Account = "account",
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
            | Self::OverKeyLimit
            | Self::EgressBlocked
            | Self::UnknownOutcome
            | Self::ClientAborted => None,
        }
    }
}

coded! {
    /// What a verdict rests on, from the surest to the least sure.
    pub enum Evidence {
        /// A code in a structured field: of the provider's error, of a header, of the network layer.
        Code = "code",
        /// A known sentence inside an error field.
        Sentence = "sentence",
        /// An HTML page or the answer of an edge in front of the provider.
        Html = "html",
        /// The status alone.
        Status = "status",
    }
}

/// Where a failure was read: for people, and only in the process that read it.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Source {
    /// What the verdict rests on.
    pub evidence: Option<Evidence>,
    /// Where the stated wait was read.
    pub wait_from: Option<Cow<'static, str>>,
}

/// What one outcome means.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Verdict {
    /// What kind of thing happened.
    pub class: Class,
    /// What it is about.
    pub scope: Scope,
    /// How long the provider said to wait, in milliseconds; `None` when it said nothing usable.
    pub wait_ms: Option<Millis>,
    /// Where that was read.
    ///
    /// Such as `header:retry-after`, `body:error.resets_at`, `text:Please try again in`,
    /// `calendar:UTC-midnight`.
    pub wait_from: Option<Cow<'static, str>>,
    /// What the class and the scope rest on.
    pub evidence: Evidence,
    /// Whether the credential is proven dead.
    pub disable: bool,
    /// Whether another credential may fare better.
    pub retry_other: bool,
}

impl Verdict {
    /// Where it was read.
    #[must_use]
    pub fn source(&self) -> Source {
        Source { evidence: Some(self.evidence), wait_from: self.wait_from.clone() }
    }
}

impl From<&Verdict> for Value {
    fn from(verdict: &Verdict) -> Self {
        Self::object()
            .with("class", verdict.class)
            .with("scope", verdict.scope)
            .with("waitMs", verdict.wait_ms)
            .with("waitFrom", verdict.wait_from.as_deref())
            .with("evidence", verdict.evidence)
            .with("disable", verdict.disable)
            .with("retryOther", verdict.retry_other)
    }
}

written_as_values!(Verdict);
