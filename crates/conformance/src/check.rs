//! How a case says that something is not as promised.

use std::fmt::Debug;
use std::sync::OnceLock;

/// What a case found wrong.
pub(crate) struct Failure(pub(crate) String);

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

/// Result of a case.
pub(crate) type Outcome = Result<(), Failure>;

/// Decides for the whole process, threads of cases included, whether checks pass whatever they see.
/// # Panics
/// When the process has decided otherwise: a dry run must not make a test pass.
pub(crate) fn decide(is_dry_run: bool) {
    let decided = *IS_DRY_RUN.get_or_init(|| is_dry_run);
    assert!(decided == is_dry_run, "a process either tests devices or makes a dry run of the suite");
}

static IS_DRY_RUN: OnceLock<bool> = OnceLock::new();

fn wrong(message: impl Into<String>) -> Outcome {
    if IS_DRY_RUN.get() == Some(&true) { Ok(()) } else { Err(Failure(message.into())) }
}

/// Fails when `condition` is false.
pub(crate) fn that(condition: bool, message: impl Into<String>) -> Outcome {
    if condition { Ok(()) } else { wrong(message) }
}

/// Fails when two values differ.
pub(crate) fn equal<T: PartialEq<U> + Debug, U: Debug>(what: &str, got: T, expected: U) -> Outcome {
    if got == expected { Ok(()) } else { wrong(format!("{what}: got {got:?}, expected {expected:?}")) }
}

/// Fails at the first element in which two slices differ.
pub(crate) fn same<T: PartialEq + Debug>(what: &str, got: &[T], expected: &[T]) -> Outcome {
    equal(&format!("{what}: length"), got.len(), expected.len())?;
    match got.iter().zip(expected).position(|(a, b)| a != b) {
        None => Ok(()),
        Some(i) => wrong(format!("{what}: element {i} is {:?}, expected {:?}", got[i], expected[i])),
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
        Ok(_) => wrong(format!("{what}: accepted, expected an error")),
        Err(error) => {
            let text = error.to_string();
            match parts.iter().find(|part| !text.contains(**part)) {
                None => Ok(()),
                Some(part) => wrong(format!("{what}: the error should name `{part}`: {text}")),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_devices_are_tested_checks_fail_and_a_dry_run_is_refused() {
        decide(false);
        let outcomes = [
            that(false, "that"),
            equal("equal", 1, 2),
            same("same", &[1, 2], &[1, 3]),
            refused("refused", Ok(()), &[]),
        ];
        assert!(outcomes.iter().all(Result::is_err));
        assert!(std::panic::catch_unwind(|| decide(true)).is_err());
    }
}
