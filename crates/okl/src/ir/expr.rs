//! Expressions and places of the IR.

use super::{FunctionId, Scalar, Type, VarId, Visitor, walk_expr};
use crate::source::Span;
use serde::{Deserialize, Serialize};

/// A pure expression with its type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Scalar or struct.
    pub ty: Type,
    /// Where it was written.
    pub span: Span,
}

/// The kinds of expressions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)] // the variant's line names its fields
pub enum ExprKind {
    /// A constant of the expression's type.
    Literal(Literal),
    /// The value of a variable (empty path) or of a memory element.
    Load(Place),
    /// Prefix operator.
    Unary(UnaryOp, Box<Expr>),
    /// Infix operator.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// Conversion to the expression's type, as C does it; to `Bool`: `!= 0`. `implicit`: C would do it unasked.
    Cast { value: Box<Expr>, implicit: bool },
    /// `condition ? then : otherwise`, lazy.
    Select(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A built-in function; all arguments have the type that the function works in.
    Math(MathFn, Vec<Expr>),
    /// A pure device function.
    Call(FunctionId, Vec<Argument>),
    /// A number that no variable holds.
    Builtin(Builtin),
}

/// A number that the launch or the hardware gives. Passes that make a nest what a target runs ask for them, in the
/// integer type that the target has for each; lowered IR has none, and nothing changes them while an item runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Builtin {
    /// This thread's item along an axis, from 0.
    Item(u8),
    /// This group along an axis, among all groups of the nest, from 0. Of two coarsened groups: the first one.
    Group(u8),
    /// The second of two coarsened groups along axis 0.
    NextGroup,
    /// One past the last group along axis 0, for coarsened groups.
    GroupEnd,
    /// The first of the groups that this call runs one after the other, counted through all axes (0 fastest).
    RangeBegin,
    /// One past the last of them.
    RangeEnd,
    /// Groups along an axis.
    GroupCount(u8),
    /// Items of a group along an axis, the most of any region.
    ItemCount(u8),
    /// Where the slice of the kernel's pointer parameter with this position starts in its buffer, in elements.
    Start(u32),
    /// Elements of the memory passed for the kernel's pointer parameter with this position, or the most that the type
    /// holds; 0 for null. In the host part alone.
    Length(u32),
}

/// A constant.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Literal {
    /// `true`, `false`
    Bool(bool),
    /// Any integer type; unsigned ones as their bit pattern extended without sign.
    Int(i64),
    /// `F16`, `F32` (exactly representable) or `F64`.
    Float(#[serde(with = "bits")] f64),
}

/// A float in a file is its bits: no format writes every NaN and infinity.
mod bits {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        value.to_bits().serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        u64::deserialize(deserializer).map(f64::from_bits)
    }
}

/// An argument of a device function.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Argument {
    /// By value.
    Value(Expr),
    /// The address of a place: the function's pointer parameter starts there.
    Pointer(Place),
}

/// A variable or an element of memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Place {
    /// Where the memory is.
    pub root: VarId,
    /// From the root inwards. Empty: the variable itself.
    pub path: Vec<Projection>,
    /// Type of what the path leads to (for [`Argument::Pointer`]: of the element pointed to).
    pub ty: Type,
    /// Where it was written.
    pub span: Span,
}

impl Place {
    /// The same way into another variable.
    pub(crate) fn at(self, root: VarId) -> Self {
        Self { root, ..self }
    }
}

/// One step into a place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Projection {
    /// One subscript per dimension. On a pointer parameter without `dims` it is the element offset; with `dims`
    /// the first one counts rows.
    Index(Expr),
    /// Element offset into an array or pointer parameter as if it had one dimension; stands alone for all subscripts.
    Flat(Expr),
    /// Field number of a struct.
    Field(u32),
}

/// Prefix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum UnaryOp {
    Negate,
    /// `!`, on `Bool`.
    Not,
    /// `~`
    Complement,
}

