//! Rows come in.

use super::Pool;
use crate::config::ProviderConfig;
use crate::credential::Row;
use crate::error::InvalidRow;
use crate::event::EventKind;
use crate::provider::{Loaded, twice};
use crate::types::{Address, ProviderIndex, Wall};

impl Pool {
    /// The generation of a provider's rows: hand it in with the rows that were asked for under it.
    #[must_use]
    pub fn generation(&self, provider: ProviderIndex) -> u32 {
        self.provider_at(provider).map_or(0, |known| known.generation)
    }

    /// Whether the provider's rows are loaded and not invalidated.
    #[must_use]
    pub fn is_loaded(&self, provider: ProviderIndex) -> bool {
        self.provider_at(provider).is_some_and(|known| known.loaded)
    }

    /// Gives a provider other settings from now on. Health is kept; another strategy begins anew.
    pub fn configure(&mut self, provider: ProviderIndex, config: ProviderConfig, now: Wall) {
        let now = self.begin(now);
        self.wake(provider, now.inside);
        let Some(known) = self.providers.get_mut(provider.0 as usize) else { return };
        let before = std::mem::replace(&mut known.config, config);
        if before.strategy != known.config.strategy {
            known.tiers.clear();
            if let Some(routes) = &mut self.routes {
                routes.expect_draws(known.config.strategy);
            }
        }
        known.arrange(now.inside);
        self.reschedule_validations();
    }

    /// Forgets that the rows are loaded, so that they are asked for anew. Health is kept.
    pub fn invalidate(&mut self, provider: ProviderIndex) {
        if let Some(known) = self.providers.get_mut(provider.0 as usize) {
            known.generation = known.generation.wrapping_add(1);
            known.loaded = false;
        }
    }

    /// Takes in a provider's rows in place of those before; `None`, and nothing happens, when they were
    /// asked for before an invalidation.
    ///
    /// Health, counts and sessions follow the id. A row whose id another row or another provider has
    /// already is passed over.
    pub fn load(
        &mut self,
        provider: ProviderIndex,
        generation: u32,
        rows: Vec<Row>,
        now: Wall,
    ) -> Option<Loaded> {
        self.load_parsed(provider, generation, rows.into_iter().map(Ok).collect(), now)
    }

    /// As [`load`](Self::load), with the rows that broke a rule before they became rows in their places.
    pub fn load_parsed(
        &mut self,
        provider: ProviderIndex,
        generation: u32,
        rows: Vec<Result<Row, InvalidRow>>,
        now: Wall,
    ) -> Option<Loaded> {
        let now = self.begin(now);
        self.provider_at(provider).filter(|known| known.generation == generation)?;
        self.wake(provider, now.inside);
        let rows = rows.into_iter().enumerate().map(|(at, row)| {
            row.and_then(|row| {
                if self.is_elsewhere(provider, &row.id) { Err(twice(at, row)) } else { Ok(row) }
            })
        });
        let rows = rows.collect();
        let known = self.providers.get_mut(provider.0 as usize)?;
        let (loaded, revived) = known.adopt(rows);
        known.arrange(now.inside);
        let purged = known.purge_absent(now.inside);
        known.loaded = true;
        for credential in revived {
            self.note(provider, credential, EventKind::Enabled);
        }
        for credential in purged {
            self.affinity.release_credential(provider, credential);
            // Another id may get its number.
            self.responses.release_credential(provider, credential);
            if let Some(routes) = &mut self.routes {
                routes.release(Address { provider, credential });
            }
        }
        Some(loaded)
    }

    /// Whether another provider has a row of that id. Rows that may be outdated do not count: the
    /// credential may have moved.
    fn is_elsewhere(&self, provider: ProviderIndex, id: &str) -> bool {
        let others = self.providers.iter().enumerate().filter(|&(at, _)| at != provider.0 as usize);
        others.map(|(_, other)| other).any(|other| {
            let known = other.find(id).and_then(|index| other.get(index));
            other.loaded && known.is_some_and(|known| known.row.is_some())
        })
    }

    /// The rows that the last load passed over.
    #[must_use]
    pub fn invalid_rows(&self, provider: ProviderIndex) -> &[InvalidRow] {
        self.provider_at(provider).map_or(&[], |known| &known.invalid)
    }
}
