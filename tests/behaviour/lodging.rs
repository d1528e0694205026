//! A session whose home rests for a moment lodges elsewhere, and goes back while its cache is warm.

use keyrota::{
    AffinityConfig, ChoiceReason, Class, Config, EventKind, Grant, Millis, Outcome, Policy,
    ProviderConfig, Reason, Request, Row, Scope, SessionHash, Strategy,
};

use crate::scene::{Scene, equal, even, session, stated, verdict};

/// A session at home on `a` since 0, whose home rests for that many seconds.
fn lodger(ids: &[&str], seconds: u64) -> Scene {
    let mut config = even();
    config.provider.strategy = Strategy::FillFirst;
    let mut scene = Scene::new(config, equal(ids));
    let home = scene.acquire_for(&session("s"));
    assert_eq!(scene.id(home.credential), "a");
    scene.conclude(home, &stated(Class::RateLimited, Scope::Credential, seconds));
    scene.pool.take_events();
    scene
}

/// Where the session goes now, and why.
fn goes(scene: &mut Scene) -> (String, ChoiceReason) {
    let Grant { credential, reason, .. } = scene.acquire_for(&session("s"));
    (scene.id(credential), reason)
}

fn told_rebound(scene: &mut Scene) -> Vec<(String, String)> {
    let told = scene.told().into_iter().filter_map(|(to, kind)| match kind {
        EventKind::Rebound { from } => Some((scene.id(from), to)),
        _ => None,
    });
    told.collect()
}

#[test]
fn a_session_lodges_while_its_home_rests_and_goes_back_to_it() {
    let mut scene = lodger(&["a", "b", "c"], 60);
    assert_eq!(goes(&mut scene), ("b".to_owned(), ChoiceReason::Lodging));
    assert_eq!(goes(&mut scene), ("b".to_owned(), ChoiceReason::Lodging));
    assert_eq!(told_rebound(&mut scene), [("a".to_owned(), "b".to_owned())], "told once");
    assert_eq!(goes(scene.at(60)), ("a".to_owned(), ChoiceReason::Affinity));
    assert_eq!(told_rebound(&mut scene), [("b".to_owned(), "a".to_owned())]);
}

#[test]
fn a_home_that_rests_for_longer_than_its_cache_lives_is_given_up() {
    assert_eq!(goes(&mut lodger(&["a", "b"], 300)).1, ChoiceReason::Lodging);
    let mut scene = lodger(&["a", "b"], 301);
    assert_eq!(goes(&mut scene), ("b".to_owned(), ChoiceReason::Rebound));
    assert_eq!(goes(scene.at(301)), ("b".to_owned(), ChoiceReason::Affinity));
}

#[test]
fn the_cache_lives_from_the_last_use_of_the_home_and_not_of_the_lodging() {
    let mut scene = lodger(&["a", "b", "c"], 200);
    goes(scene.at(150));
    let (index, now) = (scene.index("a"), scene.wall());
    let probe = scene.pool.acquire_probe(scene.provider, index, now).expect("it has a row");
    scene.conclude(probe, &stated(Class::RateLimited, Scope::Credential, 151));
    assert_eq!(goes(&mut scene), ("b".to_owned(), ChoiceReason::Affinity), "the lodging is home");
    assert_eq!(goes(scene.at(301)), ("b".to_owned(), ChoiceReason::Affinity));
}

#[test]
fn a_lodging_that_rests_too_is_left_for_another() {
    let mut scene = lodger(&["a", "b", "c"], 60);
    let lodging = scene.acquire_for(&session("s"));
    scene.conclude(lodging, &verdict(Class::RateLimited, Scope::Credential));
    assert_eq!(goes(&mut scene), ("c".to_owned(), ChoiceReason::Lodging));
    let moves = told_rebound(&mut scene);
    assert_eq!(moves.last(), Some(&("b".to_owned(), "c".to_owned())));
}

#[test]
fn a_home_that_is_switched_off_or_lost_its_model_is_given_up() {
    let off = Row { enabled: false, ..Row::new("a") };
    let other = Row { models: Some(vec!["small".into()]), ..Row::new("a") };
    for (row, model) in [(off, None), (other, Some("large"))] {
        let mut scene = lodger(&["a", "b"], 10);
        scene.load([vec![row], equal(&["b"])].concat());
        let request = Request { model, ..session("s") };
        assert_eq!(scene.acquire_for(&request).reason, ChoiceReason::Rebound);
    }
}

