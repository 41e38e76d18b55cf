//! What a launch proves of the accesses of a kernel, against what the interpreter sees it do.

use crate::setup::{Argument, Given, Setup};
use okl::Signature;
use okl::interp::{Accessed, Fault, FaultKind, Report};
use okl::signature::ParameterKind;
use okl::signature::bounds::{Footprint, Verdict};
use okl::value::{ScalarValue, Trap};

/// What is known before a kernel runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Known {
    /// Every access lies within its memory, and every division has a result.
    Within,
    /// The same of every access and division that has no check.
    WithChecks,
    /// Some access lies outside, or some divisor is zero.
    Outside,
    /// Neither.
    Neither,
}

/// What a launch with these arguments would prove.
pub(crate) fn known(signature: &Signature, setup: &Setup) -> Known {
    let given = Given(signature, setup);
    let length = |param: u32| match (&setup.arguments[param as usize], &signature.params[param as usize].kind) {
        (Argument::Memory { bytes, .. }, ParameterKind::Pointer { element, .. }) => (bytes / element.bytes()) as u64,
        _ => 0,
    };
    let mut slots = vec![ScalarValue::Bool(false); signature.slots.len()];
    let mut known = Known::Within;
    let ended = signature.run_host(&given, &mut slots, &mut |launch| {
        let bounds = &signature.nests[launch.nest].bounds;
        match bounds.check(&given, launch.slots, &length) {
            Verdict::Violated(_) => {
                known = Known::Outside;
                return Err("outside");
            }
            Verdict::Proven if bounds.unproven.is_empty() && bounds.unproven_divisions.is_empty() => {}
            Verdict::Proven if known == Known::Within => known = Known::WithChecks,
            Verdict::Proven => {}
            Verdict::Unproven(_) => known = Known::Neither,
        }
        Ok(())
    });
    if ended.is_err() && known != Known::Outside { Known::Neither } else { known }
}

/// Compares that with a run of the interpreter.
pub(crate) fn compare(known: Known, run: &Result<Report, Box<Fault>>) -> Result<(), String> {
    match (known, run) {
        (Known::Within, Err(fault)) if is_foreseen(fault) => {
            Err(format!("every access and division is proven, and yet: {:?}", fault.kind))
        }
        (Known::Outside, Ok(_)) => {
            Err("an access is said to lie outside for certain, or a divisor to be zero, and none does".to_owned())
        }
        _ => Ok(()),
    }
}

/// Whether a fault is one that a launch proves to be none, or a check finds.
fn is_foreseen(fault: &Fault) -> bool {
    let division = FaultKind::Arithmetic(Trap::DivisionByZero);
    matches!(fault.kind, FaultKind::OutOfBounds { .. } | FaultKind::Null { .. }) || fault.kind == division
}

/// Compares a run with one that has checks where nothing is proven: nothing out of range is accessed, and it is found.
pub(crate) fn compare_checked(
    known: Known,
    run: &Result<Report, Box<Fault>>,
    checked: &Result<Report, Box<Fault>>,
) -> Result<(), String> {
    match (run, checked) {
        (Ok(_), Err(fault)) => Err(format!("a check sees what is not there: {:?}", fault.kind)),
        // Memory without elements is zeros by then: a launch sees to that.
        (_, Err(fault)) if matches!(fault.kind, FaultKind::OutOfBounds { bytes: 0, .. } | FaultKind::Null { .. }) => {
            Ok(())
        }
        // Such a launch is refused, or is one of the kernel with all checks.
        _ if matches!(known, Known::Outside | Known::Neither) => Ok(()),
        (_, Err(fault)) if is_foreseen(fault) => Err(format!("no check sees {:?}", fault.kind)),
        (Err(fault), Ok(_)) if is_foreseen(fault) => Err(format!("no check reports {:?}", fault.kind)),
        _ => Ok(()),
    }
}

/// The footprint of each launch with these arguments; `None` where it is not known.
pub(crate) fn footprints(signature: &Signature, setup: &Setup) -> Vec<Option<Footprint>> {
    let given = Given(signature, setup);
    let mut slots = vec![ScalarValue::Bool(false); signature.slots.len()];
    let mut footprints = Vec::new();
    let _ = signature.run_host(&given, &mut slots, &mut |launch| {
        let bounds = &signature.nests[launch.nest].bounds;
        footprints.push(bounds.footprint(&given, launch.slots, launch.outer, launch.inner).ok());
        Ok::<(), ()>(())
    });
    footprints
}

/// Compares footprints with the accesses that the interpreter sees: all of them are foretold. Answers how many were compared.
pub(crate) fn compare_footprints(
    signature: &Signature,
    setup: &Setup,
    footprints: &[Option<Footprint>],
    accesses: &[Accessed],
) -> Result<usize, String> {
    let mut compared = 0;
    for access in accesses {
        let Some(footprint) = &footprints[access.launch] else { continue };
        compared += 1;
        let unit = u64::from(access.group) / footprint.groups;
        let foretold = footprint.spans.iter().any(|span| {
            let Argument::Memory { buffer, offset, .. } = setup.arguments[span.param as usize] else { return false };
            let ParameterKind::Pointer { element, .. } = &signature.params[span.param as usize].kind else {
                return false;
            };
            let Some([least, most]) = span.of(&(unit..unit + 1)) else { return false };
            let element = ((access.byte - offset) / element.bytes()) as i64;
            buffer == access.buffer && (least..=most).contains(&element) && (span.kind.writes() || !access.writes)
        });
        if !foretold {
            return Err(format!("{access:?} of unit {unit} lies outside of the footprint {footprint:#?}"));
        }
    }
    Ok(compared)
}
