//! Tokens to tree.
use super::{ast::Unit, lex::Token};
use crate::Diagnostic;
/// Parses.
pub fn parse(_tokens: &[Token], _found: &mut Vec<Diagnostic>) -> Unit {
    todo!()
}
