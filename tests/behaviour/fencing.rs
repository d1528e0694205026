//! Which attempts a rest is about: those that began before it ended tell nothing about the time after.

use keyrota::{
    Class, Clock, Cooldown, Failure, Inside, Ladder, Lane, Moment, Outcome, Request, Terms, Value,
    Wall,
};
use keyrota::{CredentialIndex, LeaseId, SessionHash};
use proptest::prelude::*;

use crate::scene::{Scene, cases, equal, session};

fn moment(now: i64) -> Moment {
    Clock::default().observe(Wall(now))
}

fn rate_limited(began: i64) -> Failure {
    Failure::of(Class::RateLimited, Inside(began))
}

#[test]
fn a_failure_climbs_only_if_its_attempt_began_at_the_end_of_the_rest_or_later() {
    for (began, level, deadline) in [(59_999, 1, 60_000), (60_000, 2, 190_000)] {
        let (mut cooldown, ladder) = (Cooldown::default(), Ladder::default());
        assert!(cooldown.fail(rate_limited(0), &Terms::plain(&ladder), moment(0)));
        cooldown.fail(rate_limited(began), &Terms::plain(&ladder), moment(70_000));
        assert_eq!(cooldown.level(&ladder, Inside(70_000)), level, "began at {began} ms");
        assert_eq!(cooldown.deadline(), Inside(deadline), "began at {began} ms");
    }
}

#[test]
fn a_success_clears_only_if_its_attempt_began_at_the_end_of_the_rest_or_later() {
    for (began, clears) in [(59_999, false), (60_000, true)] {
        let (mut cooldown, ladder) = (Cooldown::default(), Ladder::default());
        cooldown.fail(rate_limited(0), &Terms::plain(&ladder), moment(0));
        assert_eq!(
            cooldown.succeed(Inside(began), &Terms::plain(&ladder)),
            clears,
            "began at {began} ms"
        );
        assert_eq!(cooldown.record().counts(), !clears, "began at {began} ms");
    }
}

#[test]
fn an_old_attempt_that_fails_after_the_rest_opens_no_new_one() {
    let mut scene = Scene::classic(equal(&["a"]));
    let (first, second) = (scene.acquire(), scene.acquire());
    scene.report(first, 429);
    scene.at(61).report(second, 429);
    assert_eq!(scene.status("a").level, 1);
    assert_eq!(scene.pick(), "a");
}

#[test]
fn a_reset_takes_the_fence_away() {
    let mut scene = Scene::classic(equal(&["a"]));
    let (first, second) = (scene.acquire(), scene.acquire());
    scene.report(first, 429);
    let (now, index) = (scene.at(5).wall(), scene.index("a"));
    assert!(scene.pool.reset(scene.provider, index, now));
    scene.at(6).report(second, 429);
    assert_eq!((scene.status("a").level, scene.until("a")), (1, Some(66_000)));
}

#[test]
fn forgetting_takes_the_fence_away() {
    let mut config = keyrota::Config::of(keyrota::Policy::classic());
    config.lease_ttl = keyrota::Millis::from_secs(10_000);
    let mut scene = Scene::new(config, equal(&["a"]));
    let (first, second) = (scene.acquire(), scene.acquire());
    scene.report(first, 429);
    scene.at(960).report(second, 429);
    assert_eq!((scene.status("a").level, scene.until("a")), (1, Some(1_020_000)));
}

