//! Kernels by what they were specialised for.
//!
//! A specialisation is a set of macros. Its text is the key under which the kernel is found again: a device has its own
//! table of built sources, and the cache directory behind it; this one costs no heap and no parsing.

use crate::formula::{Formula, Operand, Reading};
use crate::shape::LOOPS;
use crate::value_type::ValueType;
use ferrocca_core::{Arg, Device, IntoArg, Kernel, Props, Result};
use okl::ir::Scalar;
use smallvec::SmallVec;
use std::collections::HashMap;
use std::fmt::{Display, Write as _};
use std::ops::Range;

/// The coordinate of element `i` along each axis, where that is the outermost one that is counted, and where it is not.
const OUTERMOST: [&str; LOOPS] = ["i / (length1 * length2 * length3)", "i / (length2 * length3)", "i / (length3)", "i"];
const INNER: [&str; LOOPS] = ["", "(i / (length2 * length3) % length1)", "(i / (length3) % length2)", "(i % length3)"];

/// The names of coordinates in kernels.
pub(crate) const COORDINATES: [&str; LOOPS] = ["c0", "c1", "c2", "c3"];

/// Rows that the caches are asked for ahead of time, at most.
const MOST_ROWS_AHEAD: usize = 4;

/// A shipped source and one of its kernels.
pub(crate) struct Source {
    pub(crate) text: &'static str,
    pub(crate) kernel: &'static str,
}

/// The kernels that were asked for.
#[derive(Default)]
pub(crate) struct Programs {
    kernels: HashMap<String, Kernel>,
    /// The key that is being written, kept so that a look-up allocates nothing.
    key: String,
}

/// The macros of one specialisation, while they are written.
pub(crate) struct Macros<'a>(&'a mut String);

