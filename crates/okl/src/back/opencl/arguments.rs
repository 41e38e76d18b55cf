//! What the entries of both forms take: buffers and values, and numbers that are the launch's own, such as where each slice
//! starts in its buffer.

use crate::back::c_family::{self, Language, Printer};
use crate::ir::{AddressSpace, Body, Module, Pointer, Scalar, Type, VarId};
use crate::source::Span;
use std::collections::BTreeSet;

/// The captured variables of a nest, and for each pointer the names of its two arguments.
pub(super) struct Arguments<'a> {
    words: &'a Language,
    module: &'a Module,
    captures: &'a [VarId],
    /// Pointer, its buffer, and the name of the number of elements before its first.
    slices: Vec<(VarId, String, String)>,
    /// The struct's type and the argument's name, where the numbers are one argument.
    launch: Option<[String; 2]>,
}

/// How the numbers of a launch travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Numbers {
    /// Each by itself, beside the buffer that it belongs to.
    Each,
    /// As members of one struct: PoCL copies every argument at every launch, and a launch on a processor is short.
    Struct,
}

impl<'a> Arguments<'a> {
    /// Names the arguments of `captures` for an entry; nothing else of the body and the module is called so.
    pub(super) fn new(
        words: &'a Language,
        module: &'a Module,
        body: &mut Body,
        captures: &'a [VarId],
        (entry, numbers): (&str, Numbers),
        span: Span,
    ) -> Arguments<'a> {
        let mut slices = Vec::new();
        let fresh = |body: &mut Body, stem: String| {
            let id = c_family::fresh_number(module, body, &stem, span);
            body.var(id).name.clone()
        };
        let is_struct = numbers == Numbers::Struct;
        let launch = is_struct.then(|| [format!("{entry}_launch"), "launch".to_owned()].map(|stem| fresh(body, stem)));
        for &var in captures {
            if !matches!(body.var(var).ty, Type::Pointer(_)) {
                continue;
            }
            let stem = body.var(var).name.clone();
            let (buffer, start) = (fresh(body, format!("{stem}_buffer")), format!("{stem}_start"));
            slices.push((var, buffer, if is_struct { start } else { fresh(body, start) }));
        }
        Self { words, module, captures, slices, launch }
    }

    /// The struct of the launch's numbers: the starts, in order, and then `others`.
    pub(super) fn definition(&self, others: &str) -> String {
        let starts: String = self.slices.iter().map(|(_, _, start)| format!("{start}, ")).collect();
        let name = self.launch.as_ref().map_or("", |[ty, _]| ty);
        format!("typedef struct {{ long {starts}{others}; }} {name};")
    }

    /// A number of the launch: `launch.dims[0]`, or by its name alone.
    pub(super) fn number(&self, name: &str) -> String {
        self.launch.as_ref().map_or(name.to_owned(), |[_, launch]| format!("{launch}.{name}"))
    }

    /// `const int n`, `__global double *y_buffer` …: the entry's parameters, after each pointer the start of its slice or,
    /// behind all, the struct of numbers; a value that the nest does not assign is constant.
    pub(super) fn parameters(&self, printer: &Printer<'_>, body: &Body, assigned: &BTreeSet<VarId>) -> Vec<String> {
        let parameter = |&var: &VarId| match &body.var(var).ty {
            Type::Pointer(pointer) => {
                let (_, buffer, start) = self.slice(var);
                let flat = Type::Pointer(Pointer { dims: Vec::new(), ..pointer.clone() });
                let space = (self.words.space)(AddressSpace::Global);
                let buffer = c_family::pointer_declarator(self.words, self.module, &flat, buffer, space);
                if self.launch.is_some() { buffer } else { format!("{buffer}, const long {start}") }
            }
            Type::Scalar(Scalar::Bool) => {
                constant(format!("{} {}", self.words.stored_bool, printer.name(var)), !assigned.contains(&var))
            }
            _ => constant(printer.declarator(var), !assigned.contains(&var)),
        };
        let launch = self.launch.iter().map(|[ty, name]| format!("const {ty} {name}"));
        self.captures.iter().map(parameter).chain(launch).collect()
    }

    /// The pointers, each with what it is made of: the address of the first element of its slice.
    pub(super) fn pointers(&self, printer: &Printer<'_>, body: &Body) -> Vec<(VarId, String)> {
        let first = |(var, buffer, start): &(VarId, String, String)| {
            let first = format!("{buffer} + {}", self.number(start));
            let value = match &body.var(*var).ty {
                Type::Pointer(pointer) if !pointer.dims.is_empty() => {
                    format!("{}({first})", printer.pointer_cast(pointer, AddressSpace::Global))
                }
                _ => first,
            };
            (*var, value)
        };
        self.slices.iter().map(first).collect()
    }

    fn slice(&self, var: VarId) -> &(VarId, String, String) {
        let mut slices = self.slices.iter();
        slices.find(|(pointer, ..)| *pointer == var).unwrap_or_else(|| unreachable!("every pointer is named"))
    }
}

/// A declarator as a constant's; it has its own `const` where the source wrote one.
pub(super) fn constant(declarator: String, is_constant: bool) -> String {
    if is_constant && !declarator.starts_with("const ") { format!("const {declarator}") } else { declarator }
}
