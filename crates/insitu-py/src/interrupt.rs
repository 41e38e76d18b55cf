//! Waits that Ctrl-C ends. Python notes the signal, and runs its handler when its main thread asks; so a wait is cut into
//! short ones. What was queued runs on after an interrupt, and everything stays usable.

use crate::error::OrRaise;
use ferrocca::Result;
use pyo3::prelude::*;
use std::time::Duration;

/// How often Python is asked.
const ASK: Duration = Duration::from_millis(50);

/// Waits by a function that waits for a limited time, and answers whether there is nothing left to wait for.
/// # Errors
/// Failures of the work that is waited for; what a signal's handler raises.
pub(crate) fn wait(py: Python<'_>, within: impl Fn(Duration) -> Result<bool> + Sync) -> PyResult<()> {
    while !py.detach(|| within(ASK)).or_raise()? {
        py.check_signals()?;
    }
    Ok(())
}
