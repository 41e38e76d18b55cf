//! Two groups a block, for nests that do nothing but move data: each thread then has the loads of two items under way
//! before it stores, which is what keeps the memory of a GPU busy (on an H200 a three-point update of 2·10⁸ doubles goes
//! from 0.87 to 0.97 of a device's own copy).
//!
//! Legal, because items of different groups may run in any order, a statement of the one and then the same of the other. Not here:
//! which launches run them (the backend's choice), and nests with several regions, shared memory, loops or atomics, which have other
//! ways to wait.

use crate::ir::Uses;
use crate::ir::build;
use crate::ir::rewrite::{Rewriter, rename, rename_expr, rewrite_expr};
use crate::ir::{
    Argument, BinaryOp, Body, Builtin, Coarsened, Dialect, Expr, ExprKind, Initializer, Module, Nest, Place, Role,
    Scalar, Stmt, StmtKind, Type, VarId, Variable, Visitor, for_declarations, is_straight, walk_expr, walk_place,
};
use std::collections::BTreeMap;

/// Nodes beyond which an item has enough to do by itself.
const MOST_WEIGHT: usize = 160;

/// Gives nests of threads a form for two groups, where that pays; numbers of groups have type `group`.
pub(crate) fn run(module: &mut Module, group: Scalar) {
    let reports: Vec<bool> = module.functions.iter().map(|function| function.reports).collect();
    for kernel in &mut module.kernels {
        for nest in kernel.nests.iter_mut().filter(|nest| nest.dialect == Dialect::Simt) {
            nest.coarsened = of_nest(&mut kernel.body, nest, group, &reports);
        }
    }
}

/// Whether there is a second group.
pub(crate) fn there_is_next(ty: Scalar) -> Expr {
    let [next, end] = [Builtin::NextGroup, Builtin::GroupEnd].map(|number| build::builtin(number, ty));
    build::compare(BinaryOp::Lt, next, end)
}

/// The statements of one item, apart from the rest of a nest.
#[derive(Clone)]
struct Single {
    head: Vec<Stmt>,
    condition: Option<Expr>,
    work: Vec<Stmt>,
}

/// The items of this group and of the next one along axis 0 side by side, where that pays.
fn of_nest(body: &mut Body, nest: &Nest, group: Scalar, reports: &[bool]) -> Option<Coarsened> {
    let mut single = single(body, nest)?;
    let values = single.work.into_iter().flat_map(|stmt| value_first(body, stmt)).collect::<Vec<_>>();
    single.work = values.into_iter().flat_map(|stmt| indices_first(body, stmt, reports)).collect();
    let mut nexts = BTreeMap::new();
    for list in [&single.head, &single.work] {
        for_declarations(list, &mut |var, _| {
            let next = next_of(body, var);
            nexts.insert(var, next);
        });
    }
    let mut next = single.clone();
    for list in [&mut next.head, &mut next.work] {
        rename(list, &nexts);
        Second.list(list);
    }
    if let Some(condition) = &mut next.condition {
        rename_expr(condition, &nexts);
        Second.expr(condition);
    }
    Some(Coarsened {
        head: [single.head, next.head].concat(),
        condition: [single.condition, next.condition].into_iter().flatten().fold(there_is_next(group), build::and),
        stmts: side_by_side(single.work, next.work, reports),
    })
}

/// `place = value` as `const … = value` and `place = …`, so that values of both items can be read before either is
/// written.
pub(crate) fn value_first(body: &mut Body, stmt: Stmt) -> Vec<Stmt> {
    let StmtKind::Assign { place, op, value } = stmt.kind else {
        return vec![stmt];
    };
    let value = match (op, place.ty.scalar()) {
        (Some(op), Some(ty)) => build::binary(op, build::load_place(place.clone()), value, ty),
        _ => value,
    };
    let template =
        Variable { name: String::new(), ty: place.ty.clone(), role: Role::Local, is_const: true, span: stmt.span };
    let var = build::fresh(body, "value", template);
    let store = StmtKind::Assign { place, op: None, value: build::load(body, var) };
    let declare = StmtKind::Declare { var, init: Some(Initializer::Value(value)) };
    [declare, store].map(|kind| Stmt { kind, span: stmt.span }).into()
}

/// What a check looks at is read in a declaration of its own: behind a check, which is a branch with an atomic update in it,
/// compilers begin no load.
fn indices_first(body: &mut Body, mut stmt: Stmt, reports: &[bool]) -> Vec<Stmt> {
    let StmtKind::Declare { init: Some(Initializer::Value(value)), .. } = &mut stmt.kind else { return vec![stmt] };
    let mut lift = LiftIndices { body, reports, lifted: Vec::new() };
    lift.expr(value);
    let mut out = lift.lifted;
    out.push(stmt);
    out
}

struct LiftIndices<'a> {
    body: &'a mut Body,
    reports: &'a [bool],
    lifted: Vec<Stmt>,
}

