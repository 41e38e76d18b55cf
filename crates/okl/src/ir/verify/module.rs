//! What the parts of a module refer to, and what the host runs.

use super::scope::{Scope, Where};
use super::typing::{Checked, Typing, ensure};
use crate::deep_stack::on_deep_stack;
use crate::ir::{
    Axis, Body, Builtin, Coarsened, Constant, Dialect, Expr, ExprKind, Function, HostStmt, Kernel, LaunchShape, Module,
    Nest, Place, Role, RootSpace, Scalar, Struct, Type, Uses, VarId, Visitor, bytes_of, walk_expr, walk_place,
};
use std::collections::HashSet;

/// Whether a module keeps the rules of [`crate::ir`].
/// # Errors
/// The first rule that does not hold, with the function or kernel and the place in it.
pub fn verify(module: &Module) -> Result<(), String> {
    on_deep_stack(|| verify_here(module))
}

fn verify_here(module: &Module) -> Checked {
    for (number, of) in module.structs.iter().enumerate() {
        verify_struct(module, number, of).map_err(|e| format!("struct `{}`: {e}", of.name))?;
    }
    for constant in &module.constants {
        verify_constant(module, constant).map_err(|e| format!("constant `{}`: {e}", constant.name))?;
    }
    for root in &module.roots {
        let ty = &root.element;
        let checked = verify_type(module, module.structs.len(), ty);
        checked
            .and_then(|()| ensure(matches!(ty, Type::Scalar(_) | Type::Struct(_)), || format!("elements of {ty:?}")))
            .map_err(|e| format!("root `{}`: {e}", root.name))?;
    }
    for (number, function) in module.functions.iter().enumerate() {
        let typing = Typing { module, body: &function.body, callable: number, dialect: Dialect::Lowered };
        verify_function(typing, function).map_err(|e| format!("function `{}`: {e}", function.name))?;
    }
    let mut names = HashSet::new();
    for kernel in &module.kernels {
        let typing = Typing { module, body: &kernel.body, callable: module.functions.len(), dialect: Dialect::Lowered };
        let unique = ensure(names.insert(&kernel.name), || "a second kernel of this name".into());
        unique.and_then(|()| verify_kernel(&typing, kernel)).map_err(|e| format!("kernel `{}`: {e}", kernel.name))?;
    }
    Ok(())
}

/// Each field at the next multiple of its alignment, the size a multiple of the largest one.
fn verify_struct(module: &Module, number: usize, of: &Struct) -> Checked {
    let (mut end, mut align) = (0, 1);
    for field in &of.fields {
        verify_type(module, number, &field.ty)?;
        ensure(!matches!(field.ty, Type::Void | Type::Pointer(_)), || format!("field `{}` has no value", field.name))?;
        let own = alignment(module, &field.ty);
        end = u64::next_multiple_of(end, own);
        ensure(field.offset as u64 == end, || format!("field `{}` at {} and not at {end}", field.name, field.offset))?;
        end = end.saturating_add(bytes_of(module, &field.ty));
        align = align.max(own);
    }
    if of.is_vector {
        align = vector_align(of)?;
    }
    let bytes = end.next_multiple_of(align);
    ensure(of.bytes as u64 == bytes && of.align as u64 == align, || {
        format!("{} bytes aligned to {} and not {bytes} aligned to {align}", of.bytes, of.align)
    })
}

/// Two to four equal scalars, aligned as a vector type is.
fn vector_align(of: &Struct) -> Result<u64, String> {
    let scalar = of.fields.first().and_then(|field| field.ty.scalar());
    let is_vector = (2..=4).contains(&of.fields.len()) && of.fields.iter().all(|field| field.ty.scalar() == scalar);
    match scalar.filter(|_| is_vector) {
        Some(scalar) => Ok(Struct::vector_align(scalar, of.fields.len()) as u64),
        None => Err("a vector is two to four equal scalars".into()),
    }
}

fn alignment(module: &Module, ty: &Type) -> u64 {
    match ty {
        Type::Scalar(scalar) => scalar.bytes() as u64,
        Type::Struct(id) => module.structs[id.0 as usize].align as u64,
        Type::Array(element, _) => alignment(module, element),
        Type::Void | Type::Pointer(_) => 1,
    }
}

