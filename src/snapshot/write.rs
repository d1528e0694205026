//! Writing a snapshot: each part as a plain value, under the names that `read.rs` reads.

use super::{
    CredentialState, FORMAT, LaneState, MemberState, NamedLanes, ProviderState, SessionState,
    Snapshot, TierState, VERSION, known,
};
use crate::blacklist::Strikes;
use crate::credential::Disabled;
use crate::types::{Value, hex, written_as_values};

impl From<&Snapshot> for Value {
    fn from(snapshot: &Snapshot) -> Self {
        let (offset, greatest) = snapshot.clock.parts();
        Self::object()
            .with("format", FORMAT)
            .with("version", VERSION)
            .with("takenAt", snapshot.taken_at)
            .with("clock", Self::object().with("offset", offset).with("greatest", greatest))
            .with("rng", hex::write(snapshot.rng.seed()).as_str())
            .with("spread", hex::write(snapshot.spread.seed()).as_str())
            .with("seeded", snapshot.seeded)
            .with("providers", Self::list(&snapshot.providers))
            .with("sessions", Self::list(&snapshot.sessions))
            .with("responses", Self::list(&snapshot.responses))
    }
}

written_as_values!(Snapshot);

impl From<&ProviderState> for Value {
    fn from(provider: &ProviderState) -> Self {
        Self::object()
            .with("name", provider.name.as_str())
            .with("credentials", Self::list(&provider.credentials))
            .with("groups", Self::list(&provider.groups))
            .with("pause", provider.pause.as_ref())
            .with("tiers", Self::list(&provider.tiers))
    }
}

impl From<&CredentialState> for Value {
    fn from(credential: &CredentialState) -> Self {
        Self::object()
            .with("id", credential.id.as_str())
            .with("secretVersion", credential.secret_version.as_deref())
            .with("disabled", credential.disabled)
            .with("blacklist", credential.strikes)
            .with("picks", credential.counters.picks)
            .with("successes", credential.counters.successes)
            .with("failures", credential.counters.failures)
            .with("lastUsedAt", credential.counters.last_used_at)
            .with("lanes", Self::list(&credential.lanes))
            .with("models", Self::list(&credential.models))
    }
}

impl From<&NamedLanes> for Value {
    fn from(named: &NamedLanes) -> Self {
        Self::object().with("name", named.name.as_str()).with("lanes", Self::list(&named.lanes))
    }
}

/// A verdict against a credential: `null`, or why and whether the app's storage knows.
impl From<Disabled> for Value {
    fn from(disabled: Disabled) -> Self {
        let (why, confirmed) = match disabled {
            Disabled::No => return Self::Null,
            Disabled::Unconfirmed { why } => (why, false),
            Disabled::Confirmed { why } => (why, true),
        };
        Self::object().with("why", why).with("confirmed", confirmed)
    }
}

/// What counts towards the blacklist: `null`, or how many failures, when the last was taken in, and, of one
/// that is on it, why and when it is to be tried.
impl From<Strikes> for Value {
    fn from(strikes: Strikes) -> Self {
        if strikes.is_none() {
            return Self::Null;
        }
        let ((failures, last), listed) = (strikes.parts(), strikes.listed());
        Self::object()
            .with("failures", failures)
            .with("last", known(last))
            .with("cause", listed.map(|listed| listed.cause))
            .with("validateAt", listed.and_then(|listed| known(listed.validate_at)))
    }
}

impl From<&LaneState> for Value {
    fn from(LaneState { lane, record, deadline, probe_at, source }: &LaneState) -> Self {
        Self::object()
            .with("lane", *lane)
            .with("window", record.window)
            .with("stated", record.stated)
            .with("until", record.until)
            .with("opened", record.opened)
            .with("level", record.level)
            .with("cause", record.cause)
            .with("cleared", record.cleared)
            .with("deadline", *deadline)
            .with("probeAt", *probe_at)
            .with("evidence", source.evidence)
            .with("waitFrom", source.wait_from.as_deref())
    }
}

impl From<&TierState> for Value {
    fn from(tier: &TierState) -> Self {
        Self::object()
            .with("priority", tier.priority)
            .with("cursor", tier.cursor)
            .with("members", Self::list(&tier.members))
    }
}

impl From<&MemberState> for Value {
    fn from(member: &MemberState) -> Self {
        Self::object()
            .with("id", member.id.as_str())
            .with("weight", member.weight)
            .with("available", member.available)
            .with("progress", member.progress)
    }
}

impl From<&SessionState> for Value {
    fn from(session: &SessionState) -> Self {
        Self::object()
            .with("provider", session.provider)
            .with("session", hex::write(session.session).as_str())
            .with("credential", session.credential.as_str())
            .with("lodging", session.lodging.as_deref())
            .with("homeUsed", session.home_used)
            .with("used", session.used)
    }
}
