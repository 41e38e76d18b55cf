//! What a recorded loop over one row is: its buffers and how they rotate, which of them carry the state, and what the middle of the
//! row is.

use super::binding::{Binding, Result, refuse};
use super::commands::{Command, Ends, Launch};
use super::plan::{Buffer, Call, CallArgument, Items, RowLoop};
use super::row::{MOST_END, Positions, Row};
use crate::backend::{AccessKind, GraphArgument};
use std::collections::BTreeSet;
use std::ops::Range;

/// Calls in the text of all repetitions until roles are back.
const MOST_CALLS: usize = 32;

/// Bytes of values of all launches, of the 4 KiB that a kernel takes.
const MOST_VALUE_BYTES: usize = 2048;
const MOST_BUFFERS: usize = 64;

/// Positions and items are 32-bit numbers.
const MOST_ELEMENTS: i64 = 2_000_000_000;

/// A loop of these phases, and its memory and values.
/// # Errors
/// What is in the way.
pub fn plan(phases: &[Vec<Command<'_>>], ends: Ends) -> Result<(RowLoop, Binding)> {
    let mut planner = Planner::of(phases)?;
    planner.bind_values(&phases[0])?;
    planner.bind_messages(phases, ends)?;
    let calls = planner.calls(&phases[0], ends)?;
    planner.classify(&calls);
    planner.finish(calls)
}

/// What is known of a loop.
#[derive(Debug, Default)]
pub struct Planner {
    /// Where the buffers are.
    pub ranges: Vec<Range<u64>>,
    /// The pieces of memory.
    pub buffers: Vec<Buffer>,
    rotation: Vec<usize>,
    period: usize,
    pub(super) binding: Binding,
}

impl Planner {
    /// The buffers of a loop, and their rotation.
    /// # Errors
    /// What is in the way of a plan.
    pub fn of(phases: &[Vec<Command<'_>>]) -> Result<Self> {
        let mut planner = Self::default();
        planner.find_buffers(phases)?;
        planner.find_rotation(phases)?;
        Ok(planner)
    }

    /// Ranges that overlap are one buffer; buffers are in the order in which launches name them. What no launch names is none.
    fn find_buffers(&mut self, phases: &[Vec<Command<'_>>]) -> Result<()> {
        let mut named: Vec<_> = phases.iter().flatten().flat_map(Command::memory).cloned().collect();
        // What is copied or sent may begin before what kernels are given, and end behind it.
        for (begin, bytes) in phases.iter().flatten().flat_map(Command::places) {
            let of_kernel = named.iter().find(|(of, _)| of.start < begin + bytes && begin < of.end);
            if let Some((_, element_bytes)) = of_kernel {
                named.push((begin..begin + bytes, *element_bytes));
            }
        }
        let mut ranges: Vec<Range<u64>> = named.iter().map(|(range, _)| range.clone()).collect();
        ranges.sort_by_key(|range| range.start);
        for range in ranges {
            match self.ranges.last_mut() {
                Some(last) if range.start < last.end => last.end = last.end.max(range.end),
                _ => self.ranges.push(range),
            }
        }
        let first = |range: &Range<u64>| named.iter().position(|(of, _)| range.contains(&of.start));
        self.ranges.sort_by_cached_key(first);
        for range in &self.ranges {
            let sizes: BTreeSet<i64> =
                named.iter().filter(|(of, _)| range.contains(&of.start)).map(|(_, size)| *size).collect();
            let is_aligned = |size: u64| {
                let begins = named.iter().map(|(of, _)| of.start).filter(|begin| range.contains(begin));
                begins.chain([range.start]).all(|begin| begin.is_multiple_of(size))
            };
            match sizes.iter().copied().collect::<Vec<_>>()[..] {
                [element_bytes @ (4 | 8)] if is_aligned(element_bytes as u64) => {
                    let elements = (range.end - range.start) as i64 / element_bytes;
                    if elements > MOST_ELEMENTS {
                        return refuse(format!("a buffer has {elements} elements, {MOST_ELEMENTS} are allowed"));
                    }
                    self.buffers.push(Buffer {
                        element_bytes,
                        elements,
                        in_windows: false,
                        in_place: false,
                        is_written: false,
                        is_live: false,
                    });
                }
                _ => return refuse("it works on elements of other sizes than 4 and 8 bytes"),
            }
        }
        if self.buffers.len() > MOST_BUFFERS {
            return refuse(format!("it works on {} pieces of memory", self.buffers.len()));
        }
        self.binding.addresses = self.ranges.iter().map(|range| range.start).collect();
        Ok(())
    }

    /// The buffer that the memory of an argument is in, and the element of it that it begins at.
    pub fn place(&self, memory: Option<&(Range<u64>, i64)>) -> Option<(usize, i64)> {
        let (range, element_bytes) = memory?;
        let buffer = self.ranges.iter().position(|of| of.contains(&range.start)).unwrap_or_default();
        Some((buffer, (range.start - self.ranges[buffer].start) as i64 / element_bytes))
    }

    fn find_rotation(&mut self, phases: &[Vec<Command<'_>>]) -> Result<()> {
        let odd = || refuse("its buffers do not rotate as wholes");
        let mut next: Vec<Option<usize>> = vec![None; self.buffers.len()];
        let pairs = phases.iter().zip(phases.iter().cycle().skip(1));
        for (command, after) in pairs.flat_map(|(phase, after)| phase.iter().zip(after)) {
            let (places, places_after) = (self.places(command), self.places(after));
            if places.len() != places_after.len() {
                return odd();
            }
            for pair in places.into_iter().zip(places_after) {
                match pair {
                    (Some((from, at)), Some((to, other))) => {
                        let is_known = next[from].is_some_and(|known| known != to);
                        if at != other || is_known || self.buffers[from].elements != self.buffers[to].elements {
                            return odd();
                        }
                        next[from] = Some(to);
                    }
                    (None, None) => {}
                    _ => return odd(),
                }
            }
        }
        self.rotation = next.into_iter().enumerate().map(|(own, next)| next.unwrap_or(own)).collect();
        let all: BTreeSet<usize> = self.rotation.iter().copied().collect();
        if all.len() != self.buffers.len() {
            return odd();
        }
        let is_back = |steps: &usize| (0..self.buffers.len()).all(|buffer| self.moved(buffer, *steps) == buffer);
        self.period = (1..=phases.len()).find(is_back).unwrap_or(phases.len());
        match self.period * phases[0].len() {
            0..=MOST_CALLS => Ok(()),
            calls => refuse(format!("a cycle of its roles has {calls} launches, {MOST_CALLS} are allowed")),
        }
    }

    /// The buffer that plays a buffer's part some repetitions later.
    pub fn moved(&self, buffer: usize, steps: usize) -> usize {
        (0..steps).fold(buffer, |buffer, _| self.rotation[buffer])
    }

    fn bind_values(&mut self, commands: &[Command<'_>]) -> Result<()> {
        self.binding.bind_values(commands.iter().map(Command::arguments));
        let bytes = self.binding.values.len();
        if bytes > MOST_VALUE_BYTES { refuse(format!("its values have {bytes} bytes")) } else { Ok(()) }
    }

    fn calls(&mut self, commands: &[Command<'_>], ends: Ends) -> Result<Vec<Call>> {
        self.find_in_place(commands);
        let (mut calls, mut messages) = (Vec::new(), 0);
        for (command, positions) in commands.iter().zip(&self.binding.positions) {
            calls.push(match command {
                Command::Launch(launch) => self.call(launch, positions)?,
                Command::Short(short) => self.short(short, ends, messages)?,
            });
            messages += command.parcels().len();
        }
        Ok(calls)
    }

    /// The call of a launch, whose values have these places.
    fn call(&self, launch: &Launch<'_>, positions: &[Option<Range<usize>>]) -> Result<Call> {
        let (entry, items) = (&launch.nest.entry, launch.items());
        let Some(spans) = &launch.footprint.items else {
            return refuse(format!("the items of `{entry}` are not one row"));
        };
        if items > MOST_ELEMENTS as u64 {
            return refuse(format!("`{entry}` has {items} items, {MOST_ELEMENTS} are allowed"));
        }
        let mut arguments = Vec::new();
        for ((argument, place), position) in launch.arguments.iter().zip(&launch.places).zip(positions) {
            arguments.push(match (argument, position, self.place(place.as_ref())) {
                (GraphArgument::Value(bytes), Some(position), _) => CallArgument::Value(position.start, bytes.clone()),
                (_, _, Some((buffer, offset))) => CallArgument::Memory(buffer, offset),
                _ => CallArgument::Null,
            });
        }
        let offset = |argument: usize| match arguments.get(argument) {
            Some(CallArgument::Memory(buffer, offset)) if !self.buffers[*buffer].in_place => Some(*offset),
            _ => None,
        };
        let row = Row::of(entry, items as i64, spans, &offset)?;
        check_call(entry, &arguments, &row)?;
        let items = Some(Items { entry: entry.clone(), group: launch.dims.inner[0] });
        Ok(Call { items, inline: None, arguments, row })
    }

    /// Finds the buffers that nobody writes and that are read otherwise than one element after the other.
    fn find_in_place(&mut self, commands: &[Command<'_>]) {
        let (mut written, mut elsewhere) = (BTreeSet::new(), BTreeSet::new());
        for command in commands {
            if let Command::Short(short) = command {
                let writes = self.touched(&short.accesses).into_iter().filter(|(.., kind)| kind.writes());
                written.extend(writes.map(|(buffer, ..)| buffer));
            }
            let Some(launch) = command.launch() else { continue };
            for span in launch.footprint.items.iter().flatten() {
                let Some(place) = launch.places.get(span.param as usize) else { continue };
                let Some((buffer, _)) = self.place(place.as_ref()) else { continue };
                if span.kind.writes() {
                    written.insert(buffer);
                }
                if span.slope != 1 && (span.units.end - span.units.start).saturating_mul(2) > launch.items() {
                    elsewhere.insert(buffer);
                }
            }
        }
        let cycle = |buffer: usize| (0..self.period).map(move |steps| (buffer, steps));
        for buffer in 0..self.buffers.len() {
            let of =
                |set: &BTreeSet<usize>| cycle(buffer).any(|(buffer, steps)| set.contains(&self.moved(buffer, steps)));
            let (is_written, in_place) = (of(&written), of(&elsewhere));
            self.buffers[buffer].is_written = is_written;
            self.buffers[buffer].in_place = in_place && !is_written;
        }
    }

    /// What is in windows, up to where buffers are touched, and which ones carry the state.
    fn classify(&mut self, calls: &[Call]) {
        let mut touched = vec![0_i64; self.buffers.len()];
        for repetition in 0..self.period {
            for call in calls {
                let buffer = |argument: usize| self.moved(call.buffer(argument).unwrap_or_default(), repetition);
                for main in &call.row.mains {
                    let buffer = buffer(main.argument);
                    touched[buffer] = touched[buffer].max(main.items.end + main.offsets[1]);
                }
                for end in &call.row.ends {
                    let buffer = buffer(end.argument);
                    touched[buffer] = touched[buffer].max(end.positions[1] + 1);
                }
                let in_windows: Vec<usize> = call.row.mains.iter().map(|main| buffer(main.argument)).collect();
                in_windows.into_iter().for_each(|buffer| self.buffers[buffer].in_windows = true);
            }
        }
        for (buffer, touched) in touched.into_iter().enumerate() {
            let elements = self.buffers[buffer].elements;
            self.buffers[buffer].elements = elements.min(touched);
            self.buffers[buffer].is_live = !self.buffers[buffer].in_place && self.is_read_first(calls, buffer);
        }
    }

    /// Whether something may read an element of a buffer before it was written, among those that are ever written.
    fn is_read_first(&self, calls: &[Call], buffer: usize) -> bool {
        let (all, mut done) = (self.written(calls, buffer, self.period, true), Positions::default());
        for repetition in 0..self.period {
            for call in calls {
                let of = |(argument, ..): &(usize, Range<i64>, AccessKind, bool)| {
                    self.plays(call, *argument, repetition, buffer)
                };
                let mut reads = call.row.touched().filter(of).filter(|(.., kind, _)| *kind != AccessKind::Write);
                if reads.any(|(_, range, ..)| all.is_empty() || !done.has_all(&range, &all)) {
                    return true;
                }
                let writes = call.row.touched().filter(of).filter(|(.., kind, is_whole)| kind.writes() && *is_whole);
                writes.for_each(|(_, range, ..)| done.add(range));
            }
        }
        false
    }

    /// Whether an argument is a buffer in a repetition.
    fn plays(&self, call: &Call, argument: usize, repetition: usize, buffer: usize) -> bool {
        call.buffer(argument).is_some_and(|own| self.moved(own, repetition) == buffer)
    }

    /// The positions of a buffer that so many repetitions write, or `maybe` write.
    fn written(&self, calls: &[Call], buffer: usize, repetitions: usize, maybe: bool) -> Positions {
        let mut written = Positions::default();
        for (repetition, call) in
            (0..repetitions).flat_map(|repetition| calls.iter().map(move |call| (repetition, call)))
        {
            for (argument, range, kind, is_whole) in call.row.touched() {
                if kind.writes() && (is_whole || maybe) && self.plays(call, argument, repetition, buffer) {
                    written.add(range);
                }
            }
        }
        written
    }

    /// Repetitions after which everything has been written that a pass leaves wrong: what is ever written of each buffer that
    /// carries no state.
    fn last(&self, calls: &[Call]) -> u64 {
        let is_right = |repetitions: usize| {
            (0..self.buffers.len()).filter(|&buffer| !self.buffers[buffer].is_live).all(|buffer| {
                let all = self.written(calls, buffer, self.period, true);
                self.written(calls, buffer, repetitions, false).has_all(&(0..i64::MAX), &all)
            })
        };
        (1..self.period).find(|&repetitions| is_right(repetitions)).unwrap_or(self.period) as u64
    }

    fn finish(self, calls: Vec<Call>) -> Result<(RowLoop, Binding)> {
        let middle = self.middle(&calls)?;
        let reach = calls.iter().map(|call| call.row.reach());
        let shrink = reach.fold([0, 0], |sum: [i64; 2], reach| [sum[0] + reach[0], sum[1] + reach[1]]);
        let last = self.last(&calls);
        let Self { buffers, rotation, period, binding, .. } = self;
        Ok((RowLoop { buffers, rotation, period, calls, middle, shrink, last }, binding))
    }

    /// The positions that only main accesses touch, by items that make all of them.
    fn middle(&self, calls: &[Call]) -> Result<Range<i64>> {
        let tiled = self.buffers.iter().filter(|buffer| buffer.in_windows);
        let Some(length) = tiled.map(|buffer| buffer.elements).min() else {
            return refuse(format!("no launch has more than {MOST_END} items"));
        };
        let (mut begin, mut end) = (0, length);
        for Call { row, .. } in calls {
            let [before, behind] = row.reach();
            let written = row.written.unwrap_or(0);
            let (least, most) = (written - before, written + behind);
            for main in &row.mains {
                begin = begin.max(main.items.start + most);
                end = end.min(main.items.end + least);
            }
            for access in &row.ends {
                if access.positions[1] < MOST_END {
                    begin = begin.max(access.positions[1] + 1);
                } else {
                    end = end.min(access.positions[0]);
                }
                if row.mains.is_empty() {
                } else if access.items.end <= MOST_END {
                    begin = begin.max(access.items.end + most);
                } else {
                    end = end.min(access.items.start + least);
                }
            }
        }
        let longest = self.buffers.iter().filter(|of| !of.in_place).map(|of| of.elements - end).max().unwrap_or(0);
        if begin > 2 * MOST_END || longest > 4 * MOST_END {
            return refuse(format!(
                "what differs from the middle reaches {begin} elements from the beginning and {longest} from the end"
            ));
        }
        Ok(begin..end)
    }
}

/// What no window can do.
fn check_call(entry: &str, arguments: &[CallArgument], row: &Row) -> Result<()> {
    let buffer = |argument: usize| match arguments.get(argument) {
        Some(CallArgument::Memory(buffer, _)) => Some(*buffer),
        _ => None,
    };
    let written: Vec<_> =
        row.mains.iter().filter(|main| main.kind.writes()).map(|main| buffer(main.argument)).collect();
    let is_own = |offsets: [i64; 2]| offsets.map(Some) == [row.written; 2];
    if row.mains.iter().any(|main| written.contains(&buffer(main.argument)) && !is_own(main.offsets)) {
        return refuse(format!("items of `{entry}` touch what others of it write"));
    }
    if row.mains.is_empty() && row.items > 4 * MOST_END {
        return refuse(format!("few of the {} items of `{entry}` do anything", row.items));
    }
    Ok(())
}
