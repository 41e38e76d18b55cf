//! Tokens to syntax tree: recursive descent, with typedef names tracked through the scopes.
//! Invariants: every input ends, none overflows the stack: [`MAX_NESTING`] bounds the recursion here and
//! [`MAX_EXPRESSION_HEIGHT`] that of whoever walks the tree. What C or C++ has and OKL has not is refused by name.
//! Not here: types of expressions, what an attribute means, whether a name exists ([`crate::lower`]).

mod attribute;
mod decl;
mod expr;
mod names;
mod ragged;
mod reach;
mod stmt;
mod template;
mod types;
mod words;

pub(crate) use ragged::OFFSETS;
pub use reach::Part;
pub(crate) use reach::unreached;
pub(crate) use words::{COMPLEX_TYPES, KEYWORDS, TYPE_WORDS, complex_of_name};

use super::ast::{Ident, Item, TemplateParam, Unit};
use super::lex::{BadToken, Punct, Token, TokenKind};
use crate::rules;
use crate::{Diagnostic, Span};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// How deep statements, parentheses, unary operators, initialisers and `else if` may nest.
pub(crate) const MAX_NESTING: u32 = 200;
/// How high the tree of one expression may grow; a sum of `n` terms has height `n`.
pub(crate) const MAX_EXPRESSION_HEIGHT: u32 = 256;
/// After so many errors the rest of the source is not looked at.
pub(crate) const MAX_ERRORS: u32 = 64;

/// Parses preprocessed tokens. Whatever is wrong is pushed to `found`; with errors there the tree has gaps.
/// `takes_arguments` says of an attribute's name whether a `(` behind it opens its arguments.
pub fn parse(tokens: &[Token], takes_arguments: fn(&str) -> bool, found: &mut Vec<Diagnostic>) -> Unit {
    let mut parser = Parser {
        tokens,
        takes_arguments,
        position: 0,
        found,
        scopes: vec![HashMap::new()],
        depth: 0,
        parentheses: 0,
        errors: 0,
        last_error: None,
        hoisted: Vec::new(),
        ragged: None,
        unwinding: false,
        namespaces: Vec::new(),
        known_namespaces: HashSet::new(),
        usings: Vec::new(),
        template: None,
        template_names: Vec::new(),
        half_shift: false,
        in_angles: false,
        parts: Vec::new(),
    };
    let items = parser.items();
    Unit { items, parts: parser.parts }
}

/// A part did not parse; the reason is reported already.
#[derive(Debug)]
struct Failed;

type Parsed<T> = Result<T, Failed>;

/// What a name in scope is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NameKind {
    Type,
    Value,
    TypeTemplate,
    FunctionTemplate,
}

struct Parser<'t> {
    tokens: &'t [Token],
    takes_arguments: fn(&str) -> bool,
    position: usize,
    found: &'t mut Vec<Diagnostic>,
    /// Innermost last.
    scopes: Vec<HashMap<Arc<str>, NameKind>>,
    depth: u32,
    /// Parentheses of expressions that are open.
    parentheses: u32,
    errors: u32,
    /// Token at which the last error was found: a second one there would only be its echo.
    last_error: Option<usize>,
    /// Definitions met within a declaration (`struct S { … } x;`), which go before it.
    hoisted: Vec<Item>,
    /// A `@ragged` that stands before the next struct.
    ragged: Option<Span>,
    /// A `@kernel` was met inside a function: every open block ends here.
    unwinding: bool,
    /// Names of the namespaces around.
    namespaces: Vec<String>,
    /// Whole names of all that were opened.
    known_namespaces: HashSet<String>,
    /// What `using` brought: scopes that were open, the new name (none: all of a namespace), the whole name.
    usings: Vec<(usize, Option<String>, String)>,
    /// Parameters of the template whose function or struct stands next.
    template: Option<Vec<TemplateParam>>,
    /// Names of the parameters of the template around.
    template_names: Vec<(String, NameKind)>,
    /// The first `>` of the `>>` that stands here is taken.
    half_shift: bool,
    /// A `>` ends what is read.
    in_angles: bool,
    /// The parts of the file so far.
    parts: Vec<Part>,
}

