//! Which loops are worth it: those with the items inside of which neighbours access neighbouring elements.

use super::Parts;
use super::head::Head;
use super::items::Items;
use crate::ir::affine::{Affine, Facts, Reading};
use crate::ir::{
    Body, Expr, ExprKind, Initializer, Place, Projection, Stmt, StmtKind, Type, Uses, VarId, Visitor, for_declarations,
    walk_expr, walk_place, walk_stmt,
};
use crate::passes::fold::free_definition;

/// Most variables that become exclusive for one loop: each costs a load and a store where it was a register.
const MOST_EXCLUSIVE: usize = 4;

/// Turns of a loop that C compilers unroll by themselves: its variables stay registers then.
pub(super) const UNROLLED: i64 = 16;

/// Variables that live from the part before the loop to another one; `None` where one of them cannot be exclusive.
pub(super) fn live_across(items: &Items, parts: &Parts) -> Option<Vec<VarId>> {
    let Parts { before, inside, after, .. } = parts;
    let mut mentioned = Uses::of(&[inside.as_slice(), after].concat()).mentioned;
    for stmt in before.iter().rev() {
        if let StmtKind::Declare { var, .. } = stmt.kind
            && let (true, Some(value)) = (mentioned.contains(&var), items.definitions.get(&var))
        {
            mentioned.extend(Uses::of_expr(value).mentioned);
        }
    }
    let mut live = Vec::new();
    for stmt in before {
        match &stmt.kind {
            StmtKind::Declare { var, .. } if !mentioned.contains(var) || items.definitions.contains_key(var) => {}
            StmtKind::Declare { init: Some(Initializer::List(_)), .. } => return None,
            StmtKind::Declare { var, .. } => live.push(*var),
            _ => {}
        }
    }
    Some(live)
}

/// Whether the group's loop is likely to be faster.
pub(super) fn is_worth_it(body: &Body, items: &Items, parts: &Parts, live: &[VarId]) -> bool {
    let is_unrolled = parts.head.iterations.is_some_and(|iterations| iterations <= UNROLLED);
    let most = if is_unrolled { 0 } else { MOST_EXCLUSIVE };
    let all_scalars = live.iter().all(|&var| matches!(body.var(var).ty, Type::Scalar(_)));
    let accesses = Accesses::of(body, items, &parts.head, &parts.inside);
    let is_vector = items.is_long && accesses.are_together() && !(is_unrolled && accesses.calls > 0);
    live.len() <= most && all_scalars && is_vector
}

/// How far apart neighbouring items access what parameters point to.
struct Accesses<'a> {
    body: &'a Body,
    items: &'a Items,
    facts: Facts,
    /// At neighbouring elements.
    beside: usize,
    /// At elements that memory tells.
    scattered: usize,
    /// At others.
    apart: usize,
    /// What no compiler makes a vector of.
    calls: usize,
}

impl<'a> Accesses<'a> {
    fn of(body: &'a Body, items: &'a Items, head: &Head, stmts: &[Stmt]) -> Self {
        let mut facts =
            Facts { definitions: items.definitions.clone(), reading: Reading::Unbounded, ..Facts::default() };
        for_declarations(&head.init, &mut |counter, _| facts.limits.extend([(counter, Default::default())]));
        let mut accesses = Self { body, items, facts, beside: 0, scattered: 0, apart: 0, calls: 0 };
        stmts.iter().for_each(|stmt| accesses.stmt(stmt));
        accesses
    }

    fn are_together(&self) -> bool {
        self.beside > 0 && self.apart == 0 && self.scattered <= self.beside
    }

    fn place(&mut self, place: &Place) {
        let is_memory = matches!(self.body.var(place.root).ty, Type::Pointer(_));
        let subscripts = place.path.iter().filter_map(|step| match step {
            Projection::Index(index) | Projection::Flat(index) => Some(index),
            Projection::Field(_) => None,
        });
        let forms: Option<Vec<Affine>> = subscripts.map(|index| self.facts.affine(index)).collect();
        let Some((true, Some((last, outer)))) = forms.as_ref().map(|forms| (is_memory, forms.split_last())) else {
            return;
        };
        let fastest = self.items.fastest;
        let is_known = |var: &VarId| *var == fastest || !self.items.own.contains(var) || self.is_index(*var);
        let all_known = [outer, std::slice::from_ref(last)].concat().iter().all(|form| {
            form.variables().iter().all(is_known) && !form.without_var(fastest).variables().contains(&fastest)
        });
        match (all_known, last.coefficient(fastest)) {
            (false, _) => self.scattered += 1,
            (true, 0 | 1) if outer.iter().any(|form| form.coefficient(fastest) != 0) => self.apart += 1,
            (true, 1) => self.beside += 1,
            (true, 0) => {}
            (true, _) => self.apart += 1,
        }
    }

    /// Whether a variable of items is one of an axis, or counts iterations of a loop.
    fn is_index(&self, var: VarId) -> bool {
        self.items.axes.iter().flatten().any(|axis| axis.var == var) || self.facts.limits.contains_key(&var)
    }
}

impl Visitor for Accesses<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        if let Some((var, value)) = free_definition(self.body, stmt) {
            self.facts.definitions.insert(var, value.clone());
        }
        match &stmt.kind {
            StmtKind::Loop(l) => {
                self.facts.limits.extend(l.variable().map(|counter| (counter, Default::default())));
            }
            StmtKind::Call { .. } | StmtKind::Atomic { .. } => self.calls += 1,
            _ => {}
        }
        walk_stmt(self, stmt);
    }

    fn expr(&mut self, expr: &Expr) {
        self.calls += usize::from(matches!(expr.kind, ExprKind::Call(..)));
        walk_expr(self, expr);
    }

    fn load(&mut self, place: &Place) {
        self.place(place);
        walk_place(self, place);
    }

    fn store(&mut self, place: &Place) {
        self.place(place);
        walk_place(self, place);
    }
}
