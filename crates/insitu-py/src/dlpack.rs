//! DLPack: the structs of its versions 0 and 1, capsules out of a view, tensors out of a capsule.
//!
//! A capsule owns its tensor until a consumer renames it; from then on the consumer calls the tensor's deleter, on
//! whatever thread it likes. PyTorch, asked for a device that it does not know, calls the deleter and leaves the capsule its
//! name; therefore a table says which tensors there are, and what has been deleted is not deleted again.

use crate::error::{AccessError, WrongTypeError};
use crate::view::{HOST, View, row_major, zeros};
use pyo3::ffi;
use pyo3::prelude::*;
use std::collections::HashMap;
use std::ffi::{CStr, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

/// The version that is spoken.
const VERSION: Version = Version { major: 1, minor: 0 };
const READ_ONLY: u64 = 1;
const IS_COPIED: u64 = 2;

const NAME: &CStr = c"dltensor_versioned";
const USED_NAME: &CStr = c"used_dltensor_versioned";
const LEGACY_NAME: &CStr = c"dltensor";
const LEGACY_USED_NAME: &CStr = c"used_dltensor";

#[derive(Clone, Copy)]
#[repr(C)]
struct Version {
    major: u32,
    minor: u32,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct Device {
    kind: i32,
    id: i32,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct DataType {
    code: u8,
    bits: u8,
    lanes: u16,
}

/// `DLTensor`.
#[repr(C)]
struct Tensor {
    data: *mut c_void,
    device: Device,
    ndim: i32,
    dtype: DataType,
    shape: *mut i64,
    strides: *mut i64,
    byte_offset: u64,
}

/// `DLManagedTensorVersioned`.
#[repr(C)]
struct Managed {
    version: Version,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Managed)>,
    flags: u64,
    tensor: Tensor,
}

/// `DLManagedTensor`, of versions before 1.
#[repr(C)]
struct LegacyManaged {
    tensor: Tensor,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut LegacyManaged)>,
}

/// What a tensor that we gave out keeps alive.
enum Kept {
    View(Arc<View>),
    /// A copy on the host: its elements, and the view for shape and type.
    Copy(Vec<u64>, Arc<View>, Vec<i64>),
}

impl Kept {
    /// How many tensors over a frozen view are out; copies do not count.
    fn tensors(&self) -> Option<&AtomicUsize> {
        match self {
            Self::View(view) => view.frozen.as_deref(),
            Self::Copy(..) => None,
        }
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        if let Some(tensors) = self.tensors() {
            tensors.fetch_sub(1, Ordering::Release);
        }
    }
}

/// A tensor that we gave out, in one allocation with what it keeps alive.
#[repr(C)]
struct Exported<M> {
    managed: M,
    kept: Kept,
}

/// How a consumer wants it.
#[derive(Clone, Copy)]
pub(crate) struct Request {
    /// The consumer knows versions from 1 on.
    pub(crate) versioned: bool,
    /// What the tensor shows.
    pub(crate) contents: Contents,
}

/// What a tensor shows.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Contents {
    /// The memory itself, under this DLPack device.
    InPlace((i32, i32)),
    /// A copy on the host.
    HostCopy,
    /// A copy on the memory's own device.
    DeviceCopy,
}

/// A capsule for a consumer.
/// # Errors
/// `BufferError` for a read-only view where the consumer cannot be told so, or would not keep to it.
pub(crate) fn export<'py>(py: Python<'py>, view: &Arc<View>, request: Request) -> PyResult<Bound<'py, PyAny>> {
    let Request { versioned, contents } = request;
    let in_place = matches!(contents, Contents::InPlace(_));
    if in_place && view.frozen.is_none() && view.read_only {
        refuse_writers(view, versioned)?;
    }
    let (kept, device) = match contents {
        Contents::InPlace(device) => (Kept::View(view.clone()), device),
        Contents::HostCopy => (copy_of(py, view)?, (HOST, 0)),
        Contents::DeviceCopy => (Kept::View(Arc::new(view.duplicate(py)?)), view.device),
    };
    if let Some(tensors) = kept.tensors() {
        tensors.fetch_add(1, Ordering::Relaxed);
    }
    let tensor = tensor_of(&kept, device);
    let flags = match in_place {
        true if view.read_only => READ_ONLY,
        true => 0,
        false => IS_COPIED,
    };
    let context = std::ptr::null_mut();
    if versioned {
        let managed = Managed { version: VERSION, context, deleter: Some(delete::<Managed>), flags, tensor };
        capsule(py, Exported { managed, kept }, NAME, destroy_versioned)
    } else {
        let managed = LegacyManaged { tensor, context, deleter: Some(delete::<LegacyManaged>) };
        capsule(py, Exported { managed, kept }, LEGACY_NAME, destroy_legacy)
    }
}

fn refuse_writers(view: &View, versioned: bool) -> PyResult<()> {
    if view.is_on_cuda() {
        return Err(AccessError::new_err(READ_ONLY_ON_CUDA));
    }
    match versioned {
        true => Ok(()),
        false => Err(AccessError::new_err(
            "this memory is read-only, which DLPack before version 1 cannot say: ask with `max_version=(1, 0)`, for a \
             copy, or for the `frozen()` view where arrays are immutable (JAX)",
        )),
    }
}

