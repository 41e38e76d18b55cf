//! Where memory lies, in the terms that array libraries share.

use crate::cuda_interop;
use ferrocca_core::AnyMemory;
use ferrocca_core::backend::{Api, NativeHandle};

/// A kind of device, by its number in DLPack (`DLDeviceType`). A backend elsewhere brings the number of its own kind
/// with the handles of its memory ([`Api`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct DeviceKind(pub i32);

impl DeviceKind {
    /// Memory that the host reads and writes in place.
    pub const HOST: Self = Self(Api::HOST.dlpack);
    /// CUDA device memory.
    pub const CUDA: Self = Self(Api::CUDA.dlpack);
    /// Pinned memory of CUDA's, which the host reads and writes in place too.
    pub const CUDA_HOST: Self = Self(Api::CUDA.dlpack_pinned);
    /// `cl_mem`.
    pub const OPENCL: Self = Self(Api::OPENCL.dlpack);
    /// Pinned memory of ROCm's, which the host reads and writes in place too.
    pub const ROCM_HOST: Self = Self(11);
    /// A WebGPU buffer.
    pub const WEBGPU: Self = Self(Api::WGPU.dlpack);

    /// Whether the host reads and writes such memory in place.
    pub fn is_host(self) -> bool {
        matches!(self, Self::HOST | Self::CUDA_HOST | Self::ROCM_HOST)
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
        if own.device != DeviceKind::WEBGPU {
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
            Self { device: DeviceKind::HOST, device_id: 0, data: 0, byte_offset: 0, stream: 0, is_queued: false };
        let Some(handle) = memory.handle() else {
            return host;
        };
        let owner = memory.device();
        let mapped = memory.mapped().map(|mapped| mapped.as_ptr() as usize as u64);
        let offset = memory.offset_bytes() as u64;
        let (api, data, byte_offset) = match handle {
            NativeHandle::Address { api, address } => (api, address + offset, 0),
            NativeHandle::Opaque { api, handle } => (api, handle, offset),
        };
        if api == Api::HOST && !owner.has_separate_memory_space() {
            return Self { data: mapped.unwrap_or(data), ..host };
        }
        let (device, data, byte_offset) = match mapped {
            Some(mapped) => (DeviceKind(api.dlpack_pinned), mapped, 0),
            None => (DeviceKind(api.dlpack), data, byte_offset),
        };
        let device_id = if device == DeviceKind::HOST { 0 } else { owner.info().device_id as i32 };
        let stream = owner.stream().handle();
        Self { device, device_id, data, byte_offset, stream, is_queued: true }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrocca_conformance::null::NullBackend;
    use ferrocca_core::Device;

    #[test]
    fn a_backend_elsewhere_brings_its_kind_of_device() {
        let backend = NullBackend::new();
        let device = Device::open_with(&backend, "device_id=2").unwrap();
        let lies_on = |memory: &AnyMemory| {
            let Location { device, device_id, data, byte_offset, .. } = Location::of(memory);
            (device.0, device_id, data, byte_offset)
        };
        backend.set_addresses_of(Api::new("HIP", 10).with_pinned(11));
        let memory = device.malloc_filled(4, 1.0_f64).unwrap();
        let second = memory.slice(1..).unwrap();
        assert_eq!(lies_on(second.untyped()), (10, 2, memory.ptr() as u64 + 8, 0));
        backend.set_addresses_of(Api::new("nobody's", Api::DLPACK_UNKNOWN));
        let memory = device.malloc_filled(4, 1.0_f64).unwrap();
        assert_eq!(lies_on(memory.untyped()), (12, 2, memory.ptr() as u64, 0));
    }
}
