//! The places of a text where a run can fail, and what a failure there means.

use crate::interp::{Fault, FaultKind, operation};
use crate::ir::Scalar;
use crate::ir::value::{ScalarValue, Trap};
use crate::source::Span;
use serde::{Deserialize, Serialize};

/// Where a run can fail.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Site {
    pub(super) span: Span,
    pub(super) what: What,
}

/// What happens there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum What {
    /// An access to a variable, or by way of it, whose elements have so many bytes.
    Access { name: String, element: i64 },
    /// A subscript of a dimension of this size.
    Dimension { name: String, size: u32 },
    /// Arithmetic whose result has this type, on operands of those: `symbol` stands before one, or between two.
    Arithmetic { ty: Scalar, symbol: String, operands: Vec<Scalar> },
    /// A call of a function.
    Call { name: String },
    /// The index variable of a loop takes its value.
    Index { ty: Scalar },
}

/// The sites of a module, by number; 0 is none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Sites(Vec<Site>);

impl Sites {
    /// The number of a site.
    pub(super) fn add(&mut self, span: Span, what: What) -> usize {
        self.0.push(Site { span, what });
        self.0.len()
    }

    fn get(&self, number: u32) -> Option<&Site> {
        self.0.get((number as usize).checked_sub(1)?)
    }
}

/// What a run that has failed leaves: `okl_fault` of the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct FaultRecord {
    kind: u32,
    site: u32,
    group: u32,
    item: u32,
    other_site: u32,
    other_group: u32,
    other_item: u32,
    /// Bit 0: this access writes. Bit 1: the other one does.
    writes: u32,
    values: [u64; 3],
}

/// The kinds of faults of `runtime.c`, in its order, from 1 on.
const KINDS: [&str; 13] = [
    "OUT_OF_BOUNDS",
    "DIMENSION",
    "UNINITIALISED",
    "RACE",
    "NULL_POINTER",
    "GROUP_VARIABLE",
    "NO_VALUE",
    "OVERFLOW",
    "DIVISION",
    "SHIFT",
    "CONVERSION",
    "OFFSET",
    "NOT_FINITE",
];

impl FaultRecord {
    /// The name of its kind.
    fn kind(&self) -> &'static str {
        (self.kind as usize).checked_sub(1).and_then(|kind| KINDS.get(kind)).copied().unwrap_or_default()
    }
}

/// The item number of statements outside of regions.
const GROUP_LEVEL: u32 = u32::MAX;

impl Sites {
    /// What a record says, in a launch of so many groups and items along each axis.
    pub(super) fn fault(&self, record: &FaultRecord, [outer, inner]: [[u64; 3]; 2]) -> Option<Fault> {
        let site = self.get(record.site)?;
        let indices = |group: u32, item: u32| (along(group, outer), (item != GROUP_LEVEL).then(|| along(item, inner)));
        let (group, item) = indices(record.group, record.item);
        let mut fault = Fault {
            kind: self.kind(record, site, &indices)?,
            span: site.span,
            item: item.map(|item| (group, item)),
            operation: None,
        };
        if let (What::Arithmetic { symbol, operands, .. }, true) = (&site.what, record.kind() != "NOT_FINITE") {
            let values = operands.iter().zip(record.values).map(|(&ty, bits)| value(ty, bits));
            fault.operation = Some(operation(symbol, &values.collect::<Vec<_>>()));
        }
        Some(fault)
    }

    fn kind(
        &self,
        record: &FaultRecord,
        site: &Site,
        indices: &dyn Fn(u32, u32) -> ([u64; 3], Option<[u64; 3]>),
    ) -> Option<FaultKind> {
        let ty = match &site.what {
            What::Arithmetic { ty, .. } | What::Index { ty } => *ty,
            _ => Scalar::I64,
        };
        let name = match &site.what {
            What::Access { name, .. } | What::Dimension { name, .. } | What::Call { name } => name.clone(),
            What::Arithmetic { .. } | What::Index { .. } => String::new(),
        };
        let [first, second, _] = record.values;
        Some(match (record.kind(), &site.what) {
            ("OUT_OF_BOUNDS", What::Access { element, .. }) => {
                FaultKind::OutOfBounds { name, byte: first as i64, bytes: second as i64, element: *element }
            }
            ("DIMENSION", What::Dimension { size, .. }) => {
                FaultKind::Dimension { name, index: first as i64, size: *size }
            }
            ("UNINITIALISED", _) => FaultKind::Uninitialised { name },
            ("RACE", what) => FaultKind::Race {
                name,
                index: match what {
                    What::Access { element, .. } if second as i64 > *element => {
                        Some((first as i64).div_euclid(*element))
                    }
                    _ => None,
                },
                writes: record.writes & 1 != 0,
                other: self.get(record.other_site)?.span,
                other_item: match indices(record.other_group, record.other_item) {
                    (group, Some(item)) => format!("group {group:?}, item {item:?}"),
                    (group, None) => format!("group {group:?} outside of its inner loops"),
                },
                other_writes: record.writes & 2 != 0,
            },
            ("NULL_POINTER", _) => FaultKind::Null { name },
            ("GROUP_VARIABLE", _) => FaultKind::GroupVariable { name },
            ("NO_VALUE", _) => FaultKind::NoValue { name },
            ("OVERFLOW", _) => FaultKind::Arithmetic(Trap::Overflow(ty)),
            ("DIVISION", _) => FaultKind::Arithmetic(Trap::DivisionByZero),
            ("SHIFT", _) => FaultKind::Arithmetic(Trap::Shift(ty)),
            ("CONVERSION", _) => FaultKind::Arithmetic(Trap::Conversion(ty)),
            ("OFFSET", _) => FaultKind::Arithmetic(Trap::Overflow(Scalar::I64)),
            ("NOT_FINITE", _) => FaultKind::NotFinite { value: value(ty, first).float()? },
            _ => return None,
        })
    }
}

/// Indices along axes 0, 1, 2 of a linear number, axis 0 fastest.
fn along(linear: u32, sizes: [u64; 3]) -> [u64; 3] {
    let (linear, x, y) = (u64::from(linear), sizes[0].max(1), sizes[1].max(1));
    [linear % x, linear / x % y, linear / x / y]
}

/// The value whose bits, extended with its sign, are given.
fn value(ty: Scalar, bits: u64) -> ScalarValue {
    match ty {
        Scalar::F64 => f64::from_bits(bits).into(),
        Scalar::F32 => f32::from_bits(bits as u32).into(),
        _ => ScalarValue::from_integer(i128::from(bits.cast_signed()), ty),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_those_of_the_text() {
        let text = super::super::RUNTIME;
        let (_, list) = text.split_once("OKL_OUT_OF_BOUNDS = 1,").expect("the kinds begin with it");
        let (list, _) = list.split_once('}').expect("they end");
        let of_text: Vec<&str> = list.split(',').filter_map(|name| name.trim().strip_prefix("OKL_")).collect();
        assert_eq!(of_text, KINDS[1..]);
    }
}
