//! One attempt finds out whether a credential works again; the others wait for it.

use keyrota::{Class, EventKind, Millis, Reason, Request, Row, Scope};

use crate::scene::{Scene, equal, grouped, model, stated, verdict};

/// Two failures of the credential, each as soon as it may serve; it is then at the end of its rest.
fn twice(scene: &mut Scene, id: &str) {
    for _ in 0..2 {
        scene.fail(id, &verdict(Class::RateLimited, Scope::Credential));
        let until = scene.until(id).expect("it rests");
        scene.at_ms(until);
        scene.pool.take_events();
    }
}

/// A pool of two of which `a` is at the end of its second rest.
fn due() -> Scene {
    let mut scene = Scene::even(equal(&["a", "b"]));
    twice(&mut scene, "a");
    scene
}

#[test]
fn after_a_second_rest_one_attempt_goes_and_the_others_wait_for_it() {
    let mut scene = due();
    assert_eq!(scene.status("a").state, Reason::Available);
    let probe = scene.take("a");
    assert_eq!(scene.reason("a", &Request::default()), Reason::ProbePending);
    assert_eq!(scene.picks(3), ["b", "b", "b"]);
    scene.report(probe, 200);
    assert_eq!((scene.status("a").level, scene.status("a").state), (0, Reason::Available));
}

#[test]
fn the_end_of_a_first_rest_is_probed_by_nobody() {
    let mut scene = Scene::even(equal(&["a"]));
    scene.fail("a", &verdict(Class::RateLimited, Scope::Credential));
    scene.at(60);
    scene.acquire();
    scene.acquire();
    assert_eq!(scene.status("a").state, Reason::Available);
}

#[test]
fn a_probe_that_fails_makes_the_next_rest_one_step_longer() {
    let mut scene = due();
    let (probe, now) = (scene.take("a"), scene.now);
    scene.conclude(probe, &verdict(Class::RateLimited, Scope::Credential));
    assert_eq!(scene.until("a"), Some(now + 240_000));
}

#[test]
fn a_probe_that_is_released_lets_another_one_go() {
    let mut scene = due();
    let probe = scene.take("a");
    scene.pool.release(probe.lease);
    assert_eq!(scene.status("a").state, Reason::Available);
    scene.take("a");
    assert_eq!(scene.status("a").state, Reason::ProbePending);
}

#[test]
fn a_probe_is_waited_for_60_seconds_and_no_longer() {
    let mut scene = due();
    scene.take("a");
    let began = scene.now;
    assert_eq!(scene.at_ms(began + 59_999).status("a").state, Reason::ProbePending);
    assert_eq!(scene.at_ms(began + 60_000).status("a").state, Reason::Available);
}

#[test]
fn the_end_of_a_probe_that_came_too_late_does_not_end_the_one_after_it() {
    let mut scene = due();
    let first = scene.take("a");
    let began = scene.now;
    scene.at_ms(began + 60_000).take("a");
    scene.pool.release(first.lease);
    assert_eq!(scene.status("a").state, Reason::ProbePending);
}

#[test]
fn who_goes_while_a_probe_is_under_way_is_no_probe() {
    let mut scene = Scene::even(equal(&["a"]));
    twice(&mut scene, "a");
    let (probe, other) = (scene.acquire(), scene.acquire());
    let began = scene.now;
    scene.pool.release(other.lease);
    assert_eq!(scene.at_ms(began + 59_999).status("a").state, Reason::ProbePending);
    assert_eq!(scene.status("a").until.map(|until| until.0), Some(began + 60_000));
    scene.pool.release(probe.lease);
    assert_eq!(scene.status("a").state, Reason::Available);
}

#[test]
fn an_old_failure_does_not_end_the_wait_for_a_probe() {
    let mut scene = Scene::even(equal(&["a", "b"]));
    let old = scene.take("a");
    twice(&mut scene, "a");
    scene.take("a");
    scene.conclude(old, &verdict(Class::RateLimited, Scope::Credential));
    assert_eq!(scene.status("a").state, Reason::ProbePending);
}

#[test]
fn a_probe_of_a_forgotten_level_is_waited_for_by_nobody() {
    let mut scene = due();
    let over = scene.now;
    scene.at_ms(over + 899_000).take("a");
    assert_eq!(scene.status("a").until.map(|until| until.0), Some(over + 900_000));
    assert_eq!(scene.at_ms(over + 900_000).status("a").state, Reason::Available);
    scene.take("a");
    scene.take("a");
}

