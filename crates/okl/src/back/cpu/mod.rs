//! C11 text for the host's compiler.
//!
//! # The entry's ABI (shared with the CPU backend)
//! Each nest is one function with C linkage, named [`crate::signature::NestSignature::entry`]:
//! ```c
//! void burgers_step_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch);
//! ```
//! - `arguments[k]` belongs to [`crate::signature::NestSignature::arguments`]`[k]`: for a pointer parameter it is the
//!   address of the first element (the slice's offset is already in it), for a scalar or struct the address of its value;
//! - `dims[0..3]` are the group counts along outer axes 0, 1, 2, `dims[3..6]` the item counts of the inner axes;
//! - groups `begin..end` of the linearised outer space (axis 0 fastest) are run; any partition of
//!   `0..dims[0]*dims[1]*dims[2]` into ranges, on any threads, gives the same result;
//! - a nest that updates memory of several groups atomically has a second entry ([`Updates`]), whose updates are plain ones;
//! - `scratch` is 64-byte aligned memory of [`LaunchHints::exclusive_bytes`]` · dims[3]·dims[4]·dims[5]` bytes, the calling thread's own;
//!   null when that is 0.
//!
//! All addresses are aligned for their types.

mod math;
mod reserved;
mod updates;
mod words;

use super::c_family::{self, Builtins, Items, Printer};
use super::namer::Locals;
use super::signature::{self, Emission, Slots};
use super::writer::Writer;
use crate::ir::{Body, Builtin, Kernel, Module, Nest, Pass, Pointer, Scratch, StackBytes, Type, Uses, VarId, prints};
use crate::passes;
use crate::source::SourceMap;
use crate::target::{Emitted, Hints, Target};
pub use math::has_elementary_functions;
use serde::{Deserialize, Serialize};
pub use updates::{Copied, Updates};
pub use words::{LANGUAGE, marks};

/// What a launch of a nest needs to know besides its signature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchHints {
    /// Bytes of exclusive variables per item that live in memory sized at launch.
    pub exclusive_bytes: u64,
    /// Bytes of arrays and structs that a call of the entry keeps on the stack.
    pub stack_bytes: u64,
    /// Of memory that groups share.
    pub updates: Option<Updates>,
}

/// C11 for the host's compiler, which can do all that the language has.
#[derive(Clone, Copy, Debug)]
pub struct CpuTarget;

impl Target for CpuTarget {
    fn name(&self) -> &str {
        "C11"
    }

    fn passes(&self) -> Vec<Pass> {
        passes::ITEMS
            .into_iter()
            .chain([passes::FORWARD_TILES, passes::DELINEARIZE, passes::SCALARIZE, passes::HOIST_CHECKS])
            .chain([passes::INTERCHANGE, passes::LEAVE_ROWS])
            .chain([passes::LOOPS, passes::PREDICATE, passes::SINK_RETURNS, passes::HOIST_LOOP_CHECKS])
            .chain([passes::WIDEN_INDICES, passes::HIDE_FLAGS, passes::PREFETCH])
            .collect()
    }

    fn emit(&self, module: &Module, map: &SourceMap) -> Emitted {
        emit([&LANGUAGE, &words::ALONE], module, map)
    }
}

/// [`CpuTarget`] with the elementary functions of the host's C library in place of ours.
#[derive(Clone, Copy, Debug)]
pub struct NativeMathTarget;

impl Target for NativeMathTarget {
    fn name(&self) -> &str {
        CpuTarget.name()
    }

    fn passes(&self) -> Vec<Pass> {
        // Of calls of the C library no compiler makes vectors.
        CpuTarget.passes().into_iter().filter(|pass| pass.name != passes::SINK_RETURNS.name).collect()
    }

    fn emit(&self, module: &Module, map: &SourceMap) -> Emitted {
        emit([&words::NATIVE, &words::NATIVE_ALONE], module, map)
    }
}

fn emit([words, alone]: [&'static c_family::Language; 2], module: &Module, map: &SourceMap) -> Emitted {
    let emitter = Emitter { items: Items::new(words, module), alone, stack_bytes: StackBytes::new(module) };
    let mut code = Writer::new(map);
    emitter.items.all(&mut code);
    let mut signatures = Vec::new();
    for (number, kernel) in module.kernels.iter().enumerate() {
        let slots = Slots::of(kernel);
        let nests = kernel.nests.iter().enumerate();
        let emissions = nests
            .map(|(index, nest)| {
                emitter.nest(&mut code, kernel, nest, emitter.items.names.entry(number, index), &slots)
            })
            .collect();
        signatures.push(signature::signature(module, kernel, &slots, emissions));
    }
    let mut out = Writer::new(map);
    emitter.prelude(&mut out);
    out.append(code);
    let (text, lines) = out.finish();
    Emitted::new(text, lines, signatures)
}

/// A nest of loops, and what its text asks of it.
struct Looped<'a> {
    kernel: &'a Kernel,
    nest: &'a Nest,
    body: &'a Body,
    uses: Uses,
    captures: Vec<VarId>,
    scratch: Option<&'a Scratch>,
}

