//! Many repetitions in one pass through memory: temporal blocking of recorded loops.
//!
//! A loop whose memory is larger than the caches reads and writes all of it in every repetition. Where core knows what the
//! groups of each launch touch ([`LaunchFootprint`]), several repetitions run tile by tile instead ([`schedule`](mod@schedule)), so
//! that a tile stays in a core's cache for all of them. Each group runs once per repetition, by the same code and with the
//! same arguments, after all that it depends on: the bits are the same.
//!
//! - [`access`]: what units of a command touch, as addresses.
//! - [`schedule`](mod@schedule): tiles, and the wedges between them.
//! - [`choice`]: how many repetitions, and how large tiles: a model, which measurements of the first replays refine.
//!
//! A loop is replayed as it was recorded where a footprint is not known, where units of one launch touch what others of it
//! write (their order decides then), and where a command depends on all of the one before. [`Tiling::plan`] says so.
//!
//! Not here: running anything; the graph does that.

mod access;
mod choice;
mod clock;
mod schedule;
#[cfg(test)]
mod tests;

pub(crate) use clock::Clock;
pub(crate) use schedule::{Piece, Schedule};

use crate::error;
use access::{Addresses, Interval, Op, Touch};
use choice::{Candidate, Choice};
use ferrocca_core::Result;
use ferrocca_core::backend::{BackendMemory, GraphArgument, GraphCommand, GraphPlan, LaunchFootprint, TilingSetting};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

/// Where units of a command run: bytes of a copy or fill that make a unit, a page or whole patterns.
pub(crate) fn bytes_per_unit(pattern: usize) -> usize {
    const PAGE: usize = 4096;
    pattern * (PAGE / pattern).max(1)
}

/// What is run next.
pub(crate) struct Pass {
    /// `None`: one repetition after the other.
    pub(crate) schedule: Option<Arc<Schedule>>,
    pub(crate) steps: u64,
    /// To be measured, for this candidate.
    pub(crate) trial: Option<usize>,
}

/// A command of a phase as core gave it, without what has no part in this.
enum Command {
    Launch { weight: f64, memory: Vec<Option<Memory>>, footprint: LaunchFootprint },
    Copy { to: Interval, from: Interval, ring: Option<Interval> },
    Fill { to: Interval, unit: i64 },
    Host { touched: Vec<(Interval, bool)> },
}

/// Memory that a launch was given.
#[derive(Clone, Copy)]
struct Memory {
    bytes: Interval,
    element: i64,
}

/// The tiling of a graph.
pub(crate) struct Tiling {
    setting: TilingSetting,
    threads: usize,
    phases: Vec<Vec<Command>>,
    /// Of every phase; the error says why there is no tiling.
    ops: std::result::Result<Vec<Vec<Op>>, Arc<str>>,
    choice: Choice,
    /// Repetitions of the replay for which it was made.
    chosen_for: u64,
    /// By phase of the first repetition, repetitions, tiles and whether these are swept.
    schedules: BTreeMap<(usize, u64, usize, bool), Arc<Schedule>>,
}

/// Schedules that are kept.
const MOST_SCHEDULES: usize = 64;

impl Tiling {
    /// # Errors
    /// For memory without a host address.
    pub(crate) fn new(setting: TilingSetting, threads: usize, phases: &[Vec<GraphCommand>]) -> Result<Self> {
        let phase = |commands: &Vec<GraphCommand>| commands.iter().map(Command::of).collect::<Result<Vec<_>>>();
        let phases = match setting {
            TilingSetting::Off => Vec::new(),
            _ => phases.iter().map(phase).collect::<Result<Vec<_>>>()?,
        };
        let mut tiling = Self {
            setting,
            threads,
            phases,
            ops: Err("".into()),
            choice: Choice::default(),
            chosen_for: 0,
            schedules: BTreeMap::new(),
        };
        tiling.reset();
        Ok(tiling)
    }

    /// Another footprint of a command, in every phase.
    pub(crate) fn update(&mut self, command: usize, new: &LaunchFootprint) {
        let mut is_other = false;
        for phase in &mut self.phases {
            if let Some(Command::Launch { footprint, .. }) = phase.get_mut(command)
                && footprint != new
            {
                footprint.clone_from(new);
                is_other = true;
            }
        }
        if is_other {
            self.reset();
        }
    }

    fn reset(&mut self) {
        self.schedules.clear();
        self.ops = match self.setting {
            TilingSetting::Off => Err("the property `tiling` is `off`".into()),
            _ => self.analysed(),
        };
        self.choice = match &self.ops {
            Err(reason) => Choice::Plain(reason.to_string()),
            Ok(_) => Choice::default(),
        };
    }

