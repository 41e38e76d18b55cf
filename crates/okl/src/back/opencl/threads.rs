//! A nest whose items are work-items, one for each item of a group, that meet at barriers.

use super::arguments::{Arguments, Numbers};
use super::{Entry, LaunchHints};
use crate::back::c_family::{self, Builtins, PRIMARY, Printer, TypedText, UNARY};
use crate::back::namer::Locals;
use crate::back::signature::{Emission, Slots};
use crate::back::writer::Writer;
use crate::ir::{Body, Builtin, Coarsened, LaunchShape, Scalar, Uses, VarId};
use crate::passes::simt;
use crate::target::Hints;

/// Numbers of groups and items.
pub(super) const THREADS: simt::Threads =
    simt::Threads { group: Scalar::I64, item: Scalar::I32, subgroups: simt::Subgroups::Apart, closes: true };

/// Prints the entry of a nest: what a work-item does stands in the entry itself or, where groups are coarsened too, in
/// a function of its own.
pub(super) fn emit(entry: &Entry<'_>, out: &mut Writer<'_>, slots: &Slots) -> Emission {
    let Entry { items, kernel, nest, .. } = *entry;
    let (body, captures) = (&kernel.body, kernel.captures(nest));
    let launch = LaunchShape::of(items.module, body, nest);
    let of_item = OfItem { entry, captures: &captures, launch: &launch, body };
    out.line("");
    out.at(kernel.span);
    match &nest.coarsened {
        Some(coarsened) => {
            of_item.function(out);
            out.line("");
            of_item.coarsened(out, coarsened);
        }
        None => of_item.kernel(out),
    }
    out.at_none();
    Emission {
        entry: entry.name.to_owned(),
        arguments: captures.iter().map(|&var| slots.argument(body, var)).collect(),
        hints: Hints::of(&LaunchHints { serial_items: false, coarsened: nest.coarsened.is_some() }),
    }
}

/// The names that a function adds to those of the kernel.
struct NumberNames {
    groups: [String; 3],
    next: String,
    first: String,
    end: String,
}

impl NumberNames {
    fn new(locals: &mut Locals) -> Self {
        let groups = ["group_x", "group_y", "group_z"].map(|hint| locals.fresh(hint));
        let [next, first, end] = ["next_x", "first", "end"].map(|hint| locals.fresh(hint));
        Self { groups, next, first, end }
    }

    fn builtins(&self, launch: &LaunchShape) -> Builtins {
        let name = |name: &str| TypedText::new(name, PRIMARY, THREADS.group);
        let numbers = [(Builtin::NextGroup, name(&self.next)), (Builtin::GroupEnd, name(&self.end))];
        let axes = (0..).zip(&self.groups).flat_map(|(axis, group)| {
            [(Builtin::Group(axis), name(group)), (Builtin::Item(axis), item_number(launch, axis))]
        });
        numbers.into_iter().chain(axes).collect()
    }
}

/// What a work-item does for one item of one group.
struct OfItem<'a> {
    entry: &'a Entry<'a>,
    captures: &'a [VarId],
    launch: &'a LaunchShape,
    body: &'a Body,
}

