//! CUDA C++ for NVRTC.
//!
//! # The entry's ABI (shared with the CUDA backend)
//! Each nest is one `extern "C" __global__` function named [`crate::signature::NestSignature::entry`]. It takes the
//! values of [`crate::signature::NestSignature::arguments`] in order (pointers to the first element, scalars and
//! structs by value) and, last, `first`: an `okl_group`, three 64-bit integers, the numbers of the first group along
//! axes 0, 1, 2, so that a space of groups larger than a grid is run in parts. The block has the maximum over
//! [`crate::signature::NestSignature::inner`] along each axis.
//!
//! What a thread does for one item of one group stands in a device function of its own, `<entry>_group`, which takes
//! the same values, then the group (`okl_group`) and the item (`okl_item`, three 32-bit numbers). A time loop that
//! stays on the chip calls it for many groups. Where [`LaunchHints::needs_group`], all threads of a
//! block call it for items of the same group.
//!
//! Where [`LaunchHints::coarsened`] names a second entry, each block of it runs two groups along axis 0:
//! `first.x + 2 · blockIdx.x` and the next. Behind `first` it takes a 64-bit integer, the number of groups along axis 0.
//!
//! Shared arrays of more than 48 KiB a group lie in the launch's dynamic shared memory
//! ([`LaunchHints::dynamic_shared_bytes`]), which a device must be asked for.
//!
//! The text includes no header. Every thread runs the group level; between regions all threads of the group meet.

mod reserved;
mod words;

use super::c_family::{self, Builtins, Items, PRIMARY, Printer, SimtLanguage, Threads, TypedText};
use super::namer::Locals;
use super::signature::{self, Emission, Slots};
use super::writer::Writer;
use crate::ir::{Body, Builtin, Kernel, Module, Nest, Pass, Scalar, Stmt, StmtKind, Type, Uses, VarId, build};
use crate::passes::simt::{self, SimtForm};
use crate::passes::{self, coarsen};
use crate::source::SourceMap;
use crate::target::{Emitted, Hints, Target};
use serde::{Deserialize, Serialize};
use words::LANGUAGE;

/// The most shared memory that a text may declare for a group.
const STATIC_SHARED_BYTES: u64 = 48 * 1024;

const THREADS: SimtLanguage = SimtLanguage { barrier: "__syncthreads();", closes: false };

/// What a launch of a nest needs to know besides its signature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchHints {
    /// A second entry, where there is one, whose blocks run two groups each: faster for many groups.
    pub coarsened: Option<String>,
    /// Bytes of shared memory that a launch has to give, where the text does not declare it.
    pub dynamic_shared_bytes: u64,
    /// The items of a group share memory or wait for each other: all threads of a block run items of one group.
    pub needs_group: bool,
}

/// CUDA C++ for NVRTC, which can do all that the language has on any device that it still knows.
#[derive(Clone, Copy, Debug)]
pub struct CudaTarget;

impl Target for CudaTarget {
    fn name(&self) -> &str {
        "CUDA C++"
    }

    fn passes(&self) -> Vec<Pass> {
        passes::ITEMS.to_vec()
    }

    fn emit(&self, module: &Module, map: &SourceMap) -> Emitted {
        emit(module, map)
    }
}

fn emit(module: &Module, map: &SourceMap) -> Emitted {
    let items = Items::new(&LANGUAGE, module);
    let mut code = Writer::new(map);
    items.all(&mut code);
    let mut signatures = Vec::new();
    for (number, kernel) in module.kernels.iter().enumerate() {
        let slots = Slots::of(kernel);
        let nests = kernel.nests.iter().enumerate();
        let emissions = nests
            .map(|(index, nest)| emit_nest(&items, &mut code, (kernel, nest), items.names.entry(number, index), &slots))
            .collect();
        signatures.push(signature::signature(module, kernel, &slots, emissions));
    }
    let mut out = Writer::new(map);
    items.title(&mut out, "CUDA C++");
    words::PRELUDE.lines().for_each(|line| out.line(line));
    items.definitions(&mut out);
    out.append(code);
    let (text, lines) = out.finish();
    Emitted::new(text, lines, signatures)
}

/// Types of the numbers of groups and items.
const GROUP: Scalar = Scalar::I64;
const ITEM: Scalar = Scalar::U32;

/// The names that a nest's functions add to those of the kernel.
struct Names {
    group: String,
    item: String,
    first: String,
    next: String,
    end: String,
}

