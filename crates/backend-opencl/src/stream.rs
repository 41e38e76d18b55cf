//! Streams: command queues, in order, or out of order with the dependencies that memory asks for.

use crate::device::Shared;
use crate::driver::{Context, Event, Mem, Queue, ask, ask_handle, call, create, library};
use crate::error;
use crate::hazard::{Hazards, Touch};
use crate::memory::{self, ClMemory, Kind};
use crate::select::Candidate;
use crate::tag::{self, ClTag, Clock};
use cl3::command_queue::{
    CL_QUEUE_CONTEXT, CL_QUEUE_DEVICE, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_QUEUE_PROFILING_ENABLE,
    CL_QUEUE_PROPERTIES,
};
use cl3::error_codes::{CL_MEM_COPY_OVERLAP, CL_SUCCESS};
use cl3::memory::CL_MEM_READ_WRITE;
use cl3::types::{CL_BLOCKING, CL_NON_BLOCKING, cl_event, cl_mem};
use ferrocca_core::backend::{BackendMemory, BackendStream, BackendTag, poll_until};
use ferrocca_core::{Error, Result};
use std::any::Any;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Commands after which the driver is told to begin, so that a device does not stand still while a host queues work.
const FLUSH_AFTER: u32 = 16;

/// Largest pattern that the driver fills with.
const MOST_PATTERN: usize = 128;

/// Bytes of the buffer through which overlapping ranges are moved.
const MOVE_BYTES: usize = 16 << 20;

/// What orders the commands of a stream.
pub(crate) enum Order {
    /// The queue itself.
    In,
    /// The memory that they touch.
    ByMemory(Mutex<Hazards>),
    /// A barrier before each, because others put commands into this out-of-order queue too.
    Fenced,
}

impl Order {
    /// An order that nothing has been queued in.
    pub(crate) fn by_memory() -> Self {
        Self::ByMemory(Mutex::default())
    }
}

/// A stream of an OpenCL device.
pub(crate) struct ClStream {
    queue: Queue,
    order: Order,
    profiling: bool,
    unflushed: AtomicU32,
    /// Commands that were queued here so far, and how many of these a wait has found done.
    queued: AtomicU64,
    done: AtomicU64,
    shared: Arc<Shared>,
}

impl ClStream {
    pub(crate) fn new(shared: &Arc<Shared>, queue: Queue, order: Order, profiling: bool) -> Self {
        let (unflushed, queued, done) = Default::default();
        Self { queue, order, profiling, unflushed, queued, done, shared: Arc::clone(shared) }
    }

    /// A new queue of a context.
    pub(crate) fn create_queue(
        context: &Context,
        candidate: &Candidate,
        out_of_order: bool,
        profiling: bool,
    ) -> Result<Queue> {
        let mut properties = 0;
        if out_of_order {
            properties |= CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
        }
        if profiling && candidate.limits.profiling {
            properties |= CL_QUEUE_PROFILING_ENABLE;
        }
        let queue = create!(clCreateCommandQueue(context.raw(), candidate.id.0, properties))?;
        // SAFETY: the queue was just made, and its one reference is ours.
        Ok(unsafe { Queue::own(queue) })
    }

    /// How commands are to be ordered in a queue that somebody else made, and whether it takes times.
    /// # Errors
    /// When it is not a queue of this device in this context.
    pub(crate) fn properties(shared: &Shared, queue: &Queue) -> Result<(Order, bool)> {
        if ask_handle(queue, CL_QUEUE_CONTEXT)? != shared.context.raw() {
            return Err(Error::invalid("this command queue belongs to another context than the device's"));
        }
        if ask_handle(queue, CL_QUEUE_DEVICE)? != shared.candidate.id.0 {
            return Err(Error::invalid("this command queue belongs to another device of the context"));
        }
        let properties = ask::<u64>(queue, CL_QUEUE_PROPERTIES)?;
        let out_of_order = properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE != 0;
        let order = if out_of_order { Order::Fenced } else { Order::In };
        Ok((order, properties & CL_QUEUE_PROFILING_ENABLE != 0))
    }

    /// Whether the queue itself keeps the order of its commands.
    pub(crate) fn keeps_order(&self) -> bool {
        matches!(self.order, Order::In)
    }

    /// The driver's queue.
    pub(crate) fn queue(&self) -> &Queue {
        &self.queue
    }

