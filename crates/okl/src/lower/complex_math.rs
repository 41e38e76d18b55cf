//! Functions of complex numbers, made of those of their parts: C's names, `abs`, `exp` and their like of a complex argument.
//!
//! Zeros and NaNs come out as the formulas have them; of infinities this is not what annex G of C asks for.

use super::complex::{Complex, apply, exact, times};
use super::constants::{common, math, select, unary, zero};
use super::context::Lowering;
use super::expr::Value;
use super::{Lowered, Reported};
use crate::diagnostic::Diagnostic;
use crate::front::{ast, parse};
use crate::ir::{BinaryOp, Expr, MathFn, Scalar, UnaryOp};
use crate::rules;
use crate::source::Span;

/// A function of complex numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Function {
    Real,
    Imaginary,
    /// The magnitude.
    Abs,
    /// The square of the magnitude.
    Norm,
    Argument,
    Conjugate,
    Exp,
    Log,
    Sqrt,
    Pow,
    Sin,
    Cos,
    Tan,
    Sinh,
    Cosh,
    Tanh,
}

/// C's names, without the `f` of `float`.
const C_NAMES: [(&str, Function); 15] = [
    ("creal", Function::Real),
    ("cimag", Function::Imaginary),
    ("cabs", Function::Abs),
    ("carg", Function::Argument),
    ("conj", Function::Conjugate),
    ("cexp", Function::Exp),
    ("clog", Function::Log),
    ("csqrt", Function::Sqrt),
    ("cpow", Function::Pow),
    ("csin", Function::Sin),
    ("ccos", Function::Cos),
    ("ctan", Function::Tan),
    ("csinh", Function::Sinh),
    ("ccosh", Function::Cosh),
    ("ctanh", Function::Tanh),
];

/// Names of C++.
const NAMES: [(&str, Function); 4] =
    [("real", Function::Real), ("imag", Function::Imaginary), ("arg", Function::Argument), ("norm", Function::Norm)];

/// The names of all functions of complex numbers.
pub(crate) fn names<'a>() -> impl Iterator<Item = &'a str> {
    C_NAMES.iter().chain(&NAMES).map(|of| of.0)
}

/// What a name stands for, and the type of parts that it asks for.
fn function_of(name: &str) -> Option<(Function, Option<Scalar>)> {
    let find = |table: &[(&str, Function)], name: &str| table.iter().find(|of| of.0 == name).map(|of| of.1);
    let plain = find(&C_NAMES, name).or_else(|| find(&NAMES, name)).map(|function| (function, None));
    plain.or_else(|| find(&C_NAMES, name.strip_suffix('f')?).map(|function| (function, Some(Scalar::F32))))
}

/// The function of complex numbers that has the name of one of real numbers.
fn function_of_math(function: MathFn) -> Option<Function> {
    Some(match function {
        MathFn::Abs | MathFn::IntAbs => Function::Abs,
        MathFn::Exp => Function::Exp,
        MathFn::Log => Function::Log,
        MathFn::Sqrt => Function::Sqrt,
        MathFn::Pow => Function::Pow,
        MathFn::Sin => Function::Sin,
        MathFn::Cos => Function::Cos,
        MathFn::Tan => Function::Tan,
        MathFn::Sinh => Function::Sinh,
        MathFn::Cosh => Function::Cosh,
        MathFn::Tanh => Function::Tanh,
        _ => return None,
    })
}

/// Operators and functions of parts, at one place of the source.
struct Parts {
    scalar: Scalar,
    span: Span,
}

impl Parts {
    fn add(&self, a: &Expr, b: &Expr) -> Expr {
        apply(BinaryOp::Add, a, b, self.span)
    }

    fn sub(&self, a: &Expr, b: &Expr) -> Expr {
        apply(BinaryOp::Sub, a, b, self.span)
    }

    fn mul(&self, a: &Expr, b: &Expr) -> Expr {
        apply(BinaryOp::Mul, a, b, self.span)
    }

    fn div(&self, a: &Expr, b: &Expr) -> Expr {
        apply(BinaryOp::Div, a, b, self.span)
    }

    fn call(&self, function: MathFn, arguments: &[&Expr]) -> Expr {
        math(function, arguments.iter().map(|&of| of.clone()).collect(), self.span)
    }

    fn of(&self, value: f64) -> Expr {
        exact(value, self.scalar, self.span)
    }

