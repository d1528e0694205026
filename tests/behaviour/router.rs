//! A router with a clock, and what it takes to set one.

use keyrota::{
    AccessKey, Address, CredentialIndex, Group, GroupInspection, Next, Outcome, Phase, Plan,
    PlanTerms, Policy, Pool, Protocol, ProviderConfig, ProviderIndex, Reason, RouteConfig,
    RouteRefusal, RouteRequest, RoutedGrant, Row, SessionHash, Strategy, Verdict, Wall,
};

use crate::scene::{even, weight};

/// A group and its provider.
pub struct Spec {
    pub name: &'static str,
    pub config: ProviderConfig,
    pub enabled: bool,
    pub priority: i32,
    pub weight: u8,
    pub protocols: Vec<Protocol>,
    pub models: Option<Vec<keyrota::Exposed>>,
    pub rows: Vec<Row>,
}

impl Spec {
    /// A group of priority 0 that speaks OpenAI's Chat Completions and exposes every model. Its
    /// credentials serve in their order, and their waits are not lengthened at random.
    pub fn of(name: &'static str, rows: Vec<Row>) -> Self {
        let policy = Policy { jitter: 0.0, ..Policy::adaptive() };
        Self {
            name,
            config: ProviderConfig { strategy: Strategy::FillFirst, ..ProviderConfig::of(policy) },
            enabled: true,
            priority: 0,
            weight: 50,
            protocols: vec![Protocol::OpenaiChat],
            models: None,
            rows,
        }
    }

    /// The same with another priority.
    pub fn at(name: &'static str, priority: i32, rows: Vec<Row>) -> Self {
        Self { priority, ..Self::of(name, rows) }
    }
}

/// An access key that may do everything.
pub fn access_key() -> AccessKey {
    AccessKey {
        id: "app".into(),
        enabled: true,
        expires_at: None,
        protocols: None,
        groups: None,
        models: None,
    }
}

/// A request of the first access key for the model `m`.
pub const PLAIN: RouteRequest<'_> = RouteRequest {
    access_key: 0,
    protocol: Protocol::OpenaiChat,
    model: Some("m"),
    session: None,
    continues: None,
    number: 0,
};

/// A request of a session.
pub fn of_session(name: &str) -> RouteRequest<'static> {
    RouteRequest { session: Some(SessionHash::of(name)), ..PLAIN }
}

/// A request that continues a response.
pub fn continuing(response: &str) -> RouteRequest<'static> {
    RouteRequest { continues: Some(SessionHash::of(response)), ..PLAIN }
}

/// A request for a model.
pub fn for_model(model: &str) -> RouteRequest<'_> {
    RouteRequest { model: Some(model), ..PLAIN }
}

/// Nobody can serve, and time alone does not help.
pub const NOBODY: RouteRefusal =
    RouteRefusal::NoneAvailable { retry_after: None, at_capacity: false };

/// A router and its clock. Its groups serve in their order unless a test says otherwise.
pub struct Router {
    pub pool: Pool,
    pub now: Wall,
    pub config: RouteConfig,
}

impl Router {
    pub fn of(groups: Vec<Spec>) -> Self {
        Self::with(Strategy::FillFirst, groups)
    }

    pub fn with(strategy: Strategy, groups: Vec<Spec>) -> Self {
        let config =
            RouteConfig { strategy, access_keys: vec![access_key()], ..RouteConfig::default() };
        let mut router = Self { pool: Pool::new(even()), now: Wall(0), config };
        for group in groups {
            router.add(group);
        }
        router.pool.route(router.config.clone());
        router
    }

    /// Adds a group, which counts from the next change on.
    pub fn add(&mut self, spec: Spec) -> ProviderIndex {
        let Spec { name, config, enabled, priority, weight: shares, protocols, models, rows } =
            spec;
        let provider = self.pool.provider_with(name, config);
        self.load(name, rows);
        let weight = weight(shares);
        let group = Group { provider, enabled, priority, weight, protocols, models };
        self.config.groups.push(group);
        provider
    }

    /// The settings change.
    pub fn change(&mut self, change: impl FnOnce(&mut RouteConfig)) {
        change(&mut self.config);
        self.pool.route(self.config.clone());
    }

    /// The rows of a group change in the storage.
    pub fn load(&mut self, name: &str, rows: Vec<Row>) {
        let provider = self.pool.provider(name);
        self.pool.invalidate(provider);
        let generation = self.pool.generation(provider);
        self.pool.load(provider, generation, rows, self.now).expect("the generation is right");
    }

