//! How large an entry becomes when each call is replaced by the function's body, as drivers of GPUs do: chains of
//! functions that call each other twice double with each link.

use crate::Diagnostic;
use crate::ir::{Expr, ExprKind, FunctionId, Module, Stmt, StmtKind, Visitor, walk_expr, walk_stmt};
use crate::rules;

/// Most statements and expressions that calls may bring into a nest.
const MAX_EXPANDED: u64 = 1 << 18;

/// Refuses kernels that calls make too large.
pub(super) fn check(module: &Module, found: &mut Vec<Diagnostic>) {
    let mut sizes: Vec<u64> = Vec::with_capacity(module.functions.len());
    for function in &module.functions {
        // Callees come first: each body is looked at once.
        let size = Size::of(&sizes, &function.stmts);
        sizes.push(size.own.saturating_add(size.called));
    }
    for kernel in &module.kernels {
        let called = kernel.nests.iter().map(|nest| Size::of(&sizes, &nest.stmts).called).max().unwrap_or(0);
        if called > MAX_EXPANDED {
            let message = format!(
                "the functions that `{}` calls have {called} statements and expressions once each call is replaced by \
                 what it calls, as drivers of GPUs do; {MAX_EXPANDED} are possible",
                kernel.name
            );
            found.push(
                Diagnostic::error(rules::LIMIT, kernel.span, message)
                    .hint("call functions in a loop, or fewer of them"),
            );
        }
    }
}

struct Size<'a> {
    functions: &'a [u64],
    own: u64,
    called: u64,
}

impl<'a> Size<'a> {
    fn of(functions: &'a [u64], stmts: &[Stmt]) -> Self {
        let mut size = Self { functions, own: 0, called: 0 };
        stmts.iter().for_each(|stmt| size.stmt(stmt));
        size
    }

    fn call(&mut self, function: FunctionId) {
        self.called = self.called.saturating_add(self.functions[function.0 as usize]);
    }
}

impl Visitor for Size<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        self.own += 1;
        if let StmtKind::Call { function, .. } = &stmt.kind {
            self.call(*function);
        }
        walk_stmt(self, stmt);
    }

    fn expr(&mut self, expr: &Expr) {
        self.own += 1;
        if let ExprKind::Call(function, _) = &expr.kind {
            self.call(*function);
        }
        walk_expr(self, expr);
    }
}
