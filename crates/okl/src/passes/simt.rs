//! A nest as the threads of a GPU run it: which values it captures, where the threads of a group meet, which regions
//! are smaller than the group.
//!
//! Every thread runs the group level, whose values are the same in all of them; a region is what one item does.

use crate::ir::rewrite::without_spans;
use crate::ir::{
    Axis, BinaryOp, Body, Expr, Kernel, Nest, Place, Region, Role, Scalar, Stmt, StmtKind, Type, Uses, VarId, Visitor,
    build, for_regions, walk_place, walk_stmt,
};

/// What the text of a nest needs besides its statements.
pub struct SimtForm {
    /// Parameters and host variables that the nest reads, in order.
    pub captures: Vec<VarId>,
    /// Regions are smaller than the block along these axes (some of them, or sometimes): items are counted.
    pub guarded: [bool; 3],
    /// For each region, in the order of the text: where its threads wait for each other.
    pub barriers: Vec<Barriers>,
    /// All threads meet once, so many statements before the end of the nest, because the group level reads what items may
    /// write before that place, and nothing behind it. (Within a branch the barrier would be as right; PoCL 3.1 crashes there.)
    pub barrier_before_last: Option<usize>,
    /// Items of a block along each axis, where all are numbers.
    pub block: Option<[u64; 3]>,
    /// Most threads of a block, where it is known.
    pub max_threads: Option<u64>,
}

/// Barriers around a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Barriers {
    /// The group level has read what regions may write: a thread that is ahead must not change it.
    pub before: bool,
    /// What items wrote is read by others.
    pub after: bool,
}

/// Looks at a prepared nest.
pub fn of_nest(kernel: &Kernel, nest: &Nest) -> SimtForm {
    let sizes = sizes(nest);
    let declared = kernel.max_inner_dims.map(|dims| dims.iter().map(|&d| u64::from(d)).product());
    let block = match sizes.each_ref().map(|counts| largest(counts)) {
        [Some(x), Some(y), Some(z)] => Some([x, y, z]),
        _ => None,
    };
    SimtForm {
        captures: captures_of(kernel, nest),
        guarded: sizes.each_ref().map(|counts| counts.len() > 1),
        barriers: barriers(&kernel.body, nest),
        barrier_before_last: barrier_before_last(&kernel.body, nest),
        block,
        max_threads: block.map(|[x, y, z]| x * y * z).or(declared),
    }
}

/// Whether the items of a group share memory or wait for each other, so that all of a group run together.
pub fn needs_group(body: &Body, nest: &Nest) -> bool {
    !nest.shared.is_empty()
        || barrier_before_last(body, nest).is_some()
        || barriers(body, nest).iter().any(|meeting| meeting.before || meeting.after)
}

fn barrier_before_last(body: &Body, nest: &Nest) -> Option<usize> {
    let mut regions = nest.stmts.iter().map(|stmt| {
        let mut any = false;
        for_regions(std::slice::from_ref(stmt), &mut |_| any = true);
        any
    });
    let first = regions.position(|any| any)?;
    let reads = |stmts| reads_what_changes(body, nest, stmts);
    (reads(&nest.stmts[..first]) && !reads(&nest.stmts[first..])).then_some(nest.stmts.len() - first)
}

pub(super) fn barriers(body: &Body, nest: &Nest) -> Vec<Barriers> {
    let before = barrier_before_last(body, nest).is_none() && reads_what_changes(body, nest, &nest.stmts);
    let mut last = Vec::new();
    last_regions(&nest.stmts, &mut last);
    let mut barriers = Vec::new();
    for_regions(&nest.stmts, &mut |region| {
        barriers.push(Barriers { before, after: !last.iter().any(|&last| std::ptr::eq(last, region)) });
    });
    barriers
}

/// Regions behind which nothing of the nest runs: the end of the launch orders what they wrote.
fn last_regions<'a>(stmts: &'a [Stmt], last: &mut Vec<&'a Region>) {
    match stmts.last().map(|stmt| &stmt.kind) {
        Some(StmtKind::Inner(region)) => last.push(region),
        Some(StmtKind::Block(stmts)) => last_regions(stmts, last),
        Some(StmtKind::If { then, otherwise, .. }) => {
            last_regions(then, last);
            last_regions(otherwise, last);
        }
        _ => {}
    }
}

