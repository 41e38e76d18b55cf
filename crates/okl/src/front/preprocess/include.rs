//! `#include`, and the definitions that come with the request.

use super::expand::Flow;
use super::hide::HideSet;
use super::{MAX_FILE_BYTES, MAX_INCLUDE_DEPTH, OpenFile, Preprocessor, Span, predefined, to_text, too_large};
use crate::Diagnostic;
use crate::compile::IncludeRecord;
use crate::front::lex::{Lexer, Punct, Token, TokenKind};
use crate::rules;
use std::fmt::Write as _;

impl Preprocessor<'_> {
    /// Opens the definitions of the request as a file of `#define` lines, so that findings can show them.
    pub(super) fn open_props(&mut self) {
        if self.request.defines.is_empty() {
            return;
        }
        let mut text = String::new();
        let mut bad = Vec::new();
        for (name, value) in self.request.defines {
            let one_line = |text: &str| text.replace(['\n', '\r'], " ");
            let (name, value) = (one_line(name), one_line(value));
            if is_definable(&name) {
                let _ = writeln!(text, "#define {name} {value}");
            } else {
                // A comment shows the definition and makes none.
                text.push_str("// ");
                let start = text.len() as u32;
                let _ = writeln!(text, "{name} {value}");
                bad.push((start, start + name.len() as u32, name));
            }
        }
        let file = self.map.add("<property defines>", text.clone());
        for (start, end, name) in bad {
            let span = Span { file, start, end, expansion: 0 };
            let message = format!("the property `defines` holds `{name}`, which is not a macro name");
            let finding = Diagnostic::error(rules::MACRO_DEFINITION, span, message);
            self.report(finding.hint("a macro is named `NAME`, or `NAME(x, y)` with parameters"));
        }
        self.files.push(OpenFile::new(&text, file, false));
    }

    /// `#include`, from behind the word on.
    pub(super) fn include(&mut self, line: &[Token], directive: Span) {
        let direct = self.header_name(line);
        let header = match direct {
            Some(header) => Some(header),
            None => {
                let flows =
                    line.iter().map(|token| Flow { token: token.clone(), hidden: HideSet::default() }).collect();
                let tokens: Vec<Token> = self.expand_list(flows, 0).into_iter().map(|flow| flow.token).collect();
                expanded_header_name(&tokens)
            }
        };
        let Some((name, angled)) = header else {
            let span = line.first().map_or(directive, |token| token.span);
            let finding = Diagnostic::error(rules::BAD_DIRECTIVE, span, "expected a file name");
            self.report(finding.hint("write `#include \"file\"` or `#include <file>`"));
            return;
        };
        let span = line.first().zip(line.last()).map_or(directive, |(first, last)| first.span.to(last.span));
        if self.collecting {
            self.report(Diagnostic::error(
                rules::INCLUDE,
                span,
                "a file cannot be included within the arguments of a macro",
            ));
            return;
        }
        self.open_include(&name, angled, span);
    }

    /// `"name"` or `<name>` as it stands in the file.
    fn header_name(&self, line: &[Token]) -> Option<(String, bool)> {
        let first = line.first()?;
        if let TokenKind::String(text) = &first.kind {
            return Some((text[1..text.len() - 1].to_owned(), false));
        }
        let last = line.iter().rfind(|token| token.is(Punct::Greater))?;
        let name = Span { start: first.span.end, end: last.span.start, ..first.span };
        first.is(Punct::Less).then(|| (self.map.text(name).to_owned(), true))
    }

    fn open_include(&mut self, name: &str, angled: bool, span: Span) {
        let from =
            self.files.last().and_then(|file| self.map.files.get(file.file as usize)).map_or("", |file| &file.name);
        let (path, text, internal) = match self.request.includes.read(name, angled, from) {
            Ok((path, text)) => (path, text, false),
            Err(reason) => match predefined::header(name).filter(|_| angled) {
                Some(text) => (format!("<{name}>"), text.to_owned(), true),
                None => {
                    self.report(Diagnostic::error(rules::INCLUDE, span, format!("cannot include `{name}`: {reason}")));
                    return;
                }
            },
        };
        let known = self.opened.get(&path).copied();
        if known.is_some_and(|file| self.once.contains(&file)) {
            return;
        }
        if self.files.len() > MAX_INCLUDE_DEPTH {
            self.too_deep(&path, known, span);
            return;
        }
        if text.len() > MAX_FILE_BYTES {
            self.report(too_large(span, &path));
            return;
        }
        let file = known.unwrap_or_else(|| {
            let file = self.map.add(path.clone(), text.clone());
            self.max_work = self.max_work.saturating_add(u32::try_from(text.len()).unwrap_or(u32::MAX));
            self.opened.insert(path.clone(), file);
            if !internal {
                self.includes.push(IncludeRecord { path, text: text.clone() });
            }
            file
        });
        self.files.push(OpenFile::new(&text, file, internal));
    }

    /// Stops everything: two includes of itself in a file would otherwise take for ever.
    fn too_deep(&mut self, path: &str, known: Option<u32>, span: Span) {
        let is_cycle = known.is_some_and(|known| self.files.iter().any(|file| file.file == known));
        let finding = if is_cycle {
            let cycle: Vec<&str> = self
                .files
                .iter()
                .rev()
                .map(|file| (file.file, self.map.files.get(file.file as usize).map_or("", |file| &file.name)))
                .scan(false, |done, (file, name)| {
                    (!std::mem::replace(done, *done || Some(file) == known)).then_some(name)
                })
                .collect();
            let way: Vec<String> = cycle.iter().rev().chain([&path]).map(|name| format!("`{name}`")).collect();
            Diagnostic::error(
                rules::INCLUDE,
                span,
                format!("files include each other without end: {}", way.join(" → ")),
            )
            .hint("put `#pragma once` at the beginning of the included file")
        } else {
            Diagnostic::error(
                rules::LIMIT,
                span,
                format!("files include files more than {MAX_INCLUDE_DEPTH} levels deep"),
            )
        };
        self.give_up(finding);
    }
}

/// `NAME` or `NAME(x, y)`, and nothing else.
fn is_definable(name: &str) -> bool {
    let tokens: Vec<Token> = Lexer::new(name, 0).collect();
    let one_line = tokens.iter().skip(1).all(|token| !token.line_start);
    let Some((first, rest)) = tokens.split_first() else {
        return false;
    };
    if first.name().is_none() || !one_line || name.contains("//") || name.contains("/*") {
        return false;
    }
    let Some((open, rest)) = rest.split_first() else {
        return true;
    };
    let closes = rest.iter().position(|token| token.is(Punct::RightParen));
    open.is(Punct::LeftParen) && !open.space_before && closes == Some(rest.len().wrapping_sub(1))
}

/// The name that macros gave: a string, or what stands between `<` and `>`.
fn expanded_header_name(tokens: &[Token]) -> Option<(String, bool)> {
    match tokens {
        [Token { kind: TokenKind::String(text), .. }] => Some((text[1..text.len() - 1].to_owned(), false)),
        [first, name @ .., last] if first.is(Punct::Less) && last.is(Punct::Greater) => Some((to_text(name), true)),
        _ => None,
    }
}
