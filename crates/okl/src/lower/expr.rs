//! Expressions: typed, pure values; effects are emitted as statements before them.

use super::constants::{constant, evaluate, implicit, not, promoted, select, truth, unary, zero};
use super::context::{Level, Lowering};
use super::place::Object;
use super::pointer::PointerValue;
use super::vector::VectorValue;
use super::{Lowered, Reported};
use crate::diagnostic::Diagnostic;
use crate::front::ast::{self, ExprKind as A};
use crate::ir::value::ScalarValue;
use crate::ir::{BinaryOp, Expr, ExprKind, Scalar, Stmt, StmtKind, Type, UnaryOp};
use crate::rules;
use crate::source::Span;

/// What an expression gives.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// A scalar or a struct.
    Scalar(Expr),
    /// A vector, by its components, or a complex number, by its parts.
    Vector(VectorValue),
    /// A pointer.
    Pointer(PointerValue),
    /// Nothing.
    Void,
}

/// The IR's operator for the tree's.
pub(super) const fn operator(op: ast::BinaryOp) -> BinaryOp {
    match op {
        ast::BinaryOp::Add => BinaryOp::Add,
        ast::BinaryOp::Sub => BinaryOp::Sub,
        ast::BinaryOp::Mul => BinaryOp::Mul,
        ast::BinaryOp::Div => BinaryOp::Div,
        ast::BinaryOp::Rem => BinaryOp::Rem,
        ast::BinaryOp::Shl => BinaryOp::Shl,
        ast::BinaryOp::Shr => BinaryOp::Shr,
        ast::BinaryOp::BitAnd => BinaryOp::BitAnd,
        ast::BinaryOp::BitOr => BinaryOp::BitOr,
        ast::BinaryOp::BitXor => BinaryOp::BitXor,
        ast::BinaryOp::LogicAnd => BinaryOp::LogicAnd,
        ast::BinaryOp::LogicOr => BinaryOp::LogicOr,
        ast::BinaryOp::Eq => BinaryOp::Eq,
        ast::BinaryOp::Ne => BinaryOp::Ne,
        ast::BinaryOp::Lt => BinaryOp::Lt,
        ast::BinaryOp::Le => BinaryOp::Le,
        ast::BinaryOp::Gt => BinaryOp::Gt,
        ast::BinaryOp::Ge => BinaryOp::Ge,
    }
}

impl Lowering<'_, '_> {
    /// A scalar's or struct's value.
    pub(super) fn expr(&mut self, expr: &ast::Expr) -> Lowered<Expr> {
        let value = self.value(expr)?;
        self.number_or_struct(value, expr.span)
    }

    /// What is neither a pointer nor nothing.
    pub(super) fn number_or_struct(&mut self, value: Value, span: Span) -> Lowered<Expr> {
        match value {
            Value::Scalar(value) => Ok(value),
            Value::Vector(vector) => self.composed(vector),
            Value::Pointer(_) => {
                Err(self.error(rules::TYPE_MISMATCH, span, "a number is expected here, not a pointer"))
            }
            Value::Void => Err(self.error(rules::TYPE_MISMATCH, span, "this gives no value")),
        }
    }

    /// A number's value.
    pub(super) fn number(&mut self, expr: &ast::Expr) -> Lowered<(Expr, Scalar)> {
        let value = self.value(expr)?;
        self.number_of(value, expr.span)
    }

    /// What is a number and neither a struct nor a pointer; a complex number is not converted to a real one unasked.
    pub(super) fn number_of(&mut self, value: Value, span: Span) -> Lowered<(Expr, Scalar)> {
        if self.is_complex(&value) {
            return Err(self.needs_a_part(span, "a real number is expected here, not a complex one".into()));
        }
        let value = self.number_or_struct(value, span)?;
        match value.ty.scalar() {
            Some(scalar) => Ok((value, scalar)),
            None => {
                let name = self.type_name(&value.ty);
                Err(self.error(rules::TYPE_MISMATCH, span, format!("a number is expected here, not `{name}`")))
            }
        }
    }

