//! C11 text that checks all that a kernel does, and stops at the first thing that has no defined result.
//!
//! It decides what [`crate::interp`] decides, in the same words: it is that interpreter with the walk over the IR done
//! beforehand. Items and groups run one after the other, in one thread; every access asks whether it lies within its
//! memory, whether what it reads was written, and who else has touched it (`runtime.c`).
//!
//! # The entry's ABI (shared with whoever runs it)
//! ```c
//! uint32_t okl_run_0_1(void *const *arguments, const int64_t *dims, const okl_own *own, okl_fault *fault);
//! ```
//! - `arguments[k]` is for the kernel's parameter `k` the address of its value, or of a [`CheckedPointer`], then come its host
//!   variables in order;
//! - `dims[0..3]` are the groups along outer axes 0, 1, 2, `dims[3..6]` the most items of a region;
//! - [`Own`] is memory of the group and its items, as many bytes as [`LaunchHints`] say;
//! - the result is 0, or 1 where `fault` says what went wrong ([`Program::fault`]).
//!
//! A text runs once at a time: where it is stands in variables of its own.

mod body;
mod expr;
mod place;
mod sites;
mod stmt;

pub use sites::FaultRecord;

use super::c_family::{Callee, fixed_width};
use super::signature::{self, Emission, Slots};
use super::writer::Writer;
use crate::interp::Fault;
use crate::ir::{Module, Scalar, StackBytes, Type};
use crate::signature::NestArgument;
use crate::source::SourceMap;
use crate::target::{Emitted, Hints, Target};
use body::Body;
use serde::{Deserialize, Serialize};
use sites::Sites;
use std::collections::BTreeMap;

/// Name of the further text that says what the places of the text are.
const PROGRAM: &str = "program";

/// What every text begins with.
const RUNTIME: &str = include_str!("runtime.c");

/// C11 that checks all that a kernel does.
#[derive(Clone, Copy, Debug, Default)]
pub struct CheckedTarget {
    /// A NaN or an infinity that is made of finite values ends the run too.
    pub finite: bool,
}

/// A pointer argument: `okl_pointer` of the text.
#[derive(Debug)]
#[repr(C)]
pub struct CheckedPointer {
    /// First byte of the memory in which it lies.
    pub bytes: *mut u8,
    /// For each byte whether it was written; null where all count as written.
    pub written: *mut bool,
    /// A cell for every `1 << shift` bytes; zeros, or what runs of lower epochs left.
    pub cells: *mut Cell,
    /// What belongs to each of them.
    pub atomics: *mut Atomics,
    /// Of this run, below 2⁶³.
    pub epoch: u64,
    /// Where it points, in bytes.
    pub at: i64,
    /// The first byte that can be reached through it.
    pub lo: i64,
    /// One past the last.
    pub hi: i64,
    /// Bytes of a cell as a power of two: none of the memory's scalars is smaller.
    pub shift: i32,
    /// 0, or 1 for null.
    pub kind: i32,
}

/// What is known of a few bytes: `okl_cell` of the text, which begins a line of the caches.
pub type Cell = [u64; 8];

/// What is known of their atomic updates: `okl_atomics` of the text.
pub type Atomics = [u64; 4];

/// Memory of a group and its items: `okl_own` of the text.
#[derive(Debug)]
#[repr(C)]
pub struct Own {
    /// [`LaunchHints::shared_bytes`].
    pub shared: *mut u8,
    /// As many.
    pub shared_written: *mut bool,
    /// As many by `1 <<` [`LaunchHints::shared_shift`].
    pub shared_cells: *mut Cell,
    /// As many.
    pub shared_atomics: *mut Atomics,
    /// [`LaunchHints::exclusive_bytes`] for each item of the largest region.
    pub exclusive: *mut u8,
    /// As many.
    pub exclusive_written: *mut bool,
    /// One for each item.
    pub done: *mut bool,
    /// The epoch of the first group's shared memory; each group takes one.
    pub epoch: u64,
}

// The text asserts the same of its own.
#[cfg(target_pointer_width = "64")]
const _: () = assert!(
    size_of::<CheckedPointer>() == 72
        && size_of::<Cell>() == 64
        && size_of::<Atomics>() == 32
        && size_of::<Own>() == 64
        && size_of::<FaultRecord>() == 56
);

