//! A 0.0 in whose place a condition may choose another constant is hidden from the compilers of GPUs.
//!
//! NVVM computes with both constants of such a choice: of `-(c ? 1.0f : 0.0f)` it makes `c ? -1.0f : -0.0f`. That is a
//! conversion of `c` to ptxas (13.0 and 13.5), which has no −0.0. Texts for GPUs hide each −0.0 already; this writes such a 0.0
//! as the negation of one.

use crate::ir::rewrite::{Rewriter, rewrite_expr, rewrite_stmt};
use crate::ir::{
    Expr, ExprKind, Initializer, Literal, Module, Scalar, Stmt, StmtKind, Type, UnaryOp, VarId, Visitor, walk_stmt,
};
use std::collections::BTreeMap;

pub(crate) fn run(module: &mut Module) {
    for nest in module.kernels.iter_mut().flat_map(|kernel| &mut kernel.nests) {
        hide_in(&mut nest.stmts);
        nest.coarsened.iter_mut().for_each(|coarsened| hide_in(&mut coarsened.stmts));
    }
    module.functions.iter_mut().for_each(|function| hide_in(&mut function.stmts));
}

fn hide_in(stmts: &mut Vec<Stmt>) {
    let mut finder = Finder::default();
    stmts.iter().for_each(|stmt| finder.stmt(stmt));
    Hider(finder).list(stmts);
}

/// Which constants a value may be.
#[derive(Clone, Copy, Default)]
struct Constants {
    zero: bool,
    others: bool,
}

impl Constants {
    /// Those that conditions within a value choose between.
    fn add(&mut self, value: &Expr) {
        match &value.kind {
            ExprKind::Cast { value, .. } | ExprKind::Unary(UnaryOp::Negate, value) => self.add(value),
            ExprKind::Select(_, a, b) => {
                self.add(a);
                self.add(b);
            }
            ExprKind::Literal(Literal::Float(0.0)) => self.zero = true,
            ExprKind::Literal(_) => self.others = true,
            _ => {}
        }
    }

    fn hides_zero(self) -> bool {
        self.zero && self.others
    }
}

/// Who holds a value: a variable, all elements of an array as one, or nobody but the caller.
type Holder = Option<VarId>;

#[derive(Default)]
struct Finder(BTreeMap<Holder, Constants>);

impl Finder {
    fn add(&mut self, holder: Holder, value: &Expr) {
        if is_float(value) {
            self.0.entry(holder).or_default().add(value);
        }
    }
}

impl Visitor for Finder {
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Declare { var, init: Some(Initializer::Value(value)) } => self.add(Some(*var), value),
            StmtKind::Declare { var, init: Some(Initializer::List(values)) } => {
                values.iter().for_each(|value| self.add(Some(*var), value));
            }
            StmtKind::Assign { place, value, op: None } => self.add(Some(place.root), value),
            StmtKind::Return(Some(value)) => self.add(None, value),
            _ => {}
        }
        walk_stmt(self, stmt);
    }
}

struct Hider(Finder);

impl Hider {
    fn value(&self, holder: Holder, value: &mut Expr) {
        if is_float(value) && self.0.0.get(&holder).is_some_and(|constants| constants.hides_zero()) {
            hide(value);
        }
    }
}

impl Rewriter for Hider {
    fn stmt(&mut self, stmt: &mut Stmt) {
        match &mut stmt.kind {
            StmtKind::Declare { var, init: Some(Initializer::Value(value)) } => self.value(Some(*var), value),
            StmtKind::Declare { var, init: Some(Initializer::List(values)) } => {
                values.iter_mut().for_each(|value| self.value(Some(*var), value));
            }
            StmtKind::Assign { place, value, op: None } => self.value(Some(place.root), value),
            StmtKind::Return(Some(value)) => self.value(None, value),
            _ => {}
        }
        rewrite_stmt(self, stmt);
    }

    fn expr(&mut self, expr: &mut Expr) {
        if matches!(expr.kind, ExprKind::Select(..)) && is_float(expr) {
            let mut constants = Constants::default();
            constants.add(expr);
            if constants.hides_zero() {
                hide(expr);
            }
        }
        rewrite_expr(self, expr);
    }
}

fn is_float(expr: &Expr) -> bool {
    matches!(expr.ty, Type::Scalar(Scalar::F32 | Scalar::F64))
}

/// Hides each 0.0 that the value may be.
fn hide(value: &mut Expr) {
    let is_float = is_float(value);
    match &mut value.kind {
        ExprKind::Cast { value, .. } | ExprKind::Unary(UnaryOp::Negate, value) => hide(value),
        ExprKind::Select(_, a, b) => {
            hide(a);
            hide(b);
        }
        ExprKind::Literal(Literal::Float(zero)) if *zero == 0.0 && zero.is_sign_positive() && is_float => {
            let negative = Expr { kind: ExprKind::Literal(Literal::Float(-0.0)), ..value.clone() };
            value.kind = ExprKind::Unary(UnaryOp::Negate, negative.into());
        }
        _ => {}
    }
}
