//! Which parts of a file no kernel can reach. Headers that a kernel includes are often written for C++ and for the host too: what
//! OKL has not is refused where a kernel needs it, and is left out with a warning where none does.
//! Reach goes by words alone: a part reaches every part that declares a word which stands in it.

use super::super::lex::{Token, TokenKind};
use super::words;
use crate::Span;
use crate::front::ast::Item;
use std::collections::HashMap;
use std::ops::Range;

/// What stands at the outermost level of a file, or of a namespace: a function, a struct …
#[derive(Clone, Debug)]
pub struct Part {
    tokens: Range<usize>,
    /// What it declares, without namespaces.
    names: Vec<String>,
    /// It is a kernel, or declares nothing.
    is_root: bool,
}

impl Part {
    /// The part whose tokens became `items`; `failed` where some of it did not parse.
    pub(super) fn new(tokens: &[Token], range: Range<usize>, items: &[Item], failed: bool) -> Self {
        let own = &tokens[range.clone()];
        let mut names: Vec<String> = items.iter().flat_map(names_of).collect();
        if failed {
            names.extend(outer_names(own));
        }
        let is_kernel = |token: &Token| matches!(&token.kind, TokenKind::Attribute(name) if &**name == "kernel");
        Self { is_root: names.is_empty() || own.iter().any(is_kernel), tokens: range, names }
    }
}

fn names_of(item: &Item) -> Vec<String> {
    let names: Vec<&str> = match item {
        Item::Function(function) => vec![&function.name.name],
        Item::Struct(decl) => vec![&decl.name.name],
        Item::Typedef(typedef) => vec![&typedef.name.name],
        Item::Enum(decl) => {
            decl.name.iter().chain(decl.enumerators.iter().map(|of| &of.0)).map(|of| &*of.name).collect()
        }
        Item::Global(declaration) => declaration.declarators.iter().map(|of| &*of.name.name).collect(),
        Item::StaticAssert { .. } => Vec::new(),
    };
    names.into_iter().map(|name| name.rsplit("::").next().unwrap_or(name).to_owned()).collect()
}

/// The words outside of all brackets, one of which is the name.
fn outer_names(tokens: &[Token]) -> Vec<String> {
    let mut depth = 0usize;
    let mut names = Vec::new();
    for token in tokens {
        match token.kind {
            TokenKind::Punct(punct) if punct.opens() => depth += 1,
            TokenKind::Punct(punct) if punct.closes() => depth = depth.saturating_sub(1),
            TokenKind::Name(ref name) if depth == 0 && !words::is_reserved(name) => names.push(name.to_string()),
            _ => {}
        }
    }
    names
}

/// The first and last place of each part that no kernel reaches.
pub(crate) fn unreached(tokens: &[Token], parts: &[Part]) -> Vec<(Span, Span)> {
    let mut declared: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, part) in parts.iter().enumerate() {
        part.names.iter().for_each(|name| declared.entry(name).or_default().push(index));
    }
    let mut is_reached: Vec<bool> = parts.iter().map(|part| part.is_root).collect();
    let mut open: Vec<usize> = (0..parts.len()).filter(|&index| is_reached[index]).collect();
    while let Some(index) = open.pop() {
        for word in tokens[parts[index].tokens.clone()].iter().filter_map(Token::name) {
            for &next in declared.get(&**word).into_iter().flatten() {
                if !std::mem::replace(&mut is_reached[next], true) {
                    open.push(next);
                }
            }
        }
    }
    let left = parts.iter().zip(is_reached).filter(|(_, is_reached)| !is_reached);
    left.filter_map(|(part, _)| {
        let own = &tokens[part.tokens.clone()];
        Some((own.first()?.span, own.last()?.span))
    })
    .collect()
}
