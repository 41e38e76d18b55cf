//! How many repetitions a pass does, and in how many tiles: a model, refined by measuring the first replays.
//!
//! The model: a tile fills half of a core's second cache, and does as many repetitions as leave three fifths of the work to the
//! tiles; or tiles are large and swept, and do as many repetitions as the second or the third cache holds what lies between the
//! first and the last of. The trials are repetitions that were
//! asked for anyway, so that measuring costs only what a worse choice takes longer. What was decided is kept for the
//! process, for loops of the same commands and sizes.

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
    /// Of each candidate the least time of a repetition, in nanoseconds.
    times: Vec<f64>,
    /// How often each was tried.
    counts: Vec<u32>,
    /// Of the loop among those that are remembered.
    key: Option<u64>,
}

/// What may be good for a loop: tiles that fit the second cache, a sweep in the second and one in the third, and what the property
/// asks for.
pub(super) type Proposals = [Option<Candidate>; 4];

/// How often each candidate is tried. The first time also fetches pages and wakes threads.
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

/// The commands of some repetitions.
pub(super) fn block(phases: &[Vec<Op>], phase: usize, steps: u64) -> Vec<&Op> {
    let phases = phases.iter().cycle().skip(phase);
    phases.take(steps as usize).flatten().collect()
}

impl Choice {
    /// For a replay of so many repetitions, at least 2.
    pub(super) fn of(setting: TilingSetting, phases: &[Vec<Op>], threads: usize, times: u64) -> Self {
        let loop_ = Loop::new(phases, threads);
        let proposals = match loop_.proposals(setting, times) {
            Ok(proposals) => proposals,
            Err(reason) => return Self::Plain(reason),
        };
        if let [.., Some(asked)] = proposals {
            return loop_.as_asked(asked);
        }
        let key = loop_.key(times);
        let known = DECIDED.lock().unwrap_or_else(PoisonError::into_inner);
        match known.as_ref().and_then(|all| all.get(&key).cloned()) {
            Some((Some(candidate), reason)) => return Self::Tiles { candidate, reason },
            Some((None, reason)) => return Self::Plain(reason),
            None => drop(known),
        }
        let mut candidates: Vec<Candidate> = Vec::new();
        for candidate in proposals.into_iter().flatten() {
            if !candidates.contains(&candidate) {
                candidates.push(candidate);
            }
        }
        match candidates.is_empty() {
            true if times < ENOUGH_STEPS => Self::Open { most_steps: times },
            true => Self::Plain(TOO_DEPENDENT.to_owned()),
            false => Self::Trials(loop_.trials(candidates, Some(key))),
        }
    }
}

/// Why no candidate is good.
pub(super) const TOO_DEPENDENT: &str = "each repetition depends on too much of the one before for tiles in a cache";

pub(super) struct Loop<'a> {
    phases: &'a [Vec<Op>],
    threads: usize,
    /// Bytes that the repetitions touch.
    bytes: u64,
    /// Units of the command that has most of them.
    units: u64,
}

impl<'a> Loop<'a> {
    pub(super) fn new(phases: &'a [Vec<Op>], threads: usize) -> Self {
        let mut touched = Addresses::default();
        for op in phases.iter().flatten() {
            op.touches.iter().filter_map(|touch| touch.of(&(0..op.units))).for_each(|interval| touched.add(interval));
        }
        let units = phases.iter().flatten().map(|op| op.units).max().unwrap_or(0);
        Self { phases, threads, bytes: touched.bytes(), units }
    }

    /// What a model proposes for replays of so many repetitions, or the property asks for. The error says why there is nothing.
    pub(super) fn proposals(&self, setting: TilingSetting, times: u64) -> std::result::Result<Proposals, String> {
        match setting {
            TilingSetting::Off => return Err("the property `tiling` is `off`".into()),
            TilingSetting::Steps(steps) => return Ok([None, None, None, Some(self.asked(steps)?)]),
            TilingSetting::Auto => {}
        }
        let l2 = processor::l2_bytes();
        if self.bytes <= 2 * l2 * self.threads as u64 {
            let (all, cache) = (self.bytes >> 10, l2 >> 10);
            let threads = match self.threads {
                1 => String::new(),
                threads => format!(" of each of {threads} threads"),
            };
            return Err(format!(
                "the loop works on {all} KiB, which the second cache of {cache} KiB{threads} nearly holds"
            ));
        }
        let third = processor::l3_bytes().map(|bytes| bytes / (2 * self.threads as u64));
        let in_third = third.and_then(|bytes| self.swept(bytes, times));
        Ok([self.fitting(l2 / 2, times), self.swept(l2 / 2, times), in_third, None])
    }

