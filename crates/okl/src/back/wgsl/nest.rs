//! Nests as entry points: arguments, the group's and item's numbers, statements.

use super::arguments::{Arguments, ArgumentsTable, Member};
use super::coarsened::Both;
use super::expr::Piece;
use super::interface::ROW;
use super::{Builtins, LaunchHints, Printer, Text, Threads, library, types};
use crate::back::namer::Locals;
use crate::back::signature::{Emission, Slots};
use crate::back::writer::Writer;
use crate::ir::{Builtin, Coarsened, Kernel, LaunchShape, Module, Nest, Scalar, Stmt, Type, VarId, for_regions};

use crate::target::Hints;
use std::collections::BTreeMap;

/// The components of a number of a group or item.
pub(super) const AXES: [&str; 3] = ["x", "y", "z"];

/// What is appended to an entry's name: for the entry whose groups run two groups, for the function of one item, which
/// both entries call, and for the sizes of the workgroup.
pub(super) const COMPANIONS: &[&str] = &["_coarsened", "_group", "_x", "_y", "_z"];

/// A nest ready to be printed.
pub(super) struct Prepared<'a> {
    kernel: &'a Kernel,
    nest: &'a Nest,
    /// Parameters and host variables that the nest reads, in order.
    captures: Vec<VarId>,
    /// Those that are copied at the start; the others are read where they lie.
    copies: Vec<VarId>,
    launch: LaunchShape,
    /// The structure of arguments.
    arguments: Arguments,
    /// The axes along which there may be more than one group.
    several: Vec<usize>,
}

impl<'a> Prepared<'a> {
    /// Decides the arguments of a nest.
    pub(super) fn new(module: &Module, table: &mut ArgumentsTable, kernel: &'a Kernel, nest: &'a Nest) -> Self {
        let body = &kernel.body;
        let captures = kernel.captures(nest);
        let several: Vec<usize> = first_axes(nest).collect();
        let arguments = table.arguments(module, body, &captures, &several, nest.coarsened.is_some());
        let copies = captures.iter().copied().filter(|&var| matches!(body.var(var).ty, Type::Struct(_))).collect();
        let launch = LaunchShape::of(module, body, nest);
        Self { kernel, nest, captures, copies, launch, arguments, several }
    }

    /// What the signature takes from the text.
    pub(super) fn emission(&self, entry: &str, slots: &Slots) -> Emission {
        let coarsened = self.nest.coarsened.as_ref().map(|_| coarsened_name(entry));
        Emission {
            entry: entry.to_owned(),
            arguments: self.captures.iter().map(|&var| slots.argument(&self.kernel.body, var)).collect(),
            hints: Hints::of(&LaunchHints { coarsened }),
        }
    }
}

/// The axes along which there may be more than one group.
fn first_axes(nest: &Nest) -> impl Iterator<Item = usize> {
    let several = |axis: &usize| nest.outer[*axis].as_ref().is_some_and(|axis| axis.count.as_int() != Some(1));
    (0..3).filter(several)
}

/// The entry whose groups run two groups.
fn coarsened_name(entry: &str) -> String {
    format!("{entry}_coarsened")
}

/// How the numbers of groups and items are spelled.
pub(super) struct Numbers<'a> {
    /// The built-in values.
    group: String,
    item: String,
    /// The variable that holds the arguments, and its members.
    args: &'a str,
    members: &'a [String],
    arguments: &'a Arguments,
    several: &'a [usize],
}

impl<'a> Numbers<'a> {
    fn new(text: &'a Text<'_>, prepared: &'a Prepared<'_>, locals: &mut Locals) -> Self {
        let [group, item] = ["group", "item"].map(|hint| locals.fresh(hint));
        let (args, members) = text.names.arguments(&prepared.arguments);
        Self { group, item, args, members, arguments: &prepared.arguments, several: &prepared.several }
    }

    /// `args.n`
    fn member(&self, member: Member) -> String {
        format!("{}.{}", self.args, self.members[self.arguments.position(member)])
    }

    /// The number of this group along an axis, counted from where the launch begins.
    fn counted(&self, axis: usize) -> String {
        let (group, number) = (&self.group, AXES[axis]);
        // Groups along one axis lie in rows: see `interface::ROW`.
        if self.several == [0] { format!("{group}.x + {ROW} * {group}.y") } else { format!("{group}.{number}") }
    }

    /// The same among all groups; nothing asks for it where there is but one.
    fn absolute(&self, axis: usize) -> Piece {
        if !self.several.contains(&axis) {
            return Piece::primary("0u");
        }
        Piece::sum(format!("{} + {}", self.counted(axis), self.member(Member::First(axis))))
    }

    /// The first of this group's pair along axis 0.
    pub(super) fn first_of_pair(&self) -> String {
        format!("{} + 2 * ({})", self.member(Member::First(0)), self.counted(0))
    }

    /// The builtin values of one item; `is_told`: it is told its group.
    fn of_item(&self, is_told: bool) -> Builtins {
        let group = |axis: usize| match is_told {
            true => Piece::primary(format!("{}.{}", self.group, AXES[axis])),
            false => self.absolute(axis),
        };
        self.with_groups([0, 1, 2].map(group))
    }

