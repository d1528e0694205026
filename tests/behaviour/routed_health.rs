//! What failures and recoveries of a credential do in a router.

use keyrota::{
    Blacklist, Class, Effect, ErrorRule, Kind, Millis, Next, Outcome, Plan, PlanTerms, Policy,
    ProviderConfig, Reason, RouteRequest, Row, Scope, Strategy, Verdict,
};

use crate::router::{PLAIN, Router, Spec, for_model};
use crate::scene::{equal, stated, verdict};

fn of_model() -> Verdict {
    verdict(Class::RateLimited, Scope::Model)
}

fn refused() -> Verdict {
    verdict(Class::AuthFailed, Scope::Credential)
}

/// A tier of two credentials above the credential `low`.
fn router() -> Router {
    Router::of(vec![Spec::at("g", 1, equal(&["a", "b"])), Spec::of("l", equal(&["low"]))])
}

#[test]
fn a_rate_limit_of_a_model_cools_that_model_of_that_credential_alone() {
    let mut router = router();
    assert_eq!(router.fail(&PLAIN, &of_model()), "a");
    assert_eq!([router.goes(&PLAIN), router.goes(&for_model("n"))], ["b", "a"]);
    assert_eq!(router.goes(&RouteRequest { model: None, ..PLAIN }), "a");
    assert_eq!(router.reason("a", &PLAIN), Reason::ModelCooling);
    assert_eq!(router.reason("a", &for_model("n")), Reason::Chosen);
    router.at(59);
    assert_eq!(router.goes(&PLAIN), "b");
    assert_eq!(router.at(60).goes(&PLAIN), "a");
}

#[test]
fn one_attempt_probes_a_model_under_the_name_that_its_group_has_for_it() {
    let exposed = keyrota::Exposed { name: "m".into(), upstream: "real".into() };
    let models = Some(vec![exposed]);
    let mut router = Router::of(vec![Spec { models, ..Spec::of("g", equal(&["a", "b"])) }]);
    for seconds in [0, 60] {
        let routed = router.at(seconds).take(&PLAIN);
        assert_eq!(router.id(&routed), "a");
        router.pool.conclude(routed.grant.lease, &of_model(), Some("real"), router.now);
    }
    router.at(180);
    let taken = [router.take(&PLAIN), router.take(&PLAIN)];
    assert_eq!(taken.map(|routed| router.id(&routed)), ["a", "b"]);
    assert_eq!(router.reason("a", &PLAIN), Reason::ProbePending);
}

#[test]
fn a_limit_of_the_credential_cools_all_its_models() {
    let mut router = router();
    router.fail(&PLAIN, &verdict(Class::RateLimited, Scope::Credential));
    for request in [PLAIN, for_model("n"), RouteRequest { model: None, ..PLAIN }] {
        assert_eq!(router.goes(&request), "b");
        assert_eq!(router.reason("a", &request), Reason::Cooling);
    }
    assert_eq!(router.at(60).goes(&for_model("n")), "a");
}

#[test]
fn a_limit_of_an_account_cools_all_credentials_of_its_quota_group() {
    let row = |id| Row { quota_group: Some("team".into()), ..Row::new(id) };
    let mut router = router();
    router.load("g", vec![row("a"), row("b"), Row::new("c")]);
    router.fail(&PLAIN, &verdict(Class::RateLimited, Scope::Account));
    assert_eq!(router.goes(&PLAIN), "c");
}

#[test]
fn a_cooldown_ends_by_itself_and_a_stated_time_is_kept() {
    let mut router = router();
    let outcome = Outcome { headers: &[("retry-after", "120")], ..Outcome::of_status(429) };
    let routed = router.take(&PLAIN);
    router.pool.report(routed.grant.lease, &outcome, router.now);
    router.at(119);
    assert_eq!(router.goes(&PLAIN), "b");
    assert_eq!(router.at(120).goes(&PLAIN), "a");
}

#[test]
fn recovering_a_credential_lifts_its_model_cooldowns_too() {
    let mut router = router();
    router.fail(&PLAIN, &of_model());
    let (provider, a) = router.find("a");
    assert!(router.pool.recover(provider, a, router.now));
    assert_eq!(router.goes(&PLAIN), "a");
}

