//! A credential that fails as only a dead one does is taken for dead, until a proof or a person brings it
//! back.

use keyrota::{
    Blacklist, Class, Config, EventKind, Grant, LeaseId, Millis, Policy, Reason, Request, Row,
    Scope, Verdict,
};
use proptest::prelude::*;

use crate::scene::{Scene, cases, equal, even, proven, stated, verdict};

/// The settings with which three deadly failures blacklist; rests are short, and nobody probes.
pub fn config() -> Config {
    let mut policy = Policy { probing: None, ..even().provider.policy };
    policy.limit.base = Millis(1_000);
    policy.limit.cap = Millis(1_000);
    let mut config = Config::of(policy);
    config.provider.blacklist = Some(Blacklist::default());
    config
}

pub fn scene(ids: &[&str]) -> Scene {
    Scene::new(config(), equal(ids))
}

pub fn refused() -> Verdict {
    verdict(Class::AuthFailed, Scope::Credential)
}

pub fn unpaid() -> Verdict {
    verdict(Class::QuotaExhausted, Scope::Credential)
}

/// One attempt with that verdict after each rest, so many times.
pub fn fail(scene: &mut Scene, id: &str, verdict: &Verdict, times: usize) {
    for _ in 0..times {
        let until = scene.until(id).unwrap_or(scene.now).max(scene.now + 10_000);
        scene.at_ms(until);
        scene.fail(id, verdict);
    }
}

pub fn probe(scene: &mut Scene, id: &str) -> Grant {
    let (index, now) = (scene.index(id), scene.wall());
    scene.pool.acquire_probe(scene.provider, index, now).expect("it has a row")
}

pub fn is_listed(scene: &Scene, id: &str) -> bool {
    scene.status(id).state == Reason::Blacklisted
}

pub fn told(scene: &mut Scene, kind: &EventKind) -> Vec<String> {
    let told = scene.told().into_iter().filter(|(_, told)| told == kind);
    told.map(|(id, _)| id).collect()
}

#[test]
fn the_third_deadly_failure_one_after_the_other_blacklists_for_an_open_time() {
    for verdict in [refused(), unpaid(), verdict(Class::QuotaExhausted, Scope::Account)] {
        let mut scene = scene(&["a", "b"]);
        fail(&mut scene, "a", &verdict, 2);
        assert!(!is_listed(&scene, "a"));
        scene.pool.take_events();
        fail(&mut scene, "a", &verdict, 1);
        let (known, class) = (scene.status("a"), verdict.class);
        assert_eq!((known.state, known.cause), (Reason::Blacklisted, Some(class)));
        assert_eq!((known.until, known.by), (None, None));
        assert_eq!(scene.reason("a", &Request::default()), Reason::Blacklisted);
        assert_eq!(told(&mut scene, &EventKind::Blacklisted { class }), ["a"]);
        let now = scene.now + 100_000_000;
        assert_eq!(scene.at_ms(now).picks(2), ["b", "b"]);
    }
}

#[test]
fn without_the_setting_nothing_is_counted() {
    let mut config = config();
    config.provider.blacklist = None;
    let mut scene = Scene::new(config, equal(&["a", "b"]));
    fail(&mut scene, "a", &refused(), 10);
    assert_eq!(scene.status("a").state, Reason::Cooling);
}

#[test]
fn the_threshold_is_a_setting() {
    for threshold in [1, 5] {
        let mut config = config();
        config.provider.blacklist = Some(Blacklist { threshold, ..Blacklist::default() });
        let mut scene = Scene::new(config, equal(&["a", "b"]));
        fail(&mut scene, "a", &refused(), threshold as usize - 1);
        assert!(!is_listed(&scene, "a"));
        fail(&mut scene, "a", &refused(), 1);
        assert!(is_listed(&scene, "a"));
    }
}

