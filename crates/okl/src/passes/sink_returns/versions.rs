//! The versions of a module's functions.

use super::search::Search;
use crate::ir::rewrite::{Rewriter, rewrite_expr};
use crate::ir::{Expr, ExprKind, FunctionId, Module, Stmt, StmtKind, Struct, StructId, Visitor, walk_expr, walk_stmt};
use std::collections::{BTreeMap, BTreeSet};

/// The versions that are in use. Their structs and functions come behind those of the module, in this order.
pub(super) struct Versions<'a> {
    pub(super) module: &'a Module,
    made: Vec<Search>,
}

impl<'a> Versions<'a> {
    pub(super) fn new(module: &'a Module) -> Self {
        Self { module, made: Vec::new() }
    }

    pub(super) fn into_made(self) -> Vec<Search> {
        self.made
    }

    pub(super) fn structs(&self) -> &'a [Struct] {
        &self.module.structs
    }

    /// The number of a function's version, and the version.
    pub(super) fn of(&self, function: FunctionId) -> Option<(usize, Search)> {
        if let Some(number) = self.made.iter().position(|search| search.original == function) {
            return Some((number, self.made[number].clone()));
        }
        let number = self.made.len();
        let original = &self.module.functions[function.0 as usize];
        Some((number, Search::of(function, original, self.found(number))?))
    }

    /// The version is in use.
    pub(super) fn add(&mut self, number: usize, search: Search) {
        if number == self.made.len() {
            self.made.push(search);
        }
    }

    /// What a version returns.
    pub(super) fn found(&self, number: usize) -> StructId {
        StructId((self.module.structs.len() + number) as u32)
    }

    pub(super) fn function(&self, number: usize) -> FunctionId {
        FunctionId((self.module.functions.len() + number) as u32)
    }

    /// Whether statements may report a fault.
    pub(super) fn report(&self, stmts: &[Stmt]) -> bool {
        Calls::of(stmts).iter().any(|id| {
            let function = &self.module.functions[id.0 as usize];
            function.reports || self.report(&function.stmts)
        })
    }
}

/// Adds versions to the module; one of a function that nothing calls any more takes its place.
pub(super) fn add(module: &mut Module, made: Vec<Search>) {
    let nests = module.kernels.iter().flat_map(|kernel| &kernel.nests);
    let lists = nests.map(|nest| &nest.stmts).chain(module.functions.iter().map(|function| &function.stmts));
    let called: BTreeSet<FunctionId> = lists.flat_map(|list| Calls::of(list)).collect();
    let mut numbers = BTreeMap::new();
    let first = module.functions.len() as u32;
    for (search, number) in made.into_iter().zip(first..) {
        module.structs.push(search.found);
        if called.contains(&search.original) {
            numbers.insert(FunctionId(number), FunctionId(module.functions.len() as u32));
            module.functions.push(search.function);
        } else {
            numbers.insert(FunctionId(number), search.original);
            module.functions[search.original.0 as usize] = search.function;
        }
    }
    let nests = module.kernels.iter_mut().flat_map(|kernel| &mut kernel.nests);
    nests.for_each(|nest| Renumber(&numbers).list(&mut nest.stmts));
}

/// The functions that are called.
struct Calls(BTreeSet<FunctionId>);

impl Calls {
    fn of(stmts: &[Stmt]) -> BTreeSet<FunctionId> {
        let mut calls = Self(BTreeSet::new());
        stmts.iter().for_each(|stmt| calls.stmt(stmt));
        calls.0
    }
}

impl Visitor for Calls {
    fn stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::Call { function, .. } = stmt.kind {
            self.0.insert(function);
        }
        walk_stmt(self, stmt);
    }

    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Call(function, _) = expr.kind {
            self.0.insert(function);
        }
        walk_expr(self, expr);
    }
}

struct Renumber<'a>(&'a BTreeMap<FunctionId, FunctionId>);

impl Rewriter for Renumber<'_> {
    fn expr(&mut self, expr: &mut Expr) {
        if let ExprKind::Call(function, _) = &mut expr.kind {
            *function = *self.0.get(function).unwrap_or(function);
        }
        rewrite_expr(self, expr);
    }
}
