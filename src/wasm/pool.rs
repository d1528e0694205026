//! The pool as JavaScript holds it: one line per method, numbers where speed counts.

use std::cell::{Cell, RefCell};

use js_sys::{Array, Int32Array};
use wasm_bindgen::prelude::*;

use super::convert::{self, to_js, to_value};
use super::error::Failure;
use super::host::Host;
use super::route::Answered;
use crate::credential::Row;
use crate::error::{NotAvailable, Refusal};
use crate::pool::{Grant, Pool, Request};
use crate::rng::Rng;
use crate::types::{CredentialIndex, LeaseId, Millis, ProviderIndex, Value, Wall};

/// Answers of the hot path that are no lease: the next call says more.
const NONE_AVAILABLE: f64 = -1.0;
const NOT_LOADED: f64 = -2.0;
const BAD_CLOCK: f64 = -3.0;
const NO_RANDOMNESS: f64 = -4.0;

/// A pool and its host.
///
/// The host is called only while the pool is not borrowed, so that a callback may call the pool.
#[wasm_bindgen]
#[allow(missing_debug_implementations)] // JavaScript holds it, and a host has no text form
pub struct Core {
    pub(super) host: Host,
    pub(super) pool: RefCell<Pool>,
    /// Whether anyone listens for events.
    pub(super) listening: Cell<bool>,
    /// The credential of the last lease times 8, plus the reason of the choice.
    granted: Cell<u32>,
    /// The wait of the last refusal, or -1.
    retry_after: Cell<f64>,
    pub(super) answered: Cell<Answered>,
    /// Whether a cap was in the way at the last refusal.
    at_capacity: Cell<bool>,
}

#[wasm_bindgen]
impl Core {
    /// A pool without providers.
    #[wasm_bindgen(constructor)]
    pub fn new(host: Host, options: JsValue) -> Result<Core, JsValue> {
        let config = convert::config(&to_value(&options)).map_err(|e| Failure::option(&e))?;
        Ok(Self {
            host,
            pool: RefCell::new(Pool::new(config)),
            listening: Cell::new(false),
            granted: Cell::new(0),
            retry_after: Cell::new(-1.0),
            answered: Cell::default(),
            at_capacity: Cell::new(false),
        })
    }

    /// The number of a provider; its own options count at the first mention.
    pub fn provider(&self, name: &str, options: JsValue) -> Result<u32, JsValue> {
        if options.is_undefined() {
            return Ok(self.pool.borrow_mut().provider(name).0);
        }
        // The user's object may call the pool while it is read, so it is read before the borrow.
        let config =
            convert::provider_config(&to_value(&options)).map_err(|e| Failure::option(&e))?;
        Ok(self.pool.borrow_mut().provider_with(name, config).0)
    }

    /// Gives a provider other options from now on.
    pub fn configure(&self, provider: u32, options: JsValue) -> Result<(), JsValue> {
        let now = self.now().ok_or_else(Failure::clock)?;
        let config =
            convert::provider_config(&to_value(&options)).map_err(|e| Failure::option(&e))?;
        self.pool.borrow_mut().configure(ProviderIndex(provider), config, now);
        self.tell_news();
        Ok(())
    }

    /// Whether events should be told to the host.
    pub fn listen(&self, listening: bool) {
        self.listening.set(listening);
    }

    /// Seeds the random choices from a text.
    pub fn seed(&self, seed: &str) {
        self.pool.borrow_mut().seed(Rng::from_text(seed));
    }

    /// Leases a credential; a negative number is a refusal.
    pub fn acquire(&self, provider: u32, low: u32, high: u32) -> f64 {
        let request = Request { session: convert::session(low, high), ..Request::default() };
        self.lease(provider, &request)
    }

    /// As `acquire`, for a request that asks for more: see [`convert::request`] for its numbers.
    #[wasm_bindgen(js_name = acquireFiltered)]
    pub fn acquire_filtered(&self, provider: u32, model: Option<String>, numbers: &[u32]) -> f64 {
        let tried = convert::tried(numbers);
        self.lease(provider, &convert::request(model.as_deref(), numbers, &tried))
    }

    /// As `acquireFiltered`, for the credential that the caller's own strategy chose.
    #[wasm_bindgen(js_name = acquireChosen)]
    pub fn acquire_chosen(
        &self,
        provider: u32,
        credential: u32,
        model: Option<String>,
        numbers: &[u32],
    ) -> f64 {
        let tried = convert::tried(numbers);
        let request = convert::request(model.as_deref(), numbers, &tried);
        self.lease_named(|pool, now| {
            pool.acquire_chosen(ProviderIndex(provider), CredentialIndex(credential), &request, now)
        })
    }

