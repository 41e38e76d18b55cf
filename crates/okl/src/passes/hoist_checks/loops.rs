//! Checks of a whole loop at once, where those of its region were not to be had: `moved[to + k]`, whose `to` comes from memory.
//!
//! What a loop does not change, and the numbers of its counter, say between which indices its checked accesses lie. It runs
//! without these checks where that is within the memory, and else as it is.

use super::checks::{self, Answer, Check, check_of};
use super::range::{Indices, MOST_FACTOR, Steps};
use crate::ir::affine::{Facts, Reading};
use crate::ir::rewrite::{Rewriter, rewrite_stmt};
use crate::ir::{
    BinaryOp, Body, Expr, FunctionId, Initializer, Loop, Module, Role, Scalar, Stmt, StmtKind, Uses, VarId, Variable,
    Visitor, build, for_declarations, walk_expr, walk_stmt,
};
use crate::passes::counters::{advanced, bound_of, iterations};
use crate::passes::fold::free_definition;
use crate::passes::loop_bounds::is_plain;
use crate::passes::loops::wide;
use std::collections::BTreeSet;

/// Largest loop, in nodes, of which there are two.
const MOST_NODES: usize = 600;

/// Most ranges that are asked for before one loop.
const MOST_RANGES: usize = 4;

/// A loop that is known to be shorter is not worth it.
const FEWEST_ITERATIONS: i64 = 16;

pub(crate) fn run(module: &mut Module) {
    let answers = checks::answers(module);
    if answers.is_empty() {
        return;
    }
    for kernel in &mut module.kernels {
        for nest in &mut kernel.nests {
            Loops { body: &mut kernel.body, answers: &answers }.list(&mut nest.stmts);
        }
    }
}

struct Loops<'a> {
    body: &'a mut Body,
    answers: &'a [Option<Answer>],
}

impl Rewriter for Loops<'_> {
    fn stmt(&mut self, stmt: &mut Stmt) {
        match &stmt.kind {
            StmtKind::Loop(l) if is_innermost(l) => {
                if let Some(versions) = self.versions(l) {
                    *stmt = versions;
                }
            }
            _ => rewrite_stmt(self, stmt),
        }
    }
}

fn is_innermost(l: &Loop) -> bool {
    struct Find(bool);
    impl Visitor for Find {
        fn stmt(&mut self, stmt: &Stmt) {
            self.0 |= matches!(stmt.kind, StmtKind::Loop(_) | StmtKind::Inner(_) | StmtKind::Mark(_));
            walk_stmt(self, stmt);
        }
    }
    let mut inner = Find(false);
    l.body.iter().for_each(|stmt| inner.stmt(stmt));
    !inner.0
}

impl Loops<'_> {
    /// The loop with and without checks.
    fn versions(&mut self, l: &Loop) -> Option<Stmt> {
        let whole = |l: &Loop| vec![build::stmt(StmtKind::Loop(Box::new(l.clone())))];
        let mut counter = Counter::of(self.body, l)?;
        let mut find = Find::of(self.body, self.answers, counter.var, l);
        l.body.iter().for_each(|stmt| find.stmt(stmt));
        let Find { ranges, hoisted, .. } = find;
        if ranges.is_empty() || Uses::of(&whole(l)).weight > MOST_NODES {
            return None;
        }
        let (mut l, mut out) = (l.clone(), Vec::new());
        if counter.first.literal().is_none() && !is_plain(&counter.first) {
            let stem = format!("{}_begin", self.body.var(counter.var).name);
            let variable = Variable { role: Role::Local, is_const: true, ..self.body.var(counter.var).clone() };
            let begin = build::fresh(self.body, &stem, variable);
            out.push(build::declare(self.body, begin, counter.first));
            counter.first = build::load(self.body, begin);
            l.init = vec![build::declare(self.body, counter.var, counter.first.clone())];
        }
        // Beyond what the counter holds it does not get.
        let is_long = counter.end.ty.scalar().is_none_or(|ty| ty.bytes() == 8);
        let fits = is_long.then(|| build::compare(BinaryOp::Le, counter.end.clone(), build::int(i32::MAX.into())));
        let inside = ranges.into_iter().map(|(each, mut range)| {
            let Counter { first, end, is_behind, .. } = counter.clone();
            range.steps = (each != 0).then_some(Steps { each, first, end, is_behind });
            range.are_inside()
        });
        let condition = fits.into_iter().chain(inside).reduce(build::and)?;
        let then = checks::without(self.body, self.answers, &hoisted, &whole(&l));
        out.push(build::stmt(StmtKind::If { condition, then, otherwise: whole(&l) }));
        Some(if out.len() == 1 { out.remove(0) } else { build::stmt(StmtKind::Block(out)) })
    }
}

