//! Names of namespaces: `A::x`, `namespace A { … }`, `using`. What is declared at file scope gets its whole name here
//! (`A::B::x`), and so does each use, so that nobody else knows of namespaces.

use super::{NameKind, Parsed, Parser, words};
use crate::front::ast::{Ident, Item, Typedef};
use crate::front::lex::{Punct, Token};
use std::sync::Arc;

/// What a name as written stands for.
pub(super) struct Resolved {
    /// The whole name.
    pub(super) name: Arc<str>,
    /// What it is; unknown names are nothing.
    pub(super) kind: Option<NameKind>,
    /// Tokens that it takes.
    pub(super) tokens: usize,
}

/// `A::x`
fn join(namespace: &str, name: &str) -> String {
    if namespace.is_empty() { name.to_owned() } else { format!("{namespace}::{name}") }
}

impl Parser<'_> {
    /// The name that stands `ahead` tokens from here, with what it stands for.
    pub(super) fn name_at(&self, ahead: usize) -> Option<Resolved> {
        let global = usize::from(self.at_after(ahead, Punct::ColonColon));
        let first = self.peek_at(ahead + global)?.name()?;
        let mut tokens = 1 + global;
        if !self.at_after(ahead + tokens, Punct::ColonColon) {
            let (name, kind) = self.resolve(first);
            return Some(Resolved { name, kind, tokens });
        }
        let mut written = first.to_string();
        while self.at_after(ahead + tokens, Punct::ColonColon)
            && let Some(next) = self.peek_at(ahead + tokens + 1).and_then(Token::name)
        {
            written = join(&written, next);
            tokens += 2;
        }
        let (name, kind) = self.resolve(&written);
        // C's functions and types are in `std` too, unless the source has a namespace of that name.
        let name = match name.strip_prefix("std::") {
            Some(plain) if kind.is_none() => return Some(Resolved { name: plain.into(), kind: None, tokens }),
            _ => name,
        };
        Some(Resolved { name, kind, tokens })
    }

    /// The whole name that `written` stands for, and what it is. Innermost scopes win, then the namespaces around.
    pub(super) fn resolve(&self, written: &str) -> (Arc<str>, Option<NameKind>) {
        let of = |name: &str| {
            let locals = self.scopes.iter().skip(1).rev();
            locals.chain(self.scopes.first()).find_map(|scope| scope.get_key_value(name).map(|(n, k)| (n.clone(), *k)))
        };
        let is_plain = self.namespaces.is_empty() && self.usings.is_empty();
        if let Some((name, kind)) = self.scopes.iter().skip(1).rev().find_map(|scope| scope.get_key_value(written)) {
            return (name.clone(), Some(*kind));
        }
        if let Some(kind) = self.template_names.iter().rev().find(|(name, _)| &**name == written).map(|of| of.1) {
            return (written.into(), Some(kind));
        }
        if !is_plain {
            for depth in (0..=self.namespaces.len()).rev() {
                if let Some((name, kind)) = of(&join(&self.namespaces[..depth].join("::"), written)) {
                    return (name, Some(kind));
                }
            }
            let (head, rest) = written.split_once("::").map_or((written, None), |(head, rest)| (head, Some(rest)));
            for (_, alias, whole) in self.usings.iter().rev() {
                let candidate = match (alias, rest) {
                    (None, _) => join(whole, written),
                    (Some(alias), None) if alias == head => whole.clone(),
                    (Some(alias), Some(rest)) if alias == head => join(whole, rest),
                    _ => continue,
                };
                if let Some((name, kind)) = of(&candidate) {
                    return (name, Some(kind));
                }
            }
        }
        match of(written) {
            Some((name, kind)) => (name, Some(kind)),
            None => (written.into(), None),
        }
    }

    /// Declares a name where it stands; at file scope it gets its whole name.
    pub(super) fn declare_ident(&mut self, ident: &mut Ident, kind: NameKind) {
        if self.scopes.len() == 1 && !self.namespaces.is_empty() {
            ident.name = join(&self.namespaces.join("::"), &ident.name);
        }
        self.declare(&ident.name, kind);
    }

    /// Where `namespace` stands.
    pub(super) fn namespace(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        self.bump();
        if self.at(Punct::LeftBrace) {
            // What has no namespace's name is seen from everywhere in the file.
            return self.namespace_body(0, items);
        }
        let first = self.expect_ident("the namespace's name")?;
        if self.eat(Punct::Assign) {
            let target = self.whole_namespace()?;
            self.usings.push((self.scopes.len(), Some(first.name), target));
            self.expect(Punct::Semicolon, "after the namespace's other name")?;
            return Ok(());
        }
        self.namespaces.push(first.name);
        let mut names = 1;
        while self.eat(Punct::ColonColon) {
            let name = self.expect_ident("the namespace's name")?;
            self.namespaces.push(name.name);
            names += 1;
        }
        if !self.at(Punct::LeftBrace) {
            self.namespaces.truncate(self.namespaces.len() - names);
            return self.unexpected("`{` after the namespace's name");
        }
        self.namespace_body(names, items)
    }

    /// `{ items }`; leaves `names` namespaces.
    fn namespace_body(&mut self, names: usize, items: &mut Vec<Item>) -> Parsed<()> {
        let whole = self.namespaces.join("::");
        self.known_namespaces.insert(whole);
        self.bump();
        let open = self.previous();
        let result = self.nested(|parser| {
            while !parser.at(Punct::RightBrace) && !parser.at_end() {
                parser.recovering_item(items);
            }
            parser.close(Punct::RightBrace, open)
        });
        self.namespaces.truncate(self.namespaces.len() - names);
        result.map(drop)
    }

    /// The whole name of the namespace that is named here.
    fn whole_namespace(&mut self) -> Parsed<String> {
        let mut written = self.expect_ident("the namespace's name")?;
        while self.eat(Punct::ColonColon) {
            let name = self.expect_ident("the namespace's name")?;
            written = Ident { name: join(&written.name, &name.name), span: written.span.to(name.span) };
        }
        let around = (0..=self.namespaces.len()).rev().map(|depth| self.namespaces[..depth].join("::"));
        let found = around.map(|outer| join(&outer, &written.name)).find(|name| self.known_namespaces.contains(name));
        match found {
            Some(name) => Ok(name),
            None if written.name == "std" => Ok(written.name),
            None => self.fail_at(written.span, format!("there is no namespace `{}` here", written.name)),
        }
    }

    /// Where `using` stands: `using namespace A;`, `using A::x;` or `using T = type;`.
    pub(super) fn using(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        let start = self.here();
        self.bump();
        if self.eat_word("namespace") {
            let name = self.whole_namespace()?;
            self.usings.push((self.scopes.len(), None, name));
        } else if self.at_after(1, Punct::Assign) {
            let mut name = self.expect_ident("the type's new name")?;
            self.bump();
            let ty = self.type_name()?;
            if self.template.is_some() {
                return self.refuse(
                    self.since(start),
                    "templates of type names are not in OKL",
                    "name the type itself",
                );
            }
            self.declare_ident(&mut name, NameKind::Type);
            items.append(&mut self.hoisted);
            items.push(Item::Typedef(Typedef { name, ty, attributes: Vec::new(), span: self.since(start) }));
        } else {
            let here = self.here();
            match self.name_at(0) {
                Some(Resolved { name, kind: Some(_), tokens }) => {
                    let last = name.rsplit("::").next().unwrap_or_default().to_owned();
                    self.position += tokens;
                    self.usings.push((self.scopes.len(), Some(last), name.to_string()));
                }
                // Functions and types of C need no `using`.
                Some(Resolved { tokens, .. }) if self.at_word("std") => self.position += tokens,
                Some(Resolved { name, .. }) if !words::is_reserved(&name) => {
                    return self.fail_at(here, format!("`{name}` is not declared"));
                }
                _ => return self.unexpected("a name, `namespace` or a type's new name"),
            }
        }
        self.expect(Punct::Semicolon, "after `using`")?;
        Ok(())
    }
}
