//! Types, structs and constants as WGSL text.

use crate::back::namer::Namer;
use crate::ir::value::ScalarValue;
use crate::ir::{Literal, Module, Scalar, Struct, StructId, Type};

/// The type that holds values of a scalar type: narrow integers are kept in 32 bits, and so are the bits of storage floats.
pub(super) fn scalar(ty: Scalar) -> &'static str {
    match ty {
        Scalar::Bool => "bool",
        Scalar::I8 | Scalar::I16 | Scalar::I32 => "i32",
        Scalar::U8 | Scalar::U16 | Scalar::U32 => "u32",
        Scalar::I64 => "i64",
        Scalar::U64 => "u64",
        Scalar::F32 => "f32",
        Scalar::F64 => "f64",
        storage => scalar(storage.held_as()),
    }
}

/// The 16-bit type that holds values of a scalar type in a buffer.
pub(super) fn short(ty: Scalar) -> &'static str {
    if ty == Scalar::I16 { "i16" } else { "u16" }
}

/// `f64`, `Particle`, `array<f32, 12>`: an array of several dimensions is one of all its elements.
pub(super) fn name(names: &Namer, ty: &Type) -> String {
    match ty {
        Type::Scalar(ty) => scalar(*ty).into(),
        Type::Struct(id) => names.structure(*id).to_owned(),
        Type::Array(element, _) => format!("array<{}, {}>", name(names, element), ty.len()),
        Type::Void | Type::Pointer(_) => unreachable!("a value has a type, and pointers have become names"),
    }
}

/// Whether values lie in a buffer as WGSL would lay them out: no part is narrower than 32 bits.
pub(super) fn is_native(module: &Module, ty: &Type) -> bool {
    match ty {
        Type::Scalar(ty) => ty.bytes() >= 4,
        Type::Struct(id) => module.structs[id.0 as usize].fields.iter().all(|field| is_native(module, &field.ty)),
        Type::Array(element, _) => is_native(module, element),
        Type::Void | Type::Pointer(_) => false,
    }
}

/// Alignment in a buffer.
pub(super) fn align(module: &Module, ty: &Type) -> u64 {
    match ty {
        Type::Scalar(ty) => ty.bytes() as u64,
        Type::Struct(id) => module.structs[id.0 as usize].align as u64,
        Type::Array(element, _) => align(module, element),
        Type::Void | Type::Pointer(_) => 1,
    }
}

/// What stands before a member: its alignment, where a vector aligns it to more than the scalars in it. WGSL would know
/// from the vector's own definition; naga does not look into structs for that.
pub(super) fn aligned(module: &Module, ty: &Type) -> String {
    let mut scalars = Vec::new();
    scalars_of(module, ty, &mut scalars);
    let natural = scalars.iter().map(|scalar| scalar.bytes() as u64).max().unwrap_or(1);
    match align(module, ty) {
        align if align > natural && is_native(module, ty) => format!("@align({align}) "),
        _ => String::new(),
    }
}

/// A struct's definition. Its fields lie where C puts them: WGSL's rules for types of 32 and 64 bits are the same, but for
/// vectors, which say what they are aligned to.
pub(super) fn struct_lines(module: &Module, names: &Namer, definition: &Struct, id: StructId) -> Vec<String> {
    let mut lines = vec![format!("struct {} {{", names.structure(id))];
    let member = |(number, field): (u32, &crate::ir::Field)| {
        let aligned = match number {
            // The vector itself; narrower ones lie in no buffer as a whole.
            0 if definition.aligns_first() && is_native(module, &field.ty) => format!("@align({}) ", definition.align),
            _ => aligned(module, &field.ty),
        };
        format!("    {aligned}{}: {},", names.field(id, number), name(names, &field.ty))
    };
    lines.extend((0..).zip(&definition.fields).map(member));
    lines.push("}".into());
    lines
}

