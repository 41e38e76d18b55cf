//! How many repetitions a pass does, and in how many tiles: a model, refined by measuring the first replays.
//!
//! The model: a tile fills half of a core's second cache, and does as many repetitions as leave three fifths of the work to the
//! tiles; or tiles are large and swept, and do as many repetitions as the second or the third cache holds what lies between the
//! first and the last of. The trials are repetitions that were
//! asked for anyway, so that measuring costs only what a worse choice takes longer. What was decided is kept for the
//! process, for loops of the same commands and sizes.
//!
//! Of a loop with work of the host, which exchanges with other ranks, nothing is measured. Ranks that came to other numbers of
//! repetitions would wait for each other, and they do not come to each repetition in the same replay, so that they could agree:
//! the model alone gives the same on like machines with like parts.

use super::access::{Addresses, Op};
use super::schedule::{Schedule, schedule};
use crate::processor;
use ferrocca_core::backend::TilingSetting;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// A way to run the loop.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Candidate {
    /// Repetitions of a pass, at least 2.
    pub(super) steps: u64,
    /// 0: one repetition after the other.
    pub(super) tiles: usize,
    /// The part of a command's units that a sweep goes ahead by; `None` for tiles that are not swept.
    pub(super) chunk: Option<f64>,
    /// Bytes that a tile works on at a time.
    bytes: u64,
}

impl Candidate {
    pub(super) fn schedule(&self, ops: &[&Op]) -> Schedule {
        schedule(ops, self.tiles, self.chunk)
    }
}

/// What is known of how to run the loop.
#[derive(Debug)]
pub(super) enum Choice {
    /// Replays were too short: of at most so many repetitions.
    Open {
        most_steps: u64,
    },
    Trials(Trials),
    /// One repetition after the other, and why.
    Plain(String),
    /// Tiles, and why.
    Tiles {
        candidate: Candidate,
        reason: String,
    },
}

impl Default for Choice {
    fn default() -> Self {
        Self::Open { most_steps: 1 }
    }
}

/// Candidates that are measured; the first one is without tiles.
#[derive(Debug)]
pub(super) struct Trials {
    pub(super) candidates: Vec<Candidate>,
    /// Of each candidate the least time of a repetition, in nanoseconds, and how often it was measured.
    measured: Vec<(f64, u32)>,
    key: u64,
}

/// How often each candidate is measured. The first time also fetches pages and wakes threads.
const ROUNDS: u32 = 3;

/// Tiles have to be so much faster than one repetition after the other to be taken.
const WORTH: f64 = 1.05;

/// Least part of all work that tiles of a candidate do.
const LEAST_IN_TILES: f64 = 0.5;

/// Commands of a block, and tiles times commands: schedules take time and memory.
const MOST_COMMANDS: u64 = 1024;
const MOST_PIECES: u64 = 1 << 20;

/// Tiles that are swept: enough for threads that are not equally fast.
const TILES_PER_THREAD: u64 = 4;

/// Bytes of a chunk that are more than enough beside the cost of a call.
const MOST_CHUNK: f64 = 65536.0;

/// Most repetitions that the model asks for: with more, a pass through memory is no longer what takes the time.
pub(super) const ENOUGH_STEPS: u64 = 64;

/// Operations for each byte from which on, without a measurement, memory is not taken to be what takes the time.
const MOST_OPERATIONS: f64 = 8.0;

/// Why there is no candidate.
const TOO_DEPENDENT: &str = "each repetition depends on too much of the one before for tiles in a cache";

/// The commands of some repetitions.
pub(super) fn block(phases: &[Vec<Op>], phase: usize, steps: u64) -> Vec<&Op> {
    let phases = phases.iter().cycle().skip(phase);
    phases.take(steps as usize).flatten().collect()
}

