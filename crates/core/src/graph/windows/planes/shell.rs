//! The kernels beside tiles: the items near the faces in a step, and what nobody writes around the box.
//!
//! The points of a box without another one in it, the *hole*, are those of six boxes side by side; an item finds its own one by its
//! number.

use super::super::draft::{Made, assign, element, when};
use super::super::item::{Memory, Source};
use super::super::layout::{int, less, load, minus, plus};
use super::super::values::Changing;
use super::Plan;
use super::maker::{Maker, Param};
use crate::backend::boxes::Box3;
use okl::ir::{BinaryOp, Expr, Scalar, Stmt, StmtKind, VarId, build};

/// Items of a group.
pub(super) const THREADS: i64 = 256;

/// What the kernels do at each point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Work {
    /// The main launch's item, at points that it writes.
    Step,
    /// A copy, at points around those.
    Ghosts,
}

/// The kernel. Its numbers are that of groups, and where the hole begins and ends along x, y and z.
/// # Errors
/// The reason why there is none.
pub(super) fn make(plan: &Plan, source: &Source<'_>, changing: &Changing, work: Work) -> Result<Made<Param>, String> {
    let mut maker = Maker::new(plan, source, THREADS, changing, 7)?;
    let (all, name) = match work {
        Work::Step => (plan.of.points.clone(), format!("shell_{}", plan.of.entry)),
        Work::Ghosts => (plan.of.lattice.all(), format!("ghosts_{}", plan.of.entry)),
    };
    let outer = maker.draft.groups(0, maker.numbers[0]);
    let mut stmts = Vec::new();
    let point = find(&mut maker, outer.var, &all, &mut stmts);
    let [x, y, z] = point.at;
    let then = match work {
        Work::Step => {
            let (from, to) = (maker.from, maker.to);
            let (state, next) = (|first| Memory::Parameter(from, first), |first| Memory::Parameter(to, first));
            maker.item(point.at, &plan.of.points, &state, &next)?
        }
        Work::Ghosts => {
            let (at, at_is) = maker.draft.declare("at", maker.element_of([x, y, z].map(load)));
            let [to, from] = [maker.to, maker.from].map(|memory| element(memory, load(at), maker.ty));
            vec![at_is, assign(to, build::load_place(from))]
        }
    };
    stmts.push(when(build::compare(BinaryOp::Ne, load(point.is_found), int(0)), then));
    let region = maker.draft.region(stmts);
    Ok(maker.draft.finish(name, [Some(outer), None, None], vec![region], Vec::new(), Vec::new()))
}

/// A point that an item has found, if it has.
struct Found {
    at: [VarId; 3],
    is_found: VarId,
}

/// Finds the item's point.
fn find(maker: &mut Maker<'_>, group: VarId, all: &Box3, stmts: &mut Vec<Stmt>) -> Found {
    let holes: Vec<VarId> = maker.numbers[1..].to_vec();
    let draft = &mut maker.draft;
    let first = build::binary(BinaryOp::Mul, load(group), int(THREADS), Scalar::I32);
    let left = draft.local("left", false);
    stmts.push(build::declare(&draft.body, left, plus(first, load(draft.thread))));
    let mut variable = |name: &str| {
        let var = draft.local(name, false);
        stmts.push(build::declare(&draft.body, var, int(0)));
        var
    };
    let at = [variable("x"), variable("y"), variable("z")];
    let is_found = variable("is_found");
    let several: Vec<usize> = maker.plan.of.lattice.axes().collect();
    for axis in several.iter().rev().copied() {
        for is_behind in [false, true] {
            let mut ends: [[Expr; 2]; 3] = [0, 1, 2].map(|of| [int(all[of].start), int(all[of].end)]);
            for inner in axis + 1..3 {
                ends[inner] = [load(holes[inner]), load(holes[3 + inner])];
            }
            match is_behind {
                false => ends[axis][1] = load(holes[axis]),
                true => ends[axis][0] = load(holes[3 + axis]),
            }
            stmts.push(look_in(maker, &ends, left, &Found { at, is_found }));
        }
    }
    Found { at, is_found }
}

/// Looks in a box, if nothing was found yet.
fn look_in(maker: &mut Maker<'_>, ends: &[[Expr; 2]; 3], left: VarId, found: &Found) -> Stmt {
    let draft = &mut maker.draft;
    let mut stmts = Vec::new();
    let lengths = ends.each_ref().map(|[begin, end]| {
        let (length, is) = draft.declare("length", minus(end.clone(), begin.clone()));
        stmts.push(is);
        length
    });
    let product = |a: Expr, b: Expr| build::binary(BinaryOp::Mul, a, b, Scalar::I32);
    let volume = product(product(load(lengths[0]), load(lengths[1])), load(lengths[2]));
    let (volume, volume_is) = draft.declare("volume", volume);
    stmts.push(volume_is);
    let part = |op, a: VarId, b: VarId| build::binary(op, load(a), load(b), Scalar::I32);
    let (row, row_is) = draft.declare("row", part(BinaryOp::Div, left, lengths[0]));
    let places = [
        part(BinaryOp::Rem, left, lengths[0]),
        part(BinaryOp::Rem, row, lengths[1]),
        part(BinaryOp::Div, row, lengths[1]),
    ];
    let mut here = vec![row_is];
    for ((at, [begin, _]), place) in found.at.iter().zip(ends).zip(places) {
        here.push(build::assign(&draft.body, *at, plus(place, begin.clone())));
    }
    here.push(build::assign(&draft.body, found.is_found, int(1)));
    let elsewhere = vec![build::assign(&draft.body, left, minus(load(left), load(volume)))];
    let look = StmtKind::If { condition: less(load(left), load(volume)), then: here, otherwise: elsewhere };
    stmts.push(build::stmt(look));
    when(build::compare(BinaryOp::Eq, load(found.is_found), int(0)), stmts)
}
