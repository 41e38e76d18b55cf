//! The viscous Burgers equation u_t + u u_x = ν u_xx on a periodic interval, on any device.
//!
//! [`Solver`] is what a program embeds: it owns the field on a [`ferrocca_core::Device`], does a [`Solver::step`] with
//! one kernel launch, and [`Solver::run`]s to the end with hooks, checkpoints and a watch for NaN.
//! The scheme is forward Euler with central differences; `kernels/burgers.okl` states it.
//!
//! Invariants: the same [`Config`] gives the same bits wherever + − × of that precision do, at any number of threads,
//! with or without hooks that only read, and across a [`Checkpoint`].
//!
//! Not here: any backend, any Python, and the command line (`examples/burgers.rs`).

#![forbid(unsafe_code)]

mod advance;
mod buffers;
mod checkpoint;
mod clock;
mod config;
mod limits;
mod run;
mod solver;
mod watch;

pub use checkpoint::Checkpoint;
pub use clock::Timing;
pub use config::{Config, MAX_POINTS, Precision};
pub use limits::Limits;
pub use run::{CheckpointPlan, Outcome, Progress, RunOptions, Summary};
pub use solver::{FieldMut, FieldRef, Solver};

/// The kernels' source.
pub const KERNEL_SOURCE: &str = include_str!("../kernels/burgers.okl");
