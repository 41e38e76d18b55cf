//! Memory that a later iteration of a loop around items reads is asked for ahead of time.
//!
//! What a processor foresees is one row after the other. A group of an element of low order reads a few short rows of several
//! arrays, in no order, and the rows of a strided loop (`for (i = t; i < n; i += stride) sum[t] += x[i];`) lie far apart: each
//! begins with misses that nothing foresaw. Where the numbers of its counter say what each iteration reads, all of it close
//! together, the loop begins an iteration with the wish for what a later one will read. That is a hint: the memory may lie
//! outside of its array, and no result depends on it.
//!
//! Not here: loops over all items of many groups ([`super::collapse`]), which run through memory as it lies.

use super::counters::{advanced, bound_of, counter_limits};
use super::fold::free_definition;
use super::loops::wide;
use crate::ir::affine::{Affine, Facts};
use crate::ir::{
    BinaryOp, Body, Builtin, Expr, ExprKind, Loop, Module, Place, Projection, Role, Scalar, Stmt, StmtKind, Type, Uses,
    VarId, Variable, Visitor, build, bytes_of, for_declarations, walk_place, walk_stmt,
};
use crate::source::Span;
use std::collections::{BTreeMap, BTreeSet};

/// Bytes of a cache line, of most processors: a step of the wishes.
const LINE: i64 = 64;

/// Bytes of an iteration beyond which the beginnings of its rows are a small part of it.
const MOST: i64 = 16 << 10;

/// Bytes of an iteration below which it is no more than the next few lines.
const FEWEST: i64 = 256;

/// How far ahead, in bytes, a wish is where an iteration reads fewer: what memory needs to answer.
const AHEAD: i64 = 4 << 10;

/// Most iterations ahead.
const MOST_AHEAD: i64 = 16;

/// Bytes of an iteration up to which its wishes go to the nearest cache. More of them at once keep its loads waiting, and a wish
/// for the next cache does not.
const NEAREST: i64 = 1 << 10;

/// Bytes that a processor's caches may hold for a core. What is found there needs no wish, which would only take time.
const CACHED: i64 = 8 << 20;

/// Wishes for one stretch of memory up to which they are written out.
const WRITTEN_OUT: i64 = 16;

/// Lines of each stretch that are asked for at once between items.
const LINES: i64 = 2;

/// `__builtin_prefetch`'s locality of the nearest cache, and of the next one.
const LOCALITY: [u8; 2] = [3, 2];

pub(crate) fn run(module: &mut Module) {
    for index in 0..module.kernels.len() {
        for nest in 0..module.kernels[index].nests.len() {
            let mut stmts = std::mem::take(&mut module.kernels[index].nests[nest].stmts);
            let mut body = std::mem::take(&mut module.kernels[index].body);
            of_list(module, &mut body, &mut stmts);
            module.kernels[index].body = body;
            module.kernels[index].nests[nest].stmts = stmts;
        }
    }
}

/// The loops around items of a list.
fn of_list(module: &Module, body: &mut Body, stmts: &mut [Stmt]) {
    for stmt in stmts {
        match &mut stmt.kind {
            StmtKind::Loop(l) if !l.variable().is_some_and(|var| is_of_items(body, var)) => {
                match wishes(module, body, l) {
                    Some((wishes, locality, is_far)) => {
                        let stmts = std::mem::take(&mut l.body);
                        l.body = match between(body, &wishes, &stmts, locality) {
                            Some(then) => build::when(is_far, then, stmts).into_iter().collect(),
                            None => {
                                let ask = build::when(is_far, asked(body, wishes, locality), Vec::new());
                                ask.into_iter().chain(stmts).collect()
                            }
                        }
                    }
                    None => of_list(module, body, &mut l.body),
                }
            }
            StmtKind::If { then, otherwise, .. } => {
                of_list(module, body, then);
                of_list(module, body, otherwise);
            }
            StmtKind::Block(stmts) => of_list(module, body, stmts),
            _ => {}
        }
    }
}

fn is_of_items(body: &Body, var: VarId) -> bool {
    matches!(body.var(var).role, Role::Inner(_))
}

