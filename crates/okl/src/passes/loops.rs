//! A nest as C loops: one over groups, and within it one per inner axis of each region.
//!
//! The result is IR in the dialect [`Dialect::Looped`]. Which groups to run are builtin values.

use super::index_set_split::{Cuts, bound};
use super::loop_bounds::{Bound, Range};
use super::privatize;
use crate::ir::affine::{Affine, Facts};
use crate::ir::rewrite::{replace_regions, without_spans};
use crate::ir::{
    Axis, BinaryOp, Body, Builtin, Dialect, Expr, LaunchShape, Module, Nest, Region, Role, Scalar, Stmt, StmtKind,
    VarId, Variable, build, bytes_of, for_regions,
};

/// Makes every nest loops.
pub(crate) fn run(module: &mut Module) {
    run_where(module, |_, _, _| true);
}

/// Makes those nests loops whose memory fits a work-item's stack.
pub(crate) fn run_on_stack(module: &mut Module) {
    run_where(module, |module, body, nest| {
        let shared: u64 = nest.shared.iter().map(|&var| bytes_of(module, &body.var(var).ty)).sum();
        shared <= STACK_BYTES && privatize::fits_stack(module, body, nest)
    });
}

/// Most bytes of shared memory that a work-item keeps on its stack.
const STACK_BYTES: u64 = 64 * 1024;

fn run_where(module: &mut Module, fits: impl Fn(&Module, &Body, &Nest) -> bool) {
    for index in 0..module.kernels.len() {
        for number in 0..module.kernels[index].nests.len() {
            let kernel = &module.kernels[index];
            let nest = &kernel.nests[number];
            if nest.dialect == Dialect::Lowered && fits(module, &kernel.body, nest) {
                let nest = nest.clone();
                // Not copied: it has the variables of all nests.
                let body = std::mem::take(&mut module.kernels[index].body);
                let (body, nest) = of_nest(module, body, nest);
                let kernel = &mut module.kernels[index];
                kernel.body = body;
                kernel.nests[number] = nest;
            }
        }
    }
}

fn of_nest(module: &Module, mut body: Body, mut nest: Nest) -> (Body, Nest) {
    let mut launch = LaunchShape::of(module, &body, &nest);
    let (arrays, scratch) = privatize::scalar_expand(module, &mut body, &mut nest);
    launch.scratch = scratch;
    let (outer, span) = (nest.outer.clone(), nest.span);
    let mut build = Builder { body, facts: Facts::default() };
    nest.shared.extend(arrays);
    let stmts = build.groups(nest, launch.scratch.is_some());
    let (shared, exclusive) = (Vec::new(), Vec::new());
    let (dialect, launch, coarsened) = (Dialect::Looped, Some(launch), None);
    let nest = Nest { outer, stmts, shared, exclusive, dialect, launch, coarsened, span };
    (build.body, nest)
}

pub(super) struct Builder {
    pub(super) body: Body,
    /// What is known of variables throughout the nest.
    pub(super) facts: Facts,
}

impl Builder {
    /// The limits of an axis's variable, where its start and step are numbers.
    fn learn_limits(&mut self, axis: &Axis) {
        let (Some(start), Some(step)) = (axis.start.as_int(), axis.step.as_int()) else {
            return;
        };
        let last = axis.count.as_int().and_then(|count| start.checked_add(step.checked_mul(count.max(1) - 1)?));
        let limits = if step > 0 { (Some(start), last) } else { (last, Some(start)) };
        self.facts.limits.insert(axis.var, limits);
    }

