//! An order in which several repetitions of a loop run tile by tile: split tiling.
//!
//! The units of all commands of a block of repetitions are cut into *tiles*, stretches of the domain that shrink from command
//! to command, and the *wedges* between them, which grow as the tiles shrink. First all tiles run, in any order or at the
//! same time, each its commands in order; then all wedges do. A tile shrinks by what its next command would need of others,
//! or would take from them: no unit of a tile depends on a unit outside of the tile that comes before it in the order of the
//! commands. "Depends" means that both touch a byte which either writes: what is read has been written, nothing is
//! overwritten that is still to be read, and the last writer stays the last. So each unit sees what it sees when the
//! commands run one after the other, and makes the same bits. A unit runs once.
//!
//! Within a tile the commands may follow each other as a *sweep*: the first one goes ahead by a chunk, and each of the others as far
//! as what it depends on has run. Then the cache has to hold what lies between the first command and the last one, not all of
//! the tile, so that tiles can be large, and wedges few.
//!
//! Wedges that depend on each other become one. Where the domain is periodic those at its two ends do, and what a boundary
//! kernel does that no tile can run falls to one of them: a boundary is nothing special. So is an exchange with other ranks,
//! work of the host that no tile takes: tiles shrink from the elements that it touches, and the wedge at the ends of the domain has
//! one exchange after the other, as many as repetitions.
//!
//! Invariant: which tile gets which unit at first is a guess about speed alone; what may run in a tile is decided by
//! addresses.

use super::access::{Addresses, Interval, Op, Touch};
use std::ops::Range;

/// Units of a command, by the position of the command in the block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) op: usize,
    pub(crate) units: Range<u64>,
}

/// Pieces of tiles and wedges, each list in the order of the commands.
#[derive(Clone, Debug, Default)]
pub(crate) struct Schedule {
    pub(crate) tiles: Vec<Vec<Piece>>,
    pub(crate) wedges: Vec<Vec<Piece>>,
    /// The part of all work that tiles do.
    pub(crate) in_tiles: f64,
    /// The largest list's part of all work.
    pub(crate) largest: f64,
    /// The wedges from this one on have work of the host. They depend on no other wedge.
    pub(crate) first_of_host: usize,
}

/// Cuts a block of commands into so many tiles, at least 1. With `chunk`, a part of each command's units, tiles are swept.
pub(super) fn schedule(ops: &[&Op], count: usize, chunk: Option<f64>) -> Schedule {
    let cuts: Vec<Vec<u64>> = cuts(ops, count);
    let mut kept: Vec<Vec<Range<u64>>> = vec![Vec::with_capacity(count); ops.len()];
    for tile in 0..count {
        let mut foreign = Foreign::default();
        for (op, (cuts, kept)) in ops.iter().zip(cuts.iter().zip(&mut kept)) {
            let units = match op.is_host {
                true => 0..0,
                false => foreign.keep(op, cuts[tile]..cuts[tile + 1]),
            };
            foreign.add(op, &units);
            kept.push(units);
        }
    }
    let mut schedule = Schedule::default();
    for tile in 0..count {
        let units: Vec<Range<u64>> = kept.iter().map(|kept| kept[tile].clone()).collect();
        schedule.tiles.push(match chunk {
            Some(chunk) => sweep(ops, units, chunk),
            None => pieces(units.into_iter()),
        });
    }
    let gaps: Vec<Vec<Piece>> = (0..=count)
        .map(|gap| {
            pieces(ops.iter().zip(&kept).map(|(op, kept)| {
                let begin = gap.checked_sub(1).map_or(0, |before| kept[before].end);
                begin..kept.get(gap).map_or(op.units, |next| next.start)
            }))
        })
        .collect();
    schedule.wedges = merged(ops, gaps);
    let is_of_host = |pieces: &Vec<Piece>| pieces.iter().any(|piece| ops[piece.op].is_host);
    schedule.wedges.sort_by_key(is_of_host);
    schedule.first_of_host = schedule.wedges.partition_point(|pieces| !is_of_host(pieces));
    schedule.weigh(ops);
    schedule
}