    /// A loop like this one has the same.
    fn key(&self, times: u64) -> u64 {
        let mut key = DefaultHasher::new();
        (self.threads, self.bytes, times.min(ENOUGH_STEPS).ilog2()).hash(&mut key);
        for op in self.phases.first().into_iter().flatten() {
            (op.units, op.weight.to_bits()).hash(&mut key);
            op.touches.iter().for_each(|t| (t.writes, &t.units, t.slope, t.reach[1] - t.reach[0]).hash(&mut key));
        }
        key.finish()
    }

    /// Candidates, at least one, beside the loop without tiles.
    pub(super) fn trials(&self, mut candidates: Vec<Candidate>, key: Option<u64>) -> Trials {
        let steps = candidates.iter().map(|candidate| candidate.steps).min().unwrap_or(2);
        candidates.insert(0, Candidate { steps: steps.min(4), tiles: 0, chunk: None, bytes: self.bytes });
        let (times, counts) = (vec![f64::INFINITY; candidates.len()], vec![0; candidates.len()]);
        Trials { candidates, times, counts, key }
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
    fn asked(&self, steps: u64) -> std::result::Result<Candidate, String> {
        let wanted = self.bytes.div_ceil(processor::l2_bytes() / 2);
        let least = 2 * self.threads as u64;
        let mut tiles = wanted.clamp(least, self.units.max(least));
        let steps = steps.min(self.most_steps(tiles));
        if steps < 2 {
            return Err(format!("a repetition has too many commands for {tiles} tiles"));
        }
        while tiles > 1 && self.schedule(steps, tiles as usize).in_tiles < LEAST_IN_TILES {
            tiles /= 2;
        }
        Ok(self.candidate(steps, tiles as usize))
    }

    /// The choice of what the property asks for.
    pub(super) fn as_asked(&self, candidate: Candidate) -> Choice {
        let (tiles, percent) = (candidate.tiles, 100.0 * self.schedule(candidate.steps, candidate.tiles).in_tiles);
        let reason = format!("{tiles} tiles, which do {percent:.0} % of the work, as the property `tiling` asks");
        Choice::Tiles { candidate, reason }
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
    /// The candidate that was tried least often.
    pub(super) fn next(&self) -> usize {
        (0..self.candidates.len()).min_by_key(|&index| self.counts[index]).unwrap_or(0)
    }

    /// A trial is over; `None` where it was not measured.
    pub(super) fn took(&mut self, trial: usize, elapsed: Option<Duration>) {
        if let Some(elapsed) = elapsed {
            let each = elapsed.as_nanos() as f64 / self.candidates[trial].steps as f64;
            self.times[trial] = self.times[trial].min(each);
        }
        self.counts[trial] += 1;
    }

    pub(super) fn are_done(&self) -> bool {
        self.counts.iter().all(|&count| count >= ROUNDS)
    }

    /// Of each candidate the least time of a repetition, in nanoseconds; infinite where none was measured.
    pub(super) fn times_mut(&mut self) -> &mut [f64] {
        &mut self.times
    }

    /// The choice, once all were tried.
    pub(super) fn decided(&self) -> Choice {
        let best = (1..self.candidates.len()).min_by(|&a, &b| self.times[a].total_cmp(&self.times[b])).unwrap_or(0);
        let ratio = self.times[0] / self.times[best];
        if !ratio.is_finite() {
            return Choice::Plain(
                "replays are too short to measure what several repetitions in a pass would gain".into(),
            );
        }
        let candidate = self.candidates[best].clone();
        let (tiles, bytes) = (candidate.tiles, candidate.bytes >> 10);
        let how = if candidate.chunk.is_some() { "swept, with" } else { "of" };
        let reason = format!("{tiles} tiles {how} {bytes} KiB, measured {ratio:.2} times as fast as one step a pass");
        let (candidate, reason) = match ratio < WORTH {
            true => (None, format!("the best tiling was {reason}")),
            false => (Some(candidate), reason),
        };
        if let Some(key) = self.key {
            let mut decided = DECIDED.lock().unwrap_or_else(PoisonError::into_inner);
            let decided = decided.get_or_insert_default();
            if decided.len() == MOST_DECIDED {
                decided.clear();
            }
            decided.insert(key, (candidate.clone(), reason.clone()));
        }
        match candidate {
            Some(candidate) => Choice::Tiles { candidate, reason },
            None => Choice::Plain(reason),
        }
    }
}
