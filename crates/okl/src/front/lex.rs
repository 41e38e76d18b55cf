//! Tokens.
/// A token.
#[derive(Clone, Debug)]
pub struct Token;
