//! Values and types of literals.

use okl::front::ast::Builtin;
use okl::front::lex::literal::{Number, character, number, string};

#[test]
fn integers() {
    let cases = [
        ("0", 0, Builtin::Int),
        ("12", 12, Builtin::Int),
        ("2147483647", 2147483647, Builtin::Int),
        ("2147483648", 2147483648, Builtin::Long),
        ("9223372036854775807", i64::MAX as u64, Builtin::Long),
        ("017", 15, Builtin::Int),
        ("0xff", 255, Builtin::Int),
        ("0XFFFFFFFF", 0xffff_ffff, Builtin::UInt),
        ("0x100000000", 1 << 32, Builtin::Long),
        ("0xffffffffffffffff", u64::MAX, Builtin::ULong),
        ("0b101", 5, Builtin::Int),
        ("5u", 5, Builtin::UInt),
        ("4294967296u", 1 << 32, Builtin::ULong),
        ("5l", 5, Builtin::Long),
        ("5LL", 5, Builtin::Long),
        ("5ul", 5, Builtin::ULong),
        ("5LLU", 5, Builtin::ULong),
        ("18446744073709551615ull", u64::MAX, Builtin::ULong),
        ("0xfful", 255, Builtin::ULong),
    ];
    for (text, value, ty) in cases {
        assert_eq!(number(text), Ok(Number::Int(value, ty)), "{text}");
    }
}

#[test]
fn reals() {
    let cases = [
        ("1.5", 1.5, Builtin::Double),
        ("1.", 1.0, Builtin::Double),
        (".5", 0.5, Builtin::Double),
        ("1e3", 1000.0, Builtin::Double),
        ("1.5E-3", 0.0015, Builtin::Double),
        ("0.1f", f64::from(0.1f32), Builtin::Float),
        ("1.F", 1.0, Builtin::Float),
        ("1e-3F", f64::from(1e-3f32), Builtin::Float),
        ("00.5", 0.5, Builtin::Double),
        ("0x1p4", 16.0, Builtin::Double),
        ("0x1.8p3", 12.0, Builtin::Double),
        ("0x.8p-1f", 0.25, Builtin::Float),
        ("0x1.fffffffffffffp1023", f64::MAX, Builtin::Double),
        ("0x1p-1022", f64::MIN_POSITIVE, Builtin::Double),
        ("0x1p-1074", 5e-324, Builtin::Double),
        ("0x1.00000000000008p0", 1.0, Builtin::Double),
        ("0x1.000000000000080000000000000000000000000000000001p0", 1.0 + f64::EPSILON, Builtin::Double),
    ];
    for (text, value, ty) in cases {
        assert_eq!(number(text), Ok(Number::Float(value, ty)), "{text}");
    }
}

#[test]
fn what_is_no_number() {
    let cases = [
        ("1f", "`1f` is not a number"),
        ("08", "`8` is no digit of an octal number (it starts with 0), in `08`"),
        ("0b12", "`2` is no digit of a binary number, in `0b12`"),
        ("0x", "`0x` has no digits"),
        ("12abc", "`abc` is no suffix of an integer, in `12abc`"),
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
