//! What a launch needs to know of a nest, read from its regions or, once these have become loops or threads, from what
//! the pass kept of them.

use super::rewrite::without_spans;
use super::{Body, Expr, ExprKind, Module, Nest, Stmt, StmtKind, VarId, Visitor, build, bytes_of, for_regions};
use super::{walk_expr, walk_stmt};
use serde::{Deserialize, Serialize};

/// What a launch needs to know of a nest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LaunchShape {
    /// Items of a group along each axis: each number that some region has, host-evaluable, once. A group has the most.
    pub items: [Vec<Expr>; 3],
    /// Bytes of shared variables.
    pub shared_bytes: u64,
    /// Operations per item, counted roughly.
    pub cost: u32,
    /// In loops: memory for exclusive variables that is sized at launch.
    pub scratch: Option<Scratch>,
}

/// Memory with elements for each item of a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scratch {
    /// Holds the number of items of a group.
    pub items: VarId,
    /// The pointers to its parts, in order, each with the bytes per item of its part.
    pub slabs: Vec<(VarId, u64)>,
}

impl Scratch {
    /// Bytes per item.
    pub fn bytes(&self) -> u64 {
        self.slabs.iter().map(|(_, bytes)| bytes).sum()
    }

    /// The pointers, each with the bytes per item that lie before its part.
    pub fn starts(&self) -> impl Iterator<Item = (VarId, u64)> {
        self.slabs.iter().scan(0, |end, &(var, bytes)| Some((var, std::mem::replace(end, *end + bytes))))
    }
}

impl LaunchShape {
    /// That of a nest.
    pub fn of(module: &Module, body: &Body, nest: &Nest) -> Self {
        nest.launch.clone().unwrap_or_else(|| Self {
            items: items(nest),
            shared_bytes: nest.shared.iter().map(|&var| bytes_of(module, &body.var(var).ty)).sum(),
            cost: cost(&nest.stmts),
            scratch: None,
        })
    }

    /// The most items of a group along an axis, where all of its regions have a known number of them.
    pub fn most_items(&self, axis: usize) -> Option<u64> {
        let known = |count: &Expr| count.as_int().map(|n| u64::try_from(n).unwrap_or(0));
        self.items[axis].iter().map(known).try_fold(1, |most, n| Some(n?.max(most)))
    }

    /// The same along all axes.
    pub fn block(&self) -> Option<[u64; 3]> {
        Some([self.most_items(0)?, self.most_items(1)?, self.most_items(2)?])
    }
}

/// Distinct sizes of the regions along each axis; a missing axis has one item.
fn items(nest: &Nest) -> [Vec<Expr>; 3] {
    let mut items: [Vec<Expr>; 3] = Default::default();
    for_regions(&nest.stmts, &mut |region| {
        for (counts, axis) in items.iter_mut().zip(&region.axes) {
            let count = axis.as_ref().map_or_else(|| build::int(1), |axis| without_spans(&axis.count));
            if !counts.contains(&count) {
                counts.push(count);
            }
        }
    });
    items.map(|counts| if counts.is_empty() { vec![build::int(1)] } else { counts })
}

/// Operations per item, counted roughly: a sequential loop whose length is not seen counts as eight iterations.
fn cost(stmts: &[Stmt]) -> u32 {
    struct Count {
        operations: u64,
        factor: u64,
    }
    impl Visitor for Count {
        fn stmt(&mut self, stmt: &Stmt) {
            self.operations += self.factor;
            if matches!(stmt.kind, StmtKind::Loop(_)) {
                let outside = self.factor;
                self.factor = (outside * 8).min(1 << 24);
                walk_stmt(self, stmt);
                self.factor = outside;
            } else {
                walk_stmt(self, stmt);
            }
        }
        fn expr(&mut self, expr: &Expr) {
            self.operations += match expr.kind {
                ExprKind::Literal(_) | ExprKind::Cast { .. } => 0,
                ExprKind::Math(..) | ExprKind::Call(..) => 10 * self.factor,
                _ => self.factor,
            };
            walk_expr(self, expr);
        }
    }
    let mut count = Count { operations: 0, factor: 1 };
    stmts.iter().for_each(|stmt| count.stmt(stmt));
    u32::try_from(count.operations).unwrap_or(u32::MAX).max(1)
}
