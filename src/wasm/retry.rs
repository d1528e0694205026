//! The plan of one request as JavaScript holds it: made for a run, and freed when the run ends.

use std::cell::{Cell, RefCell};

use wasm_bindgen::prelude::*;

use super::convert;
use super::pool::Core;
use crate::retry::{Next, Place, Plan as Inner, PlanTerms};
use crate::types::{Class, CredentialIndex, Evidence, Phase, ProviderIndex, Scope, Verdict};

/// The plan of one request.
///
/// It belongs to no pool, so that a run may end it whenever the pool was disposed.
#[wasm_bindgen]
#[allow(missing_debug_implementations)] // JavaScript holds it
pub struct Plan {
    pub(super) plan: RefCell<Inner>,
    /// Where the attempt is made that has not ended yet.
    pub(super) place: Cell<Option<Place>>,
    /// Where the attempts were made that failed, in order.
    failed: RefCell<Vec<Place>>,
}

#[wasm_bindgen]
impl Plan {
    /// The plan of a request that may have so many attempts; a negative number is the default.
    #[wasm_bindgen(constructor)]
    pub fn new(attempts: f64, idempotent: bool) -> Plan {
        // `as` saturates, so no end of attempts is a very far one.
        let attempts = (attempts >= 0.0).then_some(attempts as u32);
        Self {
            plan: RefCell::new(Inner::new(PlanTerms {
                attempts,
                idempotent,
                ..PlanTerms::default()
            })),
            place: Cell::new(None),
            failed: RefCell::new(Vec::new()),
        }
    }

    /// What the next attempt asks of that provider: see [`convert::planned`].
    pub fn asked(&self, provider: u32) -> Vec<u32> {
        convert::planned(&self.plan.borrow(), ProviderIndex(provider))
    }

    /// Takes in how the attempt ended, among so many candidates; answers whether there may be another.
    pub fn attempted(
        &self,
        candidates: usize,
        class: &str,
        scope: &str,
        retry_other: bool,
        phase: &str,
    ) -> bool {
        let known = Class::from_code(class).zip(Scope::from_code(scope));
        let Some(((class, scope), place)) = known.zip(self.place.take()) else {
            return false;
        };
        let verdict = Verdict {
            class,
            scope,
            wait_ms: None,
            wait_from: None,
            evidence: Evidence::Status,
            disable: false,
            retry_other,
        };
        self.failed.borrow_mut().push(place);
        let mut plan = self.plan.borrow_mut();
        plan.count_candidates(candidates);
        let phase = Phase::from_code(phase).unwrap_or_default();
        plan.attempted(place, &verdict, phase) == Next::Another
    }

    /// The numbers, from 0, of the failed attempts whose secret was refused and may be renewed by now.
    pub fn refused(&self) -> Vec<u32> {
        let (plan, failed) = (self.plan.borrow(), self.failed.borrow());
        let refused = |place: &Place| plan.refused().contains(&(place.provider, place.credential));
        let numbers = failed.iter().enumerate().filter(|(_, place)| refused(place));
        numbers.map(|(number, _)| number as u32).collect()
    }

    /// Lets those who were not to blame be tried once more, among them those of the attempts with these
    /// numbers, whose secret was renewed; answers false when there are none.
    pub fn forgive(&self, renewed: &[u32]) -> bool {
        let failed = self.failed.borrow();
        let places = renewed.iter().filter_map(|&number| failed.get(number as usize));
        let renewed: Vec<_> = places.map(|place| (place.provider, place.credential)).collect();
        self.plan.borrow_mut().forgive(&renewed)
    }
}

#[wasm_bindgen]
impl Core {
    /// Tells a plan who makes the attempt that it planned: the credential that the request with these
    /// numbers has just got.
    pub fn place(&self, plan: &Plan, provider: u32, credential: u32, numbers: &[u32]) {
        let tried = convert::tried(numbers);
        let request = convert::request(None, numbers, &tried);
        let (provider, credential) = (ProviderIndex(provider), CredentialIndex(credential));
        plan.place.set(Some(self.pool.borrow().place(provider, credential, &request)));
    }
}
