//! Whether a recorded loop can run over planes, and how: its main launch and what that reads, how far the launches beside it get
//! from the faces, how large tiles are and how many repetitions a pass does.

use super::lattice::{Box3, Lattice, layers, shrunk};
use super::plan::{Argument, Plan, Tile};
use crate::kernel::Module;
use crate::tiling::planner;
use ferrocca_core::backend::rows::{Binding, Command, Ends, Launch, Planner, Result, refuse};
use ferrocca_core::backend::{BoxSpan, GraphArgument, GraphCommand, TilingSetting};
use std::ops::Range;
use std::sync::Arc;

/// Points that a step reads in each direction.
const MOST_REACH: i64 = 4;

/// Layers of the box that launches beside the main one may touch.
const MOST_LAYERS: i64 = 16;

/// Steps of a pass that `auto` takes over three axes, and over two: more of them take more registers than a multiprocessor has, or
/// tiles of which too much is computed twice.
const STEPS_OF_VOLUMES: u64 = 3;
const STEPS_OF_PLANES: u64 = 7;

/// Tiles for loops over three axes, the best ones first. That of 512 threads leaves a quarter of the registers to what runs beside:
/// on an H200 it takes 294 µs a step of 512³ points, the one of 1024 threads 317 µs.
const TILES_OF_VOLUMES: [Tile; 3] = [
    Tile { width: 64, rows: 8, points: 4 },
    Tile { width: 64, rows: 16, points: 2 },
    Tile { width: 32, rows: 16, points: 1 },
];
/// And over two.
const TILES_OF_PLANES: [Tile; 2] = [Tile { width: 1024, rows: 1, points: 1 }, Tile { width: 256, rows: 1, points: 1 }];

/// Registers of a multiprocessor.
const REGISTERS: i64 = 1 << 16;

/// Planes of a block at least, where there are many.
const FEWEST_PLANES: i64 = 16;

/// How much larger than the cache the state is from which on `auto` runs over planes, and where nobody says how large that is.
const CACHES: u64 = 4;
const USUAL_CACHE: u64 = 32 << 20;

/// Tiles along an axis from which on `auto` runs over planes.
const FEW_TILES: i64 = 3;

/// What a plan has to know of a device.
#[derive(Clone, Copy, Debug)]
pub(in crate::tiling) struct Limits {
    pub(in crate::tiling) shared_bytes: u64,
    pub(in crate::tiling) multiprocessors: u64,
    pub(in crate::tiling) cache_bytes: u64,
    pub(in crate::tiling) free_bytes: u64,
}

/// A plan, and what changes with the memory of a loop.
pub(in crate::tiling) struct Planned {
    pub(super) plan: Plan,
    pub(super) binding: Binding,
    /// The memory of the state in the first phase, and of where it goes.
    pub(super) states: [Range<u64>; 2],
}

/// Whether a loop has launches over several axes.
pub(in crate::tiling) fn has_axes(phases: &[Vec<GraphCommand>]) -> bool {
    phases[0].iter().any(|command| match command {
        GraphCommand::Launch { dims, .. } => dims.outer[1..] != [1, 1] || dims.inner[1..] != [1, 1],
        _ => false,
    })
}

/// Plans a loop.
pub(in crate::tiling) fn plan(phases: &[Vec<GraphCommand>], setting: TilingSetting, limits: Limits) -> Result<Planned> {
    plan_in(phases, setting, limits, [&TILES_OF_PLANES, &TILES_OF_VOLUMES])
}

/// The same with other tiles for loops over two axes, and over three.
pub(super) fn plan_in(
    phases: &[Vec<GraphCommand>],
    setting: TilingSetting,
    limits: Limits,
    tiles: [&[Tile]; 2],
) -> Result<Planned> {
    let commands = planner::commands(phases, Ends::Shared)?;
    let mut launches = Vec::new();
    for command in &commands[0] {
        match command {
            Command::Launch(launch) => launches.push(launch),
            Command::Short(_) => return refuse("a loop over several axes has more than launches"),
        }
    }
    let Some((main, others)) = launches.split_first() else { return refuse("no launch is recorded") };
    let programs = planner::programs(&commands[0][..1])?;
    let Some((program, _)) = programs.into_iter().next() else { return refuse("no launch is recorded") };
    let planner = Planner::of(&commands)?;
    let mut survey = Survey::of(&planner, main)?;
    survey.read(&planner, main)?;
    for other in others {
        survey.look_beside(&planner, other)?;
    }
    survey.finish(program, planner, main, setting, limits, tiles)
}