/// What a launch of a nest needs to know besides its signature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchHints {
    /// Bytes of shared variables.
    pub shared_bytes: u64,
    /// Bytes of a cell of shared memory as a power of two.
    pub shared_shift: u32,
    /// Bytes of exclusive variables of an item.
    pub exclusive_bytes: u64,
    /// Bytes that a call of the entry keeps on the stack.
    pub stack_bytes: u64,
    /// For each parameter of the kernel, the size of the smallest scalar that it leads to as a power of two.
    pub shifts: Vec<u32>,
}

/// What the places of a text are.
#[derive(Debug, Serialize, Deserialize)]
pub struct Program {
    sites: Sites,
    map: SourceMap,
}

impl Program {
    /// The program among the texts of a module that was compiled, to be read by [`read`](Self::read).
    pub fn text(compiled: &crate::Compiled) -> Option<&str> {
        compiled.extra_texts.get(PROGRAM).map(String::as_str)
    }

    /// Reads [`text`](Self::text).
    /// # Errors
    /// A sentence, where it is something else.
    pub fn read(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    /// What went wrong in a run of so many groups and items along each axis; `None` for a record of another text.
    pub fn fault(&self, record: &FaultRecord, sizes: [[u64; 3]; 2]) -> Option<Fault> {
        self.sites.fault(record, sizes)
    }

    /// The source that its places are in.
    pub fn map(&self) -> &SourceMap {
        &self.map
    }
}

impl Target for CheckedTarget {
    fn name(&self) -> &str {
        "C11 with all checks"
    }

    fn index_type(&self) -> Option<Scalar> {
        None
    }

    fn emit(&self, module: &Module, map: &SourceMap) -> Emitted {
        let mut text = Text {
            module,
            finite: self.finite,
            sites: Sites::default(),
            helpers: BTreeMap::new(),
            library: BTreeMap::new(),
        };
        let mut code = Writer::new(map);
        text.structs(&mut code);
        text.constants(&mut code);
        for function in 0..module.functions.len() {
            Body::of_function(&mut text, &mut code, function).function(function);
        }
        let stack_bytes = StackBytes::new(module);
        let mut signatures = Vec::new();
        for (number, kernel) in module.kernels.iter().enumerate() {
            let slots = Slots::of(kernel);
            let arguments: Vec<NestArgument> = (0..kernel.params.len() as u32)
                .map(NestArgument::Param)
                .chain((0..kernel.host_variables().count() as u32).map(NestArgument::Slot))
                .collect();
            let emissions = kernel.nests.iter().enumerate().map(|(index, nest)| {
                let mut body = Body::of_nest(&mut text, &mut code, kernel, nest);
                let entry = format!("okl_run_{number}_{index}");
                body.nest(&entry, nest);
                let mut hints = body.hints();
                // Bytes, whether each was written, and the pointers to them.
                hints.stack_bytes = 2 * stack_bytes.of(&kernel.body, &nest.stmts) + 88 * kernel.body.vars.len() as u64;
                Emission { entry, arguments: arguments.clone(), hints: Hints::of(&hints) }
            });
            let emissions = emissions.collect();
            signatures.push(signature::signature(module, kernel, &slots, emissions));
        }
        let mut out = Writer::new(map);
        out.line("// C11 with all checks, emitted from OKL.");
        RUNTIME.lines().for_each(|line| out.line(line));
        for helper in text.library.values().copied().chain(text.helpers.values().map(String::as_str)) {
            out.line("");
            helper.lines().for_each(|line| out.line(line));
        }
        out.append(code);
        let (lines_text, lines) = out.finish();
        let program = serde_json::to_string(&Program { sites: text.sites, map: map.clone() });
        let program =
            program.unwrap_or_else(|error| unreachable!("sites have neither maps nor failing parts: {error}"));
        Emitted::new(lines_text, lines, signatures).with_extra_text(PROGRAM, program)
    }
}

/// What all bodies of a text have in common.
struct Text<'m> {
    module: &'m Module,
    finite: bool,
    sites: Sites,
    /// Definitions by name.
    helpers: BTreeMap<String, String>,
    /// Definitions of the target's own library, by their places in it.
    library: BTreeMap<usize, &'static str>,
}