    fn needs_a_part(&mut self, span: Span, message: String) -> Reported {
        let hint = "take a part, `creal(z)` or `cimag(z)`, or the magnitude, `cabs(z)`";
        self.report(Diagnostic::error(rules::TYPE_MISMATCH, span, message).hint(hint))
    }

    /// A pointer's value.
    pub(super) fn pointer(&mut self, expr: &ast::Expr) -> Lowered<PointerValue> {
        let value = self.value(expr)?;
        self.as_pointer(value, expr)
    }

    /// The pointer behind a `*`; in other languages `**` is a power.
    pub(super) fn dereferenced(&mut self, expr: &ast::Expr) -> Lowered<PointerValue> {
        let value = self.value(expr)?;
        let is_null = |value: &Expr| super::constants::integer_of(value) == Some(0);
        if matches!(&value, Value::Scalar(value) if !is_null(value)) {
            let is_factor = |factor: Span| (factor.file, factor.end) == (expr.span.file, expr.span.end);
            let (message, span) = match self.factor.filter(|&factor| is_factor(factor)) {
                Some(factor) => ("there is no operator `**`", factor),
                None => ("a pointer is expected here, and this is a number", expr.span),
            };
            let diagnostic = Diagnostic::error(rules::TYPE_MISMATCH, span, message);
            return Err(self.report(diagnostic.hint("a power is written `pow(a, b)`, a square `a * a`")));
        }
        self.as_pointer(value, expr)
    }

    fn as_pointer(&mut self, value: Value, expr: &ast::Expr) -> Lowered<PointerValue> {
        match value {
            Value::Pointer(pointer) => Ok(pointer),
            Value::Scalar(value) if super::constants::integer_of(&value) == Some(0) => Err(self.error(
                rules::NULL_POINTER,
                expr.span,
                "null pointers are not in the language: a pointer must point into memory",
            )),
            _ => Err(self.error(rules::TYPE_MISMATCH, expr.span, "a pointer is expected here")),
        }
    }

    /// A condition.
    pub(super) fn condition(&mut self, expr: &ast::Expr) -> Lowered<Expr> {
        match self.value(expr)? {
            value if self.is_complex(&value) => self.complex_truth(value, expr.span),
            Value::Pointer(pointer) => self.is_not_null(&pointer, expr.span),
            value => self.number_of(value, expr.span).map(|(value, _)| truth(value)),
        }
    }

    /// A value converted as C does on its own: assignments, arguments, returns.
    pub(super) fn converted(&mut self, value: Expr, to: &Type, span: Span) -> Lowered<Expr> {
        match (value.ty.scalar(), to.scalar()) {
            (Some(_), Some(scalar)) => Ok(implicit(value, scalar)),
            _ if value.ty == *to => Ok(value),
            _ => {
                let is_number = value.ty.scalar().is_some() || self.as_complex(&value.ty).is_some();
                if let (Some((id, _)), true) = (self.as_complex(to), is_number) {
                    let vector = self.converted_to_complex(Value::Scalar(value), id, span)?;
                    return self.composed(vector);
                }
                let (expected, got) = (self.type_name(to), self.type_name(&value.ty));
                let message = format!("expected `{expected}`, got `{got}`");
                if is_number && to.scalar().is_some() {
                    return Err(self.needs_a_part(span, message));
                }
                Err(self.error(rules::TYPE_MISMATCH, span, message))
            }
        }
    }

