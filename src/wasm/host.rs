//! What JavaScript hands in: the time source and the callbacks, and what they are told.

use wasm_bindgen::prelude::*;

use super::convert;
use super::pool::Core;
use crate::event::{RefreshRequest, ValidateRequest};

#[wasm_bindgen]
extern "C" {
    /// An object with these methods. None of them may throw: an exception that unwound through Wasm
    /// would leave the pool borrowed.
    pub type Host;

    /// Milliseconds since the epoch; NaN when the time source failed.
    #[wasm_bindgen(method, structural)]
    pub fn now(this: &Host) -> f64;

    /// Something happened that someone listens for.
    #[wasm_bindgen(method, structural)]
    pub fn emit(this: &Host, event: JsValue);

    /// The app's storage should keep this credential disabled.
    #[wasm_bindgen(method, structural)]
    pub fn disable(this: &Host, provider: u32, credential: u32, why: JsValue);

    /// The secret of this credential was refused: is there a new one? `Core::refreshed` takes the answer.
    #[wasm_bindgen(method, structural)]
    pub fn refresh(this: &Host, provider: u32, credential: u32);

    /// This credential is blacklisted: does it work again? A lease of `Core::acquireProbe` finds out.
    #[wasm_bindgen(method, structural)]
    pub fn validate(this: &Host, provider: u32, credential: u32);
}

impl Core {
    /// Tells the host what happened, after the pool's borrow has ended.
    #[inline(always)]
    pub(super) fn tell_news(&self) {
        if self.pool.borrow().has_news() {
            self.tell();
        }
    }

    #[cold]
    fn tell(&self) {
        let mut pool = self.pool.borrow_mut();
        let (events, requests) = (pool.take_events(), pool.take_disable_requests());
        let (refreshes, validations) =
            (pool.take_refresh_requests(), pool.take_validate_requests());
        let events: Vec<JsValue> = if self.listening.get() {
            events.iter().filter_map(|event| convert::event(event, &pool)).collect()
        } else {
            Vec::new()
        };
        drop(pool);
        for event in events {
            self.host.emit(event);
        }
        for request in requests {
            let why = JsValue::from_str(request.why.code());
            self.host.disable(request.provider.0, request.credential.0, why);
        }
        for RefreshRequest { provider, credential } in refreshes {
            self.host.refresh(provider.0, credential.0);
        }
        for ValidateRequest { provider, credential } in validations {
            self.host.validate(provider.0, credential.0);
        }
    }
}
