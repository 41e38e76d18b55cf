//! The state of lowering one function or kernel: its variables, scopes, the statements emitted so far, and the level.
//!
//! [`crate::ir::Mark`]s stand in the statement lists of an unfinished kernel for what the IR has no statement for.
//! [`super::host`] removes launches, [`super::cut`] barriers, [`super::exclusive_init`] exclusive values.

use super::extents::Extent;
use super::local_pointer::{PointerId, PointerLocal};
use super::loop_attributes::Part;
use super::module::Unit;
use super::scope::{Scope, Symbol, nearest};
use super::{Lowered, Reported};
use crate::diagnostic::Diagnostic;
use crate::ir::{
    Axis, Body, ConstantId, Expr, Initializer, Nest, Place, Region, Role, Stmt, StmtKind, Type, VarId, Variable,
};
use crate::rules::{self, Rule};
use crate::source::Span;
use std::collections::{BTreeMap, HashMap, HashSet};

/// How deep expressions and statements may nest. Each level costs a few stack frames here and in every later stage.
pub(super) const MAX_DEPTH: u32 = 256;

/// Where a statement stands: what it may read and write follows from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    /// Outside functions: constants only.
    File,
    /// A kernel's host part.
    Host,
    /// In `@outer` loops, outside `@inner` loops: once per group.
    Group,
    /// Between two nested `@inner` loops: once per item, although written once per row of items.
    Between,
    /// In the innermost `@inner` loop: once per item.
    Item,
    /// In a device function.
    Function,
}

impl Level {
    /// Whether code of this level runs once per item.
    pub(super) fn is_item(self) -> bool {
        matches!(self, Self::Between | Self::Item)
    }
}

/// What `break` and `continue` would leave, innermost last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// `for`, `while`, `do`
    Loop,
    /// `switch`
    Switch,
    /// An `@outer` loop.
    Outer,
    /// An `@inner` loop with nothing after it in its region: `continue` ends the item's part.
    Inner,
    /// An `@inner` loop with more of its region behind it, wrapped in a loop that runs once.
    InnerOnce,
}

/// What lowering knows about a variable beyond the IR.
#[derive(Clone, Debug)]
pub(super) struct VarInfo {
    /// Where it was declared.
    pub(super) level: Level,
    /// Declared `const`.
    pub(super) is_const: bool,
    /// Never written after its declaration.
    pub(super) fixed: bool,
    /// Its value, where that is arithmetic on fixed scalars alone.
    pub(super) known: Option<Expr>,
    /// The scope that it lives in.
    pub(super) scope: u32,
}

/// A nest under construction.
#[derive(Debug)]
pub(super) struct NestDraft {
    /// The part that is known; its statements are filled in at the end.
    pub(super) nest: Nest,
    /// `@outer` loops whose axis was opened ahead of its place, by the loop's span (see `parallel`).
    pub(super) floated: HashMap<Span, Option<(Part, VarId)>>,
    /// `if`s that stand for the bound check of a `@tile`: a region may be cut inside them.
    pub(super) guards: HashSet<Span>,
    /// Innermost `@inner` loops, each with the outer axes open around it.
    pub(super) item_loops: Vec<(Span, Vec<Part>)>,
    /// Axes beyond the third, to be folded onto it.
    pub(super) folded: Vec<Option<Axis>>,
    /// Places of writes between two nested `@inner` loops.
    pub(super) row_writes: HashSet<Span>,
    /// Values that its items give each other.
    pub(super) subgroups: super::subgroup::Subgroups,
    /// Some loop of it is `@inner`.
    pub(super) has_items: bool,
    /// Nothing of the innermost `@outer` loop open follows the statement being lowered.
    pub(super) is_loop_tail: bool,
    /// Nothing of the nest does.
    pub(super) is_tail: bool,
}

