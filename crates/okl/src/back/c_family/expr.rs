//! Expressions.
//!
//! The IR spells out every conversion; C makes most of them by itself. A printed [`TypedText`] therefore carries the
//! type that *C* gives its text. [`Printer::natural`] leaves conversions to C: the text, converted to the
//! expression's type, has the expression's value. [`Printer::exact`] has the expression's type. Whoever combines
//! pieces checks that C's usual conversions lead to the operand type that the IR asks for.

use super::near::Arguments;
use super::{Printer, literal, types};
use crate::ir::{Argument, BinaryOp, Expr, ExprKind, Literal, MathFn, Scalar, Type, UnaryOp};

/// C's levels of precedence, the tightest last.
pub(super) const SELECT: u8 = 3;
/// Precedence of a prefix operator.
pub const UNARY: u8 = 15;
/// Precedence of a name, a call, a subscript: never in parentheses.
pub const PRIMARY: u8 = 16;

/// Printed text with its outermost operator's precedence and the type that C gives it.
#[derive(Clone)]
pub struct TypedText {
    pub(super) text: String,
    precedence: u8,
    ty: Scalar,
    /// Its first character is a minus.
    has_minus: bool,
}

impl TypedText {
    /// Text of an operator of that precedence, of which C makes a value of type `ty`.
    pub fn new(text: impl Into<String>, precedence: u8, ty: Scalar) -> Self {
        Self { text: text.into(), precedence, ty, has_minus: false }
    }

    /// Text that begins with a minus, which binds as tightly as any prefix.
    pub(super) fn negative(text: impl Into<String>, ty: Scalar) -> Self {
        Self { has_minus: true, ..Self::new(text, UNARY, ty) }
    }

    /// The text, in parentheses where it binds less tightly than `precedence`.
    pub(super) fn at_least(self, precedence: u8) -> String {
        if self.precedence < precedence { format!("({})", self.text) } else { self.text }
    }
}

