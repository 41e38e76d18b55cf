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
//! and leave it in that order ([`Head::strided`]), and where that brings the group's accesses together ([`Accesses`]).

use super::fold::free_definition;
use super::loops::wide;
use crate::ir::affine::{Affine, Facts, Reading};
use crate::ir::rewrite::{Rewriter, rename, rewrite_expr};
use crate::ir::{
    Axis, BinaryOp, Body, Expr, ExprKind, Initializer, Loop, Module, Place, Projection, Region, Role, Scalar, Stmt,
    StmtKind, Type, Uses, VarId, Variable, Visitor, build, ends_item, for_declarations, walk_expr, walk_place,
    walk_stmt,
};
use std::collections::{BTreeMap, BTreeSet};

/// Fewest items along the fastest axis: fewer are no loop to vectorise.
const FEWEST_ITEMS: i64 = 8;

/// Most variables that become exclusive for one loop: each costs a load and a store where it was a register.
const MOST_EXCLUSIVE: usize = 4;

/// Turns of a loop that C compilers unroll by themselves: its variables stay registers then.
const UNROLLED: i64 = 16;

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
            nest.stmts = interchange.list(std::mem::take(&mut nest.stmts));
            nest.exclusive.extend(interchange.exclusive);
        }
    }
}

struct Interchange<'a> {
    body: &'a mut Body,
    exclusive: Vec<VarId>,
    choice: Choice,
}

/// What the items of a region have in common.
struct Items {
    axes: [Option<Axis>; 3],
    /// The axis whose neighbours are next to each other.
    fastest: VarId,
    /// Variables that some item writes.
    assigned: BTreeSet<VarId>,
    /// Variables of items: of axes, or declared in the region.
    own: BTreeSet<VarId>,
    /// Integers that any part of the region may compute again.
    definitions: BTreeMap<VarId, Expr>,
    /// There are enough neighbours.
    is_long: bool,
}

/// What the items do, where all of it stands behind definitions and one condition.
struct Guarded {
    condition: Option<Expr>,
    stmts: Vec<Stmt>,
}

/// The parts of a region around one of its loops.
struct Parts {
    before: Vec<Stmt>,
    head: Head,
    inside: Vec<Stmt>,
    after: Vec<Stmt>,
}

/// The head of the group's loop.
struct Head {
    init: Vec<Stmt>,
    condition: Expr,
    update: Vec<Stmt>,
    unroll: Option<u32>,
    /// It ends, whether any item runs its body or not.
    ends: bool,
    /// The turns that it takes, where they are known.
    turns: Option<i64>,
}

