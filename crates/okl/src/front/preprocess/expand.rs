//! Macro expansion: which names are called, with what arguments, and the rescan of what they turn into.

use super::hide::HideSet;
use super::macros::{Call, Macro, Params};
use super::{MAX_EXPANSION_DEPTH, MAX_EXPANSIONS, Preprocessor, Span};
use crate::Diagnostic;
use crate::front::lex::{Punct, Token, TokenKind};
use crate::rules;
use crate::source::Expansion;

/// A token on its way, and the macros that it must not call.
#[derive(Clone)]
pub(super) struct Flow {
    pub(super) token: Token,
    pub(super) hidden: HideSet,
}

/// Tokens to be scanned: those put back by macros, then (perhaps) the source.
pub(super) struct Pending {
    /// Next one last.
    tokens: Vec<Flow>,
    reads_file: bool,
}

impl Pending {
    /// Goes on with the source.
    pub(super) fn of_file() -> Self {
        Self { tokens: Vec::new(), reads_file: true }
    }

    fn of_list(mut tokens: Vec<Flow>) -> Self {
        tokens.reverse();
        Self { tokens, reads_file: false }
    }
}

/// What stands between the parentheses of a macro's call.
struct Collected {
    /// The arguments: one more than there are commas.
    lists: Vec<Vec<Flow>>,
    last_comma: Option<Span>,
    /// The closing parenthesis.
    close: Flow,
}

