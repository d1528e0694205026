//! New settings keep what is known: health, sessions, responses and leases.

use keyrota::{
    Blacklist, ChoiceReason, Class, Outcome, Policy, ProviderConfig, Reason, Row, Scope,
    SessionHash, Strategy, Verdict,
};

use crate::router::{PLAIN, Router, Spec, address, continuing, of_session};
use crate::scene::{equal, verdict};

fn limited() -> Verdict {
    verdict(Class::RateLimited, Scope::Credential)
}

fn router() -> Router {
    Router::of(vec![Spec::of("g", equal(&["a", "b"])), Spec::of("h", equal(&["c"]))])
}

#[test]
fn a_reload_keeps_health_for_all_its_time() {
    let mut router = router();
    assert_eq!(router.fail(&PLAIN, &limited()), "a");
    router.change(|config| config.strategy = Strategy::Smooth);
    router.change(|config| config.strategy = Strategy::FillFirst);
    router.at(59);
    assert_eq!(router.goes(&PLAIN), "b");
    assert_eq!(router.at(60).fail(&PLAIN, &limited()), "a");
    router.change(|_| {});
    assert_eq!(router.at(60 + 119).goes(&PLAIN), "b", "the second step of its ladder");
}

#[test]
fn a_reload_keeps_sessions_and_responses() {
    let mut router = router();
    router.fail(&PLAIN, &limited());
    assert_eq!(router.serve(&of_session("s")), "b");
    let (provider, c) = router.find("c");
    router.pool.remember(provider, SessionHash::of("r"), c, router.now);
    router.at(60);
    router.change(|config| config.groups.reverse());
    assert_eq!(router.order(&PLAIN, 1), "c", "the settings are new");
    let routed = router.take(&of_session("s"));
    assert_eq!((router.id(&routed), routed.grant.reason), ("b".into(), ChoiceReason::Affinity));
    assert_eq!(router.goes(&continuing("r")), "c");
}

#[test]
fn a_reload_to_a_smaller_capacity_keeps_the_sessions_used_last() {
    let mut router = router();
    for session in ["first", "second"] {
        router.serve(&of_session(session));
    }
    router.change(|config| config.affinity.capacity = 1);
    let why = ["first", "second"].map(|name| router.take(&of_session(name)).grant.reason);
    assert_eq!(why, [ChoiceReason::Strategy, ChoiceReason::Affinity]);
}

#[test]
fn a_lease_from_before_a_reload_counts_and_ends_after_it() {
    let mut router = router();
    router.load("g", vec![Row { max_concurrent: Some(1), ..Row::new("a") }]);
    let routed = router.take(&of_session("s"));
    router.change(|config| config.groups.reverse());
    router.change(|config| config.groups.reverse());
    assert_eq!(router.goes(&PLAIN), "c", "it is in flight");
    assert!(router.pool.report(routed.grant.lease, &Outcome::of_status(200), router.now).is_some());
    router.pool.learn(SessionHash::of("s"), routed.seen, address(&routed), router.now);
    assert_eq!(router.take(&of_session("s")).grant.reason, ChoiceReason::Affinity);
}

#[test]
fn a_group_that_is_added_serves_and_one_that_is_gone_does_not() {
    let mut router = router();
    router.add(Spec::at("i", 1, equal(&["d"])));
    assert_eq!(router.goes(&PLAIN), "a");
    router.change(|_| {});
    assert_eq!(router.goes(&PLAIN), "d");
    router.change(|config| config.groups.retain(|group| group.priority == 0));
    assert_eq!(router.goes(&PLAIN), "a");
    router.change(|config| config.groups.clear());
    assert!(router.ask(&PLAIN).is_err());
}

#[test]
fn a_provider_that_is_configured_anew_keeps_the_health_of_its_credentials() {
    let mut router = router();
    router.fail(&PLAIN, &limited());
    let (provider, _) = router.find("a");
    let config = |strategy| ProviderConfig {
        strategy,
        blacklist: Some(Blacklist::default()),
        ..ProviderConfig::of(Policy { jitter: 0.0, ..Policy::adaptive() })
    };
    for strategy in [Strategy::Smooth, Strategy::LeastBusy, Strategy::FillFirst] {
        router.pool.configure(provider, config(strategy), router.now);
        assert_eq!(router.goes(&PLAIN), "b", "{strategy:?}");
        assert_eq!(router.reason("a", &PLAIN), Reason::Cooling);
    }
    assert_eq!(router.at(60).goes(&PLAIN), "a");
}

#[test]
fn a_cap_that_is_configured_anew_counts_at_once() {
    let mut router = router();
    let (provider, _) = router.find("a");
    let policy = Policy { jitter: 0.0, ..Policy::adaptive() };
    let capped = |most| ProviderConfig {
        max_concurrent: most,
        strategy: Strategy::FillFirst,
        ..ProviderConfig::of(policy.clone())
    };
    let open = router.take(&PLAIN);
    router.pool.configure(provider, capped(Some(1)), router.now);
    assert_eq!(router.goes(&PLAIN), "c");
    router.pool.configure(provider, capped(Some(2)), router.now);
    assert_eq!(router.goes(&PLAIN), "a");
    router.pool.configure(provider, capped(Some(1)), router.now);
    router.pool.release(open.grant.lease);
    assert_eq!(router.goes(&PLAIN), "a");
}

#[test]
fn rows_that_are_read_again_count_at_once_and_keep_health() {
    let mut router = router();
    router.fail(&PLAIN, &limited());
    router.load("g", vec![Row { enabled: false, ..Row::new("b") }, Row::new("a")]);
    assert_eq!(router.goes(&PLAIN), "c", "a rests and b is off");
    router.load("g", equal(&["d", "a"]));
    assert_eq!(router.goes(&PLAIN), "d");
    router.load("g", Vec::new());
    assert_eq!(router.goes(&PLAIN), "c");
    router.load("g", equal(&["a"]));
    assert_eq!(router.goes(&PLAIN), "c", "its rest went on");
    assert_eq!(router.at(60).goes(&PLAIN), "a");
}
