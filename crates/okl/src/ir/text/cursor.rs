//! Lines of the text, and the words and signs of a line.

use crate::source::Span;

/// Why a text is no IR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Counts from 1.
    pub line: u32,
    /// Counts characters from 1.
    pub column: u32,
    /// What is wrong there.
    pub message: String,
}

impl std::fmt::Display for ParseError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ParseError {}

pub(super) type Parsed<T> = Result<T, ParseError>;

/// A line that holds something.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    /// Spaces before it.
    pub(super) indent: usize,
    /// Its first byte behind them, and one past its last.
    start: usize,
    end: usize,
}

/// Reads a text line by line.
pub(super) struct Cursor<'t> {
    text: &'t str,
    lines: Vec<Line>,
    /// The line being read.
    line: usize,
    /// The next byte.
    at: usize,
    /// One past the last byte that was read, without spaces.
    last: usize,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let mut lines = Vec::new();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let code = line.split("//").next().unwrap_or("").trim_end();
            let indent = code.len() - code.trim_start_matches(' ').len();
            if indent < code.len() {
                lines.push(Line { indent, start: start + indent, end: start + code.len() });
            }
            start += line.len();
        }
        let at = lines.first().map_or(0, |line| line.start);
        Self { text, lines, line: 0, at, last: at }
    }

    /// The line that is next, where there is one.
    pub(super) fn next_line(&self) -> Option<Line> {
        self.lines.get(self.line).copied()
    }

    /// Whether the next line belongs to the block at `indent`; one that stands deeper belongs nowhere.
    pub(super) fn is_in(&self, indent: usize) -> Parsed<bool> {
        match self.next_line() {
            Some(line) if line.indent > indent => Err(self.error_at(line.start, "this stands too deep")),
            line => Ok(line.is_some_and(|line| line.indent == indent)),
        }
    }

    /// Ends the line, of which all must have been read.
    pub(super) fn end_line(&mut self) -> Parsed<()> {
        if !self.is_line_done() {
            return Err(self.error("this line should end here"));
        }
        self.skip_line();
        Ok(())
    }

    /// Goes to the next line.
    pub(super) fn skip_line(&mut self) {
        self.goto(self.line + 1);
    }

    /// The number of the line being read.
    pub(super) fn line_number(&self) -> usize {
        self.line
    }

    /// Goes to the start of a line.
    pub(super) fn goto(&mut self, line: usize) {
        self.line = line;
        self.at = self.lines.get(line).map_or(self.text.len(), |line| line.start);
        self.last = self.at;
    }

    pub(super) fn is_line_done(&mut self) -> bool {
        self.spaces();
        self.rest().is_empty()
    }

    fn rest(&self) -> &'t str {
        let end = self.lines.get(self.line).map_or(self.text.len(), |line| line.end);
        self.text.get(self.at..end).unwrap_or("")
    }

    fn spaces(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn advance(&mut self, bytes: usize) {
        self.at += bytes;
        self.last = self.at;
    }

    /// The next byte behind spaces.
    pub(super) fn start(&mut self) -> usize {
        self.spaces();
        self.at
    }

    /// From a byte to what was read last.
    pub(super) fn span_from(&self, start: usize) -> Span {
        Span { start: start as u32, end: self.last.max(start) as u32, ..Span::default() }
    }

    /// The span of the line being read.
    pub(super) fn line_span(&self) -> Span {
        self.next_line().map_or(Span::default(), |l| Span {
            start: l.start as u32,
            end: l.end as u32,
            ..Span::default()
        })
    }

    /// Whether a sign is next; a word must end with it.
    pub(super) fn peek(&mut self, sign: &str) -> bool {
        self.spaces();
        let rest = self.rest();
        let is_word = sign.ends_with(is_word_char);
        rest.strip_prefix(sign).is_some_and(|rest| !is_word || !rest.starts_with(is_name_char))
    }

    /// Takes a sign or word, where it is next.
    pub(super) fn eat(&mut self, sign: &str) -> bool {
        let found = self.peek(sign);
        if found {
            self.advance(sign.len());
        }
        found
    }

    /// Takes words that stand one behind the other.
    pub(super) fn eat_words(&mut self, words: &[&str]) -> bool {
        let (at, last) = (self.at, self.last);
        let found = words.iter().all(|word| self.eat(word));
        if !found {
            (self.at, self.last) = (at, last);
        }
        found
    }

    pub(super) fn expect(&mut self, sign: &str) -> Parsed<()> {
        if self.eat(sign) { Ok(()) } else { Err(self.error(format!("`{sign}` is expected"))) }
    }

    /// The name that is next, if one is; with its number.
    pub(super) fn peek_name(&mut self) -> Option<&'t str> {
        self.spaces();
        let rest = self.rest();
        let end = rest.find(|c| !is_name_char(c)).unwrap_or(rest.len());
        rest.starts_with(|c: char| is_word_char(c) && !c.is_ascii_digit()).then(|| &rest[..end])
    }

    /// A name with its number.
    pub(super) fn name(&mut self, what: &str) -> Parsed<&'t str> {
        match self.peek_name() {
            Some(name) => {
                self.advance(name.len());
                Ok(name)
            }
            None => Err(self.error(format!("{what} is expected"))),
        }
    }

    /// What a number is made of: digits, a point, an exponent. A minus stands before it.
    pub(super) fn number(&mut self) -> Option<&'t str> {
        self.spaces();
        let rest = self.rest();
        let unsigned = rest.strip_prefix('-').unwrap_or(rest);
        if let Some(end) = ["inf", "nan"].iter().find_map(|word| unsigned.strip_prefix(word)) {
            let taken = rest.len() - end.len();
            if !end.starts_with(is_name_char) {
                self.advance(taken);
                return Some(&rest[..taken]);
            }
        }
        if !unsigned.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let bytes = rest.as_bytes();
        let is_part = |index: &usize| match bytes[*index] {
            b'0'..=b'9' | b'.' => true,
            b'e' => true,
            b'-' => *index == 0 || bytes[*index - 1] == b'e',
            _ => false,
        };
        let end = (0..rest.len()).take_while(is_part).count();
        self.advance(end);
        Some(&rest[..end])
    }

    /// Digits of a base, none or more.
    pub(super) fn digits(&mut self, base: u32) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_digit(base)).unwrap_or(rest.len());
        self.advance(end);
        &rest[..end]
    }

    /// A number without sign or point.
    pub(super) fn integer<T: std::str::FromStr>(&mut self) -> Parsed<T> {
        let start = self.start();
        let digits = self.digits(10);
        digits.parse().map_err(|_| self.error_at(start, "a number is expected"))
    }

    /// A text between quotes, in which what is not plain stands as `\u{…}`.
    pub(super) fn string(&mut self) -> Parsed<String> {
        self.expect("\"")?;
        let start = self.at;
        let end = self.rest().find('"').ok_or_else(|| self.error_at(start, "`\"` is expected"))?;
        let quoted = &self.rest()[..end];
        let mut text = String::new();
        let mut parts = quoted.split("\\u{");
        text.push_str(parts.next().unwrap_or(""));
        for part in parts {
            let code = part.split_once('}').and_then(|(code, rest)| {
                let code = u32::from_str_radix(code, 16).ok().and_then(char::from_u32)?;
                Some((code, rest))
            });
            let (code, rest) = code.ok_or_else(|| self.error_at(start, "an escape is `\\u{…}`"))?;
            text.push(code);
            text.push_str(rest);
        }
        self.advance(end + 1);
        Ok(text)
    }

    /// Whether a type stands right behind what was read, and takes the colon before it.
    pub(super) fn has_suffix(&mut self) -> bool {
        let rest = self.rest();
        let name = rest.strip_prefix(':').unwrap_or(rest);
        let found = name.starts_with(is_word_char);
        if found {
            self.advance(rest.len() - name.len());
        }
        found
    }

    /// Whether the name that is next has a parenthesis behind it.
    pub(super) fn is_call(&mut self) -> bool {
        self.peek_name().is_some_and(|name| self.rest()[name.len()..].starts_with('('))
    }

    /// Bytes of the text.
    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    /// An error at what is next.
    pub(super) fn error(&mut self, message: impl Into<String>) -> ParseError {
        let at = self.start();
        self.error_at(at, message)
    }

    pub(super) fn error_at(&self, at: usize, message: impl Into<String>) -> ParseError {
        let before = self.text.get(..at).unwrap_or(self.text);
        let line = before.matches('\n').count() as u32 + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() as u32 + 1;
        ParseError { line, column, message: message.into() }
    }
}

fn is_word_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn is_name_char(c: char) -> bool {
    is_word_char(c) || c == '#'
}