    /// Lowers for the effects alone.
    pub(super) fn discard(&mut self, expr: &ast::Expr) -> Lowered<()> {
        match &expr.kind {
            A::Assign(op, target, value) => self.assign(*op, target, value, expr.span, false).map(drop),
            A::Step { increment, target, .. } => self.step(*increment, false, target, expr.span, false).map(drop),
            A::Call(name, arguments) => self.call(name, arguments, expr.span, false).map(drop),
            A::CallTemplate(name, types, arguments) => {
                self.call_chosen(&name.name, types, arguments, expr.span, false).map(drop)
            }
            A::Comma(first, second) => self.deeper(expr.span, |s| {
                s.discard(first)?;
                s.discard(second)
            }),
            A::Cast(ty, value) if matches!(ty.base, ast::BaseType::Void) => self.discard(value),
            A::Conditional(condition, then, otherwise) => {
                let condition = self.condition(condition)?;
                let (then, a) = self.captured(|s| s.discard(then));
                let (otherwise, b) = self.captured(|s| s.discard(otherwise));
                a.and(b)?;
                self.emit_if(condition, then, otherwise, expr.span);
                Ok(())
            }
            A::Binary(op @ (ast::BinaryOp::LogicAnd | ast::BinaryOp::LogicOr), left, right) => {
                let left = self.condition(left)?;
                let (effects, right) = self.captured(|s| s.discard(right));
                right?;
                let condition = if *op == ast::BinaryOp::LogicAnd { left } else { not(left) };
                self.emit_if(condition, effects, Vec::new(), expr.span);
                Ok(())
            }
            _ => self.value(expr).map(drop),
        }
    }

    /// Appends an `if`, or what is left of it when its condition is a constant or it does nothing.
    pub(super) fn emit_if(&mut self, condition: Expr, then: Vec<Stmt>, otherwise: Vec<Stmt>, span: Span) {
        match super::constants::value_of(&condition).map(ScalarValue::is_true) {
            Some(true) => self.out.extend(then),
            Some(false) => self.out.extend(otherwise),
            None if then.is_empty() && otherwise.is_empty() => {}
            None if then.is_empty() => {
                self.emit(StmtKind::If { condition: not(condition), then: otherwise, otherwise: then }, span)
            }
            None => self.emit(StmtKind::If { condition, then, otherwise }, span),
        }
    }

    /// Any value.
    pub(super) fn value(&mut self, expr: &ast::Expr) -> Lowered<Value> {
        self.deeper(expr.span, |s| s.value_here(expr))
    }

    fn value_here(&mut self, expr: &ast::Expr) -> Lowered<Value> {
        let span = expr.span;
        match &expr.kind {
            A::Int(value, ty) => Ok(Value::Scalar(Expr::int(*value as i64, *ty, span))),
            A::Float(value, Scalar::F32) => Ok(Value::Scalar(constant(ScalarValue::F32(*value as f32), span))),
            A::Float(value, _) => Ok(Value::Scalar(constant(ScalarValue::F64(*value), span))),
            A::Imaginary(value, parts) => Ok(self.imaginary(*value, *parts, span)),
            A::Bool(value) => Ok(Value::Scalar(constant(ScalarValue::Bool(*value), span))),
            A::String(_) => Err(self.error(rules::NOT_IN_OKL, span, "strings are not in the language")),
            A::Name(_) | A::Index(..) | A::Member { .. } | A::Unary(ast::UnaryOp::Deref, _) => {
                let object = self.object(expr)?;
                match object {
                    Object::Local(id) => self.local_pointer(id, span).map(Value::Pointer),
                    other => self.load(other),
                }
            }
            A::Unary(ast::UnaryOp::AddressOf, target) => self.address(target, span),
            A::Unary(op, operand) => self.prefix(*op, operand, span),
            A::Step { increment, prefix, target } => self.step(*increment, !prefix, target, span, true),
            A::Binary(op, left, right) => self.infix(operator(*op), left, right, span),
            A::Assign(op, target, value) => self.assign(*op, target, value, span, true),
            A::Conditional(condition, then, otherwise) => self.conditional(condition, then, otherwise, span),
            A::Call(name, arguments) => self.call(name, arguments, span, true),
            A::CallTemplate(name, types, arguments) => self.call_chosen(&name.name, types, arguments, span, true),
            A::Lambda(_) => Err(self.report(
                Diagnostic::error(rules::LAMBDA, span, "a lambda needs a name")
                    .hint("write `auto name = [=](…) { … };` and call it"),
            )),
            A::Cast(ty, value) => self.cast(ty, value, span),
            A::Construct(ty, parts) => self.construct(ty, parts, span),
            A::SizeofType(ty) => {
                let declared = self.resolve(ty)?;
                let dims: Vec<u32> = declared.dims.iter().flatten().copied().collect();
                let ty = super::types::array_of(declared.element.clone(), &dims);
                self.check_size_known(&ty, span)?;
                let bytes = if declared.pointer.is_some() { 8 } else { self.layout(&ty).0 };
                Ok(Value::Scalar(Expr::int(bytes as i64, Scalar::U64, span)))
            }
            A::SizeofExpr(operand) => self.size_of(operand, span),
            A::Comma(first, second) => {
                self.discard(first)?;
                self.value(second)
            }
            A::Error => Err(Reported),
        }
    }

