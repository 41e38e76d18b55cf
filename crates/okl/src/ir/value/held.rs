//! What each type's numbers are in memory, and how they come of others.

use half::{bf16, f16};

/// A number of a scalar type.
pub(super) trait Held: Copy {
    /// Of the first bytes, where there are enough.
    fn read(bytes: &[u8]) -> Option<Self>;
    /// Into the first bytes.
    fn write(self, out: &mut [u8; 8]);
    /// Cut to the width; of a float type, the nearest.
    fn from_integer(value: i128) -> Self;
    /// The nearest; of an integer type, the integer part, where it fits.
    fn from_float(value: f64) -> Self;
    /// Of an integer type.
    fn integer(self) -> Option<i128>;
    /// Of a float type; `f64` has every value of each.
    fn float(self) -> Option<f64>;
}

macro_rules! in_memory {
    () => {
        fn read(bytes: &[u8]) -> Option<Self> {
            Some(Self::from_ne_bytes(*bytes.first_chunk()?))
        }

        fn write(self, out: &mut [u8; 8]) {
            out[..size_of::<Self>()].copy_from_slice(&self.to_ne_bytes());
        }
    };
}

macro_rules! integers {
    ($($ty:ty),*) => {$(
        impl Held for $ty {
            in_memory!();

            fn from_integer(value: i128) -> Self {
                value as Self
            }

            fn from_float(value: f64) -> Self {
                value as Self
            }

            fn integer(self) -> Option<i128> {
                Some(self.into())
            }

            fn float(self) -> Option<f64> {
                None
            }
        }
    )*};
}

macro_rules! floats {
    ($($ty:ty),*) => {$(
        impl Held for $ty {
            in_memory!();

            fn from_integer(value: i128) -> Self {
                value as Self
            }

            fn from_float(value: f64) -> Self {
                value as Self
            }

            fn integer(self) -> Option<i128> {
                None
            }

            fn float(self) -> Option<f64> {
                Some(self.into())
            }
        }
    )*};
}

macro_rules! storage_floats {
    ($($ty:ty),*) => {$(
        impl Held for $ty {
            in_memory!();

            fn from_integer(value: i128) -> Self {
                Self::from_f32(value as f32)
            }

            fn from_float(value: f64) -> Self {
                Self::from_f32(rounded_to_odd(value))
            }

            fn integer(self) -> Option<i128> {
                None
            }

            fn float(self) -> Option<f64> {
                Some(self.into())
            }
        }
    )*};
}

integers!(i8, u8, i16, u16, i32, u32, i64, u64);
floats!(f32, f64);
storage_floats!(f16, bf16);

impl Held for bool {
    fn read(bytes: &[u8]) -> Option<Self> {
        bytes.first().map(|byte| *byte != 0)
    }

    fn write(self, out: &mut [u8; 8]) {
        out[0] = self.into();
    }

    fn from_integer(value: i128) -> Self {
        value != 0
    }

    fn from_float(value: f64) -> Self {
        value != 0.0
    }

    fn integer(self) -> Option<i128> {
        Some(self.into())
    }

    fn float(self) -> Option<f64> {
        None
    }
}

/// A `float` that rounds to the same narrower float as `value` does: of the two next to it, the one whose last bit is
/// set. The nearest could be a tie that `value` is not, and ties go elsewhere.
fn rounded_to_odd(value: f64) -> f32 {
    let near = value as f32;
    let exact = f64::from(near);
    if exact == value || value.is_nan() {
        return near;
    }
    let toward_zero = near.to_bits() - u32::from(exact.abs() > value.abs());
    f32::from_bits(toward_zero | 1)
}

#[cfg(test)]
mod tests {
    use crate::ir::Scalar;
    use crate::ir::value::{ScalarValue, bf16, f16};

    /// Storage floats: bits of the fraction, bias of the exponent, bits of the infinity.
    const STORED: [(Scalar, i32, i32, u16); 2] = [(Scalar::F16, 10, 15, 0x7c00), (Scalar::BF16, 7, 127, 0x7f80)];

