//! Nests as entry points: arguments, the group's and item's numbers, statements.

use super::arguments::{Arguments, ArgumentsTable, Member};
use super::coarsened::{self, Both};
use super::expr::Piece;
use super::interface::ROW;
use super::memory::root_at;
use super::{Builtins, LaunchHints, Printer, Text, Threads, types};
use crate::back::namer::Locals;
use crate::back::signature::{Emission, Slots};
use crate::back::writer::Writer;
use crate::ir::{Body, Builtin, Kernel, LaunchShape, Module, Nest, Role, Scalar, Stmt, Type, Uses, VarId, for_regions};
use crate::passes::specialise_pointers::{RootId, RootSpace, Specialiser};
use crate::target::Hints;
use std::collections::BTreeMap;

/// The components of a number of a group or item.
pub(super) const AXES: [&str; 3] = ["x", "y", "z"];

/// What is appended to an entry's name: for the entry whose groups run two groups, for the function of one item, which
/// both entries call, and for the sizes of the workgroup.
pub(super) const COMPANIONS: &[&str] = &["_pairs", "_group", "_x", "_y", "_z"];

/// A nest ready to be printed.
pub(super) struct Prepared {
    /// What an item does.
    code: Rooted,
    /// What the items of two groups do, where that pays.
    pair: Option<Rooted>,
    /// Parameters and host variables that the nest reads, in order.
    captures: Vec<VarId>,
    launch: LaunchShape,
    /// The structure of arguments.
    arguments: Arguments,
    /// The axes along which there may be more than one group.
    several: Vec<usize>,
}

/// Statements whose pointers are names.
struct Rooted {
    body: Body,
    stmts: Vec<Stmt>,
    roots: BTreeMap<VarId, RootId>,
    /// Captured values that are copied at the start; the others are read where they lie.
    copies: Vec<VarId>,
}

impl Prepared {
    /// What the signature takes from the text.
    pub(super) fn emission(&self, entry: &str, slots: &Slots) -> Emission {
        let arguments = self.captures.iter().map(|&var| slots.argument(&self.code.body, var)).collect();
        Emission {
            entry: entry.to_owned(),
            arguments,
            hints: Hints::of(&LaunchHints { coarsened: self.pair.as_ref().map(|_| pairs_name(entry)) }),
        }
    }
}

/// Decides the memory of a nest.
pub(super) fn prepare(
    module: &Module,
    specialiser: &mut Specialiser<'_>,
    table: &mut ArgumentsTable,
    (kernel, nest): (&Kernel, &Nest),
) -> Prepared {
    let launch = LaunchShape::of(module, &kernel.body, nest);
    let captures = kernel.captures(nest);
    let several: Vec<usize> = first_axes(nest).collect();
    let arguments = table.arguments(module, &kernel.body, &captures, &several, nest.coarsened.is_some());
    let mut root = |stmts: Vec<Stmt>| rooted(specialiser, nest, &captures, &kernel.body, stmts);
    let code = root(nest.stmts.clone());
    let pair = nest.coarsened.clone().map(|of| root(coarsened::stmts(of)));
    Prepared { code, pair, captures, launch, arguments, several }
}

/// Finds where captured values and memory are.
fn rooted(specialiser: &mut Specialiser<'_>, nest: &Nest, captures: &[VarId], body: &Body, stmts: Vec<Stmt>) -> Rooted {
    let uses = Uses::of(&stmts);
    let is_copied = |&var: &VarId| match &body.var(var).ty {
        Type::Pointer(_) => false,
        ty => ty.scalar().is_none() || uses.assigned.contains(&var) || uses.addressed.contains(&var),
    };
    let copies = captures.iter().copied().filter(is_copied).collect();
    let rooted = specialiser.nest(nest, body, stmts);
    Rooted { body: body.clone(), stmts: rooted.stmts, roots: rooted.roots, copies }
}

/// The axes along which there may be more than one group.
fn first_axes(nest: &Nest) -> impl Iterator<Item = usize> {
    let several = |axis: &usize| nest.outer[*axis].as_ref().is_some_and(|axis| axis.count.as_int() != Some(1));
    (0..3).filter(several)
}

