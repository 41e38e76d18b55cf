//! WGSL, as naga takes it.
//!
//! # The entry's interface (shared with the WebGPU backend)
//! Each nest is one compute entry point named [`crate::signature::NestSignature::entry`].
//! - Pointer parameter number `p` of the kernel is the storage buffer at group 0, binding `p`, bound `read_write`
//!   whether the kernel writes or not, so that one buffer may be passed twice. Elements whose parts are narrower than
//!   32 bits travel as words, numbers of 16 bits as these where the device has such integers.
//! - Everything else is in one structure, whose layout [`interface`] gives: the element at which each pointer's slice
//!   starts, scalars and structs by value, and the number of the first group of this part of the grid. It travels as
//!   immediates where the device has room for it, else as the storage buffer at group 1, binding 0.
//! - Where the groups lie along axis 0 alone, a dispatch has them in rows of [`interface::ROW`]: the number of a group is
//!   `first + x + ROW · y`.
//! - Where [`LaunchHints::coarsened`] names a second entry, each workgroup of it runs two groups along
//!   axis 0: `first + 2 · number` and the next, if that is before the end, which stands last in the structure. Both
//!   entries call the function of one item.
//! - The workgroup has the maximum over [`crate::signature::NestSignature::inner`] along each axis. Where that is not
//!   known before the launch, the sizes are the overrides `<entry>_x`, `_y` and `_z`.
//!
//! [`PAGED`] is the same text for buffers larger than a binding: each is seen through several bindings.
//!
//! Every item runs the group level; between regions all items of the group meet. Device functions with pointers are
//! copied for each piece of memory that they are given ([`crate::passes::specialise_pointers`]).
//! Invariant: never fails on validated IR; a missing device feature is refused in `valid::capabilities`.

mod coarsened;
mod expr;
pub mod interface;
pub(crate) mod library;
mod memory;
mod nest;
mod place;
mod stmt;
mod types;
mod words;

use super::c_family;
use super::signature::{self, Slots};
use super::writer::Writer;
use crate::diagnostic::Diagnostic;
use crate::ir::Uses;
use crate::ir::{Body, Module, Stmt, StmtKind, Type, VarId};
use crate::lower::names::is_reserved;
use crate::passes;
use crate::passes::simt::SimtForm;
use crate::passes::specialise_pointers::{Root, RootId, Specialised, Specialiser};
use crate::source::SourceMap;
use crate::target::wgsl::Features;
use crate::target::{Emitted, Target};
use crate::valid;
use expr::Before;
pub use memory::Windows;
use memory::{Form, Memory};
use serde::{Deserialize, Serialize};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

/// Bindings through which a large buffer is seen, at most.
const MAX_WINDOWS: u32 = 8;

/// Windows start at multiples of this many bytes.
const WINDOW_ALIGN: u64 = 256;

/// Name of the further text for buffers larger than a binding; there is none where one binding reaches all of them.
pub const PAGED: &str = "paged";

/// What a launch of a nest needs to know besides its signature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchHints {
    /// A second entry, where there is one, whose workgroups run two groups each: faster for many groups.
    pub coarsened: Option<String>,
}

/// WGSL for a WebGPU device with these features.
#[derive(Clone, Debug)]
pub struct WgslTarget(pub Features);

impl Target for WgslTarget {
    fn name(&self) -> &str {
        "WGSL"
    }

    fn check(&self, module: &Module, found: &mut Vec<Diagnostic>) {
        valid::wgsl::check(module, &self.0, library::needs_long, found);
    }

    fn prepare(&self, module: &mut Module) {
        passes::prepare(module);
    }

    fn emit(&self, module: &Module, map: &SourceMap) -> Emitted {
        let emitted = Text::new(module, &self.0, map, None).emit();
        match paged(module, &self.0, map) {
            Some(text) => emitted.with_extra_text(PAGED, text),
            None => emitted,
        }
    }

    fn is_reserved(&self, word: &str) -> bool {
        is_reserved(word)
    }
}

/// The text of the same module for buffers larger than a binding; `None` where there are none.
fn paged(module: &Module, features: &Features, map: &SourceMap) -> Option<String> {
    let most = module.kernels.iter().map(|kernel| kernel.params.len()).max()?;
    let windows = windows_of(features, u32::try_from(most).ok()?)?;
    Some(Text::new(module, features, map, Some(windows)).emit().text)
}

