//! Reductions: one value of many.
//!
//! # The tree
//! A tile is 4096 values in a row, 8 strips of 512. Strip `s` has 32 lanes; lane `(s, l)` begins with the identity and
//! combines the strip's values `l`, `l + 32`, `l + 64` …, in this order. Then the 256 lanes of the tile, counted by
//! `32 s + l`, are halved: lane `j` is combined with lane `j + 128`, then with `j + 64`, and so on. The results of the tiles
//! are reduced in the same way, until one is left. Values beyond the end are left out.
//!
//! This order is the definition on every device; an implementation for one device may compute it in any way that keeps it.
//! It is not the order of the values, so an operator should be commutative.
//!
//! # Along an axis
//! A segment is 1024 values in a row along the axis, the last one what is left. Lane `l` of 8 begins with the identity and
//! combines the values `l`, `l + 8`, `l + 16` … of the segment, in this order. Then the lanes are halved: lane `l` is combined
//! with lane `l + 4`, then with `l + 2`, then with `l + 1`. The results of the segments are reduced in the same way, until one
//! is left. Where in memory the values lie makes no difference.

use crate::along::{self, Along};
use crate::formula::{Formula, Operand};
use crate::operator::{Op, Operator, signed};
use crate::primitives::{Primitives, State};
use crate::program::{Args, Macros, Source, index_type, push_operands};
use crate::value_type::ValueType;
use ferrocca_core::{AnyMemory, Arg, Element, Error, IntoArg, Memory, Result};
use okl::ir::Scalar;
use okl::value::ScalarValue;

const SOURCE: Source = Source { text: include_str!("../kernels/reduce.okl"), kernel: "reduce" };

/// Values that one group combines. Part of the definition.
const TILE: usize = 4096;

/// One value that is computed of a [`Formula`]: queued by [`store`](Self::store), or fetched by [`get`](Self::get).
#[derive(Debug)]
#[must_use = "nothing is computed before `store` or `get`"]
pub struct Reduction<'a> {
    primitives: &'a Primitives,
    formula: Formula<'a>,
    kind: Kind<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Kind<'a> {
    Combine(Op<'a>),
    /// Σ|x|
    Norm1,
    /// √Σx²
    Norm2,
    /// max |x|
    NormMax,
    Mean,
    Variance {
        ddof: usize,
        root: bool,
    },
    /// The first index of the lowest, or highest, value.
    Extreme(Op<'a>),
}

/// What one launch computes of each value, and of the one that is left.
pub(crate) struct Steps<'a> {
    /// What a formula's value is converted to, and what those are combined in.
    pub(crate) value: ValueType,
    pub(crate) acc: ValueType,
    pub(crate) op: Op<'a>,
    /// An expression of `value`.
    pub(crate) transform: &'static str,
    /// An expression of `acc` and `count`.
    pub(crate) finish: &'a str,
    pub(crate) count: usize,
}

impl Steps<'_> {
    /// Sets the macros for all of it.
    pub(crate) fn define(&self, macros: &mut Macros<'_>, formula: &Formula<'_>) -> Result<()> {
        macros.set_type("ACC", self.acc);
        macros.set_type("COUNT", self.acc.part());
        macros.set_text("OPERATOR", self.op.text());
        macros.set_text("IDENTITY", self.op.identity(self.acc));
        macros.set_text("TRANSFORM", self.transform);
        macros.set_text("FINISH", self.finish);
        macros.set_value(self.value, formula)
    }
}

/// Which level of the tree, how many values it takes, and what its results are stored as.
struct Level {
    number: usize,
    n: usize,
    is_last: bool,
    out: ValueType,
}

