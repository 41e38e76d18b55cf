//! Arrow's C data interface: an array of numbers of Arrow's (pyarrow, nanoarrow, arro3) as memory.
//!
//! Arrow's arrays are immutable by definition, so what is taken here is read-only, whatever the array's DLPack capsule says
//! or cannot say.
//! Source: the Arrow C data interface, and its PyCapsule interface (`__arrow_c_array__`).
//!
//! Not here: streams of chunks, and arrays on devices (`__arrow_c_device_array__`).

use crate::element::ElementFormat;
use crate::error::{AccessError, WrongTypeError};
use crate::import::Parts;
use ferrocca::NativeHandle;
use pyo3::ffi;
use pyo3::prelude::*;
use std::ffi::{CStr, c_char, c_void};

/// `struct ArrowSchema`.
#[repr(C)]
struct Schema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut Schema,
    dictionary: *mut Schema,
    release: Option<unsafe extern "C" fn(*mut Schema)>,
    private_data: *mut c_void,
}

/// `struct ArrowArray`.
#[repr(C)]
struct Array {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *const *const c_void,
    children: *mut *mut Array,
    dictionary: *mut Array,
    release: Option<unsafe extern "C" fn(*mut Array)>,
    private_data: *mut c_void,
}

/// An array that was moved out of its capsule.
struct Moved(Array);

// SAFETY: Arrow's arrays may be released on any thread, and nothing else is done with one.
unsafe impl Send for Moved {}
// SAFETY: as above.
unsafe impl Sync for Moved {}

impl Drop for Moved {
    fn drop(&mut self) {
        if let Some(release) = self.0.release {
            // SAFETY: the array is ours since it was moved, and it is released once.
            unsafe { release(&raw mut self.0) };
        }
    }
}

/// Of nested arrays, such as the pairs that stand for complex numbers in files.
const COMPLEX_HINT: &str = "; Arrow has no complex numbers: if they are pairs of floats, \
     `pairs.flatten().to_numpy().view('complex64')` shows them as such in place";

/// Takes an array in place.
/// # Errors
/// `TypeError` for arrays of something other than numbers, `BufferError` for one with null values.
pub(crate) fn import(object: &Bound<'_, PyAny>) -> PyResult<Parts> {
    let (schema, array): (Bound<'_, PyAny>, Bound<'_, PyAny>) =
        object.call_method0(pyo3::intern!(object.py(), "__arrow_c_array__"))?.extract()?;
    let schema: *mut Schema = pointer(&schema, c"arrow_schema")?.cast();
    let array: *mut Array = pointer(&array, c"arrow_array")?.cast();
    // SAFETY: capsules of these names hold the structs, which are live while the capsules, held here, are; the text is
    // zero-terminated.
    let (format, is_encoded) =
        unsafe { (CStr::from_ptr((*schema).format).to_string_lossy(), !(*schema).dictionary.is_null()) };
    let element = if is_encoded { None } else { element_of(&format) };
    let Some(element) = element else {
        let what = if is_encoded { "dictionary-encoded values".to_owned() } else { format!("Arrow format `{format}`") };
        let hint = if format.starts_with('+') { COMPLEX_HINT } else { "" };
        return Err(WrongTypeError::new_err(format!(
            "an Arrow array of {what} cannot be used in place: kernels take arrays of numbers, without a dictionary{hint}"
        )));
    };
    // SAFETY: as above. Moving is what a consumer does: the original is marked as released.
    let moved = unsafe {
        let moved = Moved(array.read());
        (*array).release = None;
        moved
    };
    let Array { length, null_count, offset, n_buffers, buffers, .. } = moved.0;
    if moved.0.release.is_none() || n_buffers != 2 || length < 0 || offset < 0 {
        return Err(AccessError::new_err("the Arrow array was released before, or is not one of numbers"));
    }
    // SAFETY: an array of numbers has two buffers, that of validity, which may be null, and that of the values.
    let (validity, values) = unsafe { (*buffers, *buffers.add(1)) };
    if has_nulls(validity.cast(), null_count, offset as usize, length as usize) {
        return Err(AccessError::new_err(
            "the Arrow array has null values, which memory cannot have: fill them first (`array.fill_null(0)`)",
        ));
    }
    let address = (values as usize).wrapping_add(offset as usize * usize::from(element.bytes));
    Ok(Parts {
        handle: NativeHandle::host(address as u64),
        element: Some(element),
        type_name: format.into_owned(),
        shape: vec![length],
        strides: None,
        read_only: true,
        keep: Box::new(moved),
    })
}

fn pointer(capsule: &Bound<'_, PyAny>, name: &CStr) -> PyResult<*mut c_void> {
    // SAFETY: the object is live; the function accepts any object, and raises for one that is no such capsule.
    let pointer = unsafe { ffi::PyCapsule_GetPointer(capsule.as_ptr(), name.as_ptr()) };
    if pointer.is_null() { Err(PyErr::fetch(capsule.py())) } else { Ok(pointer) }
}

/// Arrow's letters for numbers; its truth values are bits, which kernels have no type for.
fn element_of(format: &str) -> Option<&'static ElementFormat> {
    let (code, bytes) = match format {
        "c" => (0, 1),
        "s" => (0, 2),
        "i" => (0, 4),
        "l" => (0, 8),
        "C" => (1, 1),
        "S" => (1, 2),
        "I" => (1, 4),
        "L" => (1, 8),
        "e" => (2, 2),
        "f" => (2, 4),
        "g" => (2, 8),
        _ => return None,
    };
    ElementFormat::of_dlpack(code, 8 * bytes, 1)
}

/// Whether a value is null. A count of −1 says that nobody has counted.
fn has_nulls(validity: *const u8, null_count: i64, offset: usize, length: usize) -> bool {
    if validity.is_null() || null_count == 0 {
        return false;
    }
    null_count > 0
        || (offset..offset + length).any(|i| {
            // SAFETY: the buffer has a bit for each value, also for those before the offset.
            unsafe { *validity.add(i / 8) >> (i % 8) & 1 == 0 }
        })
}
