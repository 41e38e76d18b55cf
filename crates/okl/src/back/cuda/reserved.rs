//! What CUDA C++ reserves.

use crate::back::c_family::reserved::{is_keyword, is_library_function, is_math_function};
use crate::back::namer::{Reserved, is_one_of};

pub(super) const RESERVED: Reserved =
    Reserved { anywhere, at_module_scope, functions: is_math_function, fields: is_word };

fn anywhere(name: &str) -> bool {
    is_word(name) || is_one_of(TEXT, name)
}

/// Keywords of C++ and macros of the text.
fn is_word(name: &str) -> bool {
    is_keyword(name) || is_one_of(KEYWORDS, name) || is_one_of(MACROS, name)
}

/// Those that are none of C.
const KEYWORDS: &str = "
    and and_eq bitand bitor catch char16_t char32_t char8_t class co_await co_return co_yield compl concept const_cast
    consteval constinit decltype delete dynamic_cast explicit export friend mutable namespace new noexcept not not_eq
    operator or or_eq private protected public reinterpret_cast requires static_cast template this throw try typeid
    typename using virtual wchar_t xor xor_eq";

const MACROS: &str = "INT32_MIN INT64_MIN INT_MAX INT_MIN UINT_MAX LONG_MAX LONG_MIN CHAR_BIT CUDART_CB CUDARTAPI";

/// What the text itself declares or reads.
const TEXT: &str = "
    threadIdx blockIdx blockDim gridDim warpSize int8_t uint8_t int16_t uint16_t uint32_t int64_t uint64_t int32_t";

/// What NVRTC declares before the text begins.
fn at_module_scope(name: &str) -> bool {
    const NAMES: &str = "
        printf dim3 size_t ptrdiff_t nullptr_t clock clock64 clock_t assert min max umin umax llmin llmax ullmin ullmax abs
        std cuda nv extern_C signbit sincospi normcdf normcdfinv erfcx erfcinv erfinv rcbrt rhypot norm rnorm norm3d
        rnorm3d norm4d rnorm4d cyl_bessel_i0 cyl_bessel_i1 fdividef saturate int_as_float float_as_int
        double_as_longlong longlong_as_double mulhi umulhi mul64hi umul64hi mul24 umul24 float2int int2float
        uint2float syncthreads prof_trigger threadfence trap brkpt device_builtin cooperative_groups half bfloat16";
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_vector = is_one_of("char uchar short ushort int uint long ulong longlong ulonglong float double", stem);
    let starts =
        ["atomic", "cuda", "cu", "nv", "tex", "surf", "make_", "va_"].iter().any(|start| name.starts_with(start));
    is_library_function(name) || is_one_of(NAMES, name) || is_vector || starts
}