/// What CUDA calls the numbers of groups and items.
const LAUNCH_VARIABLES: [(&str, &str); 4] = [
    ("threadIdx", "use the index of the `@inner` loop instead, `t` in `for (int t = 0; t < 64; ++t; @inner)`"),
    ("blockIdx", "use the index of the `@outer` loop instead, `b` in `for (int b = 0; b < n; ++b; @outer)`"),
    ("blockDim", "use the bound of the `@inner` loop instead, such as 64 in `for (int t = 0; t < 64; ++t; @inner)`"),
    ("gridDim", "use the bound of the `@outer` loop instead, such as `n` in `for (int b = 0; b < n; ++b; @outer)`"),
];

/// A region under construction.
#[derive(Debug)]
pub(super) struct RegionDraft {
    /// The axes opened so far.
    pub(super) region: Region,
    /// Axes beyond the third, to be folded onto it.
    pub(super) folded: Vec<Option<Axis>>,
    /// Nothing of the region follows the statement being lowered.
    pub(super) is_tail: bool,
    /// `@inner` loops open at the moment.
    pub(super) open: u32,
    /// `@inner` loops around every innermost body, once one was seen.
    pub(super) depth: Option<u32>,
}

/// The state of one body.
pub(super) struct Lowering<'u, 'f> {
    pub(super) unit: &'u mut Unit<'f>,
    pub(super) body: Body,
    pub(super) info: Vec<VarInfo>,
    pub(super) pointers: Vec<PointerLocal>,
    /// The pointers in structs that were met so far.
    pub(super) records: HashMap<super::record::RecordPath, PointerId>,
    pub(super) hidden: Vec<super::record::HiddenParam>,
    pub(super) unpacked: Vec<super::kernel_record::Unpacked>,
    pub(super) choices: super::choice::Choices,
    /// For pointer parameters of a kernel, the host variables that say whether they are not null.
    pub(super) presence: BTreeMap<VarId, VarId>,
    pub(super) scopes: Vec<Scope>,
    next_scope: u32,
    /// Statements emitted so far in the list being built.
    pub(super) out: Vec<Stmt>,
    pub(super) level: Level,
    pub(super) targets: Vec<Target>,
    /// Parallel loops around the statement being lowered, each with its place.
    pub(super) open_parts: Vec<(Part, Span)>,
    /// Extents of the parallel loops met so far: see [`crate::ir::Mark::Extent`].
    pub(super) extents: Vec<Extent>,
    /// For each [`crate::ir::Mark::Row`], the inner loops that are open there.
    pub(super) rows: Vec<Vec<Part>>,
    /// Between two nested `@inner` loops, in a statement of its own: it writes memory.
    pub(super) row_writes: Option<bool>,
    /// Names that are assigned somewhere in the function.
    pub(super) assigned: HashSet<String>,
    pub(super) depth: u32,
    /// What stands behind the `*` of a product that is being lowered, where it begins with another `*`.
    pub(super) factor: Option<Span>,
    /// Subscripts and operations on bits around the expression being lowered.
    pub(super) bits: u32,
    /// The variable whose initialiser is being lowered.
    pub(super) declaring: Option<crate::front::ast::Ident>,
    /// What the function returns.
    pub(super) result: Type,
    /// What it returns in the IR where that has pointers, and where they lead.
    pub(super) returned: Option<super::record_result::RecordResult>,
    /// What the names of a template's parameters stand for.
    pub(super) bindings: super::template::Bindings,
    /// The first `return` decides what that is.
    pub(super) deduces: bool,
    /// For each parameter, whether memory behind it is written.
    pub(super) writes: Vec<bool>,
    /// Something is printed.
    pub(super) prints: bool,
    /// For each parameter, what memory it is said to lead to.
    pub(super) leads_to: Vec<Option<super::attributes::LeadsTo>>,
    pub(super) nest: Option<NestDraft>,
    pub(super) region: Option<RegionDraft>,
    pub(super) nests: Vec<Nest>,
    pub(super) max_inner_dims: Option<[u32; 3]>,
    pub(super) sizes: super::launch_size::LaunchSizes,
    tables: HashMap<ConstantId, VarId>,
    /// Where the findings of this function begin.
    first_finding: usize,
}

