//! Elements that one item reads while another one writes them, as far as that is certain before anything is launched.
//!
//! Two ways lead to such a pair of items. Where the indices of two accesses differ by a multiple, not zero, of what they change by
//! along one axis, items so far apart have the same element ([`Search::meet`]). And a few items of the first group, at the ends
//! of its axes, are looked at one by one ([`Search::instances`]). Whether both items make their access the conditions on the
//! way must say. Numbers of the source are compared exactly. A limit that the launch gives is taken to be large, but only where
//! neighbours alone have to lie below it, or items of one group of many.
//!
//! Invariant: an access whose index or conditions hold anything else than positions, counts of iterations and what the launch
//! knows is in no race; nor are atomic updates, accesses with a barrier between, and reads of what the same item writes, too: others
//! may write the same value.
//! Not here: updates of one element by all items (`valid::lost_update`).

mod accessed;

use super::{Frame, Recorded, Walk};
use crate::ir::{Axis, Expr, Kernel, Module, Nest, Place, Places, Projection, Region, VarId};
use crate::signature::bounds::{AccessKind, Condition, Is, Sum, Within};
use crate::signature::{HostExpr, Slots};
use crate::source::{SourceMap, Span};
use accessed::may_race;
use std::collections::BTreeMap;

/// Pairs of accesses of a nest that are compared.
const MOST_PAIRS: usize = 20_000;
/// Iterations of a loop around one of two accesses that are tried.
const MOST_ITERATIONS: i64 = 8;
/// Items, with iterations of loops, that are looked at one by one.
const MOST_INSTANCES: usize = 10_000;
/// Conditions for whose sake the first of two items is moved on.
const MOST_MOVES: usize = 12;

/// Two items access one element, nothing orders them, and one of them writes.
#[derive(Clone, Debug)]
pub(crate) struct Race {
    /// Where it is read.
    pub(crate) read: Span,
    /// Where it is written.
    pub(crate) write: Span,
    /// What is accessed.
    pub(crate) memory: String,
    /// A group has its own.
    pub(crate) is_shared: bool,
    /// Both are updates, such as `+=`.
    pub(crate) are_updates: bool,
    /// Which two items.
    pub(crate) items: Items,
}

/// Two items that access one element.
#[derive(Clone, Debug)]
pub(crate) enum Items {
    /// Their indices along an axis differ.
    Apart {
        /// The index.
        axis: VarId,
        /// It is one of groups.
        of_groups: bool,
        /// By how much that of the item that writes is greater; `None` where the launch decides.
        distance: Option<i64>,
    },
    /// These: indices with their values for the item that writes, and for the one that reads; of several axes those along which
    /// the two differ. Empty where the launch decides.
    These(Vec<(VarId, [i64; 2])>),
}

/// An access of an item.
#[derive(Clone, Debug)]
pub(super) struct ItemAccess {
    memory: Memory,
    name: String,
    kind: AccessKind,
    index: Sum,
    /// The fields of the element's struct that it picks.
    fields: Vec<u32>,
    guard: Option<u32>,
    /// Which region, counted along the walk, and its axes.
    region: u32,
    axes: [Option<ItemAxis>; 3],
    /// Variables from this one on are the item's own: what else counts iterations is the same for all items.
    first_own: u32,
    span: Span,
}

/// What is known of an axis of a region.
#[derive(Clone, Copy, Debug)]
pub(super) struct ItemAxis {
    variable: VarId,
    start: Option<i64>,
    step: Option<i64>,
    count: Option<i64>,
}

impl ItemAxis {
    fn of(axis: &Axis) -> Self {
        let [start, step, count] = [&axis.start, &axis.step, &axis.count].map(Expr::as_int);
        Self { variable: axis.var, start, step, count }
    }

    /// The index at a position.
    fn at(self, position: i64) -> Option<i64> {
        self.start?.checked_add(self.step?.checked_mul(position)?)
    }
}

/// What several items see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Memory {
    Parameter(u32),
    Shared(VarId),
}

