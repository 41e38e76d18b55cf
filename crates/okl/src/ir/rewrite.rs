//! Changes trees in place: the mutable counterpart of [`super::Visitor`].

use super::{Argument, Expr, ExprKind, Initializer, Mark, Place, Projection, Region, Stmt, StmtKind, VarId};
use crate::source::Span;
use std::collections::BTreeMap;

/// Changes statements, expressions and places; every method walks on by default.
pub trait Rewriter {
    /// A list of statements.
    fn list(&mut self, stmts: &mut Vec<Stmt>) {
        stmts.iter_mut().for_each(|s| self.stmt(s));
    }
    /// A statement.
    fn stmt(&mut self, stmt: &mut Stmt) {
        rewrite_stmt(self, stmt);
    }
    /// An expression.
    fn expr(&mut self, expr: &mut Expr) {
        rewrite_expr(self, expr);
    }
    /// A place, read or written.
    fn place(&mut self, place: &mut Place) {
        rewrite_place(self, place);
    }
}

/// Changes all parts of a statement.
pub fn rewrite_stmt<R: Rewriter + ?Sized>(r: &mut R, stmt: &mut Stmt) {
    match &mut stmt.kind {
        StmtKind::Declare { init, .. } => match init {
            Some(Initializer::Value(value)) => r.expr(value),
            Some(Initializer::List(values)) => values.iter_mut().for_each(|e| r.expr(e)),
            None => {}
        },
        StmtKind::Assign { place, value, .. } => {
            r.expr(value);
            r.place(place);
        }
        StmtKind::Atomic { place, value, expected, .. } => {
            r.expr(value);
            expected.iter_mut().for_each(|e| r.expr(e));
            r.place(place);
        }
        StmtKind::Call { arguments, .. } => rewrite_arguments(r, arguments),
        StmtKind::Print(print) => print.arguments.iter_mut().for_each(|e| r.expr(e)),
        StmtKind::Prefetch { place, .. } => r.place(place),
        StmtKind::If { condition, then, otherwise } => {
            r.expr(condition);
            r.list(then);
            r.list(otherwise);
        }
        StmtKind::Loop(l) => {
            r.list(&mut l.init);
            r.list(&mut l.head);
            l.condition.iter_mut().for_each(|e| r.expr(e));
            r.list(&mut l.body);
            r.list(&mut l.update);
        }
        StmtKind::Switch { value, arms } => {
            r.expr(value);
            arms.iter_mut().for_each(|arm| r.list(&mut arm.body));
        }
        StmtKind::Return(value) => value.iter_mut().for_each(|e| r.expr(e)),
        StmtKind::Block(stmts) => r.list(stmts),
        StmtKind::Inner(region) => {
            for axis in region.axes.iter_mut().flatten() {
                r.expr(&mut axis.start);
                r.expr(&mut axis.step);
                r.expr(&mut axis.count);
            }
            r.list(&mut region.body);
        }
        StmtKind::Mark(Mark::ExclusiveValues(stmts)) => r.list(stmts),
        StmtKind::Break | StmtKind::Continue | StmtKind::EndItem | StmtKind::Barrier | StmtKind::Mark(_) => {}
    }
}

/// Changes all parts of an expression.
pub fn rewrite_expr<R: Rewriter + ?Sized>(r: &mut R, expr: &mut Expr) {
    match &mut expr.kind {
        ExprKind::Literal(_) | ExprKind::Builtin(_) => {}
        ExprKind::Load(place) => r.place(place),
        ExprKind::Unary(_, a) | ExprKind::Cast { value: a, .. } => r.expr(a),
        ExprKind::Binary(_, a, b) => {
            r.expr(a);
            r.expr(b);
        }
        ExprKind::Select(a, b, c) => {
            r.expr(a);
            r.expr(b);
            r.expr(c);
        }
        ExprKind::Math(_, arguments) => arguments.iter_mut().for_each(|e| r.expr(e)),
        ExprKind::Call(_, arguments) => rewrite_arguments(r, arguments),
    }
}

/// Changes the subscripts of a place.
pub fn rewrite_place<R: Rewriter + ?Sized>(r: &mut R, place: &mut Place) {
    for projection in &mut place.path {
        match projection {
            Projection::Index(e) | Projection::Flat(e) => r.expr(e),
            Projection::Field(_) => {}
        }
    }
}

fn rewrite_arguments<R: Rewriter + ?Sized>(r: &mut R, arguments: &mut [Argument]) {
    for argument in arguments {
        match argument {
            Argument::Value(e) => r.expr(e),
            Argument::Pointer(place) => r.place(place),
        }
    }
}

