//! What holds where a condition is true, and where it is false.

use super::{Frame, Walk};
use crate::ir::{BinaryOp, Expr, ExprKind, Literal, Scalar, UnaryOp};
use crate::signature::bounds::{Condition, Sum};

/// Comparisons of one condition that are kept.
const MOST_CONDITIONS: usize = 40;

/// What a condition says.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Truth {
    /// Where it is false, and where it is true.
    pub(super) holds: [Vec<Condition>; 2],
    /// That is everything.
    pub(super) exact: [bool; 2],
}

impl Truth {
    fn negated(self) -> Self {
        let Self { holds: [no, yes], exact: [is_no, is_yes] } = self;
        Self { holds: [yes, no], exact: [is_yes, is_no] }
    }

    /// `self && other`
    fn and(self, other: Self) -> Self {
        let Self { holds: [no, yes], exact } = self;
        let Self { holds: [other_no, other_yes], exact: other_exact } = other;
        // Where it is false, either is: that is no conjunction, unless one of them is always true.
        let always = |yes: &[Condition], exact: bool| yes.is_empty() && exact;
        let (no, no_exact) = if always(&yes, exact[1]) {
            (other_no, other_exact[0])
        } else if always(&other_yes, other_exact[1]) {
            (no, exact[0])
        } else {
            (Vec::new(), false)
        };
        let all_fit = yes.len() + other_yes.len() <= MOST_CONDITIONS;
        let yes: Vec<Condition> = yes.into_iter().chain(other_yes).take(MOST_CONDITIONS).collect();
        Self { holds: [no, yes], exact: [no_exact, all_fit && exact[1] && other_exact[1]] }
    }
}

impl<'a> Walk<'a> {
    /// The guard below `guard` where a condition is true, or false.
    pub(super) fn under(&mut self, guard: Option<u32>, truth: &Truth, is: bool) -> Option<u32> {
        let which = usize::from(is);
        let guard = truth.holds[which]
            .iter()
            .fold(guard, |guard, condition| self.space.guard(guard, Some(condition.clone()), true));
        if truth.exact[which] { guard } else { self.space.guard(guard, None, false) }
    }

    /// A condition; visits all accesses in it.
    pub(super) fn truth(&mut self, frame: &mut Frame<'a>, expr: &'a Expr) -> Truth {
        if !self.step() {
            return Truth::default();
        }
        match &expr.kind {
            ExprKind::Literal(Literal::Bool(value)) => self.constant(*value),
            ExprKind::Load(place) if place.path.is_empty() => {
                frame.env.truths.get(&place.root).cloned().unwrap_or_default()
            }
            ExprKind::Unary(UnaryOp::Not, a) => self.truth(frame, a).negated(),
            ExprKind::Binary(BinaryOp::LogicAnd, a, b) => {
                let first = self.truth(frame, a);
                let second = self.truth_where(frame, b, &first, true);
                first.and(second)
            }
            ExprKind::Binary(BinaryOp::LogicOr, a, b) => {
                let first = self.truth(frame, a);
                let second = self.truth_where(frame, b, &first, false);
                first.negated().and(second.negated()).negated()
            }
            ExprKind::Binary(op, a, b) if op.is_comparison() && is_number(a) => {
                let (a, b) = (self.value(frame, a), self.value(frame, b));
                compared(*op, &a, &b)
            }
            ExprKind::Cast { value, .. } if is_number(value) => {
                let value = self.value(frame, value);
                compared(BinaryOp::Ne, &value, &Sum::number(0))
            }
            _ => {
                self.visit_parts(frame, expr);
                Truth::default()
            }
        }
    }

    fn constant(&self, value: bool) -> Truth {
        let never = Condition::NotNegative(Sum::number(-1));
        let sums = if value { [vec![never], vec![]] } else { [vec![], vec![never]] };
        Truth { holds: sums, exact: [true; 2] }
    }

    /// A condition that is evaluated where another one is true, or false.
    fn truth_where(&mut self, frame: &mut Frame<'a>, expr: &'a Expr, first: &Truth, is: bool) -> Truth {
        let outside = frame.guard;
        frame.guard = self.under(outside, first, is);
        let truth = self.truth(frame, expr);
        frame.guard = outside;
        truth
    }
}

/// Whether an expression is an integer that is followed.
pub(super) fn is_number(expr: &Expr) -> bool {
    expr.ty.scalar().is_some_and(|ty| ty.is_integer() && ty != Scalar::Bool)
}

/// What a comparison says.
pub(super) fn compared(op: BinaryOp, a: &Sum, b: &Sum) -> Truth {
    let below = |a: &Sum, b: &Sum, by: i64| Some(Condition::NotNegative(b.plus(a, -1)?.plus(&Sum::number(by), -1)?));
    let differ = || a.plus(b, -1).map(Condition::NotZero);
    let (yes, no) = match op {
        BinaryOp::Lt => (vec![below(a, b, 1)], vec![below(b, a, 0)]),
        BinaryOp::Le => (vec![below(a, b, 0)], vec![below(b, a, 1)]),
        BinaryOp::Gt => (vec![below(b, a, 1)], vec![below(a, b, 0)]),
        BinaryOp::Ge => (vec![below(b, a, 0)], vec![below(a, b, 1)]),
        BinaryOp::Eq => (vec![below(a, b, 0), below(b, a, 0)], vec![differ()]),
        _ => (vec![differ()], vec![below(a, b, 0), below(b, a, 0)]),
    };
    let exact = [&no, &yes].map(|conditions| conditions.iter().all(Option::is_some));
    Truth { holds: [no, yes].map(|conditions| conditions.into_iter().flatten().collect()), exact }
}
