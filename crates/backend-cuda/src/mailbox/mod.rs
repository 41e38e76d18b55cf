//! Messages between GPUs that reach each other's memory, without a library in between: kernels store them there, small ones by
//! [`WordMailbox`], larger ones by [`ChunkMailbox`]. Numbers count on the device, so that a graph may hold exchanges.

mod chunks;
mod peer_memory;
mod words;

pub(crate) use chunks::ChunkMailbox;
#[cfg(test)]
pub(crate) use words::SLOT;
pub(crate) use words::WordMailbox;

/// The texts of the kernels.
#[cfg(test)]
pub(crate) const TEXTS: [&str; 2] = [words::TEXT, chunks::TEXT];
