//! Fields of a frame, and the cache that gives the same object for the same buffer.

use crate::array::PyArray;
use crate::element::ElementFormat;
use crate::error::{OutOfMemoryError, WrongTypeError, WrongValueError};
use crate::fields::{FieldList, Fields};
use crate::memory::refuse_read_only;
use crate::owner::{Owner, ProgramHandle};
use crate::protocols;
use crate::step::Step;
use crate::view::{Layout, View, zeros};
use ferrocca::insitu::abi::{FieldAbi, HostTable};
use ferrocca::insitu::{DeviceKind, Field, Location};
use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use smallvec::SmallVec;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// A field of a frame: memory of the running solver, in place.
#[pyclass(frozen, extends = PyArray, module = "ferrocca", name = "Field")]
pub(crate) struct PyField {
    name: String,
    offer: AtomicU8,
}

/// The call under way, if any, may not keep the field.
const NO_OFFER: u8 = 0;
/// It may.
const OFFERED: u8 = 1;
/// It does.
const KEPT: u8 = 2;

impl PyField {
    fn new(name: &str) -> Self {
        Self { name: name.into(), offer: AtomicU8::new(NO_OFFER) }
    }

    /// After the call that it was offered to: whether that keeps it.
    fn take_kept(&self) -> bool {
        self.offer.swap(NO_OFFER, Ordering::Relaxed) == KEPT
    }

    pub(crate) fn is_named(&self, name: &str) -> bool {
        self.name == name
    }
}

#[pymethods]
impl PyField {
    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// The field as it is now, without a copy: an array to be read, which the solver leaves as it is for as long as the array, or
    /// one of a library over it, lives. It goes on in other memory. None where it cannot, for a hook that may write its fields,
    /// and after the hook's function has returned: then a copy does it.
    fn keep(slf: &Bound<'_, Self>) -> PyResult<Option<Py<PyArray>>> {
        let offer = &slf.get().offer;
        if offer.compare_exchange(OFFERED, KEPT, Ordering::Relaxed, Ordering::Relaxed) == Err(NO_OFFER) {
            return Ok(None);
        }
        let view = slf.as_super().get().view.without_writes();
        Py::new(slf.py(), PyArray::new(Arc::new(view))).map(Some)
    }

    /// Copies from an array of the same type and shape, on the host or on the field's device.
    fn copy_from<'py>(slf: &Bound<'py, Self>, source: &Bound<'py, PyAny>) -> PyResult<()> {
        slf.py().import("ferrocca._write")?.call_method1("copy_from", (slf, source)).map(drop)
    }

    /// Sets every element.
    fn fill<'py>(slf: &Bound<'py, Self>, value: &Bound<'py, PyAny>) -> PyResult<()> {
        slf.py().import("ferrocca._write")?.call_method1("fill", (slf, value)).map(drop)
    }

    /// `field[index] = value`, as NumPy has it, on every device: in place where an array library shows the field, else
    /// by a copy on the host, which is read first unless all of the field is written.
    fn __setitem__<'py>(slf: &Bound<'py, Self>, index: &Bound<'py, PyAny>, value: &Bound<'py, PyAny>) -> PyResult<()> {
        slf.py().import("ferrocca._write")?.call_method1("assign", (slf, index, value)).map(drop)
    }

    /// Overwrites it with an array of NumPy's, of its type and shape and in row-major order.
    fn _write(slf: PyRef<'_, Self>, py: Python<'_>, array: &Bound<'_, PyAny>) -> PyResult<()> {
        let view = slf.as_super().view.clone();
        refuse_read_only(&view)?;
        let array = PyBuffer::<u8>::get(array)?;
        let bytes = view.bytes();
        if !array.is_c_contiguous() || array.len_bytes() != bytes {
            return Err(WrongValueError::new_err(format!("{bytes} bytes in row-major order are expected")));
        }
        let mut source = zeros(bytes)?;
        array.copy_to_slice(py, &mut source)?;
        view.copy_from(py, &source)
    }

    fn __repr__(slf: PyRef<'_, Self>) -> String {
        format!("ferrocca.Field({} {})", slf.name, protocols::describe(&slf.as_super().view))
    }
}

/// A field that was not in this many frames in a row leaves the cache: its buffer is no longer in turn.
const KEPT_FRAMES: u64 = 4;

/// The fields of the last frames. A solver that swaps its buffers hands the same few over again and again; the
/// script then gets the same objects, and with them the same arrays.
#[derive(Default)]
pub(crate) struct FieldCache {
    entries: Vec<Entry>,
    /// What the last frames had: a few, as the buffers take turns.
    lists: Vec<Arc<FieldList>>,
    frame: u64,
    step: Arc<Step>,
}

struct Entry {
    field: Py<PyField>,
    view: Arc<View>,
    seen: u64,
}

impl FieldCache {
    /// Starts the next frame.
    pub(crate) fn next_frame(&mut self) {
        self.frame += 1;
        let oldest = self.frame.saturating_sub(KEPT_FRAMES);
        let before = self.entries.len();
        self.entries.retain(|entry| entry.seen >= oldest);
        if self.entries.len() != before {
            self.lists.clear();
        }
    }

    /// The fields of this frame, as its hook gets them.
    pub(crate) fn fields(&mut self, list: SmallVec<[Py<PyField>; 4]>) -> Fields {
        let known = self.lists.iter().find(|known| known.is(&list));
        let known = known.cloned().unwrap_or_else(|| {
            let new = Arc::new(FieldList::new(list));
            self.lists.truncate(KEPT_FRAMES as usize - 1);
            self.lists.insert(0, new.clone());
            new
        });
        Fields::new(known, self.step.clone())
    }

