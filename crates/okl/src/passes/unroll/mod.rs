//! Loops of few iterations, written out: for WGSL, which has no word that asks a compiler for it.
//!
//! An array that is indexed by a loop's counter is memory; one whose subscripts are all constants may be registers. Compilers of
//! C unroll such loops by themselves, drivers' compilers of WGSL do not: a product of matrices with tiles in registers takes them
//! fifteen times as long. So a loop is written out
//! - where the source asks for all of its iterations (`#pragma unroll`), and
//! - where its counters choose elements of an array of the item's own into which no other subscripts lead ([`registers`]).
//!
//! Its head has to say how often it runs ([`iterations`]). In each copy of the body constants stand for the counters, and what
//! they decide is gone ([`constants`]).
//!
//! A loop stays as it is if something in it leaves it, if its copies and those of the loops within come to more than
//! [`MOST_NODES`], or if a copy has a constant that leads out of an array: where a condition keeps the loop from there, WGSL refuses
//! the text all the same. The loops within are then looked at one by one. What the source wants unrolled in part stays, too.
//!
//! Not here: what of the arrays becomes registers. That is for the driver.

mod constants;
mod iterations;
mod registers;
mod subscripts;

use crate::ir::rewrite::{Rewriter, rename, rewrite_stmt};
use crate::ir::{
    Body, Expr, Function, Kernel, Loop, Module, Nest, Role, Stmt, StmtKind, Uses, VarId, for_declarations, for_regions,
};
use constants::{Propagate, Values, constant_of};
use iterations::{counters, iterations};
use registers::{indexed_roots, is_over, registers};
use std::collections::{BTreeMap, BTreeSet};
use subscripts::leaves_array;

/// Most nodes of the IR that a loop becomes, and those within it: some 700 statements such as `sums[5] += row[1] * column[0];`.
/// They may be twice as many where the source asks for it.
const MOST_NODES: usize = 6_000;

/// Most nodes that all loops of a nest or a function become.
const MOST_NODES_OF_ALL: usize = 4 * MOST_NODES;

/// Writes loops out.
pub(crate) fn run(module: &mut Module) {
    of_module(module, true);
}

/// The same, but for loops in which items meet: for a CPU that emulates a GPU, whose compiler cuts a kernel at each barrier and
/// takes seconds for some tens of them.
pub(crate) fn run_between_barriers(module: &mut Module) {
    of_module(module, false);
}

fn of_module(module: &mut Module, with_barriers: bool) {
    let indexed_roots = indexed_roots(module);
    for index in 0..module.functions.len() {
        let mut function = module.functions[index].clone();
        let Function { body, params, stmts, .. } = &mut function;
        let registers = registers(module, &indexed_roots, body, params, stmts);
        Unroll::new(module, with_barriers, body, registers).list(stmts);
        module.functions[index] = function;
    }
    for index in 0..module.kernels.len() {
        let Kernel { body, nests, .. } = &mut module.kernels[index];
        let (mut body, mut nests) = (std::mem::take(body), std::mem::take(nests));
        for Nest { stmts, .. } in &mut nests {
            let registers = registers(module, &indexed_roots, &body, &[], stmts);
            Unroll::new(module, with_barriers, &mut body, registers).list(stmts);
        }
        let kernel = &mut module.kernels[index];
        (kernel.body, kernel.nests) = (body, nests);
    }
}

struct Unroll<'a> {
    module: &'a Module,
    /// Loops in which items meet are written out, too.
    with_barriers: bool,
    body: &'a mut Body,
    /// Arrays that may be registers.
    registers: BTreeSet<VarId>,
    /// Constants that have been declared.
    known: Values,
    /// Nodes that may be written.
    left: usize,
    /// A loop around is being written out.
    is_within: bool,
    /// What is being written out has to stay a loop.
    is_refused: bool,
}

