//! Assignments, `+=` and friends, `++` and `--`, as statements and as values.

use super::constants::{constant, convert, implicit, promoted};
use super::context::Lowering;
use super::expr::{Value, operator};
use super::local_pointer::PointerId;
use super::place::{Lvalue, Object};
use super::{Lowered, Reported};
use crate::diagnostic::Diagnostic;
use crate::front::ast;
use crate::ir::value::ScalarValue;
use crate::ir::{BinaryOp, Expr, ExprKind, Place, Scalar, StmtKind, Type};
use crate::rules;
use crate::source::Span;

impl Lowering<'_, '_> {
    /// `target = value` or `target op= value`; where its value is not wanted, the result means nothing.
    pub(super) fn assign(
        &mut self,
        op: Option<ast::BinaryOp>,
        target: &ast::Expr,
        value: &ast::Expr,
        span: Span,
        wanted: bool,
    ) -> Lowered<Value> {
        // Both sides are looked at even when one is wrong, so that one run reports both.
        let value_result = self.value(value);
        let object = self.object(target)?;
        let new = value_result?;
        let (new, op) = match (&object, op.map(operator)) {
            // Vectors are stored as a whole: what is computed is put together before anything is written.
            (Object::Lvalue(lvalue), Some(op)) if self.as_vector(&lvalue.ty).is_some() => {
                let old = self.load(Object::Lvalue(lvalue.clone()))?;
                let new = self.vector_arithmetic(op, old, new, span)?;
                (self.settled(new)?, None)
            }
            (Object::Lvalue(lvalue), Some(op)) if self.as_complex(&lvalue.ty).is_some() => {
                let old = self.load(Object::Lvalue(lvalue.clone()))?;
                let new = self.complex_arithmetic(op, old, new, span)?;
                (self.settled(new)?, None)
            }
            (_, op) => (self.settled(new)?, op),
        };
        match (object, new, op) {
            (Object::Local(id), Value::Pointer(new), None) => {
                self.assign_pointer(id, new, span)?;
                self.local_pointer(id, span).map(Value::Pointer)
            }
            (Object::Local(id), Value::Scalar(index), Some(op @ (BinaryOp::Add | BinaryOp::Sub))) => {
                self.move_pointer(id, index, op, span)?;
                self.local_pointer(id, span).map(Value::Pointer)
            }
            (Object::Lvalue(lvalue), Value::Scalar(new), op) => {
                self.assign_number(lvalue, op, new, (span, value.span), wanted)
            }
            (object, _, _) => Err(self.not_assignable(&object, target.span, value.span)),
        }
    }

    fn assign_number(
        &mut self,
        lvalue: Lvalue,
        op: Option<BinaryOp>,
        new: Expr,
        (span, value_span): (Span, Span),
        wanted: bool,
    ) -> Lowered<Value> {
        if let Some(op) = op {
            self.update(&lvalue, op, new, span)?;
            return self.load(Object::Lvalue(lvalue));
        }
        let new = self.converted(new, &lvalue.ty.clone(), value_span)?;
        if !wanted || lvalue.path.is_empty() {
            self.store(&lvalue, None, new, span)?;
            return self.load(Object::Lvalue(lvalue));
        }
        // Memory is not read back: another item may have written it since.
        let new = self.held(new, "value");
        self.store(&lvalue, None, new.clone(), span)?;
        Ok(Value::Scalar(new))
    }

    fn not_assignable(&mut self, object: &Object, target: Span, value: Span) -> Reported {
        let message = match object {
            Object::Lvalue(lvalue) if matches!(lvalue.ty, Type::Array(..)) => {
                return self.error(
                    rules::TYPE_MISMATCH,
                    target.to(value),
                    "an array cannot be assigned; assign its elements",
                );
            }
            Object::Lvalue(_) => {
                return self.error(rules::TYPE_MISMATCH, value, "a number is expected here, not a pointer");
            }
            Object::Local(_) => "a pointer is expected on the right side",
            Object::Value(_) => "only a variable or an element of memory can be assigned",
        };
        self.error(rules::NO_ADDRESS, target, message)
    }

    /// `place = value`, or `place op= value` where the operation works in the place's own type.
    pub(super) fn store(&mut self, target: &Lvalue, op: Option<BinaryOp>, value: Expr, span: Span) -> Lowered<()> {
        if matches!(target.ty, Type::Array(..)) {
            return Err(self.error(rules::TYPE_MISMATCH, span, "an array cannot be assigned; assign its elements"));
        }
        self.check_write(target)?;
        self.copy_pointers(target, &value, span)?;
        self.emit(StmtKind::Assign { place: target.clone().place(), op, value }, span);
        Ok(())
    }

