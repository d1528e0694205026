//! What an access key may ask for, and which groups may serve it.

use keyrota::{
    AccessKey, Exposed, Plan, PlanTerms, Pool, Protocol, Reason, RouteRefusal, RouteRequest, Wall,
};

use crate::router::{PLAIN, Router, Spec, access_key, for_model};
use crate::scene::{equal, even};

fn denied(reason: Reason) -> Option<RouteRefusal> {
    Some(RouteRefusal::Denied(reason))
}

fn no_group(reason: Reason) -> Option<RouteRefusal> {
    Some(RouteRefusal::NoGroup(reason))
}

/// Two groups, and one access key that is changed so.
fn router(change: impl FnOnce(&mut AccessKey)) -> Router {
    let mut router = Router::of(vec![Spec::of("g", equal(&["a"])), Spec::of("h", equal(&["b"]))]);
    router.change(|config| change(&mut config.access_keys[0]));
    router
}

#[test]
fn an_access_key_that_nobody_knows_gets_nothing() {
    let mut router = router(|_| {});
    let request = RouteRequest { access_key: 1, ..PLAIN };
    assert_eq!(router.ask(&request).err(), denied(Reason::AccessKeyUnknown));
    assert_eq!(router.pool.inspect(&request, router.now).access_key, Reason::AccessKeyUnknown);
    let plan = Plan::new(PlanTerms::default());
    let refusal = Pool::new(even()).acquire_routed(&PLAIN, &plan, Wall(0)).err();
    assert_eq!(refusal, denied(Reason::AccessKeyUnknown), "a pool that is no router knows none");
}

#[test]
fn a_disabled_access_key_gets_nothing() {
    let mut router = router(|key| key.enabled = false);
    assert_eq!(router.ask(&PLAIN).err(), denied(Reason::AccessKeyDisabled));
    router.change(|config| config.access_keys[0].enabled = true);
    assert_eq!(router.goes(&PLAIN), "a");
}

#[test]
fn an_access_key_serves_until_the_moment_at_which_it_expires() {
    let mut router = router(|key| key.expires_at = Some(Wall(10_000)));
    router.now = Wall(9_999);
    assert_eq!(router.goes(&PLAIN), "a");
    assert_eq!(router.at(10).ask(&PLAIN).err(), denied(Reason::AccessKeyExpired));
}

#[test]
fn an_access_key_speaks_the_protocols_of_its_list_alone() {
    let mut router = router(|key| key.protocols = Some(vec![Protocol::Gemini]));
    assert_eq!(router.ask(&PLAIN).err(), denied(Reason::ProtocolNotAllowed));
    router.change(|c| c.access_keys[0].protocols = Some(vec![Protocol::Gemini, PLAIN.protocol]));
    assert_eq!(router.goes(&PLAIN), "a");
}

#[test]
fn an_access_key_asks_for_the_models_of_its_list_alone_and_may_name_none() {
    let mut router = router(|key| key.models = Some(vec!["m".into()]));
    assert_eq!(router.goes(&PLAIN), "a");
    assert_eq!(router.ask(&for_model("M")).err(), denied(Reason::ModelNotAllowed));
    assert_eq!(router.goes(&RouteRequest { model: None, ..PLAIN }), "a");
}

#[test]
fn what_is_wrong_with_an_access_key_is_told_from_its_existence_to_its_models() {
    let mut router = router(|key| {
        key.enabled = false;
        key.expires_at = Some(Wall(0));
        key.protocols = Some(Vec::new());
        key.models = Some(Vec::new());
    });
    let mut told = Vec::new();
    for step in 0..4 {
        told.push(router.ask(&PLAIN).err());
        router.change(|config| {
            let key = &mut config.access_keys[0];
            match step {
                0 => key.enabled = true,
                1 => key.expires_at = None,
                2 => key.protocols = None,
                _ => key.models = None,
            }
        });
    }
    let expected = [
        Reason::AccessKeyDisabled,
        Reason::AccessKeyExpired,
        Reason::ProtocolNotAllowed,
        Reason::ModelNotAllowed,
    ];
    assert_eq!(told, expected.map(denied));
    assert_eq!(router.goes(&PLAIN), "a");
}

