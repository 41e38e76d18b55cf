//! The values that a loop's variable runs through, and what conditions on it say about them.

use crate::ir::Uses;
use crate::ir::affine::{Affine, Facts, Limits};
use crate::ir::build;
use crate::ir::rewrite::without_spans;
use crate::ir::{BinaryOp, Expr, ExprKind, MathFn, Scalar, VarId};

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
        Some(Self::new(self.value.offset(1)?))
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
    /// It begins where a condition says, which may be beyond the values that the variable's type has.
    pub(crate) begins_late: bool,
}

impl Range {
    /// From `first` up to, not including, `last`.
    pub(crate) fn new(var: VarId, first: Bound, last: Bound) -> Self {
        Self { var, lower: vec![first], upper: vec![last], single: None, known_least: None, begins_late: false }
    }

    /// The values below `bound`.
    pub(crate) fn below(&self, facts: &Facts, bound: &Bound) -> Range {
        let mut range = self.clone();
        if !self.upper.iter().any(|upper| facts.at_most(&upper.value, &bound.value)) {
            range.upper.retain(|upper| !facts.at_most(&bound.value, &upper.value));
            range.upper.push(bound.clone());
        }
        range
    }

    /// The values from `bound` on.
    pub(crate) fn from(&self, facts: &Facts, bound: &Bound) -> Range {
        let mut range = self.clone();
        if !self.starts_at(facts, &bound.value) {
            range.lower.retain(|lower| !facts.at_most(&lower.value, &bound.value));
            range.lower.push(bound.clone());
            range.begins_late |= bound.value.as_constant().is_none();
        }
        range
    }

    /// The values below, at and above `bound`.
    pub(crate) fn around(&self, facts: &Facts, bound: &Bound) -> Option<[Range; 3]> {
        let after = bound.after()?;
        let mut at = self.from(facts, bound).below(facts, &after);
        at.single = Some(bound.clone());
        Some([self.below(facts, bound), at, self.from(facts, &after)])
    }

    /// Whether no value is known to lie below `bound`.
    fn starts_at(&self, facts: &Facts, bound: &Affine) -> bool {
        let known = self.known_least.map(Affine::constant);
        self.lower.iter().map(|lower| &lower.value).chain(&known).any(|lower| facts.at_most(bound, lower))
    }

    /// Whether it is known to hold no value.
    pub(crate) fn is_empty(&self, facts: &Facts) -> bool {
        self.upper.iter().any(|upper| self.starts_at(facts, &upper.value))
    }

    /// Smallest and largest value, as far as they are known.
    pub(crate) fn limits(&self, facts: &Facts) -> Limits {
        let least = self.lower.iter().filter_map(|bound| facts.smallest(&bound.value)).max();
        let least = least.max(self.known_least);
        let most = self.upper.iter().filter_map(|bound| facts.largest(&bound.value)).min();
        (least, most.and_then(|most| most.checked_sub(1)))
    }

    /// Whether a test on the variable comes out the same for all values.
    pub(crate) fn decides(&self, facts: &Facts, test: &Test) -> Option<bool> {
        let below = |bound: &Affine| {
            let all = self.upper.iter().any(|upper| facts.at_most(&upper.value, bound));
            let none = self.starts_at(facts, bound);
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
    pub(crate) fn condition_of_single(&self, facts: &Facts, single: &Bound) -> Option<Expr> {
        let wide = |bound: &Bound| build::convert(bound.expr(), Scalar::I64);
        let mut conditions = Vec::new();
        for lower in &self.lower {
            if !facts.at_most(&lower.value, &single.value) {
                conditions.push(build::compare(BinaryOp::Le, wide(lower), wide(single)));
            }
        }
        let after = single.after();
        for upper in &self.upper {
            if !after.as_ref().is_some_and(|after| facts.at_most(&after.value, &upper.value)) {
                conditions.push(build::compare(BinaryOp::Lt, wide(single), wide(upper)));
            }
        }
        conditions.into_iter().reduce(build::and)
    }
}

fn extreme(function: MathFn, bounds: &[Bound]) -> Expr {
    // Constants come first: `min(256, n - o)`.
    let (constant, others): (Vec<&Bound>, Vec<&Bound>) =
        bounds.iter().partition(|bound| bound.value.as_constant().is_some());
    let all = constant.into_iter().chain(others).map(Bound::expr);
    all.reduce(|a, b| build::extreme(function, a, b)).unwrap_or_else(|| build::int(0))
}

/// A comparison that splits a loop's values by where they lie.
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
    pub(crate) fn of(facts: &Facts, expr: &Expr, var: VarId, outside: &dyn Fn(VarId) -> bool) -> Option<Test> {
        let ExprKind::Binary(op, a, b) = &expr.kind else {
            return None;
        };
        if !op.is_comparison() {
            return None;
        }
        let (left, right) = (facts.affine(a)?, facts.affine(b)?);
        let difference = left.sub(&right)?;
        // Everything is `difference < 0` or `difference == 0`, or the contrary of that.
        let (difference, equals, mut negated) = match op {
            BinaryOp::Lt => (difference, false, false),
            BinaryOp::Ge => (difference, false, true),
            BinaryOp::Le => (difference.offset(-1)?, false, false),
            BinaryOp::Gt => (difference.offset(-1)?, false, true),
            BinaryOp::Eq => (difference, true, false),
            _ => (difference, true, true),
        };
        let factor = difference.coefficient(var);
        let rest = difference.without_var(var);
        if factor.abs() != 1 || !rest.variables().into_iter().all(outside) {
            return None;
        }
        let value = match (factor, equals) {
            (1, _) | (_, true) => rest.scale(-factor)?,
            _ => {
                // rest - var < 0: var > rest.
                negated = !negated;
                rest.offset(1)?
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
    let leaf = |e: &Expr| e.is_speculatable() && matches!(e.kind, ExprKind::Load(_) | ExprKind::Literal(_));
    match &expr.kind {
        ExprKind::Cast { value, implicit: true } => is_plain(value),
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) => leaf(a) && b.literal().is_some(),
        _ => leaf(expr),
    }
}
