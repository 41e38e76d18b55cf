//! The type of an element under all its names: the library's, NumPy's, DLPack's, the buffer protocol's.

use crate::error::{WrongTypeError, WrongValueError};
use ferrocca::DType;
use ferrocca::insitu::abi::ElementAbi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use std::ffi::CStr;

/// A type of numbers.
pub(crate) struct ElementFormat {
    pub(crate) dtype: DType,
    /// NumPy's and the array API's name.
    pub(crate) name: &'static str,
    /// DLPack's type code: 0 signed, 1 unsigned, 2 float, 4 bfloat, 5 complex, 6 bool.
    pub(crate) code: u8,
    /// Size in bytes.
    pub(crate) bytes: u8,
    /// Code of the `struct` module, in native size; of complex numbers PEP 3118's.
    pub(crate) format: &'static CStr,
    /// Letter of an array interface's type string.
    pub(crate) kind: char,
}

static ELEMENTS: [ElementFormat; 15] = [
    element(DType::F64, "float64", 2, 8, c"d", 'f'),
    element(DType::F32, "float32", 2, 4, c"f", 'f'),
    element(DType::F16, "float16", 2, 2, c"e", 'f'),
    // NumPy has none; two bytes of no type are how `ml_dtypes` shows its own to it.
    element(DType::BF16, "bfloat16", 4, 2, c"2x", 'V'),
    element(DType::I32, "int32", 0, 4, c"i", 'i'),
    element(DType::I64, "int64", 0, 8, c"q", 'i'),
    element(DType::I16, "int16", 0, 2, c"h", 'i'),
    element(DType::I8, "int8", 0, 1, c"b", 'i'),
    element(DType::U8, "uint8", 1, 1, c"B", 'u'),
    // Behind `uint8`, which is what its bytes are to the library.
    element(DType::U8, "bool", DLPACK_BOOL, 1, c"?", 'b'),
    element(DType::U16, "uint16", 1, 2, c"H", 'u'),
    element(DType::U32, "uint32", 1, 4, c"I", 'u'),
    element(DType::U64, "uint64", 1, 8, c"Q", 'u'),
    element(DType::COMPLEX64, "complex64", 5, 8, c"Zf", 'c'),
    element(DType::COMPLEX128, "complex128", 5, 16, c"Zd", 'c'),
];

/// `ferrocca.DType` of each, once one was asked for.
static OBJECTS: PyOnceLock<[Py<PyAny>; ELEMENTS.len()]> = PyOnceLock::new();

const fn element(
    dtype: DType,
    name: &'static str,
    code: u8,
    bytes: u8,
    format: &'static CStr,
    kind: char,
) -> ElementFormat {
    ElementFormat { dtype, name, code, bytes, format, kind }
}

/// DLPack's code for `bool`.
const DLPACK_BOOL: u8 = 6;

