//! Statements, one arm each; a statement with a finding is left out and the next one is looked at.

use super::attributes::{Lower, Place, lower_of};
use super::context::{Level, Lowering, Target};
use super::row::is_of_row;
use super::{Lowered, Reported};
use crate::diagnostic::Diagnostic;
use crate::front::ast::{self, Item, Stmt, StmtKind as S};
use crate::ir::{Mark, Meeting, StmtKind, Type};
use crate::rules;
use crate::source::Span;

impl Lowering<'_, '_> {
    /// Statements in order.
    pub(super) fn stmts(&mut self, list: &[Stmt]) {
        for (index, stmt) in list.iter().enumerate() {
            let rest = &list[index + 1..];
            if let Some((condition, then, span)) = self.group_exit(stmt) {
                self.exit_group(condition, then, rest, span);
                return;
            }
            let saved = self.tails();
            if rest.iter().any(|s| !matches!(s.kind, S::Empty)) {
                self.not_last();
            }
            // A finding is reported already; the next statement may hold others.
            let _ = self.deeper(stmt.span, |s| s.stmt(stmt));
            self.set_tails(saved);
        }
    }

    /// Whether what is being lowered is the last of its region, of its `@outer` loop, and of the whole nest.
    pub(super) fn tails(&self) -> [bool; 3] {
        let region = self.region.as_ref().is_none_or(|r| r.is_tail);
        let nest = self.nest.as_ref().map_or([true, true], |n| [n.is_loop_tail, n.is_tail]);
        [region, nest[0], nest[1]]
    }

    pub(super) fn set_tails(&mut self, [region, outer, nest]: [bool; 3]) {
        if let Some(draft) = &mut self.region {
            draft.is_tail = region;
        }
        if let Some(draft) = &mut self.nest {
            draft.is_loop_tail = outer;
            draft.is_tail = nest;
        }
    }

    /// More follows after what is lowered next.
    pub(super) fn not_last(&mut self) {
        self.set_tails([false, false, false]);
    }

    /// A statement in a scope of its own, as the branch of an `if` has.
    pub(super) fn branch(&mut self, stmt: &Stmt) {
        self.scoped(|s| match &stmt.kind {
            S::Block(block) if stmt.attributes.is_empty() => s.stmts(&block.stmts),
            _ => s.stmts(std::slice::from_ref(stmt)),
        });
    }

    pub(super) fn stmt(&mut self, stmt: &Stmt) -> Lowered<()> {
        let span = stmt.span;
        if self.level == Level::Between && self.row_writes.is_none() && is_of_row(stmt) {
            return self.row_statement(stmt);
        }
        // Those of declarations and loops are kept in these.
        self.check_attributes(&stmt.attributes, Place::Statement);
        let (of_declaration, declarators) = match &stmt.kind {
            S::Declaration(declaration) => (declaration.attributes.as_slice(), declaration.declarators.as_slice()),
            _ => (&[][..], &[][..]),
        };
        let of_names = declarators.iter().flat_map(|d| &d.attributes);
        for attribute in stmt.attributes.iter().chain(of_declaration).chain(of_names) {
            match lower_of(attribute) {
                Lower::Before(emit) => emit(self, attribute, span)?,
                Lower::Statement(lower) => return lower(self, &stmt.kind, span),
                _ => {}
            }
        }
        match &stmt.kind {
            // The parser leaves no jumps.
            S::Empty | S::Goto(_) | S::Label(_) => Ok(()),
            S::Declaration(declaration) => {
                self.declaration(declaration);
                Ok(())
            }
            S::Item(item) => self.local_item(item),
            S::Expr(expr) => self.discard(expr),
            S::Block(block) => {
                self.scoped(|s| s.stmts(&block.stmts));
                Ok(())
            }
            S::If { condition, then, otherwise } => self.if_stmt(condition, then, otherwise.as_deref(), span),
            S::For(f) => self.for_stmt(f, span),
            S::While { condition, body, attributes } => {
                self.check_attributes(attributes, Place::While);
                self.while_stmt(condition, body, attributes, span)
            }
            S::DoWhile { body, condition } => self.do_stmt(body, condition, span),
            S::Switch { value, body } => self.switch_stmt(value, body, span),
            S::Case(_) | S::Default => Err(self.error(
                rules::BAD_SWITCH,
                span,
                "this label does not belong to a `switch`, or lies in a block within one",
            )),
            S::Break => self.break_stmt(span),
            S::Continue => self.continue_stmt(span),
            S::Return(value) => self.return_stmt(value.as_ref(), span),
        }
    }

