//! How many elements of a [`Formula`] fall into each of some bins, or the sum of their weights, along one axis or two. Counts are
//! integers, which add up to the same in any order.
//!
//! # The order of weights
//! The weights of a bin are summed in the order that [`segments`](crate::segments) says for the values of a segment: they stand
//! one behind the other as their elements do.

use crate::formula::{Formula, scalar_of};
use crate::operator::Operator;
use crate::primitives::{Composed, Primitives};
use crate::program::{Args, Source, index_type, push_operands};
use ferrocca_core::{AnyMemory, Element, Error, IntoArg, Memory, Result};
use okl::ir::Scalar;
use okl::value::ScalarValue;

const TEXT: &str = include_str!("../kernels/histogram.okl");
const SOURCE: Source = Source { text: TEXT, kernel: "histogram" };
const NUMBERS: Source = Source { text: TEXT, kernel: "numbers" };

/// Elements of a group; no part of the definition.
const TILE: usize = 4096;
const TILE_OF_PROCESSORS: usize = 65_536;

/// A group has memory of its own for at most so many bins.
const MOST_ROOM: usize = 2048;

/// What a bin is.
#[derive(Clone, Copy, Debug)]
enum Bins<'a> {
    Numbers,
    Width { low: f64, high: f64 },
    Edges(&'a AnyMemory),
}

/// A histogram of a [`Formula`], queued by [`store`](Self::store).
#[derive(Debug)]
#[must_use = "nothing is computed before `store`"]
pub struct Histogram<'a> {
    primitives: &'a Primitives,
    formula: Formula<'a>,
    bins: Bins<'a>,
}

impl Primitives {
    /// How often each number from 0 on stands in a formula of integers; other numbers are left out.
    pub fn bincount<'a>(&'a self, of: impl Into<Formula<'a>>) -> Histogram<'a> {
        Histogram { primitives: self, formula: of.into(), bins: Bins::Numbers }
    }

    /// How many values are in each of some bins of equal width from `low` to `high`. Value `x` is in bin
    /// `(x - low) * (bins / (high - low))`, cut to an integer, computed in the type of the formula (an integer: as `float`);
    /// `high` is in the last one. Other values, NaN among them, are left out.
    pub fn histogram<'a>(&'a self, of: impl Into<Formula<'a>>, low: f64, high: f64) -> Histogram<'a> {
        Histogram { primitives: self, formula: of.into(), bins: Bins::Width { low, high } }
    }

    /// How many values are in each bin between two neighbours of `edges`, which ascend: the lower edge belongs to a bin, the
    /// last edge to the last bin. `edges` has one element more than there are bins, in the formula's type (an integer:
    /// `float`).
    pub fn histogram_of_edges<'a, T: Element>(
        &'a self,
        of: impl Into<Formula<'a>>,
        edges: &'a Memory<T>,
    ) -> Histogram<'a> {
        self.histogram_of_any_edges(of, edges.untyped())
    }

    /// As [`histogram_of_edges`](Self::histogram_of_edges), with edges whose type is known at run time.
    pub fn histogram_of_any_edges<'a>(&'a self, of: impl Into<Formula<'a>>, edges: &'a AnyMemory) -> Histogram<'a> {
        Histogram { primitives: self, formula: of.into(), bins: Bins::Edges(edges) }
    }
}

