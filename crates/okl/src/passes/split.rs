//! One loop over items, cut into pieces in which conditions on its variable are constant.
//!
//! `if (i < n)` around a body becomes the loop's bound, `if (t == 0)` a turn that stands by itself, a condition that
//! is the same for all turns moves out of the loop. What is left in the long pieces is straight code, which C
//! compilers vectorise. Legal, because the items of a region may run in any order.

use super::build;
use super::fold;
use super::linear::{Scope, is_free};
use super::loops::{Builder, wide};
use super::range::{Bound, Range, Test, TestKind};
use super::rewrite::{Uses, without_spans};
use crate::ir::{
    BinaryOp, Expr, ExprKind, Role, Scalar, Stmt, StmtKind, Type, VarId, Variable, Visitor,
    walk_expr, walk_stmt,
};
use std::collections::BTreeSet;

/// Nodes that cutting may add to one loop. Cuts that leave a single piece cost nothing.
const GROWTH: usize = 1200;

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
    /// Tells turns apart.
    Turns(Test),
    /// The same for all turns.
    Uniform(Expr),
}

impl Builder {
    /// The loop over `range` with `stmts` as its body, as one loop or several.
    pub(super) fn cut_loop(&mut self, range: Range, stmts: Vec<Stmt>, cuts: Cuts) -> Vec<Stmt> {
        let var = range.var;
        let (mut out, mut inside) = (Vec::new(), Vec::new());
        // What does not depend on the turn is computed before the loop.
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
            if leading && !varies {
                out.push(stmt)
            } else {
                inside.push(stmt)
            }
        }
        let mut growth = GROWTH;
        out.extend(self.pieces(range, inside, cuts, &mut growth));
        out
    }

    pub(super) fn pieces(
        &mut self,
        range: Range,
        mut stmts: Vec<Stmt>,
        cuts: Cuts,
        growth: &mut usize,
    ) -> Vec<Stmt> {
        self.fold_in(&range, &mut stmts);
        if stmts.is_empty() {
            return Vec::new();
        }
        if range.single.is_none() {
            if let (Cuts::Any, Some(loops)) = (cuts, self.few_turns_apart(&range, &stmts, growth)) {
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
        if range.is_empty(&self.body, &self.scope) {
            return stmts.clear();
        }
        let Turns { scope, inside } = self.turns(range, stmts);
        let outside = |var: VarId| !inside.contains(&var);
        let known = |expr: &Expr| {
            let test = Test::of(&self.body, &scope, expr, range.var, &outside)?;
            range.decides(&self.body, &scope, &test)
        };
        fold::run(stmts, &known);
    }

    /// What is known within the loop's body, and the variables that belong to it.
    pub(super) fn turns(&self, range: &Range, stmts: &[Stmt]) -> Turns {
        struct Find<'a>(&'a Builder, Turns, BTreeSet<VarId>);
        impl Visitor for Find<'_> {
            fn stmt(&mut self, stmt: &Stmt) {
                if let StmtKind::Declare { var, .. } = &stmt.kind {
                    self.1.inside.insert(*var);
                    if let Some((var, value)) = fold::free_definition(&self.0.body, stmt)
                        && !self.2.contains(&var)
                    {
                        self.1.scope.definitions.insert(var, value.clone());
                    }
                }
                walk_stmt(self, stmt);
            }
        }
        let uses = Uses::of(stmts);
        let mut turns = Turns {
            scope: self.scope.clone(),
            inside: uses.assigned.clone(),
        };
        turns.inside.insert(range.var);
        turns
            .scope
            .limits
            .insert(range.var, range.limits(&self.body, &self.scope));
        let mut find = Find(self, turns, uses.assigned);
        stmts.iter().for_each(|stmt| find.stmt(stmt));
        find.1
    }

    /// The conditions in a body that one could cut by, in the order in which they occur.
    fn candidates(&self, range: &Range, stmts: &[Stmt]) -> Vec<Cut> {
        struct Find<'a> {
            builder: &'a Builder,
            range: &'a Range,
            turns: Turns,
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
                let outside = |var: VarId| !self.turns.inside.contains(&var);
                if let Some(test) = Test::of(
                    &self.builder.body,
                    &self.turns.scope,
                    expr,
                    self.range.var,
                    &outside,
                ) {
                    self.found.push(Cut::Turns(test));
                } else if is_free(expr)
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
                    StmtKind::If {
                        condition,
                        then,
                        otherwise,
                    } => {
                        self.tested(condition);
                        then.iter()
                            .chain(otherwise)
                            .for_each(|stmt| self.stmt(stmt));
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
        let turns = self.turns(range, stmts);
        let mut find = Find {
            builder: self,
            range,
            turns,
            tested: 0,
            found: Vec::new(),
        };
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
            Cut::Turns(test) => {
                let ranges = match &test.kind {
                    TestKind::Below(bound) => {
                        vec![
                            range.below(&self.body, &self.scope, bound),
                            range.from(&self.body, &self.scope, bound),
                        ]
                    }
                    TestKind::Equals(bound) => {
                        range.around(&self.body, &self.scope, bound)?.to_vec()
                    }
                };
                let folded = ranges.into_iter().map(|range| {
                    let mut stmts = stmts.to_vec();
                    self.fold_in(&range, &mut stmts);
                    (range, stmts)
                });
                let pieces: Vec<(Range, Vec<Stmt>)> =
                    folded.filter(|(_, stmts)| !stmts.is_empty()).collect();
                if !affordable(stmts, pieces.iter().map(|(_, stmts)| stmts), cuts, growth) {
                    return None;
                }
                Some(
                    pieces
                        .into_iter()
                        .flat_map(|(range, stmts)| self.pieces(range, stmts, cuts, growth))
                        .collect(),
                )
            }
            Cut::Uniform(condition) => {
                let branch = |value: bool| {
                    let mut stmts = stmts.to_vec();
                    fold::run(&mut stmts, &|expr: &Expr| {
                        (without_spans(expr) == *condition).then_some(value)
                    });
                    stmts
                };
                let (then, otherwise) = (branch(true), branch(false));
                let both = [&then, &otherwise]
                    .into_iter()
                    .filter(|stmts| !stmts.is_empty());
                if !affordable(stmts, both, cuts, growth) {
                    return None;
                }
                let then = self.pieces(range.clone(), then, cuts, growth);
                let otherwise = self.pieces(range.clone(), otherwise, cuts, growth);
                Some(
                    build::when(condition.clone(), then, otherwise)
                        .into_iter()
                        .collect(),
                )
            }
        }
    }

    /// A piece as a loop, or as a block for a single turn.
    fn emit(&mut self, range: &Range, stmts: Vec<Stmt>) -> Vec<Stmt> {
        let var = range.var;
        let ty = self.body.var(var).ty.scalar().unwrap_or(Scalar::I64);
        if let Some(single) = &range.single
            && !ends_early(&stmts)
        {
            let value = single
                .written
                .clone()
                .unwrap_or_else(|| single.value.to_expr());
            let mut turn = stmts;
            if Uses::of(&turn).mentioned.contains(&var) {
                turn.insert(0, build::declare(&self.body, var, value));
            }
            return match range.condition_of_single(&self.body, &self.scope, single) {
                Some(condition) => build::when(condition, turn, Vec::new())
                    .into_iter()
                    .collect(),
                None if declared_within(&turn).is_empty() => turn,
                None => vec![build::stmt(StmtKind::Block(turn))],
            };
        }
        let (first, last) = range.ends();
        let mut out = Vec::new();
        let last = self.loop_end(var, ty, last, &mut out);
        let counter = build::load(&self.body, var);
        let condition = if last.ty == Type::Scalar(ty) {
            build::compare(BinaryOp::Lt, counter, last)
        } else {
            build::compare(BinaryOp::Lt, wide(counter), wide(last))
        };
        out.push(build::for_loop(
            build::declare(&self.body, var, first),
            condition,
            build::advance(&self.body, var, 1),
            stmts,
        ));
        out
    }

    /// A bound that is more than a value by itself gets a name; a loop over unsigned values a bound of their type.
    fn loop_end(&mut self, var: VarId, ty: Scalar, last: Expr, out: &mut Vec<Stmt>) -> Expr {
        let simple = last.literal().is_some() || is_short(&last);
        if simple && (ty.is_signed() || last.ty == Type::Scalar(ty)) {
            return last;
        }
        let end_ty = if ty.is_signed() { Scalar::I64 } else { ty };
        let span = self.body.var(var).span;
        let variable = Variable {
            name: String::new(),
            ty: end_ty.into(),
            role: Role::Local,
            is_const: true,
            span,
        };
        let stem = format!("{}_end", self.body.var(var).name);
        let end = build::fresh(&mut self.body, &stem, variable);
        out.push(build::declare(&self.body, end, last));
        build::load(&self.body, end)
    }
}

