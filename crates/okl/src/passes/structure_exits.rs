//! Ends of items, made structured.
//!
//! - `if (done) { EndItem } rest` becomes `if (!done) { rest }`, so that a guard is a guard however it is written.
//! - `Return` ends the item for all later regions: it sets an exclusive flag, and every region that may run later
//!   tests it. Where no region can follow, it is an [`StmtKind::EndItem`].
//!
//! Left behind are only those `EndItem`s that stand within sequential loops, switches, one branch of several, or behind
//! very many others.

use crate::ir::build;
use crate::ir::rewrite::for_regions_mut;
use crate::ir::{Body, Kernel, Meeting, Module, Region, Role, Scalar, Stmt, StmtKind, VarId, Variable};

/// Structures the ends of items of all nests.
pub(crate) fn run(module: &mut Module) {
    module.kernels.iter_mut().for_each(of_kernel);
}

fn of_kernel(kernel: &mut Kernel) {
    for nest in &mut kernel.nests {
        let mut returning = 0_u32;
        for_regions_mut(&mut nest.stmts, &mut |region| returning += u32::from(returns(&region.body)));
        if returning > 0 {
            if is_only_region_last(&nest.stmts) {
                for_regions_mut(&mut nest.stmts, &mut |region| replace_returns(&mut region.body, &mut end_item));
            } else {
                let flag = add_flag(&mut kernel.body, nest.span);
                nest.exclusive.push(flag);
                flag_returns(&kernel.body, &mut nest.stmts, flag);
            }
        }
        for_regions_mut(&mut nest.stmts, &mut |region| structure(&mut region.body));
    }
}

fn end_item() -> Vec<Stmt> {
    vec![build::stmt(StmtKind::EndItem)]
}

fn add_flag(body: &mut Body, span: crate::source::Span) -> VarId {
    let flag = Variable { name: String::new(), ty: Scalar::Bool.into(), role: Role::Exclusive, is_const: false, span };
    build::fresh(body, "done", flag)
}

/// Whether the returns of a nest all stand in a region that runs once, and last.
fn is_only_region_last(stmts: &[Stmt]) -> bool {
    let regions: Vec<usize> = stmts.iter().enumerate().filter(|(_, s)| has_region(s)).map(|(i, _)| i).collect();
    let Some((last, before)) = regions.split_last() else {
        return true;
    };
    let silent = |&index: &usize| !contains_return(std::slice::from_ref(&stmts[index]));
    before.iter().all(silent) && runs_once(&stmts[*last])
}

fn has_region(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Inner(_) => true,
        StmtKind::If { then, otherwise, .. } => then.iter().chain(otherwise).any(has_region),
        StmtKind::Loop(l) => l.body.iter().any(has_region),
        StmtKind::Block(stmts) => stmts.iter().any(has_region),
        StmtKind::Switch { arms, .. } => arms.iter().any(|arm| arm.body.iter().any(has_region)),
        _ => false,
    }
}

fn runs_once(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Inner(_) => true,
        StmtKind::If { then, otherwise, .. } => is_only_region_last(then) && is_only_region_last(otherwise),
        StmtKind::Block(stmts) => is_only_region_last(stmts),
        _ => !contains_return(std::slice::from_ref(stmt)),
    }
}

/// Whether a region's own statements return.
fn returns(stmts: &[Stmt]) -> bool {
    contains_return(stmts)
}

fn contains_return(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Return(_) => true,
        StmtKind::If { then, otherwise, .. } => contains_return(then) || contains_return(otherwise),
        StmtKind::Loop(l) => contains_return(&l.body),
        StmtKind::Block(stmts) => contains_return(stmts),
        StmtKind::Switch { arms, .. } => arms.iter().any(|arm| contains_return(&arm.body)),
        StmtKind::Inner(region) => contains_return(&region.body),
        _ => false,
    })
}

fn replace_returns(stmts: &mut Vec<Stmt>, replacement: &mut dyn FnMut() -> Vec<Stmt>) {
    let old = std::mem::take(stmts);
    for mut stmt in old {
        match &mut stmt.kind {
            StmtKind::Return(_) => {
                stmts.extend(replacement().into_iter().map(|new| Stmt { span: stmt.span, ..new }));
                continue;
            }
            StmtKind::If { then, otherwise, .. } => {
                replace_returns(then, replacement);
                replace_returns(otherwise, replacement);
            }
            StmtKind::Loop(l) => replace_returns(&mut l.body, replacement),
            StmtKind::Block(stmts) => replace_returns(stmts, replacement),
            StmtKind::Switch { arms, .. } => {
                arms.iter_mut().for_each(|arm| replace_returns(&mut arm.body, replacement))
            }
            _ => {}
        }
        stmts.push(stmt);
    }
}

