//! The footprint of a launch: which elements of each memory its groups read and write, with the numbers of the launch.
//!
//! A *unit* is all groups at one position of the slowest axis along which there are several: consecutive groups in the
//! order of launches. An access of unit `u` lies within `slope · u + reach`, so that any range of units touches one range of
//! elements. That is exact where an index is affine and the slowest axis is the slowest in memory too, as in a stencil's
//! loops, and else more than what is touched, never less.

use super::check::{Form, Heads, Prover};
use super::{AccessKind, Bounds, Is, Touched};
use crate::deep_stack::on_proof_stack;
use crate::ir::value::ScalarValue;
use crate::signature::HostParams;
use std::ops::Range;

/// Combinations of values that one index may have: each `?:` in it doubles them.
const MOST_ALTERNATIVES: usize = 64;

/// What the groups of a launch read and write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Footprint {
    /// Units of the launch.
    pub units: u64,
    /// Groups of a unit.
    pub groups: u64,
    /// Accesses, each of some of the units.
    pub spans: Vec<Span>,
}

/// The elements that units read or write of the memory passed for a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// Position of the parameter.
    pub param: u32,
    /// What is done.
    pub kind: AccessKind,
    /// The units that do it, at least one.
    pub units: Range<u64>,
    /// Elements from one unit to the next.
    pub slope: i64,
    /// The least and the greatest element of unit 0, were it to do it; unit `u` adds `slope * u`.
    pub reach: [i64; 2],
    /// The least and the greatest element of all units.
    pub within: [i64; 2],
}

impl Span {
    /// The least and the greatest element that some units touch; `None` where these do not.
    pub fn of(&self, units: &Range<u64>) -> Option<[i64; 2]> {
        let (first, end) = (self.units.start.max(units.start), self.units.end.min(units.end));
        if first >= end {
            return None;
        }
        let (first, last) = (first as i64, end as i64 - 1);
        let (low, high) = if self.slope >= 0 { (first, last) } else { (last, first) };
        let at = |unit: i64, reach: i64| self.slope.saturating_mul(unit).saturating_add(reach);
        let least = at(low, self.reach[0]).max(self.within[0]);
        let most = at(high, self.reach[1]).min(self.within[1]);
        (least <= most).then_some([least, most])
    }
}

impl Bounds {
    /// The footprint of a launch of `outer` groups along axes 0, 1, 2, whose accesses were proven.
    /// # Errors
    /// The position of a parameter of whose memory nobody knows what is touched; `None`: of any.
    pub fn footprint(
        &self,
        params: &(impl HostParams + ?Sized),
        slots: &[ScalarValue],
        outer: [u64; 3],
    ) -> Result<Footprint, Option<u32>> {
        let axis = (0..3).rev().find(|&axis| outer[axis] > 1).unwrap_or(0);
        let units = outer[axis];
        let mut spans = Vec::new();
        on_proof_stack(|| {
            let prover = Prover::new(self, params, slots);
            let numbers = Numbers { prover, unit: self.groups[axis], units };
            let mut touched = self.touched.as_ref().ok_or(None)?.iter();
            touched.try_for_each(|touched| numbers.spans(touched, &mut spans).ok_or(Some(touched.param)))
        })?;
        Ok(Footprint { units, groups: outer[..axis].iter().product(), spans })
    }
}

struct Numbers<'a> {
    prover: Prover<'a>,
    /// The variable that counts units.
    unit: Option<u32>,
    units: u64,
}

impl Numbers<'_> {
    /// `None` where a limit is not known.
    fn spans(&self, touched: &Touched, out: &mut Vec<Span>) -> Option<()> {
        let form = self.prover.form(touched.index.as_ref()?)?;
        let mut guards = Heads::new();
        guards.extend(touched.guard);
        let mut all = vec![(form, guards)];
        // The list grows while it is walked.
        let mut next = 0;
        while next < all.len() {
            match self.alternatives(&all[next]).filter(|more| all.len() + more.len() <= MOST_ALTERNATIVES) {
                Some(more) => {
                    all.swap_remove(next);
                    all.extend(more);
                }
                None => next += 1,
            }
        }
        for (form, guards) in all {
            let Some(units) = self.units_under(&guards) else { continue };
            let slope = self.slope(&form);
            let rest = self.without_unit(&form);
            let [least, most] = [self.prover.least(&rest, &guards)?, self.prover.most(&rest, &guards)?];
            let [all_least, all_most] = [self.prover.least(&form, &guards)?, self.prover.most(&form, &guards)?];
            let (low, high) = (touched.constants.first().copied()?, touched.constants.last().copied()?);
            let plus = |a: i128, b: i64| i64::try_from(a.checked_add(i128::from(b))?).ok();
            out.push(Span {
                param: touched.param,
                kind: touched.kind,
                units,
                slope: i64::try_from(slope).ok()?,
                reach: [plus(least, low)?, plus(most, high)?],
                within: [plus(all_least, low)?, plus(all_most, high)?],
            });
        }
        Some(())
    }

    /// A form with each of the values that one of its variables may have, if there is such a variable.
    fn alternatives(&self, (form, guards): &(Form, Heads)) -> Option<Vec<(Form, Heads)>> {
        let (variable, factor, alternatives) = form.terms.iter().rev().find_map(|&(variable, factor)| {
            match &self.prover.bounds.variables[variable as usize].is {
                Is::OneOf(alternatives) => Some((variable, factor, alternatives)),
                _ => None,
            }
        })?;
        let mut rest = form.clone();
        rest.terms.retain(|(other, _)| *other != variable);
        let mut all = Vec::new();
        for alternative in alternatives {
            let value = self.prover.form(&alternative.value)?;
            let mut held = guards.clone();
            held.extend(alternative.guard.filter(|guard| !guards.contains(guard)));
            all.push((rest.combined(1, &value, factor)?, held));
        }
        Some(all)
    }

    fn slope(&self, form: &Form) -> i128 {
        form.terms.iter().find(|(variable, _)| Some(*variable) == self.unit).map_or(0, |term| term.1)
    }

    fn without_unit(&self, form: &Form) -> Form {
        let mut rest = form.clone();
        rest.terms.retain(|(variable, _)| Some(*variable) != self.unit);
        rest
    }

    /// The units for which guards may hold, if there is any. Each guard limits the unit by what its other variables are at
    /// most.
    fn units_under(&self, guards: &Heads) -> Option<Range<u64>> {
        let (mut first, mut last) = (0, i128::from(self.units) - 1);
        for guard in guards.iter().flat_map(|&guard| self.prover.chain(Some(guard))) {
            let Some(form) = &self.prover.guards[guard as usize] else { continue };
            let Some(most) = self.prover.most(&self.without_unit(form), guards) else { continue };
            match self.slope(form) {
                0 if most < 0 => return None,
                0 => {}
                // slope · unit + most >= 0
                slope if slope > 0 => first = first.max(-most.div_euclid(slope)),
                slope => last = last.min(most.div_euclid(-slope)),
            }
        }
        let (first, end) = (u64::try_from(first).ok()?, u64::try_from(last.checked_add(1)?).ok()?);
        (first < end).then_some(first..end)
    }
}

impl AccessKind {
    /// Whether memory is changed.
    pub fn writes(self) -> bool {
        self != Self::Read
    }
}
