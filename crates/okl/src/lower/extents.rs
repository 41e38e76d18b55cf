//! Parallel loops of different extent on one axis: the axis gets the largest, and the body of each smaller loop runs for
//! its own values alone. An extent that depends on the index of a loop around it is bounded by interval arithmetic.
//!
//! Which extent is the largest is known at the end of a region or nest. Until then the body of each parallel loop stands
//! in a block behind [`Mark::Extent`].

use super::constants::{arithmetic, binary, implicit, integer_of, math, scalar_of, unary};
use super::context::Lowering;
use super::loop_attributes::{Part, kind_of};
use super::loops::Range;
use super::pointer::same_expr;
use crate::ir::rewrite::{Rewriter, rewrite_stmt};
use crate::ir::value::ScalarValue;
use crate::ir::{Axis, BinaryOp, Expr, ExprKind, Mark, MathFn, Scalar, Stmt, StmtKind, Type, UnaryOp, Uses, VarId};
use crate::source::Span;

/// How many values a parallel loop takes, beside how many its axis has.
#[derive(Clone, Debug)]
pub(super) struct Extent {
    part: Part,
    count: Expr,
    /// Whether this position of the axis is one of the loop's.
    condition: Expr,
}

/// Least and largest value.
type Interval = (Expr, Expr);

impl Lowering<'_, '_> {
    /// Appends the body of a parallel loop whose index is `var`.
    pub(super) fn emit_within_extent(&mut self, part: Part, range: &Range, var: VarId, body: Vec<Stmt>, span: Span) {
        let condition = self.within_extent(part, range, var, span);
        let (Some(condition), false) = (condition, part == Part::Sequential) else {
            return self.out.extend(body);
        };
        let count = if self.is_host(&range.count) { range.count.clone() } else { self.expanded(&range.count) };
        let number = self.extents.len() as u32;
        self.extents.push(Extent { part, count, condition });
        let mark = Stmt { kind: StmtKind::Mark(Mark::Extent(number)), span };
        let block = std::iter::once(mark).chain(body).collect();
        self.emit(StmtKind::Block(block), span);
    }

    fn within_extent(&self, part: Part, range: &Range, var: VarId, span: Span) -> Option<Expr> {
        if let Some((op, end)) = &range.bound {
            let index = implicit(self.read(var, span), scalar_of(end));
            return Some(binary(*op, index, end.clone(), span));
        }
        let axis = self.axis_of(part)?;
        let number = self.position_on(axis, span)?;
        Some(binary(BinaryOp::Lt, implicit(number, Scalar::I64), range.count.clone(), span))
    }

    /// The position along an axis that an item or group has, from 0.
    pub(super) fn position_on(&self, axis: &Axis, span: Span) -> Option<Expr> {
        let value = self.read(axis.var, span);
        let from_start = match integer_of(&axis.start) {
            Some(0) => value,
            _ => arithmetic(BinaryOp::Sub, value, axis.start.clone(), span)?,
        };
        match integer_of(&axis.step) {
            Some(1) => Some(from_start),
            _ => arithmetic(BinaryOp::Div, from_start, axis.step.clone(), span),
        }
    }

    /// Gives each body of a parallel loop of one kind its guard, where its axis has other positions too.
    pub(super) fn settle_extents(&mut self, stmts: &mut Vec<Stmt>, like: Part) {
        Settle { lowering: self, like }.list(stmts);
    }

    /// The least extent, known to the host, that holds every one that `count` can be.
    pub(super) fn largest_count(&self, count: &Expr) -> Option<Expr> {
        let (_, largest) = self.interval(&self.expanded(count))?;
        self.is_host(&largest).then_some(largest)
    }

    fn interval(&self, expr: &Expr) -> Option<Interval> {
        if self.is_host(expr) {
            return Some((expr.clone(), expr.clone()));
        }
        let span = expr.span;
        match &expr.kind {
            ExprKind::Load(place) if place.path.is_empty() => self.interval_of_index(place.root, span),
            ExprKind::Cast { value, .. } => {
                let (from, to) = (value.ty.scalar()?, expr.ty.scalar()?);
                let keeps = from.is_integer() && to.is_signed() && to.bytes() > from.bytes();
                let (low, high) = self.interval(value).filter(|_| keeps)?;
                Some((implicit(low, to), implicit(high, to)))
            }
            ExprKind::Unary(UnaryOp::Negate, value) if is_signed(expr) => {
                let (low, high) = self.interval(value)?;
                Some((unary(UnaryOp::Negate, high), unary(UnaryOp::Negate, low)))
            }
            ExprKind::Binary(op, left, right) if is_signed(expr) => self.interval_of(*op, left, right, span),
            ExprKind::Select(_, then, otherwise) => {
                let ((a, b), (c, d)) = (self.interval(then)?, self.interval(otherwise)?);
                Some((smaller(a, c), larger(b, d)))
            }
            ExprKind::Math(function @ (MathFn::IntMin | MathFn::IntMax), arguments) => {
                let [a, b] = arguments.as_slice() else { return None };
                let ((a, b), (c, d)) = (self.interval(a)?, self.interval(b)?);
                let pick = if *function == MathFn::IntMin { smaller } else { larger };
                Some((pick(a, c), pick(b, d)))
            }
            _ => None,
        }
    }

