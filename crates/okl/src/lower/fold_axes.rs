//! More than three nested parallel loops: those beyond the third are folded onto the slowest axis, one position of which
//! stands for an index of each.

use super::constants::{binary, implicit, integer_of};
use super::context::Lowering;
use super::loop_attributes::Part;
use crate::ir::{Axis, BinaryOp, Expr, ExprKind, Initializer, Role, Scalar, Stmt, StmtKind, VarId};
use crate::source::Span;

/// Axes that a target has.
pub(super) const AXES: u8 = 3;

impl Lowering<'_, '_> {
    /// The axis that a loop takes which asks for `part`, with `deeper` loops of its kind below it: its own; where that
    /// is taken or beyond the last, one that those leave free; else one to be folded.
    pub(super) fn free_part(&self, part: Part, deeper: usize) -> Part {
        let with = |index| match part {
            Part::Outer(_) => Part::Outer(index),
            Part::Inner(_) => Part::Inner(index),
            Part::Sequential => part,
        };
        let is_free = |index: &u8| !self.open_parts.iter().any(|(open, _)| *open == with(*index));
        let wanted = match part {
            Part::Outer(index) | Part::Inner(index) => index,
            Part::Sequential => return part,
        };
        if wanted < AXES && is_free(&wanted) {
            return part;
        }
        let below = u8::try_from(deeper).unwrap_or(AXES).min(AXES);
        let free = (below..AXES).find(is_free).or_else(|| (AXES..u8::MAX).find(is_free));
        with(free.unwrap_or(u8::MAX))
    }

    /// The axis that a part has, once it was opened.
    pub(super) fn axis_of(&self, part: Part) -> Option<&Axis> {
        let (axes, folded, index) = match part {
            Part::Outer(index) => self.nest.as_ref().map(|n| (&n.nest.outer, &n.folded, index))?,
            Part::Inner(index) => self.region.as_ref().map(|r| (&r.region.axes, &r.folded, index))?,
            Part::Sequential => return None,
        };
        match index.checked_sub(AXES) {
            None => axes[index as usize].as_ref(),
            Some(beyond) => folded.get(beyond as usize)?.as_ref(),
        }
    }

    pub(super) fn set_axis(&mut self, part: Part, axis: Axis) {
        let (axes, folded, index) = match part {
            Part::Outer(index) => match &mut self.nest {
                Some(draft) => (&mut draft.nest.outer, &mut draft.folded, index),
                None => return,
            },
            Part::Inner(index) => match &mut self.region {
                Some(draft) => (&mut draft.region.axes, &mut draft.folded, index),
                None => return,
            },
            Part::Sequential => return,
        };
        match index.checked_sub(AXES) {
            None => axes[index as usize] = Some(axis),
            Some(beyond) => {
                let len = folded.len().max(beyond as usize + 1);
                folded.resize(len, None);
                folded[beyond as usize] = Some(axis);
            }
        }
    }

    /// Every axis of the nest and region that are being lowered.
    pub(super) fn open_axes(&self) -> impl Iterator<Item = &Axis> {
        let outer = self.nest.iter().flat_map(|n| n.nest.outer.iter().chain(&n.folded));
        let inner = self.region.iter().flat_map(|r| r.region.axes.iter().chain(&r.folded));
        outer.chain(inner).flatten()
    }

    /// Puts folded axes onto the slowest one. What computes their indices comes before everything else.
    pub(super) fn fold_axes(
        &mut self,
        axes: &mut [Option<Axis>; 3],
        folded: Vec<Option<Axis>>,
        role: Role,
    ) -> Vec<Stmt> {
        let mut levels: Vec<Axis> = folded.into_iter().flatten().chain(axes[2].take()).collect();
        if levels.len() < 2 {
            axes[2] = levels.pop();
            if let Some(axis) = &axes[2] {
                self.body.vars[axis.var.0 as usize].role = role;
            }
            return Vec::new();
        }
        let span = levels[0].span;
        let count = levels.iter().map(|axis| positive(&axis.count)).reduce(|a, b| binary(BinaryOp::Mul, a, b, span));
        let Some(count) = count else { return Vec::new() };
        let scalar = match integer_of(&count) {
            Some(known) if known <= i128::from(i32::MAX) => Scalar::I32,
            _ => Scalar::I64,
        };
        let counter = self.roled("folded", scalar.into(), role, span);
        let mut rest = self.read(counter, span);
        let mut stmts = Vec::new();
        let number = |n| Expr::int(n, scalar, span);
        for (index, level) in levels.iter().enumerate().rev() {
            let size = implicit(level.count.clone(), scalar);
            let position = match index {
                0 => rest.clone(),
                _ => binary(BinaryOp::Rem, rest.clone(), size.clone(), span),
            };
            rest = binary(BinaryOp::Div, rest, size, span);
            stmts.push(self.declare_index(level, position, span));
        }
        axes[2] = Some(Axis { var: counter, start: number(0), step: Expr::int(1, Scalar::I32, span), count, span });
        stmts
    }

    /// The index that an axis had, as a variable with its value at a position.
    fn declare_index(&mut self, level: &Axis, position: Expr, span: Span) -> Stmt {
        let scalar = self.body.var(level.var).ty.scalar().unwrap_or(Scalar::I32);
        let value = self.index_at(&level.start, &level.step, position, span);
        let value = implicit(value, scalar);
        let VarId(number) = level.var;
        self.info[number as usize].known = self.is_stable(&value).then(|| value.clone());
        self.body.vars[number as usize].role = Role::Local;
        Stmt { kind: StmtKind::Declare { var: level.var, init: Some(Initializer::Value(value)) }, span }
    }
}

/// A count, at least 0: two negative ones make no groups.
fn positive(count: &Expr) -> Expr {
    match integer_of(count) {
        Some(_) => count.clone(),
        None => super::extents::larger(
            count.clone(),
            Expr { kind: ExprKind::Literal(crate::ir::Literal::Int(0)), ty: count.ty.clone(), span: count.span },
        ),
    }
}
