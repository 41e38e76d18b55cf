//! Sinking: what a function computes of what it has searched for is computed behind the search, for blocks of items.
//!
//! `mass[e] = first_pair(begin[e], end[e], …)` calls a function with a loop that it leaves at some iteration by way of
//! `return sqrt(pt[i] * pt[j] * (cosh(…) - cos(…)))`. No C compiler makes vectors of such items, and so each of them computes its
//! functions alone. Here a version of the function returns which of its returns it has come to, and what the expression there
//! reads ([`search`]). Items run in blocks ([`super::lanes`]), in three parts: what stands before the call, and the search, where
//! each item that comes to such a return takes the next slot of its arrays; the arithmetic for these slots, which compilers
//! vectorise; what is done with the value ([`found`]).
//!
//! Reads of memory and checks stay where they were and in their order, so that nothing is asked about what overlaps. Slots are
//! computed [`STEP`] at a time, the last ones from what stood in them before. So there is only arithmetic of floats, which
//! cannot trap ([`leaves`]). Items that come to other returns compute nothing.

mod call;
mod found;
mod leaves;
mod search;
mod versions;

use super::counters::advanced;
use super::lanes::{Block, Items, LANES, flat, give_value, live, local, runs_items, split_common};
use crate::ir::rewrite::{Rewriter, rewrite_stmt};
use crate::ir::{
    Body, Dialect, Expr, ExprKind, Initializer, Loop, Module, Scalar, Stmt, StmtKind, Uses, VarId, Variable, Visitor,
    build, ends_item, prints, walk_stmt,
};
use found::Found;
use std::collections::BTreeSet;
use versions::Versions;

/// Items of a block: so many that few slots of those that they take are left over.
const ITEMS: u32 = 128;

/// Slots that are computed together.
const STEP: u32 = 32;

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
            Some(blocks) => stmt.kind = StmtKind::Block(blocks),
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
    /// The loop over blocks that a loop over items becomes, and what is declared before it.
    fn blocks(&mut self, l: &Loop) -> Option<Vec<Stmt>> {
        let items = Items::of(l)?;
        let mut stmts = flat(&l.body);
        let (at, (number, search)) = stmts.iter_mut().enumerate().find_map(|(at, stmt)| {
            let ExprKind::Call(function, _) = call::of(stmt)?.kind else { return None };
            Some((at, self.versions.of(function)?))
        })?;
        let value = self.variable("value", true, search.ty);
        let call = std::mem::replace(call::of(&mut stmts[at])?, build::load(self.body, value));
        let ExprKind::Call(_, arguments) = call.kind else { return None };
        let span = stmts[at].span;
        let Parts { common, mut before, after } = self.parts(&items, stmts, at)?;

        let live = live(&before, &after);
        let given: BTreeSet<VarId> = live.iter().copied().collect();
        before.iter_mut().for_each(|stmt| give_value(self.body, stmt, &given));
        let found = Found::new(self.body, &search);
        let kept = [found.kept(), live].concat();
        let blocks = Block::new(self.versions.structs(), self.body, items, &kept, ITEMS)?;
        let slots = found.slots(self.versions.structs(), self.body, &blocks)?;
        let ids = (self.versions.function(number), self.versions.found(number));
        let at_span = |stmt: Stmt| Stmt { span, ..stmt };
        before.extend(found.search(self.body, &slots, ids, arguments).into_iter().map(at_span));
        let chosen = found.choose(self.body, &slots, value).into_iter().map(at_span);
        let after = chosen.chain(after).collect();

        let mut block = common;
        block.push(blocks.declare_count(self.body));
        block.extend(blocks.lanes.declarations(None));
        block.extend(found.declarations(self.body));
        block.push(blocks.each_in_order(self.body, before, &kept));
        block.extend(found.compute(self.body, &slots, blocks.role, span));
        block.push(blocks.each_item(self.body, &kept, after, &[]));
        self.versions.add(number, search);
        let blocks = blocks.into_loop(self.body, block);
        Some(slots.zeros().chain([build::stmt(StmtKind::Loop(Box::new(blocks)))]).collect())
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
        let is_later = |stmt: &Stmt| match &stmt.kind {
            StmtKind::Declare { var, init: None } => !mentioned.contains(var),
            StmtKind::Declare { var, init: Some(Initializer::Value(value)) } => {
                value.literal().is_some() && !mentioned.contains(var)
            }
            _ => false,
        };
        let (declarations, before): (Vec<Stmt>, Vec<Stmt>) = before.into_iter().partition(is_later);
        Some(Parts { common, before, after: [declarations, after].concat() })
    }

    fn variable(&mut self, name: &str, is_const: bool, ty: Scalar) -> VarId {
        build::fresh(self.body, name, Variable { is_const, ..local(ty) })
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
