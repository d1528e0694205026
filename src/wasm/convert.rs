//! Every conversion between JavaScript values and the core's types.
//!
//! What comes in is read by js-sys into a plain [`Value`] and checked by the core; what goes out is
//! written by serde-wasm-bindgen.

use js_sys::{Array, Object};
use serde::Serialize as _;
use wasm_bindgen::{JsCast, JsValue};

use crate::config::{
    AffinityConfig, Blacklist, Config, Policy, PolicyName, ProviderConfig, Rollback,
};
use crate::cooldown::{Ladder, Probing};
use crate::event::{Event, EventKind};
use crate::pool::{Pool, Request};
use crate::retry::Plan;
use crate::select::Strategy;
use crate::types::{
    Broken, CredentialIndex, ErrorRule, Fields, Millis, Outcome, Phase, ProviderIndex, Rule,
    SessionHash, Value,
};

/// A value as plain JavaScript: objects, `null` for nothing, numbers for whole numbers.
pub(super) fn to_js(value: &Value) -> JsValue {
    let serializer = serde_wasm_bindgen::Serializer::json_compatible();
    value.serialize(&serializer).unwrap_or(JsValue::NULL)
}

/// A JavaScript value as a plain one. What nests deeper than any of our own data is none.
pub(super) fn to_value(value: &JsValue) -> Value {
    read_value(value, 10)
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
#[inline(always)]
pub(super) const fn session(low: u32, high: u32) -> Option<SessionHash> {
    if low == 0 && high == 0 { None } else { Some(SessionHash(((high as u64) << 32) | low as u64)) }
}

/// The numbers of a request before those of the credentials that it has tried.
const HEAD: usize = 8;

/// A request from its model and its numbers: the halves of its session's hash, those of the response
/// that it continues, the number that its attempts share, what its plan [asks](planned), and what else of
/// credentials it has tried.
pub(super) fn request<'a>(
    model: Option<&'a str>,
    numbers: &[u32],
    tried: &'a [CredentialIndex],
) -> Request<'a> {
    let at = |place: usize| numbers.get(place).copied().unwrap_or(0);
    Request {
        session: session(at(0), at(1)),
        continues: session(at(2), at(3)),
        number: at(4),
        model,
        tried,
        floor: (at(5) != 0).then(|| at(6).cast_signed()),
        only: at(7).checked_sub(1).map(CredentialIndex),
    }
}

/// What a plan asks of a provider: whether the request has come down to a priority, and to which; the
/// number of the only credential that may serve it plus 1, or 0; and those that it has tried.
pub(super) fn planned(plan: &Plan, provider: ProviderIndex) -> Vec<u32> {
    let asked = plan.request(provider, &Request::default());
    let floor = asked.floor.map_or(0, i32::cast_unsigned);
    let only = asked.only.map_or(0, |only| only.0.saturating_add(1));
    let head = [u32::from(asked.floor.is_some()), floor, only];
    head.into_iter().chain(asked.tried.iter().map(|tried| tried.0)).collect()
}

/// The credentials that a request has tried, from its numbers.
pub(super) fn tried(numbers: &[u32]) -> Vec<CredentialIndex> {
    numbers.get(HEAD..).unwrap_or_default().iter().copied().map(CredentialIndex).collect()
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
        config.responses = config.affinity;
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
        ladder(fields, &mut policy.limit);
        fields.inner("overload", |fields| ladder(fields, &mut policy.overload));
        fields.inner("denied", |fields| ladder(fields, &mut policy.denied));
        fields.inner("pause", |fields| ladder(fields, &mut policy.pause));
        span(fields, "aloneMs", &mut policy.alone);
        span(fields, "homeMs", &mut policy.home);
        if fields.has("jitter") {
            policy.jitter = fields.number("jitter");
        }
    });
    fields.inner("probe", |fields| {
        if let Some(Probing { ttl, every, longer_than }) = &mut policy.probing {
            millis(fields, "ttlMs", ttl);
            millis(fields, "everyMs", every);
            millis(fields, "longerThanMs", longer_than);
        }
    });
    fields.inner("rollback", |fields| {
        if let Some(Rollback { credentials, requests, within }) = &mut policy.rollback {
            millis(fields, "withinMs", within);
            for (field, number) in [("credentials", credentials), ("requests", requests)] {
                if fields.has(field) {
                    *number = fields.whole(field);
                }
            }
        }
    });
    let strategy = code(fields, "strategy", "must be a strategy", Strategy::from_code);
    ProviderConfig {
        policy,
        strategy: strategy.unwrap_or_default(),
        dialect: fields.text_or_null("dialect").map(Into::into),
        rules: if fields.has_some("rules") {
            ErrorRule::read_all(fields, "rules")
        } else {
            Vec::new()
        },
        fail_open: fields.has("failOpen") && fields.flag("failOpen"),
        max_concurrent: fields.whole_or_null("maxConcurrent"),
        blacklist: fields.has_some("blacklist").then(|| fields.inner("blacklist", read_blacklist)),
    }
}

