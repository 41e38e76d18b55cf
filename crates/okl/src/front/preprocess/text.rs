//! Tokens back to text: for tests, and for whoever compares sources that differ in nothing.

use crate::front::lex::{Lexer, Token};

/// The tokens as text that lexes to the same tokens: lines as in the source, one space where there was any blank.
pub fn to_text(tokens: &[Token]) -> String {
    let mut out = String::new();
    let mut previous = String::new();
    for token in tokens {
        let text = token.text();
        if !out.is_empty() {
            if token.line_start {
                out.push('\n');
            } else if token.space_before || would_join(&previous, &text) {
                out.push(' ');
            }
        }
        out.push_str(&text);
        previous.clear();
        previous.push_str(&text);
    }
    out
}

/// Whether two neighbours, written without a gap, would lex to something else.
fn would_join(left: &str, right: &str) -> bool {
    let mut lexer = Lexer::new(format!("{left}{right}"), 0);
    lexer.next().is_none_or(|token| *token.text() != *left)
}
