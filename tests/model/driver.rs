//! The same requests and reports to the pool and to the naive pool.

use keyrota::{
    Config, CredentialIndex, LeaseId, Outcome, Pool, ProviderIndex, Refusal, Request, Rng,
    SessionHash, Wall,
};

use crate::naive::{Ask, Naive};
use crate::storage::Storage;

pub const PROVIDERS: usize = 2;
const SESSIONS: u64 = 12;

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
    pub generations: Vec<(usize, u32)>,
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
            generations: Vec::new(),
            log: Vec::new(),
        }
    }

    pub fn run(&mut self, steps: usize) {
        while self.step < steps {
            self.step += 1;
            let provider = self.below(PROVIDERS as u64) as usize;
            match self.below(100) {
                0..32 => self.acquire(provider, true),
                32..38 => self.acquire(provider, false),
                38..41 => self.acquire_chosen(provider),
                41..43 => self.pick_untimed(provider),
                43..45 => self.look(provider),
                45..65 => self.report(),
                65..68 => self.report_untroubled(),
                68..70 => self.release(),
                70..74 => self.report_session(provider),
                74..76 => self.release_session(),
                76..80 => self.edit(provider),
                80..82 => self.load_late(provider),
                82..84 => self.reset(provider),
                84..86 => self.enable(provider),
                86..88 => self.confirm(),
                88..99 => self.pass_time(),
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

    fn ask(&mut self) -> Ask {
        let session = (self.below(2) == 0).then(|| self.below(SESSIONS));
        let model = match self.below(8) {
            0 => Some("small"),
            1 => Some("large"),
            _ => None,
        };
        Ask { session, model, tried: Vec::new() }
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
        self.note(("acquire", provider, &ask));
        let tried: Vec<_> = ask.tried.iter().map(|id| self.index(provider, id)).collect();
        let request = request(&ask, &tried);
        let explanation = self.pool.explain(at(provider), &request, self.wall());
        let (answer, lease) = if with_lease {
            let grant = self.pool.acquire(at(provider), &request, self.wall());
            (grant.map(|grant| grant.credential), grant.ok().map(|grant| grant.lease))
        } else {
            (self.pool.pick(at(provider), &request, self.wall()), None)
        };
        let answer = answer.map(|credential| self.id(provider, credential));
        self.naive.begin(self.now);
        if self.naive.providers[provider].loaded {
            self.compare_explanation(provider, &ask, &explanation, &answer);
        }
        self.naive.wake(provider);
        match (answer, self.naive.choices(provider, &ask)) {
            (Ok(chosen), Ok(choices)) => {
                let context = self.context();
                assert!(choices.contains(&chosen), "{chosen} is none of {choices:?}: {context}");
                self.naive.choose(provider, &ask, &chosen, true);
                self.naive.count_pick(provider, &chosen, self.now);
                if let Some(lease) = lease {
                    self.leases.push((lease, self.naive.lease(provider, &chosen)));
                }
            }
            (answer, choices) => {
                assert_eq!(answer.err(), choices.err(), "the refusal: {}", self.context());
            }
        }
    }

    /// An explanation, made before, agrees with what came of the request.
    fn compare_explanation(
        &self,
        provider: usize,
        ask: &Ask,
        explanation: &keyrota::Explanation,
        answer: &Result<String, Refusal>,
    ) {
        let chosen = answer.as_deref().ok();
        let told = explanation.candidates.iter().filter(|told| told.field.is_none());
        let told: Vec<_> = told.map(|c| (c.id.clone(), c.reason, c.until)).collect();
        let expected = self.naive.candidates(provider, ask, chosen, self.now);
        assert_eq!(told, expected, "the explanation: {}", self.context());
        assert_eq!(explanation.choice.as_deref(), chosen, "the choice: {}", self.context());
        let told = Refusal::NoneAvailable { retry_after: explanation.retry_after_ms };
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
        let choices = self.naive.eligible(provider, &ask, self.naive.inside);
        let is_loaded = self.naive.providers[provider].loaded;
        let allowed = is_loaded && choices.is_some_and(|(_, eligible)| eligible.contains(&id));
        assert_eq!(grant.is_ok(), allowed, "{}", self.context());
        if let Ok(grant) = grant {
            self.naive.choose(provider, &ask, &id, false);
            self.naive.count_pick(provider, &id, self.now);
            self.leases.push((grant.lease, self.naive.lease(provider, &id)));
        }
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
        let is_allowed = is_quiet && !is_timed && !counts_leases;
        let choices = self.naive.choices(provider, &ask).ok().filter(|_| is_allowed);
        let choice = self.pool.pick_untimed(at(provider), &request(&ask, &[]));
        let choice = choice.map(|chosen| self.id(provider, chosen));
        assert_eq!(choice.is_some(), choices.is_some(), "{}", self.context());
        if let (Some(chosen), Some(choices)) = (choice, choices) {
            assert!(choices.contains(&chosen), "{chosen}, not {choices:?}: {}", self.context());
            self.naive.choose(provider, &ask, &chosen, true);
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
        let eligible = self.naive.eligible(provider, &ask, self.naive.inside);
        let eligible = eligible.filter(|_| self.naive.providers[provider].loaded);
        let eligible = eligible.map_or_else(Vec::new, |(_, eligible)| eligible);
        let expected = self.naive.home(provider, &ask).filter(|home| eligible.contains(home));
        let ids: Vec<_> = candidates.into_iter().map(|index| self.id(provider, index)).collect();
        assert_eq!(ids, eligible, "the candidates: {}", self.context());
        let home = home.map(|index| self.id(provider, index));
        assert_eq!(home, expected, "the session's home: {}", self.context());
    }

    fn some_lease(&mut self) -> Option<(LeaseId, u64)> {
        let recent = self.leases.len().saturating_sub(40);
        let at = recent as u64 + self.rng.below((self.leases.len() - recent) as u64);
        self.leases.get(at as usize).copied()
    }

    fn report(&mut self) {
        let Some((lease, number)) = self.some_lease() else { return };
        let outcome = self.outcome();
        self.note(("report", number, outcome.status, outcome.retry_after));
        let verdict = self.pool.report(lease, &outcome, self.wall());
        let expected = self.naive.report(number, &outcome, self.now);
        assert_eq!(verdict.map(|verdict| verdict.class), expected, "{}", self.context());
    }

    fn report_untroubled(&mut self) {
        let Some((lease, number)) = self.some_lease() else { return };
        self.note(("report untroubled", number));
        let settled = self.pool.report_untroubled(lease);
        assert_eq!(settled, self.naive.report_untroubled(number), "{}", self.context());
    }

    fn release(&mut self) {
        let Some((lease, number)) = self.some_lease() else { return };
        self.note(("release", number));
        self.pool.release(lease);
        self.naive.end(number);
    }

    fn report_session(&mut self, provider: usize) {
        let session = self.below(SESSIONS);
        if self.below(3) == 0 {
            self.note(("succeed session", session));
            self.pool.succeed_session(SessionHash(session), self.wall());
            return self.naive.succeed_session(session, self.now);
        }
        let outcome = self.outcome();
        self.note(("report session", provider, session, outcome.status, outcome.retry_after));
        let (place, hash, wall) = (at(provider), SessionHash(session), self.wall());
        let verdict = self.pool.report_session(place, hash, &outcome, wall);
        let expected = self.naive.report_session(provider, session, &outcome, self.now);
        assert_eq!(verdict.map(|verdict| verdict.class), expected, "{}", self.context());
    }

    fn release_session(&mut self) {
        let session = self.below(SESSIONS);
        self.note(("release session", session));
        let before = self.naive.sessions.len();
        self.naive.sessions.retain(|known| known.session != session);
        let any = before > self.naive.sessions.len();
        assert_eq!(self.pool.release_session(SessionHash(session)), any, "{}", self.context());
    }

    fn outcome(&mut self) -> Outcome<'static> {
        const STATUSES: [u16; 13] =
            [200, 200, 200, 204, 400, 401, 402, 403, 408, 429, 429, 503, 529];
        const WAITS: [&str; 8] = ["1", "30", "60", "61", "7200", "-5", "soon", "0"];
        let status = STATUSES.get(self.below(14) as usize).copied();
        let wait = self.below(3) == 0;
        let retry_after = wait.then(|| WAITS[self.rng.below(8) as usize]);
        Outcome { status, retry_after, ..Outcome::default() }
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
    Request { session: ask.session.map(SessionHash), model: ask.model, tried }
}
