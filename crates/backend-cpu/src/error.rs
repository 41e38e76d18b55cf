//! The errors of this backend, each made in one place.

use ferrocca_core::{Error, ErrorKind};
use std::fmt::Display;

/// No C compiler was found; `tried` names what was looked for, and why.
pub(crate) fn no_compiler(tried: &str) -> Error {
    Error::new(ErrorKind::Compiler {
        message: format!(
            "no C compiler was found: {tried}; install one (Debian, Ubuntu: `apt install gcc`; Fedora: `dnf install gcc`; \
             macOS: `xcode-select --install`; any Python: `pip install ziglang`) or name one with the property `compiler` or the environment variable `CC`"
        ),
    })
}

/// The compiler failed for a reason that is not the kernel's.
pub(crate) fn compiler(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Compiler { message: message.into() })
}

/// The compiler refused the text.
pub(crate) fn refused(diagnostics: impl Into<String>) -> Error {
    Error::new(ErrorKind::Kernel { diagnostics: diagnostics.into() })
}

/// A prop with a value that it cannot take.
pub(crate) fn props(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Props { message: message.into() })
}

/// Memory is exhausted.
pub(crate) fn out_of_memory(bytes: usize, free: Option<u64>) -> Error {
    Error::new(ErrorKind::OutOfMemory { requested: bytes as u64, free })
}

/// A call of the system failed.
pub(crate) fn system(call: &'static str, message: impl Display) -> Error {
    Error::driver(call, None, message.to_string())
}

/// A fault of this crate or of its caller in `ferrocca-core`.
pub(crate) fn internal(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Internal { message: message.into() })
}
