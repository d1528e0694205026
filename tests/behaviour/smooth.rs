//! The same shares, spread out: nginx's order on a fixed set, and nobody starves on any other.

use keyrota::{Request, Rng, Row, Strategy};
use proptest::prelude::*;
use proptest::strategy::Strategy as Generator;

use crate::scene::{Scene, cases, weight, weighted};
use crate::support::seed;

#[test]
fn weights_3_2_1_give_a_b_a_c_b_a() {
    let mut scene = Scene::of(Strategy::Smooth, weighted(&[("a", 3), ("b", 2), ("c", 1)]));
    assert_eq!(scene.order(12), "abacbaabacba");
}

#[test]
fn weights_5_1_1_give_the_order_that_nginx_documents() {
    let mut scene = Scene::of(Strategy::Smooth, weighted(&[("a", 5), ("b", 1), ("c", 1)]));
    assert_eq!(scene.order(14), "aabacaaaabacaa");
}

/// nginx's `ngx_http_upstream_get_peer`: whole numbers, and the first of equals.
fn nginx(weights: &[u8], picks: usize) -> Vec<usize> {
    let total: i64 = weights.iter().map(|&weight| i64::from(weight)).sum();
    let mut current = vec![0_i64; weights.len()];
    let pick = |_| {
        let mut best = 0;
        for (peer, &weight) in weights.iter().enumerate() {
            current[peer] += i64::from(weight);
            if current[peer] > current[best] {
                best = peer;
            }
        }
        current[best] -= total;
        best
    };
    (0..picks).map(pick).collect()
}

/// Credentials named by their numbers, some of them switched off.
fn rows(weights: &[u8], enabled: impl Fn(usize) -> bool) -> Vec<Row> {
    let rows = weights.iter().enumerate().map(|(number, &shares)| {
        let (weight, enabled) = (weight(shares), enabled(number));
        Row { weight, enabled, ..Row::new(&number.to_string()) }
    });
    rows.collect()
}

fn number(scene: &mut Scene) -> usize {
    scene.pick().parse().expect("a number")
}

/// Weights that are often equal, and sometimes far apart.
fn some_weights(most: usize) -> impl Generator<Value = Vec<u8>> {
    let shares = prop_oneof![3 => Just(1_u8), 3 => 1..5_u8, 2 => 1..=100_u8, 1 => Just(100_u8)];
    prop::collection::vec(shares, 1..=most)
}

proptest! {
    #![proptest_config(cases(1_000))]

    #[test]
    fn on_a_fixed_set_the_order_is_nginxs(weights in some_weights(40)) {
        let mut scene = Scene::of(Strategy::Smooth, rows(&weights, |_| true));
        let total: usize = weights.iter().map(|&shares| usize::from(shares)).sum();
        for (pick, peer) in nginx(&weights, 2 * total + 3).into_iter().enumerate() {
            prop_assert_eq!(number(&mut scene), peer, "pick {} of {:?}", pick, &weights);
        }
    }

    #[test]
    fn a_full_cycle_gives_exactly_the_weights(weights in some_weights(20)) {
        let mut scene = Scene::of(Strategy::Smooth, rows(&weights, |_| true));
        let total: u32 = weights.iter().map(|&shares| u32::from(shares)).sum();
        for cycle in 0..3 {
            let mut served = vec![0; weights.len()];
            (0..total).for_each(|_| served[number(&mut scene)] += 1);
            prop_assert_eq!(&served, &weights, "cycle {}", cycle);
        }
    }

    #[test]
    fn of_equals_none_is_chosen_thrice_in_a_row_and_after_n_picks_none_twice(
        shares in 1..=100_u8,
        size in 2..20_usize,
        changes in prop::collection::vec((any::<u32>(), 0..60_usize), 1..40),
    ) {
        let mut scene = Scene::of(Strategy::Smooth, rows(&vec![shares; size], |_| true));
        for (present, picks) in changes {
            let is_present = |number: usize| present >> number & 1 == 1;
            let n = (0..size).filter(|&number| is_present(number)).count();
            if n < 2 {
                continue;
            }
            scene.load(rows(&vec![shares; size], is_present));
            let (mut last, mut run) = (usize::MAX, 0);
            for pick in 0..picks {
                let chosen = number(&mut scene);
                run = if chosen == last { run + 1 } else { 1 };
                last = chosen;
                let longest = if pick < n { 2 } else { 1 };
                prop_assert!(run <= longest, "a run of {} at pick {} of {}", run, pick, n);
            }
        }
    }
}

