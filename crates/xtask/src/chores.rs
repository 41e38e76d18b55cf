//! The commands, each a list of programs to run.

use crate::process::{Result, cargo, check, output, root};
use crate::python::Environment;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::SystemTime;

/// What `examples/insitu/svd.py` leaves behind.
const PICTURES: [&str; 2] = ["Field_evolution.png", "SVD_Eigenvectors.png"];

/// The Python package that compiles texts for CUDA.
const NVRTC: &str = "nvidia-cuda-nvrtc";

/// The packages of a release. The Python package is a wheel, which maturin makes.
const PUBLISHED: [&str; 12] = [
    "ferrocca-okl",
    "ferrocca-core",
    "ferrocca-backend-cpu",
    "ferrocca-backend-cuda",
    "ferrocca-backend-opencl",
    "ferrocca-backend-reference",
    "ferrocca-backend-wgpu",
    "ferrocca-insitu",
    "ferrocca",
    "ferrocca-conformance",
    "ferrocca-burgers",
    "ferrocca-cli",
];

/// How many of them a program gets that depends on `ferrocca`: the first ones.
const EMBEDDED: usize = 9;

/// Sets up, builds, runs Burgers with its in-situ analysis on the CPU and says where the pictures are.
pub(crate) fn run() -> Result {
    require_c_compiler()?;
    let environment = Environment::prepare()?;
    check(&mut cargo("build --release --example burgers"))?;
    let directory = root().join("out");
    fs::create_dir_all(&directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    let started = SystemTime::now();
    let mut burgers = cargo("run --quiet --release --example burgers -- --device mode=CPU");
    burgers.args(["--insitu", "examples/insitu/svd.py", "--output", "out"]);
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
    check(&mut cargo("clippy --all-targets --quiet -- --deny warnings"))?;
    let environment = Environment::prepare()?;
    environment.add_test_requirements()?;
    let mut lints = cargo("clippy --package ferrocca-insitu-py --quiet -- --deny warnings");
    environment.activate(&mut lints);
    check(&mut lints)?;

    // Who runs this says which further devices must be there.
    let devices = std::env::var("FERROCCA_REQUIRE_DEVICES").unwrap_or_else(|_| "Serial,CPU,Reference".into());
    // Plain `cargo test` passes on a machine that has nothing. Here the environment is active, and what must be there
    // is named, so that its absence is a failure instead of a note.
    let mut tests = cargo("test --quiet");
    environment.activate(&mut tests);
    tests.envs([
        ("FERROCCA_REQUIRE_CC", "1"),
        ("FERROCCA_REQUIRE_PYTHON", "1"),
        ("FERROCCA_REQUIRE_DEVICES", devices.as_str()),
    ]);
    match environment.has(NVRTC) {
        true => _ = tests.env("FERROCCA_REQUIRE_NVRTC", "1"),
        false => println!(
            "{NVRTC} is not available for this platform: texts for CUDA are compiled only if there is a toolkit"
        ),
    }
    check(&mut tests)?;
    objects_of_ocl(&devices)?;
    // A backend of somebody else, in a workspace of its own.
    let foreign = "test --quiet --manifest-path examples/backend/Cargo.toml --target-dir target/foreign";
    check(&mut cargo(foreign))?;
    let mut pytest = environment.program("python");
    let libraries = std::env::var("FERROCCA_REQUIRE_LIBRARIES").unwrap_or_else(|_| "pyopencl".into());
    pytest.envs([("FERROCCA_REQUIRE_DEVICES", devices.as_str()), ("FERROCCA_REQUIRE_LIBRARIES", libraries.as_str())]);
    check(pytest.args(["-m", "pytest", "--quiet", "crates/insitu-py"]))?;
    check(cargo("doc --no-deps --quiet").env("RUSTDOCFLAGS", "--deny warnings"))?;
    oldest_rust()?;
    match output(&mut cargo("deny --version")) {
        Some(_) => check(&mut cargo("deny --all-features check")),
        None => {
            println!("cargo-deny is not installed: licences and advisories were not checked");
            Ok(())
        }
    }
}

/// The feature `ocl`, whose crate needs a libOpenCL to link: tested where OpenCL must be there.
fn objects_of_ocl(devices: &str) -> Result {
    if !devices.split(',').any(|name| name.trim().eq_ignore_ascii_case("opencl")) {
        println!("OpenCL is not required here: the feature `ocl` was not tested");
        return Ok(());
    }
    check(&mut cargo(
        "clippy --package ferrocca-backend-opencl --features ocl --all-targets --quiet -- --deny warnings",
    ))?;
    check(&mut cargo("test --package ferrocca-backend-opencl --features ocl --quiet"))?;
    check(&mut cargo("run --package ferrocca-backend-opencl --features ocl --quiet --example ocl_buffers"))
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

/// Builds every published crate from its package, in which only its own files are; then a solver of somebody else on
/// those packages.
pub(crate) fn package() -> Result {
    let mut packages = cargo("package --allow-dirty");
    check(packages.args(PUBLISHED.iter().flat_map(|name| ["--package", name])))?;
    let target = root().join("target/package");
    let embed = target.join("embed");
    copy_directory(&root().join("examples/embed"), &embed)?;
    let mut build = cargo("test --quiet --target-dir");
    build.arg(target.join("embed-target")).current_dir(&embed);
    for name in &PUBLISHED[..EMBEDDED] {
        // `cargo package` leaves each package unpacked beside its archive.
        let path = target.join(format!("{name}-{}", env!("CARGO_PKG_VERSION")));
        let patch = format!("patch.crates-io.{name}.path={:?}", path.display().to_string());
        build.arg("--config").arg(patch);
    }
    check(&mut build)
}

/// Copies the files of a directory and of those below it, but nothing that was built there.
fn copy_directory(from: &Path, to: &Path) -> Result {
    let failed = |error: std::io::Error| format!("copying {} to {}: {error}", from.display(), to.display());
    fs::create_dir_all(to).map_err(failed)?;
    for entry in fs::read_dir(from).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let (source, destination) = (entry.path(), to.join(entry.file_name()));
        match source.is_dir() {
            true if entry.file_name() == "target" => {}
            true => copy_directory(&source, &destination)?,
            false => fs::copy(&source, &destination).map(|_| ()).map_err(failed)?,
        }
    }
    Ok(())
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
