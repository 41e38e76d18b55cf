//! `@outer`, `@inner` and `@tile`: loops become the axes of nests and regions.
//!
//! A tile is two loops, one over blocks and one within a block, and a bound check around its body. Where tiles are
//! nested, the block loops *float*: their axes are opened before the first loop within a block, because groups come
//! before items.

use super::attributes::AxisKind;
use super::constants::{arithmetic, binary, implicit, integer_of};
use super::context::{Level, Lowering, NestDraft, Target};
use super::loop_attributes::{Parallel, Part, Tile, depth_of, kind_of};
use super::loops::{LoopHead, Range, divide_up, head_span};
use super::scope::Symbol;
use super::{Lowered, Reported};
use crate::diagnostic::{Diagnostic, Severity};
use crate::front::ast::{For, Stmt, StmtKind as S};
use crate::ir::value::ScalarValue;
use crate::ir::{
    BinaryOp, Dialect, Expr, ExprKind, Initializer, Loop, Mark, Nest, Role, Scalar, StmtKind, Type, VarId,
};
use crate::rules;
use crate::source::Span;
use std::collections::{HashMap, HashSet};

impl Lowering<'_, '_> {
    /// A loop with `@outer`, `@inner` or `@tile`.
    pub(super) fn parallel_for(&mut self, f: &For, parallel: &Parallel<'_>) -> Lowered<()> {
        if self.level == Level::Function {
            return Err(self.error(
                rules::LOOP_NESTING,
                head_span(f),
                "parallel loops belong into a `@kernel`, not into a device function",
            ));
        }
        self.warn_of_unroll(&f.attributes);
        self.scoped(|s| {
            let head = s.loop_head(f)?;
            if s.is_extent_unknown(parallel, &head) {
                return s.strided_for(f, parallel, &head);
            }
            // A head with a finding counts as one iteration, so that the body's findings are seen too.
            let range = s.range(&head).unwrap_or_else(|Reported| Range::once(head.span));
            let name = head.name.clone();
            let Some(tile) = &parallel.tile else {
                return s.layer(parallel.parts[0], 0, &name.name, range, f, |s, var| {
                    s.bind(&name.name, name.span, Symbol::Var(var));
                    s.guarded_body(f, None);
                    Ok(())
                });
            };
            let size = s.tile_size(tile).unwrap_or_else(|Reported| Expr::int(1, Scalar::I64, head.span));
            let blocks = blocks_of(&range, &size, head.span);
            let is_full = match (integer_of(&range.count), integer_of(&size)) {
                (Some(count), Some(size)) => count % size == 0,
                _ => false,
            };
            let guard = (tile.check && !is_full).then_some(&head);
            let (first, second) = (parallel.parts[0], parallel.parts[1]);
            let more = usize::from(kind_of(first) == kind_of(second));
            s.layer(first, more, &format!("{}_block", name.name), blocks, f, |s, block| {
                if matches!((first, second), (Part::Outer(_), Part::Inner(_))) && s.level == Level::Group {
                    s.float_outers(&f.body);
                }
                let within = Range { start: s.read(block, head.span), count: size, bound: None, ..range };
                if second == Part::Sequential {
                    return s.sequential_tile(f, &head, within, guard.is_some());
                }
                s.layer(second, 0, &name.name, within, f, |s, var| {
                    s.bind(&name.name, name.span, Symbol::Var(var));
                    s.guarded_body(f, guard);
                    Ok(())
                })
            })
        })
    }

