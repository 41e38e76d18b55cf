//! Axes of nests and regions, and the index variables that belong to them.

use super::constants::{arithmetic, implicit, integer_of, promoted};
use super::context::Lowering;
use super::extents::larger;
use super::loop_attributes::Part;
use super::loops::Range;
use super::pointer::same_expr;
use super::{Lowered, Reported};
use crate::diagnostic::Diagnostic;
use crate::ir::{Axis, BinaryOp, Expr, ExprKind, Role, Scalar, Type, VarId};
use crate::rules;
use crate::source::Span;

impl Lowering<'_, '_> {
    fn axis(&mut self, name: &str, role: Role, range: Range, span: Span) -> (Axis, VarId) {
        let var = self.roled(name, range.scalar.into(), role, span);
        (Axis { var, start: range.start, step: range.step, count: range.count, span }, var)
    }

    /// An axis that counts from 0, and the index computed from it, where its start is not known early enough, or where the
    /// index is of a type in which C does not compute.
    fn counted_axis(&mut self, name: &str, role: Role, range: Range, span: Span) -> (Axis, VarId) {
        let number = |n| Expr::int(n, Scalar::I32, span);
        let counter =
            Range { scalar: Scalar::I32, start: number(0), step: number(1), count: range.count.clone(), bound: None };
        let (axis, counter) = self.axis(&format!("{name}_number"), role, counter, span);
        let counter = self.read(counter, span);
        let var = self.computed_index(name, range, counter, span);
        (axis, var)
    }

    /// `start + number · step`
    pub(super) fn index_at(&self, start: &Expr, step: &Expr, number: Expr, span: Span) -> Expr {
        let offset = match integer_of(step) {
            Some(1) => number,
            _ => arithmetic(BinaryOp::Mul, number, step.clone(), span).unwrap_or(start.clone()),
        };
        match integer_of(start) {
            Some(0) => offset,
            _ => arithmetic(BinaryOp::Add, start.clone(), offset, span).unwrap_or(start.clone()),
        }
    }

    /// A local that holds `start + number · step`.
    fn computed_index(&mut self, name: &str, range: Range, number: Expr, span: Span) -> VarId {
        let scalar = range.scalar;
        let value = self.index_at(&range.start, &range.step, number, span);
        let value = implicit(value, scalar);
        let known = self.is_stable(&value).then(|| value.clone());
        let var = self.temporary(name, scalar.into(), Some(value), true, span);
        let info = &mut self.info[var.0 as usize];
        info.known = known;
        info.is_const = true;
        var
    }

    /// A second loop on an axis that is open already: its index follows from the first one's, and the axis gets the
    /// larger extent.
    fn sibling(&mut self, part: Part, mut axis: Axis, name: &str, range: Range, span: Span) -> Lowered<VarId> {
        axis.count = larger(axis.count, range.count.clone());
        self.set_axis(part, axis.clone());
        let same_type = self.body.var(axis.var).ty == Type::Scalar(range.scalar);
        if same_type && same_expr(&axis.start, &range.start) && same_expr(&axis.step, &range.step) {
            return Ok(axis.var);
        }
        let number = self.position_on(&axis, span).ok_or(Reported)?;
        Ok(self.computed_index(name, range, number, span))
    }

    /// The number of values of an axis, which the host must know: the most that there can be.
    fn host_count(&mut self, count: Expr, word: &str, span: Span) -> Expr {
        if self.is_host(&count) {
            return count;
        }
        let expanded = self.expanded(&count);
        if self.is_host(&expanded) {
            return expanded;
        }
        if let Some(largest) = self.largest_count(&count) {
            return largest;
        }
        let hint = if word == "@outer" {
            "use literals, scalar parameters and variables of the host part"
        } else {
            "let the loop run over the largest number of items, and skip the others by an `if`"
        };
        self.report(
            Diagnostic::error(
                rules::UNKNOWN_EXTENT,
                span,
                format!("the number of iterations of an `{word}` loop must be known before the kernel starts"),
            )
            .hint(hint),
        );
        Expr::int(1, Scalar::I64, span)
    }

    /// The index of an outer axis; a sibling loop over the same values shares it.
    pub(super) fn nest_axis(&mut self, index: u8, name: &str, range: Range, span: Span) -> Lowered<VarId> {
        let part = Part::Outer(index);
        let range = Range { count: self.host_count(range.count, "@outer", span), ..range };
        if let Some(axis) = self.axis_of(part).cloned() {
            return self.sibling(part, axis, name, range, span);
        }
        let (start, step) = (self.expanded(&range.start), self.expanded(&range.step));
        let is_host = self.is_host(&start) && self.is_host(&step) && promoted(range.scalar) == range.scalar;
        let role = Role::Outer(index);
        let (axis, var) = if is_host {
            self.axis(name, role, Range { start, step, ..range }, span)
        } else {
            self.counted_axis(name, role, range, span)
        };
        self.set_axis(part, axis);
        Ok(var)
    }

    pub(super) fn region_axis(&mut self, index: u8, name: &str, range: Range, span: Span) -> Lowered<VarId> {
        let part = Part::Inner(index);
        let range = Range { count: self.host_count(range.count, "@inner", span), ..range };
        if let Some(axis) = self.axis_of(part).cloned() {
            return self.sibling(part, axis, name, range, span);
        }
        let step = self.expanded(&range.step);
        let role = Role::Inner(index);
        let is_counter =
            self.is_host(&step) && self.is_of_group(&range.start) && promoted(range.scalar) == range.scalar;
        let (axis, var) = if is_counter {
            self.axis(name, role, Range { step, ..range }, span)
        } else {
            self.counted_axis(name, role, range, span)
        };
        self.set_axis(part, axis);
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
