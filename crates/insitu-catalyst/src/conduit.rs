//! Conduit's C interface. libcatalyst has a copy of its own, whose functions have a prefix; Ascent uses the library itself.

use ferrocca_core::{DType, Error, Result};
use libloading::Library;
use std::ffi::{CString, c_char, c_int, c_void};
use std::path::Path;

/// How the functions of a copy of Conduit are called.
pub(crate) const IN_CATALYST: &str = "catalyst_";
/// As above, for Conduit itself.
pub(crate) const PLAIN: &str = "";

/// `conduit_node`.
pub(crate) type RawNode = *mut c_void;

/// `conduit_node_set_path_external_TYPE_ptr_detailed`: node, path, data, elements; offset, stride and size in bytes; byte order.
type SetExternal = unsafe extern "C" fn(RawNode, *const c_char, *mut c_void, i64, i64, i64, i64, i64);

/// Conduit's name of a type of elements, where it has one.
pub(crate) fn type_name(dtype: DType) -> Option<&'static str> {
    TYPES.iter().find(|(known, _)| *known == dtype).map(|(_, name)| *name)
}

const TYPES: [(DType, &str); 10] = [
    (DType::F64, "float64"),
    (DType::F32, "float32"),
    (DType::I8, "int8"),
    (DType::I16, "int16"),
    (DType::I32, "int32"),
    (DType::I64, "int64"),
    (DType::U8, "uint8"),
    (DType::U16, "uint16"),
    (DType::U32, "uint32"),
    (DType::U64, "uint64"),
];

/// Conduit's number for this machine's byte order.
const NATIVE_ORDER: i64 = 0;

/// The functions that are used here.
pub(crate) struct Conduit {
    create: unsafe extern "C" fn() -> RawNode,
    destroy: unsafe extern "C" fn(RawNode),
    set_int: unsafe extern "C" fn(RawNode, *const c_char, i64),
    set_float: unsafe extern "C" fn(RawNode, *const c_char, f64),
    set_text: unsafe extern "C" fn(RawNode, *const c_char, *const c_char),
    /// In the order of [`TYPES`].
    set_external: Vec<SetExternal>,
}

/// Opens a library for the rest of the process.
/// # Errors
/// [`ferrocca_core::ErrorKind::Unsupported`] where it does not load; the text names what to do.
pub(crate) fn open(what: &str, path: &Path) -> Result<&'static Library> {
    // SAFETY: the initialisers are those of a library that the program's user has named.
    let library = unsafe { Library::new(path) }.map_err(|error| {
        let reason = format!(
            "{} does not load: {error}; name the library's file, or add its directory to LD_LIBRARY_PATH",
            path.display()
        );
        Error::unsupported(what.to_owned(), reason)
    })?;
    Ok(Box::leak(Box::new(library)))
}

/// A function of a library.
///
/// # Safety
/// `T` is the type of the function of that name.
pub(crate) unsafe fn function<T: Copy>(library: &'static Library, name: &str) -> Result<T> {
    // SAFETY: the caller's duty.
    let found = unsafe { library.get::<T>(name.as_bytes()) };
    let missing = |error: libloading::Error| Error::unsupported(format!("the function `{name}`"), error.to_string());
    found.map(|symbol| *symbol).map_err(missing)
}

impl Conduit {
    /// The functions of a library, or of those that it links, under the names that begin with `prefix`.
    pub(crate) fn of(library: &'static Library, prefix: &str) -> Result<Self> {
        let name = |name: &str| format!("{prefix}conduit_{name}");
        // SAFETY: names and types are those of Conduit's `conduit_node.h` and `conduit_datatype.h`.
        unsafe {
            let size = function::<unsafe extern "C" fn() -> c_int>(library, &name("datatype_sizeof_index_t"));
            if let Ok(size) = size.map(|size| size())
                && size != size_of::<i64>() as c_int
            {
                let reason = format!("it was built with indices of {size} bytes; 8 are expected");
                return Err(Error::unsupported("this Conduit", reason));
            }
            let external = |(_, kind): &(DType, &str)| {
                function(library, &name(&format!("node_set_path_external_{kind}_ptr_detailed")))
            };
            Ok(Self {
                create: function(library, &name("node_create"))?,
                destroy: function(library, &name("node_destroy"))?,
                set_int: function(library, &name("node_set_path_int64"))?,
                set_float: function(library, &name("node_set_path_float64"))?,
                set_text: function(library, &name("node_set_path_char8_str"))?,
                set_external: TYPES.iter().map(external).collect::<Result<_>>()?,
            })
        }
    }

    /// An empty node.
    pub(crate) fn node(&self) -> Node<'_> {
        // SAFETY: the function has no precondition.
        Node { conduit: self, raw: unsafe { (self.create)() } }
    }
}

/// A tree of values.
pub(crate) struct Node<'c> {
    conduit: &'c Conduit,
    raw: RawNode,
}

/// Elements of somebody's memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Values {
    pub(crate) dtype: DType,
    /// Address of the memory, on the host or on a device.
    pub(crate) address: u64,
    /// Elements.
    pub(crate) count: usize,
    /// From the address to the first element, in bytes.
    pub(crate) offset: usize,
    /// From one element to the next, in bytes.
    pub(crate) stride: usize,
}

impl Node<'_> {
    pub(crate) fn raw(&self) -> RawNode {
        self.raw
    }

    pub(crate) fn set_int(&self, path: &str, value: i64) -> Result<()> {
        let path = text(path)?;
        // SAFETY: the node is live, the path zero-terminated and borrowed for the call.
        unsafe { (self.conduit.set_int)(self.raw, path.as_ptr(), value) };
        Ok(())
    }

    pub(crate) fn set_float(&self, path: &str, value: f64) -> Result<()> {
        let path = text(path)?;
        // SAFETY: as above.
        unsafe { (self.conduit.set_float)(self.raw, path.as_ptr(), value) };
        Ok(())
    }

    pub(crate) fn set_text(&self, path: &str, value: &str) -> Result<()> {
        let (path, value) = (text(path)?, text(value)?);
        // SAFETY: as above, for the value too; Conduit copies it.
        unsafe { (self.conduit.set_text)(self.raw, path.as_ptr(), value.as_ptr()) };
        Ok(())
    }

    /// Values that stay where they are; the node does not own them.
    ///
    /// # Safety
    /// All of the elements lie in memory that is live, and nobody writes it, while the node is used.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Unsupported`] for a type of elements that Conduit does not have.
    pub(crate) unsafe fn set_external(&self, path: &str, values: &Values) -> Result<()> {
        let Values { dtype, address, count, offset, stride } = *values;
        let Some(place) = TYPES.iter().position(|(known, _)| *known == dtype) else {
            return Err(Error::unsupported(format!("`{path}` of {dtype}"), "Conduit has no such type of elements"));
        };
        let path = text(path)?;
        let (data, bytes) = (address as usize as *mut c_void, dtype.bytes() as i64);
        // SAFETY: as above; for the elements the caller vouches.
        unsafe {
            let set = self.conduit.set_external[place];
            set(self.raw, path.as_ptr(), data, count as i64, offset as i64, stride as i64, bytes, NATIVE_ORDER);
        }
        Ok(())
    }
}

impl Drop for Node<'_> {
    fn drop(&mut self) {
        // SAFETY: the node is live, and this is its last use.
        unsafe { (self.conduit.destroy)(self.raw) };
    }
}

fn text(text: &str) -> Result<CString> {
    CString::new(text).map_err(|_| Error::invalid(format!("{text:?} has a zero byte and is no text of Conduit's")))
}
