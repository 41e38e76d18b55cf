//! Loop collapsing, for nests that are one plain loop: neighbouring groups hold neighbouring items, and groups differ in
//! nothing else.
//!
//! `for (i = 0; i < n; ++i; @tile(256, @outer, @inner))` and `i = b * 256 + t` cut a loop into groups because a GPU
//! wants it so. A CPU that runs groups `begin..end` runs items `256 * begin .. 256 * end`, and a loop over those is
//! what one would have written by hand. Tiles of several dimensions collapse along axis 0: the groups that lie side by
//! side in a row are run together, each line of items as one loop; and whole rows along axis 1, so that lines follow each other
//! as they do in memory.
//!
//! A loop of the group around its items, from layer to layer of a field, is then one of so many groups together, and rows of
//! them, that what a layer leaves in the caches is still there for the next one.

use super::fold;
use super::index_set_split::Cuts;
use super::loop_bounds::{Bound, Range};
use super::loops::{Builder, axis_value, wide};
use crate::ir::Uses;
use crate::ir::affine::{Affine, Facts, Term};
use crate::ir::build;
use crate::ir::rewrite::{Rewriter, rewrite_expr};
use crate::ir::{
    Axis, BinaryOp, Body, Builtin, Expr, ExprKind, Initializer, Loop, MathFn, Nest, Place, Projection, Region, Role,
    Scalar, Stmt, StmtKind, VarId, Variable,
};

/// The one loop that a nest is.
struct Collapsed {
    /// Runs over all items.
    var: VarId,
    /// Its value for the first item of group 0.
    start: Affine,
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
    fn times(&self, group: Expr) -> Option<Affine> {
        match self {
            Self::Constant(size) => Affine::term(&group).scale(*size),
            Self::Variable(size) => Some(Affine::term(&build::mul(group, build::convert(size.clone(), Scalar::I64)))),
        }
    }
}

impl Builder {
    /// The nest as plain loops over all of its items, where it is that.
    pub(super) fn collapse(&mut self, nest: &Nest) -> Option<Vec<Stmt>> {
        let Found { collapsed, across, around } = find(&self.body, &self.facts, nest)?;
        let across: Vec<&Axis> = across.iter().flatten().collect();
        if nest.outer[1..].iter().all(Option::is_none) {
            let [begin, end] = [Builtin::RangeBegin, Builtin::RangeEnd].map(|group| build::builtin(group, Scalar::I64));
            return self.lines(collapsed, &across, &begin, &end);
        }
        self.rows(nest, collapsed, &across, around)
    }

    /// The loops over the items of groups `begin..end` of a row.
    fn lines(&mut self, collapsed: Collapsed, across: &[&Axis], begin: &Expr, end: &Expr) -> Option<Vec<Stmt>> {
        let at = |group: &Expr| collapsed.start.add(&collapsed.size.times(group.clone())?);
        let (first, last) = (at(begin)?, at(end)?);
        self.body.vars[collapsed.var.0 as usize].role = Role::Outer(0);
        let mut range = Range::new(collapsed.var, Bound::new(first), Bound::new(last));
        // Groups are counted from zero, so no item lies before the first one of group 0: a fact, not a bound.
        if let Size::Variable(_) = collapsed.size {
            range.known_least = self.facts.smallest(&collapsed.start);
        }
        let mut stmts = self.cut_loop(range, collapsed.body, Cuts::Any);
        for axis in across {
            stmts = self.axis(axis, stmts, Cuts::Guards);
        }
        Some(stmts)
    }

