//! Which nests can have races that are worth a search.

use crate::ir::{
    Argument, AtomicOp, Body, Expr, ExprKind, Function, Kernel, Loop, Module, Nest, Place, Stmt, StmtKind, Type, VarId,
    Visitor, walk_expr, walk_place, walk_stmt,
};
use std::collections::BTreeSet;

/// Whether a nest writes what it reads. One that waits for what other items write, or asks what an atomic update has found, orders
/// its items itself.
pub(super) fn may_race(module: &Module, kernel: &Kernel, nest: &Nest) -> bool {
    let own = Accessed::of(&kernel.body, &nest.stmts);
    let orders = |function: &Function| {
        let of = Accessed::of(&function.body, &function.stmts);
        of.takes_results || !of.awaited.is_empty()
    };
    let orders_items = own.takes_results || !own.written.is_disjoint(&own.awaited);
    !orders_items && !own.written.is_disjoint(&own.read) && !module.functions.iter().any(orders)
}

/// What of memory that others see, too, statements access.
struct Accessed<'a> {
    body: &'a Body,
    read: BTreeSet<VarId>,
    written: BTreeSet<VarId>,
    /// Read where a loop asks whether it goes on.
    awaited: BTreeSet<VarId>,
    /// The old value of an atomic update is used, or memory exchanged.
    takes_results: bool,
}

impl<'a> Accessed<'a> {
    fn of(body: &'a Body, stmts: &[Stmt]) -> Self {
        let [read, written, awaited] = [const { BTreeSet::new() }; 3];
        let mut accessed = Self { body, read, written, awaited, takes_results: false };
        stmts.iter().for_each(|stmt| accessed.stmt(stmt));
        accessed
    }

    fn is_common(&self, place: &Place) -> bool {
        let variable = self.body.var(place.root);
        variable.role.is_shared() || matches!(variable.ty, Type::Pointer(_))
    }

    fn awaits(&mut self, l: &Loop) {
        let before = std::mem::take(&mut self.read);
        l.head.iter().for_each(|stmt| self.stmt(stmt));
        l.condition.iter().for_each(|e| self.expr(e));
        self.awaited.extend(&self.read);
        self.read.extend(before);
    }

    /// A function may read what it is given.
    fn arguments(&mut self, arguments: &[Argument]) {
        for argument in arguments {
            if let Argument::Pointer(place) = argument
                && self.is_common(place)
            {
                self.read.insert(place.root);
            }
        }
    }
}

impl Visitor for Accessed<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Loop(l) => self.awaits(l),
            StmtKind::Assign { place, op: Some(_), .. } if self.is_common(place) => drop(self.read.insert(place.root)),
            StmtKind::Call { arguments, .. } => self.arguments(arguments),
            StmtKind::Atomic { op, result, .. } => {
                self.takes_results |= result.is_some() || matches!(op, AtomicOp::Exchange | AtomicOp::CompareExchange);
            }
            _ => {}
        }
        walk_stmt(self, stmt);
    }

    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Call(_, arguments) = &expr.kind {
            self.arguments(arguments);
        }
        walk_expr(self, expr);
    }

    fn load(&mut self, place: &Place) {
        if self.is_common(place) {
            self.read.insert(place.root);
        }
        walk_place(self, place);
    }

    fn store(&mut self, place: &Place) {
        if self.is_common(place) {
            self.written.insert(place.root);
        }
        walk_place(self, place);
    }
}
