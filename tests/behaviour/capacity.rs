//! Nobody has more leases in flight than its cap allows, and who waits for room is told so.

use keyrota::{
    ChoiceReason, Class, Config, EventKind, Grant, Millis, Outcome, Policy, Reason, Refusal,
    Request, Row, Scope, SessionHash, Strategy,
};
use proptest::prelude::*;
use proptest::strategy::Strategy as Generator;

use crate::scene::{Scene, cases, equal, even, grouped, model, session, stated, verdict};

/// A row of which that many leases may be in flight.
fn capped(id: &str, cap: u32) -> Row {
    Row { max_concurrent: Some(cap), ..Row::new(id) }
}

/// The first in order serves, so that it is plain who should.
fn filling(rows: Vec<Row>) -> Scene {
    let mut config = even();
    config.provider.strategy = Strategy::FillFirst;
    Scene::new(config, rows)
}

fn short_of_room(retry_after: Option<Millis>) -> Result<Grant, Refusal> {
    Err(Refusal::NoneAvailable { retry_after, at_capacity: true })
}

/// The settings of a provider with a cap of its own.
fn provider_capped(cap: u32) -> Config {
    let mut config = even();
    config.provider.max_concurrent = Some(cap);
    config
}

/// Whom the session gets, and why.
fn goes(scene: &mut Scene, request: &Request<'_>) -> (String, ChoiceReason) {
    let Grant { credential, reason, .. } = scene.acquire_for(request);
    (scene.id(credential), reason)
}

fn rebounds(scene: &mut Scene) -> usize {
    scene.told().iter().filter(|(_, kind)| matches!(kind, EventKind::Rebound { .. })).count()
}

#[test]
fn a_credential_at_its_cap_is_passed_over_until_a_lease_ends() {
    let mut scene = filling(vec![capped("a", 2), Row::new("b")]);
    let first = scene.acquire();
    assert_eq!(scene.status("a").state, Reason::Available);
    let second = scene.acquire();
    assert_eq!([first, second].map(|grant| scene.id(grant.credential)), ["a", "a"]);
    assert_eq!((scene.status("a").state, scene.status("a").in_flight), (Reason::AtCapacity, 2));
    assert_eq!(scene.status("a").until, None);
    assert_eq!(scene.reason("a", &Request::default()), Reason::AtCapacity);
    assert_eq!(scene.pick(), "b");
    scene.pool.release(first.lease);
    assert_eq!(scene.status("a").state, Reason::Available);
    assert_eq!(scene.pick(), "a");
}

#[test]
fn a_report_a_success_that_changes_nothing_and_an_expired_lease_make_room_too() {
    let mut scene = filling(vec![capped("a", 1)]);
    let grant = scene.acquire();
    scene.report(grant, 400);
    let grant = scene.acquire();
    assert!(scene.pool.report_untroubled(grant.lease));
    scene.acquire();
    assert_eq!(scene.at_ms(599_999).ask(&Request::default()), short_of_room(None));
    assert_eq!(scene.pool.next_expiry(scene.wall()), Some(Millis(1)));
    assert_eq!(scene.at_ms(600_000).reason("a", &Request::default()), Reason::Chosen);
    scene.acquire();
}

#[test]
fn a_refusal_for_lack_of_room_says_so_and_names_no_time() {
    let mut scene = filling(vec![capped("a", 1), capped("b", 1)]);
    scene.acquire();
    scene.acquire();
    assert_eq!(scene.ask(&Request::default()), short_of_room(None));
    let told = scene.pool.explain(scene.provider, &Request::default(), scene.wall());
    assert_eq!((told.at_capacity, told.retry_after_ms, told.choice), (true, None, None));
    assert!(told.candidates.iter().all(|told| told.reason == Reason::AtCapacity));
    assert!(scene.pool.candidates(scene.provider, &Request::default(), scene.wall()).is_empty());
}

#[test]
fn a_refusal_for_lack_of_room_names_the_time_at_which_another_is_back() {
    let mut scene = filling(vec![capped("a", 1), Row::new("b")]);
    scene.acquire();
    scene.fail("b", &stated(Class::RateLimited, Scope::Credential, 30));
    assert_eq!(scene.ask(&Request::default()), short_of_room(Some(Millis(30_000))));
    assert_eq!(scene.ask(&model("m")), short_of_room(Some(Millis(30_000))));
}

