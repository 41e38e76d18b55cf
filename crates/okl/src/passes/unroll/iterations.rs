//! The iterations of a loop whose head says all about them.

use super::constants::{Values, is_known, valued};
use crate::ir::build;
use crate::ir::{
    Body, Expr, ExprKind, Initializer, Literal, Loop, Role, Scalar, Stmt, StmtKind, Uses, VarId, ends_item,
};
use crate::passes::dependence::leaves;
use std::collections::BTreeSet;

/// Most iterations of a loop that is written out.
const MOST: usize = 128;

/// The variables that count a loop's iterations: declared in its head, and changed by its update alone.
pub(super) fn counters(body: &Body, l: &Loop) -> Option<BTreeSet<VarId>> {
    if !l.head.is_empty() || l.test_last || leaves(&l.body) || ends_item(&l.body) {
        return None;
    }
    let declared = |stmt: &Stmt| match stmt.kind {
        StmtKind::Declare { var, init: Some(Initializer::Value(_)) } => {
            let variable = body.var(var);
            let is_counter = variable.ty.scalar().is_some_and(Scalar::is_integer);
            (is_counter && !matches!(variable.role, Role::Root(_))).then_some(var)
        }
        _ => None,
    };
    let counters = l.init.iter().map(declared).collect::<Option<BTreeSet<VarId>>>()?;
    Uses::of(&l.body).assigned.is_disjoint(&counters).then_some(counters)
}

/// The values of the counters in each iteration, with what is `known` of other variables. `None` where the head does not tell,
/// or there are too many.
pub(super) fn iterations(body: &Body, l: &Loop, known: &Values) -> Option<Vec<Values>> {
    let counters = counters(body, l)?;
    let mut values = known.clone();
    for stmt in &l.init {
        let StmtKind::Declare { var, init: Some(Initializer::Value(first)) } = &stmt.kind else { return None };
        values.insert(*var, constant(first, &values)?);
    }
    let mut iterations = Vec::new();
    while constant(l.condition.as_ref()?, &values)?.literal()? == Literal::Bool(true) {
        if iterations.len() == MOST {
            return None;
        }
        iterations.push(counters.iter().map(|var| (*var, values[var].clone())).collect());
        for stmt in &l.update {
            let (counter, next) = next(stmt)?;
            counters.contains(&counter).then_some(())?;
            values.insert(counter, constant(&next, &values)?);
        }
    }
    Some(iterations)
}

/// The variable that a statement of the update changes, and what it becomes.
pub(super) fn next(stmt: &Stmt) -> Option<(VarId, Expr)> {
    let StmtKind::Assign { place, op, value } = &stmt.kind else { return None };
    place.path.is_empty().then_some(())?;
    let next = match op {
        None => value.clone(),
        Some(op) => {
            let old = build::load_place(place.clone());
            let kind = ExprKind::Binary(*op, Box::new(old), Box::new(value.clone()));
            Expr { kind, ty: place.ty.clone(), span: value.span }
        }
    };
    Some((place.root, next))
}

fn constant(expr: &Expr, values: &Values) -> Option<Expr> {
    Some(valued(expr, values)).filter(is_known)
}
