//! A session stays on its credential while it can, and the memory of it is bounded.

use std::collections::VecDeque;

use keyrota::{
    AffinityConfig, ChoiceReason, Config, EventKind, Millis, Policy, Request, SessionHash,
};
use keyrota::{Rng, Strategy};

use crate::scene::{Scene, equal, session, weighted, with};

fn remembering(capacity: usize, ttl: Option<Millis>) -> Config {
    Config { affinity: AffinityConfig { capacity, ttl }, ..Config::of(Policy::classic()) }
}

#[test]
fn a_session_stays_on_its_credential_while_others_take_turns() {
    let mut scene = Scene::classic(equal(&["a", "b", "c"]));
    let home = scene.acquire_for(&session("s"));
    assert_eq!(home.reason, ChoiceReason::Strategy);
    for _ in 0..10 {
        scene.pick();
        let grant = scene.acquire_for(&session("s"));
        assert_eq!((grant.credential, grant.reason), (home.credential, ChoiceReason::Affinity));
    }
}

#[test]
fn a_session_whose_credential_rests_moves_for_good_and_that_is_told() {
    let mut scene = Scene::classic(equal(&["a", "b"]));
    let home = scene.acquire_for(&session("s"));
    scene.report(home, 429);
    scene.pool.take_events();
    let moved = scene.acquire_for(&session("s"));
    assert_eq!((scene.id(moved.credential).as_str(), moved.reason), ("b", ChoiceReason::Rebound));
    let event = scene.pool.take_events().pop().expect("an event");
    assert_eq!(event.kind, EventKind::Rebound { from: home.credential });
    assert_eq!(scene.at(1_000).acquire_for(&session("s")).credential, moved.credential);
}

#[test]
fn a_request_that_has_tried_its_sessions_credential_gets_another() {
    let mut scene = Scene::classic(equal(&["a", "b"]));
    let home = scene.acquire_for(&session("s"));
    let tried = [home.credential];
    let request = Request { tried: &tried, ..session("s") };
    assert_ne!(scene.acquire_for(&request).credential, home.credential);
}

#[test]
fn a_binding_is_per_provider_and_session() {
    let mut scene = Scene::classic(equal(&["a", "b"]));
    let other = scene.pool.provider("anthropic");
    let now = scene.wall();
    scene.pool.load(other, 0, equal(&["x", "y"]), now);
    let here = scene.acquire_for(&session("s")).credential;
    let there = scene.pool.acquire(other, &session("s"), now).expect("x").credential;
    scene.pick();
    assert_eq!(scene.pool.sessions(), 2);
    assert_eq!(scene.acquire_for(&session("s")).credential, here);
    assert_eq!(scene.pool.home(other, &session("s"), now), Some(there));
    assert!(scene.pool.release_session(SessionHash::of("s")));
    assert_eq!(scene.pool.sessions(), 0);
    assert!(!scene.pool.release_session(SessionHash::of("s")));
}

#[test]
fn the_session_that_was_unused_for_longest_leaves_first() {
    let mut scene = Scene::new(remembering(3, None), equal(&["a", "b"]));
    for name in ["one", "two", "three", "one", "four"] {
        scene.pick_for(&session(name));
    }
    let now = scene.wall();
    let mut known = |name| scene.pool.home(scene.provider, &session(name), now).is_some();
    assert_eq!(["one", "two", "three", "four"].map(&mut known), [true, false, true, true]);
}

#[test]
fn exactly_the_last_used_sessions_are_remembered_whatever_happens() {
    let seed = crate::support::seed();
    let mut rng = Rng::from_seed(seed);
    let mut scene = Scene::new(remembering(50, None), equal(&["a", "b", "c"]));
    let mut last_used: VecDeque<u64> = VecDeque::new();
    for step in 0..20_000 {
        let request = |number| Request { session: Some(SessionHash(number)), ..Request::default() };
        let number = rng.below(80);
        last_used.retain(|&known| known != number);
        if rng.below(10) == 0 {
            scene.pool.release_session(SessionHash(number));
        } else {
            scene.pick_for(&request(number));
            last_used.push_back(number);
            last_used.truncate(80);
            if last_used.len() > 50 {
                last_used.pop_front();
            }
        }
        let other = rng.below(80);
        let known = scene.pool.home(scene.provider, &request(other), scene.wall()).is_some();
        assert_eq!(known, last_used.contains(&other), "step {step}, seed {seed}");
        assert_eq!(scene.pool.sessions(), last_used.len(), "step {step}, seed {seed}");
    }
}

