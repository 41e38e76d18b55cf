//! What an element of memory is: [`Element`] at compile time, [`DType`] at run time, structs field by field.
//!
//! `bool` travels as `u8`. A struct's layout is compared with the kernel's own, so that a field of another type,
//! order or offset is an error and not garbage.

use num_complex::Complex;
use okl::ir::Scalar;
use okl::signature::StructLayout;
use std::fmt;

/// A type that [`crate::Memory`] can hold: integers, floats, complex numbers, and structs made by [`crate::kernel_struct!`].
///
/// # Safety
/// `DTYPE` describes the type's size, alignment and (for structs) every byte: there is no padding.
pub unsafe trait Element: bytemuck::Pod + Send + Sync {
    /// The type as a value.
    const DTYPE: DType;
}

/// A struct made by [`crate::kernel_struct!`], or a complex number.
///
/// # Safety
/// `LAYOUT` describes the type itself, and [`Element::DTYPE`] is it: kernels read the bytes of a value by it.
pub unsafe trait KernelStruct: Element {
    /// Its layout.
    const LAYOUT: &'static StructType;
}

macro_rules! complex {
    ($($layout:ident, $part:ident, $dtype:ident, $name:literal;)*) => {$(
        static $layout: StructType = StructType {
            name: $name,
            bytes: size_of::<Complex<$part>>(),
            align: align_of::<Complex<$part>>(),
            fields: &[
                FieldType { name: "re", offset: 0, element: DType::$dtype, dims: &[] },
                FieldType { name: "im", offset: size_of::<$part>(), element: DType::$dtype, dims: &[] },
            ],
        };

        // SAFETY: `Complex` is `repr(C)` with two numbers of one type, which the layout names; there is no padding.
        unsafe impl Element for Complex<$part> {
            const DTYPE: DType = DType::Struct(&$layout);
        }

        // SAFETY: as above.
        unsafe impl KernelStruct for Complex<$part> {
            const LAYOUT: &'static StructType = &$layout;
        }
    )*};
}
complex! {
    COMPLEX64, f32, F32, "complex64";
    COMPLEX128, f64, F64, "complex128";
}

/// A floating point number that kernels compute with: `f32` and `f64`. What a solver needs that is written once for both:
///
/// ```no_run
/// use ferrocca_core::{Device, Memory, Props, Real, Result, args};
///
/// fn scaled<T: Real>(device: &Device, factor: f64, values: &[T]) -> Result<Vec<T>> {
///     let source = "@kernel void scale(const int n, const dfloat factor, dfloat *x) {
///       for (int i = 0; i < n; ++i; @tile(256, @outer, @inner)) x[i] *= factor;
///     }";
///     let scale = device.build_kernel_from_string(source, "scale", Props::new().define("dfloat", T::OKL_NAME))?;
///     let mut x = device.malloc_from(values)?;
///     scale.launch(args![x.len(), T::from_f64(factor), &mut x])?;
///     x.to_vec()
/// }
/// ```
pub trait Real:
    Element + for<'a> crate::IntoArg<'a> + PartialOrd + fmt::Debug + fmt::Display + Default + Into<f64>
{
    /// Its name in kernels: `float`, `double`.
    const OKL_NAME: &'static str;

    /// The nearest value.
    fn from_f64(value: f64) -> Self;
}

impl Real for f32 {
    const OKL_NAME: &'static str = "float";

    fn from_f64(value: f64) -> Self {
        value as Self
    }
}

impl Real for f64 {
    const OKL_NAME: &'static str = "double";

    fn from_f64(value: f64) -> Self {
        value
    }
}

macro_rules! define {
    // Memory has no `bool`; it travels as `u8`.
    (Bool, boolean, bool, 1, "bool", "bool", [];
     $($variant:ident, $kind:ident, $rust:ty, $bytes:literal, $tag:literal, $okl:literal, [$($name:literal),*];)*) => {
        /// The type of an element.
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[allow(missing_docs)]
        pub enum DType {
            $($variant,)*
            Struct(&'static StructType),
        }

        impl DType {
            /// The kernel language's type; `None` for structs.
            pub const fn scalar(self) -> Option<Scalar> {
                match self {
                    $(Self::$variant => Some(Scalar::$variant),)*
                    Self::Struct(_) => None,
                }
            }

            /// Name in Rust: `f64`, or the struct's.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $tag,)*
                    Self::Struct(layout) => layout.name,
                }
            }
        }

        impl From<Scalar> for DType {
            /// `Bool` is a `U8`.
            fn from(scalar: Scalar) -> Self {
                match scalar {
                    Scalar::Bool => Self::U8,
                    $(Scalar::$variant => Self::$variant,)*
                }
            }
        }

        $(
            // SAFETY: a number has no padding, and `DType::bytes` and `align` give its size.
            unsafe impl Element for $rust {
                const DTYPE: DType = DType::$variant;
            }
        )*
    };
}
okl::scalars!(define);

