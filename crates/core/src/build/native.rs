//! Native kernels: text in the device's own language, which is compiled as it is and launched with sizes that the caller
//! sets. Nothing is known of what such a kernel takes or touches, so that a launch is `unsafe`.

use super::request::{bad, defines};
use crate::arguments::{Arg, ArgKind};
use crate::backend::{BackendKernel, BackendStream, LaunchDims, PackedArgument};
use crate::device::{Device, DeviceInner};
use crate::launch::check_dims;
use crate::props::{IntoProps, Props};
use crate::stream::{Stream, same_device};
use crate::{Error, Result};
use okl::Compiled;
use okl::signature::NestSignature;
use smallvec::SmallVec;
use std::fmt::{self, Write as _};
use std::path::Path;
use std::sync::Arc;

/// Most arguments of a native kernel.
const MAX_ARGUMENTS: usize = 32;

/// Properties of OKL alone, which a native text cannot have.
const OKL_PROPS: &[&str] = &["includes", "include_dirs", "checks", "warnings"];

/// A function of a text that is not OKL: CUDA C++, OpenCL C, or C.
///
/// What the function takes, in the order of the arguments of a launch:
///
/// | mode | function | memory | number, struct |
/// | --- | --- | --- | --- |
/// | `Serial`, `CPU` | a C function, called once on the calling thread; it runs the loops | address of the slice | its address: `const int *n` |
/// | `CUDA` | `extern "C" __global__ void` | pointer to the slice | its value |
/// | `OpenCL` | `__kernel void` | `__global` pointer to memory that is no slice | its value |
///
/// Other modes have none. Types must agree with the function's: a Rust `i32` is `int`, an `i64` `long long` (OpenCL:
/// `long`), a `usize` an unsigned 64-bit integer.
pub struct NativeKernel {
    device: Arc<DeviceInner>,
    kernel: Arc<dyn BackendKernel>,
    nest: NestSignature,
    dims: Option<LaunchDims>,
}

impl Device {
    /// Compiles the file at `path` as it is, in the device's own language, and finds its function `name`. The property
    /// `okl/enabled` must be `false`; `defines`, `headers`, `compiler_flags` and the mode's own mean what they mean to
    /// [`build_kernel`](Self::build_kernel). Nothing of it is cached.
    /// # Errors
    /// [`crate::ErrorKind::Io`], [`crate::ErrorKind::Props`], what the compiler says of the text,
    /// [`crate::ErrorKind::Unsupported`] for a mode that has no native kernels.
    pub fn build_native_kernel(
        &self,
        path: impl AsRef<Path>,
        name: &str,
        props: impl IntoProps,
    ) -> Result<NativeKernel> {
        let path = path.as_ref();
        let source = std::fs::read_to_string(path).map_err(|error| Error::io(path, &error))?;
        NativeKernel::build(self, &path.to_string_lossy(), &source, name, props.into_props()?)
            .map_err(|error| error.while_doing(format!("building native kernel `{name}` of {}", path.display())))
    }

    /// As [`build_native_kernel`](Self::build_native_kernel), of a text.
    /// # Errors
    /// As there.
    pub fn build_native_kernel_from_string(
        &self,
        source: &str,
        name: &str,
        props: impl IntoProps,
    ) -> Result<NativeKernel> {
        NativeKernel::build(self, "<string>", source, name, props.into_props()?)
    }
}

impl NativeKernel {
    fn build(device: &Device, file: &str, source: &str, name: &str, props: Props) -> Result<Self> {
        let inner = &device.inner;
        let mut props = props.over(inner.programs.defaults());
        let known = super::KERNEL_PROPS.iter().chain(inner.mode().kernel_props).map(|(name, _)| *name);
        let known = known.filter(|name| !OKL_PROPS.contains(name));
        props.check_mode("kernel", inner.mode(), known, |mode| mode.kernel_props)?;
        let okl = props.get_props("okl")?;
        okl.check_known("`okl` (of a native kernel)", ["enabled"])?;
        if okl.get_bool("enabled")? != Some(false) {
            return Err(bad("a native kernel is built with `okl/enabled: false`".to_owned()));
        }
        let mut text = String::new();
        for (name, value) in defines(&props)? {
            let _ = writeln!(text, "#define {name} {value}");
        }
        for line in props.get_strings("headers")? {
            let _ = writeln!(text, "{line}");
        }
        let before = text.lines().count();
        text.push_str(source);
        let mut compiled = Compiled::native(file, text);
        compiled.lines.truncate(source.lines().count());
        compiled.lines.splice(..0, std::iter::repeat_n(None, before));
        for name in ["okl", "defines", "headers", "verbose"] {
            props.remove(name);
        }
        let kernel = inner.backend.build_native(&compiled, name, &props)?;
        Ok(Self { device: inner.clone(), kernel, nest: NestSignature::new(name), dims: None })
    }

