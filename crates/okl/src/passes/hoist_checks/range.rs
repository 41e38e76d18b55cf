//! Ranges of indices, and whether they are within the memory.

use crate::ir::affine::{Affine, Term};
use crate::ir::{BinaryOp, Expr, build};
use crate::passes::check_accesses::wrap;
use crate::passes::loops::wide;

/// By which numbers of 32 bits are multiplied at most for their sums to fit 64.
pub(super) const MOST_FACTOR: u64 = 1 << 28;

/// Indices of which the smallest and the largest are known, in memory of one length.
pub(super) struct Indices {
    /// What they have in common.
    pub(super) base: Affine,
    /// What a loop's counter adds.
    pub(super) steps: Option<Steps>,
    pub(super) length: Expr,
    pub(super) least: i64,
    pub(super) most: i64,
    /// Some of them are only right as `int`s.
    pub(super) of_int: bool,
}

/// What a counter adds that goes up from one number to another.
#[derive(Clone)]
pub(super) struct Steps {
    /// For each number.
    pub(super) each: i64,
    pub(super) first: Expr,
    /// The last number, or the one behind it.
    pub(super) end: Expr,
    pub(super) is_behind: bool,
}

impl Indices {
    /// `base + least >= 0 && base + most < length`
    pub(super) fn are_inside(&self) -> Expr {
        // `distance` behind where the counter's lowest or highest number leads.
        let at = |distance: i64, is_least: bool| {
            let mut index = self.base.to_expr();
            let mut distance = distance;
            if let Some(Steps { each, first, end, is_behind }) = &self.steps {
                let is_first = is_least == (*each > 0);
                let counter = if is_first { first } else { end };
                index = build::add(index, build::mul(wide(counter.clone()), build::int(*each)));
                distance = if !is_first && *is_behind { distance - each } else { distance };
            }
            index = build::add(index, build::int(distance));
            if self.is_wide() {
                wrap::arithmetic(&mut index);
            }
            index
        };
        let (lowest, highest) = (at(self.least, true), at(self.most, false));
        let mut are_inside = build::and(
            build::compare(BinaryOp::Ge, lowest.clone(), build::int(0)),
            build::compare(BinaryOp::Lt, highest.clone(), wide(self.length.clone())),
        );
        if self.is_wide() {
            // Beyond the largest number comes the smallest.
            are_inside = build::and(are_inside, build::compare(BinaryOp::Le, lowest, highest.clone()));
        }
        if self.of_int {
            are_inside = build::and(are_inside, build::compare(BinaryOp::Le, highest, build::int(i32::MAX.into())));
        }
        are_inside
    }

    /// Whether a sum of what it is made of may leave 64 bits.
    fn is_wide(&self) -> bool {
        self.base.terms().iter().any(|(term, factor)| {
            let is_long = match term {
                Term::Var(_, ty) => ty.bytes() == 8,
                Term::Opaque(value) => value.ty.scalar().is_none_or(|ty| ty.bytes() == 8),
                Term::Builtin(..) => false,
            };
            is_long || factor.unsigned_abs() > MOST_FACTOR
        })
    }
}
