//! Caps on the leases in flight, by counting them.

use crate::naive::{Ask, Naive, Session};

impl Naive {
    /// The leases in flight on the credential, or on all of the provider.
    pub fn busy(&self, provider: usize, id: Option<&str>, now: i64) -> usize {
        let ttl = self.config.lease_ttl.0 as i64;
        let leases = self.leases.iter().filter(|lease| {
            lease.provider == provider
                && id.is_none_or(|id| lease.id == id)
                && lease.began + ttl > now
        });
        leases.count()
    }

    pub fn is_full(&self, provider: usize, now: i64) -> bool {
        let cap = self.config.provider.max_concurrent;
        cap.is_some_and(|cap| self.busy(provider, None, now) >= cap as usize)
    }

    /// Whether its own cap has room.
    pub fn has_own_room(&self, provider: usize, id: &str, now: i64) -> bool {
        let row = self.providers[provider].credentials[id].row.as_ref();
        let cap = row.and_then(|row| row.max_concurrent);
        cap.is_none_or(|cap| self.busy(provider, Some(id), now) < cap as usize)
    }

    pub fn has_room(&self, provider: usize, id: &str, now: i64) -> bool {
        !self.is_full(provider, now) && self.has_own_room(provider, id, now)
    }

    /// Whether anyone has a cap.
    pub fn is_capped(&self, provider: usize) -> bool {
        let rows = self.providers[provider].credentials.values().filter_map(|c| c.row.as_ref());
        self.config.provider.max_concurrent.is_some()
            || rows.into_iter().any(|row| row.max_concurrent.is_some())
    }

    /// Whether nothing but a cap keeps it from the request.
    pub fn is_crowded(&self, provider: usize, id: &str, model: Option<&str>, now: i64) -> bool {
        !self.has_room(provider, id, now)
            && self.paused(provider, now).is_none()
            && self.awaits_probes(provider, id, model, now)
    }

    /// Whether somebody could serve now, were it not for a cap.
    pub fn is_short_of_room(&self, provider: usize, ask: &Ask) -> bool {
        let (now, fail_open) = (self.inside, self.config.provider.fail_open);
        let mut fitting = self.providers[provider].credentials.keys();
        fitting.any(|id| {
            self.fits(provider, id, ask)
                && (self.is_crowded(provider, id, ask.model, now)
                    || fail_open && !self.has_room(provider, id, now))
        })
    }

    /// Whether the session would have got a better place than it did, were it not for a cap.
    pub fn overflows(
        &self,
        provider: usize,
        ask: &Ask,
        bound: &Session,
        chosen: &str,
        serving: Option<i32>,
    ) -> bool {
        let now = self.inside;
        let places = [Some(&bound.home), bound.lodging.as_ref()].into_iter().flatten();
        places.take_while(|place| **place != chosen).any(|place| {
            let row = self.providers[provider].credentials[place].row.as_ref();
            let ranks = row.is_some_and(|row| serving.is_none_or(|tier| row.priority >= tier));
            ranks
                && self.fits(provider, place, ask)
                && !self.has_room(provider, place, now)
                && self.held(provider, place, ask.model, now).is_none()
        })
    }
}
