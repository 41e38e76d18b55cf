//! Whether the iterations of a loop over items may be promised to a C compiler as independent.
//!
//! Between two barriers items do not depend on each other: that is OKL's promise. A compiler that relies on it
//! also relies on what it sees as memory: an array that is local to an item is *one* array of the C function,
//! used anew by each iteration, so a loop that has one must not be marked. (Clang 14 miscompiles such a loop.)
//! Nor must one whose iteration writes memory and accesses it once more at a distance that is not known: gcc takes the
//! promise for accesses of one iteration, too, and changes their order. (Gcc 13 does so with AVX-512.)

use super::counters::{counter_limits, iterations};
use crate::ir::affine::{Facts, Reading};
use crate::ir::rewrite::without_spans;
use crate::ir::{
    Argument, Body, Expr, ExprKind, FunctionId, Loop, Module, Place, Projection, Role, Stmt, StmtKind, Type, VarId,
    Visitor, walk_expr, walk_place, walk_stmt,
};
use std::collections::BTreeMap;

/// What may be promised of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Independence {
    /// Its iterations are independent, and every iteration reads the same memory, come what may.
    Full,
    /// Its iterations are independent; an iteration may skip a read, which must then not happen.
    Guarded,
    /// Nothing.
    Unknown,
}

/// What may be promised of the body of each function, by its id. Callees come first, and each body is looked at once.
pub(crate) fn of_functions(module: &Module) -> Vec<Independence> {
    module.functions.iter().fold(Vec::with_capacity(module.functions.len()), |mut known, function| {
        known.push(of_items(&known, &function.body, &function.stmts));
        known
    })
}

/// What may be promised of a loop whose body is `stmts`, with what is known of the functions that it calls.
pub(crate) fn of_items(functions: &[Independence], body: &Body, stmts: &[Stmt]) -> Independence {
    let mut scan = Scan { functions, body, conditions: 0, dependent: false, guarded: false, memory: BTreeMap::new() };
    stmts.iter().for_each(|stmt| scan.stmt(stmt));
    let may_meet = scan.memory.values().any(|memory| memory.is_written && memory.is_anywhere);
    match (scan.dependent || may_meet, scan.guarded) {
        (true, _) => Independence::Unknown,
        (_, true) => Independence::Guarded,
        _ => Independence::Full,
    }
}

struct Scan<'a> {
    functions: &'a [Independence],
    body: &'a Body,
    conditions: u32,
    dependent: bool,
    guarded: bool,
    /// What parameters point to.
    memory: BTreeMap<VarId, Memory>,
}

/// Whether every item runs the same iterations of a loop, of which there is one at least.
fn runs_all_iterations(l: &Loop) -> bool {
    let is_known = |condition: &Expr| iterations(&l.init, condition, &l.update).is_some_and(|count| count > 0);
    counter_limits(l).is_some() && l.condition.as_ref().is_some_and(is_known) && !jumps(&l.body)
}

/// Whether something in statements ends an item, a loop, or an iteration.
pub(crate) fn jumps(stmts: &[Stmt]) -> bool {
    let mut jumps = Jumps(false);
    stmts.iter().for_each(|stmt| jumps.stmt(stmt));
    jumps.0
}

struct Jumps(bool);

impl Visitor for Jumps {
    fn stmt(&mut self, stmt: &Stmt) {
        let kind = &stmt.kind;
        self.0 |= matches!(kind, StmtKind::Break | StmtKind::Continue | StmtKind::EndItem | StmtKind::Return(_));
        walk_stmt(self, stmt);
    }
    fn expr(&mut self, _expr: &Expr) {}
}

/// Whether a loop's body leaves it or one of its iterations early.
pub(super) fn leaves(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Break | StmtKind::Continue => true,
        StmtKind::If { then, otherwise, .. } => leaves(then) || leaves(otherwise),
        StmtKind::Block(stmts) => leaves(stmts),
        StmtKind::Switch { arms, .. } => arms.iter().any(|arm| continues(&arm.body)),
        _ => false,
    })
}

/// Whether statements of a switch go on to the next iteration of the loop around it.
fn continues(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Continue => true,
        StmtKind::If { then, otherwise, .. } => continues(then) || continues(otherwise),
        StmtKind::Block(stmts) => continues(stmts),
        StmtKind::Switch { arms, .. } => arms.iter().any(|arm| continues(&arm.body)),
        _ => false,
    })
}

/// How the items of a loop access a piece of memory.
#[derive(Default)]
struct Memory {
    is_written: bool,
    /// Two accesses lie at a distance that is not known.
    is_anywhere: bool,
    /// One access for each choice of fields: the others lie at a known distance from it.
    places: BTreeMap<Vec<u32>, Place>,
}

