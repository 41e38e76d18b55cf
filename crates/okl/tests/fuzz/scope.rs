//! What a place in a random program can name.

use crate::program::Function;
use okl::ir::Scalar;

/// Elements of an input array; a power of two.
pub(crate) const INPUT: usize = 64;
/// Elements of an output array that belong to one item.
pub(crate) const OWN: usize = 4;
/// Items of a group, and groups.
pub(crate) const ITEMS: usize = 6;
pub(crate) const GROUPS: usize = 3;
/// Elements of the arrays that are updated atomically; a power of two.
pub(crate) const BINS: usize = 4;
/// Those arrays, each with the one operator for which order does not matter.
pub(crate) const ATOMICS: [(&str, &str, Scalar); 3] =
    [("sums", "+=", Scalar::I32), ("masks", "|=", Scalar::U32), ("flips", "^=", Scalar::I64)];

/// An array within reach: `name[prefix + (k & mask)]`.
#[derive(Clone)]
pub(crate) struct Array {
    pub(crate) name: String,
    pub(crate) prefix: String,
    pub(crate) ty: Scalar,
    pub(crate) mask: usize,
    pub(crate) writable: bool,
}

/// What is in scope.
pub(crate) struct Scope<'a> {
    pub(crate) functions: &'a [Function],
    pub(crate) name: &'a str,
    /// Name, type, and whether it may be assigned.
    pub(crate) vars: Vec<(String, Scalar, bool)>,
    pub(crate) arrays: Vec<Array>,
    /// Names of records, and the types of their fields.
    pub(crate) records: Vec<String>,
    pub(crate) fields: [Scalar; 3],
    pub(crate) loops: u32,
    /// Within a device function, its result.
    pub(crate) result: Option<Scalar>,
    /// `return` and `continue` may leave the item here.
    pub(crate) may_leave: bool,
    pub(crate) next: u32,
}

impl Array {
    /// A small array that the item has for itself.
    pub(crate) fn own(name: String, prefix: &str, ty: Scalar) -> Self {
        Self { name, prefix: prefix.into(), ty, mask: OWN - 1, writable: true }
    }
}

impl<'a> Scope<'a> {
    /// A scope in which nothing is known yet.
    pub(crate) fn new(functions: &'a [Function], name: &'a str, fields: [Scalar; 3], result: Option<Scalar>) -> Self {
        Self {
            functions,
            name,
            vars: Vec::new(),
            arrays: Vec::new(),
            records: Vec::new(),
            fields,
            loops: 0,
            result,
            may_leave: result.is_some(),
            next: 0,
        }
    }

    pub(crate) fn fresh(&mut self, prefix: &str) -> String {
        self.next += 1;
        format!("{prefix}{}", self.next)
    }
}

/// The fields of a record are variables, and its array is an array.
pub(crate) fn add_record(scope: &mut Scope<'_>, name: String) {
    let [a, b, c] = scope.fields;
    scope.vars.push((format!("{name}.a"), a, true));
    scope.vars.push((format!("{name}.b"), b, true));
    scope.arrays.push(Array::own(format!("{name}.c"), "", c));
    scope.records.push(name);
}

pub(crate) fn assignable(scope: &Scope<'_>, which: u8) -> Option<(String, Scalar)> {
    let vars: Vec<_> = scope.vars.iter().filter(|v| v.2).collect();
    let var = vars.get(usize::from(which) % vars.len().max(1))?;
    Some((var.0.clone(), var.1))
}

pub(crate) fn writable(scope: &Scope<'_>, which: u8) -> Option<Array> {
    let arrays: Vec<_> = scope.arrays.iter().filter(|a| a.writable).collect();
    arrays.get(usize::from(which) % arrays.len().max(1)).map(|a| (*a).clone())
}
