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

mod arguments;
mod coarsened;
mod expr;
pub mod interface;
pub(crate) mod library;
mod memory;
mod nest;
mod place;
mod reserved;
mod stmt;
mod types;
mod uses;
mod words;

use super::c_family;
use super::namer::{Locals, Namer};
use super::signature::{self, Slots};
use super::writer::Writer;
use crate::diagnostic::Diagnostic;
use crate::ir::value::ScalarValue;
use crate::ir::{
    Body, Builtin, ConstantId, Function, FunctionId, Module, Pass, Role, Root, RootSpace, Scalar, Stmt, StmtKind,
    StructId, Type, Uses, VarId,
};
use crate::passes::{self, coarsen, simt, specialise_pointers};
use crate::source::SourceMap;
use crate::target::wgsl::Features;
use crate::target::{Emitted, Target};
use crate::valid;
use arguments::{Arguments, ArgumentsTable, StructureNames};
use expr::{Before, Piece};
pub use memory::Windows;
use memory::{Form, Memory};
use nest::Prepared;
use serde::{Deserialize, Serialize};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

/// Bindings through which a large buffer is seen, at most.
const MAX_WINDOWS: u32 = 8;

/// Windows start at multiples of this many bytes.
const WINDOW_ALIGN: u64 = 256;

/// Name of the further text for buffers larger than a binding; there is none where one binding reaches all of them.
pub const PAGED: &str = "paged";

/// Numbers of groups and items.
const THREADS: simt::Threads =
    simt::Threads { group: Scalar::U32, item: Scalar::U32, subgroups: simt::Subgroups::Apart, closes: false };

/// The same where subgroups exchange registers. WGSL cannot name the threads that take part.
const WITH_SUBGROUPS: simt::Threads = simt::Threads { subgroups: simt::Subgroups::Together, ..THREADS };

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

    fn prints(&self) -> bool {
        false
    }

    fn wraps(&self) -> bool {
        true
    }

    fn check(&self, module: &Module, found: &mut Vec<Diagnostic>) {
        valid::wgsl::check(module, &self.0, library::needs_long, found);
    }

    fn passes(&self) -> Vec<Pass> {
        let mut simt = Pass { name: "simt", run: |module| simt::run(module, THREADS) };
        let mut specialise_pointers = passes::SPECIALISE_POINTERS;
        if self.0.subgroups {
            simt.run = |module| simt::run(module, WITH_SUBGROUPS);
            specialise_pointers.run = |module| specialise_pointers::run_for(module, Some(WITH_SUBGROUPS));
        }
        let coarsen = Pass { name: "coarsen", run: |module| coarsen::run(module, THREADS.group) };
        let coarsen = self.0.coarsen.then_some(coarsen);
        let hoist_loads = self.0.masks.then_some(passes::HOIST_LOADS);
        let passes = passes::ITEMS.into_iter().chain([simt, passes::EXIT_FLAGS]).chain(coarsen).chain(hoist_loads);
        let check_loops = self.0.ends_loops.then_some(passes::CHECK_LOOPS);
        let unroll = if self.0.masks { passes::UNROLL_BETWEEN_BARRIERS } else { passes::UNROLL };
        passes.chain(check_loops).chain([specialise_pointers, unroll, passes::HIDE_ZEROS]).collect()
    }

    fn index_type(&self) -> Option<Scalar> {
        Some(if self.0.i64 { Scalar::I64 } else { Scalar::I32 })
    }

    fn emit(&self, module: &Module, map: &SourceMap) -> Emitted {
        let emitted = emit(module, &self.0, map, None);
        match paged(module, &self.0, map) {
            Some(text) => emitted.with_extra_text(PAGED, text),
            None => emitted,
        }
    }
}

