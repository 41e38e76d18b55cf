//! Groups of a few items, as those of elements of low order: their loops are written out, so that compilers keep arrays of a few
//! elements in registers. Left to themselves they do so for single loops, and stop at those that hold others. The loop over
//! groups then holds no other one, and clang would gather the values of several groups into vectors, which is slower.

use super::Printer;
use crate::back::writer::Writer;
use crate::ir::{BinaryOp, Builtin, Expr, ExprKind, Loop, Role, Stmt, StmtKind, Uses};
use crate::passes::counters::iterations;
use crate::passes::dependence::jumps;

/// Most items of such a group.
const ITEMS: u64 = 16;

/// Most iterations of such a loop.
const ITERATIONS: i64 = 4;

/// Most nodes of the IR that a loop becomes, so that a kernel still compiles in two seconds.
const NODES: u64 = 24_000;

/// Elements of a vector.
const VECTOR: u64 = 4;

impl Printer<'_> {
    /// Marks a loop that is to be written out, and that over groups around such loops. Loops over a row of items, of which
    /// compilers make vectors, are not written out.
    pub(super) fn mark_written_out(&self, out: &mut Writer<'_>, l: &Loop) {
        let (Some(marks), Some(block)) = (self.words.written_out, self.launch.and_then(|launch| launch.block())) else {
            return;
        };
        let items = block.iter().product::<u64>();
        let has_groups = l.condition.as_ref().is_some_and(is_below_range_end);
        if has_groups && 1 < items && items <= ITEMS && block[0] < VECTOR {
            self.mark(out, marks.groups);
        }
        let is_row = l.variable().is_some_and(|var| self.body.var(var).role == Role::Inner(0));
        let is_few = items <= ITEMS && count(l).is_some_and(|count| count <= ITERATIONS);
        // `#pragma unroll 1`: the author knows better.
        let is_kept = l.unroll == Some(1);
        if is_few && !is_row && !is_kept && !jumps(&l.body) && nodes_of(l) <= NODES {
            self.mark(out, if block[0] < VECTOR { marks.short_rows } else { marks.rows });
        }
    }

    fn mark(&self, out: &mut Writer<'_>, mark: &'static str) {
        self.needs.borrow_mut().marks.insert(mark);
        out.line(mark);
    }
}

/// `group < end`, of the loop over groups.
fn is_below_range_end(condition: &Expr) -> bool {
    let ExprKind::Binary(BinaryOp::Lt, _, end) = &condition.kind else { return false };
    matches!(end.kind, ExprKind::Builtin(Builtin::RangeEnd))
}

fn count(l: &Loop) -> Option<i64> {
    l.condition.as_ref().and_then(|condition| iterations(&l.init, condition, &l.update))
}

/// The nodes of a loop once it and the loops within are written out.
fn nodes_of(l: &Loop) -> u64 {
    let times = count(l).and_then(|count| u64::try_from(count).ok()).unwrap_or(1);
    times.saturating_mul(nodes(&l.body))
}

fn nodes(stmts: &[Stmt]) -> u64 {
    let of_one = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Loop(l) => nodes_of(l),
        StmtKind::If { condition, then, otherwise } => {
            let condition = Uses::of_expr(condition).weight as u64;
            condition.saturating_add(nodes(then)).saturating_add(nodes(otherwise))
        }
        StmtKind::Block(stmts) => nodes(stmts),
        _ => Uses::of(std::slice::from_ref(stmt)).weight as u64,
    };
    stmts.iter().map(of_one).fold(0, u64::saturating_add)
}
