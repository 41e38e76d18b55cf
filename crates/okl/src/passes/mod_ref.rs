//! What statements do to variables, through the functions that they call.

use crate::ir::{
    Argument, Body, Expr, ExprKind, FunctionId, Module, Role, Stmt, StmtKind, Type, VarId, Visitor, walk_expr,
    walk_stmt,
};
use std::collections::{BTreeMap, BTreeSet};

/// What a function does to what a parameter points to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Effect {
    /// Some statement writes it.
    pub(super) written: bool,
    /// Some statement updates it atomically.
    pub(super) atomic: bool,
}

/// Whether memory that a parameter points to stays as it is while statements write what `written` lists.
pub(super) fn is_unwritten(body: &Body, written: &BTreeSet<VarId>, param: VarId) -> bool {
    let is_restrict = |var: VarId| match &body.var(var).ty {
        Type::Pointer(pointer) => pointer.restrict,
        _ => true,
    };
    let is_memory = matches!((&body.var(param).ty, body.var(param).role), (Type::Pointer(_), Role::Param(_)));
    is_memory && !written.iter().any(|&var| var == param || !(is_restrict(param) || is_restrict(var)))
}

/// What statements do to variables.
pub(super) struct Effects<'a> {
    module: &'a Module,
    /// By function; callees come first.
    functions: &'a [BTreeMap<VarId, Effect>],
    found: BTreeMap<VarId, Effect>,
}

impl<'a> Effects<'a> {
    /// `functions`: what is known of the callees.
    pub(super) fn of(
        module: &'a Module,
        functions: &'a [BTreeMap<VarId, Effect>],
        stmts: &[Stmt],
    ) -> BTreeMap<VarId, Effect> {
        let mut effects = Self { module, functions, found: BTreeMap::new() };
        stmts.iter().for_each(|stmt| effects.stmt(stmt));
        effects.found
    }

    fn call(&mut self, function: FunctionId, arguments: &[Argument]) {
        let params = &self.module.functions[function.0 as usize].params;
        for (param, argument) in params.iter().zip(arguments) {
            if let Argument::Pointer(place) = argument
                && let Some(effect) = self.functions[function.0 as usize].get(param)
            {
                let found = self.found.entry(place.root).or_default();
                found.written |= effect.written;
                found.atomic |= effect.atomic;
            }
        }
    }
}

impl Visitor for Effects<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assign { place, .. } => self.found.entry(place.root).or_default().written = true,
            StmtKind::Atomic { place, .. } => {
                *self.found.entry(place.root).or_default() = Effect { written: true, atomic: true }
            }
            StmtKind::Call { function, arguments, .. } => self.call(*function, arguments),
            _ => {}
        }
        walk_stmt(self, stmt);
    }

    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Call(function, arguments) = &expr.kind {
            self.call(*function, arguments);
        }
        walk_expr(self, expr);
    }
}
