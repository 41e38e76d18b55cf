//! One suite over any backend: memory, slices, copies, streams, tags, pools, graphs, every feature of the kernel language
//! with its result in closed form, and the errors that a user must get.
//!
//! A backend's crate runs it with one line, in a test target with `harness = false`:
//! ```no_run
//! fn main() -> std::process::ExitCode {
//!     ferrocca_conformance::main(&["mode=Serial", "mode=CPU, threads=3"])
//! }
//! ```
//! Each case is one test, named `Serial::memory::slice_keeps_parent_alive`; the usual arguments of the test runner
//! (a filter, `--list`, `--exact`) work.
//!
//! Rules: a device that cannot be opened is printed with its reason and skipped, unless its mode stands in
//! `FERROCCA_REQUIRE_DEVICES` (a comma-separated list): then it fails. A case that needs what the device lacks (`double`,
//! say) is reported as ignored, never silently passed.
//! Beside it stands [`null`], a backend that does no work, for tests of what stands on a device.
//! Not here: speed, and anything that only one backend has.

mod arguments;
mod bounds;
mod check;
mod checks;
mod constants;
mod copies;
mod divisions;
mod errors;
mod graphs;
mod harness;
mod language;
mod memory;
pub mod null;
mod pool;
mod primitives;
mod streams;
mod threads;

pub use harness::{dry_run, main, trials};
