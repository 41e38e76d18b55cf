//! Random kernels: the interpreter against compiled C, and against itself after the passes of each target, bit for bit.
//!
//! `FERROCCA_FUZZ_CASES=1000` tries more (30 by default), `FERROCCA_FUZZ_SEED=7` others. A kernel that differs is made
//! as small as it can be and printed. Kernels whose arithmetic C leaves undefined are left out; any other refusal or
//! fault is a failure, because what is generated here is legal.

#[path = "fuzz/bounds.rs"]
mod bounds;
// The filetests use all of these; fuzzing needs only a part.
#[allow(dead_code)]
#[path = "filetests/native.rs"]
mod native;
#[path = "fuzz/program.rs"]
mod program;
#[path = "fuzz/render.rs"]
mod render;
#[path = "filetests/round_trip.rs"]
mod round_trip;
#[path = "fuzz/scope.rs"]
mod scope;
#[allow(dead_code)]
#[path = "filetests/setup.rs"]
mod setup;
#[path = "fuzz/stmt.rs"]
mod stmt;
#[path = "fuzz/text.rs"]
mod text;
#[allow(dead_code)]
#[path = "filetests/value.rs"]
mod value;

use okl::back::cpu::CpuTarget;
use okl::back::cuda::CudaTarget;
use okl::back::opencl::OpenClTarget;
use okl::back::wgsl::WgslTarget;
use okl::interp::{FaultKind, Report};
use okl::ir::{self, Module};
use okl::target::{Target, opencl, wgsl};
use okl::value::Trap;
use okl::{Compiled, NoIncludes, Request, passes};
use program::Program;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use setup::Setup;
use std::path::{Path, PathBuf};

/// How many kernels go into one library.
const BATCH: usize = 30;
/// How many smaller kernels are tried once one has failed.
const SHRINK_STEPS: u32 = 300;

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

/// A kernel that the interpreter has run.
struct Ready {
    module: Module,
    compiled: Compiled,
    before: Setup,
    after: Setup,
    report: Report,
}

/// Compiles and interprets one program; `None` where C gives it no meaning.
fn prepare(program: &Program, name: &str) -> Result<Option<Ready>, String> {
    let source = render::source(program, name);
    let says = |what: String| format!("{what}\n{source}");
    let request = Request { name: "fuzz.okl", source: &source, mode: "Serial", defines: &[], includes: &NoIncludes };
    let (module, _, diagnostics) = okl::to_ir(&request).map_err(|d| says(format!("refused:\n{d}")))?;
    round_trip::check(&module).map_err(says)?;
    let compiled = okl::compile(&request, &CpuTarget).map_err(|d| says(format!("refused for the CPU:\n{d}")))?;
    let before = render::setup(program, render::EXTREMES);
    let mut after = before.clone();
    match after.interpret(&module, name) {
        Ok(report) => {
            after_passes(&module, name, &before, &after).map_err(says)?;
            Ok(Some(Ready { module, compiled, before, after, report }))
        }
        Err(fault) if matches!(fault.kind, FaultKind::Arithmetic(_) | FaultKind::Limit(_)) => Ok(None),
        Err(fault) => Err(says(format!("fault:\n{}", fault.diagnostic().render(&diagnostics.map)))),
    }
}

/// What the passes of a target make of the kernel does the same.
fn after_passes(module: &Module, name: &str, before: &Setup, after: &Setup) -> Result<(), String> {
    let in_loops = opencl::Features { form: opencl::Form::Loops, ..opencl::Features::ALL };
    let targets: [&dyn Target; 4] =
        [&CpuTarget, &CudaTarget, &OpenClTarget(in_loops), &WgslTarget(wgsl::Features::ALL)];
    let of_targets = targets.map(|target| (target.name(), target.passes()));
    let moved = |pass: &ir::Pass| if pass.name == "interchange" { passes::INTERCHANGE_ALL } else { *pass };
    let all_moved: Vec<ir::Pass> = CpuTarget.passes().iter().map(moved).collect();
    let all_checked = [vec![passes::CHECK_ACCESSES], all_moved.clone()].concat();
    let further = [("C, loops moved wherever it is legal", all_moved), ("the same, all accesses checked", all_checked)];
    for (target, passes) in of_targets.into_iter().chain(further) {
        let mut prepared = module.clone();
        ir::run_passes(&passes, None, &mut prepared);
        let says = |what: String| format!("{what}\nafter the passes for {target}:\n{}", ir::dump(&prepared));
        round_trip::check(&prepared).map_err(says)?;
        let mut again = before.clone();
        again.interpret(&prepared, name).map_err(|fault| says(format!("{:?}", fault.kind)))?;
        after.compare(&again, module, &module.kernels[0], 0).map_err(says)?;
        before.check_coarsened(&prepared, &prepared.kernels[0], &again).map_err(says)?;
    }
    Ok(())
}

