//! The words of OpenCL C: type names, built-in functions, atomics.

use super::reserved::RESERVED;
use crate::back::c_family::{Callee, Language};
use crate::ir::{AddressSpace, AtomicOp, MathFn, Scalar};
use crate::target::opencl::Features;
use std::collections::BTreeSet;

/// For devices whose 64-bit updates are the basic ones.
const BASE: Language = Language {
    reserved: &RESERVED,
    companions: &["_group", "_groups", "_launch"],
    scalar,
    negative_zero: Some(negative_zero),
    stored_bool: "uchar",
    long_suffixes: ["l", "ul"],
    smallest: ["INT_MIN", "LONG_MIN"],
    space,
    restrict: "restrict",
    function: "static inline ",
    constant: "__constant ",
    shared: "__local ",
    static_assert: Some("OKL_HOLDS"),
    aligned: ["__attribute__((aligned(", ")))"],
    offset_of: Some("__builtin_offsetof"),
    math,
    common: None,
    storage,
    truncate,
    selects_by_integers: true,
    overloads: true,
    atomic: |op, operand, space| atomic(op, operand, space, false),
    print_long: ["l", "(long)", "(ulong)"],
    barrier: "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);",
    shared_barrier: "barrier(CLK_LOCAL_MEM_FENCE);",
    prefetch: None,
    independent: None,
    independent_short: None,
    independent_guarded: None,
    written_out: None,
    unroll: Some("#pragma unroll"),
    exchange: None,
};

/// For devices that have all of them.
const EXTENDED: Language = Language { atomic: |op, operand, space| atomic(op, operand, space, true), ..BASE };

/// The same words where a work-item runs a group: with marks for loops over items, and memory of its own.
const fn of_loops(words: Language) -> Language {
    Language {
        negative_zero: None,
        shared: "",
        unroll: None,
        independent: Some("OKL_INDEPENDENT"),
        independent_short: Some("OKL_INDEPENDENT_SHORT"),
        independent_guarded: Some("OKL_INDEPENDENT_GUARDED"),
        ..words
    }
}

/// The words of a device, by the form of the nest that is printed.
pub(super) struct DeviceWords {
    pub(super) threads: Language,
    pub(super) loops: Language,
}

static WITH_BASE: DeviceWords = DeviceWords { threads: BASE, loops: of_loops(BASE) };
static WITH_EXTENDED: DeviceWords = DeviceWords { threads: EXTENDED, loops: of_loops(EXTENDED) };

/// NVIDIA's driver makes machine code with ptxas, as CUDA does; no kernel has 0 dimensions, which it does not know.
fn negative_zero(ty: Scalar) -> Callee {
    let (name, value) = match ty {
        Scalar::F32 => ("okl_negative_zero_f32", "as_float((uint)(get_work_dim() == 0) | 0x80000000u)"),
        _ => ("okl_negative_zero_f64", "as_double((ulong)(get_work_dim() == 0) | 0x8000000000000000ul)"),
    };
    Callee::helper(name, format!("#define {name} {value}"))
}

/// The words for a device.
pub(super) fn for_device(features: &Features) -> &'static DeviceWords {
    if features.int64_extended_atomics { &WITH_EXTENDED } else { &WITH_BASE }
}

/// The first and the second set of 64-bit updates.
const BASE_ATOMICS: &str = "cl_khr_int64_base_atomics";
const EXTENDED_ATOMICS: &str = "cl_khr_int64_extended_atomics";

/// What stands in front of everything else: what the text needs of the compiler.
pub(super) fn prelude(extensions: &BTreeSet<&'static str>, has_double: bool, has_structs: bool) -> Vec<String> {
    let mut lines =
        ["#ifndef OKL_FP_CONTRACT_FAST", "#pragma OPENCL FP_CONTRACT OFF", "#endif"].map(String::from).to_vec();
    let extensions = has_double.then_some(&"cl_khr_fp64").into_iter().chain(extensions);
    lines.extend(extensions.map(|extension| format!("#pragma OPENCL EXTENSION {extension} : enable")));
    if has_structs {
        // Checked where the compiler can check: that is every one that is known.
        lines.extend(
            [
                "#ifdef __clang__",
                "#define OKL_HOLDS(condition, what) _Static_assert(condition, what)",
                "#else",
                "#define OKL_HOLDS(condition, what)",
                "#endif",
            ]
            .map(String::from),
        );
    }
    lines
}

