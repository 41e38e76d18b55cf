//! The parts of an item around the loop that it leaves by itself.

use super::divergence;
use crate::ir::{Body, Expr, Initializer, Loop, Stmt, StmtKind, Uses, VarId, ends_item};
use crate::passes::counters::advanced;
use crate::passes::interchange::prints_itself;
use crate::passes::lanes::{Items, flat, runs_items, split_common};
use std::collections::BTreeSet;

/// What an item does, around the loop that it leaves by itself.
pub(super) struct Parts {
    /// Definitions that are the same for all items.
    pub(super) common: Vec<Stmt>,
    pub(super) before: Vec<Stmt>,
    pub(super) repeated: Loop,
    /// Items that are still in the loop count alike: the block counts for them, and the loop keeps its head.
    pub(super) is_counted: bool,
    pub(super) after: Vec<Stmt>,
}

impl Parts {
    pub(super) fn of(body: &Body, items: &Items, stmts: &[Stmt]) -> Option<Self> {
        let mut stmts = flat(stmts);
        let at = stmts.iter().position(|stmt| matches!(stmt.kind, StmtKind::Loop(_)))?;
        let mut own = Uses::of(&stmts).assigned;
        own.insert(items.var);
        let after = stmts.split_off(at + 1);
        // A loop over groups, whose items are that loop.
        if runs_items(body, &stmts) {
            return None;
        }
        let StmtKind::Loop(mut repeated) = stmts.pop()?.kind else { return None };
        let refuses = |part: &[Stmt]| ends_item(part) || prints_itself(part);
        if refuses(&stmts)
            || refuses(&after)
            || runs_items(body, &after)
            || !divergence::leaves_apart(items.var, &stmts, &repeated)
        {
            return None;
        }
        let (common, mut before) = split_common(body, &mut own, stmts);
        let is_counted = counts_alike(&repeated, &own);
        if !is_counted {
            before.append(&mut repeated.init);
        }
        Some(Self { common, before, repeated: *repeated, is_counted, after })
    }
}

/// Whether the head of a loop counts alike in all items, which have variables of their own.
fn counts_alike(l: &Loop, own: &BTreeSet<VarId>) -> bool {
    let ([init], [update], Some(condition)) = (l.init.as_slice(), l.update.as_slice(), &l.condition) else {
        return false;
    };
    let StmtKind::Declare { var, init: Some(Initializer::Value(first)) } = &init.kind else { return false };
    let is_alike = |expr: &Expr| {
        expr.is_speculatable() && Uses::of_expr(expr).mentioned.iter().all(|of| of == var || !own.contains(of))
    };
    advanced(update).is_some_and(|(counter, step)| counter == *var && is_alike(step))
        && is_alike(first)
        && is_alike(condition)
        && !Uses::of(&l.body).assigned.contains(var)
        && l.head.is_empty()
        && !l.test_last
}
