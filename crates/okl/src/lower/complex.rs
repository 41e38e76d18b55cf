//! Complex numbers: `complex64`, `complex128` and C's `_Complex`.
//!
//! A complex number is a struct of the IR, `re` and `im`, laid out as in C and NumPy. What is computed with it is computed with its
//! parts, so that nothing behind this knows of complex numbers. A product is the plain one and a quotient Smith's, in the
//! order of operations of NumPy; neither mends infinities as annex G of C does. Functions are in [`super::complex_math`].

use super::constants::{binary, constant, convert, evaluate, implicit, math, select, unary, zero};
use super::context::Lowering;
use super::expr::Value;
use super::vector::VectorValue;
use super::{Lowered, Reported};
use crate::diagnostic::Diagnostic;
use crate::front::{ast, parse};
use crate::ir::value::ScalarValue;
use crate::ir::{
    BinaryOp, Expr, ExprKind, Field, Literal, MathFn, Projection, Scalar, Stmt, Struct, StructId, Type, UnaryOp,
};
use crate::rules;
use crate::source::Span;

/// Why a complex number cannot stand somewhere.
pub(super) const ON_THE_HOST: &str =
    "complex numbers are not computed on the host, where loop bounds and code outside `@outer` loops run";

/// Both parts, of one type, each of which can be evaluated on its own.
#[derive(Clone, Debug)]
pub(super) struct Complex {
    pub(super) re: Expr,
    pub(super) im: Expr,
}

/// An operand of an operator: C converts no real number to a complex one before it is added or multiplied.
enum Operand {
    Real(Expr),
    Complex(Complex),
}

/// A binary operator on numbers of one type.
pub(super) fn apply(op: BinaryOp, left: &Expr, right: &Expr, span: Span) -> Expr {
    binary(op, left.clone(), right.clone(), span)
}

/// A number of a type that is exact in it.
pub(super) fn exact(value: f64, scalar: Scalar, span: Span) -> Expr {
    let value = if scalar == Scalar::F32 { ScalarValue::F32(value as f32) } else { ScalarValue::F64(value) };
    constant(value, span)
}

impl super::module::Unit<'_> {
    /// The type of the parts, where a struct is that of complex numbers.
    pub(super) fn parts_of_complex(&self, id: StructId) -> Option<Scalar> {
        let position = self.complex.iter().position(|known| *known == Some(id))?;
        Some([Scalar::F32, Scalar::F64][position])
    }
}

impl Lowering<'_, '_> {
    /// The struct of the complex numbers whose parts are of a type.
    pub(super) fn complex_type(&mut self, parts: Scalar, span: Span) -> StructId {
        let position = usize::from(parts == Scalar::F64);
        if let Some(known) = self.unit.complex[position] {
            return known;
        }
        let field = |(number, name): (usize, &str)| Field {
            name: name.to_owned(),
            ty: parts.into(),
            offset: number * parts.bytes(),
        };
        let fields = ["re", "im"].into_iter().enumerate().map(field).collect();
        let (bytes, align) = (2 * parts.bytes(), parts.bytes());
        let name = parse::COMPLEX_TYPES.iter().find(|of| of.1 == parts).map_or("complex128", |of| of.0).to_owned();
        self.unit.module.structs.push(Struct { name, fields, bytes, align, is_vector: false, span });
        self.unit.struct_scalars.push(2);
        self.unit.pointer_fields.push(Vec::new());
        let id = StructId(self.unit.module.structs.len() as u32 - 1);
        self.unit.complex[position] = Some(id);
        id
    }

    /// The complex type that a type is, and the type of its parts.
    pub(super) fn as_complex(&self, ty: &Type) -> Option<(StructId, Scalar)> {
        let Type::Struct(id) = ty else { return None };
        self.unit.parts_of_complex(*id).map(|parts| (*id, parts))
    }

    /// Whether a value is a complex number.
    pub(super) fn is_complex(&self, value: &Value) -> bool {
        match value {
            Value::Vector(vector) => self.unit.parts_of_complex(vector.id).is_some(),
            Value::Scalar(expr) => self.as_complex(&expr.ty).is_some(),
            Value::Pointer(_) | Value::Void => false,
        }
    }

