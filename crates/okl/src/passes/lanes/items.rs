//! A loop over items, and what its body is made of.

use super::LANES;
use crate::ir::{
    BinaryOp, Body, Expr, ExprKind, Initializer, Loop, Scalar, Stmt, StmtKind, Uses, VarId, Visitor, walk_stmt,
};
use crate::passes::counters::advanced;
use crate::passes::fold::free_definition;
use std::collections::BTreeSet;

/// The head of a loop over items, in steps of one.
pub(in crate::passes) struct Items {
    pub(in crate::passes) var: VarId,
    pub(in crate::passes) first: Expr,
    pub(in crate::passes) end: Expr,
}

impl Items {
    /// `None` also for fewer than a block.
    pub(in crate::passes) fn of(l: &Loop) -> Option<Self> {
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

/// Definitions that are the same for all items, and what else stands before a part; `own` are variables that items have of
/// their own, which becomes more.
pub(in crate::passes) fn split_common(
    body: &Body,
    own: &mut BTreeSet<VarId>,
    stmts: Vec<Stmt>,
) -> (Vec<Stmt>, Vec<Stmt>) {
    let (mut common, mut before) = (Vec::new(), Vec::new());
    for stmt in stmts {
        let value = free_definition(body, &stmt).map(|(_, value)| value);
        let is_common = value.is_some_and(|value| Uses::of_expr(value).mentioned.is_disjoint(own));
        own.extend(declared(&stmt).filter(|_| !is_common));
        if is_common { common.push(stmt) } else { before.push(stmt) }
    }
    (common, before)
}

/// The variable that a statement declares.
pub(in crate::passes) fn declared(stmt: &Stmt) -> Option<VarId> {
    match stmt.kind {
        StmtKind::Declare { var, .. } => Some(var),
        _ => None,
    }
}

/// Statements without the blocks around them, which names alone need.
pub(in crate::passes) fn flat(stmts: &[Stmt]) -> Vec<Stmt> {
    let inner = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Block(stmts) => flat(stmts),
        _ => vec![stmt.clone()],
    };
    stmts.iter().flat_map(inner).collect()
}

/// Whether a loop over items stands within.
pub(in crate::passes) fn runs_items(body: &Body, stmts: &[Stmt]) -> bool {
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
