//! Recorded graphs through `cl_khr_command_buffer`: launches that follow each other are recorded once, and a replay
//! queues them together. Copies and fills between them are queued as they are.
//!
//! A graph of launches alone is recorded several repetitions long, so that a replay of many is few commands. The
//! extension's newer versions gave its copies and fills another signature than its older ones; its launches never
//! changed, which is why only these are recorded.

use crate::device::Shared;
use crate::driver::{DeviceId, Kernel, Queue, ask, library};
use crate::error;
use crate::kernel::{self, Part};
use crate::stream::{self, ClStream};
use cl3::error_codes::CL_SUCCESS;
use cl3::types::{cl_command_queue, cl_event, cl_int, cl_kernel, cl_uint};
use ferrocca_core::Result;
use ferrocca_core::backend::{BackendGraph, BackendStream, GraphArgument, GraphCommand, GraphReplay, PackedArgument};
use std::collections::HashMap;
use std::ffi::{CStr, c_void};
use std::ops::Range;
use std::sync::Arc;

const CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR: u32 = 0x12A9;
const CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR: u32 = 0x12AA;
const CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR: u64 = 1 << 2;
const CL_COMMAND_BUFFER_FLAGS_KHR: u64 = 0x1293;
const CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR: u64 = 1 << 0;

/// Launches of one command buffer, at least: that many repetitions of the graph are recorded together.
const LAUNCHES: usize = 64;

/// A `cl_command_buffer_khr`.
type Handle = *mut c_void;

type Create = unsafe extern "system" fn(cl_uint, *const cl_command_queue, *const u64, *mut cl_int) -> Handle;
type OfBuffer = unsafe extern "system" fn(Handle) -> cl_int;
type Enqueue = unsafe extern "system" fn(
    cl_uint,
    *const cl_command_queue,
    Handle,
    cl_uint,
    *const cl_event,
    *mut cl_event,
) -> cl_int;
type Launch = unsafe extern "system" fn(
    Handle,
    cl_command_queue,
    *const u64,
    cl_kernel,
    cl_uint,
    *const usize,
    *const usize,
    *const usize,
    cl_uint,
    *const cl_uint,
    *mut cl_uint,
    *mut *mut c_void,
) -> cl_int;

/// The extension's functions, which the loader does not export.
#[derive(Clone, Copy)]
struct Functions {
    create: Create,
    finalize: OfBuffer,
    release: OfBuffer,
    enqueue: Enqueue,
    launch: Launch,
}

impl Functions {
    /// The driver's, or `None` where it has not all of them.
    fn of(shared: &Shared) -> Result<Option<Self>> {
        let library = library()?;
        let find = |name: &CStr| {
            let platform = shared.candidate.platform_id();
            library
                .clGetExtensionFunctionAddressForPlatform(platform, name.as_ptr())
                .filter(|address| !address.is_null())
        };
        let all = (
            find(c"clCreateCommandBufferKHR"),
            find(c"clFinalizeCommandBufferKHR"),
            find(c"clReleaseCommandBufferKHR"),
            find(c"clEnqueueCommandBufferKHR"),
            find(c"clCommandNDRangeKernelKHR"),
        );
        let (Some(create), Some(finalize), Some(release), Some(enqueue), Some(launch)) = all else {
            return Ok(None);
        };
        // SAFETY: the driver answers the address of the function of that name, whose type the extension fixes.
        Ok(Some(unsafe {
            Self {
                create: std::mem::transmute::<*mut c_void, Create>(create),
                finalize: std::mem::transmute::<*mut c_void, OfBuffer>(finalize),
                release: std::mem::transmute::<*mut c_void, OfBuffer>(release),
                enqueue: std::mem::transmute::<*mut c_void, Enqueue>(enqueue),
                launch: std::mem::transmute::<*mut c_void, Launch>(launch),
            }
        }))
    }
}

/// Whether buffers of commands can be replayed as graphs are: again before they have run, on ordinary queues.
pub(crate) fn can_record(device: DeviceId) -> bool {
    let can: u64 = ask(device, CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR).unwrap_or(0);
    let needs: u64 = ask(device, CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR).unwrap_or(u64::MAX);
    can & CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR != 0 && needs == 0
}

