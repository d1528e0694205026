//! The blacklisted are tried again, and come back by a proof or by a person's word.

use keyrota::{
    Class, CredentialIndex, DisabledBy, EventKind, Kind, Reason, Request, Row, Scope, Snapshot,
    ValidateRequest, Value, Wall,
};

use crate::blacklist::{config, fail, is_listed, probe, refused, scene, told, unpaid};
use crate::scene::{Scene, equal, even, grouped, proven, stated, verdict};
use crate::support::through_json;

/// Whom the pool asks to be tried.
fn asked(scene: &mut Scene) -> Vec<String> {
    scene.pool.sweep(scene.wall());
    let requests = scene.pool.take_validate_requests();
    requests.into_iter().map(|request| scene.id(request.credential)).collect()
}

#[test]
fn an_api_key_is_to_be_tried_after_each_interval() {
    let mut scene = scene(&["a", "b"]);
    fail(&mut scene, "a", &refused(), 3);
    let listed = scene.now;
    let mut asked_at = |ms: i64| asked(scene.at_ms(listed + ms));
    assert!(asked_at(299_999).is_empty());
    assert_eq!(asked_at(300_000), ["a"]);
    assert!(asked_at(599_999).is_empty());
    assert_eq!(asked_at(600_000), ["a"]);
    scene.pool.acquire(scene.provider, &Request::default(), Wall(listed + 900_000)).ok();
    assert!(scene.pool.has_news(), "any call produces it");
    let request = ValidateRequest { provider: scene.provider, credential: CredentialIndex(0) };
    assert_eq!(scene.pool.take_validate_requests(), [request]);
}

#[test]
fn it_is_not_to_be_tried_while_such_an_attempt_is_under_way() {
    let mut scene = scene(&["a", "b"]);
    fail(&mut scene, "a", &refused(), 3);
    let listed = scene.now;
    assert_eq!(asked(scene.at_ms(listed + 300_000)), ["a"]);
    let trial = probe(&mut scene, "a");
    assert!(asked(scene.at_ms(listed + 600_000)).is_empty());
    scene.conclude(trial, &refused());
    assert!(asked(scene.at_ms(listed + 899_999)).is_empty());
    assert_eq!(asked(scene.at_ms(listed + 900_000)), ["a"]);
    assert!(is_listed(&scene, "a"), "a failure keeps it");
}

#[test]
fn a_passed_validation_brings_a_key_back_with_clean_health() {
    let mut scene = scene(&["a", "b"]);
    scene.fail("a", &stated(Class::RateLimited, Scope::Credential, 5));
    let grant = scene.at(6).take("a");
    let limited = stated(Class::RateLimited, Scope::Model, 80_000);
    scene.conclude_for(grant, &limited, Some("large"));
    fail(&mut scene, "a", &refused(), 3);
    scene.pool.take_events();
    let trial = probe(&mut scene, "a");
    scene.report(trial, 200);
    assert_eq!(told(&mut scene, &EventKind::Enabled), ["a"]);
    let known = scene.status("a");
    assert_eq!((known.state, known.level, known.models), (Reason::Available, 0, Vec::new()));
    fail(&mut scene, "a", &refused(), 2);
    assert!(!is_listed(&scene, "a"), "it begins anew");
    let now = scene.now + 10_000_000;
    assert!(asked(scene.at_ms(now)).is_empty());
}

#[test]
fn a_success_of_an_attempt_from_before_the_last_failure_proves_nothing() {
    let mut scene = scene(&["a", "b"]);
    let (early, ordinary) = (probe(&mut scene, "a"), scene.take("a"));
    fail(&mut scene, "a", &refused(), 3);
    scene.report(early, 200);
    assert!(is_listed(&scene, "a"));
    scene.report(ordinary, 200);
    assert!(is_listed(&scene, "a"));
}