impl Histogram<'_> {
    /// Queues it; `counts`, integers of 32 or 64 bits, has an element for each bin.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Invalid`] for counts of another type, a formula of floats that is to be bin numbers, a
    /// range that is empty or not finite, and edges of another type; [`ferrocca_core::ErrorKind::OutOfBounds`] for no bins,
    /// and edges that are not one more than them; [`ferrocca_core::ErrorKind::Kernel`] for a formula that the kernel
    /// language refuses.
    pub fn store<T: Element>(&self, counts: &mut Memory<T>) -> Result<()> {
        self.run(counts).map_err(|error| error.while_doing(format!("counting `{}`", self.formula.text())))
    }

    /// Queues the sum of the weights in each bin: `sums` has an element for each. Every element of the formula has a weight.
    /// Sums are made in the type of `sums`, with the exceptions of [`Reduction::store`](crate::Reduction::store).
    /// # Errors
    /// As [`store`](Self::store), but for the type of the results; [`ferrocca_core::ErrorKind::OutOfBounds`] for another number
    /// of weights than elements; [`ferrocca_core::ErrorKind::Unsupported`] for more than 2³¹ − 2²⁰ elements.
    pub fn store_weights<'w, T: Element>(&self, weights: impl Into<Formula<'w>>, sums: &mut Memory<T>) -> Result<()> {
        let run = || {
            let (composed, n) = (&mut *self.primitives.composed(), self.formula.len()?);
            let mut numbers = composed.bins[0].take::<i32>(&self.primitives.device, n)?;
            self.bin_numbers(sums.len(), &mut numbers)?;
            self.primitives.sum_by_number(composed, &numbers, &weights.into(), sums)
        };
        run().map_err(|error| error.while_doing(format!("summing weights of `{}`", self.formula.text())))
    }

    fn run<T: Element>(&self, counts: &mut Memory<T>) -> Result<()> {
        let count = count_type(counts)?;
        let (n, bins) = (self.formula.len()?, counts.len());
        let value = self.value_type(bins)?;
        self.primitives.map(Formula::new("0")).store(counts)?;
        let room = if bins <= MOST_ROOM { bins.next_power_of_two().max(256) } else { 0 };
        let tiles = n.div_ceil(if self.primitives.is_processor() { TILE_OF_PROCESSORS } else { TILE });
        let kernel = self.primitives.state().programs.kernel(&self.primitives.device, &SOURCE, |macros| {
            macros.set("NUMBERS", 0);
            macros.set("KIND", self.kind());
            macros.set("ROOM", room);
            macros.set_type("INDEX", index_type(self.formula.reach(n)));
            macros.set_value(value.into(), &self.formula)?;
            macros.set_type("COUNT", count);
            macros.set_formula(&self.formula, n)
        })?;
        let mut arguments = self.arguments(n, bins, value)?;
        arguments.extend([bins.into_arg(), tiles.into_arg(), counts.into_arg()]);
        kernel.launch_on(&self.primitives.stream, arguments)
    }

    /// The number of the bin of each element; `bins` where it is in none.
    fn bin_numbers(&self, bins: usize, numbers: &mut Memory<i32>) -> Result<()> {
        let n = self.formula.len()?;
        let value = self.value_type(bins)?;
        let kernel = self.primitives.state().programs.kernel(&self.primitives.device, &NUMBERS, |macros| {
            macros.set("NUMBERS", 1);
            macros.set("KIND", self.kind());
            macros.set_type("INDEX", index_type(self.formula.reach(n)));
            macros.set_value(value.into(), &self.formula)?;
            macros.set_formula(&self.formula, n)
        })?;
        let mut arguments = self.arguments(n, bins, value)?;
        arguments.extend([bins.into_arg(), numbers.into_arg()]);
        kernel.launch_on(&self.primitives.stream, arguments)
    }

    /// How many elements, the operands, and where the bins are.
    fn arguments(&self, n: usize, bins: usize, value: Scalar) -> Result<Args<'_>> {
        let mut arguments = Args::new();
        arguments.push(n.into_arg());
        push_operands(&mut arguments, &self.formula)?;
        match self.bins {
            Bins::Numbers => {}
            Bins::Width { low, high } => {
                let numbers = [low, high, bins as f64 / (high - low)];
                arguments.extend(numbers.map(|number| ScalarValue::from_float(number, value).into_arg()));
            }
            Bins::Edges(edges) => arguments.push(edges.into_arg()),
        }
        Ok(arguments)
    }

    fn kind(&self) -> u8 {
        match self.bins {
            Bins::Numbers => 0,
            Bins::Width { .. } => 1,
            Bins::Edges(_) => 2,
        }
    }

    /// What values are compared as.
    fn value_type(&self, bins: usize) -> Result<Scalar> {
        if bins == 0 || bins >= i32::MAX as usize {
            return Err(Error::out_of_bounds(format!("a histogram of {bins} bins")));
        }
        // A formula of complex numbers has to be a real one.
        let promoted = self.formula.promoted()?.part();
        let float = if promoted.is_float() { promoted } else { Scalar::F32 };
        match self.bins {
            Bins::Numbers if promoted.is_float() => {
                Err(Error::invalid(format!("numbers of bins are integers, not {}", promoted.tag())))
            }
            Bins::Numbers => Ok(promoted),
            Bins::Width { low, high } if !(low < high && (high - low).is_finite()) => {
                Err(Error::invalid(format!("a histogram from {low} to {high}")))
            }
            Bins::Width { .. } => Ok(float),
            Bins::Edges(edges) if scalar_of(edges, "edges")? != float => Err(Error::invalid(format!(
                "the edges are memory of {}, the values are compared as {}",
                edges.dtype(),
                float.tag()
            ))),
            Bins::Edges(edges) if edges.len() != bins + 1 => {
                Err(Error::out_of_bounds(format!("{bins} bins have {} edges, not {}", bins + 1, edges.len())))
            }
            Bins::Edges(_) => Ok(float),
        }
    }
}

/// # Errors
/// [`ferrocca_core::ErrorKind::Invalid`] for memory that counts nothing.
fn count_type<T: Element>(counts: &Memory<T>) -> Result<Scalar> {
    match scalar_of(counts.untyped(), "counts")? {
        count @ (Scalar::I32 | Scalar::U32 | Scalar::I64 | Scalar::U64) => Ok(count),
        other => Err(Error::invalid(format!("counts are integers of 32 or 64 bits, not {}", other.tag()))),
    }
}