/// CuPy, PyTorch and Numba take a tensor that says «read-only», and write to it.
pub(crate) const READ_ONLY_ON_CUDA: &str = "this memory is read-only, and no array library keeps to that on a GPU: \
     `frozen()` is a view for JAX, whose arrays are immutable, `cupy.from_dlpack(field, copy=True)` a copy on the \
     device, `to_host()` a copy on the host";

fn copy_of(py: Python<'_>, view: &Arc<View>) -> PyResult<Kept> {
    // In words, so that the elements are aligned.
    let mut words = zeros::<u64>(view.bytes().div_ceil(8))?;
    // SAFETY: the words have room for the bytes, and nobody else has them.
    let bytes = unsafe { std::slice::from_raw_parts_mut(words.as_mut_ptr().cast::<u8>(), view.bytes()) };
    view.copy_into(py, bytes)?;
    Ok(Kept::Copy(words, view.clone(), row_major(&view.shape)))
}

/// The tensor's pointers go into the heap of what is kept, and stay valid when that moves.
fn tensor_of(kept: &Kept, (kind, id): (i32, i32)) -> Tensor {
    let (view, data, strides, byte_offset) = match kept {
        Kept::View(view) => (view, view.data as usize as *mut c_void, view.strides.as_ptr(), view.byte_offset),
        Kept::Copy(words, view, strides) => (view, words.as_ptr().cast_mut().cast(), strides.as_ptr(), 0),
    };
    Tensor {
        // Consumers check the pointer of an empty tensor, if at all, for null.
        data: if view.size() == 0 { std::ptr::null_mut() } else { data },
        device: Device { kind, id },
        ndim: view.shape.len() as i32,
        dtype: DataType { code: view.element.code, bits: view.element.bytes * 8, lanes: 1 },
        shape: view.shape.as_ptr().cast_mut(),
        strides: strides.cast_mut(),
        byte_offset,
    }
}

fn capsule<'py, M>(
    py: Python<'py>,
    exported: Exported<M>,
    name: &'static CStr,
    destroy: unsafe extern "C" fn(*mut ffi::PyObject),
) -> PyResult<Bound<'py, PyAny>> {
    static NEXT: AtomicUsize = AtomicUsize::new(1);
    let pointer = Box::into_raw(Box::new(exported));
    // SAFETY: the name is static, the pointer is not null, and `destroy` frees exactly such pointers.
    let object = unsafe { ffi::PyCapsule_New(pointer.cast(), name.as_ptr(), Some(destroy)) };
    if object.is_null() {
        // SAFETY: no capsule took the pointer.
        drop(unsafe { Box::from_raw(pointer) });
    } else {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        live().insert(pointer as usize, number);
        // SAFETY: it is a capsule, whose context is a number and not a pointer.
        unsafe { ffi::PyCapsule_SetContext(object, std::ptr::without_provenance_mut(number)) };
    }
    // SAFETY: a new reference, or null with an exception set.
    unsafe { Bound::from_owned_ptr_or_err(py, object) }
}

/// The numbers of the tensors that we gave out and nobody has deleted, by their addresses, which the allocator uses again.
fn live() -> MutexGuard<'static, HashMap<usize, usize>> {
    static LIVE: LazyLock<Mutex<HashMap<usize, usize>>> = LazyLock::new(Mutex::default);
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Frees a tensor of ours, once. It touches no Python object: the view gives its memory to a queue.
unsafe extern "C" fn delete<M>(managed: *mut M) {
    if live().remove(&(managed as usize)).is_some() {
        // SAFETY: `managed` is the first field of a boxed `Exported<M>`, which was alive and is out of the table now.
        drop(unsafe { Box::from_raw(managed.cast::<Exported<M>>()) });
    }
}

unsafe extern "C" fn destroy_versioned(capsule: *mut ffi::PyObject) {
    // SAFETY: Python passes the capsule, which is one of ours.
    unsafe { destroy::<Managed>(capsule, NAME) }
}

unsafe extern "C" fn destroy_legacy(capsule: *mut ffi::PyObject) {
    // SAFETY: as above.
    unsafe { destroy::<LegacyManaged>(capsule, LEGACY_NAME) }
}

/// Deletes the tensor of a capsule that nobody renamed, if nobody has deleted it.
///
/// # Safety
/// `capsule` was made by [`capsule`] for an `Exported<M>`.
unsafe fn destroy<M>(capsule: *mut ffi::PyObject, name: &CStr) {
    // SAFETY: it is a capsule; the pointer is only compared until the table says that it is alive.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, name.as_ptr()) == 1 {
            let managed = ffi::PyCapsule_GetPointer(capsule, name.as_ptr()).cast::<M>();
            let number = ffi::PyCapsule_GetContext(capsule) as usize;
            let is_alive = live().get(&(managed as usize)) == Some(&number);
            if is_alive {
                delete(managed);
            }
        }
    }
}

