//! The plan of one request: who comes next, and when nobody does.

use keyrota::{
    Class, CredentialIndex, Evidence, Next, Phase, Place, Plan, PlanTerms, Policy, ProviderIndex,
    Reason, Refusal, Request, Row, Scope, SessionHash, Stop, Strategy, Verdict,
};

use crate::scene::{Scene, even, stated, verdict, with};

/// A provider of its own, for plans without a pool.
const OPENAI: ProviderIndex = ProviderIndex(0);

/// Rows of those ids and priorities.
fn ranked(ids: &[(&str, i32)]) -> Vec<Row> {
    ids.iter().map(|&(id, priority)| Row { priority, ..Row::new(id) }).collect()
}

/// One request on a scene, by its plan.
pub struct Run {
    pub scene: Scene,
    pub plan: Plan,
    pub session: Option<SessionHash>,
    /// The response that it continues.
    continues: Option<SessionHash>,
}

impl Run {
    pub fn of(scene: Scene, terms: PlanTerms) -> Self {
        Self { scene, plan: Plan::new(terms), session: None, continues: None }
    }

    fn on(ids: &[(&str, i32)]) -> Self {
        let config = with(Policy { jitter: 0.0, ..Policy::adaptive() }, Strategy::FillFirst);
        Self::of(Scene::new(config, ranked(ids)), PlanTerms::default())
    }

    pub fn request(&self) -> Request<'static> {
        Request { session: self.session, continues: self.continues, ..Request::default() }
    }

    /// One attempt that ends so; answers who made it, and what comes next.
    fn attempt(&mut self, verdict: &Verdict) -> Result<(String, Next), Refusal> {
        let (request, now) = (self.request(), self.scene.wall());
        let Scene { pool, provider, .. } = &mut self.scene;
        let grant = pool.acquire_planned(*provider, &request, &self.plan, now)?;
        let place = pool.place(*provider, grant.credential, &request);
        self.scene.conclude(grant, verdict);
        let next = self.plan.attempted(place, verdict, Phase::Response);
        Ok((self.scene.id(grant.credential), next))
    }

    /// Attempts that all end so, until nobody is left or the plan stops.
    fn order(&mut self, verdict: &Verdict) -> String {
        let mut order = String::new();
        while let Ok((id, next)) = self.attempt(verdict) {
            order.push_str(&id);
            if next != Next::Another {
                break;
            }
        }
        order
    }

    fn reason(&self, id: &str) -> Reason {
        self.scene.reason(id, &self.plan.request(self.scene.provider, &self.request()))
    }
}

fn place(credential: u32, priority: i32) -> Place {
    let credential = CredentialIndex(credential);
    Place { provider: OPENAI, credential, priority, group_priority: 0, is_bound: false }
}

fn limited() -> Verdict {
    verdict(Class::RateLimited, Scope::Credential)
}

fn failed() -> Verdict {
    verdict(Class::ServerError, Scope::Provider)
}

fn refused() -> Verdict {
    verdict(Class::AuthFailed, Scope::Credential)
}

#[test]
fn class_phase_and_idempotence_decide_whether_a_request_may_be_sent_again() {
    for &class in Class::ALL {
        for &phase in Phase::ALL {
            for idempotent in [false, true] {
                let known = verdict(class, Scope::Request);
                let expected = match (class, phase, idempotent) {
                    (Class::Ok | Class::ClientAborted, ..) => Some(Stop::Settled),
                    (_, Phase::AfterContent, _) => Some(Stop::Unsafe),
                    (_, Phase::BeforeSend, _) => None,
                    (
                        Class::UnknownOutcome,
                        Phase::SentNoResponse | Phase::BeforeContent | Phase::Response,
                        false,
                    ) => Some(Stop::Unsafe),
                    (..) => None,
                };
                let about = (class, phase, idempotent);
                assert_eq!(Stop::after(&known, phase, idempotent), expected, "{about:?}");
                let obeyed = Verdict { retry_other: false, ..known };
                let stop = Stop::after(&obeyed, phase, idempotent);
                assert!(stop.is_some(), "a verdict that says no is obeyed: {about:?}");
            }
        }
    }
    assert_eq!(Class::ALL.len() * Phase::ALL.len() * 2, 120);
}

