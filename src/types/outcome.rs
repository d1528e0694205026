//! What came back from one attempt, as facts.

use super::code::coded;

coded! {
    /// How far an attempt had come when it ended.
    #[derive(Default)]
    pub enum Phase {
        /// Nothing reached the provider: sending again cannot do anything twice.
        BeforeSend = "before_send",
        /// The request was sent; whether the provider acted on it is unknown.
        SentNoResponse = "sent_no_response",
        /// A response began, and none of its content has reached the caller.
        BeforeContent = "before_content",
        /// Some content has reached the caller, so the attempt cannot be replaced.
        AfterContent = "after_content",
        /// An ordinary response.
        #[default]
        Response = "response",
    }
}

/// What came back from one attempt.
///
/// ```
/// use keyrota::Outcome;
///
/// let outcome =
///     Outcome { status: Some(429), headers: &[("Retry-After", "30")], ..Outcome::default() };
/// assert_eq!(outcome.header("retry-after"), Some("30"));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome<'a> {
    /// The HTTP status; `None` when no response came.
    pub status: Option<u16>,
    /// The response's headers as sent: names in any case, in any order.
    pub headers: &'a [(&'a str, &'a str)],
    /// The response's body, or one event of its stream; empty when it was not read.
    pub body: &'a str,
    /// Whether the body goes on where it ends here: that its JSON is broken says nothing then.
    pub is_cut: bool,
    /// The error code of the network layer, such as `ECONNREFUSED`, or the name of an abort error.
    pub network_code: Option<&'a str>,
    /// How far the attempt had come.
    pub phase: Phase,
    /// The model that was asked for.
    pub model: Option<&'a str>,
}

impl<'a> Outcome<'a> {
    /// A response of that status and nothing else.
    #[must_use]
    pub fn of_status(status: u16) -> Self {
        Self { status: Some(status), ..Self::default() }
    }

    /// The first value of a header; names are compared without case.
    #[inline(never)]
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&'a str> {
        let is_it = |known: &&(&'a str, &'a str)| known.0.eq_ignore_ascii_case(name);
        self.headers.iter().find(is_it).map(|&(_, value)| value)
    }
}
