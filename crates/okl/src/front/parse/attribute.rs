//! `@name(arguments)`.

use super::{Parsed, Parser, words};
use crate::front::ast::{Attribute, AttributeArgument, Ident};
use crate::front::lex::{Punct, TokenKind};

impl Parser<'_> {
    pub(super) fn at_attribute(&self) -> bool {
        self.peek().is_some_and(|token| matches!(token.kind, TokenKind::Attribute(_)) || token.is(Punct::At))
    }

    /// All attributes that stand here.
    pub(super) fn attributes(&mut self, into: &mut Vec<Attribute>) -> Parsed<()> {
        while self.at_attribute() {
            into.push(self.attribute()?);
        }
        Ok(())
    }

    fn attribute(&mut self) -> Parsed<Attribute> {
        let start = self.here();
        let name = match self.peek().map(|token| &token.kind) {
            Some(TokenKind::Attribute(name)) => {
                let name = name.to_string();
                self.bump();
                // The name without its `@`.
                Ident { name, span: crate::Span { start: (start.start + 1).min(start.end), ..start } }
            }
            _ => {
                self.bump();
                match self.peek().and_then(|token| Some((token, token.name()?))) {
                    // C's word is an attribute's name too.
                    Some((token, name)) if words::is_restrict(name) => {
                        self.bump();
                        Ident { name: name.to_string(), span: token.span }
                    }
                    _ => self.expect_ident("an attribute's name after `@`")?,
                }
            }
        };
        let mut arguments = Vec::new();
        if (self.takes_arguments)(&name.name) && self.eat(Punct::LeftParen) {
            let open = self.previous();
            if !self.at(Punct::RightParen) {
                loop {
                    arguments.push(self.nested(Self::attribute_argument)?);
                    if !self.eat(Punct::Comma) {
                        break;
                    }
                }
            }
            self.close(Punct::RightParen, open)?;
        }
        Ok(Attribute { name, arguments, span: self.since(start) })
    }

    fn attribute_argument(&mut self) -> Parsed<AttributeArgument> {
        if self.at_attribute() {
            return Ok(AttributeArgument::Attribute(self.attribute()?));
        }
        if self.at_after(1, Punct::Assign) && self.peek().is_some_and(|token| token.name().is_some()) {
            let name = self.expect_ident("the argument's name")?;
            self.bump();
            return Ok(AttributeArgument::Named(name, self.assignment()?));
        }
        Ok(AttributeArgument::Expr(self.assignment()?))
    }
}