#[test]
fn of_those_who_wait_for_a_probe_the_one_with_the_fewest_leases_serves_when_nobody_else_can() {
    let mut scene = Scene::even(equal(&["a", "b"]));
    for id in ["a", "b"] {
        scene.at(0);
        twice(&mut scene, id);
    }
    let [a, b] = ["a", "b"].map(|id| scene.take(id).credential);
    assert_eq!([(); 3].map(|()| scene.acquire().credential), [a, b, a]);
    assert!(scene.pool.candidates(scene.provider, &Request::default(), scene.wall()).is_empty());
}

#[test]
fn a_stated_wait_of_more_than_an_hour_is_probed_after_15_minutes_and_again() {
    let mut scene = Scene::even(equal(&["a", "b"]));
    scene.fail("a", &stated(Class::QuotaExhausted, Scope::Credential, 7_200));
    assert_eq!(scene.at(899).reason("a", &Request::default()), Reason::QuotaExhausted);
    let probe = scene.at(900).take("a");
    assert_eq!(scene.reason("a", &Request::default()), Reason::QuotaExhausted);
    assert_eq!(scene.until("a"), Some(7_200_000), "the wait is kept whole");
    scene.at(910).conclude(probe, &verdict(Class::QuotaExhausted, Scope::Credential));
    assert_eq!(scene.at(1_809).reason("a", &Request::default()), Reason::QuotaExhausted);
    let probe = scene.at(1_810).take("a");
    scene.report(probe, 200);
    assert_eq!(scene.status("a").state, Reason::Available);
}

#[test]
fn a_stated_wait_of_an_hour_is_not_probed() {
    let mut scene = Scene::even(equal(&["a"]));
    scene.fail("a", &stated(Class::QuotaExhausted, Scope::Credential, 3_600));
    assert_eq!(scene.retry_after(), Some(Millis(3_600_000)));
    assert_eq!(scene.at(3_599).retry_after(), Some(Millis(1_000)));
}

#[test]
fn nobody_else_goes_while_a_stated_wait_is_probed() {
    let mut scene = Scene::even(equal(&["a"]));
    scene.fail("a", &stated(Class::QuotaExhausted, Scope::Credential, 7_200));
    assert_eq!(scene.at(100).retry_after(), Some(Millis(800_000)), "the probe is due");
    scene.at(900).acquire();
    assert_eq!(scene.retry_after(), Some(Millis(60_000)));
}

#[test]
fn a_probe_of_a_quota_group_holds_back_the_whole_group() {
    let mut scene = Scene::even([grouped(&["a", "b"]), equal(&["c"])].concat());
    for at in [0, 60] {
        scene.at(at).fail("a", &verdict(Class::RateLimited, Scope::Account));
    }
    scene.at(180).take("b");
    assert_eq!(scene.status("a").state, Reason::ProbePending);
    assert_eq!(scene.picks(2), ["c", "c"]);
}

#[test]
fn a_probe_of_a_group_ends_although_its_credential_has_left_the_group() {
    let mut scene = Scene::even(grouped(&["a", "b"]));
    for at in [0, 60] {
        scene.at(at).fail("a", &verdict(Class::RateLimited, Scope::Account));
    }
    let probe = scene.at(180).take("a");
    scene.load([equal(&["a"]), grouped(&["b"])].concat());
    assert_eq!(scene.status("b").state, Reason::ProbePending);
    scene.pool.release(probe.lease);
    assert_eq!(scene.status("b").state, Reason::Available);
}

#[test]
fn a_probe_for_one_model_holds_back_nobody_who_asks_for_another() {
    let mut scene = Scene::even(equal(&["a", "b"]));
    let index = scene.index("a");
    for at in [0, 60] {
        let (request, now) = (model("large"), scene.at(at).wall());
        let grant = scene.pool.acquire_chosen(scene.provider, index, &request, now).expect("a");
        let limited = verdict(Class::RateLimited, Scope::Model);
        scene.conclude_for(grant, &limited, Some("large"));
    }
    let (request, now) = (model("large"), scene.at(180).wall());
    scene.pool.acquire_chosen(scene.provider, index, &request, now).expect("it is the probe");
    assert_eq!(scene.reason("a", &model("large")), Reason::ProbePending);
    assert_eq!(scene.reason("a", &model("small")), Reason::Chosen);
}

#[test]
fn whoever_rested_alongside_is_told_when_a_probe_of_its_group_ends() {
    let mut scene = Scene::even([grouped(&["a", "b"]), vec![Row::new("c")]].concat());
    for at in [0, 60] {
        scene.at(at).fail("a", &verdict(Class::RateLimited, Scope::Account));
    }
    let probe = scene.at(180).take("a");
    scene.conclude(probe, &stated(Class::RateLimited, Scope::Account, 10));
    scene.pool.take_events();
    scene.at(190).pick();
    let told = scene.told();
    let back = |id: &str| (id.to_owned(), EventKind::Recovered);
    assert!(told.contains(&back("a")) && told.contains(&back("b")), "{told:?}");
}
