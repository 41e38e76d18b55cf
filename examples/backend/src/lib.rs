//! Mode `Worker`: a small, complete backend that lives outside of Ferrocca and is registered at run time.
//!
//! It behaves like a discrete accelerator: its memory has no host address, and each stream is a queue that a thread
//! of its own works off, so that launches and copies return before they are done. Kernels become a
//! dialect of C of its own, with a target of its own (`dialect`), compiled by `cc`.
//!
//! ```
//! ferrocca_core::register_backend(&worker_backend::WORKER)?;
//! let device = ferrocca_core::Device::open("mode=Worker")?;
//! assert!(device.has_separate_memory_space());
//! // Its handles are addresses, of an API that Ferrocca has never heard of.
//! assert!(!device.malloc::<f64>(4)?.ptr().is_null());
//! # Ok::<(), ferrocca_core::Error>(())
//! ```

mod device;
mod dialect;
mod kernel;
mod memory;
mod stream;

use ferrocca_core::backend::{Backend, BackendDevice, DeviceInfo, Mode};
use ferrocca_core::props::Props;
use ferrocca_core::{Error, ErrorKind, Result};
use std::sync::Arc;

/// The backend.
pub struct Worker;

/// The instance to register.
pub static WORKER: Worker = Worker;

impl Backend for Worker {
    fn modes(&self) -> &'static [Mode] {
        const MODES: &[Mode] = &[Mode::new("Worker", "one host thread per stream, memory separate from the host's")];
        MODES
    }

    fn probe(&self, _mode: &str) -> Result<Vec<DeviceInfo>> {
        Ok(vec![
            device::describe()
                .map_err(|reason| Error::new(ErrorKind::Unavailable { mode: "Worker".into(), reason }))?,
        ])
    }

    fn open(&self, mode: &str, _props: &Props) -> Result<Arc<dyn BackendDevice>> {
        let info = self.probe(mode)?.remove(0);
        Ok(device::WorkerDevice::new(info))
    }
}
