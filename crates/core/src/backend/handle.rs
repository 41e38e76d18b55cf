//! What memory is known by outside of Ferrocca: native handles, and handles that other APIs can import.
//!
//! Invariant: nothing in core asks which API a handle is of. Whether it is an address decides what core does with it:
//! `ptr()`, alignment, overlap of wrapped ranges.

use std::fmt;

/// An API that knows memory by a handle of its own. Backends elsewhere name theirs:
/// `const HIP: Api = Api::new("HIP", 10).with_pinned(11);`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Api {
    /// Name, as messages show it.
    pub name: &'static str,
    /// What array libraries call memory of this API: a number of DLPack's `DLDeviceType`.
    pub dlpack: i32,
    /// The same for memory of this API that the host addresses too; 1, which is the host's own, unless there is another.
    pub dlpack_pinned: i32,
}

impl Api {
    /// Memory that the host addresses.
    pub const HOST: Self = Self::new("the host", 1);
    /// CUDA device pointers.
    pub const CUDA: Self = Self::new("CUDA", 2).with_pinned(3);
    /// `cl_mem`.
    pub const OPENCL: Self = Self::new("OpenCL", 4);
    /// A wgpu buffer, which has no address; its handle is an id that is unique within the process.
    pub const WGPU: Self = Self::new("wgpu", 15);

    /// DLPack's number for a device that it does not know (`kDLExtDev`).
    pub const DLPACK_UNKNOWN: i32 = 12;

    /// An API by its name and its number in DLPack, [`DLPACK_UNKNOWN`](Self::DLPACK_UNKNOWN) where it has none.
    pub const fn new(name: &'static str, dlpack: i32) -> Self {
        Self { name, dlpack, dlpack_pinned: 1 }
    }

    /// The same with [`dlpack_pinned`](Self::dlpack_pinned).
    #[must_use]
    pub const fn with_pinned(mut self, dlpack_pinned: i32) -> Self {
        self.dlpack_pinned = dlpack_pinned;
        self
    }
}

/// A native handle, as other libraries know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NativeHandle {
    /// Where the memory begins. Bytes of it have addresses too, and two ranges of one API can be compared.
    Address {
        /// Whose address it is.
        api: Api,
        /// The address.
        address: u64,
    },
    /// A number that stands for the whole allocation.
    Opaque {
        /// Whose handle it is.
        api: Api,
        /// The handle.
        handle: u64,
    },
}

impl NativeHandle {
    /// An address in host memory.
    pub const fn host(address: u64) -> Self {
        Self::Address { api: Api::HOST, address }
    }

    /// A CUDA device pointer.
    pub const fn cuda(address: u64) -> Self {
        Self::Address { api: Api::CUDA, address }
    }

    /// A `cl_mem`.
    pub const fn opencl(handle: u64) -> Self {
        Self::Opaque { api: Api::OPENCL, handle }
    }

    /// The API that knows the handle.
    pub const fn api(self) -> Api {
        match self {
            Self::Address { api, .. } | Self::Opaque { api, .. } => api,
        }
    }

    /// The address, where it is one.
    pub const fn address(self) -> Option<u64> {
        match self {
            Self::Address { address, .. } => Some(address),
            Self::Opaque { .. } => None,
        }
    }

    /// The bare number.
    pub const fn raw(self) -> u64 {
        match self {
            Self::Address { address: raw, .. } | Self::Opaque { handle: raw, .. } => raw,
        }
    }
}

/// `address 0x40 of CUDA`, `handle 0x2 of wgpu`
impl fmt::Display for NativeHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = if self.address().is_some() { "address" } else { "handle" };
        write!(f, "{what} {:#x} of {}", self.raw(), self.api().name)
    }
}

/// A handle of memory, or of a timeline, that another process or API can import. It is closed when it is dropped.
#[derive(Debug)]
#[non_exhaustive]
pub enum Exported {
    /// POSIX file descriptor of what Vulkan calls an opaque handle; [`Exported::memory_fd`] and [`Exported::timeline_fd`]
    /// make it.
    #[cfg(unix)]
    #[non_exhaustive]
    Fd {
        /// The descriptor.
        descriptor: std::os::fd::OwnedFd,
        /// Size of the allocation in bytes, which an import must name; 0 for a timeline.
        bytes: u64,
        /// Nothing else lies in the allocation. APIs that can say so when they import must say it, and only then.
        dedicated: bool,
        /// The hardware that can import it: [`DeviceInfo::uuid`](super::DeviceInfo::uuid).
        uuid: [u8; 16],
    },
}

#[cfg(unix)]
impl Exported {
    /// Memory: a descriptor, the size of its allocation in bytes, whether nothing else lies in that, and the hardware that
    /// can import it.
    pub fn memory_fd(descriptor: std::os::fd::OwnedFd, bytes: u64, dedicated: bool, uuid: [u8; 16]) -> Self {
        Self::Fd { descriptor, bytes, dedicated, uuid }
    }

    /// A timeline: a descriptor, and the hardware that can import it.
    pub fn timeline_fd(descriptor: std::os::fd::OwnedFd, uuid: [u8; 16]) -> Self {
        Self::Fd { descriptor, bytes: 0, dedicated: false, uuid }
    }
}
