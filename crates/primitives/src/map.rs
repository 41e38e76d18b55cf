//! A formula for every element, in one pass.
//!
//! What goes to more than one place, or not into a row, is an [`Elementwise`](crate::Elementwise).

use crate::formula::{Formula, Reading};
use crate::primitives::Primitives;
use crate::program::{Args, Source, index_type, push_operands, push_operands_of, push_strides};
use crate::shape::LOOPS;
use crate::value_type::ValueType;
use ferrocca_core::{Element, Error, IntoArg, Memory, Result};
use okl::ir::Scalar;

const TEXT: &str = include_str!("../kernels/map.okl");
const MAP: Source = Source { text: TEXT, kernel: "map" };
const ROWS: Source = Source { text: TEXT, kernel: "map_rows" };
const FLAT: Source = Source { text: TEXT, kernel: "map_flat" };

/// Rows shorter than this do not get groups of their own.
const FEW_COLUMNS: usize = 128;

/// A formula that is computed for each element, by [`store`](Self::store).
#[derive(Debug)]
#[must_use = "nothing is computed before `store`"]
pub struct Map<'a> {
    primitives: &'a Primitives,
    formula: Formula<'a>,
}

impl Primitives {
    /// A formula for every element, in one pass over its operands.
    pub fn map<'a>(&'a self, formula: impl Into<Formula<'a>>) -> Map<'a> {
        Map { primitives: self, formula: formula.into() }
    }
}

impl Map<'_> {
    /// Queues it; values are converted to the type of `out` as C does, but complex ones to no real type. `out` has as many elements as the operands' common
    /// shape; a formula of numbers alone fills any memory. `out` may be one of the operands, but must not overlap one
    /// otherwise, nor be an operand that is repeated.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::OutOfBounds`] for shapes that do not fit; [`ferrocca_core::ErrorKind::Invalid`] for
    /// structs; [`ferrocca_core::ErrorKind::Kernel`] for a formula that the kernel language refuses; as
    /// [`ferrocca_core::Kernel::launch`].
    pub fn store<T: Element>(&self, out: &mut Memory<T>) -> Result<()> {
        self.run(out).map_err(|error| error.while_doing(format!("mapping `{}`", self.formula.text())))
    }

    fn run<T: Element>(&self, out: &mut Memory<T>) -> Result<()> {
        let of = ValueType::of_memory(out.untyped(), "out")?;
        let n = out.len();
        let shape = self.formula.shape()?;
        let has_memory = self.formula.operands().any(|(_, operand)| operand.memory().is_some());
        if has_memory && shape.len() != Some(n) {
            return Err(Error::out_of_bounds(format!("the operands have the shape {shape}, the result {n} elements")));
        }
        if n == 0 {
            return Ok(());
        }
        match self.formula.reading()? {
            Reading::Flat => self.run_flat(n, of, out),
            Reading::Shaped { dims, strides } => self.run_shaped(n, of, out, dims, &strides),
        }
    }

    fn run_flat<T: Element>(&self, n: usize, of: ValueType, out: &mut Memory<T>) -> Result<()> {
        let kernel = self.primitives.state().programs.kernel(&self.primitives.device, &MAP, |macros| {
            macros.set("BROADCAST", 0);
            macros.set_type("INDEX", index_type(n));
            macros.set_type("RESULT", of);
            macros.set_value(value_type(of), &self.formula)?;
            macros.set_formula(&self.formula, n)
        })?;
        let mut arguments = Args::new();
        arguments.push(n.into_arg());
        push_operands(&mut arguments, &self.formula)?;
        arguments.push(out.into_arg());
        kernel.launch_on(&self.primitives.stream, arguments)
    }

    fn run_shaped<T: Element>(
        &self,
        n: usize,
        of: ValueType,
        out: &mut Memory<T>,
        dims: [usize; LOOPS],
        strides: &[[isize; LOOPS]],
    ) -> Result<()> {
        let is_narrow = dims[LOOPS - 1] < FEW_COLUMNS;
        let source = if is_narrow { &FLAT } else { &ROWS };
        let kernel = self.primitives.state().programs.kernel(&self.primitives.device, source, |macros| {
            macros.set("BROADCAST", if is_narrow { 2 } else { 1 });
            macros.set_type("INDEX", index_type(self.formula.reach(n)));
            macros.set_type("RESULT", of);
            macros.set_value(value_type(of), &self.formula)?;
            macros.set_shaped_formula(&self.formula, strides)
        })?;
        let mut arguments = Args::new();
        arguments.extend(dims.map(IntoArg::into_arg));
        push_operands_of(&mut arguments, &self.formula);
        push_strides(&mut arguments, &self.formula, strides, 0..LOOPS);
        arguments.push(out.into_arg());
        kernel.launch_on(&self.primitives.stream, arguments)
    }
}

/// What a value is before it becomes a result: integers narrower than `int` take what C cuts off.
pub(crate) fn value_type(of: ValueType) -> ValueType {
    match of {
        ValueType::Real(Scalar::I8 | Scalar::U8 | Scalar::I16 | Scalar::U16) => Scalar::I32.into(),
        other => other.computed(),
    }
}