/// A stretch of an array that an iteration reads: from `base + first` to `base + last`.
struct Stretch {
    place: Place,
    base: Affine,
    first: i64,
    last: i64,
    element: i64,
}

impl Stretch {
    fn bytes(&self) -> i64 {
        (self.last - self.first).saturating_add(1).saturating_mul(self.element)
    }

    /// Elements from one line to the next.
    fn step(&self) -> i64 {
        (LINE / self.element).max(1)
    }

    /// Takes in another one that begins where this one ends, or closely behind.
    fn takes(&mut self, next: &Self) -> bool {
        let is_same = self.place.root == next.place.root
            && self.base.sub(&next.base).and_then(|difference| difference.as_constant()) == Some(0);
        let is_near = is_same && next.first.saturating_sub(self.last).saturating_mul(self.element) <= LINE;
        if is_near {
            self.last = self.last.max(next.last);
        }
        is_near
    }
}

/// What a loop around items is to ask for in each iteration, the locality, and whether it pays.
fn wishes(module: &Module, body: &Body, l: &Loop) -> Option<(Vec<Wishes>, u8, Expr)> {
    let ([update], false, []) = (l.update.as_slice(), l.test_last, l.head.as_slice()) else { return None };
    let (counter, step) = advanced(update)?;
    let uses = Uses::of(&l.body);
    if uses.assigned.contains(&counter) || uses.addressed.contains(&counter) {
        return None;
    }
    let mut changes = uses.assigned;
    for_declarations(&l.body, &mut |var, _| {
        changes.insert(var);
    });
    let step = Facts::default().affine(step).filter(|step| step.variables().is_disjoint(&changes))?;
    let facts = Facts::default();
    let mut find =
        Find { module, body, counter, changes: &changes, facts, of_items: false, found: Vec::new(), asks: false };
    l.body.iter().for_each(|stmt| find.stmt(stmt));
    let Find { found, asks, .. } = find;
    let stretches = merged(found);
    let total = stretches.iter().fold(0_i64, |total, stretch| total.saturating_add(stretch.bytes()));
    if asks || !(FEWEST..=MOST).contains(&total) {
        return None;
    }
    let ahead = ((AHEAD + total - 1) / total).clamp(1, MOST_AHEAD);
    let later = Affine::term(&build::load(body, counter)).add(&step.scale(ahead)?)?;
    let locality = LOCALITY[usize::from(total > NEAREST)];
    let mut places = Vec::new();
    for stretch in &stretches {
        let begin = stretch.base.offset(stretch.first)?.substitute(counter, &later)?;
        places.push(Wishes {
            place: stretch.place.clone(),
            begin,
            len: stretch.last - stretch.first + 1,
            step: stretch.step(),
        });
    }
    let end = end(body, l, counter, &changes)?;
    let is_far = build::compare(BinaryOp::Gt, end, build::int(CACHED / unit(&stretches, counter).max(1)));
    Some((places, locality, is_far))
}

/// How far a loop counts: from near zero, since arrays begin there.
fn end(body: &Body, l: &Loop, counter: VarId, changes: &BTreeSet<VarId>) -> Option<Expr> {
    if let Role::Outer(_) = body.var(counter).role {
        return Some(build::builtin(Builtin::GroupCount(0), Scalar::I64));
    }
    let mut conditions = vec![l.condition.as_ref()?];
    while let Some(condition) = conditions.pop() {
        if let ExprKind::Binary(BinaryOp::LogicAnd, a, b) = &condition.kind {
            conditions.extend([&**b, &**a]);
        } else if let Some((_, bound)) = bound_of(condition, counter)
            && bound.is_speculatable()
            && bound.as_int().is_none()
            && Uses::of_expr(bound).mentioned.is_disjoint(changes)
        {
            return Some(wide(bound.clone()));
        }
    }
    None
}

/// Bytes by which a step of the counter moves on in all arrays together.
fn unit(stretches: &[Stretch], counter: VarId) -> i64 {
    let mut units: BTreeMap<VarId, i64> = BTreeMap::new();
    for stretch in stretches {
        let bytes = stretch.base.coefficient(counter).saturating_abs().saturating_mul(stretch.element);
        let unit = units.entry(stretch.place.root).or_default();
        *unit = bytes.max(*unit);
    }
    units.into_values().fold(0, i64::saturating_add)
}

