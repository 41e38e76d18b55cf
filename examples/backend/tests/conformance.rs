//! The published suite on this backend.

use std::process::ExitCode;

fn main() -> ExitCode {
    if let Err(error) = ferrocca_core::register_backend(&worker_backend::WORKER) {
        eprintln!("error: {error}");
        return ExitCode::FAILURE;
    }
    ferrocca_conformance::main(&["mode=Worker"])
}
