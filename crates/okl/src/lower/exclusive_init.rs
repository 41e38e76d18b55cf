//! Initial values of `@exclusive` variables: each item sets its own, so they run in a region. Where the next thing that
//! the group does is a region, that one starts with them; else they get a region of their own.

use super::context::Lowering;
use crate::ir::{Axis, Expr, Mark, Meeting, Region, Role, Scalar, Stmt, StmtKind};

/// The first region of a list, however deep.
fn first_region(stmts: &[Stmt]) -> Option<&Region> {
    stmts.iter().find_map(|stmt| match &stmt.kind {
        StmtKind::Inner(region) => Some(&**region),
        StmtKind::If { then, otherwise, .. } => first_region(then).or_else(|| first_region(otherwise)),
        StmtKind::Loop(l) => first_region(&l.body),
        StmtKind::Switch { arms, .. } => arms.iter().find_map(|arm| first_region(&arm.body)),
        StmtKind::Block(stmts) => first_region(stmts),
        _ => None,
    })
}

impl Lowering<'_, '_> {
    /// Gives every waiting initialiser of a nest its region.
    pub(super) fn place_exclusive_values(&mut self, stmts: Vec<Stmt>) -> Vec<Stmt> {
        let axes = first_region(&stmts).map(|region| region.axes.clone());
        match axes {
            Some(axes) => self.place_in(stmts, &axes),
            // A nest without regions is refused elsewhere.
            None => stmts,
        }
    }

    fn place_in(&mut self, stmts: Vec<Stmt>, axes: &[Option<Axis>; 3]) -> Vec<Stmt> {
        let mut out: Vec<Stmt> = Vec::with_capacity(stmts.len());
        let mut waiting: Vec<Stmt> = Vec::new();
        for mut stmt in stmts {
            match &mut stmt.kind {
                StmtKind::Mark(Mark::ExclusiveValues(values)) => {
                    waiting.append(values);
                    continue;
                }
                StmtKind::Inner(region) => {
                    let mut body = std::mem::take(&mut waiting);
                    body.append(&mut region.body);
                    region.body = body;
                }
                // A declaration changes nothing that an initialiser could read.
                StmtKind::Declare { .. } => {}
                _ => out.extend(self.own_region(&mut waiting, axes)),
            }
            self.place_below(&mut stmt, axes);
            out.push(stmt);
        }
        out.extend(self.own_region(&mut waiting, axes));
        out
    }

    fn place_below(&mut self, stmt: &mut Stmt, axes: &[Option<Axis>; 3]) {
        let place = |s: &mut Self, list: &mut Vec<Stmt>| *list = s.place_in(std::mem::take(list), axes);
        match &mut stmt.kind {
            StmtKind::If { then, otherwise, .. } => {
                place(self, then);
                place(self, otherwise);
            }
            StmtKind::Loop(l) => place(self, &mut l.body),
            StmtKind::Switch { arms, .. } => arms.iter_mut().for_each(|arm| place(self, &mut arm.body)),
            StmtKind::Block(stmts) => place(self, stmts),
            _ => {}
        }
    }

    /// A region over as many items as the nest's first one has.
    fn own_region(&mut self, waiting: &mut Vec<Stmt>, axes: &[Option<Axis>; 3]) -> Option<Stmt> {
        let span = waiting.first()?.span;
        let number = |n| Expr::int(n, Scalar::I32, span);
        let mut copy = |axis: &Option<Axis>, index: u8| {
            axis.as_ref().map(|axis| {
                let var = self.roled("item", Scalar::I32.into(), Role::Inner(index), span);
                Axis { var, start: number(0), step: number(1), count: axis.count.clone(), span }
            })
        };
        let axes = [copy(&axes[0], 0), copy(&axes[1], 1), copy(&axes[2], 2)];
        let region = Region { axes, body: std::mem::take(waiting), meeting: Meeting::Barrier };
        Some(Stmt { kind: StmtKind::Inner(Box::new(region)), span })
    }
}
