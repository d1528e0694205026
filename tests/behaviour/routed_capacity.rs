//! Caps among the groups of a router.

use keyrota::{
    AccessKey, Address, ChoiceReason, Config, Group, Outcome, Plan, PlanTerms, Policy, Pool,
    Protocol, ProviderConfig, Reason, RouteConfig, RouteRefusal, RouteRequest, RoutedGrant, Row,
    SessionHash, Strategy, Wall, Weight,
};

/// A router of one access key, whose groups serve in the order of their rows.
struct Router {
    pool: Pool,
}

/// A group: its priority, its cap, and its credentials with theirs.
type Capped<'a> = (&'a str, i32, Option<u32>, &'a [(&'a str, Option<u32>)]);

const NOW: Wall = Wall(0);

impl Router {
    fn of(groups: &[Capped<'_>]) -> Self {
        let mut pool = Pool::new(Config::of(Policy::adaptive()));
        let mut config = RouteConfig { strategy: Strategy::FillFirst, ..RouteConfig::default() };
        config.access_keys.push(AccessKey {
            id: "app".into(),
            enabled: true,
            expires_at: None,
            protocols: None,
            groups: None,
            models: None,
        });
        for &(name, priority, max_concurrent, credentials) in groups {
            let strategy = Strategy::FillFirst;
            let own = ProviderConfig {
                strategy,
                max_concurrent,
                ..ProviderConfig::of(Policy::adaptive())
            };
            let provider = pool.provider_with(name, own);
            let row =
                |&(id, cap): &(&str, Option<u32>)| Row { max_concurrent: cap, ..Row::new(id) };
            pool.load(provider, 0, credentials.iter().map(row).collect(), NOW);
            config.groups.push(Group {
                provider,
                enabled: true,
                priority,
                weight: Weight::default(),
                protocols: vec![Protocol::OpenaiChat],
                models: None,
            });
        }
        pool.route(config);
        Self { pool }
    }

    fn ask(&mut self, request: &RouteRequest<'_>) -> Result<RoutedGrant, RouteRefusal> {
        self.pool.acquire_routed(request, &Plan::new(PlanTerms::default()), NOW)
    }

    /// Whom the request gets, and why; the lease stays open.
    fn goes(&mut self, request: &RouteRequest<'_>) -> (String, ChoiceReason) {
        let routed = self.ask(request).expect("someone serves");
        (self.id(&routed), routed.grant.reason)
    }

    fn id(&self, routed: &RoutedGrant) -> String {
        let id = self.pool.credential_id(routed.place.provider, routed.grant.credential);
        id.expect("a credential").to_owned()
    }

    /// A success, from which the session is learned.
    fn succeed(&mut self, request: &RouteRequest<'_>, routed: &RoutedGrant) {
        self.pool.report(routed.grant.lease, &Outcome::of_status(200), NOW);
        let served =
            Address { provider: routed.place.provider, credential: routed.grant.credential };
        self.pool.learn(request.session.expect("a session"), routed.seen, served, NOW);
    }
}

fn request() -> RouteRequest<'static> {
    RouteRequest {
        access_key: 0,
        protocol: Protocol::OpenaiChat,
        model: Some("m"),
        session: None,
        continues: None,
        number: 0,
    }
}

fn of_session() -> RouteRequest<'static> {
    RouteRequest { session: Some(SessionHash::of("s")), ..request() }
}

#[test]
fn a_group_at_its_cap_is_passed_over_until_a_lease_ends() {
    let mut router = Router::of(&[
        ("g", 0, Some(1), &[("a", None), ("b", None)]),
        ("h", 0, None, &[("c", Some(1))]),
        ("low", -1, Some(1), &[("d", None)]),
    ]);
    let first = router.ask(&request()).expect("a");
    assert_eq!(router.id(&first), "a");
    assert_eq!([router.goes(&request()).0, router.goes(&request()).0], ["c", "d"]);
    let refusal = RouteRefusal::NoneAvailable { retry_after: None, at_capacity: true };
    assert_eq!(router.ask(&request()), Err(refusal));
    let told = router.pool.inspect(&request(), NOW);
    assert_eq!((told.at_capacity, told.choice), (true, None));
    for group in &told.groups {
        assert_eq!(group.reason, Reason::AtCapacity, "{}", group.id);
        assert!(group.credentials.iter().all(|known| known.reason == Reason::AtCapacity));
    }
    router.pool.release(first.grant.lease);
    assert_eq!(router.goes(&request()).0, "a");
}

