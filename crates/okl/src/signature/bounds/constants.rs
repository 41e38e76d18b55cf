//! What launches prove besides where their index memory is constant.

use super::{Access, Bounds, Is, Sum};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What a launch can prove besides that is given constant memory for some parameters: then it knows the least and the greatest
/// element.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WithConstants {
    /// The parameters, in order: `const` pointers to integers.
    pub params: Vec<u32>,
    /// The accesses: indices into [`Bounds::unproven`], in order.
    pub accesses: Vec<u32>,
    /// How many divisions of [`Bounds::unproven_divisions`].
    pub divisions: u32,
}

impl Bounds {
    /// Notes what `known` proves besides: bounds of the same nest, found with the contents of memory known.
    pub(crate) fn note_constants(&mut self, known: &Bounds) {
        let mut left: Vec<&Access> = known.unproven.iter().collect();
        let mut is_left = |access: &Access| match left.iter().position(|other| *other == access) {
            Some(at) => {
                left.swap_remove(at);
                true
            }
            None => false,
        };
        let unproven = (0..).zip(&self.unproven);
        let accesses: Vec<u32> = unproven.filter(|(_, access)| !is_left(access)).map(|(index, _)| index).collect();
        let divisions = self.unproven_divisions.len().saturating_sub(known.unproven_divisions.len()) as u32;
        let params: Vec<u32> = known.deciding_contents().into_iter().collect();
        if !params.is_empty() && (!accesses.is_empty() || divisions > 0) {
            self.with_constants = Some(WithConstants { params, accesses, divisions });
        }
    }

    /// The parameters whose contents decide a requirement.
    fn deciding_contents(&self) -> BTreeSet<u32> {
        let mut params = BTreeSet::new();
        let mut is_seen = vec![false; self.variables.len()];
        let mut open: Vec<&Sum> = self.requirements.iter().map(|requirement| &requirement.index).collect();
        while let Some(sum) = open.pop() {
            for symbol in sum.terms.iter().filter_map(|term| term.symbol) {
                self.symbols[symbol as usize].mentioned_contents(&mut |param| _ = params.insert(param));
            }
            for variable in sum.variables() {
                if !std::mem::replace(&mut is_seen[variable as usize], true) {
                    let variable = &self.variables[variable as usize];
                    open.extend(variable.constraints.iter().chain(variable.is.sources()));
                }
            }
        }
        params
    }
}

impl Is {
    /// What it is made of.
    pub(crate) fn sources(&self) -> Vec<&Sum> {
        match self {
            Self::Any | Self::Some => Vec::new(),
            Self::Between(alternatives) | Self::OneOf(alternatives) => alternatives.iter().map(|a| &a.value).collect(),
            Self::Quotient { dividend: a, divisor: b, .. } | Self::Of(_, a, b) => vec![a, b],
            Self::Wrapped(sum, _) => vec![sum],
        }
    }
}
