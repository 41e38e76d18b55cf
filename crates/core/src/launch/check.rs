//! Compares the caller's arguments with the kernel's parameters, before anything is launched.

use super::LaunchPlan;
use super::numbers::Numbers;
use crate::arguments::ArgKind;
use crate::backend::PackedArgument;
use crate::device::DeviceInner;
use crate::dtype::{DType, StructType};
use crate::memory::AnyMemory;
use crate::number::Number;
use crate::{Error, ErrorKind, Result};
use okl::ir::Scalar;
use okl::signature::{ElementType, Parameter, ParameterKind, StructLayout};
use okl::value::ScalarValue;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, Ordering};

/// What a parameter takes, in the form that is compared fastest.
pub(super) enum Expected {
    Scalar(Scalar),
    Struct(KnownStruct),
    Pointer { element: ExpectedElement, element_bytes: u32, mutable: bool },
}

pub(super) enum ExpectedElement {
    Scalar(DType),
    Struct(KnownStruct),
}

/// A kernel's struct, and the host type that was last found to be the same.
pub(super) struct KnownStruct {
    layout: StructLayout,
    same: AtomicPtr<StructType>,
}

impl KnownStruct {
    fn new(layout: &StructLayout) -> Self {
        Self { layout: layout.clone(), same: AtomicPtr::new(ptr::null_mut()) }
    }

    /// Compared in full once per host type; afterwards by address.
    fn check(&self, given: &'static StructType) -> Result<(), String> {
        let address = ptr::from_ref(given).cast_mut();
        if ptr::eq(self.same.load(Ordering::Relaxed), address) {
            return Ok(());
        }
        given.check(&self.layout)?;
        self.same.store(address, Ordering::Relaxed);
        Ok(())
    }

    /// Vectors in memory of their components.
    fn vectors_in(&self, memory: &AnyMemory) -> Result<u64, String> {
        let StructLayout { name, bytes, .. } = &self.layout;
        let is_whole = memory.bytes.is_multiple_of(*bytes) && memory.offset_bytes.is_multiple_of(*bytes);
        if !is_whole {
            let (len, at) = (memory.len(), memory.offset_bytes);
            return Err(format!(
                "{len} elements of {} from byte {at} of their allocation are no whole number of `{name}` ({bytes} bytes each)",
                memory.dtype
            ));
        }
        Ok((memory.bytes / bytes) as u64)
    }

    /// Memory that the application gave may begin anywhere.
    fn check_alignment(&self, memory: &AnyMemory) -> Result<(), String> {
        let StructLayout { name, align, .. } = &self.layout;
        let address = memory.allocation.address + memory.offset_bytes as u64;
        if memory.bytes == 0 || address.is_multiple_of(*align as u64) {
            return Ok(());
        }
        Err(format!("memory of `{name}` begins at a multiple of {align} bytes; this one begins at {address:#x}"))
    }

    /// As [`check`](Self::check), for a value of so many bytes.
    pub(super) fn check_value(&self, given: &'static StructType, bytes: usize) -> Result<(), String> {
        self.check(given)?;
        if bytes != self.layout.bytes {
            return Err(format!("the value has {bytes} bytes, its layout `{}` says {}", given.name, given.bytes));
        }
        Ok(())
    }
}

impl Expected {
    pub(super) fn new(kind: &ParameterKind) -> Self {
        match kind {
            ParameterKind::Scalar(scalar) => Self::Scalar(*scalar),
            ParameterKind::Struct(layout) => Self::Struct(KnownStruct::new(layout)),
            ParameterKind::Pointer { element, mutable, .. } => Self::Pointer {
                element_bytes: element.bytes() as u32,
                mutable: *mutable,
                element: match element {
                    ElementType::Scalar(scalar) => ExpectedElement::Scalar((*scalar).into()),
                    ElementType::Struct(layout) => ExpectedElement::Struct(KnownStruct::new(layout)),
                },
            },
        }
    }

