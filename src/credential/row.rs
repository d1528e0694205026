//! A row of the loader: what the app's storage says of one credential.

use crate::error::InvalidRow;
use crate::types::{Broken, Rule, Value, Weight};

/// A row of the loader, checked, without its secret.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Unique in the pool.
    pub id: Box<str>,
    /// For people to read.
    pub label: Option<Box<str>>,
    /// Whether a person has it switched on. Default true.
    pub enabled: bool,
    /// Its share of the traffic. Default 1.
    pub weight: Weight,
    /// Its place in the list; rows of equal order keep their order. Default 0.
    pub order: i32,
    /// The highest priority that has a usable credential serves. Default 0.
    pub priority: i32,
    /// The models that it serves; `None`: every model.
    pub models: Option<Vec<Box<str>>>,
    /// Tells across restarts whether the secret was replaced.
    pub secret_version: Option<Box<str>>,
    /// Whether the secret differs from the one that this id had before, in this process.
    pub secret_changed: bool,
    /// Whether the secret names a variable that is not set.
    pub secret_unresolved: bool,
}

impl Row {
    /// A row of that id, everything else by default.
    #[must_use]
    pub fn new(id: &str) -> Self {
        Self {
            id: id.into(),
            label: None,
            enabled: true,
            weight: Weight::default(),
            order: 0,
            priority: 0,
            models: None,
            secret_version: None,
            secret_changed: false,
            secret_unresolved: false,
        }
    }
}

impl Row {
    /// Reads the row at place `at` of what a loader answered, without its secret.
    ///
    /// `secretRule` says what is wrong with the secret, which only the caller sees.
    ///
    /// # Errors
    ///
    /// [`InvalidRow`], which names the field and the rule; the row is to be passed over.
    pub fn parse(at: usize, value: &Value) -> Result<Self, InvalidRow> {
        let invalid = |id: &str, field: &str, rule: Rule| InvalidRow {
            row: at,
            id: id.to_owned(),
            field: field.to_owned(),
            rule: rule.to_owned(),
        };
        if !matches!(value, Value::Fields(_)) {
            return Err(invalid("", "row", "must be an object"));
        }
        let id = match value.field("id").text().map(str::trim) {
            Ok(id) if !id.is_empty() => id,
            _ => return Err(invalid("", "id", "must be a text that is not empty")),
        };
        if let Ok(rule) = value.field("secretRule").text() {
            let field = "secret".to_owned();
            return Err(InvalidRow { row: at, id: id.to_owned(), field, rule: rule.to_owned() });
        }
        Self::read(id, value).map_err(|Broken { path, rule }| invalid(id, &path, rule))
    }

    fn read(id: &str, value: &Value) -> Result<Self, Broken> {
        let text = |value: &Value| value.given_or_null().map(boxed).transpose();
        let flag = |value: &Value, default| value.given().map_or(Ok(default), Value::flag);
        let whole = |value: &Value| value.given().map_or(Ok(0), Value::whole);
        let weight = |value: &Value| match value.given() {
            Some(value) => value.number().and_then(|n| Weight::new(n).map_err(|e| e.rule())),
            None => Ok(Weight::default()),
        };
        let models = |value: &Value| {
            let Some(models) = value.given_or_null() else { return Ok(None) };
            let rule = "must be a list of texts";
            let models = models.list().map_err(|_| rule)?.iter().map(boxed);
            models.collect::<Result<_, _>>().map(Some).map_err(|_| rule)
        };
        Ok(Self {
            id: id.into(),
            label: value.read("label", text)?,
            enabled: value.read("enabled", |v| flag(v, true))?,
            weight: value.read("weight", weight)?,
            order: value.read("order", whole)?,
            priority: value.read("priority", whole)?,
            models: value.read("models", models)?,
            secret_version: value.read("secretVersion", text)?,
            secret_changed: value.read("secretChanged", |v| flag(v, false))?,
            secret_unresolved: value.read("secretUnresolved", |v| flag(v, false))?,
        })
    }
}

fn boxed(value: &Value) -> Result<Box<str>, Rule> {
    value.text().map(Into::into)
}

#[cfg(test)]
mod tests {
    use super::{Row, Value};

    fn row(field: &str, value: Value) -> Value {
        Value::Fields(vec![
            ("id".to_owned(), Value::Text("a".to_owned())),
            (field.to_owned(), value),
        ])
    }

    #[test]
    fn a_weight_that_is_no_whole_number_from_1_to_100_is_named_with_its_rule() {
        let text = Value::Text("2".to_owned());
        let numbers = [0.0, 101.0, 1.5, -1.0, f64::NAN, f64::INFINITY].map(Value::Number);
        for weight in numbers.into_iter().chain([text, Value::Null, Value::Flag(true)]) {
            let invalid = Row::parse(4, &row("weight", weight.clone())).expect_err("no weight");
            assert_eq!(
                (invalid.row, &*invalid.id, &*invalid.field),
                (4, "a", "weight"),
                "{weight:?}"
            );
        }
        assert_eq!(
            Row::parse(0, &row("weight", Value::Absent)).map(|row| row.weight.shares()),
            Ok(1)
        );
        assert_eq!(
            Row::parse(0, &row("weight", Value::Number(100.0))).map(|row| row.weight.shares()),
            Ok(100)
        );
    }

    #[test]
    fn what_is_no_row_is_named_as_such() {
        for value in [Value::Null, Value::Text("sk".to_owned()), Value::List(Vec::new())] {
            assert_eq!(Row::parse(0, &value).expect_err("no row").field, "row");
        }
        let unnamed = Value::Fields(vec![("id".to_owned(), Value::Text("  ".to_owned()))]);
        assert_eq!(Row::parse(0, &unnamed).expect_err("no id").field, "id");
    }
}
