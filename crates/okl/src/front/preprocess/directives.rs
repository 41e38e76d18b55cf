//! Lines that start with `#`.

use super::{Condition, OpenFile, Preprocessor, Span};
use crate::Diagnostic;
use crate::front::lex::{Punct, Token, TokenKind, literal};
use crate::rules;

/// Whether a token begins an `@directive("…")`.
pub(super) fn is_directive_attribute(token: &Token) -> bool {
    matches!(&token.kind, TokenKind::Attribute(name) if &**name == "directive")
}

impl Preprocessor<'_> {
    /// The rest of the line that is being read.
    pub(super) fn line(&mut self) -> Vec<Token> {
        let mut line = Vec::new();
        if let Some(file) = self.files.last_mut() {
            while file.peek().is_some_and(|token| !token.line_start) {
                line.extend(file.next());
            }
        }
        self.charge(line.len() + 1);
        line
    }

    /// A directive in an active part, from behind its `#`.
    pub(super) fn directive(&mut self, hash: &Token, line: &[Token]) {
        let Some(first) = line.first() else { return };
        let span = hash.span.to(first.span);
        let rest = &line[1..];
        let Some(name) = first.name() else {
            // `# 12 "file"` is what another preprocessor leaves behind.
            if !matches!(first.kind, TokenKind::Number(_)) {
                self.report(Diagnostic::error(
                    rules::BAD_DIRECTIVE,
                    first.span,
                    format!("expected a directive, found `{}`", first.text()),
                ));
            }
            return;
        };
        match &**name {
            "define" => self.define(rest, span),
            "undef" => {
                if let Some((name, _)) = self.free_macro_name(rest, span) {
                    self.macros.remove(&name);
                    self.nothing_after(&rest[1..], "#undef");
                }
            }
            "include" => self.include(rest, span),
            "if" | "ifdef" | "ifndef" | "elif" | "elifdef" | "elifndef" | "else" | "endif" => {
                self.conditional(name, rest, span);
            }
            "error" => {
                let message = self.message(rest);
                self.report(Diagnostic::error(rules::USER_ERROR, span, format!("#error {message}")));
            }
            "warning" => {
                let message = self.message(rest);
                self.report(Diagnostic::warning(rules::USER_WARNING, span, format!("#warning {message}")));
            }
            "pragma" => {
                if rest.first().is_some_and(|token| token.is_name("once"))
                    && let Some(file) = self.files.last()
                {
                    self.once.insert(file.file);
                }
                if rest.first().is_some_and(|token| token.is_name("unroll")) {
                    self.unroll(hash, rest);
                }
            }
            // Places stay those of the text at hand: a diagnostic shows the line it speaks of.
            "line" | "ident" => {}
            _ => {
                let finding = Diagnostic::error(rules::BAD_DIRECTIVE, span, format!("unknown directive `#{name}`"));
                self.report(finding.hint("directives are #define #undef #include #if #ifdef #ifndef #elif #else #endif #error #warning #line #pragma"));
            }
        }
    }

    /// `@directive("#define N 4")`, as OCCA has it: the directive, wherever on a line it stands.
    pub(super) fn directive_attribute(&mut self, attribute: &Token) {
        let Some(line) = self.attribute_line(attribute) else { return };
        let is_unroll = |line: &[Token]| line.get(1).is_some_and(|token| token.is_name("unroll"));
        if line.first().is_some_and(|token| token.is_name("pragma")) && !is_unroll(&line) {
            let finding = Diagnostic::warning(
                rules::UNUSED_ATTRIBUTE,
                attribute.span,
                "no compiler is told of this `#pragma`, which is read over",
            );
            self.report(finding.hint("`#pragma unroll` before a loop is"));
        }
        self.directive(attribute, &line);
    }

    /// What stands in the string of an `@directive` behind its `#`, with the place of the whole.
    fn attribute_line(&mut self, attribute: &Token) -> Option<Vec<Token>> {
        let mut next = || self.files.last_mut().and_then(OpenFile::next);
        let (open, text, close) = (next(), next(), next());
        self.charge(3);
        let text = match (open, text.map(|token| token.kind), close) {
            (Some(open), Some(TokenKind::String(text)), Some(close))
                if open.is(Punct::LeftParen) && close.is(Punct::RightParen) =>
            {
                literal::string(&text).unwrap_or_default()
            }
            _ => return self.no_directive(attribute),
        };
        let mut tokens = OpenFile::new(&text, attribute.span.file, false);
        let line: Vec<Token> = std::iter::from_fn(|| tokens.next())
            .map(|token| Token { span: attribute.span, line_start: false, ..token })
            .collect();
        match line.split_first() {
            Some((hash, rest)) if hash.is(Punct::Hash) && !rest.is_empty() => Some(rest.to_vec()),
            _ => self.no_directive(attribute),
        }
    }

    fn no_directive(&mut self, attribute: &Token) -> Option<Vec<Token>> {
        let finding = Diagnostic::error(
            rules::BAD_DIRECTIVE,
            attribute.span,
            "`@directive` is written `@directive(\"#define N 4\")`",
        );
        self.report(finding.hint("the string is one line that starts with `#`"));
        None
    }

    /// A directive of a condition, in an active part.
    fn conditional(&mut self, name: &str, rest: &[Token], span: Span) {
        match name {
            "if" => {
                let holds = self.condition(rest, span);
                self.open_condition(span, holds);
            }
            "ifdef" | "ifndef" => {
                let holds = self.ifdef(rest, span, name == "ifdef");
                self.open_condition(span, holds);
            }
            "endif" => {
                self.nothing_after(rest, "#endif");
                if self.files.last_mut().and_then(|file| file.conditions.pop()).is_none() {
                    self.report(Diagnostic::error(rules::UNBALANCED_IF, span, "`#endif` without `#if`"));
                }
            }
            // The group before it was read: nothing up to `#endif` is, further conditions included.
            _ => {
                let is_else = name == "else";
                if is_else {
                    self.nothing_after(rest, "#else");
                }
                if self.alternative(span, name, is_else) {
                    self.skip_group();
                }
            }
        }
    }

    /// The text of `#error`, as it stands in the file.
    fn message(&self, line: &[Token]) -> String {
        match (line.first(), line.last()) {
            (Some(first), Some(last)) => self.map.text(first.span.to(last.span)).to_owned(),
            _ => String::new(),
        }
    }

    fn nothing_after(&mut self, line: &[Token], directive: &str) {
        if let Some(token) = line.first() {
            let finding = Diagnostic::warning(
                rules::TEXT_AFTER_DIRECTIVE,
                token.span,
                format!("what follows `{directive}` on its line is ignored"),
            );
            self.report(finding.hint("make it a comment"));
        }
    }

    fn ifdef(&mut self, line: &[Token], directive: Span, wanted: bool) -> bool {
        let Some((name, _)) = self.macro_name(line, directive) else {
            return false;
        };
        self.nothing_after(&line[1..], if wanted { "#ifdef" } else { "#ifndef" });
        self.is_defined(&name) == wanted
    }

    fn open_condition(&mut self, span: Span, holds: bool) {
        if let Some(file) = self.files.last_mut() {
            file.conditions.push(Condition { span, taken: holds, skipping: false, otherwise: None });
        }
        if !holds {
            self.skip_group();
        }
    }

    /// Notes `#else` or checks that `#elif` may stand here; `false` where it may not.
    fn alternative(&mut self, span: Span, name: &str, is_else: bool) -> bool {
        let Some(condition) = self.files.last_mut().and_then(|file| file.conditions.last_mut()) else {
            self.report(Diagnostic::error(rules::UNBALANCED_IF, span, format!("`#{name}` without `#if`")));
            return false;
        };
        let earlier = condition.otherwise;
        if is_else {
            condition.otherwise = earlier.or(Some(span));
        }
        if let Some(earlier) = earlier {
            self.report(
                Diagnostic::error(rules::UNBALANCED_IF, span, format!("`#{name}` after `#else`"))
                    .label(earlier, "the `#else`"),
            );
        }
        true
    }

    /// Reads over text until the next group of the innermost condition that is to be read, or its `#endif`.
    fn skip_group(&mut self) {
        let mut inner = 0usize;
        self.skipping(true);
        while !self.aborted {
            let Some(token) = self.files.last_mut().and_then(|file| file.next()) else {
                return;
            };
            self.charge(1);
            let line = match () {
                () if token.line_start && token.is(Punct::Hash) => self.line(),
                () if is_directive_attribute(&token) => self.attribute_line(&token).unwrap_or_default(),
                () => continue,
            };
            let Some((first, name)) = line.first().and_then(|first| Some((first, first.name()?))) else {
                continue;
            };
            match &**name {
                "if" | "ifdef" | "ifndef" => inner += 1,
                "endif" if inner > 0 => inner -= 1,
                "endif" => {
                    self.nothing_after(&line[1..], "#endif");
                    if let Some(file) = self.files.last_mut() {
                        file.conditions.pop();
                    }
                    return;
                }
                "elif" | "elifdef" | "elifndef" | "else"
                    if inner == 0 && self.group_starts(name, &line[1..], token.span.to(first.span)) =>
                {
                    self.skipping(false);
                    return;
                }
                _ => {}
            }
        }
    }

    /// Notes of the innermost condition whether its text is skipped.
    fn skipping(&mut self, skipping: bool) {
        if let Some(condition) = self.files.last_mut().and_then(|file| file.conditions.last_mut()) {
            condition.skipping = skipping;
        }
    }

    /// At `#elif` or `#else` while skipping: whether its group is to be read.
    fn group_starts(&mut self, name: &str, rest: &[Token], span: Span) -> bool {
        let is_else = name == "else";
        if !self.alternative(span, name, is_else) {
            return false;
        }
        if is_else {
            self.nothing_after(rest, "#else");
        }
        let taken = |this: &mut Self| this.files.last().and_then(|file| file.conditions.last()).is_none_or(|c| c.taken);
        if taken(self) {
            return false;
        }
        let holds = match name {
            "else" => true,
            "elif" => self.condition(rest, span),
            _ => self.ifdef(rest, span, name == "elifdef"),
        };
        if let Some(condition) = self.files.last_mut().and_then(|file| file.conditions.last_mut()) {
            condition.taken = holds;
        }
        holds
    }
}
