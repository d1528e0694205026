//! The caller's clock may step back, also while no process runs: no wait grows by it.

use keyrota::{Config, Millis, Policy, Refusal, Request, Wall};
use proptest::prelude::*;

use crate::scene::{Scene, cases, equal};

#[test]
fn a_clock_that_is_set_back_by_an_hour_lengthens_no_wait() {
    let mut scene = Scene::classic(equal(&["a"]));
    scene.at(7_200).attempt(429);
    assert_eq!(scene.at(3_600).retry_after(), Some(Millis(60_000)));
    assert_eq!(scene.at(3_659).retry_after(), Some(Millis(1_000)));
    assert_eq!(scene.at(3_660).pick(), "a");
}

#[test]
fn a_snapshot_that_is_restored_before_it_was_taken_lengthens_no_wait() {
    for rows_first in [false, true] {
        let mut scene = Scene::classic(equal(&["a"]));
        scene.at(7_200).attempt(429);
        scene.at(7_210);
        let snapshot = scene.pool.snapshot(scene.wall());
        let mut other = Scene::classic(Vec::new());
        other.at(0);
        if rows_first {
            other.load(equal(&["a"]));
        }
        let now = other.at(100).wall();
        other.pool.restore(&snapshot, now);
        other.load(equal(&["a"]));
        assert_eq!(other.retry_after(), Some(Millis(50_000)));
        assert_eq!(other.at(150).pick(), "a");
    }
}

#[test]
fn a_step_forwards_is_time_that_has_passed() {
    let mut scene = Scene::classic(equal(&["a"]));
    scene.attempt(429);
    assert_eq!(scene.at(1_000_000).pick(), "a");
}

#[test]
fn an_end_is_told_on_the_clock_as_it_shows_now() {
    let mut scene = Scene::classic(equal(&["a"]));
    scene.at(7_200).attempt(429);
    assert_eq!(scene.until("a"), Some(7_260_000));
    scene.at(3_600);
    assert_eq!(scene.until("a"), Some(3_660_000));
}

/// What happens next to a pool whose only credential rests.
#[derive(Clone, Copy, Debug)]
enum Next {
    Look,
    Ask,
    /// Another process goes on, whose clock differs.
    Restart {
        rows_first: bool,
    },
}

proptest! {
    #![proptest_config(cases(1_500))]

    #[test]
    fn only_steps_forwards_count_and_each_counts_once(
        wait in 1..3_000_u64,
        start in prop_oneof![Just(0_i64), -9_000_000_000_000..9_000_000_000_000_i64],
        steps in prop::collection::vec(
            (
                prop_oneof![
                    3 => -5_000..5_000_i64,
                    1 => -3_600_000..3_600_000_i64,
                    1 => Just(0_i64),
                ],
                prop_oneof![
                    3 => Just(Next::Look),
                    3 => Just(Next::Ask),
                    1 => any::<bool>().prop_map(|rows_first| Next::Restart { rows_first }),
                ],
            ),
            1..60,
        ),
    ) {
        let config = Config::of(Policy::adaptive());
        let mut scene = Scene::new(config.clone(), equal(&["a"]));
        let grant = scene.at_ms(start).acquire();
        scene.report_wait(grant, 429, &wait.to_string());
        // Looking takes nothing in: a step back is noticed when something happens after it.
        let (mut left, mut seen) = (wait as i64 * 1_000, start);
        for (step, next) in steps {
            let now = scene.now + step;
            scene.at_ms(now);
            let left_now = left - (now - seen).max(0);
            let refusal = Refusal::NoneAvailable { retry_after: Some(Millis(left_now.max(0) as u64)), at_capacity: false };
            match next {
                Next::Look => {
                    let seen = scene.pool.explain(scene.provider, &Request::default(), Wall(now));
                    let told = seen.retry_after_ms.map(|wait| wait.0 as i64);
                    prop_assert_eq!(told, (left_now > 0).then_some(left_now), "at {}", now);
                    continue;
                }
                Next::Ask => {
                    let answer = scene.ask(&Request::default()).map(|_| ());
                    let expected = if left_now > 0 { Err(refusal) } else { Ok(()) };
                    prop_assert_eq!(answer, expected, "at {}", now);
                }
                Next::Restart { rows_first } => {
                    scene = scene.restarted(config.clone(), equal(&["a"]), rows_first);
                }
            }
            (left, seen) = (left_now, now);
        }
    }
}
