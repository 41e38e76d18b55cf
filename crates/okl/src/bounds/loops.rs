//! Loops: how often they have run, and what that says of the variables that they change.

use super::condition::{Truth, is_number};
use super::expr::{is_mixing_factor, power};
use super::stmt::is_followed;
use super::{Env, Frame, Walk};
use crate::ir::{
    BinaryOp, Expr, ExprKind, Loop, Place, Scalar, Stmt, StmtKind, Uses, VarId, Visitor, walk_place, walk_stmt,
};
use crate::signature::bounds::{Alternative, Condition, Is, Sum};
use std::collections::{BTreeMap, BTreeSet};

/// How a variable changes from one iteration to the next.
enum Change {
    /// The same number is added.
    Step(Sum),
    /// It is divided, or shifted to the right.
    Shrink,
    /// It is multiplied by this number, at least one, or shifted to the left.
    Grow(Sum),
}

/// What is added more than a few times without leaving a wide type.
const MOST_STEP: u64 = 1 << 20;

impl Change {
    /// A few iterations are enough to leave the type.
    fn soon_leaves(&self, ty: Scalar) -> bool {
        match self {
            // The launch may take steps of any size.
            Self::Step(by) => ty.bytes() < 4 || !by.terms.is_empty() || by.constant.unsigned_abs() > MOST_STEP,
            Self::Shrink => false,
            Self::Grow(_) => true,
        }
    }

    /// As many iterations as a loop may have are enough to leave the type. Steps of one take longer than kernels run, unless they
    /// lead down to zero.
    fn may_leave(&self, ty: Scalar) -> bool {
        let leads_to_end = |by: &Sum| !ty.is_signed() && by.constant < 0;
        matches!(self, Self::Step(by) if ty.bytes() == 4 && by.constant.unsigned_abs() > 1 || leads_to_end(by))
    }
}

/// How variables change.
type Changes = BTreeMap<VarId, Change>;

impl<'a> Walk<'a> {
    pub(super) fn repeat(&mut self, frame: &mut Frame<'a>, l: &'a Loop) {
        self.stmts(frame, &l.init);
        let (outside, left) = (frame.guard, frame.left);
        let jumps = Jumps::of(l);
        let assigned = assigned_in(l);
        self.counting.extend(counting(frame, l, &jumps).map(std::ptr::from_ref));
        self.charge(frame.env.values.len() / 8 + assigned.len());
        let before = frame.env.clone();
        let mut changes = self.changes(frame, l, &assigned, &jumps);
        let may_wrap: BTreeSet<VarId> =
            changes.iter().filter(|(var, change)| self.may_wrap(frame, **var, change)).map(|(&var, _)| var).collect();
        changes.retain(|&var, change| self.may_be_followed(frame, l, var, change, may_wrap.contains(&var)));
        let steps = changes.iter().filter(|(var, change)| change.may_leave(scalar_of(frame, **var)));
        let may_leave: BTreeSet<VarId> = steps.map(|(&var, _)| var).chain(may_wrap.iter().copied()).collect();
        let iteration = self.space.count();
        self.begin_iteration(frame, &before, &assigned, &changes, iteration);
        frame.left = false;
        let perhaps = self.space.guard(outside, None, false);
        let mut running = if jumps.ends || l.test_last { perhaps } else { outside };
        if !l.test_last
            && let Some(mut truth) = self.test(frame, l, perhaps)
        {
            let limited = self.while_true(running, &truth, iteration);
            let mut unlimited = self.unlimited(frame, &may_leave, limited);
            unlimited.extend(self.endless(frame, &changes, &before, [outside, limited]));
            if !unlimited.is_empty() {
                // What the condition says is said once more, of any numbers.
                changes.retain(|var, _| !unlimited.contains(var));
                self.forget_all(frame, &unlimited);
                truth = self.test(frame, l, perhaps).unwrap_or_default();
            }
            running = self.while_true(running, &truth, iteration);
            self.require_next(frame, &changes, &may_wrap, running, l);
        }
        let endless = self.endless(frame, &changes, &before, [outside, running]);
        changes.retain(|var, _| !endless.contains(var));
        self.forget_all(frame, &endless);
        changes.iter().for_each(|(&var, change)| self.require_room(frame, (var, change), &before, [outside, running]));
        frame.guard = running;
        self.stmts(frame, &l.body);
        (frame.guard, frame.live) = (if frame.left { self.space.guard(running, None, false) } else { running }, true);
        if jumps.continues {
            // Some come here from the middle of the body.
            let settled = changes.keys().copied().collect();
            self.forget_all(frame, &(&assigned - &settled));
        }
        self.stmts(frame, &l.update);
        if l.test_last {
            self.test(frame, l, perhaps);
        }
        let left_body = frame.left;
        self.end(frame, &before, &assigned, &changes, (iteration, running));
        frame.left = left || left_body && jumps.leaves;
        frame.live = true;
        // An endless loop is left by a jump alone; one that a function or item is left from is not passed by all.
        frame.guard = if left_body && jumps.leaves { self.space.guard(outside, None, false) } else { outside };
    }

