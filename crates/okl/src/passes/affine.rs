//! Integers as sums: what is known of an index without running the program.
//!
//! A [`Affine`] is `constant + Σ factor · term`, a term being a variable or an expression that is taken as it is.
//! It equals the expression it was made of *as a number*: signed arithmetic does not overflow (C leaves that
//! undefined), and 64-bit unsigned values are taken to lie below 2⁶³, as every index does.

use crate::ir::Uses;
use crate::ir::build;
use crate::ir::rewrite::without_spans;
use crate::ir::{BinaryOp, Body, Builtin, Expr, ExprKind, Literal, MathFn, Projection, Scalar, Type, UnaryOp, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// A sum of terms.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Affine {
    /// What is added.
    pub(crate) constant: i64,
    /// Expressions without spans, each once, with their factors, none zero.
    pub(crate) terms: Vec<(Expr, i64)>,
}

impl Affine {
    /// A number.
    pub(crate) fn constant(constant: i64) -> Self {
        Self { constant, terms: Vec::new() }
    }

    /// An expression taken as it is.
    pub(crate) fn term(expr: &Expr) -> Self {
        Self { constant: 0, terms: vec![(without_spans(expr), 1)] }
    }

    /// `self + factor · other`; `None` where a number leaves 64 bits.
    pub(crate) fn plus(&self, other: &Affine, factor: i64) -> Option<Affine> {
        let mut sum = self.clone();
        sum.constant = sum.constant.checked_add(other.constant.checked_mul(factor)?)?;
        for (expr, own) in &other.terms {
            let added = own.checked_mul(factor)?;
            match sum.terms.iter_mut().find(|(term, _)| term == expr) {
                Some((_, existing)) => *existing = existing.checked_add(added)?,
                None => sum.terms.push((expr.clone(), added)),
            }
        }
        sum.terms.retain(|(_, factor)| *factor != 0);
        Some(sum)
    }

    /// `factor · self`
    pub(crate) fn times(&self, factor: i64) -> Option<Affine> {
        Self::default().plus(self, factor)
    }

    /// The factor of a variable.
    pub(crate) fn factor(&self, var: VarId) -> i64 {
        self.terms.iter().find(|(term, _)| is_var(term, var)).map_or(0, |(_, factor)| *factor)
    }

    /// The sum without a variable's term.
    pub(crate) fn without(&self, var: VarId) -> Affine {
        let terms = self.terms.iter().filter(|(term, _)| !is_var(term, var)).cloned().collect();
        Self { constant: self.constant, terms }
    }

    /// All variables that occur.
    pub(crate) fn variables(&self) -> BTreeSet<VarId> {
        self.terms.iter().flat_map(|(term, _)| Uses::of_expr(term).mentioned).collect()
    }

    /// The sum as a 64-bit expression: what is added first, then what is taken away, the constant last.
    pub(crate) fn to_expr(&self) -> Expr {
        let product =
            |term: &Expr, factor: i64| build::mul(build::convert(term.clone(), Scalar::I64), build::int(factor));
        let (added, taken): (Vec<_>, Vec<_>) = self.terms.iter().partition(|(_, factor)| *factor > 0);
        let mut sum = added.iter().fold(build::int(0), |sum, (term, factor)| build::add(sum, product(term, *factor)));
        if added.is_empty() && self.constant != 0 {
            sum = build::int(self.constant);
        }
        for (term, factor) in taken {
            sum = build::sub(sum, product(term, -factor));
        }
        match (added.is_empty(), self.constant) {
            (true, _) | (_, 0) => sum,
            (_, constant) if constant < 0 => build::sub(sum, build::int(-constant)),
            (_, constant) => build::add(sum, build::int(constant)),
        }
    }
}

fn is_var(expr: &Expr, var: VarId) -> bool {
    matches!(&expr.kind, ExprKind::Load(place) if place.root == var && place.path.is_empty())
}

/// What is known where an expression stands.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    /// Constant locals and their values.
    pub(crate) definitions: BTreeMap<VarId, Expr>,
    /// Smallest and largest values of variables.
    pub(crate) limits: BTreeMap<VarId, (Option<i64>, Option<i64>)>,
}

