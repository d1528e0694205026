//! The two kinds of rules that come from outside the tables: the caller's, and the documented service's.

use super::network;
use super::rules::{self, Meaning, Wait};
use super::said::Said;
use crate::types::{Class, Effect, ErrorRule, Outcome, Scope};

/// The documented service: 401 and 403 prove a key dead, 429 and 529 cool it, nothing else counts.
pub(super) const fn classic(status: u16) -> Meaning {
    match status {
        401 | 403 => rules::DEAD,
        429 | 529 => rules::RATE_KEY,
        500..=599 => rules::FAILED_ALONE,
        400..=499 => rules::CLIENT,
        _ => rules::OK,
    }
}

/// The documented service knows no network either: what was not sent may be sent again, and nobody is to
/// blame.
pub(super) fn classic_network(outcome: &Outcome<'_>) -> Meaning {
    let meaning = network::meaning(outcome.network_code.unwrap_or_default(), outcome.phase);
    match meaning.class {
        Class::ServerError => rules::FAILED_ALONE,
        // Of a key and of the provider's load an answer must say so.
        Class::AuthFailed | Class::Overloaded => rules::UNKNOWN,
        _ => Meaning { scope: Scope::Request, ..meaning },
    }
}

/// Whether every condition of a rule is met. A rule without a status is about what went wrong: what a
/// model wrote in a success is not for it.
pub(super) fn fits(rule: &ErrorRule, dialect: &str, said: &Said<'_>) -> bool {
    let code_is = |wanted: &str| {
        let network = said.outcome.network_code;
        network.is_some_and(|code| code.eq_ignore_ascii_case(wanted))
            || said.codes.iter().any(|code| code.eq_ignore_ascii_case(wanted))
    };
    let status_is = |wanted| said.outcome.status == Some(wanted) || said.status == wanted;
    let outcome = said.outcome;
    let went_wrong = said.is_error
        || said.status >= 400
        || outcome.status.is_none()
        || outcome.network_code.is_some();
    (went_wrong || rule.status.is_some())
        && rule.status.is_none_or(status_is)
        && rule.code.as_deref().is_none_or(code_is)
        && rule.body_includes.as_deref().is_none_or(|part| rules::find(said.body, part).is_some())
        && rule.provider.as_deref().is_none_or(|name| rules::is_same(name, dialect))
}

/// What an effect means: what it leaves open is as in the tables.
pub(super) fn meaning(effect: &Effect) -> Meaning {
    let usual = rules::of_class(effect.class);
    let disable = effect.disable.unwrap_or(false);
    let scope = effect.scope.unwrap_or(usual.scope);
    Meaning {
        // Dead is the credential, or all of its account, whatever such an error is about otherwise.
        scope: if disable && scope != Scope::Account { Scope::Credential } else { scope },
        retry_other: effect.retry_other.unwrap_or(usual.retry_other),
        wait: if disable { Wait::Never } else { Wait::Stated },
        disable,
        ..usual
    }
}
