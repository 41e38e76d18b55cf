//! Divisions of integers: whether a divisor can be zero, and whether a quotient can leave its type.
//!
//! A division that has a result for every item, whatever is launched, needs nothing. One whose divisor a launch may know
//! more of becomes a requirement. What is left is checked where it happens.

use super::condition::is_number;
use super::space::{MOST_DEPTH, Space};
use super::{Frame, Walk};
use crate::ir::{BinaryOp, Expr, ExprKind, Scalar};
use crate::signature::bounds::{Alternative, Condition, Is, RangeOp, Sum, Term};
use crate::source::Span;

/// How far a value may go in one direction.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reach {
    /// No further than this, whatever is launched.
    known: Option<i128>,
    /// The numbers of a launch limit it, too.
    by_launch: bool,
}

impl Reach {
    fn at(known: i128) -> Self {
        Self { known: Some(known), by_launch: false }
    }

    fn is_limited(self) -> bool {
        self.known.is_some() || self.by_launch
    }

    /// What is limited as both are: their sum, or the further one.
    fn both(self, other: Self, join: fn(i128, i128) -> Option<i128>) -> Self {
        let known = self.known.zip(other.known).and_then(|(a, b)| join(a, b));
        let are_limited = self.is_limited() && other.is_limited();
        Self { known, by_launch: are_limited && (self.by_launch || other.by_launch) }
    }

    /// What two limits say together.
    fn or(self, other: Self) -> Self {
        let nearest = self.known.into_iter().chain(other.known).min();
        Self { known: nearest, by_launch: self.by_launch || other.by_launch }
    }

    fn map(self, change: impl FnOnce(i128) -> Option<i128>) -> Self {
        Self { known: self.known.and_then(change), ..self }
    }
}

/// Whether an expression holds a division that may have no result.
pub(super) fn divides(expr: &Expr) -> bool {
    !expr.every(&|e| match &e.kind {
        ExprKind::Binary(BinaryOp::Div | BinaryOp::Rem, _, divisor) => divisor.divides_anything(),
        _ => true,
    })
}

impl<'a> Walk<'a> {
    /// Visits what an operator is applied to, behind `=`: of the other operand nothing is known.
    pub(super) fn visit_operand(&mut self, frame: &mut Frame<'a>, op: BinaryOp, value: &'a Expr, span: Span) {
        if !is_number(value) {
            return self.visit(frame, value);
        }
        let by = self.value(frame, value);
        let ty = value.ty.scalar().unwrap_or(Scalar::I64);
        if matches!(op, BinaryOp::Div | BinaryOp::Rem) && !value.divides_anything() {
            let unknown = self.space.unknown(ty);
            self.division(frame, op, [&unknown, &by], value, span);
        }
    }

    /// Visits the divisions of an expression that a launch can evaluate.
    pub(super) fn visit_divisions(&mut self, frame: &mut Frame<'a>, expr: &'a Expr) {
        self.visit_parts(frame, expr);
        if let ExprKind::Binary(op @ (BinaryOp::Div | BinaryOp::Rem), a, b) = &expr.kind {
            let sums = [self.space.known(a), self.space.known(b)];
            self.division(frame, *op, [&sums[0], &sums[1]], b, expr.span);
        }
    }

    /// Registers the division of `a` by `b`, which is the value of `divisor`; of other operators nothing.
    pub(super) fn division(&mut self, frame: &Frame<'a>, op: BinaryOp, [a, b]: [&Sum; 2], divisor: &Expr, span: Span) {
        if self.on_host || !matches!(op, BinaryOp::Div | BinaryOp::Rem) || divisor.divides_anything() {
            return;
        }
        let (ty, guard) = (divisor.ty.scalar().unwrap_or(Scalar::I64), frame.guard);
        let least_of_type = -1i128 << (8 * ty.bytes() - 1);
        let least = |space: &mut Space<'_>, sum: &Sum| space.reach(sum, -1, guard).map(i128::checked_neg);
        let may_overflow = ty.is_signed() && least(&mut self.space, a).known.is_none_or(|least| least <= least_of_type);
        let (low, high) = (least(&mut self.space, b), self.space.reach(b, 1, guard));
        let not_zero = self.space.is_not_zero(b, guard);
        let is_positive = low.known.is_some_and(|low| low >= i128::from(!not_zero));
        let is_negative = high.known.is_some_and(|high| high <= if may_overflow { -2 } else { -1 });
        if is_positive || is_negative || (not_zero && !may_overflow) {
            return;
        }
        // What is not negative is no less for having an upper end.
        let may_be_negative = low.known.is_none_or(|low| low < 0);
        if low.by_launch || (high.by_launch && may_be_negative) {
            self.space.require_divisor(b, guard, may_overflow, span);
        } else {
            self.space.unproven_division(span);
            self.unproven.insert_divisor(divisor);
        }
    }
}

