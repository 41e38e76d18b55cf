//! Integers that only lead to elements are as wide as an address.
//!
//! `const int base = (e * 8 + j) * 8;` and what counts `e` and `j` are `int`s, each to be extended at the access. Where clang finds
//! the addresses of a loop behind such extensions, it makes worse vectors of it, or none. Signed arithmetic that leaves its type
//! has no meaning, so it may as well be done in a wider one.
//!
//! An `int` of a nest becomes an `I64` where sums, differences and products of it, by way of other such variables too, are nothing
//! but subscripts, and what decides about loops and branches. What is computed with otherwise keeps its type: lanes of 32 bits are
//! twice as many, and a division is faster.

use crate::ir::rewrite::{Rewriter, rewrite_expr, rewrite_stmt};
use crate::ir::{
    BinaryOp, Body, Expr, ExprKind, Initializer, Module, Nest, Place, Projection, Role, Scalar, Stmt, StmtKind, Type,
    UnaryOp, Uses, VarId, Visitor, build, for_declarations, walk_expr, walk_stmt,
};
use std::collections::BTreeSet;

pub(crate) fn run(module: &mut Module) {
    for kernel in &mut module.kernels {
        for nest in &mut kernel.nests {
            of_nest(&mut kernel.body, nest);
        }
    }
}

fn of_nest(body: &mut Body, nest: &mut Nest) {
    let stmts = &mut nest.stmts;
    // The types of axes are the launch's.
    let mut fixed = Uses::of(stmts).addressed;
    fixed.extend(nest.outer.iter().flatten().map(|axis| axis.var));
    let mut wide = BTreeSet::new();
    for_declarations(stmts, &mut |var, _| {
        let variable = body.var(var);
        let is_of_items = matches!(variable.role, Role::Outer(_) | Role::Inner(_) | Role::Local);
        if is_of_items && variable.ty == Type::from(Scalar::I32) && !fixed.contains(&var) {
            wide.insert(var);
        }
    });
    // What one variable is used for decides about those that it is made of.
    loop {
        let mut uses = OtherUses { wide: &wide, found: BTreeSet::new() };
        stmts.iter().for_each(|stmt| uses.stmt(stmt));
        if uses.found.is_empty() {
            break;
        }
        wide.retain(|var| !uses.found.contains(var));
    }
    wide.iter().for_each(|var| body.vars[var.0 as usize].ty = Scalar::I64.into());
    Widen { wide: &wide, body }.list(stmts);
}

/// The operands of a sum, difference, product or negation of `int`s.
fn parts(expr: &Expr) -> Option<Vec<&Expr>> {
    match &expr.kind {
        _ if expr.ty != Type::from(Scalar::I32) => None,
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, a, b) => Some(vec![a, b]),
        ExprKind::Unary(UnaryOp::Negate, a) => Some(vec![a]),
        _ => None,
    }
}

/// The two sides of a comparison.
fn compared(expr: &Expr) -> Option<[&Expr; 2]> {
    match &expr.kind {
        ExprKind::Binary(op, a, b) if op.is_comparison() => Some([a, b]),
        _ => None,
    }
}

/// The variable that an expression is.
fn variable(expr: &Expr) -> Option<VarId> {
    match &expr.kind {
        ExprKind::Load(place) if place.path.is_empty() => Some(place.root),
        _ => None,
    }
}

/// Finds variables that are used for something else.
struct OtherUses<'a> {
    wide: &'a BTreeSet<VarId>,
    found: BTreeSet<VarId>,
}

impl OtherUses<'_> {
    fn other(&mut self, var: VarId) {
        if self.wide.contains(&var) {
            self.found.insert(var);
        }
    }

    /// An expression that may be computed in `I64`.
    fn index(&mut self, expr: &Expr) {
        match parts(expr) {
            Some(parts) => parts.into_iter().for_each(|part| self.index(part)),
            None if variable(expr).is_some() => {}
            None => self.expr(expr),
        }
    }

    /// What decides about a loop or branch.
    fn condition(&mut self, expr: &Expr) {
        match (&expr.kind, compared(expr)) {
            (_, Some(sides)) => sides.into_iter().for_each(|side| self.index(side)),
            (ExprKind::Binary(BinaryOp::LogicAnd | BinaryOp::LogicOr, a, b), _) => {
                self.condition(a);
                self.condition(b);
            }
            (ExprKind::Unary(UnaryOp::Not, a), _) => self.condition(a),
            _ => self.expr(expr),
        }
    }
}

