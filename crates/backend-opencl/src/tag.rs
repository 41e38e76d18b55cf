//! Points in a queue: markers, whose events tell the device's time.

use crate::driver::{Event, ask};
use crate::error;
use cl3::event::CL_PROFILING_COMMAND_END;
use ferrocca_core::Result;
use ferrocca_core::backend::BackendTag;
use std::any::Any;

/// A marker.
pub(crate) struct ClTag {
    event: Event,
    profiling: bool,
}

impl ClTag {
    pub(crate) fn new(event: Event, profiling: bool) -> Self {
        Self { event, profiling }
    }

    pub(crate) fn event(&self) -> &Event {
        &self.event
    }

    /// The device's clock when the marker was reached, in nanoseconds; waits for it.
    fn nanoseconds(&self) -> Result<u64> {
        if !self.profiling {
            return Err(ferrocca_core::Error::unsupported(
                "the time of this tag",
                "its stream's queue was made without profiling",
            ));
        }
        self.event.wait()?;
        ask(&self.event, CL_PROFILING_COMMAND_END)
    }
}

/// The tag behind a contract reference.
pub(crate) fn downcast(tag: &dyn BackendTag) -> Result<&ClTag> {
    tag.as_any().downcast_ref().ok_or_else(|| error::internal("a tag of another backend reached OpenCL"))
}

impl BackendTag for ClTag {
    fn wait(&self) -> Result<()> {
        self.event.wait()
    }

    fn elapsed_ms(&self, earlier: &dyn BackendTag) -> Result<f64> {
        let (begin, end) = (downcast(earlier)?.nanoseconds()?, self.nanoseconds()?);
        let magnitude = end.abs_diff(begin) as f64 * 1e-6;
        Ok(if end < begin { -magnitude } else { magnitude })
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
