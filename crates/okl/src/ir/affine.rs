//! Integer expressions as affine forms: `constant + Σ coefficient · term`.
//!
//! [`Affine`] is the form and its arithmetic, [`Facts::affine`] reads an expression as one, and [`Facts::smallest`] and
//! [`Facts::largest`] bound it. Bounds of loops, extents of `@inner` loops and index sets are all computed with them.
//!
//! A form equals the expression that it was read from *as a number*: signed arithmetic does not overflow (C leaves that
//! undefined), and 64-bit unsigned values are taken to lie below 2⁶³, as every index does. Arithmetic on forms is exact
//! or fails: it gives `None` where a coefficient or the constant leaves 64 bits.

use super::rewrite::without_spans;
use super::{BinaryOp, Builtin, Expr, ExprKind, Literal, Scalar, Type, UnaryOp, Uses, VarId, build};
use std::collections::{BTreeMap, BTreeSet};

/// What an affine form multiplies by a coefficient.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Term {
    /// The value of a scalar variable.
    Var(VarId, Scalar),
    /// A number of the launch.
    Builtin(Builtin, Scalar),
    /// Anything else, taken as it is; without spans, so that equal text is one term.
    Opaque(Box<Expr>),
}

impl Term {
    fn of(expr: &Expr) -> Self {
        match (&expr.kind, expr.ty.scalar()) {
            (ExprKind::Load(place), Some(ty)) if place.path.is_empty() => Self::Var(place.root, ty),
            (ExprKind::Builtin(builtin), Some(ty)) => Self::Builtin(*builtin, ty),
            _ => Self::Opaque(Box::new(without_spans(expr))),
        }
    }

    fn expr(&self) -> Expr {
        match self {
            Self::Var(var, ty) => Expr::var(*var, (*ty).into(), Default::default()),
            Self::Builtin(builtin, ty) => build::builtin(*builtin, *ty),
            Self::Opaque(expr) => (**expr).clone(),
        }
    }

    /// The variable that it is.
    pub(crate) fn variable(&self) -> Option<VarId> {
        match self {
            Self::Var(var, _) => Some(*var),
            _ => None,
        }
    }

    fn is_var(&self, wanted: VarId) -> bool {
        self.variable() == Some(wanted)
    }

    fn variables(&self) -> BTreeSet<VarId> {
        match self {
            Self::Var(var, _) => BTreeSet::from([*var]),
            Self::Builtin(..) => BTreeSet::new(),
            Self::Opaque(expr) => Uses::of_expr(expr).mentioned,
        }
    }
}

/// `constant + Σ coefficient · term`
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Affine {
    constant: i64,
    /// Each term once, in the order of its first appearance; no coefficient is zero.
    terms: Vec<(Term, i64)>,
}

impl Affine {
    /// A number.
    pub(crate) fn constant(constant: i64) -> Self {
        Self { constant, terms: Vec::new() }
    }

    /// An expression as a single term.
    pub(crate) fn term(expr: &Expr) -> Self {
        Self { constant: 0, terms: vec![(Term::of(expr), 1)] }
    }

    /// The terms with their coefficients.
    pub(crate) fn terms(&self) -> &[(Term, i64)] {
        &self.terms
    }

    /// The number, where there are no terms.
    pub(crate) fn as_constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// `self + other`
    pub(crate) fn add(&self, other: &Affine) -> Option<Affine> {
        self.add_scaled(other, 1)
    }

    /// `self - other`
    pub(crate) fn sub(&self, other: &Affine) -> Option<Affine> {
        self.add_scaled(other, -1)
    }

    /// `factor · self`
    pub(crate) fn scale(&self, factor: i64) -> Option<Affine> {
        Self::default().add_scaled(self, factor)
    }

    /// `self + number`
    pub(crate) fn offset(&self, number: i64) -> Option<Affine> {
        Some(Self { constant: self.constant.checked_add(number)?, terms: self.terms.clone() })
    }

    fn add_scaled(&self, other: &Affine, factor: i64) -> Option<Affine> {
        let mut sum = self.offset(other.constant.checked_mul(factor)?)?;
        for (term, coefficient) in &other.terms {
            let added = coefficient.checked_mul(factor)?;
            match sum.terms.iter_mut().find(|(known, _)| known == term) {
                Some((_, known)) => *known = known.checked_add(added)?,
                None => sum.terms.push((term.clone(), added)),
            }
        }
        sum.terms.retain(|(_, coefficient)| *coefficient != 0);
        Some(sum)
    }

