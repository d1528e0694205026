//! Retries of one request among the groups of a router.

use keyrota::{
    Class, Next, Outcome, Phase, Plan, PlanTerms, ProviderConfig, Row, Scope, Stop, Verdict,
};

use crate::router::{PLAIN, Router, Spec};
use crate::scene::{equal, verdict};

fn limited() -> Verdict {
    verdict(Class::RateLimited, Scope::Credential)
}

/// Three tiers of two groups each, and two credentials in each group.
fn router() -> Router {
    let groups = [("g", 2, ["a", "b"]), ("h", 2, ["c", "d"]), ("i", 1, ["e", "f"])];
    let more = [("j", 1, ["k", "l"]), ("n", 0, ["o", "p"]), ("q", 0, ["r", "s"])];
    let all = groups.into_iter().chain(more);
    Router::of(all.map(|(name, priority, ids)| Spec::at(name, priority, equal(&ids))).collect())
}

fn terms(attempts: u32) -> PlanTerms {
    PlanTerms { attempts: Some(attempts), ..PlanTerms::default() }
}

#[test]
fn the_next_lower_usable_tier_comes_before_this_one_is_used_up_and_then_the_lowest_is_used_up() {
    assert_eq!(router().descent(&PLAIN, PlanTerms::default(), &limited()), "aeoprs");
}

#[test]
fn a_lower_tier_without_a_usable_credential_is_passed_over_on_the_way_down() {
    let mut router = router();
    router.load("i", Vec::new());
    router.load("j", vec![Row { enabled: false, ..Row::new("k") }]);
    assert_eq!(router.descent(&PLAIN, PlanTerms::default(), &limited()), "aoprs");
}

#[test]
fn with_no_lower_tier_another_credential_of_this_one_comes() {
    let mut router = router();
    router.change(|config| config.groups.retain(|group| group.priority == 2));
    assert_eq!(router.descent(&PLAIN, PlanTerms::default(), &limited()), "abcd");
}

#[test]
fn a_request_that_came_down_does_not_go_up_again_whoever_recovers_above() {
    let mut router = router();
    let mut plan = Plan::new(PlanTerms::default());
    let mut order = String::new();
    for _ in 0..6 {
        let attempt = router.attempt(&PLAIN, &mut plan, &limited());
        order.push_str(&attempt.expect("somebody").0);
        for id in ["a", "e"] {
            let (provider, credential) = router.find(id);
            router.pool.recover(provider, credential, router.now);
        }
    }
    assert_eq!(order, "aeoprs");
    assert!(router.attempt(&PLAIN, &mut plan, &limited()).is_err());
    assert_eq!(router.goes(&PLAIN), "a", "the next request begins above");
}

#[test]
fn within_a_group_a_lower_priority_of_its_own_comes_first_too() {
    let rows = vec![
        Row { priority: 1, ..Row::new("a") },
        Row { priority: 1, ..Row::new("b") },
        Row::new("c"),
        Row::new("d"),
    ];
    let mut router = Router::of(vec![Spec::of("g", rows)]);
    assert_eq!(router.descent(&PLAIN, PlanTerms::default(), &limited()), "acd");
}

#[test]
fn all_tiers_and_groups_share_one_retry_count() {
    let mut router = router();
    let mut plan = Plan::new(terms(3));
    let mut ends = Vec::new();
    for _ in 0..3 {
        ends.push(router.attempt(&PLAIN, &mut plan, &limited()).expect("somebody"));
    }
    let expected = [("a", Next::Another), ("e", Next::Another), ("o", Next::Stop(Stop::Spent))];
    assert_eq!(ends, expected.map(|(id, next)| (id.to_owned(), next)));
}

#[test]
fn who_was_not_to_blame_may_be_repeated_when_nobody_else_is_left_and_the_tier_is_kept() {
    let mut router = router();
    router.change(|config| config.groups.retain(|group| group.priority > 0));
    let failed = verdict(Class::EgressBlocked, Scope::Egress);
    let mut plan = Plan::new(PlanTerms::default());
    assert_eq!(router.attempt(&PLAIN, &mut plan, &failed).expect("a").0, "a");
    assert_eq!(router.attempt(&PLAIN, &mut plan, &failed).expect("e").0, "e");
    assert_eq!(router.attempt(&PLAIN, &mut plan, &limited()).expect("k").0, "k");
    assert_eq!(router.attempt(&PLAIN, &mut plan, &limited()).expect("l").0, "l");
    router.at(5);
    // The pause of the first group has ended; of the second group f was not tried.
    assert_eq!(router.attempt(&PLAIN, &mut plan, &limited()).expect("f").0, "f");
    assert!(router.attempt(&PLAIN, &mut plan, &limited()).is_err());
    assert!(plan.forgive(&[]));
    assert_eq!(router.attempt(&PLAIN, &mut plan, &limited()).expect("e again").0, "e");
}

