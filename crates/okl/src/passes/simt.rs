//! A nest as the threads of a GPU run it, in the dialect [`Dialect::Simt`].
//!
//! Every thread runs the group level, whose values are the same in all of them; a region is what the threads do for one
//! item each. Index variables are declared from the number of the group and of the item, a region that is smaller than
//! the group asks whether the thread has an item of it, and barriers stand where the threads wait for each other.

use crate::ir::{
    Axis, BinaryOp, Body, Builtin, Dialect, Expr, Kernel, LaunchShape, Meeting, Module, Nest, Place, Region, Role,
    Scalar, Stmt, StmtKind, Type, Uses, Visitor, build, for_regions, walk_place, walk_stmt,
};
use crate::source::Span;

/// What a target gives a thread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Threads {
    /// Type of the number of a group.
    pub group: Scalar,
    /// Type of the number of an item.
    pub item: Scalar,
    /// When threads of a subgroup can see each other's registers.
    pub subgroups: Subgroups,
    /// A region that begins with a barrier ends with one too, although nothing comes after it: PoCL 3.1 makes a crash of a
    /// condition in which the last barrier is followed by code.
    pub closes: bool,
}

/// When threads of a hardware's subgroup of 32 can see each other's registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subgroups {
    /// Never.
    Apart,
    /// Where all threads of a group are there: no region is smaller than the group.
    Together,
    /// Wherever the threads that take part are named.
    Named,
}

impl Threads {
    /// CUDA's, with groups counted beyond what a grid holds.
    pub(crate) const CUDA: Self =
        Self { group: Scalar::I64, item: Scalar::U32, subgroups: Subgroups::Named, closes: false };

    /// Whether what the subgroups of a nest exchange ([`Role::Exchange`]) may stay in registers: their lanes are neighbours in
    /// the hardware's subgroups of 32 threads, none is divided between two rows of items, and all of its threads are there.
    pub(crate) fn exchange_in_registers(&self, body: &Body, nest: &Nest, launch: &LaunchShape) -> bool {
        let are_there = match self.subgroups {
            Subgroups::Apart => false,
            Subgroups::Together => launch.items.iter().all(|counts| counts.len() == 1),
            Subgroups::Named => true,
        };
        let block = launch.block();
        are_there
            && nest.shared.iter().all(|&var| match body.var(var).role {
                Role::Exchange(lanes) => block.is_some_and(|[x, y, z]| y * z == 1 || x % u64::from(lanes) == 0),
                _ => true,
            })
    }
}

/// Makes threads of every nest that is not loops.
pub(crate) fn run(module: &mut Module, threads: Threads) {
    for index in 0..module.kernels.len() {
        for number in 0..module.kernels[index].nests.len() {
            let Kernel { body, nests, .. } = &module.kernels[index];
            if nests[number].dialect == Dialect::Lowered {
                let nest = of_nest(module, body, &nests[number], threads);
                module.kernels[index].nests[number] = nest;
            }
        }
    }
}

fn of_nest(module: &Module, body: &Body, nest: &Nest, threads: Threads) -> Nest {
    let launch = LaunchShape::of(module, body, nest);
    let middle = barrier_before_last(body, nest);
    let before = middle.is_none() && reads_what_changes(body, nest, &nest.stmts);
    let guarded = launch.items.each_ref().map(|counts| counts.len() > 1);
    let in_registers = threads.exchange_in_registers(body, nest, &launch);
    let build = Builder { body, threads, before, guarded, in_registers };
    let mut stmts = Vec::new();
    for (index, stmt) in nest.stmts.iter().enumerate() {
        if middle == Some(index) {
            stmts.push(Stmt { kind: StmtKind::Barrier, span: stmt.span });
        }
        build.stmt(stmt, index + 1 == nest.stmts.len(), &mut stmts);
    }
    let mut all = build.indices(&nest.outer, |axis| build::builtin(Builtin::Group(axis), threads.group), &stmts);
    all.extend(stmts);
    Nest { stmts: all, dialect: Dialect::Simt, launch: Some(launch), ..nest.clone() }
}

