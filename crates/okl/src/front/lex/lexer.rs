//! The scanner: skips white space, comments and line continuations, cuts one token at a time.

use super::{BadToken, Punct, Token, TokenKind};
use crate::source::Span;
use std::sync::Arc;

/// Cuts the tokens of one file, on demand. Clones are cheap: they share the text.
#[derive(Clone, Debug)]
pub struct Lexer {
    text: Arc<str>,
    file: u32,
    /// Offset of the next character; never that of a line continuation.
    position: usize,
    /// End of the last character taken, before the line continuations that follow it.
    end: usize,
    line_start: bool,
}

impl Lexer {
    /// Starts at the beginning of `text`, which is file number `file`. Files end before 4 GiB: spans are 32 bits.
    pub fn new(text: impl Into<Arc<str>>, file: u32) -> Self {
        let text = text.into();
        // A byte order mark is no part of the text.
        let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let position = after_continuations(&text, start);
        Self { text, file, position, end: start, line_start: true }
    }

    /// A span of no width at the end of the file.
    pub(crate) fn end_of_file(&self) -> Span {
        let end = self.text.len() as u32;
        Span { file: self.file, start: end, end, expansion: 0 }
    }

    fn peek(&self) -> Option<char> {
        self.text[self.position..].chars().next()
    }

    fn peek_second(&self) -> Option<char> {
        let next = self.position + self.peek()?.len_utf8();
        self.text[after_continuations(&self.text, next)..].chars().next()
    }

    fn bump(&mut self) {
        if let Some(character) = self.peek() {
            self.end = self.position + character.len_utf8();
            self.position = after_continuations(&self.text, self.end);
        }
    }

    fn bump_while(&mut self, keep: impl Fn(char) -> bool) {
        while self.peek().is_some_and(&keep) {
            self.bump();
        }
    }

    /// Skips white space and comments. Answers whether there was any, and where a comment without an end starts.
    fn skip_blank(&mut self) -> (bool, Option<usize>) {
        let mut any = false;
        while let Some(character) = self.peek() {
            match character {
                '\n' => {
                    self.line_start = true;
                    self.bump();
                }
                ' ' | '\t' | '\r' | '\x0b' | '\x0c' => self.bump(),
                '/' if self.peek_second() == Some('/') => self.bump_while(|c| c != '\n'),
                '/' if self.peek_second() == Some('*') => {
                    let start = self.position;
                    if !self.skip_block_comment() {
                        return (any, Some(start));
                    }
                }
                _ => break,
            }
            any = true;
        }
        (any, None)
    }

    fn skip_block_comment(&mut self) -> bool {
        self.bump();
        self.bump();
        while let Some(character) = self.peek() {
            self.bump();
            if character == '*' && self.peek() == Some('/') {
                self.bump();
                return true;
            }
        }
        false
    }

    /// Text from `start` to the last character taken, without line continuations.
    fn spelling(&self, start: usize) -> Arc<str> {
        let raw = &self.text[start..self.end];
        if !raw.contains('\\') {
            return raw.into();
        }
        let mut out = String::with_capacity(raw.len());
        let mut at = after_continuations(raw, 0);
        while let Some(character) = raw[at..].chars().next() {
            out.push(character);
            at = after_continuations(raw, at + character.len_utf8());
        }
        out.into()
    }

    fn quoted(&mut self, start: usize, quote: char) -> TokenKind {
        self.bump();
        while let Some(character) = self.peek() {
            match character {
                '\n' => break,
                '\\' => {
                    self.bump();
                    if self.peek() != Some('\n') {
                        self.bump();
                    }
                }
                _ => {
                    self.bump();
                    if character == quote {
                        let text = self.spelling(start);
                        return if quote == '"' { TokenKind::String(text) } else { TokenKind::Char(text) };
                    }
                }
            }
        }
        TokenKind::Bad(self.spelling(start), BadToken::Quote)
    }

    fn number(&mut self, start: usize) -> TokenKind {
        while let Some(character) = self.peek() {
            match character {
                'e' | 'E' | 'p' | 'P' => {
                    self.bump();
                    if matches!(self.peek(), Some('+' | '-')) {
                        self.bump();
                    }
                }
                '.' | '_' | 'a'..='z' | 'A'..='Z' | '0'..='9' => self.bump(),
                _ => break,
            }
        }
        TokenKind::Number(self.spelling(start))
    }

    fn punct(&mut self, start: usize) -> TokenKind {
        let mut upcoming = self.clone();
        let mut ahead = String::with_capacity(3);
        while ahead.chars().count() < 3 {
            let Some(character) = upcoming.peek() else {
                break;
            };
            ahead.push(character);
            upcoming.bump();
        }
        if let Some(&punct) = Punct::ALL.iter().find(|punct| ahead.starts_with(punct.as_str())) {
            for _ in 0..punct.as_str().len() {
                self.bump();
            }
            return TokenKind::Punct(punct);
        }
        self.bump();
        // A run of strange characters is one finding, not one for each.
        self.bump_while(|c| !c.is_ascii());
        TokenKind::Bad(self.spelling(start), BadToken::Character)
    }

    fn token(&mut self, start: usize, first: char) -> TokenKind {
        match first {
            '0'..='9' => self.number(start),
            '.' if self.peek_second().is_some_and(|c| c.is_ascii_digit()) => self.number(start),
            '"' | '\'' => self.quoted(start, first),
            '@' if self.peek_second().is_some_and(is_name_start) => {
                self.bump();
                let name = self.position;
                self.bump_while(is_name_part);
                TokenKind::Attribute(self.spelling(name))
            }
            _ if is_name_start(first) => {
                self.bump_while(is_name_part);
                TokenKind::Name(self.spelling(start))
            }
            _ => self.punct(start),
        }
    }
}

impl Iterator for Lexer {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        let (space_before, unclosed) = self.skip_blank();
        let (start, kind) = if let Some(start) = unclosed {
            // The comment's opening alone is the token, so that a message does not quote the rest of the file.
            (start, TokenKind::Bad("/*".into(), BadToken::Comment))
        } else {
            let start = self.position;
            (start, self.peek().map(|first| self.token(start, first))?)
        };
        let end = if unclosed.is_some() { start + 2 } else { self.end };
        let span = Span { file: self.file, start: start as u32, end: end as u32, expansion: 0 };
        let line_start = std::mem::take(&mut self.line_start);
        Some(Token { kind, span, space_before, line_start })
    }
}

fn is_name_start(character: char) -> bool {
    character.is_ascii_alphabetic() || character == '_'
}

fn is_name_part(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}

/// The first offset from `at` on where no `\` + line end stands. Blanks between the two are forgiven, as gcc does.
fn after_continuations(text: &str, mut at: usize) -> usize {
    let bytes = text.as_bytes();
    while bytes.get(at) == Some(&b'\\') {
        let mut end = at + 1;
        while matches!(bytes.get(end), Some(b' ' | b'\t' | b'\r')) {
            end += 1;
        }
        if bytes.get(end) != Some(&b'\n') {
            break;
        }
        at = end + 1;
    }
    at
}
