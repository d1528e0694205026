//! A row of the loader: what the app's storage says of one credential.

use crate::error::InvalidRow;
use crate::types::{Broken, Fields, Value, Weight};

/// What a credential is.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Kind {
    /// A key that works until it is revoked.
    #[default]
    ApiKey,
    /// An account whose owner has to authorise its use.
    Subscription {
        /// Whether the authorisation is good. While it is not, the account serves nobody.
        authorized: bool,
    },
}

impl Kind {
    /// Whether the authorisation that it needs is good.
    pub(crate) const fn is_authorized(self) -> bool {
        !matches!(self, Self::Subscription { authorized: false })
    }
}

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
    /// Those of the same quota group share an account, and what its provider says of it.
    pub quota_group: Option<Box<str>>,
    /// Whether a new secret can be asked for when this one is refused. Default false.
    pub refreshable: bool,
    /// How many leases on it may be in flight at once; `None`, the default: any number.
    pub max_concurrent: Option<u32>,
    /// An API key, the default, or a subscription account.
    pub kind: Kind,
    /// Tells across restarts whether the secret was replaced.
    pub secret_version: Option<Box<str>>,
    /// Whether the secret differs from the one that this id had before, in this process.
    pub secret_changed: bool,
    /// Whether the secret names a variable that is not set.
    pub secret_unresolved: bool,
}

impl Row {
    /// The greatest [cap](Self::max_concurrent) that a row may name.
    pub const MOST_CONCURRENT: u32 = 1_000_000;

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
            quota_group: None,
            refreshable: false,
            max_concurrent: None,
            kind: Kind::ApiKey,
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
        let invalid = |id: &str, field: &str, rule: &str| InvalidRow {
            row: at,
            id: id.to_owned(),
            field: field.to_owned(),
            rule: rule.to_owned(),
        };
        if !matches!(value, Value::Fields(_)) {
            return Err(invalid("", "row", "must be an object"));
        }
        let id = value.field("id").text().map_or("", str::trim);
        if id.is_empty() {
            return Err(invalid("", "id", "must be a text that is not empty"));
        }
        if let Some(rule) = value.field("secretRule").text() {
            return Err(invalid(id, "secret", rule));
        }
        let row = value.read(|fields| Self::read(id, fields));
        row.map_err(|Broken { path, rule }| invalid(id, &path, rule))
    }

    fn read(id: &str, fields: &Fields<'_>) -> Self {
        Self {
            id: id.into(),
            label: fields.text_or_null("label").map(Into::into),
            enabled: !fields.has("enabled") || fields.flag("enabled"),
            weight: if fields.has("weight") { fields.weight("weight") } else { Weight::default() },
            order: if fields.has("order") { fields.whole("order") } else { 0 },
            priority: if fields.has("priority") { fields.whole("priority") } else { 0 },
            models: fields.texts_or_null("models"),
            quota_group: fields.text_or_null("quotaGroup").map(Into::into),
            refreshable: fields.has("refreshable") && fields.flag("refreshable"),
            max_concurrent: Self::read_cap(fields),
            kind: Self::read_kind(fields),
            secret_version: fields.text_or_null("secretVersion").map(Into::into),
            secret_changed: fields.has("secretChanged") && fields.flag("secretChanged"),
            secret_unresolved: fields.has("secretUnresolved") && fields.flag("secretUnresolved"),
        }
    }

    fn read_cap(fields: &Fields<'_>) -> Option<u32> {
        let cap = fields.value_of("maxConcurrent");
        let whole = cap.whole().and_then(|whole| u32::try_from(whole).ok());
        match (cap, whole) {
            (Value::Absent | Value::Null, _) => None,
            (_, Some(1..=Self::MOST_CONCURRENT)) => whole,
            _ => fields.refuse("maxConcurrent", "must be a whole number from 1 to 1000000"),
        }
    }

    fn read_kind(fields: &Fields<'_>) -> Kind {
        let authorized = !fields.has("authorized") || fields.flag("authorized");
        let named = fields.has("kind").then(|| fields.value_of("kind").text());
        match named {
            Some(Some("subscription")) => Kind::Subscription { authorized },
            None | Some(Some("api-key")) => {
                if !authorized {
                    // A row that means to take a key out says `enabled: false`.
                    fields.refuse::<()>("authorized", "must be true unless kind is subscription");
                }
                Kind::ApiKey
            }
            Some(_) => fields.refuse("kind", "must be api-key or subscription").unwrap_or_default(),
        }
    }
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
    fn a_cap_is_a_whole_number_from_1_to_a_million_or_none() {
        let read =
            |value| Row::parse(0, &row("maxConcurrent", value)).map(|row| row.max_concurrent);
        for (value, cap) in [(1.0, 1), (1_000_000.0, 1_000_000)] {
            assert_eq!(read(Value::Number(value)), Ok(Some(cap)));
        }
        assert_eq!([read(Value::Null), read(Value::Absent)], [Ok(None), Ok(None)]);
        let numbers = [0.0, -1.0, 1.5, 1_000_001.0, 5e9, f64::NAN].map(Value::Number);
        for value in numbers.into_iter().chain([Value::Text("2".to_owned()), Value::Flag(true)]) {
            assert_eq!(
                read(value.clone()).expect_err("no cap").field,
                "maxConcurrent",
                "{value:?}"
            );
        }
    }

    #[test]
    fn only_a_subscription_can_lack_its_authorisation() {
        let read = |kind: Value, authorized: Value| {
            let fields = [("id", "a".into()), ("kind", kind), ("authorized", authorized)];
            let fields = fields.map(|(name, value): (&str, Value)| (name.to_owned(), value));
            let row = Row::parse(0, &Value::Fields(fields.to_vec()));
            row.map(|row| row.kind).map_err(|invalid| invalid.field)
        };
        let subscription = |authorized| Ok(super::Kind::Subscription { authorized });
        assert_eq!(read("subscription".into(), Value::Absent), subscription(true));
        assert_eq!(read("subscription".into(), Value::Flag(false)), subscription(false));
        assert_eq!(read("api-key".into(), Value::Flag(true)), Ok(super::Kind::ApiKey));
        assert_eq!(read(Value::Absent, Value::Absent), Ok(super::Kind::ApiKey));
        for (kind, authorized, field) in [
            ("api-key".into(), Value::Flag(false), "authorized"),
            (Value::Absent, Value::Flag(false), "authorized"),
            ("subscription".into(), Value::Null, "authorized"),
            ("account".into(), Value::Absent, "kind"),
            (Value::Null, Value::Absent, "kind"),
            (Value::Number(1.0), Value::Absent, "kind"),
        ] {
            assert_eq!(read(kind, authorized), Err(field.to_owned()));
        }
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
