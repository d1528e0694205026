//! Sessions of a router: they prefer the credential that served them with success, and no more than that.

use keyrota::{
    AffinityConfig, ChoiceReason, Class, Continuations, Outcome, Plan, PlanTerms, Reason,
    RouteRefusal, Row, Scope, SessionHash, Strategy, Verdict,
};

use crate::router::{NOBODY, PLAIN, Router, Spec, address, continuing, for_model, of_session};
use crate::scene::{equal, verdict};

fn limited() -> Verdict {
    verdict(Class::RateLimited, Scope::Credential)
}

/// Two groups that take turns.
fn router() -> Router {
    let spec = |name, id| Spec { weight: 1, ..Spec::of(name, equal(&[id])) };
    Router::with(Strategy::WeightedRoundRobin, vec![spec("g", "a"), spec("h", "b")])
}

#[test]
fn a_session_prefers_the_credential_that_served_it_with_success() {
    let mut router = router();
    assert_eq!(router.serve(&of_session("s")), "a");
    for _ in 0..4 {
        let routed = router.take(&of_session("s"));
        let got = (router.id(&routed), routed.grant.reason);
        assert_eq!(got, ("a".to_owned(), ChoiceReason::Affinity));
        router.succeed(&of_session("s"), &routed);
    }
    assert_eq!(router.goes(&PLAIN), "b", "others go by the strategy");
}

#[test]
fn nothing_is_learned_from_an_attempt_that_was_not_told_as_a_success() {
    let mut router = router();
    let order: Vec<String> = (0..4).map(|_| router.goes(&of_session("s"))).collect();
    assert_eq!(order, ["a", "b", "a", "b"]);
    assert_eq!(router.take(&of_session("s")).grant.reason, ChoiceReason::Strategy);
}

#[test]
fn of_several_first_attempts_the_first_success_binds() {
    let mut router = router();
    let (first, second) = (router.take(&of_session("s")), router.take(&of_session("s")));
    assert_eq!((router.id(&first), router.id(&second)), ("a".into(), "b".into()));
    router.succeed(&of_session("s"), &second);
    router.succeed(&of_session("s"), &first);
    assert_eq!(router.order(&of_session("s"), 3), "bbb");
}

#[test]
fn a_success_elsewhere_moves_a_session_unless_another_moved_it_meanwhile() {
    let mut router = router();
    router.serve(&of_session("s"));
    let (provider, a) = router.find("a");
    router.fail(&of_session("s"), &limited());
    let moving = router.take(&of_session("s"));
    assert_eq!((router.id(&moving), moving.grant.reason), ("b".into(), ChoiceReason::Rebound));
    let other = router.take(&of_session("s"));
    router.succeed(&of_session("s"), &moving);
    router.pool.recover(provider, a, router.now);
    assert_eq!(router.order(&of_session("s"), 2), "bb", "it is there now");
    // What was seen before the move is outdated.
    let stale = address(&first_of(&mut router, "a"));
    router.pool.learn(SessionHash::of("s"), other.seen, stale, router.now);
    assert_eq!(router.order(&of_session("s"), 2), "bb");
}

/// A lease on that credential by the strategy.
fn first_of(router: &mut Router, id: &str) -> keyrota::RoutedGrant {
    loop {
        let routed = router.take(&PLAIN);
        router.pool.release(routed.grant.lease);
        if router.id(&routed) == id {
            return routed;
        }
    }
}

#[test]
fn a_failure_elsewhere_leaves_a_session_where_it_was() {
    let mut router = router();
    router.serve(&of_session("s"));
    router.fail(&of_session("s"), &limited());
    assert_eq!(router.fail(&of_session("s"), &limited()), "b");
    assert_eq!(router.at(60).order(&of_session("s"), 2), "aa");
}

#[test]
fn affinity_is_switched_off_by_a_capacity_of_zero() {
    let mut router = router();
    router.change(|config| config.affinity = AffinityConfig { capacity: 0, ttl: None });
    let order: Vec<String> = (0..4).map(|_| router.serve(&of_session("s"))).collect();
    assert_eq!(order, ["a", "b", "a", "b"]);
}

