//! Expressions.
//!
//! The IR's conversions are WGSL's: every one is printed. What WGSL evaluates eagerly where C is lazy (`select`) is
//! printed so only where both sides are cheap; else the value is computed by statements that stand before the one
//! that uses it ([`Printer::before`]), each under its condition.

use super::Printer;
use super::library::{self, Spelling};
use super::place::Access;
use super::types;
use crate::ir::value::{self, ScalarValue};
use crate::ir::{
    Argument, BinaryOp, Builtin, Expr, ExprKind, FunctionId, MathFn, Scalar, Type, UnaryOp, VarId, Visitor, walk_expr,
};

// Of several values, with commas.
const LIST: u8 = 0;
const OR: u8 = 1;
const AND: u8 = 2;
const BITS: u8 = 3;
const RELATION: u8 = 4;
const SHIFT: u8 = 5;
const SUM: u8 = 6;
const PRODUCT: u8 = 7;
const UNARY: u8 = 8;
const PRIMARY: u8 = 9;

/// Printed text with its outermost operator's precedence.
#[derive(Clone)]
pub(super) struct Piece {
    pub(super) text: String,
    precedence: u8,
}

impl Piece {
    fn new(text: impl Into<String>, precedence: u8) -> Self {
        Self { text: text.into(), precedence }
    }

    pub(super) fn sum(text: impl Into<String>) -> Self {
        Self::new(text, SUM)
    }

    pub(super) fn comparison(text: impl Into<String>) -> Self {
        Self::new(text, RELATION)
    }

    pub(super) fn primary(text: impl Into<String>) -> Self {
        Self::new(text, PRIMARY)
    }

    /// The text, in parentheses where it binds less tightly than `precedence`.
    fn at_least(self, precedence: u8) -> String {
        if self.precedence < precedence { format!("({})", self.text) } else { self.text }
    }
}

/// A line of the statements that compute a value beforehand.
pub(super) enum Before {
    Line(String),
    Open(String),
    Reopen(String),
    Close,
}

