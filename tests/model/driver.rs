//! The same requests and reports to the pool and to the naive pool.

use keyrota::{
    ChoiceReason, Config, CredentialIndex, Event, Explanation, LeaseId, Pool, ProviderIndex,
    Refusal, Request, Rng, SessionHash, Wall,
};

use crate::look::Candidate;
use crate::naive::{Ask, Naive};
use crate::storage::Storage;

pub const PROVIDERS: usize = 2;
pub const SESSIONS: u64 = 12;
const RESPONSES: u64 = 4;

pub struct Driver {
    pub seed: u64,
    pub step: usize,
    pub rng: Rng,
    pub config: Config,
    pub pool: Pool,
    pub naive: Naive,
    pub storage: Storage,
    pub now: i64,
    /// The leases of the pool, with their numbers in the naive pool; some of them have ended.
    pub leases: Vec<(LeaseId, u64)>,
    /// Disablings that the storage has not answered yet.
    pub unanswered: Vec<(usize, String)>,
    /// Questions for a new secret that the host has not answered yet.
    pub refreshing: Vec<(usize, String)>,
    pub requests: u32,
    pub generations: Vec<(usize, u32)>,
    /// Events of the pool that are still to be compared.
    pub events: Vec<Event>,
    /// What was done, newest last.
    pub log: Vec<String>,
}

impl Driver {
    pub fn new(seed: u64, number: usize, config: Config) -> Self {
        let mut rng = Rng::from_text(&format!("{seed} {number}"));
        Self {
            seed,
            step: 0,
            pool: new_pool(&config),
            naive: Naive::new(config.clone(), PROVIDERS),
            storage: Storage::new(PROVIDERS, &mut rng),
            config,
            rng,
            now: 1_700_000_000_000,
            leases: Vec::new(),
            unanswered: Vec::new(),
            refreshing: Vec::new(),
            requests: 0,
            generations: Vec::new(),
            events: Vec::new(),
            log: Vec::new(),
        }
    }

    pub fn run(&mut self, steps: usize) {
        while self.step < steps {
            self.step += 1;
            let provider = self.below(PROVIDERS as u64) as usize;
            match self.below(120) {
                0..32 => self.acquire(provider, true),
                32..37 => self.acquire(provider, false),
                37..40 => self.acquire_chosen(provider),
                40..43 => self.acquire_probe(provider),
                43..45 => self.pick_untimed(provider),
                45..48 => self.look(provider),
                48..69 => self.conclude(),
                69..71 => self.crowd(provider),
                71..73 => self.conclude_beside_a_probe(),
                73..76 => self.report(),
                76..79 => self.report_untroubled(),
                79..81 => self.release(),
                81..85 => self.report_session(provider),
                85..87 => self.release_session(),
                87..88 => self.storm(provider),
                88..89 => self.storm_of_sessions(provider),
                89..92 => self.remember(provider),
                92..94 => self.refreshed(),
                94..98 => self.edit(provider),
                98..100 => self.load_late(provider),
                100..102 => self.reset(provider),
                102..103 => self.enable(provider),
                103..104 => self.recover_quota(provider),
                104..106 => self.confirm(),
                106..119 => self.pass_time(),
                _ => self.go_on_from_a_snapshot(),
            }
            self.compare(provider);
        }
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.rng.below(bound)
    }

    pub fn wall(&self) -> Wall {
        Wall(self.now)
    }

    pub fn note(&mut self, operation: impl std::fmt::Debug) {
        self.log.push(format!("{} at {}: {operation:?}", self.step, self.now));
    }

    /// What a failure message must say.
    pub fn context(&self) -> String {
        let strategy = self.config.provider.strategy;
        let policy = self.config.provider.policy.name;
        let recent = self.log[self.log.len().saturating_sub(12)..].join("\n  ");
        format!(
            "KEYROTA_TEST_SEED={}, {policy:?}, {strategy:?}, now {}\n  {recent}",
            self.seed, self.now
        )
    }

