//! The driver's table of functions, loaded at run time, and its reference-counted objects.
//!
//! Calls go through `cl3`'s table rather than its functions: those ask for an event per command, which costs as much as
//! the command itself.

use crate::error;
use cl3::event::{CL_COMPLETE, CL_EVENT_COMMAND_EXECUTION_STATUS, CL_EVENT_COMMAND_QUEUE};
use cl3::types::{cl_command_queue, cl_context, cl_device_id, cl_event, cl_kernel, cl_mem, cl_platform_id, cl_program};
use ferrocca_core::Result;
use ferrocca_core::backend::Process;
use std::ffi::{CStr, c_void};
use std::sync::OnceLock;

/// The loaded library. Every call of the driver's, and every release of its objects, asks for it.
/// # Errors
/// Unavailable, with what the system said and what to install; Unsupported in a child of the process that loaded it: PoCL waits
/// there for threads that do not exist, and other drivers have no connection to the device.
pub(crate) fn library() -> Result<&'static cl3::OpenClRuntime> {
    static LOADED_IN: OnceLock<Process> = OnceLock::new();
    if LOADED_IN.get_or_init(Process::current).is_forked() {
        return Err(error::forked());
    }
    match cl3::load_library() {
        Ok(library) => Ok(library),
        Err(reason) => Err(error::unavailable(format!(
            "the OpenCL library cannot be loaded ({reason}); install a driver of your device and its loader (Debian, \
             Ubuntu: `apt install ocl-icd-libopencl1`, and `pocl-opencl-icd` for CPUs)"
        ))),
    }
}

/// Calls a function of the driver that answers a status.
macro_rules! call {
    ($name:ident($($argument:expr),* $(,)?)) => {
        match $crate::driver::library()?.$name($($argument),*) {
            Some(cl3::error_codes::CL_SUCCESS) => Ok(()),
            Some(status) => Err($crate::error::driver(stringify!($name), status)),
            None => Err($crate::error::no_such_call(stringify!($name))),
        }
    };
}
pub(crate) use call;

/// Calls a function of the driver that answers an object, and a status through its last argument.
macro_rules! create {
    ($name:ident($($argument:expr),* $(,)?)) => {{
        let mut status = cl3::error_codes::CL_SUCCESS;
        match $crate::driver::library()?.$name($($argument,)* &raw mut status) {
            Some(object) if status == cl3::error_codes::CL_SUCCESS && !object.is_null() => Ok(object),
            Some(_) => Err($crate::error::driver(stringify!($name), status)),
            None => Err($crate::error::no_such_call(stringify!($name))),
        }
    }};
}
pub(crate) use create;