#[test]
fn a_subscription_is_never_to_be_tried_and_no_proof_brings_it_back() {
    let account = || Row { kind: Kind::Subscription { authorized: true }, ..Row::new("a") };
    let mut scene = Scene::new(config(), vec![account(), Row::new("b")]);
    fail(&mut scene, "a", &unpaid(), 3);
    let now = scene.now + 300_000;
    assert!(asked(scene.at_ms(now)).is_empty());
    let trial = probe(&mut scene, "a");
    scene.report(trial, 200);
    assert!(is_listed(&scene, "a"));
    let a = scene.index("a");
    assert!(scene.pool.recover(scene.provider, a, scene.wall()));
    assert_eq!(scene.status("a").state, Reason::Available);
}

#[test]
fn a_proof_lifts_the_disabling_of_a_subscription_and_not_its_blacklisting() {
    let account = Row { kind: Kind::Subscription { authorized: true }, ..Row::new("a") };
    let mut scene = Scene::new(config(), vec![account, Row::new("b")]);
    fail(&mut scene, "a", &refused(), 3);
    let trial = probe(&mut scene, "a");
    scene.conclude(trial, &proven(Class::AuthFailed, Scope::Credential));
    assert_eq!(scene.status("a").state, Reason::CredentialDisabled);
    scene.pool.take_events();
    let trial = probe(&mut scene, "a");
    scene.report(trial, 200);
    assert!(is_listed(&scene, "a"));
    assert!(told(&mut scene, &EventKind::Enabled).is_empty());
}

#[test]
fn nobody_tries_one_that_is_off_for_another_reason_too() {
    let off = [
        Row { enabled: false, ..Row::new("a") },
        Row { secret_unresolved: true, ..Row::new("a") },
        Row { kind: Kind::Subscription { authorized: false }, ..Row::new("a") },
    ];
    for row in off {
        let mut scene = scene(&["a", "b"]);
        fail(&mut scene, "a", &refused(), 3);
        scene.load(vec![row.clone(), Row::new("b")]);
        let now = scene.now + 300_000;
        assert!(asked(scene.at_ms(now)).is_empty(), "{row:?}");
        scene.load(equal(&["a", "b"]));
        assert_eq!(asked(scene.at_ms(now + 300_000)), ["a"]);
    }
    let mut scene = scene(&["a", "b"]);
    fail(&mut scene, "a", &refused(), 3);
    let trial = probe(&mut scene, "a");
    scene.conclude(trial, &proven(Class::AuthFailed, Scope::Credential));
    let now = scene.now + 300_000;
    assert!(asked(scene.at_ms(now)).is_empty(), "a proof takes it out");
}

#[test]
fn recovering_by_hand_lifts_everything_but_what_a_person_switched_off() {
    let rows = || [grouped(&["a", "c"]), equal(&["b"])].concat();
    let mut scene = Scene::new(config(), rows());
    let grant = scene.take("a");
    scene.conclude_for(grant, &stated(Class::RateLimited, Scope::Model, 80_000), Some("large"));
    scene.fail("c", &stated(Class::RateLimited, Scope::Account, 90_000));
    let a = scene.index("a");
    for _ in 0..3 {
        let (trial, now) = (probe(&mut scene, "a"), scene.now + 1_000);
        scene.at_ms(now).conclude(trial, &refused());
    }
    assert!(is_listed(&scene, "a"));
    scene.pool.take_events();
    assert!(scene.pool.recover(scene.provider, a, scene.wall()));
    let known = scene.status("a");
    assert_eq!((known.state, known.models, known.level), (Reason::Available, Vec::new(), 0));
    assert_eq!(scene.status("c").state, Reason::Available, "its account rests no more");
    assert_eq!(told(&mut scene, &EventKind::Enabled), ["a"]);

    scene.fail("a", &proven(Class::AuthFailed, Scope::Credential));
    scene.pool.recover(scene.provider, a, scene.wall());
    assert_eq!(scene.status("a").state, Reason::Available);

    scene.load([vec![Row { enabled: false, ..Row::new("a") }], equal(&["b"])].concat());
    assert!(scene.pool.recover(scene.provider, a, scene.wall()));
    assert_eq!(scene.status("a").by, Some(DisabledBy::Hand));
    assert!(!scene.pool.recover(scene.provider, CredentialIndex(9), scene.wall()));
}

