//! Why a request of a router goes where it goes.

use keyrota::{
    AccessKey, Blacklist, Class, DisabledBy, Exposed, Kind, Millis, Protocol, Reason, RouteRefusal,
    RouteRequest, Row, Scope, SessionHash, Strategy, Value, Verdict, Wall,
};

use crate::router::{PLAIN, Router, Spec, access_key, continuing, for_model, of_session};
use crate::scene::{equal, stated, verdict};

fn limited() -> Verdict {
    verdict(Class::RateLimited, Scope::Credential)
}

fn chosen(router: &Router, request: &RouteRequest<'_>) -> Option<(String, String)> {
    router.pool.inspect(request, router.now).choice
}

#[test]
fn every_group_has_one_reason() {
    let mut router = Router::of(vec![
        Spec::of("serves", equal(&["a"])),
        Spec::of("waits", equal(&["b"])),
        Spec { enabled: false, ..Spec::of("off", equal(&["c"])) },
        Spec { models: Some(Vec::new()), ..Spec::of("other", equal(&["d"])) },
        Spec { protocols: vec![Protocol::Gemini], ..Spec::of("speaks", equal(&["e"])) },
        Spec::of("empty", Vec::new()),
        Spec::of("dead", vec![Row { enabled: false, ..Row::new("f") }]),
        Spec::of("full", vec![Row { max_concurrent: Some(1), ..Row::new("g") }]),
        Spec::at("lower", -1, equal(&["h"])),
        Spec::of("denied", equal(&["i"])),
    ]);
    let [full, denied] = ["full", "denied"].map(|name| router.pool.provider(name));
    router.change(|config| {
        let all: Vec<_> = config.groups.iter().map(|group| group.provider).collect();
        let allowed = all.into_iter().filter(|&group| group != denied).collect();
        config.access_keys.push(AccessKey { groups: Some(vec![full]), ..access_key() });
        config.access_keys[0].groups = Some(allowed);
    });
    router.take(&RouteRequest { access_key: 1, ..PLAIN });
    let told = router.pool.inspect(&PLAIN, router.now);
    assert_eq!(told.access_key, Reason::Available);
    assert_eq!(told.choice, Some(("serves".into(), "a".into())));
    let reasons: Vec<_> = told.groups.iter().map(|group| (&*group.id, group.reason)).collect();
    let expected = [
        ("serves", Reason::Chosen),
        ("waits", Reason::Available),
        ("off", Reason::GroupDisabled),
        ("other", Reason::ModelNotExposed),
        ("speaks", Reason::ConversionRequired),
        ("empty", Reason::NoCredentials),
        ("dead", Reason::NoUsableCredential),
        ("full", Reason::AtCapacity),
        ("lower", Reason::GroupLowerTier),
        ("denied", Reason::GroupNotAllowed),
    ];
    assert_eq!(reasons, expected);
}

#[test]
fn every_credential_has_one_reason() {
    let mut spec = Spec::of(
        "g",
        vec![
            Row::new("serves"),
            Row::new("available"),
            Row { priority: -1, ..Row::new("lower") },
            Row { enabled: false, ..Row::new("off") },
            Row { secret_unresolved: true, ..Row::new("unresolved") },
            Row { kind: Kind::Subscription { authorized: false }, ..Row::new("unauthorized") },
            Row { models: Some(vec!["n".into()]), ..Row::new("unlisted") },
            Row { max_concurrent: Some(1), ..Row::new("full") },
            Row::new("cools"),
            Row::new("model"),
            Row::new("quota"),
            Row::new("dead"),
            Row::new("listed"),
        ],
    );
    spec.config.blacklist = Some(Blacklist { threshold: 1, ..Blacklist::default() });
    let mut router = Router::of(vec![spec]);
    let dead = Verdict { disable: true, ..verdict(Class::AuthFailed, Scope::Credential) };
    let ends = [
        ("cools", limited()),
        ("model", verdict(Class::RateLimited, Scope::Model)),
        ("quota", stated(Class::QuotaExhausted, Scope::Credential, 60)),
        ("dead", dead),
        ("listed", verdict(Class::AuthFailed, Scope::Credential)),
    ];
    for (id, verdict) in ends {
        let grant = router.probe(id);
        router.pool.conclude(grant.lease, &verdict, Some("m"), router.now);
    }
    router.probe("full");
    for (id, reason) in [
        ("serves", Reason::Chosen),
        ("available", Reason::Available),
        ("lower", Reason::LowerPriority),
        ("off", Reason::CredentialDisabled),
        ("unresolved", Reason::SecretUnresolved),
        ("unauthorized", Reason::AuthUnavailable),
        ("unlisted", Reason::ModelNotExposed),
        ("full", Reason::AtCapacity),
        ("cools", Reason::Cooling),
        ("model", Reason::ModelCooling),
        ("quota", Reason::QuotaExhausted),
        ("dead", Reason::CredentialDisabled),
        ("listed", Reason::Blacklisted),
    ] {
        assert_eq!(router.reason(id, &PLAIN), reason, "{id}");
    }
    let group = router.group("g", &PLAIN);
    let by = |id: &str| group.credentials.iter().find(|known| known.id == id).and_then(|c| c.by);
    assert_eq!([by("off"), by("dead")], [Some(DisabledBy::Hand), Some(DisabledBy::Verdict)]);
}

