//! `@atomic` statements and the functions `atomic_add` …: one atomic update of memory that several items see.

use super::attributes::{Lower, lower_of};
use super::constants::{constant, implicit, scalar_of};
use super::context::Lowering;
use super::expr::{Value, operator};
use super::place::{Lvalue, Object};
use super::pointer::same_expr;
use super::{Lowered, Reported};
use crate::diagnostic::Diagnostic;
use crate::front::ast::{self, ExprKind as A, StmtKind as S};
use crate::ir::value::ScalarValue;
use crate::ir::{AtomicOp, BinaryOp, Expr, ExprKind, MathFn, Role, Scalar, Stmt, StmtKind, Type, VarId};
use crate::rules;
use crate::source::Span;

/// the atomic update that a compound assignment is.
fn update_of(op: BinaryOp) -> Option<AtomicOp> {
    Some(match op {
        BinaryOp::Add => AtomicOp::Add,
        BinaryOp::Sub => AtomicOp::Sub,
        BinaryOp::Mul => AtomicOp::Mul,
        BinaryOp::Div => AtomicOp::Div,
        BinaryOp::BitAnd => AtomicOp::And,
        BinaryOp::BitOr => AtomicOp::Or,
        BinaryOp::BitXor => AtomicOp::Xor,
        _ => return None,
    })
}

/// The functions that update memory and answer the old value.
const FUNCTIONS: [(&str, AtomicOp); 9] = [
    ("atomic_add", AtomicOp::Add),
    ("atomic_sub", AtomicOp::Sub),
    ("atomic_min", AtomicOp::Min),
    ("atomic_max", AtomicOp::Max),
    ("atomic_and", AtomicOp::And),
    ("atomic_or", AtomicOp::Or),
    ("atomic_xor", AtomicOp::Xor),
    ("atomic_exchange", AtomicOp::Exchange),
    ("atomic_cas", AtomicOp::CompareExchange),
];

/// Their names, for hints.
pub(super) fn function_names() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.iter().map(|of| of.0)
}

/// An update as it is written.
struct Update {
    target: Lvalue,
    op: AtomicOp,
    value: Expr,
    /// Its value, where one is wanted, is the one before.
    gives_old: bool,
    span: Span,
}

/// Takes the casts off that C's promotions put on.
fn bare(mut expr: &Expr) -> &Expr {
    while let ExprKind::Cast { value, implicit: true } = &expr.kind {
        expr = value;
    }
    expr
}

impl Lowering<'_, '_> {
    /// The statement behind `@atomic`.
    pub(super) fn atomic_stmt(&mut self, kind: &S, span: Span) -> Lowered<()> {
        match kind {
            S::Expr(expr) => self.atomic_expr(expr),
            S::Block(block) => match block.stmts.as_slice() {
                [only] if only.attributes.is_empty() => self.atomic_stmt(&only.kind, span),
                [ast::Stmt { kind: S::Expr(first), .. }, ast::Stmt { kind: S::Expr(second), .. }]
                    if !(is_update_in_place(first) && is_update_in_place(second)) =>
                {
                    self.atomic_pair(first, second, span)
                }
                stmts => self.atomic_block(stmts, span),
            },
            S::Declaration(declaration) => match declaration.declarators.as_slice() {
                [ast::Declarator { init: Some(ast::Initializer::Expr(value)), .. }] if is_update(value) => {
                    self.capture_declaration(declaration, value)
                }
                _ => Err(self.not_an_update(span)),
            },
            _ => Err(self.not_an_update(span)),
        }
    }

    fn not_an_update(&mut self, span: Span) -> Reported {
        self.report(
            Diagnostic::error(rules::BAD_ATOMIC, span, "`@atomic` needs an update of memory")
                .hint("`x += v`, `x -= v`, `x++`, `x--`, `x *= v`, `x &= v`, `x |= v`, `x ^= v`, `x = min(x, v)`, `x = max(x, v)` or `x = v`"),
        )
    }

    fn several_updates(&mut self, span: Span) -> Reported {
        let finding = Diagnostic::error(
            rules::BAD_ATOMIC,
            span,
            "an `@atomic` block must hold updates that do not depend on each other",
        );
        self.report(finding.hint(
            "no device has an atomic operation for several places, or for what depends on another update. A block may hold \
             updates like `x += v` of independent places, or read the place that it updates: `{ old = x; x += v; }`",
        ))
    }

