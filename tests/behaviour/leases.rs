//! The right to use one credential for one attempt: it is settled once, and is about nobody else.

use keyrota::{Config, EventKind, LeaseId, Millis, Outcome, Policy, Row, Wall};
use proptest::prelude::*;

use crate::scene::{Scene, cases, equal};

#[test]
fn a_lease_can_be_reported_once() {
    let mut scene = Scene::classic(equal(&["a"]));
    let grant = scene.acquire();
    assert!(scene.report(grant, 200).is_some());
    assert_eq!(scene.report(grant, 401), None);
    let known = scene.status("a");
    assert_eq!((known.counters.successes, known.counters.failures), (1, 0));
    assert_eq!(scene.pick(), "a");
}

#[test]
fn a_lease_that_was_released_blames_nobody() {
    let mut scene = Scene::classic(equal(&["a"]));
    let grant = scene.acquire();
    assert_eq!(scene.status("a").in_flight, 1);
    scene.pool.release(grant.lease);
    assert_eq!(scene.report(grant, 401), None);
    let known = scene.status("a");
    assert_eq!((known.in_flight, known.counters.failures), (0, 0));
}

#[test]
fn a_lease_that_is_never_reported_ends_by_itself_without_blame() {
    let mut scene = Scene::classic(equal(&["a"]));
    let grant = scene.acquire();
    assert_eq!(scene.at_ms(599_999).status("a").in_flight, 1);
    assert_eq!(scene.at_ms(600_000).status("a").in_flight, 0);
    scene.pick();
    let events = scene.pool.take_events();
    assert_eq!(
        events.iter().map(|e| e.kind.clone()).collect::<Vec<_>>(),
        [EventKind::LeaseExpired]
    );
    assert_eq!(scene.report(grant, 401), None);
    assert_eq!(scene.status("a").counters.failures, 0);
}

#[test]
fn a_report_after_the_lease_ended_by_itself_blames_nobody_whatever_else_is_going_on() {
    let mut scene = Scene::classic(equal(&["a"]));
    let grant = scene.acquire();
    assert_eq!(scene.at_ms(600_000).report(grant, 401), None, "nothing was called in between");
    assert_eq!(scene.pick(), "a");
}

#[test]
fn events_that_nobody_takes_do_not_pile_up() {
    let mut scene = Scene::classic(equal(&["a"]));
    for hour in 1..=12_000 {
        scene.attempt(429);
        scene.at(hour * 3_600);
    }
    assert!(scene.pool.take_events().len() <= 10_000);
}

// Reproducer for livekit/agents-js#2477: the error of one request was put on another.
#[test]
fn a_report_is_about_the_credential_of_its_own_lease() {
    let mut scene = Scene::classic(equal(&["a", "b"]));
    let (first, second) = (scene.acquire(), scene.acquire());
    scene.report(second, 200);
    scene.report(first, 429);
    assert_eq!((scene.status("a").level, scene.status("b").level), (1, 0));
}

#[test]
fn a_late_report_never_hits_the_lease_that_took_its_place() {
    let mut scene = Scene::classic(equal(&["a", "b"]));
    let old = scene.acquire();
    scene.report(old, 200);
    let new = scene.acquire();
    assert_ne!(old.lease, new.lease);
    assert_eq!(scene.report(old, 401), None);
    assert_eq!(scene.status(&scene.id(new.credential)).in_flight, 1);
    assert!(scene.report(new, 200).is_some());
}

#[test]
fn a_credential_that_was_replaced_hears_nothing_of_older_leases() {
    let mut scene = Scene::classic(equal(&["a"]));
    let grant = scene.acquire();
    scene.load(vec![Row { secret_changed: true, ..Row::new("a") }]);
    assert!(scene.report(grant, 401).is_some(), "what it means is told");
    let known = scene.status("a");
    assert_eq!((known.in_flight, known.counters.failures), (0, 0));
    assert_eq!(scene.pick(), "a");
}

#[test]
fn a_credential_that_a_person_brought_back_hears_nothing_of_older_leases() {
    let mut scene = Scene::classic(equal(&["a"]));
    let (first, second) = (scene.acquire(), scene.acquire());
    scene.report(first, 401);
    let (index, now) = (scene.index("a"), scene.wall());
    scene.pool.enable(scene.provider, index, now);
    scene.report(second, 401);
    assert_eq!(scene.pick(), "a");
}

