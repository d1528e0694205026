//! A pool that goes on from a snapshot behaves like the one that wrote it.

use keyrota::{
    AffinityConfig, Config, DisabledBy, LeaseId, Millis, Policy, Reason, Request, Rng, Row,
    SessionHash, Snapshot, SnapshotError, StatusRow, Strategy, Value,
};
use proptest::prelude::*;
use proptest::strategy::Strategy as Generator;

use crate::scene::{Scene, cases, equal, session, weight, with};
use crate::support::through_json;

/// One step of a history; the numbers say who and what.
type Step = (u8, u8, u8);

fn steps(most: usize) -> impl Generator<Value = Vec<Step>> {
    prop::collection::vec(any::<Step>(), 1..most)
}

fn rows(weights: &[u8]) -> Vec<Row> {
    let rows = weights.iter().enumerate().map(|(number, &shares)| Row {
        weight: weight(shares),
        priority: i32::from(number % 4 == 3),
        models: (number % 3 == 2).then(|| vec!["m".into()]),
        ..Row::new(&format!("key-{number}"))
    });
    rows.collect()
}

/// Plays one step; answers all that can be seen of it, by names.
fn play(scene: &mut Scene, leases: &mut Vec<LeaseId>, (kind, who, what): Step) -> String {
    const STATUSES: [u16; 8] = [200, 200, 200, 429, 503, 401, 400, 529];
    let status = STATUSES[usize::from(what % 8)];
    match kind % 8 {
        0..=3 => {
            let session = (who % 3 == 0).then(|| SessionHash(u64::from(who % 12)));
            let model = (what % 5 == 0).then_some("m");
            let grant = scene.ask(&Request { session, model, ..Request::default() });
            leases.extend(grant.map(|grant| grant.lease));
            format!("{:?}", grant.map(|grant| (scene.id(grant.credential), grant.reason)))
        }
        4 | 5 if !leases.is_empty() => {
            let lease = leases.remove(usize::from(who) % leases.len());
            let wait = what.is_multiple_of(3).then(|| (u32::from(what) + 1).to_string());
            let headers: Vec<_> = wait.iter().map(|wait| ("retry-after", &**wait)).collect();
            let outcome =
                keyrota::Outcome { headers: &headers, ..keyrota::Outcome::of_status(status) };
            format!("{:?}", scene.pool.report(lease, &outcome, scene.wall()))
        }
        6 => {
            scene.now += i64::from(who) * 1_000 - i64::from(what) * 300;
            String::new()
        }
        _ => {
            scene.now += i64::from(who % 8);
            String::new()
        }
    }
}

fn state(scene: &Scene) -> Vec<StatusRow> {
    scene.pool.status(scene.provider, scene.wall())
}

proptest! {
    #![proptest_config(cases(1_200))]

    #[test]
    fn restoring_a_snapshot_is_as_if_nothing_had_been_interrupted(
        strategy in prop::sample::select(Strategy::ALL.to_vec()),
        is_classic in any::<bool>(),
        weights in prop::collection::vec(1..=12_u8, 1..9),
        before in steps(120),
        after in steps(60),
        rows_first in any::<bool>(),
        seed in any::<u64>(),
    ) {
        // What is suspected for a few seconds is not worth writing down.
        let adaptive = Policy { rollback: None, ..Policy::adaptive() };
        let policy = if is_classic { Policy::classic() } else { adaptive };
        let affinity = AffinityConfig { capacity: 6, ttl: Some(Millis::from_secs(200)) };
        let config = Config { affinity, ..with(policy, strategy) };
        let mut scene = Scene::new(config.clone(), rows(&weights));
        scene.pool.seed(Rng::from_seed(seed));
        let mut leases = Vec::new();
        for step in before {
            play(&mut scene, &mut leases, step);
        }
        // Leases do not outlive a process.
        leases.drain(..).for_each(|lease| scene.pool.release(lease));
        let mut other = scene.restarted(config, rows(&weights), rows_first);
        prop_assert_eq!(state(&scene), state(&other));
        prop_assert_eq!(scene.pool.sessions(), other.pool.sessions());
        let mut other_leases = Vec::new();
        for (number, step) in after.into_iter().enumerate() {
            let here = play(&mut scene, &mut leases, step);
            let there = play(&mut other, &mut other_leases, step);
            prop_assert_eq!(here, there, "step {} ({:?}) at {}", number, step, scene.now);
            prop_assert_eq!(state(&scene), state(&other), "step {} at {}", number, scene.now);
        }
    }

    #[test]
    fn reading_what_was_written_gives_the_same(before in steps(80), weights in prop::collection::vec(1..=9_u8, 1..6)) {
        let mut scene = Scene::new(with(Policy::adaptive(), Strategy::Smooth), rows(&weights));
        let mut leases = Vec::new();
        for step in before {
            play(&mut scene, &mut leases, step);
        }
        let snapshot = scene.pool.snapshot(scene.wall());
        prop_assert_eq!(through_json(&snapshot), snapshot);
    }

    /// Someone edited the file, or the disk did.
    #[test]
    fn a_damaged_snapshot_is_refused_with_its_place_or_does_no_harm(
        strategy in prop::sample::select(Strategy::ALL.to_vec()),
        before in steps(60),
        damages in prop::collection::vec((any::<prop::sample::Index>(), 0..12_usize), 1..4),
        after in steps(60),
    ) {
        let config = with(Policy::adaptive(), strategy);
        let mut scene = Scene::new(config.clone(), rows(&[1, 2, 3, 4, 100, 100, 100, 100, 100, 100, 100, 100]));
        let mut leases = Vec::new();
        for step in before {
            play(&mut scene, &mut leases, step);
        }
        let snapshot = scene.pool.snapshot(scene.wall());
        let mut json = serde_json::to_value(&snapshot).expect("a snapshot can be written");
        for (place, what) in damages {
            let count = leaves(&mut json).len();
            *leaves(&mut json)[place.index(count)] = damage(what);
        }
        let value: Value = serde_json::from_value(json).expect("any JSON is a value");
        match Snapshot::read(&value) {
            Err(SnapshotError::Malformed(what)) => prop_assert!(!what.is_empty()),
            Err(SnapshotError::NewerVersion(version)) => prop_assert!(version > 1),
            Ok(damaged) => {
                let now = scene.wall();
                scene.pool.restore(&damaged, now);
            }
        }
        for step in after {
            play(&mut scene, &mut leases, step);
        }
        scene.load(rows(&[1, 2, 3]));
        scene.pool.snapshot(scene.wall());
    }
}

