//! Where memory lies, in the terms that array libraries share.

use crate::cuda_interop;
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
    /// Pinned memory of CUDA's, which the host reads and writes in place too.
    CudaHost = 3,
    /// `cl_mem`.
    OpenCl = 4,
    /// A device that DLPack does not know.
    Other = 12,
    /// A WebGPU buffer.
    WebGpu = 15,
}

impl DeviceKind {
    /// The kind of DLPack's number, where it is one of these.
    pub fn of_number(number: i32) -> Option<Self> {
        use DeviceKind::{Cuda, CudaHost, Host, OpenCl, Other, WebGpu};
        [Host, Cuda, CudaHost, OpenCl, Other, WebGpu].into_iter().find(|kind| *kind as i32 == number)
    }

    /// Whether the host reads and writes such memory in place.
    pub fn is_host(self) -> bool {
        matches!(self, Self::Host | Self::CudaHost)
    }
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
    /// Work that writes the memory may still be queued: the host finishes the stream before it looks.
    pub is_queued: bool,
}

impl Location {
    /// The location of `memory`. Memory that is mapped into the host's address space is host memory, whichever
    /// device computes on it; memory that its device exports is CUDA's, where CUDA has the same GPU.
    pub fn of(memory: &AnyMemory) -> Self {
        let own = Self::on_own_device(memory);
        if own.device != DeviceKind::WebGpu {
            return own;
        }
        match cuda_interop::memory_on_cuda(memory) {
            Some(Ok(imported)) => Self::on_own_device(&imported),
            _ => own,
        }
    }

    /// As [`of`](Self::of), without CUDA's view of it.
    pub(crate) fn on_own_device(memory: &AnyMemory) -> Self {
        let host =
            Self { device: DeviceKind::Host, device_id: 0, data: 0, byte_offset: 0, stream: 0, is_queued: false };
        let Some(handle) = memory.handle() else {
            return host;
        };
        let owner = memory.device();
        let mapped = memory.mapped().map(|mapped| mapped.as_ptr() as usize as u64);
        if let (NativeHandle::Host(address), false) = (handle, owner.has_separate_memory_space()) {
            return Self { data: mapped.unwrap_or(address + memory.offset_bytes() as u64), ..host };
        }
        let offset = memory.offset_bytes() as u64;
        let (device, data, byte_offset) = match (handle, mapped) {
            (NativeHandle::Cuda(_), Some(mapped)) => (DeviceKind::CudaHost, mapped, 0),
            (_, Some(mapped)) => (DeviceKind::Host, mapped, 0),
            (NativeHandle::Host(address), None) => (DeviceKind::Host, address + offset, 0),
            (NativeHandle::Cuda(address), None) => (DeviceKind::Cuda, address + offset, 0),
            (NativeHandle::OpenCl(handle), None) => (DeviceKind::OpenCl, handle, offset),
            (NativeHandle::Wgpu(handle), None) => (DeviceKind::WebGpu, handle, offset),
            (other, None) => (DeviceKind::Other, other.raw(), offset),
        };
        let device_id = if device == DeviceKind::Host { 0 } else { owner.info().device_id as i32 };
        let stream = owner.stream().handle();
        Self { device, device_id, data, byte_offset, stream, is_queued: true }
    }
}