    /// As a value of expressions.
    pub(super) fn complex_value(&mut self, number: Complex, span: Span) -> Value {
        let parts = number.re.ty.scalar().unwrap_or(Scalar::F64);
        let id = self.complex_type(parts, span);
        Value::Vector(VectorValue { id, parts: vec![number.re, number.im], span })
    }

    /// `1.5i`
    pub(super) fn imaginary(&mut self, value: f64, parts: Scalar, span: Span) -> Value {
        let number = Complex { re: zero(parts, span), im: exact(value, parts, span) };
        self.complex_value(number, span)
    }

    /// A constant.
    pub(super) fn complex_literal(&mut self, id: StructId, parts: [Literal; 2], span: Span) -> Value {
        let scalar = self.unit.parts_of_complex(id).unwrap_or(Scalar::F64);
        let part = |literal| Expr { kind: ExprKind::Literal(literal), ty: scalar.into(), span };
        Value::Vector(VectorValue { id, parts: parts.map(part).into(), span })
    }

    /// The parts of a complex number.
    pub(super) fn complex_parts(&mut self, value: Value) -> Lowered<Complex> {
        let vector = self.components(value).ok_or(Reported)?;
        match <[Expr; 2]>::try_from(vector.parts) {
            Ok([re, im]) => Ok(Complex { re, im }),
            Err(_) => Err(Reported),
        }
    }

    fn operand(&mut self, value: Value, span: Span) -> Lowered<Operand> {
        match value {
            value if self.is_complex(&value) => self.complex_parts(value).map(Operand::Complex),
            Value::Scalar(number) if number.ty.scalar().is_some() => Ok(Operand::Real(number)),
            Value::Scalar(other) => {
                let name = self.type_name(&other.ty);
                let message = format!("a complex number cannot be computed with `{name}`");
                Err(self.error(rules::TYPE_MISMATCH, span, message))
            }
            _ => Err(self.error(rules::TYPE_MISMATCH, span, "a complex number is computed with numbers alone")),
        }
    }

    /// A number as a complex one whose parts are of a type: a real number has an imaginary part of 0.
    pub(super) fn as_complex_number(&mut self, value: Value, parts: Scalar, span: Span) -> Lowered<Complex> {
        Ok(match self.operand(value, span)? {
            Operand::Real(re) => Complex { re: implicit(re, parts), im: zero(parts, span) },
            Operand::Complex(number) => Complex { re: implicit(number.re, parts), im: implicit(number.im, parts) },
        })
    }

    /// A value converted to a complex type, as C does it unasked.
    pub(super) fn converted_to_complex(&mut self, value: Value, id: StructId, span: Span) -> Lowered<VectorValue> {
        let parts = self.unit.parts_of_complex(id).ok_or(Reported)?;
        // Between braces C++ takes no narrower number unasked.
        let Complex { re, im } = match self.operand(value, span)? {
            Operand::Real(re) => Complex { re: convert(re, parts, false), im: zero(parts, span) },
            Operand::Complex(of) => Complex { re: convert(of.re, parts, false), im: convert(of.im, parts, false) },
        };
        Ok(VectorValue { id, parts: vec![re, im], span })
    }

    /// A part that is mentioned more than once, evaluated once.
    pub(super) fn once(&mut self, part: Expr, name: &str) -> Expr {
        let is_variable = match &part.kind {
            ExprKind::Load(place) => {
                let var = self.body.var(place.root);
                let is_own = !var.role.is_shared() && !matches!(var.ty, Type::Pointer(_) | Type::Array(..));
                is_own && place.path.iter().all(|step| matches!(step, Projection::Field(_)))
            }
            _ => false,
        };
        if is_variable || evaluate(&part).is_some() { part } else { self.held(part, name) }
    }

    /// Both parts, evaluated once.
    pub(super) fn parts_once(&mut self, number: Complex) -> Complex {
        Complex { re: self.once(number.re, "re"), im: self.once(number.im, "im") }
    }

