//! C11 text for the host's compiler.
//!
//! # The entry's ABI (shared with the CPU backend)
//! Each nest is one function with C linkage, named [`crate::signature::NestSignature::entry`]:
//! ```c
//! void burgers_step_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch);
//! ```
//! - `arguments[k]` belongs to [`crate::signature::NestSignature::arguments`]`[k]`: for a pointer parameter it is the
//!   address of the first element (the slice's offset is already in it), for a scalar or struct the address of its value;
//! - `dims[0..3]` are the group counts along outer axes 0, 1, 2, `dims[3..6]` the item counts of the inner axes;
//! - groups `begin..end` of the linearised outer space (axis 0 fastest) are run; any partition of
//!   `0..dims[0]*dims[1]*dims[2]` into ranges, on any threads, gives the same result;
//! - `scratch` is 64-byte aligned memory of `exclusive_bytes · dims[3]·dims[4]·dims[5]` bytes, the calling thread's own;
//!   null when `exclusive_bytes` is 0.
use super::Emitted;
use crate::{ir::Module, source::SourceMap};
/// Emits.
pub fn emit(_module: &Module, _map: &SourceMap) -> Emitted {
    todo!()
}