#[test]
fn the_attempt_of_a_session_began_when_it_last_got_its_credential() {
    let mut scene = Scene::classic(equal(&["a"]));
    let (old, new) = (session("old"), session("new"));
    let report = |scene: &mut Scene, request: &Request<'_>, status| {
        let (session, now) = (request.session.expect("a session"), scene.wall());
        let outcome = Outcome::of_status(status);
        scene.pool.report_session(scene.provider, session, &outcome, now).expect("it is bound");
    };
    scene.pick_for(&old);
    report(scene.at(1), &old, 429);
    scene.at(70).pick_for(&new);
    let now = scene.wall();
    scene.pool.succeed_session(SessionHash::of("old"), now);
    assert_eq!(scene.status("a").level, 1, "the old attempt's success proves nothing");
    report(&mut scene, &old, 429);
    assert_eq!(scene.status("a").level, 1, "nor does its failure");
    report(&mut scene, &new, 429);
    assert_eq!((scene.status("a").level, scene.until("a")), (2, Some(190_000)));
    scene.at(190).pick_for(&new);
    let now = scene.wall();
    scene.pool.succeed_session(SessionHash::of("new"), now);
    assert_eq!(scene.status("a").level, 0);
}

#[test]
fn a_success_takes_the_level_of_a_lane_away_though_another_lane_began_to_rest_meanwhile() {
    let mut scene = Scene::laddered(equal(&["a"]));
    scene.at(0).attempt(401);
    scene.at(60).attempt(401);
    assert_eq!((scene.status("a").level, scene.until("a")), (2, Some(180_000)));
    let (older, other) = (scene.at(180).acquire(), scene.acquire());
    scene.report(other, 429);
    let row = scene.status("a");
    assert_eq!((row.level, row.cause), (2, Some(Class::RateLimited)), "the highest of both");
    scene.report(older, 200);
    let row = scene.status("a");
    assert_eq!((row.level, row.cause), (1, Some(Class::RateLimited)), "that of the limit stays");
    assert_eq!(scene.until("a"), Some(240_000));
}

/// Something that may happen to the only credential, after some milliseconds.
#[derive(Clone, Copy, Debug)]
enum Happening {
    Begin,
    /// The lease of that number, counted from the newest, ends with that status and stated wait.
    End(usize, u16, Option<u64>),
    Reset,
}

fn happening() -> impl Strategy<Value = (i64, Happening)> {
    let status = prop::sample::select(vec![200, 429, 429, 402, 401, 400]);
    let wait = prop::option::weighted(0.3, 1..4_000_u64);
    let happening = prop_oneof![
        4 => Just(Happening::Begin),
        6 => (0..6_usize, status, wait).prop_map(|(n, status, wait)| Happening::End(n, status, wait)),
        1 => Just(Happening::Reset),
    ];
    (prop_oneof![3 => 0..2_000_i64, 1 => 0..2_000_000_i64, 1 => -50_000..0_i64], happening)
}

/// A lease in flight, and which lanes have rested since it began.
struct Flight {
    lease: LeaseId,
    rested_since: [bool; Lane::COUNT],
}

/// How one lane of the only credential stands.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
struct Stand {
    level: i64,
    /// When its rest ends, on the pool's clock; `None` when it is over.
    until: Option<i64>,
    stated: bool,
}

/// How each lane stands now, and what the pool's clock shows.
fn stands(scene: &mut Scene) -> ([Stand; Lane::COUNT], i64) {
    let now = scene.wall();
    let snapshot = Value::from(&scene.pool.snapshot(now));
    let now = snapshot.field("clock").field("greatest").whole().expect("a moment");
    let Value::List(providers) = snapshot.field("providers") else { panic!("{snapshot:?}") };
    let Value::List(credentials) = providers[0].field("credentials") else {
        panic!("{providers:?}")
    };
    let Value::List(lanes) = credentials[0].field("lanes") else { panic!("{credentials:?}") };
    let mut stands = [Stand::default(); Lane::COUNT];
    for lane in lanes {
        let number = |name: &str| lane.field(name).whole();
        let known = number("deadline").filter(|_| number("window") > number("cleared"));
        let forgotten_at = |deadline| deadline + Ladder::default().forget_after.0 as i64;
        let Some(deadline) = known.filter(|&deadline| now < forgotten_at(deadline)) else {
            continue;
        };
        let name = lane.field("lane").text().expect("a name");
        stands[Lane::from_code(name).expect("a lane") as usize] = Stand {
            level: number("level").expect("a level"),
            until: Some(deadline).filter(|&deadline| deadline > now),
            stated: *lane.field("stated") == Value::Flag(true),
        };
    }
    (stands, now)
}

