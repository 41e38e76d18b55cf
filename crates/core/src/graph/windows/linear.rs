//! What is known of integers before an item runs: which are sums of constants and the item's numbers. Conditions that hold for all
//! items of the middle, as that a point is no wall, are decided so, and a neighbour's index tells how far away it is.

use okl::ir::{BinaryOp, Expr, ExprKind, Scalar, Type, UnaryOp, VarId};
use std::collections::BTreeMap;
use std::ops::Range;

/// A sum of a constant and, each with a factor, the numbers of an item along three axes, those of its group and its places in that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Linear {
    factors: [[i64; 3]; 3],
    constant: i64,
}

/// Which factors of a [`Linear`] are of what.
const NUMBER: usize = 0;
const GROUP: usize = 1;
const ITEM: usize = 2;

impl Linear {
    pub(super) fn constant(constant: i64) -> Self {
        Self { constant, ..Self::default() }
    }

    /// The number of the item along an axis.
    pub(super) fn number(axis: usize) -> Self {
        Self::one(NUMBER, axis)
    }

    /// That of its group.
    pub(super) fn group(axis: usize) -> Self {
        Self::one(GROUP, axis)
    }

    /// Its place in the group.
    pub(super) fn item(axis: usize) -> Self {
        Self::one(ITEM, axis)
    }

    fn one(what: usize, axis: usize) -> Self {
        let mut one = Self::default();
        one.factors[what][axis] = 1;
        one
    }

    fn combine(self, other: Self, of: impl Fn(i64, i64) -> Option<i64>) -> Option<Self> {
        let mut sum = Self::constant(of(self.constant, other.constant)?);
        for what in 0..3 {
            for axis in 0..3 {
                sum.factors[what][axis] = of(self.factors[what][axis], other.factors[what][axis])?;
            }
        }
        Some(sum)
    }

    pub(super) fn plus(self, other: Self) -> Option<Self> {
        self.combine(other, i64::checked_add)
    }

    pub(super) fn times(self, factor: i64) -> Option<Self> {
        self.combine(Self::default(), |own, _| own.checked_mul(factor))
    }

    /// The constant, where it is one.
    pub(super) fn as_constant(self) -> Option<i64> {
        (self == Self::constant(self.constant)).then_some(self.constant)
    }

    /// What has to be added to another one for this, where that is a constant.
    pub(super) fn offset_from(self, other: Self) -> Option<i64> {
        self.combine(other, i64::checked_sub)?.as_constant()
    }
}

/// What is known where an item runs.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    /// The numbers that items have along each axis; `None`: any.
    pub(super) numbers: [Option<Range<i64>>; 3],
    /// Items of a group along each axis.
    pub(super) items: [i64; 3],
    /// Variables that are written once.
    pub(super) variables: BTreeMap<VarId, Linear>,
}

impl Known {
    /// An integer expression, where it is linear for all items that run, and none of its parts leaves its type.
    pub(super) fn linear(&self, expr: &Expr) -> Option<Linear> {
        let ty = expr.ty.scalar().filter(|ty| ty.is_integer() && *ty != Scalar::Bool)?;
        let linear = match &expr.kind {
            ExprKind::Literal(_) => Linear::constant(expr.as_int()?),
            ExprKind::Load(place) if place.path.is_empty() => *self.variables.get(&place.root)?,
            ExprKind::Cast { value, .. } => self.linear(value)?,
            ExprKind::Unary(UnaryOp::Negate, a) => self.linear(a)?.times(-1)?,
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.linear(a)?, self.linear(b)?);
                match op {
                    BinaryOp::Add => a.plus(b)?,
                    BinaryOp::Sub => a.plus(b.times(-1)?)?,
                    BinaryOp::Mul => match (a.as_constant(), b.as_constant()) {
                        (Some(factor), _) => b.times(factor)?,
                        (_, Some(factor)) => a.times(factor)?,
                        _ => return None,
                    },
                    _ => return None,
                }
            }
            _ => return None,
        };
        let linear = self.joined(linear)?;
        let (least, most) = self.range(linear)?;
        let (first, last) = limits(ty)?;
        (first <= least && most <= last).then_some(linear)
    }

    /// Groups and places that make up numbers as these.
    fn joined(&self, mut linear: Linear) -> Option<Linear> {
        for axis in 0..3 {
            let [number, group, item] = [NUMBER, GROUP, ITEM].map(|what| linear.factors[what][axis]);
            if item != 0 && self.items[axis].checked_mul(item)? == group {
                linear.factors[NUMBER][axis] = number.checked_add(item)?;
                (linear.factors[GROUP][axis], linear.factors[ITEM][axis]) = (0, 0);
            }
        }
        Some(linear)
    }

    /// The least and the greatest value.
    fn range(&self, linear: Linear) -> Option<(i128, i128)> {
        let constant = i128::from(linear.constant);
        let mut range = (constant, constant);
        for axis in 0..3 {
            let factors = [NUMBER, GROUP, ITEM].map(|what| linear.factors[what][axis]);
            if factors == [0; 3] {
                continue;
            }
            let (numbers, items) = (self.numbers[axis].as_ref()?, self.items[axis]);
            let (first, last) = (numbers.start, numbers.end - 1);
            let ends = [[first, last], [first.div_euclid(items), last.div_euclid(items)], [0, items - 1]];
            for (factor, ends) in factors.into_iter().zip(ends) {
                let [a, b] = ends.map(|end| i128::from(factor) * i128::from(end));
                range = (range.0 + a.min(b), range.1 + a.max(b));
            }
        }
        Some(range)
    }

    /// Whether a comparison of integers holds, where it is the same for all items that run.
    pub(super) fn compare(&self, op: BinaryOp, a: &Expr, b: &Expr) -> Option<bool> {
        let difference = self.linear(a)?.plus(self.linear(b)?.times(-1)?)?;
        let (least, most) = self.range(self.joined(difference)?)?;
        let always = |holds: bool, never: bool| if holds { Some(true) } else { never.then_some(false) };
        match op {
            BinaryOp::Lt => always(most < 0, least >= 0),
            BinaryOp::Le => always(most <= 0, least > 0),
            BinaryOp::Gt => always(least > 0, most <= 0),
            BinaryOp::Ge => always(least >= 0, most < 0),
            BinaryOp::Eq => always(least == 0 && most == 0, least > 0 || most < 0),
            BinaryOp::Ne => always(least > 0 || most < 0, least == 0 && most == 0),
            _ => None,
        }
    }

    /// Remembers what a variable is that is written once.
    pub(super) fn learn(&mut self, var: VarId, ty: &Type, value: &Expr) {
        let is_integer = value.ty == *ty && ty.scalar().is_some_and(Scalar::is_integer);
        if let Some(linear) = self.linear(value).filter(|_| is_integer) {
            self.variables.insert(var, linear);
        }
    }
}

