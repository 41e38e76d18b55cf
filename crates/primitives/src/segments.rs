//! Reductions and scans of segments: lists of unlike lengths that stand one behind the other, such as the particles of events
//! or the rows of a sparse matrix.
//!
//! Segment `s` is the values `offsets[s]` to `offsets[s + 1] - 1`, so that there is one offset more than segments.
//!
//! # The order
//! Where there are fewer than 32 values a segment on average, the values of a segment are combined in their order, from the
//! identity on. Otherwise lane `l` of 32 begins with the identity and combines the values `l`, `l + 32`, `l + 64` … of the
//! segment, in this order; then the lanes are halved: lane `l` is combined with lane `l + 16`, then with `l + 8`, and so on.
//! Where there are 4096 values a segment or more, each segment is cut into chunks of 2048, which are combined so, and then their
//! results.
//!
//! A scan combines the values of a segment in their order. Where there are fewer than 4096 values a segment on average, the result
//! stands after (or before) each value. Otherwise each segment is cut into chunks of 256 values; their totals, combined in order
//! from the identity on, are scanned as segments by this definition, and a chunk goes on from what stands before its total.

use crate::formula::{Formula, scalar_of};
use crate::operator::{Operator, signed};
use crate::primitives::{LEVELS, Primitives, State};
use crate::program::{Args, Source, index_type, push_operands};
use crate::value_type::ValueType;
use ferrocca_core::{AnyMemory, Arg, Element, Error, IntoArg, Memory, Result};
use okl::ir::Scalar;

const TEXT: &str = include_str!("../kernels/segments.okl");
const SHORT: Source = Source { text: TEXT, kernel: "reduce_short" };
const LONG: Source = Source { text: TEXT, kernel: "reduce_long" };
const SCAN: Source = Source { text: TEXT, kernel: "scan" };
const COUNT_CHUNKS: Source = Source { text: TEXT, kernel: "count_chunks" };
const REDUCE_CHUNKS: Source = Source { text: TEXT, kernel: "reduce_chunks" };
const CHUNK_TOTALS: Source = Source { text: TEXT, kernel: "chunk_totals" };
const SCAN_CHUNKS: Source = Source { text: TEXT, kernel: "scan_chunks" };

/// Segments of so many values on average are long. Part of the definition.
const FEW: usize = 32;

/// Segments of so many values on average are cut into chunks, of so many values where they are reduced or scanned. Part of the
/// definition.
const MANY: usize = 4096;
const REDUCED: usize = 2048;
const SCANNED: usize = 256;

/// What a kernel works on: the values, and the segments that they are divided into.
#[derive(Clone, Copy)]
struct Divided<'a, 'f> {
    formula: &'a Formula<'f>,
    offsets: &'a AnyMemory,
    segments: usize,
}

/// Which chunks there are: where those of each segment begin, how many there are at most, and their length.
#[derive(Clone, Copy)]
struct Chunks<'a> {
    begins: &'a AnyMemory,
    most: usize,
    length: usize,
}

/// How values are combined, and what the results are stored as.
#[derive(Clone, Copy)]
struct Steps<'a> {
    operator: Operator<'a>,
    value: ValueType,
    acc: ValueType,
    out: ValueType,
    is_inclusive: bool,
}

/// A [`Formula`] whose elements are divided into segments.
#[derive(Debug)]
#[must_use = "nothing is computed before `reduce` or `scan`"]
pub struct Segments<'a> {
    primitives: &'a Primitives,
    formula: Formula<'a>,
    offsets: &'a AnyMemory,
}

impl Primitives {
    /// The elements of a formula, divided by `offsets`: integers, one more than there are segments, which do not descend and
    /// are at most the number of elements. Elements before the first and from the last one on are in no segment.
    pub fn segments<'a, I: Element>(&'a self, of: impl Into<Formula<'a>>, offsets: &'a Memory<I>) -> Segments<'a> {
        Segments { primitives: self, formula: of.into(), offsets: offsets.untyped() }
    }
}

impl<'a> Segments<'a> {
    /// Queues `out[s]` = all values of segment `s`, combined; the operator's identity where it has none. Values are combined
    /// in the type of `out`, with the exceptions of [`Reduction::store`](crate::Reduction::store).
    /// # Errors
    /// [`ferrocca_core::ErrorKind::OutOfBounds`] when `out` has not one element a segment, and, now or at the next wait, for
    /// an offset beyond the elements; [`ferrocca_core::ErrorKind::Invalid`] for offsets that are no integers, and structs;
    /// [`ferrocca_core::ErrorKind::Kernel`] for a formula or operator that the kernel language refuses.
    pub fn reduce<T: Element>(&self, operator: Operator<'_>, out: &mut Memory<T>) -> Result<()> {
        let mut run = || {
            let segments = self.count()?;
            if out.len() != segments {
                return Err(Error::out_of_bounds(format!("{segments} segments into memory of {}", out.len())));
            }
            let (all, steps) = (self.divided(segments), Steps::of(operator, out, false)?);
            self.reduce_all(&mut self.primitives.state(), all, steps, out.into_arg())
        };
        run().map_err(|error| error.while_doing(format!("reducing segments of `{}`", self.formula.text())))
    }

