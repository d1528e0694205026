//! Shares and strategies among the groups of a tier.

use std::collections::BTreeMap;

use keyrota::{
    Class, Exposed, Outcome, ProviderConfig, Reason, Rng, RouteRefusal, RouteRequest, Row, Scope,
    SessionHash, Strategy, Verdict,
};

use crate::router::{PLAIN, Router, Spec, for_model, of_session};
use crate::scene::{equal, verdict, weight, weighted};

fn limited() -> Verdict {
    verdict(Class::RateLimited, Scope::Credential)
}

/// A group whose credentials are chosen by that strategy too.
fn by(strategy: Strategy, name: &'static str, shares: u8, credentials: &[(&str, u8)]) -> Spec {
    let spec = Spec::of(name, weighted(credentials));
    Spec { weight: shares, config: ProviderConfig { strategy, ..spec.config }, ..spec }
}

/// How often each serves.
fn counts(router: &mut Router, request: &RouteRequest<'_>, times: usize) -> BTreeMap<String, u32> {
    let mut counts = BTreeMap::new();
    for _ in 0..times {
        *counts.entry(router.goes(request)).or_insert(0) += 1;
    }
    counts
}

fn named(counts: &[(&str, u32)]) -> BTreeMap<String, u32> {
    counts.iter().map(|&(id, count)| (id.to_owned(), count)).collect()
}

#[test]
fn a_credential_gets_the_share_of_group_weight_times_credential_weight() {
    for strategy in [Strategy::Smooth, Strategy::WeightedRoundRobin, Strategy::LeastBusy] {
        let g = by(strategy, "g", 1, &[("a", 1), ("b", 1)]);
        let h = by(strategy, "h", 3, &[("c", 2), ("d", 4)]);
        let mut router = Router::with(strategy, vec![g, h]);
        let expected = named(&[("a", 10), ("b", 10), ("c", 60), ("d", 120)]);
        assert_eq!(counts(&mut router, &PLAIN, 200), expected, "{strategy:?}");
    }
}

#[test]
fn whoever_cannot_serve_takes_its_share_out_of_its_group() {
    let smooth = Strategy::Smooth;
    let g = by(smooth, "g", 1, &[("a", 6), ("b", 2)]);
    let mut router = Router::with(smooth, vec![g, by(smooth, "h", 2, &[("c", 1)])]);
    assert_eq!(counts(&mut router, &PLAIN, 100), named(&[("a", 60), ("b", 20), ("c", 20)]));
    while router.fail(&PLAIN, &limited()) != "a" {}
    router.load("h", equal(&["c"]));
    let left = counts(&mut router, &PLAIN, 200);
    assert!(!left.contains_key("a"), "{left:?}");
    assert!(left["b"].abs_diff(left["c"]) <= 6, "g weighs 2 now, as h does: {left:?}");
}

#[test]
fn credentials_of_a_lower_priority_of_their_own_weigh_nothing() {
    let smooth = Strategy::Smooth;
    let spare = Row { priority: -1, weight: weight(100), ..Row::new("s") };
    let g = Spec { rows: vec![Row::new("a"), spare], ..by(smooth, "g", 1, &[]) };
    let mut router = Router::with(smooth, vec![g, by(smooth, "h", 1, &[("c", 1)])]);
    assert_eq!(counts(&mut router, &PLAIN, 100), named(&[("a", 50), ("c", 50)]));
}

#[test]
fn credentials_that_do_not_serve_the_model_or_rest_for_it_weigh_nothing_for_it() {
    let smooth = Strategy::Smooth;
    let of_n = Row { models: Some(vec!["n".into()]), weight: weight(8), ..Row::new("n") };
    let g = Spec { rows: vec![of_n, Row::new("a"), Row::new("b")], ..by(smooth, "g", 1, &[]) };
    let mut router = Router::with(smooth, vec![g, by(smooth, "h", 1, &[("c", 2)])]);
    assert_eq!(counts(&mut router, &PLAIN, 100), named(&[("a", 25), ("b", 25), ("c", 50)]));
    let of_n = counts(&mut router, &for_model("n"), 120);
    for (id, expected) in [("a", 10), ("b", 10), ("c", 20), ("n", 80)] {
        assert!(of_n[id].abs_diff(expected) <= 1, "{of_n:?}");
    }
    while router.fail(&PLAIN, &verdict(Class::RateLimited, Scope::Model)) != "b" {}
    let left = counts(&mut router, &PLAIN, 300);
    assert!(!left.contains_key("b"), "{left:?}");
    let near = |id: &str, expected: u32| left.get(id).is_some_and(|n| n.abs_diff(expected) <= 4);
    // Of a and c, who weigh 1 and 2, unless they rest for the model as well.
    assert!(near("c", 200) && near("a", 100) || left.len() == 1, "{left:?}");
}

