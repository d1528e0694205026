//! When several credentials fail alike in a moment, the provider failed, and not they.

use keyrota::{Class, EventKind, Millis, Outcome, Reason, Request, Scope, SessionHash, Verdict};

use crate::scene::{Scene, equal, session, stated, verdict};

/// A lease for an attempt of that request on that credential.
fn attempt(scene: &mut Scene, id: &str, number: u32) -> keyrota::Grant {
    let (index, now) = (scene.index(id), scene.wall());
    let request = Request { number, ..Request::default() };
    scene.pool.acquire_chosen(scene.provider, index, &request, now).expect("it is available")
}

/// One failure each of `a`, `b` and `c`, of those requests, that many milliseconds apart.
fn failures(verdict: &Verdict, numbers: [u32; 3], apart_ms: i64) -> Scene {
    let mut scene = Scene::even(equal(&["a", "b", "c", "d"]));
    let attempts = ["a", "b", "c"].into_iter().zip(numbers);
    let grants: Vec<_> = attempts.map(|(id, number)| attempt(&mut scene, id, number)).collect();
    for (grant, nth) in grants.into_iter().zip(0..) {
        scene.at_ms(nth * apart_ms).conclude(grant, verdict);
    }
    scene
}

/// Whether the provider pauses and the credentials do not rest.
fn is_the_providers(scene: &Scene) -> bool {
    let states = ["a", "b", "c"].map(|id| scene.status(id).state);
    states == [Reason::ProviderPaused; 3] && scene.status("a").level == 0
}

#[test]
fn three_credentials_that_fail_alike_rest_no_more_and_the_provider_pauses() {
    for class in [Class::ServerError, Class::Overloaded, Class::AuthFailed] {
        let mut scene = failures(&verdict(class, Scope::Credential), [0; 3], 0);
        assert!(is_the_providers(&scene), "{class:?}");
        assert_eq!(scene.retry_after(), Some(Millis(250)));
        let told = scene.told();
        let count =
            |wanted: fn(&EventKind) -> bool| told.iter().filter(|(_, kind)| wanted(kind)).count();
        assert_eq!(count(|kind| matches!(kind, EventKind::Cooldown(_))), 3);
        assert_eq!(count(|kind| *kind == EventKind::Recovered), 3);
        assert_eq!(count(|kind| matches!(kind, EventKind::Paused(_))), 1);
    }
}

#[test]
fn one_request_that_fails_everywhere_may_be_to_blame_itself() {
    let failed = verdict(Class::ServerError, Scope::Credential);
    assert!(!is_the_providers(&failures(&failed, [7, 7, 7], 0)));
    assert!(is_the_providers(&failures(&failed, [7, 7, 8], 0)));
}

#[test]
fn two_credentials_prove_nothing() {
    let mut scene = Scene::even(equal(&["a", "b", "c"]));
    let grants = ["a", "b", "a", "b"].map(|id| scene.take(id));
    for grant in grants {
        scene.conclude(grant, &verdict(Class::ServerError, Scope::Credential));
    }
    assert_eq!(scene.status("a").state, Reason::Cooling);
}

#[test]
fn failures_that_are_more_than_5_seconds_apart_do_not_count_together() {
    let failed = verdict(Class::AuthFailed, Scope::Credential);
    assert!(is_the_providers(&failures(&failed, [0; 3], 2_500)));
    assert!(!is_the_providers(&failures(&failed, [0; 3], 2_501)));
}

#[test]
fn different_failures_do_not_count_together() {
    let mut scene = Scene::even(equal(&["a", "b", "c"]));
    let grants = ["a", "b", "c"].map(|id| scene.take(id));
    let classes = [Class::ServerError, Class::Overloaded, Class::ServerError];
    for (grant, class) in grants.into_iter().zip(classes) {
        scene.conclude(grant, &verdict(class, Scope::Credential));
    }
    assert_eq!(scene.status("a").state, Reason::Cooling);
}

#[test]
fn limits_quotas_accounts_and_stated_waits_never_count() {
    for verdict in [
        verdict(Class::RateLimited, Scope::Credential),
        verdict(Class::QuotaExhausted, Scope::Credential),
        verdict(Class::ServerError, Scope::Account),
        stated(Class::ServerError, Scope::Credential, 2),
    ] {
        assert!(!is_the_providers(&failures(&verdict, [0; 3], 0)), "{verdict:?}");
    }
}

#[test]
fn a_success_in_between_tells_that_it_is_not_the_provider() {
    let mut scene = Scene::even(equal(&["a", "b", "c", "d"]));
    let [a, b, c, d] = ["a", "b", "c", "d"].map(|id| scene.take(id));
    let failed = verdict(Class::ServerError, Scope::Credential);
    scene.conclude(a, &failed);
    scene.conclude(b, &failed);
    scene.report(d, 200);
    scene.conclude(c, &failed);
    assert_eq!(scene.status("c").state, Reason::Cooling);
}

#[test]
fn failures_for_a_model_count_too_and_the_model_rests_no_more() {
    let mut scene = Scene::even(equal(&["a", "b", "c"]));
    let grants = ["a", "b", "c"].map(|id| scene.take(id));
    for grant in grants {
        let failed = verdict(Class::Overloaded, Scope::Model);
        scene.conclude_for(grant, &failed, Some("large"));
    }
    for id in ["a", "b", "c"] {
        let row = scene.status(id);
        assert_eq!((row.state, row.models.len()), (Reason::ProviderPaused, 0));
    }
}

#[test]
fn a_time_that_the_provider_stated_outlives_failures_that_are_the_providers() {
    let mut scene = Scene::even(equal(&["a", "b", "c"]));
    let [first, a, b, c] = ["a", "a", "b", "c"].map(|id| scene.take(id));
    scene.conclude(first, &stated(Class::ServerError, Scope::Credential, 30));
    for grant in [a, b, c] {
        scene.conclude(grant, &verdict(Class::ServerError, Scope::Credential));
    }
    assert_eq!((scene.until("a"), scene.until("b")), (Some(30_000), Some(250)));
}

#[test]
fn failures_that_sessions_report_count_each_as_a_request_of_its_own() {
    let mut scene = Scene::even(equal(&["a", "b", "c"]));
    let (provider, now) = (scene.provider, scene.wall());
    for name in ["one", "two", "three"] {
        scene.pick_for(&session(name));
    }
    for name in ["one", "two", "three"] {
        let failed = Outcome::of_status(401);
        scene.pool.report_session(provider, SessionHash::of(name), &failed, now);
    }
    assert!(is_the_providers(&scene));
}

#[test]
fn what_was_the_providers_is_forgotten_and_counts_once() {
    let mut scene = failures(&verdict(Class::ServerError, Scope::Credential), [0; 3], 0);
    scene.at_ms(250).fail("d", &verdict(Class::ServerError, Scope::Credential));
    assert_eq!(scene.status("d").state, Reason::Cooling);
}
