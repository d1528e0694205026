//! Why a credential is chosen or passed over: the explanation agrees with what happens, and changes nothing.

use keyrota::{
    ChoiceReason, Class, DisabledBy, Explanation, InvalidRow, Millis, Reason, Refusal, Request,
    Row, Strategy, Wall,
};
use proptest::prelude::*;
use proptest::strategy::Strategy as Generator;

use crate::scene::{Scene, cases, equal, weight};

fn reasons(explanation: &Explanation) -> Vec<(&str, Reason)> {
    explanation.candidates.iter().map(|candidate| (&*candidate.id, candidate.reason)).collect()
}

#[test]
fn every_row_has_one_reason() {
    let row = |id: &str| Row { priority: 1, ..Row::new(id) };
    let mut scene = Scene::adaptive(Vec::new());
    let rows = vec![
        row("chosen"),
        row("available"),
        row("tried"),
        Row { models: Some(vec!["other".into()]), ..row("model") },
        row("cooling"),
        Row { enabled: false, ..row("by-hand") },
        Row { secret_unresolved: true, ..row("unresolved") },
        Row { priority: 0, ..row("lower") },
    ];
    let invalid = InvalidRow {
        row: 8,
        id: "invalid".into(),
        field: "weight".into(),
        rule: "must be a whole number from 1 to 100".into(),
    };
    let rows = rows.into_iter().map(Ok).chain([Err(invalid)]).collect();
    scene.pool.invalidate(scene.provider);
    let (generation, now) = (scene.pool.generation(scene.provider), scene.wall());
    scene.pool.load_parsed(scene.provider, generation, rows, now);
    let cooling = scene.index("cooling");
    let grant = scene.pool.acquire_chosen(scene.provider, cooling, &Request::default(), now);
    scene.report_wait(grant.expect("it is available"), 429, "90");
    let tried = [scene.index("tried")];
    let request = Request { model: Some("m"), tried: &tried, ..Request::default() };
    let explanation = scene.pool.explain(scene.provider, &request, now);
    let expected = [
        ("chosen", Reason::Chosen),
        ("available", Reason::Available),
        ("tried", Reason::AlreadyTried),
        ("model", Reason::ModelNotExposed),
        ("cooling", Reason::Cooling),
        ("by-hand", Reason::CredentialDisabled),
        ("unresolved", Reason::SecretUnresolved),
        ("lower", Reason::LowerPriority),
        ("invalid", Reason::InvalidCredential),
    ];
    assert_eq!(reasons(&explanation), expected);
    let known =
        |id: &str| explanation.candidates.iter().find(|c| c.id == id).expect("it is listed");
    let cooling = known("cooling");
    assert_eq!(
        (cooling.until, cooling.cause, cooling.stated),
        (Some(Wall(90_000)), Some(Class::RateLimited), true)
    );
    assert_eq!(known("invalid").field.as_deref(), Some("weight"));
    assert_eq!(explanation.choice.as_deref(), Some("chosen"));
    assert_eq!(explanation.retry_after_ms, None);
}

#[test]
fn a_verdict_that_took_a_credential_out_is_named() {
    let mut scene = Scene::classic(equal(&["a"]));
    scene.attempt(403);
    let explanation = scene.pool.explain(scene.provider, &Request::default(), scene.wall());
    assert_eq!(reasons(&explanation), [("a", Reason::CredentialDisabled)]);
    let told = &explanation.candidates[0];
    assert_eq!((told.by, told.cause), (Some(DisabledBy::Verdict), Some(Class::AuthFailed)));
    assert_eq!((explanation.choice, explanation.retry_after_ms), (None, None));
}

#[test]
fn a_provider_that_is_not_loaded_or_not_known_has_no_choice() {
    let mut scene = Scene::classic(equal(&["a"]));
    scene.pool.invalidate(scene.provider);
    let explanation = scene.pool.explain(scene.provider, &Request::default(), scene.wall());
    assert_eq!((explanation.loaded, explanation.choice), (false, None));
    let nobody = keyrota::ProviderIndex(7);
    let explanation = scene.pool.explain(nobody, &Request::default(), scene.wall());
    assert_eq!((explanation.loaded, explanation.candidates.len()), (false, 0));
}

#[test]
fn a_credential_that_is_remembered_without_a_row_is_no_candidate() {
    let mut scene = Scene::classic(equal(&["a", "b"]));
    scene.pick();
    let snapshot = scene.pool.snapshot(scene.wall());
    let mut other = Scene::classic(Vec::new());
    other.pool.invalidate(other.provider);
    other.pool.restore(&snapshot, Wall(0));
    let explanation = other.pool.explain(other.provider, &Request::default(), Wall(0));
    assert_eq!(reasons(&explanation), []);
}

#[test]
fn codes_are_stable() {
    let codes: Vec<&str> = Reason::ALL.iter().map(|reason| reason.code()).collect();
    let expected = [
        "access_key_unknown",
        "access_key_disabled",
        "access_key_expired",
        "protocol_not_allowed",
        "model_not_allowed",
        "continuation_unknown",
        "group_not_allowed",
        "group_disabled",
        "model_not_exposed",
        "conversion_required",
        "no_credentials",
        "no_usable_credential",
        "group_lower_tier",
        "chosen",
        "available",
        "lower_priority",
        "higher_priority",
        "already_tried",
        "cooling",
        "model_cooling",
        "quota_exhausted",
        "probe_pending",
        "provider_paused",
        "bound_elsewhere",
        "at_capacity",
        "credential_disabled",
        "secret_unresolved",
        "auth_unavailable",
        "blacklisted",
        "invalid_credential",
    ];
    assert_eq!(codes, expected);
    assert!(DisabledBy::ALL.iter().map(|by| by.code()).eq(["hand", "verdict"]));
}

