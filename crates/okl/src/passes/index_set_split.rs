//! One loop over items, cut into pieces in which conditions on its variable are constant.
//!
//! `if (i < n)` around a body becomes the loop's bound, `if (t == 0)` an iteration that stands by itself, a condition that
//! is the same for all iterations moves out of the loop. What is left in the long pieces is straight code, which C
//! compilers vectorise. Legal, because the items of a region may run in any order.

use super::fold;
use super::loop_bounds::{Bound, Range, Test, TestKind, is_plain};
use super::loops::Builder;
use crate::ir::Uses;
use crate::ir::affine::Facts;
use crate::ir::build;
use crate::ir::rewrite::without_spans;
use crate::ir::{BinaryOp, Expr, ExprKind, Stmt, StmtKind, VarId, Visitor, for_declarations, walk_expr, walk_stmt};
use std::collections::BTreeSet;

/// Nodes that cutting may add to one loop. Cuts that leave a single piece cost nothing.
const GROWTH: usize = 600;

/// How far a loop may be cut.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cuts {
    /// Into any pieces.
    Any,
    /// Only where one piece is left: the body contains further loops over items.
    Guards,
}

/// A condition to cut by.
enum Cut {
    /// Differs from iteration to iteration.
    Iterations(Test),
    /// The same for all iterations.
    Uniform(Expr),
}

impl Builder {
    /// The loop over `range` with `stmts` as its body, as one loop or several.
    pub(super) fn cut_loop(&mut self, range: Range, stmts: Vec<Stmt>, cuts: Cuts) -> Vec<Stmt> {
        let var = range.var;
        let (mut out, mut inside) = (Vec::new(), Vec::new());
        // What does not depend on the iteration is computed before the loop.
        let mut varying = Uses::of(&stmts).assigned;
        varying.insert(var);
        let mut leading = true;
        for stmt in stmts {
            leading &= fold::free_definition(&self.body, &stmt).is_some();
            let varies = fold::free_definition(&self.body, &stmt)
                .is_none_or(|(_, value)| !Uses::of_expr(value).mentioned.is_disjoint(&varying));
            if let (StmtKind::Declare { var, .. }, true) = (&stmt.kind, varies) {
                varying.insert(*var);
            }
            if leading && !varies { out.push(stmt) } else { inside.push(stmt) }
        }
        let mut growth = GROWTH;
        out.extend(self.pieces(range, inside, cuts, &mut growth));
        out
    }

    pub(super) fn pieces(&mut self, range: Range, mut stmts: Vec<Stmt>, cuts: Cuts, growth: &mut usize) -> Vec<Stmt> {
        self.fold_in(&range, &mut stmts);
        if stmts.is_empty() {
            return Vec::new();
        }
        if range.single.is_none() {
            if let (Cuts::Any, Some(loops)) = (cuts, self.distribute_last(&range, &stmts, growth)) {
                return loops;
            }
            for cut in self.candidates(&range, &stmts) {
                if let Some(pieces) = self.try_cut(&range, &stmts, &cut, cuts, growth) {
                    return pieces;
                }
            }
        }
        self.emit(&range, stmts)
    }

    /// Folds what a range decides.
    fn fold_in(&self, range: &Range, stmts: &mut Vec<Stmt>) {
        if range.is_empty(&self.facts) {
            return stmts.clear();
        }
        let Iterations { facts, inside } = self.iterations(range, stmts);
        let outside = |var: VarId| !inside.contains(&var);
        let known = |expr: &Expr| {
            let test = Test::of(&facts, expr, range.var, &outside)?;
            range.decides(&facts, &test)
        };
        fold::run(stmts, &known);
    }

