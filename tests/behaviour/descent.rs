//! Any request by its plan, whatever fails and whoever comes back in the middle of it.

use keyrota::{
    Class, CredentialIndex, Next, Phase, PlanTerms, Policy, Reason, Row, Scope, SessionHash, Stop,
    Strategy, Verdict,
};
use proptest::prelude::*;
use proptest::strategy::Strategy as Generator;

use crate::retry::Run;
use crate::scene::{Scene, cases, stated, verdict, with};

/// How an attempt may end.
fn ending() -> impl Generator<Value = Verdict> {
    use {Class as C, Scope as S};
    let ends = vec![
        verdict(C::RateLimited, S::Credential),
        stated(C::RateLimited, S::Credential, 1),
        verdict(C::Overloaded, S::Credential),
        verdict(C::ServerError, S::Provider),
        verdict(C::EgressBlocked, S::Egress),
        verdict(C::AuthFailed, S::Credential),
        verdict(C::ModelDenied, S::Request),
        verdict(C::UnknownOutcome, S::Request),
    ];
    prop::sample::select(ends)
}

/// Something that happens between two attempts of a request.
#[derive(Clone, Debug)]
enum Between {
    Nothing,
    Time(i64),
    /// Someone's rests end by hand.
    Reset(u32),
    /// Another request fails on someone.
    Fails(u32),
}

fn between() -> impl Generator<Value = Between> {
    prop_oneof![
        Just(Between::Nothing),
        (0..90_000_i64).prop_map(Between::Time),
        (0..8_u32).prop_map(Between::Reset),
        (0..8_u32).prop_map(Between::Fails),
    ]
}

impl Run {
    fn meanwhile(&mut self, what: &Between) {
        let (provider, now) = (self.scene.provider, self.scene.wall());
        let pool = &mut self.scene.pool;
        match *what {
            Between::Nothing => {}
            Between::Time(passed) => self.scene.now += passed,
            Between::Reset(who) => {
                pool.reset(provider, CredentialIndex(who), now);
            }
            Between::Fails(who) => {
                let failing = pool.acquire_probe(provider, CredentialIndex(who), now);
                if let Ok(grant) = failing {
                    pool.conclude(
                        grant.lease,
                        &verdict(Class::RateLimited, Scope::Credential),
                        None,
                        now,
                    );
                }
            }
        }
    }

    /// The priorities of those who could serve now: not out, and not passed over.
    fn usable(&self) -> Vec<i32> {
        let rows = self.scene.pool.status(self.scene.provider, self.scene.wall());
        let tried = self.plan.tried(self.scene.provider);
        let usable = rows.into_iter().filter(|row| {
            row.state == Reason::Available && !tried.contains(&self.scene.index(&row.id))
        });
        usable.map(|row| row.priority).collect()
    }
}

proptest! {
    #![proptest_config(cases(2_000))]

    #[test]
    fn a_request_goes_down_and_never_up_within_its_budget_and_repeats_only_the_blameless(
        strategy in prop::sample::select(Strategy::ALL.to_vec()),
        fail_open in any::<bool>(),
        priorities in prop::collection::vec(-2..3_i32, 1..8),
        attempts in prop::option::of(1..8_u32),
        repeats in 0..3_u32,
        idempotent in any::<bool>(),
        renews in any::<bool>(),
        session in prop::option::of(0..3_u64),
        before in prop::collection::vec(between(), 0..6),
        steps in prop::collection::vec((ending(), between()), 1..30),
    ) {
        let mut config = with(Policy { jitter: 0.0, ..Policy::adaptive() }, strategy);
        config.provider.fail_open = fail_open;
        let named: Vec<_> = priorities.iter().enumerate().collect();
        let rows = named.iter().map(|&(at, &priority)| Row { priority, ..Row::new(&at.to_string()) });
        let scene = Scene::new(config, rows.collect());
        let mut run = Run::of(scene, PlanTerms { attempts, repeats, idempotent });
        run.session = session.map(SessionHash);
        run.plan.count_candidates(priorities.len());
        for what in &before {
            run.meanwhile(what);
        }
        let (provider, mut lowest) = (run.scene.provider, None::<i32>);
        let mut made: Vec<(CredentialIndex, bool)> = Vec::new();
        for (ending, meanwhile) in steps {
            let (usable, request) = (run.usable(), run.request());
            let asked = run.plan.request(provider, &request);
            let told = run.scene.pool.explain(provider, &asked, run.scene.wall());
            let now = run.scene.wall();
            let grant = run.scene.pool.acquire_planned(provider, &request, &run.plan, now);
            let Ok(grant) = grant else {
                prop_assert_eq!(told.choice, None);
                let renewed = if renews { run.plan.refused().to_vec() } else { Vec::new() };
                if run.plan.forgive(&renewed) { continue } else { break }
            };
            if !strategy.draws() {
                prop_assert_eq!(told.choice, Some(run.scene.id(grant.credential)));
            }
            let place = run.scene.pool.place(provider, grant.credential, &request);
            let own = priorities[grant.credential.0 as usize];
            prop_assert_eq!((place.priority, place.is_bound), (own, false));

            // Never up again; a lower tier only when no higher one is usable, or after a failure here.
            let allowed = |priority: &&i32| lowest.is_none_or(|lowest| **priority < lowest);
            let first = usable.iter().filter(allowed).max();
            let first = first.or_else(|| usable.iter().find(|&&priority| Some(priority) == lowest));
            prop_assert!(lowest.is_none_or(|lowest| own <= lowest), "up from {:?} to {}", lowest, own);
            if let Some(&first) = first {
                prop_assert_eq!(own, first, "of {:?} after {:?}", &usable, lowest);
            }
            let before = made.iter().filter(|(known, _)| *known == grant.credential);
            let before: Vec<bool> = before.map(|&(_, was_blameless)| was_blameless).collect();
            prop_assert!(before.iter().all(|&was_blameless| was_blameless), "it was to blame");
            prop_assert!(before.len() <= repeats as usize);

            run.scene.conclude(grant, &ending);
            let next = run.plan.attempted(place, &ending, Phase::Response);
            let is_blameless = matches!(ending.scope, Scope::Provider | Scope::Egress)
                || (ending.class == Class::AuthFailed && renews);
            made.push((grant.credential, is_blameless));
            lowest = Some(lowest.map_or(own, |lowest| lowest.min(own)));
            prop_assert!(made.len() <= run.plan.most_attempts() as usize);
            if next != Next::Another {
                let is_unsafe = ending.class == Class::UnknownOutcome && !idempotent;
                let expected = if is_unsafe { Stop::Unsafe } else { Stop::Spent };
                prop_assert_eq!(next, Next::Stop(expected));
                if expected == Stop::Spent {
                    prop_assert_eq!(made.len(), attempts.unwrap_or(10) as usize);
                }
                break;
            }
            prop_assert_eq!(run.plan.floor(provider), lowest);
            run.meanwhile(&meanwhile);
        }
    }
}
