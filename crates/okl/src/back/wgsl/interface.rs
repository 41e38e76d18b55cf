//! Where a launch puts the values of a nest: what the emitter declares and the backend fills in.

use super::LaunchHints;
use crate::ir::{Literal, Scalar};
use crate::signature::{HostExprKind, NestArgument, NestSignature, ParameterKind, Signature};

/// Groups in a row: a nest whose groups lie along axis 0 alone counts them through the rows of a dispatch, so that many
/// are one dispatch. Every device takes as many along an axis.
pub const ROW: u32 = 65_535;

/// One value in a nest's structure of arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Offset in bytes.
    pub offset: u32,
    /// What stands there.
    pub kind: FieldKind,
}

/// What a field holds. Positions count [`NestSignature::arguments`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// `u32`: number of elements between the start of the binding and the start of the pointer argument's slice.
    Start(usize),
    /// A scalar; one narrower than 32 bits is widened to them.
    Scalar(usize, Scalar),
    /// A struct as C lays it out, filled up to whole words.
    Struct(usize),
    /// `u32`: number of the first group along this axis.
    First(usize),
    /// `u32`: one past the number of the last group along axis 0, for the entry that runs two groups.
    End,
}

/// The structure of arguments of a nest, and its bindings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interface {
    /// For each pointer argument: its position among [`NestSignature::arguments`], and its binding (without windows).
    pub bindings: Vec<(usize, u32)>,
    /// Bindings of memory that is read alone, and that nothing overlaps which may be written: `@restrict const`.
    pub read_only: Vec<u32>,
    /// The values in order.
    pub fields: Vec<Field>,
    /// Size of the structure in bytes, a multiple of 4; 0 where there is nothing in it.
    pub bytes: u32,
}

impl Interface {
    /// Whether groups are counted through the rows of a dispatch, see [`ROW`].
    pub fn counts_rows(&self) -> bool {
        let first = |field: &&Field| matches!(field.kind, FieldKind::First(_));
        self.fields.iter().filter(first).all(|field| field.kind == FieldKind::First(0))
    }

    /// Whether the structure travels as immediates.
    pub fn is_immediate(&self, features: &super::Features) -> bool {
        self.bytes <= features.immediate_bytes
    }
}

/// The interface of a nest.
/// # Errors
/// When the signature is that of another target.
pub fn interface(signature: &Signature, nest: &NestSignature) -> Result<Interface, String> {
    let hints: LaunchHints = nest.hints.read()?;
    let mut layout = Layout::default();
    let (mut bindings, mut read_only, mut fields) = (Vec::new(), Vec::new(), Vec::new());
    let mut field = |layout: &mut Layout, kind, bytes, align| {
        let offset = layout.add(bytes, align);
        fields.push(Field { offset, kind });
    };
    for (position, argument) in nest.arguments.iter().enumerate() {
        let scalar = match argument {
            NestArgument::Slot(slot) => signature.slots[*slot as usize],
            NestArgument::Param(param) => match signature.kind(*param) {
                ParameterKind::Scalar(ty) => *ty,
                ParameterKind::Pointer { mutable, restrict, .. } => {
                    bindings.push((position, *param));
                    if *restrict && !mutable {
                        read_only.push(*param);
                    }
                    field(&mut layout, FieldKind::Start(position), 4, 4);
                    continue;
                }
                ParameterKind::Struct(of) => {
                    let is_native = of.fields.iter().all(|(_, ty, _)| ty.bytes() >= 4);
                    let align = if is_native { of.align as u32 } else { 4 };
                    field(&mut layout, FieldKind::Struct(position), (of.bytes as u32).next_multiple_of(4), align);
                    continue;
                }
            },
        };
        let bytes = (scalar.bytes() as u32).max(4);
        field(&mut layout, FieldKind::Scalar(position, scalar), bytes, bytes);
    }
    let single = |axis: usize| nest.outer[axis].kind == HostExprKind::Literal(Literal::Int(1));
    for axis in (0..3).filter(|&axis| !single(axis)) {
        field(&mut layout, FieldKind::First(axis), 4, 4);
    }
    if hints.coarsened.is_some() {
        field(&mut layout, FieldKind::End, 4, 4);
    }
    Ok(Interface { bindings, read_only, fields, bytes: layout.bytes() })
}

/// Lays fields out as WGSL does.
#[derive(Default)]
pub(super) struct Layout {
    end: u32,
    align: u32,
}

impl Layout {
    /// Offset of the next field.
    pub(super) fn add(&mut self, bytes: u32, align: u32) -> u32 {
        let offset = self.end.next_multiple_of(align);
        self.end = offset + bytes;
        self.align = self.align.max(align);
        offset
    }

    /// Size of the structure.
    pub(super) fn bytes(&self) -> u32 {
        self.end.next_multiple_of(self.align.max(4))
    }
}
