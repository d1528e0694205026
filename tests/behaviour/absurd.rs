//! Whatever comes in, nothing panics, and no bound is broken.

use keyrota::{
    AffinityConfig, Clock, Config, CredentialIndex, Ladder, LeaseId, Millis, Outcome, Phase,
    Policy, Pool, ProviderIndex, Request, Rng, Row, SessionHash, Strategy, Wall, classic, classify,
};
use proptest::prelude::*;
use proptest::strategy::Strategy as Generator;

use crate::scene::{cases, weight, with};
use crate::support::through_json;

fn wall() -> impl Generator<Value = i64> {
    prop_oneof![
        4 => 0..10_000_000_i64,
        2 => any::<i64>(),
        1 => prop::sample::select(vec![i64::MIN, i64::MIN + 1, -1, 0, i64::MAX - 1, i64::MAX]),
    ]
}

fn millis() -> impl Generator<Value = Millis> {
    prop_oneof![
        2 => (0..100_000_u64).prop_map(Millis),
        1 => any::<u64>().prop_map(Millis),
        1 => prop::sample::select(vec![Millis(0), Millis(1), Millis(u64::MAX)]),
    ]
}

fn ladder() -> impl Generator<Value = Ladder> {
    let multiplier = prop_oneof![
        1 => prop::sample::select(vec![0.0, 1.0, -2.0, f64::NAN, f64::INFINITY, f64::MIN_POSITIVE]),
        1 => any::<f64>(),
        1 => 1.0..3.0,
    ];
    (millis(), multiplier, millis(), millis()).prop_map(|(base, multiplier, cap, forget_after)| {
        Ladder { base, multiplier, cap, forget_after }
    })
}

fn config() -> impl Generator<Value = Config> {
    let policy = (any::<bool>(), ladder(), ladder()).prop_map(|(is_classic, limit, overload)| {
        let policy = if is_classic { Policy::classic() } else { Policy::adaptive() };
        Policy { limit, overload, ..policy }
    });
    let capacity = prop_oneof![0..4_usize, Just(usize::MAX)];
    let affinity = (capacity, prop::option::of(millis()))
        .prop_map(|(capacity, ttl)| AffinityConfig { capacity, ttl });
    let strategy = prop::sample::select(Strategy::ALL.to_vec());
    (policy, strategy, affinity, millis(), millis()).prop_map(
        |(policy, strategy, affinity, lease_ttl, sweep_every)| Config {
            affinity,
            lease_ttl,
            sweep_every,
            ..with(policy, strategy)
        },
    )
}

#[derive(Clone, Debug)]
enum Call {
    Load { rows: Vec<(u8, u8, i32)>, invalidate: bool },
    Acquire { session: Option<u64>, tried: Vec<u32>, model: bool },
    Choose(u32),
    Pick(Option<u64>),
    PickUntimed,
    Report { lease: usize, status: Option<u16>, retry_after: String },
    ReportNumber(f64, u16),
    ReportSession(u64, u16),
    Succeed(u64),
    Untroubled(usize),
    Reset(u32),
    Enable(u32),
    Confirm(u32),
    Look(u32),
    Sweep,
    Restart,
}

fn retry_after() -> impl Generator<Value = String> {
    let odd = [
        "",
        "-1",
        "0",
        ".",
        "1e9",
        "inf",
        "34560000",
        "9".repeat(400).as_str(),
        "Sun, 06 Nov 9999 23:59:60 GMT",
    ]
    .map(str::to_owned);
    prop_oneof![
        (0..100_000_u32).prop_map(|seconds| seconds.to_string()),
        prop::sample::select(odd.to_vec()),
        "[0-9A-Za-z,: .+-]{0,30}",
    ]
}