    fn atomic_expr(&mut self, expr: &ast::Expr) -> Lowered<()> {
        match &expr.kind {
            A::Assign(None, result, value) if is_update(value) => {
                let Object::Lvalue(result) = self.object(result)? else {
                    return Err(self.not_an_update(expr.span));
                };
                let update = self.atomic_update(value)?;
                self.capture(result, update, expr.span)
            }
            _ => {
                let update = self.atomic_update(expr)?;
                self.emit_update(update, None)
            }
        }
    }

    /// `{ x += v; y += w; }`: updates that do not depend on each other are atomic one by one.
    fn atomic_block(&mut self, stmts: &[ast::Stmt], span: Span) -> Lowered<()> {
        let updates = stmts.iter().filter(|stmt| !matches!(stmt.kind, S::Empty)).map(|stmt| match &stmt.kind {
            S::Expr(expr) if is_update_in_place(expr) && stmt.attributes.is_empty() => Some(expr),
            _ => None,
        });
        let Some(updates) = updates.collect::<Option<Vec<_>>>().filter(|updates| !updates.is_empty()) else {
            return Err(self.several_updates(span));
        };
        let (emitted, result) = self.captured(|s| updates.into_iter().try_for_each(|update| s.atomic_expr(update)));
        result?;
        let places = |stmt: &Stmt| match &stmt.kind {
            StmtKind::Atomic { place, .. } => Some(place.root),
            _ => None,
        };
        let roots: Vec<VarId> = emitted.iter().filter_map(places).collect();
        for &root in &roots {
            let mut reads = Reads { root, found: false };
            emitted.iter().for_each(|stmt| reads.operands(stmt));
            if reads.found {
                return Err(self.several_updates(span));
            }
        }
        self.out.extend(emitted);
        if roots.len() > 1 {
            let message = "the updates of this block are atomic one by one, not as a whole";
            let finding = Diagnostic::warning(rules::ATOMIC_BLOCK, span, message);
            self.report(finding.hint("write `@atomic` before each update"));
        }
        Ok(())
    }

    /// `{ old = x; x += v; }` or `{ x += v; now = x; }`.
    fn atomic_pair(&mut self, first: &ast::Expr, second: &ast::Expr, span: Span) -> Lowered<()> {
        let read_of = |expr: &ast::Expr| match &expr.kind {
            A::Assign(None, result, value) if is_place(value) => Some((result.clone(), value.clone())),
            _ => None,
        };
        // `x = y` may be a read of `y` or an exchange of `x`: what the other statement updates decides.
        for (read, update, gives_old) in [(first, second, true), (second, first, false)] {
            let Some((result, value)) = read_of(read) else { continue };
            if !is_update(update) {
                continue;
            }
            let (effects, source) = self.captured(|s| s.object(&value));
            let Object::Lvalue(source) = source? else { continue };
            let (_, target) = self.captured(|s| s.atomic_update(update));
            let is_same = target?.target.is_same(&source);
            if effects.is_empty() && is_same {
                let Object::Lvalue(result) = self.object(&result)? else { continue };
                let update = self.atomic_update(update)?;
                return self.capture(result, Update { gives_old, ..update }, span);
            }
        }
        Err(self.several_updates(span))
    }

    /// An update as it is written.
    fn atomic_update(&mut self, expr: &ast::Expr) -> Lowered<Update> {
        let span = expr.span;
        match &expr.kind {
            A::Step { increment, prefix, target } => {
                let target = self.atomic_target(target)?;
                let op = if *increment { AtomicOp::Add } else { AtomicOp::Sub };
                let value = implicit(constant(ScalarValue::I32(1), span), target.scalar());
                Ok(Update { target, op, value, gives_old: !prefix, span })
            }
            A::Assign(Some(op), target, value) => {
                let Some(op) = update_of(operator(*op)) else {
                    return Err(self.not_an_update(span));
                };
                let value = self.atomic_value(value)?;
                let target = self.atomic_target(target)?;
                Ok(Update { target, op, value, gives_old: false, span })
            }
            A::Assign(None, target, value) => {
                let value = self.atomic_value(value)?;
                let target = self.atomic_target(target)?;
                let (op, value) = self.recognise(&target, value, span)?;
                Ok(Update { target, op, value, gives_old: false, span })
            }
            _ => Err(self.not_an_update(span)),
        }
    }

