//! Checks of a whole region at once.
//!
//! Where the indices of checked accesses are affine in what counts items and iterations, their smallest and largest values lie
//! within the memory, or some access does not. So the group asks once whether they do, and then runs the region without
//! these checks, as a loop that a C compiler vectorises; else it runs the region as it is, which finds out who is wrong.
//!
//! Only the distance between smallest and largest index is taken for exact, and it is a number: where computing an index
//! in 64 bits wraps, the bounds wrap with it, and the largest is then below the smallest. An `int` that may wrap is read as the number that it is if it does not, which is
//! so where that number fits; the region without checks then computes it as such.

mod checks;
pub(crate) mod loops;
mod range;

use super::counters::{axis_limits, counter_limits};
use super::fold::free_definition;
use super::loops::wide;
use crate::ir::affine::{Facts, Reading, Term};
use crate::ir::rewrite::replace_regions;
use crate::ir::{
    Body, Expr, FunctionId, Module, Region, Role, Stmt, StmtKind, Uses, VarId, Visitor, build, for_declarations,
    walk_expr, walk_stmt,
};
use checks::{Answer, Check, check_of};
use range::Indices;
use std::collections::BTreeSet;

/// Largest region, in nodes, of which there are two.
const MOST_NODES: usize = 4000;

/// Most ranges that are asked for before one region.
const MOST_RANGES: usize = 8;

pub(crate) fn run(module: &mut Module) {
    let answers = checks::answers(module);
    if answers.is_empty() {
        return;
    }
    for kernel in &mut module.kernels {
        let mut pass = HoistChecks { body: &mut kernel.body, answers: &answers };
        for nest in &mut kernel.nests {
            replace_regions(&mut nest.stmts, &mut |region| vec![pass.region(region)]);
        }
    }
}

struct HoistChecks<'a> {
    body: &'a mut Body,
    /// Of each function.
    answers: &'a [Option<Answer>],
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
        let body = checks::without(self.body, self.answers, &hoisted, &region.body);
        let unchecked = Region { axes: region.axes.clone(), body, meeting: region.meeting };
        let [then, otherwise] = [unchecked, region].map(|region| vec![build::stmt(StmtKind::Inner(Box::new(region)))]);
        build::stmt(StmtKind::If { condition, then, otherwise })
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
            None => self.ranges.push(Indices { base, steps: None, length: length.clone(), least, most, of_int }),
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
