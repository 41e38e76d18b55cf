//! Checks of a whole region at once.
//!
//! Where the indices of checked accesses are affine in what counts items and iterations, their smallest and largest values lie
//! within the memory, or some access does not. So the group asks once whether they do, and then runs the region without
//! these checks, as a loop that a C compiler vectorises; else it runs the region as it is, which finds out who is wrong.
//!
//! Only the distance between smallest and largest index is taken for exact, and it is a number: where computing an index
//! wraps, the bounds wrap with it.

use super::counters::{axis_limits, counter_limits};
use super::fold::{self, free_definition};
use super::loops::wide;
use crate::ir::affine::{Affine, Facts, Term};
use crate::ir::rewrite::{Rewriter, rename, replace_regions, rewrite_expr};
use crate::ir::{
    Argument, BinaryOp, Body, Expr, ExprKind, Function, FunctionId, Literal, Module, Region, Role, Stmt, StmtKind,
    Uses, VarId, Visitor, build, for_declarations, walk_expr, walk_stmt,
};
use std::collections::{BTreeMap, BTreeSet};

/// Largest region, in nodes, of which there are two.
const MOST_NODES: usize = 4000;

/// Most ranges that are asked for before one region.
const MOST_RANGES: usize = 8;

pub(crate) fn run(module: &mut Module) {
    let answers: Vec<Option<Answer>> = module.functions.iter().map(Answer::of).collect();
    if answers.iter().all(Option::is_none) {
        return;
    }
    for kernel in &mut module.kernels {
        let mut pass = HoistChecks { body: &mut kernel.body, answers: &answers };
        for nest in &mut kernel.nests {
            replace_regions(&mut nest.stmts, &mut |region| vec![pass.region(region)]);
        }
    }
}

/// What a function answers where its first argument, without sign, is below its second one; it does nothing else then.
#[derive(Clone, Copy)]
enum Answer {
    First,
    True,
}

impl Answer {
    fn of(function: &Function) -> Option<Self> {
        let (&[first, second, ..], Some(test)) = (function.params.as_slice(), function.stmts.first()) else {
            return None;
        };
        let is_load =
            |expr: &Expr, var| matches!(&expr.kind, ExprKind::Load(of) if of.path.is_empty() && of.root == var);
        let StmtKind::If { condition, then, .. } = &test.kind else { return None };
        let ExprKind::Binary(BinaryOp::Lt, a, b) = &condition.kind else { return None };
        let ExprKind::Cast { value, .. } = &a.kind else { return None };
        let is_unsigned = a.ty.scalar().is_some_and(|ty| ty.is_integer() && !ty.is_signed());
        let [Stmt { kind: StmtKind::Return(Some(answer)), .. }] = then.as_slice() else { return None };
        match (is_unsigned && is_load(value, first) && is_load(b, second), answer.literal()) {
            (true, Some(Literal::Bool(true))) => Some(Self::True),
            (true, None) if is_load(answer, first) => Some(Self::First),
            _ => None,
        }
    }
}

struct HoistChecks<'a> {
    body: &'a mut Body,
    /// Of each function.
    answers: &'a [Option<Answer>],
}

/// Indices that differ by numbers alone, in memory of one length.
struct Indices {
    /// What they have in common.
    base: Affine,
    length: Expr,
    least: i64,
    most: i64,
}

impl HoistChecks<'_> {
    fn region(&mut self, region: Region) -> Stmt {
        let (ranges, hoisted) = match Ranges::of(self.body, self.answers, &region) {
            Some(found) if Uses::of(&region.body).weight <= MOST_NODES => (found.ranges, found.hoisted),
            _ => (Vec::new(), Vec::new()),
        };
        let Some(condition) = ranges.iter().map(Indices::are_inside).reduce(build::and) else {
            return build::stmt(StmtKind::Inner(Box::new(region)));
        };
        let mut body = region.body.clone();
        Unchecked { answers: self.answers, hoisted: &hoisted }.list(&mut body);
        fold::run(&mut body, &|_| None);
        let mut copies = BTreeMap::new();
        for_declarations(&body, &mut |var, _| copies.extend([(var, self.body.add(self.body.var(var).clone()))]));
        rename(&mut body, &copies);
        let unchecked = Region { axes: region.axes.clone(), body, meeting: region.meeting };
        let [then, otherwise] = [unchecked, region].map(|region| vec![build::stmt(StmtKind::Inner(Box::new(region)))]);
        build::stmt(StmtKind::If { condition, then, otherwise })
    }
}

