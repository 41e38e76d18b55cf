//! Names as the user wrote them.
//!
//! Within a body of the IR every name is unique: a second loop over `t` runs over `t_1`. C has scopes, so a variable
//! gets back the name that stands in the source, unless another variable with that name is alive beside it.

use crate::ir::{Body, Loop, Module, Role, Stmt, StmtKind, VarId};
use crate::source::SourceMap;
use std::collections::{BTreeMap, BTreeSet};

/// Renames the variables of a body; `outermost` are declared around all statements.
pub(crate) fn restore(
    is_reserved: fn(&str) -> bool,
    module: &Module,
    map: &SourceMap,
    body: &mut Body,
    stmts: &[Stmt],
    outermost: &[VarId],
) {
    let mut scopes = Scopes::default();
    outermost.iter().for_each(|&var| scopes.declare(var));
    scopes.list(stmts);
    let functions = module.functions.iter().map(|function| function.name.as_str());
    let structs = module.structs.iter().map(|definition| definition.name.as_str());
    let constants = module.constants.iter().map(|constant| constant.name.as_str());
    let global: BTreeSet<&str> = functions.chain(structs).chain(constants).collect();
    let mut given: BTreeMap<VarId, String> = BTreeMap::new();
    for &var in &scopes.order {
        if matches!(body.var(var).role, Role::Constant(_)) {
            continue;
        }
        let wanted = wanted(map, body, var);
        let beside: BTreeSet<&str> =
            scopes.beside[&var].iter().filter_map(|other| given.get(other).map(String::as_str)).collect();
        let free = |name: &str| !beside.contains(name) && !global.contains(name) && !is_reserved(name);
        let name = if free(&wanted) {
            wanted
        } else {
            (1..).map(|n| format!("{wanted}_{n}")).find(|name| free(name)).unwrap_or(wanted)
        };
        given.insert(var, name);
    }
    for (var, name) in given {
        body.vars[var.0 as usize].name = name;
    }
}

/// The name in the source: without the number that made it unique, where the source has none.
pub(crate) fn wanted(map: &SourceMap, body: &Body, var: VarId) -> String {
    let variable = body.var(var);
    let source = map.text(variable.span);
    let is_written = |name: &str| source.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name);
    let (stem, suffix) = match variable.name.strip_suffix("_end") {
        Some(stem) if !is_written(&variable.name) => (stem, "_end"),
        _ => (variable.name.as_str(), ""),
    };
    let unnumbered = stem.trim_end_matches(|c: char| c.is_ascii_digit()).strip_suffix('_');
    match unnumbered.filter(|name| stem.len() > name.len() + 1 && is_written(name) && !is_written(stem)) {
        Some(name) => format!("{name}{suffix}"),
        None => variable.name.clone(),
    }
}

/// Which variables are alive together.
#[derive(Default)]
struct Scopes {
    alive: Vec<VarId>,
    order: Vec<VarId>,
    beside: BTreeMap<VarId, BTreeSet<VarId>>,
}

impl Scopes {
    fn declare(&mut self, var: VarId) {
        if !self.beside.contains_key(&var) {
            self.order.push(var);
        }
        self.beside.entry(var).or_default().extend(self.alive.iter().copied().filter(|&other| other != var));
        for &other in self.alive.iter().filter(|&&other| other != var) {
            self.beside.entry(other).or_default().insert(var);
        }
        self.alive.push(var);
    }

    fn scope(&mut self, inside: impl FnOnce(&mut Self)) {
        let outside = self.alive.len();
        inside(self);
        self.alive.truncate(outside);
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
