//! What stands between the app and the provider: pages, challenges, and answers that are no answer.

use super::json::Shape;
use super::rules::{self, Meaning, find};
use super::said::{Said, is_cut};
use crate::types::{Class, Evidence, Phase};

/// What a page or an edge says. Nothing of this proves anything about a key.
pub(super) fn page(said: &Said<'_>) -> Option<(Meaning, Evidence)> {
    let header = |name: &str| said.outcome.header(name);
    if is_challenge(said) {
        return Some((rules::EGRESS, Evidence::Html));
    }
    if let Some(meaning) = edge_code(said).and_then(of_edge_code) {
        return Some((meaning, Evidence::Html));
    }
    let asks_for_basic =
        || header("www-authenticate").is_some_and(|how| rules::begins(how.trim_start(), "basic"));
    if said.status == 401 && said.leaves.is_empty() && asks_for_basic() {
        return Some((rules::EGRESS, Evidence::Html));
    }
    if !is_page(said) {
        return None;
    }
    let challenge = || {
        ["just a moment", "attention required", "captcha", "sorry, you have been blocked"]
            .into_iter()
            .any(|title| find(said.body, title).is_some())
    };
    let meaning = match said.status {
        // A gateway's own page: perhaps about the key, perhaps not.
        401 => rules::AUTH,
        0..=399 | 403 | 405..=407 | 451 => rules::EGRESS,
        404 => rules::CLIENT,
        429 if is_cloudflare(said) => rules::RATE_EGRESS,
        // The page of the provider's own gateway, which counts as the provider does.
        429 => return None,
        503 if challenge() => rules::EGRESS,
        status => rules::of_status(status),
    };
    Some((meaning, Evidence::Html))
}

/// An edge that wants proof of a person, also under a 202.
fn is_challenge(said: &Said<'_>) -> bool {
    let header = |name: &str| said.outcome.header(name);
    header("cf-mitigated").is_some_and(|how| find(how, "challenge").is_some())
        || header("x-amzn-waf-action").is_some()
        || header("x-vercel-mitigated").is_some()
}

/// An HTML page, by its type or by its first letter.
fn is_page(said: &Said<'_>) -> bool {
    let is_html = |kind: &str| find(kind, "text/html").is_some();
    said.leaves.is_empty()
        && (said.body.trim_start_matches('\u{feff}').trim_start().starts_with('<')
            || said.outcome.header("content-type").is_some_and(is_html) && !said.body.is_empty())
}

/// Cloudflare's code: `error code: 1015` as text, `Error 1015` or `Error code 522` in its page.
fn edge_code(said: &Said<'_>) -> Option<u16> {
    if !said.leaves.is_empty() {
        // To who accepts JSON it writes a problem (RFC 9457) with fields of its own.
        let is_its_own =
            said.field("cloudflare_error").is_some() || said.field("error_category").is_some();
        return if is_its_own { said.field("error_code")?.parse().ok() } else { None };
    }
    let text = said.body.trim_start();
    let after = if rules::begins(text, "error code:") {
        text.get("error code:".len()..)?
    } else if is_page(said) && is_cloudflare(said) {
        let mark = ["error code", "error 1", "cf-error-code\">"].into_iter().find_map(|mark| {
            Some((find(text, mark)?, if mark == "error 1" { mark.len() - 1 } else { mark.len() }))
        })?;
        text.get(mark.0 + mark.1..)?
    } else {
        return None;
    };
    let digits = after.trim_start_matches([' ', ':']);
    let end = digits.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(digits.len());
    digits.get(..end)?.parse().ok()
}

fn is_cloudflare(said: &Said<'_>) -> bool {
    let by_server =
        said.outcome.header("server").is_some_and(|name| find(name, "cloudflare").is_some());
    by_server || find(said.body, "cloudflare").is_some()
}

/// developers.cloudflare.com/support/troubleshooting/http-status-codes: 1xxx are about the visitor or the
/// owner's settings, 52x about the way from the edge to the origin.
fn of_edge_code(code: u16) -> Option<Meaning> {
    Some(match code {
        // Too many requests from this address.
        1015 => rules::RATE_EGRESS,
        // Blocked: by address, country, agent, hotlinking, rule, or a challenge that was not met.
        1005..=1012 | 1020 | 1106 | 1109..=1111 => rules::EGRESS,
        // An address where a name should stand: the base URL is wrong.
        1003 => rules::CLIENT,
        1200 => rules::BUSY,
        // Names, tunnels, workers: the owner's trouble.
        1000..=1299 => rules::FAILED,
        500..=599 => rules::of_status(code),
        _ => return None,
    })
}

/// What a response means whose status and body report no error.
pub(super) fn of_no_error(said: &Said<'_>) -> (Meaning, Evidence) {
    let outcome = said.outcome;
    // The page of a portal, or of the web site whose address stands where the API's should.
    if is_page(said) || is_challenge(said) {
        return (rules::EGRESS, Evidence::Html);
    }
    if said.status >= 300 && said.status != 304 {
        return (rules::EGRESS, Evidence::Status);
    }
    let text = outcome.body.trim();
    // A body that was not read is empty too; blank lines kept a connection alive that then ended.
    let is_empty = || outcome.header("content-length").is_some_and(|length| length.trim() == "0");
    let empty = said.status == 200
        && !outcome.is_cut
        && (text == "null" || text.is_empty() && (!outcome.body.is_empty() || is_empty()));
    let torn = said.shape == Shape::Broken
        && !(outcome.is_cut || is_cut(outcome.body))
        && outcome.phase != Phase::AfterContent;
    let meaning = if said.status < 200 || empty || torn { rules::UNKNOWN } else { rules::OK };
    (meaning, Evidence::Status)
}

/// The provider's `x-should-retry: false` (OpenAI's and Anthropic's SDKs obey it before the status): its
/// failure is final. It says nothing about limits, which another credential does not share.
pub(super) fn vetoed(meaning: Meaning, said: &Said<'_>) -> Meaning {
    let veto = said.outcome.header("x-should-retry").is_some_and(|value| value.trim() == "false");
    match meaning.class {
        Class::ServerError | Class::UnknownOutcome if veto => {
            Meaning { class: meaning.class, ..rules::FAILED_FOR_GOOD }
        }
        Class::Overloaded if veto => Meaning { retry_other: false, ..meaning },
        _ => meaning,
    }
}