    fn size_of(&mut self, operand: &ast::Expr, span: Span) -> Lowered<Value> {
        // C does not evaluate the operand: its effects are dropped.
        let (_, object) = self.captured(|s| s.object(operand));
        let bytes = match object? {
            Object::Lvalue(lvalue) => {
                self.check_size_known(&lvalue.ty, span)?;
                self.layout(&lvalue.ty).0
            }
            Object::Value(Value::Scalar(value)) => self.layout(&value.ty).0,
            Object::Value(Value::Vector(vector)) => self.layout(&Type::Struct(vector.id)).0,
            Object::Local(id) => self.pointer_count(id) * 8,
            Object::Value(Value::Pointer(_)) => 8,
            Object::Value(Value::Void) => return Err(self.error(rules::TYPE_MISMATCH, span, "`sizeof` needs a value")),
        };
        Ok(Value::Scalar(Expr::int(bytes as i64, Scalar::U64, span)))
    }

    fn address(&mut self, target: &ast::Expr, span: Span) -> Lowered<Value> {
        match self.object(target)? {
            Object::Lvalue(lvalue) => {
                if matches!(self.body.var(lvalue.root).role, crate::ir::Role::Outer(_) | crate::ir::Role::Inner(_)) {
                    return Err(self.error(
                        rules::NO_ADDRESS,
                        span,
                        "the index of a parallel loop has no address; copy it to a variable",
                    ));
                }
                Ok(Value::Pointer(PointerValue { span, ..self.address_of(lvalue) }))
            }
            Object::Local(_) | Object::Value(Value::Pointer(_)) => Err(self.report(
                Diagnostic::error(rules::NOT_IN_OKL, span, "pointers to pointers are not in the language yet")
                    .hint("pass the pointer itself, and return what it shall be, or an index"),
            )),
            Object::Value(_) => {
                Err(self.error(rules::NO_ADDRESS, span, "only a variable or an element of memory has an address"))
            }
        }
    }

    fn prefix(&mut self, op: ast::UnaryOp, operand: &ast::Expr, span: Span) -> Lowered<Value> {
        match self.value(operand)? {
            value if self.is_vector(&value) => self.vector_prefix(op, value, span),
            value if self.is_complex(&value) => self.complex_prefix(op, value, span),
            Value::Scalar(value) => self.signed(op, value, span).map(Value::Scalar),
            Value::Pointer(pointer) if op == ast::UnaryOp::Not => {
                self.is_not_null(&pointer, span).map(|leads| Value::Scalar(not(leads)))
            }
            Value::Void => Err(self.error(rules::TYPE_MISMATCH, operand.span, "this gives no value")),
            _ => Err(self.error(rules::TYPE_MISMATCH, operand.span, "a number is expected here, not a pointer")),
        }
    }

