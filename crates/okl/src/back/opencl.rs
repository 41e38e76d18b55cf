//! OpenCL C 1.2, which every later version takes too.
//!
//! # The entry's ABI (shared with the OpenCL backend)
//! Each nest is one `__kernel` named [`crate::signature::NestSignature::entry`]. Its arguments are those of
//! [`crate::signature::NestSignature::arguments`] in order:
//! - a pointer is two: the buffer, and a `long` that counts the elements before the first one of the slice (a buffer of
//!   part of another must begin at an aligned address, a slice begins anywhere);
//! - a scalar or struct is its value; a `bool` is a `uchar`.
//!
//! Last comes `first`, a `long3` (32 bytes): the numbers of the first group along axes 0, 1, 2, so that a space of groups
//! larger than a device takes is run in parts. The work-group has the maximum over
//! [`crate::signature::NestSignature::inner`] along each axis.
//!
//! With the macro `OKL_FP_CONTRACT_FAST` the compiler may make one operation of a multiplication and an addition.
//!
//! Pointers know their address space: a device function has a version for each combination that it is called with
//! ([`crate::passes`], `spaces`). A `bool` in memory is a `uchar`, because OpenCL leaves a `bool`'s size open.

mod words;

use super::Emitted;
use super::c_family::{self, Items, Printer, Space, ThreadWords, Threads, Words};
use super::signature::{self, Emission, Slots};
use super::writer::Writer;
use crate::ir::{Body, Kernel, Module, Nest, Pointer, Scalar, Type, VarId};
use crate::passes::loops::Parallel;
use crate::passes::rewrite::Uses;
use crate::passes::spaces;
use crate::passes::threads::{self, ThreadForm};
use crate::source::SourceMap;

const THREADS: ThreadWords = ThreadWords { barrier: "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);" };

/// What a device can do besides what every device can.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Features {
    /// `double`: `cl_khr_fp64`, or OpenCL C 3.0's own.
    pub f64: bool,
    /// Indivisible updates of 64-bit words: `cl_khr_int64_base_atomics`.
    pub int64_atomics: bool,
    /// More of them: `cl_khr_int64_extended_atomics`.
    pub int64_extended_atomics: bool,
    /// Most items of a group: a kernel of known, smaller groups says so to the compiler.
    pub max_group: u64,
}

impl Features {
    /// A device that has all that kernels may ask for.
    pub const ALL: Self = Self { f64: true, int64_atomics: true, int64_extended_atomics: true, max_group: 1024 };
}

/// Emits a prepared module.
pub(crate) fn emit(module: &Module, features: &Features, map: &SourceMap) -> Emitted {
    let words = words::for_device(features);
    let (specialised, spaces) = spaces::specialise(module);
    let items = Items::new(words, &specialised, map).with_spaces(&spaces);
    let mut code = Writer::new(map);
    items.all(&mut code);
    let mut signatures = Vec::new();
    for kernel in &specialised.kernels {
        let slots = Slots::of(kernel);
        let nests = kernel.nests.iter().enumerate();
        let emissions = nests
            .map(|(index, nest)| Entry { items: &items, words, features, kernel, nest }.emit(&mut code, index, &slots))
            .collect();
        signatures.push(signature::signature(&specialised, map, kernel, &slots, emissions));
    }
    let mut definitions = Writer::new(map);
    items.definitions(&mut definitions);
    definitions.append(code);
    let mut out = Writer::new(map);
    items.title(&mut out, "OpenCL C");
    words::prelude(definitions.text(), !module.structs.is_empty()).iter().for_each(|line| out.line(line));
    out.append(definitions);
    let (text, lines) = out.finish();
    Emitted { text, lines, signatures }
}

/// One nest on its way to a kernel.
struct Entry<'a> {
    items: &'a Items<'a>,
    words: &'a Words,
    features: &'a Features,
    kernel: &'a Kernel,
    nest: &'a Nest,
}

/// The names that the entry adds to those of the kernel.
struct Names {
    first: String,
    groups: [VarId; 3],
    items: [VarId; 3],
    /// For each captured pointer: its buffer, the elements before its first.
    pointers: Vec<(VarId, String, String)>,
}

