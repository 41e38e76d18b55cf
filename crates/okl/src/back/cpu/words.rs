//! The words of C11: type names, built-in functions, atomics.

use super::reserved::RESERVED;
use crate::back::c_family::{Callee, Language, WrittenOut, fixed_width};
use crate::ir::{AddressSpace, AtomicOp, MathFn, Scalar};
use std::collections::BTreeSet;

/// C11 with the extensions that gcc and clang share.
pub const LANGUAGE: Language = Language {
    reserved: &RESERVED,
    companions: &["_groups", "_alone", "_alone_groups"],
    scalar: fixed_width,
    negative_zero: None,
    stored_bool: "bool",
    long_suffixes: ["ll", "ull"],
    smallest: ["INT32_MIN", "INT64_MIN"],
    space: |_| "",
    restrict: "restrict",
    function: "static inline ",
    constant: "static const ",
    shared: "_Alignas(64) ",
    static_assert: Some("_Static_assert"),
    aligned: ["_Alignas(", ")"],
    offset_of: Some("offsetof"),
    math,
    common: Some(super::math::common),
    storage,
    truncate,
    selects_by_integers: false,
    overloads: false,
    atomic: |op, operand, space| match space {
        AddressSpace::Global | AddressSpace::Constant => atomic(op, operand),
        // One thread runs all items of a group.
        AddressSpace::Local | AddressSpace::Private => update(op, operand),
    },
    print_long: ["ll", "(long long)", "(unsigned long long)"],
    barrier: "",
    shared_barrier: "",
    prefetch: Some("__builtin_prefetch"),
    independent: Some("OKL_INDEPENDENT"),
    independent_short: Some("OKL_INDEPENDENT_SHORT"),
    independent_guarded: Some("OKL_INDEPENDENT_GUARDED"),
    written_out: Some(WrittenOut { short_rows: "OKL_WRITTEN_OUT", rows: "OKL_WRITTEN_OUT_ROWS", groups: "OKL_GROUPS" }),
    // Compilers unroll short loops by themselves, and long ones make vectors.
    unroll: None,
    exchange: None,
};

/// What a text that subtracts floats tells gcc, which else makes `-x` of `0.0 - x` where `x` was an integer or has no sign:
/// that is -0.0 where `x` is 0. Seen of versions 12 and 13, at every level of optimisation.
pub(super) const SUBTRACTION: [&str; 5] = [
    "",
    "// gcc would take 0.0 - x for -x, which is -0.0 where x is 0.",
    "#if defined(__GNUC__) && !defined(__clang__)",
    "#pragma GCC optimize(\"rounding-math\")",
    "#endif",
];

/// The marks of loops: name, why, what clang and what gcc are told.
///
/// Clang, told that iterations are independent, also runs reads that stand under a condition, so it is not told where there are any.
/// What its four interleaved vectors leave over of a loop it does not vectorise, which weighs where a loop is short.
const MARKS: [(&str, &str, &str, &str); 6] = [
    (
        "OKL_INDEPENDENT",
        "the iterations of the loop do not depend on each other",
        "clang loop vectorize(assume_safety)",
        "GCC ivdep",
    ),
    (
        "OKL_INDEPENDENT_SHORT",
        "the same, of a few hundred iterations at most",
        "clang loop vectorize(assume_safety) interleave_count(1)",
        "GCC ivdep",
    ),
    ("OKL_INDEPENDENT_GUARDED", "the same, where some iterations must not read what others read", "", "GCC ivdep"),
    ("OKL_GROUPS", "a loop over groups, of which clang makes no vectors", "clang loop vectorize(disable)", ""),
    (
        "OKL_WRITTEN_OUT",
        "the loop's few iterations are written out, so that arrays of a few elements are registers",
        "clang loop unroll(full)",
        "GCC unroll 4",
    ),
    (
        "OKL_WRITTEN_OUT_ROWS",
        "gcc writes the loop's few iterations out; clang makes vectors of rows",
        "",
        "GCC unroll 4",
    ),
];

/// Definitions of the marks that are used.
pub fn marks(used: &BTreeSet<&'static str>) -> Vec<String> {
    let marks: Vec<_> = MARKS.iter().filter(|(name, ..)| used.contains(name)).collect();
    if marks.is_empty() {
        return Vec::new();
    }
    let pragma = |text: &str| {
        if text.is_empty() { String::new() } else { format!(" _Pragma(\"{text}\")") }
    };
    let mut lines = vec![String::new()];
    lines.extend(marks.iter().map(|(name, why, ..)| format!("// {name}: {why}.")));
    lines.push("#if defined(__clang__)".into());
    lines.push("#pragma clang diagnostic ignored \"-Wpass-failed\"".into());
    lines.extend(marks.iter().map(|(name, _, clang, _)| format!("#define {name}{}", pragma(clang))));
    lines.push("#elif defined(__GNUC__)".into());
    lines.extend(marks.iter().map(|(name, _, _, gcc)| format!("#define {name}{}", pragma(gcc))));
    lines.push("#else".into());
    lines.extend(marks.iter().map(|(name, ..)| format!("#define {name}")));
    lines.push("#endif".into());
    lines
}

