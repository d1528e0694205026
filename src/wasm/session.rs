//! Sessions as JavaScript reports them: for callers without leases, such as the documented service.

use wasm_bindgen::prelude::*;

use super::convert;
use super::error::Failure;
use super::pool::Core;
use crate::types::{Outcome, ProviderIndex, Verdict};

#[wasm_bindgen]
impl Core {
    /// Applies a status to the credential that the session is on; answers whether it is on one.
    #[wasm_bindgen(js_name = reportSession)]
    pub fn report_session(
        &self,
        provider: u32,
        low: u32,
        high: u32,
        status: u16,
    ) -> Result<bool, JsValue> {
        let now = self.now().ok_or_else(Failure::clock)?;
        let Some(session) = convert::session(low, high) else {
            return Ok(false);
        };
        let (provider, outcome) = (ProviderIndex(provider), Outcome::of_status(status));
        let verdict: Option<Verdict> =
            self.pool.borrow_mut().report_session(provider, session, &outcome, now);
        self.tell_news();
        Ok(verdict.is_some())
    }

    /// Applies a success to the credential that the session got last.
    #[wasm_bindgen(js_name = succeedSession)]
    pub fn succeed_session(&self, low: u32, high: u32) -> Result<(), JsValue> {
        let now = self.now().ok_or_else(Failure::clock)?;
        if let Some(session) = convert::session(low, high) {
            self.pool.borrow_mut().succeed_session(session, now);
            self.tell_news();
        }
        Ok(())
    }

    /// Forgets which credentials the session was on.
    #[wasm_bindgen(js_name = releaseSession)]
    pub fn release_session(&self, low: u32, high: u32) -> bool {
        let session = convert::session(low, high);
        session.is_some_and(|session| self.pool.borrow_mut().release_session(session))
    }

    /// How many sessions are remembered.
    pub fn sessions(&self) -> usize {
        self.pool.borrow().sessions()
    }
}
