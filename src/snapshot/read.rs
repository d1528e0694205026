//! Reading a snapshot back: every field is checked, and what is wrong is named with its place.

use super::{
    CredentialState, FORMAT, LaneState, MemberState, ProviderState, SessionState, Snapshot,
    TierState, VERSION,
};
use crate::cooldown::Record;
use crate::credential::{Counters, Disabled};
use crate::error::SnapshotError;
use crate::rng::Rng;
use crate::types::{Broken, Class, Clock, Inside, Lane, Rule, Value, Wall, Weight, hex};

impl Snapshot {
    /// Reads what [`Serialize`](serde::Serialize) wrote.
    ///
    /// # Errors
    ///
    /// [`SnapshotError::NewerVersion`]: use the library that wrote it, or start without it.
    /// [`SnapshotError::Malformed`]: it is of something else, or damaged; start without it.
    pub fn read(value: &Value) -> Result<Self, SnapshotError> {
        let malformed = |broken: Broken| SnapshotError::Malformed(broken.to_string());
        let format = value.read("format", Value::text).map_err(malformed)?;
        let version: u32 = value.read("version", Value::whole).map_err(malformed)?;
        if format != FORMAT {
            return Err(SnapshotError::Malformed(format!("its format is not {FORMAT}")));
        }
        if version > VERSION {
            return Err(SnapshotError::NewerVersion(version));
        }
        if version < VERSION {
            return Err(SnapshotError::Malformed(format!("there is no version {version}")));
        }
        let snapshot = read_body(value).map_err(malformed)?;
        let astray = |session: &SessionState| session.provider as usize >= snapshot.providers.len();
        if snapshot.sessions.iter().any(astray) {
            return Err(SnapshotError::Malformed("a session names no provider".to_owned()));
        }
        Ok(snapshot)
    }
}

fn read_body(value: &Value) -> Result<Snapshot, Broken> {
    let clock = value.field("clock");
    Ok(Snapshot {
        format: FORMAT.to_owned(),
        version: VERSION,
        taken_at: Wall(value.read("takenAt", Value::whole)?),
        clock: Clock::restored(
            clock.read("offset", Value::whole)?,
            Inside(clock.read("greatest", Value::whole)?),
        ),
        rng: Rng::from_seed(value.read("rng", read_hex)?),
        seeded: value.read("seeded", Value::flag)?,
        providers: value.read_each("providers", read_provider)?,
        sessions: value.read_each("sessions", read_session)?,
    })
}

fn read_provider(value: &Value) -> Result<ProviderState, Broken> {
    Ok(ProviderState {
        name: value.read("name", Value::text)?.to_owned(),
        credentials: value.read_each("credentials", read_credential)?,
        tiers: value.read_each("tiers", read_tier)?,
    })
}

fn read_credential(value: &Value) -> Result<CredentialState, Broken> {
    Ok(CredentialState {
        id: value.read("id", Value::text)?.to_owned(),
        secret_version: value
            .read("secretVersion", |v| or_null(v, Value::text))?
            .map(str::to_owned),
        disabled: value.read("disabled", read_disabled)?,
        counters: Counters {
            picks: value.read("picks", Value::whole)?,
            successes: value.read("successes", Value::whole)?,
            failures: value.read("failures", Value::whole)?,
            last_used_at: value.read("lastUsedAt", |v| or_null(v, Value::whole))?.map(Wall),
        },
        lanes: value.read_each("lanes", read_lane)?,
    })
}

fn read_disabled(value: &Value) -> Result<Disabled, Rule> {
    let Some(value) = value.given_or_null() else { return Ok(Disabled::No) };
    let why = read_class(value.field("why"))?;
    let confirmed = value.field("confirmed").flag()?;
    Ok(if confirmed { Disabled::Confirmed { why } } else { Disabled::Unconfirmed { why } })
}

fn read_lane(value: &Value) -> Result<LaneState, Broken> {
    let lane = value.read("lane", |lane| Lane::from_code(lane.text()?).ok_or("must be a lane"))?;
    let record = Record {
        window: value.read("window", Value::whole)?,
        stated: value.read("stated", Value::flag)?,
        until: Wall(value.read("until", Value::whole)?),
        opened: Wall(value.read("opened", Value::whole)?),
        level: value.read("level", Value::whole)?,
        cause: value.read("cause", |v| or_null(v, read_class))?,
        cleared: value.read("cleared", Value::whole)?,
    };
    let deadline = value.read("deadline", |v| or_null(v, Value::whole))?.map(Inside);
    Ok(LaneState { lane, record, deadline })
}

fn read_tier(value: &Value) -> Result<TierState, Broken> {
    Ok(TierState {
        priority: value.read("priority", Value::whole)?,
        cursor: value.read("cursor", |v| or_null(v, Value::whole))?,
        members: value.read_each("members", read_member)?,
    })
}

fn read_member(value: &Value) -> Result<MemberState, Broken> {
    Ok(MemberState {
        id: value.read("id", Value::text)?.to_owned(),
        weight: value.read("weight", |v| Weight::new(v.number()?).map_err(|error| error.rule()))?,
        available: value.read("available", Value::flag)?,
        progress: value.read("progress", Value::whole)?,
    })
}

fn read_session(value: &Value) -> Result<SessionState, Broken> {
    Ok(SessionState {
        provider: value.read("provider", Value::whole)?,
        session: value.read("session", read_hex)?,
        credential: value.read("credential", Value::text)?.to_owned(),
        used: Inside(value.read("used", Value::whole)?),
    })
}

fn read_class(value: &Value) -> Result<Class, Rule> {
    Class::from_code(value.text()?).ok_or("must be a class of verdicts")
}

fn read_hex(value: &Value) -> Result<u64, Rule> {
    hex::parse(value.text()?).ok_or("must be 16 hexadecimal digits")
}

fn or_null<'a, T>(
    value: &'a Value,
    read: impl FnOnce(&'a Value) -> Result<T, Rule>,
) -> Result<Option<T>, Rule> {
    value.given_or_null().map(read).transpose()
}
