//! Integer expressions as sums of multiples: `o + 16 - o` is 16, whatever `o` is. This is what makes the extent of an
//! `@inner` loop known when its start depends on an outer index.

use super::constants::{binary, implicit, integer_of, unary};
use super::context::Lowering;
use super::pointer::same_expr;
use crate::ir::{BinaryOp, Expr, ExprKind, Role, Scalar, Type, UnaryOp};
use crate::source::Span;

/// Nodes that an expansion of known values may visit: `b = a + a; c = b + b; …` doubles at every step.
const MAX_NODES: u32 = 4096;

/// `constant + Σ factor · term`, in `long`.
#[derive(Clone, Debug, Default)]
pub(super) struct Linear {
    pub(super) constant: i64,
    pub(super) terms: Vec<(Expr, i64)>,
}

impl Linear {
    /// The sum that an integer expression is; what is no sum is a term of its own. `None` where a factor overflows.
    pub(super) fn of(expr: &Expr) -> Option<Self> {
        if let Some(value) = integer_of(expr) {
            return Some(Self { constant: i64::try_from(value).ok()?, terms: Vec::new() });
        }
        match &expr.kind {
            ExprKind::Cast { value, .. } if keeps_value(value, expr) => Self::of(value),
            ExprKind::Unary(UnaryOp::Negate, a) => Self::of(a)?.times(-1),
            ExprKind::Binary(BinaryOp::Add, a, b) => Self::of(a)?.plus(Self::of(b)?),
            ExprKind::Binary(BinaryOp::Sub, a, b) => Self::of(a)?.minus(Self::of(b)?),
            ExprKind::Binary(BinaryOp::Mul, a, b) => match (integer_of(a), integer_of(b)) {
                (Some(factor), _) => Self::of(b)?.times(i64::try_from(factor).ok()?),
                (_, Some(factor)) => Self::of(a)?.times(i64::try_from(factor).ok()?),
                _ => Some(Self { constant: 0, terms: vec![(expr.clone(), 1)] }),
            },
            _ => Some(Self { constant: 0, terms: vec![(expr.clone(), 1)] }),
        }
    }

    fn times(mut self, factor: i64) -> Option<Self> {
        self.constant = self.constant.checked_mul(factor)?;
        for term in &mut self.terms {
            term.1 = term.1.checked_mul(factor)?;
        }
        Some(self)
    }

    pub(super) fn plus(mut self, other: Self) -> Option<Self> {
        self.constant = self.constant.checked_add(other.constant)?;
        for (term, factor) in other.terms {
            match self.terms.iter_mut().find(|(known, _)| same_expr(known, &term)) {
                Some(known) => known.1 = known.1.checked_add(factor)?,
                None => self.terms.push((term, factor)),
            }
        }
        self.terms.retain(|(_, factor)| *factor != 0);
        Some(self)
    }

    pub(super) fn minus(self, other: Self) -> Option<Self> {
        self.plus(other.times(-1)?)
    }

    /// As an `I64` expression.
    pub(super) fn to_expr(&self, span: Span) -> Expr {
        let number = |n| Expr::int(n, Scalar::I64, span);
        let mut sum: Option<Expr> = None;
        for (term, factor) in &self.terms {
            let wide = implicit(term.clone(), Scalar::I64);
            let (op, size) =
                if *factor < 0 { (BinaryOp::Sub, factor.saturating_neg()) } else { (BinaryOp::Add, *factor) };
            let part = if size == 1 { wide } else { binary(BinaryOp::Mul, wide, number(size), span) };
            sum = Some(match (sum, op) {
                (None, BinaryOp::Sub) => unary(UnaryOp::Negate, part),
                (None, _) => part,
                (Some(sum), op) => binary(op, sum, part, span),
            });
        }
        match (sum, self.constant) {
            (None, constant) => number(constant),
            (Some(sum), 0) => sum,
            (Some(sum), constant) if constant < 0 && constant != i64::MIN => {
                binary(BinaryOp::Sub, sum, number(-constant), span)
            }
            (Some(sum), constant) => binary(BinaryOp::Add, sum, number(constant), span),
        }
    }
}

