//! Recorded loops over several axes, as backends see them that run several repetitions in one pass through memory: tiles of a plane
//! that stream along the slowest axis.
//!
//! **The data's way.** A backend makes [`Command`](super::rows::Command)s of the phases. [`plan`] answers a [`BoxLoop`]: a *main*
//! launch whose items write the points of a box, what of the state they read around a point, and how many layers near the faces
//! differ from the others. Elements are points of a [`Lattice`]. The [`Binding`](super::rows::Binding) has the main launch's values,
//! and where the buffers are that it reads in place. [`BoxLoop::shape`] chooses steps and a [`Tile`] among those that a backend has.
//! What text runs them, and what a tile takes of registers, is the backend's own.
//!
//! **The shell.** Tiles write the *middle* of the box: the points whose values after all steps come of points that only the main
//! launch writes. The layers outside of it are done beside them, by single steps: all items of the main launch but those in a
//! [`hole`](BoxLoop::hole), and then the other launches as they were recorded.
//!
//! A plan is refused with a reason that a user reads ([`refuse`](super::rows::refuse)).

mod lattice;
mod plan;
mod planner;
mod tile;

pub use lattice::{Box3, Lattice, layers, shrunk, volume};
pub use plan::{Argument, BoxLoop};
pub use planner::{has_axes, main_launch, plan};
pub use tile::{Tile, check_memory};
