//! Where the accesses of a nest lie, as far as that can be told before it runs.
//!
//! The statements of a nest are walked once, as one item runs them, with a [`Sum`] for the value of every integer variable:
//! what a launch knows is a symbol, what differs from item to item a variable with constraints (see
//! [`crate::signature::bounds`], which proves the requirements found here with the numbers of a launch). Branches add
//! guards, and where they meet a variable may have either value; loops count their iterations; device functions are walked
//! at each call. Nothing is assumed of what memory holds but the range of its type, unless launches are to know more ([`Known`]).
//!
//! Invariant: whatever the walk does not understand becomes a variable that can be anything. What is proven is true of
//! every item; an access that nothing is known of is listed as unproven, never left out.

mod condition;
mod contents;
mod division;
mod expr;
mod limits;
mod loops;
mod place;
mod race;
mod space;
mod stmt;

use crate::ir::{Axis, Body, Expr, Kernel, Module, Nest, Places, Region, Role, Scalar, Type, Uses, VarId, ends_item};
use crate::signature::bounds::{Alternative, Bounds, Condition, Sum, Within};
use crate::signature::{HostExpr, Slots};
use crate::source::SourceMap;
use condition::Truth;
use race::{ItemAccess, ItemAxis};
pub(crate) use race::{Items, Race, races};
use space::Space;
pub(crate) use space::{column, division};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Statements and expressions that a walk may visit: functions are walked at each call, and calls multiply.
const MOST_STEPS: u32 = 200_000;
/// Calls within calls that a walk may follow.
const MOST_CALLS: u32 = 100;

/// What launches know of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// How long it is.
    Lengths,
    /// The least and the greatest element as well, where it is passed for a `const` pointer to integers.
    Contents,
}

/// What must hold for the accesses of each nest of a kernel to lie within their memory. The places of those of which
/// nothing can be proven are added to `unproven`.
pub fn of_kernel(
    module: &Module,
    kernel: &Kernel,
    known: Known,
    map: &SourceMap,
    unproven: &mut Places,
) -> Vec<Bounds> {
    let slots = Slots::of(kernel);
    let host = |expr: &Expr| HostExpr::of(kernel, &slots, expr);
    kernel.nests.iter().map(|nest| of_nest(module, kernel, nest, known, (&host, map), unproven)).collect()
}

fn of_nest(
    module: &Module,
    kernel: &Kernel,
    nest: &Nest,
    known: Known,
    (host, map): (&dyn Fn(&Expr) -> HostExpr, &SourceMap),
    unproven: &mut Places,
) -> Bounds {
    let mut walk = Walk::new(module, kernel, nest, (host, map), unproven);
    walk.knows_contents = known == Known::Contents;
    walk.nest(nest);
    if walk.steps == 0 {
        walk.unproven.add(&kernel.body, &nest.stmts);
        module.functions.iter().for_each(|function| walk.unproven.add(&function.body, &function.stmts));
        return walk.space.gave_up(kernel, nest.span);
    }
    walk.space.finish()
}

/// What a pointer leads to.
#[derive(Clone, Debug)]
struct Base {
    within: Within,
    /// In elements.
    offset: Sum,
    name: String,
    /// It leads to a field of the element at the offset: what lies beside that are no elements.
    is_field: bool,
    /// It leads into this `@shared` array.
    shared: Option<VarId>,
}

/// What a walk takes down for those who look for races.
#[derive(Default)]
struct Recorded {
    accesses: Vec<ItemAccess>,
    /// The region that the walk is in, if it is in one: its number along the walk, and its axes.
    region: u32,
    is_inside: bool,
    axes: [Option<ItemAxis>; 3],
    /// The first variable that is made in it.
    first_own: u32,
    /// The access is an atomic one.
    is_atomic: bool,
}

/// What is known of the variables of a body.
#[derive(Clone, Debug, Default, PartialEq)]
struct Env {
    values: BTreeMap<VarId, Sum>,
    truths: BTreeMap<VarId, Truth>,
}

/// One body that is being walked.
struct Frame<'a> {
    body: &'a Body,
    pointers: BTreeMap<VarId, Base>,
    env: Env,
    guard: Option<u32>,
    /// The place is reached.
    live: bool,
    /// Some path has left the body, or the iteration, before.
    left: bool,
    /// What the function answers.
    results: Vec<Option<Alternative>>,
}

impl<'a> Frame<'a> {
    fn new(body: &'a Body) -> Self {
        Self {
            body,
            pointers: BTreeMap::new(),
            env: Env::default(),
            guard: None,
            live: true,
            left: false,
            results: Vec::new(),
        }
    }
}

/// The walk through a nest.
struct Walk<'a> {
    module: &'a Module,
    kernel: &'a Kernel,
    /// What the nest assigns: parameters and host variables among it are not what the launch knows.
    assigned: BTreeSet<VarId>,
    space: Space<'a>,
    /// Places of which nothing can be proven.
    unproven: &'a mut Places,
    /// Values of statements that count up to another number.
    counting: HashSet<*const Expr>,
    /// The position of the item along each axis.
    items: [u32; 3],
    /// Items along each axis in the first region.
    sizes: Option<[Option<Sum>; 3]>,
    steps: u32,
    /// Calls that the walk is in.
    calls: u32,
    /// The host evaluates this too, before a launch: a division that has no result there refuses it.
    on_host: bool,
    /// Launches know what constant memory holds.
    knows_contents: bool,
    /// All accesses, where somebody looks for races.
    recorded: Option<Recorded>,
}

