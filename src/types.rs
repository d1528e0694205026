//! The vocabulary: what the crate's sentences are made of. No decision lives here.

mod code;
mod fields;
pub(crate) mod hex;
mod id;
mod outcome;
mod reason;
mod rule;
mod time;
mod value;
mod verdict;
mod weight;

pub(crate) use code::{coded, place_of};
pub(crate) use fields::Fields;
pub(crate) use id::mix;
pub use id::{Address, CredentialIndex, LeaseId, ProviderIndex, SessionHash, hash_text};
pub use outcome::{Outcome, Phase};
pub use reason::{ChoiceReason, DisabledBy, Reason};
pub use rule::{Effect, ErrorRule};
pub use time::{Clock, Inside, Millis, Moment, Wall};
pub(crate) use value::written_as_values;
pub use value::{Broken, Rule, Value};
pub use verdict::{Class, Evidence, Lane, Scope, Source, Verdict};
pub use weight::{Weight, WeightError};