    fn local_item(&mut self, item: &Item) -> Lowered<()> {
        match item {
            Item::StaticAssert { condition, message, span } => self.static_assert(condition, message.as_deref(), *span),
            Item::Struct(decl) => self.declare_struct(decl),
            Item::Typedef(typedef) => self.declare_typedef(typedef),
            Item::Enum(decl) => self.declare_enum(decl),
            Item::Global(declaration) => {
                self.declaration(declaration);
                Ok(())
            }
            Item::Function(function) => {
                Err(self.error(rules::NOT_IN_OKL, function.span, "a function cannot be defined within a function"))
            }
        }
    }

    /// `@barrier`, or OCCA's `@barrier("local")` and the like: every barrier orders all memory for the whole group.
    pub(super) fn barrier(&mut self, attribute: &ast::Attribute, span: Span) -> Lowered<()> {
        let is_known = match attribute.arguments.as_slice() {
            [] => true,
            [ast::AttributeArgument::Expr(ast::Expr { kind: ast::ExprKind::String(of), .. })] => {
                if !matches!(of.as_str(), "local" | "global" | "warp") {
                    let message = format!("the name \"{of}\" of this barrier says nothing: it is read as `@barrier`");
                    let warning = Diagnostic::warning(rules::UNUSED_ATTRIBUTE, attribute.span, message);
                    self.unit.found.push(warning.hint("write `@barrier;`: it orders all memory of the whole group"));
                }
                true
            }
            _ => false,
        };
        if !is_known {
            return Err(self.report(
                Diagnostic::error(
                    rules::ATTRIBUTE_ARGUMENTS,
                    attribute.span,
                    "`@barrier` takes no argument but \"local\", \"global\" or \"warp\"",
                )
                .hint("write `@barrier;`: it orders all memory of the whole group"),
            ));
        }
        match self.level {
            // Regions are separated by barriers already.
            Level::Group => Ok(()),
            Level::Item | Level::Between => {
                self.emit(StmtKind::Mark(Mark::Barrier(Meeting::Barrier)), span);
                Ok(())
            }
            Level::Function => Err(self.report(
                Diagnostic::error(
                    rules::BARRIER_PLACE,
                    span,
                    "a device function cannot hold a `@barrier`: its callers could not all reach it",
                )
                .hint("place the barrier in the kernel, or make the function a macro"),
            )),
            Level::Host | Level::File => Err(self.error(
                rules::BARRIER_PLACE,
                span,
                "`@barrier` is for `@inner` loops; nests of `@outer` loops run one after the other anyway",
            )),
        }
    }

    fn break_stmt(&mut self, span: Span) -> Lowered<()> {
        match self.targets.last() {
            Some(Target::Loop | Target::Switch) => {
                self.emit(StmtKind::Break, span);
                Ok(())
            }
            Some(Target::Outer) => Err(self.error(
                rules::PARALLEL_EXIT,
                span,
                "`break` cannot leave an `@outer` loop: its groups run in any order",
            )),
            Some(Target::Inner | Target::InnerOnce) => Err(self.report(
                Diagnostic::error(
                    rules::PARALLEL_EXIT,
                    span,
                    "`break` cannot leave an `@inner` loop: its items run in any order",
                )
                .hint("`continue` ends one item"),
            )),
            None => Err(self.error(rules::EXIT_OUTSIDE_LOOP, span, "`break` outside of a loop or `switch`")),
        }
    }