impl Interchange<'_> {
    fn list(&mut self, stmts: Vec<Stmt>) -> Vec<Stmt> {
        let mut out = Vec::new();
        for mut stmt in stmts {
            match stmt.kind {
                StmtKind::Inner(region) => {
                    let mut parts = self.region(*region);
                    parts.iter_mut().for_each(|part| part.span = stmt.span);
                    out.extend(parts);
                    continue;
                }
                StmtKind::If { ref mut then, ref mut otherwise, .. } => {
                    *then = self.list(std::mem::take(then));
                    *otherwise = self.list(std::mem::take(otherwise));
                }
                StmtKind::Loop(ref mut l) => l.body = self.list(std::mem::take(&mut l.body)),
                StmtKind::Block(ref mut stmts) => *stmts = self.list(std::mem::take(stmts)),
                StmtKind::Switch { ref mut arms, .. } => {
                    arms.iter_mut().for_each(|arm| arm.body = self.list(std::mem::take(&mut arm.body)));
                }
                _ => {}
            }
            out.push(stmt);
        }
        out
    }

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
            if leaves(&l.body) {
                return None;
            }
            let (before, after) = (stmts[..at].to_vec(), stmts[at + 1..].to_vec());
            let parts = match Head::uniform(self.body, items, l) {
                Some(head) => Parts { before, head, inside: l.body.clone(), after },
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
        let (base, distance) = items.beside(self.body, &items.inlined(&first))?;

        let name = format!("{}_first", self.body.var(counter).name);
        let of_group = Variable { role: Role::Local, is_const: false, ..self.body.var(counter).clone() };
        let lead = build::fresh(self.body, &name, of_group);
        let own = self.body.add(Variable { is_const: true, ..self.body.var(counter).clone() });
        let of_lead = |body: &Body| build::load(body, lead);
        let value = build::binary(BinaryOp::Add, of_lead(self.body), narrowed(&distance, ty), ty);
        rename(&mut inside, &BTreeMap::from([(counter, own)]));
        inside.insert(0, build::declare(self.body, own, value));
        let reached = build::add(wide(of_lead(self.body)), distance);
        let inside = build::when(build::compare(op, reached, wide(bound.clone())), inside, Vec::new());
        let condition = build::compare(op, wide(of_lead(self.body)), wide(bound));
        let ends = step.as_int().is_some_and(|step| step > 0);
        let place = build::place(self.body, lead);
        let update = build::stmt(StmtKind::Assign { place, op: Some(BinaryOp::Add), value: step });
        let init = vec![build::declare(self.body, lead, base)];
        let head = Head { init, condition, update: vec![update], unroll: l.unroll, ends, turns: None };
        Some(Parts { before, head, inside: inside.into_iter().collect(), after })
    }

    /// The regions and the loop.
    fn assemble(&mut self, items: &Items, parts: Parts, guard: Option<&Expr>) -> Vec<Stmt> {
        let Parts { mut before, head, inside, after } = parts;
        let [inside, after] = [inside, after].map(|part| self.with_definitions(items, &before, part, guard));
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
        let region = |body| Region { axes: items.axes.clone(), body };
        let mut out = Vec::new();
        if has_work {
            out.push(build::stmt(StmtKind::Inner(Box::new(region(before)))));
        }
        let Head { init, condition, update, unroll, .. } = head;
        let (condition, body) = (Some(condition), self.region(region(inside)));
        let group = Loop { init, head: Vec::new(), condition, update, body, test_last: false, unroll };
        out.push(build::stmt(StmtKind::Loop(Box::new(group))));
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

impl Guarded {
    fn of(body: &Body, stmts: &[Stmt]) -> Self {
        if let Some((last, definitions)) = stmts.split_last()
            && let StmtKind::If { condition, then, otherwise } = &last.kind
            && otherwise.is_empty()
            && condition.is_speculatable()
            && definitions.iter().all(|stmt| free_definition(body, stmt).is_some())
        {
            return Self { condition: Some(condition.clone()), stmts: [definitions, then].concat() };
        }
        Self { condition: None, stmts: stmts.to_vec() }
    }
}

impl Items {
    /// `None` where a region is not to be touched.
    fn of(body: &Body, axes: &[Option<Axis>; 3], stmts: &[Stmt], guard: Option<&Expr>) -> Option<Self> {
        let fastest = axes.iter().flatten().next()?;
        let is_long = fastest.count.as_int()? >= FEWEST_ITEMS && fastest.step.as_int() == Some(1);
        let has_items = axes.iter().flatten().all(|axis| axis.count.as_int().is_some_and(|count| count > 0));
        if !has_items || ends_item(stmts) {
            return None;
        }
        let assigned = Uses::of(stmts).assigned;
        if guard.is_some_and(|guard| !Uses::of_expr(guard).mentioned.is_disjoint(&assigned)) {
            return None;
        }
        let mut own: BTreeSet<VarId> = axes.iter().flatten().map(|axis| axis.var).collect();
        for_declarations(stmts, &mut |var, _| own.extend([var]));
        let again = stmts.iter().filter_map(|stmt| free_definition(body, stmt));
        let is_integer = |value: &Expr| value.ty.scalar().is_some_and(Scalar::is_integer);
        let again =
            again.filter(|(_, value)| is_integer(value) && Uses::of_expr(value).mentioned.is_disjoint(&assigned));
        let definitions = again.map(|(var, value)| (var, value.clone())).collect();
        Some(Self { axes: axes.clone(), fastest: fastest.var, assigned, own, definitions, is_long })
    }

    /// An expression with the values of definitions in their place.
    fn inlined(&self, expr: &Expr) -> Expr {
        struct Inline<'a>(&'a BTreeMap<VarId, Expr>);
        impl Rewriter for Inline<'_> {
            fn expr(&mut self, expr: &mut Expr) {
                while let ExprKind::Load(place) = &expr.kind
                    && let (true, Some(value)) = (place.path.is_empty(), self.0.get(&place.root))
                {
                    *expr = value.clone();
                }
                rewrite_expr(self, expr);
            }
        }
        let mut expr = expr.clone();
        Inline(&self.definitions).expr(&mut expr);
        expr
    }

    /// An expression that is the same for all items of a group and whenever it is computed.
    fn uniform(&self, body: &Body, expr: &Expr) -> Option<Expr> {
        let of_group = |var: &VarId| {
            let role = body.var(*var).role;
            !self.own.contains(var) && !self.assigned.contains(var) && !matches!(role, Role::Exclusive | Role::Shared)
        };
        let is_uniform = expr.is_speculatable() && Uses::of_expr(expr).mentioned.iter().all(of_group);
        is_uniform.then(|| expr.clone())
    }

    /// A value as the first item's and the distance of an item's from it, which is not below zero.
    fn beside(&self, body: &Body, value: &Expr) -> Option<(Expr, Expr)> {
        let form = Facts::default().affine(value)?;
        let (mut base, mut distance) = (form.clone(), Affine::constant(0));
        for axis in self.axes.iter().flatten() {
            let factor = form.coefficient(axis.var);
            let start = Facts::default().affine(&self.uniform(body, &self.inlined(&axis.start))?)?;
            if factor < 0 || axis.step.as_int()? < 1 {
                return None;
            }
            base = base.substitute(axis.var, &start)?;
            let number = Affine::term(&build::load(body, axis.var)).sub(&start)?;
            distance = distance.add(&number.scale(factor)?)?;
        }
        let base = self.uniform(body, &base.to_expr())?;
        (distance.as_constant().is_none()).then(|| (base, distance.to_expr()))
    }
}

