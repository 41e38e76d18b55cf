//! Atomic updates of memory that groups share: what a thread may do that has the memory for itself.

use crate::ir::{
    AddressSpace, AtomicOp, Body, Nest, Place, Projection, Scalar, Stmt, StmtKind, VarId, Visitor, walk_place,
    walk_stmt,
};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What is known of a nest that updates memory of several groups atomically.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Updates {
    /// Another entry, whose updates are plain loads and stores: for a thread that has the memory for itself.
    pub alone: String,
    /// The memory that it updates, if each thread may do so in a copy of its own: nothing else touches it, and in integers
    /// that nobody looks at meanwhile the order of the updates does not matter. Else empty.
    pub copies: Vec<Copied>,
}

/// Memory of which each thread may have a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Copied {
    /// The argument of the nest.
    pub argument: usize,
    /// What makes one of two copies: `Add`, `Min`, `Max`, `And`, `Or` or `Xor`.
    pub op: AtomicOp,
    /// The type of its elements, an integer of 32 or 64 bits.
    pub scalar: Scalar,
}

/// Of a nest with these arguments; `None` where it updates nothing that groups share. `alone` is the entry's name.
pub(super) fn of(body: &Body, nest: &Nest, captures: &[VarId], alone: String) -> Option<Updates> {
    let mut found = Find { body, updated: BTreeMap::new(), touched: BTreeSet::new() };
    nest.stmts.iter().for_each(|stmt| found.stmt(stmt));
    let Find { updated, touched, .. } = found;
    let copied = |(root, ways): (&VarId, &Vec<Option<(AtomicOp, Scalar)>>)| {
        let argument = captures.iter().position(|var| var == root)?;
        let (op, scalar) = ways[0]?;
        let same = ways.iter().all(|way| *way == ways[0]) && !touched.contains(root);
        same.then_some(Copied { argument, op, scalar })
    };
    let copies: Option<Vec<Copied>> = updated.iter().map(copied).collect();
    (!updated.is_empty()).then(|| Updates { alone, copies: copies.unwrap_or_default() })
}

struct Find<'a> {
    body: &'a Body,
    /// By memory, each way in which it is updated; `None` if that needs the memory itself.
    updated: BTreeMap<VarId, Vec<Option<(AtomicOp, Scalar)>>>,
    /// What is read, written, or given to functions.
    touched: BTreeSet<VarId>,
}

impl Visitor for Find<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        let StmtKind::Atomic { place, op, value, expected, result } = &stmt.kind else {
            return walk_stmt(self, stmt);
        };
        self.expr(value);
        expected.iter().for_each(|expected| self.expr(expected));
        if AddressSpace::of(self.body.var(place.root)) != AddressSpace::Global {
            return self.store(place);
        }
        walk_place(self, place);
        let element = matches!(place.path[..], [Projection::Index(_) | Projection::Flat(_)]);
        let integer = place.ty.scalar().filter(|scalar| scalar.is_integer() && matches!(scalar.bytes(), 4 | 8));
        let way = in_any_order(*op).zip(integer).filter(|_| element && result.is_none());
        self.updated.entry(place.root).or_default().push(way);
    }

    fn load(&mut self, place: &Place) {
        self.touched.insert(place.root);
        walk_place(self, place);
    }

    fn store(&mut self, place: &Place) {
        self.load(place);
    }
}

/// How copies are combined that this operation has changed, if their order does not matter.
fn in_any_order(op: AtomicOp) -> Option<AtomicOp> {
    match op {
        AtomicOp::Add | AtomicOp::Sub => Some(AtomicOp::Add),
        AtomicOp::Min | AtomicOp::Max | AtomicOp::And | AtomicOp::Or | AtomicOp::Xor => Some(op),
        AtomicOp::Mul | AtomicOp::Div | AtomicOp::Exchange | AtomicOp::CompareExchange => None,
    }
}