impl<'a> Walk<'a> {
    fn new(
        module: &'a Module,
        kernel: &'a Kernel,
        nest: &Nest,
        (host, map): (&'a dyn Fn(&Expr) -> HostExpr, &'a SourceMap),
        unproven: &'a mut Places,
    ) -> Self {
        Self {
            module,
            kernel,
            assigned: Uses::of(&nest.stmts).assigned,
            space: Space::new(host, map),
            unproven,
            counting: HashSet::new(),
            items: [0; 3],
            sizes: None,
            steps: MOST_STEPS,
            calls: 0,
            on_host: false,
            knows_contents: false,
            recorded: None,
        }
    }

    /// Walks all of a nest.
    fn nest(&mut self, nest: &'a Nest) {
        let mut frame = Frame::new(&self.kernel.body);
        for &param in &self.kernel.params {
            let variable = self.kernel.body.var(param);
            if let (Role::Param(position), Type::Pointer(_)) = (variable.role, &variable.ty) {
                let (within, name) = (Within::Memory(position), variable.name.clone());
                let base = Base { within, offset: Sum::number(0), name, is_field: false, shared: None };
                frame.pointers.insert(param, base);
            }
        }
        for (index, axis) in nest.outer.iter().enumerate() {
            let Some(axis) = axis else { continue };
            let group = self.space.count();
            self.space.bounds.groups[index] = Some(group);
            self.axis(&mut frame, axis, group);
        }
        self.items = [0; 3].map(|_: u32| self.space.count());
        self.space.bounds.items = self.items.map(Some);
        self.stmts(&mut frame, &nest.stmts);
    }

    /// Whether the walk may go on.
    fn step(&mut self) -> bool {
        self.steps = self.steps.saturating_sub(1);
        self.steps > 0
    }

    /// Accounts for work besides the visit.
    fn charge(&mut self, work: usize) {
        self.steps = self.steps.saturating_sub(u32::try_from(work).unwrap_or(u32::MAX));
    }

    /// The variable of an axis, given the position along it; answers how many there are.
    fn axis(&mut self, frame: &mut Frame<'a>, axis: &'a Axis, position: u32) -> Sum {
        let count = self.value_on_host(frame, &axis.count);
        let remaining = count.plus(&Sum::variable(position), -1).and_then(|sum| sum.plus(&Sum::number(1), -1));
        frame.guard = self.space.guard(frame.guard, remaining.map(Condition::NotNegative), true);
        // What the groups begin with is the host's, too (`check_accesses`); items may begin with what their group computes.
        let is_outer = matches!(frame.body.var(axis.var).role, Role::Outer(_));
        let start = if is_outer { self.value_on_host(frame, &axis.start) } else { self.value(frame, &axis.start) };
        let step = self.value_on_host(frame, &axis.step);
        let ty = frame.body.var(axis.var).ty.scalar().unwrap_or(Scalar::I64);
        let moved = self.space.product(&step, &Sum::variable(position));
        let value = moved.and_then(|moved| start.plus(&moved, 1));
        let fitted = self.space.fitted(value.clone(), ty, frame.guard, axis.span);
        if ty.is_signed() && value.as_ref() != Some(&fitted) {
            self.unproven.insert_update(&axis.start);
        }
        frame.env.values.insert(axis.var, fitted);
        count
    }

    fn value_on_host(&mut self, frame: &mut Frame<'a>, expr: &'a Expr) -> Sum {
        let before = std::mem::replace(&mut self.on_host, true);
        let value = self.value(frame, expr);
        self.on_host = before;
        value
    }

    /// What one item does in a region.
    fn region(&mut self, frame: &mut Frame<'a>, region: &'a Region) {
        let outside = frame.guard;
        self.record_region(region);
        let mut sizes = [None, None, None];
        for (index, axis) in region.axes.iter().enumerate() {
            sizes[index] = axis.as_ref().map(|axis| self.axis(frame, axis, self.items[index]));
        }
        // Items that take no part in a region keep what they had.
        let all_take_part = *self.sizes.get_or_insert_with(|| sizes.clone()) == sizes;
        if !all_take_part {
            forget_exclusives(frame);
        }
        self.stmts(frame, &region.body);
        self.recorded.iter_mut().for_each(|recorded| recorded.is_inside = false);
        (frame.guard, frame.live) = (outside, true);
        let ends = ends_item(&region.body);
        if ends || !all_take_part {
            forget_exclusives(frame);
        }
        if ends {
            // Some may take no part in what follows.
            frame.guard = self.space.guard(outside, None, false);
        }
    }
}

/// What each item has of its own is no longer known.
fn forget_exclusives(frame: &mut Frame<'_>) {
    let kept = |var: &VarId| frame.body.var(*var).role != Role::Exclusive;
    frame.env.values.retain(|var, _| kept(var));
    frame.env.truths.retain(|var, _| kept(var));
}
