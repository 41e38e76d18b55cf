//! The backend contract: what a crate implements to bring a new kind of device.
//!
//! Requests arrive already checked: ranges lie inside the memory, memory and streams belong to the device,
//! arguments fit the kernel's signature, sizes do not overflow. What a device cannot do answers
//! [`Error::unsupported`] with a reason; it never does something else instead.
//!
//! **Must:** [`Backend`], [`BackendDevice::allocate`], `compile`, `load`, a default stream with copies, fill, tags and
//! finish, [`BackendKernel::launch`]. **Should:** streams, mapped memory, memory info. **May:** foreign handles,
//! export and import, timelines, graphs, work of other libraries, mailboxes, ranges (the default methods answer `Unsupported`, or do nothing for ranges).

use crate::props::Props;
use crate::{Error, Result};
use okl::Compiled;
use okl::signature::{NestSignature, Signature};
use okl::target::Target;
use smallvec::SmallVec;
use std::any::Any;
use std::ptr::NonNull;
use std::sync::Arc;
use std::time::Duration;

pub mod boxes;
mod description;
mod footprint;
mod grid;
mod handle;
mod mailbox;
mod poll;
mod process;
pub mod rows;
mod tiling;

pub use crate::interrupt::Interrupt;
pub use description::{Capabilities, DeviceInfo, MemoryInfo, Mode};
pub use footprint::{AccessKind, BoxSpan, Footprint, GraphPlan, LaunchFootprint, Span};
pub use grid::{GridPart, grid_parts};
pub use handle::{Api, Exported, NativeHandle};
pub use mailbox::{BackendMailbox, Delivery, Mail, MailMessage, MailParcel};
pub use poll::poll_until;
pub use process::Process;
pub use tiling::TilingSetting;

/// A kind of device: one or more modes.
pub trait Backend: Send + Sync {
    /// Mode names, the first spelling of each being the canonical one.
    fn modes(&self) -> &'static [Mode];

    /// The devices that `open` would find for a mode, without keeping any of them open.
    /// # Errors
    /// [`crate::ErrorKind::Unavailable`]: why there is none (no driver, no device).
    fn probe(&self, mode: &str) -> Result<Vec<DeviceInfo>>;

    /// Opens the device that the props name. `mode` is a canonical name; unknown props were refused before.
    /// # Errors
    /// [`crate::ErrorKind::Unavailable`] with the reason, [`crate::ErrorKind::Props`] for a bad value.
    fn open(&self, mode: &str, props: &Props) -> Result<Arc<dyn BackendDevice>>;

    /// Properties besides `mode` by which [`open`](Self::open) takes a device that [`probe`](Self::probe) has shown. The
    /// default has none, which is right for a mode of one device.
    fn props_of(&self, _info: &DeviceInfo) -> Props {
        Props::new()
    }

    /// The text that kernels of a mode become where no device is at hand, for reading and for building ahead: that of
    /// a device that can do all. `None` where the text cannot be told without the device.
    fn target(&self, _mode: &str) -> Option<Arc<dyn Target>> {
        None
    }

    /// Whether devices of a mode get different texts, by what they can do. Where all get that of [`target`](Self::target),
    /// nobody needs to open one to read it.
    fn text_depends_on_device(&self, _mode: &str) -> bool {
        true
    }

    /// The same for a kernel with these properties: to be implemented where a kernel property decides the text.
    /// # Errors
    /// [`crate::ErrorKind::Props`] for a bad value.
    fn target_for(&self, mode: &str, _props: &Props) -> Result<Option<Arc<dyn Target>>> {
        Ok(self.target(mode))
    }

    /// Compiles the text of kernels with the vendor's compiler alone, where no device is at hand, and says which compiler it
    /// was and what for. `None`, the default, where that needs a device.
    /// # Errors
    /// [`crate::ErrorKind::Compiler`] and its like: there is no compiler, or it refused the text; [`crate::ErrorKind::Props`]
    /// for a bad value.
    fn compile_without_device(&self, _text: &Compiled, _device: &Props, _kernel: &Props) -> Result<Option<String>> {
        Ok(None)
    }
}

