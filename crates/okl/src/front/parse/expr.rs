//! Expressions, by C's precedences.

use super::decl::METHODS;
use super::{Failed, MAX_EXPRESSION_HEIGHT, NameKind, OFFSETS, Parsed, Parser, words};
use crate::front::ast::{BinaryOp, Expr, ExprKind, Ident, UnaryOp};
use crate::front::lex::literal::{self, LiteralError, Number};
use crate::front::lex::{Punct, Token, TokenKind};
use crate::rules;
use crate::{Diagnostic, Span};

/// How far the `)` behind a stray `;` is looked for.
const SEARCHED_TOKENS: usize = 1000;

/// An expression and the height of its tree.
struct Node {
    /// Boxed: a node travels through many calls.
    expr: Box<Expr>,
    height: u32,
}

impl Parser<'_> {
    /// With commas.
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.comma().map(|node| *node.expr)
    }

    /// Without commas: an argument, an initialiser.
    pub(super) fn assignment(&mut self) -> Parsed<Expr> {
        self.assign().map(|node| *node.expr)
    }

    /// Without commas and assignments: `case`, an enumerator's value, a dimension.
    pub(super) fn constant(&mut self) -> Parsed<Expr> {
        self.conditional().map(|node| *node.expr)
    }

    /// A node above children of the given height.
    fn node(&mut self, kind: ExprKind, span: Span, below: u32) -> Parsed<Node> {
        let height = below + 1;
        if height > MAX_EXPRESSION_HEIGHT {
            let message = format!("this expression has more than {MAX_EXPRESSION_HEIGHT} levels of operators");
            self.report(Diagnostic::error(rules::LIMIT, span, message).hint("split it into several statements"));
            self.abort();
            return Err(Failed);
        }
        Ok(Node { expr: Box::new(Expr { kind, span }), height })
    }

    fn unary_node(&mut self, below: Node, start: Span, kind: impl FnOnce(Box<Expr>) -> ExprKind) -> Parsed<Node> {
        let span = self.since(start);
        self.node(kind(below.expr), span, below.height)
    }

    fn binary_node(&mut self, a: Node, b: Node, kind: impl FnOnce(Box<Expr>, Box<Expr>) -> ExprKind) -> Parsed<Node> {
        let span = a.expr.span.to(b.expr.span);
        let below = a.height.max(b.height);
        self.node(kind(a.expr, b.expr), span, below)
    }

    fn comma(&mut self) -> Parsed<Node> {
        let mut left = self.assign()?;
        while self.eat(Punct::Comma) {
            let right = self.assign()?;
            left = self.binary_node(left, right, ExprKind::Comma)?;
        }
        Ok(left)
    }

    fn assign(&mut self) -> Parsed<Node> {
        let target = self.conditional()?;
        let Some(op) = self.peek().and_then(assignment_operator) else {
            return Ok(target);
        };
        self.bump();
        let value = self.nested(Self::assign)?;
        self.binary_node(target, value, |target, value| ExprKind::Assign(op, target, value))
    }

    fn conditional(&mut self) -> Parsed<Node> {
        let condition = self.binary()?;
        if !self.eat(Punct::Question) {
            return Ok(condition);
        }
        let then = self.nested(Self::comma)?;
        self.expect(Punct::Colon, "between the two values of `? :`")?;
        let otherwise = self.nested(Self::conditional)?;
        let span = condition.expr.span.to(otherwise.expr.span);
        let below = condition.height.max(then.height).max(otherwise.height);
        let kind = ExprKind::Conditional(condition.expr, then.expr, otherwise.expr);
        self.node(kind, span, below)
    }

    /// Infix operators. A stack instead of one call per precedence keeps the recursion shallow.
    fn binary(&mut self) -> Parsed<Node> {
        let first = self.unary()?;
        if self.next_operator().is_none() && !(self.parentheses > 0 && self.at(Punct::Semicolon)) {
            return Ok(first);
        }
        let mut operands = vec![first];
        let mut operators: Vec<(BinaryOp, u8)> = Vec::new();
        loop {
            if self.parentheses > 0 && self.at(Punct::Semicolon) {
                self.stray_semicolon();
            }
            let next = self.next_operator();
            // All operators are left-associative: what binds as tightly as the next one is complete.
            while let Some(&(op, tightness)) = operators.last()
                && next.is_none_or(|(_, next)| tightness >= next)
                && let (Some(right), Some(left)) = (operands.pop(), operands.pop())
            {
                operators.pop();
                operands.push(self.binary_node(left, right, |a, b| ExprKind::Binary(op, a, b))?);
            }
            let Some(next) = next else { break };
            operators.push(next);
            self.bump();
            operands.push(self.unary()?);
        }
        operands.pop().ok_or(Failed)
    }

    /// The infix operator that stands here; among a template's arguments `>` is none.
    fn next_operator(&self) -> Option<(BinaryOp, u8)> {
        let ends = self.in_angles && (self.at(Punct::Greater) || self.at(Punct::Shr));
        self.peek().and_then(binary_operator).filter(|_| !ends)
    }

    /// Runs `parse` where `>` ends a template's arguments, or where it is an operator.
    fn with_angles<T>(&mut self, in_angles: bool, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        let outer = std::mem::replace(&mut self.in_angles, in_angles);
        let result = parse(self);
        self.in_angles = outer;
        result
    }

    /// Reads over a `;` within parentheses that an operator or the `)` follows, as OCCA does.
    fn stray_semicolon(&mut self) {
        let goes_on = |token: &Token| token.is(Punct::RightParen) || binary_operator(token).is_some();
        if !self.peek_at(1).is_some_and(goes_on) || !self.closes_within(SEARCHED_TOKENS) {
            return;
        }
        let finding =
            Diagnostic::warning(rules::STRAY_SEMICOLON, self.here(), "this `;` within parentheses is read over");
        self.warn(finding.hint("leave it out: C compilers refuse it"));
        self.bump();
    }

    /// Whether the parenthesis that is open is closed before a brace.
    fn closes_within(&self, tokens: usize) -> bool {
        let mut depth = 0usize;
        for token in self.tokens[self.position..].iter().take(tokens) {
            match token.kind {
                TokenKind::Punct(Punct::LeftParen) => depth += 1,
                TokenKind::Punct(Punct::RightParen) if depth == 0 => return true,
                TokenKind::Punct(Punct::RightParen) => depth -= 1,
                TokenKind::Punct(Punct::LeftBrace | Punct::RightBrace) => return false,
                _ => {}
            }
        }
        false
    }

    fn unary(&mut self) -> Parsed<Node> {
        let start = self.here();
        if let Some(op) = self.peek().and_then(unary_operator) {
            self.bump();
            let operand = self.nested(Self::unary)?;
            return self.unary_node(operand, start, |operand| ExprKind::Unary(op, operand));
        }
        for (punct, increment) in [(Punct::Increment, true), (Punct::Decrement, false)] {
            if self.eat(punct) {
                let target = self.nested(Self::unary)?;
                return self.unary_node(target, start, |target| ExprKind::Step { increment, prefix: true, target });
            }
        }
        if self.at_word("sizeof") {
            return self.sizeof();
        }
        if self.at(Punct::LeftParen) && self.starts_type(1) && !self.starts_conversion(1) {
            return self.cast();
        }
        self.postfix()
    }

    fn sizeof(&mut self) -> Parsed<Node> {
        let start = self.here();
        self.bump();
        if self.at(Punct::LeftParen) && self.starts_type(1) {
            self.bump();
            let open = self.previous();
            let ty = self.nested(Self::type_name)?;
            self.close(Punct::RightParen, open)?;
            let span = self.since(start);
            return self.node(ExprKind::SizeofType(Box::new(ty)), span, 0);
        }
        let operand = self.nested(Self::unary)?;
        self.unary_node(operand, start, ExprKind::SizeofExpr)
    }

    /// `(T) operand`
    fn cast(&mut self) -> Parsed<Node> {
        let start = self.here();
        self.bump();
        let ty = self.nested(Self::type_name)?;
        self.close(Punct::RightParen, start)?;
        if self.at(Punct::LeftBrace) {
            return self.refuse(
                self.since(start),
                "compound literals are not in OKL",
                "declare a variable with this value and use it",
            );
        }
        let operand = self.nested(Self::unary)?;
        self.unary_node(operand, start, |operand| ExprKind::Cast(Box::new(ty), operand))
    }

    fn postfix(&mut self) -> Parsed<Node> {
        let start = self.here();
        let mut node = self.primary()?;
        loop {
            node = match self.peek().map(|token| &token.kind) {
                Some(TokenKind::Punct(Punct::LeftBracket)) => self.index(node)?,
                Some(TokenKind::Punct(punct @ (Punct::Dot | Punct::Arrow))) => {
                    let arrow = *punct == Punct::Arrow;
                    self.bump();
                    let field = self.expect_ident("a field's name")?;
                    self.unary_node(node, start, |base| ExprKind::Member { base, field, arrow })?
                }
                Some(TokenKind::Punct(punct @ (Punct::Increment | Punct::Decrement))) => {
                    let increment = *punct == Punct::Increment;
                    self.bump();
                    self.unary_node(node, start, |target| ExprKind::Step { increment, prefix: false, target })?
                }
                Some(TokenKind::Punct(Punct::LeftParen)) => self.called(node, start)?,
                _ => return Ok(node),
            };
        }
    }

    /// What is called and is no name: `muons.begin(e)` and `muons.end(e)` of a `@ragged` struct, elements of its offsets.
    #[inline(never)]
    fn called(&mut self, called: Node, start: Span) -> Parsed<Node> {
        let Node { expr, height } = called;
        let span = expr.span;
        let (what, hint) = match expr.kind {
            ExprKind::Member { base, field, arrow } if Self::is_bound(&field) => {
                return self.record_bound((base, field, arrow), span, height);
            }
            ExprKind::Member { .. } => METHODS,
            _ => ("only a function's name can be called", "write `name(…)`"),
        };
        self.refuse(self.since(start), what, hint)
    }

    fn record_bound(&mut self, called: (Box<Expr>, Ident, bool), span: Span, height: u32) -> Parsed<Node> {
        let (base, field, arrow) = called;
        self.bump();
        let open = self.previous();
        let mut record = self.with_angles(false, |parser| parser.nested(Self::assign))?;
        let close = self.close(Punct::RightParen, open)?;
        if field.name == "end" {
            let one = self.node(ExprKind::Int(1, crate::ir::Scalar::I32), record.expr.span, 0)?;
            record = self.binary_node(record, one, |a, b| ExprKind::Binary(BinaryOp::Add, a, b))?;
        }
        let offsets = Ident { name: OFFSETS.to_owned(), span: field.span };
        let whole = span.to(close);
        let offsets = self.node(ExprKind::Member { base, field: offsets, arrow }, span, height)?;
        let below = offsets.height.max(record.height);
        self.node(ExprKind::Index(offsets.expr, record.expr), whole, below)
    }

    fn index(&mut self, base: Node) -> Parsed<Node> {
        self.bump();
        let open = self.previous();
        let index = self.with_angles(false, |parser| parser.nested(Self::comma))?;
        let close = self.close(Punct::RightBracket, open)?;
        let span = base.expr.span.to(close);
        let below = base.height.max(index.height);
        self.node(ExprKind::Index(base.expr, index.expr), span, below)
    }

    fn primary(&mut self) -> Parsed<Node> {
        let Some(token) = self.peek() else {
            return self.unexpected("an expression");
        };
        let kind = match &token.kind {
            TokenKind::Name(_) | TokenKind::Punct(Punct::ColonColon) => return self.name(token),
            TokenKind::Punct(Punct::LeftParen) => return self.parenthesised(),
            TokenKind::Punct(Punct::LeftBracket) => {
                let lambda = self.nested(Self::lambda)?;
                return Ok(Node { expr: Box::new(lambda), height: 1 });
            }
            TokenKind::Number(text) => match literal::number(text) {
                Ok(Number::Int(value, ty)) => ExprKind::Int(value, ty),
                Ok(Number::Float(value, ty)) => ExprKind::Float(value, ty),
                Ok(Number::Imaginary(value, ty)) => ExprKind::Imaginary(value, ty),
                Err(error) => self.bad_literal(token, error),
            },
            TokenKind::Char(text) => match literal::character(text) {
                Ok(value) => ExprKind::Int(value as u64, crate::ir::Scalar::I32),
                Err(error) => self.bad_literal(token, error),
            },
            TokenKind::String(_) => return self.strings(token.span),
            _ => return self.unexpected("an expression"),
        };
        self.bump();
        self.node(kind, token.span, 0)
    }

    /// A literal without a value is reported, and stands for some value, so that parsing goes on.
    fn bad_literal(&mut self, token: &Token, error: LiteralError) -> ExprKind {
        let finding = Diagnostic::error(rules::BAD_LITERAL, token.span, error.message);
        self.report(match error.hint {
            Some(hint) => finding.hint(hint),
            None => finding,
        });
        ExprKind::Error
    }

    fn strings(&mut self, start: Span) -> Parsed<Node> {
        let mut value = String::new();
        while let Some((token, TokenKind::String(text))) = self.peek().map(|token| (token, &token.kind)) {
            match literal::string(text) {
                Ok(part) => value.push_str(&part),
                Err(error) => {
                    self.bad_literal(token, error);
                }
            }
            self.bump();
        }
        let span = self.since(start);
        self.node(ExprKind::String(value), span, 0)
    }

    fn parenthesised(&mut self) -> Parsed<Node> {
        self.bump();
        let open = self.previous();
        if self.at(Punct::LeftBrace) {
            return self.refuse(open, "statements within an expression are not in OKL", "write a function");
        }
        self.parentheses += 1;
        let node = self.with_angles(false, |parser| parser.nested(Self::comma));
        self.parentheses -= 1;
        let mut node = node?;
        let close = self.close(Punct::RightParen, open)?;
        node.expr.span = open.to(close);
        // `(T) 2` with an unknown `T`: what it should have been is plain.
        if let ExprKind::Name(name) = &node.expr.kind
            && self.lookup(name).is_none()
            && self.peek().is_some_and(|token| matches!(token.kind, TokenKind::Name(_) | TokenKind::Number(_)))
        {
            let name = name.clone();
            self.unknown_type(&name, open.to(close));
            return self.unary();
        }
        Ok(node)
    }

    /// Anything that starts with a name: a variable, a call, `T(x)`, `true`.
    fn name(&mut self, token: &Token) -> Parsed<Node> {
        let start = token.span;
        if self.at_word("true") || self.at_word("false") {
            let value = self.at_word("true");
            self.bump();
            return self.node(ExprKind::Bool(value), start, 0);
        }
        if self.at_word("static_cast") {
            return self.static_cast();
        }
        if self.starts_type(0) {
            return self.functional_cast();
        }
        let Some(resolved) = self.name_at(0).filter(|resolved| !words::is_reserved(&resolved.name)) else {
            return self.unexpected("an expression");
        };
        self.position += resolved.tokens;
        let (name, span) = (resolved.name.to_string(), self.since(start));
        if self.at(Punct::Less) && resolved.kind == Some(NameKind::FunctionTemplate) {
            let types = self.template_arguments()?;
            let callee = Ident { name, span };
            let (arguments, below) = self.arguments()?;
            let span = self.since(start);
            return self.node(ExprKind::CallTemplate(callee, types, arguments), span, below);
        }
        if self.at(Punct::LeftParen) {
            return self.call(Ident { name, span });
        }
        self.node(ExprKind::Name(name), span, 0)
    }

    fn call(&mut self, callee: Ident) -> Parsed<Node> {
        let start = callee.span;
        let (arguments, below) = self.arguments()?;
        let span = self.since(start);
        self.node(ExprKind::Call(callee, arguments), span, below)
    }

    /// One template argument that is a value: what `>` ends.
    pub(super) fn template_value(&mut self) -> Parsed<Expr> {
        self.with_angles(true, Self::binary).map(|node| *node.expr)
    }

    /// `(a, b)`, and the height of the highest.
    fn arguments(&mut self) -> Parsed<(Vec<Expr>, u32)> {
        let open = self.expect(Punct::LeftParen, "before the arguments")?;
        let mut below = 0;
        let mut arguments = Vec::new();
        if !self.at(Punct::RightParen) {
            loop {
                let argument = self.with_angles(false, |parser| parser.nested(Self::assign))?;
                below = below.max(argument.height);
                arguments.push(*argument.expr);
                if !self.eat(Punct::Comma) {
                    break;
                }
            }
        }
        self.close(Punct::RightParen, open)?;
        Ok((arguments, below))
    }

    /// `T(x)`
    fn functional_cast(&mut self) -> Parsed<Node> {
        let start = self.here();
        let before = &self.tokens[..self.position];
        let after_less = before.last().is_some_and(|token| token.is(Punct::Less));
        let of_std = match before {
            [.., std, colons, name, _] if after_less => {
                std.is_name("std") && colons.is(Punct::ColonColon) && !name.is(Punct::ColonColon)
            }
            _ => false,
        };
        let ty = self.bare_type()?;
        if !self.at(Punct::LeftParen) {
            if of_std {
                return self.refuse(
                    self.since(start),
                    "containers and other templates of the C++ standard library are not in OKL",
                    "use local, `@shared` or `@exclusive` arrays of a fixed size, and memory that the host allocates",
                );
            }
            let hint = if after_less {
                "only functions and structs that are declared as templates take `<…>`"
            } else {
                "a conversion is written `(T) x` or `T(x)`"
            };
            return self.refuse(self.since(start), "expected an expression, found a type", hint);
        }
        self.bump();
        let open = self.previous();
        if self.at(Punct::RightParen) {
            return self.unexpected("the value to convert");
        }
        let operand = self.nested(Self::assign)?;
        if self.at(Punct::Comma) {
            let (mut parts, mut below) = (vec![*operand.expr], operand.height);
            while self.eat(Punct::Comma) {
                let part = self.with_angles(false, |parser| parser.nested(Self::assign))?;
                below = below.max(part.height);
                parts.push(*part.expr);
            }
            self.close(Punct::RightParen, open)?;
            let span = self.since(start);
            return self.node(ExprKind::Construct(Box::new(ty), parts), span, below);
        }
        self.close(Punct::RightParen, open)?;
        self.unary_node(operand, start, |operand| ExprKind::Cast(Box::new(ty), operand))
    }

    /// `static_cast<T>(x)`
    fn static_cast(&mut self) -> Parsed<Node> {
        let start = self.here();
        self.bump();
        self.expect(Punct::Less, "after `static_cast`")?;
        let ty = self.nested(Self::type_name)?;
        self.expect(Punct::Greater, "after the type")?;
        let open = self.expect(Punct::LeftParen, "before the value to convert")?;
        let operand = self.nested(Self::comma)?;
        self.close(Punct::RightParen, open)?;
        self.unary_node(operand, start, |operand| ExprKind::Cast(Box::new(ty), operand))
    }
}

