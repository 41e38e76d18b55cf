//! The host part of a kernel: ordinary statements and launch marks become what the host can run.

use super::constants::{binary, constant, not};
use super::context::Lowering;
use super::{Lowered, Reported};
use crate::diagnostic::Diagnostic;
use crate::ir::value::ScalarValue;
use crate::ir::{
    Arm, BinaryOp, Expr, HostStmt, Initializer, Literal, Loop, Mark, Place, Role, Scalar, Stmt, StmtKind, Type, VarId,
};
use crate::rules;
use crate::source::Span;

impl Lowering<'_, '_> {
    /// Turns the statements of the host level into the host part.
    pub(super) fn host_part(&mut self, statements: Vec<Stmt>) -> Lowered<Vec<HostStmt>> {
        let mut out = Vec::new();
        let mut failed = false;
        for stmt in statements {
            failed |= self.host_stmt(stmt, &mut out).is_err();
        }
        if failed { Err(Reported) } else { Ok(out) }
    }

    fn host_stmt(&mut self, stmt: Stmt, out: &mut Vec<HostStmt>) -> Lowered<()> {
        let span = stmt.span;
        match stmt.kind {
            StmtKind::Declare { var, init } => match init {
                Some(Initializer::Value(value)) => self.host_set(var, value, out),
                Some(Initializer::List(_)) => Err(self.error(
                    rules::HOST_STATEMENT,
                    span,
                    "only scalars can be declared outside of the `@outer` loops",
                )),
                None => Ok(()),
            },
            StmtKind::Assign { place, op, value } => {
                let var = self.host_variable(&place)?;
                let value = match op {
                    Some(op) => binary(op, self.read(var, span), value, span),
                    None => value,
                };
                self.host_set(var, value, out)
            }
            StmtKind::If { condition, then, otherwise } => {
                let (then, otherwise) = (self.host_part(then), self.host_part(otherwise));
                self.check_host(&condition)?;
                out.push(HostStmt::If { condition, then: then?, otherwise: otherwise? });
                Ok(())
            }
            StmtKind::Loop(l) => self.host_loop(*l, span, out),
            StmtKind::Switch { value, arms } => self.host_switch(value, arms, span, out),
            StmtKind::Return(_) => {
                out.push(HostStmt::Return);
                Ok(())
            }
            StmtKind::Block(stmts) => {
                out.extend(self.host_part(stmts)?);
                Ok(())
            }
            StmtKind::Mark(Mark::Launch(nest)) => {
                out.push(HostStmt::Launch(nest));
                Ok(())
            }
            StmtKind::Break | StmtKind::Continue => Err(self.report(
                Diagnostic::error(
                    rules::HOST_STATEMENT,
                    span,
                    "`break` and `continue` are not possible in loops around `@outer` loops yet",
                )
                .hint("put the condition into the loop's head"),
            )),
            StmtKind::Atomic { .. }
            | StmtKind::Call { .. }
            | StmtKind::Print(_)
            | StmtKind::Prefetch { .. }
            | StmtKind::EndItem
            | StmtKind::Barrier
            | StmtKind::Inner(_)
            | StmtKind::Mark(_) => {
                Err(self.error(rules::HOST_STATEMENT, span, "this cannot be done outside of the `@outer` loops"))
            }
        }
    }

    fn host_variable(&mut self, place: &Place) -> Lowered<VarId> {
        let var = self.body.var(place.root);
        if place.path.is_empty() && var.role == Role::Host && matches!(var.ty, Type::Scalar(_)) {
            return Ok(place.root);
        }
        Err(self.error(
            rules::HOST_STATEMENT,
            place.span,
            "only scalar variables can be assigned outside of the `@outer` loops",
        ))
    }

    fn host_set(&mut self, var: VarId, value: Expr, out: &mut Vec<HostStmt>) -> Lowered<()> {
        self.check_host(&value)?;
        out.push(HostStmt::Set { var, value });
        Ok(())
    }

    fn check_host(&mut self, value: &Expr) -> Lowered<()> {
        if self.is_host(value) {
            return Ok(());
        }
        Err(self.error(
            rules::HOST_STATEMENT,
            value.span,
            "the host part of a kernel computes with scalar parameters and its own variables only",
        ))
    }

    /// `init; head; while (condition) { body; update; head }`; `do` runs its first iteration by a flag.
    fn host_loop(&mut self, l: Loop, span: Span, out: &mut Vec<HostStmt>) -> Lowered<()> {
        out.extend(self.host_part(l.init)?);
        let mut condition = l.condition.unwrap_or_else(|| constant(ScalarValue::Bool(true), span));
        self.check_host(&condition)?;
        let mut body = Vec::new();
        if l.test_last {
            let first = self.host_flag("first", true, span, out);
            let again = self.read(first, span);
            condition = binary(BinaryOp::LogicOr, again, condition, span);
            body.push(HostStmt::Set { var: first, value: constant(ScalarValue::Bool(false), span) });
        } else {
            out.extend(self.host_part(l.head.clone())?);
        }
        body.extend(self.host_part(l.body)?);
        let mut update = self.host_part(l.update)?;
        update.extend(self.host_part(l.head)?);
        out.push(HostStmt::Loop { condition, body, update });
        Ok(())
    }

    fn host_flag(&mut self, name: &str, value: bool, span: Span, out: &mut Vec<HostStmt>) -> VarId {
        let (_, var) = self.captured(|s| s.temporary(name, Scalar::Bool.into(), None, false, span));
        out.push(HostStmt::Set { var, value: constant(ScalarValue::Bool(value), span) });
        var
    }

    /// A chain of `if`s over a copy of the value. An arm that falls through sets a flag that the next one honours.
    fn host_switch(&mut self, value: Expr, arms: Vec<Arm>, span: Span, out: &mut Vec<HostStmt>) -> Lowered<()> {
        self.check_host(&value)?;
        let ty = value.ty.clone();
        let (_, copy) = self.captured(|s| s.temporary("choice", ty.clone(), None, false, span));
        out.push(HostStmt::Set { var: copy, value });
        let entered = self.host_flag("entered", false, span, out);
        let matches_any = |s: &Self, values: &[Literal]| {
            values
                .iter()
                .map(|literal| {
                    let case = Expr { kind: crate::ir::ExprKind::Literal(*literal), ty: ty.clone(), span };
                    binary(BinaryOp::Eq, s.read(copy, span), case, span)
                })
                .reduce(|a, b| binary(BinaryOp::LogicOr, a, b, span))
        };
        let every: Vec<Literal> = arms.iter().flat_map(|arm| arm.values.iter().copied()).collect();
        for arm in arms {
            let listed = matches_any(self, &arm.values);
            let default = arm
                .is_default
                .then(|| matches_any(self, &every).map_or_else(|| constant(ScalarValue::Bool(true), span), not));
            let conditions = [Some(self.read(entered, span)), listed, default];
            let condition = conditions.into_iter().flatten().reduce(|a, b| binary(BinaryOp::LogicOr, a, b, span));
            let mut then = self.host_part(arm.body)?;
            then.push(HostStmt::Set { var: entered, value: constant(ScalarValue::Bool(arm.falls_through), span) });
            out.extend(condition.map(|condition| HostStmt::If { condition, then, otherwise: Vec::new() }));
        }
        Ok(())
    }
}
