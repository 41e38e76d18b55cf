//! The conformance suite on every built-in backend.

use std::process::ExitCode;

fn main() -> ExitCode {
    // The facade links the backends, which then register themselves.
    assert!(!ferrocca::modes().is_empty(), "no backend is linked");
    ferrocca_conformance::main(&[
        "mode=Serial",
        "mode=CPU, threads=3",
        "mode=Reference",
        "mode=Serial, checked=true",
        "mode=CUDA",
        "mode=OpenCL",
        "mode=OpenCL, items=work-items, memory=separate",
        "mode=WebGPU",
        "mode=WebGPU, memory=separate, int16=false, coarsen=true",
    ])
}
