//! A piece of a loop over items as statements: a block for a single iteration, or a loop.

use super::index_set_split::declared_within;
use super::loop_bounds::{Range, is_plain};
use super::loops::{Builder, wide};
use crate::ir::Uses;
use crate::ir::build;
use crate::ir::{BinaryOp, Expr, MathFn, Role, Scalar, Stmt, StmtKind, Type, VarId, Variable, ends_item};

impl Builder {
    /// A piece as a loop, or as a block for a single iteration.
    pub(super) fn emit(&mut self, range: &Range, stmts: Vec<Stmt>) -> Vec<Stmt> {
        let var = range.var;
        let ty = self.body.var(var).ty.scalar().unwrap_or(Scalar::I64);
        if let Some(single) = &range.single
            && !ends_item(&stmts)
        {
            let value = single.written.clone().unwrap_or_else(|| single.value.to_expr());
            let mut iteration = stmts;
            if Uses::of(&iteration).mentioned.contains(&var) {
                iteration.insert(0, build::declare(&self.body, var, value));
            }
            return match range.condition_of_single(&self.facts, single) {
                Some(condition) => build::when(condition, iteration, Vec::new()).into_iter().collect(),
                None if declared_within(&iteration).is_empty() => iteration,
                None => vec![build::stmt(StmtKind::Block(iteration))],
            };
        }
        let (first, last) = range.ends();
        let mut out = Vec::new();
        let last = self.loop_end(var, ty, last, &mut out);
        // The end has a place in the variable's type, or no value is below it: it has been the loop's own.
        let may_leave_type = range.begins_late && ty.bytes() < 8 && first.ty != Type::Scalar(ty);
        let first = if may_leave_type { build::extreme(MathFn::IntMin, first, last.clone()) } else { first };
        out.push(self.counted(var, ty, first, last, stmts));
        out
    }

    /// `for (i = first; i < last; ++i) { … }`
    fn counted(&mut self, var: VarId, ty: Scalar, first: Expr, last: Expr, stmts: Vec<Stmt>) -> Stmt {
        let counter = build::load(&self.body, var);
        let condition = if last.ty == Type::Scalar(ty) {
            build::compare(BinaryOp::Lt, counter, last)
        } else {
            build::compare(BinaryOp::Lt, wide(counter), wide(last))
        };
        build::for_loop(build::declare(&self.body, var, first), condition, build::advance(&self.body, var, 1), stmts)
    }

    /// A bound that is more than a value by itself gets a name; a loop over unsigned values a bound of their type.
    fn loop_end(&mut self, var: VarId, ty: Scalar, last: Expr, out: &mut Vec<Stmt>) -> Expr {
        let simple = last.literal().is_some() || is_plain(&last);
        if simple && (ty.is_signed() || last.ty == Type::Scalar(ty)) {
            return last;
        }
        let end_ty = if ty.is_signed() { Scalar::I64 } else { ty };
        let span = self.body.var(var).span;
        let variable = Variable { name: String::new(), ty: end_ty.into(), role: Role::Local, is_const: true, span };
        let stem = format!("{}_end", self.body.var(var).name);
        let end = build::fresh(&mut self.body, &stem, variable);
        out.push(build::declare(&self.body, end, last));
        build::load(&self.body, end)
    }
}
