//! One error type: what kind of failure, whose fault, and the chain of what was being done.

use okl::Diagnostics;
use std::fmt;
use std::sync::Arc;

/// Result of everything that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong, and while doing what.
#[derive(Clone)]
pub struct Error(Box<Inner>);

#[derive(Clone)]
struct Inner {
    kind: ErrorKind,
    context: Vec<String>,
    findings: Option<Arc<Diagnostics>>,
}

/// What went wrong.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Props that do not parse, an unknown key, a value of the wrong type.
    Props {
        /// What is wrong and what is known.
        message: String,
    },
    /// No such mode, or a mode that is not available here.
    Unavailable {
        /// The mode as asked for.
        mode: String,
        /// Why not, and which modes can be had.
        reason: String,
    },
    /// The device cannot do this.
    Unsupported {
        /// What was asked for.
        what: String,
        /// Why not.
        reason: String,
    },
    /// An index, range or size outside of what there is.
    OutOfBounds {
        /// What was asked for and what there is.
        message: String,
    },
    /// A kernel divides integers that have no quotient: by zero, or the least integer by -1.
    Division {
        /// Which division, where, and which item.
        message: String,
    },
    /// Memory is exhausted.
    OutOfMemory {
        /// Bytes asked for.
        requested: u64,
        /// Bytes free, where the device says.
        free: Option<u64>,
    },
    /// A kernel argument that does not fit the kernel's signature.
    Argument {
        /// Name of the kernel.
        kernel: String,
        /// Which argument, what was expected, what was given.
        message: String,
    },
    /// Memory, stream or tag of another device.
    WrongDevice {
        /// What and which devices.
        message: String,
    },
    /// The kernel's source is refused; the text holds the rendered diagnostics.
    Kernel {
        /// Rendered diagnostics, or the target compiler's output.
        diagnostics: String,
    },
    /// A device that checks all that kernels do (`checked`) found a fault while one ran, other than an access out of range
    /// or a division without a result: a race, a value that was never written.
    Fault {
        /// What the kernel did and where, rendered with the source line.
        diagnostics: String,
    },
    /// The target's compiler is missing or failed for a reason that is not the kernel's.
    Compiler {
        /// What was run and what it said.
        message: String,
    },
    /// A driver call failed; [`Error::driver`] makes it.
    #[non_exhaustive]
    Driver {
        /// Name of the call.
        call: &'static str,
        /// The number that the driver answered, where it answers one.
        code: Option<i64>,
        /// What the driver said.
        message: String,
    },
    /// A file could not be read or written.
    Io {
        /// Its path.
        path: String,
        /// What the system said.
        message: String,
    },
    /// Another rank of a distributed program failed, did not answer in time, or sent something else than was expected.
    Communication {
        /// Which ranks, what they waited for, and what is known of why.
        message: String,
    },
    /// A launch was asked to end ([`crate::interruptible`]): some of its groups have not run.
    Interrupted,
    /// A value that no other kind describes.
    Invalid {
        /// What is wrong and what was expected.
        message: String,
    },
    /// A fault of Ferrocca itself.
    Internal {
        /// What was found.
        message: String,
    },
}

impl Error {
    /// An error of a kind.
    #[cold]
    pub fn new(kind: ErrorKind) -> Self {
        Self(Box::new(Inner { kind, context: Vec::new(), findings: None }))
    }

    /// What went wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// What was being done, innermost first.
    pub fn context(&self) -> &[String] {
        &self.0.context
    }

    /// Adds what was being done.
    #[must_use]
    pub fn while_doing(mut self, what: impl Into<String>) -> Self {
        self.0.context.push(what.into());
        self
    }

    /// An [`ErrorKind::Kernel`]: what the front end has found.
    pub(crate) fn refused(findings: Diagnostics) -> Self {
        let mut error = Self::new(ErrorKind::Kernel { diagnostics: findings.to_string() });
        error.0.findings = Some(Arc::new(findings));
        error
    }

    /// What the front end has found, where it is what refused a kernel.
    pub fn findings(&self) -> Option<&Diagnostics> {
        self.0.findings.as_deref()
    }