// The cursor.
impl<'t> Parser<'t> {
    fn peek(&self) -> Option<&'t Token> {
        self.tokens.get(self.position)
    }

    fn peek_at(&self, ahead: usize) -> Option<&'t Token> {
        self.tokens.get(self.position + ahead)
    }

    fn bump(&mut self) -> Option<&'t Token> {
        let token = self.peek();
        self.position += usize::from(token.is_some());
        token
    }

    fn at(&self, punct: Punct) -> bool {
        self.peek().is_some_and(|token| token.is(punct))
    }

    fn at_after(&self, ahead: usize, punct: Punct) -> bool {
        self.peek_at(ahead).is_some_and(|token| token.is(punct))
    }

    fn at_word(&self, word: &str) -> bool {
        self.peek().is_some_and(|token| token.is_name(word))
    }

    fn eat(&mut self, punct: Punct) -> bool {
        let found = self.at(punct);
        self.position += usize::from(found);
        found
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        self.position += usize::from(found);
        found
    }

    fn at_end(&self) -> bool {
        self.position >= self.tokens.len()
    }

    /// Span of the next token; past the end, a span of no width behind the last one.
    fn here(&self) -> Span {
        self.peek().map_or_else(|| self.behind(), |token| token.span)
    }

    /// Span of the token before.
    fn previous(&self) -> Span {
        self.position.checked_sub(1).and_then(|p| self.tokens.get(p)).map(|t| t.span).unwrap_or_default()
    }

    /// A span of no width behind the token before: where something that is missing should stand.
    fn behind(&self) -> Span {
        let previous = self.previous();
        Span { start: previous.end, ..previous }
    }

    /// From `start` to the token before.
    fn since(&self, start: Span) -> Span {
        start.to(self.previous())
    }
}

// Scopes.
impl Parser<'_> {
    fn declare(&mut self, name: &str, kind: NameKind) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.into(), kind);
        }
    }

    fn lookup(&self, name: &str) -> Option<NameKind> {
        self.resolve(name).1
    }

    fn scoped<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.scopes.push(HashMap::new());
        let result = parse(self);
        self.scopes.pop();
        let depth = self.scopes.len();
        self.usings.retain(|using| using.0 <= depth);
        result
    }

    /// Runs `parse` one level deeper.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_NESTING {
            return self.too_deep();
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    #[cold]
    fn too_deep<T>(&mut self) -> Parsed<T> {
        let message = format!("this is nested more than {MAX_NESTING} levels deep");
        let finding = Diagnostic::error(rules::LIMIT, self.here(), message);
        self.report(finding.hint("split it into functions or several statements"));
        self.abort();
        Err(Failed)
    }
}

