//! Device functions, one version for each address space that their pointers are given.
//!
//! OpenCL C 1.2 has no pointer that points anywhere: a function that is called with global and with shared memory is
//! two functions. A version is named by its spaces where a function has several.

use crate::ir::AddressSpace;
use crate::ir::rewrite::{Rewriter, rewrite_expr, rewrite_stmt};
use crate::ir::{
    Argument, Body, Expr, ExprKind, Function, FunctionId, Module, Place, Stmt, StmtKind, Type, VarId, Visitor,
    walk_expr, walk_stmt,
};
use std::collections::BTreeMap;

/// Where the pointer parameters of a function point.
pub(crate) type FunctionSpaces = BTreeMap<VarId, AddressSpace>;

/// For each function of a module that went through the pass, where its pointers point.
pub(crate) fn of_functions(module: &Module) -> Vec<FunctionSpaces> {
    let mut found = vec![FunctionSpaces::new(); module.functions.len()];
    for kernel in &module.kernels {
        let spaces = FunctionSpaces::new();
        let mut called = Called { module, body: &kernel.body, spaces, found: &mut found };
        kernel.nests.iter().flat_map(|nest| &nest.stmts).for_each(|stmt| called.stmt(stmt));
    }
    // Callers stand behind their callees.
    for (number, function) in module.functions.iter().enumerate().rev() {
        let spaces = found[number].clone();
        let mut called = Called { module, body: &function.body, spaces, found: &mut found };
        function.stmts.iter().for_each(|stmt| called.stmt(stmt));
    }
    found
}

/// Notes where the arguments of calls point.
struct Called<'a> {
    module: &'a Module,
    body: &'a Body,
    spaces: FunctionSpaces,
    found: &'a mut Vec<FunctionSpaces>,
}

impl Called<'_> {
    fn call(&mut self, id: FunctionId, arguments: &[Argument]) {
        for (&param, argument) in self.module.functions[id.0 as usize].params.iter().zip(arguments) {
            if let Argument::Pointer(place) = argument {
                let space = space_of(self.body, &self.spaces, place);
                self.found[id.0 as usize].insert(param, space);
            }
        }
    }
}

impl Visitor for Called<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::Call { function, arguments, .. } = &stmt.kind {
            self.call(*function, arguments);
        }
        walk_stmt(self, stmt);
    }

    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Call(function, arguments) = &expr.kind {
            self.call(*function, arguments);
        }
        walk_expr(self, expr);
    }
}

fn space_of(body: &Body, spaces: &FunctionSpaces, place: &Place) -> AddressSpace {
    spaces.get(&place.root).copied().unwrap_or_else(|| AddressSpace::of(body.var(place.root)))
}

/// Gives every function a version for each of the spaces that it is called with.
pub(crate) fn run(module: &mut Module) {
    let mut versions = Versions { source: &module.functions, made: Vec::new(), known: BTreeMap::new() };
    for kernel in &mut module.kernels {
        for nest in &mut kernel.nests {
            let mut calls = Calls { versions: &mut versions, body: &kernel.body, spaces: &FunctionSpaces::new() };
            calls.list(&mut nest.stmts);
        }
    }
    let Versions { made: mut functions, known, .. } = versions;
    let counts = known.keys().fold(BTreeMap::new(), |mut counts: BTreeMap<FunctionId, usize>, (id, _)| {
        *counts.entry(*id).or_default() += 1;
        counts
    });
    for ((source, list), made) in &known {
        if counts[source] > 1 {
            let suffix: String = list.iter().map(|space| format!("_{}", space.name())).collect();
            functions[made.0 as usize].name.push_str(&suffix);
        }
    }
    module.functions = functions;
}

/// The versions that calls have asked for.
struct Versions<'a> {
    source: &'a [Function],
    made: Vec<Function>,
    known: BTreeMap<(FunctionId, Vec<AddressSpace>), FunctionId>,
}

impl Versions<'_> {
    /// The version of a function whose pointers point into these spaces, in the order of its parameters.
    fn get(&mut self, id: FunctionId, list: Vec<AddressSpace>) -> FunctionId {
        if let Some(&made) = self.known.get(&(id, list.clone())) {
            return made;
        }
        let mut function = self.source[id.0 as usize].clone();
        let pointers = function.params.iter().copied().filter(|&p| matches!(function.body.var(p).ty, Type::Pointer(_)));
        let spaces: FunctionSpaces = pointers.zip(list.iter().copied()).collect();
        let mut stmts = std::mem::take(&mut function.stmts);
        Calls { versions: self, body: &function.body, spaces: &spaces }.list(&mut stmts);
        function.stmts = stmts;
        self.made.push(function);
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
    fn target(&mut self, id: FunctionId, arguments: &[Argument]) -> FunctionId {
        let list = arguments.iter().filter_map(|argument| match argument {
            Argument::Pointer(place) => Some(space_of(self.body, self.spaces, place)),
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
