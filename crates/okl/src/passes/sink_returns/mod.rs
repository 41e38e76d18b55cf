//! Sinking: what a function computes of what it has searched for is computed behind the search, for blocks of items.
//!
//! `mass[e] = first_pair(begin[e], end[e], …)` calls a function with a loop that it leaves at some iteration by way of
//! `return sqrt(pt[i] * pt[j] * (cosh(…) - cos(…)))`. No C compiler makes vectors of such items, and so each of them computes its
//! functions alone. Here a version of the function returns which of its returns it has come to, and what the expression there
//! reads ([`search`]). Items run in blocks ([`super::lanes`]), in three parts: what stands before the call, and the search, for
//! the lanes that there are; the arithmetic, around all lanes, which compilers vectorise; what is done with the value.
//!
//! Reads of memory and checks stay where they were and in their order, so that nothing is asked about what overlaps. All
//! lanes compute all values, of which the number of the return chooses one: a lane that has come to another return, or has no
//! item, computes with zeros. So there is only arithmetic of floats in that part, which cannot trap ([`leaves`]).

mod call;
mod leaves;
mod search;
mod versions;

use super::counters::advanced;
use super::lanes::{Block, Items, LANES, flat, give_value, live, local, runs_items, split_common};
use crate::ir::rewrite::{Rewriter, rename_expr, rewrite_stmt};
use crate::ir::{
    Argument, BinaryOp, Body, Dialect, Expr, ExprKind, Loop, Module, Place, Projection, Scalar, Stmt, StmtKind, Type,
    Uses, VarId, Variable, Visitor, build, ends_item, prints, walk_stmt,
};
use crate::source::Span;
use search::Search;
use std::collections::{BTreeMap, BTreeSet};
use versions::Versions;

/// Blocks in place of items, wherever an item has a value from a search that computes elementary functions at its end.
pub(crate) fn run(module: &mut Module) {
    let mut kernels = std::mem::take(&mut module.kernels);
    let mut versions = Versions::new(module);
    for kernel in &mut kernels {
        for nest in kernel.nests.iter_mut().filter(|nest| nest.dialect == Dialect::Looped) {
            Sink { versions: &mut versions, body: &mut kernel.body }.list(&mut nest.stmts);
        }
    }
    let made = versions.into_made();
    module.kernels = kernels;
    versions::add(module, made);
}

struct Sink<'a, 'm> {
    versions: &'a mut Versions<'m>,
    body: &'a mut Body,
}

impl Rewriter for Sink<'_, '_> {
    fn stmt(&mut self, stmt: &mut Stmt) {
        let blocks = match &stmt.kind {
            StmtKind::Loop(l) if l.is_parallel(self.body) && runs_blocks(l) => return,
            StmtKind::Loop(l) if l.is_parallel(self.body) => self.blocks(l),
            _ => None,
        };
        match blocks {
            Some(blocks) => stmt.kind = StmtKind::Loop(Box::new(blocks)),
            None => rewrite_stmt(self, stmt),
        }
    }

    fn expr(&mut self, _expr: &mut Expr) {}
}

/// Whether a loop runs blocks already: there are no more items in one than its lanes.
fn runs_blocks(l: &Loop) -> bool {
    let [update] = l.update.as_slice() else { return false };
    advanced(update).is_some_and(|(_, step)| step.as_int() == Some(LANES.into()))
}

/// What an item does around the search.
struct Parts {
    /// Definitions that are the same for all items.
    common: Vec<Stmt>,
    before: Vec<Stmt>,
    /// What stands behind the call, and the statement that has had it.
    after: Vec<Stmt>,
}

impl Sink<'_, '_> {
    /// The loop over blocks that a loop over items becomes.
    fn blocks(&mut self, l: &Loop) -> Option<Loop> {
        let items = Items::of(l)?;
        let mut stmts = flat(&l.body);
        let (at, (number, search)) = stmts.iter_mut().enumerate().find_map(|(at, stmt)| {
            let ExprKind::Call(function, _) = call::of(stmt)?.kind else { return None };
            Some((at, self.versions.of(function)?))
        })?;
        let value = self.constant("value", search.ty);
        let call = std::mem::replace(call::of(&mut stmts[at])?, build::load(self.body, value));
        let ExprKind::Call(_, arguments) = call.kind else { return None };
        let span = stmts[at].span;
        let Parts { common, mut before, after } = self.parts(&items, stmts, at)?;

        let live = live(&before, &after);
        let given: BTreeSet<VarId> = live.iter().copied().collect();
        before.iter_mut().for_each(|stmt| give_value(self.body, stmt, &given));
        let found: Vec<VarId> = search.fields().map(|(name, ty)| self.constant(name, ty)).collect();
        before.extend(self.search(number, arguments, &found).into_iter().map(|stmt| Stmt { span, ..stmt }));
        let values = self.values(&search, &found, value);
        let values = values.into_iter().map(|stmt| Stmt { span, ..stmt }).collect();

        let kept = [found.as_slice(), &live].concat();
        let arrays = [kept.as_slice(), &[value]].concat();
        let blocks = Block::new(self.versions.structs(), self.body, items, &arrays)?;
        let mut block = common;
        block.extend(blocks.declarations(self.body));
        block.push(blocks.each_item(self.body, &[], before, &kept));
        let all = (blocks.role, build::int(LANES.into()));
        block.push(blocks.lanes.each(self.body, all, &found, values, &[value]));
        block.push(blocks.each_item(self.body, &[live.as_slice(), &[value]].concat(), after, &[]));
        self.versions.add(number, search);
        Some(blocks.into_loop(self.body, block))
    }