    /// An [`ErrorKind::Unsupported`].
    pub fn unsupported(what: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unsupported { what: what.into(), reason: reason.into() })
    }

    /// An [`ErrorKind::Driver`]: a call, the number that it answered, where the driver has numbers, and what that means.
    #[cold]
    pub fn driver(call: &'static str, code: Option<i64>, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Driver { call, code, message: message.into() })
    }

    /// The number that a driver answered, where this is a failed call of one and it has numbers.
    pub fn code(&self) -> Option<i64> {
        match self.kind() {
            ErrorKind::Driver { code, .. } => *code,
            _ => None,
        }
    }

    /// An [`ErrorKind::Invalid`].
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid { message: message.into() })
    }

    /// An [`ErrorKind::OutOfBounds`].
    pub fn out_of_bounds(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::OutOfBounds { message: message.into() })
    }

    /// An [`ErrorKind::Division`].
    pub fn division(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Division { message: message.into() })
    }

    /// An [`ErrorKind::Io`]: a file or directory could not be made or written.
    pub fn writing(path: impl AsRef<std::path::Path>, error: &std::io::Error) -> Self {
        use std::io::ErrorKind::{AlreadyExists, NotADirectory, NotFound};
        let path = path.as_ref();
        let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let directory = directory.unwrap_or_else(|| std::path::Path::new("."));
        let shown = directory.display();
        let message = match error.kind() {
            NotFound if !directory.exists() => format!("there is no directory {shown}"),
            NotFound => format!("nothing can be made in {shown}"),
            NotADirectory => format!("{shown} is not a directory"),
            AlreadyExists => "this is not a directory".to_owned(),
            _ => return Self::io(path, error),
        };
        Self::new(ErrorKind::Io { path: path.display().to_string(), message })
    }

    /// An [`ErrorKind::Io`].
    pub fn io(path: impl AsRef<std::path::Path>, error: &std::io::Error) -> Self {
        // What the system says ends with ` (os error 2)`, which tells its readers nothing more.
        let said = error.to_string();
        let message = said.split_once(" (os error").map_or(said.as_str(), |(message, _)| message).to_owned();
        Self::new(ErrorKind::Io { path: path.as_ref().display().to_string(), message })
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Self::new(kind)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let context: String = self.0.context.iter().rev().map(|context| format!("{context}: ")).collect();
        // A fault begins with its place, where editors look for it; what was being done stands behind that.
        if let ErrorKind::Fault { diagnostics } = &self.0.kind
            && let Some((place, fault)) = diagnostics.split_once(": error: ")
            && !place.contains('\n')
        {
            return write!(f, "{place}: error: {context}{fault}");
        }
        f.write_str(&context)?;
        match &self.0.kind {
            ErrorKind::Props { message }
            | ErrorKind::OutOfBounds { message }
            | ErrorKind::Division { message }
            | ErrorKind::WrongDevice { message }
            | ErrorKind::Compiler { message }
            | ErrorKind::Communication { message }
            | ErrorKind::Invalid { message } => f.write_str(message),
            ErrorKind::Unavailable { mode, reason } => {
                write!(f, "mode `{mode}` is not available: {reason}")
            }
            ErrorKind::Unsupported { what, reason } => {
                write!(f, "{what} is not supported: {reason}")
            }
            ErrorKind::OutOfMemory { requested, free: Some(free) } => {
                write!(f, "out of memory: {requested} bytes were requested, {free} are free")
            }
            ErrorKind::OutOfMemory { requested, free: None } => {
                write!(f, "out of memory: {requested} bytes were requested")
            }
            ErrorKind::Argument { kernel, message } => write!(f, "kernel `{kernel}`: {message}"),
            ErrorKind::Kernel { diagnostics } | ErrorKind::Fault { diagnostics } => f.write_str(diagnostics),
            ErrorKind::Driver { call, code: Some(code), message } => write!(f, "{call}: error {code}, {message}"),
            ErrorKind::Driver { call, code: None, message } => write!(f, "{call}: {message}"),
            ErrorKind::Io { path, message } => write!(f, "{path}: {message}"),
            ErrorKind::Interrupted => f.write_str("it was interrupted: some of its groups have not run"),
            ErrorKind::Internal { message } => {
                write!(f, "internal error, please report it: {message}")
            }
        }
    }
}

/// As `Display`, so that `fn main() -> Result<()>` prints a sentence.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::{Error, ErrorKind};

    #[test]
    fn a_fault_begins_with_its_place() {
        let diagnostics = "a.okl:3:5: error: race: this read of `s[1]`\n 3 | s[1]\n".to_owned();
        let error = Error::new(ErrorKind::Fault { diagnostics }).while_doing("launching `k`");
        assert_eq!(error.to_string(), "a.okl:3:5: error: launching `k`: race: this read of `s[1]`\n 3 | s[1]\n");
    }

    #[test]
    fn what_cannot_be_written_says_which_directory_is_missing() {
        let place = tempfile::tempdir().unwrap();
        let written = |path: &str| {
            let path = place.path().join(path);
            let error = std::fs::write(&path, "").err().or_else(|| std::fs::create_dir(&path).err()).unwrap();
            Error::writing(&path, &error).to_string().replace(&place.path().display().to_string(), "HERE")
        };
        assert_eq!(written("no/x.c"), "HERE/no/x.c: there is no directory HERE/no");
        assert_eq!(written("file"), "HERE/file: this is not a directory");
        assert_eq!(written("file/x.c"), "HERE/file/x.c: HERE/file is not a directory");
    }
}
