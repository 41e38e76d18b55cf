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

mod words;

use super::c_family::{self, Items, Printer, SimtLanguage, Threads};
use super::signature::{self, Emission, Slots};
use super::writer::Writer;
use crate::ir::Uses;
use crate::ir::{Body, Kernel, Module, Nest, Scalar, StmtKind, Type, VarId};
use crate::passes::loops::Parallel;
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
    let items = Items::new(&LANGUAGE, module, map);
    let mut code = Writer::new(map);
    items.all(&mut code);
    let mut signatures = Vec::new();
    for kernel in &module.kernels {
        let slots = Slots::of(kernel);
        let nests = kernel.nests.iter().enumerate();
        let emissions = nests.map(|(index, nest)| emit_nest(&items, &mut code, kernel, nest, index, &slots)).collect();
        signatures.push(signature::signature(module, map, kernel, &slots, emissions));
    }
    let mut out = Writer::new(map);
    items.title(&mut out, "CUDA C++");
    words::PRELUDE.lines().for_each(|line| out.line(line));
    items.definitions(&mut out);
    out.append(code);
    let (text, lines) = out.finish();
    Emitted::new(text, lines, signatures)
}

/// The names that a nest's functions add to those of the kernel.
struct Names {
    group: String,
    item: String,
    first: String,
    groups: [VarId; 3],
    items: [VarId; 3],
}

impl Names {
    fn new(module: &Module, body: &mut Body, nest: &Nest) -> Self {
        let mut fresh = |stem: &str| {
            let id = c_family::fresh_number(module, body, stem, nest.span);
            body.var(id).name.clone()
        };
        let (group, item, first) = (fresh("group"), fresh("item"), fresh("first"));
        let mut numbers =
            |of: &str, ty| ["x", "y", "z"].map(|axis| c_family::number_variable(body, format!("{of}.{axis}"), ty));
        let (groups, items) = (numbers(&group, Scalar::I64), numbers(&item, Scalar::U32));
        Self { group, item, first, groups, items }
    }
}

fn emit_nest(
    items: &Items<'_>,
    out: &mut Writer<'_>,
    kernel: &Kernel,
    nest: &Nest,
    index: usize,
    slots: &Slots,
) -> Emission {
    let form = simt::of_nest(kernel, nest);
    let mut body = kernel.body.clone();
    let mut outermost = form.captures.clone();
    outermost.extend(nest.outer.iter().flatten().map(|axis| axis.var));
    outermost.extend(nest.shared.iter().chain(&nest.exclusive));
    c_family::restore_names(LANGUAGE.is_reserved, items.module, items.map, &mut body, &nest.stmts, &outermost);
    let names = Names::new(items.module, &mut body, nest);
    let name = c_family::entry_name(kernel, index);
    let parallel = Parallel::default();
    let threads = Threads { words: &THREADS, form: &form, items: names.items };
    let mut printer = Printer::new(&LANGUAGE, items.module, &body, &parallel, &items.needs).with_threads(&threads);
    let parameters = parameters(&printer, &body, &form, nest);
    out.line("");
    out.at(kernel.span);
    let (group, item) = (&names.group, &names.item);
    out.open(format!(
        "static __device__ __forceinline__ void {name}_group({parameters}const okl_group {group}, const okl_item {item}) {{"
    ));
    let indices = c_family::index_declarations(&body, &nest.outer, &names.groups, &nest.stmts);
    printer.stmts(out, &indices);
    let dynamic_shared_bytes = declare_shared(items.module, out, &printer, &body, nest);
    for &var in &nest.exclusive {
        out.line(format!("{};", printer.declarator(var)));
    }
    printer.nest(out, &nest.stmts);
    out.close("}");
    let entry = Entry { form: &form, parameters: &parameters, name: &name, names: &names };
    entry.emit(out, &printer);
    let coarsened = emit_coarsened(items, out, nest, &mut body, &entry);
    Emission {
        entry: name,
        arguments: form.captures.iter().map(|&var| slots.argument(&body, var)).collect(),
        hints: Hints::of(&LaunchHints {
            coarsened,
            dynamic_shared_bytes,
            needs_group: simt::needs_group(&kernel.body, nest),
        }),
    }
}

