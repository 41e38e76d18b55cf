//! What the entries of both forms take: buffers and values, and numbers that are the launch's own, such as where each slice
//! starts in its buffer.

use crate::back::c_family::{self, Items, Language, Printer};
use crate::back::namer::{Locals, Namer};
use crate::ir::{AddressSpace, Body, Pointer, Scalar, Type, VarId};
use std::collections::BTreeSet;

/// The captured variables of a nest, and for each pointer the names of its two arguments.
pub(super) struct Arguments<'a> {
    words: &'a Language,
    names: &'a Namer,
    captures: &'a [VarId],
    /// Pointer, its buffer, and the name of the number of elements before its first.
    slices: Vec<(VarId, String, String)>,
    /// Where the numbers are one argument.
    launch: Option<Launch>,
}

/// The struct of the launch's numbers.
struct Launch {
    ty: String,
    name: String,
}

/// How the numbers of a launch travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Numbers {
    /// Each by itself, beside the buffer that it belongs to.
    Each,
    /// As members of one struct: PoCL copies every argument at every launch, and a launch on a processor is short.
    Struct,
}

/// The numbers beside the starts, where they are members of one struct.
const NUMBERS: [&str; 2] = ["dims", "stretch"];

impl<'a> Arguments<'a> {
    /// Names the arguments of `captures` for an entry.
    pub(super) fn new(
        items: &'a Items<'_>,
        words: &'a Language,
        body: &Body,
        locals: &mut Locals,
        captures: &'a [VarId],
        (entry, numbers): (&str, Numbers),
    ) -> Arguments<'a> {
        let pointers = captures.iter().copied().filter(|&var| matches!(body.var(var).ty, Type::Pointer(_)));
        let stems: Vec<(VarId, String)> = pointers.map(|var| (var, locals.name(var).to_owned())).collect();
        let launch = (numbers == Numbers::Struct)
            .then(|| Launch { ty: format!("{entry}_launch"), name: locals.fresh("launch") });
        let starts: Vec<String> = stems.iter().map(|(_, stem)| format!("{stem}_start")).collect();
        let starts: Vec<String> = match &launch {
            // The members of a struct differ from each other alone.
            Some(_) => items.names.members(NUMBERS.into_iter().chain(starts.iter().map(String::as_str))).split_off(2),
            None => starts.iter().map(|hint| locals.fresh(hint)).collect(),
        };
        let buffers: Vec<String> = stems.iter().map(|(_, stem)| locals.fresh(&format!("{stem}_buffer"))).collect();
        let slices = stems.into_iter().zip(buffers).zip(starts);
        let slices = slices.map(|(((var, _), buffer), start)| (var, buffer, start)).collect();
        Self { words, names: &items.names, captures, slices, launch }
    }

    /// The struct of the launch's numbers: the starts, in order, six `dims`, and `stretch`.
    pub(super) fn definition(&self) -> String {
        let starts: String = self.slices.iter().map(|(_, _, start)| format!("{start}, ")).collect();
        let name = self.launch.as_ref().map_or("", |launch| &launch.ty);
        let [dims, stretch] = NUMBERS;
        format!("typedef struct {{ long {starts}{dims}[6], {stretch}; }} {name};")
    }

    /// A number of the launch: `launch.dims[0]`, or by its name alone.
    pub(super) fn number(&self, name: &str) -> String {
        self.launch.as_ref().map_or(name.to_owned(), |launch| format!("{}.{name}", launch.name))
    }

    /// `const int n`, `__global double *y_buffer` …: the entry's parameters, after each pointer the start of its slice or,
    /// behind all, the struct of numbers; a value that the nest does not assign is constant.
    pub(super) fn parameters(&self, printer: &Printer<'_>, body: &Body, assigned: &BTreeSet<VarId>) -> Vec<String> {
        let parameter = |&var: &VarId| match &body.var(var).ty {
            Type::Pointer(pointer) => {
                let (_, buffer, start) = self.slice(var);
                let flat = Type::Pointer(Pointer { dims: Vec::new(), ..pointer.clone() });
                let space = (self.words.space)(AddressSpace::Global);
                let buffer = c_family::pointer_declarator(self.words, self.names, &flat, buffer, space);
                if self.launch.is_some() { buffer } else { format!("{buffer}, const long {start}") }
            }
            Type::Scalar(Scalar::Bool) => {
                constant(format!("{} {}", self.words.stored_bool, printer.name(var)), !assigned.contains(&var))
            }
            _ => constant(printer.declarator(var), !assigned.contains(&var)),
        };
        let launch = self.launch.iter().map(|launch| format!("const {} {}", launch.ty, launch.name));
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

/// A value's declarator, as a constant's or as it is.
pub(super) fn constant(declarator: String, is_constant: bool) -> String {
    if is_constant { format!("const {declarator}") } else { declarator }
}
