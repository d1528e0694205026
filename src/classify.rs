//! What an outcome means: the pure function from fact to judgement.
//!
//! **The surest evidence decides.** In this order: the caller's own rules; a structured code of that
//! provider; a known sentence in a field of its error; a page of something in front of the provider; the
//! status. What a model wrote is never evidence, and neither is a prompt that an error repeats.
//!
//! What providers say stands in the tables of `rules`; how long they say to wait is found by `wait`.

mod edge;
mod json;
mod network;
mod own;
mod rules;
mod said;
mod stream;
mod wait;

use self::rules::{Dialect, Meaning};
use self::said::Said;
use crate::types::{Class, ErrorRule, Evidence, Outcome, Phase, Scope, Verdict, Wall, coded};

coded! {
    /// Which policy reads the outcomes.
    pub enum PolicyName {
        /// The documented service: the status alone.
        Classic = "classic",
        /// The whole outcome.
        Adaptive = "adaptive",
    }
}

/// Whether a name leads to rules of its own: a dialect, an alias, or a name that begins with one.
///
/// ```
/// assert!(keyrota::knows_dialect("zhipu-anthropic"));
/// assert!(!keyrota::knows_dialect("team-a"));
/// ```
#[must_use]
pub fn knows_dialect(name: &str) -> bool {
    rules::is_known(name)
}

/// Headers are read this far: limits are compared with one another, and the time stays bounded.
const MOST_HEADERS: usize = 256;

/// Judges what came back from one attempt, at the caller's time `now`.
///
/// `dialect` names the provider whose rules read it, such as `openai` or `zhipu`; of an unknown one only
/// what all have in common is understood. The first of `own` that fits decides before everything else.
///
/// Total: any outcome has a verdict, in bounded time; of a body the first 64 KB are read, and of headers
/// the first 256. A wait is between 1 ms and 400 days.
///
/// ```
/// use keyrota::{Class, Millis, Outcome, Scope, Wall, classify};
///
/// let body = r#"{"error": {"code": "insufficient_quota", "message": "You exceeded your current quota"}}"#;
/// let outcome = Outcome { status: Some(429), body, ..Outcome::default() };
/// let verdict = classify("openai", &[], &outcome, Wall(0));
/// assert_eq!((verdict.class, verdict.scope), (Class::QuotaExhausted, Scope::Account));
///
/// let headers = [("Retry-After", "30")];
/// let outcome = Outcome { status: Some(429), headers: &headers, ..Outcome::default() };
/// let verdict = classify("openai", &[], &outcome, Wall(0));
/// assert_eq!((verdict.class, verdict.wait_ms), (Class::RateLimited, Some(Millis(30_000))));
/// ```
#[must_use]
pub fn classify(dialect: &str, own: &[ErrorRule], outcome: &Outcome<'_>, now: Wall) -> Verdict {
    let headers = outcome.headers.get(..MOST_HEADERS).unwrap_or(outcome.headers);
    let outcome = &Outcome { headers, ..*outcome };
    let judge = Judge { name: dialect, dialect: rules::dialect(dialect), own, outcome, now };
    if stream::is_events(outcome.body) {
        return judge.events();
    }
    judge.verdict(&Said::read(outcome, outcome.body))
}

/// Judges one event of a stream that began well: its `data:` lines, or its JSON alone.
///
/// `[DONE]`, a comment and an ordinary chunk are ok. The outcome has the event as its body; a status is
/// not needed, and the phase says whether content has reached the caller.
///
/// ```
/// use keyrota::{Class, Outcome, Phase, Wall, classify_stream_event};
///
/// let event = r#"data: {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}"#;
/// let outcome = Outcome { body: event, phase: Phase::AfterContent, ..Outcome::default() };
/// let verdict = classify_stream_event("anthropic", &[], &outcome, Wall(0));
/// assert_eq!((verdict.class, verdict.retry_other), (Class::Overloaded, false));
/// ```
#[must_use]
pub fn classify_stream_event(
    dialect: &str,
    own: &[ErrorRule],
    outcome: &Outcome<'_>,
    now: Wall,
) -> Verdict {
    let began = Outcome { status: Some(outcome.status.unwrap_or(200)), ..*outcome };
    if began.status == Some(200) && stream::is_nothing(began.body) {
        return Judge::ok();
    }
    classify(dialect, own, &began, now)
}

