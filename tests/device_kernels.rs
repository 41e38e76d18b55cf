//! Every kernel of `crates/okl/filetests`, compiled by the real compiler of every device that is here, and run: the
//! interpreter decides what is right. What a file demands of the compiler itself is checked in `crates/okl`.
//!
//! Each buffer lies behind some elements of a larger one, so that slices that begin anywhere are used throughout, and
//! writes beside a slice show. `FERROCCA_REQUIRE_DEVICES=OpenCL,CUDA` fails where such a device is missing.

#[path = "../crates/okl/tests/filetests/case.rs"]
#[allow(dead_code)] // the compiler's own tests use the rest
mod case;
#[path = "../crates/okl/tests/filetests/setup.rs"]
#[allow(dead_code)]
mod setup;
#[path = "../crates/okl/tests/filetests/text.rs"]
#[allow(dead_code)]
mod text;
#[path = "../crates/okl/tests/filetests/value.rs"]
#[allow(dead_code)]
mod value;

use case::{Case, Expected};
use ferrocca::backend::{
    Artifact, BackendDevice, BackendKernel, BackendMemory, BackendStream, LaunchDims, PackedArgument, Placement,
};
use ferrocca::okl::ir::Scalar;
use ferrocca::okl::signature::{HostParams, NestArgument, NestLaunch, ParameterKind, Signature};
use ferrocca::okl::value::ScalarValue;
use ferrocca::okl::{self, Includes, Request};
use ferrocca::{Device, Props};
use libtest_mimic::{Arguments, Failed, Trial};
use setup::{Argument, Setup};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// Devices for whose texts the compiler's own tests have no compiler.
const DEVICES: &[&str] = &["mode=CUDA", "mode=OpenCL", "mode=OpenCL, items=work-items", "mode=WebGPU"];

/// Elements in front of a slice, of whatever size: no power of two, so that no alignment comes by itself.
const ELEMENTS_BEFORE: usize = 3;
/// Bytes behind a slice.
const BYTES_BEHIND: usize = 40;
/// What they hold.
const GUARD: u8 = 0xc5;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    // Where cargo, or a bundle's script, says that the package is.
    let package = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let directory = Path::new(&package).join("crates/okl/filetests");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&directory)
        .expect("the folder of filetests is part of the repository")
        .map(|entry| entry.expect("it can be listed").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "okl"))
        .collect();
    paths.sort();
    let trials = DEVICES.iter().flat_map(|props| trials(props, &paths)).collect();
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn trials(props: &'static str, paths: &[PathBuf]) -> Vec<Trial> {
    let label = props.trim_start_matches("mode=").replace(", ", ",");
    let mode = label.split(',').next().unwrap_or(&label);
    let device = match Device::open(props) {
        Ok(device) => device,
        Err(error) => {
            let required = std::env::var("FERROCCA_REQUIRE_DEVICES").unwrap_or_default();
            let is_required = required.split(',').any(|name| name.trim().eq_ignore_ascii_case(mode));
            let message = format!("no device: {error}");
            eprintln!("skipped: {props}: {message}");
            let trial = Trial::test(format!("{label}::device_is_missing"), move || Err(Failed::from(message)));
            return vec![trial.with_ignored_flag(!is_required)];
        }
    };
    let trial = |path: &PathBuf| {
        let (path, device) = (path.clone(), device.clone());
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Trial::test(format!("{label}::{name}"), move || check(&path, &device).map_err(Failed::from))
    };
    paths.iter().map(trial).collect()
}

/// Finds included files beside the kernels, in `include/`.
struct Folder(PathBuf);

impl Includes for Folder {
    fn read(&self, name: &str, _angled: bool, _from: &str) -> Result<(String, String), String> {
        let text = std::fs::read_to_string(self.0.join(name)).map_err(|e| format!("`{name}`: {e}"))?;
        Ok((format!("include/{name}"), text))
    }
}

