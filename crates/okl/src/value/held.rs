//! What each type's numbers are in memory, and how they come of others.

use half::f16;

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
storage_floats!(f16);

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
    use super::*;
    use crate::ir::Scalar;
    use crate::value::ScalarValue;

    fn nearest(value: f64) -> f16 {
        Held::from_float(value)
    }

    /// Every finite half that is not negative, in order.
    fn halves() -> impl Iterator<Item = f16> {
        (0..0x7c00).map(f16::from_bits)
    }

    #[test]
    fn a_half_survives_float_and_double() {
        for half in (0..=u16::MAX).map(f16::from_bits) {
            for ty in [Scalar::F32, Scalar::F64] {
                let back = ScalarValue::F16(half).cast(ty).and_then(|wide| wide.cast(Scalar::F16));
                let Ok(ScalarValue::F16(back)) = back else { panic!("{back:?}") };
                assert!(back.to_bits() == half.to_bits() || back.is_nan() && half.is_nan(), "{half:?}");
            }
        }
    }

    /// Value of a finite half, from its bits alone.
    fn value(half: f16) -> f64 {
        let (exponent, fraction) = (i32::from(half.to_bits() >> 10 & 31), f64::from(half.to_bits() & 0x3ff));
        if exponent == 0 {
            fraction / 16_777_216.0
        } else {
            (1.0 + fraction / 1024.0) * f64::from(exponent - 15).exp2()
        }
    }

    #[test]
    fn what_lies_between_two_halves_goes_to_the_nearer_one() {
        let next = |x: f64| f64::from_bits(x.to_bits() + 1);
        let previous = |x: f64| f64::from_bits(x.to_bits() - 1);
        for half in halves() {
            let (below, bits) = (value(half), half.to_bits());
            // Behind the largest half comes 65,536, whose bits are those of the infinity.
            let above = if bits == 0x7bff { 65_536.0 } else { value(f16::from_bits(bits + 1)) };
            let middle = (below + above) / 2.0;
            let even = bits + (bits & 1);
            for (x, expected) in [
                (below, bits),
                (next(below), bits),
                (previous(middle), bits),
                (middle, even),
                (next(middle), bits + 1),
                (previous(above), bits + 1),
            ] {
                assert_eq!(nearest(x).to_bits(), expected, "{x:e}");
                assert_eq!(nearest(-x).to_bits(), expected | 0x8000, "{x:e}");
                if f64::from(x as f32) == x {
                    let single = ScalarValue::F32(x as f32).cast(Scalar::F16);
                    assert_eq!(single, Ok(f16::from_bits(expected).into()), "{x:e}");
                }
            }
        }
    }

    #[test]
    fn the_ends_of_the_range() {
        let bits = |x: f64| nearest(x).to_bits();
        assert_eq!(
            [bits(f64::INFINITY), bits(1e300), bits(65_520.0), bits(65_519.999)],
            [0x7c00, 0x7c00, 0x7c00, 0x7bff]
        );
        assert_eq!([bits(f64::MIN_POSITIVE), bits(5e-324), bits(-1e-300), bits(1e-40)], [0, 0, 0x8000, 0]);
        assert!(nearest(f64::NAN).is_nan() && nearest(f64::from_bits(0x7ff0_0000_0000_0001)).is_nan());
        assert_eq!(ScalarValue::I64(i64::MAX).cast(Scalar::F16), Ok(f16::INFINITY.into()));
        assert_eq!(ScalarValue::I32(65_519).cast(Scalar::F16), Ok(f16::MAX.into()));
        assert_eq!(ScalarValue::F16(f16::from_f32(-2.75)).cast(Scalar::I32), Ok((-2).into()));
        assert_eq!(ScalarValue::F16(f16::from_f32(-0.0)).cast(Scalar::Bool), Ok(false.into()));
        assert!(ScalarValue::F16(f16::NAN).cast(Scalar::I32).is_err());
    }
}
