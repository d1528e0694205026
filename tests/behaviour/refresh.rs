//! A refused secret of which the host may have a newer one.

use keyrota::{Class, DisabledBy, EventKind, Reason, RefreshRequest, Row, Scope};

use crate::scene::{Scene, equal, grouped, proven, stated, verdict};

fn refreshable(id: &str) -> Row {
    Row { refreshable: true, ..Row::new(id) }
}

/// Who is asked for.
fn asked(scene: &mut Scene) -> Vec<String> {
    let requests: Vec<RefreshRequest> = scene.pool.take_refresh_requests();
    requests.into_iter().map(|request| scene.id(request.credential)).collect()
}

fn answer(scene: &mut Scene, id: &str, has_new: bool) {
    let (index, now) = (scene.index(id), scene.wall());
    scene.pool.refreshed(scene.provider, index, has_new, now);
}

/// A pool whose `a` was just refused, and asked for.
fn refused() -> Scene {
    let mut scene = Scene::even([vec![refreshable("a")], equal(&["b"])].concat());
    scene.fail("a", &proven(Class::AuthFailed, Scope::Credential));
    scene
}

#[test]
fn a_refusal_asks_for_a_new_secret_before_it_counts() {
    let mut scene = refused();
    assert_eq!(asked(&mut scene), ["a"]);
    assert_eq!(scene.status("a").state, Reason::Cooling);
    assert!(scene.pool.take_disable_requests().is_empty());
}

#[test]
fn while_it_is_asked_for_further_refusals_do_nothing() {
    let mut scene = Scene::even(vec![refreshable("a")]);
    let (first, second) = (scene.acquire(), scene.acquire());
    scene.conclude(first, &verdict(Class::AuthFailed, Scope::Credential));
    assert_eq!(asked(&mut scene), ["a"]);
    scene.conclude(second, &stated(Class::AuthFailed, Scope::Credential, 900));
    assert_eq!((asked(&mut scene).len(), scene.until("a")), (0, Some(60_000)));
}

#[test]
fn a_new_secret_ends_the_rest_and_leases_of_the_old_one_are_not_about_it() {
    let mut scene = Scene::even(vec![refreshable("a")]);
    let (first, old) = (scene.acquire(), scene.acquire());
    scene.conclude(first, &verdict(Class::AuthFailed, Scope::Credential));
    answer(&mut scene, "a", true);
    assert_eq!(scene.status("a").state, Reason::Available);
    scene.conclude(old, &proven(Class::AuthFailed, Scope::Credential));
    assert_eq!(scene.status("a").state, Reason::Available);
}

#[test]
fn a_new_secret_that_is_refused_too_is_dead() {
    let mut scene = refused();
    answer(&mut scene, "a", true);
    asked(&mut scene);
    scene.fail("a", &verdict(Class::AuthFailed, Scope::Credential));
    assert_eq!(scene.status("a").by, Some(DisabledBy::Verdict));
    assert_eq!((scene.pool.take_disable_requests().len(), asked(&mut scene).len()), (1, 0));
}

#[test]
fn a_new_secret_that_works_may_be_asked_for_again() {
    let mut scene = refused();
    answer(&mut scene, "a", true);
    let grant = scene.take("a");
    scene.report(grant, 200);
    asked(&mut scene);
    scene.fail("a", &verdict(Class::AuthFailed, Scope::Credential));
    assert_eq!(asked(&mut scene), ["a"]);
}

#[test]
fn without_a_new_secret_a_proven_refusal_disables_and_another_one_does_not() {
    let mut scene = refused();
    answer(&mut scene, "a", false);
    assert_eq!(scene.status("a").by, Some(DisabledBy::Verdict));

    let mut scene = Scene::even(vec![refreshable("a")]);
    scene.fail("a", &verdict(Class::AuthFailed, Scope::Credential));
    answer(&mut scene, "a", false);
    assert_eq!((scene.status("a").state, scene.until("a")), (Reason::Cooling, Some(60_000)));
    asked(&mut scene);
    scene.at(60).fail("a", &verdict(Class::AuthFailed, Scope::Credential));
    assert_eq!(asked(&mut scene), ["a"]);
}

#[test]
fn a_new_secret_brings_back_what_a_verdict_disabled_meanwhile() {
    let rows =
        grouped(&["a", "b"]).into_iter().map(|row| Row { refreshable: *row.id == *"a", ..row });
    let mut scene = Scene::even(rows.collect());
    let b = scene.take("b");
    scene.fail("a", &verdict(Class::AuthFailed, Scope::Credential));
    scene.conclude(b, &proven(Class::AuthFailed, Scope::Account));
    assert_eq!(scene.status("a").by, Some(DisabledBy::Verdict));
    scene.pool.take_events();
    answer(&mut scene, "a", true);
    assert_eq!(scene.told(), [("a".to_owned(), EventKind::Enabled)]);
    assert_eq!(scene.pick(), "a");
}

#[test]
fn an_answer_that_nobody_asked_for_changes_nothing() {
    let mut scene = Scene::even(vec![refreshable("a")]);
    scene.fail("a", &verdict(Class::RateLimited, Scope::Credential));
    answer(&mut scene, "a", true);
    answer(&mut scene, "a", false);
    assert_eq!(scene.status("a").state, Reason::Cooling);
}

#[test]
fn a_new_secret_clears_refusals_of_models_too() {
    let mut scene = Scene::even(equal(&["a"]));
    let grant = scene.acquire();
    scene.conclude_for(grant, &verdict(Class::AuthFailed, Scope::Model), Some("large"));
    assert_eq!(scene.status("a").models.len(), 1);
    scene.load(vec![Row { secret_changed: true, ..Row::new("a") }]);
    assert_eq!(scene.status("a").models, []);
}
