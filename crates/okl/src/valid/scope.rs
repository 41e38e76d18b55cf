//! Rules 1 and 5 to 8 of the IR: structure, levels, declarations and roles.

use super::typing::{Checked, Typing, ensure};
use crate::ir::{
    Argument, Axis, BinaryOp, Body, Expr, Function, HostStmt, Initializer, Kernel, Loop, Module, Nest, Place, Region,
    Role, Scalar, Stmt, StmtKind, Type, VarId, Visitor, walk_place,
};
use std::collections::HashSet;

/// Whether a module keeps the rules of [`crate::ir`].
/// # Errors
/// The first rule that does not hold, with the function or kernel and the place in it.
pub fn verify(module: &Module) -> Result<(), String> {
    for (number, function) in module.functions.iter().enumerate() {
        let typing = Typing { module, body: &function.body, callable: number };
        verify_function(typing, function).map_err(|e| format!("function `{}`: {e}", function.name))?;
    }
    for kernel in &module.kernels {
        let typing = Typing { module, body: &kernel.body, callable: module.functions.len() };
        verify_kernel(typing, kernel).map_err(|e| format!("kernel `{}`: {e}", kernel.name))?;
    }
    Ok(())
}

fn verify_function(typing: Typing<'_>, function: &Function) -> Checked {
    verify_names(&function.body)?;
    verify_params(&function.body, &function.params)?;
    let result = function.result.clone();
    let mut scope = Scope::new(typing, Where::Function(result));
    scope.list(&function.stmts)?;
    // An impure one may hold its write in a branch that folding has dropped.
    let writes = scope.writes_params;
    ensure(!(function.is_pure && writes), || "a pure function writes through a parameter".into())
}

fn verify_kernel(typing: Typing<'_>, kernel: &Kernel) -> Checked {
    verify_names(&kernel.body)?;
    verify_params(&kernel.body, &kernel.params)?;
    let Typing { module, body, callable } = typing;
    let typing = || Typing { module, body, callable };
    let mut set = HashSet::new();
    verify_host(&typing(), &kernel.host, &mut set, kernel.nests.len())?;
    for (number, nest) in kernel.nests.iter().enumerate() {
        verify_nest(typing(), nest).map_err(|e| format!("nest {number}: {e}"))?;
    }
    Ok(())
}

fn verify_names(body: &Body) -> Checked {
    let mut names = HashSet::new();
    body.vars
        .iter()
        .try_for_each(|var| ensure(names.insert(&var.name), || format!("two variables are called `{}`", var.name)))
}

fn verify_params(body: &Body, params: &[VarId]) -> Checked {
    for (number, param) in params.iter().enumerate() {
        let var = body.vars.get(param.0 as usize).ok_or("a parameter that does not exist")?;
        ensure(var.role == Role::Param(number as u32), || format!("parameter `{}` has role {:?}", var.name, var.role))?;
    }
    let others = body.vars.iter().filter(|v| !matches!(v.role, Role::Param(_)));
    others.into_iter().try_for_each(|v| {
        ensure(!matches!(v.ty, Type::Pointer(_)), || format!("`{}` is a pointer and no parameter", v.name))
    })
}

/// Whether the host can evaluate an expression.
fn verify_host_expr(typing: &Typing<'_>, expr: &Expr) -> Checked {
    struct Reads<'b>(&'b Body, Checked);
    impl Visitor for Reads<'_> {
        fn expr(&mut self, expr: &Expr) {
            if matches!(expr.kind, crate::ir::ExprKind::Call(..)) {
                self.1 = Err("the host calls a device function".into());
            }
            crate::ir::walk_expr(self, expr);
        }
        fn load(&mut self, place: &Place) {
            let var = &self.0.vars[place.root.0 as usize];
            if !matches!(var.role, Role::Host | Role::Param(_)) || !matches!(var.ty, Type::Scalar(_)) {
                self.1 = Err(format!("the host reads `{}`", var.name));
            }
            walk_place(self, place);
        }
    }
    typing.expr(expr)?;
    let mut reads = Reads(typing.body, Ok(()));
    reads.expr(expr);
    reads.1
}

