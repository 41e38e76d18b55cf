//! Rounding to 16-bit floats.

use half::f16;

/// The nearest 16-bit float, ties to even; beyond 65,519 an infinity, NaN stays NaN. `f16::from_f64` rounds to `f32`
/// first on some machines, and a second rounding of what the first made a tie goes the wrong way.
pub fn half_of(value: f64) -> f16 {
    let bits = value.to_bits();
    let rest = bits & 0xffff_ffff;
    // A half has 11 significant bits: of the 21 that are kept the last one says whether anything was cut off, which is
    // all that decides a tie. They fit an `f32`, or are so small or large that both roundings go the same way.
    f16::from_f32(f64::from_bits((bits - rest) | (u64::from(rest != 0) << 32)) as f32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Scalar;
    use crate::value::ScalarValue;

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
                assert_eq!(half_of(x).to_bits(), expected, "{x:e}");
                assert_eq!(half_of(-x).to_bits(), expected | 0x8000, "{x:e}");
                if f64::from(x as f32) == x {
                    let single = ScalarValue::F32(x as f32).cast(Scalar::F16);
                    assert_eq!(single, Ok(f16::from_bits(expected).into()), "{x:e}");
                }
            }
        }
    }

    #[test]
    fn the_ends_of_the_range() {
        let bits = |x: f64| half_of(x).to_bits();
        assert_eq!(
            [bits(f64::INFINITY), bits(1e300), bits(65_520.0), bits(65_519.999)],
            [0x7c00, 0x7c00, 0x7c00, 0x7bff]
        );
        assert_eq!([bits(f64::MIN_POSITIVE), bits(5e-324), bits(-1e-300), bits(1e-40)], [0, 0, 0x8000, 0]);
        assert!(half_of(f64::NAN).is_nan() && half_of(f64::from_bits(0x7ff0_0000_0000_0001)).is_nan());
        assert_eq!(ScalarValue::I64(i64::MAX).cast(Scalar::F16), Ok(f16::INFINITY.into()));
        assert_eq!(ScalarValue::I32(65_519).cast(Scalar::F16), Ok(f16::MAX.into()));
        assert_eq!(ScalarValue::F16(f16::from_f32(-2.75)).cast(Scalar::I32), Ok((-2).into()));
        assert_eq!(ScalarValue::F16(f16::from_f32(-0.0)).cast(Scalar::Bool), Ok(false.into()));
        assert!(ScalarValue::F16(f16::NAN).cast(Scalar::I32).is_err());
    }
}
