//! Spellings: what things are called in a text.
//!
//! In the IR names are hints ([`crate::ir`], rule 9). A [`Namer`] is made for one text, knows what its target reserves,
//! and gives everything at module scope a spelling of its own; [`Namer::locals`] does so for the variables of a body.
//! Invariants: the module is only read; whatever can have its hint has it; nothing of the source is spelled like what
//! texts add by themselves, which begins with `okl_` or is asked for with [`Locals::fresh`] and [`Namer::global`].

use crate::ir::{
    Body, ConstantId, Expr, ExprKind, FunctionId, Loop, Module, Role, Stmt, StmtKind, StructId, VarId, Visitor,
    walk_expr,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What a target reserves.
pub struct Reserved {
    /// Keywords, macros, and what the text itself calls or declares by that name: nothing can be called so.
    pub anywhere: fn(&str) -> bool,
    /// What the target's library declares: nothing at module scope can be called so, a local can.
    pub at_module_scope: fn(&str) -> bool,
    /// Functions that are called by C's names: a local can be called so where the body does not call that one.
    pub functions: fn(&str) -> bool,
    /// What no field can be called.
    pub fields: fn(&str) -> bool,
}

/// Whether `word` is one of a list of words between blanks.
pub fn is_one_of(words: &str, word: &str) -> bool {
    words.split_ascii_whitespace().any(|one| one == word)
}

/// The spellings at module scope.
pub struct Namer {
    reserved: &'static Reserved,
    /// What no local is called.
    taken: Arc<BTreeSet<String>>,
    /// Memory at module scope that only some bodies mention: locals of the others may hide it.
    memory: BTreeSet<String>,
    /// By hint and companions: the number behind the last spelling. Smaller ones are taken.
    numbers: BTreeMap<(String, String), u64>,
    entries: Vec<Vec<String>>,
    constants: Vec<String>,
    structs: Vec<String>,
    fields: Vec<Vec<String>>,
    functions: Vec<String>,
}

impl Namer {
    /// Spells the entries, constants, structs and fields of a module. `companions` are what a text appends to an entry's
    /// name for things beside it.
    pub fn new(reserved: &'static Reserved, module: &Module, companions: &[&str]) -> Self {
        let mut namer = Self {
            reserved,
            taken: Arc::default(),
            memory: BTreeSet::new(),
            numbers: BTreeMap::new(),
            entries: Vec::new(),
            constants: Vec::new(),
            structs: Vec::new(),
            fields: Vec::new(),
            functions: Vec::new(),
        };
        for kernel in &module.kernels {
            let entry = |index| namer.with_companions(&format!("{}_{index}", kernel.name), companions);
            let entries = (0..kernel.nests.len()).map(entry).collect();
            namer.entries.push(entries);
        }
        namer.constants = module.constants.iter().map(|constant| namer.global(&constant.name)).collect();
        namer.structs = module.structs.iter().map(|definition| namer.global(&definition.name)).collect();
        let fields = |fields: &[crate::ir::Field]| namer.members(fields.iter().map(|field| field.name.as_str()));
        namer.fields = module.structs.iter().map(|definition| fields(&definition.fields)).collect();
        namer
    }

    /// Spells the functions of the text, in the order of their ids.
    pub fn functions<'h>(&mut self, hints: impl Iterator<Item = &'h str>) {
        self.functions = hints.map(|hint| self.global(hint)).collect();
    }

    /// A spelling at module scope that nothing else has.
    pub fn global(&mut self, hint: &str) -> String {
        self.with_companions(hint, &[])
    }

    /// The same, of which the spellings that end in one of `companions` are free too; these are taken with it.
    fn with_companions(&mut self, hint: &str, companions: &[&str]) -> String {
        let name = self.free(hint, companions);
        let taken = Arc::make_mut(&mut self.taken);
        taken.extend(companions.iter().map(|end| format!("{name}{end}")));
        taken.insert(name.clone());
        name
    }

    /// The same for memory, which a body is told of where it mentions it (`given` of [`Self::locals`]).
    pub fn memory(&mut self, hint: &str, companions: &[String]) -> String {
        let name = self.free(hint, companions);
        self.memory.extend(companions.iter().map(|end| format!("{name}{end}")));
        self.memory.insert(name.clone());
        name
    }

    fn free<S: AsRef<str>>(&mut self, hint: &str, companions: &[S]) -> String {
        let key = (hint.to_owned(), companions.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(" "));
        let first = self.numbers.get(&key).copied().unwrap_or(0);
        let is_reserved = |name: &str| (self.reserved.anywhere)(name) || (self.reserved.at_module_scope)(name);
        let is_taken = |name: &str| self.taken.contains(name) || self.memory.contains(name);
        let beside = |name: &str, end: &S| format!("{name}{}", end.as_ref());
        let is_taken_beside = |name: &str| companions.iter().any(|end| is_taken(&beside(name, end)));
        let (name, number) = numbered(hint, first, is_reserved, |name| is_taken(name) || is_taken_beside(name));
        self.numbers.insert(key, number);
        name
    }

    /// Spellings for the members of one structure.
    pub fn members<'h>(&self, hints: impl Iterator<Item = &'h str>) -> Vec<String> {
        let mut taken = BTreeSet::new();
        let name = |hint| {
            let (name, _) = numbered(hint, 0, self.reserved.fields, |name| taken.contains(name));
            taken.insert(name.clone());
            name
        };
        hints.map(name).collect()
    }

    /// Spells the variables of a body: those of `given`, as they are; `outermost`, declared around all statements; and
    /// those that the statements declare. Variables that are alive together differ, and differ from whatever the body
    /// may mention of the module's scope. Where two have one hint, the source's variable has it.
    pub fn locals(
        &self,
        body: &Body,
        given: BTreeMap<VarId, String>,
        outermost: impl IntoIterator<Item = VarId>,
        stmts: &[Stmt],
    ) -> Locals {
        let mut scopes = Scopes::default();
        scopes.scope(|scopes| {
            outermost.into_iter().for_each(|var| scopes.declare(var));
            scopes.list(stmts);
        });
        let outside: BTreeSet<&str> = given.values().map(String::as_str).collect();
        let called = called(stmts, self.reserved.functions);
        let mut names = given.clone();
        let mut users: BTreeMap<String, Lifetimes> = BTreeMap::new();
        let (generated, written): (Vec<VarId>, Vec<VarId>) =
            scopes.order.iter().partition(|var| body.generated.contains(var));
        for var in written.into_iter().chain(generated) {
            if names.contains_key(&var) || matches!(body.var(var).role, Role::Constant(_)) {
                continue;
            }
            let lives = &scopes.lives[&var];
            let is_beside = |name: &str| users.get(name).is_some_and(|users| users.meets(lives));
            let (name, _) = numbered(&body.var(var).name, 0, self.reserved.anywhere, |name| {
                is_beside(name) || outside.contains(name) || called.contains(name) || self.taken.contains(name)
            });
            users.entry(name.clone()).or_default().add(lives);
            names.insert(var, name);
        }
        let taken = names.values().cloned().chain(called).collect();
        Locals { reserved: self.reserved, names, taken, at_module_scope: self.taken.clone() }
    }

    /// The entry of a nest: numbers of the kernel and of the nest in it.
    pub fn entry(&self, kernel: usize, nest: usize) -> &str {
        &self.entries[kernel][nest]
    }

    /// The entries of a kernel.
    pub fn entries(&self, kernel: usize) -> &[String] {
        &self.entries[kernel]
    }

    /// A file-scope table.
    pub fn constant(&self, id: ConstantId) -> &str {
        &self.constants[id.0 as usize]
    }

    /// A struct.
    pub fn structure(&self, id: StructId) -> &str {
        &self.structs[id.0 as usize]
    }

    /// A field of a struct, by its position.
    pub fn field(&self, id: StructId, number: u32) -> &str {
        &self.fields[id.0 as usize][number as usize]
    }

    /// A device function.
    pub fn function(&self, id: FunctionId) -> &str {
        &self.functions[id.0 as usize]
    }
}

