//! Random kernels on every device that is here: the interpreter decides what is right, bit for bit, or within the units in
//! the last place that a function of the library promises.
//!
//! `FERROCCA_FUZZ_CASES=10000` tries more on each device (30 by default), `FERROCCA_FUZZ_SEED=7` others. A kernel that
//! differs, or that a device's compiler does not take, is made as small as it can be and written to a file.
//! `FERROCCA_REQUIRE_DEVICES=OpenCL,CUDA` fails where such a device is missing.

#[allow(dead_code)]
#[path = "support/call.rs"]
mod call;
#[path = "../crates/okl/tests/fuzz/program.rs"]
mod program;
#[path = "../crates/okl/tests/fuzz/render.rs"]
mod render;
#[path = "../crates/okl/tests/fuzz/scope.rs"]
mod scope;
#[path = "../crates/okl/tests/filetests/setup.rs"]
#[allow(dead_code)] // the compiler's own tests use the rest
mod setup;
#[path = "../crates/okl/tests/fuzz/stmt.rs"]
mod stmt;
#[path = "../crates/okl/tests/fuzz/text.rs"]
mod text;
#[path = "../crates/okl/tests/filetests/value.rs"]
#[allow(dead_code)]
mod value;

use call::Call;
use ferrocca::backend::Artifact;
use ferrocca::okl::interp::{FaultKind, Report};
use ferrocca::okl::{self, NoIncludes, Request};
use ferrocca::{Device, Props};
use libtest_mimic::{Arguments, Failed, Trial};
use program::Program;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use setup::{Argument, Setup};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

const DEVICES: &[&str] = &[
    "mode=Serial, compiler=gcc",
    "mode=Serial, compiler=clang",
    "mode=Serial, checked=true, compiler=clang",
    "mode=CPU, threads=3",
    "mode=CUDA",
    "mode=OpenCL",
    "mode=OpenCL, items=work-items",
    "mode=WebGPU",
];

/// How many kernels are compiled together.
const BATCH: usize = 20;
/// How many smaller kernels are tried once one has failed.
const SHRINK_STEPS: u32 = 120;
/// After so many kernels that fail a device gives up.
const MOST_FAILURES: usize = 10;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let trials = DEVICES.iter().map(|props| trial(props)).collect();
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

fn trial(props: &'static str) -> Trial {
    let label = props.trim_start_matches("mode=").replace(", ", ",");
    let mode = label.split(',').next().unwrap_or(&label).to_owned();
    match Device::open(props) {
        Ok(device) => Trial::test(format!("{label}::random"), move || check_all(&device, props).map_err(Failed::from)),
        Err(error) => {
            let required = std::env::var("FERROCCA_REQUIRE_DEVICES").unwrap_or_default();
            let is_required = required.split(',').any(|name| name.trim().eq_ignore_ascii_case(&mode));
            let message = format!("no device: {error}");
            eprintln!("skipped: {props}: {message}");
            let trial = Trial::test(format!("{label}::device_is_missing"), move || Err(Failed::from(message)));
            trial.with_ignored_flag(!is_required)
        }
    }
}

/// A kernel that the interpreter has run.
struct Ready<T> {
    tree: T,
    name: String,
    source: String,
    before: Setup,
    after: Setup,
    report: Report,
}

/// In place of [`render::EXTREMES`] where subnormal `float`s may be taken for zero: results become subnormal as well.
const MODERATE: [f32; 2] = [1e-4, 3.4e8];

/// A program's text, in which a device that may take subnormal `float`s for zero gets moderate ones.
fn source_for(device: &Device, program: &Program, name: &str) -> String {
    let source = render::source(program, name);
    if device.capabilities().may_flush_subnormals {
        source.replace("1e-40f", "1e-4f").replace("3.4e38f", "3.4e8f")
    } else {
        source
    }
}

