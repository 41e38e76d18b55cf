//! Statements.

use super::{Failed, Parsed, Parser, words};
use crate::front::ast::{Attribute, Block, Expr, ExprKind, For, Ident, Item, Stmt, StmtKind};
use crate::front::lex::{Punct, Token, TokenKind};
use crate::rules;
use crate::{Diagnostic, Span};

impl Parser<'_> {
    /// One statement of the block that `open` opened; what does not parse is reported and skipped.
    pub(super) fn recovering_statement(&mut self, open: Span, into: &mut Vec<Stmt>) {
        if self.at_kernel_definition() {
            let finding = Diagnostic::error(rules::SYNTAX, self.here(), "a `@kernel` cannot be inside a function")
                .label(open, "is the `}` of this block missing?");
            self.report(finding);
            self.unwinding = true;
            return;
        }
        let start = self.position;
        if self.nested(|parser| parser.statement(into)).is_err() {
            self.hoisted.clear();
            self.skip_statement(start);
            if self.position == start {
                self.bump();
            }
        }
    }

    /// `@kernel` before a function's head.
    fn at_kernel_definition(&self) -> bool {
        self.peek().is_some_and(|token| matches!(&token.kind, TokenKind::Attribute(name) if &**name == "kernel"))
    }

    /// The body of a loop or branch: one statement.
    fn body(&mut self) -> Parsed<Box<Stmt>> {
        let start = self.here();
        let mut stmts = Vec::new();
        self.nested(|parser| parser.scoped(|parser| parser.statement(&mut stmts)))?;
        if stmts.len() != 1 {
            // A declaration that also defines a type is several; a block keeps them in their scope.
            let span = self.since(start);
            return Ok(Box::new(plain(StmtKind::Block(Block { stmts, span }), span)));
        }
        Ok(Box::new(stmts.swap_remove(0)))
    }

    /// One statement as written; a declaration may make several.
    fn statement(&mut self, into: &mut Vec<Stmt>) -> Parsed<()> {
        let start = self.here();
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        if self.at_word("using") || self.at_word("static_assert") || self.at_word("_Static_assert") {
            let mut items = Vec::new();
            if self.at_word("using") {
                self.using(&mut items)?;
            } else {
                items.push(self.static_assert()?);
            }
            push_items(items, self.since(start), into);
            return Ok(());
        }
        if self.starts_declaration() {
            return self.local_declaration(attributes, start, into);
        }
        let kind = self.statement_kind(&mut attributes)?;
        let span = self.since(start);
        into.push(Stmt { kind: *kind, attributes, span });
        Ok(())
    }

    /// A statement that is no declaration; takes over the attributes that belong to a loop.
    /// Kinds travel boxed: the frames between one statement and the one within it stay small.
    fn statement_kind(&mut self, attributes: &mut Vec<Attribute>) -> Parsed<Box<StmtKind>> {
        match self.peek().map(|token| &token.kind) {
            Some(TokenKind::Punct(Punct::Semicolon)) => {
                self.bump();
                Ok(Box::new(StmtKind::Empty))
            }
            Some(TokenKind::Punct(Punct::LeftBrace)) => self.block().map(|block| Box::new(StmtKind::Block(block))),
            Some(TokenKind::Name(name)) => match &**name {
                "if" => self.if_statement(),
                "for" => self.for_loop(attributes),
                "while" => self.while_loop(attributes),
                "do" => self.do_while(),
                "switch" => self.switch(),
                "break" | "continue" | "return" | "goto" => self.jump(name),
                "case" | "default" => {
                    let message = format!("`{name}` stands outside of a `switch` body");
                    let finding = Diagnostic::error(rules::SYNTAX, self.here(), message);
                    self.fail(finding.hint("it belongs directly between the braces of a `switch`"))
                }
                "else" => self.fail_at(self.here(), "this `else` has no `if`"),
                _ => self.expression_statement(),
            },
            _ => self.expression_statement(),
        }
    }

    fn expression_statement(&mut self) -> Parsed<Box<StmtKind>> {
        let starts_with_name = self.peek().and_then(Token::name).is_some_and(|name| !words::is_reserved(name));
        if starts_with_name && self.at_after(1, Punct::Colon) {
            let label = self.label()?;
            self.bump();
            return Ok(Box::new(StmtKind::Label(label)));
        }
        if self.at(Punct::RightBrace) || self.at_end() {
            return self.unexpected("a statement");
        }
        let expr = self.expression()?;
        self.expect(Punct::Semicolon, "after the expression")?;
        Ok(Box::new(StmtKind::Expr(expr)))
    }

    fn label(&mut self) -> Parsed<Ident> {
        let name =
            self.peek().and_then(Token::name).filter(|name| !words::is_reserved(name)).map(|name| name.to_string());
        let Some(name) = name else { return self.unexpected("a label") };
        let span = self.here();
        self.bump();
        Ok(Ident { name, span })
    }

    fn jump(&mut self, keyword: &str) -> Parsed<Box<StmtKind>> {
        self.bump();
        let kind = match keyword {
            "break" => StmtKind::Break,
            "continue" => StmtKind::Continue,
            "goto" => StmtKind::Goto(self.label()?),
            _ if self.at(Punct::Semicolon) => StmtKind::Return(None),
            _ => StmtKind::Return(Some(self.expression()?)),
        };
        self.expect(Punct::Semicolon, &format!("after `{keyword}`"))?;
        Ok(Box::new(kind))
    }

    /// `( expression )` behind a keyword.
    fn condition(&mut self, keyword: &str) -> Parsed<Expr> {
        let open = self.expect(Punct::LeftParen, &format!("after `{keyword}`"))?;
        let open_at = self.position - 1;
        // What follows the head is looked at even where the head is wrong.
        self.condition_and_close(keyword, open).or_else(|Failed| {
            self.skip_parenthesis(open_at, false);
            Ok(Expr { kind: ExprKind::Error, span: open })
        })
    }

    fn condition_and_close(&mut self, keyword: &str, open: Span) -> Parsed<Expr> {
        if self.starts_declaration() {
            return self.refuse(
                self.here(),
                format!("a declaration within the head of `{keyword}` is not in OKL"),
                "declare the variable before",
            );
        }
        let condition = self.expression()?;
        self.close(Punct::RightParen, open)?;
        Ok(condition)
    }

    fn if_statement(&mut self) -> Parsed<Box<StmtKind>> {
        self.bump();
        let condition = self.condition("if")?;
        let then = self.body()?;
        let otherwise = if self.eat_word("else") { Some(self.body()?) } else { None };
        Ok(Box::new(StmtKind::If { condition, then, otherwise }))
    }

    /// `attributes` stood before the loop.
    fn while_loop(&mut self, attributes: &mut Vec<Attribute>) -> Parsed<Box<StmtKind>> {
        self.bump();
        let condition = self.condition("while")?;
        let attributes = std::mem::take(attributes);
        let body = self.body()?;
        Ok(Box::new(StmtKind::While { condition, body, attributes }))
    }

    fn do_while(&mut self) -> Parsed<Box<StmtKind>> {
        self.bump();
        let body = self.body()?;
        if !self.eat_word("while") {
            return self.unexpected("`while` after the body of `do`");
        }
        let condition = self.condition("while")?;
        self.expect(Punct::Semicolon, "after `do … while (…)`")?;
        Ok(Box::new(StmtKind::DoWhile { body, condition }))
    }

    fn switch(&mut self) -> Parsed<Box<StmtKind>> {
        self.bump();
        let value = self.condition("switch")?;
        let body = self.switch_body()?;
        Ok(Box::new(StmtKind::Switch { value, body }))
    }

    /// `attributes` stood before the loop.
    fn for_loop(&mut self, attributes: &mut Vec<Attribute>) -> Parsed<Box<StmtKind>> {
        let attributes = std::mem::take(attributes);
        self.scoped(|parser| {
            parser.bump();
            let open = parser.expect(Punct::LeftParen, "after `for`")?;
            let open_at = parser.position - 1;
            let head = parser.for_head(attributes, open);
            if head.is_err() {
                parser.skip_parenthesis(open_at, true);
            }
            let body = parser.body()?;
            Ok(Box::new(head.map_or(StmtKind::Empty, |mut head| {
                head.body = *body;
                StmtKind::For(head)
            })))
        })
    }

    /// From behind `(` to behind `)`, with an empty body.
    fn for_head(&mut self, mut attributes: Vec<Attribute>, open: Span) -> Parsed<Box<For>> {
        let init = self.for_init()?;
        let condition = if self.at(Punct::Semicolon) { None } else { Some(self.expression()?) };
        self.expect(Punct::Semicolon, "after the condition of `for`")?;
        let has_update = !self.at(Punct::RightParen) && !self.at(Punct::Semicolon);
        let update = if has_update { Some(self.expression()?) } else { None };
        if self.eat(Punct::Semicolon) {
            self.attributes(&mut attributes)?;
            self.refuse_old_loop_label()?;
        }
        self.close(Punct::RightParen, open)?;
        let body = plain(StmtKind::Empty, self.behind());
        Ok(Box::new(For { init, condition, update, attributes, body }))
    }

    /// The first part of a `for`, with its `;`.
    fn for_init(&mut self) -> Parsed<Stmt> {
        let start = self.here();
        let mut stmts = Vec::new();
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        if self.starts_declaration() {
            self.local_declaration(attributes, start, &mut stmts)?;
        } else if let Some(attribute) = attributes.first() {
            return self.fail_at(attribute.span, "put a loop's attributes after the third `;`, or before `for`");
        } else if self.eat(Punct::Semicolon) {
            stmts.push(plain(StmtKind::Empty, start));
        } else {
            let expr = self.expression()?;
            self.expect(Punct::Semicolon, "after the first part of `for`")?;
            stmts.push(plain(StmtKind::Expr(expr), self.since(start)));
        }
        match stmts.pop() {
            Some(stmt) if stmts.is_empty() => Ok(stmt),
            _ => self.fail_at(self.since(start), "a type cannot be defined in the head of `for`"),
        }
    }

    /// `for (…; outer0)`, as the first OKL wrote it.
    fn refuse_old_loop_label(&mut self) -> Parsed<()> {
        let Some((token, name)) = self.peek().and_then(|token| Some((token, token.name()?))) else {
            return Ok(());
        };
        let label = name.trim_end_matches(|c: char| c.is_ascii_digit());
        if !matches!(label, "outer" | "inner" | "tile") {
            return Ok(());
        }
        let axis = &name[label.len()..];
        let modern = if axis.is_empty() { format!("@{label}") } else { format!("@{label}({axis})") };
        self.refuse(token.span, format!("`{name}` is the old way to mark a loop"), format!("write `{modern}`"))
    }

    /// `{ case … }`
    fn switch_body(&mut self) -> Parsed<Block> {
        if !self.at(Punct::LeftBrace) {
            return self.unexpected("`{` after the head of `switch`");
        }
        self.scoped(|parser| {
            parser.bump();
            let open = parser.previous();
            let mut stmts = Vec::new();
            while !parser.at(Punct::RightBrace) && !parser.at_end() && !parser.unwinding {
                let start = parser.position;
                match parser.case_label() {
                    Ok(Some(label)) => stmts.push(label),
                    Ok(None) => parser.recovering_statement(open, &mut stmts),
                    Err(Failed) => parser.skip_statement(start),
                }
            }
            if !parser.unwinding {
                parser.close(Punct::RightBrace, open)?;
            }
            Ok(Block { stmts, span: parser.since(open) })
        })
    }

    fn case_label(&mut self) -> Parsed<Option<Stmt>> {
        let start = self.here();
        let kind = if self.eat_word("case") {
            let value = self.constant()?;
            if self.at(Punct::Ellipsis) {
                return self.refuse(self.here(), "ranges of cases are not in OKL", "write one `case` per value");
            }
            StmtKind::Case(value)
        } else if self.eat_word("default") {
            StmtKind::Default
        } else {
            return Ok(None);
        };
        self.expect(Punct::Colon, "after the case")?;
        Ok(Some(plain(kind, self.since(start))))
    }

    /// A declaration, with the types that it defines before it.
    fn local_declaration(&mut self, attributes: Vec<Attribute>, start: Span, into: &mut Vec<Stmt>) -> Parsed<()> {
        let mut specifiers = self.specifiers(attributes)?;
        let mut items = Vec::new();
        if self.ends_with_tag(&specifiers)? {
            items.append(&mut self.hoisted);
        } else if specifiers.is_typedef {
            self.typedef(specifiers, start, &mut items)?;
        } else {
            self.refuse_anonymous(&mut specifiers)?;
            items.append(&mut self.hoisted);
            let first = self.declarator(&specifiers)?;
            if self.at(Punct::Colon) {
                return self.refuse(
                    self.here(),
                    "loops over a range are not in OKL",
                    "count: `for (int i = 0; i < n; ++i)`",
                );
            }
            let declaration = self.declaration(specifiers, first, start)?;
            let span = declaration.span;
            push_items(items, span, into);
            into.push(plain(StmtKind::Declaration(declaration), span));
            return Ok(());
        }
        push_items(items, self.since(start), into);
        Ok(())
    }
}

fn push_items(items: Vec<Item>, span: Span, into: &mut Vec<Stmt>) {
    into.extend(items.into_iter().map(|item| plain(StmtKind::Item(Box::new(item)), span)));
}

fn plain(kind: StmtKind, span: Span) -> Stmt {
    Stmt { kind, attributes: Vec::new(), span }
}
