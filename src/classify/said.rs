//! What the provider said: the codes, sentences and fields of an outcome, before anyone judges them.

use super::json::{self, Leaf, Shape};
use super::rules::{self, find};
use super::wait::header;
use crate::types::Outcome;

/// Bodies are read this far, in bytes: errors are shorter, and the time stays bounded.
const LONGEST_BODY: usize = 64 * 1_024;

/// A plain text above this is no sentence for people, in bytes.
const LONGEST_TEXT: usize = 1_024;

/// Names of fields that hold a code, wherever in an error they stand.
const CODES: &[&str] = &[
    "__type",
    "code",
    "err_code",
    "error_code",
    "error_type",
    "errorcode",
    "errortype",
    "limit_source",
    "quota_limit",
    "quota_metric",
    "quotaid",
    "quotametric",
    "reason",
    "status",
    "status_code",
    "type",
];

/// Where the sentence for people stands. Nothing else is matched against known sentences.
const SENTENCES: &[&str] = &[
    "base_resp.status_msg",
    "detail",
    "detail.message",
    "detail.msg",
    "error",
    "error.detail",
    "error.error",
    "error.error.message",
    "error.message",
    "error.message.message",
    "error.msg",
    "error_description",
    "error_message",
    "error_msg",
    "errormessage",
    "errors",
    "errors.message",
    "message",
    "msg",
];

/// Where a status may stand inside a body.
const STATUSES: &[&str] = &[
    "error.code",
    "error.status",
    "error.status_code",
    "error.http_code",
    "code",
    "status",
    "status_code",
    "error.error.code",
];

/// What was said, ready to be compared.
#[derive(Debug)]
pub(super) struct Said<'a> {
    /// What came back.
    pub outcome: &'a Outcome<'a>,
    /// The status that counts: of an error inside a 200, the one that it names; 0 for none.
    pub status: u16,
    /// The start of the body.
    pub body: &'a str,
    /// The fields of the body's error.
    pub leaves: Vec<Leaf>,
    /// Whether the body was JSON.
    pub shape: Shape,
    /// The sentences for people.
    sentences: Vec<String>,
    /// Every structured code: as written, without name spaces.
    pub codes: Vec<String>,
    /// Whether the body says that something went wrong, whatever the status.
    pub is_error: bool,
}

impl<'a> Said<'a> {
    /// Reads an outcome whose body is `body`: the whole, or one event of a stream.
    pub fn read(outcome: &'a Outcome<'a>, body: &'a str) -> Self {
        let body = start_of(body);
        let mut leaves = Vec::new();
        let shape = json::read(body, &mut leaves);
        unwrap_texts(&mut leaves);
        let mut exceptions = Vec::new();
        for leaf in &mut leaves {
            exceptions.extend(unwrap_path(leaf));
        }
        leaves.extend(exceptions);
        let status = outcome.status.unwrap_or(0);
        let mut said = Self {
            outcome,
            status,
            body,
            leaves,
            shape,
            sentences: Vec::new(),
            codes: Vec::new(),
            is_error: false,
        };
        said.is_error = said.says_error();
        if said.status < 400
            && said.is_error
            && let Some(inner) = said.inner_status()
        {
            said.status = inner;
        }
        said.sentences = said.all_sentences();
        said.codes = said.all_codes();
        said
    }

    /// The value of a field, by its path in lower case.
    #[inline(never)]
    pub fn field(&self, path: &str) -> Option<&str> {
        self.leaves.iter().find(|leaf| leaf.path == path).map(|leaf| leaf.text.as_str())
    }

    /// The sentences for people.
    pub fn sentences(&self) -> impl Iterator<Item = &str> {
        self.sentences.iter().map(String::as_str)
    }

    /// Whether the body has fields.
    pub fn is_json(&self) -> bool {
        !self.leaves.is_empty()
    }

    fn says_error(&self) -> bool {
        let says = |path: &str, no: &[&str]| {
            self.field(path).is_some_and(|text| !no.contains(&text) && !text.is_empty())
        };
        const NO: &[&str] = &["false", "0", "ok", "OK", "success"];
        says("error", NO)
            || self.leaves.iter().any(|leaf| leaf.path.starts_with("error."))
            || says("base_resp.status_code", NO)
            || says("error_code", NO)
            || says("exception", NO)
            || says("__type", NO)
            || self.field("type").is_some_and(|kind| matches!(kind, "error" | "response.failed"))
            || self.field("object") == Some("error")
            || self.field("success") == Some("false")
            || self.outcome.header("x-amzn-errortype").is_some()
            || self.outcome.header(":message-type").is_some_and(|kind| kind != "event")
            || self.is_flat_error()
    }