impl Macros<'_> {
    /// Defines `name`.
    pub(crate) fn set(&mut self, name: &str, value: impl Display) {
        // Writing to a `String` does not fail.
        let _ = writeln!(self.0, "{name}={value}");
    }

    /// A line `NAME=VALUE`.
    pub(crate) fn line(&mut self, line: &str) {
        self.0.push_str(line);
        self.0.push('\n');
    }

    pub(crate) fn set_type(&mut self, name: &str, of: impl Into<ValueType>) {
        self.push(&[name, "=", of.into().okl_name(), "\n"]);
    }

    /// Defines what a formula's value becomes: `VALUE`, the type, and `VALUE_CAST`, which converts to it as C does. What of a
    /// formula of complex numbers is complex converts to no real type by itself, but to `bool`: no imaginary part is dropped
    /// unasked.
    pub(crate) fn set_value(&mut self, value: ValueType, formula: &Formula<'_>) -> Result<()> {
        self.set_type("VALUE", value);
        let converts = value.is_complex() || value == Scalar::Bool.into() || !formula.is_complex()?;
        self.line(if converts { "VALUE_CAST=(VALUE)" } else { "VALUE_CAST=" });
        Ok(())
    }

    /// Defines `name` as text of a user's, whose lines become one.
    pub(crate) fn set_text(&mut self, name: &str, text: &str) {
        let mut lines = text.split(['\n', '\r']);
        self.push(&[name, "=", lines.next().unwrap_or_default()]);
        lines.for_each(|line| self.push(&[" ", line]));
        self.0.push('\n');
    }

    /// Adds texts. A launch looks its kernel up by the macros, and to format them would take longer than to launch.
    fn push(&mut self, texts: &[&str]) {
        texts.iter().for_each(|text| self.0.push_str(text));
    }

    /// Adds the name of an operand.
    fn push_operand(&mut self, number: usize) {
        self.0.push_str("operand");
        match u32::try_from(number).ok().and_then(|number| char::from_digit(number, 10)) {
            Some(digit) => self.0.push(digit),
            // Writing to a `String` does not fail.
            None => drop(write!(self.0, "{number}")),
        }
    }

    /// What reads a formula: `OPERANDS` are parameters of the kernel, `ARGUMENTS` those of the function that holds it, and
    /// `ELEMENTS` what the kernel calls it with for element `i` of `len`, each with a comma behind. Operands that do not lie in
    /// a row are read by the coordinates that `i` stands for. [`push_operands`] pushes what belongs to it.
    pub(crate) fn set_formula(&mut self, formula: &Formula<'_>, len: usize) -> Result<()> {
        match formula.reading()? {
            Reading::Flat => {
                self.set_operands(formula)?;
                self.0.push_str("\nELEMENTS=");
                for (number, (_, operand)) in formula.operands().enumerate() {
                    let element = match operand.memory() {
                        Some(memory) if memory.len() == 1 && len != 1 => "[0]",
                        Some(_) => "[i]",
                        None => "",
                    };
                    self.push_operand(number);
                    self.push(&[element, ", "]);
                }
                self.0.push('\n');
                Ok(())
            }
            Reading::Shaped { dims, strides } => {
                let axes = first_axis(&dims)..LOOPS;
                self.set_operands(formula)?;
                for axis in axes.start + 1..LOOPS {
                    let _ = write!(self.0, "const INDEX length{axis}, ");
                }
                self.stride_parameters(formula, &strides, axes.clone());
                self.0.push_str("\nELEMENTS=");
                let coordinates =
                    std::array::from_fn(|axis| if axis == axes.start { OUTERMOST[axis] } else { INNER[axis] });
                self.elements(formula, &strides, axes, &coordinates);
                Ok(())
            }
        }
    }

    /// `AHEAD`: `AHEAD_B(operand)` of each operand that is read in a row, with `B` the bytes of an element. Nothing where there are
    /// so many of them that they would be in each other's way, or where the device foresees them.
    pub(crate) fn set_ahead(&mut self, device: &Device, formula: &Formula<'_>, len: usize) -> Result<()> {
        self.0.push_str("AHEAD=");
        let rows = || {
            let numbered = formula.operands().enumerate();
            let memory = numbered.filter_map(|(number, (_, operand))| Some((number, operand.memory()?)));
            memory.filter(|(_, memory)| memory.len() != 1 || len == 1)
        };
        // On a Xeon, asking makes a dot product of 10⁷ elements 8 % faster; on an EPYC one of 10⁶ elements 5 to 10 % slower.
        let foresees = device.info().name.contains("AMD");
        if matches!(formula.reading()?, Reading::Flat) && rows().count() <= MOST_ROWS_AHEAD && !foresees {
            for (number, memory) in rows() {
                let ahead = match memory.dtype().bytes() {
                    1 => "AHEAD_1(",
                    2 => "AHEAD_2(",
                    4 => "AHEAD_4(",
                    8 => "AHEAD_8(",
                    _ => "AHEAD_16(",
                };
                self.0.push_str(ahead);
                self.push_operand(number);
                self.0.push_str(") ");
            }
        }
        self.0.push('\n');
        Ok(())
    }

    /// As [`set_formula`](Self::set_formula), for operands with strides along the axes `c0` to `c3`, of which kernels name the
    /// coordinates. [`push_operands_of`] and [`push_strides`] push what belongs to it.
    pub(crate) fn set_shaped_formula(&mut self, formula: &Formula<'_>, strides: &[[isize; LOOPS]]) -> Result<()> {
        self.set_operands(formula)?;
        self.stride_parameters(formula, strides, 0..LOOPS);
        self.0.push_str("\nELEMENTS=");
        self.elements(formula, strides, 0..LOOPS, &COORDINATES);
        Ok(())
    }

    /// Ends the line of `OPERANDS` with what [`push_strides`] pushes.
    fn stride_parameters(&mut self, formula: &Formula<'_>, strides: &[[isize; LOOPS]], axes: Range<usize>) {
        for (number, ((_, operand), own)) in formula.operands().zip(strides).enumerate() {
            Place { name: "operand", number, operand: &operand, strides: own }.parameters(self.0, axes.clone());
        }
    }

    fn elements(
        &mut self,
        formula: &Formula<'_>,
        strides: &[[isize; LOOPS]],
        axes: Range<usize>,
        coordinates: &[&str; LOOPS],
    ) {
        for (number, ((_, operand), own)) in formula.operands().zip(strides).enumerate() {
            Place { name: "operand", number, operand: &operand, strides: own }.element(
                self.0,
                axes.clone(),
                coordinates,
            );
            self.0.push_str(", ");
        }
        self.0.push('\n');
    }

    /// Everything of a formula but `ELEMENTS`; the line of `OPERANDS` is left open.
    fn set_operands(&mut self, formula: &Formula<'_>) -> Result<()> {
        self.set_text("FORMULA", formula.text());
        self.0.push_str("ARGUMENTS=");
        for (name, operand) in formula.operands() {
            self.push(&["const ", operand.ty(name)?.computed().okl_name(), " ", name, ", "]);
        }
        self.0.push_str("\nOPERANDS=");
        for (number, (name, operand)) in formula.operands().enumerate() {
            let star = if operand.memory().is_some() { " *" } else { " " };
            self.push(&["const ", operand.ty(name)?.okl_name(), star]);
            self.push_operand(number);
            self.0.push_str(", ");
        }
        Ok(())
    }
}