/// What is known of a loop.
struct Survey {
    lattice: Lattice,
    origin: i64,
    axes: [Option<usize>; 3],
    first: [i64; 3],
    points: Box3,
    /// What the main launch writes.
    written: BoxSpan,
    /// The buffers of the state and of where it goes.
    state: usize,
    next: usize,
    in_place: Vec<usize>,
    reach: [i64; 3],
    /// Layers that are read at other places than the others, and layers whose points the main launch does otherwise, or others
    /// write after it.
    read: i64,
    changed: i64,
}

impl Survey {
    /// Of the points that the main launch writes.
    fn of(planner: &Planner, main: &Launch<'_>) -> Result<Self> {
        let entry = &main.nest.entry;
        let writes: Vec<&BoxSpan> = spans(main)?.iter().filter(|span| span.kind.writes()).collect();
        let written = match writes[..] {
            [written] if written.reach[0] == written.reach[1] => written,
            _ => return refuse(format!("an item of `{entry}` writes several places")),
        };
        let Some((next, origin)) = place(planner, main, written) else {
            return refuse(format!("`{entry}` writes nothing"));
        };
        if !written.certain {
            return refuse(format!("whether an item of `{entry}` writes an element may depend on data"));
        }
        let state = planner.moved(next, 1);
        if state == next || planner.moved(state, 1) != next {
            return refuse(format!("what `{entry}` writes does not rotate with one other buffer"));
        }
        let is_alone = |axis: usize| written.slopes[axis] != 0 || main.dims.outer[axis] * main.dims.inner[axis] == 1;
        if !(0..3).all(is_alone) {
            return refuse(format!("several items of `{entry}` write an element"));
        }
        let lattice = Lattice::of(written.slopes, planner.buffers[next].elements - origin);
        let Some((lattice, axes)) = lattice else {
            return refuse(format!("neighbours among the items of `{entry}` do not write neighbouring elements"));
        };
        let Some(points) = lattice.hull(written, 0) else {
            return refuse(format!("what `{entry}` writes is no box"));
        };
        let mut first = [0, 1, 2].map(|axis: usize| points[axis].start);
        for (first, axis) in first.iter_mut().zip(axes) {
            *first -= axis.map_or(0, |axis| written.places[axis].start as i64);
        }
        let (written, in_place) = (written.clone(), Vec::new());
        Ok(Self {
            lattice,
            origin,
            axes,
            first,
            points,
            written,
            state,
            next,
            in_place,
            reach: [0; 3],
            read: 0,
            changed: 0,
        })
    }

    /// What the main launch reads.
    fn read(&mut self, planner: &Planner, main: &Launch<'_>) -> Result<()> {
        let entry = &main.nest.entry;
        for span in spans(main)?.iter().filter(|span| !span.kind.writes()) {
            let Some((buffer, offset)) = place(planner, main, span) else { continue };
            if buffer == self.next {
                return refuse(format!("items of `{entry}` touch what others of it write"));
            }
            if buffer != self.state {
                if planner.moved(buffer, 1) != buffer {
                    return refuse(format!("`{entry}` reads several buffers that rotate"));
                }
                if !self.in_place.contains(&buffer) {
                    self.in_place.push(buffer);
                }
                continue;
            }
            let Some(hull) = self.lattice.hull(span, self.origin - offset) else {
                return refuse(format!("`{entry}` reads points outside of the box of its state"));
            };
            let ends = span.reach.map(|end| self.lattice.offset(end + offset - self.written.reach[0] - self.origin));
            let is_near = ends.iter().flatten().all(|distance| distance.abs() <= MOST_REACH);
            if span.slopes == self.written.slopes && is_near && ends[0][1..] == ends[1][1..] {
                let [x, y, z] = [0, 1, 2].map(|axis| ends[0][axis].abs().max(ends[1][axis].abs()));
                if z != 0 && (x, y) != (0, 0) {
                    return refuse(format!(
                        "`{entry}` reads points that lie neither in an item's plane nor in its column"
                    ));
                }
                self.reach = [self.reach[0].max(x), self.reach[1].max(y), self.reach[2].max(z)];
                continue;
            }
            let items = [0, 1, 2].map(|axis: usize| match self.axes[axis] {
                Some(of) => {
                    let Range { start, end } = span.places[of];
                    self.first[axis] + start as i64..self.first[axis] + end as i64
                }
                None => self.points[axis].clone(),
            });
            self.read = self.read.max(self.layers(&hull)?);
            self.changed = self.changed.max(self.layers(&items)?);
        }
        Ok(())
    }