    fn compare(&self, op: BinaryOp, a: &Expr, value: f64) -> Expr {
        apply(op, a, &self.of(value), self.span)
    }

    fn both(&self, a: &Expr, b: &Expr) -> Expr {
        apply(BinaryOp::LogicAnd, a, b, self.span)
    }

    fn is_zero(&self, z: &Complex) -> Expr {
        self.both(&self.compare(BinaryOp::Eq, &z.re, 0.0), &self.compare(BinaryOp::Eq, &z.im, 0.0))
    }

    fn select(&self, condition: &Expr, then: &Expr, otherwise: &Expr) -> Expr {
        select(condition.clone(), then.clone(), otherwise.clone(), self.span)
    }

    fn negated(&self, a: &Expr) -> Expr {
        unary(UnaryOp::Negate, a.clone())
    }
}

impl Lowering<'_, '_> {
    /// A call of a function of complex numbers, or of what makes one; `None` where `name` is none.
    pub(super) fn complex_call(&mut self, name: &str, arguments: &[ast::Expr], span: Span) -> Option<Lowered<Value>> {
        let made = match name {
            "CMPLX" => Some(Scalar::F64),
            "CMPLXF" => Some(Scalar::F32),
            _ => name.strip_prefix("make_").and_then(parse::complex_of_name),
        };
        if let Some(parts) = made {
            let id = self.complex_type(parts, span);
            return Some(self.make_complex(id, arguments, span));
        }
        let (function, forced) = function_of(name)?;
        let expected = if function == Function::Pow { 2 } else { 1 };
        if arguments.len() != expected {
            let plural = if expected == 1 { "" } else { "s" };
            let message = format!("`{name}` takes {expected} argument{plural}, not {}", arguments.len());
            return Some(Err(self.error(rules::ARGUMENT_COUNT, span, message)));
        }
        let values: Lowered<Vec<Value>> = arguments.iter().map(|argument| self.value(argument)).collect();
        Some(values.and_then(|values| self.complex_function(function, forced, values, span)))
    }

    /// `exp(z)` and its like, where an argument is complex.
    pub(super) fn math_of_complex(
        &mut self,
        name: &str,
        (function, forced): (MathFn, Option<Scalar>),
        values: Vec<Value>,
        span: Span,
    ) -> Lowered<Value> {
        if let (Some(function), None) = (function_of_math(function), forced) {
            return self.complex_function(function, None, values, span);
        }
        let known: Vec<&str> = C_NAMES.iter().map(|of| of.0).collect();
        let finding = Diagnostic::error(rules::COMPLEX, span, format!("`{name}` is no function of complex numbers"));
        Err(self.report(finding.hint(format!("those are {}; or take a part, `creal(z)`", known.join(", ")))))
    }

    fn complex_function(
        &mut self,
        function: Function,
        forced: Option<Scalar>,
        values: Vec<Value>,
        span: Span,
    ) -> Lowered<Value> {
        let mut scalar = forced;
        if forced.is_none() {
            for value in &values {
                let own = match value {
                    Value::Vector(vector) => self.unit.parts_of_complex(vector.id),
                    Value::Scalar(of) => self.as_complex(&of.ty).map(|of| of.1).or_else(|| of.ty.scalar()),
                    Value::Pointer(_) | Value::Void => None,
                };
                let own = own.map(|own| if own.is_float() { common(own, own) } else { Scalar::F64 });
                scalar = own.map(|own| scalar.map_or(own, |known| common(known, own))).or(scalar);
            }
        }
        let scalar = scalar.unwrap_or(Scalar::F64);
        let mut numbers = Vec::with_capacity(values.len());
        for value in values {
            numbers.push(self.as_complex_number(value, scalar, span)?);
        }
        let parts = Parts { scalar, span };
        let mut numbers = numbers.into_iter();
        let z = numbers.next().ok_or(Reported)?;
        match function {
            Function::Real => return Ok(Value::Scalar(z.re)),
            Function::Imaginary => return Ok(Value::Scalar(z.im)),
            Function::Abs => return Ok(Value::Scalar(parts.call(MathFn::Hypot, &[&z.re, &z.im]))),
            Function::Argument => return Ok(Value::Scalar(parts.call(MathFn::Atan2, &[&z.im, &z.re]))),
            Function::Conjugate => {
                let im = parts.negated(&z.im);
                return Ok(self.complex_value(Complex { re: z.re, im }, span));
            }
            _ => {}
        }
        let z = self.parts_once(z);
        let result = match (function, numbers.next()) {
            (Function::Norm, _) => {
                return Ok(Value::Scalar(parts.add(&parts.mul(&z.re, &z.re), &parts.mul(&z.im, &z.im))));
            }
            (Function::Pow, Some(exponent)) => self.complex_pow(&parts, &z, exponent),
            (Function::Exp, _) => self.complex_exp(&parts, &z),
            (Function::Log, _) => self.complex_log(&parts, &z),
            (Function::Sqrt, _) => self.complex_sqrt(&parts, &z),
            (Function::Tanh, _) => self.complex_tanh(&parts, &z),
            (Function::Tan, _) => {
                // tan z = -i tanh iz
                let turned = Complex { re: self.once(parts.negated(&z.im), "re"), im: z.re };
                let Complex { re, im } = self.complex_tanh(&parts, &turned);
                Complex { re: im, im: parts.negated(&re) }
            }
            _ => circular(function, &parts, &z),
        };
        Ok(self.complex_value(result, span))
    }