impl<'u, 'f> Lowering<'u, 'f> {
    /// An empty body at `level`, in which the names of `assigned` are written to somewhere.
    pub(super) fn new(unit: &'u mut Unit<'f>, level: Level, assigned: HashSet<String>) -> Self {
        let first_finding = unit.found.len();
        Self {
            unit,
            first_finding,
            body: Body::default(),
            info: Vec::new(),
            pointers: Vec::new(),
            records: HashMap::new(),
            hidden: Vec::new(),
            unpacked: Vec::new(),
            choices: super::choice::Choices::default(),
            presence: BTreeMap::new(),
            scopes: vec![Scope::new(0)],
            next_scope: 1,
            out: Vec::new(),
            level,
            targets: Vec::new(),
            open_parts: Vec::new(),
            extents: Vec::new(),
            rows: Vec::new(),
            row_writes: None,
            assigned,
            depth: 0,
            factor: None,
            bits: 0,
            declaring: None,
            result: Type::Void,
            returned: None,
            deduces: false,
            bindings: super::template::Bindings::default(),
            writes: Vec::new(),
            prints: false,
            leads_to: Vec::new(),
            nest: None,
            region: None,
            nests: Vec::new(),
            max_inner_dims: None,
            sizes: super::launch_size::LaunchSizes::default(),
            tables: HashMap::new(),
        }
    }

    /// Reports an error.
    pub(super) fn error(&mut self, rule: &'static Rule, span: Span, message: impl Into<String>) -> Reported {
        self.report(Diagnostic::error(rule, span, message))
    }

