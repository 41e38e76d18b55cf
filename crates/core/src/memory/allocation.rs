//! What memory handles share: the backend's memory, its place in the device's accounts, and what it must keep alive.

use super::constant::Constant;
use crate::Result;
use crate::backend::{BackendMemory, NativeHandle};
use crate::device::DeviceInner;
use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};

/// One allocation, wrapped range or pool reservation.
pub(crate) struct Allocation {
    pub(crate) device: Arc<DeviceInner>,
    /// `None` for memory of no elements.
    pub(crate) backend: Option<Arc<dyn BackendMemory>>,
    /// Address of the first byte where the handle is one, else 0.
    pub(crate) address: u64,
    /// Ranges of two allocations can overlap only where their spaces are the same: the handle itself, or for handles
    /// that are addresses their API alone.
    pub(crate) space: Option<NativeHandle>,
    /// Where the first byte lies in that space.
    pub(crate) base: u64,
    /// Bytes that this allocation counts for in the device's accounts.
    accounted: u64,
    /// The same memory as other devices have imported it, by the devices' numbers.
    imports: Mutex<Vec<(u64, Arc<dyn BackendMemory>)>>,
    /// It never changes.
    pub(crate) constant: Option<Constant>,
    /// Dropped after the memory is: the owner of wrapped memory, a pool's reservation.
    pub(crate) keep: Option<Box<dyn Any + Send + Sync>>,
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
        let handle = backend.as_ref().map(|backend| backend.handle());
        let (address, space) = match handle {
            Some(NativeHandle::Address { api, address }) => (address, Some(NativeHandle::Address { api, address: 0 })),
            other => (0, other),
        };
        let imports = Mutex::default();
        Arc::new(Self { device, backend, address, space, base: address, accounted, imports, constant: None, keep })
    }

    /// The same memory as an allocation that somebody else accounts for, perhaps for another device: `backend` is the memory there,
    /// `None` where there are no elements.
    pub(crate) fn again(
        &self,
        device: Arc<DeviceInner>,
        backend: Option<Arc<dyn BackendMemory>>,
        keep: Box<dyn Any + Send + Sync>,
    ) -> Arc<Self> {
        let mut again = match backend {
            Some(backend) => Self::borrowed(device, backend, Some(keep)),
            None => Self::empty(device),
        };
        if let Some(again) = Arc::get_mut(&mut again) {
            again.constant = self.constant;
        }
        again
    }

    /// The same memory for another device, which imports it once; `None` for memory of no elements.
    pub(crate) fn imported_by(&self, device: &DeviceInner) -> Result<Option<Arc<dyn BackendMemory>>> {
        let Some(backend) = &self.backend else {
            return Ok(None);
        };
        let mut imports = self.imports.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = imports.iter().find(|(id, _)| *id == device.id) {
            return Ok(Some(known.clone()));
        }
        let imported = device.backend.import(self.device.backend.export(&**backend)?)?;
        imports.push((device.id, imported.clone()));
        Ok(Some(imported))
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        // Other devices let go before the memory goes.
        self.imports.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
        // The backend frees first, so that the accounts never show less than is in use.
        self.backend = None;
        self.device.unaccount(self.accounted);
    }
}