#[test]
fn an_order_that_is_damaged_beyond_measure_does_no_harm() {
    for &strategy in Strategy::ALL {
        for (field, what) in
            [("progress", 4), ("progress", 5), ("progress", 2), ("cursor", 4), ("cursor", 5)]
        {
            let rows = (0..24).map(|n| Row { weight: weight(100), ..Row::new(&n.to_string()) });
            let mut scene = Scene::of(strategy, rows.collect());
            scene.picks(7);
            let mut json =
                serde_json::to_value(scene.pool.snapshot(scene.wall())).expect("written");
            let tiers = json["providers"][0]["tiers"].as_array_mut().expect("a list").iter_mut();
            for tier in tiers {
                if field == "cursor" {
                    tier["cursor"] = damage(what);
                }
                let members = tier["members"].as_array_mut().into_iter().flatten();
                for member in members.filter(|_| field == "progress") {
                    member["progress"] = damage(what);
                }
            }
            let now = scene.wall();
            scene.pool.restore(&read(&json.to_string()).expect("the numbers are whole"), now);
            let grants: Vec<_> = (0..100).map(|_| scene.acquire()).collect();
            for grant in grants {
                assert!(scene.report(grant, 200).is_some(), "{strategy:?}, {field}");
            }
        }
    }
}

fn damage(what: usize) -> serde_json::Value {
    use serde_json::json;
    let most = (1_u64 << 53) - 1;
    match what {
        0 => json!(null),
        1 => json!(true),
        2 => json!(-1),
        3 => json!(0),
        4 => json!(most),
        5 => json!(-(most as i64)),
        6 => json!(1.5),
        7 => json!(""),
        8 => json!("ffffffffffffffff"),
        9 => json!([]),
        10 => json!({}),
        _ => json!(1e300),
    }
}

/// Every value of a JSON document that holds no other.
fn leaves(json: &mut serde_json::Value) -> Vec<&mut serde_json::Value> {
    if json.as_array().is_some_and(|items| !items.is_empty()) {
        json.as_array_mut().into_iter().flatten().flat_map(leaves).collect()
    } else if json.as_object().is_some_and(|fields| !fields.is_empty()) {
        let fields = json.as_object_mut().into_iter().flatten();
        fields.flat_map(|(_, value)| leaves(value)).collect()
    } else {
        vec![json]
    }
}

fn read(text: &str) -> Result<Snapshot, SnapshotError> {
    Snapshot::read(&serde_json::from_str(text).expect("it is JSON"))
}

#[test]
fn what_is_no_snapshot_of_ours_is_refused_by_name() {
    let text =
        serde_json::to_string(&Scene::classic(equal(&["a"])).pool.snapshot(keyrota::Wall(0)));
    let text = text.expect("it can be written");
    assert!(read(&text).is_ok());
    assert_eq!(
        read(&text.replace("\"version\":1", "\"version\":2")),
        Err(SnapshotError::NewerVersion(2))
    );
    for (whole, part) in [
        ("\"format\":\"keyrota\"", "\"format\":\"other\""),
        ("\"version\":1", "\"version\":0"),
        ("\"version\":1", "\"version\":\"1\""),
        ("\"takenAt\":0", "\"takenAt\":null"),
    ] {
        let refused = read(&text.replace(whole, part));
        assert!(matches!(refused, Err(SnapshotError::Malformed(_))), "{part}: {refused:?}");
    }
    for other in ["{}", "[]", "null", "1", "\"keyrota\"", "{\"format\":\"keyrota\"}"] {
        assert!(matches!(read(other), Err(SnapshotError::Malformed(_))), "{other}");
    }
}