    /// `{"code": "Throttling", "message": "…"}` without anything else that would be an answer.
    fn is_flat_error(&self) -> bool {
        let code = self.field("code").filter(|code| !matches!(*code, "" | "0" | "200" | "Success"));
        let is_answer = |path| self.field(path).is_some();
        code.is_some()
            && (self.field("message").is_some() || self.field("msg").is_some())
            && !["choices", "candidates", "output", "content", "data"].into_iter().any(is_answer)
    }

    fn inner_status(&self) -> Option<u16> {
        let read =
            |path: &&str| self.field(path)?.parse().ok().filter(|code| (400..600).contains(code));
        let by_name = |path| rules::status_of(self.field(path)?);
        let by_type = || ["error.type", "error.status"].into_iter().find_map(by_name);
        // DeepSeek's code is `invalid_request_error` whatever happened.
        let by_code = || by_name("error.code").filter(|status| *status != 400);
        STATUSES.iter().find_map(read).or_else(by_type).or_else(by_code)
    }

    fn all_sentences(&self) -> Vec<String> {
        let is_one = |leaf: &&Leaf| leaf.quoted && SENTENCES.contains(&leaf.path.as_str());
        let mut all: Vec<String> = self.leaves.iter().filter(is_one).map(text_of).collect();
        // A body that is a short plain text is a sentence, and no page and no torn JSON.
        let text = self.body.trim();
        let is_sentence = (1..=LONGEST_TEXT).contains(&text.len());
        if self.leaves.is_empty() && is_sentence && !text.starts_with(['<', '{', '[']) {
            all.push(text.to_owned());
        }
        if matches!(self.status, 400 | 422) {
            all.iter_mut().for_each(drop_quotes);
        }
        all
    }

    fn all_codes(&self) -> Vec<String> {
        let mut codes = Vec::new();
        // AWS names the error in a header, and in event streams in one with a colon before its name.
        for name in ["x-amzn-errortype", ":exception-type", ":error-code", "x-ms-error-code"] {
            codes.extend(self.outcome.header(name).map(bare));
        }
        for (name, value) in self.outcome.headers {
            // What a plan's own headers say of its windows is as good as a code.
            if let Some(window) = header::rejected_window(name, value) {
                codes.push(format!("window:{window}"));
            } else if header::codex_window(name).is_some() && header::is_full(value) {
                codes.push("window:codex".to_owned());
            }
        }
        for leaf in &self.leaves {
            let name = leaf.path.rsplit('.').next().unwrap_or_default();
            if CODES.contains(&name) || leaf.path == "exception" {
                codes.push(bare(&leaf.text));
            } else if leaf.path == "error" || leaf.path == "detail" {
                // OAuth writes its code where others write a sentence: `{"error": "invalid_grant"}`.
                codes.extend((!leaf.text.contains(' ')).then(|| bare(&leaf.text)));
            }
        }
        // Beside a number in a field one in the sentence is of something else: of an echoed prompt.
        let is_number = |code: &String| code.len() > 3 && code.bytes().all(|b| b.is_ascii_digit());
        if !codes.iter().any(is_number) {
            codes.extend(self.sentences.iter().flat_map(|text| codes_in(text)));
        }
        codes
    }
}

/// Takes out of a sentence what it quotes: an error about a request repeats the caller's own words.
fn drop_quotes(sentence: &mut String) {
    let mut inside = None;
    let mut before = b' ';
    let mut bytes = sentence.bytes().peekable();
    let mut kept = Vec::new();
    while let Some(byte) = bytes.next() {
        match inside {
            // Not the apostrophe of `can't`.
            None if matches!(byte, b'\'' | b'"' | b'`') && !before.is_ascii_alphanumeric() => {
                inside = Some(byte);
            }
            None => kept.push(byte),
            Some(quote) => {
                let ends = bytes.peek().is_none_or(|next| !next.is_ascii_alphanumeric());
                inside = inside.filter(|_| byte != quote || !ends);
            }
        }
        before = byte;
    }
    // Only whole characters were taken out: quotes are ASCII.
    *sentence = String::from_utf8(kept).unwrap_or_default();
}