    /// `x = x + v`, `x = min(x, v)` … or, where `x` is not read, the exchange `x = v`.
    fn recognise(&mut self, target: &Lvalue, value: Expr, span: Span) -> Lowered<(AtomicOp, Expr)> {
        let own = Expr { kind: ExprKind::Load(target.clone().place()), ty: target.ty.clone(), span };
        let is_own = |e: &Expr| same_expr(bare(e), &own);
        let stripped = bare(&value);
        // `n = n + 0.5` of an `int` computes in `double`: that is no update of an `int`.
        let narrows = scalar_of(stripped).is_float() && !scalar_of(&own).is_float();
        let found = match &stripped.kind {
            _ if narrows => None,
            ExprKind::Binary(op, a, b) => match update_of(*op) {
                Some(update) if is_own(a) => Some((update, (**b).clone())),
                Some(update) if is_own(b) && !matches!(op, BinaryOp::Sub | BinaryOp::Div) => {
                    Some((update, (**a).clone()))
                }
                _ => None,
            },
            ExprKind::Math(function, arguments) => {
                let update = match function {
                    MathFn::Fmin | MathFn::IntMin => Some(AtomicOp::Min),
                    MathFn::Fmax | MathFn::IntMax => Some(AtomicOp::Max),
                    _ => None,
                };
                match (update, arguments.as_slice()) {
                    (Some(update), [a, b]) if is_own(a) => Some((update, b.clone())),
                    (Some(update), [a, b]) if is_own(b) => Some((update, a.clone())),
                    _ => None,
                }
            }
            _ => None,
        };
        let (op, value) = found.unwrap_or((AtomicOp::Exchange, value));
        let mut reads = Reads { root: target.root, found: false };
        crate::ir::Visitor::expr(&mut reads, &value);
        if reads.found {
            let name = self.called(target.root);
            return Err(self.report(
                Diagnostic::error(
                    rules::BAD_ATOMIC,
                    span,
                    format!("this update reads `{name}` in a way that no atomic operation can"),
                )
                .hint(
                    "the new value may be `x op v`, `min(x, v)` or `max(x, v)`, where `v` does not read the same array",
                ),
            ));
        }
        Ok((op, value))
    }

    /// What an update takes: a real number.
    fn atomic_value(&mut self, value: &ast::Expr) -> Lowered<Expr> {
        match self.value(value)? {
            of if self.is_complex(&of) => Err(self.complex_update(value.span)),
            of => self.number_of(of, value.span).map(|(value, _)| value),
        }
    }

    fn complex_update(&mut self, span: Span) -> Reported {
        let message = "no device updates both parts of a complex number atomically";
        let hint = "update each part by itself: `@atomic z.re += creal(w); @atomic z.im += cimag(w);`";
        self.report(Diagnostic::error(rules::BAD_ATOMIC, span, message).hint(hint))
    }

    fn atomic_target(&mut self, target: &ast::Expr) -> Lowered<Lvalue> {
        let Object::Lvalue(lvalue) = self.object(target)? else {
            return Err(self.error(rules::BAD_ATOMIC, target.span, "`@atomic` needs a place in memory to update"));
        };
        self.atomic_place(lvalue, target.span)
    }

    /// Whether an object can be updated atomically.
    fn atomic_place(&mut self, lvalue: Lvalue, span: Span) -> Lowered<Lvalue> {
        let var = self.body.var(lvalue.root);
        let is_memory = matches!((var.role, &var.ty), (Role::Shared, _) | (Role::Param(_), Type::Pointer(_)));
        if !is_memory {
            let name = self.called(lvalue.root);
            return Err(self.report(
                Diagnostic::error(
                    rules::BAD_ATOMIC,
                    span,
                    format!("`{name}` belongs to one item; `@atomic` is for global and `@shared` memory"),
                )
                .hint("leave `@atomic` out"),
            ));
        }
        match lvalue.ty.scalar() {
            Some(Scalar::I32 | Scalar::U32 | Scalar::I64 | Scalar::U64 | Scalar::F32 | Scalar::F64) => Ok(lvalue),
            _ if self.as_complex(&lvalue.ty).is_some() => Err(self.complex_update(span)),
            _ => {
                let name = self.type_name(&lvalue.ty);
                Err(self.report(
                    Diagnostic::error(
                        rules::BAD_ATOMIC,
                        span,
                        format!("`@atomic` works on 32-bit and 64-bit numbers, not on `{name}`"),
                    )
                    .hint("use `int`, `unsigned int`, `long`, `unsigned long`, `float` or `double`"),
                ))
            }
        }
    }

