//! How long a credential rests, and how a level comes and goes.

use keyrota::{Class, Config, EventKind, Ladder, Millis, Policy, Scope};
use proptest::prelude::*;

use crate::scene::{Scene, cases, equal, verdict};

/// One failure after another, each as soon as the rest before it is over; the rests in seconds.
fn rests(scene: &mut Scene, status: u16, failures: usize) -> Vec<i64> {
    let mut fail = |scene: &mut Scene| {
        scene.attempt(status);
    };
    rests_after(scene, &mut fail, failures)
}

fn rests_after(scene: &mut Scene, fail: &mut impl FnMut(&mut Scene), failures: usize) -> Vec<i64> {
    let rest = |_| {
        fail(scene);
        let until = scene.until("a").expect("it rests");
        let rest = until - scene.now;
        scene.at_ms(until);
        rest / 1_000
    };
    (0..failures).map(rest).collect()
}

#[test]
fn failures_after_each_rest_climb_60_120_240_480_900_900_seconds() {
    let mut scene = Scene::classic(equal(&["a"]));
    assert_eq!(rests(&mut scene, 429, 7), [60, 120, 240, 480, 900, 900, 900]);
    let mut scene = Scene::classic(equal(&["a"]));
    assert_eq!(rests(&mut scene, 529, 7), [60, 120, 240, 480, 900, 900, 900]);
}

// Reproducer for NousResearch/hermes-agent#15296: the count was removed when the rest ended.
#[test]
fn a_level_outlives_its_rest() {
    let mut config = Config::of(Policy::classic());
    config.provider.policy.limit.base = Millis::from_secs(30);
    let mut scene = Scene::new(config, equal(&["a"]));
    for (at, until) in [(0, 30), (31, 91), (92, 212)] {
        scene.at(at).attempt(429);
        assert_eq!(scene.until("a"), Some(until * 1_000), "429 at {at} s");
    }
}

// Reproducer for router-for-me/CLIProxyAPI: calls in flight that fail together jumped as many rungs.
#[test]
fn five_429_of_one_burst_are_one_step() {
    let mut scene = Scene::classic(equal(&["a"]));
    let burst: Vec<_> = (0..5).map(|_| scene.acquire()).collect();
    for (millis, grant) in burst.into_iter().enumerate() {
        scene.at_ms(1_000 + millis as i64).report(grant, 429);
    }
    assert_eq!((scene.status("a").level, scene.until("a")), (1, Some(61_000)));
}

// Reproducer for Alishahryar1/free-claude-code#1655.
#[test]
fn a_late_success_changes_nothing() {
    let mut scene = Scene::classic(equal(&["a"]));
    let (first, second) = (scene.at(0).acquire(), scene.acquire());
    scene.at(1).report(second, 429);
    scene.at(2).report(first, 200);
    assert_eq!((scene.status("a").level, scene.until("a")), (1, Some(61_000)));
}

#[test]
fn a_success_that_began_after_the_rest_takes_the_level_away() {
    let mut scene = Scene::classic(equal(&["a"]));
    assert_eq!(rests(&mut scene, 429, 3), [60, 120, 240]);
    scene.attempt(200);
    assert_eq!(scene.status("a").level, 0);
    assert_eq!(rests(&mut scene, 429, 2), [60, 120]);
}

#[test]
fn a_level_is_forgotten_after_15_quiet_minutes_past_its_rest_and_not_before() {
    for (quiet_ms, next) in [(899_999, 120), (900_000, 60)] {
        let mut scene = Scene::classic(equal(&["a"]));
        assert_eq!(rests(&mut scene, 429, 1), [60]);
        let now = scene.now;
        assert_eq!(rests(scene.at_ms(now + quiet_ms), 429, 1), [next], "after {quiet_ms} ms");
    }
}

#[test]
fn a_sweep_takes_no_level_away() {
    let mut scene = Scene::classic(equal(&["a"]));
    assert_eq!(rests(&mut scene, 429, 2), [60, 120]);
    let over = scene.now;
    for seconds in (0..899).step_by(31) {
        let now = scene.at_ms(over + seconds * 1_000).wall();
        scene.pool.sweep(now);
        assert_eq!(scene.status("a").level, 2, "{seconds} s after the rest");
    }
    assert_eq!(rests(&mut scene, 429, 1), [240]);
}