impl<'a> Looped<'a> {
    fn new(kernel: &'a Kernel, nest: &'a Nest) -> Self {
        let scratch = nest.launch.as_ref().and_then(|launch| launch.scratch.as_ref());
        Self { kernel, nest, body: &kernel.body, uses: Uses::of(&nest.stmts), captures: kernel.captures(nest), scratch }
    }
}

struct Emitter<'a> {
    items: Items<'a>,
    /// The words of entries whose thread has the memory for itself.
    alone: &'static c_family::Language,
    stack_bytes: StackBytes<'a>,
}

impl Emitter<'_> {
    /// What stands before the code: what the text is, headers, macros, structs and helpers.
    fn prelude(&self, out: &mut Writer<'_>) {
        self.items.title(out, "C11");
        let needs = self.items.needs.borrow();
        if needs.math {
            out.line("#include <math.h>");
        }
        out.line("#include <stdbool.h>");
        if !self.items.module.structs.is_empty() {
            out.line("#include <stddef.h>");
        }
        out.line("#include <stdint.h>");
        if needs.prints {
            out.line("#include <stdio.h>");
        }
        if needs.subtracts {
            words::SUBTRACTION.iter().for_each(|line| out.line(*line));
        }
        words::marks(&needs.marks).iter().for_each(|line| out.line(line));
        self.items.definitions(out);
    }

    fn nest(&self, out: &mut Writer<'_>, kernel: &Kernel, nest: &Nest, name: &str, slots: &Slots) -> Emission {
        let form = Looped::new(kernel, nest);
        self.entry(out, &form, name, self.items.words);
        let updates = updates::of(form.body, nest, &form.captures, format!("{name}_alone"));
        if let Some(updates) = &updates {
            self.entry(out, &form, &updates.alone, self.alone);
        }
        Emission {
            entry: name.to_owned(),
            arguments: form.captures.iter().map(|&var| slots.argument(form.body, var)).collect(),
            hints: Hints::of(&LaunchHints {
                exclusive_bytes: form.scratch.map_or(0, Scratch::bytes),
                stack_bytes: self.stack_bytes.of(form.body, &nest.stmts),
                updates,
            }),
        }
    }

    /// An entry, and the function that it calls.
    fn entry(&self, out: &mut Writer<'_>, form: &Looped<'_>, name: &str, words: &c_family::Language) {
        let Looped { kernel, nest, .. } = form;
        let mut locals = self.items.locals(form.body, outermost(form), &nest.stmts);
        let entry = EntryNames::new(&mut locals);
        let builtins = entry.builtins();
        let printer = Printer::new(&self.items, form.body, &locals, &builtins).with_words(words);
        let mut printer = printer.with_launch(nest.launch.as_ref());
        out.line("");
        out.at(kernel.span);
        out.open(self.groups_head(&printer, form, &entry, name));
        self.slabs(out, &printer, form, &entry);
        printer.stmts(out, &nest.stmts);
        out.close("}");
        out.at(kernel.span);
        out.line("");
        out.open(entry.head(name));
        let unused = entry.unused(form);
        if !unused.is_empty() {
            let unused: Vec<String> = unused.iter().map(|name| format!("(void){name};")).collect();
            out.line(unused.join(" "));
        }
        out.line(self.groups_call(form, &entry, name));
        if prints(self.items.module, &nest.stmts) {
            // What the host prints next stands behind it.
            out.line("fflush(stdout);");
        }
        out.close("}");
        out.at_none();
    }

    /// The function that runs groups, with the kernel's parameters as its own: compilers believe `restrict` of a
    /// parameter, and hardly any believes it of a local pointer.
    fn groups_head(&self, printer: &Printer<'_>, form: &Looped<'_>, entry: &EntryNames, name: &str) -> String {
        let assigned = &form.uses.assigned;
        let capture = |&var: &VarId| {
            let is_number = !matches!(form.body.var(var).ty, Type::Pointer(_));
            let constant = if is_number && !assigned.contains(&var) { "const " } else { "" };
            format!("{constant}{}", printer.declarator(var))
        };
        let mut params: Vec<String> = form.captures.iter().map(capture).collect();
        params.extend(entry.of_groups(form).map(|(ty, name)| format!("{ty}{name}")));
        format!("{}void {name}_groups({}) {{", LANGUAGE.function, params.join(", "))
    }

    /// `burgers_step_0_groups(*(const int *)arguments[0], arguments[1], begin, end);`
    fn groups_call(&self, form: &Looped<'_>, entry: &EntryNames, name: &str) -> String {
        let arguments = &entry.arguments;
        let capture = |(position, &var): (usize, &VarId)| match &form.body.var(var).ty {
            Type::Pointer(_) => format!("{arguments}[{position}]"),
            ty => {
                let ty = c_family::type_name(&LANGUAGE, &self.items.names, ty);
                format!("*(const {ty} *){arguments}[{position}]")
            }
        };
        let mut values: Vec<String> = form.captures.iter().enumerate().map(capture).collect();
        values.extend(entry.of_groups(form).map(|(_, name)| name.to_owned()));
        format!("{name}_groups({});", values.join(", "))
    }

    /// Pointers to the exclusive variables that live in memory sized at launch.
    fn slabs(&self, out: &mut Writer<'_>, printer: &Printer<'_>, form: &Looped<'_>, entry: &EntryNames) {
        let Some(memory) = form.scratch else { return };
        let (items, EntryNames { dims, scratch, .. }) = (printer.name(memory.items), entry);
        out.line(format!("const int64_t {items} = {dims}[3] * {dims}[4] * {dims}[5];"));
        for (var, before) in memory.starts() {
            let Type::Pointer(Pointer { element, .. }) = &form.body.var(var).ty else {
                continue;
            };
            let start =
                if before == 0 { scratch.to_owned() } else { format!("((char *){scratch} + {before} * {items})") };
            let ty = c_family::type_name(&LANGUAGE, &self.items.names, element);
            out.line(format!("{} = ({ty} *){start};", printer.declarator(var)));
        }
    }
}