/// The least and the greatest value of an integer type.
fn limits(ty: Scalar) -> Option<(i128, i128)> {
    let bits = 8 * ty.bytes() as u32;
    match (ty.is_integer(), ty.is_signed()) {
        (true, true) => Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1)),
        (true, false) => Some((0, (1 << bits) - 1)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use okl::ir::build::{binary, compare};
    use okl::source::Span;

    fn int(value: i64) -> Expr {
        Expr::int(value, Scalar::I32, Span::default())
    }

    fn var(var: u32) -> Expr {
        Expr::var(VarId(var), Scalar::I32.into(), Span::default())
    }

    fn op(op: BinaryOp, a: Expr, b: Expr) -> Expr {
        binary(op, a, b, Scalar::I32)
    }

    /// Variable 0 is the number, 1 the group, 2 the item of groups of 50.
    fn known(numbers: Range<i64>) -> Known {
        let variables = [Linear::number(0), Linear::group(0), Linear::item(0)];
        let variables = (0..).map(VarId).zip(variables).collect();
        Known { numbers: [Some(numbers), None, None], items: [50, 1, 1], variables }
    }

    #[test]
    fn sums_of_groups_and_items_are_numbers() {
        let known = known(10..1000);
        let index = op(BinaryOp::Add, op(BinaryOp::Mul, var(1), int(50)), op(BinaryOp::Add, var(2), int(3)));
        assert_eq!(known.linear(&index).and_then(|of| of.offset_from(Linear::number(0))), Some(3));
        let other = op(BinaryOp::Add, op(BinaryOp::Mul, var(1), int(64)), var(2));
        assert_eq!(known.linear(&other).and_then(|of| of.offset_from(Linear::number(0))), None);
        assert_eq!(known.linear(&op(BinaryOp::Mul, var(0), var(0))), None);
    }

    #[test]
    fn what_holds_for_all_items_is_decided_and_nothing_else() {
        let known = known(10..1000);
        let holds = |of: BinaryOp, a: &Expr, b: &Expr| known.compare(of, a, b);
        assert_eq!(holds(BinaryOp::Eq, &var(0), &int(0)), Some(false));
        assert_eq!(holds(BinaryOp::Eq, &var(0), &int(10)), None);
        assert_eq!(holds(BinaryOp::Lt, &var(0), &int(1000)), Some(true));
        assert_eq!(holds(BinaryOp::Lt, &var(0), &int(999)), None);
        assert_eq!(holds(BinaryOp::Ge, &op(BinaryOp::Sub, var(0), int(10)), &int(0)), Some(true));
        assert_eq!(holds(BinaryOp::Lt, &var(2), &int(50)), Some(true));
        assert_eq!(holds(BinaryOp::Lt, &var(1), &int(19)), None);
        assert_eq!(holds(BinaryOp::Le, &var(1), &int(19)), Some(true));
        assert_eq!(compare(BinaryOp::Lt, var(0), int(3)).ty, Scalar::Bool.into());
    }

    #[test]
    fn what_may_leave_its_type_is_not_known() {
        let known = known(10..1000);
        let large = op(BinaryOp::Mul, var(0), int(3_000_000));
        assert_eq!(known.linear(&large), None);
        let unsigned = binary(BinaryOp::Sub, var(0), int(11), Scalar::U32);
        assert_eq!(known.linear(&unsigned), None);
        assert!(Known { numbers: [None, None, None], ..known }.linear(&var(0)).is_none());
    }
}