/// Distinct sizes of the regions along each axis; `None` is a missing axis, of size one.
fn sizes(nest: &Nest) -> [Vec<Option<Expr>>; 3] {
    let mut sizes: [Vec<Option<Expr>>; 3] = Default::default();
    for_regions(&nest.stmts, &mut |region| {
        for (counts, axis) in sizes.iter_mut().zip(&region.axes) {
            let count = axis.as_ref().map(|axis| without_spans(&axis.count));
            if !counts.contains(&count) {
                counts.push(count);
            }
        }
    });
    sizes
}

fn largest(counts: &[Option<Expr>]) -> Option<u64> {
    let value = |count: &Option<Expr>| match count {
        None => Some(1),
        Some(count) => count.as_int().and_then(|n| u64::try_from(n).ok()),
    };
    counts.iter().map(value).try_fold(1, |most, n| Some(n?.max(most)))
}

fn captures_of(kernel: &Kernel, nest: &Nest) -> Vec<VarId> {
    // The starts and steps of the outer axes are computed by every thread; their counts are the grid's.
    let heads = nest.outer.iter().flatten().flat_map(|axis| [&axis.start, &axis.step]);
    let heads = heads.map(|e| Stmt { kind: StmtKind::Return(Some(e.clone())), span: e.span });
    let all: Vec<Stmt> = heads.chain(nest.stmts.iter().cloned()).collect();
    kernel.captures(&Nest { stmts: all, ..nest.clone() })
}

/// Whether group-level statements of a nest read shared memory, or memory that the nest may write: an argument for a `const` pointer
/// may overlap one for another pointer, unless either is `@restrict`.
fn reads_what_changes(body: &Body, nest: &Nest, stmts: &[Stmt]) -> bool {
    struct Look<'a> {
        body: &'a Body,
        /// The nest may write memory that overlaps other arguments.
        overlaps: bool,
        found: bool,
    }
    impl Visitor for Look<'_> {
        fn stmt(&mut self, stmt: &Stmt) {
            if !matches!(stmt.kind, StmtKind::Inner(_)) {
                walk_stmt(self, stmt);
            }
        }
        fn load(&mut self, place: &Place) {
            self.note(place.root);
            walk_place(self, place);
        }
        fn store(&mut self, place: &Place) {
            self.note(place.root);
            walk_place(self, place);
        }
    }
    impl Look<'_> {
        fn note(&mut self, root: VarId) {
            let variable = self.body.var(root);
            self.found |= match &variable.ty {
                Type::Pointer(pointer) => pointer.mutable || self.overlaps && !pointer.restrict,
                _ => variable.role == Role::Shared,
            };
        }
    }
    let writes_freely = |&var: &VarId| matches!(&body.var(var).ty, Type::Pointer(p) if p.mutable && !p.restrict);
    let overlaps = Uses::of(&nest.stmts).mentioned.iter().any(writes_freely);
    let mut look = Look { body, overlaps, found: false };
    stmts.iter().for_each(|stmt| look.stmt(stmt));
    look.found
}

/// Declarations of those axes' variables that the statements mention; `number` gives the position along an axis.
pub fn index_declarations(
    body: &Body,
    axes: &[Option<Axis>; 3],
    number: impl Fn(u8) -> Expr,
    stmts: &[Stmt],
) -> Vec<Stmt> {
    let mentioned = Uses::of(stmts).mentioned;
    let axes = (0..).zip(axes).filter_map(|(index, axis)| Some((index, axis.as_ref()?)));
    axes.filter(|(_, axis)| mentioned.contains(&axis.var))
        .map(|(index, axis)| index_declaration(body, axis, number(index)))
        .collect()
}

/// The declaration of an axis's variable from the number of its value: `const int i = start + step * number;`.
fn index_declaration(body: &Body, axis: &Axis, number: Expr) -> Stmt {
    let ty = body.var(axis.var).ty.scalar().unwrap_or(Scalar::I32);
    let mut value = build::convert(number, ty);
    if axis.step.as_int() != Some(1) {
        value = build::binary(BinaryOp::Mul, value, build::convert(axis.step.clone(), ty), ty);
    }
    if axis.start.as_int() != Some(0) {
        value = build::binary(BinaryOp::Add, build::convert(axis.start.clone(), ty), value, ty);
    }
    Stmt { span: axis.span, ..build::declare(body, axis.var, value) }
}