#[test]
fn a_session_of_a_provider_that_is_not_there_is_refused() {
    let mut scene = Scene::classic(equal(&["a"]));
    scene.pick_for(&session("s"));
    let snapshot = scene.pool.snapshot(scene.wall());
    let mut json = serde_json::to_value(&snapshot).expect("it can be written");
    json["sessions"][0]["provider"] = 1.into();
    assert!(matches!(read(&json.to_string()), Err(SnapshotError::Malformed(_))));
}

#[test]
fn a_snapshot_holds_nothing_that_rows_say() {
    let write = |label: &str, model: &str| {
        let row =
            Row { label: Some(label.into()), models: Some(vec![model.into()]), ..Row::new("a") };
        let mut scene = Scene::classic(vec![row]);
        scene.attempt(429);
        serde_json::to_string(&scene.pool.snapshot(scene.wall())).expect("it can be written")
    };
    assert_eq!(write("one", "m"), write(&"another".repeat(1_000), "n"));
}

// Reproducer for router-for-me/CLIProxyAPI#3368: rests were lost on restart, and the first calls hit limited keys.
#[test]
fn rests_and_verdicts_outlive_the_process() {
    for rows_first in [false, true] {
        let mut scene = Scene::classic(equal(&["a", "b", "c"]));
        assert_eq!((scene.attempt(429), scene.attempt(401)), ("a".to_owned(), "c".to_owned()));
        scene.at(10);
        let config = Config::of(Policy::classic());
        let mut other = scene.restarted(config, equal(&["a", "b", "c"]), rows_first);
        assert_eq!(other.until("a"), Some(60_000));
        assert_eq!(other.status("c").by, Some(DisabledBy::Verdict));
        assert_eq!(other.picks(2), ["b", "b"]);
    }
}

#[test]
fn restoring_replaces_what_the_pool_knew() {
    let mut old = Scene::classic(equal(&["a", "b"]));
    let snapshot = old.pool.snapshot(old.wall());
    let mut scene = Scene::classic(equal(&["a", "b"]));
    scene.pick_for(&session("s"));
    scene.attempt(401);
    scene.attempt(429);
    scene.pool.invalidate(scene.provider);
    scene.pool.take_events();
    let now = scene.wall();
    scene.pool.restore(&snapshot, now);
    scene.at(1_000).load(equal(&["a", "b"]));
    assert_eq!(scene.pool.take_events(), [], "no rest ended: there was none");
    assert_eq!(scene.pool.sessions(), 0);
    assert_eq!(scene.order(4), "abab");
    for id in ["a", "b"] {
        let known = scene.status(id);
        assert_eq!((known.state, known.level, known.counters.failures), (Reason::Available, 0, 0));
    }
}

#[test]
fn the_sweeps_go_on_after_a_restore() {
    // The clock of this pool was set back by an hour, so its own time is an hour ahead.
    let mut scene = Scene::classic(equal(&["a"]));
    scene.at(3_600).pick();
    scene.at(0).attempt(401);
    let mut old = Scene::classic(equal(&["a"]));
    old.attempt(401);
    let snapshot = old.pool.snapshot(old.wall());
    let now = scene.wall();
    scene.pool.restore(&snapshot, now);
    scene.pool.take_disable_requests();
    let _ = scene.at(30).ask(&Request::default());
    assert_eq!(scene.pool.take_disable_requests().len(), 1, "at 30 s");
}

/// Takes fields out of every object of a JSON text.
fn without(json: &mut serde_json::Value, fields: &[&str]) {
    match json {
        serde_json::Value::Object(object) => {
            fields.iter().for_each(|field| drop(object.remove(*field)));
            object.values_mut().for_each(|value| without(value, fields));
        }
        serde_json::Value::Array(list) => list.iter_mut().for_each(|item| without(item, fields)),
        _ => {}
    }
}

#[test]
fn a_snapshot_that_knows_nothing_of_groups_models_pauses_and_lodgings_is_read() {
    let mut scene = Scene::even(equal(&["a", "b"]));
    let home = scene.acquire_for(&session("s"));
    scene.report(home, 429);
    let mut json = serde_json::to_value(scene.pool.snapshot(scene.wall())).expect("it is written");
    let fields = ["spread", "responses", "groups", "pause", "models", "probeAt", "evidence"];
    without(&mut json, &fields);
    without(&mut json, &["waitFrom", "lodging", "homeUsed"]);
    let read = Snapshot::read(&serde_json::from_value(json).expect("any JSON is a value"));
    let now = scene.wall();
    scene.pool.restore(&read.expect("it is a snapshot"), now);
    assert_eq!((scene.until("a"), scene.pool.sessions()), (Some(60_000), 1));
}
