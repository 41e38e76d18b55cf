//! Many repetitions in one pass through memory: temporal blocking of recorded loops over one axis. Those over two and three axes have
//! a room of their own, [`planes`].
//!
//! **Why.** A repetition of a loop whose state is larger than a block reads and writes all of it, and that is what takes the
//! time. Here a warp loads a *window* of the state, does several repetitions on it in registers, and stores what is right of it:
//! the windows overlap by what neighbours would have sent meanwhile, which is computed twice instead.
//!
//! **The data's way.** Thread `t` of a warp holds the elements `K t … K t + K - 1` of the window of each buffer, 31 of them
//! where there are enough registers. What its items read of a neighbour's elements comes by shuffles, so that nothing waits and shared memory serves
//! but to load and store in whole lines. The items are the functions that single launches run, called with the item's own
//! numbers; pointers become accessors of registers ([`source`]).
//!
//! **The ends.** Ghosts, a periodic wrap and everything else that only items near the ends of the row do needs no rules of its own:
//! one block more than the windows need does all repetitions of both ends, in shared memory, where an accessor knows two
//! pieces of each buffer. Addresses decide what belongs to an end: whatever a span says that is not "every item, one element
//! further than the item before". Short copies within the ends are the block's, too, and so are messages of a mailbox whose protocol
//! it knows ([`text`]): it waits for its neighbours in each repetition while windows compute.
//!
//! What such a block cannot do but is short (messages of NCCL, fills, kernels with loops) leaves the ends as they were recorded, in a
//! graph beside the windows ([`pass`](mod@pass)). Each node of it costs the windows half a microsecond.
//!
//! **Roles.** A pass reads the buffers that carry the state and writes others, because windows overlap: of a rotation of two
//! buffers it reads the one and writes the other, so that it does an odd number of repetitions. What a repetition writes before
//! anything reads it need not be stored. The last repetitions of a replay run as they were recorded, which leaves every buffer with
//! the bits that it would have.
//!
//! **When it applies.** [`planner`] refuses, with a reason that `Graph::plan` tells, snapshots and other commands that touch more than
//! ends are, launches with barriers, footprints that are not known, loops that leave a pass nothing to write
//! to. The property `tiling` is `auto`, `off`, or a number of repetitions. Ranks need not agree: each repetition has its messages,
//! however many a pass does.
//!
//! **The files, in reading order.** What a loop over one row is says [`ferrocca_core::backend::rows`]. [`plan`](mod@plan): the same
//! in windows, which [`planner`] makes. [`source`]: its text, beside what all texts have ([`text`]). [`run`]: the kernel of that
//! text, and passes; [`pass`](mod@pass): those with ends as they were recorded. `tests`: all of it, computed by the host.
//!
//! **Deliberately not here.** Snapshots: each repetition moves memory anyway.

mod pass;
mod plan;
mod planes;
mod planner;
mod run;
mod source;
mod text;

#[cfg(test)]
mod tests;

pub(crate) use run::Tiling;
