//! The proof, with the numbers of a launch. That of a usual kernel takes no memory from the heap.

use super::computed::Ranges;
use super::{Access, Bounds, Condition, Is, Requirement, Sum, Variable, Within};
use crate::deep_stack::on_proof_stack;
use crate::ir::Scalar;
use crate::ir::value::ScalarValue;
use crate::signature::{HostParams, evaluate};
use smallvec::SmallVec;
use std::cell::{Cell, RefCell};

/// Eliminations that the proof of one requirement may try.
const MOST_STEPS: u32 = 400;
/// Eliminations within eliminations.
const MOST_DEPTH: u32 = 48;
/// Terms that all proofs of a launch together may look at, a fraction of a second. What is left then is not proven.
const MOST_WORK: usize = 500_000;

/// What a launch may assume.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every access with a requirement lies within its memory.
    Proven,
    /// An access lies outside for certain: the item that makes it was found.
    Violated(Finding),
    /// That an access lies within could not be shown.
    Unproven(Finding),
}

/// An access that may lie outside of its memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Which requirement does not hold: index into [`Bounds::requirements`].
    pub requirement: usize,
    /// The index; where it is not certain, the greatest or least that could not be ruled out, if there is one.
    pub index: Option<i128>,
    /// The index is too large, not too small.
    pub above: bool,
    /// Elements there are, for memory and arrays.
    pub length: Option<u64>,
}

impl Finding {
    /// The access.
    pub fn access<'a>(&self, bounds: &'a Bounds) -> &'a Access {
        &bounds.requirements[self.requirement].accesses[usize::from(self.above)]
    }
}

/// `(constant + Σ factor · variable) / scale`, variables in order.
#[derive(Clone, Debug)]
pub(super) struct Form {
    pub(super) constant: i128,
    pub(super) terms: SmallVec<[(u32, i128); 3]>,
    pub(super) scale: i128,
}

impl Form {
    /// A form of integers that is not negative where this is not: its factors have no divisor in common. `8 j <= 31` says that
    /// `j <= 3`, which `8 n j` does not show.
    fn tightened(mut self) -> Self {
        debug_assert_eq!(self.scale, 1);
        let divisor = self
            .terms
            .iter()
            .fold(0, |divisor, &(_, factor)| if divisor == 1 { 1 } else { gcd(divisor, factor.abs()) });
        if divisor > 1 {
            self.terms.iter_mut().for_each(|(_, factor)| *factor /= divisor);
            self.constant = self.constant.div_euclid(divisor);
        }
        self
    }

    pub(super) fn negated(&self) -> Option<Self> {
        let terms = self.terms.iter().map(|&(variable, factor)| Some((variable, factor.checked_neg()?)));
        Some(Self { constant: self.constant.checked_neg()?, terms: terms.collect::<Option<_>>()?, scale: self.scale })
    }

    /// `self · by + other · factor`, where neither has a scale that counts.
    pub(super) fn combined(&self, by: i128, other: &Form, factor: i128) -> Option<Self> {
        let constant = self.constant.checked_mul(by)?.checked_add(other.constant.checked_mul(factor)?)?;
        let mut terms = SmallVec::new();
        let (mut a, mut b) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let next = match (a.peek(), b.peek()) {
                (None, None) => break,
                (Some(x), Some(y)) if x.0 == y.0 => {
                    let sum = x.1.checked_mul(by)?.checked_add(y.1.checked_mul(factor)?)?;
                    let variable = x.0;
                    a.next();
                    b.next();
                    (variable, sum)
                }
                (Some(x), y) if y.is_none_or(|y| x.0 < y.0) => {
                    let term = (x.0, x.1.checked_mul(by)?);
                    a.next();
                    term
                }
                (_, Some(y)) => {
                    let term = (y.0, y.1.checked_mul(factor)?);
                    b.next();
                    term
                }
                (Some(_), None) => unreachable!("the arm before takes it"),
            };
            if next.1 != 0 {
                terms.push(next);
            }
        }
        Some(Self { constant, terms, scale: self.scale })
    }
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// `constant + factor · variable`
pub(super) fn alone(constant: i128, variable: u32, factor: i128) -> Form {
    Form { constant, terms: SmallVec::from_slice(&[(variable, factor)]), scale: 1 }
}

