//! Predication: a loop that items leave at an iteration of their own becomes one that blocks of items run together, each item
//! as long as its predicate holds.
//!
//! `while (norm(z) <= 4) z = z * z + c;` ends at another iteration for each item, and no C compiler makes vectors of such
//! items. Here 32 items make an iteration side by side, as straight code, which compilers vectorise; one that has left
//! the loop keeps its values, and the block goes on until all have left.
//!
//! The loop over items becomes one over blocks, whose body has three parts: what stands before the loop, for the lanes that
//! there are; the loop, around all lanes; what stands behind it ([`parts`], [`super::lanes`]). Legal, because items do not depend
//! on each other, and what is repeated is arithmetic on an item's own variables, which may be computed for a lane that has left,
//! too ([`masked`]).

mod divergence;
mod masked;
mod parts;

use super::lanes::{Block, Items, LANES, around, give_value, live, local};
use crate::ir::rewrite::{Rewriter, rewrite_stmt};
use crate::ir::{
    BinaryOp, Body, Dialect, Expr, Loop, Module, Role, Scalar, Stmt, StmtKind, Struct, Uses, VarId, build,
};
use crate::source::Span;
use parts::Parts;
use std::collections::BTreeSet;

/// Blocks in place of items, wherever items leave a loop of arithmetic by themselves.
pub(crate) fn run(module: &mut Module) {
    let Module { structs, kernels, .. } = module;
    for kernel in kernels {
        for nest in kernel.nests.iter_mut().filter(|nest| nest.dialect == Dialect::Looped) {
            Predicate { structs, body: &mut kernel.body }.list(&mut nest.stmts);
        }
    }
}

struct Predicate<'a> {
    structs: &'a [Struct],
    body: &'a mut Body,
}

impl Rewriter for Predicate<'_> {
    fn stmt(&mut self, stmt: &mut Stmt) {
        let blocks = match &stmt.kind {
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

impl Predicate<'_> {
    /// The loop over blocks that a loop over items becomes.
    fn blocks(&mut self, l: &Loop) -> Option<Loop> {
        let items = Items::of(l)?;
        let Parts { common, mut before, repeated, is_counted, after } = Parts::of(self.body, &items, &l.body)?;
        let alive = build::fresh(self.body, "alive", local(Scalar::Bool));
        before.push(build::declare(self.body, alive, build::bool(true)));
        let mut iteration = masked::iteration(self.structs, self.body, alive, &repeated, is_counted)?;
        let (read, read_after) = (live(&before, &iteration), live(&before, &after));
        let assigned = Uses::of(&iteration).assigned;
        let written: Vec<VarId> = read.iter().copied().filter(|var| assigned.contains(var)).collect();
        let kept: BTreeSet<VarId> = read.iter().chain(&read_after).copied().collect();
        before.iter_mut().for_each(|stmt| give_value(self.body, stmt, &kept));
        let kept: Vec<VarId> = kept.into_iter().collect();

        let blocks = Block::new(self.structs, self.body, items, &kept, LANES)?;
        let mut block = common;
        block.push(blocks.declare_count(self.body));
        block.extend(blocks.lanes.zeros());
        block.push(blocks.each_item(self.body, &[], before, &kept));
        let any = build::fresh(self.body, "any", local(Scalar::I32));
        iteration.push(build::stmt(StmtKind::Assign {
            place: build::place(self.body, any),
            op: Some(BinaryOp::BitOr),
            value: build::convert(build::load(self.body, alive), Scalar::I32),
        }));
        let all = (Role::Local, build::int(LANES.into()));
        let iteration = blocks.lanes.each(self.body, all, &read, iteration, &written);
        block.push(build::stmt(StmtKind::Loop(Box::new(until_none(self.body, any, iteration, repeated, is_counted)))));
        if !after.is_empty() {
            block.push(blocks.each_item(self.body, &read_after, after, &[]));
        }
        Some(blocks.into_loop(self.body, block))
    }
}

/// The loop around the lanes, which it leaves when `any` says that none of them is left in it.
fn until_none(body: &Body, any: VarId, lanes: Stmt, repeated: Loop, is_counted: bool) -> Loop {
    let none = build::compare(BinaryOp::Eq, build::load(body, any), Expr::int(0, Scalar::I32, Span::default()));
    let mut stmts = vec![build::declare(body, any, build::int(0)), lanes];
    stmts.extend(build::when(none, vec![build::stmt(StmtKind::Break)], Vec::new()));
    match is_counted {
        true => Loop { body: stmts, ..repeated },
        false => around(None, stmts),
    }
}