    /// Queues `out[i]` = element `i` combined with all before it in its segment. `out` has as many elements as the formula;
    /// those in no segment stay as they are.
    /// # Errors
    /// As [`reduce`](Self::reduce).
    pub fn scan_inclusive<T: Element>(&self, operator: Operator<'_>, out: &mut Memory<T>) -> Result<()> {
        self.scan(operator, true, out)
    }

    /// Queues `out[i]` = all elements before element `i` in its segment, combined; the identity for the first one.
    /// # Errors
    /// As [`reduce`](Self::reduce).
    pub fn scan_exclusive<T: Element>(&self, operator: Operator<'_>, out: &mut Memory<T>) -> Result<()> {
        self.scan(operator, false, out)
    }

    fn scan<T: Element>(&self, operator: Operator<'_>, is_inclusive: bool, out: &mut Memory<T>) -> Result<()> {
        let mut run = || {
            let (segments, n) = (self.count()?, self.formula.len()?);
            if out.len() != n {
                return Err(Error::out_of_bounds(format!("{n} elements into memory of {}", out.len())));
            }
            let (all, steps) = (self.divided(segments), Steps::of(operator, out, is_inclusive)?);
            self.scan_all(&mut self.primitives.state(), all, steps, 0, out.into_arg())
        };
        run().map_err(|error| error.while_doing(format!("scanning segments of `{}`", self.formula.text())))
    }

    fn count(&self) -> Result<usize> {
        let scalar = scalar_of(self.offsets, "offsets")?;
        if !scalar.is_integer() {
            return Err(Error::invalid(format!("offsets are integers, not {}", scalar.tag())));
        }
        self.offsets.len().checked_sub(1).ok_or_else(|| Error::out_of_bounds("no segment has one offset, not none"))
    }

    fn divided(&self, segments: usize) -> Divided<'_, 'a> {
        Divided { formula: &self.formula, offsets: self.offsets, segments }
    }

    fn reduce_all(&self, state: &mut State, all: Divided<'_, '_>, steps: Steps<'_>, out: Arg<'_>) -> Result<()> {
        let n = all.formula.len()?;
        if n < FEW.saturating_mul(all.segments) {
            return self.launch(state, &SHORT, all, steps, None, None, out);
        }
        if !all.is_long()? {
            return self.launch(state, &LONG, all, steps, None, None, out);
        }
        let begins = self.begins(state, all, REDUCED, 0)?;
        let chunks = Chunks { begins: &begins, most: n / REDUCED + all.segments, length: REDUCED };
        let mut partials = state.segment_totals[0].take_any(&self.primitives.device, steps.acc, chunks.most)?;
        let of_chunks = Steps { out: steps.acc, ..steps };
        self.launch(state, &REDUCE_CHUNKS, all, of_chunks, Some(chunks), None, Arg::write(&mut partials))?;
        let formula = Formula::from(&partials);
        let of_partials = Divided { formula: &formula, offsets: &begins, segments: all.segments };
        self.launch(state, &LONG, of_partials, Steps { value: steps.acc, ..steps }, None, None, out)
    }

    fn scan_all(
        &self,
        state: &mut State,
        all: Divided<'_, '_>,
        steps: Steps<'_>,
        level: usize,
        out: Arg<'_>,
    ) -> Result<()> {
        if !all.is_long()? || level == LEVELS {
            return self.launch(state, &SCAN, all, steps, None, None, out);
        }
        let device = &self.primitives.device;
        let begins = self.begins(state, all, SCANNED, level)?;
        let chunks = Chunks { begins: &begins, most: all.formula.len()? / SCANNED + all.segments, length: SCANNED };
        let mut totals = state.segment_totals[level].take_any(device, steps.acc, chunks.most)?;
        let mut carries = state.segment_carries[level].take_any(device, steps.acc, chunks.most)?;
        let of_chunks = Steps { out: steps.acc, is_inclusive: false, ..steps };
        self.launch(state, &CHUNK_TOTALS, all, of_chunks, Some(chunks), None, Arg::write(&mut totals))?;
        let formula = Formula::from(&totals);
        let of_totals = Divided { formula: &formula, offsets: &begins, segments: all.segments };
        let before = Steps { value: steps.acc, ..of_chunks };
        self.scan_all(state, of_totals, before, level + 1, Arg::write(&mut carries))?;
        self.launch(state, &SCAN_CHUNKS, all, steps, Some(chunks), Some(&carries), out)
    }