fn call() -> impl Generator<Value = Call> {
    let number = || prop_oneof![4 => 0..6_u32, 1 => any::<u32>(), 1 => Just(u32::MAX)];
    let session = || prop_oneof![0..4_u64, any::<u64>()];
    let status =
        || prop_oneof![3 => prop::sample::select(vec![200_u16, 401, 429, 503]), 1 => any::<u16>()];
    let rows =
        prop::collection::vec((0..8_u8, 1..=100_u8, prop_oneof![-1..2_i32, any::<i32>()]), 0..7);
    let tried = prop::collection::vec(number(), 0..3);
    prop_oneof![
        3 => (rows, any::<bool>()).prop_map(|(rows, invalidate)| Call::Load { rows, invalidate }),
        8 => (prop::option::of(session()), tried, any::<bool>())
            .prop_map(|(session, tried, model)| Call::Acquire { session, tried, model }),
        1 => number().prop_map(Call::Choose),
        1 => prop::option::of(session()).prop_map(Call::Pick),
        1 => Just(Call::PickUntimed),
        8 => (0..9_usize, prop::option::of(status()), retry_after())
            .prop_map(|(lease, status, retry_after)| Call::Report { lease, status, retry_after }),
        1 => (any::<f64>(), status()).prop_map(|(number, status)| Call::ReportNumber(number, status)),
        1 => (session(), status()).prop_map(|(session, status)| Call::ReportSession(session, status)),
        1 => session().prop_map(Call::Succeed),
        1 => (0..9_usize).prop_map(Call::Untroubled),
        1 => number().prop_map(Call::Reset),
        1 => number().prop_map(Call::Enable),
        1 => number().prop_map(Call::Confirm),
        2 => number().prop_map(Call::Look),
        1 => Just(Call::Sweep),
        1 => Just(Call::Restart),
    ]
}

/// A pool, and the leases that were ever granted.
struct Abused {
    pool: Pool,
    config: Config,
    leases: Vec<LeaseId>,
}

impl Abused {
    fn lease(&self, number: usize) -> LeaseId {
        self.leases.iter().rev().nth(number).copied().unwrap_or(LeaseId::from_number(f64::MAX))
    }

    fn load(&mut self, provider: ProviderIndex, rows: Vec<(u8, u8, i32)>, now: Wall) {
        let rows = rows.into_iter().map(|(id, shares, priority)| {
            let models = (id % 3 == 0).then(|| vec!["m".into()]);
            let row = Row { priority: priority % 3, order: priority, ..Row::new(&id.to_string()) };
            Row { weight: weight(shares), models, ..row }
        });
        let generation = self.pool.generation(provider);
        self.pool.load(provider, generation, rows.collect(), now);
    }

    fn call(&mut self, call: Call, provider: ProviderIndex, now: Wall) {
        match call {
            Call::Load { rows, invalidate } => {
                if invalidate {
                    self.pool.invalidate(provider);
                }
                self.load(provider, rows, now);
            }
            Call::Acquire { session, tried, model } => {
                let tried: Vec<_> = tried.into_iter().map(CredentialIndex).collect();
                let model = model.then_some("m");
                let request = Request {
                    session: session.map(SessionHash),
                    model,
                    tried: &tried,
                    ..Request::default()
                };
                let told = self.pool.explain(provider, &request, now);
                let grant = self.pool.acquire(provider, &request, now);
                assert_eq!(told.choice.is_some(), grant.is_ok(), "at {now:?}");
                self.leases.extend(grant.map(|grant| grant.lease));
            }
            Call::Choose(credential) => {
                let credential = CredentialIndex(credential);
                let request = Request::default();
                let grant = self.pool.acquire_chosen(provider, credential, &request, now);
                self.leases.extend(grant.map(|grant| grant.lease));
            }
            Call::Pick(session) => {
                let request = Request { session: session.map(SessionHash), ..Request::default() };
                let _ = self.pool.pick(provider, &request, now);
            }
            Call::PickUntimed => drop(self.pool.pick_untimed(provider, &Request::default())),
            Call::Report { lease, status, retry_after } => {
                let headers = [("retry-after", &*retry_after)];
                let outcome = Outcome { status, headers: &headers, ..Outcome::default() };
                self.pool.report(self.lease(lease), &outcome, now);
            }
            other => self.call_more(other, provider, now),
        }
    }

