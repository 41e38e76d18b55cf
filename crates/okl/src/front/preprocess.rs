//! Stub head; see the issue.
use super::lex::{Lexer, Token};
use crate::compile::{IncludeRecord, Request};
use crate::{Diagnostic, SourceMap};

/// The token stream after preprocessing.
pub struct Preprocessed {
    /// Tokens without directives and macros.
    pub tokens: Vec<Token>,
    /// Files that were included.
    pub includes: Vec<IncludeRecord>,
}

/// Runs the preprocessor.
pub fn preprocess(
    request: &Request<'_>,
    map: &mut SourceMap,
    _found: &mut Vec<Diagnostic>,
) -> Preprocessed {
    let file = map.add(request.name, request.source);
    Preprocessed {
        tokens: Lexer::new(request.source, file).collect(),
        includes: Vec::new(),
    }
}
