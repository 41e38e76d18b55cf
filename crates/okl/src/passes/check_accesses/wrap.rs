//! Arithmetic that may leave its type.
//!
//! To C's compilers signed overflow and a shift by too many bits have no meaning: behind `if (k >= 0)`, `j = k + 5` is never
//! negative to them, and a condition `j >= 0` that protects an access is gone. What a launch proves to fit stays as it is written;
//! other sums become `(int)((unsigned int)k + 5u)`, and counts of shifts `count & 31`. Items whose numbers may wrap count from zero.

use super::InBody;
use crate::ir::rewrite::{Rewriter, rename};
use crate::ir::{
    BinaryOp, Expr, ExprKind, Initializer, Literal, Place, Region, Role, Scalar, Stmt, StmtKind, Type, UnaryOp,
    Variable, build, may_overflow,
};
use std::collections::BTreeMap;

/// An expression whose parts are settled, made to wrap.
pub(crate) fn arithmetic(expr: &mut Expr) {
    let Some(signed) = expr.ty.scalar() else { return };
    let whole = std::mem::replace(expr, Expr::int(0, signed, expr.span));
    *expr = build::convert(unsigned(whole, signed), signed);
}

/// The same number without a sign; sums of sums are computed so as a whole.
fn unsigned(expr: Expr, signed: Scalar) -> Expr {
    let ty = if signed == Scalar::I64 { Scalar::U64 } else { Scalar::U32 };
    let span = expr.span;
    let is_of_type = expr.ty == Type::Scalar(signed);
    let kind = match expr.kind {
        ExprKind::Binary(op, a, b) if is_of_type && may_overflow(op, &expr.ty) => {
            ExprKind::Binary(op, Box::new(unsigned(*a, signed)), Box::new(unsigned(*b, signed)))
        }
        ExprKind::Unary(UnaryOp::Negate, a) if is_of_type => {
            let zero = Expr::int(0, ty, span);
            ExprKind::Binary(BinaryOp::Sub, Box::new(zero), Box::new(unsigned(*a, signed)))
        }
        ExprKind::Literal(Literal::Int(number)) if number >= 0 => ExprKind::Literal(Literal::Int(number)),
        // That a negative one changes its sign is meant.
        ExprKind::Literal(Literal::Int(_)) => ExprKind::Cast { value: Box::new(expr), implicit: false },
        // What was made to wrap before.
        ExprKind::Cast { value, implicit: true } if is_of_type && value.ty == Type::Scalar(ty) => return *value,
        kind => return build::convert(Expr { kind, ..expr }, ty),
    };
    Expr { kind, ty: ty.into(), span }
}

/// The number of bits that a value is shifted by, as long as its type is wide.
pub(super) fn shifted(count: &mut Expr, value: &Type) {
    let (Some(ty), Some(width)) = (count.ty.scalar(), value.scalar().map(|ty| 8 * ty.computes_as().bytes() as i64))
    else {
        return;
    };
    let is_below = |number: &Expr| number.as_int().is_some_and(|number| (0..width).contains(&number));
    let is_masked = matches!(&count.kind, ExprKind::Binary(BinaryOp::BitAnd, a, b) if is_below(a) || is_below(b));
    if is_below(count) || is_masked {
        return;
    }
    let span = count.span;
    let whole = std::mem::replace(count, Expr::int(0, ty, span));
    *count = Expr { span, ..build::binary(BinaryOp::BitAnd, whole, Expr::int(width - 1, ty, span), ty) };
}

impl InBody<'_, '_> {
    /// Items whose first number nobody knows count from zero: answers the sums that their numbers then are. A loop from there to
    /// an end beyond the type would never come to it. What they begin with is computed before, where others could change it
    /// meanwhile.
    pub(super) fn count_from_zero(&mut self, region: &mut Region, before: &mut Vec<Stmt>) -> Vec<Stmt> {
        let mut sums = Vec::new();
        for axis in region.axes.iter_mut().flatten() {
            if !self.pass.places.contains_update(&axis.start) {
                continue;
            }
            let ty = axis.start.ty.scalar().unwrap_or(Scalar::I32);
            self.expr(&mut axis.start);
            if !self.is_own(&axis.start) {
                let (start, declare) = self.held(&axis.start, "start");
                before.push(declare);
                axis.start = start;
            }
            let counter = self.body.var(axis.var).clone();
            let number = Variable { name: String::new(), role: Role::Local, is_const: true, ..counter.clone() };
            let number = build::fresh(self.body, &counter.name, number);
            rename(&mut region.body, &BTreeMap::from([(axis.var, number)]));
            let start = std::mem::replace(&mut axis.start, Expr::int(0, ty, axis.span));
            let step = std::mem::replace(&mut axis.step, Expr::int(1, ty, axis.span));
            let moved = match step.as_int() {
                Some(1) => build::load(self.body, axis.var),
                _ => build::binary(BinaryOp::Mul, build::load(self.body, axis.var), build::convert(step, ty), ty),
            };
            let mut sum = build::binary(BinaryOp::Add, start, moved, ty);
            if !self.pass.means.wraps {
                arithmetic(&mut sum);
            }
            let init = Some(Initializer::Value(sum));
            sums.push(Stmt { kind: StmtKind::Declare { var: number, init }, span: axis.span });
        }
        sums
    }

    /// `place op= value` as an assignment of a sum that wraps; answers what comes before it. Indices are evaluated once.
    pub(super) fn update(&mut self, place: &mut Place, op: &mut Option<BinaryOp>, value: &mut Expr) -> Vec<Stmt> {
        let Some(operator) = op.take() else { return Vec::new() };
        let before = self.indices(place);
        let ty = place.ty.scalar().map_or(Scalar::I64, Scalar::computes_as);
        let by = std::mem::replace(value, Expr::int(0, ty, value.span));
        let span = by.span;
        let old = build::convert(build::load_place(place.clone()), ty);
        let mut sum = Expr { span, ..build::binary(operator, old, build::convert(by, ty), ty) };
        arithmetic(&mut sum);
        *value = match place.ty.scalar() {
            Some(narrow) => build::convert(sum, narrow),
            None => sum,
        };
        before
    }
}