impl Head {
    /// The head of a loop that all items run alike.
    fn uniform(body: &Body, items: &Items, l: &Loop) -> Option<Self> {
        let mut counters = BTreeSet::new();
        for stmt in &l.init {
            let StmtKind::Declare { var, init: Some(Initializer::Value(_)) } = stmt.kind else { return None };
            counters.insert(var);
        }
        let all_assign = |stmts: &[Stmt]| {
            let counts = |stmt: &Stmt| matches!(&stmt.kind, StmtKind::Assign { place, .. } if place.path.is_empty() && counters.contains(&place.root));
            stmts.iter().all(counts)
        };
        let is_counted = l.head.is_empty() && !l.test_last && all_assign(&l.update);
        if !is_counted || !Uses::of(&l.body).assigned.is_disjoint(&counters) {
            return None;
        }
        // The counters are the group's; nothing else may differ from item to item.
        let without = |set: &BTreeSet<VarId>| set.difference(&counters).copied().collect();
        let (own, assigned) = (without(&items.own), without(&items.assigned));
        let (axes, definitions) = (items.axes.clone(), items.definitions.clone());
        let of_group = Items { axes, assigned, own, definitions, ..*items };
        let (mut init, mut update) = (l.init.clone(), l.update.clone());
        for stmt in init.iter_mut().chain(&mut update) {
            match &mut stmt.kind {
                StmtKind::Declare { init: Some(Initializer::Value(value)), .. } | StmtKind::Assign { value, .. } => {
                    *value = of_group.uniform(body, &items.inlined(value))?;
                }
                _ => return None,
            }
        }
        let condition = of_group.uniform(body, &items.inlined(l.condition.as_ref()?))?;
        let turns = turns(&init, &condition, &update);
        let step = match update.as_slice() {
            [update] => advanced(update).filter(|(counter, _)| bound_of(&condition, *counter).is_some()),
            _ => None,
        };
        let ends = step.is_some_and(|(_, step)| step.as_int().is_some_and(|step| step > 0));
        Some(Self { init, condition, update, unroll: l.unroll, ends, turns })
    }
}

