//! The router as JavaScript holds it.

use wasm_bindgen::prelude::*;

use super::convert::{self, code, to_js, to_value};
use super::error::Failure;
use super::pool::Core;
use super::retry::Plan;
use crate::affinity::AffinityConfig;
use crate::error::{Refusal, RouteRefusal};
use crate::pool::RoutedGrant;
use crate::route::{AccessKey, Continuations, Exposed, Group, Protocol, RouteConfig, RouteRequest};
use crate::select::Strategy;
use crate::types::{
    Address, Broken, CredentialIndex, Fields, Millis, ProviderIndex, Reason, Value, Wall, Weight,
};

/// Answers that are no lease, beside those of a pool.
const DENIED: f64 = -5.0;
const NO_GROUP: f64 = -6.0;

/// What is known of the last routed answer besides its lease.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Answered {
    /// The provider of the credential.
    provider: Option<ProviderIndex>,
    /// Where the session was.
    seen: Option<Address>,
    /// Why the request goes nowhere.
    reason: Option<Reason>,
}

#[wasm_bindgen]
impl Core {
    /// Makes the pool a router, with settings that the TypeScript side has checked.
    pub fn route(&self, options: JsValue) -> Result<(), JsValue> {
        let read = to_value(&options).read(read_routes);
        self.pool.borrow_mut().route(read.map_err(|e: Broken| Failure::option(&e))?);
        Ok(())
    }

    /// Leases a credential of a group for the next attempt of a request by its plan; a negative number is
    /// a refusal. The numbers are those of [`convert::request`], without what the plan says.
    #[wasm_bindgen(js_name = acquireRouted)]
    pub fn acquire_routed(
        &self,
        plan: &Plan,
        access_key: usize,
        protocol: usize,
        model: Option<String>,
        numbers: &[u32],
    ) -> f64 {
        let needs_seed = self.pool.borrow().route_needs_seed();
        let now = match self.prepare_for(needs_seed) {
            Ok(now) => now,
            Err(code) => return code,
        };
        let request = routed(access_key, protocol, model.as_deref(), numbers);
        let granted = self.pool.borrow_mut().acquire_routed(&request, &plan.plan.borrow(), now);
        self.tell_news();
        match granted {
            Ok(RoutedGrant { grant, place, seen }) => {
                plan.place.set(Some(place));
                let provider = Some(place.provider);
                self.answered.set(Answered { provider, seen, reason: None });
                self.answer(grant)
            }
            Err(RouteRefusal::NoneAvailable { retry_after, at_capacity }) => {
                self.refuse(Refusal::NoneAvailable { retry_after, at_capacity })
            }
            Err(RouteRefusal::Denied(reason)) => self.turn_away(DENIED, reason),
            Err(RouteRefusal::NoGroup(reason)) => self.turn_away(NO_GROUP, reason),
        }
    }

    /// The provider of the last routed lease.
    #[wasm_bindgen(js_name = routedTo)]
    pub fn routed_to(&self) -> u32 {
        self.answered.get().provider.map_or(0, |provider| provider.0)
    }

    /// Where the session of the last routed lease was, as provider and credential; empty when nowhere.
    #[wasm_bindgen(js_name = sessionSeen)]
    pub fn session_seen(&self) -> Vec<u32> {
        let seen = self.answered.get().seen;
        seen.map_or_else(Vec::new, |Address { provider, credential }| {
            vec![provider.0, credential.0]
        })
    }

    /// Why the last request went nowhere.
    #[wasm_bindgen(js_name = turnedAwayFor)]
    pub fn turned_away_for(&self) -> Option<String> {
        self.answered.get().reason.map(|reason| reason.code().to_owned())
    }

    /// Takes in that a request was served with success by that credential, whose session had been `seen`.
    pub fn learn(
        &self,
        low: u32,
        high: u32,
        seen: &[u32],
        provider: u32,
        credential: u32,
    ) -> Result<(), JsValue> {
        let now = self.now().ok_or_else(Failure::clock)?;
        if let Some(session) = convert::session(low, high) {
            let served = address(provider, credential);
            let seen = if let &[provider, credential] = seen {
                Some(address(provider, credential))
            } else {
                None
            };
            self.pool.borrow_mut().learn(session, seen, served, now);
        }
        Ok(())
    }

