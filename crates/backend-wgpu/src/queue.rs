//! Work that is recorded and not yet submitted.
//!
//! Recording a dispatch takes a microsecond or two, submitting takes tens: so dispatches gather in one encoder until
//! somebody waits, or until it holds some number of them. The device runs them while the host records the next ones.

use crate::context::Context;
use crate::error;
use ferrocca_core::Result;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

/// Dispatches after which an encoder is submitted although nobody waits. On an H200 a queued launch takes longest of the host's
/// time with less than 32; with 1000, the device is idle for as long as they are recorded.
const MOST_DISPATCHES: u32 = 64;

/// The same where a processor emulates a GPU: Mesa's driver waits in a submission until the one before has run.
const MOST_DISPATCHES_EMULATED: u32 = 1000;

/// Bytes of arguments too long for immediates that one encoder can hold.
const ARGUMENT_BYTES: usize = 1 << 20;

/// What arguments in memory are aligned to: the most that an API asks for.
const ARGUMENT_ALIGN: usize = 256;

/// The one queue of a device.
pub(crate) struct Queue {
    pub(crate) raw: wgpu::Queue,
    recorded: Mutex<Recorded>,
    most_dispatches: u32,
    /// Structures of arguments that are longer than immediates may be.
    pub(crate) arguments: wgpu::Buffer,
    pub(crate) arguments_layout: wgpu::BindGroupLayout,
    /// Points of time on the device, where it tells.
    pub(crate) timestamps: Option<crate::tag::Timestamps>,
}

/// What is recorded. The pass stands before its encoder, so that it ends first.
#[derive(Default)]
pub(crate) struct Recorded {
    pass: Option<wgpu::ComputePass<'static>>,
    encoder: Option<wgpu::CommandEncoder>,
    dispatches: u32,
    /// What the pass has set last: it need not be set again.
    set: (u64, u64),
    arguments: Vec<u8>,
    /// Told which submission they became part of.
    waiting: Vec<Arc<OnceLock<wgpu::SubmissionIndex>>>,
}

/// One dispatch.
pub(crate) struct Dispatch<'a> {
    pub(crate) pipeline: (u64, &'a wgpu::ComputePipeline),
    pub(crate) group: (u64, &'a wgpu::BindGroup),
    /// Immediates, or the bind group of [`Queue::arguments`] and the bytes.
    pub(crate) arguments: Arguments<'a>,
    pub(crate) groups: [u32; 3],
}

/// How a dispatch's structure of arguments travels.
pub(crate) enum Arguments<'a> {
    None,
    Immediates(&'a [u8]),
    Memory(&'a wgpu::BindGroup, &'a [u8]),
}

impl Queue {
    pub(crate) fn new(
        device: &wgpu::Device,
        raw: wgpu::Queue,
        device_type: wgpu::DeviceType,
        features: wgpu::Features,
    ) -> Self {
        let arguments = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("arguments"),
            size: ARGUMENT_BYTES as u64,
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let arguments_layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("arguments"),
            entries: &[wgpu::BindGroupLayoutEntry {
                binding: 0,
                visibility: wgpu::ShaderStages::COMPUTE,
                ty: wgpu::BindingType::Buffer {
                    ty: wgpu::BufferBindingType::Storage { read_only: true },
                    has_dynamic_offset: true,
                    min_binding_size: None,
                },
                count: None,
            }],
        });
        let timestamps = crate::tag::Timestamps::new(device, features);
        let is_emulated = device_type == wgpu::DeviceType::Cpu;
        let most_dispatches = if is_emulated { MOST_DISPATCHES_EMULATED } else { MOST_DISPATCHES };
        Self { raw, recorded: Mutex::default(), most_dispatches, arguments, arguments_layout, timestamps }
    }

    /// What is recorded, for this thread alone.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Recorded> {
        // A thread that panicked left whole commands: each is recorded by one call.
        self.recorded.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Submits what is recorded.
    pub(crate) fn submit(&self, context: &Context) -> Result<()> {
        self.lock().submit(context);
        context.failure.check()
    }

    /// Submits what is recorded and waits until the device is done with it and all before.
    pub(crate) fn finish(&self, context: &Context) -> Result<()> {
        self.lock().submit(context);
        wait(context, None)
    }

    /// As [`finish`](Self::finish), for `limit` at most; whether all is done.
    pub(crate) fn finish_within(&self, context: &Context, limit: Duration) -> Result<bool> {
        self.lock().submit(context);
        poll(context, wgpu::PollType::Wait { submission_index: None, timeout: Some(limit) })
    }
}

/// Waits for a submission, or for all.
pub(crate) fn wait(context: &Context, submission: Option<wgpu::SubmissionIndex>) -> Result<()> {
    poll(context, wgpu::PollType::Wait { submission_index: submission, timeout: None }).map(drop)
}

/// Whether a submission is done, without waiting for it.
pub(crate) fn is_done(context: &Context, submission: wgpu::SubmissionIndex) -> Result<bool> {
    poll(context, wgpu::PollType::Wait { submission_index: Some(submission), timeout: Some(Duration::ZERO) })
}