#[test]
fn a_plan_that_stops_for_what_an_attempt_means_passes_over_nobody() {
    let mut plan = Plan::new(PlanTerms::default());
    let ok = Verdict { evidence: Evidence::Status, ..verdict(Class::Ok, Scope::None) };
    assert_eq!(plan.attempted(place(0, 5), &ok, Phase::Response), Next::Stop(Stop::Settled));
    assert_eq!((plan.tried(OPENAI), plan.floor(OPENAI)), (&[][..], None));
    assert_eq!((plan.group_floor(), plan.attempts()), (None, 1));
}

#[test]
fn after_a_failure_the_next_lower_tier_comes_before_the_rest_of_this_one() {
    let mut run = Run::on(&[("a", 2), ("b", 2), ("c", 1), ("d", 0), ("e", 0)]);
    assert_eq!(run.order(&limited()), "acde");
    assert_eq!(run.reason("b"), Reason::HigherPriority);
}

#[test]
fn a_lower_tier_that_nobody_can_serve_in_is_passed_over() {
    let mut run = Run::on(&[("a", 2), ("b", 1), ("c", 0)]);
    let tried = [run.scene.index("a")];
    let grant = run.scene.acquire_for(&Request { tried: &tried, ..Request::default() });
    run.scene.conclude(grant, &limited());
    assert_eq!(run.order(&limited()), "ac");
}

#[test]
fn with_no_lower_tier_another_of_this_one_serves() {
    let mut run = Run::on(&[("a", 0), ("b", 0), ("c", 0)]);
    assert_eq!(run.order(&limited()), "abc");
}

#[test]
fn a_request_never_goes_up_again_not_even_to_one_that_came_back() {
    let mut run = Run::on(&[("a", 2), ("b", 2), ("c", 1), ("d", 1)]);
    assert_eq!(run.attempt(&limited()), Ok(("a".to_owned(), Next::Another)));
    assert_eq!(run.reason("b"), Reason::HigherPriority, "one below comes first");
    assert_eq!(run.attempt(&limited()), Ok(("c".to_owned(), Next::Another)));
    run.scene.pool.reset(run.scene.provider, run.scene.index("a"), run.scene.wall());
    assert_eq!(run.reason("b"), Reason::HigherPriority);
    assert_eq!(run.attempt(&limited()), Ok(("d".to_owned(), Next::Another)));
    let refusal = run.attempt(&limited());
    assert!(
        matches!(refusal, Err(Refusal::NoneAvailable { retry_after: None, .. })),
        "{refusal:?}"
    );
    assert_eq!(run.scene.pick(), "a", "the next request begins above");
}

#[test]
fn a_request_waits_for_nobody_above_it() {
    let mut run = Run::on(&[("a", 1), ("b", 1), ("c", 0), ("d", 0)]);
    run.scene.fail("b", &stated(Class::RateLimited, Scope::Credential, 5));
    assert_eq!(run.attempt(&limited()).map(|(id, _)| id).as_deref(), Ok("a"));
    for id in ["c", "d"] {
        let only = [run.scene.index(if id == "c" { "d" } else { "c" })];
        let request = Request { tried: &only, floor: Some(1), ..Request::default() };
        let grant = run.scene.acquire_for(&request);
        run.scene.conclude(grant, &stated(Class::RateLimited, Scope::Credential, 30));
    }
    let below = Request { floor: Some(0), ..Request::default() };
    let now = run.scene.wall();
    let refusal = run.scene.pool.acquire(run.scene.provider, &below, now);
    let wait = keyrota::Millis(30_000);
    assert_eq!(
        refusal,
        Err(Refusal::NoneAvailable { retry_after: Some(wait), at_capacity: false })
    );
    assert_eq!(run.scene.retry_after().map(|wait| wait.0), Some(5_000));
}

