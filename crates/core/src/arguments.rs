//! Kernel arguments as the caller gives them: `args![n, c1, &u_prev, &mut u]`, an array on the stack.

use crate::dtype::{DType, KernelStruct, StructType};
use crate::memory::{AnyMemory, Memory};
use crate::number::Number;
use half::f16;
use okl::ir::Scalar;

/// One argument. Cheap to copy; borrows what it was made from.
#[derive(Clone, Copy)]
pub struct Arg<'a>(pub(crate) ArgKind<'a>);

#[derive(Clone, Copy)]
pub(crate) enum ArgKind<'a> {
    Number(Number),
    Struct(&'static StructType, &'a [u8]),
    Memory { memory: &'a AnyMemory, mutable: bool },
    Null,
}

impl<'a> Arg<'a> {
    /// A null pointer.
    pub fn null() -> Self {
        Self(ArgKind::Null)
    }

    /// Memory that the kernel may only read.
    pub fn read(memory: &'a AnyMemory) -> Self {
        Self(ArgKind::Memory { memory, mutable: false })
    }

    /// Memory that the kernel may write.
    pub fn write(memory: &'a mut AnyMemory) -> Self {
        Self(ArgKind::Memory { memory, mutable: true })
    }
}

/// What can be a kernel argument.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a kernel argument",
    note = "kernels take numbers, `&Memory<T>` for `const` pointers, `&mut Memory<T>` for others, `&S` of a `kernel_struct!`"
)]
pub trait IntoArg<'a> {
    /// The argument.
    fn into_arg(self) -> Arg<'a>;
}

impl<'a> IntoArg<'a> for Arg<'a> {
    fn into_arg(self) -> Arg<'a> {
        self
    }
}

macro_rules! number_arguments {
    ($($ty:ty => $variant:ident as $stored:ty),* $(,)?) => {$(
        impl<'a> IntoArg<'a> for $ty {
            #[inline]
            fn into_arg(self) -> Arg<'a> {
                Arg(ArgKind::Number(Number::from_bytes(Scalar::$variant, (self as $stored).to_ne_bytes())))
            }
        }
    )*};
}

// `usize` and `isize` are at most 64 bits wide on every platform of Rust.
number_arguments! {
    bool => Bool as u8, i8 => I8 as i8, u8 => U8 as u8, i16 => I16 as i16, u16 => U16 as u16, i32 => I32 as i32,
    u32 => U32 as u32, i64 => I64 as i64, u64 => U64 as u64, isize => I64 as i64, usize => U64 as u64,
    f32 => F32 as f32, f64 => F64 as f64,
}

impl<'a> IntoArg<'a> for f16 {
    #[inline]
    fn into_arg(self) -> Arg<'a> {
        Arg(ArgKind::Number(Number::from_bytes(Scalar::F16, self.to_ne_bytes())))
    }
}

impl<'a, T: DType> IntoArg<'a> for &'a Memory<T> {
    #[inline]
    fn into_arg(self) -> Arg<'a> {
        Arg::read(self.untyped())
    }
}

impl<'a, T: DType> IntoArg<'a> for &'a mut Memory<T> {
    #[inline]
    fn into_arg(self) -> Arg<'a> {
        Arg(ArgKind::Memory { memory: self.untyped(), mutable: true })
    }
}

impl<'a> IntoArg<'a> for &'a AnyMemory {
    #[inline]
    fn into_arg(self) -> Arg<'a> {
        Arg::read(self)
    }
}

impl<'a> IntoArg<'a> for &'a mut AnyMemory {
    #[inline]
    fn into_arg(self) -> Arg<'a> {
        Arg::write(self)
    }
}

/// `None` is a null pointer.
impl<'a, A: IntoArg<'a>> IntoArg<'a> for Option<A> {
    #[inline]
    fn into_arg(self) -> Arg<'a> {
        self.map_or(Arg::null(), A::into_arg)
    }
}

impl<'a, T: KernelStruct> IntoArg<'a> for &'a T {
    #[inline]
    fn into_arg(self) -> Arg<'a> {
        Arg(ArgKind::Struct(T::LAYOUT, bytemuck::bytes_of(self)))
    }
}

/// The arguments of a launch: an array on the stack that borrows what it names.
///
/// Numbers go by value, `&memory` where the kernel has a `const` pointer, `&mut memory` where it may write,
/// `&value` for a struct made by [`kernel_struct!`](crate::kernel_struct). One memory that a kernel reads and writes
/// through two pointers passes a [`share`](crate::Memory::share).
#[macro_export]
macro_rules! args {
    () => { [] as [$crate::Arg<'static>; 0] };
    ($($argument:expr),+ $(,)?) => { [$($crate::IntoArg::into_arg($argument)),+] };
}
