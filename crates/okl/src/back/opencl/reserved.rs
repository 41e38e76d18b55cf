//! What OpenCL C reserves, from 1.2 to 3.0.

use crate::back::c_family::reserved::{is_keyword, is_math_function};
use crate::back::namer::{Reserved, is_one_of};

pub(super) const RESERVED: Reserved =
    Reserved { anywhere, at_module_scope, functions: is_math_function, fields: is_word };

fn anywhere(name: &str) -> bool {
    is_word(name) || is_one_of(TEXT, name)
}

/// Keywords, types and macros.
fn is_word(name: &str) -> bool {
    is_keyword(name) || is_one_of(WORDS, name) || is_type(name) || is_macro(name)
}

/// Those that are none of C.
const WORDS: &str = "
    kernel global local constant private generic uniform pipe read_only write_only read_write quad complex imaginary
    half event_t sampler_t queue_t ndrange_t clk_event_t clk_profiling_info reserve_id_t cl_mem_fence_flags memory_order
    memory_scope size_t ptrdiff_t intptr_t uintptr_t clk_kernel_enqueue_flags_t kernel_enqueue_flags_t uchar ushort uint
    ulong unroll opencl_unroll_hint event";

/// `double2`, `image2d_t`, `atomic_int` and their like.
fn is_type(name: &str) -> bool {
    const SCALARS: &str = "char uchar short ushort int uint long ulong float double half bool quad";
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_vector = is_one_of(SCALARS, stem) && is_one_of("2 3 4 8 16", &name[stem.len()..]);
    let is_matrix = ["double", "float"].iter().any(|of| name.starts_with(of)) && name.contains('x');
    is_vector || is_matrix || name.starts_with("image") && name.ends_with("_t") || name.starts_with("atomic_")
}

fn is_macro(name: &str) -> bool {
    const MACROS: &str = "
        INT_MIN INT_MAX LONG_MIN LONG_MAX UINT_MAX ULONG_MAX CHAR_BIT CHAR_MIN CHAR_MAX SCHAR_MIN SCHAR_MAX SHRT_MIN
        SHRT_MAX UCHAR_MAX USHRT_MAX MAXFLOAT HUGE_VAL HUGE_VALF NULL_DEV ATOMIC_FLAG_INIT ATOMIC_VAR_INIT
        CLK_NULL_EVENT";
    let starts = ["CL_", "CLK_", "FLT_", "DBL_", "HALF_", "M_", "FP_", "cl_", "opencl_", "memory_"];
    is_one_of(MACROS, name) || starts.iter().any(|start| name.starts_with(start))
}

/// Functions that the text itself calls, besides those of mathematics.
const TEXT: &str = "min barrier get_group_id get_global_id get_local_id";

/// The functions of the language: in many compilers they are declared, and what is declared otherwise is an error.
fn at_module_scope(name: &str) -> bool {
    const NAMES: &str = "
        abs abs_diff acosh acospi add_sat all any asinpi atan2pi atanpi bitselect clamp clz cospi cross ctz degrees
        distance dot exp10 fast_distance fast_length fast_normalize fdim fract frexp hadd ilogb isequal isgreater
        isgreaterequal isless islessequal islessgreater isnormal isnotequal isordered isunordered ldexp length
        lgamma_r logb mad mad24 mad_hi mad_sat max maxmag mem_fence minmag mix modf mul24 mul_hi nan nextafter
        normalize popcount pow pown powr prefetch printf radians read_mem_fence remainder remquo rhadd rootn rotate
        select shuffle shuffle2 sign signbit sincos sinpi smoothstep step sub_sat tanpi upsample vec_step
        wait_group_events wait_for_events write_mem_fence to_global to_local to_private get_fence ndrange_1D ndrange_2D
        ndrange_3D is_valid_event is_valid_reserve_id retain_event release_event enqueue_kernel enqueue_marker
        create_user_event set_user_event_status capture_event_profiling_info main";
    let starts = [
        "as_",
        "async_",
        "atom_",
        "atomic_",
        "commit_",
        "convert_",
        "get_",
        "half_",
        "intel_",
        "native_",
        "read_",
        "reserve_",
        "sub_group_",
        "vload",
        "vstore",
        "work_group_",
        "write_",
    ];
    is_one_of(NAMES, name) || is_math_function(name) || starts.iter().any(|start| name.starts_with(start))
}