/// Wishes for the lines of `place[begin..begin + len]`, which are `step` elements apart.
struct Wishes {
    place: Place,
    begin: Affine,
    len: i64,
    step: i64,
}

impl Wishes {
    fn ask(&self, index: Expr, locality: u8) -> Stmt {
        let place = Place { path: vec![Projection::Index(index)], ..self.place.clone() };
        build::stmt(StmtKind::Prefetch { place, for_write: false, locality })
    }
}

/// An iteration that is one row of items, each of which reads an element of every stretch: a few lines are asked for before each
/// few items, which leaves the loads between them their turn.
fn between(body: &mut Body, wishes: &[Wishes], stmts: &[Stmt], locality: u8) -> Option<Vec<Stmt>> {
    let [Stmt { kind: StmtKind::Loop(row), span }] = stmts else { return None };
    let (counter, limits) = counter_limits(row)?;
    let (Some(0), Some(last), Some(1)) = (limits.0, limits.1, advanced(row.update.first()?)?.1.as_int()) else {
        return None;
    };
    let step = wishes.first()?.step;
    let block = step * LINES;
    let is_even = (last + 1) % block == 0 && body.var(counter).ty.scalar() == Some(Scalar::I64);
    if !is_even || wishes.iter().any(|wishes| (wishes.len, wishes.step) != (last + 1, step)) {
        return None;
    }
    let line = line(body, *span);
    let mut inside = Vec::new();
    for lines in (0..block).step_by(step as usize) {
        let index = |wishes: &Wishes| {
            build::add(build::add(wishes.begin.to_expr(), build::load(body, line)), build::int(lines))
        };
        inside.extend(wishes.iter().map(|wishes| wishes.ask(index(wishes), locality)));
    }
    let end = build::add(build::load(body, line), build::int(block));
    let init = vec![build::declare(body, counter, build::load(body, line))];
    let condition = Some(build::compare(BinaryOp::Lt, build::load(body, counter), end));
    inside.push(Stmt { kind: StmtKind::Loop(Box::new(Loop { init, condition, ..(**row).clone() })), span: *span });
    let condition = build::compare(BinaryOp::Lt, build::load(body, line), build::int(last + 1));
    let init = build::declare(body, line, build::int(0));
    Some(vec![build::for_loop(init, condition, build::advance(body, line, block), inside)])
}

/// What counts the lines of a stretch.
fn line(body: &mut Body, span: Span) -> VarId {
    let template = Variable { name: String::new(), ty: Scalar::I64.into(), role: Role::Local, is_const: false, span };
    build::fresh(body, "line", template)
}

/// Statements that ask: a few lines one by one, and the lines of equally long stretches side by side in a loop.
fn asked(body: &mut Body, wishes: Vec<Wishes>, locality: u8) -> Vec<Stmt> {
    let (long, short): (Vec<_>, Vec<_>) =
        wishes.into_iter().partition(|wishes| (wishes.len - 1) / wishes.step >= WRITTEN_OUT);
    let mut out: Vec<Stmt> = Vec::new();
    for wishes in &short {
        for line in (0..wishes.len).step_by(wishes.step as usize) {
            let index = build::add(wishes.begin.to_expr(), build::int(line));
            out.push(wishes.ask(index, locality));
        }
    }
    for group in long.chunk_by(|a, b| (a.len, a.step) == (b.len, b.step)) {
        let line = line(body, group[0].place.span);
        let index = |wishes: &Wishes| build::add(wishes.begin.to_expr(), build::load(body, line));
        let asks = group.iter().map(|wishes| wishes.ask(index(wishes), locality));
        let asks = asks.collect();
        let condition = build::compare(BinaryOp::Lt, build::load(body, line), build::int(group[0].len));
        let init = build::declare(body, line, build::int(0));
        out.push(build::for_loop(init, condition, build::advance(body, line, group[0].step), asks));
    }
    out
}