/// What is known within a loop's body.
pub(super) struct Turns {
    pub(super) scope: Scope,
    /// Variables whose value may change from turn to turn, or that exist only within one.
    pub(super) inside: BTreeSet<VarId>,
}

fn declared(stmt: &Stmt) -> Option<VarId> {
    match &stmt.kind {
        StmtKind::Declare { var, .. } => Some(*var),
        _ => None,
    }
}

pub(super) fn declared_within(stmts: &[Stmt]) -> BTreeSet<VarId> {
    struct Find(BTreeSet<VarId>);
    impl Visitor for Find {
        fn stmt(&mut self, stmt: &Stmt) {
            self.0.extend(declared(stmt));
            walk_stmt(self, stmt);
        }
    }
    let mut find = Find(BTreeSet::new());
    stmts.iter().for_each(|stmt| find.stmt(stmt));
    find.0
}

/// A variable, or a variable and a constant: short enough to stand in a loop's head.
fn is_short(expr: &Expr) -> bool {
    let leaf = |e: &Expr| match &e.kind {
        ExprKind::Cast { value, .. } => {
            matches!(value.kind, ExprKind::Load(_) | ExprKind::Literal(_))
        }
        _ => matches!(e.kind, ExprKind::Load(_) | ExprKind::Literal(_)),
    };
    match &expr.kind {
        ExprKind::Cast {
            value,
            implicit: true,
        } => is_short(value),
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) => leaf(a) && leaf(b),
        _ => leaf(expr),
    }
}

pub(super) fn ends_early(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::EndItem | StmtKind::Return(_) => true,
        StmtKind::If {
            then, otherwise, ..
        } => ends_early(then) || ends_early(otherwise),
        StmtKind::Block(stmts) => ends_early(stmts),
        StmtKind::Switch { arms, .. } => arms.iter().any(|arm| ends_early(&arm.body)),
        StmtKind::Loop(l) => ends_early(&l.body),
        _ => false,
    })
}

/// Whether the pieces of a cut stay within what a loop may grow by; takes what they cost.
fn affordable<'a>(
    whole: &[Stmt],
    pieces: impl Iterator<Item = &'a Vec<Stmt>>,
    cuts: Cuts,
    growth: &mut usize,
) -> bool {
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

/// A bound at an expression that [`Scope::linear`] can read.
pub(super) fn bound(builder: &Builder, expr: &Expr) -> Option<Bound> {
    let value = builder.scope.linear(&builder.body, expr)?;
    Some(Bound {
        value,
        written: is_free(expr).then(|| without_spans(expr)),
    })
}
