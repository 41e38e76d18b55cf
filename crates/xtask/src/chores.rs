//! The commands, each a list of programs to run.

use crate::process::{Result, cargo, check, messages, output, root};
use crate::python::Environment;
use crate::release::{sources, wheel};
use crate::site::site;
use serde_json::Value;
use std::fs;
use std::process::Command;
use std::time::SystemTime;

/// What `examples/insitu/svd.py` leaves behind.
const PICTURES: [&str; 3] = ["Field_evolution.png", "SVD_Eigenvectors.png", "SVD_Values.png"];

/// Clippy builds the compiler for itself, to expand macros: that one need not be fast.
const UNOPTIMISED: &str = "profile.dev.package.ferrocca-okl.opt-level=0";

/// The Python package that compiles texts for CUDA.
const NVRTC: &str = "nvidia-cuda-nvrtc";

/// Sets up, builds, runs Burgers with its in-situ analysis on the CPU and says where the pictures are.
pub(crate) fn run() -> Result {
    require_c_compiler()?;
    let environment = Environment::prepare()?;
    let built =
        environment.build("--release --package ferrocca --example burgers --package ferrocca-insitu-py --lib")?;
    let program = program(&built, "burgers")?;
    let directory = root().join("out");
    fs::create_dir_all(&directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    let started = SystemTime::now();
    let mut burgers = Command::new(program);
    burgers.args("--device mode=CPU --insitu examples/insitu/svd.py --output out".split(' ')).current_dir(root());
    environment.activate(&mut burgers);
    check(&mut burgers)?;
    for picture in PICTURES.map(|name| directory.join(name)) {
        let written = fs::metadata(&picture).and_then(|metadata| metadata.modified());
        match written {
            // File systems round times down, some to whole seconds.
            Ok(time) if time + std::time::Duration::from_secs(2) >= started => {
                println!("{}", picture.display())
            }
            Ok(_) => {
                return Err(format!("{} is from an earlier run and was not written by this one", picture.display()));
            }
            Err(error) => return Err(format!("{} was not written: {error}", picture.display())),
        }
    }
    Ok(())
}

/// Every check that a change must pass, the quick ones first.
pub(crate) fn test() -> Result {
    require_c_compiler()?;
    check(&mut cargo("fmt --all --check"))?;
    let environment = Environment::prepare()?;
    environment.add_test_requirements()?;
    check(&mut clippy(&environment, "--workspace"))?;
    // What the tests are and start, and the extension: all at once, so that nothing is compiled twice.
    let built = environment.build("--workspace --lib --bins --tests --examples")?;
    let programs =
        [("FERROCCA_BURGERS", program(&built, "burgers")?), ("FERROCCA_COMMAND", program(&built, "ferrocca")?)];

    // Who runs this says which further devices must be there.
    let devices = std::env::var("FERROCCA_REQUIRE_DEVICES").unwrap_or_else(|_| "Serial,CPU,Reference".into());
    // Plain `cargo test` passes on a machine that has nothing. Here the environment is active, and what must be there
    // is named, so that its absence is a failure instead of a note.
    let mut tests = environment.cargo("test --workspace --quiet");
    tests.envs([
        ("FERROCCA_REQUIRE_CC", "1"),
        ("FERROCCA_REQUIRE_PYTHON", "1"),
        ("FERROCCA_REQUIRE_DEVICES", devices.as_str()),
    ]);
    tests.envs(programs);
    match environment.has(NVRTC) {
        true => _ = tests.env("FERROCCA_REQUIRE_NVRTC", "1"),
        false => println!(
            "{NVRTC} is not available for this platform: texts for CUDA are compiled only if there is a toolkit"
        ),
    }
    check(&mut tests)?;
    objects_of_ocl(&environment, &devices)?;
    // A backend of somebody else, in a workspace of its own.
    let foreign = "test --quiet --manifest-path examples/backend/Cargo.toml --target-dir target/foreign";
    check(&mut cargo(foreign))?;
    let mut pytest = environment.program("python");
    let libraries = std::env::var("FERROCCA_REQUIRE_LIBRARIES").unwrap_or_else(|_| "pyopencl".into());
    pytest.envs([("FERROCCA_REQUIRE_DEVICES", devices.as_str()), ("FERROCCA_REQUIRE_LIBRARIES", libraries.as_str())]);
    // Two at a time: much of what a test does is done by one processor.
    check(pytest.envs(programs).args(["-m", "pytest", "--quiet", "--numprocesses", "2", "crates/insitu-py"]))?;
    with_ziglang_alone(&environment)?;
    check(environment.cargo("doc --workspace --no-deps --quiet").env("RUSTDOCFLAGS", "--deny warnings"))?;
    // Not optimised: what is in the wheel is the same, and most of it is built already.
    wheel(&environment, &[], &root().join("target/wheel"))?;
    sources(&environment, &root().join("target/python-sources"))?;
    oldest_rust()?;
    site()?;
    match output(&mut cargo("deny --version")) {
        Some(_) => check(&mut cargo("deny --all-features check")),
        None => {
            println!("cargo-deny is not installed: licences and advisories were not checked");
            Ok(())
        }
    }
}

/// The kernels of Python's tests, with no other compiler than the one of the package `ziglang`.
fn with_ziglang_alone(environment: &Environment) -> Result {
    if !environment.has("ziglang") {
        println!("ziglang is not available for this platform: nothing was built with it alone");
        return Ok(());
    }
    let mut pytest = environment.program("python");
    environment.hide_the_rest(&mut pytest);
    pytest.env("FERROCCA_CACHE_DIR", root().join("target/ziglang-cache")).env("FERROCCA_REQUIRE_DEVICES", "Serial,CPU");
    pytest.args(["-m", "pytest", "--quiet", "-k", "not OpenCL and not WebGPU and not CUDA"]);
    let files = ["test_kernels.py", "test_scalars.py", "test_bool.py", "test_solver.py", "test_graphs.py"];
    check(pytest.args(files.map(|file| format!("crates/insitu-py/tests/{file}"))))
}

/// The program, not its tests, among what cargo says that it built.
fn program<'a>(built: &'a [Value], name: &str) -> Result<&'a str> {
    let is_it = |message: &&Value| message["target"]["name"] == name && message["profile"]["test"] == false;
    let path = built.iter().filter(is_it).find_map(|message| message["executable"].as_str());
    path.ok_or_else(|| format!("cargo has not built the program {name}"))
}

