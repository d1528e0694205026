//! The tables of what providers say: one row per thing said, one file per family of dialects.
//!
//! To teach the classifier something, add a row to the table of its dialect:
//!
//! ```text
//! code("insufficient_quota").is(BILLING),                     // a code, in any structured field
//! code("rate_limit_exceeded").saying("Request too large").is(TOO_BIG),
//! says("Your credit balance is too low").is(BILLING),          // how a known sentence begins
//! says("*reached its monthly spending limit").at(403).is(BILLING), // `*`: anywhere in the sentence
//! says("The model …does not exist").is(DENIED_MODEL),          // how it begins, and goes on
//! status(498).is(BUSY_MODEL),                                  // nothing better is known
//! ```
//!
//! Alternatives stand in one text with `|` between them; ASCII case does not matter. The first row that
//! fits wins, so what is special stands above what is general. Rows of a status alone are asked last,
//! after the rows of every provider and after the pages of edges; they disable only if the body is JSON.

mod anthropic;
mod bedrock;
mod china;
mod common;
mod gateways;
mod gemini;
mod hosts;
mod meaning;
mod openai;
mod zhipu;

pub(super) use common::{of_class, of_status, status_of};
pub(super) use meaning::*;

use super::said::Said;
use crate::types::Evidence;

/// One thing that a provider says, and what it means.
#[derive(Debug)]
pub(super) struct Row {
    /// The status that it comes with; 0 for any.
    status: u16,
    /// The codes of which one must be there; empty for any.
    codes: &'static str,
    /// The sentences of which one must be there; empty for any.
    says: &'static str,
    /// A header that must be there, `name=value`; empty for any.
    header: &'static str,
    meaning: Meaning,
}

const ANY: Row = Row { status: 0, codes: "", says: "", header: "", meaning: UNKNOWN };

const fn code(codes: &'static str) -> Row {
    Row { codes, ..ANY }
}

const fn says(says: &'static str) -> Row {
    Row { says, ..ANY }
}

const fn header(header: &'static str) -> Row {
    Row { header, ..ANY }
}

const fn status(status: u16) -> Row {
    Row { status, ..ANY }
}

impl Row {
    const fn at(self, status: u16) -> Self {
        Self { status, ..self }
    }

    const fn saying(self, says: &'static str) -> Self {
        Self { says, ..self }
    }

    const fn is(self, meaning: Meaning) -> Self {
        Self { meaning, ..self }
    }

    fn fits(&self, said: &Said<'_>) -> bool {
        (self.status == 0 || self.status == said.status)
            && (self.codes.is_empty() || said.codes.iter().any(|code| is_code(self.codes, code)))
            && (self.says.is_empty() || said.sentences().any(|text| is_said(self.says, text)))
            && (self.header.is_empty() || has_header(self.header, said))
    }

    const fn evidence(&self) -> Evidence {
        if !self.codes.is_empty() || !self.header.is_empty() {
            Evidence::Code
        } else if !self.says.is_empty() {
            Evidence::Sentence
        } else {
            Evidence::Status
        }
    }

    fn is_of_status_alone(&self) -> bool {
        self.evidence() == Evidence::Status
    }
}

/// The rules of one provider.
#[derive(Debug)]
pub(super) struct Dialect {
    /// Its names, with `|` between them.
    names: &'static str,
    /// Its tables: its own, then those of the dialect that it is a kind of.
    tables: &'static [&'static [Row]],
    /// The offset from UTC of stamps that name none, in hours.
    pub hours_east: i8,
}

/// Every dialect.
const DIALECTS: &[&[Dialect]] = &[
    openai::DIALECTS,
    anthropic::DIALECTS,
    gemini::DIALECTS,
    bedrock::DIALECTS,
    zhipu::DIALECTS,
    china::DIALECTS,
    hosts::DIALECTS,
    gateways::DIALECTS,
];

/// What is known of a provider that has no table: what all of them have in common.
const GENERAL: Dialect = Dialect { names: "openai-compat", tables: &[], hours_east: 0 };

/// Whether two names are one, or name the same dialect. Names that nobody knows have nothing in common.
pub(super) fn is_same(name: &str, other: &str) -> bool {
    let (known, others) = (dialect(name), dialect(other));
    name.eq_ignore_ascii_case(other) || known.names == others.names && known.names != GENERAL.names
}