    /// The function's name.
    pub fn name(&self) -> &str {
        &self.nest.entry
    }

    /// How many groups a launch has along axes 0, 1, 2, and how many items each group. C functions ignore it.
    /// # Errors
    /// [`crate::ErrorKind::Invalid`] for a size of 0, [`crate::ErrorKind::Unsupported`] for one beyond the device's.
    pub fn set_run_dims(&mut self, groups: [u64; 3], items: [u64; 3]) -> Result<()> {
        if groups.iter().chain(&items).any(|&size| size == 0) {
            return Err(Error::invalid(format!("{groups:?} groups of {items:?} items: every size must be positive")));
        }
        let dims = LaunchDims { outer: groups, inner: items };
        check_dims(&dims, &*self.kernel, self.device.backend.capabilities(), self.name())?;
        self.dims = Some(dims);
        Ok(())
    }

    /// Queues the kernel on the calling thread's current stream.
    /// # Safety
    /// The function takes these arguments, in this order and of these types, and accesses nothing but the memory among
    /// them, within its length; what is passed by `&` it does not write.
    /// # Errors
    /// [`crate::ErrorKind::Invalid`] before [`set_run_dims`](Self::set_run_dims), [`crate::ErrorKind::WrongDevice`],
    /// failures of the device.
    pub unsafe fn launch<'a>(&self, arguments: impl AsRef<[Arg<'a>]>) -> Result<()> {
        // SAFETY: by the caller.
        self.device.with_stream(|stream| unsafe { self.queue(arguments.as_ref(), stream) })
    }

    /// As [`launch`](Self::launch), on a stream of the same device.
    /// # Safety
    /// As for [`launch`](Self::launch).
    /// # Errors
    /// As [`launch`](Self::launch).
    pub unsafe fn launch_on<'a>(&self, stream: &Stream, arguments: impl AsRef<[Arg<'a>]>) -> Result<()> {
        same_device("a stream", &stream.device, &self.device)?;
        // SAFETY: by the caller.
        unsafe { self.queue(arguments.as_ref(), &*stream.backend) }
    }

    /// # Safety
    /// As for [`launch`](Self::launch).
    unsafe fn queue(&self, arguments: &[Arg<'_>], stream: &dyn BackendStream) -> Result<()> {
        let dims = self.dims.as_ref().ok_or_else(|| {
            Error::invalid(format!("native kernel `{}` has no sizes yet: call `set_run_dims` first", self.name()))
        })?;
        if arguments.len() > MAX_ARGUMENTS {
            return Err(Error::invalid(format!(
                "{} arguments: a native kernel takes at most {MAX_ARGUMENTS}",
                arguments.len()
            )));
        }
        let mut packed: SmallVec<[PackedArgument<'_>; MAX_ARGUMENTS]> = SmallVec::new();
        for (position, argument) in (1..).zip(arguments) {
            packed.push(match &argument.0 {
                ArgKind::Number(number) => PackedArgument::Value(number.bytes()),
                ArgKind::Struct(_, bytes) => PackedArgument::Value(bytes),
                ArgKind::Memory { memory, mutable } => {
                    same_device(&format!("argument {position}"), &memory.allocation.device, &self.device)?;
                    PackedArgument::Memory {
                        memory: memory.allocation.backend.as_deref(),
                        offset_bytes: memory.offset_bytes as u64,
                        bytes: memory.bytes as u64,
                        element_bytes: 1,
                        mutable: *mutable,
                    }
                }
                ArgKind::Null => {
                    PackedArgument::Memory { memory: None, offset_bytes: 0, bytes: 0, element_bytes: 1, mutable: false }
                }
            });
        }
        // SAFETY: by the caller.
        unsafe { self.kernel.launch(&self.nest, dims, &packed, stream) }
            .map_err(|error| error.while_doing(format!("launching native kernel `{}`", self.name())))
    }
}

impl fmt::Debug for NativeKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NativeKernel({} on {})", self.name(), self.device.label())
    }
}