/// The spellings of a body's variables.
pub struct Locals {
    reserved: &'static Reserved,
    names: BTreeMap<VarId, String>,
    taken: BTreeSet<String>,
    at_module_scope: Arc<BTreeSet<String>>,
}

impl Locals {
    /// A variable's spelling.
    pub fn name(&self, var: VarId) -> &str {
        self.names.get(&var).unwrap_or_else(|| unreachable!("a variable is declared where it is used: {var:?}"))
    }

    /// A spelling for what only the text has: no variable of the body has it, and nothing at module scope.
    pub fn fresh(&mut self, hint: &str) -> String {
        let is_taken = |name: &str| self.taken.contains(name) || self.at_module_scope.contains(name);
        let (name, _) = numbered(hint, 0, self.reserved.anywhere, is_taken);
        self.taken.insert(name.clone());
        name
    }
}

/// `hint`, made legal, or with the first number behind it, from `first` on, that makes it free; and that number, which is
/// 0 where there is none.
fn numbered(
    hint: &str,
    first: u64,
    is_reserved: impl Fn(&str) -> bool,
    is_taken: impl Fn(&str) -> bool,
) -> (String, u64) {
    let mut stem = legal(hint);
    // Of some words whatever begins so is reserved, with any number behind it.
    if is_reserved(&stem) && is_reserved(&format!("{stem}_1")) {
        stem.insert_str(0, "v_");
    }
    let is_free = |name: &str| !is_reserved(name) && !is_taken(name);
    if first == 0 && is_free(&stem) {
        return (stem, 0);
    }
    let mut numbers = (first.max(1)..).map(|n| (format!("{stem}_{n}"), n));
    numbers.find(|(name, _)| is_free(name)).unwrap_or_else(|| unreachable!("some number is free"))
}

