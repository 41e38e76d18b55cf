//! What a launch computes, as trees: walked level by level on a stack that holds them.
//!
//! Invariant: no walk over a [`HostExpr`] or over [`HostOps`] needs more stack than a level of it, in whatever thread it
//! runs: launches and drops happen in threads with 64 KiB. How high a tree may be is a rule of the language
//! (`front::parse::MAX_EXPRESSION_HEIGHT`, `ir::MAX_LAUNCH_LEVELS`), for the sake of files.

use super::{HostExpr, HostExprKind, HostOp, HostParams, HostPart, Signature, evaluate};
use crate::deep_stack::with_room;
use crate::ir::{BinaryOp, Scalar};
use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeSet;
use std::fmt;
use std::ops::Deref;

impl Clone for HostExpr {
    fn clone(&self) -> Self {
        with_room(|| Self { ty: self.ty, kind: self.kind.clone() })
    }
}

impl PartialEq for HostExpr {
    fn eq(&self, other: &Self) -> bool {
        self.ty == other.ty && with_room(|| self.kind == other.kind)
    }
}

impl fmt::Debug for HostExpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        with_room(|| f.debug_struct("HostExpr").field("ty", &self.ty).field("kind", &self.kind).finish())
    }
}

impl Drop for HostExpr {
    fn drop(&mut self) {
        use HostExprKind::{Binary, Cast, Highest, Length, Literal, Lowest, Math, Param, Select, Slot, Unary};
        match self.kind {
            Literal(_) | Param(_) | Slot(_) | Length(_) | Lowest(_) | Highest(_) => {}
            Unary(..) | Binary(..) | Cast(_) | Select(..) | Math(..) => {
                let parts = std::mem::replace(&mut self.kind, Slot(0));
                with_room(|| drop(parts));
            }
        }
    }
}

impl Serialize for HostExpr {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        with_room(|| {
            let mut parts = serializer.serialize_struct("HostExpr", 2)?;
            parts.serialize_field("ty", &self.ty)?;
            parts.serialize_field("kind", &self.kind)?;
            parts.end()
        })
    }
}

impl<'de> Deserialize<'de> for HostExpr {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(rename = "HostExpr")]
        struct Parts {
            ty: Scalar,
            kind: HostExprKind,
        }
        with_room(|| Parts::deserialize(deserializer).map(|Parts { ty, kind }| Self { ty, kind }))
    }
}

impl HostExpr {
    /// Calls a function for each scalar parameter, and another one for each host variable, that is read.
    pub fn mentioned(&self, param: &mut dyn FnMut(u32), slot: &mut dyn FnMut(u32)) {
        self.leaves(&mut |leaf| match leaf {
            HostExprKind::Param(position) => param(*position),
            HostExprKind::Slot(position) => slot(*position),
            _ => {}
        });
    }

    /// Calls a function for each parameter whose contents are read.
    pub fn mentioned_contents(&self, visit: &mut dyn FnMut(u32)) {
        self.leaves(&mut |leaf| {
            if let HostExprKind::Lowest(param) | HostExprKind::Highest(param) = leaf {
                visit(*param);
            }
        });
    }

    /// Calls a function for each part that has no parts.
    fn leaves(&self, visit: &mut dyn FnMut(&HostExprKind)) {
        with_room(|| match &self.kind {
            HostExprKind::Literal(_)
            | HostExprKind::Param(_)
            | HostExprKind::Slot(_)
            | HostExprKind::Length(_)
            | HostExprKind::Lowest(_)
            | HostExprKind::Highest(_) => visit(&self.kind),
            HostExprKind::Unary(_, a) | HostExprKind::Cast(a) => a.leaves(visit),
            HostExprKind::Binary(_, a, b) => [a, b].into_iter().for_each(|e| e.leaves(visit)),
            HostExprKind::Select(a, b, c) => [a, b, c].into_iter().for_each(|e| e.leaves(visit)),
            HostExprKind::Math(_, arguments) => arguments.iter().for_each(|e| e.leaves(visit)),
        });
    }

