//! Sets of accesses, divisions and sums, told apart by where they stand in the tree.

use super::{
    AtomicOp, BinaryOp, Body, Expr, ExprKind, Module, Place, Projection, Role, Stmt, StmtKind, Type, UnaryOp, VarId,
    Visitor,
};
use super::{walk_expr, walk_place, walk_stmt};
use std::collections::{BTreeSet, HashSet};

/// Accesses, divisions and arithmetic of one module, which must not move or change as long as they are asked for.
#[derive(Clone, Debug, Default)]
pub struct Places {
    accesses: HashSet<*const Place>,
    divisors: HashSet<*const Expr>,
    /// Signed arithmetic that may leave its type.
    overflows: HashSet<*const Expr>,
    /// The same of statements `x += value`, by their values.
    updates: HashSet<*const Expr>,
    /// Variables of the body that is looked at whose elements are right by construction.
    right: BTreeSet<VarId>,
}

impl Places {
    /// Every place of a module's nests and functions that has a subscript, every division that may have no result, and all
    /// signed arithmetic.
    pub fn all(module: &Module) -> Self {
        let mut places = Self::default();
        module.functions.iter().for_each(|function| places.add(&function.body, &function.stmts));
        for kernel in &module.kernels {
            kernel.nests.iter().for_each(|nest| places.add(&kernel.body, &nest.stmts));
        }
        places
    }

    /// Adds all such places, divisions and arithmetic of statements. The compiler's own accesses to what subgroups exchange are right.
    pub fn add(&mut self, body: &Body, stmts: &[Stmt]) {
        let vars = (0..).map(VarId).zip(&body.vars);
        self.right = vars.filter(|(_, var)| matches!(var.role, Role::Exchange(_))).map(|(id, _)| id).collect();
        stmts.iter().for_each(|stmt| self.stmt(stmt));
    }

    /// Adds a place.
    pub fn insert(&mut self, place: &Place) {
        self.accesses.insert(place);
    }

    /// Adds the division by an expression.
    pub fn insert_divisor(&mut self, divisor: &Expr) {
        self.divisors.insert(divisor);
    }

    /// Adds signed arithmetic that may leave its type.
    pub fn insert_overflow(&mut self, arithmetic: &Expr) {
        self.overflows.insert(arithmetic);
    }

    /// Adds a statement `x += value` whose sum may leave its type, or one with another operator; or items that begin with
    /// `value`.
    pub fn insert_update(&mut self, value: &Expr) {
        self.updates.insert(value);
    }

    /// Whether a place is among them.
    pub fn contains(&self, place: &Place) -> bool {
        self.accesses.contains(&std::ptr::from_ref(place))
    }

    /// Whether the division by an expression is among them.
    pub fn contains_divisor(&self, divisor: &Expr) -> bool {
        self.divisors.contains(&std::ptr::from_ref(divisor))
    }

    /// Whether an expression is among the arithmetic that may leave its type.
    pub fn contains_overflow(&self, arithmetic: &Expr) -> bool {
        self.overflows.contains(&std::ptr::from_ref(arithmetic))
    }

    /// Whether a statement `x += value` is, or items that begin with `value` are.
    pub fn contains_update(&self, value: &Expr) -> bool {
        self.updates.contains(&std::ptr::from_ref(value))
    }
}

/// The divisor, where a statement itself divides: `x /= y`, `x %= y`, an atomic one.
pub(crate) fn divisor_of(stmt: &Stmt) -> Option<&Expr> {
    match &stmt.kind {
        StmtKind::Assign { op: Some(BinaryOp::Div | BinaryOp::Rem), value, .. }
        | StmtKind::Atomic { op: AtomicOp::Div, value, .. } => Some(value),
        _ => None,
    }
}

/// Whether an operator's results may leave a type whose overflow has no meaning in C.
pub(crate) fn may_overflow(op: BinaryOp, ty: &Type) -> bool {
    matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul) && is_signed(ty)
}

fn is_signed(ty: &Type) -> bool {
    ty.scalar().is_some_and(|ty| ty.is_integer() && ty.is_signed())
}

impl Visitor for Places {
    fn stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::Assign { place, op: Some(op), value } = &stmt.kind
            && may_overflow(*op, &place.ty)
        {
            self.insert_update(value);
        }
        if let Some(divisor) = divisor_of(stmt).filter(|divisor| !divisor.divides_anything()) {
            self.insert_divisor(divisor);
        }
        match &stmt.kind {
            // Counts and steps are the host's.
            StmtKind::Inner(region) => {
                for axis in region.axes.iter().flatten() {
                    if is_signed(&axis.start.ty) && axis.start.literal().is_none() {
                        self.insert_update(&axis.start);
                    }
                    self.expr(&axis.start);
                }
                region.body.iter().for_each(|stmt| self.stmt(stmt));
            }
            _ => walk_stmt(self, stmt),
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Binary(op, ..) if may_overflow(*op, &expr.ty) => self.insert_overflow(expr),
            ExprKind::Unary(UnaryOp::Negate, _) if is_signed(&expr.ty) => self.insert_overflow(expr),
            _ => {}
        }
        if let ExprKind::Binary(BinaryOp::Div | BinaryOp::Rem, _, divisor) = &expr.kind
            && !divisor.divides_anything()
        {
            self.insert_divisor(divisor);
        }
        walk_expr(self, expr);
    }

    fn load(&mut self, place: &Place) {
        self.store(place);
    }

    fn store(&mut self, place: &Place) {
        let has_subscript = place.path.iter().any(|projection| !matches!(projection, Projection::Field(_)));
        if has_subscript && !self.right.contains(&place.root) {
            self.insert(place);
        }
        walk_place(self, place);
    }
}
