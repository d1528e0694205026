//! A reader of JSON that cannot fail: whatever bytes come, it hands over the leaves that it could read.
//!
//! Bodies of errors are cut, wrapped and nested by gateways, so what is there before the damage counts.
//! Of a success only the frame is read: what a model wrote is no evidence of anything.

/// One value that is neither an object nor a list, and where it stands.
#[derive(Debug, PartialEq)]
pub(super) struct Leaf {
    /// The names of the fields down to it, with dots; a list adds nothing: `error.details.reason`.
    pub path: String,
    /// Its text; a number or a truth value as it was written. `null` is no leaf.
    pub text: String,
    /// Whether it stood in quotation marks.
    pub quoted: bool,
}

/// Whether a text was JSON to its end.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Shape {
    /// One value, whole.
    Whole,
    /// It began like an object or a list, and ended too early or went wrong.
    Broken,
    /// No object and no list.
    Other,
}

/// More levels than any error has, and few enough for every stack.
const DEEPEST: u32 = 32;
/// More leaves than any error has.
const MOST_LEAVES: usize = 256;
/// More than any sentence that a rule looks for, in bytes.
const LONGEST_TEXT: usize = 4_096;

/// Fields of what a caller sent or a model wrote.
///
/// `input` and `ctx` are where validators echo the request (pydantic's error list), `raw` is where
/// OpenRouter hands on what its own upstream said to its own key.
const NOT_EVIDENCE: &[&str] = &[
    "choices",
    "candidates",
    "content",
    "output",
    "input",
    "ctx",
    "messages",
    "prompt",
    "tools",
    "flagged_input",
    "failed_generation",
    "raw",
    "embeddings",
    "data",
    "instructions",
    "text",
];

/// Reads the leaves of a text into a list. Lists at the root are read like their items.
pub(super) fn read(text: &str, leaves: &mut Vec<Leaf>) -> Shape {
    let mut reader =
        Reader { bytes: text.trim_start_matches('\u{feff}').as_bytes(), at: 0, leaves };
    reader.blanks();
    // A sentence in quotation marks is how some answer: it stands where others have `message`.
    let mut path = String::from(if reader.peek() == b'"' { "message" } else { "" });
    if path.is_empty() && !matches!(reader.peek(), b'{' | b'[') {
        return Shape::Other;
    }
    let whole = reader.value(&mut path, Keep::All, DEEPEST);
    reader.blanks();
    if whole.is_some() && reader.at == reader.bytes.len() { Shape::Whole } else { Shape::Broken }
}

/// What of a value is handed over.
#[derive(Clone, Copy, PartialEq)]
enum Keep {
    All,
    /// Only the errors inside: OpenRouter writes one into a choice.
    Errors,
    Nothing,
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    leaves: &'a mut Vec<Leaf>,
}