fn verify_host(typing: &Typing<'_>, stmts: &[HostStmt], set: &mut HashSet<VarId>, nests: usize) -> Checked {
    for stmt in stmts {
        match stmt {
            HostStmt::Set { var, value } => {
                verify_host_expr(typing, value)?;
                let of = typing.body.vars.get(var.0 as usize).ok_or("a host variable that does not exist")?;
                ensure(of.role == Role::Host, || format!("the host sets `{}`", of.name))?;
                ensure(of.ty == value.ty, || format!("the host sets `{}` to {:?}", of.name, value.ty))?;
                set.insert(*var);
            }
            HostStmt::If { condition, then, otherwise } => {
                verify_host_expr(typing, condition)?;
                typing.condition(condition)?;
                verify_host(typing, then, set, nests)?;
                verify_host(typing, otherwise, set, nests)?;
            }
            HostStmt::Loop { condition, body, update } => {
                verify_host_expr(typing, condition)?;
                typing.condition(condition)?;
                verify_host(typing, body, set, nests)?;
                verify_host(typing, update, set, nests)?;
            }
            HostStmt::Launch(nest) => ensure((*nest as usize) < nests, || format!("nest {nest} does not exist"))?,
            HostStmt::Return => {}
        }
    }
    Ok(())
}

fn verify_nest(typing: Typing<'_>, nest: &Nest) -> Checked {
    let mut scope = Scope::new(typing, Where::Group);
    for (index, axis) in nest.outer.iter().enumerate() {
        let Some(axis) = axis else { continue };
        verify_axis(&scope.typing, axis, Role::Outer(index as u8))?;
        verify_host_expr(&scope.typing, &axis.start)?;
        scope.visible.insert(axis.var);
    }
    for (vars, role) in [(&nest.shared, Role::Shared), (&nest.exclusive, Role::Exclusive)] {
        for var in vars {
            let of = scope.typing.body.vars.get(var.0 as usize).ok_or("a variable that does not exist")?;
            ensure(of.role == role, || format!("`{}` has role {:?}", of.name, of.role))?;
            ensure(scope.visible.insert(*var), || format!("`{}` stands twice in the nest", of.name))?;
        }
    }
    scope.list(&nest.stmts)
}

fn verify_axis(typing: &Typing<'_>, axis: &Axis, role: Role) -> Checked {
    let var = typing.body.vars.get(axis.var.0 as usize).ok_or("an index that does not exist")?;
    ensure(var.role == role, || format!("index `{}` has role {:?}", var.name, var.role))?;
    ensure(axis.start.ty == var.ty, || format!("index `{}` starts at {:?}", var.name, axis.start.ty))?;
    let signed = matches!(axis.step.ty, Type::Scalar(Scalar::I32 | Scalar::I64));
    ensure(signed, || format!("the step of `{}` is {:?}", var.name, axis.step.ty))?;
    ensure(axis.count.ty == Type::Scalar(Scalar::I64), || {
        format!("the count of `{}` is {:?}", var.name, axis.count.ty)
    })?;
    verify_host_expr(typing, &axis.step)?;
    verify_host_expr(typing, &axis.count)
}

/// Where a statement stands.
#[derive(Clone, Debug, PartialEq)]
enum Where {
    Group,
    Region,
    Function(Type),
}

/// What is visible and legal at a point.
struct Scope<'m> {
    typing: Typing<'m>,
    at: Where,
    /// Locals, indices and memory in scope.
    visible: HashSet<VarId>,
    /// Locals of the group, which regions only read.
    of_group: HashSet<VarId>,
    /// Locals declared so far, in scope or not.
    declared: HashSet<VarId>,
    loops: u32,
    switches: u32,
    writes_params: bool,
}

impl<'m> Scope<'m> {
    fn new(typing: Typing<'m>, at: Where) -> Self {
        Self {
            typing,
            at,
            visible: HashSet::new(),
            of_group: HashSet::new(),
            declared: HashSet::new(),
            loops: 0,
            switches: 0,
            writes_params: false,
        }
    }

    /// Checks a list that is a scope of its own.
    fn scoped(&mut self, stmts: &[Stmt]) -> Checked {
        let visible = self.visible.clone();
        self.list(stmts)?;
        self.visible = visible;
        Ok(())
    }

    fn list(&mut self, stmts: &[Stmt]) -> Checked {
        stmts.iter().try_for_each(|s| self.stmt(s))
    }

    fn name(&self, var: VarId) -> &str {
        self.typing.body.vars.get(var.0 as usize).map_or("?", |v| v.name.as_str())
    }

