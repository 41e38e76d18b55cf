//! The extension module of the Python package `ferrocca`, in two roles that share their classes:
//!
//! - the *plugin* ([`plugin`]) of a program that runs a solver and loads a script: it implements the C ABI of
//!   `ferrocca::insitu::abi`, and nothing else of that program is visible here;
//! - the library for Python programs: devices, memory, streams and kernels of this image.
//!
//! Invariants: array data leave and enter by protocol only ([`protocols`], [`dlpack`], [`import`]), never by a copy
//! that was not asked for; a view holds what it shows ([`view`]); what it held is given back through a queue, so that
//! a deleter runs on any thread and without Python's lock ([`owner`]); what is an array of somebody else is held until
//! the work that uses it is done ([`borrowed`]); streams are put in order by events ([`step`] says
//! which ones, [`shared`] where CUDA has the memory of another mode's device), and the host waits only where it looks
//! itself.
//!
//! Memory is an array: views are made here ([`indexing`]), everything else is `ferrocca::primitives` by way of [`elementwise`] and
//! [`reductions`]; which types an operation has, and its expression, is the package's Python (`ferrocca._array`).
//!
//! Not here: finding and starting Python (`ferrocca::insitu::python`), and any array library.

mod array;
mod arrow;
mod batch;
mod borrowed;
mod comm;
mod device;
mod dlpack;
mod element;
mod elementwise;
mod error;
mod event;
mod field;
mod fields;
mod frame;
mod graph;
mod import;
mod indexing;
mod interrupt;
mod kernel;
mod memory;
mod number;
mod owner;
mod planned;
mod plugin;
mod pool;
mod primitives;
mod props;
mod protocols;
mod random;
mod recipe;
mod reductions;
mod reuse;
mod shared;
mod solver;
mod spectra;
mod statements;
mod steering;
mod step;
mod stream;
mod transport;
mod view;

/// The module as Python sees it.
#[pyo3::pymodule]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::array::PyArray;
    #[pymodule_export]
    use crate::batch::PyBatch;
    #[pymodule_export]
    use crate::comm::{PyComm, PyGrid, PyHaloPlan};
    #[pymodule_export]
    use crate::device::{PyDevice, modes, translate};
    #[pymodule_export]
    use crate::event::PyEvent;
    #[pymodule_export]
    use crate::field::PyField;
    #[pymodule_export]
    use crate::frame::{PyFrame, PyRun, PyStop};
    #[pymodule_export]
    use crate::graph::PyGraph;
    #[pymodule_export]
    use crate::kernel::PyKernel;
    #[pymodule_export]
    use crate::memory::PyMemory;
    #[pymodule_export]
    use crate::planned::PyPlanned;
    #[pymodule_export]
    use crate::pool::PyPool;
    #[pymodule_export]
    use crate::solver::{PyControl, PySolver};
    #[pymodule_export]
    use crate::spectra::{PyExtractor, PyPsf};
    #[pymodule_export]
    use crate::statements::PyStatements;
    #[pymodule_export]
    use crate::stream::PyStream;

    #[pymodule_export]
    use crate::elementwise::{elementwise, map, map_into};
    #[pymodule_export]
    use crate::random::{fill_random, xoroshiro128p_states};
    #[pymodule_export]
    use crate::reductions::{argsort, bincount, compact, histogram, reduce, scan, sort, top_k, transpose};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("STOP", crate::frame::stop(module.py())?)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
