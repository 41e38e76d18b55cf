//! The errors of this backend, each made in one place.

use cl3::error_codes::{CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES, ClError};
use ferrocca_core::{Error, ErrorKind};

/// Name of the mode.
pub(crate) const MODE: &str = "OpenCL";

/// Why the mode, or the requested device, is not available.
pub(crate) fn unavailable(reason: impl Into<String>) -> Error {
    Error::new(ErrorKind::Unavailable { mode: MODE.into(), reason: reason.into() })
}

/// A call that failed with a status of the driver.
#[cold]
pub(crate) fn driver(call: &'static str, status: i32) -> Error {
    let hint = match status {
        CL_OUT_OF_RESOURCES => " (the device lacks resources, or work that was queued before has failed)",
        CL_MEM_OBJECT_ALLOCATION_FAILURE => " (the device has no memory for a buffer)",
        CL_OUT_OF_HOST_MEMORY => " (the driver has no host memory)",
        _ => "",
    };
    Error::driver(call, Some(status.into()), format!("{}{hint}", ClError(status)))
}

/// A call that the driver's library does not have.
#[cold]
pub(crate) fn no_such_call(call: &'static str) -> Error {
    Error::driver(call, None, "the OpenCL library of this machine has no such function")
}

/// A prop with a value that it cannot take.
pub(crate) fn props(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Props { message: message.into() })
}

/// The driver's compiler refused the text.
pub(crate) fn refused(diagnostics: impl Into<String>) -> Error {
    Error::new(ErrorKind::Kernel { diagnostics: diagnostics.into() })
}

/// The driver's compiler failed for a reason that is not the kernel's.
pub(crate) fn compiler(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Compiler { message: message.into() })
}

/// A use of the driver in a child of the process that loaded it.
#[cold]
pub(crate) fn forked() -> Error {
    Error::unsupported(
        "OpenCL in this process",
        "the process was forked after it had used OpenCL, and drivers do not work in such a child: fork first, and open \
         the device in the child",
    )
}

/// A fault of this crate or of its caller in `ferrocca-core`.
pub(crate) fn internal(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Internal { message: message.into() })
}

/// Whether an error is a call's that failed with this status.
pub(crate) fn is_status(error: &Error, status: i32) -> bool {
    error.code() == Some(status.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_call_says_its_number() {
        let failure = driver("clFinish", CL_OUT_OF_RESOURCES);
        assert_eq!((failure.code(), is_status(&failure, CL_OUT_OF_RESOURCES)), (Some(-5), true));
        assert!(!is_status(&failure, CL_OUT_OF_HOST_MEMORY));
        assert!(failure.to_string().starts_with("clFinish: error -5, CL_OUT_OF_RESOURCES ("), "{failure}");
        assert_eq!(no_such_call("clFinish").code(), None);
    }
}
