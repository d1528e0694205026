//! The pool: the only code that changes anything.
//!
//! Every public call takes `now`, and starts alike: the clock takes it in, overdue leases end, and
//! whoever's rest is over comes back. What happened is left behind as data ([`Pool::take_events`],
//! [`Pool::take_disable_requests`]).

mod acquire;
mod blacklist;
mod by_hand;
mod effects;
mod explain;
mod leases;
mod load;
mod report;
mod route;
mod snapshot;

use crate::affinity::Affinity;
use crate::config::{Config, ProviderConfig};
use crate::event::{DisableRequest, Event, EventKind, RefreshRequest, ValidateRequest};
use crate::provider::{Provider, Providers};
use crate::rng::Rng;
use crate::route::Routes;
use crate::structures::Table;
use crate::types::{
    Clock, CredentialIndex, Inside, Millis, Moment, ProviderIndex, Wall, hash_text,
};
use leases::Leases;

pub use crate::provider::{Loaded, Request};
pub use acquire::Grant;
pub use route::RoutedGrant;

/// Events that nobody takes are dropped, all at once, when there are that many.
const EVENTS_KEPT: usize = 10_000;

/// The credentials of any number of providers, their health, their sessions and their leases.
///
/// ```
/// use keyrota::{Config, Outcome, Policy, Pool, Request, Row, Wall};
///
/// let mut pool = Pool::new(Config::of(Policy::classic()));
/// let openai = pool.provider("openai");
/// let generation = pool.generation(openai);
/// pool.load(openai, generation, vec![Row::new("first"), Row::new("second")], Wall(0));
///
/// // The first key is refused with 429, so the next attempt gets the other one.
/// let request = Request::default();
/// let grant = pool.acquire(openai, &request, Wall(0))?;
/// assert_eq!(pool.credential_id(openai, grant.credential), Some("first"));
/// pool.report(grant.lease, &Outcome::of_status(429), Wall(1_000));
/// let grant = pool.acquire(openai, &request, Wall(1_000))?;
/// assert_eq!(pool.credential_id(openai, grant.credential), Some("second"));
/// # Ok::<(), keyrota::Refusal>(())
/// ```
#[derive(Clone, Debug)]
pub struct Pool {
    config: Config,
    clock: Clock,
    providers: Providers,
    by_name: Table,
    affinity: Affinity,
    /// Which credential made which response.
    responses: Affinity,
    leases: Leases,
    /// The groups, when it is a router.
    routes: Option<Box<Routes>>,
    rng: Rng,
    /// Draws what spreads waits, so that choices do not depend on how many failures there were.
    spread: Rng,
    seeded: bool,
    /// How many requests there were.
    requests: u32,
    swept: Option<Inside>,
    events: Vec<Event>,
    disable_requests: Vec<DisableRequest>,
    refresh_requests: Vec<RefreshRequest>,
    validate_requests: Vec<ValidateRequest>,
    /// When the next blacklisted credential is to be tried; never while there is none.
    validate_at: Inside,
}

