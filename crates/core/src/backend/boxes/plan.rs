//! A loop over several axes in terms of a box of points. [`super::plan`] makes it.
//!
//! A plan holds no address, so that one text serves the same loop on other memory.

use super::lattice::{Box3, Lattice, shrunk};

/// A loop over several axes.
#[derive(Debug)]
pub struct BoxLoop {
    /// Name of the main launch's device kernel.
    pub entry: String,
    /// Items of a group of it along each of its axes.
    pub group: [u64; 3],
    /// Its arguments.
    pub arguments: Vec<Argument>,
    /// How the elements of the state lie.
    pub lattice: Lattice,
    /// The element of the state that is point 0, 0, 0.
    pub origin: i64,
    /// The axis of the launch that runs along x, y, z.
    pub axes: [Option<usize>; 3],
    /// Coordinates of the item at place 0.
    pub first: [i64; 3],
    /// The points that the main launch writes.
    pub points: Box3,
    /// How far it reads along x, y, z.
    pub reach: [i64; 3],
    /// Layers of the box that are read at other places than the others, or by launches beside the main one.
    pub read_layers: i64,
    /// Layers whose points the main launch does otherwise, or launches beside it write, or from which tiles would read beyond the
    /// memory.
    pub changed_layers: i64,
    /// Bytes of an element of the state: 4 or 8.
    pub element_bytes: i64,
    /// Buffers that are read in place.
    pub in_place: usize,
}

/// An argument of the main launch.
#[derive(Clone, Debug)]
pub enum Argument {
    /// Where its bytes begin among the values, and what they are now.
    Value(usize, Vec<u8>),
    /// The state: the argument begins so many elements into the buffer.
    State(i64),
    /// Where the state goes, likewise.
    Next(i64),
    /// The number of a buffer that is read in place, and where the argument begins in it, in elements.
    InPlace(usize, i64),
    /// No memory, or some that nobody reads.
    Null,
}

impl BoxLoop {
    /// Whether it goes over three axes; else over two, x and z.
    pub fn is_volume(&self) -> bool {
        self.axes[1].is_some()
    }

    /// How far the main launch reads along the axis along which it reads farthest.
    pub fn most_reach(&self) -> i64 {
        self.reach.iter().max().copied().unwrap_or(0)
    }

    /// Layers of the box that tiles leave to the launches beside them, in passes of so many steps.
    pub fn depth(&self, steps: u64) -> i64 {
        self.read_layers.max(self.changed_layers + (steps as i64 - 1) * self.most_reach())
    }

    /// The points of the box that tiles write.
    pub fn middle(&self, steps: u64) -> Box3 {
        shrunk(&self.points, self.depth(steps), self.lattice.axes())
    }

    /// The points that steps of a pass compute for those.
    pub fn cone(&self, steps: u64) -> Box3 {
        shrunk(&self.points, self.depth(steps) - (steps as i64 - 1) * self.most_reach(), self.lattice.axes())
    }

    /// Layers of the box that the launch beside the tiles writes in a step of a pass, of which the first one is 0.
    pub fn layers(&self, steps: u64, step: u64) -> i64 {
        self.depth(steps) + (steps - 1 - step) as i64 * self.most_reach()
    }

    /// The points that it leaves out: those that no later step needs beside tiles.
    pub fn hole(&self, steps: u64, step: u64) -> Box3 {
        shrunk(&self.points, self.layers(steps, step), self.lattice.axes())
    }
}