/// C reserves `__x` and `_X`, WGSL `_` and `__x`, and texts begin their own names with `okl_` and `OKL_`.
fn legal(hint: &str) -> String {
    let rest = hint.trim_start_matches('_');
    let leading = hint.len() - rest.len();
    let is_upper = rest.starts_with(|c: char| c.is_ascii_uppercase() || c.is_ascii_digit());
    let is_ours = ["okl_", "OKL_"].iter().any(|prefix| hint.starts_with(prefix));
    if rest.is_empty() || leading >= 2 || leading == 1 && is_upper || is_ours {
        format!("v_{rest}")
    } else {
        hint.to_owned()
    }
}

/// The functions that statements call by C's names, in any precision.
fn called(stmts: &[Stmt], is_by_name: fn(&str) -> bool) -> BTreeSet<String> {
    struct Calls(BTreeSet<String>);
    impl Visitor for Calls {
        fn expr(&mut self, expr: &Expr) {
            if let ExprKind::Math(function, _) = &expr.kind {
                self.0.extend(["", "f"].map(|end| format!("{}{end}", function.name())));
            }
            walk_expr(self, expr);
        }
    }
    let mut calls = Calls(BTreeSet::new());
    stmts.iter().for_each(|stmt| calls.stmt(stmt));
    calls.0.retain(|name| is_by_name(name));
    calls.0
}

/// Where variables live, as numbers of declarations: from their own to the end of their scope.
#[derive(Clone, Debug, Default)]
struct Lifetimes(BTreeMap<u32, u32>);

impl Lifetimes {
    /// One that does not end before the others begin.
    fn meeting(&self, (start, end): (u32, u32)) -> Option<(u32, u32)> {
        let (&first, &last) = self.0.range(..end).next_back()?;
        (last > start).then_some((first, last))
    }

    fn meets(&self, other: &Self) -> bool {
        other.0.iter().any(|(&start, &end)| self.meeting((start, end)).is_some())
    }

    fn insert(&mut self, (mut start, mut end): (u32, u32)) {
        // A variable may be declared twice; one lifetime covers the other then.
        while let Some((first, last)) = self.meeting((start, end)) {
            self.0.remove(&first);
            (start, end) = (start.min(first), end.max(last));
        }
        self.0.insert(start, end);
    }

    fn add(&mut self, other: &Self) {
        other.0.iter().for_each(|(&start, &end)| self.insert((start, end)));
    }
}

/// Which variables are alive together.
#[derive(Default)]
struct Scopes {
    alive: Vec<(VarId, u32)>,
    order: Vec<VarId>,
    lives: BTreeMap<VarId, Lifetimes>,
    /// Declarations so far.
    declared: u32,
}

impl Scopes {
    fn declare(&mut self, var: VarId) {
        self.lives.entry(var).or_insert_with(|| {
            self.order.push(var);
            Lifetimes::default()
        });
        self.alive.push((var, self.declared));
        self.declared += 1;
    }

    fn scope(&mut self, inside: impl FnOnce(&mut Self)) {
        let outside = self.alive.len();
        inside(self);
        for (var, start) in self.alive.drain(outside..) {
            self.lives.entry(var).or_default().insert((start, self.declared));
        }
    }

    fn list(&mut self, stmts: &[Stmt]) {
        stmts.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Declare { var, .. } => self.declare(*var),
            StmtKind::If { then, otherwise, .. } => {
                self.scope(|s| s.list(then));
                self.scope(|s| s.list(otherwise));
            }
            StmtKind::Loop(l) => self.scope(|s| s.parts(l)),
            StmtKind::Block(stmts) => self.scope(|s| s.list(stmts)),
            StmtKind::Switch { arms, .. } => arms.iter().for_each(|arm| self.scope(|s| s.list(&arm.body))),
            StmtKind::Inner(region) => self.scope(|s| {
                region.axes.iter().flatten().for_each(|axis| s.declare(axis.var));
                s.list(&region.body);
            }),
            _ => {}
        }
    }

    fn parts(&mut self, l: &Loop) {
        self.list(&l.init);
        self.list(&l.head);
        self.scope(|s| s.list(&l.body));
        self.list(&l.update);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_are_made_legal_and_numbered() {
        let of = |hint: &str, taken: &[&str]| {
            numbered(hint, 0, |name| name.starts_with("atomic"), |name| taken.contains(&name)).0
        };
        let given = ["i", "a__b", "__x", "_", "_X", "_x", "_1", "okl_max_i32", "OKL_HOLDS", "oklahoma"]
            .map(|hint| of(hint, &[]));
        let spelled = ["i", "a__b", "v_x", "v_", "v_X", "_x", "v_1", "v_okl_max_i32", "v_OKL_HOLDS", "oklahoma"];
        assert_eq!(given, spelled);
        assert_eq!(of("i", &["i", "i_1"]), "i_2");
        assert_eq!(of("okl_x", &["v_okl_x"]), "v_okl_x_1");
        assert_eq!(of("atomics", &["v_atomics"]), "v_atomics_1");
    }
}
