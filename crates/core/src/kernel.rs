//! A built kernel: what it is called, what it takes, and how it is launched.

use crate::arguments::Arg;
use crate::backend::BackendStream;
use crate::build::Program;
use crate::device::{Device, DeviceInner};
use crate::launch::{LaunchPlan, Launched, RecordedLaunch, Sizes};
use crate::log::{self, Level};
use crate::stream::{Stream, same_device};
use crate::tuning::{Tuner, Tuning};
use crate::{Error, ErrorKind, Result};
use okl::signature::{ElementType, ParameterKind};
use okl::{Checks, Signature};
use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

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
    /// With checks at every access.
    checked: OnceLock<Result<Kernel>>,
    /// With checks only where the contents of constant memory prove nothing.
    of_constants: OnceLock<Result<Kernel>>,
    /// For other sizes of its `@shared` arrays.
    sized: Mutex<HashMap<Sizes, Kernel>>,
    /// Other builds of it, of which launches take the fastest.
    tuner: Option<Tuner>,
}

/// A kernel remembers at most this many others for other sizes; its device's cache has them all.
const MAX_SIZED: usize = 64;

impl Kernel {
    pub(crate) fn new(
        device: Arc<DeviceInner>,
        plan: Arc<LaunchPlan>,
        program: Arc<Program>,
        origin: BuildOrigin,
    ) -> Self {
        Self {
            inner: Arc::new(Inner {
                device,
                plan,
                program,
                origin,
                checked: OnceLock::new(),
                of_constants: OnceLock::new(),
                sized: Mutex::default(),
                tuner: None,
            }),
        }
    }

    /// The kernel that several builds are of; the first one stands for its texts.
    pub(crate) fn of_tuner(tuner: Tuner) -> Self {
        let Inner { device, plan, program, origin, .. } = &*tuner.first().inner;
        let (device, plan, program, origin) = (device.clone(), plan.clone(), program.clone(), origin.clone());
        let tuner = Some(tuner);
        Self {
            inner: Arc::new(Inner {
                device,
                plan,
                program,
                origin,
                checked: OnceLock::new(),
                of_constants: OnceLock::new(),
                sized: Mutex::default(),
                tuner,
            }),
        }
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

    /// A hash of its source and defines, by which two processes find out whether they run the same kernel: the same for every
    /// device. `None` for a kernel of a bundle.
    pub fn source_key(&self) -> Option<crate::cache::Key> {
        self.inner.program.source_key()
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

    /// Whether a launch with these arguments checks accesses or divisions when it runs; `false` where all of them are proven, and on
    /// a device that stops at faults by itself. Nothing is queued.
    /// # Errors
    /// As [`launch`](Self::launch), as far as that is known before the kernel runs.
    pub fn is_checked<'a>(&self, arguments: impl AsRef<[Arg<'a>]>) -> Result<bool> {
        let (kernel, _) = self.record(arguments.as_ref())?;
        let signature = kernel.signature();
        Ok(signature.faults && !signature.checked.is_empty())
    }

    /// What its launches know of its builds; `None` without the property `tune`.
    pub fn tuning(&self) -> Option<Tuning> {
        self.inner.tuner.as_ref().map(Tuner::report)
    }

    /// Queues the kernel on the calling thread's current stream: `kernel.launch(args![n, c1, &u_prev, &mut u])?`.
    ///
    /// Arguments are counted from 1 in errors. Sizes come from the kernel's own loop bounds; a launch of no groups
    /// or no items does nothing. Nothing is allocated on the heap for up to 32 arguments of a usual
    /// kernel.
    ///
    /// No launch accesses memory out of range. One that would do so for certain is refused before anything runs; an
    /// access that nothing can be said of before, as at an index that is read from memory, is checked when it happens, is
    /// left out where it is out of range, and is an error here where the kernel has run when the launch returns, else at
    /// the next wait. The same holds for divisions of integers that have no result. `docs/safety.md` has the details.
    /// # Errors
    /// [`crate::ErrorKind::Argument`] for an argument that does not fit the kernel's signature,
    /// [`crate::ErrorKind::OutOfBounds`] for memory that is too short, or null, for what the kernel accesses,
    /// [`crate::ErrorKind::Division`] for an integer that is divided by zero, [`crate::ErrorKind::WrongDevice`], [`crate::ErrorKind::Unsupported`] for sizes beyond the device's,
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

