//! Elements moved to other places: compact, partition, gather, scatter, transpose.
//!
//! Compact and partition keep the order of elements, so that their results are the same on every device.

use crate::formula::{Formula, scalar_of};
use crate::map::value_type;
use crate::operator::Operator;
use crate::primitives::{Primitives, State};
use crate::program::{Args, Source, index_type, push_operands};
use crate::value_type::ValueType;
use ferrocca_core::{Element, Error, IntoArg, Memory, Result, args};
use okl::ir::Scalar;

const TEXT: &str = include_str!("../kernels/select.okl");
const SELECT: Source = Source { text: TEXT, kernel: "select" };
const GATHER: Source = Source { text: TEXT, kernel: "gather" };
const SCATTER: Source = Source { text: TEXT, kernel: "scatter" };
const TRANSPOSE: Source = Source { text: include_str!("../kernels/transpose.okl"), kernel: "transpose" };

/// Elements of a [`Formula`] that are taken where a mask is not zero, by [`store`](Self::store).
#[derive(Debug)]
#[must_use = "nothing is computed before `store`"]
pub struct Selection<'a> {
    primitives: &'a Primitives,
    values: Formula<'a>,
    mask: Formula<'a>,
    partitions: bool,
}

impl Primitives {
    /// The elements of `values` where `mask` is not zero, in their order.
    pub fn compact<'a>(&'a self, values: impl Into<Formula<'a>>, mask: impl Into<Formula<'a>>) -> Selection<'a> {
        Selection { primitives: self, values: values.into(), mask: mask.into(), partitions: false }
    }

    /// The elements of `values` where `mask` is not zero, in their order, and then all others, in theirs.
    pub fn partition<'a>(&'a self, values: impl Into<Formula<'a>>, mask: impl Into<Formula<'a>>) -> Selection<'a> {
        Selection { partitions: true, ..self.compact(values, mask) }
    }

    /// Queues `out[i] = values[indices[i]]`.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::OutOfBounds`] when `out` and `indices` differ in length, and for an index out of range,
    /// now or at the next wait (such an element has any value); [`ferrocca_core::ErrorKind::Invalid`] for indices that are
    /// no integers.
    pub fn gather<T: Element, I: Element>(
        &self,
        values: &Memory<T>,
        indices: &Memory<I>,
        out: &mut Memory<T>,
    ) -> Result<()> {
        self.indexed(&GATHER, indices.len(), (values, out), indices)
    }

    /// Queues `out[indices[i]] = values[i]`. Where an index stands twice, either value is stored.
    /// # Errors
    /// As [`gather`](Self::gather); an element whose index is out of range is stored nowhere.
    pub fn scatter<T: Element, I: Element>(
        &self,
        values: &Memory<T>,
        indices: &Memory<I>,
        out: &mut Memory<T>,
    ) -> Result<()> {
        self.indexed(&SCATTER, values.len(), (values, out), indices)
    }

    fn indexed<T: Element, I: Element>(
        &self,
        source: &Source,
        n: usize,
        (values, out): (&Memory<T>, &mut Memory<T>),
        indices: &Memory<I>,
    ) -> Result<()> {
        let at = scalar_of(indices.untyped(), "indices")?;
        if at.is_float() {
            return Err(Error::invalid(format!("indices are integers, not {}", at.tag())));
        }
        let others = if source.kernel == GATHER.kernel { out.len() } else { indices.len() };
        if others != n {
            return Err(Error::out_of_bounds(format!(
                "{}: {n} elements on one side, {others} on the other",
                source.kernel
            )));
        }
        let of = ValueType::of_memory(values.untyped(), "values")?;
        let kernel = self.state().programs.kernel(&self.device, source, |macros| {
            macros.set("SELECT", 0);
            macros.set_type("INDEX", index_type(n.max(values.len()).max(out.len())));
            macros.set_type("AT", at);
            macros.set_type("RESULT", of);
            let none = Formula::new("0");
            macros.set_value(value_type(of), &none)?;
            macros.set_formula(&none, n)
        })?;
        kernel.launch_on(&self.stream, args![n, values, indices, out])
    }

    /// Queues the transpose of a table of `rows` and `columns` whose rows stand one behind the other.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::OutOfBounds`] when `values` or `out` have not `rows * columns` elements.
    pub fn transpose<T: Element>(
        &self,
        values: &Memory<T>,
        [rows, columns]: [usize; 2],
        out: &mut Memory<T>,
    ) -> Result<()> {
        let (len, others) = (rows.checked_mul(columns), (values.len(), out.len()));
        if len != Some(others.0) || len != Some(others.1) {
            return Err(Error::out_of_bounds(format!(
                "transpose: {rows} × {columns} elements of memory of {} into memory of {}",
                others.0, others.1
            )));
        }
        let element = ValueType::of_memory(values.untyped(), "values")?;
        let kernel = self.state().programs.kernel(&self.device, &TRANSPOSE, |macros| {
            macros.set_type("INDEX", index_type(others.0));
            macros.set_type("ELEMENT", element);
            Ok(())
        })?;
        kernel.launch_on(&self.stream, args![rows, columns, values, out])
    }
}