impl Primitives {
    fn reduction<'a>(&'a self, of: impl Into<Formula<'a>>, kind: Kind<'a>) -> Reduction<'a> {
        Reduction { primitives: self, formula: of.into(), kind }
    }

    /// The sum; 0 of no elements.
    pub fn sum<'a>(&'a self, of: impl Into<Formula<'a>>) -> Reduction<'a> {
        self.reduce(of, Operator::SUM)
    }

    /// The product; 1 of no elements.
    pub fn product<'a>(&'a self, of: impl Into<Formula<'a>>) -> Reduction<'a> {
        self.reduce(of, Operator::PRODUCT)
    }

    /// The lowest value, as [`Operator::MIN`]; no elements have none.
    pub fn min<'a>(&'a self, of: impl Into<Formula<'a>>) -> Reduction<'a> {
        self.reduce(of, Operator::MIN)
    }

    /// The highest value, as [`Operator::MAX`]; no elements have none.
    pub fn max<'a>(&'a self, of: impl Into<Formula<'a>>) -> Reduction<'a> {
        self.reduce(of, Operator::MAX)
    }

    /// 1 where a value is not zero, else 0.
    pub fn any<'a>(&'a self, of: impl Into<Formula<'a>>) -> Reduction<'a> {
        self.reduction(of, Kind::Combine(Op::Any))
    }

    /// 1 where no value is zero, else 0.
    pub fn all<'a>(&'a self, of: impl Into<Formula<'a>>) -> Reduction<'a> {
        self.reduction(of, Kind::Combine(Op::All))
    }

    /// All values combined by an operator.
    pub fn reduce<'a>(&'a self, of: impl Into<Formula<'a>>, operator: Operator<'a>) -> Reduction<'a> {
        self.reduction(of, Kind::Combine(operator.0))
    }

    /// The sum of the products of elements of `a` and `b`, which are multiplied in the type of the result.
    pub fn dot<'a, T: Element, U: Element>(&'a self, a: &'a Memory<T>, b: &'a Memory<U>) -> Reduction<'a> {
        self.sum(Formula::new("(ACC)a * (ACC)b").with("a", a).with("b", b))
    }

    /// Σ|x|. Norms, means and variances are floats.
    pub fn norm_1<'a>(&'a self, of: impl Into<Formula<'a>>) -> Reduction<'a> {
        self.reduction(of, Kind::Norm1)
    }

    /// √Σx²; it overflows where the sum does.
    pub fn norm_2<'a>(&'a self, of: impl Into<Formula<'a>>) -> Reduction<'a> {
        self.reduction(of, Kind::Norm2)
    }

    /// max |x|; 0 of no elements.
    pub fn norm_max<'a>(&'a self, of: impl Into<Formula<'a>>) -> Reduction<'a> {
        self.reduction(of, Kind::NormMax)
    }

    /// The sum divided by the number of elements; NaN of none.
    pub fn mean<'a>(&'a self, of: impl Into<Formula<'a>>) -> Reduction<'a> {
        self.reduction(of, Kind::Mean)
    }

    /// Σ(x − mean)² / (n − `ddof`), in two passes; NaN where n ≤ `ddof`.
    pub fn variance<'a>(&'a self, of: impl Into<Formula<'a>>, ddof: usize) -> Reduction<'a> {
        self.reduction(of, Kind::Variance { ddof, root: false })
    }

    /// The square root of the [`variance`](Self::variance).
    pub fn standard_deviation<'a>(&'a self, of: impl Into<Formula<'a>>, ddof: usize) -> Reduction<'a> {
        self.reduction(of, Kind::Variance { ddof, root: true })
    }

    /// The index of the lowest value, of the first NaN where there is one; the lowest of several indices.
    pub fn arg_min<'a>(&'a self, of: impl Into<Formula<'a>>) -> Reduction<'a> {
        self.reduction(of, Kind::Extreme(Op::Min))
    }

    /// The index of the highest value, of the first NaN where there is one; the lowest of several indices.
    pub fn arg_max<'a>(&'a self, of: impl Into<Formula<'a>>) -> Reduction<'a> {
        self.reduction(of, Kind::Extreme(Op::Max))
    }
}