    /// The builtin values of two items, given the names of their groups along axis 0.
    pub(super) fn of_pair(&self, [first, next]: [String; 2]) -> Builtins {
        let mut builtins = self.with_groups([Piece::primary(first), self.absolute(1), self.absolute(2)]);
        builtins.insert(Builtin::NextGroup, Piece::primary(next));
        builtins.insert(Builtin::GroupEnd, Piece::primary(self.member(Member::End)));
        builtins
    }

    fn with_groups(&self, groups: [Piece; 3]) -> Builtins {
        let mut builtins = Builtins::new();
        for ((axis, part), group) in (0..).zip(AXES).zip(groups) {
            builtins.insert(Builtin::Group(axis), group);
            builtins.insert(Builtin::Item(axis), Piece::primary(format!("{}.{part}", self.item)));
        }
        for (position, member) in self.arguments.starts() {
            builtins.insert(Builtin::Start(position), Piece::primary(self.member(member)));
        }
        builtins
    }

    /// The values of captured variables that are read where they lie, and of those that are copied.
    fn values(&self, text: &Text<'_>, prepared: &Prepared<'_>) -> Values {
        let (mut values, body) = (Values::default(), &prepared.kernel.body);
        let is_value = |var: &&VarId| !matches!(body.var(**var).ty, Type::Pointer(_));
        for &var in prepared.captures.iter().filter(is_value) {
            let member = self.member(Member::Value(var));
            let ty = &body.var(var).ty;
            let value = match ty.scalar() {
                Some(Scalar::Bool) => Piece::comparison(format!("{member} != 0u")),
                None if !types::is_native(text.module, ty) => Piece::primary(struct_of_words(text, &member, 0, ty)),
                _ => Piece::primary(member),
            };
            if prepared.copies.contains(&var) {
                values.copied.push((var, value.text));
            } else {
                values.in_place.insert(var, value);
            }
        }
        values
    }

    /// The built-in values that an entry reads, as its parameters.
    fn parameters(&self, reads_group: bool, reads_item: bool) -> String {
        let group = reads_group.then(|| format!("@builtin(workgroup_id) {}: vec3<u32>", self.group));
        let item = reads_item.then(|| format!("@builtin(local_invocation_id) {}: vec3<u32>", self.item));
        group.into_iter().chain(item).collect::<Vec<_>>().join(", ")
    }
}

/// The values of captured variables.
#[derive(Default)]
struct Values {
    in_place: BTreeMap<VarId, Piece>,
    copied: Vec<(VarId, String)>,
}

/// Prints a nest's entry points.
pub(super) fn print(text: &Text<'_>, out: &mut Writer<'_>, name: &str, prepared: &Prepared<'_>) {
    let Prepared { kernel, nest, .. } = *prepared;
    let sizes = match prepared.launch.block() {
        Some([x, y, z]) => [x, y, z].map(|size| size.max(1).to_string()),
        None => AXES.map(|axis| format!("{name}_{axis}")),
    };
    if prepared.launch.block().is_none() {
        out.line("");
        out.at(kernel.span);
        sizes.iter().for_each(|size| out.line(format!("override {size}: u32 = 1u;")));
        out.at_none();
    }
    let mut locals = locals(text, prepared, &nest.stmts);
    let numbers = Numbers::new(text, prepared, &mut locals);
    let any_number = || library::any_number(&text.needs.borrow());
    let entry = |out: &mut Writer<'_>, name: &str, parameters: String, code: Writer<'_>| {
        out.line("");
        out.at(kernel.span);
        out.line(format!("@compute @workgroup_size({})", sizes.join(", ")));
        out.line(format!("fn {name}({parameters}) {{"));
        if let Some(variable) = any_number() {
            out.indented(|out| out.line(format!("{variable} = {}.x;", numbers.group)));
        }
        out.append(code);
        out.line("}");
        out.at_none();
    };
    let mut of_item = Writer::new(text.map);
    let builtins = numbers.of_item(nest.coarsened.is_some());
    let values = numbers.values(text, prepared);
    let printer = printer(text, prepared, (&locals, &builtins, &values));
    of_item.indented(|out| {
        beginning(text, nest, &printer, &values, out);
        printer.stmts(out, &nest.stmts);
    });
    let Some(coarsened) = &nest.coarsened else {
        let used = printer.used.borrow();
        let reads = |of: fn(&Builtin) -> bool| used.iter().any(of);
        let reads_group = any_number().is_some() || reads(|of| matches!(of, Builtin::Group(_)));
        let parameters = numbers.parameters(reads_group, reads(|of| matches!(of, Builtin::Item(_))));
        return entry(out, name, parameters, of_item);
    };
    let function = format!("{name}_group");
    out.line("");
    out.at(kernel.span);
    out.line(format!("fn {function}({}: vec3<u32>, {}: vec3<u32>) {{", numbers.group, numbers.item));
    out.append(of_item);
    out.line("}");
    out.at_none();
    let call = |numbers: &Numbers<'_>, x: &str| {
        let [y, z] = [1, 2].map(|axis| numbers.absolute(axis).text);
        format!("{function}(vec3<u32>({x}, {y}, {z}), {});", numbers.item)
    };
    let mut single = Writer::new(text.map);
    single.indented(|out| out.line(call(&numbers, &numbers.absolute(0).text)));
    entry(out, name, numbers.parameters(true, true), single);
    let (both, parameters) = print_pair(text, prepared, coarsened, &call);
    entry(out, &coarsened_name(name), parameters, both);
}