fn unary_operator(token: &Token) -> Option<UnaryOp> {
    let TokenKind::Punct(punct) = token.kind else {
        return None;
    };
    Some(match punct {
        Punct::Plus => UnaryOp::Plus,
        Punct::Minus => UnaryOp::Negate,
        Punct::Not => UnaryOp::Not,
        Punct::Tilde => UnaryOp::Complement,
        Punct::Star => UnaryOp::Deref,
        Punct::And => UnaryOp::AddressOf,
        _ => return None,
    })
}

/// The operator and how tightly it binds.
fn binary_operator(token: &Token) -> Option<(BinaryOp, u8)> {
    let TokenKind::Punct(punct) = token.kind else {
        return None;
    };
    Some(match punct {
        Punct::OrOr => (BinaryOp::LogicOr, 1),
        Punct::AndAnd => (BinaryOp::LogicAnd, 2),
        Punct::Or => (BinaryOp::BitOr, 3),
        Punct::Xor => (BinaryOp::BitXor, 4),
        Punct::And => (BinaryOp::BitAnd, 5),
        Punct::EqualEqual => (BinaryOp::Eq, 6),
        Punct::NotEqual => (BinaryOp::Ne, 6),
        Punct::Less => (BinaryOp::Lt, 7),
        Punct::LessEqual => (BinaryOp::Le, 7),
        Punct::Greater => (BinaryOp::Gt, 7),
        Punct::GreaterEqual => (BinaryOp::Ge, 7),
        Punct::Shl => (BinaryOp::Shl, 8),
        Punct::Shr => (BinaryOp::Shr, 8),
        Punct::Plus => (BinaryOp::Add, 9),
        Punct::Minus => (BinaryOp::Sub, 9),
        Punct::Star => (BinaryOp::Mul, 10),
        Punct::Slash => (BinaryOp::Div, 10),
        Punct::Percent => (BinaryOp::Rem, 10),
        _ => return None,
    })
}

/// `Some(None)` for `=`.
fn assignment_operator(token: &Token) -> Option<Option<BinaryOp>> {
    let TokenKind::Punct(punct) = token.kind else {
        return None;
    };
    Some(match punct {
        Punct::Assign => None,
        Punct::PlusAssign => Some(BinaryOp::Add),
        Punct::MinusAssign => Some(BinaryOp::Sub),
        Punct::StarAssign => Some(BinaryOp::Mul),
        Punct::SlashAssign => Some(BinaryOp::Div),
        Punct::PercentAssign => Some(BinaryOp::Rem),
        Punct::ShlAssign => Some(BinaryOp::Shl),
        Punct::ShrAssign => Some(BinaryOp::Shr),
        Punct::AndAssign => Some(BinaryOp::BitAnd),
        Punct::OrAssign => Some(BinaryOp::BitOr),
        Punct::XorAssign => Some(BinaryOp::BitXor),
        _ => return None,
    })
}