    /// `-x` and the like of a number.
    pub(super) fn signed(&mut self, op: ast::UnaryOp, value: Expr, span: Span) -> Lowered<Expr> {
        let Some(scalar) = value.ty.scalar() else {
            let name = self.type_name(&value.ty);
            return Err(self.error(
                rules::TYPE_MISMATCH,
                value.span,
                format!("a number is expected here, not `{name}`"),
            ));
        };
        let value = match op {
            ast::UnaryOp::Not => not(truth(value)),
            ast::UnaryOp::Plus => implicit(value, promoted(scalar)),
            ast::UnaryOp::Negate => unary(UnaryOp::Negate, implicit(value, promoted(scalar))),
            ast::UnaryOp::Complement if scalar.is_float() => {
                return Err(self.error(
                    rules::TYPE_MISMATCH,
                    span,
                    format!("`~` needs an integer, not `{}`", scalar.okl_name()),
                ));
            }
            ast::UnaryOp::Complement => unary(UnaryOp::Complement, implicit(value, promoted(scalar))),
            // Both are handled where objects are.
            ast::UnaryOp::Deref | ast::UnaryOp::AddressOf => value,
        };
        Ok(Expr { span, ..value })
    }

    fn infix(&mut self, op: BinaryOp, left: &ast::Expr, right: &ast::Expr, span: Span) -> Lowered<Value> {
        if matches!(op, BinaryOp::LogicAnd | BinaryOp::LogicOr) {
            return self.lazy(op, left, right, span).map(Value::Scalar);
        }
        if let (BinaryOp::Mul, A::Unary(ast::UnaryOp::Deref, _)) = (op, &right.kind) {
            self.factor = Some(right.span);
        }
        // Both sides are looked at even when one is wrong, so that one run reports both.
        let both = |s: &mut Self| (s.value(left), s.value(right));
        let (a, b) = if super::power::is_of_bits(op) { self.among_bits(both) } else { both(self) };
        let (a, b) = (a?, b?);
        if let Some(tested) = self.null_comparison(op, &a, &b, span) {
            return tested;
        }
        match (a, b) {
            (a, b) if self.is_vector(&a) || self.is_vector(&b) => self.vector_arithmetic(op, a, b, span),
            (a, b) if self.is_complex(&a) || self.is_complex(&b) => self.complex_arithmetic(op, a, b, span),
            (Value::Scalar(a), Value::Scalar(b)) => {
                if op == BinaryOp::BitXor {
                    self.warn_of_power(left, right, a.ty.scalar(), span);
                }
                self.arithmetic(op, a, b, span).map(Value::Scalar)
            }
            (Value::Pointer(p), Value::Scalar(index)) if matches!(op, BinaryOp::Add | BinaryOp::Sub) => {
                self.offset_pointer(p, index, op, span).map(Value::Pointer)
            }
            (Value::Scalar(index), Value::Pointer(p)) if op == BinaryOp::Add => {
                self.offset_pointer(p, index, op, span).map(Value::Pointer)
            }
            (Value::Pointer(a), Value::Pointer(b)) if op == BinaryOp::Sub || op.is_comparison() => {
                self.pointer_pair(op, a, b, span).map(Value::Scalar)
            }
            (Value::Void, _) | (_, Value::Void) => {
                Err(self.error(rules::TYPE_MISMATCH, span, "an operand gives no value"))
            }
            _ => Err(self.error(
                rules::TYPE_MISMATCH,
                span,
                format!("`{}` cannot be applied to a pointer here", op.symbol()),
            )),
        }
    }

    /// `&&` and `||`: what the right side does happens only when it is reached.
    fn lazy(&mut self, op: BinaryOp, left: &ast::Expr, right: &ast::Expr, span: Span) -> Lowered<Expr> {
        let left = self.condition(left)?;
        let (mut effects, right) = self.captured(|s| s.condition(right));
        let right = right?;
        if effects.is_empty() {
            return Ok(super::constants::binary(op, left, right, span));
        }
        let guard = |value: Expr| {
            if op == BinaryOp::LogicAnd { value } else { not(value) }
        };
        let result = self.temporary("holds", Scalar::Bool.into(), Some(left), false, span);
        let (set, ()) = self.captured(|s| s.emit_set(result, right, span));
        effects.extend(set);
        let condition = guard(self.read(result, span));
        self.emit_if(condition, effects, Vec::new(), span);
        Ok(self.read(result, span))
    }

