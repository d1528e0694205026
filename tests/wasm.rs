//! The boundary to JavaScript, in Node and in a browser: what crosses it, and that the vectors hold
//! beyond it.
#![cfg(target_arch = "wasm32")]

#[path = "service_vectors.rs"]
mod service_vectors;

use js_sys::{Array, Function, JSON, Reflect};
use keyrota::wasm::{Core, Host, Plan};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::wasm_bindgen_test;

const NONE_AVAILABLE: f64 = -1.0;
const NOT_LOADED: f64 = -2.0;
const BAD_CLOCK: f64 = -3.0;

/// A host whose clock stands at `host.time`, and which keeps what it is told.
fn host() -> JsValue {
    let make = Function::new_no_args(
        "return { time: 1e12, events: [], disabled: [], refreshed: [], validated: [],
           now() { return this.time },
           emit(event) { this.events.push(event) },
           disable(provider, credential, why) { this.disabled.push([provider, credential, why]) },
           refresh(provider, credential) { this.refreshed.push([provider, credential]) },
           validate(provider, credential) { this.validated.push([provider, credential]) } }",
    );
    make.call0(&JsValue::NULL).expect("a host")
}

fn json(text: &str) -> JsValue {
    JSON::parse(text).expect("JSON")
}

fn text(value: &JsValue) -> String {
    JSON::stringify(value).expect("JSON").into()
}

fn set(object: &JsValue, field: &str, value: impl Into<JsValue>) {
    Reflect::set(object, &field.into(), &value.into()).expect("a field");
}

fn get(object: &JsValue, field: &str) -> JsValue {
    Reflect::get(object, &field.into()).expect("a field")
}

/// A core with one provider that has these rows.
fn core(host: &JsValue, options: &str, rows: &str) -> Core {
    let core = Core::new(host.clone().unchecked_into::<Host>(), json(options)).expect("options");
    let provider = core.provider("p", JsValue::UNDEFINED).expect("a provider");
    assert_eq!(provider, 0);
    let rows: Array = json(rows).unchecked_into();
    core.load(0, core.generation(0), &rows).expect("a clock");
    core
}

