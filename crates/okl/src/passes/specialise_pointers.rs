//! Pointers made into names, for targets that pass no pointers to buffers or shared memory.
//!
//! Every piece of memory that functions may be given the address of stands at module scope ([`Root`]): storage of
//! pointer parameters, shared variables, and those exclusive and local variables whose address is taken. A function
//! with pointer parameters is copied for each way of pointing them at roots and constants; the copy names these and takes
//! the element offsets as numbers. Recursion is refused before, so that the copies are finitely many, and so that a local
//! variable at module scope is alive once.
//!
//! Afterwards every path is *plain*: into each array or memory leads one [`Projection::Flat`] of type `I32` or `U32`,
//! which counts elements from the root's own start, modulo 2³². What subgroups exchange through registers is no memory, and
//! stays as it is.

use super::mod_ref::{Effect, Effects};
use super::simt::Threads;
use crate::ir::rewrite::{Rewriter, rewrite_expr, rewrite_place, rewrite_stmt};
use crate::ir::{
    Argument, BinaryOp, Body, Builtin, Coarsened, ConstantId, Expr, ExprKind, Function, FunctionId, LaunchShape,
    Literal, Module, Nest, Place, Pointer, Projection, Role, Root, RootId, RootSpace, Scalar, Stmt, StmtKind, Type,
    Uses, VarId, Variable, Visitor, build, walk_expr, walk_place, walk_stmt,
};
use crate::source::Span;
use std::collections::{BTreeMap, BTreeSet};

/// Gives every function a version for each way of pointing its parameters.
pub(crate) fn run(module: &mut Module) {
    run_for(module, None);
}

/// The same for threads that may exchange registers.
pub(crate) fn run_for(module: &mut Module, threads: Option<Threads>) {
    let mut kernels = std::mem::take(&mut module.kernels);
    let mut specialiser = Specialiser::new(module, threads);
    for kernel in &mut kernels {
        for nest in &mut kernel.nests {
            specialiser.nest(&mut kernel.body, nest);
        }
    }
    let Specialiser { roots, functions, .. } = specialiser;
    let roots = roots.into_iter().map(|(root, _)| root).collect();
    (module.kernels, module.functions, module.roots) = (kernels, functions, roots);
}

/// For each function, whether it reaches storage that some kernel writes.
pub(crate) fn reach_written_storage(module: &Module) -> Vec<bool> {
    module.functions.iter().fold(Vec::with_capacity(module.functions.len()), |mut functions, function| {
        functions.push(reaches_written_storage(module, &functions, &function.body, &function.stmts));
        functions
    })
}

/// Whether statements reach such storage, with what is known of the functions that they call.
pub(crate) fn reaches_written_storage(module: &Module, functions: &[bool], body: &Body, stmts: &[Stmt]) -> bool {
    let mut reached = Reached { module, functions, body, by_loads: true, found: false };
    stmts.iter().for_each(|stmt| reached.stmt(stmt));
    reached.found
}

/// Whether they may write it.
pub(crate) fn writes_storage(module: &Module, functions: &[bool], body: &Body, stmts: &[Stmt]) -> bool {
    let mut reached = Reached { module, functions, body, by_loads: false, found: false };
    stmts.iter().for_each(|stmt| reached.stmt(stmt));
    reached.found
}

struct Reached<'a> {
    module: &'a Module,
    /// By function; callees come first.
    functions: &'a [bool],
    body: &'a Body,
    /// Loads count.
    by_loads: bool,
    found: bool,
}

impl Visitor for Reached<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::Call { function, .. } = &stmt.kind {
            self.found |= self.functions[function.0 as usize];
        }
        walk_stmt(self, stmt);
    }

    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Call(function, _) = &expr.kind {
            self.found |= self.functions[function.0 as usize];
        }
        walk_expr(self, expr);
    }

    fn load(&mut self, place: &Place) {
        match self.by_loads {
            true => self.store(place),
            false => walk_place(self, place),
        }
    }

    fn store(&mut self, place: &Place) {
        if let Role::Root(id) = self.body.var(place.root).role {
            let root = &self.module.roots[id.0 as usize];
            self.found |= root.written && matches!(root.space, RootSpace::Storage(_));
        }
        walk_place(self, place);
    }
}

/// What a pointer argument points into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Target {
    Root(RootId),
    Constant(ConstantId),
}

/// One step of a pointer argument's path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Flat,
    Field(u32),
}

type Key = (FunctionId, Vec<Option<(Target, Vec<Step>)>>);