    fn continue_stmt(&mut self, span: Span) -> Lowered<()> {
        let in_switch = self.targets.last() == Some(&Target::Switch);
        let target = self.targets.iter().rev().find(|t| **t != Target::Switch).copied();
        let kind = match target {
            Some(Target::Loop) => StmtKind::Continue,
            Some(Target::Inner) => StmtKind::EndItem,
            Some(Target::InnerOnce) if !in_switch => StmtKind::Break,
            Some(Target::InnerOnce) => {
                return Err(self.error(rules::PARALLEL_EXIT, span, "`continue` of an `@inner` loop cannot stand in a `switch` where more of the enclosing `@inner` loop follows"));
            }
            Some(Target::Outer) => return Err(self.group_exit_refused("continue", span)),
            _ => return Err(self.error(rules::EXIT_OUTSIDE_LOOP, span, "`continue` outside of a loop")),
        };
        self.emit(kind, span);
        Ok(())
    }

    fn group_exit_refused(&mut self, word: &str, span: Span) -> Reported {
        self.report(
            Diagnostic::error(rules::PARALLEL_EXIT, span, format!("`{word}` outside of the `@inner` loops must stand alone in an `if` in the body of the `@outer` loop"))
                .hint("put what follows into the `else` branch"),
        )
    }

    fn return_stmt(&mut self, value: Option<&ast::Expr>, span: Span) -> Lowered<()> {
        match self.level {
            Level::Function => return self.function_return(value, span),
            _ if value.is_some() => return Err(self.error(rules::KERNEL_CALL, span, "a `@kernel` returns no value")),
            Level::Group => return Err(self.group_exit_refused("return", span)),
            Level::Host | Level::Item | Level::Between => self.emit(StmtKind::Return(None), span),
            Level::File => {}
        }
        Ok(())
    }

    fn function_return(&mut self, value: Option<&ast::Expr>, span: Span) -> Lowered<()> {
        if let (true, Some(value)) = (std::mem::take(&mut self.deduces), value) {
            let given = self.expr(value)?;
            self.result = given.ty.clone();
            self.emit(StmtKind::Return(Some(given)), span);
            return Ok(());
        }
        let ty = self.result.clone();
        let value = match (value, &ty) {
            (None, Type::Void) => None,
            (Some(value), Type::Void) => {
                return Err(self.error(rules::RETURN_VALUE, value.span, "this function returns nothing"));
            }
            (None, _) => {
                let name = self.type_name(&ty);
                return Err(self.error(
                    rules::RETURN_VALUE,
                    span,
                    format!("this function returns `{name}`: a value is missing"),
                ));
            }
            (Some(value), _) => {
                let lowered = self.expr(value)?;
                let converted = self.converted(lowered, &ty, value.span)?;
                if let Some(returned) = self.returned.clone() {
                    return self.return_record(returned, converted, span);
                }
                Some(converted)
            }
        };
        self.emit(StmtKind::Return(value), span);
        Ok(())
    }

    /// `if (c) { …; continue; }` in the body of an `@outer` loop: what follows becomes the `else` branch, because a
    /// group has nothing to jump to.
    fn group_exit<'s>(&self, stmt: &'s Stmt) -> Option<(&'s ast::Expr, &'s [Stmt], Span)> {
        let S::If { condition, then, otherwise: None } = &stmt.kind else {
            return None;
        };
        if self.level != Level::Group || self.targets.last() != Some(&Target::Outer) || !stmt.attributes.is_empty() {
            return None;
        }
        let (last, before) = match &then.kind {
            S::Block(block) => block.stmts.split_last()?,
            _ => (&**then, &[][..]),
        };
        let [_, ends_loop, ends_nest] = self.tails();
        let exits = match &last.kind {
            S::Continue => ends_loop,
            S::Return(None) => ends_nest,
            _ => false,
        };
        exits.then_some((condition, before, stmt.span))
    }

    fn exit_group(&mut self, condition: &ast::Expr, then: &[Stmt], rest: &[Stmt], span: Span) {
        let condition = self.condition(condition);
        let (then, ()) = self.captured(|s| s.scoped(|s| s.stmts(then)));
        // No scope of its own: declarations of the rest live as long as they would have.
        let (rest, ()) = self.captured(|s| {
            // Each such `if` nests what follows one level deeper.
            let _ = s.deeper(span, |s| {
                s.stmts(rest);
                Ok(())
            });
        });
        if let Ok(condition) = condition {
            self.emit_if(condition, then, rest, span);
        }
    }
}
