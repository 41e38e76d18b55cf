//! The values that a loop's variable runs through, and what conditions on it say about them.

use super::affine::{Affine, Scope, is_free};
use crate::ir::Uses;
use crate::ir::build;
use crate::ir::rewrite::without_spans;
use crate::ir::{BinaryOp, Body, Expr, ExprKind, MathFn, Scalar, VarId};

/// One end of a range.
#[derive(Clone, Debug)]
pub(crate) struct Bound {
    /// Its value.
    pub(crate) value: Affine,
    /// The same as the user wrote it, where that can be had.
    pub(crate) written: Option<Expr>,
}

impl Bound {
    /// Without a spelling of its own.
    pub(crate) fn new(value: Affine) -> Self {
        Self { value, written: None }
    }

    fn expr(&self) -> Expr {
        self.written.clone().unwrap_or_else(|| self.value.to_expr())
    }

    fn after(&self) -> Option<Self> {
        Some(Self::new(self.value.plus(&Affine::constant(1), 1)?))
    }
}

/// `max(lower) <= var < min(upper)`, in steps of one.
#[derive(Clone, Debug)]
pub(crate) struct Range {
    /// The variable.
    pub(crate) var: VarId,
    /// None of them known to be below another.
    pub(crate) lower: Vec<Bound>,
    /// None of them known to be above another.
    pub(crate) upper: Vec<Bound>,
    /// The only value, for the one iteration that was cut out.
    pub(crate) single: Option<Bound>,
    /// A number that no value lies below, where the bounds do not say so.
    pub(crate) known_least: Option<i64>,
}

impl Range {
    /// From `first` up to, not including, `last`.
    pub(crate) fn new(var: VarId, first: Bound, last: Bound) -> Self {
        Self { var, lower: vec![first], upper: vec![last], single: None, known_least: None }
    }

    /// The values below `bound`.
    pub(crate) fn below(&self, body: &Body, scope: &Scope, bound: &Bound) -> Range {
        let mut range = self.clone();
        if !self.upper.iter().any(|upper| scope.at_most(body, &upper.value, &bound.value)) {
            range.upper.retain(|upper| !scope.at_most(body, &bound.value, &upper.value));
            range.upper.push(bound.clone());
        }
        range
    }

    /// The values from `bound` on.
    pub(crate) fn from(&self, body: &Body, scope: &Scope, bound: &Bound) -> Range {
        let mut range = self.clone();
        if !self.starts_at(body, scope, &bound.value) {
            range.lower.retain(|lower| !scope.at_most(body, &lower.value, &bound.value));
            range.lower.push(bound.clone());
        }
        range
    }

    /// The values below, at and above `bound`.
    pub(crate) fn around(&self, body: &Body, scope: &Scope, bound: &Bound) -> Option<[Range; 3]> {
        let after = bound.after()?;
        let mut at = self.from(body, scope, bound).below(body, scope, &after);
        at.single = Some(bound.clone());
        Some([self.below(body, scope, bound), at, self.from(body, scope, &after)])
    }

    /// Whether no value is known to lie below `bound`.
    fn starts_at(&self, body: &Body, scope: &Scope, bound: &Affine) -> bool {
        let known = self.known_least.map(Affine::constant);
        self.lower.iter().map(|lower| &lower.value).chain(&known).any(|lower| scope.at_most(body, bound, lower))
    }

    /// Whether it is known to hold no value.
    pub(crate) fn is_empty(&self, body: &Body, scope: &Scope) -> bool {
        self.upper.iter().any(|upper| self.starts_at(body, scope, &upper.value))
    }

    /// Smallest and largest value, as far as they are known.
    pub(crate) fn limits(&self, body: &Body, scope: &Scope) -> (Option<i64>, Option<i64>) {
        let least = self.lower.iter().filter_map(|bound| scope.smallest(body, &bound.value)).max();
        let least = least.max(self.known_least);
        let most = self.upper.iter().filter_map(|bound| scope.largest(body, &bound.value)).min();
        (least, most.and_then(|most| most.checked_sub(1)))
    }

    /// Whether a test on the variable comes out the same for all values.
    pub(crate) fn decides(&self, body: &Body, scope: &Scope, test: &Test) -> Option<bool> {
        let below = |bound: &Affine| {
            let all = self.upper.iter().any(|upper| scope.at_most(body, &upper.value, bound));
            let none = self.starts_at(body, scope, bound);
            if all { Some(true) } else { none.then_some(false) }
        };
        let answer = match &test.kind {
            TestKind::Below(bound) => below(&bound.value)?,
            TestKind::Equals(bound) => match (below(&bound.value), below(&bound.after()?.value)) {
                (Some(true), _) | (_, Some(false)) => false,
                (Some(false), Some(true)) => true,
                _ => return None,
            },
        };
        Some(answer != test.negated)
    }