#[test]
fn the_reasons_of_a_choice_fit_into_the_three_bits_that_the_boundary_has_for_them() {
    let codes: Vec<&str> = ChoiceReason::ALL.iter().map(|reason| reason.code()).collect();
    let expected = [
        "strategy",
        "affinity",
        "rebound",
        "lodging",
        "continuation",
        "fail_open",
        "probe",
        "overflow",
    ];
    assert_eq!(codes, expected, "in the order of REASONS in js/lease.ts");
}

/// Rows of every kind.
fn row() -> impl Generator<Value = Row> {
    let models = prop::option::weighted(0.3, prop::sample::subsequence(vec!["m", "n"], 0..=2));
    (0..8_u8, 1..=5_u8, -1..2_i32, models, prop::bool::weighted(0.85), prop::bool::weighted(0.1))
        .prop_map(|(id, shares, priority, models, enabled, secret_unresolved)| Row {
            weight: weight(shares),
            priority,
            models: models.map(|models| models.into_iter().map(Into::into).collect()),
            enabled,
            secret_unresolved,
            ..Row::new(&id.to_string())
        })
}

type Step = (u8, u8, u16);

proptest! {
    #![proptest_config(cases(1_200))]

    #[test]
    fn the_explanation_agrees_with_what_the_request_gets_and_changes_nothing(
        strategy in prop::sample::select(Strategy::ALL.to_vec()),
        rows in prop::collection::vec(row(), 0..8),
        steps in prop::collection::vec(any::<Step>(), 1..60),
    ) {
        let mut scene = Scene::of(strategy, rows);
        let mut grants = Vec::new();
        for (kind, who, what) in steps {
            scene.now += i64::from(what) * i64::from(kind % 3);
            let tried: Vec<_> = (0..who % 3).map(|n| keyrota::CredentialIndex(u32::from(n + who % 5))).collect();
            let request = Request {
                session: (who % 2 == 0).then(|| keyrota::SessionHash(u64::from(who / 32))),
                model: [None, None, Some("m"), Some("n")][usize::from(what % 4)],
                tried: &tried[..if kind % 4 == 0 { tried.len() } else { 0 }],
                floor: (kind % 5 == 0).then_some(i32::from(what % 3) - 1),
                ..Request::default()
            };
            let before = format!("{:?}", scene.pool);
            let status = scene.pool.status(scene.provider, scene.wall());
            let told = scene.pool.explain(scene.provider, &request, scene.wall());
            prop_assert_eq!(&before, &format!("{:?}", scene.pool), "looking changed something");

            let now = scene.now;
            let candidates = scene.pool.candidates(scene.provider, &request, Wall(now));
            let candidates: Vec<String> = candidates.into_iter().map(|c| scene.id(c)).collect();
            let possible = told.candidates.iter().filter(|c| matches!(c.reason, Reason::Chosen | Reason::Available));
            prop_assert!(possible.map(|c| &c.id).eq(&candidates), "at {}: {:?}", now, &told);
            match scene.ask(&request) {
                Ok(grant) => {
                    let id = scene.id(grant.credential);
                    prop_assert!(candidates.contains(&id), "at {}: {}", now, &id);
                    let known = status.iter().find(|row| row.id == id).map(|row| row.state);
                    prop_assert_eq!(known, Some(Reason::Available), "at {}: {}", now, &id);
                    // The explanation draws the same numbers, but promises that for no one.
                    if !strategy.draws() {
                        prop_assert_eq!(told.choice, Some(id), "at {}", now);
                    }
                    grants.push(grant);
                }
                Err(refusal) => {
                    let (retry_after, at_capacity) = (told.retry_after_ms, told.at_capacity);
                    let expected = Refusal::NoneAvailable { retry_after, at_capacity };
                    prop_assert_eq!(refusal, expected, "at {}", now);
                    prop_assert_eq!(told.choice, None, "at {}", now);
                }
            }
            if kind % 2 == 0 && let Some(grant) = grants.pop() {
                scene.report(grant, [200, 429, 429, 401, 503][usize::from(who % 5)]);
            }
        }
    }

    #[test]
    fn a_refusal_is_neither_early_nor_late(
        waits in prop::collection::vec(1..10_000_u32, 1..6),
    ) {
        let ids: Vec<String> = (0..waits.len()).map(|number| number.to_string()).collect();
        let rows = || ids.iter().map(|id| Row::new(id)).collect();
        let mut scene = Scene::laddered(rows());
        for wait in &waits {
            let grant = scene.acquire();
            scene.report_wait(grant, 429, &wait.to_string());
        }
        let Some(Millis(wait)) = scene.retry_after() else { panic!("there is a date") };
        prop_assert_eq!(wait, u64::from(*waits.iter().min().expect("one")) * 1_000);
        let early = scene.at_ms(wait as i64 - 1).ask(&Request::default());
        prop_assert_eq!(early, Err(Refusal::NoneAvailable { retry_after: Some(Millis(1)), at_capacity: false }));
        prop_assert!(scene.at_ms(wait as i64).ask(&Request::default()).is_ok());
    }
}