/// Whether a name leads to rules of its own.
pub(super) fn is_known(name: &str) -> bool {
    dialect(name).names != GENERAL.names
}

/// The rules for a name: a dialect, an alias, a name that begins with one (`zhipu-anthropic`), or the
/// general rules.
pub(super) fn dialect(name: &str) -> &'static Dialect {
    // `any(openai)`: any provider whose shape is OpenAI's.
    let inner = name.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')'));
    let mut name = inner.unwrap_or(name).trim();
    loop {
        let is_it = |dialect: &&Dialect| {
            dialect.names.split('|').any(|known| known.eq_ignore_ascii_case(name))
        };
        if is_it(&&GENERAL) || name.eq_ignore_ascii_case("openai-compatible") {
            return &GENERAL;
        }
        if let Some(found) = DIALECTS.iter().flat_map(|family| family.iter()).find(is_it) {
            return found;
        }
        match name.rsplit_once(['-', '_', '.', '/', ':']) {
            Some((shorter, _)) => name = shorter,
            None => return &GENERAL,
        }
    }
}

impl Dialect {
    /// What a code or a sentence means: of this provider first, then of all of them.
    pub fn said(&self, said: &Said<'_>) -> Option<(Meaning, Evidence)> {
        let tables = self.tables.iter().copied().chain([common::SAID]);
        let (mut meaning, evidence) =
            first(tables, |row| !row.is_of_status_alone() && row.fits(said))?;
        // A plain text may be of anything on the way.
        meaning.disable &= said.is_json() || evidence == Evidence::Code;
        Some((meaning, evidence))
    }

    /// What the status means when nothing else was understood.
    pub fn status(&self, said: &Said<'_>) -> (Meaning, Evidence) {
        // An answer in the provider's own way has a sentence, whatever else it has.
        let is_answer = said.is_json() && said.sentences().next().is_some();
        let tables = self.tables.iter().copied();
        let own = first(tables, |row| {
            row.is_of_status_alone() && row.fits(said) && (is_answer || !row.meaning.disable)
        });
        own.unwrap_or_else(|| (common::of_status(said.status), Evidence::Status))
    }
}

#[inline(never)]
fn first(
    mut tables: impl Iterator<Item = &'static [Row]>,
    fits: impl Fn(&Row) -> bool,
) -> Option<(Meaning, Evidence)> {
    let row = tables.find_map(|table| table.iter().find(|row| fits(row)))?;
    Some((row.meaning, row.evidence()))
}

/// Whether a code is one of a list; `*` before one: whether it stands anywhere in the code.
#[inline(never)]
pub(super) fn is_code(codes: &str, code: &str) -> bool {
    codes.split('|').any(|known| match known.strip_prefix('*') {
        Some(part) => find(code, part).is_some(),
        None => code.eq_ignore_ascii_case(known),
    })
}

/// Whether a sentence begins like one of a list; `*` before one: whether that stands anywhere in it; `…` in
/// one: whether it begins so, and goes on so.
#[inline(never)]
fn is_said(sentences: &str, text: &str) -> bool {
    sentences.split('|').any(|known| match (known.strip_prefix('*'), known.split_once('…')) {
        (Some(part), _) => find(text, part).is_some(),
        (None, Some((start, part))) => begins(text, start) && find(text, part).is_some(),
        (None, None) => begins(text, known),
    })
}

#[inline(never)]
fn has_header(header: &str, said: &Said<'_>) -> bool {
    let (name, value) = header.split_once('=').unwrap_or((header, ""));
    said.outcome.header(name).is_some_and(|text| begins(text.trim_start(), value))
}

/// Whether a text begins with another, ASCII case ignored.
#[inline(never)]
pub(super) fn begins(text: &str, start: &str) -> bool {
    text.as_bytes()
        .get(..start.len())
        .is_some_and(|bytes| bytes.eq_ignore_ascii_case(start.as_bytes()))
}

/// Where a part stands in a text, ASCII case ignored.
#[inline(never)]
pub(super) fn find(text: &str, part: &str) -> Option<usize> {
    let part = part.as_bytes();
    text.as_bytes().windows(part.len().max(1)).position(|window| window.eq_ignore_ascii_case(part))
}
