//! The kernel of tiles that stream along z.
//!
//! ```text
//! for (z = begin; z < end; ++z)                       planes, as they come
//!   region                                            an item has some points, one behind the other along y
//!     value = the plane's own points; load those of the next plane
//!     for each step: columns move on by a plane; value goes to shared memory; value = the items' results, some planes behind
//!     store value
//! ```

use super::super::draft::{Made, assign, element, when};
use super::super::item::{Memory, Source};
use super::super::layout::{int, least, less, load, minus, plus, times};
use super::super::values::Changing;
use super::Plan;
use super::maker::{Maker, Param};
use okl::ir::{BinaryOp, Expr, ExprKind, Literal, Place, Role, Scalar, Stmt, StmtKind, Type, VarId, build};
use okl::source::Span;
use std::ops::Range;

/// The kernel; its numbers are those of groups along x, y and z.
/// # Errors
/// The reason why there is none.
pub(super) fn make(plan: &Plan, source: &Source<'_>, changing: &Changing) -> Result<Made<Param>, String> {
    let mut tile = TileMaker { maker: Maker::new(plan, source, plan.tile.threads(), changing, 3)?, plan };
    let name = format!("planes_{}", plan.of.entry);
    let shared = tile.shared_array();
    let columns = tile.columns();
    let next = tile.exclusive_row("next");
    let counts = [0, 1, 2].map(|axis| tile.maker.numbers[axis]);
    let outer = [0, 1, 2].map(|axis| tile.maker.draft.groups(axis as u8, counts[axis]));
    let groups = outer.each_ref().map(|axis| axis.var);
    let stmts = tile.statements(groups, shared, &columns, &next)?;
    let exclusive = columns.iter().flatten().flatten().copied().chain(next).collect();
    Ok(tile.maker.draft.finish(name, outer.map(Some), stmts, vec![shared], exclusive))
}

struct TileMaker<'a> {
    maker: Maker<'a>,
    plan: &'a Plan,
}

/// The values that an item holds: by step, by plane, by point.
type Columns = Vec<Vec<Vec<VarId>>>;

/// What an item of a group knows of its place.
struct Here {
    /// Coordinates of its first point.
    x: VarId,
    y: VarId,
    /// Its points' place along x and y in the tile.
    lane: VarId,
    row: VarId,
    /// The place of its first point in a plane of shared memory.
    own: VarId,
}

/// What the group knows of its place, in variables.
struct Group {
    x: VarId,
    y: VarId,
    first: VarId,
    begin: VarId,
    end: VarId,
}