/// The text of the same module for buffers larger than a binding; `None` where there are none.
fn paged(module: &Module, features: &Features, map: &SourceMap) -> Option<String> {
    let most = module.kernels.iter().map(|kernel| kernel.params.len()).max()?;
    let windows = windows_of(features, u32::try_from(most).ok()?)?;
    Some(emit(module, features, map, Some(windows)).text)
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

fn emit(module: &Module, features: &Features, map: &SourceMap, windows: Option<Windows>) -> Emitted {
    let mut arguments = ArgumentsTable::default();
    let prepare = |(kernel, nest)| Prepared::new(module, &mut arguments, kernel, nest);
    let nests = module.kernels.iter().flat_map(|kernel| kernel.nests.iter().map(move |nest| (kernel, nest)));
    let nests: Vec<Prepared<'_>> = nests.map(prepare).collect();
    let names = Names::new(module, &arguments, windows);
    let memory = Memory::new(module, &names.module, features, windows);
    let storage_writers = specialise_pointers::reach_written_storage(module);
    let (arguments, needs) = (&arguments, RefCell::default());
    let text = Text { module, map, features, arguments, names: &names, storage_writers, memory, needs };
    text.emit(nests)
}

/// The spellings of a text.
struct Names {
    module: Namer,
    /// Pieces of memory, each under its spelling.
    roots: Vec<Root>,
    /// The structures of arguments.
    structures: Vec<StructureNames>,
}

impl Names {
    fn new(module: &Module, arguments: &ArgumentsTable, windows: Option<Windows>) -> Self {
        let mut names = Namer::new(&reserved::RESERVED, module, nest::COMPANIONS);
        let root = |root: &Root| {
            let companions: Vec<String> = match (root.space, windows) {
                (RootSpace::Storage(_), Some(windows)) => (0..windows.count).map(|w| format!("_{w}")).collect(),
                _ => Vec::new(),
            };
            Root { name: names.memory(&root.name, &companions), ..root.clone() }
        };
        let roots = module.roots.iter().map(root).collect();
        names.functions(module.functions.iter().map(|function| function.name.as_str()));
        let structures = arguments.structures.iter().map(|of| of.names(&mut names)).collect();
        Self { module: names, roots, structures }
    }

    /// The variable that holds a nest's arguments, and its members.
    fn arguments(&self, arguments: &Arguments) -> (&str, &[String]) {
        let names = &self.structures[arguments.structure];
        (&names.variable, &names.members)
    }
}

/// A text under construction.
struct Text<'a> {
    module: &'a Module,
    map: &'a SourceMap,
    features: &'a Features,
    arguments: &'a ArgumentsTable,
    names: &'a Names,
    /// For each function, whether it reaches storage that is written.
    storage_writers: Vec<bool>,
    memory: Memory<'a>,
    /// Functions of the library that were called.
    needs: RefCell<BTreeSet<String>>,
}

/// How builtin values are spelled in a body.
type Builtins = BTreeMap<Builtin, Piece>;

/// Prints the statements of one function or nest.
struct Printer<'a> {
    module: &'a Module,
    names: &'a Namer,
    body: &'a Body,
    locals: &'a Locals,
    builtins: &'a Builtins,
    /// Builtin values that were read.
    used: RefCell<BTreeSet<Builtin>>,
    /// Variables that are read where the launch has put their values.
    values: &'a BTreeMap<VarId, Piece>,
    memory: &'a Memory<'a>,
    roots: &'a [Root],
    needs: &'a RefCell<BTreeSet<String>>,
    native_math: bool,
    /// See [`Features::masks`](crate::target::wgsl::Features::masks).
    masks: bool,
    threads: Option<Threads<'a>>,
    temporaries: Cell<u32>,
    /// Statements that compute parts of the one being printed.
    before: RefCell<Vec<Before>>,
    /// Constant locals that are a zero, which a driver's compiler sees.
    zeros: RefCell<BTreeMap<VarId, ScalarValue>>,
}

/// What is known of a nest.
#[derive(Clone, Copy)]
struct Threads<'a> {
    regions: usize,
    /// Threads along each axis, where that is known.
    block: Option<[u64; 3]>,
    stmts: &'a [Stmt],
    /// Of each function whether it reaches storage that is written.
    storage_writers: &'a [bool],
}

impl<'a> Printer<'a> {
    /// A variable's name.
    fn name(&self, var: VarId) -> &'a str {
        match self.body.var(var).role {
            Role::Constant(id) => self.names.constant(id),
            _ => self.locals.name(var),
        }
    }

    /// The memory at module scope that a variable stands for.
    fn root(&self, var: VarId) -> Option<&'a Root> {
        root_of(self.roots, self.body, var)
    }

    /// A name for a value computed beforehand.
    fn temporary(&self) -> String {
        let number = self.temporaries.get();
        self.temporaries.set(number + 1);
        format!("okl_value_{number}")
    }
}

fn root_of<'a>(roots: &'a [Root], body: &Body, var: VarId) -> Option<&'a Root> {
    match body.var(var).role {
        Role::Root(id) => Some(&roots[id.0 as usize]),
        _ => None,
    }
}

static NO_BUILTINS: Builtins = Builtins::new();
static NO_VALUES: BTreeMap<VarId, Piece> = BTreeMap::new();

impl<'a> Text<'a> {
    fn emit(&self, nests: Vec<Prepared<'_>>) -> Emitted {
        let mut code = Writer::new(self.map);
        let functions = self.module.functions.iter().zip((0..).map(FunctionId));
        functions.for_each(|(function, id)| self.function(&mut code, function, id));
        let (mut signatures, mut nests) = (Vec::new(), nests.into_iter());
        for (number, kernel) in self.module.kernels.iter().enumerate() {
            let slots = Slots::of(kernel);
            let mut emissions = Vec::new();
            for (index, prepared) in nests.by_ref().take(kernel.nests.len()).enumerate() {
                let entry = self.names.module.entry(number, index);
                nest::print(self, &mut code, entry, &prepared);
                emissions.push(prepared.emission(entry, &slots));
            }
            signatures.push(signature::signature(self.module, kernel, &slots, emissions));
        }
        let mut out = Writer::new(self.map);
        self.prelude(&mut out);
        out.append(code);
        let (text, lines) = out.finish();
        Emitted::new(text, lines, signatures)
    }

