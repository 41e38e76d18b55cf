//! Whatever tokens a source has, lowering ends, does not panic, and what it accepts keeps the rules of the IR.
//!
//! The inputs are kernels that use the whole language, with tokens dropped, doubled, exchanged or taken from elsewhere:
//! most of them parse, and many are wrong in ways that nobody would write down.

use okl::{NoIncludes, Request, ir, to_ir, valid};
use proptest::prelude::*;

const CORPUS: &[&str] = &[
    include_str!("lower/expressions.okl"),
    include_str!("lower/loops.okl"),
];

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
    let request = Request {
        name: "t.okl",
        source,
        mode: "Serial",
        defines: &[],
        includes: &NoIncludes,
    };
    if let Ok((module, ..)) = to_ir(&request)
        && let Err(rule) = valid::verify(&module)
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
        let request = Request {
            name: "t.okl",
            source,
            mode: "Serial",
            defines: &[],
            includes: &NoIncludes,
        };
        let (module, ..) = to_ir(&request).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(valid::verify(&module), Ok(()));
    }
}
