//! Calls of functions that check an index, and what takes their place where it is known to be in range.

use crate::ir::rewrite::{Rewriter, rename, rewrite_expr, rewrite_place};
use crate::ir::{
    Argument, BinaryOp, Body, Expr, ExprKind, Function, FunctionId, Literal, Module, Place, Projection, Stmt, StmtKind,
    build, for_declarations,
};
use crate::passes::fold;
use std::collections::BTreeMap;

/// What a function answers where its first argument, without sign, is below its second one; it does nothing else then.
#[derive(Clone, Copy)]
pub(super) enum Answer {
    First,
    True,
}

impl Answer {
    pub(super) fn of(function: &Function) -> Option<Self> {
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

/// A call of a function that checks.
pub(super) struct Check {
    pub(super) function: FunctionId,
    pub(super) index: Expr,
    pub(super) length: Expr,
    /// The index in 64 bits, where it may wrap as an `int`.
    pub(super) number: Option<Expr>,
}

/// A call that checks an index.
pub(super) fn check_of<'a>(answers: &[Option<Answer>], expr: &'a Expr) -> Option<(FunctionId, &'a Expr, &'a Expr)> {
    let ExprKind::Call(function, arguments) = &expr.kind else { return None };
    let [Argument::Value(index), Argument::Value(length), ..] = arguments.as_slice() else {
        return None;
    };
    answers[function.0 as usize].map(|_| (*function, index, length))
}

/// The functions of a module that check; empty where there is none.
pub(super) fn answers(module: &Module) -> Vec<Option<Answer>> {
    let answers: Vec<Option<Answer>> = module.functions.iter().map(Answer::of).collect();
    if answers.iter().all(Option::is_none) { Vec::new() } else { answers }
}

/// A copy of statements without some checks, with variables of its own.
pub(super) fn without(body: &mut Body, answers: &[Option<Answer>], hoisted: &[Check], stmts: &[Stmt]) -> Vec<Stmt> {
    let mut copy = stmts.to_vec();
    Unchecked { answers, hoisted }.list(&mut copy);
    fold::run(&mut copy, &|_| None);
    let mut copies = BTreeMap::new();
    for_declarations(&copy, &mut |var, _| copies.extend([(var, body.add(body.var(var).clone()))]));
    rename(&mut copy, &copies);
    copy
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