/// Puts the flag into every region: cleared before the first, tested by all, set where an item returns.
fn flag_returns(body: &Body, stmts: &mut Vec<Stmt>, flag: VarId) {
    let clear = || build::assign(body, flag, build::bool(false));
    let mut set = || vec![build::assign(body, flag, build::bool(true)), build::stmt(StmtKind::EndItem)];
    // A first region that stands alone and is as large as all others clears the flag itself.
    let mut shapes: Vec<Region> = Vec::new();
    for_regions_mut(stmts, &mut |region| {
        let shape = Region { axes: region.axes.clone(), body: Vec::new(), meeting: Meeting::Barrier };
        if !shapes.iter().any(|other| same_counts(other, &shape)) {
            shapes.push(shape);
        }
    });
    let first = stmts.iter().position(has_region).unwrap_or(0);
    let clears_itself = shapes.len() == 1 && matches!(stmts[first].kind, StmtKind::Inner(_));
    let mut index = 0;
    for_regions_mut(stmts, &mut |region| {
        let is_first = clears_itself && index == 0;
        index += 1;
        if returns(&region.body) {
            replace_returns(&mut region.body, &mut set);
        }
        if is_first {
            region.body.insert(0, clear());
        } else {
            let rest = std::mem::take(&mut region.body);
            region.body.extend(build::when(build::not(build::load(body, flag)), rest, Vec::new()));
        }
    });
    if !clears_itself {
        let clearing = shapes.into_iter().map(|shape| Region { body: vec![clear()], ..shape });
        let clearing: Vec<Stmt> = clearing.map(|region| build::stmt(StmtKind::Inner(Box::new(region)))).collect();
        stmts.splice(0..0, clearing);
    }
}

fn same_counts(a: &Region, b: &Region) -> bool {
    let count =
        |axis: &Option<crate::ir::Axis>| axis.as_ref().map(|axis| crate::ir::rewrite::without_spans(&axis.count));
    a.axes.iter().zip(&b.axes).all(|(a, b)| count(a) == count(b))
}

/// Most branches that stand in each other because of what an item's early ends become: compilers accept some 256 levels
/// of braces. Ends that stand deeper stay as they are.
const MAX_DEPTH: u32 = 32;

/// Makes early ends into branches in a list that nothing of the item follows.
pub(super) fn structure(stmts: &mut Vec<Stmt>) {
    structure_at(stmts, 0);
}

fn structure_at(stmts: &mut Vec<Stmt>, depth: u32) {
    if depth == MAX_DEPTH {
        return;
    }
    let mut index = 0;
    while index < stmts.len() {
        let is_last = index + 1 == stmts.len();
        match &mut stmts[index].kind {
            StmtKind::EndItem => return stmts.truncate(index),
            StmtKind::Block(inner) if is_last => structure_at(inner, depth),
            StmtKind::If { then, otherwise, .. } => {
                let ended = always_ends(then) || always_ends(otherwise);
                if ended || is_last {
                    return structure_if(stmts, index, depth + 1);
                }
            }
            _ => {}
        }
        index += 1;
    }
}

/// The `if` at `index` takes the rest of the list into the branch that goes on; both are then last.
fn structure_if(stmts: &mut Vec<Stmt>, index: usize, depth: u32) {
    let rest = stmts.split_off(index + 1);
    let Some(Stmt { kind: StmtKind::If { condition, mut then, mut otherwise }, span }) = stmts.pop() else {
        return;
    };
    match (always_ends(&then), always_ends(&otherwise)) {
        (true, true) => {}
        (true, false) => otherwise.extend(rest),
        (false, _) => then.extend(rest),
    }
    structure_at(&mut then, depth);
    structure_at(&mut otherwise, depth);
    stmts.extend(build::when(condition, then, otherwise).map(|stmt| Stmt { span, ..stmt }));
}

/// Whether whoever enters the list ends the item in it.
fn always_ends(stmts: &[Stmt]) -> bool {
    stmts.last().is_some_and(|last| match &last.kind {
        StmtKind::EndItem => true,
        StmtKind::Block(stmts) => always_ends(stmts),
        StmtKind::If { then, otherwise, .. } => always_ends(then) && always_ends(otherwise),
        _ => false,
    })
}
