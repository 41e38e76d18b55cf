//! A nest whose groups are run by work-items of their own, each item of a group after the other: what a processor does
//! best. A work-item runs a stretch of the groups; what a group shares is the work-item's own memory.

use super::arguments::{Arguments, Numbers, constant};
use super::{Entry, LaunchHints};
use crate::back::c_family::{self, Language, Printer};
use crate::back::signature::{Emission, Slots};
use crate::back::writer::Writer;
use crate::ir::{Builtin, Kernel, Module, Nest, Role, Type, Uses};
use crate::passes::loops::{self, LoopedForm};
use crate::passes::privatize;
use crate::target::Hints;

/// Most bytes of shared memory that a work-item keeps on its stack.
const STACK_BYTES: u64 = 64 * 1024;

/// Whether a nest's memory fits a work-item's stack.
pub(super) fn fits(module: &Module, kernel: &Kernel, nest: &Nest) -> bool {
    let shared: u64 = nest.shared.iter().map(|&var| crate::ir::bytes_of(module, &kernel.body.var(var).ty)).sum();
    shared <= STACK_BYTES && privatize::fits_stack(module, &kernel.body, nest)
}

/// Prints a function that runs a stretch of the groups, and the entry that calls it.
pub(super) fn emit(entry: &Entry<'_>, words: &Language, out: &mut Writer<'_>, slots: &Slots) -> Emission {
    let Entry { items, kernel, nest, name, .. } = *entry;
    let mut form = loops::of_nest(items.module, kernel, nest);
    for &var in nest.shared.iter().chain(&form.storage.arrays) {
        form.body.vars[var.0 as usize].role = Role::Local;
    }
    let mut locals = items.locals(&form.body, form.captures.iter().copied(), &form.stmts);
    let [dims, begin, end] = ["dims", "begin", "end"].map(|hint| locals.fresh(hint));
    let arguments = Arguments::new(items, words, &form.body, &mut locals, &form.captures, (name, Numbers::Struct));
    let builtins = c_family::range_builtins(&begin, &end, &dims);
    let mut printer = Printer::new(items, &form.body, &locals, &builtins, &form.parallel).with_words(words);
    let uses = Uses::of(&form.stmts);
    let assigned = uses.assigned;
    let needs_dims = uses.builtins.iter().any(|of| matches!(of, Builtin::GroupCount(_) | Builtin::ItemCount(_)));

    let mut parameters: Vec<String> = Vec::new();
    let mut values: Vec<String> = Vec::new();
    let pointers = arguments.pointers(&printer, &form.body);
    for &var in &form.captures {
        let is_value = !matches!(form.body.var(var).ty, Type::Pointer(_));
        parameters.push(constant(printer.declarator(var), is_value && !assigned.contains(&var)));
        let pointer = pointers.iter().find(|(pointer, _)| *pointer == var);
        values.push(pointer.map_or_else(|| printer.name(var).to_owned(), |(_, first)| first.clone()));
    }
    if needs_dims {
        parameters.push(format!("__private const long *{dims}"));
        values.push(arguments.number("dims"));
    }
    parameters.extend([&begin, &end].map(|name| format!("const long {name}")));
    values.extend([&begin, &end].map(String::clone));
    out.line("");
    out.at(kernel.span);
    out.open(format!("{}void {name}_groups({}) {{", words.function, parameters.join(", ")));
    printer.stmts(out, &form.stmts);
    out.close("}");
    out.at(kernel.span);

    let groups = [0, 1, 2].map(|k| arguments.number(&format!("dims[{k}]")));
    let stretch = arguments.number("stretch");
    let parameters = arguments.parameters(&printer, &form.body, &assigned);
    out.line("");
    out.line(arguments.definition());
    out.line("");
    out.open(format!("__kernel void {name}({}) {{", parameters.join(", ")));
    out.line(format!("const long {begin} = (long)get_global_id(0) * {stretch};"));
    out.line(format!("const long {end} = min({begin} + {stretch}, {});", groups.join(" * ")));
    out.line(format!("{name}_groups({});", values.join(", ")));
    out.close("}");
    out.at_none();
    emission(name.to_owned(), &form, slots)
}

fn emission(entry: String, form: &LoopedForm, slots: &Slots) -> Emission {
    Emission {
        entry,
        arguments: form.captures.iter().map(|&var| slots.argument(&form.body, var)).collect(),
        hints: Hints::of(&LaunchHints { serial_items: true, coarsened: false }),
    }
}
