//! What a WebGPU device may lack: `double`, 64-bit integers, and atomics of them.

use crate::Diagnostic;
use crate::ir::build;
use crate::ir::{
    Body, Expr, ExprKind, Initializer, Literal, MathFn, Module, Region, Scalar, Stmt, StmtKind, Type, Visitor,
    walk_expr, walk_stmt,
};
use crate::rules;
use crate::source::Span;
use crate::target::wgsl::Features;

/// Refuses what the device cannot do: the first `double`, the first 64-bit integer, every 64-bit update; and what its
/// driver would not compile in a sensible time.
///
/// `needs_long`: whether a function's definition in WGSL computes with the bits of `double` in 64-bit integers.
pub(crate) fn check(
    module: &Module,
    features: &Features,
    needs_long: fn(MathFn, Scalar) -> bool,
    found: &mut Vec<Diagnostic>,
) {
    let mut look =
        Look { needs_long, body: None, double: None, long: None, double_bits: None, wide_updates: Vec::new() };
    for constant in &module.constants {
        look.ty(&constant.ty, constant.span);
        let is_bits = element_of(&constant.ty).is_some_and(Scalar::is_storage);
        let is_special = |value: &Literal| matches!(value, Literal::Float(value) if !value.is_finite());
        // A storage float is held as its bits, which are an integer.
        if !is_bits && constant.values.iter().any(is_special) {
            let what = "WGSL has no constant tables with infinities or NaNs";
            found.push(
                Diagnostic::error(rules::NO_SPECIAL_TABLE, constant.span, what).hint("compute it where it is used"),
            );
        }
    }
    for definition in &module.structs {
        definition.fields.iter().for_each(|field| look.ty(&field.ty, definition.span));
    }
    for function in &module.functions {
        look.ty(&function.result, function.span);
        function.params.iter().for_each(|&param| look.variable(&function.body, param));
        look.all(&function.body, &function.stmts);
    }
    for kernel in &module.kernels {
        for &param in &kernel.params {
            // A 64-bit size that only the host part reads costs the device nothing.
            if matches!(kernel.body.var(param).ty, Type::Pointer(_)) {
                look.variable(&kernel.body, param);
            }
        }
        for nest in &kernel.nests {
            nest.shared.iter().chain(&nest.exclusive).for_each(|&var| look.variable(&kernel.body, var));
            look.all(&kernel.body, &nest.stmts);
        }
    }
    report(&look, features, found);
    super::expansion::check(module, found);
}

fn report(look: &Look<'_>, features: &Features, found: &mut Vec<Diagnostic>) {
    if let Some(span) = look.double.filter(|_| !features.f64) {
        let diagnostic = Diagnostic::error(rules::NO_DOUBLE, span, "this device has no `double`");
        found.push(diagnostic.hint("build it with another type: `defines: {dfloat: float}`"));
    }
    if let Some(span) = look.long.filter(|_| !features.i64) {
        let diagnostic = Diagnostic::error(rules::NO_LONG, span, "this device has no 64-bit integers");
        found.push(diagnostic.hint("use `int` or `unsigned int` here"));
    }
    if let Some(span) = look.double_bits.filter(|_| features.f64 && !features.i64) {
        let what = "this operation on `double` needs 64-bit integers, which this device does not have";
        found.push(
            Diagnostic::error(rules::NO_LONG, span, what)
                .hint("build it with another type: `defines: {dfloat: float}`"),
        );
    }
    if !features.i64_atomics {
        found.extend(look.wide_updates.iter().map(|&span| {
            Diagnostic::error(rules::NO_LONG_ATOMICS, span, "this device has no 64-bit atomics")
                .hint("use a 32-bit type here")
        }));
    }
}

struct Look<'a> {
    needs_long: fn(MathFn, Scalar) -> bool,
    body: Option<&'a Body>,
    double: Option<Span>,
    long: Option<Span>,
    /// A function on `double`, or a conversion, that looks at its bits.
    double_bits: Option<Span>,
    wide_updates: Vec<Span>,
}