#[test]
fn a_session_is_forgotten_when_it_was_unused_for_its_time_and_every_use_renews_it() {
    let mut scene = Scene::new(remembering(10, Some(Millis(60_000))), equal(&["a", "b"]));
    scene.pick_for(&session("s"));
    for used_ms in [59_999, 119_998, 179_997] {
        let grant = scene.at_ms(used_ms).acquire_for(&session("s"));
        assert_eq!(grant.reason, ChoiceReason::Affinity, "at {used_ms} ms");
    }
    let grant = scene.at_ms(239_997).acquire_for(&session("s"));
    assert_eq!(grant.reason, ChoiceReason::Strategy);
}

#[test]
fn sessions_whose_time_is_over_leave_without_being_asked_for() {
    let mut scene = Scene::new(remembering(100, Some(Millis(60_000))), equal(&["a", "b"]));
    for number in 0..100 {
        scene.pick_for(&session(&number.to_string()));
    }
    assert_eq!(scene.pool.sessions(), 100);
    scene.at(90).pick();
    assert_eq!(scene.pool.sessions(), 0);
}

#[test]
fn with_a_capacity_of_0_nothing_is_remembered() {
    let mut scene = Scene::new(remembering(0, None), equal(&["a", "b"]));
    assert_eq!([0; 4].map(|_| scene.pick_for(&session("s"))), ["a", "b", "a", "b"]);
    assert_eq!(scene.pool.sessions(), 0);
}

// Reproducer for icebear0828/codex-proxy#577: the map of sessions kept every prompt for ever.
#[test]
fn a_million_sessions_take_no_more_room_than_the_capacity() {
    let mut scene = Scene::classic(equal(&["a", "b", "c"]));
    for number in 0..1_000_000 {
        let request = Request { session: Some(SessionHash(number)), ..Request::default() };
        scene.pick_for(&request);
        if number % 10_000 == 0 {
            assert!(scene.pool.sessions() <= 10_000, "after {number} sessions");
        }
    }
    assert_eq!(scene.pool.sessions(), 10_000);
}

#[test]
fn a_session_id_of_any_length_is_kept_as_64_bits_that_never_change() {
    let long = "x".repeat(10_240);
    let other = format!("{long}y");
    assert_eq!(SessionHash::of(&long), SessionHash::of(&long.clone()));
    assert_ne!(SessionHash::of(&long), SessionHash::of(&other));
    assert_eq!(size_of::<SessionHash>(), 8);
    // FNV-1a with MurmurHash3's last steps; snapshots and rendezvous rest on these numbers.
    assert_eq!(SessionHash::of("").0, 0xefd0_1f60_ba99_2926);
    assert_eq!(SessionHash::of("chat-1").0, 0xe652_deea_fbc4_c96a);
    assert_eq!(SessionHash::of("Grüße 👋").0, 0x0106_cf1f_99ec_9fb9);
}

#[test]
fn a_session_that_stays_is_charged_so_that_the_others_get_their_share() {
    for strategy in [Strategy::Smooth, Strategy::LeastBusy] {
        let mut config = with(Policy::classic(), strategy);
        config.lease_ttl = Millis(1);
        let mut scene = Scene::new(config, weighted(&[("a", 1), ("b", 1)]));
        let home = scene.pick_for(&session("s"));
        for _ in 0..10 {
            assert_eq!(scene.pick_for(&session("s")), home, "{strategy:?}");
            assert_ne!(scene.pick(), home, "{strategy:?}");
        }
    }
}

#[test]
fn the_walk_by_slots_does_not_move_for_a_session_that_stays() {
    let mut scene = Scene::classic(weighted(&[("a", 3), ("b", 2), ("c", 1)]));
    let mut order = scene.pick_for(&session("s"));
    for _ in 0..5 {
        scene.pick_for(&session("s"));
        order += &scene.pick();
    }
    assert_eq!(order, "aaabbc");
}
