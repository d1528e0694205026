//! What can go wrong, each with a stable code.

use std::fmt;

use crate::types::{CredentialIndex, Millis, Reason, Value, written_as_values};

/// Nobody can serve. A refusal is an answer, with a date where one is known.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Refusal {
    /// The provider's rows are not loaded: load them and ask again.
    NotLoaded,
    /// No credential can serve this request.
    NoneAvailable {
        /// How long until one is back, if all that is needed is time. When a cap is in the way too, an
        /// attempt that ends may make room before that.
        retry_after: Option<Millis>,
        /// Whether somebody could serve now, were it not for a cap on what is in flight: wait until an
        /// attempt ends.
        at_capacity: bool,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotLoaded => f.write_str("the provider is not loaded"),
            Self::NoneAvailable { retry_after, at_capacity } => {
                f.write_str("no credential available")?;
                if *at_capacity {
                    f.write_str("; all that could serve are at capacity")?;
                }
                retry_after.map_or(Ok(()), |wait| write!(f, "; the next one in {} ms", wait.0))
            }
        }
    }
}

impl std::error::Error for Refusal {}

/// Why a router sends a request nowhere.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum RouteRefusal {
    /// The access key may not ask for that.
    Denied(Reason),
    /// No group may serve it, whatever the time is: the reason of the group that comes closest.
    NoGroup(Reason),
    /// Groups may serve it, but none of their credentials can.
    NoneAvailable {
        /// How long until one is back, if all that is needed is time.
        retry_after: Option<Millis>,
        /// Whether one could now, were it not for a cap on what is in flight: wait until an attempt ends.
        at_capacity: bool,
    },
}

impl fmt::Display for RouteRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Denied(reason) => write!(f, "the access key is refused: {}", reason.code()),
            Self::NoGroup(reason) => write!(f, "no group may serve it: {}", reason.code()),
            Self::NoneAvailable { retry_after, at_capacity } => {
                Refusal::NoneAvailable { retry_after, at_capacity }.fmt(f)
            }
        }
    }
}

impl std::error::Error for RouteRefusal {}

/// A row that breaks a rule. The others serve.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct InvalidRow {
    /// Its place in what the loader answered, from 0.
    pub row: usize,
    /// The id, as far as there is one.
    pub id: String,
    /// The field that breaks the rule.
    pub field: String,
    /// The rule.
    pub rule: String,
}

impl From<&InvalidRow> for Value {
    fn from(row: &InvalidRow) -> Self {
        Self::object()
            .with("row", row.row as u64)
            .with("id", row.id.as_str())
            .with("field", row.field.as_str())
            .with("rule", row.rule.as_str())
    }
}

written_as_values!(InvalidRow);

/// A snapshot that cannot be restored; the pool is as it was.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum SnapshotError {
    /// It is not a snapshot of this library, or part of it is missing.
    Malformed(String),
    /// A newer version of this library wrote it.
    NewerVersion(u32),
}

impl fmt::Display for SnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(what) => write!(f, "this is no snapshot: {what}"),
            Self::NewerVersion(version) => {
                write!(f, "the snapshot has version {version}, which is newer than this library")
            }
        }
    }
}

impl std::error::Error for SnapshotError {}

/// There is no such credential, or it cannot serve now.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct NotAvailable(pub CredentialIndex);

impl fmt::Display for NotAvailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "credential {} is not available", self.0.0)
    }
}

impl std::error::Error for NotAvailable {}
