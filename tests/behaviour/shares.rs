//! The strategies that have no fixed order: the load still follows the weights.

use keyrota::{Grant, Request, Rng, Row, SessionHash, Strategy};

use crate::scene::{Scene, equal, weighted};
use crate::support::seed;

const WEIGHTS: [(&str, u8); 4] = [("a", 1), ("b", 2), ("c", 5), ("d", 12)];

fn served(picks: &[String], id: &str) -> f64 {
    picks.iter().filter(|pick| *pick == id).count() as f64
}

#[test]
fn random_picks_follow_the_weights() {
    let seed = seed();
    let mut scene = Scene::of(Strategy::WeightedRandom, weighted(&WEIGHTS));
    scene.pool.seed(Rng::from_seed(seed));
    let picks = scene.picks(20_000);
    let squares = WEIGHTS.iter().map(|&(id, shares)| {
        let fair = 1_000.0 * f64::from(shares);
        (served(&picks, id) - fair).powi(2) / fair
    });
    // Chi square with 3 degrees of freedom passes 30 once in 700,000 runs.
    let chi_square: f64 = squares.sum();
    assert!(chi_square < 30.0, "{chi_square}, seed {seed}");
}

#[test]
fn random_picks_follow_from_the_seed() {
    let picks = |seed| {
        let mut scene = Scene::of(Strategy::WeightedRandom, weighted(&WEIGHTS));
        scene.pool.seed(Rng::from_seed(seed));
        scene.picks(50)
    };
    assert_eq!(picks(7), picks(7));
    assert_ne!(picks(7), picks(8));
}

#[test]
fn a_random_pick_with_a_filter_follows_the_weights_of_those_who_pass() {
    let seed = seed();
    let mut scene = Scene::of(Strategy::WeightedRandom, weighted(&WEIGHTS));
    scene.pool.seed(Rng::from_seed(seed));
    let tried = [scene.index("d")];
    let request = Request { tried: &tried, ..Request::default() };
    let picks: Vec<String> = (0..8_000).map(|_| scene.pick_for(&request)).collect();
    for (id, fair) in [("a", 1_000.0), ("b", 2_000.0), ("c", 5_000.0), ("d", 0.0)] {
        assert!((served(&picks, id) - fair).abs() < 300.0, "{id}, seed {seed}");
    }
}

#[test]
fn the_one_with_the_fewest_leases_for_its_weight_is_chosen() {
    let mut scene = Scene::of(Strategy::LeastBusy, weighted(&[("a", 1), ("b", 2)]));
    let grants: Vec<Grant> = (0..6).map(|_| scene.acquire()).collect();
    let of = |scene: &Scene, id: &str| scene.status(id).in_flight;
    assert_eq!((of(&scene, "a"), of(&scene, "b")), (2, 4));
    for grant in grants {
        if scene.id(grant.credential) == "b" {
            scene.report(grant, 200);
        }
    }
    let next = |_| {
        let grant = scene.acquire();
        scene.id(grant.credential)
    };
    assert_eq!((0..3).map(next).collect::<String>(), "bbb");
}

#[test]
fn requests_that_never_overlap_still_follow_the_weights() {
    let mut scene = Scene::of(Strategy::LeastBusy, weighted(&WEIGHTS));
    let picks: Vec<String> = (0..2_000).map(|_| scene.attempt(200)).collect();
    for (id, shares) in WEIGHTS {
        let fair = 100.0 * f64::from(shares);
        assert!((served(&picks, id) - fair).abs() <= 2.0, "{id}: {}", served(&picks, id));
    }
}

#[test]
fn equals_of_the_least_busy_take_turns_in_their_order() {
    let mut scene = Scene::of(Strategy::LeastBusy, equal(&["a", "b", "c"]));
    let served: String = (0..7).map(|_| scene.attempt(200)).collect();
    assert_eq!(served, "abcabca");
}

#[test]
fn the_least_busy_that_comes_back_is_not_flooded_with_what_it_missed() {
    let mut scene = Scene::of(Strategy::LeastBusy, equal(&["a", "b"]));
    assert_eq!(scene.attempt(429), "a");
    let served: String = (0..50).map(|_| scene.attempt(200)).collect();
    assert_eq!(served, "b".repeat(50));
    scene.at(60);
    let served: String = (0..10).map(|_| scene.attempt(200)).collect();
    assert!(!served.contains("aaa"), "{served}");
}

#[test]
fn fill_first_takes_the_first_that_is_there() {
    let row = |id, order| Row { order, ..Row::new(id) };
    let mut scene = Scene::of(Strategy::FillFirst, vec![row("c", 2), row("a", 0), row("b", 1)]);
    assert_eq!(scene.order(3), "aaa");
    assert_eq!(scene.attempt(429), "a");
    assert_eq!(scene.order(3), "bbb");
    assert_eq!(scene.at(60).order(3), "aaa");
}

// Reproducer for tombii/better-ccflare#285: all sessions of a dead key went to the same next one.
#[test]
fn the_sessions_of_a_credential_that_falls_out_are_spread_over_the_others() {
    for &strategy in Strategy::ALL.iter().filter(|&&strategy| strategy != Strategy::FillFirst) {
        let mut scene = Scene::of(strategy, equal(&["a", "b", "c"]));
        let request = |number| Request {
            session: Some(SessionHash::of(&format!("{number}"))),
            ..Request::default()
        };
        let of_a: Vec<i32> =
            (0..3_000).filter(|&n| scene.pick_for(&request(n)) == "a").take(90).collect();
        let grant = scene.acquire_for(&request(of_a[0]));
        scene.report(grant, 429);
        let moved: Vec<String> = of_a.iter().map(|&n| scene.pick_for(&request(n))).collect();
        let on_b = moved.iter().filter(|id| *id == "b").count();
        assert!(on_b.abs_diff(45) <= 20, "{strategy:?}: {on_b} of 90");
    }
}

#[test]
fn looking_counts_nothing() {
    for &strategy in Strategy::ALL {
        let mut scene = Scene::of(strategy, equal(&["a", "b"]));
        for _ in 0..100 {
            let seen = scene.pool.explain(scene.provider, &Request::default(), scene.wall());
            assert!(strategy.draws() || seen.choice.as_deref() == Some("a"), "{strategy:?}");
        }
        scene.attempt(200);
        let picks: u64 = ["a", "b"].iter().map(|id| scene.status(id).counters.picks).sum();
        assert_eq!(picks, 1, "{strategy:?}");
    }
}