// Findings and recovery.
impl Parser<'_> {
    fn report(&mut self, finding: Diagnostic) {
        if self.errors > MAX_ERRORS || self.last_error == Some(self.position) {
            return;
        }
        let span = finding.span;
        self.last_error = Some(self.position);
        self.found.push(finding);
        self.errors += 1;
        if self.errors == MAX_ERRORS {
            self.found.push(Diagnostic::error(rules::LIMIT, span, "too many errors: what follows is not looked at"));
            self.abort();
        }
    }

    /// Reports what is taken all the same.
    fn warn(&mut self, finding: Diagnostic) {
        if self.errors <= MAX_ERRORS {
            self.found.push(finding);
        }
    }

    /// Skips the rest of the source, without further findings.
    fn abort(&mut self) {
        self.position = self.tokens.len();
        self.errors = MAX_ERRORS + 1;
    }

    #[cold]
    fn fail<T>(&mut self, finding: Diagnostic) -> Parsed<T> {
        self.report(finding);
        Err(Failed)
    }

    // Findings are made in functions of their own: they are large, and the frames of the recursion are many.

    #[cold]
    #[inline(never)]
    fn fail_at<T>(&mut self, span: Span, message: impl Into<String>) -> Parsed<T> {
        self.fail(Diagnostic::error(rules::SYNTAX, span, message))
    }

    #[cold]
    #[inline(never)]
    fn refuse<T>(&mut self, span: Span, message: impl Into<String>, hint: impl Into<String>) -> Parsed<T> {
        self.fail(Diagnostic::error(rules::NOT_IN_OKL, span, message).hint(hint))
    }

    /// Fails at the next token, which is not what was `expected`. Says more where the token itself tells why.
    #[cold]
    fn unexpected<T>(&mut self, expected: &str) -> Parsed<T> {
        let Some(token) = self.peek() else {
            return self.fail_at(self.behind(), format!("expected {expected}, found the end of the file"));
        };
        let finding = refused(token).unwrap_or_else(|| {
            Diagnostic::error(rules::SYNTAX, token.span, format!("expected {expected}, found `{}`", token.text()))
        });
        self.fail(finding)
    }

    /// Takes `punct`. `purpose` completes the message: `expected ‹;› after the declaration`.
    fn expect(&mut self, punct: Punct, purpose: &str) -> Parsed<Span> {
        if self.eat(punct) {
            return Ok(self.previous());
        }
        self.missing(punct, purpose)
    }

    #[cold]
    fn missing<T>(&mut self, punct: Punct, purpose: &str) -> Parsed<T> {
        if punct == Punct::Semicolon && self.peek().is_none_or(|token| refused(token).is_none()) {
            // The place of what is missing is behind what stands there, often a line before the next token.
            let message = format!("expected `;` {purpose}, found {}", self.what_is_here());
            return self.fail_at(self.behind(), message);
        }
        self.unexpected(&format!("`{}` {purpose}", punct.as_str()))
    }

    /// Takes the closing partner of the bracket at `open`.
    fn close(&mut self, punct: Punct, open: Span) -> Parsed<Span> {
        if self.eat(punct) {
            return Ok(self.previous());
        }
        self.unclosed(punct, open)
    }

    #[cold]
    fn unclosed<T>(&mut self, punct: Punct, open: Span) -> Parsed<T> {
        let finding = self.peek().and_then(refused).unwrap_or_else(|| {
            let message = format!("expected `{}`, found {}", punct.as_str(), self.what_is_here());
            Diagnostic::error(rules::SYNTAX, self.here(), message).label(open, "to close what is opened here")
        });
        self.fail(finding)
    }

    /// The next token for a message.
    fn what_is_here(&self) -> String {
        self.peek().map_or_else(|| "the end of the file".into(), |token| format!("`{}`", token.text()))
    }

    /// Takes an identifier that is no word of the language.
    fn expect_ident(&mut self, expected: &str) -> Parsed<Ident> {
        match self.peek() {
            Some(token) => match token.name() {
                Some(name) if !words::is_reserved(name) => {
                    self.bump();
                    Ok(Ident { name: name.to_string(), span: token.span })
                }
                _ => self.unexpected(expected),
            },
            None => self.unexpected(expected),
        }
    }

    /// Skips to the end of the statement that starts at token `start` and failed at the next one:
    /// behind its `;` or its balanced `{ … }`, or before the `}` that closes what it lies in.
    fn skip_statement(&mut self, start: usize) {
        let mut open = 0usize;
        for token in self.tokens.get(start..self.position).unwrap_or_default() {
            open = (open + usize::from(token.is(Punct::LeftBrace)))
                .saturating_sub(usize::from(token.is(Punct::RightBrace)));
        }
        while let Some(token) = self.peek() {
            match token.kind {
                TokenKind::Punct(Punct::LeftBrace) => open += 1,
                TokenKind::Punct(Punct::RightBrace) if open == 0 => return,
                TokenKind::Punct(Punct::RightBrace) => {
                    open -= 1;
                    if open == 0 {
                        self.bump();
                        // `= { … };` and `struct { … };` go on behind their brace.
                        self.eat(Punct::Semicolon);
                        return;
                    }
                }
                TokenKind::Punct(Punct::Semicolon) if open == 0 => {
                    self.bump();
                    return;
                }
                // A kernel starts anew: whatever was open before it is not.
                TokenKind::Attribute(ref name) if &**name == "kernel" && token.line_start => return,
                _ => {}
            }
            self.bump();
        }
    }

    /// Skips behind the `)` that closes the parenthesis at token `open`, or to where it should have stood:
    /// before a brace, or (unless the parentheses may hold them) before a `;`.
    fn skip_parenthesis(&mut self, open: usize, semicolons: bool) {
        if self.at_end() {
            return;
        }
        let mut depth = 0usize;
        self.position = open;
        while let Some(token) = self.peek() {
            match token.kind {
                TokenKind::Punct(Punct::LeftParen) => depth += 1,
                TokenKind::Punct(Punct::RightParen) => depth -= 1,
                TokenKind::Punct(Punct::LeftBrace | Punct::RightBrace) => return,
                TokenKind::Punct(Punct::Semicolon) if !semicolons => return,
                _ => {}
            }
            self.bump();
            if depth == 0 {
                return;
            }
        }
    }
}

/// The finding for a token that tells by itself why it cannot stand anywhere in OKL.
fn refused(token: &Token) -> Option<Diagnostic> {
    match &token.kind {
        TokenKind::Name(name) => words::refused(name).map(|(what, hint)| {
            Diagnostic::error(rules::NOT_IN_OKL, token.span, format!("{what} not in OKL: `{name}`")).hint(hint)
        }),
        TokenKind::Bad(text, reason) => Some(bad_token(token.span, text, *reason)),
        _ => None,
    }
}

fn bad_token(span: Span, text: &str, reason: BadToken) -> Diagnostic {
    match reason {
        BadToken::Character => {
            let shown: String = text.chars().take(16).map(|c| if c.is_control() { '?' } else { c }).collect();
            Diagnostic::error(rules::BAD_CHARACTER, span, format!("`{shown}` has no meaning here")).hint(match text {
                "\\" => "`\\` joins lines where it is the last of its line; leave it out elsewhere",
                _ => "names are made of ASCII letters, digits and `_`",
            })
        }
        BadToken::Quote => Diagnostic::error(rules::BAD_CHARACTER, span, "the closing quote is missing on this line"),
        BadToken::Comment => {
            Diagnostic::error(rules::BAD_CHARACTER, span, "this comment is never closed").hint("close it with `*/`")
        }
    }
}