/// The same with the functions of the C library.
pub(super) const NATIVE: Language = Language { math: native, common: None, ..LANGUAGE };

/// The same, for a thread that updates memory which no other one does.
pub(super) const ALONE: Language = Language { atomic: |op, operand, _| update(op, operand), ..LANGUAGE };

/// Both.
pub(super) const NATIVE_ALONE: Language = Language { math: native, common: None, ..ALONE };

fn math(function: MathFn, operand: Scalar) -> Callee {
    super::math::callee(function, operand).unwrap_or_else(|| native(function, operand))
}

fn native(function: MathFn, operand: Scalar) -> Callee {
    let ty = fixed_width(operand);
    let define = |stem: &str, params: &str, value: &str| {
        let name = format!("okl_{stem}_{}", operand.tag());
        let text =
            format!("static inline {ty} {name}({params}) {{\n    return {value};\n}}").replace("T ", &format!("{ty} "));
        Callee::helper(name, text)
    };
    match function {
        MathFn::IsNan | MathFn::IsInf | MathFn::IsFinite => Callee::library(function.name()),
        // That of the least number is itself.
        MathFn::IntAbs => {
            let unsigned = fixed_width(if operand.bytes() == 8 { Scalar::U64 } else { Scalar::U32 });
            define("abs", "T a", &format!("a < 0 ? ({ty})(0 - ({unsigned})a) : a"))
        }
        MathFn::Opaque => {
            let name = format!("okl_opaque_{}", operand.tag());
            let hides = "defined(__GNUC__) && !defined(__clang__) && defined(__AVX512F__)";
            let body = format!("#if {hides}\n    __asm__(\"\" : \"+r\"(value));\n#endif\n    return value;");
            Callee::helper(&name, format!("static inline {ty} {name}({ty} value) {{\n{body}\n}}"))
        }
        MathFn::IntMin => define("min", "T a, T b", "a < b ? a : b"),
        MathFn::IntMax => define("max", "T a, T b", "a > b ? a : b"),
        MathFn::Popcount if operand.bytes() == 8 => define("popcount", "T a", "__builtin_popcountll(a)"),
        MathFn::Popcount => define("popcount", "T a", "__builtin_popcount(a)"),
        // Of zero C's have no value.
        MathFn::Clz if operand.bytes() == 8 => define("clz", "T a", "a == 0 ? 64 : __builtin_clzll(a)"),
        MathFn::Clz => define("clz", "T a", "a == 0 ? 32 : __builtin_clz(a)"),
        MathFn::Ctz if operand.bytes() == 8 => define("ctz", "T a", "a == 0 ? 64 : __builtin_ctzll(a)"),
        MathFn::Ctz => define("ctz", "T a", "a == 0 ? 32 : __builtin_ctz(a)"),
        MathFn::BitsOf | MathFn::FromBits => {
            let (name, result) =
                (format!("okl_{}_{}", function.name(), operand.tag()), fixed_width(function.result(operand)));
            let text = format!(
                "static inline {result} {name}({ty} a) {{\n    {result} value;\n    __builtin_memcpy(&value, &a, sizeof value);\n    \
                 return value;\n}}"
            );
            Callee::helper(name, text)
        }
        // C's own `fmin` is a call that gcc does not vectorise. A NaN loses against a number, as in C.
        MathFn::Fmin => define("fmin", "T a, T b", "a < b || b != b ? a : b"),
        MathFn::Fmax => define("fmax", "T a, T b", "a > b || b != b ? a : b"),
        MathFn::Rsqrt if operand == Scalar::F32 => define("rsqrt", "T a", "1.0f / __builtin_sqrtf(a)"),
        MathFn::Rsqrt => define("rsqrt", "T a", "1.0 / __builtin_sqrt(a)"),
        _ if operand == Scalar::F32 => Callee::library(format!("{}f", function.name())),
        _ => Callee::library(function.name()),
    }
}

/// What exceeds a signed type is clamped: gcc takes `(int)fabs(x)` for a number that is not negative, and processors make the least one
/// of what does not fit. Below the type it is the least one anyway, and of unsigned types no compiler concludes anything.
fn truncate(from: Scalar, to: Scalar) -> Option<Callee> {
    let (result, given) = (fixed_width(to), fixed_width(from));
    // The greatest of `float` and of `double` that are less than a power of two.
    let most = match (to, from) {
        (Scalar::I32, Scalar::F32) => "2147483520.0f",
        (Scalar::I32, _) => "2147483647.0",
        (Scalar::I64, Scalar::F32) => "9223371487098961920.0f",
        (Scalar::I64, _) => "9223372036854774784.0",
        _ => return None,
    };
    let name = format!("okl_{}_of_{}", to.tag(), from.tag());
    let text = format!(
        "static inline {result} {name}({given} value) {{\n    return ({result})(value < {most} ? value : {most});\n}}"
    );
    Some(Callee::helper(name, text))
}

