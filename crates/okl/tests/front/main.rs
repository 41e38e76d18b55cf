//! The front end: text to tokens to tree, and what it says about bad input.

mod diagnostics;
mod literals;
mod parse;
mod preprocess;
mod print;
mod random;

use okl::front::{ast::Unit, parse as parser, preprocess as preprocessor};
use okl::{Diagnostics, Includes, Request, SourceMap};
use std::collections::HashMap;

/// Files in memory.
#[derive(Default)]
struct Files(HashMap<&'static str, String>);

impl Files {
    fn of(files: &[(&'static str, &str)]) -> Self {
        Self(
            files
                .iter()
                .map(|&(name, text)| (name, text.to_owned()))
                .collect(),
        )
    }
}

impl Includes for Files {
    fn read(&self, name: &str, _angled: bool, _from: &str) -> Result<(String, String), String> {
        self.0
            .get(name)
            .map(|text| (name.to_owned(), text.clone()))
            .ok_or_else(|| "there is no such file".to_owned())
    }
}

/// One run of the front end.
struct Run {
    text: String,
    unit: Unit,
    found: Diagnostics,
    includes: Vec<String>,
}

/// Preprocesses and parses `source`, named `k.okl`.
fn run(source: &str, mode: &str, defines: &[(&str, &str)], files: &Files) -> Run {
    let defines: Vec<_> = defines
        .iter()
        .map(|&(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let request = Request {
        name: "k.okl",
        source,
        mode,
        defines: &defines,
        includes: files,
    };
    let (mut map, mut list) = (SourceMap::default(), Vec::new());
    let preprocessed = preprocessor::preprocess(&request, &mut map, &mut list);
    let text = preprocessor::to_text(&preprocessed.tokens);
    let unit = parser::parse(&preprocessed.tokens, &mut list);
    let includes = preprocessed
        .includes
        .into_iter()
        .map(|record| record.path)
        .collect();
    Run {
        text,
        unit,
        found: Diagnostics { list, map },
        includes,
    }
}

/// The findings of the preprocessor alone.
fn preprocess_only(
    source: &str,
    mode: &str,
    defines: &[(&str, &str)],
    files: &Files,
) -> (String, Vec<String>, Diagnostics) {
    let defines: Vec<_> = defines
        .iter()
        .map(|&(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let request = Request {
        name: "k.okl",
        source,
        mode,
        defines: &defines,
        includes: files,
    };
    let (mut map, mut list) = (SourceMap::default(), Vec::new());
    let preprocessed = preprocessor::preprocess(&request, &mut map, &mut list);
    let includes = preprocessed
        .includes
        .into_iter()
        .map(|record| record.path)
        .collect();
    (
        preprocessor::to_text(&preprocessed.tokens),
        includes,
        Diagnostics { list, map },
    )
}