impl Programs {
    /// The kernel of `source` with the macros that `define` sets.
    pub(crate) fn kernel(
        &mut self,
        device: &Device,
        source: &Source,
        define: impl FnOnce(&mut Macros<'_>) -> Result<()>,
    ) -> Result<Kernel> {
        self.kernel_of(device, source, None, define)
    }

    /// As [`kernel`](Self::kernel), of a source into which text of a user's is put: device functions, and what stands at
    /// the place `BODY;`.
    pub(crate) fn kernel_of(
        &mut self,
        device: &Device,
        source: &Source,
        texts: Option<[&str; 2]>,
        define: impl FnOnce(&mut Macros<'_>) -> Result<()>,
    ) -> Result<Kernel> {
        self.key.clear();
        self.key.push_str(source.kernel);
        self.key.push('\n');
        define(&mut Macros(&mut self.key))?;
        let macros = self.key.len();
        for text in texts.iter().flatten() {
            self.key.push('\0');
            self.key.push_str(text);
        }
        if let Some(kernel) = self.kernels.get(&self.key) {
            return Ok(kernel.clone());
        }
        // Contraction would depend on the device.
        let mut props = Props::new().with("fp_contract", "off");
        for (name, value) in self.key[..macros].lines().filter_map(|line| line.split_once('=')) {
            props.set(format!("defines/{name}"), value);
        }
        let kernel = match texts {
            None => device.build_kernel_from_string(source.text, source.kernel, props)?,
            Some([functions, body]) => {
                let text = format!("{functions}\n{}", source.text.replace("BODY;", body));
                device.build_kernel_from_string(&text, source.kernel, props)?
            }
        };
        self.kernels.insert(self.key.clone(), kernel.clone());
        Ok(kernel)
    }
}

/// The arguments of a launch.
pub(crate) type Args<'a> = SmallVec<[Arg<'a>; 24]>;

/// An operand of a kernel whose loops count coordinates.
pub(crate) struct Place<'a> {
    pub(crate) name: &'a str,
    pub(crate) number: usize,
    pub(crate) operand: &'a Operand<'a>,
    pub(crate) strides: &'a [isize; LOOPS],
}

impl Place<'_> {
    /// What the kernel is told of where it lies: the first element, strides along `axes`, but along the last one only where
    /// it is neither 0 nor 1.
    pub(crate) fn parameters(&self, text: &mut String, axes: Range<usize>) {
        let Self { name, number, .. } = self;
        if self.operand.memory().is_none() {
            return;
        }
        if self.operand.is_strided() {
            let _ = write!(text, "const INDEX {name}{number}_first, ");
        }
        for axis in axes.filter(|&axis| self.has_stride(axis)) {
            let _ = write!(text, "const INDEX {name}{number}_stride{axis}, ");
        }
    }

    /// The element at some coordinates along `axes`.
    pub(crate) fn element(&self, text: &mut String, axes: Range<usize>, coordinates: &[&str; LOOPS]) {
        let Self { name, number, .. } = self;
        let _ = write!(text, "{name}{number}");
        if self.operand.memory().is_none() {
            return;
        }
        // The text is a part of the key of every call: no strings are made for it.
        match self.operand.is_strided() {
            true => _ = write!(text, "[{name}{number}_first"),
            false => text.push_str("[0"),
        }
        for axis in axes {
            if self.has_stride(axis) {
                let _ = write!(text, " + {} * {name}{number}_stride{axis}", coordinates[axis]);
            } else if self.strides[axis] == 1 {
                let _ = write!(text, " + {}", coordinates[axis]);
            }
        }
        text.push(']');
    }

    fn has_stride(&self, axis: usize) -> bool {
        axis < LOOPS - 1 || !matches!(self.strides[axis], 0 | 1)
    }

    pub(crate) fn push(&self, arguments: &mut Args<'_>, axes: Range<usize>) {
        if self.operand.memory().is_none() {
            return;
        }
        if self.operand.is_strided() {
            arguments.push(self.operand.first().into_arg());
        }
        arguments.extend(axes.filter(|&axis| self.has_stride(axis)).map(|axis| self.strides[axis].into_arg()));
    }
}

/// The first axis that has more than one element.
pub(crate) fn first_axis(dims: &[usize; LOOPS]) -> usize {
    dims.iter().position(|&dim| dim != 1).unwrap_or(LOOPS - 1)
}

/// Adds the operands of a formula, in the order of `OPERANDS` of [`Macros::set_formula`].
pub(crate) fn push_operands<'a, 'f: 'a>(arguments: &mut Args<'a>, formula: &Formula<'f>) -> Result<()> {
    push_operands_of(arguments, formula);
    if let Reading::Shaped { dims, strides } = formula.reading()? {
        let axes = first_axis(&dims)..LOOPS;
        arguments.extend(dims[axes.start + 1..].iter().map(|dim| (*dim).into_arg()));
        push_strides(arguments, formula, &strides, axes);
    }
    Ok(())
}

/// Adds the operands themselves.
pub(crate) fn push_operands_of<'a, 'f: 'a>(arguments: &mut Args<'a>, formula: &Formula<'f>) {
    arguments.extend(formula.operands().map(|(_, operand)| operand.argument()));
}

/// Adds where they lie.
pub(crate) fn push_strides(
    arguments: &mut Args<'_>,
    formula: &Formula<'_>,
    strides: &[[isize; LOOPS]],
    axes: Range<usize>,
) {
    for (number, ((_, operand), own)) in formula.operands().zip(strides).enumerate() {
        Place { name: "operand", number, operand: &operand, strides: own }.push(arguments, axes.clone());
    }
}

/// What counts elements: `int` while that is wide enough for every tile's end, since 64 bits are slow on some devices and
/// absent on others.
pub(crate) fn index_type(len: usize) -> Scalar {
    if len <= (i32::MAX as usize) - (1 << 20) { Scalar::I32 } else { Scalar::I64 }
}
