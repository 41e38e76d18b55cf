//! Ferrocca's modes `Serial` (the calling thread) and `CPU` (Rayon's threads), through the host's C compiler.
//!
//! A kernel's text is compiled to a shared library ([`compile`], [`process`]), loaded ([`kernel`]) and called through the entry ABI
//! of [`okl::back::cpu`]: any partition of the groups into ranges gives the same result, so that a launch is either
//! one call on the calling thread or several ranges on the [`team`]; [`threads`] says whose threads those are.
//!
//! Invariants: streams are synchronous, work is done when a call returns; a launch allocates nothing on the heap (unless
//! it has to call threads in) and holds no lock when it runs on the calling thread; nothing falls back to another compiler
//! than the one asked for.
//! Not here: argument checks, the cache and accounting, which `ferrocca-core` does once for all backends.

mod checked;
mod compile;
mod compiler;
mod device;
mod error;
mod graph;
mod kernel;
mod memory;
mod native;
mod process;
mod processor;
mod stream;
mod team;
mod threads;
mod tiling;
mod updates;
mod ziglang;

pub use device::{CPU, CpuBackend, CpuDevice};
pub use ziglang::add_ziglang;
