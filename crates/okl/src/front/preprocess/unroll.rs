//! `#pragma unroll` becomes the attribute `@unroll` of the loop behind it.

use super::Preprocessor;
use crate::front::lex::{Punct, Token, TokenKind};
use crate::{Diagnostic, Span, rules};

/// A `#pragma unroll` that waits for its loop: directives may stand between them.
pub(super) struct Unroll {
    span: Span,
    factor: Vec<Token>,
}

impl Preprocessor<'_> {
    /// `#pragma unroll`, `#pragma unroll 4`, `#pragma unroll(4)`.
    pub(super) fn unroll(&mut self, hash: &Token, rest: &[Token]) {
        self.no_loop_to_unroll();
        self.unroll = Some(Unroll { span: hash.span.to(rest[0].span), factor: rest[1..].to_vec() });
    }

    /// Reports a `#pragma unroll` behind which no loop came.
    pub(super) fn no_loop_to_unroll(&mut self) {
        if let Some(Unroll { span, .. }) = self.unroll.take() {
            let message = "no loop follows this `#pragma unroll`, which is read over";
            self.report(Diagnostic::warning(rules::UNUSED_UNROLL, span, message));
        }
    }

    /// Puts the attribute `@unroll(4)` of a waiting `#pragma unroll 4` before the next token of the source, if that begins a
    /// loop; answers what is read next.
    pub(super) fn with_unroll(&mut self, next: Token) -> Token {
        if self.unroll.is_none() || !self.begins_loop(&next) {
            self.no_loop_to_unroll();
            return next;
        }
        let Some(Unroll { span, factor }) = self.unroll.take() else { return next };
        let token = |kind| Token { kind, span, space_before: true, line_start: false };
        let is_closed = factor.first().is_none_or(|token| token.is(Punct::LeftParen));
        let bracket = |punct| (!is_closed).then(|| token(TokenKind::Punct(punct)));
        self.injected.extend(bracket(Punct::LeftParen));
        self.injected.extend(factor);
        self.injected.extend(bracket(Punct::RightParen));
        self.injected.push_back(next);
        token(TokenKind::Attribute("unroll".into()))
    }

    /// Whether a token is a loop's first, or a macro's name whose text begins with one.
    fn begins_loop(&self, token: &Token) -> bool {
        let is_loop = |token: &Token| token.is_name("for") || token.is_name("while");
        let first = token.name().and_then(|name| self.macros.get(name)).and_then(|known| known.body.first());
        is_loop(first.unwrap_or(token))
    }
}
