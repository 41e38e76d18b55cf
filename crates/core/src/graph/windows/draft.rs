//! A kernel of one nest on its way: its variables, and the statements that all such kernels have.

use super::item::Source;
use super::layout::{int, less, load};
use okl::ir::{
    Axis, Body, Dialect, Expr, HostStmt, Kernel, Loop, Meeting, Module, Nest, Place, Projection, Region, Role, Scalar,
    Stmt, StmtKind, Type, VarId, Variable, build,
};
use okl::source::Span;

/// A kernel whose parameters are a list of `P`.
pub(super) struct Draft<P> {
    /// Structs, constants and functions of the kernels whose items stand in it.
    module: Module,
    pub(super) body: Body,
    pub(super) params: Vec<P>,
    /// The number of the item in its group, and of all items.
    pub(super) thread: VarId,
    threads: i64,
}

impl<P> Draft<P> {
    /// An empty kernel of groups of so many items, in which items of these nests will stand.
    /// # Errors
    /// The nests do not go together.
    pub(super) fn new<'a>(threads: i64, sources: impl Iterator<Item = &'a Source<'a>>) -> Result<Self, String> {
        let has_definitions =
            |of: &&Module| !(of.structs.is_empty() && of.constants.is_empty() && of.functions.is_empty());
        let mut modules: Vec<&Module> = Vec::new();
        for module in sources.map(|source| source.module).filter(has_definitions) {
            if !modules.iter().any(|known| std::ptr::eq(*known, module)) {
                modules.push(module);
            }
        }
        if modules.len() > 1 {
            return Err("its kernels come from several sources that have functions, structs or constants".to_owned());
        }
        let mut module = Module::default();
        if let Some(of) = modules.first() {
            module.structs.clone_from(&of.structs);
            module.constants.clone_from(&of.constants);
            module.functions.clone_from(&of.functions);
        }
        Ok(Self { module, body: Body::default(), params: Vec::new(), thread: VarId(0), threads })
    }

    pub(super) fn variable(&mut self, name: &str, ty: impl Into<Type>, role: Role, is_const: bool) -> VarId {
        let variable = Variable { name: name.to_owned(), ty: ty.into(), role, is_const, span: Span::default() };
        self.body.add_generated(variable)
    }

    pub(super) fn local(&mut self, name: &str, is_const: bool) -> VarId {
        self.variable(name, Scalar::I32, Role::Local, is_const)
    }

    /// A parameter; all of them come before any other variable.
    pub(super) fn param(&mut self, name: &str, ty: impl Into<Type>, param: P) -> VarId {
        let role = Role::Param(self.params.len() as u32);
        self.params.push(param);
        self.variable(name, ty, role, true)
    }

    /// The variable of the item's number, once all parameters are there.
    pub(super) fn add_thread(&mut self) {
        self.thread = self.variable("thread", Scalar::I32, Role::Inner(0), true);
    }

    /// `int name = value;`
    pub(super) fn declare(&mut self, name: &str, value: Expr) -> (VarId, Stmt) {
        let var = self.local(name, true);
        (var, build::declare(&self.body, var, value))
    }

    /// What all items of a group do. Behind it they see what each other wrote to shared memory, and no other.
    pub(super) fn region(&self, body: Vec<Stmt>) -> Stmt {
        let count = build::int(self.threads);
        let axis = Axis { var: self.thread, start: int(0), step: int(1), count, span: Span::default() };
        let region = Region { axes: [Some(axis), None, None], body, meeting: Meeting::Shared };
        build::stmt(StmtKind::Inner(Box::new(region)))
    }

    /// `for (int var = from; var < end; var += step) { body }`
    pub(super) fn counted(
        &self,
        var: VarId,
        [from, end]: [Expr; 2],
        step: i64,
        body: Vec<Stmt>,
        unroll: Option<u32>,
    ) -> Stmt {
        build::stmt(StmtKind::Loop(Box::new(Loop {
            init: vec![build::declare(&self.body, var, from)],
            head: Vec::new(),
            condition: Some(less(load(var), end)),
            update: vec![build::advance(&self.body, var, step)],
            body,
            test_last: false,
            unroll,
        })))
    }

    /// The axis of groups along which `count` is a parameter.
    pub(super) fn groups(&mut self, axis: u8, count: VarId) -> Axis {
        let var = self.variable("group", Scalar::I32, Role::Outer(axis), true);
        let count = build::convert(load(count), Scalar::I64);
        Axis { var, start: int(0), step: int(1), count, span: Span::default() }
    }

    /// The kernel's module, and its parameters in order.
    pub(super) fn finish(
        self,
        name: String,
        outer: [Option<Axis>; 3],
        stmts: Vec<Stmt>,
        shared: Vec<VarId>,
        exclusive: Vec<VarId>,
    ) -> Made<P> {
        let Self { mut module, body, params, .. } = self;
        let nest = Nest {
            outer,
            stmts,
            exclusive,
            shared,
            dialect: Dialect::Lowered,
            launch: None,
            coarsened: None,
            span: Span::default(),
        };
        module.kernels.push(Kernel {
            name,
            params: (0..params.len() as u32).map(VarId).collect(),
            body,
            host: vec![HostStmt::Launch(0)],
            nests: vec![nest],
            max_inner_dims: None,
            sizes: Vec::new(),
            faults: false,
            span: Span::default(),
        });
        Made { module, params }
    }
}

/// A kernel's module, and its parameters in order.
pub(super) struct Made<P> {
    pub(super) module: Module,
    pub(super) params: Vec<P>,
}

/// An element of an array or of memory.
pub(super) fn element(root: VarId, index: Expr, ty: Scalar) -> Place {
    Place { root, path: vec![Projection::Index(index)], ty: ty.into(), span: Span::default() }
}

/// `place = value;`
pub(super) fn assign(place: Place, value: Expr) -> Stmt {
    build::stmt(StmtKind::Assign { place, op: None, value })
}

/// `if (condition) { then }`
pub(super) fn when(condition: Expr, then: Vec<Stmt>) -> Stmt {
    build::stmt(StmtKind::If { condition, then, otherwise: Vec::new() })
}
