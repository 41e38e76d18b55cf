//! Loop interchange: a loop that each item of a group runs becomes a loop of the group around its items.
//!
//! `for (i = t; i < n; i += 256) s[t] += a[i];` is how a GPU's items share memory out: neighbours read neighbours. One item
//! after the other walks through all of it in steps of 256, once for each item. With the items inside, each step reads
//! 256 neighbours, which is a loop that a C compiler vectorises.
//!
//! The region becomes up to three: what stands before the loop, the loop around its body, what stands after it. Legal,
//! because each item still does one after the other, and between two barriers no item reads what another one writes. A
//! variable that lives from one to the next becomes exclusive; an integer that is computed from what does not change is
//! computed again. A loop is taken where all items run it alike ([`Head::uniform`]), or where they begin beside each other
//! and leave it in that order ([`Head::strided`]), and where that brings the group's accesses together ([`choice`]).

mod choice;
mod head;
mod items;
mod jam;

use super::counters::{advanced, bound_of};
use super::dependence::leaves;
use super::loops::wide;
use crate::ir::rewrite::{rename, replace_regions};
use crate::ir::{
    BinaryOp, Body, Expr, Initializer, Loop, Meeting, Module, Region, Role, Scalar, Stmt, StmtKind, Uses, VarId,
    Variable, Visitor, build, walk_stmt,
};
use choice::{is_worth_it, live_across};
use head::Head;
use items::{Guarded, Items};
use jam::{Row, Rows};
use std::collections::BTreeMap;

/// Moves the loops for which it pays.
pub(crate) fn run(module: &mut Module) {
    run_where(module, is_worth_it);
}

/// Moves every loop that may be moved.
pub(crate) fn run_on_all(module: &mut Module) {
    run_where(module, |_, _, _, _| true);
}

/// Whether a loop is to be moved, for which such variables become exclusive.
type Choice = fn(&Body, &Items, &Parts, &[VarId]) -> bool;

fn run_where(module: &mut Module, choice: Choice) {
    for kernel in &mut module.kernels {
        for nest in &mut kernel.nests {
            let mut interchange = Interchange { body: &mut kernel.body, exclusive: Vec::new(), choice };
            replace_regions(&mut nest.stmts, &mut |region| interchange.region(region));
            nest.exclusive.extend(interchange.exclusive);
        }
    }
}

struct Interchange<'a> {
    body: &'a mut Body,
    exclusive: Vec<VarId>,
    choice: Choice,
}

/// The parts of a region around one of its loops.
struct Parts {
    before: Vec<Stmt>,
    head: Head,
    inside: Vec<Stmt>,
    /// What `inside` does, where the loop counts up.
    row: Option<Row>,
    after: Vec<Stmt>,
}