fn text_of(leaf: &Leaf) -> String {
    leaf.text.trim_start().to_owned()
}

/// At most [`LONGEST_BODY`] bytes of a text.
pub(super) fn start_of(body: &str) -> &str {
    let mut end = body.len().min(LONGEST_BODY);
    while !body.is_char_boundary(end) {
        end -= 1;
    }
    body.get(..end).unwrap_or_default()
}

/// Whether [`start_of`] cut something away, so that broken JSON is our doing.
pub(super) fn is_cut(body: &str) -> bool {
    body.len() > LONGEST_BODY
}

/// Wrappers put the JSON that they got into a text field: its leaves are read too, as if it were the body.
fn unwrap_texts(leaves: &mut Vec<Leaf>) {
    let mut at = 0;
    // What is wrapped is shorter than its wrapper, so this ends.
    while at < leaves.len() {
        let inner = leaves.get(at).filter(|leaf| leaf.quoted).and_then(|leaf| {
            let start = leaf.text.find(['{', '['])?;
            let name = leaf.path.rsplit('.').next().unwrap_or_default();
            // Behind a short prefix at most, as in `400 {"error": …}`, so that no echoed prompt is read.
            let is_wrapper = matches!(name, "message" | "error" | "detail")
                && is_prefix(leaf.text.get(..start)?.trim());
            is_wrapper.then(|| leaf.text.get(start..).unwrap_or_default().to_owned())
        });
        if let Some(inner) = inner {
            let before = leaves.len();
            json::read(&inner, leaves);
            let is_error = leaves.get(before..).is_some_and(|new| {
                new.iter().any(|leaf| leaf.path.starts_with("error") || leaf.path == "message")
            });
            if !is_error {
                leaves.truncate(before);
            }
        }
        at += 1;
    }
}

/// Whether a wrapper writes this before what it wraps: nothing, a status, or the name of an error. Before a
/// prompt that an error repeats stand other words.
fn is_prefix(prefix: &str) -> bool {
    let is_status = prefix.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b':' | b' '));
    let last = prefix.rsplit(' ').next().unwrap_or_default();
    is_status
        || prefix.ends_with("Exception -")
        || last.ends_with("Error:")
        || last.ends_with("Exception:")
}

/// Makes paths of one kind: in lower case, without the field that an API puts around its error.
///
/// An event of AWS is an object with the exception's name, `{"throttlingException": {…}}`: that name
/// comes back as a leaf of its own.
fn unwrap_path(leaf: &mut Leaf) -> Option<Leaf> {
    leaf.path.make_ascii_lowercase();
    for around in ["response.error", "detail.error", "errors.error"] {
        if leaf
            .path
            .strip_prefix(around)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        {
            leaf.path.replace_range(..around.len(), "error");
        }
    }
    let (name, field) = leaf.path.split_once('.')?;
    let name = name.ends_with("exception").then(|| name.to_owned())?;
    leaf.path = field.to_owned();
    Some(Leaf { path: "exception".to_owned(), text: name, quoted: false })
}

/// A code without what stands around it: `com.amazon.coral.service#X`, `X:http://internal…`.
fn bare(code: &str) -> String {
    let code = code.rsplit('#').next().unwrap_or(code);
    let end = find(code, ":http").unwrap_or(code.len());
    code.get(..end).unwrap_or(code).trim().to_owned()
}

/// Codes that stand in a sentence: `[1308][…` of Zhipu's Anthropic route, `… (1008)` of MiniMax's.
fn codes_in(sentence: &str) -> impl Iterator<Item = String> {
    let first = sentence.strip_prefix('[').and_then(|rest| rest.split(']').next());
    let last = sentence.trim_end().strip_suffix(')').and_then(|rest| rest.rsplit('(').next());
    let is_code = |text: &&str| {
        (3..=5).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    [first, last]
        .into_iter()
        .flatten()
        .filter(is_code)
        .map(str::to_owned)
        .collect::<Vec<_>>()
        .into_iter()
}
