//! From a kernel's source to a loaded kernel: device table, cache directory, or front end and target compiler.

mod bundle;
mod choices;
mod include;
mod native;
mod okl_settings;
mod program;
mod request;
mod source;

pub use bundle::Bundle;
pub use native::NativeKernel;
pub use program::BuildOrigin;
pub(crate) use program::{Program, Programs};
pub(crate) use source::Source;

use crate::backend::{Backend, Mode};
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
        "sizes",
        "lists by kernel, {reduce: [256]}: the sizes of `@shared` arrays to build for, where a launch decides them; the first \
         launch with others builds for those",
    ),
    (
        "okl",
        "OCCA's settings: {add_barriers, validate, include_paths, restrict, strict_headers}; `docs/migration-from-occa.md` \
         says what each does",
    ),
    (
        "tune",
        "lists of values by macro, {TILE: [64, 128, 256]}; also `compiler`: each combination is built, the first launches of a \
         size take turns and are measured, the others take the fastest; what is built must compute the same",
    ),
    ("verbose", "true: say on standard error what is built and from where; FERROCCA_LOG=info says it of every device"),
];

/// Stack for a build, which calls drivers and compilers of vendors.
const STACK: usize = 1 << 20;

/// Runs a build, on a stack of its own where the thread has little left.
fn on_build_stack<T>(build: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(STACK, 4 * STACK, build)
}

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
    /// Properties: `defines`, `includes`, `include_dirs`, `headers`, `fp_contract`, `checks`, `warnings`, `tune`, `verbose`, and
    /// the mode's own ([`KERNEL_PROPS`]).
    /// # Errors
    /// [`crate::ErrorKind::Io`] for a file that cannot be read, [`crate::ErrorKind::Kernel`] with diagnostics for a
    /// source that is refused, [`crate::ErrorKind::Invalid`] for a kernel that is not in it,
    /// [`crate::ErrorKind::Compiler`], [`crate::ErrorKind::Props`].
    pub fn build_kernel(&self, path: impl AsRef<Path>, name: &str, props: impl IntoProps) -> Result<Kernel> {
        let path = path.as_ref();
        // Failures to read it name the file.
        let source = read(path).map_err(|error| error.while_doing(format!("building kernel `{name}`")))?;
        let request = |props: Props| {
            request_of_text(&Setting::of(self), path, source.clone(), props)
                .map_err(|error| error.while_doing(format!("building kernel `{name}` of {}", path.display())))
        };
        choices::build(self, props.into_props()?, name, request)
    }

    /// Builds kernel `name` of a source text; `#include` looks in `include_dirs` and the current directory.
    /// # Errors
    /// As [`build_kernel`](Self::build_kernel).
    pub fn build_kernel_from_string(&self, source: &str, name: &str, props: impl IntoProps) -> Result<Kernel> {
        if is_path(source) {
            let message = format!("`{source}` is a file's name, not a source: `build_kernel` reads files");
            return Err(Error::invalid(message).while_doing(format!("building kernel `{name}`")));
        }
        let setting = Setting::of(self);
        let request = |props| BuildRequest::new(&setting, STRING_NAME, Path::new(""), source.to_string(), props);
        choices::build(self, props.into_props()?, name, request)
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
        let request = |props: Props| request_of_embedded(&Setting::of(self), source, props);
        choices::build(self, props.into_props()?, name, request)
    }

    /// What the kernels of the file at `path` become for this device, without compiling them: the text that its
    /// compiler would get, their signatures, warnings.
    /// # Errors
    /// As [`build_kernel`](Self::build_kernel), the compiler's aside.
    pub fn translate(&self, path: impl AsRef<Path>, props: impl IntoProps) -> Result<Compiled> {
        let target = |props: &Props| self.inner.backend.target_for(props);
        translate_file(&Setting::of(self), target, path.as_ref(), props)
    }

    /// As [`translate`](Self::translate), of a source that is part of the program.
    /// # Errors
    /// As [`translate`](Self::translate).
    pub fn translate_embedded(&self, source: &EmbeddedSource, props: impl IntoProps) -> Result<Compiled> {
        let request = request_of_embedded(&Setting::of(self), source, props)?;
        let target = self.inner.backend.target_for(&request.props)?;
        program::front_end(self.mode(), &*target, &request).map(|(compiled, _)| compiled)
    }
}