/// Where all threads meet once, because the group level reads what items may write before that statement, and nothing
/// behind it. (Within a branch the barrier would be as right; PoCL 3.1 crashes there.)
fn barrier_before_last(body: &Body, nest: &Nest) -> Option<usize> {
    let first = nest.stmts.iter().position(has_region)?;
    let reads = |stmts| reads_what_changes(body, nest, stmts);
    (reads(&nest.stmts[..first]) && !reads(&nest.stmts[first..])).then_some(first)
}

fn has_region(stmt: &Stmt) -> bool {
    let mut any = false;
    for_regions(std::slice::from_ref(stmt), &mut |_| any = true);
    any
}

struct Builder<'a> {
    body: &'a Body,
    threads: Threads,
    /// The group level has read what regions may write: a thread that is ahead must not change it.
    before: bool,
    /// Regions are smaller than the group along these axes (some of them, or sometimes).
    guarded: [bool; 3],
    /// What subgroups exchange takes no memory, and no barrier.
    in_registers: bool,
}

impl Builder<'_> {
    fn list(&self, stmts: &[Stmt], is_last: bool) -> Vec<Stmt> {
        let mut out = Vec::new();
        for (index, stmt) in stmts.iter().enumerate() {
            self.stmt(stmt, is_last && index + 1 == stmts.len(), &mut out);
        }
        out
    }

    /// A statement of the group level; `is_last`: nothing of the nest runs behind it, and the end of the launch orders
    /// what its regions write.
    fn stmt(&self, stmt: &Stmt, is_last: bool, out: &mut Vec<Stmt>) {
        let mut stmt = stmt.clone();
        let barrier = Stmt { kind: StmtKind::Barrier, span: stmt.span };
        match &mut stmt.kind {
            StmtKind::Inner(region) => {
                self.region(region, stmt.span);
                let meets = region.meeting != Meeting::Exchange || !self.in_registers;
                out.extend(self.before.then(|| barrier.clone()));
                out.push(stmt);
                let after = meets && !is_last || self.before && self.threads.closes;
                return out.extend(after.then_some(barrier));
            }
            StmtKind::If { then, otherwise, .. } => {
                [then, otherwise].into_iter().for_each(|branch| *branch = self.list(branch, is_last));
            }
            StmtKind::Block(stmts) => *stmts = self.list(stmts, is_last),
            StmtKind::Loop(l) => l.body = self.list(&l.body, false),
            StmtKind::Switch { arms, .. } => arms.iter_mut().for_each(|arm| arm.body = self.list(&arm.body, false)),
            _ => {}
        }
        out.push(stmt);
    }

    /// A region without its axes: its indices are declared, for those threads that have an item.
    fn region(&self, region: &mut Region, span: Span) {
        let item = |axis| build::builtin(Builtin::Item(axis), self.threads.item);
        let axes = std::mem::take(&mut region.axes);
        let mut stmts = self.indices(&axes, item, &region.body);
        stmts.append(&mut region.body);
        let guards = (0..).zip(&axes).zip(self.guarded).filter(|(_, guarded)| *guarded);
        let guards = guards.map(|((number, axis), _)| self.guard(item(number), axis.as_ref()));
        region.body = match guards.reduce(build::and) {
            Some(condition) => {
                vec![Stmt { kind: StmtKind::If { condition, then: stmts, otherwise: Vec::new() }, span }]
            }
            None => stmts,
        };
    }

    /// `item < count`, in 32 bits where groups are numbered in so many.
    fn guard(&self, item: Expr, axis: Option<&Axis>) -> Expr {
        let count = axis.map_or_else(|| build::int(1), |axis| axis.count.clone());
        let short = if self.threads.group.bytes() == 4 { build::narrow(&count) } else { count.clone() };
        let (ty, count) = match (short.as_int(), short.ty.scalar()) {
            (Some(value), Some(Scalar::I32)) => {
                (self.threads.item, Expr::int(value.max(0), self.threads.item, short.span))
            }
            (None, Some(ty @ (Scalar::U32 | Scalar::I32))) => (ty, short),
            _ => (Scalar::I64, count),
        };
        build::compare(BinaryOp::Lt, build::convert(item, ty), count)
    }

    /// Declarations of those axes' variables that the statements mention; `number` gives the position along an axis.
    fn indices(&self, axes: &[Option<Axis>; 3], number: impl Fn(u8) -> Expr, stmts: &[Stmt]) -> Vec<Stmt> {
        let mentioned = Uses::of(stmts).mentioned;
        let axes = (0..).zip(axes).filter_map(|(index, axis)| Some((index, axis.as_ref()?)));
        axes.filter(|(_, axis)| mentioned.contains(&axis.var))
            .map(|(index, axis)| self.index(axis, number(index)))
            .collect()
    }

    /// `const int i = start + step * number;`; where there is but one, its number is not asked for.
    fn index(&self, axis: &Axis, number: Expr) -> Stmt {
        let ty = self.body.var(axis.var).ty.scalar().unwrap_or(Scalar::I32);
        let mut value = build::convert(number, ty);
        if axis.count.as_int() == Some(1) {
            value = axis.start.clone();
        } else {
            if axis.step.as_int() != Some(1) {
                value = build::binary(BinaryOp::Mul, value, build::convert(axis.step.clone(), ty), ty);
            }
            if axis.start.as_int() != Some(0) {
                value = build::binary(BinaryOp::Add, build::convert(axis.start.clone(), ty), value, ty);
            }
        }
        Stmt { span: axis.span, ..build::declare(self.body, axis.var, value) }
    }
}