/// The guards that hold: each with all its parents.
pub(super) type Guards<'a> = &'a [u32];

/// The same, to be added to.
pub(super) type Heads = SmallVec<[u32; 4]>;

pub(super) struct Prover<'a> {
    pub(super) bounds: &'a Bounds,
    symbols: SmallVec<[Option<i64>; 8]>,
    /// Those of all variables, one after the other.
    constraints: SmallVec<[Form; 8]>,
    /// Where those of each variable end.
    ends: SmallVec<[usize; 8]>,
    /// What each guard says, as a form that is not negative.
    pub(super) guards: SmallVec<[Option<Form>; 8]>,
    pub(super) sources: RefCell<Ranges>,
    steps: Cell<u32>,
    depth: Cell<u32>,
    work: Cell<usize>,
}

impl Bounds {
    /// Tries to show that every access with a requirement lies within its memory. `length` answers the elements of
    /// the memory passed for a parameter.
    pub fn check(
        &self,
        params: &(impl HostParams + ?Sized),
        slots: &[ScalarValue],
        length: &dyn Fn(u32) -> u64,
    ) -> Verdict {
        on_proof_stack(|| self.verdict(&Prover::new(self, params, slots), length))
    }

    fn verdict(&self, prover: &Prover<'_>, length: &dyn Fn(u32) -> u64) -> Verdict {
        let mut unproven = None;
        let mut may_wrap = false;
        let is_arithmetic = |requirement: &Requirement| matches!(requirement.within, Within::Type(_));
        // Arithmetic first: where a number may wrap, nothing that is said of it is certain.
        let requirements = || self.requirements.iter().enumerate();
        let arithmetic = requirements().filter(|(_, requirement)| is_arithmetic(requirement));
        for (index, requirement) in arithmetic.chain(requirements().filter(|(_, of)| !is_arithmetic(of))) {
            if let Some((finding, is_certain)) = prover.require(index, requirement, length) {
                // No witness looks at a quotient: what is made of one by zero makes nothing else uncertain.
                may_wrap |= is_arithmetic(requirement) && !prover.divides_by_zero(&requirement.index);
                if is_certain && !may_wrap {
                    return Verdict::Violated(finding);
                }
                unproven.get_or_insert(finding);
            }
        }
        unproven.map_or(Verdict::Proven, Verdict::Unproven)
    }
}

impl<'a> Prover<'a> {
    pub(super) fn new(bounds: &'a Bounds, params: &(impl HostParams + ?Sized), slots: &[ScalarValue]) -> Self {
        let value = |expr| evaluate(expr, params, slots).ok()?.integer()?.try_into().ok();
        let mut prover = Self {
            bounds,
            symbols: bounds.symbols.iter().map(value).collect(),
            constraints: SmallVec::new(),
            ends: SmallVec::new(),
            guards: SmallVec::new(),
            sources: RefCell::default(),
            steps: Cell::new(0),
            depth: Cell::new(0),
            work: Cell::new(MOST_WORK),
        };
        for Variable { constraints, .. } in &bounds.variables {
            let own: SmallVec<[Form; 4]> =
                constraints.iter().filter_map(|sum| prover.form(sum).map(Form::tightened)).collect();
            prover.constraints.extend(own);
            prover.ends.push(prover.constraints.len());
        }
        for guard in &bounds.guards {
            // A parent stands before its children.
            let form = match &guard.condition {
                Some(Condition::NotNegative(sum)) => prover.form(sum),
                Some(Condition::NotZero(sum)) => prover.form(sum).and_then(|form| prover.one_sided(form, guard.parent)),
                None => None,
            };
            prover.guards.push(form.map(Form::tightened));
        }
        prover
    }