// Reproducer for snailyp/gemini-balance#32 and #130: a success does not clear the count.
#[test]
fn one_success_forgets_the_failures_before_it() {
    let mut scene = scene(&["a", "b"]);
    for _ in 0..2 {
        fail(&mut scene, "a", &refused(), 2);
        let now = scene.now + 10_000;
        scene.at_ms(now);
        let grant = scene.take("a");
        assert!(!scene.pool.report_untroubled(grant.lease), "there is something to forget");
        scene.report(grant, 200);
    }
    fail(&mut scene, "a", &refused(), 2);
    assert!(!is_listed(&scene, "a"));
}

#[test]
fn a_success_forgets_the_failures_whose_rests_were_ended_by_hand_too() {
    let mut scene = scene(&["a", "b"]);
    fail(&mut scene, "a", &unpaid(), 2);
    let a = scene.index("a");
    scene.pool.reset(scene.provider, a, scene.wall());
    let grant = scene.take("a");
    assert!(!scene.pool.report_untroubled(grant.lease), "there is something to forget");
    scene.report(grant, 200);
    fail(&mut scene, "a", &unpaid(), 2);
    assert!(!is_listed(&scene, "a"));
}

// Reproducers for tbphp/gpt-load#278 and snailyp/gemini-balance#130: overload and time-outs count.
#[test]
fn what_says_nothing_of_the_credential_neither_counts_nor_forgets() {
    let others = [
        verdict(Class::Overloaded, Scope::Credential),
        verdict(Class::Overloaded, Scope::Provider),
        verdict(Class::ServerError, Scope::Model),
        verdict(Class::RateLimited, Scope::Credential),
        verdict(Class::UnknownOutcome, Scope::Request),
        verdict(Class::ClientError, Scope::Request),
        verdict(Class::ModelDenied, Scope::Credential),
        verdict(Class::EgressBlocked, Scope::Egress),
        verdict(Class::QuotaExhausted, Scope::Model),
        stated(Class::QuotaExhausted, Scope::Credential, 5),
        verdict(Class::AuthFailed, Scope::Request),
    ];
    for other in &others {
        let mut scene = scene(&["a", "b"]);
        fail(&mut scene, "a", other, 50);
        assert!(!is_listed(&scene, "a"), "{other:?} counts");
        fail(&mut scene, "a", &refused(), 2);
        fail(&mut scene, "a", other, 3);
        assert!(!is_listed(&scene, "a"), "{other:?} counts after two");
        fail(&mut scene, "a", &refused(), 1);
        assert!(is_listed(&scene, "a"), "{other:?} forgets");
    }
}

#[test]
fn a_burst_counts_once() {
    let mut scene = scene(&["a", "b"]);
    let burst = [(); 5].map(|()| scene.take("a"));
    for (second, grant) in (1..).zip(burst) {
        scene.at(second).conclude(grant, &refused());
    }
    fail(&mut scene, "a", &refused(), 1);
    assert!(!is_listed(&scene, "a"), "two, not six");
    fail(&mut scene, "a", &refused(), 1);
    assert!(is_listed(&scene, "a"));
}

#[test]
fn a_proof_disables_and_a_wait_for_a_new_secret_does_not_count() {
    let mut scene = scene(&["a", "b"]);
    fail(&mut scene, "a", &refused(), 2);
    fail(&mut scene, "a", &proven(Class::AuthFailed, Scope::Credential), 1);
    assert_eq!(scene.status("a").state, Reason::CredentialDisabled);

    let rows = vec![Row { refreshable: true, ..Row::new("a") }, Row::new("b")];
    let mut scene = Scene::new(config(), rows);
    fail(&mut scene, "a", &refused(), 5);
    assert!(!is_listed(&scene, "a"), "the host has not answered yet");
}

#[test]
fn the_refusal_of_a_secret_for_which_there_is_no_new_one_counts() {
    let rows = vec![Row { refreshable: true, ..Row::new("a") }, Row::new("b")];
    let mut scene = Scene::new(config(), rows);
    let a = scene.index("a");
    for time in 1..=3 {
        fail(&mut scene, "a", &refused(), 1);
        scene.pool.take_events();
        scene.pool.refreshed(scene.provider, a, false, scene.wall());
        assert_eq!(is_listed(&scene, "a"), time == 3);
    }
    assert_eq!(told(&mut scene, &EventKind::Blacklisted { class: Class::AuthFailed }), ["a"]);
}

