//! Recorded loops over one row, as backends see them that run several repetitions in one pass through memory: what each command
//! touches, which buffers carry the state and how they rotate, and what of the row is like its neighbours.
//!
//! **The data's way.** [`Command::of`] finds the memory of each command of a phase, by addresses that the backend has
//! ([`Addresses`]). [`Row`] sorts what the items of a launch touch: *main* accesses, of which each item does the same one element
//! further than the item before, and *ends*, which are few. [`Planner`] puts that together; [`plan`] answers a [`RowLoop`], in terms of
//! buffers that move on in each repetition, and the [`Binding`] of its memory and values. How large windows are, how many repetitions a
//! pass does, and what text runs them is the backend's own.
//!
//! A plan is refused with a reason that a user reads ([`refuse`]).

mod binding;
mod commands;
mod plan;
mod planner;
mod row;
mod short;

pub use binding::{Binding, NoPlan, Result, refuse};
pub use commands::{Access, Addresses, Command, Ends, Inline, Launch, PlaceOfArgument, Short, accesses_of};
pub use plan::{Buffer, Call, CallArgument, InlineCall, Items, Message, Place, RowLoop};
pub use planner::{Planner, plan};
pub use row::{End, MOST_END, Main, Positions, Row};