    /// Whether a variable may wrap within a few iterations: one that changes fast, or begins with a limited number, of which the
    /// assignment requires nothing.
    fn may_wrap(&mut self, frame: &Frame<'a>, var: VarId, change: &Change) -> bool {
        let ty = scalar_of(frame, var);
        let is_slow = matches!(change, Change::Shrink) || ty == Scalar::I64;
        let mut is_limited = |first| self.space.is_limited(first, frame.guard);
        change.soon_leaves(ty) || !is_slow && frame.env.values.get(&var).is_some_and(&mut is_limited)
    }

    /// Whether a variable may be followed from iteration to iteration as if it could not wrap. The assignment has to fit, which
    /// a launch proves, but only where the number is bounded there. One that nothing limits before the loop may wrap at once,
    /// and so may one that `may_wrap` unless the loop's condition limits it.
    fn may_be_followed(&mut self, frame: &Frame<'a>, l: &Loop, var: VarId, change: &Change, may_wrap: bool) -> bool {
        let first = frame.env.values.get(&var);
        let is_number = |first| self.space.is_number(first, frame.guard);
        match (change, scalar_of(frame, var)) {
            (Change::Shrink, _) => true,
            _ if may_wrap && (l.test_last || !l.condition.iter().any(|c| limits(c, var))) => false,
            (_, ty) if change.may_leave(ty) && (l.test_last || l.condition.is_none()) => false,
            (_, ty) if change.soon_leaves(ty) || ty == Scalar::I64 => true,
            _ => first.is_some_and(is_number),
        }
    }

    /// Variables of which an iteration does not know that they have not wrapped.
    fn unlimited(&mut self, frame: &Frame<'a>, may_wrap: &BTreeSet<VarId>, running: Option<u32>) -> BTreeSet<VarId> {
        let values = may_wrap.iter().filter_map(|&var| Some((var, frame.env.values.get(&var)?)));
        values.filter(|(_, value)| !self.space.is_number(value, running)).map(|(var, _)| var).collect()
    }

    /// That what may wrap does not. The assignment requires nothing of the widest type.
    fn require_next(
        &mut self,
        frame: &Frame<'a>,
        changes: &Changes,
        may_wrap: &BTreeSet<VarId>,
        running: Option<u32>,
        l: &Loop,
    ) {
        let Some(condition) = &l.condition else { return };
        for (&var, change) in changes.iter().filter(|(var, _)| may_wrap.contains(var)) {
            let ty = scalar_of(frame, var);
            let Some(value) = frame.env.values.get(&var) else { continue };
            let next = match change {
                Change::Step(by) => value.plus(by, 1),
                Change::Grow(by) => self.space.product(value, by),
                Change::Shrink => continue,
            };
            match next {
                Some(next) => self.space.require_number(&next, running, ty, condition.span),
                None => self.steps = 0,
            }
        }
    }

    /// Variables that nothing limits, neither in an iteration nor where they begin, so that no launch can prove that they have
    /// room: such as begin at any number of 64 bits that memory holds.
    fn endless(
        &mut self,
        frame: &Frame<'a>,
        changes: &Changes,
        before: &Env,
        [outside, running]: [Option<u32>; 2],
    ) -> BTreeSet<VarId> {
        let mut is_endless =
            |var: VarId, change: &Change| match self.start_of_unlimited(frame, (var, change), before, running) {
                Some(first) => !self.space.is_number(first, outside),
                None => false,
            };
        changes.iter().filter(|&(&var, change)| is_endless(var, change)).map(|(&var, _)| var).collect()
    }