    /// The coefficient of a variable, 0 where it is no term.
    pub(crate) fn coefficient(&self, var: VarId) -> i64 {
        self.terms.iter().find(|(term, _)| term.is_var(var)).map_or(0, |(_, coefficient)| *coefficient)
    }

    /// The form without the terms that `remove` picks.
    pub(crate) fn without(&self, remove: impl Fn(&Term, i64) -> bool) -> Affine {
        let kept = self.terms.iter().filter(|(term, coefficient)| !remove(term, *coefficient));
        Self { constant: self.constant, terms: kept.cloned().collect() }
    }

    /// The form without a variable's term. An opaque term may still read the variable.
    pub(crate) fn without_var(&self, var: VarId) -> Affine {
        self.without(|term, _| term.is_var(var))
    }

    /// The form with `value` in the place of a variable. `None` also where an opaque term reads the variable.
    pub(crate) fn substitute(&self, var: VarId, value: &Affine) -> Option<Affine> {
        let rest = self.without_var(var);
        if rest.variables().contains(&var) {
            return None;
        }
        rest.add_scaled(value, self.coefficient(var))
    }

    /// All variables that it reads, within opaque terms too.
    pub(crate) fn variables(&self) -> BTreeSet<VarId> {
        self.terms.iter().flat_map(|(term, _)| term.variables()).collect()
    }

    /// As a 64-bit expression without spans: what is added first, then what is taken away, the constant last.
    pub(crate) fn to_expr(&self) -> Expr {
        let product =
            |term: &Term, factor: i64| build::mul(build::convert(term.expr(), Scalar::I64), build::int(factor));
        let (added, taken): (Vec<_>, Vec<_>) = self.terms.iter().partition(|(_, coefficient)| *coefficient > 0);
        let begin = if added.is_empty() { self.constant } else { 0 };
        let mut sum =
            added.iter().fold(build::int(begin), |sum, (term, factor)| build::add(sum, product(term, *factor)));
        for (term, factor) in &taken {
            // The negative of the smallest number does not exist.
            sum = match factor.checked_neg() {
                Some(factor) => build::sub(sum, product(term, factor)),
                None => build::add(sum, product(term, *factor)),
            };
        }
        match (added.is_empty(), self.constant.checked_neg()) {
            (true, _) => sum,
            (_, Some(negated)) if negated > 0 => build::sub(sum, build::int(negated)),
            _ => build::add(sum, build::int(self.constant)),
        }
    }
}

/// How integer arithmetic is read.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Reading {
    /// Unsigned arithmetic that may wrap, and what may not be evaluated early, is a term by itself.
    #[default]
    Exact,
    /// As if integers had no width: nothing wraps. For the head of a loop, whose index runs from its start to its bound.
    Unbounded,
    /// Exact, but for `int`s that are computed in an unsigned type (`check_accesses::wrap`): such a sum is read as if it did not
    /// wrap, and is right where it fits an `int`.
    Fitting,
}

/// What is known of variables where an expression stands.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    /// Constant locals and their values.
    pub(crate) definitions: BTreeMap<VarId, Expr>,
    /// Smallest and largest values of variables.
    pub(crate) limits: BTreeMap<VarId, Limits>,
    /// How arithmetic is read.
    pub(crate) reading: Reading,
}

/// Smallest and largest value, as far as they are known.
pub(crate) type Limits = (Option<i64>, Option<i64>);