/// Whether a type is made of what there is: the first `structs` structs, elements that are scalars or structs.
fn verify_type(module: &Module, structs: usize, ty: &Type) -> Checked {
    let element = match ty {
        Type::Void | Type::Scalar(_) => return Ok(()),
        Type::Struct(id) => {
            let known = (id.0 as usize) < structs.min(module.structs.len());
            return ensure(known, || format!("struct {} does not exist or comes later", id.0));
        }
        Type::Array(element, dims) => {
            ensure(!dims.is_empty(), || "an array without dimensions".into())?;
            element
        }
        Type::Pointer(pointer) => &pointer.element,
    };
    ensure(matches!(**element, Type::Scalar(_) | Type::Struct(_)), || format!("elements of {element:?}"))?;
    verify_type(module, structs, element)
}

fn verify_constant(module: &Module, constant: &Constant) -> Checked {
    verify_type(module, module.structs.len(), &constant.ty)?;
    let element = match &constant.ty {
        Type::Array(element, _) => element,
        other => other,
    };
    // What a table of structs holds is given scalar by scalar.
    let scalars = match element {
        Type::Struct(id) => {
            let fields = module.structs[id.0 as usize].fields.iter();
            fields.map(|field| field.ty.scalar()).collect::<Option<Vec<_>>>()
        }
        other => other.scalar().map(|scalar| vec![scalar]),
    };
    let scalars = scalars.filter(|of| !of.is_empty()).ok_or_else(|| format!("a table of {element:?}"))?;
    let (len, wanted) = (constant.values.len() as u64, constant.ty.len().saturating_mul(scalars.len() as u64));
    ensure(len == wanted, || format!("{len} values for {wanted} numbers"))?;
    let mut values = constant.values.iter().zip(scalars.iter().cycle());
    values.try_for_each(|(&value, &scalar)| super::typing::literal(value, scalar))
}

fn verify_function(typing: Typing<'_>, function: &Function) -> Checked {
    verify_body(typing.module, &function.body, &function.params)?;
    let result = function.result.clone();
    verify_type(typing.module, typing.module.structs.len(), &result)?;
    ensure(!matches!(result, Type::Array(..) | Type::Pointer(_)), || format!("it returns {result:?}"))?;
    for var in &function.body.vars {
        let holds = matches!(var.role, Role::Param(_) | Role::Local | Role::Constant(_) | Role::Root(_));
        ensure(holds, || format!("`{}` has role {:?} in a function", var.name, var.role))?;
    }
    let mut scope = Scope::new(typing, Where::Function(result));
    scope.list(&function.stmts)?;
    // An impure one may hold its write in a branch that folding has dropped.
    let writes = scope.writes_params;
    ensure(!function.is_pure || !scope.prints, || "a pure function prints".into())?;
    ensure(!function.is_pure || function.reports || !writes, || "a pure function writes through a parameter".into())
}

fn verify_kernel(typing: &Typing<'_>, kernel: &Kernel) -> Checked {
    verify_body(typing.module, &kernel.body, &kernel.params)?;
    verify_host(typing, &kernel.host, kernel.nests.len())?;
    for size in &kernel.sizes {
        verify_host_expr(typing, &size.value)?;
        let is_of_parameters = Uses::of_expr(&size.value)
            .mentioned
            .iter()
            .all(|var| matches!(typing.body.vars[var.0 as usize].role, Role::Param(_)));
        ensure(is_of_parameters && size.built > 0, || format!("the size of `{}`", size.array))?;
        ensure(size.value.ty == Type::Scalar(Scalar::I64), || format!("a size of {:?}", size.value.ty))?;
    }
    for (number, nest) in kernel.nests.iter().enumerate() {
        verify_nest(typing.again(), nest).map_err(|e| format!("nest {number}: {e}"))?;
    }
    Ok(())
}

