//! What memory handles share: the backend's memory, its place in the device's accounts, and what it must keep alive.

use crate::backend::{BackendMemory, NativeHandle};
use crate::device::DeviceInner;
use std::any::Any;
use std::sync::Arc;

/// One allocation, wrapped range or pool reservation.
pub(crate) struct Allocation {
    pub(crate) device: Arc<DeviceInner>,
    /// `None` for memory of no elements.
    pub(crate) backend: Option<Arc<dyn BackendMemory>>,
    /// Address of the first byte where the handle is one, else 0.
    pub(crate) address: u64,
    /// Ranges of two allocations can overlap only where their spaces are the same: the handle itself, or for handles
    /// that are addresses their kind alone.
    pub(crate) space: NativeHandle,
    /// Where the first byte lies in that space.
    pub(crate) base: u64,
    /// Bytes that this allocation counts for in the device's accounts.
    accounted: u64,
    /// Dropped after the memory is: the owner of wrapped memory, a pool's reservation.
    _keep: Option<Box<dyn Any + Send + Sync>>,
}

impl Allocation {
    /// Memory that the device has just allocated; it is in the accounts until it is dropped.
    pub(crate) fn owned(device: Arc<DeviceInner>, backend: Arc<dyn BackendMemory>) -> Arc<Self> {
        let accounted = backend.bytes() as u64;
        device.account(accounted);
        Self::new(device, Some(backend), accounted, None)
    }

    /// Memory that somebody else accounts for.
    pub(crate) fn borrowed(
        device: Arc<DeviceInner>,
        backend: Arc<dyn BackendMemory>,
        keep: Option<Box<dyn Any + Send + Sync>>,
    ) -> Arc<Self> {
        Self::new(device, Some(backend), 0, keep)
    }

    /// Memory of no elements.
    pub(crate) fn empty(device: Arc<DeviceInner>) -> Arc<Self> {
        Self::new(device, None, 0, None)
    }

    fn new(
        device: Arc<DeviceInner>,
        backend: Option<Arc<dyn BackendMemory>>,
        accounted: u64,
        keep: Option<Box<dyn Any + Send + Sync>>,
    ) -> Arc<Self> {
        let handle = backend.as_ref().map_or(NativeHandle::Other(0), |backend| backend.handle());
        let (address, space) = match handle {
            NativeHandle::Host(address) => (address, NativeHandle::Host(0)),
            NativeHandle::Cuda(address) => (address, NativeHandle::Cuda(0)),
            other => (0, other),
        };
        Arc::new(Self { device, backend, address, space, base: address, accounted, _keep: keep })
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        // The backend frees first, so that the accounts never show less than is in use.
        self.backend = None;
        self.device.unaccount(self.accounted);
    }
}
