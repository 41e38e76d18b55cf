//! What is only known once a body is complete: which variables are written once, and which constants nobody reads.

use crate::ir::{
    Argument, Body, Expr, ExprKind, Initializer, Place, Projection, Role, Stmt, StmtKind, Type, VarId, Visitor,
    walk_expr, walk_place, walk_stmt,
};
use std::collections::BTreeSet;

/// How a body uses each of its variables.
struct Uses {
    read: Vec<u32>,
    initialised: Vec<bool>,
    /// Writes after the declaration.
    written: Vec<u32>,
    /// Takes what a call or an atomic update gives.
    results: BTreeSet<VarId>,
}

impl Uses {
    fn of(body: &Body, lists: &[&mut Vec<Stmt>]) -> Self {
        let count = body.vars.len();
        let mut uses = Self {
            read: vec![0; count],
            initialised: vec![false; count],
            written: vec![0; count],
            results: BTreeSet::new(),
        };
        lists.iter().for_each(|list| list.iter().for_each(|stmt| uses.stmt(stmt)));
        uses
    }

    /// Whether the compiler made a variable that nobody reads: the offset of a pointer that is set alone, or those of an array.
    fn is_needless(&self, body: &Body, var: VarId) -> bool {
        let is_own = body.var(var).role == Role::Local && body.generated.contains(&var);
        is_own && self.read[var.0 as usize] == 0 && !self.results.contains(&var)
    }
}

impl Visitor for Uses {
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Declare { var, init: Some(_) } => self.initialised[var.0 as usize] = true,
            StmtKind::Atomic { result: Some(var), .. } | StmtKind::Call { result: Some(var), .. } => {
                self.written[var.0 as usize] += 1;
                self.results.insert(*var);
            }
            _ => {}
        }
        if let StmtKind::Call { arguments, .. } = &stmt.kind {
            for argument in arguments {
                if let Argument::Pointer(place) = argument {
                    self.read[place.root.0 as usize] += 1;
                }
            }
        }
        walk_stmt(self, stmt);
    }

    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Call(_, arguments) = &expr.kind {
            for argument in arguments {
                match argument {
                    Argument::Value(value) => self.expr(value),
                    // A pure function reads behind its pointers.
                    Argument::Pointer(place) => self.load(place),
                }
            }
            return;
        }
        walk_expr(self, expr);
    }

    fn load(&mut self, place: &Place) {
        self.read[place.root.0 as usize] += 1;
        walk_place(self, place);
    }

    fn store(&mut self, place: &Place) {
        self.written[place.root.0 as usize] += 1;
        walk_place(self, place);
    }
}

/// Completes a body: sets [`crate::ir::Variable::is_const`], and drops constants that folding has made unused.
pub(super) fn finish(body: &mut Body, lists: &mut [&mut Vec<Stmt>]) {
    let mut uses = Uses::of(body, lists);
    for (index, var) in body.vars.iter_mut().enumerate() {
        var.is_const = match var.role {
            Role::Outer(_) | Role::Inner(_) | Role::Constant(_) => true,
            Role::Local => uses.initialised[index] && uses.written[index] == 0,
            // What is written is what a pointer points to.
            Role::Param(_) => uses.written[index] == 0 || matches!(var.ty, Type::Pointer(_)),
            Role::Host
            | Role::Shared
            | Role::Exchange(_)
            | Role::Exclusive
            | Role::Expanded
            | Role::Entry
            | Role::Root(_) => false,
        };
    }
    // What is read only for something that nobody reads is not read, either.
    while lists.iter_mut().map(|list| drop_unread(list, body, &uses)).sum::<usize>() > 0 {
        uses = Uses::of(body, lists);
    }
}

/// Answers how many statements were dropped.
fn drop_unread(list: &mut Vec<Stmt>, body: &Body, uses: &Uses) -> usize {
    let before = list.len();
    list.retain(|stmt| match &stmt.kind {
        StmtKind::Declare { var, init: None } => !uses.is_needless(body, *var),
        StmtKind::Assign { place, .. } => !uses.is_needless(body, place.root),
        StmtKind::Declare { var, init: Some(Initializer::Value(value)) } => {
            let index = var.0 as usize;
            let is_field = |step: &Projection| matches!(step, Projection::Field(_));
            let reads_memory =
                || !value.every(&|e| !matches!(&e.kind, ExprKind::Load(place) if !place.path.iter().all(is_field)));
            if uses.is_needless(body, *var) && !reads_memory() {
                return false;
            }
            value.literal().is_none() || uses.read[index] > 0 || uses.written[index] > 0
        }
        _ => true,
    });
    let mut dropped = before - list.len();
    let mut below = |list: &mut Vec<Stmt>| dropped += drop_unread(list, body, uses);
    for stmt in list {
        match &mut stmt.kind {
            StmtKind::If { then, otherwise, .. } => {
                below(then);
                below(otherwise);
            }
            StmtKind::Loop(l) => {
                below(&mut l.init);
                below(&mut l.head);
                below(&mut l.body);
                below(&mut l.update);
            }
            StmtKind::Switch { arms, .. } => arms.iter_mut().for_each(|arm| below(&mut arm.body)),
            StmtKind::Block(stmts) => below(stmts),
            StmtKind::Inner(region) => below(&mut region.body),
            _ => {}
        }
    }
    dropped
}