#[test]
fn an_inspection_says_when_the_first_of_a_group_may_serve_again() {
    let mut router =
        Router::of(vec![Spec::of("g", equal(&["a", "b"])), Spec::of("h", equal(&["c"]))]);
    for seconds in [90, 30, 50] {
        router.fail(&PLAIN, &stated(Class::RateLimited, Scope::Credential, seconds));
    }
    router.at(10);
    let told = router.pool.inspect(&PLAIN, router.now);
    let until: Vec<_> = told.groups.iter().map(|group| group.until).collect();
    assert_eq!(until, [Some(Wall(30_000)), Some(Wall(50_000))]);
    assert_eq!((told.choice, told.retry_after_ms), (None, Some(Millis::from_secs(20))));
    let refusal =
        RouteRefusal::NoneAvailable { retry_after: told.retry_after_ms, at_capacity: false };
    assert_eq!(router.ask(&PLAIN), Err(refusal));
}

#[test]
fn an_inspection_agrees_with_the_next_request_for_every_strategy() {
    for &strategy in Strategy::ALL {
        let spec = |name, ids: [&str; 2]| {
            let spec = Spec::of(name, equal(&ids));
            let config = keyrota::ProviderConfig { strategy, ..spec.config };
            Spec { config, ..spec }
        };
        let groups = vec![spec("g", ["a", "b"]), spec("h", ["c", "d"])];
        let mut router = Router::with(strategy, groups);
        for number in 0..60 {
            let request = if number % 3 == 0 { of_session("s") } else { PLAIN };
            let told = chosen(&router, &request);
            assert_eq!(told, chosen(&router, &request), "it changes nothing");
            let routed = router.ask(&request);
            let got = routed.as_ref().ok().map(|routed| router.id(routed));
            assert_eq!(told.map(|(_, id)| id), got, "{strategy:?}");
            if let Ok(routed) = routed
                && number % 3 == 1
            {
                router.pool.conclude(routed.grant.lease, &limited(), None, router.now);
            }
            router.at(number * 5);
        }
    }
}

#[test]
fn an_inspection_of_a_refused_access_key_says_why_and_still_shows_the_groups() {
    let mut router = Router::of(vec![Spec::of("g", equal(&["a"]))]);
    router.change(|config| config.access_keys[0].enabled = false);
    let told = router.pool.inspect(&PLAIN, router.now);
    assert_eq!((told.access_key, told.choice), (Reason::AccessKeyDisabled, None));
    assert_eq!(told.groups[0].reason, Reason::Available);
}

#[test]
fn an_inspection_of_a_continuation_says_who_is_bound_elsewhere() {
    let mut router =
        Router::of(vec![Spec::of("g", equal(&["a"])), Spec::of("h", equal(&["b", "c"]))]);
    let (provider, b) = router.find("b");
    router.pool.remember(provider, SessionHash::of("r"), b, router.now);
    assert_eq!(chosen(&router, &continuing("r")), Some(("h".into(), "b".into())));
    let reasons = |router: &Router| ["a", "b", "c"].map(|id| router.reason(id, &continuing("r")));
    let elsewhere = Reason::BoundElsewhere;
    assert_eq!(reasons(&router), [elsewhere, Reason::Chosen, elsewhere]);
    assert_eq!(router.group("g", &continuing("r")).reason, elsewhere);
    let routed = router.take(&continuing("r"));
    router.pool.conclude(routed.grant.lease, &limited(), None, router.now);
    assert_eq!(reasons(&router), [elsewhere, Reason::Cooling, elsewhere]);
    let group = router.group("h", &continuing("r"));
    assert_eq!((group.reason, group.until), (Reason::NoUsableCredential, Some(Wall(60_000))));
    assert_eq!(router.group("g", &continuing("r")).until, None, "no time helps there");
}

#[test]
fn an_inspection_names_the_model_as_each_group_calls_it() {
    let exposed = Exposed { name: "m".into(), upstream: "real".into() };
    let spec = Spec { models: Some(vec![exposed]), ..Spec::of("g", equal(&["a"])) };
    let listing = vec![Row { models: Some(vec!["m".into()]), ..Row::new("b") }];
    let mut router = Router::of(vec![spec, Spec::of("h", listing)]);
    router.fail(&PLAIN, &verdict(Class::RateLimited, Scope::Model));
    assert_eq!(router.group("h", &PLAIN).model.as_deref(), Some("m"));
    assert_eq!(router.group("g", &PLAIN).model.as_deref(), Some("real"));
    assert_eq!(router.group("g", &for_model("x")).model, None);
}

#[test]
fn an_inspection_is_data_with_stable_codes() {
    let router = Router::of(vec![Spec::of("g", equal(&["a"])), Spec::at("h", -1, equal(&["b"]))]);
    let value = Value::from(&router.pool.inspect(&PLAIN, router.now));
    assert_eq!(value.field("accessKey").text(), Some("available"));
    let text = serde_json::to_string(&value).expect("it can be written");
    assert!(text.contains(r#""choice":{"group":"g","credential":"a"}"#), "{text}");
    assert!(text.contains(r#""reason":"group_lower_tier""#), "{text}");
}