fn space(space: AddressSpace) -> &'static str {
    match space {
        AddressSpace::Global => "__global ",
        AddressSpace::Local => "__local ",
        AddressSpace::Private => "__private ",
        AddressSpace::Constant => "__constant ",
    }
}

fn scalar(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bool => "bool",
        Scalar::I8 => "char",
        Scalar::U8 => "uchar",
        Scalar::I16 => "short",
        Scalar::U16 => "ushort",
        Scalar::I32 => "int",
        Scalar::U32 => "uint",
        Scalar::I64 => "long",
        Scalar::U64 => "ulong",
        Scalar::F32 => "float",
        Scalar::F64 => "double",
        // Without an extension no variable can be a `half`.
        storage => self::scalar(storage.held_as()),
    }
}

fn math(function: MathFn, operand: Scalar) -> Callee {
    let ty = scalar(operand);
    let define = |stem: &str, params: &str, value: &str| {
        let name = format!("okl_{stem}_{ty}");
        let text = format!("static inline {ty} {name}({params}) {{\n    return {value};\n}}");
        Callee::helper(name, text.replace("T ", &format!("{ty} ")))
    };
    match function {
        // OpenCL's own `abs` is unsigned, and its `min` and `max` take two of the same type alone.
        // That of the least number is itself.
        MathFn::IntAbs => {
            let unsigned = scalar(if operand.bytes() == 8 { Scalar::U64 } else { Scalar::U32 });
            define("abs", "T a", &format!("a < 0 ? ({ty})(0 - ({unsigned})a) : a"))
        }
        MathFn::IntMin => define("min", "T a, T b", "a < b ? a : b"),
        MathFn::IntMax => define("max", "T a, T b", "a > b ? a : b"),
        MathFn::Popcount | MathFn::Clz => Callee::library(function.name()),
        // OpenCL has it from 2.0 on.
        MathFn::Ctz => define("ctz", "T a", &format!("a == 0 ? {} : popcount((a & -a) - 1)", 8 * operand.bytes())),
        MathFn::BitsOf | MathFn::FromBits => Callee::library(format!("as_{}", scalar(function.result(operand)))),
        // OpenCL's own `rsqrt` may be off by two ulp.
        MathFn::Rsqrt if operand == Scalar::F32 => define("rsqrt", "T a", "1.0f / sqrt(a)"),
        MathFn::Rsqrt => define("rsqrt", "T a", "1.0 / sqrt(a)"),
        _ => Callee::library(function.name()),
    }
}

/// The nearest integer; of a NaN zero.
fn truncate(_from: Scalar, to: Scalar) -> Option<Callee> {
    Some(Callee::library(format!("convert_{}_sat_rtz", scalar(to))))
}

/// Conversions of storage floats' bits, by the functions that every device has. PoCL's are code that is not vectorised, where the
/// processor has an instruction.
fn storage(from: Scalar, to: Scalar) -> Vec<Callee> {
    let chosen = |native: &str, library: &str| {
        format!("#if defined(__clang__) && defined(__F16C__)\n    {native};\n#else\n    {library};\n#endif")
    };
    let stored = |store: &str| format!("    ushort bits;\n{store}\n    return bits;");
    let store = "vstore_half_rte(value, 0, (__private half *)&bits)";
    let (name, body) = match from {
        Scalar::F16 => {
            let given = "(const __private half *)&value";
            let native = format!("return __builtin_load_halff({given})");
            ("okl_float_of_half", chosen(&native, &format!("return vload_half(0, {given})")))
        }
        Scalar::F64 => ("okl_half_of_double", stored(&format!("    {store};"))),
        _ => ("okl_half_of_float", stored(&chosen("__builtin_store_halff(value, (__private half *)&bits)", store))),
    };
    let (result, given) = (scalar(to), scalar(from));
    vec![Callee::helper(name, format!("static inline {result} {name}({given} value) {{\n{body}\n}}"))]
}

