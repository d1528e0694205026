//! Why a request of a router goes where it goes: by access key, by group, by credential.

use super::Candidate;
use crate::types::{Millis, Reason, Value, Wall, written_as_values};

/// What a request would get now, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Inspection {
    /// `available`, or why the access key may not ask for that.
    pub access_key: Reason,
    /// Every group, in the order of the settings.
    pub groups: Vec<GroupInspection>,
    /// The provider of the group that would serve, and its credential.
    pub choice: Option<(String, String)>,
    /// How long until someone could serve, in milliseconds, when nobody can and time is all that is needed.
    pub retry_after_ms: Option<Millis>,
    /// Whether someone could serve now, were it not for a cap on what is in flight.
    pub at_capacity: bool,
}

/// One group in an inspection.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupInspection {
    /// The provider.
    pub id: String,
    /// Why it serves or is passed over.
    pub reason: Reason,
    /// Its priority.
    pub priority: i32,
    /// Its weight.
    pub weight: u8,
    /// What its provider calls the model.
    pub model: Option<String>,
    /// When the first of its credentials may serve again, on the caller's clock.
    pub until: Option<Wall>,
    /// Each of its credentials, by priority, then in order; rows that break a rule come last.
    pub credentials: Vec<Candidate>,
}

impl Inspection {
    /// What is known where there are no routes.
    pub(crate) const fn of_nothing() -> Self {
        Self {
            access_key: Reason::AccessKeyUnknown,
            groups: Vec::new(),
            choice: None,
            retry_after_ms: None,
            at_capacity: false,
        }
    }
}

impl From<&Inspection> for Value {
    fn from(inspection: &Inspection) -> Self {
        let choice = inspection.choice.as_ref().map(|(group, credential)| {
            Self::object().with("group", group.as_str()).with("credential", credential.as_str())
        });
        Self::object()
            .with("accessKey", inspection.access_key)
            .with("groups", Self::list(&inspection.groups))
            .with("choice", choice)
            .with("retryAfterMs", inspection.retry_after_ms)
            .with("atCapacity", inspection.at_capacity)
    }
}

impl From<&GroupInspection> for Value {
    fn from(group: &GroupInspection) -> Self {
        Self::object()
            .with("id", group.id.as_str())
            .with("reason", group.reason)
            .with("priority", group.priority)
            .with("weight", u32::from(group.weight))
            .with("model", group.model.as_deref())
            .with("until", group.until)
            .with("credentials", Self::list(&group.credentials))
    }
}

written_as_values!(Inspection, GroupInspection);
