//! Text to preprocessing tokens. Every token knows its place; numbers and quoted text stay as written, because
//! the preprocessor pastes and quotes spellings ([`literal`] gives their values).
//! Invariant: any text is lexed. What is no token becomes [`TokenKind::Bad`], which is reported only where it
//! survives the preprocessor: `#error don't` and skipped groups may hold anything.

mod lexer;
pub mod literal;
mod punct;

pub use lexer::Lexer;
pub use punct::Punct;

use crate::source::Span;
use std::sync::Arc;

/// A preprocessing token.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    /// What it is, with its spelling.
    pub kind: TokenKind,
    /// Its place. After macro expansion it names the expansion that the token comes from.
    pub span: Span,
    /// White space or a comment stands before it.
    pub space_before: bool,
    /// It is the first of its line.
    pub line_start: bool,
}

/// The kinds of tokens. Spellings are free of line continuations.
#[derive(Clone, Debug, PartialEq)]
pub enum TokenKind {
    /// An identifier or keyword.
    Name(Arc<str>),
    /// `@name`; the spelling lacks the `@`.
    Attribute(Arc<str>),
    /// Anything that starts as a number does: `12`, `0xffu`, `1e-3f`, and also `0x` or `1.2.3`.
    Number(Arc<str>),
    /// `'a'`, quotes included.
    Char(Arc<str>),
    /// `"text"`, quotes included.
    String(Arc<str>),
    /// An operator or bracket.
    Punct(Punct),
    /// No token of the language, and why.
    Bad(Arc<str>, BadToken),
}

/// Why a piece of text is no token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadToken {
    /// A character that no token has.
    Character,
    /// A string or character without its closing quote.
    Quote,
    /// `/*` without `*/`.
    Comment,
}

impl Token {
    /// Its spelling, `@` and quotes included.
    pub fn text(&self) -> std::borrow::Cow<'_, str> {
        match &self.kind {
            TokenKind::Attribute(name) => format!("@{name}").into(),
            TokenKind::Name(text)
            | TokenKind::Number(text)
            | TokenKind::Char(text)
            | TokenKind::String(text)
            | TokenKind::Bad(text, _) => (&**text).into(),
            TokenKind::Punct(punct) => punct.as_str().into(),
        }
    }

    /// The spelling of a [`TokenKind::Name`].
    pub fn name(&self) -> Option<&Arc<str>> {
        match &self.kind {
            TokenKind::Name(name) => Some(name),
            _ => None,
        }
    }

    /// Whether it is this identifier or keyword.
    pub fn is_name(&self, text: &str) -> bool {
        self.name().is_some_and(|name| &**name == text)
    }

    /// Whether it is this operator or bracket.
    pub fn is(&self, punct: Punct) -> bool {
        self.kind == TokenKind::Punct(punct)
    }
}