/// Infix operators. Signed overflow is undefined as in C; integer division by zero too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    BitAnd,
    BitOr,
    BitXor,
    LogicAnd,
    LogicOr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl BinaryOp {
    /// Its spelling in C.
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Div => "/",
            Self::Rem => "%",
            Self::Shl => "<<",
            Self::Shr => ">>",
            Self::BitAnd => "&",
            Self::BitOr => "|",
            Self::BitXor => "^",
            Self::LogicAnd => "&&",
            Self::LogicOr => "||",
            Self::Eq => "==",
            Self::Ne => "!=",
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
        }
    }

    /// The comparison with its sides exchanged: `a < b` is `b > a`.
    pub const fn mirrored(self) -> Self {
        match self {
            Self::Lt => Self::Gt,
            Self::Le => Self::Ge,
            Self::Gt => Self::Lt,
            Self::Ge => Self::Le,
            other => other,
        }
    }

    /// `==`, `<` and friends.
    pub const fn is_comparison(self) -> bool {
        matches!(self, Self::Eq | Self::Ne | Self::Lt | Self::Le | Self::Gt | Self::Ge)
    }
}

macro_rules! math_functions {
    ($($variant:ident $name:literal $arity:literal),* $(,)?) => {
        /// Built-in functions; `Int…` are those on integers (OKL's `min`/`max` on floats are `Fmin`/`Fmax`). C's `f` suffix (`sinf`) selects the `F32` version of the same function.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[allow(missing_docs)]
        pub enum MathFn { $($variant),* }

        impl MathFn {
            /// Every function.
            pub const ALL: &[MathFn] = &[$(MathFn::$variant),*];

            /// C's name of the `double` (or integer) version.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }

            /// Number of arguments.
            pub const fn arity(self) -> usize {
                match self { $(Self::$variant => $arity),* }
            }
        }
    };
}

math_functions! {
    Sqrt "sqrt" 1, Rsqrt "rsqrt" 1, Cbrt "cbrt" 1, Abs "fabs" 1, Exp "exp" 1, Exp2 "exp2" 1, Expm1 "expm1" 1,
    Log "log" 1, Log2 "log2" 1, Log10 "log10" 1, Log1p "log1p" 1, Pow "pow" 2, Sin "sin" 1, Cos "cos" 1,
    Tan "tan" 1, Asin "asin" 1, Acos "acos" 1, Atan "atan" 1, Atan2 "atan2" 2, Sinh "sinh" 1, Cosh "cosh" 1,
    Tanh "tanh" 1, Asinh "asinh" 1, Acosh "acosh" 1, Atanh "atanh" 1, Erf "erf" 1, Erfc "erfc" 1,
    Tgamma "tgamma" 1, Lgamma "lgamma" 1, Floor "floor" 1, Ceil "ceil" 1, Round "round" 1, Rint "rint" 1, Trunc "trunc" 1,
    Fmod "fmod" 2, Hypot "hypot" 2, Fma "fma" 3, Fmin "fmin" 2, Fmax "fmax" 2, Copysign "copysign" 2,
    IsNan "isnan" 1, IsInf "isinf" 1, IsFinite "isfinite" 1,

    IntAbs "abs" 1, IntMin "min" 2, IntMax "max" 2,
    Popcount "popcount" 1, Clz "clz" 1, Ctz "ctz" 1,
    BitsOf "bits_of" 1, FromBits "from_bits" 1, Opaque "opaque" 1,
}

impl MathFn {
    /// Whether its operands are integers. Those of the functions of bits are `U32` or `U64`; zero has as many leading and
    /// trailing zeros as it has bits.
    pub const fn is_of_integers(self) -> bool {
        matches!(self, Self::IntAbs | Self::IntMin | Self::IntMax | Self::Opaque) || self.is_of_bits()
    }

    /// Whether it takes the bits of an unsigned integer: to count them, or as those of a float.
    pub const fn is_of_bits(self) -> bool {
        matches!(self, Self::Popcount | Self::Clz | Self::Ctz | Self::FromBits)
    }

    /// Whether kernels call it by its name. What takes bits for another number's goes by names that say which; [`Self::Opaque`],
    /// an integer of which a compiler is to know nothing, is for passes.
    pub const fn has_name(self) -> bool {
        !matches!(self, Self::BitsOf | Self::FromBits | Self::Opaque)
    }

