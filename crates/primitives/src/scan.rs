//! Scans: every value combined with all before it.
//!
//! # The tree
//! A tile is 2048 values in a row, 256 chunks of 8. The total `t[c]` of a chunk is its values, combined in order from the
//! identity on. The totals are scanned in 8 steps, `d` = 1, 2, 4 … 128, of `t[c] = t[c - d] ∘ t[c]` for all `c ≥ d` at once;
//! `t[255]` is then the tile's total. The exclusive scan of the tiles' totals, by this definition, gives each tile its carry;
//! that of a single tile is the identity. Chunk 0 begins with the carry, chunk `c` with `carry ∘ t[c - 1]`, and combines its
//! values in order: a result of an inclusive scan is what stands after the value, of an exclusive one what stands before it.
//!
//! A tile's carry needs the totals of all tiles before it, so the totals are made by a kernel of their own. A single pass
//! (Merrill and Garland's decoupled look-back) would combine what happens to be there, in an order that changes from run to run.
//!
//! Values keep their order, so an operator needs no commutativity: `b != 0 ? b : a` repeats the last value that is not zero.

use crate::along;
use crate::formula::Formula;
use crate::operator::{Op, Operator, signed};
use crate::primitives::{Primitives, State};
use crate::program::{Args, Source, index_type, push_operands};
use crate::value_type::ValueType;
use ferrocca_core::{AnyMemory, Arg, Element, Error, IntoArg, Memory, Result};
use okl::ir::Scalar;
use smallvec::SmallVec;

const TEXT: &str = include_str!("../kernels/scan.okl");
const TOTALS: Source = Source { text: TEXT, kernel: "scan_totals" };
const SCAN: Source = Source { text: TEXT, kernel: "scan" };
const FEW: Source = Source { text: TEXT, kernel: "scan_few" };

/// Chunks of a tile, each the work of an item.
const CHUNKS: usize = 256;

/// Values that one group scans. Part of the definition.
const TILE: usize = 8 * CHUNKS;

/// Tiles that one group scans at once, at most: sooner than three kernels do, one behind the other.
const FEW_TILES: usize = 4;

/// Values for which a kernel is worth a second of a driver's compiler, where a processor emulates a GPU.
const MANY: usize = 64 * TILE;

/// A scan of a [`Formula`], queued by [`store`](Self::store).
#[derive(Debug)]
#[must_use = "nothing is computed before `store`"]
pub struct Scan<'a> {
    primitives: &'a Primitives,
    formula: Formula<'a>,
    op: Op<'a>,
    inclusive: bool,
    of_truth: bool,
}

impl Primitives {
    /// Sums from the first value to each.
    pub fn cumulative_sum<'a>(&'a self, of: impl Into<Formula<'a>>) -> Scan<'a> {
        self.scan_inclusive(of, Operator::SUM)
    }

    /// Each value combined with all before it.
    pub fn scan_inclusive<'a>(&'a self, of: impl Into<Formula<'a>>, operator: Operator<'a>) -> Scan<'a> {
        Scan { primitives: self, formula: of.into(), op: operator.0, inclusive: true, of_truth: false }
    }

    /// For each value, all before it combined; the identity for the first.
    pub fn scan_exclusive<'a>(&'a self, of: impl Into<Formula<'a>>, operator: Operator<'a>) -> Scan<'a> {
        Scan { primitives: self, formula: of.into(), op: operator.0, inclusive: false, of_truth: false }
    }
}

/// One level: how many values it has, and their types.
#[derive(Clone, Copy)]
struct Level {
    n: usize,
    number: usize,
    value: ValueType,
    acc: ValueType,
    out: ValueType,
}

