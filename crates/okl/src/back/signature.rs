//! What a launch needs to know: parameters, host part, nests.
//! Invariant: every target gives a kernel the same parameters and the same host part.

use crate::ir::prints;
use crate::ir::{Body, HostStmt, Kernel, LaunchShape, LaunchSize, Module, Nest, Scalar, Struct, Type, VarId, bytes_of};
use crate::signature::bounds::Bounds;
use crate::signature::{
    ElementType, HostExpr, HostExprKind, HostOp, HostPlaces, NestArgument, NestSignature, Parameter, ParameterKind,
    SharedSize, Signature, StructLayout,
};
use crate::target::Hints;

pub use crate::signature::Slots;

/// The part of a nest's signature that the target decides.
pub struct Emission {
    /// Symbol.
    pub entry: String,
    /// Arguments in order.
    pub arguments: Vec<NestArgument>,
    /// What the backend is told.
    pub hints: Hints,
}

/// The signature of a kernel whose nests were emitted as `emissions`.
pub fn signature(module: &Module, kernel: &Kernel, slots: &Slots, emissions: Vec<Emission>) -> Signature {
    let nests = kernel
        .nests
        .iter()
        .zip(emissions)
        .map(|(nest, emission)| nest_signature(module, kernel, nest, slots, emission));
    Signature {
        kernel: kernel.name.clone(),
        params: kernel.own_params().iter().map(|&var| parameter(module, &kernel.body, var)).collect(),
        slots: slots.variables().map(|var| scalar(&kernel.body.var(var).ty)).collect(),
        nests: nests.collect(),
        host: host_ops(kernel, slots, &kernel.host),
        sizes: kernel.sizes.iter().map(|size| shared_size(kernel, slots, size)).collect(),
        faults: kernel.faults,
        prints: kernel.nests.iter().any(|nest| prints(module, &nest.stmts)),
        checked: Vec::new(),
        lines: Vec::new(),
        places: HostPlaces::default(),
    }
}

fn shared_size(kernel: &Kernel, slots: &Slots, size: &LaunchSize) -> SharedSize {
    let LaunchSize { array, value, built } = size;
    SharedSize { array: array.clone(), value: HostExpr::of(kernel, slots, value), built: *built }
}

fn nest_signature(module: &Module, kernel: &Kernel, nest: &Nest, slots: &Slots, emission: Emission) -> NestSignature {
    let one = || HostExpr { ty: Scalar::I64, kind: HostExprKind::Literal(crate::ir::Literal::Int(1)) };
    let outer = nest
        .outer
        .each_ref()
        .map(|axis| axis.as_ref().map_or_else(one, |axis| HostExpr::of(kernel, slots, &axis.count)));
    let shape = LaunchShape::of(module, &kernel.body, nest);
    let inner = shape.items.each_ref().map(|counts| counts.iter().map(|e| HostExpr::of(kernel, slots, e)).collect());
    NestSignature {
        entry: emission.entry,
        outer,
        inner,
        arguments: emission.arguments,
        shared_bytes: shape.shared_bytes,
        max_inner: kernel.max_inner_dims,
        bounds: Bounds::default(),
        cost: shape.cost,
        hints: emission.hints,
    }
}

fn parameter(module: &Module, body: &Body, var: VarId) -> Parameter {
    let variable = body.var(var);
    let layout = |id: &crate::ir::StructId| layout(module, &module.structs[id.0 as usize]);
    let kind = match &variable.ty {
        Type::Struct(id) => ParameterKind::Struct(layout(id)),
        Type::Pointer(pointer) => ParameterKind::Pointer {
            element: match pointer.element.as_ref() {
                Type::Struct(id) => ElementType::Struct(layout(id)),
                other => ElementType::Scalar(scalar(other)),
            },
            mutable: pointer.mutable,
            restrict: pointer.restrict,
        },
        other => ParameterKind::Scalar(scalar(other)),
    };
    Parameter { name: variable.name.clone(), kind }
}

fn scalar(ty: &Type) -> Scalar {
    ty.scalar().unwrap_or_else(|| unreachable!("validation lets only scalars stand here"))
}

/// A struct, flattened to its scalars.
fn layout(module: &Module, definition: &Struct) -> StructLayout {
    let mut fields = Vec::new();
    flatten(module, definition, "", 0, &mut fields);
    let vector_of = fields.first().map(|(_, scalar, _)| *scalar).filter(|_| definition.is_vector);
    let Struct { bytes, align, .. } = *definition;
    StructLayout { name: definition.name.clone(), bytes, align, vector_of, fields }
}

fn flatten(module: &Module, definition: &Struct, prefix: &str, base: usize, fields: &mut Vec<(String, Scalar, usize)>) {
    for field in &definition.fields {
        flatten_type(module, &field.ty, &format!("{prefix}{}", field.name), base + field.offset, fields);
    }
}

fn flatten_type(module: &Module, ty: &Type, path: &str, offset: usize, fields: &mut Vec<(String, Scalar, usize)>) {
    match ty {
        Type::Scalar(scalar) => fields.push((path.to_owned(), *scalar, offset)),
        Type::Struct(id) => flatten(module, &module.structs[id.0 as usize], &format!("{path}."), offset, fields),
        Type::Array(element, dims) => {
            let step = bytes_of(module, element) as usize;
            for index in 0..ty.len() {
                flatten_type(
                    module,
                    element,
                    &format!("{path}{}", subscripts(index, dims)),
                    offset + index as usize * step,
                    fields,
                );
            }
        }
        Type::Void | Type::Pointer(_) => {}
    }
}

/// `[1][2]` for the row-major position `index`.
fn subscripts(mut index: u64, dims: &[u32]) -> String {
    let mut parts = Vec::new();
    for &dim in dims.iter().rev() {
        parts.push(format!("[{}]", index % u64::from(dim)));
        index /= u64::from(dim);
    }
    parts.into_iter().rev().collect()
}

fn host_ops(kernel: &Kernel, slots: &Slots, stmts: &[HostStmt]) -> Vec<HostOp> {
    stmts
        .iter()
        .map(|stmt| match stmt {
            HostStmt::Set { var, value } => HostOp::Set(slots.position(*var), HostExpr::of(kernel, slots, value)),
            HostStmt::If { condition, then, otherwise } => HostOp::If(
                HostExpr::of(kernel, slots, condition),
                host_ops(kernel, slots, then).into(),
                host_ops(kernel, slots, otherwise).into(),
            ),
            HostStmt::Loop { condition, body, update } => {
                let mut ops = host_ops(kernel, slots, body);
                ops.extend(host_ops(kernel, slots, update));
                HostOp::Loop(HostExpr::of(kernel, slots, condition), ops.into())
            }
            HostStmt::Launch(nest) => HostOp::Launch(*nest),
            HostStmt::Return => HostOp::Return,
        })
        .collect()
}
