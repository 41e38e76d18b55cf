//! Sizes of values in memory.

use super::{Body, Expr, ExprKind, FunctionId, Module, Stmt, StmtKind, Type, Visitor, walk_expr, walk_stmt};

/// Size of a value of type `ty` in bytes; `u64::MAX` where it does not fit. What has no size in memory has 0.
pub fn bytes_of(module: &Module, ty: &Type) -> u64 {
    match ty {
        Type::Scalar(scalar) => scalar.bytes() as u64,
        Type::Struct(id) => module.structs.get(id.0 as usize).map_or(0, |definition| definition.bytes as u64),
        Type::Array(element, _) => ty.len().saturating_mul(bytes_of(module, element)),
        Type::Void | Type::Pointer(_) => 0,
    }
}

/// Bytes of the arrays and structs that statements, and the functions that they call, declare: what a call needs of a
/// stack besides registers. Those of branches that exclude each other count both.
pub struct StackBytes<'a> {
    module: &'a Module,
    /// Of a call of each function.
    functions: Vec<u64>,
}

impl<'a> StackBytes<'a> {
    /// Looks at each function once.
    pub fn new(module: &'a Module) -> Self {
        let mut known = Self { module, functions: Vec::with_capacity(module.functions.len()) };
        for function in &module.functions {
            // Callees come first.
            known.functions.push(known.of(&function.body, &function.stmts));
        }
        known
    }

    /// Of statements.
    pub fn of(&self, body: &Body, stmts: &[Stmt]) -> u64 {
        let mut declared = Declared { module: self.module, body, functions: &self.functions, own: 0, deepest: 0 };
        stmts.iter().for_each(|stmt| declared.stmt(stmt));
        declared.own.saturating_add(declared.deepest)
    }
}

struct Declared<'a> {
    module: &'a Module,
    body: &'a Body,
    functions: &'a [u64],
    own: u64,
    deepest: u64,
}

impl Declared<'_> {
    fn call(&mut self, function: FunctionId) {
        self.deepest = self.deepest.max(self.functions.get(function.0 as usize).copied().unwrap_or(0));
    }
}

impl Visitor for Declared<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Declare { var, .. } => {
                let ty = &self.body.var(*var).ty;
                if matches!(ty, Type::Array(..) | Type::Struct(_)) {
                    self.own = self.own.saturating_add(bytes_of(self.module, ty));
                }
            }
            StmtKind::Call { function, .. } => self.call(*function),
            _ => {}
        }
        walk_stmt(self, stmt);
    }

    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Call(function, _) = &expr.kind {
            self.call(*function);
        }
        walk_expr(self, expr);
    }
}
