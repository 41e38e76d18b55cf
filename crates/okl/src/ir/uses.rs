//! What a tree uses: variables that it reads, writes and passes on.

use super::{
    Argument, Builtin, Expr, ExprKind, Place, Stmt, StmtKind, VarId, Visitor, walk_expr, walk_place, walk_stmt,
};
use std::collections::BTreeSet;

/// What a stretch of statements mentions.
#[derive(Clone, Debug, Default)]
pub struct Uses {
    /// Variables that are read, written, prefetched or passed on.
    pub mentioned: BTreeSet<VarId>,
    /// Variables that some statement assigns, or whose address is passed on. Elements count for their array.
    pub assigned: BTreeSet<VarId>,
    /// Variables whose address is passed on.
    pub addressed: BTreeSet<VarId>,
    /// Builtin values that are read.
    pub builtins: BTreeSet<Builtin>,
    /// Nodes, as a measure of size.
    pub weight: usize,
}

impl Uses {
    /// Of a list of statements.
    pub fn of(stmts: &[Stmt]) -> Self {
        let mut uses = Self::default();
        stmts.iter().for_each(|s| uses.stmt(s));
        uses
    }

    /// Of an expression.
    pub fn of_expr(expr: &Expr) -> Self {
        let mut uses = Self::default();
        uses.expr(expr);
        uses
    }

    fn arguments(&mut self, arguments: &[Argument]) {
        for argument in arguments {
            if let Argument::Pointer(place) = argument {
                self.addressed.insert(place.root);
            }
        }
    }
}

impl Visitor for Uses {
    fn stmt(&mut self, stmt: &Stmt) {
        self.weight += 1;
        match &stmt.kind {
            StmtKind::Call { arguments, result, .. } => {
                self.arguments(arguments);
                self.assigned.extend(result);
                self.mentioned.extend(result);
            }
            StmtKind::Atomic { result, .. } => {
                self.assigned.extend(result);
                self.mentioned.extend(result);
            }
            StmtKind::Prefetch { place, .. } => drop(self.mentioned.insert(place.root)),
            _ => {}
        }
        walk_stmt(self, stmt);
    }

    fn expr(&mut self, expr: &Expr) {
        self.weight += 1;
        match &expr.kind {
            ExprKind::Call(_, arguments) => self.arguments(arguments),
            ExprKind::Builtin(builtin) => drop(self.builtins.insert(*builtin)),
            _ => {}
        }
        walk_expr(self, expr);
    }

    fn load(&mut self, place: &Place) {
        self.mentioned.insert(place.root);
        walk_place(self, place);
    }

    fn store(&mut self, place: &Place) {
        self.mentioned.insert(place.root);
        self.assigned.insert(place.root);
        walk_place(self, place);
    }
}
