//! Device functions, one version for each address space that their pointers are given.
//!
//! OpenCL C 1.2 has no pointer that points anywhere: a function that is called with global and with shared memory is
//! two functions. A version is named by its spaces where a function has several.

use crate::ir::AddressSpace;
use crate::ir::rewrite::{Rewriter, rewrite_expr, rewrite_stmt};
use crate::ir::{Argument, Body, Expr, ExprKind, FunctionId, Module, Place, Stmt, StmtKind, Type, VarId};
use std::collections::BTreeMap;

/// Where the pointer parameters of a function point.
pub type FunctionSpaces = BTreeMap<VarId, AddressSpace>;

/// Gives every function a version for each of the spaces that it is called with.
pub(crate) fn run(module: &mut Module) {
    *module = specialise(module).0;
}

/// The module with its functions specialised, callees first, and for each function where its pointers point.
pub fn specialise(module: &Module) -> (Module, Vec<FunctionSpaces>) {
    let mut versions = Versions { source: module, made: Vec::new(), known: BTreeMap::new() };
    let mut kernels = module.kernels.clone();
    for kernel in &mut kernels {
        for nest in &mut kernel.nests {
            let mut calls = Calls { versions: &mut versions, body: &kernel.body, spaces: &FunctionSpaces::new() };
            calls.list(&mut nest.stmts);
        }
    }
    let (mut functions, spaces): (Vec<_>, Vec<_>) = versions.made.into_iter().unzip();
    let counts = versions.known.keys().fold(BTreeMap::new(), |mut counts: BTreeMap<FunctionId, usize>, (id, _)| {
        *counts.entry(*id).or_default() += 1;
        counts
    });
    for ((source, list), made) in &versions.known {
        if counts[source] > 1 {
            let suffix: String = list.iter().map(|space| format!("_{}", space.name())).collect();
            functions[made.0 as usize].name.push_str(&suffix);
        }
    }
    (Module { functions, kernels, ..module.clone() }, spaces)
}

/// The versions that calls have asked for.
struct Versions<'a> {
    source: &'a Module,
    made: Vec<(crate::ir::Function, FunctionSpaces)>,
    known: BTreeMap<(FunctionId, Vec<AddressSpace>), FunctionId>,
}

impl Versions<'_> {
    /// The version of a function whose pointers point into these spaces, in the order of its parameters.
    fn get(&mut self, id: FunctionId, list: Vec<AddressSpace>) -> FunctionId {
        if let Some(&made) = self.known.get(&(id, list.clone())) {
            return made;
        }
        let mut function = self.source.functions[id.0 as usize].clone();
        let pointers = function.params.iter().copied().filter(|&p| matches!(function.body.var(p).ty, Type::Pointer(_)));
        let spaces: FunctionSpaces = pointers.zip(list.iter().copied()).collect();
        let mut stmts = std::mem::take(&mut function.stmts);
        Calls { versions: self, body: &function.body, spaces: &spaces }.list(&mut stmts);
        function.stmts = stmts;
        self.made.push((function, spaces));
        let made = FunctionId(self.made.len() as u32 - 1);
        self.known.insert((id, list), made);
        made
    }
}

/// Sends the calls of one body to the versions that fit.
struct Calls<'a, 'v, 'm> {
    versions: &'v mut Versions<'m>,
    body: &'a Body,
    spaces: &'a FunctionSpaces,
}

impl Calls<'_, '_, '_> {
    fn space(&self, place: &Place) -> AddressSpace {
        self.spaces.get(&place.root).copied().unwrap_or_else(|| AddressSpace::of(self.body.var(place.root)))
    }

    fn target(&mut self, id: FunctionId, arguments: &[Argument]) -> FunctionId {
        let list = arguments.iter().filter_map(|argument| match argument {
            Argument::Pointer(place) => Some(self.space(place)),
            Argument::Value(_) => None,
        });
        let list = list.collect();
        self.versions.get(id, list)
    }
}

impl Rewriter for Calls<'_, '_, '_> {
    fn stmt(&mut self, stmt: &mut Stmt) {
        if let StmtKind::Call { function, arguments, .. } = &mut stmt.kind {
            *function = self.target(*function, arguments);
        }
        rewrite_stmt(self, stmt);
    }

    fn expr(&mut self, expr: &mut Expr) {
        if let ExprKind::Call(function, arguments) = &mut expr.kind {
            *function = self.target(*function, arguments);
        }
        rewrite_expr(self, expr);
    }
}