fn check(path: &Path, device: &Device) -> Result<(), String> {
    let case = Case::read(path)?;
    if !case.errors.is_empty() {
        return Ok(());
    }
    let includes = Folder(path.parent().unwrap_or(Path::new("")).join("include"));
    let name = format!("{}.okl", case.name);
    // The file's own mode decides its macros, so that its values are those of every target.
    let request =
        Request { name: &name, source: &case.source, mode: &case.mode, defines: &case.defines, includes: &includes };
    let (module, ..) = okl::to_ir(&request).map_err(|diagnostics| diagnostics.to_string())?;
    let backend = &**device.backend();
    let compiled = okl::compile(&request, &*backend.target()).map_err(|diagnostics| diagnostics.to_string())?;
    let capabilities = backend.capabilities();
    if compiled.signatures.iter().any(|signature| capabilities.check_shared(signature).is_err()) {
        return check_refusal(device, &case.source, &compiled.signatures);
    }
    let props = Props::new();
    let bytes = backend.compile(&compiled, &props).map_err(|e| format!("{e}\n{}", compiled.text))?;
    let artifact = Artifact { bytes: &bytes };
    for run in case.runs.iter().filter(|run| matches!(run.expected, Expected::Values(_))) {
        let at = |e: String| format!("line {}: {e}", run.line);
        let kernel = module.kernels.iter().find(|kernel| kernel.name == run.kernel);
        let kernel = kernel.ok_or_else(|| at(format!("there is no kernel `{}`", run.kernel)))?;
        let signature = compiled.signatures.iter().find(|signature| signature.kernel == run.kernel);
        let signature = signature.ok_or_else(|| at("there is no signature".into()))?;
        let before = Setup::new(&module, kernel, &run.arguments).map_err(at)?;
        let mut expected = before.clone();
        let report =
            expected.interpret(&module, &run.kernel).map_err(|fault| at(format!("{:?}", fault.diagnostic())))?;
        let mut got = before;
        let nests = backend.load(&artifact, signature).map_err(|e| at(e.to_string()))?;
        let call = Call { backend, nests: &nests, signature };
        call.run(&mut got).map_err(at)?;
        let tolerance = case.tolerance.unwrap_or(report.tolerance_ulp);
        got.compare(&expected, &module, kernel, tolerance).map_err(|e| at(format!("{e}\n{}", compiled.text)))?;
    }
    Ok(())
}

/// A kernel that shares more than the device has is refused with both sizes, before a driver sees its text.
fn check_refusal(device: &Device, source: &str, signatures: &[Signature]) -> Result<(), String> {
    let limit = format!("the device has {}", device.capabilities().max_shared_bytes);
    let kernel = &signatures.first().ok_or("there is no kernel")?.kernel;
    match device.build_kernel_from_string(source, kernel, "") {
        Err(error) if error.to_string().contains(&limit) => Ok(()),
        Err(error) => Err(format!("it does not say that {limit}: {error}")),
        Ok(_) => Err(format!("it was built, although {limit}")),
    }
}

/// One call of a kernel, through the backend's contract alone.
struct Call<'a> {
    backend: &'a dyn BackendDevice,
    nests: &'a [Arc<dyn BackendKernel>],
    signature: &'a Signature,
}

/// A buffer on the device with guards around it.
struct Guarded {
    memory: Arc<dyn BackendMemory>,
    start: usize,
    bytes: usize,
}

/// A call's arguments as its host part asks for them.
struct Given<'a>(&'a Signature, &'a [Argument]);

impl HostParams for Given<'_> {
    fn scalar(&self, position: u32) -> Option<ScalarValue> {
        match self.1.get(position as usize) {
            Some(Argument::Scalar(value)) => Some(*value),
            _ => None,
        }
    }

    fn length(&self, position: u32) -> Option<u64> {
        match (self.1.get(position as usize)?, self.0.kind(position)) {
            (Argument::Memory { bytes, .. }, ParameterKind::Pointer { element, .. }) => {
                Some((bytes / element.bytes()) as u64)
            }
            (Argument::Null, _) => Some(0),
            _ => None,
        }
    }
}

