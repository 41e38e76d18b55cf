//! Pointers made into names, for targets that pass no pointers to buffers or shared memory.
//!
//! Every piece of memory that functions may be given the address of stands at module scope ([`Root`]): storage of
//! pointer parameters, shared variables, and those exclusive and local variables whose address is taken. A function
//! with pointer parameters is copied for each way of pointing them at roots ([`Specialiser`]); the copy names the
//! roots and takes the element offsets as numbers. Recursion is refused before, so that the copies are finitely many,
//! and so that a local variable at module scope is alive once.
//!
//! Afterwards every path is *plain*: into each array or memory leads one [`Projection::Flat`] of type `I32` or `U32`,
//! which counts elements from the root's own start, modulo 2³².

use super::mod_ref::{Effect, Effects};
use crate::ir::Uses;
use crate::ir::build;
use crate::ir::rewrite::{Rewriter, rewrite_expr, rewrite_place, rewrite_stmt};
use crate::ir::{
    Argument, BinaryOp, Body, Builtin, ConstantId, Expr, ExprKind, Function, FunctionId, Literal, Module, Nest, Place,
    Projection, Role, Scalar, Stmt, StmtKind, Type, VarId, Variable,
};
use crate::source::Span;
use std::collections::BTreeMap;

/// Index into [`Specialiser::roots`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RootId(pub(crate) u32);

/// Where a root lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RootSpace {
    /// A buffer: the kernel's parameter at this position.
    Storage(u32),
    /// One per group.
    Workgroup,
    /// One per item.
    Private,
    /// A table that never changes.
    Constant(ConstantId),
}

/// A piece of memory at module scope.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Root {
    /// What its variable is called: a hint.
    pub(crate) name: String,
    /// Where it lives.
    pub(crate) space: RootSpace,
    /// A scalar or struct; of an array its element.
    pub(crate) element: Type,
    /// Number of elements; absent for one variable and for storage.
    pub(crate) len: Option<u64>,
    /// Some statement writes it.
    pub(crate) written: bool,
    /// Some statement updates it atomically.
    pub(crate) atomic: bool,
    /// The device function whose variable it is: while that runs, so may others, whose variables are other memory.
    pub(crate) owner: Option<FunctionId>,
    /// Its declaration.
    pub(crate) span: Span,
}

/// A function whose pointers are names.
pub(crate) struct Specialised {
    /// Its parameters are numbers and structs.
    pub(crate) function: Function,
    /// The roots among its variables.
    pub(crate) roots: BTreeMap<VarId, RootId>,
}

/// A nest whose functions take no pointers.
pub(crate) struct RootedNest {
    /// Its statements.
    pub(crate) stmts: Vec<Stmt>,
    /// The roots among the kernel's variables.
    pub(crate) roots: BTreeMap<VarId, RootId>,
}

/// One step of a pointer argument's path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Flat,
    Field(u32),
}

type Key = (FunctionId, Vec<Option<(RootId, Vec<Step>)>>);

/// Makes and remembers copies of functions.
pub(crate) struct Specialiser<'a> {
    module: &'a Module,
    /// Every root of the text.
    pub(crate) roots: Vec<Root>,
    /// Every function of the text, callees first.
    pub(crate) functions: Vec<Specialised>,
    done: BTreeMap<Key, usize>,
    effects: Vec<BTreeMap<VarId, Effect>>,
}

impl<'a> Specialiser<'a> {
    /// Nothing copied yet.
    pub(crate) fn new(module: &'a Module) -> Self {
        let mut effects = Vec::new();
        for function in &module.functions {
            effects.push(Effects::of(module, &effects, &function.stmts));
        }
        Self { module, roots: Vec::new(), functions: Vec::new(), done: BTreeMap::new(), effects }
    }

