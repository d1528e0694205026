//! Errors as plain objects with a stable code; the TypeScript side makes them throwable.

use wasm_bindgen::JsValue;

use super::convert::to_js;
use crate::error::SnapshotError;
use crate::types::{Broken, Value};

/// Errors as JavaScript gets them.
pub(super) struct Failure;

impl Failure {
    fn js(code: &str, message: &str) -> JsValue {
        to_js(&Value::object().with("code", code).with("message", message))
    }

    /// The time source answered no finite number.
    pub(super) fn clock() -> JsValue {
        Self::js("invalid_clock", "now must return a finite number of milliseconds")
    }

    /// An option that breaks a rule which the core knows.
    pub(super) fn option(error: &Broken) -> JsValue {
        let Broken { path, rule } = error;
        to_js(
            &Value::object()
                .with("code", "invalid_option")
                .with("message", error.to_string().as_str())
                .with("path", path.as_str())
                .with("rule", *rule),
        )
    }

    pub(super) fn snapshot(error: &SnapshotError) -> JsValue {
        let code = match error {
            SnapshotError::Malformed(_) => "snapshot_malformed",
            SnapshotError::NewerVersion(_) => "snapshot_newer_version",
        };
        Self::js(code, &error.to_string())
    }
}