/// Shared variables. Those of a group are arrays of the text where a toolkit takes them; more lie in the memory that
/// the launch gives, each behind a reference. Answers how much that is.
fn declare_shared(module: &Module, out: &mut Writer<'_>, printer: &Printer<'_>, body: &Body, nest: &Nest) -> u64 {
    let bytes = |var: &VarId| crate::ir::bytes_of(module, &body.var(*var).ty);
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
        let reference = c_family::declarator(&LANGUAGE, module, ty, &format!("(&{})", printer.name(*var)));
        let pointer = c_family::declarator(&LANGUAGE, module, ty, "(*)");
        out.line(format!("{reference} = *({pointer})(okl_shared + {end});"));
        end = (end + bytes(var)).next_multiple_of(16);
    }
    end
}

/// `const int n, const double *__restrict__ u, `
fn parameters(printer: &Printer<'_>, body: &Body, form: &SimtForm, nest: &Nest) -> String {
    let assigned = Uses::of(&nest.stmts).assigned;
    let capture = |&var: &VarId| {
        let declarator = printer.declarator(var);
        let constant = !matches!(body.var(var).ty, Type::Pointer(_)) && !assigned.contains(&var);
        // A declarator has its own `const` where the source wrote one.
        if constant && !declarator.starts_with("const ") {
            format!("const {declarator}, ")
        } else {
            format!("{declarator}, ")
        }
    };
    form.captures.iter().map(capture).collect()
}

/// What the entries of a nest share.
struct Entry<'a> {
    form: &'a SimtForm,
    parameters: &'a str,
    name: &'a str,
    names: &'a Names,
}

impl Entry<'_> {
    /// `extern "C" __global__ void __launch_bounds__(256) `
    fn qualifiers(&self) -> String {
        let bounds = self.form.max_threads.map_or(String::new(), |threads| format!("__launch_bounds__({threads}) "));
        format!("extern \"C\" __global__ void {bounds}")
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
    fn emit(&self, out: &mut Writer<'_>, printer: &Printer<'_>) {
        let Names { group, first, .. } = self.names;
        let blocks = ["x", "y", "z"].map(|axis| format!("{first}.{axis} + blockIdx.{axis}"));
        out.line("");
        out.open(format!("{}{}({}const okl_group {first}) {{", self.qualifiers(), self.name, self.parameters));
        out.line(format!("const okl_group {group} = {{{}}};", blocks.join(", ")));
        out.line(self.call(printer, group, &format!("okl_item{{{}}}", self.item())));
        out.close("}");
        out.at_none();
    }
}

/// The entry whose blocks run two groups, where that pays; answers its name.
fn emit_coarsened(
    items: &Items<'_>,
    out: &mut Writer<'_>,
    nest: &Nest,
    body: &mut Body,
    entry: &Entry<'_>,
) -> Option<String> {
    let StmtKind::Inner(region) = &nest.stmts.last()?.kind else { return None };
    let [next, end] = ["next", "end"].map(|stem| {
        let id = c_family::fresh_number(items.module, body, stem, nest.span);
        body.var(id).name.clone()
    });
    let names = entry.names;
    let (group, item, first) = (&names.group, &names.item, &names.first);
    let nexts = ["x", "y", "z"].map(|axis| c_family::number_variable(body, format!("{next}.{axis}"), Scalar::I64));
    let outer = c_family::index_declarations(body, &nest.outer, &names.groups, &nest.stmts);
    let inner = c_family::index_declarations(body, &region.axes, &names.items, &region.body);
    let pair = coarsen::of_nest(body, nest, (outer, inner), &names.groups, &nexts)?;
    let parallel = Parallel::default();
    let mut printer = Printer::new(&LANGUAGE, items.module, body, &parallel, &items.needs);
    let name = format!("{}_pairs", entry.name);
    out.line("");
    out.at(nest.span);
    out.open(format!(
        "{}{name}({}const okl_group {first}, const int64_t {end}) {{",
        entry.qualifiers(),
        entry.parameters
    ));
    out.line(format!(
        "const okl_group {group} = {{{first}.x + 2 * (int64_t)blockIdx.x, {first}.y + blockIdx.y, {first}.z + blockIdx.z}};"
    ));
    out.line(format!("const okl_group {next} = {{{group}.x + 1, {group}.y, {group}.z}};"));
    out.line(format!("const okl_item {item} = {{{}}};", entry.item()));
    let (single, second) = (entry.call(&printer, group, item), entry.call(&printer, next.as_str(), item));
    c_family::pair(&mut printer, out, &pair, &format!("{next}.x < {end}"), [single, second]);
    out.close("}");
    out.at_none();
    Some(name)
}
