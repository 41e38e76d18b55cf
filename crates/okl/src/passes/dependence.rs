//! Whether the iterations of a loop over items may be promised to a C compiler as independent.
//!
//! Between two barriers items do not depend on each other: that is OKL's promise. A compiler that relies on it
//! also relies on what it sees as memory: an array that is local to an item is *one* array of the C function,
//! used anew by each iteration, so a loop that has one must not be marked. (Clang 14 miscompiles such a loop.)

use crate::ir::{
    Argument, Body, Expr, ExprKind, FunctionId, Module, Place, Projection, Role, Stmt, StmtKind, Type, Visitor,
    walk_expr, walk_place, walk_stmt,
};

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
    let mut scan = Scan { functions, body, conditions: 0, dependent: false, guarded: false };
    stmts.iter().for_each(|stmt| scan.stmt(stmt));
    match (scan.dependent, scan.guarded) {
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
}

impl Scan<'_> {
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
            StmtKind::Atomic { .. } => self.dependent = true,
            StmtKind::If { condition, then, otherwise } => {
                self.expr(condition);
                self.conditional(|scan| then.iter().chain(otherwise).for_each(|stmt| scan.stmt(stmt)));
            }
            StmtKind::Switch { .. } => self.conditional(|scan| walk_stmt(scan, stmt)),
            StmtKind::Loop(l) => {
                self.dependent |= l.is_parallel(self.body);
                self.conditional(|scan| walk_stmt(scan, stmt));
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
        walk_place(self, place);
    }

    fn store(&mut self, place: &Place) {
        walk_place(self, place);
    }
}
