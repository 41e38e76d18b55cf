//! The errors of this backend, each made in one place.

use ferrocca_core::{Error, ErrorKind};

/// A mode that is not available here.
pub(crate) fn unavailable(mode: &str, reason: impl Into<String>) -> Error {
    Error::new(ErrorKind::Unavailable { mode: mode.to_owned(), reason: reason.into() })
}

/// A prop with a value that it cannot take.
pub(crate) fn props(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Props { message: message.into() })
}

/// A shader that wgpu or the driver refused.
pub(crate) fn refused(diagnostics: impl Into<String>) -> Error {
    Error::new(ErrorKind::Kernel { diagnostics: diagnostics.into() })
}

/// No buffer is so large.
pub(crate) fn too_large(bytes: u64, most: u64) -> Error {
    out_of_memory(bytes).while_doing(format!("one buffer of this device holds at most {most} bytes"))
}

/// Memory is exhausted.
pub(crate) fn out_of_memory(bytes: u64) -> Error {
    Error::new(ErrorKind::OutOfMemory { requested: bytes, free: None })
}

/// A call of wgpu or the driver failed.
pub(crate) fn driver(call: &'static str, message: impl std::fmt::Display) -> Error {
    Error::driver(call, None, message.to_string())
}

/// A call of Vulkan's own failed.
#[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
pub(crate) fn vulkan(call: &'static str, result: ash::vk::Result) -> Error {
    Error::driver(call, Some(result.as_raw().into()), result.to_string())
}

/// A use of a device in a child of the process that opened it.
#[cold]
pub(crate) fn forked() -> Error {
    Error::unsupported(
        "a device of the parent process",
        "the process was forked after the device was opened: open the device in the child",
    )
}

/// The driver does not open a device in this child of a process that has used it.
#[cold]
pub(crate) fn driver_of_parent(message: &str) -> Error {
    Error::unsupported(
        format!("a device in a child of a process that has used its driver ({message})"),
        "the process was forked after that: start it anew instead of forking (Python: `multiprocessing.get_context('spawn')`)",
    )
}

/// A fault of this crate or of its caller in `ferrocca-core`.
pub(crate) fn internal(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Internal { message: message.into() })
}

/// What wgpu reported, with the causes beneath.
pub(crate) fn describe(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        source = cause.source();
    }
    text
}