impl Interchange<'_> {
    /// A region, or what it becomes.
    fn region(&mut self, region: Region) -> Vec<Stmt> {
        let Guarded { condition, stmts } = Guarded::of(self.body, &region.body);
        let found = Items::of(self.body, &region.axes, &stmts, condition.as_ref())
            .and_then(|items| Some((self.parts(&items, &stmts, condition.is_some())?, items)));
        match found {
            Some((parts, items)) => self.assemble(&items, parts, condition.as_ref()),
            None => vec![build::stmt(StmtKind::Inner(Box::new(region)))],
        }
    }

    /// What stands around the first of the loops that is worth it.
    fn parts(&mut self, items: &Items, stmts: &[Stmt], is_guarded: bool) -> Option<Parts> {
        (0..stmts.len()).find_map(|at| {
            let StmtKind::Loop(l) = &stmts[at].kind else { return None };
            // What an item prints stays together.
            if leaves(&l.body) || prints_itself(&l.body) {
                return None;
            }
            let (before, after) = (stmts[..at].to_vec(), stmts[at + 1..].to_vec());
            let parts = match Head::uniform(self.body, items, l) {
                Some(head) => {
                    Parts { before, row: Row::of(self.body, &head, &l.body), head, inside: l.body.clone(), after }
                }
                None => self.strided(items, l, before, after)?,
            };
            let ends = parts.head.ends || !is_guarded;
            let live = live_across(items, &parts)?;
            (ends && (self.choice)(self.body, items, &parts, &live)).then_some(parts)
        })
    }

    /// A loop that items begin beside each other and that they leave in this order: the first item's is that of all.
    fn strided(&mut self, items: &Items, l: &Loop, mut before: Vec<Stmt>, after: Vec<Stmt>) -> Option<Parts> {
        let mut inside = l.body.clone();
        let update = match l.update.as_slice() {
            [] => inside.pop()?,
            [update] => update.clone(),
            _ => return None,
        };
        let (counter, step) = advanced(&update)?;
        let declared = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Declare { var, .. } if var == counter);
        let declaration = match l.init.as_slice() {
            [] => before.remove(before.iter().position(declared)?),
            [init] if declared(init) => init.clone(),
            _ => return None,
        };
        let StmtKind::Declare { init: Some(Initializer::Value(first)), .. } = declaration.kind else { return None };
        let elsewhere = Uses::of(&[before.as_slice(), &after].concat()).mentioned;
        let is_plain = l.head.is_empty() && !l.test_last && !elsewhere.contains(&counter);
        if !is_plain || Uses::of(&inside).assigned.contains(&counter) {
            return None;
        }
        let ty = self.body.var(counter).ty.scalar().filter(|ty| matches!(ty, Scalar::I32 | Scalar::I64))?;
        let (op, bound) = bound_of(l.condition.as_ref()?, counter)?;
        let [step, bound] = [step, bound].map(|expr| items.uniform(self.body, &items.inlined(expr)));
        let (step, bound) = (step?, bound?);
        let (base, distance, reach) = items.beside(self.body, &items.inlined(&first))?;

        let name = format!("{}_first", self.body.var(counter).name);
        let of_group = Variable { role: Role::Local, is_const: false, ..self.body.var(counter).clone() };
        let lead = build::fresh(self.body, &name, of_group);
        let own = self.body.add(Variable { is_const: true, ..self.body.var(counter).clone() });
        let of_lead = |body: &Body| build::load(body, lead);
        let value = build::binary(BinaryOp::Add, of_lead(self.body), narrowed(&distance, ty), ty);
        rename(&mut inside, &BTreeMap::from([(counter, own)]));
        let (counter, stmts) = (lead, inside.clone());
        let row = Row {
            counter,
            step: step.clone(),
            op,
            bound: bound.clone(),
            own,
            distance: distance.clone(),
            reach,
            stmts,
        };
        inside.insert(0, build::declare(self.body, own, value));
        let reached = build::add(wide(of_lead(self.body)), distance);
        let inside = build::when(build::compare(op, reached, wide(bound.clone())), inside, Vec::new());
        let condition = build::compare(op, wide(of_lead(self.body)), wide(bound));
        let ends = step.as_int().is_some_and(|step| step > 0);
        let place = build::place(self.body, lead);
        let update = build::stmt(StmtKind::Assign { place, op: Some(BinaryOp::Add), value: step });
        let init = vec![build::declare(self.body, lead, base)];
        let head = Head { init, condition, update: vec![update], unroll: l.unroll, ends, iterations: None };
        Some(Parts { before, head, inside: inside.into_iter().collect(), row: Some(row), after })
    }

    /// The regions and the loop.
    fn assemble(&mut self, items: &Items, parts: Parts, guard: Option<&Expr>) -> Vec<Stmt> {
        let Parts { mut before, mut head, inside, row, after } = parts;
        let rows = row.filter(|_| head.unroll.is_none()).and_then(|row| row.jammed(self.body));
        let [inside, after] = [inside, after].map(|part| self.with_definitions(items, &before, part, guard));
        let rows = rows.map(|rows| Rows { stmts: self.with_definitions(items, &before, rows.stmts, guard), ..rows });
        self.make_exclusive(&mut before, &[&inside, &after]);
        let is_definition =
            |stmt: &Stmt| matches!(stmt.kind, StmtKind::Declare { var, .. } if items.definitions.contains_key(&var));
        let count = before.iter().take_while(|stmt| is_definition(stmt)).count();
        let rest = before.split_off(count);
        before.extend(match guard {
            Some(guard) => build::when(guard.clone(), rest, Vec::new()).into_iter().collect(),
            None => rest,
        });
        let has_work = before.iter().any(|stmt| !is_definition(stmt));
        let region = |body| Region { axes: items.axes.clone(), body, meeting: Meeting::Barrier };
        let mut out = Vec::new();
        if has_work {
            out.push(build::stmt(StmtKind::Inner(Box::new(region(before)))));
        }
        let group = |init, condition, update, body, unroll| {
            let l = Loop { init, head: Vec::new(), condition: Some(condition), update, body, test_last: false, unroll };
            build::stmt(StmtKind::Loop(Box::new(l)))
        };
        if let Some(Rows { condition, stmts, update }) = rows {
            out.append(&mut head.init);
            let body = vec![build::stmt(StmtKind::Inner(Box::new(region(stmts))))];
            out.push(group(Vec::new(), condition, vec![update], body, None));
        }
        let Head { init, condition, update, unroll, .. } = head;
        out.push(group(init, condition, update, self.region(region(inside)), unroll));
        if !after.is_empty() {
            out.extend(self.region(region(after)));
        }
        out
    }

    /// A part behind its guard and the definitions that both need.
    fn with_definitions(&mut self, items: &Items, before: &[Stmt], part: Vec<Stmt>, guard: Option<&Expr>) -> Vec<Stmt> {
        let mut part = match guard {
            Some(guard) => build::when(guard.clone(), part, Vec::new()).into_iter().collect(),
            None => part,
        };
        if part.is_empty() {
            return part;
        }
        for stmt in before.iter().rev() {
            if let StmtKind::Declare { var, .. } = stmt.kind
                && items.definitions.contains_key(&var)
                && Uses::of(&part).mentioned.contains(&var)
            {
                part.insert(0, stmt.clone());
                let copy = self.body.add(self.body.var(var).clone());
                rename(&mut part, &BTreeMap::from([(var, copy)]));
            }
        }
        part
    }

    /// Variables that other parts mention become exclusive.
    fn make_exclusive(&mut self, before: &mut Vec<Stmt>, others: &[&[Stmt]]) {
        let mentioned = Uses::of(&others.concat()).mentioned;
        before.retain_mut(|stmt| match &mut stmt.kind {
            StmtKind::Declare { var, init } if mentioned.contains(var) => {
                let variable = &mut self.body.vars[var.0 as usize];
                (variable.role, variable.is_const) = (Role::Exclusive, false);
                self.exclusive.push(*var);
                match init.take() {
                    Some(Initializer::Value(value)) => {
                        stmt.kind = StmtKind::Assign { place: build::place(self.body, *var), op: None, value };
                        true
                    }
                    _ => false,
                }
            }
            _ => true,
        });
    }
}

fn narrowed(distance: &Expr, ty: Scalar) -> Expr {
    build::convert(if ty == Scalar::I32 { build::narrow(distance) } else { distance.clone() }, ty)
}

/// Whether statements print without a function's help.
pub(super) fn prints_itself(stmts: &[Stmt]) -> bool {
    struct Prints(bool);
    impl Visitor for Prints {
        fn stmt(&mut self, stmt: &Stmt) {
            self.0 |= matches!(stmt.kind, StmtKind::Print(_));
            walk_stmt(self, stmt);
        }
    }
    let mut found = Prints(false);
    stmts.iter().for_each(|stmt| found.stmt(stmt));
    found.0
}
