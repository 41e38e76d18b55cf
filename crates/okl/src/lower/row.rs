//! Statements between two nested `@inner` loops that write memory: `for (j; @inner) { s[j] = 0; for (k; @inner) … }`.
//!
//! What stands there is written once for a row of items, and so it happens once: the first item of the row does it, behind a
//! barrier, and another one stands behind it, so that every item sees it as it would if the loops ran one after the other.

use super::Lowered;
use super::attributes::AxisKind;
use super::constants::integer_of;
use super::context::Lowering;
use super::loop_attributes::{Part, depth_of};
use super::uniformity::{below, exits_loop};
use crate::diagnostic::Diagnostic;
use crate::front::ast::{self, StmtKind as S};
use crate::ir::{BinaryOp, Expr, Mark, Meeting, Stmt, StmtKind, Type, VarId, for_declarations};
use crate::rules;
use crate::source::Span;
use std::collections::BTreeSet;

/// Whether a statement is one of a row, where it stands between two nested `@inner` loops.
pub(super) fn is_of_row(stmt: &ast::Stmt) -> bool {
    let is_kind = matches!(
        stmt.kind,
        S::Expr(_) | S::If { .. } | S::For(_) | S::While { .. } | S::DoWhile { .. } | S::Switch { .. } | S::Block(_)
    );
    is_kind && depth_of(stmt, AxisKind::Inner) == 0 && depth_of(stmt, AxisKind::Outer) == 0
}

/// Whether an item ends in a statement.
fn ends(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::EndItem | StmtKind::Return(_)) || below(stmt, |stmts| stmts.iter().any(ends))
}

impl Lowering<'_, '_> {
    /// A statement between two nested `@inner` loops.
    pub(super) fn row_statement(&mut self, stmt: &ast::Stmt) -> Lowered<()> {
        let span = stmt.span;
        self.row_writes = Some(false);
        let (stmts, result) = self.captured(|s| s.stmt(stmt));
        let writes = self.row_writes.take() == Some(true);
        result?;
        if !writes {
            self.out.extend(stmts);
            return Ok(());
        }
        if stmts.iter().any(|stmt| exits_loop(stmt) || ends(stmt)) {
            let message = "this writes memory between two nested `@inner` loops, and ends the item";
            let finding = Diagnostic::error(rules::SHARED_WRITE, span, message);
            return Err(self.report(finding.hint("move the statement into the innermost `@inner` loop")));
        }
        self.check_locals_of_row(&stmts, span)?;
        let open = self.open_parts.iter().map(|(part, _)| *part).filter(|part| matches!(part, Part::Inner(_)));
        let open: Vec<Part> = open.collect();
        let number = self.rows.len() as u32;
        self.rows.push(open);
        if let Some(draft) = &mut self.nest {
            draft.row_writes.insert(span);
        }
        let mark = Stmt { kind: StmtKind::Mark(Mark::Row(number)), span };
        self.emit(StmtKind::Mark(Mark::Barrier(Meeting::Barrier)), span);
        self.emit(StmtKind::Block(std::iter::once(mark).chain(stmts).collect()), span);
        self.emit(StmtKind::Mark(Mark::Barrier(Meeting::Barrier)), span);
        Ok(())
    }

    /// A statement that writes memory once must not write what each item has of its own.
    fn check_locals_of_row(&mut self, stmts: &[Stmt], span: Span) -> Lowered<()> {
        let mut own: BTreeSet<VarId> = BTreeSet::new();
        for_declarations(stmts, &mut |var, _| {
            own.insert(var);
        });
        let assigned = crate::ir::Uses::of(stmts).assigned;
        let local = assigned.into_iter().find(|var| {
            let of = self.body.var(*var);
            !own.contains(var) && !of.role.is_shared() && !matches!(of.ty, Type::Pointer(_))
        });
        let Some(local) = local else { return Ok(()) };
        let name = self.called(local);
        let message = format!("this writes `{name}`, which each item has of its own, and memory that all of them have");
        let finding = Diagnostic::error(rules::SHARED_WRITE, span, message);
        Err(self.report(finding.hint("write a statement for each, or move it into the innermost `@inner` loop")))
    }

    /// Whether an item is the first of a row: the first along each axis of the region that is not open there.
    pub(super) fn is_first_of_row(&self, number: u32, span: Span) -> Option<Expr> {
        let open = &self.rows[number as usize];
        let axes = (0..self.inner_axes()).map(Part::Inner).filter(|part| !open.contains(part));
        let first = axes.filter_map(|part| {
            let axis = self.axis_of(part)?;
            let is_alone = integer_of(&axis.count) == Some(1);
            let position = self.position_on(axis, span).filter(|_| !is_alone)?;
            let zero = super::constants::zero(super::constants::scalar_of(&position), span);
            super::constants::arithmetic(BinaryOp::Eq, position, zero, span)
        });
        first.reduce(|a, b| super::constants::binary(BinaryOp::LogicAnd, a, b, span))
    }

    /// Places for axes of the region being lowered.
    fn inner_axes(&self) -> u8 {
        self.region.as_ref().map_or(0, |region| 3 + region.folded.len() as u8)
    }

    /// A write between `@inner` loops that not every item reaches.
    pub(super) fn row_in_branch(&mut self, span: Span, at: Span) -> super::Reported {
        let message = "this writes memory between two nested `@inner` loops, where not every item of the group comes";
        let finding = Diagnostic::error(rules::SHARED_WRITE, span, message);
        let finding = finding.label(at, "this depends on the item");
        self.report(finding.hint("move the statement into the innermost `@inner` loop"))
    }
}