    /// One iteration per row of groups, or per part of one where `begin..end` cuts it.
    fn rows(
        &mut self,
        nest: &Nest,
        collapsed: Collapsed,
        across: &[&Axis],
        around: Option<&Loop>,
    ) -> Option<Vec<Stmt>> {
        let most = around.map(|_| most_groups(&collapsed, across));
        let mut counter = |name: &str, is_const| {
            let variable =
                Variable { name: String::new(), ty: Scalar::I64.into(), role: Role::Local, is_const, span: nest.span };
            build::fresh(&mut self.body, name, variable)
        };
        let (group, row) = (counter("group", false), counter("row", true));
        let (begin, end) = (counter("row_begin", true), counter("row_end", true));
        let stacked = stacked(&self.facts, nest, &collapsed, across);
        let rows = stacked.map(|_| counter("rows", true));
        self.facts.limits.extend([(begin, (Some(0), None)), (end, (Some(1), None))]);
        let [first, last] = [begin, end].map(|group| build::load(&self.body, group));
        let mut across: Vec<Axis> = across.iter().copied().cloned().collect();
        if let (Some(stacked), Some(rows)) = (stacked, rows) {
            self.facts.limits.insert(rows, (Some(1), None));
            self.facts.limits.remove(&across[stacked].var);
            let count = &mut across[stacked].count;
            *count = build::mul(build::load(&self.body, rows), wide(count.clone()));
        }
        let mut lines = self.lines(collapsed, &across.iter().collect::<Vec<_>>(), &first, &last)?;
        if let Some(around) = around {
            lines = vec![build::stmt(StmtKind::Loop(Box::new(Loop { body: lines, ..around.clone() })))];
        }
        let body = &self.body;
        let [range_begin, range_end] =
            [Builtin::RangeBegin, Builtin::RangeEnd].map(|group| build::builtin(group, Scalar::I64));
        let groups = |axis| build::builtin(Builtin::GroupCount(axis), Scalar::I64);
        let value = |var: VarId| build::load(body, var);
        let divide = |op, a: Expr, b: Expr| build::binary(op, a, b, Scalar::I64);
        let left = build::sub(range_end.clone(), build::mul(value(row), groups(0)));
        let mut reach = build::extreme(MathFn::IntMin, groups(0), left);
        if let Some(most) = most {
            reach = build::extreme(MathFn::IntMin, reach, build::add(value(begin), build::int(most)));
        }
        let mut iteration = vec![
            build::declare(body, row, divide(BinaryOp::Div, value(group), groups(0))),
            build::declare(body, begin, divide(BinaryOp::Rem, value(group), groups(0))),
            build::declare(body, end, reach),
        ];
        let (y, z) = (nest.outer[1].as_ref(), nest.outer[2].as_ref());
        let position = |axis: &Axis| match (y.is_some(), z.is_some()) {
            (true, true) if y == Some(axis) => divide(BinaryOp::Rem, value(row), groups(1)),
            (true, true) => divide(BinaryOp::Div, value(row), groups(1)),
            _ => value(row),
        };
        for axis in [y, z].into_iter().flatten() {
            iteration.push(build::declare(body, axis.var, axis_value(axis, position(axis))));
        }
        let mut done = build::sub(value(end), value(begin));
        if let (Some(rows), Some(y)) = (rows, y) {
            // As many as are there as a whole, or the part of one.
            let whole = divide(BinaryOp::Div, build::sub(range_end.clone(), value(group)), groups(0));
            let mut whole = build::extreme(MathFn::IntMin, build::sub(groups(1), position(y)), whole);
            if let Some(most) = most {
                let most = divide(BinaryOp::Div, build::int(most), groups(0));
                whole = build::extreme(MathFn::IntMin, whole, most);
            }
            let begins = build::compare(BinaryOp::Eq, value(begin), build::int(0));
            let count = build::select(begins, build::extreme(MathFn::IntMax, whole, build::int(1)), build::int(1));
            iteration.push(build::declare(body, rows, count));
            done = build::mul(done, value(rows));
        }
        iteration.extend(lines);
        iteration.push(build::stmt(StmtKind::Assign {
            place: build::place(body, group),
            op: Some(BinaryOp::Add),
            value: done,
        }));
        let condition = build::compare(BinaryOp::Lt, value(group), range_end);
        let init = build::declare(&self.body, group, range_begin);
        Some(vec![build::stmt(StmtKind::Loop(Box::new(Loop {
            init: vec![init],
            head: Vec::new(),
            condition: Some(condition),
            update: Vec::new(),
            body: iteration,
            test_last: false,
            unroll: None,
        })))])
    }
}