    /// What it says of a form that it is not zero, where it is known to lie on one side of zero.
    fn one_sided(&self, form: Form, guard: Option<u32>) -> Option<Form> {
        let guards = guard.as_slice();
        self.steps.set(MOST_STEPS);
        let form = if self.minimum(&form, guards).is_some_and(|least| least >= 0) {
            form
        } else {
            form.negated().filter(|negated| self.minimum(negated, guards).is_some_and(|least| least >= 0))?
        };
        Some(Form { constant: form.constant.checked_sub(1)?, ..form })
    }

    /// Whether there is work left.
    fn charge(&self, work: usize) -> Option<()> {
        self.work.set(self.work.get().saturating_sub(work));
        (self.work.get() > 0).then_some(())
    }

    /// Whether what was not found now will not be found later either.
    pub(super) fn has_room(&self) -> bool {
        self.steps.get() > 0 && self.depth.get() < MOST_DEPTH / 2
    }

    /// What limits a variable by itself.
    fn constraints(&self, variable: u32) -> &[Form] {
        let variable = variable as usize;
        let first = variable.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.constraints[first..self.ends[variable]]
    }

    /// A sum with the numbers of the launch; `None` where one has no value.
    pub(super) fn form(&self, sum: &Sum) -> Option<Form> {
        let mut form = Form { constant: sum.constant.into(), terms: SmallVec::new(), scale: 1 };
        for term in &sum.terms {
            let symbol = match term.symbol {
                Some(symbol) => (*self.symbols.get(symbol as usize)?)?,
                None => 1,
            };
            let factor = i128::from(term.factor) * i128::from(symbol);
            match (term.variable, form.terms.last_mut()) {
                (None, _) => form.constant = form.constant.checked_add(factor)?,
                (Some(variable), Some(last)) if last.0 == variable => last.1 = last.1.checked_add(factor)?,
                (Some(variable), _) => form.terms.push((variable, factor)),
            }
        }
        form.terms.retain(|(_, factor)| *factor != 0);
        Some(form)
    }

    /// What is wrong with a requirement, and whether that is certain.
    fn require(&self, index: usize, requirement: &Requirement, length: &dyn Fn(u32) -> u64) -> Option<(Finding, bool)> {
        let (least, most, elements) = match requirement.within {
            Within::Divisor { may_overflow } => return self.require_divisor(index, requirement, may_overflow),
            Within::Memory(param) => (0, i128::from(length(param)) - 1, Some(length(param))),
            Within::Array(length) => (0, i128::from(length) - 1, Some(length)),
            Within::Type(ty) => (least_of(ty), greatest_of(ty), None),
        };
        let finding = |index_value, above| Finding { requirement: index, index: index_value, above, length: elements };
        let Some(form) = self.form(&requirement.index) else { return Some((finding(None, true), false)) };
        let guards = requirement.guard.as_slice();
        let [low, high] = requirement.constants.map(i128::from);
        let above = self.most_up_to(&form, guards, most - high).and_then(|most| most.checked_add(high));
        if above.is_none_or(|above| above > most) && !self.is_vacuous(&form, guards) {
            let certain = self.witness(&form, requirement.guard).and_then(|index| index.checked_add(high));
            let certain = certain.filter(|&at| at > most);
            return Some((finding(certain.or(above), true), certain.is_some()));
        }
        let negated = form.negated();
        let below = negated.as_ref().and_then(|form| self.most_up_to(form, guards, low - least));
        let below = below.and_then(|least| low.checked_sub(least));
        if below.is_none_or(|below| below < least) && !self.is_vacuous(&form, guards) {
            let witness = negated.and_then(|form| self.witness(&form, requirement.guard));
            let certain = witness.and_then(|index| low.checked_sub(index)).filter(|&at| at < least);
            return Some((finding(certain.or(below), false), certain.is_some()));
        }
        None
    }

    /// Whether a sum holds a quotient by zero.
    fn divides_by_zero(&self, sum: &Sum) -> bool {
        let is_zero =
            |divisor: &Sum| self.form(divisor).is_some_and(|divisor| divisor.terms.is_empty() && divisor.constant == 0);
        sum.variables().any(|variable| match &self.bounds.variables[variable as usize].is {
            Is::Quotient { divisor, .. } => is_zero(divisor),
            _ => false,
        })
    }

