//! How a credential is taken out for good, and how it comes back.

use keyrota::{Class, DisabledBy, EventKind, Reason, Refusal, Request, Row};

use crate::scene::{Scene, equal};

fn row(id: &str, enabled: bool) -> Row {
    Row { enabled, ..Row::new(id) }
}

/// One credential of two is refused with 401.
fn refused() -> Scene {
    let mut scene = Scene::classic(equal(&["a", "b"]));
    assert_eq!(scene.attempt(401), "a");
    scene
}

/// The disablings that the storage is asked to keep.
fn requests(scene: &mut Scene) -> Vec<String> {
    let requests = scene.pool.take_disable_requests();
    requests.iter().map(|request| scene.id(request.credential)).collect()
}

fn confirm(scene: &mut Scene, id: &str) {
    let index = scene.index(id);
    scene.pool.confirm_disabled(scene.provider, index);
}

#[test]
fn a_401_or_a_403_takes_the_credential_out_for_good() {
    for status in [401, 403] {
        let mut scene = Scene::classic(equal(&["a", "b"]));
        scene.attempt(status);
        assert_eq!(scene.at(1_000_000).picks(3), ["b", "b", "b"], "after a {status}");
        let known = scene.status("a");
        assert_eq!((known.state, known.by, known.until), {
            (Reason::CredentialDisabled, Some(DisabledBy::Verdict), None)
        });
        assert_eq!(known.cause, Some(Class::AuthFailed));
    }
}

#[test]
fn a_burst_of_refusals_asks_the_storage_once() {
    let mut scene = Scene::classic(equal(&["a"]));
    let grants: Vec<_> = (0..5).map(|_| scene.acquire()).collect();
    for grant in grants {
        scene.report(grant, 401);
    }
    assert_eq!(requests(&mut scene), ["a"]);
}

#[test]
fn a_credential_whose_row_is_gone_is_not_asked_for_again() {
    let mut scene = refused();
    assert_eq!(requests(&mut scene), ["a"]);
    scene.load(equal(&["b"]));
    scene.at(30).pick();
    assert_eq!(requests(&mut scene), [""; 0]);
    scene.load(equal(&["a", "b"]));
    scene.at(60).pick();
    assert_eq!(requests(&mut scene), ["a"], "it still stays off");
}

#[test]
fn time_alone_brings_no_disabled_credential_back_so_the_refusal_has_no_date() {
    let mut scene = Scene::classic(equal(&["a"]));
    scene.attempt(401);
    let refusal = scene.ask(&Request::default());
    assert_eq!(refusal, Err(Refusal::NoneAvailable { retry_after: None, at_capacity: false }));
}

#[test]
fn a_row_that_is_enabled_again_after_the_storage_kept_it_off_serves_with_clean_health() {
    let mut scene = Scene::classic(equal(&["a", "b"]));
    scene.attempt(429);
    scene.at(60).attempt(200);
    let (first, second) = (scene.acquire(), scene.acquire());
    let of_a = if scene.id(first.credential) == "a" { first } else { second };
    scene.at(61).report(of_a, 401);
    confirm(&mut scene, "a");
    scene.load(vec![row("a", false), row("b", true)]);
    assert_eq!(scene.status("a").by, Some(DisabledBy::Verdict));

    scene.load(vec![row("a", true), row("b", true)]);
    let known = scene.status("a");
    assert_eq!((known.state, known.level, known.cause), (Reason::Available, 0, None));
    assert!(scene.picks(2).contains(&"a".to_owned()), "at {} ms", scene.now);
    let enabled = scene.pool.take_events().into_iter().filter(|e| e.kind == EventKind::Enabled);
    assert_eq!(enabled.count(), 1);
}

#[test]
fn the_loader_is_not_believed_until_the_storage_kept_it_off() {
    let mut scene = refused();
    scene.load(equal(&["a", "b"]));
    assert_eq!(scene.status("a").by, Some(DisabledBy::Verdict));
    assert_eq!(scene.picks(2), ["b", "b"]);
    confirm(&mut scene, "a");
    assert_eq!(scene.picks(2), ["b", "b"], "the answer alone brings nothing back");
    scene.load(equal(&["a", "b"]));
    assert_eq!(scene.status("a").state, Reason::Available);
}

#[test]
fn the_storage_is_asked_again_at_every_sweep_until_it_kept_it_off() {
    let mut scene = refused();
    assert_eq!(requests(&mut scene), ["a"]);
    scene.at(29).pick();
    assert_eq!(requests(&mut scene), [""; 0], "at 29 s");
    scene.at(30).pick();
    assert_eq!(requests(&mut scene), ["a"], "at 30 s");
    let now = scene.at(31).wall();
    scene.pool.sweep(now);
    assert_eq!(requests(&mut scene), ["a"], "when the app sweeps");
    confirm(&mut scene, "a");
    scene.at(100).pick();
    assert_eq!(requests(&mut scene), [""; 0], "once it is kept");
}

