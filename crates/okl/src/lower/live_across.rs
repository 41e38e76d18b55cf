//! Variables that live across a cut: computed again where that is cheap and gives the same, `@exclusive` otherwise.

use super::context::Lowering;
use crate::ir::Uses;
use crate::ir::rewrite::{Rewriter, for_regions_mut, rename, rewrite_stmt, substitute};
use crate::ir::{Expr, ExprKind, Initializer, Role, Stmt, StmtKind, Type, VarId, for_declarations};
use std::collections::{BTreeMap, BTreeSet};

/// Nodes of an expression that is cheaper to compute again than to keep in memory.
const CHEAP: usize = 24;

impl Lowering<'_, '_> {
    /// Makes every variable that one part declares and another uses known to both.
    pub(super) fn keep_live(&mut self, mut parts: Vec<Stmt>) -> Vec<Stmt> {
        let mut home: BTreeMap<VarId, usize> = BTreeMap::new();
        let mut used: Vec<BTreeSet<VarId>> = Vec::new();
        let mut assigned: BTreeSet<VarId> = BTreeSet::new();
        let mut values: BTreeMap<VarId, Expr> = BTreeMap::new();
        for_regions_mut(&mut parts, &mut |region| {
            let uses = Uses::of(&region.body);
            for_declarations(&region.body, &mut |var, init| {
                home.insert(var, used.len());
                if let Some(Initializer::Value(value)) = init {
                    values.insert(var, value.clone());
                }
            });
            used.push(uses.mentioned);
            assigned.extend(uses.assigned);
        });
        let crosses =
            |var: &VarId, at: usize| used.iter().enumerate().any(|(region, used)| region != at && used.contains(var));
        // In order of declaration, so that what a value reads is settled before it.
        let mut again: BTreeMap<VarId, Expr> = BTreeMap::new();
        let mut kept: BTreeSet<VarId> = BTreeSet::new();
        for (var, at) in &home {
            let value = values
                .get(var)
                .filter(|value| !assigned.contains(var) && self.is_stable(value))
                .map(|value| substitute(value, &again))
                .filter(|value| self.is_cheap(value, &home));
            if let Some(value) = value {
                again.insert(*var, value);
            } else if crosses(var, *at) {
                kept.insert(*var);
            }
        }
        self.compute_again(&mut parts, &home, &again);
        self.keep(&mut parts, &kept);
        parts
    }

    /// Whether a value can be computed again in another region: little arithmetic on what lives in no region. What it
    /// reads is substituted already, because values that read values double at every step.
    fn is_cheap(&self, value: &Expr, home: &BTreeMap<VarId, usize>) -> bool {
        let uses = Uses::of_expr(value);
        matches!(value.ty, Type::Scalar(_))
            && uses.weight <= CHEAP
            && !uses.mentioned.iter().any(|v| home.contains_key(v))
            && value.every(&|e| !matches!(e.kind, ExprKind::Math(..) | ExprKind::Call(..)))
    }

    /// Declares a copy of each variable in the other regions that use it.
    fn compute_again(&mut self, parts: &mut [Stmt], home: &BTreeMap<VarId, usize>, again: &BTreeMap<VarId, Expr>) {
        let mut number = 0;
        for_regions_mut(parts, &mut |region| {
            let used = Uses::of(&region.body).mentioned;
            let mut names: BTreeMap<VarId, VarId> = BTreeMap::new();
            let mut declarations = Vec::new();
            for (var, value) in again.iter().filter(|(var, _)| used.contains(var) && home[var] != number) {
                let of = self.body.var(*var).clone();
                let (declare, copy) =
                    self.captured(|s| s.temporary(&of.name, of.ty, Some(value.clone()), true, of.span));
                declarations.extend(declare);
                names.insert(*var, copy);
            }
            number += 1;
            if !names.is_empty() {
                rename(&mut region.body, &names);
                declarations.append(&mut region.body);
                region.body = declarations;
            }
        });
    }

    /// Makes variables `@exclusive`: their declarations become assignments.
    fn keep(&mut self, parts: &mut [Stmt], kept: &BTreeSet<VarId>) {
        if kept.is_empty() {
            return;
        }
        for var in kept {
            self.body.vars[var.0 as usize].role = Role::Exclusive;
            self.body.vars[var.0 as usize].is_const = false;
            if let Some(draft) = &mut self.nest {
                draft.nest.exclusive.push(*var);
            }
        }
        let mut regions: Vec<Vec<Stmt>> = Vec::new();
        for_regions_mut(parts, &mut |region| regions.push(std::mem::take(&mut region.body)));
        for body in &mut regions {
            Keep { lowering: self, kept }.list(body);
        }
        let mut regions = regions.into_iter();
        for_regions_mut(parts, &mut |region| region.body = regions.next().unwrap_or_default());
    }
}

/// Turns declarations of kept variables into assignments.
struct Keep<'l, 'u, 'f> {
    lowering: &'l mut Lowering<'u, 'f>,
    kept: &'l BTreeSet<VarId>,
}

impl Rewriter for Keep<'_, '_, '_> {
    fn list(&mut self, stmts: &mut Vec<Stmt>) {
        let mut out = Vec::with_capacity(stmts.len());
        for mut stmt in std::mem::take(stmts) {
            match stmt.kind {
                StmtKind::Declare { var, init } if self.kept.contains(&var) => {
                    if let Some(init) = init {
                        out.extend(self.lowering.set_elements(var, init, stmt.span));
                    }
                }
                StmtKind::Call { ref mut result, .. } | StmtKind::Atomic { ref mut result, .. }
                    if result.is_some_and(|var| self.kept.contains(&var)) =>
                {
                    // A result goes to a local, because only that is a variable on every target.
                    let Some(var) = *result else { continue };
                    let (of, span) = (self.lowering.body.var(var).clone(), stmt.span);
                    let (declare, local) = self.lowering.captured(|l| l.temporary(&of.name, of.ty, None, false, span));
                    *result = Some(local);
                    let value = self.lowering.read(local, span);
                    let place = self.lowering.whole(var, span);
                    out.extend(declare);
                    out.push(stmt);
                    out.push(Stmt { kind: StmtKind::Assign { place, op: None, value }, span });
                }
                _ => {
                    rewrite_stmt(self, &mut stmt);
                    out.push(stmt);
                }
            }
        }
        *stmts = out;
    }
}
