//! Reads a text from left to right. Every form of a wait is read with it.

/// What is left of a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scan<'a>(pub &'a str);

impl<'a> Scan<'a> {
    /// Takes a text off the front, ASCII case ignored.
    #[inline(never)] // here and below: there are dozens of calls
    pub fn eat(&mut self, text: &str) -> bool {
        let bytes = self.0.as_bytes().get(..text.len());
        let is_it = bytes.is_some_and(|bytes| bytes.eq_ignore_ascii_case(text.as_bytes()));
        if is_it && let Some(rest) = self.0.get(text.len()..) {
            self.0 = rest;
            return true;
        }
        false
    }

    /// Takes off all that `wanted` accepts.
    #[inline(never)]
    pub fn take(&mut self, wanted: fn(char) -> bool) -> &'a str {
        let mut letters = self.0.char_indices();
        let end = letters.find(|(_, letter)| !wanted(*letter)).map_or(self.0.len(), |(at, _)| at);
        let (taken, rest) = self.0.split_at_checked(end).unwrap_or((self.0, ""));
        self.0 = rest;
        taken
    }

    /// Takes a whole number of `least` to `most` digits.
    #[inline(never)]
    pub fn whole(&mut self, least: usize, most: usize) -> Option<i64> {
        let mut rest = *self;
        let digits = rest.take(|letter: char| letter.is_ascii_digit());
        if !(least..=most).contains(&digits.len()) {
            return None;
        }
        self.0 = rest.0;
        Some(digits.bytes().fold(0, |number: i64, digit| number * 10 + i64::from(digit - b'0')))
    }

    /// Takes digits with at most one point, times `unit`.
    ///
    /// What the standard reader of numbers takes beyond that is no wait: `inf`, `1e9`, `-5`, `+5`.
    #[inline(never)]
    pub fn decimal(&mut self, unit: f64) -> Option<f64> {
        let mut rest = *self;
        let whole = rest.take(|letter: char| letter.is_ascii_digit());
        let mut fraction = "";
        let mut after = rest;
        if after.eat(".") {
            let digits = after.take(|letter: char| letter.is_ascii_digit());
            // A sentence may end behind its number: the point is then not of the number.
            if !digits.is_empty() || after.0.is_empty() {
                fraction = digits;
                rest = after;
            }
        }
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        self.0 = rest.0;
        let digits = whole.bytes().chain(fraction.bytes());
        let number = digits.fold(0.0, |number, digit| number * 10.0 + f64::from(digit - b'0'));
        // Dividing once, at the end, keeps `1.574` seconds at 1,574 ms.
        Some(number * unit / fraction.bytes().fold(1.0, |power, _| power * 10.0))
    }

    /// Whether nothing is left.
    pub fn is_done(&self) -> bool {
        self.0.is_empty()
    }
}

/// A text that is a decimal number and nothing else.
pub(super) fn number(text: &str) -> Option<f64> {
    let mut scan = Scan(text.trim());
    scan.decimal(1.0).filter(|_| scan.is_done())
}
