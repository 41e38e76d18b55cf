//! Whether numbers have limits: what a launch can prove of an index, and what may wrap.

use super::space::{MOST_DEPTH, Space, holds_any};
use crate::signature::bounds::{Alternative, Condition, Is, RangeOp, Sum, Term};

/// Of what a number has to have limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Limits {
    /// Of itself: those of `min(max(idx[i], 0), n - 1)` are a limit of the one and a limit of the other.
    Own,
    /// Of itself and of all that it is made of, each below and above.
    Whole,
}

impl Space<'_> {
    /// Whether the value of a sum has limits below and above, whatever they are.
    pub(super) fn is_bounded(&mut self, sum: &Sum, guard: Option<u32>) -> bool {
        self.ends_of_sum(sum, guard, Limits::Own) == [true; 2]
    }

    /// The same of a sum of which nothing is limited.
    pub(super) fn is_bounded_as_a_whole(&mut self, sum: &Sum, guard: Option<u32>) -> bool {
        self.ends_of_sum(sum, guard, Limits::Whole) == [true; 2]
    }

    /// Whether a sum has limits, though something that it is made of has not: `min(max(idx[i], 0), n - 1)`.
    pub(super) fn is_limited(&mut self, sum: &Sum, guard: Option<u32>) -> bool {
        self.is_bounded(sum, guard) && !self.is_bounded_as_a_whole(sum, guard)
    }

    /// Whether a launch that proves something of a sum may rely on its limits.
    pub(super) fn is_provable(&mut self, sum: &Sum, guard: Option<u32>) -> bool {
        self.is_bounded_as_a_whole(sum, guard) || self.is_bounded(sum, guard) && !self.is_difference(sum, guard)
    }

    /// Whether one limited number is subtracted from another, here or in what a sum is made of. What a loop counts is none.
    pub(super) fn is_difference(&mut self, sum: &Sum, guard: Option<u32>) -> bool {
        let mut signs = [false; 2];
        for term in &sum.terms {
            let Some(variable) = term.variable else { continue };
            let is_count = matches!(self.bounds.variables[variable as usize].is, Is::Any);
            signs[usize::from(term.factor > 0)] |= !is_count && self.is_limited(&Sum::variable(variable), guard);
        }
        signs == [true; 2] || holds_any(sum, &self.differences)
    }

    /// Whether the value of a sum has a limit below, and one above.
    fn ends_of_sum(&mut self, sum: &Sum, guard: Option<u32>, limits: Limits) -> [bool; 2] {
        let mut ends = [true; 2];
        for term in &sum.terms {
            let Some(variable) = term.variable else { continue };
            let [low, high] = self.ends_of(variable, guard, limits);
            let own = match term.symbol {
                _ if limits == Limits::Whole => [low && high; 2],
                // A factor that only the launch knows may have either sign.
                Some(_) => [low && high; 2],
                None if term.factor < 0 => [high, low],
                None => [low, high],
            };
            ends = [ends[0] && own[0], ends[1] && own[1]];
            if ends == [false; 2] {
                break;
            }
        }
        ends
    }

    fn ends_of(&mut self, variable: u32, guard: Option<u32>, limits: Limits) -> [bool; 2] {
        if let Some(&ends) = self.ends.get(&(variable, guard, limits)) {
            return ends;
        }
        if self.depth == MOST_DEPTH || self.work == 0 {
            return [false; 2];
        }
        self.depth += 1;
        let ends = self.found_ends(variable, guard, limits);
        self.depth -= 1;
        self.ends.insert((variable, guard, limits), ends);
        ends
    }

    fn found_ends(&mut self, variable: u32, guard: Option<u32>, of: Limits) -> [bool; 2] {
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
        let mut ends = [false; 2];
        for limit in limits {
            let (own, rest): (Vec<Term>, Vec<Term>) =
                limit.terms.into_iter().partition(|term| term.variable == Some(variable));
            // What is added to the variable is never below zero: the higher the rest may be, the further down the variable may.
            if self.ends_of_sum(&Sum { constant: 0, terms: rest }, guard, of)[1] {
                // A factor that only the launch knows may have either sign.
                ends[0] |= own.iter().any(|term| term.factor > 0 || term.symbol.is_some());
                ends[1] |= own.iter().any(|term| term.factor < 0 || term.symbol.is_some());
            }
        }
        let is = self.bounds.variables[variable as usize].is.clone();
        let mut is_bounded = |sum| self.ends_of_sum(sum, guard, of) == [true; 2];
        let computed = match &is {
            Is::Any | Is::Some => [false; 2],
            Is::Between(alternatives) | Is::OneOf(alternatives) => {
                let mut all = [true; 2];
                for Alternative { value, guard: own } in alternatives {
                    let (here, there) = (self.ends_of_sum(value, guard, of), self.ends_of_sum(value, *own, of));
                    all = [0, 1].map(|end| all[end] && (here[end] || there[end]));
                }
                all
            }
            Is::Quotient { dividend, .. } => [is_bounded(dividend); 2],
            Is::Of(RangeOp::Rem, _, b) => [is_bounded(b); 2],
            Is::Of(_, a, b) => [is_bounded(a) && is_bounded(b); 2],
            Is::Wrapped(sum, _) => [is_bounded(sum); 2],
        };
        [0, 1].map(|end| ends[end] || computed[end])
    }
}