    fn call_more(&mut self, call: Call, provider: ProviderIndex, now: Wall) {
        match call {
            Call::ReportNumber(number, status) => {
                let lease = LeaseId::from_number(number);
                self.pool.report(lease, &Outcome::of_status(status), now);
            }
            Call::ReportSession(session, status) => {
                let outcome = Outcome::of_status(status);
                self.pool.report_session(provider, SessionHash(session), &outcome, now);
            }
            Call::Succeed(session) => self.pool.succeed_session(SessionHash(session), now),
            Call::Untroubled(lease) => {
                self.pool.report_untroubled(self.lease(lease));
            }
            Call::Reset(credential) => {
                self.pool.reset(provider, CredentialIndex(credential), now);
            }
            Call::Enable(credential) => {
                self.pool.enable(provider, CredentialIndex(credential), now);
            }
            Call::Confirm(credential) => {
                self.pool.confirm_disabled(provider, CredentialIndex(credential));
            }
            Call::Look(credential) => {
                let _ = self.pool.status(provider, now);
                let _ = self.pool.credential_id(provider, CredentialIndex(credential));
                self.pool.home(provider, &Request::default(), now);
                self.pool.candidates(provider, &Request::default(), now);
            }
            Call::Restart => {
                let snapshot = self.pool.snapshot(now);
                if now.0.unsigned_abs() < 1 << 52 {
                    self.pool.restore(&snapshot, now);
                } else {
                    self.pool = Pool::new(self.config.clone());
                    self.pool.restore(&snapshot, now);
                }
            }
            _ => self.pool.sweep(now),
        }
    }
}

proptest! {
    #![proptest_config(cases(4_000))]

    #[test]
    fn no_sequence_of_calls_panics_or_breaks_a_bound(
        config in config(),
        calls in prop::collection::vec((call(), 0..3_u32, wall()), 1..60),
    ) {
        let mut abused = Abused { pool: Pool::new(config.clone()), config, leases: Vec::new() };
        abused.pool.provider("first");
        abused.pool.provider("second");
        for provider in 0..2 {
            let rows = (0..4).map(|n| (n + 4 * provider, 1 + n * 30, 0)).collect();
            abused.load(ProviderIndex(u32::from(provider)), rows, Wall(0));
        }
        for (call, provider, now) in calls {
            abused.call(call, ProviderIndex(provider), Wall(now));
            prop_assert!(abused.pool.sessions() <= abused.config.affinity.capacity);
        }
    }

    #[test]
    fn every_outcome_has_a_verdict(
        status in prop::option::of(any::<u16>()),
        retry_after_ms in prop::option::of(retry_after()),
        retry_after in prop::option::of(retry_after()),
        date in prop::option::of(retry_after()),
        network_code in prop::option::of("[A-Za-z_]{0,20}"),
        phase in prop::sample::select(vec![
            Phase::BeforeSend, Phase::SentNoResponse, Phase::BeforeContent, Phase::AfterContent, Phase::Response,
        ]),
        now in wall(),
    ) {
        let texts = [("retry-after-ms", &retry_after_ms), ("retry-after", &retry_after), ("date", &date)];
        let given = texts.iter().filter_map(|(name, text)| Some((*name, text.as_deref()?)));
        let headers: Vec<_> = given.collect();
        let network_code = network_code.as_deref();
        let outcome = Outcome { status, headers: &headers, network_code, phase, ..Outcome::default() };
        for verdict in [classic(&outcome), classify("openai", &[], &outcome, Wall(now))] {
            prop_assert_eq!(verdict.wait_ms.is_some(), verdict.wait_from.is_some());
            prop_assert!(verdict.wait_ms.is_none_or(|wait| wait.0 > 0 && wait.0 <= 34_560_000_000));
        }
    }

    #[test]
    fn the_pools_clock_never_runs_back(times in prop::collection::vec(wall(), 1..40)) {
        let mut clock = Clock::default();
        let mut before = keyrota::Inside::MIN;
        for now in times {
            prop_assert_eq!(clock.peek(Wall(now)), clock.observe(Wall(now)));
            let inside = clock.peek(Wall(now)).inside;
            prop_assert!(inside >= before, "{:?} after {:?}, at {}", inside, before, now);
            before = inside;
        }
    }

    #[test]
    fn a_draw_stays_below_its_bound(seed in any::<u64>(), bound in any::<u64>()) {
        let drawn = Rng::from_seed(seed).below(bound);
        prop_assert!(drawn < bound.max(1));
    }
}

#[test]
fn numbers_that_leave_javascript_come_back() {
    let mut pool = Pool::new(Config::of(Policy::classic()));
    let provider = pool.provider("openai");
    pool.load(provider, 0, vec![Row::new("a")], Wall(0));
    for now in [0, 1 << 51, -(1 << 51)] {
        let grant = pool.acquire(provider, &Request::default(), Wall(now)).expect("a");
        assert_eq!(LeaseId::from_number(grant.lease.to_number()), grant.lease);
        pool.report(grant.lease, &Outcome::of_status(200), Wall(now));
        through_json(&pool.snapshot(Wall(now)));
    }
}
