//! The tables of verdicts.

use crate::types::{Class, Phase, Scope, Verdict};

/// Nothing is known of what became of the attempt.
pub(super) const UNKNOWN: Verdict = verdict(Class::UnknownOutcome, Scope::Request, true);

/// The documented service: 401 and 403 prove a key dead, 429 and 529 cool it, nothing else counts.
pub(super) const fn classic(status: u16) -> Verdict {
    match status {
        401 | 403 => {
            Verdict { disable: true, ..verdict(Class::AuthFailed, Scope::Credential, true) }
        }
        429 | 529 => verdict(Class::RateLimited, Scope::Credential, true),
        500..=599 => verdict(Class::ServerError, Scope::None, true),
        400..=499 => verdict(Class::ClientError, Scope::Request, false),
        _ => verdict(Class::Ok, Scope::None, false),
    }
}

/// What a status says when nothing else is read: never that a key is dead.
///
/// RFC 9110 section 15 for the meaning of the codes; 529 is what busy LLM providers answer.
pub(super) const fn adaptive(status: u16) -> Verdict {
    match status {
        401 => verdict(Class::AuthFailed, Scope::Credential, true),
        402 => verdict(Class::QuotaExhausted, Scope::Credential, true),
        403 => verdict(Class::ModelDenied, Scope::Request, true),
        407 | 451 => verdict(Class::EgressBlocked, Scope::Egress, false),
        429 => verdict(Class::RateLimited, Scope::Credential, true),
        503 | 529 => verdict(Class::Overloaded, Scope::Credential, true),
        408 | 500..=599 => verdict(Class::ServerError, Scope::Credential, true),
        400..=499 => verdict(Class::ClientError, Scope::Request, false),
        _ => verdict(Class::Ok, Scope::None, false),
    }
}

/// What the code of the network layer says: how far the request came decides more than the code.
pub(super) fn network(code: &str, phase: Phase) -> Verdict {
    match (code, phase) {
        ("AbortError", _) => verdict(Class::ClientAborted, Scope::Request, false),
        (_, Phase::AfterContent) => verdict(Class::UnknownOutcome, Scope::Request, false),
        ("ECONNREFUSED" | "ENOTFOUND" | "EAI_AGAIN" | "UND_ERR_CONNECT_TIMEOUT", _)
        | (_, Phase::BeforeSend) => verdict(Class::ServerError, Scope::Provider, true),
        _ => UNKNOWN,
    }
}

const fn verdict(class: Class, scope: Scope, retry_other: bool) -> Verdict {
    Verdict { class, scope, wait_ms: None, wait_from: None, disable: false, retry_other }
}
