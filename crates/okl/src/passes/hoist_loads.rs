//! Loads and stores in branches of their own, for CPUs that emulate a GPU: what such a device's compiler makes of a
//! branch is masked lanes, and with the loads and the first store under one mask it interleaves them lane by lane (on
//! llvmpipe a three-point update is a fifth faster with two branches).
//!
//! `if (c) { const a = x[i]; y[i] = a; rest }` becomes `a; v; if (c) { a = x[i]; v = a; } if (c) { y[i] = v; rest }`.
//! Nothing is moved: the condition reads no memory and calls nothing, so it is the same the second time.

use super::coarsen::{loads_memory, reads_memory, value_first};
use super::simt;
use crate::ir::build;
use crate::ir::rewrite::for_regions_mut;
use crate::ir::{Body, Expr, Initializer, Module, Stmt, StmtKind, Type, VarId};

/// Splits the last branch of every region, where that pays.
pub(crate) fn run(module: &mut Module) {
    for kernel in &mut module.kernels {
        for nest in &mut kernel.nests {
            for_regions_mut(&mut nest.stmts, &mut |region| {
                of_region(&mut kernel.body, simt::of_item_mut(&mut region.body));
            });
        }
    }
}

/// Splits the last branch of a region, where that pays.
fn of_region(body: &mut Body, region: &mut Vec<Stmt>) {
    let Some(Stmt { kind: StmtKind::If { condition, then, otherwise }, span }) = region.last() else { return };
    if !otherwise.is_empty() || loads_memory(body, condition) {
        return;
    }
    let (condition, then, span) = (condition.clone(), then.clone(), *span);
    let Some(first) = then.iter().position(|stmt| declared(body, stmt).is_none()) else { return };
    if !stores(body, &then[first]) || !reads_memory(body, &then[..=first]) {
        return;
    }
    region.pop();
    let mut then = then;
    let after = then.split_off(first);
    let mut after = after.into_iter();
    let store = after.next().into_iter().flat_map(|stmt| value_first(body, stmt)).collect::<Vec<_>>();
    let (value, store) = store.split_at(1);
    let mut loads = Vec::new();
    for stmt in then.iter().chain(value) {
        let Some((var, init)) = declared(body, stmt) else { unreachable!("all of these declare") };
        body.vars[var.0 as usize].is_const = false;
        let init = init.clone();
        loads.push(Stmt { span: stmt.span, ..build::assign(body, var, init) });
        region.push(Stmt { kind: StmtKind::Declare { var, init: None }, span: stmt.span });
    }
    let branch = |then| Stmt { kind: StmtKind::If { condition: condition.clone(), then, otherwise: Vec::new() }, span };
    region.push(branch(loads));
    region.push(branch(store.iter().cloned().chain(after).collect()));
}

/// The scalar that a statement declares, and its value.
fn declared<'a>(body: &Body, stmt: &'a Stmt) -> Option<(VarId, &'a Expr)> {
    match &stmt.kind {
        StmtKind::Declare { var, init: Some(Initializer::Value(value)) } if body.var(*var).ty.scalar().is_some() => {
            Some((*var, value))
        }
        _ => None,
    }
}

/// Whether a statement writes a scalar to memory.
fn stores(body: &Body, stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Assign { place, .. } => {
            place.ty.scalar().is_some() && matches!(body.var(place.root).ty, Type::Pointer(_))
        }
        _ => false,
    }
}