    /// The same of divisors: all of them are at least 1, or all of them at most -1 (-2 where the quotient may overflow).
    fn require_divisor(&self, index: usize, requirement: &Requirement, may_overflow: bool) -> Option<(Finding, bool)> {
        let finding = |value, above| Finding { requirement: index, index: value, above, length: None };
        let Some(form) = self.form(&requirement.index) else { return Some((finding(None, true), false)) };
        let guards = requirement.guard.as_slice();
        let [low, high] = requirement.constants.map(i128::from);
        let least = self.least(&form, guards).and_then(|least| least.checked_add(low));
        let most = self.most(&form, guards).and_then(|most| most.checked_add(high));
        let is_positive = least.is_some_and(|least| least >= 1);
        let is_negative = most.is_some_and(|most| most <= if may_overflow { -2 } else { -1 });
        if is_positive || is_negative || self.is_vacuous(&form, guards) {
            return None;
        }
        // An item divides by zero where that is the least or the greatest divisor of all.
        let greatest = self.witness(&form, requirement.guard);
        let negated = form.negated().and_then(|form| self.witness(&form, requirement.guard));
        let ends = [negated.and_then(i128::checked_neg), greatest];
        for (above, constant) in [(false, low), (true, high)] {
            if ends.iter().flatten().any(|end| end.checked_add(constant) == Some(0)) {
                return Some((finding(Some(0), above), true));
            }
        }
        Some((finding(None, true), false))
    }

    /// A number that the form does not exceed, sought anew.
    pub(super) fn most(&self, form: &Form, guards: Guards<'_>) -> Option<i128> {
        self.steps.set(MOST_STEPS);
        self.maximum(form.clone(), guards)
    }

    /// The same. A number up to `enough` will do: until there is one, each guard takes its turn to be added first, so that a
    /// variable goes which is not the last one. Of `columns · row + column` the guard `column < columns` leaves `row`.
    fn most_up_to(&self, form: &Form, guards: Guards<'_>, enough: i128) -> Option<i128> {
        let mut best = self.most(form, guards);
        for guard in guards.iter().flat_map(|&guard| self.chain(Some(guard))) {
            let Some(limit) = &self.guards[guard as usize] else { continue };
            for &(variable, own) in &limit.terms {
                if best.is_some_and(|best| best <= enough) {
                    return best;
                }
                let factor = form.terms.iter().find(|term| term.0 == variable).map_or(0, |term| term.1);
                if factor.signum() != -own.signum() {
                    continue;
                }
                let found = added(form, factor, limit, own).and_then(|next| self.most(&next, guards));
                best = best.into_iter().chain(found).min();
            }
        }
        best
    }

    /// A number that the form is not below, sought anew.
    pub(super) fn least(&self, form: &Form, guards: Guards<'_>) -> Option<i128> {
        self.steps.set(MOST_STEPS);
        self.minimum(form, guards)
    }

    /// A number that the form does not exceed; `None` where none is known.
    pub(super) fn maximum(&self, form: Form, guards: Guards<'_>) -> Option<i128> {
        self.steps.set(self.steps.get().checked_sub(1)?);
        self.charge(1 + form.terms.len())?;
        if self.depth.get() == MOST_DEPTH {
            return None;
        }
        self.depth.set(self.depth.get() + 1);
        let most = self.eliminate(form, guards);
        self.depth.set(self.depth.get() - 1);
        most
    }

    fn eliminate(&self, mut form: Form, guards: Guards<'_>) -> Option<i128> {
        let Some((variable, factor)) = form.terms.pop() else { return Some(form.constant.div_euclid(form.scale)) };
        let mut best: Option<i128> = None;
        self.for_limits(variable, factor, guards, &mut |constraint| {
            if let Some(found) = eliminated(&form, factor, constraint).and_then(|next| self.maximum(next, guards)) {
                best = Some(best.map_or(found, |best| best.min(found)));
            }
        });
        let bounds = self.bounds;
        if let Is::Between(alternatives) | Is::OneOf(alternatives) = &bounds.variables[variable as usize].is
            && let Some(found) = self.greatest_of_alternatives(&form, factor, alternatives, guards)
        {
            best = Some(best.map_or(found, |best| best.min(found)));
        }
        best
    }