    /// `a op b`, where one side is complex at least.
    pub(super) fn complex_arithmetic(&mut self, op: BinaryOp, a: Value, b: Value, span: Span) -> Lowered<Value> {
        self.check_complex_operator(op, span)?;
        let (a, b) = (self.operand(a, span)?, self.operand(b, span)?);
        let parts = super::constants::common(a.parts(), b.parts());
        let (a, b) = (a.converted(parts), b.converted(parts));
        let value = match op {
            BinaryOp::Add | BinaryOp::Sub => sum(op, a, b, span),
            BinaryOp::Mul => self.product(a, b, span),
            BinaryOp::Div => self.quotient(a, b, span),
            _ => return Ok(Value::Scalar(self.equality(op, a, b, span))),
        };
        Ok(self.complex_value(value, span))
    }

    fn check_complex_operator(&mut self, op: BinaryOp, span: Span) -> Lowered<()> {
        let (message, hint) = match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Eq | BinaryOp::Ne => {
                return Ok(());
            }
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => (
                format!("`{}` does not compare complex numbers, which have no order", op.symbol()),
                "compare magnitudes, `cabs(z)`, or a part, `creal(z)`",
            ),
            BinaryOp::Rem => {
                ("`%` needs integers, not complex numbers".into(), "compute with `creal(z)` and `cimag(z)`")
            }
            BinaryOp::BitXor => (
                "`^` needs integers, not complex numbers".into(),
                "`^` is the exclusive or of integers; a power is written `cpow(a, b)`",
            ),
            _ => (
                format!("`{}` needs integers, not complex numbers", op.symbol()),
                "compute with `creal(z)` and `cimag(z)`",
            ),
        };
        Err(self.report(Diagnostic::error(rules::COMPLEX, span, message).hint(hint)))
    }

    /// The plain product; with a real number that of each part.
    fn product(&mut self, a: Operand, b: Operand, span: Span) -> Complex {
        match (a, b) {
            (Operand::Complex(a), Operand::Complex(b)) => {
                let (a, b) = (self.parts_once(a), self.parts_once(b));
                times(&a, &b, span)
            }
            (Operand::Complex(a), Operand::Real(b)) => {
                let b = self.once(b, "factor");
                Complex { re: apply(BinaryOp::Mul, &a.re, &b, span), im: apply(BinaryOp::Mul, &a.im, &b, span) }
            }
            (Operand::Real(a), b) => {
                let a = self.once(a, "factor");
                let b = b.into_complex(span);
                Complex { re: apply(BinaryOp::Mul, &a, &b.re, span), im: apply(BinaryOp::Mul, &a, &b.im, span) }
            }
        }
    }

    /// By a real number that of each part, else Smith's, which scales by the larger part of the divisor: NumPy's order of
    /// operations, and its quotient by zero.
    fn quotient(&mut self, a: Operand, b: Operand, span: Span) -> Complex {
        let b = match b {
            Operand::Real(b) => {
                let (a, b) = (a.into_complex(span), self.once(b, "divisor"));
                return Complex {
                    re: apply(BinaryOp::Div, &a.re, &b, span),
                    im: apply(BinaryOp::Div, &a.im, &b, span),
                };
            }
            Operand::Complex(b) => self.parts_once(b),
        };
        let a = self.parts_once(a.into_complex(span));
        let parts = super::constants::scalar_of(&b.re);
        let of = |op, x: &Expr, y: &Expr| apply(op, x, y, span);
        let magnitude = |x: &Expr| math(MathFn::Abs, vec![x.clone()], span);
        let by_re = self.held(of(BinaryOp::Ge, &magnitude(&b.re), &magnitude(&b.im)), "by_re");
        let is_zero = of(BinaryOp::LogicAnd, &by_re, &of(BinaryOp::Eq, &b.re, &zero(parts, span)));
        let is_zero = self.held(is_zero, "is_zero");
        let pick = |x: &Expr, y: &Expr| select(by_re.clone(), x.clone(), y.clone(), span);
        let large = self.held(pick(&b.re, &b.im), "large");
        let small = self.held(pick(&b.im, &b.re), "small");
        let ratio = self.held(of(BinaryOp::Div, &small, &large), "ratio");
        let scaled = of(BinaryOp::Add, &large, &of(BinaryOp::Mul, &small, &ratio));
        let divisor = select(is_zero.clone(), magnitude(&b.re), scaled, span);
        let scale = self.held(of(BinaryOp::Div, &exact(1.0, parts, span), &divisor), "scale");
        let re = of(BinaryOp::Add, &pick(&a.re, &a.im), &of(BinaryOp::Mul, &pick(&a.im, &a.re), &ratio));
        let (first, second) = (of(BinaryOp::Mul, &a.im, &ratio), of(BinaryOp::Mul, &a.re, &ratio));
        let im = of(BinaryOp::Sub, &pick(&a.im, &first), &pick(&second, &a.re));
        let finish =
            |plain: &Expr, value: Expr| of(BinaryOp::Mul, &select(is_zero.clone(), plain.clone(), value, span), &scale);
        Complex { re: finish(&a.re, re), im: finish(&a.im, im) }
    }

    fn equality(&mut self, op: BinaryOp, a: Operand, b: Operand, span: Span) -> Expr {
        let (a, b) = (a.into_complex(span), b.into_complex(span));
        let joined = if op == BinaryOp::Eq { BinaryOp::LogicAnd } else { BinaryOp::LogicOr };
        apply(joined, &apply(op, &a.re, &b.re, span), &apply(op, &a.im, &b.im, span), span)
    }

    /// Whether a complex number is not 0, as a condition.
    pub(super) fn complex_truth(&mut self, value: Value, span: Span) -> Lowered<Expr> {
        let number = self.complex_parts(value)?;
        let zero = Operand::Real(zero(super::constants::scalar_of(&number.re), span));
        Ok(self.equality(BinaryOp::Ne, Operand::Complex(number), zero, span))
    }

    /// `-z`, `+z`, `!z`
    pub(super) fn complex_prefix(&mut self, op: ast::UnaryOp, value: Value, span: Span) -> Lowered<Value> {
        let negated = |part: Expr| unary(UnaryOp::Negate, part);
        match op {
            ast::UnaryOp::Not => {
                let truth = self.complex_truth(value, span)?;
                Ok(Value::Scalar(super::constants::not(truth)))
            }
            ast::UnaryOp::Complement => {
                let finding = Diagnostic::error(rules::COMPLEX, span, "`~` needs an integer, not a complex number");
                Err(self.report(finding.hint("the conjugate is written `conj(z)`")))
            }
            ast::UnaryOp::Negate => {
                let Complex { re, im } = self.complex_parts(value)?;
                Ok(self.complex_value(Complex { re: negated(re), im: negated(im) }, span))
            }
            ast::UnaryOp::Plus | ast::UnaryOp::Deref | ast::UnaryOp::AddressOf => Ok(value),
        }
    }

    /// `(complex64) x`
    pub(super) fn complex_cast(&mut self, id: StructId, operand: &ast::Expr, span: Span) -> Lowered<Value> {
        if let ast::ExprKind::Comma(..) = operand.kind {
            let name = self.type_name(&Type::Struct(id));
            let finding = Diagnostic::error(rules::TYPE_MISMATCH, span, "a cast takes one value");
            return Err(self.report(finding.hint(format!("write `{name}(re, im)`"))));
        }
        let value = self.value(operand)?;
        self.converted_to_complex(value, id, span).map(Value::Vector)
    }

    /// `(float) z`: the real part, as in C; `(bool) z`: whether it is not 0.
    pub(super) fn real_cast(&mut self, value: Value, to: Scalar, span: Span) -> Lowered<Expr> {
        if to == Scalar::Bool {
            return self.complex_truth(value, span);
        }
        self.complex_parts(value).map(|number| convert(number.re, to, false))
    }

    /// `T(a, b)`
    pub(super) fn construct(&mut self, ty: &ast::TypeName, parts: &[ast::Expr], span: Span) -> Lowered<Value> {
        let declared = self.resolve(ty)?;
        let is_value = declared.pointer.is_none() && declared.dims.is_empty();
        if let Some((id, _)) = self.as_complex(&declared.element).filter(|_| is_value) {
            return self.make_complex(id, parts, span);
        }
        if let Some((id, _)) = self.as_vector(&declared.element).filter(|_| is_value) {
            return self.make_vector(id, &parts.iter().collect::<Vec<_>>(), span);
        }
        let name = self.type_name(&declared.element);
        let finding = Diagnostic::error(rules::ARGUMENT_COUNT, span, format!("`{name}(…)` converts one value"));
        Err(self.report(finding.hint("a struct is made by its list: `T name = {a, b};`")))
    }

    /// `complex64(re, im)` of real numbers.
    pub(super) fn make_complex(&mut self, id: StructId, given: &[ast::Expr], span: Span) -> Lowered<Value> {
        let parts = self.unit.parts_of_complex(id).ok_or(Reported)?;
        let name = self.type_name(&Type::Struct(id));
        match given {
            [one] => self.complex_cast(id, one, span),
            [re, im] => {
                let (re, im) = (self.number(re)?.0, self.number(im)?.0);
                let parts = vec![convert(re, parts, false), convert(im, parts, false)];
                Ok(Value::Vector(VectorValue { id, parts, span }))
            }
            _ => {
                let message = format!("`{name}` has two parts; the number of values here is {}", given.len());
                Err(self.report(
                    Diagnostic::error(rules::ARGUMENT_COUNT, span, message).hint(format!("write `{name}(re, im)`")),
                ))
            }
        }
    }

    /// Both sides of a choice as complex numbers of one type, where one of them is complex and their types differ.
    pub(super) fn complex_choice(
        &mut self,
        (a, b): (Expr, Expr),
        (then, otherwise): (&mut Vec<Stmt>, &mut Vec<Stmt>),
        span: Span,
    ) -> Lowered<(Expr, Expr)> {
        let parts = |s: &Self, e: &Expr| s.as_complex(&e.ty).map(|of| of.1).or_else(|| e.ty.scalar());
        let is_mixed = a.ty != b.ty && (self.as_complex(&a.ty).is_some() || self.as_complex(&b.ty).is_some());
        let (Some(x), Some(y), true) = (parts(self, &a), parts(self, &b), is_mixed) else { return Ok((a, b)) };
        let id = self.complex_type(super::constants::common(x, y), span);
        let mut settle = |value: Expr, effects: &mut Vec<Stmt>| {
            let (more, value) = self.captured(|s| s.converted(value, &Type::Struct(id), span));
            effects.extend(more);
            value
        };
        let (a, b) = (settle(a, then), settle(b, otherwise));
        Ok((a?, b?))
    }
}

