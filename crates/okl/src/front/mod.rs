//! Text to syntax tree: [`lex`] → [`preprocess`] → [`parse`] → [`ast`].
//! Invariant: no input makes any of them panic or run without end; what is wrong is reported with a span.

pub mod ast;
mod goto;
pub mod lex;
pub mod parse;
pub mod preprocess;