impl OfItem<'_> {
    /// The spellings where the nest's own statements stand.
    fn locals(&self) -> (Locals, NumberNames) {
        let nest = self.entry.nest;
        let outermost = self.captures.iter().chain(&nest.shared).chain(&nest.exclusive).copied();
        let mut locals = self.entry.items.locals(self.body, outermost, &nest.stmts);
        let numbers = NumberNames::new(&mut locals);
        (locals, numbers)
    }

    /// As a function that is told its group.
    fn function(&self, out: &mut Writer<'_>) {
        let Entry { items, words, nest, name, .. } = *self.entry;
        let (locals, numbers) = self.locals();
        let builtins = numbers.builtins(self.launch);
        let mut printer = Printer::new(items, self.body, &locals, &builtins);
        let values = self.captures.iter().map(|&var| printer.declarator(var));
        let groups = numbers.groups.iter().map(|group| format!("const long {group}"));
        let parameters: Vec<String> = values.chain(groups).collect();
        out.open(format!("{}void {name}_group({}) {{", words.function, parameters.join(", ")));
        printer.nest(out, &nest.stmts);
        out.close("}");
    }

    /// As the entry itself.
    fn kernel(&self, out: &mut Writer<'_>) {
        let Entry { items, words, nest, .. } = *self.entry;
        let (mut locals, numbers) = self.locals();
        let arguments = self.arguments(&mut locals);
        let builtins = numbers.builtins(self.launch);
        let mut printer = Printer::new(items, self.body, &locals, &builtins);
        self.open(out, &printer, &arguments, &numbers, false);
        let used = Uses::of(&nest.stmts).builtins;
        for (axis, group) in (0..).zip(&numbers.groups).filter(|(axis, _)| used.contains(&Builtin::Group(*axis))) {
            let part = ["x", "y", "z"][usize::from(axis)];
            out.line(format!("const long {group} = {}.{part} + (long)get_group_id({axis});", numbers.first));
        }
        for &var in &nest.shared {
            out.line(format!("{}{};", words.shared, printer.declarator(var)));
        }
        for &var in &nest.exclusive {
            out.line(format!("{};", printer.declarator(var)));
        }
        printer.nest(out, &nest.stmts);
        out.close("}");
    }

    /// The entry that runs two groups; with an `end` of 0 each work-group runs one.
    fn coarsened(&self, out: &mut Writer<'_>, of: &Coarsened) {
        let Entry { items, name, .. } = *self.entry;
        let captures = self.captures;
        let mut locals = items.locals(self.body, captures.iter().copied(), &of.all());
        let numbers = NumberNames::new(&mut locals);
        let arguments = self.arguments(&mut locals);
        let builtins = numbers.builtins(self.launch);
        let mut printer = Printer::new(items, self.body, &locals, &builtins);
        self.open(out, &printer, &arguments, &numbers, true);
        let NumberNames { groups: [x, y, z], next, first, end } = &numbers;
        out.line(format!("const long {x} = {first}.x + (long)get_group_id(0) * ({end} > 0 ? 2 : 1);"));
        out.line(format!("const long {y} = {first}.y + (long)get_group_id(1);"));
        out.line(format!("const long {z} = {first}.z + (long)get_group_id(2);"));
        out.line(format!("const long {next} = {x} + 1;"));
        let values: String = captures.iter().map(|&var| format!("{}, ", printer.name(var))).collect();
        let calls = [x, next].map(|x| format!("{name}_group({values}{x}, {y}, {z});"));
        c_family::coarsened(&mut printer, out, of, THREADS.group, calls);
        out.close("}");
    }

    fn arguments(&self, locals: &mut Locals) -> Arguments<'_> {
        let Entry { items, words, name, .. } = *self.entry;
        Arguments::new(items, words, self.body, locals, self.captures, (name, Numbers::Each))
    }

    /// The entry's head, and its pointers.
    fn open(
        &self,
        out: &mut Writer<'_>,
        printer: &Printer<'_>,
        arguments: &Arguments<'_>,
        numbers: &NumberNames,
        is_coarsened: bool,
    ) {
        let assigned = Uses::of(&self.entry.nest.stmts).assigned;
        let mut parameters = arguments.parameters(printer, self.body, &assigned);
        parameters.push(format!("const long3 {}", numbers.first));
        parameters.extend(is_coarsened.then(|| format!("const long {}", numbers.end)));
        let size = group_size(self.entry, self.launch);
        out.open(format!("__kernel {size}void {}({}) {{", self.entry.name, parameters.join(", ")));
        for (var, value) in arguments.pointers(printer, self.body) {
            out.line(format!("{} = {value};", printer.declarator(var)));
        }
    }
}

/// The size of the groups, where it is known and the device has such.
fn group_size(entry: &Entry<'_>, launch: &LaunchShape) -> String {
    match (launch.block(), simt::max_threads(entry.kernel, launch)) {
        (Some([x, y, z]), Some(threads)) if threads <= entry.features.max_group => {
            format!("__attribute__((reqd_work_group_size({x}, {y}, {z}))) ")
        }
        _ => String::new(),
    }
}

/// The number of an item along an axis.
fn item_number(launch: &LaunchShape, axis: u8) -> TypedText {
    match launch.block() {
        Some(block) if block[usize::from(axis)] == 1 => TypedText::new("0", PRIMARY, THREADS.item),
        _ => TypedText::new(format!("(int)get_local_id({axis})"), UNARY, THREADS.item),
    }
}