/// Interprets a program; `None` where C gives it no meaning.
fn interpret<T>(device: &Device, tree: T, name: String) -> Result<Option<Ready<T>>, String>
where
    T: ValueTree<Value = Program>,
{
    let program = tree.current();
    let source = source_for(device, &program, &name);
    let request = Request { name: "random.okl", source: &source, mode: "Serial", defines: &[], includes: &NoIncludes };
    let (module, ..) = okl::to_ir(&request).map_err(|found| format!("refused:\n{found}\n{source}"))?;
    let flushes = device.capabilities().may_flush_subnormals;
    let before = render::setup(&program, if flushes { MODERATE } else { render::EXTREMES });
    let mut after = before.clone();
    match after.interpret(&module, &name) {
        Ok(report) => Ok(Some(Ready { tree, name, source, before, after, report })),
        Err(fault) if matches!(fault.kind, FaultKind::Arithmetic(_) | FaultKind::Limit(_)) => Ok(None),
        Err(fault) => Err(format!("fault: {:?}\n{source}", fault.kind)),
    }
}

/// Compiles programs together and runs each; answers those that differ, or what the compiler says.
fn compare<T>(device: &Device, programs: &[Ready<T>]) -> Result<Vec<(usize, String)>, String> {
    let source: String = programs.iter().map(|ready| ready.source.as_str()).collect();
    let request = Request { name: "random.okl", source: &source, mode: "Serial", defines: &[], includes: &NoIncludes };
    let backend = &**device.backend();
    let compiled = okl::compile(&request, &*backend.target()).map_err(|found| found.to_string())?;
    let bytes = backend.compile(&compiled, &Props::new()).map_err(|error| error.to_string())?;
    let artifact = Artifact { bytes: &bytes };
    let mut different = Vec::new();
    for (index, ready) in programs.iter().enumerate() {
        let kernel = compiled.module.kernels.iter().find(|kernel| kernel.name == ready.name).ok_or("no kernel")?;
        let signature = compiled.signatures.iter().find(|of| of.kernel == ready.name).ok_or("no signature")?;
        let nests = backend.load(&artifact, signature).map_err(|error| error.to_string())?;
        let mut got = ready.before.clone();
        let ran = Call { backend, nests: &nests, signature }.run(&mut got);
        let same = ran.and_then(|()| got.compare(&ready.after, &compiled.module, kernel, ready.report.tolerance_ulp));
        let same = same.and_then(|()| match device.capabilities().stops_at_faults {
            true => same_faults(ready, &compiled, &mut |setup| Call { backend, nests: &nests, signature }.run(setup)),
            false => Ok(()),
        });
        different.extend(same.err().map(|error| (index, error)));
    }
    Ok(different)
}

/// Calls again with memory that is some elements too short: a device that checks everything must say what the interpreter
/// says.
fn same_faults<T>(
    ready: &Ready<T>,
    compiled: &okl::Compiled,
    run: &mut dyn FnMut(&mut Setup) -> Result<(), String>,
) -> Result<(), String> {
    for (position, argument) in ready.before.arguments.iter().enumerate() {
        let &Argument::Memory { bytes, .. } = argument else { continue };
        for missing in [8, 40].into_iter().filter(|&missing| missing < bytes) {
            let mut before = ready.before.clone();
            if let Argument::Memory { bytes, .. } = &mut before.arguments[position] {
                *bytes -= missing;
            }
            let ran = run(&mut before.clone());
            let expected = match before.interpret(&compiled.module, &ready.name) {
                Ok(_) => None,
                Err(fault) => Some(fault.diagnostic().message),
            };
            let is_same = match (&expected, &ran) {
                (None, Ok(())) => true,
                (Some(message), Err(error)) => error.contains(&format!("error: {message}\n")),
                _ => false,
            };
            if !is_same {
                return Err(format!(
                    "argument {position} lacks {missing} bytes: {ran:?}, the interpreter: {expected:?}"
                ));
            }
        }
    }
    Ok(())
}

