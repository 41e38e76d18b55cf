//! Reductions and scans along one axis: a result for each index of the others.

use crate::formula::{Formula, Operand};
use crate::primitives::{Primitives, State};
use crate::program::{Args, Macros, Source, index_type, push_operands_of, push_strides};
use crate::reduce::Steps;
use crate::shape::{AXES, LOOPS, Shape, last};
use crate::value_type::ValueType;
use ferrocca_core::{AnyMemory, Arg, Error, IntoArg, Result};
use okl::value::ScalarValue;
use smallvec::SmallVec;

const REDUCE: Source = Source { text: include_str!("../kernels/reduce_along.okl"), kernel: "reduce_along" };
const SCAN: Source = Source { text: include_str!("../kernels/scan_along.okl"), kernel: "scan_along" };

/// Values of the axis that one item combines. Part of the definition.
const SEGMENT: usize = 1024;

/// A formula's axis, and its others as kernels count them.
pub(crate) struct Along {
    /// Of the other axes, of which no more than three are left, and of the axis.
    dims: [usize; LOOPS],
    /// Of each operand, and behind them of each other place, along those.
    strides: SmallVec<[[isize; LOOPS]; 4]>,
    /// The others' own lengths, and 1 in the axis' place.
    kept: SmallVec<[usize; AXES]>,
}

impl Along {
    /// `places` have the formula's shape too.
    pub(crate) fn of(formula: &Formula<'_>, axis: usize, places: &[&Operand<'_>]) -> Result<Self> {
        let shape = formula.shape()?;
        let mut kept: SmallVec<[usize; AXES]> = shape.lengths().into();
        let Some(length) = kept.get_mut(axis) else {
            return Err(Error::out_of_bounds(format!("the shape {shape} has no axis {axis}")));
        };
        let length = std::mem::replace(length, 1);
        let place = AXES - shape.lengths().len() + axis;
        let mut strides: SmallVec<[[isize; AXES]; 4]> =
            formula.operands().map(|(_, operand)| operand.strides()).collect();
        strides.extend(places.iter().map(|place| place.strides()));
        let own: SmallVec<[isize; 4]> = strides.iter().map(|strides| strides[place]).collect();
        let mut others = shape.without(axis, &mut strides);
        others.merge_axes(&mut strides);
        let [0 | 1, d0, d1, d2] = others.loops()? else {
            let reason = "more than three other axes are left where those that lie in a row are made one";
            return Err(Error::unsupported(format!("axis {axis} of the shape {shape}"), reason));
        };
        // The axis is counted last.
        let strides = strides.iter().zip(own).map(|(strides, own)| {
            let [_, s0, s1, s2] = last(strides);
            [s0, s1, s2, own]
        });
        Ok(Self { dims: [d0, d1, d2, length], strides: strides.collect(), kept })
    }

    /// How many results there are of a reduction.
    pub(crate) fn results(&self) -> usize {
        self.dims[..LOOPS - 1].iter().product()
    }

    /// Values of each result.
    pub(crate) fn length(&self) -> usize {
        self.dims[LOOPS - 1]
    }

    /// The results as an operand, which is repeated along the axis.
    pub(crate) fn result<'a>(&self, memory: &'a AnyMemory) -> Operand<'a> {
        Operand::dense(memory, Shape::new(&self.kept))
    }
}

