//! Server-sent events: the frame around the JSON (WHATWG HTML, section 9.2).

/// More events than any caller hands over at once; an error comes alone or last.
const MOST_EVENTS: usize = 512;

/// How DashScope begins the comment that it writes a status into: `:HTTP_STATUS/429`.
const STATUS: &str = ":HTTP_STATUS/";

/// One event.
#[derive(Debug, Default)]
pub(super) struct Event {
    /// Its data, lines joined.
    pub data: String,
    /// Whether it is called an error.
    pub is_error: bool,
    /// The status that DashScope writes into a comment.
    pub status: Option<u16>,
}

/// Whether a text is a stream of events and not JSON or a page.
pub(super) fn is_events(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    ["data:", "event:", "id:", "retry:", ":"].into_iter().any(|field| text.starts_with(field))
}

/// Whether an event says nothing but that the stream goes on or ends.
pub(super) fn is_nothing(text: &str) -> bool {
    let is_comment = |line: &str| line.starts_with(':') && !line.starts_with(STATUS);
    text.trim() == "[DONE]" || text.lines().all(|line| line.trim().is_empty() || is_comment(line))
}

/// The events of a text.
pub(super) fn events(text: &str) -> impl Iterator<Item = Event> {
    let mut lines = text.trim_start_matches('\u{feff}').lines();
    let next = move || {
        let mut event = Event::default();
        let mut is_there = false;
        for line in lines.by_ref() {
            if line.trim().is_empty() {
                if is_there {
                    break;
                }
                continue;
            }
            is_there = true;
            if let Some(status) = line.strip_prefix(STATUS) {
                event.status = status.trim().parse().ok();
            } else if let Some(name) = line.strip_prefix("event:") {
                event.is_error = matches!(name.trim(), "error" | "exception");
            } else if let Some(data) = line.strip_prefix("data:") {
                event.data.push_str(data);
                event.data.push('\n');
            }
        }
        is_there.then_some(event)
    };
    std::iter::from_fn(next).take(MOST_EVENTS)
}
