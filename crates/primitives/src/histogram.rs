//! How many elements of a [`Formula`] fall into each of some bins. Counts are integers, which add up to the same in any
//! order.

use crate::formula::{Formula, scalar_of};
use crate::primitives::Primitives;
use crate::program::{Args, Source, index_type, push_operands};
use ferrocca_core::{AnyMemory, Element, Error, IntoArg, Memory, Result};
use okl::ir::Scalar;
use okl::value::ScalarValue;

const SOURCE: Source = Source { text: include_str!("../kernels/histogram.okl"), kernel: "histogram" };

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
        Histogram { primitives: self, formula: of.into(), bins: Bins::Edges(edges.untyped()) }
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

    fn run<T: Element>(&self, counts: &mut Memory<T>) -> Result<()> {
        let count = scalar_of(counts.untyped(), "counts")?;
        if !matches!(count, Scalar::I32 | Scalar::U32 | Scalar::I64 | Scalar::U64) {
            return Err(Error::invalid(format!("counts are integers of 32 or 64 bits, not {}", count.tag())));
        }
        let (n, bins) = (self.formula.len()?, counts.len());
        if bins == 0 || bins >= i32::MAX as usize {
            return Err(Error::out_of_bounds(format!("a histogram of {bins} bins")));
        }
        let value = self.value_type(bins)?;
        self.primitives.map(Formula::new("0")).store(counts)?;
        let room = if bins <= MOST_ROOM { bins.next_power_of_two().max(256) } else { 0 };
        let is_processor = ["Serial", "CPU", "Reference"].contains(&self.primitives.device.mode());
        let tiles = n.div_ceil(if is_processor { TILE_OF_PROCESSORS } else { TILE });
        let kernel = self.primitives.state().programs.kernel(&self.primitives.device, &SOURCE, |macros| {
            macros.set("KIND", self.kind());
            macros.set("ROOM", room);
            macros.set_type("INDEX", index_type(n));
            macros.set_type("VALUE", value);
            macros.set_type("COUNT", count);
            macros.set_formula(&self.formula, n)
        })?;
        let mut arguments = Args::new();
        arguments.push(n.into_arg());
        push_operands(&mut arguments, &self.formula);
        match self.bins {
            Bins::Numbers => {}
            Bins::Width { low, high } => {
                let numbers = [low, high, bins as f64 / (high - low)];
                arguments.extend(numbers.map(|number| ScalarValue::from_float(number, value).into_arg()));
            }
            Bins::Edges(edges) => arguments.push(edges.into_arg()),
        }
        arguments.extend([bins.into_arg(), tiles.into_arg(), counts.into_arg()]);
        kernel.launch_on(&self.primitives.stream, arguments)
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
        let promoted = self.formula.promoted()?;
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
