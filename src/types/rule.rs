//! The caller's own rules about outcomes.

use super::fields::Fields;
use super::time::Millis;
use super::value::{Broken, Rule, Value};
use super::verdict::{Class, Scope};

/// A rule of the caller: when an outcome meets every condition that is given, it means what the effect
/// says, whatever the built-in rules know.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ErrorRule {
    /// The HTTP status.
    pub status: Option<u16>,
    /// A code in any structured field of the error (`code`, `type`, `status`, `reason`, …), or of the
    /// network layer; ASCII case does not matter.
    pub code: Option<Box<str>>,
    /// A text anywhere in the first 64 KB of the raw body; ASCII case does not matter.
    pub body_includes: Option<Box<str>>,
    /// The dialect.
    pub provider: Option<Box<str>>,
    /// What it means.
    pub effect: Effect,
}

/// What an outcome means by a rule of the caller.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Effect {
    /// What kind of thing happened.
    pub class: Class,
    /// What it is about; by default what this class is usually about.
    pub scope: Option<Scope>,
    /// How long to wait; by default what the outcome states.
    pub wait_ms: Option<Millis>,
    /// Whether the credential is dead; by default it is not.
    pub disable: Option<bool>,
    /// Whether another credential may fare better; by default what is usual for the class.
    pub retry_other: Option<bool>,
}

impl ErrorRule {
    /// The most rules that a list may have: each is asked of each outcome.
    pub const MOST: usize = 100;

    /// The rule for a list that is too long.
    pub(crate) const TOO_MANY: Rule = "must have at most 100 rules";

    /// A wait of 400 days: what is longer is a mistake in the unit.
    const LONGEST_WAIT_MS: u64 = 400 * 86_400_000;

    /// Reads the rules of an object: its field `rules`, a list of at most [`ErrorRule::MOST`].
    ///
    /// # Errors
    ///
    /// [`Broken`]: the first field that breaks a rule, such as `rules[2].effect.class`.
    ///
    /// ```
    /// use keyrota::{Class, ErrorRule, Value};
    ///
    /// let rule = Value::object()
    ///     .with("bodyIncludes", "out of coffee")
    ///     .with("effect", Value::object().with("class", Class::Overloaded));
    /// let options = Value::object().with("rules", Value::list([rule]));
    /// let rules = ErrorRule::list(&options)?;
    /// assert_eq!(rules[0].effect.class, Class::Overloaded);
    ///
    /// let error = ErrorRule::list(&Value::object().with("rules", Value::list([Value::object()])));
    /// assert!(error.is_err(), "a rule without a condition would mean everything");
    /// # Ok::<(), keyrota::Broken>(())
    /// ```
    pub fn list(options: &Value) -> Result<Vec<Self>, Broken> {
        options.read(|fields| Self::read_all(fields, "rules"))
    }

    /// Reads a list of rules; what breaks one is remembered by the fields.
    pub(crate) fn read_all(fields: &Fields<'_>, field: &str) -> Vec<Self> {
        let rules = fields.each(field, Self::read);
        if rules.len() > Self::MOST {
            return fields.refuse(field, Self::TOO_MANY).unwrap_or_default();
        }
        rules.into_iter().flatten().collect()
    }

    /// Reads one rule; `None`, and the fields remember why, when it is none.
    pub(crate) fn read(fields: &Fields<'_>) -> Option<Self> {
        fields.only(&["status", "code", "bodyIncludes", "provider", "effect"]);
        let conditions = ["status", "code", "bodyIncludes", "provider"];
        if !conditions.into_iter().any(|name| fields.has_some(name)) {
            return fields.refuse("status", "must be given, or code, bodyIncludes or provider");
        }
        let text = |name| {
            let text = fields.text_or_null(name)?;
            if text.is_empty() {
                // Every body includes nothing.
                return fields.refuse(name, "must not be empty");
            }
            Some(text.into())
        };
        let status = fields.whole_or_null("status");
        if status.is_some_and(|status| !(100..=999).contains(&status)) {
            return fields.refuse("status", "must be an HTTP status");
        }
        let (code, body_includes, provider) =
            (text("code"), text("bodyIncludes"), text("provider"));
        let effect = if fields.is_text("effect") {
            Effect::usual(fields.code("effect", Effect::NO_CLASS, Class::from_code)?)
        } else {
            fields.inner("effect", Effect::read)?
        };
        Some(Self { status, code, body_includes, provider, effect })
    }
}

impl Effect {
    const NO_CLASS: Rule = "must be a class of verdicts";

    /// What is usual for a class: its name alone stands for that.
    const fn usual(class: Class) -> Self {
        Self { class, scope: None, wait_ms: None, disable: None, retry_other: None }
    }

