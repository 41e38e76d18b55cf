//! The footprint of a launch: which elements of each memory its groups read and write, with the numbers of the launch.
//!
//! A *unit* is all groups at one position of the slowest axis along which there are several: consecutive groups in the
//! order of launches. An access of unit `u` lies within `slope · u + reach`, so that any range of units touches one range of
//! elements. That is exact where an index is affine and the slowest axis is the slowest in memory too, as in a stencil's
//! loops, and else more than what is touched, never less.
//!
//! Where the items of all groups form one row, as those of a loop over one axis do, the same is said of single items, with the
//! item's place in that row as the unit. Of items that form a box it is said axis by axis ([`BoxSpan`]).

use super::check::{Form, Heads, Prover};
use super::{AccessKind, Bounds, Is, Touched};
use crate::deep_stack::on_proof_stack;
use crate::ir::value::ScalarValue;
use crate::signature::HostParams;
use smallvec::SmallVec;
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
    /// The accesses of single items, with items as units, where these form one row: item `i` of group `g` is unit
    /// `g * items + i`. `None` where they do not, or an index treats groups and items differently.
    pub items: Option<Vec<Span>>,
    /// The accesses of single items, with a place along each axis: item `i` of group `g` has place `g * items + i` there. `None`
    /// where an index treats groups and items differently, or a limit is not known.
    pub boxes: Option<Vec<BoxSpan>>,
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
    /// Each of the units touches every element from its least to its greatest one, whatever the data are. Where this is not
    /// known, it is false.
    pub certain: bool,
}

/// The elements that items at places of a box read or write of the memory passed for a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoxSpan {
    /// Position of the parameter.
    pub param: u32,
    /// What is done.
    pub kind: AccessKind,
    /// The places along axes 0, 1, 2 of the items that do it, at least one each.
    pub places: [Range<u64>; 3],
    /// Elements from one place to the next along each axis.
    pub slopes: [i64; 3],
    /// The least and the greatest element of the item at place 0 of each axis, were it to do it.
    pub reach: [i64; 2],
    /// Each of the items touches every element from its least to its greatest one, whatever the data are. Where this is not
    /// known, it is false.
    pub certain: bool,
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
    /// The footprint of a launch of `outer` groups of `inner` items along axes 0, 1, 2, whose accesses were proven.
    /// # Errors
    /// The position of a parameter of whose memory nobody knows what is touched; `None`: of any.
    pub fn footprint(
        &self,
        params: &(impl HostParams + ?Sized),
        slots: &[ScalarValue],
        outer: [u64; 3],
        inner: [u64; 3],
    ) -> Result<Footprint, Option<u32>> {
        let axis = (0..3).rev().find(|&axis| outer[axis] > 1).unwrap_or(0);
        let units = outer[axis];
        let touched = self.touched.as_ref().ok_or(None)?;
        on_proof_stack(|| {
            let prover = Prover::new(self, params, slots);
            let count = |variable| Count { variable, step: 1, count: units.into() };
            let unit: Unit = self.groups[axis].map(count).into_iter().collect();
            let numbers = Numbers { prover: &prover, unit, units };
            let mut spans = Vec::new();
            touched.iter().try_for_each(|of| numbers.spans(of, &mut spans).ok_or(Some(of.param)))?;
            let items = self.row(&prover, outer, inner).and_then(|numbers| {
                let mut spans = Vec::new();
                touched.iter().try_for_each(|of| numbers.spans(of, &mut spans))?;
                Some(spans)
            });
            let boxes = self.axes(&prover, outer, inner).and_then(|axes| {
                let mut spans = Vec::new();
                touched.iter().try_for_each(|of| axes.box_spans(of, &mut spans))?;
                Some(spans)
            });
            Ok(Footprint { units, groups: outer[..axis].iter().product(), spans, items, boxes })
        })
    }

    /// Items as units, where they form one row.
    fn row<'p, 'a>(&self, prover: &'p Prover<'a>, outer: [u64; 3], inner: [u64; 3]) -> Option<Numbers<'p, 'a>> {
        let is_row = |sizes: [u64; 3]| sizes[1..] == [1, 1];
        (is_row(outer) && is_row(inner)).then_some(())?;
        self.places(prover, 0, outer[0], inner[0])
    }

    /// The places of items along each axis as units.
    fn axes<'p, 'a>(&self, prover: &'p Prover<'a>, outer: [u64; 3], inner: [u64; 3]) -> Option<Axes<'p, 'a>> {
        let axis = |axis: usize| self.places(prover, axis, outer[axis], inner[axis]);
        Some(Axes([axis(0)?, axis(1)?, axis(2)?]))
    }

    /// The places along an axis as units.
    fn places<'p, 'a>(&self, prover: &'p Prover<'a>, axis: usize, groups: u64, items: u64) -> Option<Numbers<'p, 'a>> {
        let units = groups.checked_mul(items)?;
        let (groups, items) = (i128::from(groups), i128::from(items));
        let mut unit = Unit::new();
        for (variable, count, step) in [(self.groups[axis], groups, items), (self.items[axis], items, 1)] {
            match variable {
                Some(variable) => unit.push(Count { variable, step, count }),
                None => (count == 1).then_some(())?,
            }
        }
        Some(Numbers { prover, unit, units })
    }
}