/// Makes and remembers copies of functions.
struct Specialiser<'a> {
    module: &'a Module,
    /// Threads that may exchange registers.
    threads: Option<Threads>,
    /// Every root, with the device function whose variable it is: while that runs, so may others, whose variables are
    /// other memory.
    roots: Vec<(Root, Option<FunctionId>)>,
    by_name: BTreeMap<String, Vec<RootId>>,
    /// Every copy, callees first.
    functions: Vec<Function>,
    done: BTreeMap<Key, usize>,
    effects: Vec<BTreeMap<VarId, Effect>>,
}

/// Where a variable of a body leads.
#[derive(Clone)]
struct Pointee {
    /// The variable that stands for the memory.
    var: VarId,
    /// What lies between the memory's start and the variable's.
    prefix: Vec<Projection>,
}

/// What is known of the variables of a nest or function.
#[derive(Default)]
struct Known {
    /// Of those for which another stands, or a part of it.
    pointees: BTreeMap<VarId, Pointee>,
    /// Roots of its own variables, which differ from each other.
    taken: BTreeSet<RootId>,
    /// The device function.
    owner: Option<FunctionId>,
    /// What subgroups exchange stays in registers.
    in_registers: bool,
}

impl<'a> Specialiser<'a> {
    /// Nothing copied yet.
    fn new(module: &'a Module, threads: Option<Threads>) -> Self {
        let mut effects = Vec::new();
        for function in &module.functions {
            effects.push(Effects::of(module, &effects, &function.stmts));
        }
        let (roots, by_name) = (Vec::new(), BTreeMap::new());
        Self { module, threads, roots, by_name, functions: Vec::new(), done: BTreeMap::new(), effects }
    }

    fn nest(&mut self, body: &mut Body, nest: &mut Nest) {
        let launch = LaunchShape::of(self.module, body, nest);
        let in_registers = self.threads.is_some_and(|threads| threads.exchange_in_registers(body, nest, &launch));
        let mut known = Known { in_registers, ..Known::default() };
        let stmts = std::mem::take(&mut nest.stmts);
        nest.stmts = self.group(body, &nest.shared, &mut known, stmts);
        if let Some(Coarsened { head, condition, stmts }) = nest.coarsened.take() {
            let both = build::stmt(StmtKind::If { condition, then: stmts, otherwise: Vec::new() });
            let mut head = self.group(body, &[], &mut known, [head, vec![both]].concat());
            if let Some(StmtKind::If { condition, then: stmts, .. }) = head.pop().map(|both| both.kind) {
                nest.coarsened = Some(Coarsened { head, condition, stmts });
            }
        }
        nest.shared.retain(|&var| matches!(body.var(var).role, Role::Exchange(_)));
        nest.exclusive.retain(|&var| body.var(var).role == Role::Exclusive);
    }

    /// Prepares statements of a nest. A slice of storage begins at [`Builtin::Start`], a `U32`.
    fn group(&mut self, body: &mut Body, shared: &[VarId], known: &mut Known, stmts: Vec<Stmt>) -> Vec<Stmt> {
        let effects = Effects::of(self.module, &self.effects, &stmts);
        let uses = Uses::of(&stmts);
        let mut out = Vec::new();
        for &var in uses.mentioned.iter().chain(shared.iter().filter(|var| !uses.mentioned.contains(var))) {
            let effect = effects.get(&var).copied().unwrap_or_default();
            let variable = &body.var(var).clone();
            let is_pointer = matches!(variable.ty, Type::Pointer(_));
            match variable.role {
                Role::Param(_) if is_pointer && known.pointees.contains_key(&var) => {}
                Role::Param(position) if is_pointer => {
                    let id = self.root(variable, RootSpace::Storage(position), effect, known);
                    let prefix = vec![Projection::Flat(build::builtin(Builtin::Start(position), Scalar::U32))];
                    let var_of_root = body.add(Variable { role: Role::Root(id), ..variable.clone() });
                    known.pointees.insert(var, Pointee { var: var_of_root, prefix });
                }
                Role::Exchange(_) if known.in_registers => {}
                Role::Shared | Role::Exchange(_) => {
                    let id = self.root(variable, RootSpace::Workgroup, effect, known);
                    body.vars[var.0 as usize].role = Role::Root(id);
                }
                _ if uses.addressed.contains(&var) => out.extend(self.private(body, var, effect, known)),
                _ => {}
            }
        }
        out.extend(self.rewrite((body, body), known, stmts));
        out
    }

