//! `if`, `switch` and sequential loops.

use super::attributes::Place;
use super::constants::{convert, implicit, integer_of, promoted, value_of};
use super::context::{Lowering, Target};
use super::{Lowered, Reported};
use crate::front::ast::{self, Block, For, Stmt, StmtKind as S};
use crate::ir::value::ScalarValue;
use crate::ir::{Arm, Expr, Literal, Loop, Scalar, Stmt as IrStmt, StmtKind};
use crate::rules;
use crate::source::Span;

impl Lowering<'_, '_> {
    pub(super) fn if_stmt(
        &mut self,
        condition: &ast::Expr,
        then: &Stmt,
        otherwise: Option<&Stmt>,
        span: Span,
    ) -> Lowered<()> {
        let condition = self.condition(condition);
        let (then, ()) = self.captured(|s| s.branch(then));
        let (otherwise, ()) = self.captured(|s| otherwise.iter().for_each(|stmt| s.branch(stmt)));
        self.emit_if(condition?, then, otherwise, span);
        Ok(())
    }

    /// A parallel or a sequential `for`.
    pub(super) fn for_stmt(&mut self, f: &For, span: Span) -> Lowered<()> {
        self.check_attributes(&f.attributes, Place::For);
        match self.parallel_of(f)? {
            Some(parallel) => self.parallel_for(f, &parallel),
            None => self.sequential_for(f, span),
        }
    }

    fn sequential_for(&mut self, f: &For, span: Span) -> Lowered<()> {
        let unroll = self.unroll_of(&f.attributes);
        self.scoped(|s| {
            let (init, ()) = s.captured(|s| s.stmts(std::slice::from_ref(&f.init)));
            let (head, condition) = s.captured(|s| f.condition.as_ref().map(|c| s.condition(c)).transpose());
            let body = s.loop_body(&f.body);
            let (update, result) = s.captured(|s| f.update.as_ref().map_or(Ok(()), |u| s.discard(u)));
            let condition = condition?;
            result?;
            s.emit_loop(Loop { init, head, condition, update, body, test_last: false, unroll }, span);
            Ok(())
        })
    }

    pub(super) fn while_stmt(
        &mut self,
        condition: &ast::Expr,
        body: &Stmt,
        attributes: &[ast::Attribute],
        span: Span,
    ) -> Lowered<()> {
        let unroll = self.unroll_of(attributes);
        let (head, condition) = self.captured(|s| s.condition(condition));
        let body = self.loop_body(body);
        let condition = Some(condition?);
        let (init, update) = (Vec::new(), Vec::new());
        self.emit_loop(Loop { init, head, condition, update, body, test_last: false, unroll }, span);
        Ok(())
    }

    pub(super) fn do_stmt(&mut self, body: &Stmt, condition: &ast::Expr, span: Span) -> Lowered<()> {
        let body = self.loop_body(body);
        let (head, condition) = self.captured(|s| s.condition(condition));
        let condition = Some(condition?);
        let (init, update) = (Vec::new(), Vec::new());
        self.emit_loop(Loop { init, head, condition, update, body, test_last: true, unroll: None }, span);
        Ok(())
    }

    pub(super) fn loop_body(&mut self, body: &Stmt) -> Vec<IrStmt> {
        let saved = self.tails();
        self.not_last();
        self.targets.push(Target::Loop);
        let (stmts, ()) = self.captured(|s| s.branch(body));
        self.targets.pop();
        self.set_tails(saved);
        stmts
    }

    pub(super) fn emit_loop(&mut self, mut l: Loop, span: Span) {
        if l.condition.as_ref().and_then(value_of).is_some_and(ScalarValue::is_true) && l.head.is_empty() {
            l.condition = None;
        }
        if self.check_loop_head(&l).is_err() {
            return;
        }
        self.emit(StmtKind::Loop(Box::new(l)), span);
    }