impl Printer<'_> {
    /// A value of the expression's type.
    pub(super) fn value(&self, expr: &Expr) -> String {
        self.piece(expr).text
    }

    /// A value that stands after a prefix operator or before a subscript.
    pub(super) fn operand(&self, expr: &Expr) -> String {
        self.piece(expr).at_least(PRIMARY)
    }

    /// A call of a device function.
    pub(super) fn call(&self, function: FunctionId, arguments: &[Argument]) -> String {
        let texts: Vec<String> = arguments
            .iter()
            .map(|argument| match argument {
                Argument::Value(value) => self.value(value),
                Argument::Pointer(_) => unreachable!("pointers have become names"),
            })
            .collect();
        let values = arguments.iter().filter_map(|argument| match argument {
            Argument::Value(value) => Some(value),
            Argument::Pointer(_) => None,
        });
        format!("{}({})", self.names.function(function), list(values, texts))
    }

    fn piece(&self, expr: &Expr) -> Piece {
        if let Some(value) = fold(expr) {
            return self.constant(value);
        }
        match &expr.kind {
            ExprKind::Literal(literal) => self.constant(types::literal(*literal, scalar(expr))),
            ExprKind::Load(place) => match self.values.get(&place.root) {
                Some(value) => value.clone(),
                None => Piece::primary(self.load(place)),
            },
            ExprKind::Unary(op, operand) => self.unary(*op, operand),
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b, expr),
            ExprKind::Cast { value, .. } => self.cast(value, scalar(expr)),
            ExprKind::Select(condition, then, otherwise) => self.select(condition, then, otherwise, &expr.ty),
            ExprKind::Math(function, arguments) => self.math(*function, arguments, expr),
            ExprKind::Call(function, arguments) => Piece::primary(self.call(*function, arguments)),
            ExprKind::Builtin(builtin) => self.builtin(*builtin),
        }
    }

    pub(super) fn builtin(&self, builtin: Builtin) -> Piece {
        self.used.borrow_mut().insert(builtin);
        self.builtins.get(&builtin).cloned().unwrap_or_else(|| unreachable!("{builtin:?} is not of this form"))
    }

    /// The text of a known value.
    pub(super) fn constant(&self, value: ScalarValue) -> Piece {
        match types::constant(value) {
            Some(_) if types::is_negative_zero(value) => {
                let helper = library::negative_zero(value.ty());
                self.needs.borrow_mut().insert(helper.into());
                Piece::primary(format!("{helper}()"))
            }
            Some(text) if types::is_negative(value) => Piece::new(text, UNARY),
            Some(text) => Piece::primary(text),
            None => {
                let (helper, negative) = types::special(value);
                self.needs.borrow_mut().insert(helper.to_owned());
                if negative { Piece::new(format!("-{helper}()"), UNARY) } else { Piece::primary(format!("{helper}()")) }
            }
        }
    }

    fn unary(&self, op: UnaryOp, operand: &Expr) -> Piece {
        let unsigned = matches!(scalar(operand), Scalar::U32 | Scalar::U64);
        match op {
            UnaryOp::Negate if unsigned => {
                let zero = self.constant(ScalarValue::zero(scalar(operand))).text;
                Piece::new(format!("{zero} - {}", self.piece(operand).at_least(PRODUCT)), SUM)
            }
            UnaryOp::Negate => Piece::new(format!("-{}", self.operand(operand)), UNARY),
            UnaryOp::Not => Piece::new(format!("!{}", self.operand(operand)), UNARY),
            UnaryOp::Complement => Piece::new(format!("~{}", self.operand(operand)), UNARY),
        }
    }

    fn binary(&self, op: BinaryOp, a: &Expr, b: &Expr, expr: &Expr) -> Piece {
        if matches!(op, BinaryOp::LogicAnd | BinaryOp::LogicOr) {
            return self.logic(op, a, b);
        }
        let operand_ty = scalar(a);
        // What C leaves undefined WGSL refuses to compile.
        if matches!(op, BinaryOp::Div | BinaryOp::Rem)
            && operand_ty.is_integer()
            && fold(b).is_some_and(|v| !v.is_true())
        {
            return self.constant(ScalarValue::zero(operand_ty));
        }
        let float_zero = |of: &Expr| if operand_ty.is_float() { self.known_zero(of) } else { None };
        match (op, float_zero(a), float_zero(b)) {
            // Mesa's llvmpipe leaves a quotient by a constant zero undefined; the product with an infinity is the same.
            (BinaryOp::Div, _, Some(zero)) => {
                let infinity = ScalarValue::F32(1.0).cast(zero.ty()).ok().and_then(|one| one.binary(op, zero).ok());
                let infinity = self.constant(infinity.unwrap_or(zero)).at_least(UNARY);
                return Piece::new(format!("{} * {infinity}", self.piece(a).at_least(PRODUCT)), PRODUCT);
            }
            // And it takes the product with one for zero, of a NaN and of infinities too.
            (BinaryOp::Mul, Some(zero), _) => return self.of_zero("times_zero", b, zero),
            (BinaryOp::Mul, _, Some(zero)) => return self.of_zero("times_zero", a, zero),
            // And a quotient of one, where the divisor is negative too.
            (BinaryOp::Div, Some(zero), _) => return self.of_zero("zero_by", b, zero),
            // And it takes the sum with one for the other term, which may be a zero of the other sign.
            (BinaryOp::Add, Some(zero), _) if !types::is_negative(zero) => return self.plus_zero(zero, self.piece(b)),
            (BinaryOp::Add, _, Some(zero)) if !types::is_negative(zero) => return self.plus_zero(zero, self.piece(a)),
            (BinaryOp::Sub, Some(zero), _) if !types::is_negative(zero) => {
                return self.plus_zero(zero, Piece::new(format!("-{}", self.operand(b)), UNARY));
            }
            _ => {}
        }
        if op.is_comparison()
            && self.masks
            && operand_ty.bytes() == 8
            && operand_ty.is_integer()
            && fold(a).is_some() != fold(b).is_some()
        {
            // Mesa compares a 64-bit integer with a constant wrongly where it sees that it was a narrower one.
            let pair = Piece::new(format!("{}, {}", self.value(a), self.value(b)), LIST);
            let order = self.helper(&format!("okl_order_{}", operand_ty.tag()), pair);
            return Piece::new(format!("{} {} 0", order.text, op.symbol()), RELATION);
        }
        let (left, right) = (self.piece(a), self.piece(b));
        let symbol = op.symbol();
        let joined = |left: String, right: String, level: u8| Piece::new(format!("{left} {symbol} {right}"), level);
        match op {
            BinaryOp::Add | BinaryOp::Sub => {
                // A sum on the right keeps its parentheses: floating-point addition is not associative.
                joined(left.at_least(SUM), right.at_least(PRODUCT), SUM)
            }
            BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => {
                joined(left.at_least(PRODUCT), right.at_least(UNARY), PRODUCT)
            }
            BinaryOp::Shl | BinaryOp::Shr => joined(left.at_least(PRIMARY), self.shift_amount(b, operand_ty), SHIFT),
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => {
                joined(left.at_least(UNARY), right.at_least(UNARY), BITS)
            }
            // SPIR-V's "ordered and not equal", which this becomes otherwise, is false of a NaN.
            BinaryOp::Ne if operand_ty.is_float() => {
                Piece::new(format!("!({} == {})", left.at_least(SHIFT), right.at_least(SHIFT)), UNARY)
            }
            _ => {
                debug_assert!(op.is_comparison() && expr.ty == Type::Scalar(Scalar::Bool));
                // `a < b >> c` looks like a template's brackets.
                joined(left.at_least(SUM), right.at_least(SUM), RELATION)
            }
        }
    }

    /// The zero, of either sign where it is a float, that a driver's compiler can see an expression to be.
    pub(super) fn known_zero(&self, expr: &Expr) -> Option<ScalarValue> {
        self.known(expr).filter(is_zero)
    }

    /// The value that a driver's compiler can see, of a constant or of what is zero whatever it is made of.
    fn known(&self, expr: &Expr) -> Option<ScalarValue> {
        let ty = expr.ty.scalar()?;
        match &expr.kind {
            ExprKind::Load(place) if place.path.is_empty() => self.zeros.borrow().get(&place.root).copied(),
            ExprKind::Cast { value, .. } => self.known(value)?.cast(ty).ok(),
            ExprKind::Binary(op, a, b) => match (op, self.known(a), self.known(b)) {
                (_, Some(a), Some(b)) => a.binary_wrapping(*op, b).ok(),
                (BinaryOp::Mul | BinaryOp::BitAnd, a, b) if ty.is_integer() => a.or(b).filter(is_zero),
                (BinaryOp::Shl | BinaryOp::Shr, a, _) => a.filter(is_zero),
                (BinaryOp::Rem, _, one) if ty.is_integer() => {
                    one.filter(|one| one.integer() == Some(1)).map(|_| ScalarValue::zero(ty))
                }
                (BinaryOp::Sub | BinaryOp::BitXor, None, None) if ty.is_integer() => {
                    variable(a).filter(|a| variable(b) == Some(*a)).map(|_| ScalarValue::zero(ty))
                }
                _ => None,
            },
            _ => fold(expr),
        }
    }

    /// A product with a zero, or a quotient of one: a helper that makes it of the other number.
    fn of_zero(&self, helper: &str, other: &Expr, zero: ScalarValue) -> Piece {
        let result = self.helper(&format!("okl_{helper}_{}", zero.ty().tag()), self.piece(other));
        if types::is_negative(zero) { Piece::new(format!("-{}", result.text), UNARY) } else { result }
    }

    fn plus_zero(&self, zero: ScalarValue, term: Piece) -> Piece {
        self.helper(&format!("okl_plus_zero_{}", zero.ty().tag()), term)
    }

    /// The right side of a shift, which WGSL wants unsigned.
    pub(super) fn shift_amount(&self, amount: &Expr, shifted: Scalar) -> String {
        let width = if shifted.bytes() == 8 { 63 } else { 31 };
        match fold(amount).and_then(ScalarValue::integer) {
            Some(value) => format!("{}u", value & width),
            None if scalar(amount) == Scalar::U32 => self.operand(amount),
            None => format!("u32({})", self.value(amount)),
        }
    }

    fn logic(&self, op: BinaryOp, a: &Expr, b: &Expr) -> Piece {
        let level = if op == BinaryOp::LogicAnd { AND } else { OR };
        let side = |piece: Piece| if piece.precedence == level { piece.text } else { piece.at_least(BITS) };
        let left = side(self.piece(a));
        let start = self.before.borrow().len();
        let right = side(self.piece(b));
        let lines = self.before.borrow_mut().split_off(start);
        if lines.is_empty() {
            return Piece::new(format!("{left} {} {right}", op.symbol()), level);
        }
        // The right side needs statements, and these must not run unless it is evaluated.
        let name = self.temporary();
        let mut before = self.before.borrow_mut();
        before.push(Before::Line(format!("var {name}: bool = {left};")));
        let condition = if op == BinaryOp::LogicAnd { name.clone() } else { format!("!{name}") };
        before.push(Before::Open(format!("if ({condition}) {{")));
        before.extend(lines);
        before.push(Before::Line(format!("{name} = {right};")));
        before.push(Before::Close);
        Piece::primary(name)
    }

    fn select(&self, condition: &Expr, then: &Expr, otherwise: &Expr, ty: &Type) -> Piece {
        let text = self.value(condition);
        if is_eager(ty, then, otherwise) {
            let texts = vec![self.value(otherwise), self.value(then), text];
            return Piece::primary(format!("select({})", list([otherwise, then, condition], texts)));
        }
        let name = self.temporary();
        let push = |line| self.before.borrow_mut().push(line);
        push(Before::Line(format!("var {name}: {};", types::name(self.names, ty))));
        push(Before::Open(format!("if ({text}) {{")));
        let value = self.value(then);
        push(Before::Line(format!("{name} = {value};")));
        push(Before::Reopen("} else {".into()));
        let value = self.value(otherwise);
        push(Before::Line(format!("{name} = {value};")));
        push(Before::Close);
        Piece::primary(name)
    }

    fn cast(&self, value: &Expr, to: Scalar) -> Piece {
        self.converted(self.piece(value), scalar(value), to)
    }

    fn converted(&self, inner: Piece, from: Scalar, to: Scalar) -> Piece {
        let name = types::scalar(to);
        match (from, to) {
            _ if from == to => inner,
            _ if from.is_storage() => {
                let float = self.helper(&format!("okl_f32_of_{}", from.tag()), inner);
                self.converted(float, Scalar::F32, to)
            }
            (Scalar::F32 | Scalar::F64, _) if to.is_storage() => {
                self.helper(&format!("okl_{}_of_{}", to.tag(), from.tag()), inner)
            }
            (_, Scalar::Bool) if from.is_float() => {
                let zero = self.constant(ScalarValue::zero(from)).text;
                Piece::new(format!("!({} == {zero})", inner.at_least(SHIFT)), UNARY)
            }
            (_, Scalar::Bool) => {
                let zero = self.constant(ScalarValue::zero(from)).text;
                Piece::new(format!("{} != {zero}", inner.at_least(SHIFT)), RELATION)
            }
            (Scalar::Bool, _) => {
                let one = if to.is_float() { ScalarValue::F64(1.0).cast(to) } else { ScalarValue::I32(1).cast(to) };
                let one = self.constant(one.unwrap_or(ScalarValue::zero(to))).text;
                let zero = self.constant(ScalarValue::zero(to)).text;
                Piece::primary(format!("select({zero}, {one}, {})", inner.text))
            }
            // An integer is rounded to `f32` first.
            _ if to.is_storage() => self.converted(self.converted(inner, from, Scalar::F32), Scalar::F32, to),
            (_, Scalar::I8 | Scalar::I16) => {
                let (low, bits) = (self.low_word(inner, from, "i32"), 8 * to.bytes());
                Piece::primary(format!("extractBits({low}, 0u, {bits}u)"))
            }
            (_, Scalar::U8 | Scalar::U16) if types::scalar(from) == "u32" && from.bytes() <= to.bytes() => inner,
            (_, Scalar::U8 | Scalar::U16) => {
                let mask = if to == Scalar::U8 { "0xffu" } else { "0xffffu" };
                // A negative float has no unsigned integer; its signed one is what C's compilers give.
                let low = if from.is_float() {
                    Piece::primary(format!("u32(i32({}))", inner.text))
                } else {
                    Piece::primary(self.low_word(inner, from, "u32"))
                };
                Piece::new(format!("{} & {mask}", low.at_least(UNARY)), BITS)
            }
            _ if types::scalar(from) == name => inner,
            // naga widens as the new type would: with the sign of an unsigned number, without that of a signed one.
            (_, Scalar::I64) if types::scalar(from) == "u32" => Piece::primary(format!("i64(u64({}))", inner.text)),
            (_, Scalar::U64) if types::scalar(from) == "i32" => Piece::primary(format!("u64(i64({}))", inner.text)),
            _ => Piece::primary(format!("{name}({})", inner.text)),
        }
    }

    fn helper(&self, name: &str, argument: Piece) -> Piece {
        self.needs.borrow_mut().insert(name.to_owned());
        Piece::primary(format!("{name}({})", argument.text))
    }

    fn low_word(&self, inner: Piece, from: Scalar, name: &str) -> String {
        if types::scalar(from) == name { inner.text } else { format!("{name}({})", inner.text) }
    }

    fn math(&self, function: MathFn, arguments: &[Expr], expr: &Expr) -> Piece {
        let operand = arguments.first().map_or_else(|| scalar(expr), scalar);
        let texts: Vec<String> = arguments.iter().map(|e| self.value(e)).collect();
        match library::spelling(function, operand, self.native_math) {
            Spelling::Builtin(name) => Piece::primary(format!("{name}({})", list(arguments, texts))),
            Spelling::Helper(name) => {
                let call = format!("{name}({})", list(arguments, texts));
                self.needs.borrow_mut().insert(name);
                Piece::primary(call)
            }
        }
    }

    /// The value of a place.
    fn load(&self, place: &crate::ir::Place) -> String {
        if let Some(lanes) = self.lanes(place.root) {
            return self.exchanged(place, lanes);
        }
        match self.access(place) {
            Access::Direct(text) => text,
            Access::Element { root, at } => {
                let value = self.memory.load(root, at.as_deref());
                self.memory.value_of_stored(root, &value, &place.ty)
            }
            Access::Bytes { root, at } => self.memory.load_at(root, &at, &place.ty),
        }
    }
}

