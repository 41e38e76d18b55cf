//! The kernel of a loop in windows, in the compiler's IR.
//!
//! ```text
//! kernel windows(buffers …, values …, steps: i32, groups: i32)
//!   group 0, the ends: load two pieces of each buffer; repetitions on them; store them
//!   others, a window each: load it; repetitions on it; store what is right of it
//! ```
//!
//! Positions are elements of buffers, counted from their beginning. Element `p` of a window that begins at position `start` stands in
//! its shared array at `p - start`, behind room for what is read beside the window; that of an end at `p`, or `p - gap` from
//! position `split` on.

use super::draft::{Draft, Made, assign, element, when};
use super::item::{Memory, Near, Source, Spot, Value};
use super::layout::{Layout, Slots, int, least, less, load, minus, plus, times};
use super::plan::Plan;
use super::values::{Changing, constant};
use crate::backend::rows::{Call, CallArgument, InlineCall, Place as Elements};
use okl::ir::{Axis, BinaryOp, Expr, Place, Pointer, Role, Scalar, Stmt, StmtKind, Type, VarId, build};
use std::collections::BTreeMap;
use std::ops::Range;

/// What a parameter of the kernel is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Param {
    Buffer(usize),
    /// Where its bytes are among the values.
    Value(Range<usize>),
    /// Repetitions of the pass.
    Steps,
    /// Groups: one for the ends and one for each window.
    Groups,
}

/// Name of the kernel: that of the first launch with a word before it.
pub(super) fn name(plan: &Plan) -> String {
    let first = plan.row.calls.iter().find_map(|call| call.items.as_ref());
    format!("windows_{}", first.map_or("", |items| items.entry.as_str()))
}

/// The kernel of a plan. `sources` has the items of each call that is a launch, `values` where the bytes of each call's value
/// arguments are. Integers are constants of the kernel, but for those that are `changing`, by call and argument.
/// # Errors
/// The reason why there is none.
pub(super) fn make(
    plan: &Plan,
    sources: &[Option<Source<'_>>],
    values: &[Vec<Option<Range<usize>>>],
    changing: &Changing,
) -> Result<Made<Param>, String> {
    let mut maker = Maker::new(plan, sources)?;
    maker.add_params(values, changing)?;
    let (outer, stmts) = maker.nest();
    let Maker { draft, shared, failure, .. } = maker;
    match failure {
        Some(reason) => Err(reason),
        None => Ok(draft.finish(name(plan), outer, stmts, shared.into_values().collect(), Vec::new())),
    }
}

struct Maker<'a> {
    plan: &'a Plan,
    sources: &'a [Option<Source<'a>>],
    draft: Draft<Param>,
    types: Vec<Scalar>,
    /// The parameter of each buffer.
    buffers: Vec<VarId>,
    /// For each call what its value arguments are, by the variables of its nest.
    values: Vec<BTreeMap<VarId, Value>>,
    steps: VarId,
    groups: VarId,
    /// The shared array of each buffer that has one.
    shared: BTreeMap<usize, VarId>,
    /// Why there is no kernel.
    failure: Option<String>,
}

