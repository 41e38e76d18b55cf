//! What is known of an expression when the kernel is compiled: values of variables that never change, and who can evaluate it.

use super::constants::{binary, unary};
use super::context::Lowering;
use crate::ir::{Expr, ExprKind, MAX_LAUNCH_LEVELS, Role, Type};

/// Nodes that an expansion of known values may visit: `b = a + a; c = b + b; …` doubles at every step.
const MAX_NODES: u32 = 4096;

impl Lowering<'_, '_> {
    /// The expression with fixed variables replaced by what they were initialised with.
    pub(super) fn expanded(&self, expr: &Expr) -> Expr {
        let mut nodes = MAX_NODES;
        self.expand(expr, &mut nodes, MAX_LAUNCH_LEVELS).unwrap_or_else(|| expr.clone())
    }

    fn expand(&self, expr: &Expr, nodes: &mut u32, levels: u32) -> Option<Expr> {
        *nodes = nodes.checked_sub(1)?;
        let levels = levels.checked_sub(1)?;
        let span = expr.span;
        Some(match &expr.kind {
            ExprKind::Load(place) if place.path.is_empty() => {
                let var = &self.info[place.root.0 as usize];
                match (&var.known, self.body.var(place.root).role) {
                    // The host computes its own variables once.
                    (Some(known), role) if role != Role::Host => self.expand(known, nodes, levels)?,
                    _ => expr.clone(),
                }
            }
            ExprKind::Cast { value, implicit: by_rule } => {
                let value = self.expand(value, nodes, levels)?;
                match expr.ty {
                    Type::Scalar(to) => super::constants::convert(value, to, *by_rule),
                    _ => expr.clone(),
                }
            }
            ExprKind::Unary(op, a) => Expr { span, ..unary(*op, self.expand(a, nodes, levels)?) },
            ExprKind::Binary(op, a, b) => {
                binary(*op, self.expand(a, nodes, levels)?, self.expand(b, nodes, levels)?, span)
            }
            ExprKind::Select(a, b, c) => {
                let (a, b, c) =
                    (self.expand(a, nodes, levels)?, self.expand(b, nodes, levels)?, self.expand(c, nodes, levels)?);
                super::constants::select(a, b, c, span)
            }
            ExprKind::Math(function, arguments) => {
                let arguments = arguments.iter().map(|a| self.expand(a, nodes, levels)).collect::<Option<Vec<_>>>()?;
                super::constants::math(*function, arguments, span)
            }
            ExprKind::Literal(_) | ExprKind::Load(_) | ExprKind::Call(..) | ExprKind::Builtin(_) => expr.clone(),
        })
    }

    /// Whether the host can evaluate an expression at launch: scalar parameters, host variables and arithmetic.
    pub(super) fn is_host(&self, expr: &Expr) -> bool {
        expr.every(&|e| match &e.kind {
            ExprKind::Load(place) => {
                let var = self.body.var(place.root);
                place.path.is_empty()
                    && matches!(var.role, Role::Param(_) | Role::Host)
                    && matches!(var.ty, Type::Scalar(_))
            }
            ExprKind::Call(..) | ExprKind::Builtin(_) => false,
            _ => true,
        })
    }

    /// Whether an expression is arithmetic on values that never change: no memory, no calls.
    pub(super) fn is_stable(&self, expr: &Expr) -> bool {
        expr.every(&|e| match &e.kind {
            ExprKind::Load(place) => place.path.is_empty() && self.info[place.root.0 as usize].fixed,
            ExprKind::Call(..) | ExprKind::Builtin(_) => false,
            _ => true,
        })
    }
}
