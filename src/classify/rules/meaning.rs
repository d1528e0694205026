//! What a row can mean: whose fault it is, for how long, and whether another credential helps.

use crate::types::{Class, Scope};

/// What a thing said means.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(in crate::classify) struct Meaning {
    pub class: Class,
    pub scope: Scope,
    /// Which waits count.
    pub wait: Wait,
    pub disable: bool,
    pub retry_other: bool,
}

/// How the wait of an outcome is found.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(in crate::classify) enum Wait {
    /// What is stated anywhere counts; else nothing is known.
    Stated,
    /// What is stated counts, else the window that the rule knows.
    StatedOr(Window),
    /// A quota that its code proves long: a short wait beside it belongs to something else. What is
    /// stated for 15 min or more counts, else the window, if there is one.
    Long(Option<Window>),
    /// A quota whose reset the headers of its own window state; else like [`Wait::Stated`].
    OwnHeaders,
    /// A quota that its code proves long, and whose reset is stated with it: what is short in the headers
    /// comes after the body, the headers of its own window, and the sentence.
    Plan,
    /// Waiting does not help, whatever is stated.
    Never,
}

/// How long a window lasts that nobody stated.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(in crate::classify) enum Window {
    /// A minute: limits of requests or tokens per minute.
    Minute,
    /// An hour.
    Hour,
    /// A day from now: a window that moves along.
    RollingDay,
    /// Until the next midnight, UTC.
    UtcDay,
    /// Until the next Monday, UTC.
    UtcWeek,
    /// Until the first of the next month, UTC.
    UtcMonth,
    /// Until the next midnight where Google counts its days.
    PacificDay,
    /// Until the next midnight of China.
    ShanghaiDay,
}

const fn meaning(class: Class, scope: Scope, wait: Wait) -> Meaning {
    Meaning { class, scope, wait, disable: false, retry_other: true }
}

impl Meaning {
    /// The same, for the window that is known when nothing is stated.
    pub const fn or(self, window: Window) -> Self {
        Self { wait: Wait::StatedOr(window), ..self }
    }

    /// The same, for a quota that is proven long.
    pub const fn until(self, window: Window) -> Self {
        Self { wait: Wait::Long(Some(window)), ..self }
    }

    /// The same, about something else.
    pub const fn of(self, scope: Scope) -> Self {
        Self { scope, ..self }
    }

    const fn alone(self) -> Self {
        Self { retry_other: false, ..self }
    }

    const fn dead(self) -> Self {
        Self { disable: true, wait: Wait::Never, ..self }
    }
}

pub(in crate::classify) const OK: Meaning = meaning(Class::Ok, Scope::None, Wait::Never).alone();

/// Too many requests for now, by what the limit is on.
pub(in crate::classify) const RATE_MODEL: Meaning =
    meaning(Class::RateLimited, Scope::Model, Wait::Stated);
pub(in crate::classify) const RATE_KEY: Meaning = RATE_MODEL.of(Scope::Credential);
pub(in crate::classify) const RATE_ACCOUNT: Meaning = RATE_MODEL.of(Scope::Account);
/// An edge counts by address: no other key fares better from here.
pub(in crate::classify) const RATE_EGRESS: Meaning = RATE_MODEL.of(Scope::Egress).alone();

/// Too busy, whoever asks.
pub(in crate::classify) const BUSY_MODEL: Meaning =
    meaning(Class::Overloaded, Scope::Model, Wait::Stated);
pub(in crate::classify) const BUSY: Meaning = BUSY_MODEL.of(Scope::Provider);

/// A plan's window is used up; its end is often stated.
pub(in crate::classify) const QUOTA_KEY: Meaning =
    meaning(Class::QuotaExhausted, Scope::Credential, Wait::Stated);
pub(in crate::classify) const QUOTA_MODEL: Meaning = QUOTA_KEY.of(Scope::Model);
pub(in crate::classify) const QUOTA_ACCOUNT: Meaning = QUOTA_KEY.of(Scope::Account);
/// The window of a plan, in hours or days, that states its end.
pub(in crate::classify) const PLAN: Meaning = Meaning { wait: Wait::Plan, ..QUOTA_KEY };
/// Money is missing: no wait that is stated beside it brings it.
pub(in crate::classify) const BILLING: Meaning =
    meaning(Class::QuotaExhausted, Scope::Account, Wait::Long(None));
pub(in crate::classify) const BILLING_KEY: Meaning = BILLING.of(Scope::Credential);
pub(in crate::classify) const BILLING_MODEL: Meaning = BILLING.of(Scope::Model);

/// The secret was refused; nothing proves that it will be for good.
pub(in crate::classify) const AUTH: Meaning =
    meaning(Class::AuthFailed, Scope::Credential, Wait::Stated);
pub(in crate::classify) const AUTH_ACCOUNT: Meaning = AUTH.of(Scope::Account);
/// The secret is proven dead.
pub(in crate::classify) const DEAD: Meaning = AUTH.dead();
/// The account behind it is.
pub(in crate::classify) const DEAD_ACCOUNT: Meaning = DEAD.of(Scope::Account);

/// The credential may not use this model.
pub(in crate::classify) const DENIED_MODEL: Meaning =
    meaning(Class::ModelDenied, Scope::Model, Wait::Never);
/// It may not use this feature or endpoint.
pub(in crate::classify) const DENIED_KEY: Meaning = DENIED_MODEL.of(Scope::Credential);
/// It may not send this kind of request.
pub(in crate::classify) const DENIED_REQUEST: Meaning = DENIED_MODEL.of(Scope::Request);

pub(in crate::classify) const CLIENT: Meaning =
    meaning(Class::ClientError, Scope::Request, Wait::Never).alone();
/// A credential with a higher limit could serve this request.
pub(in crate::classify) const TOO_BIG: Meaning =
    meaning(Class::OverKeyLimit, Scope::Request, Wait::Never);

pub(in crate::classify) const FAILED: Meaning =
    meaning(Class::ServerError, Scope::Provider, Wait::Stated);
pub(in crate::classify) const FAILED_MODEL: Meaning = FAILED.of(Scope::Model);
/// The documented service blames nobody.
pub(in crate::classify) const FAILED_ALONE: Meaning = FAILED.of(Scope::None);
/// The provider says that sending it again, by whomever, changes nothing.
pub(in crate::classify) const FAILED_FOR_GOOD: Meaning = FAILED.of(Scope::Request).alone();

/// Something on the way refused: no key changes that.
pub(in crate::classify) const EGRESS: Meaning =
    meaning(Class::EgressBlocked, Scope::Egress, Wait::Stated).alone();
/// The key may be used from elsewhere only; another one perhaps from here.
pub(in crate::classify) const EGRESS_OF_KEY: Meaning = Meaning { retry_other: true, ..EGRESS };

pub(in crate::classify) const UNKNOWN: Meaning =
    meaning(Class::UnknownOutcome, Scope::Request, Wait::Stated);
/// The same, in front of a provider that seems to be in trouble.
pub(in crate::classify) const UNKNOWN_OF_PROVIDER: Meaning = UNKNOWN.of(Scope::Provider);
/// The caller's own time is over.
pub(in crate::classify) const UNKNOWN_FOR_GOOD: Meaning = UNKNOWN.alone();

pub(in crate::classify) const ABORTED: Meaning =
    meaning(Class::ClientAborted, Scope::Request, Wait::Never).alone();