impl Call<'_> {
    fn run(&self, setup: &mut Setup) -> Result<(), String> {
        let stream = self.backend.default_stream();
        let guarded: Vec<Guarded> = setup
            .buffers
            .iter()
            .enumerate()
            .map(|(index, buffer)| self.guarded(buffer, self.element_bytes(setup, index), &*stream))
            .collect::<Result<_, _>>()?;
        // Where the kernel has checks, the record of faults is one argument more.
        let mut guarded = guarded;
        let record = 4 * Signature::FAULT_WORDS;
        guarded.push(self.guarded(&vec![0; record], size_of::<u32>(), &*stream)?);
        let mut slots = vec![ScalarValue::from_bytes(Scalar::Bool, &[0]).ok_or("a bool")?; self.signature.slots.len()];
        let mut arguments = setup.arguments.clone();
        arguments.push(Argument::Memory { buffer: guarded.len() - 1, offset: 0, bytes: record });
        let mut launch = |launch: &NestLaunch<'_>| self.launch(launch, &arguments, &guarded, &*stream);
        self.signature
            .run_host(&Given(self.signature, &arguments), &mut slots, &mut launch)
            .map_err(|e| e.to_string())?;
        let mut found = vec![0; record];
        for (buffer, guarded) in setup.buffers.iter_mut().chain([&mut found]).zip(&guarded) {
            let mut all = vec![0; guarded.start + guarded.bytes + BYTES_BEHIND];
            stream.copy_out(&*guarded.memory, 0, &mut all).map_err(|e| e.to_string())?;
            let (front, rest) = all.split_at(guarded.start);
            let (middle, behind) = rest.split_at(guarded.bytes);
            if front.iter().chain(behind).any(|&byte| byte != GUARD) {
                return Err("the kernel wrote beside its buffer".into());
            }
            buffer.copy_from_slice(middle);
        }
        if found.iter().any(|&byte| byte != 0) {
            return Err(format!("a check found an access out of range: {found:?}"));
        }
        Ok(())
    }

    /// Size of the elements that a buffer is seen as: the largest, where several arguments see it.
    fn element_bytes(&self, setup: &Setup, index: usize) -> usize {
        let sizes = setup.arguments.iter().zip(&self.signature.params).filter_map(|(argument, parameter)| {
            match (argument, &parameter.kind) {
                (Argument::Memory { buffer, .. }, ParameterKind::Pointer { element, .. }) if *buffer == index => {
                    Some(element.bytes())
                }
                _ => None,
            }
        });
        sizes.max().unwrap_or(1)
    }

    fn guarded(&self, bytes: &[u8], element: usize, stream: &dyn BackendStream) -> Result<Guarded, String> {
        let start = ELEMENTS_BEFORE * element;
        let mut all = vec![GUARD; start + bytes.len() + BYTES_BEHIND];
        all[start..start + bytes.len()].copy_from_slice(bytes);
        let memory = self.backend.allocate(all.len(), Placement::Device).map_err(|e| e.to_string())?;
        stream.copy_in(&*memory, 0, &all).map_err(|e| e.to_string())?;
        Ok(Guarded { memory, start, bytes: bytes.len() })
    }

    fn launch(
        &self,
        launch: &NestLaunch<'_>,
        arguments: &[Argument],
        guarded: &[Guarded],
        stream: &dyn BackendStream,
    ) -> Result<(), String> {
        let nest = &self.signature.nests[launch.nest];
        let bytes = |value: ScalarValue| value.to_bytes()[..value.ty().bytes()].to_vec();
        let value = |argument: &NestArgument| match *argument {
            NestArgument::Slot(slot) => bytes(launch.slots[slot as usize]),
            NestArgument::Param(position) => match &arguments[position as usize] {
                Argument::Scalar(value) => bytes(*value),
                Argument::Struct(bytes) => bytes.clone(),
                _ => Vec::new(),
            },
        };
        let values: Vec<Vec<u8>> = nest.arguments.iter().map(value).collect();
        let packed: Vec<PackedArgument<'_>> = nest
            .arguments
            .iter()
            .zip(&values)
            .map(|(argument, value)| self.pack(*argument, value, arguments, guarded))
            .collect();
        let dims = LaunchDims { outer: launch.outer, inner: launch.inner };
        // SAFETY: the arguments are those of the signature, the memory lives in `guarded`, and the interpreter has run the
        // same call without leaving its buffers.
        unsafe { self.nests[launch.nest].launch(nest, &dims, &packed, stream) }.map_err(|e| e.to_string())
    }

    fn pack<'b>(
        &self,
        argument: NestArgument,
        value: &'b [u8],
        arguments: &'b [Argument],
        guarded: &'b [Guarded],
    ) -> PackedArgument<'b> {
        let NestArgument::Param(position) = argument else { return PackedArgument::Value(value) };
        let ParameterKind::Pointer { element, mutable, .. } = self.signature.kind(position) else {
            return PackedArgument::Value(value);
        };
        let (memory, offset, bytes) = match arguments[position as usize] {
            Argument::Memory { buffer, offset, bytes } => {
                (Some(&*guarded[buffer].memory), guarded[buffer].start + offset, bytes)
            }
            _ => (None, 0, 0),
        };
        PackedArgument::Memory {
            memory,
            offset_bytes: offset as u64,
            bytes: bytes as u64,
            element_bytes: element.bytes() as u32,
            mutable: *mutable,
        }
    }
}
