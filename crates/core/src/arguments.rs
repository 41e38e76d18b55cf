//! Kernel arguments as the caller gives them: `args![n, c1, &u_prev, &mut u]`, an array on the stack.

use crate::dtype::{Element, KernelStruct, StructType};
use crate::memory::{AnyMemory, Memory};
use crate::number::Number;
use okl::ir::Scalar;
use okl::value::ScalarValue;

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
    note = "kernels take numbers, `&Memory<T>` for `const` pointers, `&mut Memory<T>` for others, `&S` of a `kernel_struct!` or of a complex number"
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
    (Bool, boolean, bool, 1, "bool", "bool", [];
     $($variant:ident, $kind:ident, $rust:ty, $bytes:literal, $tag:literal, $okl:literal, [$($name:literal),*];)*) => {$(
        impl<'a> IntoArg<'a> for $rust {
            #[inline]
            fn into_arg(self) -> Arg<'a> {
                Arg(ArgKind::Number(Number::from_bytes(Scalar::$variant, self.to_ne_bytes())))
            }
        }
    )*};
}
okl::scalars!(number_arguments);

impl<'a> IntoArg<'a> for bool {
    #[inline]
    fn into_arg(self) -> Arg<'a> {
        Arg(ArgKind::Number(Number::from_bytes(Scalar::Bool, [self.into()])))
    }
}

// `usize` and `isize` are at most 64 bits wide on every platform of Rust.
impl<'a> IntoArg<'a> for usize {
    #[inline]
    fn into_arg(self) -> Arg<'a> {
        (self as u64).into_arg()
    }
}

impl<'a> IntoArg<'a> for isize {
    #[inline]
    fn into_arg(self) -> Arg<'a> {
        (self as i64).into_arg()
    }
}

impl<'a> IntoArg<'a> for ScalarValue {
    fn into_arg(self) -> Arg<'a> {
        Arg(ArgKind::Number(Number::new(self)))
    }
}

impl<'a, T: Element> IntoArg<'a> for &'a Memory<T> {
    #[inline]
    fn into_arg(self) -> Arg<'a> {
        Arg::read(self.untyped())
    }
}

impl<'a, T: Element> IntoArg<'a> for &'a mut Memory<T> {
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

// What is no argument at all is told of all that are, and not of structs alone.
#[diagnostic::do_not_recommend]
impl<'a, T: KernelStruct> IntoArg<'a> for &'a T {
    #[inline]
    fn into_arg(self) -> Arg<'a> {
        Arg(ArgKind::Struct(T::LAYOUT, bytemuck::bytes_of(self)))
    }
}

/// The arguments of a launch: an array on the stack that borrows what it names.
///
/// Numbers go by value, `&memory` where the kernel has a `const` pointer, `&mut memory` where it may write,
/// `&value` for a struct made by [`kernel_struct!`](crate::kernel_struct) and for a complex number. One memory that a kernel reads and writes
/// through two pointers passes a [`share`](crate::Memory::share).
#[macro_export]
macro_rules! args {
    () => { [] as [$crate::Arg<'static>; 0] };
    ($($argument:expr),+ $(,)?) => { [$($crate::IntoArg::into_arg($argument)),+] };
}