    fn emit_update(&mut self, update: Update, result: Option<VarId>) -> Lowered<()> {
        let Update { target, op, value, span, .. } = update;
        self.check_write(&target)?;
        let scalar = target.scalar();
        let name = scalar.okl_name();
        let is_float = value.ty.scalar().is_none_or(Scalar::is_float);
        if matches!(op, AtomicOp::And | AtomicOp::Or | AtomicOp::Xor) && (scalar.is_float() || is_float) {
            return Err(self.error(
                rules::BAD_ATOMIC,
                span,
                format!("bits of `{name}` cannot be combined; use an integer type"),
            ));
        }
        if !scalar.is_float() && is_float && op != AtomicOp::Exchange {
            let message =
                format!("a floating-point number cannot be combined with `{name}` atomically; convert it first");
            return Err(self.error(rules::BAD_ATOMIC, span, message));
        }
        let value = implicit(value, scalar);
        self.emit(StmtKind::Atomic { place: target.place(), op, value, expected: None, result }, span);
        Ok(())
    }

    /// `old = x++;`, `now = x += v;`: as in C, the value of `x++` is the one before, that of the others the one after.
    fn capture(&mut self, result: Lvalue, update: Update, span: Span) -> Lowered<()> {
        let ty = update.target.ty.clone();
        let is_local = self.body.var(result.root).role == Role::Local && result.path.is_empty();
        if is_local && update.gives_old && result.ty == ty {
            self.check_write(&result)?;
            return self.emit_update(update, Some(result.root));
        }
        let (op, scalar, gives_old) = (update.op, update.target.scalar(), update.gives_old);
        let operand = self.held(update.value, "operand");
        let old = self.temporary("before", ty, None, false, span);
        self.emit_update(Update { value: operand.clone(), ..update }, Some(old))?;
        let mut value = self.read(old, span);
        if !gives_old {
            value = self.updated(op, value, operand, scalar, span)?;
        }
        let value = self.converted(value, &result.ty.clone(), span)?;
        self.store(&result, None, value, span)
    }

    /// What an update leaves.
    fn updated(&mut self, op: AtomicOp, old: Expr, operand: Expr, scalar: Scalar, span: Span) -> Lowered<Expr> {
        let operand = implicit(operand, scalar);
        let extreme = |float, integer| {
            let function = if scalar.is_float() { float } else { integer };
            super::constants::math(function, vec![old.clone(), operand.clone()], span)
        };
        let value = match op {
            AtomicOp::Exchange | AtomicOp::CompareExchange => operand,
            AtomicOp::Min => extreme(MathFn::Fmin, MathFn::IntMin),
            AtomicOp::Max => extreme(MathFn::Fmax, MathFn::IntMax),
            AtomicOp::Add => self.arithmetic(BinaryOp::Add, old, operand, span)?,
            AtomicOp::Sub => self.arithmetic(BinaryOp::Sub, old, operand, span)?,
            AtomicOp::Mul => self.arithmetic(BinaryOp::Mul, old, operand, span)?,
            AtomicOp::Div => self.arithmetic(BinaryOp::Div, old, operand, span)?,
            AtomicOp::And => self.arithmetic(BinaryOp::BitAnd, old, operand, span)?,
            AtomicOp::Or => self.arithmetic(BinaryOp::BitOr, old, operand, span)?,
            AtomicOp::Xor => self.arithmetic(BinaryOp::BitXor, old, operand, span)?,
        };
        Ok(implicit(value, scalar))
    }

    /// `int old = x++;`: the declaration, then the update into it.
    fn capture_declaration(&mut self, declaration: &ast::Declaration, value: &ast::Expr) -> Lowered<()> {
        let span = declaration.span;
        let mut bare = declaration.clone();
        let Some(declarator) = bare.declarators.first_mut() else { return Err(Reported) };
        for attributes in [&mut bare.attributes, &mut declarator.attributes] {
            attributes.retain(|a| !matches!(lower_of(a), Lower::Statement(_)));
        }
        declarator.init = None;
        let is_const = std::mem::take(&mut declarator.ty.is_const);
        let name = declarator.name.clone();
        self.assigned.insert(name.name.clone());
        // C would know the new name in its own value; what is meant is the outer one.
        let update = self.atomic_update(value)?;
        self.declaration(&bare);
        let target = ast::Expr { kind: A::Name(name.name), span: name.span };
        match self.object(&target)? {
            Object::Lvalue(result) => {
                let var = result.root;
                self.capture(result, update, span)?;
                self.info[var.0 as usize].is_const |= is_const;
                Ok(())
            }
            _ => Err(self.not_an_update(span)),
        }
    }

