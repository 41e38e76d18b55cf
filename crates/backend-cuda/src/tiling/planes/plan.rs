//! A loop over planes, as its text and its passes need it. [`super::planner`] makes it.
//!
//! What the loop is says [`BoxLoop`]; here is how large tiles are, and whose text runs them.

use crate::kernel::Module;
use ferrocca_core::backend::boxes::{BoxLoop, Tile};
use std::sync::Arc;

/// What a thread takes of registers beside the values that it holds.
const OTHER_REGISTERS: i64 = 24;

/// A loop over planes.
pub(in crate::tiling) struct Plan {
    pub(super) recorded: BoxLoop,
    pub(super) program: Arc<Module>,
    pub(super) steps: u64,
    pub(super) tile: Tile,
    /// Planes of a block.
    pub(super) chunk: i64,
    pub(super) value_bytes: usize,
}

/// Registers of all threads of a tile: what they hold, and what they take beside that.
pub(super) fn registers(recorded: &BoxLoop, steps: u64, tile: Tile) -> i64 {
    let values = tile.points * (2 * steps as i64 * recorded.reach[2] + 3);
    tile.threads() * (values * recorded.element_bytes / 4 + OTHER_REGISTERS)
}

impl Plan {
    /// Blocks of tiles along x and y, and of chunks along z.
    pub(super) fn blocks(&self) -> [i64; 3] {
        self.recorded.blocks(self.steps, self.tile, self.chunk)
    }

    /// Points along x and y that a tile writes.
    pub(super) fn own(&self) -> [i64; 2] {
        self.tile.own(self.steps, self.recorded.reach)
    }

    pub(super) fn shared_bytes(&self) -> i64 {
        self.tile.shared_bytes(self.steps, self.recorded.reach, self.recorded.element_bytes)
    }

    /// Repetitions of the next pass, if there are `left` of them. The last one runs as it was recorded: it writes all of the buffer
    /// that the pass has left behind.
    pub(in crate::tiling) fn pass(&self, left: u64) -> Option<u64> {
        (left > self.steps).then_some(self.steps)
    }
}
