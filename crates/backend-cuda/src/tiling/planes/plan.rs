//! A loop over planes, as its text and its passes need it. [`super::planner`] makes it.
//!
//! A plan holds no address, so that one text serves the same loop on other memory.

use super::lattice::{Box3, Lattice, shrunk};
use crate::kernel::Module;
use std::sync::Arc;

/// What a thread takes of registers beside the values that it holds.
const OTHER_REGISTERS: i64 = 24;

/// A loop over planes.
pub(in crate::tiling) struct Plan {
    pub(super) program: Arc<Module>,
    /// The main launch: its kernel, the items of a group along each of its axes, and its arguments.
    pub(super) entry: String,
    pub(super) group: [u64; 3],
    pub(super) arguments: Vec<Argument>,
    pub(super) lattice: Lattice,
    /// The element of the state that is point 0, 0, 0.
    pub(super) origin: i64,
    /// The axis of the launch that runs along x, y, z.
    pub(super) axes: [Option<usize>; 3],
    /// Coordinates of the item at place 0.
    pub(super) first: [i64; 3],
    /// The points that the main launch writes.
    pub(super) points: Box3,
    /// How far it reads along x, y, z.
    pub(super) reach: [i64; 3],
    /// Layers of the box that tiles leave to the launches beside them.
    pub(super) depth: i64,
    pub(super) element_bytes: i64,
    pub(super) steps: u64,
    pub(super) tile: Tile,
    /// Planes of a block.
    pub(super) chunk: i64,
    /// Buffers that are read in place.
    pub(super) in_place: usize,
    pub(super) value_bytes: usize,
}

/// The threads of a block, side by side along x and y, and the points of each, one behind the other along y.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tile {
    pub(super) width: i64,
    pub(super) rows: i64,
    pub(super) points: i64,
}

/// An argument of the main launch.
#[derive(Clone, Debug)]
pub(super) enum Argument {
    /// Where its bytes begin among the values, and what they are now.
    Value(usize, Vec<u8>),
    /// The state, and where it goes: the argument begins so many elements into the buffer.
    State(i64),
    Next(i64),
    /// The number of a buffer that is read in place, and where the argument begins in it, in elements.
    InPlace(usize, i64),
    Null,
}

impl Tile {
    /// Points along x and y.
    pub(super) fn size(self) -> [i64; 2] {
        [self.width, self.rows * self.points]
    }

    pub(super) fn threads(self) -> i64 {
        self.width * self.rows
    }

    /// Points along x and y that are right after so many steps, each of which reads so far.
    pub(super) fn own(self, steps: u64, reach: [i64; 3]) -> [i64; 2] {
        let [x, y] = self.size();
        [x - 2 * steps as i64 * reach[0], y - 2 * steps as i64 * reach[1]]
    }

    /// Bytes of shared memory: planes of each stage, with what is read beyond their edges.
    pub(super) fn shared_bytes(self, steps: u64, reach: [i64; 3], element_bytes: i64) -> i64 {
        steps as i64 * (reach[2] + 1) * self.plane(reach) * element_bytes
    }

    /// Registers of all threads: what they hold, and what they take beside that.
    pub(super) fn registers(self, steps: u64, reach: [i64; 3], element_bytes: i64) -> i64 {
        let values = self.points * (2 * steps as i64 * reach[2] + 3);
        self.threads() * (values * element_bytes / 4 + OTHER_REGISTERS)
    }

    /// Elements of a plane in shared memory.
    pub(super) fn plane(self, reach: [i64; 3]) -> i64 {
        let [x, y] = self.size();
        x * (y + 2 * reach[1]) + 2 * reach[0]
    }
}

impl Plan {
    /// The points of the box that tiles write.
    pub(super) fn middle(&self) -> Box3 {
        shrunk(&self.points, self.depth, self.lattice.axes())
    }

    /// The points that steps of a pass compute for those.
    pub(super) fn cone(&self) -> Box3 {
        let most = self.reach.iter().max().copied().unwrap_or(0);
        shrunk(&self.points, self.depth - (self.steps as i64 - 1) * most, self.lattice.axes())
    }

    /// Layers of the box that the launch beside the tiles writes in a step of a pass, of which the first one is 0.
    pub(super) fn layers(&self, step: u64) -> i64 {
        let most = self.reach.iter().max().copied().unwrap_or(0);
        self.depth + (self.steps - 1 - step) as i64 * most
    }

    /// The points that it leaves out: those that no later step needs beside tiles.
    pub(super) fn hole(&self, step: u64) -> Box3 {
        shrunk(&self.points, self.layers(step), self.lattice.axes())
    }

    /// Blocks of tiles along x and y, and of chunks along z.
    pub(super) fn blocks(&self) -> [i64; 3] {
        let [x, y, z] = self.middle().map(|range| range.end - range.start);
        let [own_x, own_y] = self.own();
        let blocks = |all: i64, own: i64| (all + own - 1) / own;
        [blocks(x, own_x), blocks(y, own_y), blocks(z, self.chunk)]
    }

    /// Points along x and y that a tile writes.
    pub(super) fn own(&self) -> [i64; 2] {
        self.tile.own(self.steps, self.reach)
    }

    pub(super) fn shared_bytes(&self) -> i64 {
        self.tile.shared_bytes(self.steps, self.reach, self.element_bytes)
    }

    /// Repetitions of the next pass, if there are `left` of them. The last one runs as it was recorded: it writes all of the buffer
    /// that the pass has left behind.
    pub(in crate::tiling) fn pass(&self, left: u64) -> Option<u64> {
        (left > self.steps).then_some(self.steps)
    }
}
