//! Every conversion between JavaScript values and the core's types.
//!
//! What comes in is read by js-sys into a plain [`Value`] and checked by the core; what goes out is
//! written by serde-wasm-bindgen.

use js_sys::{Array, Object};
use serde::Serialize as _;
use wasm_bindgen::{JsCast, JsValue};

use crate::config::{AffinityConfig, Config, Policy, PolicyName, ProviderConfig};
use crate::cooldown::Ladder;
use crate::event::{Event, EventKind};
use crate::pool::Pool;
use crate::select::Strategy;
use crate::types::{Broken, Fields, Millis, Outcome, Phase, Rule, SessionHash, Value};

/// A value as plain JavaScript: objects, `null` for nothing, numbers for whole numbers.
pub(super) fn to_js(value: &Value) -> JsValue {
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
    options.read(|fields| {
        let provider = read_provider_config(fields);
        let mut config = Config::of(provider.policy.clone());
        config.provider = provider;
        millis(fields, "leaseTtlMs", &mut config.lease_ttl);
        fields.inner("affinity", |fields| {
            let AffinityConfig { capacity, ttl } = &mut config.affinity;
            if fields.has("capacity") {
                *capacity = fields.whole("capacity");
            }
            *ttl = fields.has("ttlMs").then(|| Millis(fields.whole("ttlMs")));
        });
        config
    })
}

/// The settings of one provider.
pub(super) fn provider_config(options: &Value) -> Result<ProviderConfig, Broken> {
    options.read(read_provider_config)
}

fn read_provider_config(fields: &Fields<'_>) -> ProviderConfig {
    let mut policy = match code(fields, "policy", "must be a policy", PolicyName::from_code) {
        Some(PolicyName::Classic) => Policy::classic(),
        Some(PolicyName::Adaptive) | None => Policy::adaptive(),
    };
    fields.inner("cooldown", |fields| {
        let Ladder { base, multiplier, cap, forget_after } = &mut policy.limit;
        millis(fields, "baseMs", base);
        millis(fields, "capMs", cap);
        millis(fields, "forgetAfterMs", forget_after);
        if fields.has("multiplier") {
            *multiplier = fields.number("multiplier");
        }
    });
    let strategy = code(fields, "strategy", "must be a strategy", Strategy::from_code);
    ProviderConfig { policy, strategy: strategy.unwrap_or_default() }
}

/// Reads a span of time over the one that holds by default.
fn millis(fields: &Fields<'_>, field: &str, span: &mut Millis) {
    if fields.has(field) {
        *span = Millis(fields.whole(field));
    }
}

/// Reads a code, if it is given.
fn code<T>(
    fields: &Fields<'_>,
    field: &str,
    rule: Rule,
    read: impl FnOnce(&str) -> Option<T>,
) -> Option<T> {
    if fields.has(field) { fields.code(field, rule, read) } else { None }
}

/// What an attempt brought, as the TypeScript side read it.
pub(super) fn outcome(facts: &Value) -> Outcome<'_> {
    let text = |field| facts.field(field).text();
    Outcome {
        status: facts.field("status").whole().and_then(|status| u16::try_from(status).ok()),
        retry_after_ms: text("retryAfterMs"),
        retry_after: text("retryAfter"),
        date: text("date"),
        network_code: text("networkCode"),
        phase: text("phase").and_then(Phase::from_code).unwrap_or_default(),
    }
}

/// An event as listeners get it, with names in place of numbers; `None` when its credential is gone.
pub(super) fn event(event: &Event, pool: &Pool) -> Option<JsValue> {
    let mut from = Value::Absent;
    let [mut class, mut level, mut until, mut stated] = [const { Value::Absent }; 4];
    let kind = match event.kind {
        EventKind::Cooldown { class: why, level: step, until: end, stated: is_stated } => {
            (class, level) = (why.into(), step.into());
            (until, stated) = (end.into(), is_stated.into());
            "cooldown"
        }
        EventKind::Recovered => "recovered",
        EventKind::Disabled { class: why } => {
            class = why.into();
            "disabled"
        }
        EventKind::Enabled => "enabled",
        EventKind::Rebound { from: before } => {
            from = pool.credential_id(event.provider, before)?.into();
            "rebound"
        }
        EventKind::LeaseExpired => "lease_expired",
    };
    Some(to_js(
        &Value::object()
            .with("type", kind)
            .with("provider", pool.provider_name(event.provider)?)
            .with("credential", pool.credential_id(event.provider, event.credential)?)
            .with("class", class)
            .with("level", level)
            .with("until", until)
            .with("stated", stated)
            .with("from", from),
    ))
}