#[test]
fn a_new_secret_takes_the_verdict_back_and_keeps_the_cooldowns() {
    let changed = Row { secret_changed: true, ..Row::new("a") };
    let mut scene = Scene::classic(equal(&["a"]));
    let (first, second) = (scene.acquire(), scene.acquire());
    scene.report(first, 429);
    scene.report(second, 401);
    scene.load(vec![changed]);
    let known = scene.status("a");
    assert_eq!((known.state, known.cause), (Reason::Cooling, Some(Class::RateLimited)));
    assert_eq!(scene.at(60).pick(), "a");
}

#[test]
fn a_new_secret_clears_the_rest_that_a_refused_one_earned() {
    let mut scene = Scene::adaptive(equal(&["a"]));
    scene.attempt(401);
    assert_eq!(scene.status("a").cause, Some(Class::AuthFailed));
    scene.load(vec![Row { secret_changed: true, ..Row::new("a") }]);
    assert_eq!(scene.pick(), "a");
}

#[test]
fn a_new_secret_switches_nothing_on_that_a_person_switched_off() {
    let mut scene = refused();
    confirm(&mut scene, "a");
    let changed = Row { secret_changed: true, ..row("a", false) };
    scene.pool.take_events();
    scene.load(vec![changed, row("b", true)]);
    assert_eq!(scene.status("a").by, Some(DisabledBy::Hand));
    assert_eq!(scene.pool.take_events(), []);
}

#[test]
fn a_changed_secret_is_told_across_restarts_by_its_version() {
    let versioned = |version: &str| Row { secret_version: Some(version.into()), ..Row::new("a") };
    for (version, state) in [("1", Reason::CredentialDisabled), ("2", Reason::Available)] {
        for rows_first in [false, true] {
            let mut scene = Scene::classic(vec![versioned("1")]);
            scene.attempt(401);
            let config = keyrota::Config::of(keyrota::Policy::classic());
            let scene = scene.restarted(config, vec![versioned(version)], rows_first);
            assert_eq!(scene.status("a").state, state, "version {version}, {rows_first}");
        }
    }
}

#[test]
fn a_changed_secret_counts_once() {
    let changed = || vec![Row { secret_changed: true, ..Row::new("a") }];
    let mut scene = Scene::classic(changed());
    scene.attempt(401);
    let snapshot = scene.pool.snapshot(scene.wall());
    let now = scene.wall();
    scene.pool.restore(&snapshot, now);
    assert_eq!(scene.status("a").by, Some(DisabledBy::Verdict));
}

#[test]
fn by_hand_and_by_verdict_are_told_apart() {
    let mut scene = refused();
    scene.load(vec![row("a", true), row("b", false)]);
    let explanation = scene.pool.explain(scene.provider, &Request::default(), scene.wall());
    let told = explanation.candidates.iter().map(|told| (told.reason, told.by, told.cause));
    let disabled = Reason::CredentialDisabled;
    let expected = [
        (disabled, Some(DisabledBy::Verdict), Some(Class::AuthFailed)),
        (disabled, Some(DisabledBy::Hand), None),
    ];
    assert_eq!(told.collect::<Vec<_>>(), expected);
    scene.load(equal(&["a", "b"]));
    assert_eq!(scene.pick(), "b", "what a person switches on again serves at once");
}

// Reproducer for QuantumNous/new-api#3537: a key that was disabled by itself never came back.
#[test]
fn a_person_brings_a_disabled_credential_back_with_clean_health() {
    let mut scene = Scene::classic(equal(&["a"]));
    let (first, second) = (scene.acquire(), scene.acquire());
    scene.report(first, 429);
    scene.report(second, 401);
    let (index, now) = (scene.index("a"), scene.at(1).wall());
    assert!(scene.pool.enable(scene.provider, index, now));
    let known = scene.status("a");
    assert_eq!((known.state, known.level), (Reason::Available, 0));
    assert_eq!(scene.pick(), "a");
    scene.pool.take_disable_requests();
    scene.at(100).pick();
    assert_eq!(requests(&mut scene), [""; 0]);
}

#[test]
fn what_a_person_enables_here_is_off_again_when_the_rows_say_so() {
    let mut scene = Scene::classic(vec![row("a", false)]);
    let (index, now) = (scene.index("a"), scene.wall());
    assert!(scene.pool.enable(scene.provider, index, now));
    assert_eq!(scene.pick(), "a");
    scene.load(vec![row("a", false)]);
    assert_eq!(scene.status("a").by, Some(DisabledBy::Hand));
}

#[test]
fn a_reset_ends_rests_and_disables_nothing_away() {
    let mut scene = refused();
    let (index, now) = (scene.index("a"), scene.wall());
    assert!(scene.pool.reset(scene.provider, index, now));
    assert_eq!(scene.status("a").by, Some(DisabledBy::Verdict));
}

#[test]
fn the_adaptive_policy_takes_no_status_as_proof() {
    let mut scene = Scene::adaptive(equal(&["a", "b"]));
    for status in [401, 402, 403, 404, 429, 500, 503, 529] {
        for _ in 0..20 {
            if let Ok(grant) = scene.ask(&Request::default()) {
                scene.report(grant, status);
            }
        }
    }
    assert_eq!(requests(&mut scene), [""; 0]);
}
