//! Where memory lies, in the terms that array libraries share.

use ferrocca_core::AnyMemory;
use ferrocca_core::backend::NativeHandle;

/// A kind of device, in DLPack's numbering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum DeviceKind {
    /// Memory that the host reads and writes in place.
    Host = 1,
    /// CUDA device memory.
    Cuda = 2,
    /// `cl_mem`.
    OpenCl = 4,
    /// A device that DLPack does not know.
    Other = 12,
    /// A WebGPU buffer.
    WebGpu = 15,
}

/// Where the first element of memory lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// Whose memory it is.
    pub device: DeviceKind,
    /// Position among the devices of that kind; 0 for the host.
    pub device_id: i32,
    /// Address, or native handle where the device has no addresses; 0 for memory of no elements.
    pub data: u64,
    /// Bytes from `data` to the first element; 0 where `data` is an address.
    pub byte_offset: u64,
    /// Native handle of the current stream, which wrote the memory last; 0 where there is none.
    pub stream: u64,
}

impl Location {
    /// The location of `memory`. Memory that is mapped into the host's address space is host memory, whichever
    /// device computes on it.
    pub fn of(memory: &AnyMemory) -> Self {
        let host = |data| Self { device: DeviceKind::Host, device_id: 0, data, byte_offset: 0, stream: 0 };
        if let Some(mapped) = memory.mapped() {
            return host(mapped.as_ptr() as usize as u64);
        }
        let Some(handle) = memory.handle() else {
            return host(0);
        };
        let offset = memory.offset_bytes() as u64;
        let (device, data, byte_offset) = match handle {
            NativeHandle::Host(address) => return host(address + offset),
            NativeHandle::Cuda(address) => (DeviceKind::Cuda, address + offset, 0),
            NativeHandle::OpenCl(handle) => (DeviceKind::OpenCl, handle, offset),
            NativeHandle::Wgpu(handle) => (DeviceKind::WebGpu, handle, offset),
            other => (DeviceKind::Other, other.raw(), offset),
        };
        let owner = memory.device();
        let device_id = owner.info().device_id as i32;
        Self { device, device_id, data, byte_offset, stream: owner.stream().handle() }
    }
}
