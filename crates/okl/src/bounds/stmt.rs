//! Statements: assignments, branches, and what is known where branches meet.

use super::condition::{compared, is_number};
use super::space::literal;
use super::{Env, Frame, Walk};
use crate::ir::{
    Arm, AtomicOp, BinaryOp, Expr, Initializer, Place, Projection, Scalar, Stmt, StmtKind, Type, Uses, VarId,
    may_overflow,
};
use crate::signature::bounds::{AccessKind, Alternative, Sum};
use crate::source::Span;
use std::collections::BTreeSet;

impl<'a> Walk<'a> {
    /// Walks statements, as far as they are reached.
    pub(super) fn stmts(&mut self, frame: &mut Frame<'a>, stmts: &'a [Stmt]) {
        for stmt in stmts {
            if !frame.live || !self.step() {
                return;
            }
            self.stmt(frame, stmt);
        }
    }

    fn stmt(&mut self, frame: &mut Frame<'a>, stmt: &'a Stmt) {
        match &stmt.kind {
            StmtKind::Declare { var, init } => self.declare(frame, *var, init.as_ref()),
            StmtKind::Assign { place, op, value } => self.assign(frame, place, *op, value, stmt.span),
            StmtKind::Atomic { place, op, value, expected, result } => {
                match op {
                    AtomicOp::Div => self.visit_operand(frame, BinaryOp::Div, value, stmt.span),
                    _ => self.visit(frame, value),
                }
                expected.iter().for_each(|e| self.visit(frame, e));
                self.recorded.iter_mut().for_each(|recorded| recorded.is_atomic = true);
                self.access(frame, place, AccessKind::Update);
                self.recorded.iter_mut().for_each(|recorded| recorded.is_atomic = false);
                result.iter().for_each(|&result| forget(frame, result));
                if place.path.is_empty() {
                    forget(frame, place.root);
                }
            }
            StmtKind::Call { function, arguments, result } => {
                let value = self.call(frame, *function, arguments);
                if let Some(result) = *result {
                    forget(frame, result);
                    if is_followed(frame, result) {
                        value.into_iter().for_each(|value| drop(frame.env.values.insert(result, value)));
                    }
                }
            }
            StmtKind::Print(print) => print.arguments.iter().for_each(|value| self.visit(frame, value)),
            // Its memory is not accessed; what its subscripts read is.
            StmtKind::Prefetch { place, .. } => {
                for projection in &place.path {
                    if let Projection::Index(index) | Projection::Flat(index) = projection {
                        self.visit(frame, index);
                    }
                }
            }
            StmtKind::If { condition, then, otherwise } => self.branch(frame, condition, then, otherwise),
            StmtKind::Loop(l) => self.repeat(frame, l),
            StmtKind::Switch { value, arms } => self.switch(frame, value, arms),
            StmtKind::Return(value) => {
                if let Some(value) = value {
                    let result = is_number(value).then(|| self.value(frame, value));
                    if result.is_none() {
                        self.visit(frame, value);
                    }
                    frame.results.push(result.map(|value| Alternative { value, guard: frame.guard }));
                }
                (frame.live, frame.left) = (false, true);
            }
            StmtKind::Break | StmtKind::Continue | StmtKind::EndItem => (frame.live, frame.left) = (false, true),
            StmtKind::Block(stmts) => self.stmts(frame, stmts),
            StmtKind::Inner(region) => self.region(frame, region),
            StmtKind::Barrier | StmtKind::Mark(_) => {}
        }
    }

    fn declare(&mut self, frame: &mut Frame<'a>, var: VarId, init: Option<&'a Initializer>) {
        match init {
            Some(Initializer::Value(value)) => self.set(frame, var, value),
            Some(Initializer::List(values)) => values.iter().for_each(|value| self.visit(frame, value)),
            None => forget(frame, var),
        }
    }

    /// Gives a variable a value.
    fn set(&mut self, frame: &mut Frame<'a>, var: VarId, value: &'a Expr) {
        if is_number(value) && is_followed(frame, var) {
            let value = self.value(frame, value);
            frame.env.values.insert(var, value);
        } else if value.ty == Type::Scalar(Scalar::Bool) && is_followed(frame, var) {
            let truth = self.truth(frame, value);
            frame.env.truths.insert(var, truth);
        } else {
            self.visit(frame, value);
            forget(frame, var);
        }
    }

    fn assign(&mut self, frame: &mut Frame<'a>, place: &'a Place, op: Option<BinaryOp>, value: &'a Expr, span: Span) {
        if !place.path.is_empty() {
            match op {
                Some(op) => {
                    self.note_update(op, place, value);
                    self.visit_operand(frame, op, value, span);
                }
                None => self.visit(frame, value),
            }
            self.access(frame, place, if op.is_none() { AccessKind::Write } else { AccessKind::Update });
            return;
        }
        let var = place.root;
        match op {
            None => self.set(frame, var, value),
            Some(op) if is_number(value) && is_followed(frame, var) => {
                // That of the variable: what a shift moves by may have another one.
                let ty = frame.body.var(var).ty.scalar().unwrap_or(Scalar::I64);
                let before = frame.env.values.get(&var).cloned();
                let before = before.unwrap_or_else(|| self.space.unknown(ty));
                let by = self.operand(frame, op, value);
                self.division(frame, op, [&before, &by], value, span);
                let after = self.operation(frame, op, [&before, &by], ty, value.span);
                if may_overflow(op, &place.ty) && self.combined(op, &before, &by).as_ref() != Some(&after) {
                    self.note_update(op, place, value);
                }
                frame.env.values.insert(var, after);
            }
            Some(op) => {
                self.note_update(op, place, value);
                self.visit_operand(frame, op, value, span);
                forget(frame, var);
            }
        }
    }