    /// Leases that very credential, whatever is known of it.
    #[wasm_bindgen(js_name = acquireProbe)]
    pub fn acquire_probe(&self, provider: u32, credential: u32) -> f64 {
        self.lease_named(|pool, now| {
            pool.acquire_probe(ProviderIndex(provider), CredentialIndex(credential), now)
        })
    }

    /// Who could serve the request now.
    pub fn candidates(
        &self,
        provider: u32,
        model: Option<String>,
        numbers: &[u32],
    ) -> Result<Vec<u32>, JsValue> {
        let now = self.now().ok_or_else(Failure::clock)?;
        let tried = convert::tried(numbers);
        let request = convert::request(model.as_deref(), numbers, &tried);
        let candidates = self.pool.borrow_mut().candidates(ProviderIndex(provider), &request, now);
        self.tell_news();
        Ok(candidates.into_iter().map(|credential| credential.0).collect())
    }

    /// The credential that the session is on and that could serve the request now, or -1.
    pub fn home(
        &self,
        provider: u32,
        model: Option<String>,
        numbers: &[u32],
    ) -> Result<i32, JsValue> {
        let now = self.now().ok_or_else(Failure::clock)?;
        let tried = convert::tried(numbers);
        let request = convert::request(model.as_deref(), numbers, &tried);
        let home = self.pool.borrow_mut().home(ProviderIndex(provider), &request, now);
        self.tell_news();
        Ok(home.map_or(-1, |credential| credential.0.cast_signed()))
    }

    /// Whether the model of a request makes a difference: when not, it need not be told.
    #[wasm_bindgen(js_name = mindsModels)]
    pub fn minds_models(&self, provider: u32) -> bool {
        self.pool.borrow().minds_models(ProviderIndex(provider))
    }

    /// Remembers that a credential made a response.
    pub fn remember(
        &self,
        provider: u32,
        low: u32,
        high: u32,
        credential: u32,
    ) -> Result<(), JsValue> {
        let now = self.now().ok_or_else(Failure::clock)?;
        let (provider, credential) = (ProviderIndex(provider), CredentialIndex(credential));
        if let Some(response) = convert::session(low, high) {
            self.pool.borrow_mut().remember(provider, response, credential, now);
        }
        Ok(())
    }

    /// A random part of a wait that many share, in milliseconds.
    pub fn spread(&self, wait: f64) -> f64 {
        self.pool.borrow_mut().spread(Millis(wait as u64)).0 as f64
    }

    /// The credential of the last lease times 8, plus the reason of the choice.
    pub fn granted(&self) -> u32 {
        self.granted.get()
    }

    /// The wait of the last refusal in milliseconds, or -1 when time does not help.
    #[wasm_bindgen(js_name = retryAfter)]
    pub fn retry_after(&self) -> f64 {
        self.retry_after.get()
    }

    /// Whether somebody could have served at the last refusal, were it not for a cap.
    #[wasm_bindgen(js_name = atCapacity)]
    pub fn at_capacity(&self) -> bool {
        self.at_capacity.get()
    }

    /// How long until the lease that began first ends by itself, in milliseconds; -1 when there is none.
    #[wasm_bindgen(js_name = nextExpiry)]
    pub fn next_expiry(&self) -> f64 {
        let wait = self.now().and_then(|now| self.pool.borrow().next_expiry(now));
        wait.map_or(-1.0, |wait| wait.0 as f64)
    }

    /// Chooses a credential without a lease; a negative number is a refusal.
    pub fn pick(&self, provider: u32, low: u32, high: u32) -> i32 {
        let provider = ProviderIndex(provider);
        let request = Request { session: convert::session(low, high), ..Request::default() };
        if !self.pool.borrow().needs_seed(provider) {
            let untimed = self.pool.borrow_mut().pick_untimed(provider, &request);
            if let Some(credential) = untimed {
                self.tell_news();
                return credential.0.cast_signed();
            }
        }
        let now = match self.prepare(provider) {
            Ok(now) => now,
            Err(code) => return code as i32,
        };
        let picked = self.pool.borrow_mut().pick(provider, &request, now);
        self.tell_news();
        match picked {
            Ok(credential) => credential.0.cast_signed(),
            Err(refusal) => self.refuse(refusal) as i32,
        }
    }

