//! A piece of a loop over items as statements: a block for a single turn, a loop, or a loop in two parts.
//!
//! A vector that crosses the border of two cache lines costs two accesses. A long loop therefore begins with the few
//! turns up to where most of its accesses meet whole lines, and goes on from there; both parts are turns of one loop
//! around it, so that the body is written once. What is taken for granted is that arrays begin at a cache line; where
//! a slice does not, nothing is lost but those few turns.

use super::build;
use super::independent::{Independence, of_items};
use super::linear::Linear;
use super::loops::{Builder, wide};
use super::range::{Range, is_plain};
use super::rewrite::Uses;
use super::split::declared_within;
use crate::ir::{
    BinaryOp, Expr, ExprKind, MathFn, Place, Projection, Role, Scalar, Stmt, StmtKind, Type, UnaryOp, VarId, Variable,
    Visitor, walk_place,
};
use std::collections::BTreeSet;

/// Bytes of a cache line, and of the widest vector.
const LINE: i64 = 64;

impl Builder<'_> {
    /// A piece as a loop, or as a block for a single turn.
    pub(super) fn emit(&mut self, range: &Range, stmts: Vec<Stmt>) -> Vec<Stmt> {
        let var = range.var;
        let ty = self.body.var(var).ty.scalar().unwrap_or(Scalar::I64);
        if let Some(single) = &range.single
            && !ends_early(&stmts)
        {
            let value = single.written.clone().unwrap_or_else(|| single.value.to_expr());
            let mut turn = stmts;
            if Uses::of(&turn).mentioned.contains(&var) {
                turn.insert(0, build::declare(&self.body, var, value));
            }
            return match range.condition_of_single(&self.body, &self.scope, single) {
                Some(condition) => build::when(condition, turn, Vec::new()).into_iter().collect(),
                None if declared_within(&turn).is_empty() => turn,
                None => vec![build::stmt(StmtKind::Block(turn))],
            };
        }
        let (first, last) = range.ends();
        let mut out = Vec::new();
        let last = self.loop_end(var, ty, last, &mut out);
        match self.line_start(range, &stmts) {
            Some((phase, lanes)) if ty.is_signed() => out.push(self.two_parts(var, first, last, (phase, lanes), stmts)),
            _ => out.push(self.plain_loop(var, ty, first, last, stmts)),
        }
        out
    }

    fn plain_loop(&mut self, var: VarId, ty: Scalar, first: Expr, last: Expr, stmts: Vec<Stmt>) -> Stmt {
        let counter = build::load(&self.body, var);
        let condition = if last.ty == Type::Scalar(ty) {
            build::compare(BinaryOp::Lt, counter, last)
        } else {
            build::compare(BinaryOp::Lt, wide(counter), wide(last))
        };
        build::for_loop(build::declare(&self.body, var, first), condition, build::advance(&self.body, var, 1), stmts)
    }

    /// `for (part = first, stop = …; part < last; part = stop, stop = last) for (i = part; i < stop; ++i) { … }`
    fn two_parts(&mut self, var: VarId, first: Expr, last: Expr, (phase, lanes): (i64, i64), stmts: Vec<Stmt>) -> Stmt {
        let ty = self.body.var(var).ty.scalar().unwrap_or(Scalar::I64);
        let begin = self.bound_variable(var, "begin", Scalar::I64, false);
        let stop = self.bound_variable(var, "stop", Scalar::I64, false);
        let value = |var: VarId| build::load(&self.body, var);
        let missing =
            build::binary(BinaryOp::BitAnd, distance(phase, value(begin)), build::int(lanes - 1), Scalar::I64);
        let aligned = build::extreme(MathFn::IntMin, build::add(value(begin), missing), last.clone());
        let init = vec![build::declare(&self.body, begin, first), build::declare(&self.body, stop, aligned)];
        let condition = build::compare(BinaryOp::Lt, value(begin), wide(last.clone()));
        let update = vec![build::assign(&self.body, begin, value(stop)), build::assign(&self.body, stop, wide(last))];
        let (from, to) = (value(begin), value(stop));
        self.parallel.insert_parts(begin);
        let inner = self.plain_loop(var, ty, from, to, stmts);
        build::stmt(StmtKind::Loop(Box::new(crate::ir::Loop {
            init,
            head: Vec::new(),
            condition: Some(condition),
            update,
            body: vec![inner],
            test_last: false,
        })))
    }

    /// Where a long loop had better begin: at a value that is `phase` modulo `lanes`; `None`: anywhere.
    fn line_start(&self, range: &Range, stmts: &[Stmt]) -> Option<(i64, i64)> {
        let simple =
            |stmt: &Stmt| matches!(stmt.kind, StmtKind::Declare { .. } | StmtKind::Assign { .. } | StmtKind::If { .. });
        let independent = || of_items(self.module, &self.body, stmts, &|_| false) == Independence::Full;
        if !range.long || !stmts.iter().all(simple) || !independent() {
            return None;
        }
        let mut accesses = Accesses { builder: self, range, turns: self.turns(range, stmts), found: BTreeSet::new() };
        stmts.iter().for_each(|stmt| accesses.stmt(stmt));
        let lanes = accesses.found.iter().map(|access| access.lanes).max()?;
        let meets_line = |access: &&Access, start: i64| (start + access.offset) % access.lanes == 0;
        let score = |start: i64| -> i64 {
            accesses.found.iter().filter(|access| meets_line(access, start)).map(Access::weight).sum()
        };
        let best = (0..lanes).max_by_key(|&start| (score(start), -start))?;
        let natural =
            range.lower.iter().map(|bound| remainder(&bound.value, lanes)).reduce(|a, b| a.filter(|_| a == b));
        let starts_well = natural.flatten().is_some_and(|start| score(start) == score(best));
        (!starts_well && score(best) > 0).then_some((best, lanes))
    }

    /// A bound that is more than a value by itself gets a name; a loop over unsigned values a bound of their type.
    fn loop_end(&mut self, var: VarId, ty: Scalar, last: Expr, out: &mut Vec<Stmt>) -> Expr {
        let simple = last.literal().is_some() || is_plain(&last);
        if simple && (ty.is_signed() || last.ty == Type::Scalar(ty)) {
            return last;
        }
        let end_ty = if ty.is_signed() { Scalar::I64 } else { ty };
        let end = self.bound_variable(var, "end", end_ty, true);
        out.push(build::declare(&self.body, end, last));
        build::load(&self.body, end)
    }

    /// `i_end` and its like.
    fn bound_variable(&mut self, var: VarId, suffix: &str, ty: Scalar, is_const: bool) -> VarId {
        let span = self.body.var(var).span;
        let variable = Variable { name: String::new(), ty: ty.into(), role: Role::Local, is_const, span };
        let stem = format!("{}_{suffix}", self.body.var(var).name);
        build::fresh(&mut self.body, &stem, variable)
    }
}

