//! What is known of numbers that are computed: of quotients, and of results of which only the ranges count.

use super::check::{Form, Guards, Prover, alone};
use super::{Is, RangeOp};
use crate::ir::Scalar;
use smallvec::SmallVec;

/// Ranges of what variables are made of where a guard holds.
pub(super) type Ranges = SmallVec<[((u32, Option<u32>), [Option<i128>; 2]); 4]>;

impl Prover<'_> {
    /// Visits constraints of quotients and of what only ranges are known of.
    pub(super) fn for_computed(&self, variable: u32, guards: Guards<'_>, visit: &mut dyn FnMut(&Form)) {
        match &self.bounds.variables[variable as usize].is {
            Is::Quotient { dividend, divisor, floor } => {
                let Some((dividend, divisor)) = self.form(dividend).zip(self.form(divisor)) else { return };
                let limits = self.of_quotient(variable, &dividend, divisor.constant, *floor, guards);
                limits.iter().flatten().for_each(visit);
            }
            Is::Of(op, a, b) => {
                let Some((a, b)) = self.form(a).zip(self.form(b)) else { return };
                let range = self.remembered(variable, guards, || self.of_operation(*op, a, b, guards));
                visit_range(variable, range, visit);
            }
            Is::Wrapped(sum, ty) => {
                let Some(form) = self.form(sum) else { return };
                let [first, last] = range_of(*ty);
                let [least, most] = self.range_of_source(variable, &form, guards);
                let fits = least.is_some_and(|least| least >= first) && most.is_some_and(|most| most <= last);
                let equals = fits.then(|| form.combined(1, &alone(0, variable, 1), -1)).flatten();
                if let Some(equals) = equals {
                    equals.negated().iter().chain([&equals]).for_each(&mut *visit);
                }
                visit_range(variable, [Some(first), Some(last)], visit);
            }
            _ => {}
        }
    }

    /// The least and the greatest result of an operation, where there are such.
    fn of_operation(&self, op: RangeOp, a: Form, b: Form, guards: Guards<'_>) -> [Option<i128>; 2] {
        let [a, b] = [a, b].map(|form| [self.minimum(&form, guards), self.maximum(form, guards)]);
        match op {
            RangeOp::Mul => of_corners(i128::checked_mul, a, b),
            RangeOp::Div if b[0].is_some_and(|least| least > 0) => of_corners(i128::checked_div, a, b),
            RangeOp::Rem => of_remainder(a, b),
            RangeOp::Bits if [a, b].iter().all(|range| range[0].is_some_and(|least| least >= 0)) => {
                [Some(0), a[1].zip(b[1]).and_then(all_bits)]
            }
            RangeOp::Div | RangeOp::Bits => [None; 2],
        }
    }

    /// What a quotient says of its dividend: the rest lies in 0 … by - 1; of a negative dividend in 1 - by … 0. And between
    /// which integers it lies itself, which says more than the rest where a factor of the quotient is large.
    fn of_quotient(
        &self,
        variable: u32,
        dividend: &Form,
        by: i128,
        floor: bool,
        guards: Guards<'_>,
    ) -> [Option<Form>; 4] {
        if by <= 0 {
            return [const { None }; 4];
        }
        let [least, most] = self.range_of_source(variable, dividend, guards);
        let rest = dividend.combined(1, &alone(0, variable, by), -1);
        let is_positive = floor || least.is_some_and(|least| least >= 0);
        let is_negative = !is_positive && most.is_some_and(|most| most <= 0);
        let below = if is_positive { 0 } else { by - 1 };
        let above = if is_negative { 0 } else { by - 1 };
        let plus = |form: Form, by| Some(Form { constant: form.constant.checked_add(by)?, ..form });
        let at_most = rest.as_ref().and_then(Form::negated).and_then(|rest| plus(rest, above));
        let quotient = |dividend: i128| if floor { dividend.div_euclid(by) } else { dividend / by };
        let no_less = least.and_then(|least| quotient(least).checked_neg()).map(|least| alone(least, variable, 1));
        let no_more = most.map(|most| alone(quotient(most), variable, -1));
        [rest.and_then(|rest| plus(rest, below)), at_most, no_less, no_more]
    }

    /// Between which numbers lies what a variable is made of, as a quotient's dividend.
    fn range_of_source(&self, variable: u32, source: &Form, guards: Guards<'_>) -> [Option<i128>; 2] {
        let range = || [self.minimum(source, guards), self.maximum(source.clone(), guards)];
        self.remembered(variable, guards, range)
    }

    /// The range that a variable is made of, found once for each place: with quotients of quotients, and bits of bits, it would
    /// be sought again and again.
    fn remembered(
        &self,
        variable: u32,
        guards: Guards<'_>,
        range: impl FnOnce() -> [Option<i128>; 2],
    ) -> [Option<i128>; 2] {
        let place = match guards {
            [] => Some((variable, None)),
            [guard] => Some((variable, Some(*guard))),
            _ => None,
        };
        let known = |ranges: &Ranges| Some(ranges.iter().find(|known| Some(known.0) == place)?.1);
        if let Some(range) = known(&self.sources.borrow()) {
            return range;
        }
        let range = range();
        // What was not found may be found with more steps.
        if let (true, Some(place)) = (range.iter().all(Option::is_some) || self.has_room(), place) {
            self.sources.borrow_mut().push((place, range));
        }
        range
    }
}

fn visit_range(variable: u32, [least, most]: [Option<i128>; 2], visit: &mut dyn FnMut(&Form)) {
    let above = least.and_then(i128::checked_neg).map(|least| alone(least, variable, 1));
    let below = most.map(|most| alone(most, variable, -1));
    above.iter().chain(&below).for_each(visit);
}

/// The numbers of a type.
fn range_of(ty: Scalar) -> [i128; 2] {
    let bits = 8 * ty.bytes() - usize::from(ty.is_signed());
    [if ty.is_signed() { -(1 << bits) } else { 0 }, (1 << bits) - 1]
}

/// The greatest number that has no more bits than these.
fn all_bits((a, b): (i128, i128)) -> Option<i128> {
    1i128.checked_shl(128 - a.max(b).leading_zeros())?.checked_sub(1)
}

/// A remainder has the sign of the dividend, is no further from zero than that, and nearer to it than the divisor.
fn of_remainder([least, most]: [Option<i128>; 2], divisor: [Option<i128>; 2]) -> [Option<i128>; 2] {
    let [Some(first), Some(last)] = divisor.map(|end| end?.checked_abs()) else { return [None; 2] };
    let nearer = first.max(last) - 1;
    let least = least.map_or(-nearer, |least| least.min(0).max(-nearer));
    [Some(least), Some(most.map_or(nearer, |most| most.max(0).min(nearer)))]
}

/// The range of a result that lies between those of the ends.
fn of_corners(of: fn(i128, i128) -> Option<i128>, a: [Option<i128>; 2], b: [Option<i128>; 2]) -> [Option<i128>; 2] {
    let corners = [(a[0], b[0]), (a[0], b[1]), (a[1], b[0]), (a[1], b[1])].map(|(a, b)| of(a?, b?));
    let all: Option<Vec<i128>> = corners.into_iter().collect();
    let all = all.unwrap_or_default();
    [all.iter().min().copied(), all.iter().max().copied()]
}