    /// What is known within the loop's body, and the variables that belong to it.
    pub(super) fn iterations(&self, range: &Range, stmts: &[Stmt]) -> Iterations {
        struct Find<'a>(&'a Builder, Iterations, BTreeSet<VarId>);
        impl Visitor for Find<'_> {
            fn stmt(&mut self, stmt: &Stmt) {
                if let StmtKind::Declare { var, .. } = &stmt.kind {
                    self.1.inside.insert(*var);
                    if let Some((var, value)) = fold::free_definition(&self.0.body, stmt)
                        && !self.2.contains(&var)
                    {
                        self.1.facts.definitions.insert(var, value.clone());
                    }
                }
                walk_stmt(self, stmt);
            }
        }
        let uses = Uses::of(stmts);
        let mut iterations = Iterations { facts: self.facts.clone(), inside: uses.assigned.clone() };
        iterations.inside.insert(range.var);
        iterations.facts.limits.insert(range.var, range.limits(&self.facts));
        let mut find = Find(self, iterations, uses.assigned);
        stmts.iter().for_each(|stmt| find.stmt(stmt));
        find.1
    }

    /// The conditions in a body that one could cut by, in the order in which they occur.
    fn candidates(&self, range: &Range, stmts: &[Stmt]) -> Vec<Cut> {
        struct Find<'a> {
            range: &'a Range,
            iterations: Iterations,
            tested: u32,
            found: Vec<Cut>,
        }
        impl Find<'_> {
            fn tested(&mut self, expr: &Expr) {
                self.tested += 1;
                self.expr(expr);
                self.tested -= 1;
            }

            fn atom(&mut self, expr: &Expr) {
                let outside = |var: VarId| !self.iterations.inside.contains(&var);
                if let Some(test) = Test::of(&self.iterations.facts, expr, self.range.var, &outside) {
                    self.found.push(Cut::Iterations(test));
                } else if expr.is_speculatable()
                    && expr.literal().is_none()
                    && Uses::of_expr(expr).mentioned.into_iter().all(outside)
                {
                    self.found.push(Cut::Uniform(without_spans(expr)));
                }
            }
        }
        impl Visitor for Find<'_> {
            fn stmt(&mut self, stmt: &Stmt) {
                match &stmt.kind {
                    StmtKind::If { condition, then, otherwise } => {
                        self.tested(condition);
                        then.iter().chain(otherwise).for_each(|stmt| self.stmt(stmt));
                    }
                    _ => walk_stmt(self, stmt),
                }
            }

            fn expr(&mut self, expr: &Expr) {
                let connects = matches!(
                    expr.kind,
                    ExprKind::Binary(BinaryOp::LogicAnd | BinaryOp::LogicOr, ..)
                        | ExprKind::Unary(crate::ir::UnaryOp::Not, _)
                );
                if self.tested > 0 && !connects {
                    self.atom(expr);
                }
                let tested = if connects { self.tested } else { 0 };
                let around = std::mem::replace(&mut self.tested, tested);
                if let ExprKind::Select(condition, a, b) = &expr.kind {
                    self.tested(condition);
                    self.expr(a);
                    self.expr(b);
                } else {
                    walk_expr(self, expr);
                }
                self.tested = around;
            }
        }
        let iterations = self.iterations(range, stmts);
        let mut find = Find { range, iterations, tested: 0, found: Vec::new() };
        stmts.iter().for_each(|stmt| find.stmt(stmt));
        find.found
    }

    /// The pieces that a cut makes, where it is worth it.
    fn try_cut(
        &mut self,
        range: &Range,
        stmts: &[Stmt],
        cut: &Cut,
        cuts: Cuts,
        growth: &mut usize,
    ) -> Option<Vec<Stmt>> {
        match cut {
            Cut::Iterations(test) => {
                let ranges = match &test.kind {
                    TestKind::Below(bound) => {
                        vec![range.below(&self.facts, bound), range.from(&self.facts, bound)]
                    }
                    TestKind::Equals(bound) => range.around(&self.facts, bound)?.to_vec(),
                };
                let folded = ranges.into_iter().map(|range| {
                    let mut stmts = stmts.to_vec();
                    self.fold_in(&range, &mut stmts);
                    (range, stmts)
                });
                let pieces: Vec<(Range, Vec<Stmt>)> = folded.filter(|(_, stmts)| !stmts.is_empty()).collect();
                if !affordable(stmts, pieces.iter().map(|(_, stmts)| stmts), cuts, growth) {
                    return None;
                }
                Some(pieces.into_iter().flat_map(|(range, stmts)| self.pieces(range, stmts, cuts, growth)).collect())
            }
            Cut::Uniform(condition) => {
                let branch = |value: bool| {
                    let mut stmts = stmts.to_vec();
                    fold::run(&mut stmts, &|expr: &Expr| (without_spans(expr) == *condition).then_some(value));
                    stmts
                };
                let (then, otherwise) = (branch(true), branch(false));
                let both = [&then, &otherwise].into_iter().filter(|stmts| !stmts.is_empty());
                if !affordable(stmts, both, cuts, growth) {
                    return None;
                }
                let then = self.pieces(range.clone(), then, cuts, growth);
                let otherwise = self.pieces(range.clone(), otherwise, cuts, growth);
                Some(build::when(condition.clone(), then, otherwise).into_iter().collect())
            }
        }
    }
}

/// What is known within a loop's body.
pub(super) struct Iterations {
    pub(super) facts: Facts,
    /// Variables whose value may change from iteration to iteration, or that exist only within one.
    pub(super) inside: BTreeSet<VarId>,
}

pub(super) fn declared_within(stmts: &[Stmt]) -> BTreeSet<VarId> {
    let mut declared = BTreeSet::new();
    for_declarations(stmts, &mut |var, _| declared.extend([var]));
    declared
}

/// Whether the pieces of a cut stay within what a loop may grow by; takes what they cost.
fn affordable<'a>(whole: &[Stmt], pieces: impl Iterator<Item = &'a Vec<Stmt>>, cuts: Cuts, growth: &mut usize) -> bool {
    let weights: Vec<usize> = pieces.map(|stmts| Uses::of(stmts).weight).collect();
    if weights.len() <= 1 {
        return true;
    }
    let total: usize = weights.iter().sum();
    let added = total.saturating_sub(Uses::of(whole).weight);
    if matches!(cuts, Cuts::Guards) || added > *growth {
        return false;
    }
    *growth -= added;
    true
}

/// A bound at an expression that [`Facts::affine`] can read.
pub(super) fn bound(builder: &Builder, expr: &Expr) -> Option<Bound> {
    let value = builder.facts.affine(expr)?;
    Some(Bound { value, written: is_plain(expr).then(|| without_spans(expr)) })
}