    /// The loops; what the nest lists as shared is the group's.
    fn groups(&mut self, mut nest: Nest, has_scratch: bool) -> Vec<Stmt> {
        nest.outer.iter().flatten().for_each(|axis| self.learn_limits(axis));
        for_regions(&nest.stmts, &mut |region| region.axes.iter().flatten().for_each(|axis| self.learn_limits(axis)));
        if !has_scratch && let Some(stmts) = self.collapse(&nest) {
            return stmts;
        }
        let mut inside: Vec<Stmt> = Vec::new();
        for &var in &nest.shared {
            self.body.vars[var.0 as usize].role = Role::Expanded;
            inside.push(build::stmt(StmtKind::Declare { var, init: None }));
        }
        replace_regions(&mut nest.stmts, &mut |region| self.region(region));
        inside.append(&mut nest.stmts);
        let axes: Vec<(usize, &Axis)> =
            nest.outer.iter().enumerate().filter_map(|(k, axis)| axis.as_ref().map(|axis| (k, axis))).collect();
        let mut stmts = match axes.as_slice() {
            [(_, axis)] if axis.step.as_int() == Some(1) => vec![self.direct_groups(axis, inside)],
            [(_, axis)] => vec![self.counted_groups(axis, inside)],
            axes => self.many_axes(axes, inside),
        };
        stmts.iter_mut().for_each(|stmt| stmt.span = nest.span);
        stmts
    }

    /// `for (int b = begin; b < end; ++b)`
    fn direct_groups(&mut self, axis: &Axis, inside: Vec<Stmt>) -> Stmt {
        let bound = |group| build::add(wide(axis.start.clone()), build::builtin(group, Scalar::I64));
        let (first, last) = (bound(Builtin::RangeBegin), bound(Builtin::RangeEnd));
        build::for_loop(
            build::declare(&self.body, axis.var, first),
            build::compare(BinaryOp::Lt, wide(build::load(&self.body, axis.var)), last),
            build::advance(&self.body, axis.var, 1),
            inside,
        )
    }

    /// `for (int64_t group = begin; group < end; ++group) { const int o = group * 256; … }`
    fn counted_groups(&mut self, axis: &Axis, mut inside: Vec<Stmt>) -> Stmt {
        let group = self.counter("group", axis);
        let value = axis_value(axis, build::load(&self.body, group));
        self.make_const(axis.var);
        inside.insert(0, build::declare(&self.body, axis.var, value));
        self.group_loop(group, inside)
    }

    /// Several axes: their positions are found once by division and then counted on.
    fn many_axes(&mut self, axes: &[(usize, &Axis)], inside: Vec<Stmt>) -> Vec<Stmt> {
        let names = ["group_x", "group_y", "group_z"];
        let Some((_, first)) = axes.first() else {
            return inside;
        };
        let group = self.counter("group", first);
        let positions: Vec<VarId> = axes.iter().map(|(k, axis)| self.counter(names[*k], axis)).collect();
        let groups = |k: usize| build::builtin(Builtin::GroupCount(k as u8), Scalar::I64);
        let mut stmts = Vec::new();
        for (index, &position) in positions.iter().enumerate() {
            let mut value = build::builtin(Builtin::RangeBegin, Scalar::I64);
            for (k, _) in &axes[..index] {
                value = build::binary(BinaryOp::Div, value, groups(*k), Scalar::I64);
            }
            if index + 1 < positions.len() {
                value = build::binary(BinaryOp::Rem, value, groups(axes[index].0), Scalar::I64);
            }
            stmts.push(build::declare(&self.body, position, value));
        }
        let mut body = Vec::new();
        for ((_, axis), &position) in axes.iter().zip(&positions) {
            self.make_const(axis.var);
            body.push(build::declare(&self.body, axis.var, axis_value(axis, build::load(&self.body, position))));
        }
        // Counted on before the group runs, so that leaving it early misses nothing.
        let mut carry: Vec<Stmt> = Vec::new();
        for (index, &position) in positions.iter().enumerate().rev() {
            let mut step = vec![build::advance(&self.body, position, 1)];
            if index + 1 < positions.len() {
                let full = build::compare(BinaryOp::Eq, build::load(&self.body, position), groups(axes[index].0));
                carry.insert(0, build::assign(&self.body, position, build::int(0)));
                step.extend(build::when(full, std::mem::take(&mut carry), Vec::new()));
            }
            carry = step;
        }
        body.extend(carry);
        body.extend(inside);
        stmts.push(self.group_loop(group, body));
        stmts
    }