/// What a region does for an item: what stands behind the question whether there is one.
pub(crate) fn of_item(region: &[Stmt]) -> Option<&[Stmt]> {
    match region {
        [Stmt { kind: StmtKind::If { condition, then, .. }, .. }] if asks_for_item(condition) => Some(then),
        _ => None,
    }
}

/// The same, or all of the region.
pub(super) fn of_item_mut(region: &mut Vec<Stmt>) -> &mut Vec<Stmt> {
    if of_item(region).is_none() {
        return region;
    }
    match &mut region[0].kind {
        StmtKind::If { then, .. } => then,
        other => unreachable!("{other:?} asks for no item"),
    }
}

fn asks_for_item(condition: &Expr) -> bool {
    Uses::of_expr(condition).builtins.iter().any(|of| matches!(of, Builtin::Item(_)))
}

/// Whether the items of a group share memory or wait for each other, so that all of a group run together.
pub(crate) fn needs_group(nest: &Nest) -> bool {
    struct Meets(bool);
    impl Visitor for Meets {
        fn stmt(&mut self, stmt: &Stmt) {
            self.0 |= stmt.kind == StmtKind::Barrier;
            walk_stmt(self, stmt);
        }
    }
    let mut meets = Meets(!nest.shared.is_empty());
    nest.stmts.iter().for_each(|stmt| meets.stmt(stmt));
    meets.0
}

/// Most threads of a group, where it is known. A kernel may promise more than any device has.
pub(crate) fn max_threads(kernel: &Kernel, launch: &LaunchShape) -> Option<u64> {
    let declared =
        kernel.max_inner_dims.map(|dims| dims.iter().fold(1, |threads: u64, &d| threads.saturating_mul(d.into())));
    launch.block().map(|block| block.iter().product()).or(declared)
}

/// Whether group-level statements of a nest read shared memory, or memory that the nest may write: an argument for a
/// `const` pointer may overlap one for another pointer, unless either is `@restrict`.
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
        fn note(&mut self, root: crate::ir::VarId) {
            let variable = self.body.var(root);
            self.found |= match &variable.ty {
                Type::Pointer(pointer) => pointer.mutable || self.overlaps && !pointer.restrict,
                _ => variable.role == Role::Shared,
            };
        }
    }
    let writes_freely =
        |&var: &crate::ir::VarId| matches!(&body.var(var).ty, Type::Pointer(p) if p.mutable && !p.restrict);
    let overlaps = Uses::of(&nest.stmts).mentioned.iter().any(writes_freely);
    let mut look = Look { body, overlaps, found: false };
    stmts.iter().for_each(|stmt| look.stmt(stmt));
    look.found
}