/// A recorded buffer of commands.
struct Recorded {
    handle: Handle,
    functions: Functions,
    /// The queue that it was recorded for, which it may be replayed on.
    queue: Queue,
    /// Kernels of its launches, with their arguments.
    kernels: Vec<Kernel>,
}

// SAFETY: the driver's objects may be used from any thread, and recording, which may not, is over.
unsafe impl Send for Recorded {}
// SAFETY: as above.
unsafe impl Sync for Recorded {}

impl Drop for Recorded {
    fn drop(&mut self) {
        // A driver need not keep what replays still run from (PoCL 3.1 does not keep the kernels).
        let _ = self.queue.finish();
        if library().is_err() {
            return;
        }
        // SAFETY: the buffer is alive, its one reference is ours, and nothing that was queued needs it any more.
        unsafe { (self.functions.release)(self.handle) };
    }
}

/// What was recorded: some commands of a phase, and whole repetitions from a phase on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    queue: usize,
    phase: usize,
    begin: usize,
    end: usize,
    repetitions: usize,
}

/// A graph that is replayed through command buffers.
struct ClGraph {
    functions: Functions,
    phases: Vec<Vec<GraphCommand>>,
    /// Repetitions that are recorded together: a multiple of the phases; 1 where not all commands are launches.
    together: usize,
    recorded: HashMap<Key, Recorded>,
    /// It was replayed since its values were last changed: another replay is worth a recording.
    is_settled: bool,
}

/// A graph, where the driver can record one.
///
/// # Safety
/// As [`ferrocca_core::backend::BackendDevice::lower_graph`].
pub(crate) unsafe fn lower(
    shared: &Arc<Shared>,
    phases: &[Vec<GraphCommand>],
) -> Result<Option<Box<dyn BackendGraph>>> {
    if !shared.command_buffers {
        return Ok(None);
    }
    let Some(functions) = Functions::of(shared)? else { return Ok(None) };
    let commands = phases.first().map_or(0, Vec::len);
    let is_launch = |command: &GraphCommand| matches!(command, GraphCommand::Launch { .. });
    let launches_only = commands > 0 && phases.iter().all(|phase| phase.iter().all(is_launch));
    let together = if launches_only { LAUNCHES.div_ceil(commands).next_multiple_of(phases.len()) } else { 1 };
    Ok(Some(Box::new(ClGraph {
        functions,
        phases: phases.to_vec(),
        together,
        recorded: HashMap::new(),
        is_settled: false,
    })))
}

impl ClGraph {
    /// Queues one repetition of a phase; copies with a stride go to `slot`.
    fn repetition(&mut self, phase: usize, slot: u64, stream: &ClStream) -> Result<()> {
        let count = self.phases[phase].len();
        let mut at = 0;
        while at < count {
            let end = (at..count).find(|&index| !matches!(self.phases[phase][index], GraphCommand::Launch { .. }));
            let end = end.unwrap_or(count);
            if end > at && stream.keeps_order() && self.is_settled {
                self.queue_recorded(phase, at..end, 1, stream)?;
                at = end;
            } else {
                // SAFETY: whoever made the graph vouches for its arguments.
                unsafe { self.phases[phase][at].queue(slot, stream) }?;
                at += 1;
            }
        }
        Ok(())
    }

    /// Queues commands of a phase, or whole repetitions from it on, as one; records them at their first use.
    fn queue_recorded(
        &mut self,
        phase: usize,
        commands: Range<usize>,
        repetitions: usize,
        stream: &ClStream,
    ) -> Result<()> {
        let queue = stream.queue();
        let key = Key { queue: queue.raw() as usize, phase, begin: commands.start, end: commands.end, repetitions };
        if !self.recorded.contains_key(&key) {
            let recorded = self.record(&key, queue)?;
            self.recorded.insert(key, recorded);
        }
        let recorded = &self.recorded[&key];
        stream.enqueue("clEnqueueCommandBufferKHR", std::iter::empty, |count, list, event| {
            let queue = recorded.queue.raw();
            // SAFETY: the buffer is finalized and alive, and was recorded for this queue.
            Some(unsafe { (self.functions.enqueue)(1, &raw const queue, recorded.handle, count, list, event) })
        })
    }

