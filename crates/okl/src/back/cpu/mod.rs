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
//! - `scratch` is 64-byte aligned memory of [`LaunchHints::exclusive_bytes`]` · dims[3]·dims[4]·dims[5]` bytes, the calling thread's own;
//!   null when that is 0.
//!
//! All addresses are aligned for their types.

mod words;

use super::c_family::{self, Items, Printer};
use super::signature::{self, Emission, Slots};
use super::writer::Writer;
use crate::ir::Uses;
use crate::ir::{Kernel, Module, Nest, Pointer, Type, VarId};
use crate::passes;
use crate::passes::loops::{self, LoopedForm};
use crate::source::SourceMap;
use crate::target::{Emitted, Hints, Target};
use serde::{Deserialize, Serialize};
pub(crate) use words::{LANGUAGE, independent};

/// What a launch of a nest needs to know besides its signature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchHints {
    /// Bytes of exclusive variables per item that live in memory sized at launch.
    pub exclusive_bytes: u64,
}

/// C11 for the host's compiler, which can do all that the language has.
#[derive(Clone, Copy, Debug)]
pub struct CpuTarget;

impl Target for CpuTarget {
    fn name(&self) -> &str {
        "C11"
    }

    fn prepare(&self, module: &mut Module) {
        passes::prepare(module);
    }

    fn emit(&self, module: &Module, map: &SourceMap) -> Emitted {
        emit(module, map)
    }

    fn is_reserved(&self, word: &str) -> bool {
        (LANGUAGE.is_reserved)(word)
    }
}

fn emit(module: &Module, map: &SourceMap) -> Emitted {
    let emitter = Emitter { items: Items::new(&LANGUAGE, module, map) };
    let mut code = Writer::new(map);
    emitter.items.all(&mut code);
    let mut signatures = Vec::new();
    for kernel in &module.kernels {
        let slots = Slots::of(kernel);
        let nests = kernel.nests.iter().enumerate();
        let emissions = nests.map(|(index, nest)| emitter.nest(&mut code, kernel, nest, index, &slots)).collect();
        signatures.push(signature::signature(module, map, kernel, &slots, emissions));
    }
    let mut out = Writer::new(map);
    emitter.prelude(&mut out);
    out.append(code);
    let (text, lines) = out.finish();
    Emitted::new(text, lines, signatures)
}

