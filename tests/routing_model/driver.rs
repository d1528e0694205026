//! The same random requests to the router and to the naive router.

use std::collections::BTreeMap;

use keyrota::{
    Address, AffinityConfig, ChoiceReason, Class, Config, CredentialIndex, LeaseId, Millis, Next,
    Outcome, Phase, Plan, PlanTerms, Policy, Pool, Protocol, ProviderIndex, Rng, RouteRefusal,
    RouteRequest, RoutedGrant, SessionHash, Strategy, Wall,
};

use crate::naive::{Choice, How, Naive};
use crate::settings::{self, KEYS, MODELS, PROVIDERS, chance, one_of};

const SESSIONS: u64 = 8;
const RESPONSES: u64 = 5;
const LEASE_TTL: i64 = 60_000;

/// The name of a provider.
pub fn name(provider: u32) -> String {
    format!("provider {provider}")
}

/// A lease in flight.
struct Open {
    lease: LeaseId,
    provider: ProviderIndex,
    began: i64,
}

pub struct Driver {
    seed: u64,
    requests: usize,
    pub rng: Rng,
    pub pool: Pool,
    pub naive: Naive,
    pub now: i64,
    open: Vec<Open>,
    pub met: BTreeMap<String, u32>,
    /// What was done, newest last.
    log: Vec<String>,
}

impl Driver {
    pub fn new(seed: u64, number: usize, strategy: Strategy) -> Self {
        let mut rng = Rng::from_text(&format!("{seed} {number}"));
        let responses = AffinityConfig { capacity: 3, ttl: None };
        let lease_ttl = Millis(LEASE_TTL.unsigned_abs());
        let mut pool = Pool::new(Config { responses, lease_ttl, ..Config::of(Policy::adaptive()) });
        pool.seed(Rng::from_seed(rng.next_u64()));
        let mut all = Vec::new();
        for provider in 0..PROVIDERS {
            let index = pool.provider_with(&name(provider), settings::provider(strategy, &mut rng));
            let rows = settings::rows(provider, &mut rng);
            pool.load(index, 0, rows.clone(), Wall(0));
            all.push(rows);
        }
        let config = settings::routes(strategy, 0, &mut rng);
        pool.route(config.clone());
        let naive = Naive::new(config, responses, all);
        let (open, met, log) = (Vec::new(), BTreeMap::new(), Vec::new());
        Self { seed, requests: 0, rng, pool, naive, now: 0, open, met, log }
    }

    pub fn run(&mut self, requests: usize) {
        while self.requests < requests {
            match self.rng.below(8) {
                0..4 => self.request(),
                4..6 => self.conclude(),
                _ => self.happen(),
            }
        }
    }

    pub fn wall(&self) -> Wall {
        Wall(self.now)
    }

    fn note(&mut self, what: impl std::fmt::Debug) {
        self.log.push(format!("{} at {}: {what:?}", self.requests, self.now));
    }

    fn meet(&mut self, what: impl Into<String>) {
        *self.met.entry(what.into()).or_insert(0) += 1;
    }

    /// What a failure message must say.
    pub fn context(&self) -> String {
        let recent = self.log[self.log.len().saturating_sub(14)..].join("\n  ");
        let strategy = self.naive.config.strategy;
        format!("KEYROTA_TEST_SEED={}, {strategy:?}, now {}\n  {recent}", self.seed, self.now)
    }

    /// Leases of each provider that have not ended.
    fn in_flight(&mut self) -> Vec<u64> {
        let now = self.now;
        self.open.retain(|open| open.began + LEASE_TTL > now);
        let of = |at| self.open.iter().filter(|open| open.provider.0 == at).count() as u64;
        (0..PROVIDERS).map(of).collect()
    }