    /// That what nothing limits in an iteration, so that its assignment requires nothing, begins far enough from the end of its type.
    fn require_room(
        &mut self,
        frame: &Frame<'a>,
        (var, change): (VarId, &Change),
        before: &Env,
        [outside, running]: [Option<u32>; 2],
    ) {
        let Change::Step(by) = change else { return };
        let Some(first) = self.start_of_unlimited(frame, (var, change), before, running) else { return };
        let ty = scalar_of(frame, var);
        let room = 1i64 << (8 * ty.bytes() - 2);
        match first.plus(&Sum::number(room), by.constant.signum()) {
            Some(last) => self.space.require_number(&last, outside, ty, frame.body.var(var).span),
            None => self.steps = 0,
        }
    }

    /// Where a variable begins that changes step by step, and that nothing limits in an iteration.
    fn start_of_unlimited<'b>(
        &mut self,
        frame: &Frame<'a>,
        (var, change): (VarId, &Change),
        before: &'b Env,
        running: Option<u32>,
    ) -> Option<&'b Sum> {
        let is_step = matches!(change, Change::Step(_)) && scalar_of(frame, var).bytes() >= 4;
        let first = before.values.get(&var).filter(|first| is_step && !first.terms.is_empty())?;
        let is_limited = frame.env.values.get(&var).is_some_and(|value| self.space.is_number(value, running));
        (!is_limited).then_some(first)
    }

    /// What the condition of a loop says in an iteration. How often it is tested no guard says, so that nothing in it is
    /// certain to happen.
    fn test(&mut self, frame: &mut Frame<'a>, l: &'a Loop, perhaps: Option<u32>) -> Option<Truth> {
        frame.guard = perhaps;
        self.stmts(frame, &l.head);
        l.condition.as_ref().map(|condition| self.truth(frame, condition))
    }

    /// The guard below `guard` in an iteration before which the condition was true. It was in all iterations before, too:
    /// an inequality holds in all of them if it holds in this one and in the first one; of others that is not known.
    fn while_true(&mut self, guard: Option<u32>, truth: &Truth, iteration: u32) -> Option<u32> {
        let (mut guard, mut exact) = (guard, truth.exact[1]);
        for condition in &truth.holds[1] {
            guard = self.space.guard(guard, Some(condition.clone()), true);
            let Condition::NotNegative(sum) = condition else {
                exact = false;
                continue;
            };
            // Whichever element of constant memory the condition reads, no other exceeds the limit.
            let relaxed = self.space.without_elements_after(sum, iteration).filter(|relaxed| relaxed != sum);
            if let Some(relaxed) = &relaxed {
                exact = false;
                guard = self.space.guard(guard, Some(Condition::NotNegative(relaxed.clone())), true);
            }
            let sum = relaxed.as_ref().unwrap_or(sum);
            // What is known since before the loop is the same in each iteration.
            let first: Vec<_> = sum.terms.iter().filter(|t| t.variable != Some(iteration)).cloned().collect();
            if first.iter().any(|term| term.variable > Some(iteration)) {
                exact = false;
            } else if first.len() < sum.terms.len() {
                let first = Condition::NotNegative(Sum { constant: sum.constant, terms: first });
                guard = self.space.guard(guard, Some(first), true);
            }
        }
        if exact { guard } else { self.space.guard(guard, None, false) }
    }

    /// The values in one iteration.
    fn begin_iteration(
        &mut self,
        frame: &mut Frame<'a>,
        before: &Env,
        assigned: &BTreeSet<VarId>,
        changes: &Changes,
        iteration: u32,
    ) {
        self.forget_all(frame, assigned);
        for (&var, change) in changes {
            let Some(first) = before.values.get(&var) else { continue };
            if let Some(value) = self.changed(first, change, &Sum::variable(iteration)) {
                frame.env.values.insert(var, value);
            }
        }
    }

    /// A variable after some iterations.
    fn changed(&mut self, first: &Sum, change: &Change, iterations: &Sum) -> Option<Sum> {
        let alternative = |value: Sum| Alternative { value, guard: None };
        match change {
            Change::Step(step) => {
                let moved = self.space.product(step, iterations)?;
                first.plus(&moved, 1)
            }
            Change::Shrink => Some(self.space.between(vec![alternative(Sum::number(0)), alternative(first.clone())])),
            Change::Grow(_) if first.terms.is_empty() && first.constant >= 0 => {
                let this = Sum::variable(self.space.bounds.variables.len() as u32);
                let least = this.plus(first, -1)?;
                Some(Sum::variable(self.space.variable(vec![least], Is::Some)))
            }
            Change::Grow(_) => None,
        }
    }

    /// The values behind the loop: after as many iterations as have run, or one more.
    fn end(
        &mut self,
        frame: &mut Frame<'a>,
        before: &Env,
        assigned: &BTreeSet<VarId>,
        changes: &Changes,
        (iteration, running): (u32, Option<u32>),
    ) {
        frame.env = before.clone();
        self.forget_all(frame, assigned);
        let all = Sum::variable(iteration).plus(&Sum::number(1), 1);
        let Some(all) = all else { return };
        let ran = Alternative { value: all, guard: running };
        let total = self.space.between(vec![Alternative { value: Sum::number(0), guard: None }, ran]);
        for (&var, change) in changes {
            let Some(first) = before.values.get(&var) else { continue };
            if let Some(value) = self.changed(first, change, &total) {
                frame.env.values.insert(var, value);
            }
        }
    }

    /// The variables that change in the same way in every iteration.
    fn changes(&mut self, frame: &Frame<'a>, l: &'a Loop, assigned: &BTreeSet<VarId>, jumps: &Jumps) -> Changes {
        let in_body = if jumps.continues { &[][..] } else { l.body.as_slice() };
        let always: Vec<&Stmt> = l.update.iter().chain(in_body).collect();
        let mut changes = BTreeMap::new();
        for &var in assigned.iter().filter(|var| is_followed(frame, **var)) {
            let is_integer = frame.body.var(var).ty.scalar().is_some_and(|ty| ty.is_integer() && ty != Scalar::Bool);
            if !is_integer || jumps.assignments.get(&var) != Some(&1) {
                continue;
            }
            let change = always.iter().find_map(|stmt| self.change(frame, stmt, var, assigned));
            change.into_iter().for_each(|change| drop(changes.insert(var, change)));
        }
        changes
    }

    fn change(&mut self, frame: &Frame<'a>, stmt: &Stmt, var: VarId, assigned: &BTreeSet<VarId>) -> Option<Change> {
        let StmtKind::Assign { place, op, value } = &stmt.kind else { return None };
        if place.root != var || !place.path.is_empty() {
            return None;
        }
        let (op, by) = match (op, &value.kind) {
            (Some(op), _) => (*op, value),
            (None, ExprKind::Binary(op, a, b)) if is_variable(a, var) => (*op, b.as_ref()),
            (None, ExprKind::Binary(op @ BinaryOp::Add, a, b)) if is_variable(b, var) => (*op, a.as_ref()),
            _ => return None,
        };
        let step = self.fixed(frame, by, assigned)?;
        let number = step.terms.is_empty().then_some(step.constant);
        match op {
            BinaryOp::Add => Some(Change::Step(step)),
            BinaryOp::Sub => Some(Change::Step(Sum::number(0).plus(&step, -1)?)),
            BinaryOp::Div if number? >= 1 => Some(Change::Shrink),
            BinaryOp::Shr if number? >= 0 => Some(Change::Shrink),
            // What is meant to wrap does not grow.
            BinaryOp::Mul if is_mixing_factor(&step, scalar_of(frame, var)) => None,
            BinaryOp::Mul if number? >= 1 => Some(Change::Grow(step)),
            BinaryOp::Shl => Some(Change::Grow(Sum::number(power(number?)?))),
            _ => None,
        }
    }

    /// A value that the launch knows and the loop does not change.
    fn fixed(&mut self, frame: &Frame<'a>, expr: &Expr, assigned: &BTreeSet<VarId>) -> Option<Sum> {
        if !is_number(expr) || !Uses::of_expr(expr).mentioned.is_disjoint(assigned) {
            return None;
        }
        if self.is_known(frame, expr) {
            return Some(self.space.known(expr));
        }
        match &expr.kind {
            ExprKind::Load(place) if place.path.is_empty() => {
                frame.env.values.get(&place.root).filter(|sum| sum.is_known()).cloned()
            }
            _ => None,
        }
    }
}