    /// What stands before the code: what the text is, types, memory, constants and helpers.
    fn prelude(&self, out: &mut Writer<'_>) {
        let names = &self.names.module;
        c_family::title(self.module, names, out, "WGSL");
        if self.names.roots.iter().any(|root| matches!(self.memory.form(root), Form::Short(_))) {
            out.line("enable wgpu_int16;");
            out.line("");
        }
        for (definition, id) in self.module.structs.iter().zip((0..).map(StructId)) {
            types::struct_lines(self.module, names, definition, id).iter().for_each(|line| out.line(line));
            out.line("");
        }
        for (structure, own) in self.arguments.structures.iter().zip(&self.names.structures) {
            structure.lines(self.module, names, own, self.features).iter().for_each(|line| out.line(line));
        }
        let mut declared: BTreeSet<String> = BTreeSet::new();
        for line in self.names.roots.iter().flat_map(|root| self.memory.declare(root)) {
            // Roots of several kernels at one binding share its number of windows.
            if !declared.contains(&line) {
                out.line(&line);
                declared.insert(line);
            }
        }
        for (constant, id) in self.module.constants.iter().zip((0..).map(ConstantId)) {
            let mut scalars = Vec::new();
            types::scalars_of(self.module, &constant.ty, &mut scalars);
            let mut values = constant.values.iter().zip(scalars).map(|(value, ty)| {
                // Infinities were refused.
                types::constant(types::literal(*value, ty)).unwrap_or_default()
            });
            let value = types::construct(self.module, names, &constant.ty, &mut values);
            out.at(constant.span);
            out.line(format!("const {}: {} = {value};", names.constant(id), types::name(names, &constant.ty)));
            out.at_none();
        }
        let (definitions, helpers) = (library::definitions(&self.needs.borrow()), self.memory.helpers());
        for definition in definitions.into_iter().chain(helpers.iter().map(String::as_str)) {
            out.line("");
            definition.lines().for_each(|line| out.line(line));
        }
    }

    /// The spellings of those variables of statements that are memory at module scope.
    fn given(&self, body: &Body, stmts: &[Stmt]) -> BTreeMap<VarId, String> {
        let roots = &self.names.roots;
        let mut mentioned = Uses::of(stmts).mentioned;
        // One may be given a value here and be read by the functions alone.
        crate::ir::for_declarations(stmts, &mut |var, _| {
            mentioned.insert(var);
        });
        mentioned.into_iter().filter_map(|var| Some((var, root_of(roots, body, var)?.name.clone()))).collect()
    }

    fn function(&self, out: &mut Writer<'_>, function: &Function, id: FunctionId) {
        let names = &self.names.module;
        let given = self.given(&function.body, &function.stmts);
        let mut locals = names.locals(&function.body, given, function.params.iter().copied(), &function.stmts);
        let assigned = Uses::of(&function.stmts).assigned;
        // Parameters that the function assigns are copied, which WGSL's own do not allow.
        let mut copies = BTreeMap::new();
        for param in function.params.iter().copied().filter(|param| assigned.contains(param)) {
            let hint = format!("{}_given", locals.name(param));
            copies.insert(param, locals.fresh(&hint));
        }
        let printer = self.printer(&function.body, &locals);
        let param = |param: &VarId| {
            let name = copies.get(param).map_or_else(|| printer.name(*param), String::as_str);
            format!("{name}: {}", types::name(names, &function.body.var(*param).ty))
        };
        let params: Vec<String> = function.params.iter().map(param).collect();
        let result = match &function.result {
            Type::Void => String::new(),
            ty => format!(" -> {}", types::name(names, ty)),
        };
        out.line("");
        out.at(function.span);
        out.open(format!("fn {}({}){result} {{", names.function(id), params.join(", ")));
        for param in &function.params {
            let Some(given) = copies.get(param) else { continue };
            out.line(format!("var {} = {given};", printer.name(*param)));
        }
        printer.stmts(out, &function.stmts);
        if function.result != Type::Void && !always_returns(&function.stmts) {
            // C lets a function end so where it does not come to it; naga does not see that.
            out.line(format!("return {}();", types::name(names, &function.result)));
        }
        out.close("}");
        out.at_none();
    }

    fn printer<'b>(&'b self, body: &'b Body, locals: &'b Locals) -> Printer<'b> {
        Printer {
            module: self.module,
            names: &self.names.module,
            body,
            locals,
            builtins: &NO_BUILTINS,
            used: RefCell::default(),
            values: &NO_VALUES,
            memory: &self.memory,
            roots: &self.names.roots,
            needs: &self.needs,
            native_math: self.features.native_math,
            masks: self.features.masks,
            threads: None,
            temporaries: Cell::new(0),
            before: RefCell::default(),
            zeros: RefCell::default(),
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