/// The stretches, each part of an array once.
fn merged(mut found: Vec<Stretch>) -> Vec<Stretch> {
    found.sort_by_key(|stretch| (stretch.place.root, stretch.first));
    let mut out: Vec<Stretch> = Vec::new();
    for stretch in found {
        if !out.iter_mut().any(|known| known.takes(&stretch)) {
            out.push(stretch);
        }
    }
    out
}

/// Finds what the items of an iteration read, where the counters of loops are all that tells it.
struct Find<'a> {
    module: &'a Module,
    body: &'a Body,
    counter: VarId,
    /// What differs from one iteration to the next.
    changes: &'a BTreeSet<VarId>,
    facts: Facts,
    /// Within a loop over items.
    of_items: bool,
    found: Vec<Stretch>,
    /// The source asks by itself.
    asks: bool,
}

impl Find<'_> {
    fn stretch(&self, place: &Place) -> Option<Stretch> {
        let (Type::Pointer(_), [Projection::Index(index)]) = (&self.body.var(place.root).ty, place.path.as_slice())
        else {
            return None;
        };
        if self.changes.contains(&place.root) {
            return None;
        }
        let element = i64::try_from(bytes_of(self.module, &place.ty)).ok().filter(|&bytes| bytes > 0)?;
        let sum = self.facts.affine(index)?;
        let counts = |var: &VarId| self.facts.limits.contains_key(var);
        let base = sum.without(|term, _| term.variable().as_ref().is_some_and(counts));
        let of_items = sum.sub(&base)?;
        let constant = base.without(|_, _| true).as_constant()?;
        let base = base.offset(constant.checked_neg()?)?;
        if base.coefficient(self.counter) == 0 || !base.variables().is_disjoint(self.changes) {
            return None;
        }
        let (first, last) = (self.facts.smallest(&of_items)?, self.facts.largest(&of_items)?);
        let (first, last) = (first.checked_add(constant)?, last.checked_add(constant)?);
        let stretch = Stretch { place: place.clone(), base, first, last, element };
        self.is_dense(&of_items, element).then_some(stretch)
    }

    /// Whether the counters of `sum` leave no line of what lies between its extremes.
    fn is_dense(&self, sum: &Affine, element: i64) -> bool {
        let mut steps: Vec<(i64, i64)> = Vec::new();
        for (term, coefficient) in sum.terms() {
            let limits = term.variable().and_then(|var| self.facts.limits.get(&var));
            let Some((Some(first), Some(last))) = limits else { return false };
            let (Some(step), Some(count)) = (coefficient.checked_abs(), last.checked_sub(*first)) else { return false };
            steps.push((step, count));
        }
        steps.sort_unstable();
        let mut reach = 0_i64;
        steps.into_iter().all(|(step, count)| {
            let is_near = step.saturating_sub(reach).saturating_mul(element) <= LINE;
            reach = reach.saturating_add(step.saturating_mul(count));
            is_near && reach < MOST
        })
    }
}

impl Visitor for Find<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Loop(l) => {
                let was = self.of_items;
                let counter = counter_limits(l);
                if let Some((var, limits)) = counter {
                    self.facts.limits.insert(var, limits);
                    self.of_items |= is_of_items(self.body, var);
                }
                l.body.iter().for_each(|stmt| self.stmt(stmt));
                self.of_items = was;
                // Another loop may count by the same variable.
                counter.map(|(var, _)| self.facts.limits.remove(&var));
            }
            StmtKind::If { condition, .. } => {
                // What data decide may be rare.
                let known = |var: &VarId| self.facts.limits.contains_key(var);
                if condition.is_speculatable() && Uses::of_expr(condition).mentioned.iter().all(known) {
                    walk_stmt(self, stmt);
                }
            }
            StmtKind::Prefetch { .. } => self.asks = true,
            StmtKind::Switch { .. } => {}
            _ => {
                if let Some((var, value)) = free_definition(self.body, stmt) {
                    self.facts.definitions.insert(var, value.clone());
                }
                walk_stmt(self, stmt);
            }
        }
    }

    fn load(&mut self, place: &Place) {
        if self.of_items
            && let Some(stretch) = self.stretch(place)
        {
            self.found.push(stretch);
        }
        walk_place(self, place);
    }
}