/// The expression without its spans, so that equal text compares equal.
pub fn without_spans(expr: &Expr) -> Expr {
    at_span(expr, Span::default())
}

/// The expression as if all of it stood at `span`.
pub fn at_span(expr: &Expr, span: Span) -> Expr {
    struct Put(Span);
    impl Rewriter for Put {
        fn expr(&mut self, expr: &mut Expr) {
            expr.span = self.0;
            rewrite_expr(self, expr);
        }
        fn place(&mut self, place: &mut Place) {
            place.span = self.0;
            rewrite_place(self, place);
        }
    }
    let mut expr = expr.clone();
    Put(span).expr(&mut expr);
    expr
}

/// Puts other variables in the place of those that `names` lists, wherever statements mention or declare them.
pub fn rename(stmts: &mut Vec<Stmt>, names: &BTreeMap<VarId, VarId>) {
    Rename { names }.list(stmts);
}

/// The same for an expression.
pub fn rename_expr(expr: &mut Expr, names: &BTreeMap<VarId, VarId>) {
    Rename { names }.expr(expr);
}

struct Rename<'a> {
    names: &'a BTreeMap<VarId, VarId>,
}

impl Rename<'_> {
    fn var(&self, var: &mut VarId) {
        *var = *self.names.get(var).unwrap_or(var);
    }
}

impl Rewriter for Rename<'_> {
    fn stmt(&mut self, stmt: &mut Stmt) {
        match &mut stmt.kind {
            StmtKind::Declare { var, .. } => self.var(var),
            StmtKind::Atomic { result: Some(result), .. } | StmtKind::Call { result: Some(result), .. } => {
                self.var(result);
            }
            _ => {}
        }
        rewrite_stmt(self, stmt);
    }

    fn place(&mut self, place: &mut Place) {
        self.var(&mut place.root);
        rewrite_place(self, place);
    }
}

/// The expression with other ones in the place of variables.
pub fn substitute(expr: &Expr, values: &BTreeMap<VarId, Expr>) -> Expr {
    struct Substitute<'a>(&'a BTreeMap<VarId, Expr>);
    impl Rewriter for Substitute<'_> {
        fn expr(&mut self, expr: &mut Expr) {
            match &expr.kind {
                ExprKind::Load(place) if place.path.is_empty() && self.0.contains_key(&place.root) => {
                    *expr = self.0[&place.root].clone();
                }
                _ => rewrite_expr(self, expr),
            }
        }
    }
    let mut expr = expr.clone();
    Substitute(values).expr(&mut expr);
    expr
}

/// Calls `visit` on every region of a nest, in order.
pub fn for_regions_mut(stmts: &mut [Stmt], visit: &mut dyn FnMut(&mut Region)) {
    for stmt in stmts {
        match &mut stmt.kind {
            StmtKind::Inner(region) => visit(region),
            StmtKind::If { then, otherwise, .. } => {
                for_regions_mut(then, visit);
                for_regions_mut(otherwise, visit);
            }
            StmtKind::Loop(l) => for_regions_mut(&mut l.body, visit),
            StmtKind::Switch { arms, .. } => arms.iter_mut().for_each(|arm| for_regions_mut(&mut arm.body, visit)),
            StmtKind::Block(stmts) => for_regions_mut(stmts, visit),
            _ => {}
        }
    }
}

/// Replaces every region of a nest by the statements that `replace` makes of it, which stand where it stood.
pub fn replace_regions(stmts: &mut Vec<Stmt>, replace: &mut dyn FnMut(Region) -> Vec<Stmt>) {
    for mut stmt in std::mem::take(stmts) {
        match stmt.kind {
            StmtKind::Inner(region) => {
                let span = stmt.span;
                stmts.extend(replace(*region).into_iter().map(|new| Stmt { span, ..new }));
                continue;
            }
            StmtKind::If { ref mut then, ref mut otherwise, .. } => {
                replace_regions(then, replace);
                replace_regions(otherwise, replace);
            }
            StmtKind::Loop(ref mut l) => replace_regions(&mut l.body, replace),
            StmtKind::Switch { ref mut arms, .. } => {
                arms.iter_mut().for_each(|arm| replace_regions(&mut arm.body, replace));
            }
            StmtKind::Block(ref mut stmts) => replace_regions(stmts, replace),
            _ => {}
        }
        stmts.push(stmt);
    }
}