/// The entry whose groups run two groups.
fn pairs_name(entry: &str) -> String {
    format!("{entry}_pairs")
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
    fn new(text: &'a Text<'_>, prepared: &'a Prepared, locals: &mut Locals) -> Self {
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
    fn values(&self, text: &Text<'_>, code: &Rooted, captures: &[VarId]) -> Values {
        let mut values = Values::default();
        for &var in captures.iter().filter(|&&var| !matches!(code.body.var(var).ty, Type::Pointer(_))) {
            let member = self.member(Member::Value(var));
            let ty = &code.body.var(var).ty;
            let value = match ty.scalar() {
                Some(Scalar::Bool) => Piece::comparison(format!("{member} != 0u")),
                None if !types::is_native(text.module, ty) => Piece::primary(struct_of_words(text, &member, 0, ty)),
                _ => Piece::primary(member),
            };
            if code.copies.contains(&var) {
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
pub(super) fn print(
    text: &Text<'_>,
    out: &mut Writer<'_>,
    (kernel, nest): (&Kernel, &Nest),
    name: &str,
    prepared: &Prepared,
) {
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
    let entry = |out: &mut Writer<'_>, name: &str, parameters: String, code: Writer<'_>| {
        out.line("");
        out.at(kernel.span);
        out.line(format!("@compute @workgroup_size({})", sizes.join(", ")));
        out.line(format!("fn {name}({parameters}) {{"));
        out.append(code);
        out.line("}");
        out.at_none();
    };
    let code = &prepared.code;
    let mut locals = locals(text, nest, code);
    let numbers = Numbers::new(text, prepared, &mut locals);
    let mut of_item = Writer::new(text.map);
    let builtins = numbers.of_item(prepared.pair.is_some());
    let values = numbers.values(text, code, &prepared.captures);
    let printer = printer(text, code, (&locals, &builtins, &values));
    of_item.indented(|out| {
        beginning(text, nest, &printer, &values, out);
        printer.stmts(out, &code.stmts);
    });
    let Some(pair) = &prepared.pair else {
        let used = printer.used.borrow();
        let reads = |of: fn(&Builtin) -> bool| used.iter().any(of);
        let parameters =
            numbers.parameters(reads(|of| matches!(of, Builtin::Group(_))), reads(|of| matches!(of, Builtin::Item(_))));
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
    let (both, parameters) = print_pair(text, nest, prepared, pair, &call);
    entry(out, &pairs_name(name), parameters, both);
}

/// The inside of the entry whose groups run two groups, and its parameters.
fn print_pair<'m>(
    text: &Text<'m>,
    nest: &Nest,
    prepared: &Prepared,
    pair: &Rooted,
    call: &dyn Fn(&Numbers<'_>, &str) -> String,
) -> (Writer<'m>, String) {
    let mut locals = locals(text, nest, pair);
    let (numbers, groups) = (Numbers::new(text, prepared, &mut locals), Both::new(&mut locals));
    let (builtins, values) = (groups.builtins(&numbers), numbers.values(text, pair, &prepared.captures));
    let printer = printer(text, pair, (&locals, &builtins, &values));
    let mut both = Writer::new(text.map);
    both.indented(|out| {
        beginning(text, nest, &printer, &values, out);
        groups.print(out, &printer, &numbers, &pair.stmts, &|x| call(&numbers, x));
    });
    (both, numbers.parameters(true, true))
}

/// The spellings of the variables of a nest's statements.
fn locals(text: &Text<'_>, nest: &Nest, code: &Rooted) -> Locals {
    let given = text.given(&code.body, &code.roots);
    let outermost = code.copies.iter().chain(&nest.exclusive).copied();
    text.names.module.locals(&code.body, given, outermost, &code.stmts)
}

fn printer<'b>(
    text: &'b Text<'_>,
    code: &'b Rooted,
    (locals, builtins, values): (&'b Locals, &'b Builtins, &'b Values),
) -> Printer<'b> {
    let writes_storage = code.roots.values().any(|&id| {
        let root = root_at(&text.names.roots, id);
        root.written && matches!(root.space, RootSpace::Storage(_))
    });
    let mut regions = 0;
    for_regions(&code.stmts, &mut |_| regions += 1);
    Printer {
        builtins,
        values: &values.in_place,
        threads: Some(Threads { regions, writes_storage }),
        ..text.printer(&code.body, locals, &code.roots)
    }
}

/// What stands before a nest's statements.
fn beginning(text: &Text<'_>, nest: &Nest, printer: &Printer<'_>, values: &Values, out: &mut Writer<'_>) {
    let (body, roots) = (printer.body, printer.roots_of);
    for (var, value) in &values.copied {
        let declared = if roots.contains_key(var) { "" } else { "var " };
        out.line(format!("{declared}{} = {value};", printer.name(*var)));
    }
    for &var in nest.exclusive.iter().filter(|var| !roots.contains_key(var)) {
        debug_assert!(body.var(var).role == Role::Exclusive);
        out.line(format!("var {}: {};", printer.name(var), types::name(&text.names.module, &body.var(var).ty)));
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