#[test]
fn a_success_that_changes_nothing_needs_no_time() {
    let mut scene = Scene::classic(equal(&["a"]));
    let (first, second) = (scene.acquire(), scene.acquire());
    assert!(scene.pool.report_untroubled(first.lease));
    assert_eq!((scene.status("a").in_flight, scene.status("a").counters.successes), (1, 1));
    scene.report(second, 429);
    let third = scene.at(60).acquire();
    assert!(!scene.pool.report_untroubled(third.lease), "there is a level to clear");
    assert_eq!(scene.status("a").in_flight, 1);
    scene.report(third, 200);
    assert_eq!(scene.status("a").level, 0);
}

#[test]
fn leases_of_another_process_end_with_it() {
    let mut scene = Scene::classic(equal(&["a"]));
    let grant = scene.acquire();
    let snapshot = scene.pool.snapshot(scene.wall());
    let now = scene.wall();
    scene.pool.restore(&snapshot, now);
    assert_eq!(scene.status("a").in_flight, 0);
    let new = scene.acquire();
    assert_ne!(grant.lease, new.lease);
    assert_eq!(scene.report(grant, 401), None);
}

#[test]
fn a_number_that_no_lease_wrote_names_no_lease() {
    let mut scene = Scene::classic(equal(&["a"]));
    let grant = scene.acquire();
    let numbers = [0.5, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, 5e-324, -0.5];
    for number in numbers {
        let lease = LeaseId::from_number(number);
        assert_eq!(scene.pool.report(lease, &Outcome::of_status(401), Wall(0)), None, "{number}");
        scene.pool.release(lease);
        assert!(scene.pool.report_untroubled(lease), "{number}");
    }
    assert_eq!(scene.status("a").in_flight, 1);
    assert_eq!(LeaseId::from_number(grant.lease.to_number()), grant.lease);
}

#[test]
fn an_hour_of_leases_that_nobody_reports_leaves_no_more_than_a_lease_time_of_them() {
    let config = Config { lease_ttl: Millis::from_secs(1), ..Config::of(Policy::classic()) };
    let mut scene = Scene::new(config, equal(&["a"]));
    for seconds in 0..3_600 {
        scene.at(seconds).acquire();
        assert_eq!(scene.status("a").in_flight, 1, "at {seconds} s");
    }
}

#[test]
fn as_many_leases_as_a_number_can_tell_apart_are_in_flight_and_no_more() {
    let mut scene = Scene::classic(equal(&["a"]));
    let first = scene.acquire();
    for _ in 0..1 << 21 {
        scene.acquire();
    }
    let last = scene.acquire();
    assert!(scene.status("a").in_flight <= 1 << 21);
    let again = |lease: LeaseId| LeaseId::from_number(lease.to_number());
    let report = |scene: &mut Scene, lease| {
        scene.pool.report(lease, &Outcome::of_status(200), Wall(0)).is_some()
    };
    assert!(!report(&mut scene, again(first.lease)), "the oldest made room");
    assert!(report(&mut scene, again(last.lease)));
    assert!(!report(&mut scene, again(last.lease)));
}

proptest! {
    #![proptest_config(cases(1_000))]

    #[test]
    fn a_number_names_only_the_lease_that_wrote_it(
        ends in prop::collection::vec(any::<prop::sample::Index>(), 1..60),
        number in prop_oneof![any::<f64>(), (0..1_u64 << 53).prop_map(|whole| whole as f64)],
    ) {
        let mut scene = Scene::classic(equal(&["a", "b", "c"]));
        let mut open: Vec<LeaseId> = Vec::new();
        for end in ends {
            open.extend([scene.acquire().lease, scene.acquire().lease]);
            scene.pool.release(open.swap_remove(end.index(open.len())));
        }
        let named = open.iter().filter(|lease| lease.to_number() == number).count();
        let verdict = scene.pool.report(LeaseId::from_number(number), &Outcome::of_status(200), Wall(0));
        prop_assert_eq!(verdict.is_some(), named == 1);
        for lease in open.into_iter().filter(|lease| lease.to_number() != number) {
            let again = LeaseId::from_number(lease.to_number());
            let verdict = scene.pool.report(again, &Outcome::of_status(200), Wall(0));
            prop_assert!(verdict.is_some(), "{:?}", lease);
        }
        let in_flight: u32 = ["a", "b", "c"].iter().map(|id| scene.status(id).in_flight).sum();
        prop_assert_eq!(in_flight, 0);
    }
}