    /// The greatest of the form over the alternatives of its last variable, which has been taken out of it.
    fn greatest_of_alternatives(
        &self,
        form: &Form,
        factor: i128,
        alternatives: &[super::Alternative],
        guards: Guards<'_>,
    ) -> Option<i128> {
        let mut worst = None;
        for alternative in alternatives {
            let value = self.form(&alternative.value)?;
            let mut held = Heads::from_slice(guards);
            held.extend(alternative.guard.filter(|guard| !held.contains(guard)));
            let found = form.combined(1, &value, factor).and_then(|next| self.maximum(next, &held))?;
            worst = worst.max(Some(found));
        }
        worst
    }

    /// Visits the constraints that limit `factor · variable` from above, each with the variable as its last term.
    fn for_limits(&self, variable: u32, factor: i128, guards: Guards<'_>, visit: &mut dyn FnMut(&Form)) {
        let limits = |form: &Form| {
            form.terms.last().is_some_and(|&(last, own)| last == variable && own.signum() == -factor.signum())
        };
        self.constraints(variable).iter().filter(|form| limits(form)).for_each(&mut *visit);
        // Chains of guards may meet. A parent stands before its children, so that the last guard comes first.
        let mut heads = Heads::from_slice(guards);
        while let Some(guard) = heads.iter().copied().max() {
            if self.charge(1).is_none() {
                return;
            }
            heads.retain(|head| *head != guard);
            heads.extend(self.bounds.guards[guard as usize].parent);
            self.guards[guard as usize].iter().filter(|form| limits(form)).for_each(&mut *visit);
        }
        self.for_computed(variable, guards, &mut |form| {
            if limits(form) {
                visit(form);
            }
        });
    }

    pub(super) fn minimum(&self, form: &Form, guards: Guards<'_>) -> Option<i128> {
        self.maximum(form.negated()?, guards)?.checked_neg()
    }

    /// Whether the access happens for no item: a guard cannot hold, or a variable has no value.
    fn is_vacuous(&self, form: &Form, guards: Guards<'_>) -> bool {
        let conditions: Vec<Form> =
            self.chain(guards.first().copied()).filter_map(|guard| self.guards[guard as usize].clone()).collect();
        let mut variables: Vec<u32> =
            conditions.iter().chain([form]).flat_map(|f| f.terms.iter().map(|t| t.0)).collect();
        variables.sort_unstable();
        variables.dedup();
        for condition in conditions {
            self.steps.set(MOST_STEPS);
            if self.maximum(condition, guards).is_some_and(|most| most < 0) {
                return true;
            }
        }
        variables.into_iter().any(|variable| {
            self.steps.set(MOST_STEPS);
            let form = alone(0, variable, 1);
            let least = self.minimum(&form, guards);
            least.zip(self.maximum(form, guards)).is_some_and(|(least, most)| most < least)
        })
    }

