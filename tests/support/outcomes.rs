//! One outcome with what it means, as the rows of `outcomes.jsonl` write it.

use keyrota::{Outcome, Phase, Value, Verdict, Wall, classify};

/// The tolerance of waits that are estimates of ours: a day, in milliseconds.
const DAY_MS: i64 = 86_400_000;

/// A row.
pub struct Case {
    id: String,
    provider: String,
    status: Option<u16>,
    headers: Vec<(String, String)>,
    body: String,
    network: Option<String>,
    phase: Phase,
    model: Option<String>,
    now: i64,
    expect: Value,
}

impl Case {
    /// Reads a row.
    pub fn read(row: &Value) -> Self {
        let text = |name: &str| row.field(name).text().map(str::to_owned);
        let headers = match row.field("headers") {
            Value::Fields(fields) => fields
                .iter()
                .map(|(name, value)| (name.clone(), value.text().unwrap_or_default().to_owned()))
                .collect(),
            _ => Vec::new(),
        };
        // A body of another form than JSON is written as a text; `bodyFormat` says which.
        let body = match row.field("body") {
            Value::Null | Value::Absent => String::new(),
            Value::Text(text) if *row.field("bodyFormat") != Value::Absent => text.clone(),
            value => serde_json::to_string(value).expect("a value can be written"),
        };
        Self {
            id: text("id").expect("a row has an id"),
            provider: text("provider").unwrap_or_default(),
            status: row.field("status").whole().map(|status| status as u16),
            headers,
            body,
            network: row.field("network").field("code").text().map(str::to_owned),
            phase: text("phase").map_or(Phase::Response, |code| {
                Phase::from_code(&code).unwrap_or_else(|| panic!("{code} is no phase"))
            }),
            model: text("model"),
            now: instant(&text("now").unwrap_or_default()),
            expect: row.field("expect").clone(),
        }
    }

    /// What the outcome means.
    pub fn verdict(&self) -> Verdict {
        let headers: Vec<(&str, &str)> =
            self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let outcome = Outcome {
            status: self.status,
            headers: &headers,
            body: &self.body,
            network_code: self.network.as_deref(),
            phase: self.phase,
            model: self.model.as_deref(),
            is_cut: false,
        };
        classify(&self.provider, &[], &outcome, Wall(self.now))
    }

    /// Compares; the error says every field that differs.
    pub fn check(&self) -> Result<(), String> {
        let verdict = Value::from(&self.verdict());
        let mut wrong = Vec::new();
        let wait_from = self.expect.field("waitFrom").text().unwrap_or_default();
        let is_estimate = wait_from.starts_with("calendar:") || wait_from.starts_with("derived:");
        for name in ["class", "scope", "waitMs", "disable", "retryOther"] {
            let (got, wanted) = (verdict.field(name), self.expect.field(name));
            let same = match (name, got.whole(), wanted.whole()) {
                ("waitMs", Some(got), Some(wanted)) if is_estimate => {
                    (got - wanted).abs() <= DAY_MS
                }
                ("scope", ..) if wanted.text() == Some("key") => got.text() == Some("credential"),
                _ => got == wanted,
            };
            if !same {
                wrong.push(format!("{name} {got:?}, not {wanted:?}"));
            }
        }
        let wrong = wrong.join("; ");
        let from = verdict.field("waitFrom").text();
        let evidence = verdict.field("evidence").text().unwrap_or_default();
        if wrong.is_empty() {
            Ok(())
        } else {
            Err(format!("{} ({evidence}, {from:?}): {wrong}", self.id))
        }
    }
}

/// The milliseconds of `2026-10-20T12:00:00Z`: all rows play on one day.
fn instant(text: &str) -> i64 {
    let day = text.strip_prefix("2026-10-20T").expect("the day of the rows");
    let parts: Vec<i64> =
        day.trim_end_matches('Z').split(':').map(|part| part.parse().expect("a number")).collect();
    let [hours, minutes, seconds] = parts[..] else { panic!("{text}") };
    1_792_454_400_000 + ((hours * 60 + minutes) * 60 + seconds) * 1_000
}