#[test]
fn one_that_rests_and_is_at_its_cap_waits_for_its_rest() {
    let mut scene = filling(vec![capped("a", 2)]);
    let grants = [scene.acquire(), scene.acquire()];
    scene.conclude(grants[0], &stated(Class::RateLimited, Scope::Credential, 30));
    let index = scene.index("a");
    let probe = scene.pool.acquire_probe(scene.provider, index, scene.wall()).expect("by name");
    assert_eq!(scene.status("a").state, Reason::Cooling);
    let refusal = Refusal::NoneAvailable { retry_after: Some(Millis(30_000)), at_capacity: false };
    assert_eq!(scene.ask(&Request::default()), Err(refusal));
    assert_eq!(scene.at(30).ask(&Request::default()), short_of_room(None));
    scene.pool.release(probe.lease);
    scene.acquire();
}

#[test]
fn a_lower_priority_serves_while_the_whole_tier_is_at_its_caps() {
    let mut scene = filling(vec![capped("a", 1), Row { priority: -1, ..Row::new("b") }]);
    let grant = scene.acquire();
    assert_eq!(scene.pick(), "b");
    scene.pool.release(grant.lease);
    assert_eq!(scene.pick(), "a");
}

#[test]
fn a_provider_at_its_cap_refuses_everybody() {
    let mut scene = Scene::new(provider_capped(2), equal(&["a", "b", "c"]));
    let (first, _) = (scene.acquire(), scene.acquire());
    for request in [Request::default(), session("s"), model("m")] {
        assert_eq!(scene.ask(&request), short_of_room(None));
        assert_eq!(scene.pool.home(scene.provider, &request, scene.wall()), None);
        assert!(scene.pool.candidates(scene.provider, &request, scene.wall()).is_empty());
    }
    assert_eq!(scene.status("c").state, Reason::AtCapacity);
    let (c, now) = (scene.index("c"), scene.wall());
    assert!(scene.pool.acquire_chosen(scene.provider, c, &Request::default(), now).is_err());
    assert_eq!(scene.pool.pick_untimed(scene.provider, &Request::default()), None);
    scene.pool.release(first.lease);
    scene.acquire();
}

#[test]
fn who_fails_open_or_waits_for_a_probe_does_not_go_beyond_a_cap() {
    let mut config = even();
    config.provider.fail_open = true;
    let mut scene = Scene::new(config, vec![capped("a", 1)]);
    scene.fail("a", &stated(Class::RateLimited, Scope::Credential, 60));
    let open = scene.acquire();
    assert_eq!(open.reason, ChoiceReason::FailOpen);
    assert_eq!(scene.ask(&Request::default()), short_of_room(Some(Millis(60_000))));
    scene.pool.release(open.lease);
    assert_eq!(scene.acquire().reason, ChoiceReason::FailOpen);

    let mut scene = Scene::even(vec![capped("a", 1)]);
    for _ in 0..2 {
        scene.fail("a", &verdict(Class::RateLimited, Scope::Credential));
        let until = scene.until("a").expect("it rests");
        scene.at_ms(until);
    }
    let probe = scene.acquire();
    assert_eq!(scene.reason("a", &Request::default()), Reason::AtCapacity);
    assert_eq!(scene.ask(&Request::default()), short_of_room(None));
    scene.pool.release(probe.lease);
    scene.acquire();
}

#[test]
fn an_attempt_asked_for_by_name_goes_whatever_the_cap_and_counts() {
    let mut config = provider_capped(1);
    config.provider.strategy = Strategy::FillFirst;
    let mut scene = Scene::new(config, vec![capped("a", 1), Row::new("b")]);
    let first = scene.acquire();
    let (a, now) = (scene.index("a"), scene.wall());
    let probe = scene.pool.acquire_probe(scene.provider, a, now).expect("it has a row");
    assert_eq!(scene.status("a").in_flight, 2);
    scene.pool.release(first.lease);
    assert_eq!(scene.ask(&Request::default()), short_of_room(None));
    assert_eq!(scene.status("a").state, Reason::AtCapacity);
    scene.pool.release(probe.lease);
    assert_eq!(scene.pick(), "a");
}

#[test]
fn a_paused_provider_lacks_time_and_not_room() {
    let mut scene = Scene::even(vec![capped("a", 1), Row::new("b")]);
    let grant = scene.take("a");
    scene.fail("b", &stated(Class::Overloaded, Scope::Provider, 5));
    let refusal = Refusal::NoneAvailable { retry_after: Some(Millis(5_000)), at_capacity: false };
    assert_eq!(scene.ask(&Request::default()), Err(refusal));
    assert_eq!(scene.status("a").state, Reason::ProviderPaused);
    scene.pool.release(grant.lease);
}