    /// A launch beside the main one: what it touches of the state has to be near the faces.
    fn look_beside(&mut self, planner: &Planner, launch: &Launch<'_>) -> Result<()> {
        let entry = &launch.nest.entry;
        for span in spans(launch)? {
            let Some((buffer, offset)) = place(planner, launch, span) else { continue };
            if buffer != self.state && buffer != self.next {
                if span.kind.writes() && self.in_place.contains(&buffer) {
                    return refuse(format!("`{entry}` writes what the launch before it reads at other points"));
                }
                continue;
            }
            let Some(hull) = self.lattice.hull(span, self.origin - offset) else {
                return refuse(format!("`{entry}` touches points outside of the box of its state"));
            };
            let layers = self.layers(&hull)?;
            if !span.kind.writes() {
                self.read = self.read.max(layers);
                continue;
            }
            if !span.certain || buffer == self.state {
                return refuse(format!("what `{entry}` writes near the faces is not written anew in each step"));
            }
            self.changed = self.changed.max(layers);
            self.read = self.read.max(layers);
        }
        Ok(())
    }

    fn layers(&self, of: &Box3) -> Result<i64> {
        match layers(of, &self.points, self.lattice.axes()) {
            Some(layers) if layers <= MOST_LAYERS => Ok(layers),
            _ => refuse("a launch beside the main one touches more than points near a face"),
        }
    }

    fn finish(
        self,
        program: Arc<Module>,
        planner: Planner,
        main: &Launch<'_>,
        setting: TilingSetting,
        limits: Limits,
        tiles: [&[Tile]; 2],
    ) -> Result<Planned> {
        let element_bytes = planner.buffers[self.state].element_bytes;
        let most = self.reach.iter().max().copied().unwrap_or(0);
        if self.reach[2] == 0 || most > MOST_REACH {
            return refuse("its items read no neighbours in other planes");
        }
        let changed = self.changed.max(self.overhang());
        let depth = |steps: u64| self.read.max(changed + (steps as i64 - 1) * most);
        let states = [self.state, self.next].map(|buffer| planner.ranges[buffer].clone());
        if setting == TilingSetting::Auto {
            let cache = if limits.cache_bytes == 0 { USUAL_CACHE } else { limits.cache_bytes };
            let bytes = states[0].end - states[0].start;
            if bytes < CACHES * cache {
                return refuse(format!("its state of {bytes} bytes is not much more than the cache of {cache} bytes"));
            }
            // Half of what is free stays so: what runs beside tiles works on two arrays more.
            let (more, free) = (2 * bytes, limits.free_bytes);
            if more > free / 2 {
                return refuse(format!(
                    "the {more} bytes more that it would take are over half of the {free} bytes that are free"
                ));
            }
        }
        let (steps, tile) = self.shape(element_bytes, &depth, setting, limits, tiles)?;
        let mut binding = Binding::default();
        binding.bind_values([main.arguments]);
        binding.addresses = self.in_place.iter().map(|&buffer| planner.ranges[buffer].start).collect();
        let arguments = self.arguments(&planner, main, &binding);
        let mut plan = Plan {
            program,
            entry: main.nest.entry.clone(),
            group: main.dims.inner,
            arguments,
            depth: depth(steps),
            lattice: self.lattice,
            origin: self.origin,
            axes: self.axes,
            first: self.first,
            points: self.points,
            reach: self.reach,
            element_bytes,
            steps,
            tile,
            chunk: 1,
            in_place: self.in_place.len(),
            value_bytes: binding.values.len(),
        };
        plan.chunk = chunk(&plan, limits);
        Ok(Planned { plan, binding, states })
    }

    /// Layers near the faces from which tiles would read beyond the memory: they read as far in each direction.
    fn overhang(&self) -> i64 {
        let of_axis = |axis: usize| {
            let (points, reach) = (&self.points[axis], self.reach[axis]);
            (reach - points.start).max(points.end + reach - self.lattice.extents[axis])
        };
        self.lattice.axes().map(of_axis).max().unwrap_or(0).max(0)
    }

