//! One record: a stretch of rest, its step on the ladder, and the probe of it.

use keyrota::{Class, Ladder, Lane, Probing, Source};

/// A stretch of rest.
#[derive(Clone, Debug)]
pub struct Window {
    pub opened: i64,
    pub until: i64,
    pub level: u32,
    pub stated: bool,
    pub cause: Class,
    pub source: Source,
    /// From when on a probe may go although the rest is not over.
    pub probe_at: Option<i64>,
    /// The lease that is a probe of it, and how long the others wait for it.
    pub probe: Option<(u64, i64)>,
}

/// The records of one subject, one per lane.
pub type Lanes = [Option<Window>; Lane::COUNT];

/// What the policy says of one record.
#[derive(Clone, Debug)]
pub struct Rules {
    pub ladder: Ladder,
    /// The longest computed rest.
    pub longest: Option<i64>,
    pub probing: Option<Probing>,
    /// From which level on the end of a rest is probed.
    pub probed_from: u32,
    /// By which part of itself a computed wait may be longer.
    pub jitter: f64,
}

/// How a record keeps its subject out.
#[derive(Clone, Copy, Debug)]
pub struct Hold {
    /// When that may change.
    pub until: i64,
    /// When it is over, as far as is known.
    pub end: i64,
    /// Whether the rest is over, and only a probe is waited for.
    pub probing: bool,
}

/// A failure that reaches a record.
#[derive(Clone, Debug)]
pub struct Blow {
    pub class: Class,
    pub wait: Option<i64>,
    pub began: i64,
    pub source: Source,
}

impl Window {
    pub fn end(&self, rules: &Rules) -> i64 {
        let longest = rules.longest.filter(|_| !self.stated);
        longest.map_or(self.until, |longest| self.until.min(self.opened + longest))
    }

    pub fn is_forgotten(&self, rules: &Rules, now: i64) -> bool {
        now >= self.until + rules.ladder.forget_after.0 as i64
    }

    /// Whether whoever goes now is a probe.
    pub fn is_due(&self, rules: &Rules, now: i64) -> bool {
        rules.probing.is_some()
            && if now < self.end(rules) {
                self.probe_at.is_some_and(|at| at <= now)
            } else {
                self.level >= rules.probed_from && !self.is_forgotten(rules, now)
            }
    }

    pub fn hold(&self, rules: &Rules, now: i64) -> Option<Hold> {
        let end = self.end(rules);
        let awaited = self.probe.map(|(_, until)| until).filter(|&until| now < until);
        match (now < end, self.is_due(rules, now)) {
            (true, false) => {
                let until = self.probe_at.map_or(end, |at| at.min(end));
                Some(Hold { until, end, probing: false })
            }
            (true, true) => {
                awaited.map(|until| Hold { until: until.min(end), end, probing: false })
            }
            (false, true) => awaited.map(|until| {
                let until = until.min(self.until + rules.ladder.forget_after.0 as i64);
                Hold { until, end: until, probing: true }
            }),
            (false, false) => None,
        }
    }
}

/// Takes a failure into a record; answers whether its rest changed. `drawn` is by how much a computed
/// wait turned out longer.
pub fn strike(
    slot: &mut Option<Window>,
    rules: &Rules,
    blow: &Blow,
    now: i64,
    drawn: impl FnOnce(i64) -> i64,
) -> bool {
    let live = slot.take().filter(|window| !window.is_forgotten(rules, now));
    let (mut window, changed) = match live {
        Some(old) if blow.began < old.end(rules) => match blow.wait {
            Some(wait) if !old.stated || now + wait > old.until => {
                let (cause, source) = (blow.class, blow.source.clone());
                (Window { until: now + wait, stated: true, cause, source, ..old }, true)
            }
            _ => (old, false),
        },
        live => {
            let level = live.map_or(1, |old| old.level + 1);
            let wait = blow.wait.unwrap_or_else(|| drawn(rung(&rules.ladder, level)));
            let window = Window {
                opened: now,
                until: now + wait,
                level,
                stated: blow.wait.is_some(),
                cause: blow.class,
                source: blow.source.clone(),
                probe_at: None,
                probe: None,
            };
            (window, true)
        }
    };
    let long = |probing: &Probing| window.until - now > probing.longer_than.0 as i64;
    let probing = rules.probing.filter(|probing| window.stated && long(probing));
    window.probe_at = probing.map(|probing| now + probing.every.0 as i64);
    *slot = Some(window);
    changed
}

/// The wait at a step of a ladder whose multiplier is a whole number.
fn rung(ladder: &Ladder, level: u32) -> i64 {
    let mut wait = ladder.base.0;
    for _ in 1..level {
        wait = (wait * ladder.multiplier as u64).min(ladder.cap.0);
    }
    wait.min(ladder.cap.0) as i64
}
