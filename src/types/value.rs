//! What comes in from outside, before it is known to be right: read once, into a type that cannot be
//! wrong, or refused with the place and the rule.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

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
    /// Reads a field; an absent one is read as [`Value::Absent`].
    ///
    /// # Errors
    ///
    /// [`Broken`], with the field's name as its path.
    pub fn read<'a, T>(
        &'a self,
        field: &str,
        read: impl FnOnce(&'a Self) -> Result<T, Rule>,
    ) -> Result<T, Broken> {
        read(self.field(field)).map_err(|rule| Broken { path: field.to_owned(), rule })
    }

    /// Reads each item of a field that is a list.
    ///
    /// # Errors
    ///
    /// [`Broken`], with a path that names the field, the item and the place in it.
    pub fn read_each<T>(
        &self,
        field: &str,
        read: impl Fn(&Self) -> Result<T, Broken>,
    ) -> Result<Vec<T>, Broken> {
        let items = self.read(field, Self::list)?.iter().enumerate();
        let read = items.map(|(at, item)| {
            read(item).map_err(|Broken { path, rule }| {
                let dot = if path.is_empty() { "" } else { "." };
                Broken { path: format!("{field}[{at}]{dot}{path}"), rule }
            })
        });
        read.collect()
    }

    /// The value of a field.
    #[must_use]
    pub fn field(&self, name: &str) -> &Self {
        const ABSENT: &Value = &Value::Absent;
        let Self::Fields(fields) = self else { return ABSENT };
        fields.iter().find(|(field, _)| field == name).map_or(ABSENT, |(_, value)| value)
    }

    /// `None` when the value is absent.
    #[must_use]
    pub fn given(&self) -> Option<&Self> {
        (*self != Self::Absent).then_some(self)
    }

    /// `None` when the value is absent or `null`.
    #[must_use]
    pub fn given_or_null(&self) -> Option<&Self> {
        self.given().filter(|value| **value != Self::Null)
    }

    /// The text that it is.
    ///
    /// # Errors
    ///
    /// The rule, when it is none. So for the other readers.
    pub fn text(&self) -> Result<&str, Rule> {
        match self {
            Self::Text(text) => Ok(text),
            _ => Err("must be a text"),
        }
    }

    /// The flag that it is.
    pub fn flag(&self) -> Result<bool, Rule> {
        match self {
            Self::Flag(flag) => Ok(*flag),
            _ => Err("must be true or false"),
        }
    }

    /// The number that it is.
    pub fn number(&self) -> Result<f64, Rule> {
        match self {
            Self::Number(number) => Ok(*number),
            _ => Err("must be a number"),
        }
    }

    /// The whole number that it is, in the bounds of its type and of what JavaScript holds exactly.
    pub fn whole<T: TryFrom<i64>>(&self) -> Result<T, Rule> {
        let rule = "must be a whole number in its bounds";
        let number = self.number().map_err(|_| rule)?;
        let whole = number as i64; // `as` truncates and saturates
        if whole as f64 == number && whole.unsigned_abs() < 1 << 53 {
            T::try_from(whole).map_err(|_| rule)
        } else {
            Err(rule)
        }
    }

    /// The list that it is.
    pub fn list(&self) -> Result<&[Self], Rule> {
        match self {
            Self::List(list) => Ok(list),
            _ => Err("must be a list"),
        }
    }
}

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
