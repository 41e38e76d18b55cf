//! What a backend says of itself and of its devices.
//!
//! Invariant: these structs can get further fields without a change in any backend. They are made by `new`, with what
//! each needs, and by one `with_…` for each further field, whose value without that is stated there.

use crate::{Error, Result};
use okl::signature::Signature;

/// One `with_…` for each field.
macro_rules! setters {
    ($type:ty { $($setter:ident, $field:ident: $field_type:ty;)* }) => {
        impl $type {
            $(
                #[doc = concat!("The same with [`", stringify!($field), "`](Self::", stringify!($field), ").")]
                #[must_use]
                pub const fn $setter(mut self, $field: $field_type) -> Self {
                    self.$field = $field;
                    self
                }
            )*
        }
    };
}

/// A list of properties, each with a line of explanation.
type KnownProps = &'static [(&'static str, &'static str)];

/// A mode of a backend.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Mode {
    /// Canonical name.
    pub name: &'static str,
    /// Other names for it; none, unless given.
    pub aliases: &'static [&'static str],
    /// One line for `ferrocca modes`.
    pub description: &'static str,
    /// Props that `open` takes besides `mode`, each with a line of explanation; none, unless given.
    pub device_props: &'static [(&'static str, &'static str)],
    /// Props that `build_kernel` takes besides the common ones (`defines`, `includes`, `include_dirs`, `fp_contract` …);
    /// none, unless given.
    pub kernel_props: &'static [(&'static str, &'static str)],
    /// Props that `create_stream` takes; none, unless given.
    pub stream_props: &'static [(&'static str, &'static str)],
}

impl Mode {
    /// A mode without other names and without properties of its own.
    pub const fn new(name: &'static str, description: &'static str) -> Self {
        Self { name, aliases: &[], description, device_props: &[], kernel_props: &[], stream_props: &[] }
    }
}

setters!(Mode {
    with_aliases, aliases: &'static [&'static str];
    with_device_props, device_props: KnownProps;
    with_kernel_props, kernel_props: KnownProps;
    with_stream_props, stream_props: KnownProps;
});

/// What is known about a device without using it.
///
/// A backend begins with [`new`](Self::new) and sets the fields that it knows.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct DeviceInfo {
    /// Canonical mode name.
    pub mode: &'static str,
    /// Name, such as the processor's.
    pub name: String,
    /// Position among the mode's devices.
    pub device_id: u32,
    /// Memory in bytes; 0 where that is not known.
    pub memory_bytes: u64,
    /// Cores, or multiprocessors; 0 where that is not known.
    pub cores: u32,
    /// Instruction set or compute capability: `AVX-512`, `sm_90`.
    pub architecture: String,
    /// Compiler that builds its kernels, with version, or why there is none.
    pub compiler: String,
    /// Driver and version.
    pub driver: String,
    /// It is opened where no property names a device of the mode. A backend that marks none opens the first one.
    pub is_default: bool,
    /// What the hardware is known by in every API that tells, so that devices of two modes can be seen to be one.
    pub uuid: Option<[u8; 16]>,
    /// `double` in kernels, where that is known without opening the device.
    pub has_f64: Option<bool>,
    /// `@atomic` on 64-bit values, where that is known without opening the device.
    pub has_64_bit_atomics: Option<bool>,
    /// A sentence about what it cannot do that others can; empty where there is nothing to say.
    pub note: String,
}

impl DeviceInfo {
    /// A device of which only mode and name are known.
    pub fn new(mode: &'static str, name: impl Into<String>) -> Self {
        Self { mode, name: name.into(), ..Self::default() }
    }
}

/// What a device can do. What a backend does not state, its device cannot do.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Capabilities {
    /// Device memory is not the host's: `ptr()` is not a host pointer.
    pub separate_memory: bool,
    /// `double` in kernels.
    pub f64: bool,
    /// 64-bit integers in kernels.
    pub i64: bool,
    /// Most items of a group, in all and along axes 0, 1, 2.
    pub max_inner: (u64, [u64; 3]),
    /// Most groups along axes 0, 1, 2.
    pub max_outer: [u64; 3],
    /// Shared memory per group, in bytes.
    pub max_shared_bytes: u64,
    /// Streams that run beside each other.
    pub concurrent_streams: bool,
    /// Arithmetic may take subnormal `float`s for zero, and nothing forbids it to the driver.
    pub may_flush_subnormals: bool,
    /// A kernel has run when its launch returns.
    pub launches_wait: bool,
    /// Kernels run on a processor: the shared memory of a group is no nearer to its items than all other memory.
    pub runs_on_processor: bool,
    /// Subgroup functions of up to so many lanes exchange registers; 0 where they go through memory.
    pub subgroup_lanes: u32,
    /// So many iterations of all loops of an item together can be run. More are an error at the next wait.
    pub max_loop_iterations: Option<u64>,
    /// A kernel checks all that it does, and ends at the first fault: it runs also where core cannot prove its accesses.
    pub stops_at_faults: bool,
}

impl Capabilities {
    /// A device that shares the host's memory, runs groups of these sizes, and can do nothing else.
    pub const fn new(max_inner: (u64, [u64; 3]), max_outer: [u64; 3]) -> Self {
        Self {
            separate_memory: false,
            f64: false,
            i64: false,
            max_inner,
            max_outer,
            max_shared_bytes: 0,
            concurrent_streams: false,
            may_flush_subnormals: false,
            launches_wait: false,
            runs_on_processor: false,
            subgroup_lanes: 0,
            max_loop_iterations: None,
            stops_at_faults: false,
        }
    }

    /// Whether a group of each of the kernel's nests has the shared memory that it needs. Core asks before a text is
    /// compiled: some drivers hang on a kernel that shares too much.
    /// # Errors
    /// `Unsupported`, with both sizes.
    pub fn check_shared(&self, signature: &Signature) -> Result<()> {
        let limit = self.max_shared_bytes;
        match signature.nests.iter().map(|nest| nest.shared_bytes).max() {
            Some(bytes) if bytes > limit => Err(Error::unsupported(
                format!("kernel `{}`", signature.kernel),
                format!(
                    "it needs {bytes} bytes of shared memory per group, the device has {limit}: make its `@shared` arrays smaller"
                ),
            )),
            _ => Ok(()),
        }
    }
}

setters!(Capabilities {
    with_separate_memory, separate_memory: bool;
    with_f64, f64: bool;
    with_i64, i64: bool;
    with_max_shared_bytes, max_shared_bytes: u64;
    with_concurrent_streams, concurrent_streams: bool;
    with_may_flush_subnormals, may_flush_subnormals: bool;
    with_launches_wait, launches_wait: bool;
    with_runs_on_processor, runs_on_processor: bool;
    with_subgroup_lanes, subgroup_lanes: u32;
    with_max_loop_iterations, max_loop_iterations: Option<u64>;
    with_stops_at_faults, stops_at_faults: bool;
});

/// Free and total memory of a device, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryInfo {
    /// Free now.
    pub free: u64,
    /// In all.
    pub total: u64,
}

impl MemoryInfo {
    /// So much is free of so much in all.
    pub const fn new(free: u64, total: u64) -> Self {
        Self { free, total }
    }
}
