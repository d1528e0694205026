//! 64 bits in text: as 16 hexadecimal digits, since a JavaScript number holds 53.

pub(crate) fn write(bits: u64) -> String {
    format!("{bits:016x}")
}

pub(crate) fn parse(text: &str) -> Option<u64> {
    if text.len() == 16 { u64::from_str_radix(text, 16).ok() } else { None }
}