/// Conversions of storage floats, which are held as their bits. They are written such that compilers vectorise them; gcc does not
/// vectorise the conversions of its own `_Float16`.
fn storage(from: Scalar, _to: Scalar) -> Vec<Callee> {
    let to_half = Callee::helper("okl_f16_of_f32", include_str!("f16_of_f32.c").trim_end());
    match from {
        Scalar::F16 => vec![Callee::helper("okl_f32_of_f16", include_str!("f32_of_f16.c").trim_end())],
        Scalar::F64 => {
            vec![Callee::helper("okl_f32_toward_f16", include_str!("f32_toward_f16.c").trim_end()), to_half]
        }
        _ => vec![to_half],
    }
}

/// `atomic_cas`: the builtin compares bits, and leaves what it found in `expected`.
fn compare_exchange(operand: Scalar) -> Callee {
    let (ty, name) = (fixed_width(operand), format!("okl_atomic_cas_{}", operand.tag()));
    let text = format!(
        "static inline {ty} {name}({ty} *at, {ty} expected, {ty} value) {{\n    __atomic_compare_exchange(at, &expected, \
         &value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);\n    return expected;\n}}"
    );
    Callee::helper(name, text)
}

/// An update's name, the compiler's function for it, and the new value.
fn words_of(op: AtomicOp) -> (&'static str, Option<&'static str>, &'static str) {
    match op {
        AtomicOp::Add => ("add", Some("fetch_add"), "old + value"),
        AtomicOp::Sub => ("sub", Some("fetch_sub"), "old - value"),
        AtomicOp::Mul => ("mul", None, "old * value"),
        AtomicOp::Div => ("div", None, "old / value"),
        AtomicOp::Min => ("min", None, "value < old ? value : old"),
        AtomicOp::Max => ("max", None, "value > old ? value : old"),
        AtomicOp::And => ("and", Some("fetch_and"), "old & value"),
        AtomicOp::Or => ("or", Some("fetch_or"), "old | value"),
        AtomicOp::Xor => ("xor", Some("fetch_xor"), "old ^ value"),
        AtomicOp::Exchange => ("exchange", Some("exchange_n"), "value"),
        AtomicOp::CompareExchange => unreachable!("it has a function of its own"),
    }
}

/// An update of memory that one thread alone has. As an atomic one, it wraps where an integer overflows and compares bits.
fn update(op: AtomicOp, operand: Scalar) -> Callee {
    let ty = fixed_width(operand);
    if op == AtomicOp::CompareExchange {
        let name = format!("okl_update_cas_{}", operand.tag());
        let text = format!(
            "static inline {ty} {name}({ty} *at, {ty} expected, {ty} value) {{\n    const {ty} old = *at;\n    if \
             (__builtin_memcmp(&old, &expected, sizeof old) == 0) {{\n        *at = value;\n    }}\n    return old;\n}}"
        );
        return Callee::helper(name, text);
    }
    let (stem, _, next) = words_of(op);
    let wraps = operand.is_integer() && matches!(op, AtomicOp::Add | AtomicOp::Sub);
    let next = if wraps { next.replace("old", "(uint64_t)old") } else { next.to_owned() };
    let name = format!("okl_update_{stem}_{}", operand.tag());
    let head = format!("static inline {ty} {name}({ty} *at, {ty} value) {{");
    Callee::helper(name, format!("{head}\n    const {ty} old = *at;\n    *at = {next};\n    return old;\n}}"))
}

/// One function per operation and type. Updates are relaxed: the end of a launch orders them.
fn atomic(op: AtomicOp, operand: Scalar) -> Callee {
    if op == AtomicOp::CompareExchange {
        return compare_exchange(operand);
    }
    let ty = fixed_width(operand);
    let (stem, builtin, next) = words_of(op);
    let name = format!("okl_atomic_{stem}_{}", operand.tag());
    let head = format!("static inline {ty} {name}({ty} *at, {ty} value) {{");
    let by_compare = |next: &str| {
        format!(
            "{head}\n    {ty} old, next;\n    __atomic_load(at, &old, __ATOMIC_RELAXED);\n    do {{\n        \
             next = {next};\n    }} while (!__atomic_compare_exchange(at, &old, &next, true, __ATOMIC_RELAXED, \
             __ATOMIC_RELAXED));\n    return old;\n}}"
        )
    };
    let text = match builtin {
        Some(builtin) if operand.is_integer() && operand != Scalar::Bool => {
            format!("{head}\n    return __atomic_{builtin}(at, value, __ATOMIC_RELAXED);\n}}")
        }
        _ => by_compare(next),
    };
    Callee::helper(name, text)
}