/// How large buffers are seen by a kernel with so many parameters; `None` where one binding reaches all of them, or
/// where there are not bindings enough.
pub fn windows_of(features: &Features, params: u32) -> Option<Windows> {
    if features.buffer_bytes <= features.binding_bytes || params == 0 {
        return None;
    }
    let bytes = features.binding_bytes / WINDOW_ALIGN * WINDOW_ALIGN;
    let wanted = features.buffer_bytes.div_ceil(bytes).min(u64::from(MAX_WINDOWS)) as u32;
    // Group 1 may hold the arguments.
    let count = wanted.min(features.storage_bindings.saturating_sub(1) / params);
    (count > 1).then_some(Windows { count, bytes })
}

/// A text under construction.
struct Text<'a> {
    module: &'a Module,
    map: &'a SourceMap,
    features: &'a Features,
    memory: Memory<'a>,
    /// Functions of the library that were called.
    needs: RefCell<BTreeSet<String>>,
}

/// Prints the statements of one function or nest.
struct Printer<'a> {
    module: &'a Module,
    body: &'a Body,
    memory: &'a Memory<'a>,
    roots: &'a [Root],
    roots_of: &'a BTreeMap<VarId, RootId>,
    functions: &'a [Specialised],
    needs: &'a RefCell<BTreeSet<String>>,
    native_math: bool,
    /// Variables that some statement assigns.
    assigned: BTreeSet<VarId>,
    threads: Option<Threads<'a>>,
    /// Regions printed so far.
    regions: Cell<usize>,
    temporaries: Cell<u32>,
    /// Statements that compute parts of the one being printed.
    before: RefCell<Vec<Before>>,
}

/// What is known of a nest.
#[derive(Clone, Copy)]
struct Threads<'a> {
    form: &'a SimtForm,
    /// Variables that print as the item's numbers.
    items: [VarId; 3],
    writes_storage: bool,
}

impl<'a> Printer<'a> {
    /// A variable's name.
    fn name(&self, var: VarId) -> &'a str {
        let variable = self.body.var(var);
        match variable.role {
            crate::ir::Role::Constant(id) => &self.module.constants[id.0 as usize].name,
            _ => &variable.name,
        }
    }

    /// A name for a value computed beforehand.
    fn temporary(&self) -> String {
        let number = self.temporaries.get();
        self.temporaries.set(number + 1);
        format!("okl_value_{number}")
    }
}

impl<'a> Text<'a> {
    fn new(module: &'a Module, features: &'a Features, map: &'a SourceMap, windows: Option<Windows>) -> Self {
        Self { module, map, features, memory: Memory::new(module, features, windows), needs: RefCell::default() }
    }

    fn emit(&self) -> Emitted {
        let mut specialiser = Specialiser::new(self.module, self.map, restore_names, self.names());
        let mut arguments = nest::ArgumentsTable::default();
        let mut nests = Vec::new();
        let mut signatures = Vec::new();
        for kernel in &self.module.kernels {
            let slots = Slots::of(kernel);
            let mut emissions = Vec::new();
            for (index, nest) in kernel.nests.iter().enumerate() {
                let prepared = nest::prepare(self, &mut specialiser, &mut arguments, kernel, nest, index);
                emissions.push(prepared.emission(&slots));
                nests.push((kernel, nest, prepared));
            }
            signatures.push(signature::signature(self.module, self.map, kernel, &slots, emissions));
        }
        let mut code = Writer::new(self.map);
        specialiser.functions.iter().for_each(|function| self.function(&mut code, &specialiser, function));
        for (kernel, nest, prepared) in &nests {
            nest::print(self, &mut code, &specialiser, (kernel, nest), prepared);
        }
        let mut out = Writer::new(self.map);
        self.prelude(&mut out, &specialiser, &arguments);
        out.append(code);
        let (text, lines) = out.finish();
        Emitted::new(text, lines, signatures)
    }

    /// Names at module scope that are given before any other.
    fn names(&self) -> BTreeSet<String> {
        let module = self.module;
        let constants = module.constants.iter().map(|constant| constant.name.clone());
        let structs = module.structs.iter().map(|definition| definition.name.clone());
        let entries = module
            .kernels
            .iter()
            .flat_map(|kernel| (0..kernel.nests.len()).flat_map(|index| nest::names(kernel, index)));
        constants.chain(structs).chain(entries).collect()
    }