#[test]
fn a_session_is_forgotten_an_hour_after_its_last_success() {
    let mut router = router();
    router.serve(&of_session("s"));
    router.at(3_599);
    assert_eq!(router.take(&of_session("s")).grant.reason, ChoiceReason::Affinity);
    router.serve(&of_session("s"));
    router.at(3_599 + 3_599);
    assert_eq!(router.take(&of_session("s")).grant.reason, ChoiceReason::Affinity);
    router.at(3_599 + 3_600);
    assert_eq!(router.take(&of_session("s")).grant.reason, ChoiceReason::Strategy);
}

#[test]
fn the_session_unused_for_longest_leaves_when_there_are_too_many() {
    let mut router = router();
    assert_eq!(router.config.affinity.capacity, 10_000);
    router.change(|config| config.affinity = AffinityConfig { capacity: 2, ttl: None });
    for session in ["first", "second", "first", "third"] {
        router.serve(&of_session(session));
    }
    let mut why = |session| router.take(&of_session(session)).grant.reason;
    assert_eq!(
        ["first", "second", "third"].map(&mut why),
        [ChoiceReason::Affinity, ChoiceReason::Strategy, ChoiceReason::Affinity]
    );
}

#[test]
fn a_session_is_served_where_it_was_only_if_the_tier_that_serves_has_that_credential() {
    let mut router =
        Router::of(vec![Spec::at("g", 1, equal(&["a"])), Spec::of("h", equal(&["b"]))]);
    router.fail(&PLAIN, &limited());
    assert_eq!(router.serve(&of_session("s")), "b");
    assert_eq!(router.order(&of_session("s"), 1), "b");
    let routed = router.at(60).take(&of_session("s"));
    assert_eq!((router.id(&routed), routed.grant.reason), ("a".into(), ChoiceReason::Rebound));
}

#[test]
fn a_session_is_served_where_it_was_only_if_its_group_would_choose_among_such_credentials() {
    let rows = vec![Row { priority: 1, ..Row::new("a") }, Row::new("b")];
    let mut router = Router::of(vec![Spec::of("g", rows)]);
    router.fail(&PLAIN, &limited());
    assert_eq!(router.serve(&of_session("s")), "b");
    assert_eq!(router.at(60).order(&of_session("s"), 1), "a");
}

#[test]
fn a_session_goes_elsewhere_when_its_credential_cannot_serve() {
    let dead = Verdict { disable: true, ..verdict(Class::AuthFailed, Scope::Credential) };
    for end in [limited(), dead, verdict(Class::RateLimited, Scope::Model)] {
        let mut router = router();
        router.serve(&of_session("s"));
        assert_eq!(router.fail(&of_session("s"), &end), "a");
        assert_eq!(router.order(&of_session("s"), 2), "bb", "{end:?}");
    }
    for reason in [Reason::GroupDisabled, Reason::GroupNotAllowed, Reason::ModelNotExposed] {
        let mut router = router();
        router.serve(&of_session("s"));
        let h = router.pool.provider("h");
        router.change(|config| match reason {
            Reason::GroupDisabled => config.groups[0].enabled = false,
            Reason::GroupNotAllowed => config.access_keys[0].groups = Some(vec![h]),
            _ => config.groups[0].models = Some(Vec::new()),
        });
        assert_eq!(router.order(&of_session("s"), 2), "bb", "{reason:?}");
        assert_eq!(router.group("g", &of_session("s")).reason, reason);
    }
}

#[test]
fn a_session_of_a_credential_without_a_row_goes_elsewhere() {
    let mut router = router();
    router.serve(&of_session("s"));
    router.load("g", equal(&["c"]));
    let routed = router.take(&of_session("s"));
    assert_eq!(routed.grant.reason, ChoiceReason::Rebound);
    router.succeed(&of_session("s"), &routed);
    assert_eq!(router.take(&of_session("s")).grant.reason, ChoiceReason::Affinity);
}

#[test]
fn a_session_that_comes_down_with_its_request_is_not_served_where_that_failed() {
    let mut router = router();
    router.serve(&of_session("s"));
    let passed_over = Verdict { scope: Scope::Request, ..limited() };
    let order = router.descent(&of_session("s"), PlanTerms::default(), &passed_over);
    assert_eq!(order, "ab");
    assert_eq!(router.goes(&of_session("s")), "a", "the next request");
}

