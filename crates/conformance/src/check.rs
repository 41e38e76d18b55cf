//! How a case says that something is not as promised.

use std::fmt::Debug;

/// What a case found wrong.
pub(crate) struct Failure(pub(crate) String);

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

/// Result of a case.
pub(crate) type Outcome = Result<(), Failure>;

/// Fails when `condition` is false.
pub(crate) fn that(condition: bool, message: impl Into<String>) -> Outcome {
    if condition { Ok(()) } else { Err(Failure(message.into())) }
}

/// Fails when two values differ.
pub(crate) fn equal<T: PartialEq<U> + Debug, U: Debug>(what: &str, got: T, expected: U) -> Outcome {
    if got == expected { Ok(()) } else { Err(Failure(format!("{what}: got {got:?}, expected {expected:?}"))) }
}

/// Fails at the first element in which two slices differ.
pub(crate) fn same<T: PartialEq + Debug>(what: &str, got: &[T], expected: &[T]) -> Outcome {
    equal(&format!("{what}: length"), got.len(), expected.len())?;
    match got.iter().zip(expected).position(|(a, b)| a != b) {
        None => Ok(()),
        Some(i) => Err(Failure(format!("{what}: element {i} is {:?}, expected {:?}", got[i], expected[i]))),
    }
}

/// Fails where `got` is further than `ulp` units in the last place from `expected`.
pub(crate) fn close(what: &str, got: &[f64], expected: &[f64], ulp: f64, epsilon: f64) -> Outcome {
    equal(&format!("{what}: length"), got.len(), expected.len())?;
    for (i, (&a, &b)) in got.iter().zip(expected).enumerate() {
        let same_special = a == b || (a.is_nan() && b.is_nan());
        let bound = ulp * epsilon * b.abs().max(f64::MIN_POSITIVE);
        that(same_special || (a - b).abs() <= bound, format!("{what}: element {i} is {a:e}, expected {b:e}"))?;
    }
    Ok(())
}

/// Fails unless `result` is an error whose text holds every one of `parts`.
pub(crate) fn refused<T>(what: &str, result: ferrocca_core::Result<T>, parts: &[&str]) -> Outcome {
    match result {
        Ok(_) => Err(Failure(format!("{what}: accepted, expected an error"))),
        Err(error) => {
            let text = error.to_string();
            match parts.iter().find(|part| !text.contains(**part)) {
                None => Ok(()),
                Some(part) => Err(Failure(format!("{what}: the error should name `{part}`: {text}"))),
            }
        }
    }
}
