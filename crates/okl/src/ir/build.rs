//! Short ways to make nodes. They carry no span: what a pass makes stands where its surroundings stand.

use super::{
    BinaryOp, Body, Builtin, Expr, ExprKind, Initializer, Literal, Loop, MathFn, Place, Scalar, Stmt, StmtKind, Type,
    UnaryOp, VarId, Variable,
};
use crate::source::Span;

/// A 64-bit integer constant.
pub fn int(value: i64) -> Expr {
    Expr::int(value, Scalar::I64, Span::default())
}

/// `true` or `false`.
pub fn bool(value: bool) -> Expr {
    Expr { kind: ExprKind::Literal(Literal::Bool(value)), ty: Scalar::Bool.into(), span: Span::default() }
}

/// A variable's value.
pub fn load(body: &Body, var: VarId) -> Expr {
    Expr::var(var, body.var(var).ty.clone(), Span::default())
}

/// A builtin value, in the type that the target has for it.
pub fn builtin(builtin: Builtin, ty: Scalar) -> Expr {
    Expr { kind: ExprKind::Builtin(builtin), ty: ty.into(), span: Span::default() }
}

/// `a op b`, of type `ty`.
pub fn binary(op: BinaryOp, a: Expr, b: Expr, ty: Scalar) -> Expr {
    Expr { kind: ExprKind::Binary(op, Box::new(a), Box::new(b)), ty: ty.into(), span: Span::default() }
}

/// `a + b` in 64-bit integers, without what adds nothing.
pub fn add(a: Expr, b: Expr) -> Expr {
    match (a.as_int(), b.as_int()) {
        (Some(0), _) => b,
        (_, Some(0)) => a,
        (Some(x), Some(y)) if x.checked_add(y).is_some() => int(x + y),
        _ => binary(BinaryOp::Add, a, b, Scalar::I64),
    }
}

/// `a - b` in 64-bit integers.
pub fn sub(a: Expr, b: Expr) -> Expr {
    match (a.as_int(), b.as_int()) {
        (_, Some(0)) => a,
        (Some(x), Some(y)) if x.checked_sub(y).is_some() => int(x - y),
        _ => binary(BinaryOp::Sub, a, b, Scalar::I64),
    }
}

/// `a * b` in 64-bit integers.
pub fn mul(a: Expr, b: Expr) -> Expr {
    match (a.as_int(), b.as_int()) {
        (Some(0), _) | (_, Some(0)) => int(0),
        (Some(1), _) => b,
        (_, Some(1)) => a,
        (Some(x), Some(y)) if x.checked_mul(y).is_some() => int(x * y),
        _ => binary(BinaryOp::Mul, a, b, Scalar::I64),
    }
}

/// `a < b` and its like.
pub fn compare(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    binary(op, a, b, Scalar::Bool)
}

/// `!a`, with comparisons of integers negated round.
pub fn not(a: Expr) -> Expr {
    let negated = |op| match op {
        BinaryOp::Eq => Some(BinaryOp::Ne),
        BinaryOp::Ne => Some(BinaryOp::Eq),
        BinaryOp::Lt => Some(BinaryOp::Ge),
        BinaryOp::Ge => Some(BinaryOp::Lt),
        BinaryOp::Gt => Some(BinaryOp::Le),
        BinaryOp::Le => Some(BinaryOp::Gt),
        _ => None,
    };
    match a.kind {
        ExprKind::Literal(Literal::Bool(value)) => bool(!value),
        ExprKind::Unary(UnaryOp::Not, inner) => *inner,
        // With a NaN, `!(x < y)` is not `x >= y`.
        ExprKind::Binary(op, x, y) if negated(op).is_some() && x.ty.scalar().is_some_and(Scalar::is_integer) => {
            let op = negated(op).unwrap_or(op);
            Expr { kind: ExprKind::Binary(op, x, y), ty: a.ty, span: a.span }
        }
        // De Morgan, where it leaves no `!` behind.
        ExprKind::Binary(op @ (BinaryOp::LogicOr | BinaryOp::LogicAnd), x, y)
            if is_negatable(&x) && is_negatable(&y) =>
        {
            let op = if op == BinaryOp::LogicOr { BinaryOp::LogicAnd } else { BinaryOp::LogicOr };
            Expr { kind: ExprKind::Binary(op, Box::new(not(*x)), Box::new(not(*y))), ty: a.ty, span: a.span }
        }
        _ => Expr { ty: Scalar::Bool.into(), span: a.span, kind: ExprKind::Unary(UnaryOp::Not, Box::new(a)) },
    }
}

fn is_negatable(a: &Expr) -> bool {
    match &a.kind {
        ExprKind::Unary(UnaryOp::Not, _) => true,
        ExprKind::Binary(BinaryOp::LogicOr | BinaryOp::LogicAnd, x, y) => is_negatable(x) && is_negatable(y),
        ExprKind::Binary(op, x, _) => op.is_comparison() && x.ty.scalar().is_some_and(Scalar::is_integer),
        _ => false,
    }
}

