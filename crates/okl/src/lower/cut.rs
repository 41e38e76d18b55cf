//! Regions cut at `@barrier`s, so that the only barriers left are those between regions.
//!
//! A cut at the top of a region's body makes two regions of it. A cut inside a sequential loop or an `if` *lifts* that
//! statement to group level, which is right only where all items of a group take the same way through it: its control
//! must be uniform. The bound check of a `@tile` is the exception: it is repeated in both parts, because a barrier
//! that only the items within bounds pass would hang a GPU.
//!
//! What lives across a cut is the business of [`super::live_across`].

use super::Lowered;
use super::Reported;
use super::constants::constant;
use super::context::{Level, Lowering};
use super::uniformity::{Control, below, cut_in, exits_loop, has_cut};
use crate::diagnostic::Diagnostic;
use crate::ir::Uses;
use crate::ir::rewrite::{Rewriter, rewrite_stmt};
use crate::ir::value::ScalarValue;
use crate::ir::{Axis, Expr, Initializer, Loop, Mark, Meeting, Region, Role, Scalar, Stmt, StmtKind, Type, VarId};
use crate::rules;
use crate::source::Span;
use std::collections::BTreeSet;

/// Whether a list holds a region.
pub(super) fn has_region(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Inner(_) => true,
        _ => below(stmt, has_region),
    })
}

fn ends_item(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| matches!(stmt.kind, StmtKind::EndItem) || below(stmt, ends_item))
}

impl Lowering<'_, '_> {
    /// Cuts every region of a nest at its barriers.
    pub(super) fn split_regions(&mut self, stmts: Vec<Stmt>) -> Vec<Stmt> {
        let mut out = Vec::with_capacity(stmts.len());
        for mut stmt in stmts {
            match stmt.kind {
                StmtKind::Inner(region) if cut_in(&region.body).is_some() => {
                    let parts = self.split(*region, stmt.span);
                    out.extend(self.keep_live(parts));
                    continue;
                }
                StmtKind::If { ref mut then, ref mut otherwise, .. } => {
                    *then = self.split_regions(std::mem::take(then));
                    *otherwise = self.split_regions(std::mem::take(otherwise));
                }
                StmtKind::Loop(ref mut l) => l.body = self.split_regions(std::mem::take(&mut l.body)),
                StmtKind::Switch { ref mut arms, .. } => {
                    for arm in arms {
                        arm.body = self.split_regions(std::mem::take(&mut arm.body));
                    }
                }
                StmtKind::Block(ref mut list) => *list = self.split_regions(std::mem::take(list)),
                _ => {}
            }
            out.push(stmt);
        }
        out
    }

    fn split(&mut self, region: Region, span: Span) -> Vec<Stmt> {
        let lifted = Control::of(self, &region.body).lifted();
        for var in &lifted {
            self.info[var.0 as usize].level = Level::Group;
        }
        let done = ends_item(&region.body).then(|| {
            let var = self.roled("done", Scalar::Bool.into(), Role::Exclusive, span);
            if let Some(draft) = &mut self.nest {
                draft.nest.exclusive.push(var);
            }
            var
        });
        let frame = Frame { guard: None, stmts: Vec::new() };
        // Where values are exchanged, items meet at the program's barriers only.
        let between = if self.has_exchange(&region.body) { Meeting::Exchange } else { Meeting::Barrier };
        let mut splitter = Splitter {
            lowering: self,
            axes: region.axes,
            frames: vec![frame],
            lifted,
            done,
            parts: Vec::new(),
            started: false,
            between,
            span,
        };
        if let Some(done) = done {
            let start = splitter.flag(done, false);
            splitter.push(start);
        }
        let _ = splitter.list(region.body, false);
        splitter.flush(Meeting::Barrier);
        splitter.parts
    }
}

/// Statements of the region being collected, within the bound check of a tile where there is one.
struct Frame {
    guard: Option<(Expr, Span)>,
    stmts: Vec<Stmt>,
}

/// Collects the parts of one region.
struct Splitter<'l, 'u, 'f> {
    lowering: &'l mut Lowering<'u, 'f>,
    axes: [Option<Axis>; 3],
    frames: Vec<Frame>,
    lifted: BTreeSet<VarId>,
    /// Set by items that `continue` their inner loop: no later part of it is theirs.
    done: Option<VarId>,
    /// Statements at group level.
    parts: Vec<Stmt>,
    /// A region has been completed.
    started: bool,
    /// How items meet where a region ends because of the statement that follows.
    between: Meeting,
    span: Span,
}

