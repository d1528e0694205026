//! What a verdict is about, and who rests for it.

use keyrota::{Class, Config, EventKind, Millis, Policy, Reason, Request, Rng, Scope};

use crate::scene::{Scene, equal, grouped, model, proven, stated, verdict};

#[test]
fn a_failure_for_a_model_holds_the_credential_out_for_that_model_alone() {
    let mut scene = Scene::even(equal(&["a"]));
    let grant = scene.acquire_for(&model("large"));
    scene.conclude_for(grant, &verdict(Class::RateLimited, Scope::Model), Some("large"));
    assert_eq!(scene.reason("a", &model("large")), Reason::ModelCooling);
    assert_eq!(scene.reason("a", &model("small")), Reason::Chosen);
    assert_eq!(scene.status("a").state, Reason::Available);
    let rest = scene.status("a").models.pop().expect("a model");
    assert_eq!((rest.model.as_str(), rest.until.0, rest.level), ("large", 60_000, 1));
    let Err(keyrota::Refusal::NoneAvailable { retry_after, .. }) = scene.ask(&model("large"))
    else {
        panic!("it rests for that model")
    };
    assert_eq!(retry_after, Some(Millis(60_000)));
}

#[test]
fn each_model_has_a_ladder_of_its_own() {
    let mut scene = Scene::even(equal(&["a"]));
    for (at, name, until) in [(0, "large", 60), (60, "large", 180), (180, "small", 240)] {
        let grant = scene.at(at).acquire_for(&model(name));
        scene.conclude_for(grant, &verdict(Class::RateLimited, Scope::Model), Some(name));
        let models = scene.status("a").models;
        let rest = models.iter().find(|rest| rest.model == name).expect("it rests");
        assert_eq!(rest.until.0, until * 1_000);
    }
}

#[test]
fn a_failure_for_a_model_that_is_not_known_is_the_credentials() {
    let mut scene = Scene::even(equal(&["a"]));
    scene.fail("a", &verdict(Class::RateLimited, Scope::Model));
    assert_eq!(scene.reason("a", &Request::default()), Reason::Cooling);
}

#[test]
fn a_failure_of_an_account_holds_out_its_whole_quota_group() {
    let mut scene = Scene::even([grouped(&["a", "b"]), equal(&["c"])].concat());
    scene.fail("a", &stated(Class::QuotaExhausted, Scope::Account, 30));
    let states = ["a", "b", "c"].map(|id| scene.status(id).state);
    assert_eq!(states, [Reason::QuotaExhausted, Reason::QuotaExhausted, Reason::Available]);
    let counters = ["a", "b"].map(|id| scene.status(id).counters.failures);
    assert_eq!(counters, [1, 0], "the failure was one attempt's");
    scene.pool.take_events();
    scene.at(30).pick();
    let back = |id: &str| (id.to_owned(), EventKind::Recovered);
    let mut told = scene.told();
    told.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(told, [back("a"), back("b")]);
}

#[test]
fn an_account_without_a_quota_group_is_the_credential_alone() {
    let mut scene = Scene::even(equal(&["a", "b"]));
    scene.fail("a", &verdict(Class::RateLimited, Scope::Account));
    assert_eq!(["a", "b"].map(|id| scene.until(id)), [Some(60_000), None]);
}

#[test]
fn a_dead_account_disables_every_credential_of_its_quota_group() {
    let mut scene = Scene::even([grouped(&["a", "b"]), equal(&["c"])].concat());
    scene.fail("a", &proven(Class::QuotaExhausted, Scope::Account));
    let states = ["a", "b", "c"].map(|id| scene.status(id).state);
    let dead = Reason::CredentialDisabled;
    assert_eq!(states, [dead, dead, Reason::Available]);
    assert_eq!(scene.pool.take_disable_requests().len(), 2);
}

#[test]
fn a_dead_account_disables_its_credential_also_when_that_is_no_longer_listed() {
    let mut scene = Scene::even(grouped(&["a", "b"]));
    let grant = scene.take("a");
    scene.load(grouped(&["b"]));
    scene.conclude(grant, &proven(Class::AuthFailed, Scope::Account));
    scene.load(grouped(&["a", "b"]));
    let states = ["a", "b"].map(|id| scene.status(id).state);
    assert_eq!(states, [Reason::CredentialDisabled, Reason::Available]);
}

#[test]
fn a_model_that_is_denied_is_out_for_15_minutes_whatever_was_stated() {
    for verdict in
        [verdict(Class::ModelDenied, Scope::Model), stated(Class::ModelDenied, Scope::Model, 5)]
    {
        let mut scene = Scene::even(equal(&["a"]));
        let grant = scene.acquire();
        scene.conclude_for(grant, &verdict, Some("large"));
        assert_eq!(scene.status("a").models[0].until.0, 900_000);
        assert_eq!(scene.reason("a", &model("large")), Reason::ModelCooling);
    }
}

#[test]
fn a_denial_that_names_no_model_cools_nothing() {
    let mut scene = Scene::even(equal(&["a"]));
    scene.fail("a", &verdict(Class::ModelDenied, Scope::Credential));
    scene.fail("a", &verdict(Class::ModelDenied, Scope::Model));
    let row = scene.status("a");
    assert_eq!((row.state, row.models.len(), row.counters.failures), (Reason::Available, 0, 2));
}

