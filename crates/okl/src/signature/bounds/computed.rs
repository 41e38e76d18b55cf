//! What is known of numbers that are computed: of quotients, and of results of which only the ranges count.

use super::check::{Form, Guards, Prover, alone};
use super::{Is, RangeOp};
use smallvec::SmallVec;

/// Ranges of the dividends of quotients where a guard holds.
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
                let range = self.range(a, guards).zip(self.range(b, guards));
                let Some([least, most]) = range.and_then(|(a, b)| of_ranges(*op, a, b)) else { return };
                least.checked_neg().map(|least| alone(least, variable, 1)).iter().for_each(&mut *visit);
                visit(&alone(most, variable, -1));
            }
            _ => {}
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
        let [least, most] = self.range_of_dividend(variable, dividend, guards);
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

    /// Between which numbers a quotient's dividend lies. It is sought once for each place: quotients of quotients would have
    /// it sought again and again.
    fn range_of_dividend(&self, variable: u32, dividend: &Form, guards: Guards<'_>) -> [Option<i128>; 2] {
        let place = match guards {
            [] => Some((variable, None)),
            [guard] => Some((variable, Some(*guard))),
            _ => None,
        };
        let known = |ranges: &Ranges| Some(ranges.iter().find(|known| Some(known.0) == place)?.1);
        if let Some(range) = known(&self.dividends.borrow()) {
            return range;
        }
        let range = [self.minimum(dividend, guards), self.maximum(dividend.clone(), guards)];
        // What was not found may be found with more steps.
        if let ([Some(_), Some(_)], Some(place)) = (range, place) {
            self.dividends.borrow_mut().push((place, range));
        }
        range
    }
}

/// The range of a result, given those of the operands.
fn of_ranges(op: RangeOp, a: [i128; 2], b: [i128; 2]) -> Option<[i128; 2]> {
    let corners = |of: fn(i128, i128) -> Option<i128>, b: [i128; 2]| {
        let all = [of(a[0], b[0])?, of(a[0], b[1])?, of(a[1], b[0])?, of(a[1], b[1])?];
        Some([*all.iter().min()?, *all.iter().max()?])
    };
    match op {
        RangeOp::Mul => corners(i128::checked_mul, b),
        RangeOp::Div if b[0] > 0 => corners(i128::checked_div, b),
        RangeOp::Rem => {
            let most = b[0].checked_abs()?.max(b[1].checked_abs()?) - 1;
            Some([if a[0] < 0 { (-most).max(a[0]) } else { 0 }, if a[1] > 0 { most.min(a[1]) } else { 0 }])
        }
        RangeOp::Bits if a[0] >= 0 && b[0] >= 0 => {
            let bits = 128 - a[1].max(b[1]).leading_zeros();
            Some([0, 1i128.checked_shl(bits)?.checked_sub(1)?])
        }
        RangeOp::Div | RangeOp::Bits => None,
    }
}