/// How often a loop from one number to another runs.
fn turns(init: &[Stmt], condition: &Expr, update: &[Stmt]) -> Option<i64> {
    let ([init], [update]) = (init, update) else { return None };
    let (counter, step) = advanced(update)?;
    let StmtKind::Declare { init: Some(Initializer::Value(first)), .. } = &init.kind else { return None };
    let (op, bound) = bound_of(condition, counter)?;
    let (first, bound, step) = (first.as_int()?, bound.as_int()?, step.as_int().filter(|&step| step > 0)?);
    let last = bound.checked_add(i64::from(op == BinaryOp::Le))?;
    Some(last.checked_sub(first)?.max(0).checked_add(step - 1)? / step)
}

/// `counter += step` or `counter = counter + step`
fn advanced(stmt: &Stmt) -> Option<(VarId, &Expr)> {
    let StmtKind::Assign { place, op, value } = &stmt.kind else { return None };
    let is_counter =
        |expr: &Expr| matches!(&expr.kind, ExprKind::Load(of) if of.path.is_empty() && of.root == place.root);
    let step = match (op, &value.kind) {
        (Some(BinaryOp::Add), _) => value,
        (None, ExprKind::Binary(BinaryOp::Add, a, b)) if is_counter(a) => b,
        (None, ExprKind::Binary(BinaryOp::Add, a, b)) if is_counter(b) => a,
        _ => return None,
    };
    (place.path.is_empty() && !Uses::of_expr(step).mentioned.contains(&place.root)).then_some((place.root, step))
}

/// `counter < bound` or `counter <= bound`, in signed integers that hold both.
fn bound_of(condition: &Expr, counter: VarId) -> Option<(BinaryOp, &Expr)> {
    let ExprKind::Binary(op @ (BinaryOp::Lt | BinaryOp::Le), a, b) = &condition.kind else { return None };
    let mut value = a.as_ref();
    while let ExprKind::Cast { value: inner, .. } = &value.kind
        && value.ty.scalar().zip(inner.ty.scalar()).is_some_and(|(to, from)| {
            to.is_integer() && to.is_signed() && from.is_signed() && to.bytes() >= from.bytes()
        })
    {
        value = inner;
    }
    let is_counter = matches!(&value.kind, ExprKind::Load(place) if place.path.is_empty() && place.root == counter);
    let is_signed = b.ty.scalar().is_some_and(|ty| ty.is_integer() && ty.is_signed());
    (is_counter && is_signed && !Uses::of_expr(b).mentioned.contains(&counter)).then_some((*op, b.as_ref()))
}

/// Whether a loop's body leaves it or one of its turns early.
fn leaves(stmts: &[Stmt]) -> bool {
    let leaves_arm = |stmts: &[Stmt]| continues(stmts);
    stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Break | StmtKind::Continue => true,
        StmtKind::If { then, otherwise, .. } => leaves(then) || leaves(otherwise),
        StmtKind::Block(stmts) => leaves(stmts),
        StmtKind::Switch { arms, .. } => arms.iter().any(|arm| leaves_arm(&arm.body)),
        _ => false,
    })
}

/// Whether statements of a switch go on to the next turn of the loop around it.
fn continues(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Continue => true,
        StmtKind::If { then, otherwise, .. } => continues(then) || continues(otherwise),
        StmtKind::Block(stmts) => continues(stmts),
        StmtKind::Switch { arms, .. } => arms.iter().any(|arm| continues(&arm.body)),
        _ => false,
    })
}

/// Variables that live from the part before the loop to another one; `None` where one of them cannot be exclusive.
fn live_across(items: &Items, parts: &Parts) -> Option<Vec<VarId>> {
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
fn is_worth_it(body: &Body, items: &Items, parts: &Parts, live: &[VarId]) -> bool {
    let is_unrolled = parts.head.turns.is_some_and(|turns| turns <= UNROLLED);
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

    /// Whether a variable of items is one of an axis, or counts turns of a loop.
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

fn narrowed(distance: &Expr, ty: Scalar) -> Expr {
    build::convert(if ty == Scalar::I32 { build::narrow(distance) } else { distance.clone() }, ty)
}
