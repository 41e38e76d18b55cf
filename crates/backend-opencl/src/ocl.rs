//! The crate [`ocl`]: its contexts, buffers and queues become Ferrocca's, and the other way round, without a copy.
//!
//! ```no_run
//! use ferrocca_backend_opencl::ocl as interop;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let theirs = ocl::ProQue::builder().src("").dims(1000).build()?;
//! let device = interop::device_in(theirs.context(), theirs.device(), "mode=OpenCL")?;
//! let buffer = theirs.create_buffer::<f32>()?;
//! // SAFETY: both sides use the buffer in the order of one queue.
//! let memory = unsafe { interop::memory_of(&device, &buffer)? };
//! let stream = unsafe { interop::stream_of(&device, theirs.queue())? };
//! # Ok(())
//! # }
//! ```
//!
//! Each side holds a reference of its own, so that either may be dropped first.

use crate::wrap::{InContext, handles};
use ferrocca_core::backend::{Api, NativeHandle};
use ferrocca_core::props::IntoProps;
use ferrocca_core::{Device, Element, Error, Memory, Result, Stream};
use ocl::core;
use ocl::{Buffer, Context, OclPrm, Queue};

/// The crate itself, in the version that these functions take.
pub use ::ocl;

/// A device in a context of `ocl`; its memory and streams are that context's.
/// # Errors
/// As [`Device::open_with`], and when the device is not one of the context's.
pub fn device_in(context: &Context, device: ocl::Device, props: impl IntoProps) -> Result<Device> {
    // SAFETY: `ocl` keeps the context alive, and its devices as long as the process.
    let backend = unsafe { InContext::new(context.as_core().as_ptr(), device.as_core().as_raw()) }?;
    Device::open_with(&backend, props)
}

/// The context of a device.
/// # Errors
/// [`ferrocca_core::ErrorKind::Unsupported`] for a device of another backend, failures of the driver.
pub fn context_of(device: &Device) -> Result<Context> {
    let (context, _) = handles(device).ok_or_else(|| other_backend("a context of `ocl`", device))?;
    // SAFETY: the context is alive; `ocl` takes a reference of its own.
    let context = unsafe { core::Context::from_raw_copied_ptr(context) };
    Ok(context.into())
}

/// The device itself, as `ocl` names it.
/// # Errors
/// As [`context_of`].
pub fn device_of(device: &Device) -> Result<ocl::Device> {
    let (_, id) = handles(device).ok_or_else(|| other_backend("a device of `ocl`", device))?;
    // SAFETY: a device lives as long as its driver.
    Ok(unsafe { core::DeviceId::from_raw(id) }.into())
}

/// A buffer as memory of a device in the same context, all of its elements.
///
/// # Safety
/// Both sides use it in an order that queues or events make: neither knows what the other has queued.
/// # Errors
/// As [`Device::wrap_memory`].
pub unsafe fn memory_of<T: Element + OclPrm>(device: &Device, buffer: &Buffer<T>) -> Result<Memory<T>> {
    let handle = NativeHandle::opencl(buffer.as_core().as_ptr() as u64);
    // SAFETY: the handle is a live buffer of so many elements, and the memory holds a reference of its own.
    unsafe { device.wrap_memory(handle, buffer.len()) }
}

/// Memory as a buffer, for use with `queue`.
///
/// # Safety
/// As [`memory_of`].
/// # Errors
/// [`ferrocca_core::ErrorKind::Invalid`] for a part of an allocation (`ocl` has no offset), for memory of no elements,
/// [`ferrocca_core::ErrorKind::Unsupported`] for memory of another backend.
pub unsafe fn buffer_of<T: Element + OclPrm>(memory: &Memory<T>, queue: &Queue) -> Result<Buffer<T>> {
    let any = memory.untyped();
    let Some(NativeHandle::Opaque { api: Api::OPENCL, handle: raw }) = any.handle() else {
        return Err(match any.handle() {
            None => Error::invalid("memory without elements cannot be a buffer"),
            Some(_) => other_backend("a buffer of `ocl`", &any.device()),
        });
    };
    if memory.offset_bytes() != 0 || any.backend().is_some_and(|whole| whole.bytes() != memory.bytes()) {
        return Err(Error::invalid(
            "a slice cannot become a buffer of `ocl`, which has no offset: pass the whole memory",
        ));
    }
    // SAFETY: the buffer is alive; `ocl` takes a reference of its own.
    let mem = unsafe { core::Mem::from_raw_copied_ptr(raw as usize as *mut _) };
    // `ocl` has no other way to a buffer than through one of its own, which is given back here.
    // SAFETY: no host memory is named.
    let buffer = unsafe { Buffer::new(queue, ocl::flags::MEM_READ_WRITE, memory.len(), None) };
    let mut buffer = buffer.map_err(failed("clCreateBuffer"))?;
    *buffer = mem;
    Ok(buffer)
}

/// A queue as a stream of a device in the same context.
///
/// # Safety
/// The queue is in order, or nothing else is queued in it while a Ferrocca command relies on the order.
/// # Errors
/// As [`Device::wrap_stream`].
pub unsafe fn stream_of(device: &Device, queue: &Queue) -> Result<Stream> {
    // SAFETY: the queue is alive, and the stream holds a reference of its own.
    unsafe { device.wrap_stream(queue.as_core().as_ptr() as u64) }
}

/// A stream as a queue.
/// # Errors
/// [`ferrocca_core::ErrorKind::Unsupported`] for a stream of another backend.
pub fn queue_of(stream: &Stream) -> Result<Queue> {
    let device = stream.device();
    let (context, id) = (context_of(&device)?, device_of(&device)?);
    let raw = stream.handle() as usize as *mut _;
    // SAFETY: the queue is alive; `ocl` takes a reference of its own.
    let core = unsafe { core::CommandQueue::from_raw_copied_ptr(raw) };
    // `ocl` has no other way to a queue than through one of its own, which is given back here.
    let mut queue = Queue::new(&context, id, None).map_err(failed("clCreateCommandQueue"))?;
    *queue = core;
    Ok(queue)
}

fn failed<E: std::fmt::Display>(call: &'static str) -> impl Fn(E) -> Error {
    move |error| Error::driver(call, None, error.to_string())
}

fn other_backend(what: &str, device: &Device) -> Error {
    Error::unsupported(what, format!("the device is one of mode `{}`", device.mode()))
}
