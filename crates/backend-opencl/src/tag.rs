//! Points in a queue: markers, whose events tell the device's time.

use crate::driver::{Context, Event, Mem, Queue, ask, call, create};
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
        match ask(&self.event, CL_PROFILING_COMMAND_END)? {
            0 => Err(ferrocca_core::Error::unsupported("the time of this tag", "the driver tells none")),
            time => Ok(time),
        }
    }
}

/// What tags tell the time by.
pub(crate) struct Clock {
    /// A few bytes whose filling is an event that every driver times.
    pub(crate) mem: Mem,
    /// The events of markers tell the time too, in queues that keep order. In others NVIDIA's tell none.
    pub(crate) markers_tell: bool,
}

impl Clock {
    /// `queue`: one of the device, which keeps order.
    pub(crate) fn new(context: &Context, queue: &Queue) -> Result<Self> {
        let mut event = std::ptr::null_mut();
        call!(clEnqueueMarkerWithWaitList(queue.raw(), 0, std::ptr::null(), &raw mut event))?;
        // SAFETY: the command gave us the one reference of its event.
        let event = unsafe { Event::own(event) };
        event.wait()?;
        let markers_tell = ask::<u64>(&event, CL_PROFILING_COMMAND_END).is_ok_and(|time| time > 0);
        let flags = cl3::memory::CL_MEM_READ_WRITE;
        let mem = create!(clCreateBuffer(context.raw(), flags, size_of::<u64>(), std::ptr::null_mut()))?;
        // SAFETY: the buffer was just made, and its one reference is ours.
        Ok(Self { mem: unsafe { Mem::own(mem) }, markers_tell })
    }
}

/// The tag behind a contract reference.
pub(crate) fn downcast(tag: &dyn BackendTag) -> Result<&ClTag> {
    (tag as &dyn Any).downcast_ref().ok_or_else(|| error::internal("a tag of another backend reached OpenCL"))
}

impl BackendTag for ClTag {
    fn wait(&self) -> Result<()> {
        self.event.wait()
    }

    fn is_reached(&self) -> Result<bool> {
        self.event.has_ended()
    }

    fn elapsed_ms(&self, earlier: &dyn BackendTag) -> Result<f64> {
        let (begin, end) = (downcast(earlier)?.nanoseconds()?, self.nanoseconds()?);
        let magnitude = end.abs_diff(begin) as f64 * 1e-6;
        Ok(if end < begin { -magnitude } else { magnitude })
    }
}

#[cfg(test)]
mod tests {
    use crate::device::ClDevice;
    use crate::memory::ClMemory;
    use ferrocca_core::backend::{BackendDevice as _, Placement};

    /// Tags of both kinds are ordered with the work around them, and tell when it was done.
    #[test]
    fn tags_tell_the_time_with_and_without_markers_that_do() {
        let Some(marked) = ClDevice::for_tests() else { return };
        let Some(stamped) = ClDevice::for_tests().map(ClDevice::with_stamps) else { return };
        for device in [&marked, &stamped] {
            for props in ["", "order=out"] {
                let Ok(stream) = ferrocca_core::props::Props::parse(props).and_then(|p| device.create_stream(&p))
                else {
                    continue;
                };
                let bytes = 8 << 20;
                let memory = ClMemory::allocate(&device.shared, bytes, Placement::Device).expect("memory");
                let begin = stream.tag().expect("a tag");
                stream.fill(&memory, 0, bytes, &[1, 2, 3, 4]).expect("it fills");
                let end = stream.tag().expect("a tag");
                let elapsed = end.elapsed_ms(&*begin).expect("both tell the time");
                assert!(elapsed > 0.01 && elapsed < 60_000.0, "`{props}`: {elapsed} ms for 8 MiB");
                assert_eq!(begin.elapsed_ms(&*end).expect("both tell the time"), -elapsed);
                let mut last = [0; 4];
                device.default_stream().wait(&*end).expect("it waits");
                device.default_stream().copy_out(&memory, bytes - 4, &mut last).expect("it reads");
                assert_eq!(last, [1, 2, 3, 4]);
            }
        }
    }
}