impl Scope {
    /// An integer expression as a sum.
    pub(crate) fn affine(&self, body: &Body, expr: &Expr) -> Option<Affine> {
        let ty = expr.ty.scalar().filter(|ty| ty.is_integer() && *ty != Scalar::Bool)?;
        match &expr.kind {
            ExprKind::Literal(Literal::Int(value)) if ty != Scalar::U64 || *value >= 0 => {
                Some(Affine::constant(*value))
            }
            ExprKind::Load(place) if place.path.is_empty() => match self.definitions.get(&place.root) {
                Some(value) => self.affine(body, value),
                None => Some(Affine::term(expr)),
            },
            ExprKind::Cast { value, .. } => self.linear_cast(body, value, ty).or_else(|| opaque(expr, ty)),
            ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul), a, b) => {
                // Unsigned subtraction may wrap below zero, 32-bit unsigned sums above.
                let exact = ty.is_signed() || ty == Scalar::U64 && *op != BinaryOp::Sub;
                let sum = exact.then(|| self.linear_binary(body, *op, a, b)).flatten();
                sum.or_else(|| opaque(expr, ty))
            }
            ExprKind::Unary(UnaryOp::Negate, a) if ty.is_signed() => self.affine(body, a)?.times(-1),
            _ => opaque(expr, ty),
        }
    }

    fn linear_binary(&self, body: &Body, op: BinaryOp, a: &Expr, b: &Expr) -> Option<Affine> {
        let (a, b) = (self.affine(body, a)?, self.affine(body, b)?);
        match op {
            BinaryOp::Add => a.plus(&b, 1),
            BinaryOp::Sub => a.plus(&b, -1),
            _ if b.terms.is_empty() => a.times(b.constant),
            _ if a.terms.is_empty() => b.times(a.constant),
            _ => None,
        }
    }

    fn linear_cast(&self, body: &Body, value: &Expr, to: Scalar) -> Option<Affine> {
        let from = value.ty.scalar().filter(|ty| ty.is_integer())?;
        let sum = self.affine(body, value)?;
        let wider = to.bytes() > from.bytes();
        let keeps = match (from.is_signed(), to.is_signed()) {
            (true, true) | (false, false) => to.bytes() >= from.bytes(),
            (false, true) => wider || from == Scalar::U64 && to == Scalar::I64,
            (true, false) => to.bytes() >= from.bytes() && self.smallest(body, &sum).is_some_and(|least| least >= 0),
        };
        keeps.then_some(sum)
    }

    /// A number that the sum is never below.
    pub(crate) fn smallest(&self, body: &Body, sum: &Affine) -> Option<i64> {
        sum.terms.iter().try_fold(sum.constant, |total, (term, factor)| {
            let (least, most) = self.limits_of(body, term);
            let extreme = if *factor > 0 { least? } else { most? };
            total.checked_add(extreme.checked_mul(*factor)?)
        })
    }

    /// A number that the sum is never above.
    pub(crate) fn largest(&self, body: &Body, sum: &Affine) -> Option<i64> {
        self.smallest(body, &sum.times(-1)?)?.checked_neg()
    }

    /// Whether `a <= b` is known.
    pub(crate) fn at_most(&self, body: &Body, a: &Affine, b: &Affine) -> bool {
        b.plus(a, -1).and_then(|difference| self.smallest(body, &difference)).is_some_and(|least| least >= 0)
    }

    fn limits_of(&self, body: &Body, term: &Expr) -> (Option<i64>, Option<i64>) {
        let unsigned = term.ty.scalar().is_some_and(|ty| !ty.is_signed());
        let known = match &term.kind {
            ExprKind::Load(place) if place.path.is_empty() => self.limits.get(&place.root).copied().unwrap_or_default(),
            ExprKind::Builtin(Builtin::RangeBegin) => (Some(0), None),
            // A launch without groups runs none.
            ExprKind::Builtin(Builtin::RangeEnd) => (Some(1), None),
            _ => (None, None),
        };
        let _ = body;
        (known.0.or(unsigned.then_some(0)), known.1)
    }
}

/// An expression as a single term, where it may be evaluated early and fits a signed 64-bit integer.
fn opaque(expr: &Expr, ty: Scalar) -> Option<Affine> {
    (ty != Scalar::U64 && is_free(expr)).then(|| Affine::term(expr))
}

