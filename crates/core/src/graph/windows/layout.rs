//! Where the elements of a buffer stand in its shared array, as 32-bit expressions.

use okl::ir::{BinaryOp, Expr, Scalar, VarId, build};
use okl::source::Span;

/// Where positions stand in shared arrays. The variables are of type `int`.
#[derive(Clone, Copy)]
pub(super) enum Layout {
    /// A window that begins at a position.
    Window { start: VarId },
    /// Both ends: from position `split` on, `gap` elements are left out.
    Ends { split: VarId, gap: VarId },
}

/// The memory of an argument in a shared array.
#[derive(Clone, Copy)]
pub(super) struct Slots {
    pub(super) layout: Layout,
    /// The position that the argument begins at.
    pub(super) first: i64,
    /// Elements before a window.
    pub(super) before: i64,
}

impl Slots {
    /// Where an element of the argument stands.
    pub(super) fn of(self, index: Expr) -> Expr {
        let position = plus(index, int(self.first));
        match self.layout {
            Layout::Window { start } => plus(minus(position, load(start)), int(self.before)),
            Layout::Ends { split, gap } => {
                let is_first = less(position.clone(), load(split));
                minus(position, build::select(is_first, int(0), load(gap)))
            }
        }
    }
}

pub(super) fn int(value: i64) -> Expr {
    Expr::int(value, Scalar::I32, Span::default())
}

/// The value of a variable of type `int`.
pub(super) fn load(var: VarId) -> Expr {
    Expr::var(var, Scalar::I32.into(), Span::default())
}

pub(super) fn plus(a: Expr, b: Expr) -> Expr {
    match (a.as_int(), b.as_int()) {
        (Some(0), _) => b,
        (_, Some(0)) => a,
        (Some(x), Some(y)) => int(x + y),
        (_, Some(y)) if y < 0 => build::binary(BinaryOp::Sub, a, int(-y), Scalar::I32),
        _ => build::binary(BinaryOp::Add, a, b, Scalar::I32),
    }
}

pub(super) fn minus(a: Expr, b: Expr) -> Expr {
    match b.as_int() {
        Some(b) => plus(a, int(-b)),
        None => build::binary(BinaryOp::Sub, a, b, Scalar::I32),
    }
}

pub(super) fn times(a: Expr, b: i64) -> Expr {
    match b {
        0 => int(0),
        1 => a,
        _ => build::binary(BinaryOp::Mul, a, int(b), Scalar::I32),
    }
}

pub(super) fn less(a: Expr, b: Expr) -> Expr {
    build::compare(BinaryOp::Lt, a, b)
}

/// The smaller one.
pub(super) fn least(a: Expr, b: Expr) -> Expr {
    build::select(less(a.clone(), b.clone()), a, b)
}
