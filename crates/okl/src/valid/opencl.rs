//! What an OpenCL device may lack: `double`, and 64-bit atomics.

use crate::Diagnostic;
use crate::ir::{Body, Expr, Module, Scalar, Stmt, StmtKind, Type, Visitor, walk_expr, walk_stmt};
use crate::rules;
use crate::source::Span;
use crate::target::opencl::Features;

/// Refuses what the device cannot do: the first `double`, and every 64-bit update.
pub(crate) fn check(module: &Module, features: &Features, found: &mut Vec<Diagnostic>) {
    let look = Look::at(module);
    if let Some(span) = look.double.filter(|_| !features.f64) {
        let diagnostic = Diagnostic::error(rules::NO_DOUBLE, span, "this device has no `double` (`cl_khr_fp64`)");
        found.push(diagnostic.hint("build it with another type: `defines: {dfloat: 'float'}`"));
    }
    if !features.int64_atomics {
        found.extend(look.wide_updates.into_iter().map(|span| {
            let what = "this device has no 64-bit atomics (`cl_khr_int64_base_atomics`)";
            Diagnostic::error(rules::NO_LONG_ATOMICS, span, what).hint("use a 32-bit type here")
        }));
    }
}

struct Look<'a> {
    double: Option<Span>,
    wide_updates: Vec<Span>,
    body: Option<&'a Body>,
}

/// Whether a module computes with `double`, or holds any.
pub(crate) fn has_double(module: &Module) -> bool {
    Look::at(module).double.is_some()
}

impl<'a> Look<'a> {
    fn at(module: &'a Module) -> Self {
        let mut look = Self { double: None, wide_updates: Vec::new(), body: None };
        for constant in &module.constants {
            look.ty(&constant.ty, constant.span);
        }
        for definition in &module.structs {
            definition.fields.iter().for_each(|field| look.ty(&field.ty, definition.span));
        }
        for function in &module.functions {
            look.ty(&function.result, function.span);
            look.all(&function.body, &function.stmts);
        }
        for kernel in &module.kernels {
            for nest in &kernel.nests {
                look.all(&kernel.body, &nest.stmts);
            }
        }
        look
    }

    fn all(&mut self, body: &'a Body, stmts: &[Stmt]) {
        for variable in &body.vars {
            self.ty(&variable.ty, variable.span);
        }
        self.body = Some(body);
        stmts.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn ty(&mut self, ty: &Type, span: Span) {
        let is_double = match ty {
            Type::Scalar(scalar) => *scalar == Scalar::F64,
            Type::Array(element, _) => **element == Type::Scalar(Scalar::F64),
            Type::Pointer(pointer) => *pointer.element == Type::Scalar(Scalar::F64),
            // A struct's own fields are looked at where it is defined.
            Type::Void | Type::Struct(_) => false,
        };
        // The first in the text that has a place there.
        let has_place = |span: Span| span.end > span.start;
        let is_earlier =
            self.double.is_none_or(|known| !has_place(known) || has_place(span) && span.start < known.start);
        if is_double && is_earlier {
            self.double = Some(span);
        }
    }
}

impl Visitor for Look<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::Atomic { place, .. } = &stmt.kind
            && place.ty.scalar().is_some_and(|scalar| scalar.bytes() == 8)
        {
            let root = self.body.map(|body| body.var(place.root));
            // Nobody else sees an item's own variables: their updates are plain ones.
            if root.is_none_or(|root| root.role.is_shared() || matches!(root.ty, Type::Pointer(_))) {
                self.wide_updates.push(place.span);
            }
        }
        walk_stmt(self, stmt);
    }

    fn expr(&mut self, expr: &Expr) {
        self.ty(&expr.ty, expr.span);
        walk_expr(self, expr);
    }
}