#[test]
fn a_quota_that_recovers_ends_the_cooldowns_that_it_caused_and_no_others() {
    let mut router = router();
    router.fail(&PLAIN, &stated(Class::QuotaExhausted, Scope::Credential, 3_000));
    assert_eq!(router.fail(&PLAIN, &stated(Class::RateLimited, Scope::Credential, 3_000)), "b");
    assert_eq!(router.goes(&PLAIN), "low");
    assert_eq!(router.reason("a", &PLAIN), Reason::QuotaExhausted);
    for id in ["a", "b"] {
        let (provider, credential) = router.find(id);
        assert!(router.pool.recover_quota(provider, credential, router.now));
    }
    assert_eq!(router.goes(&PLAIN), "a");
    assert_eq!(router.reason("b", &PLAIN), Reason::Cooling, "a rate limit keeps its time");
    let (provider, b) = router.find("b");
    router.pool.recover(provider, b, router.now);
    assert_eq!(router.reason("b", &PLAIN), Reason::Available, "until it is ended by hand");
}

/// The same with a blacklist in the upper tier, and rests of a second.
fn listing(rows: Vec<Row>) -> Router {
    let mut policy = Policy { probing: None, jitter: 0.0, ..Policy::adaptive() };
    for ladder in [&mut policy.limit, &mut policy.overload] {
        (ladder.base, ladder.cap) = (Millis(1_000), Millis(1_000));
    }
    let config = ProviderConfig {
        blacklist: Some(Blacklist::default()),
        strategy: Strategy::FillFirst,
        ..ProviderConfig::of(policy)
    };
    let upper = Spec { config, ..Spec::at("g", 1, rows) };
    Router::of(vec![upper, Spec::of("l", equal(&["low"]))])
}

/// Failures of `a`, one after the other.
fn fail(router: &mut Router, verdict: &Verdict, times: usize) {
    for _ in 0..times {
        assert_eq!(router.fail(&PLAIN, verdict), "a");
        router.at(router.now.0 / 1_000 + 10);
    }
}

fn is_listed(router: &Router) -> bool {
    router.reason("a", &PLAIN) == Reason::Blacklisted
}

#[test]
fn consecutive_failures_up_to_the_threshold_blacklist_and_no_time_ends_that() {
    let mut router = listing(equal(&["a"]));
    fail(&mut router, &refused(), 2);
    assert!(!is_listed(&router));
    fail(&mut router, &refused(), 1);
    assert!(is_listed(&router));
    assert_eq!(router.at(864_000).goes(&PLAIN), "low");
}

#[test]
fn transient_failures_do_not_count_towards_the_blacklist() {
    let transient = [
        verdict(Class::RateLimited, Scope::Credential),
        verdict(Class::Overloaded, Scope::Credential),
        verdict(Class::ServerError, Scope::Credential),
        verdict(Class::ServerError, Scope::Provider),
        verdict(Class::UnknownOutcome, Scope::Request),
        stated(Class::QuotaExhausted, Scope::Credential, 1),
        verdict(Class::AuthFailed, Scope::Model),
    ];
    let mut router = listing(equal(&["a"]));
    fail(&mut router, &refused(), 2);
    for passing in transient {
        fail(&mut router, &passing, 4);
        assert!(!is_listed(&router), "{passing:?}");
    }
    fail(&mut router, &refused(), 1);
    assert!(is_listed(&router), "they do not reset the count either");
}

#[test]
fn one_success_resets_the_consecutive_count() {
    let mut router = listing(equal(&["a"]));
    fail(&mut router, &refused(), 2);
    assert_eq!(router.goes(&PLAIN), "a");
    fail(&mut router, &refused(), 2);
    assert!(!is_listed(&router));
}

#[test]
fn a_passed_validation_brings_an_api_key_back_and_a_failed_one_does_not() {
    let mut router = listing(equal(&["a"]));
    fail(&mut router, &refused(), 3);
    router.at(1_000);
    assert_eq!(router.goes(&PLAIN), "low");
    let asked = router.pool.take_validate_requests();
    assert_eq!(asked.len(), 1);
    let probe = router.probe("a");
    router.pool.conclude(probe.lease, &refused(), None, router.now);
    assert_eq!(router.at(2_000).goes(&PLAIN), "low");
    let probe = router.probe("a");
    router.pool.report(probe.lease, &Outcome::of_status(200), router.now);
    assert_eq!(router.goes(&PLAIN), "a");
    fail(&mut router, &refused(), 2);
    assert!(!is_listed(&router), "it begins with a clean count");
}