/// What counts a loop from one number up to another, neither of which the loop changes.
#[derive(Clone)]
struct Counter {
    var: VarId,
    first: Expr,
    /// The last number, or the one behind it.
    end: Expr,
    is_behind: bool,
}

impl Counter {
    fn of(body: &Body, l: &Loop) -> Option<Self> {
        let var = l.variable()?;
        let [Stmt { kind: StmtKind::Declare { init: Some(Initializer::Value(first)), .. }, .. }] = l.init.as_slice()
        else {
            return None;
        };
        let [update] = l.update.as_slice() else { return None };
        let goes_up = advanced(update)
            .is_some_and(|(advanced, step)| advanced == var && step.as_int().is_some_and(|step| step > 0));
        let uses = Uses::of(&l.body);
        let is_touched = uses.assigned.contains(&var) || uses.addressed.contains(&var);
        let is_int = body.var(var).ty.scalar() == Some(Scalar::I32);
        if !goes_up || is_touched || l.test_last || !l.head.is_empty() || !is_int {
            return None;
        }
        let condition = l.condition.as_ref()?;
        if iterations(&l.init, condition, &l.update).is_some_and(|count| count < FEWEST_ITERATIONS) {
            return None;
        }
        let (op, end) = bound_of(condition, var)?;
        let is_fixed = end.is_speculatable() && Uses::of_expr(end).mentioned.is_disjoint(&uses.assigned);
        is_fixed.then(|| Self { var, first: first.clone(), end: end.clone(), is_behind: op == BinaryOp::Lt })
    }
}

/// Finds the checks of a loop that can be made before it.
struct Find<'a> {
    body: &'a Body,
    answers: &'a [Option<Answer>],
    counter: VarId,
    /// Variables of the loop, and those that it changes.
    own: BTreeSet<VarId>,
    facts: Facts,
    /// By what each number of the counter adds.
    ranges: Vec<(i64, Indices)>,
    hoisted: Vec<Check>,
}

impl<'a> Find<'a> {
    fn of(body: &'a Body, answers: &'a [Option<Answer>], counter: VarId, l: &Loop) -> Self {
        let mut own = Uses::of(&l.body).assigned;
        for_declarations(&l.body, &mut |var, _| own.extend([var]));
        Self { body, answers, counter, own, facts: Facts::default(), ranges: Vec::new(), hoisted: Vec::new() }
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
        let each = form.coefficient(self.counter);
        let rest = form.without_var(self.counter);
        let base = rest.sub(&rest.without(|_, _| true))?;
        let distance = rest.sub(&base)?.as_constant()?;
        let is_free = |var: &VarId| !self.own.contains(var) && *var != self.counter;
        let is_fixed = base.variables().union(&Uses::of_expr(length).mentioned).all(is_free);
        if !is_fixed || each.unsigned_abs() > MOST_FACTOR {
            return None;
        }
        // One number further than a counter gets must not leave 64 bits, either.
        i32::try_from(distance).ok()?;
        let is_full = self.ranges.len() == MOST_RANGES;
        let is_it =
            |(known, range): &&mut (i64, Indices)| *known == each && range.base == base && range.length == *length;
        match self.ranges.iter_mut().find(is_it) {
            Some((_, range)) => {
                (range.least, range.most) = (range.least.min(distance), range.most.max(distance));
                range.of_int |= of_int;
            }
            None if is_full => return None,
            None => {
                let (least, most, length) = (distance, distance, length.clone());
                self.ranges.push((each, Indices { base, steps: None, length, least, most, of_int }));
            }
        }
        let number = of_int.then(|| form.to_expr());
        self.hoisted.push(Check { function, index: index.clone(), length: length.clone(), number });
        Some(())
    }
}

impl Visitor for Find<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        if let Some((var, value)) = free_definition(self.body, stmt) {
            self.facts.definitions.insert(var, value.clone());
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
