//! Waits, launches and copies that Ctrl-C ends. Python notes the signal, and runs its handler when its main thread asks; so
//! what takes long is cut into pieces, between which it asks. What was queued runs on after an interrupt, and everything
//! stays usable.

use crate::error::OrRaise;
use ferrocca::{Result, interruptible};
use pyo3::prelude::*;
use std::cell::RefCell;
use std::ops::Range;
use std::time::Duration;

/// How often Python is asked.
const ASK: Duration = Duration::from_millis(50);

/// Bytes of a piece of a copy.
const PIECE: usize = 32 << 20;

thread_local! {
    /// What a handler has raised during a launch, or while this rank waited for another.
    static RAISED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// Waits by a function that waits for a limited time, and answers whether there is nothing left to wait for.
/// # Errors
/// Failures of the work that is waited for; what a signal's handler raises.
pub(crate) fn wait(py: Python<'_>, within: impl Fn(Duration) -> Result<bool> + Sync) -> PyResult<()> {
    while !py.detach(|| within(ASK)).or_raise()? {
        py.check_signals()?;
    }
    Ok(())
}

/// Launches without Python's lock. On the CPU a launch that is interrupted ends between two groups.
/// # Errors
/// As [`wait`].
pub(crate) fn launch(py: Python<'_>, work: impl FnOnce() -> Result<()> + Send) -> PyResult<()> {
    fn ask() -> bool {
        let raised = Python::attach(|py| py.check_signals()).err();
        let is_over = raised.is_some();
        RAISED.set(raised);
        is_over
    }
    let launched = py.detach(|| interruptible(ask, work));
    match RAISED.take() {
        Some(raised) => Err(raised),
        None => launched.or_raise(),
    }
}

/// Works together with other ranks, without Python's lock.
/// # Errors
/// Those of the work; what a signal's handler raised that [`check`] saw meanwhile.
pub(crate) fn collective<R: Send>(py: Python<'_>, work: impl FnOnce() -> Result<R> + Send) -> PyResult<R> {
    RAISED.set(None);
    let done = py.detach(work);
    match RAISED.take() {
        Some(raised) => Err(raised),
        None => done.or_raise(),
    }
}

/// Looks for signals within [`collective`].
/// # Errors
/// What a signal's handler raises.
pub(crate) fn check(py: Python<'_>) -> PyResult<()> {
    py.check_signals().inspect_err(|raised| RAISED.set(Some(raised.clone_ref(py))))
}

/// Copies so many elements of so many bytes in pieces.
/// # Errors
/// As [`wait`].
pub(crate) fn copy(
    py: Python<'_>,
    (elements, bytes): (usize, usize),
    mut piece: impl FnMut(Range<usize>) -> Result<()> + Send,
) -> PyResult<()> {
    let each = (PIECE / bytes).max(1);
    let mut start = 0;
    loop {
        let end = elements.min(start + each);
        py.detach(|| piece(start..end)).or_raise()?;
        if end == elements {
            return Ok(());
        }
        py.check_signals()?;
        start = end;
    }
}
