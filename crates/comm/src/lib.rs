//! Programs on many devices: ranks that each have a part of a grid, and exchange what their neighbours need.
//!
//! ```
//! use ferrocca_comm::{Grid, group};
//! use ferrocca_core::Device;
//! # use ferrocca_backend_reference as _;
//!
//! // Two ranks, threads of this process; with MPI they would be processes.
//! let sums = group(2, |comm| {
//!     let device = Device::open("mode=Reference")?;
//!     let grid = Grid::new(comm, &[10], 1)?.periodic(&[true])?;
//!     let mut u = device.malloc_filled(grid.centred().len(), comm.rank() as f64)?;
//!     grid.exchange(&mut [&mut u])?; // the ghosts are the neighbour's
//!     Ok(u.to_vec()?.iter().sum::<f64>())
//! })?;
//! assert_eq!(sums, [2.0, 5.0]);
//! # Ok::<(), ferrocca_core::Error>(())
//! ```
//!
//! [`Comm`] is a group of ranks as one of them sees it, over a [`Transport`]; [`Grid`] what each has of the points; [`Plan`]
//! the exchange of some fields, prepared and measured once. [`SharedNodes`] and [`IndexPlan`] are for grids without structure.
//!
//! Ranks that are processes are connected by TCP ([`Tcp`]), or by MPI:
//!
//! | feature | |
//! | --- | --- |
//! | `mpi` (off) | ranks that are processes of `mpirun` or `srun`: the type `Mpi`. Building it needs MPI's headers and library, and libclang |
//!
//! Invariants: nothing is copied to the host unless the plan's `Display` says so; a result does not depend on how many ranks
//! there are, nor on how they share the grid; nobody waits for ever.
//! Not here: any backend, and what a message is made of below the transport.

#![deny(unsafe_code)]

mod checkpoint;
mod comm;
pub mod conformance;
mod gather;
mod grid;
mod indices;
mod launch;
mod layout;
mod link;
mod message;
#[cfg(feature = "mpi")]
mod mpi;
mod nccl;
mod pack;
mod peers;
mod plan;
mod progress;
mod record;
mod reduce;
mod tcp;
mod transport;
mod tree;

pub use checkpoint::{Manifest, read_manifest};
pub use comm::Comm;
pub use grid::{Boundary, Grid};
pub use indices::{IndexPlan, RankIndices, SharedNodes};
pub use launch::{Launch, device_list, run, tell};
pub use layout::Layout;
#[cfg(feature = "mpi")]
pub use mpi::Mpi;
pub use nccl::{VARIABLE as NCCL_VARIABLE, suggest_nccl};
pub use peers::{Peer, group, peers};
pub use plan::{Exchange, Field, Plan, Way};
pub use record::RecordExchange;
pub use reduce::Reduce;
pub use tcp::{ADDRESS_VARIABLE, Tcp};
pub use transport::{Buffer, Capabilities, Operation, Request, Transport};
