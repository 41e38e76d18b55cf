//! ParaView Catalyst and Ascent as hooks of a running solver.
//!
//! ```no_run
//! use ferrocca_insitu_catalyst::{CatalystHook, UniformGrid};
//!
//! # fn main() -> ferrocca_core::Result<()> {
//! let grid = UniformGrid::new(&[0.0], &[0.0245])?.ghosts(1);      // x of the first point, distance of two
//! let hook = CatalystHook::open("libcatalyst.so", grid)?
//!     .implementation("paraview", Some("/opt/paraview/lib/catalyst"))
//!     .script("pipeline.py");
//! // solver.run(&mut hook, …)
//! # let _ = hook;
//! # Ok(())
//! # }
//! ```
//!
//! Both libraries are opened at run time; a build needs neither. Each step is described by a Conduit node as the Mesh
//! Blueprint has it: a uniform mesh whose fields are *external* arrays, which is to say the solver's own memory. The same
//! node goes to `catalyst_execute` (as the channel `mesh`) and to `ascent_publish`.
//!
//! Invariants: nothing is copied unless [`Transfer::Copy`] asks for it; memory that the host does not address is refused, or
//! handed over by its device address where [`Transfer::DevicePointers`] says that the implementation takes one. A library is
//! never unloaded: it may have threads, and so may what it loads.
//!
//! Sources: Conduit's C interface and Mesh Blueprint (uniform coordinates and topology); the Catalyst API 2 with ParaView's
//! blueprint (`catalyst/state`, `catalyst/channels`); Ascent's C interface.
//!
//! Not here: steering by what an implementation answers (`catalyst_results`), and MPI.

mod ascent;
mod catalyst;
mod conduit;
mod grid;
mod mesh;

pub use ascent::AscentHook;
pub use catalyst::CatalystHook;
pub use grid::UniformGrid;
pub use mesh::Transfer;