/// A histogram of two formulas, which have as many elements: an element is in the bin that one says along the first axis, and
/// the other one along the second axis.
#[derive(Debug)]
#[must_use = "nothing is computed before `store`"]
pub struct Histogram2d<'a> {
    axes: [Histogram<'a>; 2],
    bins: [usize; 2],
}

impl<'a> Histogram<'a> {
    /// A histogram along two axes, of which this is the first one: `bins` along both. An element that is in no bin along one axis
    /// is in none.
    pub fn by(self, other: Histogram<'a>, bins: [usize; 2]) -> Histogram2d<'a> {
        Histogram2d { axes: [self, other], bins }
    }
}

impl Histogram2d<'_> {
    /// Queues it; `counts`, integers of 32 or 64 bits, has an element for each pair of bins, row by row.
    /// # Errors
    /// As [`Histogram::store`]; [`ferrocca_core::ErrorKind::OutOfBounds`] for `counts` of another length, and for formulas that
    /// differ in length.
    pub fn store<T: Element>(&self, counts: &mut Memory<T>) -> Result<()> {
        count_type(counts)?;
        let composed = &mut *self.axes[0].primitives.composed();
        let numbers = self.numbers(composed, counts.len())?;
        self.axes[0].primitives.bincount(&numbers).store(counts)
    }

    /// Queues the sum of the weights in each pair of bins; as [`Histogram::store_weights`].
    /// # Errors
    /// As [`store`](Self::store) and [`Histogram::store_weights`].
    pub fn store_weights<'w, T: Element>(&self, weights: impl Into<Formula<'w>>, sums: &mut Memory<T>) -> Result<()> {
        let composed = &mut *self.axes[0].primitives.composed();
        let numbers = self.numbers(composed, sums.len())?;
        self.axes[0].primitives.sum_by_number(composed, &numbers, &weights.into(), sums)
    }

    /// The number of each element's pair of bins, row by row; `results` where it is in none.
    fn numbers(&self, composed: &mut Composed, results: usize) -> Result<Memory<i32>> {
        let ([x, y], [rows, columns]) = (&self.axes, self.bins);
        let (n, others) = (x.formula.len()?, y.formula.len()?);
        if n != others {
            return Err(Error::out_of_bounds(format!(
                "{n} elements along the first axis, {others} along the second one"
            )));
        }
        if rows.checked_mul(columns) != Some(results) || results >= i32::MAX as usize {
            return Err(Error::out_of_bounds(format!("{rows} × {columns} bins into memory of {results}")));
        }
        let device = &x.primitives.device;
        let [own, other] = &mut composed.bins;
        let (mut numbers, mut along) = (own.take::<i32>(device, n)?, other.take::<i32>(device, n)?);
        x.bin_numbers(rows, &mut numbers)?;
        y.bin_numbers(columns, &mut along)?;
        let here = numbers.share();
        let formula = crate::formula!(
            "x < rows && y < columns ? x * columns + y : rows * columns",
            x = &here,
            y = &along,
            rows = rows as i32,
            columns = columns as i32,
        );
        x.primitives.map(formula).store(&mut numbers)?;
        Ok(numbers)
    }
}

impl Primitives {
    /// The sum of the weights of each number below `sums.len()`; higher numbers are left out, and none is negative.
    fn sum_by_number<T: Element>(
        &self,
        composed: &mut Composed,
        numbers: &Memory<i32>,
        weights: &Formula<'_>,
        sums: &mut Memory<T>,
    ) -> Result<()> {
        let (n, bins, device) = (numbers.len(), sums.len(), &self.device);
        if weights.len()? != n {
            let own = weights.len()?;
            return Err(Error::out_of_bounds(format!("{n} elements have {own} weights")));
        }
        // Fewer bits are fewer passes of the sort.
        let mut order = composed.order.take::<i32>(device, n)?;
        let ascending = crate::sort::Order::Ascending;
        match bins {
            ..256 => {
                let mut keys = composed.sorted.take::<u8>(device, n)?;
                self.map(numbers).store(&mut keys)?;
                self.sort_indices(&keys, ascending, &mut order)?;
            }
            256..65_536 => {
                let mut keys = composed.sorted.take::<u16>(device, n)?;
                self.map(numbers).store(&mut keys)?;
                self.sort_indices(&keys, ascending, &mut order)?;
            }
            _ => self.sort_indices(numbers, ascending, &mut order)?,
        }
        let [own, in_order] = &mut composed.weights;
        let (mut own, mut in_order) = (own.take::<T>(device, n)?, in_order.take::<T>(device, n)?);
        self.map(weights.copy()).store(&mut own)?;
        self.gather(&own, &order, &mut in_order)?;
        let mut counts = composed.in_bins.take::<i32>(device, bins + 1)?;
        let mut offsets = composed.offsets.take::<i32>(device, bins + 1)?;
        self.bincount(numbers).store(&mut counts)?;
        self.scan_exclusive(&counts, Operator::SUM).store(&mut offsets)?;
        self.segments(&in_order, &offsets).reduce(Operator::SUM, sums)
    }
}