#[test]
fn fill_first_serves_from_the_first_usable_group_of_the_settings() {
    let strategy = Strategy::FillFirst;
    let groups =
        ["g", "h"].map(|name| by(strategy, name, 1, &[(["a", "b"][usize::from(name == "h")], 1)]));
    let mut router = Router::with(strategy, groups.into());
    assert_eq!(router.order(&PLAIN, 3), "aaa");
    router.fail(&PLAIN, &limited());
    assert_eq!(router.order(&PLAIN, 2), "bb");
    router.at(60);
    router.change(|config| config.groups.reverse());
    assert_eq!(router.order(&PLAIN, 2), "bb");
}

#[test]
fn weighted_round_robin_and_smooth_give_their_documented_orders_among_groups() {
    for (strategy, order) in
        [(Strategy::WeightedRoundRobin, "aaabbcaaa"), (Strategy::Smooth, "abacbaaba")]
    {
        let group = |name, shares, id| by(strategy, name, shares, &[(id, 1)]);
        let groups = vec![group("g", 3, "a"), group("h", 2, "b"), group("i", 1, "c")];
        assert_eq!(Router::with(strategy, groups).order(&PLAIN, 9), order, "{strategy:?}");
    }
}

#[test]
fn least_busy_serves_from_the_group_with_the_fewest_leases_for_its_weight() {
    let strategy = Strategy::LeastBusy;
    let groups = vec![by(strategy, "g", 1, &[("a", 1)]), by(strategy, "h", 2, &[("b", 2)])];
    let mut router = Router::with(strategy, groups);
    let open: Vec<_> = (0..10).map(|_| router.take(&PLAIN)).collect();
    let on_a = open.iter().filter(|routed| router.id(routed) == "a").count();
    assert_eq!(on_a, 2, "1 to 4");
    let a = open.iter().find(|routed| router.id(routed) == "a").expect("one of two");
    router.pool.report(a.grant.lease, &Outcome::of_status(200), router.now);
    assert_eq!(router.goes(&PLAIN), "a");
}

#[test]
fn least_busy_follows_every_lease_that_ends() {
    let strategy = Strategy::LeastBusy;
    let groups = vec![by(strategy, "g", 1, &[("a", 1)]), by(strategy, "h", 1, &[("b", 1)])];
    let mut router = Router::with(strategy, groups);
    let open: Vec<_> = (0..6).map(|_| router.take(&PLAIN)).collect();
    for routed in &open {
        if router.id(routed) == "b" {
            router.pool.release(routed.grant.lease);
        }
    }
    let next: Vec<_> = (0..3).map(|_| router.take(&PLAIN)).collect();
    assert_eq!(next.iter().map(|routed| router.id(routed)).collect::<String>(), "bbb");
}

#[test]
fn what_a_session_gets_counts_in_the_shares_of_its_group_and_of_the_tier() {
    let smooth = Strategy::Smooth;
    let mut one = Router::with(smooth, vec![by(smooth, "g", 1, &[("a", 1), ("b", 1)])]);
    let mut two = Router::with(
        smooth,
        vec![by(smooth, "g", 1, &[("a", 1)]), by(smooth, "h", 1, &[("b", 1)])],
    );
    for router in [&mut one, &mut two] {
        let (first, second) = (router.serve(&of_session("s")), router.goes(&PLAIN));
        assert_eq!((&*first, &*second), ("a", "b"));
        assert_eq!(router.goes(&of_session("s")), "a");
        assert_eq!(router.order(&PLAIN, 3), "bab");
    }
}

#[test]
fn weighted_random_draws_by_weight() {
    let strategy = Strategy::WeightedRandom;
    let groups =
        vec![by(strategy, "g", 1, &[("a", 1)]), by(strategy, "h", 1, &[("b", 1), ("c", 2)])];
    let mut router = Router::with(strategy, groups);
    router.pool.seed(Rng::from_seed(7));
    let drawn = counts(&mut router, &PLAIN, 4_000);
    for (id, expected) in [("a", 1_000), ("b", 1_000), ("c", 2_000)] {
        assert!(drawn[id].abs_diff(expected) < 120, "four deviations: {drawn:?}");
    }
}