/// Which of the inner axes runs on from one row of groups to the next, where nothing else tells rows apart.
fn stacked(facts: &Facts, nest: &Nest, collapsed: &Collapsed, across: &[&Axis]) -> Option<usize> {
    let rows = nest.outer[1].as_ref()?;
    let mentions = |expr: &Expr| Uses::of_expr(expr).mentioned.contains(&rows.var);
    let runs_on = |axis: &&Axis| {
        let is_next = axis.step.as_int() == Some(1) && axis.count.as_int().is_some_and(|count| count > 0);
        let own = facts.affine(&axis.start).is_some_and(|start| start.coefficient(rows.var) == 1);
        // Counted from the first of the rows, which is not below zero, it stays within what their sum fits.
        let is_counted = !mentions(&axis.start) && rows.start.as_int().is_some_and(|start| start >= 0);
        let own = own || is_counted && Sums::are_all(rows.var, axis.var, &collapsed.body);
        is_next && own && rows.step.as_int() == axis.count.as_int()
    };
    let stacked = across.iter().position(runs_on)?;
    let mut others = across.iter().enumerate().filter(|(index, _)| *index != stacked);
    let is_body = !mentions(&across[stacked].start) || !Uses::of(&collapsed.body).mentioned.contains(&rows.var);
    let is_alone = is_body
        && !collapsed.start.variables().contains(&rows.var)
        && !others.any(|(_, axis)| mentions(&axis.start) || mentions(&axis.count));
    let start = facts.affine(&across[stacked].start)?;
    (is_alone && !start.without_var(rows.var).variables().contains(&rows.var)).then_some(stacked)
}

/// Items that a loop of the group around them runs together: so few that the last level's cache has the layers that it reads
/// again, and so many that it reads and writes memory in long stretches, which processors foresee.
const ITEMS_IN_CACHE: i64 = 128 << 10;

/// How many groups of a row are run together in each iteration of a loop around them.
fn most_groups(collapsed: &Collapsed, across: &[&Axis]) -> i64 {
    let Size::Constant(size) = collapsed.size else { return 1 };
    let lines = across.iter().map(|axis| axis.count.as_int().unwrap_or(1).max(1));
    (lines.fold(ITEMS_IN_CACHE, |items, lines| items / lines) / size).max(1)
}

/// What [`find`] found.
struct Found<'a> {
    collapsed: Collapsed,
    /// The inner axes across the loop along axis 0.
    across: &'a [Option<Axis>],
    /// The group's loop around its items.
    around: Option<&'a Loop>,
}

/// The only region of a nest, behind definitions, and the loop of the group that may stand around it.
fn only_region<'a>(body: &Body, nest: &'a Nest) -> Option<(&'a Region, Vec<&'a Stmt>, Option<&'a Loop>)> {
    let (last, before) = nest.stmts.split_last()?;
    let (last, within, around) = match &last.kind {
        StmtKind::Loop(l) => l.body.split_last().map(|(last, within)| (last, within, Some(l.as_ref())))?,
        _ => (last, &[][..], None),
    };
    let StmtKind::Inner(region) = &last.kind else { return None };
    let before: Vec<&Stmt> = before.iter().chain(within).collect();
    before.iter().all(|stmt| fold::free_definition(body, stmt).is_some()).then_some((region, before, around))
}