/// A constant such that WGSL reads back the same value; `None` for what it has no constant for.
pub(super) fn constant(value: ScalarValue) -> Option<String> {
    Some(match value {
        ScalarValue::Bool(value) => value.to_string(),
        ScalarValue::I8(value) => value.to_string(),
        ScalarValue::I16(value) => value.to_string(),
        ScalarValue::I32(i32::MIN) => "(-2147483647 - 1)".into(),
        ScalarValue::I32(value) => value.to_string(),
        ScalarValue::U8(value) => format!("{value}u"),
        ScalarValue::U16(value) => format!("{value}u"),
        ScalarValue::U32(value) => format!("{value}u"),
        ScalarValue::I64(i64::MIN) => "(-9223372036854775807li - 1li)".into(),
        ScalarValue::I64(value) => format!("{value}li"),
        ScalarValue::U64(value) => format!("{value}lu"),
        // Rust prints the shortest decimal that reads back as the same bits.
        ScalarValue::F32(value) if value.is_finite() => format!("{value:?}f"),
        ScalarValue::F64(value) if value.is_finite() => format!("{value:?}lf"),
        ScalarValue::F32(_) | ScalarValue::F64(_) => return None,
        storage => format!("{:#06x}u", storage.bits()),
    })
}

/// Whether its text begins with a minus.
pub(super) fn is_negative(value: ScalarValue) -> bool {
    match value {
        ScalarValue::I32(i32::MIN) | ScalarValue::I64(i64::MIN) => false,
        ScalarValue::F32(value) => value.is_sign_negative(),
        ScalarValue::F64(value) => value.is_sign_negative(),
        ScalarValue::F16(_) => false,
        value => value.integer().is_some_and(|value| value < 0) && value.ty().is_signed(),
    }
}

/// Whether it is a −0.0 of a type that arithmetic has.
pub(super) fn is_negative_zero(value: ScalarValue) -> bool {
    match value {
        ScalarValue::F32(value) => value == 0.0 && value.is_sign_negative(),
        ScalarValue::F64(value) => value == 0.0 && value.is_sign_negative(),
        _ => false,
    }
}

/// The helper that makes an infinity or a NaN, which WGSL has no constants for.
pub(super) fn special(value: ScalarValue) -> (&'static str, bool) {
    match value {
        ScalarValue::F32(value) if value.is_nan() => ("okl_nan_f32", false),
        ScalarValue::F32(value) => ("okl_inf_f32", value < 0.0),
        ScalarValue::F64(value) if value.is_nan() => ("okl_nan_f64", false),
        ScalarValue::F64(value) => ("okl_inf_f64", value < 0.0),
        _ => unreachable!("integers have constants"),
    }
}

/// `S(1.0f, array<i32, 2>(3, 4))`: a value of type `ty` from its scalars in memory order; missing ones are zero.
pub(super) fn construct(
    module: &Module,
    names: &Namer,
    ty: &Type,
    scalars: &mut dyn Iterator<Item = String>,
) -> String {
    match ty {
        Type::Array(element, _) => {
            let parts: Vec<String> = (0..ty.len()).map(|_| construct(module, names, element, scalars)).collect();
            format!("{}({})", name(names, ty), parts.join(", "))
        }
        Type::Struct(id) => {
            let definition = &module.structs[id.0 as usize];
            let parts: Vec<String> =
                definition.fields.iter().map(|field| construct(module, names, &field.ty, scalars)).collect();
            format!("{}({})", names.structure(*id), parts.join(", "))
        }
        Type::Scalar(ty) => scalars.next().unwrap_or_else(|| zero(*ty)),
        Type::Void | Type::Pointer(_) => unreachable!("a value has a type"),
    }
}

fn zero(ty: Scalar) -> String {
    constant(ScalarValue::zero(ty)).unwrap_or_default()
}

/// The scalar types of a value's elements, in memory order.
pub(super) fn scalars_of(module: &Module, ty: &Type, out: &mut Vec<Scalar>) {
    match ty {
        Type::Scalar(scalar) => out.push(*scalar),
        Type::Struct(id) => module.structs[id.0 as usize].fields.iter().for_each(|f| scalars_of(module, &f.ty, out)),
        Type::Array(element, _) => (0..ty.len()).for_each(|_| scalars_of(module, element, out)),
        Type::Void | Type::Pointer(_) => {}
    }
}

/// A literal of a scalar type.
pub(super) fn literal(value: Literal, ty: Scalar) -> ScalarValue {
    ScalarValue::from_literal(value, ty)
}
