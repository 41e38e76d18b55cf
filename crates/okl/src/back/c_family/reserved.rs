//! What every C-like language reserves.

use crate::back::namer::is_one_of;
use crate::ir::MathFn;

/// Keywords of C, up to C23, and those of gcc.
const KEYWORDS: &str = "
    alignas alignof asm auto bool break case char const constexpr continue default do double else enum extern false
    float for goto if inline int long nullptr register restrict return short signed sizeof static static_assert struct
    switch thread_local true typedef typeof typeof_unqual union unsigned void volatile while";

/// Macros that compilers define without being asked to.
const MACROS: &str = "linux unix i386 arm NULL NAN INFINITY";

/// Keywords and predefined macros.
pub(crate) fn is_keyword(name: &str) -> bool {
    is_one_of(KEYWORDS, name) || is_one_of(MACROS, name)
}

/// Functions of floating-point numbers that texts call by C's names, where `float` has its own (`sqrtf`) as well.
pub(crate) fn is_math_function(name: &str) -> bool {
    let is = |name: &str| MathFn::ALL.iter().any(|function| !function.is_of_integers() && function.name() == name);
    is(name) || name.strip_suffix('f').is_some_and(is)
}

/// Functions that `<math.h>` declares besides those.
const MATH_HEADER: &str = "
    drem exp10 fdim finite frexp gamma ilogb isinf isnan finite j0 j1 jn ldexp lgamma_r llrint llround logb lrint lround
    matherr modf nan nearbyint nextafter nexttoward pow10 remainder remquo scalb scalbln scalbn significand signgam
    sincos y0 y1 yn fmaximum fminimum roundeven ufromfp fromfp canonicalize llogb nextup nextdown acospi asinpi atan2pi
    atanpi cospi sinpi tanpi compoundn exp2m1 exp10m1 log2p1 log10p1 logp1 pown powr rootn rsqrt fadd fsub fmul fdiv
    fsqrt ffma daddl dsubl dmull ddivl";

/// Functions of the library that compilers know without a header.
const BUILTIN_FUNCTIONS: &str = "
    abort abs aligned_alloc alloca bcmp bcopy bzero cabs cacos cacosh calloc carg casin casinh catan catanh ccos ccosh
    cexp cimag clog clog10 conj cpow cproj creal csin csinh csqrt ctan ctanh exit ffs ffsl ffsll fork fprintf fputc fputs
    free fscanf fwrite imaxabs index isalnum isalpha isascii isblank iscntrl isdigit isgraph islower isprint ispunct
    isspace isupper iswalnum iswalpha iswblank iswcntrl iswdigit iswgraph iswlower iswprint iswpunct iswspace iswupper
    iswxdigit isxdigit labs llabs main malloc memchr memcmp memcpy memmove mempcpy memset posix_memalign printf
    printf_unlocked putchar puts realloc rindex scanf signbit significand snprintf sprintf sscanf stpcpy stpncpy
    strcasecmp strcat strchr strcmp strcpy strcspn strdup strfmon strftime strlen strncasecmp strncat strncmp strncpy
    strndup strnlen strpbrk strrchr strspn strstr toascii tolower toupper towlower towupper vfprintf vfscanf vprintf
    vscanf vsnprintf vsprintf vsscanf execl execle execlp execv execve execvp gettext dgettext dcgettext";

/// Macros of `<math.h>` that look like functions.
const MATH_MACROS: &str = "
    fpclassify isfinite isnormal isgreater isgreaterequal isless islessequal islessgreater isunordered iseqsig
    issignaling issubnormal iszero iscanonical";

/// Functions of C's library.
pub(crate) fn is_library_function(name: &str) -> bool {
    let is = |name: &str| is_one_of(MATH_HEADER, name) || is_one_of(BUILTIN_FUNCTIONS, name) || is_math_function(name);
    let stem = name.strip_suffix("_r").unwrap_or(name);
    let stem = ["f", "l", "f16", "f32", "f64", "f128", "f32x", "f64x"]
        .iter()
        .find_map(|end| stem.strip_suffix(end))
        .unwrap_or(stem);
    is(name) || is(stem) || is_one_of(MATH_MACROS, name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_c_are_known() {
        assert!(["int", "linux", "alignas"].iter().all(|word| is_keyword(word)));
        assert!(!["class", "kernel", "fn", "sqrt"].iter().any(|word| is_keyword(word)));
        assert!(is_math_function("sqrtf") && is_math_function("fmin") && !is_math_function("max"));
        assert!(is_library_function("y0") && is_library_function("gammaf") && is_library_function("sqrtl"));
        assert!(!is_library_function("total") && !is_library_function("leaf"));
    }
}