    fn stmt(&mut self, stmt: &Stmt) -> Checked {
        match &stmt.kind {
            StmtKind::Declare { var, init } => self.declare(*var, init.as_ref()),
            StmtKind::Assign { place, op, value } => {
                self.value(value)?;
                self.store(place)?;
                let is_shift = matches!(op, Some(BinaryOp::Shl | BinaryOp::Shr));
                ensure(is_shift || value.ty == place.ty, || {
                    format!("`{}` of {:?} is set to {:?}", self.name(place.root), place.ty, value.ty)
                })
            }
            StmtKind::Atomic { place, value, result, .. } => {
                self.value(value)?;
                self.store(place)?;
                let memory = matches!(self.role(place.root)?, Role::Shared | Role::Param(_));
                ensure(memory && self.at != Where::Group, || {
                    format!("an atomic update of `{}`", self.name(place.root))
                })?;
                ensure(value.ty == place.ty, || "an atomic update of another type".into())?;
                self.result(*result, &place.ty)
            }
            StmtKind::Call { function, arguments, result } => self.call(function.0, arguments, *result),
            StmtKind::If { condition, then, otherwise } => {
                self.value(condition)?;
                self.typing.condition(condition)?;
                self.scoped(then)?;
                self.scoped(otherwise)
            }
            StmtKind::Loop(l) => self.loop_stmt(l),
            StmtKind::Switch { value, arms } => {
                self.value(value)?;
                self.switches += 1;
                for arm in arms {
                    self.scoped(&arm.body)?;
                }
                self.switches -= 1;
                Ok(())
            }
            StmtKind::Break => ensure(self.loops + self.switches > 0, || "`break` outside of a loop or switch".into()),
            StmtKind::Continue => ensure(self.loops > 0, || "`continue` outside of a loop".into()),
            StmtKind::Return(value) => self.return_stmt(value.as_ref()),
            StmtKind::EndItem => ensure(self.at == Where::Region, || "an item ends outside of a region".into()),
            StmtKind::Block(stmts) => self.scoped(stmts),
            StmtKind::Inner(region) => self.region(region),
        }
    }

    fn declare(&mut self, var: VarId, init: Option<&Initializer>) -> Checked {
        match init {
            Some(Initializer::Value(value)) => {
                self.value(value)?;
                ensure(value.ty == self.typing.body.vars[var.0 as usize].ty, || {
                    format!("`{}` is initialised by {:?}", self.name(var), value.ty)
                })?;
            }
            Some(Initializer::List(values)) => values.iter().try_for_each(|v| self.value(v))?,
            None => {}
        }
        ensure(self.role(var)? == Role::Local, || format!("`{}` is declared by a statement", self.name(var)))?;
        ensure(self.declared.insert(var), || format!("`{}` is declared twice", self.name(var)))?;
        if self.at == Where::Group {
            self.of_group.insert(var);
        }
        self.visible.insert(var);
        Ok(())
    }

    fn loop_stmt(&mut self, l: &Loop) -> Checked {
        let visible = self.visible.clone();
        self.list(&l.init)?;
        if l.test_last {
            self.in_loop(&l.body)?;
            self.scoped(&l.update)?;
        }
        // What the head declares is seen by the test alone where that comes last, else by the whole iteration.
        self.list(&l.head)?;
        if let Some(condition) = &l.condition {
            self.value(condition)?;
            self.typing.condition(condition)?;
        }
        if !l.test_last {
            self.in_loop(&l.body)?;
            self.scoped(&l.update)?;
        }
        self.visible = visible;
        Ok(())
    }

    fn in_loop(&mut self, body: &[Stmt]) -> Checked {
        self.loops += 1;
        self.scoped(body)?;
        self.loops -= 1;
        Ok(())
    }

    fn return_stmt(&mut self, value: Option<&Expr>) -> Checked {
        value.iter().try_for_each(|v| self.value(v))?;
        let result = value.map_or(Type::Void, |v| v.ty.clone());
        match &self.at {
            Where::Function(expected) => {
                ensure(*expected == result, || format!("a function of {expected:?} returns {result:?}"))
            }
            Where::Region => ensure(value.is_none(), || "a region returns a value".into()),
            Where::Group => Err("a group returns".into()),
        }
    }