    /// A call of `atomic_add` and the like, which answers the old value; `None` where `name` is no such function.
    pub(super) fn atomic_call(
        &mut self,
        name: &str,
        arguments: &[ast::Expr],
        span: Span,
        wanted: bool,
    ) -> Option<Lowered<Value>> {
        let op = FUNCTIONS.iter().find(|of| of.0 == name)?.1;
        let old = self.atomic_function(name, op, arguments, span, wanted);
        Some(old.map(|old| old.map_or(Value::Void, |old| Value::Scalar(self.read(old, span)))))
    }

    /// The variable that takes the old value, where it is wanted.
    fn atomic_function(
        &mut self,
        name: &str,
        op: AtomicOp,
        arguments: &[ast::Expr],
        span: Span,
        wanted: bool,
    ) -> Lowered<Option<VarId>> {
        let (pointer, expected, value) = match (op, arguments) {
            (AtomicOp::CompareExchange, [pointer, expected, value]) => (pointer, Some(expected), value),
            (AtomicOp::CompareExchange, _) => {
                return Err(self.wrong_arguments(
                    name,
                    "a pointer, the expected value and the new one",
                    arguments,
                    span,
                ));
            }
            (_, [pointer, value]) => (pointer, None, value),
            _ => return Err(self.wrong_arguments(name, "a pointer and a value", arguments, span)),
        };
        let Value::Pointer(pointer) = self.value(pointer)? else {
            let finding = Diagnostic::error(
                rules::BAD_ATOMIC,
                pointer.span,
                format!("`{name}` needs a pointer to what it updates"),
            );
            return Err(self.report(finding.hint("write `&` before the element: `atomic_add(&x[i], v)`")));
        };
        let target = self.deref(pointer, span)?;
        let target = self.atomic_place(target, span)?;
        let (ty, scalar) = (target.ty.clone(), target.scalar());
        let expected = expected.map(|e| self.number(e)).transpose()?.map(|(e, _)| implicit(e, scalar));
        let value = self.atomic_value(value)?;
        let old = wanted.then(|| self.temporary("before", ty, None, false, span));
        if let Some(expected) = expected {
            self.check_write(&target)?;
            let value = implicit(value, scalar);
            let (place, expected) = (target.place(), Some(expected));
            self.emit(StmtKind::Atomic { place, op, value, expected, result: old }, span);
        } else {
            self.emit_update(Update { target, op, value, gives_old: true, span }, old)?;
        }
        Ok(old)
    }

    pub(super) fn wrong_arguments(
        &mut self,
        name: &str,
        wanted: &str,
        arguments: &[ast::Expr],
        span: Span,
    ) -> Reported {
        self.error(
            rules::ARGUMENT_COUNT,
            span,
            format!("`{name}` takes {wanted}; the number of arguments here is {}", arguments.len()),
        )
    }
}

/// Whether a value is that of an update: `x++`, `x += v`, `x = v`.
fn is_update(expr: &ast::Expr) -> bool {
    matches!(expr.kind, A::Step { .. } | A::Assign(..))
}

/// Whether an expression is an update that reads what it updates, by its form: `x++`, `x += v`.
fn is_update_in_place(expr: &ast::Expr) -> bool {
    matches!(expr.kind, A::Step { .. } | A::Assign(Some(_), ..))
}

/// Whether an expression names a place.
fn is_place(expr: &ast::Expr) -> bool {
    matches!(expr.kind, A::Name(_) | A::Index(..) | A::Member { .. } | A::Unary(ast::UnaryOp::Deref, _))
}

/// Whether an expression reads a root.
struct Reads {
    root: VarId,
    found: bool,
}

impl Reads {
    /// Looks at what a statement reads, beside the place that it updates.
    fn operands(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Atomic { place, value, .. } => {
                crate::ir::Visitor::expr(self, value);
                crate::ir::walk_place(self, place);
            }
            _ => crate::ir::Visitor::stmt(self, stmt),
        }
    }
}

impl crate::ir::Visitor for Reads {
    fn load(&mut self, place: &crate::ir::Place) {
        self.found |= place.root == self.root;
        crate::ir::walk_place(self, place);
    }

    fn store(&mut self, place: &crate::ir::Place) {
        self.load(place);
    }
}
