//! Whether a device gets on: what waits on a device for a rank that hangs tells nobody.

use ferrocca_core::{Device, Result, Tag};
use std::time::{Duration, Instant};

/// When a device was seen last to have done what it had been given.
pub(crate) struct Progress {
    since: Instant,
    /// Behind what had been queued then.
    marks: Vec<Tag>,
}

impl Progress {
    pub(crate) fn new() -> Self {
        Self { since: Instant::now(), marks: Vec::new() }
    }

    /// Looks, and answers for how long the same work has not been done. Somebody who queues messages may wait for another rank
    /// in that call, and counts as work.
    /// # Errors
    /// Failures of the device.
    pub(crate) fn stalled_for(&mut self, device: &Device, is_queueing: bool) -> Result<Duration> {
        for mark in &self.marks {
            if !mark.is_reached()? {
                return Ok(self.since.elapsed());
            }
        }
        if is_queueing {
            return Ok(self.since.elapsed());
        }
        self.marks = device.tags()?;
        self.since = Instant::now();
        Ok(Duration::ZERO)
    }
}
