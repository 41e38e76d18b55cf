//! `@atomic` statements: one atomic update of memory that several items see.

use super::attributes::{Lower, lower_of};
use super::constants::{constant, implicit, scalar_of};
use super::context::Lowering;
use super::expr::operator;
use super::place::{Lvalue, Object};
use super::pointer::same_expr;
use super::{Lowered, Reported};
use crate::diagnostic::Diagnostic;
use crate::front::ast::{self, ExprKind as A, StmtKind as S};
use crate::ir::value::ScalarValue;
use crate::ir::{AtomicOp, BinaryOp, Expr, ExprKind, MathFn, Role, Scalar, StmtKind, Type, VarId};
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
                _ => Err(self.report(Diagnostic::error(span, "an `@atomic` block must hold a single update").hint(
                    "several updates cannot be one atomic operation on any device; write `@atomic` before each",
                ))),
            },
            S::Declaration(declaration) => match declaration.declarators.as_slice() {
                [ast::Declarator { init: Some(ast::Initializer::Expr(value)), .. }] => {
                    let update = self.capture_declaration(declaration, value);
                    update.unwrap_or_else(|| Err(self.not_an_update(span)))
                }
                _ => Err(self.not_an_update(span)),
            },
            _ => Err(self.not_an_update(span)),
        }
    }

    fn not_an_update(&mut self, span: Span) -> Reported {
        self.report(
            Diagnostic::error(span, "`@atomic` needs an update of memory")
                .hint("`x += v`, `x -= v`, `x++`, `x--`, `x *= v`, `x &= v`, `x |= v`, `x ^= v`, `x = min(x, v)`, `x = max(x, v)` or `x = v`"),
        )
    }

    fn atomic_expr(&mut self, expr: &ast::Expr) -> Lowered<()> {
        let span = expr.span;
        match &expr.kind {
            A::Step { increment, target, .. } => {
                let target = self.atomic_target(target)?;
                self.atomic_step(target, *increment, None, span)
            }
            A::Assign(None, target, value) if is_step(value).is_some() => {
                let Object::Lvalue(result) = self.object(target)? else {
                    return Err(self.not_an_update(span));
                };
                self.capture(result, value, span)
            }
            A::Assign(Some(op), target, value) => {
                let Some(op) = update_of(operator(*op)) else {
                    return Err(self.not_an_update(span));
                };
                let (value, _) = self.number(value)?;
                let target = self.atomic_target(target)?;
                self.atomic_update(target, op, value, None, span)
            }
            A::Assign(None, target, value) => {
                let (value, _) = self.number(value)?;
                let target = self.atomic_target(target)?;
                let (op, value) = self.recognise(&target, value, span)?;
                self.atomic_update(target, op, value, None, span)
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
                Diagnostic::error(span, format!("this update reads `{name}` in a way that no atomic operation can"))
                    .hint("the new value may be `x op v`, `min(x, v)` or `max(x, v)`, where `v` does not read the same array"),
            ));
        }
        Ok((op, value))
    }

    fn atomic_target(&mut self, target: &ast::Expr) -> Lowered<Lvalue> {
        let Object::Lvalue(lvalue) = self.object(target)? else {
            return Err(self.error(target.span, "`@atomic` needs a place in memory to update"));
        };
        let var = self.body.var(lvalue.root);
        let is_memory = matches!((var.role, &var.ty), (Role::Shared, _) | (Role::Param(_), Type::Pointer(_)));
        if !is_memory {
            let name = self.called(lvalue.root);
            return Err(self.report(
                Diagnostic::error(
                    target.span,
                    format!("`{name}` belongs to one item; `@atomic` is for global and `@shared` memory"),
                )
                .hint("leave `@atomic` out"),
            ));
        }
        match lvalue.ty.scalar() {
            Some(Scalar::I32 | Scalar::U32 | Scalar::I64 | Scalar::U64 | Scalar::F32 | Scalar::F64) => Ok(lvalue),
            _ => {
                let name = self.type_name(&lvalue.ty);
                Err(self.report(
                    Diagnostic::error(
                        target.span,
                        format!("`@atomic` works on 32-bit and 64-bit numbers, not on `{name}`"),
                    )
                    .hint("use `int`, `unsigned int`, `long`, `unsigned long`, `float` or `double`"),
                ))
            }
        }
    }

    fn atomic_update(
        &mut self,
        target: Lvalue,
        op: AtomicOp,
        value: Expr,
        result: Option<VarId>,
        span: Span,
    ) -> Lowered<()> {
        self.check_write(&target)?;
        let scalar = target.ty.scalar().unwrap_or(Scalar::I32);
        let bitwise = matches!(op, AtomicOp::And | AtomicOp::Or | AtomicOp::Xor);
        if bitwise && (scalar.is_float() || value.ty.scalar().is_none_or(Scalar::is_float)) {
            return Err(
                self.error(span, format!("bits of `{}` cannot be combined; use an integer type", scalar.okl_name()))
            );
        }
        if !scalar.is_float() && value.ty.scalar().is_some_and(Scalar::is_float) && op != AtomicOp::Exchange {
            return Err(self.error(
                span,
                format!(
                    "a floating-point number cannot be combined with `{}` atomically; convert it first",
                    scalar.okl_name()
                ),
            ));
        }
        let value = implicit(value, scalar);
        self.emit(StmtKind::Atomic { place: target.place(), op, value, result }, span);
        Ok(())
    }

    fn atomic_step(&mut self, target: Lvalue, increment: bool, result: Option<VarId>, span: Span) -> Lowered<()> {
        let scalar = target.ty.scalar().unwrap_or(Scalar::I32);
        let one = implicit(constant(ScalarValue::I32(1), span), scalar);
        let op = if increment { AtomicOp::Add } else { AtomicOp::Sub };
        self.atomic_update(target, op, one, result, span)
    }

    /// `old = x++;`
    fn capture(&mut self, result: Lvalue, value: &ast::Expr, span: Span) -> Lowered<()> {
        let Some((increment, prefix, target)) = is_step(value) else {
            return Err(self.not_an_update(span));
        };
        let target = self.atomic_target(target)?;
        let ty = target.ty.clone();
        let is_local = self.body.var(result.root).role == Role::Local && result.path.is_empty();
        if is_local && !prefix && result.ty == ty {
            self.check_write(&result)?;
            return self.atomic_step(target, increment, Some(result.root), span);
        }
        let old = self.temporary("before", ty.clone(), None, false, span);
        self.atomic_step(target, increment, Some(old), span)?;
        let mut value = self.read(old, span);
        if prefix {
            let one = constant(ScalarValue::I32(1), span);
            let op = if increment { BinaryOp::Add } else { BinaryOp::Sub };
            value = self.arithmetic(op, value, one, span)?;
        }
        let value = self.converted(value, &result.ty.clone(), span)?;
        self.store(&result, None, value, span)
    }

    /// `int old = x++;`: the declaration, then the update into it. `None` where the value is no `x++`.
    fn capture_declaration(&mut self, declaration: &ast::Declaration, value: &ast::Expr) -> Option<Lowered<()>> {
        is_step(value)?;
        let mut bare = declaration.clone();
        let declarator = bare.declarators.first_mut()?;
        for attributes in [&mut bare.attributes, &mut declarator.attributes] {
            attributes.retain(|a| !matches!(lower_of(a), Lower::Statement(_)));
        }
        declarator.init = None;
        let name = declarator.name.clone();
        self.assigned.insert(name.name.clone());
        self.declaration(&bare);
        let target = ast::Expr { kind: A::Name(name.name), span: name.span };
        Some(match self.object(&target) {
            Ok(Object::Lvalue(result)) => self.capture(result, value, declaration.span),
            Ok(_) => Err(self.not_an_update(declaration.span)),
            Err(Reported) => Err(Reported),
        })
    }
}

/// `x++`, `--x` …: whether it counts up, is a prefix, and what it steps.
fn is_step(expr: &ast::Expr) -> Option<(bool, bool, &ast::Expr)> {
    match &expr.kind {
        A::Step { increment, prefix, target } => Some((*increment, *prefix, target)),
        _ => None,
    }
}

/// Whether an expression reads a root.
struct Reads {
    root: VarId,
    found: bool,
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
