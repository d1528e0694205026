//! One provider: its credentials, in tiers by priority, and who of them is available.

mod rows;

use crate::config::ProviderConfig;
use crate::credential::Credential;
use crate::error::{InvalidRow, Refusal};
use crate::rng::Rng;
use crate::select::{Draw, Lineup, Selector};
use crate::structures::{Bitset, IndexedHeap, Table};
use crate::types::{CredentialIndex, Inside, Millis, SessionHash, hash_text};

pub use rows::Loaded;
pub(crate) use rows::twice;

/// What a request asks for.
///
/// Without a model and without tried credentials the choice does not look at every candidate.
#[derive(Clone, Copy, Debug, Default)]
pub struct Request<'a> {
    /// The session that the request belongs to.
    pub session: Option<SessionHash>,
    /// The model that it needs.
    pub model: Option<&'a str>,
    /// The credentials that it has tried before.
    pub tried: &'a [CredentialIndex],
}

impl Request<'_> {
    pub(crate) const fn filters(&self) -> bool {
        self.model.is_some() || !self.tried.is_empty()
    }
}

/// The credentials of one provider.
///
/// Invariant: a credential is marked available in its tier exactly when it [is
/// on](Credential::is_on) and not queued in `cooling`. [`refresh`](Self::refresh) keeps it after every
/// change.
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
    pub(crate) invalid: Vec<InvalidRow>,
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
            invalid: Vec::new(),
        }
    }

    pub(crate) fn get(&self, credential: CredentialIndex) -> Option<&Credential> {
        self.credentials.get(credential.0 as usize)
    }

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
        let (deadline, index) = self.cooling.first()?;
        if deadline > now {
            return None;
        }
        self.cooling.remove(index);
        let credential = CredentialIndex(index as u32);
        self.mark(credential, true);
        Some(credential)
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
        let (on, deadline) = (known.is_on(), known.deadline());
        let index = credential.0 as usize;
        if on && deadline > now {
            self.cooling.set(index, deadline);
        } else {
            self.cooling.remove(index);
        }
        self.mark(credential, on && deadline <= now);
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

    /// The choice itself: the session's credential if the serving tier allows it, else the strategy's.
    pub(crate) fn choose(
        &mut self,
        request: &Request<'_>,
        bound: Option<CredentialIndex>,
        rng: &mut Rng,
        now: Inside,
    ) -> Result<CredentialIndex, Refusal> {
        if !self.loaded {
            return Err(Refusal::NotLoaded);
        }
        let chosen = self.serving_tier(request).and_then(|tier| match bound {
            Some(bound) if self.can_serve(bound, tier, request) => {
                self.charge(bound);
                Some(bound)
            }
            _ => self.select(tier, request, rng),
        });
        chosen.ok_or_else(|| Refusal::NoneAvailable { retry_after: self.retry_after(request, now) })
    }

    /// The highest tier that has a candidate for the request; there is none until the rows are loaded.
    pub(crate) fn serving_tier(&self, request: &Request<'_>) -> Option<usize> {
        if !self.loaded {
            return None;
        }
        let mut tier = self.usable.next(0)?;
        while request.filters() && self.next_candidate(tier, request, 0).is_none() {
            tier = self.usable.next(tier + 1)?;
        }
        Some(tier)
    }

    /// The places of a tier that are available and pass the request's filters.
    pub(crate) fn candidates(&self, tier: usize, request: &Request<'_>) -> Vec<usize> {
        let mut places = Vec::new();
        while let Some(place) =
            self.next_candidate(tier, request, places.last().map_or(0, |last| last + 1))
        {
            places.push(place);
        }
        places
    }

    /// The first of those places that is `from` or behind it.
    fn next_candidate(&self, tier: usize, request: &Request<'_>, from: usize) -> Option<usize> {
        let Tier { members, lineup, .. } = self.tiers.get(tier)?;
        let mut place = lineup.available().next(from)?;
        while !self.passes(*members.get(place)?, request) {
            place = lineup.available().next(place + 1)?;
        }
        Some(place)
    }

    /// Whether the request's filters let the credential through.
    pub(crate) fn passes(&self, credential: CredentialIndex, request: &Request<'_>) -> bool {
        !request.tried.contains(&credential)
            && self.get(credential).is_some_and(|known| known.serves(request.model))
    }

    /// Lets the strategy choose within a tier, and counts the choice.
    pub(crate) fn select(
        &mut self,
        tier: usize,
        request: &Request<'_>,
        rng: &mut Rng,
    ) -> Option<CredentialIndex> {
        let draw = Draw { session: request.session, rng };
        if request.filters() {
            return self.select_among(tier, request, draw);
        }
        let Tier { members, lineup, selector, .. } = self.tiers.get_mut(tier)?;
        let place = selector.strategy_mut().pick(lineup, draw)?;
        members.get(place).copied()
    }

    fn select_among(
        &mut self,
        tier: usize,
        request: &Request<'_>,
        draw: Draw<'_>,
    ) -> Option<CredentialIndex> {
        let eligible = self.candidates(tier, request);
        let Tier { members, lineup, selector, .. } = self.tiers.get_mut(tier)?;
        let place = selector.strategy_mut().pick_among(lineup, &eligible, draw)?;
        members.get(place).copied()
    }

    /// Whether the credential is available in that tier and passes the request's filters.
    pub(crate) fn can_serve(
        &self,
        credential: CredentialIndex,
        tier: usize,
        request: &Request<'_>,
    ) -> bool {
        let seat = self.get(credential).and_then(|known| known.seat);
        seat.is_some_and(|(its_tier, place)| {
            its_tier == tier
                && self.tiers.get(tier).is_some_and(|t| t.lineup.available().contains(place))
                && (!request.filters() || self.passes(credential, request))
        })
    }

    /// Counts a choice that the strategy did not make.
    pub(crate) fn charge(&mut self, credential: CredentialIndex) {
        if let Some((tier, place)) = self.seat(credential) {
            tier.selector.strategy_mut().charge(place, &tier.lineup);
        }
    }

    /// Counts a lease that begins; answers the credential's generation.
    pub(crate) fn launch(&mut self, credential: CredentialIndex) -> u32 {
        let Some(known) = self.get_mut(credential) else { return 0 };
        known.in_flight += 1;
        let generation = known.generation;
        self.tell_in_flight(credential);
        generation
    }

    /// Counts a lease that ended.
    pub(crate) fn land(&mut self, credential: CredentialIndex) {
        if let Some(known) = self.get_mut(credential) {
            known.in_flight = known.in_flight.saturating_sub(1);
            self.tell_in_flight(credential);
        }
    }

    /// Tells the strategy of the leases in flight, if it looks at them.
    fn tell_in_flight(&mut self, credential: CredentialIndex) {
        if !self.config.strategy.counts_leases() {
            return;
        }
        let leases = self.get(credential).map_or(0, |known| known.in_flight);
        if let Some((tier, place)) = self.seat(credential) {
            tier.selector.strategy_mut().in_flight(place, leases);
        }
    }

    /// How long until a candidate for the request is back, if all that is needed is time.
    pub(crate) fn retry_after(&self, request: &Request<'_>, now: Inside) -> Option<Millis> {
        let first = if request.filters() {
            (0..self.credentials.len())
                .filter(|&index| self.passes(CredentialIndex(index as u32), request))
                .filter_map(|index| self.cooling.key(index))
                .min()
        } else {
            self.cooling.first().map(|(deadline, _)| deadline)
        };
        first.map(|deadline| deadline.wait_from(now))
    }

    fn seat(&mut self, credential: CredentialIndex) -> Option<(&mut Tier, usize)> {
        let (tier, place) = self.get(credential)?.seat?;
        Some((self.tiers.get_mut(tier)?, place))
    }
}
