//! The classifier by itself, without a pool.

use wasm_bindgen::prelude::*;

use super::convert::{self, to_js, to_value};
use super::error::Failure;
use crate::classify::{classify as judge, classify_stream_event};
use crate::types::{ErrorRule, Value, Wall};

/// Whether a name leads to rules of its own.
#[wasm_bindgen(js_name = knowsDialect)]
pub fn knows_dialect(name: &str) -> bool {
    crate::classify::knows_dialect(name)
}

/// Judges an outcome by the rules of a dialect, after those of the options; an `is_event` is one event
/// of a stream.
#[wasm_bindgen]
pub fn classify(
    dialect: &str,
    options: &JsValue,
    facts: &JsValue,
    now: f64,
    is_event: bool,
) -> Result<JsValue, JsValue> {
    let rules = ErrorRule::list(&to_value(options)).map_err(|e| Failure::option(&e))?;
    let facts = to_value(facts);
    let headers = convert::headers(&facts);
    let outcome = convert::outcome(&facts, &headers);
    let judge = if is_event { classify_stream_event } else { judge };
    Ok(to_js(&Value::from(&judge(dialect, &rules, &outcome, Wall(now as i64)))))
}
