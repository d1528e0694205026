//! What happened, as data: the pool never calls anyone.

use crate::types::{Class, CredentialIndex, ProviderIndex, Wall};

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
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EventKind {
    /// A failure makes it rest until `until`, if nothing else holds it for longer.
    Cooldown {
        /// What the verdict was.
        class: Class,
        /// The step of the ladder.
        level: u32,
        /// When it may serve again, on the caller's clock.
        until: Wall,
        /// Whether the provider stated that time.
        stated: bool,
    },
    /// Its rest is over: by time, by a success or by a reset.
    Recovered,
    /// A verdict proved it dead.
    Disabled {
        /// What the verdict was.
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
