//! Divisions of integers by a constant that is zero.

use crate::Diagnostic;
use crate::ir::{
    AtomicOp, BinaryOp, Expr, ExprKind, HostStmt, Kernel, Module, Stmt, StmtKind, Visitor, walk_expr, walk_stmt,
};
use crate::rules;
use crate::source::Span;

/// Checks functions and kernels, the part on the host too.
pub(super) fn check(module: &Module, found: &mut Vec<Diagnostic>) {
    let mut find = Find { found };
    for function in &module.functions {
        function.stmts.iter().for_each(|stmt| find.stmt(stmt));
    }
    for kernel in &module.kernels {
        find.kernel(kernel);
    }
}

struct Find<'a> {
    found: &'a mut Vec<Diagnostic>,
}

impl Find<'_> {
    fn kernel(&mut self, kernel: &Kernel) {
        self.host(&kernel.host);
        for nest in &kernel.nests {
            for axis in nest.outer.iter().flatten() {
                [&axis.start, &axis.step, &axis.count].into_iter().for_each(|expr| self.expr(expr));
            }
            nest.stmts.iter().for_each(|stmt| self.stmt(stmt));
        }
    }

    fn host(&mut self, stmts: &[HostStmt]) {
        for stmt in stmts {
            match stmt {
                HostStmt::Set { value, .. } => self.expr(value),
                HostStmt::If { condition, then, otherwise } => {
                    self.expr(condition);
                    self.host(then);
                    self.host(otherwise);
                }
                HostStmt::Loop { condition, body, update } => {
                    self.expr(condition);
                    self.host(body);
                    self.host(update);
                }
                HostStmt::Launch(_) | HostStmt::Return => {}
            }
        }
    }

    fn report(&mut self, divisor: &Expr, is_remainder: bool, span: Span) {
        if divisor.as_int() == Some(0) && divisor.ty.scalar().is_some_and(|ty| ty.is_integer()) {
            let message = if is_remainder { "remainder of a division by zero" } else { "division by zero" };
            let finding = Diagnostic::warning(rules::ZERO_DIVISOR, span, message);
            self.found
                .push(finding.hint("a launch that gets here fails; if the divisor is a define, give it another value"));
        }
    }
}

impl Visitor for Find<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assign { op: Some(op @ (BinaryOp::Div | BinaryOp::Rem)), value, .. } => {
                self.report(value, *op == BinaryOp::Rem, stmt.span);
            }
            StmtKind::Atomic { op: AtomicOp::Div, value, .. } => self.report(value, false, stmt.span),
            _ => {}
        }
        walk_stmt(self, stmt);
    }

    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Binary(op @ (BinaryOp::Div | BinaryOp::Rem), _, divisor) = &expr.kind {
            self.report(divisor, *op == BinaryOp::Rem, expr.span);
        }
        walk_expr(self, expr);
    }
}
