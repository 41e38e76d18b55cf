//! Whether the items of a block leave a loop at different iterations.

use crate::ir::{Expr, ExprKind, Initializer, Loop, Projection, Stmt, StmtKind, VarId, Visitor, walk_stmt};
use std::collections::BTreeSet;

/// Whether an item's own values decide when it leaves the loop that follows `before`.
pub(super) fn leaves_apart(item: VarId, before: &[Stmt], repeated: &Loop) -> bool {
    let mut divergence = Divergence { varying: BTreeSet::from([item]), is_divergent: false, leaves: false };
    loop {
        let known = divergence.varying.len();
        before.iter().for_each(|stmt| divergence.stmt(stmt));
        divergence.leaves = false;
        divergence.repeated(repeated);
        if divergence.varying.len() == known {
            return divergence.leaves;
        }
    }
}

struct Divergence {
    /// Variables that differ from item to item.
    varying: BTreeSet<VarId>,
    /// Some items may not come here.
    is_divergent: bool,
    /// Some items leave the loop here.
    leaves: bool,
}

impl Divergence {
    /// Whether a value differs from item to item. Memory may.
    fn varies(&self, expr: &Expr) -> bool {
        !expr.every(&|e| match &e.kind {
            ExprKind::Load(place) => {
                place.path.iter().all(|of| matches!(of, Projection::Field(_))) && !self.varying.contains(&place.root)
            }
            ExprKind::Call(..) => false,
            _ => true,
        })
    }

    fn set(&mut self, var: VarId, values: &[Expr]) {
        if self.is_divergent || values.iter().any(|value| self.varies(value)) {
            self.varying.insert(var);
        }
    }

    fn within(&mut self, condition: Option<&Expr>, visit: impl FnOnce(&mut Self)) {
        let outside = self.is_divergent;
        self.is_divergent |= condition.is_some_and(|condition| self.varies(condition));
        visit(self);
        self.is_divergent = outside;
    }

    fn repeated(&mut self, l: &Loop) {
        l.init.iter().for_each(|stmt| self.stmt(stmt));
        self.within(l.condition.as_ref(), |within| {
            within.leaves |= within.is_divergent;
            [&l.head, &l.body, &l.update].into_iter().flatten().for_each(|stmt| within.stmt(stmt));
        });
    }
}

impl Visitor for Divergence {
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Declare { var, init: Some(Initializer::Value(value)) } => {
                self.set(*var, std::slice::from_ref(value));
            }
            StmtKind::Declare { var, init: Some(Initializer::List(values)) } => self.set(*var, values),
            StmtKind::Assign { place, value, .. } => self.set(place.root, std::slice::from_ref(value)),
            StmtKind::Atomic { result: Some(var), .. } | StmtKind::Call { result: Some(var), .. } => {
                self.varying.insert(*var);
            }
            StmtKind::If { condition, .. } | StmtKind::Switch { value: condition, .. } => {
                self.within(Some(condition), |within| walk_stmt(within, stmt));
            }
            StmtKind::Loop(l) => self.repeated(l),
            StmtKind::Break => self.leaves |= self.is_divergent,
            _ => walk_stmt(self, stmt),
        }
    }

    fn expr(&mut self, _expr: &Expr) {}
}
