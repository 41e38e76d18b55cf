//! The host part, nests, groups and regions.

use super::fault::{Fault, FaultKind};
use super::layout::regions;
use super::machine::{Frame, Machine, Position, Result, Value, indices};
use super::memory::Pointer;
use super::stmt::{Flow, place_bytes};
use super::{Bound, Launched, Report};
use crate::ir::value::{ScalarValue, Trap};
use crate::ir::{Axis, Coarsened, Dialect, Expr, HostStmt, Kernel, Meeting, Nest, Region, Scalar};
use crate::source::Span;

/// Most bytes of shared memory, or of exclusive memory for all items of a group.
const MAX_GROUP_MEMORY: usize = 1 << 30;

/// A parallel loop whose bounds are known.
struct Range<'a> {
    axis: &'a Axis,
    start: i128,
    step: i128,
    count: u64,
}

impl<'a> Machine<'a> {
    /// Runs the kernel with arguments that fit it.
    pub(super) fn run_kernel(mut self, index: usize, arguments: Vec<Bound>) -> Result<Report> {
        let (kernel, frame) = self.start(index, &arguments)?;
        self.host(&frame, kernel, &kernel.host)?;
        Ok(self.report)
    }

    /// Runs one nest of the kernel, with the values of its host variables.
    pub(super) fn run_nest(
        mut self,
        (index, number): (usize, u32),
        arguments: Vec<Bound>,
        host: &[ScalarValue],
    ) -> Result<Report> {
        let (kernel, frame) = self.start(index, &arguments)?;
        for (var, value) in kernel.host_variables().zip(host) {
            self.set_variable(&frame, var, Value::Scalar(*value), kernel.span)?;
        }
        let Some(nest) = kernel.nests.get(number as usize) else {
            return self.fault(FaultKind::Invalid("no such nest"), kernel.span);
        };
        self.launch(&frame, kernel, number, nest)?;
        Ok(self.report)
    }

    /// The kernel's frame, with its arguments.
    fn start(&mut self, index: usize, arguments: &[Bound]) -> Result<(&'a Kernel, Frame<'a>)> {
        let (module, layouts) = (self.module, self.layouts);
        let (Some(kernel), Some(layout)) = (module.kernels.get(index), layouts.kernels.get(index)) else {
            return Err(Fault::new(FaultKind::Invalid("no such kernel"), Span::default()));
        };
        if layout.frame_bytes.max(layout.shared_bytes) > MAX_GROUP_MEMORY {
            return Err(Fault::new(
                FaultKind::Limit("the kernel's variables need more than 1 GiB".into()),
                kernel.span,
            ));
        }
        self.memory.set_stack(layout.frame_bytes);
        let mut frame = Frame { body: &kernel.body, layout, base: 0, pointers: Vec::new() };
        frame.pointers.extend(arguments.iter().map(|argument| match argument {
            Bound::Pointer(pointer) => *pointer,
            Bound::Value(_) => Pointer::null(),
        }));
        self.pointers.clone_from(&frame.pointers);
        for (&param, argument) in kernel.params.iter().zip(arguments) {
            if let Bound::Value(bytes) = argument {
                place_bytes(self, &frame, param, bytes);
            }
        }
        Ok((kernel, frame))
    }

    fn host(&mut self, frame: &Frame<'a>, kernel: &'a Kernel, stmts: &'a [HostStmt]) -> Result<Flow> {
        for stmt in stmts {
            self.step(kernel.span)?;
            self.enter(kernel.span)?;
            let flow = match stmt {
                HostStmt::Set { var, value } => {
                    let set = self.scalar(frame, value)?;
                    self.set_variable(frame, *var, Value::Scalar(set), value.span)?;
                    Flow::Next
                }
                HostStmt::If { condition, then, otherwise } => {
                    let branch = if self.condition(frame, condition)? { then } else { otherwise };
                    self.host(frame, kernel, branch)?
                }
                HostStmt::Loop { condition, body, update } => {
                    let mut flow = Flow::Next;
                    while flow == Flow::Next && self.condition(frame, condition)? {
                        self.step(condition.span)?;
                        flow = self.host(frame, kernel, body)?;
                        if flow == Flow::Next {
                            flow = self.host(frame, kernel, update)?;
                        }
                    }
                    flow
                }
                HostStmt::Launch(number) => {
                    let Some(nest) = kernel.nests.get(*number as usize) else {
                        return self.fault(FaultKind::Invalid("no such nest"), kernel.span);
                    };
                    self.launch(frame, kernel, *number, nest)?;
                    Flow::Next
                }
                HostStmt::Return => Flow::Return,
            };
            self.depth -= 1;
            if flow != Flow::Next {
                return Ok(flow);
            }
        }
        Ok(Flow::Next)
    }