    /// The commands as their units touch memory; the error says why they run one after the other.
    fn analysed(&self) -> std::result::Result<Vec<Vec<Op>>, Arc<str>> {
        let ops = |phase: &Vec<Command>| phase.iter().map(Command::op).collect::<std::result::Result<Vec<_>, _>>();
        let ops = self.phases.iter().map(ops).collect::<std::result::Result<Vec<_>, _>>()?;
        // What overlaps in one phase overlaps in all.
        let first = ops.first().map_or(&[][..], Vec::as_slice);
        if let Some(command) = first.iter().position(Op::units_meet) {
            return Err(format!("groups of command {command} touch what others of it write").into());
        }
        let mut used = Addresses::default();
        let touches = ops.iter().flatten().flat_map(|op| &op.touches);
        touches.for_each(|touch| used.add(touch.memory));
        let rings = self.phases.first().into_iter().flatten().filter_map(Command::ring);
        for ring in rings {
            if used.meets(ring) {
                return Err("the memory of a snapshot's slots has other uses in the loop".into());
            }
            used.add(ring);
        }
        Ok(ops)
    }

    /// What to run next of `times` repetitions, more than 0.
    pub(crate) fn next(&mut self, phase: usize, times: u64) -> Pass {
        self.choose(times);
        let plain = |steps, trial| Pass { schedule: None, steps, trial };
        let (candidate, trial) = match &self.choice {
            Choice::Open { .. } | Choice::Plain(_) => return plain(times, None),
            Choice::Trials(trials) => {
                let next = trials.next();
                (trials.candidates[next].clone(), Some(next))
            }
            Choice::Tiles { candidate, .. } => (candidate.clone(), None),
        };
        let steps = match trial {
            // A few repetitions more join the pass: by themselves they would need one more through memory.
            None if self.setting == TilingSetting::Auto && times <= candidate.steps + candidate.steps / 4 => times,
            _ => candidate.steps.min(times),
        };
        let is_whole = steps == candidate.steps;
        let trial = trial.filter(|_| is_whole);
        if candidate.tiles == 0 || steps < 2 {
            return plain(steps, trial);
        }
        Pass { schedule: Some(self.schedule(phase, &candidate, steps)), steps, trial }
    }

    /// Comes to a choice, where a replay of so many repetitions is long enough for one.
    fn choose(&mut self, times: u64) {
        let Ok(ops) = &self.ops else { return };
        let is_longer = match self.choice {
            Choice::Open { most_steps } => times >= 2 * most_steps,
            // A short replay has few repetitions to put in a pass.
            _ => {
                self.setting == TilingSetting::Auto
                    && self.chosen_for < choice::ENOUGH_STEPS
                    && times >= 4 * self.chosen_for
            }
        };
        if times >= 2 && is_longer {
            self.choice = Choice::of(self.setting, ops, self.threads, times);
            self.chosen_for = times;
        }
    }

    /// A trial took so long.
    pub(crate) fn took(&mut self, trial: usize, elapsed: Duration) {
        if let Choice::Trials(trials) = &mut self.choice {
            trials.took(trial, elapsed);
            if let Some(decided) = trials.decided() {
                self.choice = decided;
            }
        }
    }

    fn schedule(&mut self, phase: usize, candidate: &Candidate, steps: u64) -> Arc<Schedule> {
        let key = (phase, steps, candidate.tiles, candidate.chunk.is_some());
        if let Some(known) = self.schedules.get(&key) {
            return Arc::clone(known);
        }
        if self.schedules.len() == MOST_SCHEDULES {
            self.schedules.clear();
        }
        let ops = self.ops.as_deref().unwrap_or_default();
        let made = Arc::new(candidate.schedule(&choice::block(ops, phase, steps)));
        self.schedules.insert(key, Arc::clone(&made));
        made
    }

    /// What is done, and why.
    pub(crate) fn plan(&self) -> GraphPlan {
        match &self.choice {
            Choice::Open { .. } => GraphPlan::one_step("no replay was long enough yet to decide"),
            Choice::Trials(_) => GraphPlan::one_step("the first replays are measured, to decide"),
            Choice::Plain(reason) => GraphPlan::one_step(reason.clone()),
            Choice::Tiles { candidate, reason } => {
                GraphPlan { steps_per_pass: candidate.steps, reason: reason.clone() }
            }
        }
    }
}

fn interval(memory: &dyn BackendMemory, offset: usize, bytes: usize) -> Result<Interval> {
    let Some(start) = memory.mapped() else {
        return Err(error::internal("memory without a host address reached a CPU graph"));
    };
    let begin = start.as_ptr().addr() as i64 + offset as i64;
    Ok([begin, begin + bytes as i64])
}