impl TileMaker<'_> {
    fn shared_array(&mut self) -> VarId {
        let Plan { of, steps, tile, .. } = self.plan;
        let length = tile.shared_bytes(*steps, of.reach, 1) as u32;
        let ty = Type::Array(Box::new(self.maker.ty.into()), vec![length]);
        self.maker.draft.variable("planes", ty, Role::Shared, false)
    }

    fn exclusive_row(&mut self, name: &str) -> Vec<VarId> {
        let (points, ty) = (self.plan.tile.points, self.maker.ty);
        (0..points).map(|_| self.maker.draft.variable(name, ty, Role::Exclusive, false)).collect()
    }

    fn columns(&mut self) -> Columns {
        let levels = 2 * self.plan.of.reach[2] + 1;
        (0..self.plan.steps).map(|_| (0..levels).map(|_| self.exclusive_row("column")).collect()).collect()
    }

    fn statements(
        &mut self,
        [group_x, group_y, group_z]: [VarId; 3],
        shared: VarId,
        columns: &Columns,
        next: &[VarId],
    ) -> Result<Vec<Stmt>, String> {
        let Plan { of, steps, tile, chunk } = self.plan;
        let (steps, [reach_x, reach_y, reach_z]) = (*steps as i64, of.reach);
        let (middle, [own_x, own_y]) = (of.middle(self.plan.steps), tile.own(self.plan.steps, of.reach));
        let length = |axis: usize| middle[axis].end - middle[axis].start;
        let draft = &mut self.maker.draft;
        // The last tile overlaps the one before, and stores the same there.
        let start = |group: VarId, own: i64, axis: usize, reach: i64| {
            let first = least(times(load(group), own), int(length(axis) - own));
            plus(first, int(middle[axis].start - steps * reach))
        };
        let mut stmts = Vec::new();
        let mut declare = |name: &str, value: Expr| {
            let (var, is) = draft.declare(name, value);
            stmts.push(is);
            var
        };
        let x = declare("start_x", start(group_x, own_x, 0, reach_x));
        let y = declare("start_y", start(group_y, own_y.min(length(1)), 1, reach_y));
        let first = declare("first", plus(times(load(group_z), *chunk), int(middle[2].start)));
        let last = declare("last", least(plus(load(first), int(*chunk)), int(middle[2].end)));
        let begin = declare("begin", minus(load(first), int(steps * reach_z)));
        let end = declare("end", plus(load(last), int(steps * reach_z)));
        let group = Group { x, y, first, begin, end };
        stmts.push(self.first_plane(&group, columns, next));
        let (z, now) = (self.maker.draft.local("z", false), self.maker.draft.local("now", false));
        stmts.push(build::declare(&self.maker.draft.body, now, int(0)));
        // The planes of a step take turns: the newest one, and the one that items are in.
        let plane = tile.plane(of.reach);
        let is_last = build::compare(BinaryOp::Eq, load(now), int(reach_z * plane));
        let after = build::select(is_last, int(0), plus(load(now), int(plane)));
        let (middle, middle_is) = self.maker.draft.declare("middle", after);
        let region = self.plane(&group, [z, now, middle], shared, columns, next)?;
        let moves_on = build::assign(&self.maker.draft.body, now, load(middle));
        let body = vec![middle_is, region, moves_on];
        stmts.push(self.maker.draft.counted(z, [load(begin), load(end)], 1, body, None));
        Ok(stmts)
    }

    /// Where an item is.
    fn here(&mut self, group: &Group, stmts: &mut Vec<Stmt>) -> Here {
        let Plan { of, tile, .. } = self.plan;
        let draft = &mut self.maker.draft;
        let thread = load(draft.thread);
        let mut declare = |name: &str, value: Expr| {
            let (var, is) = draft.declare(name, value);
            stmts.push(is);
            var
        };
        let part = |op| build::binary(op, thread.clone(), int(tile.width), Scalar::I32);
        let lane = declare("lane", part(BinaryOp::Rem));
        let row = declare("row", times(part(BinaryOp::Div), tile.points));
        let x = declare("x", plus(load(group.x), load(lane)));
        let y = declare("y", plus(load(group.y), load(row)));
        let [reach_x, reach_y, _] = of.reach;
        let above = times(plus(load(row), int(reach_y)), tile.width);
        let own = declare("own", plus(plus(above, load(lane)), int(reach_x)));
        Here { x, y, lane, row, own }
    }

    /// The state at a point of the item, some planes on.
    fn state(&self, of: VarId, here: &Here, point: i64, z: Expr) -> Place {
        let at = self.maker.element_of([load(here.x), plus(load(here.y), int(point)), z]);
        element(of, at, self.maker.ty)
    }

    /// The region that comes before all planes.
    fn first_plane(&mut self, group: &Group, columns: &Columns, next: &[VarId]) -> Stmt {
        let mut stmts = Vec::new();
        let here = self.here(group, &mut stmts);
        for &column in columns.iter().flatten().flatten() {
            stmts.push(self.set(column, self.zero()));
        }
        for (&next, point) in next.iter().zip(0..) {
            let state = self.state(self.maker.from, &here, point, load(group.begin));
            stmts.push(self.set(next, build::load_place(state)));
        }
        self.maker.draft.region(stmts)
    }

    fn zero(&self) -> Expr {
        let ty = self.maker.ty;
        match ty.is_float() {
            true => Expr { kind: ExprKind::Literal(Literal::Float(0.0)), ty: ty.into(), span: Span::default() },
            false => Expr::int(0, ty, Span::default()),
        }
    }

    fn get(&self, var: VarId) -> Expr {
        build::load(&self.maker.draft.body, var)
    }

    fn set(&self, var: VarId, value: Expr) -> Stmt {
        build::assign(&self.maker.draft.body, var, value)
    }

    /// The region of a plane.
    fn plane(
        &mut self,
        group: &Group,
        [z, now, middle]: [VarId; 3],
        shared: VarId,
        columns: &Columns,
        next: &[VarId],
    ) -> Result<Stmt, String> {
        let Plan { of, steps, tile, .. } = self.plan;
        let (ty, reach) = (self.maker.ty, of.reach);
        let mut stmts = Vec::new();
        let here = self.here(group, &mut stmts);
        let mut values = Vec::new();
        for &next in next {
            let value = self.maker.draft.variable("value", ty, Role::Local, false);
            stmts.push(build::declare(&self.maker.draft.body, value, self.get(next)));
            values.push(value);
        }
        let after = plus(load(z), int(1));
        let loads = next.iter().zip(0..).map(|(&next, point)| {
            self.set(next, build::load_place(self.state(self.maker.from, &here, point, after.clone())))
        });
        let loads = loads.collect();
        stmts.push(when(less(after, load(group.end)), loads));
        // What a tile computes beyond these is wrong, whatever it is.
        let cone = of.cone(*steps);
        let clamped_x = self.clamped("at_x", load(here.x), &cone[0], &mut stmts);
        let mut clamped_y = Vec::new();
        for point in 0..tile.points {
            clamped_y.push(self.clamped("at_y", plus(load(here.y), int(point)), &cone[1], &mut stmts));
        }
        let owns = self.maker.owns();
        for (step, column) in (0..).zip(columns) {
            let base = step * (reach[2] + 1) * tile.plane(reach);
            let of_plane = |plane: VarId, further: i64| plus(plus(load(plane), load(here.own)), int(base + further));
            for (point, &value) in (0..).zip(&values) {
                let own: Vec<VarId> = column.iter().map(|row| row[point as usize]).collect();
                for pair in own.windows(2) {
                    stmts.push(self.set(pair[0], self.get(pair[1])));
                }
                stmts.extend(own.last().map(|&newest| self.set(newest, self.get(value))));
                stmts.push(assign(element(shared, of_plane(now, point * tile.width), ty), self.get(value)));
            }
            let behind = minus(load(z), int((step + 1) * reach[2]));
            let clamped_z = self.clamped("at_z", behind, &cone[2], &mut stmts);
            for (point, &value) in (0..).zip(&values) {
                let neighbour = |offset: i64| {
                    let [x, y, z] = of.lattice.offset(offset);
                    let is_near = [x, y, z].iter().zip(reach).all(|(at, reach)| at.abs() <= reach);
                    let in_column = |level: i64, point: i64| {
                        let var = *column.get(level as usize)?.get(usize::try_from(point).ok()?)?;
                        Some(Place { root: var, path: Vec::new(), ty: ty.into(), span: Span::default() })
                    };
                    match ([x, y, z], is_near) {
                        (_, false) => None,
                        ([0, 0, z], _) => in_column(reach[2] + z, point),
                        ([x, y, 0], _) => {
                            let own = (x == 0).then(|| in_column(reach[2], point + y)).flatten();
                            own.or_else(|| {
                                let place = of_plane(middle, (point + y) * tile.width + x);
                                Some(element(shared, place, ty))
                            })
                        }
                        _ => None,
                    }
                };
                let result = self.maker.draft.variable("result", ty, Role::Local, false);
                let own_result = |offset: i64| {
                    let place = Place { root: result, path: Vec::new(), ty: ty.into(), span: Span::default() };
                    (offset == 0).then_some(place)
                };
                let at = [clamped_x, clamped_y[point as usize], clamped_z];
                let item = self.maker.item(at, &cone, &|first| Memory::Around(owns[&first], &neighbour), &|first| {
                    Memory::Around(owns[&first], &own_result)
                })?;
                let mut body = vec![build::declare(&self.maker.draft.body, result, self.zero())];
                body.extend(item);
                body.push(self.set(value, self.get(result)));
                stmts.push(build::stmt(StmtKind::Block(body)));
            }
        }
        stmts.push(self.store(group, &here, z, &values));
        Ok(self.maker.draft.region(stmts))
    }

    /// A coordinate, or the nearest one of a range.
    fn clamped(&mut self, name: &str, at: Expr, range: &Range<i64>, stmts: &mut Vec<Stmt>) -> VarId {
        let low = build::select(less(at.clone(), int(range.start)), int(range.start), at.clone());
        let value = build::select(less(at, int(range.end)), low, int(range.end - 1));
        let (var, is) = self.maker.draft.declare(name, value);
        stmts.push(is);
        var
    }

    /// What is right of a plane goes to memory.
    fn store(&self, group: &Group, here: &Here, z: VarId, values: &[VarId]) -> Stmt {
        let Plan { of, steps, tile, .. } = self.plan;
        let (steps, [reach_x, reach_y, reach_z]) = (*steps as i64, of.reach);
        let [width, height] = tile.size();
        let within = |at: Expr, wrong: i64, size: i64| {
            let from = build::compare(BinaryOp::Ge, at.clone(), int(wrong));
            build::and(from, less(at, int(size - wrong)))
        };
        let behind = minus(load(z), int(steps * reach_z));
        let mut stores = Vec::new();
        for (point, &value) in (0..).zip(values) {
            let store = assign(self.state(self.maker.to, here, point, behind.clone()), self.get(value));
            let row = plus(load(here.row), int(point));
            stores.push(when(within(row, steps * reach_y, height), vec![store]));
        }
        let is_own = within(load(here.lane), steps * reach_x, width);
        when(build::and(build::compare(BinaryOp::Ge, behind, load(group.first)), is_own), stores)
    }
}