impl Entry<'_> {
    fn emit(&self, out: &mut Writer<'_>, index: usize, slots: &Slots) -> Emission {
        let (kernel, nest) = (self.kernel, self.nest);
        let form = threads::of_nest(kernel, nest);
        let mut body = kernel.body.clone();
        let mut outermost = form.captures.clone();
        outermost.extend(nest.outer.iter().flatten().map(|axis| axis.var));
        outermost.extend(nest.shared.iter().chain(&nest.exclusive));
        c_family::restore_names(self.words, self.items.module, self.items.map, &mut body, &nest.stmts, &outermost);
        let names = Names::new(self.items.module, &mut body, nest, &form);
        let name = c_family::entry_name(kernel, index);
        let parallel = Parallel::default();
        let threads = Threads { words: &THREADS, form: &form, items: names.items };
        let printer = Printer::new(self.words, self.items.module, &body, &parallel, &self.items.needs);
        let mut printer = printer.with_threads(&threads);
        out.line("");
        out.at(kernel.span);
        out.open(self.head(&printer, &body, &form, &names, &name));
        self.pointers(out, &printer, &body, &names);
        let indices = c_family::index_declarations(&body, &nest.outer, &names.groups, &nest.stmts);
        let used = Uses::of(&indices).mentioned;
        for (axis, &group) in names.groups.iter().enumerate().filter(|(_, group)| used.contains(group)) {
            let (group, first, part) = (printer.name(group), &names.first, ["x", "y", "z"][axis]);
            out.line(format!("const long {group} = {first}.{part} + (long)get_group_id({axis});"));
        }
        printer.stmts(out, &indices);
        for &var in &nest.shared {
            out.line(format!("{}{};", self.words.shared, printer.declarator(var)));
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

    /// `__kernel … void axpy_0(const int n, __global double *y_buffer, const long y_start, const long3 first) {`
    fn head(&self, printer: &Printer<'_>, body: &Body, form: &ThreadForm, names: &Names, name: &str) -> String {
        let assigned = Uses::of(&self.nest.stmts).assigned;
        let space = (self.words.space)(Space::Global);
        let parameter = |&var: &VarId| match &body.var(var).ty {
            Type::Pointer(pointer) => {
                let (_, buffer, start) = names.of(var);
                let flat = Type::Pointer(Pointer { dims: Vec::new(), ..pointer.clone() });
                let flat = c_family::pointer_declarator(self.words, self.items.module, &flat, buffer, space);
                format!("{flat}, const long {start}")
            }
            Type::Scalar(Scalar::Bool) => format!("{} {}", self.words.stored_bool, printer.name(var)),
            _ => printer.declarator(var),
        };
        let constant = |var: &VarId, text: String| {
            let is_value = !matches!(body.var(*var).ty, Type::Pointer(_));
            // A declarator has its own `const` where the source wrote one.
            if is_value && !assigned.contains(var) && !text.starts_with("const ") {
                format!("const {text}")
            } else {
                text
            }
        };
        let mut parameters: Vec<String> = form.captures.iter().map(|var| constant(var, parameter(var))).collect();
        parameters.push(format!("const long3 {}", names.first));
        let size = match (form.block, form.max_threads) {
            (Some([x, y, z]), Some(threads)) if threads <= self.features.max_group => {
                format!("__attribute__((reqd_work_group_size({x}, {y}, {z}))) ")
            }
            _ => String::new(),
        };
        format!("__kernel {size}void {name}({}) {{", parameters.join(", "))
    }

    /// The pointers that the kernel's code uses: to the first element of each slice.
    fn pointers(&self, out: &mut Writer<'_>, printer: &Printer<'_>, body: &Body, names: &Names) {
        for (var, buffer, start) in &names.pointers {
            let Type::Pointer(pointer) = &body.var(*var).ty else { continue };
            let first = format!("{buffer} + {start}");
            let first = if pointer.dims.is_empty() {
                first
            } else {
                format!("{}({first})", printer.pointer_cast(pointer, Space::Global))
            };
            out.line(format!("{} = {first};", printer.declarator(*var)));
        }
    }
}

impl Names {
    fn new(module: &Module, body: &mut Body, nest: &Nest, form: &ThreadForm) -> Self {
        let fresh = |body: &mut Body, stem: &str| c_family::fresh_number(module, body, stem, nest.span);
        let first = fresh(body, "first");
        let groups = ["group_x", "group_y", "group_z"].map(|stem| fresh(body, stem));
        let mut pointers = Vec::new();
        for &var in &form.captures {
            if !matches!(body.var(var).ty, Type::Pointer(_)) {
                continue;
            }
            let stem = body.var(var).name.clone();
            let mut named = |suffix: &str| {
                let id = fresh(body, &format!("{stem}_{suffix}"));
                body.var(id).name.clone()
            };
            pointers.push((var, named("buffer"), named("start")));
        }
        let items = [0, 1, 2].map(|axis| c_family::number_variable(body, item_number(form, axis), Scalar::I32));
        Self { first: body.var(first).name.clone(), groups, items, pointers }
    }

    fn of(&self, var: VarId) -> &(VarId, String, String) {
        self.pointers.iter().find(|(pointer, ..)| *pointer == var).unwrap_or_else(|| unreachable!("every one is named"))
    }
}

/// The number of an item along an axis, as an expression.
fn item_number(form: &ThreadForm, axis: usize) -> String {
    match form.block {
        Some(block) if block[axis] == 1 => "0".to_owned(),
        _ => format!("(int)get_local_id({axis})"),
    }
}