impl Indices {
    /// `base + least >= 0 && base + most < length`
    fn are_inside(&self) -> Expr {
        let at = |distance| build::add(self.base.to_expr(), build::int(distance));
        let begins = build::compare(BinaryOp::Ge, at(self.least), build::int(0));
        build::and(begins, build::compare(BinaryOp::Lt, at(self.most), wide(self.length.clone())))
    }
}

/// Finds the checks of a region that can be made before it.
struct Ranges<'a> {
    body: &'a Body,
    answers: &'a [Option<Answer>],
    /// Variables of items.
    own: BTreeSet<VarId>,
    facts: Facts,
    ranges: Vec<Indices>,
    /// The checks, by function, index and length.
    hoisted: Vec<Check>,
}

/// A call of a function that checks: which one, index and length.
type Check = (FunctionId, Expr, Expr);

impl<'a> Ranges<'a> {
    fn of(body: &'a Body, answers: &'a [Option<Answer>], region: &Region) -> Option<Self> {
        let (facts, ranges, hoisted) = (Facts::default(), Vec::new(), Vec::new());
        let mut own = BTreeSet::new();
        for_declarations(&region.body, &mut |var, _| own.extend([var]));
        own.extend(region.axes.iter().flatten().map(|axis| axis.var));
        let mut found = Self { body, answers, own, facts, ranges, hoisted };
        for axis in region.axes.iter().flatten() {
            found.facts.limits.insert(axis.var, axis_limits(axis)?);
        }
        region.body.iter().for_each(|stmt| found.stmt(stmt));
        Some(found)
    }

    /// Takes a check into a range; `None` where it has to stay.
    fn check(&mut self, function: FunctionId, index: &Expr, length: &Expr) -> Option<()> {
        let form = self.facts.affine(&wide(index.clone()))?;
        let is_counted = |term: &Term, _| term.variable().is_some_and(|var| self.facts.limits.contains_key(&var));
        let base = form.without(is_counted).sub(&form.without(|_, _| true))?;
        let of_group = |var: &VarId| {
            !self.own.contains(var)
                && !matches!(self.body.var(*var).role, Role::Exclusive | Role::Shared | Role::Exchange(_))
        };
        if !base.variables().union(&Uses::of_expr(length).mentioned).all(of_group) {
            return None;
        }
        let distance = form.sub(&base)?;
        let (least, most) = (self.facts.smallest(&distance)?, self.facts.largest(&distance)?);
        let is_full = self.ranges.len() == MOST_RANGES;
        match self.ranges.iter_mut().find(|range| range.base == base && range.length == *length) {
            Some(range) => (range.least, range.most) = (range.least.min(least), range.most.max(most)),
            None if is_full => return None,
            None => self.ranges.push(Indices { base, length: length.clone(), least, most }),
        }
        self.hoisted.push((function, index.clone(), length.clone()));
        Some(())
    }
}

impl Visitor for Ranges<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Loop(l) => self.facts.limits.extend(counter_limits(l)),
            _ => {
                if let Some((var, value)) = free_definition(self.body, stmt) {
                    self.facts.definitions.insert(var, value.clone());
                }
            }
        }
        walk_stmt(self, stmt);
    }

    fn expr(&mut self, expr: &Expr) {
        if let Some((function, index, length)) = check_of(self.answers, expr) {
            self.check(function, index, length);
        }
        walk_expr(self, expr);
    }
}

/// A call that checks an index.
fn check_of<'a>(answers: &[Option<Answer>], expr: &'a Expr) -> Option<(FunctionId, &'a Expr, &'a Expr)> {
    let ExprKind::Call(function, arguments) = &expr.kind else { return None };
    let [Argument::Value(index), Argument::Value(length), ..] = arguments.as_slice() else {
        return None;
    };
    answers[function.0 as usize].map(|_| (*function, index, length))
}

/// Puts what they answer in the place of checks that hold.
struct Unchecked<'a> {
    answers: &'a [Option<Answer>],
    hoisted: &'a [Check],
}

impl Rewriter for Unchecked<'_> {
    fn expr(&mut self, expr: &mut Expr) {
        if let Some((function, index, length)) = check_of(self.answers, expr)
            && self.hoisted.iter().any(|(f, i, l)| *f == function && i == index && l == length)
        {
            let index = index.clone();
            *expr = match self.answers[function.0 as usize] {
                Some(Answer::True) => build::bool(true),
                _ => index,
            };
        }
        rewrite_expr(self, expr);
    }
}
