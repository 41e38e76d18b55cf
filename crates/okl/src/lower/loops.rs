//! The head of a parallel loop: which values its index takes, as start, step and count.

use super::Lowered;
use super::constants::{binary, common, implicit, integer_of, unary};
use super::context::Lowering;
use super::types::element_of;
use crate::diagnostic::Diagnostic;
use crate::front::ast::{self, ExprKind as A, For, Ident, Initializer, StmtKind as S};
use crate::ir::affine::{Facts, Reading};
use crate::ir::rewrite::at_span;
use crate::ir::value::ScalarValue;
use crate::ir::{BinaryOp, Expr, ExprKind, Scalar, Type, UnaryOp};
use crate::rules;
use crate::source::Span;

/// A head as written: `for (int name = start; name cmp end; name += amount)`.
#[derive(Clone, Debug)]
pub(super) struct LoopHead<'a> {
    pub(super) name: &'a Ident,
    pub(super) ty: &'a ast::TypeName,
    pub(super) start: &'a ast::Expr,
    pub(super) end: &'a ast::Expr,
    /// With the index on the left.
    pub(super) cmp: BinaryOp,
    /// The index counts down.
    pub(super) down: bool,
    /// `None` for `++` and `--`.
    pub(super) amount: Option<&'a ast::Expr>,
    /// The whole condition, as the bound check of a tile.
    pub(super) condition: &'a ast::Expr,
    pub(super) span: Span,
}

/// The values of an index.
#[derive(Clone, Debug)]
pub(super) struct Range {
    /// Type of the index.
    pub(super) scalar: Scalar,
    /// First value, of the index's type.
    pub(super) start: Expr,
    /// Difference of neighbours.
    pub(super) step: Expr,
    /// Number of values; `I64`.
    pub(super) count: Expr,
    /// How an index within the loop compares with what: the loop's condition, where there is one.
    pub(super) bound: Option<(BinaryOp, Expr)>,
}

impl Range {
    /// One iteration.
    pub(super) fn once(span: Span) -> Self {
        let number = |n, scalar| Expr::int(n, scalar, span);
        Self {
            scalar: Scalar::I32,
            start: number(0, Scalar::I32),
            step: number(1, Scalar::I32),
            count: number(1, Scalar::I64),
            bound: None,
        }
    }
}

fn is_name(expr: &ast::Expr, name: &str) -> bool {
    matches!(&expr.kind, A::Name(n) if n == name)
}

/// The whole head of a loop, for findings and as its identity.
pub(super) fn head_span(f: &For) -> Span {
    let end = f.update.as_ref().or(f.condition.as_ref()).map_or(f.init.span, |e| e.span);
    f.init.span.to(end)
}