/// What the kernels of the file at `path` become in a mode (a name such as `CUDA`, or another name of it), on a machine
/// that need not have such a device: the text for a device of the mode that has all that kernels may ask for.
/// # Errors
/// As [`Device::translate`]; [`crate::ErrorKind::Unavailable`] for a mode that is not known, or whose text depends on
/// the device.
pub fn translate(mode: &str, path: impl AsRef<Path>, props: impl IntoProps) -> Result<Compiled> {
    let (backend, mode) = registry::find(mode)?;
    let setting = Setting { mode, defaults: &Props::new(), verbose: false };
    translate_file(&setting, |props| target_without_device(backend, mode, props), path.as_ref(), props)
}

/// As [`translate()`], of a source that is part of the program.
/// # Errors
/// As [`translate()`].
pub fn translate_embedded(mode: &str, source: &EmbeddedSource, props: impl IntoProps) -> Result<Compiled> {
    let (backend, mode) = registry::find(mode)?;
    let setting = Setting { mode, defaults: &Props::new(), verbose: false };
    let request = request_of_embedded(&setting, source, props)?;
    let target = target_without_device(backend, mode, &request.props)?;
    program::front_end(mode.name, &*target, &request).map(|(compiled, _)| compiled)
}

/// Compiles what [`translate()`] gave for a mode with the vendor's compiler alone, on a machine that need not have such a
/// device, and says which compiler it was and what for: `NVRTC 13.0 for sm_80`. `device` has the properties of a device
/// (`mode`, `architecture` …), `kernel` those of the kernels. `None` for a mode that cannot do it without a device.
/// # Errors
/// There is no compiler, or it refused the text; a bad property.
pub fn compile_without_device(device: &Props, compiled: &Compiled, kernel: &Props) -> Result<Option<String>> {
    let (backend, _) = registry::find(device.mode()?)?;
    backend.compile_without_device(compiled, device, kernel)
}

/// What kernels of a mode are compiled for where no device of it is at hand.
fn target_without_device(backend: &dyn Backend, mode: &Mode, props: &Props) -> Result<Arc<dyn Target>> {
    backend.target_for(mode.name, props)?.ok_or_else(|| {
        let reason = "what its kernels become depends on the device: open one, and use its `translate`".to_owned();
        Error::new(ErrorKind::Unavailable { mode: mode.name.to_owned(), reason })
    })
}

fn request_of_embedded(setting: &Setting<'_>, source: &EmbeddedSource, props: impl IntoProps) -> Result<BuildRequest> {
    let text = source.text.to_owned();
    let request = BuildRequest::new(setting, source.name, Path::new(""), text, props.into_props()?)?;
    Ok(request.with_files(source.includes))
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
    let request = request_of_file(setting, path, props)?;
    target(&request.props)
        .and_then(|target| program::front_end(setting.mode.name, &*target, &request))
        .map(|(compiled, _)| compiled)
        .map_err(|error| match error.findings() {
            // Each begins with its file.
            Some(_) => error,
            None => error.while_doing(format!("translating {}", path.display())),
        })
}

fn request_of_file(setting: &Setting<'_>, path: &Path, props: impl IntoProps) -> Result<BuildRequest> {
    request_of_text(setting, path, read(path)?, props)
}

/// Whether what was given as a source names a file.
fn is_path(source: &str) -> bool {
    source.ends_with(".okl") && !source.contains(['{', '\n'])
}

fn read(path: &Path) -> Result<String> {
    if path.to_string_lossy().contains(['{', '\n']) && !path.exists() {
        return Err(Error::invalid(
            "this is a source, not the path of a file: `build_kernel_from_string` takes sources",
        ));
    }
    let source = std::fs::read(path).map_err(|error| Error::io(path, &error))?;
    String::from_utf8(source).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Error::invalid(format!("{} is not a text file: byte {at} is not UTF-8", path.display()))
    })
}

fn request_of_text(setting: &Setting<'_>, path: &Path, source: String, props: impl IntoProps) -> Result<BuildRequest> {
    let directory = path.parent().unwrap_or(Path::new(""));
    let name = path.to_string_lossy();
    BuildRequest::new(setting, &name, directory, source, props.into_props()?)
}
