//! What happened, as data: the pool never calls anyone.

use crate::types::{Class, CredentialIndex, ProviderIndex, Scope, Source, Wall};

/// Something that happened to a credential.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Its provider.
    pub provider: ProviderIndex,
    /// The credential.
    pub credential: CredentialIndex,
    /// What happened.
    pub kind: EventKind,
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub enum EventKind {
    /// A failure makes it rest, if nothing else holds it for longer.
    Cooldown(Rest),
    /// A failure of its attempt makes the provider pause; it is not to blame.
    Paused(Rest),
    /// Its rest is over: by time, by a success or by a reset.
    Recovered,
    /// A verdict proved it dead.
    Disabled {
        /// What the verdict was.
        class: Class,
    },
    /// It failed too often, one time after the other, as only a dead one does.
    Blacklisted {
        /// What the last verdict was.
        class: Class,
    },
    /// It was brought back.
    Enabled,
    /// A session moved to it.
    Rebound {
        /// Where the session was before.
        from: CredentialIndex,
    },
    /// A lease on it was never reported and ended by itself.
    LeaseExpired,
}

/// A rest, and what it rests on.
#[derive(Clone, Debug, PartialEq)]
pub struct Rest {
    /// What the verdict was.
    pub class: Class,
    /// What it is about.
    pub scope: Scope,
    /// The model, when it is about one.
    pub model: Option<Box<str>>,
    /// The step of the ladder.
    pub level: u32,
    /// When it is over, on the caller's clock.
    pub until: Wall,
    /// Whether the provider stated that time.
    pub stated: bool,
    /// Where it was read.
    pub source: Source,
}

/// A credential whose secret was refused, and for which the host may have a new one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RefreshRequest {
    /// The provider.
    pub provider: ProviderIndex,
    /// The credential.
    pub credential: CredentialIndex,
}

/// A blacklisted credential that is to be tried again: [lease it by
/// name](crate::Pool::acquire_probe), make an attempt and report it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ValidateRequest {
    /// The provider.
    pub provider: ProviderIndex,
    /// The credential.
    pub credential: CredentialIndex,
}

/// A disabling that the app's storage has yet to confirm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DisableRequest {
    /// The provider.
    pub provider: ProviderIndex,
    /// The credential.
    pub credential: CredentialIndex,
    /// What the verdict was.
    pub why: Class,
}