/// The races of a kernel's nests, one for each piece of memory.
pub(crate) fn races(module: &Module, kernel: &Kernel) -> Vec<Race> {
    let slots = Slots::of(kernel);
    let host = |expr: &Expr| HostExpr::of(kernel, &slots, expr);
    let map = SourceMap::default();
    let may_have = kernel.nests.iter().filter(|nest| may_race(module, kernel, nest));
    let of_nest = |nest: &Nest| {
        let mut unproven = Places::default();
        let mut walk = Walk::new(module, kernel, nest, (&host, &map), &mut unproven);
        walk.recorded = Some(Recorded::default());
        walk.nest(nest);
        if walk.steps == 0 { Vec::new() } else { Search::new(&walk, nest).races() }
    };
    may_have.flat_map(of_nest).collect()
}

impl<'a> Walk<'a> {
    /// Enters a region.
    pub(super) fn record_region(&mut self, region: &Region) {
        if let Some(recorded) = &mut self.recorded {
            (recorded.region, recorded.is_inside) = (recorded.region + 1, true);
            recorded.axes = region.axes.each_ref().map(|axis| axis.as_ref().map(ItemAxis::of));
            recorded.first_own = self.space.bounds.variables.len() as u32;
        }
    }

    /// Takes an access down, where somebody asks for them.
    pub(super) fn record(
        &mut self,
        frame: &Frame<'a>,
        base: &super::Base,
        index: Option<&Sum>,
        (place, kind): (&Place, AccessKind),
    ) {
        let Some(recorded) = &mut self.recorded else { return };
        let memory = match (base.within, base.shared) {
            (_, Some(shared)) => Memory::Shared(shared),
            (Within::Memory(param), None) => Memory::Parameter(param),
            _ => return,
        };
        let Some(index) = index.filter(|_| recorded.is_inside && !recorded.is_atomic && !base.is_field) else { return };
        let field = |projection: &Projection| match projection {
            Projection::Field(number) => Some(*number),
            _ => None,
        };
        recorded.accesses.push(ItemAccess {
            memory,
            name: base.name.clone(),
            kind,
            index: index.clone(),
            fields: place.path.iter().filter_map(field).collect(),
            guard: frame.guard,
            region: recorded.region,
            axes: recorded.axes,
            first_own: recorded.first_own,
            span: place.span,
        });
    }
}

/// A value without the positions: a number, and symbols with their factors.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Value {
    number: i128,
    symbols: BTreeMap<u32, i128>,
}

impl Value {
    fn add(&mut self, symbol: Option<u32>, factor: i128) {
        match symbol {
            None => self.number += factor,
            Some(symbol) => {
                let known = self.symbols.entry(symbol).or_default();
                *known += factor;
                if *known == 0 {
                    self.symbols.remove(&symbol);
                }
            }
        }
    }

    /// The whole number that times `unit` is this.
    fn over(&self, unit: &Value) -> Option<i64> {
        let divided = |of: i128, by: i128| (by != 0 && of % by == 0).then(|| of / by);
        let times = match unit.symbols.first_key_value() {
            Some((symbol, by)) => divided(*self.symbols.get(symbol)?, *by)?,
            None => divided(self.number, unit.number)?,
        };
        let product = unit.symbols.iter().map(|(&symbol, factor)| (symbol, factor * times)).collect();
        let is_it = self.number == unit.number * times && self.symbols == product;
        is_it.then(|| i64::try_from(times).ok()).flatten()
    }
}

/// The axis that two items differ along, and by how many positions the one that reads lies beyond the one that writes.
#[derive(Clone, Copy)]
struct Apart {
    /// 0 to 2 of groups, 3 to 5 of items.
    axis: usize,
    variable: u32,
    positions: i64,
}

/// What one item accesses in one iteration of its loops.
struct Instance<'w> {
    access: &'w ItemAccess,
    /// Positions along the axes of the region.
    item: [i64; 3],
    /// The values of the variables, the rest being 0.
    values: BTreeMap<u32, i64>,
    element: Value,
}