impl Operand {
    fn parts(&self) -> Scalar {
        match self {
            Self::Real(number) => super::constants::scalar_of(number),
            Self::Complex(number) => super::constants::scalar_of(&number.re),
        }
    }

    fn converted(self, parts: Scalar) -> Self {
        match self {
            Self::Real(number) => Self::Real(implicit(number, parts)),
            Self::Complex(of) => Self::Complex(Complex { re: implicit(of.re, parts), im: implicit(of.im, parts) }),
        }
    }

    fn into_complex(self, span: Span) -> Complex {
        match self {
            Self::Real(re) => Complex { im: zero(super::constants::scalar_of(&re), span), re },
            Self::Complex(number) => number,
        }
    }
}

/// `a + b`, `a - b`: a real number has no imaginary part that would be added.
fn sum(op: BinaryOp, a: Operand, b: Operand, span: Span) -> Complex {
    match (a, b) {
        (Operand::Complex(a), Operand::Real(b)) => Complex { re: apply(op, &a.re, &b, span), im: a.im },
        (Operand::Real(a), Operand::Complex(b)) => {
            let im = if op == BinaryOp::Sub { unary(UnaryOp::Negate, b.im) } else { b.im };
            Complex { re: apply(op, &a, &b.re, span), im }
        }
        (a, b) => {
            let (a, b) = (a.into_complex(span), b.into_complex(span));
            Complex { re: apply(op, &a.re, &b.re, span), im: apply(op, &a.im, &b.im, span) }
        }
    }
}

/// The plain product of parts that are mentioned twice.
pub(super) fn times(a: &Complex, b: &Complex, span: Span) -> Complex {
    let of = |op, x: &Expr, y: &Expr| apply(op, x, y, span);
    let re = of(BinaryOp::Sub, &of(BinaryOp::Mul, &a.re, &b.re), &of(BinaryOp::Mul, &a.im, &b.im));
    let im = of(BinaryOp::Add, &of(BinaryOp::Mul, &a.re, &b.im), &of(BinaryOp::Mul, &a.im, &b.re));
    Complex { re, im }
}