// Reproducer for router-for-me/CLIProxyAPI#4674: 50 to 100 agents share one session and crush one key.
#[test]
fn what_is_too_much_for_the_key_of_a_session_goes_elsewhere_and_the_session_stays() {
    let mut scene = filling(vec![capped("a", 5), Row::new("b"), Row::new("c")]);
    let grants: Vec<Grant> = (0..100).map(|_| scene.acquire_for(&session("s"))).collect();
    let served = |id: &str| grants.iter().filter(|g| scene.id(g.credential) == id).count();
    assert_eq!(served("a"), 5);
    let overflow = grants.iter().filter(|grant| grant.reason == ChoiceReason::Overflow).count();
    assert_eq!(overflow, 95);
    assert_eq!(rebounds(&mut scene), 0);
    scene.pool.release(grants[0].lease);
    assert_eq!(goes(&mut scene, &session("s")), ("a".to_owned(), ChoiceReason::Affinity));
}

#[test]
fn a_session_whose_lodging_is_at_its_cap_is_neither_moved_nor_lodged_anew() {
    let mut scene = filling(vec![Row::new("a"), capped("b", 1), Row::new("c")]);
    let home = scene.acquire_for(&session("s"));
    scene.conclude(home, &stated(Class::RateLimited, Scope::Credential, 60));
    let lodging = scene.acquire_for(&session("s"));
    assert_eq!(lodging.reason, ChoiceReason::Lodging);
    assert_eq!(goes(&mut scene, &session("s")), ("c".to_owned(), ChoiceReason::Overflow));
    scene.pool.release(lodging.lease);
    assert_eq!(goes(&mut scene, &session("s")), ("b".to_owned(), ChoiceReason::Lodging));
    assert_eq!(goes(scene.at(60), &session("s")), ("a".to_owned(), ChoiceReason::Affinity));
}

#[test]
fn a_home_that_is_back_but_at_its_cap_leaves_the_session_with_its_lodging_for_this_request() {
    let mut scene = filling(vec![capped("a", 1), Row::new("b")]);
    let home = scene.acquire_for(&session("s"));
    scene.conclude(home, &stated(Class::RateLimited, Scope::Credential, 60));
    assert_eq!(goes(&mut scene, &session("s")), ("b".to_owned(), ChoiceReason::Lodging));
    let other = scene.at(60).acquire();
    assert_eq!(goes(&mut scene, &session("s")), ("b".to_owned(), ChoiceReason::Overflow));
    scene.pool.release(other.lease);
    assert_eq!(goes(&mut scene, &session("s")), ("a".to_owned(), ChoiceReason::Affinity));
}

#[test]
fn a_home_that_rests_and_is_at_its_cap_is_left_as_any_that_rests() {
    let mut scene = filling(vec![capped("a", 2), Row::new("b")]);
    let (home, _other) = (scene.acquire_for(&session("s")), scene.acquire());
    scene.conclude(home, &stated(Class::RateLimited, Scope::Credential, 60));
    let a = scene.index("a");
    scene.pool.acquire_probe(scene.provider, a, scene.wall()).expect("by name");
    assert_eq!(goes(&mut scene, &session("s")), ("b".to_owned(), ChoiceReason::Lodging));
}

#[test]
fn a_home_at_its_cap_that_ranks_below_those_who_serve_is_given_up() {
    let low = || Row { priority: -1, ..capped("a", 1) };
    let mut scene = filling(vec![low()]);
    scene.acquire_for(&session("s"));
    scene.load(vec![low(), Row::new("b")]);
    assert_eq!(goes(&mut scene, &session("s")), ("b".to_owned(), ChoiceReason::Rebound));
}

#[test]
fn a_session_that_overflows_is_in_use_and_not_forgotten() {
    let mut config = even();
    config.affinity.ttl = Some(Millis::from_secs(100));
    config.provider.strategy = Strategy::FillFirst;
    let mut scene = Scene::new(config, vec![capped("a", 1), Row::new("b")]);
    let home = scene.acquire_for(&session("s"));
    assert_eq!(goes(scene.at(90), &session("s")).1, ChoiceReason::Overflow);
    scene.pool.release(home.lease);
    assert_eq!(goes(scene.at(180), &session("s")), ("a".to_owned(), ChoiceReason::Affinity));
}

