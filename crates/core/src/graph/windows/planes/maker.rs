//! What the kernels of a loop over planes have in common: their parameters, and the item at a point.

use super::super::draft::Draft;
use super::super::item::{Memory, Source, Spot, Value};
use super::super::layout::{int, load, minus, plus, times};
use super::super::linear::Linear;
use super::super::values::{Changing, constant};
use super::Plan;
use crate::backend::boxes::Argument;
use okl::ir::{Expr, Place, Pointer, Scalar, Stmt, Type, VarId};
use std::collections::BTreeMap;
use std::ops::Range;

/// What a parameter of a kernel is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Param {
    From,
    To,
    /// A buffer that is read where it is, and bytes of an element.
    InPlace(usize, u32),
    /// Where its bytes are among the values.
    Value(Range<usize>),
    /// An integer of the launch.
    Number(usize),
}

/// A kernel on its way.
pub(super) struct Maker<'a> {
    pub(super) plan: &'a Plan,
    pub(super) source: &'a Source<'a>,
    pub(super) draft: Draft<Param>,
    /// Of the state's elements.
    pub(super) ty: Scalar,
    pub(super) from: VarId,
    pub(super) to: VarId,
    in_place: BTreeMap<usize, VarId>,
    values: BTreeMap<VarId, Value>,
    /// Integers of the launch.
    pub(super) numbers: Vec<VarId>,
}

impl<'a> Maker<'a> {
    /// With parameters, of which `numbers` are integers of the launch.
    pub(super) fn new(
        plan: &'a Plan,
        source: &'a Source<'a>,
        threads: i64,
        changing: &Changing,
        numbers: usize,
    ) -> Result<Self, String> {
        let mut draft = Draft::new(threads, std::iter::once(source))?;
        let arguments = plan.of.arguments.iter().zip(&source.captures);
        let states =
            arguments.clone().filter(|(argument, _)| matches!(argument, Argument::State(_) | Argument::Next(_)));
        let mut types = states.map(|(_, &capture)| element(source, capture));
        let ty = types.next().flatten().ok_or("its state has elements that are no numbers")?;
        if types.any(|other| other != Some(ty)) {
            return Err("the state has elements of several types".to_owned());
        }
        let from = draft.param("from", pointer(ty, false), Param::From);
        let to = draft.param("to", pointer(ty, true), Param::To);
        let (mut in_place, mut values) = (BTreeMap::new(), BTreeMap::new());
        for (position, (argument, &capture)) in arguments.enumerate() {
            let of = source.kernel.body.var(capture);
            match argument {
                Argument::InPlace(number, _) if !in_place.contains_key(number) => {
                    let Some(ty) = element(source, capture) else {
                        return Err(format!("`{}` has rows, or elements that are no numbers", of.name));
                    };
                    let param = draft.param(
                        &format!("buffer{number}"),
                        pointer(ty, false),
                        Param::InPlace(*number, ty.bytes() as u32),
                    );
                    in_place.insert(*number, param);
                }
                Argument::Value(at, bytes) => {
                    let value = constant(&of.ty, bytes).filter(|_| !changing.contains(&(0, position)));
                    let param = |draft: &mut Draft<Param>| {
                        draft.param(&of.name, of.ty.clone(), Param::Value(*at..at + bytes.len()))
                    };
                    let value = value.map_or_else(|| Value::Parameter(param(&mut draft)), Value::Constant);
                    values.insert(capture, value);
                }
                _ => {}
            }
        }
        let number = |number: usize| (format!("number{number}"), Param::Number(number));
        let numbers = (0..numbers).map(number).map(|(name, param)| draft.param(&name, Scalar::I32, param)).collect();
        draft.add_thread();
        Ok(Self { plan, source, draft, ty, from, to, in_place, values, numbers })
    }

    /// The item at a point, whose coordinates are variables in these ranges. `state` and `next` are what the state has become and
    /// where it goes, for arguments that begin so many elements into it.
    pub(super) fn item<'m>(
        &mut self,
        point: [VarId; 3],
        ranges: &[Range<i64>; 3],
        state: &dyn Fn(i64) -> Memory<'m>,
        next: &dyn Fn(i64) -> Memory<'m>,
    ) -> Result<Vec<Stmt>, String> {
        let (of, source) = (&self.plan.of, self.source);
        let (mut stmts, mut numbers, mut known) = (Vec::new(), [None; 3], [None, None, None]);
        for (coordinate, axis) in of.axes.iter().enumerate() {
            let Some(axis) = *axis else { continue };
            let first = of.first[coordinate];
            let (number, number_is) = self.draft.declare("number", minus(load(point[coordinate]), int(first)));
            stmts.push(number_is);
            numbers[axis] = Some(number);
            known[axis] = Some(ranges[coordinate].start - first..ranges[coordinate].end - first);
        }
        let nowhere = |_: i64| None::<Place>;
        let mut memory = BTreeMap::new();
        for (argument, &capture) in of.arguments.iter().zip(&source.captures) {
            let place = match *argument {
                Argument::Value(..) => continue,
                Argument::State(first) => state(first),
                Argument::Next(first) => next(first),
                Argument::InPlace(number, first) => Memory::Parameter(self.in_place[&number], first),
                Argument::Null => Memory::Around(Linear::default(), &nowhere),
            };
            memory.insert(capture, place);
        }
        let spot = Spot { numbers, ranges: known, values: &self.values, memory: &memory, in_loop: false };
        stmts.extend(source.statements(&mut self.draft.body, &spot)?);
        Ok(stmts)
    }

    /// For each element that arguments of the state begin with, that of the item's own point, counted from there.
    pub(super) fn owns(&self) -> BTreeMap<i64, Linear> {
        let first = |argument: &Argument| match argument {
            Argument::State(first) | Argument::Next(first) => Some(*first),
            _ => None,
        };
        // Where a number is too large, no neighbour is found.
        let own = |first| (first, self.own(first).unwrap_or_default());
        self.plan.of.arguments.iter().filter_map(first).map(own).collect()
    }

    fn own(&self, first: i64) -> Option<Linear> {
        let of = &self.plan.of;
        let mut own = Linear::constant(of.origin - first);
        for (coordinate, axis) in of.axes.iter().enumerate() {
            let (stride, at) = (of.lattice.strides[coordinate], of.first[coordinate]);
            own = own.plus(Linear::constant(stride.checked_mul(at)?))?;
            if let Some(axis) = *axis {
                own = own.plus(Linear::number(axis).times(stride)?)?;
            }
        }
        Some(own)
    }

    /// The element of a point.
    pub(super) fn element_of(&self, [x, y, z]: [Expr; 3]) -> Expr {
        let of = &self.plan.of;
        let row = times(y, of.lattice.strides[1]);
        plus(plus(plus(int(of.origin), x), row), times(z, of.lattice.strides[2]))
    }
}

/// The type of the elements that a pointer leads to one by one.
fn element(source: &Source<'_>, capture: VarId) -> Option<Scalar> {
    match &source.kernel.body.var(capture).ty {
        Type::Pointer(pointer) if pointer.dims.is_empty() => pointer.element.scalar(),
        _ => None,
    }
}

pub(super) fn pointer(ty: Scalar, mutable: bool) -> Type {
    Type::Pointer(Pointer { element: Box::new(ty.into()), dims: Vec::new(), mutable, restrict: false })
}
