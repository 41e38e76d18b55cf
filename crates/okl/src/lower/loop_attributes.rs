//! What `@outer`, `@inner` and `@tile` make of a `for`: the axes that they mean.

use super::attributes::{AxisKind, Place};
use super::context::Lowering;
use super::{Lowered, Reported};
use crate::diagnostic::Diagnostic;
use crate::front::ast::{self, Attribute, AttributeArgument, For, Stmt, StmtKind as S};
use crate::rules;
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

/// Whether a part is outer or inner.
pub(super) fn kind_of(part: Part) -> Option<AxisKind> {
    match part {
        Part::Outer(_) => Some(AxisKind::Outer),
        Part::Inner(_) => Some(AxisKind::Inner),
        Part::Sequential => None,
    }
}

impl Parallel<'_> {
    /// Whether every part is an ordinary loop.
    pub(super) fn is_sequential(&self) -> bool {
        self.parts.iter().all(|part| *part == Part::Sequential)
    }
}

/// How many axes of a kind the attributes of a loop make of it, those within `@tile` included.
pub(super) fn axes_of(f: &For, kind: AxisKind) -> usize {
    let nested = f.attributes.iter().flat_map(|a| &a.arguments).filter_map(|argument| match argument {
        AttributeArgument::Attribute(nested) => Some(nested),
        _ => None,
    });
    f.attributes.iter().chain(nested).filter(|a| AxisKind::of(a) == Some(kind)).count()
}

/// How many loops of a kind are nested in a statement, along its deepest path.
pub(super) fn depth_of(stmt: &Stmt, kind: AxisKind) -> usize {
    let deepest = |stmts: &[Stmt]| stmts.iter().map(|s| depth_of(s, kind)).max().unwrap_or(0);
    match &stmt.kind {
        S::For(f) => depth_of(&f.body, kind) + axes_of(f, kind),
        S::Block(block) | S::Switch { body: block, .. } => deepest(&block.stmts),
        S::If { then, otherwise, .. } => depth_of(then, kind).max(otherwise.as_ref().map_or(0, |s| depth_of(s, kind))),
        S::While { body, .. } | S::DoWhile { body, .. } => depth_of(body, kind),
        _ => 0,
    }
}

impl Lowering<'_, '_> {
    /// A loop that is one axis.
    pub(super) fn axis_loop(&mut self, attribute: &Attribute, kind: AxisKind, f: &For) -> Lowered<Parallel<'static>> {
        Ok(Parallel { parts: vec![self.part(attribute, kind, f, 0)?], tile: None })
    }

    /// `@outer` or `@inner`, with its index or the number of such loops below it.
    fn part(&mut self, attribute: &Attribute, kind: AxisKind, f: &For, more: usize) -> Lowered<Part> {
        let word = attribute.name.name.as_str();
        let index = match attribute.arguments.as_slice() {
            [] => (depth_of(&f.body, kind) + more) as i128,
            [AttributeArgument::Expr(expr)] => self.integer_constant(expr, "the index of an axis")?,
            _ => {
                return Err(self.error(
                    rules::ATTRIBUTE_ARGUMENTS,
                    attribute.span,
                    format!("`@{word}` takes one index: 0, 1 or 2"),
                ));
            }
        };
        let is_counted = attribute.arguments.is_empty();
        let index = match u8::try_from(index) {
            Ok(index @ 0..=2) => index,
            // Which axis that is, `free_part` decides.
            Ok(index) if is_counted => index,
            _ => {
                return Err(self.error(
                    rules::ATTRIBUTE_ARGUMENTS,
                    attribute.span,
                    format!("`@{word}` has the axes 0, 1 and 2; this would be {index}"),
                ));
            }
        };
        Ok(match kind {
            AxisKind::Outer => Part::Outer(index),
            AxisKind::Inner => Part::Inner(index),
        })
    }

    /// `@tile(size, …)`
    pub(super) fn tile<'a>(&mut self, attribute: &'a Attribute, f: &For) -> Lowered<Parallel<'a>> {
        let usage = "`@tile(size, @outer, @inner)`, and `check=false` where every tile is full";
        let refuse = |s: &mut Self, span: Span, message: &str| {
            Err(s.report(Diagnostic::error(rules::BAD_TILE, span, message).hint(usage)))
        };
        let Some(AttributeArgument::Expr(size)) = attribute.arguments.first() else {
            return refuse(self, attribute.span, "`@tile` needs a size");
        };
        let mut loops: Vec<(&Attribute, AxisKind)> = Vec::new();
        let mut check = true;
        for argument in &attribute.arguments[1..] {
            match argument {
                AttributeArgument::Attribute(part) => {
                    self.check_attributes([part], Place::TileLoop);
                    loops.push((part, AxisKind::of(part).ok_or(Reported)?));
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
        for (position, &(part, kind)) in loops.iter().enumerate() {
            let more = loops[position + 1..].iter().filter(|(_, other)| *other == kind).count();
            parts.push(self.part(part, kind, f, more)?);
        }
        parts.resize(2, Part::Sequential);
        Ok(Parallel { parts, tile: Some(Tile { size, check }) })
    }
}
