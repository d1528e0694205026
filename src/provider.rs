//! One provider: its credentials, in tiers by priority, and who of them is available.

mod capacity;
mod choose;
mod offer;
mod providers;
mod rows;
mod standing;

use crate::config::ProviderConfig;
use crate::cooldown::Cooldown;
use crate::credential::Credential;
use crate::error::InvalidRow;
use crate::health::Health;
use crate::select::{Lineup, Selector};
use crate::structures::{Bitset, IndexedHeap, Table};
use crate::types::{CredentialIndex, Inside, SessionHash, hash_text};

pub(crate) use choose::Choice;
#[cfg(test)]
pub(crate) use offer::OFFERS;
pub(crate) use offer::Offer;
pub(crate) use providers::Providers;
pub use rows::Loaded;
pub(crate) use rows::twice;
pub(crate) use standing::{Probed, Suspect};

/// What a request asks for.
///
/// Without a model and without earlier attempts the choice does not look at every candidate.
#[derive(Clone, Copy, Debug, Default)]
pub struct Request<'a> {
    /// The session that the request belongs to.
    pub session: Option<SessionHash>,
    /// The model that it needs.
    pub model: Option<&'a str>,
    /// The credentials that it has tried before.
    pub tried: &'a [CredentialIndex],
    /// The priority that it has come down to: a lower one comes first, then this one, and none above.
    pub floor: Option<i32>,
    /// The only credential that may serve it, since its first attempt was bound to that one.
    pub only: Option<CredentialIndex>,
    /// The response that it continues, which only the credential that made it can do.
    pub continues: Option<SessionHash>,
    /// The number that all attempts of one request share; 0 when it has but one.
    pub number: u32,
}

/// A request at its moment, as the choice sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ask<'a> {
    pub(crate) session: Option<SessionHash>,
    pub(crate) model: Option<&'a str>,
    /// The hash of the model; 0 when none is asked for.
    pub(crate) model_hash: u64,
    pub(crate) tried: &'a [CredentialIndex],
    /// The priority that it has come down to.
    pub(crate) floor: Option<i32>,
    /// The only credential that can serve it.
    pub(crate) only: Option<CredentialIndex>,
    pub(crate) now: Inside,
}

impl<'a> Ask<'a> {
    #[inline(always)]
    pub(crate) fn new(
        request: &Request<'a>,
        model: Option<&'a str>,
        only: Option<CredentialIndex>,
        now: Inside,
    ) -> Self {
        let model_hash = model.map_or(0, |model| hash_text(model.as_bytes()));
        let Request { session, tried, floor, .. } = *request;
        Self { session, model, model_hash, tried, floor, only, now }
    }

    /// Whether a candidate must be looked at to know whether it will do.
    #[inline(always)]
    pub(crate) const fn filters(&self) -> bool {
        self.model.is_some()
            || !self.tried.is_empty()
            || self.floor.is_some()
            || self.only.is_some()
    }
}

/// The credentials of one provider.
///
/// Invariant: a credential is marked available in its tier exactly when it [is
/// on](Credential::is_on), [has room](Credential::has_room) and is not queued in `cooling`; it is queued
/// there while it, or its quota group, is held out for every model. [`refresh`](Self::refresh) keeps it
/// after every change, [`launch`](Self::launch) and [`land`](Self::land) as leases come and go.
#[derive(Clone, Debug)]
pub(crate) struct Provider {
    pub(crate) name: Box<str>,
    pub(crate) config: ProviderConfig,
    /// Grows with every invalidation: rows of an older generation are not taken in.
    pub(crate) generation: u32,
    pub(crate) loaded: bool,
    /// A credential without an id is a vacant place.
    pub(crate) credentials: Vec<Credential>,
    by_id: Table,
    /// The credentials that have a row, in the order of the rows.
    pub(crate) listed: Vec<CredentialIndex>,
    /// Places in `credentials` that are free again.
    vacant: Vec<CredentialIndex>,
    /// From the highest priority to the lowest.
    pub(crate) tiers: Vec<Tier>,
    /// The tiers that have someone available.
    pub(crate) usable: Bitset,
    /// When whose rest ends.
    pub(crate) cooling: IndexedHeap<Inside>,
    /// The quota groups that a row names, or that are remembered.
    pub(crate) groups: Vec<Group>,
    /// Leases in flight, of all its credentials.
    pub(crate) in_flight: u32,
    /// The only credential that is on, if there is but one.
    pub(crate) alone: Option<CredentialIndex>,
    /// How long nobody is asked at all.
    pub(crate) pause: Cooldown,
    /// Failures that may turn out to be the provider's.
    pub(crate) suspects: Vec<Suspect>,
    /// Whether the model of a request can make a difference.
    pub(crate) minds_models: bool,
    /// Whether a row has a cap.
    pub(crate) caps: bool,
    pub(crate) invalid: Vec<InvalidRow>,
    /// Whether it may have been changed since routes looked at it.
    pub(crate) touched: bool,
}