impl Selection<'_> {
    /// Queues it; `count`, one element, will say how many elements were taken. `out` must have room for those (a partition:
    /// for all), and must be none of the operands.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::OutOfBounds`] for lengths that differ, a `count` of several elements, and, now or at the
    /// next wait, an `out` without room; [`ferrocca_core::ErrorKind::Invalid`] for a count in memory of floats;
    /// [`ferrocca_core::ErrorKind::Kernel`] for a formula that the kernel language refuses.
    pub fn store<T: Element, C: Element>(&self, out: &mut Memory<T>, count: &mut Memory<C>) -> Result<()> {
        let selecting = |error: Error| error.while_doing(format!("selecting `{}`", self.mask.text()));
        self.run(out, count).map_err(selecting)
    }

    fn run<T: Element, C: Element>(&self, out: &mut Memory<T>, count: &mut Memory<C>) -> Result<()> {
        let n = self.values.shape()?.broadcast(&self.mask.shape()?)?.len().unwrap_or(usize::MAX);
        let lengths = (self.values.len()?, self.mask.len()?);
        if lengths != (n, n) {
            let (values, mask) = lengths;
            return Err(Error::out_of_bounds(format!("there are {values} values, and the mask has {mask} elements")));
        }
        if count.len() != 1 || scalar_of(count.untyped(), "count")?.is_float() {
            return Err(Error::invalid("the number of taken elements goes into memory of one integer"));
        }
        if n == 0 {
            return self.primitives.map(Formula::new("0")).store(count);
        }
        let state = &mut *self.primitives.state();
        match index_type(self.values.reach(n)) {
            Scalar::I32 => self.select::<i32, T, C>(state, n, out, count),
            _ => self.select::<i64, T, C>(state, n, out, count),
        }
    }

    /// Counts with `I`.
    fn select<I: Element, T: Element, C: Element>(
        &self,
        state: &mut State,
        n: usize,
        out: &mut Memory<T>,
        count: &mut Memory<C>,
    ) -> Result<()> {
        let mut positions = state.positions.take::<I>(&self.primitives.device, n)?;
        self.primitives.scan_inclusive(self.mask.copy(), Operator::SUM).of_truth().run(state, &mut positions)?;
        let of = ValueType::of_memory(out.untyped(), "out")?;
        let counter = scalar_of(count.untyped(), "count")?;
        let kernel = state.programs.kernel(&self.primitives.device, &SELECT, |macros| {
            macros.set("SELECT", 1);
            macros.set("PARTITION", u8::from(self.partitions));
            macros.set_type("INDEX", index_type(self.values.reach(n)));
            macros.set_type("RESULT", of);
            macros.set_type("COUNT", counter);
            macros.set_value(value_type(of), &self.values)?;
            macros.set_formula(&self.values, n)
        })?;
        let mut arguments = Args::new();
        arguments.push(n.into_arg());
        push_operands(&mut arguments, &self.values)?;
        arguments.extend(args![&positions, out, count]);
        kernel.launch_on(&self.primitives.stream, arguments)
    }
}