#[test]
fn a_busy_server_has_a_ladder_of_its_own() {
    let mut scene = Scene::laddered(equal(&["a"]));
    let mut busy = |scene: &mut Scene| {
        let grant = scene.acquire();
        scene.conclude(grant, &verdict(Class::Overloaded, Scope::Credential));
    };
    assert_eq!(rests_after(&mut scene, &mut busy, 7), [2, 4, 8, 16, 32, 60, 60]);
    assert_eq!(rests(&mut scene, 429, 2), [60, 120]);
    scene.attempt(200);
    assert_eq!(rests_after(&mut scene, &mut busy, 1), [2]);
}

#[test]
fn of_two_rests_the_longer_one_counts() {
    let mut scene = Scene::adaptive(equal(&["a"]));
    let (first, second) = (scene.at(0).acquire(), scene.acquire());
    scene.at(1).report(first, 429);
    scene.at(2).report(second, 503);
    assert_eq!(scene.until("a"), Some(61_000));
    assert_eq!(scene.retry_after(), Some(Millis(59_000)));
}

#[test]
fn a_stated_time_replaces_a_computed_one_longer_or_shorter() {
    for (stated, until) in [("5", 6_000), ("600", 601_000)] {
        let mut scene = Scene::adaptive(equal(&["a"]));
        let (first, second) = (scene.at(0).acquire(), scene.acquire());
        scene.at(1).report(first, 429);
        scene.report_wait(second, 429, stated);
        assert_eq!(scene.until("a"), Some(until), "stated: {stated} s");
    }
}

#[test]
fn of_the_stated_times_of_one_window_the_longest_wins() {
    let mut scene = Scene::adaptive(equal(&["a"]));
    let grants: Vec<_> = (0..4).map(|_| scene.acquire()).collect();
    for (grant, (stated, until)) in
        grants.into_iter().zip([("30", 30), ("20", 30), ("40", 40), ("39", 40)])
    {
        scene.report_wait(grant, 429, stated);
        assert_eq!(scene.until("a"), Some(until * 1_000), "stated: {stated} s");
    }
    assert_eq!(scene.status("a").level, 1);
}

// Reproducer for lidge-jun/opencodex#3809: the cap of guessed waits was put on stated ones.
#[test]
fn a_stated_time_is_kept_whole() {
    let mut scene = Scene::adaptive(equal(&["a"]));
    let grant = scene.acquire();
    scene.report_wait(grant, 429, "7980");
    assert_eq!(scene.until("a"), Some(7_980_000));
}

#[test]
fn the_classic_policy_reads_no_stated_time() {
    let mut scene = Scene::classic(equal(&["a"]));
    let grant = scene.acquire();
    scene.report_wait(grant, 429, "7980");
    assert_eq!(scene.until("a"), Some(60_000));
}

#[test]
fn the_end_of_a_rest_is_told_once() {
    let mut scene = Scene::adaptive(equal(&["a"]));
    let told = |scene: &mut Scene| -> Vec<EventKind> {
        scene.pool.take_events().into_iter().map(|event| event.kind).collect()
    };
    let (first, second) = (scene.acquire(), scene.acquire());
    scene.report(first, 429);
    scene.report(second, 503);
    assert_eq!(told(&mut scene).len(), 2, "two rests began");
    scene.at(59).retry_after();
    assert_eq!(told(&mut scene), [], "the shorter one was over, and that changed nothing");
    let third = scene.at(60).acquire();
    assert_eq!(told(&mut scene), [EventKind::Recovered]);
    scene.report(third, 200);
    assert_eq!((scene.status("a").level, told(&mut scene)), (0, Vec::new()), "a level is no rest");
    scene.attempt(429);
    told(&mut scene);
    let (index, now) = (scene.index("a"), scene.wall());
    for _ in 0..2 {
        scene.pool.reset(scene.provider, index, now);
    }
    assert_eq!(told(&mut scene), [EventKind::Recovered]);
}

proptest! {
    #![proptest_config(cases(500))]

    #[test]
    fn a_ladder_never_descends_and_never_passes_its_cap(
        base in 1..1_000_000_u64,
        cap in 1..10_000_000_u64,
        multiplier in 1.0..16.0,
        level in 1..200_u32,
    ) {
        let (base, cap) = (Millis(base), Millis(cap));
        let ladder = Ladder { base, cap, multiplier, ..Ladder::default() };
        prop_assert_eq!(ladder.wait(1), base.min(cap));
        prop_assert!(ladder.wait(level) <= cap);
        prop_assert!(ladder.wait(level) <= ladder.wait(level + 1));
        let exact = base.0 as f64 * multiplier.powi(level as i32 - 1);
        let wait = ladder.wait(level).0 as f64;
        prop_assert!((wait - exact.min(cap.0 as f64)).abs() <= 1.0 + exact.min(wait) * 1e-9);
    }
}