    /// `place op= value` under C's conversions.
    pub(super) fn update(&mut self, target: &Lvalue, op: BinaryOp, value: Expr, span: Span) -> Lowered<()> {
        let (Some(own), Some(other)) = (target.ty.scalar(), value.ty.scalar()) else {
            let (a, b) = (self.type_name(&target.ty), self.type_name(&value.ty));
            return Err(self.error(
                rules::TYPE_MISMATCH,
                span,
                format!("`{}=` cannot be applied to `{a}` and `{b}`", op.symbol()),
            ));
        };
        self.check_read(target.root, span)?;
        let is_shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
        let ty = if is_shift { promoted(own) } else { super::constants::common(own, other) };
        let exists = !own.is_float() || matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div);
        if ty == own && exists && !(is_shift && other.is_float()) {
            let value = implicit(value, if is_shift { promoted(other) } else { own });
            return self.store(target, Some(op), value, span);
        }
        let old = self.load_place(target);
        let new = self.arithmetic(op, old, value, span)?;
        self.store(target, None, implicit(new, own), span)
    }

    /// The value of a scalar or struct object, whose level was checked before.
    pub(super) fn load_place(&self, target: &Lvalue) -> Expr {
        Expr { kind: ExprKind::Load(target.clone().place()), ty: target.ty.clone(), span: target.span }
    }

    /// `++`, `--`. The value is the old one for `x++`, the new one for `++x`.
    pub(super) fn step(
        &mut self,
        increment: bool,
        postfix: bool,
        target: &ast::Expr,
        span: Span,
        wanted: bool,
    ) -> Lowered<Value> {
        let op = if increment { BinaryOp::Add } else { BinaryOp::Sub };
        let lvalue = match self.object(target)? {
            Object::Local(id) => return self.step_pointer(id, op, postfix, span, wanted),
            Object::Lvalue(lvalue) => lvalue,
            Object::Value(_) => {
                let message = "only a variable or an element of memory can be stepped";
                return Err(self.error(rules::NO_ADDRESS, span, message));
            }
        };
        let Some(scalar) = lvalue.ty.scalar() else {
            let (name, sign) = (self.type_name(&lvalue.ty), if increment { "+" } else { "-" });
            let message = format!("`{sign}{sign}` cannot be applied to `{name}`");
            let is_complex = self.as_complex(&lvalue.ty).is_some();
            let rule = if is_complex { rules::COMPLEX } else { rules::TYPE_MISMATCH };
            let finding = Diagnostic::error(rule, span, message);
            let hint = format!("write `z {sign}= 1`");
            return Err(self.report(if is_complex { finding.hint(hint) } else { finding }));
        };
        if scalar == Scalar::Bool {
            return Err(self.error(rules::TYPE_MISMATCH, span, "a `bool` cannot be counted; assign `true` or `false`"));
        }
        self.check_read(lvalue.root, span)?;
        let old = if wanted && postfix {
            let value = self.load_place(&lvalue);
            Some(self.held(value, "before"))
        } else {
            None
        };
        let one = if scalar.is_float() { ScalarValue::F64(1.0) } else { ScalarValue::I32(1) };
        let one = convert(constant(one, span), promoted(scalar), true);
        self.update(&lvalue, op, one, span)?;
        match old {
            Some(old) => Ok(Value::Scalar(old)),
            None if wanted && !lvalue.path.is_empty() => {
                let value = self.load_place(&lvalue);
                Ok(Value::Scalar(self.held(value, "value")))
            }
            None => Ok(Value::Scalar(self.load_place(&lvalue))),
        }
    }

    fn step_pointer(&mut self, id: PointerId, op: BinaryOp, postfix: bool, span: Span, wanted: bool) -> Lowered<Value> {
        let mut old = self.local_pointer(id, span)?;
        if wanted && postfix {
            old = self.keep_offset(old, "before");
        }
        self.move_pointer(id, Expr::int(1, Scalar::I32, span), op, span)?;
        if postfix { Ok(Value::Pointer(old)) } else { self.local_pointer(id, span).map(Value::Pointer) }
    }

    /// A place as it is, for statements that the compiler makes.
    pub(super) fn whole(&self, var: crate::ir::VarId, span: Span) -> Place {
        Place { root: var, path: Vec::new(), ty: self.body.var(var).ty.clone(), span }
    }
}
