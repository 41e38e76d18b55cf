//! Our own elementary functions, where there is one: compilers make no vector of a loop that calls the C library.
//!
//! They stand in `math/*.c`, one definition a paragraph; a text has those that it uses, and those that they use. They are
//! made of operations that every compiler and processor rounds alike, so that their bits are the same everywhere.

use crate::back::c_family::Callee;
use crate::ir::{MathFn, Scalar};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

const TEXTS: [&str; 6] = [
    include_str!("math/basic.c"),
    include_str!("math/exponential.c"),
    include_str!("math/logarithm.c"),
    include_str!("math/trigonometric.c"),
    include_str!("math/inverse.c"),
    include_str!("math/special.c"),
];

/// A paragraph of the library.
struct Definition {
    /// Its place among all.
    at: usize,
    text: &'static str,
    /// Names that it uses.
    uses: Vec<&'static str>,
}

/// How a function on operands of a type is called, if it is one of ours.
pub(super) fn callee(function: MathFn, operand: Scalar) -> Option<Callee> {
    named(&format!("{}_{}", function.name(), suffix(operand)?))
}

/// The version for angles that are no larger than they usually are, which has no branch, and the function that tells whether
/// one is larger.
pub(super) fn common(function: MathFn, operand: Scalar) -> Option<[Callee; 2]> {
    let ty = suffix(operand)?;
    Some([named(&format!("near_{}_{ty}", function.name()))?, named(&format!("is_far_{ty}"))?])
}

/// Whether an emitted text computes elementary functions by our own definitions.
pub fn has_elementary_functions(text: &str) -> bool {
    let [_basic, functions @ ..] = TEXTS;
    let paragraphs = functions.iter().flat_map(|functions| functions.split("\n\n"));
    paragraphs.map(|paragraph| paragraph.trim_matches('\n')).any(|definition| text.contains(definition))
}

fn suffix(operand: Scalar) -> Option<&'static str> {
    match operand {
        Scalar::F32 => Some("f32"),
        Scalar::F64 => Some("f64"),
        _ => None,
    }
}

fn named(stem: &str) -> Option<Callee> {
    let name = format!("okl_{stem}");
    library().contains_key(name.as_str()).then(|| {
        let definitions = definitions(&name);
        Callee::defined(name, definitions)
    })
}

/// The definitions that a function needs, its own among them.
fn definitions(name: &str) -> Vec<(usize, &'static str)> {
    let mut wanted = vec![name];
    let mut found = BTreeMap::new();
    while let Some(name) = wanted.pop() {
        let Some(definition) = library().get(name) else { unreachable!("`{name}` is not in the library") };
        if found.insert(definition.at, definition.text).is_none() {
            wanted.extend(&definition.uses);
        }
    }
    found.into_iter().collect()
}

fn library() -> &'static BTreeMap<&'static str, Definition> {
    static LIBRARY: OnceLock<BTreeMap<&'static str, Definition>> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let paragraphs = TEXTS.iter().flat_map(|text| text.split("\n\n")).map(|paragraph| paragraph.trim_matches('\n'));
        let mut library = BTreeMap::new();
        for (at, text) in paragraphs.enumerate() {
            let Some(name) = defined(text) else { continue };
            let uses: BTreeSet<&str> = words(text).filter(|word| *word != name && library.contains_key(word)).collect();
            library.insert(name, Definition { at, text, uses: uses.into_iter().collect() });
        }
        library
    })
}

/// The name that a paragraph defines; one of comments alone defines none.
fn defined(paragraph: &'static str) -> Option<&'static str> {
    let head = paragraph.lines().find(|line| !line.starts_with("//"))?;
    let head = head.strip_prefix("__attribute__((noinline)) ").unwrap_or(head);
    head.split(['(', '[', '{']).next()?.split_ascii_whitespace().last()
}

/// The words of a paragraph's code that begin as ours do.
fn words(paragraph: &'static str) -> impl Iterator<Item = &'static str> {
    let code = paragraph.lines().map(|line| line.split("//").next().unwrap_or_default());
    let words = code.flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_'));
    words.filter(|word| word.starts_with("okl_"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::lanes::is_of_vectors;

    #[test]
    fn every_definition_stands_behind_what_it_uses() {
        for (name, Definition { text, uses, .. }) in library() {
            for word in words(text).filter(|word| word != name) {
                assert!(uses.contains(&word), "`{name}` uses `{word}`, which is not defined before it");
            }
        }
    }

    #[test]
    fn passes_know_which_functions_are_ours() {
        for &function in MathFn::ALL {
            for operand in [Scalar::F32, Scalar::F64] {
                let is_ours = callee(function, operand).is_some();
                assert_eq!(is_of_vectors(function, operand), is_ours, "{} of {operand:?}", function.name());
            }
        }
    }

    #[test]
    fn a_text_tells_whether_it_has_elementary_functions() {
        let of = |expr: &str| {
            let source = format!(
                "@kernel void k(const int n, double *x) {{
                   for (int i = 0; i < n; ++i; @tile(64, @outer, @inner)) {{ x[i] = {expr}; }}
                 }}"
            );
            let request = crate::Request {
                name: "k",
                source: &source,
                mode: "Serial",
                defines: &[],
                includes: &crate::NoIncludes,
            };
            crate::compile(&request, &crate::back::cpu::CpuTarget).expect("it is correct").text
        };
        for (expr, has_functions) in
            [("exp(x[i])", true), ("pow(x[i], 2.5)", true), ("sqrt(x[i])", false), ("floor(x[i])", false)]
        {
            assert_eq!(has_elementary_functions(&of(expr)), has_functions, "{expr}");
        }
    }

    #[test]
    fn a_text_has_what_a_function_needs_and_nothing_else() {
        let names = |function, ty| {
            let callee = callee(function, ty).expect("it is one of ours");
            callee.definitions.iter().filter_map(|(_, text)| defined(text)).collect::<Vec<_>>()
        };
        let expected =
            ["okl_to_bits_f64", "okl_of_bits_f64", "okl_whole", "okl_power_of_two", "okl_exp2_brief", "okl_exp2_f32"];
        assert_eq!(names(MathFn::Exp2, Scalar::F32), expected);
        assert!(!names(MathFn::Pow, Scalar::F64).contains(&"okl_log_f64"));
        assert!(callee(MathFn::Tgamma, Scalar::F64).is_none() && callee(MathFn::Sqrt, Scalar::F32).is_none());
    }
}