/// What may be the same element: memory, region, fields and the index.
type ElementKey = (Memory, u32, Vec<u32>, Value);

impl Instance<'_> {
    fn key(&self) -> ElementKey {
        (self.access.memory, self.access.region, self.access.fields.clone(), self.element.clone())
    }
}

struct Search<'w, 'a> {
    walk: &'w Walk<'a>,
    nest: &'w Nest,
    accesses: Vec<&'w ItemAccess>,
    /// The positions along the axes.
    positions: [Option<u32>; 6],
    pairs: usize,
}

impl<'w, 'a> Search<'w, 'a> {
    fn new(walk: &'w Walk<'a>, nest: &'w Nest) -> Self {
        let bounds = &walk.space.bounds;
        let [x, y, z] = bounds.groups;
        let [i, j, k] = bounds.items;
        let mut search = Self { walk, nest, accesses: Vec::new(), positions: [x, y, z, i, j, k], pairs: MOST_PAIRS };
        let all = walk.recorded.iter().flat_map(|recorded| &recorded.accesses);
        search.accesses = all.filter(|access| search.is_certain(access)).collect();
        search
    }

    /// Whether positions, iterations and the launch's numbers decide all of an access.
    fn is_certain(&self, access: &ItemAccess) -> bool {
        let is_plain =
            |sum: &Sum| sum.variables().all(|of| self.walk.space.bounds.variables[of as usize].is == Is::Any);
        let is_plain_guard = |guard: u32| {
            let guard = &self.walk.space.bounds.guards[guard as usize];
            guard.exact && guard.condition.as_ref().is_some_and(|condition| is_plain(of(condition)))
        };
        is_plain(&access.index) && self.guards(access.guard).all(is_plain_guard)
    }

    fn guards(&self, first: Option<u32>) -> impl Iterator<Item = u32> + use<'w, 'a> {
        let guards = &self.walk.space.bounds.guards;
        std::iter::successors(first, |&guard| guards[guard as usize].parent)
    }

    fn races(mut self) -> Vec<Race> {
        let mut races: BTreeMap<Memory, Race> = BTreeMap::new();
        let accesses = std::mem::take(&mut self.accesses);
        for &read in accesses.iter().filter(|access| access.kind != AccessKind::Write) {
            let others = || accesses.iter().filter(|of| of.kind != AccessKind::Read && of.memory == read.memory);
            let writes_itself = |of: &&&ItemAccess| {
                let is_same = (of.region, &of.fields, &of.index) == (read.region, &read.fields, &read.index);
                is_same && !std::ptr::eq(**of, read)
            };
            if races.contains_key(&read.memory) || others().any(|of| writes_itself(&of)) {
                continue;
            }
            for write in others() {
                self.pairs = self.pairs.saturating_sub(1);
                if self.pairs == 0 {
                    break;
                }
                if let Some(apart) = self.meet(write, read) {
                    races.insert(read.memory, race(write, read, self.items(read, apart)));
                    break;
                }
            }
        }
        self.one_by_one(&accesses, &mut races);
        races.into_values().collect()
    }

    fn items(&self, read: &ItemAccess, apart: Apart) -> Items {
        let axis = match apart.axis {
            outer @ 0..3 => self.nest.outer[outer].as_ref().map(ItemAxis::of),
            inner => read.axes[inner - 3],
        };
        let axis = axis.unwrap_or_else(|| unreachable!("items differ along an axis"));
        let distance = axis.step.and_then(|step| step.checked_mul(apart.positions)?.checked_neg());
        Items::Apart { axis: axis.variable, of_groups: apart.axis < 3, distance }
    }