impl Lowering<'_, '_> {
    /// Reads the head of a parallel loop.
    pub(super) fn loop_head<'a>(&mut self, f: &'a For) -> Lowered<LoopHead<'a>> {
        let span = head_span(f);
        let shape = "write `for (int i = start; i < end; ++i)`";
        let mut refuse = |span: Span, message: &str| {
            Err(self.report(Diagnostic::error(rules::PARALLEL_HEAD, span, message).hint(shape)))
        };
        let S::Declaration(declaration) = &f.init.kind else {
            return refuse(f.init.span, "a parallel loop must declare its index");
        };
        let [declarator] = declaration.declarators.as_slice() else {
            return refuse(declaration.span, "a parallel loop must declare one index and nothing else");
        };
        let Some(Initializer::Expr(start)) = &declarator.init else {
            return refuse(declarator.name.span, "the index of a parallel loop needs a first value");
        };
        let (Some(condition), Some(update)) = (&f.condition, &f.update) else {
            return refuse(span, "a parallel loop needs a condition and an update");
        };
        let name = &declarator.name;
        let A::Binary(op, left, right) = &condition.kind else {
            return refuse(condition.span, "the condition of a parallel loop must compare its index with a bound");
        };
        let cmp = super::expr::operator(*op);
        let (cmp, end) = if is_name(left, &name.name) {
            (cmp, &**right)
        } else if is_name(right, &name.name) {
            (cmp.mirrored(), &**left)
        } else {
            return refuse(condition.span, "the condition of a parallel loop must compare its index with a bound");
        };
        if !matches!(cmp, BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge | BinaryOp::Ne) {
            return refuse(condition.span, "the condition of a parallel loop must be `<`, `<=`, `>`, `>=` or `!=`");
        }
        let Some((down, amount)) = update_of(update, &name.name) else {
            return refuse(update.span, "the update of a parallel loop must be `++`, `--`, `+=` or `-=` on its index");
        };
        Ok(LoopHead { name, ty: &declarator.ty, start, end, cmp, down, amount, condition, span })
    }

    /// The values that a loop's index takes.
    pub(super) fn range(&mut self, head: &LoopHead<'_>) -> Lowered<Range> {
        let ty = self.deduce_auto(head.ty, Some(head.start))?;
        let declared = self.resolve(&ty)?;
        let scalar = match (element_of(&declared.element), &declared.pointer, declared.dims.as_slice()) {
            (Type::Scalar(scalar), None, []) if scalar.is_integer() && *scalar != Scalar::Bool => *scalar,
            _ => {
                return Err(self.error(
                    rules::PARALLEL_HEAD,
                    head.ty.span,
                    "the index of a parallel loop must be an integer",
                ));
            }
        };
        let start = implicit(self.bound(head.start, "start")?, scalar);
        let end = self.bound(head.end, "bound")?;
        let amount = match head.amount {
            Some(amount) => self.bound(amount, "step")?,
            None => Expr::int(1, Scalar::I32, head.span),
        };
        let (down, amount) = match integer_of(&amount) {
            Some(0) => {
                return Err(self.error(
                    rules::LOOP_DIRECTION,
                    head.span,
                    "the index of this loop never changes: its step is 0",
                ));
            }
            Some(n) if n < 0 => (!head.down, unary(UnaryOp::Negate, amount)),
            _ => (head.down, amount),
        };
        self.check_direction(head, down, &amount)?;
        // C compares in the common type: `unsigned i < -1` is true for all but one i.
        let compared = common(scalar, super::constants::scalar_of(&end));
        let end = implicit(end, compared);
        let distance =
            if down { self.distance(&end, &start, head.span) } else { self.distance(&start, &end, head.span) };
        let distance = match head.cmp {
            BinaryOp::Le | BinaryOp::Ge => add(distance, 1, head.span),
            _ => distance,
        };
        let count = divide_up(distance, implicit(amount.clone(), Scalar::I64), head.span);
        let signed = if scalar == Scalar::I32 { Scalar::I32 } else { Scalar::I64 };
        let amount = implicit(amount, signed);
        let step = if down { unary(UnaryOp::Negate, amount) } else { amount };
        self.check_end(head, scalar, &start, &step, &count)?;
        let op = match (head.cmp, down) {
            (BinaryOp::Ne, true) => BinaryOp::Gt,
            (BinaryOp::Ne, false) => BinaryOp::Lt,
            (op, _) => op,
        };
        Ok(Range { scalar, start, step, count, bound: Some((op, end)) })
    }

    /// Whether the index lies within its bound. A tile may step over the bound of a `!=`.
    pub(super) fn within_bound(&mut self, head: &LoopHead<'_>) -> Lowered<Expr> {
        if head.cmp != BinaryOp::Ne {
            return self.condition(head.condition);
        }
        let index = ast::Expr { kind: A::Name(head.name.name.clone()), span: head.name.span };
        let (index, end) = (self.expr(&index)?, self.bound(head.end, "bound")?);
        let op = if head.down { BinaryOp::Gt } else { BinaryOp::Lt };
        self.arithmetic(op, index, end, head.condition.span)
    }

    fn check_direction(&mut self, head: &LoopHead<'_>, down: bool, amount: &Expr) -> Lowered<()> {
        match (head.cmp, down) {
            (BinaryOp::Lt | BinaryOp::Le, true) | (BinaryOp::Gt | BinaryOp::Ge, false) => {
                let way = if down { "down" } else { "up" };
                Err(self.error(
                    rules::LOOP_DIRECTION,
                    head.span,
                    format!("this loop counts {way}, away from its bound"),
                ))
            }
            (BinaryOp::Ne, _) if integer_of(amount) != Some(1) => Err(self.report(
                Diagnostic::error(
                    rules::LOOP_DIRECTION,
                    head.condition.span,
                    "`!=` may step over its bound when the step is not 1",
                )
                .hint("use `<` or `>`"),
            )),
            _ => Ok(()),
        }
    }

    /// The first value beyond the bound fits the index's type, where it is a number: else C's loop wraps and never ends.
    fn check_end(&mut self, head: &LoopHead<'_>, ty: Scalar, start: &Expr, step: &Expr, count: &Expr) -> Lowered<()> {
        let (Some(start), Some(step), Some(count)) = (integer_of(start), integer_of(step), integer_of(count)) else {
            return Ok(());
        };
        let end = start + step * count;
        if count <= 0 || ScalarValue::from_integer(end, ty).integer() == Some(end) {
            return Ok(());
        }
        let message = format!(
            "this loop never ends: its index would have to reach {end}, which `{}` does not hold",
            ty.okl_name()
        );
        Err(self
            .report(Diagnostic::error(rules::LOOP_DIRECTION, head.span, message).hint("declare the index as `long`")))
    }

    /// A part of a head: an integer without side effects.
    fn bound(&mut self, expr: &ast::Expr, what: &str) -> Lowered<Expr> {
        let (effects, value) = self.captured(|s| s.number(expr));
        let (value, scalar) = value?;
        if !effects.is_empty() {
            return Err(self.error(
                rules::PARALLEL_HEAD,
                expr.span,
                format!("the {what} of a parallel loop must have no side effects"),
            ));
        }
        if scalar.is_float() {
            return Err(self.report(
                Diagnostic::error(
                    rules::PARALLEL_HEAD,
                    expr.span,
                    format!("the {what} of a parallel loop must be an integer, not `{}`", scalar.okl_name()),
                )
                .hint("convert it: `(int) x`"),
            ));
        }
        Ok(implicit(value, super::constants::promoted(scalar)))
    }

    /// `to - from` in `long`, simplified where that makes it constant or known to the host.
    pub(super) fn distance(&self, from: &Expr, to: &Expr, span: Span) -> Expr {
        let wide = |e: &Expr| implicit(e.clone(), Scalar::I64);
        let direct = match integer_of(from) {
            Some(0) => wide(to),
            _ => binary(BinaryOp::Sub, wide(to), wide(from), span),
        };
        if direct.literal().is_some() {
            return direct;
        }
        let (from, to) = (self.expanded(from), self.expanded(to));
        // `o + 16 - o` is 16, whatever `o` is: the extent of an `@inner` loop whose start depends on an outer index.
        let facts = Facts { reading: Reading::Unbounded, ..Facts::default() };
        match facts.affine(&to).and_then(|to| to.sub(&facts.affine(&from)?)) {
            Some(sum) if sum.as_constant().is_some() || !self.is_host(&direct) => at_span(&sum.to_expr(), span),
            _ => direct,
        }
    }
}

