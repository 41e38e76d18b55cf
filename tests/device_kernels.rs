//! Every kernel of `crates/okl/filetests`, compiled by the real compiler of every device that is here, and run: the
//! interpreter decides what is right. What a file demands of the compiler itself is checked in `crates/okl`.
//!
//! Each buffer lies behind some elements of a larger one, so that slices that begin anywhere are used throughout, and
//! writes beside a slice show. `FERROCCA_REQUIRE_DEVICES=OpenCL,CUDA` fails where such a device is missing.

#[path = "support/call.rs"]
mod call;
#[path = "../crates/okl/tests/filetests/case.rs"]
#[allow(dead_code)] // the compiler's own tests use the rest
mod case;
#[path = "../crates/okl/tests/filetests/setup.rs"]
#[allow(dead_code)]
mod setup;
#[path = "../crates/okl/tests/filetests/text.rs"]
#[allow(dead_code)]
mod text;
#[path = "support/turns.rs"]
mod turns;
#[path = "../crates/okl/tests/filetests/value.rs"]
#[allow(dead_code)]
mod value;

use call::Call;
use case::{Case, Expected};
use ferrocca::backend::Artifact;
use ferrocca::okl::signature::Signature;
use ferrocca::okl::{self, Includes, Request};
use ferrocca::{Device, Props};
use libtest_mimic::{Arguments, Failed, Trial};
use setup::Setup;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Devices for whose texts the compiler's own tests have no compiler.
const DEVICES: &[&str] = &["mode=CUDA", "mode=OpenCL", "mode=OpenCL, items=work-items", "mode=WebGPU"];

/// The tests that run in a process of their own, where all are asked for.
const OTHER_PROCESS: &str = "OpenCL,items=work-items::";

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
    let trials = DEVICES.iter().map(|props| trials(props, &paths)).collect();
    // An OpenCL driver compiles one program at a time, in a process.
    let other = turns::in_another_process(&arguments, OTHER_PROCESS);
    let mut here = arguments;
    if other.is_some() {
        here.skip.push(OTHER_PROCESS.to_owned());
    }
    let conclusion = libtest_mimic::run(&here, turns::in_turn(trials));
    match other.is_none_or(turns::passed) {
        true => conclusion.exit_code(),
        false => ExitCode::FAILURE,
    }
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
    let (module, ..) = okl::to_ir_of_sizes(&request, &case.sizes).map_err(|diagnostics| diagnostics.to_string())?;
    let backend = &**device.backend();
    let compiled = okl::compile_with(&request, &*backend.target(), case.options(okl::Checks::default()))
        .map_err(|diagnostics| diagnostics.to_string())?;
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
        if !signature.lines.is_empty() {
            got.compare_printed(&expected.printed, false).map_err(at)?;
        }
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
