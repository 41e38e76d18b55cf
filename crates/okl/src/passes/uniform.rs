//! Which values are the same for all items of a group, and which differ, and along which axes.
//!
//! A GPU target wants to know before it puts a barrier or a workgroup-wide load under a condition; a CPU target,
//! before it takes a condition out of a loop over items. The answer holds for kernels without races: what all items
//! read from one address is one value, flagged [`Varies::MEMORY`] because a target's own rules may not see that.

use crate::ir::{
    Argument, Body, Expr, ExprKind, Initializer, Kernel, Nest, Place, Pointer, Projection, Role, Stmt, StmtKind, Type,
    VarId,
};
use std::ops::{BitOr, BitOrAssign};

/// On what a value depends within a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Varies(u8);

impl Varies {
    /// On nothing: it is the same for all items.
    pub const NOTHING: Self = Self(0);
    /// On memory that kernels may write.
    pub const MEMORY: Self = Self(8);
    /// On the item in a way that cannot be told.
    pub const ITEM: Self = Self(7);

    /// On the item's position along an inner axis.
    pub const fn axis(axis: u8) -> Self {
        Self(1 << axis)
    }

    /// Whether all items of a group have one value, provided there are no races.
    pub const fn is_uniform(self) -> bool {
        self.0 & Self::ITEM.0 == 0
    }

    /// Whether all items have one value, and that follows from indices and parameters alone.
    pub const fn is_plainly_uniform(self) -> bool {
        self.0 == 0
    }

    /// Whether it may differ along an inner axis.
    pub const fn along(self, axis: u8) -> bool {
        self.0 & (1 << axis) != 0
    }
}

impl BitOr for Varies {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Varies {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

/// The answer for every variable of a nest.
#[derive(Clone, Debug)]
pub struct Uniformity<'a> {
    body: &'a Body,
    vars: Vec<Varies>,
}

impl<'a> Uniformity<'a> {
    /// Looks at all statements of a nest until nothing new turns up.
    pub fn of_nest(kernel: &'a Kernel, nest: &Nest) -> Self {
        let start = |role: Role| {
            if let Role::Inner(axis) = role { Varies::axis(axis) } else { Varies::NOTHING }
        };
        let vars = kernel.body.vars.iter().map(|variable| start(variable.role)).collect();
        let mut walk = Walk { found: Self { body: &kernel.body, vars }, control: Varies::NOTHING, changed: true };
        while std::mem::take(&mut walk.changed) {
            walk.list(&nest.stmts);
        }
        walk.found
    }

    /// A variable; an array stands for all its elements.
    pub fn var(&self, var: VarId) -> Varies {
        self.vars[var.0 as usize]
    }

    /// An expression.
    pub fn expr(&self, expr: &Expr) -> Varies {
        match &expr.kind {
            ExprKind::Literal(_) => Varies::NOTHING,
            ExprKind::Load(place) => self.load(place),
            ExprKind::Unary(_, a) | ExprKind::Cast { value: a, .. } => self.expr(a),
            ExprKind::Binary(_, a, b) => self.expr(a) | self.expr(b),
            ExprKind::Select(a, b, c) => self.expr(a) | self.expr(b) | self.expr(c),
            ExprKind::Math(_, arguments) => self.join(arguments),
            ExprKind::Call(_, arguments) => self.arguments(arguments),
        }
    }

    fn join(&self, exprs: &[Expr]) -> Varies {
        exprs.iter().fold(Varies::NOTHING, |all, expr| all | self.expr(expr))
    }

    fn arguments(&self, arguments: &[Argument]) -> Varies {
        arguments.iter().fold(Varies::NOTHING, |all, argument| {
            all | match argument {
                Argument::Value(value) => self.expr(value),
                Argument::Pointer(place) => self.load(place),
            }
        })
    }

    /// A place that is read: its address, and what lies there.
    fn load(&self, place: &Place) -> Varies {
        let address = self.address(place);
        let variable = self.body.var(place.root);
        match (&variable.ty, variable.role) {
            (Type::Pointer(Pointer { mutable: false, .. }), _) | (_, Role::Constant(_)) => address,
            (Type::Pointer(_), _) | (_, Role::Shared) => address | Varies::MEMORY,
            _ => address | self.var(place.root),
        }
    }