impl Printer<'_> {
    /// A value of which C makes the expression's type by itself: in an initialiser, an assignment, an argument.
    pub(super) fn value(&self, expr: &Expr) -> String {
        match expr.ty {
            Type::Scalar(_) => self.natural(expr).text,
            _ => self.aggregate(expr),
        }
    }

    /// A value in braces, where C++ lets no sign change by itself.
    pub(super) fn listed(&self, expr: &Expr) -> String {
        let Type::Scalar(ty) = expr.ty else { return self.aggregate(expr) };
        let piece = self.natural(expr);
        let changes_sign = piece.ty.is_integer() && ty.is_integer() && piece.ty.is_signed() != ty.is_signed();
        if changes_sign && !types::widens(piece.ty, ty) { self.exact(expr).text } else { piece.text }
    }

    /// A value whose type is the expression's even where nothing converts it; `cast` may stand before it.
    pub(super) fn of_exact_type(&self, expr: &Expr, cast: &str) -> String {
        let piece = if cast.is_empty() { self.exact(expr) } else { self.natural(expr) };
        if cast.is_empty() { piece.text } else { format!("{cast}{}", piece.at_least(UNARY)) }
    }

    /// A value that is tested: `x` where the IR has `x != 0`.
    pub(super) fn condition(&self, expr: &Expr) -> String {
        self.tested(expr).text
    }

    /// An integer where any type with the same value will do.
    pub(super) fn subscript(&self, expr: &Expr) -> String {
        let piece = self.natural(expr);
        let ty = scalar(expr);
        if types::widens(piece.ty, ty) || piece.ty.bytes() == ty.bytes() { piece.text } else { self.exact(expr).text }
    }

    /// The right side of `place op= value` where the place has type `ty`.
    pub(super) fn compound(&self, expr: &Expr, ty: Scalar) -> String {
        let piece = self.natural(expr);
        if types::usual(ty, piece.ty) == types::promote(ty) { piece.text } else { self.exact(expr).text }
    }

    /// A struct, or a call that returns nothing.
    fn aggregate(&self, expr: &Expr) -> String {
        match &expr.kind {
            ExprKind::Load(place) => self.place(place),
            ExprKind::Call(function, arguments) => self.call(*function, arguments),
            ExprKind::Select(condition, then, otherwise) => {
                let condition = self.chooses(condition).at_least(SELECT + 1);
                format!("{condition} ? {} : {}", self.aggregate(then), self.aggregate(otherwise))
            }
            _ => unreachable!("a struct value is loaded, selected or returned"),
        }
    }

    /// A call of a device function.
    pub(super) fn call(&self, function: crate::ir::FunctionId, arguments: &[Argument]) -> String {
        let name = self.names.function(function);
        let function = &self.module.functions[function.0 as usize];
        let texts: Vec<String> = arguments
            .iter()
            .zip(&function.params)
            .map(|(argument, &param)| match (argument, &function.body.var(param).ty) {
                (Argument::Pointer(place), Type::Pointer(pointer)) => self.address(place, pointer),
                (Argument::Value(value), _) => self.value(value),
                (Argument::Pointer(_), _) => {
                    unreachable!("an address is passed to a pointer parameter")
                }
            })
            .collect();
        format!("{name}({})", texts.join(", "))
    }

    fn natural(&self, expr: &Expr) -> TypedText {
        let ty = scalar(expr);
        match &expr.kind {
            ExprKind::Literal(value) => self.literal(*value, ty),
            ExprKind::Load(place) => TypedText::new(self.loaded(place), PRIMARY, ty),
            ExprKind::Unary(op, operand) => self.unary(*op, operand, ty),
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b, ty),
            ExprKind::Cast { value, implicit } => self.cast(value, ty, *implicit),
            ExprKind::Select(condition, then, otherwise) => self.select(condition, then, otherwise, ty),
            ExprKind::Math(function, arguments) => self.math(*function, arguments, ty),
            ExprKind::Call(function, arguments) => TypedText::new(self.call(*function, arguments), PRIMARY, ty),
            ExprKind::Builtin(builtin) => match self.builtins.get(builtin) {
                Some(text) => text.clone(),
                None => unreachable!("{builtin:?} is not of this form"),
            },
        }
    }

    /// The expression in its own type.
    fn exact(&self, expr: &Expr) -> TypedText {
        let ty = scalar(expr);
        if let ExprKind::Literal(value) = expr.kind
            && let Some(piece) = self.negative_zero(value, ty).or_else(|| literal::exact(self.words, value, ty))
        {
            return piece;
        }
        let piece = self.natural(expr);
        if piece.ty == ty {
            return piece;
        }
        TypedText::new(format!("({}){}", (self.words.scalar)(ty), piece.at_least(UNARY)), UNARY, ty)
    }

    fn literal(&self, value: Literal, ty: Scalar) -> TypedText {
        self.negative_zero(value, ty).unwrap_or_else(|| self.known_literal(value, ty))
    }

    /// [`Language::negative_zero`], if that is the value.
    fn negative_zero(&self, value: Literal, ty: Scalar) -> Option<TypedText> {
        let is_negative_zero = matches!(value, Literal::Float(value) if value == 0.0 && value.is_sign_negative());
        let spelling = self.words.negative_zero.filter(|_| is_negative_zero && !ty.is_storage())?;
        Some(TypedText::new(self.callee(spelling(ty)), PRIMARY, ty))
    }

    fn known_literal(&self, value: Literal, ty: Scalar) -> TypedText {
        // The library names these; a half is its bits.
        if matches!(value, Literal::Float(value) if !value.is_finite()) && ty != Scalar::F16 {
            self.needs.borrow_mut().math = true;
        }
        literal::natural(self.words, value, ty)
    }

    fn tested(&self, expr: &Expr) -> TypedText {
        match &expr.kind {
            ExprKind::Cast { value, implicit: true }
                if expr.ty == Type::Scalar(Scalar::Bool) && !scalar(value).is_storage() =>
            {
                self.natural(value)
            }
            _ => self.natural(expr),
        }
    }

    /// A condition in front of `?`.
    fn chooses(&self, expr: &Expr) -> TypedText {
        let piece = self.tested(expr);
        if piece.ty.is_float() && self.words.selects_by_integers { self.natural(expr) } else { piece }
    }

    fn unary(&self, op: UnaryOp, operand: &Expr, ty: Scalar) -> TypedText {
        if op == UnaryOp::Not {
            return TypedText::new(format!("!{}", self.tested(operand).at_least(UNARY)), UNARY, Scalar::Bool);
        }
        let mut piece = self.natural(operand);
        if types::promote(piece.ty) != ty {
            piece = self.exact(operand);
        }
        if op == UnaryOp::Negate {
            // `--x` would be another operator.
            let floor = if piece.has_minus { PRIMARY } else { UNARY };
            let text = piece.at_least(floor);
            return TypedText::negative(format!("-{text}"), ty);
        }
        TypedText::new(format!("~{}", piece.at_least(UNARY)), UNARY, ty)
    }

    /// Notes an operator that a text may need something for.
    pub(super) fn note(&self, op: BinaryOp, ty: Scalar) {
        self.needs.borrow_mut().subtracts |= op == BinaryOp::Sub && ty.is_float();
    }

    fn binary(&self, op: BinaryOp, a: &Expr, b: &Expr, ty: Scalar) -> TypedText {
        self.note(op, ty);
        let level = precedence(op);
        let symbol = op.symbol();
        let (left, right) = match op {
            BinaryOp::LogicAnd | BinaryOp::LogicOr => (self.tested(a), self.tested(b)),
            BinaryOp::Shl | BinaryOp::Shr => {
                let left = self.natural(a);
                let left = if types::promote(left.ty) == ty { left } else { self.exact(a) };
                (left, self.natural(b))
            }
            _ if op.is_comparison() => self.compared(a, b),
            _ => self.pair(a, b, ty),
        };
        let loose = |piece: TypedText, side: u8| {
            // Mixtures whose precedence few remember are parenthesised, as compilers advise.
            let floor = match op {
                BinaryOp::Shl | BinaryOp::Shr | BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => {
                    if piece.precedence == level { level } else { UNARY }
                }
                BinaryOp::LogicOr if piece.precedence == precedence(BinaryOp::LogicAnd) => PRIMARY,
                _ if op.is_comparison() => precedence(BinaryOp::Lt) + 1,
                _ => level,
            };
            piece.at_least(floor.max(level + side))
        };
        let ty = if op.is_comparison() || ty == Scalar::Bool { Scalar::Bool } else { ty };
        TypedText::new(format!("{} {symbol} {}", loose(left, 0), loose(right, 1)), level, ty)
    }

    /// Two operands that C converts to `ty`.
    fn pair(&self, a: &Expr, b: &Expr, ty: Scalar) -> (TypedText, TypedText) {
        let (left, right) = (self.natural(a), self.natural(b));
        if types::usual(left.ty, right.ty) == ty {
            return (left, right);
        }
        // One conversion is enough most of the time; a variable's rather than a constant's.
        let right_first = a.literal().is_some() && b.literal().is_none();
        if right_first && types::usual(left.ty, ty) == ty {
            return (left, self.exact(b));
        }
        if types::usual(ty, right.ty) == ty {
            return (self.exact(a), right);
        }
        if types::usual(left.ty, ty) == ty {
            return (left, self.exact(b));
        }
        (self.exact(a), self.exact(b))
    }

    /// Two operands of a comparison, whose result is the same in any type that holds both values.
    fn compared(&self, a: &Expr, b: &Expr) -> (TypedText, TypedText) {
        let ty = scalar(a);
        let (left, right) = (self.natural(a), self.natural(b));
        let common = types::usual(left.ty, right.ty);
        let holds = |piece: &TypedText| types::widens(piece.ty, common) && types::widens(piece.ty, ty);
        let nonnegative = |e: &Expr| e.as_int().is_some_and(|value| value >= 0);
        if holds(&left) && holds(&right) {
            return (left, right);
        }
        if common == ty && (nonnegative(a) || nonnegative(b)) {
            return (left, right);
        }
        if common == ty && ty.is_float() {
            return (left, right);
        }
        // A comparison of different signs is written out: compilers warn of it, and readers stumble.
        (self.exact(a), self.exact(b))
    }

    fn cast(&self, value: &Expr, ty: Scalar, implicit: bool) -> TypedText {
        let from = scalar(value);
        let inner = self.natural(value);
        if ty == from {
            return inner;
        }
        let (inner, from) = match from.computes_as() {
            float if from.is_storage() => (self.convert_storage(inner.text, from, float), float),
            _ => (inner, from),
        };
        if ty == from {
            return inner;
        }
        // What C would convert twice may be converted once only if the first step changes no value.
        let inner = if types::widens(inner.ty, from) { inner } else { self.exact(value) };
        if ty.is_storage() {
            // An integer is rounded to `float` first.
            let from = if from == Scalar::F64 { from } else { ty.computes_as() };
            return self.convert_storage(inner.text, from, ty);
        }
        if ty == Scalar::Bool && from != Scalar::Bool {
            let zero = if from.is_float() { "0.0" } else { "0" };
            let zero = if from == Scalar::F32 { "0.0f" } else { zero };
            return TypedText::new(format!("{} != {zero}", inner.at_least(10)), precedence(BinaryOp::Ne), Scalar::Bool);
        }
        let wide = ty.computes_as();
        if from.is_float()
            && !ty.is_float()
            && value.literal().is_none()
            && let Some(truncate) = (self.words.truncate)(from, wide)
        {
            let whole = format!("{}({})", self.callee(truncate), inner.text);
            let whole = TypedText::new(whole, PRIMARY, wide);
            if implicit || wide == ty {
                return whole;
            }
            return TypedText::new(format!("({}){}", (self.words.scalar)(ty), whole.text), UNARY, ty);
        }
        if implicit {
            return inner;
        }
        TypedText::new(format!("({}){}", (self.words.scalar)(ty), inner.at_least(UNARY)), UNARY, ty)
    }

    fn convert_storage(&self, text: String, from: Scalar, to: Scalar) -> TypedText {
        let convert = |text, spelling| format!("{}({text})", self.callee(spelling));
        let conversions = super::conversions(self.words, from, to);
        TypedText::new(conversions.into_iter().fold(text, convert), PRIMARY, to)
    }

    fn select(&self, condition: &Expr, then: &Expr, otherwise: &Expr, ty: Scalar) -> TypedText {
        let condition = self.chooses(condition).at_least(SELECT + 1);
        let (then_piece, other_piece) = (self.natural(then), self.natural(otherwise));
        let same_sign = then_piece.ty.is_signed() == other_piece.ty.is_signed() || ty.is_float();
        let common =
            if then_piece.ty == other_piece.ty { then_piece.ty } else { types::usual(then_piece.ty, other_piece.ty) };
        let holds = |piece: &TypedText| types::widens(piece.ty, common) && types::widens(piece.ty, ty);
        let fits = same_sign && (common == ty || holds(&then_piece) && holds(&other_piece));
        let (then_piece, other_piece, common) =
            if fits { (then_piece, other_piece, common) } else { (self.exact(then), self.exact(otherwise), ty) };
        let text = format!("{condition} ? {} : {}", then_piece.at_least(SELECT + 1), other_piece.at_least(SELECT));
        TypedText::new(text, SELECT, common)
    }

    fn math(&self, function: MathFn, arguments: &[Expr], ty: Scalar) -> TypedText {
        let operand = arguments.first().map_or(ty, scalar);
        let common = match self.arguments {
            Arguments::Common => self.words.common.and_then(|common| common(function, operand)),
            _ => None,
        };
        let spelling = match common {
            Some([spelling, _]) => spelling,
            None => (self.words.math)(function, operand),
        };
        let is_overloaded = self.words.overloads && spelling.helper.is_none();
        let name = self.callee(spelling);
        // `isnan` and its like are macros that look at the type of their argument.
        let classifies = matches!(function, MathFn::IsNan | MathFn::IsInf | MathFn::IsFinite);
        let by_type = is_overloaded || classifies;
        let texts: Vec<String> =
            arguments.iter().map(|e| if by_type { self.exact(e).text } else { self.natural(e).text }).collect();
        let call = format!("{name}({})", texts.join(", "));
        if classifies {
            // C promises some number that is not zero: glibc's `isinf` of a negative number is -1.
            return TypedText::new(format!("{call} != 0"), precedence(BinaryOp::Ne), ty);
        }
        TypedText::new(call, PRIMARY, ty)
    }

    /// A constant of a file-scope table.
    pub(super) fn constant(&self, value: Literal, ty: Scalar) -> String {
        self.known_literal(value, ty).text
    }
}

/// A scalar expression's type.
fn scalar(expr: &Expr) -> Scalar {
    expr.ty.scalar().unwrap_or_else(|| unreachable!("an operand has a scalar type"))
}

fn precedence(op: BinaryOp) -> u8 {
    match op {
        BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => 13,
        BinaryOp::Add | BinaryOp::Sub => 12,
        BinaryOp::Shl | BinaryOp::Shr => 11,
        BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => 10,
        BinaryOp::Eq | BinaryOp::Ne => 9,
        BinaryOp::BitAnd => 8,
        BinaryOp::BitXor => 7,
        BinaryOp::BitOr => 6,
        BinaryOp::LogicAnd => 5,
        BinaryOp::LogicOr => 4,
    }
}
