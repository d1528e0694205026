//! What can go wrong, each with a stable code.

use std::fmt;

use crate::types::{CredentialIndex, Millis, Value, written_as_values};

/// Nobody can serve. A refusal is an answer, with a date where one is known.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Refusal {
    /// The provider's rows are not loaded: load them and ask again.
    NotLoaded,
    /// No credential can serve this request.
    NoneAvailable {
        /// How long until one can, if all that is needed is time.
        retry_after: Option<Millis>,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotLoaded => f.write_str("the provider is not loaded"),
            Self::NoneAvailable { retry_after: Some(wait) } => {
                write!(f, "no credential available; the next one in {} ms", wait.0)
            }
            Self::NoneAvailable { retry_after: None } => f.write_str("no credential available"),
        }
    }
}

impl std::error::Error for Refusal {}

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
