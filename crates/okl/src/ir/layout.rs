//! Sizes of values in memory.

use super::{Body, Expr, ExprKind, FunctionId, Module, Stmt, StmtKind, Type, Visitor, walk_expr, walk_stmt};
use std::collections::BTreeMap;

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
pub fn stack_bytes(module: &Module, body: &Body, stmts: &[Stmt]) -> u64 {
    let mut known = BTreeMap::new();
    for (number, function) in (0..).zip(&module.functions) {
        // Callees come first.
        let bytes = Declared::of(module, &function.body, &function.stmts, &known);
        known.insert(FunctionId(number), bytes);
    }
    Declared::of(module, body, stmts, &known)
}

struct Declared<'a> {
    module: &'a Module,
    body: &'a Body,
    functions: &'a BTreeMap<FunctionId, u64>,
    own: u64,
    deepest: u64,
}

impl<'a> Declared<'a> {
    fn of(module: &'a Module, body: &'a Body, stmts: &[Stmt], functions: &'a BTreeMap<FunctionId, u64>) -> u64 {
        let mut declared = Self { module, body, functions, own: 0, deepest: 0 };
        stmts.iter().for_each(|stmt| declared.stmt(stmt));
        declared.own.saturating_add(declared.deepest)
    }

    fn call(&mut self, function: FunctionId) {
        self.deepest = self.deepest.max(self.functions.get(&function).copied().unwrap_or(0));
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
