//! A request that continues a response goes to the credential that made it, or to nobody.

use keyrota::{
    AffinityConfig, ChoiceReason, Class, Config, Millis, Reason, Request, Scope, SessionHash,
};

use crate::scene::{Scene, equal, even, session, stated, verdict};

/// A pool whose `b` made the response.
fn made(config: Config) -> Scene {
    let mut scene = Scene::new(config, equal(&["a", "b", "c"]));
    let (index, now) = (scene.index("b"), scene.wall());
    scene.pool.remember(scene.provider, SessionHash::of("response"), index, now);
    scene
}

fn continued() -> Request<'static> {
    Request { continues: Some(SessionHash::of("response")), ..Request::default() }
}

#[test]
fn only_the_credential_that_made_the_response_continues_it() {
    let mut scene = made(even());
    for _ in 0..4 {
        let grant = scene.acquire_for(&continued());
        assert_eq!(
            (scene.id(grant.credential).as_str(), grant.reason),
            ("b", ChoiceReason::Continuation)
        );
    }
    assert_eq!(scene.reason("a", &continued()), Reason::BoundElsewhere);
}

#[test]
fn while_it_rests_the_request_waits_and_does_not_move() {
    let mut scene = made(even());
    scene.fail("b", &stated(Class::RateLimited, Scope::Credential, 30));
    assert!(scene.refuses(&continued()));
    let explanation = scene.pool.explain(scene.provider, &continued(), scene.wall());
    assert_eq!(explanation.retry_after_ms, Some(Millis(30_000)));
    assert_eq!(scene.reason("b", &continued()), Reason::Cooling);
    assert_eq!(scene.at(30).pick_for(&continued()), "b");
}

#[test]
fn it_does_not_wait_for_a_probe() {
    let mut scene = made(even());
    for at in [0, 60] {
        scene.at(at).fail("b", &verdict(Class::RateLimited, Scope::Credential));
    }
    scene.at(180).take("b");
    assert_eq!(scene.reason("b", &Request::default()), Reason::ProbePending);
    assert_eq!(scene.acquire_for(&continued()).reason, ChoiceReason::Continuation);
}

#[test]
fn its_session_stays_where_it_is() {
    let mut scene = made(even());
    let home = scene.acquire_for(&session("s")).credential;
    assert_eq!(scene.id(home), "a");
    let request = Request { session: Some(SessionHash::of("s")), ..continued() };
    assert_eq!(scene.pick_for(&request), "b");
    let (chosen, now) = (scene.index("b"), scene.wall());
    let grant = scene.pool.acquire_chosen(scene.provider, chosen, &request, now).expect("b");
    assert_eq!(grant.reason, ChoiceReason::Continuation);
    let grant = scene.acquire_for(&session("s"));
    assert_eq!((grant.credential, grant.reason), (home, ChoiceReason::Affinity));
    assert_eq!(scene.told(), []);
}

#[test]
fn a_response_that_nobody_remembers_is_continued_by_anyone() {
    let mut scene = made(even());
    let unknown = Request { continues: Some(SessionHash::of("unknown")), ..Request::default() };
    assert_eq!(scene.acquire_for(&unknown).reason, ChoiceReason::Strategy);
    scene.load(equal(&["a", "c"]));
    assert_eq!(scene.acquire_for(&continued()).reason, ChoiceReason::Strategy, "its maker is gone");
}

#[test]
fn responses_are_remembered_as_sessions_are_and_outlive_the_process() {
    let responses = AffinityConfig { capacity: 2, ttl: Some(Millis(60_000)) };
    let config = Config { responses, ..even() };
    let mut scene = made(config.clone());
    let mut other = scene.restarted(config.clone(), equal(&["a", "b", "c"]), true);
    assert_eq!(other.at_ms(59_999).pick_for(&continued()), "b");
    assert_eq!(other.at(119).pick_for(&continued()), "b", "it was continued meanwhile");
    assert_eq!(other.at(179).acquire_for(&continued()).reason, ChoiceReason::Strategy);
    for number in 0..2 {
        let (index, now) = (scene.index("a"), scene.wall());
        scene.pool.remember(scene.provider, SessionHash(number), index, now);
    }
    assert_eq!(scene.acquire_for(&continued()).reason, ChoiceReason::Strategy);
}

#[test]
fn a_response_whose_maker_was_forgotten_is_not_continued_by_who_gets_its_number() {
    let ids = |numbers: std::ops::Range<usize>| -> Vec<String> {
        numbers.map(|number| format!("key-{number}")).collect()
    };
    let rows = |ids: &[String]| equal(&ids.iter().map(String::as_str).collect::<Vec<_>>());
    let mut scene = made(even());
    // So many others that the maker is forgotten, and so many new ones that all numbers are in use again.
    for numbers in [0..1_200, 0..2, 2_000..3_300] {
        scene.load(rows(&ids(numbers)));
    }
    assert_eq!(scene.acquire_for(&continued()).reason, ChoiceReason::Strategy);
}