struct Emitter<'a> {
    items: Items<'a>,
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
        words::independent(&needs.independent).iter().for_each(|line| out.line(line));
        self.items.definitions(out);
    }

    fn nest(&self, out: &mut Writer<'_>, kernel: &Kernel, nest: &Nest, index: usize, slots: &Slots) -> Emission {
        let mut form = loops::of_nest(self.items.module, kernel, nest);
        let outermost = outermost(&form);
        c_family::restore_names(
            LANGUAGE.is_reserved,
            self.items.module,
            self.items.map,
            &mut form.body,
            &form.stmts,
            &outermost,
        );
        let mut printer = Printer::new(&LANGUAGE, self.items.module, &form.body, &form.parallel, &self.items.needs);
        let name = c_family::entry_name(kernel, index);
        out.line("");
        out.at(kernel.span);
        out.open(self.groups_head(&printer, &form, &name));
        self.slabs(out, &printer, &form);
        printer.stmts(out, &form.stmts);
        out.close("}");
        out.at(kernel.span);
        out.line("");
        out.open(head(&printer, &form, &name));
        let unused: Vec<String> =
            unused_parameters(&form).iter().map(|&var| format!("(void){};", printer.name(var))).collect();
        if !unused.is_empty() {
            out.line(unused.join(" "));
        }
        out.line(self.groups_call(&printer, &form, &name));
        out.close("}");
        out.at_none();
        Emission {
            entry: name,
            arguments: form.captures.iter().map(|&var| slots.argument(&form.body, var)).collect(),
            hints: Hints::of(&LaunchHints { exclusive_bytes: form.storage.bytes }),
        }
    }

    /// The function that runs groups, with the kernel's parameters as its own: compilers believe `restrict` of a
    /// parameter, and hardly any believes it of a local pointer.
    fn groups_head(&self, printer: &Printer<'_>, form: &LoopedForm, name: &str) -> String {
        let assigned = Uses::of(&form.stmts).assigned;
        let capture = |&var: &VarId| {
            let is_number = !matches!(form.body.var(var).ty, Type::Pointer(_));
            let constant = is_number && !assigned.contains(&var);
            let declarator = printer.declarator(var);
            // A declarator has its own `const` where the source wrote one.
            if constant && !declarator.starts_with("const ") { format!("const {declarator}") } else { declarator }
        };
        let mut params: Vec<String> = form.captures.iter().map(capture).collect();
        params.extend(entry_parameters(printer, form).map(|(_, declaration)| declaration));
        format!("{}void {name}_groups({}) {{", LANGUAGE.function, params.join(", "))
    }

    /// `burgers_step_0_groups(*(const int *)arguments[0], arguments[1], begin, end);`
    fn groups_call(&self, printer: &Printer<'_>, form: &LoopedForm, name: &str) -> String {
        let arguments = printer.name(form.entry.arguments);
        let capture = |(position, &var): (usize, &VarId)| match &form.body.var(var).ty {
            Type::Pointer(_) => format!("{arguments}[{position}]"),
            ty => {
                let ty = c_family::type_name(&LANGUAGE, self.items.module, ty);
                format!("*(const {ty} *){arguments}[{position}]")
            }
        };
        let mut values: Vec<String> = form.captures.iter().enumerate().map(capture).collect();
        values.extend(entry_parameters(printer, form).map(|(name, _)| name.to_owned()));
        format!("{name}_groups({});", values.join(", "))
    }

    /// Pointers to the exclusive variables that live in memory sized at launch.
    fn slabs(&self, out: &mut Writer<'_>, printer: &Printer<'_>, form: &LoopedForm) {
        let Some(items) = form.storage.items else {
            return;
        };
        let (items, dims) = (printer.name(items), printer.name(form.entry.dims));
        let scratch = printer.name(form.entry.scratch);
        out.line(format!("const int64_t {items} = {dims}[3] * {dims}[4] * {dims}[5];"));
        for &(var, before) in &form.storage.slabs {
            let Type::Pointer(Pointer { element, .. }) = &form.body.var(var).ty else {
                continue;
            };
            let start =
                if before == 0 { scratch.to_owned() } else { format!("((char *){scratch} + {before} * {items})") };
            let ty = c_family::type_name(&LANGUAGE, self.items.module, element);
            out.line(format!("{} = ({ty} *){start};", printer.declarator(var)));
        }
    }
}

/// The variables that the entry declares around its loops.
fn outermost(form: &LoopedForm) -> Vec<VarId> {
    let entry = form.entry;
    let mut vars = vec![entry.arguments, entry.dims, entry.begin, entry.end, entry.scratch];
    vars.extend(&form.captures);
    vars.extend(form.storage.items);
    vars.extend(form.storage.slabs.iter().map(|(var, _)| *var));
    vars
}

fn head(printer: &Printer<'_>, form: &LoopedForm, name: &str) -> String {
    let entry = form.entry;
    let [arguments, dims, begin, end, scratch] =
        [entry.arguments, entry.dims, entry.begin, entry.end, entry.scratch].map(|var| printer.name(var));
    format!(
        "void {name}(void *const *{arguments}, const int64_t *{dims}, int64_t {begin}, int64_t {end}, void *{scratch}) {{"
    )
}

/// Name and declaration of the entry's parameters that its loops need too.
fn entry_parameters<'a>(printer: &'a Printer<'_>, form: &LoopedForm) -> impl Iterator<Item = (&'a str, String)> {
    let (entry, unused) = (form.entry, unused_parameters(form));
    let all = [
        (entry.dims, "const int64_t *"),
        (entry.begin, "int64_t "),
        (entry.end, "int64_t "),
        (entry.scratch, "void *"),
    ];
    all.into_iter()
        .filter(move |(var, _)| !unused.contains(var))
        .map(|(var, ty)| (printer.name(var), format!("{ty}{}", printer.name(var))))
}

/// Parameters of the entry that its statements do not mention: compilers warn of those.
fn unused_parameters(form: &LoopedForm) -> Vec<VarId> {
    let mentioned = Uses::of(&form.stmts).mentioned;
    let entry = form.entry;
    let unused = [
        (entry.arguments, form.captures.is_empty()),
        (entry.dims, form.storage.items.is_none() && !mentioned.contains(&entry.dims)),
        (entry.begin, !mentioned.contains(&entry.begin)),
        (entry.end, !mentioned.contains(&entry.end)),
        (entry.scratch, form.storage.slabs.is_empty()),
    ];
    unused.into_iter().filter(|(_, unused)| *unused).map(|(var, _)| var).collect()
}
