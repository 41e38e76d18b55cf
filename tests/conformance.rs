//! The conformance suite on every built-in backend.

#[path = "support/turns.rs"]
mod turns;

use libtest_mimic::Arguments;
use std::process::ExitCode;

/// The devices that pass the whole suite.
const DEVICES: &[&str] = &[
    "mode=Serial",
    "mode=CPU, threads=3",
    "mode=Reference",
    "mode=Serial, checked=true",
    "mode=CUDA",
    "mode=OpenCL",
    "mode=WebGPU",
];

/// Other ways in which a device may run the same kernels. The primitives are kernels like any others, only many, so that
/// compiling them once more shows nothing.
const VARIANTS: &[&str] =
    &["mode=OpenCL, items=work-items, memory=separate", "mode=WebGPU, memory=separate, int16=false, coarsen=true"];

fn main() -> ExitCode {
    // The facade links the backends, which then register themselves.
    assert!(!ferrocca::modes().is_empty(), "no backend is linked");
    let arguments = Arguments::from_args();
    let mut trials: Vec<_> = DEVICES.iter().map(|props| ferrocca_conformance::trials(props)).collect();
    trials.extend(VARIANTS.iter().map(|props| {
        let mut variant = ferrocca_conformance::trials(props);
        variant.retain(|trial| !trial.name().contains("::primitives::"));
        variant
    }));
    libtest_mimic::run(&arguments, turns::in_turn(trials)).exit_code()
}