    fn ask(&mut self) -> RouteRequest<'static> {
        let rng = &mut self.rng;
        RouteRequest {
            access_key: rng.below(KEYS as u64 * 8 + 1) as usize / 8,
            protocol: one_of(&Protocol::ALL[..2], rng),
            model: (rng.below(5) > 0).then(|| one_of(&MODELS, rng)),
            session: chance(2, rng).then(|| SessionHash(rng.below(SESSIONS))),
            continues: chance(8, rng).then(|| SessionHash(100 + rng.below(RESPONSES))),
            number: 0,
        }
    }

    /// A request by its plan, with whatever happens in the middle of it.
    fn request(&mut self) {
        let request = self.ask();
        let attempts = chance(3, &mut self.rng).then(|| 1 + self.rng.below(6) as u32);
        let terms = PlanTerms { attempts, repeats: self.rng.below(3) as u32, idempotent: false };
        let mut plan = Plan::new(terms);
        self.note(("request", request));
        loop {
            let Ok(routed) = self.attempt(&request, &plan) else {
                if plan.forgive(&[]) {
                    continue;
                }
                return;
            };
            if chance(5, &mut self.rng) {
                return self.keep(&routed); // its end comes later, or never
            }
            let floor = plan.group_floor();
            if floor.is_some_and(|floor| routed.place.group_priority < floor) {
                self.meet("a retry in a lower tier");
            } else if floor.is_some() {
                self.meet("a retry in the same tier");
            }
            let verdict = match self.rng.below(3) {
                0 => return self.succeed(&request, &routed),
                _ => settings::verdict(&mut self.rng),
            };
            self.note(("verdict", verdict.class, verdict.scope, verdict.wait_ms, verdict.disable));
            let model = self.upstream(&request, &routed);
            self.pool.conclude(routed.grant.lease, &verdict, model.as_deref(), self.wall());
            if plan.attempted(routed.place, &verdict, Phase::Response) != Next::Another {
                return;
            }
            if chance(3, &mut self.rng) {
                self.happen();
            }
        }
    }

    fn upstream(&self, request: &RouteRequest<'_>, routed: &RoutedGrant) -> Option<String> {
        let mut groups = self.naive.config.groups.iter();
        let group = groups.find(|group| group.provider == routed.place.provider)?;
        crate::naive::upstream(group, request.model?).map(str::to_owned)
    }

    fn keep(&mut self, routed: &RoutedGrant) {
        let (lease, provider) = (routed.grant.lease, routed.place.provider);
        self.open.push(Open { lease, provider, began: self.now });
    }

    /// One attempt of both, compared.
    fn attempt(
        &mut self,
        request: &RouteRequest<'_>,
        plan: &Plan,
    ) -> Result<RoutedGrant, RouteRefusal> {
        self.requests += 1;
        let (now, in_flight) = (self.wall(), self.in_flight());
        let seen = self.naive.seen(request, now);
        let made_by = self.naive.made_by(&self.pool, request, plan, now);
        let is_first = plan.attempts() == 0;
        let told = is_first.then(|| self.pool.inspect(request, now));
        let choice = self.naive.choose(&self.pool, (request, plan), &in_flight, now);
        let is_full = self.is_at_capacity(seen);
        if let Some(told) = &told {
            self.compare_inspection(told, request);
        }
        let routed = self.pool.acquire_routed(request, plan, now);
        if let Some(told) = &told {
            self.compare_with_answer(told, routed);
        }
        // Nobody reads them, and an inspection copies them.
        self.pool.take_events();
        self.note((
            "plan",
            plan.group_floor(),
            "answer",
            routed.map(|r| (r.place, r.grant.reason)),
        ));
        let (routed, choice) = match (routed, choice) {
            (Ok(routed), Ok(choice)) => (routed, choice),
            (Err(refusal), Err(expected)) => {
                assert_eq!(refusal, expected, "the refusal: {}", self.context());
                self.meet(match refusal {
                    RouteRefusal::Denied(_) => "a denial",
                    RouteRefusal::NoGroup(_) => "a refusal without a group",
                    RouteRefusal::NoneAvailable { retry_after: Some(_), .. } => {
                        "a refusal with a time"
                    }
                    RouteRefusal::NoneAvailable { .. } => "a refusal without a time",
                });
                return Err(refusal);
            }
            (routed, choice) => {
                panic!("{routed:?}, but {choice:?} from {seen:?}: {}", self.context())
            }
        };
        self.compare(request, &routed, &choice);
        self.compare_reason(request, &routed, &choice, (seen, is_full));
        assert_eq!(routed.place.is_bound, made_by.is_some(), "{}", self.context());
        if let Some((response, made_by)) = request.continues.zip(made_by) {
            let kept = self.naive.responses_kept;
            self.naive.responses.set(response, made_by, &kept, self.now);
        }
        Ok(routed)
    }

    fn compare(&mut self, request: &RouteRequest<'_>, routed: &RoutedGrant, choice: &Choice) {
        let groups = &self.naive.config.groups;
        let at = groups.iter().position(|group| group.provider == routed.place.provider);
        let among = choice.among.iter().find(|one| Some(one.0) == at);
        let is_one = among.is_some_and(|one| one.1.contains(&routed.grant.credential));
        assert!(is_one, "{routed:?} is none of {choice:?}: {}", self.context());
        let group = &groups[at.expect("it is one")];
        assert_eq!(group.priority, routed.place.group_priority, "{}", self.context());
        let id = self.pool.credential_id(routed.place.provider, routed.grant.credential);
        let id = id.expect("an id").to_owned();
        let rows = &self.naive.rows[routed.place.provider.0 as usize];
        let row = rows.iter().find(|row| *row.id == *id).expect("a row");
        assert_eq!(row.priority, routed.place.priority, "{}", self.context());
        let is_lowered = groups.iter().any(|other| {
            other.priority > group.priority && self.naive.excluded(other, request).is_none()
        });
        let minds = request.model.is_some() && self.pool.minds_models(routed.place.provider);
        if is_lowered {
            self.meet("a higher tier that was passed over");
        }
        if minds {
            self.meet("a choice for a model that makes a difference");
        }
        if choice.among.len() == 1 && choice.among[0].1.len() == 1 && choice.field.len() > 1 {
            self.meet("a choice that was exact");
        }
    }

    fn compare_reason(
        &mut self,
        request: &RouteRequest<'_>,
        routed: &RoutedGrant,
        choice: &Choice,
        (seen, is_full): (Option<Address>, bool),
    ) {
        let reason = routed.grant.reason;
        self.meet(format!("a choice by {}", reason.code()));
        let fits = match choice.how {
            How::Continuation => {
                matches!(reason, ChoiceReason::Continuation | ChoiceReason::FailOpen)
            }
            How::Affinity => reason == ChoiceReason::Affinity,
            How::LastResort => {
                self.meet("a choice of a last resort");
                matches!(reason, ChoiceReason::Strategy | ChoiceReason::FailOpen)
            }
            How::Strategy if seen.is_none() => reason == ChoiceReason::Strategy,
            How::Strategy if is_full => {
                self.meet("a credential at its cap");
                // Whether nothing but the cap is in the way is for tests/behaviour.
                matches!(reason, ChoiceReason::Overflow | ChoiceReason::Rebound)
            }
            How::Strategy => reason == ChoiceReason::Rebound,
        };
        assert!(fits, "{reason:?} for {choice:?} from {seen:?}: {}", self.context());
        let seen = seen.filter(|_| reason != ChoiceReason::Overflow);
        assert_eq!(routed.seen, seen, "{}", self.context());
        if reason == ChoiceReason::Overflow {
            self.touch_session(request);
        }
    }

    /// Whether a credential has no room for another lease.
    fn is_at_capacity(&self, address: Option<Address>) -> bool {
        let Some(Address { provider, credential }) = address else { return false };
        let id = self.pool.credential_id(provider, credential).unwrap_or_default();
        let rows = self.pool.status(provider, self.wall());
        rows.iter().any(|row| row.id == id && row.state == keyrota::Reason::AtCapacity)
    }

    /// The session of a request is in use, and stays where it is.
    fn touch_session(&mut self, request: &RouteRequest<'_>) {
        let terms = self.naive.config.affinity;
        if let Some(session) = request.session
            && let Some(at) = self.naive.sessions.get(session, &terms, self.now)
        {
            self.naive.sessions.set(session, at, &terms, self.now);
        }
    }

    fn succeed(&mut self, request: &RouteRequest<'_>, routed: &RoutedGrant) {
        let now = self.wall();
        self.pool.report(routed.grant.lease, &Outcome::of_status(200), now);
        let address =
            Address { provider: routed.place.provider, credential: routed.grant.credential };
        if let Some(session) = request.session.filter(|_| self.rng.below(4) > 0)
            && routed.grant.reason != ChoiceReason::Overflow
        {
            // Sometimes what was seen is outdated.
            let seen = if chance(6, &mut self.rng) { None } else { routed.seen };
            self.note(("learn", session, seen, address));
            self.pool.learn(session, seen, address, now);
            let terms = self.naive.config.affinity;
            if self.naive.sessions.get(session, &terms, self.now) == seen {
                self.naive.sessions.set(session, address, &terms, self.now);
            }
        }
        if chance(3, &mut self.rng) {
            let response = SessionHash(100 + self.rng.below(RESPONSES));
            self.note(("remember", response, address));
            self.pool.remember(address.provider, response, address.credential, now);
            let kept = self.naive.responses_kept;
            self.naive.responses.set(response, address, &kept, self.now);
        }
    }

    /// A lease ends.
    fn conclude(&mut self) {
        if self.open.is_empty() {
            return;
        }
        let at = self.rng.below(self.open.len() as u64) as usize;
        let open = self.open.remove(at);
        self.note(("conclude", open.provider));
        let model = one_of(&[None, Some("m"), Some("real")], &mut self.rng);
        match self.rng.below(4) {
            0 => self.pool.release(open.lease),
            1 => {
                let headers = [("retry-after", "20")];
                let stated = chance(2, &mut self.rng);
                let outcome = Outcome {
                    headers: if stated { &headers } else { &[] },
                    model,
                    ..Outcome::of_status(one_of(&[401, 429, 500, 529], &mut self.rng))
                };
                self.pool.report(open.lease, &outcome, self.wall());
            }
            2 => {
                let verdict = settings::verdict(&mut self.rng);
                self.pool.conclude(open.lease, &verdict, model, self.wall());
            }
            _ => {
                let outcome = Outcome { model, ..Outcome::of_status(200) };
                self.pool.report(open.lease, &outcome, self.wall());
            }
        }
    }

    /// Something else happens.
    fn happen(&mut self) {
        let (provider, now) =
            (ProviderIndex(self.rng.below(u64::from(PROVIDERS)) as u32), self.wall());
        let credential = CredentialIndex(self.rng.below(4) as u32);
        let what = self.rng.below(40);
        self.note((what, provider, credential));
        match what {
            0 => {
                let strategy = self.naive.config.strategy;
                let config = settings::routes(strategy, self.now, &mut self.rng);
                self.pool.route(config.clone());
                self.naive.reload(config);
            }
            1..4 => {
                let rows = settings::rows(provider.0, &mut self.rng);
                let generation = self.pool.generation(provider);
                self.pool.load(provider, generation, rows.clone(), now);
                self.naive.rows[provider.0 as usize] = rows;
            }
            4 => {
                let strategy = self.naive.config.strategy;
                let config = settings::provider(strategy, &mut self.rng);
                self.pool.configure(provider, config, now);
            }
            5 => self.pool.invalidate(provider),
            6 | 7 => _ = self.pool.recover(provider, credential, now),
            8 => _ = self.pool.reset(provider, credential, now),
            9 => _ = self.pool.recover_quota(provider, credential, now),
            10 => {
                if self.pool.enable(provider, credential, now) {
                    let id = self.pool.credential_id(provider, credential).unwrap_or_default();
                    let rows = &mut self.naive.rows[provider.0 as usize];
                    if let Some(row) = rows.iter_mut().find(|row| *row.id == *id) {
                        row.enabled = true;
                    }
                }
            }
            11 | 12 => {
                if let Ok(grant) = self.pool.acquire_probe(provider, credential, now) {
                    let verdict = settings::verdict(&mut self.rng);
                    self.pool.conclude(grant.lease, &verdict, Some("m"), now);
                }
            }
            13..16 => self.fail_all(provider),
            16..32 => self.now += self.rng.below(3_000) as i64,
            32..39 => self.now += self.rng.below(70_000) as i64,
            _ => self.now += self.rng.below(1_000_000) as i64,
        }
    }

    /// Everyone of a provider fails.
    fn fail_all(&mut self, provider: ProviderIndex) {
        let mut verdict = settings::verdict(&mut self.rng);
        verdict.class = Class::RateLimited;
        for credential in (0..4).map(CredentialIndex) {
            if let Ok(grant) = self.pool.acquire_probe(provider, credential, self.wall()) {
                self.pool.conclude(grant.lease, &verdict, Some("m"), self.wall());
            }
        }
    }
}
