//! Kernels by what they were specialised for.
//!
//! A specialisation is a set of macros. Its text is the key under which the kernel is found again: a device has its own
//! table of built sources, and the cache directory behind it; this one costs no heap and no parsing.

use crate::formula::{Formula, computed};
use crate::shape::AXES;
use ferrocca_core::{Arg, Device, IntoArg, Kernel, Props, Result};
use okl::ir::Scalar;
use smallvec::SmallVec;
use std::collections::HashMap;
use std::fmt::{Display, Write as _};

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

    pub(crate) fn set_type(&mut self, name: &str, scalar: Scalar) {
        self.set(name, scalar.okl_name());
    }

    /// Defines `name` as text of a user's, whose lines become one.
    pub(crate) fn set_text(&mut self, name: &str, text: &str) {
        let _ = write!(self.0, "{name}=");
        self.0.extend(text.chars().map(|c| if c == '\n' || c == '\r' { ' ' } else { c }));
        self.0.push('\n');
    }

    /// What reads a formula: `OPERANDS` are parameters of the kernel, `ARGUMENTS` those of the function that holds it, and
    /// `ELEMENTS` what the kernel calls it with for element `i`, each with a comma behind.
    pub(crate) fn set_formula(&mut self, formula: &Formula<'_>, len: usize) -> Result<()> {
        self.set_operands(formula)?;
        self.0.push_str("\nELEMENTS=");
        for (number, (_, operand)) in formula.operands().enumerate() {
            let element = match operand.memory() {
                Some(memory) if memory.len() == 1 && len != 1 => "[0]",
                Some(_) => "[i]",
                None => "",
            };
            let _ = write!(self.0, "operand{number}{element}, ");
        }
        self.0.push('\n');
        Ok(())
    }

    /// As [`set_formula`](Self::set_formula), for operands with strides along the axes `c0` to `c3`. The first three are
    /// parameters behind the operands; the last one is 0 or 1.
    pub(crate) fn set_shaped_formula(
        &mut self,
        formula: &Formula<'_>,
        index: Scalar,
        strides: &[[usize; AXES]],
    ) -> Result<()> {
        self.set_operands(formula)?;
        for (number, _) in formula.operands().enumerate().filter(|(_, (_, operand))| operand.memory().is_some()) {
            for axis in 0..AXES - 1 {
                let _ = write!(self.0, "const {} stride{number}_{axis}, ", index.okl_name());
            }
        }
        self.0.push_str("\nELEMENTS=");
        for (number, ((_, operand), own)) in formula.operands().zip(strides).enumerate() {
            let _ = write!(self.0, "operand{number}");
            if operand.memory().is_some() {
                let column = if own[AXES - 1] == 0 { "" } else { " + c3" };
                let _ =
                    write!(self.0, "[c0 * stride{number}_0 + c1 * stride{number}_1 + c2 * stride{number}_2{column}]");
            }
            self.0.push_str(", ");
        }
        self.0.push('\n');
        Ok(())
    }

    /// Everything of a formula but `ELEMENTS`; the line of `OPERANDS` is left open.
    fn set_operands(&mut self, formula: &Formula<'_>) -> Result<()> {
        self.set_text("FORMULA", formula.text());
        self.0.push_str("ARGUMENTS=");
        for (name, operand) in formula.operands() {
            let _ = write!(self.0, "const {} {name}, ", computed(operand.scalar(name)?).okl_name());
        }
        self.0.push_str("\nOPERANDS=");
        for (number, (name, operand)) in formula.operands().enumerate() {
            let star = if operand.memory().is_some() { "*" } else { "" };
            let _ = write!(self.0, "const {} {star}operand{number}, ", operand.scalar(name)?.okl_name());
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
        self.key.clear();
        self.key.push_str(source.kernel);
        self.key.push('\n');
        define(&mut Macros(&mut self.key))?;
        if let Some(kernel) = self.kernels.get(&self.key) {
            return Ok(kernel.clone());
        }
        // Contraction would depend on the device.
        let mut props = Props::new().with("fp_contract", "off");
        for (name, value) in self.key.lines().filter_map(|line| line.split_once('=')) {
            props.set(format!("defines/{name}"), value);
        }
        let kernel = device.build_kernel_from_string(source.text, source.kernel, props)?;
        self.kernels.insert(self.key.clone(), kernel.clone());
        Ok(kernel)
    }
}

/// The arguments of a launch.
pub(crate) type Args<'a> = SmallVec<[Arg<'a>; 16]>;

/// Adds the operands of a formula, in the order of `OPERANDS`.
pub(crate) fn push_operands<'a, 'f: 'a>(arguments: &mut Args<'a>, formula: &Formula<'f>) {
    for (_, operand) in formula.operands() {
        arguments.push(match (operand.memory(), operand.number()) {
            (Some(memory), _) => Arg::read(memory),
            (None, Some(number)) => number.into_arg(),
            (None, None) => Arg::null(),
        });
    }
}

/// What counts elements: `int` while that is wide enough for every tile's end, since 64 bits are slow on some devices and
/// absent on others.
pub(crate) fn index_type(len: usize) -> Scalar {
    if len <= (i32::MAX as usize) - (1 << 20) { Scalar::I32 } else { Scalar::I64 }
}
