//! Divisions that are checked where they happen.

use super::helpers::Helper;
use super::{InBody, What};
use crate::ir::rewrite::Rewriter;
use crate::ir::{
    AtomicOp, BinaryOp, Expr, ExprKind, HostStmt, Initializer, Kernel, Place, Projection, Region, Role, Scalar, Stmt,
    StmtKind, Type, Variable, build,
};
use crate::source::Span;

impl InBody<'_, '_> {
    /// `a / b` becomes `quotient(a, b, place, who, faults)`.
    pub(super) fn divided(&mut self, expr: &mut Expr) {
        let ExprKind::Binary(op, a, b) = &mut expr.kind else { return };
        self.expr(a);
        self.expr(b);
        let operands = [(**a).clone(), (**b).clone()];
        *expr = self.quotient(*op, operands, expr.span);
    }

    fn quotient(&mut self, op: BinaryOp, [a, b]: [Expr; 2], span: Span) -> Expr {
        let ty = b.ty.scalar().unwrap_or(Scalar::I64);
        let number = self.pass.number(What::Division(ty), span);
        self.helped(Helper::Quotient(op, ty), [a, b, number], ty, span)
    }

    /// A statement that divides what it changes. Its indices are evaluated once, whatever it reads besides.
    pub(super) fn dividing(&mut self, stmt: &mut Stmt) {
        let span = stmt.span;
        match &mut stmt.kind {
            StmtKind::Assign { place, op, value } => {
                self.expr(value);
                let (mut before, conditions) = self.written(place);
                if conditions.is_empty() {
                    before.extend(self.indices(place));
                }
                if let Some(op) = op.take() {
                    let operands = [build::load_place(place.clone()), value.clone()];
                    *value = self.quotient(op, operands, span);
                }
                self.guard(stmt, (before, conditions), None);
            }
            StmtKind::Atomic { place, value, result, .. } => {
                self.expr(value);
                let result = *result;
                let (mut before, mut conditions) = self.written(place);
                let (by, declare) = self.held(value, "by");
                before.push(declare);
                *value = by.clone();
                let ty = by.ty.scalar().unwrap_or(Scalar::I64);
                let zero = build::compare(BinaryOp::Eq, by.clone(), Expr::int(0, ty, Span::default()));
                let number = self.pass.number(What::Division(ty), span);
                conditions.push(self.helped(Helper::Divisor, [zero, number], Scalar::Bool, span));
                if ty.is_signed() {
                    self.negate_by_product(stmt, &by, ty);
                }
                self.guard(stmt, (before, conditions), result);
            }
            _ => {}
        }
    }

    /// An atomic division by -1 is a product, which wraps: whoever has negated the least integer reports it.
    fn negate_by_product(&mut self, stmt: &mut Stmt, by: &Expr, ty: Scalar) {
        let (mut product, span) = (stmt.clone(), stmt.span);
        let StmtKind::Atomic { op, result, .. } = &mut product.kind else { return };
        *op = AtomicOp::Mul;
        let mut then = Vec::new();
        let old = *result.get_or_insert_with(|| {
            let variable = Variable { is_const: false, ..self.pass.variable(ty.into(), Role::Local, span) };
            let old = build::fresh(self.body, "before", variable);
            then.push(build::stmt(StmtKind::Declare { var: old, init: None }));
            old
        });
        let minus_one = Expr::int(-1, ty, Span::default());
        let number = self.pass.number(What::Division(ty), span);
        let own = [Expr::int(i64::from(u32::MAX), Scalar::U32, Span::default()), number];
        let report = self.helped(Helper::Report, own, Scalar::U32, span);
        let ExprKind::Call(function, arguments) = report.kind else { unreachable!("it is a call") };
        let least = Expr::int(i64::MIN >> (64 - 8 * ty.bytes()), ty, Span::default());
        let condition = build::compare(BinaryOp::Eq, build::load(self.body, old), least);
        let report = vec![build::stmt(StmtKind::Call { function, arguments, result: None })];
        then.push(product);
        then.push(build::stmt(StmtKind::If { condition, then: report, otherwise: Vec::new() }));
        then.iter_mut().for_each(|stmt| stmt.span = span);
        let quotient = Stmt { kind: std::mem::replace(&mut stmt.kind, StmtKind::Break), span };
        let condition = build::compare(BinaryOp::Eq, by.clone(), minus_one);
        stmt.kind = StmtKind::If { condition, then, otherwise: vec![quotient] };
    }