impl Choice {
    /// For a replay of so many repetitions, at least 2.
    pub(super) fn of(setting: TilingSetting, phases: &[Vec<Op>], threads: usize, times: u64) -> Self {
        let loop_ = Loop::new(phases, threads);
        match setting {
            TilingSetting::Off => Self::Plain("the property `tiling` is `off`".into()),
            TilingSetting::Steps(steps) => loop_.forced(steps),
            TilingSetting::Auto if loop_.has_host_work() => loop_.unmeasured(),
            TilingSetting::Auto => loop_.modelled(times),
        }
    }
}

struct Loop<'a> {
    phases: &'a [Vec<Op>],
    threads: usize,
    /// Bytes that the repetitions touch.
    bytes: u64,
    /// Units of the command that has most of them.
    units: u64,
}

impl<'a> Loop<'a> {
    fn new(phases: &'a [Vec<Op>], threads: usize) -> Self {
        let mut touched = Addresses::default();
        for op in phases.iter().flatten() {
            op.touches.iter().filter_map(|touch| touch.of(&(0..op.units))).for_each(|interval| touched.add(interval));
        }
        let units = phases.iter().flatten().map(|op| op.units).max().unwrap_or(0);
        Self { phases, threads, bytes: touched.bytes(), units }
    }

    fn schedule(&self, steps: u64, tiles: usize) -> Schedule {
        schedule(&block(self.phases, 0, steps), tiles, None)
    }

    fn candidate(&self, steps: u64, tiles: usize) -> Candidate {
        Candidate { steps, tiles, chunk: None, bytes: self.bytes / tiles.max(1) as u64 }
    }

    /// Most repetitions for so many tiles.
    fn most_steps(&self, tiles: u64) -> u64 {
        let commands = self.phases.first().map_or(1, Vec::len).max(1) as u64;
        (MOST_COMMANDS / commands).min(MOST_PIECES / (commands * tiles)).min(TilingSetting::MOST_STEPS)
    }

    /// Tiles of so many repetitions, whatever that is good for.
    fn forced(&self, steps: u64) -> Choice {
        let wanted = self.bytes.div_ceil(processor::l2_bytes() / 2);
        let least = 2 * self.threads as u64;
        let mut tiles = wanted.clamp(least, self.units.max(least));
        let steps = steps.min(self.most_steps(tiles));
        if steps < 2 {
            return Choice::Plain(format!("a repetition has too many commands for {tiles} tiles"));
        }
        loop {
            let schedule = self.schedule(steps, tiles as usize);
            if schedule.in_tiles >= LEAST_IN_TILES || tiles == 1 {
                let percent = 100.0 * schedule.in_tiles;
                let reason =
                    format!("{tiles} tiles, which do {percent:.0} % of the work, as the property `tiling` asks");
                return Choice::Tiles { candidate: self.candidate(steps, tiles as usize), reason };
            }
            tiles = (tiles / 2).max(1);
        }
    }

    fn has_host_work(&self) -> bool {
        self.phases.iter().flatten().any(|op| op.is_host)
    }

    /// Why a loop is too small for tiles, if it is.
    fn too_small(&self) -> Option<String> {
        let l2 = processor::l2_bytes();
        if self.bytes > 2 * l2 * self.threads as u64 {
            return None;
        }
        let (all, cache) = (self.bytes >> 10, l2 >> 10);
        let threads = match self.threads {
            1 => String::new(),
            threads => format!(" of each of {threads} threads"),
        };
        Some(format!("the loop works on {all} KiB, which the second cache of {cache} KiB{threads} nearly holds"))
    }

    /// What may be good for replays of so many repetitions: tiles that fit the second cache, a sweep in it, and one in the third.
    fn candidates(&self, times: u64) -> impl Iterator<Item = Candidate> {
        let l2 = processor::l2_bytes();
        let third = processor::l3_bytes().map(|bytes| bytes / (2 * self.threads as u64));
        let swept = [Some(l2 / 2), third].into_iter().flatten().filter_map(move |bytes| self.swept(bytes, times));
        self.fitting(l2 / 2, times).into_iter().chain(swept)
    }

