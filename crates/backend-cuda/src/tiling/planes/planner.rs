//! Whether a recorded loop can run over planes, and how: how large tiles are and how many repetitions a pass does.

use super::plan::{Plan, registers};
use crate::tiling::planner;
use ferrocca_core::backend::boxes::{self, BoxLoop, Tile};
use ferrocca_core::backend::rows::{Binding, Ends, Result, refuse};
use ferrocca_core::backend::{GraphCommand, TilingSetting};
use std::ops::Range;

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

/// Plans a loop.
pub(in crate::tiling) fn plan(phases: &[Vec<GraphCommand>], setting: TilingSetting, limits: Limits) -> Result<Planned> {
    plan_in(phases, setting, limits, [&TILES_OF_PLANES, &TILES_OF_VOLUMES])
}

/// The same with other tiles for loops over two axes, and over three.
pub(super) fn plan_in(
    phases: &[Vec<GraphCommand>],
    setting: TilingSetting,
    limits: Limits,
    [of_planes, of_volumes]: [&[Tile]; 2],
) -> Result<Planned> {
    let commands = planner::commands(phases, Ends::Shared)?;
    boxes::main_launch(&commands[0])?;
    let programs = planner::programs(&commands[0][..1])?;
    let Some((program, _)) = programs.into_iter().next() else { return refuse("no launch is recorded") };
    let (recorded, binding, states) = boxes::plan(&commands)?;
    if setting == TilingSetting::Auto {
        boxes::check_memory(states[0].end - states[0].start, limits.cache_bytes, limits.free_bytes)?;
    }
    let (tiles, usual) = match recorded.is_volume() {
        true => (of_volumes, STEPS_OF_VOLUMES),
        false => (of_planes, STEPS_OF_PLANES),
    };
    let fits = |steps: u64, tile: Tile| {
        registers(&recorded, steps, tile) <= REGISTERS
            && tile.shared_bytes(steps, recorded.reach, recorded.element_bytes) <= limits.shared_bytes as i64
    };
    let (steps, tile) = recorded.shape(setting, usual, tiles, &fits)?;
    let chunk = recorded.chunk(steps, tile, at_once(&recorded, steps, tile, limits));
    let value_bytes = binding.values.len();
    Ok(Planned { plan: Plan { recorded, program, steps, tile, chunk, value_bytes }, binding, states })
}

/// Blocks of a tile that run at a time.
fn at_once(recorded: &BoxLoop, steps: u64, tile: Tile, limits: Limits) -> i64 {
    let shared_bytes = tile.shared_bytes(steps, recorded.reach, recorded.element_bytes);
    let per_multiprocessor =
        (REGISTERS / registers(recorded, steps, tile)).min(limits.shared_bytes as i64 / shared_bytes);
    (limits.multiprocessors as i64 * per_multiprocessor).max(1)
}
