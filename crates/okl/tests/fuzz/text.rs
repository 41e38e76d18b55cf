//! Expressions as text, with the type that C gives them.

use crate::program::{Ex, Function};
use crate::scope::{Array, Scope};
use okl::ir::Scalar;

/// Text of an expression, with its type in C.
pub(crate) struct Typed {
    pub(crate) text: String,
    pub(crate) ty: Scalar,
}

pub(crate) fn typed(text: impl Into<String>, ty: Scalar) -> Typed {
    Typed { text: text.into(), ty }
}

/// Constants at the ends of what there is: beyond 32 bits, infinite, not a number, subnormal, negative zero.
pub(crate) const EXTREMES: &[(&str, Scalar)] = &[
    ("4294967296L", Scalar::I64),
    ("(-4294967297L)", Scalar::I64),
    ("2147483648L", Scalar::I64),
    ("9223372036854775807L", Scalar::I64),
    ("(-9223372036854775807L - 1)", Scalar::I64),
    ("18446744073709551615UL", Scalar::U64),
    ("4294967295u", Scalar::U32),
    ("1e-310", Scalar::F64),
    ("5e-324", Scalar::F64),
    ("1.7e308", Scalar::F64),
    ("(-0.0)", Scalar::F64),
    ("1e-40f", Scalar::F32),
    ("3.4e38f", Scalar::F32),
    ("(-0.0f)", Scalar::F32),
    ("INFINITY", Scalar::F32),
    ("(-INFINITY)", Scalar::F32),
    ("NAN", Scalar::F32),
];

pub(crate) fn expression(scope: &Scope<'_>, ex: &Ex) -> Typed {
    match ex {
        Ex::Int(value) if *value < 0 => typed(format!("({value})"), Scalar::I32),
        Ex::Int(value) => match value % 5 {
            0 => typed(format!("{value}u"), Scalar::U32),
            1 => typed(format!("{value}L"), Scalar::I64),
            _ => typed(value.to_string(), Scalar::I32),
        },
        Ex::Float(bits) => {
            let value = f64::from(*bits) * 0.3 - 20.0;
            let (suffix, ty) = if bits % 2 == 0 { ("f", Scalar::F32) } else { ("", Scalar::F64) };
            typed(format!("({value:?}{suffix})"), ty)
        }
        Ex::Extreme(which) => {
            let (text, ty) = EXTREMES[usize::from(*which) % EXTREMES.len()];
            typed(text, ty)
        }
        Ex::Var(which) => match scope.vars.get(usize::from(*which) % scope.vars.len().max(1)) {
            Some((name, ty, _)) => typed(name.clone(), *ty),
            None => typed("7", Scalar::I32),
        },
        Ex::ElementType(which, index) => {
            let index = expression(scope, index);
            match scope.arrays.get(usize::from(*which) % scope.arrays.len().max(1)) {
                Some(array) => typed(element(array, &index), array.ty),
                None => index,
            }
        }
        Ex::Unary(op, a) => unary(*op, &expression(scope, a)),
        Ex::Binary(op, a, b) => binary(*op, &expression(scope, a), &expression(scope, b)),
        Ex::Cast(ty, a) => typed(convert(&expression(scope, a), *ty), *ty),
        Ex::Select(condition, a, b) => {
            let (condition, a, b) = (expression(scope, condition), expression(scope, a), expression(scope, b));
            typed(format!("({} ? {} : {})", condition.text, a.text, b.text), promote(a.ty, b.ty))
        }
        Ex::Math(which, a, b) => math(*which, &expression(scope, a), &expression(scope, b)),
        Ex::Call(which, arguments) => {
            let pure: Vec<_> = scope.functions.iter().enumerate().filter(|(_, f)| f.pointer.is_none()).collect();
            match pure.get(usize::from(*which) % pure.len().max(1)) {
                Some((number, function)) => {
                    let passed = pass(scope, function, arguments);
                    typed(format!("{}_f{number}({})", scope.name, passed.join(", ")), function.result)
                }
                None => typed("11", Scalar::I32),
            }
        }
    }
}

/// As `int`, whatever it was.
pub(crate) fn as_int(value: &Typed) -> String {
    convert(value, Scalar::I32)
}