    /// Sets the clock, in seconds.
    pub fn at(&mut self, seconds: i64) -> &mut Self {
        self.now = Wall(seconds * 1_000);
        self
    }

    pub fn ask(&mut self, request: &RouteRequest<'_>) -> Result<RoutedGrant, RouteRefusal> {
        self.pool.acquire_routed(request, &Plan::new(PlanTerms::default()), self.now)
    }

    /// A lease on whoever is chosen.
    pub fn take(&mut self, request: &RouteRequest<'_>) -> RoutedGrant {
        self.ask(request).unwrap_or_else(|refusal| panic!("{refusal} at {:?}", self.now))
    }

    /// Who is chosen; the attempt succeeds, and nothing is learned from it.
    pub fn goes(&mut self, request: &RouteRequest<'_>) -> String {
        let routed = self.take(request);
        self.pool.report(routed.grant.lease, &Outcome::of_status(200), self.now);
        self.id(&routed)
    }

    /// Who is chosen, that many times, in one word for ids of one letter.
    pub fn order(&mut self, request: &RouteRequest<'_>, count: usize) -> String {
        (0..count).map(|_| self.goes(request)).collect()
    }

    /// A request that succeeds, from which its session is learned; answers who served.
    pub fn serve(&mut self, request: &RouteRequest<'_>) -> String {
        let routed = self.take(request);
        self.succeed(request, &routed);
        self.id(&routed)
    }

    /// The attempt succeeds, and its session is learned.
    pub fn succeed(&mut self, request: &RouteRequest<'_>, routed: &RoutedGrant) {
        self.pool.report(routed.grant.lease, &Outcome::of_status(200), self.now);
        let session = request.session.expect("a session");
        self.pool.learn(session, routed.seen, address(routed), self.now);
    }

    /// An attempt of whoever is chosen ends with a verdict, on the model as the group calls it.
    pub fn fail(&mut self, request: &RouteRequest<'_>, verdict: &Verdict) -> String {
        let routed = self.take(request);
        self.pool.conclude(routed.grant.lease, verdict, request.model, self.now);
        self.id(&routed)
    }

    /// A lease on that credential, whatever is known of it.
    pub fn probe(&mut self, id: &str) -> keyrota::Grant {
        let (provider, credential) = self.find(id);
        self.pool.acquire_probe(provider, credential, self.now).expect("it has a row")
    }

    /// One attempt of a request by its plan; answers who made it and what comes next.
    pub fn attempt(
        &mut self,
        request: &RouteRequest<'_>,
        plan: &mut Plan,
        verdict: &Verdict,
    ) -> Result<(String, Next), RouteRefusal> {
        let routed = self.pool.acquire_routed(request, plan, self.now)?;
        self.pool.conclude(routed.grant.lease, verdict, request.model, self.now);
        let next = plan.attempted(routed.place, verdict, Phase::Response);
        Ok((self.id(&routed), next))
    }

    /// Who makes the attempts of one request that all end so, in one word.
    pub fn descent(
        &mut self,
        request: &RouteRequest<'_>,
        terms: PlanTerms,
        verdict: &Verdict,
    ) -> String {
        let (mut order, mut plan) = (String::new(), Plan::new(terms));
        while let Ok((id, next)) = self.attempt(request, &mut plan, verdict) {
            order.push_str(&id);
            if next != Next::Another {
                break;
            }
        }
        order
    }

    pub fn id(&self, routed: &RoutedGrant) -> String {
        let id = self.pool.credential_id(routed.place.provider, routed.grant.credential);
        id.expect("a credential").to_owned()
    }

    pub fn find(&self, id: &str) -> (ProviderIndex, CredentialIndex) {
        self.pool.find(id).unwrap_or_else(|| panic!("no {id}"))
    }

    /// Why the group is passed over, or that it is not.
    pub fn group(&self, name: &str, request: &RouteRequest<'_>) -> GroupInspection {
        let told = self.pool.inspect(request, self.now);
        told.groups.into_iter().find(|group| group.id == name).expect("a group")
    }

    /// Why the credential is passed over, or that it is not.
    pub fn reason(&self, id: &str, request: &RouteRequest<'_>) -> Reason {
        let groups = self.pool.inspect(request, self.now).groups;
        let mut all = groups.into_iter().flat_map(|group| group.credentials);
        all.find(|known| known.id == id).expect("a credential").reason
    }
}

/// Who made an attempt.
pub fn address(routed: &RoutedGrant) -> Address {
    Address { provider: routed.place.provider, credential: routed.grant.credential }
}