    /// What stands before the code: what the text is, types, memory, constants and helpers.
    fn prelude(&self, out: &mut Writer<'_>, specialiser: &Specialiser<'_>, arguments: &nest::ArgumentsTable) {
        c_family::title(self.module, out, "WGSL");
        if specialiser.roots.iter().any(|root| matches!(self.memory.form(root), Form::Short(_))) {
            out.line("enable wgpu_int16;");
            out.line("");
        }
        for definition in &self.module.structs {
            types::struct_lines(self.module, definition).iter().for_each(|line| out.line(line));
            out.line("");
        }
        arguments.lines(self.features).iter().for_each(|line| out.line(line));
        let mut declared: Vec<String> = Vec::new();
        for line in specialiser.roots.iter().flat_map(|root| self.memory.declare(root)) {
            // Roots of several kernels at one binding share its number of windows.
            if !declared.contains(&line) {
                declared.push(line);
            }
        }
        declared.iter().for_each(|line| out.line(line));
        for constant in &self.module.constants {
            let mut scalars = Vec::new();
            types::scalars_of(self.module, &constant.ty, &mut scalars);
            let mut values = constant.values.iter().zip(scalars).map(|(value, ty)| {
                // Infinities were refused.
                types::constant(types::literal(*value, ty)).unwrap_or_default()
            });
            let value = types::construct(self.module, &constant.ty, &mut values);
            out.at(constant.span);
            out.line(format!("const {}: {} = {value};", constant.name, types::name(self.module, &constant.ty)));
            out.at_none();
        }
        let helpers = self.memory.helpers().join("\n\n");
        let definitions = library::definitions(&self.needs.borrow(), &helpers);
        for definition in definitions.into_iter().chain(helpers.split("\n\n").filter(|helper| !helper.is_empty())) {
            out.line("");
            definition.lines().for_each(|line| out.line(line));
        }
    }

    fn function(&self, out: &mut Writer<'_>, specialiser: &Specialiser<'_>, specialised: &Specialised) {
        let function = &specialised.function;
        let printer = self.printer(specialiser, &function.body, &specialised.roots, Uses::of(&function.stmts).assigned);
        let params: Vec<String> = function
            .params
            .iter()
            .map(|&param| {
                let given = if printer.is_copied(param) { "_given" } else { "" };
                let ty = types::name(self.module, &function.body.var(param).ty);
                format!("{}{given}: {ty}", printer.name(param))
            })
            .collect();
        let result = match &function.result {
            Type::Void => String::new(),
            ty => format!(" -> {}", types::name(self.module, ty)),
        };
        out.line("");
        out.at(function.span);
        out.open(format!("fn {}({}){result} {{", function.name, params.join(", ")));
        printer.copies(out, &function.params);
        printer.stmts(out, &function.stmts);
        if function.result != Type::Void && !always_returns(&function.stmts) {
            // C lets a function end so where it does not come to it; naga does not see that.
            out.line(format!("return {}();", types::name(self.module, &function.result)));
        }
        out.close("}");
        out.at_none();
    }

    fn printer<'b>(
        &'b self,
        specialiser: &'b Specialiser<'_>,
        body: &'b Body,
        roots_of: &'b BTreeMap<VarId, RootId>,
        assigned: BTreeSet<VarId>,
    ) -> Printer<'b> {
        Printer {
            module: self.module,
            body,
            memory: &self.memory,
            roots: &specialiser.roots,
            roots_of,
            functions: &specialiser.functions,
            needs: &self.needs,
            native_math: self.features.native_math,
            assigned,
            threads: None,
            regions: Cell::new(0),
            temporaries: Cell::new(0),
            before: RefCell::default(),
        }
    }
}

/// Whether whoever enters the statements returns in them, as naga sees it.
fn always_returns(stmts: &[Stmt]) -> bool {
    stmts.last().is_some_and(|last| match &last.kind {
        StmtKind::Return(_) => true,
        StmtKind::If { then, otherwise, .. } => always_returns(then) && always_returns(otherwise),
        StmtKind::Block(stmts) => always_returns(stmts),
        _ => false,
    })
}

/// Gives variables back the names of the source, except for those that WGSL reserves.
fn restore_names(module: &Module, map: &SourceMap, body: &mut Body, stmts: &[Stmt], outermost: &[VarId]) {
    c_family::restore_names(is_reserved, module, map, body, stmts, outermost);
}