#[test]
fn a_last_resort_is_not_taken_from_above() {
    let mut config = even();
    config.provider.fail_open = true;
    let mut run = Run::of(Scene::new(config, ranked(&[("a", 1), ("b", 0)])), PlanTerms::default());
    run.scene.fail("a", &stated(Class::RateLimited, Scope::Credential, 10));
    run.scene.fail("b", &stated(Class::RateLimited, Scope::Credential, 60));
    assert_eq!(run.scene.pick(), "a");
    let below = Request { floor: Some(0), ..Request::default() };
    assert_eq!(run.scene.pick_for(&below), "b");
}

#[test]
fn of_those_who_wait_for_a_probe_the_tier_below_comes_first() {
    let mut scene = Scene::new(even(), ranked(&[("a", 1), ("b", 0)]));
    for _ in 0..2 {
        for id in ["a", "b"] {
            if scene.reason(id, &Request::default()) == Reason::LowerPriority {
                let tried = [scene.index("a")];
                let grant = scene.acquire_for(&Request { tried: &tried, ..Request::default() });
                scene.conclude(grant, &limited());
            } else {
                scene.fail(id, &limited());
            }
        }
        scene.now += 200_000;
    }
    let probes = [scene.acquire(), scene.acquire()];
    assert_eq!(probes.map(|grant| scene.id(grant.credential)), ["a", "b"]);
    assert_eq!(scene.pick(), "a");
    assert_eq!(scene.pick_for(&Request { floor: Some(1), ..Request::default() }), "b");
}

#[test]
fn whoever_was_not_to_blame_serves_once_more_and_the_request_still_does_not_go_up() {
    let mut run = Run::on(&[("a", 1), ("b", 0), ("c", 0)]);
    let mut order = String::new();
    for _ in 0..3 {
        order += &run.attempt(&failed()).expect("someone is left").0;
        run.scene.now += 60_000;
    }
    assert_eq!(order, "abc");
    assert!(run.attempt(&failed()).is_err());
    assert!(run.plan.forgive(&[]));
    assert_eq!(run.plan.floor(run.scene.provider), Some(0));
    for _ in 0..2 {
        order += &run.attempt(&failed()).expect("someone is left").0;
        run.scene.now += 60_000;
    }
    assert_eq!(order, "abcbc");
    assert!(!run.plan.forgive(&[]), "once");
}

#[test]
fn a_failure_of_the_provider_or_of_the_way_to_it_is_nobodys_fault() {
    for &scope in Scope::ALL {
        let mut plan = Plan::new(PlanTerms::default());
        plan.attempted(place(0, 0), &verdict(Class::ServerError, scope), Phase::Response);
        let is_blameless = matches!(scope, Scope::Provider | Scope::Egress);
        assert_eq!(plan.forgive(&[]), is_blameless, "{scope:?}");
        assert_eq!(plan.tried(OPENAI).is_empty(), is_blameless, "{scope:?}");
    }
}

#[test]
fn a_refused_secret_is_forgiven_only_once_it_is_renewed() {
    let known = (OPENAI, CredentialIndex(0));
    let mut plan = Plan::new(PlanTerms::default());
    assert_eq!(plan.attempted(place(0, 0), &refused(), Phase::Response), Next::Another);
    assert_eq!(plan.refused(), [known]);
    assert!(!plan.clone().forgive(&[]));
    assert!(!plan.clone().forgive(&[(OPENAI, CredentialIndex(1))]));
    assert!(plan.forgive(&[known]));
    assert_eq!((plan.tried(OPENAI), plan.refused()), (&[][..], &[][..]));
    plan.attempted(place(0, 0), &refused(), Phase::Response);
    assert!(!plan.forgive(&[known]));
    assert_eq!(plan.tried(OPENAI), [known.1]);
}

#[test]
fn changes_and_repeats_are_counted_apart_under_one_budget() {
    let terms = PlanTerms { attempts: Some(3), repeats: 5, ..PlanTerms::default() };
    let mut plan = Plan::new(terms);
    let mut count = 0;
    while plan.attempted(place(0, 0), &failed(), Phase::Response) == Next::Another {
        assert!(plan.forgive(&[]));
        count += 1;
    }
    assert_eq!(count, 2, "the budget ends it before the repeats do");
    let never = PlanTerms { repeats: 0, ..PlanTerms::default() };
    let mut plan = Plan::new(never);
    assert_eq!(plan.attempted(place(0, 0), &failed(), Phase::Response), Next::Another);
    assert!(!plan.forgive(&[]));
}