fn read_blacklist(fields: &Fields<'_>) -> Blacklist {
    let mut blacklist = Blacklist::default();
    if fields.has("threshold") {
        blacklist.threshold = fields.whole("threshold");
    }
    millis(fields, "validateEveryMs", &mut blacklist.validate_every);
    blacklist
}

fn ladder(fields: &Fields<'_>, steps: &mut Ladder) {
    let Ladder { base, multiplier, cap, forget_after } = steps;
    millis(fields, "baseMs", base);
    millis(fields, "capMs", cap);
    millis(fields, "forgetAfterMs", forget_after);
    if fields.has("multiplier") {
        *multiplier = fields.number("multiplier");
    }
}

/// Reads a span of time that a policy may lack; one that lacks it goes without.
fn span(fields: &Fields<'_>, field: &str, known: &mut Option<Millis>) {
    if let Some(known) = known {
        millis(fields, field, known);
    }
}

/// Reads a span of time over the one that holds by default.
fn millis(fields: &Fields<'_>, field: &str, span: &mut Millis) {
    if fields.has(field) {
        *span = Millis(fields.whole(field));
    }
}

/// Reads a code, if it is given.
pub(super) fn code<T>(
    fields: &Fields<'_>,
    field: &str,
    rule: Rule,
    read: impl FnOnce(&str) -> Option<T>,
) -> Option<T> {
    if fields.has(field) { fields.code(field, rule, read) } else { None }
}

/// The headers of an attempt's response, from a list of names and values in turn.
pub(super) fn headers(facts: &Value) -> Vec<(&str, &str)> {
    let Value::List(texts) = facts.field("headers") else { return Vec::new() };
    let pairs = texts.chunks_exact(2);
    pairs.filter_map(|pair| Some((pair[0].text()?, pair[1].text()?))).collect()
}

/// What an attempt brought, as the TypeScript side read it.
pub(super) fn outcome<'a>(facts: &'a Value, headers: &'a [(&'a str, &'a str)]) -> Outcome<'a> {
    let text = |field| facts.field(field).text();
    Outcome {
        status: facts.field("status").whole().and_then(|status| u16::try_from(status).ok()),
        headers,
        body: text("body").unwrap_or_default(),
        is_cut: *facts.field("isCut") == Value::Flag(true),
        model: text("model"),
        network_code: text("networkCode"),
        phase: text("phase").and_then(Phase::from_code).unwrap_or_default(),
    }
}

/// An event as listeners get it, with names in place of numbers; `None` when its credential is gone.
pub(super) fn event(event: &Event, pool: &Pool) -> Option<JsValue> {
    let kind = match &event.kind {
        EventKind::Cooldown(_) => "cooldown",
        EventKind::Paused(_) => "paused",
        EventKind::Recovered => "recovered",
        EventKind::Disabled { .. } => "disabled",
        EventKind::Blacklisted { .. } => "blacklisted",
        EventKind::Enabled => "enabled",
        EventKind::Rebound { .. } => "rebound",
        EventKind::LeaseExpired => "lease_expired",
    };
    let about = Value::object()
        .with("type", kind)
        .with("provider", pool.provider_name(event.provider)?)
        .with("credential", pool.credential_id(event.provider, event.credential)?);
    Some(to_js(&match &event.kind {
        EventKind::Cooldown(rest) | EventKind::Paused(rest) => about
            .with("class", rest.class)
            .with("scope", rest.scope)
            .with("model", rest.model.as_deref())
            .with("level", rest.level)
            .with("until", rest.until)
            .with("stated", rest.stated)
            .with("evidence", rest.source.evidence)
            .with("waitFrom", rest.source.wait_from.as_deref()),
        EventKind::Disabled { class } | EventKind::Blacklisted { class } => {
            about.with("class", *class)
        }
        EventKind::Rebound { from } => {
            about.with("from", pool.credential_id(event.provider, *from)?)
        }
        EventKind::Recovered | EventKind::Enabled | EventKind::LeaseExpired => about,
    }))
}
