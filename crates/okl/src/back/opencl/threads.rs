//! A nest whose items are work-items, one for each item of a group, that meet at barriers.

use super::arguments::{Arguments, Numbers};
use super::{Entry, LaunchHints};
use crate::back::c_family::{self, Printer, SimtLanguage, Threads};
use crate::back::signature::{Emission, Slots};
use crate::back::writer::Writer;
use crate::ir::Uses;
use crate::ir::{Body, Scalar, Stmt, StmtKind, VarId};
use crate::passes::coarsen;
use crate::passes::loops::Parallel;
use crate::passes::simt::{self, SimtForm};
use crate::target::Hints;

const THREADS: SimtLanguage =
    SimtLanguage { barrier: "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);", closes: true };

/// Prints the entry of a nest: what a work-item does stands in the entry itself or, where groups are run in pairs too, in
/// a function of its own.
pub(super) fn emit(entry: &Entry<'_>, out: &mut Writer<'_>, index: usize, slots: &Slots) -> Emission {
    let Entry { items, words, kernel, nest, .. } = *entry;
    let form = simt::of_nest(kernel, nest);
    let mut body = kernel.body.clone();
    let mut outermost = form.captures.clone();
    outermost.extend(nest.outer.iter().flatten().map(|axis| axis.var));
    outermost.extend(nest.shared.iter().chain(&nest.exclusive));
    c_family::restore_names(words.is_reserved, items.module, items.map, &mut body, &nest.stmts, &outermost);
    let groups =
        ["group_x", "group_y", "group_z"].map(|stem| c_family::fresh_number(items.module, &mut body, stem, nest.span));
    let name = c_family::entry_name(kernel, index);
    let first = c_family::fresh_number(items.module, &mut body, "first", nest.span);
    let arguments = Arguments::new(words, items.module, &mut body, &form.captures, (&name, Numbers::Each), nest.span);
    let numbers = [0, 1, 2].map(|axis| c_family::number_variable(&mut body, item_number(&form, axis), Scalar::I32));
    let (parallel, threads) = (Parallel::default(), Threads { words: &THREADS, form: &form, items: numbers });
    let outer = c_family::index_declarations(&body, &nest.outer, &groups, &nest.stmts);
    let pair = Pair::of(entry, &mut body, &groups, &numbers, &outer);
    let mut printer = Printer::new(words, items.module, &body, &parallel, &items.needs).with_threads(&threads);
    let assigned = Uses::of(&nest.stmts).assigned;
    out.line("");
    out.at(kernel.span);
    if pair.is_some() {
        let values = form.captures.iter().map(|&var| printer.declarator(var));
        let numbers = groups.iter().map(|&group| format!("const long {}", printer.name(group)));
        let parameters: Vec<String> = values.chain(numbers).collect();
        out.open(format!("{}void {name}_group({}) {{", words.function, parameters.join(", ")));
        printer.stmts(out, &outer);
        printer.nest(out, &nest.stmts);
        out.close("}");
        out.line("");
    }
    let mut parameters = arguments.parameters(&printer, &body, &assigned);
    parameters.push(format!("const long3 {}", printer.name(first)));
    parameters.extend(pair.iter().map(|pair| format!("const long {}", printer.name(pair.end))));
    out.open(format!("__kernel {}void {name}({}) {{", group_size(entry, &form), parameters.join(", ")));
    for (var, value) in arguments.pointers(&printer, &body) {
        out.line(format!("{} = {value};", printer.declarator(var)));
    }
    match &pair {
        Some(pair) => pair.print(out, &mut printer, &form, &name, first),
        None => {
            let used = Uses::of(&outer).mentioned;
            for (axis, &group) in groups.iter().enumerate().filter(|(_, group)| used.contains(group)) {
                let (group, first, part) = (printer.name(group), printer.name(first), ["x", "y", "z"][axis]);
                out.line(format!("const long {group} = {first}.{part} + (long)get_group_id({axis});"));
            }
            printer.stmts(out, &outer);
            for &var in &nest.shared {
                out.line(format!("{}{};", words.shared, printer.declarator(var)));
            }
            for &var in &nest.exclusive {
                out.line(format!("{};", printer.declarator(var)));
            }
            printer.nest(out, &nest.stmts);
        }
    }
    out.close("}");
    out.at_none();
    Emission {
        entry: name,
        arguments: form.captures.iter().map(|&var| slots.argument(&body, var)).collect(),
        hints: Hints::of(&LaunchHints { serial_items: false, coarsened: pair.is_some() }),
    }
}

/// Two groups along axis 0 side by side, with the names that this takes.
struct Pair {
    groups: [VarId; 3],
    next: VarId,
    end: VarId,
    items: coarsen::Pair,
}

impl Pair {
    /// Where it pays, see [`coarsen`].
    fn of(entry: &Entry<'_>, body: &mut Body, groups: &[VarId; 3], items: &[VarId; 3], outer: &[Stmt]) -> Option<Self> {
        let nest = entry.nest;
        let StmtKind::Inner(region) = &nest.stmts.last()?.kind else { return None };
        let [next, end] =
            ["next_x", "end"].map(|stem| c_family::fresh_number(entry.items.module, body, stem, nest.span));
        let inner = c_family::index_declarations(body, &region.axes, items, &region.body);
        let nexts = [next, groups[1], groups[2]];
        let items = coarsen::of_nest(body, nest, (outer.to_vec(), inner), groups, &nexts)?;
        Some(Self { groups: *groups, next, end, items })
    }

    /// The inside of the entry. With an `end` of 0 each work-group runs one group.
    fn print(&self, out: &mut Writer<'_>, printer: &mut Printer<'_>, form: &SimtForm, name: &str, first: VarId) {
        let [x, y, z] = self.groups.map(|group| printer.name(group).to_owned());
        let [next, end, first] = [self.next, self.end, first].map(|var| printer.name(var).to_owned());
        out.line(format!("const long {x} = {first}.x + (long)get_group_id(0) * ({end} > 0 ? 2 : 1);"));
        out.line(format!("const long {y} = {first}.y + (long)get_group_id(1);"));
        out.line(format!("const long {z} = {first}.z + (long)get_group_id(2);"));
        out.line(format!("const long {next} = {x} + 1;"));
        let values: String = form.captures.iter().map(|&var| format!("{}, ", printer.name(var))).collect();
        let calls = [&x, &next].map(|x| format!("{name}_group({values}{x}, {y}, {z});"));
        c_family::pair(printer, out, &self.items, &format!("{next} < {end}"), calls);
    }
}

/// The size of the groups, where it is known and the device has such.
fn group_size(entry: &Entry<'_>, form: &SimtForm) -> String {
    match (form.block, form.max_threads) {
        (Some([x, y, z]), Some(threads)) if threads <= entry.features.max_group => {
            format!("__attribute__((reqd_work_group_size({x}, {y}, {z}))) ")
        }
        _ => String::new(),
    }
}

/// The number of an item along an axis, as an expression.
fn item_number(form: &SimtForm, axis: usize) -> String {
    match form.block {
        Some(block) if block[axis] == 1 => "0".to_owned(),
        _ => format!("(int)get_local_id({axis})"),
    }
}