/// Whether two places of one memory are as far from each other in every iteration.
fn has_known_distance(a: &Place, b: &Place) -> bool {
    let facts = Facts { reading: Reading::Unbounded, ..Facts::default() };
    let distance = |a: &Expr, b: &Expr| {
        let is_same = without_spans(a) == without_spans(b);
        is_same || facts.affine(a).zip(facts.affine(b)).and_then(|(a, b)| a.sub(&b)?.as_constant()).is_some()
    };
    for steps in a.path.iter().zip(&b.path) {
        match steps {
            (Projection::Index(a), Projection::Index(b)) | (Projection::Flat(a), Projection::Flat(b)) => {
                if !distance(a, b) {
                    return false;
                }
            }
            // Parts of structs that lie at a known distance.
            (Projection::Field(a), Projection::Field(b)) if a == b => {}
            (Projection::Field(_), Projection::Field(_)) => return true,
            _ => return false,
        }
    }
    true
}

impl Scan<'_> {
    fn access(&mut self, place: &Place, is_written: bool) {
        if !matches!(self.body.var(place.root).ty, Type::Pointer(_)) || place.path.is_empty() {
            return;
        }
        let memory = self.memory.entry(place.root).or_default();
        memory.is_written |= is_written;
        let field = |projection: &Projection| match projection {
            Projection::Field(number) => Some(*number),
            _ => None,
        };
        let fields: Vec<u32> = place.path.iter().filter_map(field).collect();
        match memory.places.get(&fields) {
            Some(known) => memory.is_anywhere |= !has_known_distance(known, place),
            None => {
                memory.is_anywhere |= memory.places.values().any(|known| !has_known_distance(known, place));
                memory.places.insert(fields, place.clone());
            }
        }
    }

    fn conditional(&mut self, scan: impl FnOnce(&mut Self)) {
        self.conditions += 1;
        scan(self);
        self.conditions -= 1;
    }

    fn arguments(&mut self, function: FunctionId, arguments: &[Argument]) {
        for argument in arguments {
            if let Argument::Pointer(place) = argument {
                // The callee reads as it likes, and a local whose address is taken lives in memory.
                self.guarded = true;
                self.dependent |= matches!(self.body.var(place.root).role, Role::Local | Role::Entry);
            }
        }
        let callee = self.functions[function.0 as usize];
        self.dependent |= callee == Independence::Unknown;
        self.guarded |= callee == Independence::Guarded;
    }
}

impl Visitor for Scan<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Declare { var, .. } => {
                self.dependent |= !matches!(self.body.var(*var).ty, Type::Scalar(_));
                walk_stmt(self, stmt);
            }
            StmtKind::Atomic { .. } | StmtKind::Print(_) => self.dependent = true,
            StmtKind::If { condition, then, otherwise } => {
                self.expr(condition);
                self.conditional(|scan| then.iter().chain(otherwise).for_each(|stmt| scan.stmt(stmt)));
            }
            StmtKind::Switch { .. } => self.conditional(|scan| walk_stmt(scan, stmt)),
            StmtKind::Loop(l) => {
                self.dependent |= l.is_parallel(self.body);
                if runs_all_iterations(l) {
                    walk_stmt(self, stmt);
                } else {
                    self.conditional(|scan| walk_stmt(scan, stmt));
                }
            }
            // What follows an early end is conditional as well.
            StmtKind::EndItem | StmtKind::Return(_) | StmtKind::Break | StmtKind::Continue => {
                self.guarded |= self.conditions > 0;
                walk_stmt(self, stmt);
            }
            StmtKind::Call { function, arguments, .. } => {
                self.arguments(*function, arguments);
                walk_stmt(self, stmt);
            }
            StmtKind::Assign { place, op: Some(_), .. } => {
                // `a[i] += 1` reads as well.
                self.load(place);
                walk_stmt(self, stmt);
            }
            _ => walk_stmt(self, stmt),
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Select(condition, a, b) => {
                self.expr(condition);
                self.conditional(|scan| [a, b].into_iter().for_each(|e| scan.expr(e)));
            }
            ExprKind::Binary(crate::ir::BinaryOp::LogicAnd | crate::ir::BinaryOp::LogicOr, a, b) => {
                self.expr(a);
                self.conditional(|scan| scan.expr(b));
            }
            ExprKind::Call(function, arguments) => {
                self.arguments(*function, arguments);
                walk_expr(self, expr);
            }
            _ => walk_expr(self, expr),
        }
    }

    fn load(&mut self, place: &Place) {
        let memory = place.path.iter().any(|p| matches!(p, Projection::Index(_) | Projection::Flat(_)));
        self.guarded |= memory && self.conditions > 0;
        self.access(place, false);
        walk_place(self, place);
    }

    fn store(&mut self, place: &Place) {
        self.access(place, true);
        walk_place(self, place);
    }
}
