//! C11 text for the host's compiler.
//!
//! # The entry's ABI (shared with the CPU backend)
//! Each nest is one function with C linkage, named [`crate::signature::NestSignature::entry`]:
//! ```c
//! void burgers_step_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch);
//! ```
//! - `arguments[k]` belongs to [`crate::signature::NestSignature::arguments`]`[k]`: for a pointer parameter it is the
//!   address of the first element (the slice's offset is already in it), for a scalar or struct the address of its value;
//! - `dims[0..3]` are the group counts along outer axes 0, 1, 2, `dims[3..6]` the item counts of the inner axes;
//! - groups `begin..end` of the linearised outer space (axis 0 fastest) are run; any partition of
//!   `0..dims[0]*dims[1]*dims[2]` into ranges, on any threads, gives the same result;
//! - `scratch` is 64-byte aligned memory of `exclusive_bytes · dims[3]·dims[4]·dims[5]` bytes, the calling thread's own;
//!   null when `exclusive_bytes` is 0.
//!
//! All addresses are aligned for their types.

mod words;

use super::Emitted;
use super::c_family::{self, Needs, Printer};
use super::signature::{self, Emission, Slots};
use super::writer::Writer;
use crate::ir::{Constant, Function, Kernel, Literal, Module, Nest, Pointer, Type, VarId};
use crate::passes::loops::{self, LoopForm};
use crate::passes::rewrite::Uses;
use crate::source::SourceMap;
use std::cell::RefCell;
use std::collections::BTreeSet;
use words::WORDS;

/// Emits a prepared module.
pub(crate) fn emit(module: &Module, map: &SourceMap) -> Emitted {
    let needs = RefCell::new(Needs::default());
    let mut code = Writer::new(map);
    for constant in &module.constants {
        emit_constant(&mut code, module, constant, &needs);
    }
    for function in &module.functions {
        emit_function(&mut code, module, function, &needs);
    }
    let mut signatures = Vec::new();
    for kernel in &module.kernels {
        let slots = Slots::of(kernel);
        let nests = kernel.nests.iter().enumerate();
        let emissions = nests
            .map(|(index, nest)| emit_nest(&mut code, module, kernel, nest, index, &slots, &needs))
            .collect();
        signatures.push(signature::signature(module, kernel, &slots, emissions));
    }
    let mut out = Writer::new(map);
    emit_prelude(&mut out, module, &needs.into_inner());
    out.append(code);
    let (text, lines) = out.finish();
    Emitted {
        text,
        lines,
        signatures,
    }
}

/// What stands before the code: what the text is, headers, macros, structs and helpers.
fn emit_prelude(out: &mut Writer<'_>, module: &Module, needs: &Needs) {
    out.line("// C11, made from OKL.");
    for kernel in &module.kernels {
        let entries: Vec<String> = (0..kernel.nests.len())
            .map(|index| entry_name(kernel, index))
            .collect();
        out.line(format!(
            "// @kernel {}: {}",
            kernel.name,
            if entries.is_empty() {
                "no nests".into()
            } else {
                entries.join(", ")
            }
        ));
    }
    out.line("");
    if needs.math {
        out.line("#include <math.h>");
    }
    out.line("#include <stdbool.h>");
    if !module.structs.is_empty() {
        out.line("#include <stddef.h>");
    }
    out.line("#include <stdint.h>");
    if needs.independent {
        words::INDEPENDENT.lines().for_each(|line| out.line(line));
    }
    for definition in &module.structs {
        out.line("");
        c_family::struct_lines(&WORDS, module, definition)
            .iter()
            .for_each(|line| out.line(line));
    }
    for helper in needs.helpers.values() {
        out.line("");
        helper.lines().for_each(|line| out.line(line));
    }
}

fn entry_name(kernel: &Kernel, nest: usize) -> String {
    format!("{}_{nest}", kernel.name)
}

fn emit_constant(
    out: &mut Writer<'_>,
    module: &Module,
    constant: &Constant,
    needs: &RefCell<Needs>,
) {
    let body = crate::ir::Body::default();
    let parallel = BTreeSet::new();
    let printer = Printer::new(&WORDS, module, &body, &parallel, needs);
    let values: Vec<&Literal> = constant.values.iter().collect();
    let declarator = c_family::declarator(&WORDS, module, &constant.ty, &constant.name);
    out.line("");
    out.at(constant.span);
    out.line(format!(
        "{}{declarator} = {};",
        WORDS.constant,
        printer.constants(&constant.ty, &values)
    ));
    out.at_none();
}

