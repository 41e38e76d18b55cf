//! Stub head; see the issue.
use super::lex::Token;
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
pub fn preprocess(_request: &Request<'_>, _map: &mut SourceMap, _found: &mut Vec<Diagnostic>) -> Preprocessed {
    todo!()
}
