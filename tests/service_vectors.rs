//! The documented service, step by step: 120 recorded scripts with the answers that must come back.

use std::collections::BTreeMap;

use keyrota::{
    Config, Outcome, Policy, Pool, ProviderIndex, Request, Row, SessionHash, Wall, Weight,
};
use serde_json::Value;

#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test::wasm_bindgen_test)]
#[cfg_attr(not(target_arch = "wasm32"), test)]
fn every_recorded_script_gets_the_recorded_answers() {
    let text = include_str!("vectors/service-vectors.json");
    let scripts: Vec<Value> = serde_json::from_str(text).expect("the vectors are JSON");
    assert_eq!(scripts.len(), 120);
    for script in &scripts {
        let mut service = Service::new(&script["keys"]);
        for (number, step) in script["steps"].as_array().expect("steps").iter().enumerate() {
            let answer = service.step(step);
            if let Some(expected) = step.get("expect") {
                assert_eq!(answer, *expected, "{} step {number}: {step}", script["name"]);
            }
        }
    }
}

/// The documented service over the core, with its rows in memory.
struct Service {
    pool: Pool,
    rows: BTreeMap<String, Vec<Value>>,
}

impl Service {
    fn new(keys: &Value) -> Self {
        let rows = keys.as_object().expect("keys").iter();
        let rows = rows.map(|(name, rows)| (name.clone(), rows.as_array().expect("rows").clone()));
        Self { pool: Pool::new(Config::of(Policy::classic())), rows: rows.collect() }
    }

    fn step(&mut self, step: &Value) -> Value {
        let now = Wall(step["at"].as_i64().expect("at"));
        let session = step["session"].as_str().map(SessionHash::of);
        let provider = step["provider"].as_str().map(|name| self.pool.provider(name));
        let provider = provider.unwrap_or(ProviderIndex(0));
        match step["op"].as_str().expect("op") {
            "getKey" => self.get(provider, None, now).into(),
            "getKeyForSession" => self.get(provider, session, now).into(),
            "reportError" => self.report(provider, session, &step["status"], now),
            "reportSuccess" => {
                self.pool.succeed_session(session.expect("session"), now);
                Value::Null
            }
            "releaseSession" => {
                self.pool.release_session(session.expect("session"));
                Value::Null
            }
            "edit" => {
                let name = step["provider"].as_str().expect("provider").to_owned();
                self.rows.insert(name, step["keys"].as_array().expect("keys").clone());
                self.pool.invalidate(provider);
                Value::Null
            }
            other => panic!("unknown step {other}"),
        }
    }

    fn get(&mut self, provider: ProviderIndex, session: Option<SessionHash>, now: Wall) -> String {
        self.load(provider, now);
        let request = Request { session, ..Request::default() };
        let Ok(credential) = self.pool.pick(provider, &request, now) else {
            return String::new();
        };
        let id = self.pool.credential_id(provider, credential).expect("id");
        let mut rows = self.rows.values().flatten();
        let row = rows.find(|row| row["id"] == id).expect("row");
        row["apiKey"].as_str().expect("apiKey").to_owned()
    }

    fn report(
        &mut self,
        provider: ProviderIndex,
        session: Option<SessionHash>,
        status: &Value,
        now: Wall,
    ) -> Value {
        let status = status.as_u64().and_then(|status| u16::try_from(status).ok()).expect("status");
        let outcome = Outcome::of_status(status);
        let verdict = self.pool.report_session(provider, session.expect("session"), &outcome, now);
        for request in self.pool.take_disable_requests() {
            let id = self.pool.credential_id(provider, request.credential).expect("id").to_owned();
            for row in self.rows.values_mut().flatten().filter(|row| row["id"] == *id) {
                row["enabled"] = false.into();
            }
            self.pool.confirm_disabled(provider, request.credential);
            self.pool.invalidate(provider);
        }
        match verdict {
            Some(_) if matches!(status, 401 | 403 | 429 | 529) => {
                match self.get(provider, session, now) {
                    none if none.is_empty() => Value::Null,
                    key => key.into(),
                }
            }
            _ => Value::Null,
        }
    }

    fn load(&mut self, provider: ProviderIndex, now: Wall) {
        if self.pool.is_loaded(provider) {
            return;
        }
        let name = self.pool.provider_name(provider).expect("name");
        let rows = self.rows.get(name).map_or(&[][..], |rows| rows);
        let rows = rows.iter().map(|row| Row {
            enabled: row["enabled"].as_bool().expect("enabled"),
            weight: Weight::new(row["weight"].as_f64().expect("weight")).expect("1 to 100"),
            ..Row::new(row["id"].as_str().expect("id"))
        });
        let rows = rows.collect();
        let generation = self.pool.generation(provider);
        self.pool.load(provider, generation, rows, now).expect("this generation");
    }
}