#[test]
fn a_session_whose_credential_is_at_its_cap_is_served_elsewhere_and_stays() {
    let mut router =
        Router::of(&[("g", 0, None, &[("a", Some(1))]), ("h", 0, None, &[("b", None)])]);
    let home = router.ask(&of_session()).expect("a");
    router.succeed(&of_session(), &home);
    let home = router.ask(&of_session()).expect("a");
    assert_eq!((router.id(&home), home.grant.reason), ("a".into(), ChoiceReason::Affinity));
    for _ in 0..3 {
        let elsewhere = router.ask(&of_session()).expect("b");
        assert_eq!(router.id(&elsewhere), "b");
        assert_eq!((elsewhere.grant.reason, elsewhere.seen), (ChoiceReason::Overflow, None));
        router.succeed(&of_session(), &elsewhere);
    }
    router.pool.release(home.grant.lease);
    assert_eq!(router.goes(&of_session()), ("a".to_owned(), ChoiceReason::Affinity));
}

#[test]
fn a_session_that_overflows_is_in_use_and_not_forgotten() {
    let mut router =
        Router::of(&[("g", 0, None, &[("a", Some(1))]), ("h", 0, None, &[("b", None)])]);
    let plan = Plan::new(PlanTerms::default());
    let at = |pool: &mut Pool, minutes: i64| {
        pool.acquire_routed(&of_session(), &plan, Wall(minutes * 60_000)).expect("someone").grant
    };
    let home = router.ask(&of_session()).expect("a");
    router.succeed(&of_session(), &home);
    let open = at(&mut router.pool, 55);
    assert_eq!(at(&mut router.pool, 58).reason, ChoiceReason::Overflow);
    router.pool.release(open.lease);
    assert_eq!(
        at(&mut router.pool, 62).reason,
        ChoiceReason::Affinity,
        "an hour from its last use"
    );
}

#[test]
fn a_session_of_a_higher_tier_that_is_at_its_caps_stays_and_one_of_a_lower_tier_moves() {
    let mut router =
        Router::of(&[("g", 1, Some(1), &[("a", None)]), ("h", 0, Some(1), &[("b", None)])]);
    let home = router.ask(&of_session()).expect("a");
    router.succeed(&of_session(), &home);
    let home = router.ask(&of_session()).expect("a");
    let lower = router.ask(&of_session()).expect("b");
    assert_eq!((router.id(&lower), lower.grant.reason), ("b".into(), ChoiceReason::Overflow));
    router.pool.release(home.grant.lease);
    // Another session, at home in the lower tier, whose only group is at its cap.
    let other = RouteRequest { session: Some(SessionHash::of("other")), ..request() };
    let served = Address { provider: lower.place.provider, credential: lower.grant.credential };
    router.pool.learn(SessionHash::of("other"), None, served, NOW);
    assert_eq!(router.goes(&other), ("a".to_owned(), ChoiceReason::Rebound));
}

#[test]
fn who_continues_a_response_waits_for_room() {
    let mut router =
        Router::of(&[("g", 0, None, &[("a", Some(1))]), ("h", 0, None, &[("b", None)])]);
    let made = router.ask(&request()).expect("a");
    let response = SessionHash::of("response");
    router.pool.remember(made.place.provider, response, made.grant.credential, NOW);
    let request = RouteRequest { continues: Some(response), ..request() };
    let refusal = RouteRefusal::NoneAvailable { retry_after: None, at_capacity: true };
    assert_eq!(router.ask(&request), Err(refusal));
    router.pool.release(made.grant.lease);
    assert_eq!(router.goes(&request), ("a".to_owned(), ChoiceReason::Continuation));
}
