//! The errors of this backend, each made in one place.

use ferrocca_core::{Error, ErrorKind};
use okl::SourceMap;
use okl::interp::{Fault, FaultKind};
use okl::value::Trap;

/// What a kernel did wrong, with its place in the source.
pub fn fault(fault: &Fault, map: &SourceMap) -> Error {
    let diagnostics = fault.diagnostic().render(map);
    match fault.kind {
        FaultKind::OutOfBounds { .. } | FaultKind::Dimension { .. } | FaultKind::Null { .. } => {
            Error::out_of_bounds(diagnostics)
        }
        FaultKind::Arithmetic(Trap::DivisionByZero) => Error::division(diagnostics),
        _ => Error::new(ErrorKind::Fault { diagnostics }),
    }
}

/// Memory is exhausted.
pub(crate) fn out_of_memory(bytes: usize) -> Error {
    Error::new(ErrorKind::OutOfMemory { requested: bytes as u64, free: None })
}

/// A fault of this crate or of its caller in `ferrocca-core`.
pub(crate) fn internal(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Internal { message: message.into() })
}