#[test]
fn who_waits_while_the_others_leave_one_by_one_is_owed_no_more_than_one() {
    let mut present = [true; 20];
    let mut scene = Scene::of(Strategy::Smooth, rows(&[1; 20], |_| true));
    let first = number(&mut scene);
    let mut chosen = first;
    for _ in 0..18 {
        present[chosen] = false;
        scene.load(rows(&[1; 20], |number| present[number]));
        chosen = number(&mut scene);
    }
    // Of the two that are left, one was never chosen; it meets the one that was chosen first.
    let waiting = (0..20).rfind(|&number| present[number] && number != chosen).expect("one");
    scene.load(rows(&[1; 20], |number| number == waiting || number == first));
    let order: Vec<usize> = (0..6).map(|_| number(&mut scene)).collect();
    assert_eq!(order, [waiting, waiting, first, waiting, first, waiting]);
}

/// How many of its picks a credential got, and how many were fair.
#[derive(Clone, Copy, Debug, Default)]
struct Share {
    available: u32,
    served: f64,
    fair: f64,
}

/// 10,000 picks, before each of which `present` says who is there.
fn shares(weights: &[u8], mut present: impl FnMut(usize) -> Vec<bool>) -> Vec<Share> {
    let mut scene = Scene::of(Strategy::Smooth, rows(weights, |_| false));
    let mut shares = vec![Share::default(); weights.len()];
    let mut before = Vec::new();
    for pick in 0..10_000 {
        let now = present(pick);
        if !now.contains(&true) {
            continue;
        }
        if now != before {
            scene.load(rows(weights, |number| now[number]));
        }
        let weight = |number: usize| f64::from(weights[number]);
        let there = || (0..weights.len()).filter(|&number| now[number]);
        let total: f64 = there().map(weight).sum();
        for number in there() {
            shares[number].available += 1;
            shares[number].fair += weight(number) / total;
        }
        shares[number(&mut scene)].served += 1.0;
        before = now;
    }
    shares
}

fn assert_nobody_starves(shares: &[Share], what: &str) {
    for (number, share) in shares.iter().enumerate() {
        let is_there_often = share.available >= 10_000 / 3;
        assert!(
            !is_there_often || share.served >= share.fair / 2.0,
            "credential {number} of {what}: {share:?}"
        );
    }
}

fn random_weights(rng: &mut Rng) -> Vec<u8> {
    let size = 2 + rng.below(8);
    let most = [1, 3, 100][rng.below(3) as usize];
    (0..size).map(|_| 1 + rng.below(most) as u8).collect()
}

#[test]
fn nobody_starves_when_everyone_comes_and_goes_at_random() {
    let seed = seed();
    let mut rng = Rng::from_seed(seed);
    for _ in 0..15 {
        let weights = random_weights(&mut rng);
        let chances: Vec<u64> = weights.iter().map(|_| 34 + rng.below(66)).collect();
        // Some come and go at every pick, some stay for a while.
        let stay = 1 + rng.below(20) as usize;
        let mut now = vec![true; weights.len()];
        let shares = shares(&weights, |pick| {
            if pick % stay == 0 {
                now = chances.iter().map(|&chance| rng.below(100) < chance).collect();
            }
            now.clone()
        });
        let what = format!("{weights:?} there {chances:?} % of the time, seed {seed}");
        assert_nobody_starves(&shares, &what);
    }
}

#[test]
fn nobody_starves_when_everyone_comes_and_goes_periodically() {
    let seed = seed();
    let mut rng = Rng::from_seed(seed);
    for _ in 0..25 {
        let weights = random_weights(&mut rng);
        let rhythms: Vec<[usize; 3]> = weights
            .iter()
            .map(|_| {
                let period = 1 + rng.below(9) as usize;
                let there = 1 + rng.below(period as u64) as usize;
                [period, there, rng.below(period as u64) as usize]
            })
            .collect();
        let there = |pick, &[period, there, phase]: &[usize; 3]| (pick + phase) % period < there;
        let shares =
            shares(&weights, |pick| rhythms.iter().map(|rhythm| there(pick, rhythm)).collect());
        let what = format!("{weights:?} in {rhythms:?} (period, there, phase), seed {seed}");
        assert_nobody_starves(&shares, &what);
    }
}

#[test]
fn attempts_that_are_retried_elsewhere_are_charged_to_who_made_them() {
    let mut scene = Scene::of(Strategy::Smooth, weighted(&[("a", 1), ("b", 1), ("c", 1)]));
    let mut served = [0; 3];
    for _ in 0..300 {
        let first = scene.acquire();
        let tried = [first.credential];
        let second = scene.acquire_for(&Request { tried: &tried, ..Request::default() });
        for grant in [first, second] {
            served[grant.credential.0 as usize] += 1;
            scene.report(grant, 200);
        }
    }
    assert_eq!(served, [200, 200, 200]);
}