    /// Its type for operands of a type: that type, but for classes of floats and where bits are taken for another number's.
    /// `BitsOf` a float is an unsigned integer of its size, and `FromBits` goes back.
    pub const fn result(self, operand: Scalar) -> Scalar {
        match (self, operand) {
            (Self::IsNan | Self::IsInf | Self::IsFinite, _) => Scalar::Bool,
            (Self::BitsOf, Scalar::F32) => Scalar::U32,
            (Self::BitsOf, _) => Scalar::U64,
            (Self::FromBits, Scalar::U32) => Scalar::F32,
            (Self::FromBits, _) => Scalar::F64,
            _ => operand,
        }
    }
}

impl Expr {
    /// An integer constant of type `scalar`.
    pub fn int(value: i64, scalar: Scalar, span: Span) -> Self {
        Self { kind: ExprKind::Literal(Literal::Int(value)), ty: scalar.into(), span }
    }

    /// The value of a variable.
    pub fn var(root: VarId, ty: Type, span: Span) -> Self {
        Self { kind: ExprKind::Load(Place { root, path: Vec::new(), ty: ty.clone(), span }), ty, span }
    }

    /// The constant, where it is one.
    pub fn literal(&self) -> Option<Literal> {
        match self.kind {
            ExprKind::Literal(literal) => Some(literal),
            _ => None,
        }
    }

    /// The integer constant, where it is one.
    pub fn as_int(&self) -> Option<i64> {
        match self.kind {
            ExprKind::Literal(Literal::Int(value)) => Some(value),
            _ => None,
        }
    }

    /// Whether something holds for this expression and for all those within it, subscripts and arguments too.
    pub(crate) fn every(&self, holds: &dyn Fn(&Expr) -> bool) -> bool {
        struct Every<'a>(&'a dyn Fn(&Expr) -> bool, bool);
        impl Visitor for Every<'_> {
            fn expr(&mut self, expr: &Expr) {
                self.1 = self.1 && (self.0)(expr);
                if self.1 {
                    walk_expr(self, expr);
                }
            }
        }
        let mut every = Every(holds, true);
        every.expr(self);
        every.1
    }

    /// Levels of operators, casts among them; 1 for a literal or a variable.
    pub(crate) fn levels(&self) -> u32 {
        struct Levels {
            now: u32,
            most: u32,
        }
        impl Visitor for Levels {
            fn expr(&mut self, expr: &Expr) {
                self.now += 1;
                self.most = self.most.max(self.now);
                walk_expr(self, expr);
                self.now -= 1;
            }
        }
        let mut levels = Levels { now: 0, most: 0 };
        levels.expr(self);
        levels.most
    }

    /// Whether each number of its type has a quotient by it: a float, or an integer constant that is neither 0 nor, with a
    /// sign, -1, by which the least integer has none.
    pub(crate) fn divides_anything(&self) -> bool {
        let Some(ty) = self.ty.scalar().filter(|ty| ty.is_integer()) else { return true };
        self.as_int().is_some_and(|divisor| divisor != 0 && (divisor != -1 || !ty.is_signed()))
    }

    /// Whether it may be evaluated where the program would not: it reads variables only, and cannot trap.
    pub(crate) fn is_speculatable(&self) -> bool {
        self.every(&|e| match &e.kind {
            ExprKind::Load(place) => {
                matches!(place.ty, Type::Scalar(_)) && place.path.iter().all(|p| matches!(p, Projection::Field(_)))
            }
            ExprKind::Binary(BinaryOp::Div | BinaryOp::Rem, _, b) => b.divides_anything(),
            ExprKind::Math(function, _) => function.is_of_integers(),
            ExprKind::Call(..) => false,
            _ => true,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::build;

    #[test]
    fn what_may_trap_or_reads_memory_is_not_speculated() {
        let value = |number| Expr::var(VarId(number), Scalar::I32.into(), Span::default());
        let divide = |divisor| build::binary(BinaryOp::Div, value(0), divisor, Scalar::I32);
        assert!(!divide(value(1)).is_speculatable());
        assert!(!divide(Expr::int(-1, Scalar::I32, Span::default())).is_speculatable());
        assert!(divide(Expr::int(2, Scalar::I32, Span::default())).is_speculatable());
        let path = vec![Projection::Index(value(1))];
        let element = Place { root: VarId(0), path, ty: Scalar::I32.into(), span: Span::default() };
        assert!(!build::load_place(element).is_speculatable());
    }
}