/// All levels of a reduction along an axis: the formula's values first, then the results of the level before.
pub(crate) fn reduce(
    primitives: &Primitives,
    state: &mut State,
    formula: &Formula<'_>,
    axis: usize,
    steps: &Steps<'_>,
    out: ValueType,
    result: Arg<'_>,
) -> Result<()> {
    let mut level = 0;
    let mut along = Along::of(formula, axis, &[])?;
    let results = along.results();
    if results == 0 {
        return Ok(());
    }
    let mut before: Option<AnyMemory> = None;
    loop {
        let segments = along.length().div_ceil(SEGMENT).max(1);
        let is_last = segments == 1;
        let mut after = match is_last {
            true => None,
            false => Some(state.partials[level % 2].take_any(&primitives.device, steps.acc, segments * results)?),
        };
        let steps = Steps { finish: if is_last { steps.finish } else { "acc" }, ..*steps };
        let out = if is_last { out } else { steps.acc };
        let target = after.as_mut().map_or(result, Arg::write);
        match &before {
            None => launch(primitives, state, formula, &along, &steps, (level, segments), out, target)?,
            Some(values) => {
                let steps = Steps { value: steps.acc, transform: "value", ..steps };
                let operand = Operand::dense(values, Shape::new(&[along.length(), results]));
                let formula = Formula::new("x").with("x", operand);
                launch(primitives, state, &formula, &along, &steps, (level, segments), out, target)?;
            }
        }
        let Some(after) = after else {
            return Ok(());
        };
        let operand = Operand::dense(&after, Shape::new(&[segments, results]));
        along = Along::of(&Formula::new("x").with("x", operand), 0, &[])?;
        before = Some(after);
        level += 1;
    }
}

#[allow(clippy::too_many_arguments)]
fn launch(
    primitives: &Primitives,
    state: &mut State,
    formula: &Formula<'_>,
    along: &Along,
    steps: &Steps<'_>,
    (level, segments): (usize, usize),
    out: ValueType,
    result: Arg<'_>,
) -> Result<()> {
    let n = along.results().saturating_mul(along.length().max(segments));
    let kernel = state.programs.kernel(&primitives.device, &REDUCE, |macros| {
        macros.set("LEVEL", level);
        macros.set_type("INDEX", index_type(formula.reach(n)));
        macros.set_type("RESULT", out);
        steps.define(macros, formula)?;
        macros.set_shaped_formula(formula, &along.strides)
    })?;
    let mut arguments = Args::new();
    arguments.extend(along.dims.map(IntoArg::into_arg));
    push_operands_of(&mut arguments, formula);
    push_strides(&mut arguments, formula, &along.strides, 0..LOOPS);
    arguments.push(segments.into_arg());
    arguments.push(ScalarValue::from_integer(steps.count as i128, steps.acc.part()).into_arg());
    arguments.push(result);
    kernel.launch_on(&primitives.stream, arguments)
}

/// A scan along an axis; `define` sets the macros of the operation.
pub(crate) fn scan(
    primitives: &Primitives,
    state: &mut State,
    formula: &Formula<'_>,
    axis: usize,
    out: &mut AnyMemory,
    define: impl FnOnce(&mut Macros<'_>) -> Result<()>,
) -> Result<()> {
    let shape = formula.shape()?;
    if shape.len() != Some(out.len()) {
        return Err(Error::out_of_bounds(format!(
            "the operands have the shape {shape}, the result {} elements",
            out.len()
        )));
    }
    let of = ValueType::of_memory(out, "out")?;
    let handle = out.clone();
    let place = Operand::dense(&handle, shape);
    let along = Along::of(formula, axis, &[&place])?;
    if out.is_empty() {
        return Ok(());
    }
    let kernel = state.programs.kernel(&primitives.device, &SCAN, |macros| {
        macros.set_type("INDEX", index_type(formula.reach(out.len())));
        macros.set_type("RESULT", of);
        define(macros)?;
        macros.set_shaped_formula(formula, &along.strides)
    })?;
    let mut arguments = Args::new();
    arguments.extend(along.dims.map(IntoArg::into_arg));
    push_operands_of(&mut arguments, formula);
    push_strides(&mut arguments, formula, &along.strides, 0..LOOPS);
    if let Some(own) = along.strides.last() {
        arguments.extend(own.map(IntoArg::into_arg));
    }
    arguments.push(Arg::write(out));
    kernel.launch_on(&primitives.stream, arguments)
}