    /// Prepares the statements of a nest. A slice of storage begins at [`Builtin::Start`], a `U32`.
    pub(crate) fn nest(&mut self, nest: &Nest, body: &Body, stmts: Vec<Stmt>) -> RootedNest {
        let effects = Effects::of(self.module, &self.effects, &stmts);
        let uses = Uses::of(&stmts);
        let mut aims = BTreeMap::new();
        let mut roots = BTreeMap::new();
        for &var in uses.mentioned.iter().chain(nest.shared.iter().filter(|var| !uses.mentioned.contains(var))) {
            let Some(space) = space_of(body, var, &uses) else { continue };
            let effect = effects.get(&var).copied().unwrap_or_default();
            let id = self.root(body, var, (space, None), effect, &roots);
            roots.insert(var, id);
            let prefix = match space {
                RootSpace::Storage(position) => {
                    vec![Projection::Flat(build::builtin(Builtin::Start(position), Scalar::U32))]
                }
                _ => Vec::new(),
            };
            aims.insert(var, Aim { var, root: Some(id), prefix });
        }
        let stmts = self.rewrite(body, aims, stmts);
        RootedNest { stmts, roots }
    }

    /// The root that a variable of a body becomes; `beside`: roots of the same body, which it must differ from.
    fn root(
        &mut self,
        body: &Body,
        var: VarId,
        (space, owner): (RootSpace, Option<FunctionId>),
        effect: Effect,
        beside: &BTreeMap<VarId, RootId>,
    ) -> RootId {
        let variable = body.var(var);
        let (element, len) = match &variable.ty {
            Type::Array(element, _) => ((**element).clone(), Some(variable.ty.len())),
            Type::Pointer(pointer) => ((*pointer.element).clone(), None),
            other => (other.clone(), None),
        };
        let (name, Effect { written, atomic }) = (variable.name.clone(), effect);
        let root = Root { name, space, element, len, written, atomic, owner, span: variable.span };
        let same = |other: &Root| Root { span: root.span, ..other.clone() } == root;
        let found = self.roots.iter().zip(0..).find(|(other, id)| same(other) && !beside.values().any(|b| b.0 == *id));
        if let Some((_, id)) = found {
            return RootId(id);
        }
        self.roots.push(root);
        RootId(self.roots.len() as u32 - 1)
    }

    fn rewrite(&mut self, body: &Body, aims: BTreeMap<VarId, Aim>, mut stmts: Vec<Stmt>) -> Vec<Stmt> {
        let mut pass = Pass { owner: self, body, aims };
        pass.list(&mut stmts);
        stmts
    }

    /// The copy of a function whose pointers aim as the key says.
    fn function(&mut self, key: Key) -> FunctionId {
        if let Some(&index) = self.done.get(&key) {
            return FunctionId(index as u32);
        }
        let original = &self.module.functions[key.0.0 as usize];
        let mut function = original.clone();
        let effects = self.effects[key.0.0 as usize].clone();
        let uses = Uses::of(&function.stmts);
        let (mut aims, mut roots) = (BTreeMap::new(), BTreeMap::new());
        let mut params = Vec::new();
        for (&param, aim) in original.params.iter().zip(&key.1) {
            match aim {
                None => params.push(param),
                Some((root, steps)) => {
                    let aim = self.aim(&mut function.body, param, *root, steps, &mut params, &mut roots);
                    aims.insert(param, aim);
                }
            }
        }
        for &var in &uses.mentioned {
            let addressed = uses.addressed.contains(&var);
            let space = match function.body.var(var).role {
                Role::Constant(id) if addressed => RootSpace::Constant(id),
                Role::Local | Role::Param(_) if addressed && !aims.contains_key(&var) => RootSpace::Private,
                _ => continue,
            };
            let effect = effects.get(&var).copied().unwrap_or_default();
            let id = self.root(&function.body, var, (space, Some(key.0)), effect, &roots);
            roots.insert(var, id);
            aims.insert(var, Aim { var, root: Some(id), prefix: Vec::new() });
        }
        let stmts = std::mem::take(&mut function.stmts);
        function.stmts = self.rewrite(&function.body, aims, stmts);
        function.params = params;
        function.name = self.function_name(original, &key);
        self.functions.push(Specialised { function, roots });
        self.done.insert(key, self.functions.len() - 1);
        FunctionId(self.functions.len() as u32 - 1)
    }

    /// `total`, `total_of_s`
    fn function_name(&self, original: &Function, key: &Key) -> String {
        let names: Vec<&str> =
            key.1.iter().flatten().map(|(root, _)| self.roots[root.0 as usize].name.as_str()).collect();
        if names.is_empty() { original.name.clone() } else { format!("{}_of_{}", original.name, names.join("_")) }
    }