impl Preprocessor<'_> {
    /// The next token to look at.
    pub(super) fn next(&mut self, pending: &mut Pending) -> Option<Flow> {
        if self.aborted {
            return None;
        }
        if let Some(flow) = pending.tokens.pop() {
            return Some(flow);
        }
        if !pending.reads_file {
            return None;
        }
        self.read_token().map(|token| Flow { token, hidden: HideSet::default() })
    }

    fn next_is_paren(&mut self, pending: &Pending) -> bool {
        match pending.tokens.last() {
            Some(flow) => flow.token.is(Punct::LeftParen),
            None if pending.reads_file && !self.injected.is_empty() => {
                self.injected.front().is_some_and(|token| token.is(Punct::LeftParen))
            }
            // A directive or the end of the file before a `(` means that the name stands alone.
            None if pending.reads_file => {
                self.files.last_mut().and_then(|file| file.peek()).is_some_and(|token| token.is(Punct::LeftParen))
            }
            None => false,
        }
    }

    /// Expands all macros of a list on its own: an argument, a condition.
    pub(super) fn expand_list(&mut self, tokens: Vec<Flow>, depth: u32) -> Vec<Flow> {
        self.charge(tokens.len());
        if depth > MAX_EXPANSION_DEPTH {
            let span = tokens.first().map(|flow| flow.token.span).unwrap_or_default();
            self.give_up(too_deep(span));
            return Vec::new();
        }
        let mut pending = Pending::of_list(tokens);
        let mut out = Vec::new();
        while let Some(flow) = self.next(&mut pending) {
            if let Some(flow) = self.expand(&mut pending, flow, depth) {
                out.push(flow);
            }
        }
        out
    }

    /// Answers a token that stays as it is. A call is replaced within `pending`, and `None` answered.
    pub(super) fn expand(&mut self, pending: &mut Pending, flow: Flow, depth: u32) -> Option<Flow> {
        let Some(name) = flow.token.name() else {
            return Some(flow);
        };
        match &**name {
            "__LINE__" | "__FILE__" | "__COUNTER__" => return Some(self.dynamic(flow)),
            "__DATE__" | "__TIME__" => {
                let message = format!("`{name}` is not in OKL: the same source always gives the same kernel");
                self.report(Diagnostic::error(rules::NOT_IN_OKL, flow.token.span, message));
                return None;
            }
            "_Pragma" => {
                self.skip_pragma(pending, &flow);
                return None;
            }
            "defined" if self.in_condition => return Some(self.defined(pending, flow)),
            _ => {}
        }
        let Some(definition) = self.macros.get(name).cloned() else {
            return Some(flow);
        };
        if self.hidden.contains(flow.hidden, name) {
            return Some(flow);
        }
        let (hidden, span, arguments) = match &definition.params {
            None => (flow.hidden, flow.token.span, Vec::new()),
            Some(_) if !self.next_is_paren(pending) => return Some(flow),
            Some(params) => {
                let Some((arguments, close)) = self.arguments(pending, &definition, params, &flow) else {
                    // The name stays, so that the parser does not miss an operand.
                    return Some(flow);
                };
                let hidden = self.hidden.intersection(flow.hidden, close.hidden);
                (hidden, flow.token.span.to(close.token.span), arguments)
            }
        };
        let expansion = self.expansion(&definition, span)?;
        let hidden = self.hidden.with(hidden, &definition.name);
        let call = Call::new(&definition, expansion, arguments, depth);
        let flows = self.replacement(call, &flow.token, hidden);
        pending.tokens.extend(flows.into_iter().rev());
        None
    }

    /// What a call turns into; it stands where the macro's name stood.
    fn replacement(&mut self, mut call: Call<'_>, name: &Token, hidden: HideSet) -> Vec<Flow> {
        let mut flows = self.substitute(&mut call);
        self.charge(flows.len());
        for flow in &mut flows {
            flow.hidden = self.hidden.union(flow.hidden, hidden);
        }
        if let Some(first) = flows.first_mut() {
            first.token.space_before = name.space_before;
            first.token.line_start = name.line_start;
        }
        flows
    }

    /// Records an expansion: the number that spans of its tokens carry.
    fn expansion(&mut self, definition: &Macro, call: Span) -> Option<u32> {
        let outer = call.expansion.checked_sub(1).map_or(0, |index| self.depths[index as usize]);
        if outer >= MAX_EXPANSION_DEPTH {
            self.give_up(too_deep(call));
            return None;
        }
        if self.depths.len() >= MAX_EXPANSIONS {
            let message = format!("macros are expanded more than {MAX_EXPANSIONS} times in this source");
            self.give_up(Diagnostic::error(rules::LIMIT, call, message));
            return None;
        }
        self.depths.push(outer + 1);
        let name = definition.name.to_string();
        self.map.expansions.push(Expansion { name, call, definition: definition.span });
        Some(self.depths.len() as u32)
    }

    /// From `(` to `)`: one list per parameter, and the closing parenthesis.
    fn arguments(
        &mut self,
        pending: &mut Pending,
        definition: &Macro,
        params: &Params,
        name: &Flow,
    ) -> Option<(Vec<Vec<Flow>>, Flow)> {
        let before = std::mem::replace(&mut self.collecting, true);
        let collected = self.collect_arguments(pending, params);
        self.collecting = before;
        let Some(Collected { lists: mut arguments, last_comma, close }) = collected else {
            let message = format!("the arguments of macro `{}` are never closed", definition.name);
            self.report(
                Diagnostic::error(rules::MACRO_CALL, name.token.span, message)
                    .label(definition.span, "the macro is defined here"),
            );
            return None;
        };
        let wanted = params.names.len();
        if wanted == 0 && arguments.len() == 1 && arguments[0].is_empty() {
            arguments.clear();
        }
        if params.variadic && arguments.len() + 1 == wanted {
            arguments.push(Vec::new());
        }
        if let Some(comma) = last_comma
            && wanted > 0
            && arguments.len() == wanted + 1
            && arguments.last().is_some_and(Vec::is_empty)
        {
            arguments.pop();
            let finding = Diagnostic::warning(rules::TRAILING_COMMA, comma, "no argument follows this `,`");
            self.report(finding.hint("leave it out: C compilers refuse it"));
        }
        if arguments.len() == wanted {
            return Some((arguments, close));
        }
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        let least = if params.variadic { wanted - 1 } else { wanted };
        let word = if params.variadic { "at least " } else { "" };
        let message = format!(
            "macro `{}` takes {word}{least} argument{}, {} {} given",
            definition.name,
            plural(least),
            arguments.len(),
            if arguments.len() == 1 { "is" } else { "are" },
        );
        let span = name.token.span.to(close.token.span);
        self.report(
            Diagnostic::error(rules::MACRO_CALL, span, message).label(definition.span, "the macro is defined here"),
        );
        None
    }

    fn collect_arguments(&mut self, pending: &mut Pending, params: &Params) -> Option<Collected> {
        self.next(pending)?;
        let mut lists = vec![Vec::new()];
        let mut last_comma = None;
        let mut open = 0usize;
        loop {
            let flow = self.next(pending)?;
            self.charge(1);
            let in_rest = params.variadic && lists.len() >= params.names.len();
            match flow.token.kind {
                TokenKind::Punct(Punct::RightParen) if open == 0 => {
                    return Some(Collected { lists, last_comma, close: flow });
                }
                TokenKind::Punct(Punct::Comma) if open == 0 && !in_rest => {
                    lists.push(Vec::new());
                    last_comma = Some(flow.token.span);
                    continue;
                }
                TokenKind::Punct(Punct::LeftParen) => open += 1,
                TokenKind::Punct(Punct::RightParen) => open -= 1,
                _ => {}
            }
            if let Some(list) = lists.last_mut() {
                list.push(flow);
            }
        }
    }

    /// `__LINE__`, `__FILE__`, `__COUNTER__`. Within a macro the first two tell where the user called it.
    fn dynamic(&mut self, mut flow: Flow) -> Flow {
        let site = self.map.call_site(flow.token.span);
        let file = self.map.file(site);
        flow.token.kind = if flow.token.is_name("__FILE__") {
            let name = file
                .map_or("", |file| &file.name)
                .replace('\\', "\\\\")
                .replace('"', "\\\"")
                .replace(['\n', '\r'], " ");
            TokenKind::String(format!("\"{name}\"").into())
        } else if flow.token.is_name("__LINE__") {
            TokenKind::Number(file.map_or(0, |file| file.line_column(site.start).0).to_string().into())
        } else {
            self.counter += 1;
            TokenKind::Number((self.counter - 1).to_string().into())
        };
        flow
    }

    /// `_Pragma("…")`, read over as `#pragma` is.
    fn skip_pragma(&mut self, pending: &mut Pending, name: &Flow) {
        let mut expected: [fn(&Token) -> bool; 3] = [
            |token| token.is(Punct::LeftParen),
            |token| matches!(token.kind, TokenKind::String(_)),
            |token| token.is(Punct::RightParen),
        ];
        for is_expected in &mut expected {
            match self.next(pending) {
                Some(flow) if is_expected(&flow.token) => {}
                other => {
                    self.report(Diagnostic::error(
                        rules::BAD_DIRECTIVE,
                        name.token.span,
                        "`_Pragma` is written `_Pragma(\"text\")`",
                    ));
                    pending.tokens.extend(other);
                    return;
                }
            }
        }
    }

    /// `defined X`, `defined(X)`: 1 or 0.
    fn defined(&mut self, pending: &mut Pending, mut flow: Flow) -> Flow {
        let mut next = self.next(pending);
        let parenthesised = next.as_ref().is_some_and(|flow| flow.token.is(Punct::LeftParen));
        if parenthesised {
            next = self.next(pending);
        }
        let name = next.as_ref().and_then(|flow| flow.token.name().cloned());
        let closed = !parenthesised || self.next(pending).is_some_and(|flow| flow.token.is(Punct::RightParen));
        if name.is_none() || !closed {
            let finding = Diagnostic::error(
                rules::BAD_CONDITION,
                flow.token.span,
                "`defined` is written `defined(NAME)` or `defined NAME`",
            );
            self.report(finding);
        }
        let value = name.is_some_and(|name| self.is_defined(&name));
        flow.token.kind = TokenKind::Number(u8::from(value).to_string().into());
        flow
    }

    /// Whether a macro has this name.
    pub(super) fn is_defined(&self, name: &str) -> bool {
        self.macros.contains_key(name) || matches!(name, "__LINE__" | "__FILE__" | "__COUNTER__")
    }
}

fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::error(rules::LIMIT, span, format!("macro expansions nest more than {MAX_EXPANSION_DEPTH} levels deep"))
}
