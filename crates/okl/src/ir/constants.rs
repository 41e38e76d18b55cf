//! Expressions made of typed parts, folded where all parts are integer constants, and the value of constant expressions.

use super::value::{self, ScalarValue};
use super::{BinaryOp, Expr, ExprKind, Literal, MathFn, Scalar, Type, UnaryOp};
use crate::source::Span;

/// The literal that stands for a value in the IR.
pub(crate) fn literal_of(value: ScalarValue) -> Literal {
    match (value, value.float()) {
        (ScalarValue::Bool(v), _) => Literal::Bool(v),
        (_, Some(v)) => Literal::Float(v),
        // Every integer type's values fit i64 except the upper half of `unsigned long`, whose bits are kept.
        (integer, None) => Literal::Int(integer.integer().unwrap_or(0) as i64),
    }
}

/// A constant expression.
pub(crate) fn constant(value: ScalarValue, span: Span) -> Expr {
    Expr { kind: ExprKind::Literal(literal_of(value)), ty: value.ty().into(), span }
}

/// The scalar type of an expression that is known to be scalar; structs never reach arithmetic.
pub(crate) fn scalar_of(expr: &Expr) -> Scalar {
    expr.ty.scalar().unwrap_or(Scalar::I32)
}

/// The value of a literal expression.
pub(crate) fn value_of(expr: &Expr) -> Option<ScalarValue> {
    Some(ScalarValue::from_literal(expr.literal()?, expr.ty.scalar()?))
}

/// `value` converted to `to`; nothing where it has that type, the constant where it is one.
pub(crate) fn convert(value: Expr, to: Scalar, implicit: bool) -> Expr {
    if value.ty == Type::Scalar(to) {
        return value;
    }
    let span = value.span;
    if let Some(Ok(folded)) = evaluate(&value).map(|v| v.cast(to)) {
        return constant(folded, span);
    }
    Expr { kind: ExprKind::Cast { value: Box::new(value), implicit }, ty: to.into(), span }
}

/// A prefix operator on an operand that already has the operator's type.
pub(crate) fn unary(op: UnaryOp, value: Expr) -> Expr {
    let span = value.span;
    if let Some(Ok(folded)) = value_of(&value).map(|v| v.unary(op)) {
        return constant(folded, span);
    }
    let ty = if op == UnaryOp::Not { Scalar::Bool.into() } else { value.ty.clone() };
    Expr { kind: ExprKind::Unary(op, Box::new(value)), ty, span }
}

/// An infix operator on operands that already have the operator's operand types.
pub(crate) fn binary(op: BinaryOp, left: Expr, right: Expr, span: Span) -> Expr {
    let result = match op {
        BinaryOp::LogicAnd | BinaryOp::LogicOr => return logic(op, left, right, span),
        _ if op.is_comparison() => Scalar::Bool,
        _ => scalar_of(&left),
    };
    if let (Some(a), Some(b)) = (value_of(&left), value_of(&right)) {
        // What floats add up to is left to the target's compiler, which folds it as it computes it.
        if (!a.ty().is_float() || op.is_comparison())
            && let Ok(folded) = a.binary(op, b)
        {
            return constant(folded, span);
        }
    }
    if op.is_comparison() {
        let mirrored = narrowed(op, &left, &right, span).or_else(|| narrowed(op.mirrored(), &right, &left, span));
        if let Some(narrow) = mirrored {
            return narrow;
        }
    }
    Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), ty: result.into(), span }
}

