//! Axes of nests and regions, and the index variables that belong to them.

use super::constants::{arithmetic, implicit, integer_of};
use super::context::Lowering;
use super::loops::Range;
use super::pointer::same_expr;
use super::{Lowered, Reported};
use crate::diagnostic::Diagnostic;
use crate::ir::{Axis, BinaryOp, Expr, ExprKind, Role, Scalar, Type, VarId};
use crate::source::Span;

impl Lowering<'_, '_> {
    fn axis(&mut self, name: &str, role: Role, range: Range, span: Span) -> (Axis, VarId) {
        let var = self.roled(name, range.scalar.into(), role, span);
        (Axis { var, start: range.start, step: range.step, count: range.count, span }, var)
    }

    /// An axis that counts from 0, and the index computed from it, where its start is not known early enough.
    fn counted_axis(&mut self, name: &str, role: Role, range: Range, span: Span) -> (Axis, VarId) {
        let number = |n| Expr::int(n, Scalar::I32, span);
        let counter = Range { scalar: Scalar::I32, start: number(0), step: number(1), count: range.count.clone() };
        let (axis, counter) = self.axis(&format!("{name}_number"), role, counter, span);
        let counter = self.read(counter, span);
        let var = self.computed_index(name, range, counter, span);
        (axis, var)
    }

    /// A local that holds `start + number · step`.
    fn computed_index(&mut self, name: &str, range: Range, number: Expr, span: Span) -> VarId {
        let scalar = range.scalar;
        let offset = match integer_of(&range.step) {
            Some(1) => number,
            _ => arithmetic(BinaryOp::Mul, number, range.step, span).unwrap_or(range.start.clone()),
        };
        let value = match integer_of(&range.start) {
            Some(0) => offset,
            _ => arithmetic(BinaryOp::Add, range.start.clone(), offset, span).unwrap_or(range.start),
        };
        let value = implicit(value, scalar);
        let known = self.is_stable(&value).then(|| value.clone());
        let var = self.temporary(name, scalar.into(), Some(value), true, span);
        let info = &mut self.info[var.0 as usize];
        info.known = known;
        info.is_const = true;
        var
    }

    /// A second loop on an axis that is open already: its index follows from the first one's.
    fn sibling(&mut self, axis: Axis, name: &str, range: Range, word: &str, index: u8, span: Span) -> Lowered<VarId> {
        if !same_expr(&axis.count, &range.count) {
            return Err(self.report(
                Diagnostic::error(span, format!("this `{word}({index})` loop has another extent than the first one"))
                    .label(axis.span, "the first one is here")
                    .hint(if word == "@outer" {
                        "write two separate `@outer` loops"
                    } else {
                        "use the larger extent and an `if`"
                    }),
            ));
        }
        let same_type = self.body.var(axis.var).ty == Type::Scalar(range.scalar);
        if same_type && same_expr(&axis.start, &range.start) && same_expr(&axis.step, &range.step) {
            return Ok(axis.var);
        }
        let value = self.read(axis.var, span);
        let from_start = match integer_of(&axis.start) {
            Some(0) => value,
            _ => arithmetic(BinaryOp::Sub, value, axis.start, span).ok_or(Reported)?,
        };
        let number = match integer_of(&axis.step) {
            Some(1) => from_start,
            _ => arithmetic(BinaryOp::Div, from_start, axis.step, span).ok_or(Reported)?,
        };
        Ok(self.computed_index(name, range, number, span))
    }

    /// The number of values of an axis, which the host must know.
    fn host_count(&mut self, count: Expr, word: &str, span: Span) -> Expr {
        if self.is_host(&count) {
            return count;
        }
        let count = self.expanded(&count);
        if self.is_host(&count) {
            return count;
        }
        let hint = if word == "@outer" {
            "use literals, scalar parameters and variables of the host part"
        } else {
            "let the loop run over the largest number of items, and skip the others by an `if`"
        };
        self.report(
            Diagnostic::error(
                span,
                format!("the number of iterations of an `{word}` loop must be known before the kernel starts"),
            )
            .hint(hint),
        );
        Expr::int(1, Scalar::I64, span)
    }

    /// The index of an outer axis; a sibling loop over the same values shares it.
    pub(super) fn nest_axis(&mut self, index: u8, name: &str, range: Range, span: Span) -> Lowered<VarId> {
        let range = Range { count: self.host_count(range.count, "@outer", span), ..range };
        let known = self.nest.as_ref().and_then(|n| n.nest.outer[index as usize].clone());
        if let Some(axis) = known {
            return self.sibling(axis, name, range, "@outer", index, span);
        }
        let (start, step) = (self.expanded(&range.start), self.expanded(&range.step));
        let is_host = self.is_host(&start) && self.is_host(&step);
        let role = Role::Outer(index);
        let (axis, var) = if is_host {
            self.axis(name, role, Range { start, step, ..range }, span)
        } else {
            self.counted_axis(name, role, range, span)
        };
        if let Some(draft) = &mut self.nest {
            draft.nest.outer[index as usize] = Some(axis);
        }
        Ok(var)
    }

    pub(super) fn region_axis(&mut self, index: u8, name: &str, range: Range, span: Span) -> Lowered<VarId> {
        let range = Range { count: self.host_count(range.count, "@inner", span), ..range };
        let known = self.region.as_ref().and_then(|r| r.region.axes[index as usize].clone());
        if let Some(axis) = known {
            return self.sibling(axis, name, range, "@inner", index, span);
        }
        let step = self.expanded(&range.step);
        let role = Role::Inner(index);
        let (axis, var) = if self.is_host(&step) && self.is_of_group(&range.start) {
            self.axis(name, role, Range { step, ..range }, span)
        } else {
            self.counted_axis(name, role, range, span)
        };
        if let Some(draft) = &mut self.region {
            draft.region.axes[index as usize] = Some(axis);
        }
        Ok(var)
    }

    /// Whether every variable of an expression is known to the whole group.
    fn is_of_group(&self, expr: &Expr) -> bool {
        expr.every(&|e| match &e.kind {
            ExprKind::Load(place) => {
                place.path.is_empty()
                    && !self.info[place.root.0 as usize].level.is_item()
                    && !self.is_global_memory(place.root)
            }
            ExprKind::Call(..) | ExprKind::Builtin(_) => false,
            _ => true,
        })
    }
}
