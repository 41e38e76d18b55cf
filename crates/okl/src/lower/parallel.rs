//! `@outer`, `@inner` and `@tile`: loops become the axes of nests and regions.
//!
//! A tile is two loops, one over blocks and one within a block, and a bound check around its body. Where tiles are
//! nested, the block loops *float*: their axes are opened before the first loop within a block, because groups come
//! before items.

use super::body::{Level, Lowering, NestDraft, RegionDraft, Target, launch_mark};
use super::constants::{arithmetic, binary, implicit, integer_of};
use super::loops::{LoopHead, Range, divide_up, head_span};
use super::pointer::same_expr;
use super::scope::Symbol;
use super::{Lowered, Reported};
use crate::diagnostic::{Diagnostic, Severity};
use crate::front::ast::{self, Attribute, AttributeArgument, For, Stmt, StmtKind as S};
use crate::ir::{
    Axis, BinaryOp, Expr, ExprKind, Initializer, Loop, Nest, Region, Role, Scalar, StmtKind, Type,
    VarId,
};
use crate::source::Span;
use std::collections::{HashMap, HashSet};

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
    parts: Vec<Part>,
    tile: Option<Tile<'a>>,
}

/// `@tile(size, …, check=…)`
#[derive(Clone, Debug)]
struct Tile<'a> {
    size: &'a ast::Expr,
    check: bool,
}

/// The parallel attributes of a loop, those within `@tile` included.
fn part_names(f: &For) -> impl Iterator<Item = &Attribute> {
    f.attributes.iter().flat_map(|a| {
        let nested = a.arguments.iter().filter_map(|argument| match argument {
            AttributeArgument::Attribute(nested) => Some(nested),
            _ => None,
        });
        std::iter::once(a).chain(nested)
    })
}