/// One function per operation, type (of 32 or 64 bits: the language lets no other be updated) and address space: the device's own where there is one, else a loop that compares
/// and swaps. `extended`: the device has the second set of 64-bit updates.
fn atomic(op: AtomicOp, operand: Scalar, space: AddressSpace, extended: bool) -> Callee {
    let ty = scalar(operand);
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
        AtomicOp::CompareExchange => return compare_exchange(operand, space),
    };
    let name = format!("okl_atomic_{stem}_{ty}_{}", space.name());
    let qualifier = self::space(space);
    let head = format!("static inline {ty} {name}({qualifier}{ty} *at, {ty} value) {{");
    let (body, extension) = match (space, native(op, operand, extended)) {
        // Nobody else sees an item's own memory.
        (AddressSpace::Private, _) => (format!("    const {ty} old = *at;\n    *at = {next};\n    return old;"), None),
        (_, Some((call, extension))) => (format!("    return {call};"), extension),
        (_, None) => (compare_and_swap(operand, qualifier, next), (operand.bytes() == 8).then_some(BASE_ATOMICS)),
    };
    Callee { extension, ..Callee::helper(name, format!("{head}\n{body}\n}}")) }
}

/// `atomic_cas`: bits are compared.
fn compare_exchange(operand: Scalar, space: AddressSpace) -> Callee {
    let (ty, qualifier) = (scalar(operand), self::space(space));
    let name = format!("okl_atomic_cas_{ty}_{}", space.name());
    let (word, swap, extension) = match operand.bytes() {
        8 => ("ulong", "atom_cmpxchg", Some(BASE_ATOMICS)),
        _ => ("uint", "atomic_cmpxchg", None),
    };
    let head = format!("static inline {ty} {name}({qualifier}{ty} *at, {ty} expected, {ty} value) {{");
    let (body, extension) = match space {
        // Nobody else sees an item's own memory.
        AddressSpace::Private => (
            format!(
                "    const {ty} old = *at;\n    if (as_{word}(old) == as_{word}(expected)) {{ *at = value; }}\n    return old;"
            ),
            None,
        ),
        _ => {
            let swap = format!("{swap}((volatile {qualifier}{word} *)at, as_{word}(expected), as_{word}(value))");
            (format!("    return as_{ty}({swap});"), extension)
        }
    };
    Callee { extension, ..Callee::helper(name, format!("{head}\n{body}\n}}")) }
}

/// The device's own update, where there is one for the type, and the extension that it belongs to.
fn native(op: AtomicOp, operand: Scalar, extended: bool) -> Option<(String, Option<&'static str>)> {
    let (function, is_extended) = match op {
        AtomicOp::Add => ("add", false),
        AtomicOp::Sub => ("sub", false),
        AtomicOp::Exchange => ("xchg", false),
        AtomicOp::Min => ("min", true),
        AtomicOp::Max => ("max", true),
        AtomicOp::And => ("and", true),
        AtomicOp::Or => ("or", true),
        AtomicOp::Xor => ("xor", true),
        AtomicOp::Mul | AtomicOp::Div | AtomicOp::CompareExchange => return None,
    };
    match operand {
        Scalar::I32 | Scalar::U32 => Some((format!("atomic_{function}(at, value)"), None)),
        Scalar::I64 | Scalar::U64 if extended || !is_extended => {
            let extension = if is_extended { EXTENDED_ATOMICS } else { BASE_ATOMICS };
            Some((format!("atom_{function}(at, value)"), Some(extension)))
        }
        Scalar::F32 if op == AtomicOp::Exchange => Some(("atomic_xchg(at, value)".into(), None)),
        _ => None,
    }
}

/// Compares and swaps the bits of the value.
fn compare_and_swap(operand: Scalar, qualifier: &str, next: &str) -> String {
    let ty = scalar(operand);
    let (word, swap) = if operand.bytes() == 8 { ("ulong", "atom_cmpxchg") } else { ("uint", "atomic_cmpxchg") };
    format!(
        "    volatile {qualifier}{word} *const word = (volatile {qualifier}{word} *)at;\n    \
         {word} seen = *word, expected;\n    {ty} old, next;\n    do {{\n        expected = seen;\n        \
         old = as_{ty}(seen);\n        next = {next};\n        seen = {swap}(word, expected, as_{word}(next));\n    \
         }} while (seen != expected);\n    return old;"
    )
}
