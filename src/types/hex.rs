//! 64 bits in text: as 16 hexadecimal digits, since a JavaScript number holds 53.

use serde::Serializer;

pub(crate) fn serialize<S: Serializer>(bits: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&format!("{bits:016x}"))
}

pub(crate) fn parse(text: &str) -> Option<u64> {
    if text.len() == 16 { u64::from_str_radix(text, 16).ok() } else { None }
}