/// Whether a conversion between integers changes no value that does not overflow on the way.
fn keeps_value(from: &Expr, to: &Expr) -> bool {
    match (from.ty.scalar(), to.ty.scalar()) {
        (Some(a), Some(b)) => a.is_integer() && b.is_integer() && b != Scalar::Bool && a.bytes() <= b.bytes(),
        _ => false,
    }
}

impl Lowering<'_, '_> {
    /// The expression with fixed variables replaced by what they were initialised with.
    pub(super) fn expanded(&self, expr: &Expr) -> Expr {
        let mut nodes = MAX_NODES;
        self.expand(expr, &mut nodes).unwrap_or_else(|| expr.clone())
    }

    fn expand(&self, expr: &Expr, nodes: &mut u32) -> Option<Expr> {
        *nodes = nodes.checked_sub(1)?;
        let span = expr.span;
        Some(match &expr.kind {
            ExprKind::Load(place) if place.path.is_empty() => {
                let var = &self.info[place.root.0 as usize];
                match (&var.known, self.body.var(place.root).role) {
                    // The host computes its own variables once.
                    (Some(known), role) if role != Role::Host => self.expand(known, nodes)?,
                    _ => expr.clone(),
                }
            }
            ExprKind::Cast { value, implicit: by_rule } => {
                let value = self.expand(value, nodes)?;
                match expr.ty {
                    Type::Scalar(to) => super::constants::convert(value, to, *by_rule),
                    _ => expr.clone(),
                }
            }
            ExprKind::Unary(op, a) => Expr { span, ..unary(*op, self.expand(a, nodes)?) },
            ExprKind::Binary(op, a, b) => binary(*op, self.expand(a, nodes)?, self.expand(b, nodes)?, span),
            ExprKind::Select(a, b, c) => {
                let (a, b, c) = (self.expand(a, nodes)?, self.expand(b, nodes)?, self.expand(c, nodes)?);
                super::constants::select(a, b, c, span)
            }
            ExprKind::Math(function, arguments) => {
                let arguments = arguments.iter().map(|a| self.expand(a, nodes)).collect::<Option<Vec<_>>>()?;
                super::constants::math(*function, arguments, span)
            }
            ExprKind::Literal(_) | ExprKind::Load(_) | ExprKind::Call(..) | ExprKind::Builtin(_) => expr.clone(),
        })
    }

    /// Whether the host can evaluate an expression at launch: scalar parameters, host variables and arithmetic.
    pub(super) fn is_host(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Literal(_) => true,
            ExprKind::Load(place) => {
                let var = self.body.var(place.root);
                place.path.is_empty()
                    && matches!(var.role, Role::Param(_) | Role::Host)
                    && matches!(var.ty, Type::Scalar(_))
            }
            ExprKind::Unary(_, a) | ExprKind::Cast { value: a, .. } => self.is_host(a),
            ExprKind::Binary(_, a, b) => self.is_host(a) && self.is_host(b),
            ExprKind::Select(a, b, c) => self.is_host(a) && self.is_host(b) && self.is_host(c),
            ExprKind::Math(_, arguments) => arguments.iter().all(|a| self.is_host(a)),
            ExprKind::Call(..) | ExprKind::Builtin(_) => false,
        }
    }

    /// Whether an expression is arithmetic on values that never change: no memory, no calls.
    pub(super) fn is_stable(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Literal(_) => true,
            ExprKind::Load(place) => place.path.is_empty() && self.info[place.root.0 as usize].fixed,
            ExprKind::Unary(_, a) | ExprKind::Cast { value: a, .. } => self.is_stable(a),
            ExprKind::Binary(_, a, b) => self.is_stable(a) && self.is_stable(b),
            ExprKind::Select(a, b, c) => self.is_stable(a) && self.is_stable(b) && self.is_stable(c),
            ExprKind::Math(_, arguments) => arguments.iter().all(|a| self.is_stable(a)),
            ExprKind::Call(..) | ExprKind::Builtin(_) => false,
        }
    }
}