    /// Puts a variable whose address is taken at module scope; what is given from outside is copied there.
    fn private(&mut self, body: &mut Body, var: VarId, effect: Effect, known: &mut Known) -> Option<Stmt> {
        let variable = body.var(var).clone();
        match variable.role {
            Role::Constant(_) | Role::Root(_) => None,
            Role::Param(_) | Role::Host => {
                let copy = known.pointees.get(&var).map(|of| of.var).unwrap_or_else(|| {
                    let id = self.root(&variable, RootSpace::Private, effect, known);
                    body.add(Variable { role: Role::Root(id), is_const: false, ..variable })
                });
                known.pointees.insert(var, Pointee { var: copy, prefix: Vec::new() });
                Some(build::declare(body, copy, build::load(body, var)))
            }
            _ => {
                let id = self.root(&variable, RootSpace::Private, effect, known);
                body.vars[var.0 as usize].role = Role::Root(id);
                None
            }
        }
    }

    /// The root that a variable becomes.
    fn root(&mut self, variable: &Variable, space: RootSpace, effect: Effect, known: &mut Known) -> RootId {
        let (element, len) = match &variable.ty {
            Type::Array(element, _) => ((**element).clone(), Some(variable.ty.len())),
            Type::Pointer(pointer) => ((*pointer.element).clone(), None),
            other => (other.clone(), None),
        };
        let (name, Effect { written, atomic }) = (variable.name.clone(), effect);
        let root = Root { name, space, element, len, written, atomic, span: variable.span };
        let same = |other: &Root| Root { span: root.span, ..other.clone() } == root;
        let namesakes = self.by_name.entry(root.name.clone()).or_default();
        let is_free = |id: &&RootId| {
            let (other, of) = &self.roots[id.0 as usize];
            same(other) && *of == known.owner && !known.taken.contains(id)
        };
        let id = namesakes.iter().find(is_free).copied().unwrap_or_else(|| {
            let id = RootId(self.roots.len() as u32);
            namesakes.push(id);
            self.roots.push((root, known.owner));
            id
        });
        known.taken.insert(id);
        id
    }

    /// Makes the paths plain and sends the calls to copies; `source` has the types of variables as the statements mean
    /// them.
    fn rewrite(&mut self, (source, body): (&Body, &Body), known: &Known, mut stmts: Vec<Stmt>) -> Vec<Stmt> {
        let mut pass = Pass { owner: self, source, body, pointees: &known.pointees };
        pass.list(&mut stmts);
        stmts
    }

    /// The copy of a function whose pointers lead where the key says.
    fn function(&mut self, key: Key) -> FunctionId {
        if let Some(&index) = self.done.get(&key) {
            return FunctionId(index as u32);
        }
        let original = &self.module.functions[key.0.0 as usize];
        let mut function = original.clone();
        let effects = self.effects[key.0.0 as usize].clone();
        let uses = Uses::of(&function.stmts);
        let mut known = Known { owner: Some(key.0), ..Known::default() };
        let mut params = Vec::new();
        for (&param, target) in original.params.iter().zip(&key.1) {
            match target {
                None => {
                    function.body.vars[param.0 as usize].role = Role::Param(params.len() as u32);
                    params.push(param);
                }
                Some((target, steps)) => {
                    self.point(&mut function.body, param, (*target, steps), &mut params, &mut known)
                }
            }
        }
        let mut stmts = Vec::new();
        for &var in uses.mentioned.iter().filter(|var| uses.addressed.contains(var)) {
            let effect = effects.get(&var).copied().unwrap_or_default();
            stmts.extend(self.private(&mut function.body, var, effect, &mut known));
        }
        stmts.extend(self.rewrite((&original.body, &function.body), &known, std::mem::take(&mut function.stmts)));
        function.stmts = stmts;
        function.params = params;
        function.name = self.function_name(original, &key);
        self.functions.push(function);
        self.done.insert(key, self.functions.len() - 1);
        FunctionId(self.functions.len() as u32 - 1)
    }

    /// `total`, `total_of_s`
    fn function_name(&self, original: &Function, key: &Key) -> String {
        let name = |target: &Target| match *target {
            Target::Root(id) => self.roots[id.0 as usize].0.name.as_str(),
            Target::Constant(id) => self.module.constants[id.0 as usize].name.as_str(),
        };
        let names: Vec<&str> = key.1.iter().flatten().map(|(target, _)| name(target)).collect();
        if names.is_empty() { original.name.clone() } else { format!("{}_of_{}", original.name, names.join("_")) }
    }

