//! One credential: what its row says, and what became of it.

mod row;

use crate::blacklist::Strikes;
use crate::config::Policy;
use crate::health::Subject;
use crate::types::{Class, Inside, Lane, Wall, hash_text};

pub use row::{Kind, Row};

/// Whether a verdict took the credential out, and whether the app's storage knows it.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Disabled {
    /// No verdict stands against it.
    #[default]
    No,
    /// A verdict does, and the storage callback has not confirmed it: the loader is not believed.
    Unconfirmed {
        /// The verdict.
        why: Class,
    },
    /// The callback answered true: `enabled: true` in a later load is a person's decision.
    Confirmed {
        /// The verdict.
        why: Class,
    },
}

/// Whether a new secret was asked for, which a refreshable credential does before a refusal counts.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum Refresh {
    /// Not since its last success.
    #[default]
    No,
    /// The host was asked; if it has none, the refusal counts.
    Asked {
        /// Whether the refusal proves the credential dead.
        disable: bool,
        /// When the attempt began that was refused.
        began: Inside,
    },
    /// The secret is new: another refusal proves the credential dead.
    Done,
}

/// How often a credential was picked, and how its attempts ended.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Counters {
    /// Attempts begun.
    pub picks: u64,
    /// Attempts reported as successes.
    pub successes: u64,
    /// Attempts whose answer says something against the credential or its server.
    pub failures: u64,
    /// When it was last picked, on the caller's clock.
    pub last_used_at: Option<Wall>,
}

/// One credential of one provider.
#[derive(Clone, Debug)]
pub(crate) struct Credential {
    pub(crate) id: Box<str>,
    pub(crate) hash: u64,
    /// What its row says; `None` once the loader no longer names it.
    pub(crate) row: Option<Row>,
    /// Kept after the row has gone, to tell whether the secret was replaced meanwhile.
    pub(crate) secret_version: Option<Box<str>>,
    pub(crate) disabled: Disabled,
    /// What it stands in danger of being blacklisted for, or is.
    pub(crate) strikes: Strikes,
    pub(crate) subject: Subject,
    /// Its quota group, as a place in the provider's list.
    pub(crate) group: Option<u32>,
    pub(crate) refresh: Refresh,
    pub(crate) counters: Counters,
    /// Leases in flight.
    pub(crate) in_flight: u32,
    /// How many there may be, as its row says; the greatest number of all when it does not.
    pub(crate) capacity: u32,
    /// Grows when the credential is replaced: leases of an older generation are not about it.
    pub(crate) generation: u32,
    /// Where it stands in its provider: tier and place.
    pub(crate) seat: Option<(usize, usize)>,
}

impl Credential {
    pub(crate) fn new(id: &str) -> Self {
        Self {
            id: id.into(),
            hash: hash_text(id.as_bytes()),
            row: None,
            secret_version: None,
            disabled: Disabled::No,
            strikes: Strikes::NONE,
            subject: Subject::default(),
            group: None,
            refresh: Refresh::No,
            counters: Counters::default(),
            in_flight: 0,
            capacity: u32::MAX,
            generation: 0,
            seat: None,
        }
    }

    /// Takes in a row of the loader; answers whether that brought a disabled or blacklisted credential
    /// back.
    pub(crate) fn adopt(&mut self, row: Row) -> bool {
        let was_out = self.is_out();
        let versions_differ = matches!(
            (&self.secret_version, &row.secret_version),
            (Some(old), Some(new)) if old != new
        );
        let is_replaced = row.secret_changed || versions_differ;
        if row.enabled && matches!(self.disabled, Disabled::Confirmed { .. }) {
            self.revive();
        } else if is_replaced {
            self.replace_secret();
            self.refresh = Refresh::No;
        }
        if row.secret_version.is_some() {
            self.secret_version.clone_from(&row.secret_version);
        }
        let is_back = was_out && !self.is_out() && row.enabled;
        self.capacity = row.max_concurrent.unwrap_or(u32::MAX);
        // A change of the secret happens once; the row may be read again.
        self.row = Some(Row { secret_changed: false, ..row });
        is_back
    }

    /// The secret is another one: leases of the old one are not about it, and what was refused counts
    /// no more.
    pub(crate) fn replace_secret(&mut self) {
        self.generation = self.generation.wrapping_add(1);
        self.disabled = Disabled::No;
        self.strikes = Strikes::NONE;
        self.subject.whole.lane_mut(Lane::Auth).clear();
        for model in &mut self.subject.models {
            model.health.lane_mut(Lane::Auth).clear();
        }
    }

    /// Back by a person's or a proof's word, with clean health.
    pub(crate) fn revive(&mut self) {
        self.disabled = Disabled::No;
        self.strikes = Strikes::NONE;
        self.refresh = Refresh::No;
        self.generation = self.generation.wrapping_add(1);
        self.subject.clear(|_| true);
    }

    /// Whether it could serve, were it not for a cooldown or a cap.
    pub(crate) fn is_on(&self) -> bool {
        self.strikes.listed().is_none() && self.is_switched_on()
    }

    /// Whether it could serve, were it not for the blacklist, a cooldown or a cap.
    pub(crate) fn is_switched_on(&self) -> bool {
        let row = self.row.as_ref();
        self.disabled == Disabled::No
            && row.is_some_and(|row| {
                row.enabled && !row.secret_unresolved && row.kind.is_authorized()
            })
    }

    /// Whether a verdict or the blacklist keeps it out, until it is brought back.
    pub(crate) fn is_out(&self) -> bool {
        self.disabled != Disabled::No || self.strikes.listed().is_some()
    }

    /// Whether its cap leaves room for another lease.
    #[inline(always)]
    pub(crate) const fn has_room(&self) -> bool {
        self.in_flight < self.capacity
    }

    /// Whether a success would change nothing and a failure would find the first step of the ladder.
    #[inline(always)]
    pub(crate) fn is_clean(&self) -> bool {
        self.disabled == Disabled::No
            && self.strikes.is_none()
            && self.refresh == Refresh::No
            && self.subject.is_clean()
    }

    /// Whether nothing of its failures counts any more.
    pub(crate) fn is_forgotten(&self, policy: &Policy, now: Inside) -> bool {
        !self.is_out() && self.subject.is_forgotten(policy, now)
    }

    /// Whether it serves that model.
    pub(crate) fn serves(&self, model: Option<&str>) -> bool {
        match (model, self.row.as_ref().and_then(|row| row.models.as_ref())) {
            (Some(model), Some(models)) => models.iter().any(|listed| &**listed == model),
            _ => true,
        }
    }
}
