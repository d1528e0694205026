//! A scene of one provider with a clock, and what it takes to set one.

use keyrota::{
    Class, Config, CredentialIndex, EventKind, Evidence, Grant, Millis, Outcome, Policy, Pool,
    ProviderIndex, Reason, Refusal, Request, Row, Scope, SessionHash, StatusRow, Strategy, Verdict,
    Wall, Weight,
};
use proptest::test_runner::Config as Cases;

use crate::support::through_json;

/// How many cases a property is tried with; `PROPTEST_CASES` asks for more.
pub fn cases(cases: u32) -> Cases {
    let asked = std::env::var("PROPTEST_CASES").is_ok().then(|| Cases::default().cases);
    Cases { cases: asked.unwrap_or(cases), failure_persistence: None, ..Cases::default() }
}

/// Rows of those ids and weights.
pub fn weighted(weights: &[(&str, u8)]) -> Vec<Row> {
    weights.iter().map(|&(id, shares)| Row { weight: weight(shares), ..Row::new(id) }).collect()
}

/// Rows of those ids, all of weight 1.
pub fn equal(ids: &[&str]) -> Vec<Row> {
    ids.iter().map(|id| Row::new(id)).collect()
}

pub fn weight(shares: u8) -> Weight {
    Weight::new(f64::from(shares)).expect("between 1 and 100")
}

/// The settings of a policy with a strategy.
pub fn with(policy: Policy, strategy: Strategy) -> Config {
    let mut config = Config::of(policy);
    config.provider.strategy = strategy;
    config
}

/// The settings of the adaptive policy, with waits that are not lengthened at random.
pub fn even() -> Config {
    Config::of(Policy { jitter: 0.0, ..Policy::adaptive() })
}

/// A request of a session.
pub fn session(name: &str) -> Request<'static> {
    Request { session: Some(SessionHash::of(name)), ..Request::default() }
}

/// A request for a model.
pub fn model(name: &str) -> Request<'_> {
    Request { model: Some(name), ..Request::default() }
}

/// Rows of those ids in one quota group.
pub fn grouped(ids: &[&str]) -> Vec<Row> {
    ids.iter().map(|id| Row { quota_group: Some("team".into()), ..Row::new(id) }).collect()
}

/// A verdict without a stated wait.
pub fn verdict(class: Class, scope: Scope) -> Verdict {
    Verdict {
        class,
        scope,
        wait_ms: None,
        wait_from: None,
        evidence: Evidence::Code,
        disable: false,
        retry_other: true,
    }
}

/// A verdict with a wait in seconds.
pub fn stated(class: Class, scope: Scope, seconds: u64) -> Verdict {
    let wait_ms = Some(Millis::from_secs(seconds));
    Verdict { wait_ms, wait_from: Some("header:retry-after".into()), ..verdict(class, scope) }
}

/// A verdict that proves a credential dead.
pub fn proven(class: Class, scope: Scope) -> Verdict {
    Verdict { disable: true, ..verdict(class, scope) }
}

/// A pool with one provider, and the caller's clock.
pub struct Scene {
    pub pool: Pool,
    pub provider: ProviderIndex,
    /// In milliseconds.
    pub now: i64,
}

impl Scene {
    pub fn new(config: Config, rows: Vec<Row>) -> Self {
        let mut pool = Pool::new(config);
        let provider = pool.provider("openai");
        let mut scene = Self { pool, provider, now: 0 };
        scene.load(rows);
        scene
    }

    pub fn classic(rows: Vec<Row>) -> Self {
        Self::new(Config::of(Policy::classic()), rows)
    }

    pub fn adaptive(rows: Vec<Row>) -> Self {
        Self::new(Config::of(Policy::adaptive()), rows)
    }

    /// The adaptive policy's ladders alone: no probes, no jitter, no mercy for the only one.
    pub fn laddered(rows: Vec<Row>) -> Self {
        let policy = Policy { probing: None, jitter: 0.0, alone: None, ..Policy::adaptive() };
        Self::new(Config::of(policy), rows)
    }

    /// The adaptive policy, with waits that are not lengthened at random.
    pub fn even(rows: Vec<Row>) -> Self {
        Self::new(even(), rows)
    }

    pub fn of(strategy: Strategy, rows: Vec<Row>) -> Self {
        Self::new(with(Policy::classic(), strategy), rows)
    }

    /// Sets the clock, in seconds.
    pub fn at(&mut self, seconds: i64) -> &mut Self {
        self.at_ms(seconds * 1_000)
    }

    pub fn at_ms(&mut self, now: i64) -> &mut Self {
        self.now = now;
        self
    }

    pub fn wall(&self) -> Wall {
        Wall(self.now)
    }

    /// The rows changed in the storage.
    pub fn load(&mut self, rows: Vec<Row>) -> Vec<Option<CredentialIndex>> {
        self.pool.invalidate(self.provider);
        let generation = self.pool.generation(self.provider);
        let loaded = self.pool.load(self.provider, generation, rows, self.wall());
        loaded.expect("the generation is the newest")
    }

    pub fn ask(&mut self, request: &Request<'_>) -> Result<Grant, Refusal> {
        self.pool.acquire(self.provider, request, self.wall())
    }

    pub fn acquire(&mut self) -> Grant {
        self.acquire_for(&Request::default())
    }

