//! Reads every node of a tree; a visitor overrides what it cares about and calls the `walk_*` function to go on.

use super::{Argument, Expr, ExprKind, Initializer, Mark, Place, Projection, Region, Stmt, StmtKind, VarId};

/// Visits statements, expressions and places; every method walks on by default.
pub trait Visitor {
    /// A statement.
    fn stmt(&mut self, stmt: &Stmt) {
        walk_stmt(self, stmt);
    }
    /// An expression.
    fn expr(&mut self, expr: &Expr) {
        walk_expr(self, expr);
    }
    /// A place that is read.
    fn load(&mut self, place: &Place) {
        walk_place(self, place);
    }
    /// A place that is written (by assignment or atomic), or whose address is passed to a function.
    fn store(&mut self, place: &Place) {
        walk_place(self, place);
    }
}

/// Visits all parts of a statement.
pub fn walk_stmt<V: Visitor + ?Sized>(v: &mut V, stmt: &Stmt) {
    match &stmt.kind {
        StmtKind::Declare { init, .. } => match init {
            Some(Initializer::Value(value)) => v.expr(value),
            Some(Initializer::List(values)) => values.iter().for_each(|e| v.expr(e)),
            None => {}
        },
        StmtKind::Assign { place, value, .. } => {
            v.expr(value);
            v.store(place);
        }
        StmtKind::Atomic { place, value, expected, .. } => {
            v.expr(value);
            expected.iter().for_each(|e| v.expr(e));
            v.store(place);
        }
        StmtKind::Call { arguments, .. } => walk_arguments(v, arguments),
        StmtKind::Print(print) => print.arguments.iter().for_each(|e| v.expr(e)),
        StmtKind::Prefetch { place, .. } => walk_place(v, place),
        StmtKind::If { condition, then, otherwise } => {
            v.expr(condition);
            walk_all(v, then);
            walk_all(v, otherwise);
        }
        StmtKind::Loop(l) => {
            walk_all(v, &l.init);
            walk_all(v, &l.head);
            l.condition.iter().for_each(|e| v.expr(e));
            walk_all(v, &l.body);
            walk_all(v, &l.update);
        }
        StmtKind::Switch { value, arms } => {
            v.expr(value);
            arms.iter().for_each(|arm| walk_all(v, &arm.body));
        }
        StmtKind::Return(value) => value.iter().for_each(|e| v.expr(e)),
        StmtKind::Block(stmts) => walk_all(v, stmts),
        StmtKind::Inner(region) => {
            for axis in region.axes.iter().flatten() {
                v.expr(&axis.start);
                v.expr(&axis.step);
                v.expr(&axis.count);
            }
            walk_all(v, &region.body);
        }
        StmtKind::Mark(Mark::ExclusiveValues(stmts)) => walk_all(v, stmts),
        StmtKind::Break | StmtKind::Continue | StmtKind::EndItem | StmtKind::Barrier | StmtKind::Mark(_) => {}
    }
}

/// Visits all parts of an expression.
pub fn walk_expr<V: Visitor + ?Sized>(v: &mut V, expr: &Expr) {
    match &expr.kind {
        ExprKind::Literal(_) | ExprKind::Builtin(_) => {}
        ExprKind::Load(place) => v.load(place),
        ExprKind::Unary(_, a) | ExprKind::Cast { value: a, .. } => v.expr(a),
        ExprKind::Binary(_, a, b) => {
            v.expr(a);
            v.expr(b);
        }
        ExprKind::Select(a, b, c) => {
            v.expr(a);
            v.expr(b);
            v.expr(c);
        }
        ExprKind::Math(_, arguments) => arguments.iter().for_each(|e| v.expr(e)),
        ExprKind::Call(_, arguments) => walk_arguments(v, arguments),
    }
}

/// Visits the subscripts of a place.
pub fn walk_place<V: Visitor + ?Sized>(v: &mut V, place: &Place) {
    for projection in &place.path {
        match projection {
            Projection::Index(e) | Projection::Flat(e) => v.expr(e),
            Projection::Field(_) => {}
        }
    }
}

fn walk_arguments<V: Visitor + ?Sized>(v: &mut V, arguments: &[Argument]) {
    for argument in arguments {
        match argument {
            Argument::Value(e) => v.expr(e),
            Argument::Pointer(place) => v.store(place),
        }
    }
}

fn walk_all<V: Visitor + ?Sized>(v: &mut V, stmts: &[Stmt]) {
    stmts.iter().for_each(|s| v.stmt(s));
}

/// Calls `visit` for every variable that statements declare, at any depth, with its value where it has one.
pub fn for_declarations(stmts: &[Stmt], visit: &mut dyn FnMut(VarId, Option<&Initializer>)) {
    struct Find<'a>(&'a mut dyn FnMut(VarId, Option<&Initializer>));
    impl Visitor for Find<'_> {
        fn stmt(&mut self, stmt: &Stmt) {
            if let StmtKind::Declare { var, init } = &stmt.kind {
                (self.0)(*var, init.as_ref());
            }
            walk_stmt(self, stmt);
        }
        fn expr(&mut self, _expr: &Expr) {}
    }
    walk_all(&mut Find(visit), stmts);
}

/// Calls `visit` for every region of a nest.
pub fn for_regions<'a>(stmts: &'a [Stmt], visit: &mut dyn FnMut(&'a Region)) {
    for stmt in stmts {
        match &stmt.kind {
            StmtKind::Inner(region) => visit(region),
            StmtKind::If { then, otherwise, .. } => {
                for_regions(then, visit);
                for_regions(otherwise, visit);
            }
            StmtKind::Loop(l) => for_regions(&l.body, visit),
            StmtKind::Block(stmts) => for_regions(stmts, visit),
            StmtKind::Switch { arms, .. } => arms.iter().for_each(|arm| for_regions(&arm.body, visit)),
            _ => {}
        }
    }
}

/// Whether statements are branches around statements of some kinds, and nothing else.
pub(crate) fn is_straight(stmts: &[Stmt], is_plain: &dyn Fn(&StmtKind) -> bool) -> bool {
    stmts.iter().all(|stmt| match &stmt.kind {
        StmtKind::If { then, otherwise, .. } => is_straight(then, is_plain) && is_straight(otherwise, is_plain),
        StmtKind::Block(stmts) => is_straight(stmts, is_plain),
        kind => is_plain(kind),
    })
}

/// Whether some path through the statements of a region ends the item.
pub fn ends_item(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::EndItem | StmtKind::Return(_) => true,
        StmtKind::If { then, otherwise, .. } => ends_item(then) || ends_item(otherwise),
        StmtKind::Loop(l) => ends_item(&l.body),
        StmtKind::Block(stmts) => ends_item(stmts),
        StmtKind::Switch { arms, .. } => arms.iter().any(|arm| ends_item(&arm.body)),
        _ => false,
    })
}
