//! Expressions: every operation becomes a line of its own, in the order in which the IR evaluates them.

use super::body::{Body, Home};
use super::c_type;
use super::sites::What;
use crate::back::c_family;
use crate::back::cpu::LANGUAGE;
use crate::ir::{
    Argument, BinaryOp, Builtin, Expr, ExprKind, FunctionId, Literal, MathFn, Place, Role, Scalar, Type, UnaryOp,
    bytes_of,
};
use crate::source::Span;

impl<'m> Body<'_, 'm, '_, '_> {
    /// The value of an expression: a name or a constant of the very type.
    pub(super) fn value(&mut self, expr: &'m Expr) -> String {
        let Type::Scalar(ty) = expr.ty else { return self.aggregate(expr) };
        match &expr.kind {
            ExprKind::Literal(value) => literal(*value, ty),
            ExprKind::Load(place) => self.load(place),
            ExprKind::Unary(op, a) => self.unary(*op, a, ty, expr.span),
            ExprKind::Binary(op @ (BinaryOp::LogicAnd | BinaryOp::LogicOr), a, b) => self.lazy(*op, a, b),
            ExprKind::Binary(op, a, b) => {
                let (left, right) = (self.value(a), self.value(b));
                self.binary(*op, (&left, scalar(a)), (&right, scalar(b)), expr.span)
            }
            ExprKind::Cast { value, .. } => {
                let text = self.value(value);
                self.cast(text, scalar(value), ty, expr.span)
            }
            ExprKind::Select(condition, then, otherwise) => self.select(condition, then, otherwise, &expr.ty),
            ExprKind::Math(function, arguments) => self.math(*function, arguments, ty, expr.span),
            ExprKind::Call(function, arguments) => {
                let call = self.call(*function, arguments, expr.span);
                self.hold(c_type(ty), call)
            }
            ExprKind::Builtin(builtin) => self.builtin(*builtin, ty),
        }
    }

    /// A struct.
    fn aggregate(&mut self, expr: &'m Expr) -> String {
        match &expr.kind {
            ExprKind::Load(place) => self.load(place),
            ExprKind::Call(function, arguments) => {
                let call = self.call(*function, arguments, expr.span);
                self.hold(&Self::value_type(&expr.ty), call)
            }
            ExprKind::Select(condition, then, otherwise) => self.select(condition, then, otherwise, &expr.ty),
            _ => unreachable!("a struct value is loaded, selected or returned"),
        }
    }

    /// A variable of the text that either branch sets.
    fn choose(&mut self, ty: &str, condition: &str, branches: [&mut dyn FnMut(&mut Self) -> String; 2]) -> String {
        self.temporaries += 1;
        let name = format!("t{}", self.temporaries);
        self.out.line(format!("{ty} {name};"));
        self.out.open(format!("if ({condition}) {{"));
        let [then, otherwise] = branches;
        let value = then(self);
        self.out.line(format!("{name} = {value};"));
        self.out.reopen("} else {");
        let value = otherwise(self);
        self.out.line(format!("{name} = {value};"));
        self.out.close("}");
        name
    }

    fn select(&mut self, condition: &'m Expr, then: &'m Expr, otherwise: &'m Expr, ty: &Type) -> String {
        let condition = self.value(condition);
        let ty = Self::value_type(ty);
        self.choose(&ty, &condition, [&mut |body| body.value(then), &mut |body| body.value(otherwise)])
    }

    fn lazy(&mut self, op: BinaryOp, a: &'m Expr, b: &'m Expr) -> String {
        let left = self.value(a);
        let (condition, known) = match op {
            BinaryOp::LogicAnd => (left, "false"),
            _ => (format!("!{left}"), "true"),
        };
        self.choose("bool", &condition, [&mut |body| body.value(b), &mut |_| known.to_owned()])
    }

    /// The site of arithmetic.
    fn arithmetic(&mut self, ty: Scalar, symbol: &str, operands: Vec<Scalar>, span: Span) -> usize {
        self.site(span, What::Arithmetic { ty, symbol: symbol.to_owned(), operands })
    }

    /// The result of a floating-point operation, which may be asked to be finite.
    fn finite(&mut self, value: String, operands: &[&str], ty: Scalar, span: Span) -> String {
        let value = self.hold(c_type(ty), value);
        if !self.text.finite {
            return value;
        }
        let site = self.arithmetic(ty, "", Vec::new(), span);
        let from_finite: Vec<String> = operands.iter().map(|operand| format!("isfinite({operand})")).collect();
        let call = format!("okl_born_{}({value}, {}, {site}u)", ty.tag(), from_finite.join(" && "));
        self.hold(c_type(ty), call)
    }

    fn unary(&mut self, op: UnaryOp, a: &'m Expr, ty: Scalar, span: Span) -> String {
        let value = self.value(a);
        match op {
            UnaryOp::Not => self.hold("bool", format!("!{value}")),
            UnaryOp::Complement => self.hold(c_type(ty), format!("({})~{value}", c_type(ty))),
            UnaryOp::Negate if ty.is_float() => self.hold(c_type(ty), format!("-{value}")),
            UnaryOp::Negate => {
                let site = self.arithmetic(ty, "-", vec![ty], span);
                self.hold(c_type(ty), format!("okl_neg_{}({value}, {site}u)", ty.tag()))
            }
        }
    }

    /// `a op b`, both evaluated, each with its type.
    pub(super) fn binary(
        &mut self,
        op: BinaryOp,
        (a, ty): (&str, Scalar),
        (b, right): (&str, Scalar),
        span: Span,
    ) -> String {
        let symbol = op.symbol();
        if op.is_comparison() {
            return self.hold("bool", format!("{a} {symbol} {b}"));
        }
        if ty.is_float() {
            return self.finite(format!("{a} {symbol} {b}"), &[a, b], ty, span);
        }
        let stem = match op {
            BinaryOp::Add => "add",
            BinaryOp::Sub => "sub",
            BinaryOp::Mul => "mul",
            BinaryOp::Div => "div",
            BinaryOp::Rem => "rem",
            BinaryOp::Shl => "shl",
            BinaryOp::Shr => "shr",
            _ => return self.hold(c_type(ty), format!("({})({a} {symbol} {b})", c_type(ty))),
        };
        let site = self.arithmetic(ty, symbol, vec![ty, right], span);
        let b = if matches!(op, BinaryOp::Shl | BinaryOp::Shr) { format!("(int64_t){b}") } else { b.to_owned() };
        self.hold(c_type(ty), format!("okl_{stem}_{}({a}, {b}, {site}u)", ty.tag()))
    }

    /// A value of type `from` as one of type `to`.
    fn cast(&mut self, value: String, from: Scalar, to: Scalar, span: Span) -> String {
        if from == to {
            return value;
        }
        if from.is_storage() {
            let float = from.computes_as();
            let value = self.converted(value, from, float);
            return self.cast(value, float, to, span);
        }
        if to.is_storage() {
            // An integer is rounded to `float` first.
            let float = if from == Scalar::F64 { from } else { to.computes_as() };
            let value = self.cast(value, from, float, span);
            return self.converted(value, float, to);
        }
        if to == Scalar::Bool {
            return self.hold("bool", format!("{value} != 0"));
        }
        if from.is_float() && to.is_integer() {
            let site = self.arithmetic(to, &format!("({})", to.okl_name()), vec![from], span);
            let bits = format!("okl_bits_{}({value})", from.tag());
            return self.hold(c_type(to), format!("okl_{}_of((double){value}, {bits}, {site}u)", to.tag()));
        }
        if (from, to) == (Scalar::F64, Scalar::F32) {
            return self.finite(format!("(float){value}"), &[&value], to, span);
        }
        self.hold(c_type(to), format!("({}){value}", c_type(to)))
    }

    fn converted(&mut self, value: String, from: Scalar, to: Scalar) -> String {
        let steps = c_family::conversions(&LANGUAGE, from, to);
        let call = steps.into_iter().fold(value, |value, step| format!("{}({value})", self.text.callee(step)));
        self.hold(c_type(to), call)
    }

    fn math(&mut self, function: MathFn, arguments: &'m [Expr], ty: Scalar, span: Span) -> String {
        let operand = arguments.first().map_or(ty, scalar);
        let values: Vec<String> = arguments.iter().map(|argument| self.value(argument)).collect();
        if function == MathFn::IntAbs {
            let site = self.arithmetic(operand, "abs", vec![operand], span);
            return self.hold(c_type(ty), format!("okl_absolute_{}({}, {site}u)", operand.tag(), values.join(", ")));
        }
        let callee = self.text.callee((LANGUAGE.math)(function, operand));
        let call = format!("{callee}({})", values.join(", "));
        if matches!(function, MathFn::IsNan | MathFn::IsInf | MathFn::IsFinite) {
            return self.hold(c_type(ty), format!("{call} != 0"));
        }
        if operand.is_float() && operand == ty {
            let values: Vec<&str> = values.iter().map(String::as_str).collect();
            return self.finite(call, &values, ty, span);
        }
        self.hold(c_type(ty), call)
    }

    /// A call of a device function.
    pub(super) fn call(&mut self, function: FunctionId, arguments: &'m [Argument], span: Span) -> String {
        let name = self.text.module.functions[function.0 as usize].name.clone();
        let mut texts: Vec<String> = arguments
            .iter()
            .map(|argument| match argument {
                Argument::Value(value) => self.value(value),
                Argument::Pointer(place) => self.address(place),
            })
            .collect();
        texts.push(format!("{}u", self.site(span, What::Call { name })));
        format!("okl_f{}({})", function.0, texts.join(", "))
    }

    fn address(&mut self, place: &'m Place) -> String {
        debug_assert_ne!(self.home(place.root), Home::Register, "what is passed on has an address");
        let spot = self.spot(place);
        let pointer = spot.pointer.trim_start_matches('&').to_owned();
        format!("okl_moved({pointer}, {}, {}u)", spot.offset, spot.site)
    }

    /// Numbers that the launch gives, where lowered IR has one.
    fn builtin(&mut self, builtin: Builtin, ty: Scalar) -> String {
        let text = match builtin {
            Builtin::GroupCount(axis) => format!("dims[{axis}]"),
            Builtin::ItemCount(axis) => format!("dims[{}]", 3 + axis),
            Builtin::Length(position) => self.length(position),
            _ => "0".to_owned(),
        };
        self.hold(c_type(ty), format!("({})({text})", c_type(ty)))
    }

    /// Elements of what a pointer parameter of the kernel leads to.
    fn length(&self, position: u32) -> String {
        let vars = &self.body.vars;
        let param = vars.iter().position(|var| var.role == Role::Param(position));
        let Some((param, Type::Pointer(pointer))) = param.map(|number| (number, &vars[number].ty)) else {
            return "0".to_owned();
        };
        let name = self.pointer(crate::ir::VarId(param as u32));
        format!("({name}.hi - {name}.lo) / {}", bytes_of(self.text.module, &pointer.element).max(1))
    }
}

/// A scalar expression's type.
fn scalar(expr: &Expr) -> Scalar {
    expr.ty.scalar().unwrap_or_else(|| unreachable!("an operand has a scalar type"))
}

/// A constant of the very type.
pub(super) fn literal(value: Literal, ty: Scalar) -> String {
    format!("({})({})", c_type(ty), c_family::literal(&LANGUAGE, value, ty))
}