    /// What a pointer parameter becomes in a copy: the root, and hidden parameters for the numbers of its path.
    fn aim(
        &self,
        body: &mut Body,
        param: VarId,
        root: RootId,
        steps: &[Step],
        params: &mut Vec<VarId>,
        roots: &mut BTreeMap<VarId, RootId>,
    ) -> Aim {
        let stem = body.var(param).name.clone();
        let known = &self.roots[root.0 as usize];
        let ty = match (known.space, known.len) {
            (RootSpace::Storage(_), _) => body.var(param).ty.clone(),
            (_, Some(len)) => {
                Type::Array(Box::new(known.element.clone()), vec![u32::try_from(len).unwrap_or(u32::MAX)])
            }
            (_, None) => known.element.clone(),
        };
        let ty = match ty {
            Type::Pointer(pointer) => Type::Pointer(crate::ir::Pointer {
                element: Box::new(known.element.clone()),
                dims: Vec::new(),
                ..pointer
            }),
            other => other,
        };
        let existing = roots.iter().find(|(_, id)| **id == root).map(|(var, _)| *var);
        let var = existing.unwrap_or_else(|| {
            let span = body.var(param).span;
            body.add(Variable { name: known.name.clone(), ty, role: Role::Host, is_const: false, span })
        });
        roots.insert(var, root);
        let prefix = steps
            .iter()
            .map(|step| match step {
                Step::Field(number) => Projection::Field(*number),
                Step::Flat => {
                    let span = body.var(param).span;
                    let ty = Scalar::U32.into();
                    let role = Role::Param(params.len() as u32);
                    let template = Variable { name: String::new(), ty, role, is_const: true, span };
                    let hidden = build::fresh(body, &format!("{stem}_start"), template);
                    params.push(hidden);
                    Projection::Flat(build::load(body, hidden))
                }
            })
            .collect();
        Aim { var, root: Some(root), prefix }
    }
}

/// Where a variable of a body leads.
#[derive(Clone)]
struct Aim {
    /// The variable that stands for the root.
    var: VarId,
    root: Option<RootId>,
    /// What lies between the root's start and the variable's.
    prefix: Vec<Projection>,
}

struct Pass<'s, 'a, 'b> {
    owner: &'s mut Specialiser<'a>,
    body: &'b Body,
    aims: BTreeMap<VarId, Aim>,
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
                    let whole = self.resolve(&mut place);
                    if whole {
                        place.path.push(Projection::Flat(number(0)));
                    }
                    let root = self.aims.get(&place.root).and_then(|aim| aim.root);
                    let Some(root) = root.or_else(|| self.root_of(place.root)) else {
                        unreachable!("whatever has its address taken is a root")
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
                    key.push(Some((root, steps)));
                }
            }
        }
        *arguments = out;
        *function = self.owner.function((*function, key));
    }

    /// The root that a variable stands for.
    fn root_of(&self, var: VarId) -> Option<RootId> {
        self.aims.values().find(|aim| aim.var == var).and_then(|aim| aim.root)
    }

    /// Makes a path plain; answers whether it leads to a whole array.
    fn resolve(&mut self, place: &mut Place) -> bool {
        rewrite_place(self, place);
        let aim = self.aims.get(&place.root).cloned();
        let ty = self.body.var(place.root).ty.clone();
        let (mut path, mut ty) = match &aim {
            None => (Vec::new(), ty),
            Some(aim) => (aim.prefix.clone(), ty),
        };
        let mut steps = std::mem::take(&mut place.path).into_iter().peekable();
        let mut whole = matches!(ty, Type::Array(..));
        if let (Type::Pointer(pointer), Some(aim)) = (&ty, &aim) {
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
            if let Some(Projection::Flat(start)) = aim.prefix.last() {
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
        if let Some(aim) = aim {
            place.root = aim.var;
        }
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

/// What must stand at module scope.
fn space_of(body: &Body, var: VarId, uses: &Uses) -> Option<RootSpace> {
    let addressed = uses.addressed.contains(&var);
    match body.var(var).role {
        Role::Param(position) if matches!(body.var(var).ty, Type::Pointer(_)) => Some(RootSpace::Storage(position)),
        Role::Shared => Some(RootSpace::Workgroup),
        Role::Constant(id) => addressed.then_some(RootSpace::Constant(id)),
        _ => addressed.then_some(RootSpace::Private),
    }
}