    fn launch(&mut self, frame: &Frame<'a>, kernel: &'a Kernel, number: u32, nest: &'a Nest) -> Result<()> {
        let ranges = self.ranges(frame, &nest.outer)?;
        let outer = sizes(&ranges);
        let inner = self.inner_sizes(frame, nest)?;
        if outer.contains(&0) || inner.contains(&0) {
            return Ok(());
        }
        for size in &kernel.sizes {
            let (asked, built) = (self.integer(frame, &size.value)?, size.built);
            if asked != i128::from(built) {
                let fault = FaultKind::SharedSize { array: size.array.clone(), asked, built };
                return self.fault(fault, size.value.span);
            }
        }
        for (axis, (&items, &most)) in inner.iter().zip(kernel.max_inner_dims.iter().flatten()).enumerate() {
            if items > u64::from(most) {
                return self.fault(FaultKind::InnerDims { axis, items, most }, nest.span);
            }
        }
        let (groups, items) = (self.total(outer, nest.span)?, self.total(inner, nest.span)?);
        self.report.launches.push(Launched { nest: number, outer, inner });
        if let Some(shadow) = &mut self.shadow {
            shadow.clear();
        }
        let item_start = frame.base + frame.layout.item_start;
        let exclusive_bytes = frame.layout.exclusive_bytes;
        let at = Position { outer, inner, in_nest: true, item_start, exclusive_bytes, ..Position::default() };
        if nest.dialect == Dialect::Looped {
            // Any division of the groups must do.
            let (middle, end) = (u64::from(groups / 2), u64::from(groups));
            for range in [[0, middle], [middle, end]].into_iter().filter(|[begin, end]| begin < end) {
                self.at = Position { range, ..at };
                self.loops(frame, nest, items)?;
            }
        } else {
            let coarsened = nest.coarsened.as_ref().filter(|_| self.options.coarsened);
            let mut group = 0;
            while group < groups {
                self.at = Position { group, ..at };
                group += match coarsened {
                    Some(of) => self.two_groups(frame, nest, of, (&ranges, items))?,
                    None => {
                        self.none_done(items);
                        self.group(frame, nest, &ranges, items)?;
                        1
                    }
                };
            }
        }
        self.at = Position::default();
        Ok(())
    }

    /// The most items of a region along each axis.
    fn inner_sizes(&mut self, frame: &Frame<'a>, nest: &'a Nest) -> Result<[u64; 3]> {
        let mut inner = [0; 3];
        if let Some(launch) = &nest.launch {
            for (most, counts) in inner.iter_mut().zip(&launch.items) {
                for count in counts {
                    *most = (*most).max(self.count(frame, count)?);
                }
            }
            return Ok(inner);
        }
        for region in regions(nest) {
            for (most, axis) in inner.iter_mut().zip(&region.axes) {
                *most = (*most).max(match axis {
                    Some(axis) => self.count(frame, &axis.count)?,
                    None => 1,
                });
            }
        }
        Ok(inner)
    }

    /// Runs the groups of a range as loops, with memory for the elements of their items.
    fn loops(&mut self, frame: &Frame<'a>, nest: &'a Nest, items: u32) -> Result<()> {
        self.step(nest.span)?;
        if let Some(scratch) = nest.launch.as_ref().and_then(|launch| launch.scratch.as_ref()) {
            let bytes = (scratch.bytes() as usize).saturating_mul(items as usize);
            if bytes > MAX_GROUP_MEMORY {
                return self
                    .fault(FaultKind::Limit("a group's exclusive variables need more than 1 GiB".into()), nest.span);
            }
            self.memory.exclusive.reset(bytes);
            self.set_variable(frame, scratch.items, Value::Scalar(ScalarValue::I64(i64::from(items))), nest.span)?;
        }
        match self.run(frame, &nest.stmts)? {
            Flow::Next => Ok(()),
            _ => self.fault(FaultKind::Invalid("a jump out of the outer loops"), nest.span),
        }
    }

