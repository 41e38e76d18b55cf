//! The portable front of Ferrocca: [`Device`], [`Memory`], [`Kernel`], [`Stream`], [`Tag`] over any [`backend`].
//!
//! Invariant: a backend receives requests that are already checked; what is the same everywhere
//! (props, slices, bounds, dtype, arity, const and mutable, run dims, cache, accounting) lives here, once.

pub mod backend;
mod error;
pub mod props;

pub use error::{Error, ErrorKind, Result};
