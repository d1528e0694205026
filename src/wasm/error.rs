//! Errors as plain objects with a stable code; the TypeScript side makes them throwable.

use serde::Serialize;
use wasm_bindgen::JsValue;

use super::convert::to_js;
use crate::error::SnapshotError;
use crate::types::Broken;

/// An error as JavaScript gets it.
#[derive(Serialize)]
pub(super) struct Failure {
    code: &'static str,
    message: String,
}

impl Failure {
    pub(super) fn js(code: &'static str, message: impl ToString) -> JsValue {
        to_js(&Self { code, message: message.to_string() })
    }

    /// The time source answered no finite number.
    pub(super) fn clock() -> JsValue {
        Self::js("invalid_clock", "now must return a finite number of milliseconds")
    }

    /// An option that the TypeScript side should not have let through.
    pub(super) fn option(error: &Broken) -> JsValue {
        Self::js("invalid_option", error)
    }

    pub(super) fn snapshot(error: &SnapshotError) -> JsValue {
        let code = match error {
            SnapshotError::Malformed(_) => "snapshot_malformed",
            SnapshotError::NewerVersion(_) => "snapshot_newer_version",
        };
        Self::js(code, error)
    }
}
