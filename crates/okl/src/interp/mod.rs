//! Executes IR on host buffers: the oracle that every backend is compared with, and the checker of kernels.
//!
//! # What it decides
//! - Values are those of [`crate::ir::value`]: `float` is rounded after every operation, integers keep their width,
//!   `&&`, `||` and `?:` are lazy. Groups run one after the other, and so do the items of a region.
//! - What C leaves undefined is a [`Fault`] with a place in the source: signed overflow, division by zero, shifts out
//!   of range, conversions that do not fit, subscripts outside an argument, an array or one of its dimensions.
//! - With [`Options::checks`] also: reading what was never written (shared, exclusive and local memory; global
//!   memory counts as written unless its [`Buffer`] says otherwise), and races: two items of which one writes touch one byte with no barrier between
//!   them, or in different groups of one nest, unless both do so atomically. Writing the same value is a race too.
//! - [`Options::step_limit`] ends every run. Nothing here panics, on any module and any arguments.
//!
//! # Where things are
//! `layout`: where variables live. `memory`: bytes and what is known of them. `race`: who touched them.
//! `machine`: the state of a run. `expr`, `place`, `stmt`, `launch`: the walk over the IR.
//!
//! Nests of loops and of threads run as well ([`crate::ir::Dialect`]): a group's threads one after the other, region by
//! region, where nothing but a barrier orders their accesses. With [`Options::coarsened`] each thread runs the items of two groups.
//!
//! Not here: speed (a tree is walked, some eight million statements a second), and target text.

mod expr;
mod fault;
mod launch;
mod layout;
mod machine;
mod memory;
mod place;
mod race;
mod stmt;

pub(crate) use fault::operation;
pub use fault::{Fault, FaultKind};
pub(crate) use layout::for_each_scalar;
pub use memory::Buffer;

use crate::ir::value::ScalarValue;
use crate::ir::{Kernel, Line, Lines, Module, Type};
use crate::source::Span;
use layout::Layouts;
use machine::Machine;
use memory::{Memory, Pointer, Space};
use std::sync::{Mutex, PoisonError};

/// How thorough a run is, and how long it may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Look for races and for reads of what was never written. It costs time, and 20 bytes per byte of global or
    /// shared memory that is touched.
    pub checks: bool,
    /// A NaN or an infinity that is made of finite values is a fault.
    pub finite: bool,
    /// List every access to global memory in [`Report::accesses`].
    pub trace: bool,
    /// Run [`crate::ir::Nest::coarsened`] where a nest has it: two groups at a time.
    pub coarsened: bool,
    /// Most statements, loop iterations and items that a run may execute.
    pub step_limit: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { checks: true, finite: false, trace: false, coarsened: false, step_limit: 200_000_000 }
    }
}

/// An argument of a kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Arg<'a> {
    /// A number of the parameter's own type.
    Scalar(ScalarValue),
    /// A struct in the layout of C.
    Struct(&'a [u8]),
    /// `bytes` of buffer number `buffer` from `offset` on (in bytes). Several arguments may lie in one buffer.
    Memory {
        /// Index into the buffers of the run.
        buffer: usize,
        /// First byte.
        offset: usize,
        /// Length in bytes.
        bytes: usize,
    },
    /// A null pointer: any access through it is a fault.
    Null,
}

/// What a run did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Launches in order; nests without groups or items are skipped.
    pub launches: Vec<Launched>,
    /// Statements, loop iterations and items executed.
    pub steps: u64,
    /// The widest [`crate::ir::value::tolerance_ulp`] of the functions that were called: 0 means that every target must
    /// give the same bits.
    pub tolerance_ulp: u32,
    /// Accesses to global memory in order, with [`Options::trace`].
    pub accesses: Vec<Accessed>,
}

/// An access to global memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accessed {
    /// Index into [`Report::launches`].
    pub launch: usize,
    /// Number of the group.
    pub group: u32,
    /// Index into the buffers of the run.
    pub buffer: usize,
    /// First byte of it.
    pub byte: usize,
    /// The access changes memory.
    pub writes: bool,
}