/// Judges as the documented service does: by the status alone, and without a wait.
///
/// ```
/// use keyrota::{Class, Outcome, classic};
///
/// let headers = [("retry-after", "30")];
/// let outcome = Outcome { status: Some(429), headers: &headers, ..Outcome::default() };
/// let verdict = classic(&outcome);
/// assert_eq!((verdict.class, verdict.wait_ms), (Class::RateLimited, None));
/// ```
#[must_use]
pub fn classic(outcome: &Outcome<'_>) -> Verdict {
    let meaning = match outcome.status {
        Some(status) => own::classic(status),
        None => own::classic_network(outcome),
    };
    settle(meaning, Evidence::Status, outcome)
}

/// All that a verdict depends on.
struct Judge<'a> {
    name: &'a str,
    dialect: &'static Dialect,
    own: &'a [ErrorRule],
    outcome: &'a Outcome<'a>,
    now: Wall,
}

impl Judge<'_> {
    fn ok() -> Verdict {
        settle(rules::OK, Evidence::Status, &Outcome::default())
    }

    /// The first event that is an error decides; if none is, the stream is what its status says.
    fn events(&self) -> Verdict {
        for event in stream::events(said::start_of(self.outcome.body)) {
            let mut outcome = *self.outcome;
            // An event may name the status that an ordinary response would have had.
            outcome.status = event.status.or(outcome.status);
            let mut said = Said::read(&outcome, &event.data);
            said.is_error |= event.is_error;
            if said.is_error {
                return self.verdict(&said);
            }
        }
        self.verdict(&Said::read(self.outcome, ""))
    }

    fn verdict(&self, said: &Said<'_>) -> Verdict {
        if let Some(verdict) = self.by_own_rule(said) {
            return verdict;
        }
        let (meaning, evidence) = self.meaning(said);
        let mut verdict = settle(meaning, evidence, self.outcome);
        self.state_wait(&mut verdict, said, meaning);
        verdict
    }

    /// The order of evidence.
    fn meaning(&self, said: &Said<'_>) -> (Meaning, Evidence) {
        let network = self.outcome.network_code;
        let Some(status) = self.outcome.status else {
            let code = network.unwrap_or_default();
            let evidence = if code.is_empty() { Evidence::Status } else { Evidence::Code };
            return (network::meaning(code, self.outcome.phase), evidence);
        };
        if status < 400 && !said.is_error {
            return match network {
                Some(code) => (network::meaning(code, self.outcome.phase), Evidence::Code),
                None => edge::of_no_error(said),
            };
        }
        let (meaning, evidence) = self
            .dialect
            .said(said)
            .or_else(|| edge::page(said))
            .unwrap_or_else(|| self.dialect.status(said));
        (edge::vetoed(meaning, said), evidence)
    }

    fn by_own_rule(&self, said: &Said<'_>) -> Option<Verdict> {
        let rule = self.own.iter().find(|rule| own::fits(rule, self.name, said))?;
        let meaning = own::meaning(&rule.effect);
        let mut verdict = settle(meaning, Evidence::Code, self.outcome);
        match rule.effect.wait_ms {
            Some(wait) => {
                verdict.wait_ms = Some(wait);
                verdict.wait_from = Some("rule".into());
            }
            None => self.state_wait(&mut verdict, said, meaning),
        }
        Some(verdict)
    }

    fn state_wait(&self, verdict: &mut Verdict, said: &Said<'_>, meaning: Meaning) {
        let clock = wait::Clock::of(said, self.dialect, self.now);
        if let Some((wait, from)) = wait::find(said, meaning, clock) {
            verdict.wait_ms = Some(wait);
            verdict.wait_from = Some(from.into());
        }
    }
}

/// What a meaning is for this outcome.
fn settle(meaning: Meaning, evidence: Evidence, outcome: &Outcome<'_>) -> Verdict {
    let scope = match (meaning.scope, outcome.model) {
        // Without a model there is no pair to set apart.
        (Scope::Model, None) => Scope::Credential,
        (scope, _) => scope,
    };
    Verdict {
        class: meaning.class,
        scope,
        wait_ms: None,
        wait_from: None,
        evidence,
        disable: meaning.disable,
        // What has reached the caller cannot be taken back.
        retry_other: meaning.retry_other
            && outcome.phase != Phase::AfterContent
            && meaning.class != Class::Ok,
    }
}
