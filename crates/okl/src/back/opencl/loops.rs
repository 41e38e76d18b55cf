//! A nest whose groups are run by work-items of their own, each item of a group after the other: what a processor does
//! best. A work-item runs a stretch of the groups; what a group shares is the work-item's own memory.

use super::arguments::{Arguments, Numbers, constant};
use super::{Entry, LaunchHints};
use crate::back::c_family::{self, Language, Printer};
use crate::back::signature::{Emission, Slots};
use crate::back::writer::Writer;
use crate::ir::{Builtin, Type, Uses};
use crate::target::Hints;

/// Prints a function that runs a stretch of the groups, and the entry that calls it.
pub(super) fn emit(entry: &Entry<'_>, words: &Language, out: &mut Writer<'_>, slots: &Slots) -> Emission {
    let Entry { items, kernel, nest, name, .. } = *entry;
    let (body, captures) = (&kernel.body, kernel.captures(nest));
    let mut locals = items.locals(body, captures.iter().copied(), &nest.stmts);
    let [dims, begin, end] = ["dims", "begin", "end"].map(|hint| locals.fresh(hint));
    let arguments = Arguments::new(items, words, body, &mut locals, &captures, (name, Numbers::Struct));
    let builtins = c_family::range_builtins(&begin, &end, &dims);
    let printer = Printer::new(items, body, &locals, &builtins).with_words(words);
    let mut printer = printer.with_launch(nest.launch.as_ref());
    let uses = Uses::of(&nest.stmts);
    let assigned = uses.assigned;
    let needs_dims = uses.builtins.iter().any(|of| matches!(of, Builtin::GroupCount(_) | Builtin::ItemCount(_)));

    let mut parameters: Vec<String> = Vec::new();
    let mut values: Vec<String> = Vec::new();
    let pointers = arguments.pointers(&printer, body);
    for &var in &captures {
        let is_value = !matches!(body.var(var).ty, Type::Pointer(_));
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
    printer.stmts(out, &nest.stmts);
    out.close("}");
    out.at(kernel.span);

    let groups = [0, 1, 2].map(|k| arguments.number(&format!("dims[{k}]")));
    let stretch = arguments.number("stretch");
    let parameters = arguments.parameters(&printer, body, &assigned);
    out.line("");
    out.line(arguments.definition());
    out.line("");
    out.open(format!("__kernel void {name}({}) {{", parameters.join(", ")));
    out.line(format!("const long {begin} = (long)get_global_id(0) * {stretch};"));
    out.line(format!("const long {end} = min({begin} + {stretch}, {});", groups.join(" * ")));
    out.line(format!("{name}_groups({});", values.join(", ")));
    out.close("}");
    out.at_none();
    Emission {
        entry: name.to_owned(),
        arguments: captures.iter().map(|&var| slots.argument(body, var)).collect(),
        hints: Hints::of(&LaunchHints { serial_items: true, coarsened: false }),
    }
}