/// The inside of the entry whose groups run two groups, and its parameters.
fn print_pair<'m>(
    text: &Text<'m>,
    prepared: &Prepared<'_>,
    coarsened: &Coarsened,
    call: &dyn Fn(&Numbers<'_>, &str) -> String,
) -> (Writer<'m>, String) {
    let mut locals = locals(text, prepared, &coarsened.all());
    let (numbers, groups) = (Numbers::new(text, prepared, &mut locals), Both::new(&mut locals));
    let (builtins, values) = (groups.builtins(&numbers), numbers.values(text, prepared));
    let printer = printer(text, prepared, (&locals, &builtins, &values));
    let mut both = Writer::new(text.map);
    both.indented(|out| {
        beginning(text, prepared.nest, &printer, &values, out);
        groups.print(out, &printer, &numbers, coarsened, &|x| call(&numbers, x));
    });
    (both, numbers.parameters(true, true))
}

/// The spellings of the variables of a nest's statements.
fn locals(text: &Text<'_>, prepared: &Prepared<'_>, stmts: &[Stmt]) -> Locals {
    let body = &prepared.kernel.body;
    let outermost = prepared.copies.iter().chain(&prepared.nest.shared).chain(&prepared.nest.exclusive).copied();
    text.names.module.locals(body, text.given(body, stmts), outermost, stmts)
}

fn printer<'b>(
    text: &'b Text<'_>,
    prepared: &'b Prepared<'_>,
    (locals, builtins, values): (&'b Locals, &'b Builtins, &'b Values),
) -> Printer<'b> {
    let (body, stmts) = (&prepared.kernel.body, &prepared.nest.stmts);
    let mut regions = 0;
    for_regions(stmts, &mut |_| regions += 1);
    let block = prepared.launch.block().map(|block| block.map(|size| size.max(1)));
    let threads = Some(Threads { regions, block, stmts, storage_writers: &text.storage_writers });
    Printer { builtins, values: &values.in_place, threads, ..text.printer(body, locals) }
}

/// What stands before a nest's statements.
fn beginning(text: &Text<'_>, nest: &Nest, printer: &Printer<'_>, values: &Values, out: &mut Writer<'_>) {
    for (var, value) in &values.copied {
        out.line(format!("var {} = {value};", printer.name(*var)));
    }
    // What of shared memory is left: registers.
    for &var in &nest.shared {
        if let Type::Array(element, _) = &printer.body.var(var).ty {
            out.line(format!("var {}: {};", printer.name(var), types::name(&text.names.module, element)));
        }
    }
    for &var in &nest.exclusive {
        let ty = types::name(&text.names.module, &printer.body.var(var).ty);
        out.line(format!("var {}: {ty};", printer.name(var)));
    }
}

/// A struct with narrow fields from the words that it travels in.
fn struct_of_words(text: &Text<'_>, words: &str, offset: u64, ty: &Type) -> String {
    let module = text.module;
    match ty {
        Type::Struct(id) => {
            let definition = &module.structs[id.0 as usize];
            let parts: Vec<String> = definition
                .fields
                .iter()
                .map(|field| struct_of_words(text, words, offset + field.offset as u64, &field.ty))
                .collect();
            format!("{}({})", text.names.module.structure(*id), parts.join(", "))
        }
        Type::Array(element, _) => {
            let bytes = crate::ir::bytes_of(module, element);
            let parts: Vec<String> =
                (0..ty.len()).map(|k| struct_of_words(text, words, offset + k * bytes, element)).collect();
            format!("{}({})", types::name(&text.names.module, ty), parts.join(", "))
        }
        Type::Scalar(ty) => {
            let word = format!("{words}[{}]", offset / 4);
            let (shift, bits) = (8 * (offset % 4), 8 * ty.bytes());
            let name = types::scalar(*ty);
            match ty.held_as() {
                Scalar::Bool => format!("(extractBits({word}, {shift}u, 8u) != 0u)"),
                Scalar::I8 | Scalar::I16 => format!("extractBits(bitcast<i32>({word}), {shift}u, {bits}u)"),
                Scalar::U8 | Scalar::U16 => format!("extractBits({word}, {shift}u, {bits}u)"),
                Scalar::U32 => word,
                Scalar::I32 | Scalar::F32 => format!("bitcast<{name}>({word})"),
                _ => {
                    let next = format!("{words}[{}]", offset / 4 + 1);
                    let bits = format!("(u64({word}) | (u64({next}) << 32u))");
                    if *ty == Scalar::U64 { bits } else { format!("bitcast<{name}>{bits}") }
                }
            }
        }
        Type::Void | Type::Pointer(_) => unreachable!("a value has a type"),
    }
}