    fn group_loop(&mut self, group: VarId, inside: Vec<Stmt>) -> Stmt {
        self.body.vars[group.0 as usize].role = Role::Outer(0);
        let (begin, end) =
            (build::builtin(Builtin::RangeBegin, Scalar::I64), build::builtin(Builtin::RangeEnd, Scalar::I64));
        build::for_loop(
            build::declare(&self.body, group, begin),
            build::compare(BinaryOp::Lt, build::load(&self.body, group), end),
            build::advance(&self.body, group, 1),
            inside,
        )
    }

    fn counter(&mut self, name: &str, axis: &Axis) -> VarId {
        let variable = Variable {
            name: String::new(),
            ty: Scalar::I64.into(),
            role: Role::Local,
            is_const: false,
            span: axis.span,
        };
        build::fresh(&mut self.body, name, variable)
    }

    fn make_const(&mut self, var: VarId) {
        self.body.vars[var.0 as usize].is_const = true;
    }

    fn region(&mut self, region: Region) -> Vec<Stmt> {
        region.axes.iter().flatten().for_each(|axis| self.learn_limits(axis));
        let mut stmts = region.body;
        let mut cuts = Cuts::Any;
        for axis in region.axes.iter().flatten() {
            stmts = self.axis(axis, stmts, cuts);
            cuts = Cuts::Guards;
        }
        stmts
    }

    /// The values of an inner axis in steps of one, where they can be told.
    fn axis_range(&self, axis: &Axis) -> Option<Range> {
        let first = bound(self, &axis.start)?;
        let mut last = Bound::new(first.value.add(&self.facts.affine(&axis.count)?)?);
        if first.value == Affine::constant(0) {
            last.written = bound(self, &axis.count)?.written;
        } else if let (Some(count), Some(ty), None) = (axis.count.as_int(), axis.start.ty.scalar(), axis.start.as_int())
        {
            // All values fit the variable's type, and so does the end but for the very last value of that type.
            let count = Expr::int(count, ty, axis.count.span);
            last.written = Some(without_spans(&build::binary(BinaryOp::Add, axis.start.clone(), count, ty)));
        }
        (axis.step.as_int() == Some(1)).then(|| Range::new(axis.var, first, last))
    }

    /// The loop over one inner axis.
    pub(super) fn axis(&mut self, axis: &Axis, inside: Vec<Stmt>, cuts: Cuts) -> Vec<Stmt> {
        if let Some(range) = self.axis_range(axis) {
            return self.cut_loop(range, inside, cuts);
        }
        if let Some(step) = axis.step.as_int() {
            let reach = build::mul(wide(axis.count.clone()), build::int(step));
            let last = build::add(wide(axis.start.clone()), reach);
            let op = if step > 0 { BinaryOp::Lt } else { BinaryOp::Gt };
            return vec![build::for_loop(
                build::declare(&self.body, axis.var, axis.start.clone()),
                build::compare(op, wide(build::load(&self.body, axis.var)), last),
                build::advance(&self.body, axis.var, step),
                inside,
            )];
        }
        let counter = self.counter("item", axis);
        self.body.vars[counter.0 as usize].role = self.body.var(axis.var).role;
        self.make_const(axis.var);
        let mut body = vec![build::declare(&self.body, axis.var, axis_value(axis, build::load(&self.body, counter)))];
        body.extend(inside);
        vec![build::for_loop(
            build::declare(&self.body, counter, build::int(0)),
            build::compare(BinaryOp::Lt, build::load(&self.body, counter), wide(axis.count.clone())),
            build::advance(&self.body, counter, 1),
            body,
        )]
    }
}

/// The value of an axis at its `position`.
pub(super) fn axis_value(axis: &Axis, position: Expr) -> Expr {
    build::add(wide(axis.start.clone()), build::mul(position, wide(axis.step.clone())))
}

/// As a 64-bit integer.
pub(super) fn wide(expr: Expr) -> Expr {
    build::convert(expr, Scalar::I64)
}
