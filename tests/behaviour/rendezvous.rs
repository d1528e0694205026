//! Every process picks the same credential for a session, with nothing shared.

use keyrota::{Request, Row, SessionHash, Strategy};
use proptest::prelude::*;

use crate::scene::{Scene, cases, equal, session, weight, weighted};

const SESSIONS: u64 = 20_000;

fn scene(rows: Vec<Row>) -> Scene {
    Scene::of(Strategy::Rendezvous, rows)
}

fn homes(scene: &mut Scene, sessions: u64) -> Vec<String> {
    let home = |number| {
        let request = Request { session: Some(SessionHash(number)), ..Request::default() };
        scene.pick_for(&request)
    };
    (0..sessions).map(home).collect()
}

// Worked out apart from this crate: a change here moves every session of every user.
#[test]
fn these_sessions_are_at_home_here_for_ever() {
    let home =
        |scene: &mut Scene, number: usize| scene.pick_for(&session(&format!("chat-{number}")));
    let mut equals = scene(equal(&["key-1", "key-2", "key-3"]));
    let numbers: Vec<String> = (0..12).map(|number| home(&mut equals, number)).collect();
    let expected = [3, 2, 2, 2, 3, 2, 3, 2, 1, 3, 3, 3].map(|number| format!("key-{number}"));
    assert_eq!(numbers, expected);
    let mut uneven = scene(weighted(&[("prod", 5), ("test", 1)]));
    let on_test: Vec<usize> = (0..12).filter(|&n| home(&mut uneven, n) == "test").collect();
    assert_eq!(on_test, [4, 9, 11]);
}

#[test]
fn the_order_of_the_rows_and_what_was_asked_before_change_nothing() {
    let mut forwards = scene(equal(&["a", "b", "c"]));
    let mut backwards = scene(equal(&["c", "b", "a"]));
    forwards.picks(10);
    assert_eq!(homes(&mut forwards, 200), homes(&mut backwards, 200));
    assert_eq!(forwards.pool.sessions(), 0, "there is nothing to remember");
}

#[test]
fn shares_follow_the_weights_within_a_few_percent() {
    let weights = [("a", 1), ("b", 2), ("c", 5), ("d", 12)];
    let homes = homes(&mut scene(weighted(&weights)), SESSIONS);
    for (id, shares) in weights {
        let served = homes.iter().filter(|home| *home == id).count() as f64;
        let fair = SESSIONS as f64 * f64::from(shares) / 20.0;
        // Five standard deviations of the smallest share are 15 %; these draws are fixed.
        assert!((served / fair - 1.0).abs() < 0.06, "{id}: {served} of {fair}");
    }
}

#[test]
fn a_credential_that_rests_lends_its_sessions_evenly_and_gets_them_back() {
    let mut scene = scene(equal(&["a", "b", "c"]));
    let before = homes(&mut scene, 3_000);
    let request = (0..3_000)
        .map(|number| Request { session: Some(SessionHash(number)), ..Request::default() })
        .zip(&before)
        .find(|(_, home)| *home == "a");
    let grant = scene.acquire_for(&request.expect("someone is on a").0);
    scene.report(grant, 429);
    let meanwhile = homes(&mut scene, 3_000);
    let moved = |to: &str| {
        before.iter().zip(&meanwhile).filter(|(before, now)| *before == "a" && *now == to).count()
    };
    assert!(before.iter().zip(&meanwhile).all(|(before, now)| before == now || before == "a"));
    let (to_b, to_c) = (moved("b"), moved("c"));
    assert!(to_b.abs_diff(to_c) < (to_b + to_c) / 5, "{to_b} and {to_c}");
    assert_eq!(homes(scene.at(60), 3_000), before);
}

#[test]
fn without_a_session_the_load_is_spread_by_weight() {
    let mut scene = scene(weighted(&[("a", 3), ("b", 1)]));
    let served = scene.picks(8_000).iter().filter(|id| *id == "a").count();
    assert!(served.abs_diff(6_000) < 200, "{served} of 8,000");
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn removing_one_credential_moves_only_its_sessions(
        weights in prop::collection::vec(1..=100_u8, 2..10),
        gone in any::<prop::sample::Index>(),
        model in any::<bool>(),
    ) {
        let gone = gone.index(weights.len());
        let rows = weights.iter().enumerate().map(|(number, &shares)| {
            Row { weight: weight(shares), ..Row::new(&number.to_string()) }
        });
        let mut rows: Vec<Row> = rows.collect();
        let mut scene = scene(rows.clone());
        let before = homes(&mut scene, 400);
        if model {
            // A credential that does not serve the model is as good as gone.
            rows[gone].models = Some(Vec::new());
        } else {
            rows.remove(gone);
        }
        scene.load(rows);
        for (number, home) in before.into_iter().enumerate() {
            let session = Some(SessionHash(number as u64));
            let request = Request { session, model: Some("m"), ..Request::default() };
            let now = scene.pick_for(&request);
            prop_assert!(now == home || home == gone.to_string(), "session {}", number);
            prop_assert_ne!(now, gone.to_string());
        }
    }

    #[test]
    fn more_weight_draws_sessions_to_it_and_moves_no_others(
        weights in prop::collection::vec(1..=50_u8, 2..10),
        grown in any::<prop::sample::Index>(),
        by in 1..=50_u8,
    ) {
        let grown = grown.index(weights.len());
        let rows = weights.iter().enumerate().map(|(number, &shares)| {
            Row { weight: weight(shares), ..Row::new(&number.to_string()) }
        });
        let mut rows: Vec<Row> = rows.collect();
        let mut scene = scene(rows.clone());
        let before = homes(&mut scene, 400);
        rows[grown].weight = weight(weights[grown] + by);
        scene.load(rows);
        let after = homes(&mut scene, 400);
        for (before, after) in before.into_iter().zip(after) {
            prop_assert!(after == before || after == grown.to_string());
        }
    }
}