    /// Makes a pointer parameter what it points into, with hidden parameters for the numbers of its path.
    fn point(
        &self,
        body: &mut Body,
        param: VarId,
        (target, steps): (Target, &[Step]),
        params: &mut Vec<VarId>,
        known: &mut Known,
    ) {
        let Variable { name: stem, span, ty, .. } = body.var(param).clone();
        let mut number = || {
            let (ty, role) = (Scalar::U32.into(), Role::Param(params.len() as u32));
            let template = Variable { name: String::new(), ty, role, is_const: true, span };
            let hidden = build::fresh(body, &format!("{stem}_start"), template);
            params.push(hidden);
            Projection::Flat(build::load(body, hidden))
        };
        let prefix = steps.iter().map(|step| match step {
            Step::Field(number) => Projection::Field(*number),
            Step::Flat => number(),
        });
        let pointee = Pointee { var: param, prefix: prefix.collect() };
        known.pointees.insert(param, pointee);
        let variable = &mut body.vars[param.0 as usize];
        variable.is_const = false;
        match target {
            Target::Constant(id) => {
                (variable.role, variable.is_const) = (Role::Constant(id), true);
                variable.ty = self.module.constants[id.0 as usize].ty.clone();
            }
            Target::Root(id) => {
                let (Root { space, element, len, .. }, _) = &self.roots[id.0 as usize];
                variable.role = Role::Root(id);
                variable.ty = match (space, len, ty) {
                    (RootSpace::Storage(_), _, Type::Pointer(pointer)) => {
                        Type::Pointer(Pointer { element: Box::new(element.clone()), dims: Vec::new(), ..pointer })
                    }
                    (_, Some(len), _) => {
                        Type::Array(Box::new(element.clone()), vec![u32::try_from(*len).unwrap_or(u32::MAX)])
                    }
                    (..) => element.clone(),
                };
            }
        }
    }
}

struct Pass<'s, 'a, 'b> {
    owner: &'s mut Specialiser<'a>,
    source: &'b Body,
    body: &'b Body,
    pointees: &'b BTreeMap<VarId, Pointee>,
}

impl Pass<'_, '_, '_> {
    fn call(&mut self, function: &mut FunctionId, arguments: &mut Vec<Argument>) {
        let mut key = Vec::new();
        let mut out = Vec::new();
        for argument in std::mem::take(arguments) {
            match argument {
                Argument::Value(mut value) => {
                    self.expr(&mut value);
                    key.push(None);
                    out.push(Argument::Value(value));
                }
                Argument::Pointer(mut place) => {
                    if self.resolve(&mut place) {
                        place.path.push(Projection::Flat(number(0)));
                    }
                    let target = match self.body.var(place.root).role {
                        Role::Root(id) => Target::Root(id),
                        Role::Constant(id) => Target::Constant(id),
                        role => unreachable!("whatever has its address taken is a root, not {role:?}"),
                    };
                    let mut steps = Vec::new();
                    for projection in place.path {
                        match projection {
                            Projection::Field(number) => steps.push(Step::Field(number)),
                            Projection::Flat(e) | Projection::Index(e) => {
                                steps.push(Step::Flat);
                                out.push(Argument::Value(unsigned(e)));
                            }
                        }
                    }
                    key.push(Some((target, steps)));
                }
            }
        }
        *arguments = out;
        *function = self.owner.function((*function, key));
    }

    /// Makes a path plain; answers whether it leads to a whole array.
    fn resolve(&mut self, place: &mut Place) -> bool {
        rewrite_place(self, place);
        if matches!(self.body.var(place.root).role, Role::Exchange(_)) {
            return false;
        }
        let pointee = self.pointees.get(&place.root);
        let mut ty = self.source.var(place.root).ty.clone();
        let mut path = pointee.map_or(Vec::new(), |of| of.prefix.clone());
        let mut steps = std::mem::take(&mut place.path).into_iter().peekable();
        let mut whole = matches!(ty, Type::Array(..));
        if let (Type::Pointer(pointer), Some(pointee)) = (&ty, pointee) {
            // The parameter's own subscripts count from where it points to.
            let mut subscripts = Vec::new();
            let mut flat = None;
            while let Some(Projection::Index(_) | Projection::Flat(_)) = steps.peek() {
                match steps.next() {
                    Some(Projection::Index(e)) if subscripts.len() <= pointer.dims.len() => subscripts.push(e),
                    Some(Projection::Flat(e)) => flat = Some(offset(&e)),
                    _ => unreachable!("a pointer has as many subscripts as dimensions"),
                }
            }
            let mut dims = vec![0];
            dims.extend(&pointer.dims);
            let index = flat.unwrap_or_else(|| affine(&subscripts, &dims));
            // A pointer to a single variable has no element but the first.
            if let Some(Projection::Flat(start)) = pointee.prefix.last() {
                path.pop();
                path.push(Projection::Flat(plus(start.clone(), index)));
            }
            ty = (*pointer.element).clone();
            whole = false;
        }
        while let Some(step) = steps.next() {
            match step {
                Projection::Field(field) => {
                    let Type::Struct(id) = &ty else { unreachable!("a field belongs to a struct") };
                    ty = self.owner.module.structs[id.0 as usize].fields[field as usize].ty.clone();
                    path.push(Projection::Field(field));
                    whole = matches!(ty, Type::Array(..));
                }
                Projection::Flat(e) => {
                    path.push(Projection::Flat(offset(&e)));
                    ty = element(ty);
                    whole = false;
                }
                Projection::Index(e) => {
                    let dims = match &ty {
                        Type::Array(_, dims) => dims.clone(),
                        other => unreachable!("{other:?} has no elements"),
                    };
                    let mut subscripts = vec![e];
                    while subscripts.len() < dims.len()
                        && let Some(Projection::Index(e)) = steps.next_if(|s| matches!(s, Projection::Index(_)))
                    {
                        subscripts.push(e);
                    }
                    path.push(Projection::Flat(affine(&subscripts, &dims)));
                    ty = element(ty);
                    whole = false;
                }
            }
        }
        place.root = pointee.map_or(place.root, |of| of.var);
        place.path = path;
        whole
    }
}