/// Credentials of one account.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) name: Box<str>,
    pub(crate) health: Health,
}

/// The credentials of one priority.
#[derive(Clone, Debug)]
pub(crate) struct Tier {
    pub(crate) priority: i32,
    pub(crate) members: Vec<CredentialIndex>,
    pub(crate) lineup: Lineup,
    pub(crate) selector: Selector,
}

impl Provider {
    pub(crate) fn new(name: &str, config: ProviderConfig) -> Self {
        Self {
            name: name.into(),
            config,
            generation: 0,
            loaded: false,
            credentials: Vec::new(),
            by_id: Table::new(),
            listed: Vec::new(),
            vacant: Vec::new(),
            tiers: Vec::new(),
            usable: Bitset::default(),
            cooling: IndexedHeap::new(),
            groups: Vec::new(),
            in_flight: 0,
            alone: None,
            pause: Cooldown::default(),
            suspects: Vec::new(),
            minds_models: false,
            caps: false,
            invalid: Vec::new(),
            touched: false,
        }
    }

    #[inline(always)]
    pub(crate) fn get(&self, credential: CredentialIndex) -> Option<&Credential> {
        self.credentials.get(credential.0 as usize)
    }

    #[inline(always)]
    pub(crate) fn get_mut(&mut self, credential: CredentialIndex) -> Option<&mut Credential> {
        self.credentials.get_mut(credential.0 as usize)
    }

    /// The number of the credential with that id.
    pub(crate) fn find(&self, id: &str) -> Option<CredentialIndex> {
        let is_it = |place| self.get(CredentialIndex(place)).is_some_and(|known| *known.id == *id);
        self.by_id.find(hash_text(id.as_bytes()), is_it).map(CredentialIndex)
    }

    /// Every credential that has a row or is remembered.
    pub(crate) fn remembered(&self) -> impl Iterator<Item = &Credential> {
        self.credentials.iter().filter(|credential| !credential.id.is_empty())
    }

    /// Brings back the next credential whose rest is over by now, if there is one.
    pub(crate) fn wake_one(&mut self, now: Inside) -> Option<CredentialIndex> {
        loop {
            let (until, index) = self.cooling.first()?;
            if until > now {
                return None;
            }
            let credential = CredentialIndex(index as u32);
            self.refresh(credential, now);
            if !self.is_resting(credential) {
                return Some(credential);
            }
        }
    }

    /// Whether time alone keeps the credential away.
    pub(crate) fn is_resting(&self, credential: CredentialIndex) -> bool {
        self.cooling.key(credential.0 as usize).is_some()
    }

    /// Makes the availability of a credential follow what is known of it.
    pub(crate) fn refresh(&mut self, credential: CredentialIndex, now: Inside) {
        let Some(known) = self.get(credential) else {
            return;
        };
        let held = if known.is_on() { self.held(credential, now) } else { None };
        let (free, until) = (known.is_on() && known.has_room(), held.map(|held| held.hold.until));
        let index = credential.0 as usize;
        match until {
            Some(until) => self.cooling.set(index, until),
            None => self.cooling.remove(index),
        }
        self.mark(credential, free && until.is_none());
    }

    /// Counts those who are on: the only one there is rests shorter.
    pub(crate) fn recount(&mut self, now: Inside) {
        let on = |&&index: &&CredentialIndex| self.get(index).is_some_and(Credential::is_on);
        let mut those_on = self.listed.iter().filter(on).copied();
        let alone = those_on.next().filter(|_| those_on.next().is_none());
        let before = std::mem::replace(&mut self.alone, alone);
        if before != alone {
            for credential in [before, alone].into_iter().flatten() {
                self.refresh(credential, now);
            }
        }
    }

    fn mark(&mut self, credential: CredentialIndex, available: bool) {
        let Some((tier_index, place)) = self.get(credential).and_then(|known| known.seat) else {
            return;
        };
        let Some(tier) = self.tiers.get_mut(tier_index) else {
            return;
        };
        tier.selector.set_available(&mut tier.lineup, place, available);
        self.usable.set(tier_index, tier.lineup.available().count() > 0);
    }
}
