//! A loop over items, and the parts of an item around the loop that it leaves by itself.

use super::{LANES, divergence};
use crate::ir::{
    BinaryOp, Body, Expr, ExprKind, Initializer, Loop, Scalar, Stmt, StmtKind, Uses, VarId, Visitor, ends_item,
    walk_stmt,
};
use crate::passes::counters::advanced;
use crate::passes::fold::free_definition;
use crate::passes::interchange::prints_itself;
use std::collections::BTreeSet;

/// The head of a loop over items, in steps of one.
pub(super) struct Items {
    pub(super) var: VarId,
    pub(super) first: Expr,
    pub(super) end: Expr,
}

impl Items {
    /// `None` also for fewer than a block.
    pub(super) fn of(l: &Loop) -> Option<Self> {
        let ([init], [update]) = (l.init.as_slice(), l.update.as_slice()) else { return None };
        let StmtKind::Declare { var, init: Some(Initializer::Value(first)) } = &init.kind else { return None };
        let ExprKind::Binary(BinaryOp::Lt, counted, end) = &l.condition.as_ref()?.kind else { return None };
        let mut counted = counted.as_ref();
        while let ExprKind::Cast { value, implicit: true } = &counted.kind {
            counted = value;
        }
        let is_counter = matches!(&counted.kind, ExprKind::Load(place) if place.path.is_empty() && place.root == *var);
        let (counter, step) = advanced(update)?;
        let counts = is_counter && counter == *var && step.as_int() == Some(1) && l.head.is_empty() && !l.test_last;
        let is_few = first.as_int().zip(end.as_int()).is_some_and(|(first, end)| end - first < i64::from(LANES));
        let fits = first.ty.scalar().is_some_and(|ty| ty != Scalar::U64);
        (counts && fits && !is_few).then(|| Self { var: *var, first: first.clone(), end: (**end).clone() })
    }
}

/// What an item does, around the loop that it leaves by itself.
pub(super) struct Parts {
    /// Definitions that are the same for all items.
    pub(super) common: Vec<Stmt>,
    pub(super) before: Vec<Stmt>,
    pub(super) repeated: Loop,
    /// Items that are still in the loop count alike: the block counts for them, and the loop keeps its head.
    pub(super) is_counted: bool,
    pub(super) after: Vec<Stmt>,
}

impl Parts {
    pub(super) fn of(body: &Body, items: &Items, stmts: &[Stmt]) -> Option<Self> {
        let mut stmts = flat(stmts);
        let at = stmts.iter().position(|stmt| matches!(stmt.kind, StmtKind::Loop(_)))?;
        let mut own = Uses::of(&stmts).assigned;
        own.insert(items.var);
        let after = stmts.split_off(at + 1);
        // A loop over groups, whose items are that loop.
        if runs_items(body, &stmts) {
            return None;
        }
        let StmtKind::Loop(mut repeated) = stmts.pop()?.kind else { return None };
        let refuses = |part: &[Stmt]| ends_item(part) || prints_itself(part);
        if refuses(&stmts)
            || refuses(&after)
            || runs_items(body, &after)
            || !divergence::leaves_apart(items.var, &stmts, &repeated)
        {
            return None;
        }
        let (mut common, mut before) = (Vec::new(), Vec::new());
        for stmt in stmts {
            let value = free_definition(body, &stmt).map(|(_, value)| value);
            let is_common = value.is_some_and(|value| Uses::of_expr(value).mentioned.is_disjoint(&own));
            own.extend(declared(&stmt).filter(|_| !is_common));
            if is_common { common.push(stmt) } else { before.push(stmt) }
        }
        let is_counted = counts_alike(&repeated, &own);
        if !is_counted {
            before.append(&mut repeated.init);
        }
        Some(Self { common, before, repeated: *repeated, is_counted, after })
    }
}

/// Whether the head of a loop counts alike in all items, which have variables of their own.
fn counts_alike(l: &Loop, own: &BTreeSet<VarId>) -> bool {
    let ([init], [update], Some(condition)) = (l.init.as_slice(), l.update.as_slice(), &l.condition) else {
        return false;
    };
    let StmtKind::Declare { var, init: Some(Initializer::Value(first)) } = &init.kind else { return false };
    let is_alike = |expr: &Expr| {
        expr.is_speculatable() && Uses::of_expr(expr).mentioned.iter().all(|of| of == var || !own.contains(of))
    };
    advanced(update).is_some_and(|(counter, step)| counter == *var && is_alike(step))
        && is_alike(first)
        && is_alike(condition)
        && !Uses::of(&l.body).assigned.contains(var)
        && l.head.is_empty()
        && !l.test_last
}

/// The variable that a statement declares.
pub(super) fn declared(stmt: &Stmt) -> Option<VarId> {
    match stmt.kind {
        StmtKind::Declare { var, .. } => Some(var),
        _ => None,
    }
}

/// Statements without the blocks around them, which names alone need.
fn flat(stmts: &[Stmt]) -> Vec<Stmt> {
    let inner = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Block(stmts) => flat(stmts),
        _ => vec![stmt.clone()],
    };
    stmts.iter().flat_map(inner).collect()
}

/// Whether a loop over items stands within.
fn runs_items(body: &Body, stmts: &[Stmt]) -> bool {
    struct Find<'a>(&'a Body, bool);
    impl Visitor for Find<'_> {
        fn stmt(&mut self, stmt: &Stmt) {
            self.1 |= matches!(&stmt.kind, StmtKind::Loop(l) if l.is_parallel(self.0));
            walk_stmt(self, stmt);
        }
        fn expr(&mut self, _expr: &Expr) {}
    }
    let mut find = Find(body, false);
    stmts.iter().for_each(|stmt| find.stmt(stmt));
    find.1
}
