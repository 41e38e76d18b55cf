//! Objects of other libraries: opening a device in a context that exists, and handing out what a device has.
//!
//! Buffers and queues go both ways through [`ferrocca_core::Device::wrap_memory`] and `wrap_stream`; they belong to one
//! context, so that a program which brings buffers brings its context too.

use crate::device::{ClDevice, OPENCL};
use crate::driver::{Context, DeviceId, ask_bytes};
use crate::select;
use cl3::context::CL_CONTEXT_DEVICES;
use ferrocca_core::backend::{Backend, BackendDevice, DeviceInfo, Mode};
use ferrocca_core::props::Props;
use ferrocca_core::{Device, Error, Result};
use std::any::Any;
use std::ffi::c_void;
use std::sync::Arc;

/// A backend whose one device lives in a context that somebody else made:
/// `Device::open_with(&InContext::new(context, device)?, "mode=OpenCL")`.
#[derive(Debug)]
pub struct InContext {
    context: Context,
    device: DeviceId,
}

impl InContext {
    /// Keeps a reference of the context.
    ///
    /// # Safety
    /// `context` is a live `cl_context`, `device` a `cl_device_id`.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Invalid`] when the device is not one of the context's, failures of the driver.
    pub unsafe fn new(context: *mut c_void, device: *mut c_void) -> Result<Self> {
        // SAFETY: by the caller.
        let context = unsafe { Context::retain(context) }?;
        let devices = ask_bytes(&context, CL_CONTEXT_DEVICES)?;
        let wanted = (device as usize).to_ne_bytes();
        if !devices.chunks_exact(wanted.len()).any(|id| id == wanted) {
            return Err(Error::invalid("the device is not one of this context's"));
        }
        Ok(Self { context, device: DeviceId(device) })
    }
}

impl Backend for InContext {
    fn modes(&self) -> &'static [Mode] {
        OPENCL.modes()
    }

    fn probe(&self, _mode: &str) -> Result<Vec<DeviceInfo>> {
        Ok(vec![select::of_device(self.device)?.info])
    }

    fn open(&self, _mode: &str, props: &Props) -> Result<Arc<dyn BackendDevice>> {
        // SAFETY: the context is alive.
        let context = unsafe { Context::retain(self.context.raw()) }?;
        Ok(Arc::new(ClDevice::new(select::of_device(self.device)?, context, props)?))
    }
}

/// The `cl_context` and `cl_device_id` of a device of this backend, for use while the device is open; `None` for a
/// device of another backend.
pub fn handles(device: &Device) -> Option<(*mut c_void, *mut c_void)> {
    let backend: &dyn Any = &**device.backend();
    let device: &ClDevice = backend.downcast_ref()?;
    Some((device.shared.context.raw(), device.shared.candidate.id.0))
}