/// What the plan makes of an outcome of the first attempt.
fn after(outcome: &Outcome<'_>, idempotent: bool) -> (Verdict, Next) {
    let spec = Spec::at("g", 1, equal(&["a"]));
    let config = ProviderConfig { dialect: Some("openai".into()), ..spec.config };
    let mut router = Router::of(vec![Spec { config, ..spec }, Spec::of("h", equal(&["b"]))]);
    let mut plan = Plan::new(PlanTerms { idempotent, ..PlanTerms::default() });
    let routed = router.take(&PLAIN);
    let verdict = router.pool.report(routed.grant.lease, outcome, router.now).expect("it was open");
    let next = plan.attempted(routed.place, &verdict, outcome.phase);
    if next == Next::Another {
        let attempt = router.attempt(&PLAIN, &mut plan, &verdict);
        assert_eq!(attempt.expect("somebody else").0, "b");
    }
    (verdict, next)
}

#[test]
fn rate_limits_server_errors_and_connections_that_time_out_are_retried_elsewhere() {
    let unconnected =
        Outcome { network_code: Some("ETIMEDOUT"), phase: Phase::BeforeSend, ..Outcome::default() };
    for outcome in
        [Outcome::of_status(429), Outcome::of_status(500), Outcome::of_status(503), unconnected]
    {
        let (verdict, next) = after(&outcome, false);
        assert_eq!(next, Next::Another, "{verdict:?}");
    }
}

#[test]
fn parameter_errors_context_limits_and_content_policies_are_not_retried() {
    let body = |code: &str| {
        format!(
            r#"{{"error": {{"message": "No.", "type": "invalid_request_error", "code": "{code}"}}}}"#
        )
    };
    let codes = ["invalid_value", "context_length_exceeded", "content_policy_violation"];
    for body in codes.map(body) {
        let outcome = Outcome { body: &body, ..Outcome::of_status(400) };
        let (verdict, next) = after(&outcome, true);
        assert_eq!(next, Next::Stop(Stop::Settled), "{body}: {verdict:?}");
    }
}

#[test]
fn a_clear_refusal_of_a_model_changes_the_candidate() {
    let body = r#"{"error": {"message": "The model `m` does not exist or you do not have access to it.",
        "type": "invalid_request_error", "code": "model_not_found"}}"#;
    let outcome = Outcome { body, model: Some("m"), ..Outcome::of_status(404) };
    let (verdict, next) = after(&outcome, false);
    assert_eq!((verdict.class, next), (Class::ModelDenied, Next::Another));
}

#[test]
fn what_was_sent_and_not_answered_is_sent_again_only_where_that_is_safe() {
    let lost = Outcome {
        network_code: Some("ETIMEDOUT"),
        phase: Phase::SentNoResponse,
        ..Outcome::default()
    };
    assert_eq!(after(&lost, false).1, Next::Stop(Stop::Unsafe));
    assert_eq!(after(&lost, true).1, Next::Another);
}

#[test]
fn once_content_has_reached_the_client_nothing_is_sent_again() {
    for status in [429, 500] {
        let outcome = Outcome { phase: Phase::AfterContent, ..Outcome::of_status(status) };
        assert_eq!(after(&outcome, true).1, Next::Stop(Stop::Unsafe));
    }
    // An event of a stream before any content was committed may still be answered elsewhere.
    let outcome = Outcome { phase: Phase::BeforeContent, ..Outcome::of_status(500) };
    assert_eq!(after(&outcome, false).1, Next::Another);
}

#[test]
fn a_request_that_settings_changed_under_goes_on_with_what_it_tried() {
    let mut router = router();
    let mut plan = Plan::new(PlanTerms::default());
    assert_eq!(router.attempt(&PLAIN, &mut plan, &limited()).expect("a").0, "a");
    router.change(|config| config.groups.retain(|group| group.priority == 2));
    let (provider, a) = router.find("a");
    router.pool.recover(provider, a, router.now);
    assert_eq!(router.attempt(&PLAIN, &mut plan, &limited()).expect("b").0, "b");
    router.change(|config| config.groups.iter_mut().for_each(|group| group.priority = 9));
    assert!(router.attempt(&PLAIN, &mut plan, &limited()).is_err(), "all are above it now");
}