impl Command {
    fn of(command: &GraphCommand) -> Result<Self> {
        Ok(match command {
            GraphCommand::Launch { nest, dims, arguments, footprint, .. } => {
                let memory = arguments.iter().map(|argument| match argument {
                    GraphArgument::Memory { memory: Some(memory), offset_bytes, bytes, element_bytes, .. } => {
                        let bytes = interval(&**memory, *offset_bytes as usize, *bytes as usize)?;
                        Ok(Some(Memory { bytes, element: i64::from(*element_bytes) }))
                    }
                    _ => Ok(None),
                });
                let all: f64 = dims.outer.iter().chain(&dims.inner).map(|&size| size as f64).product();
                Self::Launch {
                    weight: all * f64::from(nest.cost.max(1)),
                    memory: memory.collect::<Result<_>>()?,
                    footprint: footprint.clone(),
                }
            }
            GraphCommand::Copy {
                destination,
                destination_offset,
                destination_stride,
                source,
                source_offset,
                bytes,
            } => {
                let to = interval(&**destination, *destination_offset, *bytes)?;
                let ring = interval(&**destination, 0, destination.bytes())?;
                Self::Copy {
                    to,
                    from: interval(&**source, *source_offset, *bytes)?,
                    // Every repetition has a slot of its own, from the first one on.
                    ring: (*destination_stride > 0).then_some([to[0], ring[1]]),
                }
            }
            GraphCommand::Fill { destination, offset, bytes, pattern } => Self::Fill {
                to: interval(&**destination, *offset, *bytes)?,
                unit: bytes_per_unit(pattern.len().max(1)) as i64,
            },
            GraphCommand::Host { memory, .. } => {
                let touched =
                    memory.iter().map(|part| Ok((interval(&*part.memory, part.offset, part.bytes)?, part.mutable)));
                Self::Host { touched: touched.collect::<Result<_>>()? }
            }
            GraphCommand::Native { .. } => return Err(error::internal("work of a library reached a CPU graph")),
        })
    }

    fn ring(&self) -> Option<Interval> {
        match self {
            Self::Copy { ring, .. } => *ring,
            Self::Launch { .. } | Self::Fill { .. } | Self::Host { .. } => None,
        }
    }

    fn op(&self) -> std::result::Result<Op, Arc<str>> {
        match self {
            Self::Launch { weight, memory, footprint } => {
                let footprint = footprint.as_ref().map_err(Arc::clone)?;
                let mut touches = Vec::new();
                for span in &footprint.spans {
                    // Through a null pointer nothing is accessed.
                    let Some(Some(memory)) = memory.get(span.param as usize) else { continue };
                    let [begin, end] = memory.bytes;
                    let at = |element: i64| begin.saturating_add(element.saturating_mul(memory.element));
                    let behind = |element: i64| at(element.saturating_add(1));
                    touches.push(Touch {
                        writes: span.kind.writes(),
                        units: span.units.clone(),
                        slope: span.slope.saturating_mul(memory.element),
                        reach: [at(span.reach[0]), behind(span.reach[1])],
                        within: [at(span.within[0]).max(begin), behind(span.within[1]).min(end)],
                        memory: memory.bytes,
                    });
                }
                Ok(Op { units: footprint.units, weight: weight / footprint.units as f64, touches, is_host: false })
            }
            Self::Copy { to, from, ring } => {
                let mut touches = vec![linear(*from, bytes_per_unit(1) as i64, false)];
                if ring.is_none() {
                    touches.push(linear(*to, bytes_per_unit(1) as i64, true));
                }
                Ok(of_bytes(touches))
            }
            Self::Fill { to, unit } => Ok(of_bytes(vec![linear(*to, *unit, true)])),
            Self::Host { touched } => {
                let touch = |&(bytes, writes): &(Interval, bool)| Touch {
                    writes,
                    units: 0..1,
                    slope: 0,
                    reach: bytes,
                    within: bytes,
                    memory: bytes,
                };
                Ok(Op { units: 1, weight: 0.0, touches: touched.iter().map(touch).collect(), is_host: true })
            }
        }
    }
}

/// All bytes in order, so many a unit.
fn linear(bytes: Interval, unit: i64, writes: bool) -> Touch {
    let units = 0..((bytes[1] - bytes[0]).max(1) as u64).div_ceil(unit as u64);
    Touch { writes, units, slope: unit, reach: [bytes[0], bytes[0] + unit], within: bytes, memory: bytes }
}

/// A copy or fill. A page of it takes about as long as so many operations.
fn of_bytes(touches: Vec<Touch>) -> Op {
    Op { units: touches[0].units.end, weight: 1000.0, touches, is_host: false }
}

/// The bytes of some units of a copy or fill of `bytes`.
pub(crate) fn bytes_of(units: &Range<u64>, unit: usize, bytes: usize) -> Range<usize> {
    (units.start as usize * unit).min(bytes)..(units.end as usize * unit).min(bytes)
}
