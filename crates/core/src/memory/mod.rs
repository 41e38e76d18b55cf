//! Memory of a device: [`Memory`] with its element type, [`AnyMemory`] without; [`Staging`] on the way to it.
//!
//! Handles share: a slice, a share and a cast keep the allocation alive, and nothing is copied.
//! `&mut` marks that a call writes, not that nobody else holds the memory: like a kernel, a host copy from one thread
//! and a kernel on another that touch the same elements must be ordered by the program.

mod across;
mod allocation;
mod any;
mod constant;
mod staging;
mod typed;

pub(crate) use allocation::Allocation;
pub use any::AnyMemory;
pub use staging::Staging;
pub use typed::Memory;
