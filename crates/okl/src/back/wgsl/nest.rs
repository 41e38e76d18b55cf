//! Nests as entry points: arguments, the group's and item's numbers, statements.

use super::coarsened::{self, Both, Pair};
use super::interface::{Layout, ROW};
use super::memory::root_at;
use super::types;
use super::{Features, LaunchHints, Printer, Text, Threads, restore_names};
use crate::back::c_family::{self, index_declarations, number_variable};
use crate::back::signature::{Emission, Slots};
use crate::back::writer::Writer;
use crate::ir::Uses;
use crate::ir::rewrite::for_regions_mut;
use crate::ir::{Body, Kernel, Module, Nest, Role, Scalar, Stmt, Type, VarId};
use crate::passes::simt::{self, SimtForm};
use crate::passes::specialise_pointers::{RootId, RootSpace, Specialiser};
use crate::target::Hints;
use crate::{
    ir::build,
    passes::{exit_flags, hoist_loads},
};
use std::collections::BTreeMap;

/// The components of a number of a group or item.
pub(super) const AXES: [&str; 3] = ["x", "y", "z"];

/// The structures of arguments of a text. Nests with the same values share one.
#[derive(Default)]
pub(super) struct ArgumentsTable {
    entries: Vec<Arguments>,
}

struct Arguments {
    /// Name of the variable.
    name: String,
    /// Name of its type.
    ty: String,
    fields: Vec<String>,
    bytes: u32,
}

impl ArgumentsTable {
    /// The variable that holds these fields.
    fn variable(&mut self, specialiser: &mut Specialiser<'_>, fields: Vec<String>, bytes: u32) -> String {
        if let Some(known) = self.entries.iter().find(|known| known.fields == fields) {
            return known.name.clone();
        }
        let (name, ty) = (specialiser.reserve("args"), specialiser.reserve("Args"));
        self.entries.push(Arguments { name: name.clone(), ty, fields, bytes });
        name
    }

    /// Definitions and declarations.
    pub(super) fn lines(&self, features: &Features) -> Vec<String> {
        let mut lines = Vec::new();
        for Arguments { name, ty, fields, bytes } in self.entries.iter().filter(|entry| entry.bytes > 0) {
            lines.push(format!("struct {ty} {{"));
            lines.extend(fields.iter().map(|field| format!("    {field},")));
            lines.push("}".into());
            lines.push(String::new());
            lines.push(if *bytes <= features.immediate_bytes {
                format!("var<immediate> {name}: {ty};")
            } else {
                format!("@group(1) @binding(0) var<storage, read> {name}: {ty};")
            });
            lines.push(String::new());
        }
        lines
    }
}

/// A nest ready to be printed.
pub(super) struct Prepared {
    name: String,
    /// What an item does.
    code: Rooted,
    /// What an item of two groups does, where that pays.
    pair: Option<(Rooted, Both)>,
    form: SimtForm,
    items: [VarId; 3],
    numbers: Numbers,
}

/// Statements whose pointers are names.
struct Rooted {
    body: Body,
    stmts: Vec<Stmt>,
    roots: BTreeMap<VarId, RootId>,
    /// Captured values that are copied at the start, and what from.
    copies: Vec<(VarId, String)>,
}

/// How the numbers of groups and items are spelled.
pub(super) struct Numbers {
    /// The built-in values.
    group: String,
    item: String,
    /// The structure of arguments.
    pub(super) args: String,
    /// The axes along which there may be more than one group.
    several: Vec<usize>,
}

impl Numbers {
    /// The number of this group along an axis, counted from where the launch begins.
    fn counted(&self, axis: usize) -> String {
        let (group, number) = (&self.group, AXES[axis]);
        // Groups along one axis lie in rows: see `interface::ROW`.
        if self.several == [0] { format!("{group}.x + {ROW} * {group}.y") } else { format!("{group}.{number}") }
    }

    /// The same among all groups.
    fn absolute(&self, axis: usize) -> String {
        format!("{} + {}.first_{}", self.counted(axis), self.args, AXES[axis])
    }

    /// The same as an argument; nothing asks for it where there is but one.
    pub(super) fn argument(&self, axis: usize) -> String {
        if self.several.contains(&axis) { self.absolute(axis) } else { "0u".into() }
    }

    /// The first of this group's pair along axis 0.
    pub(super) fn first_of_pair(&self) -> String {
        format!("{}.first_x + 2 * ({})", self.args, self.counted(0))
    }
}