fn scalar_of(frame: &Frame<'_>, var: VarId) -> Scalar {
    frame.body.var(var).ty.scalar().unwrap_or(Scalar::I64)
}

/// Whether a condition compares a variable with something, which is then true in every iteration.
fn limits(condition: &Expr, var: VarId) -> bool {
    match &condition.kind {
        ExprKind::Binary(BinaryOp::LogicAnd, a, b) => limits(a, var) || limits(b, var),
        ExprKind::Binary(op, ..) => op.is_comparison() && Uses::of_expr(condition).mentioned.contains(&var),
        _ => false,
    }
}

/// The value of `k += 1` at the end of a loop that runs while `k` is less than another number of its type, or of `k -= 1` where
/// `k` is greater: such a count never leaves the type.
fn counting<'a>(frame: &Frame<'_>, l: &'a Loop, jumps: &Jumps) -> impl Iterator<Item = &'a Expr> {
    fn limited(condition: &Expr, var: VarId, below: bool) -> bool {
        match &condition.kind {
            ExprKind::Binary(BinaryOp::LogicAnd, a, b) => limited(a, var, below) || limited(b, var, below),
            ExprKind::Binary(BinaryOp::Lt, a, b) => is_variable(if below { a } else { b }, var),
            ExprKind::Binary(BinaryOp::Gt, a, b) => is_variable(if below { b } else { a }, var),
            _ => false,
        }
    }
    let condition = l.condition.as_ref().filter(|_| !l.test_last);
    l.update.iter().filter_map(move |stmt| {
        let StmtKind::Assign { place, op: Some(op), value } = &stmt.kind else { return None };
        let up = match (op, value.as_int()?) {
            (BinaryOp::Add, 1) | (BinaryOp::Sub, -1) => true,
            (BinaryOp::Sub, 1) | (BinaryOp::Add, -1) => false,
            _ => return None,
        };
        let is_counter = place.path.is_empty()
            && is_followed(frame, place.root)
            && matches!(scalar_of(frame, place.root), Scalar::I32 | Scalar::I64)
            && jumps.assignments.get(&place.root) == Some(&1);
        (is_counter && limited(condition?, place.root, up)).then_some(value)
    })
}

