//! What a recorded loop over several axes is: its main launch and what that reads, and how far the launches beside it get from the
//! faces.

use super::lattice::{Box3, Lattice, layers};
use super::plan::{Argument, BoxLoop};
use crate::backend::rows::{Binding, Command, Launch, Planner, Result, refuse};
use crate::backend::{BoxSpan, GraphArgument, GraphCommand};
use std::ops::Range;

/// Points that a step reads in each direction.
const MOST_REACH: i64 = 4;

/// Layers of the box that launches beside the main one may touch.
const MOST_LAYERS: i64 = 16;

/// Whether a loop has launches over several axes.
pub fn has_axes(phases: &[Vec<GraphCommand>]) -> bool {
    phases[0].iter().any(|command| match command {
        GraphCommand::Launch { dims, .. } => dims.outer[1..] != [1, 1] || dims.inner[1..] != [1, 1],
        _ => false,
    })
}

/// The launch that tiles do: the first one of a phase of these commands.
/// # Errors
/// There is none, or the phase has more than launches.
pub fn main_launch<'a, 'b>(commands: &'b [Command<'a>]) -> Result<&'b Launch<'a>> {
    match launches(commands)?.first() {
        Some(main) => Ok(main),
        None => refuse("no launch is recorded"),
    }
}

/// A loop of these phases; the values of its main launch, with the addresses of the buffers that it reads in place; and the memory
/// of the state in the first phase, and of where it goes.
/// # Errors
/// What is in the way.
pub fn plan(phases: &[Vec<Command<'_>>]) -> Result<(BoxLoop, Binding, [Range<u64>; 2])> {
    let main = main_launch(&phases[0])?;
    let planner = Planner::of(phases)?;
    let mut survey = Survey::of(&planner, main)?;
    survey.read(&planner, main)?;
    for other in &launches(&phases[0])?[1..] {
        survey.look_beside(&planner, other)?;
    }
    survey.finish(&planner, main)
}

fn launches<'a, 'b>(commands: &'b [Command<'a>]) -> Result<Vec<&'b Launch<'a>>> {
    let launch = |command: &'b Command<'a>| match command.launch() {
        Some(launch) => Ok(launch),
        None => refuse("a loop over several axes has more than launches"),
    };
    commands.iter().map(launch).collect()
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

    fn finish(self, planner: &Planner, main: &Launch<'_>) -> Result<(BoxLoop, Binding, [Range<u64>; 2])> {
        if self.reach[2] == 0 || self.reach.iter().any(|&reach| reach > MOST_REACH) {
            return refuse("its items read no neighbours in other planes");
        }
        let states = [self.state, self.next].map(|buffer| planner.ranges[buffer].clone());
        let mut binding = Binding::default();
        binding.bind_values([main.arguments]);
        binding.addresses = self.in_place.iter().map(|&buffer| planner.ranges[buffer].start).collect();
        let recorded = BoxLoop {
            entry: main.nest.entry.clone(),
            group: main.dims.inner,
            arguments: self.arguments(planner, main, &binding),
            changed_layers: self.changed.max(self.overhang()),
            read_layers: self.read,
            lattice: self.lattice,
            origin: self.origin,
            axes: self.axes,
            first: self.first,
            points: self.points,
            reach: self.reach,
            element_bytes: planner.buffers[self.state].element_bytes,
            in_place: self.in_place.len(),
        };
        Ok((recorded, binding, states))
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
