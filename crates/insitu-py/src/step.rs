//! What a hook did with the fields of one step, and what must be true before the solver goes on.
//!
//! No protocol reports when a consumer is done. So the solver's stream waits, by events, for the streams on which a hook
//! may have queued work: CUDA's legacy default stream, which PyTorch, Numba and CuPy use unless told otherwise; the
//! stream that was CuPy's current one when `array()` was called; and those that the hook declared. A library with
//! streams that it does not tell, JAX, gets frozen views: after a step that handed one out the host waits for the device,
//! and a view that is still held ends the run, because its owner takes the memory for immutable.

use crate::error::AccessError;
use crate::view::View;
use ferrocca::insitu::LEGACY_STREAM;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a frozen view may outlive its step: JAX lets go on threads of its own.
const GRACE: Duration = Duration::from_millis(500);

/// One step's use of its fields.
#[derive(Default)]
pub(crate) struct Step {
    used: Mutex<Used>,
}

#[derive(Default)]
struct Used {
    /// Numbers of streams, each with the object that keeps it alive.
    streams: Vec<(u64, Py<PyAny>)>,
    frozen: Vec<(Arc<View>, Arc<AtomicUsize>)>,
}

impl Step {
    /// Notes a stream on which the hook queues work. `object` keeps it alive until the step is over.
    pub(crate) fn uses(&self, stream: u64, object: &Bound<'_, PyAny>) {
        let mut used = self.lock();
        if stream != LEGACY_STREAM && used.streams.iter().all(|(known, _)| *known != stream) {
            used.streams.push((stream, object.clone().unbind()));
        }
    }

    /// Notes a frozen view.
    pub(crate) fn froze(&self, view: &Arc<View>) {
        if let Some(tensors) = &view.frozen {
            self.lock().frozen.push((view.clone(), tensors.clone()));
        }
    }

    /// Before the hook: what it queues on the legacy stream comes after the work that wrote the fields.
    /// # Errors
    /// `ferrocca.Error` for failures of the device.
    pub(crate) fn begin<'a>(&self, py: Python<'_>, fields: impl Iterator<Item = &'a View>) -> PyResult<()> {
        // SAFETY: the legacy stream always lives.
        each_stream(fields, |view| unsafe { view.hand_over(py, LEGACY_STREAM) })
    }

    /// After the hook: what the solver queues comes after what the hook queued.
    /// # Errors
    /// `ferrocca.Error` for failures of the device; `BufferError` when a frozen view is still held.
    pub(crate) fn end<'a>(&self, py: Python<'_>, fields: impl Iterator<Item = &'a View>) -> PyResult<()> {
        let Used { streams, frozen } = std::mem::take(&mut *self.lock());
        each_stream(fields, |view| {
            // SAFETY: the legacy stream always lives, the others are kept alive by their objects.
            unsafe {
                view.take_back(py, LEGACY_STREAM)?;
                streams.iter().try_for_each(|(stream, _)| view.take_back(py, *stream))
            }
        })?;
        frozen.iter().try_for_each(|(view, tensors)| thaw(py, view, tensors))
    }

    fn lock(&self) -> MutexGuard<'_, Used> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Calls `order` with one view for each stream of the fields on CUDA.
fn each_stream<'a>(
    fields: impl Iterator<Item = &'a View>,
    mut order: impl FnMut(&View) -> PyResult<()>,
) -> PyResult<()> {
    let mut last = None;
    for view in fields.filter(|view| view.is_on_cuda()) {
        let which = Some((view.device, view.stream()));
        // Almost always all fields of a frame share one stream; where not, doing it twice does no harm.
        if which != last {
            order(view)?;
            last = which;
        }
    }
    Ok(())
}

/// Waits for the device, and until nobody holds a tensor of a frozen view.
fn thaw(py: Python<'_>, view: &View, tensors: &AtomicUsize) -> PyResult<()> {
    view.finish_device(py)?;
    let held = || tensors.load(Ordering::Acquire) > 0;
    if held() {
        py.import("gc")?.call_method0("collect")?;
    }
    let last = Instant::now() + GRACE;
    while held() && Instant::now() < last {
        py.detach(|| std::thread::sleep(Duration::from_millis(1)));
    }
    match held() {
        false => Ok(()),
        true => Err(AccessError::new_err(
            "an array over a frozen view is still held after the hook's function. Its library takes the memory for \
             immutable, and the solver writes to it next: keep a copy (`jax.numpy.array(x, copy=True)`), and let the \
             array go before the function returns",
        )),
    }
}
