//! What a launch proves of the accesses of a kernel, against what the interpreter sees it do.

use crate::setup::{Argument, Setup};
use okl::Signature;
use okl::interp::{Fault, FaultKind, Report};
use okl::signature::ParameterKind;
use okl::signature::bounds::Verdict;
use okl::value::ScalarValue;

/// What is known before a kernel runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Known {
    /// Every access lies within its memory.
    Within,
    /// Some access lies outside.
    Outside,
    /// Neither.
    Neither,
}

/// What a launch with these arguments would prove.
pub(crate) fn known(signature: &Signature, setup: &Setup) -> Known {
    let scalars = setup.arguments.iter().map(|argument| match argument {
        Argument::Scalar(value) => Some(*value),
        _ => None,
    });
    let scalars: Vec<Option<ScalarValue>> = scalars.collect();
    let length = |param: u32| match (&setup.arguments[param as usize], &signature.params[param as usize].kind) {
        (Argument::Memory { bytes, .. }, ParameterKind::Pointer { element, .. }) => (bytes / element.bytes()) as u64,
        _ => 0,
    };
    let mut slots = vec![ScalarValue::Bool(false); signature.slots.len()];
    let mut known = Known::Within;
    let ended = signature.run_host(scalars.as_slice(), &mut slots, &mut |launch| {
        let bounds = &signature.nests[launch.nest].bounds;
        match bounds.check(scalars.as_slice(), launch.slots, &length) {
            Verdict::Violated(_) => {
                known = Known::Outside;
                return Err("outside");
            }
            Verdict::Proven if bounds.unproven.is_empty() => {}
            Verdict::Proven | Verdict::Unproven(_) => known = Known::Neither,
        }
        Ok(())
    });
    if ended.is_err() && known != Known::Outside { Known::Neither } else { known }
}

/// Compares that with a run of the interpreter.
pub(crate) fn compare(known: Known, run: &Result<Report, Box<Fault>>) -> Result<(), String> {
    match (known, run) {
        (Known::Within, Err(fault)) if matches!(fault.kind, FaultKind::OutOfBounds { .. } | FaultKind::Null { .. }) => {
            Err(format!("every access is proven to lie within its memory, and yet: {:?}", fault.kind))
        }
        (Known::Outside, Ok(_)) => Err("an access is said to lie outside for certain, and none does".to_owned()),
        _ => Ok(()),
    }
}
