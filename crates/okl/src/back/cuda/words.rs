//! The words of CUDA C++: type names, built-in functions, atomics.

use super::reserved::RESERVED;
use crate::back::c_family::{Callee, Language, fixed_width};
use crate::ir::{AtomicOp, MathFn, Scalar};

/// CUDA C++ as NVRTC takes it, without any header: the fixed-width names are typedefs of the text itself.
pub(super) const LANGUAGE: Language = Language {
    reserved: &RESERVED,
    companions: &["_group", "_coarsened"],
    scalar: fixed_width,
    negative_zero: Some(negative_zero),
    stored_bool: "bool",
    long_suffixes: ["ll", "ull"],
    smallest: ["INT32_MIN", "INT64_MIN"],
    space: |_| "",
    restrict: "__restrict__",
    function: "static __device__ inline ",
    constant: "static __device__ const ",
    shared: "__shared__ ",
    static_assert: Some("static_assert"),
    aligned: ["alignas(", ")"],
    // NVRTC knows the builtin from 13.5 on only.
    offset_of: None,
    math,
    common: None,
    storage,
    truncate,
    selects_by_integers: false,
    overloads: true,
    atomic: |op, operand, _| atomic(op, operand),
    print_long: ["ll", "(long long)", "(unsigned long long)"],
    barrier: "__syncthreads();",
    shared_barrier: "__syncthreads();",
    prefetch: None,
    independent: None,
    independent_short: None,
    independent_guarded: None,
    written_out: None,
    unroll: Some("#pragma unroll"),
    exchange: Some(exchange),
};

/// What <stdint.h> and <math.h> would say.
pub(super) const PRELUDE: &str = "\
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
#define INT32_MIN (-2147483647 - 1)
#define INT64_MIN (-9223372036854775807ll - 1)
#define NAN __int_as_float(0x7fc00000)
#define INFINITY __int_as_float(0x7f800000)
struct okl_group { int64_t x, y, z; };
struct okl_item { uint32_t x, y, z; };";

/// ptxas (13.0 and 13.5) makes `FSET.BF` or `I2F` of `selp.f32` between ±1.0 and −0.0, which have no −0.0.
fn negative_zero(ty: Scalar) -> Callee {
    let (name, suffix) = if ty == Scalar::F32 { ("okl_negative_zero_f32", "f") } else { ("okl_negative_zero_f64", "") };
    Callee::helper(name, format!("static __constant__ {} {name} = -0.0{suffix};", fixed_width(ty)))
}

/// What the lanes of a subgroup exchange: only those of one subgroup are sure to be here.
fn exchange(lanes: u8, votes: bool) -> Callee {
    let all = u32::MAX >> (32 - lanes);
    // Which lane of a warp is the subgroup's first one.
    let first = match lanes {
        32 => "const uint32_t first = 0;".to_owned(),
        _ => format!(
            "uint32_t first;\n    asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(first));\n    first &= {}u;",
            32 - lanes
        ),
    };
    if votes {
        let name = format!("okl_ballot_{lanes}");
        let head = format!("static __device__ inline uint32_t {name}(uint32_t vote) {{\n    {first}");
        let word = format!("__ballot_sync({all:#x}u << first, vote != 0)");
        return Callee::helper(name, format!("{head}\n    return {word} >> first & {all:#x}u;\n}}"));
    }
    let name = format!("okl_shuffle_{lanes}");
    let head = format!("template <class T> static __device__ inline T {name}(T value, uint32_t lane) {{\n    {first}");
    let value = format!("__shfl_sync({all:#x}u << first, value, (int)lane, {lanes})");
    Callee::helper(name, format!("{head}\n    return {value};\n}}"))
}