fn is_variable(expr: &Expr, var: VarId) -> bool {
    matches!(&expr.kind, ExprKind::Load(place) if place.root == var && place.path.is_empty())
}

/// The variables that an iteration assigns.
fn assigned_in(l: &Loop) -> BTreeSet<VarId> {
    [&l.head, &l.body, &l.update].into_iter().flat_map(|stmts| Uses::of(stmts).assigned).collect()
}

/// How a loop is left, and how often each variable is assigned in the text.
#[derive(Default)]
struct Jumps {
    continues: bool,
    /// It may end before its condition says so.
    ends: bool,
    /// The whole body, or item, may be left.
    leaves: bool,
    assignments: BTreeMap<VarId, u32>,
    /// Loops around, within this one.
    depth: u32,
}

impl Jumps {
    fn of(l: &Loop) -> Self {
        let mut jumps = Self::default();
        [&l.head, &l.body, &l.update].into_iter().flatten().for_each(|stmt| jumps.stmt(stmt));
        jumps
    }

    fn assign(&mut self, var: VarId) {
        *self.assignments.entry(var).or_default() += 1;
    }
}

impl Visitor for Jumps {
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Continue => self.continues |= self.depth == 0,
            StmtKind::Break => self.ends |= self.depth == 0,
            StmtKind::Return(_) | StmtKind::EndItem => (self.ends, self.leaves) = (true, true),
            StmtKind::Loop(_) => {
                self.depth += 1;
                walk_stmt(self, stmt);
                self.depth -= 1;
                return;
            }
            StmtKind::Atomic { result, .. } | StmtKind::Call { result, .. } => {
                result.iter().for_each(|&var| self.assign(var));
            }
            _ => {}
        }
        walk_stmt(self, stmt);
    }

    fn store(&mut self, place: &Place) {
        if place.path.is_empty() {
            self.assign(place.root);
        }
        walk_place(self, place);
    }
}