impl Rewriter for Pass<'_, '_, '_> {
    fn stmt(&mut self, stmt: &mut Stmt) {
        if let StmtKind::Call { function, arguments, .. } = &mut stmt.kind {
            return self.call(function, arguments);
        }
        rewrite_stmt(self, stmt);
    }

    fn expr(&mut self, expr: &mut Expr) {
        if let ExprKind::Call(function, arguments) = &mut expr.kind {
            return self.call(function, arguments);
        }
        rewrite_expr(self, expr);
    }

    fn place(&mut self, place: &mut Place) {
        self.resolve(place);
    }
}

/// Row-major position of a list of subscripts, which may be shorter than the list of dimensions.
fn affine(subscripts: &[Expr], dims: &[u32]) -> Expr {
    let mut sum = number(0);
    for (position, &dim) in dims.iter().enumerate() {
        if position > 0 {
            sum = times(sum, dim);
        }
        if let Some(subscript) = subscripts.get(position) {
            sum = plus(sum, offset(subscript));
        }
    }
    sum
}

fn element(ty: Type) -> Type {
    match ty {
        Type::Array(element, _) => *element,
        Type::Pointer(pointer) => *pointer.element,
        other => other,
    }
}

fn number(value: i32) -> Expr {
    Expr::int(i64::from(value), Scalar::I32, Span::default())
}

fn scalar(expr: &Expr) -> Scalar {
    expr.ty.scalar().unwrap_or(Scalar::I32)
}

/// The 32 bits as an unsigned number.
pub(crate) fn unsigned(expr: Expr) -> Expr {
    match expr.literal() {
        Some(Literal::Int(value)) => Expr::int(i64::from(value as u32), Scalar::U32, expr.span),
        _ => build::convert(expr, Scalar::U32),
    }
}

fn plus(a: Expr, b: Expr) -> Expr {
    match (a.as_int(), b.as_int()) {
        (Some(0), _) => b,
        (_, Some(0)) => a,
        (Some(x), Some(y)) => number((x as i32).wrapping_add(y as i32)),
        _ if scalar(&a) == scalar(&b) => {
            let ty = scalar(&a);
            build::binary(BinaryOp::Add, a, b, ty)
        }
        _ => build::binary(BinaryOp::Add, unsigned(a), unsigned(b), Scalar::U32),
    }
}

fn times(a: Expr, factor: u32) -> Expr {
    match (a.as_int(), factor) {
        (_, 1) => a,
        (Some(x), factor) => number((x as i32).wrapping_mul(factor as i32)),
        _ => {
            let ty = scalar(&a);
            build::binary(BinaryOp::Mul, Expr::int(i64::from(factor), ty, Span::default()), a, ty)
        }
    }
}

/// A subscript modulo 2³², which no memory of the target exceeds: sums of 64-bit numbers need 32 bits then.
fn offset(index: &Expr) -> Expr {
    let narrow = build::narrow(index);
    if narrow.ty.scalar().is_some_and(|ty| ty.bytes() == 4) {
        return narrow;
    }
    let span = narrow.span;
    Expr { span, kind: ExprKind::Cast { value: Box::new(narrow), implicit: true }, ty: Scalar::I32.into() }
}