    pub fn ask(&mut self) -> Ask {
        let session = (self.below(2) == 0).then(|| self.below(SESSIONS));
        let model = match self.below(8) {
            0 | 1 => Some("small"),
            2 => Some("large"),
            _ => None,
        };
        let continues = (self.below(12) == 0).then(|| self.below(RESPONSES));
        self.requests += 1;
        let number = if self.below(4) == 0 { self.requests } else { 0 };
        let floor = (self.below(8) == 0).then(|| self.below(3) as i32 - 1);
        Ask { session, model, continues, number, floor, tried: Vec::new() }
    }

    /// A random id of the provider's rows.
    pub fn some_id(&mut self, provider: usize) -> Option<String> {
        let known: Vec<String> =
            self.naive.providers[provider].credentials.keys().cloned().collect();
        let at = self.below(known.len() as u64) as usize;
        known.get(at).cloned()
    }

    pub fn index(&self, provider: usize, id: &str) -> CredentialIndex {
        CredentialIndex(self.naive.providers[provider].credentials[id].index)
    }

    pub fn id(&self, provider: usize, credential: CredentialIndex) -> String {
        self.pool.credential_id(at(provider), credential).expect("an id").to_owned()
    }

    /// Most requests find their provider loaded.
    fn load_if_needed(&mut self, provider: usize) {
        if !self.naive.providers[provider].loaded && self.below(10) > 0 {
            self.load(provider);
        }
    }

    pub fn load(&mut self, provider: usize) {
        let rows = self.storage.rows(provider);
        self.note(("load", provider, rows.iter().map(|row| row.id.clone()).collect::<Vec<_>>()));
        let generation = self.pool.generation(at(provider));
        self.generations.push((provider, generation));
        let loaded = self.pool.load(at(provider), generation, rows.clone(), self.wall());
        let loaded =
            loaded.unwrap_or_else(|| panic!("the generation is right: {}", self.context()));
        self.naive.begin(self.now);
        let accepted = self.naive.load(provider, &rows);
        self.learn_numbers();
        let named = loaded.iter().flatten().map(|&index| self.id(provider, index));
        let taken_in = rows.iter().zip(&accepted).filter(|(_, accepted)| **accepted);
        assert!(named.eq(taken_in.map(|(row, _)| row.id.to_string())), "{}", self.context());
        let taken_in: Vec<bool> = loaded.iter().map(Option::is_some).collect();
        assert_eq!(taken_in, accepted, "which rows are taken in: {}", self.context());
        self.storage.saw(provider, &accepted);
    }

    /// Rows that were asked for before an invalidation come too late.
    fn load_late(&mut self, provider: usize) {
        self.note(("load late", provider));
        let late = self
            .generations
            .iter()
            .find(|known| known.0 == provider && known.1 != self.pool.generation(at(provider)));
        if let Some(&(_, generation)) = late {
            let loaded = self.pool.load(at(provider), generation, Vec::new(), self.wall());
            assert_eq!(loaded, None, "{}", self.context());
            self.naive.begin(self.now);
        }
    }

    fn acquire(&mut self, provider: usize, with_lease: bool) {
        self.load_if_needed(provider);
        let mut ask = self.ask();
        if self.below(6) == 0 {
            ask.tried = (0..1 + self.below(3)).filter_map(|_| self.some_id(provider)).collect();
        }
        self.acquire_for(provider, &ask, with_lease);
    }

