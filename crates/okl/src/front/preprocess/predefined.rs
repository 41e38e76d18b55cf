//! What is defined before the first line: the language's names, the mode's, and C's standard headers.
//!
//! Names follow OCCA. A mode's macro is 1 in that mode and undefined in all others, so that `#if OCCA_USING_CUDA`
//! and `#ifdef OCCA_USING_CUDA` mean the same.

use std::fmt::Write as _;

/// Defined in every mode. The versions are those of the OCCA whose language this is.
const LANGUAGE: &str = "\
#define __OKL__ 1
#define __OCCA__ 1
#define __FERROCCA__ 1
#define OKL_VERSION 10000
#define OCCA_MAJOR_VERSION 2
#define OCCA_MINOR_VERSION 0
#define OCCA_PATCH_VERSION 0
#define OCCA_VERSION 20000
#define and &&
#define and_eq &=
#define bitand &
#define bitor |
#define compl ~
#define not !
#define not_eq !=
#define or ||
#define or_eq |=
#define xor ^
#define xor_eq ^=
#define M_E 2.71828182845904523536
#define M_LOG2E 1.44269504088896340736
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
";

/// The limits of OKL's integers, which are the same on every target.
const LIMITS: &str = "\
#pragma once
#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define CHAR_MIN SCHAR_MIN
#define CHAR_MAX SCHAR_MAX
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MIN (-2147483647 - 1)
#define INT_MAX 2147483647
#define UINT_MAX 4294967295u
#define LONG_MIN (-9223372036854775807 - 1)
#define LONG_MAX 9223372036854775807
#define ULONG_MAX 18446744073709551615u
#define LLONG_MIN LONG_MIN
#define LLONG_MAX LONG_MAX
#define ULLONG_MAX ULONG_MAX
";

/// The limits of IEEE 754's numbers.
const FLOAT: &str = "\
#pragma once
#define FLT_RADIX 2
#define FLT_MANT_DIG 24
#define DBL_MANT_DIG 53
#define FLT_DIG 6
#define DBL_DIG 15
#define FLT_MIN_EXP (-125)
#define DBL_MIN_EXP (-1021)
#define FLT_MAX_EXP 128
#define DBL_MAX_EXP 1024
#define FLT_EPSILON 1.1920928955078125e-7f
#define DBL_EPSILON 2.220446049250313e-16
#define FLT_MIN 1.17549435e-38f
#define DBL_MIN 2.2250738585072014e-308
#define FLT_MAX 3.40282347e38f
#define DBL_MAX 1.7976931348623157e308
";

/// The widths of `<stdint.h>`; its types are built in.
const STDINT: &str = "\
#pragma once
#define INT8_MIN (-128)
#define INT8_MAX 127
#define UINT8_MAX 255
#define INT16_MIN (-32768)
#define INT16_MAX 32767
#define UINT16_MAX 65535
#define INT32_MIN (-2147483647 - 1)
#define INT32_MAX 2147483647
#define UINT32_MAX 4294967295u
#define INT64_MIN (-9223372036854775807 - 1)
#define INT64_MAX 9223372036854775807
#define UINT64_MAX 18446744073709551615u
#define SIZE_MAX UINT64_MAX
";

/// The names of `<complex.h>`; its types and functions are built in.
const COMPLEX: &str = "\
#pragma once
#define complex _Complex
#define _Complex_I 1.0if
#define I _Complex_I
";

/// Random numbers.
const RANDOM: &str = include_str!("random.h");

/// Macros that `mode` defines, as a file of `#define` lines.
pub(super) fn definitions(mode: &str) -> String {
    let lower = mode.to_ascii_lowercase();
    let using: &[&str] = match lower.as_str() {
        "serial" => &["SERIAL", "CPU"],
        "reference" => &["CPU"],
        "cpu" | "openmp" => &["OPENMP", "CPU"],
        "cuda" => &["CUDA", "GPU"],
        "hip" => &["HIP", "GPU"],
        "opencl" => &["OPENCL", "GPU"],
        "metal" => &["WEBGPU", "METAL", "GPU"],
        "webgpu" | "wgpu" | "vulkan" | "dx12" => &["WEBGPU", "GPU"],
        _ => &[],
    };
    let mut text = String::from(LANGUAGE);
    // A mode's name is made of letters and digits; anything else could not be quoted as it stands.
    let name: String = mode.to_ascii_uppercase().chars().filter(char::is_ascii_alphanumeric).collect();
    let _ = writeln!(text, "#define OKL_MODE \"{name}\"");
    for word in using {
        let _ = writeln!(text, "#define OCCA_USING_{word} 1");
    }
    text
}

/// C's headers whose types and functions the language knows anyway, for sources that include them, the language's own, and
/// those of C++ that files share with the host: what of these the language has not, such as `std::vector`, is refused where a
/// kernel names it.
pub(super) fn header(name: &str) -> Option<&'static str> {
    Some(match name {
        "limits.h" | "climits" => LIMITS,
        "float.h" | "cfloat" => FLOAT,
        "stdint.h" | "cstdint" | "inttypes.h" => STDINT,
        "math.h" | "cmath" | "tgmath.h" | "stdbool.h" | "stddef.h" | "cstddef" | "stdlib.h" | "cstdlib"
        | "iso646.h" | "stdio.h" | "cstdio" | "algorithm" | "utility" | "type_traits" | "vector" | "array" => {
            "#pragma once\n"
        }
        "complex.h" => COMPLEX,
        "ferrocca/random.h" => RANDOM,
        _ => return None,
    })
}
