//! What crosses the border of the crate as data.
//!
//! What comes in is not known to be right: it is read once, into a type that cannot be wrong, or refused
//! with the place and the rule. What goes out becomes a plain value first, so that one piece of code writes
//! everything.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};

use super::time::{Inside, Millis, Wall};
use super::weight::Weight;

/// Any plain value, as JSON and JavaScript know it.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Value {
    /// Not there: JavaScript's `undefined`.
    #[default]
    Absent,
    /// `null`.
    Null,
    /// `true` or `false`.
    Flag(bool),
    /// Any number, infinite ones and NaN included.
    Number(f64),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Value>),
    /// An object.
    Fields(Vec<(String, Value)>),
    /// What is no plain value, such as a function.
    Other,
}

/// The greatest number up to which JavaScript holds every whole one; what lies beyond is written as it.
const GREATEST: f64 = 9_007_199_254_740_991.0;

/// The rule that a value breaks.
pub type Rule = &'static str;

/// A value that breaks a rule, and where it stands.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Broken {
    /// Such as `providers[0].tiers[1].cursor`; empty for the value itself.
    pub path: String,
    /// The rule.
    pub rule: Rule,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = if self.path.is_empty() { "it" } else { &self.path };
        write!(f, "{path} {}", self.rule)
    }
}

impl Value {
    /// A list of those items.
    #[must_use]
    pub fn list(items: impl IntoIterator<Item: Into<Self>>) -> Self {
        Self::List(items.into_iter().map(Into::into).collect())
    }

    /// An object without fields, to be filled [`with`](Self::with) them.
    #[must_use]
    pub const fn object() -> Self {
        Self::Fields(Vec::new())
    }

    /// Adds a field to an object; on anything else it does nothing.
    #[inline(never)] // there are dozens of fields
    #[must_use]
    pub fn with(self, name: &str, value: impl Into<Self>) -> Self {
        self.with_value(name, value.into())
    }

    #[inline(never)]
    fn with_value(mut self, name: &str, value: Self) -> Self {
        if let Self::Fields(fields) = &mut self {
            fields.push((name.to_owned(), value));
        }
        self
    }

    /// The value of a field.
    #[inline(never)]
    #[must_use]
    pub fn field(&self, name: &str) -> &Self {
        const ABSENT: &Value = &Value::Absent;
        let Self::Fields(fields) = self else { return ABSENT };
        fields.iter().find(|(field, _)| field == name).map_or(ABSENT, |(_, value)| value)
    }

    /// The text that it is.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The whole number that it is, if JavaScript holds it exactly.
    #[must_use]
    pub fn whole(&self) -> Option<i64> {
        let Self::Number(number) = *self else { return None };
        let whole = number as i64; // `as` truncates and saturates
        (whole as f64 == number && whole.unsigned_abs() < 1 << 53).then_some(whole)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

/// `null` for nothing.
impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

macro_rules! from_numbers {
    ($($number:ty: $read:expr),+ $(,)?) => {
        $(impl From<$number> for Value {
            fn from(number: $number) -> Self {
                let read: fn($number) -> _ = $read;
                Self::Number((read(number) as f64).clamp(-GREATEST, GREATEST))
            }
        })+
    };
}

from_numbers! {
    i32: |number| number,
    i64: |number| number,
    u32: |number| number,
    u64: |number| number,
    Inside: |moment| moment.0,
    Millis: |span| span.0,
    Wall: |moment| moment.0,
    Weight: Weight::shares,
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Absent | Self::Null | Self::Other => serializer.serialize_unit(),
            Self::Flag(flag) => serializer.serialize_bool(*flag),
            Self::Number(number) => match self.whole() {
                Some(whole) => serializer.serialize_i64(whole),
                None => serializer.serialize_f64(*number),
            },
            Self::Text(text) => serializer.serialize_str(text),
            Self::List(items) => serializer.collect_seq(items),
            Self::Fields(fields) => {
                let given = fields.iter().filter(|(_, value)| *value != Self::Absent);
                serializer.collect_map(given.map(|(name, value)| (name, value)))
            }
        }
    }
}

/// Serialization of types that become a [`Value`]: as that value.
macro_rules! written_as_values {
    ($($name:ty),+) => {
        $(impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $crate::types::Value::from(self).serialize(serializer)
            }
        })+
    };
}

pub(crate) use written_as_values;

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a plain value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Value, E> {
        Ok(Value::Flag(flag))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(Value::Number(number as f64))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(Value::Number(number as f64))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(Value::Number(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = entries.next_entry()? {
            fields.push(field);
        }
        Ok(Value::Fields(fields))
    }
}