impl Reader<'_> {
    /// The next byte; 0 at the end, which is no JSON either.
    fn peek(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    fn eat(&mut self, byte: u8) -> Option<()> {
        self.blanks();
        let is_it = self.at < self.bytes.len() && self.peek() == byte;
        self.at += usize::from(is_it);
        is_it.then_some(())
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), b' ' | b'\t' | b'\n' | b'\r') {
            self.at += 1;
        }
    }

    /// Any value; `None` when it is not one.
    fn value(&mut self, path: &mut String, keep: Keep, levels: u32) -> Option<()> {
        self.blanks();
        match self.peek() {
            b'{' => self.object(path, keep, levels.checked_sub(1)?),
            b'[' => self.list(path, keep, levels.checked_sub(1)?),
            b'"' => {
                let (text, whole) = self.text();
                self.hand_over(path, text, true, keep);
                whole.then_some(())
            }
            _ => {
                let start = self.at;
                while matches!(self.peek(), b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'+' | b'-' | b'.')
                {
                    self.at += 1;
                }
                let word = self.bytes.get(start..self.at).filter(|word| !word.is_empty())?;
                let word = String::from_utf8_lossy(word);
                if word != "null" {
                    self.hand_over(path, word.into_owned(), false, keep);
                }
                Some(())
            }
        }
    }

    fn list(&mut self, path: &mut String, keep: Keep, levels: u32) -> Option<()> {
        self.eat(b'[')?;
        if self.eat(b']').is_some() {
            return Some(());
        }
        loop {
            self.value(path, keep, levels)?;
            if self.eat(b',').is_none() {
                return self.eat(b']');
            }
        }
    }

    fn object(&mut self, path: &mut String, keep: Keep, levels: u32) -> Option<()> {
        self.eat(b'{')?;
        if self.eat(b'}').is_some() {
            return Some(());
        }
        loop {
            self.blanks();
            let (name, whole) = if self.peek() == b'"' { self.text() } else { return None };
            if !whole {
                return None;
            }
            self.eat(b':')?;
            self.field(path, &name, keep, levels)?;
            if self.eat(b',').is_none() {
                return self.eat(b'}');
            }
        }
    }

    fn field(&mut self, path: &mut String, name: &str, keep: Keep, levels: u32) -> Option<()> {
        let before = path.len();
        let inside = match keep {
            Keep::Errors if name == "error" && path == "choices" => {
                // As if it stood at the root, where it would mean the same.
                let around = std::mem::replace(path, String::from("error"));
                let read = self.value(path, Keep::All, levels);
                *path = around;
                return read;
            }
            Keep::All if name == "choices" => Keep::Errors,
            // An error may have any of these names for its text; its objects are still not evidence.
            Keep::All if NOT_EVIDENCE.contains(&name) && !path.starts_with("error") => {
                Keep::Nothing
            }
            Keep::All if matches!(name, "input" | "ctx" | "raw" | "failed_generation") => {
                Keep::Nothing
            }
            keep => keep,
        };
        if before > 0 {
            path.push('.');
        }
        path.push_str(name);
        if before == 0 && inside != Keep::All {
            // That it is there says that this is an answer.
            self.hand_over(path, String::new(), false, Keep::All);
        }
        let read = self.value(path, inside, levels);
        path.truncate(before);
        read
    }

    fn hand_over(&mut self, path: &str, mut text: String, quoted: bool, keep: Keep) {
        if keep != Keep::All || self.leaves.len() >= MOST_LEAVES {
            return;
        }
        if text.len() > LONGEST_TEXT {
            let end = (0..=LONGEST_TEXT).rev().find(|&end| text.is_char_boundary(end));
            text.truncate(end.unwrap_or(0));
        }
        self.leaves.push(Leaf { path: path.to_owned(), text, quoted });
    }

    /// A text in quotation marks, and whether it was closed.
    fn text(&mut self) -> (String, bool) {
        self.at += 1;
        let mut bytes = Vec::new();
        let mut whole = false;
        while let Some(&byte) = self.bytes.get(self.at) {
            self.at += 1;
            match byte {
                b'"' => {
                    whole = true;
                    break;
                }
                b'\\' => {
                    let letter = self.escape();
                    bytes.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
                }
                _ => bytes.push(byte),
            }
        }
        (String::from_utf8_lossy(&bytes).into_owned(), whole)
    }

    /// What follows a backslash. Half of a surrogate pair alone is no letter: U+FFFD stands for it.
    fn escape(&mut self) -> char {
        let byte = self.peek();
        self.at += 1;
        match byte {
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            b'b' | b'f' => ' ',
            b'u' => {
                let high = self.hex();
                let pair = (0xD800..0xDC00).contains(&high)
                    && self.peek() == b'\\'
                    && self.bytes.get(self.at + 1) == Some(&b'u');
                if !pair {
                    return char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER);
                }
                let before = self.at;
                self.at += 2;
                let low = self.hex();
                if !(0xDC00..0xE000).contains(&low) {
                    self.at = before;
                    return char::REPLACEMENT_CHARACTER;
                }
                let letter = 0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00);
                char::from_u32(letter).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            byte if byte.is_ascii() => char::from(byte),
            _ => {
                // The byte begins a letter of several bytes, which is read as it stands.
                self.at -= 1;
                '\\'
            }
        }
    }

    /// Up to four hexadecimal digits.
    fn hex(&mut self) -> u32 {
        let mut number = 0;
        for _ in 0..4 {
            let Some(digit) = char::from(self.peek()).to_digit(16) else {
                return 0xFFFD;
            };
            number = number * 16 + digit;
            self.at += 1;
        }
        number
    }
}

#[cfg(test)]
mod tests {
    use super::{Leaf, Shape, read};

    fn leaves(text: &str) -> (Shape, Vec<(String, String)>) {
        let mut leaves = Vec::new();
        let shape = read(text, &mut leaves);
        (shape, leaves.into_iter().map(|Leaf { path, text, .. }| (path, text)).collect())
    }

    #[test]
    fn lists_add_nothing_to_a_path() {
        let (shape, leaves) =
            leaves(r#" [{"error": {"code": 429, "details": [{"reason": "X"}]}}] "#);
        assert_eq!(shape, Shape::Whole);
        let expected = [("error.code", "429"), ("error.details.reason", "X")];
        assert_eq!(leaves, expected.map(|(path, text)| (path.to_owned(), text.to_owned())));
    }

    #[test]
    fn what_stands_before_the_damage_is_read() {
        for text in [r#"{"a":"b","c":"#, r#"{"a":"b","#, r#"{"a":"b"} x"#, r#"{"a":"b" "c""#] {
            let (shape, leaves) = leaves(text);
            assert_eq!(shape, Shape::Broken, "{text}");
            assert_eq!(leaves, [("a".to_owned(), "b".to_owned())], "{text}");
        }
        assert_eq!(leaves("plain").0, Shape::Other);
        assert_eq!(
            leaves(r#""no""#),
            (Shape::Whole, vec![("message".to_owned(), "no".to_owned())])
        );
        assert_eq!(leaves("").0, Shape::Other);
    }

    #[test]
    fn halves_of_letters_become_the_replacement_letter() {
        let (_, leaves) =
            leaves(r#"{"a":"\ud83d\ude00 \ud83d x \ude00 \ud83d\u0041 \uZZ \"\\\/"}"#);
        let text = leaves.first().map(|(_, text)| text.as_str());
        assert_eq!(text, Some("\u{1F600} \u{FFFD} x \u{FFFD} \u{FFFD}A \u{FFFD}ZZ \"\\/"));
    }

    #[test]
    fn depth_has_an_end() {
        let deep = "[".repeat(100_000);
        assert_eq!(leaves(&deep).0, Shape::Broken);
        let deep = r#"{"a":"#.repeat(100_000);
        assert_eq!(leaves(&deep).0, Shape::Broken);
    }

    #[test]
    fn what_a_model_wrote_is_not_read() {
        let (_, leaves) = leaves(r#"{"choices":[{"message":{"error":"x"},"error":{"code":"y"}}]}"#);
        let expected = [("choices", ""), ("error.code", "y")];
        assert_eq!(leaves, expected.map(|(path, text)| (path.to_owned(), text.to_owned())));
    }
}