/// A comparison of an integer that was widened with a constant, in the narrow type: less work, and Mesa's software
/// driver gets the wide one wrong. A constant beyond the narrow type decides it.
fn narrowed(op: BinaryOp, left: &Expr, right: &Expr, span: Span) -> Option<Expr> {
    let ExprKind::Cast { value, implicit: true } = &left.kind else { return None };
    let (given, wide) = (value.ty.scalar()?, left.ty.scalar()?);
    let narrow = given.computes_as();
    let widens = given.is_integer() && wide.is_integer() && narrow.bytes() < wide.bytes();
    if !widens || given.is_signed() && !wide.is_signed() {
        return None;
    }
    let constant_value = value_of(right)?.integer()?;
    let in_narrow = ScalarValue::I64(i64::try_from(constant_value).ok()?).cast(narrow).ok();
    match in_narrow.filter(|narrow| narrow.integer() == Some(constant_value)) {
        Some(literal) => {
            let kind = ExprKind::Binary(
                op,
                Box::new(convert((**value).clone(), narrow, true)),
                Box::new(constant(literal, right.span)),
            );
            Some(Expr { kind, ty: Scalar::Bool.into(), span })
        }
        None => {
            let is_below = constant_value > 0;
            let holds = match op {
                BinaryOp::Lt | BinaryOp::Le => is_below,
                BinaryOp::Gt | BinaryOp::Ge => !is_below,
                _ => op == BinaryOp::Ne,
            };
            Some(constant(ScalarValue::Bool(holds), span))
        }
    }
}

fn logic(op: BinaryOp, left: Expr, right: Expr, span: Span) -> Expr {
    let decided = op == BinaryOp::LogicOr;
    if let Some(value) = value_of(&left) {
        // The right side is pure and not evaluated by C either.
        return if value.is_true() == decided { Expr { span, ..left } } else { right };
    }
    if value_of(&right).is_some_and(|value| value.is_true() != decided) {
        return left;
    }
    Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), ty: Scalar::Bool.into(), span }
}

/// `condition ? then : otherwise` of operands of one type.
pub(crate) fn select(condition: Expr, then: Expr, otherwise: Expr, span: Span) -> Expr {
    if let Some(value) = evaluate(&condition) {
        return if value.is_true() { then } else { otherwise };
    }
    let ty = then.ty.clone();
    Expr { kind: ExprKind::Select(Box::new(condition), Box::new(then), Box::new(otherwise)), ty, span }
}

/// A built-in function of arguments that have the type that it works in.
pub(crate) fn math(function: MathFn, arguments: Vec<Expr>, span: Span) -> Expr {
    let ty = arguments.first().map_or(Scalar::F64, |operand| function.result(scalar_of(operand)));
    let values: Option<Vec<_>> = arguments.iter().map(value_of).collect();
    // Of floats' bits too: no text of WGSL may have a `bitcast` that gives an infinity.
    if let (true, Some(values)) = (ty.is_integer() || function == MathFn::FromBits, values)
        && let Ok(folded) = value::math(function, &values)
    {
        return constant(folded, span);
    }
    Expr { kind: ExprKind::Math(function, arguments), ty: ty.into(), span }
}

/// The value of a constant expression, floats included; `None` where it reads a variable, calls a function of the
/// user or has no value.
pub(crate) fn evaluate(expr: &Expr) -> Option<ScalarValue> {
    let ty = expr.ty.scalar()?;
    match &expr.kind {
        ExprKind::Literal(literal) => Some(ScalarValue::from_literal(*literal, ty)),
        ExprKind::Unary(op, a) => evaluate(a)?.unary(*op).ok(),
        ExprKind::Cast { value, .. } => evaluate(value)?.cast(ty).ok(),
        ExprKind::Binary(BinaryOp::LogicAnd, a, b) => {
            if evaluate(a)?.is_true() {
                evaluate(b)
            } else {
                Some(ScalarValue::Bool(false))
            }
        }
        ExprKind::Binary(BinaryOp::LogicOr, a, b) => {
            if evaluate(a)?.is_true() {
                Some(ScalarValue::Bool(true))
            } else {
                evaluate(b)
            }
        }
        ExprKind::Binary(op, a, b) => evaluate(a)?.binary(*op, evaluate(b)?).ok(),
        ExprKind::Select(c, a, b) => {
            if evaluate(c)?.is_true() {
                evaluate(a)
            } else {
                evaluate(b)
            }
        }
        ExprKind::Math(function, arguments) => {
            // The others differ in the last bits from one machine to the next; a constant must not.
            if value::tolerance_ulp(*function) > 0 {
                return None;
            }
            let values: Option<Vec<_>> = arguments.iter().map(evaluate).collect();
            value::math(*function, &values?).ok()
        }
        ExprKind::Load(_) | ExprKind::Call(..) | ExprKind::Builtin(_) => None,
    }
}
