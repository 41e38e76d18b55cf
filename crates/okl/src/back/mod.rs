//! IR to text. One module per target, each with a [`Target`](crate::target::Target); C-like targets share [`c_family`].
//! Invariant: emitting never fails on checked, prepared IR, and the same IR gives the same text.

pub mod c_family;
pub mod checked;
pub mod cpu;
pub mod cuda;
pub mod namer;
pub mod opencl;
pub mod signature;
pub mod wgsl;
pub mod writer;