    /// Queues a command: `enqueue` gets the number of events to wait for, the events, and where its own event goes.
    ///
    /// `touches` is only looked at where memory decides the order.
    pub(crate) fn enqueue<T: Iterator<Item = Touch>>(
        &self,
        call: &'static str,
        touches: impl FnOnce() -> T,
        enqueue: impl FnOnce(u32, *const cl_event, *mut cl_event) -> Option<i32>,
    ) -> Result<()> {
        let done = |status: Option<i32>| match status {
            Some(CL_SUCCESS) => Ok(()),
            Some(status) => Err(error::driver(call, status)),
            None => Err(error::no_such_call(call)),
        };
        match &self.order {
            Order::In => done(enqueue(0, std::ptr::null(), std::ptr::null_mut()))?,
            Order::Fenced => {
                self.barrier(&[])?;
                done(enqueue(0, std::ptr::null(), std::ptr::null_mut()))?;
            }
            Order::ByMemory(hazards) => {
                let mut hazards = hazards.lock().unwrap_or_else(PoisonError::into_inner);
                if hazards.is_full() {
                    let event = self.marker(&hazards.waits(&[Touch::Anything]))?;
                    hazards.raise(Arc::new(event));
                }
                let touches: Vec<Touch> = touches().collect();
                let waits = hazards.waits(&touches);
                let list = if waits.is_empty() { std::ptr::null() } else { waits.as_ptr() };
                let mut event: cl_event = std::ptr::null_mut();
                done(enqueue(waits.len() as u32, list, &raw mut event))?;
                // SAFETY: the command gave us the one reference of its event.
                hazards.record(&touches, unsafe { Event::own(event) });
            }
        }
        self.queued.fetch_add(1, Ordering::Release);
        if self.unflushed.fetch_add(1, Ordering::Relaxed) + 1 >= FLUSH_AFTER {
            self.flush()?;
        }
        Ok(())
    }

    /// Tells the driver to begin with what was queued.
    pub(crate) fn flush(&self) -> Result<()> {
        self.unflushed.store(0, Ordering::Relaxed);
        self.queue.flush()
    }

    /// An event behind `waits`, or behind everything that was queued so far where there are none.
    fn marker(&self, waits: &[cl_event]) -> Result<Event> {
        let list = if waits.is_empty() { std::ptr::null() } else { waits.as_ptr() };
        let mut event: cl_event = std::ptr::null_mut();
        call!(clEnqueueMarkerWithWaitList(self.queue.raw(), waits.len() as u32, list, &raw mut event))?;
        // SAFETY: the command gave us the one reference of its event.
        Ok(unsafe { Event::own(event) })
    }

    /// The same for drivers whose markers tell no time: the event of a small command.
    fn stamp(&self, clock: &Mem, waits: &[cl_event]) -> Result<Event> {
        let list = if waits.is_empty() { std::ptr::null() } else { waits.as_ptr() };
        let (zero, mut event): (u32, cl_event) = (0, std::ptr::null_mut());
        let pattern = (&raw const zero).cast();
        let (width, count, queue) = (size_of::<u32>(), waits.len() as u32, self.queue.raw());
        call!(clEnqueueFillBuffer(queue, clock.raw(), pattern, width, 0, width, count, list, &raw mut event))?;
        // SAFETY: the command gave us the one reference of its event.
        Ok(unsafe { Event::own(event) })
    }

    /// Later commands wait for `events`; for everything before, where there are none.
    fn barrier(&self, events: &[cl_event]) -> Result<()> {
        let list = if events.is_empty() { std::ptr::null() } else { events.as_ptr() };
        let (count, none) = (events.len() as u32, std::ptr::null_mut());
        call!(clEnqueueBarrierWithWaitList(self.queue.raw(), count, list, none))
    }

    /// Buffer to buffer, disjoint ranges.
    fn copy_disjoint(
        &self,
        to: (cl_mem, usize),
        from: (cl_mem, usize),
        bytes: usize,
        touches: [Touch; 2],
    ) -> Result<()> {
        let library = library()?;
        self.enqueue(
            "clEnqueueCopyBuffer",
            || touches.into_iter(),
            |count, list, event| {
                library.clEnqueueCopyBuffer(self.queue.raw(), from.0, to.0, from.1, to.1, bytes, count, list, event)
            },
        )
    }