    /// Reports a finding.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        self.unit.found.push(diagnostic);
        Reported
    }

    /// Runs `f` one level deeper, or refuses what is nested too deep.
    pub(super) fn deeper<T>(&mut self, span: Span, f: impl FnOnce(&mut Self) -> Lowered<T>) -> Lowered<T> {
        if self.depth >= MAX_DEPTH {
            return Err(self.error(rules::LIMIT, span, format!("this is nested more than {MAX_DEPTH} levels deep")));
        }
        self.depth += 1;
        let result = f(self);
        self.depth -= 1;
        result
    }

    /// Runs `f` where `^` is certainly meant for bits.
    pub(super) fn among_bits<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        self.bits += 1;
        let result = f(self);
        self.bits -= 1;
        result
    }

    // ---- scopes ----

    /// Runs `f` in a scope of its own.
    pub(super) fn scoped<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.push(Scope::new(self.next_scope));
        self.next_scope += 1;
        let result = f(self);
        self.scopes.pop();
        result
    }

    /// Gives `name` its meaning in the innermost scope.
    pub(super) fn bind(&mut self, name: &str, span: Span, symbol: Symbol) {
        let fresh = match (self.level, self.scopes.last_mut()) {
            (Level::File, _) | (_, None) => self.unit.symbols.bind(name, symbol),
            (_, Some(scope)) => scope.bind(name, symbol),
        };
        if !fresh {
            self.error(rules::DECLARED_TWICE, span, format!("`{name}` is declared twice in one scope"));
        }
    }

    /// The meaning of a name, innermost scope first.
    pub(super) fn lookup(&self, name: &str) -> Option<Symbol> {
        let local = self.scopes.iter().rev().find_map(|scope| scope.get(name));
        local.or_else(|| self.unit.symbols.get(name)).cloned()
    }

    /// Reports a name that means nothing.
    pub(super) fn undeclared(&mut self, name: &str, span: Span, what: &str) -> Reported {
        let visible = self.scopes.iter().flat_map(Scope::names).chain(self.unit.symbols.names());
        let near = nearest(name, visible.chain(super::math::names()));
        let message = format!("{what} `{name}` is not declared");
        // As C's compilers do: once for each function that it is in.
        if self.unit.found.iter().skip(self.first_finding).any(|known| known.message == message) {
            return Reported;
        }
        let diagnostic = Diagnostic::error(rules::UNDECLARED, span, message);
        let of_launch = LAUNCH_VARIABLES.iter().find(|(known, _)| *known == name);
        let hint = match near {
            _ if of_launch.is_some() => of_launch.map_or("", |(_, hint)| hint).to_owned(),
            Some(near) => format!("did you mean `{near}`?"),
            None if ["cout", "cerr", "endl"].contains(&name) => {
                "write the values to memory and print them on the host".to_owned()
            }
            None if what == "name" && name.bytes().any(|b| b.is_ascii_uppercase()) => format!(
                "if it is a macro, define it: `-D {name}=16` on the command line, `defines: {{{name}: 16}}` in the kernel's \
                 properties"
            ),
            None if what == "name" => "declare it before its use, or make it a parameter".to_owned(),
            None => return self.report(diagnostic),
        };
        self.report(diagnostic.hint(hint))
    }

    /// Whether a variable's scope has not ended.
    pub(super) fn is_alive(&self, var: VarId) -> bool {
        let scope = self.info[var.0 as usize].scope;
        self.scopes.iter().any(|s| s.serial == scope)
    }

    // ---- variables ----

    /// A variable as declared by the user; its name is bound by the caller.
    pub(super) fn variable(&mut self, name: &str, ty: Type, role: Role, is_const: bool, span: Span) -> VarId {
        let fixed = is_const || !self.assigned.contains(name);
        self.add(name, ty, role, is_const, fixed, span)
    }

    fn add(&mut self, name: &str, ty: Type, role: Role, is_const: bool, fixed: bool, span: Span) -> VarId {
        let scope = self.scopes.last().map_or(0, |s| s.serial);
        self.info.push(VarInfo { level: self.level, is_const, fixed, known: None, scope });
        // Loops that `strided` makes have indices that no name of the source can hide.
        self.body.add(Variable { name: name.replace(' ', "_"), ty, role, is_const, span })
    }

    /// The role of a variable that is declared by a statement here.
    pub(super) fn local_role(&self) -> Role {
        if self.level == Level::Host { Role::Host } else { Role::Local }
    }

    /// A variable of the compiler's own, declared here; written again only where it is not `fixed`.
    pub(super) fn temporary(&mut self, name: &str, ty: Type, init: Option<Expr>, fixed: bool, span: Span) -> VarId {
        let var = self.add(name, ty, self.local_role(), false, fixed, span);
        self.body.generated.insert(var);
        self.emit(StmtKind::Declare { var, init: init.map(Initializer::Value) }, span);
        var
    }

    /// A variable that is declared by its role alone.
    pub(super) fn roled(&mut self, name: &str, ty: Type, role: Role, span: Span) -> VarId {
        self.add(name, ty, role, true, true, span)
    }

    /// The variable through which this body reads a constant table.
    pub(super) fn table(&mut self, id: ConstantId) -> VarId {
        if let Some(&var) = self.tables.get(&id) {
            return var;
        }
        let constant = &self.unit.module.constants[id.0 as usize];
        let (name, ty, span) = (constant.name.clone(), constant.ty.clone(), constant.span);
        self.info.push(VarInfo { level: Level::File, is_const: true, fixed: true, known: None, scope: 0 });
        let var = self.body.add(Variable { name, ty, role: Role::Constant(id), is_const: true, span });
        self.tables.insert(id, var);
        var
    }

    /// A variable's name as the user wrote it, for findings.
    pub(super) fn called(&self, var: VarId) -> String {
        self.body.var(var).name.clone()
    }

    /// The value of a scalar or struct variable.
    pub(super) fn read(&self, var: VarId, span: Span) -> Expr {
        Expr::var(var, self.body.var(var).ty.clone(), span)
    }

    // ---- statements ----

    /// Appends a statement.
    pub(super) fn emit(&mut self, kind: StmtKind, span: Span) {
        self.out.push(Stmt { kind, span });
    }

    /// Appends `var = value`.
    pub(super) fn emit_set(&mut self, var: VarId, value: Expr, span: Span) {
        let ty = self.body.var(var).ty.clone();
        let place = Place { root: var, path: Vec::new(), ty, span };
        self.emit(StmtKind::Assign { place, op: None, value }, span);
    }

    /// What `f` emits, apart from the list being built.
    pub(super) fn captured<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> (Vec<Stmt>, T) {
        let outer = std::mem::take(&mut self.out);
        let result = f(self);
        (std::mem::replace(&mut self.out, outer), result)
    }
}