    /// Puts the hook's streams behind the work that wrote this frame's fields.
    /// # Errors
    /// As [`Step::begin`].
    pub(crate) fn begin_step(&self, py: Python<'_>) -> PyResult<()> {
        self.step.begin(py, self.current())
    }

    /// Puts the solver behind what the hook did with this frame's fields.
    /// # Errors
    /// As [`Step::end`].
    pub(crate) fn end_step(&self, py: Python<'_>) -> PyResult<()> {
        self.step.end(py, self.current())
    }

    /// After the hook: for each of the fields, whether the hook keeps it. What is kept is the hook's alone.
    pub(crate) fn take_kept(&mut self, fields: &FieldList) -> SmallVec<[bool; 4]> {
        let kept: SmallVec<[bool; 4]> = fields.iter().map(|field| field.get().take_kept()).collect();
        if kept.contains(&true) {
            let is_kept = |entry: &Entry| fields.iter().zip(&kept).any(|(field, kept)| *kept && field.is(&entry.field));
            self.entries.retain(|entry| !is_kept(entry));
            self.lists.clear();
        }
        kept
    }

    /// The views of this frame.
    fn current(&self) -> impl Iterator<Item = &View> {
        self.entries.iter().filter(|entry| entry.seen == self.frame).map(|entry| &*entry.view)
    }

    /// The object for a field of a program's frame.
    ///
    /// # Safety
    /// `abi` is a field of the call under way, whose host has that table.
    /// # Errors
    /// `TypeError` for a type of element that is not known; `ValueError` for a name that occurs twice, and for a layout that
    /// reaches out of its memory.
    pub(crate) unsafe fn field_of_program(
        &mut self,
        py: Python<'_>,
        host: &'static HostTable,
        abi: &FieldAbi,
    ) -> PyResult<Py<PyField>> {
        // SAFETY: name, shape and strides are borrowed for the call under way.
        let (name, layout) = unsafe { (abi.name.read(), layout_of(abi)?) };
        let element = ElementFormat::of_abi(abi.element)
            .ok_or_else(|| WrongTypeError::new_err(format!("field `{name}` has elements of {:?}", abi.element)))?;
        let field = self.field(py, &name, element, &layout, || {
            // SAFETY: the owner belongs to the field of the call under way.
            let handle = unsafe { ProgramHandle::retain(host, abi.owner) };
            let kept = handle.map(Owner::Program);
            kept.ok_or_else(|| OutOfMemoryError::new_err(format!("field `{name}` cannot be kept")))
        })?;
        field.get().offer.store(if abi.kept.is_null() { NO_OFFER } else { OFFERED }, Ordering::Relaxed);
        Ok(field)
    }

    /// The object for a field of a frame of this image's own solvers.
    /// # Errors
    /// `TypeError` for a type of element that is not known.
    pub(crate) fn field_of_library(&mut self, py: Python<'_>, field: &Field<'_>) -> PyResult<Py<PyField>> {
        let memory = field.memory();
        let element = ElementFormat::of(memory.dtype())?;
        let layout = Layout {
            location: field.location(),
            memory_bytes: memory.bytes(),
            shape: field.extents(),
            strides: field.strides(),
            read_only: field.is_read_only(),
        };
        let owner = || Ok(Owner::field(memory.clone(), memory.device().stream()));
        let shown = self.field(py, field.name(), element, &layout, owner)?;
        shown.get().offer.store(if field.may_be_kept() { OFFERED } else { NO_OFFER }, Ordering::Relaxed);
        Ok(shown)
    }

    fn field(
        &mut self,
        py: Python<'_>,
        name: &str,
        element: &'static ElementFormat,
        layout: &Layout<'_>,
        owner: impl FnOnce() -> PyResult<Owner>,
    ) -> PyResult<Py<PyField>> {
        if self.entries.iter().any(|entry| entry.seen == self.frame && entry.field.get().is_named(name)) {
            return Err(WrongValueError::new_err(format!("field `{name}` occurs twice in one frame")));
        }
        for entry in &mut self.entries {
            // Equal addresses are the same buffer: the cached view keeps that one alive.
            if entry.view.is(element, layout) && entry.field.get().is_named(name) {
                entry.seen = self.frame;
                return Ok(entry.field.clone_ref(py));
            }
        }
        layout.check(name, element)?;
        let view = Arc::new(View::new(owner()?, element, layout));
        let array = PyArray::of_step(view.clone(), self.step.clone());
        let class = PyClassInitializer::from(array).add_subclass(PyField::new(name));
        let field = Py::new(py, class)?;
        self.entries.push(Entry { field: field.clone_ref(py), view, seen: self.frame });
        Ok(field)
    }
}

/// # Safety
/// As [`FieldCache::field_of_program`]; the layout is borrowed for the call under way.
unsafe fn layout_of(abi: &FieldAbi) -> PyResult<Layout<'_>> {
    let axes = abi.dimensions as usize;
    let list = |pointer: *const i64| match axes {
        0 => &[][..],
        // SAFETY: shape and strides have as many entries as there are dimensions.
        _ => unsafe { std::slice::from_raw_parts(pointer, axes) },
    };
    Ok(Layout {
        location: Location {
            device: DeviceKind(abi.device_type),
            device_id: abi.device_id,
            data: abi.data,
            byte_offset: abi.byte_offset,
            stream: abi.stream,
            is_queued: abi.queued != 0,
        },
        memory_bytes: abi.memory_bytes as usize,
        shape: list(abi.shape),
        strides: list(abi.strides),
        read_only: abi.read_only != 0,
    })
}