impl<'a> Reduction<'a> {
    /// Queues it; the result will be in `out`, which has one element.
    ///
    /// Values are combined in the type of `out`, with two exceptions: 16-bit floats are combined as `f32`, and integers
    /// narrower than 32 bits as such; both are converted once, at the end. So the sum of `f32` values into memory of `f64` is
    /// accumulated in `f64`.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::OutOfBounds`] when `out` has not one element, or operands differ in length;
    /// [`ferrocca_core::ErrorKind::Invalid`] for a minimum of no elements, a float result in memory of integers, an index in
    /// memory of floats, and structs;
    /// [`ferrocca_core::ErrorKind::Kernel`] for a formula or operator that the kernel language refuses; as
    /// [`ferrocca_core::Kernel::launch`].
    pub fn store<T: Element>(&self, out: &mut Memory<T>) -> Result<()> {
        if out.len() != 1 {
            return Err(Error::out_of_bounds(format!("a reduction has one result, the memory {} elements", out.len())));
        }
        let of = ValueType::of_memory(out.untyped(), "out")?;
        self.run(&mut self.primitives.state(), of, out.into_arg(), None)
            .map_err(|error| error.while_doing(format!("reducing `{}`", self.formula.text())))
    }

    /// Queues it along an axis, counted from the first one: `out` has one element for each index of the others, row by row.
    /// An index of an extreme value is that along the axis, and `index` in the formula too. Types are those of
    /// [`store`](Self::store).
    /// # Errors
    /// As [`store`](Self::store); [`ferrocca_core::ErrorKind::OutOfBounds`] for an axis that there is not, and for `out` of
    /// another length; [`ferrocca_core::ErrorKind::Unsupported`] where more than three other axes are left when those that
    /// lie in a row are made one.
    pub fn store_along<T: Element>(&self, axis: usize, out: &mut Memory<T>) -> Result<()> {
        let reducing =
            |error: Error| error.while_doing(format!("reducing `{}` along axis {axis}", self.formula.text()));
        let results = Along::of(&self.formula, axis, &[]).map_err(reducing)?.results();
        if out.len() != results {
            let text =
                format!("a reduction along axis {axis} has {results} results, the memory {} elements", out.len());
            return Err(reducing(Error::out_of_bounds(text)));
        }
        let of = ValueType::of_memory(out.untyped(), "out")?;
        self.run(&mut self.primitives.state(), of, out.into_arg(), Some(axis)).map_err(reducing)
    }

    /// Computes it and waits for the value.
    /// # Errors
    /// As [`store`](Self::store).
    pub fn get<T: Element>(&self) -> Result<T> {
        let mut out = self.primitives.state().result.take::<T>(&self.primitives.device, 1)?;
        let mut value = [T::zeroed()];
        self.store(&mut out)?;
        self.primitives.finish()?;
        out.copy_to(&mut value)?;
        Ok(value[0])
    }

    fn run(&self, state: &mut State, out: ValueType, result: Arg<'_>, axis: Option<usize>) -> Result<()> {
        let along = axis.map(|axis| Along::of(&self.formula, axis, &[])).transpose()?;
        let n = along.as_ref().map_or_else(|| self.formula.len(), |along| Ok(along.length()))?;
        let is_complex = self.formula.is_complex()?;
        let needs_float = |may_be_complex: bool| match out.part().is_float() && (may_be_complex || !out.is_complex()) {
            true => Ok(()),
            false => Err(Error::invalid(format!("the result is a float; it cannot go into memory of {}", out.tag()))),
        };
        let plain = |op: Op<'a>, transform, finish, count| -> Result<Steps<'a>> {
            let acc = op.accumulator(out)?;
            Ok(Steps { value: signed(out, acc), acc, op, transform, finish, count })
        };
        // Real results of complex values too.
        let real = |op: Op<'a>, transform, finish, count| -> Result<Steps<'a>> {
            needs_float(false)?;
            let steps = plain(op, transform, finish, count)?;
            let value = if is_complex { ValueType::complex(steps.acc.part()) } else { steps.value };
            Ok(Steps { value, ..steps })
        };
        let steps = match self.kind {
            Kind::Combine(op) if n == 0 && !op.has_identity() => return Err(no_elements()),
            Kind::Combine(op @ (Op::Any | Op::All)) => Steps {
                value: self.formula.promoted()?,
                acc: Scalar::I32.into(),
                op,
                transform: "value != 0 ? 1 : 0",
                finish: "acc",
                count: 0,
            },
            Kind::Combine(op) => plain(op, "value", "acc", 0)?,
            Kind::Extreme(op) => return self.extreme(state, op, (n, along), out, result, axis),
            Kind::Norm1 => real(Op::Sum, "fabs(value)", "acc", 0)?,
            Kind::Norm2 => real(Op::Sum, if is_complex { "norm(value)" } else { "value * value" }, "sqrt(acc)", 0)?,
            Kind::NormMax => real(Op::User { text: Op::Max.text(), identity: "0" }, "fabs(value)", "acc", 0)?,
            Kind::Mean => needs_float(true).and_then(|()| plain(Op::Sum, "value", "acc / count", n))?,
            Kind::Variance { ddof, root } => {
                let steps = real(Op::Sum, "value", "acc / count", n)?;
                let results = along.as_ref().map_or(1, Along::results);
                let mut mean = state.value.take_any(&self.primitives.device, steps.value, results)?;
                let steps = Steps { acc: steps.value, ..steps };
                self.levels(state, &self.formula, &steps, steps.acc, Arg::write(&mut mean), axis)?;
                let formula = self.formula.extended(MEAN, repeated(&mean, along.as_ref()));
                let finish = if root { "sqrt(acc / count)" } else { "acc / count" };
                let square = match is_complex {
                    true => "norm(value - mean_of_all)",
                    false => "(value - mean_of_all) * (value - mean_of_all)",
                };
                let steps = real(Op::Sum, square, finish, n.saturating_sub(ddof))?;
                return self.levels(state, &formula, &steps, out, result, axis);
            }
        };
        self.levels(state, &self.formula, &steps, out, result, axis)
    }