/// Types of variables, and what their roles refer to.
fn verify_body(module: &Module, body: &Body, params: &[VarId]) -> Checked {
    for (number, param) in params.iter().enumerate() {
        let var = body.vars.get(param.0 as usize).ok_or("a parameter that does not exist")?;
        ensure(var.role == Role::Param(number as u32), || format!("parameter `{}` has role {:?}", var.name, var.role))?;
    }
    for (index, var) in body.vars.iter().enumerate() {
        let error = |e| format!("`{}`: {e}", var.name);
        verify_type(module, module.structs.len(), &var.ty).map_err(error)?;
        ensure(var.ty != Type::Void, || format!("`{}` has no type", var.name))?;
        let is_pointer = matches!(var.ty, Type::Pointer(_));
        ensure(!is_pointer || matches!(var.role, Role::Param(_) | Role::Entry | Role::Root(_)), || {
            format!("`{}` is a pointer and no parameter", var.name)
        })?;
        match var.role {
            Role::Param(number) => {
                let holds = params.get(number as usize) == Some(&VarId(index as u32));
                ensure(holds, || format!("`{}` is not parameter {number}", var.name))?;
                ensure(!matches!(var.ty, Type::Array(..)), || format!("parameter `{}` is an array", var.name))?;
            }
            Role::Outer(axis) | Role::Inner(axis) => {
                let is_index = axis < 3 && var.ty.scalar().is_some_and(Scalar::is_integer);
                ensure(is_index, || format!("`{}` is an index of type {:?}", var.name, var.ty))?;
            }
            Role::Host => ensure(var.ty.scalar().is_some(), || format!("`{}` is no scalar", var.name))?,
            Role::Constant(id) => {
                let constant = module.constants.get(id.0 as usize).ok_or("a constant that does not exist")?;
                ensure(constant.ty == var.ty, || format!("`{}` differs from its constant in type", var.name))?;
            }
            Role::Root(id) => {
                let root = module.roots.get(id.0 as usize).ok_or("a root that does not exist")?;
                let holds = match (&var.ty, root.space) {
                    (Type::Pointer(pointer), RootSpace::Storage(_)) => *pointer.element == root.element,
                    (_, RootSpace::Storage(_)) => false,
                    (Type::Array(element, _), _) => **element == root.element && root.len == Some(var.ty.len()),
                    (ty, _) => *ty == root.element && root.len.is_none(),
                };
                ensure(holds, || format!("`{}` differs from its root in type", var.name))?;
            }
            Role::Local | Role::Shared | Role::Exchange(_) | Role::Exclusive | Role::Expanded | Role::Entry => {}
        }
    }
    Ok(())
}