fn math(function: MathFn, operand: Scalar) -> Callee {
    let ty = fixed_width(operand);
    let define = |stem: &str, params: &str, value: &str| {
        let name = format!("okl_{stem}_{}", operand.tag());
        let text = format!("static __device__ inline {ty} {name}({params}) {{\n    return {value};\n}}");
        Callee::helper(name, text.replace("T ", &format!("{ty} ")))
    };
    match function {
        MathFn::IsNan | MathFn::IsInf | MathFn::IsFinite => Callee::library(function.name()),
        // That of the least number is itself.
        MathFn::IntAbs => {
            let unsigned = fixed_width(if operand.bytes() == 8 { Scalar::U64 } else { Scalar::U32 });
            define("abs", "T a", &format!("a < 0 ? ({ty})(0 - ({unsigned})a) : a"))
        }
        MathFn::IntMin => define("min", "T a, T b", "a < b ? a : b"),
        MathFn::IntMax => define("max", "T a, T b", "a > b ? a : b"),
        MathFn::Popcount if operand.bytes() == 8 => define("popcount", "T a", "__popcll(a)"),
        MathFn::Popcount => define("popcount", "T a", "__popc(a)"),
        MathFn::Clz if operand.bytes() == 8 => define("clz", "T a", "__clzll(a)"),
        MathFn::Clz => define("clz", "T a", "__clz(a)"),
        MathFn::Ctz if operand.bytes() == 8 => define("ctz", "T a", "a == 0 ? 64 : __ffsll(a) - 1"),
        MathFn::Ctz => define("ctz", "T a", "a == 0 ? 32 : __ffs(a) - 1"),
        MathFn::BitsOf if operand == Scalar::F32 => Callee::library("__float_as_uint"),
        MathFn::BitsOf => Callee::helper(
            "okl_bits_of_f64",
            "static __device__ inline uint64_t okl_bits_of_f64(double a) {\n    return (uint64_t)__double_as_longlong(a);\n}",
        ),
        MathFn::FromBits if operand == Scalar::U32 => Callee::library("__uint_as_float"),
        MathFn::FromBits => Callee::helper(
            "okl_f64_of_bits",
            "static __device__ inline double okl_f64_of_bits(uint64_t a) {\n    return __longlong_as_double((long long)a);\n}",
        ),
        // CUDA's own `rsqrt` is off by an ulp where the quotient is not; both targets give the same bits.
        MathFn::Rsqrt if operand == Scalar::F32 => define("rsqrt", "T a", "1.0f / sqrtf(a)"),
        MathFn::Rsqrt => define("rsqrt", "T a", "1.0 / sqrt(a)"),
        _ if operand == Scalar::F32 => Callee::library(format!("{}f", function.name())),
        _ => Callee::library(function.name()),
    }
}

/// The instruction saturates.
fn truncate(from: Scalar, to: Scalar) -> Option<Callee> {
    let given = if from == Scalar::F32 { "float" } else { "double" };
    let result = match to {
        Scalar::I32 => "int",
        Scalar::U32 => "uint",
        Scalar::U64 => "ull",
        _ => "ll",
    };
    Some(Callee::library(format!("__{given}2{result}_rz")))
}

/// Conversions of storage floats, which are held as their bits: instructions that no function of the compiler's own stands for.
fn storage(from: Scalar, to: Scalar) -> Vec<Callee> {
    let (result, given) = (fixed_width(to), fixed_width(from));
    let name = format!("okl_{}_of_{}", to.tag(), from.tag());
    let (instruction, output, input) = match from {
        Scalar::F16 => ("cvt.f32.f16", "f", "h"),
        Scalar::F64 => ("cvt.rn.f16.f64", "h", "d"),
        _ => ("cvt.rn.f16.f32", "h", "f"),
    };
    let text = format!(
        "static __device__ inline {result} {name}({given} value) {{\n    {result} converted;\n    \
         asm(\"{instruction} %0, %1;\" : \"={output}\"(converted) : \"{input}\"(value));\n    return converted;\n}}"
    );
    vec![Callee::helper(name, text)]
}

/// One function per operation and type: the hardware's where it has one, else a loop that compares and swaps.
fn atomic(op: AtomicOp, operand: Scalar) -> Callee {
    let ty = fixed_width(operand);
    let (stem, next) = match op {
        AtomicOp::Add => ("add", "old + value"),
        AtomicOp::Sub => ("sub", "old - value"),
        AtomicOp::Mul => ("mul", "old * value"),
        AtomicOp::Div => ("div", "old / value"),
        AtomicOp::Min => ("min", "value < old ? value : old"),
        AtomicOp::Max => ("max", "value > old ? value : old"),
        AtomicOp::And => ("and", "old & value"),
        AtomicOp::Or => ("or", "old | value"),
        AtomicOp::Xor => ("xor", "old ^ value"),
        AtomicOp::Exchange => ("exchange", "value"),
        AtomicOp::CompareExchange => return compare_exchange(operand),
    };
    let name = format!("okl_atomic_{stem}_{}", operand.tag());
    let head = format!("static __device__ inline {ty} {name}({ty} *at, {ty} value) {{");
    let body = match native(op, operand) {
        Some(call) => format!("    return {call};"),
        None => compare_and_swap(operand, next),
    };
    Callee::helper(name, format!("{head}\n{body}\n}}"))
}