    /// The same request to both; answers the lease.
    pub fn acquire_for(
        &mut self,
        provider: usize,
        ask: &Ask,
        with_lease: bool,
    ) -> Option<(LeaseId, u64)> {
        self.note(("acquire", provider, ask));
        let tried: Vec<_> = ask.tried.iter().map(|id| self.index(provider, id)).collect();
        let (request, wall) = (request(ask, &tried), self.wall());
        let explanation = self.pool.explain(at(provider), &request, wall);
        let grant = if with_lease {
            let grant = self.pool.acquire(at(provider), &request, wall);
            grant.map(|grant| (grant.credential, Some((grant.reason, grant.lease))))
        } else {
            self.pool.pick(at(provider), &request, wall).map(|credential| (credential, None))
        };
        let answer = grant.map(|(credential, _)| self.id(provider, credential));
        self.naive.begin(self.now);
        if self.naive.providers[provider].loaded {
            self.compare_explanation(provider, ask, &explanation, &answer);
        }
        self.naive.wake(provider);
        let choice = self.naive.choices(provider, ask);
        let (chosen, choice) = match (answer, choice) {
            (Ok(chosen), Ok(choice)) => (chosen, choice),
            (answer, choice) => {
                let (answer, choice) = (answer.map(|_| ()), choice.map(|_| ()));
                assert_eq!(answer, choice, "the refusal: {}", self.context());
                self.naive.meet("a refusal");
                return None;
            }
        };
        let context = self.context();
        assert!(choice.ids.contains(&chosen), "{chosen} is none of {choice:?}: {context}");
        let bound = ask.session.and_then(|session| self.naive.binding(provider, session).cloned());
        let reason = self.naive.choose(provider, ask, &chosen, &choice);
        self.naive.count_pick(provider, &chosen, self.now);
        let (_, lease) = grant.expect("it was granted");
        let (told, lease) = lease?;
        assert_eq!(told, reason, "why {chosen} of {choice:?} from {bound:?}: {context}");
        let lease = (lease, self.naive.lease(provider, &chosen, ask, reason));
        self.leases.push(lease);
        Some(lease)
    }

    /// An explanation, made before, agrees with what came of the request.
    fn compare_explanation(
        &self,
        provider: usize,
        ask: &Ask,
        explanation: &Explanation,
        answer: &Result<String, Refusal>,
    ) {
        let chosen = answer.as_deref().ok();
        let told = explanation.candidates.iter().filter(|told| told.field.is_none());
        let told: Vec<_> = told.map(Candidate::from).collect();
        let expected = self.naive.candidates(provider, ask, chosen, self.now);
        assert_eq!(told, expected, "the explanation: {}", self.context());
        assert_eq!(explanation.choice.as_deref(), chosen, "the choice: {}", self.context());
        let (retry_after, at_capacity) = (explanation.retry_after_ms, explanation.at_capacity);
        let told = Refusal::NoneAvailable { retry_after, at_capacity };
        if let Err(refusal) = answer {
            assert_eq!(told, *refusal, "the refusal: {}", self.context());
        }
    }

    /// A choice by the caller's own strategy.
    fn acquire_chosen(&mut self, provider: usize) {
        self.load_if_needed(provider);
        let (ask, Some(id)) = (self.ask(), self.some_id(provider)) else { return };
        self.note(("acquire chosen", provider, &ask, &id));
        let (credential, wall) = (self.index(provider, &id), self.wall());
        let grant = self.pool.acquire_chosen(at(provider), credential, &request(&ask, &[]), wall);
        self.naive.begin(self.now);
        self.naive.wake(provider);
        let allowed = self.able(provider, &ask).contains(&id);
        assert_eq!(grant.is_ok(), allowed, "{}", self.context());
        if let Ok(grant) = grant {
            let reason = self.naive.chosen(provider, &ask, &id);
            assert_eq!(grant.reason, reason, "{}", self.context());
            self.naive.count_pick(provider, &id, self.now);
            self.leases.push((grant.lease, self.naive.lease(provider, &id, &ask, reason)));
        }
    }

    /// A lease on one whatever is known of it.
    fn acquire_probe(&mut self, provider: usize) {
        let Some(id) = self.some_id(provider) else { return };
        self.note(("acquire probe", provider, &id));
        let (credential, wall) = (self.index(provider, &id), self.wall());
        let grant = self.pool.acquire_probe(at(provider), credential, wall);
        self.naive.begin(self.now);
        self.naive.wake(provider);
        let row = self.naive.providers[provider].credentials[&id].row.as_ref();
        let is_possible = row.is_some_and(|row| !row.secret_unresolved);
        assert_eq!(grant.is_ok(), is_possible, "{}", self.context());
        if let Ok(grant) = grant {
            assert_eq!(grant.reason, ChoiceReason::Probe, "{}", self.context());
            self.naive.count_pick(provider, &id, self.now);
            let ask = Ask::default();
            let lease = self.naive.lease(provider, &id, &ask, ChoiceReason::Probe);
            self.leases.push((grant.lease, lease));
        }
    }