#[test]
fn rendezvous_leads_a_session_to_the_same_credential_in_every_process() {
    let strategy = Strategy::Rendezvous;
    let group = |name, ids: &[(&str, u8)]| by(strategy, name, 50, ids);
    let groups = || {
        let h = group("h", &[("c", 1), ("d", 1)]);
        vec![group("g", &[("a", 1), ("b", 1)]), h, group("i", &[("e", 2)])]
    };
    let mut here = Router::with(strategy, groups());
    let mut there = Router::with(strategy, groups().into_iter().rev().collect());
    there.order(&PLAIN, 5); // whatever came before
    let sessions: Vec<String> = (0..60).map(|n| format!("s{n}")).collect();
    let homes: Vec<String> = sessions.iter().map(|s| here.goes(&of_session(s))).collect();
    for (session, home) in sessions.iter().zip(&homes) {
        assert_eq!(there.goes(&of_session(session)), *home);
    }
    assert!(["a", "b", "c", "d", "e"].iter().all(|id| homes.iter().any(|home| home == id)));
    here.change(|config| config.groups[1].enabled = false);
    for (session, home) in sessions.iter().zip(&homes) {
        if home != "c" && home != "d" {
            assert_eq!(here.goes(&of_session(session)), *home, "its group is still there");
        }
    }
}

#[test]
fn a_seed_is_needed_when_the_router_or_one_of_its_groups_draws() {
    let fill = Strategy::FillFirst;
    let drawing = by(Strategy::WeightedRandom, "g", 1, &[("a", 1)]);
    assert!(!Router::with(fill, vec![by(fill, "g", 1, &[("a", 1)])]).pool.route_needs_seed());
    let mut router = Router::with(fill, vec![drawing]);
    assert!(router.pool.route_needs_seed(), "its group draws");
    router.pool.seed(Rng::from_seed(1));
    assert!(!router.pool.route_needs_seed());
    let group = by(fill, "g", 1, &[("a", 1)]);
    assert!(Router::with(Strategy::Rendezvous, vec![group]).pool.route_needs_seed());
}

#[test]
fn a_group_in_one_request_tried_by_it_weighs_what_it_did_for_the_next() {
    let smooth = Strategy::Smooth;
    let g = by(smooth, "g", 1, &[("a", 1), ("b", 1)]);
    let mut router = Router::with(smooth, vec![g, by(smooth, "h", 1, &[("c", 2)])]);
    let passed_over = Verdict { scope: Scope::Request, ..limited() };
    for _ in 0..20 {
        let order = router.descent(&PLAIN, keyrota::PlanTerms::default(), &passed_over);
        let mut ids: Vec<char> = order.chars().collect();
        ids.sort_unstable();
        assert_eq!(ids, ['a', 'b', 'c'], "each once");
    }
    let even = counts(&mut router, &PLAIN, 100);
    assert!(even["c"].abs_diff(50) <= 1 && even["a"].abs_diff(even["b"]) <= 1, "{even:?}");
}

#[test]
fn a_model_goes_to_the_groups_that_expose_it_under_their_own_name() {
    let exposed = |name: &str| Exposed { name: name.into(), upstream: "real".into() };
    let mut router = Router::of(vec![Spec::of("g", equal(&["a"])), Spec::of("h", equal(&["b"]))]);
    router.change(|config| {
        config.groups[0].models = Some(vec![exposed("m"), exposed("alias")]);
        config.groups[1].models = Some(vec![exposed("n")]);
    });
    assert_eq!(router.goes(&PLAIN), "a");
    // A limit of the model is that of the provider's name for it, whatever clients call it.
    let routed = router.take(&PLAIN);
    let limited = Outcome { model: Some("real"), ..Outcome::of_status(429) };
    router.pool.report(routed.grant.lease, &limited, router.now);
    for name in ["m", "alias"] {
        let refusal = router.ask(&for_model(name));
        assert!(matches!(refusal, Err(RouteRefusal::NoneAvailable { .. })), "{refusal:?}");
    }
    assert_eq!(router.group("g", &PLAIN).model.as_deref(), Some("real"));
    // Credentials list the provider's names as well.
    let listing = Row { models: Some(vec!["real".into()]), ..Row::new("b") };
    router.load("h", vec![listing]);
    assert_eq!(router.goes(&for_model("n")), "b");
}

#[test]
fn sessions_of_any_hash_are_served() {
    for hash in [0, 1, u64::MAX] {
        let mut router = Router::with(Strategy::Rendezvous, vec![Spec::of("g", equal(&["a"]))]);
        let request = RouteRequest { session: Some(SessionHash(hash)), ..PLAIN };
        assert_eq!(router.goes(&request), "a");
    }
}

#[test]
fn a_group_whose_rows_all_break_a_rule_has_credentials_and_none_that_is_usable() {
    let specs = ["g", "h"].map(|name| Spec::of(name, equal(&["a"])));
    let groups = specs.into_iter().chain([Spec::of("empty", Vec::new())]).collect();
    let router = Router::with(Strategy::Smooth, groups);
    let told = router.pool.inspect(&PLAIN, router.now);
    let reasons: Vec<Reason> = told.groups.iter().map(|group| group.reason).collect();
    assert_eq!(reasons, [Reason::Chosen, Reason::NoUsableCredential, Reason::NoCredentials]);
    assert_eq!(told.groups[1].credentials[0].reason, Reason::InvalidCredential);
}