/// How many loops marked `@word` are nested in a statement, along its deepest path.
fn depth_of(stmt: &Stmt, word: &str) -> usize {
    let deepest = |stmts: &[Stmt]| stmts.iter().map(|s| depth_of(s, word)).max().unwrap_or(0);
    match &stmt.kind {
        S::For(f) => {
            depth_of(&f.body, word) + part_names(f).filter(|a| a.name.name == word).count()
        }
        S::Block(block) | S::Switch { body: block, .. } => deepest(&block.stmts),
        S::If {
            then, otherwise, ..
        } => depth_of(then, word).max(otherwise.as_ref().map_or(0, |s| depth_of(s, word))),
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
                "outer" | "inner" => Parallel {
                    parts: vec![self.part(attribute, f, 0)?],
                    tile: None,
                },
                "tile" => self.tile(attribute, f)?,
                "max_inner_dims" => {
                    self.max_inner_dims = Some(self.max_inner_dims_of(attribute)?);
                    continue;
                }
                // The barrier that it takes away is kept: a program that needs none computes the same with it.
                _ => continue,
            };
            if found.is_some() {
                return Err(self.error(
                    attribute.span,
                    "a loop is one of `@outer`, `@inner` and `@tile`",
                ));
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
            [AttributeArgument::Expr(expr)] => {
                self.integer_constant(expr, "the index of an axis")?
            }
            _ => {
                return Err(self.error(
                    attribute.span,
                    format!("`@{word}` takes one index: 0, 1 or 2"),
                ));
            }
        };
        let index = match u8::try_from(index) {
            Ok(index @ 0..=2) => index,
            _ => {
                return Err(self.error(
                    attribute.span,
                    format!("`@{word}` has the axes 0, 1 and 2; this would be {index}"),
                ));
            }
        };
        Ok(if word == "outer" {
            Part::Outer(index)
        } else {
            Part::Inner(index)
        })
    }

    fn tile<'a>(&mut self, attribute: &'a Attribute, f: &For) -> Lowered<Parallel<'a>> {
        let usage = "`@tile(size, @outer, @inner)`, and `check=false` where every tile is full";
        let refuse = |s: &mut Self, span: Span, message: &str| {
            Err(s.report(Diagnostic::error(span, message).hint(usage)))
        };
        let Some(AttributeArgument::Expr(size)) = attribute.arguments.first() else {
            return refuse(self, attribute.span, "`@tile` needs a size");
        };
        let mut loops: Vec<&Attribute> = Vec::new();
        let mut check = true;
        for argument in &attribute.arguments[1..] {
            match argument {
                AttributeArgument::Attribute(part)
                    if matches!(part.name.name.as_str(), "outer" | "inner") =>
                {
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
            return refuse(
                self,
                attribute.span,
                "a tile is two loops: over blocks, and within a block",
            );
        }
        let mut parts = Vec::with_capacity(2);
        for (position, part) in loops.iter().enumerate() {
            let more = loops[position + 1..]
                .iter()
                .filter(|l| l.name.name == part.name.name)
                .count();
            parts.push(self.part(part, f, more)?);
        }
        parts.resize(2, Part::Sequential);
        Ok(Parallel {
            parts,
            tile: Some(Tile { size, check }),
        })
    }

    /// A loop with `@outer`, `@inner` or `@tile`.
    pub(super) fn parallel_for(&mut self, f: &For, parallel: &Parallel<'_>) -> Lowered<()> {
        if self.level == Level::Function {
            return Err(self.error(
                head_span(f),
                "parallel loops belong into a `@kernel`, not into a device function",
            ));
        }
        self.scoped(|s| {
            let head = s.loop_head(f)?;
            // A head with a finding counts as one turn, so that the body's findings are seen too.
            let range = s
                .range(&head)
                .unwrap_or_else(|Reported| Range::once(head.span));
            let name = head.name.clone();
            let Some(tile) = &parallel.tile else {
                return s.layer(parallel.parts[0], &name.name, range, f, &head, |s, var| {
                    s.bind(&name.name, name.span, Symbol::Var(var));
                    s.guarded_body(f, None);
                    Ok(())
                });
            };
            let size = s
                .tile_size(tile)
                .unwrap_or_else(|Reported| Expr::int(1, Scalar::I64, head.span));
            let blocks = blocks_of(&range, &size, head.span);
            let is_full = match (integer_of(&range.count), integer_of(&size)) {
                (Some(count), Some(size)) => count % size == 0,
                _ => false,
            };
            let guard = (tile.check && !is_full).then_some(&head);
            let (first, second) = (parallel.parts[0], parallel.parts[1]);
            s.layer(
                first,
                &format!("{}_block", name.name),
                blocks,
                f,
                &head,
                |s, block| {
                    if matches!((first, second), (Part::Outer(_), Part::Inner(_)))
                        && s.level == Level::Group
                    {
                        s.float_outers(&f.body);
                    }
                    let within = Range {
                        start: s.read(block, head.span),
                        count: size,
                        ..range
                    };
                    if second == Part::Sequential {
                        return s.sequential_tile(f, &head, within, guard.is_some());
                    }
                    s.layer(second, &name.name, within, f, &head, |s, var| {
                        s.bind(&name.name, name.span, Symbol::Var(var));
                        s.guarded_body(f, guard);
                        Ok(())
                    })
                },
            )
        })
    }

    fn tile_size(&mut self, tile: &Tile<'_>) -> Lowered<Expr> {
        let (effects, size) = self.captured(|s| s.number(tile.size));
        let (size, scalar) = size?;
        let size = self.expanded(&size);
        let span = tile.size.span;
        if scalar.is_float() || !effects.is_empty() || !self.is_host(&size) {
            return Err(self.error(
                span,
                "the size of a tile must be an integer that the host knows",
            ));
        }
        match integer_of(&size) {
            Some(n) if n < 1 => Err(self.error(
                span,
                format!("the size of a tile must be positive; this one is {n}"),
            )),
            _ => Ok(implicit(size, Scalar::I64)),
        }
    }

    /// The body of a parallel loop, within the bound check of its tile.
    fn guarded_body(&mut self, f: &For, guard: Option<&LoopHead<'_>>) {
        let Some(head) = guard else {
            return self.branch(&f.body);
        };
        let condition = self.within_bound(head);
        let (body, ()) = self.captured(|s| s.branch(&f.body));
        let Ok(condition) = condition else { return };
        if let Some(draft) = &mut self.nest {
            draft.guards.insert(head.span);
        }
        self.emit_if(condition, body, Vec::new(), head.span);
    }

    /// The loop within a block of a tile, where it is an ordinary one.
    fn sequential_tile(
        &mut self,
        f: &For,
        head: &LoopHead<'_>,
        range: Range,
        check: bool,
    ) -> Lowered<()> {
        let span = head.span;
        let ty = Type::Scalar(range.scalar);
        let (init, var) = self.captured(|s| {
            let var = s.variable(&head.name.name, ty, Role::Local, false, head.name.span);
            s.emit(
                StmtKind::Declare {
                    var,
                    init: Some(Initializer::Value(range.start.clone())),
                },
                span,
            );
            var
        });
        self.info[var.0 as usize].fixed = false;
        self.bind(&head.name.name, head.name.span, Symbol::Var(var));
        let down = integer_of(&range.step).is_some_and(|n| n < 0)
            || matches!(range.step.kind, ExprKind::Unary(..));
        let reach =
            arithmetic(BinaryOp::Mul, range.count, range.step.clone(), span).ok_or(Reported)?;
        let end = arithmetic(BinaryOp::Add, range.start, reach, span).ok_or(Reported)?;
        let index = self.read(var, span);
        let op = if down { BinaryOp::Gt } else { BinaryOp::Lt };
        let mut condition = arithmetic(op, index, end, span).ok_or(Reported)?;
        if check {
            condition = binary(
                BinaryOp::LogicAnd,
                condition,
                self.within_bound(head)?,
                span,
            );
        }
        let body = self.loop_body(&f.body);
        let object = super::place::Lvalue {
            root: var,
            path: Vec::new(),
            ty: range.scalar.into(),
            is_const: false,
            span,
        };
        let (update, result) =
            self.captured(|s| s.update(&object, BinaryOp::Add, range.step, span));
        result?;
        self.emit_loop(
            Loop {
                init,
                head: Vec::new(),
                condition: Some(condition),
                update,
                body,
                test_last: false,
            },
            span,
        );
        Ok(())
    }

    /// Opens the axes of `@outer` loops that stand within a tile's inner loop.
    fn float_outers(&mut self, body: &Stmt) {
        match &body.kind {
            S::Block(block) => block.stmts.iter().for_each(|s| self.float_outers(s)),
            S::For(f) if depth_of(body, "outer") > 0 => {
                let axis = self.float_outer(f);
                if let Some(draft) = &mut self.nest {
                    draft.floated.insert(head_span(f), axis.unwrap_or(None));
                }
                self.float_outers(&f.body);
            }
            _ => {}
        }
    }

    fn float_outer(&mut self, f: &For) -> Lowered<Option<VarId>> {
        let Some(parallel) = self.parallel_of(f)? else {
            return Ok(None);
        };
        let Some(Part::Outer(index)) = parallel.parts.first().copied() else {
            return Ok(None);
        };
        let head = self.loop_head(f)?;
        let mut range = self.range(&head)?;
        let mut name = head.name.name.clone();
        if let Some(tile) = &parallel.tile {
            range = blocks_of(&range, &self.tile_size(tile)?, head.span);
            name.push_str("_block");
        }
        self.nest_axis(index, &name, range, head.span).map(Some)
    }

    /// Opens one loop of a parallel `for` and lowers `body` within it.
    fn layer(
        &mut self,
        part: Part,
        name: &str,
        range: Range,
        f: &For,
        head: &LoopHead<'_>,
        body: impl FnOnce(&mut Self, VarId) -> Lowered<()>,
    ) -> Lowered<()> {
        let span = head.span;
        if let Some((_, first)) = self.open_parts.iter().find(|(open, _)| *open == part) {
            let (word, axis) = match part {
                Part::Outer(axis) => ("@outer", axis),
                Part::Inner(axis) => ("@inner", axis),
                Part::Sequential => ("@tile", 0),
            };
            return Err(self.report(
                Diagnostic::error(span, format!("this `{word}({axis})` loop stands inside another one on the same axis"))
                    .label(*first, "the other one is here")
                    .hint("give each loop an axis of its own: 0, 1 or 2"),
            ));
        }
        if part != Part::Sequential {
            self.open_parts.push((part, span));
        }
        let result = self.open_part(part, name, range, f, span, body);
        if part != Part::Sequential {
            self.open_parts.pop();
        }
        result
    }

    fn open_part(
        &mut self,
        part: Part,
        name: &str,
        range: Range,
        f: &For,
        span: Span,
        body: impl FnOnce(&mut Self, VarId) -> Lowered<()>,
    ) -> Lowered<()> {
        match (part, self.level) {
            (Part::Outer(index), Level::Host) => self.open_nest(index, name, range, span, body),
            (Part::Outer(index), Level::Group) => self.open_outer(index, name, range, span, body),
            (Part::Outer(_), _) => {
                match self
                    .nest
                    .as_ref()
                    .and_then(|n| n.floated.get(&span))
                    .copied()
                {
                    Some(Some(var)) => body(self, var),
                    Some(None) => Err(Reported),
                    None => Err(self.error(
                        span,
                        "an `@outer` loop cannot stand inside an `@inner` loop",
                    )),
                }
            }
            (Part::Inner(index), Level::Group) => {
                self.open_region(index, name, range, f, span, body)
            }
            (Part::Inner(index), Level::Between) => {
                self.open_inner(index, name, range, f, span, body)
            }
            (Part::Inner(_), Level::Item) => {
                Err(self.error(span, "this `@inner` loop stands inside the innermost one"))
            }
            (Part::Inner(_), _) => Err(self.report(
                Diagnostic::error(span, "an `@inner` loop must stand inside an `@outer` loop")
                    .hint("wrap it: `for (int group = 0; group < 1; ++group; @outer)`"),
            )),
            (Part::Sequential, _) => Err(self.error(
                span,
                "a tile's loop over blocks must be `@outer` or `@inner`",
            )),
        }
    }

    fn open_nest(
        &mut self,
        index: u8,
        name: &str,
        range: Range,
        span: Span,
        body: impl FnOnce(&mut Self, VarId) -> Lowered<()>,
    ) -> Lowered<()> {
        let nest = Nest {
            outer: [None, None, None],
            stmts: Vec::new(),
            exclusive: Vec::new(),
            shared: Vec::new(),
            span,
        };
        let (floated, guards) = (HashMap::new(), HashSet::new());
        self.nest = Some(NestDraft {
            nest,
            floated,
            guards,
            is_loop_tail: true,
            is_tail: true,
        });
        self.level = Level::Group;
        self.targets.push(Target::Outer);
        let findings = self.unit.found.len();
        let (stmts, result) = self.captured(|s| {
            let var = s.nest_axis(index, name, range, span)?;
            body(s, var)
        });
        self.targets.pop();
        let is_clean = result.is_ok()
            && self.unit.found[findings..]
                .iter()
                .all(|d| d.severity == Severity::Warning);
        let finished = self.close_nest(stmts, span, is_clean);
        self.level = Level::Host;
        let number = self.nests.len() as u32;
        self.nests.extend(finished);
        self.out.push(launch_mark(number, span));
        result
    }

    fn close_nest(
        &mut self,
        stmts: Vec<crate::ir::Stmt>,
        span: Span,
        is_clean: bool,
    ) -> Option<Nest> {
        let has_region = super::split::has_region(&stmts);
        let stmts = self.place_exclusive_values(stmts);
        let stmts = self.split_regions(stmts);
        let mut draft = self.nest.take()?;
        if is_clean && !has_region {
            self.report(
                Diagnostic::error(span, "this `@outer` loop holds no `@inner` loop")
                    .hint("the work of a group is done by items: add `for (int item = 0; item < 1; ++item; @inner)`"),
            );
        }
        draft.nest.stmts = stmts;
        Some(draft.nest)
    }

    fn open_outer(
        &mut self,
        index: u8,
        name: &str,
        range: Range,
        span: Span,
        body: impl FnOnce(&mut Self, VarId) -> Lowered<()>,
    ) -> Lowered<()> {
        if self.targets.last() != Some(&Target::Outer) {
            return Err(self.report(
                Diagnostic::error(span, "an `@outer` loop cannot stand in a sequential loop inside another `@outer` loop")
                    .hint("exchange the loops, or move the sequential loop outside of all `@outer` loops"),
            ));
        }
        let var = self.nest_axis(index, name, range, span)?;
        let saved = self.tails();
        self.set_tails([saved[0], true, saved[2]]);
        self.targets.push(Target::Outer);
        let result = body(self, var);
        self.targets.pop();
        self.set_tails(saved);
        result
    }

    /// The index of an outer axis; a sibling loop over the same values shares it.
    fn nest_axis(&mut self, index: u8, name: &str, range: Range, span: Span) -> Lowered<VarId> {
        let range = Range {
            count: self.host_count(range.count, "@outer", span),
            ..range
        };
        let known = self
            .nest
            .as_ref()
            .and_then(|n| n.nest.outer[index as usize].clone());
        if let Some(axis) = known {
            return self.sibling(axis, name, range, "@outer", index, span);
        }
        let (start, step) = (self.expanded(&range.start), self.expanded(&range.step));
        let is_host = self.is_host(&start) && self.is_host(&step);
        let role = Role::Outer(index);
        let (axis, var) = if is_host {
            self.axis(
                name,
                role,
                Range {
                    start,
                    step,
                    ..range
                },
                span,
            )
        } else {
            self.counted_axis(name, role, range, span)
        };
        if let Some(draft) = &mut self.nest {
            draft.nest.outer[index as usize] = Some(axis);
        }
        Ok(var)
    }

    fn axis(&mut self, name: &str, role: Role, range: Range, span: Span) -> (Axis, VarId) {
        let var = self.roled(name, range.scalar.into(), role, span);
        (
            Axis {
                var,
                start: range.start,
                step: range.step,
                count: range.count,
                span,
            },
            var,
        )
    }

    /// An axis that counts from 0, and the index computed from it, where its start is not known early enough.
    fn counted_axis(&mut self, name: &str, role: Role, range: Range, span: Span) -> (Axis, VarId) {
        let number = |n| Expr::int(n, Scalar::I32, span);
        let counter = Range {
            scalar: Scalar::I32,
            start: number(0),
            step: number(1),
            count: range.count.clone(),
        };
        let (axis, counter) = self.axis(&format!("{name}_number"), role, counter, span);
        let counter = self.read(counter, span);
        let var = self.computed_index(name, range, counter, span);
        (axis, var)
    }

    /// A local that holds `start + number · step`.
    fn computed_index(&mut self, name: &str, range: Range, number: Expr, span: Span) -> VarId {
        let scalar = range.scalar;
        let offset = match integer_of(&range.step) {
            Some(1) => number,
            _ => arithmetic(BinaryOp::Mul, number, range.step, span).unwrap_or(range.start.clone()),
        };
        let value = match integer_of(&range.start) {
            Some(0) => offset,
            _ => {
                arithmetic(BinaryOp::Add, range.start.clone(), offset, span).unwrap_or(range.start)
            }
        };
        let value = implicit(value, scalar);
        let known = self.is_stable(&value).then(|| value.clone());
        let var = self.temporary(name, scalar.into(), Some(value), true, span);
        let info = &mut self.info[var.0 as usize];
        info.known = known;
        info.is_const = true;
        var
    }

    /// A second loop on an axis that is open already: its index follows from the first one's.
    fn sibling(
        &mut self,
        axis: Axis,
        name: &str,
        range: Range,
        word: &str,
        index: u8,
        span: Span,
    ) -> Lowered<VarId> {
        if !same_expr(&axis.count, &range.count) {
            return Err(self.report(
                Diagnostic::error(
                    span,
                    format!("this `{word}({index})` loop has another extent than the first one"),
                )
                .label(axis.span, "the first one is here")
                .hint(if word == "@outer" {
                    "write two separate `@outer` loops"
                } else {
                    "use the larger extent and an `if`"
                }),
            ));
        }
        let same_type = self.body.var(axis.var).ty == Type::Scalar(range.scalar);
        if same_type && same_expr(&axis.start, &range.start) && same_expr(&axis.step, &range.step) {
            return Ok(axis.var);
        }
        let value = self.read(axis.var, span);
        let from_start = match integer_of(&axis.start) {
            Some(0) => value,
            _ => arithmetic(BinaryOp::Sub, value, axis.start, span).ok_or(Reported)?,
        };
        let number = match integer_of(&axis.step) {
            Some(1) => from_start,
            _ => arithmetic(BinaryOp::Div, from_start, axis.step, span).ok_or(Reported)?,
        };
        Ok(self.computed_index(name, range, number, span))
    }

    /// The number of values of an axis, which the host must know.
    fn host_count(&mut self, count: Expr, word: &str, span: Span) -> Expr {
        if self.is_host(&count) {
            return count;
        }
        let count = self.expanded(&count);
        if self.is_host(&count) {
            return count;
        }
        let hint = if word == "@outer" {
            "use literals, scalar parameters and variables of the host part"
        } else {
            "let the loop run over the largest number of items, and skip the others by an `if`"
        };
        self.report(
            Diagnostic::error(
                span,
                format!(
                    "the number of turns of an `{word}` loop must be known before the kernel starts"
                ),
            )
            .hint(hint),
        );
        Expr::int(1, Scalar::I64, span)
    }

    // ---- regions ----

    fn open_region(
        &mut self,
        index: u8,
        name: &str,
        range: Range,
        f: &For,
        span: Span,
        body: impl FnOnce(&mut Self, VarId) -> Lowered<()>,
    ) -> Lowered<()> {
        // A start that reads memory or a variable is taken once, by the group.
        let start = if self.is_host(&range.start) {
            range.start
        } else {
            self.freeze(range.start, &format!("{name}_start"))
        };
        let region = Region {
            axes: [None, None, None],
            body: Vec::new(),
        };
        self.region = Some(RegionDraft {
            region,
            is_tail: true,
            open: 0,
            depth: None,
        });
        let (stmts, result) =
            self.captured(|s| s.open_inner(index, name, Range { start, ..range }, f, span, body));
        self.level = Level::Group;
        if let Some(mut draft) = self.region.take() {
            draft.region.body = stmts;
            self.emit(StmtKind::Inner(Box::new(draft.region)), span);
        }
        result
    }

    fn open_inner(
        &mut self,
        index: u8,
        name: &str,
        range: Range,
        f: &For,
        span: Span,
        body: impl FnOnce(&mut Self, VarId) -> Lowered<()>,
    ) -> Lowered<()> {
        let saved_level = self.level;
        self.level = Level::Between;
        let result = self
            .region_axis(index, name, range, span)
            .and_then(|var| self.inner_body(f, span, var, body));
        self.level = saved_level;
        result
    }

    fn inner_body(
        &mut self,
        f: &For,
        span: Span,
        var: VarId,
        body: impl FnOnce(&mut Self, VarId) -> Lowered<()>,
    ) -> Lowered<()> {
        let own = part_names(f).filter(|a| a.name.name == "inner").count();
        let open = self.region.as_ref().map_or(0, |r| r.open) + 1;
        // The second loop of a tile whose both loops are inner is opened by `body`.
        let more =
            depth_of(&f.body, "inner") + own.saturating_sub(1) > 0 && !self.is_last_part(f, own);
        if !more {
            self.level = Level::Item;
            self.check_depth(open, span)?;
        }
        let is_tail = self.region.as_ref().is_none_or(|r| r.is_tail);
        if let Some(draft) = &mut self.region {
            draft.open = open;
        }
        let target = if is_tail {
            Target::Inner
        } else {
            Target::InnerOnce
        };
        self.targets.push(target);
        let (stmts, result) = self.captured(|s| body(s, var));
        self.targets.pop();
        if let Some(draft) = &mut self.region {
            draft.open = open - 1;
            draft.is_tail = is_tail;
        }
        if target == Target::InnerOnce && breaks(&stmts) {
            let once = Some(super::constants::constant(
                crate::value::ScalarValue::Bool(false),
                span,
            ));
            self.emit_loop(
                Loop {
                    init: Vec::new(),
                    head: Vec::new(),
                    condition: once,
                    update: Vec::new(),
                    body: stmts,
                    test_last: true,
                },
                span,
            );
        } else {
            self.out.extend(stmts);
        }
        result
    }

    /// Whether the loop being opened is the second inner loop of a tile over two of them.
    fn is_last_part(&self, f: &For, own: usize) -> bool {
        let span = head_span(f);
        let opened = self.region.as_ref().map_or(0, |r| {
            r.region
                .axes
                .iter()
                .flatten()
                .filter(|a| a.span == span)
                .count()
        });
        own > 1 && opened == own && depth_of(&f.body, "inner") == 0
    }

    fn check_depth(&mut self, open: u32, span: Span) -> Lowered<()> {
        let Some(draft) = &mut self.region else {
            return Ok(());
        };
        let expected = *draft.depth.get_or_insert(open);
        if expected == open {
            return Ok(());
        }
        Err(self.error(span, format!("this innermost `@inner` loop is {open} deep, another one of the same region {expected}")))
    }

    fn region_axis(&mut self, index: u8, name: &str, range: Range, span: Span) -> Lowered<VarId> {
        let range = Range {
            count: self.host_count(range.count, "@inner", span),
            ..range
        };
        let known = self
            .region
            .as_ref()
            .and_then(|r| r.region.axes[index as usize].clone());
        if let Some(axis) = known {
            if self.region.as_ref().is_some_and(|r| r.open == 0) || self.is_open(&axis) {
                return Err(self.error(
                    span,
                    format!("`@inner({index})` is open already around this loop"),
                ));
            }
            return self.sibling(axis, name, range, "@inner", index, span);
        }
        let step = self.expanded(&range.step);
        let role = Role::Inner(index);
        let (axis, var) = if self.is_host(&step) && self.is_of_group(&range.start) {
            self.axis(name, role, Range { step, ..range }, span)
        } else {
            self.counted_axis(name, role, range, span)
        };
        if let Some(draft) = &mut self.region {
            draft.region.axes[index as usize] = Some(axis);
        }
        Ok(var)
    }

    /// Whether the loop of an axis is around what is being lowered.
    fn is_open(&self, axis: &Axis) -> bool {
        self.is_alive(axis.var)
    }

    /// Whether every variable of an expression is known to the whole group.
    fn is_of_group(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Literal(_) => true,
            ExprKind::Load(place) => {
                place.path.is_empty()
                    && !self.info[place.root.0 as usize].level.is_item()
                    && !self.is_global_memory(place.root)
            }
            ExprKind::Unary(_, a) | ExprKind::Cast { value: a, .. } => self.is_of_group(a),
            ExprKind::Binary(_, a, b) => self.is_of_group(a) && self.is_of_group(b),
            ExprKind::Select(a, b, c) => {
                self.is_of_group(a) && self.is_of_group(b) && self.is_of_group(c)
            }
            ExprKind::Math(_, arguments) => arguments.iter().all(|a| self.is_of_group(a)),
            ExprKind::Call(..) => false,
        }
    }
}

/// The loop over the blocks of a tile.
fn blocks_of(range: &Range, size: &Expr, span: Span) -> Range {
    let wide = |e: &Expr| implicit(e.clone(), Scalar::I64);
    let step = match (integer_of(&range.step), integer_of(size)) {
        (Some(step), Some(size)) => Expr::int(
            (step * size) as i64,
            super::constants::scalar_of(&range.step),
            span,
        ),
        _ => binary(BinaryOp::Mul, wide(&range.step), wide(size), span),
    };
    Range {
        scalar: range.scalar,
        start: range.start.clone(),
        step,
        count: divide_up(range.count.clone(), size.clone(), span),
    }
}

/// Whether a list leaves the loop that it is the body of.
fn breaks(stmts: &[crate::ir::Stmt]) -> bool {
    stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Break => true,
        StmtKind::If {
            then, otherwise, ..
        } => breaks(then) || breaks(otherwise),
        StmtKind::Block(stmts) => breaks(stmts),
        _ => false,
    })
}