fn compare(ready: &Ready, loaded: &native::Loaded) -> Result<(), String> {
    let signature = &ready.compiled.signatures[0];
    let kernel = &ready.module.kernels[0];
    for split in native::Split::ALL {
        let mut setup = ready.before.clone();
        loaded.run(signature, &mut setup, split)?;
        let tolerance = ready.report.tolerance_ulp;
        setup.compare(&ready.after, &ready.module, kernel, tolerance).map_err(|e| format!("{split:?}: {e}"))?;
    }
    Ok(())
}

/// Everything about one program alone.
fn check(program: &Program, compiler: Option<&Path>) -> Result<(), String> {
    let (Some(ready), Some(compiler)) = (prepare(program, "fuzz")?, compiler) else {
        return Ok(());
    };
    let loaded = native::load_all(compiler, &[&ready.compiled.text], &["-w"])?;
    compare(&ready, &loaded).map_err(|e| format!("{e}\n{}\n{}", render::source(program, "fuzz"), ready.compiled.text))
}

/// The smallest failing program that is found from a failing one.
fn shrink(mut tree: impl ValueTree<Value = Program>, compiler: Option<&Path>, mut error: String) -> String {
    for _ in 0..SHRINK_STEPS {
        let moved = match check(&tree.current(), compiler) {
            Err(smaller) => {
                error = smaller;
                tree.simplify()
            }
            Ok(()) => tree.complicate(),
        };
        if !moved {
            break;
        }
    }
    error
}

fn run_batch(runner: &mut TestRunner, count: usize, compilers: &[PathBuf]) -> Result<usize, String> {
    let strategy = program::program();
    let mut trees = Vec::new();
    let mut ready = Vec::new();
    for case in 0..count {
        let tree = strategy.new_tree(runner).map_err(|e| e.to_string())?;
        match prepare(&tree.current(), &format!("fuzz_{case}")) {
            Ok(Some(r)) => {
                ready.push(r);
                trees.push(tree);
            }
            Ok(None) => {}
            Err(error) => return Err(shrink(tree, None, error)),
        }
    }
    let texts: Vec<_> = ready.iter().map(|r| r.compiled.text.as_str()).collect();
    for compiler in compilers {
        let loaded = native::load_all(compiler, &texts, &["-w"])?;
        for (ready, tree) in ready.iter().zip(trees.drain(..)) {
            if let Err(error) = compare(ready, &loaded) {
                return Err(shrink(tree, Some(compiler), error));
            }
        }
    }
    Ok(ready.len())
}