/// Where memory is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Placement {
    /// The device's own memory.
    #[default]
    Device,
    /// Host memory that the device reads fast (pinned), and the host can address.
    HostPinned,
    /// Host memory that kernels use in place.
    Mapped,
}

/// What a compiled kernel is loaded from: bytes that were checked, never a file that may have changed since.
pub struct Artifact<'a> {
    /// What [`BackendDevice::compile`] made.
    pub bytes: &'a [u8],
}

/// An open device.
pub trait BackendDevice: Send + Sync + Any {
    /// What it is.
    fn info(&self) -> &DeviceInfo;
    /// What it can do.
    fn capabilities(&self) -> &Capabilities;
    /// What kernels are compiled for: one of [`okl::back`], or a target of its own. Its
    /// [`identity`](Target::identity) goes into the cache key.
    fn target(&self) -> Arc<dyn Target>;

    /// The same for a kernel with these properties: to be implemented where a kernel property decides the text.
    /// # Errors
    /// [`crate::ErrorKind::Props`] for a bad value.
    fn target_for(&self, _props: &Props) -> Result<Arc<dyn Target>> {
        Ok(self.target())
    }

    /// Named fields that decide what [`compile`](Self::compile) makes of a text: compiler and version, resolved
    /// flags, the processor's features, driver. They go into the cache key.
    /// # Errors
    /// When a compiler that is named does not exist.
    fn identity(&self, props: &Props) -> Result<Vec<(&'static str, String)>>;

    /// Whether this device loads an artifact that [`compile`](Self::compile) has made under another identity, perhaps on
    /// another machine, where there may be no compiler. As given, where the identities are the same.
    fn takes(&self, identity: &[(String, String)], props: &Props) -> bool {
        let is_same = |(a, b): (&(&str, String), &(String, String))| a.0 == b.0 && a.1 == b.1;
        self.identity(props).is_ok_and(|own| own.len() == identity.len() && own.iter().zip(identity).all(is_same))
    }

    /// Memory of `bytes` > 0. Its contents are unspecified, but reading them is no undefined behaviour: memory that the
    /// host addresses has been written once (zeroed), by the threads that will use it.
    /// # Errors
    /// [`crate::ErrorKind::OutOfMemory`].
    fn allocate(&self, bytes: usize, placement: Placement) -> Result<Arc<dyn BackendMemory>>;

    /// Memory of `bytes` > 0 for a pool, which cuts it into reservations: of the device's own, from where large pieces
    /// come and go cheaply.
    /// # Errors
    /// [`crate::ErrorKind::OutOfMemory`].
    fn allocate_chunk(&self, bytes: usize) -> Result<Arc<dyn BackendMemory>> {
        self.allocate(bytes, Placement::Device)
    }

    /// Memory that somebody else owns.
    /// # Safety
    /// `handle` is `bytes` of memory valid for this device for as long as the result lives.
    /// # Errors
    /// `Unsupported` for a handle of another kind.
    unsafe fn wrap(&self, handle: NativeHandle, bytes: usize) -> Result<Arc<dyn BackendMemory>>;

    /// Whether [`BackendStream::copy`] of this device's streams also takes `source`, which is memory of another device,
    /// perhaps of another backend: peer-to-peer. Core orders the work of the two devices.
    fn reaches(&self, _source: &dyn BackendMemory) -> bool {
        false
    }

    /// Whether [`export`](Self::export) takes memory of [`Placement::Device`].
    fn exports_memory(&self) -> bool {
        false
    }

    /// A handle that another API can import.
    /// # Errors
    /// `Unsupported`.
    fn export(&self, _memory: &dyn BackendMemory) -> Result<Exported> {
        Err(Error::unsupported("exporting memory", format!("mode `{}` has no such handle", self.info().mode)))
    }

    /// Memory that another device exported, in place; the handle is used up. Core keeps what was exported alive, and
    /// orders the work of the two devices.
    /// # Errors
    /// `Unsupported`; [`crate::ErrorKind::WrongDevice`] for memory of other hardware.
    fn import(&self, _exported: Exported) -> Result<Arc<dyn BackendMemory>> {
        Err(Error::unsupported("importing memory", format!("mode `{}` takes no such handle", self.info().mode)))
    }

    /// A timeline at 0, and a handle by which another device can import it.
    /// # Errors
    /// `Unsupported`.
    fn create_timeline(&self) -> Result<(Arc<dyn BackendTimeline>, Exported)> {
        Err(Error::unsupported("a timeline", format!("mode `{}` makes none", self.info().mode)))
    }

    /// A timeline that another device made; the handle is used up.
    /// # Errors
    /// As [`import`](Self::import).
    fn import_timeline(&self, _exported: Exported) -> Result<Arc<dyn BackendTimeline>> {
        Err(Error::unsupported("importing a timeline", format!("mode `{}` takes none", self.info().mode)))
    }

    /// Text to artifact.
    /// # Errors
    /// [`crate::ErrorKind::Kernel`] with OKL lines when the text is refused, [`crate::ErrorKind::Compiler`] when
    /// there is no compiler.
    fn compile(&self, text: &Compiled, props: &Props) -> Result<Vec<u8>>;

    /// How long [`compile`](Self::compile) takes at most. A build waits that long for another process that compiles the
    /// same text, and then compiles by itself.
    /// # Errors
    /// [`crate::ErrorKind::Props`] for a bad value.
    fn compile_limit(&self, _props: &Props) -> Result<Duration> {
        Ok(crate::cache::COMPILE_LIMIT)
    }

    /// Artifact to device kernels, one per nest of `signature`.
    /// # Errors
    /// When the artifact does not load: the caller then rebuilds it once.
    fn load(&self, artifact: &Artifact<'_>, signature: &Signature) -> Result<Vec<Arc<dyn BackendKernel>>>;

    /// A function of a text that is no OKL, for [`crate::NativeKernel`]. Its [`launch`](BackendKernel::launch) gets a nest of
    /// that name, without arguments of its own.
    /// # Errors
    /// `Unsupported`, unless implemented; as [`compile`](Self::compile); when there is no such function.
    fn build_native(&self, _text: &Compiled, _name: &str, _props: &Props) -> Result<Arc<dyn BackendKernel>> {
        Err(Error::unsupported("native kernels", format!("mode `{}` has none: write OKL", self.info().mode)))
    }

    /// The stream that is used where none is named.
    fn default_stream(&self) -> Arc<dyn BackendStream>;

    /// Another stream.
    /// # Errors
    /// [`crate::ErrorKind::Driver`].
    fn create_stream(&self, props: &Props) -> Result<Arc<dyn BackendStream>>;

    /// A stream that somebody else owns.
    /// # Safety
    /// `handle` is a live stream of this device's context for as long as the result lives.
    /// # Errors
    /// `Unsupported`.
    unsafe fn wrap_stream(&self, _handle: u64) -> Result<Arc<dyn BackendStream>> {
        Err(Error::unsupported("wrapping a stream", format!("mode `{}` has no native streams", self.info().mode)))
    }

    /// Free and total memory.
    /// # Errors
    /// [`crate::ErrorKind::Driver`].
    fn memory_info(&self) -> Result<MemoryInfo>;

    /// Makes a recorded list of commands ready for fast replay; `None`: core replays them one by one through
    /// [`BackendKernel::launch`] and the stream.
    ///
    /// `phases` has at least one list. A graph whose buffers swap roles after each repetition has one list for each
    /// assignment of roles, in the order in which they follow each other: all lists have the same commands, with the
    /// same kernels, sizes and values, and differ in the memory that these name. Core keeps what the commands name
    /// alive for as long as the result lives; the result may be dropped while a replay of it is still queued, with the
    /// duties of [`BackendMemory`].
    /// # Safety
    /// The arguments of each launch fit its nest, and all ranges lie inside their memory, at every repetition that
    /// will be replayed.
    /// # Errors
    /// [`crate::ErrorKind::Driver`].
    unsafe fn lower_graph(&self, _phases: &[Vec<GraphCommand>]) -> Result<Option<Box<dyn BackendGraph>>> {
        Ok(None)
    }

    /// Whether libraries of the device's own API may queue work on its streams: [`BackendStream::queue_native`] and
    /// [`GraphCommand::Native`] are implemented.
    fn takes_native_work(&self) -> bool {
        false
    }

    /// Whether graphs run work of the host themselves: [`GraphCommand::Host`] is implemented. The work of a graph is called by
    /// the thread that replays it, one after the other, in the order of the commands.
    fn takes_host_work(&self) -> bool {
        false
    }

    /// Memory in which kernels of other devices leave messages between `ranks` devices.
    /// # Errors
    /// `Unsupported`; [`crate::ErrorKind::OutOfMemory`].
    fn create_mailbox(&self, _ranks: usize, _delivery: Delivery) -> Result<Arc<dyn BackendMailbox>> {
        Err(Error::unsupported("a mailbox", format!("kernels of mode `{}` reach no other device", self.info().mode)))
    }

    /// Whether [`lower_graph`](Self::lower_graph) looks at the footprints of launches.
    fn reads_footprints(&self) -> bool {
        false
    }

    /// What the property [`tiling`](TilingSetting::PROPERTY) says, where core shall run recorded loops over one axis several
    /// repetitions at a time, by a kernel that it builds for that. `None`, the default: the backend does so by itself, or
    /// nobody does.
    fn windows(&self) -> Option<TilingSetting> {
        None
    }

    /// Whether `auto` takes windows over three axes, too, for elements of so many bytes: a driver's compiler may make code of them
    /// that takes longer than single steps.
    fn takes_volumes(&self, _element_bytes: u32) -> bool {
        true
    }

    /// Waits for everything that was queued on any stream.
    /// # Errors
    /// Failures of that work.
    fn finish(&self) -> Result<()>;
}

/// Memory of a device.
///
/// It may be dropped while work that was queued before still uses it: the backend frees it in the order of its streams,
/// waits, or lets the driver count. Core keeps no list of what is in flight.
pub trait BackendMemory: Send + Sync + Any {
    /// Size in bytes.
    fn bytes(&self) -> usize;
    /// The native handle.
    fn handle(&self) -> NativeHandle;
    /// Address at which the host reads and writes it in place, where there is one.
    fn mapped(&self) -> Option<NonNull<u8>>;
    /// Whether its bytes may be those of other memory, too, which does not have this handle.
    fn may_overlap(&self) -> bool {
        false
    }
    /// The application was given its address or handle, by which it can be written unseen. For backends that keep account
    /// of what was written.
    fn expose(&self) {}
}

/// Sizes of one launch: groups and items along axes 0, 1, 2, all > 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchDims {
    /// Groups.
    pub outer: [u64; 3],
    /// Items of a group.
    pub inner: [u64; 3],
}

/// One argument of a device kernel, in the order of [`NestSignature::arguments`].
#[derive(Clone, Copy)]
pub enum PackedArgument<'a> {
    /// Memory and an offset into it. A null pointer argument is `memory: None`.
    Memory {
        /// The memory.
        memory: Option<&'a dyn BackendMemory>,
        /// Where the argument starts, in bytes, a multiple of `element_bytes`.
        offset_bytes: u64,
        /// Length of the slice in bytes.
        bytes: u64,
        /// Size of an element of the kernel's parameter.
        element_bytes: u32,
        /// The kernel may write it.
        mutable: bool,
    },
    /// A scalar or struct, in the parameter's own type and layout.
    Value(&'a [u8]),
}

/// A loaded device kernel: one nest.
pub trait BackendKernel: Send + Sync + Any {
    /// Most items of a group that this kernel can be launched with; shared memory, registers and
    /// `@max_inner_dims` counted in.
    fn max_inner(&self) -> u64;

