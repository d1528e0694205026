//! Which tier serves: the highest that has a usable credential.

use keyrota::{
    Blacklist, Class, CredentialIndex, Kind, Millis, Phase, Plan, PlanTerms, Reason, RouteRefusal,
    RouteRequest, Row, Scope, SessionHash, Strategy, Verdict, Wall,
};
use proptest::prelude::*;
use proptest::strategy::Strategy as Generator;

use crate::router::{NOBODY, PLAIN, Router, Spec, address, continuing, for_model};
use crate::scene::{cases, equal, stated, verdict};

fn limited() -> Verdict {
    verdict(Class::RateLimited, Scope::Credential)
}

/// A group of priority 1 with those rows, and one of priority 0 with the credential `low`.
fn above_low(rows: Vec<Row>) -> Router {
    Router::of(vec![Spec::of("l", equal(&["low"])), Spec::at("h", 1, rows)])
}

#[test]
fn the_group_of_the_greatest_priority_serves_and_priorities_may_be_negative() {
    let tier = |name, priority, id| Spec::at(name, priority, equal(&[id]));
    let mut router = Router::of(vec![
        tier("p", -1_000, "p"),
        tier("q", -1, "q"),
        tier("r", 0, "r"),
        tier("s", i32::MAX, "s"),
        tier("t", i32::MIN, "t"),
    ]);
    let mut order = String::new();
    for _ in 0..5 {
        order.push_str(&router.fail(&PLAIN, &limited()));
    }
    assert_eq!(order, "srqpt");
}

#[test]
fn a_lower_tier_serves_only_while_the_higher_one_has_nobody() {
    let mut router = above_low(equal(&["a"]));
    assert_eq!(router.fail(&PLAIN, &limited()), "a");
    router.at(59);
    assert_eq!(router.order(&PLAIN, 1), "low");
    assert_eq!(router.at(60).goes(&PLAIN), "a");
}

#[test]
fn a_tier_serves_as_long_as_one_of_its_credentials_is_usable() {
    let mut router = above_low(equal(&["a", "b"]));
    let third = Spec::at("i", 1, equal(&["c"]));
    router.add(third);
    router.change(|_| {});
    let mut order = String::new();
    for _ in 0..4 {
        order.push_str(&router.fail(&PLAIN, &limited()));
    }
    assert_eq!(order, "abclow");
}

#[test]
fn a_higher_tier_without_a_usable_credential_is_passed_over_whatever_it_lacks() {
    let lacks = [
        (Vec::new(), Reason::NoCredentials),
        (vec![Row { enabled: false, ..Row::new("a") }], Reason::CredentialDisabled),
        (vec![Row { secret_unresolved: true, ..Row::new("a") }], Reason::SecretUnresolved),
        (vec![Row { models: Some(vec!["n".into()]), ..Row::new("a") }], Reason::ModelNotExposed),
        (
            vec![Row { kind: Kind::Subscription { authorized: false }, ..Row::new("a") }],
            Reason::AuthUnavailable,
        ),
    ];
    for (rows, reason) in lacks {
        let has_rows = !rows.is_empty();
        let mut router = above_low(rows);
        assert_eq!(router.goes(&PLAIN), "low", "{reason:?}");
        let group = router.group("h", &PLAIN);
        if has_rows {
            assert_eq!(router.reason("a", &PLAIN), reason);
            assert_eq!(group.reason, Reason::NoUsableCredential);
        } else {
            assert_eq!(group.reason, reason);
        }
        router.load(
            "h",
            vec![Row { kind: Kind::Subscription { authorized: true }, ..Row::new("a") }],
        );
        assert_eq!(router.goes(&PLAIN), "a", "it is usable now, after {reason:?}");
    }
}

#[test]
fn a_tier_whose_credentials_were_disabled_or_blacklisted_is_passed_over() {
    let mut router = above_low(equal(&["a"]));
    let dead = Verdict { disable: true, ..verdict(Class::AuthFailed, Scope::Credential) };
    assert_eq!(router.fail(&PLAIN, &dead), "a");
    assert_eq!(router.goes(&PLAIN), "low");
    assert_eq!(router.reason("a", &PLAIN), Reason::CredentialDisabled);

    let mut listing = Spec::at("h", 1, equal(&["a"]));
    listing.config.blacklist = Some(Blacklist { threshold: 1, ..Blacklist::default() });
    let mut router = Router::of(vec![listing, Spec::of("l", equal(&["low"]))]);
    assert_eq!(router.fail(&PLAIN, &verdict(Class::AuthFailed, Scope::Credential)), "a");
    assert_eq!(router.at(86_400).goes(&PLAIN), "low");
    assert_eq!(router.reason("a", &PLAIN), Reason::Blacklisted);
}