/// Variables that count units together: the sum of each, times its step.
type Unit = SmallVec<[Count; 2]>;

/// A variable that has each value from 0 on, so many, whatever the others are.
struct Count {
    variable: u32,
    step: i128,
    count: i128,
}

struct Numbers<'p, 'a> {
    prover: &'p Prover<'a>,
    unit: Unit,
    units: u64,
}

impl Numbers<'_, '_> {
    /// `None` where a limit is not known.
    fn spans(&self, touched: &Touched, out: &mut Vec<Span>) -> Option<()> {
        let is_dense = touched.constants.windows(2).all(|pair| pair[1] == pair[0] + 1);
        for (form, guards) in self.all_forms(touched)? {
            let Some(units) = self.units_under(&guards)? else { continue };
            let (slope, rest) = self.split(&form)?;
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
                certain: is_dense && rest.terms.is_empty() && self.decides(&guards),
            });
        }
        Some(())
    }

    /// The forms that an index may have, without its constants, and the guards of each.
    fn all_forms(&self, touched: &Touched) -> Option<Vec<(Form, Heads)>> {
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
        Some(all)
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

    /// What a form gains from one unit to the next, and the form of unit 0; `None` where the variables of units are not in it
    /// as they count.
    fn split(&self, form: &Form) -> Option<(i128, Form)> {
        let factor =
            |variable: u32| form.terms.iter().find(|(other, _)| *other == variable).map_or(0, |&(_, factor)| factor);
        // Of a variable that has one value nothing counts.
        let varying = |count: &&Count| count.count > 1;
        let last = self.unit.iter().rev().find(varying).or(self.unit.last());
        let slope = last.map_or(0, |count| factor(count.variable) / count.step);
        let counts = |count: &Count| count.count == 1 || Some(factor(count.variable)) == slope.checked_mul(count.step);
        let mut rest = form.clone();
        rest.terms.retain(|(variable, _)| !self.unit.iter().any(|count| count.variable == *variable));
        self.unit.iter().all(counts).then_some((slope, rest))
    }

    /// Whether a guard says no more than how many groups and items there are.
    fn always_holds(&self, form: &Form) -> bool {
        let mut least = form.constant;
        for &(variable, factor) in &form.terms {
            match self.unit.iter().find(|count| count.variable == variable) {
                Some(count) => least = least.saturating_add(factor.min(0).saturating_mul(count.count - 1)),
                None => return false,
            }
        }
        least >= 0
    }

    /// Whether the guards are all that decides, and nothing but the unit decides them.
    fn decides(&self, guards: &Heads) -> bool {
        guards.iter().flat_map(|&guard| self.prover.chain(Some(guard))).all(|guard| {
            let form = self.prover.guards[guard as usize].as_ref();
            self.prover.bounds.guards[guard as usize].exact
                && form.is_some_and(|form| {
                    self.always_holds(form) || self.split(form).is_some_and(|(_, rest)| rest.terms.is_empty())
                })
        })
    }

    /// The units for which guards may hold, if there is any. Each guard limits the unit by what its other variables are at
    /// most.
    fn units_under(&self, guards: &Heads) -> Option<Option<Range<u64>>> {
        let (mut first, mut last) = (0, i128::from(self.units) - 1);
        for guard in guards.iter().flat_map(|&guard| self.prover.chain(Some(guard))) {
            let form = self.prover.guards[guard as usize].as_ref();
            let Some(form) = form.filter(|form| !self.always_holds(form)) else { continue };
            let (slope, rest) = self.split(form)?;
            let Some(most) = self.prover.most(&rest, guards) else { continue };
            match slope {
                0 if most < 0 => return Some(None),
                0 => {}
                // slope · unit + most >= 0
                slope if slope > 0 => first = first.max(-most.div_euclid(slope)),
                slope => last = last.min(most.div_euclid(-slope)),
            }
        }
        let range = u64::try_from(first).ok().zip(u64::try_from(last + 1).ok());
        Some(range.filter(|(first, end)| first < end).map(|(first, end)| first..end))
    }
}

