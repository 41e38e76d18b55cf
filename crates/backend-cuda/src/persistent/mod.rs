//! Persistent loops: a recorded loop that runs as one launch of one block, which keeps the whole state in shared memory.
//!
//! **Why.** A node of a graph costs the device about a microsecond, however little it does. A step of a small simulation
//! is a few instructions per point, so that a graph of such steps spends nearly all its time between them. One block that
//! loads the state once, runs all repetitions and stores the state at the end pays for its instructions only: a step of
//! Burgers at 258 points takes 0.11 µs on an H200.
//!
//! **When it applies.** `Device::record` offers each loop to [`PersistentLoop::new`]; what is refused here runs as a graph,
//! unless the device property `persistent` is `on`: then the refusal is an error with the reason. `off` never tries.
//! A loop qualifies when
//! - its state (every range of memory that its launches, copies and fills name) and the shared memory of its kernels fit
//!   the shared memory of one block;
//! - each command is little work, so that one multiprocessor is not slower than the whole device with a graph's gaps;
//! - its kernels were compiled with options under which the text around them cannot change their bits (no contraction, no
//!   further compiler options), the same ones for all;
//! - a cycle is short enough to be compiled in place.
//!
//! A replay whose snapshots overlap the state or each other runs as a graph too ([`PersistentLoop::can_run`]).
//!
//! **Same bits.** The kernels are the texts that single launches run, compiled with the same options; each stands in a
//! namespace of its own and is called as a function. Pointers become fixed places in shared memory, with the alignment
//! that they had. A barrier stands between two commands where one touches what the other wrote.
//!
//! **Limits** are the constants of [`limits`], each with its reason. The one that decides, operations per command, was
//! measured on an H200 by growing Burgers until the two ways took the same time: at 4,096 points (51 operations each) a
//! step takes 1.04 µs as a graph and 0.79 µs in one block, at 6,000 points 1.05 and 1.10 µs. `cargo bench --bench cuda
//! persistent` repeats the measurement of small loops beside hand-written CUDA C++.
//!
//! **The files, in reading order.**
//! 1. [`plan`]: whether a loop qualifies; its state as segments, its commands as work on places in them. A plan holds no
//!    address, so that one text serves the same loop on other memory.
//! 2. [`barriers`]: behind which commands the block has to wait for itself.
//! 3. [`source`]: the text of a plan.
//! 4. [`run`]: the kernel of that text with its parameters; launches.
//! 5. `tests`: every path, computed by the host through [`crate::emulator`] and compared bit by bit with single launches.
//!
//! **Deliberately not here.** Several blocks: they would have to wait for each other through global memory, which costs
//! what a node of a graph costs. State in registers, or loops partly on the chip: both would tie the text to the shape of a
//! kernel. A second code generator: the text is composed of what `okl::back::cuda` emitted. Compilation and the cache of
//! compiled texts: [`crate::internal_kernels`].

mod barriers;
mod limits;
pub(crate) mod plan;
mod run;
pub(crate) mod source;

#[cfg(test)]
pub(crate) mod tests;

pub(crate) use limits::MOST_REPETITIONS;
pub(crate) use run::{Choice, PersistentLoop};
