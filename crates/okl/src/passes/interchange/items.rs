//! The items of a region: their axes, what they may compute again, what is the same for all of them.

use crate::ir::affine::{Affine, Facts};
use crate::ir::rewrite::{Rewriter, rewrite_expr};
use crate::ir::{
    Axis, Body, Expr, ExprKind, Role, Scalar, Stmt, StmtKind, Uses, VarId, build, ends_item, for_declarations,
};
use crate::passes::fold::free_definition;
use std::collections::{BTreeMap, BTreeSet};

/// Fewest items along the fastest axis: fewer are no loop to vectorise.
const FEWEST_ITEMS: i64 = 8;

/// What the items of a region have in common.
pub(super) struct Items {
    pub(super) axes: [Option<Axis>; 3],
    /// The axis whose neighbours are next to each other.
    pub(super) fastest: VarId,
    /// Variables that some item writes.
    pub(super) assigned: BTreeSet<VarId>,
    /// Variables of items: of axes, or declared in the region.
    pub(super) own: BTreeSet<VarId>,
    /// Integers that any part of the region may compute again.
    pub(super) definitions: BTreeMap<VarId, Expr>,
    /// There are enough neighbours.
    pub(super) is_long: bool,
}

/// What the items do, where all of it stands behind definitions and conditions: a tile of two axes has one for each.
pub(super) struct Guarded {
    pub(super) condition: Option<Expr>,
    pub(super) stmts: Vec<Stmt>,
}

impl Guarded {
    pub(super) fn of(body: &Body, stmts: &[Stmt]) -> Self {
        let mut guarded = Self { condition: None, stmts: stmts.to_vec() };
        while let Some((last, definitions)) = guarded.stmts.split_last()
            && let StmtKind::If { condition, then, otherwise } = &last.kind
            && otherwise.is_empty()
            && condition.is_speculatable()
            && definitions.iter().all(|stmt| free_definition(body, stmt).is_some())
            // What only the items behind a condition compute may overflow for the others.
            && (guarded.condition.is_none() || definitions.is_empty())
        {
            let stmts = [definitions, then].concat();
            guarded =
                Self { condition: guarded.condition.into_iter().chain([condition.clone()]).reduce(build::and), stmts };
        }
        guarded
    }
}

impl Items {
    /// `None` where a region is not to be touched.
    pub(super) fn of(body: &Body, axes: &[Option<Axis>; 3], stmts: &[Stmt], guard: Option<&Expr>) -> Option<Self> {
        let fastest = axes.iter().flatten().next()?;
        let is_long = fastest.count.as_int()? >= FEWEST_ITEMS && fastest.step.as_int() == Some(1);
        let has_items = axes.iter().flatten().all(|axis| axis.count.as_int().is_some_and(|count| count > 0));
        if !has_items || ends_item(stmts) {
            return None;
        }
        let assigned = Uses::of(stmts).assigned;
        if guard.is_some_and(|guard| !Uses::of_expr(guard).mentioned.is_disjoint(&assigned)) {
            return None;
        }
        let mut own: BTreeSet<VarId> = axes.iter().flatten().map(|axis| axis.var).collect();
        for_declarations(stmts, &mut |var, _| own.extend([var]));
        let again = stmts.iter().filter_map(|stmt| free_definition(body, stmt));
        let is_integer = |value: &Expr| value.ty.scalar().is_some_and(Scalar::is_integer);
        let again =
            again.filter(|(_, value)| is_integer(value) && Uses::of_expr(value).mentioned.is_disjoint(&assigned));
        let definitions = again.map(|(var, value)| (var, value.clone())).collect();
        Some(Self { axes: axes.clone(), fastest: fastest.var, assigned, own, definitions, is_long })
    }

    /// An expression with the values of definitions in their place.
    pub(super) fn inlined(&self, expr: &Expr) -> Expr {
        struct Inline<'a>(&'a BTreeMap<VarId, Expr>);
        impl Rewriter for Inline<'_> {
            fn expr(&mut self, expr: &mut Expr) {
                while let ExprKind::Load(place) = &expr.kind
                    && let (true, Some(value)) = (place.path.is_empty(), self.0.get(&place.root))
                {
                    *expr = value.clone();
                }
                rewrite_expr(self, expr);
            }
        }
        let mut expr = expr.clone();
        Inline(&self.definitions).expr(&mut expr);
        expr
    }

    /// An expression that is the same for all items of a group and whenever it is computed.
    pub(super) fn uniform(&self, body: &Body, expr: &Expr) -> Option<Expr> {
        let of_group = |var: &VarId| {
            let role = body.var(*var).role;
            !self.own.contains(var)
                && !self.assigned.contains(var)
                && !matches!(role, Role::Exclusive | Role::Shared | Role::Exchange(_))
        };
        let is_uniform = expr.is_speculatable() && Uses::of_expr(expr).mentioned.iter().all(of_group);
        is_uniform.then(|| expr.clone())
    }

    /// A value as the first item's and the distance of an item's from it, which is not below zero, nor above the last number.
    pub(super) fn beside(&self, body: &Body, value: &Expr) -> Option<(Expr, Expr, i64)> {
        let form = Facts::default().affine(value)?;
        let (mut base, mut distance, mut reach) = (form.clone(), Affine::constant(0), 0i64);
        for axis in self.axes.iter().flatten() {
            let factor = form.coefficient(axis.var);
            let start = Facts::default().affine(&self.uniform(body, &self.inlined(&axis.start))?)?;
            let step = axis.step.as_int().filter(|&step| step > 0 && factor >= 0)?;
            reach = reach.checked_add(factor.checked_mul(step.checked_mul(axis.count.as_int()? - 1)?)?)?;
            base = base.substitute(axis.var, &start)?;
            let number = Affine::term(&build::load(body, axis.var)).sub(&start)?;
            distance = distance.add(&number.scale(factor)?)?;
        }
        let base = self.uniform(body, &base.to_expr())?;
        (distance.as_constant().is_none()).then(|| (base, distance.to_expr(), reach))
    }
}