#[wasm_bindgen_test]
fn a_lease_is_a_number_and_a_refusal_a_negative_one() {
    let host = host();
    let core = core(&host, "{}", r#"[{"id":"a"}]"#);
    let lease = core.acquire(0, 0, 0);
    assert!(lease >= 0.0, "{lease}");
    assert_eq!(core.granted(), 0, "credential 0, by the strategy");
    core.report(lease, 0, json(r#"{"status":429}"#)).expect("a verdict");
    assert_eq!(core.acquire(0, 0, 0), NONE_AVAILABLE);
    assert_eq!(core.retry_after(), 60_000.0);
    core.invalidate(0);
    assert_eq!(core.acquire(0, 0, 0), NOT_LOADED);
}

#[wasm_bindgen_test]
fn a_clock_that_answers_no_number_is_told_and_changes_nothing() {
    let host = host();
    let core = core(&host, "{}", r#"[{"id":"a"}]"#);
    for time in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        set(&host, "time", time);
        assert_eq!(core.acquire(0, 0, 0), BAD_CLOCK, "{time}");
        let code = get(&core.status(0).expect_err("no time"), "code");
        assert_eq!(code.as_string().as_deref(), Some("invalid_clock"));
    }
    set(&host, "time", 1e12);
    assert!(core.acquire(0, 0, 0) >= 0.0);
}

#[wasm_bindgen_test]
fn each_row_is_checked_by_itself_whatever_it_holds() {
    let host = host();
    let core = core(&host, "{}", "[]");
    core.invalidate(0);
    let rows: Array = Function::new_no_args(
        "return [{ id: 'a' }, { id: 'b', weight: NaN }, { id: 'c', weight: '2' }, null, 'sk', { id: '' },
           { id: 'd', weight: 1n }, { id: 'e', label: Symbol('x') }, { id: 'f', models: [1] },
           { id: 'g', enabled: 1 }, { id: 'h', order: 1.5 }, { id: 'a' }, { id: 'i', weight: 100 }]",
    )
    .call0(&JsValue::NULL)
    .expect("rows")
    .unchecked_into();
    let loaded = core.load(0, core.generation(0), &rows).expect("a clock");
    let credentials = text(&get(&loaded, "credentials"));
    assert_eq!(credentials, "[0,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,1]");
    let invalid: Array = get(&loaded, "invalid").unchecked_into();
    let fields: Vec<String> =
        invalid.iter().filter_map(|row| get(&row, "field").as_string()).collect();
    let expected = [
        "weight", "weight", "row", "row", "id", "weight", "label", "models", "enabled", "order",
        "id",
    ];
    assert_eq!(fields, expected);
}

#[wasm_bindgen_test]
fn a_callback_may_call_the_pool_again() {
    let host = host();
    let core = core(&host, r#"{"policy":"classic"}"#, r#"[{"id":"a"},{"id":"b"}]"#);
    core.listen(true);
    let lease = core.acquire(0, 0, 0);
    core.report(lease, 0, json(r#"{"status":401}"#)).expect("a verdict");
    assert_eq!(text(&get(&host, "disabled")), r#"[[0,0,"auth_failed"]]"#);
    let events = get(&host, "events");
    let kinds: Vec<Option<String>> = events
        .unchecked_into::<Array>()
        .iter()
        .map(|event| get(&event, "type").as_string())
        .collect();
    assert_eq!(kinds, [Some("disabled".to_owned())]);
}

#[wasm_bindgen_test]
fn a_refusal_for_lack_of_room_has_no_time_and_says_so() {
    let host = host();
    let core = core(&host, r#"{"leaseTtlMs":5000}"#, r#"[{"id":"a","maxConcurrent":1}]"#);
    assert_eq!(core.next_expiry(), -1.0, "nothing is under way");
    let lease = core.acquire(0, 0, 0);
    assert_eq!(core.acquire(0, 0, 0), NONE_AVAILABLE);
    assert_eq!((core.at_capacity(), core.retry_after()), (true, -1.0));
    assert_eq!(core.next_expiry(), 5_000.0);
    core.report(lease, 0, json(r#"{"status":429}"#)).expect("a verdict");
    assert_eq!(core.acquire(0, 0, 0), NONE_AVAILABLE);
    assert_eq!((core.at_capacity(), core.retry_after()), (false, 60_000.0));
}

#[wasm_bindgen_test]
fn the_eighth_reason_fits_beside_the_number_of_a_credential() {
    let host = host();
    let core = core(&host, "{}", r#"[{"id":"a","maxConcurrent":1},{"id":"b"}]"#);
    core.acquire(0, 7, 7);
    assert!(core.acquire(0, 7, 7) >= 0.0);
    assert_eq!(core.granted(), 1 << 3 | 7, "credential 1, an overflow");
}

#[wasm_bindgen_test]
fn the_host_is_asked_to_validate_and_a_blacklisting_is_told() {
    let host = host();
    let options = r#"{"blacklist":{"threshold":1,"validateEveryMs":1000}}"#;
    let core = core(&host, options, r#"[{"id":"a"},{"id":"b"}]"#);
    core.listen(true);
    let lease = core.acquire(0, 0, 0);
    core.report(lease, 0, json(r#"{"status":401}"#)).expect("a verdict");
    let first = get(&host, "events").unchecked_into::<Array>().iter().next().expect("an event");
    assert_eq!(text(&get(&host, "validated")), "[]");
    set(&host, "time", 1e12 + 1_000.0);
    core.sweep().expect("a clock");
    assert_eq!(text(&get(&host, "validated")), "[[0,0]]");
    let kinds = get(&host, "events").unchecked_into::<Array>();
    let mut kinds = kinds.iter().filter_map(|event| get(&event, "type").as_string());
    assert!(kinds.any(|kind| kind == "blacklisted"), "{}", text(&first));
    assert!(core.recover(0, 0).expect("a clock"));
    let status: Array = core.status(0).expect("a clock").unchecked_into();
    assert_eq!(get(&status.get(0), "state").as_string().as_deref(), Some("available"));
}

#[wasm_bindgen_test]
fn a_plan_carries_what_a_request_has_met_to_its_next_attempt() {
    let host = host();
    let rows = r#"[{"id":"a","priority":-1},{"id":"b","priority":-1},{"id":"c","priority":-7}]"#;
    let core = core(&host, "{}", rows);
    let plan = Plan::new(-1.0, false);
    assert_eq!(plan.asked(0), [0, 0, 0], "nothing yet");
    let numbers = |asked: Vec<u32>| [vec![0; 5], asked].concat();
    let attempt = |class: &str, scope: &str| {
        let asked = numbers(plan.asked(0));
        assert!(core.acquire_filtered(0, None, &asked) >= 0.0);
        core.place(&plan, 0, core.granted() >> 3, &asked);
        let another = plan.attempted(3, class, scope, true, "response");
        (core.granted() >> 3, another)
    };
    assert_eq!(attempt("auth_failed", "credential"), (0, true));
    assert_eq!(plan.asked(0), [1, (-1_i32).cast_unsigned(), 0, 0]);
    assert_eq!(attempt("server_error", "provider"), (2, true), "one below comes first");
    assert_eq!(plan.asked(0), [1, (-7_i32).cast_unsigned(), 0, 0, 2]);
    assert_eq!(core.acquire_filtered(0, None, &numbers(plan.asked(0))), NONE_AVAILABLE);
    assert_eq!(plan.refused(), [0], "the first attempt");
    assert!(plan.forgive(&[0, 9]));
    assert_eq!(plan.asked(0), [1, (-7_i32).cast_unsigned(), 0]);
    assert_eq!(attempt("client_error", "request"), (2, true), "the caller's rule says so");
    assert!(!plan.forgive(&[]));
}

#[wasm_bindgen_test]
fn a_plan_keeps_a_continued_response_on_its_credential() {
    let host = host();
    let core = core(&host, "{}", r#"[{"id":"a"},{"id":"b"}]"#);
    core.remember(0, 7, 9, 1).expect("a clock");
    let plan = Plan::new(f64::INFINITY, true);
    let asked = [0, 0, 7, 9, 1, 0, 0, 0];
    assert!(core.acquire_filtered(0, None, &asked) >= 0.0);
    core.place(&plan, 0, core.granted() >> 3, &asked);
    assert!(plan.attempted(2, "unknown_outcome", "request", true, "sent_no_response"));
    assert_eq!(plan.asked(0), [1, 0, 2, 1], "credential 1 alone");
}

#[wasm_bindgen_test]
fn what_a_plan_cannot_read_ends_it() {
    let plan = Plan::new(1.0, true);
    assert!(!plan.attempted(9, "rate_limited", "credential", true, "response"), "no attempt");
    let host = host();
    let core = core(&host, "{}", r#"[{"id":"a"}]"#);
    let plan = Plan::new(5.0, true);
    core.place(&plan, 0, 0, &[]);
    assert!(!plan.attempted(9, "luck", "credential", true, "response"), "no class");
    core.place(&plan, 0, 0, &[]);
    assert!(plan.attempted(9, "rate_limited", "credential", true, "no phase"));
}

#[wasm_bindgen_test]
fn random_choices_are_seeded_by_the_platform_when_no_seed_is_given() {
    let host = host();
    let rows = r#"[{"id":"a"},{"id":"b"},{"id":"c"},{"id":"d"}]"#;
    let choices = || -> Vec<u32> {
        let core = core(&host, r#"{"strategy":"weighted-random"}"#, rows);
        (0..40).map(|_| if core.acquire(0, 0, 0) < 0.0 { 9 } else { core.granted() >> 2 }).collect()
    };
    assert_ne!(choices(), choices(), "4^-40 by chance");
    let seeded = || {
        let core = core(&host, r#"{"strategy":"weighted-random"}"#, rows);
        core.seed("42");
        (0..40).map(|_| if core.acquire(0, 0, 0) < 0.0 { 9 } else { core.granted() >> 2 }).collect()
    };
    let (one, two): (Vec<u32>, Vec<u32>) = (seeded(), seeded());
    assert_eq!(one, two);
}

#[wasm_bindgen_test]
fn a_snapshot_is_plain_data_and_goes_on_where_it_was_taken() {
    let host = host();
    let rows = r#"[{"id":"a","weight":3},{"id":"b","weight":2},{"id":"c"}]"#;
    let one = core(&host, "{}", rows);
    for _ in 0..4 {
        one.settle(one.acquire(0, 7, 9), 200);
        one.settle(one.acquire(0, 0, 0), 200);
    }
    let lease = one.acquire(0, 0, 0);
    one.report(lease, 0, json(r#"{"status":429,"retryAfter":"5"}"#)).expect("a verdict");
    let snapshot = json(&text(&one.snapshot().expect("a clock")));
    let two = core(&host, "{}", rows);
    two.restore(snapshot).expect("a snapshot");
    for step in 0..50 {
        set(&host, "time", 1e12 + 200.0 * f64::from(step));
        let session = if step % 3 == 0 { 7 } else { 0 };
        let choices = [&one, &two].map(|core| {
            core.settle(core.acquire(0, session, session), 200);
            core.granted()
        });
        assert_eq!(choices[0], choices[1], "step {step}");
    }
    assert_eq!(text(&one.status(0).expect("a clock")), text(&two.status(0).expect("a clock")));
}
