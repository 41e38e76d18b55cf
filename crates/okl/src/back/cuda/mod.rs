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

use super::c_family::{self, Builtins, Items, PRIMARY, Printer, TypedText};
use super::namer::Locals;
use super::signature::{self, Emission, Slots};
use super::writer::Writer;
use crate::ir::{Body, Builtin, Coarsened, Kernel, LaunchShape, Module, Nest, Pass, Role, Type, Uses, VarId};
use crate::passes::{self, simt};
use crate::source::SourceMap;
use crate::target::{Emitted, Hints, Target};
use serde::{Deserialize, Serialize};
use words::LANGUAGE;

/// The most shared memory that a text may declare for a group.
const STATIC_SHARED_BYTES: u64 = 48 * 1024;

/// Numbers of groups and items.
const THREADS: simt::Threads = simt::Threads::CUDA;

/// Most threads of a group on any GPU, whatever a kernel promises.
const MAX_THREADS: u64 = 1024;

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
        passes::ITEMS.into_iter().chain([passes::SIMT, passes::COARSEN, passes::HIDE_ZEROS]).collect()
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
        let simt::Threads { group: ty, item: item_ty, .. } = THREADS;
        let number = |text: String, ty| TypedText::new(text, PRIMARY, ty);
        let next = number(format!("{}.x", self.next), ty);
        let mut builtins =
            Builtins::from([(Builtin::NextGroup, next), (Builtin::GroupEnd, number(self.end.clone(), ty))]);
        for (axis, part) in (0..).zip(["x", "y", "z"]) {
            builtins.insert(Builtin::Group(axis), number(format!("{}.{part}", self.group), ty));
            builtins.insert(Builtin::Item(axis), number(format!("{}.{part}", self.item), item_ty));
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
    let (body, captures) = (&kernel.body, kernel.captures(nest));
    let outermost = captures.iter().chain(&nest.shared).chain(&nest.exclusive).copied();
    let mut locals = items.locals(body, outermost, &nest.stmts);
    let names = Names::new(&mut locals);
    let builtins = names.builtins();
    let launch = LaunchShape::of(items.module, body, nest);
    let in_registers = THREADS.exchange_in_registers(body, nest, &launch);
    let mut printer = Printer::new(items, body, &locals, &builtins).with_registers(in_registers);
    let entry = Entry { items, captures: &captures, launch: &launch, kernel, nest, name };
    let parameters = entry.parameters(&printer);
    out.line("");
    out.at(kernel.span);
    let (group, item) = (&names.group, &names.item);
    out.open(format!(
        "static __device__ __forceinline__ void {name}_group({parameters}const okl_group {group}, const okl_item {item}) {{"
    ));
    let (exchanged, shared): (Vec<_>, Vec<_>) =
        nest.shared.iter().copied().partition(|&var| in_registers && matches!(body.var(var).role, Role::Exchange(_)));
    let dynamic_shared_bytes = declare_shared(items, out, &printer, body, &shared);
    for var in exchanged {
        if let Type::Array(element, _) = &body.var(var).ty {
            out.line(format!("{};", c_family::declarator(&LANGUAGE, &items.names, element, printer.name(var))));
        }
    }
    for &var in &nest.exclusive {
        out.line(format!("{};", printer.declarator(var)));
    }
    printer.nest(out, &nest.stmts);
    out.close("}");
    entry.emit(out, &printer, &names);
    let coarsened = nest.coarsened.as_ref().map(|of| entry.emit_coarsened(out, of));
    Emission {
        entry: name.to_owned(),
        arguments: captures.iter().map(|&var| slots.argument(body, var)).collect(),
        hints: Hints::of(&LaunchHints { coarsened, dynamic_shared_bytes, needs_group: simt::needs_group(nest) }),
    }
}

/// Shared variables. Those of a group are arrays of the text where a toolkit takes them; more lie in the memory that
/// the launch gives, each behind a reference. Answers how much that is.
fn declare_shared(
    items: &Items<'_>,
    out: &mut Writer<'_>,
    printer: &Printer<'_>,
    body: &Body,
    shared: &[VarId],
) -> u64 {
    let bytes = |var: &VarId| crate::ir::bytes_of(items.module, &body.var(*var).ty);
    if shared.iter().map(bytes).sum::<u64>() <= STATIC_SHARED_BYTES {
        for &var in shared {
            out.line(format!("{}{};", LANGUAGE.shared, printer.declarator(var)));
        }
        return 0;
    }
    let mut end = 0;
    out.line("extern __shared__ __align__(16) unsigned char okl_shared[];");
    for var in shared {
        let ty = &body.var(*var).ty;
        let reference = c_family::declarator(&LANGUAGE, &items.names, ty, &format!("(&{})", printer.name(*var)));
        let pointer = c_family::declarator(&LANGUAGE, &items.names, ty, "(*)");
        out.line(format!("{reference} = *({pointer})(okl_shared + {end});"));
        end = (end + bytes(var)).next_multiple_of(16);
    }
    end
}

/// What the entries of a nest share.
struct Entry<'a> {
    items: &'a Items<'a>,
    captures: &'a [VarId],
    launch: &'a LaunchShape,
    kernel: &'a Kernel,
    nest: &'a Nest,
    name: &'a str,
}

impl Entry<'_> {
    /// `extern "C" __global__ void __launch_bounds__(256) `
    fn qualifiers(&self) -> String {
        let bounds = simt::max_threads(self.kernel, self.launch)
            .map_or(String::new(), |threads| format!("__launch_bounds__({}) ", threads.min(MAX_THREADS)));
        format!("extern \"C\" __global__ void {bounds}")
    }

    /// `const int n, const double *__restrict__ u, `
    fn parameters(&self, printer: &Printer<'_>) -> String {
        let assigned = Uses::of(&self.nest.stmts).assigned;
        let capture = |&var: &VarId| {
            let is_pointer = matches!(self.kernel.body.var(var).ty, Type::Pointer(_));
            let is_constant = !is_pointer && !assigned.contains(&var);
            format!("{}{}, ", if is_constant { "const " } else { "" }, printer.declarator(var))
        };
        self.captures.iter().map(capture).collect()
    }

    /// Calls the function of one item.
    fn call(&self, printer: &Printer<'_>, group: &str, item: &str) -> String {
        let arguments: String = self.captures.iter().map(|&var| format!("{}, ", printer.name(var))).collect();
        format!("{}_group({arguments}{group}, {item});", self.name)
    }

    /// This thread's item.
    fn item(&self) -> String {
        let block = self.launch.block();
        let numbers = [0, 1, 2].map(|axis| match block {
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
    fn emit_coarsened(&self, out: &mut Writer<'_>, of: &Coarsened) -> String {
        let body = &self.kernel.body;
        let mut locals = self.items.locals(body, self.captures.iter().copied(), &of.all());
        let names = Names::new(&mut locals);
        let builtins = names.builtins();
        let mut printer = Printer::new(self.items, body, &locals, &builtins);
        let Names { group, item, first, next, end } = &names;
        let name = format!("{}_coarsened", self.name);
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
        c_family::coarsened(&mut printer, out, of, THREADS.group, calls);
        out.close("}");
        out.at_none();
        name
    }
}