impl ElementFormat {
    pub(crate) fn find(which: impl Fn(&ElementFormat) -> bool) -> Option<&'static Self> {
        ELEMENTS.iter().find(|element| which(element))
    }

    /// Of a type of the library, which has no `bool`.
    /// # Errors
    /// `TypeError` for structs.
    pub(crate) fn of(dtype: DType) -> PyResult<&'static Self> {
        let found = Self::find(|element| element.dtype == dtype);
        found.ok_or_else(|| WrongTypeError::new_err(format!("memory of structs `{dtype}` has no type in Python")))
    }

    /// Of DLPack's code and width.
    pub(crate) fn of_dlpack(code: u8, bits: u8, lanes: u16) -> Option<&'static Self> {
        Self::find(|element| lanes == 1 && element.code == code && u32::from(element.bytes) * 8 == u32::from(bits))
    }

    /// Of a field that crosses the ABI.
    pub(crate) fn of_abi(abi: ElementAbi) -> Option<&'static Self> {
        Self::of_dlpack(abi.code, abi.bits, abi.lanes)
    }

    /// Of a code of the `struct` module, with its byte order, for an item of `bytes` bytes.
    pub(crate) fn of_format(format: &str, bytes: usize) -> Option<&'static Self> {
        let foreign = if cfg!(target_endian = "little") { ['>', '!'] } else { ['<', '<'] };
        if format.starts_with(foreign) && bytes > 1 {
            return None;
        }
        // `l` and `L` differ in width between platforms: the item's size decides.
        let kind = match format.trim_start_matches(['@', '=', '<', '>', '!']) {
            "d" | "f" | "e" => 'f',
            "b" | "h" | "i" | "l" | "q" | "n" => 'i',
            "B" | "H" | "I" | "L" | "Q" | "N" | "c" => 'u',
            "?" => 'b',
            "Zd" | "Zf" => 'c',
            _ => return None,
        };
        Self::find(|element| element.kind == kind && usize::from(element.bytes) == bytes)
    }

    /// `ferrocca.DType`: text, the type's name.
    pub(crate) fn object<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let all = OBJECTS.get_or_try_init(py, || {
            let types = py.import("ferrocca._array.dtypes")?.getattr("ALL")?;
            let named = ELEMENTS.iter().map(|element| types.get_item(element.name).map(Bound::unbind));
            let named: Vec<Py<PyAny>> = named.collect::<PyResult<_>>()?;
            named.try_into().map_err(|_| WrongTypeError::new_err("types of elements"))
        })?;
        let place = ELEMENTS.iter().position(|element| std::ptr::eq(element, self));
        let place = place.ok_or_else(|| WrongTypeError::new_err("an unknown type of elements"))?;
        Ok(all[place].bind(py).clone())
    }

    /// Whether an element is a truth value: a byte that is 0 or 1.
    pub(crate) fn is_bool(&self) -> bool {
        self.code == DLPACK_BOOL
    }

    /// Whether an element is a complex number.
    pub(crate) fn is_complex(&self) -> bool {
        self.kind == 'c'
    }

    /// Type string of an array interface, such as `<f8`.
    pub(crate) fn type_string(&self) -> String {
        let order = match self.bytes {
            1 => '|',
            _ if cfg!(target_endian = "little") => '<',
            _ => '>',
        };
        format!("{order}{}{}", self.kind, self.bytes)
    }

    /// As [`parse`](Self::parse); `float64` where nothing is given.
    pub(crate) fn parse_or_f64(object: Option<&Bound<'_, PyAny>>) -> PyResult<&'static Self> {
        object.map_or(Ok(&ELEMENTS[0]), Self::parse)
    }

    /// From what a Python caller gives as `dtype`: a name (`float64`, `f8`, `<f8`, `f64`, `double`), Python's `float`,
    /// `int` and `complex`, or a dtype object of an array library. What is a name of NumPy's means what it does there: `u8` has eight
    /// bytes.
    pub(crate) fn parse(object: &Bound<'_, PyAny>) -> PyResult<&'static Self> {
        // The package's own types are known by their objects.
        let known = OBJECTS.get(object.py()).and_then(|all| all.iter().position(|known| known.is(object)));
        if let Some(place) = known {
            return Ok(&ELEMENTS[place]);
        }
        let refuse = |text: String| match object.is_instance_of::<pyo3::types::PyString>() {
            true => WrongValueError::new_err(text),
            false => WrongTypeError::new_err(text),
        };
        let name = if let Ok(name) = object.extract::<String>() {
            name
        } else if let Ok(name) = object.getattr("name").and_then(|name| name.extract::<String>()) {
            name
        } else if let Ok(name) = object.getattr("__name__").and_then(|name| name.extract::<String>()) {
            name
        } else {
            // `torch.float64` and its like have only their text.
            object.str()?.to_string()
        };
        let foreign = if cfg!(target_endian = "little") { ">" } else { "<" };
        let order = object.getattr("byteorder").and_then(|order| order.extract::<String>());
        if name.starts_with(foreign) || order.is_ok_and(|order| order == foreign) {
            let text = format!("dtype `{object}` has another byte order than this machine");
            return Err(refuse(text));
        }
        let short = name.rsplit('.').next().unwrap_or(&name);
        let plain = match short.trim_start_matches(['<', '>', '|', '=']) {
            "float" | "double" => "float64",
            "half" => "float16",
            "int" | "long" => "int64",
            "complex" | "cdouble" => "complex128",
            "csingle" | "cfloat" => "complex64",
            "bool_" | "?" => "bool",
            plain => plain,
        };
        if plain == "f16" {
            return Err(refuse(
                "dtype `f16` is NumPy's `longdouble`, which kernels do not have; half is `float16`".into(),
            ));
        }
        let by_size = |element: &Self| {
            let digits = plain.strip_prefix(element.kind);
            digits.and_then(|digits| digits.parse().ok()) == Some(element.bytes)
        };
        let by_name = |element: &Self| element.name == plain || element.dtype.name() == plain;
        Self::find(by_size).or_else(|| Self::find(by_name)).ok_or_else(|| {
            let known: Vec<&str> = ELEMENTS.iter().map(|element| element.name).collect();
            refuse(format!("dtype `{name}` is not one of {}", known.join(", ")))
        })
    }
}
