//! A number among the arguments of a launch: the bytes that a kernel reads, and their type.
//!
//! Not [`ScalarValue`] itself, because an enum is copied in pieces that do not fit how it was written, and a processor
//! then waits for its own stores: a third of what a launch cost.

use okl::ir::Scalar;
use okl::value::ScalarValue;

/// A number of any type; its bytes are aligned for every type.
#[derive(Clone, Copy)]
pub(crate) struct Number {
    /// The value's bytes in memory order, then zeros.
    bits: u64,
    ty: Scalar,
}

impl Number {
    /// From the bytes of a value of type `ty`.
    #[inline(always)]
    pub(crate) fn from_bytes<const N: usize>(ty: Scalar, bytes: [u8; N]) -> Self {
        let mut all = [0; 8];
        all[..N].copy_from_slice(&bytes);
        Self { bits: u64::from_ne_bytes(all), ty }
    }

    /// The number with that value.
    pub(crate) fn new(value: ScalarValue) -> Self {
        Self::from_bytes(value.ty(), value.to_bytes())
    }

    /// Its type.
    #[inline]
    pub(crate) fn ty(&self) -> Scalar {
        self.ty
    }

    /// Its bytes, as many as its type has.
    #[inline]
    pub(crate) fn bytes(&self) -> &[u8] {
        &bytemuck::bytes_of(&self.bits)[..self.ty.bytes()]
    }

    /// Its value.
    pub(crate) fn value(&self) -> ScalarValue {
        ScalarValue::from_bytes(self.ty, self.bytes())
            .unwrap_or_else(|| unreachable!("a {} has that many bytes", self.ty.okl_name()))
    }

    /// Its bits: those of [`ScalarValue::bits`].
    #[inline]
    pub(crate) fn bits(&self) -> u64 {
        match cfg!(target_endian = "little") {
            true => self.bits,
            false => self.value().bits(),
        }
    }

    /// Its value, where it is of a type that sizes usually have.
    #[inline]
    pub(crate) fn size(&self) -> Option<i64> {
        let [a, b, c, d, ..] = self.bits.to_ne_bytes();
        match self.ty {
            Scalar::I32 => Some(i32::from_ne_bytes([a, b, c, d]).into()),
            Scalar::U32 => Some(u32::from_ne_bytes([a, b, c, d]).into()),
            Scalar::I64 => Some(self.bits as i64),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_keeps_its_value_type_and_bytes() {
        let values = [
            ScalarValue::Bool(true),
            ScalarValue::I8(-3),
            ScalarValue::U16(65_000),
            ScalarValue::I32(-70_000),
            ScalarValue::U32(u32::MAX),
            ScalarValue::I64(i64::MIN),
            ScalarValue::U64(u64::MAX),
            ScalarValue::F16(half::f16::from_f32(-0.25)),
            ScalarValue::F32(1.5),
            ScalarValue::F64(-0.1),
        ];
        for value in values {
            let number = Number::new(value);
            assert_eq!((number.value(), number.ty()), (value, value.ty()));
            assert_eq!(number.bytes(), &value.to_bytes()[..value.ty().bytes()]);
            assert_eq!(number.bits(), value.bits());
        }
        assert_eq!(Number::new(ScalarValue::I32(-7)).size(), Some(-7));
        assert_eq!(Number::new(ScalarValue::I64(i64::MIN)).size(), Some(i64::MIN));
        assert_eq!(Number::new(ScalarValue::U32(u32::MAX)).size(), Some(u32::MAX.into()));
        assert_eq!(Number::new(ScalarValue::U64(1)).size(), None);
        assert_eq!(Number::new(ScalarValue::F64(1.0)).size(), None);
    }
}
