//! Errors that wgpu reports when no call is there to return them: uncaptured ones, and the loss of the device.

use crate::error;
use ferrocca_core::backend::Process;
use ferrocca_core::{Error, Result};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// The first error that a device met outside of a call. It stays: nothing that runs after it can be trusted.
pub(crate) struct Failure {
    /// Where the device was opened.
    process: Process,
    happened: AtomicBool,
    first: Mutex<Option<Error>>,
}

impl Failure {
    /// None yet, of a device that is opened here.
    pub(crate) fn new() -> Self {
        Self { process: Process::current(), happened: AtomicBool::new(false), first: Mutex::default() }
    }

    /// Keeps an error unless one is kept already.
    pub(crate) fn record(&self, error: Error) {
        self.first.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        self.happened.store(true, Ordering::Release);
    }

    /// Whether this is a child of the process that opened the device.
    pub(crate) fn is_forked(&self) -> bool {
        self.process.is_forked()
    }

    /// The error that was kept. In a child of the process that opened the device there is one too: the driver waits for
    /// threads that do not exist there.
    pub(crate) fn check(&self) -> Result<()> {
        if self.is_forked() {
            return Err(error::forked());
        }
        if !self.happened.load(Ordering::Acquire) {
            return Ok(());
        }
        let first = self.first.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Err(first.unwrap_or_else(|| error::internal("a failure without an error")))
    }
}

/// What an uncaptured error becomes.
pub(crate) fn uncaptured(error: &wgpu::Error) -> Error {
    match error {
        wgpu::Error::OutOfMemory { source } => error::driver("wgpu (out of memory)", error::describe(&**source)),
        other => error::driver("wgpu", error::describe(other)),
    }
}

/// What the loss of a device becomes. `name` is the device's.
pub(crate) fn loss(name: &str, reason: wgpu::DeviceLostReason, message: &str) -> Error {
    let what = match (reason, message) {
        (wgpu::DeviceLostReason::Destroyed, _) => "it was destroyed",
        (_, "") => "the driver does not say why",
        (_, message) => message,
    };
    let message =
        format!("{name}: {what}; its memory and kernels are gone: drop them, and open the device again to go on");
    error::driver("device lost", message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_failure_stays() {
        let failure = Failure::new();
        assert!(failure.check().is_ok());
        failure.record(error::driver("device lost", "gpu 0: it hangs"));
        failure.record(error::driver("wgpu", "what follows from it"));
        for _ in 0..2 {
            let text = failure.check().expect_err("it failed").to_string();
            assert!(text.contains("device lost") && text.contains("it hangs"), "{text}");
        }
    }
}
