//! A subscription account serves while its authorisation is good.

use keyrota::{Kind, Reason, Refusal, Request, Row};

use crate::scene::Scene;

fn account(id: &str, authorized: bool) -> Row {
    Row { kind: Kind::Subscription { authorized }, ..Row::new(id) }
}

#[test]
fn an_account_without_a_good_authorisation_is_passed_over() {
    let mut scene = Scene::even(vec![account("a", false), account("b", true)]);
    assert_eq!(scene.picks(3), ["b", "b", "b"]);
    let known = scene.status("a");
    assert_eq!((known.state, known.by, known.until), (Reason::AuthUnavailable, None, None));
    assert_eq!(scene.reason("a", &Request::default()), Reason::AuthUnavailable);
}

#[test]
fn no_time_helps_when_every_account_lacks_its_authorisation() {
    let mut scene = Scene::even(vec![account("a", false)]);
    let refusal = Refusal::NoneAvailable { retry_after: None, at_capacity: false };
    assert_eq!(scene.ask(&Request::default()), Err(refusal));
}

#[test]
fn an_account_serves_again_once_a_load_says_that_it_is_authorised() {
    let mut scene = Scene::even(vec![account("a", false)]);
    scene.load(vec![account("a", true)]);
    assert_eq!(scene.pick(), "a");
    scene.load(vec![account("a", false)]);
    assert!(scene.refuses(&Request::default()));
}

#[test]
fn a_person_cannot_switch_on_what_is_not_authorised() {
    let mut scene = Scene::even(vec![account("a", false)]);
    let a = scene.index("a");
    assert!(scene.pool.enable(scene.provider, a, scene.wall()));
    assert_eq!(scene.status("a").state, Reason::AuthUnavailable);
}

#[test]
fn an_account_that_is_switched_off_is_told_as_that() {
    let off = Row { enabled: false, ..account("a", false) };
    assert_eq!(Scene::even(vec![off]).status("a").state, Reason::CredentialDisabled);
}

#[test]
fn the_only_one_that_is_authorised_is_alone() {
    let mut scene = Scene::even(vec![account("a", false), account("b", true)]);
    let overloaded = crate::scene::verdict(keyrota::Class::Overloaded, keyrota::Scope::Credential);
    for _ in 0..3 {
        scene.fail("b", &overloaded);
        let until = scene.until("b").expect("it rests");
        assert!(until <= scene.now + 2_000, "at most 2 s, as every pool of one");
        scene.at_ms(until);
    }
}
