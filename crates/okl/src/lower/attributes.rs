//! The attributes of a `for`: `@outer`, `@inner` and `@tile`, and the axes that they mean.

use super::context::Lowering;
use super::{Lowered, Reported};
use crate::diagnostic::Diagnostic;
use crate::front::ast::{self, Attribute, AttributeArgument, For, Stmt, StmtKind as S};
use crate::source::Span;

/// One loop of a parallel `for`; a tile has two.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Part {
    /// Axis of the nest.
    Outer(u8),
    /// Axis of the region.
    Inner(u8),
    /// An ordinary loop.
    Sequential,
}

/// What the attributes of a `for` say.
#[derive(Clone, Debug)]
pub(super) struct Parallel<'a> {
    pub(super) parts: Vec<Part>,
    pub(super) tile: Option<Tile<'a>>,
}

/// `@tile(size, …, check=…)`
#[derive(Clone, Debug)]
pub(super) struct Tile<'a> {
    pub(super) size: &'a ast::Expr,
    pub(super) check: bool,
}

/// The parallel attributes of a loop, those within `@tile` included.
pub(super) fn part_names(f: &For) -> impl Iterator<Item = &Attribute> {
    f.attributes.iter().flat_map(|a| {
        let nested = a.arguments.iter().filter_map(|argument| match argument {
            AttributeArgument::Attribute(nested) => Some(nested),
            _ => None,
        });
        std::iter::once(a).chain(nested)
    })
}

/// How many loops marked `@word` are nested in a statement, along its deepest path.
pub(super) fn depth_of(stmt: &Stmt, word: &str) -> usize {
    let deepest = |stmts: &[Stmt]| stmts.iter().map(|s| depth_of(s, word)).max().unwrap_or(0);
    match &stmt.kind {
        S::For(f) => depth_of(&f.body, word) + part_names(f).filter(|a| a.name.name == word).count(),
        S::Block(block) | S::Switch { body: block, .. } => deepest(&block.stmts),
        S::If { then, otherwise, .. } => depth_of(then, word).max(otherwise.as_ref().map_or(0, |s| depth_of(s, word))),
        S::While { body, .. } | S::DoWhile { body, .. } => depth_of(body, word),
        _ => 0,
    }
}

impl Lowering<'_, '_> {
    /// Reads a loop's attributes; `None` for an ordinary loop.
    pub(super) fn parallel_of<'a>(&mut self, f: &'a For) -> Lowered<Option<Parallel<'a>>> {
        let mut found: Option<Parallel<'a>> = None;
        for attribute in &f.attributes {
            let parallel = match attribute.name.name.as_str() {
                "outer" | "inner" => Parallel { parts: vec![self.part(attribute, f, 0)?], tile: None },
                "tile" => self.tile(attribute, f)?,
                "max_inner_dims" => {
                    self.max_inner_dims = Some(self.max_inner_dims_of(attribute)?);
                    continue;
                }
                // The barrier that it takes away is kept: a program that needs none computes the same with it.
                _ => continue,
            };
            if found.is_some() {
                return Err(self.error(attribute.span, "a loop is one of `@outer`, `@inner` and `@tile`"));
            }
            found = Some(parallel);
        }
        // A tile of ordinary loops visits the same values in the same order as the loop itself.
        Ok(found.filter(|p| p.parts.iter().any(|part| *part != Part::Sequential)))
    }

    /// `@outer` or `@inner`, with its index or the number of such loops below it.
    fn part(&mut self, attribute: &Attribute, f: &For, more: usize) -> Lowered<Part> {
        let word = attribute.name.name.as_str();
        let index = match attribute.arguments.as_slice() {
            [] => (depth_of(&f.body, word) + more) as i128,
            [AttributeArgument::Expr(expr)] => self.integer_constant(expr, "the index of an axis")?,
            _ => {
                return Err(self.error(attribute.span, format!("`@{word}` takes one index: 0, 1 or 2")));
            }
        };
        let index = match u8::try_from(index) {
            Ok(index @ 0..=2) => index,
            _ => {
                return Err(
                    self.error(attribute.span, format!("`@{word}` has the axes 0, 1 and 2; this would be {index}"))
                );
            }
        };
        Ok(if word == "outer" { Part::Outer(index) } else { Part::Inner(index) })
    }

    fn tile<'a>(&mut self, attribute: &'a Attribute, f: &For) -> Lowered<Parallel<'a>> {
        let usage = "`@tile(size, @outer, @inner)`, and `check=false` where every tile is full";
        let refuse =
            |s: &mut Self, span: Span, message: &str| Err(s.report(Diagnostic::error(span, message).hint(usage)));
        let Some(AttributeArgument::Expr(size)) = attribute.arguments.first() else {
            return refuse(self, attribute.span, "`@tile` needs a size");
        };
        let mut loops: Vec<&Attribute> = Vec::new();
        let mut check = true;
        for argument in &attribute.arguments[1..] {
            match argument {
                AttributeArgument::Attribute(part) if matches!(part.name.name.as_str(), "outer" | "inner") => {
                    loops.push(part)
                }
                AttributeArgument::Attribute(part) => {
                    self.check_attributes([part], &["outer", "inner"], "the loops of a tile");
                    return Err(Reported);
                }
                AttributeArgument::Named(name, value) if name.name == "check" => {
                    check = self.integer_constant(value, "`check`")? != 0;
                }
                AttributeArgument::Named(name, _) => {
                    return refuse(self, name.span, "`@tile` has no such option");
                }
                AttributeArgument::Expr(expr) => {
                    return refuse(self, expr.span, "`@tile` takes one size");
                }
            }
        }
        if loops.len() > 2 {
            return refuse(self, attribute.span, "a tile is two loops: over blocks, and within a block");
        }
        let mut parts = Vec::with_capacity(2);
        for (position, part) in loops.iter().enumerate() {
            let more = loops[position + 1..].iter().filter(|l| l.name.name == part.name.name).count();
            parts.push(self.part(part, f, more)?);
        }
        parts.resize(2, Part::Sequential);
        Ok(Parallel { parts, tile: Some(Tile { size, check }) })
    }
}