    pub fn acquire_for(&mut self, request: &Request<'_>) -> Grant {
        let now = self.now;
        self.ask(request).unwrap_or_else(|refusal| panic!("{refusal} at {now} ms"))
    }

    /// Who is chosen, without a lease.
    pub fn pick(&mut self) -> String {
        self.pick_for(&Request::default())
    }

    pub fn pick_for(&mut self, request: &Request<'_>) -> String {
        let chosen = self.pool.pick(self.provider, request, self.wall());
        let chosen = chosen.unwrap_or_else(|refusal| panic!("{refusal} at {} ms", self.now));
        self.id(chosen)
    }

    /// Who is chosen, that many times.
    pub fn picks(&mut self, count: usize) -> Vec<String> {
        (0..count).map(|_| self.pick()).collect()
    }

    /// The same in one word, for ids of one letter.
    pub fn order(&mut self, count: usize) -> String {
        self.picks(count).concat()
    }

    pub fn report(&mut self, grant: Grant, status: u16) -> Option<Verdict> {
        self.pool.report(grant.lease, &Outcome::of_status(status), self.wall())
    }

    /// The provider answers with that status and a `retry-after`.
    pub fn report_wait(&mut self, grant: Grant, status: u16, retry_after: &str) -> Verdict {
        let outcome =
            Outcome { headers: &[("retry-after", retry_after)], ..Outcome::of_status(status) };
        let verdict = self.pool.report(grant.lease, &outcome, self.wall());
        verdict.unwrap_or_else(|| panic!("no such lease at {} ms", self.now))
    }

    /// Ends an attempt with a verdict.
    pub fn conclude(&mut self, grant: Grant, verdict: &Verdict) {
        self.conclude_for(grant, verdict, None);
    }

    /// Ends an attempt for a model with a verdict.
    pub fn conclude_for(&mut self, grant: Grant, verdict: &Verdict, model: Option<&str>) {
        assert!(self.pool.conclude(grant.lease, verdict, model, Wall(self.now)), "it had ended");
    }

    /// One attempt on that very credential, which ends with a verdict at once.
    pub fn fail(&mut self, id: &str, verdict: &Verdict) {
        let grant = self.take(id);
        self.conclude(grant, verdict);
    }

    /// A lease on that very credential, which must be available.
    pub fn take(&mut self, id: &str) -> Grant {
        let (index, now) = (self.index(id), self.wall());
        let grant = self.pool.acquire_chosen(self.provider, index, &Request::default(), now);
        grant.unwrap_or_else(|error| panic!("{id}: {error} at {} ms", self.now))
    }

    /// Whether nobody can serve the request.
    pub fn refuses(&mut self, request: &Request<'_>) -> bool {
        self.ask(request).is_err()
    }

    /// Why the credential is chosen for the request, or passed over.
    pub fn reason(&self, id: &str, request: &Request<'_>) -> Reason {
        let explanation = self.pool.explain(self.provider, request, self.wall());
        let mut candidates = explanation.candidates.into_iter();
        candidates.find(|candidate| candidate.id == id).expect("a candidate").reason
    }

    /// What happened since this was last asked, and to whom.
    pub fn told(&mut self) -> Vec<(String, EventKind)> {
        let events = self.pool.take_events();
        events.into_iter().map(|event| (self.id(event.credential), event.kind)).collect()
    }

    /// One attempt on whoever is chosen, answered at once.
    pub fn attempt(&mut self, status: u16) -> String {
        let grant = self.acquire();
        self.report(grant, status);
        self.id(grant.credential)
    }

    pub fn id(&self, credential: CredentialIndex) -> String {
        self.pool.credential_id(self.provider, credential).expect("an id").to_owned()
    }

    pub fn index(&self, id: &str) -> CredentialIndex {
        self.pool.find(id).unwrap_or_else(|| panic!("no {id}")).1
    }

    pub fn status(&self, id: &str) -> StatusRow {
        let mut rows = self.pool.status(self.provider, self.wall()).into_iter();
        rows.find(|row| row.id == id).unwrap_or_else(|| panic!("no row {id} at {} ms", self.now))
    }

    /// When it may serve again, in milliseconds on the caller's clock.
    pub fn until(&self, id: &str) -> Option<i64> {
        self.status(id).until.map(|until| until.0)
    }

    /// What a refusal says of the time.
    pub fn retry_after(&mut self) -> Option<Millis> {
        match self.ask(&Request::default()) {
            Err(Refusal::NoneAvailable { retry_after, .. }) => retry_after,
            answer => panic!("no refusal but {answer:?} at {} ms", self.now),
        }
    }

    /// Another process goes on from a snapshot, with rows that come before or after it.
    pub fn restarted(&mut self, config: Config, rows: Vec<Row>, rows_first: bool) -> Self {
        let snapshot = through_json(&self.pool.snapshot(self.wall()));
        let mut pool = Pool::new(config);
        let provider = pool.provider("openai");
        let mut scene = Self { pool, provider, now: self.now };
        if rows_first {
            scene.load(rows);
            scene.pool.restore(&snapshot, Wall(self.now));
        } else {
            scene.pool.restore(&snapshot, Wall(self.now));
            scene.load(rows);
        }
        scene
    }
}
