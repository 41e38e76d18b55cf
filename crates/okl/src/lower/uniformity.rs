//! Which values are the same for all items of a group, and which variables of a region steer the statements that its
//! cuts lift to group level.

use super::context::Lowering;
use crate::ir::Uses;
use crate::ir::{Argument, Expr, ExprKind, Initializer, Mark, Place, Role, Stmt, StmtKind, Type, VarId};
use crate::source::Span;
use std::collections::{BTreeMap, BTreeSet};

/// Whether any list below a statement answers yes.
pub(super) fn below(stmt: &Stmt, ask: impl Fn(&[Stmt]) -> bool) -> bool {
    match &stmt.kind {
        StmtKind::If { then, otherwise, .. } => ask(then) || ask(otherwise),
        StmtKind::Loop(l) => ask(&l.body),
        StmtKind::Switch { arms, .. } => arms.iter().any(|arm| ask(&arm.body)),
        StmtKind::Block(stmts) => ask(stmts),
        _ => false,
    }
}

/// The barrier in a region's body, if there is one.
pub(super) fn cut_in(stmts: &[Stmt]) -> Option<Span> {
    stmts.iter().find_map(|stmt| match &stmt.kind {
        StmtKind::Mark(Mark::Barrier(_)) => Some(stmt.span),
        StmtKind::If { then, otherwise, .. } => cut_in(then).or_else(|| cut_in(otherwise)),
        StmtKind::Loop(l) => cut_in(&l.body),
        StmtKind::Switch { arms, .. } => arms.iter().find_map(|arm| cut_in(&arm.body)),
        StmtKind::Block(stmts) => cut_in(stmts),
        _ => None,
    })
}

pub(super) fn has_cut(stmt: &Stmt) -> bool {
    cut_in(std::slice::from_ref(stmt)).is_some()
}

/// Whether a statement leaves or continues the loop that it stands in.
pub(super) fn exits_loop(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Break | StmtKind::Continue => true,
        StmtKind::If { then, otherwise, .. } => then.iter().chain(otherwise).any(exits_loop),
        StmtKind::Block(stmts) => stmts.iter().any(exits_loop),
        StmtKind::Switch { arms, .. } => arms.iter().flat_map(|a| &a.body).any(continues_loop),
        _ => false,
    }
}

pub(super) fn continues_loop(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Continue => true,
        _ => below(stmt, |stmts| stmts.iter().any(continues_loop)) && !matches!(stmt.kind, StmtKind::Loop(_)),
    }
}

impl Lowering<'_, '_> {
    /// Whether an expression has one value for all items of a group, given the region's variables that have.
    pub(super) fn is_uniform(&self, expr: &Expr, uniform: &BTreeSet<VarId>) -> bool {
        expr.every(&|e| match &e.kind {
            ExprKind::Load(place) => self.is_uniform_root(place, uniform),
            ExprKind::Call(_, arguments) => arguments.iter().all(|argument| match argument {
                Argument::Value(_) => true,
                Argument::Pointer(place) => self.is_uniform_root(place, uniform),
            }),
            ExprKind::Builtin(_) => false,
            _ => true,
        })
    }

    fn is_uniform_root(&self, place: &Place, uniform: &BTreeSet<VarId>) -> bool {
        match self.body.var(place.root).role {
            Role::Param(_)
            | Role::Host
            | Role::Outer(_)
            | Role::Shared
            | Role::Exchange(_)
            | Role::Constant(_)
            | Role::Entry
            | Role::Root(_) => true,
            Role::Inner(_) | Role::Exclusive | Role::Expanded => false,
            Role::Local => !self.info[place.root.0 as usize].level.is_item() || uniform.contains(&place.root),
        }
    }
}