    /// The model's first candidate.
    fn unmeasured(&self) -> Choice {
        if let Some(reason) = self.too_small() {
            return Choice::Plain(reason);
        }
        let work: f64 = self.phases.iter().flatten().map(|op| op.weight * op.units as f64).sum();
        let each = work / (self.phases.len() as u64 * self.bytes) as f64;
        if each > MOST_OPERATIONS {
            return Choice::Plain(format!("{each:.0} operations for each byte take longer than memory does"));
        }
        let Some(mut candidate) = self.candidates(ENOUGH_STEPS).next() else {
            return Choice::Plain(TOO_DEPENDENT.into());
        };
        // Parts that differ by a point come to the same number.
        let cycles = 8 * self.phases.len() as u64;
        if candidate.steps >= cycles {
            candidate.steps -= candidate.steps % cycles;
        }
        let (tiles, bytes) = (candidate.tiles, candidate.bytes >> 10);
        let how = if candidate.chunk.is_some() { "swept, with" } else { "of" };
        let reason = format!("{tiles} tiles {how} {bytes} KiB, by a model, so that all ranks do the same");
        Choice::Tiles { candidate, reason }
    }

    fn modelled(&self, times: u64) -> Choice {
        if let Some(reason) = self.too_small() {
            return Choice::Plain(reason);
        }
        let mut key = DefaultHasher::new();
        (self.threads, self.bytes, times.min(ENOUGH_STEPS).ilog2()).hash(&mut key);
        for op in self.phases.first().into_iter().flatten() {
            (op.units, op.weight.to_bits()).hash(&mut key);
            op.touches.iter().for_each(|t| (t.writes, &t.units, t.slope, t.reach[1] - t.reach[0]).hash(&mut key));
        }
        let key = key.finish();
        let known =
            DECIDED.lock().unwrap_or_else(PoisonError::into_inner).as_ref().and_then(|all| all.get(&key).cloned());
        match known {
            Some((Some(candidate), reason)) => return Choice::Tiles { candidate, reason },
            Some((None, reason)) => return Choice::Plain(reason),
            None => {}
        }
        let mut candidates: Vec<Candidate> = Vec::new();
        for candidate in self.candidates(times) {
            if !candidates.contains(&candidate) {
                candidates.push(candidate);
            }
        }
        if candidates.is_empty() {
            if times < ENOUGH_STEPS {
                return Choice::Open { most_steps: times };
            }
            return Choice::Plain(TOO_DEPENDENT.into());
        }
        let steps = candidates.iter().map(|candidate| candidate.steps).min().unwrap_or(2);
        candidates.insert(0, Candidate { steps: steps.min(4), tiles: 0, chunk: None, bytes: self.bytes });
        let measured = vec![(f64::INFINITY, 0); candidates.len()];
        Choice::Trials(Trials { candidates, measured, key })
    }

    /// Tiles of so many bytes, with as many repetitions as are good for them.
    fn fitting(&self, bytes: u64, times: u64) -> Option<Candidate> {
        let tiles = self.bytes.div_ceil(bytes).next_multiple_of(self.threads as u64);
        if tiles < 2 || 2 * tiles > self.units {
            return None;
        }
        let steps = self.steps_within(tiles, times, u64::MAX)?;
        let schedule = self.schedule(steps, tiles as usize);
        let is_good = schedule.in_tiles >= LEAST_IN_TILES && schedule.largest <= 4.0 / tiles as f64;
        is_good.then(|| self.candidate(steps, tiles as usize))
    }

