//! Arrays that fit into registers, which have no addresses: all subscripts have to be constants.

use super::iterations::{counters, next};
use crate::ir::{
    Argument, Body, Expr, ExprKind, Function, Initializer, Loop, Module, Place, Projection, Role, RootId, RootSpace,
    Stmt, StmtKind, Type, Uses, VarId, Visitor, bytes_of, walk_place, walk_stmt,
};
use std::collections::BTreeSet;

/// Most bytes of such an array: an item has some 250 registers of 4 bytes.
const MOST_BYTES: u64 = 1024;

/// Memory at module scope that stays memory: a subscript leads into it that no loop makes a constant.
pub(super) fn indexed_roots(module: &Module) -> BTreeSet<RootId> {
    let mut roots = BTreeSet::new();
    let mut add = |body: &Body, params: &[VarId], stmts: &[Stmt]| {
        roots.extend(indexed(&module.functions, body, params, stmts).into_iter().filter_map(|var| {
            match body.var(var).role {
                Role::Root(id) => Some(id),
                _ => None,
            }
        }));
    };
    module.functions.iter().for_each(|function| add(&function.body, &function.params, &function.stmts));
    for kernel in &module.kernels {
        kernel.nests.iter().for_each(|nest| add(&kernel.body, &[], &nest.stmts));
    }
    roots
}

/// The arrays of an item's own that statements keep in registers once their loops are written out. `params` are those of a
/// function; what it is given may be a constant.
pub(super) fn registers(
    module: &Module,
    indexed_roots: &BTreeSet<RootId>,
    body: &Body,
    params: &[VarId],
    stmts: &[Stmt],
) -> BTreeSet<VarId> {
    let indexed = indexed(&module.functions, body, params, stmts);
    let is_register = |var: &VarId| {
        let variable = body.var(*var);
        let is_own = match variable.role {
            Role::Local | Role::Exclusive => !indexed.contains(var),
            Role::Root(id) => module.roots[id.0 as usize].space == RootSpace::Private && !indexed_roots.contains(&id),
            _ => false,
        };
        is_own && !matches!(variable.ty, Type::Scalar(_)) && bytes_of(module, &variable.ty) <= MOST_BYTES
    };
    Uses::of(stmts).mentioned.into_iter().filter(is_register).collect()
}

/// Whether a loop's counters choose elements of such arrays.
pub(super) fn is_over(registers: &BTreeSet<VarId>, body: &Body, l: &Loop, counters: BTreeSet<VarId>) -> bool {
    let mut over = Over { registers, body, counted: counters, found: false };
    l.body.iter().for_each(|stmt| over.stmt(stmt));
    over.found
}

/// Variables into which some subscript leads that no loop makes a constant.
fn indexed(functions: &[Function], body: &Body, params: &[VarId], stmts: &[Stmt]) -> BTreeSet<VarId> {
    let assigned = Uses::of(stmts).assigned;
    let constants = params.iter().copied().filter(|param| !assigned.contains(param)).collect();
    let mut indexed = Indexed { functions, body, constants, found: BTreeSet::new() };
    stmts.iter().for_each(|stmt| indexed.stmt(stmt));
    indexed.found
}

struct Indexed<'a> {
    functions: &'a [Function],
    body: &'a Body,
    /// Variables that are constants once loops are written out.
    constants: BTreeSet<VarId>,
    found: BTreeSet<VarId>,
}

impl Indexed<'_> {
    fn is_constant(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Literal(_) => true,
            ExprKind::Load(place) => place.path.is_empty() && self.constants.contains(&place.root),
            ExprKind::Unary(_, a) | ExprKind::Cast { value: a, .. } => self.is_constant(a),
            ExprKind::Binary(_, a, b) => self.is_constant(a) && self.is_constant(b),
            ExprKind::Select(condition, a, b) => [condition, a, b].into_iter().all(|part| self.is_constant(part)),
            ExprKind::Math(_, arguments) => arguments.iter().all(|argument| self.is_constant(argument)),
            // A check gives the index that it is given.
            ExprKind::Call(function, arguments) => match arguments.first() {
                Some(Argument::Value(index)) => self.functions[function.0 as usize].reports && self.is_constant(index),
                _ => false,
            },
            ExprKind::Builtin(_) => false,
        }
    }

    /// Takes a loop's counters for constants where its head is made of such.
    fn count(&mut self, l: &Loop) {
        let Some(counters) = counters(self.body, l) else { return };
        let begins_constant = l.init.iter().all(|stmt| match &stmt.kind {
            StmtKind::Declare { init: Some(Initializer::Value(first)), .. } => self.is_constant(first),
            _ => false,
        });
        self.constants.extend(&counters);
        let goes_on = |stmt| next(stmt).is_some_and(|(_, next)| self.is_constant(&next));
        let is_constant = begins_constant
            && l.condition.as_ref().is_some_and(|condition| self.is_constant(condition))
            && l.update.iter().all(goes_on);
        if !is_constant {
            self.constants.retain(|var| !counters.contains(var));
        }
    }

    fn place(&mut self, place: &Place) {
        if !subscripts(place).all(|subscript| self.is_constant(subscript)) {
            self.found.insert(place.root);
        }
        walk_place(self, place);
    }
}

impl Visitor for Indexed<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Declare { var, init: Some(Initializer::Value(value)) }
                if self.body.var(*var).is_const && self.is_constant(value) =>
            {
                self.constants.insert(*var);
            }
            StmtKind::Loop(l) => self.count(l),
            _ => {}
        }
        walk_stmt(self, stmt);
    }

    fn load(&mut self, place: &Place) {
        self.place(place);
    }

    fn store(&mut self, place: &Place) {
        self.place(place);
    }
}

struct Over<'a> {
    registers: &'a BTreeSet<VarId>,
    body: &'a Body,
    /// The counters, and what is computed from them.
    counted: BTreeSet<VarId>,
    found: bool,
}

impl Over<'_> {
    fn is_counted(&self, expr: &Expr) -> bool {
        !Uses::of_expr(expr).mentioned.is_disjoint(&self.counted)
    }

    fn place(&mut self, place: &Place) {
        self.found |= self.registers.contains(&place.root) && subscripts(place).any(|of| self.is_counted(of));
        walk_place(self, place);
    }
}

impl Visitor for Over<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Declare { var, init: Some(Initializer::Value(value)) }
                if self.body.var(*var).is_const && self.is_counted(value) =>
            {
                self.counted.insert(*var);
            }
            // Of a triangle the inner loop ends where the outer one says.
            StmtKind::Loop(l) if l.condition.iter().any(|condition| self.is_counted(condition)) => {
                self.counted.extend(l.variable());
            }
            _ => {}
        }
        walk_stmt(self, stmt);
    }

    fn load(&mut self, place: &Place) {
        self.place(place);
    }

    fn store(&mut self, place: &Place) {
        self.place(place);
    }
}

fn subscripts(place: &Place) -> impl Iterator<Item = &Expr> {
    place.path.iter().filter_map(|projection| match projection {
        Projection::Index(subscript) | Projection::Flat(subscript) => Some(subscript),
        Projection::Field(_) => None,
    })
}
