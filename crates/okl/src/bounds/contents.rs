//! What memory holds: of tables of constants, and of constant memory, whose least and greatest element a launch knows.
//!
//! Invariant: a launch only knows the contents of what the kernel cannot write, elements of exactly the parameter's type; and a
//! value is among the contents only where its own access is proven: a read out of range gives any number.

use super::space::{Key, Space, literal};
use super::{Frame, Walk};
use crate::ir::{Place, Role, Scalar, Type};
use crate::signature::bounds::{Is, Sum, Within};
use crate::signature::{HostExpr, HostExprKind};

/// An element of the memory passed for a parameter, which is there if a launch proves its requirements.
pub(super) struct Element {
    pub(super) param: u32,
    pub(super) index: Sum,
}

impl<'a> Walk<'a> {
    /// What memory holds at a place, whose element is given where it is known.
    pub(super) fn loaded(&mut self, frame: &Frame<'a>, place: &Place, ty: Scalar, element: Option<Element>) -> Sum {
        if let Role::Constant(id) = frame.body.var(place.root).role {
            let values = self.module.constants[id.0 as usize].values.iter();
            let values: Option<Vec<i64>> = values.map(|value| literal(*value, ty)).collect();
            if let Some((least, most)) = values.and_then(|v| Some((*v.iter().min()?, *v.iter().max()?))) {
                return self.space.ranged(least, most);
            }
        }
        let element = element.filter(|element| self.knows_contents && self.holds_constants(element.param, ty));
        element.and_then(|element| self.space.element_of(element, ty)).unwrap_or_else(|| self.space.unknown(ty))
    }

    /// Whether a parameter is a `const` pointer to integers of a type.
    fn holds_constants(&self, param: u32, ty: Scalar) -> bool {
        let var = self.kernel.params.get(param as usize);
        let ty_of_param = var.map(|&var| &self.kernel.body.var(var).ty);
        matches!(ty_of_param, Some(Type::Pointer(pointer)) if !pointer.mutable && *pointer.element == Type::Scalar(ty))
            && ty.is_integer()
            && ty != Scalar::Bool
    }
}

impl Space<'_> {
    /// One of the contents of constant memory: the same one wherever an item reads this element.
    fn element_of(&mut self, Element { param, index }: Element, ty: Scalar) -> Option<Sum> {
        let mut end = |kind| self.symbol(HostExpr { ty: Scalar::I64, kind }, 1).map(Sum::symbol);
        let ends = [end(HostExprKind::Lowest(param))?, end(HostExprKind::Highest(param))?];
        let value = self.numbered(Key::Element(param, index), |space, this| {
            let above = this.plus(&ends[0], -1);
            let below = ends[1].plus(this, -1);
            (space.range_of(ty).into_iter().chain(above).chain(below).collect(), Is::Some)
        });
        self.elements.extend(value.variables().map(|variable| (variable, ends.clone())));
        Some(value)
    }

    /// A sum that is no less, in which elements of constant memory that were read after `variable` came to be are replaced by
    /// what no element exceeds.
    pub(super) fn without_elements_after(&self, sum: &Sum, variable: u32) -> Option<Sum> {
        let mut relaxed = Sum::number(sum.constant);
        for term in &sum.terms {
            let ends = term.variable.filter(|&of| of > variable).and_then(|of| self.elements.get(&of));
            match (ends, term.symbol) {
                (Some([lowest, highest]), None) => {
                    relaxed = relaxed.plus(if term.factor > 0 { highest } else { lowest }, term.factor)?;
                }
                _ => relaxed.add(term.clone())?,
            }
        }
        Some(relaxed)
    }
}

/// What a register of accesses says of one that may be proven.
pub(super) fn element(within: Within, index: Option<Sum>) -> Option<Element> {
    match within {
        Within::Memory(param) => index.map(|index| Element { param, index }),
        Within::Array(_) | Within::Type(_) | Within::Divisor { .. } => None,
    }
}