    /// Ranges that overlap, through a buffer of bounded size.
    fn move_overlapping(
        &self,
        to: &ClMemory,
        to_at: usize,
        from: &ClMemory,
        from_at: usize,
        bytes: usize,
    ) -> Result<()> {
        let block = bytes.min(MOVE_BYTES);
        let context = self.shared.context.raw();
        let between = create!(clCreateBuffer(context, CL_MEM_READ_WRITE, block, std::ptr::null_mut()))?;
        // SAFETY: the buffer was just made, and its one reference is ours; the driver keeps it for queued commands.
        let between = unsafe { Mem::own(between) };
        let forward = is_before(to, to_at, from, from_at);
        let count = bytes.div_ceil(block);
        for step in 0..count {
            let at = if forward { step } else { count - 1 - step } * block;
            let length = block.min(bytes - at);
            let middle = between.raw();
            let out = [reads(from), Touch::Writes(middle)];
            self.copy_disjoint((middle, 0), (from.raw(), from_at + at), length, out)?;
            let back = [Touch::Reads(middle), writes(to)];
            self.copy_disjoint((to.raw(), to_at + at), (middle, 0), length, back)?;
        }
        Ok(())
    }

    /// Reads or writes the host's side of staging memory, after all that was queued.
    fn on_staging(&self, memory: &ClMemory, offset: usize, work: impl FnOnce(*mut u8)) -> Result<()> {
        self.finish()?;
        let start = memory.mapped().ok_or_else(|| error::internal("staging memory that is not mapped"))?;
        work(start.as_ptr().wrapping_add(offset));
        Ok(())
    }

    /// The first copy of a pattern that the driver does not take, then copies of what is there, twice as much each time.
    fn fill_by_copies(&self, memory: &ClMemory, offset: usize, bytes: usize, pattern: &[u8]) -> Result<()> {
        self.copy_in(memory, offset, &pattern[..pattern.len().min(bytes)])?;
        let mut filled = pattern.len().min(bytes);
        while filled < bytes {
            let length = filled.min(bytes - filled);
            let (to, from) = ((memory.raw(), offset + filled), (memory.raw(), offset));
            self.copy_disjoint(to, from, length, [writes(memory), writes(memory)])?;
            filled += length;
        }
        Ok(())
    }
}

/// How a command that reads this memory touches it.
pub(crate) fn reads(memory: &ClMemory) -> Touch {
    if memory.kind() == Kind::Foreign { Touch::Anything } else { Touch::Reads(memory.raw()) }
}

/// How a command that writes this memory touches it.
pub(crate) fn writes(memory: &ClMemory) -> Touch {
    if memory.kind() == Kind::Foreign { Touch::Anything } else { Touch::Writes(memory.raw()) }
}

/// Whether one place comes before another of the same memory.
fn is_before(to: &ClMemory, to_at: usize, from: &ClMemory, from_at: usize) -> bool {
    match (to.mapped(), from.mapped()) {
        (Some(a), Some(b)) => a.as_ptr().addr() + to_at <= b.as_ptr().addr() + from_at,
        _ => to_at <= from_at,
    }
}

/// Whether ranges of two memories certainly overlap: in one buffer, or by their addresses.
fn overlap(to: &ClMemory, to_at: usize, from: &ClMemory, from_at: usize, bytes: usize) -> bool {
    match (to.mapped(), from.mapped()) {
        (Some(a), Some(b)) => (a.as_ptr().addr() + to_at).abs_diff(b.as_ptr().addr() + from_at) < bytes,
        _ => to.raw() == from.raw() && to_at.abs_diff(from_at) < bytes,
    }
}

/// The shortest pattern that repeats to `pattern`.
fn shortest(pattern: &[u8]) -> &[u8] {
    let repeats = |&length: &usize| {
        pattern.len().is_multiple_of(length) && pattern.chunks(length).all(|c| c == &pattern[..length])
    };
    let length = (1..=pattern.len()).find(repeats).unwrap_or(pattern.len());
    &pattern[..length]
}

impl Drop for ClStream {
    fn drop(&mut self) {
        // The driver keeps the queue until its commands are done, and `finish` of the device is to wait for them.
        match self.marker(&[]) {
            Ok(end) => self.shared.keep_end(end),
            Err(_) => _ = self.queue.finish(),
        }
    }
}

