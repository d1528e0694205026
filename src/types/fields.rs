//! Reads an object field by field, into a type that cannot be wrong.

use std::cell::RefCell;

use super::value::{Broken, Rule, Value};
use super::weight::Weight;

/// The fields of an object that is being read.
///
/// Every reader answers something, so that an object is read in one expression; the first field that
/// breaks a rule is remembered with its place, and [`Value::read`] answers it in place of the object.
pub(crate) struct Fields<'a> {
    value: &'a Value,
    place: Place<'a>,
    broken: &'a RefCell<Option<Broken>>,
}

/// Where an object stands.
#[derive(Clone, Copy)]
enum Place<'a> {
    Root,
    Field { outer: &'a Fields<'a>, name: &'a str },
    Item { outer: &'a Fields<'a>, list: &'a str, at: usize },
}

impl Value {
    /// Reads the fields of an object.
    ///
    /// # Errors
    ///
    /// [`Broken`]: the first field that breaks a rule.
    pub(crate) fn read<T>(&self, read: impl FnOnce(&Fields<'_>) -> T) -> Result<T, Broken> {
        let broken = RefCell::new(None);
        let all = read(&Fields { value: self, place: Place::Root, broken: &broken });
        broken.into_inner().map_or(Ok(all), Err)
    }
}

impl<'a> Fields<'a> {
    /// The field as it is.
    pub(crate) fn value_of(&self, field: &str) -> &'a Value {
        self.value.field(field)
    }

    /// Whether the field is there.
    #[inline(never)]
    pub(crate) fn has(&self, field: &str) -> bool {
        *self.value.field(field) != Value::Absent
    }

    /// Whether the field is there and not `null`.
    #[inline(never)]
    pub(crate) fn has_some(&self, field: &str) -> bool {
        !matches!(self.value.field(field), Value::Absent | Value::Null)
    }

    /// Refuses every field that is none of those.
    pub(crate) fn only(&self, names: &[&str]) {
        let Value::Fields(fields) = self.value else { return };
        for (name, value) in fields {
            if *value != Value::Absent && !names.contains(&name.as_str()) {
                self.remember(name, "is no option here");
            }
        }
    }

    /// Whether the field is a text.
    pub(crate) fn is_text(&self, field: &str) -> bool {
        matches!(self.value.field(field), Value::Text(_))
    }

    /// A field that is a text.
    #[inline(never)]
    pub(crate) fn text(&self, field: &str) -> &'a str {
        match self.value.field(field) {
            Value::Text(text) => text,
            _ => self.refuse(field, "must be a text").unwrap_or_default(),
        }
    }

    /// A field that is a text or nothing.
    pub(crate) fn text_or_null(&self, field: &str) -> Option<&'a str> {
        self.has_some(field).then(|| self.text(field))
    }

    /// A field that is true or false.
    #[inline(never)]
    pub(crate) fn flag(&self, field: &str) -> bool {
        match self.value.field(field) {
            Value::Flag(flag) => *flag,
            _ => self.refuse(field, "must be true or false").unwrap_or_default(),
        }
    }

    /// A field that is a number.
    #[inline(never)]
    pub(crate) fn number(&self, field: &str) -> f64 {
        match self.value.field(field) {
            Value::Number(number) => *number,
            _ => self.refuse(field, "must be a number").unwrap_or_default(),
        }
    }

    /// A field that is a whole number in the bounds of its type and of what JavaScript holds exactly.
    #[inline(never)]
    pub(crate) fn whole<T: TryFrom<i64> + Default>(&self, field: &str) -> T {
        let whole = self.value.field(field).whole().and_then(|whole| T::try_from(whole).ok());
        let rule = "must be a whole number in its bounds";
        whole.or_else(|| self.refuse(field, rule)).unwrap_or_default()
    }

    /// A field that is a whole number or nothing.
    pub(crate) fn whole_or_null<T: TryFrom<i64> + Default>(&self, field: &str) -> Option<T> {
        self.has_some(field).then(|| self.whole(field))
    }

    /// A field that is a weight.
    #[inline(never)]
    pub(crate) fn weight(&self, field: &str) -> Weight {
        // What is no number breaks the same rule, and is told so.
        let is_number = matches!(self.value.field(field), Value::Number(_));
        let number = if is_number { self.number(field) } else { f64::NAN };
        match Weight::new(number) {
            Ok(weight) => weight,
            Err(error) => self.refuse(field, error.rule()).unwrap_or_default(),
        }
    }

    /// A field that is a list of texts or nothing.
    pub(crate) fn texts_or_null(&self, field: &str) -> Option<Vec<Box<str>>> {
        if !self.has_some(field) {
            return None;
        }
        let Value::List(items) = self.value.field(field) else {
            return self.refuse(field, "must be a list of texts");
        };
        let mut texts = Vec::new();
        for item in items {
            match item {
                Value::Text(text) => texts.push(text.as_str().into()),
                _ => return self.refuse(field, "must be a list of texts"),
            }
        }
        Some(texts)
    }

    /// A field that is the text of something.
    pub(crate) fn code<T>(
        &self,
        field: &str,
        rule: Rule,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Option<T> {
        let known = self.value.field(field).text().and_then(read);
        known.or_else(|| self.refuse(field, rule))
    }

    /// The fields of a field that is an object.
    pub(crate) fn inner<T>(&self, field: &str, read: impl FnOnce(&Fields<'_>) -> T) -> T {
        let place = Place::Field { outer: self, name: field };
        read(&Fields { value: self.value.field(field), place, broken: self.broken })
    }

    /// The fields of each item of a field that is a list.
    pub(crate) fn each<T>(&self, field: &str, read: impl Fn(&Fields<'_>) -> T) -> Vec<T> {
        let mut all = Vec::new();
        let Value::List(items) = self.value.field(field) else {
            return self.refuse(field, "must be a list").unwrap_or(all);
        };
        for (at, value) in items.iter().enumerate() {
            let place = Place::Item { outer: self, list: field, at };
            all.push(read(&Fields { value, place, broken: self.broken }));
        }
        all
    }

    /// Remembers that a field breaks a rule, unless one did before; answers `None`.
    pub(crate) fn refuse<T>(&self, field: &str, rule: Rule) -> Option<T> {
        self.remember(field, rule);
        None
    }

    #[cold]
    #[inline(never)]
    fn remember(&self, field: &str, rule: Rule) {
        let mut broken = self.broken.borrow_mut();
        if broken.is_none() {
            let mut path = String::new();
            self.write_place(&mut path);
            path.push_str(field);
            *broken = Some(Broken { path, rule });
        }
    }

    /// Writes where the object stands, such as `providers[0].tiers[1].`.
    fn write_place(&self, path: &mut String) {
        match self.place {
            Place::Root => {}
            Place::Field { outer, name } => {
                outer.write_place(path);
                path.push_str(name);
                path.push('.');
            }
            Place::Item { outer, list, at } => {
                outer.write_place(path);
                path.push_str(&format!("{list}[{at}]."));
            }
        }
    }
}