    /// First value and the one after the last, as 64-bit expressions.
    pub(crate) fn ends(&self) -> (Expr, Expr) {
        (extreme(MathFn::IntMax, &self.lower), extreme(MathFn::IntMin, &self.upper))
    }

    /// What must hold for the single value to lie in the range at all; `None`: nothing, it does.
    pub(crate) fn condition_of_single(&self, body: &Body, scope: &Scope, single: &Bound) -> Option<Expr> {
        let wide = |bound: &Bound| build::convert(bound.expr(), Scalar::I64);
        let mut conditions = Vec::new();
        for lower in &self.lower {
            if !scope.at_most(body, &lower.value, &single.value) {
                conditions.push(build::compare(BinaryOp::Le, wide(lower), wide(single)));
            }
        }
        let after = single.after();
        for upper in &self.upper {
            if !after.as_ref().is_some_and(|after| scope.at_most(body, &after.value, &upper.value)) {
                conditions.push(build::compare(BinaryOp::Lt, wide(single), wide(upper)));
            }
        }
        conditions.into_iter().reduce(build::and)
    }
}

fn extreme(function: MathFn, bounds: &[Bound]) -> Expr {
    // Constants come first: `min(256, n - o)`.
    let (constant, others): (Vec<&Bound>, Vec<&Bound>) = bounds.iter().partition(|bound| bound.value.terms.is_empty());
    let all = constant.into_iter().chain(others).map(Bound::expr);
    all.reduce(|a, b| build::extreme(function, a, b)).unwrap_or_else(|| build::int(0))
}

/// A comparison that tells a loop's values apart by where they lie.
#[derive(Clone, Debug)]
pub(crate) struct Test {
    /// Which values it holds for.
    pub(crate) kind: TestKind,
    /// It holds for the others instead.
    pub(crate) negated: bool,
}

/// Values for which a [`Test`] holds.
#[derive(Clone, Debug)]
pub(crate) enum TestKind {
    /// `var < bound`
    Below(Bound),
    /// `var == bound`
    Equals(Bound),
}

impl Test {
    /// Reads a comparison of integers as a test of `var`; `None` where it is none. `outside` tells the variables
    /// that have the same value for all iterations and are in scope around the loop.
    pub(crate) fn of(
        body: &Body,
        scope: &Scope,
        expr: &Expr,
        var: VarId,
        outside: &dyn Fn(VarId) -> bool,
    ) -> Option<Test> {
        let ExprKind::Binary(op, a, b) = &expr.kind else {
            return None;
        };
        if !op.is_comparison() {
            return None;
        }
        let (left, right) = (scope.affine(body, a)?, scope.affine(body, b)?);
        let one = Affine::constant(1);
        let difference = left.plus(&right, -1)?;
        // Everything is `difference < 0` or `difference == 0`, or the contrary of that.
        let (difference, equals, mut negated) = match op {
            BinaryOp::Lt => (difference, false, false),
            BinaryOp::Ge => (difference, false, true),
            BinaryOp::Le => (difference.plus(&one, -1)?, false, false),
            BinaryOp::Gt => (difference.plus(&one, -1)?, false, true),
            BinaryOp::Eq => (difference, true, false),
            _ => (difference, true, true),
        };
        let factor = difference.factor(var);
        let rest = difference.without(var);
        if factor.abs() != 1 || !rest.variables().into_iter().all(outside) {
            return None;
        }
        let value = match (factor, equals) {
            (1, _) | (_, true) => rest.times(-factor)?,
            _ => {
                // rest - var < 0: var > rest.
                negated = !negated;
                rest.plus(&one, 1)?
            }
        };
        let written = written_bound(a, b, &value, &left, &right, outside);
        let bound = Bound { value, written };
        Some(Test { kind: if equals { TestKind::Equals(bound) } else { TestKind::Below(bound) }, negated })
    }
}

/// The side of a comparison that is the bound itself, as it was written.
fn written_bound(
    a: &Expr,
    b: &Expr,
    value: &Affine,
    left: &Affine,
    right: &Affine,
    outside: &dyn Fn(VarId) -> bool,
) -> Option<Expr> {
    let side = if right == value { b } else { a };
    if right != value && left != value {
        return None;
    }
    let mentioned = Uses::of_expr(side).mentioned;
    (is_plain(side) && mentioned.into_iter().all(outside)).then(|| without_spans(side))
}

/// A variable, or a variable and a constant: it may be evaluated where the program does not, and means the same.
pub(crate) fn is_plain(expr: &Expr) -> bool {
    let leaf = |e: &Expr| is_free(e) && matches!(e.kind, ExprKind::Load(_) | ExprKind::Literal(_));
    match &expr.kind {
        ExprKind::Cast { value, implicit: true } => is_plain(value),
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) => leaf(a) && b.literal().is_some(),
        _ => leaf(expr),
    }
}