impl Scan<'_> {
    /// Every value that is not zero is 1.
    pub(crate) fn of_truth(self) -> Self {
        Self { of_truth: true, ..self }
    }

    /// Queues it; `out` has as many elements as the formula, and may be an operand of it. Values are combined in the type of
    /// `out`, with the exceptions of [`Reduction::store`](crate::Reduction::store).
    /// # Errors
    /// [`ferrocca_core::ErrorKind::OutOfBounds`] for lengths that differ; [`ferrocca_core::ErrorKind::Invalid`] for structs;
    /// [`ferrocca_core::ErrorKind::Kernel`] for a formula or operator that the kernel language refuses; as
    /// [`ferrocca_core::Kernel::launch`].
    pub fn store<T: Element>(&self, out: &mut Memory<T>) -> Result<()> {
        self.run(&mut self.primitives.state(), out)
            .map_err(|error| error.while_doing(format!("scanning `{}`", self.formula.text())))
    }

    /// Queues it along an axis, counted from the first one, line by line: each value is combined with those before it along the
    /// axis, in their order and from the identity on. `out` has the formula's shape, row by row. Types are those of
    /// [`store`](Self::store).
    /// # Errors
    /// As [`store`](Self::store); [`ferrocca_core::ErrorKind::OutOfBounds`] for an axis that there is not;
    /// [`ferrocca_core::ErrorKind::Unsupported`] where more than three other axes are left when those that lie in a row are
    /// made one.
    pub fn store_along<T: Element>(&self, axis: usize, out: &mut Memory<T>) -> Result<()> {
        let run = || {
            let of = ValueType::of_memory(out.untyped(), "out")?;
            let acc = self.op.accumulator(of)?;
            let mut handle = out.untyped().clone();
            along::scan(self.primitives, &mut self.primitives.state(), &self.formula, axis, &mut handle, |macros| {
                macros.set("INCLUSIVE", u8::from(self.inclusive));
                macros.set_type("ACC", acc);
                macros.set_text("OPERATOR", self.op.text());
                macros.set_text("IDENTITY", self.op.identity(acc));
                macros.set_value(signed(of, acc), &self.formula)
            })
        };
        run().map_err(|error| error.while_doing(format!("scanning `{}` along axis {axis}", self.formula.text())))
    }

    pub(crate) fn run<T: Element>(&self, state: &mut State, out: &mut Memory<T>) -> Result<()> {
        let n = self.formula.len()?;
        if out.len() != n {
            return Err(Error::out_of_bounds(format!("the operands have {n} elements, the result {}", out.len())));
        }
        if n == 0 {
            return Ok(());
        }
        let of = ValueType::of_memory(out.untyped(), "out")?;
        let acc = self.op.accumulator(of)?;
        let value = if self.of_truth { Scalar::Bool.into() } else { signed(of, acc) };
        let first = Level { n, number: 0, value, acc, out: of };
        // Upwards, the totals of each level's tiles; the last level is one tile, or a few.
        let device = &self.primitives.device;
        let at_once = self.tiles_at_once() * TILE;
        let (mut level, mut totals) = (first, SmallVec::<[AnyMemory; 4]>::new());
        while level.n > at_once {
            let tiles = level.n.div_ceil(TILE);
            let mut after = state.totals[level.number].take_any(device, acc, tiles)?;
            let formula = totals.last().map_or_else(|| self.formula.copy(), Formula::from);
            self.launch(state, &TOTALS, &formula, level, None, true, Arg::write(&mut after))?;
            drop(formula);
            totals.push(after);
            level = Level { n: tiles, number: level.number + 1, value: acc, acc, out: acc };
        }
        // Downwards, what each tile begins with.
        let mut carries: Option<AnyMemory> = None;
        while let Some(values) = totals.pop() {
            let level = Level { n: values.len(), number: totals.len() + 1, value: acc, acc, out: acc };
            let mut after = state.carries[totals.len()].take_any(device, acc, level.n)?;
            let source = of_results(level, carries.as_ref());
            self.launch(state, source, &(&values).into(), level, carries.as_ref(), false, Arg::write(&mut after))?;
            carries = Some(after);
        }
        let source = of_results(first, carries.as_ref());
        self.launch(state, source, &self.formula, first, carries.as_ref(), self.inclusive, out.into_arg())
    }

    /// Tiles that one group scans.
    fn tiles_at_once(&self) -> usize {
        let (items, [along_x, ..]) = self.primitives.device.capabilities().max_inner;
        match self.primitives.is_processor() {
            true => 1,
            false => (items.min(along_x) as usize / CHUNKS).clamp(1, FEW_TILES),
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn launch(
        &self,
        state: &mut State,
        source: &Source,
        formula: &Formula<'_>,
        level: Level,
        carries: Option<&AnyMemory>,
        inclusive: bool,
        result: Arg<'_>,
    ) -> Result<()> {
        let n = level.n;
        let (of_totals, of_few) = (source.kernel == TOTALS.kernel, source.kernel == FEW.kernel);
        let device = &self.primitives.device;
        let on_processor = device.capabilities().runs_on_processor;
        let whole = if self.primitives.emulates_gpu() && n >= MANY { n / TILE } else { 0 };
        for (tiles, in_vectors) in [(0..whole, true), (whole..n.div_ceil(TILE), false)] {
            if tiles.is_empty() {
                continue;
            }
            let kernel = state.programs.kernel(device, source, |macros| {
                macros.set("LEVEL", level.number);
                macros.set("TOTALS", u8::from(of_totals));
                macros.set("FEW", u8::from(of_few));
                macros.set("TILES", self.tiles_at_once());
                macros.set("INCLUSIVE", u8::from(inclusive));
                macros.set("CARRIES", u8::from(carries.is_some()));
                let is_large = level.acc == ValueType::Complex128;
                macros.set("DIRECT", u8::from(is_large || on_processor || of_few));
                macros.set("VECTOR", u8::from(in_vectors));
                macros.set_type("INDEX", index_type(formula.reach(n)));
                macros.set_type("ACC", level.acc);
                macros.set_type("RESULT", level.out);
                macros.set_text("OPERATOR", self.op.text());
                macros.set_text("IDENTITY", self.op.identity(level.acc));
                macros.set_value(level.value, formula)?;
                macros.set_formula(formula, n)
            })?;
            let mut arguments = Args::new();
            arguments.push(n.into_arg());
            push_operands(&mut arguments, formula)?;
            if !of_few {
                arguments.push(tiles.start.into_arg());
                arguments.push(tiles.end.into_arg());
            }
            if !of_totals && !of_few {
                arguments.push(carries.map_or(Arg::null(), Arg::read));
            }
            arguments.push(result);
            kernel.launch_on(&self.primitives.stream, arguments)?;
        }
        Ok(())
    }
}

/// The kernel of a level's results: of more tiles than one either each has its carry, or one group scans them all.
fn of_results(level: Level, carries: Option<&AnyMemory>) -> &'static Source {
    if carries.is_none() && level.n > TILE { &FEW } else { &SCAN }
}
