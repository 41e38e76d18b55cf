//! Tags: points in the queue, with the device's own time where it tells.

use crate::context::Context;
use crate::error;
use crate::queue;
use ferrocca_core::backend::BackendTag;
use ferrocca_core::{Error, Result};
use std::any::Any;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Most tags that carry a time at once: the size of a query set in WebGPU.
const MOST_TIMES: u32 = 4096;

/// Where the device writes its time.
pub(crate) struct Timestamps {
    set: wgpu::QuerySet,
    /// Places that no tag has.
    free: Mutex<Vec<u32>>,
}

impl Timestamps {
    /// `None` where the device tells no time.
    pub(crate) fn new(device: &wgpu::Device, features: wgpu::Features) -> Option<Self> {
        let needed = wgpu::Features::TIMESTAMP_QUERY | wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS;
        features.contains(needed).then(|| Self {
            set: device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("tags"),
                ty: wgpu::QueryType::Timestamp,
                count: MOST_TIMES,
            }),
            free: Mutex::new((0..MOST_TIMES).collect()),
        })
    }

    fn free(&self) -> std::sync::MutexGuard<'_, Vec<u32>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A point in the queue.
pub(crate) struct WgpuTag {
    context: Arc<Context>,
    ticket: Arc<OnceLock<wgpu::SubmissionIndex>>,
    /// Place of its time.
    slot: Option<u32>,
}

impl WgpuTag {
    /// Marks what is recorded up to now.
    pub(crate) fn new(context: &Arc<Context>) -> Result<Self> {
        context.failure.check()?;
        let slot = context.queue.timestamps.as_ref().and_then(|times| times.free().pop());
        let mut recorded = context.queue.lock();
        if let (Some(times), Some(slot)) = (&context.queue.timestamps, slot) {
            recorded.encoder(context).write_timestamp(&times.set, slot);
        }
        let ticket = recorded.ticket(context);
        drop(recorded);
        Ok(Self { context: Arc::clone(context), ticket, slot })
    }

    /// The device's time, in its own ticks.
    fn ticks(&self, times: &Timestamps, slot: u32) -> Result<u64> {
        self.wait()?;
        let device = &self.context.device;
        let buffer = |usage| {
            let descriptor = wgpu::BufferDescriptor { label: Some("time"), size: 8, usage, mapped_at_creation: false };
            device.create_buffer(&descriptor)
        };
        let resolved = buffer(wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC);
        {
            let mut recorded = self.context.queue.lock();
            recorded.encoder(&self.context).resolve_query_set(&times.set, slot..slot + 1, &resolved, 0);
        }
        let mut bytes = [0; 8];
        crate::transfer::copy_out(&self.context, &resolved, 0, &mut bytes)?;
        Ok(u64::from_ne_bytes(bytes))
    }
}

impl BackendTag for WgpuTag {
    fn wait(&self) -> Result<()> {
        if self.ticket.get().is_none() {
            self.context.queue.submit(&self.context)?;
        }
        match self.ticket.get() {
            Some(submission) => queue::wait(&self.context, Some(submission.clone())),
            None => Err(error::internal("a tag that no submission took")),
        }
    }

    fn is_reached(&self) -> Result<bool> {
        if self.ticket.get().is_none() {
            self.context.queue.submit(&self.context)?;
        }
        match self.ticket.get() {
            Some(submission) => queue::is_done(&self.context, submission.clone()),
            None => Err(error::internal("a tag that no submission took")),
        }
    }

    fn elapsed_ms(&self, earlier: &dyn BackendTag) -> Result<f64> {
        let Some(earlier) = (earlier as &dyn Any).downcast_ref::<Self>() else {
            return Err(error::internal("a tag of another backend reached WebGPU"));
        };
        let Some(times) = &self.context.queue.timestamps else {
            return Err(Error::unsupported("the time between tags", "this adapter has no timestamps"));
        };
        let (Some(begin), Some(end)) = (earlier.slot, self.slot) else {
            let reason = format!("more than {MOST_TIMES} tags are alive, and those beyond carry no time");
            return Err(Error::unsupported("the time between tags", reason));
        };
        let (begin, end) = (earlier.ticks(times, begin)?, self.ticks(times, end)?);
        let period_ns = f64::from(self.context.queue.raw.get_timestamp_period());
        let forward = end.saturating_sub(begin) as f64;
        let backward = begin.saturating_sub(end) as f64;
        Ok((forward - backward) * period_ns * 1e-6)
    }
}

impl Drop for WgpuTag {
    fn drop(&mut self) {
        if let (Some(times), Some(slot)) = (&self.context.queue.timestamps, self.slot) {
            times.free().push(slot);
        }
    }
}