impl Names {
    fn new(locals: &mut Locals) -> Self {
        let [group, item, first, next, end] = ["group", "item", "first", "next", "end"].map(|hint| locals.fresh(hint));
        Self { group, item, first, next, end }
    }

    fn builtins(&self) -> Builtins {
        let number = |text: String, ty| TypedText::new(text, PRIMARY, ty);
        let next = number(format!("{}.x", self.next), GROUP);
        let mut builtins =
            Builtins::from([(Builtin::NextGroup, next), (Builtin::GroupEnd, number(self.end.clone(), GROUP))]);
        for (axis, part) in (0..).zip(["x", "y", "z"]) {
            builtins.insert(Builtin::Group(axis), number(format!("{}.{part}", self.group), GROUP));
            builtins.insert(Builtin::Item(axis), number(format!("{}.{part}", self.item), ITEM));
        }
        builtins
    }
}

fn emit_nest(
    items: &Items<'_>,
    out: &mut Writer<'_>,
    (kernel, nest): (&Kernel, &Nest),
    name: &str,
    slots: &Slots,
) -> Emission {
    let form = simt::of_nest(kernel, nest);
    let mut body = kernel.body.clone();
    let group = |axis| build::builtin(Builtin::Group(axis), GROUP);
    let outer = simt::index_declarations(&body, &nest.outer, group, &nest.stmts);
    let pair = pair_of(&mut body, nest, &outer);
    let mut outermost = form.captures.clone();
    outermost.extend(nest.outer.iter().flatten().map(|axis| axis.var));
    outermost.extend(nest.shared.iter().chain(&nest.exclusive));
    let mut locals = items.locals(&body, outermost, &nest.stmts);
    let names = Names::new(&mut locals);
    let builtins = names.builtins();
    let threads = Threads { words: &THREADS, form: &form, item: ITEM };
    let mut printer = Printer::new(items, &body, &locals, &builtins).with_threads(&threads);
    let parameters = parameters(&printer, &body, &form, nest);
    out.line("");
    out.at(kernel.span);
    let (group, item) = (&names.group, &names.item);
    out.open(format!(
        "static __device__ __forceinline__ void {name}_group({parameters}const okl_group {group}, const okl_item {item}) {{"
    ));
    printer.stmts(out, &outer);
    let dynamic_shared_bytes = declare_shared(items, out, &printer, &body, nest);
    for &var in &nest.exclusive {
        out.line(format!("{};", printer.declarator(var)));
    }
    printer.nest(out, &nest.stmts);
    out.close("}");
    let entry = Entry { items, form: &form, body: &body, nest, name };
    entry.emit(out, &printer, &names);
    let coarsened = pair.map(|pair| entry.emit_coarsened(out, &pair));
    Emission {
        entry: name.to_owned(),
        arguments: form.captures.iter().map(|&var| slots.argument(&body, var)).collect(),
        hints: Hints::of(&LaunchHints {
            coarsened,
            dynamic_shared_bytes,
            needs_group: simt::needs_group(&kernel.body, nest),
        }),
    }
}

/// Two groups along axis 0 side by side, where that pays.
fn pair_of(body: &mut Body, nest: &Nest, outer: &[Stmt]) -> Option<coarsen::Pair> {
    let StmtKind::Inner(region) = &nest.stmts.last()?.kind else { return None };
    let item = |axis| build::builtin(Builtin::Item(axis), ITEM);
    let inner = simt::index_declarations(body, &region.axes, item, &region.body);
    coarsen::of_nest(body, nest, outer.to_vec(), inner)
}

/// Shared variables. Those of a group are arrays of the text where a toolkit takes them; more lie in the memory that
/// the launch gives, each behind a reference. Answers how much that is.
fn declare_shared(items: &Items<'_>, out: &mut Writer<'_>, printer: &Printer<'_>, body: &Body, nest: &Nest) -> u64 {
    let bytes = |var: &VarId| crate::ir::bytes_of(items.module, &body.var(*var).ty);
    if nest.shared.iter().map(bytes).sum::<u64>() <= STATIC_SHARED_BYTES {
        for &var in &nest.shared {
            out.line(format!("{}{};", LANGUAGE.shared, printer.declarator(var)));
        }
        return 0;
    }
    let mut end = 0;
    out.line("extern __shared__ __align__(16) unsigned char okl_shared[];");
    for var in &nest.shared {
        let ty = &body.var(*var).ty;
        let reference = c_family::declarator(&LANGUAGE, &items.names, ty, &format!("(&{})", printer.name(*var)));
        let pointer = c_family::declarator(&LANGUAGE, &items.names, ty, "(*)");
        out.line(format!("{reference} = *({pointer})(okl_shared + {end});"));
        end = (end + bytes(var)).next_multiple_of(16);
    }
    end
}

