//! What bounds a persistent loop.

/// Operations of one command (items × [`okl::signature::NestSignature::cost`]) up to which one block is not slower than a
/// grid: one multiprocessor issues some 10⁵ operations of a warp's lanes in the microsecond that a node of a graph costs.
/// Where this was measured stands on the front page.
pub(super) const MOST_OPERATIONS: u64 = 3 << 16;

/// Items of a launch, which the text counts in 32 bits.
pub(super) const MOST_ITEMS: u64 = 1 << 30;

/// Bytes that one block copies or fills in the time of a node of a graph.
pub(super) const MOST_COPIED_BYTES: u64 = 128 << 10;

/// Calls in the text of one cycle of phases; it stands there up to three times, and each call is compiled in place.
pub(super) const MOST_CALLS: usize = 32;

/// Bytes of values of all launches: they travel as a parameter of the kernel, of which there are at most 4 KiB.
pub(super) const MOST_VALUE_BYTES: usize = 2048;

/// Addresses of segments and rings, which travel with them.
pub(super) const MOST_ADDRESSES: usize = 64;

/// Shared memory that a text may declare; beyond, a launch gives it.
pub(super) const STATIC_SHARED_BYTES: u64 = 48 << 10;

/// Threads of a block.
pub(super) const MOST_THREADS: u64 = 1024;
pub(super) const WARP: u64 = 32;

/// Repetitions of one launch, so that a long replay can be interrupted and seen by profilers.
pub(crate) const MOST_REPETITIONS: u64 = 1 << 20;