    fn region(&mut self, region: &Region) -> Checked {
        ensure(self.at == Where::Group, || "a region within a region".into())?;
        ensure(region.axes.iter().any(Option::is_some), || "a region without axes".into())?;
        let visible = self.visible.clone();
        for (index, axis) in region.axes.iter().enumerate() {
            let Some(axis) = axis else { continue };
            verify_axis(&self.typing, axis, Role::Inner(index as u8))?;
            self.value(&axis.start)?;
            self.visible.insert(axis.var);
        }
        let outside = (std::mem::replace(&mut self.loops, 0), std::mem::replace(&mut self.switches, 0));
        self.at = Where::Region;
        self.list(&region.body)?;
        self.at = Where::Group;
        (self.loops, self.switches) = outside;
        self.visible = visible;
        Ok(())
    }

    fn call(&mut self, id: u32, arguments: &[Argument], result: Option<VarId>) -> Checked {
        let function = self.typing.function(id)?;
        let (ty, name) = (function.result.clone(), function.name.clone());
        self.typing.arguments(function, arguments)?;
        for argument in arguments {
            match argument {
                Argument::Value(value) => self.value(value)?,
                Argument::Pointer(place) => {
                    self.subscripts(place)?;
                    // Which of its pointers an impure function writes is not in the IR: only the root is checked.
                    self.readable(place.root)?;
                }
            }
        }
        ensure(result.is_none() || ty != Type::Void, || format!("a result of `{name}`, which has none"))?;
        self.result(result, &ty)
    }

    fn result(&mut self, result: Option<VarId>, ty: &Type) -> Checked {
        let Some(var) = result else { return Ok(()) };
        self.readable(var)?;
        ensure(self.role(var)? == Role::Local, || format!("a result goes to `{}`", self.name(var)))?;
        let of = &self.typing.body.vars[var.0 as usize];
        ensure(of.ty == *ty, || format!("a result of {ty:?} goes to `{}`", of.name))
    }

    fn role(&self, var: VarId) -> Result<Role, String> {
        self.typing
            .body
            .vars
            .get(var.0 as usize)
            .map(|v| v.role)
            .ok_or_else(|| "a variable that does not exist".to_owned())
    }

    /// Whether a variable may be read here.
    fn readable(&self, var: VarId) -> Checked {
        let role = self.role(var)?;
        let holds = match role {
            Role::Param(_) | Role::Constant(_) | Role::Host => true,
            Role::Exclusive => self.visible.contains(&var) && self.at == Where::Region,
            Role::Local | Role::Outer(_) | Role::Inner(_) | Role::Shared => self.visible.contains(&var),
        };
        ensure(holds, || format!("`{}` ({role:?}) is not visible at {:?}", self.name(var), self.at))
    }

    fn value(&self, expr: &Expr) -> Checked {
        self.typing.expr(expr)?;
        let mut reads = Reads { scope: self, result: Ok(()) };
        reads.expr(expr);
        reads.result
    }

    fn subscripts(&self, place: &Place) -> Checked {
        let mut reads = Reads { scope: self, result: Ok(()) };
        walk_place(&mut reads, place);
        reads.result
    }

    fn store(&mut self, place: &Place) -> Checked {
        self.typing.place(place)?;
        self.subscripts(place)?;
        self.readable(place.root)?;
        let var = &self.typing.body.vars[place.root.0 as usize];
        let holds = match (var.role, &var.ty) {
            (Role::Param(_), Type::Pointer(p)) => {
                self.writes_params = true;
                p.mutable && self.at != Where::Group
            }
            (Role::Param(_), _) => matches!(self.at, Where::Function(_)),
            (Role::Shared | Role::Exclusive, _) => self.at != Where::Group,
            (Role::Local, _) => {
                let is_foreign = self.at == Where::Region && self.of_group.contains(&place.root);
                !is_foreign && !var.is_const
            }
            (Role::Host | Role::Outer(_) | Role::Inner(_) | Role::Constant(_), _) => false,
        };
        ensure(holds, || format!("`{}` ({:?}) is written at {:?}", var.name, var.role, self.at))
    }
}

/// Checks that everything an expression reads is visible.
struct Reads<'s, 'm> {
    scope: &'s Scope<'m>,
    result: Checked,
}

impl Visitor for Reads<'_, '_> {
    fn load(&mut self, place: &Place) {
        if self.result.is_ok() {
            self.result = self.scope.readable(place.root);
        }
        walk_place(self, place);
    }

    fn store(&mut self, place: &Place) {
        self.load(place);
    }
}