impl<'a> Look<'a> {
    fn all(&mut self, body: &'a Body, stmts: &[Stmt]) {
        self.body = Some(body);
        stmts.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn variable(&mut self, body: &Body, var: crate::ir::VarId) {
        let variable = body.var(var);
        self.ty(&variable.ty, variable.span);
    }

    fn ty(&mut self, ty: &Type, span: Span) {
        match element_of(ty) {
            Some(Scalar::F64) => earlier(&mut self.double, span),
            Some(Scalar::I64 | Scalar::U64) => earlier(&mut self.long, span),
            _ => {}
        }
    }

    /// Looks at an index, of which 32 bits are enough: sums of 64-bit numbers are computed in 32.
    fn index(&mut self, index: &Expr) {
        self.expr(&build::narrow(index));
    }

    fn region(&mut self, region: &Region) {
        for axis in region.axes.iter().flatten() {
            self.expr(&axis.start);
            self.index(&axis.step);
            self.index(&axis.count);
        }
        region.body.iter().for_each(|stmt| self.stmt(stmt));
    }
}

/// The scalar that a type is of. A struct's own fields are looked at where it is defined.
fn element_of(ty: &Type) -> Option<Scalar> {
    match ty {
        Type::Scalar(scalar) => Some(*scalar),
        Type::Array(element, _) => element.scalar(),
        Type::Pointer(pointer) => pointer.element.scalar(),
        Type::Void | Type::Struct(_) => None,
    }
}

/// Keeps the first place in the text.
fn earlier(known: &mut Option<Span>, span: Span) {
    let has_place = |span: Span| span.end > span.start;
    if known.is_none_or(|known| !has_place(known) || has_place(span) && span.start < known.start) {
        *known = Some(span);
    }
}

impl Visitor for Look<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Declare { var, init } => {
                if let Some(body) = self.body {
                    self.variable(body, *var);
                }
                match init {
                    Some(Initializer::Value(value)) => self.expr(value),
                    Some(Initializer::List(values)) => values.iter().for_each(|value| self.expr(value)),
                    None => {}
                }
            }
            StmtKind::Atomic { place, .. } => {
                if place.ty.scalar().is_some_and(|scalar| scalar.bytes() == 8) {
                    let root = self.body.map(|body| body.var(place.root));
                    // Nobody else sees an item's own variables: their updates are plain ones.
                    if root.is_none_or(|root| root.role.is_shared() || matches!(root.ty, Type::Pointer(_))) {
                        self.wide_updates.push(place.span);
                    }
                }
                walk_stmt(self, stmt);
            }
            StmtKind::Inner(region) => self.region(region),
            StmtKind::Print(print) => {
                // They are left in words.
                if let Some(value) = print.arguments.iter().find(|value| value.ty == Type::Scalar(Scalar::F64)) {
                    earlier(&mut self.double_bits, value.span);
                }
                walk_stmt(self, stmt);
            }
            _ => walk_stmt(self, stmt),
        }
    }

    fn expr(&mut self, expr: &Expr) {
        self.ty(&expr.ty, expr.span);
        let takes_bits = match &expr.kind {
            ExprKind::Math(function, arguments) => arguments.first().is_some_and(|argument| {
                argument.ty.scalar().is_some_and(|operand| (self.needs_long)(*function, operand))
            }),
            ExprKind::Cast { value, .. } => {
                expr.ty.scalar().is_some_and(Scalar::is_storage) && value.ty == Type::Scalar(Scalar::F64)
            }
            _ => false,
        };
        if takes_bits {
            earlier(&mut self.double_bits, expr.span);
        }
        walk_expr(self, expr);
    }

    fn load(&mut self, place: &crate::ir::Place) {
        self.path(place);
    }

    fn store(&mut self, place: &crate::ir::Place) {
        self.path(place);
    }
}

impl Look<'_> {
    fn path(&mut self, place: &crate::ir::Place) {
        for projection in &place.path {
            match projection {
                crate::ir::Projection::Index(e) | crate::ir::Projection::Flat(e) => self.index(e),
                crate::ir::Projection::Field(_) => {}
            }
        }
    }
}