    /// The extreme value first, then the lowest index that has it. What the first level of the tree leaves says which tile is the
    /// first one that has it: the values are read once, and those of one tile twice.
    fn extreme(
        &self,
        state: &mut State,
        op: Op<'a>,
        (n, along): (usize, Option<Along>),
        out: ValueType,
        result: Arg<'_>,
        axis: Option<usize>,
    ) -> Result<()> {
        if n == 0 {
            return Err(no_elements());
        }
        if out.part().is_float() {
            return Err(Error::invalid(format!("the result is an index; it cannot go into memory of {}", out.tag())));
        }
        // A formula of complex numbers has to be a real one.
        let (device, value) = (&self.primitives.device, ValueType::Real(self.formula.promoted()?.part()));
        let results = along.as_ref().map_or(1, Along::results);
        let mut extreme = state.value.take_any(device, value, results)?;
        let values = Steps { value, acc: value, op, transform: "value", finish: "acc", count: 0 };
        let acc = index_type(self.formula.reach(n));
        let (narrow, wide) = (
            "value == extreme_of_all || value != value && extreme_of_all != extreme_of_all ? index : INT_MAX",
            "value == extreme_of_all || value != value && extreme_of_all != extreme_of_all ? index : LONG_MAX",
        );
        let transform = if acc == Scalar::I32 { narrow } else { wide };
        let acc = ValueType::Real(acc);
        let indices = Steps { value, acc, op: Op::Min, transform, finish: "acc", count: 0 };
        if axis.is_some() || n <= TILE {
            self.levels(state, &self.formula, &values, value, Arg::write(&mut extreme), axis)?;
            let formula = self.formula.extended(EXTREME, repeated(&extreme, along.as_ref()));
            return self.levels(state, &formula, &indices, out, result, axis);
        }
        let tiles = n.div_ceil(TILE);
        let mut of_tiles = state.totals[0].take_any(device, value, tiles)?;
        let first = Level { number: 0, n, is_last: false, out: value };
        self.level(state, &self.formula, &values, &first, None, Arg::write(&mut of_tiles))?;
        self.levels_from(OF_TILES, state, &(&of_tiles).into(), &values, value, Arg::write(&mut extreme))?;
        let formula = Formula::from(&of_tiles).with(EXTREME, &extreme);
        let mut tile = state.carries[0].take_any(device, acc, 1)?;
        self.levels(state, &formula, &indices, acc, Arg::write(&mut tile), None)?;
        let formula = self.formula.extended(EXTREME, &extreme);
        let chosen = Level { number: CHOSEN, n, is_last: true, out };
        self.launch(state, &formula, &indices, &chosen, Some(&tile), result)
    }