#[test]
fn a_choice_of_the_callers_own_overflows_too() {
    let mut scene = filling(vec![capped("a", 1), Row::new("b")]);
    scene.acquire_for(&session("s"));
    let (b, now) = (scene.index("b"), scene.wall());
    assert_eq!(scene.pool.home(scene.provider, &session("s"), now), None);
    let grant = scene.pool.acquire_chosen(scene.provider, b, &session("s"), now);
    assert_eq!(grant.map(|grant| grant.reason), Ok(ChoiceReason::Overflow));
}

#[test]
fn who_continues_a_response_waits_for_room_and_never_moves() {
    let mut scene = filling(vec![capped("a", 1), Row::new("b")]);
    let (made, response) = (scene.acquire(), SessionHash::of("response"));
    scene.pool.remember(scene.provider, response, made.credential, scene.wall());
    let request = Request { continues: Some(response), ..Request::default() };
    assert_eq!(scene.ask(&request), short_of_room(None));
    assert_eq!(scene.reason("a", &request), Reason::AtCapacity);
    scene.pool.release(made.lease);
    assert_eq!(goes(&mut scene, &request), ("a".to_owned(), ChoiceReason::Continuation));
}

#[test]
fn a_cap_that_a_load_changes_holds_at_once() {
    let mut scene = filling(vec![Row::new("a"), Row::new("b")]);
    let grants = [scene.acquire(), scene.acquire()];
    scene.load(vec![capped("a", 2), Row::new("b")]);
    assert_eq!(scene.pick(), "b");
    scene.load(vec![capped("a", 3), Row::new("b")]);
    assert_eq!(scene.pick(), "a");
    scene.load(vec![capped("a", 1), Row::new("b")]);
    scene.pool.release(grants[0].lease);
    assert_eq!(scene.pick(), "b");
    scene.pool.release(grants[1].lease);
    assert_eq!(scene.pick(), "a");
}

#[test]
fn a_lease_of_a_replaced_secret_counts_until_it_ends() {
    let mut scene = filling(vec![capped("a", 1), Row::new("b")]);
    let grant = scene.acquire();
    scene.load(vec![Row { secret_changed: true, ..capped("a", 1) }, Row::new("b")]);
    assert_eq!(scene.pick(), "b");
    scene.report(grant, 401);
    assert_eq!(scene.pick(), "a");
}

#[test]
fn a_pool_that_goes_on_from_a_snapshot_has_no_leases_in_flight_and_keeps_its_caps() {
    for rows_first in [true, false] {
        let rows = || vec![capped("a", 1), Row::new("b")];
        let mut config = provider_capped(2);
        config.provider.strategy = Strategy::FillFirst;
        let mut scene = Scene::new(config.clone(), rows());
        scene.acquire();
        scene.acquire();
        let mut other = scene.restarted(config, rows(), rows_first);
        let ids = [(); 2].map(|()| other.acquire().credential).map(|it| other.id(it));
        assert_eq!(ids, ["a", "b"], "rows first: {rows_first}");
        assert_eq!(other.ask(&Request::default()), short_of_room(None));
    }
}

#[test]
fn the_end_of_a_groups_probe_does_not_free_one_that_is_at_its_cap() {
    let rows = [grouped(&["a"]), vec![Row { quota_group: Some("team".into()), ..capped("b", 1) }]];
    let mut scene = Scene::even([rows.concat(), equal(&["c"])].concat());
    scene.take("b");
    for at in [0, 60] {
        scene.at(at).fail("a", &verdict(Class::RateLimited, Scope::Account));
    }
    let probe = scene.at(180).take("a");
    scene.pool.release(probe.lease);
    assert_eq!(scene.status("b").state, Reason::AtCapacity);
}