#[test]
fn a_tier_whose_provider_pauses_is_passed_over_until_the_pause_ends() {
    let mut router = above_low(equal(&["a", "b"]));
    router.fail(&PLAIN, &stated(Class::ServerError, Scope::Provider, 5));
    router.at(4);
    assert_eq!(router.goes(&PLAIN), "low");
    assert_eq!(router.reason("b", &PLAIN), Reason::ProviderPaused);
    assert_eq!(router.at(5).goes(&PLAIN), "a");
}

#[test]
fn a_tier_whose_rows_are_not_loaded_is_passed_over_until_they_are() {
    let mut router = above_low(equal(&["a"]));
    let h = router.pool.provider("h");
    router.pool.invalidate(h);
    assert_eq!(router.goes(&PLAIN), "low");
    router.load("h", equal(&["a"]));
    assert_eq!(router.goes(&PLAIN), "a");
}

#[test]
fn within_a_group_the_greatest_usable_priority_of_its_credentials_serves() {
    let mut router = above_low(vec![Row::new("b"), Row { priority: 3, ..Row::new("a") }]);
    let mut order = String::new();
    for _ in 0..3 {
        order.push_str(&router.fail(&PLAIN, &limited()));
    }
    assert_eq!(order, "ablow");
}

#[test]
fn when_nobody_can_serve_the_refusal_says_when_the_first_one_can() {
    let mut router = above_low(equal(&["a"]));
    router.fail(&PLAIN, &stated(Class::RateLimited, Scope::Credential, 90));
    router.fail(&PLAIN, &stated(Class::RateLimited, Scope::Credential, 30));
    let refusal = RouteRefusal::NoneAvailable {
        retry_after: Some(Millis::from_secs(20)),
        at_capacity: false,
    };
    assert_eq!(router.at(10).ask(&PLAIN), Err(refusal));
    assert_eq!(router.at(30).goes(&PLAIN), "low");
}

#[test]
fn when_time_does_not_help_the_refusal_says_no_time() {
    let mut router = Router::of(vec![Spec::of("g", Vec::new())]);
    assert_eq!(router.ask(&PLAIN), Err(NOBODY));
    router.load("g", vec![Row { enabled: false, ..Row::new("a") }]);
    assert_eq!(router.ask(&PLAIN), Err(NOBODY));
}

#[test]
fn a_group_is_usable_again_for_a_model_when_its_rows_no_longer_list_models() {
    let listed = |id: &str, model: &str| Row { models: Some(vec![model.into()]), ..Row::new(id) };
    let mut router = Router::of(vec![
        Spec::at("h", 1, vec![listed("a", "n")]),
        Spec::of("l", vec![listed("low", "m")]),
    ]);
    assert_eq!(router.goes(&PLAIN), "low");
    router.load("h", equal(&["a"]));
    assert_eq!(router.goes(&PLAIN), "a");
}

#[test]
fn a_request_that_may_go_to_one_credential_alone_leaves_its_group_usable_for_others() {
    let mut router = above_low(equal(&["a"]));
    let made = router.take(&PLAIN);
    let response = SessionHash::of("r");
    router.pool.remember(made.place.provider, response, made.grant.credential, router.now);
    router.pool.release(made.grant.lease);
    let request = continuing("r");
    let mut plan = Plan::new(PlanTerms::default());
    router.attempt(&request, &mut plan, &limited()).expect("a");
    router.at(60);
    assert_eq!(router.attempt(&request, &mut plan, &limited()), Err(NOBODY), "it was tried");
    assert_eq!(router.goes(&PLAIN), "a", "others have not");
}

#[test]
fn a_model_that_rests_at_one_group_does_not_keep_other_models_from_it() {
    let mut router = above_low(equal(&["a"]));
    router.fail(&PLAIN, &verdict(Class::RateLimited, Scope::Model));
    assert_eq!([router.goes(&PLAIN), router.goes(&for_model("n"))], ["low", "a"]);
    assert_eq!(router.at(60).goes(&PLAIN), "a");
}

/// Something that happens between two attempts of a request.
#[derive(Clone, Debug)]
enum Between {
    Nothing,
    Time(i64),
    /// Someone is brought back by hand.
    Recovers(usize),
    /// Another request fails on someone.
    Fails(usize),
    /// The rows of a group are read again: everyone of it, or nobody.
    Loads(usize, bool),
}