/// `atomic_cas`: bits are compared.
fn compare_exchange(operand: Scalar) -> Callee {
    let (ty, name) = (fixed_width(operand), format!("okl_atomic_cas_{}", operand.tag()));
    let (word, from, to) = match operand {
        Scalar::F32 => ("uint32_t", "__uint_as_float", "__float_as_uint"),
        Scalar::F64 => ("uint64_t", "__longlong_as_double", "__double_as_longlong"),
        _ if operand.bytes() == 8 => ("uint64_t", "(int64_t)", "(uint64_t)"),
        _ => ("uint32_t", "", ""),
    };
    let from = if operand == Scalar::I64 || operand.is_float() { from } else { "" };
    let swap = format!("atomicCAS(({word} *)at, ({word}){to}(expected), ({word}){to}(value))");
    let text = format!(
        "static __device__ inline {ty} {name}({ty} *at, {ty} expected, {ty} value) {{\n    return {from}({swap});\n}}"
    );
    Callee::helper(name, text)
}

/// The hardware's instruction, where there is one for the type. Signed and unsigned words add alike.
fn native(op: AtomicOp, operand: Scalar) -> Option<String> {
    let (function, negate) = match op {
        AtomicOp::Add => ("atomicAdd", ""),
        AtomicOp::Sub => ("atomicAdd", "-"),
        AtomicOp::Min => ("atomicMin", ""),
        AtomicOp::Max => ("atomicMax", ""),
        AtomicOp::And => ("atomicAnd", ""),
        AtomicOp::Or => ("atomicOr", ""),
        AtomicOp::Xor => ("atomicXor", ""),
        AtomicOp::Exchange => ("atomicExch", ""),
        AtomicOp::Mul | AtomicOp::Div | AtomicOp::CompareExchange => return None,
    };
    let ordered = matches!(op, AtomicOp::Min | AtomicOp::Max);
    let adds = matches!(op, AtomicOp::Add | AtomicOp::Sub);
    match operand {
        Scalar::I32 | Scalar::U32 => Some(format!("{function}(at, {negate}value)")),
        Scalar::I64 | Scalar::U64 if ordered => Some(format!("{function}(at, value)")),
        Scalar::U64 => Some(format!("{function}(at, {negate}value)")),
        Scalar::I64 => Some(format!("(int64_t){function}((uint64_t *)at, (uint64_t)({negate}value))")),
        Scalar::F32 | Scalar::F64 if adds => Some(format!("{function}(at, {negate}value)")),
        _ => None,
    }
}

/// Compares and swaps the word that holds the value; a value smaller than a word leaves its neighbours as they are.
fn compare_and_swap(operand: Scalar, next: &str) -> String {
    let ty = fixed_width(operand);
    let word = if operand.bytes() == 8 { "uint64_t" } else { "uint32_t" };
    let (from_word, to_word) = match operand {
        Scalar::F32 => ("__uint_as_float(seen)".to_owned(), "__float_as_uint(next)".to_owned()),
        Scalar::F64 => {
            ("__longlong_as_double((int64_t)seen)".to_owned(), "(uint64_t)__double_as_longlong(next)".to_owned())
        }
        _ if operand.bytes() >= 4 => (format!("({ty})seen"), format!("({word})next")),
        _ => (
            format!("({ty})(seen >> shift)"),
            "(expected & ~(mask << shift)) | (((uint32_t)next & mask) << shift)".to_owned(),
        ),
    };
    let place = if operand.bytes() >= 4 {
        format!("    {word} *const word = ({word} *)at;\n")
    } else {
        let mask = if operand.bytes() == 1 { "0xffu" } else { "0xffffu" };
        format!(
            "    uint32_t *const word = (uint32_t *)((uint64_t)at & ~3ull);\n    \
             const uint32_t shift = 8u * (uint32_t)((uint64_t)at & 3ull), mask = {mask};\n"
        )
    };
    format!(
        "{place}    {word} seen = *word, expected;\n    {ty} old, next;\n    do {{\n        expected = seen;\n        \
         old = {from_word};\n        next = {next};\n        seen = atomicCAS(word, expected, {to_word});\n    \
         }} while (seen != expected);\n    return old;"
    )
}