    /// Argument `position` as a device kernel takes it.
    #[inline]
    pub(super) fn pack<'a>(&self, position: u32, numbers: &'a Numbers<'a>) -> PackedArgument<'a> {
        match (self, &numbers.given[position as usize].0) {
            (Self::Scalar(_), _) => PackedArgument::Value(numbers.get(position).map_or(&[], Number::bytes)),
            (Self::Struct(_), ArgKind::Struct(_, bytes)) => PackedArgument::Value(bytes),
            (Self::Pointer { element_bytes, mutable, .. }, ArgKind::Memory { memory, .. }) => PackedArgument::Memory {
                memory: memory.allocation.backend.as_deref(),
                offset_bytes: memory.offset_bytes as u64,
                bytes: memory.bytes as u64,
                element_bytes: *element_bytes,
                mutable: *mutable,
            },
            (Self::Pointer { element_bytes, mutable, .. }, _) => PackedArgument::Memory {
                memory: None,
                offset_bytes: 0,
                bytes: 0,
                element_bytes: *element_bytes,
                mutable: *mutable,
            },
            // `check` has refused this; a value of no bytes keeps the function total.
            (Self::Struct(_), _) => PackedArgument::Value(&[]),
        }
    }

    /// How errors name what is expected.
    fn describe(&self) -> String {
        match self {
            Self::Scalar(scalar) => format!("a number ({})", scalar.okl_name()),
            Self::Struct(known) => format!("a reference to a struct like the kernel's `{}`", known.layout.name),
            Self::Pointer { element, .. } => format!("memory of {}", element.name()),
        }
    }
}

impl ExpectedElement {
    fn name(&self) -> &str {
        match self {
            Self::Scalar(dtype) => dtype.name(),
            Self::Struct(known) => &known.layout.name,
        }
    }
}

/// Pairs of pointer parameters that must not overlap: one is `@restrict`, one may be written.
pub(super) fn restricted_pairs(parameters: &[Parameter]) -> Box<[(u16, u16)]> {
    let flags = |index: usize| match parameters[index].kind {
        ParameterKind::Pointer { mutable, restrict, .. } => Some((mutable, restrict)),
        _ => None,
    };
    let mut pairs = Vec::new();
    for second in 0..parameters.len() {
        for first in 0..second {
            if let (Some((m1, r1)), Some((m2, r2))) = (flags(first), flags(second))
                && (m1 || m2)
                && (r1 || r2)
            {
                pairs.push((first as u16, second as u16));
            }
        }
    }
    pairs.into()
}

impl LaunchPlan {
    /// Checks every argument; adds to `numbers` what was converted to a parameter's type.
    #[inline]
    pub(super) fn check(&self, device: &Arc<DeviceInner>, numbers: &mut Numbers<'_>) -> Result<()> {
        let arguments = numbers.given;
        if arguments.len() != self.expected.len() {
            return Err(self.wrong_count(arguments.len()));
        }
        for (index, (expected, argument)) in self.expected.iter().zip(arguments).enumerate() {
            match (expected, &argument.0) {
                (Expected::Scalar(scalar), ArgKind::Number(number)) => {
                    if number.ty() != *scalar {
                        let converted = self.convert(index, number, *scalar)?;
                        numbers.converted.push((index as u32, converted));
                    }
                }
                (Expected::Pointer { element, mutable, .. }, ArgKind::Memory { memory, mutable: given }) => {
                    let same = matches!(element, ExpectedElement::Scalar(dtype) if scalar_eq(*dtype, memory.dtype));
                    if !same
                        || (*mutable && (!given || memory.is_constant()))
                        || !Arc::ptr_eq(&memory.allocation.device, device)
                    {
                        let length = self.check_memory(index, element, *mutable, memory, *given, device)?;
                        numbers.lengths.extend(length.map(|length| (index as u32, length)));
                    }
                }
                (Expected::Pointer { .. }, ArgKind::Null) => {}
                (Expected::Struct(known), ArgKind::Struct(given, bytes)) => {
                    known.check_value(given, bytes.len()).map_err(|difference| self.refuse(index, difference))?;
                }
                (_, other) => return Err(self.wrong_kind(index, *other)),
            }
        }
        for &(first, second) in &self.restricted {
            if let (ArgKind::Memory { memory: a, .. }, ArgKind::Memory { memory: b, .. }) =
                (arguments[first as usize].0, arguments[second as usize].0)
                && a.overlaps(b)
            {
                return Err(self.overlap(first as usize, second as usize));
            }
        }
        Ok(())
    }