/// Clippy on all targets of `packages`; what it warns of is a failure.
fn clippy(environment: &Environment, packages: &str) -> Command {
    environment.cargo(&format!("clippy --config {UNOPTIMISED} {packages} --all-targets --quiet -- --deny warnings"))
}

/// The feature `ocl`, whose crate needs a libOpenCL to link: tested where OpenCL must be there.
fn objects_of_ocl(environment: &Environment, devices: &str) -> Result {
    if !devices.split(',').any(|name| name.trim().eq_ignore_ascii_case("opencl")) {
        println!("OpenCL is not required here: the feature `ocl` was not tested");
        return Ok(());
    }
    // With the extension, which has no tests here, crates have the features that they were built with above.
    let packages =
        "--package ferrocca-backend-opencl --package ferrocca-insitu-py --features ferrocca-backend-opencl/ocl";
    check(&mut clippy(environment, packages))?;
    check(&mut environment.cargo(&format!("test {packages} --quiet")))?;
    let example = format!("build {packages} --example ocl_buffers --message-format json-render-diagnostics");
    let built = messages(&mut environment.cargo(&example))?;
    check(Command::new(program(&built, "ocl_buffers")?).current_dir(root()))
}

/// Everything but the Python extension compiles with the oldest Rust that is supported, where that one is installed.
fn oldest_rust() -> Result {
    let version = concat!(env!("CARGO_PKG_RUST_VERSION"), ".0");
    if output(Command::new("rustup").args(["run", version, "cargo", "--version"])).is_none() {
        println!("Rust {version} is not installed: the oldest supported version was not checked");
        return Ok(());
    }
    let mut build = Command::new("rustup");
    build.args(["run", version, "cargo", "check", "--quiet", "--all-targets"]);
    build.args(["--target-dir", "target/oldest"]).current_dir(root());
    // The cargo that runs us has named its own compiler to its children.
    check(build.env_remove("RUSTUP_TOOLCHAIN").env_remove("RUSTC").env_remove("CARGO"))
}

/// The benchmarks, each beside its peer.
pub(crate) fn bench(arguments: &[String]) -> Result {
    require_c_compiler()?;
    check(cargo("bench").args(arguments))
}

/// Expected outputs of the compiler's tests, and the kernels that packages carry with them.
pub(crate) fn bless() -> Result {
    let (kernel, packaged) = (root().join("kernels/burgers.okl"), root().join("crates/burgers/kernels/burgers.okl"));
    fs::copy(&kernel, &packaged).map_err(|error| format!("{}: {error}", packaged.display()))?;
    let mut tests = cargo("test --quiet --package ferrocca-okl");
    check(tests.env("FERROCCA_BLESS", "1"))?;
    let mut difference = Command::new("git");
    check(difference.args(["--no-pager", "diff", "--stat"]).current_dir(root()))
}

/// Kernels are compiled by the machine's C compiler.
fn require_c_compiler() -> Result {
    let usual = ["clang", "gcc", "cc"].map(str::to_owned);
    match std::env::var("CC")
        .into_iter()
        .chain(usual)
        .any(|compiler| output(Command::new(&compiler).arg("--version")).is_some())
    {
        true => Ok(()),
        false => {
            Err("no C compiler was found (`CC`, clang, gcc, cc): on Debian and Ubuntu `apt install gcc`".to_owned())
        }
    }
}