    /// What is added to a number of which nothing is known may leave its type.
    fn note_update(&mut self, op: BinaryOp, place: &Place, value: &Expr) {
        if may_overflow(op, &place.ty) && !self.counting.contains(&std::ptr::from_ref(value)) {
            self.unproven.insert_update(value);
        }
    }

    fn branch(&mut self, frame: &mut Frame<'a>, condition: &'a Expr, then: &'a [Stmt], otherwise: &'a [Stmt]) {
        let truth = self.truth(frame, condition);
        self.charge(frame.env.values.len() / 8);
        let (outside, before, left) = (frame.guard, frame.env.clone(), frame.left);
        let mut ends = Vec::new();
        for (stmts, is) in [(then, true), (otherwise, false)] {
            frame.env = before.clone();
            (frame.guard, frame.live, frame.left) = (self.under(outside, &truth, is), true, false);
            self.stmts(frame, stmts);
            ends.push((std::mem::take(&mut frame.env), frame.guard, frame.live, frame.left));
        }
        let [(then_env, then_guard, then_live, then_left), (else_env, else_guard, else_live, else_left)] =
            <[_; 2]>::try_from(ends).unwrap_or_else(|_| unreachable!("there are two branches"));
        frame.left = left || then_left || else_left;
        frame.live = then_live || else_live;
        (frame.env, frame.guard) = match (then_live, else_live) {
            (true, true) => {
                let env = self.joined([(then_env, then_guard), (else_env, else_guard)]);
                // Where a path has left on the way, not every item comes here.
                let all_come = !then_left && !else_left;
                (env, if all_come { outside } else { self.space.guard(outside, None, false) })
            }
            (true, false) => (then_env, then_guard),
            (false, true) => (else_env, else_guard),
            (false, false) => (before, outside),
        };
    }

    /// What is known where two paths meet.
    fn joined(&mut self, [(a, a_guard), (b, b_guard)]: [(Env, Option<u32>); 2]) -> Env {
        let mut env = Env::default();
        for (var, first) in a.values {
            let Some(second) = b.values.get(&var) else { continue };
            let value = if first == *second {
                first
            } else {
                let second = Alternative { value: second.clone(), guard: b_guard };
                self.space.one_of(vec![Alternative { value: first, guard: a_guard }, second])
            };
            env.values.insert(var, value);
        }
        env.truths = a.truths.into_iter().filter(|(var, truth)| b.truths.get(var) == Some(truth)).collect();
        env
    }

    fn switch(&mut self, frame: &mut Frame<'a>, value: &'a Expr, arms: &'a [Arm]) {
        let selector = is_number(value).then(|| self.value(frame, value));
        if selector.is_none() {
            self.visit(frame, value);
        }
        let assigned: BTreeSet<VarId> = arms.iter().flat_map(|arm| Uses::of(&arm.body).assigned).collect();
        let (outside, left) = (frame.guard, frame.left);
        let mut falls_in = false;
        for arm in arms {
            frame.guard = match (&selector, arm.values.as_slice(), arm.is_default || falls_in) {
                (Some(selector), [case], false) => {
                    let ty = value.ty.scalar().unwrap_or(Scalar::I64);
                    let truth = literal(*case, ty).map(|case| compared(BinaryOp::Eq, selector, &Sum::number(case)));
                    self.under(outside, &truth.unwrap_or_default(), true)
                }
                _ => self.space.guard(outside, None, false),
            };
            self.charge(frame.env.values.len() / 8);
            let before = frame.env.clone();
            if falls_in {
                self.charge(assigned.len());
                self.forget_all(frame, &assigned);
            }
            frame.live = true;
            self.stmts(frame, &arm.body);
            frame.env = before;
            falls_in = arm.falls_through;
        }
        self.forget_all(frame, &assigned);
        // `break` leaves the switch; whatever leaves more than that makes the rest uncertain.
        let leaves = std::mem::replace(&mut frame.left, left);
        frame.left |= leaves;
        frame.live = true;
        frame.guard = if leaves { self.space.guard(outside, None, false) } else { outside };
    }

    /// Nothing is known any more of these variables.
    pub(super) fn forget_all(&mut self, frame: &mut Frame<'a>, vars: &BTreeSet<VarId>) {
        for &var in vars {
            forget(frame, var);
            self.blur(frame, var);
        }
    }

    /// Gives a variable any value of its type.
    pub(super) fn blur(&mut self, frame: &mut Frame<'a>, var: VarId) {
        let ty = frame.body.var(var).ty.scalar().filter(|ty| ty.is_integer() && *ty != Scalar::Bool);
        if let Some(ty) = ty.filter(|_| is_followed(frame, var)) {
            let value = self.space.unknown(ty);
            frame.env.values.insert(var, value);
        }
    }
}

/// Whether the walk knows all that changes a variable: it belongs to one item, or to a function's call.
pub(super) fn is_followed(frame: &Frame<'_>, var: VarId) -> bool {
    !frame.body.var(var).role.is_shared()
}

fn forget(frame: &mut Frame<'_>, var: VarId) {
    frame.env.values.remove(&var);
    frame.env.truths.remove(&var);
}