    fn read(fields: &Fields<'_>) -> Option<Self> {
        fields.only(&["class", "scope", "waitMs", "disable", "retryOther"]);
        let flag = |name| fields.has_some(name).then(|| fields.flag(name));
        let class = fields.code("class", Self::NO_CLASS, Class::from_code);
        let scope = fields
            .has_some("scope")
            .then(|| fields.code("scope", "must be a scope of verdicts", Scope::from_code))
            .flatten();
        let wait_ms = fields.whole_or_null::<u64>("waitMs");
        if wait_ms.is_some_and(|wait| !(1..=ErrorRule::LONGEST_WAIT_MS).contains(&wait)) {
            return fields.refuse("waitMs", "must be from 1 ms to 400 days");
        }
        let disable = flag("disable");
        if disable == Some(true) && class == Some(Class::Ok) {
            return fields.refuse("disable", "must not be true for what is ok");
        }
        Some(Self {
            class: class?,
            scope,
            wait_ms: wait_ms.map(Millis),
            disable,
            retry_other: flag("retryOther"),
        })
    }
}

impl From<&ErrorRule> for Value {
    fn from(rule: &ErrorRule) -> Self {
        let effect = &rule.effect;
        Self::object()
            .with("status", rule.status.map(u32::from))
            .with("code", rule.code.as_deref())
            .with("bodyIncludes", rule.body_includes.as_deref())
            .with("provider", rule.provider.as_deref())
            .with(
                "effect",
                Self::object()
                    .with("class", effect.class)
                    .with("scope", effect.scope)
                    .with("waitMs", effect.wait_ms)
                    .with("disable", effect.disable)
                    .with("retryOther", effect.retry_other),
            )
    }
}

#[cfg(test)]
mod tests {
    use super::{Broken, Class, ErrorRule, Scope, Value};

    fn read(json: &str) -> Result<Option<ErrorRule>, Broken> {
        let value: Value = serde_json::from_str(json).expect("JSON");
        value.read(ErrorRule::read)
    }

    #[test]
    fn a_rule_comes_back_as_it_was_written() {
        let json = r#"{"status": 402, "code": "x", "bodyIncludes": "y", "provider": "openai", "effect":
            {"class": "quota_exhausted", "scope": "account", "waitMs": 5, "disable": false, "retryOther": true}}"#;
        let rule = read(json).expect("it is a rule").expect("it is there");
        assert_eq!(
            (rule.effect.class, rule.effect.scope),
            (Class::QuotaExhausted, Some(Scope::Account))
        );
        assert_eq!(Value::from(&rule).read(ErrorRule::read), Ok(Some(rule)));
    }

    #[test]
    fn the_name_of_a_class_is_its_usual_effect() {
        let short = read(r#"{"status": 418, "effect": "overloaded"}"#).expect("it is a rule");
        let long = read(r#"{"status": 418, "effect": {"class": "overloaded"}}"#);
        assert_eq!(short.as_ref().map(|rule| rule.effect.class), Some(Class::Overloaded));
        assert_eq!(Ok(short), long);
    }

    #[test]
    fn what_is_no_rule_is_refused_with_its_place() {
        for (json, path) in [
            (r#"{"effect": {"class": "ok"}}"#, "status"),
            (r#"{"status": 4, "effect": {"class": "ok"}}"#, "status"),
            (r#"{"status": "429", "effect": {"class": "ok"}}"#, "status"),
            (r#"{"code": "", "effect": {"class": "ok"}}"#, "code"),
            (r#"{"code": 5, "effect": {"class": "ok"}}"#, "code"),
            (r#"{"code": "x"}"#, "effect.class"),
            (r#"{"code": "x", "effect": {"class": "dead"}}"#, "effect.class"),
            (r#"{"code": "x", "effect": "dead"}"#, "effect"),
            (r#"{"code": "x", "effect": 5}"#, "effect.class"),
            (r#"{"code": "x", "effect": {"class": "ok", "scope": "key"}}"#, "effect.scope"),
            (r#"{"code": "x", "effect": {"class": "ok", "waitMs": 0}}"#, "effect.waitMs"),
            (r#"{"code": "x", "effect": {"class": "ok", "waitMs": 1e12}}"#, "effect.waitMs"),
            (r#"{"code": "x", "effect": {"class": "ok", "disable": 1}}"#, "effect.disable"),
        ] {
            assert_eq!(read(json).expect_err(json).path, path, "{json}");
        }
    }

    #[test]
    fn a_list_has_at_most_a_hundred_rules() {
        let rules = |many: usize| {
            let rule = Value::object()
                .with("status", 418)
                .with("effect", Value::object().with("class", Class::ClientError));
            let list = Value::object().with("rules", Value::List(vec![rule; many]));
            ErrorRule::list(&list).map(|rules| rules.len())
        };
        assert_eq!(rules(100), Ok(100));
        assert_eq!(rules(101).expect_err("too many").path, "rules");
    }
}