/// The programs that fail among those that are compiled together.
fn failures<T>(device: &Device, programs: &[Ready<T>]) -> Vec<(usize, String)> {
    match compare(device, programs) {
        Ok(different) => different,
        Err(error) if programs.len() <= 1 => vec![(0, error)],
        // One that the compiler does not take keeps all from being built.
        Err(_) => {
            let (front, back) = programs.split_at(programs.len() / 2);
            let behind = failures(device, back).into_iter().map(|(index, error)| (index + front.len(), error));
            failures(device, front).into_iter().chain(behind).collect()
        }
    }
}

/// The smallest failing program that is found from a failing one, and how it fails.
fn shrink<T: ValueTree<Value = Program>>(device: &Device, mut tree: T, error: String) -> (String, String) {
    let mut smallest = (source_for(device, &tree.current(), "random"), error);
    for _ in 0..SHRINK_STEPS {
        let program = proptest::strategy::Just(tree.current());
        let mut runner = TestRunner::deterministic();
        let failed = program.new_tree(&mut runner).ok().and_then(|program| {
            let ready = interpret(device, program, "random".into()).ok()??;
            let failure = failures(device, std::slice::from_ref(&ready)).pop();
            failure.map(|(_, error)| (ready.source, error))
        });
        let moved = match failed {
            Some(smaller) => {
                smallest = smaller;
                tree.simplify()
            }
            None => tree.complicate(),
        };
        if !moved {
            break;
        }
    }
    smallest
}

/// Writes a failing program to a file; answers its path.
fn keep(props: &str, seed: u64, name: &str, (source, error): &(String, String)) -> PathBuf {
    let label: String = props.chars().filter(char::is_ascii_alphanumeric).collect();
    // A bundle of tests runs elsewhere than where it was built.
    let built = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let folder = if built.is_dir() { built } else { std::env::temp_dir() };
    let path = folder.join(format!("{name}-{label}-{seed}.okl"));
    let mut text = format!("// {props}, seed {seed}, {name}:\n");
    for line in error.lines() {
        let _ = writeln!(text, "// {line}");
    }
    // The report below has the text, too, where the file cannot be written.
    let _ = std::fs::write(&path, text + source);
    path
}

fn check_all(device: &Device, props: &str) -> Result<(), String> {
    let (cases, seed) = (number("FERROCCA_FUZZ_CASES", 30) as usize, number("FERROCCA_FUZZ_SEED", 1));
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let mut runner = TestRunner::new_with_rng(Config::default(), TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
    let strategy = program::program();
    let (mut tried, mut compared, mut failed) = (0, 0, Vec::new());
    while tried < cases && failed.len() < MOST_FAILURES {
        let mut batch = Vec::new();
        for _ in 0..BATCH.min(cases - tried) {
            tried += 1;
            let tree = strategy.new_tree(&mut runner).map_err(|e| e.to_string())?;
            batch.extend(interpret(device, tree, format!("random_{tried}"))?);
        }
        compared += batch.len();
        let mut batch_failures = failures(device, &batch);
        batch_failures.sort_by_key(|(index, _)| std::cmp::Reverse(*index));
        for (index, error) in batch_failures {
            let ready = batch.swap_remove(index);
            let smallest = shrink(device, ready.tree, error);
            let path = keep(props, seed, &ready.name, &smallest);
            failed.push(format!("{}:\n{}\n{}", path.display(), smallest.1, smallest.0));
        }
        if tried % 500 < BATCH {
            eprintln!("{props}: {tried} random kernels, {compared} with a meaning, {} fail", failed.len());
        }
    }
    eprintln!("{props}: {tried} random kernels from seed {seed}, {compared} with a meaning, {} fail", failed.len());
    if !failed.is_empty() {
        return Err(failed.join("\n"));
    }
    // A generator that makes mostly nonsense would prove nothing.
    if compared * 2 > tried { Ok(()) } else { Err(format!("only {compared} of {tried} kernels have a meaning")) }
}