fn pieces(units: impl Iterator<Item = Range<u64>>) -> Vec<Piece> {
    units.enumerate().filter(|(_, units)| !units.is_empty()).map(|(op, units)| Piece { op, units }).collect()
}

/// The units of a tile, the first command ahead of the others.
fn sweep(ops: &[&Op], mut left: Vec<Range<u64>>, chunk: f64) -> Vec<Piece> {
    let mut pieces = Vec::new();
    while left.iter().any(|units| !units.is_empty()) {
        let mut pending = Foreign::default();
        for (index, (op, left)) in ops.iter().zip(&mut left).enumerate() {
            let mut units = pending.prefix(op, left.clone());
            // What depends on nothing that is pending goes ahead only so far.
            let most = (op.units as f64 * chunk).ceil().max(1.0) as u64;
            units.end = units.end.min(units.start + most);
            left.start = units.end;
            pending.add_units(op, left);
            if !units.is_empty() {
                pieces.push(Piece { op: index, units });
            }
        }
    }
    pieces
}

impl Schedule {
    /// The largest piece of a tile, as a part of its command.
    pub(super) fn longest_piece(&self, ops: &[&Op]) -> f64 {
        let part = |piece: &Piece| (piece.units.end - piece.units.start) as f64 / ops[piece.op].units as f64;
        self.tiles.iter().flatten().map(part).fold(0.0, f64::max)
    }

    fn weigh(&mut self, ops: &[&Op]) {
        let weight = |piece: &Piece| (piece.units.end - piece.units.start) as f64 * ops[piece.op].weight;
        let list = |pieces: &Vec<Piece>| pieces.iter().map(weight).sum::<f64>();
        let all: f64 = ops.iter().map(|op| op.units as f64 * op.weight).sum();
        let tiles: f64 = self.tiles.iter().map(list).sum();
        let largest = self.tiles.iter().chain(&self.wedges).map(list).fold(0.0, f64::max);
        (self.in_tiles, self.largest) = (tiles / all, largest / all);
    }
}

/// What units outside of a tile have touched, in the commands so far.
#[derive(Default)]
struct Foreign {
    read: Addresses,
    written: Addresses,
}

impl Foreign {
    /// The part of some units that depends on nothing here.
    fn keep(&self, op: &Op, mut units: Range<u64>) -> Range<u64> {
        for touch in &op.touches {
            let read = if touch.writes { self.read.intervals() } else { &[] };
            for &interval in read.iter().chain(self.written.intervals()) {
                let met = touch.meets(interval);
                let (begin, end) = (met.start.max(units.start), met.end.min(units.end));
                if begin >= end {
                    continue;
                }
                // The longer part of what is left.
                if begin - units.start > units.end - end {
                    units.end = begin;
                } else {
                    units.start = end;
                }
            }
        }
        units
    }

    /// The first of some units, up to one that depends on something here.
    fn prefix(&self, op: &Op, mut units: Range<u64>) -> Range<u64> {
        for touch in &op.touches {
            let read = if touch.writes { self.read.intervals() } else { &[] };
            for &interval in read.iter().chain(self.written.intervals()) {
                let met = touch.meets(interval);
                if met.start < units.end && met.end > units.start {
                    units.end = met.start.max(units.start);
                }
            }
        }
        units
    }

    /// Adds what the units of a command touch but for those that are kept.
    fn add(&mut self, op: &Op, kept: &Range<u64>) {
        self.add_units(op, &(0..kept.start));
        self.add_units(op, &(kept.end..op.units));
    }

    fn add_units(&mut self, op: &Op, units: &Range<u64>) {
        for touch in &op.touches {
            let set = if touch.writes { &mut self.written } else { &mut self.read };
            touch.of(units).into_iter().for_each(|interval| set.add(interval));
        }
    }
}