/// Arguments, such that no `<` and `>` of two of them look like a template's brackets.
fn list<'e>(arguments: impl IntoIterator<Item = &'e Expr>, texts: Vec<String>) -> String {
    let brackets: Vec<Brackets> = arguments.into_iter().map(Brackets::of).collect();
    let open = brackets.iter().any(|of| of.open);
    let close = brackets.iter().any(|of| of.close);
    if !(open && close) || texts.len() < 2 {
        return texts.join(", ");
    }
    let wrap = |(text, of): (String, &Brackets)| if of.open || of.close { format!("({text})") } else { text };
    texts.into_iter().zip(&brackets).map(wrap).collect::<Vec<_>>().join(", ")
}

/// Whether an expression has operators that look like the brackets of a template.
#[derive(Default)]
struct Brackets {
    open: bool,
    close: bool,
}

impl Brackets {
    fn of(expr: &Expr) -> Self {
        let mut brackets = Self::default();
        brackets.expr(expr);
        brackets
    }
}

impl Visitor for Brackets {
    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Binary(op, ..) = &expr.kind {
            self.open |= matches!(op, BinaryOp::Lt | BinaryOp::Le);
            self.close |= matches!(op, BinaryOp::Gt | BinaryOp::Ge | BinaryOp::Shr);
        }
        walk_expr(self, expr);
    }
}