proptest! {
    #![proptest_config(cases(1_000))]

    /// The listed events: a success that began after the rest of that lane, a reset, a stated time.
    #[test]
    fn a_rest_ends_early_and_a_level_falls_only_by_what_may_do_so(
        history in prop::collection::vec(happening(), 1..80),
    ) {
        let mut scene = Scene::laddered(equal(&["a"]));
        let mut flights: Vec<Flight> = Vec::new();
        for (step, happening) in history {
            let now = scene.now + step;
            let (before, _) = stands(scene.at_ms(now));
            // What the happening may do to each lane: nothing, unless it is said here.
            let mut ends = [false; Lane::COUNT];
            let (mut fails, mut is_stated) = (None, false);
            match happening {
                Happening::Begin => {
                    if let Ok(grant) = scene.ask(&Request::default()) {
                        flights.push(Flight { lease: grant.lease, rested_since: Default::default() });
                    }
                }
                Happening::End(number, status, wait) if number < flights.len() => {
                    let flight = flights.remove(flights.len() - 1 - number);
                    let text = wait.map(|wait| wait.to_string());
                    let headers: Vec<_> = text.iter().map(|text| ("retry-after", &**text)).collect();
                    let outcome = Outcome { headers: &headers, ..Outcome::of_status(status) };
                    // A lease that is overdue has ended, and its verdict does nothing.
                    if let Some(verdict) = scene.pool.report(flight.lease, &outcome, Wall(now)) {
                        if verdict.class == Class::Ok {
                            ends = flight.rested_since.map(|rested| !rested);
                        }
                        (fails, is_stated) = (verdict.class.lane(), verdict.wait_ms.is_some());
                    }
                }
                Happening::End(..) => {}
                Happening::Reset => {
                    ends = [true; Lane::COUNT];
                    scene.pool.reset(scene.provider, CredentialIndex(0), Wall(now));
                }
            }
            let (after, inside) = stands(&mut scene);
            for (&lane, (before, after)) in Lane::ALL.iter().zip(before.into_iter().zip(after)) {
                let said = format!("at {now}, {happening:?}, {lane:?}: {before:?}, then {after:?}");
                if ends[lane as usize] {
                    prop_assert_eq!(after, Stand::default(), "{}", said);
                } else if fails == Some(lane) {
                    let may_be_shorter = is_stated && !before.stated;
                    prop_assert!(after.until >= before.until || may_be_shorter, "{}", said);
                    prop_assert!(after.level >= before.level.max(1), "{}", said);
                } else {
                    prop_assert_eq!(after, before, "{}", said);
                }
            }
            let row = scene.status("a");
            let until = after.iter().filter_map(|lane| lane.until).max();
            prop_assert_eq!(row.until, until.map(|until| Wall(now + until - inside)), "at {}", now);
            let level = after.iter().map(|lane| lane.level).max();
            prop_assert_eq!(Some(i64::from(row.level)), level, "at {}", now);
            for flight in &mut flights {
                for (rested, lane) in flight.rested_since.iter_mut().zip(after) {
                    *rested |= lane.until.is_some();
                }
            }
        }
    }

    #[test]
    fn however_many_attempts_of_one_burst_fail_and_when_they_are_one_step(
        delays in prop::collection::vec(0..900_000_i64, 1..40),
    ) {
        let mut scene = Scene::classic(equal(&["a"]));
        let burst: Vec<_> = delays.iter().map(|_| scene.acquire()).collect();
        for (grant, delay) in burst.into_iter().zip(delays) {
            let now = (scene.now + delay).min(599_999);
            scene.at_ms(now).report(grant, 429);
            prop_assert_eq!(scene.status("a").level, 1, "at {} ms", now);
        }
    }
}
