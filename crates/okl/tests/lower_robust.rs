//! Whatever tokens a source has, lowering ends, does not panic, and what it accepts keeps the rules of the IR.
//!
//! The inputs are kernels that use the whole language, with tokens dropped, doubled, exchanged or taken from elsewhere:
//! most of them parse, and many are wrong in ways that nobody would write down.

use okl::{NoIncludes, Request, ir, to_ir};
use proptest::prelude::*;

const CORPUS: &[&str] = &[include_str!("lower/expressions.okl"), include_str!("lower/loops.okl")];

/// Rough tokens: words, numbers and single signs, with the spaces before them.
fn tokens(source: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut last = ' ';
    for c in source.chars() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        let joins = is_word(c) && is_word(last)
            || (last == '#')
            || (c == '=' && "<>=!+-*/&|".contains(last))
            || (c == last && "+-&|<>".contains(c));
        match out.last_mut() {
            Some(token) if joins => token.push(c),
            _ => out.push(c.to_string()),
        }
        last = c;
    }
    out
}

fn compile(source: &str) {
    let request = Request { name: "t.okl", source, mode: "Serial", defines: &[], includes: &NoIncludes };
    let _ = okl::compile(&request, &okl::back::cpu::CpuTarget);
    if let Ok((module, ..)) = to_ir(&request)
        && let Err(rule) = ir::verify(&module)
    {
        panic!("{rule}\n{source}\n{}", ir::dump(&module));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 2000, ..ProptestConfig::default() })]

    #[test]
    fn mutated_kernels_are_refused_or_lowered_by_the_rules(
        which in 0..CORPUS.len(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..4u8), 1..6),
    ) {
        let mut list = tokens(CORPUS[which]);
        for (at, other, kind) in changes {
            let (at, other) = (at.index(list.len()), other.index(list.len()));
            match kind {
                0 => { list.remove(at); }
                1 => { let token = list[at].clone(); list.insert(at, token); }
                2 => list.swap(at, other),
                _ => list[at] = list[other].clone(),
            }
        }
        compile(&list.concat());
    }
}

#[test]
fn the_corpus_itself_is_accepted() {
    for source in CORPUS {
        let request = Request { name: "t.okl", source, mode: "Serial", defines: &[], includes: &NoIncludes };
        let (module, ..) = to_ir(&request).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(ir::verify(&module), Ok(()));
    }
}

/// A kernel whose innermost loop holds `body`.
fn kernel(body: &str) -> String {
    format!(
        "@kernel void k(const int n, double *a) {{ for (int o = 0; o < n; ++o; @outer) {{ @shared double s[4];
           for (int i = 0; i < 4; ++i; @inner) {{ {body} }} }} }}"
    )
}

#[test]
fn deep_and_long_input_ends() {
    let deep = |open: &str, middle: &str, close: &str, count: usize| {
        kernel(&format!("{}{middle}{}", open.repeat(count), close.repeat(count)))
    };
    for count in [50, 200, 400, 5000] {
        compile(&deep("(", "a[0]", ")", count).replace("a[0]", "a[i] + 1"));
        compile(&deep("if (n > 1) { a[i] += 1; ", "@barrier;", "}", count));
        compile(&deep("for (int t = 0; t < n; ++t) { ", "s[i] = t; @barrier;", "}", count));
        compile(&deep("{", "a[i] = 1;", "}", count));
        compile(&deep("a[i] = ", "1", "", count).replace("1 }", "1; }"));
        compile(&kernel(&format!("double x = a[i]{};", " + a[i]".repeat(count))));
        compile(&kernel(&format!("double x = i > 0{} ? 1 : 2;", " && a[i] > 0".repeat(count))));
        compile(&kernel(&format!("int x = {}1;", "-".repeat(count).replace("--", "- -"))));
        compile(&kernel(&format!("int x[3] = {}1{};", "{".repeat(count), "}".repeat(count))));
        compile(&kernel(&format!("int x = i; {}", "x = x + x * 2;".repeat(count))));
        compile(&kernel(&format!("if (i == 0) a[0] = 1; {} a[0] = 2;", "else if (i == n) a[i] = 1; ".repeat(count))));
        compile(&kernel(&format!(
            "double x = 0; {} a[i] = x;",
            "s[i] = x; @barrier; x += s[3 - i];".repeat(count.min(400))
        )));
    }
    let mut doubling = "const int x0 = n;".to_owned();
    for step in 1..200 {
        doubling += &format!("const int x{step} = x{} + x{};", step - 1, step - 1);
    }
    compile(&kernel(&format!("{doubling} @barrier; a[i] = x199;")));
    let leaving = "if (o == n) continue; ".repeat(2000);
    compile(&format!(
        "@kernel void k(const int n, double *a) {{ for (int o = 0; o < n; ++o; @outer) {{ {leaving}
           for (int i = 0; i < 4; ++i; @inner) a[i] = 1; }} }}"
    ));
}