impl Splitter<'_, '_, '_> {
    fn push(&mut self, stmt: Stmt) {
        if let Some(frame) = self.frames.last_mut() {
            frame.stmts.push(stmt);
        }
    }

    fn flag(&self, done: VarId, value: bool) -> Stmt {
        let value = constant(ScalarValue::Bool(value), self.span);
        Stmt {
            kind: StmtKind::Assign { place: self.lowering.whole(done, self.span), op: None, value },
            span: self.span,
        }
    }

    /// Ends the region being collected, behind which items meet so; an empty one vanishes.
    fn flush(&mut self, meeting: Meeting) {
        let mut body = Vec::new();
        for frame in self.frames.iter_mut().rev() {
            let mut stmts = std::mem::take(&mut frame.stmts);
            if !body.is_empty() {
                stmts.append(&mut body);
            }
            body = match &frame.guard {
                Some((guard, span)) if !stmts.is_empty() => {
                    let kind = StmtKind::If { condition: guard.clone(), then: stmts, otherwise: Vec::new() };
                    vec![Stmt { kind, span: *span }]
                }
                _ => stmts,
            };
        }
        if body.is_empty() {
            return self.meet(meeting);
        }
        if let Some(done) = self.done {
            let set = self.flag(done, true);
            FlagItems { set: &set }.list(&mut body);
            if self.started {
                let condition = self.lowering.read(done, self.span);
                let end = Stmt { kind: StmtKind::EndItem, span: self.span };
                let kind = StmtKind::If { condition, then: vec![end], otherwise: Vec::new() };
                body.insert(0, Stmt { kind, span: self.span });
            }
        }
        self.started = true;
        self.region(body, meeting);
    }

    fn region(&mut self, body: Vec<Stmt>, meeting: Meeting) {
        let region = Region { axes: self.axes.clone(), body, meeting };
        self.parts.push(Stmt { kind: StmtKind::Inner(Box::new(region)), span: self.span });
    }

    /// Items meet where a region has ended that they met behind for an exchange only.
    fn meet(&mut self, meeting: Meeting) {
        if (meeting, self.between) != (Meeting::Barrier, Meeting::Exchange) {
            return;
        }
        match self.parts.last_mut().map(|stmt| &mut stmt.kind) {
            Some(StmtKind::Inner(region)) => region.meeting = meeting,
            // What ran last stands within that statement, or before the list.
            _ => self.region(Vec::new(), meeting),
        }
    }

    fn list(&mut self, stmts: Vec<Stmt>, in_loop: bool) -> Lowered<()> {
        let mut result = Ok(());
        for stmt in stmts {
            if has_cut(&stmt) || (in_loop && exits_loop(&stmt)) {
                result = result.and(self.boundary(stmt, in_loop));
                continue;
            }
            match &stmt.kind {
                StmtKind::Declare { var, init } if self.lifted.contains(var) => {
                    // Without memory in it, the value is the same before the statements that are collected.
                    if matches!(init, Some(Initializer::Value(value)) if self.reads_memory(value)) {
                        self.flush(self.between);
                    }
                    self.parts.push(stmt);
                }
                _ => self.push(stmt),
            }
        }
        result
    }

    fn reads_memory(&self, value: &Expr) -> bool {
        Uses::of_expr(value).mentioned.iter().any(|v| {
            let var = self.lowering.body.var(*v);
            !matches!(var.ty, Type::Scalar(_)) || var.role.is_shared()
        })
    }

    /// A statement with a cut in it.
    fn boundary(&mut self, stmt: Stmt, in_loop: bool) -> Lowered<()> {
        let span = stmt.span;
        match stmt.kind {
            StmtKind::Mark(Mark::Barrier(meeting)) => {
                let guard = self.frames.iter().rev().find_map(|frame| frame.guard.as_ref());
                if let (Some(name), Some((_, at))) = (self.lowering.subgroup_at_cut(span), guard) {
                    let at = *at;
                    return Err(self.lowering.not_all_reach(
                        name,
                        span,
                        "items beyond the bound of this loop do not",
                        at,
                    ));
                }
                self.flush(meeting);
                Ok(())
            }
            StmtKind::Block(stmts) => self.list(stmts, in_loop),
            StmtKind::If { condition, then, .. } if self.is_guard(span) => self.guarded(condition, then, span, in_loop),
            StmtKind::If { condition, then, otherwise } => {
                self.check_uniform(&condition, "an `if`", span, &then, &otherwise)?;
                self.flush(self.between);
                let (then, a) = self.nested(then, in_loop);
                let (otherwise, b) = self.nested(otherwise, in_loop);
                self.parts.push(Stmt { kind: StmtKind::If { condition, then, otherwise }, span });
                a.and(b)
            }
            StmtKind::Loop(l) => self.lifted_loop(*l, span),
            StmtKind::Break | StmtKind::Continue => {
                self.flush(self.between);
                self.parts.push(stmt);
                Ok(())
            }
            _ => {
                let at = cut_in(std::slice::from_ref(&stmt)).unwrap_or(span);
                if let Some(name) = self.lowering.subgroup_at_cut(at) {
                    return Err(self.lowering.not_all_reach(name, at, "it stands in a `switch`", span));
                }
                Err(self.lowering.error(rules::BARRIER_PLACE, at, "a `@barrier` cannot be in a `switch`"))
            }
        }
    }

    fn is_guard(&self, span: Span) -> bool {
        self.lowering.nest.as_ref().is_some_and(|n| n.guards.contains(&span))
    }

    fn guarded(&mut self, condition: Expr, then: Vec<Stmt>, span: Span, in_loop: bool) -> Lowered<()> {
        let guard = if self.lowering.is_stable(&condition) {
            condition
        } else {
            let (declare, value) = self.lowering.captured(|l| l.held(condition, "within"));
            declare.into_iter().for_each(|stmt| self.push(stmt));
            value
        };
        self.frames.push(Frame { guard: Some((guard, span)), stmts: Vec::new() });
        let result = self.list(then, in_loop);
        let frame = self.frames.pop();
        if let Some(Frame { guard: Some((condition, span)), stmts: then }) = frame
            && !then.is_empty()
        {
            let kind = StmtKind::If { condition, then, otherwise: Vec::new() };
            self.push(Stmt { kind, span });
        }
        result
    }

    /// The parts of a list that becomes one of the group.
    fn nested(&mut self, stmts: Vec<Stmt>, in_loop: bool) -> (Vec<Stmt>, Lowered<()>) {
        let outer = std::mem::take(&mut self.parts);
        let result = self.list(stmts, in_loop);
        self.flush(self.between);
        (std::mem::replace(&mut self.parts, outer), result)
    }

    fn lifted_loop(&mut self, l: Loop, span: Span) -> Lowered<()> {
        if let Some(condition) = &l.condition {
            self.check_uniform(condition, "a loop", span, &l.body, &[])?;
        }
        for stmt in l.init.iter().chain(&l.head).chain(&l.update) {
            let is_lifted = match &stmt.kind {
                StmtKind::Declare { var, .. } => self.lifted.contains(var),
                StmtKind::Assign { place, .. } => place.path.is_empty() && self.lifted.contains(&place.root),
                _ => false,
            };
            if !is_lifted {
                return Err(self.not_uniform("a loop", stmt.span, &l.body, &[]));
            }
        }
        self.flush(self.between);
        let (body, result) = self.nested(l.body, true);
        self.parts.push(Stmt { kind: StmtKind::Loop(Box::new(Loop { body, ..l })), span });
        result
    }

    fn check_uniform(
        &mut self,
        condition: &Expr,
        what: &str,
        span: Span,
        then: &[Stmt],
        otherwise: &[Stmt],
    ) -> Lowered<()> {
        if self.lowering.is_uniform(condition, &self.lifted) {
            return Ok(());
        }
        let span = if condition.span == Span::default() { span } else { condition.span };
        Err(self.not_uniform(what, span, then, otherwise))
    }

    fn not_uniform(&mut self, what: &str, span: Span, then: &[Stmt], otherwise: &[Stmt]) -> Reported {
        let cut = cut_in(then).or_else(|| cut_in(otherwise));
        if let Some((cut, name)) = cut.and_then(|cut| Some((cut, self.lowering.subgroup_at_cut(cut)?))) {
            return self.lowering.not_all_reach(name, cut, &format!("the way of {what} depends on the item"), span);
        }
        if let Some(cut) = cut.filter(|cut| self.lowering.nest.as_ref().is_some_and(|n| n.row_writes.contains(cut))) {
            return self.lowering.row_in_branch(cut, span);
        }
        let diagnostic = match cut {
            Some(cut) => {
                Diagnostic::error(rules::DIVERGENT_BARRIER, cut, format!("this `@barrier` stands in {what} whose way differs from item to item"))
                    .label(span, "this depends on the item")
                    .hint("every item of a group must reach a barrier: make the condition the same for all, or move the barrier out")
            }
            None => Diagnostic::error(rules::DIVERGENT_BARRIER, span, format!("{what} that leaves a loop with a `@barrier` differs from item to item"))
                .hint("every item of a group must reach a barrier equally often"),
        };
        self.lowering.report(diagnostic)
    }
}

/// Puts the flag before every end of an item.
struct FlagItems<'s> {
    set: &'s Stmt,
}

impl Rewriter for FlagItems<'_> {
    fn list(&mut self, stmts: &mut Vec<Stmt>) {
        let mut out = Vec::with_capacity(stmts.len());
        for mut stmt in std::mem::take(stmts) {
            if matches!(stmt.kind, StmtKind::EndItem) {
                out.push(self.set.clone());
            }
            rewrite_stmt(self, &mut stmt);
            out.push(stmt);
        }
        *stmts = out;
    }
}
