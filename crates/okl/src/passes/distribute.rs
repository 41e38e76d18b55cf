//! Loop distribution: `if (t == 0) { … }` at the end of an item gets a loop of its own, after the loop over all items.
//! Index-set splitting then cuts that second loop down to its one iteration.
//!
//! The first loop keeps all of its iterations and begins where the source lets it begin, so that it is as long and as well
//! aligned as one written by hand. Legal, because each item still does one after the other, and between two barriers no
//! item reads what another one writes. The second loop computes what it needs again, from what has not changed.

use super::fold;
use super::index_set_split::{Cuts, declared_within};
use super::loop_bounds::{Range, Test, TestKind};
use super::loops::Builder;
use crate::ir::Uses;
use crate::ir::{BinaryOp, Body, Expr, ExprKind, Initializer, Role, Stmt, StmtKind, Type, VarId, ends_item};
use std::collections::BTreeSet;

impl Builder {
    /// The two loops that `stmts` becomes when few iterations run its last statement; `None` where it stays one.
    pub(super) fn distribute_last(&mut self, range: &Range, stmts: &[Stmt], growth: &mut usize) -> Option<Vec<Stmt>> {
        let (last, before) = stmts.split_last()?;
        let StmtKind::If { condition, then, otherwise } = &last.kind else {
            return None;
        };
        if then.is_empty() || !otherwise.is_empty() || ends_item(stmts) {
            return None;
        }
        let iterations = self.iterations(range, stmts);
        let outside = |var: VarId| !iterations.inside.contains(&var);
        let is_single = |expr: &Expr| {
            let test = Test::of(&iterations.facts, expr, range.var, &outside);
            test.is_some_and(|test| matches!(test.kind, TestKind::Equals(_)) && !test.negated)
        };
        if !holds_for_few(condition, &is_single) {
            return None;
        }
        let (mut second, kept) = recomputable(&self.body, before);
        if second.len() == before.len() {
            return None;
        }
        let needed = Uses::of(std::slice::from_ref(last)).mentioned;
        if declared_within(before).iter().any(|var| needed.contains(var) && !kept.contains(var)) {
            return None;
        }
        let mut first = before.to_vec();
        fold::run(&mut first, &|_| None);
        second.push(last.clone());
        fold::run(&mut second, &|_| None);
        let mut loops = self.pieces(range.clone(), first, Cuts::Any, growth);
        loops.extend(self.pieces(range.clone(), second, Cuts::Any, growth));
        Some(loops)
    }
}

/// Whether a condition holds for as many iterations as it has comparisons at most.
fn holds_for_few(condition: &Expr, is_single: &dyn Fn(&Expr) -> bool) -> bool {
    match &condition.kind {
        ExprKind::Binary(BinaryOp::LogicOr, a, b) => holds_for_few(a, is_single) && holds_for_few(b, is_single),
        ExprKind::Binary(BinaryOp::LogicAnd, a, b) => holds_for_few(a, is_single) || holds_for_few(b, is_single),
        _ => is_single(condition),
    }
}

/// The declarations of an item's statements whose value comes out the same when all of these have run, and their
/// variables.
fn recomputable(body: &Body, stmts: &[Stmt]) -> (Vec<Stmt>, BTreeSet<VarId>) {
    let uses = Uses::of(stmts);
    let written: BTreeSet<VarId> = uses.assigned.union(&uses.addressed).copied().collect();
    let mut changing = declared_within(stmts);
    let mut definitions = Vec::new();
    for stmt in stmts {
        if let StmtKind::Declare { var, init: Some(Initializer::Value(value)) } = &stmt.kind
            && !written.contains(var)
            && is_unchanged(body, &written, value)
            && Uses::of_expr(value).mentioned.is_disjoint(&changing)
        {
            changing.remove(var);
            definitions.push(stmt.clone());
        }
    }
    let kept = declared_within(&definitions);
    (definitions, kept)
}

/// Whether an expression reads nothing that is written in between.
fn is_unchanged(body: &Body, written: &BTreeSet<VarId>, expr: &Expr) -> bool {
    let pointer = |var: VarId| match (&body.var(var).ty, body.var(var).role) {
        (Type::Pointer(pointer), Role::Param(_)) => Some(pointer.restrict),
        _ => None,
    };
    // Whether what is written through `b` may be what is read through `a`.
    let may_overlap = |a: VarId, b: VarId| a == b || matches!((pointer(a), pointer(b)), (Some(false), Some(false)));
    expr.every(&|e| match &e.kind {
        // A function may read memory that its arguments do not name.
        ExprKind::Call(..) => false,
        ExprKind::Load(place) => !written.iter().any(|&var| may_overlap(place.root, var)),
        _ => true,
    })
}
