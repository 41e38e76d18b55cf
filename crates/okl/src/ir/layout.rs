//! Sizes of values in memory.

use super::{Module, Type};

/// Size of a value of type `ty` in bytes; `u64::MAX` where it does not fit. What has no size in memory has 0.
pub fn bytes_of(module: &Module, ty: &Type) -> u64 {
    match ty {
        Type::Scalar(scalar) => scalar.bytes() as u64,
        Type::Struct(id) => module.structs.get(id.0 as usize).map_or(0, |definition| definition.bytes as u64),
        Type::Array(element, _) => ty.len().saturating_mul(bytes_of(module, element)),
        Type::Void | Type::Pointer(_) => 0,
    }
}