    pub(super) fn switch_stmt(&mut self, value: &ast::Expr, body: &Block, span: Span) -> Lowered<()> {
        let number = self.number(value).and_then(|(e, scalar)| {
            if scalar.is_float() {
                return Err(self.error(rules::BAD_SWITCH, value.span, "a `switch` needs an integer"));
            }
            Ok(implicit(e, promoted(scalar)))
        });
        let scalar = number.as_ref().map_or(Scalar::I32, super::constants::scalar_of);
        let arms = self.scoped(|s| s.arms(body, scalar));
        let (value, arms) = (number?, arms?);
        self.emit(StmtKind::Switch { value, arms }, span);
        Ok(())
    }

    fn arms(&mut self, body: &Block, scalar: Scalar) -> Lowered<Vec<Arm>> {
        let mut arms: Vec<Arm> = Vec::new();
        let mut seen: Vec<(Literal, Span)> = Vec::new();
        let (mut has_default, mut failed) = (false, false);
        let mut rest = body.stmts.as_slice();
        if let Some(first) = rest.first().filter(|s| !matches!(s.kind, S::Case(_) | S::Default)) {
            return Err(self.error(
                rules::BAD_SWITCH,
                first.span,
                "a statement of a `switch` must follow a `case` or `default`",
            ));
        }
        while !rest.is_empty() {
            let labels = rest.iter().take_while(|s| matches!(s.kind, S::Case(_) | S::Default)).count();
            let mut arm = Arm { values: Vec::new(), is_default: false, body: Vec::new(), falls_through: false };
            for label in &rest[..labels] {
                if let S::Case(expr) = &label.kind {
                    match self.case_value(expr, scalar, &mut seen) {
                        Ok(value) => arm.values.push(value),
                        Err(Reported) => failed = true,
                    }
                } else {
                    if has_default {
                        self.error(rules::BAD_SWITCH, label.span, "a `switch` has one `default`");
                    }
                    has_default = true;
                    arm.is_default = true;
                }
            }
            rest = &rest[labels..];
            let end = rest.iter().position(|s| matches!(s.kind, S::Case(_) | S::Default)).unwrap_or(rest.len());
            arm.body = self.arm_body(&rest[..end]);
            rest = &rest[end..];
            if let Some(IrStmt { kind: StmtKind::Break, .. }) = arm.body.last() {
                arm.body.pop();
            } else {
                arm.falls_through = !rest.is_empty() && !ends_flow(&arm.body);
            }
            arms.push(arm);
        }
        if failed { Err(Reported) } else { Ok(arms) }
    }

    fn arm_body(&mut self, stmts: &[Stmt]) -> Vec<IrStmt> {
        let saved = self.tails();
        self.not_last();
        self.targets.push(Target::Switch);
        let (body, ()) = self.captured(|s| s.scoped(|s| s.stmts(stmts)));
        self.targets.pop();
        self.set_tails(saved);
        body
    }

    fn case_value(&mut self, expr: &ast::Expr, scalar: Scalar, seen: &mut Vec<(Literal, Span)>) -> Lowered<Literal> {
        let (effects, value) = self.captured(|s| s.expr(expr));
        let value: Expr = value?;
        if integer_of(&value).is_none() || !effects.is_empty() {
            return Err(self.error(rules::CONSTANT_EXPECTED, expr.span, "a `case` needs an integer constant"));
        }
        let Some(literal) = convert(value, scalar, true).literal() else {
            return Err(Reported);
        };
        if let Some(&(_, first)) = seen.iter().find(|(other, _)| *other == literal) {
            let diagnostic =
                crate::Diagnostic::error(rules::BAD_SWITCH, expr.span, "this `case` occurs twice in the `switch`")
                    .label(first, "first here");
            return Err(self.report(diagnostic));
        }
        seen.push((literal, expr.span));
        Ok(literal)
    }
}

/// Whether control never runs off the end of a list.
pub(super) fn ends_flow(stmts: &[IrStmt]) -> bool {
    stmts.last().is_some_and(|stmt| match &stmt.kind {
        StmtKind::Break | StmtKind::Continue | StmtKind::EndItem | StmtKind::Return(_) => true,
        StmtKind::If { then, otherwise, .. } => ends_flow(then) && ends_flow(otherwise),
        StmtKind::Block(stmts) => ends_flow(stmts),
        _ => false,
    })
}