    fn tile_size(&mut self, tile: &Tile<'_>) -> Lowered<Expr> {
        let (effects, size) = self.captured(|s| s.number(tile.size));
        let (size, scalar) = size?;
        let size = self.expanded(&size);
        let span = tile.size.span;
        if scalar.is_float() || !effects.is_empty() || !self.is_host(&size) {
            return Err(self.error(rules::BAD_TILE, span, "the size of a tile must be an integer that the host knows"));
        }
        match integer_of(&size) {
            Some(n) if n < 1 => {
                Err(self.error(rules::BAD_TILE, span, format!("the size of a tile must be positive; this one is {n}")))
            }
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
    fn sequential_tile(&mut self, f: &For, head: &LoopHead<'_>, range: Range, check: bool) -> Lowered<()> {
        let span = head.span;
        let ty = Type::Scalar(range.scalar);
        let (init, var) = self.captured(|s| {
            let var = s.variable(&head.name.name, ty, Role::Local, false, head.name.span);
            s.emit(StmtKind::Declare { var, init: Some(Initializer::Value(range.start.clone())) }, span);
            var
        });
        self.info[var.0 as usize].fixed = false;
        self.bind(&head.name.name, head.name.span, Symbol::Var(var));
        let down = integer_of(&range.step).is_some_and(|n| n < 0) || matches!(range.step.kind, ExprKind::Unary(..));
        let reach = arithmetic(BinaryOp::Mul, range.count, range.step.clone(), span).ok_or(Reported)?;
        let end = arithmetic(BinaryOp::Add, range.start, reach, span).ok_or(Reported)?;
        let index = self.read(var, span);
        let op = if down { BinaryOp::Gt } else { BinaryOp::Lt };
        let mut condition = arithmetic(op, index, end, span).ok_or(Reported)?;
        if check {
            condition = binary(BinaryOp::LogicAnd, condition, self.within_bound(head)?, span);
        }
        let body = self.loop_body(&f.body);
        let object =
            super::place::Lvalue { root: var, path: Vec::new(), ty: range.scalar.into(), is_const: false, span };
        let (update, result) = self.captured(|s| s.update(&object, BinaryOp::Add, range.step, span));
        result?;
        self.emit_loop(
            Loop { init, head: Vec::new(), condition: Some(condition), update, body, test_last: false, unroll: None },
            span,
        );
        Ok(())
    }

    /// Opens the axes of `@outer` loops that stand within a tile's inner loop.
    fn float_outers(&mut self, body: &Stmt) {
        match &body.kind {
            S::Block(block) => block.stmts.iter().for_each(|s| self.float_outers(s)),
            S::For(f) if depth_of(body, AxisKind::Outer) > 0 => {
                let axis = self.float_outer(f).unwrap_or(None);
                if let Some(draft) = &mut self.nest {
                    draft.floated.insert(head_span(f), axis);
                }
                self.open_parts.extend(axis.map(|(part, _)| (part, head_span(f))));
                self.float_outers(&f.body);
                if axis.is_some() {
                    self.open_parts.pop();
                }
            }
            _ => {}
        }
    }

    fn float_outer(&mut self, f: &For) -> Lowered<Option<(Part, VarId)>> {
        let Some(parallel) = self.parallel_of(f)? else {
            return Ok(None);
        };
        let part = parallel.parts.first().map(|part| self.free_part(*part, depth_of(&f.body, AxisKind::Outer)));
        let Some(part @ Part::Outer(index)) = part else {
            return Ok(None);
        };
        let head = self.loop_head(f)?;
        let mut range = self.range(&head)?;
        let mut name = head.name.name.clone();
        if let Some(tile) = &parallel.tile {
            range = blocks_of(&range, &self.tile_size(tile)?, head.span);
            name.push_str("_block");
        }
        Ok(Some((part, self.nest_axis(index, &name, range, head.span)?)))
    }

    /// Opens one loop of a parallel `for` and lowers `body` within it; `more` loops of its kind follow in the same `for`.
    fn layer(
        &mut self,
        part: Part,
        more: usize,
        name: &str,
        range: Range,
        f: &For,
        body: impl FnOnce(&mut Self, VarId) -> Lowered<()>,
    ) -> Lowered<()> {
        let span = head_span(f);
        let floated = self.nest.as_ref().and_then(|n| n.floated.get(&span)).copied().flatten();
        let part = match (floated, kind_of(part)) {
            (Some((part, _)), Some(AxisKind::Outer)) => part,
            (_, Some(kind)) => self.free_part(part, depth_of(&f.body, kind) + more),
            _ => part,
        };
        let own = range.clone();
        let body = move |s: &mut Self, var| {
            let (stmts, result) = s.captured(|s| body(s, var));
            s.emit_within_extent(part, &own, var, stmts, span);
            result
        };
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
            (Part::Outer(index), Level::Host) => self.open_nest(index, name, range, f, body),
            (Part::Outer(index), Level::Group) => self.open_outer(index, name, range, span, body),
            (Part::Outer(_), _) => match self.nest.as_ref().and_then(|n| n.floated.get(&span)).copied() {
                Some(Some((_, var))) => body(self, var),
                Some(None) => Err(Reported),
                None => {
                    Err(self.error(rules::LOOP_NESTING, span, "an `@outer` loop cannot be inside an `@inner` loop"))
                }
            },
            (Part::Inner(index), Level::Group) => self.open_region(index, name, range, f, span, body),
            (Part::Inner(index), Level::Between) => self.open_inner(index, name, range, f, span, body),
            (Part::Inner(_), Level::Item) => {
                Err(self.error(rules::LOOP_NESTING, span, "this `@inner` loop stands inside the innermost one"))
            }
            (Part::Inner(_), _) => Err(self.report(
                Diagnostic::error(rules::LOOP_NESTING, span, "an `@inner` loop must be inside an `@outer` loop")
                    .hint("wrap it: `for (int group = 0; group < 1; ++group; @outer)`"),
            )),
            (Part::Sequential, _) => {
                Err(self.error(rules::BAD_TILE, span, "a tile's loop over blocks must be `@outer` or `@inner`"))
            }
        }
    }

    fn open_nest(
        &mut self,
        index: u8,
        name: &str,
        range: Range,
        f: &For,
        body: impl FnOnce(&mut Self, VarId) -> Lowered<()>,
    ) -> Lowered<()> {
        let span = head_span(f);
        let has_items = depth_of(&f.body, AxisKind::Inner) > 0;
        let nest = Nest {
            outer: [None, None, None],
            stmts: Vec::new(),
            exclusive: Vec::new(),
            shared: Vec::new(),
            dialect: Dialect::Lowered,
            launch: None,
            coarsened: None,
            span,
        };
        let (floated, guards, item_loops) = (HashMap::new(), HashSet::new(), Vec::new());
        let folded = Vec::new();
        let (is_loop_tail, is_tail) = (true, true);
        let (row_writes, subgroups) = (HashSet::new(), super::subgroup::Subgroups::default());
        self.nest = Some(NestDraft {
            nest,
            floated,
            guards,
            item_loops,
            folded,
            row_writes,
            subgroups,
            has_items,
            is_loop_tail,
            is_tail,
        });
        self.level = Level::Group;
        self.targets.push(Target::Outer);
        let findings = self.unit.found.len();
        let (stmts, result) = self.captured(|s| {
            let var = s.nest_axis(index, name, range, span)?;
            body(s, var)
        });
        self.targets.pop();
        let is_clean = result.is_ok() && self.unit.found[findings..].iter().all(|d| d.severity == Severity::Warning);
        let finished = self.close_nest(stmts, span, is_clean);
        self.level = Level::Host;
        let number = self.nests.len() as u32;
        self.nests.extend(finished);
        self.emit(StmtKind::Mark(Mark::Launch(number)), span);
        result
    }

    fn close_nest(&mut self, mut stmts: Vec<crate::ir::Stmt>, span: Span, is_clean: bool) -> Option<Nest> {
        let has_region = super::cut::has_region(&stmts);
        if is_clean {
            self.check_outer_axes();
        }
        self.settle_extents(&mut stmts, Part::Outer(0));
        let stmts = self.fold_outer_axes(stmts);
        let stmts = self.place_exclusive_values(stmts);
        self.check_ended_items(&stmts);
        let stmts = self.split_regions(stmts);
        let mut draft = self.nest.take()?;
        if is_clean && !has_region {
            self.report(
                Diagnostic::error(rules::NO_INNER, span, "this `@outer` loop holds no `@inner` loop")
                    .hint("the work of a group is done by items: add `for (int item = 0; item < 1; ++item; @inner)`"),
            );
        }
        draft.nest.stmts = stmts;
        Some(draft.nest)
    }

    fn fold_outer_axes(&mut self, stmts: Vec<crate::ir::Stmt>) -> Vec<crate::ir::Stmt> {
        let Some((mut axes, folded)) =
            self.nest.as_mut().map(|n| (std::mem::take(&mut n.nest.outer), std::mem::take(&mut n.folded)))
        else {
            return stmts;
        };
        let mut all = self.fold_axes(&mut axes, folded, Role::Outer(2));
        if let Some(draft) = &mut self.nest {
            draft.nest.outer = axes;
        }
        all.extend(stmts);
        all
    }

    fn open_outer(
        &mut self,
        index: u8,
        name: &str,
        range: Range,
        span: Span,
        body: impl FnOnce(&mut Self, VarId) -> Lowered<()>,
    ) -> Lowered<()> {
        let var = self.nest_axis(index, name, range, span)?;
        let saved = self.tails();
        self.set_tails([saved[0], true, saved[2]]);
        self.targets.push(Target::Outer);
        let result = body(self, var);
        self.targets.pop();
        self.set_tails(saved);
        result
    }
}

/// The loop over the blocks of a tile.
fn blocks_of(range: &Range, size: &Expr, span: Span) -> Range {
    let wide = |e: &Expr| implicit(e.clone(), Scalar::I64);
    let scalar = super::constants::scalar_of(&range.step);
    let product = integer_of(&range.step).zip(integer_of(size)).and_then(|(step, size)| step.checked_mul(size));
    let step = match product.filter(|&n| ScalarValue::from_integer(n, scalar).integer() == Some(n)) {
        Some(product) => Expr::int(product as i64, scalar, span),
        None => binary(BinaryOp::Mul, wide(&range.step), wide(size), span),
    };
    Range {
        scalar: range.scalar,
        start: range.start.clone(),
        step,
        count: divide_up(range.count.clone(), size.clone(), span),
        bound: range.bound.clone(),
    }
}
