//! Words of the language, and words of its relatives that it refuses.

use crate::ir::{Scalar, Struct};

/// Words that mean something to the parser, besides those of built-in types.
#[rustfmt::skip]
pub(crate) const KEYWORDS: &[&str] = &[
    "break", "case", "const", "continue", "default", "do", "else", "enum", "extern", "for", "if", "inline",
    "register", "restrict", "return", "sizeof", "static", "struct", "switch", "typedef", "volatile", "while",
    "true", "false", "constexpr", "static_cast", "auto", "namespace", "using", "template", "typename", "static_assert",
    "_Static_assert",
];

/// Words that make up built-in types.
pub(crate) const TYPE_WORDS: &[&str] =
    &["void", "bool", "_Bool", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "_Complex"];

/// Words that are no names, refused ones included.
pub(super) fn is_reserved(word: &str) -> bool {
    KEYWORDS.contains(&word)
        || is_builtin_type_word(word)
        || is_restrict(word)
        || is_storage(word)
        || refused(word).is_some()
}

/// Words that make up built-in types.
pub(super) fn is_builtin_type_word(word: &str) -> bool {
    TYPE_WORDS.contains(&word)
}

/// Words without a meaning for a kernel, which are read over.
pub(super) fn is_storage(word: &str) -> bool {
    matches!(word, "static" | "extern" | "inline" | "register" | "__inline" | "__inline__" | "__forceinline__")
}

/// Qualifiers of CUDA and OpenCL: refused, but what follows is read as the declaration that it is.
pub(super) fn is_foreign_qualifier(word: &str) -> bool {
    matches!(
        word,
        "__global__"
            | "__device__"
            | "__host__"
            | "__constant__"
            | "__shared__"
            | "__kernel"
            | "__global"
            | "__local"
            | "__private"
    )
}

/// C's `restrict` in its spellings.
pub(super) fn is_restrict(word: &str) -> bool {
    matches!(word, "restrict" | "__restrict" | "__restrict__")
}

/// Names that are types unless the source declares them: `int32_t`, `half`, `float4`.
pub(super) fn is_predefined_type(name: &str) -> bool {
    Scalar::of_name(name).is_some() || Struct::vector_of_name(name).is_some() || complex_of_name(name).is_some()
}

/// The types of complex numbers that are one word, with the type of their parts.
pub(crate) const COMPLEX_TYPES: [(&str, Scalar); 2] = [("complex64", Scalar::F32), ("complex128", Scalar::F64)];

/// The type of a complex type's parts.
pub(crate) fn complex_of_name(name: &str) -> Option<Scalar> {
    COMPLEX_TYPES.iter().find(|of| of.0 == name).map(|of| of.1)
}

/// `float8`, `int16`: OpenCL's larger vector types.
pub(super) fn is_large_vector_type(name: &str) -> bool {
    let base = name.strip_suffix('8').or_else(|| name.strip_suffix("16"));
    base.is_some_and(|base| Struct::vector_of_name(&format!("{base}4")).is_some())
}

/// For a word that OKL refuses: what it belongs to (`… are`, `… is`), and what to do instead.
pub(super) fn refused(word: &str) -> Option<(&'static str, &'static str)> {
    Some(match word {
        "class" => ("classes are", "use a `struct` of plain fields and functions that take it"),
        "public" | "private" | "protected" | "virtual" | "friend" | "mutable" | "explicit" | "this" => {
            ("classes are", "use a `struct` of plain fields")
        }
        "concept" | "requires" => ("concepts are", "leave them out: a template is checked where it is used"),
        "new" | "delete" => ("dynamic memory is", "use local, `@shared` or `@exclusive` arrays of a fixed size"),
        "goto" => ("jumps are", "use loops with `break` and `continue`, or `return`"),
        "union" => ("unions are", "use a `struct`, or separate variables"),
        "asm" | "__asm__" | "__asm" => ("assembly is", "write it in C: one source serves every device"),
        "try" | "catch" | "throw" | "noexcept" => ("exceptions are", "write an error code to memory"),
        "operator" => ("operator overloading is", "write a function"),
        "decltype" | "__auto_type" | "typeof" | "__typeof__" => ("type deduction is", "name the type"),
        "dynamic_cast" | "reinterpret_cast" | "const_cast" => ("this cast is", "use `(T) x` for numbers"),
        "_Imaginary" => ("types of imaginary numbers are", "use `_Complex`: its real part may be 0"),
        "_Generic" => ("generic selections are", "call the function by its name"),
        "_Atomic" => ("atomic types are", "mark the update: `@atomic x += 1;`"),
        "_Thread_local" | "thread_local" => ("thread-local variables are", "use `@exclusive`"),
        "_Alignas" | "alignas" | "_Alignof" | "alignof" | "__attribute__" | "__declspec" => {
            ("compiler attributes and alignment are", "leave it out")
        }
        "__global__" => ("CUDA's qualifiers are", "mark the kernel with `@kernel`"),
        "__device__" | "__host__" | "__constant__" => ("CUDA's qualifiers are", "leave it out"),
        "__shared__" => ("CUDA's qualifiers are", "mark the array with `@shared`"),
        "__syncthreads" => ("CUDA's barrier is", "write `@barrier;`"),
        "__kernel" | "__global" | "__local" | "__private" => {
            ("OpenCL's qualifiers are", "use `@kernel`, `@shared` and `@exclusive`")
        }
        _ => return None,
    })
}
