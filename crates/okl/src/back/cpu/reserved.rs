//! What C11 with its headers reserves.

use crate::back::c_family::reserved::{is_keyword, is_library_function, is_math_function};
use crate::back::namer::{Reserved, is_one_of};

pub(super) const RESERVED: Reserved = Reserved {
    anywhere,
    at_module_scope: |name| is_library_function(name) || is_stdio_function(name),
    functions: is_math_function,
    fields: |name| is_keyword(name) || is_macro(name),
};

fn anywhere(name: &str) -> bool {
    is_keyword(name) || is_macro(name) || is_type(name)
}

/// Macros of `<math.h>`, `<stddef.h>` and `<stdint.h>`.
fn is_macro(name: &str) -> bool {
    const MACROS: &str = "
        HUGE_VAL HUGE_VALF HUGE_VALL MATH_ERRNO MATH_ERREXCEPT MAXFLOAT DOMAIN SING OVERFLOW UNDERFLOW PLOSS TLOSS
        X_TLOSS HUGE BUFSIZ EOF FILENAME_MAX FOPEN_MAX L_tmpnam L_ctermid L_cuserid P_tmpdir TMP_MAX SEEK_SET SEEK_CUR
        SEEK_END SEEK_DATA SEEK_HOLE SNAN SNANF SNANL math_errhandling offsetof unreachable PTRDIFF_MIN PTRDIFF_MAX SIZE_MAX SIZE_WIDTH
        WCHAR_MIN WCHAR_MAX WCHAR_WIDTH WINT_MIN WINT_MAX SIG_ATOMIC_MIN SIG_ATOMIC_MAX";
    let is_limit = ["_MIN", "_MAX", "_C", "_WIDTH"].iter().any(|end| name.ends_with(end))
        && ["INT", "UINT"].iter().any(|start| name.starts_with(start));
    is_one_of(MACROS, name) || is_limit || ["M_", "FP_"].iter().any(|start| name.starts_with(start))
}

/// Functions and variables of `<stdio.h>`, which texts that print include.
fn is_stdio_function(name: &str) -> bool {
    const NAMES: &str = "
        stdin stdout stderr remove rename renameat renameat2 tmpfile tmpfile64 tmpnam tempnam fclose fcloseall fflush
        fopen fopen64 freopen freopen64 fdopen fmemopen open_memstream setbuf setbuffer setlinebuf setvbuf dprintf
        vdprintf asprintf vasprintf fgetc getc getchar getw fgets gets putc putw getdelim getline ungetc fread fseek
        fseeko fseeko64 ftell ftello ftello64 rewind fgetpos fgetpos64 fsetpos fsetpos64 clearerr feof ferror fileno
        perror popen pclose ctermid cuserid flockfile funlockfile ftrylockfile funopen fopencookie fpurge ctermid_r
        fgetln zopen";
    let stem = name.strip_suffix("_unlocked").unwrap_or(name);
    is_one_of(NAMES, name) || is_one_of(NAMES, stem)
}

/// Types of `<stddef.h>` and `<stdint.h>`, and of `<math.h>`.
fn is_type(name: &str) -> bool {
    const TYPES: &str = "size_t ssize_t off_t off64_t va_list fpos_t fpos64_t FILE cookie_io_functions_t ptrdiff_t wchar_t max_align_t nullptr_t float_t double_t";
    let is_integer = name.ends_with("_t") && ["int", "uint"].iter().any(|start| name.starts_with(start));
    is_integer || is_one_of(TYPES, name)
}