    /// A variable that holds a value, and its declaration.
    pub(super) fn held(&mut self, value: &Expr, hint: &str) -> (Expr, Stmt) {
        let variable = self.pass.variable(value.ty.clone(), Role::Local, value.span);
        let var = build::fresh(self.body, hint, variable);
        let init = Some(Initializer::Value(value.clone()));
        (build::load(self.body, var), build::stmt(StmtKind::Declare { var, init }))
    }

    /// Declares those indices of a place that is read and written which another item may change in between.
    pub(super) fn indices(&mut self, place: &mut Place) -> Vec<Stmt> {
        let mut stmts = Vec::new();
        for projection in &mut place.path {
            if let Projection::Index(index) | Projection::Flat(index) = projection
                && !self.is_own(index)
            {
                let (at, declare) = self.held(index, "at");
                stmts.push(declare);
                *index = at;
            }
        }
        stmts
    }

    /// Whether no other item can change an expression: no memory is read, nothing called.
    pub(super) fn is_own(&self, expr: &Expr) -> bool {
        expr.every(&|e| match &e.kind {
            ExprKind::Load(place) => {
                place.path.is_empty() && !matches!(self.body.var(place.root).role, Role::Shared | Role::Exchange(_))
            }
            ExprKind::Call(..) => false,
            _ => true,
        })
    }

    /// What the items of a region begin with, where that divides, is computed by their group: the declarations.
    pub(super) fn starts(&mut self, region: &mut Region) -> Vec<Stmt> {
        let mut stmts = Vec::new();
        for axis in region.axes.iter_mut().flatten() {
            let is_free = |e: &Expr| match &e.kind {
                ExprKind::Binary(_, _, divisor) => !self.pass.places.contains_divisor(divisor),
                _ => true,
            };
            if axis.start.every(&is_free) {
                continue;
            }
            self.expr(&mut axis.start);
            let (start, declare) = self.held(&axis.start, "start");
            stmts.push(declare);
            axis.start = start;
        }
        stmts
    }
}

/// Puts statements before another one.
pub(super) fn behind(stmt: &mut Stmt, mut before: Vec<Stmt>) {
    if before.is_empty() {
        return;
    }
    let span = stmt.span;
    before.push(Stmt { kind: std::mem::replace(&mut stmt.kind, StmtKind::Break), span });
    before.iter_mut().for_each(|stmt| stmt.span = span);
    stmt.kind = StmtKind::Block(before);
}

fn may_have_no_result(expr: &Expr) -> bool {
    !expr.every(&|e| match &e.kind {
        ExprKind::Binary(BinaryOp::Div | BinaryOp::Rem, _, divisor) => divisor.divides_anything(),
        _ => true,
    })
}

/// What groups begin with, where that divides, is the host's to compute: it refuses a launch that divides by zero.
pub(super) fn on_host(kernel: &mut Kernel) {
    for number in 0..kernel.nests.len() {
        for index in 0..3 {
            let Some(axis) = &mut kernel.nests[number].outer[index] else { continue };
            if !may_have_no_result(&axis.start) {
                continue;
            }
            let (ty, span): (Type, Span) = (axis.start.ty.clone(), axis.start.span);
            let variable = Variable { name: String::new(), ty, role: Role::Host, is_const: true, span };
            let var = build::fresh(&mut kernel.body, "start", variable);
            let value = std::mem::replace(&mut axis.start, build::load(&kernel.body, var));
            before_launch(&mut kernel.host, number as u32, &HostStmt::Set { var, value });
        }
    }
}

/// Puts a statement of the host's before each launch of a nest.
fn before_launch(stmts: &mut Vec<HostStmt>, nest: u32, set: &HostStmt) {
    for at in (0..stmts.len()).rev() {
        match &mut stmts[at] {
            HostStmt::Launch(number) if *number == nest => stmts.insert(at, set.clone()),
            HostStmt::If { then, otherwise, .. } => {
                before_launch(then, nest, set);
                before_launch(otherwise, nest, set);
            }
            HostStmt::Loop { body, update, .. } => {
                before_launch(body, nest, set);
                before_launch(update, nest, set);
            }
            _ => {}
        }
    }
}