#[test]
fn a_subscription_comes_back_from_the_blacklist_by_hand_alone() {
    let account = Row { kind: Kind::Subscription { authorized: true }, ..Row::new("a") };
    let mut router = listing(vec![account]);
    fail(&mut router, &refused(), 3);
    router.at(1_000);
    assert_eq!(router.goes(&PLAIN), "low");
    assert!(router.pool.take_validate_requests().is_empty());
    let probe = router.probe("a");
    router.pool.report(probe.lease, &Outcome::of_status(200), router.now);
    assert!(is_listed(&router));
    let (provider, a) = router.find("a");
    router.pool.recover(provider, a, router.now);
    assert_eq!(router.goes(&PLAIN), "a");
}

#[test]
fn the_threshold_of_the_blacklist_may_change_at_run_time() {
    let mut router = listing(equal(&["a"]));
    fail(&mut router, &refused(), 1);
    let (provider, _) = router.find("a");
    let config = ProviderConfig {
        blacklist: Some(Blacklist { threshold: 2, ..Blacklist::default() }),
        strategy: Strategy::FillFirst,
        ..ProviderConfig::of(Policy { probing: None, jitter: 0.0, ..Policy::adaptive() })
    };
    router.pool.configure(provider, config, router.now);
    assert!(!is_listed(&router));
    assert_eq!(router.at(100).fail(&PLAIN, &refused()), "a");
    assert!(is_listed(&router));
}

fn rule(status: u16, effect: Effect) -> ErrorRule {
    ErrorRule { status: Some(status), code: None, body_includes: None, provider: None, effect }
}

fn usual(class: Class) -> Effect {
    Effect { class, scope: None, wait_ms: None, disable: None, retry_other: None }
}

/// What the plan makes of a status at the first group, and who serves next.
fn judged(router: &mut Router, status: u16) -> (Class, Next, String) {
    let mut plan = Plan::new(PlanTerms::default());
    let routed = router.take(&PLAIN);
    let outcome = Outcome { body: r#"{"error": {"message": "no"}}"#, ..Outcome::of_status(status) };
    let verdict = router.pool.report(routed.grant.lease, &outcome, router.now).expect("open");
    let next = plan.attempted(routed.place, &verdict, outcome.phase);
    (verdict.class, next, router.goes(&PLAIN))
}

#[test]
fn a_rule_for_upstream_errors_overrides_the_built_in_judgement_of_its_group_alone() {
    let with_rules = |rules| {
        let spec = Spec::at("g", 1, equal(&["a"]));
        let config = ProviderConfig { rules, ..spec.config };
        Router::of(vec![Spec { config, ..spec }, Spec::of("l", equal(&["low"]))])
    };
    let (class, next, _) = judged(&mut with_rules(Vec::new()), 418);
    assert_eq!((class, matches!(next, Next::Stop(_))), (Class::ClientError, true));
    let waits = Effect { wait_ms: Some(Millis(7_000)), ..usual(Class::RateLimited) };
    let mut router = with_rules(vec![rule(418, waits)]);
    let expected = (Class::RateLimited, Next::Another, "low".to_owned());
    assert_eq!(judged(&mut router, 418), expected);
    assert_eq!(router.at(7).goes(&PLAIN), "a");
    let mut router = with_rules(vec![rule(429, usual(Class::ClientError))]);
    let (class, next, after) = judged(&mut router, 429);
    assert_eq!((class, &*after), (Class::ClientError, "a"), "nobody cools");
    assert!(matches!(next, Next::Stop(_)));
    let other = router.pool.provider("l");
    let verdict = router.pool.judge(other, &Outcome::of_status(429), router.now);
    assert_eq!(verdict.class, Class::RateLimited, "the other group has no such rule");
}

#[test]
fn a_rule_of_the_pool_counts_for_every_group_without_settings_of_its_own() {
    let mut config = crate::scene::even();
    config.provider.rules = vec![rule(429, usual(Class::ClientError))];
    let mut pool = keyrota::Pool::new(config);
    let groups = ["g", "h"].map(|name| pool.provider(name));
    for provider in groups {
        let verdict = pool.judge(provider, &Outcome::of_status(429), keyrota::Wall(0));
        assert_eq!(verdict.class, Class::ClientError);
    }
}