#[test]
fn by_rendezvous_sessions_are_not_learned() {
    let groups = vec![Spec::of("g", equal(&["a"])), Spec::of("h", equal(&["b"]))];
    let mut router = Router::with(Strategy::Rendezvous, groups);
    let home = router.goes(&of_session("s"));
    let other = if home == "a" { "b" } else { "a" };
    let (provider, credential) = router.find(other);
    let served = keyrota::Address { provider, credential };
    router.pool.learn(SessionHash::of("s"), None, served, router.now);
    let routed = router.take(&of_session("s"));
    assert_eq!((router.id(&routed), routed.grant.reason), (home, ChoiceReason::Strategy));
}

/// Remembers that `id` made the response `r`.
fn remember(router: &mut Router, id: &str) {
    let (provider, credential) = router.find(id);
    router.pool.remember(provider, SessionHash::of("r"), credential, router.now);
}

#[test]
fn continuing_a_response_never_changes_the_credential() {
    let mut router =
        Router::of(vec![Spec::at("g", 1, equal(&["a"])), Spec::of("h", equal(&["b", "c"]))]);
    remember(&mut router, "c");
    let routed = router.take(&continuing("r"));
    assert_eq!((router.id(&routed), routed.grant.reason), ("c".into(), ChoiceReason::Continuation));
    assert!(routed.place.is_bound);
    router.pool.conclude(routed.grant.lease, &limited(), None, router.now);
    let refusal = RouteRefusal::NoneAvailable {
        retry_after: Some(keyrota::Millis::from_secs(60)),
        at_capacity: false,
    };
    assert_eq!(router.ask(&continuing("r")), Err(refusal), "it waits");
    assert_eq!(router.goes(&PLAIN), "a");
    assert_eq!(router.at(60).goes(&continuing("r")), "c");
    assert_eq!(router.goes(&continuing("unknown")), "a", "nobody knows who made that");
}

#[test]
fn a_retry_of_a_continuation_never_changes_the_credential() {
    let mut router = router();
    remember(&mut router, "b");
    let request = continuing("r");
    let passed_over = Verdict { scope: Scope::Request, ..limited() };
    assert_eq!(router.descent(&request, PlanTerms::default(), &passed_over), "b");
    let (mut plan, failed) =
        (Plan::new(PlanTerms::default()), verdict(Class::ServerError, Scope::Provider));
    router.attempt(&request, &mut plan, &failed).expect("b");
    assert!(router.attempt(&request, &mut plan, &failed).is_err());
    assert!(plan.forgive(&[]), "the provider was to blame");
    router.at(5);
    assert_eq!(router.attempt(&request, &mut plan, &failed).expect("b again").0, "b");
}

#[test]
fn a_continuation_whose_credential_is_gone_after_its_first_attempt_goes_nowhere_else() {
    let mut router = router();
    remember(&mut router, "b");
    let passed_over = Verdict { scope: Scope::Request, ..limited() };
    let mut plan = Plan::new(PlanTerms::default());
    router.attempt(&continuing("r"), &mut plan, &passed_over).expect("b");
    router.load("h", Vec::new());
    assert_eq!(router.attempt(&continuing("r"), &mut plan, &passed_over), Err(NOBODY));
}

#[test]
fn continuing_a_response_comes_before_the_session_and_does_not_move_it() {
    let mut router = router();
    assert_eq!(router.serve(&of_session("s")), "a");
    remember(&mut router, "b");
    let both = keyrota::RouteRequest { session: Some(SessionHash::of("s")), ..continuing("r") };
    assert_eq!(router.goes(&both), "b");
    assert_eq!(router.goes(&of_session("s")), "a");
}

#[test]
fn responses_are_continued_with_soft_affinity_switched_off_and_long_after_sessions_are_forgotten() {
    let mut router = router();
    router.change(|config| config.affinity = AffinityConfig { capacity: 0, ttl: None });
    remember(&mut router, "b");
    assert_eq!(router.order(&continuing("r"), 3), "bbb");
    assert_eq!(router.at(86_400).order(&continuing("r"), 3), "bbb");
}

