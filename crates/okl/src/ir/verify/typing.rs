//! Rules 2 to 4 of the IR: expressions and places have the types that they say.

use crate::ir::value::ScalarValue;
use crate::ir::{
    Argument, BinaryOp, Body, Builtin, Dialect, Expr, ExprKind, Function, Literal, MathFn, Module, Place, Projection,
    Role, Scalar, Type, UnaryOp, Variable,
};

/// What an expression is checked against.
pub(super) struct Typing<'m> {
    pub(super) module: &'m Module,
    pub(super) body: &'m Body,
    /// Functions that may be called: those before the one that is checked, or all of them.
    pub(super) callable: usize,
    /// The builtin values that there are.
    pub(super) dialect: Dialect,
}

/// A rule that does not hold.
pub(super) type Checked = Result<(), String>;

pub(super) fn ensure(holds: bool, rule: impl FnOnce() -> String) -> Checked {
    if holds { Ok(()) } else { Err(rule()) }
}

pub(super) fn promoted(scalar: Scalar) -> bool {
    scalar.computes_as() == scalar
}

impl<'m> Typing<'m> {
    /// The same for another walk.
    pub(super) fn again(&self) -> Typing<'m> {
        Typing { module: self.module, body: self.body, callable: self.callable, dialect: self.dialect }
    }

    fn scalar(&self, expr: &Expr) -> Result<Scalar, String> {
        expr.ty.scalar().ok_or_else(|| format!("a scalar is expected, not {:?}", expr.ty))
    }

    /// Checks an expression and all below it.
    pub(super) fn expr(&self, expr: &Expr) -> Checked {
        match &expr.kind {
            ExprKind::Literal(literal) => self::literal(*literal, self.scalar(expr)?),
            ExprKind::Load(place) => {
                self.place(place)?;
                ensure(matches!(place.ty, Type::Scalar(_) | Type::Struct(_)), || "a load of an array".into())?;
                ensure(place.ty == expr.ty, || format!("a load of {:?} has type {:?}", place.ty, expr.ty))
            }
            ExprKind::Unary(op, a) => {
                self.expr(a)?;
                let (own, operand) = (self.scalar(expr)?, self.scalar(a)?);
                let holds = match op {
                    UnaryOp::Not => own == Scalar::Bool && operand == Scalar::Bool,
                    UnaryOp::Negate => own == operand && promoted(own),
                    UnaryOp::Complement => own == operand && promoted(own) && own.is_integer(),
                };
                ensure(holds, || format!("{op:?} of {operand:?} has type {own:?}"))
            }
            ExprKind::Binary(op, a, b) => {
                self.expr(a)?;
                self.expr(b)?;
                binary(*op, self.scalar(a)?, self.scalar(b)?, self.scalar(expr)?)
            }
            ExprKind::Cast { value, .. } => {
                self.expr(value)?;
                let (from, to) = (self.scalar(value)?, self.scalar(expr)?);
                ensure(from != to, || format!("a cast of {from:?} to itself"))
            }
            ExprKind::Select(condition, a, b) => {
                self.condition(condition)?;
                self.expr(a)?;
                self.expr(b)?;
                ensure(a.ty == expr.ty && b.ty == expr.ty, || "the sides of a selection differ in type".into())
            }
            ExprKind::Math(function, arguments) => self.math(*function, arguments, self.scalar(expr)?),
            ExprKind::Builtin(Builtin::Length(position)) => {
                // Whether the host asks is seen where its statements are checked.
                let (role, scalar) = (Role::Param(*position), self.scalar(expr)?);
                let is_pointer = |v: &Variable| v.role == role && matches!(v.ty, Type::Pointer(_));
                let holds = self.body.vars.iter().any(is_pointer) && matches!(scalar, Scalar::I32 | Scalar::I64);
                ensure(holds, || format!("the length of parameter {position} as {scalar:?}"))
            }
            ExprKind::Builtin(builtin) => {
                let of_loops = matches!(
                    builtin,
                    Builtin::RangeBegin | Builtin::RangeEnd | Builtin::GroupCount(_) | Builtin::ItemCount(_)
                );
                let dialect = if of_loops { Dialect::Looped } else { Dialect::Simt };
                ensure(self.dialect == dialect, || format!("{builtin:?} in {:?} IR", self.dialect))?;
                let scalar = self.scalar(expr)?;
                // A target has its own types for the numbers of threads.
                let holds = scalar == Scalar::I64 || !of_loops && matches!(scalar, Scalar::I32 | Scalar::U32);
                ensure(holds, || format!("{builtin:?} has type {:?}", expr.ty))
            }
            ExprKind::Call(id, arguments) => {
                let function = self.function(id.0)?;
                ensure(function.is_pure, || format!("an expression calls `{}`, which writes memory", function.name))?;
                ensure(function.result == expr.ty, || {
                    format!("a call of `{}` has another type than its result", function.name)
                })?;
                self.arguments(function, arguments)
            }
        }
    }

    /// Checks a condition.
    pub(super) fn condition(&self, expr: &Expr) -> Checked {
        self.expr(expr)?;
        ensure(expr.ty == Type::Scalar(Scalar::Bool), || format!("a condition has type {:?}", expr.ty))
    }

    fn math(&self, function: MathFn, arguments: &[Expr], own: Scalar) -> Checked {
        ensure(arguments.len() == function.arity(), || {
            format!("`{}` has {} arguments", function.name(), arguments.len())
        })?;
        arguments.iter().try_for_each(|a| self.expr(a))?;
        let types = arguments.iter().map(|a| self.scalar(a)).collect::<Result<Vec<_>, _>>()?;
        let first = types.first().copied().unwrap_or(own);
        let wants_float = !function.is_of_integers();
        let wants_bits = function.is_of_bits();
        let holds = types.iter().all(|ty| *ty == first)
            && first.is_float() == wants_float
            && promoted(first)
            && own == function.result(first);
        let holds = holds && (!wants_bits || !first.is_signed());
        ensure(holds, || format!("`{}` of {types:?} has type {own:?}", function.name()))
    }

    /// The function behind an id, where it may be called here.
    pub(super) fn function(&self, id: u32) -> Result<&Function, String> {
        let function = self.module.functions.get(id as usize).filter(|_| (id as usize) < self.callable);
        function.ok_or_else(|| format!("function {id} does not exist or comes later"))
    }

    /// Checks the arguments of a call.
    pub(super) fn arguments(&self, function: &Function, arguments: &[Argument]) -> Checked {
        ensure(function.params.len() == arguments.len(), || {
            format!("a call of `{}` has {} arguments", function.name, arguments.len())
        })?;
        for (param, argument) in function.params.iter().zip(arguments) {
            let expected = &function.body.var(*param).ty;
            match (expected, argument) {
                (Type::Pointer(p), Argument::Pointer(place)) => {
                    self.path(place)?;
                    ensure(place.ty == *p.element, || format!("`{}` gets a pointer to {:?}", function.name, place.ty))?;
                }
                (Type::Pointer(_), Argument::Value(_)) | (_, Argument::Pointer(_)) => {
                    return Err(format!("an argument of `{}` is a pointer on one side only", function.name));
                }
                (_, Argument::Value(value)) => {
                    self.expr(value)?;
                    ensure(value.ty == *expected, || {
                        format!("`{}` gets {:?} for {expected:?}", function.name, value.ty)
                    })?;
                }
            }
        }
        Ok(())
    }

    /// Checks a place, whose path must lead to what it says.
    pub(super) fn place(&self, place: &Place) -> Checked {
        let leads = self.path(place)?;
        ensure(leads == place.ty, || format!("the path of {place:?} leads to {leads:?}"))
    }

    /// The type that a path leads to.
    fn path(&self, place: &Place) -> Result<Type, String> {
        let root = self.body.vars.get(place.root.0 as usize).ok_or("a variable that does not exist")?;
        let mut ty = root.ty.clone();
        for projection in &place.path {
            ty = match (projection, ty) {
                (Projection::Field(number), Type::Struct(id)) => {
                    let of = self.module.structs.get(id.0 as usize).ok_or("a struct that does not exist")?;
                    of.fields.get(*number as usize).ok_or("a field that does not exist")?.ty.clone()
                }
                (Projection::Index(index), Type::Array(element, dims)) => {
                    self.subscript(index)?;
                    if dims.len() > 1 { Type::Array(element, dims[1..].to_vec()) } else { *element }
                }
                (Projection::Index(index), Type::Pointer(p)) => {
                    self.subscript(index)?;
                    if p.dims.is_empty() { *p.element } else { Type::Array(p.element, p.dims) }
                }
                (Projection::Flat(offset), Type::Array(element, _)) => {
                    self.subscript(offset)?;
                    *element
                }
                (Projection::Flat(offset), Type::Pointer(p)) => {
                    self.subscript(offset)?;
                    *p.element
                }
                (projection, ty) => return Err(format!("{projection:?} into {ty:?}")),
            };
        }
        Ok(ty)
    }

    fn subscript(&self, index: &Expr) -> Checked {
        self.expr(index)?;
        let scalar = self.scalar(index)?;
        ensure(scalar.is_integer() && promoted(scalar), || format!("a subscript has type {scalar:?}"))
    }
}