    /// Large tiles, swept with as many repetitions as so many bytes hold.
    fn swept(&self, bytes: u64, times: u64) -> Option<Candidate> {
        let tiles = TILES_PER_THREAD * self.threads as u64;
        if 4 * tiles > self.units {
            return None;
        }
        let steps = self.steps_within(tiles, times, bytes)?;
        // The chunk is a sixth of what the cache holds, and not less than is worth a call.
        let chunk = (bytes as f64 / 6.0).min(MOST_CHUNK) / self.bytes as f64;
        let candidate = Candidate { steps, tiles: tiles as usize, chunk: Some(chunk), bytes };
        let schedule = candidate.schedule(&block(self.phases, 0, steps));
        // A sweep that an early command holds up is none.
        let longest = schedule.longest_piece(&block(self.phases, 0, steps));
        let is_good = schedule.in_tiles >= LEAST_IN_TILES
            && schedule.largest <= 4.0 / tiles as f64
            && longest <= (4.0 * chunk).max(0.25 / tiles as f64);
        is_good.then_some(candidate)
    }

    /// Repetitions that leave three fifths of the work to so many tiles, and of which a sweep is as wide as so many bytes.
    fn steps_within(&self, tiles: u64, times: u64, bytes: u64) -> Option<u64> {
        // A tile gives up the same from each repetition to the next.
        let shrinks = 1.0 - self.schedule(3, tiles as usize).in_tiles;
        let most = self.most_steps(tiles).min(ENOUGH_STEPS).min(times);
        let by_tiles = if shrinks <= 0.0 { most } else { 1 + (0.8 / shrinks) as u64 };
        // From one repetition to the next a sweep is that much wider, on one side.
        let wider = (self.bytes as f64 / tiles as f64 * shrinks / 2.0).max(self.bytes as f64 / self.units as f64);
        let by_bytes = if bytes == u64::MAX { most } else { (bytes as f64 * 0.7 / wider) as u64 };
        let steps = most.min(by_tiles).min(by_bytes);
        let phases = self.phases.len() as u64;
        // Whole cycles of the rotation need one schedule.
        let steps = if steps >= phases { steps - steps % phases } else { steps };
        (steps >= 2).then_some(steps)
    }
}

/// What was decided for loops, by their keys: tiles or none, and why.
type Decided = HashMap<u64, (Option<Candidate>, String)>;

static DECIDED: Mutex<Option<Decided>> = Mutex::new(None);

/// Loops that are remembered.
const MOST_DECIDED: usize = 1000;

impl Trials {
    /// The candidate that was measured least often.
    pub(super) fn next(&self) -> usize {
        (0..self.candidates.len()).min_by_key(|&index| self.measured[index].1).unwrap_or(0)
    }

    pub(super) fn took(&mut self, trial: usize, elapsed: Duration) {
        let (best, count) = &mut self.measured[trial];
        *best = best.min(elapsed.as_nanos() as f64 / self.candidates[trial].steps as f64);
        *count += 1;
    }

    /// The choice, once all were measured.
    pub(super) fn decided(&self) -> Option<Choice> {
        if self.measured.iter().any(|&(_, count)| count < ROUNDS) {
            return None;
        }
        let plain = self.measured[0].0;
        let best = (1..self.candidates.len()).min_by(|&a, &b| self.measured[a].0.total_cmp(&self.measured[b].0))?;
        let ratio = plain / self.measured[best].0;
        let candidate = self.candidates[best].clone();
        let (tiles, bytes) = (candidate.tiles, candidate.bytes >> 10);
        let how = if candidate.chunk.is_some() { "swept, with" } else { "of" };
        let reason = format!("{tiles} tiles {how} {bytes} KiB, measured {ratio:.2} times as fast as one step a pass");
        let mut decided = DECIDED.lock().unwrap_or_else(PoisonError::into_inner);
        let decided = decided.get_or_insert_default();
        if decided.len() == MOST_DECIDED {
            decided.clear();
        }
        if ratio < WORTH {
            let reason = format!("the best tiling was {reason}");
            decided.insert(self.key, (None, reason.clone()));
            return Some(Choice::Plain(reason));
        }
        decided.insert(self.key, (Some(candidate.clone()), reason.clone()));
        Some(Choice::Tiles { candidate, reason })
    }
}