#[test]
fn a_new_secret_begins_anew() {
    let renewed = |id: &str| Row { secret_changed: true, ..Row::new(id) };
    let mut scene = scene(&["a", "b"]);
    fail(&mut scene, "a", &refused(), 2);
    scene.load(vec![renewed("a"), Row::new("b")]);
    fail(&mut scene, "a", &refused(), 2);
    assert!(!is_listed(&scene, "a"));
    fail(&mut scene, "a", &refused(), 1);
    scene.pool.take_events();
    scene.load(vec![renewed("a"), Row::new("b")]);
    assert!(!is_listed(&scene, "a"));
    assert_eq!(told(&mut scene, &EventKind::Enabled), ["a"]);
}

#[test]
fn failures_that_turn_out_to_be_the_providers_are_taken_back() {
    let mut config = config();
    config.provider.blacklist = Some(Blacklist { threshold: 1, ..Blacklist::default() });
    let mut scene = Scene::new(config, equal(&["a", "b", "c", "d"]));
    for id in ["a", "b"] {
        scene.fail(id, &refused());
        assert!(is_listed(&scene, id));
    }
    scene.pool.take_events();
    scene.fail("c", &refused());
    assert_eq!(told(&mut scene, &EventKind::Enabled), ["a", "b"]);
    let states = ["a", "b", "c", "d"].map(|id| scene.status(id).state);
    assert_eq!(states, [Reason::ProviderPaused; 4]);
    scene.at(10).fail("a", &refused());
    assert!(is_listed(&scene, "a"), "what comes later counts");
}

#[test]
fn taking_back_leaves_what_was_counted_before() {
    let mut scene = scene(&["a", "b", "c", "d"]);
    fail(&mut scene, "a", &refused(), 2);
    let now = scene.now + 10_000;
    scene.at_ms(now);
    for id in ["a", "b", "c"] {
        scene.fail(id, &refused());
    }
    assert!(!is_listed(&scene, "a"), "the third was the provider's");
    fail(&mut scene, "a", &refused(), 1);
    assert!(is_listed(&scene, "a"));
}

proptest! {
    #![proptest_config(cases(64))]

    /// Beside a plain list of what was reported, by when it began and ended.
    #[test]
    fn whoever_is_on_the_list_had_so_many_failures_in_a_row_and_nobody_else_is(
        threshold in 1..5_u32,
        steps in prop::collection::vec((0..4_u8, 0..3_000_i64, 0..4_u8), 1..80),
    ) {
        let mut config = config();
        config.provider.blacklist = Some(Blacklist { threshold, ..Blacklist::default() });
        config.provider.policy.rollback = None;
        let mut scene = Scene::new(config, equal(&["a", "b"]));
        let (mut open, mut count, mut last, mut listed) = (Vec::new(), 0, i64::MIN, false);
        for (kind, ms, which) in steps {
            scene.now += ms;
            if kind < 2 {
                let grant = probe(&mut scene, "a");
                // An ordinary lease would be one of `b` while `a` rests.
                open.push((grant.lease, scene.now));
                continue;
            }
            if open.is_empty() {
                continue;
            }
            let (lease, began): (LeaseId, i64) = open.remove(usize::from(which) % open.len());
            let fails = which < 3;
            let verdict = if fails { refused() } else { verdict(Class::Ok, Scope::None) };
            scene.pool.conclude(lease, &verdict, None, scene.wall());
            match (fails, listed) {
                (true, false) if began >= last => {
                    (count, last) = (count + 1, scene.now);
                    listed = count >= threshold;
                }
                (false, true) if began >= last => {
                    (count, listed) = (0, false);
                    // What was under way is about the one from before.
                    open.clear();
                    last = i64::MIN;
                }
                (false, false) => count = 0,
                _ => {}
            }
            prop_assert_eq!(is_listed(&scene, "a"), listed);
        }
    }
}
