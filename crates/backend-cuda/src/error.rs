//! The errors of this backend, each made in one place; failures of driver calls are made by
//! [`crate::context::Context::check`], which knows what was running.

use crate::driver::Code;
use ferrocca_core::{Error, ErrorKind};

/// The mode is not available.
pub(crate) fn unavailable(reason: impl Into<String>) -> Error {
    Error::new(ErrorKind::Unavailable { mode: "CUDA".into(), reason: reason.into() })
}

/// A child of the process that uses the driver, which works there no more.
pub(crate) fn forked() -> Error {
    Error::unsupported("CUDA in this process", FORKED)
}

/// Why CUDA is not available in such a child.
pub(crate) const FORKED: &str = "the process was forked after it had used CUDA, whose driver does not work in such a \
                                 child: fork first, and open the device in the child";

/// A driver call failed.
pub(crate) fn driver(call: &'static str, code: Code, message: impl Into<String>) -> Error {
    Error::driver(call, Some(code.0.into()), message)
}

/// NVRTC is missing, or failed for a reason that is not the kernel's.
pub(crate) fn compiler(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Compiler { message: message.into() })
}

/// NVRTC refused the text.
pub(crate) fn refused(diagnostics: impl Into<String>) -> Error {
    Error::new(ErrorKind::Kernel { diagnostics: diagnostics.into() })
}

/// A prop with a value that it cannot take.
pub(crate) fn props(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Props { message: message.into() })
}

/// A fault of this crate or of its caller in `ferrocca-core`.
pub(crate) fn internal(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Internal { message: message.into() })
}
