//! Ferrocca's mode `Reference`: the interpreter ([`okl::interp`]) as a backend. It decides what a kernel means, needs no
//! compiler on the machine, and checks every access.
//!
//! - An index out of bounds, a read of what nobody wrote, a race between items, arithmetic that C leaves undefined: each
//!   is a kernel error with the line of the source, the item that did it, and what it did it to.
//! - It is slow, 7,000 to 15,000 times slower than `Serial` (measured on a Burgers step, a tree reduction and a spectral
//!   element operator): for tests and for finding faults, not for results.
//! - It takes the IR, not text for a compiler ([`ReferenceTarget`]), so that it is also an example of a backend with a
//!   target of its own.
//!
//! Memory is the host's. What was written is known for each byte: by kernels, copies and fills. Memory whose address the
//! application was given (`ptr`, `mapped`, `handle`, a view in Python), or that somebody else owns, counts as written as a
//! whole from then on: what is written by that address is not seen, and a false report would be worse than none.
//! Invariants: streams are synchronous; launches and copies of all devices run one after the other, so that an
//! interpreter alone uses the memory of its launch.
//! Not here: graphs, which core replays command by command.

mod device;
mod error;
mod kernel;
mod memory;
mod regions;
mod stream;
mod target;

pub use device::{Engine, FINITE, MAX_INNER, REFERENCE, ReferenceBackend, open};
pub use error::fault;
pub use memory::use_alone;
pub use regions::{Regions, Stretch};
pub use target::ReferenceTarget;