impl Facts {
    /// An integer expression as an affine form. What is no sum is a term of its own, `None` where it may not be one.
    pub(crate) fn affine(&self, expr: &Expr) -> Option<Affine> {
        let ty = expr.ty.scalar().filter(|ty| ty.is_integer())?;
        let decomposed = match &expr.kind {
            _ if ty == Scalar::Bool => return None,
            ExprKind::Literal(Literal::Int(value)) => {
                return (ty != Scalar::U64 || *value >= 0).then(|| Affine::constant(*value));
            }
            ExprKind::Load(place) if place.path.is_empty() => {
                return match self.definitions.get(&place.root) {
                    Some(value) => self.affine(value),
                    None => Some(Affine::term(expr)),
                };
            }
            ExprKind::Cast { value, .. } => self.cast(value, ty),
            ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul), a, b) => {
                // Unsigned subtraction may wrap below zero, 32-bit unsigned sums above.
                let exact = ty.is_signed() || ty == Scalar::U64 && *op != BinaryOp::Sub;
                (exact || self.reading == Reading::Unbounded).then(|| self.binary(*op, a, b)).flatten()
            }
            ExprKind::Unary(UnaryOp::Negate, a) if ty.is_signed() || self.reading == Reading::Unbounded => {
                self.affine(a).and_then(|a| a.scale(-1))
            }
            _ => None,
        };
        let may_be_term = self.reading == Reading::Unbounded || ty != Scalar::U64 && expr.is_speculatable();
        decomposed.or_else(|| may_be_term.then(|| Affine::term(expr)))
    }

    fn binary(&self, op: BinaryOp, a: &Expr, b: &Expr) -> Option<Affine> {
        combined(op, &self.affine(a)?, &self.affine(b)?)
    }

    /// A conversion that changes no number.
    fn cast(&self, value: &Expr, to: Scalar) -> Option<Affine> {
        let from = value.ty.scalar().filter(|ty| ty.is_integer())?;
        if (self.reading, from, to) == (Reading::Fitting, Scalar::U32, Scalar::I32)
            && let Some(sum) = self.fitting(value)
        {
            return Some(sum);
        }
        let sum = self.affine(value)?;
        let holds_all = match (from.is_signed(), to.is_signed()) {
            _ if self.reading == Reading::Unbounded => to.bytes() >= from.bytes(),
            (true, true) | (false, false) => to.bytes() >= from.bytes(),
            (false, true) => to.bytes() > from.bytes() || from == Scalar::U64 && to == Scalar::I64,
            (true, false) => to.bytes() >= from.bytes() && self.smallest(&sum).is_some_and(|least| least >= 0),
        };
        holds_all.then_some(sum)
    }

    /// An unsigned sum of `int`s as that of their numbers.
    fn fitting(&self, sum: &Expr) -> Option<Affine> {
        match &sum.kind {
            ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul), a, b) => {
                combined(*op, &self.fitting(a)?, &self.fitting(b)?)
            }
            ExprKind::Cast { value, .. } if value.ty == Type::Scalar(Scalar::I32) => self.affine(value),
            ExprKind::Literal(Literal::Int(value)) => {
                i32::try_from(*value).ok().map(|value| Affine::constant(value.into()))
            }
            _ => None,
        }
    }

    /// A number that the form is never below.
    pub(crate) fn smallest(&self, sum: &Affine) -> Option<i64> {
        sum.terms.iter().try_fold(sum.constant, |total, (term, coefficient)| {
            let (least, most) = self.limits_of(term);
            let extreme = if *coefficient > 0 { least? } else { most? };
            total.checked_add(extreme.checked_mul(*coefficient)?)
        })
    }

    /// A number that the form is never above.
    pub(crate) fn largest(&self, sum: &Affine) -> Option<i64> {
        self.smallest(&sum.scale(-1)?)?.checked_neg()
    }

    /// Whether `a <= b` is known.
    pub(crate) fn at_most(&self, a: &Affine, b: &Affine) -> bool {
        b.sub(a).and_then(|difference| self.smallest(&difference)).is_some_and(|least| least >= 0)
    }

    fn limits_of(&self, term: &Term) -> Limits {
        let of_type = |ty: Scalar| (!ty.is_signed()).then_some(0);
        match term {
            Term::Var(var, ty) => {
                let (least, most) = self.limits.get(var).copied().unwrap_or_default();
                (least.or(of_type(*ty)), most)
            }
            // A launch without groups or items runs nothing.
            Term::Builtin(
                Builtin::RangeEnd | Builtin::GroupEnd | Builtin::GroupCount(_) | Builtin::ItemCount(_),
                _,
            ) => (Some(1), None),
            Term::Builtin(..) => (Some(0), None),
            Term::Opaque(expr) => (expr.ty.scalar().and_then(of_type), None),
        }
    }
}

