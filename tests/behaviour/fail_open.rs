//! When nobody can serve, the one that recovers first does, if the settings say so.

use keyrota::{ChoiceReason, Class, Config, Reason, Request, Row, Scope, Strategy};

use crate::scene::{Scene, equal, even, model, proven, session, stated, verdict};

fn open() -> Config {
    let mut config = even();
    config.provider.fail_open = true;
    config
}

#[test]
fn the_one_whose_rest_ends_first_serves_when_nobody_can() {
    let mut scene = Scene::new(open(), equal(&["a", "b"]));
    scene.fail("a", &stated(Class::RateLimited, Scope::Credential, 40));
    scene.fail("b", &stated(Class::RateLimited, Scope::Credential, 30));
    let grant = scene.acquire();
    assert_eq!((scene.id(grant.credential).as_str(), grant.reason), ("b", ChoiceReason::FailOpen));
    assert_eq!(scene.at(30).acquire().reason, ChoiceReason::Strategy);
}

#[test]
fn of_those_who_recover_at_once_the_highest_priority_serves() {
    let rows = vec![Row::new("low"), Row { priority: 1, ..Row::new("high") }];
    let mut scene = Scene::new(open(), rows);
    for _ in 0..2 {
        let grant = scene.acquire();
        scene.conclude(grant, &stated(Class::RateLimited, Scope::Credential, 30));
    }
    assert_eq!(scene.pick(), "high");
}

#[test]
fn it_never_opens_to_one_that_is_off_or_was_tried_or_lacks_the_model() {
    let small = Row { models: Some(vec!["small".into()]), ..Row::new("b") };
    let mut scene = Scene::new(open(), vec![Row::new("a"), small]);
    scene.fail("a", &proven(Class::AuthFailed, Scope::Credential));
    scene.fail("b", &stated(Class::RateLimited, Scope::Credential, 30));
    assert!(scene.refuses(&model("large")));
    let tried = [scene.index("b")];
    assert!(scene.refuses(&Request { tried: &tried, ..Request::default() }));
    assert_eq!(scene.pick(), "b");
}

#[test]
fn a_success_that_failed_open_clears_the_rest_and_a_failure_does_not_lengthen_it() {
    let mut scene = Scene::new(open(), equal(&["a"]));
    scene.fail("a", &verdict(Class::RateLimited, Scope::Credential));
    let grant = scene.at(10).acquire();
    scene.conclude(grant, &verdict(Class::RateLimited, Scope::Credential));
    assert_eq!((scene.status("a").level, scene.until("a")), (1, Some(60_000)));
    let grant = scene.acquire();
    assert_eq!(grant.reason, ChoiceReason::FailOpen);
    scene.report(grant, 200);
    assert_eq!(scene.status("a").state, Reason::Available);
}

#[test]
fn it_opens_through_a_pause_in_the_usual_order() {
    let mut scene = Scene::new(open(), equal(&["a", "b"]));
    let grant = scene.acquire();
    scene.conclude(grant, &stated(Class::ServerError, Scope::Provider, 30));
    let grants = [scene.acquire(), scene.acquire()];
    assert_eq!(grants.map(|grant| scene.id(grant.credential)), ["b", "a"]);
    assert_eq!(grants.map(|grant| grant.reason), [ChoiceReason::FailOpen; 2]);
    scene.report(grants[0], 200);
    assert_eq!(scene.acquire().reason, ChoiceReason::Strategy, "the success ended the pause");
}

#[test]
fn it_leaves_sessions_where_they_are() {
    let mut scene = Scene::new(open(), equal(&["a", "b"]));
    let home = scene.acquire_for(&session("s"));
    scene.conclude(home, &stated(Class::RateLimited, Scope::Credential, 40));
    scene.fail("b", &stated(Class::RateLimited, Scope::Credential, 30));
    scene.pool.take_events();
    assert_eq!(scene.acquire_for(&session("s")).reason, ChoiceReason::FailOpen);
    assert_eq!(scene.told(), []);
    assert_eq!(scene.at(40).acquire_for(&session("s")).reason, ChoiceReason::Affinity);
}

#[test]
fn what_served_while_nobody_could_is_charged_for_it() {
    let mut config = open();
    config.provider.strategy = Strategy::LeastBusy;
    let mut scene = Scene::new(config, equal(&["a", "b"]));
    for (id, seconds) in [("a", 10), ("b", 20)] {
        let grant = scene.take(id);
        let limited = stated(Class::RateLimited, Scope::Model, seconds);
        scene.conclude_for(grant, &limited, Some("large"));
    }
    for _ in 0..3 {
        assert_eq!(scene.pick_for(&model("large")), "a");
    }
    assert_eq!(scene.picks(3), ["b", "b", "b"]);
}
