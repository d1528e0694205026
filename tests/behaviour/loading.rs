//! Rows come in, change and go; what is known of a credential follows its id.

use keyrota::{
    Config, CredentialIndex, DisabledBy, Policy, Pool, Reason, Refusal, Request, Row, Wall,
};
use keyrota::{EventKind, InvalidRow};

use crate::scene::{Scene, equal, session, weight, weighted};

#[test]
fn a_provider_serves_only_when_its_rows_are_loaded() {
    let mut pool = Pool::new(Config::of(Policy::classic()));
    let provider = pool.provider("openai");
    let request = Request::default();
    assert_eq!(pool.acquire(provider, &request, Wall(0)), Err(Refusal::NotLoaded));
    assert!(!pool.is_loaded(provider));
    pool.load(provider, pool.generation(provider), equal(&["a"]), Wall(0));
    assert!(pool.is_loaded(provider));
    assert!(pool.acquire(provider, &request, Wall(0)).is_ok());
    pool.invalidate(provider);
    assert_eq!(pool.acquire(provider, &request, Wall(0)), Err(Refusal::NotLoaded));
    assert_eq!(pool.candidates(provider, &request, Wall(0)), []);
    let chosen = pool.acquire_chosen(provider, CredentialIndex(0), &request, Wall(0));
    assert!(chosen.is_err(), "rows that may be outdated serve nobody");
}

#[test]
fn a_load_that_began_before_an_invalidation_never_lands() {
    let mut scene = Scene::classic(equal(&["a"]));
    let (provider, now) = (scene.provider, scene.wall());
    let stale = scene.pool.generation(provider);
    scene.pool.invalidate(provider);
    let fresh = scene.pool.generation(provider);
    assert_eq!(scene.pool.load(provider, stale, equal(&["old"]), now), None);
    assert!(!scene.pool.is_loaded(provider));
    assert!(scene.pool.load(provider, fresh, equal(&["new"]), now).is_some());
    assert_eq!(scene.pool.load(provider, stale, equal(&["old"]), now), None);
    assert_eq!(scene.pick(), "new");
}

#[test]
fn a_row_whose_id_another_row_has_is_passed_over_and_named() {
    let mut scene = Scene::classic(Vec::new());
    let loaded = scene.load(equal(&["a", "b", "a"]));
    assert_eq!(loaded.iter().map(Option::is_some).collect::<Vec<_>>(), [true, true, false]);
    let [InvalidRow { row: 2, id, field, rule }] = scene.pool.invalid_rows(scene.provider) else {
        panic!("one row is invalid: {:?}", scene.pool.invalid_rows(scene.provider));
    };
    assert_eq!((&**id, &**field, &**rule), ("a", "id", "must be unique in the pool"));
    assert_eq!(scene.order(4), "abab");
    scene.load(equal(&["a", "b"]));
    assert_eq!(scene.pool.invalid_rows(scene.provider), []);
}

#[test]
fn a_row_whose_id_another_provider_has_is_passed_over() {
    let mut scene = Scene::classic(equal(&["a"]));
    let now = scene.wall();
    let others: Vec<_> = ["first", "second"].map(|name| scene.pool.provider(name)).into();
    scene.pool.load(others[0], 0, equal(&["x"]), now);
    let loaded = scene.pool.load(others[1], 0, equal(&["x", "a", "b"]), now).expect("it lands");
    assert_eq!(loaded.iter().map(Option::is_some).collect::<Vec<_>>(), [false, false, true]);
}

#[test]
fn an_id_that_a_provider_only_remembers_may_move_to_another() {
    let mut scene = Scene::classic(equal(&["moving", "a"]));
    let now = scene.wall();
    let second = scene.pool.provider("second");
    scene.load(equal(&["a"]));
    let loaded = scene.pool.load(second, 0, equal(&["moving"]), now).expect("it lands");
    assert!(loaded[0].is_some());
    assert_eq!(scene.pool.find("moving"), Some((second, loaded[0].expect("a number"))));
    let third = scene.pool.provider("third");
    let loaded = scene.pool.load(third, 0, equal(&["moving"]), now).expect("it lands");
    assert_eq!(loaded, [None], "it is in the second one now");
}

#[test]
fn an_id_may_move_to_a_provider_that_loads_before_the_one_it_left() {
    let mut scene = Scene::classic(equal(&["moving", "a"]));
    let (first, now) = (scene.provider, scene.wall());
    let second = scene.pool.provider("second");
    scene.pool.invalidate(first);
    let loaded = scene.pool.load(second, 0, equal(&["moving"]), now).expect("it lands");
    assert!(loaded[0].is_some(), "the rows of the first one are outdated");
    assert_eq!(scene.load(equal(&["moving", "a"]))[0], None, "they still name it");
    assert_eq!(scene.pool.find("moving").map(|(owner, _)| owner), Some(second));
}

