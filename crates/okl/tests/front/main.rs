//! The front end: text to tokens to tree, and what it says about bad input.

mod diagnostics;
mod literals;
mod parse;
mod preprocess;
mod print;
mod random;
#[path = "../support/mod.rs"]
mod support;

use okl::front::{ast::Unit, lex::Token, parse as parser, preprocess as preprocessor};
use okl::{Diagnostics, Includes, Request, SourceMap};
use std::collections::HashMap;

/// Files in memory.
#[derive(Default)]
struct Files(HashMap<&'static str, String>);

impl Files {
    fn of(files: &[(&'static str, &str)]) -> Self {
        Self(files.iter().map(|&(name, text)| (name, text.to_owned())).collect())
    }
}

impl Includes for Files {
    fn read(&self, name: &str, _angled: bool, _from: &str) -> Result<(String, String), String> {
        self.0.get(name).map(|text| (name.to_owned(), text.clone())).ok_or_else(|| "there is no such file".to_owned())
    }
}

/// What the preprocessor makes of a source.
struct Preprocessed {
    text: String,
    includes: Vec<String>,
    tokens: Vec<Token>,
    found: Diagnostics,
}

/// Preprocesses `source`, named `k.okl`.
fn preprocess_only(source: &str, mode: &str, defines: &[(&str, &str)], files: &Files) -> Preprocessed {
    let owned = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
    let defines: Vec<_> = defines.iter().map(owned).collect();
    let request = Request { name: "k.okl", source, mode, defines: &defines, includes: files };
    let (mut map, mut list) = (SourceMap::default(), Vec::new());
    let preprocessed = preprocessor::preprocess(&request, &mut map, &mut list);
    let text = preprocessor::to_text(&preprocessed.tokens);
    let includes = preprocessed.includes.into_iter().map(|record| record.path).collect();
    Preprocessed { text, includes, tokens: preprocessed.tokens, found: Diagnostics { list, map } }
}

/// What the front end makes of a source.
struct Run {
    unit: Unit,
    found: Diagnostics,
}

/// Preprocesses and parses `source`.
fn run(source: &str, mode: &str, defines: &[(&str, &str)], files: &Files) -> Run {
    let mut preprocessed = preprocess_only(source, mode, defines, files);
    let unit = parser::parse(&preprocessed.tokens, okl::lower::takes_arguments, &mut preprocessed.found.list);
    Run { unit, found: preprocessed.found }
}
