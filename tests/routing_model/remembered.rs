//! Sessions and responses as a list.

use keyrota::{Address, AffinityConfig, SessionHash};

/// Where a session or a response is, and when it was last used; the last one used comes last.
#[derive(Default)]
pub struct Remembered {
    pub list: Vec<(SessionHash, Address, i64)>,
}

impl Remembered {
    pub fn get(&self, of: SessionHash, terms: &AffinityConfig, now: i64) -> Option<Address> {
        let known = self.list.iter().find(|known| known.0 == of)?;
        let is_alive = terms.ttl.is_none_or(|ttl| known.2 + ttl.0 as i64 > now);
        is_alive.then_some(known.1)
    }

    pub fn set(&mut self, of: SessionHash, at: Address, terms: &AffinityConfig, now: i64) {
        if terms.capacity > 0 {
            self.list.retain(|known| known.0 != of);
            self.list.push((of, at, now));
            self.fit(terms);
        }
    }

    pub fn fit(&mut self, terms: &AffinityConfig) {
        let surplus = self.list.len().saturating_sub(terms.capacity);
        self.list.drain(..surplus);
    }
}