    /// Calls a function for each divisor of integers.
    pub fn divisors(&self, visit: &mut dyn FnMut(&Self)) {
        with_room(|| match &self.kind {
            HostExprKind::Literal(_)
            | HostExprKind::Length(_)
            | HostExprKind::Lowest(_)
            | HostExprKind::Highest(_)
            | HostExprKind::Param(_)
            | HostExprKind::Slot(_) => {}
            HostExprKind::Unary(_, a) | HostExprKind::Cast(a) => a.divisors(visit),
            HostExprKind::Binary(op, a, b) => {
                if matches!(op, BinaryOp::Div | BinaryOp::Rem) && b.ty.is_integer() {
                    visit(b);
                }
                [a, b].into_iter().for_each(|e| e.divisors(visit));
            }
            HostExprKind::Select(a, b, c) => [a, b, c].into_iter().for_each(|e| e.divisors(visit)),
            HostExprKind::Math(_, arguments) => arguments.iter().for_each(|e| e.divisors(visit)),
        });
    }
}

impl Signature {
    /// The scalar parameters that make a divisor zero in a part of the host part that divides by zero, by position, in order. Host
    /// variables are not looked into.
    pub fn zero_divisors(&self, part: HostPart, params: &(impl HostParams + ?Sized)) -> Vec<u32> {
        let mut found = BTreeSet::new();
        let mut look = |expr: &HostExpr| {
            expr.divisors(&mut |divisor| {
                if evaluate(divisor, params, &[]).is_ok_and(|value| value.integer() == Some(0)) {
                    divisor.mentioned(&mut |position| _ = found.insert(position), &mut |_| {});
                }
            });
        };
        let nest = |index: u32| self.nests.get(index as usize);
        match part {
            HostPart::Slot(_) | HostPart::Condition => self.host_expressions(&mut look),
            HostPart::SharedSize => self.sizes.iter().for_each(|size| look(&size.value)),
            HostPart::Outer { nest: index, axis } => {
                nest(index).into_iter().for_each(|nest| look(&nest.outer[usize::from(axis)]));
            }
            HostPart::Inner { nest: index, axis } => {
                nest(index).into_iter().flat_map(|nest| &nest.inner[usize::from(axis)]).for_each(look);
            }
        }
        found.into_iter().collect()
    }

    /// Calls a function for each expression of the host part: values, conditions.
    pub fn host_expressions(&self, visit: &mut dyn FnMut(&HostExpr)) {
        expressions(&self.host, visit);
    }
}

fn expressions(ops: &[HostOp], visit: &mut dyn FnMut(&HostExpr)) {
    with_room(|| {
        for op in ops {
            match op {
                HostOp::Set(_, value) => visit(value),
                HostOp::If(condition, then, otherwise) => {
                    visit(condition);
                    expressions(then, visit);
                    expressions(otherwise, visit);
                }
                HostOp::Loop(condition, body) => {
                    visit(condition);
                    expressions(body, visit);
                }
                HostOp::Launch(_) | HostOp::Return => {}
            }
        }
    });
}

/// Steps of the host part within another one.
#[derive(Default)]
pub struct HostOps(Vec<HostOp>);

impl From<Vec<HostOp>> for HostOps {
    fn from(ops: Vec<HostOp>) -> Self {
        Self(ops)
    }
}

impl Deref for HostOps {
    type Target = [HostOp];

    fn deref(&self) -> &[HostOp] {
        &self.0
    }
}

impl Serialize for HostOps {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        with_room(|| self.0.serialize(serializer))
    }
}

impl<'de> Deserialize<'de> for HostOps {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        with_room(|| Vec::deserialize(deserializer).map(Self))
    }
}

impl Clone for HostOps {
    fn clone(&self) -> Self {
        with_room(|| Self(self.0.clone()))
    }
}

impl PartialEq for HostOps {
    fn eq(&self, other: &Self) -> bool {
        with_room(|| self.0 == other.0)
    }
}

impl fmt::Debug for HostOps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        with_room(|| self.0.fmt(f))
    }
}

impl Drop for HostOps {
    fn drop(&mut self) {
        let ops = std::mem::take(&mut self.0);
        with_room(|| drop(ops));
    }
}