#[test]
fn neither_a_proof_nor_recovering_switches_on_what_a_person_switched_off() {
    let off = || vec![Row { enabled: false, ..Row::new("a") }, Row::new("b")];
    let mut scene = scene(&["a", "b"]);
    fail(&mut scene, "a", &refused(), 3);
    scene.load(off());
    let trial = probe(&mut scene, "a");
    scene.report(trial, 200);
    assert_eq!(scene.status("a").by, Some(DisabledBy::Hand));
    scene.load(equal(&["a", "b"]));
    assert_eq!(scene.status("a").state, Reason::Available, "off the list it is");
}

#[test]
fn recovering_by_hand_lifts_a_verdict_that_the_storage_keeps_as_a_proof_does() {
    let mut scene = scene(&["a", "b"]);
    scene.fail("a", &proven(Class::AuthFailed, Scope::Credential));
    let a = scene.index("a");
    scene.pool.confirm_disabled(scene.provider, a);
    scene.load(vec![Row { enabled: false, ..Row::new("a") }, Row::new("b")]);
    scene.pool.recover(scene.provider, a, scene.wall());
    assert_eq!(scene.status("a").state, Reason::Available);
}

#[test]
fn recovering_by_hand_forgets_what_was_counted_so_far() {
    let mut scene = scene(&["a", "b"]);
    fail(&mut scene, "a", &refused(), 2);
    let a = scene.index("a");
    scene.pool.recover(scene.provider, a, scene.wall());
    assert_eq!(scene.status("a").state, Reason::Available);
    fail(&mut scene, "a", &refused(), 2);
    assert!(!is_listed(&scene, "a"));
}

#[test]
fn enabling_by_hand_takes_off_the_list_and_ending_a_rest_does_not() {
    let mut scene = scene(&["a", "b"]);
    fail(&mut scene, "a", &refused(), 3);
    let a = scene.index("a");
    scene.pool.reset(scene.provider, a, scene.wall());
    assert!(is_listed(&scene, "a"));
    scene.pool.enable(scene.provider, a, scene.wall());
    assert_eq!(scene.status("a").state, Reason::Available);
}

#[test]
fn a_quota_that_is_there_again_takes_off_the_list_whom_it_brought_there() {
    for (verdict, is_back) in [(unpaid(), true), (refused(), false)] {
        let mut scene = scene(&["a", "b"]);
        fail(&mut scene, "a", &verdict, 3);
        scene.pool.take_events();
        let a = scene.index("a");
        assert!(scene.pool.recover_quota(scene.provider, a, scene.wall()));
        assert_eq!(is_listed(&scene, "a"), !is_back, "{verdict:?}");
        assert_eq!(told(&mut scene, &EventKind::Enabled).len(), usize::from(is_back));
    }
}

#[test]
fn the_only_one_that_is_left_is_alone() {
    let mut scene = scene(&["a", "b"]);
    fail(&mut scene, "a", &refused(), 3);
    scene.fail("b", &verdict(Class::Overloaded, Scope::Credential));
    let until = scene.until("b").expect("it rests");
    for _ in 0..3 {
        scene.at_ms(scene.until("b").unwrap_or(until));
        scene.fail("b", &verdict(Class::Overloaded, Scope::Credential));
    }
    assert!(scene.until("b").expect("it rests") <= scene.now + 2_000);
}