    /// The parts of an item around the call that the statement at a place has had; `None` where it shows in which order
    /// items do them.
    fn parts(&self, items: &Items, mut stmts: Vec<Stmt>, at: usize) -> Option<Parts> {
        let mut own = Uses::of(&stmts).assigned;
        own.insert(items.var);
        if runs_items(self.body, &stmts) || ends_item(&stmts) || prints(self.versions.module, &stmts) {
            return None;
        }
        let after = stmts.split_off(at);
        if updates(&stmts) || self.versions.report(&after) {
            return None;
        }
        let (common, before) = split_common(self.body, &mut own, stmts);
        let mentioned = Uses::of(&before).mentioned;
        let is_later = |stmt: &Stmt| match stmt.kind {
            StmtKind::Declare { var, init: None } => !mentioned.contains(&var),
            _ => false,
        };
        let (declarations, before): (Vec<Stmt>, Vec<Stmt>) = before.into_iter().partition(is_later);
        Some(Parts { common, before, after: [declarations, after].concat() })
    }

    fn constant(&mut self, name: &str, ty: Scalar) -> VarId {
        build::fresh(self.body, name, Variable { is_const: true, ..local(ty) })
    }

    /// The search, of which variables get what it has found.
    fn search(&mut self, number: usize, arguments: Vec<Argument>, found: &[VarId]) -> Vec<Stmt> {
        let ty = Type::Struct(self.versions.found(number));
        let all = Variable { ty: ty.clone(), is_const: true, ..local(Scalar::I32) };
        let all = build::fresh(self.body, "found", all);
        let kind = ExprKind::Call(self.versions.function(number), arguments);
        let mut stmts = vec![build::declare(self.body, all, Expr { kind, ty, span: Span::default() })];
        stmts.extend(found.iter().zip(0..).map(|(&var, field)| {
            let path = vec![Projection::Field(field)];
            let place = Place { root: all, path, ty: self.body.var(var).ty.clone(), span: Span::default() };
            build::declare(self.body, var, build::load_place(place))
        }));
        stmts
    }

    /// What all returns compute, and which of it is the value.
    fn values(&mut self, search: &Search, found: &[VarId], value: VarId) -> Vec<Stmt> {
        let of_fields: BTreeMap<VarId, VarId> = (0..).map(VarId).zip(found.iter().copied()).collect();
        let of_caller = |expr: &Expr| {
            let mut expr = expr.clone();
            rename_expr(&mut expr, &of_fields);
            expr
        };
        let mut stmts = Vec::new();
        let mut chosen = search.rest.as_ref().map(of_caller);
        for (exit, returned) in (1..).zip(&search.exits) {
            let computed = self.constant("returned", search.ty);
            stmts.push(build::declare(self.body, computed, of_caller(returned)));
            let computed = build::load(self.body, computed);
            let is_it = build::compare(
                BinaryOp::Eq,
                build::load(self.body, found[0]),
                Expr::int(exit, Scalar::I32, Span::default()),
            );
            chosen = Some(match chosen {
                Some(other) => build::select(is_it, computed, other),
                None => computed,
            });
        }
        stmts.extend(chosen.map(|chosen| build::declare(self.body, value, chosen)));
        stmts
    }
}

/// Whether statements update memory atomically, or call functions for their effects.
fn updates(stmts: &[Stmt]) -> bool {
    struct Updates(bool);
    impl Visitor for Updates {
        fn stmt(&mut self, stmt: &Stmt) {
            self.0 |= matches!(stmt.kind, StmtKind::Atomic { .. } | StmtKind::Call { .. });
            walk_stmt(self, stmt);
        }
        fn expr(&mut self, _expr: &Expr) {}
    }
    let mut updates = Updates(false);
    stmts.iter().for_each(|stmt| updates.stmt(stmt));
    updates.0
}
