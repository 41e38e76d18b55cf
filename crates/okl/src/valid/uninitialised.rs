//! Local variables that are read before any statement, on any path, has given them a value.
//!
//! The walk follows the text. It keeps the variables that certainly have no value yet; whatever may write one of them takes
//! it out: a branch for what follows the branch, an iteration for those that follow it. So nothing is reported that has a
//! value on some path.

use crate::Diagnostic;
use crate::ir::{Body, Loop, Module, Place, Role, Stmt, StmtKind, Uses, VarId, Visitor, walk_place, walk_stmt};
use crate::rules;
use std::collections::{BTreeSet, HashSet};

/// Checks functions and kernels.
pub(super) fn check(module: &Module, found: &mut Vec<Diagnostic>) {
    for function in &module.functions {
        Reads::of(&function.body, &[], found).all(&function.stmts);
    }
    for kernel in &module.kernels {
        for nest in &kernel.nests {
            Reads::of(&kernel.body, &nest.exclusive, found).all(&nest.stmts);
        }
    }
}

struct Reads<'a> {
    body: &'a Body,
    /// Variables that certainly have no value here.
    unset: HashSet<VarId>,
    /// Variables that were taken out, in order.
    set: Vec<VarId>,
    /// Variables that were reported.
    told: BTreeSet<VarId>,
    found: &'a mut Vec<Diagnostic>,
}

impl<'a> Reads<'a> {
    fn of(body: &'a Body, exclusive: &[VarId], found: &'a mut Vec<Diagnostic>) -> Self {
        let mut reads = Self { body, unset: HashSet::new(), set: Vec::new(), told: BTreeSet::new(), found };
        exclusive.iter().for_each(|&var| reads.declare(var));
        reads
    }

    /// What the compiler made is its own affair.
    fn declare(&mut self, var: VarId) {
        let is_own = matches!(self.body.var(var).role, Role::Local | Role::Exclusive);
        if is_own && !self.body.generated.contains(&var) {
            self.unset.insert(var);
        }
    }

    fn give_value(&mut self, var: VarId) {
        if self.unset.remove(&var) {
            self.set.push(var);
        }
    }

    fn all(&mut self, stmts: &[Stmt]) {
        stmts.iter().for_each(|stmt| self.stmt(stmt));
    }

    /// Walks through ways of which one is taken: each begins with what had no value before.
    fn ways<'s>(&mut self, ways: impl Iterator<Item = &'s [Stmt]>) {
        let mut set_in_ways = Vec::new();
        for way in ways {
            let before = self.set.len();
            self.all(way);
            let set_here = self.set.split_off(before);
            self.unset.extend(&set_here);
            set_in_ways.extend(set_here);
        }
        set_in_ways.into_iter().for_each(|var| self.give_value(var));
    }

    fn repeat(&mut self, l: &Loop) {
        self.all(&l.init);
        let repeated = [&l.head, &l.body, &l.update];
        repeated.into_iter().flat_map(|stmts| Uses::of(stmts).assigned).for_each(|var| self.give_value(var));
        self.all(&l.head);
        if l.test_last {
            self.all(&l.body);
            self.all(&l.update);
        }
        l.condition.iter().for_each(|condition| self.expr(condition));
        if !l.test_last {
            self.all(&l.body);
            self.all(&l.update);
        }
    }
}

impl Visitor for Reads<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Declare { var, init } => {
                walk_stmt(self, stmt);
                if init.is_none() {
                    self.declare(*var);
                }
            }
            StmtKind::Assign { place, op, value } => {
                self.expr(value);
                if op.is_some() {
                    self.load(place);
                }
                self.store(place);
            }
            StmtKind::Atomic { result, .. } | StmtKind::Call { result, .. } => {
                walk_stmt(self, stmt);
                result.iter().for_each(|&var| self.give_value(var));
            }
            StmtKind::If { condition, then, otherwise } => {
                self.expr(condition);
                self.ways([then, otherwise].into_iter().map(Vec::as_slice));
            }
            StmtKind::Switch { value, arms } => {
                self.expr(value);
                // What falls through has the values of the arm before.
                match arms.iter().any(|arm| arm.falls_through) {
                    true => arms.iter().for_each(|arm| self.all(&arm.body)),
                    false => self.ways(arms.iter().map(|arm| arm.body.as_slice())),
                }
            }
            StmtKind::Loop(l) => self.repeat(l),
            _ => walk_stmt(self, stmt),
        }
    }

    fn load(&mut self, place: &Place) {
        walk_place(self, place);
        if !self.unset.contains(&place.root) || !self.told.insert(place.root) {
            return;
        }
        let variable = self.body.var(place.root);
        let name = &variable.name;
        let message = format!("`{name}` is read here and has no value yet");
        let finding = Diagnostic::warning(rules::UNINITIALISED, place.span, message);
        let hint = format!("give `{name}` a value where it is declared, such as `= 0`");
        self.found.push(finding.label(variable.span, "declared here without a value").hint(hint));
    }

    fn store(&mut self, place: &Place) {
        walk_place(self, place);
        self.give_value(place.root);
    }
}
