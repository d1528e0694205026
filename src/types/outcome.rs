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
/// let outcome = Outcome { status: Some(429), retry_after: Some("30"), ..Outcome::default() };
/// assert_eq!(outcome.network_code, None);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome<'a> {
    /// The HTTP status; `None` when no response came.
    pub status: Option<u16>,
    /// The `retry-after-ms` header, as sent.
    pub retry_after_ms: Option<&'a str>,
    /// The `retry-after` header, as sent.
    pub retry_after: Option<&'a str>,
    /// The `date` header, as sent: the provider's clock, against which its dates are measured.
    pub date: Option<&'a str>,
    /// The error code of the network layer, such as `ECONNREFUSED`, or the name of an abort error.
    pub network_code: Option<&'a str>,
    /// How far the attempt had come.
    pub phase: Phase,
}

impl Outcome<'_> {
    /// A response of that status and nothing else.
    #[must_use]
    pub fn of_status(status: u16) -> Self {
        Self { status: Some(status), ..Self::default() }
    }
}
