//! `ferrocca.Stream`, and the streams of other libraries.

use crate::error::{OrRaise, WrongTypeError, WrongValueError};
use crate::interrupt;
use crate::owner::free_released;
use ferrocca::insitu::{LEGACY_STREAM, take_back};
use ferrocca::{Device, Stream};
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;

/// The mode whose streams are CUDA's. Other modes' native handles, such as an OpenCL queue's, are none.
pub(crate) const CUDA_MODE: &str = "CUDA";

/// The number of a stream of another library, as DLPack counts: 1 is CUDA's legacy default stream, 2 the thread's
/// default stream, anything else a native handle.
///
/// Takes such a number, and the stream objects of CuPy, PyTorch, Numba and cuda.core.
/// # Errors
/// `TypeError` for something else, `ValueError` for a negative number.
pub(crate) fn stream_number(object: &Bound<'_, PyAny>) -> PyResult<u64> {
    let number = if let Ok(number) = object.extract::<i64>() {
        number
    } else if object.hasattr("__cuda_stream__")? {
        // Some have a method, cuda.core once had a property.
        let protocol = object.getattr("__cuda_stream__")?;
        let protocol = if protocol.is_callable() { protocol.call0()? } else { protocol };
        protocol.get_item(1)?.extract()?
    } else {
        let names = ["cuda_stream", "ptr", "handle"];
        let number = |name: &&str| {
            let handle = object.getattr(*name).ok()?;
            // Numba's is a `c_void_p` where it uses the driver through ctypes.
            handle.extract::<i64>().or_else(|_| handle.getattr("value")?.extract()).ok()
        };
        let found = names.iter().find_map(number);
        found.ok_or_else(|| {
            WrongTypeError::new_err(format!(
                "a stream is its native handle or an object with `__cuda_stream__`, not {}",
                object.get_type().name().map_or_else(|_| "this".to_owned(), |name| format!("`{name}`"))
            ))
        })?
    };
    match u64::try_from(number) {
        // Everybody but DLPack calls the default stream 0.
        Ok(number) => Ok(number.max(LEGACY_STREAM)),
        Err(_) => Err(WrongValueError::new_err(format!("{number} is not a stream"))),
    }
}

/// An ordered queue of a device's work.
#[pyclass(frozen, weakref, module = "ferrocca", name = "Stream")]
pub(crate) struct PyStream {
    pub(crate) stream: Stream,
}

impl PyStream {
    pub(crate) fn new(stream: Stream) -> Self {
        Self { stream }
    }

    /// A stream of another library, which `object` is or names.
    /// # Errors
    /// As [`stream_number`]; `ferrocca.Error` where the device has no native streams.
    pub(crate) fn wrap(device: &Device, object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let number = stream_number(object)?;
        let owner = Box::new(object.clone().unbind());
        // SAFETY: a stream object is kept with the stream; for a bare number the Python program vouches.
        let stream = unsafe { device.wrap_stream_with_owner(number, Some(owner)) }.or_raise()?;
        Ok(Self { stream })
    }
}

#[pymethods]
impl PyStream {
    /// The native handle, 0 where there is none.
    #[getter]
    fn ptr(&self) -> u64 {
        self.stream.handle()
    }

    /// Later work of this stream comes after what is queued on `other`, a `ferrocca.Stream` or one of another library.
    fn wait(&self, other: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = other.py();
        if let Ok(other) = other.cast::<Self>() {
            let other = &other.get().stream;
            return py.detach(|| self.stream.wait(&other.tag()?)).or_raise();
        }
        let number = stream_number(other)?;
        // SAFETY: the object is borrowed for the call; for a bare number the Python program vouches.
        py.detach(|| unsafe { take_back(&self.stream, number) }).or_raise()
    }

    /// Waits on the host for everything queued here. Ctrl-C ends the wait, and what was queued runs on.
    fn finish(&self, py: Python<'_>) -> PyResult<()> {
        // As with the device.
        free_released();
        let finished = interrupt::wait(py, |limit| self.stream.finish_within(limit));
        free_released();
        finished
    }

    /// NVIDIA's protocol, by which CuPy, Numba and cuda.core take a stream: version and handle.
    fn __cuda_stream__(&self) -> PyResult<(u32, u64)> {
        match self.stream.device().mode() {
            CUDA_MODE => Ok((0, self.stream.handle())),
            other => Err(PyAttributeError::new_err(format!("a stream of mode `{other}` is not a CUDA stream"))),
        }
    }

    fn __eq__(&self, other: PyRef<'_, Self>) -> bool {
        self.stream == other.stream
    }

    fn __hash__(&self) -> u64 {
        self.stream.handle()
    }

    fn __repr__(&self) -> String {
        format!("ferrocca.Stream({:#x} on {})", self.stream.handle(), self.stream.device().mode())
    }
}
