//! Macro definitions, and the replacement of a call by its body: parameters, `#`, `##`.

use super::expand::Flow;
use super::hide::HideSet;
use super::{Preprocessor, Span};
use crate::Diagnostic;
use crate::front::lex::{Lexer, Punct, Token, TokenKind};
use crate::rules;
use std::sync::Arc;

/// How many parameters a macro may have; C asks for this many.
const MAX_PARAMETERS: usize = 127;

/// Names that the preprocessor itself gives meaning to.
const FIXED: [&str; 8] =
    ["defined", "__FILE__", "__LINE__", "__COUNTER__", "_Pragma", "__VA_ARGS__", "__DATE__", "__TIME__"];

/// A definition.
pub(super) struct Macro {
    pub(super) name: Arc<str>,
    /// The name in its `#define`.
    pub(super) span: Span,
    /// `None` for an object-like macro.
    pub(super) params: Option<Params>,
    pub(super) body: Vec<Token>,
    /// One of the language's own, which may be replaced without a word.
    internal: bool,
}

/// Parameters of a function-like macro.
#[derive(PartialEq)]
pub(super) struct Params {
    pub(super) names: Vec<Arc<str>>,
    /// The last one takes all remaining arguments.
    pub(super) variadic: bool,
}

impl Macro {
    fn param(&self, token: &Token) -> Option<usize> {
        let name = token.name()?;
        self.params.as_ref()?.names.iter().position(|param| param == name)
    }

    fn same_as(&self, other: &Macro) -> bool {
        let same = |a: &Token, b: &Token| a.kind == b.kind && a.space_before == b.space_before;
        self.params == other.params
            && self.body.len() == other.body.len()
            && self.body.iter().zip(&other.body).enumerate().all(
                |(i, (a, b))| {
                    if i == 0 { a.kind == b.kind } else { same(a, b) }
                },
            )
    }
}

/// One call of a macro.
pub(super) struct Call<'m> {
    definition: &'m Macro,
    /// For [`Span::expansion`].
    expansion: u32,
    /// Arguments as written, one for each parameter.
    arguments: Vec<Vec<Flow>>,
    /// The same, macros expanded, where that was needed already.
    expanded: Vec<Option<Vec<Flow>>>,
    /// How many calls it lies in as an argument.
    depth: u32,
}