impl Space<'_> {
    /// Whether a condition around a place says that a sum is not zero.
    fn is_not_zero(&mut self, sum: &Sum, guard: Option<u32>) -> bool {
        let negated = Sum::number(0).plus(sum, -1);
        let mut next = guard;
        while let Some(guard) = next {
            self.work = self.work.saturating_sub(1);
            let guard = &self.bounds.guards[guard as usize];
            if let Some(Condition::NotZero(known)) = &guard.condition
                && (known == sum || Some(known) == negated.as_ref())
            {
                return true;
            }
            next = guard.parent;
        }
        false
    }

    /// The greatest that `sign * sum` may be.
    fn reach(&mut self, sum: &Sum, sign: i8, guard: Option<u32>) -> Reach {
        let mut whole = Reach::at(i128::from(sum.constant) * i128::from(sign));
        for term in &sum.terms {
            let factor = i128::from(term.factor) * i128::from(sign);
            let part = match (term.variable, term.symbol) {
                (None, _) => Reach { known: None, by_launch: true },
                (Some(variable), None) => {
                    let part = self.reach_of(variable, if factor > 0 { 1 } else { -1 }, guard);
                    part.map(|most| most.checked_mul(factor.abs()))
                }
                // A factor that only the launch knows may have either sign.
                (Some(variable), Some(_)) => {
                    let is_limited = self.is_bounded_as_a_whole(&Sum::variable(variable), guard);
                    Reach { known: None, by_launch: is_limited }
                }
            };
            whole = whole.both(part, i128::checked_add);
            if !whole.is_limited() {
                break;
            }
        }
        whole
    }

    fn reach_of(&mut self, variable: u32, sign: i8, guard: Option<u32>) -> Reach {
        let key = (variable, guard, sign);
        if let Some(&reach) = self.reaches.get(&key) {
            return reach;
        }
        if self.depth == MOST_DEPTH || self.work == 0 {
            return Reach::default();
        }
        self.depth += 1;
        let computed = self.computed_reach(variable, sign, guard);
        let reach = self.limited_reach(variable, sign, guard).or(computed);
        self.depth -= 1;
        self.reaches.insert(key, reach);
        reach
    }

    /// What constraints and guards say of it.
    fn limited_reach(&mut self, variable: u32, sign: i8, guard: Option<u32>) -> Reach {
        // Constraints mention earlier variables only, so that this ends.
        let mut limits = self.bounds.variables[variable as usize].constraints.clone();
        let mut next = guard;
        while let Some(guard) = next {
            self.work = self.work.saturating_sub(1);
            let guard = &self.bounds.guards[guard as usize];
            if let Some(Condition::NotNegative(sum)) = &guard.condition {
                limits.extend((sum.variables().last() == Some(variable)).then(|| sum.clone()));
            }
            next = guard.parent;
        }
        let mut reach = Reach::default();
        for limit in limits {
            let constant = limit.constant;
            let (own, rest): (Vec<Term>, Vec<Term>) =
                limit.terms.into_iter().partition(|term| term.variable == Some(variable));
            let rest = self.reach(&Sum { constant, terms: rest }, 1, guard);
            let found = match own.as_slice() {
                // own * variable + rest >= 0
                [Term { symbol: None, factor, .. }] if (*factor < 0) == (sign > 0) => {
                    rest.map(|rest| Some(rest.div_euclid(i128::from(*factor).abs())))
                }
                [Term { symbol: Some(_), .. }] => Reach { known: None, by_launch: rest.is_limited() },
                _ => continue,
            };
            reach = reach.or(found);
        }
        reach
    }

    /// What it is computed of says of it.
    fn computed_reach(&mut self, variable: u32, sign: i8, guard: Option<u32>) -> Reach {
        match self.bounds.variables[variable as usize].is.clone() {
            Is::Any | Is::Some => Reach::default(),
            Is::Between(alternatives) | Is::OneOf(alternatives) => {
                let mut furthest: Option<Reach> = None;
                for Alternative { value, guard: own } in &alternatives {
                    let reach = self.reach(value, sign, guard).or(self.reach(value, sign, *own));
                    furthest = Some(furthest.map_or(reach, |known| known.both(reach, |a, b| Some(a.max(b)))));
                }
                furthest.unwrap_or_default()
            }
            Is::Quotient { dividend, divisor, .. } if divisor.terms.is_empty() && divisor.constant > 0 => {
                // Rounded down or towards zero: what is rounded down is no less than the least rounded down.
                let by = i128::from(divisor.constant);
                let reach = self.reach(&dividend, sign, guard);
                reach.map(|most| Some(if sign > 0 { most / by } else { -(-most).div_euclid(by) }))
            }
            Is::Quotient { dividend, divisor, .. } => self.any_launch(&[&dividend, &divisor], guard),
            Is::Of(RangeOp::Rem, a, _) if sign < 0 => {
                // It has the sign of the dividend, and is no further from zero.
                self.reach(&a, -1, guard).map(|most| Some(most.max(0)))
            }
            Is::Of(RangeOp::Bits, a, b) if sign < 0 => {
                let reach = self.reach(&a, -1, guard).both(self.reach(&b, -1, guard), |a, b| Some(a.max(b)));
                reach.map(|most| (most <= 0).then_some(0))
            }
            Is::Of(_, a, b) => self.any_launch(&[&a, &b], guard),
            Is::Wrapped(..) => Reach::default(),
        }
    }

    /// Limited where all of these are, and by a launch where it says something of one of them.
    fn any_launch(&mut self, sums: &[&Sum], guard: Option<u32>) -> Reach {
        let ends = sums.iter().flat_map(|sum| [(sum, 1), (sum, -1)]);
        let reaches: Vec<Reach> = ends.map(|(sum, sign)| self.reach(sum, sign, guard)).collect();
        let are_limited = reaches.iter().all(|reach| reach.is_limited());
        Reach { known: None, by_launch: are_limited && reaches.iter().any(|reach| reach.by_launch) }
    }
}