impl<'a> Maker<'a> {
    fn new(plan: &'a Plan, sources: &'a [Option<Source<'a>>]) -> Result<Self, String> {
        let draft = Draft::new(plan.threads, sources.iter().flatten())?;
        let types = types(plan, sources)?;
        Ok(Self {
            plan,
            sources,
            draft,
            types,
            buffers: Vec::new(),
            values: Vec::new(),
            steps: VarId(0),
            groups: VarId(0),
            shared: BTreeMap::new(),
            failure: None,
        })
    }

    /// The parameters come first among the variables.
    fn add_params(&mut self, values: &[Vec<Option<Range<usize>>>], changing: &Changing) -> Result<(), String> {
        let (plan, sources) = (self.plan, self.sources);
        let stored = plan.row.stored(plan.steps);
        for (buffer, &ty) in self.types.clone().iter().enumerate() {
            let element = Box::new(Type::Scalar(ty));
            let mutable = stored.contains(&buffer);
            let pointer = Pointer { element, dims: Vec::new(), mutable, restrict: false };
            let param = self.draft.param(&format!("buffer{buffer}"), Type::Pointer(pointer), Param::Buffer(buffer));
            self.buffers.push(param);
        }
        for (number, (call, source)) in plan.row.calls.iter().zip(sources).enumerate() {
            let mut own = BTreeMap::new();
            let captures = source.as_ref().map_or(&[][..], |source| &source.captures);
            let arguments = call.arguments.iter().zip(captures).zip(&values[number]);
            for (position, ((argument, &capture), place)) in arguments.enumerate() {
                let Some(source) = source else { continue };
                let of = source.kernel.body.var(capture);
                match (argument, place) {
                    (CallArgument::Value(_, bytes), Some(place)) => {
                        let constant = constant(&of.ty, bytes).filter(|_| !changing.contains(&(number, position)));
                        let value = constant.map_or_else(
                            || Value::Parameter(self.draft.param(&of.name, of.ty.clone(), Param::Value(place.clone()))),
                            Value::Constant,
                        );
                        own.insert(capture, value);
                    }
                    (CallArgument::Memory(..), _) => {}
                    _ => return Err(format!("`{}` gets no memory for `{}`", source.kernel.name, of.name)),
                }
            }
            self.values.push(own);
        }
        self.steps = self.draft.param("steps", Scalar::I32, Param::Steps);
        self.groups = self.draft.param("groups", Scalar::I32, Param::Groups);
        Ok(())
    }

    fn nest(&mut self) -> ([Option<Axis>; 3], Vec<Stmt>) {
        let plan = self.plan;
        for buffer in plan.shared() {
            let ty = Type::Array(Box::new(self.types[buffer].into()), vec![plan.length(buffer) as u32]);
            let var = self.draft.variable(&format!("s{buffer}"), ty, Role::Shared, false);
            self.shared.insert(buffer, var);
        }
        self.draft.add_thread();
        let outer = self.draft.groups(0, self.groups);
        let is_first = build::compare(BinaryOp::Eq, load(outer.var), int(0));
        let (ends, window) = (self.ends(), self.window(outer.var));
        let all = StmtKind::If { condition: is_first, then: ends, otherwise: window };
        ([Some(outer), None, None], vec![build::stmt(all)])
    }

    fn slots(&self, layout: Layout, buffer: usize, first: i64) -> Slots {
        Slots { layout, first, before: self.plan.beside[buffer][0] }
    }

    /// As many repetitions as the pass has.
    fn repetitions(&mut self, each: &mut dyn FnMut(&mut Self, usize) -> Vec<Stmt>) -> Vec<Stmt> {
        let (period, rest) = (self.plan.row.period, self.plan.steps % self.plan.row.period as u64);
        let body: Vec<Stmt> = (0..period).flat_map(|repetition| each(self, repetition)).collect();
        let done = self.draft.local("done", false);
        let end = minus(load(self.steps), int(period as i64 - 1));
        let mut stmts = vec![self.draft.counted(done, [int(0), end], period as i64, body, None)];
        for repetition in 0..rest as usize {
            stmts.extend(each(self, repetition));
        }
        stmts
    }

    /// What an item of a call does, whose number a variable holds; `near` has what it keeps in registers, by buffers.
    fn item(
        &mut self,
        call: usize,
        repetition: usize,
        (number, numbers): (VarId, Option<Range<i64>>),
        layout: Layout,
        near: &BTreeMap<usize, Near>,
    ) -> Vec<Stmt> {
        let (plan, sources) = (self.plan, self.sources);
        let Some(source) = &sources[call] else { return Vec::new() };
        let mut memory = BTreeMap::new();
        for (argument, &capture) in plan.row.calls[call].arguments.iter().zip(&source.captures) {
            let CallArgument::Memory(own, first) = *argument else { continue };
            let buffer = plan.row.moved(own, repetition);
            let place = match self.shared.get(&buffer) {
                Some(&shared) => {
                    let near = near.get(&buffer).map(|near| Near { first: near.first + first, ..*near });
                    Memory::Shared(shared, self.slots(layout, buffer, first), near)
                }
                None => Memory::Parameter(self.buffers[buffer], first),
            };
            memory.insert(capture, place);
        }
        let (numbers, ranges) = ([Some(number), None, None], [numbers, None, None]);
        let spot = Spot { numbers, ranges, values: &self.values[call], memory: &memory, in_loop: true };
        match source.statements(&mut self.draft.body, &spot) {
            Ok(stmts) => stmts,
            Err(reason) => {
                self.failure.get_or_insert(reason);
                Vec::new()
            }
        }
    }

    /// Element `i` of a buffer's memory.
    fn memory(&self, buffer: usize, position: Expr) -> Place {
        element(self.buffers[buffer], position, self.types[buffer])
    }

    /// An element of a buffer's shared array.
    fn slot(&self, buffer: usize, slot: Expr) -> Place {
        element(self.shared[&buffer], slot, self.types[buffer])
    }

    /// A window of the row.
    fn window(&mut self, group: VarId) -> Vec<Stmt> {
        let (plan, steps) = (self.plan, self.steps);
        let (row, size) = (&plan.row, plan.window());
        let [left, _] = row.shrink;
        let (own, own_is) = self.draft.declare("own", minus(int(size), times(load(steps), row.wrong())));
        let (skipped, skipped_is) = self.draft.declare("skipped", times(load(steps), left));
        // The last one overlaps the one before, and stores the same there.
        let number = minus(load(group), int(1));
        let first = plus(int(row.middle.start), build::binary(BinaryOp::Mul, number, load(own), Scalar::I32));
        let (start, start_is) = self.draft.declare("start", least(first, int(row.middle.end - size)));
        let mut stmts = vec![own_is, skipped_is, start_is];
        // Neighbours load and store neighbours.
        let buffers: Vec<usize> = row.in_windows().collect();
        let live: Vec<usize> = buffers.iter().copied().filter(|&buffer| row.buffers[buffer].is_live).collect();
        stmts.push(self.each_element(&live, &mut |maker, buffer, at| {
            let slot = maker.slot(buffer, plus(load(at), int(plan.beside[buffer][0])));
            let memory = maker.memory(buffer, plus(load(start), load(at)));
            assign(slot, build::load_place(memory))
        }));
        let layout = Layout::Window { start };
        stmts.extend(self.repetitions(&mut |maker, repetition| {
            (0..row.calls.len()).filter_map(|call| maker.window_items(call, repetition, layout)).collect()
        }));
        let stored = row.stored(plan.steps);
        let stored: Vec<usize> = stored.into_iter().filter(|&buffer| row.buffers[buffer].in_windows).collect();
        stmts.push(self.each_element(&stored, &mut |maker, buffer, at| {
            let slot = maker.slot(buffer, plus(load(at), int(plan.beside[buffer][0])));
            let store = assign(maker.memory(buffer, plus(load(start), load(at))), build::load_place(slot));
            let is_right = build::and(
                build::compare(BinaryOp::Ge, load(at), load(skipped)),
                less(load(at), plus(load(skipped), load(own))),
            );
            when(is_right, vec![store])
        }));
        stmts
    }

    /// A region in which the items do something for all elements of a window.
    fn each_element(&mut self, buffers: &[usize], each: &mut dyn FnMut(&Self, usize, VarId) -> Stmt) -> Stmt {
        let at = self.draft.local("at", false);
        let body = buffers.iter().map(|&buffer| each(self, buffer, at)).collect();
        let all = self.draft.counted(
            at,
            [load(self.draft.thread), int(self.plan.window())],
            self.plan.threads,
            body,
            Some(0),
        );
        self.draft.region(vec![all])
    }

    /// The region of a launch in a window.
    fn window_items(&mut self, call: usize, repetition: usize, layout: Layout) -> Option<Stmt> {
        let (Layout::Window { start }, Some(written)) = (layout, self.plan.row.calls[call].row.written) else {
            return None;
        };
        let each = self.plan.per_thread;
        let (k, number) = (self.draft.local("k", false), self.draft.local("number", true));
        let mut stmts = Vec::new();
        let near = self.near(call, repetition, k, &mut stmts);
        let first = plus(load(start), times(load(self.draft.thread), each));
        let value = minus(plus(first, load(k)), int(written));
        let middle = &self.plan.row.middle;
        let numbers = Some(middle.start - written..middle.end - written);
        let mut body = vec![build::declare(&self.draft.body, number, value)];
        body.extend(self.item(call, repetition, (number, numbers), layout, &near));
        stmts.push(self.draft.counted(k, [int(0), int(each)], 1, body, Some(0)));
        Some(self.draft.region(stmts))
    }

    /// What an item reads of several neighbours' elements, each read once into an array of its own.
    fn near(&mut self, call: usize, repetition: usize, k: VarId, stmts: &mut Vec<Stmt>) -> BTreeMap<usize, Near> {
        let (row, count) = (&self.plan.row, self.plan.per_thread);
        let call = &row.calls[call];
        let written = call.row.written.unwrap_or(0);
        let mut sides = row.beside(call, repetition);
        let buffer_of = |argument: usize| call.buffer(argument).map(|own| row.moved(own, repetition));
        for main in call.row.mains.iter().filter(|main| main.kind.writes()) {
            buffer_of(main.argument).and_then(|buffer| sides.remove(&buffer));
        }
        let mut near = BTreeMap::new();
        for (buffer, [left, right]) in sides {
            if left + right == 0 || left + right > count || !self.shared.contains_key(&buffer) {
                continue;
            }
            let (length, ty) = (left + count + right, self.types[buffer]);
            let array = Type::Array(Box::new(ty.into()), vec![length as u32]);
            let array = self.draft.variable(&format!("near{buffer}"), array, Role::Local, false);
            let j = self.draft.local("j", false);
            let slot =
                plus(plus(times(load(self.draft.thread), count), load(j)), int(self.plan.beside[buffer][0] - left));
            let element = element(array, load(j), ty);
            let body = vec![assign(element, build::load_place(self.slot(buffer, slot)))];
            stmts.push(build::stmt(StmtKind::Declare { var: array, init: None }));
            stmts.push(self.draft.counted(j, [int(0), int(length)], 1, body, Some(0)));
            near.insert(buffer, Near { array, length, k, first: left - written, count });
        }
        near
    }

    /// Both ends of the row.
    fn ends(&mut self) -> Vec<Stmt> {
        let plan = self.plan;
        let (row, steps) = (&plan.row, self.steps);
        let wrong = times(load(steps), row.wrong());
        let (split, split_is) = self.draft.declare("split", plus(int(row.middle.start), wrong.clone()));
        let (gap, gap_is) = self.draft.declare("gap", minus(minus(int(row.middle.end), wrong), load(split)));
        // Up to `right`, and from `left` on, the elements are right.
        let (right, left) = (self.draft.local("right", false), self.draft.local("left", false));
        let mut stmts = vec![split_is, gap_is];
        stmts.push(build::declare(&self.draft.body, right, load(split)));
        stmts.push(build::declare(&self.draft.body, left, plus(load(split), load(gap))));
        let position = |at: VarId| plus(load(at), build::select(less(load(at), load(split)), int(0), load(gap)));
        let buffers: Vec<usize> = plan.shared().collect();
        let load_ends = self.each_end_element(&buffers, [split, gap], &mut |maker, buffer, at| {
            assign(maker.slot(buffer, load(at)), build::load_place(maker.memory(buffer, position(at))))
        });
        stmts.push(load_ends);
        let layout = Layout::Ends { split, gap };
        stmts.extend(self.repetitions(&mut |maker, repetition| {
            (0..row.calls.len()).flat_map(|call| maker.end_call(call, repetition, layout, [right, left])).collect()
        }));
        let [before, behind] = row.shrink;
        let begin = plus(int(row.middle.start), times(load(steps), before));
        let end = minus(int(row.middle.end), times(load(steps), behind));
        stmts.push(self.each_end_element(&row.stored(plan.steps), [split, gap], &mut |maker, buffer, at| {
            let place = maker.memory(buffer, position(at));
            let store = assign(place, build::load_place(maker.slot(buffer, load(at))));
            // The rest is of windows.
            let is_own = build::binary(
                BinaryOp::LogicOr,
                less(position(at), begin.clone()),
                build::compare(BinaryOp::Ge, position(at), end.clone()),
                Scalar::Bool,
            );
            when(is_own, vec![store])
        }));
        stmts
    }

    /// A region in which the items do something for all elements of both ends of buffers.
    fn each_end_element(
        &mut self,
        buffers: &[usize],
        [split, gap]: [VarId; 2],
        each: &mut dyn FnMut(&Self, usize, VarId) -> Stmt,
    ) -> Stmt {
        let mut loops = Vec::new();
        for &buffer in buffers {
            let elements = int(self.plan.row.buffers[buffer].elements);
            let behind = build::select(
                less(plus(load(split), load(gap)), elements.clone()),
                minus(elements.clone(), load(gap)),
                load(split),
            );
            let length = build::select(less(load(split), elements.clone()), behind, elements);
            let at = self.draft.local("at", false);
            let body = vec![each(self, buffer, at)];
            loops.push(self.draft.counted(at, [load(self.draft.thread), length], self.plan.threads, body, None));
        }
        self.draft.region(loops)
    }

    /// What a call does at the ends.
    fn end_call(&mut self, call: usize, repetition: usize, layout: Layout, ends: [VarId; 2]) -> Vec<Stmt> {
        match &self.plan.row.calls[call] {
            Call { items: Some(_), .. } => self.end_items(call, repetition, layout, ends),
            Call { inline: Some(InlineCall::Copy(places)), .. } => vec![self.end_copy(places, repetition, layout)],
            _ => Vec::new(),
        }
    }

    fn end_items(&mut self, call: usize, repetition: usize, layout: Layout, [right, left]: [VarId; 2]) -> Vec<Stmt> {
        let row = &self.plan.row.calls[call].row;
        let (items, [before, behind]) = (int(row.items), row.reach());
        let (first, second) = match row.written {
            Some(written) => (minus(load(right), int(written + behind)), minus(load(left), int(written - before))),
            None => (items.clone(), items.clone()),
        };
        let (first, first_is) = self.draft.declare("first", first);
        let (second, second_is) = self.draft.declare("second", second);
        let rest = build::select(less(load(second), items.clone()), minus(items, load(second)), int(0));
        let (count, count_is) = self.draft.declare("count", plus(load(first), rest));
        let (i, number) = (self.draft.local("i", false), self.draft.local("number", true));
        let skipped = build::select(less(load(i), load(first)), int(0), minus(load(second), load(first)));
        let mut body = vec![build::declare(&self.draft.body, number, plus(load(i), skipped))];
        body.extend(self.item(call, repetition, (number, None), layout, &BTreeMap::new()));
        let all = self.draft.counted(i, [load(self.draft.thread), load(count)], self.plan.threads, body, None);
        let mut stmts = vec![first_is, second_is, count_is, self.draft.region(vec![all])];
        let is_written = self.plan.row.calls[call].row.written.is_some();
        if is_written && behind != 0 {
            stmts.push(build::assign(&self.draft.body, right, minus(load(right), int(behind))));
        }
        if is_written && before != 0 {
            stmts.push(build::assign(&self.draft.body, left, plus(load(left), int(before))));
        }
        vec![build::stmt(StmtKind::Block(stmts))]
    }

    fn end_copy(&mut self, places: &[Elements; 2], repetition: usize, layout: Layout) -> Stmt {
        let i = self.draft.local("i", false);
        let [from, to] = places.map(|place| {
            let buffer = self.plan.row.moved(place.buffer, repetition);
            self.slot(buffer, self.slots(layout, buffer, place.first).of(load(i)))
        });
        let body = vec![assign(to, build::load_place(from))];
        let all = self.draft.counted(i, [load(self.draft.thread), int(places[0].count)], self.plan.threads, body, None);
        self.draft.region(vec![all])
    }
}

/// The type of each buffer's elements.
fn types(plan: &Plan, sources: &[Option<Source<'_>>]) -> Result<Vec<Scalar>, String> {
    let row = &plan.row;
    let mut types: Vec<Option<Scalar>> = vec![None; row.buffers.len()];
    for (call, source) in row.calls.iter().zip(sources) {
        let Some(source) = source else { continue };
        for (argument, &capture) in call.arguments.iter().zip(&source.captures) {
            let CallArgument::Memory(own, _) = *argument else { continue };
            let of = source.kernel.body.var(capture);
            let scalar = match &of.ty {
                Type::Pointer(pointer) if pointer.dims.is_empty() => pointer.element.scalar(),
                _ => None,
            };
            let Some(scalar) = scalar else {
                return Err(format!(
                    "`{}` of `{}` has rows, or elements that are no numbers",
                    of.name, source.kernel.name
                ));
            };
            for repetition in 0..row.period {
                let known = &mut types[row.moved(own, repetition)];
                if known.is_some_and(|known| known != scalar) {
                    return Err(format!(
                        "`{}` of `{}` has elements of another type elsewhere",
                        of.name, source.kernel.name
                    ));
                }
                *known = Some(scalar);
            }
        }
    }
    let types: Vec<Scalar> = types.into_iter().map(|ty| ty.unwrap_or(Scalar::I32)).collect();
    for inline in row.calls.iter().filter_map(|call| call.inline.as_ref()) {
        match inline {
            InlineCall::Copy(places) if places[0].count == places[1].count => {
                for repetition in 0..row.period {
                    let [from, to] = places.map(|place| types[row.moved(place.buffer, repetition)]);
                    if from != to {
                        return Err("it copies elements of one type to those of another".to_owned());
                    }
                }
            }
            _ => return Err("it sends and receives messages".to_owned()),
        }
    }
    Ok(types)
}