// Definitions.
impl Preprocessor<'_> {
    /// `#define`, from behind the word on.
    pub(super) fn define(&mut self, line: &[Token], directive: Span) {
        if let Some(definition) = self.definition(line, directive) {
            self.add_macro(definition);
        }
    }

    fn add_macro(&mut self, definition: Macro) {
        let name = definition.name.clone();
        if let Some(old) = self.macros.get(&name).filter(|old| !old.internal && !old.same_as(&definition)) {
            let finding = Diagnostic::warning(
                rules::MACRO_REDEFINED,
                definition.span,
                format!("macro `{name}` is defined again, differently"),
            )
            .label(old.span, "its former definition")
            .hint(format!("use `#undef {name}` before, or `#ifndef {name}` around the new one"));
            self.report(finding);
        }
        self.macros.insert(name, Arc::new(definition));
    }

    /// The name in `#define`, `#undef`, `#ifdef` …
    pub(super) fn macro_name(&mut self, line: &[Token], directive: Span) -> Option<(Arc<str>, Span)> {
        let Some(token) = line.first() else {
            self.report(Diagnostic::error(rules::BAD_DIRECTIVE, directive, "a macro's name is missing here"));
            return None;
        };
        let Some(name) = token.name() else {
            self.report(Diagnostic::error(
                rules::BAD_DIRECTIVE,
                token.span,
                format!("expected a macro's name, found `{}`", token.text()),
            ));
            return None;
        };
        Some((name.clone(), token.span))
    }

    /// The name in `#define` and `#undef`, which is free to be given.
    pub(super) fn free_macro_name(&mut self, line: &[Token], directive: Span) -> Option<(Arc<str>, Span)> {
        let (name, span) = self.macro_name(line, directive)?;
        if FIXED.contains(&&*name) {
            self.report(Diagnostic::error(
                rules::BAD_DIRECTIVE,
                span,
                format!("`{name}` cannot be defined or undefined"),
            ));
            return None;
        }
        Some((name, span))
    }

    fn definition(&mut self, line: &[Token], directive: Span) -> Option<Macro> {
        let (name, span) = self.free_macro_name(line, directive)?;
        let rest = &line[1..];
        // `F(x)` has parameters, `F (x)` is the object-like macro `(x)`.
        let has_params = rest.first().is_some_and(|token| token.is(Punct::LeftParen) && !token.space_before);
        let (params, body) = if has_params {
            let (params, used) = self.params(rest)?;
            (Some(params), &rest[used..])
        } else {
            (None, rest)
        };
        let body = self.without_backslashes(body);
        let internal = self.files.last().is_some_and(|file| file.internal);
        let definition = Macro { name, span, params, body, internal };
        self.check_body(&definition)?;
        Some(definition)
    }

    /// A macro's body without the `\` that join no lines, because more follows them.
    fn without_backslashes(&mut self, body: &[Token]) -> Vec<Token> {
        let (mut kept, mut is_reported) = (Vec::with_capacity(body.len()), false);
        for token in body {
            if !is_backslash(token) {
                kept.push(token.clone());
            } else if !is_reported {
                is_reported = self.is_stray_backslash(token);
            }
        }
        kept
    }

    /// Warns of a `\` that joins no lines, which is read over.
    pub(super) fn is_stray_backslash(&mut self, token: &Token) -> bool {
        if is_backslash(token) {
            let finding = Diagnostic::warning(
                rules::STRAY_BACKSLASH,
                token.span,
                "this `\\` does not end its line, and is read over",
            );
            self.report(finding.hint("only a `\\` at the end of a line joins it with the next one"));
        }
        is_backslash(token)
    }

    /// From `(` on: the parameters, and how many tokens they take.
    fn params(&mut self, tokens: &[Token]) -> Option<(Params, usize)> {
        let mut params = Params { names: Vec::new(), variadic: false };
        let mut at = 1;
        if tokens.get(at).is_some_and(|token| token.is(Punct::RightParen)) {
            return Some((params, at + 1));
        }
        loop {
            at += self.param(&tokens[at.min(tokens.len())..], tokens[0].span, &mut params)?;
            match tokens.get(at) {
                Some(token) if token.is(Punct::RightParen) => return Some((params, at + 1)),
                Some(token) if token.is(Punct::Comma) && !params.variadic => at += 1,
                other => {
                    let span = other.map_or(tokens[0].span, |token| token.span);
                    let wanted = if params.variadic { "`)`" } else { "`,` or `)`" };
                    self.report(Diagnostic::error(
                        rules::MACRO_DEFINITION,
                        span,
                        format!("expected {wanted} in the parameters of this macro"),
                    ));
                    return None;
                }
            }
        }
    }

    /// One parameter; answers how many tokens it takes.
    fn param(&mut self, tokens: &[Token], open: Span, params: &mut Params) -> Option<usize> {
        let Some(token) = tokens.first() else {
            self.report(Diagnostic::error(
                rules::MACRO_DEFINITION,
                open,
                "the parameters of this macro are never closed",
            ));
            return None;
        };
        let mut used = 1;
        let name: Arc<str> = match token.name() {
            Some(name) => name.clone(),
            None if token.is(Punct::Ellipsis) => "__VA_ARGS__".into(),
            None => {
                self.report(Diagnostic::error(
                    rules::MACRO_DEFINITION,
                    token.span,
                    format!("expected a parameter's name, found `{}`", token.text()),
                ));
                return None;
            }
        };
        params.variadic = token.is(Punct::Ellipsis);
        // GNU C names the rest: `args...`.
        if !params.variadic && tokens.get(1).is_some_and(|next| next.is(Punct::Ellipsis)) {
            params.variadic = true;
            used = 2;
        }
        if params.names.contains(&name) {
            self.report(Diagnostic::error(
                rules::MACRO_DEFINITION,
                token.span,
                format!("there is a parameter `{name}` already"),
            ));
            return None;
        }
        if params.names.len() == MAX_PARAMETERS {
            self.report(Diagnostic::error(
                rules::LIMIT,
                token.span,
                format!("a macro has at most {MAX_PARAMETERS} parameters"),
            ));
            return None;
        }
        params.names.push(name);
        Some(used)
    }

    fn check_body(&mut self, definition: &Macro) -> Option<()> {
        let body = &definition.body;
        for token in [body.first(), body.last()].into_iter().flatten() {
            if token.is(Punct::HashHash) {
                self.report(Diagnostic::error(
                    rules::MACRO_DEFINITION,
                    token.span,
                    "`##` pastes the tokens at its sides: it cannot be first or last",
                ));
                return None;
            }
        }
        for (index, token) in body.iter().enumerate() {
            if definition.params.is_some()
                && token.is(Punct::Hash)
                && body.get(index + 1).is_none_or(|next| definition.param(next).is_none())
            {
                self.report(Diagnostic::error(
                    rules::MACRO_DEFINITION,
                    token.span,
                    "`#` quotes an argument: a parameter must follow it",
                ));
                return None;
            }
            if token.is_name("__VA_ARGS__") && definition.param(token).is_none() {
                let finding = Diagnostic::error(
                    rules::MACRO_DEFINITION,
                    token.span,
                    "`__VA_ARGS__` stands for the `...` of a macro's parameters, which this one lacks",
                );
                self.report(finding);
                return None;
            }
        }
        Some(())
    }
}

fn is_backslash(token: &Token) -> bool {
    matches!(&token.kind, TokenKind::Bad(text, _) if &**text == "\\")
}