/// The loop along axis 0, and what stands across and around it.
fn find<'a>(body: &Body, facts: &Facts, nest: &'a Nest) -> Option<Found<'a>> {
    let Some(outer) = &nest.outer[0] else {
        return None;
    };
    if !nest.shared.is_empty() || !nest.exclusive.is_empty() {
        return None;
    }
    // Constants of the group are computed per item as well as per group.
    let (Region { axes, body: stmts, .. }, before, around) = only_region(body, nest)?;
    let Some(inner) = &axes[0] else { return None };
    if inner.step.as_int() != Some(1) {
        return None;
    }
    let mut definitions = facts.clone();
    let known = before.iter().filter_map(|stmt| fold::free_definition(body, stmt));
    definitions.definitions.extend(known.map(|(var, value)| (var, value.clone())));
    // What is declared within the loop cannot stand in its head.
    let is_inside = |var: &VarId| *var == outer.var || definitions.definitions.contains_key(var);
    if axes[1..].iter().flatten().any(|axis| Uses::of_expr(&axis.start).mentioned.iter().any(is_inside)) {
        return None;
    }
    let with_nothing =
        |around: &Loop| build::stmt(StmtKind::Loop(Box::new(Loop { body: Vec::new(), ..around.clone() })));
    let head: Vec<Stmt> = around.map(with_nothing).into_iter().collect();
    if Uses::of(&head).mentioned.iter().any(is_inside) {
        return None;
    }
    let stmts: Vec<Stmt> = before.into_iter().chain(stmts).cloned().collect();
    let collapsed = by_inner_variable(&definitions, outer, inner, &stmts)
        .or_else(|| by_local(body, &definitions, outer, inner, &stmts))
        .or_else(|| by_sum(body, &definitions, outer, inner, &stmts))?;
    let across: Vec<&Axis> = axes[1..].iter().flatten().collect();
    let together = around.is_none_or(|_| nest.outer[1].is_some() && most_groups(&collapsed, &across) > 1);
    let is_outside = !collapsed.start.variables().iter().any(is_inside);
    (is_outside && together).then_some(Found { collapsed, across: &axes[1..], around })
}

/// The inner loop starts at the outer one's value and reaches to its next: its own variable runs through.
fn by_inner_variable(facts: &Facts, outer: &Axis, inner: &Axis, stmts: &[Stmt]) -> Option<Collapsed> {
    let start = facts.affine(&inner.start)?;
    if start.coefficient(outer.var) != 1 {
        return None;
    }
    let size = if let (Some(step), Some(count)) = (outer.step.as_int(), inner.count.as_int()) {
        (step == count && count > 0).then_some(Size::Constant(count))?
    } else {
        let (step, count) = (facts.affine(&outer.step)?, facts.affine(&inner.count)?);
        (step == count).then(|| Size::Variable(inner.count.clone()))?
    };
    let start = start.substitute(outer.var, &facts.affine(&outer.start)?)?;
    let stmts = without_unread(stmts, outer.var, None)?;
    Some(Collapsed { var: inner.var, start, size, body: stmts })
}

/// A local is all that items know of where they are: `const int i = b * 256 + t;`
fn by_local(body: &Body, facts: &Facts, outer: &Axis, inner: &Axis, stmts: &[Stmt]) -> Option<Collapsed> {
    let base = facts.affine(&inner.start)?;
    if base.variables().contains(&outer.var) {
        return None;
    }
    let origin = facts.affine(&outer.start)?;
    for stmt in stmts {
        let Some((var, value)) = fold::free_definition(body, stmt) else {
            continue;
        };
        let Some(value_sum) = facts.affine(value) else {
            continue;
        };
        if value_sum.coefficient(inner.var) != 1
            || body.var(var).ty.scalar().is_none_or(|ty| !ty.is_signed() && ty != Scalar::U64)
        {
            continue;
        }
        let rest = value_sum.without_var(inner.var);
        let Some((size, rest)) =
            constant_size(outer, inner, &rest).or_else(|| variable_size(body, facts, outer, inner, &rest))
        else {
            continue;
        };
        // Where the first group begins is `factor · start`, which a variable size leaves to zero.
        let factor = if let Size::Constant(size) = size { size.checked_div(outer.step.as_int()?)? } else { 0 };
        if matches!(size, Size::Variable(_)) && origin != Affine::constant(0) {
            continue;
        }
        let start = rest.add(&base)?.add(&origin.scale(factor)?)?;
        if let Some(stmts) = without_unread(stmts, outer.var, Some((inner.var, var))) {
            return Some(Collapsed { var, start, size, body: stmts });
        }
    }
    None
}

/// `factor · b` where `factor · step` is the number of items.
fn constant_size(outer: &Axis, inner: &Axis, rest: &Affine) -> Option<(Size, Affine)> {
    let (step, count) = (outer.step.as_int()?, inner.count.as_int()?);
    let matches = count > 0 && rest.coefficient(outer.var).checked_mul(step)? == count;
    let rest = rest.without_var(outer.var);
    (matches && !rest.variables().contains(&outer.var)).then_some((Size::Constant(count), rest))
}