impl Visitor for OtherUses<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Declare { var, init: Some(Initializer::Value(value)) } if self.wide.contains(var) => {
                self.index(value)
            }
            StmtKind::Assign { place, op, value } if place.path.is_empty() && self.wide.contains(&place.root) => {
                if !matches!(op, None | Some(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul)) {
                    self.other(place.root);
                }
                self.index(value);
            }
            StmtKind::If { condition, then, otherwise } => {
                self.condition(condition);
                then.iter().chain(otherwise).for_each(|stmt| self.stmt(stmt));
            }
            StmtKind::Loop(l) => {
                l.condition.iter().for_each(|condition| self.condition(condition));
                let stmts = [&l.init, &l.head, &l.update, &l.body];
                stmts.into_iter().flatten().for_each(|stmt| self.stmt(stmt));
            }
            // Results of calls and atomics have the type that the variable has.
            StmtKind::Call { result: Some(var), .. } | StmtKind::Atomic { result: Some(var), .. } => {
                self.other(*var);
                walk_stmt(self, stmt);
            }
            _ => walk_stmt(self, stmt),
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Cast { value, .. } if expr.ty == Type::from(Scalar::I64) => self.index(value),
            _ => walk_expr(self, expr),
        }
    }

    fn load(&mut self, place: &Place) {
        if place.path.is_empty() {
            self.other(place.root);
        }
        self.store(place);
    }

    fn store(&mut self, place: &Place) {
        for projection in &place.path {
            match projection {
                Projection::Index(index) | Projection::Flat(index) => self.index(index),
                Projection::Field(_) => {}
            }
        }
    }
}

/// Computes with the wider variables.
struct Widen<'a> {
    wide: &'a BTreeSet<VarId>,
    body: &'a Body,
}

impl Widen<'_> {
    fn mentions_wide(&self, expr: &Expr) -> bool {
        match parts(expr) {
            Some(parts) => parts.into_iter().any(|part| self.mentions_wide(part)),
            None => variable(expr).is_some_and(|var| self.wide.contains(&var)),
        }
    }

    /// An `int` as an `I64`.
    fn widened(&mut self, mut expr: Expr) -> Expr {
        if !self.mentions_wide(&expr) {
            self.expr(&mut expr);
            return explicit(expr);
        }
        let ty = Type::from(Scalar::I64);
        let kind = match expr.kind {
            ExprKind::Load(place) => ExprKind::Load(Place { ty: ty.clone(), ..place }),
            ExprKind::Unary(op, a) => ExprKind::Unary(op, Box::new(self.widened(*a))),
            ExprKind::Binary(op, a, b) => ExprKind::Binary(op, Box::new(self.widened(*a)), Box::new(self.widened(*b))),
            other => other,
        };
        Expr { kind, ty, span: expr.span }
    }

    fn widen(&mut self, expr: &mut Expr) {
        let narrow = std::mem::replace(expr, build::int(0));
        *expr = self.widened(narrow);
    }
}

/// An `int` as an `I64`. What makes an `int` of something wider is to be seen: C would not do that unasked any more.
fn explicit(mut expr: Expr) -> Expr {
    if let ExprKind::Cast { implicit, .. } = &mut expr.kind {
        *implicit = false;
    }
    build::convert(expr, Scalar::I64)
}

/// An `I64` that is made an `int` because the variable is one.
fn narrowed(expr: &mut Expr) -> Option<&mut Expr> {
    match &mut expr.kind {
        ExprKind::Cast { value, implicit: true } if value.ty == Type::from(Scalar::I64) => Some(value),
        _ => None,
    }
}

impl Rewriter for Widen<'_> {
    fn stmt(&mut self, stmt: &mut Stmt) {
        match &mut stmt.kind {
            StmtKind::Declare { var, init: Some(Initializer::Value(value)) } if self.wide.contains(var) => {
                // A number of an axis fits an `int`, whatever it is computed in.
                let is_index = self.body.var(*var).role.is_index();
                match narrowed(value).filter(|number| is_index || number.as_int().is_some()) {
                    Some(number) => {
                        self.expr(number);
                        *value = number.clone();
                    }
                    None => self.widen(value),
                }
            }
            StmtKind::Assign { place, value, .. } if place.path.is_empty() && self.wide.contains(&place.root) => {
                place.ty = Scalar::I64.into();
                self.widen(value);
            }
            _ => rewrite_stmt(self, stmt),
        }
    }

    fn expr(&mut self, expr: &mut Expr) {
        if let Some(sides) = compared(expr)
            && sides.into_iter().any(|side| self.mentions_wide(side))
            && let ExprKind::Binary(_, a, b) = &mut expr.kind
        {
            self.widen(a);
            self.widen(b);
            return;
        }
        match &mut expr.kind {
            ExprKind::Cast { value, .. } if expr.ty == Type::from(Scalar::I64) && self.mentions_wide(value) => {
                let value = std::mem::replace(&mut **value, build::int(0));
                *expr = self.widened(value);
            }
            _ => rewrite_expr(self, expr),
        }
    }

    fn place(&mut self, place: &mut Place) {
        for projection in &mut place.path {
            match projection {
                Projection::Index(index) | Projection::Flat(index) if self.mentions_wide(index) => self.widen(index),
                Projection::Index(index) | Projection::Flat(index) => self.expr(index),
                Projection::Field(_) => {}
            }
        }
    }
}