    /// Queues the kernel on a stream of the same device.
    /// # Safety
    /// `arguments` fit `nest`; the memory that they name lives for the call (what happens later: [`BackendMemory`]).
    /// # Errors
    /// [`crate::ErrorKind::Driver`].
    unsafe fn launch(
        &self,
        nest: &NestSignature,
        dims: &LaunchDims,
        arguments: &[PackedArgument<'_>],
        stream: &dyn BackendStream,
    ) -> Result<()>;
}

/// An ordered queue of work.
pub trait BackendStream: Send + Sync + Any {
    /// Native handle (CUDA stream, command queue), 0 where there is none.
    fn handle(&self) -> u64;
    /// Host to device. `source` is borrowed for this call only.
    /// # Errors
    /// [`crate::ErrorKind::Driver`].
    fn copy_in(&self, destination: &dyn BackendMemory, offset: usize, source: &[u8]) -> Result<()>;
    /// Device to host; when it returns the data are there.
    /// # Errors
    /// [`crate::ErrorKind::Driver`].
    fn copy_out(&self, source: &dyn BackendMemory, offset: usize, destination: &mut [u8]) -> Result<()>;
    /// Device to device; ranges of one memory may overlap. The source is of this device, or one that it
    /// [reaches](BackendDevice::reaches).
    /// # Errors
    /// [`crate::ErrorKind::Driver`].
    fn copy(
        &self,
        destination: &dyn BackendMemory,
        destination_offset: usize,
        source: &dyn BackendMemory,
        source_offset: usize,
        bytes: usize,
    ) -> Result<()>;
    /// Repeats `pattern` (1, 2, 4, 8 or more bytes) over a range whose length is a multiple of it.
    /// # Errors
    /// [`crate::ErrorKind::Driver`].
    fn fill(&self, destination: &dyn BackendMemory, offset: usize, bytes: usize, pattern: &[u8]) -> Result<()>;
    /// Marks this point of the queue.
    /// # Errors
    /// [`crate::ErrorKind::Driver`].
    fn tag(&self) -> Result<Arc<dyn BackendTag>>;
    /// Later work of this stream starts after the tag, which may be of any stream of the device.
    /// # Errors
    /// [`crate::ErrorKind::Driver`].
    fn wait(&self, tag: &dyn BackendTag) -> Result<()>;
    /// Calls `work` with the native handle, where calls of the device's own API go to this device.
    /// # Errors
    /// `Unsupported`, unless [`BackendDevice::takes_native_work`]; those of `work`.
    fn queue_native(&self, _work: &mut dyn FnMut(u64) -> Result<()>) -> Result<()> {
        Err(Error::unsupported("work of another library on a stream", "this mode's streams have no native handle"))
    }
    /// Opens a named range for profilers.
    fn range_begin(&self, _name: &str) {}
    /// Closes the innermost range.
    fn range_end(&self) {}
    /// Waits for everything queued here.
    /// # Errors
    /// Failures of that work.
    fn finish(&self) -> Result<()>;
    /// Waits for about `limit` at most; whether everything queued here is done. What was held back is given to the device.
    /// # Errors
    /// As [`finish`](Self::finish).
    fn finish_within(&self, limit: Duration) -> Result<bool> {
        let tag = self.tag()?;
        poll_until(limit, || tag.is_reached())
    }
}

/// A point in a stream.
pub trait BackendTag: Send + Sync + Any {
    /// The host waits until the stream has reached it.
    /// # Errors
    /// Failures of the work before it.
    fn wait(&self) -> Result<()>;
    /// Whether the stream has reached it, without waiting. Asking again and again is enough for the answer to become
    /// yes. The default waits, which is right for streams that run what they are given at once.
    /// # Errors
    /// Failures of the work before it.
    fn is_reached(&self) -> Result<bool> {
        self.wait().map(|()| true)
    }
    /// Milliseconds from `earlier` to this tag; waits for both.
    /// # Errors
    /// [`crate::ErrorKind::Driver`].
    fn elapsed_ms(&self, earlier: &dyn BackendTag) -> Result<f64>;
}

/// A number that only grows, by which two devices put their work in order while the host goes on.
///
/// Core signals each value once, in rising order, from one of the two devices, and lets the other one wait for it
/// afterwards: no wait is queued whose signal is not.
pub trait BackendTimeline: Send + Sync {
    /// The number becomes `value` when what is queued on `stream` is done. Streams take turns: a signal comes after
    /// those that were queued before on others.
    /// # Errors
    /// [`crate::ErrorKind::Driver`]: nobody is to wait for the value.
    fn signal(&self, stream: &dyn BackendStream, value: u64) -> Result<()>;
    /// Later work of `stream` starts when the number is `value` or more.
    /// # Errors
    /// [`crate::ErrorKind::Driver`].
    fn wait(&self, stream: &dyn BackendStream, value: u64) -> Result<()>;
}

/// One command of a recorded graph. Memory is shared, so that a graph keeps what it uses alive; ranges are never empty.
#[derive(Clone)]
pub enum GraphCommand {
    /// As [`BackendKernel::launch`].
    Launch {
        /// The nest's kernel.
        kernel: Arc<dyn BackendKernel>,
        /// Its signature.
        nest: Arc<NestSignature>,
        /// Its sizes.
        dims: LaunchDims,
        /// Its arguments, in the order of [`NestSignature::arguments`].
        arguments: Vec<GraphArgument>,
        /// What its groups touch, where [`BackendDevice::reads_footprints`] asks for that.
        footprint: LaunchFootprint,
    },
    /// As [`BackendStream::copy`].
    Copy {
        /// Memory that is written.
        destination: Arc<dyn BackendMemory>,
        /// Where, in bytes.
        destination_offset: usize,
        /// What is added to `destination_offset` for each slot, in bytes: in repetition `r` of a replay the copy goes
        /// to `destination_offset + (first_slot + r) * destination_stride` ([`GraphReplay`]). 0 for a copy that goes
        /// to one place.
        destination_stride: usize,
        /// Memory that is read.
        source: Arc<dyn BackendMemory>,
        /// Where, in bytes.
        source_offset: usize,
        /// Length in bytes.
        bytes: usize,
    },
    /// As [`BackendStream::fill`].
    Fill {
        /// Memory that is written.
        destination: Arc<dyn BackendMemory>,
        /// Where, in bytes.
        offset: usize,
        /// Length in bytes, a multiple of the pattern's.
        bytes: usize,
        /// What is repeated.
        pattern: Vec<u8>,
    },
    /// As [`BackendStream::queue_native`]. A backend may call it once, on a stream that it captures, or in each repetition.
    Native {
        /// What queues the work.
        work: NativeWork,
        /// What the work touches, and nothing else.
        memory: Vec<TouchedMemory>,
        /// The messages that it is, where it is nothing but these.
        mail: Option<Mail>,
    },
    /// Work of the host in each repetition, where [`BackendDevice::takes_host_work`] says so. What the commands before it
    /// do to the memory is done, and nothing that comes after it has touched that.
    Host {
        /// The work.
        work: HostWork,
        /// What the work touches, and nothing else.
        memory: Vec<TouchedMemory>,
    },
}

/// Memory that work touches which is no kernel's.
#[derive(Clone)]
pub struct TouchedMemory {
    /// The memory.
    pub memory: Arc<dyn BackendMemory>,
    /// Where, in bytes.
    pub offset: usize,
    /// Length in bytes.
    pub bytes: usize,
    /// It may be written.
    pub mutable: bool,
}

/// What queues work of another library on the stream whose native handle it gets.
pub type NativeWork = Arc<dyn Fn(u64) -> Result<()> + Send + Sync>;

/// What the host does in a repetition.
pub type HostWork = Arc<dyn Fn() -> Result<()> + Send + Sync>;

impl GraphCommand {
    /// Queues the command by itself, as a graph that no backend has made ready does; a copy with a stride goes to `slot`.
    /// It takes no heap for up to 32 arguments.
    /// # Safety
    /// As [`BackendDevice::lower_graph`], for this slot.
    /// # Errors
    /// Those of [`BackendKernel::launch`] and of the stream.
    pub unsafe fn queue(&self, slot: u64, stream: &dyn BackendStream) -> Result<()> {
        match self {
            Self::Launch { kernel, nest, dims, arguments, .. } => {
                let packed: SmallVec<[PackedArgument<'_>; 32]> = arguments.iter().map(GraphArgument::pack).collect();
                // SAFETY: by the caller.
                unsafe { kernel.launch(nest, dims, &packed, stream) }
            }
            Self::Copy { destination, destination_offset, destination_stride, source, source_offset, bytes } => {
                let offset = destination_offset + slot as usize * destination_stride;
                stream.copy(&**destination, offset, &**source, *source_offset, *bytes)
            }
            Self::Fill { destination, offset, bytes, pattern } => stream.fill(&**destination, *offset, *bytes, pattern),
            Self::Native { work, .. } => stream.queue_native(&mut |handle| work(handle)),
            Self::Host { work, .. } => work(),
        }
    }
}

/// An argument of a recorded launch: a [`PackedArgument`] that shares what it names.
#[derive(Clone)]
pub enum GraphArgument {
    /// Memory and an offset into it. A null pointer argument is `memory: None`.
    Memory {
        /// The memory.
        memory: Option<Arc<dyn BackendMemory>>,
        /// Where the argument starts, in bytes.
        offset_bytes: u64,
        /// Length of the slice in bytes.
        bytes: u64,
        /// Size of an element of the kernel's parameter.
        element_bytes: u32,
        /// The kernel may write it.
        mutable: bool,
    },
    /// A scalar or struct, in the parameter's own type and layout.
    Value(Vec<u8>),
}

impl GraphArgument {
    /// The argument as a launch takes it.
    pub fn pack(&self) -> PackedArgument<'_> {
        match *self {
            Self::Memory { ref memory, offset_bytes, bytes, element_bytes, mutable } => {
                PackedArgument::Memory { memory: memory.as_deref(), offset_bytes, bytes, element_bytes, mutable }
            }
            Self::Value(ref bytes) => PackedArgument::Value(bytes),
        }
    }
}

/// Which repetitions of a graph are to be run. Repetition `r` of `0..times` runs the commands of phase
/// `(first_phase + r) % phases.len()`, and its copies with a stride go to slot `first_slot + r`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphReplay {
    /// Phase of the first repetition, less than the number of phases.
    pub first_phase: usize,
    /// Slot of the first repetition.
    pub first_slot: u64,
    /// Number of repetitions, > 0. `first_slot + times` overflows neither by itself nor times any stride.
    pub times: u64,
}

/// A graph that a backend made ready. One thread uses it at a time, which every method's `&mut` says.
pub trait BackendGraph: Send + Sync {
    /// Queues repetitions on a stream of the same device. The results have the bits that the commands have when they
    /// are queued one by one.
    /// # Errors
    /// [`crate::ErrorKind::Driver`].
    fn replay(&mut self, replay: GraphReplay, stream: &dyn BackendStream) -> Result<()>;

    /// Replaces a value from the next replay on, in every phase: argument `argument` of command `command`, both
    /// positions in the lists given to [`BackendDevice::lower_graph`]. It has as many bytes as the value before.
    /// Replays that are queued already keep the value that they were queued with.
    /// # Errors
    /// [`crate::ErrorKind::Driver`].
    fn update_value(&mut self, command: usize, argument: usize, value: &[u8]) -> Result<()>;

    /// Replaces the footprint of a command from the next replay on, in every phase: a value on which it depends was
    /// replaced.
    fn update_footprint(&mut self, _command: usize, _footprint: LaunchFootprint) {}

    /// How it is replayed, and why so.
    fn plan(&self) -> GraphPlan {
        GraphPlan::one_step("this mode replays the commands in order")
    }
}