/// `phase - value`
fn distance(phase: i64, value: Expr) -> Expr {
    if phase != 0 {
        return build::sub(build::int(phase), value);
    }
    Expr { ty: value.ty.clone(), span: value.span, kind: ExprKind::Unary(UnaryOp::Negate, Box::new(value)) }
}

/// What a value leaves when divided by `lanes`, where all of its terms are multiples.
fn remainder(value: &Linear, lanes: i64) -> Option<i64> {
    value.terms.iter().all(|(_, factor)| factor % lanes == 0).then(|| value.constant.rem_euclid(lanes))
}

/// An access to element `i + offset` of an array, `lanes` of which fill a cache line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Access {
    root: VarId,
    offset: i64,
    lanes: i64,
    is_store: bool,
}

impl Access {
    /// A store across two lines costs more than a load does.
    fn weight(&self) -> i64 {
        if self.is_store { 2 } else { 1 }
    }
}

struct Accesses<'a> {
    builder: &'a Builder<'a>,
    range: &'a Range,
    turns: super::split::Turns,
    found: BTreeSet<Access>,
}

impl Accesses<'_> {
    fn access(&mut self, place: &Place, is_store: bool) {
        let body = &self.builder.body;
        let ([Projection::Index(index) | Projection::Flat(index)], Type::Pointer(_)) =
            (place.path.as_slice(), &body.var(place.root).ty)
        else {
            return;
        };
        let (Some(sum), Some(ty)) = (self.turns.scope.linear(body, index), place.ty.scalar()) else {
            return;
        };
        if sum.factor(self.range.var) == 1 && sum.terms.len() == 1 {
            let lanes = LINE / ty.bytes() as i64;
            self.found.insert(Access { root: place.root, offset: sum.constant.rem_euclid(lanes), lanes, is_store });
        }
    }
}

impl Visitor for Accesses<'_> {
    fn load(&mut self, place: &Place) {
        self.access(place, false);
        walk_place(self, place);
    }

    fn store(&mut self, place: &Place) {
        self.access(place, true);
        walk_place(self, place);
    }
}

pub(super) fn ends_early(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::EndItem | StmtKind::Return(_) => true,
        StmtKind::If { then, otherwise, .. } => ends_early(then) || ends_early(otherwise),
        StmtKind::Block(stmts) => ends_early(stmts),
        StmtKind::Switch { arms, .. } => arms.iter().any(|arm| ends_early(&arm.body)),
        StmtKind::Loop(l) => ends_early(&l.body),
        _ => false,
    })
}