#[test]
fn a_blacklisted_key_is_remembered_without_its_row() {
    let mut scene = scene(&["a", "b"]);
    fail(&mut scene, "a", &refused(), 3);
    // So many others come and go that the forgotten among them leave.
    scene.load((0..1_100).map(|number| Row::new(&number.to_string())).collect());
    let now = scene.now + 10_000_000;
    scene.at_ms(now).load(equal(&["b"]));
    assert!(asked(&mut scene).is_empty());
    scene.load(equal(&["a", "b"]));
    assert!(is_listed(&scene, "a"));
}

#[test]
fn a_snapshot_keeps_the_list_the_count_and_the_time_of_the_next_trial() {
    for rows_first in [true, false] {
        let mut scene = scene(&["a", "b", "c"]);
        fail(&mut scene, "a", &refused(), 3);
        fail(&mut scene, "b", &refused(), 2);
        let (listed, now) = (scene.now - 20_000, scene.now + 100_000);
        let mut other = scene.at_ms(now).restarted(config(), equal(&["a", "b", "c"]), rows_first);
        assert!(is_listed(&other, "a"));
        assert_eq!(other.status("a").cause, Some(Class::AuthFailed));
        assert!(asked(other.at_ms(listed + 299_999)).is_empty());
        assert_eq!(asked(other.at_ms(listed + 300_000)), ["a"]);
        fail(&mut other, "b", &refused(), 1);
        assert!(is_listed(&other, "b"), "the count goes on");
        let trial = probe(&mut other, "a");
        other.report(trial, 200);
        assert!(!is_listed(&other, "a"));
    }
}

#[test]
fn a_snapshot_lists_nobody_where_there_is_no_blacklist_any_more() {
    let mut scene = scene(&["a", "b"]);
    fail(&mut scene, "a", &refused(), 3);
    let other = scene.restarted(even(), equal(&["a", "b"]), false);
    assert_ne!(other.status("a").state, Reason::Blacklisted);
}

#[test]
fn a_snapshot_from_before_the_blacklist_can_be_read_and_a_damaged_one_is_named() {
    let mut scene = scene(&["a", "b"]);
    fail(&mut scene, "a", &refused(), 3);
    let snapshot = scene.pool.snapshot(scene.wall());
    assert_eq!(through_json(&snapshot), snapshot);
    let json = serde_json::to_string(&snapshot).expect("it can be written");
    let read = |json: &str| {
        let value: Value = serde_json::from_str(json).expect("it is JSON");
        Snapshot::read(&value).map(drop).map_err(|error| error.to_string())
    };
    let start = json.find(r#""blacklist":{"#).expect("it is there");
    let end = start + json[start..].find('}').expect("it ends") + 1;
    let with = |blacklist: &str| read(&format!("{}{blacklist}{}", &json[..start], &json[end..]));
    assert_eq!(with(r#""older":1"#), Ok(()));
    for (field, damaged) in [
        ("failures", r#""blacklist":{"failures":-1,"last":1}"#),
        ("failures", r#""blacklist":{"last":1}"#),
        ("last", r#""blacklist":{"failures":1,"last":"x"}"#),
        ("cause", r#""blacklist":{"failures":1,"last":1,"cause":"dead"}"#),
        ("validateAt", r#""blacklist":{"failures":1,"last":1,"cause":"ok","validateAt":0.5}"#),
        ("failures", r#""blacklist":7"#),
    ] {
        let error = with(damaged).expect_err(damaged);
        let place = format!("providers[0].credentials[0].blacklist.{field}");
        assert!(error.contains(&place), "{error}");
    }
}

#[test]
fn a_restored_pool_asks_for_nobody_of_the_one_before() {
    let mut scene = scene(&["a", "b"]);
    let clean = scene.pool.snapshot(scene.wall());
    fail(&mut scene, "a", &refused(), 3);
    let now = scene.now + 300_000;
    scene.pool.sweep(Wall(now));
    scene.pool.restore(&clean, scene.wall());
    assert!(asked(&mut scene).is_empty());
}