/// Whether a constant is one of a type.
pub(super) fn literal(literal: Literal, scalar: Scalar) -> Checked {
    let held = ScalarValue::from_literal(literal, scalar);
    let holds = match literal {
        Literal::Bool(_) => scalar == Scalar::Bool,
        Literal::Int(_) if scalar == Scalar::Bool || scalar.is_float() => false,
        // A literal holds the bits of 64-bit integers.
        Literal::Int(value) => scalar.bytes() == 8 || held.integer() == Some(i128::from(value)),
        Literal::Float(value) => held.float().is_some_and(|held| value.is_nan() || held == value),
    };
    ensure(holds, || format!("{literal:?} is no {scalar:?}"))
}

/// Whether an operator is legal on operands of these types.
pub(super) fn binary(op: BinaryOp, a: Scalar, b: Scalar, own: Scalar) -> Checked {
    let holds = match op {
        BinaryOp::LogicAnd | BinaryOp::LogicOr => [a, b, own] == [Scalar::Bool; 3],
        BinaryOp::Shl | BinaryOp::Shr => a == own && promoted(a) && promoted(b) && a.is_integer() && b.is_integer(),
        _ if op.is_comparison() => a == b && own == Scalar::Bool && promoted(a),
        BinaryOp::Rem | BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => {
            a == b && a == own && promoted(a) && a.is_integer()
        }
        _ => a == b && a == own && promoted(a),
    };
    ensure(holds, || format!("{a:?} {} {b:?} has type {own:?}", op.symbol()))
}
