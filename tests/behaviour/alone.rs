//! The only credential there is rests for no more than two seconds because a server is busy.

use keyrota::{Class, EventKind, Reason, Request, Row, Scope};

use crate::scene::{Scene, equal, grouped, model, proven, stated, verdict};

/// Failures of the only credential, each as soon as it may serve; how long it then rests.
fn rests(scene: &mut Scene, class: Class, failures: usize) -> Vec<i64> {
    let rest = |_| {
        let grant = scene.acquire();
        scene.conclude(grant, &verdict(class, Scope::Credential));
        let rest = scene.until("a").expect("it rests") - scene.now;
        let now = scene.now;
        scene.at_ms(now + rest);
        rest
    };
    (0..failures).map(rest).collect()
}

#[test]
fn the_only_credential_rests_for_two_seconds_at_most_when_a_server_is_busy() {
    for class in [Class::Overloaded, Class::ServerError] {
        let mut scene = Scene::even(equal(&["a"]));
        assert_eq!(rests(&mut scene, class, 5), [2_000; 5], "{class:?}");
        assert_eq!(scene.status("a").level, 5, "the level climbs all the same");
    }
}

#[test]
fn limits_refusals_and_stated_waits_are_not_shortened() {
    let mut scene = Scene::even(equal(&["a"]));
    assert_eq!(rests(&mut scene, Class::RateLimited, 2), [60_000, 120_000]);
    let mut scene = Scene::even(equal(&["a"]));
    scene.fail("a", &stated(Class::Overloaded, Scope::Credential, 30));
    assert_eq!(scene.until("a"), Some(30_000));
}

#[test]
fn its_models_and_its_quota_group_rest_no_longer_either() {
    let mut scene = Scene::even(grouped(&["a"]));
    for (at, scope) in
        [(0, Scope::Model), (2, Scope::Model), (4, Scope::Account), (6, Scope::Account)]
    {
        let grant = scene.at(at).acquire_for(&model("large"));
        scene.conclude_for(grant, &verdict(Class::Overloaded, scope), Some("large"));
        assert!(scene.at_ms(at * 1_000 + 1_999).refuses(&model("large")), "{scope:?}");
    }
    assert!(!scene.at(8).refuses(&model("large")));
}

#[test]
fn one_that_is_off_or_has_no_secret_is_nobody() {
    let off = Row { enabled: false, ..Row::new("b") };
    let unresolved = Row { secret_unresolved: true, ..Row::new("c") };
    let mut scene = Scene::even(vec![Row::new("a"), off, unresolved]);
    assert_eq!(rests(&mut scene, Class::Overloaded, 3), [2_000; 3]);
}

#[test]
fn a_rest_is_as_long_as_ever_once_there_is_another() {
    let mut scene = Scene::even(equal(&["a"]));
    rests(&mut scene, Class::Overloaded, 3);
    assert_eq!(scene.status("a").state, Reason::Available);
    scene.load(equal(&["a", "b"]));
    assert_eq!(scene.until("a"), Some(4_000 + 8_000));
    scene.load(equal(&["a"]));
    assert_eq!(scene.status("a").state, Reason::Available);
}

#[test]
fn when_the_others_are_disabled_a_long_rest_ends_sooner() {
    let mut scene = Scene::even(equal(&["a", "b"]));
    scene.fail("a", &verdict(Class::Overloaded, Scope::Credential));
    scene.at(2).fail("a", &verdict(Class::Overloaded, Scope::Credential));
    assert_eq!(scene.until("a"), Some(6_000));
    let grant = scene.take("b");
    scene.conclude(grant, &proven(Class::AuthFailed, Scope::Credential));
    assert_eq!(scene.until("a"), Some(4_000));
}

#[test]
fn a_failure_after_the_shortened_rest_is_the_next_step() {
    let mut scene = Scene::even(equal(&["a"]));
    rests(&mut scene, Class::Overloaded, 2);
    let (early, now) = (scene.acquire(), scene.now);
    let late = scene.at_ms(now + 100).acquire();
    scene.conclude(early, &verdict(Class::Overloaded, Scope::Credential));
    assert_eq!(scene.status("a").level, 3);
    scene.conclude(late, &verdict(Class::Overloaded, Scope::Credential));
    assert_eq!(scene.status("a").level, 3, "it began before the rest");
    let late = scene.at_ms(now + 2_100).acquire();
    scene.conclude(late, &verdict(Class::Overloaded, Scope::Credential));
    assert_eq!(scene.status("a").level, 4);
}

#[test]
fn a_level_is_forgotten_after_the_rest_that_was_not_shortened() {
    let mut scene = Scene::even(equal(&["a"]));
    rests(&mut scene, Class::Overloaded, 3); // 2, 4 and 8 s, begun at 0, 2 and 4
    assert_eq!(scene.at(911).status("a").level, 3);
    assert_eq!(scene.at(912).status("a").level, 0);
}

#[test]
fn a_rest_that_was_over_by_time_is_told_when_another_is_enabled() {
    let off = Row { enabled: false, ..Row::new("b") };
    let mut scene = Scene::even(vec![Row::new("a"), off]);
    scene.fail("a", &verdict(Class::Overloaded, Scope::Credential));
    scene.pool.take_events();
    let (index, now) = (scene.index("b"), scene.at(2).wall());
    assert!(scene.pool.enable(scene.provider, index, now));
    let mut told = scene.told();
    told.sort_by(|a, b| a.0.cmp(&b.0));
    let expected = [("a".to_owned(), EventKind::Recovered), ("b".to_owned(), EventKind::Enabled)];
    assert_eq!(told, expected);
    assert!(!scene.refuses(&Request::default()));
}