    fn complex_exp(&mut self, parts: &Parts, z: &Complex) -> Complex {
        let scale = self.held(parts.call(MathFn::Exp, &[&z.re]), "scale");
        let im = parts.mul(&scale, &parts.call(MathFn::Sin, &[&z.im]));
        // Infinity times the sine of 0 is none.
        let is_real = parts.compare(BinaryOp::Eq, &z.im, 0.0);
        Complex { re: parts.mul(&scale, &parts.call(MathFn::Cos, &[&z.im])), im: parts.select(&is_real, &z.im, &im) }
    }

    /// Near the unit circle, where the logarithm of the magnitude is small, from what the magnitude differs from 1 by.
    fn complex_log(&mut self, parts: &Parts, z: &Complex) -> Complex {
        let [x, y] = [&z.re, &z.im].map(|part| parts.call(MathFn::Abs, &[part]));
        let (x, y) = (self.held(x, "x"), self.held(y, "y"));
        let magnitude = self.held(parts.call(MathFn::Hypot, &[&x, &y]), "magnitude");
        let large = self.held(parts.call(MathFn::Fmax, &[&x, &y]), "large");
        let small = self.held(parts.call(MathFn::Fmin, &[&x, &y]), "small");
        let one = parts.of(1.0);
        let difference = parts.mul(&parts.sub(&large, &one), &parts.add(&large, &one));
        let difference = parts.add(&difference, &parts.mul(&small, &small));
        let near = parts.mul(&parts.of(0.5), &parts.call(MathFn::Log1p, &[&difference]));
        let is_near =
            parts.both(&parts.compare(BinaryOp::Gt, &magnitude, 0.75), &parts.compare(BinaryOp::Lt, &magnitude, 1.5));
        let re = parts.select(&is_near, &near, &parts.call(MathFn::Log, &[&magnitude]));
        Complex { re, im: parts.call(MathFn::Atan2, &[&z.im, &z.re]) }
    }

    /// The root with a real part that is not negative; nothing cancels in it.
    fn complex_sqrt(&mut self, parts: &Parts, z: &Complex) -> Complex {
        let half = parts.of(0.5);
        let x = parts.mul(&half, &parts.call(MathFn::Abs, &[&z.re]));
        let magnitude = parts.mul(&half, &parts.call(MathFn::Hypot, &[&z.re, &z.im]));
        let root = self.held(parts.call(MathFn::Sqrt, &[&parts.add(&x, &magnitude)]), "root");
        let other = self.held(parts.div(&z.im, &parts.mul(&parts.of(2.0), &root)), "other");
        let is_right = self.held(parts.compare(BinaryOp::Ge, &z.re, 0.0), "is_right");
        let is_zero = self.held(parts.is_zero(z), "is_zero");
        let re = parts.select(&is_right, &root, &parts.call(MathFn::Abs, &[&other]));
        let im = parts.select(&is_right, &other, &parts.call(MathFn::Copysign, &[&root, &z.im]));
        Complex {
            re: parts.select(&is_zero, &zero(parts.scalar, parts.span), &re),
            im: parts.select(&is_zero, &z.im, &im),
        }
    }