/// For each command where the tiles begin before they shrink, and the end: the same stretches of the memory that it mainly
/// works on.
fn cuts(ops: &[&Op], count: usize) -> Vec<Vec<u64>> {
    let heaviest = ops.iter().max_by(|a, b| (a.weight * a.units as f64).total_cmp(&(b.weight * b.units as f64)));
    let Some(heaviest) = heaviest else { return Vec::new() };
    let leading = primary(heaviest);
    let position = |tile: usize| {
        let unit = (u128::from(heaviest.units) * tile as u128 / count as u128) as u64;
        leading.and_then(|touch| Some(relative(touch, touch.of(&(unit..unit + 1))?[0])))
    };
    let positions: Vec<Option<f64>> = (1..count).map(position).collect();
    ops.iter()
        .map(|op| {
            let mut cuts = vec![0];
            for (tile, position) in (1..count).zip(&positions) {
                let by_count = || (u128::from(op.units) * tile as u128 / count as u128) as u64;
                let by_position = |position: &f64| primary(op).map(|touch| unit_at(touch, *position));
                let cut = position.as_ref().and_then(by_position).unwrap_or_else(by_count);
                cuts.push(cut.clamp(cuts[tile - 1], op.units));
            }
            cuts.push(op.units);
            cuts
        })
        .collect()
}

/// The access that says where a command works: what it writes most of, or reads where it writes nothing.
fn primary(op: &Op) -> Option<&Touch> {
    op.touches.iter().max_by_key(|touch| (touch.writes, touch.within[1] - touch.within[0]))
}

/// Where an address lies in its memory, from 0 to 1.
fn relative(touch: &Touch, address: i64) -> f64 {
    let [begin, end] = touch.memory;
    (address - begin) as f64 / (end - begin).max(1) as f64
}

/// The first unit that begins at or behind a position.
fn unit_at(touch: &Touch, position: f64) -> u64 {
    let [begin, end] = touch.memory;
    let address = begin as f64 + position * (end - begin) as f64;
    let first = touch.reach[0] as f64;
    if touch.slope > 0 {
        // A unit that begins a byte earlier, because of rounding here, is this one.
        return ((address - first - 0.5) / touch.slope as f64).ceil().max(0.0) as u64;
    }
    if first < address { touch.units.end } else { 0 }
}

/// What the pieces of a wedge touch.
fn touched(ops: &[&Op], pieces: &[Piece]) -> Vec<(Interval, bool)> {
    let (mut read, mut written) = (Addresses::default(), Addresses::default());
    for piece in pieces {
        for touch in &ops[piece.op].touches {
            let set = if touch.writes { &mut written } else { &mut read };
            touch.of(&piece.units).into_iter().for_each(|interval| set.add(interval));
        }
    }
    let reads = read.intervals().iter().map(|&interval| (interval, false));
    reads.chain(written.intervals().iter().map(|&interval| (interval, true))).collect()
}

/// Makes one wedge of those that depend on each other.
fn merged(ops: &[&Op], gaps: Vec<Vec<Piece>>) -> Vec<Vec<Piece>> {
    let mut intervals: Vec<(Interval, bool, usize)> = Vec::new();
    for (gap, pieces) in gaps.iter().enumerate() {
        intervals.extend(touched(ops, pieces).into_iter().map(|(interval, writes)| (interval, writes, gap)));
    }
    intervals.sort_unstable();
    let mut parents: Vec<usize> = (0..gaps.len()).collect();
    let mut open: Vec<(i64, bool, usize)> = Vec::new();
    for &([begin, end], writes, gap) in &intervals {
        open.retain(|&(end, ..)| end > begin);
        for &(_, other_writes, other) in &open {
            if writes || other_writes {
                let (a, b) = (root(&parents, gap), root(&parents, other));
                parents[a.max(b)] = a.min(b);
            }
        }
        open.push((end, writes, gap));
    }
    let mut wedges: Vec<Vec<Piece>> = vec![Vec::new(); gaps.len()];
    for (gap, pieces) in gaps.into_iter().enumerate() {
        wedges[root(&parents, gap)].extend(pieces);
    }
    wedges.retain(|pieces| !pieces.is_empty());
    // Of several gaps the pieces of one command follow each other.
    wedges.iter_mut().for_each(|pieces| pieces.sort_by_key(|piece| (piece.op, piece.units.start)));
    wedges
}

fn root(parents: &[usize], mut gap: usize) -> usize {
    while parents[gap] != gap {
        gap = parents[gap];
    }
    gap
}
