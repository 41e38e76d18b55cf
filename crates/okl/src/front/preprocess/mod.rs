//! C's preprocessor: directives, macros, includes; tokens in, tokens out.
//! Invariants: every input ends ([`MAX_WORK`] bounds all of it, the other limits name what went wrong sooner);
//! the text is read only through [`Request::includes`]; the same request gives the same tokens (there is no
//! `__DATE__`, no `__TIME__`). A token that a macro wrote names its expansion in its span; a token of an argument
//! keeps the place where the user wrote it.
//! Not here: what tokens mean. Text that is no token is reported by the parser, if it survives.

mod condition;
mod directives;
mod expand;
mod hide;
mod include;
mod macros;
mod predefined;
mod text;
mod unroll;

pub use text::to_text;

use super::lex::{Lexer, Punct, Token};
use crate::compile::{IncludeRecord, Request};
use crate::rules;
use crate::{Diagnostic, Severity, SourceMap, Span};
use directives::is_directive_attribute;
use expand::Pending;
use hide::HideSets;
use macros::Macro;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use unroll::Unroll;

/// Tokens that may be read or put back by macros, in all and beyond the bytes of the files, each counted once: so that what
/// is written out is never too long, and what macros and repeated includes make of it is bounded.
pub(crate) const MAX_WORK: u32 = 1 << 21;
/// Macro expansions, in all.
pub(crate) const MAX_EXPANSIONS: usize = 1 << 18;
/// How deep expansions may nest, within results and within arguments.
pub(crate) const MAX_EXPANSION_DEPTH: u32 = 200;
/// How deep files may include files.
pub(crate) const MAX_INCLUDE_DEPTH: usize = 64;
/// Largest source file in bytes.
pub(crate) const MAX_FILE_BYTES: usize = 1 << 24;
/// After so many errors the rest is not looked at.
pub(crate) const MAX_ERRORS: u32 = 64;

/// The token stream after preprocessing.
pub struct Preprocessed {
    /// Tokens without directives and macros.
    pub tokens: Vec<Token>,
    /// Files that were included, each once, in the order in which they were first opened.
    pub includes: Vec<IncludeRecord>,
}

/// Runs the preprocessor. Files and expansions go to `map`, whatever is wrong to `found`.
/// The kernel's source becomes file 0; definitions from `request` and the language's own are synthetic files.
pub fn preprocess(request: &Request<'_>, map: &mut SourceMap, found: &mut Vec<Diagnostic>) -> Preprocessed {
    let mut preprocessor = Preprocessor {
        request,
        map,
        found,
        files: Vec::new(),
        macros: HashMap::new(),
        hidden: HideSets::default(),
        depths: Vec::new(),
        includes: Vec::new(),
        opened: HashMap::new(),
        once: HashSet::new(),
        counter: 0,
        work: 0,
        max_work: MAX_WORK.saturating_add(u32::try_from(request.source.len()).unwrap_or(u32::MAX)),
        errors: 0,
        collecting: false,
        in_condition: false,
        injected: VecDeque::new(),
        unroll: None,
        aborted: false,
    };
    preprocessor.open_sources();
    let tokens = preprocessor.run();
    Preprocessed { tokens, includes: preprocessor.includes }
}

struct Preprocessor<'a> {
    request: &'a Request<'a>,
    map: &'a mut SourceMap,
    found: &'a mut Vec<Diagnostic>,
    /// The file that is read is the last one; it was included by the one before.
    files: Vec<OpenFile>,
    macros: HashMap<Arc<str>, Arc<Macro>>,
    hidden: HideSets,
    /// For each expansion of `map`: how many it lies in, itself included.
    depths: Vec<u32>,
    includes: Vec<IncludeRecord>,
    /// Files by path.
    opened: HashMap<String, u32>,
    /// Files that said `#pragma once`.
    once: HashSet<u32>,
    /// Next value of `__COUNTER__`.
    counter: u64,
    work: u32,
    /// See [`MAX_WORK`].
    max_work: u32,
    errors: u32,
    /// A macro's arguments are being read: they end with the file, and no file is opened among them.
    collecting: bool,
    /// `#if` is being read: `defined` is an operator.
    in_condition: bool,
    /// What directives became, before what the file goes on with.
    injected: VecDeque<Token>,
    /// What the next loop is to be unrolled by.
    unroll: Option<Unroll>,
    /// A limit was passed: no more tokens come.
    aborted: bool,
}

/// A file that is being read.
struct OpenFile {
    lexer: Lexer,
    /// The token after the last one taken, where it was looked at.
    ahead: Option<Token>,
    file: u32,
    /// Conditional groups that are open; all of them are in an active part.
    conditions: Vec<Condition>,
    /// The language's own definitions, which a source may replace without a word.
    internal: bool,
}