    fn arguments(&self, planner: &Planner, main: &Launch<'_>, binding: &Binding) -> Vec<Argument> {
        let mut arguments = Vec::new();
        for ((argument, place), position) in main.arguments.iter().zip(&main.places).zip(&binding.positions[0]) {
            arguments.push(match (argument, position, planner.place(place.as_ref())) {
                (GraphArgument::Value(bytes), Some(position), _) => Argument::Value(position.start, bytes.clone()),
                (_, _, Some((buffer, offset))) if buffer == self.state => Argument::State(offset),
                (_, _, Some((buffer, offset))) if buffer == self.next => Argument::Next(offset),
                (_, _, Some((buffer, offset))) => match self.in_place.iter().position(|of| *of == buffer) {
                    Some(number) => Argument::InPlace(number, offset),
                    // Nobody reads it.
                    None => Argument::Null,
                },
                _ => Argument::Null,
            });
        }
        arguments
    }

    /// Steps of a pass, and the tiles of its blocks.
    fn shape(
        &self,
        element_bytes: i64,
        depth: &dyn Fn(u64) -> i64,
        setting: TilingSetting,
        limits: Limits,
        [of_planes, of_volumes]: [&[Tile]; 2],
    ) -> Result<(u64, Tile)> {
        let most_reach = self.reach.iter().max().copied().unwrap_or(0);
        let (tiles, usual) = match self.axes[1] {
            Some(_) => (of_volumes, STEPS_OF_VOLUMES),
            None => (of_planes, STEPS_OF_PLANES),
        };
        let (most, few) = match setting {
            TilingSetting::Steps(steps) => (steps, 1),
            _ => (usual, FEW_TILES),
        };
        for steps in (3..=most).rev().filter(|steps| steps % 2 == 1) {
            let middle = shrunk(&self.points, depth(steps), self.lattice.axes());
            let has_shell = shrunk(&self.points, depth(steps) + (steps as i64 - 1) * most_reach, self.lattice.axes());
            for &tile in tiles {
                let [x, y] = tile.own(steps, self.reach);
                let [width, height] = tile.size();
                let fits = tile.registers(steps, self.reach, element_bytes) <= REGISTERS
                    && tile.shared_bytes(steps, self.reach, element_bytes) <= limits.shared_bytes as i64;
                let is_large = |range: &Range<i64>, own: i64| range.end - range.start >= few * own;
                let has_room = 2 * x >= width
                    && 2 * y >= height
                    && is_large(&middle[0], x)
                    && (self.axes[1].is_none() || is_large(&middle[1], y))
                    && has_shell.iter().all(|range| !range.is_empty());
                if fits && has_room {
                    return Ok((steps, tile));
                }
            }
        }
        refuse(format!(
            "tiles of 3 steps or more, an odd number, do not fit: its launches write {:?} points, up to {} layers of which are \
             done beside tiles",
            self.points.clone().map(|range| range.end - range.start),
            depth(3)
        ))
    }
}

/// Planes of a block: so many that the last blocks leave few multiprocessors idle.
fn chunk(plan: &Plan, limits: Limits) -> i64 {
    let [x, y, z] = plan.blocks();
    let registers = plan.tile.registers(plan.steps, plan.reach, plan.element_bytes);
    let per_multiprocessor = (REGISTERS / registers).min(limits.shared_bytes as i64 / plan.shared_bytes());
    let at_once = (limits.multiprocessors as i64 * per_multiprocessor).max(1);
    let overlap = 2 * plan.steps as i64 * plan.reach[2];
    let cost = |chunks: &i64| {
        let chunk = (z + chunks - 1) / chunks;
        (x * y * chunks + at_once - 1) / at_once * (chunk + overlap)
    };
    let chunks = (1..=(z / FEWEST_PLANES).max(1)).min_by_key(cost).unwrap_or(1);
    (z + chunks - 1) / chunks
}

/// What the items of a launch touch.
fn spans<'a>(launch: &Launch<'a>) -> Result<&'a [BoxSpan]> {
    match &launch.footprint.boxes {
        Some(spans) => Ok(spans),
        None => refuse(format!("the items of `{}` are not one box", launch.nest.entry)),
    }
}

/// The buffer that a span is of, and where the argument begins in it, in elements.
fn place(planner: &Planner, launch: &Launch<'_>, span: &BoxSpan) -> Option<(usize, i64)> {
    planner.place(launch.places.get(span.param as usize)?.as_ref())
}