impl Text<'_> {
    /// The name of a function of the library, or of a helper that the text then has.
    fn callee(&mut self, callee: Callee) -> String {
        if let Some(text) = callee.helper {
            self.helpers.insert(callee.name.clone(), text);
        }
        self.library.extend(callee.definitions);
        callee.name
    }

    /// Structs by value: their bytes, and which of them were written.
    fn structs(&self, out: &mut Writer<'_>) {
        for (number, definition) in self.module.structs.iter().enumerate() {
            let bytes = definition.bytes.max(1);
            let mut leaves = Vec::new();
            for_each_scalar(&Type::Struct(crate::ir::StructId(number as u32)), self.module, 0, &mut |ty, at| {
                leaves.push((at, ty.bytes()));
            });
            out.line("");
            out.open(format!("typedef struct okl_s{number} {{"));
            out.line(format!("unsigned char bytes[{bytes}];"));
            out.line(format!("bool written[{bytes}];"));
            out.close(format!("}} okl_s{number};"));
            out.open(format!(
                "OKL_INLINE okl_s{number} okl_load_s{number}(const okl_pointer *p, int64_t offset, uint32_t place) {{"
            ));
            out.line(format!("okl_s{number} value;"));
            out.line(format!("const int64_t at = okl_touch(p, offset, {bytes}, OKL_READ, place);"));
            out.line(format!("memcpy(value.bytes, p->bytes + at, {bytes});"));
            out.open("if (p->written) {");
            out.line(format!("memcpy(value.written, p->written + at, {bytes});"));
            out.reopen("} else {");
            out.line(format!("memset(value.written, 1, {bytes});"));
            out.close("}");
            out.line("return value;");
            out.close("}");
            out.open(format!(
                "OKL_INLINE void okl_store_s{number}(const okl_pointer *p, int64_t offset, okl_s{number} value, uint32_t place, \
                 uint32_t hole) {{"
            ));
            out.line(format!("const int64_t at = okl_touch(p, offset, {bytes}, OKL_WRITE, place);"));
            out.line(format!("memcpy(p->bytes + at, value.bytes, {bytes});"));
            out.open("if (p->written) {");
            out.line(format!("memcpy(p->written + at, value.written, {bytes});"));
            out.line("return;");
            out.close("}");
            out.line(
                "const okl_pointer all = okl_variable(value.bytes, value.written, sizeof value.bytes, OKL_MEMORY);",
            );
            for (at, size) in leaves {
                out.line(format!("okl_must_be_written(&all, {at}, {size}, hole);"));
            }
            out.close("}");
        }
    }

    /// File-scope tables.
    fn constants(&self, out: &mut Writer<'_>) {
        for (number, constant) in self.module.constants.iter().enumerate() {
            let bytes = crate::ir::bytes_of(self.module, &constant.ty) as usize;
            let mut image = vec![0; bytes];
            let mut values = constant.values.iter();
            for_each_scalar(&constant.ty, self.module, 0, &mut |ty, at| {
                if let Some(value) = values.next() {
                    let value = crate::ir::value::ScalarValue::from_literal(*value, ty).to_bytes();
                    image[at..at + ty.bytes()].copy_from_slice(&value[..ty.bytes()]);
                }
            });
            let image: Vec<String> = image.iter().map(u8::to_string).collect();
            out.line("");
            out.line(format!("static const unsigned char okl_constant_{number}[] = {{{}}};", image.join(", ")));
        }
    }
}

/// Calls `f` with every scalar of a type in memory order, and its position in bytes.
fn for_each_scalar(ty: &Type, module: &Module, at: usize, f: &mut dyn FnMut(Scalar, usize)) {
    crate::interp::for_each_scalar(ty, module, at, f);
}

/// The size of the smallest scalar of a type as a power of two.
fn shift_of(ty: &Type, module: &Module) -> u32 {
    let element = match ty {
        Type::Pointer(pointer) => &pointer.element,
        Type::Array(element, _) => element,
        other => other,
    };
    let mut smallest = 8;
    for_each_scalar(element, module, 0, &mut |ty, _| smallest = smallest.min(ty.bytes()));
    smallest.trailing_zeros()
}

/// The type of a scalar in the text.
fn c_type(scalar: Scalar) -> &'static str {
    fixed_width(scalar)
}