#[test]
fn random_kernels_give_the_interpreters_bits() {
    let compilers = native::compilers();
    if let Err(why) = &compilers {
        eprintln!("kernels are interpreted but not compiled: {why}");
    }
    native::refuse_missing(&compilers).expect("a C compiler was promised");
    let compilers = compilers.unwrap_or_default();
    let (cases, seed) = (number("FERROCCA_FUZZ_CASES", 30) as usize, number("FERROCCA_FUZZ_SEED", 1));
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let mut runner = TestRunner::new_with_rng(Config::default(), TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
    let (mut tried, mut compared) = (0, 0);
    while tried < cases {
        let count = BATCH.min(cases - tried);
        tried += count;
        match run_batch(&mut runner, count, &compilers[..compilers.len().min(1)]) {
            Ok(count) => compared += count,
            Err(error) => panic!("seed {seed}: {error}"),
        }
    }
    // A generator that makes mostly nonsense would prove nothing.
    assert!(compared * 2 > tried, "only {compared} of {tried} kernels have a meaning");
}

/// Lengths that are one, two or many elements short, besides the right ones.
const SHORT: [usize; 4] = [0, 1, 2, 7];

/// A source with other divisors, which are between 1 and 16 in it: from zero on, or on both sides of it.
fn with_any_divisors(source: &str, seed: u64) -> String {
    let mut parts = source.split("& 15) + 1");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for (number, part) in parts.enumerate() {
        out.push_str(["& 15) + 1", "& 15) + 0", "& 15) + 1", "& 15) - 3"][(number + seed as usize) % 4]);
        out.push_str(part);
    }
    out
}

#[test]
fn what_is_proven_of_random_kernels_holds() {
    let (cases, seed) = (number("FERROCCA_FUZZ_CASES", 100), number("FERROCCA_FUZZ_SEED", 1));
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let mut runner = TestRunner::new_with_rng(Config::default(), TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
    let strategy = program::program();
    let (mut within, mut outside, mut found, mut runs) = (0, 0, 0, 0);
    let (mut foretold, mut divided_by_zero) = (0, 0);
    for case in 0..cases {
        let program = strategy.new_tree(&mut runner).expect("a program").current();
        let mut source = render::source(&program, "fuzz");
        if case % 6 == 5 {
            source = with_any_divisors(&source, case);
        }
        let request =
            Request { name: "fuzz.okl", source: &source, mode: "Serial", defines: &[], includes: &NoIncludes };
        let compiled = okl::compile(&request, &CpuTarget).unwrap_or_else(|found| panic!("{found}\n{source}"));
        let all = okl::compile_with(&request, &CpuTarget, okl::Checks::All).expect("it compiles with checks");
        let of_constants = okl::compile_with(&request, &CpuTarget, okl::Checks::UnprovenOfConstants);
        let of_constants = of_constants.expect("it compiles for constant memory");
        for short in SHORT {
            let mut setup = render::setup(&program, render::EXTREMES);
            for (argument, param) in setup.arguments.iter_mut().zip(&compiled.signatures[0].params) {
                if let (setup::Argument::Memory { bytes, .. }, okl::signature::ParameterKind::Pointer { element, .. }) =
                    (argument, &param.kind)
                {
                    *bytes = bytes.saturating_sub(short * element.bytes());
                }
            }
            let known = bounds::known(&compiled.signatures[0], &setup);
            let given = setup.clone();
            let run = setup.interpret(&compiled.module, "fuzz");
            let is_zero = |fault: &okl::interp::Fault| fault.kind == FaultKind::Arithmetic(Trap::DivisionByZero);
            divided_by_zero += u32::from(run.as_ref().err().is_some_and(|fault| is_zero(fault)));
            let known_of_constants = bounds::known(&of_constants.signatures[0], &given);
            let builds = [(&compiled, known), (&of_constants, known_of_constants), (&all, bounds::Known::Within)];
            for (compiled, known) in builds {
                let mut again = given.clone();
                let checked = again.interpret(&compiled.with_checks, "fuzz");
                let agreed = bounds::compare_checked(known, &run, &checked).and_then(|()| match run {
                    Ok(_) => setup.compare(&again, &compiled.module, &compiled.module.kernels[0], 0),
                    Err(_) => Ok(()),
                });
                agreed.unwrap_or_else(|error| {
                    let ir = ir::dump(&compiled.with_checks);
                    panic!("seed {seed}, {short} elements short, with checks: {error}\n{source}\n{ir}")
                });
                let is_counted = !std::ptr::eq(compiled, &raw const of_constants);
                found += u32::from(is_counted && run.is_err() && checked.is_err());
            }
            for (compiled, known) in &builds[..2] {
                bounds::compare(*known, &run).unwrap_or_else(|error| {
                    let text = compiled.signatures[0].bounds_text();
                    panic!("seed {seed}, {short} elements short: {error}\n{source}\n{text}")
                });
            }
            if known == bounds::Known::Within
                && let Ok(report) = given.clone().trace(&compiled.module, "fuzz")
            {
                let signature = &compiled.signatures[0];
                let footprints = bounds::footprints(signature, &given);
                let compared = bounds::compare_footprints(signature, &given, &footprints, &report.accesses);
                foretold += compared.unwrap_or_else(|error| {
                    panic!("seed {seed}, {short} elements short: {error}\n{source}\n{}", signature.footprint_text())
                });
            }
            within += u32::from(known == bounds::Known::Within);
            outside += u32::from(known == bounds::Known::Outside);
            runs += 1;
        }
    }
    // A generator of kernels of which nothing is known would prove nothing.
    assert!(within * 8 > runs && outside * 50 > runs, "{within} proven, {outside} refused, of {runs}");
    assert!(foretold > 80 * runs as usize, "{foretold} accesses were compared with footprints in {runs} runs");
    assert!(divided_by_zero * 100 > runs, "{divided_by_zero} of {runs} runs divide by zero");
    assert!(found * 4 > runs, "{found} accesses out of range were found by checks in {runs} runs");
}
