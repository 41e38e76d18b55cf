//! Nests that are one plain loop: neighbouring groups hold neighbouring items, and nothing else tells groups apart.
//!
//! `for (i = 0; i < n; ++i; @tile(256, @outer, @inner))` and `i = b * 256 + t` cut a loop into groups because a GPU
//! wants it so. A CPU that runs groups `begin..end` runs items `256 * begin .. 256 * end`, and a loop over those is
//! what one would have written by hand.

use super::build;
use super::fold;
use super::linear::{Linear, Scope};
use super::loops::{Builder, Entry};
use super::range::{Bound, Range};
use super::rewrite::Uses;
use super::split::Cuts;
use crate::ir::{
    Axis, BinaryOp, Body, Expr, ExprKind, Initializer, Nest, Region, Role, Scalar, Stmt, StmtKind,
    VarId,
};

/// The one loop that a nest is.
struct Flat {
    /// Runs over all items.
    var: VarId,
    /// Its value for the first item of group 0.
    start: Linear,
    /// Items per group.
    size: Size,
    /// What is run per item.
    body: Vec<Stmt>,
}

/// Items per group: a number, or an expression over parameters.
#[derive(Clone, Debug)]
enum Size {
    Constant(i64),
    Variable(Expr),
}

impl Size {
    /// First item of group `group`, counted from the first item of group 0.
    fn times(&self, group: Expr) -> Option<Linear> {
        match self {
            Self::Constant(size) => Linear::term(&group).times(*size),
            Self::Variable(size) => Some(Linear::term(&build::mul(
                group,
                build::convert(size.clone(), Scalar::I64),
            ))),
        }
    }
}

impl Builder {
    /// The nest as one loop, where it is one.
    pub(super) fn flat(&mut self, nest: &Nest) -> Option<Vec<Stmt>> {
        let flat = find(&self.body, &self.scope, nest)?;
        let Entry { begin, end, .. } = self.entry;
        let at = |body: &Body, group| {
            flat.start
                .plus(&flat.size.times(build::load(body, group))?, 1)
        };
        let (first, last) = (at(&self.body, begin)?, at(&self.body, end)?);
        self.parallel.insert(flat.var);
        let variable = &mut self.body.vars[flat.var.0 as usize];
        variable.role = Role::Inner(0);
        let mut range = Range::new(flat.var, Bound::new(first), Bound::new(last));
        // Groups are counted from zero, so no item lies before the first one of group 0: a fact, not a bound.
        if let Size::Variable(_) = flat.size
            && let Some(least) = self.scope.smallest(&self.body, &flat.start)
        {
            range.known_least = Some(least);
        }
        Some(self.cut_loop(range, flat.body, Cuts::Any))
    }
}

fn find(body: &Body, scope: &Scope, nest: &Nest) -> Option<Flat> {
    let [Some(outer), None, None] = &nest.outer else {
        return None;
    };
    if !nest.shared.is_empty() || !nest.exclusive.is_empty() {
        return None;
    }
    // Constants of the group are computed per item as well as per group.
    let (region, before) = nest.stmts.split_last()?;
    let StmtKind::Inner(region) = &region.kind else {
        return None;
    };
    let Region {
        axes: [Some(inner), None, None],
        body: stmts,
    } = region.as_ref()
    else {
        return None;
    };
    if inner.step.as_int() != Some(1)
        || !before
            .iter()
            .all(|stmt| fold::free_definition(body, stmt).is_some())
    {
        return None;
    }
    let mut definitions = scope.clone();
    definitions.definitions.extend(
        before
            .iter()
            .filter_map(|stmt| fold::free_definition(body, stmt))
            .map(|(v, e)| (v, e.clone())),
    );
    let stmts: Vec<Stmt> = before.iter().chain(stmts).cloned().collect();
    by_inner_variable(body, &definitions, outer, inner, &stmts)
        .or_else(|| by_local(body, &definitions, outer, inner, &stmts))
}

/// The inner loop starts at the outer one's value and reaches to its next: its own variable runs through.
fn by_inner_variable(
    body: &Body,
    scope: &Scope,
    outer: &Axis,
    inner: &Axis,
    stmts: &[Stmt],
) -> Option<Flat> {
    let start = scope.linear(body, &inner.start)?;
    if start.factor(outer.var) != 1 {
        return None;
    }
    let size = if let (Some(step), Some(count)) = (outer.step.as_int(), inner.count.as_int()) {
        (step == count && count > 0).then_some(Size::Constant(count))?
    } else {
        let (step, count) = (
            scope.linear(body, &outer.step)?,
            scope.linear(body, &inner.count)?,
        );
        (step == count).then(|| Size::Variable(inner.count.clone()))?
    };
    let start = start
        .without(outer.var)
        .plus(&scope.linear(body, &outer.start)?, 1)?;
    let stmts = without_unread(stmts, outer.var, None)?;
    Some(Flat {
        var: inner.var,
        start,
        size,
        body: stmts,
    })
}