    fn conditional(
        &mut self,
        condition: &ast::Expr,
        then: &ast::Expr,
        otherwise: &ast::Expr,
        span: Span,
    ) -> Lowered<Value> {
        let condition = self.condition(condition)?;
        let (mut then_effects, a) = self.captured(|s| s.value(then).and_then(|value| s.settled(value)));
        let (mut else_effects, b) = self.captured(|s| s.value(otherwise).and_then(|value| s.settled(value)));
        let pure = then_effects.is_empty() && else_effects.is_empty();
        match (a?, b?) {
            (Value::Scalar(a), Value::Scalar(b)) => {
                let (a, b) = self.complex_choice((a, b), (&mut then_effects, &mut else_effects), span)?;
                let (a, b) = self.common_type(a, b, span)?;
                if then_effects.is_empty() && else_effects.is_empty() {
                    return Ok(Value::Scalar(select(condition, a, b, span)));
                }
                let chosen = self.temporary("chosen", a.ty.clone(), None, false, span);
                then_effects.extend(self.captured(|s| s.emit_set(chosen, a, span)).0);
                else_effects.extend(self.captured(|s| s.emit_set(chosen, b, span)).0);
                self.emit_if(condition, then_effects, else_effects, span);
                Ok(Value::Scalar(self.read(chosen, span)))
            }
            (Value::Pointer(a), Value::Pointer(b)) if pure => {
                self.select_pointer(condition, a, b, span).map(Value::Pointer)
            }
            (Value::Pointer(_), Value::Pointer(_)) => {
                Err(self.error(rules::TYPE_MISMATCH, span, "a choice between pointers must not have side effects"))
            }
            (Value::Void, Value::Void) => {
                self.emit_if(condition, then_effects, else_effects, span);
                Ok(Value::Void)
            }
            _ => Err(self.error(rules::TYPE_MISMATCH, span, "the two sides of `?:` have different kinds of types")),
        }
    }

    fn common_type(&mut self, a: Expr, b: Expr, span: Span) -> Lowered<(Expr, Expr)> {
        match (a.ty.scalar(), b.ty.scalar()) {
            (Some(x), Some(y)) if x == y && !x.is_storage() => Ok((a, b)),
            (Some(x), Some(y)) => {
                let ty = super::constants::common(x, y);
                Ok((implicit(a, ty), implicit(b, ty)))
            }
            _ if a.ty == b.ty => Ok((a, b)),
            _ => {
                let (a, b) = (self.type_name(&a.ty), self.type_name(&b.ty));
                Err(self.error(rules::TYPE_MISMATCH, span, format!("the two sides of `?:` are `{a}` and `{b}`")))
            }
        }
    }