    /// Ends a lease when its status is a success that changes nothing; answers whether it did.
    pub fn settle(&self, lease: f64, status: u16) -> bool {
        (200..300).contains(&status)
            && self.pool.borrow_mut().report_untroubled(LeaseId::from_number(lease))
    }

    /// Ends a lease with what came back, and answers what that means, also when the lease had ended.
    pub fn report(&self, lease: f64, provider: u32, outcome: JsValue) -> Result<JsValue, JsValue> {
        let now = self.now().ok_or_else(Failure::clock)?;
        let (lease, facts) = (LeaseId::from_number(lease), to_value(&outcome));
        let headers = convert::headers(&facts);
        let outcome = convert::outcome(&facts, &headers);
        self.seed_if_possible();
        let mut pool = self.pool.borrow_mut();
        let verdict = pool
            .report(lease, &outcome, now)
            .unwrap_or_else(|| pool.judge(ProviderIndex(provider), &outcome, now));
        drop(pool);
        self.tell_news();
        Ok(to_js(&Value::from(&verdict)))
    }

    /// Ends a lease without a verdict.
    pub fn release(&self, lease: f64) {
        self.pool.borrow_mut().release(LeaseId::from_number(lease));
    }

    /// The generation of a provider's rows.
    pub fn generation(&self, provider: u32) -> u32 {
        self.pool.borrow().generation(ProviderIndex(provider))
    }

    /// Whether a provider's rows are loaded.
    #[wasm_bindgen(js_name = isLoaded)]
    pub fn is_loaded(&self, provider: u32) -> bool {
        self.pool.borrow().is_loaded(ProviderIndex(provider))
    }

    /// Forgets that a provider's rows are loaded.
    pub fn invalidate(&self, provider: u32) {
        self.pool.borrow_mut().invalidate(ProviderIndex(provider));
    }

    /// Takes in a provider's rows; undefined when they were asked for before an invalidation.
    pub fn load(&self, provider: u32, generation: u32, rows: &Array) -> Result<JsValue, JsValue> {
        let now = self.now().ok_or_else(Failure::clock)?;
        let provider = ProviderIndex(provider);
        let rows =
            rows.iter().enumerate().map(|(at, row)| Row::parse(at, &to_value(&row))).collect();
        let loaded = self.pool.borrow_mut().load_parsed(provider, generation, rows, now);
        self.tell_news();
        let Some(loaded) = loaded else {
            return Ok(JsValue::UNDEFINED);
        };
        let number = |place: Option<CredentialIndex>| place.map_or(-1, |c| c.0.cast_signed());
        let pool = self.pool.borrow();
        Ok(to_js(
            &Value::object()
                .with("credentials", Value::list(loaded.into_iter().map(number)))
                .with("invalid", Value::list(pool.invalid_rows(provider))),
        ))
    }

    /// Where the credential of that id is: its provider and its number there; undefined when unknown.
    pub fn find(&self, id: &str) -> Option<Int32Array> {
        let (provider, credential) = self.pool.borrow().find(id)?;
        let place = [provider.0.cast_signed(), credential.0.cast_signed()];
        Some(Int32Array::from(&place[..]))
    }

    /// Ends the rests of a credential that its quota caused.
    #[wasm_bindgen(js_name = recoverQuota)]
    pub fn recover_quota(&self, provider: u32, credential: u32) -> Result<bool, JsValue> {
        self.by_hand(provider, credential, Pool::recover_quota)
    }

    /// Takes in whether there is a new secret for a credential whose old one was refused.
    pub fn refreshed(&self, provider: u32, credential: u32, has_new: bool) -> Result<(), JsValue> {
        let now = self.now().ok_or_else(Failure::clock)?;
        let (provider, credential) = (ProviderIndex(provider), CredentialIndex(credential));
        self.pool.borrow_mut().refreshed(provider, credential, has_new, now);
        self.tell_news();
        Ok(())
    }

    /// Ends every rest of a credential.
    pub fn reset(&self, provider: u32, credential: u32) -> Result<bool, JsValue> {
        self.by_hand(provider, credential, Pool::reset)
    }

    /// Brings a credential back by a person's word, whatever a verdict or the blacklist says of it.
    pub fn recover(&self, provider: u32, credential: u32) -> Result<bool, JsValue> {
        self.by_hand(provider, credential, Pool::recover)
    }