    /// exp(w log z); what is to the power of 0 is 1, and 0 to a power with a positive real part 0.
    fn complex_pow(&mut self, parts: &Parts, z: &Complex, exponent: Complex) -> Complex {
        let w = self.parts_once(exponent);
        let log = self.complex_log(parts, z);
        let log = self.parts_once(log);
        let product = self.parts_once(times(&w, &log, parts.span));
        let value = self.complex_exp(parts, &product);
        let is_one = self.held(parts.is_zero(&w), "is_one");
        let is_zero = parts.both(&parts.is_zero(z), &parts.compare(BinaryOp::Gt, &w.re, 0.0));
        let is_zero = self.held(is_zero, "is_zero");
        let nought = zero(parts.scalar, parts.span);
        let of = |part: &Expr, at_one: &Expr| {
            let value = parts.select(&is_zero, &nought, part);
            parts.select(&is_one, at_one, &value)
        };
        Complex { re: of(&value.re, &parts.of(1.0)), im: of(&value.im, &nought) }
    }

    /// Kahan's formula; where it has reached its limit, that.
    fn complex_tanh(&mut self, parts: &Parts, z: &Complex) -> Complex {
        let (one, x, y) = (parts.of(1.0), &z.re, &z.im);
        let tangent = self.held(parts.call(MathFn::Tan, &[y]), "tangent");
        let beta = self.held(parts.add(&one, &parts.mul(&tangent, &tangent)), "beta");
        let sine = self.held(parts.call(MathFn::Sinh, &[x]), "sine");
        let square = self.held(parts.mul(&sine, &sine), "square");
        let rho = parts.call(MathFn::Sqrt, &[&parts.add(&one, &square)]);
        let divisor = self.held(parts.add(&one, &parts.mul(&beta, &square)), "divisor");
        let re = parts.div(&parts.mul(&parts.mul(&beta, &rho), &sine), &divisor);
        let im = parts.div(&tangent, &divisor);
        let size = self.held(parts.call(MathFn::Abs, &[x]), "size");
        let limit = if parts.scalar == Scalar::F32 { 11.0 } else { 22.0 };
        let is_far = self.held(parts.compare(BinaryOp::Gt, &size, limit), "is_far");
        let far_re = parts.call(MathFn::Copysign, &[&one, x]);
        let waves = parts.mul(&parts.call(MathFn::Sin, &[y]), &parts.call(MathFn::Cos, &[y]));
        let decay = parts.call(MathFn::Exp, &[&parts.mul(&parts.of(-2.0), &size)]);
        let far_im = parts.mul(&parts.mul(&parts.of(4.0), &waves), &decay);
        Complex { re: parts.select(&is_far, &far_re, &re), im: parts.select(&is_far, &far_im, &im) }
    }
}

/// Sine and cosine, circular and hyperbolic.
fn circular(function: Function, parts: &Parts, z: &Complex) -> Complex {
    let of = |first: MathFn, a: &Expr, second: MathFn, b: &Expr| {
        parts.mul(&parts.call(first, &[a]), &parts.call(second, &[b]))
    };
    let (x, y) = (&z.re, &z.im);
    let (re, im) = match function {
        Function::Sin => (of(MathFn::Sin, x, MathFn::Cosh, y), of(MathFn::Cos, x, MathFn::Sinh, y)),
        Function::Cos => (of(MathFn::Cos, x, MathFn::Cosh, y), parts.negated(&of(MathFn::Sin, x, MathFn::Sinh, y))),
        Function::Sinh => (of(MathFn::Sinh, x, MathFn::Cos, y), of(MathFn::Cosh, x, MathFn::Sin, y)),
        _ => (of(MathFn::Cosh, x, MathFn::Cos, y), of(MathFn::Sinh, x, MathFn::Sin, y)),
    };
    Complex { re, im }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_select_function_and_type() {
        assert_eq!(function_of("cexp"), Some((Function::Exp, None)));
        assert_eq!(function_of("cexpf"), Some((Function::Exp, Some(Scalar::F32))));
        assert_eq!(function_of("conjf"), Some((Function::Conjugate, Some(Scalar::F32))));
        assert_eq!(function_of("real"), Some((Function::Real, None)));
        assert_eq!(function_of("realf"), None);
        assert_eq!(function_of("cexpl"), None);
    }
}
