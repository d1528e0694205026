//! Reading a snapshot back: every field is checked, and what is wrong is named with its place.

use super::{
    CredentialState, FORMAT, LaneState, MemberState, NamedLanes, ProviderState, SessionState,
    Snapshot, TierState, VERSION,
};
use crate::blacklist::{Listed, Strikes};
use crate::cooldown::Record;
use crate::credential::{Counters, Disabled};
use crate::error::SnapshotError;
use crate::rng::Rng;
use crate::types::{
    Broken, Class, Clock, Evidence, Fields, Inside, Lane, Source, Value, Wall, hex,
};

impl Snapshot {
    /// Reads what [`Serialize`](serde::Serialize) wrote.
    ///
    /// # Errors
    ///
    /// [`SnapshotError::NewerVersion`]: use the library that wrote it, or start without it.
    /// [`SnapshotError::Malformed`]: it is of something else, or damaged; start without it.
    pub fn read(value: &Value) -> Result<Self, SnapshotError> {
        let malformed = |broken: Broken| SnapshotError::Malformed(broken.to_string());
        let head = value.read(|fields| (fields.text("format") == FORMAT, fields.whole("version")));
        match head.map_err(malformed)? {
            (false, _) => Err(SnapshotError::Malformed(format!("its format is not {FORMAT}"))),
            (true, VERSION) => value.read(read_body).map_err(malformed),
            (true, version) if version > VERSION => Err(SnapshotError::NewerVersion(version)),
            (true, version) => {
                Err(SnapshotError::Malformed(format!("there is no version {version}")))
            }
        }
    }
}

fn read_body(fields: &Fields<'_>) -> Snapshot {
    let providers = fields.each("providers", read_provider);
    Snapshot {
        taken_at: Wall(fields.whole("takenAt")),
        clock: fields.inner("clock", |clock| {
            Clock::restored(clock.whole("offset"), Inside(clock.whole("greatest")))
        }),
        rng: Rng::from_seed(read_hex(fields, "rng")),
        spread: Rng::from_seed(if fields.has("spread") { read_hex(fields, "spread") } else { 1 }),
        seeded: fields.flag("seeded"),
        sessions: fields.each("sessions", |session| read_session(session, providers.len())),
        responses: if fields.has("responses") {
            fields.each("responses", |response| read_session(response, providers.len()))
        } else {
            Vec::new()
        },
        providers,
    }
}

fn read_provider(fields: &Fields<'_>) -> ProviderState {
    ProviderState {
        name: fields.text("name").to_owned(),
        credentials: fields.each("credentials", read_credential),
        groups: if fields.has("groups") { fields.each("groups", read_named) } else { Vec::new() },
        pause: fields.has_some("pause").then(|| fields.inner("pause", read_lane)),
        tiers: fields.each("tiers", read_tier),
    }
}

fn read_credential(fields: &Fields<'_>) -> CredentialState {
    CredentialState {
        id: fields.text("id").to_owned(),
        secret_version: fields.text_or_null("secretVersion").map(str::to_owned),
        disabled: if fields.has_some("disabled") {
            fields.inner("disabled", read_disabled)
        } else {
            Disabled::No
        },
        strikes: if fields.has_some("blacklist") {
            fields.inner("blacklist", read_strikes)
        } else {
            Strikes::NONE
        },
        counters: Counters {
            picks: fields.whole("picks"),
            successes: fields.whole("successes"),
            failures: fields.whole("failures"),
            last_used_at: fields.whole_or_null("lastUsedAt").map(Wall),
        },
        lanes: fields.each("lanes", read_lane),
        models: if fields.has("models") { fields.each("models", read_named) } else { Vec::new() },
    }
}

fn read_named(fields: &Fields<'_>) -> NamedLanes {
    NamedLanes { name: fields.text("name").to_owned(), lanes: fields.each("lanes", read_lane) }
}

fn read_disabled(fields: &Fields<'_>) -> Disabled {
    let Some(why) = read_class(fields, "why") else { return Disabled::No };
    if fields.flag("confirmed") {
        Disabled::Confirmed { why }
    } else {
        Disabled::Unconfirmed { why }
    }
}

fn read_strikes(fields: &Fields<'_>) -> Strikes {
    let last = fields.whole_or_null("last").map_or(Inside::MIN, Inside);
    let cause = if fields.has_some("cause") { read_class(fields, "cause") } else { None };
    let validate_at = fields.whole_or_null("validateAt").map_or(Inside::MAX, Inside);
    let listed = cause.map(|cause| Listed { cause, validate_at });
    Strikes::restored(fields.whole("failures"), last, listed)
}

fn read_lane(fields: &Fields<'_>) -> LaneState {
    LaneState {
        lane: fields.code("lane", "must be a lane", Lane::from_code).unwrap_or(Lane::Limit),
        record: Record {
            window: fields.whole("window"),
            stated: fields.flag("stated"),
            until: Wall(fields.whole("until")),
            opened: Wall(fields.whole("opened")),
            level: fields.whole("level"),
            cause: if fields.has_some("cause") { read_class(fields, "cause") } else { None },
            cleared: fields.whole("cleared"),
        },
        deadline: fields.whole_or_null("deadline").map(Inside),
        probe_at: fields.whole_or_null("probeAt").map(Inside),
        source: Source {
            evidence: if fields.has_some("evidence") {
                fields.code("evidence", "must be a kind of evidence", Evidence::from_code)
            } else {
                None
            },
            wait_from: fields.text_or_null("waitFrom").map(|text| text.to_owned().into()),
        },
    }
}

fn read_tier(fields: &Fields<'_>) -> TierState {
    TierState {
        priority: fields.whole("priority"),
        cursor: fields.whole_or_null("cursor"),
        members: fields.each("members", read_member),
    }
}

fn read_member(fields: &Fields<'_>) -> MemberState {
    MemberState {
        id: fields.text("id").to_owned(),
        weight: fields.weight("weight").shares(),
        available: fields.flag("available"),
        progress: fields.whole("progress"),
    }
}

fn read_session(fields: &Fields<'_>, providers: usize) -> SessionState {
    let provider = fields.whole("provider");
    if provider as usize >= providers {
        fields.refuse::<()>("provider", "must be a place among the providers");
    }
    SessionState {
        provider,
        session: read_hex(fields, "session"),
        credential: fields.text("credential").to_owned(),
        lodging: fields.text_or_null("lodging").map(str::to_owned),
        home_used: Inside(fields.whole(if fields.has("homeUsed") { "homeUsed" } else { "used" })),
        used: Inside(fields.whole("used")),
    }
}

fn read_class(fields: &Fields<'_>, field: &str) -> Option<Class> {
    fields.code(field, "must be a class of verdicts", Class::from_code)
}

fn read_hex(fields: &Fields<'_>, field: &str) -> u64 {
    fields.code(field, "must be 16 hexadecimal digits", hex::parse).unwrap_or_default()
}