#[test]
fn an_access_key_reaches_the_groups_of_its_grant_alone() {
    let mut router = router(|_| {});
    let [g, h] = ["g", "h"].map(|name| router.pool.provider(name));
    router.change(|config| {
        config.access_keys[0].groups = Some(vec![h]);
        config.access_keys.push(AccessKey { groups: Some(vec![g, h]), ..access_key() });
        config.access_keys.push(AccessKey { groups: Some(Vec::new()), ..access_key() });
    });
    assert_eq!(router.goes(&PLAIN), "b");
    assert_eq!(router.group("g", &PLAIN).reason, Reason::GroupNotAllowed);
    assert_eq!(router.goes(&RouteRequest { access_key: 1, ..PLAIN }), "a");
    let nothing = RouteRequest { access_key: 2, ..PLAIN };
    assert_eq!(router.ask(&nothing).err(), no_group(Reason::GroupNotAllowed));
}

#[test]
fn a_group_that_is_switched_off_serves_nobody() {
    let mut router = router(|_| {});
    router.change(|config| config.groups[0].enabled = false);
    assert_eq!(router.goes(&PLAIN), "b");
    assert_eq!(router.group("g", &PLAIN).reason, Reason::GroupDisabled);
    router.change(|config| config.groups[1].enabled = false);
    assert_eq!(router.ask(&PLAIN).err(), no_group(Reason::GroupDisabled));
}

#[test]
fn a_model_goes_to_the_groups_that_expose_it_and_to_those_that_expose_all() {
    let exposed = |name: &str| Exposed { name: name.into(), upstream: name.into() };
    let mut router = router(|_| {});
    router.change(|config| config.groups[0].models = Some(vec![exposed("n"), exposed("o")]));
    assert_eq!(router.goes(&PLAIN), "b");
    assert_eq!(router.group("g", &PLAIN).reason, Reason::ModelNotExposed);
    assert_eq!([router.goes(&for_model("n")), router.goes(&for_model("o"))], ["a", "a"]);
    assert_eq!(router.goes(&RouteRequest { model: None, ..PLAIN }), "a");
    router.change(|config| config.groups[1].models = Some(Vec::new()));
    assert_eq!(router.ask(&PLAIN).err(), no_group(Reason::ModelNotExposed));
    assert_eq!(router.goes(&for_model("n")), "a");
}

#[test]
fn a_protocol_goes_to_the_groups_that_speak_it() {
    let mut router = router(|_| {});
    router.change(|config| config.groups[0].protocols = vec![Protocol::AnthropicMessages]);
    assert_eq!(router.goes(&PLAIN), "b");
    assert_eq!(router.group("g", &PLAIN).reason, Reason::ConversionRequired);
    let asks = |protocol| RouteRequest { protocol, ..PLAIN };
    assert_eq!(router.goes(&asks(Protocol::AnthropicMessages)), "a");
    let refusal = router.ask(&asks(Protocol::Gemini)).err();
    assert_eq!(refusal, no_group(Reason::ConversionRequired));
}

#[test]
fn where_no_group_may_serve_the_one_that_comes_closest_says_why() {
    let mut router = router(|_| {});
    let g = router.pool.provider("g");
    router.change(|config| {
        config.access_keys[0].groups = Some(vec![g]);
        config.groups[0].enabled = false;
    });
    assert_eq!(router.ask(&PLAIN).err(), no_group(Reason::GroupDisabled));
    router.change(|config| {
        config.groups[0].enabled = true;
        config.groups[0].models = Some(Vec::new());
    });
    assert_eq!(router.ask(&PLAIN).err(), no_group(Reason::ModelNotExposed));
    router.change(|config| config.groups.clear());
    assert_eq!(router.ask(&PLAIN).err(), no_group(Reason::GroupNotAllowed));
}

#[test]
fn of_two_groups_of_one_provider_the_first_counts() {
    let mut router = router(|_| {});
    router.change(|config| {
        let second = config.groups[0].clone();
        config.groups.push(keyrota::Group { priority: 9, ..second });
    });
    assert_eq!(router.take(&PLAIN).place.group_priority, 0);
    assert_eq!(router.pool.inspect(&PLAIN, router.now).groups.len(), 2);
    router.load("g", Vec::new());
    assert_eq!(router.goes(&PLAIN), "b");
}