impl Prepared {
    /// What the signature takes from the text.
    pub(super) fn emission(&self, slots: &Slots) -> Emission {
        let arguments = self.form.captures.iter().map(|&var| slots.argument(&self.code.body, var)).collect();
        Emission {
            entry: self.name.clone(),
            arguments,
            hints: Hints::of(&LaunchHints { coarsened: self.pair.as_ref().map(|_| pairs_name(&self.name)) }),
        }
    }
}

/// Decides names and memory of a nest.
pub(super) fn prepare(
    text: &Text<'_>,
    specialiser: &mut Specialiser<'_>,
    arguments: &mut ArgumentsTable,
    kernel: &Kernel,
    nest: &Nest,
    index: usize,
) -> Prepared {
    let form = simt::of_nest(kernel, nest);
    let (mut body, mut stmts) = (kernel.body.clone(), nest.stmts.clone());
    let mut barriers = form.barriers.iter();
    for_regions_mut(&mut stmts, &mut |region| {
        // Behind the last region nothing follows: an item that ends leaves the entry.
        if barriers.next().is_some_and(|barriers_here| barriers_here.after) {
            exit_flags::run(&mut body, &mut region.body);
        }
        if text.features.masks {
            hoist_loads::run(&mut body, &mut region.body);
        }
    });
    let mut outermost = form.captures.clone();
    outermost.extend(nest.outer.iter().flatten().map(|axis| axis.var));
    outermost.extend(nest.shared.iter().chain(&nest.exclusive));
    restore_names(text.module, text.map, &mut body, &stmts, &outermost);
    let name = c_family::entry_name(kernel, index);
    let (group, item) = (fresh_name(text.module, &body, "group"), fresh_name(text.module, &body, "item"));
    let several: Vec<usize> = first_axes(nest).collect();
    let items = AXES.map(|axis| number_variable(&mut body, format!("{item}.{axis}"), Scalar::U32));
    let may_pair = text.features.coarsen && several.contains(&0);
    let pair = if may_pair { Pair::of(text.module, body.clone(), nest, &items) } else { None };
    let (fields, bytes) = fields(text, &body, &form, &several, pair.is_some());
    let args = arguments.variable(specialiser, fields, bytes);
    let numbers = Numbers { group, item, args, several };
    let groups = [0, 1, 2].map(|axis| {
        let text = match &nest.outer[axis] {
            // The entry gives the function of one item its group.
            _ if pair.is_some() => format!("{}.{}", numbers.group, AXES[axis]),
            // Others are converted, and stand in that function's brackets.
            Some(outer) if body.var(outer.var).ty == Type::Scalar(Scalar::U32) => {
                format!("({})", numbers.absolute(axis))
            }
            _ => numbers.absolute(axis),
        };
        number_variable(&mut body, text, Scalar::U32)
    });
    let mut all = outer_indices(&body, nest, &groups, &stmts);
    all.extend(stmts);
    let nest = Among { text, kernel, nest, form: &form, args: &numbers.args };
    let code = nest.root(specialiser, body, all);
    let pair = pair.map(|pair| {
        let (body, stmts, both) = pair.named(&numbers);
        (nest.root(specialiser, body, stmts), both)
    });
    Prepared { name, code, pair, form, items, numbers }
}

/// A nest and what its statements are rooted in.
struct Among<'a> {
    text: &'a Text<'a>,
    kernel: &'a Kernel,
    nest: &'a Nest,
    form: &'a SimtForm,
    args: &'a str,
}

impl Among<'_> {
    /// Names where captured values and memory are found.
    fn root(&self, specialiser: &mut Specialiser<'_>, mut body: Body, stmts: Vec<Stmt>) -> Rooted {
        let Self { text, form, args, .. } = *self;
        let beside = fresh_name(text.module, &body, args);
        body.vars.iter_mut().filter(|var| var.name == args).for_each(|var| var.name.clone_from(&beside));
        let uses = Uses::of(&stmts);
        let mut copies = Vec::new();
        let mut starts = BTreeMap::new();
        for &var in &form.captures {
            let field = format!("{args}.{}", body.var(var).name);
            let scalar = body.var(var).ty.scalar();
            if matches!(body.var(var).ty, Type::Pointer(_)) {
                let start = number_variable(&mut body, format!("{field}_start"), Scalar::U32);
                starts.insert(var, start);
                continue;
            }
            let value = match scalar {
                Some(Scalar::Bool) => format!("({field} != 0u)"),
                None if !types::is_native(text.module, &body.var(var).ty) => {
                    struct_of_words(text, &field, 0, &body.var(var).ty)
                }
                _ => field,
            };
            let stays = scalar.is_some() && !uses.assigned.contains(&var) && !uses.addressed.contains(&var);
            if stays {
                body.vars[var.0 as usize].name = value;
            } else {
                copies.push((var, value));
            }
        }
        let rooted = specialiser.nest(self.kernel, self.nest, &mut body, stmts, &starts);
        Rooted { body, stmts: rooted.stmts, roots: rooted.roots, copies }
    }
}