    fn of_bits(ty: Scalar, bits: u16) -> ScalarValue {
        if ty == Scalar::F16 { f16::from_bits(bits).into() } else { bf16::from_bits(bits).into() }
    }

    #[test]
    fn every_value_survives_float_and_double() {
        for (ty, ..) in STORED {
            for value in (0..=u16::MAX).map(|bits| of_bits(ty, bits)) {
                for wide in [Scalar::F32, Scalar::F64] {
                    let back = value.cast(wide).and_then(|wide| wide.cast(ty)).expect("floats become floats");
                    let is_nan = |value: ScalarValue| value.float().is_some_and(f64::is_nan);
                    assert!(back.bits() == value.bits() || is_nan(back) && is_nan(value), "{value:?}");
                }
            }
        }
    }

    #[test]
    fn what_lies_between_two_goes_to_the_nearer_one() {
        let next = |x: f64| f64::from_bits(x.to_bits() + 1);
        let previous = |x: f64| f64::from_bits(x.to_bits() - 1);
        for (ty, fraction, bias, infinity) in STORED {
            // From the bits alone; those of the infinity give what comes behind the largest.
            let value = |bits: u16| {
                let (exponent, rest) = (i32::from(bits >> fraction), i32::from(bits) & ((1 << fraction) - 1));
                let whole = rest + if exponent == 0 { 0 } else { 1 << fraction };
                f64::from(whole) * f64::from(exponent.max(1) - bias - fraction).exp2()
            };
            for bits in 0..infinity {
                let (below, above) = (value(bits), value(bits + 1));
                let middle = (below + above) / 2.0;
                for (x, expected) in [
                    (below, bits),
                    (next(below), bits),
                    (previous(middle), bits),
                    (middle, bits + (bits & 1)),
                    (next(middle), bits + 1),
                    (previous(above), bits + 1),
                ] {
                    let nearest = |x| ScalarValue::from_float(x, ty).bits();
                    assert_eq!(nearest(x), u64::from(expected), "{ty:?} {x:e}");
                    assert_eq!(nearest(-x), u64::from(expected | 0x8000), "{ty:?} {x:e}");
                    if f64::from(x as f32) == x {
                        let single = ScalarValue::F32(x as f32).cast(ty);
                        assert_eq!(single, Ok(of_bits(ty, expected)), "{ty:?} {x:e}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_ends_of_the_range() {
        for (ty, _, _, infinity) in STORED {
            let bits = |x: f64| ScalarValue::from_float(x, ty).bits();
            assert_eq!([bits(f64::INFINITY), bits(1e300)], [u64::from(infinity); 2]);
            assert_eq!([bits(f64::MIN_POSITIVE), bits(5e-324), bits(-1e-300)], [0, 0, 0x8000]);
            for nan in [f64::NAN, f64::from_bits(0x7ff0_0000_0000_0001)] {
                assert!(ScalarValue::from_float(nan, ty).float().is_some_and(f64::is_nan));
                assert!(ScalarValue::from_float(nan, ty).cast(Scalar::I32).is_err());
            }
            assert_eq!(ScalarValue::from_float(-2.75, ty).cast(Scalar::I32), Ok((-2).into()));
            assert_eq!(ScalarValue::from_float(-0.0, ty).cast(Scalar::Bool), Ok(false.into()));
        }
        assert_eq!(ScalarValue::I64(i64::MAX).cast(Scalar::F16), Ok(f16::INFINITY.into()));
        assert_eq!(ScalarValue::I32(65_519).cast(Scalar::F16), Ok(f16::MAX.into()));
        // An integer is a `float` first.
        assert_eq!(
            ScalarValue::I32((1 << 30) + (1 << 22) + 1).cast(Scalar::BF16),
            Ok(bf16::from_f32(1_073_741_824.0).into())
        );
    }
}
