//! Stack enough to walk the deepest tree that the compiler makes, whatever stack the caller has left: a thread has 2 MiB by
//! default, and some have 64 KiB.
//!
//! There are two ways. The compiler walks trees in hundreds of places, none of which thinks of the stack: all of it runs
//! [`on_deep_stack`], and a [`Module`](crate::ir::Module) is cloned, compared and dropped there. What a launch computes is
//! walked by programs that never see the compiler: [`HostExpr`](crate::signature::HostExpr) and what contains it ask at each
//! level ([`with_room`]).

/// Stack for the stages that walk trees, in bytes of address space; what is not touched costs nothing.
const DEEP_STACK: usize = 64 << 20;

/// What the stages need of it.
const DEEP_ENOUGH: usize = DEEP_STACK / 2;

/// Stack that one level of a walk may use, or a few that do not ask each: JSON takes the most.
const LEVEL: usize = 64 << 10;

/// Stack that a proof of bounds may use, four times what it takes in a debug build.
const PROOF: usize = 512 << 10;

/// What is added where either is not left.
const SEGMENT: usize = 1 << 20;

/// Runs `work` where the deepest tree that the parser accepts can be walked: a sum of 250 terms takes 4 MiB in a debug build.
pub fn on_deep_stack<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(DEEP_ENOUGH, DEEP_STACK, work)
}

/// Runs a proof of bounds, whose eliminations are limited in number and depth.
pub(crate) fn on_proof_stack<T>(proof: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(PROOF, SEGMENT, proof)
}

/// Runs one level of a walk over a tree, on a further piece of stack where little is left.
pub(crate) fn with_room<T>(level: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(LEVEL, SEGMENT, level)
}