    pub(crate) fn program(&self) -> &Arc<Program> {
        &self.inner.program
    }

    pub(crate) fn device_inner(&self) -> &Arc<DeviceInner> {
        &self.inner.device
    }

    #[inline]
    fn launch_checked(&self, arguments: &[Arg<'_>], stream: &dyn BackendStream) -> Result<()> {
        let device = &self.inner.device;
        if !device.profiling.load(Ordering::Relaxed) {
            return self.queue(arguments, stream);
        }
        let mut start = stream.tag()?;
        self.queue_after(arguments, stream, &mut || {
            start = stream.tag()?;
            Ok(())
        })?;
        device.profiler.record(self.name(), start, stream.tag()?, LaunchPlan::bytes_touched(arguments))
    }

    #[inline]
    pub(crate) fn queue(&self, arguments: &[Arg<'_>], stream: &dyn BackendStream) -> Result<()> {
        self.queue_after(arguments, stream, &mut || Ok(()))
    }

    /// As [`queue`](Self::queue); calls `built` when another kernel had to be found for this launch, perhaps to be built.
    #[inline]
    fn queue_after(
        &self,
        arguments: &[Arg<'_>],
        stream: &dyn BackendStream,
        built: &mut dyn FnMut() -> Result<()>,
    ) -> Result<()> {
        if let Some(tuner) = &self.inner.tuner {
            return tuner.launch(arguments, stream);
        }
        if self.inner.plan.knows_contents(arguments) && self.queue_with_constants(arguments, stream, built)? {
            return Ok(());
        }
        match self.inner.plan.launch(&self.inner.device, arguments, stream)? {
            Launched::Done => Ok(()),
            Launched::NeedsChecks => {
                let checked = self.with_checks()?;
                built()?;
                match checked.inner.plan.launch(&self.inner.device, arguments, stream)? {
                    Launched::Done => Ok(()),
                    _ => Err(nothing_to_prove()),
                }
            }
            Launched::NeedsSizes(sizes) => {
                let sized = self.with_sizes(sizes)?;
                built()?;
                sized.queue_after(arguments, stream, built)
            }
        }
    }

    /// Queues a launch of the kernel that relies on the contents of constant memory; answers whether that was possible.
    fn queue_with_constants(
        &self,
        arguments: &[Arg<'_>],
        stream: &dyn BackendStream,
        built: &mut dyn FnMut() -> Result<()>,
    ) -> Result<bool> {
        // Another kernel is the one for these sizes.
        if self.inner.plan.sizes_for(&self.inner.device, arguments)?.is_some() {
            return Ok(false);
        }
        let kernel = self.with_constants()?;
        built()?;
        Ok(kernel.inner.plan.launch(&self.inner.device, arguments, stream)? == Launched::Done)
    }

    /// Does all that a launch does, but queues nothing; answers the kernel that the launch is of, too.
    pub(crate) fn record(&self, arguments: &[Arg<'_>]) -> Result<(Self, RecordedLaunch)> {
        if let Some(tuner) = &self.inner.tuner {
            return tuner.known(arguments).record(arguments);
        }
        if let Some(sizes) = self.inner.plan.sizes_for(&self.inner.device, arguments)? {
            return self.with_sizes(sizes)?.record(arguments);
        }
        if self.inner.plan.knows_contents(arguments) {
            let kernel = self.with_constants()?;
            if let Some(launch) = kernel.inner.plan.record(&self.inner.device, arguments)? {
                return Ok((kernel.clone(), launch));
            }
        }
        if let Some(launch) = self.inner.plan.record(&self.inner.device, arguments)? {
            return Ok((self.clone(), launch));
        }
        let checked = self.with_checks()?;
        match checked.inner.plan.record(&self.inner.device, arguments)? {
            Some(launch) => Ok((checked.clone(), launch)),
            None => Err(nothing_to_prove()),
        }
    }

    /// The same kernel with checks at every access, for launches that cannot be proven. Built when it is first needed.
    #[cold]
    fn with_checks(&self) -> Result<&Self> {
        let build = || {
            let verbose = self.inner.device.verbose;
            let (name, obstacle) = (self.name(), self.inner.plan.obstacle());
            let line = format_args!("kernel `{name}`: a launch cannot prove {obstacle}, so every access is checked");
            log::say(Level::Info, verbose, line);
            self.inner.program.variant(&self.device(), self.name(), Checks::All)
        };
        self.inner.checked.get_or_init(build).as_ref().map_err(|error| {
            error
                .clone()
                .while_doing(format!("building `{}` with checks, because this launch cannot be proven", self.name()))
        })
    }

    /// The same kernel for launches that know the contents of its constant memory. Built when it is first needed.
    #[cold]
    fn with_constants(&self) -> Result<&Self> {
        let build = || {
            let line = format_args!(
                "kernel `{}`: its index memory is constant, so a version is built that does not check those indices",
                self.name()
            );
            log::say(Level::Info, self.inner.device.verbose, line);
            self.inner.program.variant(&self.device(), self.name(), Checks::UnprovenOfConstants)
        };
        self.inner.of_constants.get_or_init(build).as_ref().map_err(|error| {
            error.clone().while_doing(format!("building `{}` for memory that is constant", self.name()))
        })
    }

    /// The same kernel for other sizes of its `@shared` arrays. Built when it is first needed.
    fn with_sizes(&self, sizes: Sizes) -> Result<Self> {
        let known = || self.inner.sized.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kernel) = known().get(&sizes) {
            return Ok(kernel.clone());
        }
        let kernel = self.inner.program.sized(&self.device(), self.name(), &sizes).map_err(|error| {
            let arrays = self.signature().sizes.iter().zip(&sizes);
            let arrays: Vec<String> = arrays.map(|(of, size)| format!("`{}` of {size}", of.array)).collect();
            error.while_doing(format!("building `{}` with `@shared` {}", self.name(), arrays.join(", ")))
        })?;
        let mut known = known();
        if known.len() >= MAX_SIZED {
            known.clear();
        }
        known.insert(sizes, kernel.clone());
        Ok(kernel)
    }

    /// The same kernel without checks: its launches prove nothing, and no access is checked when it runs.
    /// # Safety
    /// No launch of the result accesses an element that its memory does not have.
    /// # Errors
    /// As [`Device::build_kernel`].
    pub unsafe fn assume_in_bounds(&self) -> Result<Self> {
        self.without_checks()
    }

    fn without_checks(&self) -> Result<Self> {
        match &self.inner.tuner {
            Some(tuner) => tuner.map(Self::without_checks).map(Self::of_tuner),
            None => self.inner.program.variant(&self.device(), self.name(), Checks::None),
        }
    }
}

/// Where every access is checked, no launch can ask for more.
#[cold]
fn nothing_to_prove() -> Error {
    Error::new(ErrorKind::Internal { message: "a kernel with all checks asks for a proof".into() })
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Kernel({}(", self.name())?;
        for (index, parameter) in self.signature().params.iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            let name = &parameter.name;
            match &parameter.kind {
                ParameterKind::Scalar(scalar) => write!(f, "{separator}{} {name}", scalar.okl_name())?,
                ParameterKind::Struct(layout) => write!(f, "{separator}{} {name}", layout.name)?,
                ParameterKind::Pointer { element, mutable, .. } => {
                    let element = match element {
                        ElementType::Scalar(scalar) => scalar.okl_name(),
                        ElementType::Struct(layout) => &layout.name,
                    };
                    write!(f, "{separator}{}{element} *{name}", if *mutable { "" } else { "const " })?;
                }
            }
        }
        write!(f, ") on {})", self.inner.device.label())
    }
}