/// Whether what is waited for is done.
fn poll(context: &Context, poll: wgpu::PollType) -> Result<bool> {
    // A device that is lost answers as it likes.
    context.failure.check()?;
    // wgpu panics where it learns in this call that the device is lost (`Device::poll` of version 30), after it has told
    // of the loss, and with nothing locked. It also panics where a wait with a limit has run out and another thread's call
    // empties the queue before this one looks at it: then what was waited for is done, and the next call says so.
    let call = || std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| context.device.poll(poll.clone())));
    let mut polled = call();
    context.failure.check()?;
    let has_limit = matches!(poll, wgpu::PollType::Wait { timeout: Some(_), .. });
    if polled.is_err() && has_limit {
        polled = call();
        context.failure.check()?;
    }
    match polled {
        Ok(Ok(_)) => Ok(true),
        Ok(Err(wgpu::PollError::Timeout)) => Ok(false),
        Ok(Err(error)) => Err(error::driver("poll", error)),
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

impl Recorded {
    /// The encoder, outside of any pass.
    pub(crate) fn encoder(&mut self, context: &Context) -> &mut wgpu::CommandEncoder {
        self.pass = None;
        self.encoder.get_or_insert_with(|| {
            context.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("ferrocca") })
        })
    }

    /// Records a dispatch, and submits them when there are many.
    pub(crate) fn dispatch(&mut self, context: &Context, dispatch: &Dispatch<'_>) {
        if let Arguments::Memory(_, bytes) = dispatch.arguments
            && self.arguments.len() + bytes.len() > ARGUMENT_BYTES
        {
            self.submit(context);
        }
        if self.pass.is_none() {
            let pass = self
                .encoder(context)
                .begin_compute_pass(&wgpu::ComputePassDescriptor { label: None, timestamp_writes: None })
                .forget_lifetime();
            self.pass = Some(pass);
            self.set = (0, 0);
        }
        let Some(pass) = &mut self.pass else { return };
        let (pipeline, group) = (dispatch.pipeline, dispatch.group);
        if self.set.0 != pipeline.0 {
            pass.set_pipeline(pipeline.1);
        }
        if self.set.1 != group.0 {
            pass.set_bind_group(0, group.1, &[]);
        }
        self.set = (pipeline.0, group.0);
        match dispatch.arguments {
            Arguments::None => {}
            Arguments::Immediates(bytes) => pass.set_immediates(0, bytes),
            Arguments::Memory(group, bytes) => {
                let offset = self.arguments.len();
                self.arguments.extend_from_slice(bytes);
                self.arguments.resize(self.arguments.len().next_multiple_of(ARGUMENT_ALIGN), 0);
                pass.set_bind_group(1, group, &[offset as u32]);
            }
        }
        let [x, y, z] = dispatch.groups;
        pass.dispatch_workgroups(x, y, z);
        self.dispatches += 1;
        if self.dispatches >= context.queue.most_dispatches {
            self.submit(context);
        }
    }

    /// Submits what is recorded; nothing in a child of the process, where nobody would run it.
    pub(crate) fn submit(&mut self, context: &Context) {
        if context.failure.is_forked() {
            return;
        }
        self.pass = None;
        let Some(encoder) = self.encoder.take() else { return };
        if !self.arguments.is_empty() {
            // Written before the commands of the submission, and after those of the one before.
            context.queue.raw.write_buffer(&context.queue.arguments, 0, &self.arguments);
            self.arguments.clear();
        }
        self.dispatches = 0;
        let submission = context.queue.raw.submit([encoder.finish()]);
        for waiting in self.waiting.drain(..) {
            // Each is set here only.
            let _ = waiting.set(submission.clone());
        }
    }

    /// A promise of the submission that what is recorded now will be part of.
    pub(crate) fn ticket(&mut self, context: &Context) -> Arc<OnceLock<wgpu::SubmissionIndex>> {
        let ticket = Arc::default();
        // With nothing recorded, an empty submission stands for all before it.
        self.encoder(context);
        self.waiting.push(Arc::clone(&ticket));
        ticket
    }
}

#[cfg(test)]
mod tests {
    use crate::device::{WGPU, WgpuDevice};
    use ferrocca_core::{Device, args};
    use std::any::Any;

    #[test]
    fn the_device_begins_though_nobody_waits() {
        let opened = Device::open_with(&WGPU, "mode=WebGPU");
        let Some(device) = crate::fault_injection::unless_missing(opened) else { return };
        let backend: &dyn Any = &**device.backend();
        let context = &backend.downcast_ref::<WgpuDevice>().expect("a device of this crate").context;
        let mut memory = device.malloc_filled(64, 0.0_f32).expect("memory");
        let source = "@kernel void add(const int n, float *x) {
            for (int i = 0; i < n; ++i; @tile(32, @outer, @inner)) { x[i] += 1.0f; }
        }";
        let kernel = device.build_kernel_from_string(source, "add", "").expect("it builds");
        device.finish().expect("it is done");
        let submitted = context.queue.lock().ticket(context);
        let most = context.queue.most_dispatches;
        for launch in 1..=most {
            assert!(submitted.get().is_none(), "before launch {launch}");
            kernel.launch(args![64, &mut memory]).expect("it is queued");
        }
        assert!(submitted.get().is_some());
        assert_eq!(memory.to_vec().expect("results"), [most as f32; 64]);
    }
}
