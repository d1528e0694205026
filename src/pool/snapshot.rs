//! Writing the pool down, and going on from what was written.

use super::Pool;
use crate::affinity::Affinity;
use crate::snapshot::Snapshot;
use crate::types::{ProviderIndex, SessionHash, Wall};

impl Pool {
    /// Writes down health, order, counts and sessions, without secrets, rows and leases.
    pub fn snapshot(&mut self, now: Wall) -> Snapshot {
        self.clock.observe(now);
        let random = (self.rng, self.seeded);
        Snapshot::of(now, self.clock, random, &self.providers, self.affinity.iter())
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
        for provider in &mut self.providers {
            provider.forget_health();
        }
        let indices: Vec<ProviderIndex> =
            snapshot.providers.iter().map(|state| self.provider(&state.name)).collect();
        for (state, &index) in snapshot.providers.iter().zip(&indices) {
            if let Some(provider) = self.providers.get_mut(index.0 as usize) {
                provider.restore(state);
            }
        }
        for provider in &mut self.providers {
            if provider.loaded {
                provider.arrange(now.inside);
            }
        }
        self.affinity = Affinity::new(self.config.affinity);
        for state in &snapshot.sessions {
            let Some(&provider) = indices.get(state.provider as usize) else {
                continue;
            };
            let known = self.provider_at(provider).and_then(|p| p.find(&state.credential));
            if let Some(credential) = known {
                self.affinity.bind(provider, SessionHash(state.session), credential, state.used);
            }
        }
    }
}
