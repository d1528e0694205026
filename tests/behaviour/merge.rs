//! What processes know of one credential merges to one result, in whatever order it is told.

use keyrota::{Class, Clock, Cooldown, Failure, Inside, Ladder, Millis, Record, Terms, Wall};
use proptest::prelude::*;

use crate::scene::cases;

/// Any record, of few enough values that many coincide.
fn record() -> impl Strategy<Value = Record> {
    let cause = prop::option::of(prop::sample::select(Class::ALL.to_vec()));
    let times = (0..3_i64, 0..3_i64).prop_map(|(until, opened)| (Wall(until), Wall(opened)));
    (0..4_u32, any::<bool>(), times, 0..3_u32, cause, 0..4_u32).prop_map(
        |(window, stated, (until, opened), level, cause, cleared)| Record {
            window,
            stated,
            until,
            opened,
            level,
            cause,
            cleared,
        },
    )
}

#[test]
fn a_success_clears_the_window_that_it_knew_and_no_later_one() {
    let first = Record { window: 1, level: 1, until: Wall(60), ..Record::default() };
    let cleared = Record { cleared: 1, ..first };
    let second = Record { window: 2, level: 2, until: Wall(180), ..Record::default() };
    assert!(!first.merge(cleared).counts());
    assert!(second.merge(cleared).counts());
    assert_eq!(second.merge(cleared).until, Wall(180));
}

/// Something that happens to a cooldown, after some milliseconds, which may be negative.
#[derive(Clone, Copy, Debug)]
enum Happening {
    Fail { age: i64, stated: Option<u64> },
    Succeed { age: i64 },
    Clear,
}

fn history() -> impl Strategy<Value = Vec<(i64, Happening)>> {
    let age = || prop_oneof![Just(0_i64), 0..100_000_i64, 0..2_000_000_i64];
    let stated = prop::option::of(1..200_000_u64);
    let happening = prop_oneof![
        4 => (age(), stated).prop_map(|(age, stated)| Happening::Fail { age, stated }),
        2 => age().prop_map(|age| Happening::Succeed { age }),
        1 => Just(Happening::Clear),
    ];
    let step = prop_oneof![0..1_000_i64, 0..1_000_000_i64, -500_000..0_i64];
    prop::collection::vec((step, happening), 1..40)
}

proptest! {
    #![proptest_config(cases(3_000))]

    #[test]
    fn merging_is_a_join(a in record(), b in record(), c in record()) {
        prop_assert_eq!(a.merge(a), a, "idempotent");
        prop_assert_eq!(a.merge(b), b.merge(a), "commutative");
        prop_assert_eq!(a.merge(b).merge(c), a.merge(b.merge(c)), "associative");
        let both = a.merge(b);
        prop_assert_eq!(both.merge(a), both, "it holds all that each knew");
    }

    #[test]
    fn what_is_cleared_anywhere_is_cleared_everywhere(a in record(), b in record()) {
        let both = a.merge(b);
        prop_assert_eq!(both.cleared, a.cleared.max(b.cleared));
        prop_assert_eq!(both.window, a.window.max(b.window));
        prop_assert_eq!(both.counts(), a.window.max(b.window) > a.cleared.max(b.cleared));
    }
}

proptest! {
    #![proptest_config(cases(1_500))]

    /// Else a record that arrives late would undo what happened after it was sent.
    #[test]
    fn a_record_only_grows_so_that_older_news_change_nothing(history in history()) {
        let (mut cooldown, ladder) = (Cooldown::default(), Ladder::default());
        let (mut clock, mut wall) = (Clock::default(), 1_000_000_000);
        let mut told = vec![*cooldown.record()];
        for (step, happening) in history {
            wall += step;
            let now = clock.observe(Wall(wall));
            let before = *cooldown.record();
            match happening {
                Happening::Fail { age, stated } => {
                    let began = Inside(now.inside.0 - age);
                    let stated = stated.map(Millis);
                    cooldown.fail(Failure { stated, ..Failure::of(Class::RateLimited, began) }, &Terms::plain(&ladder), now);
                }
                Happening::Succeed { age } => {
                    cooldown.succeed(Inside(now.inside.0 - age), &Terms::plain(&ladder));
                }
                Happening::Clear => {
                    cooldown.clear();
                }
            }
            let after = *cooldown.record();
            prop_assert!(after.window == before.window || after.window == before.window.max(before.cleared) + 1);
            prop_assert!(after.cleared == before.cleared || after.cleared == after.window);
            told.push(after);
            for older in &told {
                prop_assert_eq!(older.merge(after), after, "{:?} came late, at {}", older, wall);
            }
        }
    }
}
