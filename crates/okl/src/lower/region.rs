//! `@inner` loops: the axes of a region and what runs per item.
//!
//! Inner loops that stand side by side within an inner loop belong to its region: no barrier is implied between them,
//! as in OCCA. A region ends where its outermost inner loop does, or at a `@barrier`.

use super::Lowered;
use super::attributes::AxisKind;
use super::context::{Level, Lowering, RegionDraft, Target};
use super::loop_attributes::{Part, axes_of, depth_of};
use super::loops::{Range, head_span};
use crate::diagnostic::Diagnostic;
use crate::front::ast::For;
use crate::ir::{Loop, Meeting, Region, Role, StmtKind, VarId};
use crate::rules;
use crate::source::Span;

impl Lowering<'_, '_> {
    pub(super) fn open_region(
        &mut self,
        index: u8,
        name: &str,
        range: Range,
        f: &For,
        span: Span,
        body: impl FnOnce(&mut Self, VarId) -> Lowered<()>,
    ) -> Lowered<()> {
        // A start that reads memory or a variable is taken once, by the group.
        let start =
            if self.is_host(&range.start) { range.start } else { self.freeze(range.start, &format!("{name}_start")) };
        let region = Region { axes: [None, None, None], body: Vec::new(), meeting: Meeting::Barrier };
        self.region = Some(RegionDraft { region, folded: Vec::new(), is_tail: true, open: 0, depth: None });
        let (mut stmts, result) = self.captured(|s| s.open_inner(index, name, Range { start, ..range }, f, span, body));
        self.settle_extents(&mut stmts, Part::Inner(0));
        if let Some(mut draft) = self.region.take() {
            draft.region.body = self.fold_axes(&mut draft.region.axes, draft.folded, Role::Inner(2));
            draft.region.body.extend(stmts);
            self.level = Level::Group;
            self.emit(StmtKind::Inner(Box::new(draft.region)), span);
        }
        self.level = Level::Group;
        result
    }

    pub(super) fn open_inner(
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
        let result = self.region_axis(index, name, range, span).and_then(|var| self.inner_body(f, span, var, body));
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
        let own = axes_of(f, AxisKind::Inner);
        let open = self.region.as_ref().map_or(0, |r| r.open) + 1;
        // The second loop of a tile whose both loops are inner is opened by `body`.
        let more = depth_of(&f.body, AxisKind::Inner) + own.saturating_sub(1) > 0 && !self.is_last_part(f, own);
        if !more {
            self.level = Level::Item;
            self.note_outer_axes(span);
            self.check_depth(open, span)?;
        }
        let is_tail = self.region.as_ref().is_none_or(|r| r.is_tail);
        if let Some(draft) = &mut self.region {
            draft.open = open;
        }
        let target = if is_tail { Target::Inner } else { Target::InnerOnce };
        self.targets.push(target);
        let (stmts, result) = self.captured(|s| body(s, var));
        self.targets.pop();
        if let Some(draft) = &mut self.region {
            draft.open = open - 1;
            draft.is_tail = is_tail;
        }
        if target == Target::InnerOnce && breaks(&stmts) {
            let once = Some(super::constants::constant(crate::ir::value::ScalarValue::Bool(false), span));
            self.emit_loop(
                Loop {
                    init: Vec::new(),
                    head: Vec::new(),
                    condition: once,
                    update: Vec::new(),
                    body: stmts,
                    test_last: true,
                    unroll: None,
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
        let opened = self
            .region
            .iter()
            .flat_map(|r| r.region.axes.iter().chain(&r.folded))
            .flatten()
            .filter(|a| a.span == span)
            .count();
        own > 1 && opened == own && depth_of(&f.body, AxisKind::Inner) == 0
    }

    /// The `@outer` loops around an innermost `@inner` loop; which others the nest has is known at its end.
    fn note_outer_axes(&mut self, span: Span) {
        let outer = |part: &Part| matches!(part, Part::Outer(_));
        let axes = self.open_parts.iter().map(|(part, _)| *part).filter(outer).collect();
        if let Some(draft) = &mut self.nest {
            draft.item_loops.push((span, axes));
        }
    }

    /// Refuses `@inner` loops beside an `@outer` loop: they would run once for each of its groups.
    pub(super) fn check_outer_axes(&mut self) {
        let Some(draft) = &self.nest else { return };
        let axes = draft.nest.outer.iter().chain(&draft.folded).zip(0..);
        let axes: Vec<(Part, Span)> =
            axes.filter_map(|(axis, index)| Some((Part::Outer(index), axis.as_ref()?.span))).collect();
        let beside = |open: &[Part]| axes.iter().find(|(part, _)| !open.contains(part)).map(|(_, span)| *span);
        let found: Vec<(Span, Span)> =
            draft.item_loops.iter().filter_map(|(span, axes)| Some((*span, beside(axes)?))).collect();
        for (span, outer) in found {
            self.report(
                Diagnostic::error(
                    rules::REGION_BESIDE_OUTER,
                    span,
                    "this `@inner` loop stands beside an `@outer` loop, and would run once for each of its groups",
                )
                .label(outer, "the `@outer` loop")
                .hint("give the `@inner` loop a nest of `@outer` loops of its own, before or after this one"),
            );
        }
    }

    fn check_depth(&mut self, open: u32, span: Span) -> Lowered<()> {
        let Some(draft) = &mut self.region else {
            return Ok(());
        };
        let expected = *draft.depth.get_or_insert(open);
        if expected == open {
            return Ok(());
        }
        Err(self.error(
            rules::DEPTHS_DIFFER,
            span,
            format!("this innermost `@inner` loop is {open} deep, another one of the same region {expected}"),
        ))
    }
}

/// Whether a list leaves the loop that it is the body of.
fn breaks(stmts: &[crate::ir::Stmt]) -> bool {
    stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Break => true,
        StmtKind::If { then, otherwise, .. } => breaks(then) || breaks(otherwise),
        StmtKind::Block(stmts) => breaks(stmts),
        _ => false,
    })
}