#[test]
fn a_home_that_is_outranked_is_given_up() {
    let mut scene = lodger(&["a"], 10);
    scene.load(vec![Row::new("a"), Row { priority: 1, ..Row::new("b") }]);
    assert_eq!(goes(&mut scene), ("b".to_owned(), ChoiceReason::Rebound));
    assert_eq!(goes(scene.at(10)), ("b".to_owned(), ChoiceReason::Affinity));
}

#[test]
fn a_retry_on_another_credential_does_not_move_the_home() {
    let mut scene = Scene::even(equal(&["a", "b"]));
    let home = scene.acquire_for(&session("s"));
    let tried = [home.credential];
    let retry = Request { tried: &tried, ..session("s") };
    assert_eq!(scene.acquire_for(&retry).reason, ChoiceReason::Lodging);
    assert_eq!(goes(&mut scene), ("a".to_owned(), ChoiceReason::Affinity));
}

#[test]
fn lodgers_stay_while_their_home_is_probed() {
    let mut scene = lodger(&["a", "b", "c"], 20);
    scene.at(20).fail("a", &stated(Class::RateLimited, Scope::Credential, 20));
    goes(scene.at(30));
    scene.at(40).take("a");
    assert_eq!(scene.reason("a", &Request::default()), Reason::ProbePending);
    assert_eq!(goes(&mut scene), ("b".to_owned(), ChoiceReason::Lodging));
}

#[test]
fn a_verdict_on_a_session_is_about_the_credential_that_it_got_last() {
    let mut scene = lodger(&["a", "b", "c"], 60);
    goes(scene.at(10));
    let (provider, hash, now) = (scene.provider, SessionHash::of("s"), scene.at(11).wall());
    let told = scene.pool.report_session(provider, hash, &Outcome::of_status(429), now);
    assert!(told.is_some());
    assert_eq!((scene.until("a"), scene.until("b")), (Some(60_000), Some(71_000)));
    goes(scene.at(12));
    scene.pool.succeed_session(hash, scene.wall());
    assert_eq!(scene.status("c").counters.successes, 1);
}

#[test]
fn a_session_that_lodges_is_in_use() {
    let affinity = AffinityConfig { capacity: 10, ttl: Some(Millis(20_000)) };
    let mut scene = Scene::new(Config { affinity, ..even() }, equal(&["a", "b"]));
    let home = scene.acquire_for(&session("s"));
    scene.conclude(home, &stated(Class::RateLimited, Scope::Credential, 45));
    for at in [15, 30] {
        assert_eq!(goes(scene.at(at)), ("b".to_owned(), ChoiceReason::Lodging));
    }
    assert_eq!(goes(scene.at(45)), ("a".to_owned(), ChoiceReason::Affinity));
}

#[test]
fn a_lodging_outlives_the_process_with_the_last_use_of_its_home() {
    for (probe_until, then) in [(300, ChoiceReason::Lodging), (301, ChoiceReason::Affinity)] {
        let mut scene = lodger(&["a", "b"], 60);
        goes(scene.at(30));
        let mut scene = scene.restarted(even(), equal(&["a", "b"]), false);
        let (index, now) = (scene.index("a"), scene.at(31).wall());
        let probe = scene.pool.acquire_probe(scene.provider, index, now).expect("a row");
        let wait = probe_until - 31;
        scene.conclude(probe, &stated(Class::RateLimited, Scope::Credential, wait));
        assert_eq!(goes(&mut scene), ("b".to_owned(), then));
    }
}

#[test]
fn the_classic_policy_moves_a_session_for_good() {
    let provider =
        ProviderConfig { strategy: Strategy::FillFirst, ..ProviderConfig::of(Policy::classic()) };
    let config = Config { provider, ..Config::of(Policy::classic()) };
    let mut scene = Scene::new(config, equal(&["a", "b"]));
    let home = scene.acquire_for(&session("s"));
    scene.report(home, 429);
    assert_eq!(goes(&mut scene), ("b".to_owned(), ChoiceReason::Rebound));
    assert_eq!(goes(scene.at(60)), ("b".to_owned(), ChoiceReason::Affinity));
}