// Replacement.
impl Preprocessor<'_> {
    /// The body of the called macro with its arguments put in.
    pub(super) fn substitute(&mut self, call: &mut Call<'_>) -> Vec<Flow> {
        let body = &call.definition.body;
        let mut out = Vec::with_capacity(body.len());
        let mut at = 0;
        while at < body.len() && !self.aborted {
            let (mut part, mut next) = self.piece(call, at, false);
            while body.get(next).is_some_and(|token| token.is(Punct::HashHash)) {
                let (right, after) = self.piece(call, next + 1, true);
                self.join(call, &mut part, right, next);
                next = after;
            }
            out.append(&mut part);
            at = next;
        }
        out
    }

    /// What stands for the body's token `at` (and the one behind `#`), and the index after it.
    fn piece(&mut self, call: &mut Call<'_>, at: usize, behind_paste: bool) -> (Vec<Flow>, usize) {
        let definition = call.definition;
        let token = &definition.body[at];
        if definition.params.is_some()
            && token.is(Punct::Hash)
            && let Some(param) = definition.body.get(at + 1).and_then(|next| definition.param(next))
        {
            let kind = TokenKind::String(quoted(&call.arguments[param]).into());
            return (vec![call.flow(Token { kind, ..token.clone() })], at + 2);
        }
        let Some(param) = definition.param(token) else {
            return (vec![call.flow(token.clone())], at + 1);
        };
        let pasted = behind_paste || definition.body.get(at + 1).is_some_and(|next| next.is(Punct::HashHash));
        let mut flows = if pasted { call.arguments[param].clone() } else { self.expanded_argument(call, param) };
        for flow in &mut flows {
            flow.token.space_before |= flow.token.line_start;
            flow.token.line_start = false;
        }
        if let Some(first) = flows.first_mut() {
            first.token.space_before = token.space_before;
        }
        (flows, at + 1)
    }

    fn expanded_argument(&mut self, call: &mut Call<'_>, param: usize) -> Vec<Flow> {
        if let Some(known) = &call.expanded[param] {
            return known.clone();
        }
        let expanded = self.expand_list(call.arguments[param].clone(), call.depth + 1);
        call.expanded[param] = Some(expanded.clone());
        expanded
    }

    /// `left ## right`; `paste` is the index of the `##`.
    fn join(&mut self, call: &Call<'_>, left: &mut Vec<Flow>, mut right: Vec<Flow>, paste: usize) {
        let definition = call.definition;
        let rest = definition.params.as_ref().filter(|params| params.variadic).map(|params| params.names.len() - 1);
        let is_rest = rest.is_some() && definition.param(&definition.body[paste + 1]) == rest;
        // GNU C: `, ## __VA_ARGS__` drops the comma where there are no arguments, and pastes nothing else.
        if is_rest && definition.body[paste - 1].is(Punct::Comma) {
            if right.is_empty() {
                left.pop();
            }
            left.append(&mut right);
            return;
        }
        if right.is_empty() {
            return;
        }
        let Some(last) = left.pop() else {
            *left = right;
            return;
        };
        let first = right.remove(0);
        match pasted(&last.token, &first.token) {
            Some(kind) => {
                let place = call.flow(definition.body[paste].clone()).token.span;
                let token = Token { kind, span: place, ..last.token };
                let hidden = self.hidden.intersection(last.hidden, first.hidden);
                left.push(Flow { token, hidden });
            }
            None => {
                let span = call.flow(definition.body[paste].clone()).token.span;
                let message = format!("`{}` and `{}` do not paste to a token", last.token.text(), first.token.text());
                self.report(Diagnostic::error(rules::MACRO_CALL, span, message));
                left.extend([last, first]);
            }
        }
        left.append(&mut right);
    }
}

impl<'m> Call<'m> {
    pub(super) fn new(definition: &'m Macro, expansion: u32, arguments: Vec<Vec<Flow>>, depth: u32) -> Self {
        let expanded = vec![None; arguments.len()];
        Self { definition, expansion, arguments, expanded, depth }
    }

    /// A token of the body, marked as of this expansion.
    fn flow(&self, mut token: Token) -> Flow {
        token.span.expansion = self.expansion;
        token.line_start = false;
        Flow { token, hidden: HideSet::default() }
    }
}

/// The one token that two make when written without a gap.
fn pasted(left: &Token, right: &Token) -> Option<TokenKind> {
    let text = format!("{}{}", left.text(), right.text());
    let mut lexer = Lexer::new(text, 0);
    let token = lexer.next()?;
    let is_token = !matches!(token.kind, TokenKind::Bad(..)) && lexer.next().is_none();
    is_token.then_some(token.kind)
}

/// `#argument`: its spelling as a string literal.
fn quoted(argument: &[Flow]) -> String {
    let mut out = String::from("\"");
    for (index, flow) in argument.iter().enumerate() {
        let token = &flow.token;
        if index > 0 && (token.space_before || token.line_start) {
            out.push(' ');
        }
        let is_quoted = matches!(token.kind, TokenKind::String(_) | TokenKind::Char(_));
        for character in token.text().chars() {
            if is_quoted && matches!(character, '"' | '\\') {
                out.push('\\');
            }
            out.push(character);
        }
    }
    out.push('"');
    out
}
