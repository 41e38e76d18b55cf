//! Values of expressions.

use super::fault::FaultKind;
use super::layout::size_of;
use super::machine::{Frame, Machine, Result, Value, indices};
use super::memory::Pointer;
use super::race::Kind;
use crate::ir::value::{self, ScalarValue};
use crate::ir::{
    Argument, BinaryOp, Builtin, Expr, ExprKind, FunctionId, Literal, MathFn, Role, Scalar, Type, UnaryOp, bytes_of,
};

impl<'a> Machine<'a> {
    /// The value of a scalar expression.
    pub(super) fn scalar(&mut self, frame: &Frame<'a>, expr: &'a Expr) -> Result<ScalarValue> {
        self.enter(expr.span)?;
        let value = self.scalar_inner(frame, expr)?;
        self.depth -= 1;
        if expr.ty != Type::Scalar(value.ty()) {
            return self.fault(FaultKind::Invalid("an expression's type is not that of its value"), expr.span);
        }
        Ok(value)
    }

    // One call per arm: in a build without optimisation a frame holds the temporaries of all arms.
    fn scalar_inner(&mut self, frame: &Frame<'a>, expr: &'a Expr) -> Result<ScalarValue> {
        match &expr.kind {
            ExprKind::Literal(literal) => self.literal(*literal, expr),
            ExprKind::Load(place) => self.load_scalar(frame, place),
            ExprKind::Unary(op, a) => self.unary(frame, *op, a, expr),
            ExprKind::Binary(op, a, b) => self.binary(frame, *op, a, b, expr),
            ExprKind::Cast { value, .. } => self.cast(frame, value, expr),
            ExprKind::Select(condition, then, otherwise) => self.select(frame, condition, then, otherwise),
            ExprKind::Math(function, arguments) => self.math(frame, *function, arguments, expr),
            ExprKind::Call(function, arguments) => self.scalar_call(frame, *function, arguments, expr),
            ExprKind::Builtin(builtin) => self.builtin(frame, *builtin, expr),
        }
    }

    /// What a launch gives to threads and loops.
    fn builtin(&self, frame: &Frame<'a>, builtin: Builtin, expr: &'a Expr) -> Result<ScalarValue> {
        let along = |axis: u8, numbers: [u64; 3]| numbers.get(usize::from(axis)).copied();
        let value = match builtin {
            Builtin::Item(axis) => self.at.item.and_then(|item| along(axis, indices(u64::from(item), self.at.inner))),
            Builtin::Group(axis) => along(axis, indices(u64::from(self.at.group), self.at.outer)),
            Builtin::RangeBegin => Some(self.at.range[0]),
            Builtin::RangeEnd => Some(self.at.range[1]),
            Builtin::GroupCount(axis) => along(axis, self.at.outer),
            Builtin::ItemCount(axis) => along(axis, self.at.inner),
            // An argument begins where its slice does.
            Builtin::Start(_) => Some(0),
            Builtin::Length(position) => self.elements(frame, position),
            Builtin::NextGroup => self.at.next,
            Builtin::GroupEnd => self.at.next.map(|_| self.at.outer[0]),
        };
        match (value.and_then(|value| i64::try_from(value).ok()), expr.ty.scalar()) {
            (Some(value), Some(ty)) => self.trap(ScalarValue::I64(value).cast(ty), expr.span),
            _ => self.fault(FaultKind::Invalid("a builtin value that is not known here"), expr.span),
        }
    }

    /// Elements of what a pointer parameter of the kernel points to.
    fn elements(&self, frame: &Frame<'a>, position: u32) -> Option<u64> {
        let param = frame.body.vars.iter().find(|var| var.role == Role::Param(position))?;
        let Type::Pointer(pointer) = &param.ty else { return None };
        let Pointer { lo, hi, .. } = self.pointers.get(position as usize)?;
        u64::try_from(hi - lo).ok()?.checked_div(bytes_of(self.module, &pointer.element))
    }

    fn literal(&self, literal: Literal, expr: &'a Expr) -> Result<ScalarValue> {
        match expr.ty {
            Type::Scalar(ty) => Ok(ScalarValue::from_literal(literal, ty)),
            _ => self.fault(FaultKind::Invalid("a literal that is no scalar"), expr.span),
        }
    }

    fn unary(&mut self, frame: &Frame<'a>, op: UnaryOp, a: &'a Expr, expr: &'a Expr) -> Result<ScalarValue> {
        let a = self.scalar(frame, a)?;
        self.computed(a.unary(op), "-", &[a], expr.span)
    }