/// `b * size` where the size is a parameter and the number of items.
fn variable_size(body: &Body, facts: &Facts, outer: &Axis, inner: &Axis, rest: &Affine) -> Option<(Size, Affine)> {
    if outer.step.as_int() != Some(1) {
        return None;
    }
    let count = facts.affine(&inner.count)?;
    let is_product = |term: &Term, coefficient| {
        let (1, Term::Opaque(term)) = (coefficient, term) else {
            return false;
        };
        let ExprKind::Binary(BinaryOp::Mul, a, b) = &term.kind else {
            return false;
        };
        let (Some(a), Some(b)) = (facts.affine(a), facts.affine(b)) else {
            return false;
        };
        let outer = Affine::term(&build::load(body, outer.var));
        a == outer && b == count || b == outer && a == count
    };
    rest.terms().iter().any(|(term, factor)| is_product(term, *factor)).then_some(())?;
    let rest = rest.without(is_product);
    (!rest.variables().contains(&outer.var)).then(|| (Size::Variable(inner.count.clone()), rest))
}

/// All that items know of where they are is the sum of both: `ib + i - 1`. The first of those sums runs through.
fn by_sum(body: &Body, facts: &Facts, outer: &Axis, inner: &Axis, stmts: &[Stmt]) -> Option<Collapsed> {
    let size = inner.count.as_int().filter(|&size| size > 0 && outer.step.as_int() == Some(size))?;
    // Sums of wider numbers would need still wider ones.
    let is_int = |axis: &Axis| body.var(axis.var).ty == INT.into();
    if !is_int(outer) || !is_int(inner) {
        return None;
    }
    let mut sums = Sums { outer: outer.var, inner: inner.var, first: None, is_left: false };
    // What all items compute fits its type; of what only some do, that is not sure.
    let first = stmts.iter().find(|stmt| fold::free_definition(body, stmt).is_none())?;
    match &first.kind {
        StmtKind::If { condition, .. } => sums.expr(&mut condition.clone()),
        StmtKind::Assign { .. } | StmtKind::Declare { .. } => sums.stmt(&mut first.clone()),
        _ => return None,
    }
    // Behind `&&` it may be computed by none: a number as good as those of the groups.
    let moved = inner.start.as_int()?.checked_add(sums.first?)?;
    let mut stmts = stmts.to_vec();
    sums.list(&mut stmts);
    let start = facts.affine(&outer.start)?.offset(moved)?;
    (!sums.is_left && moved.checked_abs()? <= size).then_some(Collapsed {
        var: inner.var,
        start,
        size: Size::Constant(size),
        body: stmts,
    })
}

/// The type of sums that are taken apart.
const INT: Scalar = Scalar::I32;

/// Puts the inner variable in the place of its sum with the outer one and a number.
struct Sums {
    outer: VarId,
    inner: VarId,
    /// The number of the first one.
    first: Option<i64>,
    /// One of both is mentioned elsewhere.
    is_left: bool,
}

/// The terms of a sum, each with its sign, and the numbers in it.
fn terms_of(expr: &Expr, sign: i64, terms: &mut Vec<(i64, Expr)>) -> Option<i64> {
    match &expr.kind {
        ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) if expr.ty == INT.into() => {
            let of_b = if *op == BinaryOp::Sub { -sign } else { sign };
            terms_of(a, sign, terms)?.checked_add(terms_of(b, of_b, terms)?)
        }
        _ => match expr.as_int() {
            Some(number) => number.checked_mul(sign),
            None => {
                terms.push((sign, expr.clone()));
                Some(0)
            }
        },
    }
}

/// A sum with the variable in it.
enum Replaced {
    /// In its own type: the variable, or that and one term, whose sum is the one that was computed before.
    Same(Expr),
    /// In 64 bits: nobody computed parts of it before, and they need not fit its type.
    Wide(Expr),
}