/// The layout of a struct on the host.
#[derive(Debug, PartialEq)]
pub struct StructType {
    /// Its name.
    pub name: &'static str,
    /// Size in bytes.
    pub bytes: usize,
    /// Alignment in bytes.
    pub align: usize,
    /// Fields in order.
    pub fields: &'static [FieldType],
}

/// A field of a struct.
#[derive(Debug, PartialEq)]
pub struct FieldType {
    /// Its name; one that starts with `_padding` stands for bytes that C leaves unused.
    pub name: &'static str,
    /// Offset in bytes.
    pub offset: usize,
    /// Type of one element.
    pub element: DType,
    /// Array dimensions, slowest first; empty for a single value.
    pub dims: &'static [usize],
}

impl DType {
    /// `Complex<f32>`, which kernels and NumPy call `complex64`.
    pub const COMPLEX64: Self = Self::Struct(&COMPLEX64);
    /// `Complex<f64>`, which kernels and NumPy call `complex128`.
    pub const COMPLEX128: Self = Self::Struct(&COMPLEX128);

    /// The type of both parts, where elements are complex numbers.
    pub fn complex_of(self) -> Option<Scalar> {
        let Self::Struct(layout) = self else { return None };
        [(&COMPLEX64, Scalar::F32), (&COMPLEX128, Scalar::F64)].into_iter().find(|of| of.0 == layout).map(|of| of.1)
    }

    /// Size of an element in bytes.
    pub const fn bytes(self) -> usize {
        match (self, self.scalar()) {
            (Self::Struct(layout), _) => layout.bytes,
            (_, Some(scalar)) => scalar.bytes(),
            (_, None) => 0,
        }
    }