/// The places along axes 0, 1, 2.
struct Axes<'p, 'a>([Numbers<'p, 'a>; 3]);

impl Axes<'_, '_> {
    /// `None` where a limit is not known.
    fn box_spans(&self, touched: &Touched, out: &mut Vec<BoxSpan>) -> Option<()> {
        let [first, ..] = &self.0;
        for (form, guards) in first.all_forms(touched)? {
            let mut places = [0..0, 0..0, 0..0];
            for (axis, places) in self.0.iter().zip(&mut places) {
                *places = axis.units_under(&guards)?.unwrap_or(0..0);
            }
            if places.iter().any(Range::is_empty) {
                continue;
            }
            let (slopes, rest) = self.split(&form)?;
            let [least, most] = [first.prover.least(&rest, &guards)?, first.prover.most(&rest, &guards)?];
            let is_plain = rest.terms.is_empty() && self.decide(&guards);
            for (constants, is_dense) in runs(&touched.constants) {
                let plus = |a: i128, b: i64| i64::try_from(a.checked_add(i128::from(b))?).ok();
                out.push(BoxSpan {
                    param: touched.param,
                    kind: touched.kind,
                    places: places.clone(),
                    slopes,
                    reach: [plus(least, constants[0])?, plus(most, constants[1])?],
                    certain: is_dense && is_plain,
                });
            }
        }
        Some(())
    }

    /// What a form gains from one place to the next along each axis, and the form of place 0.
    fn split(&self, form: &Form) -> Option<([i64; 3], Form)> {
        let (mut slopes, mut rest) = ([0; 3], form.clone());
        for (axis, slope) in self.0.iter().zip(&mut slopes) {
            let (own, other) = axis.split(&rest)?;
            (*slope, rest) = (i64::try_from(own).ok()?, other);
        }
        Some((slopes, rest))
    }

    /// Whether the guards are all that decides, and each of them limits places along one axis.
    fn decide(&self, guards: &Heads) -> bool {
        let prover = self.0[0].prover;
        guards.iter().flat_map(|&guard| prover.chain(Some(guard))).all(|guard| {
            let is_plain = |form: &Form| {
                let limits = |(slopes, rest): ([i64; 3], Form)| {
                    rest.terms.is_empty() && slopes.iter().filter(|slope| **slope != 0).count() <= 1
                };
                self.0.iter().any(|axis| axis.always_holds(form)) || self.split(form).is_some_and(limits)
            };
            prover.bounds.guards[guard as usize].exact && prover.guards[guard as usize].as_ref().is_some_and(is_plain)
        })
    }
}

/// Constants as runs of consecutive ones, each with whether all between its ends are meant: two may stand for very many.
fn runs(constants: &[i64]) -> Vec<([i64; 2], bool)> {
    if let [least, greatest] = *constants {
        return vec![([least, greatest], greatest == least + 1)];
    }
    let runs = constants.chunk_by(|one, next| *next == one + 1);
    runs.map(|run| ([run[0], run[run.len() - 1]], true)).collect()
}

impl AccessKind {
    /// Whether memory is changed.
    pub fn writes(self) -> bool {
        self != Self::Read
    }
}
