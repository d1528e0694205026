//! One credential of the naive pool: what its row says, and what became of it.

use std::collections::BTreeMap;

use keyrota::{Class, Lane, Row};

use crate::window::Lanes;

/// Where the asking for a new secret stands.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Refresh {
    #[default]
    No,
    /// Asked for; whether the refusal proved the secret dead.
    Asked(bool),
    /// There is a new one.
    Done,
}

#[derive(Clone, Debug, Default)]
pub struct Credential {
    pub index: u32,
    pub row: Option<Row>,
    pub version: Option<String>,
    /// The verdict that took it out, and whether the storage knows.
    pub off: Option<(Class, bool)>,
    pub lanes: Lanes,
    pub models: BTreeMap<String, Lanes>,
    pub refresh: Refresh,
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

    pub fn serves(&self, model: Option<&str>) -> bool {
        let models = self.row.as_ref().and_then(|row| row.models.as_ref());
        model.is_none_or(|model| models.is_none_or(|known| known.iter().any(|m| **m == *model)))
    }

    pub fn group(&self) -> Option<String> {
        Some(self.row.as_ref()?.quota_group.as_ref()?.to_string())
    }

    /// Back by a person's word, with clean health.
    pub fn revive(&mut self) {
        self.off = None;
        self.epoch += 1;
        self.lanes = Lanes::default();
        self.models.clear();
        self.refresh = Refresh::No;
    }

    /// It has another secret: what was said of the one before does not count.
    pub fn renew(&mut self) {
        self.epoch += 1;
        self.off = None;
        self.lanes[Lane::Auth as usize] = None;
        self.models.values_mut().for_each(|lanes| lanes[Lane::Auth as usize] = None);
    }

    /// Takes in its row; answers whether that brought it back.
    pub fn adopt(&mut self, row: &Row) -> bool {
        let was_off = self.off.is_some();
        let version = row.secret_version.as_deref().map(str::to_owned);
        let other = version.is_some() && self.version.is_some() && version != self.version;
        if row.enabled && self.off.is_some_and(|(_, confirmed)| confirmed) {
            self.revive();
        } else if row.secret_changed || other {
            self.renew();
            self.refresh = Refresh::No;
        }
        self.version = version.or(self.version.take());
        self.row = Some(Row { secret_changed: false, ..row.clone() });
        was_off && self.off.is_none() && row.enabled
    }
}