/// The variables that are declared around the loops.
fn outermost(form: &Looped<'_>) -> Vec<VarId> {
    let mut vars = form.captures.clone();
    vars.extend(
        form.scratch.iter().flat_map(|scratch| std::iter::once(scratch.items).chain(scratch.starts().map(|of| of.0))),
    );
    vars
}

/// The entry's own parameters.
struct EntryNames {
    arguments: String,
    dims: String,
    begin: String,
    end: String,
    scratch: String,
}

impl EntryNames {
    fn new(locals: &mut Locals) -> Self {
        let [arguments, dims, begin, end, scratch] =
            ["arguments", "dims", "begin", "end", "scratch"].map(|hint| locals.fresh(hint));
        Self { arguments, dims, begin, end, scratch }
    }

    fn builtins(&self) -> Builtins {
        c_family::range_builtins(&self.begin, &self.end, &self.dims)
    }

    fn head(&self, name: &str) -> String {
        let Self { arguments, dims, begin, end, scratch } = self;
        format!(
            "void {name}(void *const *{arguments}, const int64_t *{dims}, int64_t {begin}, int64_t {end}, void *{scratch}) {{"
        )
    }

    /// Parameters, but the first one, with their types, and whether the loops need them.
    fn with_use(&self, form: &Looped<'_>) -> [(&'static str, &str, bool); 4] {
        let used = &form.uses.builtins;
        let counts = |of: &Builtin| matches!(of, Builtin::GroupCount(_) | Builtin::ItemCount(_));
        [
            ("const int64_t *", &self.dims, form.scratch.is_some() || used.iter().any(counts)),
            ("int64_t ", &self.begin, used.contains(&Builtin::RangeBegin)),
            ("int64_t ", &self.end, used.contains(&Builtin::RangeEnd)),
            ("void *", &self.scratch, form.scratch.is_some()),
        ]
    }

    /// Type and name of those that the loops need too.
    fn of_groups(&self, form: &Looped<'_>) -> impl Iterator<Item = (&'static str, &str)> {
        self.with_use(form).into_iter().filter(|(.., used)| *used).map(|(ty, name, _)| (ty, name))
    }

    /// Those that nothing needs: compilers warn of them.
    fn unused(&self, form: &Looped<'_>) -> Vec<&str> {
        let arguments = form.captures.is_empty().then_some(self.arguments.as_str());
        let others = self.with_use(form).into_iter().filter(|(.., used)| !*used).map(|(_, name, _)| name);
        arguments.into_iter().chain(others).collect()
    }
}