impl Pool {
    /// A pool without providers.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self {
            clock: Clock::default(),
            providers: Providers::default(),
            by_name: Table::new(),
            affinity: Affinity::new(config.affinity),
            leases: Leases::new(),
            routes: None,
            responses: Affinity::new(config.responses),
            rng: Rng::from_seed(0),
            spread: Rng::from_seed(1),
            requests: 0,
            seeded: false,
            swept: None,
            events: Vec::new(),
            disable_requests: Vec::new(),
            refresh_requests: Vec::new(),
            validate_requests: Vec::new(),
            validate_at: Inside::MAX,
            config,
        }
    }

    /// The number of a provider; a name that was never seen gets the next one and the pool's settings.
    pub fn provider(&mut self, name: &str) -> ProviderIndex {
        let config = self.config.provider.clone();
        self.provider_with(name, config)
    }

    /// The number of a provider with settings of its own. Settings are fixed at the first mention.
    pub fn provider_with(&mut self, name: &str, config: ProviderConfig) -> ProviderIndex {
        let hash = |name: &str| hash_text(name.as_bytes());
        let Self { providers, by_name, .. } = self;
        let named = |place: u32| providers.get(place as usize).map_or("", |known| &known.name);
        if let Some(known) = by_name.find(hash(name), |place| named(place) == name) {
            return ProviderIndex(known);
        }
        let index = providers.len() as u32;
        by_name.insert(hash(name), index, |place| hash(named(place)));
        providers.push(Provider::new(name, config));
        ProviderIndex(index)
    }

    /// Seeds the random choices. A pool that was never seeded draws from seed 0.
    pub fn seed(&mut self, rng: Rng) {
        self.rng = rng;
        self.spread = rng.fork();
        self.seeded = true;
    }

    /// Whether a seed was handed in.
    #[must_use]
    #[inline(always)]
    pub const fn is_seeded(&self) -> bool {
        self.seeded
    }

    /// A random part of a wait that many share, for whoever waits it out: between 0 and a tenth of it.
    pub fn spread(&mut self, wait: Millis) -> Millis {
        Millis((wait.0 as f64 * self.spread.fraction() / 10.0) as u64)
    }

    /// Whether the provider's strategy draws random numbers and no seed was handed in yet.
    #[must_use]
    #[inline(always)]
    pub fn needs_seed(&self, provider: ProviderIndex) -> bool {
        let draws = |known: &Provider| known.config.strategy.draws();
        !self.seeded && self.provider_at(provider).is_some_and(draws)
    }

    /// The number of the credential with that id.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<(ProviderIndex, CredentialIndex)> {
        let known = self.providers.iter().enumerate().filter_map(|(index, provider)| {
            let credential = provider.find(id)?;
            let has_row = provider.get(credential).is_some_and(|known| known.row.is_some());
            Some(((provider.loaded, has_row), (ProviderIndex(index as u32), credential)))
        });
        // A credential may have moved from a provider that still remembers it.
        known.max_by_key(|&(knowledge, _)| knowledge).map(|(_, numbers)| numbers)
    }

    /// The id of a credential.
    #[must_use]
    pub fn credential_id(
        &self,
        provider: ProviderIndex,
        credential: CredentialIndex,
    ) -> Option<&str> {
        Some(&*self.provider_at(provider)?.get(credential)?.id)
    }

    /// The name of a provider.
    #[must_use]
    pub fn provider_name(&self, provider: ProviderIndex) -> Option<&str> {
        Some(&*self.provider_at(provider)?.name)
    }

    /// What happened since this was last asked, in order.
    pub fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// Whether there is anything to take.
    #[must_use]
    pub const fn has_news(&self) -> bool {
        !(self.events.is_empty()
            && self.disable_requests.is_empty()
            && self.refresh_requests.is_empty()
            && self.validate_requests.is_empty())
    }

    /// The disablings to hand to the app's storage; each comes again at every sweep until it is
    /// [confirmed](Self::confirm_disabled).
    pub fn take_disable_requests(&mut self) -> Vec<DisableRequest> {
        std::mem::take(&mut self.disable_requests)
    }

    /// The credentials for which the host may have a new secret; each request is answered by
    /// [`refreshed`](Self::refreshed).
    pub fn take_refresh_requests(&mut self) -> Vec<RefreshRequest> {
        std::mem::take(&mut self.refresh_requests)
    }

    /// How many sessions are remembered.
    #[must_use]
    pub const fn sessions(&self) -> usize {
        self.affinity.len()
    }

    #[inline(always)]
    fn provider_at(&self, provider: ProviderIndex) -> Option<&Provider> {
        self.providers.get(provider.0 as usize)
    }

    /// What every call begins with.
    fn begin(&mut self, now: Wall) -> Moment {
        let moment = self.clock.observe(now);
        let due = self.swept.get_or_insert(moment.inside).after(self.config.sweep_every);
        if due <= moment.inside {
            self.sweep_at(moment.inside);
        }
        self.end_overdue_leases(moment.inside);
        if self.validate_at <= moment.inside {
            self.request_validations(moment.inside);
        }
        moment
    }

    /// Drops what is forgotten and repeats what was not confirmed, now rather than at its time.
    pub fn sweep(&mut self, now: Wall) {
        let moment = self.clock.observe(now);
        self.sweep_at(moment.inside);
        if self.validate_at <= moment.inside {
            self.request_validations(moment.inside);
        }
    }

    fn sweep_at(&mut self, now: Inside) {
        self.swept = Some(now);
        self.affinity.expire(now);
        self.responses.expire(now);
        if let Some(routes) = &mut self.routes {
            routes.expire(now);
        }
        for provider in 0..self.providers.len() as u32 {
            self.request_unconfirmed(ProviderIndex(provider));
        }
    }

    /// Brings back everyone of the provider whose rest is over.
    fn wake(&mut self, provider: ProviderIndex, now: Inside) {
        while let Some(credential) =
            self.providers.get_mut(provider.0 as usize).and_then(|p| p.wake_one(now))
        {
            self.note(provider, credential, EventKind::Recovered);
        }
    }

    fn note(&mut self, provider: ProviderIndex, credential: CredentialIndex, kind: EventKind) {
        if self.events.len() >= EVENTS_KEPT {
            self.events.clear();
        }
        self.events.push(Event { provider, credential, kind });
    }
}