/// A tensor that somebody else gave us; its deleter runs when it is dropped.
pub(crate) struct Taken(TakenPointer);

enum TakenPointer {
    Versioned(*mut Managed),
    Legacy(*mut LegacyManaged),
}

// SAFETY: DLPack lets a deleter run on any thread, and nothing else is done with the tensor elsewhere.
unsafe impl Send for Taken {}
// SAFETY: as above; the tensor is read only while it is taken.
unsafe impl Sync for Taken {}

impl Drop for Taken {
    fn drop(&mut self) {
        // SAFETY: the tensor is ours since the capsule was renamed, and it is deleted once.
        unsafe {
            match self.0 {
                TakenPointer::Versioned(managed) => {
                    if let Some(deleter) = (*managed).deleter {
                        deleter(managed);
                    }
                }
                TakenPointer::Legacy(managed) => {
                    if let Some(deleter) = (*managed).deleter {
                        deleter(managed);
                    }
                }
            }
        }
    }
}

/// What a taken tensor says of itself.
pub(crate) struct Described {
    pub(crate) device: (i32, i32),
    pub(crate) data: u64,
    pub(crate) byte_offset: u64,
    pub(crate) shape: Vec<i64>,
    /// `None`: row-major without gaps.
    pub(crate) strides: Option<Vec<i64>>,
    /// Code, bits, lanes.
    pub(crate) dtype: (u8, u8, u16),
    pub(crate) read_only: bool,
}

/// Takes the tensor out of a capsule.
/// # Errors
/// `TypeError` for something else, `BufferError` for a tensor that was taken before or speaks another version.
pub(crate) fn take(capsule: &Bound<'_, PyAny>) -> PyResult<(Taken, Described)> {
    let pointer = capsule.as_ptr();
    let valid = |name: &CStr| {
        // SAFETY: the object is live; the function accepts any object.
        unsafe { ffi::PyCapsule_IsValid(pointer, name.as_ptr()) == 1 }
    };
    if valid(NAME) {
        // SAFETY: a capsule of this name holds a versioned tensor; its first field says which version.
        let managed = unsafe { ffi::PyCapsule_GetPointer(pointer, NAME.as_ptr()).cast::<Managed>() };
        // SAFETY: as above.
        let version = unsafe { (*managed).version };
        if version.major != VERSION.major {
            let Version { major, minor } = version;
            return Err(AccessError::new_err(format!(
                "the array uses DLPack {major}.{minor}; only version 1 is supported"
            )));
        }
        rename(capsule, USED_NAME)?;
        let taken = Taken(TakenPointer::Versioned(managed));
        // SAFETY: the tensor is ours now, and of version 1.
        let described = unsafe { describe(&(*managed).tensor, (*managed).flags & READ_ONLY != 0) }?;
        Ok((taken, described))
    } else if valid(LEGACY_NAME) {
        // SAFETY: a capsule of this name holds a tensor without version.
        let managed = unsafe { ffi::PyCapsule_GetPointer(pointer, LEGACY_NAME.as_ptr()).cast::<LegacyManaged>() };
        rename(capsule, LEGACY_USED_NAME)?;
        let taken = Taken(TakenPointer::Legacy(managed));
        // SAFETY: the tensor is ours now.
        let described = unsafe { describe(&(*managed).tensor, false) }?;
        Ok((taken, described))
    } else if valid(USED_NAME) || valid(LEGACY_USED_NAME) {
        Err(AccessError::new_err("this DLPack capsule was consumed before"))
    } else {
        Err(WrongTypeError::new_err("`__dlpack__` returned something that is not a DLPack capsule"))
    }
}

fn rename(capsule: &Bound<'_, PyAny>, name: &'static CStr) -> PyResult<()> {
    // SAFETY: the capsule is valid, and the name static.
    match unsafe { ffi::PyCapsule_SetName(capsule.as_ptr(), name.as_ptr()) } {
        0 => Ok(()),
        _ => Err(PyErr::fetch(capsule.py())),
    }
}

/// # Safety
/// The tensor is live and follows DLPack.
/// # Errors
/// `BufferError` for a tensor without a shape.
unsafe fn describe(tensor: &Tensor, read_only: bool) -> PyResult<Described> {
    let axes = match usize::try_from(tensor.ndim) {
        Ok(axes) if axes == 0 || !tensor.shape.is_null() => axes,
        _ => return Err(AccessError::new_err(format!("a DLPack tensor of {} axes has no shape", tensor.ndim))),
    };
    let list = |pointer: *mut i64| match axes {
        0 => Vec::new(),
        // SAFETY: DLPack's shape and strides have `ndim` entries.
        _ => unsafe { std::slice::from_raw_parts(pointer, axes) }.to_vec(),
    };
    let DataType { code, bits, lanes } = tensor.dtype;
    Ok(Described {
        device: (tensor.device.kind, tensor.device.id),
        data: tensor.data as usize as u64,
        byte_offset: tensor.byte_offset,
        shape: list(tensor.shape),
        strides: (!tensor.strides.is_null()).then(|| list(tensor.strides)),
        dtype: (code, bits, lanes),
        read_only,
    })
}