fn emit_function(
    out: &mut Writer<'_>,
    module: &Module,
    function: &Function,
    needs: &RefCell<Needs>,
) {
    let parallel = BTreeSet::new();
    let mut printer = Printer::new(&WORDS, module, &function.body, &parallel, needs);
    let params: Vec<String> = function
        .params
        .iter()
        .map(|&param| printer.declarator(param))
        .collect();
    let params = if params.is_empty() {
        "void".into()
    } else {
        params.join(", ")
    };
    out.line("");
    out.at(function.span);
    let result = c_family::type_name(&WORDS, module, &function.result);
    out.open(format!(
        "{}{result} {}({params}) {{",
        WORDS.function, function.name
    ));
    printer.stmts(out, &function.stmts);
    out.close("}");
    out.at_none();
}

fn emit_nest(
    out: &mut Writer<'_>,
    module: &Module,
    kernel: &Kernel,
    nest: &Nest,
    index: usize,
    slots: &Slots,
    needs: &RefCell<Needs>,
) -> Emission {
    let form = loops::of_nest(module, kernel, nest);
    let mut printer = Printer::new(&WORDS, module, &form.body, &form.parallel, needs);
    let name = entry_name(kernel, index);
    let [arguments, dims, begin, end, scratch] = [
        form.entry.arguments,
        form.entry.dims,
        form.entry.begin,
        form.entry.end,
        form.entry.scratch,
    ]
    .map(|v| printer.name(v));
    out.line("");
    out.at(kernel.span);
    out.open(format!(
        "void {name}(void *const *{arguments}, const int64_t *{dims}, int64_t {begin}, int64_t {end}, void *{scratch}) {{"
    ));
    let unused = unused_parameters(&form);
    if !unused.is_empty() {
        let casts: Vec<String> = unused
            .iter()
            .map(|&var| format!("(void){}", printer.name(var)))
            .collect();
        out.line(format!("{};", casts.join(", ")));
    }
    for (position, &var) in form.captures.iter().enumerate() {
        out.at(form.body.var(var).span);
        out.line(unpack(
            &printer,
            module,
            &form,
            var,
            &format!("{arguments}[{position}]"),
        ));
    }
    emit_slabs(out, &printer, module, &form);
    printer.stmts(out, &form.stmts);
    out.close("}");
    out.at_none();
    Emission {
        entry: name,
        arguments: form
            .captures
            .iter()
            .map(|&var| slots.argument(&form.body, var))
            .collect(),
        exclusive_bytes: form.storage.bytes,
    }
}

/// `const int n = *(const int *)arguments[0];`, `double *restrict u = arguments[3];`
fn unpack(
    printer: &Printer<'_>,
    module: &Module,
    form: &LoopForm,
    var: VarId,
    argument: &str,
) -> String {
    let variable = form.body.var(var);
    let declarator = printer.declarator(var);
    if let Type::Pointer(_) = variable.ty {
        return format!("{declarator} = {argument};");
    }
    let ty = c_family::type_name(&WORDS, module, &variable.ty);
    let assigned = Uses::of(&form.stmts).assigned.contains(&var);
    format!(
        "{}{declarator} = *(const {ty} *){argument};",
        if assigned { "" } else { "const " }
    )
}

/// Pointers to the exclusive variables that live in memory sized at launch.
fn emit_slabs(out: &mut Writer<'_>, printer: &Printer<'_>, module: &Module, form: &LoopForm) {
    let Some(items) = form.storage.items else {
        return;
    };
    let (items, dims, scratch) = (
        printer.name(items),
        printer.name(form.entry.dims),
        printer.name(form.entry.scratch),
    );
    out.line(format!(
        "const int64_t {items} = {dims}[3] * {dims}[4] * {dims}[5];"
    ));
    for &(var, before) in &form.storage.slabs {
        let Type::Pointer(Pointer { element, .. }) = &form.body.var(var).ty else {
            continue;
        };
        let start = if before == 0 {
            scratch.to_owned()
        } else {
            format!("((char *){scratch} + {before} * {items})")
        };
        let ty = c_family::type_name(&WORDS, module, element);
        out.line(format!("{} = ({ty} *){start};", printer.declarator(var)));
    }
}

/// Parameters of the entry that its statements do not mention: compilers warn of those.
fn unused_parameters(form: &LoopForm) -> Vec<VarId> {
    let mentioned = Uses::of(&form.stmts).mentioned;
    let entry = form.entry;
    let in_slabs = form.storage.items.is_some();
    let mut unused = Vec::new();
    if form.captures.is_empty() {
        unused.push(entry.arguments);
    }
    if !in_slabs && !mentioned.contains(&entry.dims) {
        unused.push(entry.dims);
    }
    for var in [entry.begin, entry.end] {
        if !mentioned.contains(&var) {
            unused.push(var);
        }
    }
    if form.storage.slabs.is_empty() {
        unused.push(entry.scratch);
    }
    unused
}
