//! In-situ analysis: a solver hands a [`Frame`] of named [`Field`]s to a [`Hook`] while it runs.
//!
//! A hook is Rust code or a Python script ([`PythonHook`]). A field is the device's own memory: nothing is copied on
//! the way to the hook, and what a hook writes into a field that is not read-only is what the solver computes with
//! next.
//!
//! A hook that only looks gets many steps at a time, as a [`Batch`].
//!
//! Invariants: this crate links no Python. [`python`] finds the active `python3` when a script is loaded, opens its
//! shared library and the extension of the installed `ferrocca` package, and talks to it through the C ABI of [`abi`]
//! alone. Without a script no Python is needed, looked for or started.
//!
//! Not here: the Python classes (`ferrocca-insitu-py`), and the choice of what a frame holds (the solver's).

pub mod abi;
mod batch;
mod cuda_interop;
mod frame;
mod hook;
mod keep;
mod location;
mod order;
pub mod python;
mod release;
mod run;

pub use batch::Batch;
pub use cuda_interop::memory_on_cuda;
pub use frame::{Field, Frame, MAX_DIMENSIONS};
pub use hook::{Change, Control, Every, Hook, HookFn, ObserveFn, Schedule, Scheduled};
pub use keep::Keepable;
pub use location::{DeviceKind, Location};
pub use order::{LEGACY_STREAM, PER_THREAD_STREAM, finish_device, hand_over, take_back};
pub use python::PythonHook;
pub use release::{ReleaseQueue, release_pending};
pub use run::{Parameter, Run, Steerable};