#[test]
fn what_no_credential_did_is_nobodys_failure() {
    let mut scene = Scene::even(equal(&["a"]));
    for class in [
        Class::ClientError,
        Class::OverKeyLimit,
        Class::EgressBlocked,
        Class::UnknownOutcome,
        Class::ClientAborted,
    ] {
        scene.fail("a", &stated(class, Scope::Credential, 60));
        let row = scene.status("a");
        assert_eq!((row.state, row.counters.failures), (Reason::Available, 0), "{class:?}");
    }
}

#[test]
fn a_failure_of_the_request_alone_cools_nothing() {
    let mut scene = Scene::even(equal(&["a"]));
    scene.fail("a", &stated(Class::RateLimited, Scope::Request, 60));
    assert_eq!(scene.status("a").state, Reason::Available);
}

#[test]
fn a_success_clears_the_credential_its_group_and_the_model_that_was_asked_for() {
    let mut scene = Scene::even(grouped(&["a", "b"]));
    let grants: Vec<_> = (0..4).map(|_| scene.take("a")).collect();
    let limited = |scope| verdict(Class::RateLimited, scope);
    for (grant, (scope, name)) in grants.into_iter().zip([
        (Scope::Credential, None),
        (Scope::Account, None),
        (Scope::Model, Some("large")),
        (Scope::Model, Some("small")),
    ]) {
        scene.conclude_for(grant, &limited(scope), name);
    }
    let grant = scene.at(60).take("a");
    scene.conclude_for(grant, &verdict(Class::Ok, Scope::None), Some("large"));
    assert_eq!(["a", "b"].map(|id| scene.status(id).level), [0, 0]);
    for (name, until) in [("large", 120), ("small", 180)] {
        let grant = scene.take("a");
        scene.conclude_for(grant, &limited(Scope::Model), Some(name));
        let models = scene.status("a").models;
        let rest = models.iter().find(|rest| rest.model == name).expect("it rests");
        assert_eq!(rest.until.0, until * 1_000, "the level of {name}");
    }
}

#[test]
fn a_reset_ends_the_rests_of_the_models_and_of_the_group_too() {
    let mut scene = Scene::even(grouped(&["a", "b"]));
    let grants = [scene.take("a"), scene.take("a")];
    scene.conclude(grants[0], &verdict(Class::RateLimited, Scope::Account));
    scene.conclude_for(grants[1], &verdict(Class::RateLimited, Scope::Model), Some("large"));
    let (index, now) = (scene.index("b"), scene.wall());
    assert!(scene.pool.reset(scene.provider, index, now));
    assert_eq!(["a", "b"].map(|id| scene.status(id).state), [Reason::Available; 2]);
    assert_eq!(scene.status("a").models.len(), 1, "that is of the other one");
    let (index, now) = (scene.index("a"), scene.wall());
    assert!(scene.pool.reset(scene.provider, index, now));
    assert_eq!(scene.status("a").models, []);
}

#[test]
fn a_quota_that_is_there_again_ends_the_rests_that_it_caused_and_no_others() {
    let mut scene = Scene::even(equal(&["a", "b"]));
    let grants = ["a", "a", "b"].map(|id| scene.take(id));
    scene.conclude(grants[0], &stated(Class::QuotaExhausted, Scope::Credential, 3_000));
    scene.conclude(grants[1], &stated(Class::Overloaded, Scope::Credential, 30));
    scene.conclude(grants[2], &verdict(Class::RateLimited, Scope::Credential));
    for id in ["a", "b"] {
        let (index, now) = (scene.index(id), scene.wall());
        assert!(scene.pool.recover_quota(scene.provider, index, now));
    }
    assert_eq!(["a", "b"].map(|id| scene.until(id)), [Some(30_000), Some(60_000)]);
}

#[test]
fn a_computed_wait_of_a_busy_server_is_lengthened_by_a_tenth_at_most_and_no_other_is() {
    let mut waits = Vec::new();
    for seed in 0..200 {
        let mut scene = Scene::new(Config::of(Policy::adaptive()), equal(&["a", "b", "c"]));
        scene.pool.seed(Rng::from_seed(seed));
        scene.fail("a", &verdict(Class::Overloaded, Scope::Credential));
        scene.fail("b", &verdict(Class::RateLimited, Scope::Credential));
        waits.extend(scene.until("a"));
        assert_eq!(scene.until("b"), Some(60_000));
        scene.fail("c", &stated(Class::Overloaded, Scope::Credential, 2));
        assert_eq!(scene.until("c"), Some(2_000));
    }
    let (least, most) = (waits.iter().min().copied(), waits.iter().max().copied());
    assert!((2_000..=2_010).contains(&least.expect("a wait")), "{least:?}");
    assert!((2_190..=2_200).contains(&most.expect("a wait")), "{most:?}");
}

#[test]
fn a_quota_group_is_the_same_after_a_snapshot_although_its_rows_are_outdated() {
    let mut scene = Scene::even(grouped(&["a", "b"]));
    scene.fail("a", &verdict(Class::RateLimited, Scope::Account));
    scene.pool.invalidate(scene.provider);
    let now = scene.wall();
    let snapshot = scene.pool.snapshot(now);
    scene.pool.restore(&snapshot, now);
    assert_eq!(scene.until("b"), Some(60_000));
}
