//! Writing the pool down, and going on from what was written.

use super::Pool;
use crate::affinity::{Affinity, AffinityConfig};
use crate::snapshot::{SessionState, Snapshot};
use crate::types::{ProviderIndex, SessionHash, Wall};

impl Pool {
    /// Writes down health, order, counts and sessions, without secrets, rows and leases.
    pub fn snapshot(&mut self, now: Wall) -> Snapshot {
        self.clock.observe(now);
        let random = (self.rng, self.spread, self.seeded);
        let (sessions, responses) = (self.affinity.iter(), self.responses.iter());
        Snapshot::of(now, self.clock, random, &self.providers, sessions, responses)
    }

    /// Replaces health, order, counts and sessions by those of a snapshot. Rows stay loaded; leases in
    /// flight end without a verdict.
    pub fn restore(&mut self, snapshot: &Snapshot, now: Wall) {
        self.leases.end_all();
        self.clock = snapshot.clock;
        // Seen from a moment before the snapshot, its time stands still until that moment comes.
        self.clock.observe(snapshot.taken_at);
        let now = self.clock.observe(now);
        self.swept = Some(now.inside);
        (self.rng, self.seeded) = (snapshot.rng, snapshot.seeded);
        self.providers.for_each(|_, provider| provider.forget_health());
        let indices: Vec<ProviderIndex> =
            snapshot.providers.iter().map(|state| self.provider(&state.name)).collect();
        for (state, &index) in snapshot.providers.iter().zip(&indices) {
            if let Some(provider) = self.providers.get_mut(index.0 as usize) {
                provider.restore(state);
            }
        }
        self.providers.for_each(|_, provider| {
            // Rows that may be outdated still say who is whose account.
            if provider.loaded || !provider.listed.is_empty() {
                provider.arrange(now.inside);
            }
        });
        self.validate_requests.clear();
        self.reschedule_validations();
        self.spread = snapshot.spread;
        self.affinity = self.bound(&snapshot.sessions, &indices, self.config.affinity);
        self.responses = self.bound(&snapshot.responses, &indices, self.config.responses);
    }

    fn bound(
        &self,
        states: &[SessionState],
        indices: &[ProviderIndex],
        config: AffinityConfig,
    ) -> Affinity {
        let mut affinity = Affinity::new(config);
        for state in states {
            let Some(&provider) = indices.get(state.provider as usize) else {
                continue;
            };
            let find = |id: &str| self.provider_at(provider).and_then(|known| known.find(id));
            if let Some(credential) = find(&state.credential) {
                let session = SessionHash(state.session);
                let lodging = state.lodging.as_deref().and_then(find);
                let used = (state.home_used, state.used);
                affinity.restore(provider, session, credential, lodging, used);
            }
        }
        affinity
    }
}