    /// Brings a disabled credential back.
    pub fn enable(&self, provider: u32, credential: u32) -> Result<bool, JsValue> {
        self.by_hand(provider, credential, Pool::enable)
    }

    /// Takes in that the app's storage keeps the credential disabled.
    #[wasm_bindgen(js_name = confirmDisabled)]
    pub fn confirm_disabled(&self, provider: u32, credential: u32) {
        let (provider, credential) = (ProviderIndex(provider), CredentialIndex(credential));
        self.pool.borrow_mut().confirm_disabled(provider, credential);
    }

    /// Drops what is forgotten and repeats what was not confirmed.
    pub fn sweep(&self) -> Result<(), JsValue> {
        let now = self.now().ok_or_else(Failure::clock)?;
        self.pool.borrow_mut().sweep(now);
        self.tell_news();
        Ok(())
    }

    pub(super) fn now(&self) -> Option<Wall> {
        let now = self.host.now();
        now.is_finite().then(|| Wall(now.floor() as i64))
    }

    /// What must be at hand before a choice: the time, and a seed when the strategy draws.
    #[inline(always)]
    fn prepare(&self, provider: ProviderIndex) -> Result<Wall, f64> {
        let needs_seed = self.pool.borrow().needs_seed(provider);
        self.prepare_for(needs_seed)
    }

    /// As `prepare`, for a choice that may draw.
    #[inline(always)]
    pub(super) fn prepare_for(&self, needs_seed: bool) -> Result<Wall, f64> {
        let now = self.now().ok_or(BAD_CLOCK)?;
        if needs_seed {
            let mut seed = [0; 8];
            getrandom::fill(&mut seed).map_err(|_| NO_RANDOMNESS)?;
            self.pool.borrow_mut().seed(Rng::from_seed(u64::from_le_bytes(seed)));
        }
        Ok(now)
    }

    #[inline(always)]
    fn lease(&self, provider: u32, request: &Request<'_>) -> f64 {
        let provider = ProviderIndex(provider);
        let now = match self.prepare(provider) {
            Ok(now) => now,
            Err(code) => return code,
        };
        let granted = self.pool.borrow_mut().acquire(provider, request, now);
        // Who is told may call the pool again, so what belongs to this call is kept after that.
        self.tell_news();
        match granted {
            Ok(grant) => self.answer(grant),
            Err(refusal) => self.refuse(refusal),
        }
    }

    /// Waits are spread by random numbers. Where there are none, they are spread all the same, as in
    /// every other process that has none.
    fn seed_if_possible(&self) {
        let mut seed = [0; 8];
        if !self.pool.borrow().is_seeded() && getrandom::fill(&mut seed).is_ok() {
            self.pool.borrow_mut().seed(Rng::from_seed(u64::from_le_bytes(seed)));
        }
    }

    /// A lease on a credential that the caller names.
    fn lease_named(
        &self,
        grant: impl FnOnce(&mut Pool, Wall) -> Result<Grant, NotAvailable>,
    ) -> f64 {
        let Some(now) = self.now() else {
            return BAD_CLOCK;
        };
        let granted = grant(&mut self.pool.borrow_mut(), now);
        self.tell_news();
        granted.map_or(NONE_AVAILABLE, |grant| self.answer(grant))
    }

    #[inline(always)]
    pub(super) fn answer(&self, grant: Grant) -> f64 {
        self.granted.set((grant.credential.0 << 3) | grant.reason as u32);
        grant.lease.to_number()
    }

    pub(super) fn refuse(&self, refusal: Refusal) -> f64 {
        match refusal {
            Refusal::NotLoaded => NOT_LOADED,
            Refusal::NoneAvailable { retry_after, at_capacity } => {
                self.at_capacity.set(at_capacity);
                self.retry_after.set(retry_after.map_or(-1.0, |wait| wait.0 as f64));
                NONE_AVAILABLE
            }
        }
    }

    fn by_hand(
        &self,
        provider: u32,
        credential: u32,
        act: impl FnOnce(&mut Pool, ProviderIndex, CredentialIndex, Wall) -> bool,
    ) -> Result<bool, JsValue> {
        let now = self.now().ok_or_else(Failure::clock)?;
        let (provider, credential) = (ProviderIndex(provider), CredentialIndex(credential));
        let known = act(&mut self.pool.borrow_mut(), provider, credential, now);
        self.tell_news();
        Ok(known)
    }
}