/// A type that holds one reference of a driver's object.
macro_rules! object {
    ($(#[$doc:meta])* $name:ident, $raw:ty, $retain:ident, $release:ident) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub(crate) struct $name($raw);

        // SAFETY: the driver's objects may be used from any thread (an OpenCL guarantee; `clSetKernelArg` alone is
        // excepted, and `kernel` holds a lock around it).
        unsafe impl Send for $name {}
        // SAFETY: as above.
        unsafe impl Sync for $name {}

        #[allow(dead_code)] // not every kind of object is made, shared and taken
        impl $name {
            /// Takes over a reference that the caller has.
            ///
            /// # Safety
            /// `raw` is a live object, and one of its references is the caller's to give away.
            pub(crate) unsafe fn own(raw: $raw) -> Self {
                Self(raw)
            }

            /// Adds a reference of its own.
            ///
            /// # Safety
            /// `raw` is a live object.
            pub(crate) unsafe fn retain(raw: $raw) -> Result<Self> {
                call!($retain(raw))?;
                Ok(Self(raw))
            }

            /// The driver's handle.
            pub(crate) fn raw(&self) -> $raw {
                self.0
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                if let Ok(library) = library() {
                    // A failure leaves nothing to be done: the object is not used again.
                    let _ = library.$release(self.0);
                }
            }
        }
    };
}

object!(
    /// A context.
    Context, cl_context, clRetainContext, clReleaseContext
);
object!(
    /// A command queue.
    Queue, cl_command_queue, clRetainCommandQueue, clReleaseCommandQueue
);
object!(
    /// A buffer.
    Mem, cl_mem, clRetainMemObject, clReleaseMemObject
);
object!(
    /// A program.
    Program, cl_program, clRetainProgram, clReleaseProgram
);
object!(
    /// A kernel.
    Kernel, cl_kernel, clRetainKernel, clReleaseKernel
);
object!(
    /// An event.
    Event, cl_event, clRetainEvent, clReleaseEvent
);

impl Event {
    /// Waits until the command of this event has ended, well or not.
    pub(crate) fn wait(&self) -> Result<()> {
        call!(clWaitForEvents(1, &self.0))
    }

    /// Whether the command of this event has ended. Where it has not, its queue is flushed, so that it will.
    /// # Errors
    /// That of the command.
    pub(crate) fn has_ended(&self) -> Result<bool> {
        let mut status = 0_i32;
        let ask = |what, bytes, answer| call!(clGetEventInfo(self.0, what, bytes, answer, std::ptr::null_mut()));
        ask(CL_EVENT_COMMAND_EXECUTION_STATUS, size_of::<i32>(), (&raw mut status).cast())?;
        match status {
            CL_COMPLETE => Ok(true),
            status if status < 0 => Err(error::driver("clGetEventInfo", status)),
            _ => {
                let mut queue: cl_command_queue = std::ptr::null_mut();
                ask(CL_EVENT_COMMAND_QUEUE, size_of::<cl_command_queue>(), (&raw mut queue).cast())?;
                // The event keeps its queue alive.
                call!(clFlush(queue)).map(|()| false)
            }
        }
    }
}

impl Queue {
    pub(crate) fn flush(&self) -> Result<()> {
        call!(clFlush(self.0))
    }

    pub(crate) fn finish(&self) -> Result<()> {
        call!(clFinish(self.0))
    }
}

/// A device, which lives as long as its driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DeviceId(pub(crate) cl_device_id);

// SAFETY: it names an object of the driver that is never freed, and is only passed to its functions.
unsafe impl Send for DeviceId {}
// SAFETY: as above.
unsafe impl Sync for DeviceId {}

/// Something of which the driver answers questions.
pub(crate) trait Asked: Copy {
    /// `clGet…Info(self, what, bytes, answer, bytes_needed)`.
    fn ask(self, what: u32, bytes: usize, answer: *mut c_void, needed: *mut usize) -> Result<()>;
}

impl Asked for DeviceId {
    fn ask(self, what: u32, bytes: usize, answer: *mut c_void, needed: *mut usize) -> Result<()> {
        call!(clGetDeviceInfo(self.0, what, bytes, answer, needed))
    }
}

/// A platform: one driver.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlatformId(pub(crate) cl_platform_id);

impl Asked for PlatformId {
    fn ask(self, what: u32, bytes: usize, answer: *mut c_void, needed: *mut usize) -> Result<()> {
        call!(clGetPlatformInfo(self.0, what, bytes, answer, needed))
    }
}

impl Asked for &Queue {
    fn ask(self, what: u32, bytes: usize, answer: *mut c_void, needed: *mut usize) -> Result<()> {
        call!(clGetCommandQueueInfo(self.0, what, bytes, answer, needed))
    }
}

impl Asked for &Mem {
    fn ask(self, what: u32, bytes: usize, answer: *mut c_void, needed: *mut usize) -> Result<()> {
        call!(clGetMemObjectInfo(self.0, what, bytes, answer, needed))
    }
}

impl Asked for &Context {
    fn ask(self, what: u32, bytes: usize, answer: *mut c_void, needed: *mut usize) -> Result<()> {
        call!(clGetContextInfo(self.0, what, bytes, answer, needed))
    }
}

impl Asked for &Program {
    fn ask(self, what: u32, bytes: usize, answer: *mut c_void, needed: *mut usize) -> Result<()> {
        call!(clGetProgramInfo(self.0, what, bytes, answer, needed))
    }
}

impl Asked for (&Program, DeviceId) {
    fn ask(self, what: u32, bytes: usize, answer: *mut c_void, needed: *mut usize) -> Result<()> {
        call!(clGetProgramBuildInfo(self.0.0, self.1.0, what, bytes, answer, needed))
    }
}

impl Asked for &Kernel {
    fn ask(self, what: u32, bytes: usize, answer: *mut c_void, needed: *mut usize) -> Result<()> {
        call!(clGetKernelInfo(self.0, what, bytes, answer, needed))
    }
}

impl Asked for (&Kernel, DeviceId) {
    fn ask(self, what: u32, bytes: usize, answer: *mut c_void, needed: *mut usize) -> Result<()> {
        call!(clGetKernelWorkGroupInfo(self.0.0, self.1.0, what, bytes, answer, needed))
    }
}

impl Asked for &Event {
    fn ask(self, what: u32, bytes: usize, answer: *mut c_void, needed: *mut usize) -> Result<()> {
        call!(clGetEventProfilingInfo(self.0, what, bytes, answer, needed))
    }
}

/// An answer of any length.
pub(crate) fn ask_bytes(of: impl Asked, what: u32) -> Result<Vec<u8>> {
    let mut needed = 0;
    of.ask(what, 0, std::ptr::null_mut(), &raw mut needed)?;
    let mut answer = vec![0_u8; needed];
    if needed > 0 {
        of.ask(what, needed, answer.as_mut_ptr().cast(), std::ptr::null_mut())?;
    }
    Ok(answer)
}

/// An answer that is text.
pub(crate) fn ask_text(of: impl Asked, what: u32) -> Result<String> {
    let bytes = ask_bytes(of, what)?;
    let text = CStr::from_bytes_until_nul(&bytes).map_or(&bytes[..], CStr::to_bytes);
    Ok(String::from_utf8_lossy(text).trim().to_owned())
}

/// Types of which any bytes are a value.
pub(crate) trait Plain: Copy + Default {}
impl Plain for u32 {}
impl Plain for u64 {}
impl Plain for usize {}

/// An answer that is one number.
pub(crate) fn ask<T: Plain>(of: impl Asked, what: u32) -> Result<T> {
    let mut answer = T::default();
    of.ask(what, size_of::<T>(), (&raw mut answer).cast(), std::ptr::null_mut())?;
    Ok(answer)
}

/// An answer that is one handle: a number as wide as a pointer.
pub(crate) fn ask_handle(of: impl Asked, what: u32) -> Result<*mut c_void> {
    let mut answer = std::ptr::null_mut::<c_void>();
    of.ask(what, size_of::<*mut c_void>(), (&raw mut answer).cast(), std::ptr::null_mut())?;
    Ok(answer)
}