fn combined(op: BinaryOp, a: &Affine, b: &Affine) -> Option<Affine> {
    match (op, a.as_constant(), b.as_constant()) {
        (BinaryOp::Add, ..) => a.add(b),
        (BinaryOp::Sub, ..) => a.sub(b),
        (_, _, Some(factor)) => a.scale(factor),
        (_, Some(factor), _) => b.scale(factor),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Span;

    fn var(number: u32, ty: Scalar) -> Expr {
        Expr::var(VarId(number), ty.into(), Span::default())
    }

    fn form(constant: i64, terms: &[(u32, i64)]) -> Affine {
        let term = |&(number, coefficient)| (Term::Var(VarId(number), Scalar::I64), coefficient);
        Affine { constant, terms: terms.iter().map(term).collect() }
    }

    #[test]
    fn arithmetic_is_exact_or_fails() {
        let a = form(3, &[(0, 2), (1, -1)]);
        assert_eq!(a.add(&form(1, &[(1, 1), (2, 4)])), Some(form(4, &[(0, 2), (2, 4)])));
        assert_eq!(a.sub(&a).unwrap().as_constant(), Some(0));
        assert_eq!(a.scale(-3), Some(form(-9, &[(0, -6), (1, 3)])));
        assert_eq!(a.scale(0), Some(Affine::constant(0)));
        assert_eq!(a.offset(i64::MAX), None);
        assert_eq!(a.scale(i64::MAX), None);
        assert_eq!(form(0, &[(0, i64::MAX)]).add(&form(0, &[(0, 1)])), None);
    }

    #[test]
    fn a_variable_is_replaced_by_a_form_unless_something_else_reads_it() {
        let a = form(3, &[(0, 2), (1, 5)]);
        assert_eq!(a.substitute(VarId(0), &form(-1, &[(1, -2)])), Some(form(1, &[(1, 1)])));
        assert_eq!(a.substitute(VarId(7), &form(9, &[])), Some(a.clone()));
        assert_eq!(a.substitute(VarId(0), &Affine::constant(i64::MAX)), None);
        let square = build::mul(var(0, Scalar::I64), var(0, Scalar::I64));
        let b = a.add(&Affine::term(&square)).unwrap();
        assert_eq!(b.substitute(VarId(0), &Affine::constant(1)), None);
        assert_eq!(b.substitute(VarId(1), &Affine::constant(1)).unwrap().variables(), BTreeSet::from([VarId(0)]));
    }

    #[test]
    fn forms_become_expressions_and_forms_again() {
        let extremes = form(i64::MIN, &[(0, i64::MIN), (1, 1)]);
        let forms =
            [form(-4, &[(0, -2), (1, 3)]), form(5, &[(0, -1)]), form(0, &[(2, 7)]), Affine::constant(-8), extremes];
        for a in forms {
            let again = Facts::default().affine(&a.to_expr()).unwrap();
            let parts = |form: &Affine| (form.constant, [0, 1, 2].map(|number| form.coefficient(VarId(number))));
            assert_eq!(parts(&again), parts(&a));
        }
    }

    #[test]
    fn sums_are_read_through_casts_and_definitions() {
        let (b, t, i) = (VarId(0), VarId(1), VarId(2));
        let value = |number| var(number, Scalar::I32);
        let number = Expr::int(256, Scalar::I32, Span::default());
        let product = build::binary(BinaryOp::Mul, value(0), number, Scalar::I32);
        let mut facts = Facts::default();
        facts.definitions.insert(i, build::binary(BinaryOp::Add, product, value(1), Scalar::I32));
        let affine = facts.affine(&build::sub(build::convert(value(2), Scalar::I64), build::int(3))).unwrap();
        assert_eq!([b, t, i].map(|var| affine.coefficient(var)), [256, 1, 0]);
        assert_eq!(affine.constant, -3);
        facts.limits.insert(b, (Some(0), None));
        facts.limits.insert(t, (Some(1), Some(255)));
        assert_eq!(facts.smallest(&affine), Some(-2));
        assert_eq!(facts.largest(&affine), None);
        assert_eq!(facts.largest(&affine.without_var(b)), Some(252));
    }

    #[test]
    fn what_may_wrap_is_no_sum_unless_integers_have_no_width() {
        let one = |ty| Expr::int(1, ty, Span::default());
        let [exact, unbounded] =
            [Reading::Exact, Reading::Unbounded].map(|reading| Facts { reading, ..Facts::default() });
        // `n - 1` is huge where n is 0, and a 32-bit sum is taken as it is.
        let below = build::binary(BinaryOp::Sub, var(0, Scalar::U64), one(Scalar::U64), Scalar::U64);
        assert_eq!(exact.affine(&below), None);
        let narrow = build::binary(BinaryOp::Add, var(1, Scalar::U32), one(Scalar::U32), Scalar::U32);
        assert!(matches!(exact.affine(&narrow).unwrap().terms(), [(Term::Opaque(_), 1)]));
        for (expr, constant) in [(&below, -1), (&narrow, 1)] {
            assert_eq!(unbounded.affine(expr).unwrap().constant, constant);
        }
        // A sign is lost only where there is none.
        let unsigned = build::convert(var(2, Scalar::I32), Scalar::U64);
        assert_eq!(exact.affine(&unsigned), None);
        let known = Facts { limits: BTreeMap::from([(VarId(2), (Some(0), None))]), ..exact };
        assert_eq!(known.affine(&unsigned).unwrap().coefficient(VarId(2)), 1);
    }
}
