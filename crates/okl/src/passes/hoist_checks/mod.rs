//! Checks of a whole region at once.
//!
//! Where the indices of checked accesses are affine in what counts items and iterations, their smallest and largest values lie
//! within the memory, or some access does not. So the group asks once whether they do, and then runs the region without
//! these checks, as a loop that a C compiler vectorises; else it runs the region as it is, which finds out who is wrong.
//!
//! Only the distance between smallest and largest index is taken for exact, and it is a number: where computing an index
//! in 64 bits wraps, the bounds wrap with it. An `int` that may wrap is read as the number that it is if it does not, which is
//! so where that number fits; the region without checks then computes it as such.

use super::check_accesses::wrap;
use super::counters::{axis_limits, counter_limits};
use super::fold::{self, free_definition};
use super::loops::wide;
use crate::ir::affine::{Affine, Facts, Reading, Term};
use crate::ir::rewrite::{Rewriter, rename, replace_regions, rewrite_expr, rewrite_place};
use crate::ir::{
    Argument, BinaryOp, Body, Expr, ExprKind, Function, FunctionId, Literal, Module, Place, Projection, Region, Role,
    Stmt, StmtKind, Uses, VarId, Visitor, build, for_declarations, walk_expr, walk_stmt,
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
    /// Some of them are only right as `int`s.
    of_int: bool,
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
        let at = |distance| {
            let mut index = build::add(self.base.to_expr(), build::int(distance));
            if self.is_wide() {
                wrap::arithmetic(&mut index);
            }
            index
        };
        let begins = build::compare(BinaryOp::Ge, at(self.least), build::int(0));
        let ends = build::compare(BinaryOp::Lt, at(self.most), wide(self.length.clone()));
        let fits = build::compare(BinaryOp::Le, at(self.most), build::int(i32::MAX.into()));
        let are_inside = build::and(begins, ends);
        if self.of_int { build::and(are_inside, fits) } else { are_inside }
    }

    /// Whether a sum of what it is made of may leave 64 bits.
    fn is_wide(&self) -> bool {
        self.base.terms().iter().any(|(term, _)| match term {
            Term::Var(_, ty) => ty.bytes() == 8,
            Term::Opaque(value) => value.ty.scalar().is_none_or(|ty| ty.bytes() == 8),
            Term::Builtin(..) => false,
        })
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
    hoisted: Vec<Check>,
}

/// A call of a function that checks.
struct Check {
    function: FunctionId,
    index: Expr,
    length: Expr,
    /// The index in 64 bits, where it may wrap as an `int`.
    number: Option<Expr>,
}

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
        let wide_index = wide(index.clone());
        let exact = self.facts.affine(&wide_index);
        self.facts.reading = Reading::Fitting;
        let fitting = self.facts.affine(&wide_index);
        self.facts.reading = Reading::Exact;
        let of_int = fitting != exact;
        let form = fitting?;
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
            Some(range) => {
                (range.least, range.most) = (range.least.min(least), range.most.max(most));
                range.of_int |= of_int;
            }
            None if is_full => return None,
            None => self.ranges.push(Indices { base, length: length.clone(), least, most, of_int }),
        }
        let number = of_int.then(|| form.to_expr());
        self.hoisted.push(Check { function, index: index.clone(), length: length.clone(), number });
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

impl Unchecked<'_> {
    fn find(&self, expr: &Expr) -> Option<&Check> {
        let (function, index, length) = check_of(self.answers, expr)?;
        let is_it = |check: &&Check| check.function == function && check.index == *index && check.length == *length;
        self.hoisted.iter().find(is_it)
    }

    /// The number that a subscript is, where it is only known to fit an `int` by the checks.
    fn number(&self, subscript: &Expr) -> Option<Expr> {
        let is_it = |check: &&Check| check.number.is_some() && check.index == *subscript;
        self.find(subscript).or_else(|| self.hoisted.iter().find(is_it))?.number.clone()
    }
}

impl Rewriter for Unchecked<'_> {
    fn expr(&mut self, expr: &mut Expr) {
        if let Some(check) = self.find(expr) {
            *expr = match self.answers[check.function.0 as usize] {
                Some(Answer::True) => build::bool(true),
                _ => check.index.clone(),
            };
        }
        rewrite_expr(self, expr);
    }

    fn place(&mut self, place: &mut Place) {
        for step in &mut place.path {
            if let Projection::Index(subscript) | Projection::Flat(subscript) = step
                && let Some(number) = self.number(subscript)
            {
                *subscript = number;
            }
        }
        rewrite_place(self, place);
    }
}
