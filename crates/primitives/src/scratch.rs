//! Memory between two kernels of one primitive, kept from call to call.

use crate::value_type::ValueType;
use ferrocca_core::{AnyMemory, Complex, Device, Element, Error, Memory, Result};
use okl::ir::Scalar;

/// One buffer that grows.
#[derive(Default)]
pub(crate) struct Scratch {
    memory: Option<Memory<u64>>,
}

impl Scratch {
    /// `len` elements; their contents are unspecified. What was taken before is the same memory.
    pub(crate) fn take<T: Element>(&mut self, device: &Device, len: usize) -> Result<Memory<T>> {
        let words = len
            .checked_mul(size_of::<T>())
            .ok_or_else(|| Error::out_of_bounds(format!("scratch of {len} {} is too large to address", T::DTYPE)))?
            .div_ceil(8)
            .max(1);
        let memory = match self.memory.take() {
            Some(memory) if memory.len() >= words => memory,
            _ => device.malloc(words.next_power_of_two().max(1024))?,
        };
        let memory = self.memory.insert(memory);
        memory.cast::<T>()?.slice(..len)
    }

    /// As [`take`](Self::take), of a type that is known at run time.
    pub(crate) fn take_any(&mut self, device: &Device, of: impl Into<ValueType>, len: usize) -> Result<AnyMemory> {
        let scalar = match of.into() {
            ValueType::Real(scalar) => scalar,
            ValueType::Complex64 => return self.take::<Complex<f32>>(device, len).map(Memory::into_untyped),
            ValueType::Complex128 => return self.take::<Complex<f64>>(device, len).map(Memory::into_untyped),
        };
        macro_rules! by_scalar {
            (Bool, boolean, bool, 1, "bool", "bool", [];
             $($variant:ident, $kind:ident, $rust:ty, $bytes:literal, $tag:literal, $okl:literal, [$($name:literal),*];)*) => {
                match scalar {
                    Scalar::Bool => self.take::<u8>(device, len)?.into_untyped(),
                    $(Scalar::$variant => self.take::<$rust>(device, len)?.into_untyped(),)*
                }
            };
        }
        Ok(okl::scalars!(by_scalar))
    }
}
