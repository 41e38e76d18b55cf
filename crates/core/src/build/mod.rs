//! From a kernel's source to a loaded kernel: device table, cache directory, or front end and target compiler.

mod bundle;
mod include;
mod native;
mod okl_settings;
mod program;
mod request;

pub use bundle::Bundle;
pub use native::NativeKernel;
pub use program::BuildOrigin;
pub(crate) use program::{Program, Programs};

use crate::device::Device;
use crate::kernel::Kernel;
use crate::props::{IntoProps, Props};
use crate::{Error, ErrorKind, Result, registry};
use okl::Compiled;
use okl::target::Target;
use request::{BuildRequest, Setting};
use std::path::Path;
use std::sync::Arc;

/// Properties of a kernel that every mode takes.
pub const KERNEL_PROPS: &[(&str, &str)] = &[
    ("defines", "map of macros: {N: 10, dfloat: 'double'}"),
    ("includes", "files that are included before the source"),
    ("include_dirs", "directories in which #include looks"),
    ("headers", "lines that stand before the source"),
    ("fp_contract", "'off' (default): the same bits in every mode; 'fast': multiply and add may become one operation"),
    (
        "checks",
        "'unproven' (default): an access is checked when the kernel runs where no launch can prove it; 'all': every access; \
         'none': a promise that no launch accesses memory out of range",
    ),
    (
        "warnings",
        "wishes, as text or a list: 'no-NAME' turns a warning off, 'error=NAME' makes it an error, 'error' all",
    ),
    (
        "okl",
        "OCCA's settings: {add_barriers, validate, include_paths, restrict, strict_headers}; `docs/migration-from-occa.md` \
         says what each does",
    ),
    ("verbose", "true: say on standard error what is built and from where"),
];

/// What a source that comes from no file is called in diagnostics.
const STRING_NAME: &str = "<string>";

/// A file of kernels that is part of the program, as `okl!` makes it.
#[derive(Clone, Copy, Debug)]
pub struct EmbeddedSource {
    /// What diagnostics call it.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
    /// What `#include` leads to: the name as written, what diagnostics call the file, its text.
    pub includes: &'static [(&'static str, &'static str, &'static str)],
}

impl Device {
    /// Builds kernel `name` of the file at `path`: from what this device has built before, from the cache directory,
    /// or by compiling it now. All kernels of a file are compiled at once.
    ///
    /// Properties: `defines`, `includes`, `include_dirs`, `headers`, `fp_contract`, `checks`, `warnings`, `verbose`, and
    /// the mode's own.
    /// # Errors
    /// [`crate::ErrorKind::Io`] for a file that cannot be read, [`crate::ErrorKind::Kernel`] with diagnostics for a
    /// source that is refused, [`crate::ErrorKind::Invalid`] for a kernel that is not in it,
    /// [`crate::ErrorKind::Compiler`], [`crate::ErrorKind::Props`].
    pub fn build_kernel(&self, path: impl AsRef<Path>, name: &str, props: impl IntoProps) -> Result<Kernel> {
        let path = path.as_ref();
        let request = request_of_file(&Setting::of(self), path, props)
            .map_err(|error| error.while_doing(format!("building kernel `{name}` of {}", path.display())))?;
        program::build(self, &Arc::new(request), name)
    }

    /// Builds kernel `name` of a source text; `#include` looks in `include_dirs` and the current directory.
    /// # Errors
    /// As [`build_kernel`](Self::build_kernel).
    pub fn build_kernel_from_string(&self, source: &str, name: &str, props: impl IntoProps) -> Result<Kernel> {
        let (setting, props) = (Setting::of(self), props.into_props()?);
        let request = BuildRequest::new(&setting, STRING_NAME, Path::new(""), source.to_string(), props)?;
        program::build(self, &Arc::new(request), name)
    }

    /// Builds kernel `name` of a source that is part of the program, with the files that it includes.
    /// # Errors
    /// As [`build_kernel`](Self::build_kernel).
    pub fn build_kernel_from_embedded(
        &self,
        source: &EmbeddedSource,
        name: &str,
        props: impl IntoProps,
    ) -> Result<Kernel> {
        let (setting, props) = (Setting::of(self), props.into_props()?);
        let request = BuildRequest::new(&setting, source.name, Path::new(""), source.text.to_owned(), props)?;
        program::build(self, &Arc::new(request.with_files(source.includes)), name)
    }

    /// What the kernels of the file at `path` become for this device, without compiling them: the text that its
    /// compiler would get, their signatures, warnings.
    /// # Errors
    /// As [`build_kernel`](Self::build_kernel), the compiler's aside.
    pub fn translate(&self, path: impl AsRef<Path>, props: impl IntoProps) -> Result<Compiled> {
        let target = |props: &Props| self.inner.backend.target_for(props);
        translate_file(&Setting::of(self), target, path.as_ref(), props)
    }
}

/// What the kernels of the file at `path` become in a mode (a name such as `CUDA`, or another name of it), on a machine
/// that need not have such a device: the text for a device of the mode that has all that kernels may ask for.
/// # Errors
/// As [`Device::translate`]; [`crate::ErrorKind::Unavailable`] for a mode that is not known, or whose text depends on
/// the device.
pub fn translate(mode: &str, path: impl AsRef<Path>, props: impl IntoProps) -> Result<Compiled> {
    let (backend, mode) = registry::find(mode)?;
    let target = |props: &Props| {
        backend.target_for(mode.name, props)?.ok_or_else(|| {
            let reason = "what its kernels become depends on the device: open one, and use its `translate`".to_owned();
            Error::new(ErrorKind::Unavailable { mode: mode.name.to_owned(), reason })
        })
    };
    let setting = Setting { mode, defaults: &Props::new(), verbose: false };
    translate_file(&setting, target, path.as_ref(), props)
}

/// Whether devices of a mode get different texts, so that [`Device::translate`] may print another one than [`translate()`].
/// # Errors
/// [`crate::ErrorKind::Unavailable`] for a mode that is not known.
pub fn text_depends_on_device(mode: &str) -> Result<bool> {
    let (backend, mode) = registry::find(mode)?;
    Ok(backend.text_depends_on_device(mode.name))
}

fn translate_file(
    setting: &Setting<'_>,
    target: impl Fn(&Props) -> Result<Arc<dyn Target>>,
    path: &Path,
    props: impl IntoProps,
) -> Result<Compiled> {
    request_of_file(setting, path, props)
        .and_then(|request| program::front_end(setting.mode.name, &*target(&request.props)?, &request))
        .map(|(compiled, _)| compiled)
        .map_err(|error| match error.findings() {
            // Each begins with its file.
            Some(_) => error,
            None => error.while_doing(format!("translating {}", path.display())),
        })
}

fn request_of_file(setting: &Setting<'_>, path: &Path, props: impl IntoProps) -> Result<BuildRequest> {
    let source = std::fs::read(path).map_err(|error| Error::io(path, &error))?;
    let source = String::from_utf8(source).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Error::invalid(format!("{} is not a text file: byte {at} is not UTF-8", path.display()))
    })?;
    let directory = path.parent().unwrap_or(Path::new(""));
    let name = path.to_string_lossy();
    BuildRequest::new(setting, &name, directory, source, props.into_props()?)
}