/// Converted to `ty`; a float is clamped first where `ty` is an integer.
pub(crate) fn convert(value: &Typed, ty: Scalar) -> String {
    let name = ty.okl_name();
    let (lo, hi) = match ty {
        Scalar::I8 => (-100, 100),
        Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => (0, 200),
        _ => (-30000, 30000),
    };
    if value.ty.is_float() && ty.is_integer() && ty != Scalar::Bool {
        // Moved to where it is positive: under -fno-trapping-math gcc before 15 turns `(double) (int) x` into
        // `trunc(x)`, which gives -0.0 for what C makes 0.
        return format!("(({name}) ((int) (fmin(fmax((double) {}, {lo}.0), {hi}.0) + 30001.0) - 30001))", value.text);
    }
    format!("(({name}) {})", value.text)
}

pub(crate) fn promote(a: Scalar, b: Scalar) -> Scalar {
    use Scalar::{F32, F64, I32, I64, U32, U64};
    let (a, b) = (a.computes_as(), b.computes_as());
    [F64, F32, U64, I64, U32].into_iter().find(|&ty| a == ty || b == ty).unwrap_or(I32)
}

pub(crate) fn is_wrapping(ty: Scalar) -> bool {
    matches!(ty, Scalar::U32 | Scalar::U64)
}

pub(crate) fn unary(op: u8, a: &Typed) -> Typed {
    let ty = promote(a.ty, a.ty);
    match op % 3 {
        0 if ty.is_float() || is_wrapping(ty) => typed(format!("(-{})", a.text), ty),
        0 => typed(format!("(-({} % 10007))", a.text), ty),
        1 if ty.is_integer() => typed(format!("(~{})", a.text), ty),
        _ => typed(format!("(!{})", a.text), Scalar::I32),
    }
}

pub(crate) fn binary(op: u8, a: &Typed, b: &Typed) -> Typed {
    let ty = promote(a.ty, b.ty);
    let (x, y) = (&a.text, &b.text);
    let comparisons = ["<", "<=", ">", ">=", "==", "!=", "&&", "||"];
    if op % 4 == 3 {
        return typed(format!("({x} {} {y})", comparisons[usize::from(op / 4) % 8]), Scalar::I32);
    }
    if ty.is_float() {
        let op = ["+", "-", "*", "/"][usize::from(op / 4) % 4];
        return typed(format!("({x} {op} {y})"), ty);
    }
    let shifted = promote(a.ty, a.ty);
    match (op / 4) % 10 {
        n @ 0..=2 if is_wrapping(ty) => typed(format!("({x} {} {y})", ["+", "-", "*"][usize::from(n)]), ty),
        0 => typed(format!("({x} % 10007 + {y} % 10007)"), ty),
        1 => typed(format!("({x} % 10007 - {y} % 10007)"), ty),
        2 => typed(format!("({x} % 1009 * ({y} % 1009))"), ty),
        3 => typed(format!("({x} / (({y} & 15) + 1))"), ty),
        4 => typed(format!("({x} % (({y} & 15) + 1))"), ty),
        5 => typed(format!("({x} & {y})"), ty),
        6 => typed(format!("({x} | {y})"), ty),
        7 => typed(format!("({x} ^ {y})"), ty),
        8 => typed(format!("(({x} & 255) << ({y} & 7))"), shifted),
        _ => typed(format!("({x} >> ({y} & 7))"), shifted),
    }
}

pub(crate) fn math(which: u8, a: &Typed, b: &Typed) -> Typed {
    let (x, y) = (&a.text, &b.text);
    let double = |text: String| typed(text, Scalar::F64);
    let single = |text: String| typed(text, Scalar::F32);
    match which % 9 {
        0 => double(format!("sqrt(fabs((double) {x}))")),
        1 => single(format!("sqrtf(fabsf((float) {x}))")),
        2 => double(format!("floor((double) {x})")),
        3 => double(format!("trunc((double) {x})")),
        4 => single(format!("ceilf((float) {x})")),
        5 => double(format!("fma((double) {x}, (double) {y}, 0.25)")),
        6 => single(format!("fmaf((float) {x}, (float) {y}, 0.25f)")),
        7 => typed(format!("abs({} % 10007)", as_int(a)), Scalar::I32),
        _ => typed(format!("max({}, {})", as_int(a), as_int(b)), Scalar::I32),
    }
}

pub(crate) fn element(array: &Array, index: &Typed) -> String {
    format!("{}[{}({} & {})]", array.name, array.prefix, as_int(index), array.mask)
}

pub(crate) fn pass(scope: &Scope<'_>, function: &Function, arguments: &[Ex]) -> Vec<String> {
    let value = |k: usize, ty: Scalar| match arguments.get(k % arguments.len().max(1)) {
        Some(argument) => convert(&expression(scope, argument), ty),
        None => "1".into(),
    };
    function.params.iter().enumerate().map(|(k, &ty)| value(k, ty)).collect()
}