    /// The slow part of checking memory: structs, and the wording of what does not fit. Answers the number of elements where
    /// the kernel's are vectors of the caller's.
    #[cold]
    fn check_memory(
        &self,
        index: usize,
        element: &ExpectedElement,
        mutable: bool,
        memory: &AnyMemory,
        given_mutable: bool,
        device: &Arc<DeviceInner>,
    ) -> Result<Option<u64>> {
        let mut length = None;
        match (element, memory.dtype) {
            (ExpectedElement::Struct(known), DType::Struct(given)) => {
                known.check(given).map_err(|difference| self.refuse(index, difference))?;
            }
            (ExpectedElement::Struct(known), given)
                if known.layout.vector_of.is_some_and(|of| scalar_eq(of.into(), given)) =>
            {
                length = Some(known.vectors_in(memory).map_err(|reason| self.refuse(index, reason))?);
            }
            (ExpectedElement::Scalar(dtype), given) if scalar_eq(*dtype, given) => {}
            (element, given) => {
                return Err(self.refuse(index, format!("expected memory of {}, got memory of {given}", element.name())));
            }
        }
        if let ExpectedElement::Struct(known) = element {
            known.check_alignment(memory).map_err(|reason| self.refuse(index, reason))?;
        }
        if !Arc::ptr_eq(&memory.allocation.device, device) {
            let message = format!(
                "kernel `{}`, {}: the memory belongs to device {}, the kernel to device {}",
                self.signature().kernel,
                self.argument(index),
                memory.allocation.device.label(),
                device.label()
            );
            return Err(Error::new(ErrorKind::WrongDevice { message }));
        }
        if mutable && !given_mutable {
            return Err(self
                .refuse(index, "the kernel may write it: pass `&mut`, or declare the pointer `const` in the kernel"));
        }
        if mutable && memory.is_constant() {
            let hint =
                "the kernel may write it: declare the pointer `const` in the kernel, or pass a copy (`duplicate`)";
            return Err(self.refuse(index, format!("{memory:?} is constant, and {hint}")));
        }
        Ok(length)
    }

    /// `usize` for a kernel's `int` is what callers usually have, so that this is no rare case.
    fn convert(&self, index: usize, number: &Number, scalar: Scalar) -> Result<Number> {
        let converted = convert(number.value(), scalar);
        converted.map(Number::new).map_err(|reason| self.refuse(index, reason))
    }

    #[cold]
    fn wrong_count(&self, given: usize) -> Error {
        let signature = self.signature();
        let names: Vec<String> = signature.params.iter().map(|p| format!("`{}`", p.name)).collect();
        let plural = if names.len() == 1 { "" } else { "s" };
        Error::new(ErrorKind::Argument {
            kernel: signature.kernel.clone(),
            message: format!("it takes {} argument{plural} ({}), got {given}", names.len(), names.join(", ")),
        })
    }

    #[cold]
    pub(super) fn wrong_kind(&self, index: usize, given: ArgKind<'_>) -> Error {
        let given = match given {
            ArgKind::Number(value) => format!("a number ({})", rust_name(value.ty())),
            ArgKind::Struct(layout, _) => format!("the struct `{}`", layout.name),
            ArgKind::Memory { memory, .. } => format!("memory of {}", memory.dtype),
            ArgKind::Null => "a null pointer".to_string(),
        };
        self.refuse(index, format!("expected {}, got {given}", self.expected[index].describe()))
    }

    #[cold]
    fn overlap(&self, first: usize, second: usize) -> Error {
        self.refuse(
            second,
            format!(
                "it overlaps {}, and `@restrict` promises that they do not: pass memory of its own (`duplicate`)",
                self.argument(first)
            ),
        )
    }

    #[cold]
    pub(super) fn refuse(&self, index: usize, reason: impl std::fmt::Display) -> Error {
        Error::new(ErrorKind::Argument {
            kernel: self.signature().kernel.clone(),
            message: format!("{}: {reason}", self.argument(index)),
        })
    }

    /// How errors name an argument, counted from 1.
    fn argument(&self, index: usize) -> String {
        format!("argument {} `{}`", index + 1, self.signature().params[index].name)
    }
}

/// Equality of scalar types; a struct is equal to none.
#[inline]
fn scalar_eq(a: DType, b: DType) -> bool {
    std::mem::discriminant(&a) == std::mem::discriminant(&b) && !matches!(a, DType::Struct(_))
}

