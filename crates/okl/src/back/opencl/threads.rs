//! A nest whose items are work-items, one for each item of a group, that meet at barriers.

use super::Entry;
use super::arguments::Arguments;
use crate::back::c_family::{self, Printer, ThreadWords, Threads};
use crate::back::signature::{Emission, Slots};
use crate::back::writer::Writer;
use crate::ir::Scalar;
use crate::passes::loops::Parallel;
use crate::passes::rewrite::Uses;
use crate::passes::threads::{self, ThreadForm};

const THREADS: ThreadWords = ThreadWords { barrier: "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);" };

/// Prints the entry of a nest.
pub(super) fn emit(entry: &Entry<'_>, out: &mut Writer<'_>, index: usize, slots: &Slots) -> Emission {
    let Entry { items, words, kernel, nest, .. } = *entry;
    let form = threads::of_nest(kernel, nest);
    let mut body = kernel.body.clone();
    let mut outermost = form.captures.clone();
    outermost.extend(nest.outer.iter().flatten().map(|axis| axis.var));
    outermost.extend(nest.shared.iter().chain(&nest.exclusive));
    c_family::restore_names(words.is_reserved, items.module, items.map, &mut body, &nest.stmts, &outermost);
    let first = c_family::fresh_number(items.module, &mut body, "first", nest.span);
    let groups =
        ["group_x", "group_y", "group_z"].map(|stem| c_family::fresh_number(items.module, &mut body, stem, nest.span));
    let arguments = Arguments::new(words, items.module, &mut body, &form.captures, nest.span);
    let numbers = [0, 1, 2].map(|axis| c_family::number_variable(&mut body, item_number(&form, axis), Scalar::I32));
    let name = c_family::entry_name(kernel, index);
    let (parallel, threads) = (Parallel::default(), Threads { words: &THREADS, form: &form, items: numbers });
    let mut printer = Printer::new(words, items.module, &body, &parallel, &items.needs).with_threads(&threads);
    let mut parameters = arguments.parameters(&printer, &body, &Uses::of(&nest.stmts).assigned);
    parameters.push(format!("const long3 {}", printer.name(first)));
    out.line("");
    out.at(kernel.span);
    out.open(format!("__kernel {}void {name}({}) {{", group_size(entry, &form), parameters.join(", ")));
    for (var, value) in arguments.pointers(&printer, &body) {
        out.line(format!("{} = {value};", printer.declarator(var)));
    }
    let indices = c_family::index_declarations(&body, &nest.outer, &groups, &nest.stmts);
    let used = Uses::of(&indices).mentioned;
    for (axis, &group) in groups.iter().enumerate().filter(|(_, group)| used.contains(group)) {
        let (group, first, part) = (printer.name(group), printer.name(first), ["x", "y", "z"][axis]);
        out.line(format!("const long {group} = {first}.{part} + (long)get_group_id({axis});"));
    }
    printer.stmts(out, &indices);
    for &var in &nest.shared {
        out.line(format!("{}{};", words.shared, printer.declarator(var)));
    }
    for &var in &nest.exclusive {
        out.line(format!("{};", printer.declarator(var)));
    }
    printer.stmts(out, &nest.stmts);
    out.close("}");
    out.at_none();
    Emission {
        entry: name,
        arguments: form.captures.iter().map(|&var| slots.argument(&body, var)).collect(),
        exclusive_bytes: 0,
        pairs: None,
        dynamic_shared_bytes: 0,
    }
}

/// The size of the groups, where it is known and the device has such.
fn group_size(entry: &Entry<'_>, form: &ThreadForm) -> String {
    match (form.block, form.max_threads) {
        (Some([x, y, z]), Some(threads)) if threads <= entry.features.max_group => {
            format!("__attribute__((reqd_work_group_size({x}, {y}, {z}))) ")
        }
        _ => String::new(),
    }
}

/// The number of an item along an axis, as an expression.
fn item_number(form: &ThreadForm, axis: usize) -> String {
    match form.block {
        Some(block) if block[axis] == 1 => "0".to_owned(),
        _ => format!("(int)get_local_id({axis})"),
    }
}