impl BackendStream for ClStream {
    fn handle(&self) -> u64 {
        self.queue.raw() as u64
    }

    fn copy_in(&self, destination: &dyn BackendMemory, offset: usize, source: &[u8]) -> Result<()> {
        let memory = memory::downcast(destination)?;
        if memory.kind() == Kind::Staging {
            return self.on_staging(memory, offset, |to| {
                // SAFETY: core has checked the range; the source is another object.
                unsafe { to.copy_from_nonoverlapping(source.as_ptr(), source.len()) }
            });
        }
        let (library, from, bytes) = (library()?, source.as_ptr().cast(), source.len());
        self.enqueue(
            "clEnqueueWriteBuffer",
            || [writes(memory)].into_iter(),
            |count, list, event| {
                let queue = self.queue.raw();
                library.clEnqueueWriteBuffer(queue, memory.raw(), CL_BLOCKING, offset, bytes, from, count, list, event)
            },
        )
    }

    fn copy_out(&self, source: &dyn BackendMemory, offset: usize, destination: &mut [u8]) -> Result<()> {
        let memory = memory::downcast(source)?;
        if memory.kind() == Kind::Staging {
            return self.on_staging(memory, offset, |from| {
                // SAFETY: core has checked the range; the destination is another object.
                unsafe { from.copy_to_nonoverlapping(destination.as_mut_ptr(), destination.len()) }
            });
        }
        let (library, to, bytes) = (library()?, destination.as_mut_ptr().cast(), destination.len());
        self.enqueue(
            "clEnqueueReadBuffer",
            || [reads(memory)].into_iter(),
            |count, list, event| {
                let queue = self.queue.raw();
                library.clEnqueueReadBuffer(queue, memory.raw(), CL_BLOCKING, offset, bytes, to, count, list, event)
            },
        )
    }

    fn copy(
        &self,
        destination: &dyn BackendMemory,
        destination_offset: usize,
        source: &dyn BackendMemory,
        source_offset: usize,
        bytes: usize,
    ) -> Result<()> {
        let (to, from) = (memory::downcast(destination)?, memory::downcast(source)?);
        let address = |memory: &ClMemory, offset: usize| {
            memory
                .mapped()
                .map(|start| start.as_ptr().wrapping_add(offset))
                .ok_or_else(|| error::internal("no address"))
        };
        let (library, queue) = (library()?, self.queue.raw());
        match (to.kind() == Kind::Staging, from.kind() == Kind::Staging) {
            (true, true) => {
                let source = address(from, source_offset)?;
                // SAFETY: core has checked both ranges, which may overlap.
                self.on_staging(to, destination_offset, |to| unsafe { source.copy_to(to, bytes) })
            }
            (false, true) => {
                let source = address(from, source_offset)?.cast();
                self.enqueue(
                    "clEnqueueWriteBuffer",
                    || [reads(from), writes(to)].into_iter(),
                    |count, list, event| {
                        let (mem, at) = (to.raw(), destination_offset);
                        library.clEnqueueWriteBuffer(queue, mem, CL_NON_BLOCKING, at, bytes, source, count, list, event)
                    },
                )
            }
            (true, false) => {
                let target = address(to, destination_offset)?.cast();
                self.enqueue(
                    "clEnqueueReadBuffer",
                    || [reads(from), writes(to)].into_iter(),
                    |count, list, event| {
                        let (mem, at) = (from.raw(), source_offset);
                        library.clEnqueueReadBuffer(queue, mem, CL_NON_BLOCKING, at, bytes, target, count, list, event)
                    },
                )
            }
            (false, false) => {
                if overlap(to, destination_offset, from, source_offset, bytes) {
                    return self.move_overlapping(to, destination_offset, from, source_offset, bytes);
                }
                let (target, source) = ((to.raw(), destination_offset), (from.raw(), source_offset));
                let copied = self.copy_disjoint(target, source, bytes, [reads(from), writes(to)]);
                // Two buffers of others may be parts of one.
                match copied {
                    Err(error) if error::is_status(&error, CL_MEM_COPY_OVERLAP) => {
                        self.move_overlapping(to, destination_offset, from, source_offset, bytes)
                    }
                    other => other,
                }
            }
        }
    }

