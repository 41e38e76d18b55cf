//! The head of a loop: what counts its iterations, how far, and whether they are known.

use super::items::Items;
use crate::ir::{Body, Expr, Initializer, Loop, Stmt, StmtKind, Uses, VarId};
use crate::passes::counters::{advanced, bound_of, iterations};
use std::collections::BTreeSet;

/// The head of the group's loop.
pub(super) struct Head {
    pub(super) init: Vec<Stmt>,
    pub(super) condition: Expr,
    pub(super) update: Vec<Stmt>,
    pub(super) unroll: Option<u32>,
    /// It ends, whether any item runs its body or not.
    pub(super) ends: bool,
    /// The iterations that it takes, where they are known.
    pub(super) iterations: Option<i64>,
}

impl Head {
    /// The head of a loop that all items run alike.
    pub(super) fn uniform(body: &Body, items: &Items, l: &Loop) -> Option<Self> {
        let mut counters = BTreeSet::new();
        for stmt in &l.init {
            let StmtKind::Declare { var, init: Some(Initializer::Value(_)) } = stmt.kind else { return None };
            counters.insert(var);
        }
        let all_assign = |stmts: &[Stmt]| {
            let counts = |stmt: &Stmt| matches!(&stmt.kind, StmtKind::Assign { place, .. } if place.path.is_empty() && counters.contains(&place.root));
            stmts.iter().all(counts)
        };
        let is_counted = l.head.is_empty() && !l.test_last && all_assign(&l.update);
        if !is_counted || !Uses::of(&l.body).assigned.is_disjoint(&counters) {
            return None;
        }
        // The counters are the group's; nothing else may differ from item to item.
        let without = |set: &BTreeSet<VarId>| set.difference(&counters).copied().collect();
        let (own, assigned) = (without(&items.own), without(&items.assigned));
        let (axes, definitions) = (items.axes.clone(), items.definitions.clone());
        let of_group = Items { axes, assigned, own, definitions, ..*items };
        let (mut init, mut update) = (l.init.clone(), l.update.clone());
        for stmt in init.iter_mut().chain(&mut update) {
            match &mut stmt.kind {
                StmtKind::Declare { init: Some(Initializer::Value(value)), .. } | StmtKind::Assign { value, .. } => {
                    *value = of_group.uniform(body, &items.inlined(value))?;
                }
                _ => return None,
            }
        }
        let condition = of_group.uniform(body, &items.inlined(l.condition.as_ref()?))?;
        let iterations = iterations(&init, &condition, &update);
        let step = match update.as_slice() {
            [update] => advanced(update).filter(|(counter, _)| bound_of(&condition, *counter).is_some()),
            _ => None,
        };
        let ends = step.is_some_and(|(_, step)| step.as_int().is_some_and(|step| step > 0));
        Some(Self { init, condition, update, unroll: l.unroll, ends, iterations })
    }
}
