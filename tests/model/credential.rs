//! One credential of the naive pool: what its row says, and what became of it.

use keyrota::{Class, Config, Ladder, Lane, Outcome, PolicyName, Row};

/// A stretch of rest, and its step on the ladder.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    pub until: i64,
    pub level: u32,
    pub stated: bool,
    pub cause: Class,
}

#[derive(Clone, Debug, Default)]
pub struct Credential {
    pub index: u32,
    pub row: Option<Row>,
    pub version: Option<String>,
    /// The verdict that took it out, and whether the storage knows.
    pub off: Option<(Class, bool)>,
    pub lanes: [Option<Window>; 4],
    /// Whether it is known to rest: its return will be an event.
    pub resting: bool,
    /// Grows when it is replaced or brought back.
    pub epoch: u32,
    pub picks: u64,
    pub successes: u64,
    pub failures: u64,
    pub last_used: Option<i64>,
}

impl Credential {
    pub fn is_on(&self) -> bool {
        let row = self.row.as_ref();
        self.off.is_none() && row.is_some_and(|row| row.enabled && !row.secret_unresolved)
    }

    /// The window that holds it longest; of equals, the first lane's.
    pub fn longest(&self) -> Option<Window> {
        let windows = self.lanes.iter().flatten().copied();
        windows.reduce(|a, b| if b.until > a.until { b } else { a })
    }

    pub fn rests(&self, now: i64) -> bool {
        self.longest().is_some_and(|window| window.until > now)
    }

    pub fn is_available(&self, now: i64) -> bool {
        self.is_on() && !self.rests(now)
    }

    pub fn serves(&self, model: Option<&str>) -> bool {
        let models = self.row.as_ref().and_then(|row| row.models.as_ref());
        model.is_none_or(|model| models.is_none_or(|known| known.iter().any(|m| **m == *model)))
    }

    pub fn level(&self, config: &Config, now: i64) -> u32 {
        let levels = Lane::ALL.iter().map(|&lane| {
            let forget = config.provider.policy.ladder(lane).forget_after.0 as i64;
            let live = self.lanes[lane as usize].filter(|window| now < window.until + forget);
            live.map_or(0, |window| window.level)
        });
        levels.max().unwrap_or(0)
    }

    /// Takes in a failure; answers whether its rest changed.
    pub fn fail(&mut self, verdict: &Judged, config: &Config, began: i64, now: i64) -> bool {
        let Some(lane) = verdict.lane else { return false };
        let ladder = config.provider.policy.ladder(lane);
        let window = &mut self.lanes[lane as usize];
        let live = window.filter(|window| now < window.until + ladder.forget_after.0 as i64);
        let (stated, cause) = (verdict.wait.is_some(), verdict.class);
        match (live, verdict.wait) {
            (Some(old), None) if began < old.until => false,
            (Some(old), Some(wait)) if began < old.until => {
                if old.stated && now + wait <= old.until {
                    return false;
                }
                *window = Some(Window { until: now + wait, level: old.level, stated, cause });
                true
            }
            (live, wait) => {
                let level = live.map_or(1, |old| old.level + 1);
                let until = now + wait.unwrap_or_else(|| rung(ladder, level));
                *window = Some(Window { until, level, stated, cause });
                true
            }
        }
    }

    /// Takes in a success; answers whether it cleared anything.
    pub fn succeed(&mut self, began: i64) -> bool {
        let before = self.lanes.iter().flatten().count();
        for window in &mut self.lanes {
            *window = window.filter(|window| began < window.until);
        }
        self.lanes.iter().flatten().count() < before
    }

    /// Back by a person's word, with clean health.
    pub fn revive(&mut self) {
        self.off = None;
        self.epoch += 1;
        self.lanes = [None; 4];
    }

    /// Takes in its row; answers whether that brought it back.
    pub fn adopt(&mut self, row: &Row) -> bool {
        let was_off = self.off.is_some();
        let version = row.secret_version.as_deref().map(str::to_owned);
        let other = version.is_some() && self.version.is_some() && version != self.version;
        if row.enabled && self.off.is_some_and(|(_, confirmed)| confirmed) {
            self.revive();
        } else if row.secret_changed || other {
            self.epoch += 1;
            self.off = None;
            self.lanes[Lane::Auth as usize] = None;
        }
        self.version = version.or(self.version.take());
        self.row = Some(Row { secret_changed: false, ..row.clone() });
        was_off && self.off.is_none() && row.enabled
    }
}

/// The wait at a step of a ladder whose multiplier is a whole number.
fn rung(ladder: &Ladder, level: u32) -> i64 {
    let mut wait = ladder.base.0;
    for _ in 1..level {
        wait = (wait * ladder.multiplier as u64).min(ladder.cap.0);
    }
    wait.min(ladder.cap.0) as i64
}

/// What an outcome means to a credential.
#[derive(Debug)]
pub struct Judged {
    pub class: Class,
    pub lane: Option<Lane>,
    pub wait: Option<i64>,
    pub disable: bool,
}

impl Judged {
    pub fn of(policy: PolicyName, outcome: &Outcome<'_>) -> Self {
        let judged = |class, lane| Self { class, lane, wait: None, disable: false };
        let Some(status) = outcome.status else { return judged(Class::UnknownOutcome, None) };
        let seconds = outcome.retry_after.and_then(|text| text.parse().ok());
        let wait = seconds.filter(|&seconds: &i64| seconds > 0).map(|seconds| seconds * 1_000);
        let limit = Some(Lane::Limit);
        match (policy, status) {
            (PolicyName::Classic, 401 | 403) => {
                Self { disable: true, ..judged(Class::AuthFailed, None) }
            }
            (PolicyName::Classic, 429 | 529) => judged(Class::RateLimited, limit),
            (PolicyName::Adaptive, 401) => {
                Self { wait, ..judged(Class::AuthFailed, Some(Lane::Auth)) }
            }
            (PolicyName::Adaptive, 402) => Self { wait, ..judged(Class::QuotaExhausted, limit) },
            (PolicyName::Adaptive, 403) => Self { wait, ..judged(Class::ModelDenied, None) },
            (PolicyName::Adaptive, 429) => Self { wait, ..judged(Class::RateLimited, limit) },
            (PolicyName::Adaptive, 503 | 529) => {
                Self { wait, ..judged(Class::Overloaded, Some(Lane::Overload)) }
            }
            (PolicyName::Adaptive, 408 | 500..) => {
                Self { wait, ..judged(Class::ServerError, Some(Lane::Overload)) }
            }
            (_, 500..) => judged(Class::ServerError, None),
            (_, 400..) => judged(Class::ClientError, None),
            _ => judged(Class::Ok, None),
        }
    }

    pub fn is_success(&self) -> bool {
        self.class == Class::Ok
    }

    pub fn is_failure(&self) -> bool {
        !matches!(self.class, Class::Ok | Class::ClientError | Class::UnknownOutcome)
    }
}