    /// Where the chunks of each segment begin.
    fn begins(&self, state: &mut State, all: Divided<'_, '_>, length: usize, level: usize) -> Result<AnyMemory> {
        match all.index()? {
            Scalar::I32 => self.begins_of::<i32>(state, all, length, level).map(Memory::into_untyped),
            _ => self.begins_of::<i64>(state, all, length, level).map(Memory::into_untyped),
        }
    }

    fn begins_of<I: Element>(
        &self,
        state: &mut State,
        all: Divided<'_, '_>,
        length: usize,
        level: usize,
    ) -> Result<Memory<I>> {
        let device = &self.primitives.device;
        let mut counts = state.counts.take::<I>(device, all.segments + 1)?;
        let mut begins = state.segment_begins[level].take::<I>(device, all.segments + 1)?;
        let offset = scalar_of(all.offsets, "offsets")?;
        let index = all.index()?;
        let kernel = state.programs.kernel(device, &COUNT_CHUNKS, |macros| {
            macros.set_type("INDEX", index);
            macros.set_type("OFFSET", offset);
            macros.set("CHUNK", length);
            for name in ["ACC", "RESULT"] {
                macros.set_type(name, index);
            }
            macros.set("INCLUSIVE", 0);
            macros.set("OPERATOR", "a + b");
            macros.set("IDENTITY", 0);
            let none = Formula::new("0");
            macros.set_value(index.into(), &none)?;
            macros.set_formula(&none, 1)
        })?;
        kernel.launch_on(
            &self.primitives.stream,
            [all.segments.into_arg(), all.offsets.into_arg(), (&mut counts).into_arg()],
        )?;
        self.primitives.scan_exclusive(&counts, Operator::SUM).run(state, &mut begins)?;
        Ok(begins)
    }

    #[allow(clippy::too_many_arguments)]
    fn launch(
        &self,
        state: &mut State,
        source: &Source,
        all: Divided<'_, '_>,
        steps: Steps<'_>,
        chunks: Option<Chunks<'_>>,
        carries: Option<&AnyMemory>,
        out: Arg<'_>,
    ) -> Result<()> {
        if all.segments == 0 {
            return Ok(());
        }
        let (n, op, offset) = (all.formula.len()?, steps.operator.0, scalar_of(all.offsets, "offsets")?);
        let index = all.index()?;
        let kernel = state.programs.kernel(&self.primitives.device, source, |macros| {
            macros.set_type("INDEX", index);
            macros.set_type("ACC", steps.acc);
            macros.set_value(steps.value, all.formula)?;
            macros.set_type("OFFSET", offset);
            macros.set_type("RESULT", steps.out);
            macros.set("CHUNK", chunks.map_or(1, |chunks| chunks.length));
            macros.set("INCLUSIVE", u8::from(steps.is_inclusive));
            macros.set_text("OPERATOR", op.text());
            macros.set_text("IDENTITY", op.identity(steps.acc));
            macros.set_formula(all.formula, n)
        })?;
        let mut arguments = Args::new();
        arguments.extend(chunks.map(|chunks| chunks.most.into_arg()));
        arguments.push(all.segments.into_arg());
        push_operands(&mut arguments, all.formula)?;
        arguments.push(all.offsets.into_arg());
        arguments.extend(chunks.map(|chunks| chunks.begins.into_arg()));
        arguments.extend(carries.map(Arg::read));
        arguments.push(out);
        kernel.launch_on(&self.primitives.stream, arguments)
    }
}

impl Divided<'_, '_> {
    fn is_long(&self) -> Result<bool> {
        Ok(self.segments > 0 && self.formula.len()? >= MANY.saturating_mul(self.segments))
    }

    /// What counts values and segments.
    fn index(&self) -> Result<Scalar> {
        Ok(index_type(self.formula.reach(self.formula.len()?).max(self.segments)))
    }
}

impl<'a> Steps<'a> {
    fn of<T: Element>(operator: Operator<'a>, out: &Memory<T>, is_inclusive: bool) -> Result<Self> {
        let of = ValueType::of_memory(out.untyped(), "out")?;
        let acc = operator.0.accumulator(of)?;
        Ok(Self { operator, value: signed(of, acc), acc, out: of, is_inclusive })
    }
}
