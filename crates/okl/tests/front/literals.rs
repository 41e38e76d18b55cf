//! Values and types of literals.

use okl::front::lex::literal::{Number, character, number, string};
use okl::ir::Scalar;

#[test]
fn integers() {
    let cases = [
        ("0", 0, Scalar::I32),
        ("12", 12, Scalar::I32),
        ("2147483647", 2147483647, Scalar::I32),
        ("2147483648", 2147483648, Scalar::I64),
        ("9223372036854775807", i64::MAX as u64, Scalar::I64),
        ("017", 15, Scalar::I32),
        ("0xff", 255, Scalar::I32),
        ("0XFFFFFFFF", 0xffff_ffff, Scalar::U32),
        ("0x100000000", 1 << 32, Scalar::I64),
        ("0xffffffffffffffff", u64::MAX, Scalar::U64),
        ("0b101", 5, Scalar::I32),
        ("5u", 5, Scalar::U32),
        ("4294967296u", 1 << 32, Scalar::U64),
        ("5l", 5, Scalar::I64),
        ("5LL", 5, Scalar::I64),
        ("5ul", 5, Scalar::U64),
        ("5LLU", 5, Scalar::U64),
        ("18446744073709551615ull", u64::MAX, Scalar::U64),
        ("0xfful", 255, Scalar::U64),
    ];
    for (text, value, ty) in cases {
        assert_eq!(number(text), Ok(Number::Int(value, ty)), "{text}");
    }
}

#[test]
fn imaginary_numbers() {
    let cases = [
        ("1.5i", 1.5, Scalar::F64),
        ("1.J", 1.0, Scalar::F64),
        ("0.1if", f64::from(0.1f32), Scalar::F32),
        ("0.1Fi", f64::from(0.1f32), Scalar::F32),
        ("2e3i", 2000.0, Scalar::F64),
        ("0x1p4i", 16.0, Scalar::F64),
    ];
    for (text, value, ty) in cases {
        assert_eq!(number(text), Ok(Number::Imaginary(value, ty)), "{text}");
    }
    let refused = [
        ("2i", "`2i` would be a complex number of integers, which OKL does not have"),
        ("2if", "`2if` would be a complex number of integers, which OKL does not have"),
        ("0xffi", "`0xffi` is not a number"),
        ("1.5li", "`1.5li` is a `long double`, which no target has"),
    ];
    for (text, message) in refused {
        assert_eq!(number(text).unwrap_err().message, message, "{text}");
    }
}

#[test]
fn reals() {
    let cases = [
        ("1.5", 1.5, Scalar::F64),
        ("1.", 1.0, Scalar::F64),
        (".5", 0.5, Scalar::F64),
        ("1e3", 1000.0, Scalar::F64),
        ("1.5E-3", 0.0015, Scalar::F64),
        ("0.1f", f64::from(0.1f32), Scalar::F32),
        ("1.F", 1.0, Scalar::F32),
        ("1e-3F", f64::from(1e-3f32), Scalar::F32),
        ("00.5", 0.5, Scalar::F64),
        ("0x1p4", 16.0, Scalar::F64),
        ("0x1.8p3", 12.0, Scalar::F64),
        ("0x.8p-1f", 0.25, Scalar::F32),
        ("0x1.fffffffffffffp1023", f64::MAX, Scalar::F64),
        ("0x1p-1022", f64::MIN_POSITIVE, Scalar::F64),
        ("0x1p-1074", 5e-324, Scalar::F64),
        ("0x1.00000000000008p0", 1.0, Scalar::F64),
        ("0x1.000000000000080000000000000000000000000000000001p0", 1.0 + f64::EPSILON, Scalar::F64),
    ];
    for (text, value, ty) in cases {
        assert_eq!(number(text), Ok(Number::Float(value, ty)), "{text}");
    }
}

#[test]
fn what_is_no_number() {
    let cases = [
        ("1f", "`1f` is not a number"),
        ("08", "`8` is not a digit of an octal number (it starts with 0), in `08`"),
        ("0b12", "`2` is not a digit of a binary number, in `0b12`"),
        ("0x", "`0x` has no digits"),
        ("12abc", "`abc` is not an integer suffix, in `12abc`"),
        ("1.2.3", "`1.2.3` is not a number"),
        ("1e", "`1e` is not a number"),
        ("1.5x", "`1.5x` is not a number"),
        ("1e999", "`1e999` is too large for `double`"),
        ("1e39f", "`1e39f` is too large for `float`"),
        ("1.0L", "`1.0L` is a `long double`, which no target has"),
        ("0x1.8", "`0x1.8` is not a number"),
        ("0x.p1", "`0x.p1` is not a number"),
        ("9223372036854775808", "`9223372036854775808` does not fit `long`"),
        ("18446744073709551616u", "`18446744073709551616u` does not fit 64 bits"),
    ];
    for (text, expected) in cases {
        assert_eq!(number(text).map_err(|error| error.message), Err(expected.to_owned()), "{text}");
    }
}

#[test]
fn characters_and_strings() {
    for (text, value) in [
        ("'a'", 97),
        ("'\\n'", 10),
        ("'\\0'", 0),
        ("'\\x41'", 65),
        ("'\\101'", 65),
        ("'\\xff'", -1),
        ("'\\''", 39),
        ("'\"'", 34),
    ] {
        assert_eq!(character(text), Ok(value), "{text}");
    }
    for text in ["''", "'ab'", "'é'", "'\\q'", "'\\x'", "'\\777'", "'\\x100'"] {
        assert!(character(text).is_err(), "{text}");
    }
    assert_eq!(string(r#""a\tb\\ é\x41""#), Ok("a\tb\\ éA".to_owned()));
    assert!(string(r#""\xff""#).is_err());
}
