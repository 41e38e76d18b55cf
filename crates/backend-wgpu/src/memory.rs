//! Memory: wgpu buffers.

use crate::context::Context;
use crate::error;
#[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
use crate::mapped::Exportable;
use crate::mapped::Mapping;
use ferrocca_core::Result;
use ferrocca_core::backend::{Api, BackendMemory, NativeHandle};
use std::any::Any;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

/// Buffers are this much longer at most than what was asked for: copies move whole words.
const GRANULE: u64 = 16;

/// A buffer of a device.
pub(crate) struct WgpuMemory {
    /// Unique in the process, never reused: bind groups are found by it.
    pub(crate) id: u64,
    pub(crate) buffer: wgpu::Buffer,
    bytes: usize,
    mapping: Option<Mapping>,
    #[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
    exportable: Option<Exportable>,
}

/// How buffers are used.
pub(crate) const USAGES: wgpu::BufferUsages =
    wgpu::BufferUsages::STORAGE.union(wgpu::BufferUsages::COPY_SRC).union(wgpu::BufferUsages::COPY_DST);

/// Length of the buffer for so many bytes.
pub(crate) fn padded(bytes: usize) -> u64 {
    (bytes as u64).next_multiple_of(GRANULE)
}

pub(crate) fn next_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl WgpuMemory {
    /// `bytes` > 0 of the device's memory.
    pub(crate) fn allocate(context: &Context, bytes: usize) -> Result<Self> {
        let most = context.limits.max_buffer_size;
        if bytes as u64 > most.saturating_sub(GRANULE) {
            return Err(error::too_large(bytes as u64, most));
        }
        let descriptor =
            wgpu::BufferDescriptor { label: None, size: padded(bytes), usage: USAGES, mapped_at_creation: false };
        let (buffer, reported) = context.scoped(|| context.device.create_buffer(&descriptor));
        match reported {
            None => Ok(Self::of_buffer(buffer, bytes)),
            Some(wgpu::Error::OutOfMemory { .. }) => Err(error::out_of_memory(bytes as u64)),
            Some(other) => Err(error::driver("createBuffer", error::describe(&other))),
        }
    }

    /// Memory that the host addresses.
    pub(crate) fn mapped(buffer: wgpu::Buffer, bytes: usize, mapping: Mapping) -> Self {
        Self { mapping: Some(mapping), ..Self::of_buffer(buffer, bytes) }
    }

    /// Memory that other APIs can import.
    #[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
    pub(crate) fn exportable(buffer: wgpu::Buffer, bytes: usize, exportable: Exportable) -> Self {
        Self { exportable: Some(exportable), ..Self::of_buffer(buffer, bytes) }
    }

    /// A handle of the memory for other APIs.
    #[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
    pub(crate) fn export(&self, context: &Context, uuid: [u8; 16]) -> Option<Result<ferrocca_core::backend::Exported>> {
        self.exportable.as_ref().map(|exportable| crate::mapped::export(context, exportable, uuid))
    }

    fn of_buffer(buffer: wgpu::Buffer, bytes: usize) -> Self {
        Self {
            id: next_id(),
            buffer,
            bytes,
            mapping: None,
            #[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
            exportable: None,
        }
    }

    /// The memory of this backend behind the contract's.
    pub(crate) fn of(memory: &dyn BackendMemory) -> Result<&Self> {
        (memory as &dyn Any).downcast_ref().ok_or_else(|| error::internal("memory of another backend reached WebGPU"))
    }
}

impl BackendMemory for WgpuMemory {
    fn bytes(&self) -> usize {
        self.bytes
    }

    fn handle(&self) -> NativeHandle {
        NativeHandle::Opaque { api: Api::WGPU, handle: self.id }
    }

    fn mapped(&self) -> Option<NonNull<u8>> {
        self.mapping.as_ref().map(Mapping::pointer)
    }
}