/// An open `#if`.
struct Condition {
    /// The directive.
    span: Span,
    /// One of its groups was read: the others are not.
    taken: bool,
    /// The text that follows is not read.
    skipping: bool,
    /// `#else`, once seen.
    otherwise: Option<Span>,
}

impl OpenFile {
    fn new(text: &str, file: u32, internal: bool) -> Self {
        let lexer = Lexer::new(text, file);
        Self { lexer, ahead: None, file, conditions: Vec::new(), internal }
    }

    fn peek(&mut self) -> Option<&Token> {
        if self.ahead.is_none() {
            self.ahead = self.lexer.next();
        }
        self.ahead.as_ref()
    }

    fn next(&mut self) -> Option<Token> {
        self.ahead.take().or_else(|| self.lexer.next())
    }
}

impl Preprocessor<'_> {
    /// The kernel file at the bottom, above it what is read before: the props, and first the language's own.
    fn open_sources(&mut self) {
        let request = self.request;
        let main = self.map.add(request.name, request.source);
        if request.source.len() > MAX_FILE_BYTES {
            let span = Span { file: main, ..Span::default() };
            self.report(too_large(span, request.name));
            return;
        }
        self.files.push(OpenFile::new(request.source, main, false));
        self.open_props();
        let text = predefined::definitions(request.mode);
        let file = self.map.add("<built-in>", text.clone());
        self.files.push(OpenFile::new(&text, file, true));
    }

    /// All tokens.
    fn run(&mut self) -> Vec<Token> {
        let mut pending = Pending::of_file();
        let mut tokens = Vec::new();
        while let Some(flow) = self.next(&mut pending) {
            if let Some(flow) = self.expand(&mut pending, flow, 0)
                && !self.is_stray_backslash(&flow.token)
            {
                tokens.push(flow.token);
            }
        }
        self.no_loop_to_unroll();
        tokens
    }

    /// The next token of the source, after the directives before it.
    fn read_token(&mut self) -> Option<Token> {
        while !self.aborted {
            if let Some(token) = self.injected.pop_front() {
                self.charge(1);
                return Some(token);
            }
            match self.files.last_mut()?.next() {
                Some(token) if token.line_start && token.is(Punct::Hash) => {
                    let line = self.line();
                    self.directive(&token, &line);
                }
                Some(token) if is_directive_attribute(&token) => self.directive_attribute(&token),
                Some(token) => {
                    self.charge(1);
                    return Some(self.with_unroll(token));
                }
                None if self.collecting => return None,
                None => self.leave_file(),
            }
        }
        None
    }

    fn leave_file(&mut self) {
        let Some(file) = self.files.pop() else { return };
        for condition in file.conditions.iter().rev() {
            let message = "this condition is never closed";
            // Where one of its groups was read the file's end closes it; else what was skipped may be more than was meant.
            let finding = if condition.skipping && !condition.taken {
                Diagnostic::error(rules::UNBALANCED_IF, condition.span, message)
            } else {
                Diagnostic::warning(rules::UNCLOSED_IF, condition.span, message)
            };
            self.report(finding.hint("close it with `#endif`"));
        }
    }

    /// Counts `tokens` as done, and stops everything when it is too much.
    fn charge(&mut self, tokens: usize) {
        self.work = self.work.saturating_add(u32::try_from(tokens).unwrap_or(u32::MAX));
        if self.work > self.max_work && !self.aborted {
            let span = self.reading();
            let limit = self.max_work;
            let message = format!("the source grows beyond {limit} tokens when macros and includes are expanded");
            self.give_up(Diagnostic::error(rules::LIMIT, span, message));
        }
    }

    /// Where the reading stands.
    fn reading(&mut self) -> Span {
        self.files
            .last_mut()
            .map(|file| file.peek().map(|t| t.span).unwrap_or(file.lexer.end_of_file()))
            .unwrap_or_default()
    }

    fn report(&mut self, finding: Diagnostic) {
        if self.aborted {
            return;
        }
        let span = finding.span;
        self.errors += u32::from(finding.severity == Severity::Error);
        self.found.push(finding);
        if self.errors == MAX_ERRORS {
            self.found.push(Diagnostic::error(rules::LIMIT, span, "too many errors: what follows is not looked at"));
            self.aborted = true;
        }
    }

    /// Reports what makes further reading pointless.
    fn give_up(&mut self, finding: Diagnostic) {
        self.report(finding);
        self.aborted = true;
    }
}

fn too_large(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(rules::LIMIT, span, format!("`{name}` is larger than {} MiB", MAX_FILE_BYTES >> 20))
}