    /// A guard and its parents.
    pub(super) fn chain(&self, guard: Option<u32>) -> impl Iterator<Item = u32> + use<'a> {
        let bounds = self.bounds;
        std::iter::successors(guard, move |&guard| bounds.guards[guard as usize].parent)
    }

    /// A large value of the form that some item has for certain.
    fn witness(&self, form: &Form, guard: Option<u32>) -> Option<i128> {
        if self.chain(guard).any(|guard| !self.bounds.guards[guard as usize].exact) {
            return None;
        }
        let held: Vec<Form> = self.chain(guard).filter_map(|guard| self.guards[guard as usize].clone()).collect();
        let mut values: Vec<Option<i128>> = vec![None; self.bounds.variables.len()];
        let mentioned = self.mentioned(form, &held)?;
        self.charge(values.len() + mentioned.len() * (mentioned.len() + held.len()))?;
        for variable in mentioned {
            let mut range = [None, None];
            for constraint in self.constraints(variable).iter().chain(&held) {
                narrow(&mut range, constraint, variable, &values)?;
            }
            let [least, most] = range;
            if least.zip(most).is_some_and(|(least, most)| least > most) {
                return None;
            }
            let factor = form.terms.iter().find(|term| term.0 == variable).map_or(0, |term| term.1);
            let (first, second) = if factor > 0 { (most, least) } else { (least, most) };
            values[variable as usize] = Some(first.or(second)?);
        }
        let value = |form: &Form| {
            let terms = form.terms.iter().map(|&(variable, factor)| values[variable as usize]?.checked_mul(factor));
            terms.into_iter().try_fold(form.constant, |sum, term| sum.checked_add(term?))
        };
        let holds = |guard: u32| match &self.bounds.guards[guard as usize].condition {
            Some(Condition::NotNegative(sum)) => self.form(sum).and_then(|form| value(&form)).is_some_and(|at| at >= 0),
            Some(Condition::NotZero(sum)) => self.form(sum).and_then(|form| value(&form)).is_some_and(|at| at != 0),
            None => false,
        };
        self.chain(guard).all(holds).then(|| value(form))?
    }

    /// All variables that the form and conditions depend on, in order; `None` where one of them is not free.
    fn mentioned(&self, form: &Form, held: &[Form]) -> Option<Vec<u32>> {
        let mut all: Vec<u32> = held.iter().chain([form]).flat_map(|f| f.terms.iter().map(|term| term.0)).collect();
        let mut next = 0;
        while next < all.len() {
            let variable = all[next];
            if self.bounds.variables[variable as usize].is != Is::Any {
                return None;
            }
            for constraint in self.constraints(variable) {
                for &(other, _) in &constraint.terms {
                    if !all.contains(&other) {
                        all.push(other);
                    }
                }
            }
            next += 1;
        }
        all.sort_unstable();
        all.dedup();
        Some(all)
    }
}

/// The form, from which `factor · variable` was taken out, with that replaced by its limit in a constraint.
fn eliminated(form: &Form, factor: i128, constraint: &Form) -> Option<Form> {
    let mut rest = constraint.clone();
    let (_, own) = rest.terms.pop()?;
    added(form, factor, &rest, own)
}

/// As much of what is not negative added to the form that `factor` of it and `own` of that vanish.
fn added(form: &Form, factor: i128, rest: &Form, own: i128) -> Option<Form> {
    let (own, factor) = (own.checked_abs()?, factor.checked_abs()?);
    let common = gcd(own, factor);
    let (by, times) = (own / common, factor / common);
    let mut next = form.combined(by, rest, times)?;
    next.scale = form.scale.checked_mul(by)?;
    Some(next)
}

/// Narrows the range of a variable by a constraint whose other variables have values; one on a later variable says
/// nothing yet.
fn narrow(range: &mut [Option<i128>; 2], constraint: &Form, variable: u32, values: &[Option<i128>]) -> Option<()> {
    let Some((&(last, own), earlier)) = constraint.terms.split_last() else { return Some(()) };
    if last != variable {
        return Some(());
    }
    let mut rest = constraint.constant;
    for &(other, factor) in earlier {
        rest = rest.checked_add(values[other as usize]?.checked_mul(factor)?)?;
    }
    if own > 0 {
        let least = rest.checked_neg()?.div_euclid(own) + i128::from(rest.checked_neg()?.rem_euclid(own) != 0);
        range[0] = Some(range[0].map_or(least, |known| known.max(least)));
    } else {
        let most = rest.div_euclid(own.checked_neg()?);
        range[1] = Some(range[1].map_or(most, |known| known.min(most)));
    }
    Some(())
}

fn least_of(ty: Scalar) -> i128 {
    if ty.is_signed() { -(1 << (8 * ty.bytes() - 1)) } else { 0 }
}

/// Of 64-bit unsigned integers only those below 2⁶³ count: an index has no others.
fn greatest_of(ty: Scalar) -> i128 {
    let bits = 8 * ty.bytes();
    (1 << (if ty.is_signed() || bits == 64 { bits - 1 } else { bits })) - 1
}