/// Whether a value is printed without statements that compute parts of it.
pub(super) fn is_inline(expr: &Expr) -> bool {
    expr.every(&|e| match &e.kind {
        ExprKind::Select(_, then, otherwise) => is_eager(&e.ty, then, otherwise),
        _ => true,
    })
}

/// Whether both sides of a selection are evaluated.
fn is_eager(ty: &Type, then: &Expr, otherwise: &Expr) -> bool {
    matches!(ty, Type::Scalar(_)) && is_cheap(then) && is_cheap(otherwise)
}

/// Whether evaluating an expression that is not needed costs little and ends.
fn is_cheap(expr: &Expr) -> bool {
    expr.every(&|e| match &e.kind {
        ExprKind::Math(function, arguments) => {
            let operand = arguments.first().and_then(|e| e.ty.scalar()).unwrap_or(Scalar::F32);
            matches!(library::spelling(*function, operand, false), Spelling::Builtin(_))
        }
        ExprKind::Call(..) => false,
        _ => true,
    })
}

/// The value of an expression of constants: WGSL would evaluate it too, but by rules of its own, and refuses overflow.
fn is_zero(value: &ScalarValue) -> bool {
    value.float() == Some(0.0) || value.integer() == Some(0)
}

/// The variable that an expression is, however converted.
fn variable(expr: &Expr) -> Option<VarId> {
    match &expr.kind {
        ExprKind::Load(place) if place.path.is_empty() => Some(place.root),
        ExprKind::Cast { value, .. } => variable(value),
        _ => None,
    }
}

fn fold(expr: &Expr) -> Option<ScalarValue> {
    let ty = expr.ty.scalar()?;
    match &expr.kind {
        ExprKind::Literal(literal) => Some(types::literal(*literal, ty)),
        ExprKind::Unary(op, a) => {
            let a = fold(a)?;
            match op {
                // A 0.0 that is hidden.
                UnaryOp::Negate if types::is_negative_zero(a) => None,
                UnaryOp::Negate if a.ty().is_integer() => ScalarValue::zero(ty).binary_wrapping(BinaryOp::Sub, a).ok(),
                _ => a.unary(*op).ok(),
            }
        }
        ExprKind::Binary(op, a, b) => fold(a)?.binary_wrapping(*op, fold(b)?).ok(),
        ExprKind::Cast { value, .. } => fold(value)?.cast(ty).ok(),
        ExprKind::Math(function, arguments) => {
            let arguments: Option<Vec<ScalarValue>> = arguments.iter().map(fold).collect();
            value::math(*function, &arguments?).ok()
        }
        _ => None,
    }
}

/// A scalar expression's type.
fn scalar(expr: &Expr) -> Scalar {
    expr.ty.scalar().unwrap_or_else(|| unreachable!("an operand has a scalar type"))
}