/// The outer indices that statements mention.
pub(super) fn outer_indices(body: &Body, nest: &Nest, groups: &[VarId; 3], stmts: &[Stmt]) -> Vec<Stmt> {
    let mut outer = nest.outer.clone();
    let mut all = Vec::new();
    for axis in &mut outer {
        // With a single group the index is a number, where it is used at all.
        if let Some(single) = axis.take_if(|axis| axis.count.as_int() == Some(1)) {
            let declared = Uses::of(stmts).mentioned.contains(&single.var);
            all.extend(declared.then(|| build::declare(body, single.var, single.start)));
        }
    }
    all.extend(index_declarations(body, &outer, groups, stmts));
    all
}

/// The axes along which there may be more than one group.
fn first_axes(nest: &Nest) -> impl Iterator<Item = usize> {
    let several = |axis: &usize| nest.outer[*axis].as_ref().is_some_and(|axis| axis.count.as_int() != Some(1));
    (0..3).filter(several)
}

/// `u_start: u32`, `n: i32`, `first_x: u32`, and their size: the structure that [`super::interface::interface`] lays out.
fn fields(text: &Text<'_>, body: &Body, form: &SimtForm, several: &[usize], has_pairs: bool) -> (Vec<String>, u32) {
    let mut layout = Layout::default();
    let mut fields = Vec::new();
    for &var in &form.captures {
        let variable = body.var(var);
        let name = &variable.name;
        fields.push(match &variable.ty {
            Type::Pointer(_) => {
                layout.add(4, 4);
                format!("{name}_start: u32")
            }
            ty if matches!(ty, Type::Struct(_)) => {
                let bytes = crate::ir::bytes_of(text.module, ty) as u32;
                if types::is_native(text.module, ty) {
                    layout.add(bytes, types::align(text.module, ty) as u32);
                    format!("{name}: {}", types::name(text.module, ty))
                } else {
                    layout.add(bytes.next_multiple_of(4), 4);
                    format!("{name}: array<u32, {}>", bytes.div_ceil(4))
                }
            }
            ty => {
                let bytes = (crate::ir::bytes_of(text.module, ty) as u32).max(4);
                layout.add(bytes, bytes);
                let is_bool = *ty == Type::Scalar(Scalar::Bool);
                format!("{name}: {}", if is_bool { "u32".into() } else { types::name(text.module, ty) })
            }
        });
    }
    let first = several.iter().map(|&axis| format!("first_{}: u32", AXES[axis]));
    for field in first.chain(has_pairs.then(|| "end_x: u32".to_owned())) {
        layout.add(4, 4);
        fields.push(field);
    }
    (fields, layout.bytes())
}

/// The entry whose groups run two groups.
fn pairs_name(entry: &str) -> String {
    format!("{entry}_pairs")
}

/// The function of one item, which an entry of its own and that of pairs call.
fn item_name(entry: &str) -> String {
    format!("{entry}_group")
}

/// Names at module scope that a nest may take.
pub(super) fn names(kernel: &Kernel, index: usize) -> [String; 3] {
    let entry = c_family::entry_name(kernel, index);
    [pairs_name(&entry), item_name(&entry), entry]
}

