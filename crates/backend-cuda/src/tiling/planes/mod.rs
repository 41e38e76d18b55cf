//! Several repetitions in one pass through memory over two or three axes: blocks that stream along the slowest one.
//!
//! **The data's way.** A block has a *tile* of points along x and y, and goes along z plane by plane. Each thread holds the columns of
//! its points around the plane that it is in, for each step of the pass; what it reads of neighbours in the plane comes by shared
//! memory, where each step has as many planes as lie between the newest one and that one. So a plane is loaded once, and stored once,
//! after all steps. Tiles overlap by what neighbours would have sent meanwhile, which is computed twice instead.
//!
//! **The shell.** Tiles write the *middle* of the box: the points whose values after all steps come of points that only the main
//! launch writes. The layers outside of it are done beside them, by single steps: a launch that calls the items near the faces, and
//! then the launches that the loop has beside the main one (ghosts, periodic faces), as they were recorded. They work on other
//! memory for all states but the first and the last of a pass, since tiles read the first one until the end, and write the last one.
//! So neither waits for the other.
//!
//! **When it applies.** A loop begins with a launch over two or three axes, each item of which writes one element of a buffer, reads
//! neighbours in its plane and in its column of another one, with which that rotates, and elements of what nobody writes. What other
//! launches touch of the two lies near the faces. [`planner`] refuses anything else, with a reason that `Graph::plan` tells. A pass
//! does an odd number of repetitions, so that it ends in the other buffer than it begins in. The last repetition of a replay runs as
//! it was recorded: it writes all of the buffer that the passes have left behind.
//!
//! **The files, in reading order.** What a loop over several axes is says [`ferrocca_core::backend::boxes`]. [`plan`](mod@plan): the
//! same in tiles, which [`planner`] makes. [`source`]: its text, beside what all texts have ([`text`]). [`run`]: the kernels of that
//! text, and passes. `tests`: all of it, computed by the host.
//!
//! **Deliberately not here.** Stencils that read points in neither plane nor column, such as those of 27 points: their steps take more
//! shared memory and time for reading that than for memory. Several fields, messages.

mod plan;
pub(super) mod planner;
mod run;
mod source;
mod text;

#[cfg(test)]
mod tests;

pub(super) use run::Planes;