    /// Why a request would get what it would get.
    pub fn inspect(
        &self,
        access_key: usize,
        protocol: usize,
        model: Option<String>,
        numbers: &[u32],
    ) -> Result<JsValue, JsValue> {
        let needs_seed = self.pool.borrow().route_needs_seed();
        let now = self.prepare_for(needs_seed).map_err(|_| Failure::clock())?;
        let request = routed(access_key, protocol, model.as_deref(), numbers);
        Ok(to_js(&Value::from(&self.pool.borrow().inspect(&request, now))))
    }

    fn turn_away(&self, code: f64, reason: Reason) -> f64 {
        self.answered.set(Answered { reason: Some(reason), ..Answered::default() });
        code
    }
}

fn read_routes(fields: &Fields<'_>) -> RouteConfig {
    let mut config = RouteConfig {
        access_keys: fields.each("accessKeys", read_access_key),
        groups: fields.each("groups", read_group),
        ..RouteConfig::default()
    };
    let strategy = code(fields, "strategy", "must be a strategy", Strategy::from_code);
    config.strategy = strategy.unwrap_or(config.strategy);
    let rule = "must be 'any' or 'own'";
    let continuations = code(fields, "continuations", rule, Continuations::from_code);
    config.continuations = continuations.unwrap_or(config.continuations);
    fields.inner("affinity", |fields| {
        let AffinityConfig { capacity, ttl } = &mut config.affinity;
        if fields.has("capacity") {
            *capacity = fields.whole("capacity");
        }
        if fields.has("ttlMs") {
            *ttl = Some(Millis(fields.whole("ttlMs")));
        }
    });
    config
}

fn read_group(fields: &Fields<'_>) -> Group {
    Group {
        provider: ProviderIndex(fields.whole("provider")),
        enabled: !fields.has("enabled") || fields.flag("enabled"),
        priority: if fields.has("priority") { fields.whole("priority") } else { 0 },
        weight: if fields.has("weight") { fields.weight("weight") } else { Weight::default() },
        protocols: read_protocols(fields).unwrap_or_default(),
        models: fields.has_some("models").then(|| {
            fields.each("models", |fields| Exposed {
                name: fields.text("name").into(),
                upstream: fields.text("upstream").into(),
            })
        }),
    }
}

fn address(provider: u32, credential: u32) -> Address {
    Address { provider: ProviderIndex(provider), credential: CredentialIndex(credential) }
}

fn routed<'a>(
    access_key: usize,
    protocol: usize,
    model: Option<&'a str>,
    numbers: &[u32],
) -> RouteRequest<'a> {
    let asked = convert::request(None, numbers, &[]);
    RouteRequest {
        access_key,
        protocol: Protocol::ALL.get(protocol).copied().unwrap_or(Protocol::OpenaiChat),
        model,
        session: asked.session,
        continues: asked.continues,
        number: asked.number,
    }
}

fn read_access_key(fields: &Fields<'_>) -> AccessKey {
    AccessKey {
        id: fields.text("id").into(),
        enabled: !fields.has("enabled") || fields.flag("enabled"),
        expires_at: fields.has_some("expiresAt").then(|| Wall(fields.whole("expiresAt"))),
        protocols: read_protocols(fields),
        groups: fields.has_some("groups").then(|| {
            let groups: Vec<ProviderIndex> =
                fields.each("groups", |fields| ProviderIndex(fields.whole("provider")));
            groups
        }),
        models: fields.texts_or_null("models"),
    }
}

/// The protocols of a list that the TypeScript side has checked.
fn read_protocols(fields: &Fields<'_>) -> Option<Vec<Protocol>> {
    let names = fields.texts_or_null("protocols")?;
    Some(names.iter().filter_map(|name| Protocol::from_code(name)).collect())
}