impl Rewriter for Unroll<'_> {
    fn list(&mut self, stmts: &mut Vec<Stmt>) {
        for mut stmt in std::mem::take(stmts) {
            if self.is_refused {
                return;
            }
            if let StmtKind::Loop(l) = &stmt.kind
                && let Some(copies) = self.written_out(l)
            {
                stmts.extend(copies);
                continue;
            }
            if let Some((var, value)) = constant_of(self.body, &stmt) {
                self.known.insert(var, value.clone());
            }
            self.write(1);
            rewrite_stmt(self, &mut stmt);
            stmts.push(stmt);
        }
    }

    fn expr(&mut self, expr: &mut Expr) {
        self.write(Uses::of_expr(expr).weight);
    }
}

impl<'a> Unroll<'a> {
    fn new(module: &'a Module, with_barriers: bool, body: &'a mut Body, registers: BTreeSet<VarId>) -> Self {
        let (known, left) = (Values::new(), MOST_NODES_OF_ALL);
        Self { module, with_barriers, body, registers, known, left, is_within: false, is_refused: false }
    }

    /// The copies of a loop's body, where it is to be written out and may be.
    fn written_out(&mut self, l: &Loop) -> Option<Vec<Stmt>> {
        let iterations = iterations(self.body, l, &self.known)?;
        if !self.is_wanted(l, iterations.len()) || !self.with_barriers && has_regions(&l.body) {
            return None;
        }
        if self.is_within {
            return Some(self.copies(l, iterations));
        }
        let (left, vars) = (self.left, self.body.vars.len());
        let most = left.min(if l.unroll.is_some() { 2 * MOST_NODES } else { MOST_NODES });
        (self.left, self.is_within) = (most, true);
        let copies = self.copies(l, iterations);
        self.is_within = false;
        if std::mem::take(&mut self.is_refused) || leaves_array(&self.module.structs, self.body, &copies) {
            self.left = left;
            self.body.vars.truncate(vars);
            self.body.generated.retain(|var| (var.0 as usize) < vars);
            self.registers.retain(|var| (var.0 as usize) < vars);
            return None;
        }
        self.left += left - most;
        Some(copies)
    }

    /// Counts nodes that are written.
    fn write(&mut self, nodes: usize) {
        if self.is_within {
            self.is_refused |= nodes > self.left;
            self.left = self.left.saturating_sub(nodes);
        }
    }

    fn is_wanted(&self, l: &Loop, iterations: usize) -> bool {
        match l.unroll {
            Some(factor) => factor == 0 || factor > 1 && factor as usize >= iterations,
            None => counters(self.body, l).is_some_and(|counters| is_over(&self.registers, self.body, l, counters)),
        }
    }

    /// All iterations, one behind the other.
    fn copies(&mut self, l: &Loop, iterations: Vec<Values>) -> Vec<Stmt> {
        let mut copies = Vec::new();
        for values in iterations {
            // Of nothing, too, there may be very many copies.
            self.write(1);
            let mut copy = l.body.clone();
            Propagate { functions: &self.module.functions, body: self.body, values }.list(&mut copy);
            if !copies.is_empty() {
                self.rename_declared(&mut copy);
            }
            self.list(&mut copy);
            if self.is_refused {
                break;
            }
            copies.extend(copy);
        }
        copies
    }

    /// Gives a copy variables of its own. Those that count items are declared in each region anyway.
    fn rename_declared(&mut self, copy: &mut Vec<Stmt>) {
        let mut names = BTreeMap::new();
        for_declarations(copy, &mut |var, _| {
            if matches!(self.body.var(var).role, Role::Inner(_)) {
                return;
            }
            let own = self.body.add(self.body.var(var).clone());
            if self.body.generated.contains(&var) {
                self.body.generated.insert(own);
            }
            if self.registers.contains(&var) {
                self.registers.insert(own);
            }
            names.insert(var, own);
        });
        rename(copy, &names);
    }
}

fn has_regions(stmts: &[Stmt]) -> bool {
    let mut any = false;
    for_regions(stmts, &mut |_| any = true);
    any
}
