//! The pool as it is: explained, listed, written down, and read back.

use wasm_bindgen::prelude::*;

use super::convert::{self, to_js, to_value};
use super::error::Failure;
use super::pool::Core;
use crate::snapshot::Snapshot;
use crate::types::{ProviderIndex, Value};

#[wasm_bindgen]
impl Core {
    /// Why each credential is chosen or passed over.
    pub fn explain(
        &self,
        provider: u32,
        model: Option<String>,
        numbers: &[u32],
    ) -> Result<JsValue, JsValue> {
        let now = self.now().ok_or_else(Failure::clock)?;
        let tried = convert::tried(numbers);
        let request = convert::request(model.as_deref(), numbers, &tried);
        let explanation = self.pool.borrow().explain(ProviderIndex(provider), &request, now);
        Ok(to_js(&Value::from(&explanation)))
    }

    /// What is known of each credential.
    pub fn status(&self, provider: u32) -> Result<JsValue, JsValue> {
        let now = self.now().ok_or_else(Failure::clock)?;
        let rows = self.pool.borrow().status(ProviderIndex(provider), now);
        Ok(to_js(&Value::list(&rows)))
    }

    /// All that must outlive the process.
    pub fn snapshot(&self) -> Result<JsValue, JsValue> {
        let now = self.now().ok_or_else(Failure::clock)?;
        let snapshot = self.pool.borrow_mut().snapshot(now);
        Ok(to_js(&Value::from(&snapshot)))
    }

    /// Says whether a snapshot can be restored, and changes nothing.
    #[wasm_bindgen(js_name = checkSnapshot)]
    pub fn check_snapshot(&self, snapshot: JsValue) -> Result<(), JsValue> {
        Snapshot::read(&to_value(&snapshot)).map(drop).map_err(|e| Failure::snapshot(&e))
    }

    /// Goes on from a snapshot.
    pub fn restore(&self, snapshot: JsValue) -> Result<(), JsValue> {
        let now = self.now().ok_or_else(Failure::clock)?;
        let snapshot = Snapshot::read(&to_value(&snapshot)).map_err(|e| Failure::snapshot(&e))?;
        self.pool.borrow_mut().restore(&snapshot, now);
        Ok(())
    }
}