/// A name that nothing of the body has, nor anything of the module.
pub(super) fn fresh_name(module: &Module, body: &Body, stem: &str) -> String {
    let taken = |name: &str| {
        body.vars.iter().any(|var| var.name == name)
            || module.functions.iter().any(|function| function.name == name)
            || module.structs.iter().any(|definition| definition.name == name)
            || module.constants.iter().any(|constant| constant.name == name)
    };
    if !taken(stem) {
        return stem.to_owned();
    }
    (1..).map(|n| format!("{stem}_{n}")).find(|name| !taken(name)).unwrap_or_default()
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
            format!("{}({})", definition.name, parts.join(", "))
        }
        Type::Array(element, _) => {
            let bytes = crate::ir::bytes_of(module, element);
            let parts: Vec<String> =
                (0..ty.len()).map(|k| struct_of_words(text, words, offset + k * bytes, element)).collect();
            format!("{}({})", types::name(module, ty), parts.join(", "))
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

/// Prints a nest's entry points.
pub(super) fn print(
    text: &Text<'_>,
    out: &mut Writer<'_>,
    specialiser: &Specialiser<'_>,
    (kernel, nest): (&Kernel, &Nest),
    prepared: &Prepared,
) {
    let Prepared { name, code, pair, form, numbers, .. } = prepared;
    let sizes = match form.block {
        Some([x, y, z]) => [x, y, z].map(|size| size.max(1).to_string()),
        None => AXES.map(|axis| format!("{name}_{axis}")),
    };
    let entry = |out: &mut Writer<'_>, name: &str, code: Writer<'_>| {
        out.line("");
        out.at(kernel.span);
        out.line(format!("@compute @workgroup_size({})", sizes.join(", ")));
        out.line(format!("fn {name}({}) {{", builtins(numbers, &code).join(", ")));
        out.append(code);
        out.line("}");
        out.at_none();
    };
    if form.block.is_none() {
        out.line("");
        out.at(kernel.span);
        sizes.iter().for_each(|size| out.line(format!("override {size}: u32 = 1u;")));
        out.at_none();
    }
    let mut of_item = Writer::new(text.map);
    of_item.indented(|out| {
        let printer = beginning(text, specialiser, nest, prepared, code, out);
        printer.nest(out, &code.stmts);
    });
    let Some((pair, groups)) = pair else { return entry(out, name, of_item) };
    let (group, item, function) = (&numbers.group, &numbers.item, item_name(name));
    out.line("");
    out.at(kernel.span);
    out.line(format!("fn {function}({group}: vec3<u32>, {item}: vec3<u32>) {{"));
    out.append(of_item);
    out.line("}");
    out.at_none();
    let call = |x: &str| {
        let [y, z] = [1, 2].map(|axis| numbers.argument(axis));
        format!("{function}(vec3<u32>({x}, {y}, {z}), {item});")
    };
    let mut single = Writer::new(text.map);
    single.indented(|out| out.line(call(&numbers.argument(0))));
    entry(out, name, single);
    let mut both = Writer::new(text.map);
    both.indented(|out| {
        let printer = beginning(text, specialiser, nest, prepared, pair, out);
        coarsened::print(out, &printer, (&pair.stmts, *groups), &call);
    });
    entry(out, &pairs_name(name), both);
}

/// A printer of a nest's statements, which has printed what stands before them.
fn beginning<'b>(
    text: &'b Text<'_>,
    specialiser: &'b Specialiser<'_>,
    nest: &Nest,
    prepared: &'b Prepared,
    code: &'b Rooted,
    out: &mut Writer<'_>,
) -> Printer<'b> {
    let Rooted { body, stmts, roots, copies } = code;
    let writes_storage = roots.values().any(|&id| {
        let root = root_at(&specialiser.roots, id);
        root.written && matches!(root.space, RootSpace::Storage(_))
    });
    let mut printer = text.printer(specialiser, body, roots, Uses::of(stmts).assigned);
    printer.threads = Some(Threads { form: &prepared.form, items: prepared.items, writes_storage });
    for (var, value) in copies {
        let declared = if roots.contains_key(var) { "" } else { "var " };
        out.line(format!("{declared}{} = {value};", printer.name(*var)));
    }
    for &var in nest.exclusive.iter().filter(|var| !roots.contains_key(var)) {
        debug_assert!(body.var(var).role == Role::Exclusive);
        out.line(format!("var {}: {};", printer.name(var), types::name(text.module, &body.var(var).ty)));
    }
    printer
}

/// The built-in values that an entry mentions, as its parameters.
fn builtins(numbers: &Numbers, code: &Writer<'_>) -> Vec<String> {
    let text = code.text();
    let mentions = |word: &str| text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|found| found == word);
    let builtins = [(&numbers.group, "workgroup_id"), (&numbers.item, "local_invocation_id")];
    let mentioned = builtins.iter().filter(|(name, _)| mentions(name));
    mentioned.map(|(name, builtin)| format!("@builtin({builtin}) {name}: vec3<u32>")).collect()
}