/// A local is all that items know of where they are: `const int i = b * 256 + t;`
fn by_local(
    body: &Body,
    scope: &Scope,
    outer: &Axis,
    inner: &Axis,
    stmts: &[Stmt],
) -> Option<Flat> {
    let base = scope.linear(body, &inner.start)?;
    if base.variables().contains(&outer.var) {
        return None;
    }
    let origin = scope.linear(body, &outer.start)?;
    for stmt in stmts {
        let Some((var, value)) = fold::free_definition(body, stmt) else {
            continue;
        };
        let Some(value_sum) = scope.linear(body, value) else {
            continue;
        };
        if value_sum.factor(inner.var) != 1
            || body
                .var(var)
                .ty
                .scalar()
                .is_none_or(|ty| !ty.is_signed() && ty != Scalar::U64)
        {
            continue;
        }
        let rest = value_sum.without(inner.var);
        let Some((size, rest)) = constant_size(outer, inner, &rest)
            .or_else(|| variable_size(body, scope, outer, inner, &rest))
        else {
            continue;
        };
        // Where the first group begins is `factor · start`, which a variable size leaves to zero.
        let factor = if let Size::Constant(size) = size {
            size.checked_div(outer.step.as_int()?)?
        } else {
            0
        };
        if matches!(size, Size::Variable(_)) && origin != Linear::constant(0) {
            continue;
        }
        let start = rest.plus(&base, 1)?.plus(&origin, factor)?;
        if let Some(stmts) = without_unread(stmts, outer.var, Some((inner.var, var))) {
            return Some(Flat {
                var,
                start,
                size,
                body: stmts,
            });
        }
    }
    None
}

/// `factor · b` where `factor · step` is the number of items.
fn constant_size(outer: &Axis, inner: &Axis, rest: &Linear) -> Option<(Size, Linear)> {
    let (step, count) = (outer.step.as_int()?, inner.count.as_int()?);
    let matches = count > 0 && rest.factor(outer.var).checked_mul(step)? == count;
    let rest = rest.without(outer.var);
    (matches && !rest.variables().contains(&outer.var)).then_some((Size::Constant(count), rest))
}

/// `b * size` where the size is a parameter and the number of items.
fn variable_size(
    body: &Body,
    scope: &Scope,
    outer: &Axis,
    inner: &Axis,
    rest: &Linear,
) -> Option<(Size, Linear)> {
    if outer.step.as_int() != Some(1) {
        return None;
    }
    let count = scope.linear(body, &inner.count)?;
    let is_product = |term: &Expr| {
        let ExprKind::Binary(BinaryOp::Mul, a, b) = &term.kind else {
            return false;
        };
        let (Some(a), Some(b)) = (scope.linear(body, a), scope.linear(body, b)) else {
            return false;
        };
        let outer = Linear::term(&build::load(body, outer.var));
        a == outer && b == count || b == outer && a == count
    };
    let position = rest
        .terms
        .iter()
        .position(|(term, factor)| *factor == 1 && is_product(term))?;
    let mut rest = rest.clone();
    rest.terms.remove(position);
    (!rest.variables().contains(&outer.var)).then(|| (Size::Variable(inner.count.clone()), rest))
}

/// The statements without declarations that nothing needs, if no other than those mention the loops' variables.
/// `local`: an inner variable, and the local that stands for it and loses its declaration.
fn without_unread(
    stmts: &[Stmt],
    outer: VarId,
    local: Option<(VarId, VarId)>,
) -> Option<Vec<Stmt>> {
    let mut stmts = stmts.to_vec();
    if let Some((_, local)) = local {
        let is_its_own = |stmt: &Stmt| matches!(&stmt.kind, StmtKind::Declare { var, init: Some(Initializer::Value(_)) } if *var == local);
        stmts.retain(|stmt| !is_its_own(stmt));
    }
    fold::run(&mut stmts, &|_| None);
    let mentioned = Uses::of(&stmts).mentioned;
    let left =
        mentioned.contains(&outer) || local.is_some_and(|(inner, _)| mentioned.contains(&inner));
    (!left).then_some(stmts)
}