    fn address(&self, place: &Place) -> Varies {
        place.path.iter().fold(Varies::NOTHING, |all, projection| match projection {
            Projection::Index(e) | Projection::Flat(e) => all | self.expr(e),
            Projection::Field(_) => all,
        })
    }
}

struct Walk<'a> {
    found: Uniformity<'a>,
    /// What decides whether the statement runs at all.
    control: Varies,
    changed: bool,
}

impl Walk<'_> {
    fn list(&mut self, stmts: &[Stmt]) {
        stmts.iter().for_each(|stmt| self.stmt(stmt));
    }

    /// Statements that run under a condition. An item that leaves there makes all that follows conditional.
    fn under(&mut self, condition: Varies, stmts: &[Stmt]) {
        let outside = self.control;
        self.control |= condition;
        self.list(stmts);
        if !leaves(stmts) {
            self.control = outside;
        }
    }

    fn set(&mut self, var: VarId, value: Varies) {
        let variable = self.found.body.var(var);
        // Memory that all items share is looked up by address, not here.
        if matches!(variable.ty, Type::Pointer(_)) || variable.role == Role::Shared {
            return;
        }
        let known = &mut self.found.vars[var.0 as usize];
        let joined = *known | value | self.control;
        self.changed |= *known != joined;
        *known = joined;
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Declare { var, init } => {
                let value = match init {
                    Some(Initializer::Value(value)) => self.found.expr(value),
                    Some(Initializer::List(values)) => self.found.join(values),
                    None => Varies::NOTHING,
                };
                self.set(*var, value);
            }
            StmtKind::Assign { place, value, .. } => {
                let value = self.found.expr(value) | self.found.address(place);
                self.set(place.root, value);
            }
            // Each item gets the value that the one before it left.
            StmtKind::Atomic { result, .. } => {
                result.iter().for_each(|&var| self.set(var, Varies::ITEM | Varies::MEMORY))
            }
            StmtKind::Call { arguments, result, .. } => self.call(arguments, *result),
            StmtKind::If { condition, then, otherwise } => {
                let condition = self.found.expr(condition);
                self.under(condition, then);
                self.under(condition, otherwise);
            }
            StmtKind::Loop(l) => {
                let outside = self.control;
                self.list(&l.init);
                self.control |= l.condition.as_ref().map_or(Varies::NOTHING, |condition| self.found.expr(condition));
                self.list(&l.head);
                self.list(&l.body);
                self.list(&l.update);
                // Whoever leaves the loop early misses what the next turn does to a variable: one more look with
                // what has been gathered on the way.
                self.list(&l.head);
                self.list(&l.body);
                self.list(&l.update);
                self.control = outside;
            }
            StmtKind::Switch { value, arms } => {
                let value = self.found.expr(value);
                arms.iter().for_each(|arm| self.under(value, &arm.body));
            }
            StmtKind::Block(stmts) => self.list(stmts),
            StmtKind::Inner(region) => {
                let outside = self.control;
                self.list(&region.body);
                self.control = outside;
            }
            StmtKind::Break | StmtKind::Continue | StmtKind::Return(_) | StmtKind::EndItem => {}
        }
    }

    fn call(&mut self, arguments: &[Argument], result: Option<VarId>) {
        let value = self.found.arguments(arguments) | Varies::MEMORY;
        for argument in arguments {
            if let Argument::Pointer(place) = argument {
                self.set(place.root, value);
            }
        }
        result.iter().for_each(|&var| self.set(var, value));
    }
}

/// Whether some path through the statements leaves the loop or the region they stand in.
fn leaves(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Break | StmtKind::Continue | StmtKind::Return(_) | StmtKind::EndItem => true,
        StmtKind::If { then, otherwise, .. } => leaves(then) || leaves(otherwise),
        StmtKind::Block(stmts) => leaves(stmts),
        StmtKind::Loop(l) => leaves(&l.body),
        StmtKind::Switch { arms, .. } => arms.iter().any(|arm| leaves(&arm.body)),
        _ => false,
    })
}