/// How an update changes the index: downwards or not, and by how much.
fn update_of<'a>(update: &'a ast::Expr, name: &str) -> Option<(bool, Option<&'a ast::Expr>)> {
    match &update.kind {
        A::Step { increment, target, .. } if is_name(target, name) => Some((!increment, None)),
        A::Assign(Some(ast::BinaryOp::Add), target, amount) if is_name(target, name) => Some((false, Some(amount))),
        A::Assign(Some(ast::BinaryOp::Sub), target, amount) if is_name(target, name) => Some((true, Some(amount))),
        A::Assign(None, target, value) if is_name(target, name) => match &value.kind {
            A::Binary(ast::BinaryOp::Add, a, b) if is_name(a, name) => Some((false, Some(b))),
            A::Binary(ast::BinaryOp::Add, a, b) if is_name(b, name) => Some((false, Some(a))),
            A::Binary(ast::BinaryOp::Sub, a, b) if is_name(a, name) => Some((true, Some(b))),
            _ => None,
        },
        _ => None,
    }
}

/// `value + n` for an `I64` value.
pub(super) fn add(value: Expr, n: i64, span: Span) -> Expr {
    let number = |n| Expr::int(n, Scalar::I64, span);
    // `x - 1 + 16` is `x + 15`.
    let (value, n) = match value.kind {
        ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), x, ref constant) if constant.as_int().is_some() => {
            let own = constant.as_int().unwrap_or(0);
            let own = if op == BinaryOp::Sub { own.saturating_neg() } else { own };
            (*x, own.saturating_add(n))
        }
        _ => (value, n),
    };
    match n {
        0 => value,
        n if n < 0 => binary(BinaryOp::Sub, value, number(n.saturating_neg()), span),
        n => binary(BinaryOp::Add, value, number(n), span),
    }
}

/// `⌈distance / size⌉`; what is below zero stays so.
pub(super) fn divide_up(distance: Expr, size: Expr, span: Span) -> Expr {
    match integer_of(&size) {
        Some(1) => distance,
        Some(n) => match i64::try_from(n - 1) {
            Ok(less) => binary(BinaryOp::Div, add(distance, less, span), size, span),
            Err(_) => binary(BinaryOp::Div, distance, size, span),
        },
        None => {
            let less = binary(BinaryOp::Sub, size.clone(), Expr::int(1, Scalar::I64, span), span);
            let padded = binary(BinaryOp::Add, distance, less, span);
            binary(BinaryOp::Div, padded, size, span)
        }
    }
}