impl Rewriter for LiftIndices<'_> {
    fn expr(&mut self, expr: &mut Expr) {
        match &mut expr.kind {
            // What is evaluated under a condition stays there.
            ExprKind::Select(condition, ..) => self.expr(condition),
            ExprKind::Binary(BinaryOp::LogicAnd | BinaryOp::LogicOr, left, _) => self.expr(left),
            ExprKind::Call(function, arguments) if self.reports[function.0 as usize] => {
                let Some(Argument::Value(index)) = arguments.first_mut() else { return };
                self.expr(index);
                if loads_memory(self.body, index) {
                    let (ty, span) = (index.ty.clone(), index.span);
                    let template = Variable { name: String::new(), ty, role: Role::Local, is_const: true, span };
                    let at = build::fresh(self.body, "index", template);
                    let value = std::mem::replace(index, build::load(self.body, at));
                    let kind = StmtKind::Declare { var: at, init: Some(Initializer::Value(value)) };
                    self.lifted.push(Stmt { kind, span });
                }
            }
            _ => rewrite_expr(self, expr),
        }
    }
}

/// Whether a value is checked by a function that may leave a record.
fn is_checked(value: &Expr, reports: &[bool]) -> bool {
    !value.every(&|expr| !matches!(&expr.kind, ExprKind::Call(function, _) if reports[function.0 as usize]))
}

/// Runs of declarations of one item, then of the other; what else there is one by one.
fn side_by_side(first: Vec<Stmt>, second: Vec<Stmt>, reports: &[bool]) -> Vec<Stmt> {
    let is_free = |stmt: &Stmt| declares(stmt).is_some_and(|value| !is_checked(value, reports));
    let mut out = Vec::new();
    let (mut first, mut second) = (first.into_iter().peekable(), second.into_iter().peekable());
    while first.peek().is_some() {
        for item in [&mut first, &mut second] {
            let before = out.len();
            while let Some(stmt) = item.next_if(is_free) {
                out.push(stmt);
            }
            if out.len() == before {
                out.extend(item.next());
            }
        }
    }
    out
}

/// Takes a nest apart: one region at its end, straight code, all of it small.
fn single(body: &Body, nest: &Nest) -> Option<Single> {
    let Some((Stmt { kind: StmtKind::Inner(region), .. }, before)) = nest.stmts.split_last() else {
        return None;
    };
    let may_have_next = nest.outer[0].as_ref().is_some_and(|axis| axis.count.as_int() != Some(1));
    let is_small = nest.shared.is_empty() && nest.exclusive.is_empty() && may_have_next;
    let is_plain = |kind: &StmtKind| matches!(kind, StmtKind::Declare { .. } | StmtKind::Assign { .. });
    if !is_small || Uses::of(&nest.stmts).weight > MOST_WEIGHT || !is_straight(&region.body, &is_plain) {
        return None;
    }
    // The second item's are computed before it is known that there is one.
    let plain = |stmt: &Stmt| declares(stmt).is_some_and(|value| !loads(body, value).any());
    if !before.iter().all(plain) {
        return None;
    }
    let indices = region.body.iter().take_while(|stmt| plain(stmt)).count();
    let (indices, work) = region.body.split_at(indices);
    let (condition, work) = match work {
        [Stmt { kind: StmtKind::If { condition, then, otherwise }, .. }]
            if otherwise.is_empty() && !loads_memory(body, condition) =>
        {
            (Some(condition.clone()), then.as_slice())
        }
        work => (None, work),
    };
    let head = [before, indices].concat();
    reads_memory(body, work).then(|| Single { head, condition, work: work.to_vec() })
}

fn declares(stmt: &Stmt) -> Option<&Expr> {
    match &stmt.kind {
        StmtKind::Declare { init: Some(Initializer::Value(value)), .. } => Some(value),
        _ => None,
    }
}

/// Whether a value is read from memory, or by a function that may do so.
pub(crate) fn loads_memory(body: &Body, value: &Expr) -> bool {
    loads(body, value).memory
}

fn loads<'a>(body: &'a Body, value: &Expr) -> Loads<'a> {
    let mut look = Loads { body, memory: false, table: false };
    look.expr(value);
    look
}

/// Whether statements that every item runs read memory.
pub(crate) fn reads_memory(body: &Body, stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Declare { init: Some(Initializer::Value(value)), .. } => loads_memory(body, value),
        StmtKind::Assign { place, op, value } => {
            loads_memory(body, value) || op.is_some() && matches!(body.var(place.root).ty, Type::Pointer(_))
        }
        _ => false,
    })
}

/// What a value is read from.
struct Loads<'a> {
    body: &'a Body,
    memory: bool,
    /// A constant table, which an index that is nobody's may lead out of.
    table: bool,
}

impl Loads<'_> {
    fn any(&self) -> bool {
        self.memory || self.table
    }
}

impl Visitor for Loads<'_> {
    fn expr(&mut self, expr: &Expr) {
        self.memory |= matches!(expr.kind, ExprKind::Call(..));
        walk_expr(self, expr);
    }

    fn load(&mut self, place: &Place) {
        let variable = self.body.var(place.root);
        self.memory |= matches!(variable.ty, Type::Pointer(_));
        self.table |= matches!(variable.role, Role::Constant(_));
        walk_place(self, place);
    }
}

/// The second item's variable for one of the first.
fn next_of(body: &mut Body, var: VarId) -> VarId {
    let variable = body.var(var);
    let (hint, template) = (format!("{}_next", variable.name), Variable { role: Role::Local, ..variable.clone() });
    build::fresh(body, &hint, template)
}

/// Makes what the first item is told what the second is told.
struct Second;

impl Rewriter for Second {
    fn expr(&mut self, expr: &mut Expr) {
        if let ExprKind::Builtin(builtin @ Builtin::Group(0)) = &mut expr.kind {
            *builtin = Builtin::NextGroup;
        }
        rewrite_expr(self, expr);
    }
}
