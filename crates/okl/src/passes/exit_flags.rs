//! Ends of items within loops, for targets that have neither `goto` nor a `continue` that leaves two loops.
//!
//! What [`super::structure_exits`] leaves behind becomes a flag: `EndItem` sets it and breaks out of whatever it stands in, and
//! what follows that loop or switch is skipped where the flag is set. Where that would nest too deep, the item's
//! statements stand in a loop of one iteration, which such a `break` leaves.

use super::simt;
use crate::ir::build;
use crate::ir::rewrite::{Rewriter, rewrite_stmt};
use crate::ir::{Body, Loop, Module, Role, Scalar, Stmt, StmtKind, VarId, Variable, ends_item};

/// Most statements of an item, one behind the other, that may end it before its statements become a loop.
const MAX_DEPTH: usize = 32;

/// Makes the ends of items structured in every region of threads behind which something of the nest follows: there the
/// thread must come to the barrier.
pub(crate) fn run(module: &mut Module) {
    for kernel in &mut module.kernels {
        let body = &mut kernel.body;
        kernel.nests.iter_mut().for_each(|nest| Regions { body }.list(&mut nest.stmts));
    }
}

struct Regions<'a> {
    body: &'a mut Body,
}

impl Rewriter for Regions<'_> {
    fn list(&mut self, stmts: &mut Vec<Stmt>) {
        for index in 0..stmts.len() {
            let meets = stmts.get(index + 1).is_some_and(|next| next.kind == StmtKind::Barrier);
            match &mut stmts[index].kind {
                StmtKind::Inner(region) if meets => of_region(self.body, &mut region.body),
                StmtKind::Inner(_) => {}
                _ => rewrite_stmt(self, &mut stmts[index]),
            }
        }
    }
}

/// Makes the ends of items of one region's statements structured.
pub(super) fn of_region(body: &mut Body, region: &mut Vec<Stmt>) {
    let stmts = simt::of_item_mut(region);
    if !ends_item(stmts) {
        return;
    }
    let span = stmts.first().map(|stmt| stmt.span).unwrap_or_default();
    let flag = Variable { name: String::new(), ty: Scalar::Bool.into(), role: Role::Local, is_const: false, span };
    let flag = build::fresh(body, "ended", flag);
    let lowering = Lowering { body, flag };
    if ends(stmts) <= MAX_DEPTH {
        lowering.list(stmts, false);
    } else {
        lowering.list(stmts, true);
        let body = std::mem::take(stmts);
        let (init, head, update) = (Vec::new(), Vec::new(), Vec::new());
        let once =
            Loop { init, head, condition: Some(build::bool(false)), update, body, test_last: true, unroll: None };
        stmts.push(Stmt { span, kind: StmtKind::Loop(Box::new(once)) });
    }
    stmts.insert(0, build::declare(body, flag, build::bool(false)));
}

/// Statements that stand outside of loops and may end the item.
fn ends(stmts: &[Stmt]) -> usize {
    let of = |stmt: &Stmt| match &stmt.kind {
        StmtKind::If { then, otherwise, .. } => ends(then) + ends(otherwise),
        StmtKind::Block(stmts) => ends(stmts),
        _ => usize::from(ends_item(std::slice::from_ref(stmt))),
    };
    stmts.iter().map(of).sum()
}

struct Lowering<'a> {
    body: &'a Body,
    flag: VarId,
}

impl Lowering<'_> {
    /// `breakable`: around the list stands a loop or switch that a `break` leaves.
    fn list(&self, stmts: &mut Vec<Stmt>, breakable: bool) {
        let mut index = 0;
        while index < stmts.len() {
            let may_end = ends_item(std::slice::from_ref(&stmts[index]));
            if !may_end {
                index += 1;
                continue;
            }
            let span = stmts[index].span;
            let left = match &mut stmts[index].kind {
                StmtKind::EndItem | StmtKind::Return(_) => {
                    stmts.truncate(index);
                    stmts.push(Stmt { span, ..build::assign(self.body, self.flag, build::bool(true)) });
                    if breakable {
                        stmts.push(Stmt { span, kind: StmtKind::Break });
                    }
                    return;
                }
                StmtKind::If { then, otherwise, .. } => {
                    self.list(then, breakable);
                    self.list(otherwise, breakable);
                    breakable
                }
                StmtKind::Block(stmts) => {
                    self.list(stmts, breakable);
                    breakable
                }
                StmtKind::Loop(l) => {
                    self.list(&mut l.body, true);
                    false
                }
                StmtKind::Switch { arms, .. } => {
                    arms.iter_mut().for_each(|arm| self.list(&mut arm.body, true));
                    false
                }
                _ => true,
            };
            index += 1;
            if left {
                continue;
            }
            if breakable {
                let leave = vec![Stmt { span, kind: StmtKind::Break }];
                stmts.splice(index..index, build::when(build::load(self.body, self.flag), leave, Vec::new()));
                index += 1;
            } else {
                let mut rest = stmts.split_off(index);
                self.list(&mut rest, false);
                stmts.extend(build::when(build::not(build::load(self.body, self.flag)), rest, Vec::new()));
                return;
            }
        }
    }
}