    fn interval_of(&self, op: BinaryOp, left: &Expr, right: &Expr, span: Span) -> Option<Interval> {
        let (a, b) = self.interval(left)?;
        let is_fixed = self.is_host(right);
        let apply = |x: &Expr, y: &Expr| binary(op, x.clone(), y.clone(), span);
        match (op, integer_of(right)) {
            (BinaryOp::Add, _) => self.interval(right).map(|(c, d)| (apply(&a, &c), apply(&b, &d))),
            (BinaryOp::Sub, _) => self.interval(right).map(|(c, d)| (apply(&a, &d), apply(&b, &c))),
            (BinaryOp::Div, Some(by)) if by > 0 => Some((apply(&a, right), apply(&b, right))),
            (BinaryOp::Rem, Some(by)) if by > 0 => {
                let most = Expr::int(i64::try_from(by - 1).ok()?, scalar_of(right), span);
                Some((unary(UnaryOp::Negate, most.clone()), most))
            }
            (BinaryOp::Mul, _) if is_fixed => {
                let (x, y) = (apply(&a, right), apply(&b, right));
                Some((smaller(x.clone(), y.clone()), larger(x, y)))
            }
            (BinaryOp::Mul, _) if self.is_host(left) => self.interval_of(op, right, left, span),
            _ => None,
        }
    }

    /// The values of a parallel loop's index.
    fn interval_of_index(&self, var: VarId, span: Span) -> Option<Interval> {
        let axis = self.open_axes().find(|axis| axis.var == var)?;
        let (low, high) = self.interval(&self.expanded(&axis.start))?;
        let scalar = self.body.var(var).ty.scalar()?;
        let last = binary(BinaryOp::Sub, axis.count.clone(), Expr::int(1, Scalar::I64, span), span);
        let reach = binary(BinaryOp::Mul, last, implicit(axis.step.clone(), Scalar::I64), span);
        let shifted = |from: &Expr| {
            let sum = binary(BinaryOp::Add, implicit(from.clone(), Scalar::I64), reach.clone(), span);
            implicit(sum, scalar)
        };
        let is_known = scalar.is_signed() && self.is_host(&axis.step);
        match integer_of(&axis.step) {
            Some(step) if step > 0 => Some((low, shifted(&high))),
            Some(_) => Some((shifted(&low), high)),
            None => Some((smaller(low.clone(), shifted(&low)), larger(high.clone(), shifted(&high)))),
        }
        .filter(|_| is_known)
    }
}

fn is_signed(expr: &Expr) -> bool {
    matches!(expr.ty, Type::Scalar(scalar) if scalar.is_integer() && scalar.is_signed())
}

/// Nodes of a value that stands in a comparison and then again: the larger of many would double with each.
const MOST_WRITTEN_TWICE: usize = 100;

fn pick(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    if same_expr(&a, &b) {
        return a;
    }
    let (span, ty) = (a.span, a.ty.clone());
    if Uses::of_expr(&a).weight.max(Uses::of_expr(&b).weight) > MOST_WRITTEN_TWICE {
        let function = if op == BinaryOp::Gt { MathFn::IntMax } else { MathFn::IntMin };
        return math(function, vec![a, b], span);
    }
    let first = binary(op, a.clone(), b.clone(), span);
    match super::constants::value_of(&first).map(ScalarValue::is_true) {
        Some(true) => a,
        Some(false) => b,
        None => Expr { kind: ExprKind::Select(Box::new(first), Box::new(a), Box::new(b)), ty, span },
    }
}

/// The larger of two host values.
pub(super) fn larger(a: Expr, b: Expr) -> Expr {
    pick(BinaryOp::Gt, a, b)
}

fn smaller(a: Expr, b: Expr) -> Expr {
    pick(BinaryOp::Lt, a, b)
}

struct Settle<'l, 'u, 'f> {
    lowering: &'l mut Lowering<'u, 'f>,
    like: Part,
}

impl Settle<'_, '_, '_> {
    /// The guard of a body, none where every position is the loop's.
    fn guard(&self, number: u32) -> Option<Expr> {
        let extent = &self.lowering.extents[number as usize];
        let axis = self.lowering.axis_of(extent.part)?;
        (!same_expr(&axis.count, &extent.count)).then(|| extent.condition.clone())
    }
}

impl Settle<'_, '_, '_> {
    /// What the first item of a row does, where a block is that.
    fn row(&self, stmt: &mut Stmt) -> Option<Stmt> {
        let span = stmt.span;
        let StmtKind::Block(list) = &mut stmt.kind else { return None };
        let Some(StmtKind::Mark(Mark::Row(number))) = list.first().map(|first| &first.kind) else { return None };
        let condition = self.lowering.is_first_of_row(*number, span);
        let then = list.split_off(1);
        let kind = match condition {
            Some(condition) => StmtKind::If { condition, then, otherwise: Vec::new() },
            None => StmtKind::Block(then),
        };
        Some(Stmt { kind, span })
    }
}

impl Rewriter for Settle<'_, '_, '_> {
    fn list(&mut self, stmts: &mut Vec<Stmt>) {
        let mut out = Vec::with_capacity(stmts.len());
        for mut stmt in std::mem::take(stmts) {
            rewrite_stmt(self, &mut stmt);
            let span = stmt.span;
            if let Some(row) = self.row(&mut stmt) {
                out.push(row);
                continue;
            }
            let number = match &stmt.kind {
                StmtKind::Block(list) => list.first().and_then(|first| match first.kind {
                    StmtKind::Mark(Mark::Extent(number)) => Some(number),
                    _ => None,
                }),
                _ => None,
            };
            let number = number.filter(|&n| kind_of(self.lowering.extents[n as usize].part) == kind_of(self.like));
            let (Some(number), StmtKind::Block(list)) = (number, &mut stmt.kind) else {
                out.push(stmt);
                continue;
            };
            let then = list.split_off(1);
            match self.guard(number) {
                None => out.extend(then),
                Some(condition) => {
                    if let Some(draft) = &mut self.lowering.nest {
                        draft.guards.insert(span);
                    }
                    out.push(Stmt { kind: StmtKind::If { condition, then, otherwise: Vec::new() }, span });
                }
            }
        }
        *stmts = out;
    }
}