/// `const int n, const double *__restrict__ u, `
fn parameters(printer: &Printer<'_>, body: &Body, form: &SimtForm, nest: &Nest) -> String {
    let assigned = Uses::of(&nest.stmts).assigned;
    let capture = |&var: &VarId| {
        let is_constant = !matches!(body.var(var).ty, Type::Pointer(_)) && !assigned.contains(&var);
        format!("{}{}, ", if is_constant { "const " } else { "" }, printer.declarator(var))
    };
    form.captures.iter().map(capture).collect()
}

/// What the entries of a nest share.
struct Entry<'a> {
    items: &'a Items<'a>,
    form: &'a SimtForm,
    body: &'a Body,
    nest: &'a Nest,
    name: &'a str,
}

impl Entry<'_> {
    /// `extern "C" __global__ void __launch_bounds__(256) `
    fn qualifiers(&self) -> String {
        let bounds = self.form.max_threads.map_or(String::new(), |threads| format!("__launch_bounds__({threads}) "));
        format!("extern \"C\" __global__ void {bounds}")
    }

    fn parameters(&self, printer: &Printer<'_>) -> String {
        parameters(printer, self.body, self.form, self.nest)
    }

    /// Calls the function of one item.
    fn call(&self, printer: &Printer<'_>, group: &str, item: &str) -> String {
        let arguments: String = self.form.captures.iter().map(|&var| format!("{}, ", printer.name(var))).collect();
        format!("{}_group({arguments}{group}, {item});", self.name)
    }

    /// This thread's item.
    fn item(&self) -> String {
        let numbers = [0, 1, 2].map(|axis| match self.form.block {
            // A number that is always zero costs no register.
            Some(block) if block[axis] == 1 => "0".to_owned(),
            _ => format!("threadIdx.{}", ["x", "y", "z"][axis]),
        });
        numbers.join(", ")
    }

    /// The entry: this block's group, this thread's item.
    fn emit(&self, out: &mut Writer<'_>, printer: &Printer<'_>, names: &Names) {
        let Names { group, first, .. } = names;
        let blocks = ["x", "y", "z"].map(|axis| format!("{first}.{axis} + blockIdx.{axis}"));
        out.line("");
        out.open(format!("{}{}({}const okl_group {first}) {{", self.qualifiers(), self.name, self.parameters(printer)));
        out.line(format!("const okl_group {group} = {{{}}};", blocks.join(", ")));
        out.line(self.call(printer, group, &format!("okl_item{{{}}}", self.item())));
        out.close("}");
        out.at_none();
    }

    /// The entry whose blocks run two groups; answers its name.
    fn emit_coarsened(&self, out: &mut Writer<'_>, pair: &coarsen::Pair) -> String {
        let mut locals = self.items.locals(self.body, self.form.captures.iter().copied(), &pair.all());
        let names = Names::new(&mut locals);
        let builtins = names.builtins();
        let mut printer = Printer::new(self.items, self.body, &locals, &builtins);
        let Names { group, item, first, next, end } = &names;
        let name = format!("{}_pairs", self.name);
        out.line("");
        out.at(self.nest.span);
        out.open(format!(
            "{}{name}({}const okl_group {first}, const int64_t {end}) {{",
            self.qualifiers(),
            self.parameters(&printer)
        ));
        out.line(format!(
            "const okl_group {group} = {{{first}.x + 2 * (int64_t)blockIdx.x, {first}.y + blockIdx.y, {first}.z + blockIdx.z}};"
        ));
        out.line(format!("const okl_group {next} = {{{group}.x + 1, {group}.y, {group}.z}};"));
        out.line(format!("const okl_item {item} = {{{}}};", self.item()));
        let calls = [group, next].map(|group| self.call(&printer, group, item));
        c_family::pair(&mut printer, out, pair, GROUP, calls);
        out.close("}");
        out.at_none();
        name
    }
}