    fn cast(&mut self, ty: &ast::TypeName, operand: &ast::Expr, span: Span) -> Lowered<Value> {
        let declared = self.resolve(ty)?;
        if declared.pointer.is_some() {
            let p = self.pointer(operand)?;
            if p.pointee != declared.pointee() {
                let (to, from) = (self.type_name(&declared.pointee()), self.type_name(&p.pointee));
                return Err(self.error(
                    rules::POINTER_CAST,
                    span,
                    format!("a pointer to `{from}` cannot be cast to a pointer to `{to}`: memory keeps its type"),
                ));
            }
            if p.is_const && !declared.is_const {
                return Err(self.error(
                    rules::WRITE_TO_CONSTANT,
                    span,
                    "this cast would make constant memory writable",
                ));
            }
            return Ok(Value::Pointer(PointerValue { is_const: declared.is_const, span, ..p }));
        }
        match declared.element {
            Type::Void => {
                self.discard(operand)?;
                Ok(Value::Void)
            }
            Type::Scalar(scalar) if declared.dims.is_empty() => {
                let value = match self.value(operand)? {
                    value if self.is_complex(&value) => self.real_cast(value, scalar, span)?,
                    value => super::constants::convert(self.number_of(value, operand.span)?.0, scalar, false),
                };
                Ok(Value::Scalar(Expr { span, ..value }))
            }
            ty if self.as_vector(&ty).is_some() && declared.dims.is_empty() => self.vector_cast(&ty, operand, span),
            Type::Struct(id) if self.unit.parts_of_complex(id).is_some() && declared.dims.is_empty() => {
                self.complex_cast(id, operand, span)
            }
            _ => {
                let value = self.expr(operand)?;
                let ty = declared.element;
                self.converted(value, &ty, span).map(Value::Scalar)
            }
        }
    }

    /// OpenCL's `(float4)(x, y, z, w)`; of a vector nothing but its own type.
    fn vector_cast(&mut self, ty: &Type, operand: &ast::Expr, span: Span) -> Lowered<Value> {
        let Some((id, _)) = self.as_vector(ty) else { return Err(Reported) };
        let mut parts = Vec::new();
        let mut rest = operand;
        while let A::Comma(before, last) = &rest.kind {
            parts.insert(0, &**last);
            rest = before;
        }
        if !parts.is_empty() {
            parts.insert(0, rest);
            return self.make_vector(id, &parts, span);
        }
        match self.value(operand)? {
            value if self.is_vector(&value) => match self.settled(value)? {
                Value::Scalar(value) => self.converted(value, ty, span).map(Value::Scalar),
                _ => Err(Reported),
            },
            Value::Scalar(number) if number.ty.scalar().is_some() => self.spread_cast(id, number, span),
            _ => Err(self.error(rules::TYPE_MISMATCH, operand.span, "a number or a vector is expected here")),
        }
    }

    /// A constant of a type, for what has no value after an error or at a start.
    pub(super) fn zero_of(&self, scalar: Scalar, span: Span) -> Expr {
        zero(scalar, span)
    }

    /// The expression again, as a plain load of a variable that holds it.
    pub(super) fn held(&mut self, value: Expr, name: &str) -> Expr {
        if matches!(value.kind, ExprKind::Literal(_)) {
            return value;
        }
        // A file has no variables: what is constant is its value there.
        if let (Level::File, Some(known)) = (self.level, evaluate(&value)) {
            return constant(known, value.span);
        }
        let (ty, span) = (value.ty.clone(), value.span);
        let var = self.temporary(name, ty, Some(value), true, span);
        self.read(var, span)
    }

    /// `left op right` under C's conversions, or a finding.
    pub(super) fn arithmetic(&mut self, op: BinaryOp, left: Expr, right: Expr, span: Span) -> Lowered<Expr> {
        let (Some(a), Some(b)) = (left.ty.scalar(), right.ty.scalar()) else {
            let (a, b) = (self.type_name(&left.ty), self.type_name(&right.ty));
            return Err(self.error(
                rules::TYPE_MISMATCH,
                span,
                format!("`{}` cannot be applied to `{a}` and `{b}`", op.symbol()),
            ));
        };
        match super::constants::arithmetic(op, left, right, span) {
            Some(value) => Ok(value),
            None => Err(self.report(
                Diagnostic::error(
                    rules::TYPE_MISMATCH,
                    span,
                    format!("`{}` needs integers, not `{}` and `{}`", op.symbol(), a.okl_name(), b.okl_name()),
                )
                .hint(match op {
                    BinaryOp::Rem => "use `fmod` for floating-point numbers",
                    BinaryOp::BitXor => "`^` is the exclusive or of integers; a power is written `pow(a, b)`",
                    _ => "convert the operands to an integer type",
                }),
            )),
        }
    }
}