    fn record(&self, key: &Key, queue: &Queue) -> Result<Recorded> {
        let properties = [CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR, 0];
        let (raw, mut status) = (queue.raw(), CL_SUCCESS);
        // SAFETY: the queue is alive, the list of properties ends with a zero.
        let handle = unsafe { (self.functions.create)(1, &raw const raw, properties.as_ptr(), &raw mut status) };
        check("clCreateCommandBufferKHR", status)?;
        // SAFETY: the queue is alive.
        let queue = unsafe { Queue::retain(raw) }?;
        let mut recorded = Recorded { handle, functions: self.functions, queue, kernels: Vec::new() };
        for repetition in 0..key.repetitions {
            let phase = &self.phases[(key.phase + repetition) % self.phases.len()];
            for command in &phase[key.begin..key.end] {
                self.record_launch(&mut recorded, command)?;
            }
        }
        // SAFETY: the buffer is alive and not finalized.
        check("clFinalizeCommandBufferKHR", unsafe { (self.functions.finalize)(handle) })?;
        Ok(recorded)
    }

    fn record_launch(&self, into: &mut Recorded, command: &GraphCommand) -> Result<()> {
        let GraphCommand::Launch { kernel, nest, dims, arguments, .. } = command else {
            return Err(error::internal("a command that is no launch was to be recorded"));
        };
        let arguments: Vec<PackedArgument<'_>> = arguments.iter().map(GraphArgument::pack).collect();
        for (kernel, Part { axes, global, local, .. }) in
            kernel::downcast(&**kernel)?.prepare(dims, nest, &arguments)?
        {
            let none = std::ptr::null();
            // SAFETY: buffer and kernel are alive, the kernel as long as the buffer. Without a queue of its own the command
            // goes to the buffer's, which keeps its order.
            let status = unsafe {
                (self.functions.launch)(
                    into.handle,
                    std::ptr::null_mut(),
                    std::ptr::null(),
                    kernel.raw(),
                    axes,
                    none,
                    global.as_ptr(),
                    local.as_ptr(),
                    0,
                    std::ptr::null(),
                    std::ptr::null_mut(),
                    std::ptr::null_mut(),
                )
            };
            check("clCommandNDRangeKernelKHR", status)?;
            into.kernels.push(kernel);
        }
        Ok(())
    }
}

fn check(call: &'static str, status: cl_int) -> Result<()> {
    if status == CL_SUCCESS { Ok(()) } else { Err(error::driver(call, status)) }
}

impl BackendGraph for ClGraph {
    fn replay(&mut self, replay: GraphReplay, stream: &dyn BackendStream) -> Result<()> {
        let stream = stream::downcast(stream)?;
        let phases = self.phases.len() as u64;
        let (together, mut done) = (self.together as u64, 0);
        let phase = |done: u64| ((replay.first_phase as u64 + done) % phases) as usize;
        self.is_settled |= replay.times >= together;
        while together > 1 && stream.keeps_order() && replay.times - done >= together {
            let commands = self.phases[0].len();
            self.queue_recorded(phase(done), 0..commands, self.together, stream)?;
            done += together;
        }
        for repetition in done..replay.times {
            self.repetition(phase(repetition), replay.first_slot + repetition, stream)?;
        }
        self.is_settled = true;
        stream.flush()
    }

    fn update_value(&mut self, command: usize, argument: usize, value: &[u8]) -> Result<()> {
        for phase in &mut self.phases {
            let found = match phase.get_mut(command) {
                Some(GraphCommand::Launch { arguments, .. }) => arguments.get_mut(argument),
                _ => None,
            };
            match found {
                Some(GraphArgument::Value(bytes)) if bytes.len() == value.len() => bytes.copy_from_slice(value),
                _ => return Err(error::internal(format!("argument {argument} of command {command} is no such value"))),
            }
        }
        // What was recorded has the value before; it is recorded anew when it is replayed.
        self.recorded.clear();
        self.is_settled = false;
        Ok(())
    }
}
