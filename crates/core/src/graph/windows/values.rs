//! Values of a loop's launches that are constants of a kernel.

use okl::ir::{Scalar, Type};
use okl::value::ScalarValue;
use std::collections::BTreeSet;

/// Values that were replaced, by command and argument, and are no constants of a kernel any more.
pub(super) type Changing = BTreeSet<(usize, usize)>;

/// A value of an integer type.
pub(super) fn constant(ty: &Type, bytes: &[u8]) -> Option<i64> {
    let scalar = ty.scalar().filter(|scalar| scalar.is_integer() && *scalar != Scalar::Bool)?;
    i64::try_from(ScalarValue::from_bytes(scalar, bytes)?.integer()?).ok()
}
