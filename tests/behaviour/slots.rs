//! The documented walk by slots, to the letter.

use keyrota::{Request, Row};
use proptest::prelude::*;

use crate::scene::{Scene, cases, weight, weighted};

#[test]
fn weights_3_2_1_give_a_a_a_b_b_c() {
    let mut scene = Scene::classic(weighted(&[("a", 3), ("b", 2), ("c", 1)]));
    assert_eq!(scene.order(12), "aaabbcaaabbc");
}

#[test]
fn weights_3_1_2_give_a_a_a_b_c_c() {
    let mut scene = Scene::classic(weighted(&[("a", 3), ("b", 1), ("c", 2)]));
    assert_eq!(scene.order(12), "aaabccaaabcc");
}

// Reproducer for p32929/rotato#21: one key burnt while the others idled.
#[test]
fn three_equal_credentials_take_three_of_nine_each() {
    let mut scene = Scene::classic(weighted(&[("a", 1), ("b", 1), ("c", 1)]));
    let served: String = (0..9).map(|_| scene.attempt(200)).collect();
    assert_eq!(served, "abcabcabc");
}

#[test]
fn one_available_credential_is_returned_without_moving_the_index() {
    let mut scene = Scene::classic(weighted(&[("a", 1), ("b", 1), ("c", 1)]));
    assert_eq!(scene.order(2), "ab");
    let off = |id: &str| Row { enabled: false, ..Row::new(id) };
    scene.load(vec![off("a"), off("b"), Row::new("c")]);
    assert_eq!(scene.order(5), "ccccc");
    scene.load(weighted(&[("a", 1), ("b", 1), ("c", 1)]));
    assert_eq!(scene.order(3), "cab");
}

#[test]
fn the_index_goes_on_over_the_slots_of_those_who_are_there() {
    let mut scene = Scene::classic(weighted(&[("a", 3), ("b", 2), ("c", 1)]));
    assert_eq!(scene.order(4), "aaab");
    let off = Row { enabled: false, ..weighted(&[("b", 2)]).remove(0) };
    let rows = |b| vec![weighted(&[("a", 3)]).remove(0), b, Row::new("c")];
    scene.load(rows(off));
    // The last slot was 3; of the four slots a a a c that are left, 0 comes next.
    assert_eq!(scene.order(5), "aaaca");
}

#[test]
fn the_index_goes_on_even_when_there_was_no_row_meanwhile() {
    let rows = || weighted(&[("a", 1), ("b", 1), ("c", 1)]);
    let mut scene = Scene::classic(rows());
    assert_eq!(scene.order(2), "ab");
    scene.load(Vec::new());
    scene.load(rows());
    assert_eq!(scene.order(2), "ca");
}

#[test]
fn a_request_with_a_filter_walks_over_the_slots_that_pass() {
    let model = |id, models: &[&str]| {
        let models = models.iter().map(|&name| name.into()).collect();
        Row { models: Some(models), ..Row::new(id) }
    };
    let mut scene =
        Scene::classic(vec![model("a", &["x", "y"]), model("b", &["x"]), model("c", &["y"])]);
    let of = |model| Request { model: Some(model), ..Request::default() };
    let order: String = (0..4).map(|_| scene.pick_for(&of("y"))).collect();
    assert_eq!(order, "acac");
    let order: String = (0..4).map(|_| scene.pick_for(&of("x"))).collect();
    assert_eq!(order, "abab");
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn any_full_cycle_gives_exactly_the_weights_whatever_happened_before(
        weights in prop::collection::vec(1..=100_u8, 1..12),
        before in prop::collection::vec((0..12_usize, any::<bool>(), 0..40_usize), 0..12),
        skip in 0..300_usize,
    ) {
        let mut enabled = vec![true; weights.len()];
        let rows = |enabled: &[bool]| {
            let rows = weights.iter().zip(enabled).enumerate();
            rows.map(|(number, (&shares, &enabled))| {
                Row { weight: weight(shares), enabled, ..Row::new(&number.to_string()) }
            })
            .collect::<Vec<_>>()
        };
        let mut scene = Scene::classic(rows(&enabled));
        for (number, on, picks) in before {
            if let Some(enabled) = enabled.get_mut(number) {
                *enabled = on;
            }
            scene.load(rows(&enabled));
            if enabled.contains(&true) {
                scene.picks(picks);
            }
        }
        scene.load(rows(&vec![true; weights.len()]));
        scene.picks(skip);
        let picks = scene.picks(weights.iter().map(|&shares| usize::from(shares)).sum());
        for (number, &shares) in weights.iter().enumerate() {
            let served = picks.iter().filter(|id| **id == number.to_string()).count();
            prop_assert_eq!(served, usize::from(shares), "credential {} of {:?}", number, &weights);
        }
    }
}