fn between() -> impl Generator<Value = Between> {
    prop_oneof![
        Just(Between::Nothing),
        (0..90_000_i64).prop_map(Between::Time),
        (0..12_usize).prop_map(Between::Recovers),
        (0..12_usize).prop_map(Between::Fails),
        ((0..6_usize), any::<bool>()).prop_map(|(group, any)| Between::Loads(group, any)),
    ]
}

const NAMES: [&str; 6] = ["0", "1", "2", "3", "4", "5"];

/// Two credentials for each group.
fn rows(group: usize) -> Vec<Row> {
    (0..2).map(|own| Row::new(&format!("{group}{own}"))).collect()
}

fn meanwhile(router: &mut Router, what: &Between, groups: usize) {
    let id = |who: usize| format!("{}{}", who / 2, who % 2);
    match *what {
        Between::Time(passed) => router.now = Wall(router.now.0 + passed),
        Between::Recovers(who) if who < 2 * groups => {
            let (provider, credential) = router.find(&id(who));
            router.pool.recover(provider, credential, router.now);
        }
        Between::Fails(who) if who < 2 * groups => {
            let (provider, credential) = router.find(&id(who));
            if let Ok(grant) = router.pool.acquire_probe(provider, credential, router.now) {
                router.pool.conclude(grant.lease, &limited(), None, router.now);
            }
        }
        Between::Loads(group, any) if group < groups => {
            router.load(NAMES[group], if any { rows(group) } else { Vec::new() });
        }
        _ => {}
    }
}

/// The priorities of the groups that have somebody who could serve now and was not tried.
fn usable(router: &Router, plan: &Plan) -> Vec<i32> {
    let groups = router.config.groups.iter().filter(|group| {
        let rows = router.pool.status(group.provider, router.now);
        rows.iter().any(|row| {
            let tried = plan.tried(group.provider);
            let untried = |&(_, index): &(_, CredentialIndex)| !tried.contains(&index);
            row.state == Reason::Available
                && router.pool.find(&row.id).as_ref().is_some_and(untried)
        })
    });
    groups.map(|group| group.priority).collect()
}

proptest! {
    #![proptest_config(cases(1_000))]

    #[test]
    fn a_lower_tier_serves_only_when_no_higher_is_usable_or_after_a_failure_and_never_up_again(
        strategy in prop::sample::select(Strategy::ALL.to_vec()),
        priorities in prop::collection::vec(-2..3_i32, 1..6),
        session in prop::option::of(0..2_u64),
        before in prop::collection::vec(between(), 0..6),
        steps in prop::collection::vec(between(), 1..16),
    ) {
        let groups = priorities.iter().enumerate();
        let groups = groups.map(|(at, &priority)| Spec::at(NAMES[at], priority, rows(at))).collect();
        let mut router = Router::with(strategy, groups);
        let request = RouteRequest { session: session.map(SessionHash), ..PLAIN };
        for what in &before {
            meanwhile(&mut router, what, priorities.len());
            if let Ok(routed) = router.ask(&request)
                && let Some(session) = request.session
            {
                router.pool.learn(session, routed.seen, address(&routed), router.now);
                router.pool.release(routed.grant.lease);
            }
        }
        let mut plan = Plan::new(PlanTerms::default());
        let mut lowest = None::<i32>;
        for what in &steps {
            let usable = usable(&router, &plan);
            let routed = router.pool.acquire_routed(&request, &plan, router.now);
            let allowed = |priority: &&i32| lowest.is_none_or(|lowest| **priority < lowest);
            let first = usable.iter().filter(allowed).max();
            let first = first.or_else(|| usable.iter().find(|&&priority| Some(priority) == lowest));
            let Ok(routed) = routed else {
                prop_assert_eq!(first, None, "refused, of {:?} after {:?}", &usable, lowest);
                break;
            };
            let own = routed.place.group_priority;
            prop_assert!(lowest.is_none_or(|lowest| own <= lowest), "up from {:?} to {}", lowest, own);
            if let Some(&first) = first {
                prop_assert_eq!(own, first, "of {:?} after {:?}", &usable, lowest);
            }
            router.pool.conclude(routed.grant.lease, &limited(), None, router.now);
            plan.attempted(routed.place, &limited(), Phase::Response);
            lowest = Some(own);
            prop_assert_eq!(plan.group_floor(), lowest);
            meanwhile(&mut router, what, priorities.len());
        }
    }
}