#[test]
fn health_and_counts_follow_the_id_through_edits() {
    let mut scene = Scene::classic(equal(&["a", "b"]));
    scene.attempt(429);
    let before = scene.status("a");
    let edited = Row {
        weight: weight(7),
        label: Some("other".into()),
        order: 3,
        models: Some(vec!["m".into()]),
        ..Row::new("a")
    };
    scene.load(vec![Row::new("b"), edited]);
    let after = scene.status("a");
    assert_eq!((after.until, after.level, after.cause), (before.until, 1, before.cause));
    assert_eq!((after.counters, after.weight), (before.counters, 7));
}

#[test]
fn a_credential_that_was_gone_for_a_while_comes_back_as_it_was() {
    let mut scene = Scene::classic(equal(&["a", "b"]));
    let home = scene.acquire_for(&session("s"));
    scene.report(home, 429);
    scene.load(equal(&["b"]));
    assert_eq!(scene.picks(2), ["b", "b"]);
    scene.at(30).load(equal(&["a", "b"]));
    assert_eq!((scene.status("a").state, scene.until("a")), (Reason::Cooling, Some(60_000)));
}

#[test]
fn a_session_whose_credential_was_deleted_moves() {
    let mut scene = Scene::classic(equal(&["a", "b"]));
    assert_eq!(scene.pick_for(&session("s")), "a");
    scene.load(equal(&["b"]));
    assert_eq!(scene.pick_for(&session("s")), "b");
}

#[test]
fn rows_stand_by_priority_then_order_then_as_they_came() {
    let row = |id, priority, order| Row { priority, order, ..Row::new(id) };
    let rows =
        vec![row("e", 0, 5), row("c", 0, 0), row("d", 0, 0), row("b", 2, 9), row("a", 2, -1)];
    let scene = Scene::classic(rows);
    let status = scene.pool.status(scene.provider, scene.wall());
    assert_eq!(status.iter().map(|row| &*row.id).collect::<String>(), "abcde");
}

#[test]
fn the_highest_priority_that_has_a_usable_credential_serves() {
    let row = |id, priority| Row { priority, ..Row::new(id) };
    let mut scene = Scene::classic(vec![row("low", -1), row("high", 1), row("middle", 0)]);
    assert_eq!(scene.attempt(429), "high");
    assert_eq!(scene.attempt(429), "middle");
    assert_eq!(scene.picks(2), ["low", "low"]);
    assert_eq!(scene.at(60).pick(), "high");
}

#[test]
fn a_key_that_is_added_serves_at_once() {
    let mut scene = Scene::classic(equal(&["a"]));
    scene.picks(5);
    scene.load(equal(&["a", "b"]));
    assert!(scene.picks(2).contains(&"b".to_owned()));
}

#[test]
fn ids_that_come_and_go_for_ever_take_no_room_for_ever() {
    let mut scene = Scene::classic(equal(&["keep", "failed"]));
    scene.pick();
    assert_eq!(scene.attempt(401), "failed");
    for round in 0..20 {
        let rows = (0..300).map(|n| Row::new(&format!("{round}-{n}")));
        scene.load(rows.chain([Row::new("keep")]).collect());
        scene.pick_for(&session(&round.to_string()));
    }
    let numbers = (0..)
        .take_while(|&n| scene.pool.credential_id(scene.provider, CredentialIndex(n)).is_some());
    assert!(numbers.count() < 2_000, "places are used again");
    assert_eq!(scene.pool.find("0-0"), None);
    assert!(scene.pool.sessions() < 20, "sessions of the forgotten are forgotten");
    scene.load(equal(&["failed", "keep"]));
    assert_eq!(scene.status("failed").by, Some(DisabledBy::Verdict), "a verdict is kept");
    let events = scene.pool.take_events();
    assert!(events.iter().all(|event| event.kind != EventKind::Enabled));
}

#[test]
fn a_place_that_is_used_again_tells_its_new_owner_nothing() {
    let mut scene = Scene::classic(equal(&["first"]));
    let old = scene.acquire();
    scene.pool.release(old.lease);
    for round in 0..2 {
        scene.load((0..1_100).map(|n| Row::new(&format!("{round}-{n}"))).collect());
    }
    scene.load(equal(&["second", "third"]));
    let status = scene.pool.status(scene.provider, scene.wall());
    assert!(status.iter().all(|row| row.counters.picks == 0 && row.in_flight == 0));
    assert_eq!(scene.report(old, 401), None);
}

#[test]
fn weights_of_rows_are_checked() {
    let mut scene = Scene::classic(weighted(&[("a", 100), ("b", 1)]));
    let picks = scene.picks(101);
    assert_eq!(picks.iter().filter(|id| *id == "a").count(), 100);
    for shares in [0.0, 101.0, 1.5, -1.0, f64::NAN, f64::INFINITY] {
        assert!(keyrota::Weight::new(shares).is_err(), "{shares}");
    }
}