    fn binary(
        &mut self,
        frame: &Frame<'a>,
        op: BinaryOp,
        a: &'a Expr,
        b: &'a Expr,
        expr: &'a Expr,
    ) -> Result<ScalarValue> {
        let first = self.scalar(frame, a)?;
        match op {
            BinaryOp::LogicAnd if !first.is_true() => return Ok(ScalarValue::Bool(false)),
            BinaryOp::LogicOr if first.is_true() => return Ok(ScalarValue::Bool(true)),
            _ => {}
        }
        let second = self.scalar(frame, b)?;
        match op {
            BinaryOp::LogicAnd | BinaryOp::LogicOr => Ok(ScalarValue::Bool(second.is_true())),
            _ => self.computed(first.binary(op, second), op.symbol(), &[first, second], expr.span),
        }
    }

    fn cast(&mut self, frame: &Frame<'a>, value: &'a Expr, expr: &'a Expr) -> Result<ScalarValue> {
        let value = self.scalar(frame, value)?;
        let ty = expr.ty.scalar().unwrap_or(value.ty());
        match value.cast(ty) {
            // The one conversion between computed floats that can lose a finite value.
            cast if ty == Scalar::F32 => self.computed(cast, "(float)", &[value], expr.span),
            Ok(cast) => Ok(cast),
            cast => self.computed(cast, &format!("({})", ty.okl_name()), &[value], expr.span),
        }
    }

    fn select(
        &mut self,
        frame: &Frame<'a>,
        condition: &'a Expr,
        then: &'a Expr,
        otherwise: &'a Expr,
    ) -> Result<ScalarValue> {
        let branch = if self.condition(frame, condition)? { then } else { otherwise };
        self.scalar(frame, branch)
    }

    fn scalar_call(
        &mut self,
        frame: &Frame<'a>,
        function: FunctionId,
        arguments: &'a [Argument],
        expr: &'a Expr,
    ) -> Result<ScalarValue> {
        match self.call(frame, function, arguments, expr.span)? {
            Some(Value::Scalar(value)) => Ok(value),
            _ => self.fault(FaultKind::Invalid("the call gives no scalar"), expr.span),
        }
    }

    pub(super) fn condition(&mut self, frame: &Frame<'a>, expr: &'a Expr) -> Result<bool> {
        Ok(self.scalar(frame, expr)?.is_true())
    }

    fn math(
        &mut self,
        frame: &Frame<'a>,
        function: MathFn,
        arguments: &'a [Expr],
        expr: &'a Expr,
    ) -> Result<ScalarValue> {
        let mut values = [ScalarValue::Bool(false); 3];
        let Some(values) = values.get_mut(..arguments.len()) else {
            return self.fault(FaultKind::Invalid("a function with more than three arguments"), expr.span);
        };
        for (value, argument) in values.iter_mut().zip(arguments) {
            *value = self.scalar(frame, argument)?;
        }
        self.report.tolerance_ulp = self.report.tolerance_ulp.max(value::tolerance_ulp(function));
        let value = self.computed(value::math(function, values), function.name(), values, expr.span)?;
        // C's `isnan` is an `int`, ours a `Bool`; the expression says which is meant.
        let ty = expr.ty.scalar().unwrap_or(value.ty());
        self.trap(value.cast(ty), expr.span)
    }

    /// The value of any expression.
    pub(super) fn value(&mut self, frame: &Frame<'a>, expr: &'a Expr) -> Result<Value> {
        if !matches!(expr.ty, Type::Struct(_)) {
            return self.scalar(frame, expr).map(Value::Scalar);
        }
        self.enter(expr.span)?;
        let value = match &expr.kind {
            ExprKind::Load(place) => {
                let pointer = self.resolve(frame, place)?;
                let bytes = size_of(&place.ty, self.module);
                self.touch(frame, place, &pointer, bytes, Kind::Read)?;
                let written = self.memory.written(&pointer, bytes).map(<[bool]>::to_vec);
                Value::Struct(self.memory.read(&pointer, bytes).to_vec(), written)
            }
            ExprKind::Select(condition, then, otherwise) => {
                let branch = if self.condition(frame, condition)? { then } else { otherwise };
                self.value(frame, branch)?
            }
            ExprKind::Call(function, arguments) => match self.call(frame, *function, arguments, expr.span)? {
                Some(value) => value,
                None => {
                    return self.fault(FaultKind::Invalid("the call gives no struct"), expr.span);
                }
            },
            _ => return self.fault(FaultKind::Invalid("an operator on structs"), expr.span),
        };
        self.depth -= 1;
        Ok(value)
    }
}