/// Whether the host can evaluate an expression.
fn verify_host_expr(typing: &Typing<'_>, expr: &Expr) -> Checked {
    struct Reads<'b>(&'b Body, Checked);
    impl Visitor for Reads<'_> {
        fn expr(&mut self, expr: &Expr) {
            if matches!(expr.kind, ExprKind::Call(..)) {
                self.1 = Err("the host calls a device function".into());
            }
            walk_expr(self, expr);
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

fn verify_host(typing: &Typing<'_>, stmts: &[HostStmt], nests: usize) -> Checked {
    for stmt in stmts {
        match stmt {
            HostStmt::Set { var, value } => {
                verify_host_expr(typing, value)?;
                let of = typing.body.vars.get(var.0 as usize).ok_or("a host variable that does not exist")?;
                ensure(of.role == Role::Host, || format!("the host sets `{}`", of.name))?;
                ensure(of.ty == value.ty, || format!("the host sets `{}` to {:?}", of.name, value.ty))?;
            }
            HostStmt::If { condition, then, otherwise } => {
                verify_host_expr(typing, condition)?;
                typing.condition(condition)?;
                verify_host(typing, then, nests)?;
                verify_host(typing, otherwise, nests)?;
            }
            HostStmt::Loop { condition, body, update } => {
                verify_host_expr(typing, condition)?;
                typing.condition(condition)?;
                verify_host(typing, body, nests)?;
                verify_host(typing, update, nests)?;
            }
            HostStmt::Launch(nest) => ensure((*nest as usize) < nests, || format!("nest {nest} does not exist"))?,
            HostStmt::Return => {}
        }
    }
    Ok(())
}

fn verify_nest(typing: Typing<'_>, nest: &Nest) -> Checked {
    let (looped, lowered) = (nest.dialect == Dialect::Looped, nest.dialect == Dialect::Lowered);
    let own = Typing { dialect: nest.dialect, ..typing.again() };
    let mut scope = Scope::new(own, if looped { Where::Loops } else { Where::Group });
    ensure(nest.outer.iter().any(Option::is_some), || "no outer axis".into())?;
    for (index, axis) in nest.outer.iter().enumerate() {
        let Some(axis) = axis else { continue };
        verify_axis(&typing, axis, Role::Outer(index as u8))?;
        verify_host_expr(&typing, &axis.start)?;
        // Elsewhere a statement declares it.
        if lowered {
            scope.visible.insert(axis.var);
        }
    }
    ensure(!looped || nest.shared.is_empty() && nest.exclusive.is_empty(), || "loops that list memory".into())?;
    ensure(nest.launch.is_some() != lowered, || "a launch said twice or nowhere".into())?;
    nest.launch.iter().try_for_each(|launch| verify_launch(&typing, launch))?;
    for (vars, shared) in [(&nest.shared, true), (&nest.exclusive, false)] {
        for var in vars {
            let of = scope.typing.body.vars.get(var.0 as usize).ok_or("a variable that does not exist")?;
            let holds = if shared { of.role.is_shared() } else { of.role == Role::Exclusive };
            ensure(holds, || format!("`{}` has role {:?}", of.name, of.role))?;
            ensure(scope.visible.insert(*var), || format!("`{}` stands twice in the nest", of.name))?;
        }
    }
    if nest.dialect == Dialect::Simt {
        super::scope::barriers(&nest.stmts, true)?;
    }
    scope.list(&nest.stmts)?;
    let Some(Coarsened { head, condition, stmts }) = &nest.coarsened else { return Ok(()) };
    ensure(nest.dialect == Dialect::Simt, || "two groups a thread where there are no threads".into())?;
    let mut scope = Scope::new(scope.typing.again(), Where::Coarsened);
    scope.list(head)?;
    scope.value(condition)?;
    scope.typing.condition(condition)?;
    scope.list(stmts)?;
    // Both may be done only where there is a second group.
    let asks = Uses::of_expr(condition).builtins.contains(&Builtin::NextGroup);
    ensure(asks && !stmts.is_empty(), || "two groups without a question whether there are two".into())
}

/// Numbers of items are `I64`; scratch memory is what stands around loops.
fn verify_launch(typing: &Typing<'_>, launch: &LaunchShape) -> Checked {
    for counts in &launch.items {
        ensure(!counts.is_empty(), || "an axis without a number of items".into())?;
        for count in counts {
            verify_host_expr(typing, count)?;
            ensure(count.ty == Type::Scalar(Scalar::I64), || format!("a number of items of {:?}", count.ty))?;
        }
    }
    let Some(scratch) = &launch.scratch else { return Ok(()) };
    for (var, is_slab) in scratch.slabs.iter().map(|(var, _)| (*var, true)).chain([(scratch.items, false)]) {
        let of = typing.body.vars.get(var.0 as usize).ok_or("a variable that does not exist")?;
        let holds = of.role == Role::Entry && is_slab == matches!(of.ty, Type::Pointer(_));
        ensure(holds, || format!("`{}` ({:?}) is no scratch memory", of.name, of.role))?;
    }
    Ok(())
}

pub(super) fn verify_axis(typing: &Typing<'_>, axis: &Axis, role: Role) -> Checked {
    let var = typing.body.vars.get(axis.var.0 as usize).ok_or("an index that does not exist")?;
    ensure(var.role == role, || format!("index `{}` has role {:?}", var.name, var.role))?;
    typing.expr(&axis.start)?;
    ensure(axis.start.ty == var.ty, || format!("index `{}` starts at {:?}", var.name, axis.start.ty))?;
    let signed = matches!(axis.step.ty, Type::Scalar(Scalar::I32 | Scalar::I64));
    ensure(signed, || format!("the step of `{}` is {:?}", var.name, axis.step.ty))?;
    ensure(axis.step.as_int() != Some(0), || format!("the step of `{}` is 0", var.name))?;
    ensure(axis.count.ty == Type::Scalar(Scalar::I64), || {
        format!("the count of `{}` is {:?}", var.name, axis.count.ty)
    })?;
    verify_host_expr(typing, &axis.step)?;
    verify_host_expr(typing, &axis.count)
}
