//! Every conversion between JavaScript values and the core's types.
//!
//! What comes in is read by js-sys into a plain [`Value`] and checked by the core; what goes out is
//! written by serde-wasm-bindgen.

use js_sys::{Array, Object};
use serde::Serialize;
use wasm_bindgen::{JsCast, JsValue};

use crate::config::{AffinityConfig, Config, Policy, PolicyName, ProviderConfig};
use crate::cooldown::Ladder;
use crate::event::{Event, EventKind};
use crate::pool::Pool;
use crate::select::Strategy;
use crate::types::{Broken, Class, Millis, Outcome, Phase, SessionHash, Value, Wall};

/// A value as plain JavaScript: objects, `null` for nothing, numbers for whole numbers.
pub(super) fn to_js(value: &impl Serialize) -> JsValue {
    let serializer = serde_wasm_bindgen::Serializer::json_compatible();
    value.serialize(&serializer).unwrap_or(JsValue::NULL)
}

/// A JavaScript value as a plain one. What nests deeper than any of our own data is none.
pub(super) fn to_value(value: &JsValue) -> Value {
    read_value(value, 8)
}

fn read_value(value: &JsValue, depth: u32) -> Value {
    if value.is_undefined() {
        Value::Absent
    } else if value.is_null() {
        Value::Null
    } else if let Some(flag) = value.as_bool() {
        Value::Flag(flag)
    } else if let Some(number) = value.as_f64() {
        Value::Number(number)
    } else if let Some(text) = value.as_string() {
        Value::Text(text)
    } else if depth == 0 {
        Value::Other
    } else if let Some(list) = value.dyn_ref::<Array>() {
        Value::List(list.iter().map(|item| read_value(&item, depth - 1)).collect())
    } else if value.is_object() {
        let entries = Object::entries(value.unchecked_ref());
        let fields = entries.iter().filter_map(|entry| {
            let entry: Array = entry.unchecked_into();
            Some((entry.get(0).as_string()?, read_value(&entry.get(1), depth - 1)))
        });
        Value::Fields(fields.collect())
    } else {
        Value::Other
    }
}

/// A session as two halves of its hash; both zero when there is none.
pub(super) const fn session(low: u32, high: u32) -> Option<SessionHash> {
    if low == 0 && high == 0 { None } else { Some(SessionHash(((high as u64) << 32) | low as u64)) }
}

/// The settings of a pool, from options that the TypeScript side has checked.
pub(super) fn config(options: &Value) -> Result<Config, Broken> {
    let provider = provider_config(options)?;
    let defaults = Config::of(provider.policy.clone());
    let affinity = options.field("affinity");
    Ok(Config {
        provider,
        affinity: AffinityConfig {
            capacity: or(affinity, "capacity", Value::whole)?.unwrap_or(defaults.affinity.capacity),
            ttl: or(affinity, "ttlMs", Value::whole)?.map(Millis),
        },
        lease_ttl: or(options, "leaseTtlMs", Value::whole)?.map_or(defaults.lease_ttl, Millis),
        ..defaults
    })
}

/// The settings of one provider.
pub(super) fn provider_config(options: &Value) -> Result<ProviderConfig, Broken> {
    let named = |value: &Value| PolicyName::from_code(value.text()?).ok_or("must be a policy");
    let mut policy = match or(options, "policy", named)? {
        Some(PolicyName::Classic) => Policy::classic(),
        Some(PolicyName::Adaptive) | None => Policy::adaptive(),
    };
    let cooldown = options.field("cooldown");
    let limit = policy.limit;
    policy.limit = Ladder {
        base: or(cooldown, "baseMs", Value::whole)?.map_or(limit.base, Millis),
        multiplier: or(cooldown, "multiplier", Value::number)?.unwrap_or(limit.multiplier),
        cap: or(cooldown, "capMs", Value::whole)?.map_or(limit.cap, Millis),
        forget_after: or(cooldown, "forgetAfterMs", Value::whole)?
            .map_or(limit.forget_after, Millis),
    };
    let named = |value: &Value| Strategy::from_code(value.text()?).ok_or("must be a strategy");
    Ok(ProviderConfig { policy, strategy: or(options, "strategy", named)?.unwrap_or_default() })
}

/// A field, if it is given.
fn or<'a, T>(
    value: &'a Value,
    field: &str,
    read: impl FnOnce(&'a Value) -> Result<T, &'static str>,
) -> Result<Option<T>, Broken> {
    value.read(field, |value| value.given().map(read).transpose())
}

/// What an attempt brought, as the TypeScript side read it.
pub(super) fn outcome(facts: &Value) -> Outcome<'_> {
    let text = |field| facts.field(field).text().ok();
    Outcome {
        status: facts.field("status").whole().ok(),
        retry_after_ms: text("retryAfterMs"),
        retry_after: text("retryAfter"),
        date: text("date"),
        network_code: text("networkCode"),
        phase: text("phase").and_then(Phase::from_code).unwrap_or_default(),
    }
}

/// An event with names in place of numbers.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct EventOutput<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    provider: &'a str,
    credential: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    class: Option<Class>,
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<Wall>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stated: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<&'a str>,
}

/// An event as listeners get it; `None` when its credential is gone.
pub(super) fn event(event: &Event, pool: &Pool) -> Option<JsValue> {
    let blank = EventOutput {
        kind: "recovered",
        provider: pool.provider_name(event.provider)?,
        credential: pool.credential_id(event.provider, event.credential)?,
        class: None,
        level: None,
        until: None,
        stated: None,
        from: None,
    };
    Some(to_js(&match event.kind {
        EventKind::Cooldown { class, level, until, stated } => EventOutput {
            kind: "cooldown",
            class: Some(class),
            level: Some(level),
            until: Some(until),
            stated: Some(stated),
            ..blank
        },
        EventKind::Recovered => blank,
        EventKind::Disabled { class } => {
            EventOutput { kind: "disabled", class: Some(class), ..blank }
        }
        EventKind::Enabled => EventOutput { kind: "enabled", ..blank },
        EventKind::Rebound { from } => {
            let from = pool.credential_id(event.provider, from);
            EventOutput { kind: "rebound", from, ..blank }
        }
        EventKind::LeaseExpired => EventOutput { kind: "lease_expired", ..blank },
    }))
}