#[test]
fn all_tiers_and_groups_share_one_budget() {
    let mut plan = Plan::new(PlanTerms { attempts: Some(3), ..PlanTerms::default() });
    for (provider, group_priority, next) in
        [(0, 7, Next::Another), (1, -3, Next::Another), (0, 2, Next::Stop(Stop::Spent))]
    {
        let provider = ProviderIndex(provider);
        let place = Place { provider, group_priority, ..place(provider.0, 4) };
        assert_eq!(plan.attempted(place, &limited(), Phase::Response), next);
    }
    assert_eq!((plan.attempts(), plan.group_floor()), (3, Some(-3)));
}

#[test]
fn by_default_every_candidate_may_be_tried_but_between_ten_and_a_hundred() {
    for (told, most) in [(vec![], 10), (vec![3], 10), (vec![50, 12], 50), (vec![5_000], 100)] {
        let mut plan = Plan::new(PlanTerms::default());
        for candidates in told {
            plan.count_candidates(candidates);
        }
        assert_eq!(plan.most_attempts(), most);
    }
    for (asked, most) in [(0, 1), (1, 1), (7, 7), (u32::MAX, u32::MAX)] {
        let mut plan = Plan::new(PlanTerms { attempts: Some(asked), ..PlanTerms::default() });
        plan.count_candidates(50);
        assert_eq!(plan.most_attempts(), most);
    }
}

#[test]
fn a_request_that_continues_a_response_stays_on_its_credential_even_when_that_is_gone() {
    let mut run = Run::on(&[("a", 0), ("b", 0)]);
    let (provider, response, now) = (run.scene.provider, SessionHash(7), run.scene.wall());
    let maker = run.scene.index("b");
    run.scene.pool.remember(provider, response, maker, now);
    run.continues = Some(response);
    assert_eq!(run.attempt(&failed()), Ok(("b".to_owned(), Next::Another)));
    assert_eq!(run.plan.bound(), Some((provider, maker)));
    run.scene.now += 60_000;
    assert!(run.attempt(&failed()).is_err(), "nobody else continues it");
    assert!(run.plan.forgive(&[]));
    run.scene.load(ranked(&[("a", 0)]));
    assert!(run.attempt(&failed()).is_err(), "not even when its row is gone");
    run.scene.load(ranked(&[("a", 0), ("b", 0)]));
    assert_eq!(run.attempt(&failed()).map(|(id, _)| id).as_deref(), Ok("b"));
}

#[test]
fn a_fail_open_lease_binds_too() {
    let mut config = even();
    config.provider.fail_open = true;
    let mut run = Run::of(Scene::new(config, ranked(&[("a", 0), ("b", 0)])), PlanTerms::default());
    let (provider, response, now) = (run.scene.provider, SessionHash(7), run.scene.wall());
    let maker = run.scene.index("b");
    run.scene.pool.remember(provider, response, maker, now);
    run.scene.fail("b", &limited());
    run.continues = Some(response);
    assert_eq!(run.attempt(&limited()).map(|(id, _)| id).as_deref(), Ok("b"));
    assert_eq!(run.plan.bound(), Some((provider, maker)));
}

#[test]
fn a_session_stays_where_its_request_was_served_below_only_while_its_home_rests() {
    let mut run = Run::on(&[("a", 1), ("b", 0)]);
    run.session = Some(SessionHash(9));
    assert_eq!(run.attempt(&limited()).map(|(id, _)| id).as_deref(), Ok("a"));
    let ok = verdict(Class::Ok, Scope::None);
    assert_eq!(run.attempt(&ok), Ok(("b".to_owned(), Next::Stop(Stop::Settled))));
    let next = Request { session: run.session, ..Request::default() };
    assert_eq!(run.scene.pick_for(&next), "b");
    run.scene.now += 60_000;
    assert_eq!(run.scene.pick_for(&next), "a");
}