/// One step of a random history.
#[derive(Clone, Debug)]
enum Step {
    Acquire { session: Option<u64>, model: Option<&'static str> },
    Probe(u8),
    Report(u8, u16),
    Release(u8),
    Pass(u32),
    Load,
}

fn step() -> impl Generator<Value = Step> {
    let model = prop::option::weighted(0.2, Just("m"));
    let status = prop::sample::select(vec![200, 200, 429, 401, 503, 400]);
    prop_oneof![
        6 => (prop::option::of(0..4_u64), model)
            .prop_map(|(session, model)| Step::Acquire { session, model }),
        1 => any::<u8>().prop_map(Step::Probe),
        3 => (any::<u8>(), status).prop_map(|(which, status)| Step::Report(which, status)),
        2 => any::<u8>().prop_map(Step::Release),
        2 => (0..40_000_u32).prop_map(Step::Pass),
        1 => Just(Step::Load),
    ]
}

proptest! {
    #![proptest_config(cases(96))]

    /// Beside a plain list of the leases that are open.
    #[test]
    fn leases_in_flight_are_counted_exactly_and_no_choice_goes_beyond_a_cap(
        strategy in prop::sample::select(Strategy::ALL),
        caps in prop::collection::vec(prop::option::weighted(0.7, 1..4_u32), 1..5),
        provider_cap in prop::option::weighted(0.4, 1..7_u32),
        fail_open in any::<bool>(),
        steps in prop::collection::vec(step(), 1..120),
    ) {
        const TTL: i64 = 50_000;
        let rows = || caps.iter().enumerate().map(|(at, &cap)| {
            Row { max_concurrent: cap, priority: (at % 2) as i32, ..Row::new(&at.to_string()) }
        }).collect::<Vec<_>>();
        let mut config = Config { lease_ttl: Millis(TTL as u64), ..Config::of(Policy::adaptive()) };
        (config.provider.strategy, config.provider.fail_open) = (strategy, fail_open);
        config.provider.max_concurrent = provider_cap;
        let mut scene = Scene::new(config, rows());
        let mut open: Vec<(Grant, i64)> = Vec::new();
        for step in steps {
            let now = scene.now;
            let busy = |open: &[(Grant, i64)], id: usize| {
                open.iter().filter(|(grant, _)| grant.credential.0 as usize == id).count()
            };
            match step {
                Step::Acquire { session, model } => {
                    let session = session.map(SessionHash);
                    let request = Request { session, model, ..Request::default() };
                    let told = scene.pool.explain(scene.provider, &request, scene.wall());
                    match scene.ask(&request) {
                        Ok(grant) => {
                            let id = grant.credential.0 as usize;
                            let room = caps[id].is_none_or(|cap| busy(&open, id) < cap as usize);
                            prop_assert!(room, "{} is beyond its cap", id);
                            let all = provider_cap.is_none_or(|cap| open.len() < cap as usize);
                            prop_assert!(all, "the provider is beyond its cap");
                            if !strategy.draws() {
                                prop_assert_eq!(told.choice, Some(scene.id(grant.credential)));
                            }
                            open.push((grant, now));
                        }
                        Err(refusal) => {
                            let (retry_after, at_capacity) = (told.retry_after_ms, told.at_capacity);
                            let expected = Refusal::NoneAvailable { retry_after, at_capacity };
                            prop_assert_eq!(refusal, expected);
                            let crowded = told.candidates.iter();
                            let crowded = crowded.filter(|it| it.reason == Reason::AtCapacity);
                            prop_assert!(fail_open || at_capacity == (crowded.count() > 0));
                        }
                    }
                }
                Step::Probe(who) => {
                    let id = scene.index(&(usize::from(who) % caps.len()).to_string());
                    let grant = scene.pool.acquire_probe(scene.provider, id, scene.wall());
                    open.push((grant.expect("it has a row"), now));
                }
                Step::Report(which, status) if !open.is_empty() => {
                    let (grant, _) = open.remove(usize::from(which) % open.len());
                    let outcome = Outcome::of_status(status);
                    scene.pool.report(grant.lease, &outcome, scene.wall());
                }
                Step::Release(which) if !open.is_empty() => {
                    let (grant, _) = open.remove(usize::from(which) % open.len());
                    scene.pool.release(grant.lease);
                }
                Step::Pass(ms) => {
                    scene.now += i64::from(ms);
                    let now = scene.now;
                    open.retain(|&(_, began)| began + TTL > now);
                }
                Step::Load => drop(scene.load(rows())),
                Step::Report(..) | Step::Release(_) => {}
            }
            for (id, cap) in caps.iter().enumerate() {
                let told = scene.status(&id.to_string());
                prop_assert_eq!(told.in_flight as usize, busy(&open, id), "{}", id);
                let is_full = cap.is_some_and(|cap| busy(&open, id) >= cap as usize)
                    || provider_cap.is_some_and(|cap| open.len() >= cap as usize);
                if told.state == Reason::AtCapacity {
                    prop_assert!(is_full, "{} has room", id);
                } else if is_full {
                    prop_assert!(told.state != Reason::Available, "{} has no room", id);
                }
            }
        }
    }
}
