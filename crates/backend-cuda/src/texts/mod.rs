//! What tests emit for CUDA, compiled by NVRTC, which needs no GPU: every filetest of the compiler, every kernel that lies
//! in another file, every kernel that the conformance suite builds ([`dry_run`]), the backend's own.
//!
//! Each is compiled for a new architecture, and for the oldest with contraction; a warning is a failure. Without NVRTC the
//! tests say that they are skipped; with `FERROCCA_REQUIRE_NVRTC` they fail.

mod dry_run;

use crate::CUDA;
use crate::compile::Compiler;
use crate::internal_kernels::COPY_TO_SLOT;
use crate::mailbox;
use crate::nvrtc::Nvrtc;
use ferrocca_core::backend::Backend as _;
use ferrocca_core::props::Props;
use okl::back::cuda::CudaTarget;
use okl::{Includes, NoIncludes, Request};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The architecture of an H200, with Hopper's limits.
const NEW: u32 = 90;

/// The oldest one that has all that texts use: before it there is no `atomicAdd` on `double`.
const OLDEST: u32 = 60;

/// A text, and where it comes from.
struct Text {
    name: String,
    text: String,
}

/// A text to be compiled with these options.
type Job<'a> = (&'a Text, &'a [String]);

/// NVRTC where it is found.
pub(crate) fn nvrtc() -> Option<&'static Nvrtc> {
    match compiler(NEW).found() {
        Ok(found) => Some(Nvrtc::of(&found).unwrap_or_else(|error| panic!("{error}"))),
        Err(error) if std::env::var_os("FERROCCA_REQUIRE_NVRTC").is_none() => {
            println!("skipped: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// A compiler for a device that is not there, whose driver loads what any NVRTC compiles.
fn compiler(architecture: u32) -> Compiler {
    let architecture = format!("sm_{architecture}");
    Compiler { named: None, driver: (u32::MAX, 0), architecture, max_shared_bytes: 227 << 10 }
}

/// What a kernel may do on purpose, and compilers warn of: division by zero (39), a variable that is not used (177).
const OFTEN_MEANT: [&str; 2] = ["--diag-suppress=39", "--diag-suppress=177"];

/// Options of the ways in which texts are compiled: for the new architecture as a plain build is, and for the oldest with
/// contraction.
fn ways(nvrtc: &Nvrtc) -> [Vec<String>; 2] {
    let architectures = nvrtc.architectures().expect("it knows them");
    let oldest = architectures.into_iter().filter(|number| *number >= OLDEST).min().expect("there is one");
    [(NEW, ""), (oldest, "fp_contract: fast")].map(|(architecture, kernel)| {
        let kernel = Props::parse(kernel).expect("they parse");
        let mut options = compiler(architecture).options(&kernel).expect("the props are right");
        options.extend(OFTEN_MEANT.map(str::to_owned));
        options
    })
}

/// Compiles every text in both [`ways`]; panics with all that is said about any.
fn check(nvrtc: &Nvrtc, texts: &[Text]) {
    let ways = ways(nvrtc);
    let jobs = texts.iter().flat_map(|text| ways.iter().map(move |options| (text, options.as_slice())));
    compile(nvrtc, &jobs.collect::<Vec<_>>());
    let ways: Vec<String> = ways.iter().map(|options| options.join(" ")).collect();
    println!("NVRTC took {} texts, each with: {}", texts.len(), ways.join("; "));
}

/// Compiles all of these; panics with all that is said about any.
fn compile(nvrtc: &Nvrtc, jobs: &[Job<'_>]) {
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some((text, options)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Some(said) = complaint(nvrtc, &text.text, options) {
                wrong.lock().expect("no thread panicked").push(format!("{}: {said}", text.name));
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    let wrong = wrong.into_inner().expect("no thread panicked");
    assert!(wrong.is_empty(), "{} of {} texts:\n{}", wrong.len(), jobs.len(), wrong.join("\n"));
}

/// What NVRTC has against a text: a refusal or a warning.
fn complaint(nvrtc: &Nvrtc, text: &str, options: &[String]) -> Option<String> {
    let said = nvrtc.warnings(text, options).unwrap_or_else(|error| error.to_string());
    // NVRTC 12 says this of every text for an old architecture.
    let lines = said.lines().filter(|line| !line.is_empty() && !line.contains("Architectures prior to"));
    let lines: Vec<&str> = lines.collect();
    (!lines.is_empty()).then(|| format!("{}\n{}\n{text}", options.join(" "), lines.join("\n")))
}

/// The repository's root, as cargo names the package to a running test.
fn root() -> PathBuf {
    let package = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    Path::new(&package).ancestors().nth(2).expect("the package lies in the repository").to_owned()
}

/// Files below a directory whose names end so, each with its name from the root.
fn files(directory: &str, ending: &str) -> Vec<(String, String)> {
    let (mut pending, mut found) = (vec![root().join(directory)], Vec::new());
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            let entries = std::fs::read_dir(&path).expect("a directory");
            pending
                .extend(entries.map(|entry| entry.expect("an entry").path()).filter(|path| !path.ends_with("target")));
        } else if path.to_string_lossy().ends_with(ending) {
            let name = path.strip_prefix(root()).expect("it is below the root").display().to_string();
            found.push((name, std::fs::read_to_string(&path).expect("a text")));
        }
    }
    found.sort();
    found
}

/// Finds what filetests include.
struct IncludeFolder;

impl Includes for IncludeFolder {
    fn read(&self, name: &str, _angled: bool, _from: &str) -> Result<(String, String), String> {
        let path = root().join("crates/okl/filetests/include").join(name);
        Ok((name.to_owned(), std::fs::read_to_string(path).map_err(|e| format!("`{name}`: {e}"))?))
    }
}

/// The text of every filetest of the compiler that is emitted for CUDA, each with its file's name.
pub(crate) fn filetests() -> Vec<(String, String)> {
    let emit = |(name, source): (String, String)| {
        let of = |key| {
            source.lines().filter_map(move |line| line.strip_prefix("// ")?.strip_prefix(key)?.strip_prefix(": "))
        };
        if !of("target").any(|targets| targets == "all" || targets.contains("cuda")) {
            return None;
        }
        let defines = of("define").filter_map(|define| define.split_once('='));
        let defines: Vec<(String, String)> = defines.map(|(name, body)| (name.into(), body.into())).collect();
        let mode = of("mode").next().unwrap_or("Serial");
        let request = Request { name: &name, source: &source, mode, defines: &defines, includes: &IncludeFolder };
        let compiled = okl::compile(&request, &CudaTarget).unwrap_or_else(|errors| panic!("{errors}"));
        Some((name, compiled.text))
    };
    files("crates/okl/filetests", ".okl")
        .into_iter()
        .filter(|(name, _)| !name.contains("/include/"))
        .filter_map(emit)
        .collect()
}

fn translate(name: &str, source: &str) -> Text {
    // What kernels leave to who builds them, and some of these have no default.
    let defines = [("dfloat", "double"), ("TILE", "16")].map(|(name, body)| (name.to_owned(), body.to_owned()));
    let left_open: Vec<(String, String)> =
        defines.into_iter().filter(|(name, _)| !source.contains(&format!("#define {name} "))).collect();
    let request = Request { name, source, mode: "CUDA", defines: &left_open, includes: &NoIncludes };
    let compiled = okl::compile(&request, &CudaTarget).unwrap_or_else(|errors| panic!("{errors}"));
    Text { name: name.to_owned(), text: compiled.with_line_directives() }
}

#[test]
fn nvrtc_takes_every_filetest() {
    let Some(nvrtc) = nvrtc() else { return };
    let texts: Vec<Text> = filetests().into_iter().map(|(name, text)| Text { name, text }).collect();
    assert!(texts.len() >= 58, "there are {} texts", texts.len());
    check(nvrtc, &texts);
}

#[test]
fn nvrtc_takes_every_kernel_that_lies_in_a_file() {
    let Some(nvrtc) = nvrtc() else { return };
    let directories = ["kernels", "crates/burgers/kernels", "examples"];
    let mut sources: Vec<(String, String)> =
        directories.iter().flat_map(|directory| files(directory, ".okl")).collect();
    assert!(sources.len() >= 2, "there are {} files", sources.len());
    // The tests of the Python package that need a GPU have theirs in triple quotes.
    let of_python = files("crates/insitu-py/tests", ".py").into_iter().filter(|(name, _)| name.contains("/test_cuda_"));
    let before = sources.len();
    for (name, text) in of_python {
        let quoted = text.split("\"\"\"").skip(1).step_by(2).filter(|quoted| quoted.contains("@kernel"));
        sources.extend(quoted.map(|source| (name.clone(), source.to_owned())));
    }
    assert!(sources.len() >= before + 2, "the tests in Python have no kernels");
    let mut texts: Vec<Text> = sources.iter().map(|(name, source)| translate(name, source)).collect();
    texts.push(translate("tests.rs", crate::tests::SOURCE));
    texts.push(Text { name: "internal_kernels.rs".to_owned(), text: COPY_TO_SLOT.to_owned() });
    texts.extend(mailbox::TEXTS.map(|text| Text { name: "mailbox".to_owned(), text: text.to_owned() }));
    check(nvrtc, &texts);
}

#[test]
fn kernels_are_compiled_where_there_is_no_gpu() {
    if nvrtc().is_none() {
        return;
    }
    let request = Request {
        name: "fill.okl",
        source: "@kernel void fill(const int n, float *x) { for (int i = 0; i < n; ++i; @tile(64, @outer, @inner)) x[i] = 1; }",
        mode: "CUDA",
        defines: &[],
        includes: &NoIncludes,
    };
    let text = okl::compile(&request, &CudaTarget).unwrap_or_else(|errors| panic!("{errors}"));
    let compile = |device: &str| CUDA.compile_without_device(&text, &Props::parse(device).unwrap(), &Props::new());
    let by = compile("mode=CUDA").unwrap().expect("NVRTC alone is enough");
    assert!(by.starts_with("NVRTC ") && by.ends_with(" for sm_80"), "{by}");
    assert!(compile("mode=CUDA, architecture=sm_90").unwrap().unwrap().ends_with(" for sm_90"));
    let refused = compile("mode=CUDA, architecture=sm_1").unwrap_err().to_string();
    assert!(refused.contains("architecture"), "{refused}");
}

#[test]
fn a_warning_and_a_refusal_are_noticed() {
    let Some(nvrtc) = nvrtc() else { return };
    let options = &ways(nvrtc)[0];
    let kernel = |body: &str| format!("extern \"C\" __global__ void k(double *x) {{ {body} }}");
    assert_eq!(complaint(nvrtc, &kernel("x[0] = 1.0 / 0.0;"), options), None);
    let warning = complaint(nvrtc, &kernel("x[0] = 1.0; 1 + 2;"), options).expect("it warns");
    assert!(warning.contains("warning") && warning.contains("no effect"), "{warning}");
    let refusal = complaint(nvrtc, &kernel("x[0] = nothing;"), options).expect("it refuses");
    assert!(refusal.contains("error") && refusal.contains("nothing"), "{refusal}");
}