impl Sums {
    /// Whether statements mention both variables only in sums with each other.
    fn are_all(outer: VarId, inner: VarId, stmts: &[Stmt]) -> bool {
        let mut sums = Self { outer, inner, first: None, is_left: false };
        sums.list(&mut stmts.to_vec());
        !sums.is_left
    }

    fn is(expr: &Expr, var: VarId) -> bool {
        matches!(&expr.kind, ExprKind::Load(place) if place.path.is_empty() && place.root == var)
    }

    /// What becomes of a sum, unless it has not both variables in it.
    fn replaced(&mut self, expr: &Expr) -> Option<Replaced> {
        if !matches!(expr.kind, ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, ..)) {
            return None;
        }
        let mut terms = Vec::new();
        let number = terms_of(expr, 1, &mut terms)?;
        for var in [self.outer, self.inner] {
            terms.remove(terms.iter().position(|(sign, term)| *sign == 1 && Self::is(term, var))?);
        }
        let moved = number.checked_sub(*self.first.get_or_insert(number))?;
        let is_same = moved == 0 && terms.len() <= 1;
        let ty = if is_same { INT } else { Scalar::I64 };
        terms.iter_mut().for_each(|(_, term)| self.expr(term));
        // A sum begins with what is added.
        terms.push((1, Expr::var(self.inner, INT.into(), expr.span)));
        let begin = terms.iter().position(|(sign, _)| *sign == 1).unwrap_or(0);
        let first = build::convert(terms.remove(begin).1, ty);
        let sum = terms.into_iter().fold(first, |sum, (sign, term)| {
            let op = if sign > 0 { BinaryOp::Add } else { BinaryOp::Sub };
            build::binary(op, sum, build::convert(term, ty), ty)
        });
        Some(match (is_same, moved) {
            (true, _) => Replaced::Same(sum),
            (_, 0) => Replaced::Wide(sum),
            _ => Replaced::Wide(build::add(sum, build::int(moved))),
        })
    }

    /// The same for a subscript, or a side of a comparison, whose type may be the wider one.
    fn index(&mut self, expr: &mut Expr) {
        match self.replaced(expr) {
            Some(Replaced::Same(sum) | Replaced::Wide(sum)) => *expr = sum,
            None => self.expr(expr),
        }
    }
}

impl Rewriter for Sums {
    fn expr(&mut self, expr: &mut Expr) {
        match &mut expr.kind {
            ExprKind::Binary(op, a, b) if op.is_comparison() && a.ty == INT.into() && b.ty == a.ty => {
                [&mut *a, &mut *b].into_iter().for_each(|side| self.index(side));
                if a.ty != b.ty {
                    [a, b].into_iter().for_each(|side| **side = wide((**side).clone()));
                }
                return;
            }
            _ => {}
        }
        match self.replaced(expr) {
            Some(Replaced::Same(sum)) => *expr = sum,
            Some(Replaced::Wide(sum)) => *expr = build::convert(sum, INT),
            None => {
                self.is_left |= Self::is(expr, self.outer) || Self::is(expr, self.inner);
                rewrite_expr(self, expr);
            }
        }
    }

    fn place(&mut self, place: &mut Place) {
        for projection in &mut place.path {
            if let Projection::Index(subscript) | Projection::Flat(subscript) = projection {
                self.index(subscript);
            }
        }
    }
}

/// The statements without declarations that nothing needs, if no other than those mention the loops' variables.
/// `local`: an inner variable, and the local that stands for it and loses its declaration.
fn without_unread(stmts: &[Stmt], outer: VarId, local: Option<(VarId, VarId)>) -> Option<Vec<Stmt>> {
    let mut stmts = stmts.to_vec();
    if let Some((_, local)) = local {
        let is_its_own = |stmt: &Stmt| matches!(&stmt.kind, StmtKind::Declare { var, init: Some(Initializer::Value(_)) } if *var == local);
        stmts.retain(|stmt| !is_its_own(stmt));
    }
    fold::run(&mut stmts, &|_| None);
    let mentioned = Uses::of(&stmts).mentioned;
    let left = mentioned.contains(&outer) || local.is_some_and(|(inner, _)| mentioned.contains(&inner));
    (!left).then_some(stmts)
}