/// The same value in another type.
/// # Errors
/// Why it cannot be had: nothing is rounded, cut or reinterpreted.
pub(super) fn convert(value: ScalarValue, to: Scalar) -> Result<ScalarValue, String> {
    if value.ty() == to {
        return Ok(value);
    }
    let refused = |hint: &str| {
        Err(format!("the {} {} does not fit `{}`{hint}", rust_name(value.ty()), show(value), to.okl_name()))
    };
    if let Some(integer) = value.integer() {
        if to.is_float() {
            return value
                .cast(to)
                .ok()
                .filter(|float| is_exactly(integer, *float))
                .map_or_else(|| refused(" exactly"), Ok);
        }
        return integer_in(integer, to).map_or_else(|| refused(""), Ok);
    }
    match (value.float(), value.cast(to)) {
        (Some(number), Ok(converted)) if to.is_float() => {
            if number.is_nan() || converted.float() == Some(number) {
                Ok(converted)
            } else {
                refused(&format!(" exactly: pass an {}", rust_name(to)))
            }
        }
        _ => Err(format!("expected {} (an integer), got the {} {}", to.okl_name(), rust_name(value.ty()), show(value))),
    }
}

/// Whether a float that an integer was converted to has its value. An infinity saturates to no 64-bit integer.
fn is_exactly(integer: i128, converted: ScalarValue) -> bool {
    converted.float().is_some_and(|float| float as i128 == integer)
}

fn integer_in(integer: i128, to: Scalar) -> Option<ScalarValue> {
    Some(ScalarValue::from_integer(integer, to)).filter(|cut| cut.integer() == Some(integer))
}

fn show(value: ScalarValue) -> String {
    value.integer().map_or_else(|| value.to_string(), |integer| integer.to_string())
}

/// How the caller spells a type; [`DType`] has no `bool`, because memory has none.
fn rust_name(scalar: Scalar) -> &'static str {
    if scalar == Scalar::Bool { "bool" } else { DType::from(scalar).name() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn number() -> impl Strategy<Value = ScalarValue> {
        prop_oneof![
            any::<bool>().prop_map(ScalarValue::Bool),
            any::<i8>().prop_map(ScalarValue::I8),
            any::<u16>().prop_map(ScalarValue::U16),
            any::<i32>().prop_map(ScalarValue::I32),
            any::<u32>().prop_map(ScalarValue::U32),
            any::<i64>().prop_map(ScalarValue::I64),
            (-300i64..300).prop_map(ScalarValue::I64),
            any::<u64>().prop_map(ScalarValue::U64),
            any::<u16>().prop_map(|bits| ScalarValue::F16(crate::f16::from_bits(bits))),
            any::<u16>().prop_map(|bits| ScalarValue::BF16(crate::bf16::from_bits(bits))),
            any::<f32>().prop_map(ScalarValue::F32),
            any::<f64>().prop_map(ScalarValue::F64),
            (-300i32..300).prop_map(|x| ScalarValue::F64(f64::from(x) / 4.0)),
        ]
    }

    /// A value as a sum of an integer and a fraction, exact for all types; `None` for what is not finite.
    fn exact(value: ScalarValue) -> Option<(i128, u64)> {
        let Some(float) = value.float() else {
            return value.integer().map(|integer| (integer, 0));
        };
        (float.is_finite() && float.abs() < 1e38).then(|| (float.trunc() as i128, float.fract().to_bits() & !(1 << 63)))
    }

    proptest! {
        #[test]
        fn a_converted_number_is_the_same_number(value in number(), to in prop::sample::select(Scalar::ALL)) {
            match convert(value, to) {
                Ok(converted) => {
                    prop_assert_eq!(converted.ty(), to);
                    prop_assert_eq!(exact(converted), exact(value));
                    prop_assert!(to.is_float() || value.ty().is_integer(), "a float became an integer");
                }
                Err(_) if value.ty() == to => prop_assert!(false, "refused its own type"),
                // Refused: C's own conversion must then lose something (or be one from float to integer).
                Err(_) => if let (true, Ok(cast)) = (value.ty().is_integer(), value.cast(to)) {
                    prop_assert_ne!(exact(cast), exact(value));
                },
            }
        }
    }
}
