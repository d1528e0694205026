//! Whole numbers as JavaScript holds them: what lies beyond 2^53 is written as the last one before.

use serde::Serializer;

const GREATEST: i64 = (1 << 53) - 1;

pub(crate) fn signed<S: Serializer>(number: &i64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_i64((*number).clamp(-GREATEST, GREATEST))
}

pub(crate) fn unsigned<S: Serializer>(number: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64((*number).min(GREATEST.unsigned_abs()))
}