    /// Races among a few items of the first group.
    fn one_by_one(&self, accesses: &[&'w ItemAccess], races: &mut BTreeMap<Memory, Race>) {
        let mut left = MOST_INSTANCES;
        let mut writers: BTreeMap<ElementKey, Vec<Instance<'w>>> = BTreeMap::new();
        let is_open = |access: &&&ItemAccess, races: &BTreeMap<Memory, Race>| !races.contains_key(&access.memory);
        for access in accesses.iter().filter(|of| is_open(of, races) && of.kind != AccessKind::Read) {
            for instance in self.instances(access, &mut left) {
                writers.entry(instance.key()).or_default().push(instance);
            }
        }
        for access in accesses.iter().filter(|of| of.kind != AccessKind::Write) {
            if !is_open(&access, races) {
                continue;
            }
            let found = self.instances(access, &mut left).into_iter().find_map(|reader| {
                let writers = writers.get(&reader.key())?;
                let is_own = |of: &Instance<'_>| of.item == reader.item && !std::ptr::eq(of.access, reader.access);
                let writer = writers.iter().find(|of| of.item != reader.item && self.are_near(of, &reader))?;
                (!writers.iter().any(is_own)).then(|| race(writer.access, access, these(writer, &reader)))
            });
            found.into_iter().for_each(|found| drop(races.insert(access.memory, found)));
        }
    }

    /// An access as made by the first items and the last one along each axis, in the first iterations of its loops.
    fn instances(&self, access: &'w ItemAccess, left: &mut usize) -> Vec<Instance<'w>> {
        let along = |axis: usize| match &access.axes[axis] {
            None => vec![0],
            Some(axis) => match axis.count {
                Some(count) => [0, 1, count - 1].into_iter().filter(|at| (0..count).contains(at)).collect(),
                None => vec![0, 1],
            },
        };
        let [x, y, z] = [0, 1, 2].map(|axis| {
            let mut positions: Vec<i64> = along(axis);
            positions.dedup();
            positions
        });
        let mut loops: Vec<u32> = access.index.variables().filter(|of| *of >= access.first_own).collect();
        loops.dedup();
        loops.truncate(2);
        let iterations = |at: usize| 0..if at < loops.len() { 2 } else { 1 };
        let counts = iterations(0).flat_map(|a| iterations(1).map(move |b| [a, b]));
        let counts: Vec<[i64; 2]> = counts.collect();
        let items = z.iter().flat_map(|&z| y.iter().map(move |&y| (y, z)));
        let items = items.flat_map(|(y, z)| x.iter().map(move |&x| [x, y, z]));
        let mut instances = Vec::new();
        for (item, counts) in items.flat_map(|item| counts.iter().map(move |counts| (item, counts))) {
            if *left == 0 {
                break;
            }
            *left -= 1;
            let axes = self.positions[3..].iter().copied().flatten().zip(item);
            let values: BTreeMap<u32, i64> = axes.chain(loops.iter().copied().zip(*counts)).collect();
            let at = |of: u32| values.get(&of).copied().unwrap_or(0);
            let conditions = || self.conditions(access.guard);
            if conditions().all(|condition| holds(condition, &at)) {
                let element = value(&access.index, &at);
                instances.push(Instance { access, item, values, element });
            }
        }
        instances
    }

    /// Whether limits that the launch gives lie beyond both items if they lie beyond one: they are neighbours.
    fn are_near(&self, a: &Instance<'_>, b: &Instance<'_>) -> bool {
        let at = |of: &Instance<'_>, sum: &Sum| value(sum, &|variable| of.values.get(&variable).copied().unwrap_or(0));
        self.conditions(a.access.guard).chain(self.conditions(b.access.guard)).map(of).all(|sum| {
            let (a, b) = (at(a, sum), at(b, sum));
            let is_limit = !a.symbols.is_empty() || !b.symbols.is_empty();
            !is_limit || a.symbols == b.symbols && (a.number - b.number).abs() <= 1
        })
    }

    /// What holds where a guard does.
    fn conditions(&self, guard: Option<u32>) -> impl Iterator<Item = &'w Condition> + use<'w, 'a> {
        let guards = &self.walk.space.bounds.guards;
        self.guards(guard).filter_map(|guard| guards[guard as usize].condition.as_ref())
    }

    /// How far the items lie apart of which one writes what the other one reads.
    fn meet(&self, write: &ItemAccess, read: &ItemAccess) -> Option<Apart> {
        if write.fields != read.fields {
            return None;
        }
        let apart = write.index.plus(&read.index, -1)?;
        // What is left are loops that go round one of the two accesses.
        let mut loops: Vec<u32> = apart.variables().collect();
        loops.dedup();
        if loops.len() > 2 || loops.iter().any(|of| self.positions.contains(&Some(*of))) {
            return None;
        }
        let (first, second) = (loops.first(), loops.get(1));
        let iterations = |of: Option<&u32>| 0..of.map_or(1, |_| MOST_ITERATIONS);
        let tries = iterations(first).flat_map(|a| iterations(second).map(move |b| [a, b]));
        tries.into_iter().find_map(|numbers| {
            let fixed: Vec<(u32, i64)> = loops.iter().copied().zip(numbers).collect();
            self.meet_in(write, read, (&apart, &fixed))
        })
    }

    fn meet_in(&self, write: &ItemAccess, read: &ItemAccess, (sum, fixed): (&Sum, &[(u32, i64)])) -> Option<Apart> {
        let difference =
            value(sum, &|of| fixed.iter().find(|(loop_, _)| *loop_ == of).map_or(0, |(_, number)| *number));
        let of_items = write.region == read.region;
        let of_groups = matches!(read.memory, Memory::Parameter(_));
        let axes = (0..6).filter(|&axis| if axis < 3 { of_groups } else { of_items });
        // Items of a group before groups: those exist wherever there is a group.
        let axes = axes.clone().filter(|axis| *axis >= 3).chain(axes.filter(|axis| *axis < 3));
        axes.filter_map(|axis| {
            let variable = self.positions[axis]?;
            let positions = difference.over(&factor(&read.index, variable))?;
            (positions != 0).then_some(Apart { axis, variable, positions })
        })
        .find(|apart| self.both_come(write, read, *apart, fixed))
    }

    /// Whether there certainly are two items so far apart of which each makes its access.
    fn both_come(&self, write: &ItemAccess, read: &ItemAccess, apart: Apart, fixed: &[(u32, i64)]) -> bool {
        let of_write = self.conditions(write.guard).map(|condition| (condition, 0));
        let of_read = self.conditions(read.guard).map(|condition| (condition, apart.positions));
        let conditions: Vec<(&Condition, i64)> = of_write.chain(of_read).collect();
        if !conditions.iter().all(|(condition, _)| self.is_far(of(condition), read, apart)) {
            return false;
        }
        // The item that writes is the first one that there is, moved on until the conditions hold.
        let mut values: BTreeMap<u32, i64> = fixed.iter().copied().collect();
        values.insert(apart.variable, apart.positions.checked_neg().map_or(0, |back| back.max(0)));
        for _ in 0..MOST_MOVES {
            let at = |moved: i64| {
                let values = &values;
                move |of: u32| {
                    let moved = if of == apart.variable { moved } else { 0 };
                    values.get(&of).copied().unwrap_or(0).saturating_add(moved)
                }
            };
            let broken = conditions.iter().find(|(condition, moved)| !holds(condition, &at(*moved)));
            let Some((condition, moved)) = broken else { return true };
            let lacking = match condition {
                Condition::NotNegative(sum) => -value(sum, &at(*moved)).number,
                Condition::NotZero(_) => 1,
            };
            let movable = |of: u32| fixed.iter().all(|(loop_, _)| *loop_ != of);
            let terms = of(condition).terms.iter().filter(|term| term.symbol.is_none() && term.factor > 0);
            let terms =
                terms.filter_map(|term| Some((term.variable.filter(|of| movable(*of))?, i128::from(term.factor))));
            let Some((variable, factor)) = terms.min_by_key(|(_, factor)| *factor) else { return false };
            let steps = match condition {
                Condition::NotNegative(_) => (lacking.max(1) + factor - 1) / factor,
                Condition::NotZero(_) => 1,
            };
            let Ok(steps) = i64::try_from(steps) else { return false };
            let moved = values.entry(variable).or_insert(0);
            *moved = moved.saturating_add(steps);
        }
        false
    }

    /// Whether a limit that the launch gives, if it is one, may be taken to lie beyond both items: neighbours, or items of one
    /// group where it limits those of all groups.
    fn is_far(&self, sum: &Sum, read: &ItemAccess, apart: Apart) -> bool {
        let is_known = sum.terms.iter().all(|term| term.symbol.is_none());
        let own = sum.terms.iter().filter(|term| term.variable == Some(apart.variable));
        let shift = own.map(|term| term.symbol.is_none().then_some(i128::from(term.factor)));
        let shift = shift.sum::<Option<i128>>().map(|factor| (factor * i128::from(apart.positions)).abs());
        let (true, Some(shift)) = (!is_known, shift) else { return is_known };
        if shift <= 1 {
            return true;
        }
        let is_position = |of: u32, axes: std::ops::Range<usize>| self.positions[axes].contains(&Some(of));
        let limits_groups = sum.variables().any(|of| is_position(of, 0..3));
        // Rows of a fixed length may be as long as the distance, and the limit no further than that.
        let unit = value(&Sum { constant: 0, terms: read.index.terms.clone() }, &|of| i64::from(of == apart.variable));
        let distance = unit.number * i128::from(apart.positions);
        let may_be_row = |of: &crate::signature::bounds::Term| {
            let is_other = of.variable.is_none_or(|of| !is_position(of, 0..6));
            is_other && of.symbol.is_none() && distance % i128::from(of.factor) == 0
        };
        apart.axis >= 3 && limits_groups && !read.index.terms.iter().any(may_be_row)
    }
}

fn race(write: &ItemAccess, read: &ItemAccess, items: Items) -> Race {
    Race {
        read: read.span,
        write: write.span,
        memory: read.name.clone(),
        is_shared: matches!(read.memory, Memory::Shared(_)),
        are_updates: read.kind == AccessKind::Update && write.kind == AccessKind::Update,
        items,
    }
}

/// The indices of two items, as far as they differ.
fn these(writer: &Instance<'_>, reader: &Instance<'_>) -> Items {
    let axes = writer.access.axes.iter().zip(writer.item).zip(reader.item);
    let differing = axes.filter(|((_, a), b)| a != b);
    let index = |((axis, a), b): ((&Option<ItemAxis>, i64), i64)| {
        let axis = axis.as_ref()?;
        Some((axis.variable, [axis.at(a)?, axis.at(b)?]))
    };
    Items::These(differing.map(index).collect::<Option<_>>().unwrap_or_default())
}

/// The sum that a condition speaks of.
fn of(condition: &Condition) -> &Sum {
    match condition {
        Condition::NotNegative(sum) | Condition::NotZero(sum) => sum,
    }
}

fn value(sum: &Sum, at: &impl Fn(u32) -> i64) -> Value {
    let mut value = Value { number: sum.constant.into(), symbols: BTreeMap::new() };
    for term in &sum.terms {
        let position = term.variable.map_or(1, |of| i128::from(at(of)));
        value.add(term.symbol, i128::from(term.factor) * position);
    }
    value
}

/// What a sum changes by with a variable.
fn factor(sum: &Sum, variable: u32) -> Value {
    let mut factor = Value::default();
    let own = sum.terms.iter().filter(|term| term.variable == Some(variable));
    own.for_each(|term| factor.add(term.symbol, term.factor.into()));
    factor
}

/// Whether a condition holds, with all that the launch gives taken to be large.
fn holds(condition: &Condition, at: &impl Fn(u32) -> i64) -> bool {
    let Value { number, symbols } = value(of(condition), at);
    match condition {
        Condition::NotNegative(_) if symbols.is_empty() => number >= 0,
        Condition::NotNegative(_) => symbols.values().all(|factor| *factor > 0),
        Condition::NotZero(_) => symbols.is_empty() && number != 0,
    }
}
