//! Kernel arguments as the caller gives them: `args![n, c1, &u_prev, &mut u]`, an array on the stack.

use crate::dtype::{DType, KernelStruct, StructType};
use crate::memory::{AnyMemory, Memory};
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

/// A scalar argument: its type and its value. Integers are extended to 64 bits with their sign, `f32` is kept as
/// `f64`, which holds each of its values (NaN payloads aside).
#[derive(Clone, Copy)]
pub(crate) struct Number {
    pub(crate) scalar: Scalar,
    pub(crate) bits: u64,
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
    ($($ty:ty => $scalar:ident |$value:ident| $bits:expr),* $(,)?) => {$(
        impl<'a> IntoArg<'a> for $ty {
            #[inline]
            fn into_arg(self) -> Arg<'a> {
                let $value = self;
                Arg(ArgKind::Number(Number { scalar: Scalar::$scalar, bits: $bits }))
            }
        }
    )*};
}

number_arguments! {
    bool => Bool |value| u64::from(value),
    i8 => I8 |value| i64::from(value) as u64,
    u8 => U8 |value| u64::from(value),
    i16 => I16 |value| i64::from(value) as u64,
    u16 => U16 |value| u64::from(value),
    i32 => I32 |value| i64::from(value) as u64,
    u32 => U32 |value| u64::from(value),
    i64 => I64 |value| value as u64,
    u64 => U64 |value| value,
    isize => I64 |value| value as i64 as u64,
    usize => U64 |value| value as u64,
    f32 => F32 |value| f64::from(value).to_bits(),
    f64 => F64 |value| value.to_bits(),
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