    fn fill(&self, destination: &dyn BackendMemory, offset: usize, bytes: usize, pattern: &[u8]) -> Result<()> {
        let memory = memory::downcast(destination)?;
        let pattern = shortest(pattern);
        if memory.kind() == Kind::Staging {
            return self.on_staging(memory, offset, |to| {
                for at in 0..bytes {
                    // SAFETY: core has checked the range.
                    unsafe { to.add(at).write(pattern[at % pattern.len()]) };
                }
            });
        }
        let length = pattern.len();
        let fits = length.is_power_of_two() && length <= MOST_PATTERN;
        if !(fits && offset.is_multiple_of(length) && bytes.is_multiple_of(length)) {
            return self.fill_by_copies(memory, offset, bytes, pattern);
        }
        let (library, queue, what) = (library()?, self.queue.raw(), pattern.as_ptr().cast());
        self.enqueue(
            "clEnqueueFillBuffer",
            || [writes(memory)].into_iter(),
            |count, list, event| {
                library.clEnqueueFillBuffer(queue, memory.raw(), what, length, offset, bytes, count, list, event)
            },
        )
    }

    fn tag(&self) -> Result<Arc<dyn BackendTag>> {
        let stamps = |clock: &&Clock| self.profiling && !(clock.markers_tell && self.keeps_order());
        let point = |waits: &[cl_event]| match self.shared.clock.as_ref().filter(stamps) {
            Some(clock) => self.stamp(&clock.mem, waits),
            None => self.marker(waits),
        };
        let event = match &self.order {
            Order::In => point(&[])?,
            Order::Fenced => {
                self.barrier(&[])?;
                point(&[])?
            }
            Order::ByMemory(hazards) => {
                let mut hazards = hazards.lock().unwrap_or_else(PoisonError::into_inner);
                let event = point(&hazards.waits(&[Touch::Anything]))?;
                // What comes later comes after this point: else the time between two would not be that of the work.
                // SAFETY: the event is alive.
                hazards.raise(Arc::new(unsafe { Event::retain(event.raw()) }?));
                event
            }
        };
        // A queue of another thread may wait for it, and a driver need not begin by itself.
        self.flush()?;
        Ok(Arc::new(ClTag::new(event, self.profiling)))
    }

    fn wait(&self, tag: &dyn BackendTag) -> Result<()> {
        let event = tag::downcast(tag)?.event().raw();
        if let Order::ByMemory(hazards) = &self.order {
            // SAFETY: the event is alive.
            let event = unsafe { Event::retain(event) }?;
            hazards.lock().unwrap_or_else(PoisonError::into_inner).add_to_floor(Arc::new(event));
            return Ok(());
        }
        self.barrier(&[event])?;
        self.queued.fetch_add(1, Ordering::Release);
        Ok(())
    }

    fn finish(&self) -> Result<()> {
        self.unflushed.store(0, Ordering::Relaxed);
        let queued = self.queued.load(Ordering::Acquire);
        match &self.order {
            Order::ByMemory(hazards) => {
                // Locked meanwhile, so that no command is noted and forgotten at once.
                let mut hazards = hazards.lock().unwrap_or_else(PoisonError::into_inner);
                self.queue.finish()?;
                hazards.clear();
            }
            Order::In | Order::Fenced => self.queue.finish()?,
        }
        self.done.fetch_max(queued, Ordering::Release);
        Ok(())
    }

    fn finish_within(&self, limit: Duration) -> Result<bool> {
        // A marker costs 20 µs and more; nothing is to be marked where nothing came after the last wait.
        if self.done.load(Ordering::Acquire) == self.queued.load(Ordering::Acquire) {
            return Ok(true);
        }
        let tag = self.tag()?;
        poll_until(limit, || tag.is_reached())
    }
}

/// The stream behind a contract reference.
pub(crate) fn downcast(stream: &dyn BackendStream) -> Result<&ClStream> {
    (stream as &dyn Any).downcast_ref().ok_or_else(|| error::internal("a stream of another backend reached OpenCL"))
}

#[cfg(test)]
mod tests {
    use super::shortest;

    #[test]
    fn a_pattern_is_cut_to_what_repeats() {
        assert_eq!(shortest(&[7; 24]), [7]);
        assert_eq!(shortest(&[1, 2, 1, 2]), [1, 2]);
        assert_eq!(shortest(&[1, 2, 1]), [1, 2, 1]);
        assert_eq!(shortest(&[0, 0, 0, 1]), [0, 0, 0, 1]);
    }
}
