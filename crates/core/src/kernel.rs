//! A built kernel: what it is called, what it takes, and how it is launched.

use crate::Result;
use crate::arguments::Arg;
use crate::build::Program;
use crate::device::{Device, DeviceInner};
use crate::launch::LaunchPlan;
use crate::stream::{Stream, same_device};
use okl::Signature;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;

pub use crate::build::BuildOrigin;

/// A kernel of a device. A clone is another handle of the same kernel; handles may be used from any thread.
#[derive(Clone)]
pub struct Kernel {
    inner: Arc<Inner>,
}

struct Inner {
    device: Arc<DeviceInner>,
    plan: Arc<LaunchPlan>,
    program: Arc<Program>,
    origin: BuildOrigin,
}

impl Kernel {
    pub(crate) fn new(
        device: Arc<DeviceInner>,
        plan: Arc<LaunchPlan>,
        program: Arc<Program>,
        origin: BuildOrigin,
    ) -> Self {
        Self { inner: Arc::new(Inner { device, plan, program, origin }) }
    }

    /// Its name in the source.
    pub fn name(&self) -> &str {
        &self.signature().kernel
    }

    /// Parameters, host part and device kernels.
    pub fn signature(&self) -> &Signature {
        self.inner.plan.signature()
    }

    /// The text that the target's compiler was given: readable, the same on every build.
    pub fn source(&self) -> &str {
        self.inner.program.text()
    }

    /// Warnings that the compiler had, rendered with their places; empty where there were none.
    pub fn warnings(&self) -> &str {
        self.inner.program.warnings()
    }

    /// Where this handle's build came from.
    pub fn origin(&self) -> &BuildOrigin {
        &self.inner.origin
    }

    /// The device it belongs to.
    pub fn device(&self) -> Device {
        Device::from_inner(self.inner.device.clone())
    }

    /// Queues the kernel on the calling thread's current stream: `kernel.launch(args![n, c1, &u_prev, &mut u])?`.
    ///
    /// Arguments are counted from 1 in errors. Sizes come from the kernel's own loop bounds; a launch of no groups
    /// or no items does nothing. Nothing is allocated on the heap for up to 32 arguments of a usual
    /// kernel.
    ///
    /// A launch that would access memory out of range for certain is refused. An index that is read from memory is not
    /// checked: as with any foreign function, the author of the kernel answers for it. `docs/safety.md` has the details.
    /// # Errors
    /// [`crate::ErrorKind::Argument`] for an argument that does not fit the kernel's signature,
    /// [`crate::ErrorKind::OutOfBounds`] for memory that is too short, or null, for what the kernel accesses,
    /// [`crate::ErrorKind::WrongDevice`], [`crate::ErrorKind::Unsupported`] for sizes beyond the device's,
    /// failures of the device.
    #[inline]
    pub fn launch<'a>(&self, arguments: impl AsRef<[Arg<'a>]>) -> Result<()> {
        let arguments = arguments.as_ref();
        self.inner.device.with_stream(|stream| self.launch_checked(arguments, stream))
    }

    /// As [`launch`](Self::launch), on a stream of the same device.
    /// # Errors
    /// As [`launch`](Self::launch).
    #[inline]
    pub fn launch_on<'a>(&self, stream: &Stream, arguments: impl AsRef<[Arg<'a>]>) -> Result<()> {
        same_device("a stream", &stream.device, &self.inner.device)?;
        self.launch_checked(arguments.as_ref(), &*stream.backend)
    }

    pub(crate) fn plan(&self) -> &LaunchPlan {
        &self.inner.plan
    }

    pub(crate) fn device_inner(&self) -> &Arc<DeviceInner> {
        &self.inner.device
    }

    fn launch_checked(&self, arguments: &[Arg<'_>], stream: &dyn crate::backend::BackendStream) -> Result<()> {
        let device = &self.inner.device;
        if !device.profiling.load(Ordering::Relaxed) {
            return self.inner.plan.launch(device, arguments, stream);
        }
        let start = stream.tag()?;
        self.inner.plan.launch(device, arguments, stream)?;
        device.profiler.record(self.name(), start, stream.tag()?, LaunchPlan::bytes_touched(arguments))
    }
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Kernel({} on {})", self.name(), self.inner.device.label())
    }
}