    /// Alignment of an element in bytes.
    pub const fn align(self) -> usize {
        match self {
            Self::Struct(layout) => layout.align,
            scalar => scalar.bytes(),
        }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl StructType {
    /// Compares with the kernel's struct of that role. The names of the structs may differ, those of the fields may not.
    /// # Errors
    /// The first difference, as a sentence.
    pub fn check(&self, kernel: &StructLayout) -> Result<(), String> {
        let mut own = Vec::new();
        self.flatten("", 0, &mut own);
        for (index, (path, scalar, offset)) in kernel.fields.iter().enumerate() {
            let Some((own_path, own_dtype, own_offset)) = own.get(index) else {
                return Err(format!("`{}` has no field for `{path}` ({})", self.name, scalar.okl_name()));
            };
            let same = own_path == path && *own_dtype == DType::from(*scalar) && own_offset == offset;
            if !same {
                return Err(format!(
                    "field {index}: the kernel's `{}` has `{path}`: {} at byte {offset}, `{}` has `{own_path}`: {own_dtype} at byte {own_offset}",
                    kernel.name,
                    DType::from(*scalar),
                    self.name
                ));
            }
        }
        if let Some((path, ..)) = own.get(kernel.fields.len()) {
            return Err(format!("the kernel's `{}` has no field `{path}`", kernel.name));
        }
        if self.bytes != kernel.bytes {
            return Err(format!(
                "`{}` has {} bytes, the kernel's `{}` {}",
                self.name, self.bytes, kernel.name, kernel.bytes
            ));
        }
        Ok(())
    }

    /// Adds `(path, type, offset)` of every scalar but padding.
    fn flatten(&self, prefix: &str, base: usize, out: &mut Vec<(String, DType, usize)>) {
        for field in self.fields.iter().filter(|field| !field.name.starts_with("_padding")) {
            let count: usize = field.dims.iter().product();
            for index in 0..count {
                let mut path = format!("{prefix}{}", field.name);
                let mut stride = count;
                let mut rest = index;
                for dim in field.dims {
                    stride /= dim;
                    path.push_str(&format!("[{}]", rest / stride));
                    rest %= stride;
                }
                let offset = base + field.offset + index * field.element.bytes();
                match field.element {
                    DType::Struct(inner) => inner.flatten(&format!("{path}."), offset, out),
                    scalar => out.push((path, scalar, offset)),
                }
            }
        }
    }
}

/// A type that can be a field of a [`crate::kernel_struct!`]: a number, another such struct, or arrays of these.
///
/// # Safety
/// The type is `DIMS.product()` elements of a [`Element`] in a row.
pub unsafe trait FieldDType {
    /// Type of one element.
    const ELEMENT: DType;
    /// Array dimensions, slowest first.
    const DIMS: &'static [usize];
}

// SAFETY: one element.
unsafe impl<T: Element> FieldDType for T {
    const ELEMENT: DType = T::DTYPE;
    const DIMS: &'static [usize] = &[];
}

// SAFETY: arrays lay their elements in a row.
unsafe impl<T: Element, const N: usize> FieldDType for [T; N] {
    const ELEMENT: DType = T::DTYPE;
    const DIMS: &'static [usize] = &[N];
}

// SAFETY: arrays lay their elements in a row.
unsafe impl<T: Element, const N: usize, const M: usize> FieldDType for [[T; M]; N] {
    const ELEMENT: DType = T::DTYPE;
    const DIMS: &'static [usize] = &[N, M];
}

// SAFETY: arrays lay their elements in a row.
unsafe impl<T: Element, const N: usize, const M: usize, const K: usize> FieldDType for [[[T; K]; M]; N] {
    const ELEMENT: DType = T::DTYPE;
    const DIMS: &'static [usize] = &[N, M, K];
}

/// Defines a struct that kernels take by value (`args![&params]`) or as the element of memory.
///
/// Fields are numbers, other such structs, and arrays of these. Bytes that C would leave unused are written out as
/// fields whose names start with `_padding`, because they would otherwise be uninitialised; the compiler says so.
///
/// ```
/// ferrocca_core::kernel_struct! {
///     /// Coefficients of the scheme.
///     pub struct Coefficients {
///         /// Δt / 2h
///         pub c1: f64,
///         /// νΔt / h²
///         pub c2: f64,
///         /// Points.
///         pub n: i32,
///         /// C aligns the struct to 8 bytes.
///         pub _padding: i32,
///     }
/// }
/// let coefficients = Coefficients { c1: 0.5, c2: 0.25, n: 256, _padding: 0 };
/// assert_eq!(coefficients.c1, 0.5);
/// ```
#[macro_export]
macro_rules! kernel_struct {
    ($(#[$attribute:meta])* $vis:vis struct $name:ident {
        $($(#[$field_attribute:meta])* $field_vis:vis $field:ident : $ty:ty),+ $(,)?
    }) => {
        $(#[$attribute])*
        #[repr(C)]
        #[derive(Clone, Copy, Debug)]
        $vis struct $name {
            $($(#[$field_attribute])* $field_vis $field: $ty),+
        }

        const _: () = {
            assert!(::core::mem::size_of::<$name>() > 0, "this struct has no bytes: kernels have no such type");
            assert!(
                ::core::mem::size_of::<$name>() == 0 $(+ ::core::mem::size_of::<$ty>())+,
                "this struct has padding: write it out as fields named `_padding…`"
            );
        };

        // SAFETY: every field is plain data (the bounds of `FieldDType` are checked below by `LAYOUT`), the struct is
        // `repr(C)`, and the assertion above shows that it has no padding.
        unsafe impl $crate::bytemuck::Zeroable for $name {}
        // SAFETY: as above.
        unsafe impl $crate::bytemuck::Pod for $name {}
        // SAFETY: the layout is computed from the struct itself.
        unsafe impl $crate::Element for $name {
            const DTYPE: $crate::DType = $crate::DType::Struct(<Self as $crate::KernelStruct>::LAYOUT);
        }
        // SAFETY: as above.
        unsafe impl $crate::KernelStruct for $name {
            const LAYOUT: &'static $crate::dtype::StructType = &$crate::dtype::StructType {
                name: ::core::stringify!($name),
                bytes: ::core::mem::size_of::<$name>(),
                align: ::core::mem::align_of::<$name>(),
                fields: &[$($crate::dtype::FieldType {
                    name: ::core::stringify!($field),
                    offset: ::core::mem::offset_of!($name, $field),
                    element: <$ty as $crate::dtype::FieldDType>::ELEMENT,
                    dims: <$ty as $crate::dtype::FieldDType>::DIMS,
                }),+],
            };
        }
    };
}
