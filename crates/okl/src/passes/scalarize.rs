//! What has the same value for all items of a group is computed once, by the group.
//!
//! `element = elementList[e]` in a region is one value, however many items there are. An exclusive variable of it would be
//! an array where a group runs one item after the other, and nothing could be told of the addresses that it leads to.
//!
//! A declaration, or the only assignment of an exclusive variable, moves before its region where its value depends on the
//! group alone and on memory that the nest does not write. All items run it anyhow, so that nothing more is read.

use super::mod_ref::is_unwritten;
use crate::ir::{
    BinaryOp, Body, Expr, ExprKind, Initializer, Module, Nest, Place, Region, Role, Stmt, StmtKind, Type, Uses, VarId,
    build, ends_item, for_declarations, for_regions,
};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) fn run(module: &mut Module) {
    for kernel in &mut module.kernels {
        kernel.nests.iter_mut().for_each(|nest| of_nest(&mut kernel.body, nest));
    }
}

fn of_nest(body: &mut Body, nest: &mut Nest) {
    let uses = Uses::of(&nest.stmts);
    let written = uses.assigned.union(&uses.addressed).copied().collect();
    let mut of_items = BTreeSet::new();
    for_regions(&nest.stmts, &mut |region| {
        of_items.extend(region.axes.iter().flatten().map(|axis| axis.var));
        for_declarations(&region.body, &mut |var, _| of_items.extend([var]));
    });
    let assigned_once = assigned_once(nest);
    let mut pass = Scalarize { body, written, of_items, assigned_once, moved: BTreeSet::new() };
    // An exclusive variable is read behind its region, up to the end of the list in which that stands.
    let stmts = pass.list(std::mem::take(&mut nest.stmts), true);
    nest.stmts = stmts;
    nest.exclusive.retain(|var| !pass.moved.contains(var));
}

/// Exclusive variables that a single assignment gives a value, and no place before it mentions.
fn assigned_once(nest: &Nest) -> BTreeSet<VarId> {
    let mut assigned = BTreeMap::<VarId, usize>::new();
    let uses = Uses::of(&nest.stmts);
    for_regions(&nest.stmts, &mut |region| {
        for &var in Uses::of(&region.body).assigned.iter().filter(|var| nest.exclusive.contains(var)) {
            *assigned.entry(var).or_default() += 1;
        }
    });
    let is_single = |&(var, count): &(VarId, usize)| count == 1 && !uses.addressed.contains(&var);
    assigned.into_iter().filter(is_single).map(|(var, _)| var).collect()
}

struct Scalarize<'a> {
    body: &'a mut Body,
    /// What the nest writes or passes on.
    written: BTreeSet<VarId>,
    /// Variables of items.
    of_items: BTreeSet<VarId>,
    assigned_once: BTreeSet<VarId>,
    /// Exclusive variables that are the group's now.
    moved: BTreeSet<VarId>,
}

impl Scalarize<'_> {
    fn list(&mut self, stmts: Vec<Stmt>, is_whole: bool) -> Vec<Stmt> {
        let mut out = Vec::new();
        for mut stmt in stmts {
            match &mut stmt.kind {
                StmtKind::Inner(region) => {
                    let before = is_whole.then(|| Uses::of(&out).mentioned);
                    out.extend(self.region(region, before.as_ref()));
                }
                StmtKind::If { then, otherwise, .. } => {
                    *then = self.list(std::mem::take(then), false);
                    *otherwise = self.list(std::mem::take(otherwise), false);
                }
                StmtKind::Loop(l) => l.body = self.list(std::mem::take(&mut l.body), false),
                StmtKind::Block(stmts) => *stmts = self.list(std::mem::take(stmts), false),
                _ => {}
            }
            out.push(stmt);
        }
        out
    }

    /// Takes what is the group's out of a region. `before`: what is mentioned before it, where no statement stands around.
    fn region(&mut self, region: &mut Region, before: Option<&BTreeSet<VarId>>) -> Vec<Stmt> {
        let has_items = |count: &Expr| count.as_int().is_some_and(|count| count > 0);
        let mut out = Vec::new();
        if !region.axes.iter().flatten().all(|axis| has_items(&axis.count)) {
            return out;
        }
        let (mut kept, mut is_reached) = (Vec::new(), true);
        for stmt in std::mem::take(&mut region.body) {
            is_reached &= !ends_item(std::slice::from_ref(&stmt));
            match self.of_group(&stmt, &kept, before).filter(|_| is_reached) {
                Some((var, value)) => {
                    let variable = &mut self.body.vars[var.0 as usize];
                    (variable.role, variable.is_const) = (Role::Local, true);
                    self.of_items.remove(&var);
                    self.moved.insert(var);
                    out.push(Stmt { span: stmt.span, ..build::declare(self.body, var, value) });
                }
                None => kept.push(stmt),
            }
        }
        region.body = kept;
        out
    }

    /// The variable and value of a statement that the group may as well run before its region.
    fn of_group(&self, stmt: &Stmt, kept: &[Stmt], before: Option<&BTreeSet<VarId>>) -> Option<(VarId, Expr)> {
        let (var, value) = match &stmt.kind {
            StmtKind::Declare { var, init: Some(Initializer::Value(value)) } if self.body.var(*var).is_const => {
                (*var, value)
            }
            StmtKind::Assign { place, op: None, value }
                if place.path.is_empty()
                    && self.assigned_once.contains(&place.root)
                    && before.is_some_and(|before| !before.contains(&place.root))
                    && !Uses::of(kept).mentioned.contains(&place.root) =>
            {
                (place.root, value)
            }
            _ => return None,
        };
        let is_scalar = matches!(self.body.var(var).ty, Type::Scalar(_));
        (is_scalar && self.reads_memory_alike(value)).then(|| (var, value.clone()))
    }

    /// Whether an expression reads memory, and has the same value for all items of the group at any time.
    fn reads_memory_alike(&self, value: &Expr) -> bool {
        let alike = value.every(&|e| match &e.kind {
            ExprKind::Load(place) => self.is_alike(place),
            ExprKind::Call(..) | ExprKind::Builtin(_) => false,
            ExprKind::Binary(BinaryOp::Div | BinaryOp::Rem, _, b) => b.divides_anything(),
            _ => true,
        });
        let is_memory = |root: &VarId| matches!(self.body.var(*root).ty, Type::Pointer(_));
        alike && Uses::of_expr(value).mentioned.iter().any(is_memory)
    }

    fn is_alike(&self, place: &Place) -> bool {
        let variable = self.body.var(place.root);
        match (&variable.ty, variable.role) {
            (Type::Pointer(_), Role::Param(_)) => is_unwritten(self.body, &self.written, place.root),
            (Type::Scalar(_), Role::Param(_) | Role::Host | Role::Outer(_) | Role::Constant(_)) => true,
            (Type::Scalar(_), Role::Local) => !self.of_items.contains(&place.root),
            _ => false,
        }
    }
}