/// Which variables of a region steer the statements that must be lifted.
pub(super) struct Control<'a, 'u, 'f> {
    lowering: &'a Lowering<'u, 'f>,
    /// Values that a variable takes on the way that is lifted; `None` for a declaration without a value.
    values: BTreeMap<VarId, Vec<Option<&'a Expr>>>,
    /// Variables that are also written elsewhere.
    others: BTreeSet<VarId>,
    /// Variables that conditions and steps of lifted statements read.
    needed: BTreeSet<VarId>,
}

impl<'a, 'u, 'f> Control<'a, 'u, 'f> {
    pub(super) fn of(lowering: &'a Lowering<'u, 'f>, body: &'a [Stmt]) -> Self {
        let mut control = Self { lowering, values: BTreeMap::new(), others: BTreeSet::new(), needed: BTreeSet::new() };
        control.spine(body, false);
        control
    }

    /// Looks through a list whose cuts become boundaries of regions.
    fn spine(&mut self, stmts: &'a [Stmt], in_loop: bool) {
        for stmt in stmts {
            let lifts = has_cut(stmt) || (in_loop && exits_loop(stmt));
            match &stmt.kind {
                StmtKind::Declare { .. } => self.control(stmt),
                StmtKind::If { condition, then, otherwise } if lifts => {
                    self.needed.extend(Uses::of_expr(condition).mentioned);
                    self.spine(then, in_loop);
                    self.spine(otherwise, in_loop);
                }
                StmtKind::Loop(l) if lifts => {
                    for stmt in l.init.iter().chain(&l.head).chain(&l.update) {
                        self.control(stmt);
                        self.needed.extend(Uses::of(std::slice::from_ref(stmt)).mentioned);
                    }
                    self.needed.extend(l.condition.iter().flat_map(|c| Uses::of_expr(c).mentioned));
                    self.spine(&l.body, true);
                }
                StmtKind::Block(stmts) => self.spine(stmts, in_loop),
                _ => self.others.extend(Uses::of(std::slice::from_ref(stmt)).assigned),
            }
        }
    }

    /// A statement that becomes one of the group if what it writes is uniform.
    fn control(&mut self, stmt: &'a Stmt) {
        match &stmt.kind {
            StmtKind::Declare { var, init: None } => self.values.entry(*var).or_default().push(None),
            StmtKind::Declare { var, init: Some(Initializer::Value(value)) } => {
                self.values.entry(*var).or_default().push(Some(value));
            }
            StmtKind::Declare { var, init: Some(Initializer::List(_)) } => {
                self.others.insert(*var);
            }
            StmtKind::Assign { place, value, .. } if place.path.is_empty() => {
                self.values.entry(place.root).or_default().push(Some(value));
            }
            _ => self.others.extend(Uses::of(std::slice::from_ref(stmt)).assigned),
        }
    }

    /// The variables that become the group's: uniform, and needed by what is lifted.
    pub(super) fn lifted(self) -> BTreeSet<VarId> {
        let is_scalar = |var: &VarId| {
            let of = self.lowering.body.var(*var);
            of.role == Role::Local
                && matches!(of.ty, Type::Scalar(_))
                && self.lowering.info[var.0 as usize].level.is_item()
        };
        let mut uniform: BTreeSet<VarId> =
            self.values.keys().copied().filter(|v| is_scalar(v) && !self.others.contains(v)).collect();
        loop {
            let varying: Vec<VarId> = uniform
                .iter()
                .copied()
                .filter(|v| !self.values[v].iter().flatten().all(|value| self.lowering.is_uniform(value, &uniform)))
                .collect();
            if varying.is_empty() {
                break;
            }
            varying.iter().for_each(|v| {
                uniform.remove(v);
            });
        }
        // Values of needed variables may need others.
        let mut open: Vec<VarId> = self.needed.iter().copied().filter(|v| uniform.contains(v)).collect();
        let mut lifted = BTreeSet::new();
        while let Some(var) = open.pop() {
            if lifted.insert(var) {
                let reads = self.values[&var].iter().flatten().flat_map(|value| Uses::of_expr(value).mentioned);
                open.extend(reads.filter(|v| uniform.contains(v)));
            }
        }
        lifted
    }
}