/// Whether an expression may be evaluated where the program would not: it reads variables only, and cannot trap.
pub(crate) fn is_free(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Literal(_) | ExprKind::Builtin(_) => true,
        ExprKind::Load(place) => {
            matches!(place.ty, Type::Scalar(_)) && place.path.iter().all(|p| matches!(p, Projection::Field(_)))
        }
        ExprKind::Unary(_, a) => is_free(a),
        ExprKind::Cast { value, .. } => is_free(value),
        ExprKind::Binary(BinaryOp::Div | BinaryOp::Rem, a, b) if expr.ty.scalar().is_some_and(Scalar::is_integer) => {
            is_free(a) && b.as_int().is_some_and(|divisor| divisor != 0 && divisor != -1)
        }
        ExprKind::Binary(_, a, b) => is_free(a) && is_free(b),
        ExprKind::Select(a, b, c) => is_free(a) && is_free(b) && is_free(c),
        ExprKind::Math(MathFn::IntMin | MathFn::IntMax | MathFn::IntAbs, arguments) => arguments.iter().all(is_free),
        ExprKind::Math(..) | ExprKind::Call(..) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Place, Role, Variable};
    use crate::source::Span;

    fn body(types: &[Scalar]) -> Body {
        let variable = |(index, ty): (usize, &Scalar)| Variable {
            name: format!("v{index}"),
            ty: (*ty).into(),
            role: Role::Local,
            is_const: true,
            span: Span::default(),
        };
        Body { vars: types.iter().enumerate().map(variable).collect() }
    }

    fn sum(op: BinaryOp, a: Expr, b: Expr, ty: Scalar) -> Expr {
        build::binary(op, a, b, ty)
    }

    #[test]
    fn sums_are_read_through_casts_and_definitions() {
        let body = body(&[Scalar::I32, Scalar::I32, Scalar::I32]);
        let (b, t, i) = (VarId(0), VarId(1), VarId(2));
        let value = |var| build::load(&body, var);
        let product = sum(BinaryOp::Mul, value(b), Expr::int(256, Scalar::I32, Span::default()), Scalar::I32);
        let mut scope = Scope::default();
        scope.definitions.insert(i, sum(BinaryOp::Add, product, value(t), Scalar::I32));
        let index = build::convert(value(i), Scalar::I64);
        let affine = scope.affine(&body, &build::sub(index, build::int(3))).unwrap();
        assert_eq!((affine.factor(b), affine.factor(t), affine.factor(i), affine.constant), (256, 1, 0, -3));
        scope.limits.insert(b, (Some(0), None));
        scope.limits.insert(t, (Some(1), Some(255)));
        assert_eq!(scope.smallest(&body, &affine), Some(-2));
        assert_eq!(scope.largest(&body, &affine), None);
        assert_eq!(scope.largest(&body, &affine.without(b)), Some(252));
    }

    #[test]
    fn what_may_wrap_is_no_sum() {
        let body = body(&[Scalar::U64, Scalar::U32, Scalar::I32]);
        let value = |var| build::load(&body, VarId(var));
        let scope = Scope::default();
        let one = |ty| Expr::int(1, ty, Span::default());
        // `n - 1` is huge where n is 0; a 32-bit sum is taken as it is; a sign is lost only where there is none.
        assert_eq!(scope.affine(&body, &sum(BinaryOp::Sub, value(0), one(Scalar::U64), Scalar::U64)), None);
        let narrow = scope.affine(&body, &sum(BinaryOp::Add, value(1), one(Scalar::U32), Scalar::U32)).unwrap();
        assert_eq!((narrow.constant, narrow.terms.len(), narrow.factor(VarId(1))), (0, 1, 0));
        assert_eq!(scope.affine(&body, &build::convert(value(2), Scalar::U64)), None);
        let mut known = Scope::default();
        known.limits.insert(VarId(2), (Some(0), None));
        assert_eq!(known.affine(&body, &build::convert(value(2), Scalar::U64)).unwrap().factor(VarId(2)), 1);
    }

    #[test]
    fn what_may_trap_or_reads_memory_is_not_moved() {
        let body = body(&[Scalar::I32, Scalar::I32]);
        let value = |var| build::load(&body, VarId(var));
        assert!(!is_free(&sum(BinaryOp::Div, value(0), value(1), Scalar::I32)));
        assert!(is_free(&sum(BinaryOp::Div, value(0), Expr::int(2, Scalar::I32, Span::default()), Scalar::I32)));
        let path = vec![Projection::Index(value(1))];
        let element = Place { root: VarId(0), path, ty: Scalar::I32.into(), span: Span::default() };
        assert!(!is_free(&build::load_place(element)));
    }
}
