//! Several iterations of the group's loop at once: unroll and jam.
//!
//! With its items inside, a loop reads a row of neighbours, and the next one lies as far away as the loop's step says. A
//! processor foresees little of that, and what an item keeps from one row to the next goes to memory and back with each.
//! Where each item does four iterations before the next item begins, four streams are under way, and what it keeps is in a
//! register meanwhile. Legal, because an item's iterations stay in their order. What is left, fewer rows than four or one that
//! only some items have, is done by the loop as it was.

use super::choice::UNROLLED;
use super::head::Head;
use super::narrowed;
use crate::ir::rewrite::rename;
use crate::ir::{
    BinaryOp, Body, Expr, Scalar, Stmt, StmtKind, Uses, VarId, Variable, build, for_declarations, is_straight,
};
use crate::passes::counters::{advanced, bound_of};
use crate::passes::loops::wide;
use std::collections::BTreeMap;

/// Iterations at once.
const ROWS: i64 = 4;

/// Nodes beyond which an iteration is enough work by itself.
const MOST_WEIGHT: usize = 64;

/// A loop that counts up, and what an item does in an iteration.
pub(super) struct Row {
    /// The group's number, below or up to `bound`.
    pub(super) counter: VarId,
    pub(super) step: Expr,
    pub(super) op: BinaryOp,
    pub(super) bound: Expr,
    /// The item's number, which `stmts` mention, and how far it is from the group's: `reach` at most.
    pub(super) own: VarId,
    pub(super) distance: Expr,
    pub(super) reach: i64,
    pub(super) stmts: Vec<Stmt>,
}

/// Iterations that belong together: when there are as many, for all items, what an item does, how the group counts.
pub(super) struct Rows {
    pub(super) condition: Expr,
    pub(super) stmts: Vec<Stmt>,
    pub(super) update: Stmt,
}

impl Row {
    /// That of a loop which all items run alike.
    pub(super) fn of(body: &Body, head: &Head, stmts: &[Stmt]) -> Option<Self> {
        if head.iterations.is_some_and(|iterations| iterations <= UNROLLED) {
            return None;
        }
        let ([_], [update]) = (head.init.as_slice(), head.update.as_slice()) else { return None };
        let (counter, step) = advanced(update)?;
        let (op, bound) = bound_of(&head.condition, counter)?;
        matches!(body.var(counter).ty.scalar(), Some(Scalar::I32 | Scalar::I64)).then_some(())?;
        let (step, bound, stmts) = (step.clone(), bound.clone(), stmts.to_vec());
        Some(Self { counter, step, op, bound, own: counter, distance: build::int(0), reach: 0, stmts })
    }

    /// `None` where nothing is gained.
    pub(super) fn jammed(&self, body: &mut Body) -> Option<Rows> {
        let ty = body.var(self.counter).ty.scalar()?;
        let is_plain = |kind: &StmtKind| {
            matches!(kind, StmtKind::Declare { .. } | StmtKind::Assign { .. } | StmtKind::Atomic { .. })
        };
        if !is_straight(&self.stmts, &is_plain) || Uses::of(&self.stmts).weight > MOST_WEIGHT {
            return None;
        }
        // A multiple of the step has to be a number of the type.
        if self.step.as_int().is_some_and(|step| !(1..=i64::from(i32::MAX) / ROWS).contains(&step)) {
            return None;
        }
        let number = |number| Expr::int(number, ty, self.step.span);
        let times = |rows: i64| match self.step.as_int() {
            Some(step) => number(step * rows),
            None if rows == 1 => self.step.clone(),
            None => build::binary(BinaryOp::Mul, number(rows), self.step.clone(), ty),
        };
        let mut stmts = Vec::new();
        for row in 0..ROWS {
            let own = body.add(Variable { is_const: true, ..body.var(self.own).clone() });
            let mut copies = BTreeMap::from([(self.own, own)]);
            for_declarations(&self.stmts, &mut |var, _| {
                copies.insert(var, body.add(body.var(var).clone()));
            });
            let mut copy = self.stmts.clone();
            rename(&mut copy, &copies);
            let ahead = [(self.reach > 0).then(|| narrowed(&self.distance, ty)), (row > 0).then(|| times(row))];
            let sum = |sum, part| build::binary(BinaryOp::Add, sum, part, ty);
            let number = ahead.into_iter().flatten().fold(build::load(body, self.counter), sum);
            stmts.push(build::declare(body, own, number));
            stmts.extend(copy);
        }
        let place = build::place(body, self.counter);
        let update = build::stmt(StmtKind::Assign { place, op: Some(BinaryOp::Add), value: times(ROWS) });
        Some(Rows { condition: self.has_rows(body), stmts, update })
    }

    /// Whether the last of the rows has a number for the last item: all of it without a sum that may leave its type.
    fn has_rows(&self, body: &Body) -> Expr {
        let counter = || wide(build::load(body, self.counter));
        let bound = || wide(self.bound.clone());
        let is_inside = build::compare(self.op, counter(), bound());
        let is_counted = build::compare(BinaryOp::Ge, counter(), build::int(0));
        let last = self.reach + i64::from(self.op == BinaryOp::Lt);
        let left = build::sub(build::sub(bound(), counter()), build::int(last));
        let most = build::binary(BinaryOp::Div, left, build::int(ROWS - 1), Scalar::I64);
        let step = wide(self.step.clone());
        let goes_up = step.as_int().is_none().then(|| build::compare(BinaryOp::Gt, step.clone(), build::int(0)));
        let is_short = build::compare(BinaryOp::Le, step, most);
        [Some(is_counted), goes_up, Some(is_short)].into_iter().flatten().fold(is_inside, build::and)
    }
}