/// One launch of a nest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launched {
    /// Index into [`Kernel::nests`].
    pub nest: u32,
    /// Groups along axes 0, 1, 2.
    pub outer: [u64; 3],
    /// Items of a group along axes 0, 1, 2: the maximum over its regions.
    pub inner: [u64; 3],
}

/// Executes the kernels of one module.
#[derive(Debug)]
pub struct Interpreter<'m> {
    module: &'m Module,
    layouts: Layouts,
    options: Options,
    lines: &'m [Line],
    printed: Mutex<Vec<u8>>,
}

impl<'m> Interpreter<'m> {
    /// An interpreter for IR as [`crate::to_ir`] gives it, or as passes leave it.
    pub fn new(module: &'m Module, options: Options) -> Self {
        Self { module, layouts: Layouts::new(module), options, lines: &[], printed: Mutex::default() }
    }

    /// The lines that kernels leave in their record, which [`run`](Self::run) then prints.
    #[must_use]
    pub fn with_lines(self, lines: &'m [Line]) -> Self {
        Self { lines, ..self }
    }

    /// What `printf` has printed since this was asked last, in runs that ended with a fault as well.
    pub fn take_printed(&self) -> Vec<u8> {
        std::mem::take(&mut *self.printed.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Runs a kernel to its end.
    /// # Errors
    /// The first fault. What was written before it stays in the buffers.
    pub fn run(&self, kernel: &str, buffers: &mut [&mut [u8]], arguments: &[Arg<'_>]) -> Result<Report, Box<Fault>> {
        let Some(index) = self.module.kernels.iter().position(|k| k.name == kernel) else {
            let known: Vec<_> = self.module.kernels.iter().map(|k| k.name.as_str()).collect();
            let message = format!("there is no kernel `{kernel}`; available: {}", known.join(", "));
            return Err(Fault::new(FaultKind::Argument(message), Span::default()));
        };
        let of = &self.module.kernels[index];
        let words = if self.lines.is_empty() { Kernel::FAULT_WORDS } else { Kernel::FIRST_LINE + Kernel::LINE_WORDS };
        let mut record = vec![0; 4 * words];
        let mut buffers: Vec<_> = buffers.iter_mut().map(|bytes| Buffer { bytes, written: None }).collect();
        let mut arguments = arguments.to_vec();
        if of.faults {
            arguments.push(Arg::Memory { buffer: buffers.len(), offset: 0, bytes: record.len() });
            buffers.push(Buffer { bytes: &mut record, written: None });
        }
        let (machine, bound) = self.machine(of, buffers, &arguments)?;
        let report = machine.run_kernel(index, bound)?;
        if !self.lines.is_empty() {
            let record: Vec<u32> =
                record.chunks_exact(4).map(|word| word.try_into().map_or(0, u32::from_ne_bytes)).collect();
            let text = Lines::of(&record).text(&record[Kernel::FIRST_LINE..], self.lines);
            self.printed.lock().unwrap_or_else(PoisonError::into_inner).extend(text);
        }
        if record[..4 * Kernel::FAULT_WORDS] == [0; 4 * Kernel::FAULT_WORDS] {
            return Ok(report);
        }
        Err(Fault::new(
            FaultKind::Invalid("a check found an access out of range, or a division without a result"),
            of.span,
        ))
    }

    /// Runs one nest of a kernel, given by their numbers, with the values that the host part has computed:
    /// those of [`Kernel::host_variables`] in order.
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_nest(
        &self,
        (kernel, nest): (usize, u32),
        buffers: Vec<Buffer<'_>>,
        arguments: &[Arg<'_>],
        host: &[ScalarValue],
    ) -> Result<Report, Box<Fault>> {
        let Some(of) = self.module.kernels.get(kernel) else {
            return Err(Fault::new(FaultKind::Invalid("no such kernel"), Span::default()));
        };
        let (machine, bound) = self.machine(of, buffers, arguments)?;
        machine.run_nest((kernel, nest), bound, host)
    }

    /// A machine, and the arguments as it takes them.
    fn machine<'a>(
        &'a self,
        kernel: &Kernel,
        buffers: Vec<Buffer<'a>>,
        arguments: &[Arg<'_>],
    ) -> Result<(Machine<'a>, Vec<Bound>), Box<Fault>> {
        let sizes: Vec<usize> = buffers.iter().map(|buffer| buffer.bytes.len()).collect();
        let bound = bind(self.module, &self.layouts, kernel, arguments, &sizes)?;
        let memory = Memory::new(buffers, &self.layouts, self.options.checks);
        Ok((Machine::new(self.module, &self.layouts, self.options, memory, &self.printed), bound))
    }
}

/// Arguments in the form in which frames take them, by position.
enum Bound {
    Value(Vec<u8>),
    Pointer(Pointer),
}

fn bind(
    module: &Module,
    layouts: &Layouts,
    kernel: &Kernel,
    arguments: &[Arg<'_>],
    buffers: &[usize],
) -> Result<Vec<Bound>, Box<Fault>> {
    let refuse = |span, message: String| Err(Fault::new(FaultKind::Argument(message), span));
    if arguments.len() != kernel.params.len() {
        let (name, want, got) = (&kernel.name, kernel.params.len(), arguments.len());
        return refuse(kernel.span, format!("`{name}` takes {want} arguments, got {got}"));
    }
    let mut bound = Vec::with_capacity(arguments.len());
    for (position, (&id, argument)) in kernel.params.iter().zip(arguments).enumerate() {
        let Some(variable) = kernel.body.vars.get(id.0 as usize) else {
            return refuse(kernel.span, format!("parameter {position} has no variable"));
        };
        match fit(module, &variable.ty, argument, buffers) {
            Some(argument) => bound.push(argument),
            None => {
                let expected = layouts.describe(&variable.ty, module);
                let message = format!("argument {position} `{}`: expected {expected}, got {argument:?}", variable.name);
                return refuse(variable.span, message);
            }
        }
    }
    refuse_restricted_overlap(kernel, &bound)?;
    Ok(bound)
}

/// The argument, where it fits the parameter's type and its buffer.
fn fit(module: &Module, ty: &Type, argument: &Arg<'_>, buffers: &[usize]) -> Option<Bound> {
    match (ty, argument) {
        (Type::Scalar(ty), Arg::Scalar(value)) if value.ty() == *ty => {
            Some(Bound::Value(value.to_bytes()[..ty.bytes()].to_vec()))
        }
        (Type::Struct(_), Arg::Struct(bytes)) if bytes.len() == layout::size_of(ty, module) => {
            Some(Bound::Value(bytes.to_vec()))
        }
        (Type::Pointer(_), Arg::Null) => Some(Bound::Pointer(Pointer::null())),
        (Type::Pointer(_), &Arg::Memory { buffer, offset, bytes }) => {
            let (lo, hi) = slice(buffers, buffer, offset, bytes)?;
            Some(Bound::Pointer(Pointer { space: Space::Global(buffer), at: lo, lo, hi }))
        }
        _ => None,
    }
}

fn slice(buffers: &[usize], buffer: usize, offset: usize, bytes: usize) -> Option<(i64, i64)> {
    let end = offset.checked_add(bytes)?;
    let inside = buffers.get(buffer).is_some_and(|&len| end <= len);
    inside.then(|| Some((i64::try_from(offset).ok()?, i64::try_from(end).ok()?))).flatten()
}

/// `@restrict` promises that nothing else overlaps, where either of the two may be written.
fn refuse_restricted_overlap(kernel: &Kernel, bound: &[Bound]) -> Result<(), Box<Fault>> {
    let pointers: Vec<_> = kernel
        .params
        .iter()
        .zip(bound)
        .filter_map(|(&id, argument)| match (&kernel.body.var(id).ty, argument) {
            (Type::Pointer(ty), Bound::Pointer(pointer)) => Some((kernel.body.var(id), ty, pointer)),
            _ => None,
        })
        .collect();
    for (index, (first, first_ty, a)) in pointers.iter().enumerate() {
        for (second, second_ty, b) in &pointers[index + 1..] {
            let promised = first_ty.restrict || second_ty.restrict;
            let written = first_ty.mutable || second_ty.mutable;
            if promised && written && a.space == b.space && a.lo < b.hi && b.lo < a.hi {
                let message =
                    format!("`{}` and `{}` overlap, but `@restrict` says that they do not", first.name, second.name);
                return Err(Fault::new(FaultKind::Argument(message), second.span));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