/// `a && b`
pub fn and(a: Expr, b: Expr) -> Expr {
    binary(BinaryOp::LogicAnd, a, b, Scalar::Bool)
}

/// `condition ? then : otherwise` of operands of one type.
pub fn select(condition: Expr, then: Expr, otherwise: Expr) -> Expr {
    let ty = then.ty.clone();
    let [condition, then, otherwise] = [condition, then, otherwise].map(Box::new);
    Expr { kind: ExprKind::Select(condition, then, otherwise), ty, span: Span::default() }
}

/// The value converted as C does it unasked.
pub fn convert(value: Expr, to: Scalar) -> Expr {
    if value.ty == Type::Scalar(to) {
        return value;
    }
    if let (Some(constant), true) = (value.as_int(), to == Scalar::I64) {
        return Expr::int(constant, to, value.span);
    }
    Expr { span: value.span, kind: ExprKind::Cast { value: Box::new(value), implicit: true }, ty: to.into() }
}

/// The smaller or larger of two 64-bit integers.
pub fn extreme(function: MathFn, a: Expr, b: Expr) -> Expr {
    let arguments = vec![convert(a, Scalar::I64), convert(b, Scalar::I64)];
    Expr { kind: ExprKind::Math(function, arguments), ty: Scalar::I64.into(), span: Span::default() }
}

/// The variable as a place.
pub fn place(body: &Body, var: VarId) -> Place {
    Place { root: var, path: Vec::new(), ty: body.var(var).ty.clone(), span: Span::default() }
}

/// The value of a place.
pub fn load_place(place: Place) -> Expr {
    Expr { ty: place.ty.clone(), span: Span::default(), kind: ExprKind::Load(place) }
}

/// A statement without a span of its own.
pub fn stmt(kind: StmtKind) -> Stmt {
    Stmt { kind, span: Span::default() }
}

/// `ty var = value;`, the value converted to the variable's type.
pub fn declare(body: &Body, var: VarId, value: Expr) -> Stmt {
    let value = match body.var(var).ty {
        Type::Scalar(ty) => convert(value, ty),
        _ => value,
    };
    stmt(StmtKind::Declare { var, init: Some(Initializer::Value(value)) })
}

/// `var = value;`
pub fn assign(body: &Body, var: VarId, value: Expr) -> Stmt {
    stmt(StmtKind::Assign { place: place(body, var), op: None, value })
}

/// `var += step;`
pub fn advance(body: &Body, var: VarId, step: i64) -> Stmt {
    let ty = body.var(var).ty.scalar().unwrap_or(Scalar::I64);
    let (op, step) = if step < 0 { (BinaryOp::Sub, -step) } else { (BinaryOp::Add, step) };
    stmt(StmtKind::Assign { place: place(body, var), op: Some(op), value: Expr::int(step, ty, Span::default()) })
}

/// `if (condition) { then }`, nothing where there is nothing to do.
pub fn when(condition: Expr, then: Vec<Stmt>, otherwise: Vec<Stmt>) -> Option<Stmt> {
    match (then.is_empty(), otherwise.is_empty()) {
        (true, true) => None,
        (true, false) => Some(stmt(StmtKind::If { condition: not(condition), then: otherwise, otherwise: then })),
        _ => Some(stmt(StmtKind::If { condition, then, otherwise })),
    }
}

/// `for (init; condition; update) { body }`
pub fn for_loop(init: Stmt, condition: Expr, update: Stmt, body: Vec<Stmt>) -> Stmt {
    stmt(StmtKind::Loop(Box::new(Loop {
        init: vec![init],
        head: Vec::new(),
        condition: Some(condition),
        update: vec![update],
        body,
        test_last: false,
        unroll: None,
    })))
}

/// A new variable of the compiler's own, of which `hint` says what it is.
pub fn fresh(body: &mut Body, hint: &str, template: Variable) -> VarId {
    body.add_generated(Variable { name: hint.to_owned(), ..template })
}

/// The low 32 bits of an integer as `I32` or `U32`, computed in 32 bits where nothing is lost by it.
pub fn narrow(index: &Expr) -> Expr {
    let ty = index.ty.scalar().unwrap_or(Scalar::I32);
    if ty.bytes() <= 4 {
        return index.clone();
    }
    let signed = |e: &Expr| {
        let low = narrow(e);
        match low.literal() {
            Some(Literal::Int(value)) => Expr::int(i64::from(value as i32), Scalar::I32, e.span),
            _ => convert(low, Scalar::I32),
        }
    };
    match &index.kind {
        ExprKind::Literal(Literal::Int(value)) => Expr::int(i64::from(*value as i32), Scalar::I32, index.span),
        ExprKind::Cast { value, .. } if value.ty.scalar().is_some_and(|s| s.is_integer() && s.bytes() >= 4) => {
            narrow(value)
        }
        ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul), a, b) => {
            binary(*op, signed(a), signed(b), Scalar::I32)
        }
        _ => index.clone(),
    }
}