    fn none_done(&mut self, items: u32) {
        self.done.clear();
        self.done.resize(items as usize, false);
    }

    /// Runs this group and the next one along axis 0, if there is one: first, side by side, the items that have something to
    /// do in both, then the others of each group. Answers how many groups that were.
    fn two_groups(
        &mut self,
        frame: &Frame<'a>,
        nest: &'a Nest,
        of: &'a Coarsened,
        (ranges, items): (&[Option<Range<'a>>; 3], u32),
    ) -> Result<u32> {
        let first = self.at;
        let next = indices(u64::from(first.group), first.outer)[0] + 1;
        self.none_done(items);
        self.fresh_memory(frame, nest, items)?;
        for item in 0..items {
            self.step(nest.span)?;
            // One thread declares everything, also what the nest's own statements have once for a group.
            self.at = Position { item: Some(item), next: Some(next), item_start: frame.base, ..first };
            let mut flow = self.run(frame, &of.head)?;
            if flow == Flow::Next && self.condition(frame, &of.condition)? {
                flow = self.run(frame, &of.stmts)?;
                self.done[item as usize] = true;
            }
            if flow != Flow::Next {
                return self.fault(FaultKind::Invalid("a jump out of two groups' items"), nest.span);
            }
        }
        let (done, groups) = (self.done.clone(), if next < first.outer[0] { 2 } else { 1 });
        for group in first.group..first.group + groups {
            self.at = Position { group, ..first };
            self.done.clone_from(&done);
            self.group(frame, nest, ranges, items)?;
        }
        Ok(groups)
    }

    /// Memory of a group and of its items, in which nothing is written.
    fn fresh_memory(&mut self, frame: &Frame<'a>, nest: &'a Nest, items: u32) -> Result<()> {
        // Behind those of the items, what the group level has of them.
        let exclusive = frame.layout.exclusive_bytes.saturating_mul(items as usize + 1);
        if exclusive > MAX_GROUP_MEMORY {
            return self
                .fault(FaultKind::Limit("a group's exclusive variables need more than 1 GiB".into()), nest.span);
        }
        self.memory.shared.reset(frame.layout.shared_bytes);
        self.memory.exclusive.reset(exclusive);
        if let Some(shadow) = &mut self.shadow {
            shadow.clear_shared(frame.layout.shared_bytes);
        }
        Ok(())
    }

    /// Runs the items of a group that are not done.
    fn group(&mut self, frame: &Frame<'a>, nest: &'a Nest, ranges: &[Option<Range<'a>>; 3], items: u32) -> Result<()> {
        self.step(nest.span)?;
        self.fresh_memory(frame, nest, items)?;
        self.set_axes(frame, ranges, indices(u64::from(self.at.group), self.at.outer))?;
        match self.run(frame, &nest.stmts)? {
            Flow::Next | Flow::Return => Ok(()),
            _ => self.fault(FaultKind::Invalid("a jump out of the outer loops"), nest.span),
        }
    }

    /// Runs the items of one region, one after the other.
    pub(super) fn region(&mut self, frame: &Frame<'a>, region: &'a Region, span: Span) -> Result<Flow> {
        if !self.at.in_nest || self.at.item.is_some() {
            return self.fault(FaultKind::Invalid("inner loops within inner loops, or in a function"), span);
        }
        let ranges = self.ranges(frame, &region.axes)?;
        // Threads ask by themselves whether there is an item, and wait at barriers.
        let are_threads = region.axes.iter().all(Option::is_none);
        let [x, y, z] = if are_threads { self.at.inner } else { sizes(&ranges) };
        if x > self.at.inner[0] || y > self.at.inner[1] || z > self.at.inner[2] {
            return self.fault(FaultKind::Invalid("an inner bound that changes within the nest"), span);
        }
        // What the group level has read is read: targets put a barrier where items write it.
        self.at.phase = self.at.phase.saturating_add(u32::from(!are_threads && !self.at.exchanged));
        for k in (0..z).flat_map(|k| (0..y).flat_map(move |j| (0..x).map(move |i| [i, j, k]))) {
            self.step(span)?;
            // Fits, because the product of the sizes does.
            let item = (k[0] + self.at.inner[0] * (k[1] + self.at.inner[1] * k[2])) as u32;
            if self.done.get(item as usize) == Some(&true) {
                continue;
            }
            self.at.item = Some(item);
            let start = frame.base + frame.layout.item_start;
            self.forget(start, frame.layout.frame_bytes - frame.layout.item_start);
            self.set_axes(frame, &ranges, k)?;
            match self.run(frame, &region.body)? {
                Flow::Next | Flow::EndItem => {}
                Flow::Return => self.done[item as usize] = true,
                Flow::Break | Flow::Continue => {
                    return self.fault(FaultKind::Invalid("a jump out of the inner loops"), span);
                }
            }
        }
        self.at.item = None;
        // An exchange orders nothing but what is exchanged.
        self.at.exchanged = region.meeting == Meeting::Exchange;
        self.at.phase = self.at.phase.saturating_add(u32::from(!are_threads && !self.at.exchanged));
        Ok(Flow::Next)
    }

    fn ranges(&mut self, frame: &Frame<'a>, axes: &'a [Option<Axis>; 3]) -> Result<[Option<Range<'a>>; 3]> {
        let mut ranges = [const { None }; 3];
        for (range, axis) in ranges.iter_mut().zip(axes) {
            if let Some(axis) = axis {
                let start = self.integer(frame, &axis.start)?;
                let step = self.integer(frame, &axis.step)?;
                *range = Some(Range { axis, start, step, count: self.count(frame, &axis.count)? });
            }
        }
        Ok(ranges)
    }

    fn set_axes(&mut self, frame: &Frame<'a>, ranges: &[Option<Range<'a>>; 3], k: [u64; 3]) -> Result<()> {
        for (range, k) in ranges.iter().zip(k) {
            let Some(range) = range else { continue };
            let span = range.axis.span;
            let ty = frame.body.vars.get(range.axis.var.0 as usize).and_then(|v| v.ty.scalar());
            let Some(ty) = ty.filter(|ty| ty.is_integer()) else {
                return self.fault(FaultKind::Invalid("an index variable that is no integer"), span);
            };
            let exact = range.step.checked_mul(i128::from(k)).and_then(|moved| moved.checked_add(range.start));
            let value = exact.and_then(|exact| {
                let wide = i64::try_from(exact).map(ScalarValue::I64);
                let wide = wide.or_else(|_| u64::try_from(exact).map(ScalarValue::U64)).ok()?;
                wide.cast(ty).ok().filter(|cast| cast.integer() == Some(exact))
            });
            let Some(value) = value else {
                return self.fault(FaultKind::Arithmetic(Trap::Overflow(ty)), span);
            };
            // Index variables are set by the loop, not by an item: written past the checks of `store`.
            self.set_variable(frame, range.axis.var, Value::Scalar(value), span)?;
        }
        Ok(())
    }

    fn integer(&mut self, frame: &Frame<'a>, expr: &'a Expr) -> Result<i128> {
        match self.scalar(frame, expr)?.integer() {
            Some(value) => Ok(value),
            None => self.fault(FaultKind::Invalid("a bound that is no integer"), expr.span),
        }
    }

    fn count(&mut self, frame: &Frame<'a>, expr: &'a Expr) -> Result<u64> {
        let value = self.integer(frame, expr)?.max(0);
        u64::try_from(value).or_else(|_| self.fault(FaultKind::Arithmetic(Trap::Overflow(Scalar::I64)), expr.span))
    }

    fn total(&self, sizes: [u64; 3], span: Span) -> Result<u32> {
        let total = sizes.iter().try_fold(1u64, |product, &n| product.checked_mul(n));
        // The last number stands for statements outside of regions.
        match total.and_then(|n| u32::try_from(n).ok()).filter(|&n| n < u32::MAX) {
            Some(total) => Ok(total),
            None => {
                self.fault(FaultKind::Limit(format!("more groups or items than the interpreter runs: {sizes:?}")), span)
            }
        }
    }
}

fn sizes(ranges: &[Option<Range<'_>>; 3]) -> [u64; 3] {
    [0, 1, 2].map(|axis| ranges[axis].as_ref().map_or(1, |range| range.count))
}