#[test]
fn a_response_whose_group_may_not_serve_the_request_is_continued_by_nobody() {
    let mut router = router();
    remember(&mut router, "b");
    router.change(|config| config.groups[1].enabled = false);
    assert_eq!(router.ask(&continuing("r")), Err(NOBODY));
    router.change(|config| config.groups[1].enabled = true);
    router.load("h", vec![Row { models: Some(vec!["n".into()]), ..Row::new("b") }]);
    assert_eq!(router.ask(&continuing("r")), Err(NOBODY));
    let of_n = keyrota::RouteRequest { continues: Some(SessionHash::of("r")), ..for_model("n") };
    assert_eq!(router.goes(&of_n), "b");
}

#[test]
fn a_response_of_a_credential_without_a_row_is_continued_by_whoever_serves() {
    let mut router = router();
    remember(&mut router, "b");
    router.load("h", Vec::new());
    assert_eq!(router.goes(&continuing("r")), "a");
}

#[test]
fn a_response_that_is_not_known_is_continued_by_nobody_where_only_own_ones_may_be() {
    let mut router = router();
    let unknown = RouteRefusal::Denied(Reason::ContinuationUnknown);
    router.change(|config| config.continuations = Continuations::Own);
    assert_eq!(router.ask(&continuing("r")), Err(unknown));
    assert_eq!(
        router.pool.inspect(&continuing("r"), router.now).access_key,
        Reason::ContinuationUnknown
    );
    remember(&mut router, "b");
    assert_eq!(router.goes(&continuing("r")), "b");
    assert_eq!(router.ask(&continuing("another")), Err(unknown));
    assert_eq!(router.goes(&PLAIN), "a");
    router.change(|config| config.continuations = Continuations::Any);
    assert_eq!(router.goes(&continuing("another")), "a");
}

#[test]
fn a_continuation_that_fails_open_is_bound_as_well() {
    let mut spec = Spec::of("g", equal(&["a"]));
    spec.config.fail_open = true;
    let mut router = Router::of(vec![spec]);
    remember(&mut router, "a");
    router.fail(&PLAIN, &limited());
    let routed = router.take(&continuing("r"));
    assert_eq!(routed.grant.reason, ChoiceReason::FailOpen);
    assert!(routed.place.is_bound);
}

#[test]
fn a_continuation_counts_in_the_shares_of_the_groups() {
    let groups = vec![Spec::of("g", equal(&["a"])), Spec::of("h", equal(&["b"]))];
    let mut router = Router::with(Strategy::Smooth, groups);
    remember(&mut router, "a");
    assert_eq!(router.order(&continuing("r"), 1), "a");
    assert_eq!(router.order(&PLAIN, 3), "bab");
}

#[test]
fn a_session_that_overflows_is_in_use() {
    let a = Row { max_concurrent: Some(1), ..Row::new("a") };
    let mut router = Router::of(vec![Spec::of("g", vec![a, Row::new("b")])]);
    let ttl = Some(keyrota::Millis::from_secs(100));
    router.change(|config| config.affinity.ttl = ttl);
    router.serve(&of_session("s"));
    let open = router.take(&of_session("s"));
    assert_eq!(router.at(90).goes(&of_session("s")), "b");
    router.at(150);
    router.pool.release(open.grant.lease);
    assert_eq!(router.take(&of_session("s")).grant.reason, ChoiceReason::Affinity);
}

#[test]
fn a_hundred_requests_of_one_session_fill_its_credential_to_its_cap_and_do_not_move_it() {
    let a = Row { max_concurrent: Some(10), ..Row::new("a") };
    let mut router =
        Router::of(vec![Spec::of("g", vec![a, Row::new("b")]), Spec::of("h", equal(&["c"]))]);
    router.serve(&of_session("s"));
    let open: Vec<_> = (0..100).map(|_| router.take(&of_session("s"))).collect();
    let on_a = open.iter().filter(|routed| router.id(routed) == "a").count();
    assert_eq!(on_a, 10);
    for routed in &open {
        let is_home = router.id(routed) == "a";
        let expected = if is_home { ChoiceReason::Affinity } else { ChoiceReason::Overflow };
        assert_eq!(routed.grant.reason, expected);
    }
    for routed in open.iter().rev() {
        router.pool.report(routed.grant.lease, &Outcome::of_status(200), router.now);
        if routed.grant.reason != ChoiceReason::Overflow {
            router.pool.learn(SessionHash::of("s"), routed.seen, address(routed), router.now);
        }
    }
    assert_eq!(router.order(&of_session("s"), 3), "aaa");
}