    /// Who could serve now.
    fn able(&self, provider: usize, ask: &Ask) -> Vec<String> {
        let now = self.naive.inside;
        if !self.naive.providers[provider].loaded || self.naive.paused(provider, now).is_some() {
            return Vec::new();
        }
        self.naive.eligible(provider, ask, now).map_or_else(Vec::new, |(_, eligible)| eligible)
    }

    /// Without the time there is a choice only while none is needed, and then it is the same.
    fn pick_untimed(&mut self, provider: usize) {
        let ask = Ask { session: self.ask().session, ..Ask::default() };
        self.note(("pick untimed", provider, &ask));
        let config = &self.naive.config;
        let is_timed = config.affinity.ttl.is_some() && ask.session.is_some();
        let counts_leases = config.provider.strategy.counts_leases();
        let known = &self.naive.providers[provider];
        let is_quiet = known.loaded && known.credentials.values().all(|known| !known.resting);
        let is_capped = self.naive.is_capped(provider);
        let is_allowed = is_quiet && !is_timed && !counts_leases && !is_capped;
        let choice = self.naive.choices(provider, &ask).ok().filter(|_| is_allowed);
        let told = self.pool.pick_untimed(at(provider), &request(&ask, &[]));
        let told = told.map(|chosen| self.id(provider, chosen));
        let context = self.context();
        if let Some(chosen) = told {
            let choice = choice.unwrap_or_else(|| panic!("{chosen} needs the time: {context}"));
            assert!(choice.ids.contains(&chosen), "{chosen}, not {choice:?}: {context}");
            self.naive.choose(provider, &ask, &chosen, &choice);
        } else if choice.is_some() {
            assert!(!self.naive.is_untouched(provider), "no time is needed: {context}");
        }
    }

    /// Who could serve, and where the session is.
    fn look(&mut self, provider: usize) {
        let ask = self.ask();
        self.note(("look", provider, &ask));
        let request = request(&ask, &[]);
        let candidates = self.pool.candidates(at(provider), &request, self.wall());
        let home = self.pool.home(at(provider), &request, self.wall());
        self.naive.begin(self.now);
        self.naive.wake(provider);
        let able = self.able(provider, &ask);
        let only = self.naive.only(provider, &ask).into_iter();
        let mut places = only.chain(self.naive.places(provider, &ask));
        let expected = places.find(|place| able.contains(place));
        let ids: Vec<_> = candidates.into_iter().map(|index| self.id(provider, index)).collect();
        assert_eq!(ids, able, "the candidates: {}", self.context());
        let home = home.map(|index| self.id(provider, index));
        assert_eq!(home, expected, "the session's place: {}", self.context());
    }

    fn remember(&mut self, provider: usize) {
        let Some(id) = self.some_id(provider) else { return };
        let response = self.below(RESPONSES);
        self.note(("remember", provider, response, &id));
        let (credential, wall) = (self.index(provider, &id), self.wall());
        self.pool.remember(at(provider), SessionHash(response), credential, wall);
        self.naive.remember(provider, response, &id, self.now);
    }
}

pub fn new_pool(config: &Config) -> Pool {
    let mut pool = Pool::new(config.clone());
    for provider in 0..PROVIDERS {
        assert_eq!(pool.provider(&format!("provider-{provider}")), at(provider));
    }
    pool
}

pub fn at(provider: usize) -> ProviderIndex {
    ProviderIndex(provider as u32)
}

fn request<'a>(ask: &Ask, tried: &'a [CredentialIndex]) -> Request<'a> {
    Request {
        session: ask.session.map(SessionHash),
        model: ask.model,
        tried,
        floor: ask.floor,
        only: None,
        continues: ask.continues.map(SessionHash),
        number: ask.number,
    }
}
