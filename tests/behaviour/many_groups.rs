//! More candidate sets and more changes than a router keeps: what it forgets it looks at anew.

use keyrota::{AccessKey, Class, RouteRequest, Row, Scope, Verdict};

use crate::router::{PLAIN, Router, Spec, access_key};
use crate::scene::{equal, verdict};

fn limited() -> Verdict {
    verdict(Class::RateLimited, Scope::Credential)
}

#[test]
fn any_number_of_candidate_sets_is_served_as_if_each_were_the_only_one() {
    const NAMES: [&str; 9] = ["0", "1", "2", "3", "4", "5", "6", "7", "8"];
    let priority = |at: usize| [1, 0, -1][at % 3];
    let groups = (0..9).map(|at| Spec::at(NAMES[at], priority(at), equal(&[NAMES[at]])));
    let mut router = Router::of(groups.collect());
    let all: Vec<_> = router.config.groups.iter().map(|group| group.provider).collect();
    router.change(|config| {
        config.access_keys = (0..512)
            .map(|set: usize| {
                let members = (0..9).filter(|at| set >> at & 1 == 1);
                AccessKey { groups: Some(members.map(|at| all[at]).collect()), ..access_key() }
            })
            .collect();
    });
    let mut rests: Option<usize> = None;
    for round in 0..4 {
        for set in 0..512 {
            let members = (0..9_usize).filter(|at| set >> at & 1 == 1 && Some(*at) != rests);
            let first = members.min_by_key(|&at| (-priority(at), at));
            let request = RouteRequest { access_key: set, ..PLAIN };
            let got = router.ask(&request).ok();
            if let Some(routed) = &got {
                router.pool.release(routed.grant.lease);
            }
            let got = got.map(|routed| router.id(&routed));
            assert_eq!(got.as_deref(), first.map(|at| NAMES[at]), "set {set} in round {round}");
        }
        if let Some(before) = rests {
            let (provider, credential) = router.find(NAMES[before]);
            router.pool.recover(provider, credential, router.now);
        }
        let next = [0, 3, 1, 4][round];
        let grant = router.probe(NAMES[next]);
        router.pool.conclude(grant.lease, &limited(), None, router.now);
        rests = Some(next);
    }
}

#[test]
fn a_candidate_set_that_was_not_asked_for_long_is_up_to_date_when_it_is() {
    // Where rows list models, each choice is a change.
    let listing = |id: &str| Row { models: Some(vec!["m".into()]), ..Row::new(id) };
    for changes in [1, 1_000, 1_023, 1_024, 1_025, 2_047, 2_048, 2_049, 3_100, 5_000] {
        let mut router = Router::of(vec![
            Spec::at("g", 1, vec![listing("a")]),
            Spec::of("h", vec![listing("b")]),
            Spec::of("busy", vec![listing("c")]),
        ]);
        let [g, h, busy] = ["g", "h", "busy"].map(|name| router.pool.provider(name));
        router.change(|config| {
            config.access_keys[0].groups = Some(vec![g, h]);
            config.access_keys.push(AccessKey { groups: Some(vec![busy]), ..access_key() });
        });
        let other = RouteRequest { access_key: 1, ..PLAIN };
        assert_eq!(router.goes(&PLAIN), "a");
        let busily = |router: &mut Router| {
            (0..changes).for_each(|_| assert_eq!(router.goes(&other), "c"));
        };
        let grant = router.probe("a");
        router.pool.conclude(grant.lease, &limited(), None, router.now);
        busily(&mut router);
        assert_eq!(router.goes(&PLAIN), "b", "after {changes} changes");
        assert_eq!(router.goes(&PLAIN), "b");
        let (provider, a) = router.find("a");
        router.pool.recover(provider, a, router.now);
        busily(&mut router);
        assert_eq!(router.goes(&PLAIN), "a", "after {changes} changes");
    }
}

#[test]
fn a_group_whose_rest_for_a_model_ends_by_time_is_back_in_every_candidate_set() {
    let mut router =
        Router::of(vec![Spec::at("g", 1, equal(&["a"])), Spec::of("h", equal(&["b"]))]);
    let [g, h] = ["g", "h"].map(|name| router.pool.provider(name));
    router.change(|config| {
        config.access_keys.push(AccessKey { groups: Some(vec![g, h]), ..access_key() });
        config.access_keys.push(AccessKey { groups: Some(vec![g]), ..access_key() });
    });
    router.fail(&PLAIN, &verdict(Class::RateLimited, Scope::Model));
    let by = |access_key| RouteRequest { access_key, ..PLAIN };
    assert_eq!([router.goes(&by(0)), router.goes(&by(1))], ["b", "b"]);
    router.at(60);
    assert_eq!([0, 1, 2].map(|key| router.goes(&by(key))), ["a", "a", "a"]);
}