    /// All levels of the tree: the formula's values first, then the results of the level before.
    fn levels(
        &self,
        state: &mut State,
        formula: &Formula<'_>,
        steps: &Steps<'_>,
        out: ValueType,
        result: Arg<'_>,
        axis: Option<usize>,
    ) -> Result<()> {
        match axis {
            Some(axis) => along::reduce(self.primitives, state, formula, axis, steps, out, result),
            None => self.levels_from(0, state, formula, steps, out, result),
        }
    }

    /// As [`levels`](Self::levels), without an axis; the first level has this number.
    fn levels_from(
        &self,
        number: usize,
        state: &mut State,
        formula: &Formula<'_>,
        steps: &Steps<'_>,
        out: ValueType,
        result: Arg<'_>,
    ) -> Result<()> {
        let device = &self.primitives.device;
        let mut level = Level { number, n: formula.len()?, is_last: false, out: steps.acc };
        let mut before: Option<AnyMemory> = None;
        while level.n > TILE {
            let tiles = level.n.div_ceil(TILE);
            let mut after = state.partials[level.number % 2].take_any(device, steps.acc, tiles)?;
            self.level(state, formula, steps, &level, before.as_ref(), Arg::write(&mut after))?;
            level = Level { number: level.number + 1, n: tiles, ..level };
            before = Some(after);
        }
        level = Level { is_last: true, out, ..level };
        self.level(state, formula, steps, &level, before.as_ref(), result)
    }

    /// One level of the tree, of the formula or of what the level before left.
    fn level(
        &self,
        state: &mut State,
        formula: &Formula<'_>,
        steps: &Steps<'_>,
        level: &Level,
        before: Option<&AnyMemory>,
        result: Arg<'_>,
    ) -> Result<()> {
        if let Some(values) = before {
            let steps = Steps { value: steps.acc, transform: "value", ..*steps };
            return self.launch(state, &values.into(), &steps, level, None, result);
        }
        self.launch(state, formula, steps, level, None, result)
    }

    fn launch(
        &self,
        state: &mut State,
        formula: &Formula<'_>,
        steps: &Steps<'_>,
        level: &Level,
        chosen: Option<&AnyMemory>,
        result: Arg<'_>,
    ) -> Result<()> {
        let n = level.n;
        let kernel = state.programs.kernel(&self.primitives.device, &SOURCE, |macros| {
            // Each level has a kernel of its own, since a kernel remembers the proof of one launch.
            macros.set("LEVEL", level.number);
            macros.set("CHOSEN", u8::from(chosen.is_some()));
            macros.set_type("INDEX", index_type(formula.reach(n)));
            macros.set_type("RESULT", level.out);
            Steps { finish: if level.is_last { steps.finish } else { "acc" }, ..*steps }.define(macros, formula)?;
            macros.set_ahead(&self.primitives.device, formula, n)?;
            macros.set_formula(formula, n)
        })?;
        let mut arguments = Args::new();
        arguments.push(n.into_arg());
        push_operands(&mut arguments, formula)?;
        arguments.extend(chosen.map(Arg::read));
        arguments.push(chosen.map_or_else(|| n.div_ceil(TILE).max(1), |_| 1).into_arg());
        arguments.push(ScalarValue::from_integer(steps.count as i128, steps.acc.part()).into_arg());
        arguments.push(result);
        kernel.launch_on(&self.primitives.stream, arguments)
    }
}

/// One value for all elements, or one for each index of the other axes.
fn repeated<'a>(memory: &'a AnyMemory, along: Option<&Along>) -> Operand<'a> {
    along.map_or_else(|| memory.into(), |along| along.result(memory))
}

/// The first level over the results of tiles, which is the same kernel as that over the values but for its number.
const OF_TILES: usize = 50;
/// The level of a tile whose number stands in memory.
const CHOSEN: usize = 100;

/// Names that a formula's operands must not have.
const MEAN: &str = "mean_of_all";
const EXTREME: &str = "extreme_of_all";

fn no_elements() -> Error {
    Error::invalid("no elements have no lowest and no highest value")
}
