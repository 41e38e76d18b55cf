//! Expressions of the IR as the host evaluates them at a launch.

use super::{HostExpr, HostExprKind, NestArgument};
use crate::ir::{Body, Builtin, Expr, ExprKind, Kernel, Role, VarId};
use std::collections::BTreeMap;

/// Host variables in order, each with its slot.
pub struct Slots {
    order: Vec<VarId>,
    slots: BTreeMap<VarId, u32>,
}

impl Slots {
    /// The host variables of a kernel.
    pub fn of(kernel: &Kernel) -> Self {
        let order: Vec<VarId> = kernel.host_variables().collect();
        let slots = order.iter().zip(0..).map(|(&var, slot)| (var, slot)).collect();
        Self { order, slots }
    }

    /// How a launch gives a device kernel the value of a parameter or host variable.
    pub fn argument(&self, body: &Body, var: VarId) -> NestArgument {
        match body.var(var).role {
            Role::Param(position) => NestArgument::Param(position),
            _ => NestArgument::Slot(self.position(var)),
        }
    }

    /// The slot of a host variable.
    pub(crate) fn position(&self, var: VarId) -> u32 {
        self.slots[&var]
    }

    /// The host variables in the order of their slots.
    pub(crate) fn variables(&self) -> impl Iterator<Item = VarId> {
        self.order.iter().copied()
    }
}

impl HostExpr {
    /// An expression of the IR that the host can evaluate.
    pub fn of(kernel: &Kernel, slots: &Slots, expr: &Expr) -> Self {
        let go = |e: &Expr| Box::new(Self::of(kernel, slots, e));
        let kind = match &expr.kind {
            ExprKind::Literal(literal) => HostExprKind::Literal(*literal),
            ExprKind::Load(place) => match kernel.body.var(place.root).role {
                Role::Param(position) => HostExprKind::Param(position),
                _ => HostExprKind::Slot(slots.position(place.root)),
            },
            ExprKind::Unary(op, a) => HostExprKind::Unary(*op, go(a)),
            ExprKind::Binary(op, a, b) => HostExprKind::Binary(*op, go(a), go(b)),
            ExprKind::Cast { value, .. } => HostExprKind::Cast(go(value)),
            ExprKind::Select(a, b, c) => HostExprKind::Select(go(a), go(b), go(c)),
            ExprKind::Math(function, arguments) => {
                HostExprKind::Math(*function, arguments.iter().map(|e| Self::of(kernel, slots, e)).collect())
            }
            ExprKind::Builtin(Builtin::Length(position)) => HostExprKind::Length(*position),
            ExprKind::Call(..) | ExprKind::Builtin(_) => {
                unreachable!("validation lets neither device functions nor builtin values stand in the host part")
            }
        };
        Self { ty: expr.ty.scalar().unwrap_or_else(|| unreachable!("validation lets only scalars stand here")), kind }
    }
}
