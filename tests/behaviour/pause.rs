//! A provider that fails for everyone is asked again in a moment, and no credential is blamed.

use keyrota::{Class, Config, EventKind, Millis, Outcome, Phase, Policy, Reason, Request, Scope};

use crate::scene::{Scene, equal, session, stated, verdict};

#[test]
fn failures_of_the_provider_pause_it_for_a_quarter_second_and_twice_as_long_up_to_two() {
    let mut scene = Scene::even(equal(&["a", "b"]));
    for wait in [250, 500, 1_000, 2_000, 2_000] {
        let grant = scene.acquire();
        scene.conclude(grant, &verdict(Class::ServerError, Scope::Provider));
        assert_eq!(scene.retry_after(), Some(Millis(wait)));
        let now = scene.now;
        scene.at_ms(now + wait as i64);
    }
}

#[test]
fn nobody_is_blamed_for_a_failure_of_the_provider_or_of_the_way_to_it() {
    let mut scene = Scene::even(equal(&["a", "b"]));
    for scope in [Scope::Provider, Scope::Egress] {
        let grant = scene.acquire();
        scene.conclude(grant, &verdict(Class::ServerError, scope));
        for id in ["a", "b"] {
            let row = scene.status(id);
            assert_eq!((row.counters.failures, row.level), (0, 0), "{scope:?}");
            assert_eq!(row.state, Reason::ProviderPaused);
        }
        let now = scene.now;
        scene.at_ms(now + 10_000);
    }
}

#[test]
fn a_pause_is_told_once_and_says_what_it_is_about() {
    let mut scene = Scene::even(equal(&["a"]));
    let (first, second) = (scene.acquire(), scene.acquire());
    scene.conclude(first, &verdict(Class::EgressBlocked, Scope::Egress));
    scene.conclude(second, &verdict(Class::EgressBlocked, Scope::Egress));
    let told = scene.told();
    let [(_, EventKind::Paused(rest))] = &told[..] else { panic!("{told:?}") };
    assert_eq!((rest.scope, rest.level, rest.until.0), (Scope::Egress, 1, 250));
}

#[test]
fn a_stated_pause_is_kept_whole() {
    let mut scene = Scene::even(equal(&["a"]));
    let grant = scene.acquire();
    scene.conclude(grant, &stated(Class::Overloaded, Scope::Provider, 30));
    assert_eq!(scene.retry_after(), Some(Millis(30_000)));
}

#[test]
fn a_long_stated_pause_is_probed_after_15_minutes() {
    let mut scene = Scene::even(equal(&["a", "b"]));
    let grant = scene.acquire();
    scene.conclude(grant, &stated(Class::QuotaExhausted, Scope::Provider, 7_200));
    assert_eq!(scene.retry_after(), Some(Millis(900_000)));
    let probe = scene.at(900).acquire();
    assert!(scene.refuses(&Request::default()), "one goes");
    scene.report(probe, 200);
    scene.acquire();
}

#[test]
fn a_success_that_began_after_a_pause_ends_its_level_and_one_before_does_not() {
    let mut scene = Scene::even(equal(&["a"]));
    let (first, early) = (scene.acquire(), scene.acquire());
    scene.conclude(first, &verdict(Class::ServerError, Scope::Provider));
    scene.at_ms(250).report(early, 200);
    let grant = scene.acquire();
    scene.conclude(grant, &verdict(Class::ServerError, Scope::Provider));
    assert_eq!(scene.retry_after(), Some(Millis(500)), "the level was kept");
    let late = scene.at_ms(750).acquire();
    scene.report(late, 200);
    let grant = scene.acquire();
    scene.conclude(grant, &verdict(Class::ServerError, Scope::Provider));
    assert_eq!(scene.retry_after(), Some(Millis(250)));
}

#[test]
fn while_the_provider_pauses_a_session_has_no_place_that_could_serve() {
    let mut scene = Scene::even(equal(&["a", "b"]));
    let grant = scene.acquire_for(&session("s"));
    scene.conclude(grant, &verdict(Class::ServerError, Scope::Provider));
    let now = scene.wall();
    assert_eq!(scene.pool.home(scene.provider, &session("s"), now), None);
    assert!(scene.pool.candidates(scene.provider, &session("s"), now).is_empty());
    let now = scene.at_ms(250).wall();
    assert_eq!(scene.pool.home(scene.provider, &session("s"), now), Some(grant.credential));
}

#[test]
fn when_nobody_could_serve_after_the_pause_the_wait_is_the_longer_of_both() {
    let mut scene = Scene::even(equal(&["a"]));
    let (first, second) = (scene.acquire(), scene.acquire());
    scene.conclude(first, &verdict(Class::RateLimited, Scope::Credential));
    scene.conclude(second, &verdict(Class::ServerError, Scope::Provider));
    assert_eq!(scene.retry_after(), Some(Millis(60_000)));
}

#[test]
fn a_jittered_pause_is_lengthened_by_a_tenth_at_most() {
    for seed in 0..200 {
        let mut scene = Scene::new(Config::of(Policy::adaptive()), equal(&["a"]));
        scene.pool.seed(keyrota::Rng::from_seed(seed));
        let grant = scene.acquire();
        scene.conclude(grant, &verdict(Class::ServerError, Scope::Provider));
        let wait = scene.retry_after().expect("a time").0;
        assert!((250..=275).contains(&wait), "{wait}");
    }
}

#[test]
fn the_classic_policy_reads_the_status_alone_and_pauses_nobody() {
    let mut scene = Scene::classic(equal(&["a"]));
    let grant = scene.acquire();
    let network_code = Some("ECONNREFUSED");
    let outcome = Outcome { network_code, phase: Phase::BeforeSend, ..Outcome::default() };
    let verdict = scene.pool.report(grant.lease, &outcome, scene.wall()).expect("a lease");
    assert_eq!((verdict.class, verdict.scope), (Class::ServerError, Scope::None));
    scene.acquire();
    assert_eq!(scene.told(), []);
}
